from __future__ import annotations

import pytest
import yaml
from hypothesis import assume, example, given
from hypothesis import strategies as st

from holdfast.store import front_matter
from holdfast.store.front_matter import change, parse, scalar, values

# Text of any kind that a file can hold: everything but lone surrogates.
TEXT = st.text(st.characters(exclude_categories=["Cs"]))
LINES = st.sampled_from(
    ["---", "--- ", "key: a", "tags: [a, b]", "tags:", "- a", "  - b", "# note", "", "x", "\ufeff---", "'a': b", "a: |"]
)
DOCUMENTS = st.tuples(st.lists(LINES | TEXT), st.sampled_from(["\n", "\r\n", "\r"])).map(lambda t: t[1].join(t[0]))
NAMES = st.from_regex(r"[a-z][a-z0-9_-]{0,8}", fullmatch=True)
TRICKY = st.sampled_from(
    [
        *("yes", "No", "null", "~", "1", "-1", "1.5", ".5", ".inf", ".NaN", "0x1F", "1e5", "1_000", "12:30:45", "true"),
        *("2026-01-01", "-", "...", "a:", ":a", "#a", "on", '"a"', "'a'", "a'b", 'a"b', "[a]", "{a}", "a?", "?a", "*a"),
        *("&a", "!a", "|", ">", "%a", "@a", "`a", "<<", "=", "\\", "\\n", "日本語", "😀", "é"),
        *("- a", "--- a", "a: b", "a #b", "a\tb", " a", "a ", "a, b", "a\nb", "a\r\nb", "", "a" * 500),
        *("\x85", "\u2028", "\ufeff", "\x00", "\x1b[31m"),
    ]
)
VALUES = TEXT | TRICKY
ONE_LINE = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), max_size=20)


@given(TEXT | DOCUMENTS)
@example("---\nkey: a\n---")
@example("\ufeff---\r\nkey: a\r\n---\r\n\r\nText.\r\n")
@example("---\n- a\n---\n")
def test_any_text_is_kept_byte_for_byte(text):
    """A text that is cut into pieces and put together again is the same text."""
    assert str(parse(text)) == text


@given(DOCUMENTS, NAMES, VALUES | st.lists(VALUES).map(tuple) | st.none())
def test_a_change_keeps_every_other_piece(text, name, value):
    """Setting one name leaves the text of every other entry, the fences and the body as they were."""
    before = parse(text)
    assume(not before.broken)
    after = change(before, {name: value})
    assert after.body == before.body
    assert [e.text for e in after.entries if e.name != name] == [e.text for e in before.entries if e.name != name]
    if before.foot:
        assert (after.head, after.foot) == (before.head, before.foot)
    assert parse(str(after)) == parse(str(parse(str(after))))


@given(DOCUMENTS, NAMES, VALUES)
def test_what_is_set_is_read_again(text, name, value):
    """A name that was set has its value when the whole file is parsed anew."""
    document = parse(text)
    assume(not document.broken)
    again = parse(str(change(document, {name: value})))
    assert values(again)[0][name] == value


KEPT = (
    "\ufeff---\r\n# first\r\naliases: [x, 'y']  # mine\r\n\r\ntags:\r\n  - a\r\n# between\r\n  - b\r\n"
    "unknown: {deep: [1, 2]}\r\nnested:\r\n  more: 1\r\nkey: k\r\n---\r\n\r\nBody ---\r\n---\r\n"
)


@pytest.mark.parametrize("name", ["aliases", "tags", "unknown", "nested", "key", "new"])
def test_a_change_is_one_line(name):
    """In a file with a byte order mark, CRLF, comments and foreign keys, setting a name changes that name alone."""
    document = parse(KEPT)
    assert values(document)[0]["tags"] == ("a", "b")
    after = str(change(document, {name: "v"}))
    entry = next((e.text for e in document.entries if e.name == name), "")
    assert after == (
        KEPT.replace(entry, f"{name}: v\r\n") if entry else KEPT.replace("k\r\n---", f"k\r\n{name}: v\r\n---")
    )


def test_a_name_that_is_taken_out_leaves_the_rest():
    """None takes the entry out, and all of it where the name was set twice."""
    text = "---\na: 1\ntags:\n- x\n- y\nb: 2\ntags: z\n---\n"
    assert str(change(parse(text), {"tags": None})) == "---\na: 1\nb: 2\n---\n"


@pytest.mark.parametrize("text", ["Body.\r\n", "\ufeffBody.\r\n", "\ufeff---\r\n---\r\nBody.\r\n"])
def test_new_front_matter_has_the_line_ending_of_the_file(text):
    """Front matter that is put into a CRLF file, with a byte order mark or without, is CRLF too."""
    after = str(change(parse(text), {"key": "k", "tags": ("a",)}))
    assert after.count("\n") == after.count("\r\n")
    assert after.startswith("\ufeff") == text.startswith("\ufeff")
    assert after.endswith("key: k\r\ntags: [a]\r\n---\r\nBody.\r\n")


@st.composite
def flat_yaml(draw):
    """Flat front matter as a person writes it, in the subset that Holdfast reads."""
    names = draw(st.lists(NAMES, unique=True, min_size=1, max_size=6))
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    lines = [line for name in names for line in (*draw(between()), *draw(written(name)))]
    return newline.join(["---", *lines, *draw(between()), "---", "Body.", ""])


def between():
    return st.lists(st.sampled_from(["", "# a comment", "  # indented"]), max_size=1)


PLAIN = st.from_regex(
    r"[A-Za-z0-9_/.éж日][A-Za-z0-9_/.éж日'\"!@%&*-]{0,9}( [A-Za-z0-9_/.:éж-]{1,9}){0,2}", fullmatch=True
)
SINGLE = ONE_LINE.map(lambda text: "'" + text.replace("'", "''") + "'")
DOUBLE = ONE_LINE.map(lambda text: '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"')


@st.composite
def written(draw, name):
    scalars = PLAIN.filter(_is_plain_yaml) | SINGLE | DOUBLE
    form = draw(st.sampled_from(["scalar", "empty", "flow", "block", "block at the margin"]))
    comment = draw(st.sampled_from(["", "  # why", " #"]))
    if form == "scalar":
        return [f"{name}: {draw(scalars)}{comment}"]
    if form == "empty":
        return [f"{name}:{comment}"]
    if form == "flow":
        items = draw(st.lists(PLAIN.filter(_is_plain_yaml).filter(_is_plain_in_flow) | SINGLE | DOUBLE, max_size=4))
        return [f"{name}: [{', '.join(items)}]{comment}"]
    dash = "- " if form == "block at the margin" else "  - "
    items = draw(st.lists(scalars, min_size=1, max_size=4))
    return [f"{name}:{comment}", *(line for item in items for line in (*draw(between()), f"{dash}{item}{comment}"))]


def _is_plain_yaml(text):
    # The plain word null is nothing to us, and a string to a loader that guesses no types.
    return text != "null" and not text.endswith(":") and ": " not in text and text.strip() == text


def _is_plain_in_flow(text):
    return not any(letter in text for letter in ",?[]{}") and not text.endswith(":")


def _by_yaml(text):
    head = text.replace("\r\n", "\n").split("\n---\n")[0].removeprefix("---\n")
    loaded = yaml.load(head, yaml.BaseLoader)
    return {name: tuple(value) if isinstance(value, list) else value for name, value in loaded.items()}


@given(flat_yaml())
@example("---\ntags:\n- a\n\n- b\n---\n")
@example("---\na: 'x # y' # z\nb: \"x\\\\\" # z\n---\n")
@example('---\n"type: x": 1\n---\n')
def test_flat_front_matter_is_read_as_yaml_reads_it(text):
    """On flat front matter our values are those of PyYAML."""
    found, broken = values(parse(text))
    assert broken == ()
    assert found == _by_yaml(text)


@given(VALUES)
def test_a_scalar_is_the_same_string_to_yaml(value):
    """Whatever is written is the same string to PyYAML, with the loader that guesses types too."""
    text = f"name: {scalar(value)}\n"
    assert yaml.load(text, yaml.BaseLoader) == {"name": value}
    if not _is_our_time(value):
        assert yaml.safe_load(text) == {"name": value}


@given(st.lists(VALUES).map(tuple))
def test_a_list_is_the_same_strings_to_yaml(items):
    """Whatever list is written is the same list of strings to PyYAML, and to us."""
    document = change(parse(""), {"tags": items})
    assert values(document)[0] == {"tags": items}
    head = str(document).removeprefix("---\n").removesuffix("---\n")
    assert yaml.load(head, yaml.BaseLoader) == {"tags": list(items)}
    if not any(map(_is_our_time, items)):
        assert yaml.safe_load(head) == {"tags": list(items)}


def _is_our_time(value):
    return len(value) == 20 and value[10] == "T" and value[-1] == "Z"


def test_times_are_written_plainly():
    """A time as Holdfast writes it needs no quotes, so that other tools take it for a time."""
    assert scalar("2026-11-02T09:00:00Z") == "2026-11-02T09:00:00Z"


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        ("---\nkey: a\n", 1, "never closed"),
        ("---\nkey: a\nwhat is this\n---\n", 3, "neither"),
        ("---\n- a\n---\n", 2, "neither"),
        ("---\nkey: a\nkey: b\n---\n", 3, "set twice"),
        ("---\nkey: a\ntags: {a: b}\n---\n", 3, "not a plain value"),
        ("---\ntags: [a\n---\n", 2, "not a plain value"),
        ("---\ntags: 'a\n---\n", 2, "not a plain value"),
    ],
)
def test_what_is_broken_is_a_value_with_a_line(text, line, why):
    """Front matter that cannot be read is named with its line; nothing is raised."""
    (found,) = values(parse(text))[1]
    assert found[0] == line
    assert why in found[1]


def test_escapes_of_yaml_are_understood():
    """Each escape of a double-quoted scalar is what YAML says it is."""
    text = r'"\0\a\b\t\n\v\f\r\e\"\/\\\N\_\L\P\x41\u00e9\U0001f600"'
    assert values(parse(f"---\na: {text}\n---\n"))[0]["a"] == yaml.load(text, yaml.BaseLoader)


def test_a_line_is_ended_by_a_line_feed_only():
    """Characters that other programs take for line endings stay inside their line."""
    document = parse("---\na: x\u2028---\nb: y\x85\n---\nBody")
    assert [entry.name for entry in document.entries] == ["a", "b"]
    assert front_matter.parse(str(document)) == document
