"""Cutting a Markdown file into the statements that a person would keep apart.

A list item is a statement, with what is nested in it. A list stays whole where it is a procedure, where its lead
sentence announces it, or where its items are mere names. Prose below a heading is one statement, unless it is long.
Front matter says what it says: a name, a type, tags, and for which files a rule holds. Nothing that a file mentions
with `@path` is opened.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from markdown_it import MarkdownIt

from holdfast.base.text import cut as shorter
from holdfast.records import TYPES
from holdfast.store import front_matter
from holdfast.store.front_matter import Document, Value
from holdfast.store.memory_file import TITLE_LENGTH, first_words

# What is longer than this is cut at its paragraphs or items.
LONGEST = 1_200
# A topic file of an agent's own memory is one statement up to here.
LONGEST_TOPIC = 8_000
_MAX_WORDS_OF_A_NAME = 4
_MEAN_WORDS_OF_NAMES = 2.5
# The steps of a procedure are short; numbered rules that stand for themselves are longer.
_STEP = 60
# Under these names agents keep for which files a rule holds.
_APPLIES = ("globs", "applyTo", "fileMatchPattern", "paths")
_EVERY_FILE = ("", "*", "**", "**/*", "/**")
_MENTION = re.compile(r"(?<![\w`@/])@((?:~?/|\./|\.\./)?[\w.-]+(?:/[\w.-]+)*\.(?:md|mdc|txt)|(?:~|\.{1,2})?/[\w./-]+)")
_ONLY_MENTION = re.compile(r"@(?=\S*[./])\S+$")
_CELLS = re.compile(r"(?<!\\)\|")
_POINTER = re.compile(r"(?:\*\*)?\[[^\]]*\]\(<?([^)\s#>]+\.mdc?)(?:#[^)]*)?>?\)")
_IMAGE = re.compile(r"\[?!\[[^\]]*\]\([^)]*\)(?:\]\([^)]*\))?")
_TAG = re.compile(r"</?[a-zA-Z][^<>\n]*>")
# What is announced stands elsewhere.
_LEAD = re.compile(r"[^\n]{1,80}(?::|:\*\*)\s*")
_FENCES = ("```", "~~~")
_SIGNS = re.compile(r"(?:#+\s+)+")
# The sentence that programs begin such a file with: it is about the file, not about the work.
_ABOUT_THE_FILE = re.compile(
    r"this (?:file|document) (?:provides|contains|gives) \w+ (?:to|for) [^\n]{0,160}", re.IGNORECASE
)
# A heading below which an agent collects what it was told says nothing of a single statement.
_COLLECTION = ("memories", "memory", "notes")
_CHECKBOX = re.compile(r"\[[ xX]\]\s+")
# Definitions of links are text for us, so that nothing of a file is lost.
_MARKDOWN = MarkdownIt("commonmark").enable("table").disable("reference")
# A list is told by its items, and a rule says nothing.
_NO_TEXT = ("hr", "bullet_list_open", "ordered_list_open")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_ITEM_SIGN = re.compile(r"\s*(?:[-*+]|\d+[.)])\s*")


@dataclass(frozen=True, slots=True)
class ImportedStatement:
    """One statement of a file: its text, a title, the heading it stands below, its line, and tags of its own."""

    text: str
    title: str
    heading: str
    line: int
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Cut:
    """What a file says: its statements, the files that it mentions, and the type and tags that it gives them."""

    statements: tuple[ImportedStatement, ...]
    mentions: tuple[str, ...] = ()
    type: str = ""
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MarkdownBlock:
    """A part of a file with the line where it begins: `level` is that of a heading, `number` that of a listed step."""

    kind: Literal["heading", "text", "item", "table"]
    line: int
    text: str
    level: int = 0
    number: str = ""

    @property
    def listed(self) -> str:
        """An item as it stands in a list."""
        first, *rest = self.text.split("\n")
        return "\n".join([f"{self.number or '-'} {first}", *(f"  {line}" if line else "" for line in rest)])


@dataclass(frozen=True, slots=True)
class _Section:
    """What stands below one heading; `named` is false below the title of the whole file."""

    heading: str
    named: bool
    blocks: tuple[MarkdownBlock, ...]


def cut(text: str, *, topic: bool = False, rows: bool = False) -> Cut:
    """Return the statements of a Markdown text; a `topic` with a name in its front matter is one statement.

    With `rows` each row of a table is one.
    """
    document = front_matter.parse(text.replace("\r\n", "\n").replace("\r", "\n"))
    given = front_matter.values(document)[0]
    before = document.head + "".join(entry.text for entry in document.entries) + document.foot
    name, first = _one(given, "name", "title"), before.count("\n") + 1
    if topic and name and document.body.strip() and len(document.body) <= LONGEST_TOPIC:
        found = [ImportedStatement(_without_sign(document.body.strip()), _title(name), name, first)]
    else:
        found = [one for section in _sections(blocks(document.body, first)) for one in _statements(section, rows=rows)]
    limit = _limits(given)
    kept = [one for one in map(_without_mentions, found) if _says_something(one.text)]
    if limit:
        kept = [replace(one, text=f"{one.text}\n\nApplies to: {limit}") for one in kept]
    return Cut(tuple(kept), _mentions(document.body), _type(document, given), _several(given, "tags"))


def pointer(text: str) -> str:
    """Return the file that a statement leads to where it is only a line of an index, or nothing."""
    found = _POINTER.match(text)
    return found[1] if found else ""


def blocks(text: str, first: int = 1) -> list[MarkdownBlock]:
    """Return the blocks of a Markdown text whose first line has that number in its file.

    What belongs to a block stays with it: what is nested in an item, the code below a paragraph. Comments are no text.
    """
    tokens, found = _MARKDOWN.parse(text), list[MarkdownBlock]()
    code = {line for token in tokens if token.type == "fence" and token.map for line in range(*token.map)}
    lines = _without_comments(text, code).split("\n")
    for place, token in enumerate(tokens):
        is_item = token.type == "list_item_open" and token.level == 1
        if not token.map or token.type in _NO_TEXT or (token.level and not is_item):
            continue
        line, own = first + token.map[0], [line.rstrip() for line in lines[slice(*token.map)]]
        said = "\n".join(own).strip("\n")
        if token.type == "heading_open":
            found.append(
                MarkdownBlock("heading", line, _COMMENT.sub("", tokens[place + 1].content), int(token.tag[1:]))
            )
        elif is_item:
            found.append(MarkdownBlock("item", line, _item_text(own), number=token.info and token.info + token.markup))
        elif token.type in ("fence", "code_block") and found and found[-1].kind == "text":
            gap = "\n" if lines[token.map[0] - 1].strip() else "\n\n"
            found[-1] = replace(found[-1], text=found[-1].text + gap + said)
        elif said.strip():
            found.append(MarkdownBlock("table" if token.type == "table_open" else "text", line, said.strip()))
    return found


def _without_comments(text: str, code: set[int]) -> str:
    """Return the text without HTML comments, in as many lines; what stands in code is no comment."""

    def instead(comment: re.Match[str]) -> str:
        is_code = text.count("\n", 0, comment.start()) in code
        return comment[0] if is_code else "\n" * comment[0].count("\n")

    return _COMMENT.sub(instead, text)


def _item_text(lines: list[str]) -> str:
    """Return what an item says, without its sign and as far to the left as it goes."""
    sign = _ITEM_SIGN.match(lines[0])
    inset = len(sign[0].rstrip()) + 1 if sign else 0
    rest = [line.expandtabs(4) for line in lines[1:]]
    own = [lines[0][sign.end() if sign else 0 :], *(line[:inset].strip() + line[inset:] for line in rest)]
    return "\n".join(own).strip("\n")


def _sections(found: list[MarkdownBlock]) -> Iterator[_Section]:
    heading, named, inner = "", False, list[MarkdownBlock]()
    # The first heading of the first level is the title of the file, which says nothing of a single statement.
    title = next((block for block in found if block.kind == "heading"), None)
    for block in found:
        if block.kind == "heading":
            yield _Section(heading, named, tuple(inner))
            collects = block.text.casefold().endswith(_COLLECTION)
            heading, named, inner = block.text, (block is not title or block.level > 1) and not collects, []
        else:
            inner.append(block)
    yield _Section(heading, named, tuple(inner))


def _statements(section: _Section, *, rows: bool) -> Iterator[ImportedStatement]:
    found = list(section.blocks)
    prose = "\n\n".join(block.text for block in found)
    if section.named and len(found) > 1 and len(prose) <= LONGEST and all(one.kind == "text" for one in found):
        yield _found(section, prose, found[0].line, section.heading)
        return
    while found:
        block = found.pop(0)
        run = _run(found, "item", *([] if rows else ["table"])) if _announces(block, found) else []
        if rows and block.kind == "table":
            yield from _rows(section, block)
        elif run:
            yield from _announced(section, block, run)
            del found[: len(run)]
        elif block.kind == "item":
            run = _list_of(block, found)
            yield from _list(section, [block, *run])
            del found[: len(run)]
        else:
            says_itself = block.kind == "text" and not block.text.startswith(_FENCES)
            title, text = "" if says_itself else section.heading, block.text
            if says_itself and _announces(block, found) and found[0].text.startswith(_FENCES):
                text = f"{text}\n\n{found.pop(0).text}"
            yield _found(section, text, block.line, title)


def _rows(section: _Section, table: MarkdownBlock) -> Iterator[ImportedStatement]:
    """Return each row of a table as a statement."""
    for number, said in enumerate(map(row_text, rows_of(table.text)), 2):
        if said:
            yield _found(section, said, table.line + number)


def rows_of(table: str) -> list[list[tuple[str, str]]]:
    """Return the cells of each row, each with the name of its column; none of one that is struck through."""
    names, _, *rows = ([cell.strip() for cell in _CELLS.split(line.strip().strip("|"))] for line in table.split("\n"))
    every = [[one for one in zip(names, cells, strict=False) if one[1].strip("-* ")] for cells in rows]
    return [[] if any(cell.startswith("~~") for _, cell in told) else told for told in every]


def row_text(row: list[tuple[str, str]]) -> str:
    """Return a row as a sentence."""
    return "; ".join(f"{name}: {cell}" if name else cell for name, cell in row)


def _announces(block: MarkdownBlock, rest: list[MarkdownBlock]) -> bool:
    """Whether the block is the lead of what follows: it ends with a colon, or is one bold or bare line right above."""
    if block.kind != "text" or not rest:
        return False
    last = block.text.split("\n")[-1]
    if last.endswith((":", ":**")):
        return True
    is_bold = last.startswith("**") and last.endswith("**")
    return "\n" not in block.text and (is_bold or rest[0].line == block.line + 1)


def _run(found: list[MarkdownBlock], *kinds: str) -> list[MarkdownBlock]:
    """Return the list or the table at the head of the blocks, if it is one of these kinds."""
    kind = found[0].kind if found else ""
    if kind not in kinds:
        return []
    return found[: next((place for place, block in enumerate(found) if block.kind != kind), len(found))]


def _list_of(first: MarkdownBlock, found: list[MarkdownBlock]) -> list[MarkdownBlock]:
    """Return the items that go on the list of the first; steps with numbers behind points without are another list."""
    run = _run(found, "item")
    other = (place for place, item in enumerate(run) if bool(item.number) != bool(first.number))
    return run[: next(other, len(run))]


def _announced(section: _Section, lead: MarkdownBlock, run: list[MarkdownBlock]) -> Iterator[ImportedStatement]:
    """A lead sentence stays with its list; of a long list each item has it before it."""
    listed = [block.listed if block.kind == "item" else block.text for block in run]
    whole = "\n".join([lead.text, *listed])
    if len(whole) <= LONGEST or len(run) == 1:
        yield _found(section, whole, lead.line, _with_heading(section, lead.text.rstrip(":")))
        return
    for block, text in zip(run, listed, strict=True):
        yield _found(section, f"{lead.text}\n{text}", block.line, _with_heading(section, block.text))


def _list(section: _Section, items: list[MarkdownBlock]) -> Iterator[ImportedStatement]:
    whole = "\n".join(item.listed for item in items)
    if len(items) > 1 and len(whole) <= LONGEST:
        if section.heading and (_are_names(items) or _are_steps(items)):
            yield _found(section, f"{section.heading}:\n{whole}", items[0].line, section.heading)
            return
        if _are_steps(items):
            yield _found(section, whole, items[0].line)
            return
    for item in items:
        yield _found(section, _CHECKBOX.sub("", item.text, count=1), item.line)


def _are_names(items: list[MarkdownBlock]) -> bool:
    """Whether the items say nothing by themselves, as the parts of a stack do."""
    if any(item.text.endswith((".", "!", "?")) for item in items):
        return False
    counts = [len(item.text.split()) for item in items if not _ONLY_MENTION.match(item.text)]
    return bool(counts) and max(counts) <= _MAX_WORDS_OF_A_NAME and sum(counts) / len(counts) <= _MEAN_WORDS_OF_NAMES


def _are_steps(items: list[MarkdownBlock]) -> bool:
    """Whether the items are one procedure."""
    return all(item.number for item in items) and sum(len(item.text) for item in items) <= _STEP * len(items)


def _found(section: _Section, text: str, line: int, title: str = "") -> ImportedStatement:
    return ImportedStatement(_without_sign(text), _title(title or _with_heading(section, text)), section.heading, line)


def _without_sign(text: str) -> str:
    """Return the text with a heading at its start as a plain line: a stored text that begins with one loses it."""
    return text[found.end() :] if (found := _SIGNS.match(text)) else text


def _with_heading(section: _Section, text: str) -> str:
    words = first_words("\n".join(line for line in text.split("\n") if not line.lstrip().startswith(_FENCES)))
    return f"{section.heading}: {words}".rstrip(": ") if section.named and section.heading else words.rstrip(": ")


def _title(text: str) -> str:
    return shorter(" ".join(text.replace("**", "").split()).strip("# "), TITLE_LENGTH)


def _without_mentions(found: ImportedStatement) -> ImportedStatement:
    """Return the statement without lines that only name another file to be read."""
    lines = found.text.split("\n")
    kept = [line for line in lines if not _ONLY_MENTION.match(line.strip().removeprefix("- ").strip())]
    return found if len(kept) == len(lines) else replace(found, text="\n".join(kept).strip())


def _mentions(body: str) -> tuple[str, ...]:
    lines = [line.strip().removeprefix("- ").strip() for line in body.split("\n") if "@" in line]
    found = [name for line in lines for name in ([line[1:]] if _ONLY_MENTION.match(line) else _MENTION.findall(line))]
    return tuple(dict.fromkeys(found))


def _says_something(text: str) -> bool:
    said = _TAG.sub("", _IMAGE.sub("", text)).strip()
    if _ABOUT_THE_FILE.fullmatch(said) or _LEAD.fullmatch(said):
        return False
    words = said.split()
    return sum(letter.isalnum() for word in words for letter in word) >= 4


def _limits(given: dict[str, Value]) -> str:
    """Return for which files the whole file holds, or nothing where it holds for all."""
    if _one(given, "alwaysApply").lower() == "true":
        return ""
    found = [name for key in _APPLIES for name in _several(given, key)]
    return "" if any(name in _EVERY_FILE for name in found) else ", ".join(found)


def _type(document: Document, given: dict[str, Value]) -> str:
    told = _one(given, "type")
    nested = next((entry.text for entry in document.entries if entry.name == "metadata"), "")
    found = told or next((line.partition(":")[2] for line in nested.split("\n") if line.strip()[:5] == "type:"), "")
    return found.strip() if found.strip() in TYPES else ""


def _one(given: dict[str, Value], *names: str) -> str:
    values = [given.get(name, "") for name in names]
    return next((value.strip() for value in values if isinstance(value, str) and value.strip()), "")


def _several(given: dict[str, Value], name: str) -> tuple[str, ...]:
    value = given.get(name, ())
    items = value.split(",") if isinstance(value, str) else value
    return tuple(item.strip() for item in items if item.strip())
