"""What a statement says of itself: at which calls it is to be told, and whether it forbids them."""

from __future__ import annotations

import pytest

from holdfast.language.derived import derive

# The condition, and how it is said: f forbids or sets a condition, g guides; l literally, m by a verb.
SAID = {
    "Never run `npm install`; use `pnpm add`.": ("npm install", "fl"),
    "use pnpm not npm": ("npm", "fl"),
    "Use pnpm, not npm or yarn.": ("npm, yarn", "fl"),
    "We use bun instead of node": ("node", "fl"),
    "run with bun not node": ("node", "fl"),
    "`bun` is always used instead of `node`": ("node", "fl"),
    "Statt npm nutze pnpm.": ("npm", "fl"),
    "Prefer rg over grep.": ("grep", "gl"),
    "Use `uv run pytest`, not `pytest`.": ("pytest, !uv run pytest", "fl"),
    "use python3 not python": ("python, !python3", "fl"),
    'Run `npm ci`, not `npm install`: that fails with "lock file".': ("npm install, !npm ci", "fl"),
    "never `git push --force`": ("git push --force|-f|+*", "fl"),
    "Never git push without asking me first": ("git push", "fl"),
    "Nie `git push` ohne mich zu fragen.": ("git push", "fl"),
    "No `rm -rf` without asking.": ("rm -rf", "fl"),
    "Never run `pytest` without `-q`.": ("pytest, !pytest -q", "fl"),
    "Never use sudo.": ("sudo", "fl"),
    "Never push to main without asking me first.": ("git push, branch: main", "fl"),
    "Never push directly to `main`.": ("git push, branch: main", "fl"),
    "Never commit to the default branch.": ("git commit, branch: main, branch: master", "fl"),
    "Never force-push.": ("git push --force|-f|+*", "fl"),
    "DON'T COMMIT": ("git commit", "fl"),
    "Always run `make lint` before committing.": ("git commit", "fm"),
    "Before you push, run the tests.": ("git push", "fm"),
    "Before `git push` run `make check`": ("git push", "fl"),
    "Do not touch `src/generated/`.": ("src/generated/", "fl"),
    "Never edit package-lock.json by hand": ("package-lock.json", "fl"),
    "Don't edit files in db/migrations/ that are already applied.": ("db/migrations/", "fl"),
    "After changing `schema.prisma` run `npx prisma generate`.": ("schema.prisma", "gl"),
    "If you edit anything in proto/, run `make proto`.": ("proto/", "gl"),
    "`make deploy` needs the VPN.": ("make deploy", "gl"),
    "src/legacy/** is frozen.": ("src/legacy/**", "gl"),
    'When `npm test` fails with "ECONNREFUSED", run `docker compose up -d`.': ("npm test, failure: econnrefused", "gl"),
    "Never use git add -A": ("git add -A|--all", "fl"),
    "Never use git add -A or git add .": ("git add -A|--all, git add .", "fl"),
    "Never run git gc": ("git gc", "fl"),
    "Never use docker system prune": ("docker system prune", "fl"),
    "Never use git.": ("git", "fl"),
    "Never use npm in this repo": ("npm", "fl"),
    "never use sed -i on the yaml files": ("sed -i", "fm"),
    "Never run python scripts/seed.py": ("python scripts/seed.py", "fl"),
    "Avoid `git stash`": ("git stash, !git stash list|show|pop|apply", "fl"),
    "Don't commit .env": ("git add .env, git commit .env", "fl"),
    "no force pushes": ("git push --force|-f|+*", "fl"),
    "Kein force push": ("git push --force|-f|+*", "fl"),
    "Never push without asking me": ("git push", "fl"),
    "Ask before you push": ("git push", "fl"),
    "Niemals ohne Rückfrage pushen": ("git push", "fl"),
    "never commit to main": ("git commit, branch: main", "fl"),
    "Nie auf main committen": ("git commit, branch: main", "fl"),
    "Before you edit schema.sql run the backup": ("schema.sql", "fl"),
    "Never edit files under src/legacy": ("src/legacy", "fl"),
    "Bearbeite nie Dateien in vendor/": ("vendor/", "fl"),
    "Fass die Datei config/prod.yml nicht an": ("config/prod.yml", "fl"),
    "Never run make deploy": ("make deploy", "fl"),
    "Never use helm": ("helm", "fl"),
    "use `git switch`, not `git checkout`": (
        "git checkout, !git switch, !git checkout *.*, !git checkout --|--ours|--theirs|-p|--patch",
        "fl",
    ),
    "We use `uv` here — no pip, no poetry.": ("pip, poetry", "fl"),
    "We use pnpm here. Not npm, not yarn.": ("npm, yarn", "fl"),
    "Don't touch the migrations folder": ("migrations/", "fl"),
    "Change nothing in src/legacy. Ändere nichts in src/legacy.": ("src/legacy", "fl"),
    "When you change a `.proto` file, run `buf generate`.": ("*.proto", "gl"),
    "Whenever you touch Cargo.toml run cargo check": ("Cargo.toml", "gl"),
    "never use --no-verify when committing": ("git commit --no-verify|-n, git push --no-verify", "fl"),
    "Don't skip the hooks (`--no-verify`)": ("git commit --no-verify|-n, git push --no-verify", "fl"),
    "Never run `git commit` with `--amend`.": ("git commit --amend", "fl"),
    "Before every commit run `make lint`": ("git commit", "fm"),
    "Vor jedem Commit `make lint` laufen lassen": ("git commit", "fm"),
    "Ask before you run anything with sudo": ("sudo", "fl"),
    "`docker compose up` must be started with `--build`": ("docker compose up, !docker compose up --build", "gl"),
    "Always run pytest through `uv run`": ("pytest, !uv run pytest", "gl"),
    "Don't run `go test ./...` locally, only in CI": ("go test ./...", "fl"),
    "npm publish only happens in CI": ("npm publish", "gl"),
    "never terraform apply on your own": ("terraform apply", "fl"),
    "never kubectl delete in the prod context": ("kubectl delete", "fm"),
    "Don't start the dev server": (
        "npm run dev, npm start, pnpm dev, pnpm run dev, pnpm start, yarn dev, yarn start, bun dev, bun run dev, "
        "next dev, ng serve",
        "fl",
    ),
    "never add npm packages without asking": (
        "npm install|i|add **, pnpm add, yarn add, bun add, uv add, poetry add, cargo add, go get, pip install, "
        "!pip install -r|-e",
        "fl",
    ),
    "commit messages must start with a ticket id": ("git commit, !git commit --no-edit", "gl"),
    "Use conventional commits": ("git commit, !git commit --no-edit", "gl"),
    "PR titles are in English": ("gh pr create", "gl"),
    "README.md: keep it under 100 lines": ("README.md", "gl"),
    "src/generated/ is auto-generated, do not edit": ("src/generated/", "fl"),
    "CHANGELOG.md is written by a bot, don't touch it": ("CHANGELOG.md", "fl"),
    "`npm run dev` is always running, don't start it": ("npm run dev", "fl"),
    "docker compose down -v wipes the data. Never do it!": ("docker compose down -v|--volumes", "fl"),
    "`a.json` and `b.json` are made by a script; don't edit them": ("a.json, b.json", "fl"),
    ".env.local is secret, never commit it": ("git add .env.local, git commit .env.local", "fl"),
    'When tests fail with "ECONNREFUSED 5432", start postgres': ("failure: econnrefused 5432", "gl"),
    'If "EADDRINUSE" comes up, kill the old server': ("failure: eaddrinuse", "gl"),
    "If you get the error `ENOSPC: no space`, clear the cache": ("failure: ENOSPC: no space", "gl"),
    "never ssh into the servers": ("ssh", "fl"),
    "Deploys go out at noon. Never run `make deploy` on a Friday.": ("make deploy", "fl"),
}
SILENT = [
    "Let's use python instead of bash",
    "use Go instead of python for services",
    "Tests run with `make it`.",
    "We use docker compose for local development.",
    "Do NOT create, edit, or delete any files outside src/.",
    "NEVER import axios directly outside api/client.ts",
    "Don't forget to run `make lint`.",
    "You don't need to run `npm install`.",
    "avoid `any`",
    "Never use `this.state = x`.",
    "Use zod instead of yup",
    "Use tabs, not spaces.",
    "stop using python to edit files",
    "Never make it harder than it is",
    "Kein Problem, wir pushen morgen",
    "don't use docker to run the tests",
    "Deploys need the VPN. Ask Kim for access.",
    "The API is served by node behind nginx.",
    "don't push back on my design",
    "NEVER stop before pushing, that leaves work stranded",
    "Do not merge cells in the sheet",
    "when working with json outputs, never use grep, but rather jq",
    "For json use jq instead of grep",
    "use jq instead of grep for json",
    "if you run a curl command after starting the server, the server stops",
    "Never curl the live system from a script",
    "Never ssh to the box of another team",
    "New pages:\n- `faq.html`: answers to what is asked\n- `index.html`: more figures",
    "Stay in the same folder, don't change the current directory",
    "`a.json` and `b.json` differ, don't edit it",
    "Look at src/app.py. Don't run it.",
    "We never start it twice. `npm run dev` is the command.",
    'When you say "all done", mean it',
    "Why do we never use `npm install` here?",
    "There is no git on that machine.",
    "It should not be hard to explain npm to people.",
    "I never said that pnpm is bad.",
    "Stop the docker containers before lunch.",
    "See https://example.com/docs/never/run/npm.html",
    "~~Never run `npm install`.~~ (2026-11-02)",
    "```\nNever run `npm install`\n```",
    "Never run `npm install`. " * 40,
]


@pytest.mark.parametrize("text", SAID)
def test_what_a_statement_says_is_derived(text: str) -> None:
    """A rule that names its command or file has that as its condition, with the words that say it."""
    found = derive(text)
    assert found is not None
    how = ("f" if found.forbids else "g") + ("l" if found.literal else "m")
    assert (str(found.condition), how) == SAID[text]
    assert found.words and len(found.words) <= len(text)


@pytest.mark.parametrize("text", SILENT)
def test_in_doubt_nothing_is_derived(text: str) -> None:
    """What names no call, turns it around, is about code or only tells something has no condition."""
    assert derive(text) is None
