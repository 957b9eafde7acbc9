"""The journal: the append-only log of what happened, one JSON line an event, one file a day.

A line is written in one piece, so that the lines of several processes stay whole; a line that a crash cut short is
passed over when it is read, and does not swallow the line after it. Uses are events here, so that an index that is
made again ranks as the old one did.
"""

from __future__ import annotations

import os
import sys

from holdfast.base import files, rows
from holdfast.base.minijson import dumps
from holdfast.records import Event, Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

# How long a hook took is known when it ends: so much room is left for it at the end of its line.
_ROOM = ', "ms": {:>8}}}'
# What a project is doing is known by so many of its last prompts, as far as they stand at the end of these days' files.
_ASKED, _LATELY, _DAYS = 50, 1 << 17, 14
# What a person has to be told (`notices.py`). A hook looks whether there is such a file, and mostly there is none.
NOTICES = os.path.join("updates", "notices.jsonl")


class Journal:
    """The journal of one home."""

    def __init__(self, home: str) -> None:
        self.folder = os.path.join(home, "journal")

    def append(self, event: Event, *, durable: bool = True, timed: bool = False) -> int:
        """Write the event at the end of its day's file; return where its line ends. `timed`: it has room for a time."""
        files.make_folder(self.folder)
        line = dumps({"at": event.at, "kind": event.kind, **event.data})
        line = line[:-1] + _ROOM.format(0) if timed else line
        return rows.append(self.path_of(event), [line], durable=durable, errors="strict")

    def note_time(self, event: Event, end: int, milliseconds: float) -> None:
        """Write how long the hook took into the line of its event that ends there."""
        room, said = (_ROOM.format(number).encode() for number in (0, min(milliseconds, 999_999.9)))
        rows.fill_in(self.path_of(event), end, room, said)

    def path_of(self, event: Event) -> str:
        """Return the file of the event's day."""
        return os.path.join(self.folder, f"{event.at[:10]}.jsonl")

    def events(self, kind: str = "", since: str = "") -> Iterator[Event]:
        """Return the events of a kind, or all, oldest first; with `since`, of that day and later."""
        for name in self.days():
            if name < since[:10]:
                continue
            with open(os.path.join(self.folder, name), "rb") as file:
                for line in file:
                    event = _read(line)
                    if event is not None and kind in ("", event.kind):
                        yield event

    def latest(self, kind: str, most: int = 1 << 20, days: int = 2) -> Iterator[Event]:
        """Return the events of a kind that stand in the last bytes of the newest files, newest first."""
        # As `append` writes it: others that only name the kind, as receipts of prompts do, are not taken apart.
        known = f'"kind": {dumps(kind)}'.encode()
        for name in self.days()[: -days - 1 : -1]:
            data, _ = files.read_tail(os.path.join(self.folder, name), most)
            for line in reversed(data.split(b"\n")):
                event = _read(line) if known in line else None
                if event is not None and event.kind == kind:
                    yield event

    def asked_lately(self, projects: Collection[str]) -> list[str]:
        """Return what was asked last in a project, which may have had several names, the newest first."""
        events = self.latest("prompt", _LATELY, _DAYS)
        asked = (str(one.data.get("prompt", "")) for one in events if one.data.get("project") in projects)
        return [text for text, _ in zip(asked, range(_ASKED), strict=False)]

    def uses(self) -> Iterator[tuple[Scope, str, str]]:
        """Return every use as scope, key and time."""
        for event in self.events("use"):
            memories = event.data.get("memories")
            for memory in memories if isinstance(memories, list) else ():
                if isinstance(memory, list) and len(memory) == 3 and all(isinstance(part, str) for part in memory):
                    yield Scope(memory[0], memory[1]), memory[2], event.at

    def days(self) -> list[str]:
        """Return the names of its files, one a day, the oldest first; whatever else lies there is none of ours."""
        try:
            with os.scandir(self.folder) as found:
                return sorted([one.name for one in found if one.name.endswith(".jsonl") and one.is_file()])
        except OSError:
            return []


def use(memories: list[tuple[Scope, str]], at: str) -> Event:
    """Return the event that says that these memories were handed out."""
    return Event(at, "use", {"memories": [[scope.kind, scope.owner, key] for scope, key in memories]})


def _read(line: bytes) -> Event | None:
    data = rows.object_in(line, sys.maxsize)
    if data is None:
        return None
    at, kind = data.pop("at", None), data.pop("kind", None)
    return Event(at, kind, data) if isinstance(at, str) and isinstance(kind, str) else None
