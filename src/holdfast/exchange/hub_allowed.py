"""What a person decided about the teams of a hub, and what of them waits for their word.

    hub/allowed.json     for each team: whether it was allowed, whether its changes need no second word, and when
    hub/waits.jsonl      place and number of each change that waits; the last row of a place holds, 0 is nothing

As with what a repository brings (`repository_set.py`), joining says nothing yet: until a team is allowed, no agent is
told a word of it. What changes later waits and is shown as a difference, unless the team is trusted. What is withdrawn
goes at once: taking away is the safe direction. Of what waits no word is kept here; it is fetched when it is shown.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass

from holdfast.base import files, rows
from holdfast.base.clock import now
from holdfast.base.text import hash_of
from holdfast.errors import BrokenFile
from holdfast.exchange.hub_calls import ToldChange
from holdfast.records import Step

Place = tuple[str, str, str, str]
ERASED = "erased-"
PLACE = ("team", "kind", "owner", "key")


def erased_key(key: str) -> str:
    """Return what stands in a feed for the key of a memory that was erased: who has the memory knows it by that."""
    return f"{ERASED}{hash_of('key', key, length=24)}"


@dataclass(frozen=True, slots=True)
class TeamDecision:
    """What the person decided about a team."""

    allowed: bool
    trusted: bool
    at: str


@dataclass(frozen=True, slots=True)
class WaitingChange:
    """One change of a team that allowing would bring: what the person is shown, and the change as the hub sent it."""

    step: Step
    place: Place
    change: ToldChange


class TeamGate:
    """The decisions of one home, and what waits for one."""

    def __init__(self, home: str) -> None:
        self.home = home
        self._waits: dict[Place, int] | None = None

    def decided(self) -> dict[str, TeamDecision]:
        """Return what was decided, by team."""
        path = os.path.join(self.home, "hub", "allowed.json")
        try:
            found = json.loads(files.read_if_there(path) or b"{}")
            return {team: TeamDecision(**one) for team, one in found.items()}
        except (ValueError, TypeError, AttributeError) as problem:
            hint = "Move it away; teams are then asked for again."
            raise BrokenFile(f"{path} cannot be read: {problem}", hint) from None

    def decide(self, team: str, *, allowed: bool, trusted: bool) -> None:
        """Keep what the person decided about a team."""
        with files.lock_of(self.home, "allowed"):
            every = {**self.decided(), team: TeamDecision(allowed, trusted, now())}
            data = json.dumps({name: asdict(one) for name, one in sorted(every.items())}, indent=1)
            files.write(os.path.join(self.home, "hub", "allowed.json"), data.encode() + b"\n")

    def trusts(self, team: str) -> bool:
        """Whether what the team changes is told without another word."""
        found = self.decided().get(team)
        return found is not None and found.allowed and found.trusted

    def waits(self) -> dict[Place, int]:
        """Return the number of each change that waits, by its place."""
        if self._waits is None:
            self._waits = {}
            for line in rows.read(os.path.join(self.home, "hub", "waits.jsonl")):
                row = rows.object_in(line) or {}
                team, kind, owner, key = (str(row.get(name, "")) for name in PLACE)
                self._set((team, kind, owner, key), int(str(row.get("change", 0))))
        return self._waits

    def note(self, place: Place, change: int) -> None:
        """Note that a change waits; with 0, that nothing does there any more."""
        if self.waits().get(place, 0) != change:
            row = dict(zip(PLACE, place, strict=True))
            rows.append(os.path.join(self.home, "hub", "waits.jsonl"), [json.dumps({**row, "change": change})])
            self._set(place, change)

    def _set(self, place: Place, change: int) -> None:
        assert self._waits is not None
        if change:
            self._waits[place] = change
        else:
            self._waits.pop(place, None)

    def open_teams(self) -> list[str]:
        """Return the teams of which something waits and that the person did not deny."""
        denied = {team for team, one in self.decided().items() if not one.allowed}
        return sorted({place[0] for place in self.waits()} - denied)
