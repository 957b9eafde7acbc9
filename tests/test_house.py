"""The architecture holds: imports run one way, functions stay small, and every way in leads through redaction."""

from __future__ import annotations

import ast
import statistics
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "holdfast"
FILES = sorted(SOURCE.rglob("*.py"))
AGENTS = ("claude", "codex", "gemini", "opencode", "grok", "kiro", "copilot", "cursor", "qwen")
VAGUE = ("utils", "util", "helpers", "helper", "manager", "service", "common", "misc")


def functions() -> list[tuple[str, int]]:
    """Return every function of the package with its number of lines."""
    found = []
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                found.append((f"{path.relative_to(ROOT)}:{node.lineno} {node.name}", lines))
    return found


def test_imports_run_one_way() -> None:
    """Surfaces import actions, actions rooms, rooms the store, never the other way, and no room another."""
    linter = Path(sys.executable).with_name("lint-imports")
    ended = subprocess.run([linter], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout


def test_every_room_is_in_the_drawing() -> None:
    """A new folder or module of the package has its place in the import contract, so that none escapes it."""
    contract = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    names = {path.stem for path in SOURCE.glob("*.py")} | {path.name for path in SOURCE.iterdir() if path.is_dir()}
    for name in names - {"__init__", "__main__", "__pycache__"}:
        assert f"holdfast.{name}" in contract, f"{name} has no layer"


def test_functions_are_small() -> None:
    """Half of all functions are within 10 lines, nine in ten within 30, and none is over 60."""
    sizes = [lines for _, lines in functions()]
    assert statistics.median(sizes) <= 10
    assert sorted(sizes)[int(len(sizes) * 0.9)] <= 30
    assert [name for name, lines in functions() if lines > 60] == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_files_are_named_and_said(path: Path) -> None:
    """Every file opens with a sentence about itself, stays readable in length, and is named after a thing."""
    text = path.read_text(encoding="utf-8")
    assert ast.get_docstring(ast.parse(text)), "no docstring"
    assert len(text.splitlines()) <= 500, "too long to read"
    assert path.stem not in VAGUE


def test_no_agent_is_named_outside_agents() -> None:
    """Nothing asks for an agent by its name but the files of the agents themselves; help may show an example."""
    for path in FILES:
        if "agents" in path.parts:
            continue
        names = {
            node.value.lower()
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) < 40
            if not node.value.startswith("holdfast ")
        }
        assert not [name for name in names if any(agent in name for agent in AGENTS)], path


def calls(name: str) -> set[str]:
    """Return the files that call a method of that name on a store."""
    found = set()
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == name):
                continue
            if ast.unparse(node.func.value).endswith("store"):
                found.add(str(path.relative_to(SOURCE)))
    return found


def test_text_reaches_the_store_only_through_redaction() -> None:
    """Only the workspace hands a draft to the store, and only `edit` a whole text; both redact it first."""
    assert calls("put") == {"workspace.py"}
    assert calls("rewrite") == {"memory/edit.py"}


def test_every_file_of_commands_is_named_in_the_table() -> None:
    """Loading every command of the table loads every file of commands, and no file has a command beside it."""
    import click

    from holdfast.surfaces.cli.main import COMMANDS, cli
    from holdfast.surfaces.cli.shared import MADE

    for name in COMMANDS:
        command = cli.get_command(click.Context(cli), name)
        assert command is not None and command.name == name
    folder = SOURCE / "surfaces" / "cli" / "commands"
    loaded = {name.rpartition(".")[2] for name in sys.modules if name.startswith("holdfast.surfaces.cli.commands.")}
    assert loaded == {path.stem for path in folder.glob("*.py")} - {"__init__"} and set(MADE) == set(COMMANDS)


def test_every_test_says_what_it_expects() -> None:
    """Every test has a docstring: the tests are the specification."""
    for path in sorted((ROOT / "tests").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                assert ast.get_docstring(node), f"{path.name}:{node.lineno} {node.name}"
