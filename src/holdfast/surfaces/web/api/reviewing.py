"""`/proposals`, `/patterns` and `/updates`: what waits for the person, what they decide, and undoing it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from msgspec import Meta, Struct

from holdfast.app import proposals as deciding
from holdfast.app import updates
from holdfast.errors import BadInput, NotFound
from holdfast.journal.updates import Update
from holdfast.memory import proposals
from holdfast.memory.proposal_files import Proposals, written
from holdfast.patterns import review as pattern_review
from holdfast.patterns.clusters import Pattern
from holdfast.records import Proposal, replace
from holdfast.surfaces.web.api.endpoints import ApiCall, endpoint
from holdfast.surfaces.web.api.shapes import (
    Id,
    PageAsked,
    ProposalChange,
    ProposalList,
    ProposalShape,
    SeenFrom,
    SentFields,
    WholeProposal,
    Words,
    etag_of,
    memory_shape,
    shape,
)
from holdfast.surfaces.web.api.shapes import given as given_of

Days = Annotated[int, Meta(ge=1, le=proposals.MAX_SNOOZE_DAYS)]


class ManyDecided(SentFields):
    """What is decided about these: `reason` goes with a rejection, `days` with a snooze."""

    act: Literal["approve", "reject", "snooze"]
    ids: Annotated[list[Annotated[str, Meta(min_length=4, max_length=64)]], Meta(min_length=1, max_length=500)]
    reason: Words = ""
    days: Days = proposals.SNOOZE_DAYS


class OneDecision(Struct, frozen=True, kw_only=True):
    """What became of one: `key` is what it became, `why` the reason or the end of a snooze, `update` undoes it."""

    id: str
    act: str
    key: str
    why: str
    update: str


class DecisionList(Struct, frozen=True):
    """What became of each; one that a rule refuses stays, and says why."""

    decisions: list[OneDecision]


if TYPE_CHECKING:
    PatternShape = Struct
    UpdateShape = Struct
else:
    _INNER = ("signature", "signatures", "fingerprints", "bound", "domain")
    PatternShape = shape("PatternShape", Pattern, _INNER, statement=str)
    UpdateShape = shape("UpdateShape", Update, ("files", "aliases", "undoes"), can_be_undone=bool, undone_by=str)


class PatternList(Struct, frozen=True):
    """Patterns that nobody decided about yet, ranked."""

    patterns: list[PatternShape]
    next: int | None


class PatternDecided(SentFields):
    """What is decided about a pattern; `statement` and `title` are the words for the catalogue, if not its own."""

    act: Literal["approve", "reject", "snooze"]
    statement: Words = ""
    title: Words = ""
    reason: Words = ""
    days: Days = pattern_review.DAYS


class UpdatesAsked(PageAsked):
    """Which updates: since when, of which command."""

    since: Words = ""
    command: Id = ""


class UpdateList(Struct, frozen=True):
    """Updates, newest first."""

    updates: list[UpdateShape]
    next: int | None


class UndoneUpdate(Struct, frozen=True):
    """What was put back; `update` is the act of undoing, which can be undone itself."""

    undone: tuple[str, ...]
    paths: list[str]
    update: str


@endpoint("GET", "/proposals")
def list_waiting(call: ApiCall, asked: PageAsked) -> ProposalList:
    """List what waits for the person's word, oldest first."""
    found = [one for one in proposals.waiting(call.workspace)[0] if call.may_see(one.scope, also_global=False)]
    part, more = asked.part(found)
    return ProposalList([_shape(one) for one in part], more)


@endpoint("GET", "/proposals/{id}", tagged=True)
def show_proposal(call: ApiCall, asked: SeenFrom, id: str) -> WholeProposal:
    """Show one proposal, with the memories that say nearly the same."""
    proposal = _seen(call, id)
    call.etag = etag_of(Proposals(call.workspace.home).text(proposal))
    near = [memory_shape(one) for one in proposals.alike(call.workspace, proposal)]
    return given_of(proposal, WholeProposal, scope=proposal.scope.kind, owner=proposal.scope.owner, alike=near)


@endpoint("PATCH", "/proposals/{id}", "review", changes=True, tagged=True)
def edit_proposal(call: ApiCall, asked: SeenFrom, given: ProposalChange, id: str) -> ProposalShape:
    """Edit a proposal before it is decided on."""
    proposal = _seen(call, id)
    before = Proposals(call.workspace.home).text(proposal)
    call.need_state(etag_of(before))
    told = {name: getattr(given, name) for name in given.__struct_fields__}
    told["tags"] = None if given.tags is None else tuple(given.tags)
    after = replace(proposal, **{name: value for name, value in told.items() if value is not None})
    edited = proposals.rewrite(call.workspace, proposal, before, written(after))
    call.etag = etag_of(Proposals(call.workspace.home).text(edited))
    return _shape(edited)


def _shape(proposal: Proposal) -> ProposalShape:
    return given_of(proposal, ProposalShape, scope=proposal.scope.kind, owner=proposal.scope.owner)


@endpoint("POST", "/proposals/decisions", "review")
def decide(call: ApiCall, asked: SeenFrom, given: ManyDecided) -> DecisionList:
    """Approve, reject or snooze proposals, one or many. The `update` of each decision undoes it."""
    for name in given.ids:
        _seen(call, name)
    names = tuple(given.ids)
    if given.act == "approve":
        decided = deciding.approve(call.workspace, names)
    elif given.act == "reject":
        decided = deciding.reject(call.workspace, names, reason=given.reason)
    else:
        decided = proposals.snooze(call.workspace, names, days=given.days)
    return DecisionList(
        [OneDecision(id=one.proposal.id, act=one.act, key=one.key, why=one.why, update=one.update) for one in decided]
    )


def _seen(call: ApiCall, name: str) -> Proposal:
    """Return a proposal that whoever asks may see."""
    proposal = proposals.show(call.workspace, name)
    if not call.may_see(proposal.scope, also_global=False):
        raise NotFound("no proposal of that id in the project", "`/proposals` lists those that wait.")
    return proposal


@endpoint("GET", "/patterns")
def list_patterns(call: ApiCall, asked: PageAsked) -> PatternList:
    """List what recurs over sessions and was not decided on, ranked; of one project where one is named."""
    call.need_whole_home()
    project = call.workspace.project().id if call.workspace.asked_project else ""
    part, more = asked.part(pattern_review.waiting(call.workspace, project=project))
    worded = map(pattern_review.candidate, part)
    return PatternList(
        [given_of(one.pattern, PatternShape, title=one.title, statement=one.statement) for one in worded], more
    )


@endpoint("POST", "/patterns/{id}/decision", "review")
def decide_pattern(call: ApiCall, asked: SeenFrom, given: PatternDecided, id: str) -> OneDecision:
    """Approve a pattern into the catalogue, reject it for good, or snooze it."""
    call.need_whole_home()
    if given.act == "approve":
        entry = pattern_review.approve(
            call.workspace, id, statement=given.statement, title=given.title, owner=call.principal.name
        )
        return OneDecision(id=entry.id, act="approved", key=entry.id, why="", update="")
    if given.statement or given.title:
        raise BadInput("words for the catalogue go with an approval", "Leave out statement and title.")
    if given.act == "reject":
        done = pattern_review.reject(call.workspace, id, reason=given.reason)
    else:
        done = pattern_review.snooze(call.workspace, id, days=given.days)
    return OneDecision(id=done.id, act=done.act, key="", why=done.why or done.leads, update=done.update)


@endpoint("GET", "/updates")
def list_updates(call: ApiCall, asked: UpdatesAsked) -> UpdateList:
    """List what Holdfast changed, moved or removed, newest first."""
    call.need_whole_home()
    part, more = asked.part(updates.updates(call.workspace, **asked.choices(), limit=asked.end + 1))
    shown = [
        given_of(one.update, UpdateShape, can_be_undone=one.can_be_undone, undone_by=one.undone_by) for one in part
    ]
    return UpdateList(shown, more)


@endpoint("POST", "/updates/{id}/undo", "review")
def undo(call: ApiCall, asked: SeenFrom, id: str) -> UndoneUpdate:
    """Undo an update: every file is put back as it was, if it is still as the act left it."""
    call.need_whole_home()
    plan = updates.plan_undo(call.workspace, [id])
    done = updates.apply_undo(call.workspace, plan)
    return UndoneUpdate(plan.ids, [one.path for one in plan.changes], done.id if done is not None else "")
