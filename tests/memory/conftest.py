"""What the tests of memory share."""

from __future__ import annotations

import pytest

from holdfast.memory.remember import remember


@pytest.fixture
def three(workspace):
    """Two memories of the shop and one of all."""
    with workspace() as h:
        for key, scope in (("a", "project"), ("b", "project"), ("c", "global")):
            remember(h, f"Apples {key}.", key=key, scope=scope)
    return workspace
