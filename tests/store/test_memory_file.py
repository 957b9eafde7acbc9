from __future__ import annotations

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from holdfast.errors import BrokenFile
from holdfast.records import TRUSTS, TYPES, Memory, Scope, Statement, replace
from holdfast.store import memory_file
from holdfast.store.memory_file import (
    FilePlace,
    as_time,
    create,
    decode,
    first_words,
    read,
    split_title,
    tidy_text,
    update,
)

PLACE = FilePlace("global/memories/k.md", Scope("global"), "k", "2026-01-02T03:04:05Z")
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
LINES = st.sampled_from(
    [
        *("", "# A heading", "## History", "## History ", "### 2026-01-01T00:00:00Z", "> quoted", ">", "> > twice"),
        *("    code", "```", "---", "key: value", "- item", "Plain words.", "> ## History", "\tTab", "trailing  "),
    ]
)
BODIES = (TEXT | st.lists(LINES | TEXT).map("\n".join)).map(tidy_text)
TITLES = TEXT.map(lambda text: " ".join(text.split())).filter(bool)
TIMES = st.datetimes().map(lambda moment: moment.isoformat(timespec="seconds") + "Z")
WORDS = TEXT.map(lambda text: " ".join(text.split())).filter(bool)
MEMORIES = st.builds(
    Memory,
    key=st.just("k"),
    scope=st.just(Scope("global")),
    title=TITLES,
    body=BODIES.filter(bool),
    type=st.sampled_from(TYPES),
    tags=st.lists(WORDS, max_size=4).map(tuple),
    trust=st.sampled_from(TRUSTS),
    created=TIMES,
    updated=TIMES,
    source=TEXT,
    agent=TEXT,
    session=TEXT,
    supersedes=st.lists(st.from_regex(r"[a-z0-9-]{1,60}", fullmatch=True), max_size=3).map(tuple),
    pinned=st.booleans(),
    history=st.lists(st.builds(Statement, text=BODIES, at=TIMES), max_size=3).map(tuple),
    path=st.just(PLACE.path),
)
PLAIN = Memory(
    "k",
    Scope("global"),
    "Title",
    "Body.",
    created="2026-01-01T00:00:00Z",
    updated="2026-01-01T00:00:00Z",
    path=PLACE.path,
)


@given(MEMORIES)
@example(replace(PLAIN, body="One.\n\n## History\n\n### 2026-01-01T00:00:00Z\n\n> Not history, but text."))
@example(replace(PLAIN, body="## History"))
@example(replace(PLAIN, body="# Not the title", title="# With a mark"))
@example(replace(PLAIN, history=(Statement("> quoted\n\n### 2026-01-01\n## History", "2026-01-01T00:00:00Z"),)))
def test_a_memory_is_read_as_it_was_written(memory):
    """Every field, the title, the body and the history of a new file are read again as they were given."""
    again, problems = read(create(memory), PLACE)
    assert again == memory
    assert problems == ()


@given(MEMORIES, MEMORIES)
def test_an_update_is_read_as_it_was_written(before, after):
    """A file that is rewritten to another memory says exactly that memory."""
    assert read(update(create(before), after, PLACE.path), PLACE)[0] == after


@given(MEMORIES)
def test_an_update_to_the_same_changes_no_byte(memory):
    """Rewriting a file to what it says already returns the text it had."""
    text = create(memory)
    assert update(text, memory, PLACE.path) == text


@given(TEXT | st.lists(LINES | TEXT).map("\n".join) | st.lists(LINES | TEXT).map("\r\n".join))
def test_any_text_is_a_memory(text):
    """Reading never fails, and rewriting the same memory into the text is refused or changes no part of its body."""
    memory, problems = read(text, PLACE)
    assert memory.title
    if any(problem.severity == "error" for problem in problems):
        with pytest.raises(BrokenFile):
            update(text, memory, PLACE.path)
        return
    again = update(text, memory, PLACE.path)
    assert again.endswith(memory_file.front_matter.parse(text).body)
    reread = read(again, PLACE)[0]
    assert (reread.title, reread.body, reread.history) == (memory.title, memory.body, memory.history)


@given(TEXT)
def test_what_is_stored_is_read_again(text):
    """Title and statement of a text that somebody stores are those of the file that is made of it."""
    assume(text.strip())
    content = split_title(text)
    assert content.statement
    assert content.title
    again = read(create(replace(PLAIN, title=content.title, body=content.statement)), PLACE)[0]
    assert (again.title, again.body) == (content.title, content.statement)


def test_a_file_without_front_matter_is_a_memory():
    """Key, scope and time come from the place, the title from the heading."""
    memory, problems = read("# Deploying\n\nDeploys need the VPN.\n", PLACE)
    assert problems == ()
    assert (memory.key, memory.scope, memory.title) == ("k", Scope("global"), "Deploying")
    assert (memory.body, memory.type, memory.trust) == ("Deploys need the VPN.", "project", "user")
    assert memory.created == memory.updated == PLACE.time


@pytest.mark.parametrize(
    ("text", "type"),
    [
        ("Never use tabs in YAML.\n", "feedback"),
        ("Staging is at stg-3.\n", "project"),
        ("---\ntype: project\n---\nNever use tabs.\n", "project"),
        ("---\ntrust: import\n---\nNever use tabs.\n", "project"),
    ],
)
def test_an_order_of_the_person_needs_no_type(text, type):
    """A file that names no type is a rule where it begins as an order of the person's, and else of the project."""
    assert read(text, PLACE)[0].type == type


def test_line_endings_and_byte_order_mark_survive():
    """A CRLF file with a byte order mark keeps both when it is updated, in the history too."""
    text = "\ufeff---\r\ncustom: [1, 2]\r\n---\r\n\r\n# Title\r\n\r\nOne.\r\nTwo.\r\n"
    memory, _ = read(text, PLACE)
    assert memory.body == "One.\nTwo."
    after = replace(memory, body="Three.", history=(Statement(memory.body, memory.updated),))
    written = update(text, after, PLACE.path)
    assert written.startswith("\ufeff---\r\ncustom: [1, 2]\r\n")
    assert written.count("\n") == written.count("\r\n")
    assert "> One.\r\n> Two.\r\n" in written
    assert read(written, PLACE)[0] == after


def test_foreign_keys_are_no_problem():
    """Values that we cannot read are a problem only under a name that we need."""
    memory, problems = read("---\nmap: {a: b}\nanchor: &x 1\ntags: [a]\n---\nText.\n", PLACE)
    assert memory.tags == ("a",)
    assert problems == ()
    (problem,) = read("---\nmap: {a: b}\ntags: {a: b}\n---\nText.\n", PLACE)[1]
    assert (problem.kind, problem.line, problem.severity, problem.path) == ("front-matter", 3, "error", PLACE.path)


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("type: nonsense", "type is 'nonsense'"),
        ("trust: all", "trust is 'all'"),
        ("updated: soon", "updated is 'soon'"),
    ],
)
def test_a_value_that_cannot_be_used_is_a_warning(line, text):
    """A bad value is named, the default holds, and the file can still be rewritten without losing it."""
    whole = f"---\n{line}\n---\nText.\n"
    memory, (problem,) = read(whole, PLACE)
    assert text in problem.text
    assert problem.severity == "warning"
    assert (memory.type, memory.trust, memory.updated) == ("project", "user", PLACE.time)


@pytest.mark.parametrize(
    "broken", ["---\nno yaml\n---\nText.\n", "---\nkey: a\nText.\n", "---\ntype: a\ntype: b\n---\n"]
)
def test_a_broken_file_is_not_rewritten(broken):
    """A file whose front matter is broken is refused with path and line."""
    memory, problems = read(broken, PLACE)
    assert problems[0].severity == "error"
    with pytest.raises(BrokenFile, match=rf"{PLACE.path}:{problems[0].line}:"):
        update(broken, memory, PLACE.path)


@pytest.mark.parametrize(
    "spelling", ["tags: [a-b, on call]", "tags: a-b, on call", "tags:\n- a-b\n- on call", "tags: ['a-b', \"on call\"]"]
)
def test_tags_may_be_written_in_several_ways(spelling):
    """A list, a block and a line with commas are the same tags, and stay as they were written."""
    text = f"---\n{spelling}\n---\nText.\n"
    memory, _ = read(text, PLACE)
    assert memory.tags == ("a-b", "on call")
    assert spelling in update(text, replace(memory, pinned=True), PLACE.path)


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Deploys need the VPN. Ask Kim.", "Deploys need the VPN"),
        ("- Deploys need the VPN.", "Deploys need the VPN"),
        ("## Deploys\nMore.", "Deploys"),
        ("Version 1.2 is out.", "Version 1.2 is out"),
        ("...", "..."),
        ("---", "---"),
        ("日本語の文。", "日本語の文。"),
        ("word " * 40, "word " * 14 + "word…"),
        ("x" * 200, "x" * 79 + "…"),
        ("Begin with the number, e.g. ABC-12. It helps.", "Begin with the number, e.g. ABC-12"),
    ],
)
def test_a_title_is_made_of_the_first_words(text, title):
    """Without a heading the title is the first sentence or line, cut at 80 characters."""
    assert first_words(text) == title
    assert len(first_words(text)) <= 80


def test_a_heading_alone_is_title_and_statement():
    """A text that is only a heading is kept as both."""
    assert split_title("# Use tabs") == memory_file.Content("Use tabs", "Use tabs")


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("2026-11-02", "2026-11-02T00:00:00Z"),
        ("2026-11-02T09:00:00+02:00", "2026-11-02T07:00:00Z"),
        ("2026-11-02 09:00", "2026-11-02T09:00:00Z"),
        ("0001-01-01", "0001-01-01T00:00:00Z"),
        ("0001-01-01T00:00:00+05:00", ""),
        ("9999-12-31T23:00:00-05:00", ""),
        ("yesterday", ""),
        ("", ""),
    ],
)
def test_dates_that_people_write(text, time):
    """A date or time in ISO 8601 is understood, in UTC; anything else is none, and never an error."""
    assert as_time(text) == time


@given(TEXT)
def test_no_text_breaks_the_reading_of_times(text):
    """What is no time is nothing."""
    time = as_time(text)
    assert time == "" or as_time(time) == time


def test_bytes_that_are_not_utf_8_are_shown_and_named():
    """A wrong byte becomes U+FFFD, and the problem has its line."""
    text, (problem,) = decode(b"one\ntwo \xff\n", PLACE.path)
    assert text == "one\ntwo \ufffd\n"
    assert (problem.kind, problem.line, problem.severity) == ("not-utf-8", 2, "error")


def test_a_section_of_the_person_called_history_stays_in_the_body():
    """Only our own form of history is taken for history."""
    text = "# T\n\nText.\n\n## History\n\nIt began in 1999.\n"
    memory, _ = read(text, PLACE)
    assert memory.body == "Text.\n\n## History\n\nIt began in 1999."
    assert memory.history == ()


def test_reserved_names_are_looked_at_and_kept() -> None:
    """What later versions will read survives a rewrite as it is written; what none will read is a problem."""
    text = "---\nkey: k\nwhen: [edit, commit]\nenforce: shout\nanchors: [src/a.py]\nparent: Not A Key\n---\nOne.\n"
    memory, problems = memory_file.read(text, memory_file.FilePlace("global/memories/k.md", Scope("global"), "k", ""))
    assert sorted(one.text.split(" ")[0] for one in problems) == ["enforce", "parent"]
    after = memory_file.update(text, replace(memory, body="Two."), "k.md")
    assert "when: [edit, commit]\nenforce: shout\nanchors: [src/a.py]\nparent: Not A Key\n" in after


def test_anchors_and_branch_are_written_on_a_line_each_and_read_again() -> None:
    """What a memory names in code stands in its front matter, plain enough for a person to read."""
    anchors = ("src/auth.py#login@0123456789ab", "src/auth.py:12-14@0123456789ab~80")
    memory = replace(PLAIN, anchors=anchors, branch="fix/login")
    text = memory_file.create(memory)
    assert "anchors: [src/auth.py#login@0123456789ab, src/auth.py:12-14@0123456789ab~80]\nbranch: fix/login\n" in text
    again, problems = read(text, PLACE)
    assert (again.anchors, again.branch, problems) == (anchors, "fix/login", ())
    assert memory_file.update(text, replace(again, anchors=(), branch=""), "k.md") == memory_file.create(
        replace(memory, anchors=(), branch="")
    )
