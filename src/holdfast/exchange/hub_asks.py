"""What a person asks of the hub that their home joined, and what they decide there: nothing of it changes the home."""

from __future__ import annotations

import math
from dataclasses import dataclass
from urllib.parse import urlencode

from holdfast.exchange.hub_calls import Answer, Row, ToldVerdict, ToldWithdrawn, ask, ask_rows
from holdfast.workspace import Workspace


@dataclass(frozen=True)
class Joined:
    """The hub of this home, and who the person is there."""

    url: str
    organisation: str
    person: str
    token: str


class HubAsker:
    """One home that joined a hub, and asks it."""

    def __init__(self, workspace: Workspace, joined: Joined) -> None:
        self.workspace = workspace
        self.joined = joined
        # When the last answer is to be there.
        self.ends = math.inf

    def call(self, method: str, path: str, kind: type[Answer], data: object = None) -> Answer:
        """Return what the hub answers, as that type; what it refuses is an error of ours."""
        return ask(self.joined.url, self.joined.token, method, path, kind, data, self.ends)

    def _shown(self, path: str, name: str, needed: str, **asked: str | int) -> list[Row]:
        """Return rows that the hub shows the person, with what is needed of each."""
        query = f"?{urlencode(asked)}" if asked else ""
        return ask_rows(self.joined.url, self.joined.token, path + query, name, needed.split())

    def mine(self) -> list[Row]:
        """Return all figures that the person shares."""
        return self._shown("mine", "digests", "week team project agent outcome signals")

    def take_back(self) -> int:
        """Take back all figures that the person shares; return how many sessions they were of."""
        self.workspace.need_person("takes back what they share")
        return self.call("POST", "take-back", ToldWithdrawn, {})["withdrawn"]

    def figures(self, team: str, by: str) -> list[Row]:
        """Return the figures of groups of a team, or with `signal` what recurs over its people."""
        return self._shown("figures", "groups", "people", team=team, by=by)

    def trace(self, key: str, team: str = "") -> list[Row]:
        """Return who was given a memory, of one team or of all of the person's: the latest first."""
        return self._shown("trace", "given", "person team version at is_gone", team=team, key=key)

    def proposals(self, state: str = "open", which: int | None = None) -> list[Row]:
        """Return what the person proposed or reviews, each with its diff; with `which`, that one."""
        asked = {} if which is None else {"id": which}
        needed = "id state team kind owner key type person made reason decided_by answer diff is_stale"
        return self._shown("proposals", "proposals", needed, state=state, **asked)

    def decide(self, which: int, *, approve: bool, reason: str) -> ToldVerdict:
        """Approve or reject a proposal; only a person does."""
        self.workspace.need_person("decides on a proposal")
        sent = {"id": which, "approve": approve, "reason": reason}
        return self.call("POST", "decide", ToldVerdict, sent)
