"""What the judge finds in a person's messages once a session is in the archive.

A fact is noted as a hook would have noted it: in the session's entry of the log, marked as found behind the session.
What a careful colleague would write down for the next session is proposed; it becomes memory when a person approves it.
Until then it stands in the working state, as what a hook hears does, so that the next session is told of it.
Only sessions of late are judged: of an older one nobody waits for a proposal, and reading takes time.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator, Sequence
from functools import partial

from holdfast.base import clock
from holdfast.base.text import one_line, with_capital
from holdfast.continuity import buffer, log, messages, open_sessions
from holdfast.continuity.buffer import ProjectPages
from holdfast.inject.block import shortened
from holdfast.language import triggers
from holdfast.language.contradiction import Claim, says_otherwise
from holdfast.language.judge import MOODS, Judgement
from holdfast.language.likeness import alike, words_of
from holdfast.language.reported import is_anothers
from holdfast.language.standing_orders import orders
from holdfast.language.taken_back import Retraction
from holdfast.learning.lessons.standing import cleaned
from holdfast.learning.said.judgements import MAX_DAYS, judgements
from holdfast.learning.said.taken_back import taken_back, withdraw
from holdfast.memory.proposal_files import JUDGE, SAID_IN, Proposals, heard_in, id_of, messages_of, same
from holdfast.privacy import speech
from holdfast.records import Filter, Memory, Proposal, Scope, Session, SessionEvent, replace
from holdfast.sessions.facts import Digest
from holdfast.sessions.parts import Finding
from holdfast.store.keys import automatic_key
from holdfast.store.kinds import tidied
from holdfast.store.memory_file import first_words
from holdfast.workspace import Workspace

# Of a session with more messages the last ones are judged.
MAX_MESSAGES = 120
# While so many wait for a decision, no more are added.
MAX_WAITING = 30
_MAX_STATEMENT = 300
# What is proposed is whole; a longer one is a document.
_MAX_PROPOSED = 1_000
_MIN_WORDS = 3
# What begins or ends so is a piece of a sentence and says nothing by itself.
_PIECE = re.compile(
    r"(?:so that|which|because|nor|too|unless|as well|constraints?:|damit|sodass|und|oder|and|or|but|so|then)\b"
    r"|.*[(,:/?]$",
    re.IGNORECASE | re.DOTALL,
)
# Words that only join a clause to the one before it, which it needs not, or say yes or no to what the agent did.
_JOINING = re.compile(
    r"(?:and|but|so|then|also)\s+(?!that\b)|(?:no|nope|nah|wait|actually|nein|halt)\s*[,.:;!]\s*"
    r"|(?:yes|yeah|yep|ok|okay|alright)[\s,.:;!]+",
    re.IGNORECASE,
)
# Of the moment: thought aloud, meant for now, or one of what was offered by its number.
_PASSES = re.compile(
    r"\b(?:i (?:think|guess|suppose|wonder)|maybe|perhaps|probably|not sure|(?:for|right) now|(?:at|for) the moment"
    r"|this time|today|i'?m working on|(?:option|phase|step|number|task) \w)\b"
    r"|\A[a-h](?:\s*[-–).:,]\s|\s+(?:but|with)\b)|\b(?:do|take|pick|with|like|prefer) (?:\d{1,2}|[a-h])\W*\Z",
    re.IGNORECASE,
)
# Among the first words something that only what was said before explains. No two parts of it side by side take the
# same letter, so that a long row of signs is tried once.
_POINTS = re.compile(
    r"(?:that|what|why|how)\b|[^\w'’]*(?:[\w'’]+[^\w'’]+){0,5}?(?:"
    r"(?:it|its|it's|them|they|these|those|this|here|he|she|somewhere|above|below)\b"
    r"(?!\s+(?:app|branch|codebase|project|repo|repository|workspace)\b)"
    r"|that(?=$|[.,;:!?]|\s(?:is|was|will|should|would|can|for|in|on|to|and|or|as|too|now|let|automatically|again)\b))",
    re.IGNORECASE,
)
# Elsewhere, too: "think about how to do this always".
_LEANS = re.compile(r"\b(?:do|does|did|doing|like|of) (?:this|that)\b", re.IGNORECASE)
# "We use pnpm here" means the project.
_HERE = re.compile(r"(we\b[^.;!?]*) here\b", re.IGNORECASE)


def judged(workspace: Workspace, digest: Digest, events: Sequence[SessionEvent]) -> Iterator[Finding]:
    """Yield what the person said in a session that lasts; what an agent told its sub-agent is none of it."""
    session = digest.session
    if session.is_subagent or not session.project or not is_recent(session):
        return
    heard = [*judged_messages(workspace.home, session, events)]
    texts = [speech.typed(event.text) or "" for event, _ in heard]
    retractions = [Retraction(text) for text in texts]
    for number, (event, found) in enumerate(heard):
        when = event.at or session.ended or session.started
        yield from taken_back(workspace, session, retractions[number], when, event.place)
        is_over = any(one.takes_back(found.statement, just_said=True) for one in retractions[number + 1 :])
        if is_over or is_anothers(event.text, found.statement):
            continue
        statement = shortened(_told(found.statement), _MAX_STATEMENT)
        kinds = [kind for kind in found.kinds if kind not in MOODS]
        # Without its secret a handover of one says nothing.
        is_whole = found.lasts and messages.TAKEN_OUT not in statement
        whole = _told(standing_alone(event.text, found.statement)) if is_whole else ""
        is_offered = bool(statement) and 0 < len(whole) <= _MAX_PROPOSED
        for kind, said in _laid_down(texts[number], whole if is_offered else ""):
            text = with_capital(shortened(one_line(cleaned(said)), _MAX_STATEMENT))
            offered = _proposal(session, text, (kind,), when, event.place)
            propose = partial(_propose, workspace, session, offered, is_clear=True)
            yield Finding("proposal", offered.text, when, session.name, propose)
        if kinds and statement:
            line = f"{kinds[0]}: {statement} {log.BEHIND}"
            yield Finding("said", line, when, session.name, partial(_note, workspace, session, statement, line))
        if is_offered:
            offered = _proposal(session, whole, (*kinds, *found.candidates), when, event.place)
            propose = partial(_propose, workspace, session, offered, is_clear=bool(kinds))
            yield Finding("proposal", whole, when, session.name, propose)


def _laid_down(text: str, whole: str) -> list[tuple[str, str]]:
    """Return what a message lays down in a plain form, with its kind: orders that are to stand, and what is so.

    What is plain and only a part of what is offered `whole`, as an item of a list of rules, is not said once more.
    """
    found = [("preference", order) for order in orders(text)]
    plain = [(one.kind, messages.lasting(one.kind, one.text)) for one in triggers.scan(text) if one.is_plain]
    told = [same(whole), *[same(said) for _, said in found]]
    return found + [one for one in plain if one[1] and not any(same(one[1]) in said for said in told)]


def _told(statement: str) -> str:
    """Return a part of a message as it is told: on one line, without secrets and without what led to it."""
    return one_line(tidied(messages.statement(cleaned(statement))))


def standing_alone(text: str, statement: str) -> str:
    """Return a statement as somebody can read it who did not see the message; "" where it cannot stand alone.

    It is no piece of a sentence, means no more than the moment, and points at nothing that was said before.
    """
    before = text[: max(0, text.find(statement))].rstrip(" ")
    if not before or before[-1] in "\n.!?;,":
        # Elsewhere the word joins the statement to what it needs: "update the tests | and docs with ...".
        statement = statement[joined.end() :] if (joined := _JOINING.match(statement)) else statement
    is_piece = _PIECE.match(statement) or statement.count("(") != statement.count(")")
    points = _POINTS.match(_HERE.sub(r"\1", statement)) or _LEANS.search(statement)
    if is_piece or _PASSES.search(statement) or points or len(statement.split()) < _MIN_WORDS:
        return ""
    return statement


def is_recent(session: Session) -> bool:
    """Whether a session ended so lately that its messages are judged."""
    return (session.ended or session.started) >= clock.iso(time.time() - MAX_DAYS * clock.DAY_SECONDS)


def judged_messages(
    home: str, session: Session, events: Sequence[SessionEvent]
) -> Iterator[tuple[SessionEvent, Judgement]]:
    """Yield the messages of a person, each with what is said of it, read with what the agent had said before."""
    said, answer = [], ""
    for event in events:
        if event.role == "assistant" and event.text.strip():
            answer = event.text
        elif event.role == "human" and (text := speech.typed(event.text)):
            said.append((event, text, answer))
    said = said[-MAX_MESSAGES:]
    found = judgements(home).of(session.name, [(text, before) for _, text, before in said])
    yield from zip([event for event, _, _ in said], found, strict=True)


def _note(workspace: Workspace, session: Session, statement: str, line: str) -> bool:
    """Add a fact to what the log says was decided in the session, unless it is there; return whether it was new."""
    folder = ProjectPages(workspace.home, session.project).folder
    entry = log.entry(folder, session.started[:10], session.agent, session.id) if os.path.isdir(folder) else None
    there = [same(text) for _, text in log.said(entry) if text] if entry else []
    if entry is None or any(same(statement) in text or text in same(statement) for text in there):
        return False
    log.write(folder, replace(entry, decisions=(*entry.decisions, line)))
    return True


def _proposal(session: Session, statement: str, kinds: Sequence[str], when: str, place: int) -> Proposal:
    scope = Scope("project", session.project)
    return Proposal(
        id=id_of(scope, statement),
        text=statement,
        scope=scope,
        title=first_words(statement),
        type="feedback" if "preference" in kinds else "project",
        tags=("said", *kinds[:1]),
        source=JUDGE,
        agent=session.agent,
        evidence=f"{SAID_IN}{session.name}, place {place}",
        created=when,
    )


def _propose(workspace: Workspace, session: Session, one: Proposal, *, is_clear: bool) -> bool:
    """Offer it for a person's decision, unless it is decided, known or forgotten already.

    Where the same waits, that one was heard in this message, too. Return whether anything was written.
    """
    waiting = Proposals(workspace.home)
    if not waiting.rejected().isdisjoint((one.id, *heard_in(one))):
        return False
    offered = waiting.all()[0]
    if same_one := next((each for each in offered if _is_offered_as(one, each)), None):
        heard = messages_of(same_one) if same_one.source == JUDGE else []
        return bool(heard) and waiting.set_heard(same_one, [*heard, one.evidence])
    if not _is_newest(one, offered, waiting) or sum(each.source == JUDGE for each in offered) >= MAX_WAITING:
        return False
    workspace.refresh_once(one.scope)
    memory = Memory(automatic_key(one.text), one.scope, one.title, one.text)
    said, store = same(one.text), workspace.store
    # The index has what memories say now; what they said before is in their files.
    now = [store.get(each.scope, each.key) for each in store.find(Filter((one.scope,)))]
    known = [text for each in now for text in (each.body, *[old.text for old in each.history])]
    if any(same(text) == said for text in known) or store.forgot(one.scope, memory.key, memory.body):
        return False
    # Approved, it takes the place of what it says otherwise than.
    older = next(
        (each for each in now if each.trust == "user" and each.holds and says_otherwise(one.text, each.body)), None
    )
    waiting.put(replace(one, replaces=older.key) if older else one)
    # What is only a candidate waits for the person and is told to nobody.
    if is_clear:
        _put_into_buffer(workspace, session, one)
    return True


def _is_newest(one: Proposal, offered: Sequence[Proposal], waiting: Proposals) -> bool:
    """Whether nothing newer that waits says otherwise; what is older and says otherwise waits no longer."""
    claim = Claim(one.text)
    differ = [each for each in offered if each.source == JUDGE and claim.differs(Claim(each.text))]
    for each in differ:
        if each.created < one.created:
            withdraw(waiting, each, "the person said otherwise since")
    return all(each.created <= one.created for each in differ)


def _put_into_buffer(workspace: Workspace, session: Session, one: Proposal) -> None:
    """Put a statement among what was said lately in the worktree of its session, unless a hook heard it."""
    pages = ProjectPages(workspace.home, session.project)
    entry = log.entry(pages.folder, session.started[:10], session.agent, session.id)
    if entry is None:
        return
    kind = one.tags[1] if one.tags[1:] else "preference"
    told = shortened(one.text, _MAX_STATEMENT)
    said = buffer.SaidSentence(kind, told, one.created, session.agent, open_sessions.source(session.id))

    def edit(state: buffer.WorkingState) -> buffer.WorkingState:
        there = [same(each.text) for each in state.said]
        if any(same(one.text) in text or text in same(one.text) for text in there):
            return state
        return replace(state, said=tuple(sorted((*state.said, said), key=lambda each: each.at)))

    buffer.change(buffer.page_of(pages.folder, "".join(entry.worktree)), edit)


def _is_offered_as(one: Proposal, other: Proposal) -> bool:
    """Whether another proposal says this one: newer rules may take other words of a message, people say it again."""
    if one.evidence in messages_of(other) or one.scope != other.scope:
        return one.evidence in messages_of(other)
    return same(one.text) in same(other.text) or alike(words_of(one.text), words_of(other.text)) or one.id == other.id
