"""A rule in a form that nobody foresaw is said at what it names, and never holds it."""

from __future__ import annotations

import pytest

from holdfast.language.derived import derive

SAID = {
    "Training costs money: please no `sbatch` jobs while others train.": "sbatch",
    "systemctl restart on this host drops calls, so ask before you do it": "systemctl restart",
    "Please leave the firewall alone (ufw, iptables, nft).": "ufw, iptables, nft",
    "NEVER run psql against shop-live. Use the replica.": "psql shop-live",
    "Nobody reads .env.production, not even to debug.": ".env.production, tool: read, tool: edit",
    "Whenever dvc.yaml changes, run dvc repro --dry first.": "dvc.yaml",
    "fastlane release is my job": "fastlane release",
    "src/generated is written by `yarn codegen`; hand edits get lost.": "src/generated",
    ".meta files belong to Unity; don't create, rename or delete them": "*.meta",
    "Jest snapshots are sacred: don't pass -u to jest.": "jest -u",
    "For iOS go through `make ios`, never call xcodebuild yourself.": "xcodebuild",
    "Never rm files in data/": "rm data/",
    "Nobody runs prettier on legacy/ please.": "prettier legacy/",
    "Anything that touches `billing/` must be reviewed by Dana first.": "billing/",
    "bq query goes through the data team.": "bq query",
    "gcloud sql instances delete: NO.": "gcloud sql instances delete",
    "Releases: only Marta runs `twine upload`.": "twine upload",
    "The file secrets.enc.yaml is edited with sops only.": "secrets.enc.yaml",
    # What is somebody else's to do or to decide.
    "`flutter upgrade` is something the team decides.": "flutter upgrade",
    "Renovate owns `package.json`.": "package.json",
    "Leave `make publish` to the humans.": "make publish",
    "`terraform apply` is the platform team's business.": "terraform apply",
    "`poetry.lock` belongs to Dependabot.": "poetry.lock",
    "`infra/` is maintained by the platform team.": "infra/",
    "The data team is responsible for `etl/`.": "etl/",
    "Deploys (`make deploy`) are Marta's call.": "make deploy",
    "`gh release create` is reserved for maintainers.": "gh release create",
    "`helm upgrade` is up to the SREs.": "helm upgrade",
    "Only the release bot runs `npm publish`.": "npm publish",
    # Languages of which no form is known: the one thing that a short rule names.
    "Non fare mai git push senza chiedermelo.": "git push",
    "Никогда не запускай `make deploy` без моего разрешения.": "make deploy",
    "請保持 vendor/ 原樣, 必须": "vendor/",
    "Nie uruchamiaj `npm audit fix`, psuje zależności.": "npm audit fix",
    "Der Ordner vertrag/ ist Sache der Rechtsabteilung, dort änderst du nichts ohne Rückfrage.": "vertrag/",
}
SILENT = [
    "Our staging cluster is called bluefin, kubectl knows it.",
    "Put new screens in src/screens and write a test first.",
    "The report in docs/report.md was not written by us.",
    "Tests must pass with `make strict-test`.",
    "Don't forget `make lint`.",
    "Не забудь запустить `make test`.",
    "Non dimenticare `make fmt`.",
    "`Request.Resource` must be a URL.",
    "The parser never reads settings.toml twice.",
    "Never curl the live system.",
    "`package.json` is up to date.",
    "`src/lexer.py` belongs to the parser.",
    "`src/auth.py` handles logins.",
    "The cache module owns `src/cache.py`.",
    "`make bench` is a job of ten minutes.",
    "Old advice, ignore: never run `cargo clean`.",
    "Outdated rule: don't use `tox`.",
]


@pytest.mark.parametrize("text", SAID)
def test_a_rule_in_any_form_is_said_at_what_it_names(text: str) -> None:
    """What it denies, begins with or has as its moment is the condition; the call is not held for it."""
    told = derive(text)
    assert told is not None and str(told.condition) == SAID[text]
    assert not (told.forbids and told.literal)


@pytest.mark.parametrize(
    "reason", ["you don't need to understand it.", "it does anything I must not do.", "no need to ask, it is frozen."]
)
@pytest.mark.parametrize("sign", [": ", ", ", " - ", "; ", ", because "])
def test_a_reason_takes_no_ban_back(sign: str, reason: str) -> None:
    """Whatever the reason says is not needed, or not to be done, the ban before it holds."""
    told = derive(f"Never edit `legacy/`{sign}{reason}")
    assert told is not None and told.condition.paths == ("legacy/",) and told.forbids and told.literal


@pytest.mark.parametrize("text", SILENT)
def test_what_is_only_mentioned_is_no_condition(text: str) -> None:
    """What is to be used, a place, what only is so, and what is run all day bring nothing."""
    assert derive(text) is None
