"""The audit trail of security-relevant calls: `security/YYYY-MM/security.jsonl`, one JSON object a line.

Identity: the same agent, session, rule and text are a group, and a call is the first, second ... of its group within a
month, so that what a hook wrote down is known again in the archive. Atomic: a line is added in one durable write, under
a lock, after it was looked for. Checked when read: a broken line is passed over. Nothing is rewritten or removed. Texts
come here without secrets.
"""

from __future__ import annotations

import os

from holdfast.base import files, rows
from holdfast.base.clock import UNDATED, month_of
from holdfast.base.light_records import dataclass
from holdfast.base.minijson import dumps
from holdfast.base.text import hash_of
from holdfast.errors import Refused
from holdfast.privacy.fence import kept

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.learning.security.judge import Sight

FOLDER = "security"
FILE = "security.jsonl"
MAX_TEXT = 300
_MAX_NAME = 80
_FIELDS = ("id", "at", "agent", "session", "project", "tool", "kind", "rule", "text", "decision")


@dataclass(frozen=True, slots=True)
class Record:
    """One call of the trail. `decision` is `seen`: the agent made it, well or not; or `blocked`: it was refused."""

    at: str
    agent: str
    session: str
    project: str
    tool: str
    kind: str
    rule: str
    text: str
    decision: str = "seen"
    id: str = ""


def record_of(sight: Sight, at: str, whose: tuple[str, str, str], tool: str, decision: str = "seen") -> Record:
    """Return what was seen in a call as a row; `whose` is the agent, the session and the project.

    The text becomes one line, without secrets, no longer than bounded.
    """
    text = " ".join(kept(sight.text, MAX_TEXT).split())
    return Record(at, *whose, kept(tool, _MAX_NAME), sight.kind, sight.rule, text, decision)


def add(home: str, record: Record, number: int = 0) -> Record | None:
    """Write a call down for good, with its id; None where it is there already.

    `number` says which of its group this call is; 0 is one more.
    """
    path = _path(home, month_of(record.at))
    with lock_of(home):
        data = files.read_if_there(path)
        group = hash_of(record.agent, record.session, record.rule, record.text, length=20)
        if number and (f'"id": "{group}-{number}"'.encode() in data or _is_copy(data, record)):
            return None
        number = number or data.count(f'"id": "{group}-'.encode()) + 1
        told = {**{name: getattr(record, name) for name in _FIELDS}, "id": f"{group}-{number}"}
        rows.append(path, [dumps(told)])
    return Record(**told)


def lock_of(home: str) -> files.Lock:
    """Return the lock that everybody takes who adds to the trail or rewrites it."""
    return files.lock_of(home, "security")


def _path(home: str, month: str) -> str:
    files.refuse_links(home, f"{FOLDER}/{month}")
    folder = os.path.join(home, FOLDER, month)
    files.make_folder(folder)
    return os.path.join(folder, FILE)


def _is_copy(data: bytes, record: Record) -> bool:
    """Whether another session has the same call at the same time: one that was forked has the calls of the first."""
    if not record.at:
        return False
    when = dumps(record.at).encode()
    lines = [line for line in rows.having(data, dumps(record.text).encode("utf-8", "replace")) if when in line]
    wanted = (record.at, record.agent, record.rule, record.text)
    return any(
        (other.at, other.agent, other.rule, other.text) == wanted and other.session != record.session
        for other in map(_of_line, lines)
        if other is not None
    )


def read(home: str, since: str = "") -> list[Record]:
    """Return the calls since a time, newest first."""
    found: list[Record] = []
    for month in files.names_in(os.path.join(home, FOLDER)):
        if (month < since[:7] and month != UNDATED) or files.link_on_the_way(home, f"{FOLDER}/{month}"):
            continue
        try:
            lines = rows.read(os.path.join(home, FOLDER, month, FILE))
        except Refused:
            continue
        found += [record for line in lines if (record := _of_line(line)) is not None]
    return sorted([record for record in found if record.at >= since], key=lambda record: record.at, reverse=True)


def _of_line(line: bytes) -> Record | None:
    told = rows.object_in(line)
    if told is None or not isinstance(told.get("rule"), str):
        return None
    return Record(**{name: value if isinstance(value := told.get(name), str) else "" for name in _FIELDS})
