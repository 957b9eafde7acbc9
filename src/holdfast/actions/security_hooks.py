"""What hooks do for the audit trail and for research, and how a call is refused before it runs where that is on.

Refusing fails open: whatever goes wrong, the call goes on as if nobody had looked.
"""

from __future__ import annotations

import os

from holdfast.actions.hook import kept, tell
from holdfast.agents.base import Place
from holdfast.errors import HoldfastError
from holdfast.learning import security_trail
from holdfast.learning.security_trail import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.actions.hook import Visit
    from holdfast.agents.base import Agent
    from holdfast.learning.security import Sight
    from holdfast.project.registry import Registry

_CUT = " [...]"
_MOST_NAME = 80
_MOST_SESSION = 200
_MOST_REASON = 1_000
_REFUSED = "Refused by Holdfast"
OFF, DESTRUCTIVE = "off", "destructive"


def at(visit: Visit) -> None:
    """Write down what a call of a tool has for the audit trail, failed or not, or what a sub-agent handed over."""
    if visit.call.moment == "subagent-stop":
        _keep_report(visit)
        return
    # Some agents tell a call that was refused as one that failed; it is in the trail already.
    if _REFUSED in visit.call.error[:_MOST_REASON]:
        return
    for sight in _sights(visit):
        security_trail.add(visit.home, _record(visit, sight, "seen"))


def refusal(visit: Visit) -> str:
    """Return what to print so that a call is not made; nothing where it may be."""
    blocked = visit.settings.text("security.block")
    if blocked == OFF or not visit.agent.guard:
        return ""
    found = [sight for sight in _sights(visit) if blocked != DESTRUCTIVE or sight.kind == DESTRUCTIVE]
    if not found:
        return ""
    output = visit.agent.refusal_output(visit.call, _reason(found[0], blocked))
    if output and visit.settings.flag("learning.enabled"):
        _note_blocked(visit, found)
    return output


def _note_blocked(visit: Visit, found: list[Sight]) -> None:
    try:
        for sight in found:
            security_trail.add(visit.home, _record(visit, sight, "blocked"))
    except (HoldfastError, OSError) as problem:
        # That the trail cannot be written is no reason to let the call through.
        tell(visit, "security_hooks", problem)


def _reason(sight: Sight, blocked: str) -> str:
    return (
        f"{_REFUSED}, rule {sight.rule} ({sight.kind}): {line_of(sight.text)}\n"
        f"The person switched this on (security.block = {blocked}). Do not try it in another way; say what you wanted "
        "to do and why, and let the person do it or switch it off."
    )


def _sights(visit: Visit) -> list[Sight]:
    call = visit.call
    if not call.tool_input:
        return []
    from holdfast.learning.security import judge

    project = visit.project()
    root = project.root if project else ""
    also = [own_folder(visit.agent, root, visit.environment)]
    if root and os.path.realpath(call.folder).startswith(root):
        # The agent may know its folder by a link.
        also.append(call.folder)
    found = judge(call.tool, call.tool_input, root, folder=call.folder, also=also)
    if not found or project is None:
        return found
    from holdfast.project.registry import Registry

    registry = Registry(os.path.join(visit.home, "projects.tsv"))
    return [sight for sight in found if not is_of_project(sight, (project.id, *project.aliases), registry)]


def own_folder(agent: Agent, root: str, environment: Mapping[str, str]) -> str:
    """Return the folder of the agent's own config and notes, which is its own to write in; it may have none."""
    person = environment.get("HOME") or os.path.expanduser("~")
    return agent.folder(Place(os.path.abspath(person), root, "user", environment))


def is_of_project(sight: Sight, ids: tuple[str, ...], registry: Registry) -> bool:
    """Whether a file outside of the folder belongs to the project all the same: to another work tree or clone of it."""
    if sight.kind != "outside" or sight.text[:1] != "/":
        return False
    from holdfast.project.rules import resolve

    folder = os.path.dirname(sight.text)
    try:
        return os.path.isdir(folder) and resolve(folder, registry).id in ids
    except (HoldfastError, OSError, ValueError):
        return False


def line_of(text: str) -> str:
    """Return a text as a row of the trail has it: one line, without secrets, no longer than bounded."""
    return " ".join(kept(text, security_trail.MOST_TEXT - len(_CUT)).split())


def _record(visit: Visit, sight: Sight, decision: str) -> Record:
    call, project = visit.call, visit.project()
    return Record(
        at=visit.at,
        agent=call.agent,
        session=_session(visit),
        project=project.id if project else "",
        tool=kept(call.tool, _MOST_NAME),
        kind=sight.kind,
        rule=sight.rule,
        text=line_of(sight.text),
        decision=decision,
    )


def _session(visit: Visit) -> str:
    return kept(visit.agent.archived_as(visit.call) or visit.session, _MOST_SESSION)


def _keep_report(visit: Visit) -> None:
    """Write down what a sub-agent handed over, where the agent tells it."""
    if not visit.call.answer.strip():
        return
    from holdfast.learning import research

    project = visit.project()
    report = research.Report(
        at=visit.at,
        agent=visit.call.agent,
        session=_session(visit),
        parent=visit.told_session,
        project=project.id if project else "",
        text=kept(visit.call.answer, research.MOST_TEXT),
    )
    research.add(visit.home, report)
