"""Lessons in a session: what a person corrected or rated low, failures that were put right, notes of the agent.

No model is asked. A statement says what to do, or what not to do again, in the words that were said and in a sentence
that makes sense alone: a remark that points at what only its session knows is none. Where and after what it was said is
the evidence. Only the person's own words count, and of the agent's only lines that it marked as learned, and those only
beside other evidence in the same session.

A session that was rated low may be missing in the archive: its agent keeps no transcript that can be read, or it was
gone before a sweep. It is harvested from what hooks told the journal, once its rating is so old that no sweep will come
any more; the outputs of its tools are not known.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice

from holdfast.base import clock
from holdfast.base.text import one_line
from holdfast.continuity.messages import statement
from holdfast.errors import HoldfastError
from holdfast.language import triggers
from holdfast.language.likeness import FEWEST, words_of
from holdfast.language.ratings import Rating
from holdfast.learning.fixes.harvest import found_in
from holdfast.learning.lessons import standing as lesson_standing
from holdfast.learning.lessons.categories import (
    labelled,
    names_a_lesson,
    points_elsewhere,
    rule_in,
    takes_back,
    tells_off,
)
from holdfast.learning.lessons.model import UNSURE, Evidence
from holdfast.learning.ratings.harvest import LOW, by_session, low_ratings, place_of
from holdfast.privacy import speech
from holdfast.records import Event, Session, SessionEvent
from holdfast.sessions.archive import Archive
from holdfast.sessions.digest import digest
from holdfast.sessions.facts import Digest
from holdfast.sessions.parts import Finding
from holdfast.workspace import Workspace

_SHORTEST_NOTE = 20
_MAX_QUOTE = 200
_LONG_MESSAGE = 300
_MAX_BEFORE = 200
_MAX_NOTES = 5
_MAX_FAILURES = 5
_MAX_STEPS = 2
_MAX_TOLD_OFF = 2_000
# The evidence of ratings that nobody heard a person give.
_UNHEARD = {"passed-on": "passed-on", "imported": "import"}
# Where a file lies, and how long something took, is of one session only.
_WHERE = re.compile(r"(?:[A-Za-z]:)?(?:[\\/][\w.@+-]+){2,}(?=[\\/])[\\/]|\s*\(?\b\d+(?:\.\d+)?\s?m?s\b\)?")
# Signs before an error that say only that it is one, and brackets in which a number stood.
_SIGNS = re.compile(r"\A(?:[^\w'\"(]|\((?:fail|error)\)|(?:error|fail|failed):)+|\s*(?:\(\s*\)|\[\s*\])", re.IGNORECASE)
# An error that is but the name of a test.
_TEST_NAME = re.compile(r"\(fail\) |--- FAIL|FAILED \S+::|FAIL +\S|● ")
# The moments of which a session is told, and the field of each that says something.
_ROLES = {
    "prompt": ("human", "prompt"),
    "stop": ("assistant", "answer"),
    "tool": ("tool", ""),
    "tool-failed": ("tool", ""),
}
# So long after a rating a sweep may still bring its session.
_PATIENCE_SECONDS = 3_600


@dataclass(frozen=True, slots=True)
class Learned:
    """One occurrence as it was found: what the lesson would say, and the evidence."""

    statement: str
    evidence: Evidence
    category: str = ""
    project: str = ""


def harvest(workspace: Workspace, digest: Digest, events: Sequence[SessionEvent]) -> Iterable[Finding]:
    """Yield the lessons of a session; none of a sub-agent's, to whom no person speaks."""
    session = digest.session
    if session.is_subagent:
        return
    for one in learned(digest, events, low_ratings(workspace.home, session.agent, session.id)):
        project = one.project or session.project
        keep = partial(lesson_standing.occurred, workspace, one.statement, project, one.evidence, category=one.category)
        yield Finding("lesson", one.statement, one.evidence.at, session.name, keep)


def learned(digest: Digest, events: Sequence[SessionEvent], ratings: Sequence[Rating]) -> Iterator[Learned]:
    """Yield what a session with these low ratings teaches, each message once."""
    said = list(_said(digest.session, events, ratings))
    fixed = list(_fixed(digest, events))
    yield from said
    yield from fixed
    if said or fixed:
        yield from islice(_notes(digest.session, events), _MAX_NOTES)


def _said(session: Session, events: Sequence[SessionEvent], ratings: Sequence[Rating]) -> Iterator[Learned]:
    """Yield what the person said: low ratings with their comment first, then what they stated or corrected."""
    taken = set()
    for rating in ratings:
        quote = one_line(rating.comment or rating.text, _MAX_QUOTE)
        at = place_of(rating, events)
        taken.add(at)
        # Of a long message nobody knows which sentence shows the mood.
        is_long = rating.source == "implicit" and len(rating.text) > _LONG_MESSAGE
        if len(words_of(quote)) >= FEWEST and not is_long:
            yield from _of_rating(session, rating, quote, events, at)
    spoken = False
    for at, event in enumerate(events):
        if event.role == "human" and at not in taken:
            yield from _of_message(session, events, at, may_correct=spoken)
        # Before anything was done there is nothing to correct.
        spoken = spoken or event.role in ("assistant", "tool")


def _of_rating(
    session: Session, rating: Rating, quote: str, events: Sequence[SessionEvent], at: int
) -> Iterator[Learned]:
    """Yield what a low rating asks for, or says was done wrong; of a mood only what it says that the agent did."""
    is_told = not points_elsewhere(quote) and (
        rating.source != "implicit" or quote.casefold().startswith(("you ", "du "))
    )
    text = rule_in(quote) or (f'Do not do this again: "{quote.rstrip(".!")}".' if is_told else "")
    place = events[at].place if at < len(events) else 0
    kind = _UNHEARD.get(rating.source, "rating")
    evidence = Evidence(rating.at, session.agent, session.id, kind, quote, place, _before(events[:at]))
    if text:
        yield Learned(text, evidence, project=rating.project)


def _of_message(session: Session, events: Sequence[SessionEvent], at: int, *, may_correct: bool) -> Iterator[Learned]:
    event = events[at]
    when = event.at or session.ended or session.started
    for trigger in triggers.scan(speech.typed(event.text), _before(events[:at])):
        if not trigger.sure and trigger.kind != "correction":
            continue
        quote = one_line(trigger.text, _MAX_QUOTE)
        is_lesson = trigger.kind == "remember" and names_a_lesson(quote)
        is_correction = may_correct and trigger.kind == "correction" and tells_off(quote) and not takes_back(event.text)
        text = statement(quote) if is_lesson else rule_in(quote) if is_correction else ""
        if text and len(words_of(quote)) >= FEWEST:
            kind = "stated" if is_lesson else "correction" if trigger.sure else UNSURE
            evidence = Evidence(when, session.agent, session.id, kind, quote, event.place, _before(events[:at]))
            yield Learned(text, evidence)


def _before(before: Sequence[SessionEvent]) -> str:
    """Return the last sentence that the agent said before."""
    for event in reversed(before):
        if event.role == "assistant" and event.text.strip():
            lines = [line for line in event.text.splitlines() if line.strip()]
            return one_line(lines[-1], _MAX_BEFORE)
    return ""


def _fixed(digest: Digest, events: Sequence[SessionEvent]) -> Iterator[Learned]:
    """Yield failures of a command that another command, or another form of it, put right."""
    session = digest.session
    for fix in list(found_in(digest, events).values())[:_MAX_FAILURES]:
        quote = one_line(f"{fix.command}: {fix.error}", _MAX_QUOTE)
        steps = [step.removeprefix("ran ") for step in fix.steps if step.startswith("ran ")]
        if not steps or len(words_of(quote)) < FEWEST or _is_objected_to(steps, events):
            continue
        command, error = fix.command.replace("`", "'"), _SIGNS.sub("", _WHERE.sub("", fix.error))
        error = one_line(error, 160).replace('"', "'").rstrip(" .:")
        steps = [_WHERE.sub("", step) for step in steps]
        instead = steps[0].removesuffix(" instead")
        if instead != steps[0]:
            text = f'Run {instead}, not `{one_line(command, 100)}`: that fails with "{error}".'
        elif _TEST_NAME.match(fix.error.lstrip()):
            # One test of many says nothing about the cause; that it needs something first does.
            first = " and ".join(steps[:_MAX_STEPS])
            text = f"Before `{one_line(command, 100)}`, run {first}: without that its tests fail."
        else:
            text = f'When `{one_line(command, 100)}` fails with "{error}", run {" and ".join(steps[:_MAX_STEPS])}.'
        place = next((event.place for event in events if event.at == fix.at and event.role == "tool"), 0)
        evidence = Evidence(fix.at or session.ended, session.agent, session.id, "fixed", quote, place)
        yield Learned(text, evidence, category="system")


def _is_objected_to(steps: Sequence[str], events: Sequence[SessionEvent]) -> bool:
    """Whether the person tells the agent off for what it ran, by its name."""
    programs = {step.strip("`").split(maxsplit=1)[0].casefold() for step in steps if step.strip("` ")}
    return any(
        tells_off(one) and programs.intersection(one.casefold().replace("`", " ").replace(",", " ").split())
        for event in events
        if event.role == "human"
        for one in event.text[:_MAX_TOLD_OFF].splitlines()
    )


def _notes(session: Session, events: Sequence[SessionEvent]) -> Iterator[Learned]:
    """Yield the lines that the agent marked as learned, where they say what to do."""
    for event in events:
        for line in event.text.splitlines() if event.role == "assistant" and ":" in event.text else ():
            note = one_line(labelled(line), _MAX_QUOTE)
            rule = rule_in(note) if len(note) > _SHORTEST_NOTE and len(words_of(note)) >= FEWEST else ""
            if rule:
                when = event.at or session.ended or session.started
                evidence = Evidence(when, session.agent, session.id, "insight", note, event.place)
                yield Learned(rule, evidence)


def unarchived(workspace: Workspace, archive: Archive, now: str) -> Iterator[tuple[str, list[Rating]]]:
    """Yield name and low ratings of each session that was rated low some time ago and is not in the archive."""
    # By then no more is to come. What has no time is older than anything.
    settled = clock.seconds(now) - _PATIENCE_SECONDS
    for (agent, session), every in by_session(workspace.home).items():
        name, ratings = f"{agent}/{session}", [one for one in every if one.rating <= LOW]
        if not (agent and session and ratings and not any(clock.seconds(one.at) >= settled for one in ratings)):
            continue
        try:
            is_known = archive.has(name) or archive.is_forgotten(name)
        except HoldfastError:
            continue
        if not is_known:
            yield name, ratings


def told(workspace: Workspace, name: str, ratings: list[Rating]) -> tuple[Digest, list[SessionEvent]]:
    """Return such a session as hooks told it, as far back as the newest part of the journal goes."""
    agent, _, id = name.partition("/")
    found = [
        event
        for kind in _ROLES
        for event in workspace.journal.latest(kind)
        if (event.data.get("agent"), event.data.get("session")) == (agent, id) and not event.data.get("subagent")
    ]
    events = [_session_event(place, event) for place, event in enumerate(sorted(found, key=lambda event: event.at))]
    folder = str(found[0].data.get("folder", "")) if found else ""
    times = [event.at for event in events] or [ratings[0].at]
    project = next((one.project for one in ratings if one.project), "")
    session = Session(agent, id, folder=folder, project=project, started=times[0], ended=times[-1], events=len(events))
    return digest(session, events), events


def _session_event(place: int, event: Event) -> SessionEvent:
    role, field = _ROLES[event.kind]
    data = {name: str(event.data.get(name, "")) for name in ("tool", "tool_input", "error", field)}
    said = data[field] if field else ""
    return SessionEvent(
        *(place, role, speech.typed(said) if role == "human" else said, event.at),
        tool=data["tool"],
        input=data["tool_input"],
        output=data["error"],
        failed=event.kind == "tool-failed" or bool(data["error"]),
        answered=role == "tool",
    )
