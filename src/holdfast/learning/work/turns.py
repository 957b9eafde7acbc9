"""From the rows of a session into its work items: which item is worked on, what was done for it, how far it is.

An ask becomes a work item when the agent acts on it: it changed a file, or ran a command that does more than look.
Where the agent's hooks tell of no tools, a second ask that goes on with the first one does it. So talk leaves nothing
behind. A session works on an item of its own, or goes on with an open one that no living session works on.

An item of a session that is over is completed only when its criteria are met by evidence, or by the person's word; else
it stays open for the next session. What ended a moment ago is left alone: the harvest learns from it first.
"""

from __future__ import annotations

import os
import time
from itertools import pairwise

from holdfast.base import clock, files
from holdfast.base.light_records import dataclass, replace
from holdfast.base.minijson import dumps, loads
from holdfast.base.rows import texts_in
from holdfast.base.text import DOTS, hash_of, one_line
from holdfast.continuity import messages
from holdfast.errors import HoldfastError
from holdfast.language import commands as shell_commands
from holdfast.language import tools, triggers
from holdfast.language.ratings import explicit
from holdfast.language.sentences import is_briefing
from holdfast.learning.work import criteria, plan_items, session_log
from holdfast.learning.work import model as work
from holdfast.learning.work import text as work_text
from holdfast.learning.work.criteria import Criteria, WorkEvidence
from holdfast.learning.work.model import Lineage, Work
from holdfast.learning.work.session_log import AGENT, FILE, OUTPUT, PASSED, PLAN, PROMPT, RUN, TOOL, Noted
from holdfast.store import front_matter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from holdfast.base.rows import Triple

# How much two asks must share to be about the same: within a session, and with an item of another one.
_SAME, _SAME_AS_OTHERS = 0.2, 0.5
_MIN_SHARED = 2
_MIN_WORDS = 4
_FITS_FOR_DAYS = 14
_LONGEST_PAUSE = 300
_MAX_ASKS = 200
_MAX_PENDING = 20
_MAX_SUMMARY = 100
_MAX_FINISHED = 2
_MAX_LEARNED = 20
# Where the turn is, beside the files of the sessions; what begins with a dot is none of them.
_TURN = ".turn"


@dataclass(frozen=True, slots=True)
class Ask:
    """What the person asked for; `is_question`: they only want to know something, unless a file is changed for it."""

    text: str
    at: str
    is_question: bool = False


def take_in(home: str, path: str, at: str, *, tells_tools: bool) -> Work | None:
    """Bring what a session's file says into its work items and return the one that it works on now.

    `tells_tools`: the hooks of its agent tell which tools are called.
    """
    noted = session_log.read(path)
    if noted is None:
        return None
    with work.lock(home, noted.project):
        # Another hook of this session may have done it meanwhile.
        noted = session_log.read(path)
        if noted is None or not noted.rows:
            return None
        tells_tools = tells_tools or any(row[0] == TOOL for row in noted.rows)
        turns = Turns(home, noted, at, tells_tools=tells_tools)
        turns.take(noted.rows)
        session_log.taken(home, noted, at, work=turns.current.id if turns.current else "", pending=turns.waiting())
    return turns.current


def judged(text: str) -> str:
    """Return what a message is to the work: `done`, `good`, `bad`, `on`, `ask`, `question`, `maybe` or nothing.

    What may be an ask is one only if files are changed for it, and there is no other.
    """
    if messages.wants_to_go_on(text):
        return "on"
    verdict = work_text.verdict(text)
    if verdict in ("done", "good"):
        return verdict
    told = work_text.steered(text)
    is_long = len(told) >= work_text.SHORT_ASK or "```" in told
    is_trivial = triggers.is_trivial(told) and not work_text.files_named(told)
    if verdict or not is_long or explicit(told) is not None or is_trivial or is_briefing(told):
        return verdict
    if not triggers.is_substantial_ask(told):
        return "maybe" if len(told.split()) >= _MIN_WORDS else ""
    return "question" if work_text.is_question(told) else "ask"


class Turns:
    """One pass over the rows of one session, under the lock of its project."""

    def __init__(self, home: str, noted: Noted, at: str, *, tells_tools: bool) -> None:
        self.home = home
        self.noted = noted
        self.at = at
        self.name = f"{noted.agent}/{noted.session}"
        self.current = self._known(noted.work)
        self.pending = [Ask(str(text), str(at), bool(asks)) for text, at, asks in _lists(noted.pending, 3)]
        self._tells_tools = tells_tools
        self._asks: list[Ask] = []
        self._rows: list[Triple] = []
        self._held: list[Triple] = []
        self._joined = False

    def _known(self, name: str) -> Work | None:
        """Return the item that the session works on: as its file says or, where that was lost, as the items say."""
        if name:
            try:
                return work.find(self.home, self.noted.project, name)
            except HoldfastError:
                return None
        lately = work.open_work(self.home, self.noted.project, _FITS_FOR_DAYS * 24) if self.noted.is_new else []
        return next((one for one in lately if one.sessions[-1:] == (self.name,)), None)

    def waiting(self) -> str:
        """Return what was asked and not begun, as the session's file keeps it."""
        return dumps([[ask.text, ask.at, ask.is_question] for ask in self.pending]) if self.pending else ""

    def take(self, rows: tuple[Triple, ...]) -> None:
        """Take the rows in order, and write what they change."""
        for row in rows:
            if row[0] == PROMPT:
                self._prompt(row)
            else:
                self._act(row)
        if self._is_at_work():
            # Commands alone begin no other piece of work.
            self._rows += self._held
        self._save()

    def _prompt(self, row: Triple) -> None:
        _, text, at = row
        kind = judged(text)
        if kind in ("done", "good", "bad"):
            self._rows.append((kind, text, at))
            if kind == "done":
                self._save()
        if kind == "on" and self.current is None and not self.pending:
            self.current = next(iter(self._others()), None)
            self._joined = self.current is not None
        if kind in ("ask", "question") or (kind == "maybe" and not self.pending):
            self._asked(Ask(text, at, kind != "ask"))

    def _is_at_work(self) -> bool:
        return self.current is not None and self.current.is_open

    def _asked(self, ask: Ask) -> None:
        if ask.is_question and self._is_at_work():
            # In the middle of a piece of work, people ask about it.
            return
        if self.pending:
            same = _goes_on(ask, work_text.topic([one.text for one in self.pending]))
            self.pending = [*self.pending, ask][-_MAX_PENDING:] if same else [ask]
            if same and not self._tells_tools and not ask.is_question:
                self._open()
        elif self.current is not None and self._is_at_work() and _goes_on(ask, _topic_of(self.current)):
            self._asks.append(ask)
        else:
            self._held = []
            self.pending = [ask]

    def _act(self, row: Triple) -> None:
        kind = row[0]
        if self.pending:
            self._held.append(row)
            ran = kind in (RUN, PASSED) and not all(ask.is_question for ask in self.pending)
            if kind == FILE and self._is_of_current(row[1]):
                # It is about the same files, so what was asked is a part of the current item.
                self._asks += self.pending
                self._rows += self._held
                self.pending, self._held = [], []
            elif kind == FILE or (ran and not self._is_at_work()):
                self._open()
        elif self.current is not None:
            self._rows.append(row)

    def _is_of_current(self, path: str) -> bool:
        """Whether a file was changed for the current item before."""
        if self.current is None or not self.current.is_open:
            return False
        return path in self.current.lineage.files_changed or any(row[:2] == (FILE, path) for row in self._rows)

    def _open(self) -> None:
        """Make a work item of what was asked, or go on with the open one that it fits."""
        self._save()
        first = next((ask for ask in self.pending if not ask.is_question), self.pending[0])
        fitting = self._fitting() if self.current is None else None
        if fitting is not None:
            self.current, self._joined, self._asks = fitting, True, list(self.pending)
        else:
            isc = _with_asks(Criteria(), self.pending)
            new = Work(
                *("", work_text.title_of(first.text) or "Work", self.noted.project),
                sessions=(self.name,),
                created_at=first.at,
                updated_at=self.at,
            )
            isc = criteria.versioned(Criteria(), isc, self.at, "quick", closed=False)
            self.current = work.make(self.home, new, isc)
            keep_asks(self.current, self.pending)
        self._rows, self._held, self.pending = [*self._held], [], []

    def _others(self) -> list[Work]:
        """Return the open items of the project that no living session works on."""
        home, project = self.home, self.noted.project
        noted = [one for one in session_log.sessions(home) if one.project == project]
        living = {f"{one.agent}/{one.session}" for one in noted if not session_log.is_over(home, one)} - {self.name}
        open_ones = work.open_work(home, project, _FITS_FOR_DAYS * 24)
        return [one for one in open_ones if living.isdisjoint(one.sessions[-1:])]

    def _fitting(self) -> Work | None:
        """Return the open item of another session that what was asked, or what was changed for it, fits."""
        texts, changed = [ask.text for ask in self.pending], [row[1] for row in self._held if row[0] == FILE]
        named = [name for text in texts for name in work_text.files_named(text)]
        about = work_text.topic(texts, named)
        for one in self._others():
            other = _topic_of(one)
            shared = len(about.stems & other.stems)
            same_files = bool(changed) and all(path in one.lineage.files_changed for path in changed)
            alike = shared >= _MIN_SHARED and work_text.likeness(about, other) >= _SAME_AS_OTHERS
            if alike or (same_files and shared >= _MIN_SHARED):
                return one
        return None

    def _save(self) -> None:
        """Write what was gathered for the current item."""
        rows, asks = self._rows, self._asks
        self._rows, self._asks = [], []
        if self.current is None or not (rows or asks or self._joined):
            return
        self._joined = False
        self.current = updated(self.home, self.current, self.name, rows, asks, self.at)


def updated(home: str, one: Work, session: str, rows: list[Triple], asks: list[Ask], at: str) -> Work:
    """Return a work item with what happened for it; it is written. Call it under the lock of its project."""
    before = known_criteria(one)
    lineage = work.extended(one.lineage, lineage_of(rows))
    effort = work.effort_of(lineage)
    isc = _with_asks(before, asks) if before else Criteria()
    for _, text, when in [row for row in rows if row[0] == PLAN]:
        plan = [tools.Planned(str(entry), bool(ticked)) for entry, ticked in _lists(text, 2)]
        isc = criteria.planned(isc, plan, when)
    is_closed = not one.is_open
    for seen in _seen(rows, lineage.files_changed, at):
        isc = criteria.applied(isc, seen)
        is_closed = seen.said == "done" or (is_closed and seen.said != "bad")
    keep_asks(one, asks)
    keep_outputs(one, rows)
    sessions = (*[each for each in one.sessions if each != session], session)
    after = replace(one, lineage=lineage, effort=effort, sessions=sessions[-work.MAX_NAMES :], updated_at=at)
    return keep(after, before, isc, at, is_closed=is_closed)


def known_criteria(one: Work) -> Criteria | None:
    """Return the criteria of an item, None where somebody broke their file: then it is left as it is."""
    try:
        return criteria.read(one.path)
    except HoldfastError:
        return None


def keep(one: Work, before: Criteria | None, isc: Criteria, at: str, *, is_closed: bool = False) -> Work:
    """Write an item with its criteria: as one that is worked on, or as completed with their last version.

    A file in `verification/` says for each criterion that evidence has just decided what that was.
    """
    if before is not None and (isc != before or (is_closed and one.is_open)):
        status = {each.id: each.status for each in before.every}
        for each in isc.every:
            if each.status in (criteria.SATISFIED, criteria.FAILED) and status.get(each.id) != each.status:
                keep_verification(one, each, "".join(each.source_events[-1:]))
        criteria.write(one.path, criteria.versioned(before, isc, at, one.effort, closed=is_closed))
    if is_closed:
        return work.write(replace(one, status=work.COMPLETED, completed_at=one.completed_at or at))
    return work.write(replace(one, status=work.ACTIVE, completed_at=""))


def keep_verification(one: Work, each: criteria.Criterion, text: str) -> str:
    """Write what decided a criterion into `verification/` and return the file."""
    name = f"{work_text.slug_of(each.id)}_{hash_of(each.status, text, length=8)}.md"
    return work.put(one, "verification", name, f"{each.id} {each.status}: {each.text}\n\n{text}\n")


def _goes_on(ask: Ask, other: work_text.Topic) -> bool:
    """Whether an ask is about what a topic is about: by how it begins, by its words or by its files."""
    about = work_text.topic([ask.text], work_text.files_named(ask.text))
    return work_text.points_back(ask.text) or work_text.likeness(about, other) >= _SAME


def _topic_of(one: Work) -> work_text.Topic:
    isc = known_criteria(one) or Criteria()
    return work_text.topic([one.title, isc.ideal, *[each.text for each in isc.every]], one.lineage.files_changed)


def _with_asks(isc: Criteria, asks: list[Ask]) -> Criteria:
    tasks = [ask for ask in asks if not ask.is_question]
    for ask in tasks or asks:
        told = plan_items.asked(work_text.steered(ask.text) or ask.text, further=bool(isc.ideal))
        isc = isc if isc.ideal else replace(isc, ideal=told.ideal)
        for anti, texts in ((False, told.criteria), (True, told.anti_criteria)):
            for text in texts:
                if len(isc.every) < criteria.MAX_GIVEN:
                    isc = criteria.added(isc, text, f"ask {ask.at}", anti=anti)
    return isc


def keep_asks(one: Work, asks: list[Ask]) -> None:
    """Write what was asked into `items/`, one file each."""
    for ask in asks:
        names = work.names_in(one, "items")
        stamp = ask.at.replace(":", "").replace("-", "")
        if len(names) < _MAX_ASKS and not any(stamp in name for name in names):
            slug = work_text.slug_of(work_text.title_of(ask.text))[:40].rstrip("-")
            work.put(one, "items", f"{len(names) + 1:03}_{stamp}_{slug}.md", f"{ask.text.strip()}\n")


def keep_outputs(one: Work, rows: list[Triple]) -> None:
    """Put what sub-agents said into `agents/`, a file each; the same is kept once."""
    for _, text, at in [row for row in rows if row[0] == OUTPUT]:
        agent, answer = texts_in(text) or ("", "")
        end = f"_{work_text.slug_of(agent or 'agent')[:24]}_{hash_of(answer, length=6)}.md"
        names = work.names_in(one, "agents")
        if len(names) >= _MAX_ASKS or any(name.endswith(end) for name in names):
            continue
        first = next((line.strip("#* ") for line in answer.split("\n") if line.strip("#* ")), "")
        told = {"agent": agent, "at": at, "summary": one_line(first, _MAX_SUMMARY, DOTS)}
        text = front_matter.written(told, f"\n{answer}\n")
        work.put(one, "agents", f"{at.replace(':', '').replace('-', '')}{end}", text)


def lineage_of(rows: list[Triple]) -> Lineage:
    """Return what the rows of an item say of how it was made."""
    tools, changed, spawned = ([text for kind, text, _ in rows if kind == wanted] for wanted in (TOOL, FILE, AGENT))
    times = [int(at) for row in rows if (at := clock.seconds(row[2])) > 0]
    pauses = [later - earlier for earlier, later in pairwise(times)]
    seconds = sum(min(pause, _LONGEST_PAUSE) for pause in pauses if pause > 0)
    return Lineage(_once(tools), _once(changed), _once(spawned), len(tools), seconds)


def _once(texts: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))


def _seen(rows: list[Triple], changed: tuple[str, ...], at: str) -> list[WorkEvidence]:
    """Return the evidence in rows, in order: what ran after the last change, and what the person said."""
    found: list[WorkEvidence] = []
    passed, commits = "", []
    for kind, text, when in rows:
        if kind == FILE:
            passed = ""
        elif kind == PASSED:
            ran = shell_commands.parse(text)
            passed = text if any(one.kind == "test" for one in ran) else passed
            commits += [shell_commands.subject_of(one) or "a commit" for one in ran if one.kind == "commit"]
        elif kind in ("done", "good", "bad"):
            found.append(WorkEvidence(when, said=kind, words=text))
    if changed:
        found.insert(0, WorkEvidence(at, passed, "", tuple(commits), changed))
    return found


def _lists(text: str, length: int) -> Iterator[list[object]]:
    """Yield the lists of so many values that a row has as JSON; none where somebody broke it."""
    try:
        value = loads(text) if text else []
    except ValueError:
        return
    yield from [one for one in value if isinstance(one, list) and len(one) == length] if isinstance(value, list) else ()


def finish_left(home: str, left: list[Noted], at: str) -> int:
    """Bring in what sessions left that are over, and close those of their items that are met; return how many.

    A start has time for a few. The next one goes on behind them, so that what cannot be finished keeps nobody waiting.
    """
    now = time.time()
    for noted in left:
        if now - noted.changed > session_log.KEPT_SECONDS and not noted.rows:
            files.remove(noted.path)
    closed, problems = 0, []
    for noted in _turn_of(home, left):
        try:
            closed += _finish(home, noted, at)
        except HoldfastError as problem:
            problems.append(problem)
    if problems:
        # The others are done; now whoever keeps the log may know of the first one.
        raise problems[0]
    return closed


def _turn_of(home: str, left: list[Noted]) -> list[Noted]:
    """Return those whose turn it is, and note where the next start goes on."""
    if len(left) <= _MAX_FINISHED:
        return left
    path = os.path.join(session_log.folder_of(home), _TURN)
    last = files.read_if_there(path).decode("ascii", "replace")
    in_turn = sorted(left, key=lambda noted: (os.path.basename(noted.path) <= last, noted.path))[:_MAX_FINISHED]
    # It is noted before: one that ends this process must not have its turn again and again.
    files.write(path, os.path.basename(in_turn[-1].path).encode("ascii", "replace"), durable=False)
    return in_turn


def finish_learned(home: str, is_learned: Callable[[str], bool], at: str) -> int:
    """Close what is met of sessions that ended after something was learned from them; return how many.

    Some agents tell of a session's end when their transcript is harvested already, and never tell of it again. What
    nobody started in for days is finished too, so that no project leaves its files to the starts of others.
    """
    every, now = session_log.sessions(home), time.time()
    old = [noted for noted in every if now - noted.changed > session_log.KEPT_SECONDS]
    closed = finish_left(home, old, at)
    over = [noted for noted in every if noted not in old and noted.work and session_log.is_over(home, noted)]
    latest = sorted(over, key=lambda noted: -noted.changed)[:_MAX_LEARNED]
    return closed + sum([_finish(home, noted, at) for noted in latest if is_learned(f"{noted.agent}/{noted.session}")])


def _finish(home: str, noted: Noted, at: str) -> bool:
    """Bring in what a session left, and close its item if it is met."""
    if noted.rows:
        take_in(home, noted.path, at, tells_tools=True)
        noted = session_log.read(noted.path) or noted
    if not noted.work:
        return False
    with work.lock(home, noted.project):
        try:
            one = work.find(home, noted.project, noted.work)
        except HoldfastError:
            return False
        return close_if_met(one, f"{noted.agent}/{noted.session}", at)


def close_if_met(one: Work, session: str, at: str) -> bool:
    """Close an open item whose criteria are met, if that session was the last to work on it. Call it under the lock."""
    isc = known_criteria(one)
    if not one.is_open or one.sessions[-1:] != (session,) or isc is None or not isc.is_met():
        return False
    keep(one, isc, isc, at, is_closed=True)
    return True
