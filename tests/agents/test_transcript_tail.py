"""Which files a session changed, told by tools and transcripts of any agent."""

from __future__ import annotations

import json

from holdfast.agents.transcript_calls import MAX_TAIL, naming_files, tail
from holdfast.language.tools import changed_files

PATCH = "*** Begin Patch\n*** Update File: src/a.py\n@@\n-x\n+y\n*** Add File: b.md\n+z\n*** End Patch"


def test_files_of_a_transcript(tmp_path):
    """Calls in the lines of a transcript are found wherever they stand in a line; broken lines are passed over."""
    call = {"type": "tool_use", "name": "Edit", "input": {"file_path": "a.py"}}
    lines = [
        json.dumps({"message": {"content": [{"type": "text", "text": "file_path"}, call]}}),
        json.dumps({"payload": {"name": "apply_patch", "input": PATCH}}),
        json.dumps({"payload": {"name": "write_file", "arguments": json.dumps({"path": "c.py"})}}),
        '{"name": "Edit", "input": {"file_path": "broken',
    ]
    path = tmp_path / "t.jsonl"
    path.write_text("\n".join(lines) + "\n")
    found, end = tail(str(path), 0)
    assert [path for call in naming_files(found) for path in changed_files(*call)] == [
        "a.py",
        "src/a.py",
        "b.md",
        "c.py",
    ]
    assert end == path.stat().st_size and tail(str(path), end) == ([b""], end)


def test_only_the_tail_is_read(tmp_path):
    """Of a transcript of many megabytes the last one is read, and a line that is still being written waits."""
    path = tmp_path / "t.jsonl"
    path.write_bytes(b'{"x": "' + b"y" * 3 * MAX_TAIL + b'"}\nlast\nhalf')
    lines, end = tail(str(path), 0)
    assert lines[-2:] == [b"last", b""] and sum(map(len, lines)) <= MAX_TAIL
    assert end == path.stat().st_size - 4


def test_no_transcript_is_no_trouble(tmp_path):
    """A path that is missing or a folder gives nothing."""
    assert tail(str(tmp_path / "none"), 5) == ([], 5) and tail(str(tmp_path), 5) == ([], 5)
