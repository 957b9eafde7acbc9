"""Which tool call a complaint is about, by rules: the last one before it that shares words with it.

A call that removed something or failed counts more. Where no call shares the name of a thing with the complaint, the
cause is not clear, and that is what is said.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from holdfast.base.text import one_line
from holdfast.language import commands, tools
from holdfast.language.likeness import shared, words_of
from holdfast.records import SessionEvent

MAX_SHOWN = 160
# So many calls before a complaint are looked at, and not further back than so many messages of the person.
_LOOK_BACK = 80
_MESSAGES_BACK = 3
_READING = ("read", "search", "web", "plan", "memory")


@dataclass(frozen=True, slots=True)
class Cause:
    """The call that a complaint is likely about: the call as one line, its event, and by which signs."""

    call: str
    event: SessionEvent
    signs: tuple[str, ...]
    things: int = 0

    @property
    def is_clear(self) -> bool:
        """Whether the call did what one complains about, or is about the same in more than one word."""
        return len(self.signs) > 1 or self.things > 1


def cause_of(complaint: str, before: Sequence[SessionEvent]) -> Cause | None:
    """Return the call among the events before a complaint that it is likely about, or None where that is not clear."""
    said = words_of(complaint)
    best: tuple[int, Cause] | None = None
    for event in _calls(before):
        call = shown(event)
        common, things = shared(said, words_of(call))
        if not things:
            continue
        signs = ["it removed something"] if is_destructive(event) else []
        signs += ["it failed"] if event.failed else []
        points = common + things + 2 * len(signs)
        if best is None or points > best[0]:
            best = (points, Cause(call, event, (*signs, "it shares words with what was said"), things))
    return best[1] if best else None


def shown(event: SessionEvent) -> str:
    """Return a tool call as one line: its command, or the tool and the files that it is about."""
    kind = tools.kind_of(event.tool)
    if kind == "shell":
        return one_line(tools.line_of(event.input), MAX_SHOWN)
    files = ", ".join(tools.paths_in(event.input)[:3])
    return one_line(f"{event.tool} {files}", MAX_SHOWN)


def is_destructive(event: SessionEvent) -> bool:
    """Whether a call removes or throws away something."""
    if tools.kind_of(event.tool) == "shell":
        return commands.removes(tools.line_of(event.input))
    return "*** delete file" in event.input.casefold() or "delete" in event.tool.casefold()


def _calls(before: Sequence[SessionEvent]) -> list[SessionEvent]:
    """Return the calls that may have caused a complaint, the latest first."""
    found: list[SessionEvent] = []
    messages = 0
    for event in reversed(before):
        messages += event.role == "human"
        if messages > _MESSAGES_BACK or len(found) >= _LOOK_BACK:
            break
        if event.role == "tool" and tools.kind_of(event.tool) not in _READING:
            found.append(event)
    return found
