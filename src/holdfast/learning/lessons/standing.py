"""What becomes of a learned lesson: a proposal, a standing memory, a warning, or nothing any more.

One occurrence is a proposal. A lesson stands when what a person said or what happened recurs in a second session of its
project, when a person states it there or when one approves it; then it is a memory, so that everything that works on
memories works on it. What an agent merely says is proposed, however often it says it. A lesson without a project stands
only by approval, for everywhere. What was rejected or forgotten stays so, however often it recurs.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from holdfast.base.clock import now
from holdfast.base.text import check_text
from holdfast.errors import BadInput, BadKey, Forgotten, HoldfastError, NotFound
from holdfast.learning.lessons import model as lessons
from holdfast.learning.lessons.categories import category as category_of
from holdfast.learning.lessons.model import Evidence, Lesson
from holdfast.memory import audit
from holdfast.memory.proposal_files import Proposals, same
from holdfast.memory.proposals import Kind
from holdfast.memory.remember import put, refuse_secret
from holdfast.privacy import fence, redact
from holdfast.records import Draft, Filter, Memory, Proposal, Scope, replace
from holdfast.store.keys import check_key
from holdfast.store.memory_file import FilePlace, first_words
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
    settle(workspace, lesson, stated=evidence.kind == "stated", is_new=is_new)
    return is_new


def cleaned(text: str) -> str:
    """Return a text of a session on one line, without secrets and without what we injected."""
    return redact.redact(" ".join(fence.stripped(redact.redact(text)[0]).split()))[0] if text else ""


def settle(workspace: Workspace, lesson: Lesson, *, stated: bool, is_new: bool) -> Lesson:
    """Bring the lesson, its proposal and its memory to what its evidence says; return it as it is then.

    The memory of a standing one that expired comes back only when something new speaks for it.
    """
    if lesson.status == "proposed" and lesson.id in Proposals(workspace.home).rejected():
        return lessons.room(workspace.home).change(lesson, status="rejected")
    if lesson.status == "proposed" and not (lesson.project and (stated or lesson.recurs)):
        propose(workspace, lesson)
        return lesson
    if lesson.status == "proposed" or (is_new and lesson.status == "standing" and not is_there(workspace, lesson)):
        why = "a person stated it" if stated else f"it came up in {lesson.sessions} sessions"
        return stand(workspace, lesson, trust="user" if stated else "derived", why=why)
    # A crash may have come between the decision and the end of its proposal.
    drop_proposal(workspace, lesson)
    return lesson


def propose(workspace: Workspace, lesson: Lesson) -> None:
    """Offer the lesson for a person's decision, unless it is offered or decided already."""
    waiting, first = Proposals(workspace.home), lesson.evidence[0]
    if lesson.id in waiting.ids():
        return
    may_be_full = first.kind != "rating" and len(waiting.ids()) >= MAX_WAITING
    if may_be_full and sum(one.kind == KIND for one in waiting.all()[0]) >= MAX_WAITING:
        return
    waiting.put(
        Proposal(
            id=lesson.id,
            text=lesson.statement,
            scope=scope_of(lesson),
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


def stand(workspace: Workspace, lesson: Lesson, *, trust: str, why: str, text: str = "", again: bool = False) -> Lesson:
    """Make the lesson a memory of its project, or of everywhere where it has none; not what was forgotten.

    With `again` somebody says on purpose what was forgotten, and then it holds again.
    """
    room, text = lessons.room(workspace.home), text or lesson.statement
    scope = scope_of(lesson)
    workspace.refresh_once(scope)
    key = _known_as(workspace, scope, text) or _usable(lesson)
    memory = Memory(key, scope, first_words(text), text)
    if not again and workspace.store.forgot(scope, memory.key, memory.body):
        # What a person forgot does not come back by recurring.
        drop_proposal(workspace, lesson)
        return room.change(lesson, status="rejected")
    if not _is_stored(workspace, scope, key):
        _keep(workspace, _draft(lesson, scope, key, text, trust), why)
    lesson = room.change(lesson, status="standing", key=key, statement=text, updated=max(lesson.updated, now()))
    drop_proposal(workspace, lesson)
    return lesson


def stated(workspace: Workspace, project: str, evidence: Evidence, *, because: str = "") -> Lesson:
    """Take down what a person wrote down as a lesson: it stands, whatever was decided about the same before."""
    clean = replace(evidence, agent=cleaned(evidence.agent), quote=cleaned(evidence.quote), before="")
    text = f"{clean.quote.rstrip('.')}. What went wrong: {cleaned(because)}" if because else clean.quote
    lesson, _ = lessons.add_evidence(workspace.home, text, category_of(text), project, clean)
    if lesson.status == "standing" and is_there(workspace, lesson):
        return lesson
    if lesson.id in Proposals(workspace.home).ids():
        workspace.say(f"the proposal {lesson.id} said the same, and is closed by this")
    return stand(workspace, lesson, trust="user", why="it was written down", text=text, again=True)


def end(workspace: Workspace, lesson: Lesson) -> Lesson:
    """Let a lesson that was withdrawn stand no longer; its memory goes and does not come back by itself."""
    scope = scope_of(lesson)
    if is_there(workspace, lesson) and workspace.store.get(scope, lesson.key).source == SOURCE:
        audit.forgotten(workspace, [workspace.store.remove(scope, lesson.key, forget=True)])
        audit.note(workspace, "lesson", f"{scope}/{lesson.key}", "it was withdrawn")
    return lessons.room(workspace.home).change(lesson, status="rejected")


def reject(workspace: Workspace, lesson: Lesson) -> Lesson:
    """Note that a person said no to the lesson: it neither stands nor is it proposed again."""
    return lessons.room(workspace.home).change(lesson, status="rejected")


def mark(workspace: Workspace, lesson: Lesson, rating: str, at: str) -> Lesson:
    """Note that the lesson helped or did harm; where harm outweighs, its memory becomes a warning, and back."""
    lesson = lessons.room(workspace.home).mark(lesson, rating, at)
    weight = lessons.weight(lesson, at)
    if lesson.status == "standing" and weight < 0:
        return _turned(workspace, lesson, "warning")
    if lesson.status == "warning" and weight > 0:
        return _turned(workspace, lesson, "standing")
    return lesson


def marked(workspace: Workspace, memory: Memory, rating: str, at: str) -> None:
    """Note a mark of a memory with the lesson that it stands for, if it stands for one."""
    for lesson in lessons.room(workspace.home).all():
        if lesson.key == memory.key and scope_of(lesson) == memory.scope and lesson.status in ("standing", "warning"):
            mark(workspace, lesson, rating, at)
            return


def follow(workspace: Workspace, places: Iterable[FilePlace]) -> None:
    """Bring the lessons of these memories to what is there, after an undo put a memory back or took it away.

    One whose memory is gone waits again where its proposal does, and otherwise does not come back by recurring.
    """
    changed = {(one.scope, one.key) for one in places}
    for lesson in lessons.room(workspace.home).all() if changed else ():
        if (scope_of(lesson), lesson.key) in changed:
            lessons.room(workspace.home).change(lesson, status=_as_its_memory(workspace, lesson))


def _as_its_memory(workspace: Workspace, lesson: Lesson) -> str:
    try:
        memory = workspace.store.get(scope_of(lesson), lesson.key)
    except (NotFound, BadKey):
        if lesson.status == "rejected":
            return lesson.status
        return "proposed" if lesson.id in Proposals(workspace.home).ids() else "rejected"
    if memory.source != SOURCE:
        return lesson.status
    return "warning" if memory.body.startswith(_WARNING) else "standing"


def scope_of(lesson: Lesson) -> Scope:
    """Return where the lesson holds."""
    return Scope("project", lesson.project) if lesson.project else Scope("global")


def is_there(workspace: Workspace, lesson: Lesson) -> bool:
    """Whether the memory of the lesson is there."""
    return _is_stored(workspace, scope_of(lesson), lesson.key)


def _turned(workspace: Workspace, lesson: Lesson, status: str) -> Lesson:
    """Rewrite the memory as a warning not to follow it, or as it was; one that is gone stays gone."""
    scope = scope_of(lesson)
    try:
        there = workspace.store.get(scope, lesson.key)
        text = _WARNING + there.body if status == "warning" else there.body.removeprefix(_WARNING)
        # Whoever marks it vouches for it: what Holdfast found by itself could not bring a statement back.
        trust = "agent" if there.trust == "derived" and status == "standing" else there.trust
        _keep(workspace, _draft(lesson, scope, lesson.key, text, trust), f"marks made it {status}")
    except (NotFound, BadKey):
        return lesson
    return lessons.room(workspace.home).change(lesson, status=status)


def _keep(workspace: Workspace, draft: Draft, why: str) -> None:
    """Store the memory of a lesson, such that `holdfast updates` can undo it."""
    with audit.Act(workspace, "lesson") as act:
        stored = put(workspace, draft)
        act.done(f"{stored.memory.scope}/{stored.memory.key}", why)


def _draft(lesson: Lesson, scope: Scope, key: str, text: str, trust: str) -> Draft:
    last = lesson.evidence[-1] if lesson.evidence else Evidence("", "", "", "", "")
    return Draft(
        text=text,
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


def _known_as(workspace: Workspace, scope: Scope, text: str) -> str:
    """Return the key of a memory that says the same already, a person's for example."""
    wanted = same(text)
    found = workspace.store.find(Filter((scope,)))
    return next((memory.key for memory in found if same(memory.body) == wanted), "")


def _usable(lesson: Lesson) -> str:
    """Return the key of the lesson, or one without its words where they cannot be a key."""
    try:
        refuse_secret(check_key(lesson.key), "the key")
    except (BadInput, BadKey):
        return f"lesson-{lesson.id}"
    return lesson.key


def _is_stored(workspace: Workspace, scope: Scope, key: str) -> bool:
    try:
        workspace.store.get(scope, key)
    except HoldfastError:
        return False
    return True


def drop_proposal(workspace: Workspace, lesson: Lesson) -> None:
    """Take back the proposal of a lesson, if it waits for a decision."""
    waiting = Proposals(workspace.home)
    if lesson.id in waiting.ids():
        waiting.drop(waiting.get(lesson.id))


class LessonKind(Kind):
    """An approved lesson stands. It has a file of its own, which an undo could not bring back."""

    can_be_undone = False

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
        lesson = stand(workspace, lesson, trust="user", why="a person approved it", text=said)
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
