"""The bundle of a hook: the code of its modules in one file beside the `.pyc` files, so that it starts quickly.

There is one for each event of each agent, of a fixed list of modules (`bundling.py`). It is a cache: made by an install
or by a hook that finds none, checked against every source, and done without where one changed. Its modules are run one
after the other, past the import system; what a hook needs beyond them comes from there.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType, ModuleType

    # Name, path, change time and size of the source, whether it is a package, and its code.
    Part = tuple[str, str, int, int, bool, CodeType]

MAIN = "holdfast.surfaces.hook.main"


class Bundle:
    """The modules of a hook, in the order in which they are run: each after those that it imports."""

    def __init__(self, parts: list[Part]) -> None:
        self.names = [part[0] for part in parts]
        self._parts = parts
        self._done = 0

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
                exec(part[5], module.__dict__)  # noqa: S102
                above, _, below = name.rpartition(".")
                if above:
                    setattr(sys.modules[above], below, module)
        except Exception:
            # Then the import system does it, each when it is asked for.
            for part in wanted:
                sys.modules.pop(part[0], None)


def _made(part: Part) -> ModuleType:
    name, path, _, _, is_package, _ = part
    module = type(sys)(name)
    module.__file__ = path
    module.__package__ = name if is_package else name.rpartition(".")[0]
    if is_package:
        module.__path__ = [path.rpartition("/")[0]]
    return module


def opened(parts: list[Part], here: str) -> Bundle | None:
    """Run what a hook begins with and return the bundle; None where it is stale."""
    if not is_current(parts, here):
        return None
    # The first two parts are this file, which is running already, and the one that makes bundles.
    bundle = Bundle(parts[2:])
    bundle.run(MAIN)
    return bundle


def is_current(parts: list[Part], here: str) -> bool:
    """Whether no source changed, and all are of this package: one that was copied with its bundle has its own."""
    package = here.removesuffix("surfaces/hook/")
    for _, path, changed, size, _, _ in parts:
        status = os.stat(path)
        if status.st_mtime_ns != changed or status.st_size != size or not path.startswith(package):
            return False
    return True
