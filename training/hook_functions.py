"""Writes `surfaces/hook/used.txt`: what a bundle of a hook has at hand, by moment; the rest it reads late.

    python training/hook_functions.py

It lays the home of `holdfast bench hook` with few memories, runs every event in it several times, and notes which
functions each calls. A class is at hand where one of its methods is called; it or a plain value, where a module of a
bundle or a function that is called imports it by name. The list makes hooks quick and nothing else: what is not on it
works all the same.
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import tempfile
from collections import defaultdict
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
    """Return by module what is at hand."""
    parts = bundling.parts_of(bundling.names_of(moment, "claude-code"))
    trees = {name: (path, parsed(path)) for name, path, *_ in parts}
    found: dict[str, set[str]] = defaultdict(set)

    def imported(node: ast.stmt) -> None:
        for one in ast.walk(node):
            if isinstance(one, ast.ImportFrom) and one.module in trees:
                found[one.module].update({each.name for each in one.names} & made_in(trees[one.module][1]))

    for name, (path, tree) in trees.items():
        for node in tree.body:
            if isinstance(node, ast.ImportFrom):
                imported(node)
            inner = node.body if isinstance(node, ast.ClassDef) else []
            for one, whole in ((node, ""), *((each, f"{node.name}.") for each in inner)):
                if isinstance(one, ast.FunctionDef):
                    begins = {one.lineno, *(each.lineno for each in one.decorator_list)}
                    if not begun.isdisjoint((path, line) for line in begins):
                        found[name].update({f"{whole}{one.name}", whole.rstrip(".")} - {""})
                        imported(one)
    return found


def parsed(path: str) -> ast.Module:
    """Return a module as a bundle has it: without what is made once, and what is imported for that."""
    tree = ast.parse(Path(path).read_bytes())
    tree.body = bundling.without_made(tree.body)
    return tree


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
