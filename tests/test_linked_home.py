"""Links in a home: none is written through, and the home itself may be one."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize("name", ["memory", "journal", "state", "updates"])
@pytest.mark.parametrize("words", [["remember", "Apples are red."], ["list"], ["heal", "--yes"], ["sweep"]])
def test_a_linked_folder_of_the_home_is_refused(cli, home, shop, tmp_path, tree, name, words) -> None:
    """Every command refuses in the same words, names the way out, and changes nothing on either side of the link."""
    outside = tmp_path / "outside"
    outside.mkdir()
    home.mkdir(mode=0o700)
    (home / name).symlink_to(outside)
    before = tree(home), tree(outside)
    ended = cli(*words)
    assert ended.code == 6
    assert f"{home / name} is a symbolic link" in ended.err and "the home itself a link" in ended.err
    assert (tree(home), tree(outside)) == before


def test_a_home_that_is_a_link_works(cli, home, shop, tmp_path) -> None:
    """A person may keep the whole home elsewhere."""
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    home.symlink_to(tmp_path / "elsewhere")
    assert cli("remember", "Apples are red.").code == 0
    assert "Apples are red" in cli("recall", "apples").out
    assert list((tmp_path / "elsewhere").rglob("memories/*.md"))
