"""What goes on in any session: work that succeeds, and failures that happen once and never again."""

from __future__ import annotations

import random

from script import Script

_PARTS = (
    *(
        "order",
        "invoice",
        "ledger",
        "parcel",
        "cursor",
        "socket",
        "widget",
        "banner",
        "ticket",
        "quota",
        "shard",
        "token",
    ),
    *(
        "mirror",
        "branch",
        "vertex",
        "canvas",
        "stream",
        "batch",
        "filter",
        "garden",
        "rocket",
        "pencil",
        "falcon",
        "copper",
    ),
)
_ENDS = ("Store", "View", "Worker", "Index", "Router", "Helper", "Cache", "Parser", "Guard", "Queue")
_FOLDERS = ("src", "lib", "app", "internal", "packages/core/src", "server")
_TYPES = ("py", "ts", "go", "rs", "tsx")
_ASKS = (
    "Add a {a} to the {b} page.",
    "The {a} is empty when the {b} has no rows. Please look into it.",
    "Can you write tests for the {a} and the {b}?",
    "Refactor the {a} so that the {b} can use it too.",
    "What would it take to replace the {a}? Then do it.",
)
_ANSWERS = (
    "I will look at the {a} first.",
    "The {a} is done; the tests pass. Next is the {b}.",
    "I found that an earlier error, `No module named {a}`, came from the {b}.",
)
_PASSES = (
    ("git status --short", " M {path}"),
    ("git diff --stat", " {path} | 4 ++--"),
    ("ls", "README.md\nsrc\ntests"),
    ("cat package.json", '{{"name": "acme"}}'),
    ("pytest -q", "......\n{n} passed in 1.0{n}s"),
    ("npm test", "Tests: {n} passed, {n} total"),
    ("git add -A && git commit -m '{a} and {b}'", "[main 1{hex}] {a} and {b}\n 1 file changed"),
    ("make build", "built in {n}ms"),
    ("sed -n '1,80p' {path}", "import os"),
    ("rg -n '{name}' {folder}", "{path}:{n}: {name}()"),
    ("python -c 'print({n})'", "{n}"),
)
_FAILURES = (
    (
        "pytest {path} -q",
        "E   AssertionError: assert {name}({n}) == {m}\nFAIL: test_{a}_{b}_{n} ({path})\nFAILED (failures=1)",
    ),
    (
        "npm test -- {path}",
        "● {name} › keeps the {a} when {b} is {n}\n  expected {n}, received {m}\nTests: 1 failed, {n} passed",
    ),
    ("go test ./{folder}/...", "--- FAIL: Test{name} (0.0{n}s)\n    {a}_test.go:{n}: got {m}, want {n}\nFAIL"),
    ("cargo build", "error[E0{code}]: mismatched types for `{name}`\n  --> {path}:{n}:{m}"),
    (
        "python scripts/{a}_{b}.py",
        "Traceback (most recent call last):\n  File \"scripts/{a}_{b}.py\", line {n}\nKeyError: '{name}{n}'",
    ),
    ("node tools/{a}-{b}.js --{b}", "TypeError: {name}.{a}{n} is not a function\n    at {path}:{n}:{m}"),
    ("grep -rn {name} {folder}", ""),
    ("ruby bin/{b}", "bin/{b}:{n}:in `<main>': undefined method `{a}_{b}' for nil (NoMethodError)"),
)


class Noise:
    """Makes noise; what fails bears names that are drawn anew each time."""

    def __init__(self, source: random.Random) -> None:
        self._random = source

    def words(self) -> dict[str, object]:
        """Return what fills the blanks of a text."""
        pick = self._random.choice
        a, b = pick(_PARTS), pick(_PARTS)
        name = f"{a.title()}{pick(_PARTS).title()}{pick(_ENDS)}"
        folder = f"{pick(_FOLDERS)}/{a}"
        path = f"{folder}/{b}_{pick(_PARTS)}{self._random.randrange(100)}.{pick(_TYPES)}"
        number = self._random.randrange
        more = {"n": number(2, 90), "m": number(100, 999), "hex": f"{self._random.getrandbits(24):06x}"}
        return {"a": a, "b": b, "name": name, "folder": folder, "path": path, "code": number(100, 999), **more}

    def ask(self, script: Script) -> None:
        """Let the person ask for something."""
        script.ask(self._random.choice(_ASKS).format(**self.words()))

    def some(self, script: Script, count: int) -> None:
        """Let the agent work for a while."""
        for _ in range(count):
            self._one(script)

    def look(self, script: Script, count: int) -> None:
        """Let the agent look around, each time at something else."""
        for _ in range(count):
            words = self.words()
            script.read(str(words["path"])) if self._random.random() < 0.6 else script.search(str(words["name"]))

    def _one(self, script: Script) -> None:
        words, chance = self.words(), self._random.random()
        if chance < 0.25:
            script.edit(str(words["path"]))
        elif chance < 0.4:
            script.read(str(words["path"]))
        elif chance < 0.5:
            script.say(self._random.choice(_ANSWERS).format(**words))
        elif chance < 0.62:
            command, output = self._random.choice(_FAILURES)
            script.run(command.format(**words), output.format(**words), self._random.choice((1, 1, 2)))
        else:
            command, output = self._random.choice(_PASSES)
            script.run(command.format(**words), output.format(**words))
