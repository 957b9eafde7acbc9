"""What may say a text otherwise than in its letters. What erases and what refuses erased words read it here.

Runs of digits are base64, base32 and hexadecimal. A run may be wrapped, have the escapes of JSON in it, begin anywhere
in what stands for three bytes, and stand behind other digits; hexadecimal digits may have a sign between each two. Of
base64 what it says is read once more, where that is compressed or base64 again. Quoted-printable lines are read, too.

What is `Bare` has escapes as the letters that they stand for, and nothing that only shows or parts letters of a word.
"""

from __future__ import annotations

import base64
import html
import quopri
import re
import unicodedata
import zlib
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from contextlib import suppress
from operator import itemgetter
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
_BASE32 = re.compile(rb"(?<![A-Za-z0-9])(?:[A-Z2-7]{16,}|[a-z2-7]{16,})(?![A-Za-z0-9])")
_INNER = re.compile(rb"[A-Za-z0-9+/_-]{12,}")
_COMPRESSED = (b"\x1f\x8b", b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda")
_MAX_INFLATED = 1_000_000

# What stands for letters, or between those of one word without being seen as a letter. An escape may itself be escaped.
_WRAPPING = re.compile(
    rb"\x1b\[[0-9;?]{0,20}[A-Za-z]|\xc2\xad|\xcd\x8f|\xe2(?:\x80[\x8b-\x8f\xaa-\xae]|\x81[\xa0-\xaf])|\xef\xbb\xbf"
    rb"|-(?<=[a-z\x80-\xff]-)(?:\\{1,8}r)?(?:\\{1,8}n|\r?\n)[ \t]{0,8}(?=[a-z\x80-\xff])"
    rb"|\*(?<=[A-Za-z0-9\x80-\xff]\*)\*{0,2}(?=[A-Za-z0-9\x80-\xff])"
    rb"|`(?<=[A-Za-z0-9\x80-\xff]`)(?=[A-Za-z0-9\x80-\xff])|~(?<=[A-Za-z0-9\x80-\xff]~)~(?=[A-Za-z0-9\x80-\xff])"
    rb"|\\\\{0,8}(?:(?:x1[bB]|u001[bB]|033|e)\[[0-9;?]{0,20}[A-Za-z]"
    rb"|x[0-9a-fA-F]{2}|[0-3][0-7]{2}|u[dD][89abAB][0-9a-fA-F]{2}\\{1,9}u[dD][c-fC-F][0-9a-fA-F]{2}"
    rb"|u[0-9a-fA-F]{4}|u\{[0-9a-fA-F]{1,6}\}|U[0-9a-fA-F]{8})"
    rb"|%(?:25)*[0-9a-fA-F]{2}|&(?:amp;)*(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]{2,8});"
    rb"|\xef[\xbc-\xbf][\x80-\xbf]|\xf0\x9d[\x90-\x9f][\x80-\xbf]"
)


class CodedRun(NamedTuple):
    """What digits may say, where they stand, and how many of them at its beginning say nothing of it."""

    said: bytes
    start: int
    written: bytes
    skipped: int
    is_base64: bool
    is_whole: bool = False  # nobody can tell which of the digits say what

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
            for inner in _said_within(said):
                yield CodedRun(inner, match.start(), match[0], skipped, is_base64=True, is_whole=True)
    for match in HEXADECIMAL.finditer(data):
        digits = _NO_HEXADECIMAL.sub(b"", match[0])
        for skipped in (0, 1):
            part = digits[skipped:]
            said = bytes.fromhex(part[: len(part) // 2 * 2].decode())
            yield CodedRun(said, match.start(), match[0], skipped, is_base64=False)
    for match in _BASE32.finditer(data):
        part = match[0].upper()
        with suppress(ValueError):
            said = base64.b32decode(part[: len(part) - (len(part) % 8 in (1, 3, 6))] + b"=" * (-len(part) % 8))
            yield CodedRun(said, match.start(), match[0], 0, is_base64=True, is_whole=True)


def _said_within(said: bytes) -> Iterator[bytes]:
    """Yield what bytes say that are compressed, or have base64 digits in them."""
    if said.startswith(_COMPRESSED):
        with suppress(zlib.error):
            yield zlib.decompressobj(zlib.MAX_WBITS | 32).decompress(said, _MAX_INFLATED)
    for match in _INNER.finditer(said) if said.isascii() else ():
        digits = match[0].translate(STANDARD)
        digits = digits[: len(digits) - (len(digits) % 4 == 1)]
        yield base64.b64decode(digits + b"=" * (-len(digits) % 4))


class Bare(NamedTuple):
    """Bytes without what wraps their letters, and where each piece of that stood: begin and end, here and there."""

    said: bytes
    pieces: list[tuple[int, int, int, int]]
    outer: Bare | None

    def span(self, first: int, last: int) -> tuple[int, int]:
        """Return where in the bytes stands what is said here from `first` to `last`."""
        start, end = self._before(first, is_end=False), self._before(last, is_end=True)
        return self.outer.span(start, end) if self.outer else (start, end)

    def _before(self, place: int, *, is_end: bool) -> int:
        # What is not seen stands between two places that are one here, and belongs to neither end.
        find, key = (bisect_left, itemgetter(1)) if is_end else (bisect_right, itemgetter(0))
        found = find(self.pieces, place, key=key) - 1
        if is_end and found + 1 < len(self.pieces) and self.pieces[found + 1][0] < place:
            return self.pieces[found + 1][3]
        if found < 0:
            return place
        _, here, start, there = self.pieces[found]
        return there + place - here if place >= here else start


def bare(data: bytes, outer: Bare | None = None) -> Iterator[Bare]:
    """Yield the bytes without what wraps their letters, and where something is still wrapped, once more."""
    said, pieces, end, length = [], list[tuple[int, int, int, int]](), 0, 0
    for match in _WRAPPING.finditer(data):
        letters = _unwrapped(match[0])
        if letters != match[0]:
            length += match.start() - end
            pieces.append((length, length + len(letters), match.start(), match.end()))
            said += [data[end : match.start()], letters]
            end, length = match.end(), length + len(letters)
    if pieces:
        found = Bare(b"".join([*said, data[end:]]), pieces, outer)
        yield found
        # What only shows letters leaves no escape behind.
        if outer is None and any(here != stop for here, stop, _, _ in pieces):
            yield from bare(found.said, found)


def _unwrapped(said: bytes) -> bytes:
    """Return the letters that something stands for, or itself where it stands for nothing."""
    sign, rest = said[:1], said.lstrip(b"\\")
    if sign == b"%" or (rest[:1] == b"x" and len(rest) == 3):
        return bytes.fromhex(said[-2:].decode())
    if sign == b"&":
        meant = html.unescape("&" + said.rpartition(b"amp;")[2].lstrip(b"&").decode())
        return said if meant.startswith("&") else meant.encode("utf-8", "replace")
    if said[0] in b"\xef\xf0" and said != b"\xef\xbb\xbf":
        return unicodedata.normalize("NFKC", said.decode("utf-8", "replace")).encode()
    if sign != b"\\" or b"[" in said:
        return b""
    if rest.isdigit():
        return bytes([int(rest, 8)])
    # Two halves of one letter, or all of one.
    codes = [int(part.strip(b"uU{}\\"), 16) for part in rest.split(b"\\") if part]
    units = b"".join([code.to_bytes(2, "big") for code in codes]) if len(codes) > 1 else b""
    letter = units.decode("utf-16-be", "replace") if units else chr(codes[0]) if codes[0] < 0x110000 else ""
    return letter.encode("utf-8", "replace")


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
