"""What a person took back in a session: what waits of it goes, and of a memory of theirs the end is proposed.

Where the same message says what holds instead, that is proposed in the memory's place. Until the person decides, the
memory is told with the words that may have ended it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from holdfast.base.clock import now
from holdfast.base.text import one_line, with_capital
from holdfast.language import triggers
from holdfast.language.taken_back import Retraction
from holdfast.learning.lessons.standing import cleaned
from holdfast.memory.proposal_files import JUDGE, SAID_IN, Proposals, id_of, messages_of
from holdfast.records import Filter, Memory, Proposal, Scope, Session
from holdfast.sessions.parts import Finding
from holdfast.store.memory_file import first_words
from holdfast.workspace import Workspace

_MAX_STATEMENT = 300
_TAKEN_BACK = "the person took it back"


def taken_back(
    workspace: Workspace, session: Session, retraction: Retraction, when: str, place: int
) -> Iterator[Finding]:
    """Yield what a message of a session takes back of what waits, and of what the person had stored before it."""
    if not retraction.is_one:
        return
    waiting, heard = Proposals(workspace.home), f"{SAID_IN}{session.name}, place {place}"
    for one in waiting.all()[0]:
        is_here = any(each.startswith(f"{SAID_IN}{session.name},") for each in messages_of(one))
        is_older = one.created <= when and heard not in messages_of(one) and not one.replaces
        if one.source == JUDGE and is_older and retraction.takes_back(one.text, just_said=is_here):
            yield Finding("taken back", one.text, when, session.name, partial(withdraw, waiting, one, _TAKEN_BACK))
    for memory in _theirs(workspace, session, when):
        if retraction.takes_back(memory.body, just_said=memory.updated >= session.started):
            offered = _proposal(session, memory, retraction.text, when, heard)
            yield Finding("proposal", offered.text, when, session.name, partial(_offer, waiting, offered))


def _theirs(workspace: Workspace, session: Session, before: str) -> list[Memory]:
    """Return the memories that the person had laid down before, for the session's project and for all."""
    scopes = (Scope("project", session.project), Scope("global"))
    workspace.refresh_once(scopes[0])
    found = workspace.store.find(Filter(scopes))
    there = [workspace.store.get(one.scope, one.key) for one in found if one.trust == "user" and one.updated < before]
    return [one for one in there if one.holds and not workspace.store.superseded_by(one.scope, one.key)]


def _proposal(session: Session, memory: Memory, text: str, when: str, heard: str) -> Proposal:
    said = [one.text for one in triggers.scan(text) if one.says_what_holds]
    instead = next((one for one in said if not Retraction(one).takes_back(memory.body, just_said=True)), "")
    statement = with_capital(one_line(cleaned(instead), _MAX_STATEMENT)) if instead else memory.body
    return Proposal(
        id=id_of(memory.scope, statement if instead else f"end {memory.key} {heard}"),
        text=statement,
        scope=memory.scope,
        kind="memory" if instead else "end",
        title=first_words(statement) if instead else f"Taken back? {memory.title}",
        type=memory.type,
        tags=("said",),
        source=JUDGE,
        agent=session.agent,
        evidence=heard,
        created=when,
        replaces=memory.key,
    )


def withdraw(waiting: Proposals, one: Proposal, why: str) -> bool:
    """Take what waits out of what is proposed, for good; return whether it was still there."""
    if one.id not in waiting.ids():
        return False
    waiting.reject([one.id], why, now())
    waiting.drop(one)
    return True


def _offer(waiting: Proposals, one: Proposal) -> bool:
    if one.id in waiting.ids() or one.id in waiting.rejected():
        return False
    waiting.put(one)
    return True
