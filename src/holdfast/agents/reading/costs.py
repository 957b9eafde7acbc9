"""What a session cost: each message counted once, and told apart by the day and the model of the message."""

from __future__ import annotations

from itertools import zip_longest
from typing import Any

from holdfast.records import Cost, Spend, replace

# What is told of more days and models than these is counted without them.
_MAX_SPENDS = 200
_LONGEST_MODEL = 160
_MAX = 10**15


class Costs:
    """What messages cost: of several reports on one message the largest of each kind counts, once.

    `at` and `model` are those of the messages that come, where a report does not tell its own. Messages whose ids are
    in `skip` are not counted.
    """

    def __init__(self) -> None:
        self.at = ""
        self.model = ""
        self.skip: frozenset[str] = frozenset()
        self._by_message: dict[int, tuple[int, tuple[int, ...]]] = {}
        self._spends: dict[tuple[str, str], int] = {}
        self._sums: list[list[int]] = []
        self._dollars: list[float] = []

    def add(self, message: str, *kinds: object, at: str = "", model: str = "", dollars: float = 0.0) -> None:
        """Take a report: input without cache, output, cache read, cache write, reasoning. No id: it stands alone."""
        if message in self.skip:
            return
        counts = tuple(map(whole, kinds))
        key = hash(message)
        before = self._by_message.get(key) if message else None
        if before is None:
            spend, added = self._spend((at or self.at)[:10], (model or self.model)[:_LONGEST_MODEL]), counts
        elif before[1] == counts:
            return
        else:
            spend, told_before = before
            counts = tuple(map(max, zip_longest(counts, told_before, fillvalue=0)))
            added = tuple(map(int.__sub__, counts, (*told_before, 0, 0, 0, 0, 0)))
        sums = self._sums[spend]
        for kind, count in enumerate(added):
            sums[kind] += count
        self._dollars[spend] += dollars
        if message:
            self._by_message[key] = (spend, counts)

    def _spend(self, day: str, model: str) -> int:
        key = (day, model)
        if key in self._spends:
            return self._spends[key]
        if len(self._spends) >= _MAX_SPENDS:
            key = ("", "")
        if key not in self._spends:
            self._spends[key] = len(self._sums)
            self._sums.append([0] * 5)
            self._dollars.append(0.0)
        return self._spends[key]

    def spends(self) -> tuple[Spend, ...]:
        """Return what was paid for each model on each day, in order; what cost nothing is not told."""
        found = [Spend(*key, _cost(self._sums[at], self._dollars[at])) for key, at in sorted(self._spends.items())]
        return tuple(one for one in found if one.cost != Cost())

    def total(self) -> Cost:
        """Return the sum over all messages."""
        return _cost([sum(column) for column in zip([0] * 5, *self._sums, strict=True)], sum(self._dollars))


def _cost(kinds: list[int], dollars: float) -> Cost:
    told = Cost(kinds[0], kinds[1], kinds[2], kinds[3], kinds[4])
    return replace(told, dollars=dollars) if dollars else told


def whole(value: Any) -> int:
    """Return a count; 0 for what is none."""
    if value.__class__ is int:
        return int(value) if 0 < value < _MAX else 0
    return int(value) if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < _MAX else 0
