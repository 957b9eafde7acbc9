"""The architecture holds: one order of packages, no cycles, small functions, and every fact in one place."""

from __future__ import annotations

import ast
import re
import statistics
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from support.source import PATHS, ROOT, SOURCE, imports, nodes_of, text_of, tree_of

LISTED = ROOT / "tests" / "function_imports.txt"
AGENTS = ("claude", "codex", "gemini", "opencode", "grok", "kiro", "copilot", "cursor", "qwen")
VAGUE = ("utils", "util", "helpers", "helper", "manager", "service", "common", "misc")
# Ceilings. They go up only with a new capability; the goal of each stands beside it.
# The whole was meant to be 350 files and 56,000 lines, before rules, replay, the page, REST, sync, team and the hub.
MAX_FILES = 552
MAX_LINES = {
    "agents": 7_430,
    "app": 7_540,
    "base": 1_710,
    "continuity": 9_360,
    "exchange": 6_230,
    "inject": 1_530,
    "journal": 600,
    "language": 11_990,
    "learning": 9_650,
    "memory": 3_800,
    "patterns": 4_640,
    "privacy": 5_540,
    "project": 1_880,
    "recall": 1_900,
    "rules": 1_240,
    "sessions": 6_460,
    "store": 8_530,
    "surfaces": 14_720,
}
MAX_LINES_OF_A_FILE = 500
MAX_TINY_HELPERS = 254  # 150; those that are left read better apart: a handler, a loop with a name, a test in words
MAX_CYCLES = 0
MAX_COPIES = 1  # none: a row of the table of sessions has the fields of a cost
MAX_NAMES_TWICE = 0
# As many like lines in two packages are a fact that is known twice.
LIKE_LINES = 6


def relative(name: str) -> str:
    """Return the path of a module below the package."""
    return str(PATHS[name].relative_to(SOURCE))


# Imports


def test_packages_import_only_those_below_them() -> None:
    """The order of packages in pyproject.toml holds, imports within functions and for type checkers included."""
    linter = Path(sys.executable).with_name("lint-imports")
    ended = subprocess.run([linter], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout


def test_every_package_has_its_place_in_the_order() -> None:
    """A new folder or module of the package is named in the contract of imports, so that none escapes it."""
    contract = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    names = {path.stem for path in SOURCE.glob("*.py")} | {path.name for path in SOURCE.iterdir() if path.is_dir()}
    for name in names - {"__init__", "__main__", "__pycache__"}:
        assert f'"holdfast.{name}"' in contract, f"{name} has no place"


def test_no_modules_import_each_other_in_a_circle() -> None:
    """There is no cycle, counting imports within functions and those for type checkers."""
    found = cycles({name: {target for target, _ in imports(name) if target in PATHS} - {name} for name in PATHS})
    assert len(found) <= MAX_CYCLES, found


def cycles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Return the sets of nodes that can reach each other: what is left when nodes without a way out or in are gone."""
    left = dict(graph)
    while True:
        entered = {target for name in left for target in left[name] if target in left}
        dead = [name for name in left if name not in entered or not left[name] & left.keys()]
        if not dead:
            return groups(left)
        for name in dead:
            del left[name]


def groups(graph: dict[str, set[str]]) -> list[list[str]]:
    """Return the nodes that can reach themselves, those that reach each other together."""
    reach = {name: reached(graph, name) for name in graph}
    together = {frozenset(other for other in reach[name] if name in reach[other]) for name in graph}
    return sorted(sorted(one) for one in together if one)


def reached(graph: dict[str, set[str]], start: str) -> set[str]:
    """Return the nodes that can be reached from one."""
    found: set[str] = set()
    waiting = [start]
    while waiting:
        new = (graph[waiting.pop()] & graph.keys()) - found
        found |= new
        waiting += new
    return found


def test_imports_within_functions_are_listed_with_a_reason() -> None:
    """Each import within a function is in tests/function_imports.txt, and each one listed there is in a function."""
    rows = [line.split() for line in LISTED.read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]
    assert {reason for _, _, reason in rows} <= {"start-up", "hook", "optional"}
    listed = {(module, target) for module, target, _ in rows}
    there = {(name, target) for name in PATHS for target, when in imports(name) if when == "called"}
    assert sorted(there - listed) == [], "not listed"
    assert sorted(listed - there) == [], "listed, and gone"


# Sizes


@cache
def functions() -> tuple[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef], ...]:
    """Return every function with the name of its module."""
    kinds = ast.FunctionDef | ast.AsyncFunctionDef
    return tuple((name, node) for name in PATHS for node in nodes_of(name) if isinstance(node, kinds))


def test_functions_are_small() -> None:
    """Half of all functions are within 10 lines, nine in ten within 30, and none is over 60."""
    sizes = {f"{relative(name)}:{node.lineno} {node.name}": size_of(node) for name, node in functions()}
    ordered = sorted(sizes.values())
    assert statistics.median(ordered) <= 10
    assert ordered[int(len(ordered) * 0.9)] <= 30
    assert [name for name, lines in sizes.items() if lines > 60] == []


def size_of(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Return the lines of a function."""
    return (node.end_lineno or node.lineno) - node.lineno + 1


def test_few_private_helpers_are_used_once() -> None:
    """A private function of two statements or fewer that is used once mostly reads better where it is used."""
    tiny = [f"{relative(name)}:{node.lineno} {node.name}" for name, node in functions() if is_tiny(name, node)]
    assert len(tiny) <= MAX_TINY_HELPERS, tiny


def is_tiny(module: str, node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a function is private, short, and used once in its module."""
    if not node.name.startswith("_") or node.name.startswith("__"):
        return False
    statements = node.body[1:] if ast.get_docstring(node) else node.body
    return len(statements) <= 2 and words_of(module)[node.name] == 2


@cache
def words_of(module: str) -> Counter[str]:
    """Return how often each word stands in a module."""
    return Counter(re.findall(r"\w+", text_of(module)))


def test_no_package_outgrows_what_was_agreed() -> None:
    """There are no more files, and no package has more lines, than agreed."""
    lines: Counter[str] = Counter()
    for name in PATHS:
        lines[package_of(name)] += len(text_of(name).splitlines())
    large = {package: number for package, number in lines.items() if number > MAX_LINES_OF_A_FILE}
    assert {package: number for package, number in large.items() if number > MAX_LINES.get(package, 0)} == {}
    assert len(PATHS) <= MAX_FILES


def test_files_are_described_and_named_after_a_thing() -> None:
    """Every file opens with a sentence about itself, stays readable in length, and is named after a thing."""
    for name in PATHS:
        assert ast.get_docstring(tree_of(name)), f"{name} has no docstring"
        assert len(text_of(name).splitlines()) <= MAX_LINES_OF_A_FILE, f"{name} is too long"
        assert PATHS[name].stem not in VAGUE


# One fact in one place


def test_no_two_packages_have_like_lines() -> None:
    """No six lines of code in a row stand in two packages: one of them would have to be changed with the other."""
    found = copies(LIKE_LINES)
    assert len(found) <= MAX_COPIES, found


def copies(count: int) -> dict[str, list[str]]:
    """Return the runs of so many like lines that stand in two packages or more, each with its places."""
    places: dict[tuple[str, ...], list[tuple[str, int]]] = defaultdict(list)
    for name in PATHS:
        lines = code_lines(name)
        for start in range(len(lines) - count + 1):
            run = lines[start : start + count]
            places[tuple(text for _, text in run)].append((name, run[0][0]))
    found = {run: where for run, where in places.items() if len({package_of(name) for name, _ in where}) > 1}
    return {" | ".join(run): [f"{relative(name)}:{line}" for name, line in where] for run, where in found.items()}


def package_of(name: str) -> str:
    """Return the package of a module: the first part below `holdfast`."""
    return name.split(".")[1] if "." in name else name


def code_lines(name: str) -> list[tuple[int, str]]:
    """Return the lines of code, numbered: no imports, docstrings, comments, blank lines or closing brackets.

    The parameters of functions are not code either: the public API has those of what it calls.
    """
    skipped = set(skipped_lines(name))
    lines = enumerate(text_of(name).splitlines(), 1)
    cleaned = [(number, " ".join(text.split())) for number, text in lines if number not in skipped]
    return [(number, text) for number, text in cleaned if text.strip(")]},: ") and not text.startswith("#")]


def skipped_lines(name: str) -> Iterator[int]:
    """Yield the lines of imports, of texts that stand alone, as docstrings do, and of parameters."""
    for node in nodes_of(name):
        alone = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if alone or isinstance(node, ast.Import | ast.ImportFrom):
            yield from range(node.lineno, (node.end_lineno or node.lineno) + 1)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from range(node.lineno + 1, node.body[0].lineno)


def test_no_record_has_the_name_of_another() -> None:
    """Each class of the package has a name of its own, so that a reader knows which one is meant."""
    where: dict[str, list[str]] = defaultdict(list)
    for name in PATHS:
        for node in tree_of(name).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                where[node.name].append(name)
    found = {name: modules for name, modules in where.items() if len(modules) > 1}
    assert len(found) <= MAX_NAMES_TWICE, found


def test_no_agent_is_named_outside_agents() -> None:
    """Nothing asks for an agent by its name but the files of the agents themselves; help may show an example."""
    for name in PATHS:
        docstrings = set(skipped_lines(name))
        # A page of a long list in MCP goes on at a cursor, which is no agent.
        agents = [agent for agent in AGENTS if not (agent == "cursor" and name.startswith("holdfast.surfaces.mcp"))]
        if package_of(name) == "agents":
            continue
        texts = {
            node.value.lower()
            for node in nodes_of(name)
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) < 40
            if node.lineno not in docstrings
            # A line of help, or a tag by which text of a program is told from a person's words.
            # claude-mem is a memory tool and no agent.
            if not node.value.startswith(("holdfast ", "<", "claude-mem"))
        }
        assert not [text for text in texts if any(agent in text for agent in agents)], name


def callers(method: str) -> set[str]:
    """Return the files that call a method of that name on a store."""
    return {
        relative(name)
        for name in PATHS
        for node in nodes_of(name)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == method
        if ast.unparse(node.func.value).endswith("store")
    }


def test_text_reaches_the_store_only_through_redaction() -> None:
    """Only the workspace hands a draft to the store, and only `edit` a whole text; both redact it first."""
    assert callers("put") == {"memory/remember.py"}
    assert callers("rewrite") == {"memory/edit.py"}


# Words


@pytest.mark.parametrize("sign", ["MOST_", "LEAST_", "FEWEST_"])
def test_limits_are_called_max_and_min(sign: str) -> None:
    """A limit is MAX_ or MIN_ something."""
    found = [name for name in PATHS if re.search(rf"\b_?{sign}", text_of(name))]
    assert found == []


def test_parts_of_the_program_have_plain_names() -> None:
    """Code and pages speak of packages, adapters and stores, not of a building; `room` may be space that is left."""
    pages = [*(ROOT / "docs").rglob("*.md"), *(ROOT / name for name in ("README.md", "AGENTS.md", "CONTRIBUTING.md"))]
    texts = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in (*PATHS.values(), *pages)}
    building = re.compile(r"\b(?:houses?|rooms|doors?|cellars?|corridors?)\b", re.IGNORECASE)
    assert {name: found for name, text in texts.items() if (found := building.findall(text))} == {}


# Tests


def test_every_file_of_commands_is_named_in_the_table() -> None:
    """Loading every command of the table loads every file of commands, and no file has a command beside it."""
    import click

    from holdfast.surfaces.cli.command_line import COMMANDS
    from holdfast.surfaces.cli.main import cli
    from holdfast.surfaces.cli.making import MADE

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


def test_tests_mirror_the_source() -> None:
    """Each folder of tests is that of a package, or one that is named here."""
    besides = {"benchmarks", "fixtures", "outside", "support", "training"}
    folders = {path.name for path in (ROOT / "tests").iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert {name for name in folders - besides if not (SOURCE / name).exists()} == set()


def test_migrations_are_numbered_one_after_the_other() -> None:
    """No two that were written at the same time have one number: the second would never be done."""
    numbers = sorted(int(path.name.partition("-")[0]) for path in (SOURCE / "store" / "migrations").glob("*.sql"))
    assert numbers == list(range(1, len(numbers) + 1))
