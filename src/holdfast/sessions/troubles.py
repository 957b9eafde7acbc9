"""Errors of a session, each kind once, and how they ended.

An error is known by what it was about and its line without numbers, paths and hashes. It is `fixed` when the same thing
succeeds later, `repeated` when it came again and never did, else `left`.
"""

from __future__ import annotations

from holdfast.base.text import ends_of, one_line
from holdfast.language import failures
from holdfast.records import SessionEvent
from holdfast.sessions.facts import Trouble

MOST = 200
_LOOK = 2_000
_SHOWN = 400
# What is only looked for and not found troubles less than what was to be done.
_MINOR = ("read:", "search:", "web:")


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
        line = error_line(event.output or event.text)
        key = (about, failures.normalised(line))
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
        order = [
            (about.startswith(_MINOR), trouble.ended == "fixed", trouble.place, number, trouble)
            for number, ((about, _), trouble) in enumerate(self._open.items())
        ]
        return [one[-1] for one in sorted(order)]


def error_line(output: str) -> str:
    """Return the line of an output that says the error, of a long one from either end; or the first that says any.

    It is the whole line, with the label that a program puts before its errors.
    """
    text = failures.plain(ends_of(failures.without_tags(output), _LOOK))
    said = failures.error_line(text) or failures.first_message(text)
    return next((line.strip() for line in text.split("\n") if said and said in line), said)[:_SHOWN]
