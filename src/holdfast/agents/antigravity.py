"""Antigravity: its conversations are read."""

from __future__ import annotations

import os

from holdfast.agents.base import Agent, Place


class Antigravity(Agent):
    """Known by conversations of others: no program of it was run here, and its hooks were not verified."""

    name = "antigravity"
    title = "Antigravity"
    programs = ("agy",)
    session_meta = "antigravity.google/conversation_id"
    reader = "holdfast.agents.reading.antigravity"

    def folder(self, place: Place) -> str:
        return os.path.join(place.folder if place.scope == "project" else place.home, ".gemini", "antigravity-cli")


AGENT = Antigravity()
