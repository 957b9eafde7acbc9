"""The sessions of OpenCode: rows of a database, an exported document, or the older tree of small JSON files.

All three tell the same: a session, its messages, and the parts of each message. Parts are rewritten in place while the
agent works, so there is nothing to read on from; a call and its result are one part. Cached tokens are not part of the
input. The session of a sub-agent names its parent, and what stands there for a person is the task that it was given.
After a change of versions a session may lie both in the database and in the tree: `find` names the database only.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

from holdfast.agents.reading.base import MAX_LINE, decode, files_below, text_of, told, when, whole
from holdfast.agents.reading.database import Database, databases_in, is_database, opened, text_in, value_in
from holdfast.agents.reading.turns import Turns, document, head, listed, small_json, table, time_between

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator

    from holdfast.agents.base import Place

    Messages = Iterator[tuple[dict[str, Any], list[dict[str, Any]]] | None]

_SESSION = re.compile(rb'"sessionID"\s*:\s*"|"projectID"\s*:\s*"')
# How far the columns of a session and the fields of a document differ.
COLUMNS = {"parentID": "parent_id", "directory": "directory", "title": "title", "version": "version", "id": "id"}


def find(place: Place) -> Iterator[str]:
    """Yield the databases, then those sessions of the older tree that no database has."""
    data = place.environment.get("XDG_DATA_HOME") or os.path.join(place.home, ".local", "share")
    folder = os.path.join(data, "opencode")
    known: set[str] = set()
    named = place.environment.get("OPENCODE_DB", "")
    for path in dict.fromkeys(
        [*([os.path.join(folder, named)] if named else []), *databases_in(folder, "opencode", ".db")]
    ):
        if is_database(path):
            known.update(_ids(path))
            yield path
    for path in files_below(os.path.join(folder, "storage", "session"), ".json"):
        if told(small_json(path), "id") not in known:
            yield path


def _ids(path: str) -> Iterator[str]:
    database = opened(path)
    for row in database.rows("SELECT id FROM session") if database and database.has("session", "id") else ():
        yield text_in(row, "id")


def sniff(path: str) -> bool:
    """Whether it is a database with such tables, an exported document, or a session of the older tree."""
    if is_database(path):
        database = opened(path)
        return bool(database and database.has("session", "id", "directory") and database.has("part", "message_id"))
    start = head(path).lstrip(b"\xef\xbb\xbf\0 \t\r\n")
    if start[:1] != b"{" or not _SESSION.search(start):
        return False
    return b'"info"' in start[:200] or (b'"directory"' in start and b'"time"' in start)


def read(path: str) -> Iterator[OpenCodeReading]:
    """Yield the sessions of a database, or the one of a document."""
    if is_database(path):
        database = opened(path)
        for row in database.rows("SELECT * FROM session ORDER BY time_created, id") if database else ():
            yield OpenCodeReading(path, _info_of(row), _rows(database, text_in(row, "id")))  # type: ignore[arg-type]
    elif _is_export(path):
        info, messages = document(path, "messages")
        yield OpenCodeReading(path, table(info.get("info")), lambda: _exported(messages))
    else:
        info = small_json(path)
        yield OpenCodeReading(path, info, lambda: _tree(path, told(info, "id")))


def _is_export(path: str) -> bool:
    return b'"info"' in head(path)[:200]


def _info_of(row: sqlite3.Row) -> dict[str, Any]:
    info: dict[str, Any] = {name: text_in(row, column) for name, column in COLUMNS.items()}
    info["time"] = {"created": value_in(row, "time_created"), "updated": value_in(row, "time_updated")}
    info["revert"] = decode(text_in(row, "revert").encode()) if text_in(row, "revert") else None
    return info


def _rows(database: Database, session: str) -> Callable[[], Messages]:
    """Return what reads the messages of a session, each with its parts, in statements that are over at once."""

    def messages() -> Messages:
        ids = database.rows("SELECT id FROM message WHERE session_id = ? ORDER BY time_created, id", session)
        for row in ids:
            before = database.broken
            yield _message(database, text_in(row, "id"))
            if database.broken > before:
                yield None
        if not ids and database.has("session_message", "seq", "type", "data"):
            yield from _newer_rows(database, session)

    return messages


def _message(database: Database, id: str) -> tuple[dict[str, Any], list[dict[str, Any]]] | None:
    found = database.rows("SELECT data FROM message WHERE id = ?", id)
    info = decode(text_in(found[0], "data").encode()) if found else None
    parts = database.rows("SELECT id, data FROM part WHERE message_id = ? ORDER BY id", id)
    told_parts = [(text_in(row, "id"), decode(text_in(row, "data").encode())) for row in parts]
    read_parts = [{} if part is None else {"id": place, **part} for place, part in told_parts]
    return None if info is None else ({"id": id, **info}, read_parts)


def _newer_rows(database: Database, session: str) -> Messages:
    """Yield the messages of the table that is to replace the other two, in the shape of the older ones."""
    for row in database.rows("SELECT * FROM session_message WHERE session_id = ? ORDER BY seq", session):
        data, kind = decode(text_in(row, "data").encode()), text_in(row, "type")
        if data is None:
            yield None
            continue
        role = "assistant" if kind in ("assistant", "compaction") else "user"
        info = {"id": text_in(row, "id"), "time": {"created": value_in(row, "time_created")}, **data, "role": role}
        text = told(data, "text", "summary")
        parts = [{"type": "text", "text": text, "synthetic": kind == "synthetic"}] if text else []
        yield (
            {**info, "summary": kind == "compaction"},
            parts + [one for one in listed(data.get("content")) if table(one)],
        )


def _exported(messages: Iterator[dict[str, Any] | None]) -> Messages:
    for one in messages:
        if one is None or not table(one.get("info")):
            yield None
        else:
            yield one["info"], [table(part) for part in listed(one.get("parts"))]


def _tree(path: str, session: str) -> Messages:
    """Yield the messages that lie beside a session in the older tree; once the parts of all lay in one folder."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(path))))
    found = [small_json(one) for one in _inside(os.path.join(root, "message"), session)]
    flat = [small_json(os.path.join(root, "part", name)) for name in _names(os.path.join(root, "part"))]
    for info in sorted(found, key=lambda one: (whole(table(one.get("time")).get("created")), told(one, "id"))):
        own = [small_json(one, MAX_LINE) for one in _inside(os.path.join(root, "part"), told(info, "id"))]
        own += [part for part in flat if told(part, "messageID") == told(info, "id")]
        yield (info, own) if told(info, "role") else None


def _role_of(info: dict[str, Any]) -> str:
    """Return who speaks in a message; where it does not say, what it cost tells that a model did."""
    return told(info, "role") or ("assistant" if "tokens" in info or told(info, "modelID") else "user")


def _inside(folder: str, name: str) -> list[str]:
    """Return the files below one folder of that name; a name that leads out of it has none."""
    if not name or name != os.path.basename(name) or name in (".", ".."):
        return []
    return list(files_below(os.path.join(folder, name), ".json"))


def _names(folder: str) -> list[str]:
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    return [name for name in names if name.endswith(".json")]


class OpenCodeReading(Turns):
    """One session, from whichever of the three it comes."""

    agent = "opencode"

    def __init__(self, path: str, info: dict[str, Any], messages: Callable[[], Messages]) -> None:
        super().__init__(path)
        self._messages = messages
        self._revert = told(info.get("revert"), "messageID")
        facts = {"id": told(info, "id"), "title": told(info, "title"), "version": told(info, "version")}
        facts |= {"parent": told(info, "parentID"), "is_subagent": told(info, "parentID")}
        self.facts.update({name: value for name, value in facts.items() if value})
        self.stand("", 0, told(info, "directory"))
        times = table(info.get("time"))
        self.seen_at(when(times.get("created")))
        self.seen_at(when(times.get("updated")))

    def _walk(self) -> Iterator[None]:
        for number, message in enumerate(self._messages(), 1):
            if message is None:
                self.malformed += 1
                continue
            info, parts = message
            if self._revert and told(info, "id") >= self._revert:
                break
            self._circumstances(info, number)
            for part in parts:
                self.malformed += not part
                self._part(info, part)
            self._error(info)
            yield

    def _circumstances(self, info: dict[str, Any], number: int) -> None:
        times, path, model = table(info.get("time")), info.get("path"), table(info.get("model"))
        folder = told(path, "cwd") or (path if isinstance(path, str) else "")
        by_agent = _role_of(info) == "assistant"
        name = told(info, "modelID") or told(model, "modelID", "id")
        self.stand(when(times.get("created")), number, folder, model=name if by_agent else "")
        self.seen_at(when(times.get("completed")))
        if by_agent:
            self._count(info)

    def _count(self, info: dict[str, Any]) -> None:
        tokens = table(info.get("tokens"))
        cache = table(tokens.get("cache"))
        kinds = (
            tokens.get("input"),
            tokens.get("output"),
            cache.get("read"),
            cache.get("write"),
            tokens.get("reasoning"),
        )
        cost = info.get("cost")
        dollars = cost if isinstance(cost, (int, float)) and 0 < cost < 1e9 else 0.0
        self.cost.add(told(info, "id"), *kinds, at=self.at, model=self.model, dollars=dollars)

    def _part(self, info: dict[str, Any], part: dict[str, Any]) -> None:
        kind, id, role = told(part, "type"), told(part, "id"), _role_of(info)
        if kind == "tool":
            self._tool(part)
        elif kind == "text" and role == "assistant":
            self.say("summary" if info.get("summary") is True else "assistant", told(part, "text"), id)
        elif kind == "text":
            usual = "task" if "parent" in self.facts else "human"
            typed = role == "user" and part.get("synthetic") is not True
            self.person(told(part, "text"), id, usual if typed else "injected")
        elif kind == "subtask":
            self.say("task", told(part, "prompt"), id)

    def _tool(self, part: dict[str, Any]) -> None:
        state = table(part.get("state"))
        status, times = told(state, "status"), table(state.get("time"))
        at = self.at
        self.at = when(times.get("start")) or at
        key, name = told(part, "callID", "id"), told(part, "tool", "name")
        output = state.get("output", state.get("error", state.get("content")))
        self.call(key, name, state.get("input"), told(part, "id"))
        if status in ("pending", "running"):
            self.release()
        else:
            failed = status == "error" or whole(table(state.get("metadata")).get("exit")) != 0
            self.result(key, output, failed, name, time_between(times.get("start"), times.get("end")))
        self.at = at

    def _error(self, info: dict[str, Any]) -> None:
        error = table(info.get("error"))
        said = text_of(table(error.get("data")).get("message")) or told(error, "message")
        self.say("injected", f"{told(error, 'name')}: {said}" if error else "", failed=True)


__all__ = ["OpenCodeReading", "find", "read", "sniff"]
