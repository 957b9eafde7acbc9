"""The part of git's config language that tells the remotes of a repository.

It follows git's own reader: sections, quoted subsections, escapes, comments, continued lines, names in any
case. `include` is not followed. Where git would refuse the file, so does this, with Broken.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_SPACE = " \t\r\n"
_ESCAPES = {"t": "\t", "b": "\b", "n": "\n", "\\": "\\", '"': '"'}
_NAME_GUESS = 100  # a config can have a thousand branches, and almost all of their names are plain and short
_SPECIAL = ('"', "\\", "#", ";")


class Broken(ValueError):
    """The file is not in git's config language. The text repeats no word of it, as a token may be in it."""


def remotes(data: bytes) -> dict[str, str]:
    """Return the url of each remote that has one, by name; the last line wins, as in `git config --get`."""
    urls = {}
    for section, name, value in _Reader(data.decode("utf-8", "surrogateescape")).entries():
        if name == "url" and section.startswith("remote."):
            urls[section.removeprefix("remote.")] = value
    return {name: url for name, url in urls.items() if url}


class _Reader:
    __slots__ = ("at", "text")

    def __init__(self, text: str) -> None:
        if "\0" in text:
            raise Broken("it has a NUL character")
        self.text = text.removeprefix("\ufeff").replace("\r\n", "\n")
        self.at = 0

    def entries(self) -> Iterator[tuple[str, str, str]]:
        section = ""
        while self.at < len(self.text):
            c = self._next()
            if c in _SPACE:
                continue
            if c in "#;":
                self._rest_of_line()
            elif c == "[":
                section = self._section()
            elif _is_letter(c):
                yield section, self._name(), self._value()
            else:
                raise self._broken()

    def _next(self) -> str:
        # Like git, the end of the file reads as the end of a line, as often as it is asked.
        if self.at >= len(self.text):
            return "\n"
        self.at += 1
        return self.text[self.at - 1]

    def _rest_of_line(self) -> str:
        start, end = self.at, self.text.find("\n", self.at)
        end = len(self.text) if end < 0 else end
        self.at = end + 1
        return self.text[start:end]

    def _section(self) -> str:
        name = ""
        while (c := self._next()) != "]":
            if c in " \t\r":
                return f"{name}.{self._subsection()}"
            if not (_is_key(c) or c == "."):
                raise self._broken()
            name += c.lower()
        return name

    def _subsection(self) -> str:
        while (c := self._next()) in " \t\r":
            pass
        if c != '"':
            raise self._broken()
        name = self._quoted_name()
        if self._next() != "]":
            raise self._broken()
        return name

    def _quoted_name(self) -> str:
        plain, quote, _ = self.text[self.at : self.at + _NAME_GUESS].partition('"')
        if quote and "\\" not in plain and "\n" not in plain:
            self.at += len(plain) + 1
            return plain
        name = ""
        while (c := self._next()) != '"':
            c = self._next() if c == "\\" else c
            if c == "\n":
                raise self._broken()
            name += c
        return name

    def _name(self) -> str:
        start = self.at - 1
        while self.at < len(self.text) and _is_key(self.text[self.at]):
            self.at += 1
        return self.text[start : self.at].lower()

    def _value(self) -> str:
        while (c := self._next()) in " \t":
            pass
        if c == "\n":
            return ""
        if c != "=":
            raise self._broken()
        start = self.at
        line = self._rest_of_line()
        if not any(mark in line for mark in _SPECIAL):
            return line.strip(_SPACE)
        self.at = start
        return self._quoted_value()

    def _quoted_value(self) -> str:
        value, spaces, quoted = "", "", False
        while (c := self._next()) != "\n":
            if not quoted and c in _SPACE:
                spaces += c if value else ""
            elif not quoted and c in "#;":
                self._rest_of_line()
                return value
            elif c == '"':
                quoted, value, spaces = not quoted, value + spaces, ""
            else:
                value, spaces = value + spaces + (self._escaped() if c == "\\" else c), ""
        if quoted:
            raise self._broken()
        return value

    def _escaped(self) -> str:
        c = self._next()
        if c == "\n":
            return ""
        if c not in _ESCAPES:
            raise self._broken()
        return _ESCAPES[c]

    def _broken(self) -> Broken:
        return Broken(f"bad line {self.text.count(chr(10), 0, max(self.at - 1, 0)) + 1}")


def _is_letter(c: str) -> bool:
    return c.isascii() and c.isalpha()


def _is_key(c: str) -> bool:
    return c == "-" or (c.isascii() and c.isalnum())
