"""Whether a call of a tool comes from a sub-agent of Claude Code.

All agents of a session share one MCP server, and a call names only its own id. That id stands in the transcript of
whoever made it; a transcript is written a moment behind, so it is looked for again for as long as a person hardly
notices. While a sub-agent is at work and the call stands nowhere yet, it counts as the sub-agent's.
"""

from __future__ import annotations

import os
import time

from holdfast.base import files

_TAIL = 1 << 18
_ACTIVE_SECONDS = 600.0
_WAIT_SECONDS = 0.6
_STEP_SECONDS = 0.05


def made_by_subagent(config: str, session: str, call: str) -> bool:
    """Whether the call stands in the transcript of one of the session's sub-agents and not in its own."""
    own, active = _transcripts(os.path.join(config, "projects"), session)
    if not active:
        return False
    until = time.monotonic() + _WAIT_SECONDS
    while True:
        if any(_has(path, call) for path in active):
            return True
        if _has(own, call):
            return False
        if time.monotonic() >= until:
            return True
        time.sleep(_STEP_SECONDS)


def _transcripts(projects: str, session: str) -> tuple[str, list[str]]:
    """Return the transcript of the session, and those of its sub-agents that were written to lately."""
    try:
        for one in os.scandir(projects):
            folder = os.path.join(one.path, session, "subagents")
            if os.path.isdir(folder):
                lately = time.time() - _ACTIVE_SECONDS
                active = [each.path for each in os.scandir(folder) if each.is_file() and each.stat().st_mtime > lately]
                return os.path.join(one.path, f"{session}.jsonl"), active
    except OSError:
        pass
    return "", []


def _has(path: str, call: str) -> bool:
    try:
        return call.encode("utf-8", "replace") in files.read_tail(path, _TAIL)[0]
    except OSError:
        return False
