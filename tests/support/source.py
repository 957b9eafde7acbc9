"""The source of the package as tests of its architecture see it: each module parsed once, and what it imports."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Literal

ROOT = Path(__file__).parent.parent.parent
SOURCE = ROOT / "src" / "holdfast"

When = Literal["loaded", "checked", "called"]


def name_of(path: Path) -> str:
    """Return the name of the module in a file."""
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


PATHS = {name_of(path): path for path in sorted(SOURCE.rglob("*.py"))}


@cache
def text_of(name: str) -> str:
    """Return the source of a module."""
    return PATHS[name].read_text(encoding="utf-8")


@cache
def tree_of(name: str) -> ast.Module:
    """Return a module, parsed."""
    return ast.parse(text_of(name))


@cache
def nodes_of(name: str) -> tuple[ast.AST, ...]:
    """Return every node of a module; several tests look through all of them."""
    return tuple(ast.walk(tree_of(name)))


def is_type_checking(node: ast.expr) -> bool:
    """Whether an expression is the name TYPE_CHECKING, with or without `typing` before it."""
    return ast.unparse(node).rpartition(".")[2] == "TYPE_CHECKING"


@cache
def imports(name: str) -> tuple[tuple[str, When], ...]:
    """Return what a module imports, and when: as it is loaded, for type checkers alone, or as a function is called."""
    return tuple(_within(name, tree_of(name), "loaded"))


def imported(name: str, when: When | None = None) -> set[str]:
    """Return what a module imports at that time, or at any."""
    return {target for target, then in imports(name) if when in (None, then)}


def _within(name: str, node: ast.AST, when: When) -> Iterator[tuple[str, When]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            for target in _targets(name, child):
                yield target, when
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield from _within(name, child, "called")
        elif isinstance(child, ast.If) and when == "loaded" and is_type_checking(child.test):
            yield from _within(name, child, "checked")
        else:
            yield from _within(name, child, when)


def _targets(name: str, node: ast.Import | ast.ImportFrom) -> list[str]:
    """Return the modules that a statement imports; of `from package import module` the module."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    base = node.module or ""
    if node.level:
        above = name.split(".") if PATHS[name].name == "__init__.py" else name.split(".")[:-1]
        base = ".".join([*above[: len(above) - node.level + 1], *([base] if base else [])])
    return [f"{base}.{alias.name}" if f"{base}.{alias.name}" in PATHS else base for alias in node.names]
