"""Forgetting a session takes its signals, and its quotes out of every entry and version of the catalogue."""

from __future__ import annotations

from holdfast.patterns import signal_files
from holdfast.patterns.catalogue import Catalogue
from holdfast.records import Step
from holdfast.sessions.parts import Change, ForgetTarget


def forget(target: ForgetTarget) -> list[Change]:
    """Return the change that takes them, where there are any."""
    step = Step("redact", "patterns", "its signals and its quotes, where there are any")

    def run() -> None:
        signal_files.forget(target.home, target.agent, target.session)
        Catalogue(target.home).forget(target.agent, target.session)

    return [Change(step, run)]
