"""`holdfast sweep` and `holdfast harvest`."""

from __future__ import annotations

import os
import sys
from contextlib import closing
from typing import Any

import click

from holdfast.agents import NATIVE
from holdfast.app.harvest import RECENT, Harvest, harvest
from holdfast.app.sweep import Retained, Swept, sweep
from holdfast.app.sync import after_sweep
from holdfast.base.terminal import style
from holdfast.base.text import count
from holdfast.errors import BadInput, NotFound
from holdfast.journal.notices import ERASING
from holdfast.sessions.budget import sized
from holdfast.surfaces.cli import options
from holdfast.surfaces.cli.command_line import invocation, runnable
from holdfast.surfaces.cli.making import command
from holdfast.surfaces.cli.output import Bar, emit_json, print_plan, say, say_empty, why_empty
from holdfast.workspace import Workspace

_MAX_PROBLEMS = 10
# A bar for fewer sessions would only flash.
_MIN_FOR_A_BAR = 3
# What is done to sessions, as it is shown.
_LEARNING = {"learning": "learning from", "judging": "reading what you said in"}
_PASSES = {
    "age": "for their age",
    "soft": "over the soft cap",
    "hard_analysed": "over the hard cap",
    "hard_unanalysed": "over the hard cap without a digest",
}


@command("sweep", "holdfast sweep --dry-run")
@options.dry_run("Read everything, and write nothing at all.")
@click.option("--agent", "-a", "agents", multiple=True, metavar="NAME", help="Only this agent; may be repeated.")
@options.since("Only what changed after it")
@click.option(
    "--within",
    type=click.FloatRange(min=0),
    default=0.0,
    metavar="SECONDS",
    help="Stop then; the next sweep does the rest.",
)
@click.option("--config", metavar="PATH", help="The settings of this file, in place of the home's config.toml.")
@click.option("--quiet", "-q", is_flag=True, help="Say only what went wrong.")
def _sweep(workspace: Workspace, /, config: str | None, quiet: bool, **asked: Any) -> None:
    """Take the sessions of every agent into the archive: what is new or changed, cleaned of secrets, with a digest.

    It may be stopped anywhere; the next sweep goes on from there. Then raw sessions are kept within their budget.
    """
    if config is not None:
        path = os.path.abspath(os.path.expanduser(config))
        if not os.path.isfile(path):
            raise NotFound(f"{path} is not a file", "Give the path of a config.toml.")
        say, progress, flags = workspace.say, workspace.progress, invocation().flags
        with Workspace(workspace.home, flags=flags, config=path, say=say, progress=progress) as own:
            _run_sweep(own, quiet, asked)
    else:
        _run_sweep(workspace, quiet, asked)


def _run_sweep(workspace: Workspace, quiet: bool, asked: dict[str, Any]) -> None:
    """Sweep, and tell what came of it. What a killed erase left is finished first."""
    if workspace.enabled and not invocation().dry_run and os.path.exists(os.path.join(workspace.home, ERASING)):
        # It loads every feature, and is hardly ever needed.
        from holdfast.app.erase import finish_interrupted

        finish_interrupted(workspace)
    found = _swept(workspace, asked, is_silent=invocation().json or quiet)
    if not found.dry_run:
        after_sweep(workspace)
        if os.path.exists(os.path.join(workspace.home, NATIVE)):
            from holdfast.app.native import take_back

            take_back(workspace)
    if not (emit_json(found) or quiet):
        _report(workspace, found)
    _warn(found)


def _swept(workspace: Workspace, asked: dict[str, Any], *, is_silent: bool) -> Swept:
    bars = _Bars(shown=sys.stderr.isatty() and not is_silent)

    def taken_in(found: Swept) -> None:
        bars.close()
        if not is_silent:
            _report_taken(found)
            sys.stdout.flush()
        if bars.shown and found.ingested:
            say("now learning from them; after Ctrl-C the next sweep goes on with it")

    told: dict[str, Any] = {"pace": bars.taking_in, "doing": bars.say, "taken_in": taken_in, "learning": bars.learning}
    try:
        with closing(bars):
            return sweep(workspace, dry_run=invocation().dry_run, **told, **asked)
    except KeyboardInterrupt:
        say("what is done is kept; `holdfast sweep` goes on from there")
        raise


class _Bars:
    """How far a sweep or a harvest is, where somebody sees it: a bar for each thing that is done."""

    def __init__(self, *, shown: bool) -> None:
        self.shown = shown
        self._what, self._bar = "", Bar("sweeping", of_bytes=True)
        self.say = self._bar.say

    def taking_in(self, done: int, files: int, bytes_done: int, bytes_all: int) -> None:
        """Show how many transcripts are taken in."""
        if self.shown:
            self._bar.show(bytes_done, bytes_all, f"sweeping {done:,} of {files:,}")

    def learning(self, what: str, done: int, sessions: int, seconds: float) -> None:
        """Show how many sessions are learned from or judged, and how long that takes yet, within the seconds."""
        if not self.shown or sessions < _MIN_FOR_A_BAR:
            return
        if what != self._what:
            self._bar.stop()
            self._what, self._bar = what, Bar(_LEARNING[what])
        self._bar.show(done, sessions, f"{_LEARNING[what]} {done:,} of {count(sessions, 'session')}", seconds)

    def close(self) -> None:
        """Take the bar away."""
        self._bar.stop()


def _report(workspace: Workspace, swept: Swept) -> None:
    """Tell what came of a sweep, but for what was told when all was taken in."""
    if not workspace.enabled:
        say_empty(workspace, "")
    if swept.dry_run:
        _report_taken(swept)
    if swept.learned:
        things = count(swept.learned, "thing")
        click.echo(runnable(f"{things} learned: see holdfast rate, lesson, work, research, security and proposals"))
    if left := str(swept.to_learn):
        click.echo(runnable(f"to learn from at the next sweep: {left} (holdfast harvest --all does it now)"))


def _report_taken(swept: Swept) -> None:
    would = "would be " if swept.dry_run else ""
    click.echo(
        f"{count(swept.discovered, 'transcript')} found: {swept.ingested:,} {would}taken in,"
        f" {swept.skipped_unchanged:,} unchanged, {swept.analysed:,} {would}analysed"
    )
    for number, thing, text in (
        (swept.rewritten, "transcript", "rewritten in place"),
        (swept.malformed, "malformed line", "passed over"),
        (swept.forgotten_skipped, "forgotten session", "left out"),
        (swept.waiting, "transcript", "left for the next sweep"),
    ):
        if number:
            click.echo(f"{count(number, thing)} {text}")
    if swept.redacted:
        click.echo("redacted: " + ", ".join(f"{kind} {number:,}" for kind, number in swept.redacted.items()))
    click.echo(_retention_line(swept.retention, would))
    if swept.ingested and not (swept.skipped_unchanged or swept.dry_run):
        click.echo(
            runnable("look at them: holdfast sessions --everywhere; find something: holdfast sessions search WORDS")
        )


def _retention_line(kept: Retained, would: str) -> str:
    usage = kept.final_usage
    gone = ", ".join(f"{number:,} {_PASSES[name]}" for name, number in kept.passes.items() if number)
    freed = f"{sized(kept.freed)} {would}freed{f' ({gone})' if gone else ''}"
    return f"retention: {freed}; {sized(usage.raw)} of raw sessions and {sized(usage.distilled)} of digests kept"


def _warn(swept: Swept) -> None:
    """Say what went wrong on standard error; a loss of data is not to be overlooked."""
    for problem in swept.problems[:_MAX_PROBLEMS]:
        hint = f"\n  {problem.hint}" if problem.hint else ""
        click.echo(runnable(f"{problem.path}: {problem.text}{hint}"), err=True)
    if len(swept.problems) > _MAX_PROBLEMS:
        say(f"{count(len(swept.problems) - _MAX_PROBLEMS, 'more problem')}; --json has all of them")
    if swept.retention.alert:
        click.echo(f"retention: {swept.retention.alert}", err=True)
    lost = swept.retention.data_loss
    if lost:
        would = "WOULD BE LOST" if swept.dry_run else "DATA LOSS"
        size = f"{count(len(lost), 'session')} ({sized(sum(one.bytes for one in lost))})"
        click.echo(style(f"{would}: {size} over the hard cap, without a digest", "red", "bold"), err=True)
        for one in lost:
            click.echo(f"  {one.name}  ended {one.at[:10]}  {sized(one.bytes)}", err=True)
        click.echo("  Raise archive.raw_hard_cap_bytes, or pin what must stay.", err=True)


@command("harvest", "holdfast harvest --recent 20 --dry-run")
@click.option("--recent", type=click.IntRange(min=1), metavar="N", help=f"The N that ended last. Default: {RECENT}.")
@click.option("--all", "everything", is_flag=True, help="Every session of the archive.")
@click.option(
    "--session", "of_session", default="", metavar="ID", help="This session, even if it was harvested before."
)
@options.dry_run("Show what is found, known or not, and write nothing.")
def _harvest(workspace: Workspace, recent: int | None, everything: bool, of_session: str) -> None:
    """Look through archived sessions of every agent and project for what can be learned: ratings, lessons, incidents,
    fixes, and records of research and security.

    A sweep does it for what it takes in. Harvesting twice adds nothing; what was done already is passed over.
    """
    if sum((recent is not None, everything, bool(of_session))) > 1:
        raise BadInput("which sessions?", "Give one of --recent, --all and --session.")
    dry_run = invocation().dry_run
    asked: dict[str, Any] = {
        "recent": recent or RECENT,
        "everything": everything,
        "session": of_session,
        "dry_run": dry_run,
    }
    with closing(_Bars(shown=sys.stderr.isatty() and not invocation().json)) as bars:
        done = harvest(workspace, **asked, pace=bars.learning)
    if not emit_json(done):
        _print_harvest(workspace, done)


def _print_harvest(workspace: Workspace, done: Harvest) -> None:
    for one in done.found:
        click.echo(f"{one.kind:10} {one.session}  {one.at[:10]}  {one.text}")
    if done.dropped:
        print_plan(done.dropped)
    for problem in done.problems:
        click.echo(f"{problem.path}: {problem.text}", err=True)
    known = f", {count(done.known, 'finding')} known before" if done.known else ""
    waiting = f", {count(done.waiting, 'session')} left for lack of time" if done.waiting else ""
    unchanged = f", {done.unchanged:,} unchanged since the last harvest" if done.unchanged else ""
    found = f"{count(len(done.found), 'finding' if done.dry_run else 'new finding')}{known}{waiting}"
    say(why_empty(workspace, f"{count(done.sessions, 'session')} looked at{unchanged}: {found}"))
