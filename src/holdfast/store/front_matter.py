"""Front matter: the flat YAML at the head of a memory file, read and rewritten line by line.

A document is cut into pieces whose sum is the file, byte for byte. A change replaces the piece of one name and leaves
every other piece alone: unknown names, their order, comments, blank lines, line endings and a byte order mark survive.
Only the YAML that flat front matter needs is understood (plain and quoted scalars, flow and block lists); any other
value is kept as it is, and is a problem only where Holdfast needs it.
"""

from __future__ import annotations

from holdfast.base.light_records import dataclass, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

Value = str | tuple[str, ...]


class Plain(str):
    """A value that is more than a string to other tools, as `true` is, and is written unquoted."""

    __slots__ = ()


_FENCE = "---"
_PLAIN_WORDS = frozenset(
    ["true", "false", "yes", "no", "on", "off", "null", "y", "n", "~", "<<", ".inf", "+.inf", ".nan"]
)
_NUMBER_LETTERS = "0123456789+-.:_eExXoabcdfABCDFTZ "
_NOT_FIRST = "-?:,[]{}#&*!|>'\"%@`="
_ESCAPES = {
    **{"n": "\n", "t": "\t", "\t": "\t", "r": "\r", "0": "\0", '"': '"', "\\": "\\", "/": "/", " ": " "},
    **{"a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "v": "\v"},
    **{"N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029"},
}


@dataclass(frozen=True, slots=True)
class FrontMatterEntry:
    """One piece of the front matter: the name that it sets (or none), its exact text, and its line in the file."""

    name: str
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Document:
    """A file in pieces: opening fence, entries, closing fence, body. `broken` is a line and what is wrong with it."""

    head: str
    entries: tuple[FrontMatterEntry, ...]
    foot: str
    body: str
    broken: tuple[tuple[int, str], ...] = ()

    def __str__(self) -> str:
        return self.head + "".join(entry.text for entry in self.entries) + self.foot + self.body

    @property
    def newline(self) -> str:
        """The line ending of the file."""
        return "\r\n" if "\r\n" in (self.head.lstrip("\ufeff") or self.body) else "\n"


def parse(text: str) -> Document:
    """Cut the text into pieces. It never fails: what is wrong is named in `broken`."""
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    lines = _lines(text[len(mark) :])
    if not lines or lines[0].rstrip() != _FENCE:
        return Document(head=mark, entries=(), foot="", body=text[len(mark) :])
    end = next((i for i, line in enumerate(lines[1:], 1) if line.rstrip() == _FENCE), None)
    if end is None:
        unclosed = ((1, "the front matter is opened by --- and never closed"),)
        return Document(head=mark, entries=(), foot="", body=text[len(mark) :], broken=unclosed)
    entries, broken = _entries(lines[1:end])
    return Document(mark + lines[0], entries, lines[end], "".join(lines[end + 1 :]), broken)


def values(document: Document) -> tuple[dict[str, Value], tuple[tuple[int, str], ...]]:
    """Return what each name is set to, and as line and text what could not be understood."""
    found: dict[str, Value] = {}
    broken = list(document.broken)
    for entry in document.entries:
        if not entry.name:
            continue
        if entry.name in found:
            broken.append((entry.line, f"{entry.name} is set twice"))
        value = _value(entry.text)
        if value is None:
            broken.append((entry.line, f"the value of {entry.name} is not a plain value or a list"))
        else:
            found[entry.name] = value
    return found, tuple(broken)


def change(document: Document, changes: dict[str, Value | None]) -> Document:
    """Return the document with these names set, or taken out where the value is None; all else stays as it is."""
    newline = document.newline
    if not document.foot:
        mark = document.head
        document = replace(document, head=f"{mark}---{newline}", foot=f"---{newline}")
    entries = list(document.entries)
    for name, value in changes.items():
        _set(entries, name, value, newline)
    return replace(document, entries=tuple(entries))


def written(fields: Mapping[str, Value | None], body: str) -> str:
    """Return the text of a new file: the fields that are set as front matter, and the body below it."""
    lines = [f"{entry_line(name, value)}\n" for name, value in fields.items() if value]
    return f"---\n{''.join(lines)}---\n{body}"


def scalar(value: str, *, in_list: bool = False) -> str:
    """Write one value as YAML: plain where that is safe, in double quotes elsewhere."""
    return value if _is_plain(value, in_list) else _quoted(value)


def entry_line(name: str, value: Value) -> str:
    """Write one name and its value as a line, without its ending."""
    if value == "":
        return f"{name}:"
    if isinstance(value, str):
        return f"{name}: {value if isinstance(value, Plain) else scalar(value)}"
    return f"{name}: [{', '.join(scalar(item, in_list=True) for item in value)}]"


def _set(entries: list[FrontMatterEntry], name: str, value: Value | None, newline: str) -> None:
    places = [i for i, entry in enumerate(entries) if entry.name == name]
    for place in reversed(places if value is None else places[1:]):
        del entries[place]
    if value is None:
        return
    text = entry_line(name, value) + newline
    if places:
        entries[places[0]] = FrontMatterEntry(name, text, entries[places[0]].line)
    else:
        entries.append(FrontMatterEntry(name, text, 0))


def _lines(text: str) -> list[str]:
    """Split after each \\n and nowhere else, so that no other character is taken for a line ending."""
    pieces = text.split("\n")
    lines = [piece + "\n" for piece in pieces[:-1]]
    return [*lines, pieces[-1]] if pieces[-1] else lines


def _entries(lines: list[str]) -> tuple[tuple[FrontMatterEntry, ...], tuple[tuple[int, str], ...]]:
    entries: list[FrontMatterEntry] = []
    broken: list[tuple[int, str]] = []
    for number, line in enumerate(lines, 2):
        # A line that begins with this continues an entry, or is a comment or no flat YAML.
        name = "" if not line or line[0] in " \t#-[{" else _name_and_rest(line)[0]
        if name:
            entries.append(FrontMatterEntry(name, line, number))
        elif not line.strip() or line.lstrip().startswith("#"):
            entries.append(FrontMatterEntry("", line, number))
        elif line[0] in " \t-" and not broken and _continue(entries, line):
            continue
        else:
            entries.append(FrontMatterEntry("", line, number))
            broken.append((number, "this line is neither `name: value` nor a part of the one before"))
    return tuple(entries), tuple(broken)


def _continue(entries: list[FrontMatterEntry], line: str) -> bool:
    """Add the line to the last entry that has a name, with the blank lines and comments that stand between."""
    place = next((i for i in reversed(range(len(entries))) if entries[i].name), None)
    if place is None:
        return False
    last = entries[place]
    text = "".join(entry.text for entry in entries[place:]) + line
    entries[place:] = [FrontMatterEntry(last.name, text, last.line)]
    return True


def _name_and_rest(line: str) -> tuple[str, str]:
    """Split a line after the colon that ends its name; the name is empty without such a colon."""
    if line[0] in "'\"":
        name, after = _unquoted(line) or ("", "")
        after = after.lstrip(" ")
        return (name, after[1:]) if after[:1] == ":" else ("", "")
    place = line.find(":")
    # A name may have colons inside; the one that ends it comes before a space or at the end of the line.
    while place >= 0 and line[place + 1 : place + 2] not in ("", " ", "\t", "\r", "\n"):
        place = line.find(":", place + 1)
    return (line[:place].strip(), line[place + 1 :]) if place >= 0 else ("", "")


def _value(text: str) -> Value | None:
    first, *more = _name_and_rest(text)[1].split("\n")
    value = _without_comment(first)
    if not value:
        return _block_list(more)
    if value[0] == "[":
        return _flow_list(" ".join([value, *(_without_comment(line) for line in more)]).strip())
    if value[0] in "{&*!%@`":
        return None
    if value[0] in "|>":
        return "\n".join(line.strip() for line in more).strip("\n")
    if value[0] in "'\"":
        parsed = _unquoted(value)
        return None if parsed is None or parsed[1].strip() else parsed[0]
    whole = " ".join([value, *(_without_comment(line) for line in more)]).strip()
    return "" if whole in ("~", "null") else whole


def _block_list(lines: list[str]) -> Value | None:
    items = []
    for line in lines:
        stripped = _without_comment(line)
        if not stripped:
            continue
        if stripped[0] != "-":
            return None
        item = _item(stripped[1:].strip())
        if item is None:
            return None
        items.append(item)
    return tuple(items) if items else ""


def _flow_list(text: str) -> Value | None:
    rest = text[1:].lstrip()
    items: list[str] = []
    while rest and rest[0] != "]":
        parsed = _flow_item(rest)
        if parsed is None:
            return None
        item, rest = parsed
        items.append(item)
        rest = rest.lstrip()
        if rest.startswith(","):
            rest = rest[1:].lstrip()
        elif not rest.startswith("]"):
            return None
    return tuple(items) if rest.strip() == "]" else None


def _flow_item(text: str) -> tuple[str, str] | None:
    if text[0] in "'\"":
        return _unquoted(text)
    if text[0] in "[{&*!,":
        return None
    ends = [place for place in (text.find(","), text.find("]")) if place >= 0]
    if not ends:
        return None
    return text[: min(ends)].strip(), text[min(ends) :]


def _item(text: str) -> str | None:
    if not text or text[0] in "[{&*!|>":
        return None if text else ""
    if text[0] in "'\"":
        parsed = _unquoted(text)
        return None if parsed is None or parsed[1].strip() else parsed[0]
    return text


def _without_comment(line: str) -> str:
    """Return the line without a trailing comment; a # inside quotes is no comment."""
    text = line.strip()
    if text.startswith("#"):
        return ""
    place = text.find(" #")
    if place < 0:
        return text
    if text[0] in "'\"[-":
        place = _comment_after_quotes(text)
    return text if place < 0 else text[:place].rstrip()


def _comment_after_quotes(text: str) -> int:
    place = 0
    while place < len(text):
        letter = text[place]
        before = text[:place].rstrip(" ")
        # A quote opens a value; within a word it is only a letter.
        if letter in "'\"" and (before in ("", "-") or (before[0] == "[" and before[-1] in "[,")):
            parsed = _unquoted(text[place:])
            if parsed is None:
                return -1
            place = len(text) - len(parsed[1])
            continue
        if letter == "#" and text[place - 1 : place] in (" ", "\t"):
            return place
        place += 1
    return -1


def _unquoted(text: str) -> tuple[str, str] | None:
    """Return the value of the quoted scalar at the head of the text, and what follows it."""
    return _single_quoted(text) if text[0] == "'" else _double_quoted(text)


def _single_quoted(text: str) -> tuple[str, str] | None:
    place = 1
    while (end := text.find("'", place)) >= 0:
        if text[end + 1 : end + 2] != "'":
            return text[1:end].replace("''", "'"), text[end + 1 :]
        place = end + 2
    return None


def _double_quoted(text: str) -> tuple[str, str] | None:
    out: list[str] = []
    place = 1
    while place < len(text):
        letter = text[place]
        if letter == '"':
            return "".join(out), text[place + 1 :]
        if letter == "\\":
            escaped, place = _escape(text, place + 1)
            if escaped is None:
                return None
            out.append(escaped)
        else:
            out.append(letter)
            place += 1
    return None


def _escape(text: str, place: int) -> tuple[str | None, int]:
    kind = text[place : place + 1]
    digits = {"x": 2, "u": 4, "U": 8}.get(kind)
    if digits is None:
        return _ESCAPES.get(kind), place + 1
    try:
        return chr(int(text[place + 1 : place + 1 + digits], 16)), place + 1 + digits
    except (ValueError, OverflowError):
        return None, place


def _is_plain(value: str, in_list: bool) -> bool:
    if not value or value != value.strip() or value[0] in _NOT_FIRST or value.lower() in _PLAIN_WORDS:
        return False
    if ": " in value or " #" in value or value.endswith(":") or value.startswith("..."):
        return False
    if in_list and any(letter in ",?[]{}" for letter in value):
        return False
    # YAML would take some for a number or a date; times that Holdfast writes are meant to be.
    is_time = len(value) == 20 and value[-1] == "Z" and value[10] == "T"
    if not is_time and value[0] in "0123456789+.~" and not value.strip(_NUMBER_LETTERS):
        return False
    return value.isprintable()


def _quoted(value: str) -> str:
    out = ['"']
    for letter in value:
        if letter in '"\\':
            out.append("\\" + letter)
        elif letter.isprintable():
            out.append(letter)
        else:
            code = ord(letter)
            out.append(f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}")
    out.append('"')
    return "".join(out)
