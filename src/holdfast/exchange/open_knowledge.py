"""How a memory stands in a bundle of the Open Knowledge Format 0.2: front matter that any reader of YAML understands.

In a home a person may write there what they like, and Holdfast reads what it understands. In a bundle each Markdown
file is a concept with a `type` in YAML that can be parsed, but for `index.md` and `log.md`, which mean something else.
"""

from __future__ import annotations

import re

from holdfast.records import Memory
from holdfast.store import front_matter, memory_file
from holdfast.store.front_matter import Document, FrontMatterEntry, Plain, Value

INDEX, LOG = "index", "log"
_VERSION = '---\nokf_version: "0.2"\n---\n\n'
# What would end the text of a link.
_BRACKET, _ESCAPED = re.compile(r"([][\\])"), r"\\\1"
# What is no text to a reader of YAML, and none to the person who wrote it.
_NO_TEXT = re.compile(r"true|false|null|-?\d+(?:\.\d+)?|\d{4}-\d\d-\d\d", re.IGNORECASE)


def concept(memory: Memory, text: str) -> str:
    """Return the file of a memory as a concept; the body and all that is YAML already stay as they are."""
    document = _readable(front_matter.parse(text.removeprefix("\ufeff")))
    there = front_matter.values(document)[0]
    if "type" in there:
        return str(document)
    usual = front_matter.values(front_matter.parse(memory_file.create(memory)))[0]
    return str(front_matter.change(document, {name: usual[name] for name in usual if name not in there}))


def index(titles: list[tuple[str, str]]) -> str:
    """Return the index page at the top: the title of each concept, and its file."""
    lines = [f"- [{_BRACKET.sub(_ESCAPED, title)}]({name})" for title, name in titles]
    return f"{_VERSION}# Memories\n\n" + "\n".join(sorted(lines)) + "\n"


def _readable(document: Document) -> Document:
    known = front_matter.values(document)[0]
    last = {entry.name: entry for entry in document.entries}
    entries = [one for one in document.entries if not one.name or one is last[one.name]]
    lines = [_line(one, known.get(one.name), document.newline) for one in entries]
    if not document.head:
        return document
    return front_matter.parse(f"{document.head}{''.join(lines)}{document.foot}{document.body}")


def _line(entry: FrontMatterEntry, value: Value | None, newline: str) -> str:
    """Return one entry as YAML: a value that is none as the text it is, a line that is none as a comment."""
    if not entry.name:
        return entry.text if entry.text.strip()[:1] in ("", "#") else f"# {entry.text.lstrip()}"
    given = entry.text.partition(":")[2].strip()
    if value is None:
        value = " ".join(given.split())
    if value == given and entry.name != "type" and _NO_TEXT.fullmatch(given):
        value = Plain(given)
    # An empty type is none.
    is_missing = entry.name == "type" and not (isinstance(value, str) and value)
    return "" if is_missing else front_matter.entry_line(front_matter.scalar(entry.name), value) + newline
