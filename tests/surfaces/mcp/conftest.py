"""What the tests of the MCP server share."""

from __future__ import annotations

from functools import partial

import pytest

from .talking import Talk


@pytest.fixture
def talk(shop):
    """Start the real server as seen from the shop, as often as a test likes; all of them end with the test."""
    started: list[Talk] = []

    def make(*words: str, **options) -> Talk:
        started.append(Talk(*words, **{"folder": shop, **options}))
        return started[-1]

    yield make
    for one in started:
        one.end()


@pytest.fixture
def started(talk):
    """The same as a process like any other, for a test that looks at the process itself or at who started it."""
    return partial(talk, forked=False)
