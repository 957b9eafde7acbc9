"""Errors of a session, each kind once, and how they ended.

An error is known by what it was about and its line without numbers, paths and hashes. It is `fixed` when the same thing
succeeds later, `repeated` when it came again and never did, else `left`.
"""

from __future__ import annotations

import re
from functools import cache

from holdfast.records import SessionEvent
from holdfast.sessions.facts import Trouble
from holdfast.sessions.vocabulary import spoken, words
from holdfast.sessions.wording import ends_of, one_line

MOST = 200
_LOOK = 2_000
_SHOWN = 400
_LINES = 60
_VARIES = re.compile(r"0x[0-9a-f]+|\b[0-9a-f]{7,40}\b|(?<![\w.~/-])(?:[\w.~-]*/)+[\w.-]*|\d+", re.IGNORECASE)
# What is only looked for and not found troubles less than what was to be done.
_MINOR = ("read:", "search:", "web:")
_STARTS = re.compile(r"[\w.]*(?:Error|Exception)\b")
_TAG = re.compile(r"</?\w*error>")


class Troubles:
    """The errors seen so far, at most MOST kinds of them; what comes beyond is counted in `left_out`."""

    def __init__(self) -> None:
        self.left_out = 0
        self._open: dict[tuple[str, str], Trouble] = {}
        self._abouts: set[str] = set()

    def __bool__(self) -> bool:
        return bool(self._open)

    def failed(self, event: SessionEvent, about: str, shown: str) -> None:
        """Take an error about a thing, and how that is shown; a later success of the same thing is what fixes it."""
        line = error_line(event.output or event.text)[:_SHOWN]
        key = (about, _VARIES.sub("#", line.casefold()))
        before = self._open.get(key)
        if before is None and len(self._open) >= MOST:
            self.left_out += 1
            return
        times = before.times + 1 if before else 1
        first = before or event
        self._abouts.add(about)
        self._open[key] = Trouble(
            before.text if before else one_line(line, _SHOWN) or "no message",
            shown,
            times,
            "repeated" if times > 1 else "left",
            *(first.place, first.line, event.place, event.line),
        )

    def succeeded(self, about: str) -> None:
        """Take a success: every error about the same is fixed."""
        if about not in self._abouts:
            return
        self._abouts.discard(about)
        for key, trouble in self._open.items():
            if key[0] == about and trouble.ended != "fixed":
                self._open[key] = Trouble(
                    *(trouble.text, trouble.about, trouble.times, "fixed"),
                    *(trouble.place, trouble.line, trouble.last_place, trouble.last_line),
                )

    def all(self) -> list[Trouble]:
        """Return them: what was left first, then what was fixed, what was only looked for last, each by its place."""
        found = sorted(self._open.items(), key=lambda one: (one[0][0].startswith(_MINOR), _rank(one[1])))
        return [trouble for _, trouble in found]


def _rank(trouble: Trouble) -> tuple[bool, int]:
    return trouble.ended == "fixed", trouble.place


def error_line(output: str) -> str:
    """Return the line of an output that says the error: one that begins so, one with a word for it, or the first."""
    text = ends_of(output, _LOOK)
    folded_text = text.casefold()
    error_words = [word for word in _error_words() if word in folded_text]
    first = good = ""
    for line in text.splitlines()[: 2 * _LINES]:
        line = (_TAG.sub("", line) if "<" in line else line).strip()
        folded = line.casefold()
        if not line or folded.startswith(words("marks")["no-message"]):
            continue
        if folded.startswith(words("marks")["error-start"]) or (
            ("Error" in line or "Exception" in line) and _STARTS.match(line)
        ):
            return line
        if error_words and not good and any(word in folded for word in error_words):
            good = line
        first = first or line
    return good or first


@cache
def _error_words() -> tuple[str, ...]:
    """Return the words for errors, without those that have another of them in themselves."""
    found = {word.casefold() for word in spoken("error")}
    return tuple(word for word in found if not any(other in word for other in found - {word}))
