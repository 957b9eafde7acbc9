"""A real hook: the file that an agent's config names, in a process of its own, as the agent would run it."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.surfaces import hook as package
from holdfast.surfaces.hook import main
from support.killing import run_script
from support.places import AGELESS

RUNNER = str(Path(package.__file__).parent / "run.py")
PYTHON = os.path.abspath(sys.executable)
HOST = {"CLAUDECODE": "1"}
# A hook that is over its time says nothing. On a busy machine that would be any hook, so these have plenty.
PATIENT_MS = "60000"
# Kills hooks of prompts, each at a later step of its work, and prints what stood in a file after each of them.
KILLER = """
import json, os, sys
from holdfast.surfaces.hook import main
from support.killing import killed_at, load_what, steps_of
home, about, path, kills = sys.argv[1], json.loads(sys.argv[2]), sys.argv[3], int(sys.argv[4])
def hook(number):
    data = json.dumps({**about, "prompt": about["prompt"] + str(number), "prompt_id": f"killed {number}"}).encode()
    return lambda: main._answered("UserPromptSubmit", "claude-code", home, data, os.environ, None)
load_what(hook(-1))
steps, seen, killed = steps_of(hook(kills)), [], 0
for number in range(kills):
    killed += killed_at(1 + number * steps // kills, hook(number))
    with open(path, "rb") as file:
        seen.append(file.read().decode())
# What the session was shown already takes no steps again, so the last ones may come to their end.
assert killed > kills // 2, (killed, steps)
print(json.dumps(seen))
"""


class Answer:
    """What a hook did: its exit code, its output, and what the model would get of it."""

    def __init__(self, code: int, out: bytes, err: bytes) -> None:
        self.code, self.out, self.err = code, out, err

    @property
    def text(self) -> str:
        """The text that reaches the model, empty where the hook said nothing."""
        return json.loads(self.out).get("hookSpecificOutput", {}).get("additionalContext", "") if self.out else ""


class Hook:
    """Runs hooks of one home from one folder; every call is another event, unless a test says otherwise."""

    def __init__(self, home: Path, folder: Path) -> None:
        self.home, self.folder = home, folder
        self.count = itertools.count()

    def command(self, event: str, agent: str = "claude-code") -> list[str]:
        """Return the command line, as an install writes it."""
        return [PYTHON, "-I", "-S", "-E", RUNNER, event, "--agent", agent, "--home", str(self.home)]

    def environment(self, **more: str) -> dict[str, str]:
        """Return the environment that the agent gives its hooks. A test that wants a sweep at the end asks for it."""
        quiet = {"HOLDFAST_SWEEP_AT_SESSION_END": "no", "HOLDFAST_HOOK_BUDGET_MS": PATIENT_MS, **AGELESS}
        return {"PATH": os.environ["PATH"], "HOME": str(self.home.parent), **HOST, **quiet, **more}

    def raw(self, event: str, data: bytes, agent: str = "claude-code", **environment: str) -> Answer:
        """Run a hook with these bytes on its standard input."""
        ended = subprocess.run(
            self.command(event, agent),
            input=data,
            capture_output=True,
            env=self.environment(**environment),
            cwd=self.folder,
            timeout=300,
            check=False,
        )
        return Answer(ended.returncode, ended.stdout, ended.stderr)

    def __call__(self, event: str, session: str = "s1", agent: str = "claude-code", **told: object) -> Answer:
        about = {"session_id": session, "cwd": str(self.folder), "prompt_id": f"p{next(self.count)}"}
        environment = told.pop("environment", {})
        return self.raw(event, json.dumps({**about, **told}).encode(), agent, **environment)

    def call(self, event: str, session: str, agent: str, **told: object) -> Answer:
        """The same in this process, by what the program calls."""
        environment = self.environment(**told.pop("environment", {}))
        about = {"session_id": session, "cwd": str(self.folder), "prompt_id": f"p{next(self.count)}", **told}
        data = json.dumps(about).encode()
        out = main._answered(event, agent, str(self.home), data, environment, None)
        return Answer(0, out.encode(), b"")

    def start(self, session: str = "s1", source: str = "startup", **told: object) -> Answer:
        """A session starts."""
        return self("SessionStart", session, source=source, **told)

    def prompt(self, text: str, session: str = "s1", **told: object) -> Answer:
        """The person asks something."""
        return self("UserPromptSubmit", session, prompt=text, **told)

    def killed(self, prompt: str, session: str, path: Path, kills: int) -> list[str]:
        """Kill hooks of this prompt, numbered, at steps all through their work; return what the file then had."""
        about = json.dumps({"session_id": session, "cwd": str(self.folder), "prompt": prompt})
        return json.loads(
            run_script(KILLER, str(self.home), about, str(path), str(kills), environment=self.environment())
        )

    def loaded_by(self, event: str, agent: str = "claude-code", **told: object) -> tuple[list[str], str]:
        """Return the modules that a real hook has loaded when it ends, in their order, and what it printed."""
        # Written so, the hook uses no bundle, and makes none.
        words = " ".join(self.command(event, agent)[5:]).replace("--agent ", "--agent=").split()
        code = (
            "import os, sys\n"
            f"__file__ = {RUNNER!r}\n"
            "leave = os._exit\n"
            "os._exit = lambda code: (print(*sys.modules, file=sys.stderr, flush=True), leave(code))\n"
            f"sys.argv = {['run.py', *words]!r}\n"
            "exec(compile(open(__file__).read(), __file__, 'exec'))\n"
        )
        environment = told.pop("environment", {})
        about = {"session_id": "s1", "cwd": str(self.folder), "prompt_id": event, **told}
        ended = subprocess.run(
            [PYTHON, "-I", "-S", "-E", "-c", code],
            input=json.dumps(about).encode(),
            capture_output=True,
            env=self.environment(**environment),
            check=True,
        )
        return ended.stderr.decode().split(), ended.stdout.decode()

    def log(self) -> list[str]:
        """Return the lines of the hook's log."""
        path = self.home / "state" / "hook.log"
        return path.read_text(encoding="utf-8").splitlines() if path.exists() else []

    def events(self, kind: str = "") -> list[dict[str, object]]:
        """Return the events of the journal, and fail where a line of it is not whole."""
        written = b"".join(file.read_bytes() for file in sorted((self.home / "journal").glob("*.jsonl")))
        assert written.endswith(b"\n") or not written
        events = [json.loads(line) for line in written.splitlines()]
        return [event for event in events if kind in ("", event["kind"])]


@pytest.fixture
def hook(home, shop) -> Hook:
    """The hook of a home that does not exist yet, run from the shop."""
    return Hook(home, shop)


@pytest.fixture
def remember(workspace):
    """Store a memory as the command does."""
    from holdfast.app.finish import finish
    from holdfast.memory.remember import remember as store

    def make(text: str, **options: object) -> str:
        where = {name: options.pop(name) for name in ("session", "profile") if name in options}
        with workspace(**where) as opened:
            key = store(opened, text, **options).memory.key
            finish(opened)
            return key

    return make
