"""List the audit trail: calls of tools that destroy, read a secret or write outside the project."""

from __future__ import annotations

from holdfast import agents
from holdfast.app import install
from holdfast.base.light_records import replace
from holdfast.errors import BadInput, HoldfastError
from holdfast.learning.security import model as security_trail
from holdfast.learning.security.judge import KINDS
from holdfast.learning.security.model import Record
from holdfast.sessions.browse import projects_here, span
from holdfast.workspace import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.agents.base import Agent
    from holdfast.agents.editing.record import Install


def trail(
    workspace: Workspace, *, since: str = "", kind: str = "", everywhere: bool = False, limit: int = 0
) -> list[Record]:
    """Return the records of this project, or of all, newest first; 0 is no limit."""
    if kind and kind not in KINDS:
        raise BadInput(f"{kind!a} is no kind of record", f"Use one of {', '.join(KINDS)}.")
    if not workspace.enabled:
        return []
    projects = projects_here(workspace, everywhere=everywhere)
    found = [
        record
        for record in security_trail.read(workspace.home, span(since, "")[0])
        if (projects is None or record.project in projects) and kind in ("", record.kind)
    ]
    return found[:limit] if limit else found


def unguarded(workspace: Workspace) -> list[str]:
    """Return why calls are not refused although that is switched on, for each installed agent where it is so."""
    if not workspace.enabled or workspace.settings.text("security.block") == "off":
        return []
    found = {why: None for one in install.load(workspace.home) if (why := _why_not(workspace, one))}
    return list(found)


def _why_not(workspace: Workspace, installed: Install) -> str:
    try:
        agent = agents.get(installed.agent)
    except HoldfastError:
        return ""
    if not agent.guard:
        return f"{agent.title} cannot be told to refuse a call"
    if any(_is_whole(workspace, agent, installed, portable) for portable in (False, True)):
        return ""
    return f"{agent.title} was installed before refusing was switched on; run: holdfast install {agent.name}"


def _is_whole(workspace: Workspace, agent: Agent, installed: Install, portable: bool) -> bool:
    """Whether an install of today would change nothing, and so has the event before a tool."""
    usual = workspace.place("user")
    place = replace(usual, scope=installed.scope, folder=installed.folder or usual.folder)
    try:
        return not agent.plan_install(place, install.command_of(workspace, portable=portable))
    except HoldfastError:
        return False
