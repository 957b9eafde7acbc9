"""Heal: repair what is safe to repair. A plan first; an audit line for each act."""

from __future__ import annotations

import os

from holdfast.actions import audit
from holdfast.actions.house import House
from holdfast.actions.lint import lint
from holdfast.capture import redact
from holdfast.errors import HoldfastError
from holdfast.records import Problem, Step
from holdfast.store import files, layout
from holdfast.store.base import Filter

# What is done about each kind of problem. Kinds that are not here need a person's judgement.
SAFE = {
    "secret": "redact",
    "leftover": "remove",
    "duplicate": "merge",
    "mode": "protect",
}


def plan(house: House) -> list[Step]:
    """Return the safe repairs for what lint finds, one step a file and act, and files that others can read."""
    house.need_enabled()
    problems = [*lint(house), *_open_to_others(house)]
    steps = [Step(SAFE[p.kind], p.path, p.text) for p in problems if p.kind in SAFE]
    return list({(step.act, step.target): step for step in steps}.values())


def apply(house: House, steps: list[Step]) -> list[Step]:
    """Do the steps; return those that were done. One that fails is told and does not stop the others."""
    done = []
    for step in steps:
        try:
            _ACTS[step.act](house, step)
        except (HoldfastError, OSError) as problem:
            house.say(f"{step.target}: {problem}")
            continue
        audit.note(house, f"heal {step.act}", step.target, step.reason)
        done.append(step)
    return done


def _redact(house: House, step: Step) -> None:
    path = layout.contained(house.store.root, step.target)
    text, _ = redact.redact(files.read(path).decode("utf-8"))
    files.write(path, text.encode("utf-8"))


def _remove(house: House, step: Step) -> None:
    files.remove(layout.contained(house.store.root, step.target))


def _merge(house: House, step: Step) -> None:
    """Keep one of two that say the same, with the tags of both."""
    memories = list(house.store.find(Filter(None)))
    extra = next(memory for memory in memories if memory.path == step.target)
    same = [
        m for m in memories if m.scope == extra.scope and m.path != extra.path and _says(m.body) == _says(extra.body)
    ]
    if not same or extra.pinned:
        return
    kept = min(same, key=lambda memory: memory.path)
    tags = tuple(dict.fromkeys((*kept.tags, *extra.tags)))
    house.store.change(kept.scope, kept.key, tags=tags)
    if extra.key == kept.key:
        files.remove(layout.contained(house.store.root, extra.path))
    else:
        house.store.remove(extra.scope, extra.key, forget=False)


def _protect(house: House, step: Step) -> None:
    full = os.path.join(house.home, step.target)
    os.chmod(full, files.FOLDER_MODE if os.path.isdir(full) else files.FILE_MODE)


def _says(text: str) -> str:
    return " ".join(text.casefold().split())


def _open_to_others(house: House) -> list[Problem]:
    """Files and folders of the home that other users of the machine could read."""
    found = []
    for folder, names, here in os.walk(house.home):
        for name in [*(n for n in names), *here, *([""] if folder == house.home else [])]:
            full = os.path.join(folder, name) if name else folder
            if not os.path.islink(full) and os.stat(full).st_mode & 0o077:
                found.append(Problem("mode", os.path.relpath(full, house.home), "others can read it"))
    return found


_ACTS = {"redact": _redact, "remove": _remove, "merge": _merge, "protect": _protect}
