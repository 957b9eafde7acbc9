"""Rules as people write them, each with the calls that it is told at and those that it leaves alone."""

from __future__ import annotations

import json

import pytest

from holdfast.language.conditions import Call, matched
from holdfast.language.derived import derive
from holdfast.language.suggesting import left_out


def _told(text: str, call: str) -> bool:
    told = derive(text)
    given = {"file_path": call[2:]} if call[:2] == "E:" else {"command": call}
    tool = "Edit" if call[:2] == "E:" else "Bash"
    return told is not None and bool(matched(told.condition, Call(tool, json.dumps(given), folder="/p", root="/p")))


@pytest.mark.parametrize(
    ("text", "at", "free"),
    [
        # What is wanted, or may be done, is never what a rule is told at.
        ("Don't use npm or yarn, pnpm only", "yarn add x", "pnpm install"),
        ("pnpm only, no npm or yarn in here.", "npm install", "pnpm install"),
        ("rm -rf node_modules is fine, but rm -rf of anything else needs my ok.", "rm -rf src", "rm -rf node_modules"),
        ("Never use jq; `gh` is installed. Use it for all of github.com.", "jq .", "gh pr view"),
        ("Before editing schema.prisma read docs/db.md", "E:schema.prisma", "E:docs/db.md"),
        ("Always open pull requests as drafts (`gh pr create --draft`).", "gh pr create", "gh pr create --draft"),
        ("Npm is forbidden here", "npm install", "pnpm install"),
        (".env.local is mine, don't read or change it.", "cat .env.local", "cat .env.example"),
        ("Ask me before you add a new dependency.", "pnpm i zod", "pnpm install"),
        # A name with a colon is one word.
        ("don't run npm run db:reset", "npm run db:reset", "npm run db"),
        ("Never call pnpm db:reset, it drops the shared database.", "pnpm db:reset", "pnpm db"),
        # "No" in the middle, with a reason behind it.
        ("We squash, so no `git merge` locally, please.", "git merge x", "git rebase main"),
        ("Please no git rebase, I hate it.", "git rebase main", "git rebase --abort"),
        # What is the person's own.
        ("terraform destroy is mine.", "terraform destroy", "terraform plan"),
        ("leave terraform apply to me", "terraform apply", "terraform plan"),
        ("Don't open issues in my name.", "gh issue create", "gh issue list"),
        ("Don't comment on PRs.", "gh pr comment 3", "gh pr view 3"),
        # Only some calls of what a word stands for do it.
        ("don't create tags", "git tag v1", "git tag -l"),
        ("Don't run terraform apply -auto-approve", "terraform apply --auto-approve", "terraform apply"),
        (
            "terraform always with -var-file=envs/dev.tfvars",
            "terraform plan",
            "terraform plan -var-file=envs/dev.tfvars",
        ),
        ("Bitte nie `git stash` benutzen.", "git stash pop", "git stash list"),
        # A ban behind its thing, whatever stands between, and in other languages.
        (
            "docker compose down -v bitte nie, da hängen meine Daten dran.",
            "docker compose down -v",
            "docker compose down",
        ),
        ("Die .env fasst du nicht an.", "E:.env", "E:.env.example"),
        ("package-lock.json no se toca.", "E:package-lock.json", "E:package.json"),
        ("Le fichier next.config.js ne doit pas être modifié.", "E:next.config.js", "E:src/a.js"),
        ("nobody edits CODEOWNERS", "E:CODEOWNERS", "E:README.md"),
        ("Never use kill -9", "kill -9 12", "kill 12"),
        ("Do not run `tsc` directly without `-p` or `-b`.", "tsc a.ts", "tsc -b"),
        (
            "Do not run the following without asking:\n- terraform apply\n- kubectl delete",
            "kubectl delete x",
            "kubectl get",
        ),
        ("never use docker compose run app, use make shell", "docker compose run app", "docker compose run db"),
        ("gh pr merge only with --squash", "gh pr merge 3", "gh pr merge -s 3"),
        # A machine by its name, and a sub-command without its program.
        ("Never connect to prod.example.com", "ssh root@prod.example.com", "ssh root@dev.example.com"),
        ("no `reset --hard` over unknown work", "git reset --hard", "git reset a"),
        ("Nunca hagas push a remoto", "git push", "git pull"),
        # A list with brackets, abbreviations, or a program that nobody knows.
        ("Don't touch `a/x.cpp` (the default), `a/y.cpp`.", "E:a/y.cpp", "E:a/z.cpp"),
        ("Never edit lockfiles directly (e.g. `uv.lock`, `Cargo.lock`).", "E:Cargo.lock", "E:a.py"),
        ("Never spell out `darwin-rebuild` or `nixos-rebuild`.", "nixos-rebuild switch", "nix-rebuild"),
        ("NEVER push to remote repositories without explicit user approval.", "git push", "git pull"),
        # A name with a colon behind "before", and what is wanted first behind the command without a comma.
        ("please ask before pnpm run seed:all", "pnpm run seed:all", "pnpm run seed:one"),
        ("Before running rake db:migrate stop the workers", "rake db:migrate", "rake test"),
        ("before you run flyway migrate make a dump", "flyway migrate", "flyway info"),
        # With an option alone, or without it, and whatever the program is called.
        ("lerna only with --since please", "lerna run build", "lerna run build --since main"),
        ("docker build never without --pull", "docker build .", "docker build --pull ."),
        ("rsync nur ohne --delete", "rsync -a --delete a b", "rsync -a a b"),
        ("terraform apply nie mit -auto-approve", "terraform apply -auto-approve", "terraform apply"),
        # A ban of a word in a sentence of its own, and several behind a dash.
        ("make nuke deletes every volume. Never!", "make nuke", "make build"),
        ("Git is my business - no merges, no rebases", "git rebase x", "git log"),
        ("The license text is legal's, so leave LICENSE alone.", "E:LICENSE", "E:README.md"),
        ("Never change generated files: api/client/ comes from the generator", "E:api/client/a.ts", "E:api/a.ts"),
        ("don't edit infra/ except infra/docs", "E:infra/a.tf", "E:infra/docs/a.md"),
        ("find -exec is forbidden in this repo", "find . -exec rm {} +", "find . -name x"),
        ("We use task instead of make", "make build", "task build"),
        ("Ask before you reset the box (make box-reset, vagrant destroy)", "make box-reset", "vagrant up"),
        # A host for every user, a sub-command behind options, and what only looks for a host's name.
        ("ssh to db-2 is forbidden", "ssh root@db-2 uptime", "ssh root@db-1 uptime"),
        ("redis-cli FLUSHDB is forbidden", "redis-cli -n 2 flushdb", "redis-cli get a"),
        ("Never ping cache-1.internal from scripts", "ping cache-1.internal", "rg cache-1.internal src"),
        ("Never run `env`", "sudo env", "env A=b node x.js"),
        ("rm -rf only inside build/ and tmp/", "rm -rf /p/src", "rm -rf /p/tmp/clones/x"),
        # What has a verb of its own is no member of a list.
        ("Don't use wget, curl is enough", "wget x", "curl x"),
        ("ask before terraform apply, terraform plan you may run any time", "terraform apply", "terraform plan"),
        ("never push, commit is ok", "git push", "git commit -m x"),
        ("Never run prettier, eslint --fix formats everything", "prettier .", "eslint --fix ."),
        ("Never read .env, .env.example has everything", "cat .env", "cat .env.example"),
        ("Don't use mocha, jest or karma", "karma start", "vitest"),
        # Every member of a list, with the program that it leaves out, and options with their value.
        ("Never run make beta, make gamma or make delta.", "make delta", "make test"),
        ("never run terraform apply or destroy", "terraform destroy", "terraform plan"),
        ("never git add -A, git add . or git commit -a", "git commit -a -m x", "git add src"),
        (
            "Never run `serverless deploy` with --stage prod.",
            "serverless deploy --stage=prod",
            "serverless deploy --stage dev",
        ),
        (
            "don't run ansible-playbook with -i envs/prod",
            "ansible-playbook -i envs/prod x.yml",
            "ansible-playbook -i dev x.yml",
        ),
        ("never run docker compose with -f prod.yml", "docker compose -f prod.yml up", "docker compose -f dev.yml up"),
        ("Never run terraform with -target.", "terraform apply -target=a.b", "terraform apply"),
        ("Never run flask db downgrade", "flask --app shop db downgrade", "flask --app shop db upgrade"),
        ("yarn deploy:prod is only for me", "yarn run deploy:prod", "yarn run deploy:dev"),
    ],
)
def test_a_rule_is_told_where_it_is_meant_alone(text: str, at: str, free: str) -> None:
    """At the call that it is about, and not at the next one, least of all at the one that it asks for."""
    assert _told(text, at)
    assert not _told(text, free)


@pytest.mark.parametrize(
    ("text", "free"),
    [
        ("Tests only with `pnpm test:unit`; the e2e suite takes 40 minutes.", "pnpm test:unit"),
        # A folder in front is one of several.
        ("In packages/legacy use npm, not yarn.", "yarn add x"),
        ("In packages/web we use yarn, not npm", "npm install"),
        # What limits a list limits each of it, also where a member is not known.
        ("Don't use sed, awk or perl for edits", "sed -n 1p x"),
        ("Never use python or node for shell scripting", "python x.py"),
        ("`git push` is off limits", "git --no-pager stash push"),
        ("`make deploy` is off limits", "make -n deploy"),
        ("Tests: `uv run pytest -x -q`, never the whole suite with -n auto.", "uv run pytest -x -q"),
    ],
)
def test_how_it_is_to_be_done_is_not_told_there(text: str, free: str) -> None:
    """A command behind "only with" or a label is the one that is asked for."""
    assert not _told(text, free)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Never run `make deploy`. Don't use curl for downloads.", "curl"),
        ("Never git push without asking; never edit CHANGELOG.md for chores", "CHANGELOG.md"),
        ("Don't edit dist/, and never commit Elixir code", "git commit"),
        ("Never push, and never rebase.", ""),
        ("Use fd, not find, and rg, not grep.", ""),
        ("No new dependencies without asking me.", ""),
    ],
)
def test_what_a_rule_says_and_is_not_told_at_is_known(text: str, left: str) -> None:
    """A rule that is told at less than it says tells so; one that is told at all of it is silent."""
    assert ", ".join(left_out(text)) == left


@pytest.mark.parametrize(
    "call",
    [
        "dbt seed",
        "make release",
        "kill -9 123",
        "go mod tidy",
        "rake db:drop",
        "aws s3 rb s3://x",
        "reboot",
        "./x.sh -y",
    ],
)
def test_what_is_not_to_be_run_is_a_command(call: str) -> None:
    """Without backquotes, and whether anybody knows the program or not."""
    told = derive(f"Never run {call}.")
    assert told is not None and told.forbids and told.literal and matched(told.condition, Call("Bash", call))


@pytest.mark.parametrize(
    "text",
    [
        "Never run migrations on prod",
        "don't run python scripts as root",
        "Never run more than one server",
        "Never run full test suites locally",
        "never run docker containers as root",
        "Never run untrusted code",
    ],
)
def test_what_is_run_need_not_be_a_command(text: str) -> None:
    """Things that are run have names of other words."""
    assert derive(text) is None
