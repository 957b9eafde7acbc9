"""The extractors: one small function a kind of signal, from a session as it is seen to what it shows."""

from __future__ import annotations

from collections import Counter

from holdfast.patterns.extracting import commands, people, work
from holdfast.patterns.extracting.found import Found
from holdfast.patterns.signals import KINDS, Signal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from holdfast.patterns.acts import Seen

    Extract = Callable[[Seen], Iterator[Found]]

MAX_OF_A_KIND = 60
MAX_TEXT = 300
EXTRACTORS: dict[str, Extract] = {
    "failed-command": commands.failed_commands,
    "retry-loop": commands.retry_loops,
    "edit-churn": work.churn,
    "correction": people.corrections,
    "low-rating": people.low_ratings,
    "high-rating": people.high_ratings,
    "permission-denied": commands.refusals,
    "context-overflow": work.overflows,
    "red-green": commands.red_to_green,
    "long-detour": commands.detours,
    "fix-worked": commands.fixes,
    "lookup-anew": work.lookups,
}


def signals_of(seen: Seen) -> list[Signal]:
    """Return the signals of a session, kind by kind, of each kind the first MAX_OF_A_KIND different ones.

    The same thing twice in a session is one signal with `times` 2: what counts is in how many sessions it is.
    """
    return [signal for kind, extract in EXTRACTORS.items() for signal in _of_kind(kind, seen, extract)]


def _of_kind(kind: str, seen: Seen, extract: Extract) -> list[Signal]:
    first: dict[str, Found] = {}
    times: Counter[str] = Counter()
    for found in extract(seen):
        if not found.signature or (found.signature not in first and len(first) >= MAX_OF_A_KIND):
            continue
        first.setdefault(found.signature, found)
        times[found.signature] += 1
    return [_signal(kind, seen, found, times[signature]) for signature, found in first.items()]


def _signal(kind: str, seen: Seen, found: Found, times: int) -> Signal:
    known, act = KINDS[kind], found.act
    return Signal(
        kind=kind,
        signature=found.signature,
        text=" ".join(found.text.split())[:MAX_TEXT],
        agent=seen.agent,
        session=seen.session,
        project=seen.project,
        at=act.at or seen.at,
        place=act.place,
        line=act.line,
        severity=found.severity or known.severity,
        good=known.good,
        times=times,
        bound=found.bound,
        fingerprint=found.fingerprint,
        whole=seen.whole,
    )


__all__ = ["EXTRACTORS", "Found", "signals_of"]
