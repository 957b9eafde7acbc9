"""What the tests of the MCP server share."""

from __future__ import annotations

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
