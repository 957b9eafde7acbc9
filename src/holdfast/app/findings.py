"""What a person decides about a finding of lint: to have it mended, to leave it as it is, or to be asked later."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from holdfast.base import clock
from holdfast.base.clock import now
from holdfast.base.text import by_prefix
from holdfast.errors import BadInput, Conflict
from holdfast.memory import anchors, audit, heal, settled
from holdfast.memory.proposals import MAX_SNOOZE_DAYS, SNOOZE_DAYS
from holdfast.privacy import redact
from holdfast.records import Memory, Problem, Step
from holdfast.workspace import Workspace

# The findings of lint that only a person can settle, and the inbox's name for each.
KINDS = {
    "contradiction": "conflict",
    "outdated": "conflict",
    "secret": "secret",
    "came-back": "conflict",
    "stale-claim": "stale",
    "changed-code": "stale",
}
# Findings that can be mended on a person's word, each with the label of its button.
MENDED = {"secret": "Take it out", "changed-code": "It still holds", "outdated": "The newer one holds"}
Act = Literal["approve", "reject", "snooze"]
_COMMANDS = {"approve": "lint settle", "reject": "lint dismiss", "snooze": "lint snooze"}
_DONE = {"approve": "approved", "reject": "rejected", "snooze": "snoozed"}


@dataclass(frozen=True, slots=True)
class SettledFinding:
    """What became of a finding: `why` is the reason or the end of a snooze; `update` undoes it, where that can be."""

    id: str
    problem: Problem
    act: str
    why: str = ""
    update: str = ""


def find(problems: Iterable[Problem], name: str) -> Problem:
    """Return the finding whose id begins with this."""
    known = {settled.id_of(one): one for one in problems if one.kind in KINDS}
    return by_prefix(name, known, "no finding", "`holdfast lint` lists them.")


def settle(
    workspace: Workspace, problems: Sequence[Problem], act: Act, *, days: int = SNOOZE_DAYS, reason: str = ""
) -> list[SettledFinding]:
    """Have findings mended, where MENDED says how, left as they are, or put off; each is an update of its own."""
    workspace.need_enabled()
    workspace.need_person("decides on what lint found")
    if not 1 <= days <= MAX_SNOOZE_DAYS:
        raise BadInput(f"{days} days cannot be used", f"Give a number from 1 to {MAX_SNOOZE_DAYS:,}.")
    cannot = [one for one in problems if act == "approve" and one.kind not in MENDED]
    if cannot:
        raise BadInput(f"{settled.id_of(cannot[0])} has no repair that is always right", cannot[0].hint)
    until = clock.iso(clock.seconds(now()) + days * clock.DAY_SECONDS) if act == "snooze" else ""
    return [_settled(workspace, one, act, until, redact.redact(reason)[0]) for one in problems]


def _settled(workspace: Workspace, problem: Problem, act: Act, until: str, reason: str) -> SettledFinding:
    id = settled.id_of(problem)
    if act == "approve" and problem.kind == "secret":
        # An update that could be undone would keep the secret.
        _mend(workspace, problem)
        settled.note(workspace.home, problem)
        return SettledFinding(id, problem, _DONE[act])
    with audit.Act(workspace, _COMMANDS[act]) as made:
        made.look_at(settled.path_of(problem))
        if act == "approve":
            _mend(workspace, problem)
        settled.note(workspace.home, problem, until)
        made.done(problem.path, reason or (f"put off until {until[:10]}" if until else problem.text))
    return SettledFinding(id, problem, _DONE[act], until or reason, made.id)


def _memory(workspace: Workspace, path: str) -> Memory:
    place = workspace.store.tree.place(path)
    return workspace.store.get(place.scope, place.key)


def _mend(workspace: Workspace, problem: Problem) -> None:
    """Carry out the repair that the person approved."""
    if problem.kind == "secret":
        if not heal.apply(workspace, [Step("redact", problem.path, problem.text)]):
            raise Conflict(f"{problem.path} could not be mended", "Open the file, and take the secret out.")
        return
    memory = _memory(workspace, problem.path)
    if problem.kind == "changed-code":
        anchors.confirm(workspace, memory)
    elif problem.kind == "outdated":
        newer = _memory(workspace, problem.other)
        workspace.store.change(newer.scope, newer.key, supersedes=tuple(dict.fromkeys((*newer.supersedes, memory.key))))
