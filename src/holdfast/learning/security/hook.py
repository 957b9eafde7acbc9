"""What hooks do for the audit trail, and how a call is refused before it runs where that is on.

Refusing fails open: whatever goes wrong, the call goes on as if nobody had looked.
"""

from __future__ import annotations

import os

from holdfast.agents.base import Place
from holdfast.errors import HoldfastError
from holdfast.learning.security import model as security_trail
from holdfast.learning.security.model import Record
from holdfast.parts import Effect
from holdfast.privacy.kept import kept

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.agents.base import Agent
    from holdfast.learning.security.judge import Sight
    from holdfast.parts import HookRun
    from holdfast.project.registry import Registry

_MAX_NAME = 80
_MAX_SESSION = 200
_MAX_REASON = 1_000
_REFUSED = "Refused by Holdfast"
OFF, DESTRUCTIVE = "off", "destructive"


def at_tool(run: HookRun) -> list[Effect]:
    """Write down what a call of a tool has for the audit trail, failed or not."""
    # Some agents tell a call that was refused as one that failed; it is in the trail already.
    if _REFUSED in run.call.error[:_MAX_REASON]:
        return []
    records = [_record(run, sight, "seen") for sight in _sights(run)]
    return [Effect(lambda: _keep(run, records))] if records else []


at_tool_failed = at_tool


def _keep(run: HookRun, records: list[Record]) -> None:
    for record in records:
        security_trail.add(run.home, record)


def refusal(run: HookRun) -> str:
    """Return what to print so that a call is not made; nothing where it may be."""
    blocked = run.settings.text("security.block")
    if blocked == OFF or not run.agent.guard:
        return ""
    found = [sight for sight in _sights(run) if blocked != DESTRUCTIVE or sight.kind == DESTRUCTIVE]
    if not found:
        return ""
    output = run.agent.refusal_output(run.call, _reason(found[0], blocked))
    if output and run.settings.flag("learning.enabled"):
        _note_blocked(run, found)
    return output


def _note_blocked(run: HookRun, found: list[Sight]) -> None:
    try:
        _keep(run, [_record(run, sight, "blocked") for sight in found])
    except (HoldfastError, OSError) as problem:
        # That the trail cannot be written is no reason to let the call through.
        run.log("security", problem)


def _reason(sight: Sight, blocked: str) -> str:
    return (
        f"{_REFUSED}, rule {sight.rule} ({sight.kind}): {line_of(sight.text)}\n"
        f"The person switched this on (security.block = {blocked}). Do not try it in another way; say what you wanted "
        "to do and why, and let the person do it or switch it off."
    )


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
    return " ".join(kept(text, security_trail.MAX_TEXT).split())


def _record(run: HookRun, sight: Sight, decision: str) -> Record:
    call, project = run.call, run.project()
    return Record(
        at=run.at,
        agent=call.agent,
        session=session_of(run),
        project=project.id if project else "",
        tool=kept(call.tool, _MAX_NAME),
        kind=sight.kind,
        rule=sight.rule,
        text=line_of(sight.text),
        decision=decision,
    )


def session_of(run: HookRun) -> str:
    """Return the session as the archive names it."""
    return kept(run.agent.archived_as(run.call) or run.session, _MAX_SESSION)
