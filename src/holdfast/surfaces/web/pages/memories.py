"""Memories: list, search, one in full, and what can be done to one or to many."""

from __future__ import annotations

from itertools import pairwise
from typing import Any
from urllib.parse import quote, urlencode

from starlette.responses import Response

from holdfast.app import erase
from holdfast.base.clock import now
from holdfast.base.text import count, hash_of
from holdfast.errors import BadInput, ChangedMeanwhile, Refused
from holdfast.inject.receipts import latest
from holdfast.language import when
from holdfast.memory import anchors, audit, browse, edit, move
from holdfast.memory.remember import pin
from holdfast.memory.show import history, replaced_by
from holdfast.privacy import redact
from holdfast.project.anchors import parsed
from holdfast.recall.related import related_to
from holdfast.records import SCOPES, STRENGTHS, Filter, Memory, Scope, replace
from holdfast.rules.rule import condition_of
from holdfast.surfaces.web.handling import Visit, route
from holdfast.surfaces.web.rendering import differences

FACETS = {"scope": "Scope", "type": "Type", "trust": "Trust", "tag": "Tag", "used": "Use"}
AGES = {"1d": "a day", "7d": "a week", "30d": "a month", "365d": "a year"}
MAX_VALUES = 12
MAX_RECEIPTS = 8


def _memories(visit: Visit) -> Response:
    chosen = {name: visit.asked(name) for name in (*FACETS, "age", "q", "path")}
    if chosen["path"]:
        place = visit.workspace.store.tree.place(chosen["path"])
        return visit.goto(address(place.scope, place.key), edit=visit.asked("edit"))
    wanted = Filter(
        (browse.scope_named(chosen["scope"]),) if chosen["scope"] else None,
        types=_one(chosen["type"]),
        tags=_one(chosen["tag"]),
        trusts=_one(chosen["trust"]),
        since=when.moment(chosen["age"], now()) if chosen["age"] else "",
        used=chosen["used"] == "used" if chosen["used"] else None,
    )
    skip = visit.asked("skip", "0")
    found = browse.browse(
        visit.workspace, wanted, chosen["q"], skip=int(skip) if skip.isdecimal() and len(skip) < 9 else 0
    )
    # Of what was seen to have a secret in it, none of the secret is listed.
    secret = {one.path for one in visit.site.findings.found if one.kind == "secret"}
    hits = (replace(one, memory=_masked(one.memory)) if one.memory.path in secret else one for one in found.hits)
    found = replace(found, hits=tuple(hits)) if secret else found
    facets = [
        (name, title, [(value, many) for value, many in found.counts.get(name, {}).items()][:MAX_VALUES])
        for name, title in FACETS.items()
    ]

    def link(**changed: str) -> str:
        return "/memories?" + urlencode({name: value for name, value in {**chosen, **changed}.items() if value})

    return visit.page(
        "memories.html",
        found=found,
        facets=facets,
        ages=AGES,
        chosen=chosen,
        link=link,
        page_size=browse.PAGE,
        any=bool(found.total or any(chosen.values())),
    )


def _one(value: str) -> tuple[str, ...]:
    return (value,) if value else ()


def address(scope: Scope, key: str) -> str:
    """Return the address of a memory."""
    return f"/memory/{scope.kind}/{quote(scope.owner or '-', safe='')}/{quote(key, safe='')}"


def _asked(visit: Visit) -> Memory:
    """Return the memory that the address names."""
    named = visit.request.path_params
    visit.workspace.need_enabled()
    scope = visit.workspace.scope(named["kind"])
    visit.workspace.refresh((scope,))
    return visit.workspace.locate(named["key"], scope.kind)


def _shown(visit: Visit, memory: Memory, *, status: int = 200, theirs: str = "", whole: bool = False) -> Response:
    """Return the page of a memory; `theirs` is a text that could not be kept, since the memory changed meanwhile."""
    workspace = visit.workspace
    statements = history(workspace, memory.key, scope=memory.scope.kind)[1]
    uses, last = workspace.store.uses(memory.scope, memory.key)
    given = [
        (receipt, one)
        for receipt in latest(workspace)
        for one in receipt.given
        if (one.scope, one.key) == (memory.scope, memory.key)
    ][:MAX_RECEIPTS]
    text, newer = workspace.store.text(memory), replaced_by(workspace, memory)
    kinds, stands = sorted({kind for kind, _ in redact.find(text)}), text
    if kinds and not visit.asked("reveal"):
        memory, text = _masked(memory), redact.redact(text)[0]
        statements = [replace(one, text=redact.redact(one.text)[0]) for one in statements]
    steps = [(newer.at, differences(older.text, newer.text)) for newer, older in pairwise(statements)]
    return visit.page(
        "memory.html",
        status=status,
        memory=memory,
        secrets=kinds,
        revealed=visit.asked("reveal"),
        strengths=STRENGTHS,
        address=address(memory.scope, memory.key),
        first=statements[-1],
        steps=steps,
        uses=uses,
        last_used=last,
        given=given,
        related=related_to(workspace, memory, tuple(dict.fromkeys((memory.scope, Scope("global")))), 8),
        replaced=newer,
        # On a hub it holds nothing, and its force does not travel.
        rule=""
        if newer or not workspace.has_home
        else ". ".join(condition_of(memory, workspace.settings.text("rules.strongest"))),
        named=[one.name for one in parsed(memory.anchors)],
        stale=anchors.stale(workspace, [memory]) if memory.anchors or memory.branch else [],
        editing=visit.asked("edit") or whole,
        text=text,
        seen=hash_of(stands),
        theirs=theirs,
        meanwhile=differences(theirs, text if whole else memory.body) if theirs else [],
        whole=whole or visit.asked("edit") == "file",
        scopes=SCOPES if workspace.has_home else [one for one in SCOPES if one in ("project", "global")],
    )


def _edit(visit: Visit) -> Response:
    """Keep an edit, unless the memory is no longer what the person saw; then both are shown, and nothing is lost."""
    memory = _asked(visit)
    before, whole = visit.workspace.store.text(memory), bool(visit.given("whole"))
    try:
        if hash_of(before) != visit.given("seen"):
            raise ChangedMeanwhile(f"{memory.key} changed meanwhile; nothing was changed", "Look at both, then save.")
        after = visit.given("text") if whole else edit.with_statement(before, memory.body, visit.given("text"))
        rule = {} if whole else _new_rule(visit, memory)
        if rule and visit.workspace.is_reviewed:
            raise Refused("in a reviewed team the whole memory is proposed", "Edit its whole text, condition and all.")
        edited = edit.rewrite(visit.workspace, memory, before, after) if after != before else memory
        edited = visit.workspace.store.change(edited.scope, edited.key, **rule) if rule else edited
    except ChangedMeanwhile as problem:
        visit.tell(str(problem), kind="refused")
        theirs = redact.redact(visit.given("text"))[0]
        return _shown(visit, _asked(visit), status=problem.http_status, theirs=theirs, whole=whole)
    proposed = "Proposed: it stays as it is until somebody who reviews the team approves."
    saved = proposed if visit.workspace.is_reviewed else "Saved."
    visit.tell(saved if after != before or rule else "Nothing changed.")
    return visit.goto(address(edited.scope, edited.key))


def _new_rule(visit: Visit, memory: Memory) -> dict[str, Any]:
    """Return the fields of the condition and the strength that a form gives a memory, where they are other ones."""
    asked = {name: visit.given(name).strip() for name in ("when", "enforce") if name in visit.form}
    new = {name: value for name, value in asked.items() if value != getattr(memory, name)}
    return edit.rule_fields(visit.workspace, memory, new.get("when"), new.get("enforce"), visit.given("text"))


def _masked(memory: Memory) -> Memory:
    """Return a memory without the secrets that slipped into its file."""
    return replace(memory, title=redact.redact(memory.title)[0], body=redact.redact(memory.body)[0])


def _pin(visit: Visit) -> Response:
    memory = _asked(visit)
    pinned = visit.given("pinned") == "1"
    pin(visit.workspace, memory.key, scope=memory.scope.kind, pinned=pinned)
    visit.tell("Pinned: it never expires and comes first." if pinned else "Unpinned.")
    return visit.goto(address(memory.scope, memory.key))


def _confirm(visit: Visit) -> Response:
    """Say that a memory still holds although its code changed."""
    memory = _asked(visit)
    with audit.Act(visit.workspace, "confirm") as act:
        anchors.confirm(visit.workspace, memory)
        act.done(str(memory.path), "it still holds")
    visit.tell("Confirmed: it is held against the code as it is now.", act.id)
    return visit.goto(address(memory.scope, memory.key))


def _move(visit: Visit) -> Response:
    memory = _asked(visit)
    to, key = visit.given("to"), visit.given("key").strip()
    planned, _ = move.plan(
        visit.workspace,
        memory.key,
        scope=memory.scope.kind,
        to=to if to and to != memory.scope.kind else None,
        new_key=key if key != memory.key else None,
    )
    moved = move.apply(visit.workspace, planned)
    visit.tell(f"Moved to {moved.scope}/{moved.key}.")
    return visit.goto(address(moved.scope, moved.key))


def _act(visit: Visit) -> Response:
    """Do something to several memories; forgetting them is asked once more, since it is for good."""
    act, names = visit.given("act"), [name.rpartition("/") for name in visit.form.get("memory", [])]
    found = [visit.workspace.store.get(browse.scope_named(scope), key) for scope, _, key in names]
    if not found:
        raise BadInput("no memory is selected", "Tick some, then try again.")
    if act == "forget" and not visit.given("sure"):
        return visit.page("forget.html", memories=found, back=visit.given("back") or "/memories")
    if act == "forget":
        erase.forget_memories(visit.workspace, found)
        visit.tell(f"Forgotten for good: {count(len(found), 'memory')}.")
    elif act in ("pin", "unpin"):
        for one in found:
            visit.workspace.store.change(one.scope, one.key, pinned=act == "pin")
        visit.tell(f"{act.capitalize()}ned: {count(len(found), 'memory')}.")
    else:
        raise BadInput(f"{act!a} cannot be done to memories", "Use forget, pin or unpin.")
    back = visit.given("back")
    return visit.goto(back if back.startswith("/memories") else "/memories")


_ONE = "/memory/{kind}/{owner}/{key}"
ROUTES = [
    route("/memories", _memories),
    route("/memories/act", _act, needs="write"),
    route(_ONE, lambda visit: _shown(visit, _asked(visit))),
    route(f"{_ONE}/edit", _edit, needs="write"),
    route(f"{_ONE}/pin", _pin, needs="write"),
    route(f"{_ONE}/confirm", _confirm, needs="write"),
    route(f"{_ONE}/move", _move, needs="write"),
]
