"""Memories that the person may have taken back: until they decide on the proposal, each is told with a warning."""

from __future__ import annotations

import os

_LEAD = "[may be taken back{}: ask first] "
_SINCE = ', they said since: "{}"'


def doubted_memories(home: str) -> dict[tuple[str, str, str], str]:
    """Return what stands before each memory that their own later words may have ended, by scope, owner and key."""
    if not os.path.isdir(os.path.join(home, "proposals")):
        return {}
    from holdfast.memory.proposal_files import Proposals

    return {
        (one.scope.kind, one.scope.owner, one.replaces): _LEAD.format(
            _SINCE.format(one.text) if one.kind == "memory" else ""
        )
        for one in Proposals(home).taking_back()
    }
