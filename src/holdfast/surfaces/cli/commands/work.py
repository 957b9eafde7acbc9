"""`holdfast work`."""

from __future__ import annotations

import click

from holdfast.base.text import count
from holdfast.learning.work import items as work
from holdfast.learning.work.criteria import STATUSES, Criterion
from holdfast.learning.work.items import Changed, ShownWork
from holdfast.learning.work.model import Work
from holdfast.records import asdict
from holdfast.surfaces.cli import options
from holdfast.surfaces.cli.making import PROJECT, group
from holdfast.surfaces.cli.output import emit_json, print_each, say
from holdfast.surfaces.cli.tables import flowing, local_time, on_terminal
from holdfast.workspace import Workspace

_EXAMPLE = 'holdfast work add "Move the uploads to S3" --criterion "Old links still work"'
_BOXES = {"PENDING": "[ ]", "PARTIAL": "[~]", "SATISFIED": "[x]", "FAILED": "[!]"}
_id = click.argument("id", metavar="ID")


@group("work", "holdfast work", sees=PROJECT)
@click.option("--all", "everything", is_flag=True, help="List those that are completed, too.")
@options.utc
def _list(workspace: Workspace, everything: bool) -> None:
    """List the open work items of this project, the most recently worked on first. They open by themselves when an
    agent acts on what you asked for.
    """
    found = work.work_items(workspace, everything=everything)
    if emit_json({"work": found}):
        return
    print_each(workspace, found, _print_line, f"no open work item; add one: {_EXAMPLE}")


@_list.sub("show", "holdfast work show 20260504-101500", sees=PROJECT)
@_id
@options.utc
def _show(workspace: Workspace, id: str) -> None:
    """Show a work item: its criteria, how far each is and why, its lineage and files. ID may be its beginning."""
    shown = work.show(workspace, id)
    if not emit_json(_plain(shown)):
        _print(shown)


@_list.sub("add", _EXAMPLE, sees=PROJECT)
@options.text("title", metavar="TITLE", required=True)
@click.option("--criterion", "criteria", multiple=True, metavar="TEXT", help="What must be true; may be repeated.")
@click.option("--parent", default="", metavar="ID", help="The work item that it is a part of.")
def _add(workspace: Workspace, title: tuple[str, ...], criteria: tuple[str, ...], parent: str) -> None:
    """Add a work item by hand. Without a criterion, its title is used as one."""
    _tell(work.add(workspace, " ".join(title), criteria=criteria, parent=parent))


@_list.sub("criterion", 'holdfast work criterion 20260504-101500 "The old links still work"', sees=PROJECT)
@_id
@options.text("text", metavar="TEXT", required=True)
@click.option("--anti", is_flag=True, help="It is something that must not happen.")
def _criterion(workspace: Workspace, id: str, text: tuple[str, ...], anti: bool) -> None:
    """Add a criterion to a work item: what must be true in the end, or with --anti what must not happen."""
    _tell(work.criterion(workspace, id, " ".join(text), anti=anti))


@_list.sub("verify", 'holdfast work verify 20260504-101500 c1 --evidence "all 214 tests pass"', sees=PROJECT)
@_id
@click.argument("criterion", metavar="CRITERION")
@click.option("--evidence", required=True, metavar="TEXT", help="What shows it.")
def _verify(workspace: Workspace, id: str, criterion: str, evidence: str) -> None:
    """Mark a criterion as satisfied. The evidence is kept in verification/ of the work item."""
    _tell(work.verify(workspace, id, criterion, evidence=evidence))


@_list.sub("close", 'holdfast work close 20260504-101500 --outcome "All uploads are in S3"', sees=PROJECT)
@_id
@click.option("--outcome", default="", metavar="TEXT", help="How it ended; it is kept and listed.")
def _close(workspace: Workspace, id: str, outcome: str) -> None:
    """Close a work item, whatever its criteria say."""
    _tell(work.close(workspace, id, outcome=outcome))


@_list.sub("nest", "holdfast work nest 20260504-101500 20260503-090000", sees=PROJECT)
@_id
@click.argument("parent", metavar="PARENT")
def _nest(workspace: Workspace, id: str, parent: str) -> None:
    """Make a work item a part of another one: its folder goes into children/ of that one."""
    _tell(work.nest(workspace, id, parent))


def _plain(shown: ShownWork) -> dict[str, object]:
    """Return a work item as `--json` promises it (docs/json.md)."""
    isc = shown.criteria
    return {
        **asdict(shown.work),
        "ideal": isc.ideal,
        "criteria": isc.criteria,
        "anti_criteria": isc.anti_criteria,
        "satisfaction": {status.lower(): isc.count(status) for status in STATUSES},
        "parts": dict(shown.parts),
        "lessons": shown.lessons,
    }


def _tell(changed: Changed) -> None:
    fields = {"action": changed.action, "work": _plain(changed.shown)}
    if emit_json({**fields, "criterion": changed.criterion, "file": changed.file, "redacted": changed.redacted}):
        return
    one = changed.shown.work
    click.echo(f"{changed.action}  {one.id}  {one.title}")
    if changed.criterion:
        _print_criterion(changed.criterion)
    missing = sum(each.status != "SATISFIED" for each in changed.shown.criteria.criteria)
    if changed.action == "closed" and missing:
        total = count(len(changed.shown.criteria.criteria), "criterion", "criteria")
        say(f"{missing} of {total} not satisfied; they stay as they are")


def _print_line(one: Work) -> None:
    done = "" if one.is_open else "  completed " + one.completed_at[:10]
    under = f"  in {one.parent}" if one.parent else ""
    # The beginning of an id is enough to name it; on a terminal the rest only repeats the title.
    id = one.id.partition("_")[0] if on_terminal() else one.id
    click.echo(flowing(f"{id}  {local_time(one.updated_at)}  {one.title}{done + under}", lead=id))
    if one.outcome:
        click.echo(flowing(f"  outcome: {one.outcome}"))


def _print(shown: ShownWork) -> None:
    one, isc, lineage = shown.work, shown.criteria, shown.work.lineage
    _print_line(one)
    click.echo(f"  {one.status.lower()}, {one.effort}, {one.source.lower()}; {', '.join(one.sessions) or '-'}")
    for each in (*isc.criteria, *isc.anti_criteria):
        _print_criterion(each)
    for lesson in shown.lessons:
        click.echo(f"  learned: {lesson}")
    named = ("files", lineage.files_changed), ("tools", lineage.tools_used), ("agents", lineage.agents_spawned)
    for name, values in (*named, *shown.parts):
        if values:
            click.echo(f"  {name}: {', '.join(values)}")
    click.echo(f"  {one.path}")


def _print_criterion(one: Criterion) -> None:
    never = "must not happen: " if one.id.startswith("a") else ""
    why = f"  {one.source_events[-1]}" if one.source_events and one.status != "PENDING" else ""
    click.echo(f"  {_BOXES[one.status]} {one.id}  {never}{one.text}{why}")
