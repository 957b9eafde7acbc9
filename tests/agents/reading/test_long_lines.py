"""Lines of many megabytes, read in pieces."""

from __future__ import annotations

import base64
import io
import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import holdfast
from holdfast.agents.reading import lines as long_lines
from holdfast.agents.reading.lines import decode, document, lines, shortened
from holdfast.agents.reading.values import stub, text_of

MEGABYTES = 64
# What it takes to read a line and to make a digest, in megabytes, whatever the line is full of.
MAX_MEMORY = 150
PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
from holdfast.agents.reading import claude_code
from holdfast.sessions.digest import Digesting
[reading] = claude_code.read(sys.argv[2])
digesting = Digesting()
for event in reading:
    digesting.take(event)
digesting.done(reading.session())
assert reading.session().events == 2, reading.session().events
# Not what `getrusage` says, which counts the parent's memory at the fork too.
print(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1])
"""


@pytest.fixture
def small(monkeypatch) -> None:
    """Let a line of some hundred bytes be a long one."""
    for name, value in (("_PIECE", 16), ("_HEAD", 200), ("_TAIL", 50)):
        monkeypatch.setattr(long_lines, name, value)


def made_short(line: bytes, first: int = 20) -> bytes:
    """Return a line as it is after its beginning was read and the rest came in pieces."""
    return shortened(io.BytesIO(line[first:]), line[:first], 10**9)[0]


def test_a_text_keeps_its_beginning_and_its_end(small) -> None:
    """In the middle stands how much was cut; short texts, names and numbers around it stay."""
    text = "first words " + "some words in the middle " * 100 + "the last words"
    record = {"a": 1, "long": text, "b": ['"', "x\\"], "c": {"d": None}}
    found = decode(made_short(json.dumps(record).encode() + b"\n"))
    assert found is not None and {**found, "long": text} == record
    assert found["long"].startswith("first words some") and found["long"].endswith("the last words")
    assert "bytes cut" in found["long"] and len(found["long"]) < 700


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=300, max_size=600), st.booleans())
def test_a_text_in_any_script_is_cut_where_it_can_be(text: str, escaped: bool) -> None:
    """The line stays JSON: what is left of the beginning and of the end of the text is told as it was."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (("_PIECE", 16), ("_HEAD", 100), ("_TAIL", 50), ("_WINDOW", 60)):
            patch.setattr(long_lines, name, value)
        line = json.dumps({"a": f": {text}"}, ensure_ascii=escaped).encode() + b"\n"
        short = (decode(made_short(line)) or {})["a"]
    before, after = short.partition("[... ")[0], short.rpartition("cut ...]")[2]
    # Between the two halves of a character beyond the first 65,536 a cut leaves a sign for what is missing.
    assert f": {text}".startswith(before.removesuffix("\ufffd")) and text.endswith(after.removeprefix("\ufffd"))


def test_base64_is_its_hash_and_size(small) -> None:
    """Whatever the pieces, it is the same hash and size that shorter data gets, with and without a data URI."""
    data = base64.b64encode(random.Random(1).randbytes(3_001)).decode()
    for text in (data, f"data:image/png;base64,{data}"):
        block = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": text}}
        found = decode(made_short(json.dumps(block).encode() + b"\n", 90))
        assert text_of(found) == stub(data)


def test_a_long_document_is_made_short_too(tmp_path: Path) -> None:
    """A file that is one document keeps all of its messages, the long text in one of them cut."""
    messages = [{"text": "first"}, {"text": "many words " * 2**20}, {"text": "last"}]
    path = tmp_path / "document.json"
    path.write_text(json.dumps({"title": "x", "messages": messages}, indent=2))
    rest, found = document(str(path), "messages")
    first, long, last = (one or {} for one in found)
    assert (rest, first, last) == ({"title": "x"}, messages[0], messages[2])
    assert long["text"].startswith("many words many") and len(long["text"]) < 4 * 2**20


def test_a_longer_line_than_is_accepted_is_passed(small) -> None:
    """Only its beginning is given, and its end is found."""
    line = b'{"a":"' + b"x " * 500 + b'"}\n'
    assert shortened(io.BytesIO(line[20:] + b"next"), line[:20], 500) == (line[:20] + b"\n", len(line) - 20)


@given(
    st.dictionaries(st.text(max_size=5), st.text(max_size=30) | st.integers() | st.none(), max_size=4),
    st.integers(0, 40),
    st.integers(1, 20),
)
def test_what_is_not_long_stays_as_it_is(record: dict[str, object], first: int, piece: int) -> None:
    """Wherever the pieces part, within an escape too, a line without long texts comes byte for byte."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(long_lines, "_PIECE", piece)
        line = json.dumps(record).encode() + b"\n"
        assert made_short(line, first) == line


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="the system does not tell how much memory it took")
@pytest.mark.parametrize("content", ["words", "letters", "data"])
def test_a_line_of_64_megabytes_takes_little_memory(tmp_path: Path, content: str) -> None:
    """A line full of text in any script or of base64 is read and digested within the bound, in a fresh process."""
    unit = {"words": "a word – \\u2713 \\ud83d\\ude00 ", "letters": "xyz漢", "data": "QUJD"}[content]
    path = tmp_path / "s.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for text in ("hello", unit * (MEGABYTES * 2**20 // len(unit.encode()))):
            head = '{"type":"user","sessionId":"s","message":{"role":"user","content":"'
            file.write(f'{head}{text} "}},"uuid":"{len(text)}"}}\n')
    source = str(Path(holdfast.__file__).parent.parent)
    command = [sys.executable, "-c", PROGRAM, source, str(path)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert int(ended.stdout) < MAX_MEMORY * 1024


def test_lines_around_a_long_one_are_told_as_ever() -> None:
    """Numbers and offsets go on behind a long line."""
    long = json.dumps({"a": "word " * (2 * 2**20)}).encode() + b"\n"
    found = list(lines(io.BytesIO(b'{"a":1}\n' + long + b'{"b":2}\n')))
    assert [(number, end) for number, end, _ in found] == [(1, 8), (2, 8 + len(long)), (3, 16 + len(long))]
    assert decode(found[1][2]) is not None and len(found[1][2]) < 2 * 2**20
