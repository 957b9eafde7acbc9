"""Whatever stands in the folders of agents, a sweep neither crashes nor hangs, and does nothing twice."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.sessions.archive import Archive
from support.sampling import count
from support.swept import archive_of, raw, sweep_into, talk

# Where agents keep transcripts, with the endings that they look for.
PLACES = (
    ".claude/projects/shop/one.jsonl",
    ".codex/sessions/2026/01/01/rollout-one.jsonl",
    ".gemini/tmp/shop/chats/session-one.json",
    ".copilot/session-state/one.jsonl",
    ".cursor/projects/shop/agent-transcripts/one.txt",
    ".qwen/projects/shop/chats/one.jsonl",
    ".kiro/sessions/cli/one.jsonl",
    ".grok/sessions/shop/one/updates.jsonl",
    ".local/share/opencode/opencode.db",
    ".pi/agent/sessions/one.jsonl",
)
GOOD = raw(talk("one", 2))
PIECES = [
    *(b"{", b"}", b'"', b"\\", b"\n", b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"[[[[", b"\xed\xa0\x80", b"null\n"),
    *(b'{"type":"user"}\n', b'{"type":"assistant","message":[]}\n', b'{"uuid":1e999}\n', GOOD[:200], GOOD[200:900]),
    *(b"SQLite format 3\0", b'{"sessionUpdate":"x"}\n', b"user:\n", b'{"role":"user","message":{"content":3}}\n'),
]
NAMES = (
    *("type", "uuid", "sessionId", "timestamp", "message", "content", "role", "id", "usage", "cwd", "gitBranch"),
    *("toolUseResult", "tool_use_id", "name", "input", "text", "payload", "session_meta", "parentUuid", "isSidechain"),
    *("input_tokens", "output_tokens", "model", "data", "kind", "parts", "info", "summary", "leafUuid", "forkedFrom"),
)
WORDS = (
    *("user", "assistant", "system", "tool_use", "tool_result", "text", "session_meta", "response_item", "event_msg"),
    *("2026-01-01T10:00:00.000Z", "one", "../../etc/passwd", "/src/shop", "\ud800", "", "x" * 3_000, "session"),
)
TEXTS = st.sampled_from(WORDS) | st.text(max_size=20)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=6),
    max_leaves=12,
)
RECORDS = st.lists(st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=8), max_size=6)
LIMITS = settings(max_examples=count(60, 20))


def survive(data: bytes, place: str) -> None:
    """Sweep the bytes at that place, twice: nothing fails, what is stored can be read, the second does nothing."""
    with tempfile.TemporaryDirectory() as folder:
        person, home = Path(folder), Path(folder) / "home"
        path = person / place
        path.parent.mkdir(parents=True)
        path.write_bytes(data)
        found = sweep_into(home, person)
        assert [problem for problem in found.problems if problem.severity == "error"] == []
        archive = Archive(str(home))
        for entry in archive.entries():
            events = archive.events(entry.name)
            assert len(list(events)) == archive.session(entry.name).events
            assert events.problem is None
            assert archive.digest(entry.name).session.name == entry.name
        before = archive_of(home)
        again = sweep_into(home, person)
        assert (again.ingested, again.skipped_unchanged) == (0, found.discovered)
        assert archive_of(home) == before


@LIMITS
@given(st.lists(st.binary(max_size=40) | st.sampled_from(PIECES), max_size=12).map(b"".join), st.sampled_from(PLACES))
def test_any_bytes_are_survived(data, place):
    """Bytes that no agent wrote are counted or passed over."""
    survive(data, place)


@LIMITS
@given(RECORDS, st.sampled_from(PLACES), st.booleans())
def test_any_records_are_survived(records, place, after_good):
    """Records with the right names and the wrong values are counted or passed over, also in the midst of good ones."""
    data = b"".join(json.dumps(record).encode() + b"\n" for record in records)
    survive(GOOD + data + GOOD if after_good else data, place)
