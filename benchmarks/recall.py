"""How well recall finds: R@1, R@5, R@10, nDCG@10 and MRR, by passage and by session.

The sets are any of those that `recall_sets/sets.py` reads; the simple format there is for one's own. Always in the same
run: `holdfast` (what `recall` does), `fts5` (plain SQLite full text, all words, BM25), `words` (ours, without meaning)
and `meaning` (the model alone).
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sqlite3
import statistics
import sys
from collections.abc import Iterator
from typing import TextIO

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "recall_sets"))

from sets import Haystack, Question, find_sets

from holdfast.errors import NotFound
from holdfast.recall.embed import Model
from holdfast.recall.engine import Engine
from holdfast.recall.vectors import make_vectors
from holdfast.records import Filter, Scope
from holdfast.store import words as tokens
from holdfast.store.passages import Passages, PassageSource
from holdfast.store.words import ask, quoted

DEPTH = 50
EVERYTHING = Filter(None)
SYSTEMS = ("holdfast", "fts5", "words", "meaning")
Ranking = tuple[list[str], list[str]]
# level -> system -> measure, in per cent
Report = dict[str, dict[str, dict[str, float]]]


class Laid:
    """A haystack in a table of its own, and the systems that search it."""

    def __init__(self, haystack: Haystack, model: Model) -> None:
        self.haystack = haystack
        self.db = sqlite3.connect(":memory:", isolation_level=None)
        self.table = Passages(self.db)
        self.model = model
        sessions: dict[str, list[int]] = {}
        for place, passage in enumerate(haystack.passages):
            sessions.setdefault(passage.session, []).append(place)
        self.db.execute("BEGIN")
        for name, places in sessions.items():
            self._put(name, places)
        while make_vectors(self.table, model, 2_000):
            pass
        self._lay_plain(sessions)
        self.db.execute("COMMIT")
        self.engines = {"holdfast": Engine(self.table, model), "words": Engine(self.table, None)}

    def _put(self, name: str, places: list[int]) -> None:
        found = [self.haystack.passages[place] for place in places]
        scope = Scope("global")
        told = [(n, p.text, p.id, p.speaker, p.at) for n, p in enumerate(found)]
        self.table.put(PassageSource(name, scope, at=found[0].at), {scope: told})

    def _lay_plain(self, sessions: dict[str, list[int]]) -> None:
        for table in ("plain", "plain_session"):
            self.db.execute(
                f"CREATE VIRTUAL TABLE {table} USING fts5(text, name UNINDEXED, tokenize='porter unicode61')"
            )
        passages = self.haystack.passages
        self.db.executemany("INSERT INTO plain VALUES (?, ?)", [(f"{p.speaker} {p.text}", p.id) for p in passages])
        for name, places in sessions.items():
            whole = "\n".join(f"{passages[place].speaker} {passages[place].text}" for place in places)
            self.db.execute("INSERT INTO plain_session VALUES (?, ?)", (whole, name))

    def ranking(self, system: str, question: str) -> Ranking:
        """Return passage ids and session names, best first."""
        if system == "fts5":
            return self._fts5("plain", question), self._fts5("plain_session", question)
        if system == "meaning":
            return self._meaning(question)
        asked = ask(self.db, "passage_vocabulary", len(self.haystack.passages), question)
        rows = self.engines[system].find(asked, EVERYTHING, DEPTH)
        read = [self.table.read(row.id) for row in rows]
        return [p.name for p, _ in read], list(dict.fromkeys(s.name for _, s in read))

    def _fts5(self, table: str, question: str) -> list[str]:
        words = " OR ".join(quoted(word) for word in tokens.words_of(question))
        if not words:
            return []
        rows = self.db.execute(f"SELECT name FROM {table} WHERE {table} MATCH ? ORDER BY rank LIMIT {DEPTH}", (words,))
        return [name for (name,) in rows]

    def _meaning(self, question: str) -> Ranking:
        vector = self.model.encode(question, query=True)
        scan = self.engines["holdfast"].scan
        scored = [self.table.read(row) for row, _, _ in scan.nearest(vector, EVERYTHING, DEPTH)]
        return [p.name for p, _ in scored], list(dict.fromkeys(s.name for _, s in scored))


def main(arguments: list[str]) -> int:
    """Measure every set below `--data`, or the one that `--set` names."""
    options = _options(arguments)
    sets = _sets(options.data, options.set)
    model = Model.open(options.model)
    report: dict[str, Report] = {}
    lines = open(options.questions, "w", encoding="utf-8") if options.questions else None  # noqa: SIM115
    try:
        for name, haystacks in sets.items():
            report[name] = measured(haystacks, model, name, lines)
            if not options.json:
                _print(name, report[name])
    finally:
        if lines:
            lines.close()
    if options.json:
        print(json.dumps({"sets": report, "model": model.version}, indent=2))
    return 0


def _sets(folder: str, only: str) -> dict[str, list[Haystack]]:
    """Return the sets to measure; none is an error that says what there is."""
    sets = find_sets(folder)
    if not sets:
        raise NotFound(
            f"there is no set in {folder}", "Give --data a folder with sets; recall_sets/sets.py has the format."
        )
    if only and only not in sets:
        raise NotFound(f"there is no set {only!r} in {folder}", f"There are {', '.join(sorted(sets))}.")
    return {only: sets[only]} if only else sets


def measured(haystacks: list[Haystack], model: Model, name: str, lines: TextIO | None = None) -> Report:
    """Return the measures of one set, and write what each question found as JSON lines."""
    rows: dict[str, dict[str, list[dict[str, float]]]] = {"turn": {}, "session": {}}
    for haystack in haystacks:
        for question, system, level, ranked, gold in _asked(haystack, model):
            # An older answer is known by its session, so only there it can be told from the one that holds.
            older = question.older if level == "session" else frozenset()
            rows[level].setdefault(system, []).append(marks(ranked, gold, older))
            if lines:
                found = {"set": name, "question": question.id, "system": system, "level": level}
                lines.write(json.dumps({**found, "ranked": ranked[:10], "gold": sorted(gold)}) + "\n")
    return {level: {s: _mean(marked) for s, marked in systems.items()} for level, systems in rows.items() if systems}


def _asked(haystack: Haystack, model: Model) -> Iterator[tuple[Question, str, str, list[str], frozenset[str]]]:
    """Yield each question with system, level, what that system found and what it should find."""
    laid = Laid(haystack, model)
    try:
        for question in haystack.questions:
            for system in SYSTEMS:
                passages, sessions = laid.ranking(system, question.text)
                if question.passages:
                    yield question, system, "turn", passages, question.passages
                if question.sessions:
                    yield question, system, "session", sessions, question.sessions
    finally:
        laid.db.close()


def marks(ranked: list[str], gold: frozenset[str], older: frozenset[str] = frozenset()) -> dict[str, float]:
    """Return the measures of one ranking; `newest` is whether the answer that holds comes before those that do not."""
    found = {f"R@{k}": len(gold & set(ranked[:k])) / len(gold) for k in (1, 5, 10)}
    gains = sum(1 / math.log2(place + 2) for place, name in enumerate(ranked[:10]) if name in gold)
    ideal = sum(1 / math.log2(place + 2) for place in range(min(10, len(gold))))
    first = next((1 / (place + 1) for place, name in enumerate(ranked) if name in gold), 0.0)
    measures = {**found, "nDCG@10": gains / ideal, "MRR": first}
    if not older:
        return measures
    versions = [name for name in ranked if name in gold or name in older]
    return {**measures, "newest": float(bool(versions) and versions[0] in gold)}


def _mean(rows: list[dict[str, float]]) -> dict[str, float]:
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: round(100 * statistics.mean(row[name] for row in rows if name in row), 1) for name in names}


def _print(name: str, report: Report) -> None:
    for level, systems in report.items():
        for system, found in systems.items():
            print(f"{name:14} {level:8} {system:9} " + "  ".join(f"{k} {v:5.1f}" for k, v in found.items()))


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="holdfast bench recall", description=__doc__)
    parser.add_argument("--data", required=True, help="a folder with sets")
    parser.add_argument("--set", default="", help="only this set")
    parser.add_argument("--model", default=None, help="a folder with another model")
    parser.add_argument("--questions", default="", help="write one JSON line a question to this file")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
