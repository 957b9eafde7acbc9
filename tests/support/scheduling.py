"""Which tests run in one process: those of a file, and those that share a long set-up, such as a real agent's sessions.

The process that hands out tests knows their names alone, so the groups are told by names. Long ones are handed out
first: the one that comes last then keeps nobody waiting.
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
        # These parse every module of the package, once for all of them.
        r"tests/(?:test_architecture|test_extension|surfaces/hook/test_light_idioms)(\.py)",
        # Each of these takes long and shares nothing.
        r"(tests/(?:outside/|surfaces/hook/test_(?:linear|erase)).*)",
        r"([^:]*)",
    )
)
# What is handed out first, and what next: groups named by an agent, what else runs outside programs, and long files.
FIRST = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?!tests/)",
        r"tests/outside/",
        r"tests/(?:surfaces|benchmarks|exchange|app|store|privacy|test_)",
    )
)


class Together(LoadScopeScheduling):
    """Hands out tests by groups, the long ones first."""

    def _split_scope(self, nodeid: str) -> str:
        return next(filter(None, (group.match(nodeid) for group in GROUPS)))[1]

    def _assign_work_unit(self, node) -> None:
        chosen = (next(filter(one.match, self.workqueue), None) for one in FIRST)
        if first := next(filter(None, chosen), None):
            self.workqueue.move_to_end(first, last=False)
        super()._assign_work_unit(node)
