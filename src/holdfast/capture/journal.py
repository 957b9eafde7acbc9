"""The journal: the append-only log of what happened, one JSON line an event, one file a day.

A line is written in one piece, so that the lines of several processes stay whole; a line that a crash cut short is
passed over when it is read. Uses are events here, so that an index that is made anew ranks as the old one did.
"""

from __future__ import annotations

import json
import os

from holdfast.records import Event, Scope
from holdfast.store import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


class Journal:
    """The journal of one home."""

    def __init__(self, home: str) -> None:
        self.folder = os.path.join(home, "journal")

    def append(self, event: Event, *, durable: bool = True) -> None:
        """Write the event at the end of its day's file."""
        files.make_folder(self.folder)
        line = json.dumps({"at": event.at, "kind": event.kind, **event.data}, ensure_ascii=False)
        files.append(os.path.join(self.folder, f"{event.at[:10]}.jsonl"), line.encode() + b"\n", durable=durable)

    def events(self, kind: str = "") -> Iterator[Event]:
        """Return the events of a kind, or all, oldest first."""
        for name in sorted(self._segments()):
            with open(os.path.join(self.folder, name), "rb") as file:
                for line in file:
                    event = _read(line)
                    if event is not None and kind in ("", event.kind):
                        yield event

    def uses(self) -> Iterator[tuple[Scope, str, str]]:
        """Return every use as scope, key and time."""
        for event in self.events("use"):
            for scope, owner, key in event.data.get("memories", ()):  # type: ignore[attr-defined]
                yield Scope(scope, owner), key, event.at

    def _segments(self) -> list[str]:
        try:
            return [name for name in os.listdir(self.folder) if name.endswith(".jsonl")]
        except OSError:
            return []


def use(memories: list[tuple[Scope, str]], at: str) -> Event:
    """Return the event that says that these memories were handed out."""
    return Event(at, "use", {"memories": [[scope.kind, scope.owner, key] for scope, key in memories]})


def _read(line: bytes) -> Event | None:
    try:
        data = json.loads(line)
        return Event(data.pop("at"), data.pop("kind"), data)
    except (ValueError, KeyError, AttributeError):
        return None
