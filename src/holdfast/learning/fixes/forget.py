"""Forgetting a session takes its fixes, and what was noted of failures while sessions were open."""

from __future__ import annotations

from holdfast.learning.fixes import model, session_failures
from holdfast.parts import FAILURES
from holdfast.records import Step
from holdfast.sessions.parts import Change, ForgetTarget


def forget(target: ForgetTarget) -> list[Change]:
    """Return what goes."""
    notes = Step("redact", "/".join(FAILURES), "what failed in open sessions, where there is any")
    found = target.in_rows(model.PLACE, model.forget, "its fixes")
    return [*found, Change(notes, lambda: session_failures.drop_all(target.home))]
