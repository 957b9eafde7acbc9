"""Every hook takes time in proportion to its input: twice the input costs at most about twice as many operations.

Operations are counted, not timed: calls of Python and of C, where one that reads a whole text counts for its length.
Where valgrind is installed, the instructions of the real process are counted as well.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import shutil
import subprocess
import sys

import pytest

from holdfast import agents
from holdfast.app.hook import hook as run_hook
from holdfast.parts import HookRun
from support.sampling import LONG
from support.swept import raw, talk, transcript, write

pytestmark = pytest.mark.slow
valgrind = pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind counts instructions")
# What is repeated to make a text: each has been the worst case of some parser, here or elsewhere.
PIECES = (
    *(
        "deploy the shop through the tunnel again ",
        "x",
        "a line\n",
        "\n",
        " ",
        "-",
        ".",
        "a, ",
        "a: b\n",
        "1. a\n",
        "\\",
    ),
    *("We decided to use Postgres. ", "Remember: the till is in cellar nine. ", "3/10, bad. ", "Next: renew it. "),
    *("<b>", "<holdfast-memory>", "<holdfast-memory>x</holdfast-memory>", "<system-reminder>a</system-reminder>"),
    *("<system-reminder>", "</system-reminder>", "<private>", "<private>a</private> ", "<!-- holdfast:begin -->\n"),
    *(
        "```\n",
        "`a` ",
        '"a ',
        "> a\n",
        "- [ ] buy milk\n",
        "- [x] buy milk\n",
        "[[",
        '{"a": ',
        "&lt;",
        "&",
        "\u200b\u2060",
    ),
    *("QUJDREVGR0hJSktMTU5PUFFS", "0123456789abcdef", "password=a ", "https://a:b@example.com/x ", "a@b.", "A="),
    *("/etc/passwd ../../a/b.py ", "日本語 😀 ", "e\u0301", "make test; ", "make && ", "a | ", "$(", "cat <<E\na\nE\n"),
    *("Error: no such file /a/b.py:3\n", '  File "/a/b.py", line 3, in f\n', "-----BEGIN PRIVATE KEY-----\n"),
    *("eyJhbGciOiJIUzI1NiJ9.", "## My request for Codex:\n", "*** Update File: a/b.py\n@@\n-a\n+b\n"),
)
# What an agent tells at each of its events, with the text in every place that may be long.
EVENTS = {
    "SessionStart": lambda text: {"source": "startup", "model": text},
    "UserPromptSubmit": lambda text: {"prompt": text},
    "PreToolUse": lambda text: {"tool_name": "Bash", "tool_input": {"command": text}},
    "PostToolUse": lambda text: {"tool_name": "Bash", "tool_input": {"command": text}, "tool_response": text},
    "PostToolUseFailure": lambda text: {"tool_name": "Bash", "tool_input": {"command": text}, "error": text},
    "PreCompact": lambda text: {"custom_instructions": text},
    "Stop": lambda text: {"last_assistant_message": text},
    "SubagentStop": lambda text: {"agent_id": "a", "agent_type": "researcher", "last_assistant_message": text},
    "SessionEnd": lambda text: {"reason": text},
}
# Below what hooks keep of a text, and far above it. In `make test` an event gets every ninth piece, beginning elsewhere
# at each of the nine events, so that all of them have their turn.
SIZES, STEP = ((4_000, 40_000), 1) if LONG else ((5_000, 10_000), 9)
# Of the real process, whose instructions take fifty times as long to count: enough that a search to the end of the text
# for each of its tags would stand out.
PROMPTS = (150_000, 300_000) if LONG else (30_000, 60_000)
# A little more than twice, for what grows by steps; and what a text may cost whatever its length.
MOST, SPARE = 2.3, 80_000
# Methods that read all of a text, wherever they begin.
READS_ALL = frozenset(
    ("split", "rsplit", "splitlines", "replace", "count", "lower", "upper", "casefold", "translate", "encode", "decode")
)


class Operations:
    """Counts operations within a `with` block."""

    def __init__(self) -> None:
        self.count = 0

    def __enter__(self) -> Operations:
        sys.setprofile(self._seen)
        return self

    def __exit__(self, *problem: object) -> None:
        sys.setprofile(None)

    def _seen(self, frame: object, event: str, what: object) -> None:
        if event == "call":
            self.count += 1
        elif event == "c_call":
            of = getattr(what, "__self__", None)
            long = isinstance(of, (str, bytes)) and what.__name__ in READS_ALL
            self.count += 1 + (len(of) // 8 if long else 0)


@pytest.fixture
def cost(hook, remember, monkeypatch):
    """Return how many operations a hook takes in this process."""
    remember("Deploys need the VPN. Ask Kim for access.")
    monkeypatch.setenv("HOLDFAST_SWEEP_AT_SESSION_END", "no")
    # One that ends early, on a machine however busy, would count too few.
    monkeypatch.setenv("HOLDFAST_HOOK_BUDGET_MS", "3600000")
    number, adapter = itertools.count(), agents.get("claude-code")

    def run(event: str, told: dict[str, object]) -> int:
        one = str(next(number))
        about = {"session_id": one, "cwd": str(hook.folder), "prompt_id": one, **told}
        with Operations() as counted:
            call = adapter.read_hook_input(event, json.loads(json.dumps(about)), {})
            run_hook(str(hook.home), adapter, call, os.environ)
        return counted.count

    return run


def text_of(piece: str, size: int) -> str:
    """Return the piece again and again, to a length."""
    return (piece * (size // len(piece) + 1))[:size]


@pytest.mark.parametrize("event", EVENTS)
def test_twice_the_text_costs_twice(cost, event):
    """For each event and each kind of text: twice as much of it takes about twice as many operations at most."""
    cost(event, EVENTS[event]("warm up"))
    first = list(EVENTS).index(event)
    for piece in PIECES[first % STEP :: STEP]:
        sizes = {many * size for size in SIZES for many in (1, 2)}
        costs = {size: cost(event, EVENTS[event](text_of(piece, size))) for size in sizes}
        for size in SIZES:
            assert costs[2 * size] <= MOST * costs[size] + SPARE, (piece, size, costs)


@pytest.mark.parametrize("event", ["PreToolUse", "PostToolUse", "PostToolUseFailure"])
def test_deep_and_wide_values_cost_what_they_have(cost, event):
    """Nested twice as deep, or with twice as many fields, a tool's input takes about twice as many operations."""
    shapes = {
        "deep": lambda count: {"command": json.loads('{"a": ' * (count // 16) + "1" + "}" * (count // 16))},
        "wide": lambda count: {f"field {number}": "make" for number in range(count)},
        "list": lambda count: {"edits": [{"file_path": f"/src/{number}.py", "old": "a"} for number in range(count)]},
    }
    for name, shape in shapes.items():
        told = {"tool_name": "MultiEdit", "tool_response": {"ok": True}, "error": "no"}
        once, twice = (cost(event, {**told, "tool_input": shape(count)}) for count in (2_000, 4_000))
        assert twice <= MOST * once + SPARE, (name, once, twice)


@pytest.mark.parametrize("event", ["UserPromptSubmit", "Stop", "PreCompact", "SessionEnd"])
def test_twice_the_transcript_costs_twice(cost, machine, event):
    """A transcript with twice as many turns behind the last pause takes about twice as many operations."""

    def after(turns: int) -> int:
        path = write(transcript(machine, f"t{turns}"), talk("t", 1))
        told = {"session_id": f"t{turns}", "transcript_path": str(path), "prompt": "go on", "prompt_id": f"t{turns}"}
        cost("UserPromptSubmit", told)
        path.write_bytes(path.read_bytes() + raw(talk("t", turns, start=1)))
        return cost(event, {**told, "prompt_id": f"{turns} again"})

    once, twice = after(100), after(200)
    assert twice <= MOST * once + SPARE, (once, twice)


def test_twice_the_memories_cost_twice(cost, workspace, monkeypatch):
    """With twice as many memories SQLite takes at most about twice as many steps, and so do we."""
    from holdfast.memory.remember import remember

    steps = 0

    def count_steps(run: HookRun) -> bool:
        nonlocal steps
        steps += 1
        return False

    monkeypatch.setattr("holdfast.store.read_only_index._STEPS", 50)
    monkeypatch.setattr(HookRun, "is_late", count_steps)
    measured = {event: [] for event in ("SessionStart", "UserPromptSubmit", "Stop")}
    with workspace() as opened:
        for first, size in ((0, 200), (200, 400)):
            for number in range(first, size):
                remember(opened, f"Deploy {number} of the shop goes through tunnel {number}.", key=f"deploy-{number}")
            for event, found in measured.items():
                cost(event, {"source": "startup", "prompt": "how does deploy 7 go through the tunnel?"})
                steps = 0
                calls = cost(event, {"source": "startup", "prompt": "how does deploy 9 go through the tunnel?"})
                found.append((calls, steps))
    for event, ((once, steps_once), (twice, steps_twice)) in measured.items():
        assert twice <= MOST * once + SPARE and steps_twice <= MOST * steps_once + 200, (event, measured)


@pytest.fixture
def instructions(hook, remember):
    """Return how many instructions the real process of a hook takes."""
    remember("Deploys need the VPN. Ask Kim for access.")
    number = itertools.count()

    # The first hook writes what the next ones start by.
    hook.prompt("warm up")

    def count(event: str, text: str) -> int:
        one = str(next(number))
        about = {"session_id": one, "cwd": str(hook.folder), "prompt_id": one, **EVENTS[event](text)}
        tool = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
        ended = subprocess.run(
            [*tool, *hook.command(event)],
            input=json.dumps(about).encode(),
            env=hook.environment(),
            cwd=hook.folder,
            capture_output=True,
            check=True,
        )
        return int(re.search(r"I\s+refs:\s+([\d,]+)", ended.stderr.decode())[1].replace(",", ""))

    return count


@valgrind
def test_a_prompt_twice_as_long_takes_twice_the_instructions(instructions):
    """What no count of calls shows, such as a search to the end of the text for each of its tags, does not happen.

    The text begins as a person's does: what begins as program text is not read any further.
    """
    nothing = instructions("UserPromptSubmit", "Look at this:")
    for piece in PIECES if LONG else ("<private>",):
        texts = ("Look at this: " + text_of(piece, size) for size in PROMPTS)
        once, twice = (instructions("UserPromptSubmit", text) for text in texts)
        assert twice - nothing <= MOST * max(0, once - nothing) + nothing / 20, piece


@valgrind
@pytest.mark.skipif(not LONG, reason="a long run")
@pytest.mark.parametrize("event", EVENTS)
def test_twice_the_text_takes_twice_the_instructions(instructions, event):
    """At each event the real process takes about twice the instructions for twice as much of all kinds of text."""
    texts = ("".join(text_of(piece, size) for piece in PIECES) for size in (1, 1_000, 2_000))
    nothing, once, twice = (instructions(event, text) for text in texts)
    assert twice - nothing <= MOST * max(0, once - nothing) + nothing / 20
