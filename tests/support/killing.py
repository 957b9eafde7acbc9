"""Kill -9 in the middle of work, at a step and not at a time, so that a busy machine changes nothing.

A step is a call that opens, writes or changes a file. `steps_of` counts those of some work in a child process;
`killed_at` runs the work in a child that is killed before or after one of them. Both fork, so that everything is
loaded already; they are called in a process of their own, which a test starts with `run_script`.
"""

from __future__ import annotations

import builtins
import importlib
import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

HERE = str(Path(__file__).parent.parent)
STEPS = (
    *("open", "write", "pwrite", "writev", "fsync", "fdatasync", "replace", "rename", "link", "symlink", "unlink"),
    *("remove", "mkdir", "rmdir", "truncate", "ftruncate", "chmod", "fchmod", "utime"),
)
SECONDS = 600


class _Counter:
    """Counts steps, and kills this process at one of them: an even one before it is done, an odd one afterwards."""

    def __init__(self, last: int) -> None:
        self.steps, self.last = 0, last

    def around(self, call: Callable[..., object]) -> Callable[..., object]:
        def step(*arguments: object, **named: object) -> object:
            self.steps += 1
            if self._is_over and self.last % 2 == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            answer = call(*arguments, **named)
            if self._is_over:
                os.kill(os.getpid(), signal.SIGKILL)
            return answer

        return step

    @property
    def _is_over(self) -> bool:
        # Two threads that count at once may pass the last step without either of them standing at it.
        return 0 < self.last <= self.steps

    def watch(self) -> None:
        for name in STEPS:
            setattr(os, name, self.around(getattr(os, name)))
        builtins.open = self.around(builtins.open)  # type: ignore[assignment]


def _in_child(act: Callable[[], object], last: int) -> tuple[bool, int]:
    """Run the work in a child; return whether it was killed, and how many steps it said that it took."""
    heard, tell = os.pipe()
    say = os.write
    child = os.fork()
    if not child:
        code = 1
        try:
            counter = _Counter(last)
            counter.watch()
            act()
            say(tell, str(counter.steps).encode())
            code = 0
        finally:
            os._exit(code)
    os.close(tell)
    with open(heard, "rb") as pipe:
        said = pipe.read()
    status = os.waitpid(child, 0)[1]
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0, "the work failed by itself"
    return os.WIFSIGNALED(status), int(said or 0)


def steps_of(act: Callable[[], object]) -> int:
    """Let the work come to its end in a child, and return how many steps it takes."""
    return _in_child(act, 0)[1]


def killed_at(step: int, act: Callable[[], object]) -> bool:
    """Kill the work at one of its steps; return False where it came to its end before."""
    return _in_child(act, step)[0]


def load_what(act: Callable[[], object]) -> None:
    """Let the work come to its end in a child, and load here what it has loaded there: no later child has to."""
    heard, tell = os.pipe()
    child = os.fork()
    if not child:
        act()
        with open(tell, "w") as pipe:
            pipe.write("\n".join(name for name in sys.modules if name.startswith("holdfast.")))
        os._exit(0)
    os.close(tell)
    with open(heard) as pipe:
        names = pipe.read().split()
    assert os.waitpid(child, 0)[1] == 0, "the work failed by itself"
    for name in names:
        importlib.import_module(name)


def kills_in(work: Callable[[int, Callable[[str], None]], object], said: str, most: int, steps: int, seed: int) -> int:
    """Kill work that has no end, each time within so many steps, until it has begun `most` turns; return the kills.

    The work gets the turn to go on after, and a function by which it says `try TURN ...` before a turn and `ack TURN`
    after it. What it says stands in the file `said`, a line each, and outlives it.
    """
    chance, kills, turn = random.Random(seed), 0, 0
    descriptor = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def say(text: str) -> None:
        os.write(descriptor, f"{text}\n".encode())

    while turn < most:
        assert killed_at(chance.randrange(1, steps), lambda after=turn: work(after, say)), "it came to an end"
        kills += 1
        begun = [line.split() for line in Path(said).read_text().splitlines() if line.startswith("try ")]
        turn = max((int(words[1]) for words in begun), default=0)
    return kills


def run_script(code: str, *words: str, environment: dict[str, str] | None = None) -> str:
    """Run a script that kills its own children, with this module at hand, and return what it printed."""
    given = {**(os.environ if environment is None else environment)}
    given["PYTHONPATH"] = os.pathsep.join(filter(None, [HERE, given.get("PYTHONPATH", "")]))
    ended = subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, text=True, env=given, check=False, timeout=SECONDS
    )
    assert ended.returncode == 0, f"{words}\n{ended.stderr[-3000:]}"
    return ended.stdout
