"""The daily log: what was done in a project on one day, `log/YYYY-MM-DD.md` in the project's folder.

Identity: one page a day, one region a session in it; a second write of a session replaces its region and nothing else.
Another region has what made room in the buffer on that day. Every other byte of the page is the person's. Atomic: a
page is replaced whole, under a lock.
"""

from __future__ import annotations

import os

from holdfast.continuity import region
from holdfast.digests import short
from holdfast.errors import BadInput, Refused
from holdfast.light import dataclass

FOLDER = "log"
MOST_ITEMS = 40
MOST_ITEM = 500
_MOST_KEPT = 2_000
_KEPT = "made-room"
_LISTS = {
    "done": "Done",
    "decisions": "Said and decided",
    "failed": "Tried and failed",
    "files": "Files",
    "next_steps": "Next steps",
}
_FIELDS = {heading: field for field, heading in _LISTS.items()}
_SESSION = "Session "
_UNTITLED = "a session"


@dataclass(frozen=True, slots=True)
class Entry:
    """What the log says about one session. Times are ISO 8601 in UTC; the day of `began` is the page it stands in."""

    session: str
    agent: str
    began: str
    ended: str = ""
    title: str = ""
    outcome: str = ""
    done: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()


def write(folder: str, entry: Entry) -> str:
    """Put the entry into its day's page, in the place of an earlier one of the session, and return the path.

    Texts come without secrets; they are made one line each here.
    """
    day = entry.began[:10]
    return _put(folder, day, _name(entry.agent, entry.session), _lines(entry))


def keep(folder: str, day: str, lines: list[str]) -> str:
    """Add lines that made room in the buffer to the day's page, each once, and return the path."""
    path = path_of(folder, day)
    with region.lock_of(folder, "log"):
        text = region.read_page(path)
        before = region.entries((region.parts(text, _KEPT)[1] or "").splitlines())
        every = [*before[1:], *lines] if before else lines
        shown = [f"- {line}" for line in [*dict.fromkeys(every)][-_MOST_KEPT:]]
        _write(path, text, day, _KEPT, ["## Made room in the buffer", "", *shown, ""])
    return path


def read(folder: str, day: str) -> str:
    """Return what the page of that day says, without the marker lines; nothing where there is none."""
    text = region.read_page(path_of(folder, day))
    ours = ("<!-- holdfast:begin ", "<!-- holdfast:end ")
    return "\n".join([line for line in text.splitlines() if not line.startswith(ours)]).strip()


def entry(folder: str, day: str, agent: str, session: str) -> Entry | None:
    """Return what that day's page says about a session, as it may have been edited since; None where it does not."""
    inside = region.parts(region.read_page(path_of(folder, day)), _name(agent, session))[1]
    if inside is None:
        return None
    found = dict(region.sections(inside, "### "))
    lists = {field: region.entries(found.get(heading, [])) for heading, field in _FIELDS.items()}
    began, ended, title, outcome = _head(found[""])
    return Entry(session, agent, began or f"{day}T00:00:00Z", ended, title, outcome, **lists)


def days(folder: str) -> list[str]:
    """Return the days that have a page, newest first."""
    try:
        names = os.listdir(os.path.join(folder, FOLDER))
    except OSError:
        return []
    found = [name[:-3] for name in names if name.endswith(".md") and _is_day(name[:-3])]
    return sorted(found, reverse=True)


def path_of(folder: str, day: str) -> str:
    """Return the page of a day; a text that is no day, and a folder that is a link, are refused."""
    if not _is_day(day):
        raise BadInput(f"{day!a} is not a day", "Use YYYY-MM-DD.")
    logs = os.path.join(folder, FOLDER)
    if os.path.islink(logs):
        raise Refused(f"{logs} is a symbolic link", "Replace the link by a folder; Holdfast does not follow it.")
    return os.path.join(logs, f"{day}.md")


def _is_day(text: str) -> bool:
    parts = text.split("-")
    return [len(part) for part in parts] == [4, 2, 2] and all(part.isascii() and part.isdigit() for part in parts)


def _name(agent: str, session: str) -> str:
    """Return the name of a session's region. An id may be anything, so its digest stands for it."""
    return f"session-{short(agent, session, length=16)}"


def _put(folder: str, day: str, name: str, lines: list[str]) -> str:
    path = path_of(folder, day)
    with region.lock_of(folder, "log"):
        _write(path, region.read_page(path), day, name, lines)
    return path


def _write(path: str, text: str, day: str, name: str, lines: list[str]) -> None:
    made = region.put(text, name, lines, f"# {day}\n\n")
    if made != text:
        region.write_page(path, made)


def _lines(entry: Entry) -> list[str]:
    title = region.one_line(entry.title, 120) or _UNTITLED
    outcome = f" ({region.one_line(entry.outcome, 40)})" if entry.outcome else ""
    ended = f" to {entry.ended}" if entry.ended else ""
    agent, session = region.one_line(entry.agent, 80), region.one_line(entry.session, 120)
    lines = [f"## {title}{outcome}", "", f"{_SESSION}{session} of {agent}, {entry.began}{ended}.", ""]
    for field, heading in _LISTS.items():
        items = [region.one_line(item, MOST_ITEM) for item in getattr(entry, field)[-MOST_ITEMS:]]
        if items:
            lines += [f"### {heading}", "", *(f"- {item}" for item in items if item), ""]
    return lines


def _head(lines: list[str]) -> tuple[str, str, str, str]:
    """Return began, ended, title and outcome."""
    began = ended = title = outcome = ""
    for line in lines:
        if line.startswith("## "):
            title, bracket, rest = line[3:].strip().rpartition(" (")
            outcome = rest[:-1] if bracket and rest.endswith(")") else ""
            title = (title if outcome else line[3:].strip()).removeprefix(_UNTITLED)
        elif line.startswith(_SESSION):
            began, _, ended = line.rstrip(" .").rpartition(", ")[2].partition(" to ")
    return began, ended, title, outcome
