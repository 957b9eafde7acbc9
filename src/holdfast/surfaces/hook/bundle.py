"""The bundle: the code of all modules that a hook loads, in one file beside their .pyc files.

Finding each module in its place and reading its .pyc takes a good part of a prompt hook's time, so a hook that had to
do so writes them all into one file for the next. It is a cache like the .pyc files: derived from the sources, not used
when one of them changed, and where their folder cannot be written there is none.

Eight bytes say how long the list of modules is; the list says for each its source and where its code lies behind it,
and for each event which modules its hook loads, in which order. Those are run one after the other, past the import
system.
"""

from __future__ import annotations

import marshal
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import BinaryIO

    # Path, change time and size of the source, whether it is a package, place (behind the list) and length of the code.
    Part = tuple[str, int, int, bool, int, int]
    Parts = dict[str, Part]
    Orders = dict[str, list[str]]

PACKAGE = "holdfast"
HEAVY = "holdfast.actions.house"
_FIRST = 8
_RARE = 5


class Bundle:
    """Finds modules in the bundle, as the import system asks it to. `order` has those that it ran, as they ended."""

    def __init__(self, parts: Parts, orders: Orders, file: BinaryIO, start: int) -> None:
        self.parts = parts
        self.orders = orders
        self.file = file
        self.start = start
        self.order: list[str] = []

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """Return the spec of a module that is in the bundle."""
        part = self.parts.get(name)
        if part is None:
            return None
        spec: ModuleSpec = type(sys.__spec__)(name, self, origin=part[0], is_package=part[3])  # type: ignore[arg-type]
        spec.has_location = True
        if part[3]:
            spec.submodule_search_locations = [part[0].rpartition("/")[0]]
        return spec

    def create_module(self, spec: ModuleSpec) -> None:
        """Let the import system make the module."""

    def exec_module(self, module: ModuleType) -> None:
        """Run the code of a module."""
        _, _, _, _, at, length = self.parts[module.__name__]
        self.file.seek(self.start + at)
        exec(marshal.loads(self.file.read(length)), module.__dict__)  # noqa: S102, S302
        self.order.append(module.__name__)

    def run_all(self, event: str) -> None:
        """Run the modules that a hook of this event needs, each after those that it imports."""
        wanted = [name for name in self.orders.get(event, ()) if name not in sys.modules]
        # A module may ask for its package while that is still being made, as it may when the import system does it.
        made = {name: self._made(name) for name in wanted}
        sys.modules.update({name: module for name, module in made.items() if self.parts[name][3]})
        try:
            for name, module in made.items():
                sys.modules[name] = module
                self.exec_module(module)
                above, _, below = name.rpartition(".")
                setattr(sys.modules[above], below, module)
        except Exception:
            # Then the import system does it, each when it is asked for.
            for name in wanted:
                sys.modules.pop(name, None)

    def _made(self, name: str) -> ModuleType:
        module = type(sys)(name)
        path, is_package = self.parts[name][0], self.parts[name][3]
        module.__file__ = path
        module.__package__ = name if is_package else name.rpartition(".")[0]
        if is_package:
            module.__path__ = [path.rpartition("/")[0]]
        return module


def use(found: tuple[Parts, Orders], file: BinaryIO, start: int, here: str) -> Bundle | None:
    """Load modules from the bundle from now on and return it; None where a source changed, or is of another package."""
    parts, orders = found
    # A package that was copied with its bundle has sources of its own.
    package = here.rsplit("/", 3)[0] + "/"
    for path, changed, size, _, _, _ in parts.values():
        status = os.stat(path)
        if status.st_mtime_ns != changed or status.st_size != size or not path.startswith(package):
            return None
    bundle = Bundle(parts, orders, file, start)
    sys.meta_path.insert(0, bundle)
    return bundle


def renew(place: str, bundle: Bundle | None, event: str) -> None:
    """Write the bundle where it lacked a module or the order of this event; trouble with that is nobody's."""
    if HEAVY in sys.modules:
        # A rare way, such as laying a scaffold; the next hook should not have to load what it took.
        return
    parts, orders = (bundle.parts, bundle.orders) if bundle else ({}, {})
    if bundle is not None and all(name in parts for name in _loaded()):
        # All of them were run from the bundle, so their order is known. A few more than before are a rare case.
        if event in orders and len(bundle.order) <= len(orders[event]) + _RARE:
            return
        orders = {**orders, event: bundle.order}
    _write(place, parts, orders)


def _write(place: str, parts: Parts, orders: Orders) -> None:
    temporary = f"{place}.{os.getpid()}"
    try:
        # Opened first: where nothing can be written, no time is lost with making it.
        with open(temporary, "xb") as file:
            sources = {name: (part[0], part[3]) for name, part in parts.items()}
            loaded = {name: sys.modules[name] for name in _loaded()}
            sources.update({name: (str(each.__file__), hasattr(each, "__path__")) for name, each in loaded.items()})
            file.write(_bytes_of(sources, orders))
        os.replace(temporary, place)
    except (OSError, ValueError, TypeError, SyntaxError):
        _discard(temporary)


def _bytes_of(sources: dict[str, tuple[str, bool]], orders: Orders) -> bytes:
    parts: Parts = {}
    codes = b""
    for name, (path, is_package) in sources.items():
        # Before the source is read: if it changes between the two, the bundle is seen to be untrue.
        status = os.stat(path)
        with open(path, "rb") as file:
            # Without docstrings, which nobody reads here.
            code = compile(file.read(), path, "exec", dont_inherit=True, optimize=2)
        made = marshal.dumps(code)
        parts[name] = (path, status.st_mtime_ns, status.st_size, is_package, len(codes), len(made))
        codes += made
    listed = marshal.dumps((parts, orders))
    return len(listed).to_bytes(_FIRST, "little") + listed + codes


def _loaded() -> list[str]:
    return [name for name in list(sys.modules) if name == PACKAGE or name.startswith(f"{PACKAGE}.")]


def _discard(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return
