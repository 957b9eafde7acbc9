"""What a person takes back: it is told no longer as their word, and of a memory of theirs they hear that it stays.

Nothing is forgotten here. The log has what was said; a memory is changed or forgotten by a command, or by approving
what the sweep proposes.
"""

from __future__ import annotations

import os

from holdfast.base.light_records import replace
from holdfast.continuity import buffer
from holdfast.continuity.open_sessions import source
from holdfast.language.taken_back import Retraction
from holdfast.parts import Effect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.continuity.buffer import ProjectPages, SaidSentence, WorkingState
    from holdfast.parts import HookRun

STAYS = "{0} stays as it is, and your words say otherwise: `holdfast edit {0}` or `holdfast forget {0}`"


def effects(run: HookRun, pages: ProjectPages | None, text: str) -> list[Effect]:
    """Return what takes out of the working state what a message takes back; mostly nothing."""
    retraction = Retraction(text)
    run.notices += _told_of(run, retraction)

    def edit(state: WorkingState) -> WorkingState:
        said = standing(state.said, retraction, run.session_label)
        return state if said == state.said else replace(state, said=said, updated=run.at, by=run.call.agent)

    def changing(path: str) -> Effect:
        return Effect(lambda: buffer.change(path, edit), beside=True)

    # What is laid down in one worktree holds in all of them.
    paths = dict.fromkeys((pages.buffer, os.path.join(pages.folder, buffer.PAGE))) if pages else ()
    return [changing(path) for path in paths if (state := buffer.read(path)) is not edit(state)]


def standing(said: Sequence[SaidSentence], retraction: Retraction, session: str) -> tuple[SaidSentence, ...]:
    """Return what still stands of what was said, once a message of a session is heard."""
    here = source(session)
    return tuple([one for one in said if not retraction.takes_back(one.text, just_said=one.session == here)])


def _told_of(run: HookRun, retraction: Retraction) -> list[str]:
    """Return a line for the first memory of the person's own that a message takes back."""
    from holdfast.store.read_only_index import ReadOnlyIndex, is_empty

    if is_empty(run.home):
        return []
    with ReadOnlyIndex(run.home, run.is_late) as index:
        for scopes in run.scopes().values():
            for one in index.worth_telling(scopes):
                is_theirs = one.memory.trust == "user" and not one.superseded_by
                is_of_today = one.memory.updated[:10] == run.at[:10]
                if is_theirs and retraction.takes_back(one.memory.body, just_said=is_of_today):
                    return [STAYS.format(one.memory.key)]
    return []
