"""What reaches a terminal: text of any script is shown, and nothing in it has any other effect.

`HarmlessStream` stands in for standard output and standard error of every command, so that no caller can forget it.
Our own styles pass it by a mark that is drawn again in each process: stored text cannot know it.
"""

from __future__ import annotations

import codecs
import io
import os
import re
import sys
from typing import TextIO

from holdfast.base.text import HIDDEN, is_hidden

# Control characters, lone surrogates, line separators that do not end a line here, and invisible characters.
_RANGES = ((0, 8), (11, 31), (0x7F, 0x9F), (0x2028, 0x2029), (0xD800, 0xDFFF), *HIDDEN)
_SUSPECT = "[" + "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in _RANGES) + "]"
# Characters that hide something in one place and are needed in another.
_NEEDED = frozenset("\u200c\u200d\ufe0e\ufe0f\u180b\u180c\u180d\u180e\u180f")
_CODES = {"bold": "1", "dim": "2", "red": "31", "cyan": "36"}
_mark = ""


def harmless(text: str) -> str:
    """Return a text with every control and hidden character written out, so that a terminal only shows it.

    It is written as JSON writes it: a JSON document means the same as before.
    """
    # Most of what is printed is plain, and needs no pattern, which takes a while to compile.
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        return text
    return re.sub(_SUSPECT, _written_out, text.replace("\r\n", "\n"))


def _written_out(found: re.Match[str]) -> str:
    at, text, letter = found.start(), found.string, found[0]
    if letter == "\r":
        return "\\r"
    if letter in _NEEDED and not is_hidden(text, at):
        return letter
    wide = letter.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{wide[place : place + 2].hex()}" for place in range(0, len(wide), 2))


def style(text: str, *looks: str) -> str:
    """Return the text with a look that a terminal shows (`bold`, `dim`, `red`, `cyan`) and anything else drops."""
    return f"{_mark}{';'.join(_CODES[look] for look in looks)}m{text}{_mark}0m" if _mark else text


class HarmlessStream(io.TextIOWrapper):
    """A text stream over bytes that writes every text harmless; `plain` is the way around it for a drawn bar."""

    def write(self, text: str) -> int:
        first, *styled = text.split(_mark) if _mark else [text]
        shown = [harmless(first)]
        for part in styled:
            codes, _, rest = part.partition("m")
            shown += [f"\x1b[{codes}m" if self.has_looks else "", harmless(rest)]
        super().write("".join(shown))
        return len(text)

    @property
    def has_looks(self) -> bool:
        """Whether a style is to be seen here."""
        return self.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"

    @property
    def plain(self) -> TextIO:
        """The same place without the protection: whoever writes here answers for every character."""
        self.flush()
        return open(self.fileno(), "w", encoding=self.encoding, errors="backslashreplace", closefd=False)


def protect() -> None:
    """Let everything that this process prints from now on go through a `HarmlessStream`."""
    global _mark
    _mark = f"\x1a{os.urandom(8).hex()}:"
    sys.stdout, sys.stderr = _protected(sys.stdout), _protected(sys.stderr)
    # The first streams have given their bytes away. Whoever asks them for the terminal's width (click and shutil do)
    # would get no answer, and take it for 80 columns.
    sys.__stdout__, sys.__stderr__ = sys.stdout, sys.stderr  # type: ignore[assignment, misc]


def _protected(stream: TextIO) -> TextIO:
    if not isinstance(stream, io.TextIOWrapper) or isinstance(stream, HarmlessStream):
        return stream
    # What cannot be encoded is written out, too: a name that is not UTF-8 must not end a command half-way. click goes
    # around a stream that can write ASCII alone.
    encoding = "utf-8" if codecs.lookup(stream.encoding).name == "ascii" else stream.encoding
    buffering = stream.line_buffering
    stream.flush()
    return HarmlessStream(stream.detach(), encoding, "backslashreplace", line_buffering=buffering)
