"""In which order transcripts are taken in where there are many: what belongs together from its oldest on, newest first.

A session may begin with a copy of another one, and is then told apart from it if that one was taken before. Such
transcripts name the same ids in their first bytes, so they are taken together, the oldest first. Between those that
have nothing to do with each other the one that changed last comes first: that is what a person looks for.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from holdfast.sessions.cursors import Transcript

_HEAD = 1 << 16
# No name of a model or a tool is so long.
_ID = re.compile(rb'"([\w-]{30,64})"')
# An id that more transcripts name is none of a session.
_MAX_COPIES = 20


def newest_first(transcripts: Sequence[Transcript]) -> list[Transcript]:
    """Return transcripts, which come oldest first, with those that belong together side by side, the newest first."""
    named: dict[bytes, list[int]] = defaultdict(list)
    for place, one in enumerate(transcripts):
        for id in {*_ids_in(one.path), os.fsencode(os.path.basename(one.path))}:
            named[id].append(place)
    family = list(range(len(transcripts)))
    for places in named.values():
        if 1 < len(places) <= _MAX_COPIES:
            heads = {_head(family, place) for place in places}
            for head in heads:
                family[head] = max(heads)
    groups: dict[int, list[Transcript]] = defaultdict(list)
    for place, one in enumerate(transcripts):
        groups[_head(family, place)].append(one)
    return [one for head in sorted(groups, reverse=True) for one in groups[head]]


def _ids_in(path: str) -> Iterable[bytes]:
    try:
        with open(path, "rb") as file:
            return set(_ID.findall(file.read(_HEAD)))
    except OSError:
        return ()


def _head(family: list[int], place: int) -> int:
    """Return the newest transcript of a family, by which the whole family is known."""
    while family[place] != place:
        family[place] = place = family[family[place]]
    return place
