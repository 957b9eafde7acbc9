"""Showing one memory."""

from __future__ import annotations

import pytest

from holdfast.app import project
from holdfast.errors import BadKey, NotFound
from holdfast.memory.remember import remember
from holdfast.memory.show import data, show


def test_show_is_the_file_as_it_is_now(workspace, write) -> None:
    """Show gives every byte of the file, foreign fields and line endings too, even after an edit by hand."""
    text = b"---\r\nmood: good\r\n---\r\nPears are yellow.\r\n"
    path = write("global/memories/pears.md", text)
    with workspace() as h:
        assert data(h, show(h, "pears")) == text
        path.write_bytes(text + b"And sweet.\r\n")
        assert show(h, "pears").body == "Pears are yellow.\nAnd sweet."


def test_show_prefers_the_narrowest_scope(workspace) -> None:
    """A key in several scopes is shown from the narrowest, and it is said where else it is."""
    with workspace(session="s1") as h:
        for scope in ("global", "project", "session"):
            remember(h, f"In {scope}.", key="k", scope=scope)
        assert show(h, "k").body == "In session."
        (said,) = [text for text in workspace.said if "--scope" in text]
        assert said.startswith("k of session:") and "in project:" in said and "global too" in said
        assert show(h, "k", scope="global").body == "In global."


def test_an_alias_comes_before_global(workspace) -> None:
    """A memory under an old id of this project is nearer than a global one of the same key."""
    with workspace(project="old") as h:
        remember(h, "Of the project.", key="k")
        remember(h, "Of all.", key="k", scope="global")
    with workspace() as h:
        target, _ = project.plan_alias(h, "old")
        project.apply_alias(h, "old", target)
    with workspace() as h:
        assert show(h, "k").body == "Of the project."


@pytest.mark.parametrize(("key", "error"), [("gone", NotFound), ("No Key", BadKey), ("../x", BadKey)])
def test_what_is_not_there(workspace, key, error) -> None:
    """A key that is not there is not found, and one that cannot be is refused, with a way out."""
    with workspace() as h, pytest.raises(error) as caught:
        show(h, key)
    assert caught.value.hint
