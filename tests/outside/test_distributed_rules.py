"""What is distributed as a rule or a skill is read by the real agents, once, and not any more when it is withdrawn."""

from __future__ import annotations

import pytest

from outside.life import PATTERNS, Life


@pytest.mark.parametrize("id", PATTERNS, ids=lambda id: "-".join(PATTERNS[id]))
def test_what_is_distributed_is_in_the_request_once(life: Life, id: str) -> None:
    """A rule, or the description of a skill, of the project or of everywhere, stands in the first request once."""
    assert life.first.first.count(life.marks.patterns[id]) == 1


@pytest.mark.parametrize("id", PATTERNS, ids=lambda id: "-".join(PATTERNS[id]))
def test_what_is_withdrawn_is_gone(life: Life, id: str) -> None:
    """When it is withdrawn, the model reads none of it any more."""
    assert life.second.first.count(life.marks.patterns[id]) == 0
