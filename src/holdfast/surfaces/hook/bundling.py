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
    from collections.abc import Iterable, Iterator
    from types import CodeType
    from typing import Any

    from holdfast.agents.base import Agent
    from holdfast.surfaces.hook.bundle import Part

    # The names of what a module imports as it is loaded, and of what functions of it import that are not read late.
    Needed = tuple[list[str], list[str]]
    # A module as a part, and what of it is read late.
    Read = tuple[Part, list[bytes]]
    # What may be read late beside functions.
    Waiting = ast.ClassDef | ast.Assign | ast.Import | ast.ImportFrom

ALWAYS = ("holdfast.surfaces.hook.main", "holdfast.agents", "holdfast.app.hook", "holdfast.project.registry")
# What a usual hook of each moment imports on its way, beside these and the module of its agent; what they import as
# they are loaded comes with them. A test runs a hook of each moment and holds this equal. What only few hooks of a
# moment need stays out: all others would read it, too, and wait for it.
MODULES = {
    "start": (
        "continuity.hook rules.hook rules.session_log learning.work.hook agents.transcript_calls "
        "continuity.closing language.tools app.repository_sets app.at_start language.commands inject.receipts "
        "learning.lessons.lesson_table memory.doctrine"
    ),
    "prompt": (
        "privacy.speech continuity.hook language.triggers learning.ratings.hook "
        "learning.work.hook app.at_prompt inject.receipts"
    ),
    "before-tool": "rules.hook",
    "after-tool": "rules.hook learning.fixes.hook learning.fixes.model learning.fixes.warnings",
    "tool": (
        "continuity.hook learning.fixes.hook learning.security.hook learning.security.judge "
        "learning.work.hook agents.transcript_calls learning.work.turns"
    ),
    "tool-failed": (
        "continuity.hook rules.hook learning.fixes.hook learning.fixes.session_failures "
        "learning.fixes.warnings learning.security.hook learning.security.judge continuity.unfinished"
    ),
    "compact": "continuity.hook rules.hook rules.session_log agents.transcript_calls language.tools continuity.closing",
    "compacted": "privacy.fence",
    "subagent-start": "privacy.fence",
    "subagent-stop": "learning.research.hook privacy.secret_values learning.work.hook",
    "stop": (
        "continuity.hook learning.work.hook agents.transcript_calls continuity.plans continuity.threads inject.prompt "
        "continuity.closing learning.work.turns recall.vectors"
    ),
    "end": (
        "continuity.hook agents.transcript_calls learning.work.hook continuity.closing "
        "learning.work.turns app.background_sweep recall.vectors"
    ),
}

_HERE = os.path.dirname(os.path.abspath(__file__))
# The functions that a usual hook of each moment calls, a line a module; `training/hook_functions.py` writes it. Most of
# what a bundle has is called by no usual hook of its moment: that is read when it is first called.
USED = os.path.join(_HERE, "used.txt")
# In a module: the names of tables that it makes of its own constants; a bundle has them as they are then.
MADE_ONCE = "MADE_ONCE"
# What a value is made by that may wait, beside the records of its module.
_MAKING = frozenset(("dict", "enumerate", "frozenset", "len", "range", "set", "sorted", "str", "tuple", "zip"))
_IMPORTS, _PARTS = (ast.Import, ast.ImportFrom), (ast.Attribute, ast.Subscript)
_made: dict[tuple[str, int, int, frozenset[str] | None], tuple[Part, Needed, list[bytes]]] = {}
_used: dict[tuple[str, str], frozenset[str]] = {}


def write_all(agent: Agent) -> None:
    """Make the bundles of all events of an agent that are missing or stale, so that no hook has to."""
    for event in agent.events:
        place = os.path.join(_HERE, "__pycache__", f"bundle.{event}.{agent.name}.{sys.implementation.cache_tag}")
        try:
            with open(place, "rb") as file:
                # From bytes: `marshal.load` asks the file for every few of them, which takes five times as long.
                is_there = is_current(marshal.loads(file.read())[1], f"{_HERE}/")  # noqa: S302
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
        # What opens a bundle, what makes it and by which list come first; they are not run as modules.
        sources = [os.path.join(_HERE, name) for name in ("bundle.py", "bundling.py")]
        first: list[Part] = [("", *_state(path), False, None, (), {}) for path in (*sources, USED)]
        with open(sources[0], "rb") as file:
            opener, _ = lean(file.read(), sources[0])
        parts, late = _placed(*_with_late(names_of(moment, agent_name), moment))
        # In one piece, so that what many modules name is read once; for everybody, as the .pyc files beside it.
        data = marshal.dumps((opener, [*first, *parts]))
        files.replace(place, data + late, mode=0o644, durable=False)
    except (NotFound, OSError, ValueError, TypeError, SyntaxError):
        return


def names_of(moment: str, agent_name: str) -> list[str]:
    """Return the modules that a bundle begins with; those that they import come before them."""
    names = [f"agents.{agent_name.replace('-', '_')}", *MODULES.get(moment, "").split()]
    return [*ALWAYS, *(f"holdfast.{name}" for name in names)]


def parts_of(names: list[str]) -> list[Part]:
    """Return these modules and all that they import as they are loaded, each behind what it imports."""
    return [part for part, _ in _with_late(names, "")[0]]


def _with_late(names: list[str], moment: str) -> tuple[list[Read], list[Read]]:
    """Return these modules and what they import, each with what a usual hook of this moment does not call.

    Of a moment they are those that its hooks need: an import that nothing names which they call waits with the rest,
    and what a function of theirs imports comes behind all others. Beside these stand the modules that wait.
    """
    # The folder that the package is in.
    root = os.path.abspath(__file__).rsplit(os.sep, 4)[0]
    within = [part[0] for part in parts_of(names)] if moment else None
    found: list[Read] = []
    seen: set[str] = set()
    asked = list(names)

    def add(name: str) -> None:
        path = "" if name in seen or (within is not None and name not in within) else _source_of(root, name)
        if not path:
            return
        # A package may itself import this module: then it comes with that, before whatever else needs it.
        add(name.rpartition(".")[0])
        if name in seen:
            return
        seen.add(name)
        called = used_functions().get((moment, name), frozenset()) if moment else None
        part, (first, behind), late = _part(name, path, called)
        for one in first:
            add(one)
        found.append((part, late))
        asked.extend(behind if moment else ())

    for name in asked:
        add(name)
    ready = len(found)
    for name in within or ():
        add(name)
    return found[:ready], found[ready:]


def _placed(ready: list[Read], waiting: list[Read]) -> tuple[list[Part], bytes]:
    """Return the parts, each with the places of what is read late, counted from the end; and all of that.

    A module that waits is read late as a whole.
    """
    # Behind the last one stands a byte, so that no place is zero.
    left, placed = sum([len(one) for _, some in (*ready, *waiting) for one in some]) + 1, []
    for part, some in (*ready, *waiting):
        places = [-left]
        for one in some:
            left -= len(one)
            places.append(-left)
        placed.append((*part[:6], tuple(places) if some else (), part[7]))
    behind = b"".join([one for _, some in (*ready, *waiting) for one in some]) + b"\0"
    for place in range(len(ready), len(placed)):
        whole = marshal.dumps(placed[place])
        behind = whole + behind
        placed[place] = (*placed[place][:5], None, (-len(behind), len(whole) - len(behind)), {})
    return placed, behind


def _part(name: str, path: str, used: frozenset[str] | None) -> tuple[Part, Needed, list[bytes]]:
    """Return a module as a part of bundles, the names of what it needs, and what is read late; events share them.

    Without `used` it is whole.
    """
    # Before the source is read: if it changes between the two, the bundle is seen to be untrue.
    state = _state(path)
    if (*state, used) not in _made:
        late: list[bytes] = []
        with open(path, "rb") as file:
            code, needed = lean(file.read(), path, used, None if used is None else late)
        values = {} if used is None else _values_of(name, code)
        _made[*state, used] = (name, *state, path.endswith("__init__.py"), code, (), values), needed, late
    return _made[*state, used]


def _state(path: str) -> tuple[str, int, int]:
    status = os.stat(path)
    return path, status.st_mtime_ns, status.st_size


def used_functions() -> dict[tuple[str, str], frozenset[str]]:
    """Return by moment and module the functions and methods that usual hooks call; who has none is not there."""
    if not _used:
        with open(USED, encoding="utf-8") as file:
            rows = [line.split() for line in file if line[0] != "#"]
        _used.update({(moment, f"holdfast.{name}"): frozenset(called) for moment, name, *called in rows})
    return _used


def _source_of(root: str, name: str) -> str:
    """Return the path of a module of ours; nothing where a name is not one."""
    if not f"{name}.".startswith("holdfast."):
        return ""
    path = os.path.join(root, *name.split("."))
    return next((one for one in (f"{path}.py", os.path.join(path, "__init__.py")) if os.path.isfile(one)), "")


def lean(
    source: bytes, path: str, used: frozenset[str] | None = None, late: list[bytes] | None = None
) -> tuple[CodeType, Needed]:
    """Compile a source without docstrings, annotations and what is for type checkers, and with its records laid out.

    Beside the code stand the names of what it needs. With `late`, the functions that are not used are left out and
    added there, each by itself.
    """
    tree = left_of(source, path, used, late)
    return _compiled(tree, path), (list(_imported(tree.body)), list(_imported(ast.walk(tree))))


def left_of(
    source: bytes, path: str, used: frozenset[str] | None = None, late: list[bytes] | None = None
) -> ast.Module:
    """Return what `lean` compiles."""
    tree: Any = compile(source, path, "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        _strip(node)
        for field in node._fields:
            inner = getattr(node, field, None)
            waiting += [each for each in (inner if isinstance(inner, list) else [inner]) if isinstance(each, ast.AST)]
    if late is not None:
        tree.body = without_made(tree.body)
        _leave_out(tree, path, used or frozenset(), late)
    return tree  # type: ignore[no-any-return]


def without_made(body: list[ast.stmt]) -> list[ast.stmt]:
    """Return the statements of a module without those that make what it names in MADE_ONCE: a bundle has the values.

    What it imports for these and for nothing else goes, too.
    """
    assigned = {
        one: [node.id for target in one.targets for node in ast.walk(target) if isinstance(node, ast.Name)]
        for one in body
        if isinstance(one, ast.Assign)
    }
    lists = [one.value for one, names in assigned.items() if names == [MADE_ONCE]]
    named = {node.value for each in lists for node in ast.walk(each) if isinstance(node, ast.Constant)}
    made = [one for one, names in assigned.items() if named.issuperset(names)]
    left = [one for one in body if one not in made]
    needless = _loaded(made) - _loaded(left)
    for one in left:
        if isinstance(one, ast.ImportFrom):
            one.names = [each for each in one.names if each.name not in needless]
    return [one for one in left if not isinstance(one, ast.ImportFrom) or one.names]


def _loaded(body: Iterable[ast.stmt]) -> set[str]:
    """Return the names that statements ask for."""
    nodes = [node for one in body for node in ast.walk(one) if isinstance(node, ast.Name)]
    return {node.id for node in nodes if isinstance(node.ctx, ast.Load)}


def _values_of(name: str, code: CodeType) -> dict[str, object]:
    """Return the values of what a module names in MADE_ONCE, which it makes of its own constants and nothing else."""
    if MADE_ONCE not in code.co_names:
        return {}
    module = __import__(name, fromlist=[MADE_ONCE])
    return {one: getattr(module, one) for one in getattr(module, MADE_ONCE)}


def _compiled(tree: ast.Module, path: str) -> CodeType:
    # The annotations that are left stay texts without the import that says so.
    return _named(compile(tree, path, "exec", __future__.annotations.compiler_flag, dont_inherit=True, optimize=2))


def _named(code: CodeType) -> CodeType:
    """Return the code with its plain names only: of long ones each is a text of its own to be read."""
    inner = tuple(_named(one) if isinstance(one, type(code)) else one for one in code.co_consts)
    return code.replace(co_qualname=code.co_name, co_consts=inner)


def _leave_out(tree: ast.Module, path: str, used: frozenset[str], late: list[bytes]) -> None:
    """Put what stands for it in the place of each function that is not used, and add its code to `late`.

    Classes, plain values and imports that no used code of the module names are the first of these, all together.
    """
    tree.body = _one_by_one(tree.body)
    classes = [one for one in tree.body if isinstance(one, ast.ClassDef)]
    functions: list[tuple[ast.Constant, ast.FunctionDef]] = []
    bodies = [(tree.body, ""), *((one.body, f"{one.name}.") for one in classes)]
    for body, before in bodies:
        for place, node in enumerate(body):
            if isinstance(node, ast.FunctionDef) and f"{before}{node.name}" not in used and _is_alone(node, before):
                # Zero is the number of the classes and values.
                number = ast.Constant(len(functions) + 1)
                call: ast.expr = ast.Call(ast.Name("__late__", ast.Load()), [number], [])
                for decorator in reversed(node.decorator_list):
                    call = ast.Call(decorator, [call], [])
                body[place] = ast.fix_missing_locations(
                    ast.copy_location(ast.Assign([ast.Name(node.name, ast.Store())], call), node)
                )
                node.decorator_list = []
                functions.append((number, node))
    unnamed = _unnamed(tree, [*classes, *_plain_values(tree), *_plain_imports(tree)], used)
    tree.body = _together([one for one in tree.body if one not in unnamed])
    if not functions and not unnamed:
        return
    waiting = sorted({name for one in unnamed for name in _names_of(one)})
    tree.body += ast.parse(f"__waiting__ = {tuple(waiting)}").body if waiting else []
    for count, (number, node) in enumerate(functions, start=1):
        # What names none of those need not wait for them.
        number.value = -count if _loaded([node]).intersection(waiting) else count
    late += [marshal.dumps(_compiled(ast.Module(_together(unnamed), []), path)) if unnamed else b""]
    late += [marshal.dumps(_compiled(ast.Module([node], []), path)) for _, node in functions]


def _one_by_one(body: list[ast.stmt]) -> list[ast.stmt]:
    """Return statements with an import for each name, so that one may wait while another does not."""
    found: list[ast.stmt] = []
    for one in body:
        names = one.names if isinstance(one, ast.ImportFrom) else []
        found += [ast.copy_location(ast.ImportFrom(one.module, [each], 0), one) for each in names] or [one]  # type: ignore[attr-defined]
    return found


def _together(body: list[ast.stmt]) -> list[ast.stmt]:
    """Return statements with the names that are imported from one module in one statement again."""
    found: list[ast.stmt] = []
    for one in body:
        last = found[-1] if found else None
        if isinstance(one, ast.ImportFrom) and isinstance(last, ast.ImportFrom) and one.module == last.module:
            last.names += one.names
        else:
            found.append(one)
    return found


def _plain_imports(tree: ast.Module) -> list[ast.Import | ast.ImportFrom]:
    """Return the imports whose names are nothing else: it makes no difference when such a one is done."""
    nodes = [node for node in ast.walk(tree) if isinstance(node, (ast.Name, ast.Global))]
    stored = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    stored |= {name for node in nodes if isinstance(node, ast.Global) for name in node.names}
    return [one for one in tree.body if isinstance(one, _IMPORTS) and stored.isdisjoint(_names_of(one))]


def _plain_values(tree: ast.Module) -> list[ast.Assign]:
    """Return the statements that make a value of constants and records: when that is done makes no difference."""
    defined = {one.name: one for one in tree.body if isinstance(one, (ast.FunctionDef, ast.ClassDef))}
    # `_lay_out` made these.
    of_records = [(name, base) for name, one in defined.items() for base in getattr(one, "bases", ())]
    records = {name for name, base in of_records if isinstance(base, ast.Attribute) and base.attr == "base"}
    imported = {name for one in tree.body if isinstance(one, _IMPORTS) for name in _names_of(one)}
    changed = {name for node in ast.walk(tree) if isinstance(node, ast.Global) for name in node.names}
    changed |= {each.target.id for each in tree.body if isinstance(each, ast.AugAssign)}  # type: ignore[union-attr]
    # A function may ask for one of these values as it runs, and would be asked to make it.
    found = []
    for one in tree.body:
        if isinstance(one, ast.Assign) and changed.isdisjoint(names := _names_of(one)) and names != [MADE_ONCE]:
            inner = [*ast.walk(one.value)]
            named = {node.id for node in inner if isinstance(node, ast.Name)}
            roots = {node.value.id for node in inner if isinstance(node, _PARTS) and isinstance(node.value, ast.Name)}
            calls = {node.func.id for node in inner if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
            is_plain = calls <= _MAKING | records and roots.isdisjoint(imported) and not named & ({*defined} - records)
            found += [one] if is_plain and not any(name[:2] in ("", "__") for name in names) else []
    return found


def _names_of(one: Waiting) -> list[str]:
    if isinstance(one, _IMPORTS):
        return [each.asname or each.name.partition(".")[0] for each in one.names]
    targets = [] if isinstance(one, ast.ClassDef) else one.targets
    own = [one.name] if isinstance(one, ast.ClassDef) else []
    return own + [target.id if isinstance(target, ast.Name) else "" for target in targets]


def _unnamed(tree: ast.Module, may_wait: list[Waiting], used: frozenset[str]) -> list[Any]:
    """Return what may wait, is not used, and is named by nothing that is left in the module, in its order there."""
    unused = sorted((one for one in may_wait if used.isdisjoint(_names_of(one))), key=lambda one: one.lineno)
    while True:
        named = _loaded(one for one in tree.body if one not in unused)
        left = [one for one in unused if named.isdisjoint(_names_of(one))]
        if left == unused:
            return unused
        unused = left


def _is_alone(node: ast.FunctionDef, of_class: str) -> bool:
    """Whether a function can be made without what stands around it: a method may need its class or names in it."""
    if not of_class:
        return True
    defaults = [*node.args.defaults, *filter(None, node.args.kw_defaults)]
    own = [one for default in defaults for one in ast.walk(default) if isinstance(one, ast.Name)]
    return not own and not {"super", "__class__"} & {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def _strip(node: ast.AST) -> None:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        node.returns = None
    elif isinstance(node, ast.arg):
        node.annotation = None
    elif isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
        node.test = ast.Constant(False, lineno=node.lineno, col_offset=0)
        node.body = [ast.Pass(lineno=node.lineno, col_offset=0)]
    elif isinstance(node, ast.Module):
        node.body = [each for each in node.body if getattr(each, "module", "") != "__future__"]
        for place, each in enumerate(node.body):
            if isinstance(each, ast.AnnAssign):
                made = ast.Assign([each.target], each.value) if each.value is not None else ast.Pass()
                node.body[place] = ast.fix_missing_locations(ast.copy_location(made, each))
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


def _imported(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the names that statements import, and what may be modules of a package among them."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{each.name}" for each in node.names)
