"""How a command is made of a function: its help, its options of where we are, and its workspace."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from inspect import cleandoc
from typing import Any, TypeVar

import click

from holdfast.agents import in_shell
from holdfast.errors import BadSetting, NeedsConsent
from holdfast.memory import show
from holdfast.surfaces.cli.command_line import COMMANDS, Invocation, invocation, runnable
from holdfast.surfaces.cli.options import KEY, Text
from holdfast.surfaces.cli.output import Progress, emit_json, say, say_empty
from holdfast.workspace import Workspace

# Every command that was loaded, by its name.
MADE: dict[str, click.Command] = {}
# Which options of where we are a command takes: those that change what it does.
HERE = ("project", "session", "profile")
PROJECT = ("project",)
_WHERE: dict[str, dict[str, Any]] = {
    "project": {"metavar": "ID", "help": "The project, instead of the one of this folder."},
    "session": {"metavar": "ID", "help": "The session, for the scope session."},
    "profile": {"metavar": "NAME", "help": "The agent profile, for the scope agent."},
    "folder": {"type": click.Path(exists=True, file_okay=False), "help": "The folder, instead of this one."},
}
C = TypeVar("C", bound=click.Command)


class CliCommand(click.Command):
    """A command; where it takes free text, it says how a text begins that looks like an option."""

    adds = False
    # The way for those who give it a word more than it takes.
    instead = ""

    def get_help(self, ctx: click.Context) -> str:
        return runnable(super().get_help(ctx))

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        # What is parsed is taken out of the list.
        given = [*args]
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as problem:
            # What is wrong with an option or a value has a class of its own.
            if self.instead and type(problem) is click.UsageError:
                raise click.UsageError(f"{problem.message}. {runnable(self.instead)}", ctx) from None
            if not isinstance(problem, click.NoSuchOption):
                raise
            if meant := _choice_of(problem.option_name, self):
                raise click.UsageError(f"{problem.message} Did you mean {meant}?", ctx) from None
            if not self.adds and not any(isinstance(each, Text) for each in self.params):
                raise
            if owner := _owner_of(problem.option_name, self, ctx):
                raise click.UsageError(f"{problem.message} It belongs to `{owner}`.", ctx) from None
            how = f"If it is part of the text, put -- before the text: {ctx.command_path} {_text_last(given, self)}"
            raise click.UsageError(f"{problem.format_message()} {how}", ctx) from None


def _text_last(given: list[str], command: click.Command) -> str:
    """Return a command's words with its options and their values first, and what is text behind `--`."""
    import shlex

    known = [one for one in command.params if isinstance(one, click.Option)]
    takes = {name: 0 if one.is_flag else one.nargs for one in known for name in (*one.opts, *one.secondary_opts)}
    options, text, rest = list[str](), list[str](), iter(given)
    for word in rest:
        if word == "--":
            text += rest
        elif word.partition("=")[0] in takes:
            options += [word, *itertools.islice(rest, 0 if "=" in word else takes[word])]
        else:
            text.append(word)
    return shlex.join([*options, "--", *text])


def _choice_of(option: str, command: click.Command) -> str:
    """Return the option that takes this name as its value: `--scope global` for `--global`; "" where none does."""
    value = option.lstrip("-")
    named = [each for each in command.params if isinstance(each.type, click.Choice) and value in each.type.choices]
    return f"{named[0].opts[0]} {value}" if named else ""


def _owner_of(option: str, command: click.Command, ctx: click.Context) -> str:
    """Return the command beside or around this one, in its group, that knows the option; "" where none does."""
    around = ctx if isinstance(command, click.Group) else ctx.parent
    if around is None or not isinstance(around.command, CliGroup):
        return ""
    known: dict[str, click.Command] = {"": around.command, **around.command.commands}
    owner = next((name for name, each in known.items() if any(option in one.opts for one in each.params)), None)
    return f"{around.command_path} {'TEXT' if owner == 'add' else owner}".rstrip() if owner is not None else ""


class CliGroup(CliCommand, click.Group):
    """A group that acts itself where no sub-command is named. With `adds`, any other word begins a text for `add`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        # The word `list` alone stands for the group without a command, which lists.
        lists = args[:1] in (["list"], ["ls"]) and "list" not in self.commands
        if lists and all(x.startswith("-") for x in args[1:]):
            args = args[1:]
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if ctx.params.get("listing"):
            raise click.UsageError(f"--list takes no argument such as {args[0]!r}.", ctx)
        if args[0] == "ls" and "list" in self.commands:
            args = ["list", *args[1:]]
        if args[0] in self.commands:
            return super().resolve_command(ctx, args)
        if args[0] == "rm" and (name := next((each for each in ("remove", "forget") if each in self.commands), "")):
            return super().resolve_command(ctx, [name, *args[1:]])
        import difflib

        near = difflib.get_close_matches(args[0], [*self.commands, "list"], n=1, cutoff=0.7)
        near = near or [name for name in ("doctor",) if args[0] == "status" and name in self.commands]
        meant = f" Did you mean {near[0]}?" if near else ""
        if not self.adds:
            raise click.UsageError(f"No such command {args[0]!r}.{meant}", ctx)
        # Nobody wants to keep the text `lst`, `shw x` or `dnoe 3 4`; who does says `add`.
        named = [
            word.isdecimal() or (len(word) <= 6 and word[1:].isalnum() and any(map(str.isdecimal, word)))
            for word in args[1:]
        ]
        if near and near[0] != args[0] and (len(args) <= 2 or all(named)):
            text = " ".join(args)
            raise click.UsageError(f"No such command {args[0]!r}.{meant} `{ctx.command_path} add {text}` adds it.", ctx)
        return "add", self.commands["add"], ["--", *args] if args[0].startswith("-") else args

    def sub(self, name: str, example: str, **settings: Any) -> Callable[[Callable[..., Any]], click.Command]:
        """Return a decorator that adds a command to the group; its docstring is its help, behind the example."""

        def make(function: Callable[..., Any]) -> click.Command:
            about = cleandoc(function.__doc__ or "").split("\n\n")[0].replace("\n", " ").split(". ")[0]
            made = _build(CliCommand, function, name, example, short_help=f"{about.rstrip('.')}.", **settings)
            self.add_command(made)
            return made

        return make


def command(name: str, example: str, **settings: Any) -> Callable[[Callable[..., Any]], click.Command]:
    """Return a decorator that makes a command of a function; its docstring is its help, behind the example.

    `sees` names the options of where we are; `means` says what one of them is for here. Without `json` there is no
    `--json`; without `workspace` the function is called without one. `instead` is the way for those who give it a word
    more than it takes. What `reads` one thing answers nothing while
    memory is switched off. What `checks` the home runs also where its settings cannot be read.
    """

    def make(function: Callable[..., Any]) -> click.Command:
        MADE[name] = _build(CliCommand, function, name, example, short_help=COMMANDS[name], **settings)
        return MADE[name]

    return make


def group(name: str, example: str, *, adds: bool = False, **settings: Any) -> Callable[[Callable[..., Any]], CliGroup]:
    """Return a decorator that makes a group of a function, which runs where no sub-command is named."""

    def make(function: Callable[..., Any]) -> CliGroup:
        made = _build(
            CliGroup, function, name, example, short_help=COMMANDS[name], invoke_without_command=True, **settings
        )
        MADE[name], made.adds = made, adds
        return made

    return make


def _build(
    kind: type[C],
    function: Callable[..., Any],
    name: str,
    example: str,
    *,
    sees: tuple[str, ...] = (),
    means: dict[str, str] | None = None,
    json: bool = True,
    reads: bool = False,
    pure: bool = False,
    checks: bool = False,
    workspace: bool = True,
    instead: str = "",
    **more: Any,
) -> C:
    params = [*reversed(getattr(function, "__click_params__", []))]
    if json and workspace:
        params.append(click.Option(["--json", "as_json"], is_flag=True, help="Print one JSON document."))
    for each in sees:
        settings = _WHERE[each] | ({"help": means[each]} if means and each in means else {})
        params.append(click.Option([f"--{each}"], **settings))
    help = f"Example: {example}\n\n{cleandoc(function.__doc__ or COMMANDS.get(name, ''))}"
    callback = _in_workspace(function, reads=reads, pure=pure, checks=checks) if workspace else _alone(function)
    made = kind(name, callback=callback, params=params, help=help, **more)
    if isinstance(made, CliCommand):
        made.instead = instead
    return made


def _noted(ctx: click.Context, given: dict[str, Any]) -> Invocation:
    """Take the options that mean the same everywhere out of what was given, and note them."""
    asked = invocation(ctx)
    asked.json |= given.pop("as_json", False)
    asked.dry_run |= given.pop("dry_run", False)
    asked.yes |= given.pop("yes", False)
    asked.utc |= given.pop("utc", False)
    return asked


def _alone(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that needs no workspace as a callback of click."""

    @click.pass_context
    def run(ctx: click.Context, /, **given: Any) -> Any:
        _noted(ctx, given)
        return function(**given)

    return run


def _in_workspace(function: Callable[..., Any], *, reads: bool, pure: bool, checks: bool) -> Callable[..., Any]:
    """Return the function called with an open workspace as its first argument, seen from the options of where we are.

    A group that is followed by one of its sub-commands does nothing itself; what it was given holds for that.
    """

    @click.pass_context
    def run(ctx: click.Context, /, **given: Any) -> Any:
        # A server that agents wait for at its start is a command without a workspace.
        from holdfast.app.finish import finish, repair, see

        asked = _noted(ctx, given)
        for name, option in (*((name, name) for name in _WHERE), ("project", "of_project")):
            if value := given.pop(option, ""):
                asked.where[name] = value
        if ctx.invoked_subcommand is not None:
            return None
        config = _usable_config(asked) if checks and not given.get("fix") else ""
        speaker = in_shell(os.environ)
        who = {"caller": "agent", "speaker": speaker} if speaker else {}
        where: dict[str, Any] = {**asked.where, **who, "config": config}
        with Workspace(asked.home, flags=asked.flags, **where, say=say, progress=Progress()) as workspace:
            if reads and not workspace.enabled:
                say_empty(workspace, "")
                emit_json({})
                return None
            does_nothing = pure or asked.dry_run or bool(config)
            if not does_nothing and not reads:
                see(workspace)
            try:
                return function(workspace, **_with_whole_keys(ctx, workspace, given))
            except NeedsConsent:
                does_nothing = True
                raise
            finally:
                if not does_nothing:
                    repair(workspace, reads=reads)
                    finish(workspace)

    return run


def _usable_config(asked: Invocation) -> str:
    """Return an empty config file where the one of the home is broken, so that a check can be run and tell it."""
    try:
        Workspace(asked.home, flags=asked.flags).close()
    except BadSetting:
        return os.devnull
    return ""


def _with_whole_keys(ctx: click.Context, workspace: Workspace, given: dict[str, Any]) -> dict[str, Any]:
    """Return what was given with each key in full, where its beginning was."""
    for each in ctx.command.params:
        value = given.get(each.name or "") if each.type is KEY else None
        if value and workspace.enabled:
            several = (value,) if isinstance(value, str) else value
            whole = [show.whole_key(workspace, key, given.get("scope")) for key in several]
            given[each.name or ""] = whole[0] if isinstance(value, str) else tuple(whole)
    return given
