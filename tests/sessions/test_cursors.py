"""Cursors: what changed in a transcript is noticed, and what did not is not opened."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest

from holdfast.sessions.cursors import Cursors, TranscriptCursor, stamp_of, tail_of

RULES, MADE_BY = "1", "0.1 1"


@pytest.fixture
def file(tmp_path) -> Path:
    """A transcript of some lines, a while ago."""
    path = tmp_path / "one.jsonl"
    path.write_bytes(b"a line of a transcript\n" * 500)
    os.utime(path, (1_790_000_000, 1_790_000_000))
    return path


@pytest.fixture
def cursors(tmp_path):
    """Open the cursors of a home, as often as a test likes."""
    opened = []

    def make(**options) -> Cursors:
        opened.append(Cursors(str(tmp_path / "home"), MADE_BY, **options))
        return opened[-1]

    yield make
    for one in opened:
        one.close()


def read(cursors: Cursors, path: Path, sessions: dict[str, str] | None = None, agent: str = "a") -> None:
    """Put the cursor of a transcript that was read to its end."""
    stamp = stamp_of(str(path))
    place = stamp.size if stamp.kind == "file" else 0
    tail = tail_of(str(path), stamp, place)
    cursors.put(str(path), TranscriptCursor(stamp, place, tail, agent, sessions or {}, RULES))


def state(cursors: Cursors, path: Path, rules: str = RULES) -> str:
    """Return how the transcript differs from its cursor."""
    return cursors.state(str(path), stamp_of(str(path)), rules)


def test_what_was_read_is_unchanged(cursors, file):
    """A transcript is new until its cursor is put, also for the next process."""
    one = cursors()
    assert state(one, file) == "new"
    read(one, file)
    assert state(one, file) == "unchanged"
    one.close()
    assert state(cursors(), file) == "unchanged"


def test_what_did_not_change_is_not_opened(cursors, file):
    """The stamp alone tells it: it does not matter that the file could not be opened."""
    one = cursors()
    read(one, file)
    stamp = stamp_of(str(file))
    file.unlink()
    assert one.state(str(file), stamp, RULES) == "unchanged"


def test_what_was_added_is_growth(cursors, file):
    """A longer file with the same bytes before the place is grown."""
    one = cursors()
    read(one, file)
    with file.open("ab") as end:
        end.write(b"more\n")
    assert state(one, file) == "grown"


@pytest.mark.parametrize("change", ["shorter", "other-end", "longer-with-another-end"])
def test_other_bytes_before_the_place_are_a_rewrite(cursors, file, change):
    """What was read no longer stands there."""
    one = cursors()
    read(one, file)
    data = file.read_bytes()
    other = data[:-30] + b"x" * 30
    file.write_bytes({"shorter": data[:-5], "other-end": other, "longer-with-another-end": other + b"y"}[change])
    assert state(one, file) == "rewritten"


def test_a_rewrite_behind_the_same_size_and_time_is_noticed(cursors, file):
    """The hash of the tail tells it, because the system tells that something happened to the file."""
    one = cursors()
    read(one, file)
    before = file.stat()
    data = file.read_bytes()
    file.unlink()
    file.write_bytes(data[:-30] + b"x" * 30)
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert state(one, file) == "rewritten"


def test_the_same_bytes_under_another_inode_are_unchanged(cursors, file):
    """A file that was restored from a copy, with its time, is not read again, nor compared twice."""
    one = cursors()
    read(one, file)
    before, data = file.stat(), file.read_bytes()
    file.rename(file.with_suffix(".old"))
    file.write_bytes(data)
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    stamp = stamp_of(str(file))
    assert stamp.inode != before.st_ino
    assert one.state(str(file), stamp, RULES) == "unchanged"
    file.unlink()
    assert one.state(str(file), stamp, RULES) == "unchanged"


def test_a_file_written_a_moment_ago_is_compared_once_more(cursors, tmp_path):
    """Within one tick of its clock a file can change without a new time, so its tail is asked again."""
    one, path = cursors(), tmp_path / "two.jsonl"
    path.write_bytes(b"a" * 100)
    stamp = stamp_of(str(path))
    read(one, path)
    path.write_bytes(b"b" * 100)
    assert one.state(str(path), stamp, RULES) == "rewritten"


def test_other_rules_read_everything_again(cursors, file):
    """A digest by other rules is made anew from the transcript."""
    one = cursors()
    read(one, file)
    assert state(one, file, rules="2") == "grown"


def test_what_no_agent_took_is_asked_about_again_by_another_version(cursors, file, tmp_path):
    """A newer version may know the agent whose it is; for the same one, and for other rules of digests, it stays."""
    one = cursors()
    read(one, file, agent="")
    assert state(one, file) == "unchanged"
    assert state(one, file, rules="2") == "unchanged"
    one.close()
    newer = Cursors(str(tmp_path / "home"), "0.2 1")
    assert state(newer, file) == "new"
    newer.close()


def test_the_rules_of_all_digests_are_kept(cursors):
    """Whether an archive has digests by older rules is known without opening them."""
    one = cursors()
    assert one.digested_by == ""
    one.all_digested("7")
    one.close()
    assert cursors().digested_by == "7"


def test_a_folder_counts_with_all_its_files(cursors, tmp_path):
    """A file that is added, changed or taken away is a change of the folder."""
    one, folder = cursors(), tmp_path / "session"
    folder.mkdir()
    (folder / "log").write_bytes(b"a")
    read(one, folder)
    assert state(one, folder) == "unchanged"
    (folder / "summary").write_bytes(b"b")
    assert state(one, folder) == "grown"
    read(one, folder)
    (folder / "summary").write_bytes(b"bc")
    assert state(one, folder) == "grown"
    read(one, folder)
    (folder / "log").unlink()
    assert state(one, folder) == "grown"


def test_a_database_counts_with_its_log(cursors, tmp_path):
    """What stands in the write-ahead log only is a change; an empty log is none."""
    one, path = cursors(), tmp_path / "agent.db"
    db = sqlite3.connect(path)
    try:
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("CREATE TABLE t(x)")
        read(one, path)
        assert state(one, path) == "unchanged"
        db.execute("INSERT INTO t VALUES (1)")
        db.commit()
        assert state(one, path) == "grown"
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        read(one, path)
        Path(f"{path}-wal").write_bytes(b"")
        assert state(one, path) == "unchanged"
    finally:
        db.close()


def test_what_is_neither_file_nor_folder_is_refused(tmp_path):
    """A named pipe and a dangling link have no stamp."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for name in ("pipe", "link", "missing"):
        with pytest.raises(OSError):
            stamp_of(str(tmp_path / name))


def test_the_first_to_begin_so_is_the_original(cursors):
    """Which session begins with an event is kept, the first that said so, and known to the next process."""
    one = cursors()
    one.begin("a", "e1", "a/first")
    one.begin("a", "e1", "a/second")
    one.begin("b", "e1", "b/third")
    one.close()
    two = cursors()
    assert [two.original("a", "e1"), two.original("b", "e1"), two.original("a", "e2")] == ["a/first", "b/third", ""]
    assert two.original("a", "") == ""


def test_a_session_can_be_read_again(cursors, file):
    """Forgetting a session makes its transcript new, and tells whether that is still there."""
    one = cursors()
    read(one, file, {"a/one": ""})
    assert one.forget("a/two") is False
    assert state(one, file) == "unchanged"
    assert one.forget("a/one") is True
    assert state(one, file) == "grown"


def test_what_is_gone_is_dropped(cursors, file, tmp_path):
    """Only a transcript that was not seen and is not there loses its cursor."""
    one, other = cursors(), tmp_path / "other.jsonl"
    other.write_bytes(b"x" * 100)
    os.utime(other, (1_790_000_000, 1_790_000_000))
    stamp = stamp_of(str(other))
    read(one, file)
    read(one, other)
    one.drop_gone({str(file)})
    assert one.state(str(other), stamp, RULES) == "unchanged"
    other.unlink()
    one.drop_gone({str(file)})
    assert one.state(str(other), stamp, RULES) == "new"
    one.close()
    two = cursors()
    assert (state(two, file), two.state(str(other), stamp, RULES)) == ("unchanged", "new")


def test_marks_of_sessions_hold_for_their_rules(cursors, file):
    """What a session told is remembered by a mark, which other rules do not trust."""
    one = cursors()
    read(one, file, {"a/one": "mark"})
    assert one.sessions(str(file), RULES) == {"a/one": "mark"}
    assert one.sessions(str(file), "2") == {}


def test_a_look_that_may_not_write_leaves_no_trace(cursors, file, tmp_path):
    """Without `keep` no file is made, and one that is there does not change."""
    one = cursors(keep=False)
    read(one, file)
    one.close()
    assert not (tmp_path / "home").exists()
    two = cursors()
    read(two, file)
    two.close()
    before = {path: path.read_bytes() for path in (tmp_path / "home").rglob("*") if path.is_file()}
    three = cursors(keep=False)
    assert state(three, file) == "unchanged"
    three.all_digested(RULES)
    three.close()
    assert {path: path.read_bytes() for path in (tmp_path / "home").rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("data", [b"", b"no database" * 1_000, b"SQLite format 3\0" + b"\0" * 5_000])
def test_a_broken_file_is_made_anew(cursors, file, tmp_path, data):
    """Cursors that cannot be read are no loss: everything is new, and new ones are kept."""
    broken = tmp_path / "home" / "state" / "transcripts.db"
    broken.parent.mkdir(parents=True)
    broken.write_bytes(data)
    one = cursors()
    assert state(one, file) == "new"
    assert one.fresh
    read(one, file)
    one.close()
    assert state(cursors(), file) == "unchanged"


def test_the_file_is_private(cursors, file, tmp_path):
    """Paths of transcripts are the person's own."""
    one = cursors()
    read(one, file)
    one.close()
    path = tmp_path / "home" / "state" / "transcripts.db"
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
