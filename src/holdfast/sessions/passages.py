"""What of a session can be searched: what was said in it, in pieces, and what its digest says.

Only what a person, the agent, the task of a sub-agent or the summary of a compaction said is taken; never what a
program put in, nor what Holdfast itself handed over. What one session may bring is bounded, and what is beyond is
counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from holdfast.records import SessionEvent
from holdfast.sessions.facts import Digest, FileChange

# What was said, by whom, in which event (-1 for the digest), when, and in which folder. A plain tuple, because a
# sweep makes very many of them.
Piece = tuple[str, str, int, str, str]

SPOKEN = frozenset(("human", "assistant", "task", "summary"))
DIGEST = "digest"
LONGEST = 1_200
MAX_PIECES = 5_000
MAX_CHARACTERS = 8_000_000
# Where a long text is cut, the best first; a cut in the first half of a piece is none.
_ENDS = ("\n\n", "\n", ". ", " ")


class Talk:
    """What is said in a session: `take` its events in order. `cut` counts the pieces beyond the bounds."""

    def __init__(self) -> None:
        self.pieces: list[Piece] = []
        self.cut = 0
        self._room = MAX_CHARACTERS

    def take(self, event: SessionEvent) -> None:
        """Take one event, if somebody speaks in it."""
        if event.role not in SPOKEN:
            return
        whole = event.text.strip()
        for text in cut(whole) if len(whole) > LONGEST else (whole,) if whole else ():
            if len(self.pieces) >= MAX_PIECES or len(text) > self._room:
                self.cut += 1
                continue
            self._room -= len(text)
            self.pieces.append((text, event.role, event.place, event.at, event.folder))


def cut(text: str) -> Iterator[str]:
    """Yield a text in pieces of at most LONGEST characters, cut at the end of a paragraph where there is one."""
    text = text.strip()
    start = 0
    while len(text) - start > LONGEST:
        ends = ((text.rfind(sign, start + LONGEST // 2, start + LONGEST), len(sign)) for sign in _ENDS)
        end = next((at + length for at, length in ends if at > 0), start + LONGEST)
        piece = text[start:end].strip()
        if piece:
            yield piece
        start = end
    if piece := text[start:].strip():
        yield piece


def of_digest(digest: Digest, *, talked: bool) -> list[Piece]:
    """Return what a digest says, short facts together; what people said only where their own words are gone."""
    at = digest.session.ended or digest.session.started
    pieces: list[Piece] = []
    text = ""
    for line in _lines(digest, talked):
        if text and len(text) + len(line) + 1 > LONGEST:
            pieces.append((text, DIGEST, -1, at, ""))
            text = ""
        text = f"{text}\n{line}" if text else line[:LONGEST]
    return [*pieces, (text, DIGEST, -1, at, "")] if text else pieces


def _lines(digest: Digest, talked: bool) -> Iterator[str]:
    if digest.title:
        yield digest.title
    if not talked:
        yield from _listed("asked", [one.text for one in (digest.first_ask, digest.last_ask) if one])
        yield from (f"{one.kind}: {one.text}" for one in digest.said)
    yield from changes_of(digest.files)
    yield from _listed("ran", [one.text for one in (*digest.checks, *digest.commands)])
    yield from _listed("committed", [one.text for one in digest.commits])
    yield from _listed("opened", [one.text for one in digest.pull_requests])
    yield from (f"error in {one.about}, {one.ended}: {one.text}" for one in digest.troubles)


def changes_of(files: Iterable[FileChange]) -> Iterator[str]:
    """Yield what files were changed, as many on a line as a piece has room for."""
    return _listed("changed", [one.path for one in files])


def _listed(name: str, facts: Iterable[str]) -> Iterator[str]:
    """Yield the facts after their name, as many on a line as a piece has room for."""
    line = ""
    for fact in facts:
        if not fact:
            continue
        if line and len(line) + len(fact) + 2 > LONGEST:
            yield line
            line = ""
        line = f"{line}, {fact}" if line else f"{name}: {fact}"
    if line:
        yield line
