"""The sweep: what changed in the transcripts of all agents goes into the archive, once, clean, within its budget."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from holdfast.app.sweep import sweep
from holdfast.errors import NotFound, StoreBusy
from holdfast.journal import notices
from holdfast.sessions.archive import Archive
from holdfast.sessions.digest import RULES
from holdfast.sessions.index import waiting_passages
from support.command_line import program
from support.forking import Program
from support.sampling import some
from support.swept import (
    archive_of,
    indexed,
    leftovers,
    line,
    raw,
    talk,
    transcript,
    write,
)

SECRET = "ghp_" + "x7Rk2mQv9Lt4Wd8Zs1Hn6Yb3Cf5Jg0PaUeTi"


@pytest.fixture
def swept(workspace):
    """Sweep the home and return what it did."""

    def run(**options):
        with workspace() as opened:
            return sweep(opened, **options)

    return run


@pytest.fixture
def names(home):
    """Return the sessions in the archive."""
    return lambda: [entry.name for entry in Archive(str(home)).entries()]


def test_every_new_session_is_stored_digested_and_found(machine, home, swept, names):
    """A first sweep reports what it discovered, stored and analysed, and each session has raw events and a digest."""
    write(transcript(machine, "one"), talk("one", 2))
    write(transcript(machine, "two"), talk("two", 3))
    found = swept()
    assert (found.discovered, found.ingested, found.analysed, found.skipped_unchanged) == (2, 2, 2, 0)
    assert sorted(names()) == ["claude-code/one", "claude-code/two"]
    archive = Archive(str(home))
    assert archive.digest("claude-code/two").asks == 3
    assert [event.role for event in archive.events("claude-code/one")] == ["human", "tool", "assistant"] * 2
    assert found.problems == ()


def test_what_stands_in_place_of_a_transcript_is_told_once(machine, home, swept):
    """A linked folder, and a link, pipe or folder with a transcript's name, are not read; a notice names them once."""
    projects = write(transcript(machine, "one"), talk("one", 2)).parent
    elsewhere = write(machine / "elsewhere" / "two.jsonl", talk("two", 2))
    (projects / "linked.jsonl").symlink_to(elsewhere)
    (projects.parent / "p").symlink_to(elsewhere.parent)
    (projects / "folder.jsonl").mkdir()
    os.mkfifo(projects / "pipe.jsonl")
    assert swept().discovered == 1
    (notice,) = notices.unseen(str(home))
    assert sorted(map(os.path.basename, notice.names)) == ["folder.jsonl", "linked.jsonl", "p", "pipe.jsonl"]
    assert "not read" in notice.text and notice.hint
    notices.settle(str(home), [notice])
    swept()
    assert notices.unseen(str(home)) == []


def test_a_second_sweep_does_nothing(machine, home, swept):
    """Transcripts that did not change are skipped, and no file of the archive is written again."""
    write(transcript(machine, "one"), talk("one", 2), at=time.time() - 60)
    swept()
    before = {path: path.stat().st_mtime_ns for path in (home / "archive").rglob("*")}
    found = swept()
    assert (found.discovered, found.ingested, found.analysed, found.skipped_unchanged) == (1, 0, 0, 1)
    assert {path: path.stat().st_mtime_ns for path in (home / "archive").rglob("*")} == before


def test_a_transcript_that_grew_replaces_its_session(machine, home, swept, names):
    """What was added is in the archive once, beside what was there before."""
    path = write(transcript(machine, "one"), talk("one", 2))
    swept()
    with path.open("ab") as file:
        file.write(raw(talk("one", 1, start=2)))
    found = swept()
    assert (found.ingested, found.rewritten) == (1, 0)
    assert names() == ["claude-code/one"]
    assert Archive(str(home)).session("claude-code/one").events == 9


def test_a_transcript_that_is_gone_changes_nothing(machine, home, swept):
    """Agents delete their transcripts; the archive keeps what it has."""
    path = write(transcript(machine, "one"), talk("one", 2))
    swept()
    before = archive_of(home)
    path.unlink()
    assert swept().discovered == 0
    assert archive_of(home) == before


def test_a_file_rewritten_with_the_same_size_and_time_is_noticed(machine, home, swept):
    """Bytes that changed in place are found by the hash of the tail, though size and time of the file are as before."""
    old = talk("one", 2)
    path = write(transcript(machine, "one"), old, at=time.time() - 60)
    swept()
    was = path.stat()
    path.write_bytes(raw(old).replace(b"Mended the till 1", b"Broken the till 1"))
    os.utime(path, ns=(was.st_atime_ns, was.st_mtime_ns))
    assert (path.stat().st_size, path.stat().st_mtime_ns) == (was.st_size, was.st_mtime_ns)
    found = swept()
    assert (found.ingested, found.rewritten) == (1, 1)
    assert "Broken the till 1." in [event.text for event in Archive(str(home)).events("claude-code/one")]


def test_a_file_that_was_only_touched_by_mode_is_not_read_again(machine, swept):
    """Another mode is no other content."""
    path = write(transcript(machine, "one"), talk("one", 2), at=time.time() - 60)
    swept()
    path.chmod(0o600)
    assert swept().skipped_unchanged == 1


def test_a_rewrite_that_tells_less_does_not_take_away(machine, home, swept):
    """The longer version stays beside the new one, and the sweep says so."""
    path = write(transcript(machine, "one"), talk("one", 5))
    swept()
    write(path, talk("one", 1, words="the door"))
    found = swept()
    assert (found.ingested, found.rewritten) == (1, 1)
    assert [problem.kind for problem in found.problems] == ["rewritten"]
    archive = Archive(str(home))
    assert archive.session("claude-code/one").events == 3
    assert len(list(archive.events("claude-code/one", earlier=True))) == 15


def test_what_was_told_before_a_rewrite_can_be_read(machine, swept, cli):
    """`sessions show --raw --earlier` shows it, and where there is none it says so; alone it is no way to show."""
    path = write(transcript(machine, "one"), talk("one", 5))
    swept()
    assert cli("sessions", "show", "one", "--raw", "--earlier").code == 3
    write(path, talk("one", 1, words="the door"))
    assert "sessions show claude-code/one --raw --earlier" in swept().problems[0].hint
    told = cli("sessions", "show", "one", "--raw", "--earlier").out
    assert "the till 4" in told and "the door" not in told
    assert "the till 4" not in cli("sessions", "show", "one", "--raw").out
    assert cli("sessions", "show", "one", "--earlier").code == 2


def test_secrets_are_taken_out_before_anything_is_stored(machine, home, swept):
    """No byte of a secret reaches any file of the home, and its kind is counted."""
    records = talk("one", 1)
    records.append(line("one", 50, "user", f"the token is {SECRET}"))
    records.append(line("one", 51, "user", "see", cwd=f"/src/{SECRET}", gitBranch=SECRET))
    write(transcript(machine, "one"), records)
    found = swept()
    assert sum(found.redacted.values()) >= 3
    everything = b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())
    assert SECRET.encode() not in everything + b"".join(archive_of(home).values())


def test_one_bad_line_does_not_cost_the_file(machine, home, swept):
    """Lines that are no records are counted and passed over."""
    records = talk("one", 2)
    write(transcript(machine, "one"), raw(records[:4]) + b'{"type": "user", \x00\xff\n[]\n' + raw(records[4:]))
    found = swept()
    assert (found.malformed, found.ingested, found.problems) == (2, 1, ())
    assert Archive(str(home)).session("claude-code/one").events == 6


def test_content_decides_whose_a_transcript_is(machine, swept, names):
    """A transcript of one agent in the folder of another is taken for what it is."""
    write(machine / ".qwen" / "projects" / "shop" / "chats" / "one.jsonl", talk("one", 1))
    assert swept().ingested == 1
    assert names() == ["claude-code/one"]


@pytest.mark.parametrize("content", [b"just some notes\n", bytes(range(128, 256)) * 40])
def test_what_no_agent_takes_is_told_once_and_is_remembered(machine, swept, content):
    """A file in an agent's folder that is nobody's is named, and skipped the next time without being looked into."""
    write(transcript(machine, "notes"), content, at=time.time() - 60)
    found = swept()
    assert (found.discovered, found.ingested) == (1, 0)
    assert [(one.kind, one.path.rpartition("/")[2]) for one in found.problems] == [("unread", "notes.jsonl")]
    again = swept()
    assert (again.skipped_unchanged, again.problems) == (1, ())


def test_what_cannot_be_read_is_a_problem_with_its_path(machine, swept, tmp_path, names):
    """A dangling link, a named pipe and what is missing are told, nothing hangs, and the others are taken."""
    pipe, link = tmp_path / "pipe.jsonl", tmp_path / "link.jsonl"
    os.mkfifo(pipe)
    link.symlink_to(tmp_path / "nowhere")
    good = write(tmp_path / "good.jsonl", talk("good", 1))
    found = swept(paths=(str(pipe), str(link), str(tmp_path / "missing"), str(good)))
    assert [problem.kind for problem in found.problems] == ["unreadable"] * 3
    assert [problem.path for problem in found.problems] == [str(pipe), str(link), str(tmp_path / "missing")]
    assert all(problem.hint for problem in found.problems)
    assert names() == ["claude-code/good"]


def test_a_pipe_among_the_transcripts_holds_nobody(machine, swept):
    """A named pipe and a folder with the name of a transcript are passed over."""
    write(transcript(machine, "one"), talk("one", 1))
    os.mkfifo(transcript(machine, "pipe"))
    transcript(machine, "folder").mkdir()
    assert swept().ingested == 1


def test_a_dry_run_writes_nothing_at_all(machine, home, swept, tree):
    """Before a first sweep and after one, a dry run says what would be done, and no file or folder changes."""
    path = write(transcript(machine, "one"), talk("one", 2))
    before = tree(machine, index=True)
    found = swept(dry_run=True)
    assert (found.discovered, found.ingested, found.analysed) == (1, 1, 1)
    assert tree(machine, index=True) == before
    assert not home.exists()
    swept()
    write(path, [*talk("one", 2), line("one", 90, "user", f"also {SECRET}")])
    before = tree(machine, index=True)
    found = swept(dry_run=True)
    assert found.ingested == 1
    assert found.redacted
    assert tree(machine, index=True) == before


def test_only_the_agents_that_are_named(machine, swept):
    """`agents` leaves the others alone; one that is unknown is refused with the names of those that are."""
    write(transcript(machine, "one"), talk("one", 1))
    assert swept(agents=("codex",)).discovered == 0
    assert swept(agents=("codex", "claude-code")).ingested == 1
    with pytest.raises(NotFound, match="nobody"):
        swept(agents=("nobody",))


def test_only_what_changed_since(machine, swept, names):
    """`since` leaves out what is older, and takes times as people say them."""
    write(transcript(machine, "old"), talk("old", 1), at=time.time() - 20 * 86_400)
    write(transcript(machine, "new"), talk("new", 1))
    assert swept(since="7d").discovered == 1
    assert names() == ["claude-code/new"]


def test_a_bound_in_time_leaves_the_rest_waiting(machine, swept, names):
    """When the time is over no further transcript is begun, and the next sweep takes what waits."""
    for number in range(5):
        write(transcript(machine, f"s{number}"), talk(f"s{number}", 1))
    found = swept(within=1e-9)
    assert (found.waiting, found.ingested) == (5, 0)
    assert swept().ingested == 5
    assert len(names()) == 5


def test_a_transcript_that_takes_too_long_waits_and_leaves_nothing(machine, home, swept, names, monkeypatch):
    """When the time is over in the middle of a transcript nothing of it is stored, and the shorter ones come first."""
    # Words that nobody has to judge.
    lines = [line("long", number, ("user", "assistant")[number % 2], "Go.") for number in range(1_200)]
    write(transcript(machine, "long"), lines, at=time.time() - 60)
    write(transcript(machine, "short"), talk("short", 1))
    ticks = itertools.count()
    with monkeypatch.context() as patched:
        patched.setattr("time.monotonic", lambda: next(ticks) / 10_000)
        found = swept(within=0.03)
    assert (found.waiting, found.problems) == (1, ())
    assert (names(), leftovers(home)) == (["claude-code/short"], [])
    assert swept().ingested == 1
    assert len(names()) == 2


def test_what_was_said_has_vectors_in_the_end(machine, workspace):
    """A sweep that took something in makes its vectors and says so; a dry run and a sweep without time make none."""
    write(transcript(machine, "one"), talk("one", 2))
    said: list[str] = []
    with workspace() as opened:
        sweep(opened, dry_run=True, doing=said.append)
        assert said == []
        assert sweep(opened, doing=said.append).ingested == 1
        assert len(said) == 1 and said[0].startswith("making vectors of ")
        assert waiting_passages(opened) == 0


def test_memory_that_is_switched_off_takes_nothing(machine, home, workspace):
    """With `enabled = false` nothing is read and nothing is written."""
    write(transcript(machine, "one"), talk("one", 1))
    with workspace(flags={"enabled": "false"}) as opened:
        assert sweep(opened).discovered == 0
    assert not home.exists()


def test_what_was_forgotten_stays_out(machine, home, swept, names):
    """A session that a person forgot does not come back, even when its transcript grows."""
    path = write(transcript(machine, "one"), talk("one", 1))
    swept()
    Archive(str(home)).forget("claude-code/one")
    write(path, talk("one", 2))
    found = swept()
    assert (found.forgotten_skipped, found.ingested) == (1, 0)
    assert names() == []


@pytest.mark.parametrize("newest_first", [False, True])
def test_a_copied_history_is_counted_once(machine, home, swept, monkeypatch, newest_first):
    """A session that begins with the lines of another has only what is its own, and names the other as its parent."""
    monkeypatch.setattr("holdfast.app.sweep._TOGETHER_BYTES", 1 if newest_first else 1 << 30)
    first = talk("first", 2)
    own = talk("second", 1, start=5)
    copied = [{**record, "sessionId": "second"} for record in first]
    third = [{**record, "sessionId": "third"} for record in (*copied, *own)]
    write(transcript(machine, "first"), first, at=time.time() - 300)
    write(transcript(machine, "second"), [*copied, *own], at=time.time() - 200)
    write(transcript(machine, "third"), [*third, *talk("third", 1, start=9)], at=time.time() - 100)
    swept()
    archive = Archive(str(home))
    found = {name: archive.session(f"claude-code/{name}") for name in ("first", "second", "third")}
    assert [found[name].events for name in found] == [6, 3, 3]
    assert [found[name].cost.output for name in found] == [20, 10, 10]
    assert [found[name].parent for name in found] == ["", "first", "second"]


def test_of_much_that_is_new_the_newest_is_there_first(machine, workspace, monkeypatch):
    """Where a sweep is long, what a person did last is stored before what is old."""
    monkeypatch.setattr("holdfast.app.sweep._TOGETHER_BYTES", 1)
    for days in (3, 1, 2):
        write(transcript(machine, f"old-{days}"), talk(f"old-{days}", 1), at=time.time() - days * 86_400)
    there = []
    with workspace() as opened:
        archive = Archive(opened.home)
        sweep(opened, pace=lambda *_: there.append([one.id for one in archive.entries()]))
        there.append([one.id for one in archive.entries()])
    assert [set(after) - set(before) for before, after in itertools.pairwise(there)] == [
        {"old-1"},
        {"old-2"},
        {"old-3"},
    ]


def test_a_resumed_session_is_shown_by_its_first_id(machine, swept, cli):
    """Whoever knows a session by the id that it began under finds it; what forgets or pins wants its own id."""
    own = [{**record, "sessionId": "first"} for record in talk("second", 1)]
    write(transcript(machine, "second"), [*own, *talk("second", 1, start=5)])
    swept()
    assert cli("sessions", "show", "first").out == cli("sessions", "show", "second").out
    assert cli("sessions", "show", "claude-code/first", "--raw").code == 0
    assert cli("sessions", "forget", "first", "--yes").code != 0


def test_a_copy_stays_what_it_is_when_its_original_goes(machine, home, swept, cli):
    """Events that were evicted or forgotten do not come back by a session that copied them, however it grows."""
    first, own = talk("first", 2), talk("second", 1, start=5)
    copied = [{**record, "sessionId": "second"} for record in first]
    write(transcript(machine, "first"), first, at=time.time() - 300)
    path = write(transcript(machine, "second"), [*copied, *own], at=time.time() - 200)
    swept()
    archive = Archive(str(home))
    archive.drop_raw("claude-code/first")
    write(path, [*copied, *own, *talk("second", 1, start=7)], at=time.time() - 100)
    swept()
    assert archive.session("claude-code/second").events == 6
    archive.forget("claude-code/first")
    write(path, [*copied, *own, *talk("second", 2, start=7)], at=time.time() - 50)
    swept()
    assert archive.session("claude-code/second").events == 9
    (home / "state" / "transcripts.db").unlink()
    transcript(machine, "first").unlink()
    write(path, [*copied, *own, *talk("second", 3, start=7)], at=time.time() - 20)
    swept()
    assert archive.session("claude-code/second").events == 12
    assert archive.session("claude-code/second").parent == "first"


def test_a_copy_of_what_was_forgotten_stays_out(machine, home, swept):
    """A session that begins with the lines of a forgotten one is not taken: what was forgotten would come back."""
    first = talk("first", 2)
    write(transcript(machine, "first"), first, at=time.time() - 300)
    swept()
    archive = Archive(str(home))
    archive.forget("claude-code/first")
    third = [{**record, "sessionId": "third"} for record in (*first, *talk("third", 1, start=9))]
    write(transcript(machine, "third"), third)
    assert swept().forgotten_skipped == 1
    assert not archive.has("claude-code/third")


def test_digests_by_older_rules_are_made_anew(machine, home, swept):
    """When the rules changed every digest of which there are events is made again, though its transcript is gone."""
    path = write(transcript(machine, "one"), talk("one", 2), at=time.time() - 60)
    swept()
    path.unlink()
    [digest] = (home / "archive" / "digests").rglob("*.json")
    before = digest.read_bytes()
    was = digest.stat()
    digest.write_bytes(before.replace(b'"asks":2', b'"asks":9').replace(f'"rules":{RULES}'.encode(), b'"rules":0'))
    os.utime(digest, ns=(was.st_atime_ns, was.st_mtime_ns))
    assert swept().analysed == 0
    (home / "state" / "transcripts.db").unlink()
    assert swept().analysed == 1
    assert digest.read_bytes() == before


def test_ids_that_are_not_unique_make_no_copy(machine, home, swept):
    """Two sessions that number their events from one begin alike, and neither loses anything."""
    for name in ("one", "two"):
        records = [{**record, "uuid": f"u{place}"} for place, record in enumerate(talk(name, 2))]
        write(transcript(machine, name), records)
    swept()
    archive = Archive(str(home))
    assert [archive.session(f"claude-code/{name}").events for name in ("one", "two")] == [6, 6]


def test_a_session_in_which_nothing_was_said_has_a_digest(machine, home, swept, names):
    """A session with a time and no event is kept; a file that only has titles of others is none."""
    empty = line("one", 0, "assistant", [])
    write(transcript(machine, "one"), [empty])
    write(transcript(machine, "two"), [{"type": "summary", "summary": "About the till", "leafUuid": "x"}])
    swept()
    assert names() == ["claude-code/one"]
    assert Archive(str(home)).digest("claude-code/one").session.events == 0


def test_two_files_of_one_id_are_two_parts(machine, home, swept, names):
    """A session that went on in a second file of the same id loses neither of them, however often they are read."""
    one = write(transcript(machine, "one"), talk("one", 2), at=time.time() - 100)
    two = write(transcript(machine, "one", "-src-other"), talk("one", 3, start=7), at=time.time() - 50)
    swept()
    first = sorted(names())
    assert len(first) == 2
    assert sorted(Archive(str(home)).session(name).events for name in first) == [6, 9]
    for path in (one, two):
        path.unlink()
        write(path, talk("one", 3, start=0 if path == one else 7))
    swept()
    assert sorted(names()) == first


def test_two_files_of_one_id_without_ids_of_events_are_told_by_their_times(machine, swept, names):
    """Where lines have no ids, another start is another part."""
    for place, start in (("-src-shop", 0), ("-src-other", 7)):
        records = [{name: value for name, value in one.items() if name != "uuid"} for one in talk("one", 2, start)]
        write(transcript(machine, "one", place), records)
    swept()
    assert len(names()) == 2


def test_the_same_file_at_two_places_is_one_session(machine, home, swept, names):
    """A transcript that was copied elsewhere is not stored twice, and the longer of the two counts."""
    write(transcript(machine, "one"), talk("one", 3), at=time.time() - 100)
    write(transcript(machine, "one", "-src-other"), talk("one", 2), at=time.time() - 50)
    swept()
    assert names() == ["claude-code/one"]
    assert Archive(str(home)).session("claude-code/one").events == 9


def test_the_project_of_a_session_is_that_of_its_folder(machine, home, shop, swept):
    """A folder that is there is resolved, one that is gone keeps a stable id, and nothing is written into either."""
    before = sorted(shop.rglob("*"))
    here = [{**record, "cwd": str(shop)} for record in talk("here", 1)]
    write(transcript(machine, "here"), here)
    write(transcript(machine, "gone"), talk("gone", 1))
    write(transcript(machine, "nowhere"), [{**record, "cwd": ""} for record in talk("nowhere", 1)])
    swept()
    archive = Archive(str(home))
    project = {name: archive.session(f"claude-code/{name}").project for name in ("here", "gone", "nowhere")}
    assert project["here"] == "example.com--acme--shop"
    assert re.fullmatch(r"[A-Za-z0-9._-]+", project["gone"])
    assert project["nowhere"] == ""
    assert sorted(shop.rglob("*")) == before


def test_the_project_that_the_settings_name_is_that_of_every_session(machine, home, workspace):
    """`project.id` holds for all folders, here too."""
    write(transcript(machine, "one"), talk("one", 1))
    with workspace(flags={"project.id": "mine"}) as opened:
        sweep(opened)
    assert Archive(str(home)).session("claude-code/one").project == "mine"


def test_a_folder_that_is_gone_belongs_to_what_it_lay_in(machine, home, shop, swept):
    """A worktree that was removed from inside a repository counts as that repository."""
    records = [{**record, "cwd": str(shop / ".trees" / "fix")} for record in talk("one", 1)]
    write(transcript(machine, "one"), records)
    swept()
    assert Archive(str(home)).session("claude-code/one").project == "example.com--acme--shop"


def opencode(machine: Path, sessions: dict[str, int]) -> sqlite3.Connection:
    """Write a database with these sessions, each of so many messages; it stays open, as the agent has it."""
    path = machine / ".local" / "share" / "opencode" / "opencode.db"
    path.parent.mkdir(parents=True, exist_ok=True)
    db = sqlite3.connect(path)
    db.execute("PRAGMA journal_mode=WAL")
    db.execute("CREATE TABLE session(id, directory, title, version, parent_id, time_created, time_updated, revert)")
    db.execute("CREATE TABLE message(id, session_id, time_created, data)")
    db.execute("CREATE TABLE part(id, message_id, session_id, data)")
    for name, count in sessions.items():
        db.execute(
            "INSERT INTO session VALUES (?, '/src/shop', ?, '1', '', 1790000000000, 1790000000000, '')", (name, name)
        )
        for number in range(count):
            say(db, name, number)
    db.commit()
    return db


def say(db: sqlite3.Connection, session: str, number: int, text: str = "Hello") -> None:
    """Add a message of the person."""
    id = f"{session}-{number:03}"
    at = 1790000000000 + number
    db.execute("INSERT INTO message VALUES (?, ?, ?, ?)", (id, session, at, json.dumps({"role": "user", "id": id})))
    part = {"type": "text", "text": f"{text} {number}"}
    db.execute("INSERT INTO part VALUES (?, ?, ?, ?)", (f"p{id}", id, session, json.dumps(part)))


def test_of_a_database_only_sessions_that_changed_are_written(machine, home, swept):
    """A message in the write-ahead log is seen, and of the other sessions of that database no file is touched."""
    db = opencode(machine, {"ses_a": 2, "ses_b": 3})
    try:
        assert swept().ingested == 2
        before = {path.name: path.stat().st_ino for path in (home / "archive").rglob("*.zst")}
        assert swept().skipped_unchanged == 1
        say(db, "ses_b", 3)
        db.commit()
        assert swept().ingested == 1
        after = {path.name: path.stat().st_ino for path in (home / "archive").rglob("*.zst")}
        assert [name for name in before if before[name] != after[name]] == ["ses_b.jsonl.zst"]
        assert Archive(str(home)).session("opencode/ses_b").events == 4
    finally:
        db.close()


def test_a_folder_of_files_is_one_transcript(machine, home, swept):
    """Where a session is a folder, a change of any of its files is seen."""
    folder = machine / ".grok" / "sessions" / "%2Fsrc%2Fshop" / "g1"
    folder.mkdir(parents=True)
    update = {"params": {"update": {"sessionUpdate": "user_message_chunk", "content": {"type": "text", "text": "Hi"}}}}
    (folder / "updates.jsonl").write_text(json.dumps({"timestamp": 1790000000, **update}) + "\n")
    assert swept().ingested == 1
    assert swept().skipped_unchanged == 1
    (folder / "summary.json").write_text(json.dumps({"generated_title": "A greeting"}))
    found = swept()
    assert (found.ingested, found.skipped_unchanged) == (1, 0)
    assert len(Archive(str(home)).entries()) == 1


def test_a_session_that_is_stored_and_not_analysed_is_analysed(machine, home, swept):
    """What has raw events and no digest gets one, although its transcript did not change or is gone."""
    path = write(transcript(machine, "one"), talk("one", 1), at=time.time() - 60)
    swept()
    [digest] = (home / "archive" / "digests").rglob("*.json")
    before = digest.read_bytes()
    digest.unlink()
    path.unlink()
    found = swept()
    assert (found.ingested, found.analysed) == (0, 1)
    assert digest.read_bytes() == before


def test_without_its_cursors_a_sweep_comes_to_the_same_archive(machine, home, swept):
    """Cursors are disposable, also when they are damaged: everything is read again and nothing differs."""
    first = talk("first", 2)
    write(transcript(machine, "first"), first, at=time.time() - 300)
    write(transcript(machine, "second"), [*first, *talk("second", 1, start=5)], at=time.time() - 200)
    swept()
    before = archive_of(home)
    (home / "state" / "transcripts.db").write_bytes(b"no database at all" * 100)
    assert swept().skipped_unchanged == 0
    assert archive_of(home) == before
    transcript(machine, "first").unlink()
    (home / "state" / "transcripts.db").unlink()
    swept()
    assert archive_of(home) == before


def test_two_sweeps_at_once_are_one(machine, workspace, home):
    """A second sweep does not wait: it is refused with the process that sweeps, and since when."""
    write(transcript(machine, "one"), talk("one", 1))
    code = (
        "import sys, time\nfrom holdfast.app.sweep import SweepLock\n"
        "with SweepLock(sys.argv[1]):\n    print('held', flush=True)\n    time.sleep(60)\n"
    )
    other = subprocess.Popen([sys.executable, "-c", code, str(home)], stdout=subprocess.PIPE)
    try:
        assert other.stdout.readline() == b"held\n"
        with workspace() as opened, pytest.raises(StoreBusy, match=rf"process {other.pid}, since 20\d\d-"):
            sweep(opened)
    finally:
        other.send_signal(signal.SIGKILL)
        other.wait()
        other.stdout.close()
    with workspace() as opened:
        assert sweep(opened).ingested == 1


def test_the_hard_cap_reports_what_was_lost(machine, home, workspace, cli):
    """Sessions that go although no digest could be made are named, loudly, and the exit code stays 0."""
    for number in range(4):
        write(transcript(machine, f"s{number}"), talk(f"s{number}", 3, start=10 * number))
    with workspace() as opened:
        sweep(opened)
    for path in (home / "archive" / "digests").rglob("*.json"):
        path.unlink()
    damaged = home / "archive" / "raw" / "claude-code" / "s3.jsonl.zst"
    damaged.write_bytes(damaged.read_bytes()[:100])
    ended = cli("--set", "archive.raw_hard_cap_bytes=10", "sweep", "--json")
    assert ended.code == 0
    retention = ended.json["retention"]
    assert [(lost["name"], lost["bytes"]) for lost in retention["data_loss"]] == [("claude-code/s3", 100)]
    assert retention["passes"] == {"age": 0, "soft": 0, "hard_analysed": 3, "hard_unanalysed": 1}
    assert retention["final_usage"]["raw"] == 0
    assert [problem["path"] for problem in ended.json["problems"]] == ["claude-code/s3"]
    assert "DATA LOSS: 1 session (100 bytes)" in ended.err
    assert "claude-code/s3" in ended.err


def test_lack_of_time_loses_nothing(machine, home, workspace):
    """A bounded sweep that must free space digests what would go first, though its time is over."""
    write(transcript(machine, "one"), talk("one", 3))
    with workspace() as opened:
        sweep(opened)
    [digest] = (home / "archive" / "digests").rglob("*.json")
    digest.unlink()
    with workspace(flags={"archive.raw_hard_cap_bytes": "10"}) as opened:
        found = sweep(opened, within=1e-9)
    assert (found.analysed, found.retention.data_loss) == (1, ())
    assert found.retention.passes["hard_analysed"] == 1
    assert digest.exists()


def test_a_damaged_raw_file_is_made_anew(machine, home, swept):
    """Raw events that cannot be read are told, and the next sweep takes them from the transcript again."""
    write(transcript(machine, "one"), talk("one", 3), at=time.time() - 60)
    swept()
    before = archive_of(home)
    [path] = (home / "archive" / "raw").rglob("*.zst")
    path.write_bytes(path.read_bytes()[:100])
    [problem] = swept().problems
    assert problem.hint == "The next sweep reads its transcript again."
    found = swept()
    assert (found.ingested, found.problems) == (1, ())
    assert archive_of(home) == before


def test_the_caps_are_kept_oldest_first(machine, home, workspace):
    """Over the soft cap the raw events of the oldest session go; its digest stays and it is not read again."""
    for number in range(3):
        write(transcript(machine, f"s{number}"), talk(f"s{number}", 2, start=10 * number), at=time.time() - 60)
    with workspace() as opened:
        total = sweep(opened).retention.final_usage.raw
    with workspace(flags={"archive.raw_soft_cap_bytes": str(total - 1)}) as opened:
        found = sweep(opened)
        again = sweep(opened)
    assert found.retention.passes == {"age": 0, "soft": 1, "hard_analysed": 0, "hard_unanalysed": 0}
    assert found.retention.freed == total - found.retention.final_usage.raw > 0
    assert (again.ingested, again.retention.freed) == (0, 0)
    archive = Archive(str(home))
    assert [archive.has_raw(f"claude-code/s{number}") for number in range(3)] == [False, True, True]
    assert archive.digest("claude-code/s0").asks == 2
    assert [one.names for one in notices.unseen(str(home)) if one.kind == "archive-limits"] == [("claude-code/s0",)]


def test_a_full_disk_leaves_nothing_half_written(cli, machine, home):
    """A sweep that cannot write ends with an error and a way out, and the next one completes the archive."""
    for number in range(3):
        write(transcript(machine, f"s{number}"), talk(f"s{number}", 40, words=f"the till of {number}"))
    code = (
        "import resource, sys\nfrom holdfast.surfaces.cli.main import run\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), int(sys.argv[1])))\n"
        "sys.exit(run(['sweep']))\n"
    )
    for most in some((0, 100, 1_000, 4_096, 9_000), 2):
        ended = subprocess.run([sys.executable, "-c", code, str(most)], capture_output=True, text=True, check=False)
        assert ended.returncode == 5, ended.stderr
        assert "Traceback" not in ended.stderr
        assert leftovers(home / "archive") == []
    assert cli("sweep", "--json").json["problems"] == []
    archive = Archive(str(home))
    assert sorted(archive.session(entry.name).events for entry in archive.entries()) == [120] * 3


def test_a_disk_without_space_is_told(machine, home):
    """On a real file system that runs full the sweep ends with a way out, and completes when there is room again."""
    home.mkdir(mode=0o700)
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m,mode=0700", "tmpfs", str(home)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("no file system can be mounted here")
    try:
        chance = random.Random(1)
        for number in range(12):
            words = chance.randbytes(120_000).hex()
            write(transcript(machine, f"s{number}"), [line(f"s{number}", 0, "user", words[:120_000] + " ok")])
        about = {"environment": dict(os.environ), "folder": machine}
        ended = program("sweep", **about)
        assert ended.code == 5 and "no space left" in ended.out and "Traceback" not in ended.out, ended
        assert leftovers(home / "archive") == []
        subprocess.run(["mount", "-o", "remount,size=64m", str(home)], check=True, capture_output=True)
        assert program("sweep", **about).code == 0
        assert len(Archive(str(home)).entries()) == 12
    finally:
        subprocess.run(["umount", str(home)], check=True)


def test_the_report_says_what_was_done(machine, cli):
    """Without --json a person reads the counts, what was taken out, and one line about retention."""
    write(transcript(machine, "one"), [*talk("one", 1), line("one", 9, "user", f"it is {SECRET}")])
    ended = cli("sweep")
    assert ended.code == 0
    assert "1 transcript found: 1 taken in, 0 unchanged, 1 analysed" in ended.out
    assert "redacted: " in ended.out
    [retention] = [text for text in ended.out.splitlines() if text.startswith("retention: ")]
    assert "0 bytes freed" in retention
    assert "soft" not in retention and "_" not in retention, "passes that did nothing are not told"
    assert cli("sweep", "--quiet").out == ""


def test_a_bar_is_shown_on_a_terminal_only(machine, home):
    """Files and bytes are told while it runs where somebody sees it; a file, --json and --quiet get none of it."""
    write(transcript(machine, "one"), talk("one", 1))
    for options, shown in (((), True), (("--json",), False), (("--quiet",), False)):
        screen, end = os.openpty()
        words, about = ["sweep", "--dry-run", *options], {"env": dict(os.environ), "cwd": str(machine)}
        try:
            child = Program(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=end, **about)
            with child.stdout as pipe:
                out = pipe.read()
            assert child.wait() == 0
            os.set_blocking(screen, False)
            told = b""
            with contextlib.suppress(BlockingIOError):
                told = os.read(screen, 65_536)
        finally:
            os.close(screen)
            os.close(end)
        assert (b"sweeping 1 of 1" in told) == shown
        assert b"sweeping" not in out


def test_a_config_of_its_own(machine, home, cli, tmp_path):
    """`--config` reads the settings of that file in place of the home's; one that is not there is refused."""
    write(transcript(machine, "one"), talk("one", 1))
    config = tmp_path / "other.toml"
    config.write_text("enabled = false\n")
    ended = cli("sweep", "--config", str(config), "--json")
    assert ended.json["discovered"] == 0
    assert cli("sweep", "--json").json["discovered"] == 1
    assert cli("sweep", "--config", str(tmp_path / "none.toml")).code == 3


def test_an_index_that_is_gone_is_filled_again(machine, home, swept):
    """A sweep puts what it takes into the index; without one the archive still stands."""
    write(transcript(machine, "one"), talk("one", 1))
    swept()
    assert len(indexed(home)["session_row"]) == 1
    write(transcript(machine, "one"), talk("one", 2))
    swept()
    assert len(indexed(home)["session_row"]) == 1


def test_everything_is_private(machine, home, swept):
    """Folders of the archive are 0700, its files and the cursors 0600."""
    write(transcript(machine, "one"), talk("one", 1))
    swept()
    for path in [*(home / "archive").rglob("*"), home / "state" / "transcripts.db"]:
        assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600), path


def test_a_name_that_is_no_text_is_swept(machine, home, swept):
    """A folder whose name is not UTF-8 is read like any other, and not again when it did not change."""
    folder = os.fsencode(machine) + b"/.claude/projects/caf\xe9"
    os.makedirs(folder)
    with open(folder + b"/one.jsonl", "wb") as file:
        file.write(raw(talk("one", 1)))
    os.utime(folder + b"/one.jsonl", (1_790_000_000, 1_790_000_000))
    assert swept().ingested == 1
    assert swept().skipped_unchanged == 1


def test_what_a_killed_harvest_left_goes_with_the_next_sweep(machine, home, swept):
    """A half-written file of signals is removed, also where nothing is new to be learned from."""
    write(transcript(machine, "one"), talk("one", 2), at=time.time() - 60)
    assert swept().ingested == 1
    left = home / "archive" / "signals" / "claude-code" / ".holdfast-tmp-1-ab"
    left.parent.mkdir(parents=True, exist_ok=True)
    left.write_bytes(b"{")
    assert swept().skipped_unchanged == 1 and not left.exists()


def test_many_unchanged_files_are_skipped_by_a_fresh_process(machine):
    """What one process took in, the next ones pass over without reading it."""
    data = raw(talk("one", 1))
    for number in range(60):
        id = f"s{number}".encode()
        path = transcript(machine, f"s{number}", f"-src-{number // 20}")
        write(path, data.replace(b'"one', b'"' + id).replace(b"m-one", b"m-" + id), at=1_790_000_000)
    about = {"environment": dict(os.environ), "folder": machine, "hears": False}
    told = [program("sweep", "--json", **about).json for _ in range(2)]
    assert [(one["ingested"], one["skipped_unchanged"]) for one in told] == [(60, 0), (0, 60)]


def test_a_broken_table_of_prices_costs_no_session(machine, home, swept, names):
    """Prices that cannot be read are a problem with its path; the sessions are taken in all the same."""
    write(transcript(machine, "one"), talk("one", 1))
    home.mkdir(exist_ok=True)
    (home / "prices.toml").write_text("[models\n")
    found = swept()
    assert names() == ["claude-code/one"] and found.analysed == 1
    assert [(one.kind, one.path) for one in found.problems] == [("prices", str(home / "prices.toml"))]


def test_the_daily_log_is_told_of_a_recent_session(machine, home, swept):
    """Where a project has pages, the log of the day gets the session's entry out of its digest, and only once."""
    write(transcript(machine, "old"), talk("old", 1))
    swept()
    folder = home / "memory" / "projects" / Archive(str(home)).session("claude-code/old").project
    folder.mkdir(parents=True)
    now = time.strftime("%Y-%m-%dT%H:%M:00.000Z", time.gmtime())
    for turns in (1, 2):
        write(transcript(machine, "new"), [{**one, "timestamp": now} for one in talk("new", turns)])
        assert swept().problems == ()
    log = (folder / "log" / f"{now[:10]}.md").read_text()
    assert log.count("Please mend the till 0") == 1 and "claude-code" in log
