"""The raw file of a session: its cleaned events, one JSON object a line, compressed with Zstandard.

**Form.** Empty fields are left out. The last line is `{"session": {...}, "events": N}`; it is a frame of its own, and
the few bytes behind it say how long it is, so that it is found without reading the rest. Programs for Zstandard read
the file as a whole and pass over these bytes.

**Identity.** A file is written beside its place and renamed when it is whole and durable. Its time is the end of the
session; the digits below a millisecond are a checksum, so that two versions of a session have different times.

**Loss.** A file that is cut or damaged gives what can be read, and then says what is wrong.
"""

from __future__ import annotations

import contextlib
import functools
import io
import os
import struct
import time
import zlib
from datetime import datetime
from operator import attrgetter
from typing import IO, TYPE_CHECKING, Any, get_type_hints

import msgspec
import zstandard

from holdfast.errors import BrokenFile, HoldfastError, NotFound
from holdfast.records import Problem, Session, SessionEvent, asdict
from holdfast.store import files

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType

# Level 3 takes half as long again and saves a twentieth of the bytes.
_LEVEL = 1
_MOST_TEXT = 1_000_000
_MOST_EVENTS = 1_000
_MOST_LINE = 64 * 2**20
_MOST_LAST = 4 * 2**20
_LARGEST_WINDOW = 2**24
_BUFFER = 2**18
_MILLISECOND = 1_000_000
# A frame that readers of Zstandard pass over: its magic number, its length, and how long the frame before it is.
_TRAILER = struct.Struct("<IIQ")
_TRAILER_MAGIC, _TRAILER_LENGTH = 0x184D2A5A, 8

_NAMES = tuple(SessionEvent.__annotations__)
_BLANK = SessionEvent(0, "")
# A twin of the record that msgspec writes and reads at its own speed.
_Line = msgspec.defstruct(
    "_Line",
    [(name, type(getattr(_BLANK, name)), getattr(_BLANK, name)) for name in _NAMES],
    omit_defaults=True,
    gc=False,
)
_values = attrgetter(*_NAMES)
_encode_lines = msgspec.json.Encoder().encode_lines
_types_of = functools.cache(get_type_hints)
_decode_event = msgspec.json.Decoder(_Line).decode
_decode_object = msgspec.json.Decoder(dict[str, Any]).decode
_LAST_LINE = b'{"session":'


class RawWriter:
    """A raw file in the making. Unless `keep` is called, it goes without a trace when the `with` block ends.

    `events` counts what was added, `bytes` what was written. `kept_earlier`: the session told more before than now, so
    what it told then was kept beside it.
    """

    def __init__(self, folder: str, place: Callable[[Session], tuple[str, str]]) -> None:
        self.events = 0
        self.bytes = 0
        self.kept_earlier = False
        self._folder = folder
        self._place = place
        self._waiting: list[Any] = []
        self._characters = 0
        self._checksum = 0
        self._temporary = ""
        self._file: IO[bytes] | None = None
        self._frame = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True).compressobj()

    def __enter__(self) -> RawWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._discard()

    def add(self, event: SessionEvent) -> None:
        """Take one event, the next in order."""
        self.events += 1
        self._waiting.append(_Line(*_values(event)))
        self._characters += len(event.text) + len(event.output) + len(event.input)
        if self._characters > _MOST_TEXT or len(self._waiting) >= _MOST_EVENTS:
            self._pass_on()

    def keep(self, session: Session) -> None:
        """Make it durable as the raw file of this session, in place of the one that was there."""
        path, earlier = self._place(session)
        self._pass_on()
        self._write(self._frame.flush())
        last = _lines([{"session": asdict(session), "events": self.events}])
        frame = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True).compress(last)
        self._write(frame + _TRAILER.pack(_TRAILER_MAGIC, _TRAILER_LENGTH, len(frame)))
        try:
            self._settle(path, earlier, ended_at(session) + self._checksum % _MILLISECOND)
        except OSError as problem:
            raise files.unavailable(problem, path) from problem

    def _pass_on(self) -> None:
        if self._waiting:
            self._write(self._frame.compress(_lines(self._waiting)))
            self._waiting.clear()
            self._characters = 0

    def _write(self, data: bytes) -> None:
        if not data:
            return
        try:
            self._opened().write(data)
        except OSError as problem:
            raise files.unavailable(problem, self._folder) from problem
        self.bytes += len(data)
        self._checksum = zlib.crc32(data, self._checksum)

    def _opened(self) -> IO[bytes]:
        if self._file is None:
            files.make_folder(self._folder)
            self._temporary = _temporary_in(self._folder)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            self._file = os.fdopen(os.open(self._temporary, flags, files.FILE_MODE), "wb", _BUFFER)
        return self._file

    def _settle(self, path: str, earlier: str, at: int) -> None:
        files.refuse_link(path)
        files.make_folder(os.path.dirname(path))
        file = self._opened()
        file.flush()
        os.utime(file.fileno(), ns=(at, at))
        os.fsync(file.fileno())
        before = stored_events(path)
        if before > self.events and before > stored_events(earlier):
            self._set_aside(path, earlier)
        os.rename(self._temporary, path)
        self._temporary = ""
        files.sync_folder(os.path.dirname(path))

    def _set_aside(self, path: str, earlier: str) -> None:
        """Keep the longer file that was there under its other name; it has its own name too until it is replaced."""
        files.refuse_link(earlier)
        link = _temporary_in(self._folder)
        os.link(path, link, follow_symlinks=False)
        os.rename(link, earlier)
        self.kept_earlier = True

    def _discard(self) -> None:
        with contextlib.suppress(OSError):
            if self._file is not None:
                self._file.close()
        with contextlib.suppress(OSError):
            if self._temporary:
                os.unlink(self._temporary)
        self._temporary = ""


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
        for number, line in enumerate(self._lines(), 1):
            self.last_line = line if line.startswith(_LAST_LINE) else b""
            event = None if self.last_line else self._event(line, number)
            if event is not None:
                yield event
        if not self.last_line:
            self._tell("it ends before the session does")

    def _lines(self) -> Iterator[bytes]:
        """Yield the lines as far as the file can be read; a line that is cut or endless is the end."""
        try:
            with _open(self._path) as file, io.BufferedReader(_decompressing(file), _BUFFER) as stream:
                while (line := stream.readline(_MOST_LINE)).endswith(b"\n"):
                    yield line
        except (zstandard.ZstdError, OSError, HoldfastError) as problem:
            self._tell(f"it cannot be read to its end: {problem}")

    def _event(self, line: bytes, number: int) -> SessionEvent | None:
        try:
            return SessionEvent(*msgspec.structs.astuple(_decode_event(line)))
        except (ValueError, RecursionError) as problem:
            self._tell(f"not an event: {problem}", number)
            return None

    def _tell(self, text: str, line: int = 0) -> None:
        """Keep the first problem: what follows is mostly its consequence."""
        hint = "It is written anew when the agent's own transcript changes; its digest is not touched."
        self.problem = self.problem or Problem("raw-session", self._path, text, hint, line)


def session_in(path: str) -> Session:
    """Return the session that the raw file tells, or raise NotFound or BrokenFile."""
    try:
        session: Session = _record(Session, _decode_object(_last_line(path))["session"])
        return session
    except (ValueError, KeyError, TypeError, RecursionError) as problem:
        raise BrokenFile(f"{path} does not tell its session: {problem}", "Its digest is not touched.") from problem


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
            if (magic, length) == (_TRAILER_MAGIC, _TRAILER_LENGTH) and frame <= min(size - len(trailer), _MOST_LAST):
                file.seek(size - len(trailer) - frame)
                return _unpacked(file.read(frame))
    everything = RawEvents(path)
    for _ in everything:
        continue
    return everything.last_line


def _unpacked(frame: bytes) -> bytes:
    decompressor = zstandard.ZstdDecompressor(max_window_size=_LARGEST_WINDOW)
    try:
        return decompressor.decompress(frame, max_output_size=_MOST_LAST)
    except zstandard.ZstdError as problem:
        raise ValueError(str(problem)) from problem


def _record(kind: Any, given: Any) -> Any:
    """Return a record of this kind; fields of a newer version are passed over, missing ones are empty."""
    known = {
        name: msgspec.convert(given[name], wanted, dec_hook=_record)
        for name, wanted in _types_of(kind).items()
        if name in given
    }
    return kind(**known)


def _open(path: str) -> IO[bytes]:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise NotFound(f"{path} does not exist") from None
    except OSError as problem:
        raise files.unavailable(problem, path) from problem
    return os.fdopen(descriptor, "rb", 0)


def _decompressing(file: IO[bytes]) -> Any:
    decompressor = zstandard.ZstdDecompressor(max_window_size=_LARGEST_WINDOW)
    return decompressor.stream_reader(file, read_size=_BUFFER, read_across_frames=True, closefd=False)


def _lines(waiting: list[Any]) -> bytes:
    try:
        return _encode_lines(waiting)
    except UnicodeError:
        return _encode_lines([_writable(msgspec.to_builtins(one)) for one in waiting])


def _writable(value: Any) -> Any:
    """Return the value with what no UTF-8 and no JSON can say replaced."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, dict):
        return {name: _writable(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_writable(one) for one in value]
    return value


def _temporary_in(folder: str) -> str:
    return os.path.join(folder, f"{files.TEMPORARY}{os.getpid()}-{os.urandom(4).hex()}")
