"""Scripts of `training/` as modules, with what they import from folders of their own."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def script():
    """Load a script; its modules may have names that others have too, so they are gone again afterwards."""
    return _loaded


@contextmanager
def _loaded(name: str, folders: tuple[str, ...], others: tuple[str, ...]) -> Iterator[ModuleType]:
    names, places = (name, *others), [str(ROOT / folder) for folder in folders]
    kept = {one: sys.modules.pop(one) for one in names if one in sys.modules}
    sys.path[:0] = places
    yield importlib.import_module(name)
    for folder in places:
        while folder in sys.path:
            sys.path.remove(folder)
    for one in names:
        sys.modules.pop(one, None)
    sys.modules.update(kept)
