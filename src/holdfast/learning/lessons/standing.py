"""What becomes of a learned lesson: a proposal, a standing memory, a warning, or nothing any more.

One occurrence is a proposal. A lesson stands when what a person said or what happened recurs in a second session of its
project, when a person states it there or when one approves it. What an agent merely says is proposed, however often it
says it. A lesson without a project stands only by approval, for everywhere.

What stands is a memory of the type `lesson`, and nothing else: at a session's start and at a prompt a lesson is given
because that memory is, and whatever moves, changes, forgets or restores the memory does so to the lesson. The file in
`learning/` keeps the evidence and the marks, and the key of the memory; whether the lesson stands is asked of the
memory (`as_it_is`). One whose memory is gone was forgotten or withdrawn, and does not come back by recurring; nor does
what was rejected.
"""

from __future__ import annotations

import os
from contextlib import suppress

from holdfast.base.clock import now
from holdfast.base.text import check_text
from holdfast.errors import BadInput, BadKey, Forgotten, NotFound
from holdfast.language.conditions import Call, matched
from holdfast.language.likeness import alike, words_of
from holdfast.learning.lessons import model as lessons
from holdfast.learning.lessons.categories import category as category_of
from holdfast.learning.lessons.model import Evidence, Lesson
from holdfast.memory import audit
from holdfast.memory.proposal_files import SAID_IN, Proposals, id_of, same
from holdfast.memory.proposals import Kind
from holdfast.memory.remember import put, refuse_secret
from holdfast.privacy import fence, redact
from holdfast.records import STRENGTHS, Draft, Filter, Memory, Proposal, Scope, replace
from holdfast.rules.build import rules_of
from holdfast.store import kinds
from holdfast.store.keys import check_key
from holdfast.store.memory_file import first_words
from holdfast.workspace import Workspace

KIND = "lesson"
SOURCE = "learning"
TAG = "learned"
# While so many wait for a decision, only what was rated low is added; the others are listed, and may still recur.
MAX_WAITING = 50
_WARNING = "Warning: do not follow this lesson; it did harm. It said: "


def occurred(workspace: Workspace, statement: str, project: str, evidence: Evidence, *, category: str = "") -> bool:
    """Take an occurrence of a lesson down, and do what follows of it; return whether it was new."""
    project = workspace.registry.known().canonical(project) if project else ""
    clean = replace(evidence, quote=cleaned(evidence.quote), before=cleaned(evidence.before))
    kind = category or category_of(clean.quote)
    lesson, is_new = lessons.add_evidence(workspace.home, cleaned(statement), kind, project, clean)
    # Also for what is known: a crash may have come between the lesson and its proposal or memory.
    settle(workspace, lesson, stated=evidence.kind == "stated")
    return is_new


def cleaned(text: str) -> str:
    """Return a text of a session on one line, without secrets and without what we injected."""
    return redact.redact(" ".join(fence.stripped(redact.redact(text)[0]).split()))[0] if text else ""


def settle(workspace: Workspace, lesson: Lesson, *, stated: bool) -> Lesson:
    """Bring the lesson, its proposal and its memory to what its evidence says; return it as it is then."""
    if lesson.status == "proposed" and lesson.id in Proposals(workspace.home).rejected():
        return lessons.room(workspace.home).change(lesson, status="rejected")
    if lesson.status == "proposed":
        there = _said_already(workspace, lesson)
        if there is None and (is_unsure(lesson) or _is_forbidden(workspace, lesson)):
            drop_proposal(workspace, lesson)
            return lesson
        if there is None and not (lesson.project and (stated or lesson.recurs)):
            propose(workspace, lesson)
            return lesson
        why = "a person stated it" if stated else f"it came up in {lesson.sessions} sessions"
        return stand(workspace, lesson, trust="user" if stated else "derived", why=why, there=there)
    # A crash may have come between the decision and the end of its proposal.
    drop_proposal(workspace, lesson)
    return lesson


def is_unsure(lesson: Lesson) -> bool:
    """Whether nothing says for sure, nor by saying it twice, that this is a lesson."""
    return lesson.sessions < lessons.RECURS and all(one.kind == lessons.UNSURE for one in lesson.evidence)


def _is_forbidden(workspace: Workspace, lesson: Lesson) -> bool:
    """Whether one of the person's rules forbids what a lesson that nobody said tells to run."""
    if not lesson.project or any(one.family != "failure" for one in lesson.evidence):
        return False
    rules = [one for one in rules_of(workspace, (scope_of(lesson), Scope("global"))) if one.does != STRENGTHS[0]]
    lines = lesson.statement.split("`")[1::2] if rules else []
    return any(matched(one.condition, Call("Bash", line)) for one in rules for line in lines)


def propose(workspace: Workspace, lesson: Lesson) -> None:
    """Offer the lesson for a person's decision, unless it is offered or decided already."""
    waiting, first = Proposals(workspace.home), lesson.evidence[0]
    if lesson.id in waiting.ids():
        return
    may_be_full = first.kind != "rating" and len(waiting.ids()) >= MAX_WAITING
    if may_be_full and sum(one.kind == KIND for one in waiting.all()[0]) >= MAX_WAITING:
        return
    words, scope = words_of(lesson.statement), scope_of(lesson)
    for one in waiting.all()[0]:
        # What was heard in a message and says the same is part of it; not what a person edited.
        is_heard = one.evidence.startswith(SAID_IN) and id_of(one.scope, one.text) == one.id
        if is_heard and one.scope == scope and alike(words, words_of(one.text)):
            waiting.drop(one)
    waiting.put(
        Proposal(
            id=lesson.id,
            text=lesson.statement,
            scope=scope,
            kind=KIND,
            title=first_words(lesson.statement),
            type="lesson",
            tags=(TAG, lesson.category),
            source=SOURCE,
            agent=first.agent,
            evidence=f"{first.kind} in {first.agent}/{first.session}, place {first.place}",
            created=now(),
        )
    )


def stand(
    workspace: Workspace,
    lesson: Lesson,
    *,
    trust: str,
    why: str,
    text: str = "",
    again: bool = False,
    there: Memory | None = None,
) -> Lesson:
    """Make the lesson a memory of its project, or of everywhere where it has none; not what was forgotten.

    With `again` somebody says on purpose what was forgotten, and then it holds again. `there` is a memory that says it.
    """
    room, text, scope = lessons.room(workspace.home), text or lesson.statement, scope_of(lesson)
    workspace.refresh_once(scope)
    wanted = same(text)
    there = there or next((one for one in workspace.store.find(Filter((scope,))) if same(one.body) == wanted), None)
    key = there.key if there else _usable(lesson)
    if not again and there is None and workspace.store.forgot(scope, key, text):
        # What a person forgot does not come back by recurring.
        drop_proposal(workspace, lesson)
        return room.change(lesson, status="rejected")
    if there is None:
        _keep(workspace, _draft(lesson, scope, key, text, trust), why)
    lesson = room.change(lesson, status="standing", key=key, statement=text, updated=max(lesson.updated, now()))
    drop_proposal(workspace, lesson)
    return lesson


def stated(workspace: Workspace, project: str, evidence: Evidence) -> Lesson:
    """Take down what a person wants agents to be told as a lesson: it stands, whatever was decided before."""
    clean = replace(evidence, quote=cleaned(evidence.quote), before="")
    text = clean.quote
    lesson, _ = lessons.add_evidence(workspace.home, text, category_of(text), project, clean)
    if as_it_is(workspace, lesson).status == "standing":
        return lesson
    return stand(workspace, lesson, trust="user", why="it was written down", text=text, again=True)


def take_over(workspace: Workspace, memory: Memory) -> None:
    """Let what there is evidence for, and what waits, be the lesson that a person wrote down."""
    if memory.scope.kind not in ("project", "global"):
        return
    evidence = Evidence(memory.updated, "", "", "stated", cleaned(kinds.parts(memory.body)[0]))
    lesson = lessons.room(workspace.home).like(memory.scope.owner, evidence)
    if lesson is not None and as_it_is(workspace, lesson).status in ("proposed", "rejected"):
        if lesson.id in Proposals(workspace.home).ids():
            workspace.say(f"the proposal {lesson.id} said the same, and is closed by this")
        drop_proposal(workspace, lessons.room(workspace.home).change(lesson, status="standing", key=memory.key))


def end(workspace: Workspace, lesson: Lesson) -> Lesson:
    """Let a lesson that was withdrawn stand no longer; its memory goes and does not come back by itself."""
    memory = memory_of(workspace, lesson)
    if memory is not None and memory.source == SOURCE:
        audit.forgotten(workspace, [workspace.store.remove(memory.scope, memory.key, forget=True)])
        audit.note(workspace, "lesson", f"{memory.scope}/{memory.key}", "it was withdrawn")
    return reject(workspace, lesson)


def reject(workspace: Workspace, lesson: Lesson) -> Lesson:
    """Note that a person said no to the lesson: it neither stands nor is it proposed again."""
    return lessons.room(workspace.home).change(lesson, status="rejected")


def mark(workspace: Workspace, lesson: Lesson, rating: str, at: str, *, agent: str = "") -> Lesson:
    """Note that the lesson helped or did harm; where harm outweighs, its memory becomes a warning, and back.

    The mark of an `agent` never changes what a lesson of the person says, and its blame weighs nothing against that.
    """
    agent, is_harm = agent or workspace.speaker, rating == "harmful"
    if agent and is_harm and (memory := memory_of(workspace, lesson)) and kinds.is_of_the_person(memory):
        return as_it_is(workspace, lesson)
    lesson = as_it_is(workspace, lessons.room(workspace.home).mark(lesson, rating, at))
    weight = lessons.weight(lesson, at)
    from_to = (lesson.status, weight < 0 if is_harm else weight > 0)
    turns = from_to == ("standing" if is_harm else "warning", True)
    return _turned(workspace, lesson, "warning" if is_harm else "standing", agent) if turns else lesson


def marked(workspace: Workspace, memory: Memory, rating: str, at: str, *, agent: str = "") -> None:
    """Note a mark of a memory with the evidence of the lesson that it is; of another memory there is none to note."""
    room = lessons.room(workspace.home)
    known = [one for one in room.all() if one.key == memory.key and memory_of(workspace, one) == memory]
    if not known and memory.type == "lesson":
        said = first_words(memory.body)
        evidence = Evidence(at, memory.agent, memory.session, "stated", said)
        project = memory.scope.owner if memory.scope.kind == "project" else ""
        one, _ = lessons.add_evidence(workspace.home, memory.body, category_of(memory.body), project, evidence)
        known = [room.change(one, status="standing", key=memory.key)]
    for one in known[:1]:
        mark(workspace, one, rating, at, agent=agent)


def every(workspace: Workspace) -> list[Lesson]:
    """Return every lesson that there is evidence for, as it is, the oldest first."""
    return [as_it_is(workspace, one) for one in lessons.room(workspace.home).all()]


def as_it_is(workspace: Workspace, lesson: Lesson) -> Lesson:
    """Return the lesson with its status: one that became a memory stands, or warns, as long as that holds."""
    if lesson.status in ("proposed", "rejected"):
        return lesson
    memory = memory_of(workspace, lesson)
    if memory is not None and memory.holds:
        status = "warning" if memory.body.startswith(_WARNING) else "standing"
    else:
        # An undone approval waits again for a decision.
        status = "proposed" if lesson.id in Proposals(workspace.home).ids() else "rejected"
    return replace(lesson, status=status)


def memory_of(workspace: Workspace, lesson: Lesson) -> Memory | None:
    """Return the memory that the lesson became, wherever it was moved to; None where it is gone."""
    known = workspace.registry.known()
    scopes = [scope_of(lesson), *(Scope("project", id) for id in sorted(known.merged_into(lesson.project)))]
    for scope in scopes:
        with suppress(NotFound, BadKey):
            return workspace.store.get(scope, lesson.key)
    # A key that ends with its id is no other memory's, in whatever scope.
    found = workspace.store.find(Filter(None, keys=(lesson.key,))) if lesson.key.endswith(f"-{lesson.id}") else ()
    return next(iter(found), None)


def scope_of(lesson: Lesson) -> Scope:
    """Return where the lesson holds."""
    return Scope("project", lesson.project) if lesson.project else Scope("global")


def _turned(workspace: Workspace, lesson: Lesson, status: str, agent: str) -> Lesson:
    """Rewrite the memory as a warning not to follow it, or as it was; one that is gone stays gone."""
    there = memory_of(workspace, lesson)
    if there is None or (agent and kinds.is_of_the_person(there)):
        return lesson
    text = _WARNING + there.body if status == "warning" else there.body.removeprefix(_WARNING)
    # Whoever marks it says so from then on.
    draft = _draft(lesson, there.scope, there.key, text, "agent" if agent else "user")
    _keep(workspace, replace(draft, agent=agent or draft.agent), f"marks made it {status}")
    return replace(lesson, status=status)


def _keep(workspace: Workspace, draft: Draft, why: str) -> None:
    """Store the memory of a lesson, such that `holdfast updates` can undo it: in the caller's act, or for a reason."""
    if not why:
        put(workspace, draft)
        return
    with audit.Act(workspace, "lesson") as act:
        stored = put(workspace, draft)
        act.done(f"{stored.memory.scope}/{stored.memory.key}", why)


def _draft(lesson: Lesson, scope: Scope, key: str, text: str, trust: str) -> Draft:
    last = lesson.evidence[-1] if lesson.evidence else Evidence("", "", "", "", "")
    return Draft(
        text=kinds.body_of(*kinds.parts(text)),
        scope=scope,
        key=key,
        title=first_words(text),
        type="lesson",
        tags=(TAG, lesson.category),
        trust=trust,
        source=SOURCE,
        agent=last.agent,
        session=last.session,
    )


def _said_already(workspace: Workspace, lesson: Lesson) -> Memory | None:
    """Return the lesson of somebody that what occurred speaks for, however that was stored."""
    scope, wanted = scope_of(lesson), words_of(lesson.evidence[0].quote if lesson.evidence else lesson.statement)
    workspace.refresh_once(scope)
    found = workspace.store.find(Filter((scope,), ("lesson",)))
    return next((one for one in found if alike(words_of(kinds.parts(one.body)[0]), wanted)), None)


def _usable(lesson: Lesson) -> str:
    """Return the key of the lesson, or one without its words where they cannot be a key."""
    try:
        refuse_secret(check_key(lesson.key), "the key")
    except (BadInput, BadKey):
        return f"lesson-{lesson.id}"
    return lesson.key


def drop_proposal(workspace: Workspace, lesson: Lesson) -> None:
    """Take back the proposal of a lesson, if it waits for a decision."""
    waiting = Proposals(workspace.home)
    if lesson.id in waiting.ids():
        waiting.drop(waiting.get(lesson.id))


class LessonKind(Kind):
    """An approved lesson stands: it is a memory, and when that is undone the proposal waits again."""

    def keep(self, workspace: Workspace, proposal: Proposal) -> str:
        """Make the lesson stand, and return the key of its memory."""
        check_text(proposal.text)
        text = redact.redact(proposal.text)[0]
        try:
            lesson = lessons.room(workspace.home).get(proposal.id)
        except NotFound:
            # Somebody removed the file of the lesson; what it says is still worth keeping.
            told = {name: getattr(proposal, name) for name in ("scope", "title", "tags", "source", "agent")}
            return put(workspace, Draft(text=text, type="lesson", trust="user", **told)).memory.key
        said = lesson.statement if same(text) == same(lesson.statement) else text
        lesson = stand(workspace, lesson, trust="user", why="", text=said)
        if lesson.status != "standing":
            raise Forgotten("it was forgotten or corrected", "Store it with `holdfast remember` if it holds again.")
        return lesson.key

    def id_now(self, proposal: Proposal) -> str:
        """Return the id, which stands for the evidence, whatever the proposal says."""
        return proposal.id

    def reject(self, workspace: Workspace, proposal: Proposal) -> list[str]:
        """Note with the lesson that it was rejected."""
        with suppress(NotFound):
            reject(workspace, lessons.room(workspace.home).get(proposal.id))
        return []

    def noted_in(self, workspace: Workspace, proposal: Proposal) -> tuple[str, ...]:
        """Return the file of the lesson."""
        with suppress(NotFound):
            return (os.path.relpath(lessons.room(workspace.home).get(proposal.id).path, workspace.home),)
        return ()
