"""Work items of sessions that no hook told of: one for each plain ask of the person for which files were changed.

What happened speaks for the ask that it follows, until the person asks for something else, and for no other. A plain
ask that goes on with the one before is a demand of the same item, with its own evidence. Evidence is weighed as in a
digest (`sessions/work.py`); a demand to push or to merge is met by nothing less.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from holdfast.base.text import DOTS, one_line
from holdfast.continuity import messages
from holdfast.language import tools
from holdfast.learning.work import criteria, hook, session_log
from holdfast.learning.work import model as work
from holdfast.learning.work import text as work_text
from holdfast.learning.work import turns as work_turns
from holdfast.learning.work.criteria import Criteria, WorkEvidence
from holdfast.learning.work.model import Work
from holdfast.learning.work.plain_asks import PlainAsk, agreed_plan, goes_on, plain_ask
from holdfast.records import SessionEvent, replace
from holdfast.sessions.facts import Digest, OutcomeEvidence
from holdfast.sessions.parts import Finding
from holdfast.sessions.quotes import slash_command
from holdfast.sessions.work import ToolWork, outcome_of

# How much two asks must share to be about the same.
_SAME = 0.5
# What a demand says that only this evidence meets. To merge two lists is another matter than to merge a branch.
_DELIVERS = {
    **dict.fromkeys(("push", "pushed", "pushe", "pushen"), "pushed"),
    **dict.fromkeys(("pr", "pull"), "pull-request"),
    **dict.fromkeys(("deploy", "deployed", "publish"), "deployed"),
}
_MERGES = ("merge", "merge it", "merge this", "merge the pr", "merge to", "merge into", "merge directly", "mergen")
_TRUNKS = ("main", "master")
_ASKS: dict[str, Callable[[str], PlainAsk | None]] = {
    "human": plain_ask,
    "task": agreed_plan,
    "command": lambda text: plain_ask(slash_command(text)),
}


@dataclass(slots=True)
class AskSpan:
    """An ask and what followed it, until the person asked for something else."""

    ask: PlainAsk
    text: str
    at: str
    before: tuple[tools.Planned, ...] = ()
    work: ToolWork = field(default_factory=ToolWork)
    rows: list[tuple[str, str, str]] = field(default_factory=list)
    is_rejected: bool = False
    # The session as a whole went well, so that a check which failed in it may be no fault of the work.
    is_in_doubt: bool = False

    def met_by(self) -> list[OutcomeEvidence]:
        """Return what speaks for it, the weightiest first; nothing where something speaks against it."""
        found = outcome_of(self.work.evidence(in_doubt=self.is_in_doubt))
        # A linter alone decides nothing about a session, but it speaks for the one change that it followed.
        linted = {(one.name, one.weight) for one in found.evidence} == {("lint-passed", 0.5)}
        is_met = (found.kind == "success" or linted) and not self.is_rejected
        return [one for one in found.evidence if one.speaks_for == "success"] if is_met else []

    def planned(self) -> list[tools.Planned]:
        """Return what the agent planned for it; nothing of a plan that was carried out and never ticked."""
        known = {one.text for one in self.before}
        new = [one for one in self.work.plan if one.text not in known]
        return new if any(one.ticked for one in new) or not self.met_by() else []


@dataclass(slots=True)
class AskedWork:
    """A piece of work: the ask that began it, those that went on with it, and when the person asked for another thing.

    To have it committed is another thing, too: how the agent ends that says nothing of the work.
    """

    spans: list[AskSpan]
    left_at: str = ""

    @property
    def first(self) -> AskSpan:
        """Return the ask that began it."""
        return self.spans[0]


def findings(
    home: str, digest: Digest, events: Sequence[SessionEvent], mine: list[Work], changed: list[str]
) -> Iterator[Finding]:
    """Yield what makes the items of a session, or goes on with them; when kept, `changed` gets their ids."""
    session = digest.session
    for piece in pieces(digest, events):

        def keep(piece: AskedWork = piece) -> bool:
            with work.lock(home, session.project):
                one = _kept(home, digest, piece, mine)
            changed.extend([one.id] if one else [])
            return one is not None

        yield Finding("work", piece.first.ask.title, session.ended, session.name, keep)


def pieces(digest: Digest, events: Sequence[SessionEvent]) -> list[AskedWork]:
    """Return the pieces of work of a session for which files were changed."""
    found: list[AskedWork] = []
    span: AskSpan | None = None
    at, plan = digest.session.started[:19], list[tools.Planned]()
    for event in events:
        at = event.at[:19] or at
        if event.role in _ASKS and event.text.strip():
            ask = _ASKS[event.role](event.text)
            if found and at and not messages.wants_to_go_on(event.text):
                found[-1].left_at = found[-1].left_at or at
            if ask is None and goes_on(event.text):
                continue
            if ask is None and span is not None:
                span.is_rejected = work_text.verdict(event.text) == "bad"
            span = _asked(found, ask, event.text, f"{at}Z", plan) if ask and at else None
        elif event.role == "tool" and span is not None:
            _act(span, event, digest.session.folder, f"{at}Z")
            plan = span.work.plan
    if span is not None:
        span.is_in_doubt = digest.outcome.kind == "success"
    for piece in found:
        for one in piece.spans:
            one.work.finish()
    return [one for one in found if any(each.work.files for each in one.spans)]


def _asked(found: list[AskedWork], ask: PlainAsk, text: str, at: str, plan: list[tools.Planned]) -> AskSpan | None:
    """Return the span of an ask: of the last piece where it goes on with that, else of a new one."""
    span = AskSpan(ask, text, at, tuple(plan))
    span.work.plan = list(plan)
    points_back = work_text.points_back(text)
    last = found[-1] if found and found[-1].spans[-1].work.files else None
    if last is not None and (points_back or not ask.is_order or _is_same(last, ask)):
        last.spans.append(span)
        last.left_at = ""
    elif points_back:
        # What it goes on with is not known.
        return None
    else:
        found.append(AskedWork([span]))
    return span


def _is_same(piece: AskedWork, ask: PlainAsk) -> bool:
    """Whether an ask is about what a piece of work is about: by its words, or a file that was changed for it."""
    other = work_text.topic(
        [one.ask.title for one in piece.spans], [path for one in piece.spans for path in one.work.files]
    )
    about = work_text.topic(ask.wanted, work_text.files_named(" ".join(ask.wanted)))
    return work_text.likeness(about, other) >= _SAME


def _act(span: AskSpan, event: SessionEvent, folder: str, at: str) -> None:
    """Take a call for an ask."""
    known = set(span.work.files)
    span.work.take(event)
    ended = "failed" if event.failed else "passed" if event.answered else ""
    rows: list[tuple[str, str] | None] = [*hook.rows_of_call(folder, event.tool, event.input, ended)]
    if tools.spawns(event.tool) and ended == "passed":
        rows.append(hook.row_of_answer(tools.spawned(event.tool, event.input), event.output))
    told = {row[1] for row in rows if row}
    # What a script changed, `sed -i` or a line of the shell, no tool names.
    scripted = [one.path for whole, one in span.work.files.items() if whole not in known and one.path not in told]
    rows += [(session_log.FILE, path) for path in scripted]
    span.rows += [(*row, at) for row in rows if row]


def _kept(home: str, digest: Digest, piece: AskedWork, mine: list[Work]) -> Work | None:
    """Write the item of a piece of work; None where nothing changes. Call it under the lock of the project."""
    session, first = digest.session, piece.first
    new = Work(
        *("", first.ask.title, session.project),
        source=work.ARCHIVE,
        sessions=(session.name,),
        created_at=first.at,
        updated_at=first.at,
    )
    # A transcript that was copied has the same ask, and so the same item.
    path = os.path.join(work.folder_of(home, new.project), work.id_of(new))
    one = next((one for one in mine if one.created_at == first.at), None) or work.read(path, new.project)
    before = work_turns.known_criteria(one) if one else Criteria()
    if before is None:
        return None
    if one and one.source == work.ARCHIVE and not one.lineage.files_changed:
        # Whoever made it was killed before it was written out, and its criteria may be there already.
        before = Criteria()
    isc = replace(before, ideal=before.ideal or first.ask.wanted[0])
    for span in piece.spans:
        isc = _judged(isc, span)
    lineage = work_turns.lineage_of([row for span in piece.spans for row in span.rows])
    if one is None:
        one = work.make(home, new, criteria.versioned(Criteria(), isc, first.at, "quick", closed=False))
    elif isc == before and lineage == one.lineage and session.name in one.sessions:
        return None
    for span in piece.spans:
        work_turns.keep_asks(one, [work_turns.Ask(span.text, span.at)])
        work_turns.keep_outputs(one, span.rows)
    last = max([row[2] for span in piece.spans for row in span.rows], default=first.at)
    sessions = one.sessions if session.name in one.sessions else (*one.sessions, session.name)
    effort = work.effort_of(lineage)
    said = _reported(digest, piece)
    told = f"{work.BY_AGENT}{said}" if said else ""
    outcome = one.outcome if one.outcome and not one.outcome.startswith(work.BY_AGENT) else told
    one = replace(one, lineage=lineage, effort=effort, sessions=sessions[-work.MAX_NAMES :], updated_at=last)
    one = replace(one, outcome=one_line(outcome, work.MAX_OUTCOME, DOTS))
    # Criteria that were met may have been written by somebody who was killed before the item was closed.
    is_closed = isc.is_met() or (isc == before and not one.is_open)
    return work_turns.keep(one, before, isc, last, is_closed=is_closed)


def _reported(digest: Digest, piece: AskedWork) -> str:
    """Return how the agent ended a piece of work, before the person asked for another thing."""
    said = [one for one in (*digest.conclusions, digest.concluded) if one and one.kind == "conclusion"]
    since, until = piece.spans[-1].at[:19], piece.left_at
    ended = [one.text for one in said if since <= one.at[:19] and (not until or one.at[:19] < until)]
    return ended[-1] if ended else ""


def _judged(isc: Criteria, span: AskSpan) -> Criteria:
    """Return the criteria with what an ask demands, and how far the evidence says that it is met."""
    for anti, texts in ((False, span.ask.wanted), (True, span.ask.barred)):
        for text in texts:
            isc = criteria.added(isc, text, f"ask {span.at}", anti=anti) if len(isc.every) < criteria.MAX_GIVEN else isc
    planned = span.planned()
    last = span.rows[-1][2] if span.rows else span.at
    isc = criteria.planned(isc, planned, last)
    met = span.met_by()
    wanted = {text.casefold() for text in (*span.ask.wanted, *[one.text for one in planned if one.ticked])}
    for each in isc.criteria:
        is_open = each.text.casefold() in wanted and each.status != criteria.SATISFIED
        if is_open and (by := _meeting(each.text, met, span)):
            isc = criteria.marked(isc, each.id, criteria.SATISFIED, by)
    return criteria.applied(isc, WorkEvidence(last, files=tuple([one.path for one in span.work.changed_from("")])))


def _meeting(text: str, met: list[OutcomeEvidence], span: AskSpan) -> str:
    """Return what shows that a demand is met; nothing where nothing does."""
    spoken = work_text.plain(text)
    joined = " ".join(spoken)
    names = {_DELIVERS[word] for word in spoken if word in _DELIVERS}
    names |= (
        {"merged"} if joined.endswith(f" {_MERGES[0]}") or any(f" {one} " in joined for one in _MERGES[1:]) else set()
    )
    if not met or not names <= {one.name for one in met}:
        return ""
    trunks = [word for word in spoken if word in _TRUNKS]
    pushed = [line.split() for kind, line in span.work.runs if kind == "push"]
    if "pushed" in names and trunks and not any(trunk in line for trunk in trunks for line in pushed):
        return ""
    best = next((one for one in met if one.name in names), met[0])
    return f"commit: {best.text or 'made'}" if best.name == "committed" else f"{best.name}: {best.text}".rstrip(": ")
