"""Forgetting a session takes what was proposed because of what was said in it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from holdfast.learning.said.harvest import SOURCE
from holdfast.memory.proposal_files import FOLDER, SAID_IN, Proposals, id_of, messages_of
from holdfast.records import Step
from holdfast.sessions.parts import Change, ForgetTarget


def forget(target: ForgetTarget) -> Iterator[Change]:
    """Yield the proposals that go, and those that were heard elsewhere first; one that a person edited stays."""
    room = Proposals(target.home)
    for one in room.all()[0]:
        heard = messages_of(one) if one.source == SOURCE else []
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
