"""Which tests run in one process: those that share a long set-up, such as the sessions of a real agent.

The process that hands out tests knows their names alone, so the groups are told by names.
"""

from __future__ import annotations

import re

from xdist.scheduler import LoadScopeScheduling

_AGENTS = "claude-code|codex|gemini-cli|opencode|grok"
_LIFE = "memory_reaches_the_model|broken_store|uninstall|distributed_rules|security|sessions"
# Tests whose names match are one group for each text that stands for the parenthesis.
GROUPS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"tests/outside/test_(?:{_LIFE})\.py::.*\[({_AGENTS})",
        # With the bracket these are groups apart from those above.
        rf"tests/outside/test_(?:rules|ways_in)\.py::.*(\[(?:{_AGENTS}))",
        r"(tests/outside/test_(?:five_agents|page)\.py)",
        r"(tests/benchmarks/test_(?:patterns|rating_sets)\.py)",
        r"(tests/surfaces/hook/test_light_idioms\.py)",
        r"(tests/test_docs\.py::test_json_has_the_fields_that_are_promised)",
    )
)


class Together(LoadScopeScheduling):
    """Hands out tests one by one, and those of a group to one process."""

    def _split_scope(self, nodeid: str) -> str:
        found = next(filter(None, (group.match(nodeid) for group in GROUPS)), None)
        return found[1] if found else nodeid
