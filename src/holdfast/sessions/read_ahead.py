"""Transcripts read and cleaned ahead of a sweep by a second process, where the machine has a second processor.

Reading a transcript and taking the secrets out of it is most of the work of taking it in, and needs nothing of the
home. The second process is told the transcripts in their order and sends their events, clean; it waits when nobody
takes them, so it holds no more than a pipe does. The sweep does the rest as they come, and reads a few by itself, so
that both have as much to do. Whatever the second process cannot do, and whatever is wrong with a transcript, is left
to the sweep itself, which then reads that one as it would without: what is stored is the same. The second process
keeps nothing, and is ended when the sweep is done.
"""

from __future__ import annotations

import marshal
import os
import select
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import IO, Any

import msgspec

from holdfast import agents
from holdfast.privacy.cleaning import Cleaner
from holdfast.records import Session, SessionEvent

# What ends so tells one session, and changes only with it.
ONE_SESSION = (".jsonl", ".jsonl.zst")
# To start a second process is worth it for so many bytes.
_MIN_BYTES = 20_000_000
_CHARACTERS_TOGETHER, _EVENTS_TOGETHER = 200_000, 500
# The rest of the work on six transcripts takes as long as reading one of them, so the sweep reads that one itself.
_OWN = 6
# Nothing that is read takes so long; whoever is silent for longer never speaks again.
_PATIENCE_SECONDS = 120.0
_LENGTH, _MAX_FRAME = 8, 1 << 31
_FIELDS = tuple(SessionEvent.__annotations__)
# What is left out where it is told as a default stays left out: what is stored is the same to the byte.
_decode = msgspec.msgpack.Decoder(tuple[Session, int, dict[str, str], dict[str, int]]).decode
_PROGRAM = "from holdfast.sessions.read_ahead import serve; serve()"


class NotAhead(Exception):
    """The second process could not read a transcript to its end."""


class CleanReading:
    """A session as the second process reads it: iterate the events, which are clean, and then ask as of a `Reading`."""

    skip: frozenset[str] = frozenset()

    def __init__(self, ahead: ReadAhead, agent: str, path: str) -> None:
        self.agent, self.path = agent, path
        self.offset = 0
        self.facts: dict[str, str] = {}
        self.found: dict[str, int] = {}
        self._ahead = ahead
        self._session: Session | None = None

    def __iter__(self) -> Iterator[SessionEvent]:
        while isinstance(rows := self._ahead.next_frame(), list):
            for row in rows:
                yield SessionEvent(*row)
        if not isinstance(rows, bytes):
            raise NotAhead
        self._session, self.offset, self.facts, self.found = _decode(rows)

    def session(self) -> Session:
        """Return the session, when all events were taken."""
        if self._session is None:
            raise NotAhead
        return self._session


class ReadAhead:
    """The second process, which reads these transcripts, each an agent and a path; `close` ends it."""

    def __init__(self, transcripts: Sequence[tuple[str, str]]) -> None:
        # Without the folder that we stand in: what lies there is no part of the program.
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _PROGRAM],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        self._left = [path for _, path in transcripts][::-1]
        self._is_between = True
        with suppress(OSError):
            _send(self._process.stdin, list(transcripts))

    def reading(self, path: str) -> CleanReading | None:
        """Return the reading of a transcript, if it is the next one; what was left of the one before is passed over."""
        while not self._is_between:
            self.next_frame()
        if not self._left or self._left[-1] != path:
            return None
        self._left.pop()
        self._is_between = False
        told = self.next_frame()
        return CleanReading(self, told, path) if isinstance(told, str) else None

    def next_frame(self) -> Any:
        """Return what the process tells next: an agent, events, or the end of a transcript; None where it failed."""
        told = None
        with suppress(OSError, ValueError, EOFError, TypeError):
            told = _received(self._process.stdout)
        if not isinstance(told, (str, list)):
            self._is_between = True
        return told

    def close(self) -> None:
        """End the process, whatever it does."""
        self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            with suppress(OSError):
                if pipe:
                    pipe.close()
        self._process.wait()


def started_for(transcripts: Sequence[tuple[str, str, int]]) -> ReadAhead | None:
    """Start a second process for these transcripts, each an agent, a path and a size, where that is worth it."""
    told = [(agent, path) for agent, path, _ in transcripts if path.endswith(ONE_SESSION)]
    size = sum(size for _, path, size in transcripts if path.endswith(ONE_SESSION))
    if size < _MIN_BYTES or len(told) < 2 or _processors() < 2:
        return None
    try:
        return ReadAhead([one for place, one in enumerate(told, 1) if place % _OWN])
    except OSError:
        return None


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def serve() -> None:
    """Read the transcripts that are named on standard input, and send them to standard output."""
    out = sys.stdout.buffer
    try:
        for agent, path in _received(sys.stdin.buffer):
            try:
                _tell(agent, path, out)
            except BrokenPipeError:
                raise
            except Exception:
                # The sweep reads it again, and tells what is wrong.
                _send(out, None)
    except (BrokenPipeError, EOFError, KeyboardInterrupt):
        # Nobody reads on, and what is left in the buffer is for nobody.
        os._exit(0)


def _tell(agent: str, path: str, out: IO[bytes]) -> None:
    cleaner = Cleaner()
    for name in [agent] if agent else agents.names():
        if (readings := agents.get(name).read_session(path)) is not None:
            break
    reading = next(iter(readings or ()), None)
    if reading is None:
        _send(out, None)
        return
    _send(out, name)
    rows: list[tuple[object, ...]] = []
    characters = 0
    for event in cleaner.events(reading):
        rows.append(tuple([getattr(event, name) for name in _FIELDS]))
        characters += len(event.text) + len(event.input) + len(event.output)
        if characters >= _CHARACTERS_TOGETHER or len(rows) >= _EVENTS_TOGETHER:
            _send(out, rows)
            rows, characters = [], 0
    _send(out, rows)
    _send(out, msgspec.msgpack.encode((reading.session(), reading.offset, reading.facts, cleaner.found)))


def _send(pipe: IO[bytes] | None, told: Any) -> None:
    if pipe is None:
        return
    data = marshal.dumps(told)
    pipe.write(len(data).to_bytes(_LENGTH, "little"))
    pipe.write(data)
    pipe.flush()


def _received(pipe: IO[bytes] | None) -> Any:
    """Return what was sent next; EOFError where nothing more comes."""
    if pipe is None or not select.select([pipe], [], [], _PATIENCE_SECONDS)[0] or not pipe.peek(1):  # type: ignore[attr-defined]
        raise EOFError
    length = int.from_bytes(pipe.read(_LENGTH), "little")
    data = pipe.read(length) if length < _MAX_FRAME else b""
    if len(data) < length:
        raise EOFError
    # From a process that runs our own code.
    return marshal.loads(data)  # noqa: S302
