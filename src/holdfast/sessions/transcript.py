"""The events of a session as readable Markdown. What was said is data: it stands in fences that it cannot close."""

from __future__ import annotations

import re

from holdfast.records import SessionEvent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# What a terminal obeys, and marks that turn or hide text. Tabs and line ends stay.
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069\ud800-\udfff]")
_BACKTICKS = re.compile("`+")


def harmless(text: str) -> str:
    """Return a text with every control character written out, so that a terminal only shows it."""
    return _UNSAFE.sub(_written_out, text.replace("\r\n", "\n"))


def _written_out(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape", "surrogatepass").decode("ascii")


def markdown_of(events: Iterable[SessionEvent]) -> Iterator[str]:
    """Yield each event as a heading and what it says."""
    for event in events:
        parts = [f"## {heading(event)}"]
        parts += [fenced(text) for text in (event.text, event.input, event.output) if text.strip()]
        yield "\n\n".join(parts) + "\n\n"


def heading(event: SessionEvent) -> str:
    """Return the line that names an event: its place, who speaks, the tool, the time."""
    facts = [
        *(str(event.place), event.role, event.tool, "failed" if event.failed else "", event.at),
        f"{event.milliseconds / 1000:.1f} s" if event.milliseconds else "",
        f"line {event.line}" if event.line else "",
    ]
    return " · ".join(harmless(" ".join(fact.split())) for fact in facts if fact)


def fenced(text: str) -> str:
    """Return a text as a block of code that no backtick in it can end."""
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{harmless(text).strip(chr(10))}\n{fence}"
