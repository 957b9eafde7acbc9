"""The bundle of a hook: the code of its modules in one file beside the `.pyc` files, so that it starts quickly.

There is one for each event of each agent. It is a cache: made by a hook where there is none, checked against every
source, and done without where it is untrue. Its modules are run one after the other, past the import system; what a
hook needs beyond them comes from there.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container
    from types import CodeType, ModuleType

    # Name, path, change time and size of the source, whether it is a package, and its code.
    Part = tuple[str, str, int, int, bool, CodeType]

PACKAGE = "holdfast"
MAIN = "holdfast.surfaces.hook.main"
# What is loaded when a hook had something to do, and when it went a rare way, such as laying a scaffold.
WORKING = "holdfast.app.hook"
HEAVY = "holdfast.workspace"
PROMPT = "holdfast.app.at_prompt"
ELSEWHERE = ("holdfast.app.at_start", "holdfast.continuity.session_pages")
RARE_AT_A_PROMPT = (
    *("holdfast.continuity.resume", "holdfast.learning.fixes.offers", "holdfast.continuity.buffer"),
    # Reads again what somebody edited by hand.
    "holdfast.store.memory_file",
)
# Once a hook needs so many times the modules of its bundle, that was made by one that had little to do.
_POOR = 4 / 3


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
    """Run what a hook begins with and return the bundle; None where a source changed, or is of another package."""
    # A package that was copied with its bundle has sources of its own.
    package = here.removesuffix("surfaces/hook/")
    for _, path, changed, size, _, _ in parts:
        status = os.stat(path)
        if status.st_mtime_ns != changed or status.st_size != size or not path.startswith(package):
            return None
    bundle = Bundle(parts)
    bundle.run(MAIN)
    return bundle


def _is_rare(loaded: Container[str]) -> bool:
    """Whether a hook did what few do: all others would read its modules, too, and wait for them."""
    # A prompt that ran out of time has not come to its answer.
    at_prompt = PROMPT in loaded or not any(name in loaded for name in ELSEWHERE)
    return HEAVY in loaded or (at_prompt and any(name in loaded for name in RARE_AT_A_PROMPT))


def renew(place: str, bundle: Bundle | None) -> None:
    """Write the bundle where there is none or a poor one; trouble with that is nobody's."""
    if WORKING not in sys.modules or _is_rare(sys.modules):
        return
    known = bundle.names if bundle is not None else []
    # The import system puts a module behind those that it imports, once it has run, so this is the order for next time.
    loaded = [name for name in sys.modules if name == PACKAGE or name.startswith(f"{PACKAGE}.")]
    names = [*known, *[name for name in loaded if name not in known]]
    if bundle is not None and len(names) <= len(known) * _POOR:
        return
    from holdfast.surfaces.hook import bundling

    bundling.write(place, names)
