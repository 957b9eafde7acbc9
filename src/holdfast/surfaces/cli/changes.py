"""Changes of files, as the commands print them that show a diff before they act."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.app import install

if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.agents.base import Change


def changes_json(changes: Iterable[Change]) -> list[dict[str, str]]:
    """Return changes of files as `--json` promises them (docs/json.md)."""
    return [
        {
            "path": change.path,
            "act": "create" if change.before is None else "remove" if change.after is None else "edit",
            "diff": install.diff((change,)),
        }
        for change in changes
    ]
