"""Store a memory: the one way into the store. A draft is checked, redacted and put."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.base.clock import now
from holdfast.errors import BadInput, Forgotten, NotFound, Refused, StoreBusy
from holdfast.language.contradiction import Claim
from holdfast.language.given_conditions import given
from holdfast.memory.proposal_files import Proposals, id_of
from holdfast.privacy import redact
from holdfast.project import ids
from holdfast.records import USUAL, Draft, Filter, Memory, Proposal, Scope, Stored, replace
from holdfast.store import kinds as standing
from holdfast.store.memory_file import first_words
from holdfast.store.merge import content_of
from holdfast.workspace import Workspace, normal_tags

if TYPE_CHECKING:
    from holdfast.store.base import Store

WHOSE = {"user": "yours", "agent": "an agent's", "derived": "found by Holdfast", "import": "imported"}
_LOOKED_AT, _MAX_STATEMENT = 20, 300
_MAX_HINTS = 2
# These words lead up to what something is.
_NAMING = frozenset((":", "=", "is", "are", "ist", "lautet", "est", "es", "to"))


def remember(
    workspace: Workspace,
    text: str,
    *,
    scope: str = "project",
    key: str | None = None,
    title: str | None = None,
    type: str | None = None,
    tags: tuple[str, ...] | None = None,
    trust: str = "user",
    source: str = "",
    agent: str = "",
    supersedes: tuple[str, ...] = (),
    pinned: bool | None = None,
    was: str | None = None,
    when: str | None = None,
    enforce: str | None = None,
) -> Stored:
    """Store the text in the scope as seen from here. The same text again only confirms it.

    Where the file of the key is no longer what it `was`, nothing changes: ChangedMeanwhile. `when` is the condition at
    which it is told (`language/conditions.py`), `enforce` how strongly it holds then.
    """
    workspace.need_enabled()
    condition = None if when is None else str(given(when))
    enforce = "" if enforce == USUAL else enforce
    where = workspace.scope(scope)
    draft = Draft(
        text=text,
        scope=where,
        key=key,
        title=title,
        type=type or _type_of(workspace, text, where, key, trust),
        tags=None if tags is None else normal_tags(tags),
        trust="agent" if workspace.speaker and trust == "user" else trust,
        source=source,
        agent=agent or workspace.speaker,
        session=workspace.session,
        supersedes=supersedes,
        pinned=pinned,
        when=condition,
        enforce=enforce,
        confirmed=True,
    )
    need_no_lesson(draft)
    if enforce is not None and draft.trust != "user":
        workspace.say("how strongly a rule holds is the person's to say; enforce was left out")
    workspace.refresh_once(draft.scope)
    if enforce:
        # Hooks never pass a strength.
        from holdfast.language.suggesting import need_condition

        there = _there(workspace, draft.scope, draft.key) if draft.key and when is None else None
        need_condition(text, there.when if there else condition or "", enforce)
    return _put_beside_the_older(workspace, draft, was)


def need_no_lesson(draft: Draft) -> None:
    """Raise Refused for a lesson that an agent stores as such: a clone may have had it say so."""
    if draft.type == "lesson" and draft.trust == "agent" and draft.scope.kind in ("project", "global"):
        raise Refused("an agent only proposes a lesson", "`holdfast lesson add` proposes it to the person.")


def _type_of(workspace: Workspace, text: str, scope: Scope, key: str | None, trust: str) -> str | None:
    """Return the type of a statement that nobody gave one: an order of the person's is a rule.

    So is a statement of what must, or must not, be done with a command or a file. An existing memory keeps its type.
    """
    if trust != "user" or (key is not None and _there(workspace, scope, key) is not None):
        return None
    # A hook knows the type of what it stores.
    from holdfast.language.derived import derive, forbids
    from holdfast.language.triggers import is_order

    if is_order(text):
        return "feedback"
    told = derive(text)
    return "feedback" if told and (told.forbids or forbids(text)) else None


def _put_beside_the_older(workspace: Workspace, draft: Draft, was: str | None) -> Stored:
    """Store a draft in the place of what it says otherwise than, and name what says much the same."""
    near = _near(workspace, draft) if draft.trust == "user" else []
    said = content_of(draft).statement
    # What says otherwise is superseded and not removed: that it is meant is a guess, though a strict one.
    claim = Claim(said)
    older = [one for one in near if one.trust == "user" and _denies(claim, standing.parts(one.body)[0])]
    every = tuple(dict.fromkeys((*draft.supersedes, *[one.key for one in older])))
    stored = put(workspace, replace(draft, supersedes=every), was)
    stored = replace(stored, against=tuple([one.key for one in older]))
    if stored.replaced and draft.trust == "user" and not stored.memory.when:
        _say_lost_condition(workspace, stored)
    for one in older:
        gone = f"gone for good: holdfast forget {one.key}"
        workspace.say(f'{one.key} says otherwise ("{first_words(one.body)}") and is no longer given to agents; {gone}')
    same = _much_the_same(said, [one for one in near if one not in older]) if stored.action == "created" else []
    for one in same:
        merging = f"holdfast merge {one.key} {stored.memory.key}"
        workspace.say(f'{one.key} says much the same ("{first_words(one.body)}"); to make one of both: {merging}')
    return stored


def _denies(newer: Claim, older: str) -> bool:
    """Whether a statement says otherwise than an older one; two that are told at the same calls both hold.

    What forbids a call ends by no statement that names none: nobody knows that it is about the same.
    """
    if not newer.differs(Claim(older)):
        return False
    from holdfast.language.derived import derive, share_calls

    told = derive(older)
    return not (told and told.forbids and derive(newer.text) is None) and not share_calls(newer.text, older)


def _say_lost_condition(workspace: Workspace, stored: Stored) -> None:
    """Warn that a memory which was told at a call no longer is, because its new words name no call."""
    from holdfast.language.derived import derive

    told = derive(stored.replaced)
    if told is not None and derive(stored.memory.body) is None:
        way = f'to keep that: holdfast edit {stored.memory.key} --when "{told.condition}"'
        workspace.say(f"it was told at {told.condition}, which its new words do not name; {way}")


def _there(workspace: Workspace, scope: Scope, key: str) -> Memory | None:
    """Return the memory that a key names, if it is there."""
    try:
        return workspace.store.get(scope, key)
    except NotFound:
        return None


def _near(workspace: Workspace, draft: Draft) -> list[Memory]:
    """Return the memories in the scope of a draft that have words of it, and that still hold."""
    text = content_of(draft).statement
    try:
        found = workspace.store.search(text, Filter((draft.scope,)), _LOOKED_AT) if len(text) <= _MAX_STATEMENT else []
    except StoreBusy:
        # Who holds the index must not cost the person a memory: lint finds what it says otherwise than.
        return []
    return [one.memory for one in found if not one.superseded_by and one.memory.key != draft.key]


def _much_the_same(said: str, others: list[Memory]) -> list[Memory]:
    """Return those that say much the same as a statement in other words, the nearest first."""
    if not others:
        return []
    # Nothing else here needs its word lists, which take a while to load.
    from holdfast.language import likeness
    from holdfast.language.derived import share_calls

    words, stated = likeness.words_of(said), [(one, standing.parts(one.body)[0]) for one in others]
    same = [(one, text) for one, text in stated if likeness.alike(words, likeness.words_of(text))]
    # Two rules in nearly the same words may be about different calls.
    return [one for one, text in same if share_calls(said, text) is not False][:_MAX_HINTS]


def pin(workspace: Workspace, key: str, *, scope: str | None = None, pinned: bool = True) -> Memory:
    """Pin or unpin the memory and return it. A pinned one never expires, and comes first where agents are told."""
    workspace.need_person("pins memories")
    memory = workspace.locate(key, scope)
    return workspace.store.change(memory.scope, memory.key, pinned=pinned)


def put(workspace: Workspace, draft: Draft, was: str | None = None) -> Stored:
    """Redact the draft and store it. Nothing else hands a draft to the store."""
    workspace.need_enabled()
    workspace.need_reach(draft.scope.kind)
    kinds: tuple[str, ...] = ()

    def clean(checked: Draft) -> Draft:
        nonlocal kinds
        for key in (checked.key or "", *checked.supersedes):
            refuse_secret(key, "the key")
        refuse_secret(ids.without_hash(checked.scope.owner), f"the {checked.scope.kind} id")
        cleaned, kinds = redacted(checked)
        _refuse_forgotten(workspace, cleaned)
        return _anchored(workspace, cleaned)

    theirs = _of_the_person(workspace, draft) if draft.trust == "agent" and not workspace.is_reviewed else None
    if theirs is not None:
        return _proposed(workspace, theirs, clean(draft), kinds)
    stored = workspace.store.put(draft, clean, was)
    workspace.record_project(draft.scope)
    if kinds:
        workspace.say(f"redacted before it was stored: {', '.join(kinds)}")
    if stored.was and stored.memory.trust == "user":
        workspace.say(f"{stored.memory.key} is now yours ({WHOSE[stored.was]} before)")
    return replace(stored, redacted=kinds)


def put_shared(store: Store, draft: Draft) -> Stored:
    """Redact what somebody shares and put it into a team's store on a hub, which belongs to no workspace."""
    return store.put(draft, cleaned_to_share)


def cleaned_to_share(draft: Draft) -> Draft:
    """Return what somebody shares without secrets; one in its key or its owner is refused."""
    refuse_secret(draft.key or "", "the key")
    refuse_secret(ids.without_hash(draft.scope.owner), f"the {draft.scope.kind} id")
    return redacted(draft)[0]


def _anchored(workspace: Workspace, draft: Draft) -> Draft:
    """Return the draft with what it names in code; most statements name none, and a hook need not load what looks."""
    words = " ".join(word.strip(".,;:!?") for word in draft.text.split())
    names_code = any(mark in words for mark in ("`", "/", "_", "()", "."))
    if draft.scope.kind != "project" or not (names_code or draft.when):
        return draft
    from holdfast.memory.anchors import anchored

    return anchored(workspace, draft)


def end(workspace: Workspace, memory: Memory, *, agent: str = "", source: str = "") -> Stored:
    """Withdraw what a memory says: it is struck through, with the day, and told no more. Its history has it.

    An `agent` only proposes to withdraw what a person laid down. `source` is the way by which it was said.
    """
    workspace.need_enabled()
    source = source or ("mcp" if agent else "cli")
    if agent and standing.is_of_the_person(memory):
        draft = Draft(memory.body, memory.scope, type=memory.type, source=source, agent=redact.redact(agent)[0])
        return _proposed(workspace, memory, draft, (), kind="end")
    body, trust = standing.withdrawn(memory.body, now()[:10]), "agent" if agent else "user"
    return put(workspace, Draft(body, memory.scope, key=memory.key, trust=trust, source=source))


def _of_the_person(workspace: Workspace, draft: Draft) -> Memory | None:
    """Return the memory of the person that the draft would change or supersede, if there is one."""
    for key in (*(() if draft.key is None else (draft.key,)), *draft.supersedes):
        try:
            there = workspace.store.get(draft.scope, key)
        except NotFound:
            continue
        if standing.is_of_the_person(there) and there.body != content_of(draft).statement:
            return there
    return None


def _proposed(
    workspace: Workspace, theirs: Memory, draft: Draft, kinds: tuple[str, ...], *, kind: str = "memory"
) -> Stored:
    """Propose to the person what would change or end a memory of theirs."""
    if not workspace.has_home:
        text = f"{theirs.key} was written by a person, and a program may not change it"
        raise Refused(text, "Somebody who writes in the team changes it on the page.")
    folder, text = Proposals(workspace.home), content_of(draft).statement
    name = id_of(theirs.scope, f"{kind} {theirs.key} {text}")
    if name in folder.rejected():
        raise Refused(f"the person said no to this about {theirs.key}", "Ask them.")
    proposal = Proposal(
        id=name,
        text=text,
        scope=theirs.scope,
        kind=kind,
        title=f"{'Withdraw' if kind == 'end' else 'Instead of'} {theirs.key}: {first_words(text)}",
        type=draft.type or theirs.type,
        tags=draft.tags or (),
        source=draft.source,
        agent=draft.agent,
        evidence=f"an agent says so, and {theirs.key} is yours",
        created=now(),
        replaces=theirs.key,
    )
    folder.put(proposal)
    return Stored("proposed", theirs, kinds, proposal=name)


def _refuse_forgotten(workspace: Workspace, draft: Draft) -> None:
    """Refuse to an agent what the person forgot in any scope that it would be told in; the store looks at its own."""
    statement = content_of(draft).statement if draft.trust == "agent" else ""
    if statement and any(workspace.store.forgot(scope, "", statement) for scope in workspace.visible()):
        raise Forgotten("it was forgotten by the person", "Only they can store it again: `holdfast remember`.")


def redacted(draft: Draft) -> tuple[Draft, tuple[str, ...]]:
    """Return the draft without secrets, and the kinds that were found; refuse it where nothing else is left."""
    texts = [draft.text, draft.title or "", draft.source, draft.agent, "\n".join(draft.tags or ()), draft.when or ""]
    cleaned = [redact.redact(text) if text else ("", ()) for text in texts]
    kinds = tuple(sorted({kind for _, found in cleaned for kind in found}))
    if not redact.without_marks(cleaned[0][0]).strip():
        raise BadInput("nothing is left of the text but secrets", "Store what it is about, not the secret itself.")
    if not kinds:
        return draft, ()
    text, title, source, agent, tags, when = (cleaned_text for cleaned_text, _ in cleaned)
    tags_given = None if draft.tags is None else tuple(tags.split("\n")) if tags else ()
    fields = {"text": text, "title": title or None, "source": source, "agent": agent, "tags": tags_given}
    return replace(draft, **fields, when=when if draft.when else draft.when), kinds  # type: ignore[arg-type]


def names_only_a_secret(text: str) -> bool:
    """Whether a text without its secrets says no more than that there is one: "The API key is [redacted:x]."."""
    before, mark, behind = text.rstrip(" .!").rpartition("[redacted:")
    words = before.replace(":", " : ").replace("=", " = ").split()
    return bool(mark) and behind[-1:] == "]" and (not words or words[-1].lower() in _NAMING)


def refuse_secret(name: str, what: str) -> None:
    """Refuse a key or an id that is a secret: it would be the name of a file, where nothing can be taken out."""
    kinds = redact.redact(name)[1] if name else ()
    if kinds:
        raise BadInput(f"{what} looks like a secret ({', '.join(kinds)})", "Give it another name.")
