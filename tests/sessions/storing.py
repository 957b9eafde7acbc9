"""A session that tests store in an archive, and where it lies then."""

from __future__ import annotations

from pathlib import Path

from holdfast.records import Cost, Session, Spend, replace
from holdfast.sessions.archive import Archive
from holdfast.sessions.digest import digest

from .making import answer, edited, human, numbered, ran

EVENTS = numbered(human("Mend the till."), edited("/home/ann/shop/till.py"), ran("pytest", "1 passed"), answer())
COST = Cost(1, 2, 3, 4, 5, 0.25)
SESSION = Session(
    *("some-agent", "s-1", "Till", "/f", "p", "b", "2026-05-04T10:00:00.000Z", "2026-05-04T11:00:00.000Z"),
    *(("m-1", "m-2"), "s-0", True, "1.2", COST, 4, 1, "/logs/s-1.jsonl", (Spend("2026-05-04", "m-1", COST),), "u-0"),
)


def stored(archive: Archive, events=EVENTS, digested: bool = True, **facts: object) -> str:
    """Store a session and mostly its digest, and return its name."""
    session = replace(SESSION, **facts)
    with archive.writing(session.agent) as writer:
        for event in events:
            writer.add(event)
        writer.keep(session)
    if digested:
        archive.put_digest(digest(session, events))
    return session.name


def raw_path(home: Path, name: str = "some-agent/s-1") -> Path:
    """Return where the raw file of a session stands."""
    return home / "archive" / "raw" / f"{name}.jsonl.zst"
