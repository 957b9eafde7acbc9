"""How a session ended, by named evidence and no model.

| evidence | speaks for | weight |
|---|---|---|
| `tests-passed`, `build-passed`, `lint-passed`: the last run, after the last change | success | 2, 1, 0.5 |
| the same, but files were changed after it | success | half |
| `tests-failed`, `build-failed`, `lint-failed`: the last run | failure | 2, 2, 0.5 |
| `committed`, `pushed`, `pull-request` | success | 2, 1, 2; half, where files were changed after it |
| `praise`, `correction`: the person's last words | success, failure | 2, 2; a correction that was worked on: 1 |
| `error-tail`: the last calls failed, the last answer is an error, or the turn broke | failure | 1.5 |
| `interrupted`: the last turn was broken off | abandoned | 2 |
| `unanswered`: the person asked and nothing came | abandoned | 2 |

A correction after which a check passed or something was made is no evidence any more. Nothing that speaks gives
`unknown`, never a guess: an answer alone is no success. Text that was put in by a program, by Holdfast, or that sums up
an earlier part is no evidence.
"""

from __future__ import annotations

from holdfast.records import replace
from holdfast.sessions.facts import Evidence, Outcome

# From which weight on one side alone decides, and from which on the other side still counts.
_DECIDES = 1.5
_COUNTS = 1.0
_MAX_EVIDENCE = 12


def outcome_of(evidence: list[Evidence]) -> Outcome:
    """Return the outcome that the evidence speaks for, with a confidence that grows with its lead."""
    kept = tuple(sorted(evidence, key=lambda one: -one.weight)[:_MAX_EVIDENCE])
    sides = ("success", "failure", "abandoned")
    good, bad, away = (sum(one.weight for one in evidence if one.speaks_for == side) for side in sides)
    if away >= _DECIDES and good < _COUNTS:
        return Outcome("abandoned", _confidence(away - good), kept)
    if good >= _COUNTS and (bad >= _COUNTS or away >= _DECIDES):
        return Outcome("partial", _confidence(min(good, max(bad, away))), kept)
    if good >= _DECIDES:
        return Outcome("success", _confidence(good - bad), kept)
    if bad >= _DECIDES:
        return Outcome("failure", _confidence(bad - good), kept)
    return Outcome("unknown", 0.0 if not kept else 0.2, kept)


def halved(evidence: Evidence) -> Evidence:
    """Return evidence that something later took half of its weight."""
    return replace(evidence, weight=evidence.weight / 2)


def _confidence(lead: float) -> float:
    """Return 0.55 for the least lead that decides, a tenth more for each point, and never 1."""
    return round(min(0.95, 0.4 + 0.1 * max(lead, 0.0)), 2)
