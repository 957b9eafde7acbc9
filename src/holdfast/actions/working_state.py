"""The working state of a project: what is being done now. It stands in `buffer.md` of the project's folder.

Identity: one page for each project. What stands between the two markers is kept by `update`, as Markdown with a heading
for each field; every other byte of the page is the person's, and so is a section with another heading between the
markers. Atomic: the page is replaced whole, under a lock, so that two updates at once keep the fields that only one of
them names. Bounded: so many items of such a length; the oldest decisions make room and are handed back.
"""

from __future__ import annotations

import os

from holdfast import project as projects
from holdfast.actions.house import House, check_text, now
from holdfast.capture import redact
from holdfast.errors import BadInput, TooLarge
from holdfast.light import dataclass, replace
from holdfast.records import Scope
from holdfast.store import files, layout

PAGE = "buffer.md"
BEGIN = "<!-- holdfast:begin state -->"
END = "<!-- holdfast:end state -->"
MOST_FOCUS = 1_000
MOST_ITEM = 500
MOST_ITEMS = 20
_HEADINGS = {"focus": "Focus", "decisions": "Decisions", "next_steps": "Next steps", "open_threads": "Open threads"}
_FIELDS = {heading.casefold(): field for field, heading in _HEADINGS.items()}
_NEW_PAGE = (
    "# Working state\n\nEverything outside the two marker lines is yours to edit. What stands between them is kept by"
    " Holdfast.\n\n"
)
_UPDATED = "Updated "
_SHORTER = "Say what matters now; what should last belongs into a memory."


@dataclass(frozen=True, slots=True)
class WorkingState:
    """What is being done in a project: by whom it was last said, and in `own_words` what the person wrote beside it."""

    focus: str = ""
    decisions: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()
    open_threads: tuple[str, ...] = ()
    updated: str = ""
    by: str = ""
    own_words: str = ""
    path: str = ""


@dataclass(frozen=True, slots=True)
class Updated:
    """The answer to an update: created, updated or unchanged; the kinds of secret, and the decisions that made room."""

    action: str
    state: WorkingState
    redacted: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()


def read(house: House) -> WorkingState:
    """Return the working state of the project of the folder; an empty one where there is no page, or memory is off."""
    if not house.enabled:
        return WorkingState()
    path, text = _page(house)
    return _read(text, path)


def update(
    house: House,
    *,
    focus: str | None = None,
    decisions: tuple[str, ...] = (),
    next_steps: tuple[str, ...] | None = None,
    open_threads: tuple[str, ...] | None = None,
    clear: bool = False,
    by: str = "",
) -> Updated:
    """Say what is being done now. What is given replaces what stood there, but decisions are added to; None stays.

    With `clear` all fields are emptied first.
    """
    house.need_enabled()
    kinds: set[str] = set()
    said = WorkingState(
        focus=_cleaned("focus", focus or "", MOST_FOCUS, kinds),
        decisions=_items("decisions", decisions, kinds),
        next_steps=_items("next_steps", next_steps or (), kinds),
        open_threads=_items("open_threads", open_threads or (), kinds),
    )
    if focus is None and next_steps is None and open_threads is None and not said.decisions and not clear:
        raise BadInput("nothing is said about the working state", "Give at least one field.")
    own_path = _paths(house)[0]
    with house.store.lock("working-state"):
        path, text = _page(house)
        before = _read(text, path)
        start = WorkingState() if clear else before
        every = tuple(dict.fromkeys((*start.decisions, *said.decisions)))
        after = replace(
            before,
            focus=start.focus if focus is None else said.focus,
            decisions=every[-MOST_ITEMS:],
            next_steps=start.next_steps if next_steps is None else said.next_steps,
            open_threads=start.open_threads if open_threads is None else said.open_threads,
        )
        if path == own_path and after == before and text:
            return Updated("unchanged", before, tuple(sorted(kinds)))
        after = replace(after, updated=now(), by=_one_line(redact.redact(by)[0]) if by else "", path=own_path)
        _write(own_path, _with_region(text, after))
        projects.record(house.project(), house.registry)
    return Updated("updated" if text else "created", after, tuple(sorted(kinds)), every[:-MOST_ITEMS])


def _items(name: str, items: tuple[str, ...], kinds: set[str]) -> tuple[str, ...]:
    if len(items) > MOST_ITEMS:
        raise TooLarge(f"{name} has {len(items)} items, and the working state at most {MOST_ITEMS}", _SHORTER)
    cleaned = [_cleaned(name, item, MOST_ITEM, kinds) for item in items]
    return tuple(dict.fromkeys(item for item in cleaned if item))


def _cleaned(name: str, text: str, most: int, kinds: set[str]) -> str:
    """Return the text as one line without secrets, which cannot pass for a marker."""
    check_text(text)
    if len(text) > most:
        raise TooLarge(f"{name} has {len(text):,} characters, and at most {most:,} are kept", _SHORTER)
    cleaned, found = redact.redact(text) if text else ("", ())
    kinds.update(found)
    return _one_line(cleaned)


def _one_line(text: str) -> str:
    return " ".join(text.split()).replace("<!--", "<! --")


def _page(house: House) -> tuple[str, str]:
    """Return the path and the text of the project's page, or of an older id's where it has none itself."""
    paths = _paths(house)
    for path in paths:
        if os.path.lexists(path):
            # The person may have saved it in another encoding; their bytes are carried through unchanged.
            return path, files.read(path).decode("utf-8", "surrogateescape")
    return paths[0], ""


def _paths(house: House) -> list[str]:
    project = house.project()
    folders = [layout.folder_of(Scope("project", owner)) for owner in (project.id, *project.aliases)]
    return [layout.contained(house.store.root, f"{folder}/{PAGE}") for folder in folders]


def _write(path: str, text: str) -> None:
    files.make_folder(os.path.dirname(path))
    files.write(path, text.encode("utf-8", "surrogateescape"))


def _read(text: str, path: str) -> WorkingState:
    before, region, after = _parts(text)
    sections = {heading.casefold(): lines for heading, lines in _sections(region or "")}
    fields = {field: _entries(sections.get(heading, [])) for heading, field in _FIELDS.items()}
    updated, by = _stamp(sections[""])
    return WorkingState(
        focus=" ".join(fields["focus"]),
        decisions=fields["decisions"],
        next_steps=fields["next_steps"],
        open_threads=fields["open_threads"],
        updated=updated,
        by=by,
        own_words="\n".join(part for part in (_of_the_person(before), after.strip()) if part),
        path=path if text else "",
    )


def _of_the_person(text: str) -> str:
    """Return what stands before the markers, without the lines that every new page has."""
    return text.replace("\r\n", "\n").replace(_NEW_PAGE.strip(), "").strip()


def _entries(lines: list[str]) -> tuple[str, ...]:
    return tuple(item for item in map(_item, lines) if item)


def _item(line: str) -> str:
    """Return what a line of a list says, whatever its bullet."""
    text = line.strip()
    number, dot, rest = text.partition(". ")
    if dot and number.isdigit():
        return rest.strip()
    return text[2:].strip() if text[:2] in ("- ", "* ") else text


def _stamp(lines: list[str]) -> tuple[str, str]:
    """Return when and by whom the state was said last, from the line that says so."""
    for line in lines:
        if line.startswith(_UPDATED):
            at, _, by = line.removeprefix(_UPDATED).strip().rstrip(".").partition(" by ")
            return at, by
    return "", ""


def _parts(text: str) -> tuple[str, str | None, str]:
    """Return what stands before, between and behind the markers; None between them where there are none."""
    first = text.find(BEGIN)
    end = text.find(END, first) if first >= 0 else -1
    if end < 0:
        return text, None, ""
    # Another marker may have strayed before ours; only what stands between the nearest two is generated.
    start = text.rfind(BEGIN, 0, end)
    return text[:start], text[start + len(BEGIN) : end], text[end + len(END) :]


def _sections(region: str) -> list[tuple[str, list[str]]]:
    """Return the lines under each heading; those before the first one under none."""
    sections: list[tuple[str, list[str]]] = [("", [])]
    for line in region.splitlines():
        if line.startswith("## "):
            sections.append((line[3:].strip(), []))
        else:
            sections[-1][1].append(line)
    return sections


def _with_region(text: str, state: WorkingState) -> str:
    """Return the page with this state between its markers, everything else as it was."""
    before, region, after = _parts(text)
    newline = "\r\n" if "\r\n" in text else "\n"
    made = newline.join([BEGIN, "", *_lines(state), *_foreign(region or ""), END])
    if region is not None:
        return before + made + after
    start = text or _NEW_PAGE
    gap = "" if start.endswith(newline * 2) else newline if start.endswith(newline) else newline * 2
    return start + gap + made + newline


def _lines(state: WorkingState) -> list[str]:
    lines = [f"{_UPDATED}{state.updated}{f' by {state.by}' if state.by else ''}.", ""]
    if state.focus:
        lines += ["## Focus", "", state.focus, ""]
    for field in ("decisions", "next_steps", "open_threads"):
        items: tuple[str, ...] = getattr(state, field)
        if items:
            lines += [f"## {_HEADINGS[field]}", "", *(f"- {item}" for item in items), ""]
    return lines


def _foreign(region: str) -> list[str]:
    """Return the sections between the markers that are not ours, as they were."""
    lines: list[str] = []
    for heading, body in _sections(region):
        if heading and heading.casefold() not in _FIELDS:
            lines += [f"## {heading}", *body]
    return lines
