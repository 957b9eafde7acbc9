"""How well short facts with shared names are found: by words, by meaning, and by their mix, side by side.

    holdfast bench facts [--set held] [--json]

Each set is 975 facts (39 services, 25 aspects) and 200 questions that share hardly a word with their fact but the
service's name; `versions` adds older statements and some for staging. The weights were learned on `tune`; `held` and
`fresh` have other services, aspects and words, each its own, and `lodgings` (1,000 facts) is not about software.
Hit@1 and hit@5 come with the half of a 95 % interval.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time

from holdfast.app.reindex import reindex
from holdfast.base.clock import iso
from holdfast.recall.meaning import model_of, scan_of
from holdfast.recall.recall import recall
from holdfast.records import Filter, Memory, Scope
from holdfast.store import memory_file
from holdfast.store.base import Tables
from holdfast.workspace import Workspace

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "fact_sets"))

from make import Facts, made, with_versions

PROJECT = "bench"
LIMIT = 10
EVERYTHING = Filter(None)


def main(arguments: list[str]) -> int:
    """Run the benchmark and print its figures."""
    parser = argparse.ArgumentParser(prog="holdfast bench facts", description=__doc__)
    parser.add_argument("--set", action="append", choices=("tune", "held", "fresh", "lodgings"), help="only this set")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args(arguments)
    names = options.set or ["tune", "held"]
    kinds = {"plain": made, "versions": with_versions}
    found = [row for name in names for kind, make in kinds.items() for row in rows(f"{name} {kind}", make(name))]
    if options.json:
        print(json.dumps(found, indent=2))
        return 0
    for row in found:
        figures = "  ".join(f"hit@{most} {row[f'hit@{most}']:.3f} ± {row[f'±{most}']:.3f}" for most in (1, 5))
        print(f"{row['set']:14} {row['by']:8} {figures}  ({row['facts']:,} facts, {row['questions']} questions)")
    return 0


def rows(name: str, facts: Facts) -> list[dict[str, object]]:
    """Return the figures of one set, for each way to find."""
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as home:
        lay(home, facts)
        with Workspace(home, project=PROJECT) as workspace:
            reindex(workspace)
            found = {**_apart(workspace, facts), "mix": _mixed(workspace, facts)}
    told = {"set": name, "facts": len(facts.facts), "questions": len(facts.questions)}
    return [{**told, "by": by, **_figures(keys, facts)} for by, keys in found.items()]


def lay(home: str, facts: Facts) -> None:
    """Write the facts as files, each as old as it is said to be."""
    folder = os.path.join(home, "memory", "projects", PROJECT, "memories")
    os.makedirs(folder, 0o700)
    for key, text, days in facts.facts:
        at = iso(time.time() - days * 86_400)
        title = memory_file.first_words(text)
        memory = Memory(key, Scope("project", PROJECT), title, text, created=at, updated=at)
        with open(os.path.join(folder, f"{key}.md"), "w", encoding="utf-8") as file:
            file.write(memory_file.create(memory))


def _mixed(workspace: Workspace, facts: Facts) -> list[list[str]]:
    return [[hit.memory.key for hit in recall(workspace, text, limit=LIMIT)] for text, _ in facts.questions]


def _apart(workspace: Workspace, facts: Facts) -> dict[str, list[list[str]]]:
    """Return the keys that words alone and meaning alone find for each question."""
    model = model_of(workspace)
    assert model is not None

    def ask(tables: Tables) -> dict[str, list[list[str]]]:
        table = tables.memories
        ids = table.few(EVERYTHING, len(facts.facts)) or []
        known = table.candidates(dict.fromkeys(ids, (0.0, 0.0)), table.ask(""), EVERYTHING)
        keys = {row: one.memory.key for row, one in zip(ids, known, strict=True)}
        scan, found = scan_of(workspace, table), {"words": [], "meaning": []}
        for text, _ in facts.questions:
            asked = table.ask(text)
            matches = table.matches(asked.expression, EVERYTHING, LIMIT) if asked.expression else []
            nearest = scan.nearest(model.encode(text, query=True, damp=asked.damp), EVERYTHING, LIMIT)
            found["words"].append([keys[one[0]] for one in matches])
            found["meaning"].append([keys[row] for row, _, _ in nearest])
        return found

    return workspace.store.ask(ask)


def _figures(found: list[list[str]], facts: Facts) -> dict[str, float]:
    figures: dict[str, float] = {}
    for most in (1, 5):
        pairs = zip(found, facts.questions, strict=True)
        share = sum(not right.isdisjoint(keys[:most]) for keys, (_, right) in pairs) / len(facts.questions)
        figures[f"hit@{most}"] = round(share, 4)
        figures[f"±{most}"] = round(1.96 * (share * (1 - share) / len(facts.questions)) ** 0.5, 4)
    return figures


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
