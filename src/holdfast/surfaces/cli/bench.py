"""Bench: run a benchmark of this installation, as a person can and as `make bench` does."""

from __future__ import annotations

import os
import runpy

from holdfast.base.package import FOLDER
from holdfast.errors import NotFound

# In a wheel the benchmarks lie inside the package; in a checkout at its top.
# These need labelled texts or fake secrets, which no installation carries.
IN_A_CHECKOUT = ("facts", "hub", "injection", "month", "patterns", "ratings", "rules", "secrets", "triggers")
_PLACES = (os.path.join(FOLDER, "benchmarks"), os.path.join(FOLDER, "..", "..", "benchmarks"))


def names() -> list[str]:
    """Return the benchmarks that are here."""
    return sorted(name[:-3] for name in os.listdir(_folder()) if name.endswith(".py") and name != "__init__.py")


def bench(name: str, arguments: list[str]) -> int:
    """Run one benchmark and return its exit code."""
    if name not in names():
        if name in IN_A_CHECKOUT:
            raise NotFound(
                f"the benchmark {name} is not part of an installed package, because of the texts that it needs",
                f"Run it from a checkout of the repository: make run, then .venv/bin/holdfast bench {name}.",
            )
        raise NotFound(f"there is no benchmark {name!r}", f"There are {', '.join(names())}.")
    module = runpy.run_path(os.path.join(_folder(), f"{name}.py"))
    return int(module["main"](arguments))


def _folder() -> str:
    for place in _PLACES:
        if os.path.isdir(place):
            return os.path.normpath(place)
    raise NotFound("the benchmarks are not installed", "Run them from a checkout: make bench")
