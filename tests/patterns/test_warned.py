"""Warnings on failures, and the record of what we made."""

from __future__ import annotations

import os

from holdfast.patterns import placed, warned
from holdfast.patterns.warned import Warned

HERE = Warned("aa", "f1", "shop", "Use `npm test`.")
EVERYWHERE = Warned("bb", "f2", "", "Mind the gap.")


def test_a_warning_is_found_by_its_failure(tmp_path) -> None:
    """One of a project holds there alone, one without a project everywhere."""
    home = str(tmp_path)
    warned.put(home, "aa", "shop", [HERE])
    warned.put(home, "bb", "", [EVERYWHERE])
    assert warned.lookup(home, ("shop",), ("f1", "f2")) == {"f1": HERE.text, "f2": EVERYWHERE.text}
    assert warned.lookup(home, ("other",), ("f1", "f2")) == {"f2": EVERYWHERE.text}
    assert warned.lookup(home, ("shop",), ("f3",)) == {}


def test_the_last_warning_takes_the_file_with_it(tmp_path) -> None:
    """What is put away is gone, and where nothing is left there is no file."""
    home = str(tmp_path)
    warned.put(home, "aa", "shop", [HERE])
    warned.put(home, "bb", "", [EVERYWHERE])
    warned.put(home, "aa", "shop", ())
    assert warned.read(home) == [EVERYWHERE]
    warned.put(home, "bb", "", ())
    assert not os.path.exists(os.path.join(home, *warned.PLACE))


def test_a_broken_row_is_passed_over(tmp_path) -> None:
    """A line that nobody can read hides no other one."""
    home = str(tmp_path)
    warned.put(home, "aa", "shop", [HERE])
    path = os.path.join(home, *warned.PLACE)
    with open(path, "ab") as file:
        file.write(b'{"id": "x"}\nnonsense\n\xff\n')
    assert warned.read(home) == [HERE]


def test_what_we_made_is_remembered_while_it_is_there(tmp_path) -> None:
    """Files and folders are noted, and dropped when they are gone; a broken record says that nothing is ours."""
    home, made = str(tmp_path / "home"), tmp_path / "AGENTS.md"
    made.write_text("x", encoding="utf-8")
    placed.made(home, [str(made), str(tmp_path / "gone")], [str(tmp_path)])
    placed.gone(home)
    assert placed.read(home) == placed.Placed(frozenset({str(made)}), frozenset({str(tmp_path)}))
    with open(os.path.join(home, *placed.PLACE), "w", encoding="utf-8") as file:
        file.write("[1]")
    assert placed.read(home) == placed.Placed()
