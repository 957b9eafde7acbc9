"""Which part of a message is its statement: a run of clauses, by what readers say of its pieces and by how it is built.

A message is cut where clauses end, but never within code. A run that opens a bracket or a quote and does not close it,
or that leaves out what it announces, is no statement. Of the others the one that most speaks for is kept.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from itertools import accumulate, pairwise
from math import exp, log, log1p
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from holdfast.language.weights import Floats
    from holdfast.language.word_pieces import Piece

# Where a clause of a message ends: behind signs, at line ends, and before words that begin another one.
_CLAUSE = re.compile(
    r"[.!?;:]+(?=\s|$)|[。！？；]|\n+|[,，、]\s*|\s[-–—]+\s|[()]|\s(?=\(|(?:and|but|so|because|then|however|instead)\s)"
)
_JOINED = re.compile(r"\A(?:and|but|so|then|however)\b[,\s]*", re.IGNORECASE)
# What a statement would be cut by: "by showing both | and asking which to take", "use tabs | and not spaces".
_GOES_ON = re.compile(r"(?:and|or)\s+(?:\w+ing|not|never)\b", re.IGNORECASE)
# Signs that only join a clause to what stands around it, and the mark of an item that stands alone.
_BEFORE, _BEHIND = " ,，、)&–—", " ,，、(&–—"
_MARK = re.compile(r"\A(?:[-*•]|\d{1,2}[.)])\s+(?=[^\n]*\Z)")
_SENTENCE_END = re.compile(r"(?:[.!?;。！？；]['\")\]]*|\n)\s*\Z")
_ASKS = re.compile(r"[?？]['\")\]]*\s*\Z")
# What a colon announces: where a line ends with it the list or the paragraph behind, else at least the next clause.
_ANNOUNCES = re.compile(r"[:：][*_]*(?=\s|\Z)[^\S\n]*(\n\s*)?")
_LISTED = re.compile(r"\s*(?:[-*•]|\d{1,2}[.)])\s")
_BLANK = re.compile(r"\n[^\S\n]*\n")
# Code is whole or not there at all, and what stands in brackets or quotes is not opened without being closed.
_CODE = re.compile(r"```.*?```|`[^`\n]+`", re.DOTALL)
_ENCLOSED = (_CODE, *map(re.compile, (r"\([^()\n]*\)", r"\[[^\[\]\n]*\]", r'"[^"\n]+"', "“[^”\n]+”")))
# What speaks for a run of clauses: what its pieces are marked with, how much of all that is likely it holds, how likely
# its first and its last clause are and not those around it, its length and its share of the message, that it begins and
# ends with a sentence, and how likely the statement begins and ends there. Learned from what people would keep, by
# marks of readers that did not know them (`training/triggers/judge_runs.py`).
RUN_WEIGHTS = (0.00626, 0.789, 1.2, -0.708, 0.586, -0.376, 0.684, 0.896, 0.131, 0.111)
# The same for how it is built: that it asks something, and that it leaves a part of its list out. Half of what they
# count where nothing is known of the pieces, as readers see some of it.
BUILD_WEIGHTS = (-1.1, -1.2)
# Of people whom they do not know, readers are less sure than they say.
_DOUBT = 2.0
_MAX_CLAUSES, _LOOK_BACK, _NEVER = 40, 8, -20.0
Run = tuple[tuple[float, ...], int, int]


def stated(text: str, pieces: list[Piece], marks: Floats) -> str:
    """Return the run of clauses that speaks most for being the statement, by the marks of its pieces and its bounds.

    Nothing where there is none.
    """
    cuts = clause_cuts(text)
    best, weights = (float("-inf"), 0, 0), RUN_WEIGHTS + BUILD_WEIGHTS
    for features, first, end in runs_of_clauses(text, cuts, pieces, marks):
        score = sum(weight * feature for weight, feature in zip(weights, features, strict=True))
        best = max(best, (score, first, end), key=lambda run: run[0])
    return trimmed(text, cuts, best[1], best[2])


def trimmed(text: str, cuts: list[int], begin: int, end: int) -> str:
    """Return a run of clauses that neither begins nor ends in the middle."""
    # A clause that goes on without a comma has its verb before it: "adjust the rules | and the docs to say so".
    while begin and _JOINED.match(text[begin:].lstrip()) and text[:begin].rstrip()[-1:].isalnum():
        begin = max(cut for cut in cuts if cut < begin)
    while _GOES_ON.match(text[end:].lstrip()) and text[:end].rstrip()[-1:].isalnum():
        end = min(cut for cut in cuts if cut > end)
    said = _MARK.sub("", text[begin:end].strip().lstrip(_BEFORE).rstrip(_BEHIND))
    bare = said.rstrip("-")
    said = bare.rstrip() if bare.endswith(" ") else said
    return _JOINED.sub("", said) if begin else said


def clause_cuts(text: str) -> list[int]:
    """Return where clauses begin and end; within code none does."""
    cuts = sorted({0, *[found.end() for found in _CLAUSE.finditer(text)], len(text)})
    return [cut for cut, code in zip(cuts, _within(cuts, _CODE, text), strict=True) if code < 0]


def runs_of_clauses(text: str, cuts: list[int], pieces: list[Piece], marks: Floats) -> Iterator[Run]:
    """Yield what speaks for each run that may be the statement, where it begins and where it ends."""
    starts = [piece.start for piece in pieces]
    places = [bisect_left(starts, cut) for cut in cuts]
    inside, begins, ends = marks.T.tolist() if len(pieces) else ([], [], [])
    sums = [0.0, *accumulate(inside)]
    likely = [0.0, *accumulate(1 / (1 + exp(-mark / _DOUBT)) for mark in inside)]
    each = [(likely[end] - likely[start]) / max(1, end - start) for start, end in pairwise(places)]
    around = [0.0, *each, 0.0]
    whole = [cut in (0, len(text)) or bool(_SENTENCE_END.search(text, max(0, cut - _LOOK_BACK), cut)) for cut in cuts]
    opens = _shares_near(begins, [(place, place + 1) for place in places])
    closes = _shares_near(ends, [(place - 1, place) for place in places])
    build = Build(text, cuts)
    for first, start in enumerate(places[:-1]):
        for last in range(first + 1, min(len(cuts), first + _MAX_CLAUSES) if places[first + 1] > start else 0):
            end = places[last]
            if build.is_broken(first, last):
                continue
            held = likely[end] - likely[start]
            edge, beyond = min(each[first], each[last - 1]), max(around[first], around[last + 1])
            marked = (sums[end] - sums[start], held / likely[-1], edge, beyond)
            bounds = (log1p(end - start), (end - start) / len(pieces), float(whole[first]), float(whole[last]))
            features = (*marked, *bounds, opens[first], closes[last], *build.of(first, last))
            yield features, cuts[first], cuts[last]


class Build:
    """How the runs of a message are built, told by the numbers of the cuts where they begin and end."""

    def __init__(self, text: str, cuts: list[int]) -> None:
        clauses = [text[start:end] for start, end in pairwise(cuts)]
        self._asks = [0, *accumulate(bool(_ASKS.search(one)) for one in clauses)]
        self._lines = [0, *accumulate("\n" in one for one in clauses)]
        announced = [(one.start() + 1, _announced_end(text, one)) for one in _ANNOUNCES.finditer(text)]
        open_ = [[colon for colon, stop in announced if colon <= cut < stop] for cut in cuts]
        self._cuts, self._open = cuts, [max(colons, default=-1) for colons in open_]
        self._listed = [bool(_LISTED.match(text, cut)) for cut in cuts]
        lines = [text[:cut].rstrip().rpartition("\n")[2] for cut in cuts]
        self._goes_on = [here and bool(_LISTED.match(line)) for here, line in zip(self._listed, lines, strict=True)]
        self._within = [*zip(*[_within(cuts, one, text) for one in _ENCLOSED], strict=True)]

    def is_broken(self, first: int, last: int) -> bool:
        """Whether a run only announces, or opens or closes what it does not close or open."""
        return self._cuts[first] < self._open[last] or self._within[first] != self._within[last]

    def of(self, first: int, last: int) -> tuple[float, ...]:
        """Return what speaks for a run, in the order of BUILD_WEIGHTS."""
        is_long = self._lines[last - 1] > self._lines[first]
        is_list_cut = is_long and (self._listed[last] or self._goes_on[first])
        return float(self._asks[last] > self._asks[first]), float(is_list_cut)


def _announced_end(text: str, colon: re.Match[str]) -> int:
    """Return where ends what a colon announces."""
    end = colon.end()
    if colon[1] and _LISTED.match(text, end):
        while end < len(text) and (_LISTED.match(text, end) or text[end].isspace()):
            end = text.find("\n", end) + 1 or len(text)
    elif colon[1]:
        end = blank.start() if (blank := _BLANK.search(text, end)) else len(text)
    return max(colon.start() + 2, len(text[:end].rstrip()))


def _within(cuts: list[int], enclosing: re.Pattern[str], text: str) -> list[int]:
    """Return of each cut within which enclosed piece of the text it is, -1 where it is in none."""
    spans = [found.span() for found in enclosing.finditer(text)]
    starts = [start for start, _ in spans]
    places = [bisect_left(starts, cut) - 1 for cut in cuts]
    return [at if at >= 0 and cut < spans[at][1] else -1 for at, cut in zip(places, cuts, strict=True)]


def _shares_near(marks: list[float], places: list[tuple[int, int]]) -> list[float]:
    """Return of each place how likely one of the pieces from one before its first up to its last is, as a logarithm."""
    most = max(marks, default=0.0)
    raised = [exp(mark - most) for mark in marks]
    whole = sum(raised)
    near = [sum(raised[max(0, first - 1) : last + 1]) for first, last in places]
    return [log(one / whole) if one else _NEVER for one in near]
