"""The part of patterns in forgetting a session: its signals go, and its quotes out of every entry and version."""

from __future__ import annotations

from holdfast.patterns import signal_files
from holdfast.patterns.catalogue import Catalogue


def forget(home: str, agent: str, session: str) -> None:
    """Take out what patterns know of a session."""
    signal_files.forget(home, agent, session)
    Catalogue(home).forget(agent, session)
