"""What the home holds."""

from __future__ import annotations

import pytest

from holdfast.app.status import status
from holdfast.memory.remember import remember


@pytest.fixture
def one(workspace):
    """A home with one memory."""
    with workspace() as h:
        remember(h, "Apples are red.", key="a")
    return workspace


def test_status(one, home) -> None:
    """Status tells the home, the project, and the memories and bytes of each scope."""
    with one() as h:
        remember(h, "Tea, please.", scope="global")
        found = status(h)
    assert (found["home"], found["exists"], found["enabled"], found["memories"]) == (str(home), True, True, 2)
    assert found["project"]["rule"] == "remote"
    assert {scope["scope"]: scope["memories"] for scope in found["scopes"]} == {"global": 1, "project": 1}
    assert found["bytes"] == sum(path.stat().st_size for path in home.rglob("memories/*.md"))


def test_status_where_there_is_no_project(workspace, home) -> None:
    """Outside a project, status says why there is none, and makes nothing."""
    with workspace(folder="/") as h:
        found = status(h)
    assert found["project"]["id"] == "" and "not a project" in found["project"]["reason"]
    assert not home.exists()
