"""Which project's rules hold where a call goes into another one: those of the project that it works in."""

from __future__ import annotations

import json

import pytest

from holdfast.language.conditions import Call
from holdfast.memory.remember import remember
from holdfast.rules.lookup import asked
from holdfast.workspace import Workspace
from support.places import make_repository


@pytest.fixture
def other(home, tmp_path):
    """Another repository, in which yarn is wanted, nobody pushes and what is generated stays."""
    folder = make_repository(tmp_path / "elsewhere", "other")
    (folder / "generated").mkdir()
    with Workspace(str(home), folder=str(folder)) as opened:
        remember(opened, "Never `git push`.")
        remember(opened, "Use yarn, not npm.")
        remember(opened, "Never edit `generated/`.")
    return folder


def test_the_rules_of_the_project_that_a_call_works_in_hold(store, call, other) -> None:
    """Those of the other project hold in it, and those of the session's do not; one for everywhere does."""
    store("Use pnpm, not yarn.")
    store("Never run `terraform destroy`.", scope="global")
    assert call(f"cd {other} && npm test").held
    assert call(f"git -C {other} push").held and not call(f"git -C {other} push").held
    assert call(f"npm --prefix {other} test", session="s2").held
    assert not call(f"cd {other} && yarn test") and call("yarn test").held
    assert call(f"cd {other} && terraform destroy").held
    assert not call("git push") and not call("npm test")


def test_a_file_of_another_project_is_its_own(store, call, other) -> None:
    """An edit there is asked of its rules about files; a name that only looks like one is not."""
    edit = {"old_string": "a", "new_string": "b"}
    assert call(tool="Edit", told={"file_path": f"{other}/generated/api.ts", **edit}).held
    assert not call(tool="Edit", told={"file_path": f"{other}/src/api.ts", **edit})
    assert not call(tool="Edit", told={"file_path": "generated/api.ts", **edit})


def test_what_is_asked_by_hand_is_what_a_hook_does(store, workspace, shop, other) -> None:
    """`holdfast when` names the rules of both projects by the same walk."""
    store("Use pnpm, not yarn.")

    def keys(line: str) -> list[str]:
        return [one.rule.memory.body for one in asked(workspace, Call("Bash", json.dumps({"command": line})))]

    assert keys(f"cd {other} && npm test") == ["Use yarn, not npm."]
    assert keys(f"cd {other} && yarn test") == []
    assert keys("yarn test") == ["Use pnpm, not yarn."]


def test_a_folder_of_no_project_is_the_sessions(store, call, tmp_path) -> None:
    """What is tried out in a folder of nobody's keeps to the rules of the session."""
    (tmp_path / "scratch").mkdir()
    store("Use pnpm, not yarn.")
    assert call(f"cd {tmp_path}/scratch && yarn init").held
