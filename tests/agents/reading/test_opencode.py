"""Sessions of OpenCode: a database that is being written, an exported document, and the older tree."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest

from agents.reading.told import database, home, read_one, spoken, write_json
from holdfast.agents.reading import opencode

TABLES = (
    "CREATE TABLE session (id PRIMARY KEY, project_id, parent_id, directory, title, version, revert, time_created,"
    " time_updated)",
    "CREATE TABLE message (id PRIMARY KEY, session_id, time_created, time_updated, data)",
    "CREATE TABLE part (id PRIMARY KEY, message_id, session_id, time_created, data)",
)
ASKED = {"id": "msg_1", "role": "user", "time": {"created": 1_772_359_200_000}}
ANSWERED = {
    "id": "msg_2",
    "role": "assistant",
    "modelID": "m-1",
    "path": {"cwd": "/srv/shop/sub"},
    "time": {"created": 1_772_359_201_000, "completed": 1_772_359_209_000},
    "tokens": {"input": 10, "output": 5, "reasoning": 2, "cache": {"read": 100, "write": 7}},
    "cost": 0.25,
}
TEXT = {"id": "prt_1", "type": "text", "text": "look"}
TOOL = {
    "id": "prt_2",
    "type": "tool",
    "tool": "bash",
    "callID": "c-1",
    "state": {
        "status": "completed",
        "input": {"command": "make"},
        "output": "built",
        "metadata": {"exit": 0},
        "time": {"start": 1_772_359_202_000, "end": 1_772_359_202_300},
    },
}
SAID = {"id": "prt_3", "type": "text", "text": "Done."}
EXPECTED = [("human", "look"), ("tool", 'bash {"command":"make"} -> built'), ("assistant", "Done.")]


def export(*messages: tuple[dict, list[dict]], **info: object) -> dict:
    """Return an exported document."""
    about = {"id": "ses_1", "projectID": "p", "directory": "/srv/shop", "title": "Look", "version": "1.2", **info}
    return {"info": about, "messages": [{"info": one, "parts": parts} for one, parts in messages]}


def rows(session: str = "ses_1", parent: str | None = None) -> list[tuple[str, tuple[object, ...]]]:
    """Return the statements that write a session."""
    made = [
        (
            "INSERT INTO session VALUES (?,?,?,?,?,?,?,?,?)",
            (session, "p", parent, "/srv/shop", "Look", "1.2", None, 1, 2),
        )
    ]
    for message in (ASKED, ANSWERED):
        id, data = (
            f"{session}{message['id']}",
            json.dumps({key: value for key, value in message.items() if key != "id"}),
        )
        made.append(("INSERT INTO message VALUES (?,?,?,?,?)", (id, session, message["time"]["created"], 0, data)))
    for part, message in ((TEXT, "msg_1"), (TOOL, "msg_2"), (SAID, "msg_2")):
        made.append(
            (
                "INSERT INTO part VALUES (?,?,?,?,?)",
                (session + part["id"], session + message, session, 0, json.dumps(part)),
            )
        )
    return made


def tree(storage: Path, session: str = "ses_1") -> Path:
    """Write the older tree and return the file of the session."""
    write_json(storage / "message" / session / "msg_1.json", {**ASKED, "sessionID": session})
    write_json(storage / "message" / session / "msg_2.json", {**ANSWERED, "sessionID": session})
    write_json(storage / "part" / "msg_1" / "prt_1.json", TEXT)
    write_json(storage / "part" / "msg_2" / "prt_2.json", TOOL)
    write_json(storage / "part" / "msg_2" / "prt_3.json", SAID)
    info = {
        "id": session,
        "projectID": "p",
        "directory": "/srv/shop",
        "title": "Look",
        "time": {"created": 1, "updated": 2},
    }
    return write_json(storage / "session" / "p" / f"{session}.json", info)


@pytest.fixture
def exported(tmp_path: Path):
    """Write an exported document and return its path."""

    def write(*messages: tuple[dict, list[dict]], indent: int | None = 2, **info: object) -> Path:
        return write_json(tmp_path / "out.json", export(*messages, **info), indent)

    return write


@pytest.mark.parametrize("indent", [None, 2])
def test_an_export_is_read(exported, indent) -> None:
    """The document tells messages and parts, on one line or on many."""
    events, session = read_one(opencode, exported((ASKED, [TEXT]), (ANSWERED, [TOOL, SAID]), indent=indent))
    assert spoken(events) == EXPECTED
    assert (events[1].milliseconds, events[1].folder, events[1].model) == (300, "/srv/shop/sub", "m-1")
    assert (session.id, session.title, session.folder, session.version, session.models) == (
        "ses_1",
        "Look",
        "/srv/shop",
        "1.2",
        ("m-1",),
    )
    cost = session.cost
    assert (cost.input, cost.output, cost.cache_read, cost.cache_write, cost.reasoning, cost.dollars) == (
        10,
        5,
        100,
        7,
        2,
        0.25,
    )
    assert [(one.model, one.cost) for one in session.spends] == [("m-1", cost)] and session.spends[0].day


def test_a_database_is_read_while_it_is_written(tmp_path) -> None:
    """What only stands in the write-ahead log is read, nothing is changed, and what comes later is read later."""
    path = tmp_path / "opencode.db"
    writer = database(path, *TABLES, *rows())
    before = [hashlib.sha256(Path(f"{path}{end}").read_bytes()).hexdigest() for end in ("", "-wal")]
    assert spoken(read_one(opencode, path)[0]) == EXPECTED
    assert before == [hashlib.sha256(Path(f"{path}{end}").read_bytes()).hexdigest() for end in ("", "-wal")]
    for statement, values in rows("ses_2", "ses_1"):
        writer.execute(statement, values)
    writer.commit()
    second = list(opencode.read(str(path)))[1]
    assert [one.role for one in second] == ["task", "tool", "assistant"]
    assert (second.session().parent, second.session().is_subagent) == ("ses_1", True)
    writer.close()


def test_a_locked_database_is_read_from_a_copy(tmp_path, monkeypatch) -> None:
    """Where the agent locks everybody out, a copy is read, and no copy is left behind."""
    path = tmp_path / "opencode.db"
    writer = database(path, *TABLES, *rows())
    writer.execute("PRAGMA locking_mode=EXCLUSIVE")
    writer.execute("BEGIN EXCLUSIVE")
    copies = tmp_path / "copies"
    copies.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(copies))
    monkeypatch.setattr("holdfast.agents.reading.database.SECONDS", 0.05)
    assert spoken(read_one(opencode, path)[0]) == EXPECTED
    assert os.listdir(copies) == []
    writer.close()


def test_readings_can_be_walked_after_all_were_listed(tmp_path) -> None:
    """The database stays open as long as a reading of it is held."""
    path = tmp_path / "opencode.db"
    writer = database(path, *TABLES, *rows(), *rows("ses_2"))
    writer.close()
    assert [len(list(one)) for one in list(opencode.read(str(path)))] == [3, 3]


def test_the_older_tree_is_read(tmp_path) -> None:
    """A session, its messages and their parts lie in three folders; once all parts lay in one."""
    path = tree(tmp_path / "storage")
    assert spoken(read_one(opencode, path)[0]) == EXPECTED
    part = tmp_path / "storage" / "part"
    for file in sorted(part.glob("*/*.json")):
        write_json(part / file.name, {**json.loads(file.read_text()), "messageID": file.parent.name})
        file.unlink()
    assert spoken(read_one(opencode, path)[0]) == EXPECTED


def test_a_message_that_points_out_of_the_tree_has_no_parts(tmp_path) -> None:
    """An id that is a path is not followed."""
    path = tree(tmp_path / "storage")
    write_json(tmp_path / "storage" / "outside" / "prt_1.json", TEXT)
    write_json(tmp_path / "storage" / "message" / "ses_1" / "msg_1.json", {**ASKED, "id": "../outside"})
    assert [one.role for one in read_one(opencode, path)[0]] == ["tool", "assistant"]


def test_what_is_in_the_database_is_not_found_twice(tmp_path) -> None:
    """After the change of versions the tree still lies there; only sessions that no database has are found in it."""
    data = tmp_path / "home" / ".local" / "share" / "opencode"
    tree(data / "storage")
    other = tree(data / "storage", "ses_0")
    path = data / "opencode-next.db"
    database(path, *TABLES, *rows()).close()
    (data / "opencode.log.db").write_text("no database")
    assert list(opencode.find(home(tmp_path))) == [str(path), str(other)]


def test_failures_are_told(exported) -> None:
    """An exit code, an error of a tool, and the error of a whole answer are failures; a running call has no output."""
    exit_code = {**TOOL, "state": {**TOOL["state"], "metadata": {"exit": 2}}}
    error = {**TOOL, "callID": "c-2", "state": {"status": "error", "input": {}, "error": "no such file"}}
    running = {**TOOL, "callID": "c-3", "state": {"status": "running", "input": {}}}
    aborted = {**ANSWERED, "error": {"name": "MessageAbortedError", "data": {"message": "stopped"}}}
    events, _ = read_one(opencode, exported((aborted, [exit_code, error, running])))
    assert [(one.failed, one.output or one.text) for one in events] == [
        (True, "built"),
        (True, "no such file"),
        (False, ""),
        (True, "MessageAbortedError: stopped"),
    ]


def test_texts_have_the_role_of_who_wrote_them(exported) -> None:
    """Synthetic parts are injected, our own are ours, the answer of a compaction is a summary, a subtask a task."""
    parts = [
        {"type": "text", "text": "read this", "synthetic": True},
        {"type": "text", "text": "<holdfast-memory>\nx\n</holdfast-memory>", "synthetic": True},
        {"type": "text", "text": "look"},
        {"type": "subtask", "prompt": "count"},
        {"type": "file", "url": "data:image/png;base64," + "A" * 5000},
        {"type": "step-start"},
    ]
    summary = {**ANSWERED, "summary": True}
    events, _ = read_one(opencode, exported((ASKED, parts), (summary, [{"type": "text", "text": "We looked."}])))
    assert [one.role for one in events] == ["injected", "ours", "human", "task", "summary"]


def test_a_reverted_message_is_void(exported) -> None:
    """From the message that the person went back to, nothing is told."""
    events, _ = read_one(opencode, exported((ASKED, [TEXT]), (ANSWERED, [SAID]), revert={"messageID": "msg_2"}))
    assert [one.text for one in events] == ["look"]


def test_broken_rows_and_messages_are_counted(tmp_path, exported) -> None:
    """A message that is no object and a row that is no JSON cost only themselves."""
    document = export((ASKED, [TEXT]))
    document["messages"] += [7, {"parts": []}]
    assert read_one(opencode, write_json(tmp_path / "x.json", document))[1].malformed == 2
    path = tmp_path / "opencode.db"
    writer = database(path, *TABLES, *rows())
    writer.execute("UPDATE part SET data = '{' WHERE id = 'ses_1prt_2'")
    writer.commit()
    writer.close()
    events, session = read_one(opencode, path)
    assert ([one.role for one in events], session.malformed) == (["human", "assistant"], 1)


def test_the_newer_table_is_read_where_the_older_is_empty(tmp_path) -> None:
    """Messages of the table that is to come tell texts and tools."""
    path = tmp_path / "opencode.db"
    table = "CREATE TABLE session_message (id, session_id, type, seq, time_created, data)"
    tool = {"type": "tool", "id": "c", "name": "read", "state": {"status": "completed", "input": {}, "output": "text"}}
    added = [
        (
            "INSERT INTO session_message VALUES (?,?,?,?,?,?)",
            ("a", "ses_1", "user", 1, 5, json.dumps({"text": "look"})),
        ),
        (
            "INSERT INTO session_message VALUES (?,?,?,?,?,?)",
            ("b", "ses_1", "assistant", 2, 6, json.dumps({"content": [tool]})),
        ),
    ]
    database(path, *TABLES, table, rows()[0], *added).close()
    assert spoken(read_one(opencode, path)[0]) == [("human", "look"), ("tool", "read {} -> text")]


def test_a_database_of_others_is_not_ours(tmp_path) -> None:
    """The tables tell, not the name."""
    path = tmp_path / "opencode.db"
    database(path, "CREATE TABLE session (id TEXT)").close()
    assert not opencode.sniff(str(path))


def test_who_speaks_is_not_guessed_to_be_a_person(tmp_path) -> None:
    """A message that does not say its role is the model's where it cost tokens; one of an unknown role is injected."""
    without = {name: value for name, value in ANSWERED.items() if name != "role"}
    other = {"id": "msg_3", "role": "observer"}
    document = export((ASKED, [TEXT]), (without, [TOOL, SAID]), (other, [{**SAID, "text": "seen"}]))
    events, session = read_one(opencode, write_json(tmp_path / "s.json", document))
    assert spoken(events) == [*EXPECTED, ("injected", "seen")]
    assert session.cost.output == 5
