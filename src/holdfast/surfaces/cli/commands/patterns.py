"""`holdfast patterns`: the report, what a person decides about patterns, the catalogue, and who is given an entry."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from holdfast.app import install
from holdfast.base.terminal import style
from holdfast.base.text import count
from holdfast.patterns import catalogue_edit, distribute
from holdfast.patterns import report as patterns
from holdfast.patterns import review as pattern_review
from holdfast.patterns.catalogue_file import CatalogueEntry
from holdfast.patterns.clusters import Pattern, Quote
from holdfast.patterns.distribute import DistributionPlan
from holdfast.patterns.review import PatternDecision, WaitingPattern
from holdfast.records import asdict
from holdfast.surfaces.cli import options
from holdfast.surfaces.cli.command_line import invocation
from holdfast.surfaces.cli.commands.install import changes_json
from holdfast.surfaces.cli.making import PROJECT, group
from holdfast.surfaces.cli.output import (
    answer,
    confirm_plan,
    emit_json,
    need_terminal,
    print_plan,
    say,
    say_empty,
    say_problems,
    why_empty,
)
from holdfast.workspace import Workspace

_MAX_QUOTES, _MAX_SHORT = 8, 2
F = TypeVar("F", bound="Callable[..., Any]")
_frequency = click.option(
    "--min-frequency", type=click.IntRange(1), metavar="N", help="In at least N sessions. Default: 3."
)
_reason = click.option("--reason", default="", metavar="TEXT", help="Why, for your own records.")
_to = click.option("--to", type=click.Choice(distribute.TARGETS), help="What it becomes, or became.")
_agent = click.option("--agent", "names", multiple=True, metavar="NAME", help="Only this agent; may be repeated.")
_force = click.option(
    "--force", is_flag=True, help="Also where somebody edited the text that Holdfast wrote; the edit is lost."
)


def _words(function: F) -> F:
    """Add the options that give an entry its words."""
    function = click.option("--owner", default="", metavar="NAME", help="Who answers for it. Default: you.")(function)
    function = click.option("--title", default="", metavar="TEXT", help="Its heading.")(function)
    return click.option("--statement", default="", metavar="TEXT", help="What agents are to be given.")(function)


@group("patterns", "holdfast patterns --problems --explain", sees=PROJECT)
@_frequency
@options.since("Only from then on")
@click.option("--domain", default="", metavar="NAME", help="Only projects of this domain, as config.toml maps them.")
@click.option("--problems", "only", flag_value="problems", help="Only what goes wrong.")
@click.option("--successes", "only", flag_value="successes", help="Only what goes well.")
@options.limit(30)
@click.option("--explain", is_flag=True, help="Show all evidence, and what was counted and merged.")
def _patterns(
    workspace: Workspace,
    min_frequency: int | None,
    since: str,
    domain: str,
    only: str | None,
    limit: int,
    explain: bool,
) -> None:
    """Show what recurs over the sessions of every agent: those of more than one agent come first, then by the
    number of sessions, how severe they are, and how recent.
    """
    gathered = patterns.gather(workspace)
    found = patterns.find(
        workspace, gathered, min_frequency=min_frequency or 0, since=since, project=_project(workspace), domain=domain
    )
    found = pattern_review.not_rejected(workspace, found)
    found = [one for one in found if only is None or one.good == (only == "successes")]
    rows = [{**asdict(one), "statement": pattern_review.candidate(one).statement} for one in found[:limit]]
    if emit_json({"patterns": rows, "total": len(found), "sessions": gathered.sessions}):
        return
    for number, one in enumerate(found[:limit], 1):
        _print_pattern(one, number, explain)
    if not found:
        _say_nothing(workspace, gathered, min_frequency, domain)
    if len(found) > limit:
        say(f"{len(found) - limit} more; see them with --limit {len(found)}")
    if gathered.waiting:
        say(f"{count(gathered.waiting, 'session')} not yet looked at closely: holdfast harvest --all")


def _project(workspace: Workspace) -> str:
    return workspace.project().id if workspace.asked_project else ""


def _say_nothing(workspace: Workspace, gathered: patterns.Gathered, least: int | None, domain: str) -> None:
    if domain and domain not in workspace.settings.domains.values():
        say(f"no project is in the domain {domain}: holdfast config set domains.PROJECT {domain}")
        return
    if not gathered.sessions:
        say_empty(workspace, "no session has been looked at yet: holdfast sweep, then holdfast harvest --all")
        return
    least = least or workspace.settings.number("patterns.min_frequency")
    looked = f"{count(gathered.sessions, 'session')} looked at"
    say_empty(workspace, f"no pattern: nothing that fits recurs in at least {count(least, 'session')} ({looked})")


def _print_pattern(one: Pattern, number: int, explain: bool) -> None:
    """Print a pattern with some of its evidence, or with all and with what was counted."""
    click.echo(f"{number:>3}. {_line(one, one.title)}")
    click.echo(f"     {pattern_review.candidate(one).statement}")
    where = f", domain {one.domain}" if one.domain else ""
    click.echo(f"     {_counted(one)}{where}")
    if explain:
        projects = count(len(one.projects), "project")
        click.echo(f"     severity {one.severity}, {count(one.times, 'time')} in all, {projects}")
        for signature in one.signatures:
            click.echo(f"     signature: {signature}")
    _print_quotes(one.evidence if explain else one.evidence[:_MAX_SHORT], "       ")


def _line(one: Pattern, title: str) -> str:
    flag = "  CROSS-AGENT" if one.cross_agent else ""
    return f"{style(one.id, 'bold')}  {'+' if one.good else '-'} {title}{flag}"


def _counted(one: Pattern) -> str:
    agents = ", ".join(one.agents)
    return f"{one.kind}, {count(len(one.sessions), 'session')} of {agents}, {one.first[:10]} to {one.last[:10]}"


@_patterns.sub("review", "holdfast patterns review", sees=PROJECT)
@_frequency
@options.since("Only from then on")
def _review(workspace: Workspace, min_frequency: int | None, since: str) -> None:
    """Walk through the patterns that nobody has decided on, one by one with their evidence, on a terminal: approve,
    edit, merge, reject, snooze, next or quit.
    """
    found = pattern_review.waiting(
        workspace, min_frequency=min_frequency or 0, since=since, project=_project(workspace)
    )
    given = [pattern_review.candidate(one) for one in found]
    waiting = [{**asdict(one.pattern), "title": one.title, "statement": one.statement} for one in given]
    if emit_json({"waiting": waiting}):
        return
    need_terminal("Use `holdfast patterns review --json`, then decide by ID.")
    decided = 0
    for one in pattern_review.review(workspace, found, lambda given: _ask(workspace, given, found)):
        _print_decisions([one])
        decided += one.act not in ("left", "decided")
    say(f"{decided} decided" if decided else why_empty(workspace, "nothing was decided"))


def _ask(workspace: Workspace, given: WaitingPattern, found: list[Pattern]) -> str:
    """Show a pattern and return the answer to it."""
    click.echo(f"\n[{found.index(given.pattern) + 1}/{len(found)}]")
    _print_candidate(given)
    near = pattern_review.alike(workspace, given.pattern, found)
    for name, title in near:
        click.echo(f"    like {name}  {title}")
    text = "(a)pprove (e)dit (m)erge (r)eject (s)nooze (n)ext (q)uit"
    answer: str = click.prompt(text, type=click.Choice(tuple("aemrsnq")), show_choices=False, default="n")
    if answer == "m":
        return f"m {click.prompt('into which ID', default=near[0][0] if near else None)}"
    return f"s {click.prompt('for how many days', default=pattern_review.DAYS)}" if answer == "s" else answer


@_patterns.sub("show", "holdfast patterns show 1a2b", reads=True)
@options.id
def _show(workspace: Workspace, name: str) -> None:
    """Show everything that is known of a pattern: its evidence, its entry in the catalogue, what was decided."""
    found = catalogue_edit.show(workspace, name)
    if emit_json(found):
        return
    if found.pattern is not None and found.entry is None:
        _print_candidate(pattern_review.candidate(found.pattern))
    if found.entry is not None:
        _print_entry(found.entry)
    if found.decision is not None:
        click.echo(f"    {found.decision.act} on {found.decision.at[:10]}  {found.decision.why}".rstrip())


@_patterns.sub("approve", 'holdfast patterns approve 1a2b --statement "Run the tests with make test."')
@options.id
@_words
@click.option("--edit", "edits", is_flag=True, help="Write the words in your editor first.")
def _approve(workspace: Workspace, name: str, statement: str, title: str, owner: str, edits: bool) -> None:
    """Enter a pattern into the catalogue, with its evidence. An ID may be cut short."""
    if edits:
        given = pattern_review.candidate(pattern_review.get(workspace, name), statement, title)
        given = pattern_review.edited(workspace, given)
        name, statement, title = given.pattern.id, given.statement, given.title
    workspace.need_person("approves a pattern")
    _print_changed("approved", pattern_review.approve(workspace, name, statement=statement, title=title, owner=owner))


@_patterns.sub("edit", "holdfast patterns edit 1a2b")
@options.id
@_words
def _edit(workspace: Workspace, /, name: str, **words: str) -> None:
    """Edit an entry of the catalogue, in your editor or by options. It becomes the next version."""
    if any(words.values()):
        entry, changed = catalogue_edit.revise(workspace, name, **words), True
    else:
        entry, changed = catalogue_edit.edit(workspace, name)
    _print_changed("updated" if changed else "unchanged", entry)


@_patterns.sub("merge", "holdfast patterns merge 1a2b 3c4d")
@options.id
@click.argument("into", metavar="INTO")
def _merge(workspace: Workspace, name: str, into: str) -> None:
    """Make a pattern part of another that waits or is in the catalogue: its signals then count for that one."""
    _print_decisions([pattern_review.merge(workspace, name, into)])


@_patterns.sub("reject", 'holdfast patterns reject 1a2b --reason "as it should be"')
@click.argument("names", metavar="ID...", nargs=-1, required=True)
@_reason
def _reject(workspace: Workspace, names: tuple[str, ...], reason: str) -> None:
    """Reject patterns for good. They do not come back, nor does one that says nearly the same."""
    ids = dict.fromkeys(pattern_review.get(workspace, name).id for name in names)
    _print_decisions([pattern_review.reject(workspace, name, reason=reason) for name in ids])


@_patterns.sub("snooze", "holdfast patterns snooze 1a2b --days 14")
@options.id
@click.option("--days", type=int, default=pattern_review.DAYS, show_default=True, metavar="N", help="How many.")
def _snooze(workspace: Workspace, name: str, days: int) -> None:
    """Put a pattern off: it is shown again after some days."""
    _print_decisions([pattern_review.snooze(workspace, name, days=days)])


@_patterns.sub("catalogue", "holdfast patterns catalogue")
def _catalogue(workspace: Workspace) -> None:
    """List the patterns that were approved, where they are distributed, and those that are retired."""
    found, problems = catalogue_edit.entries(workspace)
    if emit_json({"catalogue": found, "problems": problems}):
        return
    for one in found:
        click.echo(f"{_heading(one)}\n    {one.statement}")
    say_problems(problems)
    if not found:
        say_empty(workspace, "the catalogue is empty; decide: holdfast patterns review")


@_patterns.sub("retire", 'holdfast patterns retire 1a2b --reason "no effect seen"')
@options.id
@_reason
def _retire(workspace: Workspace, name: str, reason: str) -> None:
    """Retire an entry of the catalogue: it stays there, and is not handed out any more."""
    _print_changed("retired", catalogue_edit.retire(workspace, name, reason=reason))


@_patterns.sub("history", "holdfast patterns history 1a2b", reads=True)
@options.id
def _history(workspace: Workspace, name: str) -> None:
    """List the versions of an entry of the catalogue."""
    name, versions = catalogue_edit.history(workspace, name)
    if not emit_json({"id": name, "versions": versions}):
        for one in versions:
            click.echo(f"{one.number:>3}  {one.at[:16]}  {one.change}")


@_patterns.sub("diff", "holdfast patterns diff 1a2b 1 3", reads=True)
@options.id
@click.argument("one", metavar="[N]", type=click.IntRange(1), required=False)
@click.argument("other", metavar="[M]", type=click.IntRange(1), required=False)
def _diff(workspace: Workspace, name: str, one: int | None, other: int | None) -> None:
    """Show what differs between two versions. Default: the last two; with one number, that one and the last."""
    name, old, new, text = catalogue_edit.diff(workspace, name, one, other)
    if emit_json({"id": name, "from": old, "to": new, "diff": text}):
        return
    if text:
        click.echo(text)
    else:
        say(f"version {old} and version {new} are the same")


@_patterns.sub("rollback", "holdfast patterns rollback 1a2b 2")
@options.id
@click.argument("number", metavar="N", type=click.IntRange(1))
def _rollback(workspace: Workspace, name: str, number: int) -> None:
    """Bring back what a version said, as a new version. The places where it is distributed do not change."""
    _print_changed("rolled back", catalogue_edit.rollback(workspace, name, number))


@_patterns.sub(
    "distribute",
    "holdfast patterns distribute 1a2b --to rules --agent codex --dry-run",
    sees=("project", "folder"),
    means={"folder": "A folder of the project, instead of this one."},
)
@options.id
@_to
@_agent
@click.option("--scope", type=click.Choice(distribute.SCOPES), default="project", show_default=True, help="Where.")
@_force
@options.consent
def _distribute(workspace: Workspace, /, name: str, to: str | None, **asked: Any) -> None:
    """Hand an approved pattern to agents: as a memory, a lesson, a rule in their instruction files, a skill, or a
    warning when its failure occurs. The plan is a diff. Without --to: bring every place up to date.
    """
    planned = distribute.plan(workspace, name, to=to or "", **asked)
    _carry_out(workspace, planned, distribute.apply, "distributed", "nothing to do: it is there")


@_patterns.sub("withdraw", "holdfast patterns withdraw 1a2b --dry-run", sees=PROJECT)
@options.id
@_to
@_agent
@click.option("--scope", type=click.Choice(distribute.SCOPES), help="Only from there.")
@_force
@options.consent
def _withdraw(workspace: Workspace, /, name: str, to: str | None, scope: str | None, **asked: Any) -> None:
    """Take a pattern back, from everywhere or from some agents. Every byte that Holdfast did not write stays."""
    planned = distribute.plan_withdrawal(workspace, name, to=to or "", scope=scope or "", **asked)
    _carry_out(workspace, planned, distribute.withdraw, "withdrawn", "nothing to do: it is not there")


def _carry_out(
    workspace: Workspace,
    planned: DistributionPlan,
    apply: Callable[[Workspace, DistributionPlan], object],
    done: str,
    nothing: str,
) -> None:
    """Show the plan and, where the person wants it, do it; without a terminal nobody is asked."""
    if not invocation().json:
        if diff := install.diff(planned.changes):
            click.echo(diff, nl=False)
        if planned.steps:
            print_plan(planned.steps)
        for note in planned.notes:
            say(note)
    why = "this changes what agents read"
    if confirm_plan(_plan_json(planned, applied=False), why, nothing if planned.is_empty else ""):
        apply(workspace, planned)
        entry = f"{style(planned.entry.id, 'bold')}  {planned.entry.title}"
        answer(_plan_json(planned, applied=True), f"{done}  {entry}")


def _plan_json(planned: DistributionPlan, *, applied: bool) -> dict[str, object]:
    """Return a plan as `--json` promises it (docs/json.md)."""
    return {
        "id": planned.entry.id,
        "act": planned.act,
        "changes": changes_json(planned.changes),
        "plan": planned.steps,
        "targets": [one for one in planned.targets if one.holds],
        "notes": planned.notes,
        "applied": applied,
    }


def _print_candidate(given: WaitingPattern) -> None:
    click.echo(f"{_line(given.pattern, given.title)}\n\n{given.statement}\n")
    click.echo(f"    {_counted(given.pattern)}")
    _print_quotes(given.pattern.evidence[:_MAX_QUOTES])


def _print_entry(one: CatalogueEntry) -> None:
    click.echo(f"{_heading(one)}\n\n{one.statement}\n")
    click.echo(f"    {one.kind}: {one.signature}")
    for also in one.also:
        click.echo(f"    also {also}")
    for target in one.targets:
        until = f" to {target.withdrawn[:10]}" if target.withdrawn else ""
        agents = f"  {', '.join(target.agents)}" if target.agents else ""
        click.echo(f"    {target.to}  {target.where}{agents}  {target.at[:10]}{until}")
    _print_quotes(one.evidence)


def _print_quotes(quotes: tuple[Quote, ...], indent: str = "    ") -> None:
    for one in quotes:
        click.echo(f"{indent}{one.at[:16]}  {where_of(one)}  {one.text}")


def where_of(quote: Quote) -> str:
    """Return session and line of a quote; a line that is not known is left out."""
    line = f":{quote.line}" if quote.line else ""
    return f"{quote.agent}/{quote.session}{line}"


def _heading(one: CatalogueEntry) -> str:
    places = f"  in {count(len(one.live), 'place')}" if one.live else ""
    owner = f"  {one.owner}" if one.owner else ""
    return f"{style(one.id, 'bold')}  {one.status} v{one.version}{owner}  {one.title}{places}"


def _print_changed(act: str, entry: CatalogueEntry) -> None:
    answer(entry, f"{act}  {_heading(entry)}")


def _print_decisions(decisions: list[PatternDecision]) -> None:
    if emit_json({"decisions": decisions}):
        return
    for one in decisions:
        leads = {"merged": f"  into {one.leads}", "snoozed": f"  until {one.leads[:10]}"}.get(one.act, "")
        why = f"  ({one.why})" if one.why else ""
        click.echo(f"{one.act}  {style(one.id, 'bold')}  {one.title}{leads}{why}")
