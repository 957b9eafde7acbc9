"""Make an incident of a rating from 1 to 3: what was said, the last turns and tool calls, the likely cause, the events.

It is made from the archived events of the session. A rating makes one incident, however often its session is harvested,
and the same words in one session make one.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from functools import partial

from holdfast.base.terminal import harmless
from holdfast.base.text import ends_of, one_line
from holdfast.language.ratings import Rating, explicit
from holdfast.learning.incidents import model as incidents
from holdfast.learning.incidents.likely_cause import Cause, cause_of, shown
from holdfast.learning.incidents.model import WORST, Incidents
from holdfast.learning.lessons import model as lessons
from holdfast.learning.lessons.model import Evidence
from holdfast.learning.lessons.standing import cleaned
from holdfast.learning.ratings.harvest import low_ratings, place_of
from holdfast.memory import audit
from holdfast.privacy import redact
from holdfast.privacy.cleaning import Cleaner
from holdfast.records import Session, SessionEvent, Step, asdict
from holdfast.sessions.facts import Digest
from holdfast.sessions.parts import Finding
from holdfast.workspace import Workspace

_TURNS, _TURN = 10, 500
_CALLS, _CALL = 10, 200
# Of the transcript the last so many events stay, each text within its bound, all of them within another.
_EVENTS, _TEXT, _TRANSCRIPT = 400, 4_000, 1_000_000
_KEPT_CALLS, _INPUT, _OUTPUT = 50, 2_000, 1_000
_BEHIND = 2
_SPEAKERS = {"human": "The person", "assistant": "The agent"}


def harvest(workspace: Workspace, digest: Digest, events: Sequence[SessionEvent]) -> Iterable[Finding]:
    """Yield an incident for each rating of the session from 1 to 3."""
    session = digest.session
    # The same words in one session are one incident, also where hook and transcript tell them at different times.
    rated = {one.text or one.id: one for one in reversed(low_ratings(workspace.home, session.agent, session.id))}
    for rating in reversed(rated.values()):
        if rating.rating <= WORST:
            text = f"incident {incidents.name_of(rating.at, about(rating, events))}"
            keep = partial(make, workspace, rating, digest, events)
            yield Finding("incident", text, rating.at, session.name, keep)


def about(rating: Rating, events: Sequence[SessionEvent]) -> str:
    """Return what an incident is named after: what was said with the rating, or else what was asked for."""
    said = rating.comment or (rating.text if rating.source == "implicit" else "")
    asked = [] if said else _asked(events[: place_of(rating, events)])
    return cleaned(said or (one_line(asked[-1], _TURN) if asked else "")) or "no comment"


def _asked(before: Sequence[SessionEvent]) -> list[str]:
    """Return what the person said that is no rating, oldest first."""
    said = [event.text for event in before if event.role == "human" and event.text.strip()]
    return [text for text in said if explicit(text) is None]


def make(workspace: Workspace, rating: Rating, digest: Digest, events: Sequence[SessionEvent]) -> bool:
    """Write the incident of a rating; False where it is there already."""
    room = Incidents(workspace.home)
    path = room.find(rating.at, about(rating, events), rating.id)
    if room.has(path):
        return False
    end = place_of(rating, events)
    # They were cleaned when they were archived; what is known to be a secret by now is taken out once more.
    shown_events = list(Cleaner().events(events[max(0, end - _EVENTS) : end + _BEHIND]))
    before = shown_events[: min(end, _EVENTS)]
    sentiment = {
        name: redact.redact(value)[0] if isinstance(value, str) else value for name, value in asdict(rating).items()
    }
    calls = [
        {
            **{"place": event.place, "at": event.at, "tool": event.tool, "failed": event.failed},
            **{"input": _both_ends(event.input, _INPUT), "output": _both_ends(event.output, _OUTPUT)},
        }
        for event in [event for event in before if event.role == "tool"][-_KEPT_CALLS:]
    ]
    contents = {
        incidents.CONTEXT: _context(workspace, rating, digest, before).encode("utf-8", "replace"),
        incidents.SENTIMENT: incidents.as_json(sentiment),
        incidents.CALLS: incidents.as_json(calls),
        incidents.TRANSCRIPT: _transcript(shown_events),
    }
    return room.put(path, contents)


def keep_within(workspace: Workspace, *, dry_run: bool = False) -> list[Step]:
    """Keep the incidents within their budget; return what went, or would."""
    steps = incidents.plan(Incidents(workspace.home).all(), workspace.settings.number("learning.incident_bytes"))
    if not dry_run:
        incidents.apply(steps)
        with audit.Act(workspace, "prune incidents", keep=False) as act:
            for step in steps:
                act.done(os.path.relpath(step.target, workspace.home), step.reason)
    return steps


def _context(workspace: Workspace, rating: Rating, digest: Digest, before: Sequence[SessionEvent]) -> str:
    """Return the readable analysis of an incident."""
    session = digest.session
    quote = cleaned(rating.comment or rating.text)
    cause = cause_of(quote, before)
    asked = _asked(before)
    lesson = _lesson_of(workspace, rating, session)
    parts = [
        f"# Rated {rating.rating}: {one_line(quote, 120) or 'no comment'}",
        f"{rating.at}, {rating.source}, confidence {rating.confidence:g}, by the person, in {session.name}"
        f" (project {session.project or rating.project or 'none'}).",
        "## What was said",
        _quoted(cleaned(rating.text) or quote or "Only the number."),
        "## What had been asked",
        _quoted(one_line(asked[-1], _TURN)) if asked else "Not known.",
        "## Likely cause",
        _told_cause(cause),
        "## Last turns",
        "\n\n".join(_last_turns(before)) or "The archive has no events of this session.",
        "## Last tool calls",
        "\n".join(map(_call_line, [event for event in before if event.role == "tool"][-_CALLS:])) or "None.",
        "## More",
        f"- session: `holdfast sessions show {session.name} --raw`\n- lesson: {lesson}",
    ]
    return harmless("\n\n".join(parts)) + "\n"


def _told_cause(cause: Cause | None) -> str:
    if cause is None:
        return "Not clear: no tool call before it shares a word with what was said."
    sure = "" if cause.is_clear else "Perhaps "
    call = cause.call.replace("`", "'")
    output = one_line(cause.event.output, _CALL)
    told = f"\n\nIt answered:\n\n{_quoted(output)}" if output and cause.event.failed else ""
    return f"{sure}`{call}` (place {cause.event.place}): {', '.join(cause.signs)}.{told}"


def _lesson_of(workspace: Workspace, rating: Rating, session: Session) -> str:
    quote = one_line(cleaned(rating.comment or rating.text), 200)
    project = rating.project or session.project
    project = workspace.registry.known().canonical(project) if project else ""
    evidence = Evidence(rating.at, session.agent, session.id, "rating", quote)
    found = lessons.room(workspace.home).like(project, evidence) if quote else None
    return f"`holdfast lesson show {found.id}`" if found else "none, as nothing was said that could be one"


def _last_turns(before: Sequence[SessionEvent]) -> list[str]:
    turns = []
    for event in [event for event in before if event.role in _SPEAKERS and event.text.strip()][-_TURNS:]:
        when = f"{event.at or 'time not known'} (place {event.place})"
        turns.append(f"{_SPEAKERS[event.role]}, {when}:\n\n{_quoted(_both_ends(event.text, _TURN))}")
    return turns


def _call_line(event: SessionEvent) -> str:
    failed = " (failed)" if event.failed else ""
    call = one_line(shown(event), _CALL).replace("`", "'")
    return f"- place {event.place}, {event.tool}{failed}: `{call or event.tool}`"


def _transcript(events: Sequence[SessionEvent]) -> bytes:
    """Return the last events as lines of JSON, within their bounds."""
    lines: list[bytes] = []
    size = 0
    for event in reversed(events):
        told = {name: value for name, value in asdict(event).items() if value or name == "place"}
        plain = {name: _both_ends(value, _TEXT) if isinstance(value, str) else value for name, value in told.items()}
        line = json.dumps(plain, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
        size += len(line)
        if size > _TRANSCRIPT:
            break
        lines.append(line)
    return b"".join(reversed(lines))


def _both_ends(text: str, most: int) -> str:
    return ends_of(text, most // 2) if len(text) > most else text


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}" for line in text.strip().split("\n"))
