"""Files of signals: written once, read back, forgotten, and never trusted."""

from __future__ import annotations

import os
import stat

import pytest

from holdfast.errors import Refused
from holdfast.patterns import signal_files
from holdfast.patterns.signal_files import Signal, Signals

ONE = Signal("correction", "pnpm use", "No, use pnpm.", "some-agent", "s-1", line=7, severity=3)
FOUND = Signals("some-agent", "s-1", signals=(ONE,))


def test_what_is_put_is_read_back(tmp_path) -> None:
    """A file holds the signals, for nobody else's eyes, and putting the same again writes nothing."""
    assert signal_files.put(str(tmp_path), FOUND)
    assert not signal_files.put(str(tmp_path), FOUND)
    assert signal_files.read(str(tmp_path), "some-agent", "s-1") == FOUND
    path = tmp_path / "archive" / "signals" / "some-agent" / "s-1.json"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(signal_files.stems(str(tmp_path))) == [("some-agent", "s-1")]


def test_a_session_that_grew_is_written_again(tmp_path) -> None:
    """Other signals of a session take the place of those that were there."""
    signal_files.put(str(tmp_path), FOUND)
    assert signal_files.put(str(tmp_path), Signals("some-agent", "s-1"))
    kept = signal_files.read(str(tmp_path), "some-agent", "s-1")
    assert kept is not None and kept.signals == ()


def test_what_is_no_file_of_signals_is_passed_over(tmp_path) -> None:
    """Broken, foreign and missing files say nothing, and what a newer version added is ignored."""
    folder = tmp_path / "archive" / "signals" / "some-agent"
    folder.mkdir(parents=True)
    for name, text in (("broken", '{"agent": "some'), ("foreign", "[1, 2]"), ("deep", "[" * 100_000)):
        (folder / f"{name}.json").write_text(text)
        assert signal_files.read(str(tmp_path), "some-agent", name) is None
    assert signal_files.read(str(tmp_path), "some-agent", "gone") is None
    (folder / "newer.json").write_text('{"agent": "a", "session": "b", "mood": 3, "signals": []}')
    assert signal_files.read(str(tmp_path), "some-agent", "newer") == Signals("a", "b")


def test_what_a_kill_left_half_written_goes(tmp_path) -> None:
    """A temporary file of a writer that was killed is removed, and no file of signals with it."""
    signal_files.put(str(tmp_path), Signals("codex", "s1"))
    folder = tmp_path / signal_files.FOLDER / "codex"
    (folder / ".holdfast-tmp-1-ab").write_bytes(b"{")
    signal_files.clear_leftovers(str(tmp_path))
    assert [path.name for path in folder.iterdir()] == [f"{stem}.json" for _, stem in signal_files.stems(str(tmp_path))]
    signal_files.clear_leftovers(str(tmp_path / "nothing"))


def test_no_link_is_written_through(tmp_path) -> None:
    """A link in the place of the folder is refused, and nothing is written behind it."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "home" / "archive").mkdir(parents=True)
    os.symlink(tmp_path / "elsewhere", tmp_path / "home" / "archive" / "signals")
    with pytest.raises(Refused):
        signal_files.put(str(tmp_path / "home"), FOUND)
    assert os.listdir(tmp_path / "elsewhere") == []
    assert list(signal_files.stems(str(tmp_path / "home"))) == []


def test_forgetting_takes_the_file(tmp_path) -> None:
    """A forgotten session has no signals left, and forgetting one that has none is no error."""
    signal_files.put(str(tmp_path), FOUND)
    signal_files.forget(str(tmp_path), "some-agent", "s-1")
    signal_files.forget(str(tmp_path), "some-agent", "s-1")
    assert list(signal_files.stems(str(tmp_path))) == []
