"""The pages of a project: the to-dos of `todo.md`, and the rows of `decisions.md` and `lessons.md` (see `views`).

Identity: one page of each kind for each project. They are the person's Markdown; a call changes only the line that it
is about, or adds one, and every other byte stays, whatever its encoding and line ends. Atomic: a page is replaced
whole, under a lock of its project, so that of two calls at once none is lost. Nothing is removed but by `remove_todos`:
what is done is ticked. Callers hand in texts without secrets; they become one harmless line.

`folders` are that of the project and those of its earlier ids. Where it has no page yet, theirs is read and goes along.
"""

from __future__ import annotations

import os

from holdfast.continuity import region
from holdfast.continuity.check_boxes import Boxes, Lines, Todo, attributed, unattributed
from holdfast.continuity.note_tables import Columns, Note, Table
from holdfast.errors import BadInput, BrokenFile, Conflict, NotFound, TooLarge
from holdfast.privacy.fence import harmless_line
from holdfast.store.kinds import STRIKE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    T = TypeVar("T")

TODO, DECISION, LESSON = "todo", "decision", "lesson"
PAGES = {TODO: "todo.md", DECISION: "decisions.md", LESSON: "lessons.md"}
MAX_TEXT = 1_000
MAX_BECAUSE = 2_000
_TITLES = {TODO: "# To do"}
COLUMNS = {
    DECISION: Columns("D", "Decision", "Because"),
    LESSON: Columns("L", "Lesson", "What went wrong", "Source"),
}
# What stands in the record of a decision beside the decision.
_AROUND = frozenset(
    (
        *("alternative", "alternatives", "con", "cons", "consequence", "consequences", "considered", "context", "date"),
        *("deciders", "drivers", "link", "links", "option", "options", "problem", "pro", "pros", "status"),
    )
)


def todos(folders: tuple[str, ...]) -> tuple[Todo, ...]:
    """Return every check box of the page, open and closed, in its order."""
    return tuple(Boxes(region.writable_page(PAGES[TODO], folders)[1]).todos)


def notes(folders: tuple[str, ...], kind: str) -> tuple[Note, ...]:
    """Return every row of our table of a kind, DECISION or LESSON, also those that hold no longer."""
    return tuple(Table(region.writable_page(PAGES[kind], folders)[1], COLUMNS[kind]).notes)


def listed(text: str, kind: str) -> tuple[str, ...]:
    """Return the items of lists that a person keeps on such a page outside of our region, but for those struck out."""
    before, _, behind = region.parts(text, f"{kind}s")
    lines = Lines(f"{before}\n{behind}")
    found: list[str] = []
    is_around = False
    for line, is_hidden in zip(lines.every, lines.hidden, strict=True):
        if line.startswith("#") and not is_hidden:
            is_around = _label(line.lstrip("# ")) in _AROUND
        elif not (is_hidden or is_around or STRIKE in line) and region.is_item(line):
            found += [one for one in region.entries([line]) if not one.startswith("[") and _label(one) not in _AROUND]
    return tuple(found)


def _label(text: str) -> str:
    """Return the word that a line begins with where that is all it says, or where a colon stands behind it."""
    return text.partition(":")[0].strip("*_ \r\n").casefold()


def add_todo(folders: tuple[str, ...], text: str, by: str = "") -> tuple[Todo, bool]:
    """Add a check box at the end of the page and return it, and whether it is new: the same words stay one open box.

    `by` is the agent that says it.
    """
    said = attributed(_said(text, MAX_TEXT, "the text"), harmless_line(by))

    def edit(page: str) -> tuple[str, tuple[Todo, bool]]:
        boxes = Boxes(page)
        same = [todo for todo in boxes.todos if unattributed(todo.text) == unattributed(said) and not todo.done]
        if same:
            return page, (same[0], False)
        if boxes.lines.open_at:
            # Nobody would see what is written at the end of such a page.
            text = f"{PAGES[TODO]} ends within the code or comment that begins in line {boxes.lines.open_at}"
            raise BrokenFile(text, "Close it there, then try again.")
        boxes.add(said)
        after = boxes.lines.text()
        return after, (Boxes(after).todos[-1], True)

    return _change(folders, TODO, edit, makes=True)


def close_todos(folders: tuple[str, ...], names: tuple[str, ...], day: str) -> tuple[Todo, ...]:
    """Tick the boxes of these ids in place, all or none, and return them; one that is ticked stays as it is."""
    return _change_boxes(folders, names, lambda boxes, todo: None if todo.done else boxes.tick(todo, day))


def reopen_todos(folders: tuple[str, ...], names: tuple[str, ...]) -> tuple[Todo, ...]:
    """Open the boxes of these ids again, all or none, and return them."""
    return _change_boxes(folders, names, lambda boxes, todo: boxes.untick(todo) if todo.done else None)


def remove_todos(folders: tuple[str, ...], names: tuple[str, ...]) -> tuple[Todo, ...]:
    """Take the lines of these ids out, all or none, and return what they said; one with lines below it is refused."""
    return _change_boxes(folders, names, _take_out, stay=False)


def check_removable(folders: tuple[str, ...], names: tuple[str, ...]) -> None:
    """Refuse what `remove_todos` would refuse, and change nothing."""
    boxes = Boxes(region.writable_page(PAGES[TODO], folders)[1])
    by_id = {todo.id: todo for todo in boxes.todos}
    for name in dict.fromkeys(names):
        _take_out(boxes, by_id[name])


def _take_out(boxes: Boxes, todo: Todo) -> None:
    if boxes.has_more_below(todo):
        where = f"{PAGES[TODO]}, line {boxes.line_of(todo)}"
        raise Conflict(f"{todo.id} has lines that belong to it ({where})", "Take them out in your editor.")
    boxes.remove(todo)


def _said(text: str, most: int, what: str) -> str:
    said = harmless_line(text)
    if not said:
        raise BadInput(f"{what} is empty", "Say it in a sentence.")
    if len(said) > most:
        hint = "Say it more briefly; details belong in a document or a memory."
        raise TooLarge(f"{what} has {len(said):,} characters, and at most {most:,} are kept", hint)
    return said


def _change_boxes(
    folders: tuple[str, ...], names: tuple[str, ...], edit_one: Callable[[Boxes, Todo], None], *, stay: bool = True
) -> tuple[Todo, ...]:
    def edit(page: str) -> tuple[str, tuple[Todo, ...]]:
        boxes = Boxes(page)
        by_id = {todo.id: todo for todo in boxes.todos}
        missing = [name for name in names if name not in by_id]
        if missing:
            raise NotFound(
                f"there is no to-do {missing[0][:40]!a} in {PAGES[TODO]}", "List them first; each has its id."
            )
        wanted = [by_id[name] for name in dict.fromkeys(names)]
        for todo in wanted:
            edit_one(boxes, todo)
        after = boxes.lines.text()
        now = Boxes(after).todos if stay else boxes.todos
        return after, tuple(now[todo.number - 1] for todo in wanted)

    return _change(folders, TODO, edit)


def _change(folders: tuple[str, ...], kind: str, edit: Callable[[str], tuple[str, T]], *, makes: bool = False) -> T:
    """Put what `edit` makes of the page into it; only where it `makes` the page is anything begun without one."""
    if not makes and not region.writable_page(PAGES[kind], folders)[1]:
        return edit("")[1]
    with region.lock_of(folders[0], "pages"):
        path, text = region.writable_page(PAGES[kind], folders)
        after, answer = edit(text or f"{_TITLES[kind]}\n\n")
        own = os.path.join(folders[0], PAGES[kind])
        if after != text or path != own:
            region.write_page(own, after)
    return answer
