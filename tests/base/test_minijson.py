"""The light JSON reads and writes what `json` does, and refuses what `json` refuses."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

import holdfast
from holdfast.base.minijson import dumps, loads

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(VALUES)
def test_it_writes_as_json_does(value):
    """The text is the same, byte for byte, as that of `json` without ASCII escapes."""
    assert dumps(value) == json.dumps(value, ensure_ascii=False)


@given(VALUES)
def test_it_reads_back_what_it_wrote(value):
    """What was written is read as the same value, with spaces around it too."""
    assert loads(f" \n{dumps(value)}\t ") == value


@pytest.mark.parametrize("text", ["", " ", "{", "[1,]", '{"a" 1}', '"abc', "{} x", "nul", "[" * 100_000, '{"a":1,}'])
def test_what_is_not_json_is_refused(text):
    """Broken, cut, doubled and too deeply nested text is a ValueError."""
    with pytest.raises(ValueError):
        loads(text)


def test_broken_text_is_refused_without_json_loaded():
    """In a process that never loaded `json`, as a hook is, broken text is a ValueError too, and `json` stays out."""
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from holdfast.base.minijson import loads\n"
        "for text in ('{', '[1,]', '\"abc', '{\"a\" 1}'):\n"
        "    try: loads(text)\n"
        "    except ValueError: print('refused')\n"
        "print('json' in sys.modules)\n"
    )
    source = holdfast.__file__.rpartition("/holdfast/")[0]
    ended = subprocess.run(
        [sys.executable, "-I", "-S", "-E", "-c", code, source], capture_output=True, text=True, check=True
    )
    assert ended.stdout.split() == ["refused"] * 4 + ["False"]


def test_what_json_cannot_say_is_refused():
    """A value of another kind is a TypeError."""
    with pytest.raises(TypeError):
        dumps({"a": object()})


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity"])
def test_the_odd_numbers_are_read(text):
    """Programs write these, so they are read as `json` reads them."""
    assert repr(loads(text)) == repr(json.loads(text))
