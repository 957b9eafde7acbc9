"""Sets the judge's bars by what both readers said of people whom they had not seen, and prints what is told above them.

    python training/triggers/judge_bars.py REAL WORK

The figures that are printed are of bars that were chosen on the other groups; what is written into WORK/settings.json
was chosen on all.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

from holdfast.language.judge import ARGUABLE, FIRST_COUNTS, LOOKS, MOODS, is_english
from holdfast.language.triggers import KINDS, LEARNED

# What is told is at least arguable in so many cases, and clear in so many; no kind with thirty is below the third.
PRECISE, CLEAR, EACH = 0.855, 0.51, 0.77
# The share of messages that the second reader reads, and with a candidate; how far behind the best a kind may be.
LOOK, CANDIDATES, MARGIN = 0.35, 0.143, 6.0
MOOD = 0.9
# What is proposed is in so many messages.
KEPT = 0.056
STEP, WINDOW, NEVER = 6, 30, 99.0


def main() -> int:
    """Set the bars."""
    real = [json.loads(line) for path in sorted(Path(sys.argv[1]).glob("*.jsonl")) for line in path.open("rb")]
    work = Path(sys.argv[2])
    groups = np.load(work / "texts.npz")["groups"]
    first, second = (np.load(work / f"{name}_heads.npz")["heads"].astype(np.float32) for name in ("first", "second"))
    looked = first[:, LOOKS].max(axis=1)
    look = float(np.quantile(looked, 1 - LOOK))
    heads = FIRST_COUNTS * first + (1 - FIRST_COUNTS) * second
    heads[looked < look] = -NEVER
    labels = (*KINDS, *MOODS)
    clear = np.array([[kind in one["labels"] for kind in labels] for one in real])
    right = clear | np.array([[kind in one["arguable"] for kind in labels] for one in real])
    six = slice(len(LEARNED))
    scores = heads[:, six] + ARGUABLE * heads[:, len(labels) : len(labels) + len(LEARNED)]
    anything, marks = np.log(np.exp(heads[:, six]).sum(axis=1)), scores.copy()
    scores[[not is_english(one["text"]) for one in real]] -= NEVER
    told = np.zeros_like(scores, bool)
    for group in range(groups.max() + 1):
        others, here = groups != group, groups == group
        told[here] = scores[here] >= bars(scores[others], clear[others][:, six], right[others][:, six])
    found = clear[:, six] & told
    print(
        f"told {told.sum()}: right {right[:, six][told].mean():.3f}, clear {clear[:, six][told].mean():.3f},", end=" "
    )
    silent = ~right.any(axis=1)
    print(f"recall {found.sum() / clear[:, six].sum():.3f}, of silent ones {told[silent].any(axis=1).mean():.3f}")
    candidate = float(np.quantile(anything, 1 - CANDIDATES))
    either = told | ((anything >= candidate)[:, None] & (marks >= marks.max(axis=1, keepdims=True) - MARGIN))
    share = (clear[:, six] & either).sum() / clear[:, six].sum()
    print(f"with candidates: recall {share:.3f}, in {either.any(axis=1).mean():.3f} of all messages")
    moods = {mood: mood_bar(heads, right, labels.index(mood)) for mood in MOODS}
    for mood, bar in moods.items():
        at = labels.index(mood)
        found = heads[:, at] + ARGUABLE * heads[:, at + len(labels)] >= bar
        print(f"{mood}: right {right[found, at].mean():.3f}, recall {clear[found, at].sum() / clear[:, at].sum():.3f}")
    settings = {"look": look, "margin": MARGIN, "moods": moods, "candidate": candidate}
    settings["told"] = np.minimum(bars(scores, clear[:, six], right[:, six]), NEVER).tolist()
    settings["keep"] = float(np.quantile(heads[:, 18] + heads[:, 19], 1 - KEPT))
    (work / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    return 0


def bars(scores: np.ndarray, clear: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return the bar of each kind: that whose next ones are best is let in further, while all are precise enough."""
    order = np.argsort(-scores, axis=0)
    clears = np.cumsum(np.take_along_axis(clear, order, 0), 0)
    rights = np.cumsum(np.take_along_axis(right, order, 0), 0)
    taken, best, found = np.zeros(len(LEARNED), int), 0, np.full(len(LEARNED), NEVER * 10)
    while taken.sum() < len(scores) // 4:
        worth = [next_worth(clears[:, kind], rights[:, kind], taken[kind]) for kind in range(len(LEARNED))]
        kind = int(np.argmax(worth))
        if worth[kind] < 0:
            break
        taken[kind] += STEP
        told = [at for at in range(len(LEARNED)) if taken[at]]
        hits, fits = (sum(each[taken[at] - 1, at] for at in told) for each in (clears, rights))
        if hits >= CLEAR * taken.sum() and fits >= PRECISE * taken.sum() and hits > best:
            best = hits
            found[told] = [scores[order[taken[at] - 1, at], at] for at in told]
    return found


def next_worth(clears: np.ndarray, rights: np.ndarray, taken: int) -> float:
    """Return how good the next ones of a kind are; below zero where the kind would not be precise enough by itself."""
    end = taken + STEP
    if end >= len(clears) - WINDOW or (end >= WINDOW and rights[end - 1] < EACH * end):
        return -1.0
    before = [each[taken - 1] if taken else 0 for each in (clears, rights)]
    return float(clears[taken + WINDOW - 1] - before[0] + 0.5 * (rights[taken + WINDOW - 1] - before[1])) / WINDOW


def mood_bar(heads: np.ndarray, right: np.ndarray, at: int) -> float:
    """Return the lowest score above which a mood is right often enough."""
    scores = heads[:, at] + ARGUABLE * heads[:, at + len(KINDS) + len(MOODS)]
    order = np.argsort(-scores)
    enough = np.flatnonzero(np.cumsum(right[order, at]) >= MOOD * np.arange(1, len(order) + 1))
    return float(scores[order[enough[-1] : enough[-1] + 2]].mean()) if len(enough) else NEVER


if __name__ == "__main__":
    sys.exit(main())
