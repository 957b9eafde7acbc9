"""The sessions that are compared when help is measured: what happened in each, and what each was given or not.

Only sessions with a digest and a file of signals count: of the others nobody knows what did not happen. A sub-agent
and a copy count as the session that they serve. Which sessions were drawn to be given nothing their receipts tell.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from holdfast.base import clock
from holdfast.inject.receipts import KIND, receipt_of
from holdfast.patterns import report, signal_files
from holdfast.patterns.estimates import Observed
from holdfast.patterns.signals import Signal
from holdfast.patterns.signatures import frame
from holdfast.records import MOMENTS, SCOPES, Receipt
from holdfast.sessions import names
from holdfast.sessions.archive import Archive
from holdfast.sessions.facts import Digest
from holdfast.workspace import Workspace

# A memory: the kind and the owner of its scope, and its key.
Place = tuple[str, str, str]
# Sessions without something, and sessions with it.
Groups = tuple[list[Observed], list[Observed]]
_COUNTED = ("retry-loop", "correction")


class SessionReceipts:
    """What the receipts of a session say: whether it was drawn for the comparison, and what was due to it.

    `due` has the tokens of each memory that was given, or would have been; `tokens` is all that was really given.
    """

    def __init__(self) -> None:
        self.is_drawn = False
        self.was_given = False
        self.was_withheld = False
        self.tokens = 0
        self.due: dict[Place, int] = {}

    @property
    def is_mixed(self) -> bool:
        """Whether it was given something and not given something else, as when the share was changed meanwhile."""
        return self.was_given and self.was_withheld

    def note(self, receipt: Receipt) -> None:
        """Take one more receipt of the session."""
        self.is_drawn = self.is_drawn or receipt.holdout > 0
        self.was_withheld = self.was_withheld or receipt.withheld
        self.was_given = self.was_given or not receipt.withheld
        self.tokens += 0 if receipt.withheld else receipt.tokens
        for given in receipt.given:
            if given.scope.kind in SCOPES:
                place = given.scope.kind, given.scope.owner, given.key
                self.due[place] = self.due.get(place, 0) + given.tokens


@dataclass(frozen=True, slots=True)
class Study:
    """Sessions by their names, and what their receipts say. `waiting` have no signals yet, `left_out` never will.

    `signals` are those of the sessions, by kind and frame: near signatures have the same frame. `due` are the sessions
    to which a memory was due.
    """

    sessions: dict[str, Observed]
    signals: dict[tuple[object, ...], list[Signal]]
    told: dict[str, SessionReceipts]
    due: dict[Place, list[str]]
    waiting: int = 0
    left_out: int = 0

    def is_in(self, name: str, *, withheld: bool) -> bool:
        """Whether a session is in the group from which injections were withheld, or in the other one."""
        told = self.told.get(name)
        return told is not None and told.is_drawn and not told.is_mixed and told.was_withheld == withheld

    def had(self, name: str) -> bool:
        """Whether nothing was withheld from a session."""
        told = self.told.get(name)
        return told is None or not told.was_withheld


def study(workspace: Workspace, since: str = "") -> Study:
    """Return what is known of the sessions that began since then."""
    whole: dict[str, str] = {}
    found: dict[str, Observed] = {}
    archive = Archive(workspace.home)
    looked_at = set(signal_files.stems(workspace.home))
    # Where the events are gone too, nobody can look for signals any more.
    readable = {entry.name for entry in archive.entries() if entry.raw_bytes}
    missing: list[str] = []
    for digest in archive.digests():
        session = digest.session
        if not (digest.asks or digest.calls):
            continue
        name = f"{session.agent}/{session.parent or session.id}"
        whole[session.name] = name
        if (names.stem_of(session.agent), names.stem_of(session.id)) in looked_at:
            found[name] = _with(found.get(name), name, digest)
        else:
            missing.append(session.name)
    signals = [one for one in report.gather(workspace).signals if one.counted_as in found]
    for signal in signals:
        if signal.kind in _COUNTED:
            one, times = found[signal.counted_as], signal.times
            is_retry = signal.kind == "retry-loop"
            found[one.name] = replace(
                one,
                retries=one.retries + times * is_retry,
                corrections=one.corrections + times * (not is_retry),
            )
    kept = {name: one for name, one in found.items() if one.started >= since}
    told = _told(workspace, whole)
    waiting = len(readable.intersection(missing))
    by_frame: dict[tuple[object, ...], list[Signal]] = {}
    for signal in signals:
        if signal.counted_as in kept:
            by_frame.setdefault((signal.kind, frame(signal.signature)), []).append(signal)
    due: dict[Place, list[str]] = {}
    for name, receipts in told.items():
        for place in receipts.due:
            due.setdefault(place, []).append(name)
    return Study(kept, by_frame, told, due, waiting, len(missing) - waiting)


def drawn(study: Study, names: Iterable[str], since: str = "") -> Groups:
    """Return of these sessions those that were drawn to be given nothing, and those that were drawn to be given all."""
    known = [study.sessions[name] for name in names if name in study.sessions]
    late = [one for one in known if one.started >= since]
    return [one for one in late if study.is_in(one.name, withheld=True)], [
        one for one in late if study.is_in(one.name, withheld=False)
    ]


def _with(before: Observed | None, name: str, digest: Digest) -> Observed:
    """Return a session with what one of its parts shows: itself, a sub-agent, or a copy."""
    session, cost = digest.session, digest.session.cost
    before = before or Observed(name, session.agent)
    is_main = name == session.name
    started = session.started or session.ended
    return replace(
        before,
        project=session.project if is_main or not before.project else before.project,
        started=min(filter(None, (before.started, started)), default=""),
        ended=max(before.ended, session.ended),
        errors=before.errors + digest.failed_calls,
        tokens=before.tokens + cost.input + cost.output + cost.cache_read + cost.cache_write + cost.reasoning,
        # Sub-agents work while their session waits.
        seconds=_seconds(session.started, session.ended) if is_main else before.seconds,
    )


def _seconds(started: str, ended: str) -> int:
    try:
        return int(clock.days_between(started, ended) * clock.DAY_SECONDS)
    except ValueError:
        return 0


def _told(workspace: Workspace, whole: dict[str, str]) -> dict[str, SessionReceipts]:
    found: dict[str, SessionReceipts] = {}
    for event in workspace.journal.events(KIND):
        receipt = receipt_of(event)
        # What an agent asked for itself was no injection, and is never withheld.
        if receipt.session and receipt.moment in MOMENTS:
            name = f"{receipt.agent}/{names.known_id(receipt.session)}"
            found.setdefault(whole.get(name, name), SessionReceipts()).note(receipt)
    return found
