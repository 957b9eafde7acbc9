"""Writes `surfaces/hook/used.txt`: what a bundle of a hook has at hand, by moment; the rest it reads late.

    python training/hook_functions.py

It lays the home of `holdfast bench hook` with few memories, runs every event in it several times, and notes which
functions each calls. A class is at hand where one of its methods is called; it or a plain value, where code that is
called, or is run as its module is loaded, asks for it by name. The list makes hooks quick and nothing else: what is not
on it works all the same.
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "benchmarks"))

import hook as bench

from holdfast import agents
from holdfast.surfaces.hook import bundling

TURNS = 3
HEADING = "# The functions and classes that hooks use; `training/hook_functions.py` writes it."
TRACED = """
import _thread, os, sys
called, leave, start = set(), os._exit, _thread.start_new_thread
def note(frame, event, _):
    if event == "call":
        called.add((frame.f_code.co_filename, frame.f_code.co_firstlineno))
def started(do, given):
    start(lambda: (sys.setprofile(note), do(*given)), ())
def left(code):
    sys.setprofile(None)
    with open(os.environ["CALLED"], "a") as file:
        file.write("".join(f"{line} {path}\\n" for path, line in called))
    leave(code)
os._exit, _thread.start_new_thread = left, started
runner = sys.argv[1]
sys.argv = sys.argv[1:]
with open(runner) as file:
    code = compile(file.read(), runner, "exec")
sys.setprofile(note)
exec(code, {"__file__": runner, "__name__": "__main__"})
"""
MORE = (
    ("PostToolUse", {"tool_name": "Edit", "tool_input": {"file_path": "code.py"}, "tool_response": "done"}),
    ("PostToolUse", {"tool_name": "Bash", "tool_input": {"command": "make test"}, "tool_response": "12 passed"}),
    ("PreCompact", {"trigger": "auto"}),
    ("PostCompact", {"trigger": "auto"}),
    ("SubagentStart", {"agent_id": "a1"}),
    ("SubagentStop", {"agent_id": "a1", "last_assistant_message": "The queue is read twice."}),
    ("Stop", {"last_assistant_message": "All tests pass now. Shall I commit it?"}),
)


class Traced(bench.Bench):
    """The same home, whose hooks tell what they called."""

    def _hook(self, event: str, told: dict[str, object], **more: str) -> bench.Took:
        if more and event != "SessionEnd":
            # Few people set anything by a variable.
            return 0.0, 0.0
        self._count += 1
        about = {"session_id": f"0198c1a2-7f3e-4d5b-9a6c-{self._count:012d}", "cwd": self.project}
        command = [bench.PYTHON, "-I", "-S", "-E", "-c", TRACED, bench.RUNNER, event, "--agent", "claude-code"]
        moment = agents.get("claude-code").events[event]
        environment = {**self._environment(), "CALLED": f"{self.home}.{moment}", **more}
        data = json.dumps({**about, "prompt_id": str(self._count), **told}).encode()
        subprocess.run(command, input=data, stdout=subprocess.DEVNULL, env=environment, check=True)
        return 0.0, 0.0


def called() -> dict[str, set[tuple[str, int]]]:
    """Run every event and return by moment where the functions begin that were called."""
    with tempfile.TemporaryDirectory() as folder:
        # Above 5,000 memories a prompt counts words in another way.
        home = Traced(folder, 6_000)
        # The first run of an event makes its bundle, by way of the import system.
        for turn in range(TURNS + 1):
            if turn == 1:
                for moment in bundling.MODULES:
                    Path(f"{home.home}.{moment}").unlink(missing_ok=True)
            home.measured(1)
            for event, told in MORE:
                home._hook(event, told)
        written = {moment: Path(f"{home.home}.{moment}") for moment in bundling.MODULES}
        rows = {moment: path.read_text().splitlines() for moment, path in written.items() if path.exists()}
    found = {
        moment: {(path, int(line)) for line, _, path in (row.partition(" ") for row in some)}
        for moment, some in rows.items()
    }
    # What no event of this agent has gets what any of them calls.
    return {moment: found.get(moment, set().union(*found.values())) for moment in bundling.MODULES}


def used(moment: str, begun: set[tuple[str, int]]) -> dict[str, set[str]]:
    """Return by module what is at hand: what was called, and what the code that is left for that names of others."""
    paths = {name: path for name, path, *_ in bundling.parts_of(bundling.names_of(moment, "claude-code"))}
    made = {name: made_in(bundling.left_of(Path(path).read_bytes(), path)) for name, path in paths.items()}
    found = {name: functions(path, begun) for name, path in paths.items()}
    left: dict[str, frozenset[str]] = {}
    while changed := [name for name in paths if left.get(name) != found[name]]:
        for name in changed:
            left[name] = frozenset(found[name])
            tree = bundling.left_of(Path(paths[name]).read_bytes(), paths[name], left[name], [])
            for module, asked in asked_for(tree):
                if asked in made.get(module, ()):
                    found[module].add(asked)
    return found


def asked_for(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield the names that a module asks others for, each with the name of the other: by import, or by a dot."""
    modules: dict[str, str] = {}
    for one in ast.walk(tree):
        for each in one.names if isinstance(one, ast.ImportFrom) else ():
            modules[each.asname or each.name] = f"{one.module}.{each.name}"
            yield str(one.module), each.name
    for one in ast.walk(tree):
        if isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name) and one.value.id in modules:
            yield modules[one.value.id], one.attr


def functions(path: str, begun: set[tuple[str, int]]) -> set[str]:
    """Return the functions of a module that were called, and the classes of those that are methods."""
    found: set[str] = set()
    for node in ast.parse(Path(path).read_bytes()).body:
        inner = node.body if isinstance(node, ast.ClassDef) else []
        for one, whole in ((node, ""), *((each, f"{node.name}.") for each in inner)):
            if isinstance(one, ast.FunctionDef):
                begins = {one.lineno, *(each.lineno for each in one.decorator_list)}
                if not begun.isdisjoint((path, line) for line in begins):
                    found |= {f"{whole}{one.name}", whole.rstrip(".")} - {""}
    return found


def made_in(tree: ast.Module) -> set[str]:
    """Return the names of the classes and the values of a module."""
    assigned = [target for one in tree.body if isinstance(one, ast.Assign) for target in one.targets]
    assigned += [one.target for one in tree.body if isinstance(one, ast.AnnAssign)]
    names = {target.id for target in assigned if isinstance(target, ast.Name)}
    return names | {one.name for one in tree.body if isinstance(one, ast.ClassDef)}


def main() -> int:
    """Write the list."""
    rows = [
        " ".join([moment, name.removeprefix("holdfast."), *sorted(some)])
        for moment, begun in called().items()
        for name, some in sorted(used(moment, begun).items())
        if some
    ]
    Path(bundling.USED).write_text("\n".join([HEADING, *rows]) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
