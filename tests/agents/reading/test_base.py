from __future__ import annotations

import base64
import hashlib
import io
import json
import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.agents.reading import base
from holdfast.agents.reading import lines as files
from holdfast.agents.reading.base import Costs, PendingCalls
from holdfast.agents.reading.lines import decode, lines
from holdfast.agents.reading.values import cut, input_text, text_of, when, without_bulk
from holdfast.privacy import fence
from holdfast.privacy.speech import OURS, class_of, separated
from holdfast.records import ROLES, Cost, SessionEvent

if TYPE_CHECKING:
    from pathlib import Path

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


def told(data: bytes) -> list[tuple[int, int, bytes]]:
    """Return all lines of these bytes, without the newline that a decoder passes over."""
    return [(number, end, raw.removesuffix(b"\n")) for number, end, raw in lines(io.BytesIO(data))]


def test_lines_end_with_a_newline_and_nothing_else() -> None:
    """Other line breaks stay within a line; blank lines, carriage returns, NULs and a byte order mark do not."""
    data = '\ufeff{"a":"x\u2028y\x0b"}\r\n\n \0\0\0{"b":1}\n'.encode()
    assert told(data) == [(1, 19, '{"a":"x\u2028y\x0b"}'.encode()), (3, len(data), b'{"b":1}')]


def test_an_unfinished_line_is_held_back() -> None:
    """A cut line is not given and not passed over; one that is whole but for its newline is given."""
    assert told(b'{"a":1}\n{"b":') == [(1, 8, b'{"a":1}')]
    assert told(b'{"a":1}\n{"b":{}') == [(1, 8, b'{"a":1}')]
    assert told(b'{"a":1}\n{"b":2}') == [(1, 8, b'{"a":1}'), (2, 15, b'{"b":2}')]


def test_a_line_of_64_megabytes_is_read_and_a_longer_one_passed(monkeypatch) -> None:
    """The longest line that is accepted is understood; a longer one is one malformed line, and reading goes on."""
    long = b'{"a":"' + b"x " * (32 * 2**20) + b'","b":7}\n{"c":3}\n'
    [first, second] = told(long)
    assert (first[1], second) == (len(long) - 8, (2, len(long), b'{"c":3}'))
    assert (decode(first[2]) or {})["b"] == 7
    monkeypatch.setattr(files, "MAX_LINE", 1_000)
    found = told(b'{"a":"' + b"x" * 5_000 + b'"}\n{"b":2}\n')
    assert decode(found[0][2]) is None and found[1][2] == b'{"b":2}' and found[1][1] == 5_017


def test_bytes_that_are_no_strict_json_are_understood_where_they_can_be() -> None:
    """Invalid UTF-8 and lone surrogates are replaced, so that the text can be written; other values are no record."""
    assert decode(b'{"a":"\xff"}') == {"a": "�"}
    assert decode(b'{"a":"\\ud800"}') == {"a": "�"}
    assert decode(b'{"a":\0\0 1}') == {"a": 1}
    assert [decode(raw) for raw in (b"[1]", b"1", b"null", b"{", b"", b"[" * 100_000)] == [None] * 6


@given(st.binary(max_size=400))
def test_any_bytes_are_lines(data: bytes) -> None:
    """No bytes make reading fail, offsets only grow, and nothing lies behind the end."""
    found = told(data)
    ends = [end for _, end, _ in found]
    assert ends == sorted(set(ends)) and all(end <= len(data) for end in ends)
    for _, _, raw in found:
        decode(raw)


@given(JSON)
def test_any_value_has_a_text(value: object) -> None:
    """Every JSON value has a text, an input and a form without bulk, and none of them fails."""
    assert isinstance(text_of(value), str) and isinstance(input_text(value), str)
    without_bulk(value)
    when(value)


@given(st.text())
def test_any_text_has_a_role(text: str) -> None:
    """A text has one of the roles, and its parts lose nothing but spaces."""
    assert class_of(text) in ROLES
    assert "".join("".join(part.split()) for _, part in separated(text)) == "".join(text.split())


def test_images_become_hash_and_size() -> None:
    """Base64 in a block, a data URI within a text and a bare long text are replaced; other long texts stay."""
    content = bytes(range(256)) * 20
    data = base64.b64encode(content).decode()
    stub = f"[image sha256:{hashlib.sha256(content).hexdigest()[:12]} {len(content)} bytes]"
    block = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}
    assert text_of(["see", block]) == f"see\n{stub}"
    assert text_of({"type": "input_image", "image_url": f"data:image/png;base64,{data}"}) == stub
    assert without_bulk({"a": [block]}) == {"a": [{**block, "source": {**block["source"], "data": stub}}]}
    assert text_of(f"![x](data:image/png;base64,{data}) end") == f"![x]({stub}) end"
    assert without_bulk([data]) == [stub]
    assert text_of("word " * 1_000) == "word " * 1_000 and text_of("x" * 1_000) == "x" * 1_000


def test_long_text_is_cut_with_a_mark() -> None:
    """A cut text says how much is missing and keeps its end; what a tool was given stays JSON."""
    text = cut("a" * 1_000 + "end", 100)
    assert text.startswith("a" * 60) and "903 characters cut" in text and text.endswith("aend")
    given_ = json.loads(input_text({"file_path": "/x", "content": "y" * 100_000}))
    assert given_["file_path"] == "/x" and len(given_["content"]) < 5_000


@pytest.mark.parametrize(
    ("text", "role"),
    [
        ("please fix it", "human"),
        ("<system-reminder>be brief</system-reminder>", "injected"),
        ("  <task-notification>\n<task-id>1</task-id></task-notification>", "injected"),
        ("<command-name>/clear</command-name>", "command"),
        ("<bash-stdout>ok</bash-stdout>", "command"),
        ("This session is being continued from a previous conversation that ran out of context.", "summary"),
        ("[Request interrupted by user]", "injected"),
        ("# AGENTS.md instructions for /x", "injected"),
        ("<environment_context><cwd>/x</cwd></environment_context>", "injected"),
    ],
)
def test_roles_are_told_by_how_a_text_begins(text: str, role: str) -> None:
    """Each kind of text that no person typed has its own role."""
    assert class_of(text) == role and separated(text) == [(role, text.strip())]


def test_what_we_handed_over_is_told_from_what_was_typed() -> None:
    """Our fence is the one that injection writes, and its text is apart from the prompt that it stands behind."""
    ours = fence.fenced(["- use tabs"])
    assert OURS == fence.OPEN
    assert separated(f"fix it\n{ours}\n<system-reminder>x</system-reminder>") == [
        ("human", "fix it"),
        ("ours", ours),
        ("injected", "<system-reminder>x</system-reminder>"),
    ]
    assert separated("fix <my-tag>this</my-tag>") == [("human", "fix"), ("injected", "<my-tag>this</my-tag>")]
    assert separated("what does <system-reminder> mean, </b>?") == [
        ("human", "what does <system-reminder> mean, </b>?")
    ]


def test_many_openings_without_an_end_take_no_time() -> None:
    """A text full of tags that are never closed is data from the first one on, and is classed at once."""
    openings = "<system-reminder>" * 12_000 + "</b>"
    assert separated(f"a {openings}") == [("human", "a"), ("injected", openings)]


@pytest.mark.parametrize(
    ("value", "time"),
    [
        ("2026-01-02T03:04:05.678Z", "2026-01-02T03:04:05.678Z"),
        ("2026-01-02T05:04:05+02:00", "2026-01-02T03:04:05.000Z"),
        (1_767_323_045, "2026-01-02T03:04:05.000Z"),
        (1_767_323_045_678, "2026-01-02T03:04:05.678Z"),
        ("yesterday", ""),
        (True, ""),
        (float("nan"), ""),
        (1e300, ""),
    ],
)
def test_times_of_all_kinds_are_one(value: object, time: str) -> None:
    """Texts with a zone, seconds and milliseconds are the same time in UTC; what is no time is empty."""
    assert when(value) == time


def event(text: str, **more: object) -> SessionEvent:
    """Return an event with a text."""
    return SessionEvent(0, "assistant", text, **more)


def test_events_wait_behind_a_call_until_it_is_answered() -> None:
    """The call comes out with its result and in its place; what came later comes later."""
    held = PendingCalls()
    held.add(SessionEvent(0, "tool", at="2026-01-01T00:00:00Z", tool="Read", call="c"), "c")
    held.add(event("later"))
    assert list(held.take()) == []
    assert held.answer("c", output="done", failed=False, until="2026-01-01T00:00:01.5Z")
    assert not held.answer("c", output="again")
    first, second = held.take()
    assert (first.output, first.milliseconds, first.place) == ("done", 1_500, 0)
    assert (second.text, second.place) == ("later", 1)


def test_a_call_that_is_never_answered_holds_up_a_bounded_number(monkeypatch) -> None:
    """When too much waits, the call comes out as it is, and its late result finds no call."""
    monkeypatch.setattr(base, "MAX_HELD", 3)
    held = PendingCalls()
    held.add(SessionEvent(0, "tool", call="c"), "c")
    for number in range(3):
        held.add(event(str(number)))
    assert [one.call or one.text for one in held.take()] == ["c", "0", "1", "2"]
    assert not held.answer("c", output="late")


def test_what_was_dropped_takes_no_room(monkeypatch) -> None:
    """The bound on what waits counts what is there, not what was."""
    monkeypatch.setattr(base, "MAX_HELD_TEXT", 100)
    held = PendingCalls()
    held.add(SessionEvent(0, "tool", call="c"), "c")
    for number in range(9):
        held.add(event("x" * 40), str(number))
        held.drop(str(number))
    assert list(held.take()) == []
    held.add(event("x" * 101))
    assert len(list(held.take())) == 2


def test_a_call_knows_whether_its_result_came() -> None:
    """An answer completes the call, one without a result only lets it go."""
    held = PendingCalls()
    for name in ("a", "b"):
        held.add(SessionEvent(0, "tool", call=name, at="2026-05-04T10:00:00.000Z"), name)
    held.answer("a", output="", until="2026-05-04T10:00:01.500Z")
    held.answer("b")
    assert [(one.answered, one.milliseconds) for one in held.take()] == [(True, 1_500), (False, 0)]


def test_what_another_session_told_is_passed_over() -> None:
    """Events with ids that are to be skipped go; the beginning is the first id of those that come."""
    held = PendingCalls()
    held.skip = frozenset({"old"})
    for number, id in enumerate(("old", "", "new", "newer")):
        held.add(SessionEvent(number, "human", str(number), id=id))
    assert [(one.place, one.id) for one in held.rest()] == [(0, ""), (1, "new"), (2, "newer")]
    assert (held.beginning, held.given) == ("new", 3)


def test_a_dropped_event_leaves_no_gap() -> None:
    """Places count what comes out, in order, without gaps."""
    held = PendingCalls()
    held.add(event("queued"), "q")
    held.add(event("next"))
    assert held.drop("q") and not held.drop("q")
    assert [(one.place, one.text) for one in held.rest()] == [(0, "next")] and held.given == 1


def test_a_message_is_counted_once() -> None:
    """Of several reports on one message the largest counts; reports without an id add up; nonsense is nothing."""
    costs = Costs()
    costs.add("m", 10, 7, 5)
    costs.add("m", 11, 1, 5)
    costs.add("", 1, 1)
    costs.add("", "x", None, True, -5, float("inf"))
    assert costs.total() == Cost(12, 8, 5, 0, 0)


def test_only_plain_files_are_opened(tmp_path: Path) -> None:
    """A pipe in the place of a transcript is refused at once, and links are not listed."""
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "real.jsonl").write_text("{}\n")
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "real.jsonl")
    with pytest.raises(OSError):
        files.open_plain(str(tmp_path / "pipe.jsonl"))
    assert list(files.files_below(str(tmp_path), ".jsonl")) == [str(tmp_path / "real.jsonl")]


def test_an_id_that_is_used_again_is_another_call() -> None:
    """A call that is told again is no news, but one with other arguments, after the result, is a call of its own."""
    reading = base.Reading("")
    for command, output in (("npm test", "1 failed"), ("npm run lint", "clean")):
        reading.call("call_0", "Bash", {"command": command})
        reading.call("call_0", "Bash", {"command": command})
        reading.result("call_0", output)
        reading.call("call_0", "Bash", {"command": command})
    assert [event.output for event in reading.held.rest()] == ["1 failed", "clean"]
