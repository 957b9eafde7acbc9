"""The benchmark of sessions, on transcripts small enough to count by hand, and the second count of tokens."""

from __future__ import annotations

import json
import runpy
import sys
from pathlib import Path

import pytest
import zstandard

from holdfast.surfaces.cli import bench

PARENT, FORK = "019a0000-0000-7000-8000-000000000001", "019b0000-0000-7000-8000-000000000002"


@pytest.fixture(scope="module")
def counting():
    """The module with the second count."""
    return runpy.run_path(str(Path(bench._folder()) / "session_logs" / "token_count.py"))


def usage(given: int, output: int, read: int = 0, written: int = 0) -> dict[str, int]:
    """Return what a message reports."""
    names = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    return dict(zip(names, (given, output, read, written), strict=True))


def claude_line(uuid: str, message: str, used: dict[str, int], session: str, **more: object) -> dict[str, object]:
    """Return a line of an answer."""
    content = [{"type": "text", "text": f"said by {uuid}"}]
    inner = {"id": message, "model": "claude-opus-4-5", "role": "assistant", "content": content, "usage": used}
    return {"type": "assistant", "uuid": uuid, "sessionId": session, "message": inner, **more}


def ask(uuid: str, session: str) -> dict[str, object]:
    """Return a line of a question."""
    return {"type": "user", "uuid": uuid, "sessionId": session, "message": {"role": "user", "content": f"ask {uuid}"}}


def tokens(total: int, last: int) -> dict[str, object]:
    """Return a report of tokens: a quarter cached, a tenth of the output reasoning."""
    total_usage, last_usage = (
        {"input_tokens": 4 * n, "cached_input_tokens": n, "output_tokens": 10 * n, "reasoning_output_tokens": n}
        for n in (total, last)
    )
    info = {"total_token_usage": total_usage, "last_token_usage": last_usage}
    return {"type": "event_msg", "payload": {"type": "token_count", "info": info}}


def meta(id: str, **more: str) -> dict[str, object]:
    """Return the first line of a thread."""
    return {"type": "session_meta", "payload": {"id": id, "cwd": "/x", **more}}


def turn(id: str) -> dict[str, object]:
    """Return the line that begins a turn."""
    return {"type": "turn_context", "payload": {"turn_id": id, "cwd": "/x"}}


def said(text: str) -> dict[str, object]:
    """Return the line of a person's message."""
    return {"type": "event_msg", "payload": {"type": "user_message", "message": text}}


def write(path: Path, *records: object) -> str:
    """Write records as lines, and return the path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(json.dumps(one).encode() + b"\n" for one in records))
    return str(path)


def test_a_message_counts_once_and_a_copied_one_where_it_was_first(counting, tmp_path):
    """Of several reports the largest of each kind counts, and what a resumed file repeats counts in the first."""
    first = [
        claude_line("u1", "msg_0123456789abcdefghij", usage(5, 1, 100, 7), "s1"),
        claude_line("u2", "msg_0123456789abcdefghij", usage(5, 30, 100, 7), "s1"),
        claude_line("u2", "msg_0123456789abcdefghij", usage(5, 99, 100, 7), "s1"),
    ]
    one = write(tmp_path / "one.jsonl", *first, "no object")
    two = write(tmp_path / "two.jsonl", *first, claude_line("u3", "msg_another-one-of-these", usage(2, 3), "s2"))
    assert counting["count_claude"]([one, two]) == {one: (5, 30, 100, 7, 0), two: (2, 3, 0, 0, 0)}


def test_ids_that_people_make_up_are_not_taken_for_the_same_message(counting, tmp_path):
    """Two files of tests with a message of one short name are two messages."""
    paths = [write(tmp_path / name, claude_line("u1", "m1", usage(1, 2), name)) for name in ("a.jsonl", "b.jsonl")]
    assert set(counting["count_claude"](paths).values()) == {(1, 2, 0, 0, 0)}


def test_a_repeated_total_counts_once(counting, tmp_path):
    """The same total twice is one step, and one that starts anew after a compaction counts by its own step."""
    path = write(tmp_path / "a.jsonl", meta(PARENT), tokens(3, 3), tokens(3, 3), tokens(5, 2), tokens(1, 1))
    assert counting["count_codex"]([path]) == {path: (18, 54, 6, 0, 6)}


@pytest.mark.parametrize("parent_is_there", [True, False])
def test_what_a_fork_copied_does_not_count_again(counting, tmp_path, parent_is_there):
    """The steps before the first turn of its own are the other session's, whether that is here or not."""
    old, new = PARENT[:-2] + "aa", FORK[:-2] + "bb"
    parent = write(tmp_path / "p.jsonl", meta(PARENT), turn(old), tokens(3, 3))
    records = [meta(FORK, forked_from_id=PARENT), meta(PARENT), turn(old), tokens(3, 3), turn(new), tokens(5, 2)]
    fork = write(tmp_path / "f.jsonl", *records)
    found = counting["count_codex"]([parent, fork] if parent_is_there else [fork])
    assert found[fork] == (6, 18, 2, 0, 2)


def test_compressed_files_are_counted(counting, tmp_path):
    """A file that was compressed since counts as before."""
    plain = Path(write(tmp_path / "a.jsonl", meta(PARENT), tokens(3, 3)))
    packed = tmp_path / "b.jsonl.zst"
    packed.write_bytes(zstandard.ZstdCompressor().compress(plain.read_bytes()))
    found = counting["count_codex"]([str(plain), str(packed)])
    assert found[str(packed)] == found[str(plain)] == (9, 27, 3, 0, 3)


def test_a_folder_laid_out_in_any_way(cli, tmp_path, monkeypatch):
    """Transcripts are known by their content wherever they lie, counted twice alike, and the rest is listed."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    folder = tmp_path / "transcripts"
    call = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}}
    calling = claude_line("u3", "msg_0123456789abcdefghij", usage(5, 9), "s1")
    calling["message"]["content"] = [call]
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "a file"}
    answer = {"type": "user", "uuid": "u4", "sessionId": "s1", "message": {"role": "user", "content": [result]}}
    write(folder / "some" / "owner__repo" / "x.jsonl", ask("u1", "s1"), calling, answer, "broken")
    write(folder / "other" / "y.jsonl", meta(PARENT), said("do it"), tokens(2, 2))
    (folder / "README.md").write_text("about these files")
    ended = cli("bench", "sessions", "--", "--data", str(folder), "--json")
    assert ended.code == 0, ended
    report = ended.json
    one, two = report["agents"]["claude-code"], report["agents"]["codex"]
    assert (one["files"], one["sessions"], one["events"], one["digests"], one["failures"]) == (1, 1, 2, 1, 0)
    assert (one["calls"], one["joined"], one["malformed"], one["output"]) == (1, 1, 1, 9)
    assert (two["sessions"], two["input"], two["cache read"], two["reasoning"]) == (1, 6, 2, 2)
    assert sum(one["outcomes"].values()) == 1
    for counted in report["counts"].values():
        assert counted["archive"] == counted["counted"] and counted["differing"] == []
    assert report["unknown"] == ["README.md"] and report["problems"] == []


def test_the_table_is_printed(cli, tmp_path, monkeypatch):
    """Each agent has a line with its figures, and totals that agree are told to be the same."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    write(tmp_path / "x.jsonl", ask("u1", "s1"), claude_line("u2", "msg_1", usage(1, 2), "s1"))
    ended = cli("bench", "sessions", "--", "--data", str(tmp_path))
    assert ended.code == 0, ended
    assert "claude-code: 1 sessions, 0 differ" in ended.out
    assert "DIFFERENT" not in ended.out and "the same" in ended.out


def test_without_a_folder_it_says_what_it_needs(cli, tmp_path, monkeypatch):
    """No folder is no failure, so that all benchmarks can be run in a row; one that is not there is."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    ended = cli("bench", "sessions")
    assert ended.code == 0 and "--data" in ended.out
    assert cli("bench", "sessions", "--", "--data", str(tmp_path / "none")).code == 3
