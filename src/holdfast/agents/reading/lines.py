"""The files of agents: opened, decoded line by line or as one document, and made short where they are long.

In a line of many megabytes what is long is made short before anything decodes it. A text keeps its beginning and its
end; base64 becomes its hash and size; all else stays as it is, byte for byte. So a line is held once, as its bytes, and
never again as what they say, unless it is long by the number of its texts.
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
_BACKSLASH = 92
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
            # The usual case; a decoder skips the line end itself.
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


def files_below(folder: str, *endings: str, passed_over: list[str] | None = None) -> Iterator[str]:
    """Yield the plain files with these endings in a folder and all below it, sorted; no link is followed.

    What has such a name and is no plain file, and folders that are links, are added to `passed_over`.
    """
    odd = [] if passed_over is None else passed_over
    for parent, folders, names in os.walk(folder):
        folders.sort()
        whole = [os.path.join(parent, name) for name in folders]
        odd += [full for full in whole if full.endswith(endings) or os.path.islink(full)]
        for full in [os.path.join(parent, name) for name in sorted(names) if name.endswith(endings)]:
            if os.path.isfile(full) and not os.path.islink(full):
                yield full
            else:
                odd.append(full)


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
    line, size, piece = bytearray(first), 0, first
    while piece[-1:] != b"\n" and (piece := file.readline(_PIECE)):
        size += len(piece)
        if len(first) + size <= most:
            line += piece
    if len(first) + size > most:
        return first[:64] + (b"\n" if piece else b""), size
    return _with_short_texts(line), size


def short_document(file: IO[bytes], most: int) -> bytes | None:
    """Return all that a file has, with its long texts made short where it is long itself; None for more than `most`."""
    raw = file.read(LONG)
    if len(raw) < LONG:
        return raw
    whole = bytearray(raw)
    while raw := file.read(_PIECE):
        whole += raw
        if len(whole) > most:
            return None
    return _with_short_texts(whole)


def _with_short_texts(raw: bytearray) -> bytes:
    """Return JSON of which each long text is short; all else is as it was, byte for byte."""
    pieces: list[bytes] = []
    done, end = 0, -1
    while (start := raw.find(b'"', end + 1) + 1) and (end := _end_of_text(raw, start)) >= 0:
        if end - start > _HEAD + 4 * _TAIL:
            pieces += [bytes(raw[done:start]), _stub(raw, start, end) or _ends(raw, start, end)]
            done = end
    return b"".join([*pieces, raw[done:]])


def _end_of_text(raw: bytearray, at: int) -> int:
    """Return where the quote stands that ends the text which begins here; -1 where none does."""
    end = raw.find(b'"', at)
    while end >= 0:
        before = end
        while raw[before - 1] == _BACKSLASH:
            before -= 1
        if (end - before) % 2 == 0:
            return end
        end = raw.find(b'"', end + 1)
    return -1


def _ends(raw: bytearray, start: int, end: int) -> bytes:
    """Return the beginning and the end of a text; no escape and no character of several bytes is cut in two."""
    last = _LAST_SAFE.match(raw, max(start + _HEAD - _WINDOW, start), start + _HEAD)
    first = _FIRST_SAFE.search(raw, end - _TAIL, end - _TAIL + _WINDOW)
    head = bytes(raw[start : last.end()]) if last else b""
    tail = bytes(raw[first.end() : end]) if first else b""
    return head + b"[... %d bytes cut ...]" % (end - start - len(head) - len(tail)) + tail


def _stub(raw: bytearray, start: int, end: int) -> bytes:
    """Return what stands for a text that is base64, hash and size of the bytes; nothing for any other."""
    uri = _DATA_URI.match(raw, start, end)
    digest, size, waiting = hashlib.sha256(), 0, b""
    for at in range(uri.end() if uri else start, end, _PIECE):
        piece = waiting + raw[at : min(at + _PIECE, end)].replace(b"\\/", b"/")
        if piece.translate(None, _LETTERS):
            return b""
        # Four letters make three bytes.
        whole = len(piece) - len(piece) % 4 if at + _PIECE < end else len(piece)
        data, waiting = piece[:whole], piece[whole:]
        with contextlib.suppress(ValueError):
            # Letters that do not decode stand for themselves.
            data = binascii.a2b_base64(data.translate(_URL_SAFE))
        digest.update(data)
        size += len(data)
    return f"[image sha256:{digest.hexdigest()[:12]} {size} bytes]".encode()
