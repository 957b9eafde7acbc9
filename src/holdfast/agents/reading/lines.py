"""The files of agents: opened, decoded line by line or as one document, and made short where they are long.

Lines of many megabytes are read in pieces: what is long in them is made short before anything decodes it. A text in
such a line keeps its beginning and its end; base64 becomes its hash and size. So the memory that a line takes does not
grow with it, unless it is long by the number of its texts. All else stays as it is, byte for byte.
"""

from __future__ import annotations

import binascii
import contextlib
import hashlib
import io
import json
import os
import re
from collections.abc import Iterator
from typing import IO, Any

import msgspec

from holdfast.agents.reading.values import writable
from holdfast.base import files

# A line that is longer is not read whole: it counts as malformed.
MAX_LINE = 96 * 2**20
HEAD = 2**16
_BUFFER, _SMALL_BUFFER = 2**20, 2**15
_SNIFFED_LINES, _SNIFFED_BYTES = 40, 4 * 2**20
_BLANK = b"\0\r\n\t "
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
_decode = msgspec.json.Decoder().decode
_members = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_items = msgspec.json.Decoder(list[msgspec.Raw]).decode


def open_plain(path: str, buffer: int = _BUFFER) -> io.BufferedReader:
    """Open a plain file for reading; OSError for anything else, so that a pipe can hang nobody."""
    return io.BufferedReader(io.FileIO(files.open_plain(path, follow=True), "rb"), buffer)


def lines(file: IO[bytes]) -> Iterator[tuple[int, int, bytes]]:
    r"""Yield number (from 1), end offset and bytes of each line that is not blank.

    Lines end with \n only. A last line without it is held back unless it is a whole JSON object, to which nothing can
    be added. Of a line that is longer than LONG what is long in it is made short; of one that is longer than MAX_LINE
    only the beginning is given, which no decoder takes.
    """
    end, number = 0, 0
    most_at_once = min(LONG, MAX_LINE)
    while raw := file.readline(most_at_once):
        number += 1
        end += len(raw)
        if len(raw) == most_at_once and raw[-1:] != b"\n":
            raw, more = shortened(file, raw, MAX_LINE)
            end += more
        if raw[-1:] != b"\n" and (raw.rstrip(b"\0 \t\r")[-1:] != b"}" or decode(raw) is None):
            return
        if raw[:1] == b"{" and raw[-2:] == b"}\n":
            # As nearly all are; a decoder passes over the end of the line.
            yield number, end, raw
            continue
        if raw := without_mark(raw):
            yield number, end, raw


def without_mark(raw: bytes) -> bytes:
    """Return bytes without blanks around them and without the mark of UTF-8 at their beginning."""
    raw = raw.strip(_BLANK)
    return raw[3:].lstrip(_BLANK) if raw[:3] == b"\xef\xbb\xbf" else raw


def decode(raw: bytes) -> dict[str, Any] | None:
    """Return the JSON object in these bytes, or None where there is none."""
    try:
        found = _decode(raw)
    except (ValueError, RecursionError):
        found = decode_broken(raw)
    return found if isinstance(found, dict) else None


def decode_broken(raw: bytes) -> Any:
    """Return what bytes say that are no strict JSON: invalid UTF-8, lone surrogates, NUL runs. None: nothing."""
    raw = raw.replace(b"\0", b"").removeprefix(b"\xef\xbb\xbf")
    try:
        return writable(json.loads(raw.decode("utf-8", "replace"), strict=False))
    except (ValueError, RecursionError):
        return None


def first_records(path: str) -> Iterator[dict[str, Any]]:
    """Yield the first objects in a file, a few, for a look at what it is; none where it cannot be read."""
    try:
        with open_plain(path, _SMALL_BUFFER) as file:
            for number, end, raw in lines(file):
                found = decode(raw)
                if found is not None:
                    yield found
                if number >= _SNIFFED_LINES or end > _SNIFFED_BYTES:
                    return
    except OSError:
        return


def first_record(path: str) -> dict[str, Any]:
    """Return the first object in a file; an empty one where there is none."""
    return next(first_records(path), {})


def files_below(folder: str, *endings: str) -> Iterator[str]:
    """Yield the plain files with these endings in a folder and all below it, sorted; no link is followed."""
    for parent, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            full = os.path.join(parent, name)
            if name.endswith(endings) and os.path.isfile(full) and not os.path.islink(full):
                yield full


def document(path: str, name: str) -> tuple[dict[str, Any], Iterator[dict[str, Any] | None]]:
    """Return a JSON document without its list of this name, and that list, decoded one by one; None is no object."""
    with open_plain(path) as file:
        found = short_document(file, MAX_LINE)
    if found is None:
        return {}, iter((None,))
    raw = without_mark(found)
    try:
        members = _members(raw)
        many = _items(members.pop(name, b"[]"))
        rest = {key: msgspec.json.decode(value) for key, value in members.items()}
    except (ValueError, RecursionError):
        broken = decode_broken(raw)
        rest = broken if isinstance(broken, dict) else {}
        listed = rest.pop(name, None)
        return rest, (
            one if isinstance(one, dict) else None for one in (listed if isinstance(listed, list) else [None])
        )
    return rest, (decode(bytes(one)) for one in many)


def head(path: str, most: int = HEAD) -> bytes:
    """Return the beginning of a plain file, for a look at what it is; nothing where it cannot be read."""
    try:
        with open_plain(path) as file:
            return file.read(most)
    except OSError:
        return b""


def first_line(path: str) -> dict[str, Any] | None:
    """Return the object on the first line that is not blank, None where that line is no object on its own."""
    try:
        with open_plain(path) as file:
            return next((decode(raw) for _, _, raw in lines(file)), None)
    except OSError:
        return None


def small_json(path: str, most: int = 2**22) -> dict[str, Any]:
    """Return the object of a small JSON file beside a transcript; an empty one where it is missing or broken."""
    return decode(head(path, most)) or {}


def small_text(path: str) -> str:
    """Return the text of a small file beside a transcript."""
    return head(path).decode("utf-8", "replace").strip()


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
        # No escape and no character of several bytes is cut in two.
        last = _LAST_SAFE.match(self._head, max(len(self._head) - _WINDOW, 0))
        first = _FIRST_SAFE.search(self._tail, 0, _WINDOW)
        head = bytes(self._head[: last.end()]) if last else b""
        tail = bytes(self._tail[first.end() :]) if first else b""
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
