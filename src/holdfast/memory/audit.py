"""Writing the change history: what a command changed, moved or removed, with what it takes to undo it.

An act is a `with` block. Each thing that it did gets a line on the page of the month at once; when the block ends, one
record has all of it. The store tells which files change; for other files of the home the command calls `look_at`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from holdfast.base import files
from holdfast.errors import HoldfastError, NotFound
from holdfast.journal.updates import Alias, Touched, Update, Updates, digest
from holdfast.privacy import redact
from holdfast.records import Memory, Scope
from holdfast.store import layout, memory_file
from holdfast.store.tombstones import Burials
from holdfast.store.words import same_words
from holdfast.workspace import Workspace

# For a file larger than this only the digest is kept.
MAX_KEPT = 1_048_576
_MIN_TELLING = 3
_HALF_WAY = "it stopped half-way"


class Act:
    """One act of a command. With `keep` it keeps what files were before, so that it can be undone."""

    def __init__(self, workspace: Workspace, command: str, *, keep: bool = True, undoes: tuple[str, ...] = ()) -> None:
        self.workspace, self.command, self.undoes = workspace, command, undoes
        self.id, self.at = os.urandom(4).hex(), datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        self.update: Update | None = None
        self._keep = keep and workspace.store.has_tree
        self._targets: dict[str, str] = {}
        self._before: dict[str, bytes | None] = {}
        self._aliases: list[Alias] = []
        self._begun: Update | None = None

    def __enter__(self) -> Act:
        if self._keep:
            self.workspace.store.tree.before_change = lambda path: self.look_at(f"memory/{path}")
        return self

    def __exit__(self, kind: object, problem: BaseException | None, trace: object) -> None:
        if self._keep:
            self.workspace.store.tree.before_change = None
        touched = self._touched()
        if kind is not None and touched:
            self.done(", ".join(one.path for one in touched[:3]), _HALF_WAY)
        if self._targets:
            self._write(touched)
        elif self._begun:
            Updates(self.workspace.home).remove(self._begun)

    def done(self, target: str, reason: str) -> None:
        """Write down one thing that the act did."""
        if not self.workspace.has_home:
            # A hub's database writes down every change itself.
            return
        target, reason = (redact.redact(" ".join(text.split()))[0] for text in (target, reason))
        self._targets[target] = reason
        line = f"- {self.at[:19]}Z {self.command} `{target}`: {reason} ({self.id})"
        Updates(self.workspace.home).add_line(self.at, line)

    def look_at(self, path: str) -> None:
        """Remember what the file, below the home, is now: it is about to change."""
        if self._keep and path not in self._before:
            self._before[path] = bytes_of(self.workspace, path)

    def begin(self, then: Mapping[str, bytes | None], aliases: Sequence[Alias]) -> None:
        """Write the record before the act, with what each file will be. It goes again where the act left no trace."""
        for path in then:
            self.look_at(path)
        self._aliases += aliases
        self._begun = self._record(self._touched(then), tuple(then), self.command)
        Updates(self.workspace.home).add(self._begun)

    def alias(self, old: str, before: str, after: str) -> None:
        """Write down that an id of a project means another one now."""
        if before != after:
            self._aliases.append(Alias(old, before, after))

    def _touched(self, then: Mapping[str, bytes | None] | None = None) -> tuple[Touched, ...]:
        """Return the files that are, or will be, another than before."""
        found, room = [], self.workspace.settings.number("updates.keep_bytes")
        for path, before in self._before.items():
            after = bytes_of(self.workspace, path) if then is None else then[path]
            if before != after:
                text = _kept(before, room)
                room -= len(before or b"") if text is not None else 0
                found.append(Touched(path, digest(before), digest(after), text))
        return tuple(found)

    def _write(self, touched: tuple[Touched, ...]) -> None:
        reasons = list(dict.fromkeys(self._targets.values()))
        reason = reasons[0] if len(reasons) == 1 else f"{reasons[0]}, and {len(reasons) - 1} more reasons"
        self.update = self._record(touched, tuple(self._targets), reason)
        Updates(self.workspace.home).add(self.update)

    def _record(self, touched: tuple[Touched, ...], targets: tuple[str, ...], reason: str) -> Update:
        return Update(
            *(self.id, self.at, self.command, targets, reason, self.workspace.profile, self.workspace.session),
            *(_project(self.workspace, touched), touched, tuple(self._aliases), self.undoes),
        )


def _kept(before: bytes | None, room: int) -> str | None:
    """Return the text to keep of a file, unless it is large, binary or secret, or there is no room for it."""
    if before is None or len(before) > min(MAX_KEPT, room):
        return None
    try:
        text = before.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return None if redact.redact(text)[1] else text


def note(workspace: Workspace, command: str, target: str, reason: str) -> None:
    """Write down one act that cannot be undone."""
    with Act(workspace, command, keep=False) as act:
        act.done(target, reason)


def trim(workspace: Workspace) -> None:
    """Keep what the history has of earlier bytes within its budget. A command calls it once, after its acts."""
    if workspace.has_home:
        Updates(workspace.home).trim(workspace.settings.number("updates.keep_bytes"))


def forgotten(workspace: Workspace, memories: Sequence[Memory]) -> None:
    """Take every byte of memories that were forgotten out of the history: forgetting is final."""
    if not workspace.has_home:
        return
    history = Updates(workspace.home)
    names = {_name(f"memory/{layout.folder_of(memory.scope)}/{memory.key}.md") for memory in memories}
    for update in history.all()[0]:
        names |= {_name(path) for path in _came_from(update, names)}
    said = {memory.scope: _statements(memory) for memory in memories}
    for memory in memories:
        said[memory.scope] |= _statements(memory)
    history.drop(lambda path, text: _name(path) in names or _says(workspace, path, text, said))


def buried(workspace: Workspace, graves: Mapping[Scope, Burials]) -> None:
    """Take what another machine forgot out of the history and the index, also where no memory of it is left here."""

    def is_gone(path: str, text: str) -> bool:
        scope = layout.scope_of(path.removeprefix("memory/"))
        if scope is None or scope not in graves:
            return False
        said = (part.strip() for line in text.splitlines() for part in (line, *line.split("|")))
        if is_memory(path):
            memory = memory_file.read(text, place_of(workspace, path))[0]
            said = (each for each in (memory.body, *(earlier.text for earlier in memory.history)))
        return graves[scope].has_any(said)

    Updates(workspace.home).drop(is_gone)
    workspace.refresh(None)
    for passages in (False, True):
        workspace.store.erase_traces(passages=passages)


def _name(path: str) -> tuple[str, str]:
    """Return the folder of the scope that a file of the home lies in, and its name: together they are a memory's."""
    scope = layout.scope_of(path.removeprefix("memory/"))
    return (layout.folder_of(scope) if scope is not None else "", os.path.basename(path))


def _came_from(update: Update, names: set[tuple[str, str]]) -> list[str]:
    """Return where the files of these names were before the act moved them."""
    made = {os.path.basename(one.path) for one in update.files if not one.before and _name(one.path) in names}
    went = [one.path for one in update.files if not one.after] if made else []
    return went if len(went) == 1 else [path for path in went if os.path.basename(path) in made]


def _statements(memory: Memory) -> set[str]:
    texts = (memory.body, *(earlier.text for earlier in memory.history))
    return {same_words(text) for text in texts if text.strip()}


def _says(workspace: Workspace, path: str, text: str, said: dict[Scope, set[str]]) -> bool:
    """Whether a text of the history says one of the statements, as a memory or anywhere in another file.

    What was forgotten in one project is another project's own. A word or two, anybody may say on a page.
    """
    own = layout.scope_of(path.removeprefix("memory/"))
    is_project = own is not None and own.kind == "project"
    meant = {
        one
        for scope, each in said.items()
        if not (is_project and scope.kind == "project" and scope != own)
        for one in each
    }
    if is_memory(path):
        memory = memory_file.read(text, place_of(workspace, path))[0]
        return not meant.isdisjoint(_statements(memory))
    words = same_words(text)
    return any(statement in words for statement in meant if statement.count(" ") + 1 >= _MIN_TELLING)


def redacted(workspace: Workspace) -> None:
    """Take out of the history what is known to hold a secret by now."""
    Updates(workspace.home).drop(lambda path, text: bool(redact.redact(text)[1]))


def is_memory(path: str) -> bool:
    """Whether the path, below the home, is that of a memory."""
    inner = path.removeprefix("memory/")
    folder, _, name = inner.rpartition("/")
    scope = layout.scope_of(inner)
    if inner == path or scope is None:
        return False
    is_own = layout.is_scope_folder(folder)
    # Logs, data and everything else in a scope's folder are pages.
    if not is_own and not inner.startswith(f"{layout.folder_of(scope)}/{layout.MEMORIES}/"):
        return False
    return layout.is_memory_file(name, in_scope_folder=is_own)


def place_of(workspace: Workspace, path: str) -> memory_file.FilePlace:
    """Return what the path of a memory, below the home, tells about it."""
    return workspace.store.tree.place(path.removeprefix("memory/"))


def bytes_of(workspace: Workspace, path: str) -> bytes | None:
    """Return the bytes of a file below the home, or None where none may be read."""
    try:
        return files.read(layout.contained(workspace.home, path))
    except NotFound:
        return None


def _project(workspace: Workspace, touched: tuple[Touched, ...]) -> str:
    """Return the project whose files were touched, or else the one that the command was run in."""
    scopes = [layout.scope_of(one.path.removeprefix("memory/")) for one in touched if one.path.startswith("memory/")]
    for scope in scopes:
        if scope is not None and scope.kind == "project":
            return scope.owner
    try:
        return workspace.project().id
    except HoldfastError:
        return ""
