"""The source of an agent that nobody makes, for tests that add one."""

from __future__ import annotations

DUMMY_AGENT = '''"""Dummy: an agent that nobody makes, with hooks and a server in one settings file."""

from __future__ import annotations

from holdfast.agents.base import Agent


class Dummy(Agent):
    """What it does not say is harmless."""

    name = "dummy"
    title = "Dummy"
    injects = frozenset({"start"})
    events = {"begin": "start", "ask": "prompt", "done": "stop"}

    def injection_output(self, call, text):
        return text

    def folder(self, place):
        return place.root("DUMMY_HOME", ".dummy")

    def parts(self, place, command):
        path = self.folder(place) + "/settings.json"
        return [*self.hook_parts(path, command), self.server_part(path, command)]


AGENT = Dummy()
'''
