"""The buffer: what is being done in a project now. It is the page `buffer.md` of the project's folder.

Identity: one page for each worktree of a project: `buffer.md` for the main one, `buffer/<worktree>.md` for each other,
so that two of them never share a focus. A region of `buffer.md` shows the others: it is the merged view. What stands
between the markers is kept by `change`, as Markdown with a heading for each field; every other byte of the page is the
person's, and so is a section with another heading between the markers, what stands above the first heading, and fenced
code anywhere. A line whose item stays is written as it stood, and where it stood. Atomic: the page is replaced whole,
under a lock, so that of two changes at once none is lost. Bounded: MAX_ITEMS of each kind; the oldest make room, and
stand in the daily log before they go.
"""

from __future__ import annotations

import os

from holdfast.base import files
from holdfast.base.clock import now
from holdfast.base.light_records import dataclass, replace
from holdfast.base.marker_lines import in_code, is_fence
from holdfast.continuity import region
from holdfast.continuity.open_sessions import source
from holdfast.project import ids
from holdfast.records import Scope
from holdfast.store import layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import TypeVar

    T = TypeVar("T")

PAGE = "buffer.md"
FOLDER = "buffer"
NAME = "state"
# The region of PAGE that shows the other worktrees, and so much of each list there.
_OTHERS = "worktrees"
_MAX_SHOWN = 5
BEGIN = region.begin(NAME)
END = region.end(NAME)
MAX_FOCUS = 1_000
MAX_ITEM = 500
MAX_ITEMS = 20
# Stands behind a focus that is only what a prompt asked for, and nobody's statement of what is being done.
ASKED = " (asked)"
# Stands there once an answer has come since, which ended its turn.
ANSWERED = " (asked, and answered)"
# Stands in a focus between an ask and what was asked since.
THEN = " Then: "
# Stands there where the answer left something of it open.
PARTLY = " (asked, and answered in part)"
# Stands in a focus behind an ask that was answered whole before the next one came.
OVER = " (answered)"
BY_PROMPT = (ASKED, ANSWERED, PARTLY)
# Stands before an open thread that is a question which an agent's answer ended with.
QUESTION = "Open question: "
# Stands before one that an agent's answer said still fails.
FAILING = "Still failing: "
# Stands before one that it said is still to be done.
TO_DO = "Still to do: "
# Stands before what it last said in a turn that was broken off.
BROKEN_OFF = "Broken off at: "
# Stands before a command that failed last in such a turn.
FAILED_LAST = "Failed last: "
# Stands before the end of an answer that asks back, or of which nobody knows whether it did what was asked.
ENDED = "The answer ended: "
# Stands before what an agent found out for somebody who asked for no change.
FOUND = "found: "
MIDWAY = (BROKEN_OFF, FAILED_LAST)
BY_ANSWER = (QUESTION, FAILING, TO_DO, ENDED, *MIDWAY)
LISTS = ("happened", "said", "decisions", "next_steps", "open_threads", "files")
_HEADINGS = {
    "focus": "Focus",
    "happened": "What just happened",
    "said": "Said by the person",
    "decisions": "Decisions",
    "next_steps": "Next steps",
    "open_threads": "Open threads",
    "files": "Files touched",
}
_FIELDS = {heading.casefold(): field for field, heading in _HEADINGS.items()}
_NEW_PAGE = (
    "# Working state\n\nEverything outside the two marker lines is yours to edit. What stands between them is kept by"
    " Holdfast.\n\n"
)
_UPDATED = "Updated "
_HEADING_SIGNS = tuple("#" * level for level in range(1, 7))


class ProjectPages:
    """Where the pages of a project stand: under its id, and behind that in `folders` under ids that it had before.

    `root` is the folder that is worked in; where it is a worktree beside the main one, the buffer is that of its own.
    """

    def __init__(self, home: str, project: str, aliases: Iterable[str] = (), root: str = "") -> None:
        tree = os.path.join(home, "memory")
        found = [layout.folder_of(Scope("project", owner)) for owner in (project, *aliases)]
        paths = [layout.contained(tree, f"{folder}/{PAGE}") for folder in found]
        self.home = home
        self.buffer, self.older_buffers = paths[0], tuple(paths[1:])
        self.folders = tuple([os.path.dirname(path) for path in paths])
        self.folder = self.folders[0]
        self.worktree = worktree_of(root)
        if self.worktree:
            self.buffer, self.older_buffers = page_of(self.folder, self.worktree), ()


def worktree_of(root: str) -> str:
    """Return the name of the worktree whose root this is; nothing for the main one, or where there is no git."""
    try:
        told = files.read_head(os.path.join(root, ".git"), 4_096, follow=False) if root else b""
    except OSError:
        return ""
    parent, name = os.path.split(os.fsdecode(told).strip().rstrip("/"))
    if os.path.basename(parent) != "worktrees" or not name:
        return ""
    plain = ids.slug(name, 60)
    return plain if plain == name else f"{plain}-{ids.digest(name, 6)}"


def page_of(folder: str, worktree: str) -> str:
    """Return the buffer of a worktree in the folder of its project; without a name that of the main one."""
    return os.path.join(folder, FOLDER, f"{worktree}.md") if worktree else os.path.join(folder, PAGE)


def pages_in(folder: str) -> list[str]:
    """Return every buffer of a project's folder, the main one first."""
    there = os.path.join(folder, FOLDER)
    others = files.names_in(there, ".md") if files.is_plain_folder(there) else []
    return [os.path.join(folder, PAGE), *[os.path.join(there, name) for name in sorted(others)]]


@dataclass(frozen=True, slots=True)
class SaidSentence:
    """A sentence of the person that counts: its kind of trigger, when it was said, to which agent, in which session."""

    kind: str
    text: str
    at: str = ""
    agent: str = ""
    session: str = ""


@dataclass(frozen=True, slots=True)
class WorkingState:
    """What is being done in a project: by whom it was last said, and in `own_words` what the person wrote beside it."""

    focus: str = ""
    happened: tuple[str, ...] = ()
    said: tuple[SaidSentence, ...] = ()
    decisions: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()
    open_threads: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    updated: str = ""
    by: str = ""
    own_words: str = ""
    path: str = ""


def read(path: str, older: tuple[str, ...] = ()) -> WorkingState:
    """Return the state of the page, or of the first of the older pages where it is missing; else an empty one."""
    where, text = _page(path, older)
    return parsed(text, where)


def change(
    path: str,
    edit: Callable[[WorkingState], WorkingState],
    older: tuple[str, ...] = (),
    seconds: float = region.WAIT_SECONDS,
) -> WorkingState:
    """Put what `edit` makes of the state into the page and return it; the page stays as it is where nothing changed.

    `edit` stamps what it changes; its texts are without secrets and one line each. What an older page says goes along.
    """
    folder, file = os.path.split(path)
    is_main = file == PAGE
    folder = folder if is_main else os.path.dirname(folder)
    with region.lock_of(folder, "buffer", seconds):
        where, text = _page(path, older)
        region.check_writable(where, text)
        before = parsed(text, where)
        edited = edit(before)
        if edited == before and (where == path or not text):
            return before
        after, over = bounded(replace(edited, own_words=before.own_words, path=path))
        if over:
            # It is rare that something makes room, and a prompt hook needs nothing else of the log.
            from holdfast.continuity import log

            log.keep(folder, after.updated[:10] or now()[:10], over)
        region.write_page(path, with_state(text, after))
        if not is_main:
            _show_others(folder)
    return after


def _show_others(folder: str) -> None:
    """Renew the region of the main page that shows what is done in the other worktrees."""
    lines = ["What is being done in other worktrees of this project. Each has a page of its own in `buffer/`.", ""]
    for path in pages_in(folder)[1:]:
        state = read(path)
        name = os.path.basename(path).removesuffix(".md")
        shown = [f"Focus: {state.focus}"] if state.focus else []
        for label, items in (("Next", state.next_steps), ("Open", state.open_threads)):
            shown += [f"{label}: {item}" for item in items[:_MAX_SHOWN]]
        lines += [f"### {name} ({state.updated[:10]})", "", *map(region.item, shown), ""]
    path = os.path.join(folder, PAGE)
    text = region.read_page(path)
    if not region.is_wide(text):
        region.write_page(path, region.put(text, _OTHERS, lines, _NEW_PAGE))


def with_said(before: tuple[SaidSentence, ...], new: Iterable[SaidSentence]) -> tuple[SaidSentence, ...]:
    """Return all of it, each sentence of a session once."""
    there = {(one.kind, one.text, one.session) for one in before}
    added = {(one.kind, one.text, one.session): one for one in new}
    return (*before, *[one for which, one in added.items() if which not in there])


def bounded(state: WorkingState) -> tuple[WorkingState, list[str]]:
    """Return the state with the newest items of each list, and the lines of the others, to be kept elsewhere."""
    over: list[str] = []
    kept = {}
    for field in LISTS:
        items = getattr(state, field)
        if len(items) > MAX_ITEMS:
            over += [f"{_HEADINGS[field]}: {item}" for item in map(_text, items[:-MAX_ITEMS])]
            kept[field] = items[-MAX_ITEMS:]
    return (replace(state, **kept) if kept else state), over


def parsed(text: str, path: str = "") -> WorkingState:
    """Return the state that a page says; nothing where it is in an encoding that we do not read."""
    if region.is_wide(text):
        return WorkingState()
    others = region.parts(text, _OTHERS)
    text = others[0] + others[2] if others[1] is not None else text
    before, inside, after = region.parts(text, NAME)
    found = _Inside(inside or "")
    if inside is None and _stamp((quoted := _Inside(region.quoted(text, NAME))).top)[0]:
        # Versions before this one wrote into code that told of the markers.
        found = quoted
    fields = {field: tuple(part.items.values()) for field, part in found.parts.items()}
    updated, by = _stamp(found.top)
    # What every new page says before the markers is nobody's word, wherever the person wrote between its lines.
    ours = frozenset(_NEW_PAGE.split("\n"))
    own = "\n".join([line for line in before.splitlines() if line not in ours]).strip()
    return WorkingState(
        " ".join(fields.pop("focus")),
        said=tuple(map(_said, fields.pop("said"))),
        **fields,
        updated=updated,
        by=by,
        own_words="\n".join(filter(None, (own, after.strip()))),
        path=path if text else "",
    )


def task(focus: str) -> str:
    """Return a focus without what says that a prompt asked for it, and how far it is."""
    return focus.removesuffix(next(filter(focus.endswith, BY_PROMPT), ""))


def asks_in(focus: str, *, with_answered: bool) -> list[str]:
    """Return what prompts asked for in a focus, in their order; without those that were answered before the next."""
    every = task(focus).split(THEN)
    return [one.removesuffix(OVER) for one in every if with_answered or not one.endswith(OVER)]


def thread(text: str) -> str:
    """Return an open thread without what says of which kind it is."""
    return text.removeprefix(next(filter(text.startswith, BY_ANSWER), ""))


def with_state(text: str, state: WorkingState) -> str:
    """Return the page with this state between its markers, everything else as it was."""
    there = _Inside(region.parts(text, NAME)[1] or "")
    return region.put(text, NAME, [*_top(state, there.top), *there.with_items(state)], _NEW_PAGE)


class _Inside:
    """What stands between the markers, in its order: the top, our fields, and sections of the person's own."""

    def __init__(self, inside: str) -> None:
        self.top, *rest = region.split(inside)
        self.parts = {field: _Part(heading) for field, heading in _HEADINGS.items()}
        self._order: list[_Part | list[str]] = []
        for lines in rest:
            field = _FIELDS.get(region.heading_of(lines[0]).casefold())
            if field is None:
                self._order.append(lines)
                continue
            part = self.parts[field]
            below = part.read(lines[1:])
            # A heading that stands there twice says both, but what is the person's below the second one stays there.
            if part in self._order:
                self._order.append(below)
            else:
                part.heading, part.below = lines[0], below
                self._order.append(part)
        # Each field that is not there gets its place behind the one that comes before it, else before all of ours.
        at = next((at for at, each in enumerate(self._order) if isinstance(each, _Part)), 0)
        for part in self.parts.values():
            if part in self._order:
                at = self._order.index(part)
            else:
                self._order.insert(at, part)
            at += 1

    def with_items(self, state: WorkingState) -> list[str]:
        """Return all lines below the top, with the items of this state."""
        made = {self.parts[field]: self._made(field, state) for field in _HEADINGS}
        return [line for each in self._order for line in (made[each] if isinstance(each, _Part) else each)]

    def _made(self, field: str, state: WorkingState) -> list[str]:
        part = self.parts[field]
        there = list(part.items.values())
        if field == "focus":
            focus = there if state.focus == " ".join(there) else [state.focus] if state.focus else []
            return part.with_items(there if focus is there else [], focus, region.paragraph)
        before = list(map(_said, there)) if field == "said" else there
        return part.with_items(before, getattr(state, field), lambda item: region.item(_text(item)))


class _Part:
    """One of our fields on the page: its heading, its lines, what the lines say that are no code, and what is below.

    We make no headings of other levels, so what stands below one is the person's.
    """

    def __init__(self, heading: str) -> None:
        self.heading = f"## {heading}"
        self.items: dict[int, str] = {}
        self._lines: list[str] = []
        self.below: list[str] = []

    def read(self, lines: list[str]) -> list[str]:
        """Add the lines that stand under the heading, and return those below a heading of another level."""
        code = in_code(lines)
        signs = [line.partition(" ")[0] for line in lines]
        headings = [at for at, sign in enumerate(signs) if not code[at] and sign[:7] in _HEADING_SIGNS]
        end = headings[0] if headings else len(lines)
        own = _trimmed(lines[:end])
        self._lines += [""] if own and self._lines else []
        for line, is_code in zip(own, in_code(own), strict=True):
            if not is_code and (said := region.entries([line])):
                self.items[len(self._lines)] = said[0]
                # A fence that nothing closes would make code of whatever comes to stand below it.
                line = region.item(said[0]) if is_fence(line) else line
            self._lines.append(line)
        below = _trimmed(lines[end:])
        return [*below, ""] if below else []

    def with_items(self, before: Sequence[T], after: Sequence[T], line_of: Callable[[T], str]) -> list[str]:
        """Return the section with other items than before, of which those stay that are there in the same order.

        A new one comes behind the item before it, the first one in the place of the first that stood there.
        """
        numbers = list(self.items)
        first: list[str] = []
        behind: dict[int, list[str]] = {}
        into, at = first, 0
        for item in after:
            if item in before[at:]:
                at = before.index(item, at) + 1
                into = behind[numbers[at - 1]] = []
            else:
                into.append(line_of(item))
        own = _trimmed(self._woven(first, behind))
        if not own and not self.below:
            return []
        return [self.heading, "", *own, *([""] if own else []), *self.below]

    def _woven(self, first: list[str], behind: dict[int, list[str]]) -> list[str]:
        """Return our lines with new ones before the first item and behind those that stay; the other items are gone."""
        shifts = self._shifts(behind)
        start = min(self.items, default=0)
        woven = [] if self._lines else [*first]
        was_item_gone = False
        for at, line in enumerate(self._lines):
            if at == start and first:
                # Only code and empty lines are there where nothing is an item.
                woven += first if self.items else [*first, ""]
            if at in self.items and at not in behind:
                was_item_gone = True
                continue
            if line.strip():
                was_item_gone = False
            elif was_item_gone and not (woven and woven[-1].strip()):
                continue
            woven += [line[shifts.get(at, 0) :], *behind.get(at, [])]
        return woven

    def _shifts(self, stays: dict[int, list[str]]) -> dict[int, int]:
        """Return how far each item moves to the left, because the one that it was nested under is gone."""
        shifts: dict[int, int] = {}
        above: list[tuple[int, int]] = []
        for at in self.items:
            indent = len(self._lines[at]) - len(self._lines[at].lstrip())
            while above and above[-1][0] >= indent:
                above.pop()
            outer, parent = above[-1] if above else (indent, at)
            shifts[at] = shifts.get(parent, 0) + (0 if parent in stays else indent - outer)
            above.append((indent, at))
        return shifts


def _trimmed(lines: list[str]) -> list[str]:
    """Return the lines without empty ones at both ends."""
    said = [at for at, line in enumerate(lines) if line.strip()]
    return lines[said[0] : said[-1] + 1] if said else []


def _page(path: str, older: tuple[str, ...]) -> tuple[str, str]:
    return region.find_page(os.path.basename(path), [os.path.dirname(each) for each in (path, *older)])


def _stamp(lines: list[str]) -> tuple[str, str]:
    """Return when and by whom the state was said last, from the line that says so."""
    for line in filter(_is_stamp, lines):
        at, _, by = line.removeprefix(_UPDATED).strip().rstrip(".").partition(" by ")
        return at, by
    return "", ""


def _is_stamp(line: str) -> bool:
    rest = line.removeprefix(_UPDATED)
    return rest != line and (rest[:4].isdigit() or rest.strip() == ".")


def _top(state: WorkingState, before: list[str]) -> list[str]:
    """Return what stands above the first heading, with a new stamp in the place of the old one."""
    stamp = f"{_UPDATED}{state.updated}{f' by {state.by}' if state.by else ''}."
    place = next((place for place, line in enumerate(before) if _is_stamp(line)), -1)
    lines = [*before[:place], stamp, *before[place + 1 :]] if place >= 0 else [stamp, *before]
    return [*_trimmed(lines), ""]


def _text(item: str | SaidSentence) -> str:
    """Return an item as its line has it; a sentence with its source behind it."""
    if isinstance(item, str):
        return item
    where = ", ".join([part for part in (item.at, source(item.agent), source(item.session)) if part])
    return f"{f'{item.kind}: ' if item.kind else ''}{item.text}{f' ({where})' if where else ''}"


def _said(item: str) -> SaidSentence:
    """Return what a line says and where it comes from; a line that a person wrote has no source."""
    text, at, agent, session = item, "", "", ""
    head, bracket, tail = item.rpartition(" (")
    rows = tail[:-1].split(", ") if bracket and tail.endswith(")") else []
    if 1 <= len(rows) <= 3 and rows[0][4:5] == "-" and rows[0].endswith("Z"):
        text, (at, agent, session) = head, (*rows, "", "")[:3]
    kind, colon, rest = text.partition(": ")
    is_kind = bool(colon) and kind.isascii() and kind.isalpha() and kind.islower()
    return SaidSentence(kind if is_kind else "", rest if is_kind else text, at, agent, session)
