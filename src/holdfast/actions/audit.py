"""The change history: one line for each act that Holdfast did by itself, in `updates/`."""

from __future__ import annotations

import os

from holdfast.actions.house import House, now
from holdfast.store import files


def note(house: House, command: str, target: str, reason: str) -> None:
    """Append one line to this month's page."""
    at = now()
    folder = os.path.join(house.home, "updates")
    files.make_folder(folder)
    line = f"- {at} {command} `{target}`: {' '.join(reason.split())}\n"
    files.append(os.path.join(folder, f"{at[:7]}.md"), line.encode("utf-8", "replace"))
