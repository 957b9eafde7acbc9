"""The rules of a scope as they are written down for hooks."""

from __future__ import annotations

import pytest

from holdfast.memory.remember import remember
from holdfast.records import Filter
from holdfast.rules import table
from holdfast.rules.build import build
from holdfast.workspace import Workspace


@pytest.fixture
def workspace(home, shop):
    """A workspace of a project with two rules."""
    with Workspace(str(home)) as opened:
        remember(opened, "Never run `make deploy` without asking me.")
        remember(opened, "Never run `make purge` without asking me.")
        yield opened


def conditions(workspace) -> list[str]:
    """Return the conditions of the rules of the project."""
    scope = workspace.scope("project")
    build(workspace, scope)
    return sorted(row.condition for row in table.rows(workspace, scope))


def forge(workspace, old: str, new: str) -> None:
    """Change what is written down of the rules."""
    place = table.place_of(workspace.home, workspace.scope("project"))
    with open(place, encoding="utf-8") as file:
        text = file.read()
    assert old in text
    with open(place, "w", encoding="utf-8") as file:
        file.write(text.replace(old, new))


def test_a_rule_whose_file_is_as_it_was_is_not_read_anew(workspace) -> None:
    """What a store writes down of the other rules is what stood there before."""
    assert conditions(workspace) == ["make deploy", "make purge"]
    forge(workspace, "make purge", "make kept")
    remember(workspace, "Never run `make release` without asking me.")
    assert conditions(workspace) == ["make deploy", "make kept", "make release"]


def test_a_rule_that_was_edited_is_read_anew(workspace) -> None:
    """The row of a memory whose file was changed by hand says what the file says now."""
    assert conditions(workspace) == ["make deploy", "make purge"]
    (path,) = [one.path for one in workspace.store.find(Filter(None)) if "purge" in one.body]
    whole = f"{workspace.home}/memory/{path}"
    with open(whole, encoding="utf-8") as file:
        text = file.read()
    with open(whole, "w", encoding="utf-8") as file:
        file.write(text.replace("make purge", "make flush"))
    assert conditions(workspace) == ["make deploy", "make flush"]


def test_what_another_version_wrote_is_not_believed(workspace) -> None:
    """Rules that were derived by another version are derived again, although no file changed."""
    conditions(workspace)
    forge(workspace, "make purge", "make older")
    forge(workspace, "3-", "3-0.0.0.")
    assert conditions(workspace) == ["make deploy", "make purge"]
