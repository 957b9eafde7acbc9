"""The meaning of what was stored meanwhile, made by a hook between two prompts, while nobody waits for an answer."""

from __future__ import annotations

import sqlite3

from holdfast.errors import HoldfastError
from holdfast.recall.embed import Model, to_bytes
from holdfast.store.read_only_index import ReadOnlyIndex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.parts import HookRun

_AT_ONCE = 40


def make_vectors(run: HookRun) -> None:
    """Make the vectors of some memories that have none yet; trouble with that is nobody's."""
    if not run.settings.flag("recall.meaning"):
        return
    try:
        with ReadOnlyIndex(run.home, run.is_late) as index:
            table = index.writable_table()
            model = Model.open()
            table.use_model(model.version)
            missing = table.without_vector(_AT_ONCE)
            made = [(row, to_bytes(model.encode(text))) for row, text in missing if not run.is_late()]
            if made:
                table.put_vectors(made)
    except (HoldfastError, sqlite3.Error):
        return
