"""A folder of patterns that somebody replaced by a link: nothing is written to where it leads."""

from __future__ import annotations

import os

import pytest

from holdfast.errors import Refused
from holdfast.learning.fixes import warnings
from holdfast.learning.fixes.warnings import Warned
from holdfast.patterns import targets


@pytest.mark.parametrize(
    "write",
    [
        lambda home: warnings.put(home, "p1", "", [Warned("p1", "f1", "", "Run make first.")]),
        lambda home: targets.note_made(home, ["/shop/AGENTS.md"]),
    ],
)
def test_nothing_is_written_through_a_linked_folder(home, tmp_path, write) -> None:
    """Neither a warning nor the record of what we made is written where `patterns` is a link."""
    outside = tmp_path / "outside"
    outside.mkdir()
    home.mkdir(exist_ok=True)
    os.symlink(outside, home / "patterns")
    with pytest.raises(Refused):
        write(str(home))
    assert os.listdir(outside) == []
