"""What keeps memories in order: `holdfast lint`, `heal`, `tidy`, `prune`, `reindex` and `updates`."""

from __future__ import annotations

import click

from holdfast.app import erase, findings, heal, prune, updates
from holdfast.app.reindex import make_all_vectors, reindex
from holdfast.app.updates import ListedUpdate, Undo
from holdfast.base.text import count
from holdfast.memory import settled, tidy
from holdfast.memory.lint import lint
from holdfast.memory.proposals import SNOOZE_DAYS
from holdfast.records import asdict
from holdfast.surfaces.cli import options
from holdfast.surfaces.cli.command_line import invocation
from holdfast.surfaces.cli.making import HERE, command, group
from holdfast.surfaces.cli.output import (
    Progress,
    answer,
    confirm_plan,
    confirm_steps,
    emit_json,
    print_each,
    print_problems,
    report_applied,
    say,
    unless_chosen,
    why_empty,
)
from holdfast.surfaces.cli.tables import flowing, shown_time
from holdfast.workspace import Workspace

_IDS = click.argument("names", metavar="ID...", nargs=-1, required=True)


@group("lint", "holdfast lint", pure=True)
def _lint(workspace: Workspace) -> int:
    """Find problems in memories: broken files, orphans, dead links, stale claims, contradictions, duplicates, secrets.

    It only reads. What you dismissed or put off is not named. The exit code is 1 where anything of severity error was
    found.
    """
    found = lint(workspace)
    problems = settled.standing(workspace, found)
    ids = {one: settled.id_of(one) for one in problems if one.kind in findings.KINDS}
    if not emit_json({"problems": [{**asdict(one), "id": ids.get(one, "")} for one in problems]}):
        print_problems(problems, ids)
        put_off = f"; {len(found) - len(problems)} dismissed or put off" if len(found) > len(problems) else ""
        say(count(len(problems), "problem") + put_off if problems else why_empty(workspace, "no problems") + put_off)
    return int(any(problem.severity == "error" for problem in problems))


@_lint.sub("settle", "holdfast lint settle 1a2b3c4d")
@_IDS
def _settle(workspace: Workspace, names: tuple[str, ...]) -> None:
    """Have findings mended that need only your consent.

    A secret is taken out of its file, a memory whose code changed is confirmed, of two that contradict each other the
    newer one holds.
    """
    _decide(workspace, names, "approve")


@_lint.sub("dismiss", "holdfast lint dismiss 1a2b3c4d")
@_IDS
@click.option("--reason", default="", metavar="TEXT", help="Why, for your own records.")
def _dismiss(workspace: Workspace, names: tuple[str, ...], reason: str) -> None:
    """Leave findings as they are: they are not named again until a file that they are about changes."""
    _decide(workspace, names, "reject", reason=reason)


@_lint.sub("snooze", "holdfast lint snooze 1a2b3c4d --days 14")
@_IDS
@click.option("--days", type=int, default=SNOOZE_DAYS, show_default=True, metavar="N", help="For how many days.")
def _snooze(workspace: Workspace, names: tuple[str, ...], days: int) -> None:
    """Put findings off: they are named again after some days."""
    _decide(workspace, names, "snooze", days=days)


def _decide(
    workspace: Workspace, names: tuple[str, ...], act: findings.Act, *, days: int = SNOOZE_DAYS, reason: str = ""
) -> None:
    found = lint(workspace)
    wanted = list(dict.fromkeys(findings.find(found, name) for name in names))
    done = findings.settle(workspace, wanted, act, days=days, reason=reason)
    decisions = [{"id": one.id, "act": one.act, "why": one.why, "update": one.update} for one in done]
    if not emit_json({"decisions": decisions}):
        for one in done:
            click.echo(f"{one.act:8}  {one.id}  {one.problem.path}: {one.problem.text}")


@command("heal", "holdfast heal --dry-run")
@options.consent
def _heal(workspace: Workspace) -> None:
    """Repair what is safe: redact secrets, remove leftovers of a crash, merge equal memories, make files private that
    others can read, and adopt rows of pages that are not memories yet.

    Each act leaves a line in updates/. What needs judgement is left to you. An interrupted erase is finished first.
    """
    if not invocation().dry_run:
        erase.finish_interrupted(workspace)
    steps = heal.plan(workspace)
    if confirm_steps(steps, "nothing to heal"):
        done = heal.apply(workspace, steps)
        report_applied(done, f"healed {len(done)} of {len(steps)}")


@command("tidy", "holdfast tidy --dry-run", sees=HERE)
@options.scope("Only this scope.")
@options.consent
def _tidy(workspace: Workspace, scope: str | None) -> None:
    """Move groups of related memories of a crowded folder into sub-folders, each with an index of its own.

    Keys stay the same, and links follow.
    """
    moves, steps = tidy.plan(workspace, scope)
    if confirm_steps(steps, "no folder is crowded"):
        moved = count(tidy.apply(workspace, moves), "memory")
        report_applied(steps, f"moved {moved} into {count(len(moves), 'folder')}")


@command("prune", "holdfast prune --dry-run")
@click.option("--kept", is_flag=True, help="Show what is kept, too, each with its rule.")
@options.consent
def _prune(workspace: Workspace, kept: bool) -> None:
    """Remove memories that have expired, by the rule of their scope.

    Global and agent memories, pinned ones, and the types user, feedback, decision and lesson never expire. A sweep does
    this by itself once a day.
    """
    verdicts, steps = prune.plan(workspace)
    shown = prune.kept(verdicts) if kept else []
    if confirm_steps(steps, "nothing has expired", shown):
        report_applied(steps, f"removed {prune.apply(workspace, verdicts)}", shown)


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
    fields = {"read": swept.read, "gone": swept.gone, "sessions": swept.sessions}
    answer(fields, f"read {count(swept.read, 'file')}{sessions}; {gone}")


def _make_vectors(workspace: Workspace) -> None:
    progress = workspace.progress = Progress("making vectors")
    try:
        done = make_all_vectors(workspace)
    finally:
        progress.stop()
    made = f"made {count(done.made, 'vector')} by {done.model}; {done.waiting:,} still missing"
    nothing = "made no vectors: there is no model to make them"
    answer({"made": done.made, "waiting": done.waiting, "model": done.model}, made if done.model else nothing)


_MAX_SHOWN = 20


@group("updates", "holdfast updates --since 7d")
@options.since("Done since")
@click.option("--command", default="", metavar="NAME", help="Only by this command: prune, heal, project merge, ...")
@options.limit(_MAX_SHOWN)
@options.utc
def _list(workspace: Workspace, since: str, command: str, limit: int) -> None:
    """List what Holdfast changed, moved or removed in this home and in the files of agents, newest first."""
    found = updates.updates(workspace, since=since, command=command, limit=limit)
    if emit_json({"updates": [_plain(one) for one in found]}):
        return
    print_each(workspace, found, _print_line, unless_chosen("nothing was changed by a command yet", "update"))


@_list.sub("show", "holdfast updates show 1a2b3c4d")
@click.argument("id", metavar="ID")
@options.utc
def _show(workspace: Workspace, id: str) -> None:
    """Show one update as a diff. ID may be its beginning."""
    listed, diff = updates.show(workspace, id)
    if emit_json({**_plain(listed), "diff": diff}):
        return
    _print_line(listed)
    for target in listed.update.targets:
        click.echo(f"  {target}")
    click.echo(diff, nl=False)


@_list.sub("undo", "holdfast updates undo 1a2b3c4d --dry-run")
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@options.consent
def _undo(workspace: Workspace, ids: tuple[str, ...]) -> None:
    """Put back what an update changed, removed or moved. The plan is a diff. A file that changed since is refused, and
    then nothing changes. It is an update itself, so it can be undone.
    """
    planned = updates.plan_undo(workspace, ids)
    if not invocation().json:
        click.echo(updates.diff(planned.changes), nl=False)
        for alias in planned.aliases:
            click.echo(f"{alias.old}: {f'read in {alias.after} too' if alias.after else 'an id of its own again'}")
    why = f"changing {count(len(planned.changes), 'file')} needs your consent"
    if confirm_plan(_plan(planned, "", applied=False), why, undone="nothing was changed"):
        done = updates.apply_undo(workspace, planned)
        id = done.id if done else ""
        answer(_plan(planned, id, applied=True), f"undone by {id}")


def _print_line(listed: ListedUpdate) -> None:
    one = listed.update
    more = f" and {len(one.targets) - 1} more" if len(one.targets) > 1 else ""
    can = f"  undone by {listed.undone_by}" if listed.undone_by else "  can be undone" if listed.can_be_undone else ""
    text = f"{shown_time(one.at)}  {one.command}  {one.targets[0]}{more}: {one.reason}{can}"
    click.echo(flowing(f"{one.id}  {text}", lead=one.id))


def _plain(listed: ListedUpdate) -> dict[str, object]:
    """Return an update as `--json` promises it (docs/json.md)."""
    one = listed.update
    fields = {name: value for name, value in asdict(one).items() if name != "files"}
    acts = ["create" if not each.before else "edit" if each.after else "remove" for each in one.files]
    pairs = zip(one.files, acts, strict=True)
    touched = [{"path": each.path, "act": act, "kept": each.can_come_back} for each, act in pairs]
    return {**fields, "files": touched, "can_be_undone": listed.can_be_undone, "undone_by": listed.undone_by}


def _plan(planned: Undo, id: str, *, applied: bool) -> dict[str, object]:
    changes = [{"path": one.path, "act": one.act, "diff": updates.diff((one,))} for one in planned.changes]
    return {"undoes": planned.ids, "changes": changes, "aliases": planned.aliases, "id": id, "applied": applied}
