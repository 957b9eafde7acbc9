"""What an agent would be given here and now, by the code of the hook: chosen, rendered and explained, and not recorded.

Nothing goes into the journal, and no session is noted to have been shown anything.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from holdfast import agents
from holdfast.agents.base import Agent
from holdfast.app import at_prompt, at_start
from holdfast.base.files import working_folder
from holdfast.errors import BadInput
from holdfast.inject.block import Block, name_of, said_rows
from holdfast.inject.prompt import asks_something, is_new
from holdfast.inject.shown import Shown
from holdfast.parts import HookRun
from holdfast.records import Event, HookCall, replace
from holdfast.store.read_only_index import ReadOnlyIndex, is_empty
from holdfast.workspace import Workspace

_TOLD = "the start of the session told it already"
_MAX_BELOW = 3


@dataclass(frozen=True, slots=True)
class Preview:
    """What would be given to which agent at which moment, and the most that it may take.

    `note` says why the agent's hook does not hand it over, where that is so.
    """

    agent: str
    moment: str
    budget: int
    block: Block
    note: str = ""


def preview(workspace: Workspace, *, prompt: str = "", after_compaction: bool = False, agent: str = "") -> Preview:
    """Return what a session that starts here would be given, or what a prompt in it would bring after that.

    After a compaction it is what the last session here would get back. The default agent is the one last heard from.
    """
    if prompt and after_compaction:
        raise BadInput("a prompt and a compaction are two moments", "Ask for one of them.")
    last = _last_prompt(workspace)
    heard = str(last.data.get("agent", "")) if last else ""
    adapter = agents.get(agent or (heard if heard in agents.names() else agents.names()[0]))
    session = str(last.data.get("session", "")) if last and after_compaction else workspace.session or ""
    source = "compact" if after_compaction else "startup"
    run = _run(workspace, adapter, "start", session, source=source, heard=heard if after_compaction else "")
    found, moment, limit = at_start.start_block(run), "start", "inject.start_characters"
    if prompt:
        shown = {(one.scope.kind, one.scope.owner, one.key): one.digest for one in found.given}
        said = said_rows([line.said for line in found.lines])
        shown.update({(scope.kind, scope.owner, key): told for scope, key, told in said})
        run = _run(workspace, adapter, "prompt", session, prompt=prompt)
        found = at_prompt.prompt_block(run, shown)
        # Preview a session that has just started.
        known = {"shown before": _TOLD}
        left_out = [(name, known.get(why, why)) for name, why in found.left_out]
        if not found.text and not left_out:
            left_out = _below_the_bar(run, shown)
        found = replace(found, left_out=tuple(left_out))
        moment, limit = "prompt", "inject.prompt_characters"
    note = "" if moment in adapter.injects else f"The hook of {adapter.title} hands nothing over at this moment."
    if workspace.why_off:
        found, note = Block(""), f"{workspace.why_off[0].upper()}{workspace.why_off[1:]}."
    return Preview(adapter.name, moment, workspace.settings.number(limit), found, note)


def _below_the_bar(run: HookRun, shown: Shown) -> list[tuple[str, str]]:
    """Return the memories that come nearest to the bar of a prompt, and why each is not given."""
    bar = run.settings.number("inject.relevance")
    if is_empty(run.home) or not asks_something(run.call.prompt):
        return []
    with ReadOnlyIndex(run.home, lambda: False) as index:
        marked = at_prompt.marked(run, index, 0.0)
    return [
        (
            name_of(one.memory),
            f"relevance {mark:.2f}, and the bar inject.relevance is {bar / 100:.2f}"
            + ("" if is_new(one.memory, shown) else f"; {_TOLD}"),
        )
        for mark, one in marked[:_MAX_BELOW]
    ]


def _run(
    workspace: Workspace,
    adapter: Agent,
    moment: str,
    session: str,
    *,
    source: str = "",
    heard: str = "",
    prompt: str = "",
) -> HookRun:
    folder = workspace.folder or working_folder() or ""
    call = HookCall(heard or adapter.name, moment, "", session=session, folder=folder, source=source, prompt=prompt)
    run = HookRun(workspace.home, adapter, call, workspace.environment)
    # The command line decides where we are, and a person who looks can wait.
    run.workspace, run.settings, run.until = workspace, workspace.settings, math.inf
    return run


def _last_prompt(workspace: Workspace) -> Event | None:
    """Return the event of the last prompt in this project, where there is one."""
    project = workspace.project_if_any()
    prompts = workspace.journal.latest("prompt") if project else ()
    return next((one for one in prompts if project and one.data.get("project") == project.id), None)
