"""The options and arguments that commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from holdfast.memory import show
from holdfast.records import SCOPES
from holdfast.workspace import Workspace

F = TypeVar("F", bound="Callable[..., Any]")


class Text(click.Argument):
    """An argument that is free text, and may begin with anything."""


class Key(click.ParamType[str]):
    """The key of a memory; its beginning is enough where no other key begins with it."""

    name = "key"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[click.shell_completion.CompletionItem]:
        return [click.shell_completion.CompletionItem(key) for key in complete_key(ctx, param, incomplete)]


KEY = Key()


def text(name: str, **more: Any) -> Callable[[F], F]:
    """Return the argument that takes all words as one text."""
    return click.argument(name, nargs=-1, cls=Text, **more)


def scope(help: str, **more: Any) -> Callable[[F], F]:
    """Return the option that names a scope."""
    return click.option("--scope", "-s", type=click.Choice(SCOPES), help=help, **more)


def one_memory(function: F) -> F:
    """Add what names one memory: its key, and the scope to look in."""
    return click.argument("key", type=KEY)(scope("Only this scope.")(function))


def since(what: str) -> Callable[[F], F]:
    """Return the option of a first time; `what` says of what."""
    return click.option("--since", default="", metavar="TIME", help=f"{what}: 2026-11-01, 7d, 2w, yesterday.")


def until(what: str) -> Callable[[F], F]:
    """Return the option of a last time; `what` says of what."""
    return click.option("--until", default="", metavar="TIME", help=f"{what}.")


def limit(default: int | None, most: int | None = None, shown: int | None = None) -> Callable[[F], F]:
    """Return the option that bounds how much is shown."""
    kind, help = click.IntRange(1, most), f"Show at most N. Default: {shown or default}."
    return click.option("--limit", "-n", type=kind, default=default, metavar="N", help=help)


def agents(what: str) -> Callable[[F], F]:
    """Return the option that names agents."""
    help = f"Only {what} this agent; may be repeated."
    return click.option("--agent", "agents", multiple=True, metavar="NAME", help=help)


def everywhere(help: str = "In every project.") -> Callable[[F], F]:
    """Return the option that asks for every project."""
    return click.option("--everywhere", is_flag=True, help=help)


def dry_run(help: str = "Show the plan and change nothing.") -> Callable[[F], F]:
    """Return the option of a command that only says what it would do."""
    return click.option("--dry-run", "-n", is_flag=True, help=help)


def consent(function: F) -> F:
    """Add the options of a command that shows a plan before it acts."""
    return dry_run()(click.option("--yes", "-y", is_flag=True, help="Do it without asking.")(function))


id = click.argument("name", metavar="ID")


def complete_key(ctx: click.Context, parameter: click.Parameter, start: str) -> list[str]:
    """Return the keys that begin so, for shell completion; whatever goes wrong, the shell is not disturbed."""
    try:
        where: dict[str, Any] = {name: ctx.params.get(name) or "" for name in ("project", "session", "profile")}
        with Workspace(home_of(ctx), **where) as workspace:
            return show.keys(workspace, start, ctx.params.get("scope")) if workspace.enabled else []
    except Exception:
        return []


def home_of(ctx: click.Context) -> str | None:
    """Return the home that the line names; while it is completed no command has run yet."""
    root = ctx.find_root()
    home: str | None = root.params.get("home") or (root.obj.home if root.obj else None)
    return home


utc = click.option("--utc", is_flag=True, help="Show times in UTC, not in local time.")
