"""Learns how much each mark of a candidate counts, and writes `src/holdfast/recall/weights.py`.

    python training/fusion.py BENCH [--dev SESSIONS.json] [--write]

Learned from: DevMemBench and MemoryCode (in BENCH), the conversations in `chats/` and `assistant/`, the single
statements of `dev.tsv`, and keyword queries made from those (`keywords.py`). `--dev` is the set about real sessions
(`sessions.py`): it is only looked at. LoCoMo is not read at all.

The engine marks the candidates of every question as it does for a user. A score is the weighted sum of the marks; the
weights are linear in how long the candidates are. The loss is the cross-entropy of the right passages among the
candidates, and of the right sessions by their best passage; every set counts as `SHARES` says, whatever its size.
MemoryCode tells only which sessions speak of a rule; which version is the newest is a matter of `engine.py`.

Which memories are candidates follows from these weights too. What words and meaning are then worth beside recency, use,
trust and scope (`fusion.py` of the package) is set by hand: the only single statements that we have are asked for by
paraphrases, and learning from those leaves nothing to the words.
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import dataclass

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
for _folder in ("../benchmarks", "../benchmarks/recall_sets", "."):
    sys.path.insert(0, os.path.join(HERE, _folder))

from keywords import keyword_sets
from sets import Haystack, Passage, Question, find_sets

from holdfast.recall import weights
from holdfast.recall.embed import Model
from recall import EVERYTHING, Laid

SHARES = {"devmembench": 1.5, "chats": 1.0, "assistant": 1.0, "statements": 0.5, "keywords": 0.3, "memorycode": 0.2}
MARKS = tuple(weights.WEIGHTS)
START = {"words": 0.3, "share": 0.3, "around": 0.15, "session": 0.2, "meaning": 0.4, "session_meaning": 0.4}
SHARPNESS, STEPS, RATE, PULL = 8.0, 200, 0.03, 0.03
WEIGHTS_FILE = os.path.join(HERE, "..", "src", "holdfast", "recall", "weights.py")


@dataclass
class Case:
    """One question: the marks of its candidates (sorted by session), which are right, and where sessions begin."""

    marks: np.ndarray
    right: np.ndarray
    begins: np.ndarray
    right_sessions: np.ndarray
    golds: int
    gold_sessions: int


def main(arguments: list[str]) -> None:
    """Learn, print what every set says before and after, and write the weights when asked to."""
    options = _options(arguments)
    model = Model.open()
    sets = _learned_from(options.bench)
    cases = {name: [case for h in haystacks for case in cases_of(h, model)] for name, haystacks in sets.items()}
    looked_at = find_sets(os.path.dirname(os.path.abspath(options.dev))) if options.dev else {}
    shown = {**cases, **{f"dev {n}": [c for h in hs for c in cases_of(h, model)] for n, hs in looked_at.items()}}
    teaching = {name: packed(found) for name, found in cases.items()}
    tables = {"WEIGHTS": learn(teaching), "BY_WORDS_ALONE": learn(teaching, without=("meaning", "session_meaning"))}
    for table, learned in tables.items():
        before = np.array([getattr(weights, table)[mark] for mark in MARKS])
        print(table)
        for name, found in shown.items():
            print(f"  {name:14} {len(found):5} before {measured(found, before)}   now {measured(found, learned)}")
        for mark, (figure, more) in zip(MARKS, learned, strict=True):
            print(f"  {mark:16} {figure:6.2f} {more:6.2f}")
        if options.write:
            write(table, learned)


def _learned_from(bench: str) -> dict[str, list[Haystack]]:
    found = {name: find_sets(os.path.join(bench, name))[name] for name in ("devmembench", "memorycode")}
    found["memorycode"] = [_any_version(haystack) for haystack in found["memorycode"][::3]]
    for name in ("chats", "assistant"):
        found[name] = [h for haystacks in find_sets(os.path.join(HERE, name)).values() for h in haystacks]
    found["statements"] = [_statements(os.path.join(HERE, "dev.tsv"))]
    found["keywords"] = keyword_sets([*found["chats"], *found["assistant"], *found["statements"]])
    return found


def _statements(path: str) -> Haystack:
    """Return single messages, each a session of its own, as memories are."""
    with open(path, encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
    passages = [Passage(str(number), str(number), row[0]) for number, row in enumerate(rows)]
    questions = [
        Question(f"{number}-{place}", text, frozenset([str(number)]), frozenset([str(number)]))
        for number, row in enumerate(rows)
        for place, text in enumerate(row[1:])
    ]
    return Haystack("statements", passages, questions)


def _any_version(haystack: Haystack) -> Haystack:
    questions = [Question(q.id, q.text, sessions=q.sessions | q.older) for q in haystack.questions]
    return Haystack(haystack.name, haystack.passages, questions)


def cases_of(haystack: Haystack, model: Model) -> list[Case]:
    """Return the questions of a haystack as the engine sees them."""
    laid = Laid(haystack, model)
    names = {
        row: (name, session)
        for row, name, session in laid.db.execute(
            "SELECT p.id, p.name, s.name FROM passage p JOIN session s ON s.id = p.session"
        )
    }
    found = []
    for question in haystack.questions:
        _, marks, lengthy = laid.engines["holdfast"].marked(laid.table.ask(question.text), EVERYTHING)
        rows = sorted(marks, key=lambda row: (names[row][1], row))
        sessions = [names[row][1] for row in rows]
        begins = [at for at, session in enumerate(sessions) if at == 0 or session != sessions[at - 1]]
        each = np.array([[getattr(marks[row], mark) for mark in MARKS] for row in rows]).reshape(len(rows), len(MARKS))
        found.append(
            Case(
                np.stack([each, each * lengthy], axis=2),
                np.array([names[row][0] in question.passages for row in rows], bool),
                np.array(begins, int),
                np.array([sessions[at] in question.sessions for at in begins], bool),
                len(question.passages),
                len(question.sessions),
            )
        )
    laid.db.close()
    return found


def packed(cases: list[Case]) -> list[Case]:
    """Return the questions that can teach something: something right is among the candidates, and something wrong."""
    return [case for case in cases if len(case.right) > 1 and (case.right.any() or case.right_sessions.any())]


def learn(sets: dict[str, list[Case]], without: tuple[str, ...] = ()) -> np.ndarray:
    """Return the weights that put what is right first, by Adam from `START`; some marks may have to do without."""
    start = np.zeros((len(MARKS), 2))
    start[:, 0] = [START.get(mark, 0.0) * (mark not in without) for mark in MARKS]
    may = np.array([[float(mark not in without)] for mark in MARKS])
    found, first, second = start.copy(), np.zeros_like(start), np.zeros_like(start)
    for step in range(1, STEPS + 1):
        whole = sum(SHARES[name] for name in sets)
        slope = sum(SHARES[name] * _slope(cases, found) for name, cases in sets.items()) / whole
        slope = (slope + PULL * (found - start)) * may
        first, second = 0.9 * first + 0.1 * slope, 0.99 * second + 0.01 * slope**2
        size = RATE * (1 - 0.9 * step / STEPS)
        found = found - size * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.99**step)) + 1e-8)
    return found


def _slope(cases: list[Case], found: np.ndarray) -> np.ndarray:
    total = np.zeros_like(found)
    for case in cases:
        scores = SHARPNESS * np.einsum("cmz,mz->c", case.marks, found)
        wrong = np.zeros(len(scores))
        if case.right.any():
            wrong += _softmax(scores) - case.right / case.right.sum()
        if case.right_sessions.any():
            ends = np.append(case.begins[1:], len(scores))
            best = np.array([begin + scores[begin:end].argmax() for begin, end in zip(case.begins, ends, strict=True)])
            wrong[best] += _softmax(scores[best]) - case.right_sessions / case.right_sessions.sum()
        total += SHARPNESS * np.einsum("cmz,c->mz", case.marks, wrong)
    return total / max(1, len(cases))


def _softmax(scores: np.ndarray) -> np.ndarray:
    powers = np.exp(scores - scores.max())
    return np.asarray(powers / powers.sum())


def measured(cases: list[Case], found: np.ndarray) -> str:
    """Return R@5 of passages, and R@1, R@5 of sessions, in per cent."""
    turns, firsts, fifths = [], [], []
    for case in cases:
        order = np.argsort(-np.einsum("cmz,mz->c", case.marks, found), kind="stable")
        if case.golds:
            turns.append(case.right[order[:5]].sum() / case.golds)
        of = np.searchsorted(case.begins, order, side="right") - 1
        ranked = list(dict.fromkeys(of.tolist()))
        if case.gold_sessions:
            firsts.append(case.right_sessions[ranked[:1]].sum() / case.gold_sessions)
            fifths.append(case.right_sessions[ranked[:5]].sum() / case.gold_sessions)
    shown = [100 * float(np.mean(figures)) if figures else float("nan") for figures in (turns, firsts, fifths)]
    return "turn R@5 {:5.1f}  session R@1 {:5.1f} R@5 {:5.1f}".format(*shown)


def write(table: str, learned: np.ndarray) -> None:
    """Put the figures into that table of `weights.py`; the rest of the file stays."""
    with open(WEIGHTS_FILE, encoding="utf-8") as file:
        before, rest = file.read().split(f"\n{table} = {{\n")
    rows = [f'    "{mark}": ({figure:.3f}, {more:.3f}),\n' for mark, (figure, more) in zip(MARKS, learned, strict=True)]
    with open(WEIGHTS_FILE, "w", encoding="utf-8") as file:
        file.write(f"{before}\n{table} = {{\n{''.join(rows)}}}\n" + rest.split("}\n", 1)[1])


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bench", help="the folder with devmembench and memorycode")
    parser.add_argument("--dev", default="", help="the set about real sessions, only looked at")
    parser.add_argument("--write", action="store_true", help="write the weights")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main(sys.argv[1:])
