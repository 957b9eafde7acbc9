"""Rate a memory: it helped, or it did harm. A mark is an event of the journal, for ranking to use; nothing changes."""

from __future__ import annotations

from holdfast.actions.house import House, check_text, now
from holdfast.capture import redact
from holdfast.errors import BadInput
from holdfast.records import Event, Memory, Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

KIND = "mark"
RATINGS = ("helpful", "harmful")
MOST_NOTE = 500


def rate(
    house: House, key: str, rating: str, *, scope: str | None = None, note: str = "", agent: str = ""
) -> tuple[Memory, tuple[str, ...]]:
    """Write down how the memory did, and return it with the kinds of secret that were taken out of the note."""
    if rating not in RATINGS:
        raise BadInput(f"{rating!a} is not a rating", f"Use one of {', '.join(RATINGS)}.")
    check_text(note)
    if len(note) > MOST_NOTE:
        raise BadInput(f"the note has {len(note):,} characters", f"Use at most {MOST_NOTE}.")
    memory = house.locate(key, scope)
    cleaned, kinds = redact.redact(note) if note else ("", ())
    data: dict[str, object] = {
        "memory": [memory.scope.kind, memory.scope.owner, memory.key],
        "rating": rating,
        "note": cleaned,
        "agent": redact.redact(agent)[0] if agent else "",
        "session": house.session,
    }
    house.journal.append(Event(now(), KIND, data))
    return memory, kinds


def marks(house: House) -> Iterator[tuple[Scope, str, str, str]]:
    """Return every mark as scope, key, rating and time, oldest first."""
    for event in house.journal.events(KIND):
        memory, rating = event.data.get("memory"), event.data.get("rating")
        if isinstance(memory, list) and len(memory) == 3 and rating in RATINGS:
            yield Scope(str(memory[0]), str(memory[1])), str(memory[2]), str(rating), event.at
