"""Warnings on failures: found by their fingerprint, in their project or everywhere."""

from __future__ import annotations

import os

from holdfast.learning.fixes import warnings
from holdfast.learning.fixes.warnings import Warned

HERE = Warned("aa", "f1", "shop", "Use `npm test`.")
EVERYWHERE = Warned("bb", "f2", "", "Mind the gap.")


def test_a_warning_is_found_by_its_failure(tmp_path) -> None:
    """One of a project holds there alone, one without a project everywhere."""
    home = str(tmp_path)
    warnings.put(home, "aa", "shop", [HERE])
    warnings.put(home, "bb", "", [EVERYWHERE])
    assert warnings.lookup(home, ("shop",), ("f1", "f2")) == {"f1": HERE.text, "f2": EVERYWHERE.text}
    assert warnings.lookup(home, ("other",), ("f1", "f2")) == {"f2": EVERYWHERE.text}
    assert warnings.lookup(home, ("shop",), ("f3",)) == {}


def test_the_last_warning_takes_the_file_with_it(tmp_path) -> None:
    """What is put away is gone, and where nothing is left there is no file."""
    home = str(tmp_path)
    warnings.put(home, "aa", "shop", [HERE])
    warnings.put(home, "bb", "", [EVERYWHERE])
    warnings.put(home, "aa", "shop", ())
    assert warnings.read(home) == [EVERYWHERE]
    warnings.put(home, "bb", "", ())
    assert not os.path.exists(os.path.join(home, *warnings.PLACE))


def test_a_broken_row_is_passed_over(tmp_path) -> None:
    """A line that nobody can read hides no other one."""
    home = str(tmp_path)
    warnings.put(home, "aa", "shop", [HERE])
    path = os.path.join(home, *warnings.PLACE)
    with open(path, "ab") as file:
        file.write(b'{"id": "x"}\nnonsense\n\xff\n')
    assert warnings.read(home) == [HERE]
