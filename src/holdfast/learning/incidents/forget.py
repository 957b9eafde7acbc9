"""Forgetting a session takes its incidents along; what a person put into one stays under a name without words."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial

from holdfast.learning.incidents.model import Incident, Incidents, sentiment
from holdfast.records import Step
from holdfast.sessions.parts import Change, ForgetTarget


def forget(target: ForgetTarget) -> Iterator[Change]:
    """Yield the incidents that go, and what stays of them."""
    for one in incidents_of(target):
        step = Step("remove", os.path.relpath(one.path, target.home), "an incident of it", one.size)
        by_hand = f"{one.path.rpartition('_')[0]}_by-hand-{one.rating[:6]}"
        yield Change(step, partial(_remove, target, one, by_hand))
        if own := sorted(set(os.listdir(one.path)) - one.sizes.keys()):
            place = os.path.relpath(by_hand, target.home)
            yield Change(Step("keep", place, f"written by hand: {', '.join(own)}"))


def _remove(target: ForgetTarget, one: Incident, by_hand: str) -> None:
    """Remove an incident; what is not ours in its folder stays in one of another name."""
    Incidents(target.home).forget(target.agent, target.session)
    if os.path.isdir(one.path):
        os.rename(one.path, by_hand)


def incidents_of(target: ForgetTarget) -> list[Incident]:
    """Return the incidents of the session."""
    told = [(one, sentiment(one.path)) for one in Incidents(target.home).all()]
    return [one for one, row in told if target.is_of(row.get("agent"), row.get("session"))]
