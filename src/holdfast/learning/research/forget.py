"""Forgetting a session takes what its sub-agents handed over."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from holdfast.learning.research import model
from holdfast.records import Step
from holdfast.sessions.parts import Change, ForgetTarget


def forget(target: ForgetTarget) -> Iterator[Change]:
    """Yield the reports that go."""
    for report in model.all_reports(target.home):
        if report.agent == target.agent and target.session in (report.session, report.parent):
            step = Step("remove", report.path, "what a sub-agent handed over")
            yield Change(step, partial(model.forget, target.home, target.agent, target.session))
