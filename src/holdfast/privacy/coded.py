"""Runs of digits that may say a text: base64 and hexadecimal. What erases and what refuses erased words read them here.

A run may be wrapped, have the escapes of JSON in it, begin anywhere in what stands for three bytes, and stand behind
other digits; hexadecimal digits may have a sign between each two. Quoted-printable lines are read beside them.
"""

from __future__ import annotations

import base64
import quopri
import re
from collections.abc import Iterator
from typing import NamedTuple

RUN = re.compile(rb"[A-Za-z0-9+/_-]{12,}(?:(?:\\+[rn/]|[\r\n])+[A-Za-z0-9+/_-]+)*")
HEXADECIMAL = re.compile(rb"(?:[0-9a-fA-F]{2}(?:[ :,-]|\\+(?:x|[rn])|[\r\n]{1,2})?){4,}[0-9a-fA-F]?")
NO_DIGIT = re.compile(rb"\\+[rn]|[^A-Za-z0-9+/_-]")
STANDARD = bytes.maketrans(b"-_", b"+/")
_DIGIT = re.compile(rb"\\+[rnx]|([A-Za-z0-9+/_-])")
_NO_HEXADECIMAL = re.compile(rb"\\+[rnx]|[^0-9a-fA-F]")
_READABLE = re.compile(r"[^\x00-\x08\x0e-\x1f\x7f\ufffd]{4,}")
_LINE = re.compile(r"(?:[^\n]*=\r?\n)*[^\n]+")
_QUOTED = re.compile(r"=[0-9A-F]{2}")


class CodedRun(NamedTuple):
    """What digits may say, where they stand, and how many of them at its beginning say nothing of it."""

    said: bytes
    start: int
    written: bytes
    skipped: int
    is_base64: bool

    @property
    def end(self) -> int:
        """Where the digits end."""
        return self.start + len(self.written)

    def span(self, first: int, last: int) -> tuple[int, int]:
        """Return where the digits stand that say the bytes from `first` to `last`."""
        places = [
            one.start() for one in _DIGIT.finditer(self.written) if one[1] and (self.is_base64 or one[1].isalnum())
        ]
        digits, count = (4, 3) if self.is_base64 else (2, 1)
        begin, end = self.skipped + first * digits // count, self.skipped + -(-last * digits // count)
        return self.start + places[begin], self.start + places[min(end, len(places)) - 1] + 1


def runs(data: bytes) -> Iterator[CodedRun]:
    """Yield what each run of digits may say, in each way to read it."""
    for match in RUN.finditer(data):
        digits = NO_DIGIT.sub(b"", match[0]).translate(STANDARD)
        for skipped in range(4 if not (digits.islower() or digits.isupper()) else 0):
            part = digits[skipped:]
            part = part[: len(part) - (len(part) % 4 == 1)]
            said = base64.b64decode(part + b"=" * (-len(part) % 4))
            yield CodedRun(said, match.start(), match[0], skipped, is_base64=True)
    for match in HEXADECIMAL.finditer(data):
        digits = _NO_HEXADECIMAL.sub(b"", match[0])
        for skipped in (0, 1):
            part = digits[skipped:]
            said = bytes.fromhex(part[: len(part) // 2 * 2].decode())
            yield CodedRun(said, match.start(), match[0], skipped, is_base64=False)


def is_wide(said: bytes) -> bool:
    """Whether so many bytes are zero that they may be UTF-16."""
    return said.count(0) * 4 >= len(said)


def texts(said: bytes) -> Iterator[str]:
    """Yield the bytes as text, in UTF-8 and where they may be it in UTF-16, without what nobody can read."""
    codings = ["utf-16-le", "utf-16-be"] if is_wide(said) else ["utf-8"]
    for coding in codings:
        for start in range(len(codings)):
            if found := _READABLE.findall(said[start:].decode(coding, "replace")):
                yield "\n".join(found)


def read(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield where something stands in a text that says another one, and that one."""
    for run in runs(text.encode("ascii", "replace")):
        for said in texts(run.said):
            yield run.start, run.end, said
    for line in _LINE.finditer(text) if "=" in text else ():
        if _QUOTED.search(line[0]):
            yield *line.span(), quopri.decodestring(line[0].encode("utf-8", "replace")).decode("utf-8", "replace")
