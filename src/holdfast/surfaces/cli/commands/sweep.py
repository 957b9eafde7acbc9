"""`holdfast sweep`."""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from holdfast import settings
from holdfast.app.sweep import Retained, Swept, sweep
from holdfast.errors import NotFound
from holdfast.records import Problem, asdict
from holdfast.sessions.budget import sized
from holdfast.surfaces.cli.shared import command as make_command
from holdfast.surfaces.cli.shared import json_option, print_json, say
from holdfast.workspace import Workspace

_SHOWN_PROBLEMS = 10


@make_command("sweep", "holdfast sweep --dry-run")
@click.option("--dry-run", "-n", is_flag=True, help="Read everything, and write nothing at all.")
@click.option("--agent", "-a", "agents", multiple=True, metavar="NAME", help="Only this agent; may be repeated.")
@click.option("--since", default="", metavar="TIME", help="Only what changed after it: 7d, yesterday, 2026-11-01.")
@click.option(
    "--within", type=click.FloatRange(min=0), default=0.0, metavar="SECONDS", help="Leave the rest for the next sweep."
)
@click.option("--config", metavar="PATH", help="The settings of this file, in place of the home's config.toml.")
@click.option("--quiet", "-q", is_flag=True, help="Say only what went wrong.")
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    dry_run: bool,
    agents: tuple[str, ...],
    since: str,
    within: float,
    config: str | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Take the sessions of every agent into the archive: what is new or changed, cleaned of secrets, with a digest.

    It may be stopped anywhere; the next sweep goes on from there. Then raw sessions are kept within their budget.
    """
    base = ctx.find_root().obj or {}
    with Workspace(base.get("home"), flags=base.get("flags"), say=say) as workspace:
        if config is not None:
            workspace.settings = _settings_of(workspace, config, base.get("flags"))
        bar = _Bar(shown=not (as_json or quiet))
        try:
            swept = sweep(
                workspace, agents=agents, since=since, dry_run=dry_run, within=within, pace=bar, doing=bar.say
            )
        finally:
            bar.stop()
        if as_json:
            print_json(as_document(swept))
        elif not workspace.enabled:
            say(f"memory is switched off ({workspace.settings.origin['enabled']})")
        elif not quiet:
            _report(swept)
        _warn(swept)


def _settings_of(workspace: Workspace, config: str, flags: dict[str, str] | None) -> settings.Settings:
    path = os.path.abspath(os.path.expanduser(config))
    if not os.path.isfile(path):
        raise NotFound(f"{path} is no file", "Give the path of a config.toml.")
    return settings.load(workspace.home, workspace.environment, flags, path)


def as_document(swept: Swept) -> dict[str, object]:
    """Return what a sweep did as `--json` promises it (docs/json.md)."""
    return asdict(swept)


def _report(swept: Swept) -> None:
    would = "would be " if swept.dry_run else ""
    click.echo(
        f"{swept.discovered:,} discovered, {swept.ingested:,} {would}ingested,"
        f" {swept.skipped_unchanged:,} skipped_unchanged, {swept.analysed:,} {would}analysed"
    )
    for count, text in (
        (swept.rewritten, "transcripts were rewritten in place"),
        (swept.malformed, "lines are malformed and were passed over"),
        (swept.forgotten_skipped, "sessions were forgotten and stay out"),
        (swept.waiting, "transcripts wait for the next sweep"),
    ):
        if count:
            click.echo(f"{count:,} {text}")
    if swept.redacted:
        click.echo("redacted: " + ", ".join(f"{kind} {count:,}" for kind, count in swept.redacted.items()))
    click.echo(_retention_line(swept.retention, would))
    if swept.learned:
        click.echo(f"{swept.learned:,} learned: `holdfast lesson`, `holdfast rate` and `holdfast proposals` tell of it")


def _retention_line(kept: Retained, would: str) -> str:
    usage = kept.final_usage
    passes = ", ".join(f"{name} {count:,}" for name, count in kept.passes.items())
    return (
        f"retention: {sized(kept.freed)} {would}freed, {sized(usage.raw)} raw and {sized(usage.distilled)} digests"
        f" kept ({passes})"
    )


def _warn(swept: Swept) -> None:
    """Say what went wrong on standard error; a loss of data is not to be overlooked."""
    for problem in swept.problems[:_SHOWN_PROBLEMS]:
        click.echo(_told(problem), err=True)
    if len(swept.problems) > _SHOWN_PROBLEMS:
        say(f"{len(swept.problems) - _SHOWN_PROBLEMS:,} more problems; --json has all of them")
    if swept.retention.alert:
        click.echo(f"retention: {swept.retention.alert}", err=True)
    lost = swept.retention.data_loss
    if lost:
        size = sized(sum(one.bytes for one in lost))
        would = "WOULD BE LOST" if swept.dry_run else "DATA LOSS"
        sessions = "1 session" if len(lost) == 1 else f"{len(lost):,} sessions"
        text = f"{would}: {sessions} ({size}) went for the hard cap, and no digest tells of them"
        click.secho(text, fg="red", bold=True, err=True)
        for one in lost:
            click.echo(f"  {one.name}  ended {one.at[:10]}  {sized(one.bytes)}", err=True)
        click.echo("  Raise archive.raw_hard_cap_bytes, or pin what must stay.", err=True)


def _told(problem: Problem) -> str:
    return f"{problem.path}: {problem.text}" + (f"\n  {problem.hint}" if problem.hint else "")


class _Bar:
    """A bar of files and bytes on standard error, made at the first transcript, and only on a terminal."""

    def __init__(self, *, shown: bool) -> None:
        self._shown = shown and sys.stderr.isatty()
        self._bar: Any = None
        self._task: Any = None

    def __call__(self, done: int, files: int, bytes_done: int, bytes_all: int) -> None:
        if not self._shown:
            return
        if self._bar is None:
            self._start(bytes_all)
        self._bar.update(self._task, completed=bytes_done, description=f"sweeping {done:,} of {files:,}")

    def _start(self, bytes_all: int) -> None:
        # rich is only loaded where there is something to show: it would cost every other run its import.
        from rich.console import Console
        from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

        columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
        self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
        self._bar.start()
        self._task = self._bar.add_task("sweeping", total=bytes_all)

    def say(self, text: str) -> None:
        """Tell what goes on after the last transcript, where the bar is to be seen."""
        if self._bar is not None:
            self._bar.update(self._task, description=text)

    def stop(self) -> None:
        """Take the bar away, also where the sweep was interrupted."""
        if self._bar is not None:
            self._bar.stop()
