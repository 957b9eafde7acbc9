"""Research: what sub-agents found out, one Markdown file each, `research/YYYY-MM/<when>_<agent>_<slug>-<id>.md`.

Identity: six digits of a digest of agent, session and the beginning of the text stand in the name, so that an answer
which a hook heard is known again in the archive, however much of it each of them has. Atomic: a file is written whole.
A file that is there is never written again, so what a person changed in it stays. Texts come here without secrets.
"""

from __future__ import annotations

import os

from holdfast.base import files
from holdfast.base.clock import stamp_of
from holdfast.base.light_records import dataclass
from holdfast.base.text import cut, hash_of
from holdfast.errors import HoldfastError, NotFound
from holdfast.store import front_matter

FOLDER = "research"
MIN_TEXT = 10
MAX_TEXT = 64_000
MAX_SUMMARY = 100
KIND = "sub-agent"
_LONGEST_SLUG = 48
_COMPARED = 400
# So many lines are looked at for one that says what a report is about.
_MAX_LEADING = 40
_DIGITS = 6
_MAX_FILE = 1 << 20
_FIELDS = ("at", "agent", "session", "parent", "project", "kind", "summary")


@dataclass(frozen=True, slots=True)
class Report:
    """What a sub-agent handed over in the end. `session` is its own, `parent` the one that it worked for."""

    at: str
    agent: str
    session: str
    parent: str
    project: str
    text: str = ""
    kind: str = KIND
    summary: str = ""
    path: str = ""

    @property
    def id(self) -> str:
        """What tells it from every other: it stands in the name of the file."""
        return id_of(self.agent, self.session, self.text)


def id_of(agent: str, session: str, text: str) -> str:
    """Return the digits of a report; the same beginning of a text has the same."""
    return hash_of("research", agent, session, " ".join(text.split())[:_COMPARED], length=_DIGITS)


def summary_of(text: str) -> str:
    """Return the first line that says something, and does not only lead to the next; at most MAX_SUMMARY characters."""
    lines = [" ".join(line.replace("**", "").lstrip(" \t#*->_`|=").split()) for line in text.split("\n", _MAX_LEADING)]
    told = [line for line in lines[:_MAX_LEADING] if any(letter.isalnum() for letter in line)]
    return cut(next((line for line in told if not line.endswith(":")), "".join(told[:1])), MAX_SUMMARY, "...")


def add(home: str, report: Report) -> str:
    """Write a report down for good and return its path, relative to the home; nothing where it is there already."""
    if len(report.text.strip()) < MIN_TEXT:
        return ""
    month, stamp = stamp_of(report.at)
    files.refuse_links(home, f"{FOLDER}/{month}")
    # A hook hears the end a little later than the transcript has it, and that may be the next month.
    summary = report.summary or summary_of(report.text)
    about = f"_{_slug(report.agent, 20)}_{_slug(summary, _LONGEST_SLUG)}-"
    for path in _paths(home):
        if path.endswith(f"-{report.id}.md") or (about in path and _is_same(home, path, report)):
            return ""
    folder = os.path.join(home, FOLDER, month)
    files.make_folder(folder)
    name = f"{stamp}{about}{report.id}.md"
    files.write(os.path.join(folder, name), _page(report, summary).encode("utf-8", "replace"))
    return f"{FOLDER}/{month}/{name}"


def _is_same(home: str, path: str, report: Report) -> bool:
    """Whether a file has this report: the session of a sub-agent and the call of its parent tell the same."""
    other = read(home, path)
    if other is None or other.parent != report.parent:
        return False
    by_call = report.parent in (other.session, report.session)
    return by_call and id_of("", "", other.text) == id_of("", "", report.text)


def _page(report: Report, summary: str) -> str:
    fields = {name: getattr(report, name) for name in _FIELDS}
    told = {"id": front_matter.Plain(report.id), **fields, "summary": summary}
    return front_matter.written(told, f"\n{report.text.strip()}\n")


def all_reports(home: str) -> list[Report]:
    """Return every report without its text, newest first. No link is followed."""
    found = [report for path in _paths(home) if (report := read(home, path)) is not None]
    return sorted(found, key=lambda report: (report.at, report.path), reverse=True)


def forget(home: str, agent: str, session: str) -> int:
    """Remove what sub-agents of a session handed over, or a sub-agent whose session it is; return how many files."""
    own = [one for one in all_reports(home) if one.agent == agent and session in (one.session, one.parent)]
    for one in own:
        files.remove(os.path.join(home, one.path))
    return len(own)


def read(home: str, path: str) -> Report | None:
    """Return the report of a file, or None where it is none."""
    try:
        text = files.read(os.path.join(home, path), _MAX_FILE).decode("utf-8", "replace")
    except HoldfastError:
        return None
    document = front_matter.parse(text)
    if not document.entries:
        return None
    told = {name: value for name, value in front_matter.values(document)[0].items() if isinstance(value, str)}
    return Report(**{name: told.get(name, "") for name in _FIELDS}, text=document.body.strip(), path=path)


def find(home: str, name: str) -> Report:
    """Return the report with that id, path or name of a file; NotFound where there is none."""
    wanted = os.path.basename(name.strip())
    ends = (f"/{wanted}", f"/{wanted}.md", f"-{wanted}.md")
    for path in [path for path in _paths(home) if wanted and path.endswith(ends)]:
        if (report := read(home, path)) is not None:
            return report
    raise NotFound(f"there is no research record {name!a}", "`holdfast research` lists them.")


def _paths(home: str) -> list[str]:
    """Return the file of every report, relative to the home, the oldest month first."""
    names = [] if files.link_on_the_way(home, FOLDER) else files.folders_in(os.path.join(home, FOLDER))
    months = [f"{FOLDER}/{name}" for name in names]
    return [f"{month}/{name}" for month in months for name in files.names_in(os.path.join(home, month), ".md")]


def _slug(text: str, most: int) -> str:
    plain = "".join([letter if letter.isascii() and letter.isalnum() else " " for letter in text.lower()])
    return "-".join(plain.split())[:most].strip("-") or "report"
