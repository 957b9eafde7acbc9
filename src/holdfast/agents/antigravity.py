"""Antigravity: its conversations are read."""

from __future__ import annotations

import os

from holdfast.agents.base import Agent, Place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.agents.reading.base import Reading


class Antigravity(Agent):
    """Known by conversations of others: no program of it was run here, and its hooks were not verified."""

    name = "antigravity"
    title = "Antigravity"
    programs = ("agy",)

    def folder(self, place: Place) -> str:
        return os.path.join(place.folder if place.scope == "project" else place.home, ".gemini", "antigravity-cli")

    def find_sessions(self, place: Place) -> Iterator[str]:
        from holdfast.agents.reading import antigravity as reading

        return reading.find(place)

    def read_session(self, path: str) -> Iterator[Reading] | None:
        from holdfast.agents.reading import antigravity as reading

        return reading.read(path) if reading.sniff(path) else None


AGENT = Antigravity()
