"""`holdfast rate`."""

from __future__ import annotations

import click

from holdfast.language.ratings import Rating
from holdfast.learning.ratings import rate
from holdfast.records import asdict
from holdfast.sessions.transcript import harmless
from holdfast.surfaces.cli.adding import AddsText
from holdfast.surfaces.cli.shared import (
    group,
    json_option,
    print_json,
    say_empty,
    session_means,
    subcommand,
    with_workspace,
)
from holdfast.workspace import Workspace

_EXAMPLE = 'holdfast rate 8 "clean and quick"'
_MAX_SHOWN = 100


@group("rate", _EXAMPLE, AddsText)
@click.option("--list", "listing", is_flag=True, help="List the ratings, as without a number.")
@click.option("--everywhere", is_flag=True, help="List those of every project.")
@click.option("--limit", default=20, show_default=True, metavar="N", type=click.IntRange(1), help="List so many.")
@json_option
@session_means("The session to rate, instead of the last one.")
@with_workspace
def _list(workspace: Workspace, listing: bool, everywhere: bool, limit: int, as_json: bool) -> None:
    """Rate the last session of this project, or the one that --session names. Without a number it lists the ratings,
    newest first.
    """
    found = rate.ratings(workspace, everywhere=everywhere, limit=limit)
    if as_json:
        print_json({"ratings": [asdict(one) for one in found]})
        return
    for one in found:
        _print(one)
    if not found:
        say_empty(workspace, f"no session was rated yet; rate one: {_EXAMPLE}")


@subcommand(
    _list, "add", 'holdfast rate add 2 "it deleted my migration"', "Rate a session. `rate NUMBER` is short for it."
)
@click.argument("number")
@click.argument("comment", nargs=-1)
@json_option
@session_means("The session to rate, instead of the last one.")
@with_workspace
def _add(workspace: Workspace, number: str, comment: tuple[str, ...], as_json: bool) -> None:
    rated = rate.rate(workspace, number, " ".join(comment))
    if as_json:
        print_json(asdict(rated))
        return
    click.echo(f"{rated.action}  ", nl=False)
    _print(rated.rating)


@subcommand(
    _list,
    "import",
    "holdfast rate import ratings.jsonl --dry-run",
    "Take over the ratings that another program wrote, one JSON object a line. Each is added once.",
)
@click.argument("file", type=click.Path())
@click.option("--dry-run", "-n", is_flag=True, help="Show what would be added and change nothing.")
@json_option
@session_means("")
@with_workspace
def _import(workspace: Workspace, file: str, dry_run: bool, as_json: bool) -> None:
    plan = rate.plan_import(workspace, file)
    added = 0 if dry_run else rate.apply_import(workspace, plan)
    counts = {"new": len(plan.new), "known": plan.known, "passed_over": plan.passed_over, "added": added}
    if as_json:
        print_json({**counts, "applied": not dry_run})
        return
    for one in plan.new[:_MAX_SHOWN] if dry_run else ():
        _print(one)
    done = f"{len(plan.new)} would be added" if dry_run else f"{added} added"
    click.echo(f"{done}, {plan.known} known, {plan.passed_over} passed over")


def _print(one: Rating) -> None:
    who = "/".join(part for part in (one.agent, one.session[:8]) if part)
    how = "" if one.source == "explicit" else f"  implicit {one.confidence:.2f}"
    number = click.style(f"{one.rating:2}/10", bold=True)
    said = one.comment or (one.text if one.source == "implicit" else "")
    click.echo(f"{number}  {harmless(f'{one.at[:16]}  {who}{how}  {said}').rstrip()}")


command = _list
