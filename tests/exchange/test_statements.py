"""Statements of a file: what a person would keep apart is apart, and what belongs together is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.exchange.statements import blocks, cut, pointer
from holdfast.memory.proposal_files import same


def texts(text: str, **options: bool) -> list[str]:
    """Return the statements of a text."""
    return [found.text for found in cut(text, **options).statements]


def test_items_are_apart() -> None:
    """Each item of a list is a statement, with its heading in the title and its line."""
    found = cut(
        "# Rules\n\n## Commits\n\n- Sign every commit you make.\n- [ ] Never amend what was pushed.\n"
    ).statements
    assert [one.text for one in found] == ["Sign every commit you make.", "Never amend what was pushed."]
    assert [(one.title, one.heading, one.line) for one in found] == [
        ("Commits: Sign every commit you make", "Commits", 5),
        ("Commits: Never amend what was pushed", "Commits", 6),
    ]


def test_the_title_of_the_file_is_no_context() -> None:
    """Below the first heading of the first level a statement has a title of its own words alone."""
    assert [one.title for one in cut("# CLAUDE.md\n\nUse tabs everywhere here.\n").statements] == [
        "Use tabs everywhere here"
    ]


def test_a_list_stays_with_its_lead_sentence() -> None:
    """A sentence that ends with a colon and the list below it are one statement."""
    text = "Before a release, do all of this without fail:\n\n- run the whole suite once more\n- write the notes\n"
    assert texts(text) == [
        "Before a release, do all of this without fail:\n- run the whole suite once more\n- write the notes"
    ]


@pytest.mark.parametrize("lead", ["**In reviews**", "**In reviews:**", "In reviews"])
def test_a_line_right_above_a_list_is_its_lead(lead: str) -> None:
    """A bold line, or one without a blank line between, announces the list below it."""
    assert texts(f"{lead}\n- read the tests first\n- then read the code\n") == [
        f"{lead}\n- read the tests first\n- then read the code"
    ]
    assert texts("Reviews are done by two people.\n\n- Read the tests first.\n") == [
        "Reviews are done by two people.",
        "Read the tests first.",
    ]


def test_a_long_list_is_cut_and_each_item_keeps_the_lead() -> None:
    """A list that is too long for one statement is apart, and each item says what it belongs to."""
    items = [f"rule number {number} is that {'words ' * 30}end" for number in range(10)]
    found = texts("In reviews:\n" + "\n".join(f"- {item}" for item in items))
    assert found == [f"In reviews:\n- {item}" for item in items]


def test_a_procedure_is_one_statement() -> None:
    """Short numbered steps stay together; long numbered rules are apart."""
    assert texts("## Release\n\n1. Tag the commit.\n2. Run `make release`.\n") == [
        "Release:\n1. Tag the commit.\n2. Run `make release`."
    ]
    long = "This rule stands for itself and says at length what everybody in the team has to do."
    assert texts(f"1. {long}\n2. {long[:-1]} always.\n") == [long, f"{long[:-1]} always."]


def test_mere_names_are_one_statement() -> None:
    """Items that say nothing alone, as the parts of a stack, stay together below their heading."""
    assert texts("## Stack\n- Python 3.11\n- Postgres\n") == ["Stack:\n- Python 3.11\n- Postgres"]


def test_prose_of_a_section_is_one_statement_until_it_is_long() -> None:
    """Paragraphs below one heading are one statement; where they are long each is its own."""
    assert texts("## Why\n\nFirst paragraph.\n\nSecond paragraph.\n") == ["First paragraph.\n\nSecond paragraph."]
    one, two = "word " * 150 + "one.", "word " * 150 + "two."
    assert texts(f"## Why\n\n{one}\n\n{two}\n") == [one, two]


def test_code_and_tables_stay_whole() -> None:
    """Code stays with the text before it, and a table is one statement with the heading as its title."""
    code, table = "Build it like this:\n\n```sh\nmake\n```", "| a | b |\n|---|---|\n| 1 | x |"
    found = cut(f"## Build\n\n{code}\n\n- Then look at the log.\n\n{table}\n")
    assert [one.text for one in found.statements] == [code, "Then look at the log.", table]
    assert [one.title for one in found.statements] == [
        "Build: Build it like this",
        "Build: Then look at the log",
        "Build",
    ]


def test_comments_pictures_and_crumbs_say_nothing() -> None:
    """Neither a comment, nor a badge, nor a lone sign is a statement; a heading without text is none either."""
    assert texts("# T\n<!-- secret plan -->\n\n[![ok](a.svg)](b)\n\n- ?\n\n## Empty\n") == []


def test_a_sign_of_code_is_no_file() -> None:
    """A word with an at sign that names no file is a statement like any other."""
    assert texts("- @override\n") == ["@override"]


def test_mentioned_files_are_named_and_not_opened() -> None:
    """A line that only names a file is no statement; a mention within a sentence stays in it; both are told."""
    found = cut(
        "@docs/one.md\n\n- @~/two.md\n- Read @README.md before you start.\n- Mail kim@example.com about `@x/y`.\n"
    )
    assert [one.text for one in found.statements] == [
        "Read @README.md before you start.",
        "Mail kim@example.com about `@x/y`.",
    ]
    assert found.mentions == ("docs/one.md", "~/two.md", "README.md")


def test_a_topic_is_one_statement() -> None:
    """A file of an agent's memory with a name is one statement of its type; other files are cut all the same."""
    head = "---\nname: VPN first\ndescription: x\ntype: feedback\ntags: [a, b]\n---\n"
    text = f"{head}Deploys need it.\n\n- Ask Kim for it.\n"
    found = cut(text, topic=True)
    assert [(one.text, one.title, one.line) for one in found.statements] == [
        ("Deploys need it.\n\n- Ask Kim for it.", "VPN first", 7)
    ]
    assert (found.type, found.tags) == ("feedback", ("a", "b"))
    assert len(cut(text).statements) == 2


def test_a_statement_does_not_begin_with_a_heading() -> None:
    """A heading at the start of a topic stays as a plain line, because a stored text would lose it to its title."""
    assert texts("---\nname: VPN\n---\n\n# Deploys\n\nThey need it.\n", topic=True) == ["Deploys\n\nThey need it."]
    assert texts("- # not a heading here\n- #tag is one word\n") == ["not a heading here", "#tag is one word"]


def test_a_nested_type_is_seen_and_a_foreign_one_is_not() -> None:
    """A type below `metadata` counts; a type that is none of ours does not."""
    assert cut("---\nmetadata:\n  type: user\n---\nText here.\n").type == "user"
    assert cut("---\ntype: doc\n---\nText here.\n").type == ""


@pytest.mark.parametrize(
    ("head", "end"),
    [
        ("globs: src/**/*.ts, lib/*.ts\nalwaysApply: false", "\n\nApplies to: src/**/*.ts, lib/*.ts"),
        ("paths:\n  - api/*\n  - web/*", "\n\nApplies to: api/*, web/*"),
        ('applyTo: "**"', ""),
        ("globs: src/*\nalwaysApply: true", ""),
        ("description: none", ""),
    ],
)
def test_a_rule_says_for_which_files_it_holds(head: str, end: str) -> None:
    """A rule that holds for some files only says so in each of its statements."""
    assert texts(f"---\n{head}\n---\nUse strict types.\n") == [f"Use strict types.{end}"]


def test_what_counts_as_the_same() -> None:
    """Case, spaces, emphasis and the last full stop do not count; every sign that means something does."""
    assert same("**Use**  `pnpm`, not\nnpm.") == same("use pnpm, not npm")
    for one, other in (
        ("Use C++", "Use C"),
        ("a < b", "a > b"),
        ("never push", "push"),
        ("edit __init__", "edit init"),
    ):
        assert same(one) != same(other)


def test_lines_of_an_index_are_pointers() -> None:
    """A line that begins with a link to a Markdown file leads there; a link further on is part of a statement."""
    assert pointer("[Deploys](deploy.md) — how they go") == "deploy.md"
    assert pointer("Look at [Deploys](deploy.md).") == ""
    assert pointer("[Site](https://example.com)") == ""


@given(st.text(max_size=300))
def test_any_text_is_cut_into_statements(text: str) -> None:
    """No text breaks the cutting, and no statement is empty or without a title."""
    for found in cut(text).statements:
        assert found.text.strip() and found.title and "\n" not in found.title and found.line >= 1


def test_what_is_about_the_file_itself_is_left_out() -> None:
    """The sentence that programs put at the head of such a file is nobody's statement."""
    head = "This file provides guidance to agents (example.com/x) when working with code in this repository.\n\n"
    assert texts(f"# RULES.md\n\n{head}Use tabs everywhere.\n") == ["Use tabs everywhere."]


def test_a_heading_that_only_collects_is_no_context() -> None:
    """Below a heading such as added memories a statement has a title of its own words alone."""
    [found] = cut("# Rules\n\n## Added Memories\n\n- The deploy day is Friday.\n").statements
    assert (found.title, found.heading) == ("The deploy day is Friday", "Added Memories")


def test_steps_behind_points_are_a_list_of_their_own() -> None:
    """Numbered steps right below a list of rules stay together, and the rules stay apart."""
    text = "- Use named exports only.\n- Never push to main.\n1. First write a failing test.\n2. Then make it pass.\n"
    assert texts(text) == [
        "Use named exports only.",
        "Never push to main.",
        "1. First write a failing test.\n2. Then make it pass.",
    ]


def told(text: str) -> list[tuple[str, str]]:
    """Return kind and text of each block."""
    return [(block.kind, block.text) for block in blocks(text)]


def test_kinds() -> None:
    """Headings of both kinds, paragraphs, items and tables are told apart; a rule is none of them."""
    text = "# One #\n\nTwo\n===\n\ntext\nmore\n\n---\n\n- item\n1. second\n\n| a |\n|---|\n"
    assert told(text) == [
        ("heading", "One"),
        ("heading", "Two"),
        ("text", "text\nmore"),
        ("item", "item"),
        ("item", "second"),
        ("table", "| a |\n|---|"),
    ]


def test_an_item_keeps_what_is_nested_in_it() -> None:
    """Nested items, indented paragraphs and lazy lines belong to their item; the next one of its level does not."""
    text = "- first\n  goes on\nand on\n  - nested\n    deeper\n\n  its paragraph\n- second"
    assert told(text) == [("item", "first\ngoes on\nand on\n- nested\n  deeper\n\nits paragraph"), ("item", "second")]


def test_code_stays_with_its_text() -> None:
    """A fenced block belongs to the paragraph or item before it, and nothing in it is taken for structure."""
    text = "Run:\n\n```sh\n# no heading\n- no item\n\n<!-- kept -->\n```\n\n- item\n  ~~~\n  ```\n  ~~~\n\nafter"
    assert told(text) == [
        ("text", "Run:\n\n```sh\n# no heading\n- no item\n\n<!-- kept -->\n```"),
        ("item", "item\n~~~\n```\n~~~"),
        ("text", "after"),
    ]


def test_lines_are_those_of_the_file() -> None:
    """Each block knows the line of the file where it begins, comments or not."""
    found = blocks("a\n\n<!-- x\n- y\n-->\n- b", first=5)
    assert [(block.line, block.text) for block in found] == [(5, "a"), (10, "b")]


def test_comments_are_no_text() -> None:
    """Comments go, within a line and over several, and what stands beside them stays."""
    assert told("a <!-- b --> c\n\n<!-- d\ne\n--> f\n\n<!-- open\ng") == [("text", "a  c"), ("text", "f")]


def test_listed_items_keep_their_numbers() -> None:
    """An item as it stands in a list has its number or a hyphen, and its own lines stand in."""
    found = blocks("1) one\n   more\n* two")
    assert [block.listed for block in found] == ["1) one\n  more", "- two"]


@given(st.text(alphabet="#-*=`~|<!> \t1.)ab\n", max_size=200))
def test_any_text_is_cut(text: str) -> None:
    """Whatever the text, its blocks come in order of their lines and lose no letter outside comments."""
    found = blocks(text)
    assert [block.line for block in found] == sorted(block.line for block in found)
    if "<!--" not in text:
        kept = "".join(block.text for block in found)
        assert kept.count("a") == text.count("a") and kept.count("b") == text.count("b")


def test_a_mark_or_an_announcement_alone_is_no_statement_and_a_command_stays_with_its_lead():
    """As in what claude-mem writes into a CLAUDE.md: a table between tags, the last of which is taken for a row."""
    text = (
        "<claude-mem-context>\n\n| ID | Title |\n|---|---|\n| #7 | The build needs Bun |\n</claude-mem-context>\n"
        "\n## Install\n\nInstall the command line:\n\n```bash\nnpm install -g thing\n```\n\n**Configuration:**\n\n"
        "![a picture](x.png)\n\n- Deploys need the VPN.\n\n</details>\n"
    )
    assert [one.text for one in cut(text, rows=True).statements] == [
        "ID: #7; Title: The build needs Bun",
        "Install the command line:\n\n```bash\nnpm install -g thing\n```",
        "Deploys need the VPN.",
    ]
