"""Where a name is defined in a source text, by light rules, and that white space is no change."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.language.code_spans import defined, digest, digest_of_lines, found_again, squeezed

PYTHON = '''
import os

TIMEOUT = 30  # seconds
timeouts = {"read": 5}


class Session:
    """A session."""

    limit: int = 3

    @property
    def user(
        self,
    ) -> str:
        query = """
SELECT name
"""
        return query

    async def close(self):
        if os:
            return None

        # The last words.
        return os


def close():
    TIMEOUT = 2
    return TIMEOUT
'''
TYPESCRIPT = """
export const retries: number = 3;

export default class Store extends Base {
  private async load(id: string): Promise<void> {
    if (id) {
      load(id);
    }
  }

  save(value) {
    return value;
  }
}

export const parseDate = (text: string) => {
  return new Date(text);
};

function* walk(node) {
  yield node;
}
"""
GO = """
func (s *Server) Handle(w Writer) error {
	return nil
}

type Server struct {
	Port int
}
"""
RUST = """
#[derive(Debug)]
pub(crate) struct Point {
    x: i32,
}

pub const fn area(p: &Point) -> i32
{
    p.x
}
"""
C_LIKE = """
static int parse_line(const char *line)
{
#ifdef DEBUG
  log(line);
#endif
  return parse_line_of(line);
}

public String getName() throws IOException {
  return name;
}
"""
TOML = """
[tool.ruff]
line-length = 120
select = [
  "E",
]

[tool.mypy]
strict = true
"""
MISE = """
[tasks]
test = "make test"

[tasks."lint"] # of all
run = "make lint"
"""
PROMPTS = """
export function promptOf(name) {
  const lead = `Hello ${name},

Do this:
- read
}
`;
  return lead;
}

const other = 1;
"""
YAML = """
services:
  web:
    ports:
    - "80:80"
    image: shop
  db:
    image: postgres
jobs:
- build
- test
name: ci
"""


def named(text: str, name: str, **options: bool) -> list[str]:
    """Return the texts that the name stands for."""
    lines = text.split("\n")
    return ["\n".join(lines[first:last]) for first, last in defined(lines, name, **options)]


@pytest.mark.parametrize(
    ("text", "name", "first", "last"),
    [
        (PYTHON, "Session", "class Session:", "return os"),
        (PYTHON, "user", "@property", "return query"),
        (PYTHON, "Session.close", "async def close(self):", "return os"),
        (PYTHON, "TIMEOUT", "TIMEOUT = 30  # seconds", "TIMEOUT = 30  # seconds"),
        (PYTHON, "Session.limit", "limit: int = 3", "limit: int = 3"),
        (TYPESCRIPT, "retries", "export const retries: number = 3;", "export const retries: number = 3;"),
        (TYPESCRIPT, "Store", "export default class Store extends Base {", "}"),
        (TYPESCRIPT, "Store.load", "private async load(id: string): Promise<void> {", "}"),
        (TYPESCRIPT, "save", "save(value) {", "}"),
        (TYPESCRIPT, "parseDate", "export const parseDate = (text: string) => {", "};"),
        (TYPESCRIPT, "walk", "function* walk(node) {", "}"),
        (GO, "Handle", "func (s *Server) Handle(w Writer) error {", "}"),
        (GO, "Server", "type Server struct {", "}"),
        (RUST, "Point", "#[derive(Debug)]", "}"),
        (RUST, "area", "pub const fn area(p: &Point) -> i32", "}"),
        (C_LIKE, "parse_line", "static int parse_line(const char *line)", "}"),
        (C_LIKE, "getName", "public String getName() throws IOException {", "}"),
        (TOML, "tool.ruff.line-length", "line-length = 120", "line-length = 120"),
        (TOML, "select", "select = [", "]"),
        (TOML, "tool.mypy", "[tool.mypy]", "strict = true"),
        (MISE, "tasks.lint.run", 'run = "make lint"', 'run = "make lint"'),
        (PROMPTS, "promptOf", "export function promptOf(name) {", "}"),
        (YAML, "services.db.image", "image: postgres", "image: postgres"),
        (YAML, "ports", "ports:", '- "80:80"'),
        (YAML, "jobs", "jobs:", "- test"),
    ],
)
def test_a_definition_is_found_with_its_body(text: str, name: str, first: str, last: str) -> None:
    """From the line above it that belongs to it, to the line that closes it."""
    (found,) = named(text, name)
    lines = [line.strip() for line in found.strip("\n").split("\n")]
    assert (lines[0], lines[-1]) == (first, last)


def test_what_only_uses_a_name_does_not_define_it() -> None:
    """A call, a comparison, a comment and a part of a longer name define nothing."""
    text = "# run = 1\nrun(x)\nif run == 2:\n    runner = 3\nreturn run\nfoo.run(1) {\nx = run\n"
    assert named(text, "run") == []


def test_a_table_of_settings_has_those_within_it() -> None:
    """Who names `tool` names all of its tables."""
    assert [one.split("\n")[0] for one in named(TOML, "tool")] == ["[tool.ruff]", "[tool.mypy]"]
    assert [one.split("\n")[0] for one in named(MISE, "tasks")] == ["[tasks]", '[tasks."lint"] # of all']


def test_a_name_that_is_a_word_of_some_language_is_found_all_the_same() -> None:
    """`record`, `open` and `type` are words that define elsewhere."""
    assert named("def record(x):\n    return x\n", "record") == ["def record(x):\n    return x"]
    assert named("type = 3\n", "type") == ["type = 3"]
    assert named("set(value) {\n  this.value = value;\n}\n", "set") == ["set(value) {\n  this.value = value;\n}"]


def test_what_decorates_belongs_to_it_also_over_several_lines() -> None:
    """The cases of a test stand above it."""
    text = "@one\n@cases(\n    [\n        1,\n\n        2,\n    ],\n)\ndef test_it(x):\n    assert x\n"
    assert named(f"x = (\n    1,\n)\n{text}", "test_it") == [text.rstrip("\n")]


def test_two_definitions_count_together_and_many_are_not_plain() -> None:
    """The methods of one name in two classes are both meant; of a name that is set everywhere nothing is."""
    assert len(named(PYTHON, "close")) == 2
    assert named("\n".join(f"x = {number}" for number in range(9)), "x") == []


def test_a_name_that_stands_alone_is_held_to_more() -> None:
    """Where no file was named, a plain word that is set somewhere, or a local, may be anything."""
    assert named(TOML, "strict", alone=True) == []
    assert named("def f():\n    MAX_X = 3\n", "MAX_X", alone=True) == []
    assert named("MAX_X = 3\n", "MAX_X", alone=True) == ["MAX_X = 3"]
    assert named("def strict():\n    pass\n", "strict", alone=True) == ["def strict():\n    pass"]


WORDS = st.lists(st.text("abcxyz(){}[]=:.#'\"/", min_size=1, max_size=6), max_size=30)
SPACES = st.sampled_from([" ", "  ", "\n", "\t", "\n\n    "])


@given(WORDS, st.data())
def test_white_space_is_no_change(words: list[str], data: st.DataObject) -> None:
    """However a text is wrapped and indented, its digest is the same; one letter more is another."""
    one, two = ("".join(word + data.draw(SPACES) for word in words) for _ in range(2))
    assert digest(one) == digest(two)
    assert digest(one) != digest(f"{two}q")


def test_a_comma_that_a_formatter_adds_is_no_change() -> None:
    """One call on a line, and the same wrapped with a comma behind its last argument."""
    assert squeezed("f(a, b)") == squeezed("f(\n    a,\n    b,\n)")


@given(
    st.lists(st.text("abc ;", max_size=8), min_size=1, max_size=12), st.lists(st.text("abc ;", max_size=8), max_size=5)
)
def test_lines_are_found_wherever_they_moved(lines: list[str], above: list[str]) -> None:
    """Lines that something was put before, or that were indented, are still there."""
    wanted, length = digest_of_lines("\n".join(lines))
    moved = "\n".join([*above, *(f"    {line}" for line in lines), "end"])
    assert found_again(moved, wanted, length) or not length


def test_lines_that_are_gone_are_not_found() -> None:
    """A line that says something else is another line."""
    wanted, length = digest_of_lines("port = 80")
    assert not found_again("a = 1\nport = 81\n", wanted, length)
