"""Which version of each memory of a team this home last saw, so that nobody overwrites what they never saw.

    hub/seen.jsonl      place and number of the change: what came in, was shown, or was acknowledged; the last row holds

A share says which version it is based on. Where the hub has another one since, it applies nothing, and the other's
version waits to be shown.
"""

from __future__ import annotations

import json
import os

from holdfast.base import rows
from holdfast.exchange.hub_allowed import PLACE, Place


class SeenVersions:
    """The versions that one home saw."""

    def __init__(self, home: str) -> None:
        self.path = os.path.join(home, "hub", "seen.jsonl")
        self._known: dict[Place, int] | None = None

    def all(self) -> dict[Place, int]:
        """Return the number of the change that was seen last at each place."""
        if self._known is None:
            self._known = {}
            for line in rows.read(self.path):
                row = rows.object_in(line) or {}
                team, kind, owner, key = (str(row.get(name, "")) for name in PLACE)
                self._known[team, kind, owner, key] = int(str(row.get("change", 0)))
        return self._known

    def note(self, place: Place, change: int) -> None:
        """Note that the person's home saw what a change made of a place."""
        if self.all().get(place) != change:
            rows.append(self.path, [json.dumps({**dict(zip(PLACE, place, strict=True)), "change": change})])
            self.all()[place] = change
