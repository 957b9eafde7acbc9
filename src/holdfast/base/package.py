"""The package itself: its version, and the folder that it lies in."""

from __future__ import annotations

__version__ = "0.1.0"

FOLDER = __file__.rpartition("/base/")[0]
