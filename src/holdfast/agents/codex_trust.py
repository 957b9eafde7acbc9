"""Which hooks Codex runs: `[hooks.state]` of its config.toml has an entry for each hook that the person trusted.

An entry is named `FILE:EVENT:GROUP:PLACE`: the file of the hook, the event as `session_start`, and two places from 0.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from typing import Any


def untrusted(path: str, config: str, mark: str) -> tuple[str, ...]:
    """Return the events whose hooks with the mark in their line are not trusted, or switched off.

    A file that cannot be read, or is not as expected, says nothing about trust.
    """
    try:
        with open(path, encoding="utf-8") as file:
            events = json.load(file)["hooks"]
        with open(config, "rb") as own:
            state = tomllib.load(own).get("hooks", {}).get("state", {})
        return tuple(event for event, groups in events.items() if not _is_trusted(path, event, groups, state, mark))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return ()


def _is_trusted(path: str, event: str, groups: list[dict[str, Any]], state: dict[str, Any], mark: str) -> bool:
    spelled = re.sub(r"(?<=.)(?=[A-Z])", "_", event).lower()
    for at, group in enumerate(groups):
        for place, hook in enumerate(group["hooks"]):
            # A home named by its variable is resolved first, the default one is not.
            names = [f"{file}:{spelled}:{at}:{place}" for file in (path, os.path.realpath(path))]
            entry: dict[str, Any] = next((state[name] for name in names if name in state), {})
            if mark in hook.get("command", "") and not (entry.get("trusted_hash") and entry.get("enabled", True)):
                return False
    return True
