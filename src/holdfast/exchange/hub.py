"""This home and a hub: what is shared goes out, what a team knows comes in, and no hook ever waits for a network.

    hub/joined.json     the address, whose token it is, and the token; 0600 as everything
    hub/outbox.jsonl    one row for each memory to share or withdraw: no text, which is read when it is sent
    hub/sent.jsonl      the id of each row that the hub acknowledged
    hub/cached.jsonl    what came in: place, number of the change, digest of what it says; the last row of a place holds
    hub/position.json     the last change of each team that is applied here, and up to when receipts were sent

Order. What comes in is stored, then noted in `cached.jsonl`, then the cursor moves; what goes out is acknowledged by
the hub, then noted in `sent.jsonl`. All of it may be done twice, so a sync that was cut off goes on where it was.

Whose. What comes in is imported: it never takes the place of what the person said, forgot or changed here, and has no
rule's force. What is personal is not sent; the hub would refuse it, too.
"""

from __future__ import annotations

import http.client
import json
import os
import urllib.error
import urllib.request
from collections import Counter
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode, urlsplit

from holdfast.base import files, rows
from holdfast.base.clock import now
from holdfast.base.digests import short
from holdfast.errors import BadInput, Conflict, Forgotten, HoldfastError, NotFound, Refused, StoreUnavailable
from holdfast.exchange.team import refuse_personal
from holdfast.inject.receipts import receipts
from holdfast.memory.remember import put
from holdfast.records import Draft, Memory, Scope
from holdfast.store import memory_file
from holdfast.store.words import digest
from holdfast.workspace import Workspace

MAX_AT_ONCE = 500
_SECONDS = 20.0
# What a hub refuses for good; anything else may hold another time, and waits.
_PROBLEMS: dict[int, type[HoldfastError]] = {403: Refused, 404: NotFound, 409: Conflict, 422: BadInput}
Place = tuple[str, str, str, str]


@dataclass(frozen=True)
class Joined:
    """The hub of this home, and who the person is there."""

    url: str
    organisation: str
    person: str
    token: str


@dataclass(frozen=True)
class Cached:
    """What came in at a place: the number of its change, and what it said; an empty digest is what is gone."""

    change: int
    said: str


class HubClient:
    """One home that joined a hub."""

    def __init__(self, workspace: Workspace, joined: Joined) -> None:
        self.workspace = workspace
        self.joined = joined
        self._known: dict[Place, Cached] | None = None

    def call(self, method: str, path: str, data: object = None) -> Any:
        """Return what the hub answers; what it refuses is an error of ours."""
        body = None if data is None else json.dumps(data).encode()
        request = urllib.request.Request(f"{self.joined.url}/hub/v1/{path}", body, method=method)  # noqa: S310
        request.add_header("Authorization", f"Bearer {self.joined.token}")
        request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, timeout=_SECONDS) as answered:  # noqa: S310
                return json.load(answered)
        except urllib.error.HTTPError as problem:
            told = _told(problem)
            kind = _PROBLEMS.get(problem.code, StoreUnavailable)
            raise kind(told.get("detail", f"the hub answers {problem.code}"), told.get("hint", "")) from None
        except (OSError, http.client.HTTPException, ValueError) as problem:
            reason = getattr(problem, "reason", problem)
            raise StoreUnavailable(
                f"the hub does not answer: {reason}", "What is to be sent waits; sync again later."
            ) from None

    def share(self, key: str, team: str, reason: str, scope: str | None = None) -> Memory:
        """Have a memory sent to a team with the next sync; what is personal is refused."""
        self.workspace.need_person("shares a memory with a team")
        memory = self.workspace.locate(key, scope)
        refuse_personal(memory)
        self._wait("share", team, memory.scope, memory.key, reason)
        return memory

    def withdraw(self, key: str, team: str, reason: str, scope: Scope) -> None:
        """Have a memory of a team withdrawn with the next sync; every client drops it with its own next one."""
        self.workspace.need_person("withdraws a memory of a team")
        self._wait("withdraw", team, scope, key, reason)

    def _wait(self, act: str, team: str, scope: Scope, key: str, reason: str) -> None:
        if not reason.strip():
            raise BadInput("it needs a reason", 'Give --reason "why".')
        row = {"act": act, "team": team, "kind": scope.kind, "owner": scope.owner, "key": key, "reason": reason.strip()}
        at = now()
        identity = short(at, *row.values(), os.urandom(8).hex(), length=16)
        rows.append(_file(self.workspace, "outbox.jsonl"), [json.dumps({"id": identity, "at": at, **row})])

    def waiting(self) -> list[dict[str, Any]]:
        """Return what is to be sent, the oldest first."""
        sent = {line.decode() for line in rows.read(_file(self.workspace, "sent.jsonl"))}
        listed = [rows.object_in(line) or {} for line in rows.read(_file(self.workspace, "outbox.jsonl"))]
        return [row for row in listed if row.get("id") and row["id"] not in sent]

    def sync(self) -> Counter[str]:
        """Send what waits, then fetch what changed; return how many were sent, refused, stored, removed and kept."""
        done: Counter[str] = Counter()
        for row in self.waiting():
            done[self._send(row)] += 1
        cursor = self._cursor()
        more = True
        while more:
            after = {team: number for team, number in cursor.items() if isinstance(number, int)}
            teams = self.call("POST", "changes", {"after": after, "limit": MAX_AT_ONCE})["teams"]
            more = False
            for team, found in teams.items():
                for change in found["changes"]:
                    done[self._apply(team, change)] += 1
                if found["changes"]:
                    cursor[team] = found["changes"][-1]["change"]
                    self._move(cursor)
                more |= bool(found["more"])
        done["receipts"] += self._send_receipts(cursor)
        return done

    def _send(self, row: dict[str, Any]) -> str:
        """Send one row; what the hub refuses for good is not sent again, and is said."""
        place = {name: row[name] for name in ("team", "kind", "owner", "key", "reason")}
        try:
            if row["act"] == "share":
                memory = self.workspace.store.get(Scope(row["kind"], row["owner"]), row["key"])
                refuse_personal(memory)
                told = {"title": memory.title, "text": memory.body, "type": memory.type, "tags": list(memory.tags)}
                self.call("POST", "share", {**place, **told, "is_own": memory.trust == "user"})
            else:
                self.call("POST", "withdraw", place)
            done = "sent"
        except (Refused, NotFound, Conflict, BadInput) as problem:
            self.workspace.say(f"{row['act']} of {row['key']} was refused: {problem}")
            done = "refused"
        rows.append(_file(self.workspace, "sent.jsonl"), [row["id"]])
        return done

    def _apply(self, team: str, change: dict[str, Any]) -> str:
        """Put one change into this home; return what became of it."""
        scope, key = Scope(change["kind"], change["owner"]), change["key"]
        place: Place = (team, scope.kind, scope.owner, key)
        known = self.cached().get(place)
        try:
            here = self.workspace.store.get(scope, key)
        except NotFound:
            here = None
        is_ours = here is not None and here.trust == "import" and known is not None and digest(here.body) == known.said
        if here is not None and not is_ours:
            return "kept"
        if change["text"] is None:
            if here is not None:
                self.workspace.store.remove(scope, key, forget=False)
            self._note(place, change["change"], "")
            return "removed" if here is not None else "kept"
        path = f"hub/{team}/{key}.md"
        memory, _ = memory_file.read(change["text"], memory_file.FilePlace(path, scope, key, now()))
        draft = Draft(
            *(memory.body, scope, key, memory.title, memory.type, memory.tags, "import"),
            source=f"hub:{self.joined.organisation}/{team}",
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
        for line in rows.read(_file(self.workspace, "cached.jsonl")):
            row = rows.object_in(line) or {}
            place = tuple(str(row.get(name, "")) for name in ("team", "kind", "owner", "key"))
            if place[3]:
                found[place[0], place[1], place[2], place[3]] = Cached(int(str(row["change"])), str(row["said"]))
        self._known = found
        return found

    def _note(self, place: Place, change: int, said: str) -> None:
        row = dict(zip(("team", "kind", "owner", "key"), place, strict=True))
        rows.append(_file(self.workspace, "cached.jsonl"), [json.dumps({**row, "change": change, "said": said})])
        self.cached()[place] = Cached(change, said)

    def _send_receipts(self, cursor: dict[str, Any]) -> int:
        """Tell the hub which of its memories sessions here were given since the last time: no word of them."""
        cached = {place[1:]: (place[0], one.change) for place, one in self.cached().items()}
        last = str(cursor.get("@receipts", ""))
        by_team: dict[str, list[tuple[str, str, str, int, str]]] = {}
        newest = last
        for receipt in receipts(self.workspace):
            if receipt.at <= last:
                break
            newest = max(newest, receipt.at)
            for one in receipt.given:
                where = (one.scope.kind, one.scope.owner, one.key)
                if where in cached:
                    team, version = cached[where]
                    by_team.setdefault(team, []).append((*where, version, receipt.at))
        for team, given in by_team.items():
            for start in range(0, len(given), MAX_AT_ONCE):
                self.call("POST", "receipts", {"team": team, "receipts": given[start : start + MAX_AT_ONCE]})
        if newest != last:
            cursor["@receipts"] = newest
            self._move(cursor)
        return sum(map(len, by_team.values()))

    def trace(self, key: str, team: str) -> list[dict[str, Any]]:
        """Return who was given a memory of a team: person, version and time, the latest first."""
        found: list[dict[str, Any]] = self.call("GET", "trace?" + urlencode({"team": team, "key": key}))["given"]
        return found

    def _cursor(self) -> dict[str, Any]:
        found = files.read_if_there(_file(self.workspace, "position.json"))
        return dict(json.loads(found)) if found else {}

    def _move(self, cursor: dict[str, Any]) -> None:
        files.write(_file(self.workspace, "position.json"), json.dumps(cursor).encode())


def join(workspace: Workspace, url: str, token: str) -> tuple[HubClient, list[str]]:
    """Join the hub at an address by a token, and return the teams there; nothing is kept where it does not hold."""
    workspace.need_person("joins a hub")
    parts = urlsplit(url)
    is_near = parts.hostname in ("127.0.0.1", "localhost", "::1")
    if parts.scheme != "https" and not (parts.scheme == "http" and is_near):
        raise BadInput(f"{url!a} is no address of a hub", "Give https://...; only a hub on this machine goes by http.")
    url = url.rstrip("/")
    me = HubClient(workspace, Joined(url, "", "", token)).call("GET", "me")
    found = Joined(url, me["organisation"], me["person"], token)
    files.make_folder(os.path.join(workspace.home, "hub"))
    files.write(_file(workspace, "joined.json"), json.dumps(vars(found)).encode())
    return HubClient(workspace, found), list(me["teams"])


def leave(workspace: Workspace) -> None:
    """Leave the hub: the token goes, and what came in stays as imported memories."""
    workspace.need_person("leaves a hub")
    client(workspace)
    os.unlink(_file(workspace, "joined.json"))


def client(workspace: Workspace) -> HubClient:
    """Return the client of the hub that this home joined; NotFound where it joined none."""
    found = files.read_if_there(_file(workspace, "joined.json"))
    if not found:
        raise NotFound("this home has joined no hub", "`holdfast hub join URL` joins one.")
    return HubClient(workspace, Joined(**json.loads(found)))


def _file(workspace: Workspace, name: str) -> str:
    return os.path.join(workspace.home, "hub", name)


def _told(problem: urllib.error.HTTPError) -> dict[str, str]:
    try:
        return {name: str(value) for name, value in json.loads(problem.read(65_536)).items()}
    except (OSError, ValueError, AttributeError):
        return {}
