"""JSON with comments, edited as text."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.agents.editing import json_text
from holdfast.agents.editing.json_text import NotJson, add, drop, scan
from holdfast.agents.editing.record import Insertions, without


def added(text: str, path: tuple[str, ...], value: object, *, element: bool = False) -> str:
    """Add a value, and check that taking the inserted bytes out again gives the text back."""
    edited = Insertions(text)
    add(edited, path, value, element=element)
    assert without(edited.text.encode(), edited.spans()) == text.encode()
    return edited.text


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "{ }",
        '{"a": 1}',
        "",
        "\n",
        '{\n  "a": 1\n}\n',
        '{\r\n\t"a": 1,\r\n}',
        '\ufeff{"a": {"b": []}}',
        "{ // c\n}",
    ],
)
def test_a_member_is_added_to_any_object(text) -> None:
    """Whatever the style of the file, it says the same afterwards, and ours besides."""
    before = scan(text).plain() if text.strip() else {}
    after = added(text, ("servers", "ours"), {"command": "x", "args": ["é"]})
    assert scan(after).plain() == {**before, "servers": {"ours": {"command": "x", "args": ["é"]}}}


def test_the_style_of_the_file_is_kept() -> None:
    """Indent and line ends are those of the file, and a comment stays behind what it speaks of."""
    text = '{\r\n\t"a": 1, // one\r\n\t"b": 2 // two\r\n}\r\n'
    assert added(text, ("c",), {"d": 3}) == (
        '{\r\n\t"a": 1, // one\r\n\t"b": 2, // two\r\n\t"c": {\r\n\t\t"d": 3\r\n\t}\r\n}\r\n'
    )


def test_one_line_stays_one_line() -> None:
    """A file, or a list, that stands on one line gets ours on the same line."""
    assert added('{"a": [1]}', ("a",), 2, element=True) == '{"a": [1, 2]}'
    assert added('{"a": 1}', ("b",), {"c": 2}) == '{"a": 1, "b": {"c": 2}}'


def test_an_element_joins_those_that_are_there() -> None:
    """An array gets one more element at its end; a missing one is made, and it is told what was made."""
    text = '{\n  "hooks": {\n    "Stop": [\n      {"command": "theirs"}\n    ]\n  }\n}\n'
    after = added(text, ("hooks", "Stop"), {"command": "ours"}, element=True)
    assert scan(after).plain()["hooks"]["Stop"] == [{"command": "theirs"}, {"command": "ours"}]
    edited = Insertions(text)
    assert add(edited, ("hooks", "Start"), 1, element=True) == [("hooks", "Start")]
    assert add(Insertions("{}"), ("hooks", "Start"), 1, element=True) == [("hooks",), ("hooks", "Start")]
    assert add(Insertions("{}"), ("servers", "ours"), 1, element=False) == [("servers",)]


@pytest.mark.parametrize("text", ['{"hooks": []}', '{"hooks": "no"}', "[]", '{"hooks": {"Stop": {}}}'])
def test_what_stands_in_the_way_is_refused(text) -> None:
    """A value of another kind in our place is not replaced."""
    with pytest.raises(TypeError, match="is not an"):
        add(Insertions(text), ("hooks", "Stop"), {}, element=True)


def test_a_key_that_stands_twice_is_refused() -> None:
    """Readers differ in which of two they take, so neither is chosen."""
    with pytest.raises(TypeError, match="hooks stands twice"):
        add(Insertions('{"hooks": {}, "hooks": {}}'), ("hooks", "Stop"), {}, element=True)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('{\n"a": }', 2),
        ('{"a": 1\n"b": 2}', 2),
        ("{'a': 1}", 1),
        ('{"a" 1}', 1),
        ('{"a": "open}', 1),
        ('{"a": 1}\n\nmore', 3),
        ('{"a": tru}', 1),
        ("{", 1),
        ("[" * 300, 1),
        ('{"a": /* open', 1),
        ('{"a": 01}', 1),
    ],
)
def test_what_is_no_json_is_told_with_its_line(text, line) -> None:
    """A broken text is an error that names the line."""
    with pytest.raises(NotJson) as told:
        scan(text)
    assert told.value.line == line


def ours(node) -> bool:
    """Whether a value is one of ours in these tests."""
    return node.kind == "object" and any(inner.value == "ours" for inner in node.inner)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ('{"h": [{"c": "ours"}, {"c": "theirs"}]}', '{"h": [ {"c": "theirs"}]}'),
        ('{"h": [{"c": "theirs"}, {"c": "ours"}]}', '{"h": [{"c": "theirs"}]}'),
        ('{"a": 1, "h": [{"c": "ours"}]}', '{"a": 1}'),
        ('{"h": [{"c": "ours"}], "a": 1}', '{ "a": 1}'),
        ('{\n  "h": [\n    {"c": "ours"},\n  ], // mine\n  "a": 1\n}', '{ // mine\n  "a": 1\n}'),
        ('{\n  "a": 1, // one\n  "h": [{"g": [{"c": "ours"}], "matcher": "x"}]\n}', '{\n  "a": 1 // one\n}'),
    ],
)
def test_ours_is_taken_out_of_any_place(text, left) -> None:
    """With its comma and its line, and with what would hold nothing then; comments of others stay."""
    assert drop(text, ours, None) == left
    scan(left)


def test_containers_of_others_stay() -> None:
    """A container that we did not make stays, although it is empty."""
    text = '{"h": {"Stop": [{"c": "ours"}]}}'
    assert scan(drop(text, ours, ())).plain() == {"h": {"Stop": []}}
    assert scan(drop(text, ours, (("h", "Stop"),))).plain() == {"h": {}}
    assert scan(drop(text, ours, (("h",), ("h", "Stop")))).plain() == {}


def test_a_group_of_others_keeps_their_handlers() -> None:
    """Of a group that somebody shares with us only our handler goes."""
    text = '{"h": [{"g": [{"c": "ours"}, {"c": "theirs"}]}]}'
    assert scan(drop(text, ours, None)).plain() == {"h": [{"g": [{"c": "theirs"}]}]}


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=12,
)
OBJECTS = st.dictionaries(st.text(max_size=5), VALUES, max_size=4)
STYLES = st.sampled_from([None, 1, 2, 4, "\t"])


@given(OBJECTS, STYLES, st.booleans())
def test_any_object_survives_the_way_there_and_back(value, style, windows) -> None:
    """What json writes is read alike; ours is added without changing a foreign byte, and taken out by its tag."""
    text = json.dumps(value, indent=style, ensure_ascii=False)
    text = text.replace("\n", "\r\n") if windows and style else text
    assert scan(text).plain() == value
    if "hooks" in value:
        return
    after = added(text, ("hooks", "Stop"), {"command": "ours"}, element=True)
    assert json.loads(after) == {**value, "hooks": {"Stop": [{"command": "ours"}]}}
    left = drop(after, lambda node: json_text.path_of(node) == ("hooks", "Stop") and node.kind == "object", None)
    assert json.loads(left) == value


@given(st.text(alphabet='{}[]",:/*\\ \n1tnu', max_size=40))
def test_no_text_breaks_the_scanner(text) -> None:
    """Whatever stands in a file, it is read or refused; strict JSON is read as json reads it."""
    try:
        mine = scan(text).plain()
    except NotJson:
        mine = NotJson
    try:
        theirs = json.loads(text)
    except ValueError:
        return
    assert mine == theirs


def test_an_empty_container_is_empty_again_on_one_line() -> None:
    """A container that was there as `{}` is found by the tag and written so again, in a text that changed since."""
    edited = Insertions('{\n  "hooks": {},\n  "model": "x"\n}\n')
    add(edited, ("hooks", "Stop"), {"command": "ours"}, element=True)
    changed = edited.text.replace('"x"', '"y"')
    made = (("hooks", "Stop"),)
    left = drop(changed, lambda node: node.kind == "object" and node.plain() == {"command": "ours"}, made)
    assert left == '{\n  "hooks": {},\n  "model": "y"\n}\n'
