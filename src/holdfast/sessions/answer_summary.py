"""What an agent's answer tells, in few words: its statements, the question it ends with, and what it leaves to be done.

An answer is read line by line, a table row by row. A heading or a line with a colon leads to what stands below it; one
that only announces a summary says nothing itself. Where all of it is too long, what stands deeper in a list goes
first, then the ends of entries, and then the middle: how an answer begins and how it ends are what it says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from holdfast.base.structs import dataclass
from holdfast.base.text import one_line
from holdfast.language import word_lists
from holdfast.sessions.quotes import is_offer, says_nothing_itself

_MAX_READ = 8_000
_FENCE = "```"
# A text for people has a list or headings below each other, a piece of code has none.
_WRITTEN = re.compile(
    r"\A\s*```(?:markdown|md|text)?[ \t]*\n(?:.*\n){0,40}?[ \t]*(?:#{2,6} \w|[-*] +[\w`])", re.IGNORECASE
)
_ITEM = re.compile(r"(?:[-*+•–]|\d{1,2}[.)])\s+(?:\[[ xX]\]\s+)?")
_HEADING = re.compile(r"#{1,6}\s+|\*\*[^*]+\*\*:?$|__[^_]+__:?$")
_HEADED = re.compile(r"^#{1,6} ", re.MULTILINE)
_LINK = re.compile(r"!?\[([^\[\]]{1,200})\]\([^()\s]{1,500}\)(?:,? \[\1\]\([^()\s]{1,500}\))*")
_MARKS = re.compile(r"^#{1,6}\s+|\*\*|__|[✅☑✔]\ufe0f?\s*")
_TICKED = {"✅": "yes", "✔": "yes", "✓": "yes", "❌": "no", "✗": "no", "✘": "no"}
_BELOW_NAMES = re.compile(r"\|?[\s:|-]*-[\s:|-]*")
_NO_WORDS = re.compile(r"[\W_]+")
# Neither a number of a list nor "e.g." ends a sentence.
_SENTENCE_END = re.compile(r"(?<=[.!?。！？])(?<!\b\d\.)(?<!\be\.g\.)(?<!\bi\.e\.)\s+(?=[^a-z])")
# Where the head of an entry ends.
_HEAD_END = re.compile(r" [—–-] |[:;,] |(?<!e\.g)(?<!i\.e)\. | \(")
_ENTRY_END = re.compile(r"[.!?;](?= )")
_SHORTEST_HEAD, _SHORT_ITEM = 12, 90
# How long an entry may be, tried one after the other until all of them fit.
_ITEMS = (400, 300, 240, 200, 160, 130, 110, _SHORT_ITEM, 60)
# A block of code below a line with a colon is what that line says, if it is as short as this.
_MAX_SHOWN = 3
_NOT_SHOWN, _A_ROW = "\0", "\1"
_MAX_TAIL = 240
_LONG_CODE = 40
# So many lines from the end a question is looked for.
_LAST_LINES = 8
_STOPS = ".!?:…。！？"
_STATEMENT, _LEAD, _TITLE, _BELOW, _DEEPER = range(5)


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of an answer: a statement, what leads to others, with a colon or as a title, or an entry of a list."""

    kind: int
    text: str


def told(text: str, most: int) -> str:
    """Return what an answer says, on one line of at most so many letters."""
    lines = [line for line, is_left in _parted(text) if not is_left]
    if not lines and _WRITTEN.search(text):
        # All of it is a text to be copied, as that of a pull request.
        lines = list(_lines(text.replace(_FENCE, "")))
    while lines and lines[-1].kind == _STATEMENT:
        last = _without_offer(lines[-1].text)
        if last or len(lines) == 1:
            lines[-1] = _Line(_STATEMENT, last or lines[-1].text)
            break
        lines.pop()
    flat = _without_deeper(lines)
    while len(flat) > 1 and flat[-1].kind in (_LEAD, _TITLE):
        # What it leads to is not told.
        flat.pop()
    kept = lines
    for room in (0, most, *_ITEMS):
        kept = [_cut_item(line, room) for line in flat] if room else lines
        if len(flat) > 1 and sum(len(line.text) - 1 for line in kept if line.kind in (_STATEMENT, _BELOW)) > most:
            continue
        whole = _joined(kept)
        if len(whole) <= most or len(flat) <= 1:
            return one_line(whole, most)
    # How it ends says whether it works, and what is not done.
    last = one_line(flat[-1].text, min(_MAX_TAIL, most // 3))
    head = _cut(_joined(kept[:-1]), most - len(last) - 2)
    return f"{head}{' ' if head[-1:] in _STOPS else '; '}{last}"


def flat(text: str) -> str:
    """Return a text with headings on one line, without the signs of Markdown; any other as it is."""
    if not _HEADED.search(text):
        return text
    lines = [_Line(_LEAD, line.text) if line.kind == _TITLE else line for line in _lines(text)]
    return _joined(lines, passes_over=lambda lead: not lead)


def asked(text: str) -> str:
    """Return the question that an answer ends with; an offer or a list of options may stand behind it."""
    for line in reversed(list(_lines(text[-_MAX_READ:]))[-_LAST_LINES:]):
        if line.kind in (_BELOW, _DEEPER):
            continue
        for sentence in reversed(_SENTENCE_END.split(line.text)):
            if sentence.endswith("?"):
                return sentence
            if not is_offer(sentence):
                return ""
    return ""


def left_to_do(text: str) -> list[str]:
    """Return what an answer names as what comes next: the entries below such a heading, or what stands behind it."""
    found = [line for line, is_left in _parted(text[-_MAX_READ:]) if is_left]
    entries = [line for line in found if line.kind == _BELOW] or found
    return list(dict.fromkeys(_label_and_rest(line.text)[1] for line in entries if not is_offer(line.text)))


def _parted(text: str) -> Iterator[tuple[_Line, bool]]:
    """Yield the lines of an answer, each with whether it says what comes next; the headings of these are left out."""
    is_left = False
    for line in _lines(text):
        label, rest = _label_and_rest(line.text)
        if label and rest:
            yield line, True
        elif line.kind in (_LEAD, _TITLE):
            is_left = _is_left(line.text)
            if not is_left:
                yield line, False
        elif is_left or line.kind != _STATEMENT or ": " not in line.text:
            yield line, is_left
        else:
            # What comes next may stand behind what was done, on the same line.
            for sentence in _SENTENCE_END.split(line.text):
                is_left = is_left or bool(_label_and_rest(sentence)[0])
                yield _Line(_STATEMENT, sentence), is_left
            is_left = False


def _label_and_rest(text: str) -> tuple[str, str]:
    """Return "Next" and what stands behind its colon; nothing and all of the text where no such word leads it."""
    label, colon, rest = text.partition(": ")
    return (label, rest.strip()) if colon and _is_left(label) else ("", text)


def _is_left(lead: str) -> bool:
    return lead.casefold().replace("’", "'").strip(" :") in word_lists.among("answers", "next-steps")


def _lines(text: str) -> Iterator[_Line]:
    """Yield the lines of an answer that say something, without the signs of Markdown."""
    first: int | None = None
    # A table right below what leads to it is what that says; any other explains what stands above it.
    row = _DEEPER
    for raw in _without_blocks(text[:_MAX_READ]):
        bare = raw.strip()
        if raw is _NOT_SHOWN:
            yield _Line(_TITLE, "")
            continue
        if raw[0] == _A_ROW:
            yield _Line(row, _plain(bare[1:]))
            continue
        row = _DEEPER
        item = _ITEM.match(bare)
        said = _plain(bare[item.end() :] if item else bare)
        heading = not item and _HEADING.match(bare) and (bare[0] == "#" or not _says_more(said))
        if item:
            indent = len(raw) - len(raw.lstrip())
            first = indent if first is None else first
            yield _Line(_DEEPER if indent > first + 1 else _BELOW, said)
            continue
        first = None
        if heading:
            row, numbered = _BELOW, _ITEM.match(said)
            yield _Line(_TITLE, said[numbered.end() if numbered else 0 :].rstrip(": "))
        elif said.endswith(":"):
            row = _BELOW
            *before, last = _SENTENCE_END.split(said)
            if before:
                yield _Line(_STATEMENT, " ".join(before))
            yield _Line(_LEAD, last.rstrip(": "))
        else:
            yield _Line(_STATEMENT, said)


def _says_more(said: str) -> bool:
    """Whether what is printed fat is a statement of its own, and no title: "Files found: 21", "All of it works."."""
    return said[-1:] in (".", "!", "?") or bool(said.partition(": ")[2])


def _row(bare: str) -> str:
    """Return a row of a table as an entry of a list: its first cell, and behind a colon what the others say of it."""
    first, *others = [_TICKED.get(cell.strip(" *\ufe0f"), cell.strip()) for cell in bare.strip("|").split("|")]
    # Beside what came of it, a long command says little.
    short = [cell for cell in others if len(cell) <= _LONG_CODE or cell[0] + cell[-1] != "``"]
    said = ", ".join(cell for cell in (short if any(short) else others) if cell)
    return f"{first}{': ' if first and said else ''}{said}"


def _without_blocks(text: str) -> Iterator[str]:
    """Yield the lines without quotes and blocks of code; a row of a table and a short block below a colon are entries.

    The first row of a table, above the line below it, only names its columns.
    """
    block: list[str] | None = None
    before = ""
    lines = text.splitlines()
    for at, raw in enumerate(lines):
        bare = raw.strip()
        if bare.startswith(_FENCE):
            if block and before.endswith(":"):
                # What a longer one shows, nothing below it does.
                yield f"- {one_line('; '.join(block), _SHORT_ITEM)}" if len(block) <= _MAX_SHOWN else _NOT_SHOWN
            block = [] if block is None else None
        elif block is not None:
            if bare and len(block) <= _MAX_SHOWN:
                block.append(bare)
        elif bare and bare[0] != ">" and not _NO_WORDS.fullmatch(bare):
            before = bare.rstrip("*_")
            if bare[0] != "|":
                yield raw
            elif at + 1 == len(lines) or not _BELOW_NAMES.fullmatch(lines[at + 1].strip()):
                yield f"{_A_ROW}{_row(bare)}"


def _plain(text: str) -> str:
    """Return a line without the signs of Markdown around words, and links without their targets, each name once."""
    text = _LINK.sub(r"\1", text) if "](" in text else text
    return _MARKS.sub("", text).strip(" *")


def _joined(lines: list[_Line], passes_over: Callable[[str], bool] = says_nothing_itself) -> str:
    """Return lines as one: entries are parted by semicolons, and stand behind what leads to them."""
    found, before, lead = "", _STATEMENT, None
    for line in [*lines, _Line(_TITLE, "")]:
        if line.kind in (_LEAD, _TITLE):
            if lead and lead.kind == _LEAD and not passes_over(lead.text):
                found, before = f"{_ended(found)}{lead.text}", _STATEMENT
            lead = line if line.text else None
            continue
        if lead and not passes_over(lead.text):
            found, before = f"{_ended(found)}{lead.text}:", _LEAD
        is_new, lead = lead is not None, None
        if line.kind == before == _BELOW and not is_new:
            found = f"{found.rstrip('.;:, ')}; {line.text}"
        elif line.kind == _STATEMENT or before == _LEAD or found.endswith(":"):
            found = f"{_ended(found)}{line.text}"
        elif before == _STATEMENT:
            found = f"{found}{': ' if found and found[-1] not in _STOPS else ' ' if found else ''}{line.text}"
        else:
            found = f"{found.rstrip('.;, ')}{'. ' if is_new else '; '}{line.text}"
        before = line.kind
    return found.rstrip(": ")


def _ended(found: str) -> str:
    """Return what was told so far, ready for something new."""
    return found and f"{found} " if found[-1:] in _STOPS else f"{found}. "


def _without_offer(text: str) -> str:
    """Return a statement without the question and the offers at its end."""
    sentences = _SENTENCE_END.split(text)
    while sentences and (sentences[-1][-1:] in ("?", "") or is_offer(sentences[-1])):
        sentences.pop()
    return " ".join(sentences)


def _without_deeper(lines: list[_Line]) -> list[_Line]:
    """Return the lines without what stands deeper in a list; an entry that ends with a colon takes it in."""
    found: list[_Line] = []
    leads = False
    for line in lines:
        if line.kind != _DEEPER:
            found.append(line)
            leads = line.kind == _BELOW and line.text.endswith(":")
        elif leads:
            before = found[-1].text
            found[-1] = _Line(_BELOW, f"{before}{' ' if before[-1] == ':' else ', '}{line.text.rstrip('.;,: ')}")
    return found


def _cut_item(line: _Line, most: int) -> _Line:
    """Return an entry within its room, up to what explains it; neither code nor, if that can be, a phrase is parted."""
    text = line.text
    if line.kind != _BELOW or len(text) <= most:
        return line
    ends = [end.start() for end in _HEAD_END.finditer(text, _SHORTEST_HEAD, most + 1) if _is_whole(text[: end.start()])]
    return _Line(line.kind, text[: ends[-1]] if ends else one_line(text, max(most, _SHORT_ITEM)))


def _is_whole(said: str) -> bool:
    """Whether a part of an entry can stand alone: no code, no bracket and no phrase goes on behind it."""
    is_open = said.count("`") % 2 or said.count("(") > said.count(")")
    return not is_open and said.rpartition(" ")[2].casefold() not in word_lists.among("answers", "goes-on")


def _cut(text: str, most: int) -> str:
    """Return as much of a text as there is room for, up to the end of a sentence or an entry if one is near."""
    ends = [end.end() for end in _ENTRY_END.finditer(text, 0, most)]
    return f"{text[: ends[-1]].rstrip()}…" if ends and most * 2 // 3 <= ends[-1] < len(text) else one_line(text, most)
