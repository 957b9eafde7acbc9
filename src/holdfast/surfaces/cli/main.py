"""`holdfast`: finds the command, runs it, and turns errors into a line, a hint and an exit code."""

from __future__ import annotations

import errno
import os
import sqlite3
import sys
from importlib import import_module

import click

from holdfast.base import regexes, terminal
from holdfast.base.package import __version__
from holdfast.errors import HoldfastError
from holdfast.surfaces.cli.command_line import COMMANDS, GROUPS, Invocation, program, runnable

# The file of a command where it does not have its own name: commands that belong together share one.
_FILES = {
    name: file
    for file, names in {
        "recall": ("related", "list"),
        "memory": ("show", "history", "edit", "confirm", "pin", "unpin", "move", "merge"),
        "forget": ("clear",),
        "activity": ("timeline", "catch-up", "receipts", "preview"),
        "notes": ("todo", "decide", "lesson"),
        "proposing": ("import", "distil"),
        "allow": ("allow", "deny"),
        "sweep": ("harvest",),
        "install": ("uninstall", "plugin", "schedule"),
        "learning": ("rate", "synthesis", "research", "security", "measure"),
        "upkeep": ("lint", "heal", "tidy", "prune", "reindex", "updates"),
        "home": ("up", "status", "doctor", "config"),
        "program": ("init", "demo", "completion", "bench"),
    }.items()
    for name in names
}
ALIASES = {"add": "remember", "search": "recall", "ls": "list", "rm": "forget"}
# What people type who do not know our word for it yet.
_SYNONYMS = {
    "forget": "delete del remove drop",
    "recall": "find query grep ask lookup",
    "remember": "new save store note create put learn write",
    "show": "cat view get open print read",
    "move": "rename mv",
    "install": "connect agents agent link integrate hook hooks",
    "uninstall": "disconnect",
    "up": "setup start begin onboard",
    "status": "info stats overview whoami",
    "doctor": "check health diagnose verify",
    "config": "settings setting configure set options",
    "timeline": "log logs",
    "catch-up": "resume standup brief continue",
    "sessions": "session conversations chats transcripts cost",
    "todo": "task tasks todos",
    "decide": "decision decisions adr",
    "lesson": "lessons",
    "rate": "rating ratings feedback",
    "project": "projects where",
    "proposals": "proposal review approve reject pending",
    "updates": "changes audit",
    "updates undo": "undo revert",
    "prune": "clean cleanup gc expire purge",
    "sweep": "scan ingest collect archive",
    "reindex": "index rebuild",
    "patterns": "pattern",
    "fixes": "fix solutions",
    "receipts": "receipt injected given",
    "when": "rules rule enforce conditions",
    "preview": "simulate context",
    "replay": "backtest rerun",
    "mcp": "server",
    "serve": "web page browser ui gui dashboard",
    "--version": "version",
}


class ReaderGone(Exception):
    """The reader of our output went away, as `head` does."""


class Commands(click.Group):
    """The commands of the table, each loaded from its file when it is first asked for."""

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; a broken pipe is taken out of click's hands, which would end the process with 1."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as problem:
            raise ReaderGone from problem

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the options of the program; for one that belongs to a command, say where it goes."""
        given = [*args]
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as problem:
            name = next((word for word in given if word in COMMANDS or word in ALIASES), "")
            if not name:
                raise
            way = f"Options of a command go after it: {ctx.command_path} {name} {problem.option_name}"
            raise click.UsageError(f"No such option {problem.option_name!r} before the command. {way}", ctx) from None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command by its name or alias; for a name that is neither, say what may be meant."""
        if args == ["help"]:
            click.echo(ctx.get_help(), color=ctx.color)
            ctx.exit()
        if args[0] == "help":
            return self.resolve_command(ctx, [*args[1:], "--help"])
        try:
            return super().resolve_command(ctx, [ALIASES.get(args[0], args[0]), *args[1:]])
        except click.UsageError as problem:
            meant = suggestions(args[0])
            if not meant:
                raise click.UsageError(f"{problem.message} `{program()} --help` lists them all.", ctx) from None
            raise click.UsageError(f"{problem.message} Did you mean {' or '.join(meant)}?", ctx) from None

    def get_help(self, ctx: click.Context) -> str:
        return runnable(super().get_help(ctx))

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        name = ALIASES.get(cmd_name, cmd_name)
        if name not in COMMANDS:
            return None
        import_module(f"holdfast.surfaces.cli.commands.{_FILES.get(name, name)}")
        # Loading the file has made the command, and loaded what it needs.
        from holdfast.surfaces.cli.making import MADE

        return MADE[name]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the lists from the table, so that help loads no command."""
        widest = max(map(len, COMMANDS))
        for heading, commands in GROUPS.items():
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(widest), about) for name, about in commands.items()])


def suggestions(word: str) -> list[str]:
    """Return the commands that somebody may have meant by an unknown word, the likeliest first."""
    import difflib

    word = word.lower()
    meant = [name for name, words in _SYNONYMS.items() if word in words.split()]
    begins = [name for name in COMMANDS if name.startswith(word)]
    known = {other: name for name, words in _SYNONYMS.items() for other in words.split()}
    # A synonym is a guess of ours: a slip in one must be slighter than a slip in a name that is understood.
    slips = difflib.get_close_matches(word, known, n=2, cutoff=0.8)
    known |= {alias: f"{alias} ({name})" for alias, name in ALIASES.items()} | {name: name for name in COMMANDS}
    known["help"] = "help"
    typed = difflib.get_close_matches(word, [*COMMANDS, *ALIASES, "help"], n=2, cutoff=0.7)
    near = [known[one] for one in difflib.get_close_matches(word, [*slips, *typed], n=2, cutoff=0)]
    # An alias says nothing more where its command is suggested, too.
    near = [name for name in near if name.partition(" (")[2].rstrip(")") not in near]
    return list(dict.fromkeys(meant or (begins if len(begins) <= 3 else []) or near))


@click.command(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Also understood: add (remember), search (recall), ls (list), rm (forget), help COMMAND. The beginning of a "
    "key is enough where no other key begins with it. The help of each command opens with an example.",
)
@click.version_option(__version__, prog_name="holdfast")
@click.option("--home", metavar="FOLDER", help="The home to use. Default: $HOLDFAST_HOME, or ~/.holdfast.")
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="Override a setting for this run.")
@click.pass_context
def cli(ctx: click.Context, home: str | None, settings: tuple[str, ...]) -> None:
    """Example: holdfast remember "Deploys need the VPN."

    One memory for all of your coding agents: Markdown files that you own, found again by any of them.
    """
    ctx.obj = Invocation(home, _flags(settings))


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
    terminal.protect()
    code = run(sys.argv[1:])
    regexes.save()
    sys.exit(code)


def run(arguments: list[str]) -> int:
    """Run one command and return its exit code; nothing else in the process ends it."""
    try:
        # The stream decides which styles are shown. With `color=True` click leaves them alone.
        code = cli.main(
            arguments, prog_name=program(), complete_var="_HOLDFAST_COMPLETE", standalone_mode=False, color=True
        )
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except HoldfastError as problem:
        return _failed(str(problem), problem.hint, problem.exit_code)
    except click.ClickException as problem:
        problem.show()
        return problem.exit_code
    except (click.Abort, KeyboardInterrupt):
        return _failed("interrupted", "", 130)
    except (BrokenPipeError, ReaderGone):
        # That is not a fault, and Python must not report it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except sqlite3.Error as problem:
        return _failed(f"the index cannot be used: {problem}", "`holdfast doctor --fix` rebuilds it.", 5)
    except OSError as problem:
        if problem.errno in (errno.ENOSPC, errno.EDQUOT):
            return _failed("no space left on the device", "Free some space and try again.", 5)
        return _failed(str(problem), "Run `holdfast doctor`.", 5)


def _failed(text: str, hint: str, code: int) -> int:
    click.echo(f"holdfast: {runnable(text)}", err=True, color=True)
    if hint:
        click.echo(f"  {runnable(hint)}", err=True, color=True)
    return code
