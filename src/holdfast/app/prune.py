"""Prune: retention, as a plan with the rule that each memory falls under, then applied; and the budget of incidents."""

from __future__ import annotations

import os

from holdfast.base import files
from holdfast.base.clock import DAY_SECONDS, iso, now, seconds
from holdfast.inject import receipts
from holdfast.journal import notices
from holdfast.learning.incidents import harvest as incident
from holdfast.memory import audit, retention
from holdfast.memory.retention import Verdict
from holdfast.records import Filter, Scope, Step
from holdfast.workspace import Workspace

# No journal is older than this day.
_MAX_DAYS = 10_000


def plan(workspace: Workspace) -> tuple[list[Verdict], list[Step]]:
    """Return the verdict on every memory of every scope, and a step for each that has expired.

    There is a step, too, for each file of an incident that goes for the budget of incidents.
    """
    workspace.need_enabled()
    workspace.refresh(None)
    at = now()
    days = {
        "project": workspace.settings.number("retention.project_days"),
        "session": workspace.settings.number("retention.session_days"),
    }
    verdicts = []
    for memory in list(workspace.store.find(Filter(None))):
        # The last update, use or edit by hand: whatever is latest counts for keeping it.
        used, edited = workspace.store.uses(memory.scope, memory.key)[1], workspace.store.modified(memory)
        verdicts.append(retention.judge(memory, max(memory.updated, used, edited), days, at))
    if any(verdict.expired for verdict in verdicts):
        # Being given to a session counts as use, too. The journal is long, so it is read only when the answer matters.
        given = _last_given(workspace, iso(seconds(at) - min(max(days.values()), _MAX_DAYS) * DAY_SECONDS))
        for place, one in enumerate(verdicts):
            if one.expired:
                last = given.get((one.memory.scope, one.memory.key), "")
                verdicts[place] = retention.judge(one.memory, max(last, one.touched), days, at)
    expired = [
        Step("expire", f"{v.memory.scope}/{v.memory.key}", v.rule, workspace.store.size(v.memory))
        for v in verdicts
        if v.expired
    ]
    return verdicts, [*expired, *incident.keep_within(workspace, dry_run=True)]


def _last_given(workspace: Workspace, since: str) -> dict[tuple[Scope, str], str]:
    """Return when each memory was last given to a session."""
    found: dict[tuple[Scope, str], str] = {}
    for event in workspace.journal.events(receipts.KIND, since):
        receipt = receipts.receipt_of(event)
        if not receipt.withheld:
            found.update({(one.scope, one.key): receipt.at for one in receipt.given})
    return found


def once_a_day(workspace: Workspace) -> int:
    """Remove by itself what has expired, at most once a day, and report it; return how many memories went."""
    stamp, today = os.path.join(workspace.home, "state", "pruned"), now()[:10].encode()
    if files.read_if_there(stamp) == today:
        return 0
    files.put(stamp, today, durable=False)
    verdicts, steps = plan(workspace)
    if not steps:
        return 0
    removed = apply(workspace, verdicts)
    text = "memories that had expired were removed"
    hint = "`holdfast updates` lists it and brings it back; `holdfast pin` keeps a memory."
    notices.report(workspace.home, "expired", text, [one.target for one in steps], hint=hint, severity="info")
    return removed


def kept(verdicts: list[Verdict]) -> list[Step]:
    """Return a step for each memory that stays, with the rule that keeps it."""
    return [Step("keep", f"{v.memory.scope}/{v.memory.key}", v.rule) for v in verdicts if not v.expired]


def apply(workspace: Workspace, verdicts: list[Verdict]) -> int:
    """Remove what expired, without a tombstone: it may be learned again. Return how many memories went."""
    expired = [verdict for verdict in verdicts if verdict.expired]
    for verdict in expired:
        memory = verdict.memory
        with audit.Act(workspace, "prune") as act:
            workspace.store.remove(memory.scope, memory.key, forget=False)
            act.done(f"{memory.scope}/{memory.key}", verdict.rule)
    incident.keep_within(workspace)
    audit.trim(workspace)
    return len(expired)
