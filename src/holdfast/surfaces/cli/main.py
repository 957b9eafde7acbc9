"""`holdfast`: finds the command, runs it, and turns errors into a line, a hint and an exit code."""

from __future__ import annotations

import difflib
import errno
import os
import re
import shlex
import sqlite3
import sys
from dataclasses import dataclass, field
from importlib import import_module

import click

from holdfast.base.package import __version__
from holdfast.errors import HoldfastError

# `holdfast --help` shows the commands in this order and under these headings.
GROUPS = {
    "Everyday commands": {
        "up": "Prepare this home, connect agents and see what to do next.",
        "remember": "Store a memory.",
        "recall": "Find memories by words and by meaning.",
        "list": "List memories, newest first.",
        "show": "Show one memory.",
        "edit": "Edit a memory in your editor.",
        "forget": "Forget memories for good.",
        "sessions": "List, read and search the sessions of every agent.",
        "catch-up": "Show where a project stands, for somebody who comes back.",
        "install": "Connect an agent, or list the agents on this machine.",
        "status": "Show agents, sessions and memories at a glance.",
    },
    "Memory": {
        "related": "Show what is related to a memory, and why.",
        "history": "Show what a memory said before.",
        "pin": "Pin a memory, so that it never expires.",
        "unpin": "Unpin a memory.",
        "move": "Move a memory to another scope or key.",
        "clear": "Forget every memory of a scope.",
        "import": "Propose what agents have noted themselves as memories.",
        "proposals": "Show what waits to become a memory, and decide on it.",
        "receipts": "Show what each session was given, and why.",
    },
    "Sessions": {
        "sweep": "Take the sessions of every agent into the archive.",
        "schedule": "Let the system run a sweep at regular intervals.",
        "timeline": "Show what was done in a project, day by day.",
        "activity": "Show which files were changed, by whom and when.",
    },
    "Project": {
        "project": "Show which project this folder is, and why; list all projects.",
        "todo": "Keep the to-dos of this project.",
        "decide": "Record a decision of this project, with its reason.",
        "work": "Keep the work items of this project.",
        "distil": "Propose entries for the page of this project.",
    },
    "Learning": {
        "lesson": "Record a lesson of this project, and what went wrong.",
        "rate": "Rate a session from 1 to 10, or list the ratings of this project.",
        "harvest": "Learn from archived sessions: ratings, lessons, incidents, fixes.",
        "patterns": "Show what recurs over sessions, good and bad, and decide on it.",
        "measure": "Show whether patterns and memories help, and what they cost.",
        "synthesis": "Show what ratings say together, what recurs, and what came of it.",
        "research": "List and read what sub-agents found out.",
        "security": "List tool calls that destroy, read a secret or write outside the project.",
    },
    "Upkeep": {
        "doctor": "Check this installation, this home and the connected agents.",
        "lint": "Find problems in memories.",
        "heal": "Repair what is safe to repair.",
        "tidy": "Move groups of a crowded scope into sub-folders.",
        "prune": "Remove memories that have expired.",
        "reindex": "Rebuild the index from the files.",
        "updates": "Show what Holdfast changed, moved or removed, and undo it.",
        "config": "Show and change settings.",
        "uninstall": "Take out of an agent's files what install put in.",
        "plugin": "Write a plugin for an agent, without touching its settings.",
        "mcp": "Serve the memory to an agent over MCP.",
        "init": "Create the memory tree in the home, or in a workspace.",
        "demo": "Play a short story in a throw-away home.",
        "completion": "Print the completion script for your shell.",
        "bench": "Measure this installation on this machine.",
    },
}
COMMANDS = {name: about for group in GROUPS.values() for name, about in group.items()}
# The file of a command where it does not have its own name: commands that belong together share one.
_FILES = {
    name: file
    for file, names in {
        "recall": ("related", "list"),
        "memory": ("remember", "show", "history", "edit", "pin", "unpin", "move", "forget", "clear"),
        "activity": ("timeline", "catch-up", "receipts"),
        "notes": ("todo", "decide", "lesson"),
        "proposing": ("import", "distil"),
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
    "forget": "delete del remove erase drop",
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
    "updates": "undo revert changes audit",
    "prune": "clean cleanup gc expire purge",
    "sweep": "scan ingest collect archive",
    "reindex": "index rebuild",
    "patterns": "pattern",
    "receipts": "receipt injected given",
    "mcp": "serve server",
    "--version": "version",
}


@dataclass
class Invocation:
    """What the command line asked for besides its command; `ctx.obj` of every command."""

    home: str | None = None
    flags: dict[str, str] = field(default_factory=dict)
    where: dict[str, str] = field(default_factory=dict)
    json: bool = False
    dry_run: bool = False
    yes: bool = False
    utc: bool = False


def invocation(ctx: click.Context | None = None) -> Invocation:
    """Return what the command line asked for."""
    root = (ctx or click.get_current_context()).find_root()
    root.obj = root.obj or Invocation()
    found: Invocation = root.obj
    return found


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
        # The file has told it, and loaded what it needs.
        from holdfast.surfaces.cli.making import MADE

        return MADE[name]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the lists from the table, so that help loads no command."""
        widest = max(map(len, COMMANDS))
        for heading, commands in GROUPS.items():
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(widest), about) for name, about in commands.items()])


def suggestions(word: str) -> list[str]:
    """Return the commands that somebody may have meant by a word that is none, the likeliest first."""
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
    return list(dict.fromkeys(meant or (begins if len(begins) <= 3 else []) or near))


def program() -> str:
    """Return how a shell here calls this program: by its name where the shell finds it, else by what works."""
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        if os.access(os.path.join(folder, "holdfast"), os.X_OK):
            return "holdfast"
    script = os.path.abspath(sys.argv[0])
    if os.path.basename(script) == "holdfast" and os.access(script, os.X_OK):
        return shlex.quote(script)
    return f"{shlex.quote(sys.executable)} -m holdfast"


def runnable(text: str) -> str:
    """Return a hint of ours with each command in it as a shell here understands it."""
    if "holdfast " not in text or (name := program()) == "holdfast":
        return text
    return _CALL.sub(lambda _: f"{name} ", text)


_CALL = re.compile(rf"(?<![\w/.-])holdfast (?=(?:--|{'|'.join(COMMANDS)})\b)")


@click.command(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Also understood: add (remember), search (recall), ls (list), rm (forget), help COMMAND. The beginning of a "
    "key is enough where no other key begins so. The help of each command opens with an example.",
)
@click.version_option(__version__, prog_name="holdfast")
@click.option("--home", metavar="FOLDER", help="The home to use. Default: $HOLDFAST_HOME, or ~/.holdfast.")
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="Override a setting for this run.")
@click.pass_context
def cli(ctx: click.Context, home: str | None, settings: tuple[str, ...]) -> None:
    """Example: holdfast remember "Deploys need the VPN."

    One memory for all of your coding agents: Markdown files that you own, found again by any of them.
    """
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        ctx.color = False
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
    for stream in (sys.stdout, sys.stderr):
        # A file name that is not UTF-8, or a terminal that is not, must not end a command half-way.
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command and return its exit code; nothing else in the process ends it."""
    try:
        code = cli.main(arguments, prog_name=program(), complete_var="_HOLDFAST_COMPLETE", standalone_mode=False)
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
    click.echo(f"holdfast: {runnable(text)}", err=True)
    if hint:
        click.echo(f"  {runnable(hint)}", err=True)
    return code
