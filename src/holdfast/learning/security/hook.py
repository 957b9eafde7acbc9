"""What hooks do for the audit trail, and how a call is refused before it runs where that is on.

Refusing fails open: whatever goes wrong, the call goes on as if nobody had looked.
"""

from __future__ import annotations

import os

from holdfast.agents.base import Place
from holdfast.errors import HoldfastError
from holdfast.learning.security import model
from holdfast.parts import STOPPED, Effect
from holdfast.privacy.fence import kept

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.agents.base import Agent
    from holdfast.learning.security.judge import Sight
    from holdfast.parts import HookRun
    from holdfast.project.registry import Registry

_MAX_SESSION = 200
DESTRUCTIVE = "destructive"


def at_tool(run: HookRun) -> list[Effect]:
    """Write down what a call of a tool has for the audit trail, failed or not."""
    sights = _sights(run)
    return [Effect(lambda: _keep(run, sights, "seen"))] if sights else []


at_tool_failed = at_tool


def at_before_tool(run: HookRun) -> list[Effect]:
    """Hold a call that is not to be made."""
    blocked = run.settings.text("security.block")
    if not run.agent.guard:
        return []
    found = [sight for sight in _sights(run) if blocked != DESTRUCTIVE or sight.kind == DESTRUCTIVE]
    if not found:
        return []
    first = " ".join(kept(found[0].text, model.MAX_TEXT).split())
    reason = (
        f"{STOPPED[0]}, rule {found[0].rule} ({found[0].kind}): {first}\n"
        f"The person switched this on (security.block = {blocked}). Do not try it in another way; say what you wanted "
        "to do and why, and let the person do it or switch it off."
    )

    def note() -> None:
        try:
            if run.settings.flag("learning.enabled"):
                _keep(run, found, "blocked")
        except (HoldfastError, OSError) as problem:
            # That the trail cannot be written is no reason to let the call through.
            run.log("security", problem)

    return [Effect(note, hold=reason)]


def _keep(run: HookRun, sights: list[Sight], decision: str) -> None:
    call, project = run.call, run.project()
    # The session as the archive names it.
    session = kept(run.agent.archived_as(call) or run.session, _MAX_SESSION)
    whose = call.agent, session, project.id if project else ""
    for sight in sights:
        model.add(run.home, model.record_of(sight, run.at, whose, call.tool, decision))


def _sights(run: HookRun) -> list[Sight]:
    call = run.call
    if not call.tool_input:
        return []
    from holdfast.learning.security.judge import judge

    project = run.project()
    root = project.root if project else ""
    also = [own_folder(run.agent, root, run.environment)]
    if root and os.path.realpath(call.folder).startswith(root):
        # The agent may know its folder by a link.
        also.append(call.folder)
    found = judge(call.tool, call.tool_input, root, folder=call.folder, also=also)
    if not found or project is None:
        return found
    from holdfast.project.registry import Registry

    registry = Registry(os.path.join(run.home, "projects.tsv"))
    return [sight for sight in found if not is_of_project(sight, project.ids, registry)]


def own_folder(agent: Agent, root: str, environment: Mapping[str, str]) -> str:
    """Return the folder of the agent's own config and notes, which is its own to write in; it may have none."""
    person = environment.get("HOME") or os.path.expanduser("~")
    return agent.folder(Place(os.path.abspath(person), root, "user", environment))


def is_of_project(sight: Sight, ids: tuple[str, ...], registry: Registry) -> bool:
    """Whether a file outside of the folder belongs to the project all the same: to another work tree or clone of it."""
    if not sight.path:
        return False
    from holdfast.project import resolve

    folder = os.path.dirname(sight.path)
    try:
        return os.path.isdir(folder) and resolve(folder, registry).id in ids
    except (HoldfastError, OSError, ValueError):
        return False
