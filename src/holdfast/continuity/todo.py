"""The to-dos of a project: check boxes in `todo.md`. Add, list, tick, open again and remove them.

A number counts the check boxes of the page. What it meant on the screen is kept in `state/listings/`, by terminal, so
that it is refused when the page changed and it means another line now. Losing that file costs only this check.

Words name the to-do that says all of them, in any order, each as a whole word. Where a script puts no spaces between
words, nobody can tell where one ends, so there any part of the text counts.
"""

from __future__ import annotations

import difflib
import os
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

from holdfast.base import files
from holdfast.base.clock import now
from holdfast.continuity import notes, pages, region
from holdfast.continuity.check_boxes import Todo
from holdfast.errors import BadInput, Conflict, HoldfastError, NotFound
from holdfast.privacy.fence import harmless_line
from holdfast.records import Step
from holdfast.store.words import words_of
from holdfast.workspace import Workspace

_MAX_LISTINGS = 20
_MAX_NAMED = 5
_MAX_COMPARED, _MAX_WORDS = 500, 30
_ALIKE = 0.75
# What people put around a word, and what is no part of it.
_BEFORE_A_WORD, _BEHIND_A_WORD = "\"'([{«„“‘`*", ".,;:!?…\"')]}»“”’`*"
_ID = re.compile("t[0-9a-f]{5}")


@dataclass(frozen=True, slots=True)
class TodoChange:
    """The answer to a change: what was done to which boxes, and the kinds of secret that were taken out."""

    action: str
    todos: tuple[Todo, ...]
    path: str
    redacted: tuple[str, ...] = ()


def todos(workspace: Workspace, *, everything: bool = False) -> tuple[Todo, ...]:
    """Return the open check boxes of the page, or with `everything` all; none where memory is switched off."""
    return tuple(todo for todo in _every(workspace) if everything or not todo.done)


def show(workspace: Workspace, *, everything: bool = False) -> tuple[Todo, ...]:
    """Return the same for a person to read, and keep what each number means on the screen."""
    found = _every(workspace)
    try:
        if found:
            # The ids in the order of their numbers, one line a listing; trouble costs only the check of a number.
            place = _listings(workspace)
            with region.lock_of(notes.folders(workspace)[0], "listings"):
                kept = files.read_if_there(place).decode("ascii", "replace").splitlines()[1 - _MAX_LISTINGS :]
                lines = [*kept, " ".join([str(os.getsid(0)), *(todo.id for todo in found)])]
                files.put(place, ("\n".join(lines) + "\n").encode("ascii", "replace"), durable=False)
    except HoldfastError as problem:
        workspace.say(f"the numbers of this list are not kept: {problem}")
    return tuple(todo for todo in found if everything or not todo.done)


def add(workspace: Workspace, text: str, *, by: str = "") -> TodoChange:
    """Add an open box at the end of the page, with the agent that says it; the same words stay one box."""
    workspace.need_enabled()
    (said, _, agent), kinds = notes.without_secrets(workspace, text, source=by)
    todo, is_new = pages.add_todo(notes.folders(workspace), said, agent)
    notes.remember_project(workspace)
    return TodoChange("added" if is_new else "unchanged", (todo,), path(workspace), kinds)


def done(workspace: Workspace, names: tuple[str, ...], *, numbers: bool = True) -> TodoChange:
    """Tick boxes by number, id or words, all or none. `numbers=False` takes a number for a word."""
    wanted = _wanted(workspace, names, lambda todo: not todo.done, numbers)
    closed = pages.close_todos(notes.folders(workspace), tuple(todo.id for todo in wanted), now()[:10])
    return TodoChange("unchanged" if all(todo.done for todo in wanted) else "done", closed, path(workspace))


def reopen(workspace: Workspace, names: tuple[str, ...], *, numbers: bool = True) -> TodoChange:
    """Open boxes again by number, id or words, all or none."""
    wanted = _wanted(workspace, names, lambda todo: todo.done, numbers)
    opened = pages.reopen_todos(notes.folders(workspace), tuple(todo.id for todo in wanted))
    return TodoChange("reopened" if any(todo.done for todo in wanted) else "unchanged", opened, path(workspace))


def plan_remove(workspace: Workspace, names: tuple[str, ...]) -> tuple[tuple[Todo, ...], list[Step]]:
    """Return the boxes whose lines would be taken out, and the steps; one with text of its own is refused already."""
    wanted = _wanted(workspace, names, lambda todo: True, numbers=True)
    pages.check_removable(notes.folders(workspace), tuple(todo.id for todo in wanted))
    return wanted, [Step("remove", f"{pages.PAGES[pages.TODO]} {todo.id}", todo.text) for todo in wanted]


def remove(workspace: Workspace, wanted: tuple[Todo, ...]) -> None:
    """Take out the lines of the plan."""
    workspace.need_enabled()
    pages.remove_todos(notes.folders(workspace), tuple(todo.id for todo in wanted))


def path(workspace: Workspace) -> str:
    """Return where the page lies."""
    return notes.path_of(workspace, pages.PAGES[pages.TODO])


def _every(workspace: Workspace) -> tuple[Todo, ...]:
    return pages.todos(notes.folders(workspace)) if workspace.enabled else ()


def _wanted(
    workspace: Workspace, names: tuple[str, ...], fits: Callable[[Todo], bool], numbers: bool
) -> tuple[Todo, ...]:
    """Return the boxes that were named: each by its number or id, or one by the words that were given."""
    workspace.need_enabled()
    if not " ".join(names).strip():
        raise BadInput("which to-do?", "Give its number, its id or some of its words.")
    every = _every(workspace)
    by_id = {todo.id: todo for todo in every}
    named = [name.strip().lower() for name in names]
    # An id may be that of a to-do that is gone, but not a word such as "tabbed" that one says.
    gone = {name for name in named if _ID.fullmatch(name) and not any(_says(_folded(one.text), name) for one in every)}
    if all(name in by_id or (numbers and name.isdecimal()) or name in gone for name in named):
        shown = _last_listing(workspace)
        return tuple(dict.fromkeys(by_id.get(name) or _numbered(every, name, shown) for name in named))
    return (_by_words(every, " ".join(names), fits),)


def _numbered(every: tuple[Todo, ...], name: str, shown: list[str]) -> Todo:
    """Return the box of that number, if it is still the one that the last listing showed under it."""
    number = int(name) if name.isdecimal() and len(name) < 10 else 0
    if not 0 < number <= len(every):
        raise NotFound(f"there is no to-do {name[:40]!a} in {pages.PAGES[pages.TODO]}", "`holdfast todo` lists them.")
    found = every[number - 1]
    if shown and (number > len(shown) or shown[number - 1] != found.id):
        raise Conflict(
            f"the page changed since it was listed, and {number} is now {found.id}: {found.text}",
            f"Look again with `holdfast todo`, or give the id: holdfast todo done {found.id}",
        )
    return found


def _by_words(every: tuple[Todo, ...], words: str, fits: Callable[[Todo], bool]) -> Todo:
    said = " ".join(_folded(words).split())
    fitting = [todo for todo in every if fits(todo)]
    found = [todo for todo in fitting if " ".join(_folded(todo.text).split()) == said]
    each = [word.lstrip(_BEFORE_A_WORD).rstrip(_BEHIND_A_WORD) or word for word in said.split()]
    found = found or [todo for todo in fitting if all(_says(_folded(todo.text), word) for word in each)]
    if not found:
        near = _named([todo for todo in every[:_MAX_COMPARED] if _is_near(_folded(todo.text), each)])
        hint = f"Near it: {near}. Give an id." if near else "`holdfast todo --all` lists them, each with its id."
        raise NotFound(f"no to-do here says {words[:60]!a}", hint)
    if len(found) > 1:
        raise BadInput(f"{len(found)} to-dos say that: {_named(found)}", "Give the id of the one that you mean.")
    return found[0]


def _named(found: list[Todo]) -> str:
    return "; ".join(
        f"{todo.id} {harmless_line(todo.text, 60)}{' (done)' if todo.done else ''}" for todo in found[:_MAX_NAMED]
    )


def _folded(text: str) -> str:
    """Return the text as it is compared: neither case nor the way a letter was typed counts."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def _says(text: str, word: str) -> bool:
    """Whether the word stands in the text, not within another one."""
    at = text.find(word)
    while at >= 0:
        if not _is_within_a_word(text, at) and not _is_within_a_word(text, at + len(word)):
            return True
        at = text.find(word, at + 1)
    return False


def _is_within_a_word(text: str, place: int) -> bool:
    if not 0 < place < len(text):
        return False
    return _is_mark(text[place]) or (_goes_on(text[place - 1]) and _goes_on(text[place]))


def _goes_on(letter: str) -> bool:
    """Whether a word goes on from this letter to the next; of a script without spaces none does."""
    return bool(words_of(letter)) or _is_mark(letter)


def _is_mark(letter: str) -> bool:
    """Whether the letter is an accent or a vowel sign of the one before it."""
    return not letter.isascii() and unicodedata.category(letter)[0] == "M"


def _is_near(text: str, words: list[str]) -> bool:
    there = text.split()[:_MAX_WORDS]
    wanted = words[:_MAX_WORDS]
    return any(word in text or difflib.get_close_matches(word, there, n=1, cutoff=_ALIKE) for word in wanted)


def _last_listing(workspace: Workspace) -> list[str]:
    """Return the ids of the last listing in this terminal, or else of the last one anywhere."""
    lines = files.read_if_there(_listings(workspace)).decode("ascii", "replace").splitlines()
    rows = [line.split(" ") for line in lines]
    own = [row for row in rows if row[0] == str(os.getsid(0))]
    return (own or rows or [[""]])[-1][1:]


def _listings(workspace: Workspace) -> str:
    return os.path.join(workspace.home, "state", "listings", workspace.project().id)
