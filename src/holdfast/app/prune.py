"""Prune: retention, as a plan with the rule that each memory falls under, then applied; and the budget of incidents."""

from __future__ import annotations

from holdfast.base.clock import now
from holdfast.learning.incidents import harvest as incident
from holdfast.memory import audit, retention
from holdfast.memory.retention import Verdict
from holdfast.records import Filter, Step
from holdfast.workspace import Workspace


def plan(workspace: Workspace) -> tuple[list[Verdict], list[Step]]:
    """Return the verdict on every memory of every scope, and a step for each that has had its time.

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
    expired = [
        Step("expire", f"{v.memory.scope}/{v.memory.key}", v.rule, workspace.store.size(v.memory))
        for v in verdicts
        if v.expired
    ]
    return verdicts, [*expired, *incident.keep_within(workspace, dry_run=True)]


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
