"""The buffer: what is being done in a project now. It is the page `buffer.md` of the project's folder.

Identity: one page for each project. What stands between the markers is kept by `change`, as Markdown with a heading
for each field; every other byte of the page is the person's, and so is a section with another heading between the
markers. Atomic: the page is replaced whole, under a lock, so that of two changes at once none is lost. Bounded:
MOST_ITEMS of each kind; the oldest make room, and stand in the daily log before they go.
"""

from __future__ import annotations

import os
import time

from holdfast.continuity import places, region
from holdfast.continuity.noting import source
from holdfast.light import dataclass, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

PAGE = places.BUFFER
NAME = "state"
BEGIN = region.begin(NAME)
END = region.end(NAME)
MOST_FOCUS = 1_000
MOST_ITEM = 500
MOST_ITEMS = 20
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


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence of the person that counts: its kind of trigger, when it was said, to which agent, in which session."""

    kind: str
    text: str
    at: str = ""
    agent: str = ""
    session: str = ""


@dataclass(frozen=True, slots=True)
class State:
    """What is being done in a project: by whom it was last said, and in `own_words` what the person wrote beside it."""

    focus: str = ""
    happened: tuple[str, ...] = ()
    said: tuple[Said, ...] = ()
    decisions: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()
    open_threads: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    updated: str = ""
    by: str = ""
    own_words: str = ""
    path: str = ""


def read(path: str, older: tuple[str, ...] = ()) -> State:
    """Return the state of the page, or of the first of the older pages where it is missing; else an empty one."""
    where, text = _page(path, older)
    return parsed(text, where)


def change(
    path: str,
    edit: Callable[[State], State],
    older: tuple[str, ...] = (),
    seconds: float = region.WAIT_SECONDS,
) -> State:
    """Put what `edit` makes of the state into the page and return it; the page stays as it is where nothing changed.

    `edit` stamps what it changes; its texts are without secrets and one line each. What an older page says goes along.
    """
    folder = os.path.dirname(path)
    with region.lock_of(folder, "buffer", seconds):
        where, text = _page(path, older)
        before = parsed(text, where)
        edited = edit(before)
        if edited == before and (where == path or not text):
            return before
        after, over = bounded(replace(edited, own_words=before.own_words, path=path))
        if over:
            _keep(folder, after.updated[:10], over)
        region.write_page(path, with_state(text, after))
    return after


def _keep(folder: str, day: str, lines: list[str]) -> None:
    # It is rare that something makes room, and a prompt hook needs nothing else of the log.
    from holdfast.continuity import log

    log.keep(folder, day or time.strftime("%Y-%m-%d", time.gmtime()), lines)


def with_said(before: tuple[Said, ...], new: Iterable[Said]) -> tuple[Said, ...]:
    """Return all of it, each sentence of a session once."""
    there = {(one.kind, one.text, one.session) for one in before}
    added = {(one.kind, one.text, one.session): one for one in new}
    return (*before, *[one for which, one in added.items() if which not in there])


def bounded(state: State) -> tuple[State, list[str]]:
    """Return the state with the newest items of each list, and the lines of the others, to be kept elsewhere."""
    over: list[str] = []
    kept = {}
    for field in LISTS:
        items = getattr(state, field)
        if len(items) > MOST_ITEMS:
            over += [f"{_HEADINGS[field]}: {item}" for item in _texts(field, items[:-MOST_ITEMS])]
            kept[field] = items[-MOST_ITEMS:]
    return (replace(state, **kept) if kept else state), over


def parsed(text: str, path: str = "") -> State:
    """Return the state that a page says."""
    before, inside, after = region.parts(text, NAME)
    found = {heading.casefold(): lines for heading, lines in region.sections(inside or "")}
    fields = {field: region.entries(found.get(heading, [])) for heading, field in _FIELDS.items()}
    updated, by = _stamp(found[""])
    return State(
        focus=" ".join(fields["focus"]),
        happened=fields["happened"],
        said=tuple(map(_said, fields["said"])),
        decisions=fields["decisions"],
        next_steps=fields["next_steps"],
        open_threads=fields["open_threads"],
        files=fields["files"],
        updated=updated,
        by=by,
        own_words="\n".join(part for part in (_of_the_person(before), after.strip()) if part),
        path=path if text else "",
    )


def with_state(text: str, state: State) -> str:
    """Return the page with this state between its markers, everything else as it was."""
    inside = region.parts(text, NAME)[1] or ""
    return region.put(text, NAME, [*_lines(state), *_foreign(inside)], _NEW_PAGE)


def _page(path: str, older: tuple[str, ...]) -> tuple[str, str]:
    for each in (path, *older):
        if os.path.lexists(each):
            return each, region.read_page(each)
    return path, ""


def _of_the_person(text: str) -> str:
    """Return what stands before the markers, without the lines that every new page has."""
    return text.replace("\r\n", "\n").replace(_NEW_PAGE.strip(), "").strip()


def _stamp(lines: list[str]) -> tuple[str, str]:
    """Return when and by whom the state was said last, from the line that says so."""
    for line in lines:
        if line.startswith(_UPDATED):
            at, _, by = line.removeprefix(_UPDATED).strip().rstrip(".").partition(" by ")
            return at, by
    return "", ""


def _lines(state: State) -> list[str]:
    lines = [f"{_UPDATED}{state.updated}{f' by {state.by}' if state.by else ''}.", ""]
    if state.focus:
        lines += ["## Focus", "", state.focus, ""]
    for field in LISTS:
        items = _texts(field, getattr(state, field))
        if items:
            lines += [f"## {_HEADINGS[field]}", "", *(f"- {item}" for item in items), ""]
    return lines


def _texts(field: str, items: tuple[str, ...] | tuple[Said, ...]) -> list[str]:
    return [_saying(item) if isinstance(item, Said) else item for item in items]


def _saying(said: Said) -> str:
    """Return a sentence with its source behind it."""
    where = ", ".join([part for part in (said.at, source(said.agent), source(said.session)) if part])
    return f"{f'{said.kind}: ' if said.kind else ''}{said.text}{f' ({where})' if where else ''}"


def _said(item: str) -> Said:
    """Return what a line says and where it comes from; a line that a person wrote has no source."""
    text, at, agent, session = item, "", "", ""
    head, bracket, tail = item.rpartition(" (")
    rows = tail[:-1].split(", ") if bracket and tail.endswith(")") else []
    if 1 <= len(rows) <= 3 and rows[0][4:5] == "-" and rows[0].endswith("Z"):
        text, (at, agent, session) = head, (*rows, "", "")[:3]
    kind, colon, rest = text.partition(": ")
    is_kind = bool(colon) and kind.isascii() and kind.isalpha() and kind.islower()
    return Said(kind if is_kind else "", rest if is_kind else text, at, agent, session)


def _foreign(inside: str) -> list[str]:
    """Return the sections between the markers that are not ours, as they were."""
    lines: list[str] = []
    for heading, body in region.sections(inside):
        if heading and heading.casefold() not in _FIELDS:
            lines += [f"## {heading}", *body]
    return lines
