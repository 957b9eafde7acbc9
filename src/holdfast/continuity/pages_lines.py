"""Markdown as lines: split without touching a byte, and which of them are only code or comment.

A line keeps its ending, whatever it is. Text comes with surrogateescape, so bytes of another encoding pass through.
"""

from __future__ import annotations

from io import StringIO

# What may stand before the first character of a line that says something; a quote is one, a byte order mark too.
LEADING = " \t>\ufeff"
_BULLETS = ("- ", "* ", "+ ")
_FENCES = ("`", "~")
_COMMENT, _COMMENT_END = "<!--", "-->"


class Lines:
    """The lines of a page. `hidden[n]` says that line n is code or comment; `open_at` where one of them never ends.

    A line with text before the comment that it opens is not hidden, only the lines below it are.
    """

    def __init__(self, text: str) -> None:
        self.every = list(StringIO(text, newline=""))
        self.hidden: list[bool] = []
        self.open_at = 0
        self._until = ""
        self._last_end = max((at for at, line in enumerate(self.every, 1) if _COMMENT_END in line), default=0)
        for number, line in enumerate(self.every, 1):
            self.hidden.append(self._is_hidden(line.lstrip(LEADING), number))
        self.newline = next((ending_of(line) for line in self.every if ending_of(line)), "\n")

    def _is_hidden(self, line: str, number: int) -> bool:
        if not self._until:
            # Code may begin right behind the bullet of a list, but it does not end behind one.
            self._until = _opens(line[2:].lstrip(" \t") if line.startswith(_BULLETS) else line)
            self.open_at = number if self._until else 0
            is_hidden = bool(self._until) or line.startswith(_COMMENT)
            if not self._until:
                self._open_within(line, number)
            return is_hidden
        if _closes(line, self._until):
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


def _opens(line: str) -> str:
    """Return what would end the code or comment that this line begins, or nothing where it begins none."""
    if line.startswith(_COMMENT):
        return "" if _COMMENT_END in line[len(_COMMENT) :] else _COMMENT_END
    mark = line[:1]
    if mark not in _FENCES or not line.startswith(mark * 3):
        return ""
    length = len(line) - len(line.lstrip(mark))
    # Three backticks and more of them later in the line are code within a sentence.
    return "" if mark == "`" and mark in line[length:] else mark * length


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


def _closes(line: str, until: str) -> bool:
    if until == _COMMENT_END:
        return until in line
    return line.startswith(until) and not line.strip().strip(until[0])


def body_of(line: str) -> str:
    """Return the line without its ending."""
    return line.rstrip("\r\n")


def ending_of(line: str) -> str:
    """Return the ending of the line."""
    return line[len(body_of(line)) :]


def is_day(text: str) -> bool:
    """Whether the text is a date as pages write it: 2026-11-15."""
    return len(text) == 10 and text[4] == text[7] == "-" and (text[:4] + text[5:7] + text[8:]).isdecimal()
