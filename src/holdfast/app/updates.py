"""The change history: list what Holdfast changed, moved or removed, show it as a diff, and undo it.

Undoing puts every file back as it was before, if it is still as the act left it; where one is not, nothing changes at
all. It is an update itself, so it can be undone. What was forgotten does not come back.

The record of an undo is written before the first file is put back, and its id stands in `state/undoing.json` until all
of it is done, so that the next command finishes an undo that was killed.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from holdfast.base import files
from holdfast.errors import Conflict, Forgotten, HoldfastError, Refused, StoreBusy
from holdfast.journal import updates as history
from holdfast.journal.updates import Alias, Touched, Update, Updates, digest, undone
from holdfast.memory import audit
from holdfast.memory.audit import Act, bytes_of, is_memory, place_of
from holdfast.privacy.redact import redact
from holdfast.project.registry import add_alias, remove_alias
from holdfast.sessions.browse import span
from holdfast.store import layout, memory_file
from holdfast.workspace import Workspace

COMMAND = "updates undo"
UNDOING = os.path.join("state", "undoing.json")
# Files below these are ours to put back; what an agent or a person keeps elsewhere is not.
_OURS = ("memory/", "proposals/", "learning/", "patterns/")
# Why an act cannot be undone, by how its command begins, and what to do instead.
_OTHERWISE = {
    "forget": "Forgetting is final; store it again with `holdfast remember`.",
    "clear": "Forgetting is final; store it again with `holdfast remember`.",
    "sessions forget": "Forgetting is final.",
    "install": "`holdfast uninstall AGENT` takes out what it put in.",
    "uninstall": "`holdfast install AGENT` puts it in again.",
    "heal redact": "A secret that was taken out is gone.",
    "heal remove": "It was the leftover of a crash.",
    "heal clear": "It was the leftover of a crash.",
    "heal protect": "Change the mode of the file yourself.",
    "prune incidents": "`holdfast harvest` makes an incident again while the events of its session are there.",
    "lesson": "`holdfast forget KEY` takes its memory away.",
}


@dataclass(frozen=True, slots=True)
class ListedUpdate:
    """An update as it is listed: whether it can be undone now, and by which update it is undone already."""

    update: Update
    can_be_undone: bool
    undone_by: str


@dataclass(frozen=True, slots=True)
class UpdateChange:
    """A file of the home as it is and as it would be; None stands for no file."""

    path: str
    now: bytes | None
    then: bytes | None

    @property
    def act(self) -> str:
        """What would be done to the file."""
        return "create" if self.now is None else "remove" if self.then is None else "edit"


@dataclass(frozen=True, slots=True)
class Undo:
    """What undoing these updates would change."""

    ids: tuple[str, ...]
    changes: tuple[UpdateChange, ...]
    aliases: tuple[Alias, ...]


def updates(workspace: Workspace, *, since: str = "", command: str = "", limit: int = 0) -> list[ListedUpdate]:
    """Return the updates since a time, of one command and its parts or of all, newest first; 0 is no limit."""
    start, (found, gone) = span(since, "")[0], _all(workspace)
    listed = [
        ListedUpdate(one, one.can_be_undone and one.id not in gone, gone.get(one.id, ""))
        for one in found
        if one.at >= start and f"{one.command} ".startswith(f"{command} " if command else "")
    ]
    return listed[:limit] if limit else listed


def show(workspace: Workspace, text: str) -> tuple[ListedUpdate, str]:
    """Return the update whose id begins with this, and as a diff what it changed."""
    found, gone = _all(workspace)
    update = history.find(found, text)
    listed = ListedUpdate(update, update.can_be_undone and update.id not in gone, gone.get(update.id, ""))
    return listed, "".join(_changed(workspace, one) for one in update.files)


def plan_undo(workspace: Workspace, names: Sequence[str]) -> Undo:
    """Return what undoing the updates of these ids would change; Conflict where something else changed since."""
    workspace.need_enabled()
    found, gone = _all(workspace)
    wanted = {history.find(found, name).id for name in names}
    # The newest is undone first, so that each finds the files as it left them.
    chosen = [one for one in found if one.id in wanted]
    state: dict[str, bytes | None] = {}
    aliases: list[Alias] = []
    for update in chosen:
        _check(update, gone)
        for one in update.files:
            state[one.path] = _put_back(workspace, one, state)
        aliases += [_turned(workspace, one) for one in reversed(update.aliases)]
    changes = [UpdateChange(path, bytes_of(workspace, path), then) for path, then in state.items()]
    return Undo(tuple(one.id for one in chosen), tuple(one for one in changes if one.now != one.then), tuple(aliases))


def apply_undo(workspace: Workspace, planned: Undo) -> Update | None:
    """Carry the plan out and return the update that it is; where a file changed meanwhile, nothing has changed."""
    workspace.need_enabled()
    note = os.path.join(workspace.home, UNDOING)
    with files.lock_of(workspace.home, "undo"):
        try:
            with Act(workspace, COMMAND, undoes=planned.ids) as act:
                files.write(note, act.id.encode())
                act.begin({one.path: one.then for one in planned.changes}, planned.aliases)
                _swap_all(workspace, planned.changes)
                for one in planned.changes:
                    act.done(one.path, f"as it was before {', '.join(planned.ids)}")
                for alias in planned.aliases:
                    _turn(workspace, alias)
                    act.done(alias.old, f"read in {alias.after} too" if alias.after else "an id of its own again")
        finally:
            files.discard(note)
    audit.trim(workspace)
    return act.update


def finish_interrupted(workspace: Workspace) -> None:
    """Finish an undo that was killed, unless another process is at it; say which files changed since."""
    note = os.path.join(workspace.home, UNDOING)
    try:
        with files.lock_of(workspace.home, "undo", 0.0):
            id = files.read_if_there(note).decode("utf-8", "replace")
            every = Updates(workspace.home).all()[0]
            for record in every:
                # Without a record nothing was put back yet.
                if record.id == id:
                    _put_back_the_rest(workspace, record, [one for one in every if one.id in record.undoes])
            files.discard(note)
    except StoreBusy:
        return


def _put_back_the_rest(workspace: Workspace, record: Update, undone_ones: list[Update]) -> None:
    """Put back what a killed undo had not reached."""
    # The oldest comes last, and what it says is what each file was before all of them.
    then = {one.path: one for update in undone_ones for one in update.files}
    for one in record.files:
        now, kept = bytes_of(workspace, one.path), then.get(one.path)
        if digest(now) == one.after:
            continue
        if digest(now) != one.before or kept is None or not kept.can_come_back or not one.path.startswith(_OURS):
            workspace.say(f"{one.path} changed since an undo was interrupted, and was left as it is")
            continue
        text = None if kept.text is None else kept.text.encode("utf-8")
        with suppress(HoldfastError):
            _swap(workspace, UpdateChange(one.path, now, text))
    for alias in record.aliases:
        _turn(workspace, alias)
    workspace.say(f"the undo of {', '.join(record.undoes)}, which was interrupted, is done")


def _turn(workspace: Workspace, alias: Alias) -> None:
    if alias.after:
        add_alias(workspace.registry, alias.old, alias.after)
    else:
        remove_alias(workspace.registry, alias.old)


def diff(changes: Sequence[UpdateChange]) -> str:
    """Return the changes as one unified diff, without the secrets of the lines that it shows."""
    return "".join(diff_of(one.path, one.now, one.then) for one in changes)


def _all(workspace: Workspace) -> tuple[list[Update], dict[str, str]]:
    found, broken = Updates(workspace.home).all()
    for path in broken:
        workspace.say(f"{path} cannot be read as an update and is passed over")
    return found, undone(found)


def _check(update: Update, gone: dict[str, str]) -> None:
    """Refuse an update that cannot be undone, with the reason and the way out."""
    if update.id in gone:
        by = gone[update.id]
        raise Conflict(f"{update.id} was already undone, by {by}", f"`holdfast updates undo {by}` does it again.")
    if update.can_be_undone:
        return
    if update.files:
        raise Refused(
            f"{update.id} cannot be undone: the earlier contents of its files were not kept", "See updates.keep_bytes."
        )
    hints = [hint for start, hint in _OTHERWISE.items() if f"{update.command} ".startswith(f"{start} ")]
    raise Refused(f"{update.id} ({update.command}) cannot be undone: no earlier contents were kept", "".join(hints[:1]))


def _put_back(workspace: Workspace, one: Touched, state: dict[str, bytes | None]) -> bytes | None:
    """Return the bytes that the file gets back, if it is as the act left it and was not forgotten since."""
    if not one.path.startswith(_OURS):
        raise Refused(f"{one.path} is not a file that Holdfast puts back", "Change it yourself.")
    if digest(state[one.path] if one.path in state else bytes_of(workspace, one.path)) != one.after:
        raise Conflict(f"{one.path} changed since; nothing was changed", "Look at it with `holdfast updates show`.")
    if one.text is None:
        return None
    if digest(one.text.encode("utf-8")) != one.before:
        raise Conflict(f"the record of {one.path} was changed; nothing was changed", "Write the file yourself.")
    if is_memory(one.path):
        memory = memory_file.read(one.text, place_of(workspace, one.path))[0]
        if workspace.store.forgot(memory.scope, memory.key, memory.body):
            hint = "Store it with `holdfast remember` if it holds again."
            raise Forgotten(f"{one.path} was forgotten since", hint)
    return one.text.encode("utf-8")


def _turned(workspace: Workspace, alias: Alias) -> Alias:
    meant = workspace.registry.known().canonical(alias.old)
    if (meant if meant != alias.old else "") != alias.after:
        raise Conflict(f"the project id {alias.old} means another project by now", "`holdfast project` explains it.")
    return Alias(alias.old, alias.after, alias.before)


def _swap_all(workspace: Workspace, changes: Sequence[UpdateChange]) -> None:
    """Put all files back; where one changed at this very moment, those before it are taken back."""
    done: list[UpdateChange] = []
    try:
        for one in changes:
            _swap(workspace, one)
            done.append(one)
    except BaseException:
        for one in reversed(done):
            _swap(workspace, UpdateChange(one.path, one.then, one.now))
        raise


def _swap(workspace: Workspace, one: UpdateChange) -> None:
    if is_memory(one.path):
        workspace.store.tree.swap(one.path.removeprefix("memory/"), one.now, one.then)
        return
    if bytes_of(workspace, one.path) != one.now:
        raise Conflict(f"{one.path} changed meanwhile", "Look at it, then try again.")
    whole = layout.contained(workspace.home, one.path)
    if one.then is None:
        files.remove(whole)
    else:
        files.make_folder(whole.rpartition("/")[0])
        files.write(whole, one.then)


def _changed(workspace: Workspace, one: Touched) -> str:
    """Return what became of a file as a diff, against what it is now where that is all there is."""
    now = bytes_of(workspace, one.path)
    since = "" if digest(now) == one.after else f"# {one.path} changed since; this is what it is now\n"
    if not one.can_come_back:
        return f"# {one.path}: its earlier contents were not kept\n"
    return since + diff_of(one.path, None if one.text is None else one.text.encode("utf-8"), now)


def diff_of(path: str, before: bytes | None, after: bytes | None) -> str:
    """Return what changed in one file as a unified diff, without the secrets of the lines that it shows."""
    old, new = ("/dev/null" if data is None else path for data in (before, after))
    lines = difflib.unified_diff(_lines(before), _lines(after), old, new, n=2)
    return "".join(redact(line)[0] for line in lines)


def _lines(data: bytes | None) -> list[str]:
    lines = (data or b"").decode("utf-8", "replace").splitlines(keepends=True)
    return [line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines]
