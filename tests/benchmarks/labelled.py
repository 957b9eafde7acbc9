"""What the tests of the labelled sets of messages share."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

from holdfast.surfaces.cli import bench

BENCHMARKS = Path(bench._folder())
PARTS = ("dev", "held")


def module_at(path: Path) -> ModuleType:
    """Return the module in a file, loaded from there."""
    name = f"{path.parent.name}_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def pieces(text: str, length: int = 4) -> set[str]:
    """Return the runs of so many letters in a text, which two tellings of one thing share."""
    plain = " ".join(re.findall(r"\w+", text.lower()))
    return {plain[start : start + length] for start in range(max(1, len(plain) - length + 1))}
