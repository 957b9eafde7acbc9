"""Rate a session from 1 to 10, list the ratings of a project, and take over those that another program wrote."""

from __future__ import annotations

import os
from dataclasses import dataclass

from holdfast.base import clock, files
from holdfast.base.clock import now
from holdfast.base.text import check_text
from holdfast.errors import BadInput, NotFound
from holdfast.language.moods import MIN_CONFIDENCE
from holdfast.language.ratings import HIGHEST, LOWEST, MAX_COMMENT, Rating, id_of
from holdfast.learning.ratings import model as signals
from holdfast.learning.ratings.hook import Judged, row_of
from holdfast.privacy import redact, speech
from holdfast.records import replace
from holdfast.sessions.archive import Archive
from holdfast.sessions.browse import list_sessions, projects_here
from holdfast.store.memory_file import as_time
from holdfast.workspace import Workspace

# A hook has heard the person before an agent can pass it on.
_HEARD_SECONDS = 600
_MAX_FILE = 64 * 2**20
# A middling rating that nobody gave in words says nothing.
_NO_SIGNAL = 5


@dataclass(frozen=True, slots=True)
class Rated:
    """A rating that was given; `action` is `added`, or `unchanged` where it was there already."""

    rating: Rating
    action: str
    redacted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Meant:
    """The session that a rating is about, and the project that it counts for."""

    agent: str
    session: str
    project: str


@dataclass(frozen=True, slots=True)
class Imported:
    """What became of the lines of a file: rows that are new, rows that were there, lines that say no rating."""

    new: tuple[Rating, ...]
    known: int
    passed_over: int


def rate(workspace: Workspace, number: str | int, comment: str = "") -> Rated:
    """Rate the session that is named, or the last one of this project, on behalf of the person."""
    workspace.need_enabled()
    rating, said = _number(number), _checked(comment)
    meant = _session_meant(workspace)
    text = f"{rating} - {said}" if said else str(rating)
    return _written(workspace, rating, said, text, meant)


def pass_on(workspace: Workspace, number: int, words: str, *, agent: str, session: str) -> Rated:
    """Write down the rating that the person gave an agent in words; words that they did not say are refused."""
    workspace.need_enabled()
    rating, said = _number(number), _checked(words)
    if not said:
        raise BadInput("the words of the person are missing", "Quote what they said.")
    if not session:
        # An agent that cannot name its session means the last one that a hook heard here.
        heard = _heard_last(workspace, agent)
        session = heard[2] if heard else ""
    told = [event.data for event in workspace.journal.latest("prompt")]
    prompts = [
        _plain(speech.typed(str(data.get("prompt", ""))))
        for data in told
        if (data.get("agent"), data.get("session")) == (agent, session)
    ]
    if any(prompts) and not any(_plain(said) in prompt for prompt in prompts):
        raise BadInput("the person did not say that in this session", "Quote their own words; rate nothing yourself.")
    given = [
        row for row in signals.read(workspace.home) if (row.agent, row.session, row.rating) == (agent, session, rating)
    ]
    if given and clock.seconds(now()) - clock.seconds(given[-1].at) <= _HEARD_SECONDS:
        return Rated(given[-1], "unchanged")
    source = "explicit" if any(prompts) else "passed-on"
    return _written(workspace, rating, said, said, _Meant(agent, session, _project(workspace)), source)


def ratings(workspace: Workspace, *, everywhere: bool = False, limit: int = 0) -> list[Rating]:
    """Return the ratings of this project, or of all, newest first; 0 is no limit."""
    if not workspace.enabled:
        return []
    projects = projects_here(workspace, everywhere=everywhere)
    found = [row for row in reversed(signals.read(workspace.home)) if projects is None or row.project in projects]
    return found[:limit] if limit else found


def plan_import(workspace: Workspace, path: str, project: str = "") -> Imported:
    """Return which ratings of a file of another program would be added; those that name none go to the project."""
    workspace.need_enabled()
    data = files.read(os.path.abspath(os.path.expanduser(path)), _MAX_FILE + 1)
    if len(data) > _MAX_FILE:
        raise BadInput(f"{path} has more than {_MAX_FILE:,} bytes", "Split it.")
    there = {row.id for row in signals.read(workspace.home)}
    new: dict[str, Rating] = {}
    known = passed_over = 0
    for line in data.split(b"\n"):
        row = signals.of_line(line)
        guessed = row is not None and row.source == "implicit"
        if row is None or (guessed and (row.confidence < MIN_CONFIDENCE or row.rating == _NO_SIGNAL)):
            passed_over += bool(line.strip())
            continue
        row = _cleaned(workspace, row, project)
        if row.id in there or row.id in new:
            known += 1
        else:
            new[row.id] = row
    return Imported(tuple(signals.in_order(new.values())), known, passed_over)


def apply_import(workspace: Workspace, plan: Imported) -> int:
    """Write the rows down and return how many were new."""
    return sum(signals.add(workspace.home, row) for row in plan.new)


def _written(
    workspace: Workspace, rating: int, comment: str, text: str, meant: _Meant, source: str = "explicit"
) -> Rated:
    judged = Judged(rating, source, comment, 1.0)
    row = row_of(judged, text, at=now(), agent=meant.agent, session=meant.session, project=meant.project)
    added = signals.add(workspace.home, row)
    return Rated(row, "added" if added else "unchanged", redact.redact(text)[1])


def _number(given: str | int) -> int:
    text = str(given).strip()
    number, _, of = text.partition("/")
    if not number.isascii() or not number.isdigit() or of not in ("", "10") or not LOWEST <= int(number) <= HIGHEST:
        raise BadInput(f"{text!a} is not a rating", f"Use a whole number from {LOWEST} to {HIGHEST}.")
    return int(number)


def _checked(text: str) -> str:
    check_text(text)
    said = " ".join(text.split())
    if len(said) > MAX_COMMENT:
        raise BadInput(f"the comment has {len(said):,} characters", f"Use at most {MAX_COMMENT}.")
    return said


def _project(workspace: Workspace) -> str:
    project = workspace.project_if_any()
    return project.id if project else ""


def _session_meant(workspace: Workspace) -> _Meant:
    """Return the session that was named, or the last one in this project."""
    if workspace.session:
        return _named(workspace, workspace.session)
    heard = _heard_last(workspace, "")
    listed = list_sessions(workspace, limit=1).sessions if _project(workspace) else ()
    if listed and (heard is None or listed[0].ended > heard[0]):
        return _Meant(listed[0].agent, listed[0].id, _project(workspace))
    if heard is None:
        raise NotFound("no session of this project is known", "Name one: holdfast rate 8 --session ID")
    return _Meant(heard[1], heard[2], _project(workspace))


def _named(workspace: Workspace, text: str) -> _Meant:
    """Return the session of that name, in the project that it was in, wherever it is rated from."""
    for event in workspace.journal.latest("prompt"):
        if event.data.get("session") == text:
            return _Meant(str(event.data.get("agent", "")), text, str(event.data.get("project") or _project(workspace)))
    found = Archive(workspace.home).session(Archive(workspace.home).resolve(text))
    return _Meant(found.agent, found.id, found.project or _project(workspace))


def _heard_last(workspace: Workspace, agent: str) -> tuple[str, str, str] | None:
    """Return time, agent and id of the session of this project that a hook heard last, of one agent or of any."""
    project = _project(workspace)
    for event in workspace.journal.latest("prompt") if project else ():
        told = event.data
        is_here = told.get("project") == project and told.get("session") and not told.get("subagent")
        if is_here and agent in ("", told.get("agent")):
            return event.at, str(told.get("agent", "")), str(told.get("session"))
    return None


def _plain(text: str) -> str:
    return " ".join("".join(letter if letter.isalnum() else " " for letter in text.casefold()).split())


def _cleaned(workspace: Workspace, row: Rating, project: str) -> Rating:
    """Return a foreign row with its time as ours are, without secrets, in the project that was named for it."""
    agent, session, comment, text = (redact.redact(one)[0] for one in (row.agent, row.session, row.comment, row.text))
    project = row.project or project or (_project(workspace) if workspace.asked_project else "")
    return replace(
        row,
        source=row.source if row.source == "implicit" else "imported",
        at=as_time(row.at),
        agent=agent,
        session=session,
        project=redact.redact(project)[0],
        comment=comment,
        text=text,
        id=row.id if not redact.redact(row.id)[1] else id_of(agent, session, row.at, text or f"{row.rating} {comment}"),
    )
