"""What keeps memories in order: `holdfast lint`, `heal`, `tidy`, `prune` and `reindex`."""

from __future__ import annotations

import click

from holdfast.app import prune
from holdfast.app.reindex import make_all_vectors, reindex
from holdfast.base.text import count
from holdfast.memory import heal, tidy
from holdfast.memory.lint import lint
from holdfast.records import asdict
from holdfast.surfaces.cli import options
from holdfast.surfaces.cli.making import HERE, command
from holdfast.surfaces.cli.output import Progress, answer, answered, applied, consented, print_problems, say, why_empty
from holdfast.workspace import Workspace


@command("lint", "holdfast lint", pure=True)
def _lint(workspace: Workspace) -> int:
    """Find problems in memories: broken files, orphans, dead links, stale claims, contradictions, duplicates, secrets.

    It only reads. The exit code is 1 where anything of severity error was found.
    """
    problems = lint(workspace)
    if not answered({"problems": [asdict(problem) for problem in problems]}):
        print_problems(problems)
        say(count(len(problems), "problem") if problems else why_empty(workspace, "no problems"))
    return int(any(problem.severity == "error" for problem in problems))


@command("heal", "holdfast heal --dry-run")
@options.consent
def _heal(workspace: Workspace) -> None:
    """Repair what is safe: redact secrets, remove leftovers of a crash, merge equal memories, close open modes.

    Each act leaves a line in updates/. What needs judgement is left to you.
    """
    steps = heal.plan(workspace)
    if consented(steps, "nothing to heal"):
        done = heal.apply(workspace, steps)
        applied(done, f"healed {len(done)} of {len(steps)}")


@command("tidy", "holdfast tidy --dry-run", sees=HERE)
@options.scope("Only this scope.")
@options.consent
def _tidy(workspace: Workspace, scope: str | None) -> None:
    """Move groups of related memories of a crowded folder into sub-folders, each with an index of its own.

    Keys stay the same, and links follow.
    """
    moves, steps = tidy.plan(workspace, scope)
    if consented(steps, "no folder is crowded"):
        moved = count(tidy.apply(workspace, moves), "memory")
        applied(steps, f"moved {moved} into {count(len(moves), 'folder')}")


@command("prune", "holdfast prune --dry-run")
@click.option("--kept", is_flag=True, help="Show what is kept, too, each with its rule.")
@options.consent
def _prune(workspace: Workspace, kept: bool) -> None:
    """Remove memories that have expired, by the rule of their scope.

    Global and agent memories, pinned ones, and the types user, feedback and decision never expire.
    """
    verdicts, steps = prune.plan(workspace)
    shown = prune.kept(verdicts) if kept else []
    if consented(steps, "nothing has expired", shown):
        applied(steps, f"removed {prune.apply(workspace, verdicts)}", shown)


@command("reindex", "holdfast reindex")
@click.option("--meaning", is_flag=True, help="Only make the vectors that are missing.")
def _reindex(workspace: Workspace, meaning: bool) -> None:
    """Rebuild the index from the files and the archive. It loses nothing, and recall goes on meanwhile."""
    if meaning:
        _make_vectors(workspace)
        return
    swept = reindex(workspace)
    sessions = f", and {count(swept.sessions, 'session')}" if swept.sessions else ""
    gone = f"{swept.gone:,} {'was' if swept.gone == 1 else 'were'} gone"
    told = {"read": swept.read, "gone": swept.gone, "sessions": swept.sessions}
    answer(told, f"read {count(swept.read, 'file')}{sessions}; {gone}")


def _make_vectors(workspace: Workspace) -> None:
    progress = workspace.progress = Progress("making vectors")
    try:
        done = make_all_vectors(workspace)
    finally:
        progress.stop()
    made = f"made {count(done.made, 'vector')} by {done.model}; {done.waiting:,} still missing"
    nothing = "made no vectors: there is no model to make them"
    answer({"made": done.made, "waiting": done.waiting, "model": done.model}, made if done.model else nothing)
