"""The check boxes of a page, and Markdown as lines: split without touching a byte, each changed in its one line.

A line keeps its ending, whatever it is. Text comes with surrogateescape, so bytes of another encoding pass through. A
box is found wherever a person may write one, but not in code or a comment.
"""

from __future__ import annotations

from holdfast.base.clock import is_day
from holdfast.base.light_records import dataclass
from holdfast.base.marker_lines import fence, lines_of
from holdfast.base.text import hash_of

# What may stand before the first character of a line that says something; a quote is one, a byte order mark too.
LEADING = " \t>\ufeff"
_COMMENT, _COMMENT_END = "<!--", "-->"
_BULLETS = ("-", "*", "+")
_MAX_DIGITS = 9
_ID_DIGITS = 5
# Behind what an agent said over MCP, wherever it is told: only what a person says stands without it.
IMPORTED = " (imported)"
_BY = " (said by the agent "


@dataclass(frozen=True, slots=True)
class Todo:
    """One check box. `number` counts all of the page, so closing one moves no other; `id` goes by what it says."""

    number: int
    id: str
    text: str
    done: bool = False
    at: str = ""
    under: str = ""


class Lines:
    """The lines of a page. `hidden[n]` says that line n is code or comment; `open_at` where one of them never ends.

    A line with text before the comment that it opens is not hidden, only the lines below it are.
    """

    def __init__(self, text: str) -> None:
        self.every = lines_of(text)
        self.hidden: list[bool] = []
        self.open_at = 0
        self._until = ""
        self._last_end = max((at for at, line in enumerate(self.every, 1) if _COMMENT_END in line), default=0)
        for number, line in enumerate(self.every, 1):
            self.hidden.append(self._is_hidden(line.lstrip(LEADING), number))
        self.newline = next((ending_of(line) for line in self.every if ending_of(line)), "\n")

    def _is_hidden(self, line: str, number: int) -> bool:
        sign, length, may_close = fence(line)
        if not self._until:
            # A comment may begin right behind the bullet of a list, as code may.
            bare = line[2:].lstrip(" \t") if line[:1] in _BULLETS and line[1:2] == " " else line
            self._until = sign * length
            if bare.startswith(_COMMENT) and _COMMENT_END not in bare[len(_COMMENT) :]:
                self._until = _COMMENT_END
            self.open_at = number if self._until else 0
            is_hidden = bool(self._until) or line.startswith(_COMMENT)
            if not self._until:
                self._open_within(line, number)
            return is_hidden
        if self._until == _COMMENT_END:
            closes = self._until in line
        else:
            closes = may_close and (sign * length).startswith(self._until)
        if closes:
            self._until, self.open_at = "", 0
            self._open_within(line.partition(_COMMENT_END)[2], number)
        return True

    def _open_within(self, line: str, number: int) -> None:
        """Note the comment that begins within a line, if it ends further below; otherwise it is only text.

        The row of a table ends with its line, and what begins in one of its cells as well.
        """
        if number < self._last_end and line[:1] != "|" and opens_comment(line):
            self._until, self.open_at = _COMMENT_END, number

    def text(self) -> str:
        """Return the page as it is now."""
        return "".join(self.every)

    def insert(self, at: int, new: list[str]) -> None:
        """Put new lines before line `at`; the line before them gets an ending if it had none."""
        if at and not ending_of(self.every[at - 1]):
            self.every[at - 1] += self.newline
        self.every[at:at] = [line + self.newline for line in new]

    def append(self, new: list[str], *, joins: bool) -> None:
        """Put new lines at the end of the page, after an empty line unless they join what stands there."""
        blank = not self.every or not body_of(self.every[-1]).strip(LEADING)
        self.insert(len(self.every), new if joins or blank else ["", *new])


class Boxes:
    """The check boxes of a text, in the order of the page."""

    def __init__(self, text: str) -> None:
        self.lines = Lines(text)
        self.todos: list[Todo] = []
        self._places: dict[str, tuple[int, int]] = {}
        self._same: dict[str, int] = {}
        under = ""
        for place, line in enumerate(self.lines.every):
            if self.lines.hidden[place]:
                continue
            under = _heading(line) or under
            mark = _mark_in(line)
            if mark:
                self._add(place, mark, line, under)

    def _add(self, place: int, mark: int, line: str, under: str) -> None:
        done, said = line[mark] != " ", body_of(line)[mark + 2 :].strip()
        text, at = _undated(said) if done else (said, "")
        # No box before this one has its id; the second of two equal texts gets another than the first.
        name = ""
        while not name or name in self._places:
            turn = self._same[text] = self._same.get(text, -1) + 1
            name = "t" + hash_of(text, str(turn), length=_ID_DIGITS)
        self._places[name] = place, mark
        self.todos.append(Todo(len(self.todos) + 1, name, text, done, at, under))

    def add(self, text: str) -> None:
        """Put a new box at the end of the page."""
        last = self.lines.every[-1] if self.lines.every and not self.lines.hidden[-1] else ""
        self.lines.append([f"- [ ] {text}"], joins=_mark_in(last) > 0)

    def tick(self, todo: Todo, day: str) -> None:
        """Close a box, with the day at the end of its line."""
        place, mark = self._places[todo.id]
        line = self.lines.every[place]
        said = body_of(line).rstrip(" \t")
        self.lines.every[place] = f"{said[:mark]}x{said[mark + 1 :]} ({day}){line[len(said) :]}"

    def untick(self, todo: Todo) -> None:
        """Open a box again, and take the day from the end of its line."""
        place, mark = self._places[todo.id]
        line = self.lines.every[place]
        said = body_of(line).rstrip(" \t")
        kept = said[: mark + 2] + _undated(said[mark + 2 :])[0]
        self.lines.every[place] = f"{kept[:mark]} {kept[mark + 1 :]}{line[len(said) :]}"

    def remove(self, todo: Todo) -> None:
        """Take the line of a box out of the page."""
        self.lines.every[self._places[todo.id][0]] = ""

    def has_more_below(self, todo: Todo) -> bool:
        """Whether the lines below belong to this box: what is nested, its text that goes on, and its comment."""
        place, _ = self._places[todo.id]
        box = self.lines.every[place]
        follows_blank = False
        for below in range(place + 1, len(self.lines.every)):
            line = self.lines.every[below]
            if not line:
                # It was taken out just now.
                continue
            if self.lines.hidden[below] and not follows_blank and opens_comment(box):
                return True
            if body_of(line).strip(LEADING):
                return _belongs(line, box, follows_blank=follows_blank)
            follows_blank = True
        return False

    def line_of(self, todo: Todo) -> int:
        """Return the number of the line that the box stands in."""
        return self._places[todo.id][0] + 1


def _belongs(line: str, box: str, *, follows_blank: bool) -> bool:
    """Whether a line is a part of the box above it; in doubt it is, so that no text loses its owner."""
    own_quotes, own = _unquoted(box, len(box))
    quotes, rest = _unquoted(line, own_quotes)
    if quotes == own_quotes and _columns(rest) > _columns(own):
        return True
    # Without an empty line between them, text goes on even where it is not indented, or not quoted.
    return not follows_blank and not _begins_anew(rest.lstrip(" \t"))


def _unquoted(line: str, most: int) -> tuple[int, str]:
    """Return how many quote marks the line begins with, at most so many, and what stands behind them."""
    rest, found = line.lstrip("\ufeff"), 0
    while found < most and rest.lstrip(" \t").startswith(">"):
        rest, found = rest.lstrip(" \t")[1:], found + 1
    return found, rest


def _columns(line: str) -> int:
    return len(line[: len(line) - len(line.lstrip(" \t"))].expandtabs(4))


def _begins_anew(said: str) -> bool:
    """Whether a line cannot be the rest of a paragraph: an item of a list, a heading, a quote, code, a rule, a tag."""
    said = body_of(said)
    number = said.lstrip("0123456789")
    if said[:1] in _BULLETS or (0 < len(said) - len(number) <= _MAX_DIGITS and number[:1] in (".", ")")):
        behind = said[1:] if said[:1] in _BULLETS else number[1:]
        if not behind or behind[0] in " \t":
            return True
    is_rule = said[:1] in ("-", "*", "_") and len(said.strip(said[0] + " \t")) == 0 and said.count(said[0]) > 2
    return is_rule or bool(_heading(said)) or said.startswith((">", "```", "~~~", "<!--")) or _is_tag(said)


def _is_tag(said: str) -> bool:
    """Whether a line begins with a tag of HTML; an address between such brackets is none."""
    name = said[1:].removeprefix("/")
    behind = name.lstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-")
    return said[:1] == "<" and len(behind) < len(name) and behind[:1] in ("", " ", "\t", ">", "/")


def _mark_in(line: str) -> int:
    """Return where the mark of a check box stands in the line, or 0 where there is none."""
    start = len(line) - len(line.lstrip(LEADING))
    rest = line[start:]
    if rest[:1] in _BULLETS:
        bullet = 1
    else:
        bullet = len(rest) - len(rest.lstrip("0123456789"))
        if not 0 < bullet <= _MAX_DIGITS or rest[bullet : bullet + 1] not in (".", ")"):
            return 0
        bullet += 1
    box = rest[bullet:].lstrip(" \t")
    if len(box) == len(rest) - bullet or box[:1] != "[" or box[1:2] not in (" ", "x", "X") or box[2:3] != "]":
        return 0
    says = box[3:4] in (" ", "\t") and body_of(box[3:]).strip()
    return start + len(rest) - len(box) + 1 if says else 0


def _heading(line: str) -> str:
    """Return what a heading says, or nothing where the line is none."""
    said = body_of(line).lstrip(LEADING)
    text = said.lstrip("#")
    is_heading = 0 < len(said) - len(text) <= 6 and text[:1] in (" ", "\t")
    return text.strip().rstrip("#").rstrip() if is_heading else ""


def _undated(text: str) -> tuple[str, str]:
    """Return the text without the day at its end, and the day."""
    head, day = text[:-12], text[-11:-1]
    if text[-12:-11] == "(" and text[-1:] == ")" and is_day(day) and head[-1:] == " " and head.strip():
        return head[:-1], day
    return text, ""


def opens_comment(line: str) -> bool:
    """Whether a comment begins somewhere in the line, outside of code, and does not end in it."""
    if _COMMENT not in line:
        return False
    said = _without_code(line)
    start = said.find(_COMMENT)
    while start >= 0:
        is_text = said[start - 1 : start] == "\\"
        end = start if is_text else said.find(_COMMENT_END, start + len(_COMMENT))
        if end < 0:
            return True
        start = said.find(_COMMENT, end + len(_COMMENT_END))
    return False


def _without_code(line: str) -> str:
    """Return the line without what stands between backticks: as many of them behind it as before it."""
    pieces = line.split("`")
    # Between two pieces stands one backtick; empty pieces are more of the same run.
    runs: list[tuple[int, str]] = [(0, pieces[0])]
    length = 0
    for piece in pieces[1:]:
        length += 1
        if piece:
            runs.append((length, piece))
            length = 0
    if length:
        runs.append((length, ""))
    last = {length: place for place, (length, _) in enumerate(runs)}
    kept, until = [], 0
    for place, (length, piece) in enumerate(runs):
        if until:
            until = 0 if length == until else until
        elif place and last[length] > place:
            until = length
        kept += [] if until else [piece]
    return " ".join(kept)


def attributed(text: str, by: str) -> str:
    """Return what an agent said with its name behind it; nobody else's name can be forged there."""
    return f"{unattributed(text)}{_BY}{by})" if by and text else text


def unattributed(text: str) -> str:
    """Return the text without the name of the agent that said it, as texts are compared; so with what was imported."""
    text = text.removesuffix(IMPORTED)
    head, mark, name = text.rpartition(_BY)
    return head if mark and name.endswith(")") and ")" not in name[:-1] else text


def body_of(line: str) -> str:
    """Return the line without its ending."""
    return line.rstrip("\r\n")


def ending_of(line: str) -> str:
    """Return the ending of the line."""
    return line[len(body_of(line)) :]
