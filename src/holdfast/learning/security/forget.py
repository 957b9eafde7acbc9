"""Forgetting a session takes what its calls were out of the audit trail; that they were made stays."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial

from holdfast.base import files, rows
from holdfast.learning.security import model
from holdfast.records import Step
from holdfast.sessions.parts import Change, ForgetTarget

_MAX_LINE = 1 << 24


def forget(target: ForgetTarget) -> Iterator[Change]:
    """Yield the months of the trail that lose texts."""
    for month in files.names_in(os.path.join(target.home, model.FOLDER)):
        place = f"{model.FOLDER}/{month}/{model.FILE}"
        count = len(rows.instead_of(files.read_if_there(os.path.join(target.home, place)), _without_text(target)))
        if count:
            calls = "what 1 call was; that it was" if count == 1 else f"what {count} calls were; that they were"
            yield Change(Step("redact", place, f"{calls} made stays"), partial(_empty_texts, target, place))


def _empty_texts(target: ForgetTarget, place: str) -> None:
    files.refuse_links(target.home, os.path.dirname(place))
    with model.lock_of(target.home):
        rows.rewrite(os.path.join(target.home, place), _without_text(target))


def _without_text(target: ForgetTarget) -> rows.Instead:
    def without(line: bytes) -> bytes | None:
        told = rows.object_in(line, _MAX_LINE)
        if told is None or not target.is_of(told.get("agent"), told.get("session")) or not told.get("text"):
            return None
        return rows.encoded({**told, "text": ""})

    return without
