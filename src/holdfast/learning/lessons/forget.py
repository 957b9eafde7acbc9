"""What becomes of lessons when a session is forgotten: its evidence goes, and what nothing else speaks for.

A lesson that says the session's words and that others support, too, is made again of what they said. One that a person
stated or approved is a memory on purpose, and stays. One that stands only because it recurred goes with its memory.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import partial

from holdfast.base import files, rows
from holdfast.continuity.messages import statement
from holdfast.learning.lessons import lesson_table
from holdfast.learning.lessons import model as lessons
from holdfast.learning.lessons import standing as lesson_standing
from holdfast.learning.lessons.model import Evidence, Lesson
from holdfast.memory import audit
from holdfast.records import Memory, Step
from holdfast.sessions.parts import Change, ForgetTarget
from holdfast.workspace import Workspace

_UNDECIDED = ("proposed", "rejected")
# Where the key of a memory may stand that is no more: what was changed, given and shown.
_NAMED_IN = ("updates", "journal", "state/shown")


def forget(words: ForgetTarget) -> Iterator[Change]:
    """Yield the lessons that change, and those that stay because somebody wanted them."""
    workspace = words.workspace
    for one in lesson_standing.every(workspace):
        if not any(_is_from(each, words) for each in one.evidence):
            continue
        place = os.path.relpath(one.path, workspace.home)
        yield Change(Step("redact", place, "what it taught"), partial(_forget, workspace, words))
        if one.status not in _UNDECIDED and _says_its_words(one, words) and _found_alone(workspace, one) is None:
            reason = f"a lesson that somebody wanted, without its quotes; `holdfast forget {one.key}` takes its memory"
            yield Change(Step("keep", place, reason))


def _forget(workspace: Workspace, words: ForgetTarget) -> None:
    """Take its evidence out of every lesson; it is done once, and finds nothing when it is done again."""
    room = lessons.room(workspace.home)
    said = [one for one in lesson_standing.every(workspace) if _says_its_words(one, words)]
    for gone in room.forget(words.agent, words.session):
        lesson_standing.drop_proposal(workspace, gone)
    for one in said:
        there = next((each for each in room.all() if each.path == one.path), None)
        memory = _found_alone(workspace, one)
        if there is not None and (one.status in _UNDECIDED or memory is not None):
            _make_anew(workspace, there, memory)


def _is_from(each: Evidence, words: ForgetTarget) -> bool:
    return (each.agent, each.session) == (words.agent, words.session)


def _says_its_words(one: Lesson, words: ForgetTarget) -> bool:
    """Whether the lesson is worded after what the session said: its first occurrence words a lesson."""
    return bool(one.evidence) and _is_from(one.evidence[0], words)


def _found_alone(workspace: Workspace, one: Lesson) -> Memory | None:
    """Return the memory of a lesson that stands because it recurred; None where somebody stated or approved it."""
    memory = lesson_standing.memory_of(workspace, one)
    is_found = memory is not None and memory.source == lesson_standing.SOURCE and memory.trust == "derived"
    return memory if is_found else None


def _make_anew(workspace: Workspace, one: Lesson, memory: Memory | None) -> None:
    """Make a lesson again of what the other sessions said; its memory goes, and every mention of its key."""
    if memory is not None:
        audit.forgotten(workspace, [workspace.store.remove(memory.scope, memory.key, forget=False)])
        _erase_key(workspace.home, memory.key)
        files.remove(os.path.join(workspace.home, *lesson_table.PLACE))
    files.remove(one.path)
    lesson_standing.drop_proposal(workspace, one)
    for each in one.evidence:
        lesson_standing.occurred(workspace, statement(each.quote), one.project, each, category=one.category)
        made = lessons.room(workspace.home).like(one.project, each)
        if one.status == "rejected" and made is not None:
            lesson_standing.reject(workspace, made)
            lesson_standing.drop_proposal(workspace, made)


def _erase_key(home: str, key: str) -> None:
    """Write over the key wherever it is named, with as many signs, so that whoever adds a line meanwhile loses none.

    A longer key that has it in it is another memory's.
    """
    old = re.compile(rb"(?<![\w-])" + re.escape(key.encode()) + rb"(?![\w-])")
    new = ("forgotten" + "-" * len(key))[: len(key)].encode()
    for place in _NAMED_IN:
        for here, _, names in os.walk(os.path.join(home, place)):
            for path in [os.path.join(here, name) for name in names]:
                if not os.path.islink(path) and old.search(files.read(path)):
                    rows.write_over(path, lambda line: old.sub(new, line))
