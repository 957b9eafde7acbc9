"""How a bundle is made: the modules that an event needs, compiled without what nobody asks for while a hook runs."""

from __future__ import annotations
import __future__

import ast
import marshal
import os
import sys

from holdfast import agents
from holdfast.base import files
from holdfast.errors import NotFound
from holdfast.surfaces.hook.bundle import is_current

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import CodeType
    from typing import Any

    from holdfast.agents.base import Agent
    from holdfast.surfaces.hook.bundle import Part

ALWAYS = ("holdfast.surfaces.hook.main", "holdfast.agents", "holdfast.app.hook")
# What a usual hook of each moment imports on its way, beside these and the module of its agent; what they import as
# they are loaded comes with them. A test runs a hook of each moment and holds this equal. What only few hooks of a
# moment need stays out: all others would read it, too, and wait for it.
MODULES = {
    "start": (
        "continuity.hook rules.hook rules.told learning.work.hook agents.transcript_calls "
        "continuity.closing language.tools app.sets app.at_start inject.receipts"
    ),
    "prompt": (
        "privacy.speech project continuity.hook language.triggers learning.ratings.hook "
        "learning.work.hook app.at_prompt inject.receipts"
    ),
    "before-tool": "rules.hook",
    "after-tool": "rules.hook learning.fixes.hook project learning.fixes.model learning.fixes.warnings",
    "tool": (
        "continuity.hook learning.fixes.hook learning.security.hook learning.security.judge "
        "learning.work.hook agents.transcript_calls learning.work.turns"
    ),
    "tool-failed": (
        "project continuity.hook rules.hook learning.fixes.hook learning.fixes.session_failures "
        "learning.fixes.warnings learning.security.hook learning.security.judge"
    ),
    "compact": "continuity.hook rules.hook rules.told agents.transcript_calls language.tools continuity.closing",
    "compacted": "privacy.fence project",
    "subagent-start": "privacy.fence project",
    "subagent-stop": "project learning.research.hook privacy.secret_values learning.work.hook",
    "stop": (
        "continuity.hook learning.work.hook continuity.answers agents.transcript_calls "
        "continuity.closing learning.work.turns recall.vectors store.sketches"
    ),
    "end": (
        "continuity.hook agents.transcript_calls learning.work.hook continuity.closing "
        "learning.work.turns app.background_sweep recall.vectors store.sketches"
    ),
}

_HERE = os.path.dirname(os.path.abspath(__file__))
_made: dict[tuple[str, int, int], tuple[Part, list[str]]] = {}


def write_all(agent: Agent) -> None:
    """Make the bundles of all events of an agent that are missing or stale, so that no hook has to."""
    for event in agent.events:
        place = os.path.join(_HERE, "__pycache__", f"bundle.{event}.{agent.name}.{sys.implementation.cache_tag}")
        try:
            with open(place, "rb") as file:
                is_there = is_current(marshal.load(file)[1], f"{_HERE}/")  # noqa: S302
        except (OSError, ValueError, EOFError, TypeError):
            is_there = False
        if not is_there:
            write(place, event, agent.name)


def write(place: str, event: str, agent_name: str) -> None:
    """Write the bundle of an event whole, or not at all; what is not known gets none."""
    try:
        moment = agents.get(agent_name).events.get(event, "")
        os.makedirs(os.path.dirname(place), exist_ok=True)
        if moment not in MODULES or not os.access(os.path.dirname(place), os.W_OK):
            return
        # What opens a bundle and what makes it come first; both are not run as modules.
        opener, maker = (_part("", os.path.join(_HERE, name))[0] for name in ("bundle.py", "bundling.py"))
        parts = [opener, maker, *parts_of(names_of(moment, agent_name))]
        # In one piece, so that what many modules name is read once; for everybody, as the .pyc files beside it.
        files.replace(place, marshal.dumps((opener[5], parts)), mode=0o644, durable=False)
    except (NotFound, OSError, ValueError, TypeError, SyntaxError):
        return


def names_of(moment: str, agent_name: str) -> list[str]:
    """Return the modules that a bundle begins with; those that they import come before them."""
    names = [f"agents.{agent_name.replace('-', '_')}", *MODULES.get(moment, "").split()]
    return [*ALWAYS, *(f"holdfast.{name}" for name in names)]


def parts_of(names: list[str]) -> list[Part]:
    """Return these modules and all that they import as they are loaded, each behind what it imports."""
    # The folder that the package is in.
    root = os.path.abspath(__file__).rsplit(os.sep, 4)[0]
    parts: list[Part] = []
    seen: set[str] = set()

    def add(name: str) -> None:
        path = "" if name in seen else _source_of(root, name)
        if not path:
            return
        # A package may itself import this module: then it comes with that, before whatever else needs it.
        add(name.rpartition(".")[0])
        if name in seen:
            return
        seen.add(name)
        part, needed = _part(name, path)
        for one in needed:
            add(one)
        parts.append(part)

    for name in names:
        add(name)
    return parts


def _part(name: str, path: str) -> tuple[Part, list[str]]:
    """Return a module as a part of bundles, and the names of what it imports; events share most of them."""
    # Before the source is read: if it changes between the two, the bundle is seen to be untrue.
    status = os.stat(path)
    state = path, status.st_mtime_ns, status.st_size
    if state not in _made:
        with open(path, "rb") as file:
            code, needed = lean(file.read(), path)
        _made[state] = (name, *state, path.endswith("__init__.py"), code), needed
    return _made[state]


def _source_of(root: str, name: str) -> str:
    """Return the path of a module of ours; nothing where a name is not one."""
    if not f"{name}.".startswith("holdfast."):
        return ""
    path = os.path.join(root, *name.split("."))
    return next((one for one in (f"{path}.py", os.path.join(path, "__init__.py")) if os.path.isfile(one)), "")


def lean(source: bytes, path: str) -> tuple[CodeType, list[str]]:
    """Compile a source without docstrings, annotations and what is for type checkers, and with its records laid out.

    Beside the code stand the names of what it imports while it is loaded.
    """
    tree: Any = compile(source, path, "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        _strip(node)
        for field in node._fields:
            inner = getattr(node, field, None)
            waiting += [each for each in (inner if isinstance(inner, list) else [inner]) if isinstance(each, ast.AST)]
    # The annotations that are left stay texts without the import that says so.
    flags = __future__.annotations.compiler_flag
    return compile(tree, path, "exec", flags, dont_inherit=True, optimize=2), list(_imported(tree))


def _strip(node: ast.AST) -> None:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        node.returns = None
    elif isinstance(node, ast.arg):
        node.annotation = None
    elif isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
        node.test = ast.Constant(False, lineno=node.lineno, col_offset=0)
    elif isinstance(node, ast.Module):
        node.body = [each for each in node.body if getattr(each, "module", "") != "__future__"]
    elif isinstance(node, ast.ClassDef) and len(node.decorator_list) == 1:
        _lay_out(node)


def _lay_out(node: ast.ClassDef) -> None:
    """Turn a class that `light_records.dataclass` would make a record of into that record: it is made once then."""
    decorator: Any = node.decorator_list[0]
    if not isinstance(decorator, ast.Call) or getattr(decorator.func, "id", "") != "dataclass":
        return
    fields = [each for each in node.body if isinstance(each, ast.AnnAssign)]
    names: list[ast.expr] = [ast.Constant(field.target.id) for field in fields if isinstance(field.target, ast.Name)]
    given = [(name, field.value) for name, field in zip(names, fields, strict=True) if field.value is not None]
    defaults = ast.Dict([name for name, _ in given], [value for _, value in given])
    layout = {"__slots__": ast.Tuple(names, ast.Load()), "_defaults": defaults}
    base = ast.Attribute(ast.Name("dataclass", ast.Load()), "base", ast.Load())
    own: list[ast.stmt] = [ast.Assign([ast.Name(name, ast.Store())], value) for name, value in layout.items()]
    node.body = own + [each for each in node.body if each not in fields]
    node.bases, node.decorator_list = [base], []
    ast.fix_missing_locations(node)


def _imported(tree: Any) -> Iterator[str]:
    """Yield the names that a module imports while it is loaded, and what may be modules of a package among them."""
    for node in tree.body:
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{each.name}" for each in node.names)
