"""What a hook hands over when a session starts, and after a compaction: memories, what was learned, and pages."""

from __future__ import annotations

import os
import sqlite3
import sys

from holdfast.base import files
from holdfast.base.text import count, hash_of
from holdfast.continuity import asks, open_sessions
from holdfast.continuity import resume as recovery
from holdfast.continuity.doubted import doubted_memories
from holdfast.errors import HoldfastError
from holdfast.inject import block, memories
from holdfast.inject.block import ADDED, ASKED, EVERYWHERE, OF_RULES, STATE, Block, Item, Line, page_given
from holdfast.journal import NOTICES
from holdfast.learning import readback
from holdfast.privacy import fence
from holdfast.privacy.fence import without_secrets
from holdfast.records import Given, Scope
from holdfast.store import last_look
from holdfast.store.read_only_index import ReadOnlyIndex, is_empty

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.parts import HookRun

_MAX_NOTICES = 400
_MAX_PROMPTS = 100
_FIRST = 8.0
_ABOUT_MEMORY = "About this memory"
_ROOM_FOR_RECOVERED = 110


def start_block(run: HookRun) -> Block:
    """Return the block of a session's start: the person's rules, decisions, lessons and facts, then how things stand.

    After a compaction what was asked last stands first, and how things stand before the notes.
    """
    compacted = run.call.moment != "start" or run.call.source == "compact"
    asked = asked_last(run) if compacted else []
    pages = recovery.ToldPages(run.workspace).items(after_compaction=compacted, asked=asked)
    standing = readback.items(run)
    first = [] if compacted else _for_the_user(run)
    doing = [*asked, *(one.said for one in [*pages, *standing] if one.part in (ASKED, ADDED, STATE))]
    told, more, left_out = _memories(run, doing, needed=not (pages or standing))
    told += _doctrine(run)
    # What the person wrote on a page comes behind their memories, after a compaction, too; their rules come first.
    own = [one for one in pages if one.theirs and not (compacted and one.part in (ASKED, ADDED))]
    stand = [*[one for one in pages if one not in own], *standing]
    items = [*first, *stand, *told, *own] if compacted else [*first, *told, *own, *stand]
    items.sort(key=lambda one: 0 if compacted and one.part in (ASKED, ADDED) else 1 if one.head == OF_RULES else 2)
    budget = run.settings.number("inject.start_characters")
    made = block.blocked(items, budget - (_ROOM_FOR_RECOVERED if compacted else 0), more=more)
    standing_now = frozenset([one.given.key for one in items if one.part == STATE])
    made = _with_what_was_recovered(made, standing_now) if compacted and made.text else made
    return Block(made.text, made.given, (*made.left_out, *left_out), made.lines)


def _with_what_was_recovered(made: Block, standing: frozenset[str]) -> Block:
    """Return the block with one more line, which says what it gives back; `standing` tells how things stand."""
    asked = sum(one.key.startswith("asked:") for one in made.given)
    stand = sum(one.key in standing for one in made.given)
    of_pages = sum(one.scope.kind == "page" and one.key not in standing for one in made.given) - asked
    of_memory = len(made.given) - of_pages - stand - asked
    known = [
        "what was asked last" if asked else "",
        count(of_memory, "memory") if of_memory else "",
        f"{count(of_pages, 'line')} of the project's pages" if of_pages else "",
        f"{count(stand, 'line')} on how things stand" if stand else "",
    ]
    line = f"Recovered after the compaction: {', '.join([one for one in known if one])}."
    text = f"{made.text.removesuffix(fence.CLOSE)}{line}\n{fence.CLOSE}"
    return Block(text, made.given, made.left_out, (*made.lines, Line(line, len(line) + 1, "what was recovered")))


def _memories(run: HookRun, doing: list[str], *, needed: bool) -> tuple[list[Item], int, list[tuple[str, str]]]:
    """Return the memories of the session's scopes, how many more there are, and what is not told and why.

    Without an index there are none, which is an error if `needed`.
    """
    fresh = run.workspace.fresh
    try:
        with ReadOnlyIndex(run.home, run.is_late) as index:
            room = run.settings.number("inject.start_characters")
            found, more, left_out = memories.found(index, run.scopes(), fresh, room, [*doing, *_lately(run)])
            if run.settings.flag("learning.enabled") and not run.settings.flag("readback.lessons"):
                found = [one for one in found if one.memory.type != "lesson"]
    except (HoldfastError, sqlite3.Error):
        if needed and not is_empty(run.home):
            raise
        return [], 0, []
    weights, doubted = readback.weights(run), doubted_memories(run.home)
    return memories.items(found, run.at, fresh, weights=weights, doubted=doubted), more, left_out


def _lately(run: HookRun) -> list[str]:
    """Return what was asked in this project lately, by which is chosen what is told and which nobody is told."""
    project = run.project()
    return run.journal.asked_lately(project.ids) if project else []


def _doctrine(run: HookRun) -> list[Item]:
    """Return what the person says about this memory."""
    from holdfast.memory import doctrine

    kept, _ = doctrine.told(run.home)
    given = [page_given("", "definition.md", text, "the person's own doctrine") for text in kept]
    # It comes after all their rules, so that it pushes none of them out.
    return [
        Item(text, one, EVERYWHERE, _ABOUT_MEMORY, theirs=True, least=len(text))
        for text, one in zip(kept, given, strict=True)
    ]


def asked_last(run: HookRun) -> list[str]:
    """Return the ask that was worked on when the conversation was compacted, and what the person said to it since."""
    lost = None if run.call.moment == "start" else " ".join((run.latest("compact", "last_prompt") or "").split())
    said: list[str] = []
    for event in run.journal.latest("prompt"):
        text = str(event.data.get("prompt", ""))
        if (event.data.get("session"), event.data.get("agent")) != (run.session_id, run.call.agent) or not text.strip():
            continue
        if lost is not None and not said and " ".join(text.split()) != lost:
            # This prompt came after the compaction.
            continue
        said.append(text)
        if len(said) >= _MAX_PROMPTS:
            break
    project = run.project()
    one = (
        open_sessions.read(open_sessions.path_of(run.home, run.call.agent, run.session_label, project.id))
        if project
        else None
    )
    return asks.worked_on(said or [lost or ""], is_answered=bool(one and one.is_answered()))


def _for_the_user(run: HookRun) -> list[Item]:
    """Return messages for the person: the notices, and memories that this folder lost when it was renamed."""
    project = run.project()
    told = [*(project.offers if project else ())]
    if os.path.exists(os.path.join(run.home, NOTICES)):
        from holdfast.journal import notices

        new = [one for one in notices.unseen(run.home) if not one.said]
        told += [notices.in_short(new, _MAX_NOTICES)] if new else []
    if run.shows_notices():
        run.notices += [*told, *_waiting(run)]
        return []
    return [
        Item(
            f"For the user: {fence.safe(one, without_secrets)}.",
            Given(Scope("page"), "notice", "", "a notice", 0),
            STATE,
            worth=_FIRST,
            least=2 * _MAX_NOTICES,
        )
        for one in told
    ]


def _waiting(run: HookRun) -> list[str]:
    """Return how many proposals wait for the person, where these are others than they were told of."""
    names = files.names_in(os.path.join(run.home, "proposals"), ".md")
    if not names or files.read_if_there(_told_of(run)) == hash_of(*names).encode():
        return []
    return [f"{count(len(names), 'proposal')} waiting for you (`holdfast proposals`)"]


def _told_of(run: HookRun) -> str:
    return os.path.join(run.home, "state", "proposals-told")


def note_said(run: HookRun) -> None:
    """Note that this session was told of the notices and the proposals that there are."""
    if run.shows_notices() and _waiting(run):
        names = files.names_in(os.path.join(run.home, "proposals"), ".md")
        files.put(_told_of(run), hash_of(*names).encode(), durable=False)
    if os.path.exists(os.path.join(run.home, NOTICES)):
        from holdfast.journal import notices

        notices.note_said(run.home)


def look_at_files(run: HookRun) -> None:
    """See what people changed by hand in memories and pages since the last look, before it is told."""
    every = [one for some in run.scopes().values() for one in some if one.kind != "session"]
    scopes = [] if is_empty(run.home) else [one for one in every if not last_look.is_as_it_was(run.home, one)]
    if not scopes:
        return
    if sys.flags.no_site:
        # Reading pages needs third-party packages, which a hook runs without.
        import site

        site.main()
    from holdfast.app import finish

    run.workspace.refresh(tuple(scopes))
    finish.see(run.workspace)
    for scope in scopes:
        last_look.note(run.home, scope)


def lay_scaffold(run: HookRun, *, changed: bool) -> None:
    """Lay the tree of a memory in the project of an agent that keeps none of its own; what is there stays as it is.

    Where its files `changed`, their indexes follow.
    """
    project = run.project()
    # A folder that belongs to no project, such as the person's home, gets no scaffold.
    if not run.settings.flag("hook.scaffold") or project is None or project.rule == "override":
        return
    from holdfast.memory import scaffold

    root = os.path.join(project.root, "memory")
    if scaffold.link_in(root, scaffold.WORKSPACE_FOLDERS):
        return
    if not changed and not scaffold.plan(root, scaffold.WORKSPACE_FOLDERS):
        return
    # Writing the scaffold is rare and loads a lot; checking for it is cheap.
    from holdfast.memory import init

    init.apply(run.workspace, init.plan(run.workspace, project.root), project.root)
