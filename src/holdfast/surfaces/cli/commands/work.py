"""`holdfast work`."""

from __future__ import annotations

import click

from holdfast.learning.work import items as work
from holdfast.learning.work.criteria import STATUSES, Criterion
from holdfast.learning.work.items import Changed, Shown
from holdfast.learning.work.model import Work
from holdfast.records import asdict
from holdfast.sessions.transcript import harmless
from holdfast.surfaces.cli.shared import (
    group,
    json_option,
    print_json,
    say,
    say_empty,
    session_means,
    subcommand,
    with_workspace,
)
from holdfast.workspace import Workspace

_EXAMPLE = 'holdfast work add "Move the uploads to S3" --criterion "Old links still work"'
_BOXES = {"PENDING": "[ ]", "PARTIAL": "[~]", "SATISFIED": "[x]", "FAILED": "[!]"}


@group("work", "holdfast work")
@click.option("--all", "everything", is_flag=True, help="List those that are completed too.")
@json_option
@session_means("")
@with_workspace
def _list(workspace: Workspace, everything: bool, as_json: bool) -> None:
    """List the open work items of this project, those that were worked on last first. They open by themselves when an
    agent acts on what you asked for.
    """
    found = work.work_items(workspace, everything=everything)
    if as_json:
        print_json({"work": [asdict(one) for one in found]})
        return
    for one in found:
        _print_line(one)
    if not found:
        say_empty(workspace, f"no open work item; add one: {_EXAMPLE}")


@subcommand(
    _list,
    "show",
    "holdfast work show 20260504-101500",
    "Show a work item: its criteria, how far each is and why, its lineage and files. ID may be its beginning.",
)
@click.argument("id", metavar="ID")
@json_option
@session_means("")
@with_workspace
def _show(workspace: Workspace, id: str, as_json: bool) -> None:
    shown = work.show(workspace, id)
    if as_json:
        print_json(_plain(shown))
    else:
        _print(shown)


@subcommand(
    _list,
    "add",
    _EXAMPLE,
    "Add a work item by hand. Without a criterion its title is the one.",
)
@click.argument("title", metavar="TITLE", nargs=-1, required=True)
@click.option("--criterion", "criteria", multiple=True, metavar="TEXT", help="What must be true; may be repeated.")
@click.option("--parent", default="", metavar="ID", help="The work item that it is a part of.")
@json_option
@session_means("")
@with_workspace
def _add(workspace: Workspace, title: tuple[str, ...], criteria: tuple[str, ...], parent: str, as_json: bool) -> None:
    _tell(work.add(workspace, " ".join(title), criteria=criteria, parent=parent), as_json)


@subcommand(
    _list,
    "criterion",
    'holdfast work criterion 20260504-101500 "The old links still work"',
    "Add a criterion to a work item: what must be true in the end, or with --anti what must not happen.",
)
@click.argument("id", metavar="ID")
@click.argument("text", metavar="TEXT", nargs=-1, required=True)
@click.option("--anti", is_flag=True, help="It is something that must not happen.")
@json_option
@session_means("")
@with_workspace
def _criterion(workspace: Workspace, id: str, text: tuple[str, ...], anti: bool, as_json: bool) -> None:
    _tell(work.criterion(workspace, id, " ".join(text), anti=anti), as_json)


@subcommand(
    _list,
    "verify",
    'holdfast work verify 20260504-101500 c1 --evidence "all 214 tests pass"',
    "Mark a criterion as satisfied. The evidence is kept in verification/ of the work item.",
)
@click.argument("id", metavar="ID")
@click.argument("criterion", metavar="CRITERION")
@click.option("--evidence", required=True, metavar="TEXT", help="What shows it.")
@json_option
@session_means("")
@with_workspace
def _verify(workspace: Workspace, id: str, criterion: str, evidence: str, as_json: bool) -> None:
    _tell(work.verify(workspace, id, criterion, evidence=evidence), as_json)


@subcommand(_list, "close", "holdfast work close 20260504-101500", "Close a work item, whatever its criteria say.")
@click.argument("id", metavar="ID")
@json_option
@session_means("")
@with_workspace
def _close(workspace: Workspace, id: str, as_json: bool) -> None:
    _tell(work.close(workspace, id), as_json)


@subcommand(
    _list,
    "nest",
    "holdfast work nest 20260504-101500 20260503-090000",
    "Make a work item a part of another one: its folder goes into children/ of that one.",
)
@click.argument("id", metavar="ID")
@click.argument("parent", metavar="PARENT")
@json_option
@session_means("")
@with_workspace
def _nest(workspace: Workspace, id: str, parent: str, as_json: bool) -> None:
    _tell(work.nest(workspace, id, parent), as_json)


def _plain(shown: Shown) -> dict[str, object]:
    """Return a work item as `--json` promises it (docs/json.md)."""
    isc = shown.criteria
    return {
        **asdict(shown.work),
        "ideal": isc.ideal,
        "criteria": [asdict(one) for one in isc.criteria],
        "anti_criteria": [asdict(one) for one in isc.anti_criteria],
        "satisfaction": {status.lower(): isc.count(status) for status in STATUSES},
        "parts": {part: list(names) for part, names in shown.parts},
    }


def _tell(changed: Changed, as_json: bool) -> None:
    if as_json:
        told = {"action": changed.action, "work": _plain(changed.shown)}
        criterion = asdict(changed.criterion) if changed.criterion else None
        print_json({**told, "criterion": criterion, "file": changed.file, "redacted": list(changed.redacted)})
        return
    one = changed.shown.work
    click.echo(f"{changed.action}  {one.id}  {harmless(one.title)}")
    if changed.criterion:
        _print_criterion(changed.criterion)
    missing = sum(each.status != "SATISFIED" for each in changed.shown.criteria.criteria)
    if changed.action == "closed" and missing:
        say(f"{missing} of {len(changed.shown.criteria.criteria)} criteria are not satisfied; they stay as they are")


def _print_line(one: Work) -> None:
    done = "" if one.is_open else "  completed " + one.completed_at[:10]
    under = f"  in {one.parent}" if one.parent else ""
    when = one.updated_at[:16].replace("T", " ")
    click.echo(f"{click.style(one.id, bold=True)}  {when}  {harmless(one.title)}{harmless(done + under)}")


def _print(shown: Shown) -> None:
    one, isc, lineage = shown.work, shown.criteria, shown.work.lineage
    _print_line(one)
    click.echo(
        f"  {one.status.lower()}, {one.effort}, {one.source.lower()}; {harmless(', '.join(one.sessions) or '-')}"
    )
    for each in (*isc.criteria, *isc.anti_criteria):
        _print_criterion(each)
    named = ("files", lineage.files_changed), ("tools", lineage.tools_used), ("agents", lineage.agents_spawned)
    for name, values in (*named, *shown.parts):
        if values:
            click.echo(f"  {name}: {harmless(', '.join(values))}")
    click.echo(f"  {one.path}")


def _print_criterion(one: Criterion) -> None:
    never = "must not happen: " if one.id.startswith("a") else ""
    why = f"  ({harmless(one.source_events[-1])})" if one.source_events and one.status != "PENDING" else ""
    click.echo(f"  {_BOXES[one.status]} {one.id}  {never}{harmless(one.text)}{why}")


command = _list
