"""Digests of real transcripts, where HOLDFAST_TRANSCRIPTS names a folder of them; nothing of them is kept here."""

from __future__ import annotations

import importlib
import os
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from holdfast.agents import reading
from holdfast.sessions.digest import MAX_BYTES, Digesting, size_of
from holdfast.sessions.transcript import digest_page as markdown

FOLDER = os.environ.get("HOLDFAST_TRANSCRIPTS", "")


def readers() -> Iterator[ModuleType]:
    """Yield the reader of every agent."""
    for found in pkgutil.iter_modules(reading.__path__):
        module = importlib.import_module(f"{reading.__name__}.{found.name}")
        if hasattr(module, "sniff") and hasattr(module, "read"):
            yield module


@pytest.mark.slow
@pytest.mark.skipif(not FOLDER, reason="HOLDFAST_TRANSCRIPTS names no folder")
def test_every_real_session_has_a_small_digest() -> None:
    """Each session that a reader reads gives a digest within its bound that points into its own events."""
    count = 0
    for reader in readers():
        for path in sorted(Path(FOLDER).rglob("*")):
            for session in reader.read(str(path)) if reader.sniff(str(path)) else ():
                digesting, events = Digesting(), 0
                for event in session:
                    digesting.take(event)
                    events += 1
                found = digesting.done(session.session())
                assert size_of(found) <= MAX_BYTES, path
                assert all(one.place < events for one in (*found.files, *found.checks, *found.said)), path
                assert markdown(found).startswith("# ")
                count += 1
    assert count
