"""Events on their way out of a reading: a call waits for its result, and what comes after it waits behind it."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from holdfast.agents.reading.values import milliseconds
from holdfast.base.structs import complete
from holdfast.records import SessionEvent

# How many events, and characters of them, wait for the result of a call before it comes out unanswered.
MAX_HELD = 1_000
MAX_HELD_TEXT = 8_000_000


class _Slot:
    """The place of an event in the row: the event, None when it was dropped, and the key that it waits by."""

    __slots__ = ("event", "key")

    def __init__(self, event: SessionEvent, key: str) -> None:
        self.event: SessionEvent | None = event
        self.key = key


class PendingCalls:
    """A row of events in order. Those whose ids are in `skip` go without being given out."""

    def __init__(self) -> None:
        self.given = 0
        self.beginning = ""
        self.skip: frozenset[str] = frozenset()
        self._queue: deque[_Slot] = deque()
        self._open: dict[str, _Slot] = {}
        self._characters = 0

    @property
    def place(self) -> int:
        """The place that the next event gets, if none of those that wait is dropped."""
        return self.given + len(self._queue)

    def add(self, event: SessionEvent, key: str = "") -> None:
        """Put an event at the end; with a key it waits there until it is answered or dropped."""
        slot = _Slot(event, "" if key in self._open else key)
        self._queue.append(slot)
        self._characters += _size(event)
        if slot.key:
            self._open[key] = slot

    def answer(
        self, key: str, output: str | None = None, failed: bool = False, milliseconds: int = 0, until: str = ""
    ) -> bool:
        """Join a result, and how long it took or until when, with its call; False where none waits.

        Without an output nothing came, and the call only waits no longer.
        """
        slot = self._open.pop(key, None)
        if slot is None:
            return False
        slot.key = ""
        if slot.event is not None and output is not None:
            self._join(slot.event, output, failed, milliseconds, until)
        return True

    def _join(self, call: SessionEvent, output: str, failed: bool, took: int, until: str) -> None:
        self._characters += len(output) - len(call.output)
        complete(call, "output", output)
        complete(call, "failed", failed)
        complete(call, "answered", True)
        complete(call, "milliseconds", took or (milliseconds(call.at, until) if until else 0))

    def drop(self, key: str) -> bool:
        """Take a waiting event out unseen; False where none waits."""
        slot = self._open.pop(key, None)
        if slot is None:
            return False
        dropped, slot.event, slot.key = slot.event, None, ""
        self._characters -= _size(dropped) if dropped else 0
        return True

    def take(self) -> Sequence[SessionEvent]:
        """Return what waits for nothing, from the front; what waits too long comes out as it is."""
        queue = self._queue
        found: list[SessionEvent] = []
        while queue and (not queue[0].key or len(queue) > MAX_HELD or self._characters > MAX_HELD_TEXT):
            self._move_first(found)
        return found

    def rest(self) -> list[SessionEvent]:
        """Return everything that is left."""
        found: list[SessionEvent] = []
        while self._queue:
            self._move_first(found)
        return found

    def _move_first(self, found: list[SessionEvent]) -> None:
        slot = self._queue.popleft()
        if slot.key:
            del self._open[slot.key]
        event = slot.event
        if event is None:
            return
        self._characters -= _size(event)
        if event.id and (event.id in self.skip):
            return
        if event.place != self.given:
            complete(event, "place", self.given)
        self.given += 1
        self.beginning = self.beginning or event.id
        found.append(event)


def _size(event: SessionEvent) -> int:
    return len(event.text) + len(event.input) + len(event.output)
