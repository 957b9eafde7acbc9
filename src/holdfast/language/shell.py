"""The one parser of shell lines: the words of each command, the files it reads and writes, what is fed to it.

It is not a shell. It knows quotes, escapes, `$( )`, here-documents, pipes and lists; what it cannot understand stays a
word. Variables are not filled in. Hooks use it, so it is light; a sweep does, so words without signs are taken whole.
"""

from __future__ import annotations

from holdfast.base.light_records import dataclass, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_LINE = 16_000
MAX_COMMANDS = 400
_MAX_REMEMBERED, _MAX_REMEMBERED_LINE = 2_048, 1_000
# Of a long here-document so many rows at each end are looked at.
_MAX_ROWS = 20
PIPES = ("|", "|&")
_ENDS = ("&&", "||", ";;", "|&", "|", ";", "&", "\n")
# Words of which most lines with signs have some, and which are taken whole: what ends a command, and what reads nothing
# and writes no file.
_LISTS = frozenset(_ENDS)
_JOINED = "2>&1"
_ESCAPED = frozenset('"\\$`')
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
# Signs that say nothing to a shell; a word of these alone is taken at once.
_PLAIN = _LETTERS + "-_./,:=@%+~*?[]^!"
_PLAIN_LINE = _PLAIN + " "
_AHEAD = 80
_NEEDS_NO_QUOTES = _LETTERS + "_@%+=:,./-"
# What follows a brace that stands alone; at the end of a line it is nothing.
_ALONE = ("", " ", "\t", "\r", "\n", ";", "&", "|", ")")
# A quote within quotes.
_QUOTE = "'\"'\"'"
# What may stand before a redirection: the number of the stream that is redirected.
_NUMBERS = frozenset(("", "0", "1", "2"))
_remembered: dict[str, list[ShellCommand]] = {}


@dataclass(frozen=True, slots=True)
class ShellCommand:
    """One command of a line: its words without quotes, and its text as it was written.

    `reads` and `writes` are what it is redirected from and to, `fed` the text of a here-document, `sign` what ends it,
    and `inner` the lines within `$( )`, backquotes and `<( )`, which run as well.
    """

    words: tuple[str, ...]
    text: str
    sign: str = ""
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    fed: str = ""
    inner: tuple[str, ...] = ()


def split(line: str) -> list[ShellCommand]:
    """Return the commands of a line in order: of one longer than MAX_LINE those at its two ends.

    Here-documents are shortened before a line is measured. No end has more than MAX_COMMANDS.
    """
    if len(line) <= _MAX_REMEMBERED_LINE:
        # Several parts of a harvest ask for the same lines.
        if line not in _remembered:
            if len(_remembered) >= _MAX_REMEMBERED:
                _remembered.clear()
            _remembered[line] = _Parser(line).all()
        return _remembered[line]
    line = line if len(line) <= MAX_LINE else _with_short_documents(line)
    if len(line) <= MAX_LINE:
        return _Parser(line).all()
    end = line[-MAX_LINE // 2 :]
    # What the cut went through is no command.
    rest = max([end.partition(sign)[2] for sign in ("\n", ";", "&&")], key=len)
    return [*_Parser(line[: MAX_LINE // 2]).all(), *_Parser(rest).all()]


def _with_short_documents(line: str) -> str:
    """Return a line in which of each long here-document only the first and the last rows are left."""
    rows = line.split("\n")
    said = [row.strip() for row in rows]
    last = {row: number for number, row in enumerate(said)}
    kept: list[str] = []
    # How far the rows are kept, and where the document ends that was passed last.
    done = end = 0
    for at, row in enumerate(rows, 1):
        if at <= end or "<<" not in row:
            continue
        words = row.rpartition("<<")[2].lstrip("- ").split()
        tag = words[0].strip("'\"\\;|&)") if words else ""
        if tag and last.get(tag, 0) >= at:
            end = said.index(tag, at)
            if end > at + 2 * _MAX_ROWS:
                kept += [*rows[done : at + _MAX_ROWS], *rows[end - _MAX_ROWS : end]]
                done = end
    return "\n".join([*kept, *rows[done:]])


def quoted(words: Iterable[str]) -> str:
    """Return words as a line that is taken apart into the same words."""
    found = []
    for word in words:
        is_plain = word and not word.strip(_NEEDS_NO_QUOTES)
        found.append(word if is_plain else "'" + word.replace("'", _QUOTE) + "'")
    return " ".join(found)


def is_variable(word: str) -> bool:
    """Whether a word before a command sets a variable for it."""
    name, equals, _ = word.partition("=")
    name = name.removesuffix("+")
    return bool(equals) and name.replace("_", "a").isalnum() and not name[:1].isdigit()


class _Parser:
    """Goes through a line once."""

    def __init__(self, line: str) -> None:
        self._line = line
        self._at = 0
        self._found: list[ShellCommand] = []
        # Documents that begin behind the end of this line: whose command they are, their end, whether it is indented.
        self._documents: list[tuple[int, str, bool]] = []
        self._begin()

    def _begin(self) -> None:
        self._start = self._at
        self._words: list[str] = []
        self._word = ""
        self._in_word = False
        self._redirect = ""
        self._reads: list[str] = []
        self._writes: list[str] = []
        self._inner: list[str] = []
        self._fed = ""

    def all(self) -> list[ShellCommand]:
        """Return the commands."""
        line, size = self._line, len(self._line)
        if not line.strip(_PLAIN_LINE):
            return [ShellCommand(tuple(line.split()), line.strip(), "", (), (), "", ())] if line.strip() else []
        while self._at < size and len(self._found) < MAX_COMMANDS:
            if not self._in_word:
                end = line.find(" ", self._at)
                end = size if end < 0 else end
                word = line[self._at : end]
                if not word.strip(_PLAIN):
                    self._word, self._in_word = word, bool(word)
                    self._close_word()
                    self._at = end + 1
                    continue
                if word in _LISTS:
                    self._end(word)
                    self._start = self._at = end
                    continue
                if word == _JOINED:
                    self._redirect, self._at = "", end + 1
                    continue
            self._step(line[self._at])
        self._at = min(self._at, size)
        self._end("")
        return self._found

    def _step(self, letter: str) -> None:
        line, at = self._line, self._at
        if letter.isalnum() or letter in _PLAIN:
            self._plain_letters()
        elif letter in " \t\r":
            self._close_word()
            self._at += 1
        elif line.startswith("\\\n", at):
            self._at += 2
        elif letter == "\\":
            self._put(line[at + 1 : at + 2], 2)
        elif letter == "'":
            end = line.find("'", at + 1)
            end = len(line) if end < 0 else end
            self._put(line[at + 1 : end], end + 1 - at)
        elif letter == '"':
            self._double_quoted()
        elif letter in "$`" or line.startswith("<(", at):
            self._substituted()
        elif letter in "<>" or line.startswith("&>", at):
            self._redirected()
        elif letter == "#" and not self._in_word:
            end = line.find("\n", at)
            self._at = len(line) if end < 0 else end
        else:
            self._sign_or_letter(letter)

    def _plain_letters(self) -> None:
        ahead = self._line[self._at : self._at + _AHEAD]
        length = len(ahead) - len(ahead.lstrip(_PLAIN)) or 1
        self._put(ahead[:length], length)

    def _sign_or_letter(self, letter: str) -> None:
        line, at = self._line, self._at
        # A brace that stands alone groups commands.
        if letter in "()" or (letter in "{}" and not self._in_word and line[at + 1 : at + 2] in _ALONE):
            sign, length = "", 1
        else:
            sign = next((sign for sign in _ENDS if line.startswith(sign, at)), "")
            length = len(sign)
        if not length:
            self._put(letter, 1)
            return
        self._end(sign)
        self._at += length
        if sign == "\n" and self._documents:
            self._take_documents()
        self._start = self._at

    def _put(self, text: str, length: int) -> None:
        self._word += text
        self._in_word = True
        self._at += length

    def _double_quoted(self) -> None:
        line, at = self._line, self._at + 1
        end = line.find('"', at)
        text = line[at : end if end >= 0 else len(line)]
        if "\\" not in text and "`" not in text and "$(" not in text:
            self._put(text, len(text) + 2)
            return
        self._in_word = True
        while at < len(line) and line[at] != '"':
            if line[at] == "\\":
                self._word += line[at + 1 : at + 2] if line[at + 1 : at + 2] in _ESCAPED else line[at : at + 2]
                at += 2
            elif line[at] == "`" or line.startswith("$(", at):
                self._at = at
                self._substituted()
                at = self._at
            else:
                self._word += line[at]
                at += 1
        self._at = at + 1

    def _dollar_quoted(self) -> None:
        """Take a `$' '`, in which a quote may be escaped; what else is escaped there stays as it stands."""
        line, end = self._line, self._at + 2
        while end < len(line) and line[end] != "'":
            end += 2 if line[end] == "\\" else 1
        self._put(line[self._at + 2 : end].replace("\\'", "'"), end + 1 - self._at)

    def _substituted(self) -> None:
        """Take a `$( )`, `<( )` or backquotes as a part of the word, and what is in it as a line of its own."""
        line, at = self._line, self._at
        if line.startswith("$'", at):
            self._dollar_quoted()
            return
        if line[at] == "`":
            end = line.find("`", at + 1)
            end = len(line) if end < 0 else end
            self._inner.append(line[at + 1 : end])
        elif line[at + 1 : at + 2] == "(" and line[at + 2 : at + 3] != "(":
            end = _closing(line, at + 2)
            self._inner.append(line[at + 2 : end])
        else:
            self._put(line[at], 1)
            return
        self._put(line[at : end + 1], end + 1 - at)

    def _redirected(self) -> None:
        line, at = self._line, self._at
        if self._word in _NUMBERS:
            self._word, self._in_word = "", False
        self._close_word()
        if line.startswith("<<<", at):
            self._redirect, self._at = "<<<", at + 3
        elif line.startswith("<<", at):
            self._document(at + 2)
        else:
            end = at
            while end < len(line) and line[end] in "<>&|":
                end += 1
            self._redirect, self._at = line[at:end], end

    def _document(self, at: int) -> None:
        line = self._line
        indented = line.startswith("-", at)
        at += indented
        while line[at : at + 1] in (" ", "\t") and at < len(line):
            at += 1
        end = at
        while end < len(line) and not line[end].isspace() and line[end] not in ";|&<>)":
            end += 1
        self._documents.append((len(self._found), line[at:end].strip("'\"\\"), indented))
        self._at = end

    def _take_documents(self) -> None:
        """Take what follows this line as the documents that its commands are fed."""
        for place, tag, indented in self._documents:
            taken = []
            while self._at < len(self._line):
                end = self._line.find("\n", self._at)
                end = len(self._line) if end < 0 else end
                row = self._line[self._at : end]
                self._at = end + 1
                if (row.strip() if indented else row.rstrip()) == tag:
                    break
                taken.append(row)
            if place < len(self._found):
                self._found[place] = replace(self._found[place], fed="\n".join(taken))
        self._documents = []

    def _close_word(self) -> None:
        if not self._in_word:
            return
        word, sign = self._word, self._redirect
        self._word, self._in_word, self._redirect = "", False, ""
        if not sign:
            self._words.append(word)
        elif sign == "<<<":
            self._fed = word
        elif ">" in sign and not (sign.endswith("&") and (word.isdigit() or word == "-")):
            self._writes.append(word)
        elif sign == "<":
            self._reads.append(word)

    def _end(self, sign: str) -> None:
        self._close_word()
        text = self._line[self._start : self._at].strip()
        if self._words or self._writes or self._reads or self._inner:
            parts = (tuple(self._words), text, sign, tuple(self._reads), tuple(self._writes), self._fed)
            self._found.append(ShellCommand(*parts, tuple(self._inner)))
        elif sign and self._found and not self._found[-1].sign:
            # What stands behind a bracket holds for what is in it.
            self._found[-1] = replace(self._found[-1], sign=sign)
        self._begin()


def _closing(line: str, at: int) -> int:
    """Return where the bracket closes that was opened before this place; quotes are passed over."""
    depth, quote, escaped = 1, "", -1
    for place in [at + number for number, letter in enumerate(line[at:]) if letter in "\\'\"()"]:
        letter = line[place]
        if place == escaped:
            continue
        if letter == "\\":
            escaped = place + 1 if quote != "'" else -1
        elif quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        else:
            depth += 1 if letter == "(" else -1
            if not depth:
                return place
    return len(line)
