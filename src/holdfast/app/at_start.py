"""What a hook hands over when a session starts, and after a compaction: memories, what was learned, and pages."""

from __future__ import annotations

import os
import sqlite3

from holdfast.base.text import CUT, cut
from holdfast.continuity import resume as recovery
from holdfast.errors import HoldfastError
from holdfast.inject import block
from holdfast.journal.events import NOTICES
from holdfast.learning import readback
from holdfast.privacy import fence
from holdfast.privacy.fence import without_secrets
from holdfast.recall import fusion
from holdfast.records import replace
from holdfast.store.read_only_index import ReadOnlyIndex, is_empty

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.inject.block import Block
    from holdfast.parts import HookRun
    from holdfast.records import Hit, Memory

# A scope is ranked among this many of its memories: the pinned and the newest.
_RANKED = 40
# Of what readback may take, so much is for the trend and for work; lessons have the rest and what these leave.
_STANDING = 0.45
_STEP = 200
_MAX_NOTICES = 400


def start_block(run: HookRun) -> Block:
    """Return the block of a session's start: its memories, lessons, the project's pages, then how the work stands.

    After a compaction it is the reverse. Per scope the pinned come first, then by recency, use and trust.
    """
    room = run.settings.number("inject.start_characters") - fence.OVERHEAD
    compacted = run.call.moment != "start" or run.call.source == "compact"
    pages = recovery.ToldPages(run.workspace).found(after_compaction=compacted, asked=_asked(run) if compacted else "")
    most = readback.room(run, room)
    standing = readback.sections(run, int(most * _STANDING))
    by_scope, learned = _in_the_index(run, needed=not (pages or standing.text))
    lessons = readback.lesson_block(learned, most - _length(standing))
    by_scope = _without(by_scope, lessons)
    pages = readback.not_told(pages, learned, lessons)
    taken = _length(lessons) + _length(standing)
    # In steps, so that memories stay the same bytes while what is told of the work grows or shrinks a little.
    shared, room = room - (taken + -taken % _STEP), room - taken
    kept = int(shared * sum(source.part for source in pages))
    if compacted:
        told = recovery.block(run.workspace, pages, kept, after_compaction=True)
        memories = block.of_scopes(by_scope, room - _length(told), without_secrets)
        return block.fenced(told, standing, lessons, memories)
    first = _for_the_user(run)
    room, shared = room - _length(first), shared - _length(first)
    # What the pages may take is kept for them whole, so that memories stay the same bytes while the pages change.
    memories = block.of_scopes(by_scope, shared - kept, without_secrets)
    told = recovery.block(run.workspace, pages, room - _length(memories), after_compaction=False)
    return block.fenced(first, memories, lessons, told, standing)


def _for_the_user(run: HookRun) -> Block:
    """Return what the person is to be told: memories that this folder lost when it was renamed, and the notices."""
    project = run.project()
    told = [*(project.offers if project else ())]
    if os.path.exists(os.path.join(run.home, NOTICES)):
        from holdfast.journal import notices

        new = "; ".join([one.line() for one in notices.unseen(run.home) if not one.said])
        told += [f"{cut(new, _MAX_NOTICES, CUT)} (`holdfast status` shows it)"] if new else []
    return block.Block("\n".join([f"For the user: {fence.safe(one, without_secrets)}." for one in told]))


def note_said(run: HookRun) -> None:
    """Note that this session was told of the notices that there are."""
    if os.path.exists(os.path.join(run.home, NOTICES)):
        from holdfast.journal import notices

        notices.note_said(run.home)


def _length(part: Block) -> int:
    return len(part.text) + 1 if part.text else 0


def _asked(run: HookRun) -> str:
    """Return what the person had asked last when the conversation was compacted."""
    if run.call.moment == "start":
        return run.last_prompt()
    return " ".join((run.latest("compact", "last_prompt") or "").split())


def _in_the_index(run: HookRun, *, needed: bool) -> tuple[dict[str, list[Hit]], list[Memory]]:
    """Return the memories of the session's scopes by kind, and those that are standing lessons.

    Without an index there are none, which is an error if `needed`.
    """
    by_scope: dict[str, list[Hit]] = {}
    learned: list[Memory] = []
    try:
        with ReadOnlyIndex(run.home, run.is_late) as index:
            for kind, scopes in run.scopes().items():
                hits = [hit for hit in fusion.fuse(index.newest(scopes, _RANKED), run.at) if not hit.superseded_by]
                hits.sort(key=lambda hit: not hit.memory.pinned)
                found = [(hit, index.as_it_is(hit.memory)) for hit in hits]
                by_scope[kind] = [
                    hit if memory is hit.memory else replace(hit, memory=memory)
                    for hit, memory in found
                    if memory is not None
                ]
            learned = readback.lessons(run, index)
    except (HoldfastError, sqlite3.Error):
        # Where the time is over, what was found by then is told.
        if needed and not by_scope and not is_empty(run.home):
            raise
    return by_scope, learned


def _without(by_scope: dict[str, list[Hit]], lessons: Block) -> dict[str, list[Hit]]:
    """Return the memories without those that are told as lessons."""
    told = frozenset([(one.scope, one.key) for one in lessons.given])
    if not told:
        return by_scope
    return {
        kind: [hit for hit in hits if (hit.memory.scope, hit.memory.key) not in told] for kind, hits in by_scope.items()
    }


def lay_scaffold(run: HookRun) -> None:
    """Lay the tree of a memory in the project of an agent that keeps none of its own; what is there stays as it is."""
    project = run.project()
    # A folder that is no project, such as the person's home, is nobody's workspace.
    if not run.settings.flag("hook.scaffold") or project is None or project.rule == "override":
        return
    from holdfast.memory import scaffold

    root = os.path.join(project.root, "memory")
    if scaffold.link_in(root, scaffold.WORKSPACE_FOLDERS) or not scaffold.plan(root, scaffold.WORKSPACE_FOLDERS):
        return
    # Laying it is rare and heavy; looking whether it is there is neither.
    from holdfast.memory import init

    init.apply(run.workspace, init.plan(run.workspace, project.root), project.root)
