"""The raw file of a session: its cleaned events, one JSON object a line, compressed with Zstandard.

**Form.** Empty fields are left out. The last line is `{"session": {...}, "events": N}`; it is a frame of its own, and
the few bytes behind it say how long it is, so that it is found without reading the rest. Programs for Zstandard read
the file as a whole and pass over these bytes.

**Identity.** A file is written beside its place and renamed when it is whole and durable. Its time is the end of the
session; the digits below a millisecond are a checksum, so that two versions of a session have different times.

**Loss.** A file that is cut or damaged gives what can be read, and then says what is wrong.
"""

from __future__ import annotations

import io
import json
import os
import struct
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import IO, Any

import msgspec
import zstandard

from holdfast.base import files
from holdfast.base.pending_file import PendingFile
from holdfast.errors import BrokenFile, HoldfastError, NotFound
from holdfast.records import Problem, Session, SessionEvent

# Level 3 takes half as long again and saves a twentieth of the bytes.
_LEVEL = 1
_MAX_TEXT = 1_000_000
_MAX_EVENTS = 1_000
_MAX_LINE = 64 * 2**20
_MAX_LAST = 4 * 2**20
_LARGEST_WINDOW = 2**24
_BUFFER = 2**18
_MILLISECOND = 1_000_000
# A frame that readers of Zstandard pass over: its magic number, its length, and how long the frame before it is.
_TRAILER = struct.Struct("<IIQ")
_TRAILER_MAGIC, _TRAILER_LENGTH = 0x184D2A5A, 8

_encode_lines = msgspec.json.Encoder().encode_lines
_decode_event = msgspec.json.Decoder(SessionEvent).decode
_decode_object = msgspec.json.Decoder(dict[str, Any]).decode
_LAST_LINE = b'{"session":'
_of_thread = threading.local()


class RawWriter:
    """A raw file in the making. Unless `keep` is called, it goes without a trace when the `with` block ends.

    `events` counts what was added, `bytes` what was written. `kept_earlier`: the session told more before than now, so
    what it told then was kept beside it.
    """

    def __init__(self, folder: str, place: Callable[[Session], tuple[str, str]]) -> None:
        self.events = 0
        self.bytes = 0
        self.at = 0
        self.kept_earlier = False
        self._place = place
        self._waiting: list[SessionEvent] = []
        self._characters = 0
        self._checksum = 0
        self._file = PendingFile(folder)
        self._session: Session | None = None
        self._frame: Any = None

    def __enter__(self) -> RawWriter:
        return self

    def __exit__(self, *problem: object) -> None:
        self._file.discard()

    def add(self, event: SessionEvent) -> None:
        """Take one event, the next in order."""
        self.events += 1
        self._waiting.append(event)
        self._characters += len(event.text) + len(event.output) + len(event.input)
        if self._characters > _MAX_TEXT or len(self._waiting) >= _MAX_EVENTS:
            self._pass_on()

    def keep(self, session: Session) -> None:
        """Make it durable as the raw file of this session, in place of the one that was there."""
        self.finish(session)
        self.sync()
        files.sync_folder(self.settle())

    def finish(self, session: Session) -> None:
        """Write the rest. It waits for `sync` and `settle`; `at` is the time that the file has."""
        self._session = session
        ends = self._ended()
        frame = _compressor().compress(_lines([{"session": session, "events": self.events}]))
        self._write(ends + frame + _TRAILER.pack(_TRAILER_MAGIC, _TRAILER_LENGTH, len(frame)))
        self.at = ended_at(session) + self._checksum % _MILLISECOND
        self._file.close(self.at)

    def sync(self) -> None:
        """Wait until what was finished would survive a power cut."""
        self._file.sync()

    def settle(self) -> str:
        """Put it in its place; return the folder, whose names are not durable yet."""
        assert self._session is not None
        path, earlier = self._place(self._session)
        files.refuse_link(path)
        folder = os.path.dirname(path)
        try:
            before = stored_events(path)
            if before > self.events and before > stored_events(earlier):
                self._set_aside(path, earlier)
        except OSError as problem:
            raise files.unavailable(problem, path) from problem
        self._file.settle(path)
        return folder

    def _ended(self) -> bytes:
        """Return the end of the frame of events. Most sessions come at once, which takes less time than in parts."""
        if self._frame is None:
            return _compressor().compress(_lines(self._waiting))
        self._pass_on()
        return bytes(self._frame.flush())

    def _pass_on(self) -> None:
        if self._frame is None:
            self._frame = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True).compressobj()
        if self._waiting:
            self._write(self._frame.compress(_lines(self._waiting)))
            self._waiting.clear()
            self._characters = 0

    def _write(self, data: bytes) -> None:
        if data:
            self._file.write(data)
            self.bytes += len(data)
            self._checksum = zlib.crc32(data, self._checksum)

    def _set_aside(self, path: str, earlier: str) -> None:
        """Keep the longer file that was there under its other name; it has its own name too until it is replaced."""
        files.refuse_link(earlier)
        link = files.temporary_in(os.path.dirname(path))
        os.link(path, link, follow_symlinks=False)
        os.rename(link, earlier)
        self.kept_earlier = True


class RawEvents:
    """The events of a raw file, read once and in order.

    Then `problem` says what could not be read, if anything, and `last_line` is the line that tells the session.
    """

    def __init__(self, path: str) -> None:
        self.problem: Problem | None = None
        self.last_line = b""
        self._path = path
        _open(path).close()
        self._events = self._walk()

    def __iter__(self) -> Iterator[SessionEvent]:
        return self._events

    def __next__(self) -> SessionEvent:
        return next(self._events)

    def _walk(self) -> Iterator[SessionEvent]:
        for number, line in enumerate(self.lines(), 1):
            self.last_line = line if line.startswith(_LAST_LINE) else b""
            if self.last_line:
                continue
            try:
                yield _decode_event(line)
            except (ValueError, RecursionError) as problem:
                self._tell(f"not an event: {problem}", number)
        if not self.last_line:
            self._tell("it ends before the session does")

    def lines(self) -> Iterator[bytes]:
        """Yield the lines as far as the file can be read; a line that is cut or endless is the end."""
        try:
            with _open(self._path) as file:
                whole = _decompressor().stream_reader(file, read_size=_BUFFER, read_across_frames=True, closefd=False)
                with io.BufferedReader(whole, _BUFFER) as stream:
                    while (line := stream.readline(_MAX_LINE)).endswith(b"\n"):
                        yield line
        except (zstandard.ZstdError, OSError, HoldfastError) as problem:
            self._tell(f"it cannot be read to its end: {problem}")

    def _tell(self, text: str, line: int = 0) -> None:
        """Keep the first problem: what follows is mostly its consequence."""
        hint = "It is written again when the agent's own transcript changes; its digest is not touched."
        self.problem = self.problem or Problem("raw-session", self._path, text, hint, line)


def lines_of(path: str) -> Iterator[bytes]:
    """Yield the lines of a raw file as they are written, the last of them too; what is damaged ends them."""
    return RawEvents(path).lines()


def rewrite(path: str, clean: Callable[[bytes], bytes]) -> None:
    """Write a raw file again with each line as `clean` returns it. Its time stays: it is still that of its digest."""
    at = os.stat(path).st_mtime_ns
    pending = PendingFile(os.path.dirname(path), make_folder=False)
    try:
        frame = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True).compressobj()
        last = b""
        for line in lines_of(path):
            if last:
                pending.write(frame.compress(last))
            last = clean(line)
        if not last.startswith(_LAST_LINE):
            pending.write(frame.compress(last) + frame.flush())
        else:
            ends = _compressor().compress(last)
            pending.write(frame.flush() + ends + _TRAILER.pack(_TRAILER_MAGIC, _TRAILER_LENGTH, len(ends)))
        pending.close(at)
        pending.sync()
        pending.settle(path)
    finally:
        pending.discard()
    files.sync_folder(os.path.dirname(path))


def session_in(path: str) -> Session:
    """Return the session that the raw file tells, or raise NotFound or BrokenFile."""
    try:
        return msgspec.convert(_decode_object(_last_line(path))["session"], Session)
    except (ValueError, KeyError, TypeError, RecursionError) as problem:
        raise BrokenFile(
            f"{path} does not say which session it is of: {problem}", "Its digest is not touched."
        ) from problem


def stored_events(path: str) -> int:
    """Return how many events the raw file has; -1 where there is none or it does not say."""
    try:
        told = _decode_object(_last_line(path)).get("events")
    except (HoldfastError, ValueError, RecursionError):
        return -1
    return told if isinstance(told, int) else -1


def ended_at(session: Session) -> int:
    """Return when a session ended, in nanoseconds and whole milliseconds; now where it does not say, or not truly."""
    now = time.time_ns() // _MILLISECOND
    for told in (session.ended, session.started):
        try:
            at = round(datetime.fromisoformat(told).timestamp() * 1_000)
        except (ValueError, OverflowError):
            continue
        if 0 < at <= now:
            return at * _MILLISECOND
    return now * _MILLISECOND


def _last_line(path: str) -> bytes:
    """Return the last line, found by what stands behind it, or else by reading the whole file."""
    with _open(path) as file:
        size = os.fstat(file.fileno()).st_size
        file.seek(max(0, size - _TRAILER.size))
        trailer = file.read(_TRAILER.size)
        if len(trailer) == _TRAILER.size:
            magic, length, frame = _TRAILER.unpack(trailer)
            if (magic, length) == (_TRAILER_MAGIC, _TRAILER_LENGTH) and frame <= min(size - len(trailer), _MAX_LAST):
                file.seek(size - len(trailer) - frame)
                try:
                    return _decompressor().decompress(file.read(frame), max_output_size=_MAX_LAST)
                except zstandard.ZstdError as problem:
                    raise ValueError(str(problem)) from problem
    everything = RawEvents(path)
    for _ in everything:
        continue
    return everything.last_line


def _open(path: str) -> IO[bytes]:
    try:
        return os.fdopen(files.open_plain(path), "rb", 0)
    except FileNotFoundError:
        raise NotFound(f"{path} does not exist") from None
    except OSError as problem:
        raise files.unavailable(problem, path) from problem


def _decompressor() -> zstandard.ZstdDecompressor:
    return zstandard.ZstdDecompressor(max_window_size=_LARGEST_WINDOW)


def _compressor() -> zstandard.ZstdCompressor:
    """Return the compressor of this thread: to make one takes as long as to compress a small session."""
    if not hasattr(_of_thread, "compressor"):
        _of_thread.compressor = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True)
    found: zstandard.ZstdCompressor = _of_thread.compressor
    return found


def _lines(waiting: list[Any]) -> bytes:
    try:
        return _encode_lines(waiting)
    except UnicodeError:
        # What no UTF-8 can say is a question mark.
        told = [json.dumps(msgspec.to_builtins(one), ensure_ascii=False, separators=(",", ":")) for one in waiting]
        return "".join(f"{one}\n" for one in told).encode("utf-8", "replace")
