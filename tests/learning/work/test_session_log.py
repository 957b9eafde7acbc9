"""The rows of sessions that no work item has yet: when another session has something to finish of them."""

from __future__ import annotations

import os
import time

import pytest

from holdfast.base import files
from holdfast.learning.work import session_log, turns
from holdfast.learning.work.session_log import FILE, PENDING, PROMPT, TAKEN, WORK

# Earlier versions wrote how far they had read the transcript.
READ = "read"

AT = "2026-11-15T10:00:00Z"
WHOSE = ("codex", "s1", "example.com--acme--shop")
LONG_AGO = session_log.SILENT_SECONDS + 60
BEGUN = [(PROMPT, "add a toggle"), (FILE, "toggle.py")]


def noted(home, rows, seconds: int = LONG_AGO) -> str:
    """Note rows of a session that was heard of so long ago, and return its file."""
    session_log.note(str(home), WHOSE, AT, rows)
    path = session_log.path_of(str(home), *WHOSE)
    os.utime(path, (time.time() - seconds,) * 2)
    return path


def left(home, own: str = "") -> list[session_log.Noted]:
    """Return what a start of the project finds."""
    return session_log.left(str(home), (WHOSE[2],), own=own)


@pytest.mark.parametrize(
    ("rows", "has_more"),
    [
        (BEGUN, True),
        ([(PROMPT, "add a toggle")], False),
        ([(READ, "120")], False),
        ([(PROMPT, "hello"), (WORK, ""), (PENDING, ""), (READ, "0"), (TAKEN, "")], False),
        ([(PROMPT, "hello"), (WORK, ""), (TAKEN, ""), *BEGUN], True),
        ([(WORK, "20261115-toggle"), (TAKEN, "")], True),
        ([(WORK, "20261115-toggle"), (TAKEN, ""), (WORK, ""), (TAKEN, "")], False),
    ],
)
def test_only_what_has_more_to_tell_was_left(tmp_path, rows, has_more):
    """A session was left with a work item or with something done that nobody took in; what was only asked begins none.

    It agrees with what is read of its file.
    """
    path = noted(tmp_path, rows)
    assert [one.path for one in left(tmp_path)] == [path] * has_more
    read = session_log.read(path)
    assert read is not None and bool(read.work or {kind for kind, _, _ in read.rows} - {PROMPT}) == has_more


def test_what_was_heard_of_lately_was_not_left(tmp_path):
    """Nothing was left by a session that goes on, by the own one, nor where there was none."""
    assert not left(tmp_path)
    path = noted(tmp_path, BEGUN, session_log.LEFT_SECONDS - 60)
    assert not left(tmp_path)
    noted(tmp_path, [(PROMPT, "and a test")])
    assert left(tmp_path) and not left(tmp_path, own=path)


@pytest.mark.parametrize("rows", [[(READ, "0")], [(PROMPT, "add a toggle")]])
def test_what_is_too_old_to_be_kept_goes(tmp_path, rows):
    """A file with nothing more to tell is removed on the way, once it is old, and nothing heavy is loaded for it."""
    path = noted(tmp_path, rows, session_log.KEPT_SECONDS + 60)
    assert not left(tmp_path) and not os.path.exists(path)


def test_only_sessions_of_the_project_that_are_over_were_left(tmp_path):
    """Another project's start finds nothing, and one that is silent for a while was left only once it ended."""
    noted(tmp_path, BEGUN)
    assert left(tmp_path) and session_log.left(str(tmp_path), ("example.com--acme--other",), own="") == []
    path = noted(tmp_path, [], session_log.LEFT_SECONDS + 60)
    assert not left(tmp_path)
    noted(tmp_path, [(session_log.ENDED, "")], session_log.LEFT_SECONDS + 60)
    assert [one.path for one in left(tmp_path)] == [path]


def test_a_start_opens_a_few_however_many_there_are(tmp_path, monkeypatch):
    """Of hundreds of today with nothing more to tell the newest stay, and what has something to tell stays too."""
    now, opened = time.time(), []
    names = [f"s{number}" for number in range(200)]
    for number, name in enumerate(names):
        rows = BEGUN if number == 100 else [(TAKEN, ""), (session_log.ENDED, "")]
        session_log.note(str(tmp_path), (WHOSE[0], name, WHOSE[2]), AT, rows)
        path = session_log.path_of(str(tmp_path), WHOSE[0], name, WHOSE[2])
        os.utime(path, (now - LONG_AGO - number,) * 2)
    read = files.read_if_there
    monkeypatch.setattr(files, "read_if_there", lambda path, *more: opened.append(path) or read(path, *more))
    left(tmp_path)
    assert 32 < len(set(opened)) <= 48
    found = {one.session for _ in range(200) for one in left(tmp_path)}
    assert found == {"s100"}
    assert {one.session for one in session_log.sessions(str(tmp_path))} == {*names[:64], "s100"}


def test_what_an_abandoned_project_left_is_finished_by_the_sweep(tmp_path):
    """Days after its last row a session's file is taken in and goes, also where nobody starts in its project again."""
    path = noted(tmp_path, [(PROMPT, "thanks")], session_log.KEPT_SECONDS + 60)
    turns.finish_learned(str(tmp_path), lambda name: False, AT)
    assert session_log.read(path).rows == ()
    os.utime(path, (time.time() - session_log.KEPT_SECONDS - 60,) * 2)
    turns.finish_learned(str(tmp_path), lambda name: False, AT)
    assert not os.path.exists(path)
