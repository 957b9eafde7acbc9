"""How a bundle is made: the sources of the modules are compiled without what nobody asks for while a hook runs."""

from __future__ import annotations
import __future__

import _ast
import marshal
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType
    from typing import Any

    from holdfast.surfaces.hook.bundle import Part

_FIRST = "holdfast.surfaces.hook.bundle"


def write(place: str, names: list[str]) -> None:
    """Write the bundle of these modules whole, or not at all."""
    temporary = f"{place}.{os.getpid()}"
    try:
        if not os.access(os.path.dirname(place), os.W_OK):
            return
        data = _bytes_of(names)
        with open(temporary, "xb") as file:
            file.write(data)
        os.replace(temporary, place)
    except (OSError, ValueError, TypeError, SyntaxError):
        _discard(temporary)


def _bytes_of(names: list[str]) -> bytes:
    parts = [_part(name) for name in names]
    first = next(part[5] for part in parts if part[0] == _FIRST)
    # In one piece, so that what many modules name is read once.
    return marshal.dumps((first, parts))


def _part(name: str) -> Part:
    module = sys.modules[name]
    path = str(module.__file__)
    # Before the source is read: if it changes between the two, the bundle is seen to be untrue.
    status = os.stat(path)
    with open(path, "rb") as file:
        code = lean(file.read(), path)
    return name, path, status.st_mtime_ns, status.st_size, hasattr(module, "__path__"), code


def lean(source: bytes, path: str) -> CodeType:
    """Compile a source without docstrings, without annotations of functions and without what is for type checkers."""
    tree: Any = compile(source, path, "exec", _ast.PyCF_ONLY_AST, dont_inherit=True)
    waiting: list[_ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        _strip(node)
        for field in node._fields:
            inner = getattr(node, field, None)
            waiting += [each for each in (inner if isinstance(inner, list) else [inner]) if isinstance(each, _ast.AST)]
    # The annotations that are left, of records, stay texts without the import that says so.
    flags = __future__.annotations.compiler_flag
    return compile(tree, path, "exec", flags, dont_inherit=True, optimize=2)  # type: ignore[no-any-return]


def _strip(node: _ast.AST) -> None:
    if isinstance(node, (_ast.FunctionDef, _ast.AsyncFunctionDef)):
        node.returns = None
    elif isinstance(node, _ast.arg):
        node.annotation = None
    elif isinstance(node, _ast.If) and isinstance(node.test, _ast.Name) and node.test.id == "TYPE_CHECKING":
        node.test = _ast.Constant(False, lineno=node.lineno, col_offset=0)
    elif isinstance(node, _ast.Module):
        node.body = [each for each in node.body if getattr(each, "module", "") != "__future__"]


def _discard(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return
