"""The sessions of OpenCode: rows of a database, an exported document, or the older tree of small JSON files.

All three tell the same: a session, its messages, and the parts of each message. Parts are rewritten in place while the
agent works, so there is nothing to read on from; a call and its result are one part. Cached tokens are not part of the
input. The session of a sub-agent names its parent, and what stands there for a person is the task that it was given.
After a change of versions a session may lie both in the database and in the tree: `find` names the database only.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any

from holdfast.agents.base import Place
from holdfast.agents.opencode import AGENT
from holdfast.agents.reading.base import Reading
from holdfast.agents.reading.database import AgentDatabase, databases_in, is_database, opened
from holdfast.agents.reading.lines import MAX_LINE, decode, document, files_below, head, small_json
from holdfast.agents.reading.values import as_dict, as_list, dollars, field, milliseconds, text_of, when, whole
from holdfast.base.files import names_in

# Each message as `{"info": ..., "parts": [...]}`; None is one that cannot be read.
Messages = Iterator[dict[str, Any] | None]

_SESSION = re.compile(rb'"sessionID"\s*:\s*"|"projectID"\s*:\s*"')
# Where the columns of a session and the fields of a document have different names.
COLUMNS = {"parentID": "parent_id", "directory": "directory", "title": "title", "version": "version", "id": "id"}


def find(place: Place) -> Iterator[str]:
    """Yield the databases, then those sessions of the older tree that no database has."""
    data = place.environment.get("XDG_DATA_HOME") or os.path.join(place.home, ".local", "share")
    folder = os.path.join(data, "opencode")
    known: set[str] = set()
    named = place.environment.get("OPENCODE_DB", "")
    own = [os.path.join(folder, named)] if named else []
    for path in dict.fromkeys([*own, *databases_in(folder, "opencode", ".db")]):
        if is_database(path):
            database = opened(path)
            if database and database.has("session", "id"):
                known.update(field(row, "id") for row in database.rows("SELECT id FROM session"))
            yield path
    for path in files_below(os.path.join(folder, "storage", "session"), ".json"):
        if field(small_json(path), "id") not in known:
            yield path


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
    database = opened(path)
    if database is not None:
        for row in database.rows("SELECT * FROM session ORDER BY time_created, id"):
            yield OpenCodeReading(path, _info_of(row), _rows(database, field(row, "id")))
    elif b'"info"' in head(path)[:200]:
        rest, messages = document(path, "messages")
        yield OpenCodeReading(path, as_dict(rest.get("info")), messages)
    elif not is_database(path):
        info = small_json(path)
        yield OpenCodeReading(path, info, _tree(path, field(info, "id")))


def _info_of(row: dict[str, Any]) -> dict[str, Any]:
    info: dict[str, Any] = {name: field(row, column) for name, column in COLUMNS.items()}
    info["time"] = {"created": row.get("time_created"), "updated": row.get("time_updated")}
    info["revert"] = decode(field(row, "revert").encode()) if field(row, "revert") else None
    return info


def _rows(database: AgentDatabase, session: str) -> Messages:
    """Yield the messages of a session, each with its parts, by statements that are over at once."""
    ids = database.rows("SELECT id FROM message WHERE session_id = ? ORDER BY time_created, id", session)
    for row in ids:
        before = database.broken
        yield _message(database, field(row, "id"))
        if database.broken > before:
            yield None
    if not ids and database.has("session_message", "seq", "type", "data"):
        for row in database.rows("SELECT * FROM session_message WHERE session_id = ? ORDER BY seq", session):
            yield _newer_message(row)


def _message(database: AgentDatabase, id: str) -> dict[str, Any] | None:
    found = database.rows("SELECT data FROM message WHERE id = ?", id)
    info = decode(field(found[0], "data").encode()) if found else None
    parts = database.rows("SELECT id, data FROM part WHERE message_id = ? ORDER BY id", id)
    decoded = [(field(row, "id"), decode(field(row, "data").encode())) for row in parts]
    shown = [{} if part is None else {"id": place, **part} for place, part in decoded]
    return None if info is None else {"info": {"id": id, **info}, "parts": shown}


def _newer_message(row: dict[str, Any]) -> dict[str, Any] | None:
    """Return a message of the table that is to replace the other two, in the shape of the older ones."""
    data, kind = decode(field(row, "data").encode()), field(row, "type")
    if data is None:
        return None
    info = {"id": field(row, "id"), "time": {"created": row.get("time_created")}, **data}
    role = "assistant" if kind in ("assistant", "compaction") else "user"
    text = field(data, "text", "summary")
    parts = [{"type": "text", "text": text, "synthetic": kind != "user"}] if text else []
    parts += filter(as_dict, as_list(data.get("content")))
    return {"info": {**info, "role": role, "summary": kind == "compaction"}, "parts": parts}


def _tree(path: str, session: str) -> Messages:
    """Yield the messages that lie beside a session in the older tree; once the parts of all lay in one folder."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(path))))
    found = [small_json(one) for one in _inside(os.path.join(root, "message"), session)]
    names = names_in(os.path.join(root, "part"), ".json", hidden=True)
    flat = [small_json(os.path.join(root, "part", name)) for name in names]
    for info in sorted(found, key=lambda one: (whole(as_dict(one.get("time")).get("created")), field(one, "id"))):
        own = [small_json(one, MAX_LINE) for one in _inside(os.path.join(root, "part"), field(info, "id"))]
        own += [part for part in flat if field(part, "messageID") == field(info, "id")]
        yield {"info": info, "parts": own} if field(info, "role") else None


def _inside(folder: str, name: str) -> list[str]:
    """Return the files below one folder of that name; a name that leads out of it has none."""
    if not name or name != os.path.basename(name) or name in (".", ".."):
        return []
    return list(files_below(os.path.join(folder, name), ".json"))


class OpenCodeReading(Reading):
    """One session, from whichever of the three it comes."""

    agent = "opencode"
    dialogs = AGENT.dialogs

    def __init__(self, path: str, info: dict[str, Any], messages: Messages) -> None:
        super().__init__(path)
        self._messages = messages
        self._revert = field(info.get("revert"), "messageID")
        name, parent = field(info, "id"), field(info, "parentID")
        title, version = field(info, "title"), field(info, "version")
        self.know(id=name, title=title, version=version, parent=parent, is_subagent=parent)
        self.circumstances(field(info, "directory"))
        times = as_dict(info.get("time"))
        self.seen_at(when(times.get("created")), when(times.get("updated")))

    def records(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the messages up to the one to which the person went back."""
        messages = (one if as_dict(as_dict(one).get("info")) else None for one in self._messages)
        for number, message in self.numbered(messages):
            if self._revert and field(message["info"], "id") >= self._revert:
                return
            yield number, message

    def time_of(self, record: dict[str, Any]) -> str:
        return when(as_dict(record["info"].get("time")).get("created"))

    def take(self, record: dict[str, Any]) -> None:
        info, path = record["info"], record["info"].get("path")
        self.circumstances(field(path, "cwd") or (path if isinstance(path, str) else ""))
        self.seen_at(when(as_dict(info.get("time")).get("completed")))
        # Where a message does not say who speaks in it, what it cost tells that a model did.
        role = field(info, "role") or ("assistant" if "tokens" in info or field(info, "modelID") else "user")
        if role == "assistant":
            self.circumstances(model=field(info, "modelID") or field(info.get("model"), "modelID", "id"))
            self._count(info)
        for part in map(as_dict, as_list(record.get("parts"))):
            self.malformed += not part
            kind, id = field(part, "type"), field(part, "id")
            if kind == "tool":
                self._tool(part)
            elif kind == "text" and role == "assistant":
                self.say("summary" if info.get("summary") is True else "assistant", field(part, "text"), id)
            elif kind == "text":
                usual = "task" if "parent" in self.facts else "human"
                typed = role == "user" and part.get("synthetic") is not True
                self.person(field(part, "text"), id, usual if typed else "injected")
            elif kind == "subtask":
                self.say("task", field(part, "prompt"), id)
        error = as_dict(info.get("error"))
        said = text_of(as_dict(error.get("data")).get("message")) or field(error, "message")
        self.say("injected", f"{field(error, 'name')}: {said}" if error else "", failed=True)

    def _count(self, info: dict[str, Any]) -> None:
        tokens = as_dict(info.get("tokens"))
        cache = as_dict(tokens.get("cache"))
        kinds = [tokens.get("input"), tokens.get("output"), cache.get("read"), cache.get("write")]
        kinds.append(tokens.get("reasoning"))
        price = dollars(info.get("cost"))
        self.cost.add(field(info, "id"), *kinds, at=self.at, model=self.model, dollars=price)

    def _tool(self, part: dict[str, Any]) -> None:
        state = as_dict(part.get("state"))
        status, times = field(state, "status"), as_dict(state.get("time"))
        at = self.at
        self.at = when(times.get("start")) or at
        key, name = field(part, "callID", "id"), field(part, "tool", "name")
        output = state.get("output", state.get("error", state.get("content")))
        self.call(key, name, state.get("input"), field(part, "id"))
        if status in ("pending", "running"):
            self.release()
        else:
            about = as_dict(state.get("metadata"))
            failed = status == "error" or whole(about.get("exit")) != 0
            took = milliseconds(when(times.get("start")), when(times.get("end")))
            self.result(key, output, failed, name, took, as_list(about.get("answers")))
        self.at = at
