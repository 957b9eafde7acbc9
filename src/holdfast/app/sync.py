"""Sync, and what it asks of other features: what another machine forgot is forgotten here in every file."""

from __future__ import annotations

from holdfast.app import finish
from holdfast.app.erase import finish_interrupted, forget_memories, forget_sessions
from holdfast.base.clock import days_between, now
from holdfast.errors import HoldfastError
from holdfast.exchange import hub
from holdfast.exchange.hub_calls import HubAway
from holdfast.exchange.sync import run
from holdfast.exchange.sync.depot import Depot, has_remote
from holdfast.exchange.sync.run import Synced
from holdfast.journal import notices
from holdfast.records import Memory
from holdfast.workspace import Workspace

_BEHIND_A_SWEEP_SECONDS = 20.0
# Somebody who is offline for longer may not know that it is the address or a key that is wrong.
_DAYS_OF_SILENCE = 7


def sync(workspace: Workspace, *, seconds: float = 60.0, dry_run: bool = False, yes: bool = False) -> Synced:
    """Make the home and its remote alike; what was forgotten elsewhere goes from every file here.

    A forget that was killed is finished first: what somebody began to forget does not leave.
    """
    if not dry_run:
        if workspace.enabled:
            finish_interrupted(workspace)
        finish.see(workspace)

    def forget(memories: list[Memory], sessions: tuple[str, ...]) -> None:
        if memories:
            forget_memories(workspace, memories)
        if sessions:
            forget_sessions(workspace, sessions)

    return run.sync(workspace, forget, seconds=seconds, dry_run=dry_run, yes=yes)


def after_sweep(workspace: Workspace) -> None:
    """Sync after a sweep, quietly: what a person must know becomes a notice."""
    if not (workspace.enabled and workspace.settings.flag("sync.with_sweep")):
        return
    if has_remote(workspace.home):
        try:
            done = sync(workspace, seconds=_BEHIND_A_SWEEP_SECONDS)
            reached = Depot(workspace.home).reached
            if done.offline and reached and days_between(reached, now()) >= _DAYS_OF_SILENCE:
                notices.report(
                    workspace.home, "sync", "the remote was not reached for a week", hint=done.offline, lasts=True
                )
        except HoldfastError as problem:
            notices.report(workspace.home, "sync", str(problem), hint=problem.hint, lasts=True)
    if hub.is_joined(workspace):
        _sync_hub(workspace)


def _sync_hub(workspace: Workspace) -> None:
    """Sync with the hub: an offline laptop does so later, and what the hub refused is reported."""
    refused: list[str] = []
    say, workspace.say = workspace.say, refused.append
    try:
        hub.client(workspace).sync(_BEHIND_A_SWEEP_SECONDS)
    except HubAway:
        return
    except HoldfastError as problem:
        notices.report(workspace.home, "hub", str(problem), hint=problem.hint, lasts=True)
    finally:
        workspace.say = say
    if refused:
        notices.report(workspace.home, "hub", "the hub refused what you shared", refused, hint="`holdfast hub sync`")
