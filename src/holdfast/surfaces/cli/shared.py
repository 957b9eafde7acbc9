"""What the commands share: how they are made, their options, their workspace, and how they ask and print."""

from __future__ import annotations

import difflib
import json
import shlex
import sys
from inspect import cleandoc
from typing import TYPE_CHECKING, Any, TypeVar

import click

from holdfast.app.finish import finish
from holdfast.base.text import count
from holdfast.errors import BadInput, NeedsConsent
from holdfast.memory import show
from holdfast.records import SCOPES, Memory, Problem, Step, asdict
from holdfast.surfaces.cli.main import COMMANDS, Invocation, runnable
from holdfast.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

F = TypeVar("F", bound="Callable[..., Any]")

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


class Text(click.Argument):
    """An argument that is free text, and may begin with anything."""


class Key(click.ParamType[str]):
    """The key of a memory; its beginning is enough where no other key begins so."""

    name = "key"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[click.shell_completion.CompletionItem]:
        return [click.shell_completion.CompletionItem(key) for key in complete_key(ctx, param, incomplete)]


KEY = Key()


class Command(click.Command):
    """A command; where it takes free text, it says how a text begins that looks like an option."""

    def get_help(self, ctx: click.Context) -> str:
        return runnable(super().get_help(ctx))

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return _parsed(self, super().parse_args, ctx, args)


class Group(click.Group):
    """A group that acts itself where no sub-command is named. With `adds`, any other word begins a text for `add`."""

    adds = False

    def get_help(self, ctx: click.Context) -> str:
        return runnable(super().get_help(ctx))

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        # The word `list` alone stands for the group without a command, which lists.
        if args[:1] in (["list"], ["ls"]) and args[0] not in self.commands and all(x.startswith("-") for x in args[1:]):
            args = args[1:]
        return _parsed(self, super().parse_args, ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] in self.commands:
            return super().resolve_command(ctx, args)
        if args[0] == "rm" and (name := next((each for each in ("remove", "forget") if each in self.commands), "")):
            return super().resolve_command(ctx, [name, *args[1:]])
        near = difflib.get_close_matches(args[0], self.commands, n=1, cutoff=0.7)
        meant = f" Did you mean {near[0]}?" if near else ""
        if not self.adds:
            raise click.UsageError(f"No such command {args[0]!r}.{meant}", ctx)
        if near and args[1:] and all(map(_is_name, args[1:])):
            # Nobody wants to keep the text `dnoe 3`.
            raise click.UsageError(f"No such command {args[0]!r}.{meant} `add` adds it as a text.", ctx)
        return "add", self.commands["add"], ["--", *args] if args[0].startswith("-") else args

    def sub(self, name: str, example: str, **settings: Any) -> Callable[[Callable[..., Any]], click.Command]:
        """Return a decorator that adds a command to the group; its docstring is its help, behind the example."""

        def make(function: Callable[..., Any]) -> click.Command:
            made = _made(Command, function, name, example, **settings)
            made.short_help = cleandoc(function.__doc__ or "").split("\n\n")[0].replace("\n", " ").split(". ")[0]
            made.short_help = made.short_help.rstrip(".") + "."
            self.add_command(made)
            return made

        return make


def _is_name(word: str) -> bool:
    """Whether the word looks like the number or the id of an entry."""
    return word.isdecimal() or (len(word) <= 6 and word[1:].isalnum() and any(map(str.isdecimal, word)))


def _parsed(
    command: click.Command, parse: Callable[[click.Context, list[str]], list[str]], ctx: click.Context, args: list[str]
) -> list[str]:
    takes_text = getattr(command, "adds", False) or any(isinstance(each, Text) for each in command.params)
    try:
        return parse(ctx, [*args])
    except click.NoSuchOption as problem:
        if not takes_text:
            raise
        words = " ".join(shlex.quote(word) for word in args)
        raise click.UsageError(
            f"{problem.format_message()} If it is part of the text, put -- before the text: "
            f"{ctx.command_path} -- {words}",
            ctx,
        ) from None


def command(name: str, example: str, **settings: Any) -> Callable[[Callable[..., Any]], click.Command]:
    """Return a decorator that makes a command of a function; its docstring is its help, behind the example.

    `sees` names the options of where we are; `means` says what one of them is for here. Without `json` there is no
    `--json`; without `workspace` the function is called without one. What `reads` one thing answers nothing while
    memory is switched off.
    """

    def make(function: Callable[..., Any]) -> click.Command:
        MADE[name] = _made(Command, function, name, example, short_help=COMMANDS[name], **settings)
        return MADE[name]

    return make


def group(name: str, example: str, *, adds: bool = False, **settings: Any) -> Callable[[Callable[..., Any]], Group]:
    """Return a decorator that makes a group of a function, which runs where no sub-command is named."""

    def make(function: Callable[..., Any]) -> Group:
        made = _made(Group, function, name, example, short_help=COMMANDS[name], invoke_without_command=True, **settings)
        MADE[name], made.adds = made, adds
        return made

    return make


C = TypeVar("C", bound=click.Command)


def _made(
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
    workspace: bool = True,
    **more: Any,
) -> C:
    params = [*reversed(getattr(function, "__click_params__", []))]
    if json and workspace:
        params.append(click.Option(["--json", "as_json"], is_flag=True, help="Print one JSON document."))
    for each in sees:
        told = _WHERE[each] | ({"help": means[each]} if means and each in means else {})
        params.append(click.Option([f"--{each}"], **told))
    help = f"Example: {example}\n\n{cleandoc(function.__doc__ or COMMANDS.get(name, ''))}"
    callback = _in_workspace(function, reads=reads, pure=pure) if workspace else function
    return kind(name, callback=callback, params=params, help=help, **more)


def _in_workspace(function: Callable[..., Any], *, reads: bool, pure: bool) -> Callable[..., Any]:
    """Return the function called with an open workspace as its first argument, seen from the options of where we are.

    A group that is followed by one of its sub-commands does nothing itself; what it was given holds for that.
    """

    @click.pass_context
    def run(ctx: click.Context, /, **given: Any) -> Any:
        asked = invocation(ctx)
        asked.json |= given.pop("as_json", False)
        asked.dry_run |= given.pop("dry_run", False)
        asked.yes |= given.pop("yes", False)
        asked.utc |= given.pop("utc", False)
        for name, option in (*((name, name) for name in _WHERE), ("project", "of_project")):
            if value := given.pop(option, ""):
                asked.where[name] = value
        if ctx.invoked_subcommand is not None:
            return None
        with open_workspace(ctx) as workspace:
            if reads and not workspace.enabled:
                say_empty(workspace, "")
                answered({})
                return None
            does_nothing = pure or asked.dry_run
            try:
                return function(workspace, **_with_whole_keys(ctx, workspace, given))
            except NeedsConsent:
                does_nothing = True
                raise
            finally:
                if not does_nothing:
                    finish(workspace)

    return run


def open_workspace(ctx: click.Context) -> Workspace:
    """Return the workspace of this command line."""
    asked, where = invocation(ctx), dict[str, Any](invocation(ctx).where)
    return Workspace(asked.home, flags=asked.flags, **where, say=say, progress=Progress())


def invocation(ctx: click.Context | None = None) -> Invocation:
    """Return what the command line asked for."""
    root = (ctx or click.get_current_context()).find_root()
    root.obj = root.obj or Invocation()
    found: Invocation = root.obj
    return found


def _with_whole_keys(ctx: click.Context, workspace: Workspace, given: dict[str, Any]) -> dict[str, Any]:
    """Return what was given with each key in full, where its beginning was."""
    for each in ctx.command.params:
        value = given.get(each.name or "") if each.type is KEY else None
        if value and workspace.enabled:
            whole = [
                show.whole_key(workspace, key, given.get("scope"))
                for key in ((value,) if isinstance(value, str) else value)
            ]
            given[each.name or ""] = whole[0] if isinstance(value, str) else tuple(whole)
    return given


def text_argument(name: str, **more: Any) -> Callable[[F], F]:
    """Return the argument that takes all words as one text."""
    return click.argument(name, nargs=-1, cls=Text, **more)


def text_of(words: tuple[str, ...], example: str, what: str = "write down") -> str:
    """Return the text that was typed, or that of standard input where there is none, or only `-`."""
    if words and words != ("-",):
        return " ".join(words)
    if sys.stdin.isatty():
        raise BadInput(f"there is no text to {what}", f"Example: {example}")
    return sys.stdin.buffer.read().decode("utf-8", "surrogateescape")


def scope_option(help: str, **more: Any) -> Callable[[F], F]:
    """Return the option that names a scope."""
    return click.option("--scope", "-s", type=click.Choice(SCOPES), help=help, **more)


def one_memory(function: F) -> F:
    """Add what names one memory: its key, and the scope to look in."""
    return click.argument("key", type=KEY)(scope_option("Only this scope.")(function))


def since_option(what: str) -> Callable[[F], F]:
    """Return the option of a first time; `what` says of what."""
    return click.option("--since", default="", metavar="TIME", help=f"{what}: 2026-11-01, 7d, 2w, yesterday.")


def until_option(what: str) -> Callable[[F], F]:
    """Return the option of a last time; `what` says of what."""
    return click.option("--until", default="", metavar="TIME", help=f"{what}.")


def limit_option(default: int | None, most: int | None = None, shown: int | None = None) -> Callable[[F], F]:
    """Return the option that bounds how much is shown."""
    kind, help = click.IntRange(1, most), f"Show at most N. Default: {shown or default}."
    return click.option("--limit", "-n", type=kind, default=default, metavar="N", help=help)


def agents_option(what: str) -> Callable[[F], F]:
    """Return the option that names agents."""
    help = f"Only {what} this agent; repeat it for several."
    return click.option("--agent", "agents", multiple=True, metavar="NAME", help=help)


def everywhere_option(help: str = "In every project.") -> Callable[[F], F]:
    """Return the option that asks for every project."""
    return click.option("--everywhere", is_flag=True, help=help)


def dry_run_option(help: str = "Show the plan and change nothing.") -> Callable[[F], F]:
    """Return the option of a command that only says what it would do."""
    return click.option("--dry-run", "-n", is_flag=True, help=help)


def consent_options(function: F) -> F:
    """Add the options of a command that shows a plan before it acts."""
    return dry_run_option()(click.option("--yes", "-y", is_flag=True, help="Do it without asking.")(function))


id_argument = click.argument("name", metavar="ID")


def agreed(
    document: object, why: str, nothing: str = "", *, undone: str = "", show: Callable[[], None] = lambda: None
) -> bool:
    """Return whether to carry a plan out; where not, answer with its document or its words.

    With `nothing` there is nothing to do. A dry run says what is `undone`. Otherwise the person is asked, after `show`;
    without a terminal nobody is.
    """
    asked = invocation()
    if not (nothing or asked.dry_run):
        if asked.yes or person_agrees(why, show):
            return True
        undone = "nothing was changed"
    if not answered(document) and (nothing or undone):
        say(nothing or undone)
    return False


def consented(steps: Sequence[Step], nothing: str, kept: Sequence[Step] = (), *, ask: bool = True) -> bool:
    """Show the steps and return whether to carry them out; `kept` is shown, too. Harmless ones need not `ask`."""
    invocation().yes |= not ask
    shown = [*kept, *steps]
    if shown and not invocation().json and (not steps or invocation().dry_run):
        print_plan(shown)
    return agreed(
        plan_json(steps, kept, applied=False),
        f"{count(len(steps), 'step')} {'needs' if len(steps) == 1 else 'need'} your consent",
        "" if steps else nothing,
        show=lambda: print_plan(shown, err=True),
    )


def person_agrees(why: str, show: Callable[[], None] = lambda: None) -> bool:
    """Show the plan and return whether the person wants it; without a terminal nobody is asked, and `why` is said."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise NeedsConsent(why, "Look with --dry-run, then give --yes.")
    show()
    return click.confirm("Do this?", err=True)


def applied(steps: Sequence[Step], text: str, kept: Sequence[Step] = ()) -> None:
    """Say that the plan was carried out."""
    answer(plan_json(steps, kept, applied=True), text)


def plan_json(steps: Sequence[Step], kept: Sequence[Step] = (), *, applied: bool) -> dict[str, object]:
    """Return a plan as `--json` promises it (docs/json.md)."""
    plain: dict[str, object] = {"plan": [asdict(step) for step in steps], "applied": applied}
    return {**plain, "kept": [asdict(step) for step in kept]} if kept else plain


def print_plan(steps: Sequence[Step], *, err: bool = False) -> None:
    """Print the steps, one a line, with the bytes that they free; on standard error where they are a question."""
    for step in steps:
        size = f"  ({count(step.size, 'byte')})" if step.size else ""
        click.echo(f"{step.act:8} {step.target}  {step.reason}{size}", err=err)
    freed = sum(step.size for step in steps)
    say(count(len(steps), "step") + (f", {count(freed, 'byte')}" if freed else ""))


def print_problems(problems: Sequence[Problem]) -> None:
    """Print each problem with its place, and below it the way out."""
    for problem in problems:
        line = f":{problem.line}" if problem.line else ""
        click.echo(f"{problem.severity:7}  {problem.kind:15} {problem.path}{line}  {problem.text}")
        if problem.hint:
            click.echo(f"{'':25}{runnable(problem.hint)}")


def answer(document: object, text: str) -> None:
    """Print the answer: the document where JSON is asked for, else the text."""
    if not answered(document):
        click.echo(text)


def answered(document: object) -> bool:
    """Print the document where JSON is asked for, and return whether it is."""
    if invocation().json:
        print_json(document)
    return invocation().json


def print_json(document: object) -> None:
    """Print one JSON document on standard output."""
    click.echo(json.dumps(document, ensure_ascii=False, indent=2))


def say(text: str) -> None:
    """Tell the person something besides the answer, on standard error."""
    text = runnable(text)
    click.echo(click.style(text, dim=True) if sys.stderr.isatty() else text, err=True)


def why_empty(workspace: Workspace, otherwise: str) -> str:
    """Return why a read gave nothing: memory is switched off, or what else there is to say."""
    return f"memory is switched off ({workspace.settings.origin['enabled']})" if not workspace.enabled else otherwise


def say_empty(workspace: Workspace, otherwise: str) -> None:
    """Say why a read gave nothing."""
    say(why_empty(workspace, otherwise))


def say_where(workspace: Workspace, project: str) -> None:
    """Say which project an answer is about."""
    if workspace.enabled:
        say(f"in the project {project}" if project else "in every project")


def memory_json(memory: Memory, *, history: bool = False) -> dict[str, object]:
    """Return a memory as `--json` promises it (docs/json.md)."""
    plain = asdict(memory)
    statements = plain.pop("history")
    plain["scope"], plain["owner"] = memory.scope.kind, memory.scope.owner
    return {**plain, "history": statements} if history else plain


def heading(memory: Memory) -> str:
    """Return the line that names a memory: key, scope, date, tags."""
    return f"{click.style(memory.key, bold=True)}  {memory.scope}  {memory.updated[:10]}{labels(memory)}"


def labels(memory: Memory) -> str:
    """Return the tags of a memory, and that it is pinned."""
    tags = f"  {tags_of(memory)}" if memory.tags else ""
    return f"{tags}{'  pinned' if memory.pinned else ''}"


def tags_of(memory: Memory) -> str:
    """Return the tags of a memory as people write them."""
    return " ".join(f"#{tag}" if " " not in tag else f"#“{tag}”" for tag in memory.tags)


def complete_key(ctx: click.Context, parameter: click.Parameter, start: str) -> list[str]:
    """Return the keys that begin so, for shell completion; whatever goes wrong, the shell is not disturbed."""
    try:
        where: dict[str, Any] = {name: ctx.params.get(name) or "" for name in HERE}
        with Workspace(home_of(ctx), **where) as workspace:
            return show.keys(workspace, start, ctx.params.get("scope")) if workspace.enabled else []
    except Exception:
        return []


def home_of(ctx: click.Context) -> str | None:
    """Return the home that the line names; while it is completed no command has run yet."""
    root = ctx.find_root()
    home: str | None = root.params.get("home") or (root.obj.home if root.obj else None)
    return home


class Progress:
    """A progress bar on standard error, made at the first step that is worth one, and only on a terminal."""

    def __init__(self, what: str = "reading memories") -> None:
        self._what = what
        self._bar: Any = None
        self._task: Any = None

    def __call__(self, done: int, total: int) -> None:
        if self._bar is None:
            if total < 2_000 or done >= total or not sys.stderr.isatty():
                return
            self._start(total)
        self._bar.update(self._task, completed=done)
        if done >= total:
            self.stop()

    def _start(self, total: int) -> None:
        # rich is only loaded where there is something to show: it would cost every other command its import.
        from rich.console import Console
        from rich.progress import Progress as Bar

        self._bar = Bar(console=Console(stderr=True), transient=True)
        self._bar.start()
        self._task = self._bar.add_task(self._what, total=total)

    def stop(self) -> None:
        """Take the bar away, also where the work was interrupted."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None
