"""Heal: repair what is safe to repair. A plan first; an audit line for each act."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress

from holdfast.base import files
from holdfast.errors import Conflict, HoldfastError
from holdfast.memory import audit, lint, move, settled
from holdfast.memory.remember import WHOSE
from holdfast.privacy import redact
from holdfast.records import TRUSTS, Filter, Step
from holdfast.store import layout
from holdfast.store.words import same_words
from holdfast.workspace import Workspace

_OTHERS = 0o077
# The ending of a bare repository of ours. Its objects are reported as one.
_REPOSITORY = ".git"
# What is done about each kind of problem. Kinds that are not here need a person's judgement.
SAFE = {
    "secret": "redact",
    "leftover": "remove",
    "duplicate": "merge",
}
# A write takes far less time: a file older than this has lost its writer.
_FINISHED_SECONDS = 3_600


def plan(workspace: Workspace) -> list[Step]:
    """Return the safe repairs for what lint finds, one step a file and act, and files that others can read."""
    workspace.need_enabled()
    found = [one for one in settled.standing(workspace, lint.find(workspace)) if one.kind in SAFE]
    whose = {memory.path: WHOSE[memory.trust] for memory in workspace.store.find(Filter(None))} if found else {}
    steps = [
        Step(SAFE[one.kind], one.path, f"{one.text} ({whose[one.path]})" if one.path in whose else one.text)
        for one in found
    ]
    gone = {os.path.join("memory", problem.path) for problem in found if SAFE[problem.kind] == "remove"}
    left = [path for path in _leftovers(workspace.home) if path not in gone]
    steps += [Step("clear", path, "a write was interrupted here") for path in left]
    steps += [
        Step("protect", path, "others can read it")
        for path in (os.path.relpath(path, workspace.home) for path in open_to_others(workspace.home))
        if path not in gone and path not in left
    ]
    return list({(step.act, step.target): step for step in steps}.values())


def apply(workspace: Workspace, steps: list[Step]) -> list[Step]:
    """Do the steps and return those that were done; a failure is reported and does not stop the others."""
    done = []
    for step in steps:
        try:
            # A secret must not get into the history, and a merge alone is worth undoing.
            with audit.Act(workspace, f"heal {step.act}", keep=step.act == "merge") as act:
                _ACTS[step.act](workspace, step)
                act.done(step.target, step.reason)
        except FileNotFoundError:
            workspace.say(f"{step.target}: it is gone already")
            continue
        except (HoldfastError, OSError) as problem:
            workspace.say(f"{step.target}: {getattr(problem, 'strerror', None) or problem}")
            continue
        done.append(step)
    if any(step.act == "redact" for step in done):
        audit.redacted(workspace)
    audit.trim(workspace)
    # What was taken out of a file must be gone from the index and the pages too when we say so.
    workspace.refresh(None)
    workspace.store.erase_traces()
    return done


def _redact(workspace: Workspace, step: Step) -> None:
    path = layout.contained(workspace.store.tree.root, step.target)
    text, _ = redact.redact(files.read(path).decode("utf-8", "surrogateescape"))
    files.write(path, text.encode("utf-8", "surrogateescape"))


def _leftovers(home: str) -> list[str]:
    """Return the files that killed writers left, relative to the home. No link is followed."""
    before = time.time() - _FINISHED_SECONDS
    found = []
    signals = os.path.join(home, "archive", "signals")
    for path in (*files.leftovers(home), *files.leftovers(signals)):
        # A writer may finish at this moment.
        with suppress(FileNotFoundError):
            if files.is_of_dead(path) or os.lstat(path).st_mtime < before:
                found.append(os.path.relpath(path, home))
    return sorted(found)


def _merge(workspace: Workspace, step: Step) -> None:
    """Keep one of two that say the same, with the tags, the pin and the history of both; links follow to it."""
    memories = list(workspace.store.find(Filter(None)))
    extra = next((memory for memory in memories if memory.path == step.target), None)
    others = [memory for memory in memories if extra and memory.scope == extra.scope and memory.path != extra.path]
    same = [memory for memory in others if extra and same_words(memory.body) == same_words(extra.body)]
    if extra is None or not same:
        raise Conflict("it has no duplicate any more", "Run `holdfast lint` again.")
    namesakes = [memory for memory in same if memory.key == extra.key]
    kept = min(namesakes or same, key=lambda memory: memory.path)
    if namesakes:
        answering = workspace.store.get(kept.scope, kept.key).path
        for path in {kept.path, extra.path} - {answering}:
            workspace.store.tree.swap(path, files.read(layout.contained(workspace.store.tree.root, path)), None)
        return
    if TRUSTS.index(extra.trust) < TRUSTS.index(kept.trust):
        # A copy of a stronger statement does not take over its strength.
        kept, extra = extra, kept
    naming = move.naming(workspace, extra, extra.scope)
    kept, extra = workspace.store.get(kept.scope, kept.key), workspace.store.get(extra.scope, extra.key)
    by_text = {statement.text: statement for statement in (*extra.history, *kept.history)}
    workspace.store.change(
        kept.scope,
        kept.key,
        tags=tuple(dict.fromkeys((*kept.tags, *extra.tags))),
        pinned=kept.pinned or extra.pinned,
        history=tuple(sorted(by_text.values(), key=lambda statement: statement.at, reverse=True)),
    )
    workspace.store.remove(extra.scope, extra.key, forget=False)
    move.follow(workspace, naming, extra.key, kept.key)


def open_to_others(home: str) -> list[str]:
    """Return the files and folders of the home that other users could read; a git repository of ours is one."""
    found = []
    for folder, names, here in os.walk(home):
        # Hidden folders belong to other programs: git and Obsidian keep modes of their own.
        names[:] = [name for name in names if not name.startswith(".")]
        for full in [*([folder] if folder == home else []), *(os.path.join(folder, name) for name in (*names, *here))]:
            if not os.path.islink(full) and os.stat(full).st_mode & _OTHERS:
                above, is_within, _ = full[len(home) :].partition(f"{_REPOSITORY}{os.sep}")
                found.append(f"{home}{above}{_REPOSITORY}" if is_within else full)
    return list(dict.fromkeys(found))


def close_to_others(path: str) -> None:
    """Take the rights of all others from the path, or all of a repository; the person's own stay as they are."""
    walked = os.walk(path) if path.endswith(_REPOSITORY) else ()
    for one in [path, *(os.path.join(folder, name) for folder, names, here in walked for name in (*names, *here))]:
        os.chmod(one, os.stat(one).st_mode & 0o777 & ~_OTHERS)


_ACTS: dict[str, Callable[[Workspace, Step], None]] = {
    "redact": _redact,
    "merge": _merge,
    "remove": lambda workspace, step: files.remove(layout.contained(workspace.store.tree.root, step.target)),
    "clear": lambda workspace, step: files.remove(layout.contained(workspace.home, step.target)),
    "protect": lambda workspace, step: close_to_others(os.path.join(workspace.home, step.target)),
}
