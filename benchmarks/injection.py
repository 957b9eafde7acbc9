"""How well a prompt brings the memories that belong to it, and how seldom others: the bar of `inject.relevance`.

    holdfast bench injection [--data FOLDER] [--json]

Each set is a person's memories and prompts, labelled with what each prompt should bring; once alone, and once among
1,500 other texts. The bar was chosen on `shop`; `rover` is the check. For each bar: of the prompts that should bring
something, how many brought it; how many memories came besides; and how many of the prompts that should bring nothing
brought something.

With FOLDER, labelled messages of real people as `holdfast bench triggers` reads them, also the prompts of
`injection_sets/real.tsv`: each against a home of 30 to 300 statements, those of the same person among those of others.
A reader chose beforehand what each prompt wants, and what is arguable: about the same thing, but not needed. For an
arguable one nothing is blamed; `strictly` counts it as wrong, too. By the prompts of the people in `seen` something was
chosen, by those in `held` nothing.
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import random
import sys
import tempfile
from pathlib import Path

from holdfast.agents.base import Agent
from holdfast.app import at_prompt
from holdfast.app.hook import HookRun
from holdfast.app.reindex import reindex
from holdfast.base.clock import now
from holdfast.inject import prompt as relevance
from holdfast.records import HookCall, Memory, Scope
from holdfast.store import memory_file
from holdfast.store.read_only_index import ReadOnlyIndex
from holdfast.workspace import Workspace

HERE = os.path.dirname(os.path.abspath(__file__))
SETS = os.path.join(HERE, "injection_sets")
OTHERS = os.path.join(HERE, "secret_lists", "ordinary_text.jsonl")
# With meaning or by words alone; the set alone or among others.
WAYS = ((True, False), (True, True), (False, False))
BARS = (30, 35, 40, 45, 50)
CURVE = (25, 30, 35, 40, 45, 50, 60, 70, 80, 90)
PROJECT = "bench"
# Wanted, arguable, and what was found with its marks.
Marks = list[tuple[str, str, list[tuple[float, str]]]]


def main(arguments: list[str]) -> int:
    """Run the benchmark and print its figures."""
    parser = argparse.ArgumentParser(prog="holdfast bench injection", description=__doc__)
    parser.add_argument("--data", help="a folder of labelled messages, *.jsonl, for the prompts of real people")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args(arguments)
    told: list[dict[str, object]] = []
    for half, marks in real_marks(Path(options.data)).items() if options.data else ():
        how = {"set": half, "meaning": True, "among": True}
        told += [{**how, "bar": bar, **figures(marks, bar / 100)} for bar in CURVE]
    found = told + [row for name in ("shop", "rover") for how in WAYS for row in rows(name, *how)]
    if options.json:
        print(json.dumps(found, indent=2))
        return 0
    for row in found:
        print(
            f"{row['set']:6} {'words and meaning' if row['meaning'] else 'words alone':18}"
            f"{'among others' if row['among'] else 'alone':13} bar {row['bar']}  brought {row['brought']} of"
            f" {row['should']}, besides {row['besides']}, wrongly {row['wrongly']} of {row['should_not']}"
            f"{', strictly ' + str(row['strictly']) if row['set'] in ('seen', 'held') else ''}"
        )
    return 0


def rows(name: str, meaning: bool, among: bool) -> list[dict[str, object]]:
    """Return the figures of one set for each bar."""
    marks = marks_of(name, meaning, among)
    told = {"set": name, "meaning": meaning, "among": among}
    return [{**told, "bar": bar, **figures(marks, bar / 100)} for bar in BARS]


def marks_of(name: str, meaning: bool, among: bool) -> Marks:
    """Return for each prompt what it should bring, and the mark of each memory that a hook would look at."""
    memories, prompts = read(name)
    memories += [(f"other-{number}", text) for number, text in enumerate(others())] if among else []
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as home:
        lay(home, memories)
        return [(wanted, "", _marks(home, text, meaning)) for wanted, text in prompts]


def real_marks(folder: Path) -> dict[str, Marks]:
    """Return the same for the prompts of real people, by half."""
    lines = [line for path in sorted(folder.glob("*.jsonl")) for line in path.read_text(encoding="utf-8").splitlines()]
    messages = {str(one["id"]): one for one in map(json.loads, lines)}
    stated = [(id, str(one["what"])) for id, one in messages.items() if one.get("keep") == "y" and one.get("what")]
    found: dict[str, Marks] = {"seen": [], "held": []}
    for half, size, prompts in homes():
        writer = messages[prompts[0][0]]["writer"]
        own = [one for one in stated if messages[one[0]]["writer"] == writer]
        others = [one for one in stated if messages[one[0]]["writer"] != writer]
        random.Random(writer).shuffle(others)
        with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as home:
            lay(home, [*own, *others[: max(0, size - len(own))]])
            for id, wanted, *arguable in prompts:
                found[half].append((wanted, ",".join(arguable), _marks(home, messages[id]["text"], True)))
    return found


def homes() -> list[tuple[str, int, list[list[str]]]]:
    """Return the homes of real people: which half, how many statements, and the lines of their prompts."""
    found: list[tuple[str, int, list[list[str]]]] = []
    with open(os.path.join(SETS, "real.tsv"), encoding="utf-8") as file:
        for one, two, *more in (line.split() for line in file if not line.startswith("#")):
            if one == "home":
                found.append((two, int(more[0]), []))
            else:
                found[-1][2].append([one, two, *more])
    return found


def lay(home: str, memories: list[tuple[str, str]]) -> None:
    """Write the memories as files, as a person's vault might hold them, and index them."""
    folder = os.path.join(home, "memory", "projects", PROJECT, "memories")
    os.makedirs(folder, 0o700)
    at = now()
    for key, text in memories:
        memory = Memory(key, Scope("project", PROJECT), text[:50], text, created=at, updated=at)
        with open(os.path.join(folder, f"{key}.md"), "w", encoding="utf-8") as file:
            file.write(memory_file.create(memory))
    with Workspace(home, project=PROJECT) as workspace:
        reindex(workspace)


def others() -> list[str]:
    """Return lines of code, logs and prose that belong to none of the sets."""
    with open(OTHERS, encoding="utf-8") as file:
        return [base64.b64decode(json.loads(line)["text"]).decode() for line in file]


def _marks(home: str, text: str, meaning: bool) -> list[tuple[float, str]]:
    if not relevance.asks_something(text):
        return []
    environment = {"HOLDFAST_PROJECT": PROJECT, "HOLDFAST_RECALL_MEANING": "yes" if meaning else "no"}
    run = HookRun(home, Agent(), HookCall("", "prompt", "", prompt=text), environment)
    # What is measured is what comes, whatever else the machine does meanwhile.
    with ReadOnlyIndex(home, lambda: False) as index:
        return [(mark, candidate.memory.key) for mark, candidate in at_prompt.marked(run, index, 0.0)]


def read(name: str) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Return the memories (key and text) and the prompts (wanted key or -, and text) of a set."""
    with open(os.path.join(SETS, f"{name}.tsv"), encoding="utf-8") as file:
        lines = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
    pick = {kind: [(one, two) for what, one, two in lines if what == kind] for kind in ("memory", "prompt")}
    return pick["memory"], pick["prompt"]


def figures(marks: Marks, bar: float, most: int = 3) -> dict[str, int]:
    """Return what clears the bar, counted."""
    counts = {"should": 0, "brought": 0, "besides": 0, "should_not": 0, "wrongly": 0, "strictly": 0}
    for wanted, arguable, found in marks:
        keys = [key for mark, key in found if mark >= bar][:most]
        wrong = [key for key in keys if key not in arguable.split(",")]
        if wanted == "-":
            counts["should_not"] += 1
            counts["wrongly"] += bool(wrong)
            counts["strictly"] += bool(keys)
        else:
            counts["should"] += 1
            right = wanted.split(",")
            counts["brought"] += any(key in right for key in keys)
            counts["besides"] += sum(key not in right for key in wrong)
    return counts


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
