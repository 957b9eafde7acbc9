"""Holdfast: one memory for all of a person's coding agents. This is the public Python API, as a list.

Names are loaded when they are first used, so that importing a small part of the package stays cheap.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.app.open import Holdfast as Holdfast
    from holdfast.app.open import open as open
    from holdfast.base.package import __version__ as __version__
    from holdfast.errors import HoldfastError as HoldfastError
    from holdfast.recall.related import Related as Related
    from holdfast.records import Hit as Hit
    from holdfast.records import Memory as Memory
    from holdfast.records import Scope as Scope
    from holdfast.records import Stored as Stored

_HOME_OF = {
    "Hit": "holdfast.records",
    "Holdfast": "holdfast.app.open",
    "HoldfastError": "holdfast.errors",
    "Memory": "holdfast.records",
    "Related": "holdfast.recall.related",
    "Scope": "holdfast.records",
    "Stored": "holdfast.records",
    "open": "holdfast.app.open",
    "__version__": "holdfast.base.package",
}

__all__ = ["Hit", "Holdfast", "HoldfastError", "Memory", "Related", "Scope", "Stored", "open"]


def __getattr__(name: str) -> object:
    if name not in _HOME_OF:
        raise AttributeError(f"holdfast has no public name {name!r}")
    return getattr(__import__(_HOME_OF[name], fromlist=[name]), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
