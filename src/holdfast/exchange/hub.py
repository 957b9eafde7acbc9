"""This home and a hub: what is shared goes out, what a team knows comes in, and no hook ever waits for a network.

    hub/joined.json     the address, whose token it is, and the token; 0600 as everything
    hub/outbox.jsonl    one row for each memory to share or withdraw: no text, which is read when it is sent
    hub/sent.jsonl      the id of each row that the hub acknowledged
    hub/cached.jsonl    what came in: place, number of the change, digest of what it says; the last row of a place holds
    hub/position.json   the last change of each team that is applied here, and up to when receipts were sent
    hub/seen.jsonl      the version of each place that this home saw last (`hub_seen.py`)

Order. What comes in is stored, then noted in `cached.jsonl`, then the cursor moves; what goes out is acknowledged by
the hub, then noted in `sent.jsonl`. All of it may be done twice, so a sync that was cut off goes on where it was.

What a team shares comes in behind the person's word (`hub_allowed.py`).

Whose. What comes in is imported: it never takes the place of what the person said, forgot or changed here, and has no
rule's force. What is personal is not sent; the hub would refuse it, too.
"""

from __future__ import annotations

import json
import math
import os
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from holdfast.base import files, rows
from holdfast.base.clock import now
from holdfast.base.text import address_parts, hash_of
from holdfast.errors import BadInput, ChangedMeanwhile, Conflict, Forgotten, NotFound, Refused
from holdfast.exchange.hub_allowed import ERASED, PLACE, Place, TeamGate, WaitingChange, erased_key
from holdfast.exchange.hub_asks import HubAsker, Joined
from holdfast.exchange.hub_calls import HubAway, Row, TeamChanges, ToldChange, ToldChanges, ToldMe, is_more
from holdfast.exchange.hub_digests import digests_since, given_since
from holdfast.exchange.hub_seen import SeenVersions
from holdfast.exchange.repository_set import shown_difference, shown_line
from holdfast.exchange.team import is_personal, refuse_personal
from holdfast.journal import notices
from holdfast.memory.remember import put
from holdfast.privacy.redact import redact
from holdfast.records import Draft, Memory, Scope, Step
from holdfast.store import memory_file
from holdfast.store.words import digest
from holdfast.workspace import Workspace

MAX_AT_ONCE = 500
_TELL = "`holdfast hub allow TEAM --dry-run` shows it; `hub allow TEAM` or `hub deny TEAM` decides."


@dataclass(frozen=True)
class Cached:
    """What came in at a place: the number of its change, and what it said; an empty digest is what is gone."""

    change: int
    said: str


class HubClient(HubAsker):
    """One home that joined a hub."""

    def __init__(self, workspace: Workspace, joined: Joined) -> None:
        super().__init__(workspace, joined)
        self.gate = TeamGate(workspace.home)
        self.seen = SeenVersions(workspace.home)
        self._known: dict[Place, Cached] | None = None

    def share(self, key: str, team: str, reason: str, scope: str | None = None) -> Memory:
        """Have a memory sent to a team with the next sync; what is personal is refused."""
        self.workspace.need_person("shares a memory with a team")
        memory = self.workspace.locate(key, scope)
        refuse_personal(memory)
        self._wait("share", team, memory.scope, memory.key, reason)
        return memory

    def withdraw(self, key: str, team: str, reason: str, scope: Scope | None = None) -> Scope:
        """Have a memory of a team withdrawn with the next sync; every client drops it with its own next one.

        Without a scope it is the one in which this home knows that memory of the team.
        """
        self.workspace.need_person("withdraws a memory of a team")
        scope = scope or self._scope_of(key, team)
        self._wait("withdraw", team, scope, key, reason)
        return scope

    def _scope_of(self, key: str, team: str) -> Scope:
        # What somebody shared themselves does not come in: their own word stays.
        shared = [tuple(str(row.get(name, "")) for name in PLACE) for row in self._rows("outbox.jsonl")]
        came = [place for place, one in self.cached().items() if one.said]
        places = {place[1:3] for place in (*came, *self.gate.waits(), *shared) if (place[0], place[3]) == (team, key)}
        if len(places) > 1:
            named = ", ".join(sorted(str(Scope(*place)) for place in places))
            raise BadInput(f"{team} has several memories {key}: {named}", "Say which: --scope, --project.")
        if not places:
            hint = "`holdfast hub sync` fetches what there is; --scope withdraws one that is not known here."
            raise NotFound(f"no memory {key} of {team} is known here", hint)
        return Scope(*places.pop())

    def _wait(self, act: str, team: str, scope: Scope, key: str, reason: str) -> None:
        if not reason.strip():
            raise BadInput("this needs a reason", 'Give --reason "why".')
        why = redact(reason.strip())[0]
        row = {"act": act, "team": team, "kind": scope.kind, "owner": scope.owner, "key": key, "reason": why}
        at = now()
        identity = hash_of(at, *row.values(), os.urandom(8).hex(), length=16)
        rows.append(_file(self.workspace, "outbox.jsonl"), [json.dumps({"id": identity, "at": at, **row})])

    def waiting(self) -> list[dict[str, Any]]:
        """Return what is to be sent, the oldest first."""
        sent = {line.decode() for line in rows.read(_file(self.workspace, "sent.jsonl"))}
        return [row for row in self._rows("outbox.jsonl") if row.get("id") and row["id"] not in sent]

    def _rows(self, name: str) -> list[dict[str, Any]]:
        return [rows.object_in(line) or {} for line in rows.read(_file(self.workspace, name))]

    def sync(self, seconds: float = math.inf) -> Counter[str]:
        """Send what waits, then fetch what changed; return how many were sent, proposed, stored and so on.

        After so many seconds no further request is begun; the next sync goes on.
        """
        done: Counter[str] = Counter()
        ends = self.ends = time.monotonic() + seconds
        for row in self.waiting():
            if time.monotonic() > ends:
                return done
            done[self._sent(row)] += 1
        cursor, teams = self._fetch(done, ends)
        done["receipts"] += self._send_receipts(cursor, teams)
        done["digests"] += self._send_digests(cursor)
        if waiting := self.gate.open_teams():
            told = "teams of your hub share memories that wait for your decision"
            notices.report(self.workspace.home, "hub", told, waiting, hint=_TELL, lasts=True)
        return done

    def _fetch(self, done: Counter[str], ends: float) -> tuple[dict[str, Any], frozenset[str]]:
        """Take what changed since the position, which moves along; return it, and the teams that the hub named.

        Another hub, or this one as it was on the day of a backup, numbers its changes anew: all of it comes again, and
        what it does not have goes here.
        """
        cursor: dict[str, Any] = json.loads(files.read_if_there(_file(self.workspace, "position.json")) or b"{}")
        had, teams, is_known, more = set[Place](), dict[str, TeamChanges](), True, True
        while more and time.monotonic() <= ends:
            after = {team: number for team, number in cursor.items() if isinstance(number, int)}
            answered = self.call("POST", "changes", ToldChanges, {"after": after, "limit": MAX_AT_ONCE})
            teams, which = answered["teams"], answered["hub"]
            if is_known and which and cursor.setdefault("@hub", which) != which:
                cursor, is_known = {name: one for name, one in cursor.items() if name not in after}, False
                continue
            more = is_more(teams, after)
            self._took(teams, cursor, done, had)
        if not more:
            done["removed"] += self._drop(lambda place: place[0] not in teams or not (is_known or place in had))
            kept = {name: one for name, one in cursor.items() if name[0] == "@" or name in teams}
            if kept != cursor or not is_known:
                cursor = {**kept, "@hub": which}
                self._move(cursor)
        return cursor, frozenset(teams)

    def _took(self, teams: dict[str, TeamChanges], cursor: dict[str, Any], done: Counter[str], had: set[Place]) -> None:
        """Take the changes of one answer, and move along."""
        for team, found in teams.items():
            is_trusted = self.gate.trusts(team)
            for change in found["changes"]:
                done[self._take(team, change, is_trusted=is_trusted)] += 1
                had.add(_place(team, change))
            if found["changes"]:
                cursor[team] = found["changes"][-1]["change"]
                self._move(cursor)

    def _drop(self, is_gone: Callable[[Place], bool]) -> int:
        """Take out what the hub no longer tells the person of, and would not withdraw; return how many went."""
        gone = 0
        for place in filter(is_gone, {**self.cached(), **self.gate.waits()}):
            gone += self._take_out(place)
            self.gate.note(place, 0)
        return gone

    def _sent(self, row: dict[str, Any]) -> str:
        """Send one row; what the hub refuses for good is not sent again, and is said."""
        place: Place = (row["team"], row["kind"], row["owner"], row["key"])
        told = {**dict(zip(PLACE, place, strict=True)), "reason": row["reason"]}
        try:
            if row["act"] == "share":
                done = self._share(place, told)
            else:
                self.call("POST", "withdraw", dict[str, Any], told)
                done = "sent"
        except ChangedMeanwhile as problem:
            # The number is that of no change: whichever comes after what was seen is shown.
            self.gate.note(place, self._based(place) + 1)
            self.workspace.say(f"{problem}: `holdfast hub allow {place[0]} --dry-run` shows it; then share it again")
            done = "refused"
        except (Refused, NotFound, Conflict, BadInput) as problem:
            self.workspace.say(f"{row['act']} of {row['key']} was refused: {problem}")
            done = "refused"
        rows.append(_file(self.workspace, "sent.jsonl"), [row["id"]])
        return done

    def _share(self, place: Place, told: Row) -> str:
        """Send a memory as it is now, and say which version of the team's it is based on."""
        memory = self.workspace.store.get(Scope(place[1], place[2]), place[3])
        refuse_personal(memory)
        told |= {"title": memory.title, "text": memory.body, "type": memory.type, "tags": list(memory.tags)}
        numbered = json.loads(files.read_if_there(_file(self.workspace, "position.json")) or b"{}").get("@hub", "")
        told |= {"is_own": memory.trust == "user", "based": self._based(place), "numbered": numbered}
        answered = self.call("POST", "share", dict[str, Any], told)
        if answered.get("action") == "proposed":
            return "proposed"
        if isinstance(answered.get("change"), int):
            self.seen.note(place, answered["change"])
            self.gate.note(place, 0)
        return "sent"

    def _based(self, place: Place) -> int:
        """Return the number of the version of a place that this home saw last."""
        # A home of an earlier version noted only what it stored.
        known = self.cached().get(place)
        return self.seen.all().get(place, known.change if known else 0)

    def _take(self, team: str, change: ToldChange, *, is_trusted: bool) -> str:
        """Apply a change of a trusted team and any withdrawal; another change waits for the person's word.

        What would be about a person, a session or a profile is no team's to say, and is left out.
        """
        if change["text"] is None and change["key"].startswith(ERASED):
            known = {erased_key(place[3]): place[3] for place in (*self.cached(), *self.gate.waits())}
            change = {**change, "key": known.get(change["key"], change["key"])}
        place = _place(team, change)
        here, is_theirs = self._here(place)
        said = _memory(team, change)
        if said is not None and is_personal(said):
            return "kept"
        is_same = said is None or (here is not None and here.body == said.body)
        if is_same:
            self.seen.note(place, change["change"])
        elif is_theirs and place in self.gate.waits():
            # The hub refused what was shared, for it has this one since.
            self.gate.note(place, change["change"])
            return "waits"
        if is_trusted or said is None or is_theirs:
            done = self._apply(team, change)
            self.gate.note(place, 0)
            return done
        if here is not None and is_same:
            self._note(place, change["change"], digest(here.body))
            return "kept"
        self.gate.note(place, change["change"])
        return "waits"

    def _here(self, place: Place) -> tuple[Memory | None, bool]:
        """Return what is here at a place, and whether the person said or changed it, so that it stays."""
        known = self.cached().get(place)
        try:
            here = self.workspace.store.get(Scope(place[1], place[2]), place[3])
        except NotFound:
            return None, False
        except BadInput:
            # Nothing can be at such a place, whatever the hub says of it.
            return None, True
        if known is not None:
            return here, not (here.trust == "import" and digest(here.body) == known.said)
        # A sync that was killed may have stored it and not noted so.
        is_as_it_came = here.created == here.updated and not here.history
        is_ours = here.trust == "import" and here.source == self._source(place[0]) and is_as_it_came
        return here, not is_ours

    def _source(self, team: str) -> str:
        return f"hub:{self.joined.organisation}/{team}"

    def plan(self, team: str) -> list[WaitingChange]:
        """Return what allowing a team would bring, each as the hub has it now; NotFound for no team of the person's."""
        waits = {place: number for place, number in self.gate.waits().items() if place[0] == team}
        after, more, found = min(waits.values(), default=1 << 62) - 1, True, list[WaitingChange]()
        while more:
            asked = {"after": {team: after}, "limit": MAX_AT_ONCE, "teams": [team]}
            teams = self.call("POST", "changes", ToldChanges, asked)["teams"]
            if team not in teams:
                raise NotFound(f"{self.joined.person} is in no team {team}", "`holdfast hub doctor` lists your teams.")
            more = is_more({team: teams[team]}, {team: after})
            for change in teams[team]["changes"]:
                place, after = _place(team, change), change["change"]
                here, is_theirs = self._here(place)
                said = _memory(team, change)
                if place in waits and said is not None and not is_personal(said) and (here or not is_theirs):
                    act = "differs" if is_theirs else "rewrite" if here else "write"
                    reason = shown_difference(here.body, said.body) if here else shown_line(said.body)
                    step = Step(act, f"{team}/{place[3]}", f"yours stays: {reason}" if is_theirs else reason)
                    found.append(WaitingChange(step, place, change))
        for one in found:
            self.seen.note(one.place, one.change["change"])
        return found

    def allow(self, team: str, plan: list[WaitingChange], *, trust: bool) -> Counter[str]:
        """Bring what the plan showed, and remember that the team is allowed; with `trust`, so is what it changes."""
        self.workspace.need_person("decides on what a team brings")
        done: Counter[str] = Counter()
        for one in plan:
            done[self._apply(team, one.change)] += 1
            self.gate.note(one.place, 0)
        self.gate.decide(team, allowed=True, trusted=trust)
        notices.end(self.workspace.home, "hub", team)
        return done

    def deny(self, team: str) -> list[str]:
        """Take out what came from a team, and bring nothing of it; return the keys that went."""
        self.workspace.need_person("decides on what a team brings")
        self.gate.decide(team, allowed=False, trusted=False)
        notices.end(self.workspace.home, "hub", team)
        gone = []
        for place, cached in sorted(self.cached().items()):
            if place[0] == team and self._take_out(place):
                gone.append(place[3])
                # Whoever allows it again is asked for it again.
                self.gate.note(place, cached.change)
        return gone

    def _take_out(self, place: Place) -> bool:
        """Remove what came in at a place, unless it is the person's now; return whether it was there."""
        known = self.cached().get(place)
        team, kind, owner, key = place
        gone = ToldChange(change=known.change if known else 0, kind=kind, owner=owner, key=key, text=None)
        return known is not None and bool(known.said) and self._apply(team, gone) == "removed"

    def _apply(self, team: str, change: ToldChange) -> str:
        """Put one change into this home; return what became of it."""
        scope, key = Scope(change["kind"], change["owner"]), change["key"]
        place = _place(team, change)
        here, is_theirs = self._here(place)
        if is_theirs:
            return "kept"
        memory = _memory(team, change)
        if memory is None:
            if here is not None:
                self.workspace.store.remove(scope, key, forget=False)
            self._note(place, change["change"], "")
            return "removed" if here is not None else "kept"
        draft = Draft(
            *(memory.body, scope, key, memory.title, memory.type, memory.tags, "import"),
            source=self._source(team),
        )
        try:
            stored = put(self.workspace, draft)
        except Forgotten:
            if here is None:
                return "kept"
            # The team says again what it said before; the copy here has no history of its own to keep.
            self.workspace.store.remove(scope, key, forget=False)
            stored = put(self.workspace, draft)
        except (Conflict, Refused, BadInput):
            return "kept"
        self._note(place, change["change"], digest(stored.memory.body))
        return "stored"

    def cached(self) -> dict[Place, Cached]:
        """Return what came in, by team, scope and key."""
        if self._known is not None:
            return self._known
        found: dict[Place, Cached] = {}
        for row in self._rows("cached.jsonl"):
            place = tuple(str(row.get(name, "")) for name in PLACE)
            if place[3]:
                found[place[0], place[1], place[2], place[3]] = Cached(int(str(row["change"])), str(row["said"]))
        self._known = found
        return found

    def _note(self, place: Place, change: int, said: str) -> None:
        row = dict(zip(PLACE, place, strict=True))
        told = {**row, "change": change, "said": said, "at": now()}
        rows.append(_file(self.workspace, "cached.jsonl"), [json.dumps(told)])
        self.cached()[place] = Cached(change, said)
        self.seen.note(place, change)

    def _send_receipts(self, cursor: dict[str, Any], teams: frozenset[str]) -> int:
        """Tell these teams which of their memories sessions here were given since the last time: no word of them."""
        last = str(cursor.get("@receipts", ""))
        newest, told = given_since(self.workspace, self._rows("cached.jsonl"), teams, last)
        for team, given in told.items():
            for start in range(0, len(given), MAX_AT_ONCE):
                part = {"team": team, "receipts": given[start : start + MAX_AT_ONCE]}
                self.call("POST", "receipts", dict[str, int], part)
        if newest != last:
            cursor["@receipts"] = newest
            self._move(cursor)
        return sum(map(len, told.values()))

    def _send_digests(self, cursor: dict[str, Any]) -> int:
        """Tell the team of `hub.digests`, if any, figures of the sessions that ended since the last time."""
        team = self.workspace.settings.text("hub.digests")
        if not team:
            if cursor.pop("@digests", None):
                self._move(cursor)
            return 0
        last = str(cursor.get("@digests", ""))
        found = digests_since(self.workspace, last) if last else []
        if found:
            self.call("POST", "digests", dict[str, int], {"team": team, "digests": found})
        if not last or found:
            # Who switches it on shares from then on.
            cursor["@digests"] = now()
            self._move(cursor)
        return len(found)

    def _move(self, cursor: dict[str, Any]) -> None:
        files.write(_file(self.workspace, "position.json"), json.dumps(cursor).encode())


def join(workspace: Workspace, url: str, token: str) -> tuple[HubClient, list[str]]:
    """Join the hub at an address by a token, and return the teams there; nothing is kept where it does not hold."""
    workspace.need_person("joins a hub")
    check_address(url)
    url = url.rstrip("/")
    try:
        me = HubClient(workspace, Joined(url, "", "", token)).call("GET", "me", ToldMe)
    except HubAway as problem:
        raise HubAway(str(problem), "Nothing was joined. Is the address right, and does the hub run?") from None
    found = Joined(url, me["organisation"], me["person"], token)
    files.make_folder(os.path.join(workspace.home, "hub"))
    files.write(_file(workspace, "joined.json"), json.dumps(vars(found)).encode())
    return HubClient(workspace, found), list(me["teams"])


def check_address(url: str) -> None:
    """Refuse an address over which a token could be read along, before anybody is asked for one."""
    parts = address_parts(url)
    is_near = parts.hostname in ("127.0.0.1", "localhost", "::1")
    if not parts.hostname or (parts.scheme != "https" and not (parts.scheme == "http" and is_near)):
        raise BadInput(
            f"{url!a} is not the address of a hub", "Give https://...; only a hub on this machine may use http."
        )


def leave(workspace: Workspace) -> None:
    """Leave the hub: the token goes, and what came in stays as imported memories."""
    workspace.need_person("leaves a hub")
    client(workspace)
    os.unlink(_file(workspace, "joined.json"))


def is_joined(workspace: Workspace) -> bool:
    """Whether this home joined a hub."""
    return os.path.exists(_file(workspace, "joined.json"))


def client(workspace: Workspace) -> HubClient:
    """Return the client of the hub that this home joined; NotFound where it joined none."""
    found = files.read_if_there(_file(workspace, "joined.json"))
    if not found:
        raise NotFound("this home has not joined a hub", "`holdfast hub join URL` joins one.")
    return HubClient(workspace, Joined(**json.loads(found)))


def _place(team: str, change: ToldChange) -> Place:
    return team, change["kind"], change["owner"], change["key"]


def _memory(team: str, change: ToldChange) -> Memory | None:
    """Return the memory that a change of a team says; None where it is gone."""
    if change["text"] is None:
        return None
    scope, key = Scope(change["kind"], change["owner"]), change["key"]
    return memory_file.read(change["text"], memory_file.FilePlace(f"hub/{team}/{key}.md", scope, key, now()))[0]


def _file(workspace: Workspace, name: str) -> str:
    return os.path.join(workspace.home, "hub", name)
