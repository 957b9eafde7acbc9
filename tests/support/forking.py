"""The program, started at once: forked off a process that has everything loaded, for most of a start is loading.

`Program` stands in for `subprocess.Popen` where the start itself is not what a test is about. Run as a script, this
file is the process that forks; it ends with the process that asked for it.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import pkgutil
import signal
import socket
import subprocess
import sys
import time
import traceback
from contextlib import suppress
from typing import IO, NoReturn

_MAX_MESSAGE = 1 << 18
# What the program loads where it needs it.
_LOADED_LATE = ("mcp.server", "uvicorn", "starlette.applications", "numpy", "rich.console", "anyio._backends._asyncio")
_forker: list[socket.socket] = []


class Program:
    """`holdfast WORDS` as a process; standard input, output and error are descriptors, or PIPE, DEVNULL or STDOUT."""

    def __init__(self, words: list[str], *, env: dict[str, str], cwd: str, stdin: int, stdout: int, stderr: int):
        self.returncode: int | None = None
        pipes = [os.pipe() if given == subprocess.PIPE else None for given in (stdin, stdout, stderr)]
        ends = [pipes[0] and pipes[0][0], *(pipe and pipe[1] for pipe in pipes[1:])]
        nothing = os.open(os.devnull, os.O_RDWR)
        theirs = []
        for given, end in zip((stdin, stdout, stderr), ends, strict=True):
            known = {subprocess.DEVNULL: nothing, subprocess.STDOUT: theirs[1] if len(theirs) > 1 else nothing}
            theirs.append(end if end is not None else known.get(given, given))
        ours, tell = os.pipe()
        asked = json.dumps({"words": words, "environment": env, "folder": os.fspath(cwd)})
        socket.send_fds(_ask(), [asked.encode(errors="surrogateescape")], [*theirs, tell])
        for descriptor in (tell, nothing, *filter(None, ends)):
            os.close(descriptor)
        self._told: IO[bytes] = open(ours, "rb")  # noqa: SIM115
        self.pid = int(self._told.readline())
        self.stdin = open(pipes[0][1], "wb") if pipes[0] else None  # noqa: SIM115
        self.stdout, self.stderr = (open(pipe[0], "rb") if pipe else None for pipe in pipes[1:])  # noqa: SIM115

    def poll(self) -> int | None:
        """Return the exit code, or None while it runs."""
        return self.returncode if os.path.exists(f"/proc/{self.pid}") else self.wait()

    def wait(self, timeout: float = 0) -> int:
        """Wait for its end and return the exit code, or the signal that ended it, negative, as far as is known."""
        until = time.monotonic() + timeout
        if timeout:
            while os.path.exists(f"/proc/{self.pid}"):
                if time.monotonic() > until:
                    raise subprocess.TimeoutExpired("holdfast", timeout)
                time.sleep(0.005)
        if self.returncode is None:
            self.returncode = int(self._told.read() or -signal.SIGKILL)
            self._told.close()
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send it a signal, where it is still there."""
        if self.returncode is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)


def _ask() -> socket.socket:
    """Return the way to the process that forks, which is started once."""
    if not _forker:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        words = [sys.executable, __file__, str(theirs.fileno())]
        forker = subprocess.Popen(words, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL)
        theirs.close()
        _forker.append(ours)
        atexit.register(lambda: (ours.close(), forker.wait()))
    return _forker[0]


def _fork_when_asked(ours: socket.socket) -> None:
    import holdfast
    from holdfast.errors import HoldfastError

    for module in pkgutil.walk_packages(holdfast.__path__, "holdfast."):
        # What is run and not imported.
        if not module.name.startswith("holdfast.benchmarks") and module.name != "holdfast.surfaces.hook.run":
            # What needs a package that is not installed here stays away.
            with suppress(ImportError, HoldfastError):
                importlib.import_module(module.name)
    for name in _LOADED_LATE:
        importlib.import_module(name)
    # What is compiled or put together where it is used first.
    from holdfast.privacy import redact, redact_gate

    redact.redact("password=a1b2c3d4")
    redact_gate.suspects(["password=a1b2c3d4"])
    gc.collect()
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        data, descriptors, _, _ = socket.recv_fds(ours, _MAX_MESSAGE, 4)
        if not data:
            return
        if not os.fork():
            ours.close()
            _be_the_program(**json.loads(data), descriptors=descriptors)
        for descriptor in descriptors:
            os.close(descriptor)


def _be_the_program(words: list[str], environment: dict[str, str], folder: str, descriptors: list[int]) -> NoReturn:
    *streams, tell = descriptors
    os.write(tell, b"%d\n" % os.getpid())
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    code: object = 1
    try:
        for place, descriptor in enumerate(streams):
            os.dup2(descriptor, place)
        for descriptor in {*streams} - {0, 1, 2}:
            os.close(descriptor)
        os.environ.clear()
        os.environ.update(environment)
        os.chdir(folder)
        time.tzset()
        sys.stdin, sys.stdout = open(0, errors="surrogateescape"), open(1, "w")  # noqa: SIM115
        sys.stderr = open(2, "w", errors="backslashreplace", buffering=1)  # noqa: SIM115
        import holdfast.__main__ as program

        sys.argv = [program.__file__, *words]
        program.main()
        code = 0
    except SystemExit as ended:
        code = ended.code
    except BaseException:
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os.write(tell, b"%d" % (code if isinstance(code, int) else bool(code)))
        os._exit(code if isinstance(code, int) else bool(code))


if __name__ == "__main__":
    _fork_when_asked(socket.socket(fileno=int(sys.argv[1])))
