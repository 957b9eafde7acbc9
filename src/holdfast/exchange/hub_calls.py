"""One request to a hub, and what comes back: a hub is another machine, and whoever runs it may mean harm.

An answer has a size, a time and a type. The token goes to the address that was joined and to no other, wherever that
sends us. What cannot be an answer is an error of ours, which stops a sync and loses nothing.
"""

from __future__ import annotations

import http.client
import json
import math
import queue
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Collection
from typing import Annotated, Any, TypedDict, TypeVar

import msgspec
from msgspec import Meta

from holdfast.base.straight import straight
from holdfast.errors import BadInput, ChangedMeanwhile, Conflict, HoldfastError, NotFound, Refused, StoreUnavailable

SECONDS = 20.0
# All of an answer, on a slow line, too.
WHOLE_SECONDS = 120.0
MAX_ANSWER = 64_000_000
_PART = 1 << 16
# What a hub refuses for good; anything else may hold another time, and waits.
_PROBLEMS: dict[int, type[HoldfastError]] = {
    **{403: Refused, 404: NotFound, 409: Conflict},
    **{412: ChangedMeanwhile, 422: BadInput},
}
_LATER = "What is to be sent waits; sync again later."

# Of an organisation or a team; a person may be called by their address.
Name = Annotated[str, Meta(pattern=r"^[a-z0-9][a-z0-9._-]{0,59}\Z")]
Person = Annotated[str, Meta(pattern=r"^[a-z0-9][a-z0-9._@-]{0,119}\Z")]
Number = Annotated[int, Meta(ge=0, le=(1 << 63) - 1)]


class ToldMe(TypedDict):
    """Who a token stands for."""

    organisation: Name
    person: Person
    teams: list[Name]
    rights: list[str]


class ToldChange(TypedDict):
    """One memory of a team as it is after a change; without a text it is gone."""

    change: Annotated[int, Meta(ge=1, le=(1 << 63) - 1)]
    kind: str
    owner: str
    key: str
    text: str | None


class TeamChanges(TypedDict):
    """What changed in a team, and whether there is more."""

    changes: list[ToldChange]
    more: bool


class ToldChanges(TypedDict):
    """What changed in each team of the person, and which database numbers it."""

    teams: dict[Name, TeamChanges]
    hub: str


class ToldVerdict(TypedDict):
    """What became of a proposal."""

    id: int
    team: str
    state: str


class ToldWithdrawn(TypedDict):
    """Of how many sessions figures were taken back."""

    withdrawn: int


class ToldPerson(TypedDict):
    """A person's role in a team."""

    person: str
    role: str


class ToldTeam(TypedDict):
    """The rule of a team, and its people."""

    team: str
    rule: str
    own: bool
    people: list[ToldPerson]


Row = dict[str, Any]
Answer = TypeVar("Answer")


class HubAway(StoreUnavailable):
    """The hub is not there now, and may be another time: a laptop is often offline."""


def ask(
    url: str, token: str, method: str, path: str, kind: type[Answer], data: object = None, ends: float = math.inf
) -> Answer:
    """Return what the hub at an address answers, as that type; what it refuses is an error of ours.

    The whole answer, its head as well, has one deadline: `ends`, and never more than WHOLE_SECONDS.
    """
    found: queue.SimpleQueue[Answer | Exception] = queue.SimpleQueue()

    def wait() -> None:
        try:
            found.put(_asked(url, token, method, path, kind, data))
        except Exception as problem:
            found.put(problem)

    # A time limit of a socket begins again with every byte, so somebody else waits for it.
    threading.Thread(target=wait, daemon=True).start()
    seconds = max(0.1, min(WHOLE_SECONDS, ends - time.monotonic()))
    try:
        answered = found.get(timeout=seconds)
    except queue.Empty:
        raise HubAway(f"the hub does not answer: no whole answer within {seconds:.0f} seconds", _LATER) from None
    if isinstance(answered, Exception):
        raise answered
    return answered


def _asked(url: str, token: str, method: str, path: str, kind: type[Answer], data: object) -> Answer:
    body = None if data is None else json.dumps(data).encode()
    request = urllib.request.Request(f"{url}/hub/v1/{path}", body, method=method)  # noqa: S310
    request.add_header("Authorization", f"Bearer {token}")
    request.add_header("Content-Type", "application/json")
    try:
        with straight(request, timeout=SECONDS) as answered:
            told = _whole(answered)
        return msgspec.json.decode(told, type=kind)
    except urllib.error.HTTPError as problem:
        raise _refusal(url, problem) from None
    except (msgspec.MsgspecError, RecursionError) as problem:
        raise _no_hub(f"{url} answers what no hub does: {problem}") from None
    except (OSError, http.client.HTTPException, ValueError) as problem:
        reason = getattr(problem, "reason", problem)
        raise HubAway(f"the hub does not answer: {reason}", _LATER) from None


def ask_rows(url: str, token: str, path: str, name: str, needed: Collection[str]) -> list[Row]:
    """Return the rows that a hub answers under a name, each with these fields at least."""
    found = ask(url, token, "GET", path, dict[str, list[Row]]).get(name)
    if found is None or any(not row.keys() >= {*needed} for row in found):
        raise _no_hub(f"{url} answers what no hub does: no {name}")
    return found


def _whole(answered: http.client.HTTPResponse) -> bytes:
    parts, size, ends = list[bytes](), 0, time.monotonic() + WHOLE_SECONDS
    while part := answered.read1(_PART):
        parts.append(part)
        size += len(part)
        if size > MAX_ANSWER:
            raise _no_hub(f"the hub answers with more than {MAX_ANSWER:,} bytes")
        if time.monotonic() > ends:
            raise TimeoutError(f"no whole answer within {WHOLE_SECONDS:.0f} seconds")
    if answered.length:
        raise http.client.IncompleteRead(b"", answered.length)
    return b"".join(parts)


def _refusal(url: str, problem: urllib.error.HTTPError) -> HoldfastError:
    """Return the error that says what a hub refused, or that this is none."""
    try:
        told = {name: str(value) for name, value in json.loads(problem.read(_PART)).items()}
    except (OSError, http.client.HTTPException, ValueError, AttributeError, RecursionError):
        told = {}
    kind = _PROBLEMS.get(problem.code, HubAway if problem.code >= 500 else StoreUnavailable)
    detail = told.get("detail", f"{url} answers {problem.code}, and not as a hub does")
    return kind(detail, _LATER if kind is HubAway else told.get("hint", "Is that the address of a hub?"))


def is_more(teams: dict[str, TeamChanges], after: dict[str, int]) -> bool:
    """Whether there is more to ask for than this answer tells; one that brings nobody further is none."""
    changes = [(team, one["change"]) for team, found in teams.items() for one in found["changes"]]
    more = any(found["more"] for found in teams.values())
    if any(number <= after.get(team, 0) for team, number in changes) or (more and not changes):
        raise _no_hub("the hub does not tell its changes in order")
    return more


def _no_hub(told: str) -> HoldfastError:
    return StoreUnavailable(told, "Is that the address of a hub? Its operator may know.")
