"""How commands answer, say things besides the answer, and ask for consent."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from holdfast import agents
from holdfast.base.terminal import HarmlessStream, harmless, style
from holdfast.base.text import count
from holdfast.errors import BadInput, NeedsConsent
from holdfast.records import Given, Memory, Part, Problem, Proposal, Step
from holdfast.surfaces.cli.command_line import invocation, runnable
from holdfast.workspace import Workspace

T = TypeVar("T")
# Options that choose nothing among the things that a command lists.
_NOT_CHOOSING = {"limit", "utc", "as_json", "everywhere", "project", "of_project", "subagents"}
# How long the rest takes is not told before so many seconds.
_SURE_AFTER, _MINUTE = 1.0, 60


def answer(document: object, text: str) -> None:
    """Print the answer: the document where JSON is asked for, else the text."""
    if not emit_json(document):
        click.echo(text)


def emit_json(document: object) -> bool:
    """Print the document where JSON is asked for, and return whether it is."""
    if invocation().json:
        import json

        click.echo(json.dumps(document, ensure_ascii=False, indent=2, default=_fields))
    return invocation().json


def _fields(record: Any) -> dict[str, object]:
    """Return the fields of a record, which is how a document shows it."""
    names = getattr(record, "__dataclass_fields__", None) or record.__slots__
    return {name: getattr(record, name) for name in names}


def say(text: str) -> None:
    """Tell the person something besides the answer, on standard error."""
    text = runnable(text)
    click.echo(style(text, "dim") if sys.stderr.isatty() else text, err=True)


def why_empty(workspace: Workspace, otherwise: str) -> str:
    """Return why a read gave nothing: memory is switched off, or what else there is to say."""
    return workspace.why_off or otherwise


def say_empty(workspace: Workspace, otherwise: str) -> None:
    """Say why a read gave nothing."""
    say(why_empty(workspace, otherwise))


def unless_chosen(otherwise: str, thing: str) -> str:
    """Return why a list is empty: no such thing fits, where the command line chose among them, else what is said."""
    ctx = click.get_current_context()
    given = {name for name in ctx.params if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE}
    if not given - _NOT_CHOOSING:
        return otherwise
    unknown = ", ".join(sorted(map(repr, {*ctx.params.get("agents", ())}.difference(agents.names()))))
    return f"no {thing} fits what was asked for" + (f"; there is no agent {unknown}" if unknown else "")


def print_each(workspace: Workspace, found: Sequence[T], show: Callable[[T], None], nothing: str) -> None:
    """Print each thing that was found, or say why there is none."""
    for one in found:
        show(one)
    if not found:
        say_empty(workspace, nothing)


def say_where(workspace: Workspace, project: str) -> None:
    """Say which project an answer is about."""
    if workspace.enabled:
        say(f"in the project {project}" if project else "in every project")


def confirm_plan(
    document: object, why: str, nothing: str = "", *, undone: str = "", show: Callable[[], None] = lambda: None
) -> bool:
    """Return whether to carry a plan out; where not, answer with its document or its words.

    With `nothing` there is nothing to do. A dry run says what is `undone`. Otherwise the person is asked, after `show`;
    without a terminal nobody is.
    """
    asked = invocation()
    if not (nothing or asked.dry_run):
        if not asked.yes and not (sys.stdin.isatty() and sys.stderr.isatty()):
            raise NeedsConsent(why, "Look with --dry-run, then give --yes.")
        if not asked.yes:
            show()
        if asked.yes or click.confirm("Do this?", err=True):
            return True
        undone = "nothing was changed"
    if not emit_json(document) and (nothing or undone):
        say(nothing or undone)
    return False


def confirm_steps(steps: Sequence[Step], nothing: str, kept: Sequence[Step] = (), *, ask: bool = True) -> bool:
    """Show the steps and return whether to carry them out; `kept` is shown, too. Harmless ones need not `ask`."""
    invocation().yes |= not ask
    shown = [*kept, *steps]
    if shown and not invocation().json and (not steps or invocation().dry_run):
        print_plan(shown)
    return confirm_plan(
        plan_json(steps, kept, applied=False),
        f"{count(len(steps), 'step')} {'needs' if len(steps) == 1 else 'need'} your consent",
        "" if steps else nothing,
        show=lambda: print_plan(shown, err=True),
    )


def report_applied(steps: Sequence[Step], text: str, kept: Sequence[Step] = ()) -> None:
    """Say that the plan was carried out."""
    answer(plan_json(steps, kept, applied=True), text)


def plan_json(steps: Sequence[Step], kept: Sequence[Step] = (), *, applied: bool) -> dict[str, object]:
    """Return a plan as `--json` promises it (docs/json.md)."""
    plain: dict[str, object] = {"plan": steps, "applied": applied}
    return {**plain, "kept": kept} if kept else plain


def print_plan(steps: Sequence[Step], *, err: bool = False) -> None:
    """Print the steps, one a line, with the bytes that they free; on standard error where they are a question."""
    for step in steps:
        size = f"  ({count(step.size, 'byte')})" if step.size else ""
        click.echo(f"{step.act:8} {step.target}  {step.reason}{size}", err=err)
    freed = sum(step.size for step in steps)
    say(count(len(steps), "step") + (f", {count(freed, 'byte')}" if freed else ""))


def print_problems(problems: Sequence[Problem], ids: Mapping[Problem, str] | None = None) -> None:
    """Print each problem with its place and, where one decides on it, its id; and below it the way out."""
    for problem in problems:
        line = f":{problem.line}" if problem.line else ""
        id = f"  [{ids[problem]}]" if ids and problem in ids else ""
        click.echo(f"{problem.severity:7}  {problem.kind:15} {problem.path}{line}  {problem.text}{id}")
        if problem.hint:
            click.echo(f"{'':25}{runnable(problem.hint)}")


def say_problems(problems: Sequence[Problem]) -> None:
    """Say what could not be read, on standard error."""
    for problem in problems:
        place = f"{problem.path}:{problem.line}" if problem.line else problem.path
        say(f"{place}: {problem.text}" + (f" ({problem.hint})" if problem.hint else ""))


def need_terminal(hint: str) -> None:
    """Refuse to begin a review where there is nobody to ask."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise BadInput("a review needs a terminal", hint)


def memory_json(memory: Memory, *, history: bool = False) -> dict[str, object]:
    """Return a memory as `--json` promises it (docs/json.md)."""
    plain = scoped_json(memory)
    statements = plain.pop("history")
    return {**plain, "history": statements} if history else plain


def scoped_json(record: Memory | Proposal | Given) -> dict[str, object]:
    """Return a record with the kind and the owner of its scope beside its other fields."""
    return {**_fields(record), "scope": record.scope.kind, "owner": record.scope.owner}


def parts_json(parts: Sequence[Part]) -> list[dict[str, object]]:
    """Return the parts of a score, each with what it adds."""
    return [{**_fields(part), "points": part.points} for part in parts]


def print_parts(parts: Sequence[Part]) -> None:
    """Print the parts of a score below a hit."""
    widest = max(8, *(len(part.name) for part in parts)) if parts else 0
    for part in parts:
        value = f"{part.value:.3f} × {part.weight:.2f}"
        click.echo(f"    {part.points:6.3f} = {value}  {part.name:{widest}} {part.why}")


def heading(memory: Memory) -> str:
    """Return the line that names a memory: key, scope, date, tags."""
    return f"{style(memory.key, 'bold')}  {memory.scope}  {memory.updated[:10]}{labels(memory)}"


def labels(memory: Memory) -> str:
    """Return the tags of a memory, and that it is pinned."""
    tags = f"  {tags_of(memory)}" if memory.tags else ""
    return f"{tags}{'  pinned' if memory.pinned else ''}"


def tags_of(memory: Memory) -> str:
    """Return the tags of a memory as people write them."""
    return " ".join(f"#{tag}" if " " not in tag else f"#“{tag}”" for tag in memory.tags)


def text_of(words: tuple[str, ...], example: str, what: str = "write down") -> str:
    """Return the text that was typed, or that of standard input where there is none, or only `-`."""
    if words and words != ("-",):
        return " ".join(words)
    if sys.stdin.isatty():
        raise BadInput(f"there is no text to {what}", f"Example: {example}")
    return sys.stdin.buffer.read().decode("utf-8", "surrogateescape")


class Bar:
    """A bar on standard error with how long the rest takes, made when there is first something to show."""

    def __init__(self, what: str, *, of_bytes: bool = False) -> None:
        self._what, self._of_bytes = what, of_bytes
        self._bar: Any = None
        self._task: Any = None
        self._began = 0.0

    def show(self, done: int, total: int, what: str = "", most: float = float("inf")) -> None:
        """Show how far it is, what is being done, and how long the rest takes, `most` seconds at most."""
        if self._bar is None:
            # rich is only loaded where there is something to show: it would cost every other command its import.
            from rich import progress
            from rich.console import Console

            columns = [progress.TextColumn("{task.description}"), progress.BarColumn(bar_width=30)]
            columns += [progress.DownloadColumn()] if self._of_bytes else []
            # It moves the cursor, so it is drawn around the protection of the stream, from descriptions made harmless.
            file = sys.stderr.plain if isinstance(sys.stderr, HarmlessStream) else sys.stderr
            columns.append(progress.TextColumn("{task.fields[rest]}"))
            self._bar = progress.Progress(*columns, console=Console(file=file), transient=True)
            self._bar.start()
            self._task = self._bar.add_task(self._what, total=total, rest="")
            self._began = time.monotonic()
        took = time.monotonic() - self._began
        rest = about(min(took / done * (total - done), most)) if 0 < done < total and took > _SURE_AFTER else ""
        self._bar.update(self._task, completed=done, total=total, rest=rest)
        self.say(what or self._what)

    def say(self, what: str) -> None:
        """Say what is being done, where the bar is to be seen."""
        if self._bar is not None:
            self._bar.update(self._task, description=harmless(what).replace("[", "\\["))

    def stop(self) -> None:
        """Take the bar away, also where the work was interrupted."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None


def about(seconds: float) -> str:
    """Return how long something takes yet, as roughly as it is known."""
    if seconds < 2 * _MINUTE:
        return f"about {max(1, round(seconds))} s left"
    return f"about {round(seconds / _MINUTE)} min left"


class Progress(Bar):
    """The bar of a walk over many memories, on a terminal."""

    def __init__(self, what: str = "reading memories") -> None:
        super().__init__(what)

    def __call__(self, done: int, total: int) -> None:
        if total >= 2_000 and sys.stderr.isatty() and (done < total or self._bar is not None):
            self.show(done, total)
        if done >= total:
            self.stop()
