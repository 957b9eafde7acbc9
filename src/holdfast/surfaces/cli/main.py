"""`holdfast`: finds the command, runs it, and turns errors into a line, a hint and an exit code."""

from __future__ import annotations

import difflib
import errno
import os
import sqlite3
import sys
from importlib import import_module

import click

import holdfast
from holdfast.errors import HoldfastError

# The order is that of `holdfast --help`: the daily ones first.
COMMANDS = {
    "up": "Prepare this home, show what it holds and what to do next.",
    "demo": "Play a short story in a throw-away home.",
    "init": "Lay the memory tree in the home, or in a workspace.",
    "install": "Connect an agent, or list the agents that are here.",
    "uninstall": "Take out of an agent's files what install put in.",
    "plugin": "Write a plugin for an agent, without touching its settings.",
    "mcp": "Serve the memory to an agent over MCP.",
    "remember": "Store a memory.",
    "recall": "Find memories by words and by meaning.",
    "show": "Show one memory.",
    "related": "Show what is related to a memory, and why.",
    "list": "List memories, newest first.",
    "edit": "Edit a memory in your editor.",
    "forget": "Forget memories for good.",
    "clear": "Forget every memory of a scope.",
    "history": "Show what a memory said before.",
    "pin": "Pin a memory: it never expires.",
    "unpin": "Unpin a memory.",
    "move": "Move a memory to another scope or key.",
    "todo": "Keep the to-dos of this project.",
    "decide": "Write down a decision of this project, with its reason.",
    "lesson": "Write down a lesson of this project, and what went wrong.",
    "rate": "Rate a session from 1 to 10, or list the ratings of this project.",
    "work": "Keep the work items of this project.",
    "distil": "Propose what belongs on the page of this project.",
    "import": "Propose what agents know themselves as memories.",
    "proposals": "Show and decide what waits to become a memory.",
    "receipts": "Show what each session was given, and why.",
    "sweep": "Take the sessions of every agent into the archive.",
    "harvest": "Learn from archived sessions: ratings, lessons, incidents, fixes.",
    "patterns": "Show what recurs over sessions, good and bad, and decide on it.",
    "measure": "Show whether patterns and memories help, and what they cost.",
    "synthesis": "Show what ratings say together, what recurs, and what came of it.",
    "research": "List and read what sub-agents found out.",
    "security": "List calls of tools that destroy, read a secret or write outside.",
    "schedule": "Let the system run a sweep every so often.",
    "sessions": "List, read and search the sessions of every agent.",
    "timeline": "Show what was done in a project, day by day.",
    "catch-up": "Show where a project stands, for somebody who comes back.",
    "activity": "Show which files were changed, by whom and when.",
    "project": "Say which project this folder is, and why.",
    "reindex": "Make the index anew from the files.",
    "tidy": "Move groups of a crowded scope into sub-folders.",
    "lint": "Find problems in memories.",
    "heal": "Repair what is safe to repair.",
    "prune": "Remove what has had its time.",
    "updates": "Show what Holdfast changed, moved or removed, and undo it.",
    "doctor": "Check this installation and this home.",
    "status": "Show what the home holds.",
    "config": "Show and change settings.",
    "completion": "Print the completion script of your shell.",
    "bench": "Measure this installation on this machine.",
}


class ReaderGone(Exception):
    """The reader of our output went away, as `head` does."""


class Commands(click.Group):
    """The commands of the table, each loaded from its own file when it is first asked for."""

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; a broken pipe is taken out of click's hands, which would end the process with 1."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as problem:
            raise ReaderGone from problem

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; for a name that is none, name the nearest."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as problem:
            near = difflib.get_close_matches(args[0], COMMANDS, n=1)
            if not near:
                raise
            raise click.UsageError(f"{problem.message} Did you mean {near[0]}?", ctx) from None

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"holdfast.surfaces.cli.commands.{cmd_name.replace('-', '_')}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list from the table, so that help loads no command."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.command(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Each command opens its help with an example: holdfast recall --help",
)
@click.version_option(holdfast.__version__, prog_name="holdfast")
@click.option("--home", metavar="FOLDER", help="The home to use. Default: $HOLDFAST_HOME, or ~/.holdfast.")
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="Override a setting for this run.")
@click.pass_context
def cli(ctx: click.Context, home: str | None, settings: tuple[str, ...]) -> None:
    """Example: holdfast remember "Deploys need the VPN."

    One memory for all of your coding agents: Markdown files that you own, found again by any of them.
    """
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        ctx.color = False
    ctx.obj = {"home": home, "flags": _flags(settings)}


def _flags(settings: tuple[str, ...]) -> dict[str, str]:
    flags = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals:
            raise click.BadParameter(f"{setting!r} is not NAME=VALUE", param_hint="--set")
        flags[name] = value
    return flags


def main() -> None:
    """Run the command line; the exit code is the error's."""
    for stream in (sys.stdout, sys.stderr):
        # A file name that is not UTF-8, or a terminal that is not, must not end a command half-way.
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command and return its exit code; nothing else in the process ends it."""
    try:
        code = cli.main(arguments, prog_name="holdfast", standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except HoldfastError as problem:
        return _told(str(problem), problem.hint, problem.exit_code)
    except click.Abort:
        return _told("interrupted", "", 130)
    except click.ClickException as problem:
        problem.show()
        return problem.exit_code
    except KeyboardInterrupt:
        return _told("interrupted", "", 130)
    except (BrokenPipeError, ReaderGone):
        # That is no fault, and Python must not say so at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except sqlite3.Error as problem:
        return _told(f"the index cannot be used: {problem}", "`holdfast doctor --fix` makes it anew.", 5)
    except OSError as problem:
        if problem.errno in (errno.ENOSPC, errno.EDQUOT):
            return _told("no space left on the device", "Free some space and try again.", 5)
        return _told(str(problem), "Run `holdfast doctor`.", 5)


def _told(text: str, hint: str, code: int) -> int:
    click.echo(f"holdfast: {text}", err=True)
    if hint:
        click.echo(f"  {hint}", err=True)
    return code
