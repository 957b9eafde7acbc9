"""The shown-set and the markers of events: once for a session, whoever asks, and nothing of long ago stays."""

from __future__ import annotations

import hashlib
import os
import threading
import time

import pytest

from holdfast.errors import StoreBusy
from holdfast.inject import shown
from holdfast.inject.shown import ShownSet, is_first
from holdfast.records import Given, HookCall, Scope, replace

CALL = HookCall("agent", "prompt", "Prompt", session="s1", prompt="hello", tag="p1")


@pytest.fixture
def folder(tmp_path) -> str:
    return str(tmp_path)


def test_a_session_file_has_a_line_for_each_memory(folder):
    """The file is named by the digest of the session, and a line is scope, owner, key and digest, parted by tabs."""
    with ShownSet(folder, "../s1") as before:
        before.add([Given(Scope("project", "x"), "k", "d1", "why", 3)])
    name = hashlib.sha256(b"../s1").hexdigest()[:32]
    path = os.path.join(folder, "state", "shown", name)
    with open(path, encoding="utf-8") as file:
        assert file.read() == "project\tx\tk\td1\n"
    assert os.stat(path).st_mode & 0o777 == 0o600


def test_the_last_line_of_a_memory_holds(folder):
    """A memory that is shown again replaces its digest; a broken line is passed over."""
    with ShownSet(folder, "s") as before:
        before.note([(Scope("global"), "k", "d1"), (Scope("global"), "k", "d2")])
        with open(before.path, "a", encoding="utf-8") as file:
            file.write("half a line")
        assert before.read() == {("global", "", "k"): "d2"}


def test_a_cleared_set_is_empty_and_can_be_filled_again(folder):
    """After the context is lost nothing counts as shown."""
    with ShownSet(folder, "s") as before:
        before.note([(Scope("global"), "k", "d1")])
        before.clear()
        assert before.read() == {}
        before.note([(Scope("global"), "k", "d3")])
        assert before.read() == {("global", "", "k"): "d3"}


def test_nobody_adds_to_a_set_that_is_held(folder):
    """While one adapter looks and adds, another one waits, and gives up after a moment."""
    with ShownSet(folder, "s"), pytest.raises(StoreBusy), ShownSet(folder, "s"):
        pass
    with ShownSet(folder, "s"), ShownSet(folder, "another"):
        pass


def test_an_event_is_first_once(folder):
    """The same event asked again is not first; another tag, session, moment or prompt is another event."""
    assert is_first(folder, CALL)
    assert not is_first(folder, CALL)
    for change in ({"tag": "p2"}, {"session": "s2"}, {"moment": "stop"}, {"prompt": "other"}, {"agent": "b"}):
        assert is_first(folder, replace(CALL, **change))


def test_of_many_at_once_one_is_first(folder):
    """When several ask at the same moment exactly one gets yes."""
    answers: list[bool] = []
    gate = threading.Barrier(8)

    def ask() -> None:
        gate.wait()
        answers.append(is_first(folder, CALL))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(answers) == 1


def test_the_same_tag_much_later_is_another_event(folder, monkeypatch):
    """An agent that repeats a tag after a while tells of something new; at the edge of a period it does not."""
    now = time.time() // 20 * 20
    monkeypatch.setattr("holdfast.inject.shown.time.time", lambda: now + 19.9)
    assert is_first(folder, CALL)
    monkeypatch.setattr("holdfast.inject.shown.time.time", lambda: now + 20.1)
    (marker,) = os.listdir(os.path.join(folder, "state", "seen"))
    os.utime(os.path.join(folder, "state", "seen", marker), (now + 19.9, now + 19.9))
    assert not is_first(folder, CALL)
    monkeypatch.setattr("holdfast.inject.shown.time.time", lambda: now + 100)
    assert is_first(folder, CALL)


def test_what_is_old_goes(folder):
    """Markers of yesterday and sets of months ago are removed, once a day; what is young stays."""
    assert is_first(folder, CALL)
    with ShownSet(folder, "old") as old, ShownSet(folder, "young"):
        pass
    long_ago = time.time() - 90 * 86_400
    os.utime(old.path, (long_ago, long_ago))
    shown.tidy(folder)
    assert len(os.listdir(old.folder)) == 1
    assert os.stat(os.path.join(folder, "state", "tidied")).st_mode & 0o777 == 0o600
    os.utime(ShownSet(folder, "young").path, (long_ago, long_ago))
    shown.tidy(folder)
    assert len(os.listdir(old.folder)) == 1


def test_every_folder_of_sessions_is_tidied(folder):
    """Whatever `state/` keeps of a session that nobody hears of again goes, also how far its transcript was read."""
    long_ago = time.time() - 61 * 86_400
    paths = [os.path.join(folder, "state", name, "old") for name in ("tails", "told", "open", "work", "waiting")]
    for path in paths:
        os.makedirs(os.path.dirname(path))
        with open(path, "w", encoding="utf-8"):
            os.utime(path, (long_ago, long_ago))
    shown.tidy(folder)
    assert not any(map(os.path.exists, paths))
