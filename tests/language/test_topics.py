"""Rules that name their thing first: what is said of it decides what is forbidden."""

import json

import pytest

from holdfast.language.conditions import Call, matched
from holdfast.language.derived import derive


def _hold(text: str) -> str:
    told = derive(text)
    return str(told.condition) if told and told.forbids and told.literal else ""


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("cargo install: never without --locked", "cargo install, !cargo install --locked|-?"),
        ("terraform destroy - never, on no account", "terraform destroy"),
        ("docker compose down -v : never, it erases the volumes", "docker compose down -v|--volumes"),
        ("`cargo clippy --fix` is off limits on main", "cargo clippy --fix, branch: main"),
        ("alembic downgrade: prohibido", "alembic downgrade"),
        ("mvn est interdit, on utilise gradle", "mvn"),
        ("`git stash drop` and `git stash clear` are never okay", "git stash drop, git stash clear"),
        (
            "airflow is fine, but `dbt run --full-refresh` is not something you should ever start",
            "dbt run --full-refresh",
        ),
        ("git rebase is okay on topic branches but not on main and not on v0.x", "branch: main, branch: v0.x"),
        ("`make release` only if I say so", "make release"),
        ("The file conf/app.yml you must not edit nor move", "conf/app.yml"),
        ("conf/app.yml is shared with the other teams, no edits without asking", "conf/app.yml"),
        ("do not bump rust-toolchain.toml", "rust-toolchain.toml"),
        ("do not upgrade ProjectSettings/ProjectVersion.txt", "ProjectSettings/ProjectVersion.txt"),
    ],
)
def test_a_ban_behind_its_thing_holds_like_one_before_it(text: str, condition: str) -> None:
    """The order of the words changes nothing."""
    assert _hold(text).endswith(condition) or _hold(text).startswith(condition)


@pytest.mark.parametrize(
    ("text", "file", "line"),
    [
        ("never edit scripts/deploy.sh", "scripts/deploy.sh", "bash scripts/deploy.sh"),
        ("don't touch ci/build.sh", "ci/build.sh", "./ci/build.sh"),
        ("install.sh is generated, do not edit it", "install.sh", "sh install.sh"),
        ("gradlew is generated, never edit gradlew", "gradlew", "./gradlew build"),
        ("scripts/release.sh is frozen, no changes to it", "scripts/release.sh", "./scripts/release.sh"),
        ("hack/update.sh must not be modified", "hack/update.sh", "bash hack/update.sh"),
    ],
)
def test_a_script_that_is_not_to_be_changed_may_be_run(text: str, file: str, line: str) -> None:
    """The verb of the ban decides whether a name is a file or a command."""
    told = derive(text)
    assert told is not None and told.forbids and told.literal
    assert matched(told.condition, Call("Edit", json.dumps({"file_path": file})))
    assert matched(told.condition, Call("Bash", f"sed -i s/a/b/ {file}"))
    assert not matched(told.condition, Call("Bash", line))


def test_a_script_that_is_not_to_be_run_may_be_changed() -> None:
    """What a pipeline alone runs is a command, and no file."""
    told = derive("The script at build/publish.ps1 must never be run locally, only by the pipeline.")
    assert told is not None and told.forbids
    assert matched(told.condition, Call("Bash", "pwsh build/publish.ps1"))
    assert not matched(told.condition, Call("Edit", json.dumps({"file_path": "build/publish.ps1"})))


def test_what_was_done_to_a_thing_bans_nothing() -> None:
    """A report has the words of a ban, and none of its sense."""
    for text in ("src/app.py was reviewed, no changes", "the docs say npm is forbidden, which is old"):
        told = derive(text)
        assert told is None or not told.forbids


def test_the_failure_that_a_rule_names_is_no_call_by_itself() -> None:
    """A code, or an error in quotes, is what the call must have failed with."""
    for text in (
        "If `dotnet restore` fails with NU1301, ask me to reconnect the VPN.",
        "`dotnet restore` fails with 'error NU1301' -> reconnect the VPN",
    ):
        told = derive(text)
        assert told is not None and told.condition.failures and "nu1301" in told.condition.failures[0]
        assert not matched(told.condition, Call("Bash", "dotnet restore"))
        assert matched(told.condition, Call("Bash", "dotnet restore", "x error NU1301: y"))
