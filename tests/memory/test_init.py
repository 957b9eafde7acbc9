"""Laying the memory tree."""

from __future__ import annotations

import pytest

from holdfast.errors import BadInput, Refused
from holdfast.memory import init
from holdfast.memory.remember import remember


def lay(workspace, folder=None) -> int:
    """Plan and lay, as the command does; return how many steps there were."""
    with workspace() as h:
        steps = init.plan(h, folder)
        init.apply(h, steps, folder)
    return len(steps)


def test_the_tree_of_the_home(workspace, home) -> None:
    """Init makes the folders of every scope, the map and the doctrine, private to the person."""
    assert lay(workspace) > 0
    for path in (
        "global/memories",
        "global/data",
        "projects",
        "agents",
        "sessions",
        "system/definition.md",
        "index.md",
    ):
        assert (home / "memory" / path).exists()
    assert "Nothing yet." in (home / "memory" / "index.md").read_text()
    assert "Nothing yet." in (home / "memory" / "global" / "index.md").read_text()
    assert all(path.stat().st_mode & 0o077 == 0 for path in (home, *home.rglob("*")))


def test_the_second_time_changes_not_a_byte(workspace, home, tree) -> None:
    """A tree that is whole is left as it is, index and all."""
    lay(workspace)
    with workspace() as h:
        remember(h, "Apples are red.", scope="global")
    lay(workspace)
    before = tree(home)
    assert lay(workspace) == 0
    assert tree(home) == before


def test_what_a_killed_one_did_not_write_comes_the_second_time(workspace, home) -> None:
    """One that ended behind its last step, before the page of what holds everywhere, is finished by the next one."""
    lay(workspace)
    page = home / "memory/global/index.md"
    page.unlink()
    lay(workspace)
    assert page.is_file()


def test_what_was_edited_stays(workspace, home) -> None:
    """Whatever the person made of the map and the doctrine, init does not touch their words."""
    lay(workspace)
    index, definition = home / "memory" / "index.md", home / "memory" / "system" / "definition.md"
    index.write_bytes(b"# My map\r\n\r\nhands off\r\n")
    definition.write_text("Only facts, please.\n")
    (home / "memory" / "agents").rmdir()
    lay(workspace)
    assert definition.read_text() == "Only facts, please.\n"
    assert index.read_bytes().startswith(b"# My map\r\n\r\nhands off\r\n")


def test_a_workspace_gets_a_tree_of_its_own(workspace, home, tmp_path, tree) -> None:
    """Below a given folder the tree is laid for an agent without a memory; its index lists the files there."""
    assert lay(workspace, str(tmp_path)) == 5
    assert not home.exists()
    (tmp_path / "memory" / "memories" / "tone.md").write_text("Answer in English.\n")
    (tmp_path / "memory" / "data" / "prices.csv").write_text("a,b\n")
    lay(workspace, str(tmp_path))
    index = (tmp_path / "memory" / "index.md").read_text()
    assert "[tone](memories/tone.md): Answer in English" in index and "(data/prices.csv)" in index
    before = tree(tmp_path)
    assert lay(workspace, str(tmp_path)) == 0 and tree(tmp_path) == before


def test_a_workspace_that_cannot_be(workspace, tmp_path) -> None:
    """A file in the way, and a memory folder that is a link, are refused."""
    (tmp_path / "file").touch()
    with workspace() as h:
        with pytest.raises(BadInput, match="is a file"):
            init.plan(h, str(tmp_path / "file"))
        (tmp_path / "memory").symlink_to(tmp_path)
        with pytest.raises(Refused, match="symbolic link"):
            init.plan(h, str(tmp_path))


@pytest.mark.parametrize("name", ["system", "memories", "data", "index.md", "system/definition.md"])
def test_a_link_that_a_clone_brought_is_not_written_through(workspace, tmp_path, tree, name) -> None:
    """Where a folder or page of the tree is a link out of the workspace, nothing is laid, here or behind the link."""
    place, outside = tmp_path / "clone", tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").write_text("mine\n")
    link = place / "memory" / name
    link.parent.mkdir(parents=True)
    link.symlink_to(outside if "." not in name else outside / "new.md")
    before = tree(tmp_path)
    with workspace() as h, pytest.raises(Refused, match="symbolic link"):
        init.plan(h, str(place))
    assert tree(tmp_path) == before


def test_an_index_that_a_person_made_their_own_stays(workspace, tmp_path) -> None:
    """An index without our markers gets none, and it is said why it lists nothing."""
    lay(workspace, str(tmp_path))
    index = tmp_path / "memory" / "index.md"
    index.write_text("# My own list\n")
    (tmp_path / "memory" / "memories" / "tone.md").write_text("Answer in English.\n")
    assert lay(workspace, str(tmp_path)) == 0
    assert index.read_text() == "# My own list\n"
    assert any("is your own" in said for said in workspace.said)


def test_a_workspace_that_is_not_there_yet_is_made(workspace, tmp_path) -> None:
    """`init FOLDER` makes the folder, as the example of its help says."""
    place = str(tmp_path / "new" / "workspace")
    with workspace() as h:
        init.apply(h, init.plan(h, place), place)
    assert (tmp_path / "new" / "workspace" / "memory" / "index.md").exists()
