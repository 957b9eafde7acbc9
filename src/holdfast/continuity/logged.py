"""What a daily log tells, read back as records: the sessions of a page, and what made room in the buffer."""

from __future__ import annotations

from holdfast.continuity import log, region
from holdfast.continuity.log import Entry
from holdfast.language.triggers import KINDS

# Of what a person said, these kinds are decisions.
DECIDING = ("decision", "architecture")
_SESSION = "Session "


def entries(folder: str, day: str) -> tuple[list[Entry], list[str]]:
    """Return the sessions that the page of a day tells of, and the decisions that stand in it without a session."""
    found: list[Entry] = []
    loose: list[str] = []
    for heading, lines in region.sections(log.read(folder, day)):
        told = next((line for line in lines if line.startswith(_SESSION)), "")
        if told:
            found.append(_entry(heading, told, lines))
        elif heading:
            loose += [text for text in map(_prefixed, region.entries(lines)) if text]
    return found, loose


def decided(entry: Entry) -> list[str]:
    """Return the decisions of a session: what the person said, and what was agreed."""
    return [text for text in map(_decision, entry.decisions) if text]


def _entry(heading: str, told: str, lines: list[str]) -> Entry:
    names, _, times = told.removeprefix(_SESSION).rstrip(" .").rpartition(", ")
    session, _, agent = names.rpartition(" of ")
    began, _, ended = times.partition(" to ")
    title, outcome = log.told_heading(heading)
    lists = log.told_lists(region.sections("\n".join(lines), "### "))
    return Entry(session, agent, began, ended, title, outcome, **lists)


def _decision(line: str) -> str:
    kind, colon, text = line.partition(": ")
    return line if not colon or kind not in KINDS else text if kind in DECIDING else ""


def _prefixed(line: str) -> str:
    kind, colon, text = line.partition(": ")
    return text if colon and kind in DECIDING else ""
