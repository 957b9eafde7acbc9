"""How often a rule would be told at the calls of real sessions, and which lines a reader should look at.

    holdfast bench rules --data FOLDER --rules FILE [--show N] [--json]

FOLDER has transcripts of any agents, FILE a statement on each line: the rules of one home, in a person's own name. Each
session is told a rule once, and a call at most two. Whether a line is out of place is for a reader to say.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from holdfast import agents
from holdfast.errors import HoldfastError
from holdfast.language import conditions
from holdfast.language.conditions import Call
from holdfast.records import Memory, Scope, SessionEvent
from holdfast.rules.rule import Rule, rule_of
from holdfast.rules.wording import MAX_SAID

GOAL = 2


def main(arguments: list[str]) -> int:
    """Run the benchmark and print its figures."""
    parser = argparse.ArgumentParser(prog="holdfast bench rules", description=__doc__)
    parser.add_argument("--data", required=True, help="a folder of transcripts")
    parser.add_argument("--rules", required=True, help="a file with a statement on each line")
    parser.add_argument("--show", type=int, default=20, help="how many of the lines to print")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args(arguments)
    statements = [line.strip() for line in Path(options.rules).read_text(encoding="utf-8").split("\n") if line.strip()]
    memories = [Memory(f"r{number}", Scope("global"), text[:40], text) for number, text in enumerate(statements)]
    rules = [rule for memory in memories if (rule := rule_of(memory)) is not None]
    counts: Counter[str] = Counter(statements=len(statements), rules=len(rules))
    lines = [line for path in paths_in(options.data) for line in told_in(path, rules, counts)]
    found = {**counts, "lines": len(lines), "held": sum(line["does"] == "hold" for line in lines)}
    found["lines_in_1000_calls"] = round(1_000 * len(lines) / max(1, counts["calls"]), 2)
    if options.json:
        print(json.dumps({**found, "told": lines}, indent=2))
        return 0
    print("  ".join(f"{name} {value}" for name, value in found.items()))
    for line in lines[: options.show]:
        print(f"{line['does']:5} {line['rule'][:90]}\n      at: {line['at'][:110]}")
    return 0


def paths_in(folder: str) -> Iterator[str]:
    """Yield every file below a folder."""
    for root, _, names in sorted(os.walk(folder)):
        yield from (os.path.join(root, name) for name in sorted(names))


def told_in(path: str, rules: list[Rule], counts: Counter[str]) -> Iterator[dict[str, str]]:
    """Yield the lines that the sessions of one transcript would be told."""
    for name in agents.BUILT_IN:
        try:
            readings = agents.get(name).read_session(path)
            for reading in readings or ():
                counts["sessions"] += 1
                yield from told(reading, rules, counts)
        except (HoldfastError, OSError, ValueError):
            counts["unread"] += 1
            return
        if readings is not None:
            return


def told(events: Iterator[SessionEvent], rules: list[Rule], counts: Counter[str]) -> Iterator[dict[str, str]]:
    """Yield the lines of one session."""
    known: set[str] = set()
    for event in events:
        if event.role != "tool":
            continue
        counts["calls"] += 1
        error = event.output if event.failed else ""
        call = Call(event.tool, event.input, error, event.folder, event.folder, event.branch)
        matched = [(rule, at) for rule in rules if (at := conditions.matched(rule.condition, call))]
        counts["matches"] += len(matched)
        new = [(rule, at) for rule, at in matched if rule.memory.key not in known]
        new.sort(key=lambda each: -conditions.weight(each[0].condition))
        for rule, at in new[:MAX_SAID]:
            known.add(rule.memory.key)
            yield {"rule": rule.memory.body, "when": str(rule.condition), "does": rule.does, "at": at}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
