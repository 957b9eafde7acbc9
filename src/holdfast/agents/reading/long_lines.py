"""Lines of many megabytes, read in pieces: what is long in them is made short before anything decodes it.

A text in such a line keeps its beginning and its end; base64 becomes its hash and size. So the memory that a line
takes does not grow with it, unless it is long by the number of its texts. All else stays as it is, byte for byte.
"""

from __future__ import annotations

import binascii
import contextlib
import hashlib
import re
from typing import IO

# Lines up to this length are taken as they are.
LONG = 4 * 2**20
_PIECE = 2**20
_HEAD = 2**20
_TAIL = 2**19
# So much of a text must be there to say what it is.
_BEGINNING = 128
_INSIDE = re.compile(rb'(?:[^"\\]++|\\.)*+', re.DOTALL)
_LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_="
_DATA_URI = re.compile(rb"data:[\w.+-]+/[\w.+-]+(?:;[\w.=+-]+)*;base64,")
_URL_SAFE = bytes.maketrans(b"-_", b"+/")
# An escape is six bytes long at most: behind so many without one none is going on, and a plain letter begins; or one
# escape has just ended and the next begins.
_SAFE = rb"(?:[^\\]{6}(?=[\x00-\x7f])|\\u[0-9a-fA-F]{4}(?=\\u))"
_FIRST_SAFE = re.compile(_SAFE)
_LAST_SAFE = re.compile(rb".*" + _SAFE, re.DOTALL)
_WINDOW = 1_024


def shortened(file: IO[bytes], first: bytes, most: int) -> tuple[bytes, int]:
    """Return the line that begins with these bytes, with its long texts made short, and how many bytes were read on.

    Of a line that is longer than `most` only the beginning is returned. The line ends with \\n if the file has its end.
    """
    line = _Line()
    line.take(first)
    size, piece = 0, first
    while piece[-1:] != b"\n":
        piece = file.readline(_PIECE)
        if not piece:
            break
        size += len(piece)
        if len(first) + size <= most:
            line.take(piece)
    if len(first) + size > most:
        return first[:64] + (b"\n" if piece else b""), size
    return line.end(), size


def short_document(file: IO[bytes], most: int) -> bytes | None:
    """Return all that a file has, with its long texts made short where it is long itself; None for more than `most`."""
    raw = file.read(LONG)
    if len(raw) < LONG:
        return raw
    document, size = _Line(), len(raw)
    while raw:
        document.take(raw)
        raw = file.read(_PIECE)
        size += len(raw)
        if size > most:
            return None
    return document.end()


class _Line:
    """A line of JSON, or a document of several, being made short."""

    def __init__(self) -> None:
        self._kept = bytearray()
        self._text: _Text | None = None
        self._before = b""

    def take(self, piece: bytes) -> None:
        """Take the next bytes of the line."""
        piece, self._before = self._before + piece, b""
        at = 0
        while at < len(piece):
            if self._text is None:
                quote = piece.find(b'"', at) + 1
                self._kept += piece[at : quote or len(piece)]
                self._text = _Text() if quote else None
                at = quote or len(piece)
                continue
            end = _end_of_text(piece, at)
            self._text.take(piece[at:end])
            at = end
            if piece[at : at + 1] == b"\\":
                # An escape that goes on in the next piece.
                self._before = piece[at:]
                return
            if at < len(piece):
                self._kept += self._text.end()
                self._text = None

    def end(self) -> bytes:
        """Return the line, as far as it came."""
        if self._text is not None:
            self._kept += self._text.end()
        return bytes(self._kept + self._before)


def _end_of_text(piece: bytes, at: int) -> int:
    """Return where the text that goes on here ends: at its quote, at half an escape, or with the piece."""
    end = piece.find(b'"', at)
    end = len(piece) if end < 0 else end
    if piece.find(b"\\", at, end) < 0:
        return end
    found = _INSIDE.match(piece, at)
    return found.end() if found else at


class _Text:
    """A text within a line, between its quotes and with its escapes."""

    def __init__(self) -> None:
        self._head = bytearray()
        self._tail = bytearray()
        self._size = 0
        self._data: _Data | None = None

    def take(self, piece: bytes) -> None:
        """Take the next bytes of the text."""
        before, self._size = self._size, self._size + len(piece)
        room = max(_HEAD - len(self._head), 0)
        self._head += piece[:room]
        self._tail += piece[room:]
        if before >= _BEGINNING and self._data is not None:
            self._data.take(piece)
        elif before < _BEGINNING <= self._size:
            so_far = bytes(self._head + self._tail)
            uri = _DATA_URI.match(so_far)
            self._data = _Data()
            self._data.take(so_far[uri.end() if uri else 0 :])
        if self._data is not None and self._data.is_other:
            self._data = None
        if len(self._tail) > 4 * _TAIL:
            del self._tail[:-_TAIL]

    def end(self) -> bytes:
        """Return the text, short."""
        if self._size == len(self._head) + len(self._tail):
            return bytes(self._head + self._tail)
        if self._data is not None:
            return self._data.stub()
        head, tail = _whole_end(self._head), _whole_beginning(self._tail)
        return head + b"[... %d bytes cut ...]" % (self._size - len(head) - len(tail)) + tail


class _Data:
    """Base64 being hashed; `is_other` when it is none."""

    def __init__(self) -> None:
        self.is_other = False
        self._digest = hashlib.sha256()
        self._size = 0
        self._waiting = b""

    def take(self, piece: bytes) -> None:
        """Take the next bytes of it."""
        piece = self._waiting + piece.replace(b"\\/", b"/")
        if piece.translate(None, _LETTERS):
            self.is_other = True
            return
        # Four letters make three bytes.
        whole = len(piece) - len(piece) % 4
        self._waiting = piece[whole:]
        self._hash(piece[:whole])

    def _hash(self, piece: bytes) -> None:
        with contextlib.suppress(ValueError):
            # Letters that make no bytes stand for themselves.
            piece = binascii.a2b_base64(piece.translate(_URL_SAFE))
        self._digest.update(piece)
        self._size += len(piece)

    def stub(self) -> bytes:
        """Return what stands for it: hash and size of the bytes."""
        self._hash(self._waiting)
        return f"[image sha256:{self._digest.hexdigest()[:12]} {self._size} bytes]".encode()


def _whole_end(text: bytearray) -> bytes:
    """Return the text up to the last place where no escape and no character of several bytes is cut."""
    window = max(len(text) - _WINDOW, 0)
    found = _LAST_SAFE.match(text, window)
    return bytes(text[: found.end()]) if found else b""


def _whole_beginning(text: bytearray) -> bytes:
    """Return the text from the first such place on."""
    found = _FIRST_SAFE.search(text, 0, _WINDOW)
    return bytes(text[found.end() :]) if found else b""
