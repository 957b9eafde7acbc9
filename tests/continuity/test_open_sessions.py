"""Open sessions: what their files say, which were left, what goes; and whether an agent still runs."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from holdfast.base import files
from holdfast.continuity import open_sessions

AT = "2026-11-15T10:00:00Z"
NEXT_DAY = "2026-11-16T09:00:00Z"
NOW = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def note(home, session: str = "s1", *rows: tuple[str, str], at: str = NOW, project: str = "shop") -> str:
    """Note rows of a session and return its file."""
    open_sessions.note(str(home), "codex", session, project, at, rows)
    return open_sessions.path_of(str(home), "codex", session, project)


def test_what_is_noted_is_read(tmp_path):
    """The rows of a session come back in order, with its beginning and its last event."""
    note(tmp_path, "s1", ("ask", "one\ntwo"), at=AT)
    one = open_sessions.read(note(tmp_path, "s1", ("file", "a.py"), at="2026-11-15T10:05:00Z"))
    assert (one.agent, one.session, one.project, one.began, one.last) == (
        *("codex", "s1", "shop", AT),
        "2026-11-15T10:05:00Z",
    )
    assert one.rows == (("ask", "one\ntwo", AT), ("file", "a.py", "2026-11-15T10:05:00Z")) and not one.closed
    assert open_sessions.began(one.path) == AT


def test_only_what_is_silent_or_resumed_was_left_open(tmp_path):
    """A session counts as left when it was silent for long, or when its agent says that it starts again."""
    old, young = note(tmp_path, "old", ("ask", "x")), note(tmp_path, "young", ("ask", "y"))
    os.utime(old, (time.time() - 1_000, time.time() - 1_000))
    found = open_sessions.left_open(str(tmp_path), ["shop"], 900, "")
    assert [one.session for one in found] == ["old"]
    assert {one.session for one in open_sessions.left_open(str(tmp_path), ["shop"], 900, young)} == {"old", "young"}
    assert open_sessions.left_open(str(tmp_path), ["another"], 900, "") == []


@pytest.mark.skipif(not open_sessions.agent_process(), reason="this system tells nothing of processes")
def test_one_whose_agent_is_gone_was_left_open(tmp_path):
    """A session is left at once when the process that two of its hooks saw runs no more; one hook's is not enough."""
    there, room = open_sessions.agent_process(), os.readlink("/proc/self/ns/pid")
    gone = f"{there.partition(' ')[0]} 1 {room}"
    for session, seen in {"gone": (gone, gone), "once": (there, gone), "alive": (gone, there, there)}.items():
        note(tmp_path, session, ("ask", "x"), *(("process", named) for named in seen))
    assert [one.session for one in open_sessions.left_open(str(tmp_path), ["shop"], 900, "")] == ["gone"]
    assert open_sessions.left_open(str(tmp_path), ["another"], 900, "") == []


def test_a_start_opens_the_newest_few(tmp_path, monkeypatch):
    """However many sessions left a file, a start reads the newest, the resumed, the oldest and a few in between."""
    now, opened = time.time(), []
    paths = [note(tmp_path, f"s{number}", ("ask", "x")) for number in range(60)]
    for number, path in enumerate(paths):
        os.utime(path, (now - 1_000 - number, now - 1_000 - number))
    os.utime(paths[59], (now - 30 * 86_400, now - 30 * 86_400))
    read = files.read_head
    monkeypatch.setattr(files, "read_head", lambda path, *more, **how: opened.append(path) or read(path, *more, **how))
    found = open_sessions.left_open(str(tmp_path), ["shop"], 900, paths[50])
    names = [one.session for one in found]
    assert names[:32] == [f"s{number}" for number in range(32)]
    assert {"s50", *[f"s{number}" for number in range(52, 60)]} <= set(names)
    assert set(opened) == {one.path for one in found} and len(names) <= 32 + 8 + 8 + 1


def test_every_session_has_its_turn_and_what_ended_before_many_others_goes(tmp_path):
    """Of hundreds that ended today the newest stay, whatever an abandoned project left among the oldest of them."""
    now = time.time()
    left = [note(tmp_path, f"left{number}", ("ask", "x"), project="abandoned") for number in range(20)]
    ended = [note(tmp_path, f"s{number}", ("closed", "")) for number in range(200)]
    for number, path in enumerate([*reversed(ended), *left]):
        os.utime(path, (now - 1_000 - number, now - 1_000 - number))
    for _ in range(200):
        assert open_sessions.left_open(str(tmp_path), ["shop"], 900, "") == []
    assert {path.name for path in (tmp_path / "state" / "open").iterdir()} == {
        os.path.basename(path) for path in [*left, *ended[-64:]]
    }


def test_a_closed_session_is_none_until_it_goes_on(tmp_path):
    """What ended is not left open; what goes on the same day has its beginning, and is open again."""
    path = note(tmp_path, "s1", ("ask", "x"), ("closed", ""))
    os.utime(path, (time.time() - 1, time.time() - 1))
    assert open_sessions.read(path).closed and open_sessions.left_open(str(tmp_path), ["shop"], 0, path) == []
    assert open_sessions.living(str(tmp_path), "shop") == frozenset()
    note(tmp_path, "s1", ("ask", "y"))
    assert open_sessions.read(path).texts("ask") == ("x", "y") and open_sessions.living(str(tmp_path), "shop") == {"s1"}


def test_one_that_ended_on_another_day_begins_anew(tmp_path):
    """A session that is resumed on a later day starts with an empty file, so that its log is that day's."""
    note(tmp_path, "s1", ("ask", "x"), ("closed", ""), at=AT)
    again = open_sessions.read(note(tmp_path, "s1", ("ask", "y"), at=NEXT_DAY))
    assert again.texts("ask") == ("y",) and again.began == NEXT_DAY


def test_one_that_was_killed_on_another_day_begins_anew(tmp_path):
    """It is the day on which a session began that counts, and not the moment at which somebody closed it."""
    note(tmp_path, "s1", ("ask", "x"), at=AT)
    note(tmp_path, "s1", ("closed", ""), at=NEXT_DAY)
    assert open_sessions.read(note(tmp_path, "s1", ("ask", "y"), at=NEXT_DAY)).texts("ask") == ("y",)


def test_one_that_begins_anew_goes_on_in_its_transcript(tmp_path):
    """How far the transcript was read is known on the next day, so that old work is not taken for new."""
    note(tmp_path, "s1", ("transcript", "t.jsonl"), ("read", "10"), ("file", "a.py"), ("read", "20"), at=AT)
    note(tmp_path, "s1", ("closed", ""), at=AT)
    again = open_sessions.read(note(tmp_path, "s1", ("ask", "y"), at=NEXT_DAY))
    assert (again.transcript, again.texts("read"), again.texts("file")) == ("t.jsonl", ("20",), ())


def test_another_transcript_is_read_from_its_beginning(tmp_path):
    """How far a transcript was read counts for that file alone, however often it is named."""
    note(tmp_path, "s1", ("transcript", "/a.jsonl"), ("read", "500"), ("transcript", "/a.jsonl"))
    assert open_sessions.read(note(tmp_path, "s1", ("file", "a.py"))).read_up_to() == 500
    assert open_sessions.read(note(tmp_path, "s1", ("transcript", "/b.jsonl"))).read_up_to() == 0
    assert open_sessions.read(note(tmp_path, "s1", ("read", "40"), ("read", "x"))).read_up_to() == 40


def test_what_comes_while_the_buffer_is_written_is_not_merged(tmp_path):
    """A line that another hook notes between reading a session and saying that it is merged stays unmerged."""
    before = open_sessions.read(note(tmp_path, "s1", ("ask", "x")))
    note(tmp_path, "s1", ("file", "a.py"))
    after = open_sessions.read(note(tmp_path, "s1", before.merged()))
    assert [row[:2] for row in after.unmerged()] == [("file", "a.py")]
    assert open_sessions.read(note(tmp_path, "s1", after.merged())).unmerged() == ()


def test_the_session_at_work_is_the_one_of_that_name_or_the_last(tmp_path):
    """An agent's own session is found by its id, and without one it is the open one that was heard of last."""
    assert open_sessions.at_work(str(tmp_path), "shop", "codex") is None
    old, _ = note(tmp_path, "old", ("ask", "x")), note(tmp_path, "young", ("ask", "y"))
    note(tmp_path, "over", ("ask", "z"), ("closed", ""))
    os.utime(old, (time.time() - 10, time.time() - 10))
    found = [open_sessions.at_work(str(tmp_path), "shop", "codex", name).session for name in ("", "old", "nobody")]
    assert found == ["young", "old", "young"]
    assert (
        open_sessions.at_work(str(tmp_path), "another", "codex")
        is open_sessions.at_work(str(tmp_path), "shop", "grok")
        is None
    )


def test_what_ended_long_ago_goes(tmp_path):
    """Closed sessions and broken files are removed after some days, and broken ones are no trouble before."""
    closed = note(tmp_path, "s1", ("closed", ""))
    broken = os.path.join(str(tmp_path / "state" / "open"), "broken")
    with open(broken, "wb") as file:
        file.write(b"\xff\x00 nonsense\n")
    assert open_sessions.left_open(str(tmp_path), ["shop"], 0, "") == [] and os.path.exists(broken)
    for path in (closed, broken):
        os.utime(path, (0, 0))
    assert open_sessions.left_open(str(tmp_path), ["shop"], 0, "") == []
    assert os.listdir(str(tmp_path / "state" / "open")) == []


def test_a_session_of_days_does_not_grow_for_ever(tmp_path):
    """Beyond its bound a file takes nothing but that the buffer has all of it, once, and the end of the session."""
    for _ in range(12):
        path = note(tmp_path, "s1", ("answer", "x" * 40_000))
    size = os.path.getsize(path)
    note(tmp_path, "s1", ("answer", "more"))
    assert os.path.getsize(path) == size < open_sessions.MAX_BYTES * 2
    assert open_sessions.read(note(tmp_path, "s1", open_sessions.read(path).merged())).unmerged() == ()
    assert open_sessions.read(note(tmp_path, "s1", ("closed", ""))).closed


pytestmark = pytest.mark.skipif(not Path("/proc/self/ns/pid").exists(), reason="this system tells nothing of processes")
TELL = "from holdfast.continuity import open_sessions; print(open_sessions.agent_process())"


def test_a_hook_knows_its_agent_past_a_shell():
    """A process that was started by a shell of ours names us, and we are not gone."""
    shell = ["sh", "-c", f'"{sys.executable}" -c "{TELL}"; true']
    named = subprocess.run(shell, capture_output=True, text=True, check=True).stdout.strip()
    assert named.split(" ")[0] == str(os.getpid())
    assert not open_sessions.is_gone(named)


def test_a_killed_process_is_gone():
    """What runs is not gone; what was killed is, also before its parent asked how it ended."""
    script = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {TELL!r}]); sys.stdin.read()"
    with subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as agent:
        named = agent.stdout.readline().decode().strip()
        assert named.startswith(f"{agent.pid} ") and not open_sessions.is_gone(named)
        agent.kill()
        os.waitid(os.P_PID, agent.pid, os.WEXITED | os.WNOWAIT)
        assert open_sessions.is_gone(named)
        agent.wait()
        assert open_sessions.is_gone(named)


def test_another_process_with_the_number_is_not_the_agent():
    """A number that was given again names another process; the agent is gone."""
    room = os.readlink("/proc/self/ns/pid")
    assert open_sessions.is_gone(f"{os.getpid()} 1 {room}")


@pytest.mark.parametrize("named", ["", "1", "x 1 pid:[1]", "999999999 1 pid:[1]"])
def test_what_cannot_be_known_is_not_gone(named):
    """Of a process in another container, and of what names none, nobody can tell."""
    assert not open_sessions.is_gone(named)
