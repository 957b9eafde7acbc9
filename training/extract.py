"""From the files of packages to sections, and from sections to units of text.

A section is a heading and the paragraphs under it. A unit is (kind, group, query, passage): a query that a person could
ask, or nothing, and the passage that answers it. Units of one group are neighbours, in the order they stand in.
"""

from __future__ import annotations

import ast
import json
import random
import re
import subprocess
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import lxml.html

SPACE = re.compile(r"\s+")
GENERIC = re.compile(r"^(\d[\d.]*|[A-Z]?\w*|note|notes|see also|parameters|description|name|synopsis|options?)$", re.I)


class Section(NamedTuple):
    """A heading, the heading above it, and the paragraphs under it."""

    above: str
    heading: str
    paragraphs: list[str]


class Unit(NamedTuple):
    """One example: what kind of text, its neighbours' name, a query or nothing, and the passage."""

    kind: str
    group: str
    query: str
    passage: str


def clean(text: str) -> str:
    """Return the text on one line, without the marks of typesetting."""
    return SPACE.sub(" ", text.replace("¶", " ").replace("\u00ad", "").replace("\t", " ")).strip()


def words_in(text: str) -> int:
    """Return the number of words."""
    return text.count(" ") + 1 if text else 0


def is_prose(text: str) -> bool:
    """Tell whether the text is mostly words of English, not code, tables or another language."""
    letters = sum(character.isascii() and (character.isalpha() or character == " ") for character in text)
    return letters >= 0.75 * len(text)


# ---- readers: the content of a file in, sections out


def html(content: str) -> Iterator[Section]:
    """Yield the sections of an HTML page; each term of a definition list is a heading of its own."""
    try:
        root = lxml.html.fromstring(content)
    except (ValueError, lxml.etree.LxmlError):
        return
    for junk in root.xpath(
        "//script|//style|//nav|//footer|//*[contains(@class,'sidebar') or contains(@class,'related')]"
    ):
        if junk.getparent() is not None:
            junk.drop_tree()
    body = root.find(".//main")
    yield from _walk(body if body is not None else root)


def _walk(root: lxml.html.HtmlElement) -> Iterator[Section]:
    above = heading = term = ""
    paragraphs: list[str] = []
    for node in root.iter("h1", "h2", "h3", "h4", "h5", "p", "li", "pre", "dt", "dd", "td"):
        text = _text_of(node)
        if node.tag == "dt":
            term = text
        elif node.tag == "dd":
            if 1 < len(term) < 160 and text:
                yield Section(heading, term, [text[:3000]])
            term = ""
        elif node.tag[0] == "h" and text:
            if paragraphs:
                yield Section(above, heading, paragraphs)
            above, heading, paragraphs = (text if node.tag == "h1" else above), text, []
        elif text:
            paragraphs.append(text)
    if paragraphs:
        yield Section(above, heading, paragraphs)


def _text_of(node: lxml.html.HtmlElement) -> str:
    """Return the text that belongs to this node alone: what other nodes of our walk will give is left to them."""
    if node.tag in ("p", "li", "pre", "td") and next(node.iterancestors("dd"), None) is not None:
        return ""
    if node.tag in ("li", "td") and (node.find(".//p") is not None or node.find(".//li") is not None):
        return ""
    if node.tag == "dd":
        own = [
            child.text_content() for child in node if child.tag not in ("dl", "table") and isinstance(child.tag, str)
        ]
        return clean(" ".join([node.text or "", *own]))
    text = clean(node.text_content())
    if node.tag in ("li", "td") and sum(len(link.text_content()) for link in node.iter("a")) > 0.7 * len(text):
        return ""
    return text[:200] if node.tag == "pre" else text


def markdown(content: str) -> Iterator[Section]:
    """Yield the sections of a Markdown file."""
    content = re.sub(r"^---\n.*?\n---\n", "", content, flags=re.S)
    content = re.sub(
        r"```.*?\n(.*?)```", lambda code: "\n" + clean(code[1])[:200].lstrip("# ") + "\n", content, flags=re.S
    )
    content = re.sub(r"!\[[^\]]*\](\([^)]*\)|\[[^\]]*\])|<[^<>\n]{1,300}>|\[!\[.*?\)\]\(.*?\)", " ", content)
    content = re.sub(r"\[([^\]]*)\](\([^)]*\)|\[[^\]]*\])", r"\1", content)
    above = heading = ""
    paragraphs: list[str] = []
    for block in re.split(r"\n\s*\n|\n(?=#{1,6} )|\n(?=\s*[-*] )", content):
        head = re.match(r"\s*(#{1,6})\s+(.+)", block)
        if head:
            if paragraphs:
                yield Section(above, heading, paragraphs)
            heading, paragraphs = plain_marks(head[2]), []
            above = heading if len(head[1]) == 1 else above
            block = block[head.end() :]
        text = plain_marks(block)
        if text:
            paragraphs.append(text)
    if paragraphs:
        yield Section(above, heading, paragraphs)


def plain_marks(text: str) -> str:
    """Return a line of Markdown or reStructuredText without its marks."""
    text = re.sub(r"https?://\S+", " ", text)
    text = re.sub(r":[\w:+.-]+:`([^`<]*?)\s*(<[^>]*>)?`", lambda role: role[1].lstrip("~!."), text)
    text = re.sub(r"`{1,2}([^`]*?)(\s<[^>]*>)?`{1,2}_{0,2}", r"\1", text)
    text = re.sub(r"(\*\*|__|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)|^\s*[-*>|]\s+|^\s*\|)", "", text)
    return clean(text.strip("# "))


RST_LINE = re.compile(r"^([=\-~^\"'`#*+.:])\1{2,}\s*$")


def rst(content: str) -> Iterator[Section]:
    """Yield the sections of a reStructuredText file; which underline is the outermost is learned as they come."""
    above = heading = ""
    first = ""
    paragraphs: list[str] = []
    for block in re.split(r"\n\s*\n", content):
        lines = [
            line for line in block.split("\n") if not re.match(r"\s*(\.\. [\w-]+::|\.\. _|:[\w-]+:|\.\. \|)", line)
        ]
        at = next((i for i in range(1, len(lines)) if RST_LINE.match(lines[i]) and lines[i - 1].strip()), 0)
        if at and not RST_LINE.match(lines[at - 1]):
            if paragraphs:
                yield Section(above, heading, paragraphs)
            heading, paragraphs = plain_marks(lines[at - 1]), []
            first = first or lines[at][0]
            above = heading if lines[at][0] == first else above
            lines = lines[at + 1 :]
        text = plain_marks(" ".join(line for line in lines if not RST_LINE.match(line)))
        if text and not text.startswith(".."):
            paragraphs.append(text[:200] if block.startswith("   ") and not is_prose(text) else text)
    if paragraphs:
        yield Section(above, heading, paragraphs)


def pod(content: str) -> Iterator[Section]:
    """Yield the sections of Perl's plain old documentation."""
    above = heading = ""
    paragraphs: list[str] = []
    for block in re.split(r"\n\s*\n", content):
        text = re.sub(r"[A-Z]<+\s*(?:[^<>|]*\|)?([^<>]*?)\s*>+", r"\1", block)
        head = re.match(r"=(head\d|item)\s+(.+)", text, re.S)
        if head:
            if paragraphs:
                yield Section(above, heading, paragraphs)
            heading, paragraphs = clean(head[2]).lstrip("* "), []
            above = heading if head[1] == "head1" else above
        elif not text.startswith("="):
            paragraphs.append(clean(text)[: 200 if block.startswith((" ", "\t")) else None])
    if paragraphs:
        yield Section(above, heading, paragraphs)


def man(content: bytes) -> Iterator[Section]:
    """Yield the sections of a manual page; `mandoc` sets it as HTML."""
    ended = subprocess.run(["mandoc", "-T", "html"], input=content, capture_output=True, check=False)
    yield from html(ended.stdout.decode("utf-8", "replace") or "<p></p>")


# ---- makers: sections or source in, units out


def from_sections(kind: str, group: str, sections: Iterable[Section], chance: random.Random) -> Iterator[Unit]:
    """Yield passages of a few dozen to a few hundred words, the first of each section under its heading."""
    for section in sections:
        heading = clean(section.heading).strip(" .:-#")[:160]
        prose = [text for text in section.paragraphs if len(text) > 20]
        query = heading if is_prose(heading) or words_in(heading) <= 6 else ""
        if query and section.above != section.heading and (GENERIC.match(query) or chance.random() < 0.3):
            query = f"{clean(section.above)[:100]} {query}".strip()
        named = "faq" if query.endswith("?") else kind
        for passage in passages(prose, chance):
            yield Unit(named, group, query if words_in(query) > 1 or len(query) > 4 else "", passage)
            query = ""


def passages(paragraphs: list[str], chance: random.Random) -> Iterator[str]:
    """Yield the paragraphs joined up to a length that differs from passage to passage: some short, a few very long."""
    held: list[str] = []
    most = _length(chance)
    for text in paragraphs:
        if held and words_in(" ".join(held)) + words_in(text) > most:
            yield from _whole(held)
            held, most = [], _length(chance)
        held.append(text)
    yield from _whole(held)


def _length(chance: random.Random) -> int:
    low, high = chance.choices([(20, 50), (50, 120), (120, 260), (260, 650)], [25, 45, 20, 10])[0]
    return chance.randint(low, high)


def _whole(held: list[str]) -> Iterator[str]:
    text = " ".join(held)[:4500]
    if words_in(text) >= 8 and is_prose(text):
        yield text


def docstrings(group: str, source: str) -> Iterator[Unit]:
    """Yield a unit for each documented thing of a Python file: its first line or its name asks, the text answers."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module):
            continue
        text = ast.get_docstring(node)
        if text and len(text) > 60:
            yield from described("docstring", group, getattr(node, "name", ""), text)


def described(kind: str, group: str, name: str, text: str) -> Iterator[Unit]:
    """Yield a unit of a name and the text that describes it."""
    first, _, rest = plain_marks_in(text).partition("\n\n")
    first, rest = clean(first), clean(rest)[:1800]
    spoken = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|_+", " ", name).strip()
    if words_in(first) >= 4 and words_in(rest) >= 10 and is_prose(rest):
        yield Unit(kind, group, first[:200], f"{name}: {rest}" if name else rest)
    elif words_in(first) >= 8 and len(spoken) > 5 and is_prose(first):
        yield Unit(kind, group, spoken, first[:1200])


def plain_marks_in(text: str) -> str:
    """Return a comment's text without marks, its paragraphs kept apart."""
    return "\n\n".join(plain_marks(block) for block in re.split(r"\n\s*\n", text))


def comments(group: str, source: str) -> Iterator[Unit]:
    """Yield a unit for each documentation comment of a JavaScript or TypeScript file."""
    for found in re.finditer(r"/\*\*(?!\*)(.{60,4000}?)\*/\s*([^\n{;=]*)", source, re.S):
        text = re.sub(r"^\s*\* ?", "", found[1], flags=re.M)
        text = re.sub(r"<[^<>\n]{1,80}>|\{@\w+ ([^}]*)\}|```.*?```", r" \1", text, flags=re.S)
        text = re.split(r"^\s*@(?!remarks|description)", text, maxsplit=1, flags=re.M)[0]
        name = re.findall(
            r"[A-Za-z_$][\w$]*",
            re.sub(
                r"\b(export|declare|readonly|function|class|interface|type|const|static|async|public|abstract|get|set|private|protected|default)\b",
                "",
                found[2],
            ),
        )
        paragraphs = re.split(r"\n\s*\n", text.strip())
        if len(paragraphs) == 1:
            paragraphs = re.split(r"(?<=[.!?])\s+(?=[A-Z])", paragraphs[0], maxsplit=1)
        yield from described("comment", group, name[0] if name else "", "\n\n".join(paragraphs))


def entries(group: str, sections: Iterable[Section], chance: random.Random) -> Iterator[Unit]:
    """Yield the entries of a changelog: one that says more than a sentence is asked for by its first."""
    for section in sections:
        for passage in passages([text for text in section.paragraphs if len(text) > 25], chance):
            first, _, rest = passage.partition(". ")
            asks = 4 <= words_in(first) <= 30 and words_in(rest) >= 8
            yield Unit("changelog", group, first if asks else "", rest if asks else passage)


def release_note(group: str, content: str) -> Iterator[Unit]:
    """Yield the notes of an OpenStack release-note file; the first sentence asks for the rest."""
    for item in re.split(r"\n\s*- \|?\s*", content)[1:]:
        text = plain_marks(re.sub(r"\n\w+:\s*\|?\s*$", "", item))
        first, _, rest = text.partition(". ")
        if words_in(first) >= 5 and words_in(rest) >= 8:
            yield Unit("release", group, first[:250], rest[:1500])
        elif words_in(text) >= 12:
            yield Unit("release", group, "", text[:1500])


def wordnet(group: str, content: str) -> Iterator[Unit]:
    """Yield a unit for each meaning of WordNet that has an explanation of some length."""
    for line in content.splitlines():
        if line.startswith("  ") or " | " not in line:
            continue
        fields, gloss = line.split(" | ", 1)
        parts = fields.split(" ")
        count = int(parts[3], 16)
        lemmas = [re.sub(r"\(\w+\)$", "", parts[4 + 2 * i]).replace("_", " ") for i in range(count)]
        if words_in(gloss) >= 7:
            yield Unit("dictionary", f"{group}-{parts[1]}", ", ".join(lemmas[:4]), clean(gloss))


def dictionary(group: str, index: str, text: bytes) -> Iterator[Unit]:
    """Yield the entries of a dictionary in the format of dictd."""
    digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

    def number(code: str) -> int:
        value = 0
        for digit in code:
            value = value * 64 + digits.index(digit)
        return value

    for line in index.splitlines():
        word, start, size = line.split("\t")
        body = text[number(start) : number(start) + number(size)].decode("utf-8", "replace")
        passage = clean(body.partition("\n")[2])[:2500]
        if not word.startswith("00") and words_in(passage) >= 8:
            yield Unit("dictionary", f"{group}-{word[:1].lower()}", word, passage)


def prose(group: str, content: str, chance: random.Random) -> Iterator[Unit]:
    """Yield passages of a book; what is said in quotes stays with its paragraph."""
    if content.lstrip().startswith(("{", "[")):
        return
    paragraphs = [clean(block) for block in re.split(r"\n\s*\n", content)]
    for passage in passages([text for text in paragraphs if words_in(text) > 3], chance):
        yield Unit("prose", group, "", passage)


def interface(group: str, content: str) -> Iterator[Unit]:
    """Yield the title and the description of each dialogue of an interface's English strings."""
    stack: list[object] = [json.loads(content)]
    while stack:
        node = stack.pop()
        if not isinstance(node, dict):
            continue
        stack += list(node.values())
        title, text = node.get("title") or node.get("name"), node.get("description")
        if isinstance(title, str) and isinstance(text, str) and words_in(text) >= 6:
            yield Unit("interface", group, clean(title), plain_marks(text))


def service(group: str, content: str) -> Iterator[Unit]:
    """Yield the operations and fields of a cloud service's model with their documentation."""
    model = json.loads(content)
    for part in ("operations", "shapes"):
        for name, about in model.get(part, {}).items():
            text = clean(re.sub(r"<[^>]+>", " ", about.get("documentation", "")))
            first, _, rest = text.partition(". ")
            if words_in(rest) >= 10:
                spoken = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
                yield Unit("service", group, first[:200] if words_in(first) > 5 else spoken, f"{spoken}: {rest[:1500]}")


def talk(group: str, content: str) -> Iterator[Unit]:
    """Yield the turns of a corpus of small talk: what is said asks for what is answered."""
    turns: list[str] = []
    for line in content.splitlines():
        found = re.match(r"(- - |  - )(.+)", line)
        if not found:
            continue
        if found[1] == "- - ":
            turns = []
        turns.append(clean(found[2].strip("'\"")))
        if len(turns) > 1 and words_in(turns[-1]) >= 4:
            yield Unit("talk", group, turns[0], turns[-1])
