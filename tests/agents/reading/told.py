"""What the tests of the readers share: transcripts written as an agent writes them, and read back in one go."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

from holdfast.agents.base import Place
from holdfast.records import Session, SessionEvent


def write_lines(path: Path, *records: object) -> Path:
    """Write one line for each record; bytes and texts as they are."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(_raw(record) + b"\n" for record in records))
    return path


def write_json(path: Path, value: object, indent: int | None = 2) -> Path:
    """Write one JSON document."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=indent), encoding="utf-8")
    return path


def _raw(record: object) -> bytes:
    if isinstance(record, bytes):
        return record
    return record.encode() if isinstance(record, str) else json.dumps(record).encode()


def database(path: Path, *statements: str | tuple[str, tuple[object, ...]]) -> sqlite3.Connection:
    """Return a database that stays open, in write-ahead mode, as the agent's own process has it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA wal_autocheckpoint=0")
    for one in statements:
        connection.execute(*((one,) if isinstance(one, str) else one))
    connection.commit()
    return connection


def read_one(reader, path: Path) -> tuple[list[SessionEvent], Session]:
    """Return the events and the session of a path that holds exactly one."""
    assert reader.sniff(str(path)), "the reader does not know its own transcript"
    [reading] = reader.read(str(path))
    return list(reading), reading.session()


def spoken(events: list[SessionEvent]) -> list[tuple[str, str]]:
    """Return role and text of each event; of a tool its name, what it was given and what it answered."""
    return [(one.role, f"{one.tool} {one.input} -> {one.output}" if one.role == "tool" else one.text) for one in events]


def home(tmp_path: Path, **environment: str) -> Place:
    """Return the place of a person who has a home and nothing else."""
    return Place(str(tmp_path / "home"), str(tmp_path), "user", environment)
