"""Preparing the home, and what to do next."""

from __future__ import annotations

from holdfast.actions.remember import remember
from holdfast.actions.up import up


def test_up_prepares_and_says_what_to_do(house, home) -> None:
    """The first `up` prepares the home; a later one finds it ready; both say what to do next."""
    with house() as h:
        first = up(h)
    assert first["prepared"] and first["exists"] and any("holdfast demo" in line for line in first["next"])
    with house() as h:
        remember(h, "Apples are red.")
        later = up(h)
    assert later["prepared"] == 0 and later["memories"] == 1
    assert not any("demo" in line for line in later["next"])


def test_up_outside_a_project(house) -> None:
    """Where there is no project, the next steps store globally and say how to have one."""
    with house(folder="/") as h:
        steps = " ".join(up(h)["next"])
    assert "--scope global" in steps and "cd there" in steps
