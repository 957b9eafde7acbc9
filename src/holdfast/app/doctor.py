"""Doctor: is this installation sound, and is this home? Each check is one function; a finding names the way out."""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from importlib.util import cache_from_source

from holdfast import agents, settings
from holdfast.agents import INSTALLS
from holdfast.agents.editing import record
from holdfast.app import install, status
from holdfast.app.reindex import reindex
from holdfast.base import clock, files
from holdfast.base.text import count
from holdfast.errors import BadSetting, BrokenFile, HoldfastError, ScopeUnknown
from holdfast.exchange import repository_set
from holdfast.journal import notices
from holdfast.memory import doctrine
from holdfast.memory.heal import close_to_others, open_to_others
from holdfast.patterns import distributed
from holdfast.records import Problem
from holdfast.rules.rule import OFF
from holdfast.workspace import Workspace

_SWITCH_ON = "holdfast config set enabled true"
# A session that ended this long after its agent's hooks were last heard from went unnoticed by them.
_SILENT_SECONDS = 3_600


def doctor(workspace: Workspace, *, fix: bool = False) -> list[Problem]:
    """Return what is wrong; with `fix`, mend what is derived (the index, the pages, modes) first."""
    if fix:
        workspace.need_enabled()
        _fix(workspace)
    return [problem for check in CHECKS for problem in check(workspace)]


def _fix(workspace: Workspace) -> None:
    if not os.path.isdir(workspace.home):
        return
    for path in open_to_others(workspace.home):
        close_to_others(path)
    reindex(workspace)
    for name in _set_aside(workspace):
        files.remove(os.path.join(workspace.home, name))


def _set_aside(workspace: Workspace) -> list[str]:
    return [name for name in os.listdir(workspace.home) if name.startswith("index.db.damaged")]


def sqlite_has_full_text(workspace: Workspace) -> Iterator[Problem]:
    """SQLite has FTS5."""
    with closing(sqlite3.connect(":memory:")) as db:
        try:
            db.execute("CREATE VIRTUAL TABLE probe USING fts5(text)")
        except sqlite3.OperationalError:
            hint = "Use a Python whose SQLite has FTS5; the ones of python.org and of all current systems do."
            yield Problem("sqlite", sys.executable, "SQLite has no full-text search", hint, severity="error")


def bytecode_is_compiled(workspace: Workspace) -> Iterator[Problem]:
    """The package is compiled; without its bytecode every start is two to three times slower."""
    if not os.path.exists(cache_from_source(files.__file__)):
        hint = f"{sys.executable} -m compileall {os.path.dirname(os.path.dirname(files.__file__))}"
        yield Problem("bytecode", files.__file__, "the package is not compiled, so every start is slow", hint)


def git_is_there(workspace: Workspace) -> Iterator[Problem]:
    """The person has git; Holdfast reads its files and does not need the program."""
    if shutil.which("git") is None:
        yield Problem(
            "git", "PATH", "git is not installed; projects are known by their folder", "Install git.", severity="info"
        )


def home_is_private(workspace: Workspace) -> Iterator[Problem]:
    """Nobody else can read the home."""
    if os.path.isdir(workspace.home) and os.stat(workspace.home).st_mode & 0o077:
        yield Problem(
            "mode", workspace.home, "other users can read it", "`holdfast doctor --fix` closes it.", severity="error"
        )


def home_can_be_written(workspace: Workspace) -> Iterator[Problem]:
    """The home can be written and has space left."""
    for one in status.of_disk(workspace.home):
        yield Problem(one.kind, one.names[0], one.text, one.hint, severity=one.severity)


def index_is_sound(workspace: Workspace) -> Iterator[Problem]:
    """The index is whole and agrees with the files."""
    if not workspace.enabled or not os.path.isdir(workspace.home):
        return
    path = os.path.join(workspace.home, "index.db")
    damage = workspace.store.damage()
    if damage:
        yield Problem("index", path, f"damaged: {damage}", "`holdfast doctor --fix` rebuilds it.", severity="error")
        return
    workspace.refresh(None)
    if _set_aside(workspace):
        hint = "`holdfast doctor --fix` removes it; everything in it is in your files too."
        yield Problem("index-aside", path + ".damaged", "a damaged index was set aside", hint, severity="info")


def files_are_sound(workspace: Workspace) -> Iterator[Problem]:
    """Every memory file can be read."""
    try:
        yield from workspace.store.problems() if workspace.enabled else ()
    except sqlite3.Error:
        return  # the check of the index told it


def setting_is_at_work(workspace: Workspace) -> Iterator[Problem]:
    """Memory is switched on, and so are its rules."""
    if not workspace.settings.flag("rules.enabled"):
        hint = "To switch them on: holdfast config set rules.enabled true"
        yield Problem("off", workspace.settings.origin["rules.enabled"], OFF, hint, severity="info")
    if workspace.why_off:
        name, hint = ("sealed", "Take it out.") if workspace.settings.flag("sealed") else ("enabled", _SWITCH_ON)
        yield Problem("off", workspace.settings.origin[name], workspace.why_off, hint, severity="info")


def settings_can_be_read(workspace: Workspace) -> Iterator[Problem]:
    """config.toml is TOML, and every value in it can be."""
    try:
        settings.load(workspace.home, {})
    except BadSetting as problem:
        path = os.path.join(workspace.home, "config.toml")
        yield Problem("setting", path, str(problem), problem.hint, severity="error")


def settings_are_known(workspace: Workspace) -> Iterator[Problem]:
    """Every line of config.toml sets something that there is."""
    for one in workspace.settings.unknown:
        said = f"there is no setting {one.name!r}, so this line has no effect"
        yield Problem("setting", one.path, said, one.hint, line=one.line)


def agents_are_heard(workspace: Workspace) -> Iterator[Problem]:
    """Every connected agent runs our hooks."""
    try:
        installs = record.load(workspace.home)
        found = status.agents(workspace)
    except BrokenFile as problem:
        yield Problem("installs", INSTALLS, str(problem), problem.hint, severity="error")
        return
    except sqlite3.Error:
        return  # the check of the index told it
    # A connection in one project says nothing about sessions in another.
    everywhere = {one.agent for one in installs if one.scope == "user"}
    for one in found:
        since = max((one.heard, *(each.at for each in installs if each.agent == one.name)))
        last = f"last heard from {one.heard}" if one.heard else "never heard from"
        if one.untrusted and since > one.heard:
            hooks = count(len(one.untrusted), "hook")
            text = f"{one.title} does not run {hooks} of Holdfast's, because you have not trusted them there ({last})"
            yield Problem("agent", one.name, text, " ".join(agents.get(one.name).advice))
        elif one.ignored > since:
            text = f"another program ran the hooks of {one.title} at {one.ignored}, so they stayed silent ({last})"
            hint = f"Nothing to do if {one.title} itself did not run then; otherwise start it without that program."
            yield Problem("agent", one.name, text, hint, severity="info" if one.heard else "warning")
        elif one.name in everywhere and clock.seconds(one.last_session) - clock.seconds(since) > _SILENT_SECONDS:
            text = f"a session of {one.title} ended at {one.last_session}, but its hooks said nothing ({last})"
            yield Problem("agent", one.name, text, f"Try `holdfast install {one.name}`, then a new session.")


def installs_are_current(workspace: Workspace) -> Iterator[Problem]:
    """Every connected agent has the hooks that an install of today writes."""
    try:
        for agent, folder, way in install.outdated(workspace):
            where = f"in {folder} " if folder else ""
            text = f"{agent.title} is connected {where}in a way that no longer fits this version and its settings"
            yield Problem("agent", agent.name, text, f"Run: {way}", severity="info")
    except BrokenFile:
        return  # the check of agents told it


def project_is_the_one_it_was(workspace: Workspace) -> Iterator[Problem]:
    """Nothing that was known of this folder, or of one that it may have been, is left behind under another id."""
    try:
        project = workspace.project()
    except HoldfastError:
        return
    for note in project.notes:
        said, _, hint = note.partition("; ")
        yield Problem("project", project.root, said, f"{hint[:1].upper()}{hint[1:]}." if hint else "", severity="info")


def doctrine_is_told(workspace: Workspace) -> Iterator[Problem]:
    """What the person wrote on the doctrine's page reaches agents, all of it."""
    kept, left_out = doctrine.told(workspace.home)
    if left_out:
        text = f"{count(len(kept), 'statement')} of it reach agents, and {left_out} more do not"
        hint = f"Shorten what you wrote: {doctrine.MAX_TOLD} characters fit, counted from the beginning."
        yield Problem("doctrine", os.path.join(workspace.home, doctrine.PAGE), text, hint)


def repository_was_decided_on(workspace: Workspace) -> Iterator[Problem]:
    """The memories that the repository brings were allowed or denied in their present state."""
    try:
        found = repository_set.RepositorySet(workspace)
    except ScopeUnknown:
        return
    except HoldfastError as problem:
        yield Problem(
            "repository", str(workspace.project().root), f"its memories are not read: {problem}", problem.hint
        )
        return
    if what := found.waits():
        text = f"it {what}, so agents are given nothing of what is new"
        yield Problem("repository", os.path.join(found.root, found.open_folder), text, repository_set.HINT)


def nothing_was_lost(workspace: Workspace) -> Iterator[Problem]:
    """Everything that was removed, skipped or left undone has been shown to the person."""
    path = notices.path_of(workspace.home)
    for one in notices.unseen(workspace.home):
        hint = f"{one.hint} `holdfast status` in a terminal marks it as seen.".strip()
        yield Problem(one.kind, path, f"{one.line()}; last {one.last}", hint, severity=one.severity)


CHECKS: tuple[Callable[[Workspace], Iterator[Problem]], ...] = (
    sqlite_has_full_text,
    bytecode_is_compiled,
    git_is_there,
    home_is_private,
    home_can_be_written,
    setting_is_at_work,
    settings_can_be_read,
    settings_are_known,
    index_is_sound,
    files_are_sound,
    doctrine_is_told,
    repository_was_decided_on,
    distributed.problems,
    agents_are_heard,
    installs_are_current,
    nothing_was_lost,
    project_is_the_one_it_was,
)
