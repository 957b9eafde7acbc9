"""What Codex notes in `memories/`: blocks of tasks, each for one folder, with lists that only lead to its own files.

The form is the one that the program itself asks for: `# Task Group:` with `scope:` and `applies_to: cwd=...`, tasks
with their `rollout_summary_files` and `keywords`, and behind them what was learned. Of these the last is knowledge.
"""

from __future__ import annotations

import os
import re

_BLOCK = "# Task Group:"
_FOLDERS = re.compile(r"(?<![\w.])[~/][^\s;,()`\"']*")
# Lines about a block, and headings of what leads to files of its own.
_ABOUT = ("scope:", "applies_to:", "v1")
_LEADS = ("### rollout_summary_files", "### extension_resource_files", "### keywords", "## What's in Memory")
_TASKS = re.compile(r"(?:\s*\[Task \d+\])+\s*$")


def parts(text: str, folder: str, home: str) -> list[tuple[str, str]]:
    """Return what of it holds everywhere and what in the project at the folder, each with its lines at their place.

    A block for another folder is left out: what was learned there holds there.
    """
    kept: dict[str, list[str]] = {"global": [], "project": []}
    lines = text.splitlines()
    scope, level = "global", 0
    for number, line in enumerate(lines):
        depth = len(line) - len(line.lstrip("#")) if line.startswith("#") else 0
        if line.startswith(_BLOCK):
            about = [one for one in lines[number + 1 : number + 6] if one.startswith(_ABOUT[1])]
            scope = _holds_in("".join(about).partition(";")[0], folder, home)
        if depth and (not level or depth <= level):
            level = depth if line.startswith(_LEADS) else 0
        is_said = not (level or line.startswith(_BLOCK) or line.strip() == _ABOUT[-1] or line.startswith(_ABOUT[:2]))
        for name, found in kept.items():
            found.append(_TASKS.sub("", line) if is_said and name == scope else "")
    return [(name, "\n".join(found)) for name, found in kept.items() if any(found)]


def _holds_in(said: str, folder: str, home: str) -> str:
    """Return the scope of a block: that of the project where it names a folder of it, and none where another one."""
    named = [os.path.realpath(home + one[1:] if one[0] == "~" else one) for one in _FOLDERS.findall(said)]
    here = os.path.realpath(folder) if folder else ""
    if any(here and (one == here or one.startswith(here + os.sep)) for one in named):
        return "project"
    # A folder with the project in it is where many of them are.
    return "" if named and not any(here.startswith(one.rstrip(os.sep) + os.sep) for one in named) else "global"
