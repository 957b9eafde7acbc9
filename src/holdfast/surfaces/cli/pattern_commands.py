"""The sub-commands of `holdfast patterns` by which a person decides, and looks after the catalogue."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, TypeVar

import click

from holdfast.errors import BadInput
from holdfast.patterns import catalogue_edit
from holdfast.patterns import review as pattern_review
from holdfast.patterns.catalogue import Entry
from holdfast.patterns.clusters import Pattern, Quote
from holdfast.patterns.review import Candidate, Decision
from holdfast.records import asdict
from holdfast.sessions.transcript import harmless
from holdfast.surfaces.cli.shared import (
    json_option,
    nothing,
    print_json,
    say,
    say_empty,
    subcommand,
    why_empty,
    with_workspace,
)
from holdfast.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable

_QUOTES = 8
# `holdfast patterns` takes them over.
commands = click.Group()
F = TypeVar("F", bound="Callable[..., Any]")


def _words(function: F) -> F:
    """Add the options that give an entry its words."""
    function = click.option("--owner", default="", metavar="NAME", help="Who answers for it. Default: you.")(function)
    function = click.option("--title", default="", metavar="TEXT", help="Its heading.")(function)
    return click.option("--statement", default="", metavar="TEXT", help="What agents are to be told.")(function)


@subcommand(
    commands,
    "review",
    "holdfast patterns review",
    "Walk through the patterns that nobody decided about, one by one with their evidence, on a terminal: approve, "
    "edit, merge, reject, snooze, next or quit.",
)
@click.option("--min-frequency", type=click.IntRange(1), metavar="N", help="In at least so many sessions.")
@click.option("--since", default="", metavar="TIME", help="Only from then on: 7d, yesterday, 2026-11-01.")
@json_option
@with_workspace
def _review(workspace: Workspace, min_frequency: int | None, since: str, as_json: bool) -> None:
    project = workspace.project().id if workspace.asked_project else ""
    found = pattern_review.waiting(workspace, min_frequency=min_frequency or 0, since=since, project=project)
    if as_json:
        print_json({"waiting": [_candidate_json(pattern_review.candidate(one)) for one in found]})
        return
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise BadInput("a review needs a terminal", "Use `holdfast patterns review --json`, then decide by ID.")
    made = pattern_review.review(workspace, found, lambda given: _ask(workspace, given, found))
    told = [_tell(one) for one in made]
    decided = [act for act in told if act not in ("left", "decided")]
    say(f"{len(decided)} decided" if decided else why_empty(workspace, "nothing was decided"))


def _ask(workspace: Workspace, given: Candidate, found: list[Pattern]) -> str:
    """Show a pattern and return the answer to it."""
    click.echo(f"\n[{found.index(given.pattern) + 1}/{len(found)}]")
    _print_candidate(given)
    near = pattern_review.alike(workspace, given.pattern, found)
    for name, title in near:
        click.echo(f"    like {name}  {harmless(title)}")
    text = "(a)pprove (e)dit (m)erge (r)eject (s)nooze (n)ext (q)uit"
    answer: str = click.prompt(text, type=click.Choice(tuple("aemrsnq")), show_choices=False, default="n")
    if answer == "m":
        return f"m {click.prompt('into which ID', default=near[0][0] if near else None)}"
    return f"s {click.prompt('for how many days', default=pattern_review.DAYS)}" if answer == "s" else answer


@subcommand(
    commands,
    "show",
    "holdfast patterns show 1a2b",
    "Show everything that is known of a pattern: its evidence, its entry in the catalogue, what was decided.",
)
@click.argument("name", metavar="ID")
@json_option
@with_workspace
def _show(workspace: Workspace, name: str, as_json: bool) -> None:
    if not workspace.enabled:
        nothing(workspace, as_json)
        return
    found = catalogue_edit.show(workspace, name)
    if as_json:
        print_json(asdict(found))
        return
    if found.pattern is not None and found.entry is None:
        _print_candidate(pattern_review.candidate(found.pattern))
    if found.entry is not None:
        _print_entry(found.entry)
    if found.decision is not None:
        click.echo(f"    {found.decision.act} on {found.decision.at[:10]}  {harmless(found.decision.why)}".rstrip())


@subcommand(
    commands,
    "approve",
    'holdfast patterns approve 1a2b --statement "Run the tests with make test."',
    "Enter a pattern into the catalogue, with its evidence. An ID may be cut short.",
)
@click.argument("name", metavar="ID")
@_words
@click.option("--edit", "edits", is_flag=True, help="Write the words in $VISUAL or $EDITOR first.")
@json_option
@with_workspace
def _approve(
    workspace: Workspace, name: str, statement: str, title: str, owner: str, edits: bool, as_json: bool
) -> None:
    if edits:
        given = pattern_review.worded(pattern_review.get(workspace, name), statement, title)
        given = pattern_review.edited(workspace, given)
        name, statement, title = given.pattern.id, given.statement, given.title
    entry = pattern_review.approve(workspace, name, statement=statement, title=title, owner=owner)
    _print_changed("approved", entry, as_json)


@subcommand(
    commands,
    "edit",
    "holdfast patterns edit 1a2b",
    "Edit an entry of the catalogue, in $VISUAL or $EDITOR or by options. It becomes the next version.",
)
@click.argument("name", metavar="ID")
@_words
@json_option
@with_workspace
def _edit(workspace: Workspace, name: str, statement: str, title: str, owner: str, as_json: bool) -> None:
    if statement or title or owner:
        entry, changed = catalogue_edit.revise(workspace, name, statement=statement, title=title, owner=owner), True
    else:
        entry, changed = catalogue_edit.edit(workspace, name)
    _print_changed("updated" if changed else "unchanged", entry, as_json)


@subcommand(
    commands,
    "merge",
    "holdfast patterns merge 1a2b 3c4d",
    "Make a pattern a part of another one, which waits or is in the catalogue: its signals count for that.",
)
@click.argument("name", metavar="ID")
@click.argument("into", metavar="INTO")
@json_option
@with_workspace
def _merge(workspace: Workspace, name: str, into: str, as_json: bool) -> None:
    _print_decisions([pattern_review.merge(workspace, name, into)], as_json)


@subcommand(
    commands,
    "reject",
    'holdfast patterns reject 1a2b --reason "as it should be"',
    "Reject patterns for good. They do not come back, nor does one that says nearly the same.",
)
@click.argument("names", metavar="ID...", nargs=-1, required=True)
@click.option("--reason", default="", metavar="TEXT", help="Why, for your own records.")
@json_option
@with_workspace
def _reject(workspace: Workspace, names: tuple[str, ...], reason: str, as_json: bool) -> None:
    ids = dict.fromkeys(pattern_review.get(workspace, name).id for name in names)
    _print_decisions([pattern_review.reject(workspace, name, reason=reason) for name in ids], as_json)


@subcommand(commands, "snooze", "holdfast patterns snooze 1a2b --days 14", "Show a pattern again after some days.")
@click.argument("name", metavar="ID")
@click.option("--days", type=int, default=pattern_review.DAYS, show_default=True, metavar="N", help="How many.")
@json_option
@with_workspace
def _snooze(workspace: Workspace, name: str, days: int, as_json: bool) -> None:
    _print_decisions([pattern_review.snooze(workspace, name, days=days)], as_json)


@subcommand(
    commands,
    "catalogue",
    "holdfast patterns catalogue",
    "List the patterns that were approved, where they are distributed, and those that are retired.",
)
@json_option
@with_workspace
def _catalogue(workspace: Workspace, as_json: bool) -> None:
    found, problems = catalogue_edit.entries(workspace)
    if as_json:
        print_json({"catalogue": [asdict(one) for one in found], "problems": [asdict(one) for one in problems]})
        return
    for one in found:
        click.echo(_heading(one))
        click.echo(f"    {harmless(one.statement)}")
    for problem in problems:
        say(f"{problem.path}:{problem.line}: {problem.text} ({problem.hint})")
    if not found:
        say_empty(workspace, "the catalogue is empty; decide: holdfast patterns review")


@subcommand(
    commands,
    "retire",
    'holdfast patterns retire 1a2b --reason "no effect seen"',
    "Retire an entry of the catalogue: it stays there, and is not handed out any more.",
)
@click.argument("name", metavar="ID")
@click.option("--reason", default="", metavar="TEXT", help="Why; the history keeps it.")
@json_option
@with_workspace
def _retire(workspace: Workspace, name: str, reason: str, as_json: bool) -> None:
    _print_changed("retired", catalogue_edit.retire(workspace, name, reason=reason), as_json)


@subcommand(commands, "history", "holdfast patterns history 1a2b", "List the versions of an entry of the catalogue.")
@click.argument("name", metavar="ID")
@json_option
@with_workspace
def _history(workspace: Workspace, name: str, as_json: bool) -> None:
    if not workspace.enabled:
        nothing(workspace, as_json)
        return
    name, versions = catalogue_edit.history(workspace, name)
    if as_json:
        print_json({"id": name, "versions": [asdict(one) for one in versions]})
        return
    for one in versions:
        click.echo(f"{one.number:>3}  {one.at[:16]}  {harmless(one.change)}")


@subcommand(
    commands,
    "diff",
    "holdfast patterns diff 1a2b 1 3",
    "Show what differs between two versions. Default: the last two; with one number, that one and the last.",
)
@click.argument("name", metavar="ID")
@click.argument("one", metavar="[N]", type=click.IntRange(1), required=False)
@click.argument("other", metavar="[M]", type=click.IntRange(1), required=False)
@json_option
@with_workspace
def _diff(workspace: Workspace, name: str, one: int | None, other: int | None, as_json: bool) -> None:
    if not workspace.enabled:
        nothing(workspace, as_json)
        return
    name, old, new, text = catalogue_edit.diff(workspace, name, one, other)
    if as_json:
        print_json({"id": name, "from": old, "to": new, "diff": text})
    elif text:
        click.echo("\n".join(harmless(each) for each in text.split("\n")))
    else:
        say(f"version {old} and version {new} are the same")


@subcommand(
    commands,
    "rollback",
    "holdfast patterns rollback 1a2b 2",
    "Make what a version said hold again, as a new version. Where it is distributed does not change.",
)
@click.argument("name", metavar="ID")
@click.argument("number", metavar="N", type=click.IntRange(1))
@json_option
@with_workspace
def _rollback(workspace: Workspace, name: str, number: int, as_json: bool) -> None:
    _print_changed("rolled back", catalogue_edit.rollback(workspace, name, number), as_json)


def _print_candidate(given: Candidate) -> None:
    one = given.pattern
    flag = "  CROSS-AGENT" if one.cross_agent else ""
    click.echo(f"{click.style(one.id, bold=True)}  {'+' if one.good else '-'} {harmless(given.title)}{flag}")
    click.echo(f"\n{harmless(given.statement)}\n")
    agents = ", ".join(map(harmless, one.agents))
    click.echo(f"    {one.kind}, {len(one.sessions)} session(s) of {agents}, {one.first[:10]} to {one.last[:10]}")
    _print_quotes(one.evidence[:_QUOTES])


def _print_entry(one: Entry) -> None:
    click.echo(f"{_heading(one)}\n\n{harmless(one.statement)}\n")
    click.echo(f"    {one.kind}: {harmless(one.signature)}")
    for also in one.also:
        click.echo(f"    also {harmless(also)}")
    for target in one.targets:
        until = f" to {target.withdrawn[:10]}" if target.withdrawn else ""
        agents = f"  {', '.join(map(harmless, target.agents))}" if target.agents else ""
        click.echo(f"    {target.to}  {harmless(target.where)}{agents}  {target.at[:10]}{until}")
    _print_quotes(one.evidence)


def _print_quotes(quotes: tuple[Quote, ...]) -> None:
    for one in quotes:
        click.echo(f"    {one.at[:16]}  {where_of(one)}  {harmless(one.text)}")


def where_of(quote: Quote) -> str:
    """Return session and line of a quote; a line that is not known is left out."""
    line = f":{quote.line}" if quote.line else ""
    return f"{harmless(quote.agent)}/{harmless(quote.session)}{line}"


def _heading(one: Entry) -> str:
    places = f"  in {len(one.live)} place(s)" if one.live else ""
    owner = f"  {harmless(one.owner)}" if one.owner else ""
    return f"{click.style(one.id, bold=True)}  {one.status} v{one.version}{owner}  {harmless(one.title)}{places}"


def _print_changed(act: str, entry: Entry, as_json: bool) -> None:
    print_json(asdict(entry)) if as_json else click.echo(f"{act}  {_heading(entry)}")


def _print_decisions(decisions: list[Decision], as_json: bool) -> None:
    if as_json:
        print_json({"decisions": [asdict(one) for one in decisions]})
        return
    for one in decisions:
        _tell(one)


def _tell(one: Decision) -> str:
    """Say what became of a pattern, and return that."""
    leads = {"merged": f"  into {one.leads}", "snoozed": f"  until {one.leads[:10]}"}.get(one.act, "")
    why = f"  ({harmless(one.why)})" if one.why else ""
    click.echo(f"{one.act}  {click.style(one.id, bold=True)}  {harmless(one.title)}{leads}{why}")
    return one.act


def _candidate_json(given: Candidate) -> dict[str, object]:
    return {**asdict(given.pattern), "title": given.title, "statement": given.statement}
