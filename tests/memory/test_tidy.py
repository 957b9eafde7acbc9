"""Tidying a crowded scope."""

from __future__ import annotations

import pytest

from holdfast.memory import tidy
from holdfast.memory.lint import lint
from holdfast.memory.show import show
from holdfast.recall.recall import recall


@pytest.fixture
def crowd(workspace, write):
    """Twenty-four notes that name each other by key and by file, and a table beside them."""
    write("global/data/prices.csv", "a,b\n")
    for number in range(12):
        text = f"Deploy step {number}. See [[style-{number}]], [s](style-{number}.md) and [t](../data/prices.csv)."
        write(f"global/memories/deploy-{number}.md", text + " Code: f[i](x).\n")
        write(f"global/memories/style-{number}.md", f"Style rule {number}. See [d](deploy-{number}.md#top).\n")
    return workspace


def test_the_plan_changes_nothing(crowd, home, tree) -> None:
    """The plan names each file and its folder, and nothing moves."""
    with crowd() as h:
        pass
    before = tree(home / "memory" / "global" / "memories")
    with crowd() as h:
        moves, steps = tidy.plan(h)
    assert set(moves) == {"global/memories/deploy", "global/memories/style"}
    assert len(steps) == 24 and steps[0].reason.startswith("to global/memories/")
    assert tree(home / "memory" / "global" / "memories") == before


def test_groups_get_a_folder_each(crowd, home) -> None:
    """Groups move into sub-folders with an index of their own that the parent links; all is found as before."""
    with crowd() as h:
        moves, _ = tidy.plan(h)
        assert tidy.apply(h, moves) == 24
    memories = home / "memory" / "global" / "memories"
    assert (memories / "deploy" / "deploy-3.md").is_file() and not list(memories.glob("*-*.md"))
    assert "- [deploy](memories/deploy/index.md) (12)" in (home / "memory" / "global" / "index.md").read_text()
    assert "[deploy-3](deploy-3.md)" in (memories / "deploy" / "index.md").read_text()
    with crowd() as h:
        assert show(h, "deploy-3").path == "global/memories/deploy/deploy-3.md"
        assert recall(h, "deploy step", limit=50)[0].memory.key.startswith("deploy-")
        assert [problem for problem in lint(h) if problem.kind in ("dead-link", "orphan", "contradiction")] == []
    assert len((home / "updates").glob("*.md").__next__().read_text().splitlines()) == 24


def test_links_follow(crowd, home) -> None:
    """Relative links lead to the new places, `[[keys]]` and code that looks like a link stay as they are."""
    with crowd() as h:
        tidy.apply(h, tidy.plan(h)[0])
    text = (home / "memory" / "global" / "memories" / "deploy" / "deploy-3.md").read_text()
    assert text == (
        "Deploy step 3. See [[style-3]], [s](../style/style-3.md) and [t](../../data/prices.csv). Code: f[i](x).\n"
    )
    assert "(../deploy/deploy-3.md#top)" in (home / "memory/global/memories/style/style-3.md").read_text()


def test_a_tidy_scope_stays_as_it_is(crowd, write) -> None:
    """After tidying there is nothing to do, and a scope with few memories is left alone."""
    with crowd() as h:
        tidy.apply(h, tidy.plan(h)[0])
    with crowd() as h:
        assert tidy.plan(h) == ({}, [])
        assert tidy.plan(h, "project") == ({}, [])


def test_a_name_that_is_taken_stays_where_it_is(crowd, write) -> None:
    """A file whose name is in the sub-folder already is not moved over it."""
    write("global/memories/deploy/deploy-3.md", "Another one of that name.\n")
    with crowd() as h:
        moves, _ = tidy.plan(h)
        assert "deploy-3" not in [memory.key for memory in moves["global/memories/deploy"]]
        tidy.apply(h, moves)
