"""The tables of decisions and lessons: a row for each, found by the names of their columns, changed in their one line.

A table is ours when its head has all of our columns, in any order and beside others; every other table is the person's.
"""

from __future__ import annotations

from holdfast.base.clock import is_day
from holdfast.base.light_records import dataclass
from holdfast.continuity.check_boxes import Lines, body_of
from holdfast.store.kinds import STRIKE, day_in, unstruck

REPLACED = "replaced by"
_ESCAPED_BAR, _ESCAPED_TILDE, _BACKSLASH = "\\|", "\\~", "&#92;"


@dataclass(frozen=True, slots=True)
class Columns:
    """How the table of one kind is written: the letter before its ids, and the names in its head."""

    letter: str
    text: str
    because: str
    source: str = ""

    def heads(self) -> list[str]:
        """Return the names in the head of a new table."""
        return ["Id", "Date", self.text, self.because, *((self.source,) if self.source else ())]

    def head(self) -> list[str]:
        """Return the lines of a new table, which has no row yet."""
        return [_row(self.heads()), "|" + "---|" * len(self.heads())]


@dataclass(frozen=True, slots=True)
class Note:
    """A decision or a lesson. `done`: it holds no longer, since `ended`, and `replaced_by` may say what holds now.

    `key` and `scope` are those of its memory; a row alone does not tell them.
    """

    number: int
    id: str
    text: str
    because: str = ""
    source: str = ""
    at: str = ""
    done: bool = False
    ended: str = ""
    replaced_by: str = ""
    key: str = ""
    scope: str = ""


class Table:
    """The rows of our tables in a text. A new row goes to the end of the last of them."""

    def __init__(self, text: str, columns: Columns) -> None:
        self.lines = Lines(text)
        self.columns = columns
        self._wanted = [name.casefold() for name in columns.heads()]
        self.notes: list[Note] = []
        self._rows: list[tuple[int, dict[str, int]]] = []
        self._first = -1
        self._end = 0
        self._last: dict[str, int] = {}
        self._indent = ""
        place = 0
        while place < len(self.lines.every) - 1:
            place = self._read_table(place) if self._is_head(place) else place + 1

    def _is_head(self, place: int) -> bool:
        head, rule = (body_of(line) for line in self.lines.every[place : place + 2])
        if "|" not in head or head.lstrip().startswith(">") or any(self.lines.hidden[place : place + 2]):
            return False
        cells = [rule[start:end] for start, end in _spans(rule)]
        dashes = all("-" in cell and not cell.strip("-:") for cell in cells)
        return dashes and len(cells) == len(_spans(head)) > 1 and set(self._wanted) <= set(_names(head))

    def _read_table(self, head: int) -> int:
        """Read the rows of the table and return the place behind it."""
        line = body_of(self.lines.every[head]).lstrip("\ufeff")
        self._indent = line[: len(line) - len(line.lstrip())]
        at = {name: number for number, name in enumerate(_names(line))}
        self._first = head if self._first < 0 or self._end < head else self._first
        place = head + 2
        while self._is_row(place):
            self._take(place, at)
            place += 1
        self._end, self._last = place, at
        # A person may leave a blank line before a row that they add.
        while (behind := self._behind_blank(place, len(at))) > 0:
            self._take(behind, at)
            place = behind + 1
        return place

    def _is_row(self, place: int) -> bool:
        return place < len(self.lines.every) and "|" in self.lines.every[place] and not self.lines.hidden[place]

    def _take(self, place: int, at: dict[str, int]) -> None:
        note = self._note(place, at)
        if note.text:
            self.notes.append(note)
            self._rows.append((place, at))

    def _behind_blank(self, place: int, cells: int) -> int:
        """Return where a whole row stands behind blank lines or such a row, and no head of a table; else 0."""
        while place < len(self.lines.every) and not self.lines.every[place].strip():
            place += 1
        if not self._is_row(place) or not self.lines.every[place].lstrip().startswith("|"):
            return 0
        rule = body_of(self.lines.every[place + 1]) if self._is_row(place + 1) else ""
        is_head = "-" in rule and not rule.strip("|-: \t")
        return 0 if is_head or len(_spans(body_of(self.lines.every[place]))) != cells else place

    def _note(self, place: int, at: dict[str, int]) -> Note:
        line = body_of(self.lines.every[place])
        cells = [line[start:end] for start, end in _spans(line)]
        said = {name: cells[number] if number < len(cells) else "" for name, number in at.items()}
        text, done, ended, replaced_by = _unstruck(said[self.columns.text.casefold()])
        return Note(
            len(self.notes) + 1,
            said["id"],
            _read_cell(text),
            _read_cell(said[self.columns.because.casefold()]),
            _read_cell(said.get(self.columns.source.casefold(), "")),
            said["date"],
            done,
            ended,
            replaced_by,
        )

    @property
    def is_there(self) -> bool:
        """Whether the text has a table of ours, with rows or without."""
        return self._first >= 0

    def span(self) -> tuple[int, int]:
        """Return the lines between which the last of our tables stands."""
        return self._first, self._end

    def add(self, note: Note, ended: str = "") -> None:
        """Write a row for a note behind the last one; `ended` says how it ceased to hold."""
        names = dict(zip(self._wanted, (note.id, note.at, note.text, note.because, note.source), strict=False))
        cells = {name: _written(said) for name, said in names.items()}
        text = self.columns.text.casefold()
        cells[text] = _struck(cells[text], ended)
        self.lines.insert(self._end, [self._indent + _row([cells.get(name, "") for name in self._last])])
        self._end += 1

    def rewrite(self, row: Note, note: Note, ended: str) -> None:
        """Write what a note says into its row; cells that other columns have stay as they are."""
        place, at = self._rows[row.number - 1]
        text = _struck(_written(note.text), ended)
        # Its number may be another one's now; what is no day is a person's own word.
        at_day = note.at if is_day(row.at) else row.at
        told = {"date": at_day, self.columns.text: text, self.columns.because: _written(note.because)}
        for name, cell in told.items():
            line = self.lines.every[place]
            spans, column = _spans(body_of(line)), at[name.casefold()]
            if column < len(spans) and line[slice(*spans[column])] != cell:
                start, end = spans[column]
                # Between two bars of an empty cell there may be any number of spaces, or none.
                start = line.rfind("|", 0, end) + 1 if start == end else start
                gap = "" if cell == "" or line[start - 1 : start] == " " else " "
                self.lines.every[place] = f"{line[:start]}{gap}{cell}{gap and ' '}{line[end:]}"

    def remove(self, row: Note) -> None:
        """Take a row out. Those below it keep their places only when the table is read again."""
        del self.lines.every[self._rows[row.number - 1][0]]


def _struck(cell: str, ended: str) -> str:
    return f"{STRIKE}{cell.replace(STRIKE, _ESCAPED_TILDE * 2)}{STRIKE} ({ended})" if ended else cell


def _names(head: str) -> list[str]:
    return [head[start:end].strip("*_ ").casefold() for start, end in _spans(head)]


def _spans(line: str) -> list[tuple[int, int]]:
    """Return where each cell of a row begins and ends, without the spaces around it."""
    spans, start, escaped = [], 0, False
    for place, letter in enumerate(line):
        if letter == "|" and not escaped:
            spans.append((start, place))
            start = place + 1
        escaped = letter == "\\" and not escaped
    spans.append((start, len(line)))
    if not line[slice(*spans[0])].strip(" \t\ufeff"):
        spans = spans[1:]
    if spans and not line[slice(*spans[-1])].strip():
        spans = spans[:-1]
    # Without the spaces around a cell; an empty one stands where its spaces end.
    starts = [end - len(line[start:end].lstrip()) for start, end in spans]
    return [(start, start + len(line[start:end].rstrip())) for start, (_, end) in zip(starts, spans, strict=True)]


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _written(text: str) -> str:
    """Return a text as it stands in a cell: no bar ends it, no tilde strikes it through."""
    out = []
    for place, letter in enumerate(text):
        rest = text[place:].lstrip("\\")[:1] if letter == "\\" else ""
        is_doubled = letter == "~" and "~" in (text[place - 1 : place], text[place + 1 : place + 2])
        if letter == "|" or is_doubled:
            letter = _ESCAPED_BAR if letter == "|" else _ESCAPED_TILDE
        out.append(_BACKSLASH if rest in ("|", "~") else letter)
    return "".join(out)


def _read_cell(cell: str) -> str:
    return cell.replace(_ESCAPED_BAR, "|").replace(_ESCAPED_TILDE, "~").replace(_BACKSLASH, "\\")


def _unstruck(cell: str) -> tuple[str, bool, str, str]:
    """Return what a cell says, whether it is struck through, since when, and what replaced it."""
    text, is_struck, ended = unstruck(cell)
    by = ended.removeprefix(REPLACED).removesuffix(day_in(ended)).strip() if ended.startswith(REPLACED) else ""
    return text, is_struck, day_in(ended), by
