"""Incidents: the whole context of something that went badly wrong, one folder for each rating from 1 to 3.

Identity. `learning/failures/YYYY-MM/<YYYY-MM-DD-HHMMSS>_<eight-words>/`; the time is that of the rating, and its id is
in `sentiment.json`, so that an incident is made once.

Writing. CONTEXT.md comes last: a folder without it was cut short by a crash, and is made again.

Budget. Over `learning.incident_bytes` the transcripts of the oldest go first, then their tool calls; never CONTEXT.md,
and never what tells the rating. Texts come here without secrets.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from holdfast.base import files
from holdfast.base.clock import stamp_of
from holdfast.errors import HoldfastError
from holdfast.records import Step
from holdfast.store.keys import hashed, slug

FOLDER = "learning/failures"
CONTEXT, TRANSCRIPT, SENTIMENT, CALLS = "CONTEXT.md", "transcript.jsonl", "sentiment.json", "tool-calls.json"
WORST = 3
# What the budget takes, in this order.
_GOES = (TRANSCRIPT, CALLS)
_WORDS = 8
_LONGEST_NAME = 80
_MAX_SENTIMENT = 65_536


@dataclass(frozen=True, slots=True)
class Incident:
    """One incident on the disk: its folder, its name, the id of its rating, and the bytes of each of its files."""

    path: str
    name: str
    rating: str
    sizes: dict[str, int]

    @property
    def size(self) -> int:
        """All of its bytes."""
        return sum(self.sizes.values())


def name_of(at: str, about: str) -> str:
    """Return the name of the folder of an incident: the moment, and eight words of what it is about."""
    words = slug(" ".join(about.split()[:_WORDS]))[:_LONGEST_NAME].rstrip("-")
    return f"{stamp_of(at)[1]}_{words or hashed(about)}"


class Incidents:
    """The incidents of one home."""

    def __init__(self, home: str) -> None:
        self.home = home

    def all(self) -> list[Incident]:
        """Return every whole incident, the oldest first. No link is followed."""
        base = os.path.join(self.home, FOLDER)
        if files.link_on_the_way(self.home, FOLDER):
            return []
        found = []
        for month in sorted(files.folders_in(base)):
            for name in sorted(files.folders_in(os.path.join(base, month))):
                path = os.path.join(base, month, name)
                sizes = _sizes(path)
                if CONTEXT in sizes:
                    found.append(Incident(path, name, rating_of(path), sizes))
        return sorted(found, key=lambda one: one.name)

    def find(self, at: str, about: str, rating: str) -> str:
        """Return the folder of the incident of a rating: where it is, or where it has to be made."""
        base = os.path.join(self.home, FOLDER, stamp_of(at)[0])
        name = name_of(at, about)
        for place in (name, f"{name}-{rating[:6]}"):
            path = os.path.join(base, place)
            # Another rating of the same second with the same words has a folder of its own.
            if not os.path.lexists(path) or rating_of(path) in ("", rating):
                return path
        return os.path.join(base, f"{name}-{rating}")

    def has(self, path: str) -> bool:
        """Whether the incident of that folder is there, whole."""
        return os.path.lexists(os.path.join(path, CONTEXT))

    def put(self, path: str, contents: Mapping[str, bytes]) -> bool:
        """Write the files of an incident; False where it is there already, whole."""
        if self.has(path):
            return False
        files.refuse_links(self.home, os.path.relpath(path, self.home))
        files.make_folder(path)
        files.clear_leftovers(path)
        for name in sorted(contents, key=lambda one: (one == CONTEXT, one != SENTIMENT)):
            files.write(os.path.join(path, name), contents[name], durable=name in (CONTEXT, SENTIMENT))
        return True

    def forget(self, agent: str, session: str) -> int:
        """Remove the incidents of a session for good, CONTEXT.md last; return how many."""
        gone = 0
        for one in self.all():
            told = sentiment(one.path)
            if (told.get("agent"), told.get("session")) == (agent, session):
                for name in (TRANSCRIPT, CALLS, SENTIMENT, CONTEXT):
                    files.remove(os.path.join(one.path, name))
                with suppress(OSError):
                    os.rmdir(one.path)
                gone += 1
        return gone


def rating_of(path: str) -> str:
    """Return the id of the rating that an incident was made of; nothing where it does not say."""
    return str(sentiment(path).get("id", ""))


def sentiment(path: str) -> dict[str, object]:
    """Return the rating that an incident was made of, as it was written; empty where it cannot be read."""
    try:
        told = json.loads(files.read(os.path.join(path, SENTIMENT), _MAX_SENTIMENT).decode("utf-8", "replace"))
    except (HoldfastError, ValueError):
        return {}
    return told if isinstance(told, dict) else {}


def plan(incidents: list[Incident], budget: int) -> list[Step]:
    """Return what has to go so that incidents stay within their budget: the oldest transcripts, then tool calls."""
    over = sum(one.size for one in incidents) - budget
    steps: list[Step] = []
    for name in _GOES:
        for one in incidents:
            if over <= 0:
                return steps
            size = one.sizes.get(name, 0)
            if size:
                steps.append(
                    Step("drop", os.path.join(one.path, name), f"incidents take more than {budget:,} bytes", size)
                )
                over -= size
    return steps


def apply(steps: list[Step]) -> int:
    """Remove what the plan says; return the bytes that it freed."""
    for step in steps:
        files.remove(step.target)
    return sum(step.size for step in steps)


def as_json(value: object) -> bytes:
    """Return a value as the bytes of a JSON file."""
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def _sizes(path: str) -> dict[str, int]:
    found = {}
    for name in (CONTEXT, TRANSCRIPT, SENTIMENT, CALLS):
        try:
            found[name] = os.lstat(os.path.join(path, name)).st_size
        except OSError:
            continue
    return found


__all__ = ["Incident", "Incidents", "apply", "as_json", "name_of", "plan", "rating_of", "sentiment"]
