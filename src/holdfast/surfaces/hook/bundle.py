"""The bundle of a hook: the code of its modules in one file beside the `.pyc` files, so that it starts quickly.

There is one for each event of each agent, of a fixed list of modules (`bundling.py`). It is a cache: made by an install
or by a hook that finds none, checked against every source, and done without where one changed. Its modules are run one
after the other, past the import system; what a hook needs beyond them comes from there. Modules that only few hooks of
its event ask for stand behind them in the file, and the import system finds them here.

Of the functions only those that usual hooks call are read with it (`used.txt`), and of the values those that these
name. The others stand at the end of the file, each function by itself, and one is read when it is first called.
"""

from __future__ import annotations

import sys
from _thread import RLock
from marshal import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Callable
    from mmap import mmap
    from types import CodeType, ModuleType
    from typing import Any

    # Name, path, change time and size of the source, whether it is a package, its code, the places of what is read
    # late, counted from the end of the file, and the values of what it makes once. Of a module that waits there is no
    # code, and the places are those of all of it.
    Part = tuple[str, str, int, int, bool, CodeType | None, tuple[int, ...], dict[str, object]]


class _Environ:
    """What `os.environ` is made of here: the whole of it is asked for where somebody needs more than this."""

    def get(self, key: str, default: str | None = None) -> str | None:
        try:
            return self[key]  # type: ignore[index, no-any-return]
        except KeyError:
            return default

    def __contains__(self, key: object) -> bool:
        try:
            self[key]  # type: ignore[index]
        except KeyError:
            return False
        return True

    def __getattr__(self, name: str) -> Any:
        return getattr(__import__("_collections_abc").MutableMapping, name).__get__(self)


def _light_os() -> Any:
    """Return `os`, loaded without the 25 abstract classes that it takes one of as a base: an eighth of a bare start."""
    name = "_collections_abc"
    if name not in sys.modules:
        stand_in: Any = type(sys)(name)
        stand_in.Mapping, stand_in.MutableMapping = dict, _Environ
        stand_in._check_methods = lambda *given: __import__(name)._check_methods(*given)
        sys.modules[name] = stand_in
        try:
            return __import__("os")
        except ImportError:
            sys.modules.pop("os", None)
        finally:
            del sys.modules[name]
    return __import__("os")


if not TYPE_CHECKING:
    os = _light_os()
MAIN = "holdfast.surfaces.hook.main"
# Two threads may ask for the same class, and there must be one of it.
_reading = RLock()


class Bundle:
    """The modules of a hook, in the order in which they are run: each after those that it imports."""

    def __init__(self, parts: list[Part], memory: mmap) -> None:
        self._parts = [part for part in parts if part[5] is not None]
        self._waiting = {part[0]: part for part in parts if part[5] is None}
        self.names = [part[0] for part in self._parts]
        self._memory = memory
        self._done = 0

    def find_spec(self, name: str, path: object = None, target: object = None) -> Any:
        """Return where the import system finds a module that waits here; None for any other."""
        if name not in self._waiting:
            return None
        place, is_package = self._waiting[name][1], self._waiting[name][4]
        spec = __import__("_frozen_importlib").ModuleSpec(name, self, origin=place, is_package=is_package)
        if is_package:
            spec.submodule_search_locations.append(place.rpartition("/")[0])
        return spec

    def create_module(self, spec: Any) -> None:
        """Leave it to the import system to make the module."""

    def exec_module(self, module: ModuleType) -> None:
        """Run a module that waited."""
        begin, end = self._waiting[module.__name__][6]
        part = loads(self._memory[begin:end])  # noqa: S302
        module.__file__ = part[1]
        module.__dict__.update(part[7])
        _run(part, module, self._memory)

    def run(self, last: str = "") -> None:
        """Run the modules up to the last one, or all that are left."""
        end = self.names.index(last) + 1 if last else len(self.names)
        parts, self._done = self._parts[self._done : end], end
        wanted = [part for part in parts if part[0] not in sys.modules]
        made = [_made(part) for part in wanted]
        # A module may ask for its package while that is still being made, as it may when the import system does it.
        sys.modules.update({part[0]: module for part, module in zip(wanted, made, strict=True) if part[4]})
        try:
            for part, module in zip(wanted, made, strict=True):
                name = part[0]
                sys.modules[name] = module
                _run(part, module, self._memory)
                above, _, below = name.rpartition(".")
                if above:
                    setattr(sys.modules[above], below, module)
        except Exception:
            # Then the import system does it, each when it is asked for, and finds it in its source.
            self._waiting.clear()
            for part in wanted:
                sys.modules.pop(part[0], None)


def _made(part: Part) -> ModuleType:
    name, path, _, _, is_package, _, _, values = part
    module = type(sys)(name)
    module.__dict__.update(values)
    module.__file__ = path
    module.__package__ = name if is_package else name.rpartition(".")[0]
    if is_package:
        module.__path__ = [path.rpartition("/")[0]]
    return module


def _run(part: Part, module: ModuleType, memory: mmap) -> None:
    if part[6]:
        _run_late(part, module.__dict__, memory)
    else:
        exec(part[5], module.__dict__)  # type: ignore[arg-type]  # noqa: S102


def _run_late(part: Part, names: dict[str, Any], memory: mmap) -> None:
    """Run a module of which some functions and classes are read late.

    A function is read when it is first called. The first of the places is that of classes and values, all together:
    they are read when one is asked for, and before a function that names one, of which the number is negative.
    """
    code, places = part[5:7]
    found: dict[int, Any] = {}

    def read(number: int) -> Any:
        with _reading:
            if number not in found:
                own: dict[str, Any] = {} if number else names
                if places[number] < places[number + 1]:
                    exec(loads(memory[places[number] : places[number + 1]]), names, own)  # noqa: S102, S302
                found[number] = next(iter(own.values())) if number else None
            return found[number]

    def late(number: int) -> Callable[..., Any]:
        function: Callable[..., Any] | None = None

        def called(*values: Any, **named: Any) -> Any:
            nonlocal function
            if function is None:
                if number < 0:
                    read(0)
                function = read(abs(number))
            return function(*values, **named)

        return called

    names["__late__"] = late
    exec(code, names)  # type: ignore[arg-type]  # noqa: S102
    if places[0] < places[1]:
        names["__getattr__"] = _asked(names, lambda: read(0), names.get("__getattr__"))


def _asked(
    names: dict[str, Any], read: Callable[[], Any], of_module: Callable[[str], Any] | None
) -> Callable[[str], Any]:
    """Return what a module is asked for a name that it does not have: it may be that of what is read late."""

    def asked(name: str) -> Any:
        # The import system asks a package for each of its modules first.
        if name in names["__waiting__"]:
            read()
            return names[name]
        if of_module is None:
            raise AttributeError(f"module {names['__name__']!r} has no attribute {name!r}")
        return of_module(name)

    return asked


def opened(parts: list[Part], here: str, memory: mmap) -> Bundle | None:
    """Run what a hook begins with and return the bundle; None where it is stale. The file is mapped to `memory`."""
    if not is_current(parts, here):
        return None
    # The first three are this file, which is running already, what makes bundles, and the list that it makes them by.
    bundle = Bundle(parts[3:], memory)
    sys.meta_path.insert(0, bundle)
    bundle.run(MAIN)
    return bundle


def is_current(parts: list[Part], here: str) -> bool:
    """Whether no source changed, and all are of this package: one that was copied with its bundle has its own."""
    package = here.removesuffix("surfaces/hook/")
    for _, path, changed, size, *_ in parts:
        status = os.stat(path)
        if status.st_mtime_ns != changed or status.st_size != size or not path.startswith(package):
            return False
    return True
