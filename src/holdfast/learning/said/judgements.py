"""What the judge said of messages, kept so that a session that goes on is not read again from its first message.

`state/judgements` has a row for each message that was read: a hash of the message, of what the agent had said before it
and of the judge, the day, what was said, where in the message the statement stands, and the session that it was first
read in; no word of it. A judge that changed says it of another hash. The file may be lost: then messages are read
again, and the same is said of them.

Bounded: it takes no more rows than fit in `_MOST` bytes, and a row goes MAX_DAYS after it was written, as sessions of
that age are judged no more. Whoever forgets a session takes its rows, and whoever erases a text takes them all: with
the words at hand, a hash tells that they were said.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence

from holdfast.base import clock, files, rows
from holdfast.base.text import hash_of
from holdfast.language.judge import Judgement, judge_all, who_judges

MAX_DAYS = 30
_MOST = 1_000_000
_HASH, _FIELDS = 24, 7
# More messages at once are read no faster, and whoever is stopped loses no more than these.
_TOGETHER = 32


def path_of(home: str) -> str:
    """Return where they are kept."""
    return os.path.join(home, "state", "judgements")


def without(session: str) -> rows.Instead:
    """Return what takes the rows of a session, and those that do not say whose they are."""

    def instead(line: bytes) -> bytes | None:
        row = rows.texts_in(line) or ()
        return None if len(row) == _FIELDS and row[-1] != session else b""

    return instead


class Judgements:
    """The judgements of one home. They are kept when `keep` is called."""

    def __init__(self, home: str) -> None:
        self._path = path_of(home)
        self._known: dict[str, tuple[str, ...]] = {}
        self._new: list[str] = []
        self._who = who_judges()
        self.oldest = clock.now()[:10]
        for row in map(rows.texts_in, rows.read(self._path)):
            if row is not None and len(row) == _FIELDS and row[4].replace(" ", "", 1).isdecimal():
                self._known[row[0]] = row
                self.oldest = min(self.oldest, row[1])

    def of(self, session: str, messages: Sequence[tuple[str, str]]) -> list[Judgement]:
        """Judge messages of a session, each with what the agent had said before it; known ones are not read again."""
        names = [hash_of(self._who, *message, length=_HASH) for message in messages]
        new = {name: one for name, one in zip(names, messages, strict=True) if name not in self._known}
        while new:
            part = [(name, new.pop(name)) for name in list(new)[:_TOGETHER]]
            for (name, (text, _)), said in zip(part, judge_all([message for _, message in part]), strict=True):
                self._known[name] = _row(name, text, said, session)
                self._new.append(name)
        return [_judgement(self._known[name], text) for name, (text, _) in zip(names, messages, strict=True)]

    def keep(self) -> None:
        """Write what is new; under the lock of a harvest."""
        if self._new:
            files.make_folder(os.path.dirname(self._path))
            last = clock.iso(time.time() - MAX_DAYS * clock.DAY_SECONDS)[:10]
            if self.oldest < last:
                kept = {name for name, row in self._known.items() if row[1] >= last}
                rows.rewrite(self._path, lambda line: None if (rows.texts_in(line) or ("",))[0] in kept else b"")
                self.oldest = last
            lines = [json.dumps(self._known[name], ensure_ascii=False) for name in self._new]
            rows.append(self._path, lines, durable=False, most=_MOST)
            self._new.clear()


def _row(name: str, text: str, said: Judgement, session: str) -> tuple[str, ...]:
    place = f"{text.find(said.statement)} {len(said.statement)}"
    lasts = "lasts" if said.lasts else ""
    return name, clock.now()[:10], " ".join(said.kinds), " ".join(said.candidates), place, lasts, session


def _judgement(row: tuple[str, ...], text: str) -> Judgement:
    start, length = map(int, row[4].split())
    return Judgement(tuple(row[2].split()), tuple(row[3].split()), text[start : start + length], bool(row[5]))


_open: dict[str, Judgements] = {}


def judgements(home: str, *, anew: bool = False) -> Judgements:
    """Return the judgements of a home, which its features share while a harvest goes on; `anew` when one begins."""
    if anew or home not in _open:
        _open.clear()
        _open[home] = Judgements(home)
    return _open[home]
