"""The inbox: everything that waits for a person, of every kind, each with its evidence and what can be done about it.

An item is a proposal, a pattern that nobody decided about, or a finding of lint that only a person can settle. Its name
is `KIND:ID`. Deciding calls what the command of that kind calls; undoing is that of `updates`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from holdfast.app import findings as of_lint
from holdfast.app import proposals as every_kind
from holdfast.app import updates
from holdfast.errors import BadInput, HoldfastError, NotFound, StoreUnavailable, SwitchedOff
from holdfast.learning.lessons import model as lessons
from holdfast.memory import proposals, settled
from holdfast.memory.proposal_files import messages_of
from holdfast.patterns import review as patterns
from holdfast.patterns.clusters import Pattern
from holdfast.recall.recall import search
from holdfast.records import Filter, Memory, Problem, Proposal
from holdfast.workspace import Workspace

Source = Literal["proposal", "pattern", "finding"]
# A memory with this score for the words of a proposal is worth showing beside it.
MIN_NEAR = 0.5
ACTS: tuple[of_lint.Act, ...] = ("approve", "reject", "snooze")
_OF_PROPOSAL = {
    "todo": "import",
    "log": "import",
    "lesson": "lesson",
    "page": "page",
    "still": "decision",
    "end": "withdrawal",
}


@dataclass(frozen=True, slots=True)
class Proof:
    """One piece of evidence: the words, and where they were said: a session and its event, or a place in a file."""

    text: str
    session: str = ""
    event: int = -1
    place: str = ""
    at: str = ""


@dataclass(frozen=True, slots=True)
class WaitingItem:
    """One thing that waits. `replaces` is the key of the memory that it would replace; `acts` what can be done.

    `path` and `other` are the files of memories that a finding is about; `approving` says what approving it does.
    """

    source: Source
    id: str
    kind: str
    title: str
    text: str
    scope: str
    origin: str
    agent: str = ""
    created: str = ""
    evidence: tuple[Proof, ...] = ()
    replaces: str = ""
    path: str = ""
    hint: str = ""
    acts: tuple[str, ...] = ACTS
    other: str = ""
    approving: str = "Approve"

    @property
    def name(self) -> str:
        """Its name, unique over all kinds."""
        return f"{self.source}:{self.id}"

    @property
    def withdraws(self) -> bool:
        """Whether approving it ends a memory, so that it has no words of its own."""
        return self.kind == "withdrawal"

    @property
    def can_be_edited(self) -> bool:
        """Whether it has words that a person can better."""
        return self.source != "finding" and not self.withdraws


@dataclass(frozen=True, slots=True)
class ItemDecision:
    """What became of an item: `act` is approved, rejected, snoozed or refused; `updates` undo it, `why` is a reason."""

    name: str
    title: str
    act: str
    key: str = ""
    why: str = ""
    updates: tuple[str, ...] = ()


def inbox(workspace: Workspace, findings: Iterable[Problem] = ()) -> list[WaitingItem]:
    """Return what waits: secrets, proposals oldest first, patterns as they are ranked, then what else lint found."""
    if not workspace.enabled:
        return []
    found = [
        *(_of_proposal(workspace, one) for one in proposals.waiting(workspace)[0]),
        *(_of_pattern(one) for one in patterns.waiting(workspace)),
        *(_of_finding(one) for one in settled.standing(workspace, findings) if one.kind in of_lint.KINDS),
    ]
    return sorted(found, key=lambda one: one.kind != "secret")


def _of_proposal(workspace: Workspace, one: Proposal) -> WaitingItem:
    imported = one.kind == "memory" and ", line " in one.evidence
    return WaitingItem(
        "proposal",
        one.id,
        "import" if imported else _OF_PROPOSAL.get(one.kind, "memory"),
        one.title,
        one.text,
        str(one.scope),
        one.source,
        one.agent,
        one.created,
        _proofs(workspace, one),
        one.replaces,
    )


def _proofs(workspace: Workspace, one: Proposal) -> tuple[Proof, ...]:
    """Return what speaks for a proposal; of a lesson each time that it came up."""
    try:
        lesson = lessons.room(workspace.home).get(one.id) if one.kind == "lesson" else None
    except NotFound:
        lesson = None
    if lesson is not None:
        return tuple(
            Proof(each.quote, f"{each.agent}/{each.session}", each.place, each.kind, each.at)
            for each in lesson.evidence
            if each.session
        )
    found = []
    for each in messages_of(one) or [one.evidence]:
        head, _, rest = each.partition(" in ")
        session, _, place = rest.partition(", place ")
        found += [Proof(head, session, int(place))] if "/" in session and place.isdecimal() else []
    if found:
        return tuple(found)
    if ", line " in one.evidence:
        return (Proof(one.text, place=one.evidence),)
    return (Proof(one.evidence),) if one.evidence else ()


def _of_pattern(one: Pattern) -> WaitingItem:
    given = patterns.candidate(one)
    proofs = [Proof(each.text, f"{each.agent}/{each.session}", each.line, at=each.at) for each in one.evidence]
    return WaitingItem(
        "pattern",
        one.id,
        "pattern",
        given.title,
        given.statement,
        ", ".join(one.projects) if one.bound else "everywhere",
        f"{one.kind}, {len(one.sessions)} sessions",
        ", ".join(one.agents),
        one.last,
        tuple(proofs),
    )


def _of_finding(one: Problem) -> WaitingItem:
    place = f"{one.path}:{one.line}" if one.line else one.path
    return WaitingItem(
        "finding",
        settled.id_of(one),
        of_lint.KINDS[one.kind],
        one.text,
        "",
        "",
        "lint",
        evidence=(Proof(one.text, place=place),),
        path=one.path,
        hint=one.hint,
        acts=ACTS if one.kind in of_lint.MENDED else ACTS[1:],
        other=one.other,
        approving=of_lint.MENDED.get(one.kind, ""),
    )


def nearest(workspace: Workspace, item: WaitingItem) -> Memory | None:
    """Return the memory that the item would replace, or the one that says nearly the same; None where none does."""
    if item.source != "proposal":
        return None
    proposal = proposals.show(workspace, item.id)
    if proposal.replaces:
        try:
            return workspace.store.get(proposal.scope, proposal.replaces)
        except NotFound:
            return None
    near = next(iter(proposals.alike(workspace, proposal)), None)
    if near is not None:
        return near
    hits = search(workspace, proposal.text, Filter(proposals.readable(workspace, proposal.scope)), 1)
    return hits[0].memory if hits and hits[0].score >= MIN_NEAR else None


def against(workspace: Workspace, item: WaitingItem) -> list[Memory]:
    """Return the memories that a finding is about: the one where it was found, and the one that it is held against."""
    found = []
    for path in (item.path, item.other):
        place = workspace.store.tree.place(path) if path else None
        found += list(workspace.store.find(Filter((place.scope,), keys=(place.key,)))) if place else []
    return sorted((one for one in found if one.path in (item.path, item.other)), key=lambda one: one.path != item.path)


def decide(
    workspace: Workspace,
    act: of_lint.Act,
    names: Sequence[str],
    findings: Sequence[Problem] = (),
    *,
    days: int = 0,
    reason: str = "",
) -> list[ItemDecision]:
    """Approve, reject or snooze these; one that a rule refuses stays, with the reason, and the others go on."""
    workspace.need_enabled()
    workspace.need_person("decides on what waits")
    if act not in ACTS:
        raise BadInput(f"{act!a} is no answer to what waits", f"Use one of {', '.join(ACTS)}.")
    return [_decided(workspace, act, name, findings, days, reason) for name in dict.fromkeys(names)]


def _decided(
    workspace: Workspace, act: of_lint.Act, name: str, findings: Sequence[Problem], days: int, reason: str
) -> ItemDecision:
    source, _, id = name.partition(":")
    try:
        if source == "proposal":
            return _on_proposal(workspace, act, id, days, reason)
        if source == "pattern":
            return _on_pattern(workspace, act, id, days, reason)
        found = [of_lint.find(findings, id)]
        (done,) = of_lint.settle(workspace, found, act, days=days or proposals.SNOOZE_DAYS, reason=reason)
    except (StoreUnavailable, SwitchedOff):
        raise
    except HoldfastError as problem:
        return ItemDecision(name, name, "refused", why=f"{problem}. {problem.hint}".strip())
    undo = (done.update,) if done.update else ()
    return ItemDecision(name, done.problem.text, done.act, done.problem.path, done.why, undo)


def _on_proposal(workspace: Workspace, act: str, id: str, days: int, reason: str) -> ItemDecision:
    if act == "approve":
        (done,) = every_kind.approve(workspace, (id,))
    elif act == "reject":
        (done,) = every_kind.reject(workspace, (id,), reason=reason)
    else:
        (done,) = proposals.snooze(workspace, (id,), days=days or proposals.SNOOZE_DAYS)
    undo = (done.update,) if done.update else ()
    return ItemDecision(f"proposal:{id}", done.proposal.title, done.act, done.key, done.why, undo)


def _on_pattern(workspace: Workspace, act: str, id: str, days: int, reason: str) -> ItemDecision:
    if act == "approve":
        entry = patterns.approve(workspace, id)
        last = updates.updates(workspace, command="patterns approve", limit=1)
        return ItemDecision(f"pattern:{id}", entry.title, "approved", entry.id, updates=(last[0].update.id,))
    done = (
        patterns.reject(workspace, id, reason=reason)
        if act == "reject"
        else patterns.snooze(workspace, id, days=days or patterns.DAYS)
    )
    return ItemDecision(
        f"pattern:{id}", done.title, done.act, why=done.why, updates=(done.update,) if done.update else ()
    )


def undo(workspace: Workspace, ids: Sequence[str]) -> int:
    """Take decisions back, by their updates; return how many files changed."""
    planned = updates.plan_undo(workspace, ids)
    updates.apply_undo(workspace, planned)
    return len(planned.changes)
