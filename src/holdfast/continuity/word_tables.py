"""The word lists in a form that is quick to read: a hook needs only what its message's own words can begin.

It is a cache like the .pyc files: derived from the files of `words/`, not used when one of them changed, and where it
cannot be written there is none and the files themselves are read. Eight bytes say how long the list is; the list says
what the table was made of and, for each language and beginning of a word, where behind it the rows of those words are.
"""

from __future__ import annotations

import marshal
import os
import sys

from holdfast.continuity import phrases
from holdfast.continuity.phrases import Phrases

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.continuity.phrases import Filed

    # The lists that a word is on, and the phrases that it begins, which stay packed until they are asked for.
    Row = tuple[list[str], bytes]
    # Under the beginning of words: how many bytes their rows have, and behind which.
    Places = dict[str, tuple[int, int]]
    # Change time and size of each file.
    Stamps = dict[str, tuple[int, int]]
    Made = tuple[dict[str, str], dict[str, bytes], int]

_SHORT = ("small", "rules")
# What makes the table: when that changed, the table may be of another form.
_MAKERS = (__file__, phrases.__file__)
_FIRST = 8
_BEGINNING = 2


class Words:
    """The files of a folder with word lists, one for each language, and the table that is made of them."""

    def __init__(self, folder: str, languages: tuple[str, ...], place: str) -> None:
        self._folder = folder
        self._languages = languages
        self._place = f"{place}.{sys.implementation.cache_tag}"
        self._file = -1
        self._texts, self._places, self._start = self._read() or self._renewed() or ({}, {}, 0)

    def text(self, name: str) -> str:
        """Return what a file says."""
        if name not in self._texts:
            self._texts[name] = self._told(name)
        return self._texts[name]

    def phrases(self, language: str) -> Phrases:
        """Return the phrases of a language."""
        places = self._places.get(language)
        if places is None:
            return Phrases(self.text(language))
        return Table(marshal.loads(places), self._file, self._start)  # noqa: S302

    def _stamps(self) -> Stamps:
        names = [f"{self._folder}{name}.txt" for name in (*self._languages, *_SHORT)]
        found = {name: os.stat(name) for name in (*names, *_MAKERS)}
        return {name: (status.st_mtime_ns, status.st_size) for name, status in found.items()}

    def _read(self) -> Made | None:
        try:
            # It stays open: rows are read from it as long as the process lives.
            self._file = os.open(self._place, os.O_RDONLY | os.O_CLOEXEC)
            length = int.from_bytes(os.read(self._file, _FIRST), "little")
            # It lies among the .pyc files and comes from the same place.
            stamps, texts, places, size = marshal.loads(os.read(self._file, length))  # noqa: S302
            is_whole = os.fstat(self._file).st_size == _FIRST + length + size
        except (OSError, ValueError, EOFError, TypeError, OverflowError, MemoryError):
            return None
        return (texts, places, _FIRST + length) if is_whole and stamps == self._stamps() else None

    def _renewed(self) -> Made | None:
        """Write the table anew and read it; None where that cannot be done."""
        temporary = f"{self._place}.{os.getpid()}"
        if sys.dont_write_bytecode:
            return None
        try:
            # Opened first: where nothing can be written, no time is lost with making it.
            with open(temporary, "xb") as file:
                # Before the files are read: if one changes between the two, the table is seen to be untrue.
                stamps = self._stamps()
                places, rows = _table({name: self._told(name) for name in self._languages})
                packed = {name: marshal.dumps(where) for name, where in places.items()}
                listed = marshal.dumps((stamps, {name: self._told(name) for name in _SHORT}, packed, len(rows)))
                file.write(len(listed).to_bytes(_FIRST, "little") + listed + rows)
            os.replace(temporary, self._place)
        except OSError:
            _discard(temporary)
            return None
        return self._read()

    def _told(self, name: str) -> str:
        with open(f"{self._folder}{name}.txt", encoding="utf-8") as file:
            return file.read()


class Table(Phrases):
    """The phrases of one language out of the table. Rows are read when a word asks for them."""

    def __init__(self, places: Places, file: int, start: int) -> None:
        self._places = places
        self._file = file
        self._start = start
        self._read: dict[str, dict[str, Row]] = {}

    def lists_of(self, word: str) -> list[str]:
        """Return the lists that a word is on."""
        row = self._row(word)
        return row[0] if row else []

    def filed(self, present: set[str]) -> Filed:
        """Return the phrases that words of a message can begin, under their first word."""
        found = [(word, self._row(word)) for word in present]
        return {word: marshal.loads(row[1]) for word, row in found if row and row[1]}  # noqa: S302

    def _row(self, word: str) -> Row | None:
        beginning = word[:_BEGINNING]
        rows = self._read.get(beginning)
        if rows is None:
            at, length = self._places.get(beginning, (0, 0))
            rows = marshal.loads(os.pread(self._file, length, self._start + at)) if length else {}  # noqa: S302
            self._read[beginning] = rows
        return rows.get(word)


def _table(texts: dict[str, str]) -> tuple[dict[str, Places], bytes]:
    places: dict[str, Places] = {}
    rows = b""
    for language, text in texts.items():
        every = Phrases(text)
        # A name in brackets is no word but what a group is called.
        words = {word for word in text.replace("|", " ").split() if word[0] != "["}
        filed = every.filed(words)
        parts: dict[str, dict[str, Row]] = {}
        for word in sorted(words):
            row = (every.lists_of(word), marshal.dumps(filed[word]) if word in filed else b"")
            if any(row):
                parts.setdefault(word[:_BEGINNING], {})[word] = row
        places[language] = {}
        for beginning, part in parts.items():
            made = marshal.dumps(part)
            places[language][beginning] = (len(rows), len(made))
            rows += made
    return places, rows


def _discard(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return
