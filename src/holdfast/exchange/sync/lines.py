"""Merging texts by lines: what one side changed is taken, and where both did, both stand. Never a marker.

`merged` is for a person's own text, `merged_list` for check boxes, `merged_rows` for files to which rows are added,
`merged_names` for settings.
`resolved` reads what a line merge of git left: the two versions that it could not make one of.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher

from holdfast.base.merge_markers import versions

_BOX = re.compile(r"(\s*[-*+] )\[([ xX])\](?= )")
_DAY = re.compile(r" \(\d{4}-\d\d-\d\d\)$")


def merged(base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]) -> list[str]:
    """Return the lines of three versions as one.

    What only one side changed is as that side has it. Where both changed the same lines, theirs stand first and what
    only ours say stands behind them.
    """
    found: list[str] = []
    at = 0
    for start, end, left, right in _agreements(base, ours, theirs):
        found += _chosen(base[at:start], ours[left[0] : left[1]], theirs[right[0] : right[1]])
        found += base[start:end]
        at = end
    return found


def _agreements(
    base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]
) -> list[tuple[int, int, tuple[int, int], tuple[int, int]]]:
    """Return the runs of lines that all three have, each with the span of either side that stands before it."""
    here = _places(base, ours)
    there = _places(base, theirs)
    found = []
    left = right = 0
    at = 0
    while at < len(base):
        if at not in here or at not in there:
            at += 1
            continue
        end = at
        while end in here and end in there and here[end] - here[at] == there[end] - there[at] == end - at:
            end += 1
        found.append((at, end, (left, here[at]), (right, there[at])))
        left, right, at = here[end - 1] + 1, there[end - 1] + 1, end
    return [*found, (len(base), len(base), (left, len(ours)), (right, len(theirs)))]


def _places(base: Sequence[str], side: Sequence[str]) -> dict[int, int]:
    """Return for each line of the base that a side kept where it stands there."""
    blocks = SequenceMatcher(None, base, side, autojunk=False).get_matching_blocks()
    return {block.a + step: block.b + step for block in blocks for step in range(block.size)}


def _chosen(base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]) -> list[str]:
    """Return what stands where at least one side differs from the base."""
    if list(ours) == list(base):
        return list(theirs)
    if list(theirs) == list(base) or list(ours) == list(theirs):
        return list(ours)
    # A line of the base that one side took out is out; whatever is new on either side stays.
    gone = {line for line in base if line.strip() and (line not in ours or line not in theirs)}
    kept = [line for line in theirs if line not in gone]
    return kept + [line for line in ours if line not in gone and line not in theirs]


def merged_list(base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]) -> list[str]:
    """Return the check boxes of three versions as one; a box is as the side has it that ticked or opened it."""
    # Each check box by how it reads when it is open.
    was, here, there = ({_opened(line): line for line in lines if _BOX.match(line)} for lines in (base, ours, theirs))
    together = merged(*([_opened(line) for line in lines] for lines in (base, ours, theirs)))

    def ticked(line: str) -> str:
        before = was.get(line, line) != line
        sides = [boxes[line] for boxes in (there, here) if line in boxes]
        changed = [side for side in sides if (side != line) != before]
        # As the side wrote it that ticked it, with its day.
        return next((side for side in changed or sides if side != line), line)

    return [ticked(line) if _BOX.match(line) else line for line in together]


def _opened(line: str) -> str:
    """Return a check box as it read before it was ticked, without the day that this put behind it."""
    match = _BOX.match(line)
    if match is None or match[2] == " ":
        return line
    said = line.rstrip()
    return _BOX.sub(r"\1[ ]", _DAY.sub("", said)) + line[len(said) :]


def merged_rows(_: Sequence[str], ours: Sequence[str], theirs: Sequence[str]) -> list[str]:
    """Return every row of either side once: theirs as they stand, and then what only ours have."""
    known = set(theirs)
    return [*theirs, *(row for row in ours if row not in known)]


def merged_names(base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]) -> list[str]:
    """Return lines of the form `name = value` by name: of the side that changed it, and theirs where both did."""
    was, here, there = ({line.partition(" = ")[0]: line for line in side} for side in (base, ours, theirs))
    found = []
    for name in sorted({*here, *there}):
        line = (
            there.get(name) if here.get(name) == was.get(name) or there.get(name) != was.get(name) else here.get(name)
        )
        found += [line] if line is not None else []
    return found


def names_that_gave_way(base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]) -> list[str]:
    """Return the names of such lines that both sides changed, each to something else."""
    was, here, there = ({line.partition(" = ")[0]: line for line in side} for side in (base, ours, theirs))
    names = sorted({*was, *here, *there})
    return [name.strip('"') for name in names if len({side.get(name) for side in (was, here, there)}) == 3]


def resolved(text: str, merge: Callable[[str, str, str], str]) -> str:
    """Return a text without the markers of git: its two versions made one, with an empty base where git gave none."""
    found = versions(text)
    return text if found is None else merge(*found)
