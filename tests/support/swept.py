"""What the tests of the sweep share: transcripts as an agent writes them, and the archive as plain bytes."""

from __future__ import annotations

import json
import os
import sqlite3
from pathlib import Path

import zstandard

from holdfast.app.sweep import Swept, sweep
from holdfast.base.files import TEMPORARY
from holdfast.workspace import Workspace
from support.places import AGELESS

AGENT = "claude-code"


def transcript(person: Path, session: str, folder: str = "-src-shop") -> Path:
    """Return where the transcript of a session stands."""
    return person / ".claude" / "projects" / folder / f"{session}.jsonl"


def line(session: str, number: int, kind: str, content: object, **fields: object) -> dict[str, object]:
    """Return one line; its uuid is told by the session and the number.

    It is so old that no message is judged, on whatever day the tests are run: tests of that say a day of their own.
    """
    message = {"role": kind, "content": content}
    if kind == "assistant":
        usage = {"input_tokens": 10, "output_tokens": 5}
        message |= {"id": f"m-{session}-{number}", "model": "claude-x-1", "usage": usage}
    return {
        **{"type": kind, "uuid": f"{session}-{number:024}", "sessionId": session, "message": message},
        **{"timestamp": f"2026-01-{1 + number // 1440:02}T{number // 60 % 24:02}:{number % 60:02}:00.000Z"},
        **{"cwd": "/src/shop", "gitBranch": "main", "version": "2.1.0", "isSidechain": False, **fields},
    }


def talk(session: str, turns: int, start: int = 0, words: str = "the till") -> list[dict[str, object]]:
    """Return the lines of some turns: an ask, a call, its result, an answer."""
    found = []
    for turn in range(start, start + turns):
        call = {"type": "tool_use", "id": f"t{turn}", "name": "Bash", "input": {"command": f"make {turn}"}}
        result = {"type": "tool_result", "tool_use_id": f"t{turn}", "content": f"made {turn}"}
        said = ("user", f"Please mend {words} {turn}"), ("assistant", [call]), ("user", [result])
        said += (("assistant", [{"type": "text", "text": f"Mended {words} {turn}."}]),)
        found += [line(session, 4 * turn + place, kind, content) for place, (kind, content) in enumerate(said)]
    return found


def raw(records: list[dict[str, object]]) -> bytes:
    """Return the records as the bytes of a file."""
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def write(path: Path, data: list[dict[str, object]] | bytes, at: float = 0) -> Path:
    """Write a transcript whole; `at` is the time that it then has."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else raw(data))
    if at:
        os.utime(path, (at, at))
    return path


def archive_of(home: Path) -> dict[str, bytes]:
    """Return every file of the archive by its path, raw files decompressed."""
    found = {}
    for path in sorted((home / "archive").rglob("*")):
        if path.is_file():
            data = path.read_bytes()
            found[str(path.relative_to(home / "archive"))] = unpacked(data) if path.suffix == ".zst" else data
    return found


def unpacked(data: bytes) -> bytes:
    """Return what a compressed file of several frames holds."""
    return zstandard.ZstdDecompressor().stream_reader(data, read_across_frames=True).read()


def leftovers(home: Path) -> list[Path]:
    """Return the temporary files below a home."""
    return [path for path in home.rglob("*") if path.name.startswith(TEMPORARY)]


def indexed(home: Path) -> dict[str, list[tuple[object, ...]]]:
    """Return what the index says of sessions: of each table the rows by name of session, whatever their numbers."""
    db = sqlite3.connect(f"file:{home / 'index.db'}?mode=ro", uri=True)
    try:
        rows = db.execute("SELECT * FROM session_row").fetchall()
        names = {row[0]: row[1] for row in rows}
        parts = {
            table: sorted((names[row[0]], *row[1:]) for row in db.execute(f"SELECT * FROM {table}"))
            for table in ("session_file", "session_spend")
        }
        return {"session_row": sorted(row[1:] for row in rows), **parts}
    finally:
        db.close()


def environment(person: Path) -> dict[str, str]:
    """Return the environment of a person who has nothing set."""
    return {"HOME": str(person), "PATH": os.environ.get("PATH", ""), **AGELESS}


def sweep_into(home: Path, person: Path, **options: object) -> Swept:
    """Sweep the transcripts of a person into a home, and return what was done."""
    with Workspace(str(home), folder=str(person), environment=environment(person)) as workspace:
        return sweep(workspace, **options)
