"""When a newer statement says otherwise than an older one."""

from __future__ import annotations

import pytest

from holdfast.language.contradiction import Claim, says_otherwise


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        ("We use bun now, not pnpm.", "Use pnpm, never npm or yarn"),
        ("Staging database runs on db-stg-3.", "Staging database runs on db-stg-2"),
        ("Indent Python with two spaces from now on", "Indent Python with tabs."),
        ("Indent Python with two spaces", "Indent Python with four spaces"),
        ("Four spaces, no tabs any more", "Indent Python with tabs."),
        ("Never deploy on Fridays", "Deploy on Fridays"),
        ("The logo is in s3://acme-brand-2027/logo.svg", "The logo is in s3://acme-brand/logo.svg"),
        ("The link's expiry is 15 minutes", "The link's expiry is 10 minutes"),
        ("We use Vitest instead of Jest", "Use Jest"),
        ("Wir nutzen jetzt bun, nicht pnpm", "Wir nutzen pnpm"),
        ("Use npm.", "Use pnpm."),
        ("Prefer jest over vitest", "Prefer vitest"),
        ("Use port 9000.", "Use port 8443."),
        ("The dev server listens on port 9000.", "The dev server listens on port 8443."),
        ("Der Server läuft auf Port 9000", "Der Server läuft auf Port 8443"),
        ("Always run make deploy", "Never run make deploy"),
        ("Always run make deploy", "Never, ever run make deploy!"),
        ("Yarn nicht verwenden", "Wir nutzen yarn"),
        ("Don't run mypy with --strict.", "Always run mypy with --strict."),
        ("Run pytest without -x.", "Run pytest with -x."),
        ("Run the server with --port 9000", "Run the server with --port 8443"),
        ("The database is hosted on db-9", "The database is hosted on db-8"),
        ("Staging URL: https://b.example", "Staging URL: https://a.example"),
        ("Line length is 88", "Line length is 120"),
        ("Indent with 2 spaces", "Indent with 4 spaces"),
        ("Push to main without asking.", "Never push to main without asking"),
        ("You may deploy without the VPN", "You cannot deploy without the VPN, since the cluster is private."),
        ("Deploy to staging without the VPN", "Always deploy to staging with the VPN"),
        ("Ohne Rückfrage auf main pushen", "Nie ohne Rückfrage auf main pushen"),
        ("chmod 777 is ok", "chmod 777 is forbidden"),
        ("Pushes to main are fine", "Never pushes to main"),
        ("sudo ist verboten", "sudo ist erlaubt"),
        ("Never use npm", "Packages use npm"),
        ("Sessions of guests end after 30 minutes", "Sessions of guests end after 60 minutes"),
        ("Names of branches have 40 characters", "Names of branches have 60 characters"),
    ],
)
def test_a_newer_statement_says_otherwise(newer: str, older: str) -> None:
    """The same thing has another value, or what one says the other denies."""
    assert says_otherwise(newer, older)
    # One of many statements is found by what it is kept under, whichever of the two came first.
    (kept, asks), (others, asked) = Claim(newer).clues({}), Claim(older).clues({})
    assert asks & others and asked & kept


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        ("Never, ever run terraform destroy!", "Never run terraform destroy."),
        ("Never run chmod 777", "It's fine to run chmod 777 on /tmp/x"),
        ("You should never, under any circumstances, use yarn.", "Never use yarn."),
        ("Never, ever run `prisma migrate reset`.", "You must never run `prisma migrate reset`."),
        ("You mustn't use yarn", "Never use yarn."),
        ("Yarn nicht verwenden", "Nie yarn verwenden"),
        ("Nobody may push to main", "Never push to main"),
        ("It is forbidden to use yarn", "Never use yarn."),
        ("Ändere nie charts/.", "Keep your hands off charts/."),
        ("Prefer make test over go test.", "Run tests via make test, not go test."),
        ("Use make test instead of go test.", "Prefer make test over go test."),
        ("Kim owns billing", "Kim owns checkout"),
        ("Never use tabs in Python", "Use tabs in Makefiles"),
        ("Never commit secrets", "Commit often"),
        ("We use bun now, not pnpm.", "pnpm workspaces are hoisted"),
        ("Billing listens on port 8080", "Checkout listens on port 8081"),
        ("The branch rule in billing is BIL-1", "The branch rule in checkout is CHK-1"),
        ("Use pytest", "Use ruff, not flake8"),
        ("Staging database runs on db-stg-3.", "Staging database runs on db-stg-3"),
        ("Never push to main", "Push feature branches to origin"),
        ("The API uses Redis", "The API uses Postgres"),
        ("Deploys need the VPN", "Deploys need a review"),
        ("Run mypy with --show-error-codes.", "Always run mypy with --strict."),
        ("Run cargo build with --verbose", "Run cargo build with --locked"),
        ("Run pytest with -x", "Run pytest with --tb=short"),
        ("Run ruff check --fix", "Run ruff check --select=I"),
        ("Run ruff check src/", "Run ruff check tests/"),
        ("Always run make lint-js", "Always run make lint-py"),
        ("The service calls api-gateway", "The service calls auth-service"),
        ("Frontend tests use @testing-library/react", "Frontend tests use @playwright/test"),
        ("We support Python 3.12", "We support Python 3.11"),
        ("Kim maintains src/auth.py", "Kim maintains src/billing.py"),
        ("The worker needs REDIS_URL", "The worker needs DATABASE_URL"),
        ("Known bug: ABC-12", "Known bug: ABC-15"),
        ("The linter ignores E501", "The linter ignores W503"),
        ("The client retries 503", "The client retries 429"),
        ("The container exposes port 9000", "The container exposes port 8080"),
        ("The backup runs at 02:00", "The backup runs at 14:00"),
        ("Use port 9000 for admin", "Use port 8443 for the API"),
        ("Use pnpm in web/", "Use npm in docs/"),
        ("Kim knows npm", "Kim knows pnpm"),
        ("Never deploy to staging without the VPN", "Always deploy to staging with the VPN"),
        ("Never push to main without asking", "Never push to main without a review"),
        ("Build without the cache in CI", "Build with the cache"),
        ("The api folder uses pnpm, not npm", "The web folder uses npm"),
        ("Tests of ledger need podman instead of docker", "Tests of checkout need docker"),
        ("Deploys of cart go through Flux instead of Argo", "Deploys of shop go through Argo"),
        ("Test number 8 is flaky", "Test number 7 is flaky"),
        ("Flaky test 8 needs docker", "Flaky test 7 needs docker"),
    ],
)
def test_statements_that_hold_together(newer: str, older: str) -> None:
    """Another thing, another place or another aspect contradicts nothing."""
    assert not says_otherwise(newer, older)


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        ("I want to create a dashboard for all of the tills in town", "Do NOT create or delete files outside of src."),
        ("stop using python to edit files", "README.md is generated, do not edit it"),
        ("stop using python to edit files", "Use python3 instead of python"),
        ("Always run `cargo fmt` before `git commit`", "Don't git commit without running the tests"),
        ("Never use pip directly; use uv pip", "Always use uv, never pip"),
        ("Deploys need the VPN, rule 5.", "Deploys need the VPN, rule 4."),
    ],
)
def test_a_word_that_both_use_and_a_count_are_no_contradiction(newer, older):
    """One denied word in a long statement, and the numbers of a list, leave both as they are."""
    assert not says_otherwise(newer, older)
