"""The byte budget of the archive: which raw files go, in which pass, and why. Digests always stay.

Four passes, each oldest first. `age`: analysed and older than the age. `soft`: analysed, while the raw files are over
the soft cap. `hard-analysed`: the same for the hard cap. `hard-unanalysed`: whatever is left, while they are over the
hard cap; only this one loses what no digest tells, and it says what. Pinned sessions stay in every pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from holdfast.base.text import count
from holdfast.records import Problem, Step, replace
from holdfast.sessions.archive import LOSES_DATA, Archive, ArchiveEntry, Usage

PASSES = ("age", "soft", "hard-analysed", LOSES_DATA)


@dataclass(frozen=True, slots=True)
class Caps:
    """The limits: bytes of raw files, days, bytes of digests. 0: there is no such limit."""

    soft: int = 0
    hard: int = 0
    days: int = 0
    distilled: int = 0


@dataclass(frozen=True, slots=True)
class Loss:
    """A session that goes although no digest tells of it: its name, its bytes, and when it ended."""

    name: str
    bytes: int
    at: str


@dataclass(frozen=True, slots=True)
class BudgetPlan:
    """What would go, in order. `act` of a step is its pass. `alert`: what no pass can mend, for a person to decide."""

    steps: tuple[Step, ...]
    freed: int
    usage_before: Usage
    usage_after: Usage
    data_loss: tuple[Loss, ...] = ()
    alert: str = ""

    @property
    def passes(self) -> dict[str, int]:
        """How many sessions go in each pass."""
        return {name: sum(step.act == name for step in self.steps) for name in PASSES}


def plan(entries: Iterable[ArchiveEntry], caps: Caps, now: str) -> BudgetPlan:
    """Return what must go for the archive to be within its caps at this time (ISO 8601). Nothing is touched."""
    entries = sorted(entries, key=lambda entry: (entry.at, entry.name))
    before = Usage(sum(entry.raw_bytes for entry in entries), sum(entry.digest_bytes for entry in entries))
    going = _Going(entries, before.raw)
    if caps.days:
        last_day = ""
        with suppress(OverflowError):
            then = datetime.fromisoformat(now).astimezone(UTC) - timedelta(days=caps.days)
            last_day = then.replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"
        reason = f"older than {count(caps.days, 'day')}"
        going.drop("age", lambda entry: entry.analysed and entry.at < last_day, -1, reason)
    if caps.soft:
        reason = f"raw files are over the soft cap of {sized(caps.soft)}"
        going.drop("soft", lambda entry: entry.analysed, caps.soft, reason)
    if caps.hard:
        reason = f"raw files are over the hard cap of {sized(caps.hard)}"
        going.drop("hard-analysed", lambda entry: entry.analysed, caps.hard, reason)
        going.drop(LOSES_DATA, lambda entry: not entry.analysed, caps.hard, f"{reason}, and no digest was made yet")
    after = Usage(going.usage, before.distilled)
    return BudgetPlan(
        tuple(going.steps), before.raw - after.raw, before, after, tuple(going.lost), _alert(entries, after, caps)
    )


def keep_within(archive: Archive, caps: Caps, now: str) -> tuple[BudgetPlan, tuple[Problem, ...]]:
    """Drop what must go; return what was done and the digests that could not be read.

    A session whose digest cannot be read counts as not analysed: its raw file goes only in the last pass.
    """
    first = made = plan(archive.entries(), caps, now)
    done: list[Step] = []
    lost: list[Loss] = []
    unreadable: dict[str, Problem] = {}
    while True:
        applied = archive.apply(made.steps)
        gone = {step.target for step in applied.steps}
        done += applied.steps
        lost += [loss for loss in made.data_loss if loss.name in gone]
        if applied.unreadable.keys() <= unreadable.keys():
            break
        unreadable |= applied.unreadable
        left = [replace(one, analysed=one.analysed and one.name not in unreadable) for one in archive.entries()]
        made = plan(left, caps, now)
    freed = sum(step.size for step in done)
    after = Usage(first.usage_before.raw - freed, first.usage_before.distilled)
    account = BudgetPlan(tuple(done), freed, first.usage_before, after, tuple(lost), made.alert)
    return account, tuple(unreadable.values())


def sized(count: int) -> str:
    """Return a number of bytes as people read it."""
    size, unit = float(count), "bytes"
    for larger in ("KiB", "MiB", "GiB", "TiB"):
        if size < 1_024:
            break
        size, unit = size / 1_024, larger
    return f"{size:.0f} {unit}" if unit == "bytes" or size == int(size) else f"{size:.1f} {unit}"


class _Going:
    """A plan in the making: what is still there, how much it takes, and the steps so far."""

    def __init__(self, entries: list[ArchiveEntry], usage: int) -> None:
        self.usage = usage
        self.steps: list[Step] = []
        self.lost: list[Loss] = []
        self._left = [entry for entry in entries if entry.raw_bytes and not entry.pinned]

    def drop(self, act: str, wanted: Callable[[ArchiveEntry], bool], cap: int, reason: str) -> None:
        """Drop the wanted ones, oldest first, until the raw files are within the cap; -1: all of them."""
        kept = []
        for entry in self._left:
            if self.usage <= cap or not wanted(entry):
                kept.append(entry)
                continue
            self.usage -= entry.raw_bytes
            self.steps.append(Step(act, entry.name, f"{reason}; ended {entry.at[:10]}", entry.raw_bytes))
            if act == LOSES_DATA:
                self.lost.append(Loss(entry.name, entry.raw_bytes, entry.at))
        self._left = kept


def _alert(entries: list[ArchiveEntry], after: Usage, caps: Caps) -> str:
    told = []
    if caps.hard and after.raw > caps.hard:
        pinned = [entry for entry in entries if entry.pinned and entry.raw_bytes]
        told.append(
            f"raw files take {sized(after.raw)}, over the hard cap of {sized(caps.hard)}: the {len(pinned)} that are"
            " left are pinned; unpin some, or raise archive.raw_hard_cap_bytes"
        )
    if caps.distilled and after.distilled > caps.distilled:
        told.append(
            f"digests take {sized(after.distilled)}, over archive.distilled_cap_bytes ({sized(caps.distilled)});"
            " they are never dropped by themselves"
        )
    return "; ".join(told)
