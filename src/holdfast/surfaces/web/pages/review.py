"""Review: everything that waits for a person, one after the other or many at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import cast

from starlette.responses import Response

from holdfast.app import inbox
from holdfast.app.findings import Act
from holdfast.app.inbox import ItemDecision, WaitingItem
from holdfast.base.text import count, hash_of
from holdfast.errors import BadInput, ChangedMeanwhile, NotFound
from holdfast.memory import edit, proposals
from holdfast.memory.proposal_files import Proposals
from holdfast.patterns import review as patterns
from holdfast.surfaces.web.handling import Visit, route
from holdfast.surfaces.web.rendering import differences

MAX_LISTED = 200
_DONE = {"approved": "Approved", "rejected": "Rejected", "snoozed": "Snoozed"}


def _review(visit: Visit) -> Response:
    visit.site.look_soon(visit.workspace)
    waiting = inbox.inbox(visit.workspace, visit.site.findings.found)
    matching = _matching(waiting, visit.asked("kind"), visit.asked("scope"), visit.asked("q"))
    shown = next((one for one in matching if one.name == visit.asked("item")), matching[0] if matching else None)
    near = inbox.nearest(visit.workspace, shown) if shown else None
    return visit.page(
        "review.html",
        matching=matching[:MAX_LISTED],
        total=len(matching),
        waiting=len(waiting),
        kinds=Counter(one.kind for one in waiting),
        scopes=sorted({one.scope for one in waiting if one.scope}),
        shown=shown,
        near=near,
        diff=differences(near.body, shown.text) if near and shown and not shown.withdraws else [],
        against=inbox.against(visit.workspace, shown) if shown else [],
        editing=visit.asked("edit") == "1",
        seen=_seen(visit, shown) if shown else "",
        problems=proposals.waiting(visit.workspace)[1],
        findings=visit.site.findings,
        found=sum(one.source == "finding" for one in waiting),
    )


def _matching(waiting: Iterable[WaitingItem], kind: str, scope: str, text: str) -> list[WaitingItem]:
    wanted = text.casefold().split()
    return [
        one
        for one in waiting
        if kind in ("", one.kind, one.source) and scope in ("", one.scope)
        if all(word in f"{one.title} {one.text} {one.origin} {one.id}".casefold() for word in wanted)
    ]


def _seen(visit: Visit, item: WaitingItem) -> str:
    """Return what stands for the file of a proposal as it is shown, to tell whether it changed meanwhile."""
    if item.source != "proposal":
        return ""
    folder = Proposals(visit.workspace.home)
    return hash_of(folder.text(folder.get(item.id)))


def _decide(visit: Visit) -> Response:
    names = [*visit.form.get("item", []), *visit.form.get("shown", [])]
    if visit.given("all"):
        waiting = inbox.inbox(visit.workspace, visit.site.findings.found)
        found = _matching(waiting, visit.given("kind"), visit.given("scope"), visit.given("q"))
        names = [one.name for one in found if visit.given("act") in one.acts]
    if not names:
        visit.tell("Nothing is ticked. Tick some, or all that match.", kind="refused")
        return _back(visit)
    days = visit.given("days", "0")
    done = inbox.decide(
        visit.workspace,
        cast("Act", visit.given("act")),
        names,
        visit.site.findings.found,
        days=int(days) if days.isdecimal() and len(days) < 6 else 0,
        reason=visit.given("reason"),
    )
    _tell(visit, done)
    return _back(visit, visit.given("next"))


def _tell(visit: Visit, done: list[ItemDecision]) -> None:
    """Say what was done, with one way to undo all of it, and why something was refused."""
    acted = [one for one in done if one.act in _DONE]
    undo = " ".join(dict.fromkeys(update for one in acted for update in one.updates))
    if len(acted) == 1:
        visit.tell(f"{_DONE[acted[0].act]}: {acted[0].title}", undo)
    elif acted:
        visit.tell(f"{_DONE[acted[0].act]} {len(acted)}", undo)
    for one in done:
        if one.act not in _DONE:
            visit.tell(f"Not done for {one.title}: {one.why}", kind="refused")


def _back(visit: Visit, item: str = "") -> Response:
    return visit.goto("/review", item=item, **{name: visit.given(name) for name in ("kind", "scope", "q")})


def _edit(visit: Visit) -> Response:
    """Keep the words that the person gave to a proposal; those of a pattern are approved with it."""
    source, _, id = visit.given("shown").partition(":")
    if source == "pattern":
        entry = patterns.approve(visit.workspace, id, statement=visit.given("text"), title=visit.given("title"))
        visit.tell(f"Approved in your words: {entry.title}")
        return _back(visit, visit.given("next"))
    if source != "proposal":
        raise NotFound(f"{visit.given('shown')!a} cannot be edited here", "Edit the memory that it is about.")
    folder = Proposals(visit.workspace.home)
    proposal = folder.get(id)
    before = folder.text(proposal)
    if proposal.kind == "end":
        raise BadInput(f"{id} would withdraw a memory and has no words of its own", "Approve it, or reject it.")
    if hash_of(before) != visit.given("seen"):
        raise ChangedMeanwhile(f"{id} changed meanwhile; nothing was changed", "Load it again and edit it once more.")
    after = edit.with_statement(before, proposal.text, visit.given("text"))
    proposals.rewrite(visit.workspace, proposal, before, after)
    visit.tell("Edited. It waits for your approval.")
    return _back(visit, f"proposal:{id}")


def _look(visit: Visit) -> Response:
    visit.site.findings.look(visit.workspace)
    visit.tell(f"Looked through all memories: {count(len(visit.site.findings.found), 'finding')}.")
    return _back(visit)


def _undo(visit: Visit) -> Response:
    changed = inbox.undo(visit.workspace, visit.given("updates").split())
    visit.tell(f"Undone: {count(changed, 'file')} put back.")
    back = visit.given("back")
    return visit.goto(back if back.startswith("/") and not back.startswith("//") else "/review")


ROUTES = [
    route("/review", _review),
    route("/review/decide", _decide, needs="review"),
    route("/review/edit", _edit, needs="review"),
    route("/review/look", _look, needs="review"),
    route("/undo", _undo, needs="review"),
]
