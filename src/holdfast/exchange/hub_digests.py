"""What a hub is told of this home's sessions: receipts, and figures that the person chose to share (`hub.digests`).

A receipt says which memory of a team a session was given: key, version and time.

Of a session go: a digest of its name, the week, project, agent, outcome, how many asks, calls and failed calls it had,
its minutes, tokens and dollars, and the kinds of its signals; of those that come from the agent's work alone also which
command that was, and the class of its failure. No word of a prompt, no title, no file and no commit goes. Sessions that
ended before the person chose to share are not told.
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from holdfast.base.clock import seconds
from holdfast.base.text import hash_of
from holdfast.exchange.hub_allowed import PLACE
from holdfast.inject.receipts import receipts
from holdfast.language.error_classes import is_class
from holdfast.patterns import signal_files
from holdfast.privacy.redact import redact
from holdfast.sessions.names import stem_of
from holdfast.store.session_table import SessionRow, Wanted
from holdfast.workspace import Workspace

# What these are about is a call of the agent's. Other signals may quote the person, so that only their kind is told.
FROM_WORK = ("failed-command", "retry-loop", "permission-denied")
_MAX_SIGNATURE = 300
_MAX_SIGNALS = 50
_MAX_SESSIONS = 500

# Kind, owner and key of a memory, the number of its change and the time.
GivenRow = tuple[str, str, str, int, str]


def given_since(
    workspace: Workspace, came_in: list[dict[str, Any]], teams: frozenset[str], last: str
) -> tuple[str, dict[str, list[GivenRow]]]:
    """Return the time of the newest receipt, and by team what sessions were given of what came in, after the last one.

    What a session was given is the version that was here then, also where a later one, or its end, came since.
    """
    came: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for row in came_in:
        came.setdefault(tuple(str(row.get(name, "")) for name in PLACE[1:]), []).append(row)
    by_team: dict[str, list[GivenRow]] = {}
    newest = last
    for receipt in receipts(workspace):
        if receipt.at <= last:
            break
        newest = max(newest, receipt.at)
        for one in receipt.given:
            where = (one.scope.kind, one.scope.owner, one.key)
            # Of what came in the same second the first counts: rather too old a version than none.
            before = [row for row in came.get(where, ()) if str(row.get("at", "")) < receipt.at]
            there = {str(row["team"]): row for row in before or came.get(where, ())[:1]}
            for team, row in there.items():
                if row["said"] and team in teams:
                    by_team.setdefault(team, []).append((*where, int(str(row["change"])), receipt.at))
    return newest, by_team


def digests_since(workspace: Workspace, since: str) -> list[dict[str, Any]]:
    """Return what is told of each session that ended after a moment, the oldest first; sub-agents aside."""
    wanted = Wanted(since=since, subagents=False)
    rows = workspace.store.ask(lambda tables: tables.sessions.find(wanted, _MAX_SESSIONS))
    return [_digest(workspace.home, row) for row in reversed(rows) if row.ended > since]


def _digest(home: str, row: SessionRow) -> dict[str, Any]:
    ended = date.fromisoformat(row.ended[:10])
    found = signal_files.read(home, stem_of(row.agent), stem_of(row.id))
    told = {told_signal(one.kind, one.signature) for one in (found.signals if found else ())}
    minutes = int(seconds(row.ended) - seconds(row.started)) // 60 if row.started else 0
    return {
        "session": hash_of("session", row.name, length=32),
        "week": str(ended - timedelta(days=ended.weekday())),
        "project": row.project,
        "agent": row.agent,
        "outcome": row.outcome,
        "asks": row.asks,
        "calls": row.calls,
        "failed_calls": row.failed_calls,
        "minutes": max(0, minutes),
        "tokens": row.input + row.output + row.reasoning,
        "dollars": row.dollars,
        "signals": sorted(told)[:_MAX_SIGNALS],
    }


def told_signal(kind: str, signature: str) -> tuple[str, str]:
    """Return what is told of a signal: of the agent's work the command and the class of failure, no name beside them.

    One with a secret in it, or of the person's words, is its kind alone.
    """
    command, _, said = signature.partition(": ")
    if kind not in FROM_WORK or len(signature) > _MAX_SIGNATURE or redact(signature)[1]:
        return kind, ""
    known = said.partition(":")[0]
    is_whole = is_class(known) or kind == "permission-denied"
    return kind, f"{command}: {known}" if is_whole and known else command.rstrip(":")
