"""The daily log: what was done in a project on one day, `log/YYYY-MM-DD.md` in the project's folder.

Identity: one page a day, one region a session in it; a second write of a session replaces its region and nothing else.
Another region has what made room in the buffer on that day. Every other byte of the page is the person's. Atomic: a
page is replaced whole, under a lock.
"""

from __future__ import annotations

import os

from holdfast.base import files
from holdfast.base.clock import is_day
from holdfast.base.light_records import dataclass, replace
from holdfast.base.marker_lines import lines_of
from holdfast.base.text import hash_of
from holdfast.continuity import region
from holdfast.errors import BadInput, Refused
from holdfast.privacy.fence import harmless_line

FOLDER = "log"
MAX_ITEMS = 40
MAX_ITEM = 500
_MAX_KEPT = 2_000
# Who asks for the last sessions of a day reads so much of the end of its page.
_END = 16_384
_OF_SESSION = "session-"
_BEGINS = f"\n{region.begin(_OF_SESSION)}".removesuffix(" -->").encode()
_KEPT = "made-room"
_KEPT_HEADING = "## Made room in the buffer"
_TAKEN_OVER, _TAKEN_OVER_HEADING = "taken-over", "## Taken over (imported)"
_LISTS = {
    "done": "Done",
    "decisions": "Said and decided",
    "failed": "Tried and failed",
    "files": "Files",
    "next_steps": "Next steps",
    "worktree": "Worktree",
}
_FIELDS = {heading: field for field, heading in _LISTS.items()}
_SESSION = "Session "
_UNTITLED = "a session"
# What stands in brackets behind a title is an outcome only where it is one of these: a digest's, or what hooks know.
CUT_OFF = "cut off"
OUTCOMES = ("success", "failure", "partial", "abandoned", "unknown", CUT_OFF, "ended")
# Of what a person said, these kinds are decisions.
DECIDING = ("decision", "architecture")
# Stands behind what no hook told, but the judge that reads a session when it is over.
BEHIND = "(found behind the session)"
_ESCAPE = "\\"


@dataclass(frozen=True, slots=True)
class LogEntry:
    """What the log says about one session. Times are ISO 8601 in UTC; the day of `began` is the page it stands in.

    `worktree` names the worktree that it worked in; the main one has no name.
    """

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
    worktree: tuple[str, ...] = ()


def write(folder: str, entry: LogEntry) -> str:
    """Put the entry into its day's page, in the place of an earlier one of the session, and return the path.

    Texts come without secrets; they are made one line each here.
    """
    day = entry.began[:10]
    path = path_of(folder, day)
    with region.lock_of(folder, "log"):
        _write(path, region.read_page(path), day, _name(entry.agent, entry.session), _lines(entry))
    return path


def keep(folder: str, day: str, lines: list[str]) -> str:
    """Add lines that made room in the buffer to the day's page, each once, and return the path."""
    return _kept(folder, day, lines, _KEPT, _KEPT_HEADING)


def take_over(folder: str, day: str, lines: list[str]) -> str:
    """Add lines of a log that somebody kept elsewhere to the day's page, each once, and return the path."""
    return _kept(folder, day, lines, _TAKEN_OVER, _TAKEN_OVER_HEADING)


def _kept(folder: str, day: str, lines: list[str], name: str, heading: str) -> str:
    path = path_of(folder, day)
    with region.lock_of(folder, "log"):
        text = region.read_page(path)
        # What made room before stays as it stands, also where a person edited it.
        inside = [line for line in lines_of(region.parts(text, name)[1] or "") if line.strip() != heading]
        there = [line.rstrip("\r\n") for line in lines_of("".join(inside).strip("\r\n"))]
        known = frozenset(region.entries(there))
        new = [region.item(line) for line in dict.fromkeys(lines) if line not in known]
        _write(path, text, day, name, [heading, "", *[*there, *new][-_MAX_KEPT:], ""])
    return path


def read(folder: str, day: str) -> str:
    """Return what the page of that day says, without the marker lines; nothing where there is none."""
    return _read(region.read_page(path_of(folder, day)))


def _read(text: str) -> str:
    if region.is_wide(text):
        return ""
    ours = ("<!-- holdfast:begin ", "<!-- holdfast:end ")
    lines = [line.rstrip("\r\n") for line in lines_of(text)]
    return "\n".join([line for line in lines if not line.startswith(ours)]).strip()


def entry(folder: str, day: str, agent: str, session: str) -> LogEntry | None:
    """Return what that day's page says about a session, as it may have been edited since; None where it does not."""
    text, name = region.read_page(path_of(folder, day)), _name(agent, session)
    inside = region.parts(text, name)[1] or region.quoted(text, name)
    if not inside:
        return None
    told = _told(*region.sections(inside)[:2][-1])
    title = "" if told.title == _UNTITLED else told.title
    return replace(told, session=session, agent=agent, began=told.began or f"{day}T00:00:00Z", title=title)


def entries(folder: str, day: str, last: int = 0) -> tuple[list[LogEntry], list[str]]:
    """Return the sessions that the page of a day tells of, and the decisions that stand in it without a session.

    With `last`, of so many sessions at most, those that stand last and did something, and of a long page only its end.
    """
    found: list[tuple[str, list[str]]] = []
    loose: list[str] = []
    for heading, lines in region.sections(_end(folder, day) if last else read(folder, day)):
        if any(line.startswith(_SESSION) for line in lines):
            found.append((heading, lines))
        elif heading:
            said = [line.partition(": ") for line in region.entries(lines)]
            loose += [text for kind, colon, text in said if colon and kind in DECIDING and text]
    if last:
        found = [one for one in found if any(line.startswith("### ") for line in one[1])][-last:]
    return [_told(*one) for one in found], loose


def _end(folder: str, day: str) -> str:
    """Return the end of a day's page, from a region of ours on: a start reads as much in the evening as at noon."""
    try:
        data, start = files.read_tail(path_of(folder, day), _END)
    except OSError:
        return read(folder, day)
    at = data.find(_BEGINS) if start else -1
    if start and at < 0:
        return read(folder, day)
    return _read(data[at + 1 :].decode("utf-8", "surrogateescape"))


def decided(entry: LogEntry) -> list[str]:
    """Return the decisions of a session: what the person said, and what was agreed."""
    # The kinds of statements are those of the triggers, which a start of a session does not need.
    from holdfast.language.triggers import KINDS

    told = [(kind, text) for kind, text in said(entry) if kind in DECIDING or kind not in KINDS]
    return [text if kind in DECIDING or not kind else f"{kind}: {text}" for kind, text in told]


def said(entry: LogEntry) -> list[tuple[str, str]]:
    """Return what was said and decided in a session, each as its kind and its text; "" for a line without a kind."""
    lines = [line.removesuffix(BEHIND).rstrip() for line in entry.decisions]
    told = [(line, *line.partition(": ")) for line in lines]
    return [(kind, text) if colon else ("", line) for line, kind, colon, text in told]


def _told(heading: str, lines: list[str]) -> LogEntry:
    """Return what a page says about a session under its heading; a list that stands there twice says both."""
    whose = next((line for line in lines if line.startswith(_SESSION)), "").removeprefix(_SESSION)
    names, _, times = whose.rstrip(" .").rpartition(", ")
    session, _, agent = names.rpartition(" of ")
    began, _, ended = times.partition(" to ")
    lists: dict[str, tuple[str, ...]] = {}
    for name, below in region.sections("\n".join(lines), "### "):
        if field := _FIELDS.get(name):
            lists[field] = (*lists.get(field, ()), *region.entries(below))
    title, outcome = told_heading(heading)
    return LogEntry(session, agent, began, ended, title, outcome, **lists)


def told_heading(heading: str) -> tuple[str, str]:
    """Return the title and the outcome that the heading of an entry tells."""
    place = _outcome_at(heading)
    if place < 0:
        return heading, ""
    before, bracket = heading[:place], heading[place:]
    return (before[:-1] + bracket, "") if before.endswith(_ESCAPE) else (before[:-1], bracket[1:-1])


def names_session(line: str) -> bool:
    """Whether a line is the one that says which session an entry is of."""
    return line.startswith(_SESSION) and line.endswith(".") and " of " in line


def _heading(title: str, outcome: str) -> str:
    """Return the heading of an entry; a backslash tells that what a title without an outcome ends with is none."""
    place = -1 if outcome else _outcome_at(title)
    told = title if place < 0 else f"{title[:place]}{_ESCAPE}{title[place:]}"
    return f"## {region.paragraph(told)}{f' ({outcome})' if outcome else ''}"


def _outcome_at(text: str) -> int:
    """Return where the bracket begins that looks like an outcome behind a title, be it escaped or not; -1 for none."""
    for outcome in OUTCOMES:
        before = text.removesuffix(f"({outcome})")
        bare = before.rstrip(_ESCAPE)
        if before != text and bare.endswith(" ") and bare.strip():
            return len(before)
    return -1


def days(folder: str) -> list[str]:
    """Return the days that have a page, newest first."""
    return [name[:-3] for name in files.names_in(os.path.join(folder, FOLDER), ".md")[::-1] if is_day(name[:-3])]


def path_of(folder: str, day: str) -> str:
    """Return the page of a day; a text that is no day, and a folder that is a link, are refused."""
    if not is_day(day):
        raise BadInput(f"{day!a} is not a day", "Use YYYY-MM-DD.")
    logs = os.path.join(folder, FOLDER)
    if os.path.islink(logs):
        raise Refused(f"{logs} is a symbolic link", "Replace the link by a folder; Holdfast does not follow it.")
    return os.path.join(logs, f"{day}.md")


def _name(agent: str, session: str) -> str:
    """Return the name of a session's region. An id may be anything, so its digest stands for it."""
    return f"{_OF_SESSION}{hash_of(agent, session, length=16)}"


def _write(path: str, text: str, day: str, name: str, lines: list[str]) -> None:
    region.check_writable(path, text)
    made = region.put(text, name, lines, f"# {day}\n\n")
    if made != text:
        region.write_page(path, made)


def _lines(entry: LogEntry) -> list[str]:
    title = harmless_line(entry.title, 120) or _UNTITLED
    ended = f" to {entry.ended}" if entry.ended else ""
    agent, session = harmless_line(entry.agent, 80), harmless_line(entry.session, 120)
    heading = _heading(title, harmless_line(entry.outcome, 40))
    lines = [heading, "", f"{_SESSION}{session} of {agent}, {entry.began}{ended}.", ""]
    for field, heading in _LISTS.items():
        items = [harmless_line(item, MAX_ITEM) for item in getattr(entry, field)[-MAX_ITEMS:]]
        if items:
            lines += [f"### {heading}", "", *(region.item(item) for item in items if item), ""]
    return lines
