"""What the commands share: their options, their house, and how they print."""

from __future__ import annotations

import json
import sys
from functools import wraps
from inspect import cleandoc
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

import click

from holdfast.errors import NeedsConsent
from holdfast.records import SCOPES, Memory, Step, asdict
from holdfast.surfaces.cli.main import COMMANDS
from holdfast.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

P = ParamSpec("P")
R = TypeVar("R")
F = TypeVar("F", bound="Callable[..., Any]")


def command(name: str, example: str, **context: Any) -> Callable[[Callable[..., Any]], click.Command]:
    """Return a decorator that makes a command of a function; its help opens with the example."""

    def make(function: Callable[..., Any]) -> click.Command:
        text = f"Example: {example}\n\n{cleandoc(function.__doc__ or COMMANDS[name])}"
        return click.command(name, help=text, short_help=COMMANDS[name], context_settings=context)(function)

    return make


def group(name: str, example: str, cls: type[click.Group] = click.Group) -> Callable[[Callable[..., Any]], click.Group]:
    """Return a decorator that makes a group of a function, which `with_house` runs where no sub-command is named."""

    def make(function: Callable[..., Any]) -> click.Group:
        text = f"Example: {example}\n\n{cleandoc(function.__doc__ or COMMANDS[name])}"
        return click.group(name, cls, help=text, short_help=COMMANDS[name], invoke_without_command=True)(function)

    return make


def subcommand(
    group: click.Group, name: str, example: str, about: str
) -> Callable[[Callable[..., Any]], click.Command]:
    """Return a decorator that adds a command to a group; its help opens with the example, its summary does not."""
    return group.command(name, help=f"Example: {example}\n\n{about}", short_help=about.split(". ")[0].rstrip(".") + ".")


def with_workspace(function: Callable[Concatenate[Workspace, P], R]) -> Callable[P, R]:
    """Give the command an open house as its first argument, seen from the options of where we are.

    A group that is followed by one of its sub-commands does nothing itself.
    """

    @click.option("--project", default="", metavar="ID", help="The project, instead of the one of this folder.")
    @click.option("--session", default="", metavar="ID", help="The session, for the scope session.")
    @click.option("--profile", default="", metavar="NAME", help="The agent profile, for the scope agent.")
    @click.pass_context
    @wraps(function)
    def run(ctx: click.Context, /, project: str, session: str, profile: str, *args: Any, **named: Any) -> R | None:
        base = ctx.find_root().obj or {}
        # What a group was given holds for its sub-commands: `holdfast project --project X alias OLD`.
        where = base.setdefault("where", {"project": "", "session": "", "profile": ""})
        where.update({name: value for name, value in _given(project, session, profile) if value})
        with Workspace(base.get("home"), flags=base.get("flags"), **where, say=say, progress=Progress()) as workspace:
            return function(workspace, *args, **named) if ctx.invoked_subcommand is None else None

    return run  # type: ignore[return-value]


def _given(project: str, session: str, profile: str) -> tuple[tuple[str, str], ...]:
    return ("project", project), ("session", session), ("profile", profile)


def session_means(text: str) -> Callable[[F], F]:
    """Return a decorator, above `with_house`, that says what `--session` is for here; for nothing, it is hidden."""

    def say_so(function: F) -> F:
        for option in function.__click_params__:  # type: ignore[attr-defined]
            if option.name == "session":
                option.help, option.hidden = text, not text
        return function

    return say_so


def scope_option(help: str, **more: Any) -> Callable[[F], F]:
    """Return the option that names a scope."""
    return click.option("--scope", "-s", type=click.Choice(SCOPES), help=help, **more)


def one_memory(function: F) -> F:
    """Add what names one memory: its key, and the scope to look in."""
    return click.argument("key", shell_complete=complete_key)(scope_option("Only this scope.")(function))


json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")


def consent_options(function: F) -> F:
    """Add the options of a command that shows a plan before it acts."""
    function = click.option("--yes", "-y", is_flag=True, help="Do it without asking.")(function)
    return click.option("--dry-run", "-n", is_flag=True, help="Show the plan and change nothing.")(function)


def consented(
    steps: Sequence[Step], *, dry_run: bool, yes: bool, as_json: bool, nothing: str, kept: Sequence[Step] = ()
) -> bool:
    """Show the plan and return whether to go on; without a terminal nobody is asked. `kept` is shown beside it."""
    if not steps or dry_run:
        _print_undone(steps, kept, as_json, nothing)
        return False
    why = f"{len(steps)} step(s) need your consent"
    if yes or person_agrees(why, lambda: print_plan([*kept, *steps], err=True)):
        return True
    print_json(plan_json(steps, kept, applied=False)) if as_json else say("nothing was changed")
    return False


def person_agrees(why: str, show: Callable[[], None] = lambda: None) -> bool:
    """Show the plan and return whether the person wants it; without a terminal nobody is asked, and `why` is said."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise NeedsConsent(why, "Look with --dry-run, then give --yes.")
    show()
    return click.confirm("Do this?", err=True)


def _print_undone(steps: Sequence[Step], kept: Sequence[Step], as_json: bool, nothing: str) -> None:
    if as_json:
        print_json(plan_json(steps, kept, applied=False))
        return
    if steps or kept:
        print_plan([*kept, *steps])
    if not steps:
        say(nothing)


def applied(steps: Sequence[Step], as_json: bool, text: str, kept: Sequence[Step] = ()) -> None:
    """Say that the plan was carried out."""
    print_json(plan_json(steps, kept, applied=True)) if as_json else click.echo(text)


def plan_json(steps: Sequence[Step], kept: Sequence[Step] = (), *, applied: bool) -> dict[str, object]:
    """Return a plan as `--json` promises it (docs/json.md)."""
    plain: dict[str, object] = {"plan": [asdict(step) for step in steps], "applied": applied}
    return {**plain, "kept": [asdict(step) for step in kept]} if kept else plain


def print_plan(steps: Sequence[Step], *, err: bool = False) -> None:
    """Print the steps, one a line, with the bytes that they free; on standard error where they are a question."""
    for step in steps:
        size = f"  ({step.size:,} bytes)" if step.size else ""
        click.echo(f"{step.act:8} {step.target}  {step.reason}{size}", err=err)
    freed = sum(step.size for step in steps)
    say(f"{len(steps)} step(s)" + (f", {freed:,} bytes" if freed else ""))


def print_json(document: object) -> None:
    """Print one JSON document on standard output."""
    click.echo(json.dumps(document, ensure_ascii=False, indent=2))


def say(text: str) -> None:
    """Tell the person something besides the answer, on standard error."""
    click.echo(click.style(text, dim=True) if sys.stderr.isatty() else text, err=True)


def why_empty(workspace: Workspace, otherwise: str) -> str:
    """Return why a read gave nothing: memory is switched off, or what else there is to say."""
    return f"memory is switched off ({workspace.settings.origin['enabled']})" if not workspace.enabled else otherwise


def say_empty(workspace: Workspace, otherwise: str) -> None:
    """Say why a read gave nothing."""
    say(why_empty(workspace, otherwise))


def nothing(workspace: Workspace, as_json: bool) -> None:
    """Answer a read of one thing while memory is switched off."""
    say_empty(workspace, "")
    if as_json:
        print_json({})


def memory_json(memory: Memory, *, history: bool = False) -> dict[str, object]:
    """Return a memory as `--json` promises it (docs/json.md)."""
    plain = asdict(memory)
    statements = plain.pop("history")
    plain["scope"], plain["owner"] = memory.scope.kind, memory.scope.owner
    return {**plain, "history": statements} if history else plain


def heading(memory: Memory) -> str:
    """Return the line that names a memory: key, scope, date, tags."""
    tags = "  " + " ".join(f"#{tag}" if " " not in tag else f"#“{tag}”" for tag in memory.tags) if memory.tags else ""
    pinned = "  pinned" if memory.pinned else ""
    return f"{click.style(memory.key, bold=True)}  {memory.scope}  {memory.updated[:10]}{tags}{pinned}"


def complete_key(ctx: click.Context, parameter: click.Parameter, start: str) -> list[str]:
    """Return the keys that begin so, for shell completion; whatever goes wrong, the shell is not disturbed."""
    try:
        project, session, profile = (ctx.params.get(name) or "" for name in ("project", "session", "profile"))
        with Workspace(_home_of(ctx), project=project, session=session, profile=profile) as workspace:
            if not workspace.enabled:
                return []
            scopes = workspace.visible(ctx.params.get("scope"))
            workspace.refresh(scopes)
            return workspace.store.keys(scopes, start)
    except Exception:
        return []


def _home_of(ctx: click.Context) -> str | None:
    """Return the home that the line names; while it is completed no command has run yet."""
    root = ctx.find_root()
    home: str | None = root.params.get("home") or (root.obj or {}).get("home")
    return home


class Progress:
    """A progress bar on standard error, made at the first step that is worth one, and only on a terminal."""

    def __init__(self, what: str = "reading memories") -> None:
        self._what = what
        self._bar: Any = None
        self._task: Any = None

    def __call__(self, done: int, total: int) -> None:
        if self._bar is None:
            if total < 2_000 or not sys.stderr.isatty():
                return
            self._start(total)
        self._bar.update(self._task, completed=done)
        if done >= total:
            self.stop()

    def stop(self) -> None:
        """Take the bar away, also where the work was interrupted."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def _start(self, total: int) -> None:
        # rich is only loaded where there is something to show: it would cost every other command its import.
        from rich.console import Console
        from rich.progress import Progress as Bar

        self._bar = Bar(console=Console(stderr=True), transient=True)
        self._bar.start()
        self._task = self._bar.add_task(self._what, total=total)
