"""Forgetting a session takes what was proposed because of what was said in it, and what the judge said of that."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from holdfast.base import files, rows
from holdfast.base.text import count
from holdfast.learning.said import judgements
from holdfast.memory.proposal_files import FOLDER, JUDGE, SAID_IN, Proposals, id_of, messages_of
from holdfast.records import Step
from holdfast.sessions.parts import Change, ForgetTarget


def forget(target: ForgetTarget) -> Iterator[Change]:
    """Yield the proposals that go, and those that were heard elsewhere first; one that a person edited stays."""
    path, instead = judgements.path_of(target.home), judgements.without(target.name)
    if many := len(rows.instead_of(files.read_if_there(path), instead)):
        step = Step("redact", "state/judgements", f"{count(many, 'row')} of what the judge said of its messages")
        yield Change(step, partial(rows.rewrite, path, instead))
    room = Proposals(target.home)
    for one in room.all()[0]:
        heard = messages_of(one) if one.source == JUDGE else []
        kept = [each for each in heard if not each.startswith(f"{SAID_IN}{target.name}, ")]
        place = f"{FOLDER}/{one.id}.md"
        if kept == heard:
            continue
        if kept[:1] == heard[:1]:
            yield Change(Step("redact", place, f"heard there, too: {one.title}"), partial(room.set_heard, one, kept))
        elif id_of(one.scope, one.text) == one.id:
            yield Change(Step("remove", place, f"proposed because of it: {one.title}"), partial(room.drop, one))
        else:
            yield Change(Step("keep", place, "a proposal that you edited; `holdfast proposals reject` takes it"))
