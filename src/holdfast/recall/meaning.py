"""The model of meaning as a workspace uses it, and the search through its vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from holdfast.errors import StoreUnavailable
from holdfast.recall.embed import Model
from holdfast.recall.scan import Scan

if TYPE_CHECKING:
    from holdfast.store.base import SearchTable, Store
    from holdfast.workspace import Workspace

# What an open store keeps from one recall to the next.
_MODELS: WeakKeyDictionary[Store, Model | None] = WeakKeyDictionary()
_SCANS: WeakKeyDictionary[Store, Scan] = WeakKeyDictionary()


def model_of(workspace: Workspace) -> Model | None:
    """Return the model of meaning, or None where it is switched off or cannot be read; the latter is said once."""
    if not workspace.settings.flag("recall.meaning"):
        return None
    store = workspace.store
    if store not in _MODELS:
        _MODELS[store] = None
        try:
            _MODELS[store] = Model.open()
        except StoreUnavailable as problem:
            workspace.say(f"recall searches by words alone: {problem}. {problem.hint}")
    return _MODELS[store]


def scan_of(workspace: Workspace, table: SearchTable) -> Scan:
    """Return what finds the nearest by meaning; it keeps the vectors as long as the store is open."""
    scan = _SCANS.get(workspace.store)
    if scan is None:
        scan = _SCANS[workspace.store] = Scan(table)
    scan.table = table
    return scan
