"""Which of the rules that may hold for a call do hold, in the order in which they are told."""

from __future__ import annotations

import os

from holdfast.base import files
from holdfast.base.light_records import dataclass, replace
from holdfast.language import conditions
from holdfast.language.conditions import Call
from holdfast.language.runs import fits_path
from holdfast.rules import table
from holdfast.workspace import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from holdfast.parts import HookRun
    from holdfast.records import Project, Scope
    from holdfast.rules.table import RuleRow

_MAX_FILES, _MAX_IGNORED, _MAX_PATCH = 500, 64 * 1024, 256 * 1024
# So much of a transcript's end tells what was run before a call.
_MAX_EARLIER = 1 << 18
_NARROW = ("session", "project", "agent", "global")


@dataclass(frozen=True, slots=True)
class Found:
    """A rule that holds for a call: where it stands, and what of the call fulfils which item of its condition."""

    scope: Scope
    row: RuleRow
    fulfilled: str
    item: str = ""


def _error(printed: str) -> str:
    if not printed:
        return ""
    from holdfast.agents.transcript_calls import exit_of

    return printed if exit_of(printed) != 0 else ""


def files_in(folder: str, only_ignored: bool) -> list[str]:
    """Return what is in a folder, those nearest to it first; of very much not all, nothing of git, and through no link.

    With `only_ignored` only what the `.gitignore` there names, as far as that is plain.
    """
    found, waiting = list[str](), [folder]
    while waiting and len(found) < _MAX_FILES:
        try:
            with os.scandir(waiting.pop(0)) as entries:
                new = [one for one in entries if one.name != ".git"]
        except OSError:
            continue
        found += [one.path for one in new]
        waiting += [one.path for one in new if one.is_dir(follow_symlinks=False)]
    if not only_ignored:
        return found
    try:
        lines = files.read_head(f"{folder}/.gitignore", _MAX_IGNORED).decode("utf-8", "replace").split("\n")
    except OSError:
        return []
    ignored = [line.strip() for line in lines if line.strip() and line[0] not in "#!"]
    return [path for path in found if any(fits_path(path[len(folder) + 1 :], one) for one in ignored)]


def text_of(path: str) -> str:
    """Return what a patch says; nothing where there is none."""
    try:
        return files.read_head(path, _MAX_PATCH).decode("utf-8", "replace")
    except OSError:
        return ""


def tree_of(root: str) -> Callable[[str], str]:
    """Return what tells the top of the other work tree of a project, whose top is `root`, that a file lies in."""
    known: dict[str, str] = {}

    def common(folder: str) -> tuple[str, str]:
        from holdfast.project import git

        try:
            found = git.find(folder)
        except (git.Unusable, OSError):
            found = None
        return (found.root, found.common) if found else ("", "")

    def look(path: str) -> str:
        folder = os.path.dirname(path)
        if folder not in known:
            top, of = common(folder)
            known[folder] = top if top and top != root and of == common(root)[1] else ""
        return known[folder]

    return look


def item_of(condition: conditions.Condition, call: Call) -> str:
    """Return which command or file of a condition a call is; nothing where the condition has only one."""
    named = [one for one in (*condition.commands, *condition.paths) if one[:1] != "!"]
    if len(named) == 1:
        return ""
    kept = [[one for one in some if one[:1] == "!"] for some in (condition.commands, condition.paths)]
    for one in named:
        commands = (one, *kept[0]) if one in condition.commands else ()
        paths = () if commands else (one, *kept[1])
        if conditions.matched(replace(condition, commands=commands, paths=paths), call):
            return one
    return ""


def _was_done(run: HookRun, wanted: Sequence[str]) -> bool:
    """Whether this session ran one of these commands before this call, and it is not known to have failed."""
    if not run.call.transcript:
        return False
    from holdfast.agents.transcript_calls import FAILED, tail, told

    calls = told(tail(run.call.transcript, 0, _MAX_EARLIER)[0]).calls
    this, *lines = [
        conditions.line_of(Call(*one))
        for one in (
            (run.call.tool, run.call.tool_input),
            *[(one.tool, one.given) for one in calls if one.ended != FAILED],
        )
    ]
    return any(conditions.runs_any(line, wanted) for line in lines if line and line != this)


def elsewhere(workspace: Workspace, project: Project, *, is_own: bool) -> Callable[[str], bool]:
    """Return what tells whether a folder is another project's, so that the rules of this one do not hold there.

    The session's `own` project has what lies in no project, too.
    """
    known: dict[str, bool] = {}

    def look(folder: str) -> bool:
        if f"{folder}/".startswith(f"{project.root}/"):
            return False
        if folder not in known:
            there = workspace_at(workspace, folder).project_if_any()
            is_some = there is not None and there.rule != "path"
            known[folder] = there.id not in project.ids if there and is_some else not is_own
        return known[folder]

    return look


def workspace_at(workspace: Workspace, folder: str) -> Workspace:
    """Return the same home as seen from another folder."""
    asked, environment = workspace.asked_project, workspace.environment
    return Workspace(workspace.home, folder=folder, environment=environment, project=asked, session=workspace.session)


def matching(
    run: HookRun, likely: list[tuple[Scope, RuleRow]], line: str, printed: str, other: Project | None = None
) -> list[Found]:
    """Return those of the rules that hold for the call of this hook, or for a line, the most specific first.

    `printed` is what the call may have failed with, where the agent does not tell whether it did. The
    rules are those of an `other` project than the session's where that is given.
    """
    project = other or run.project()
    root, told = project.root if project else "", run.call
    branch, look = "", None
    if root and any(row.branch or "branch:" in row.condition for _, row in likely):
        from holdfast.project.git import branch_at, branch_in

        branch, look = branch_at(root), branch_in
    given = ("Bash", line, "") if line else (told.tool, told.tool_input, told.error or _error(printed))
    call = Call(*given, told.folder, root, branch, look, files_in, text_of, tree_of(root))
    here = replace(call, is_elsewhere=elsewhere(run.workspace, project, is_own=other is None)) if project else call
    found = []
    for scope, row in likely:
        condition = conditions.read(row.condition)
        asked = here if scope.kind == "project" else call
        fulfilled = conditions.matched(condition, asked) if condition and row.branch in ("", branch) else ""
        unless = condition.unless if condition and fulfilled else ()
        was_done = bool(unless) and _was_done(run, unless)
        if fulfilled and not was_done and table.is_as_read(run.home, row):
            item = item_of(condition, call) if condition and row.does != "say" else ""
            found.append(Found(scope, row, fulfilled, item))
    # More of a command or a path is more specific, and then the narrower scope.
    return sorted(
        found,
        key=lambda one: (-conditions.weight(conditions.parse(one.row.condition)), _NARROW.index(one.scope.kind)),
    )
