"""How well the statements that are worth keeping are found in what people say: precision and recall by class.

    holdfast bench triggers [--part dev|held|both] [--data FOLDER] [--json]

The messages and what each of them states are in `trigger_sets/`; GUIDE.md there says how they were labelled. The
weights were learned from `dev`, so what is found there tells little; what is found in `held`, which nobody looked at
meanwhile, is what counts: in messages written as people talk, in indirect ones, whose writers were told to avoid the
usual words, and in those drawn from real sessions. `training/triggers/learn.py --cross` tells what is found in the
messages of each writer by weights that were learned from others. Of the drawn messages only ids and labels are there:
their texts are looked for in the transcripts below FOLDER, and what is not found is left out and counted. Each figure
has its 95 % interval. The time is that of one scan, in a process that does many.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
import time
from typing import Any

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "trigger_sets"))

from messages import PARTS, Message, left_out, load

from holdfast.language.triggers import KINDS, scan

SOURCES = ("written", "indirect", "drawn", "all")
# How many standard deviations on either side hold 95 of 100 cases.
Z = 1.96
Row = dict[str, Any]


def main(arguments: list[str]) -> int:
    """Scan the messages and print the figures."""
    parser = argparse.ArgumentParser(prog="holdfast bench triggers", description=__doc__)
    parser.add_argument("--part", choices=(*PARTS, "both"), default="both", help="which messages; both, if not said")
    parser.add_argument("--data", default="", help="a folder of transcripts in which the drawn messages are looked for")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args(arguments)
    parts = PARTS if options.part == "both" else (options.part,)
    reports = [measure(part, load(part, options.data)) for part in parts]
    if options.json:
        print(json.dumps(reports, indent=2))
        return 0
    for report in reports:
        for line in _lines(report):
            print(line)
    return 0


def measure(part: str, messages: list[Message]) -> Row:
    """Return the figures of a part: by source and class, of messages without a label, and the time of a scan."""
    started = time.process_time()
    found = [frozenset(trigger.kind for trigger in scan(message.text)) for message in messages]
    took = time.process_time() - started
    pairs = list(zip(messages, found, strict=True))
    rows = [row for source in SOURCES if (chosen := _of(source, pairs)) for row in _rows(source, chosen)]
    return {
        "part": part,
        "messages": len(messages),
        "left_out": left_out(part, messages),
        "milliseconds": round(1000 * took / max(1, len(messages)), 3),
        "rows": rows,
    }


def _of(source: str, pairs: list[tuple[Message, frozenset[str]]]) -> list[tuple[Message, frozenset[str]]]:
    return [pair for pair in pairs if source in ("all", pair[0].source)]


def _rows(source: str, pairs: list[tuple[Message, frozenset[str]]]) -> list[Row]:
    classes = [_figures(source, kind, pairs) for kind in KINDS]
    plain = [found for message, found in pairs if not message.labels]
    return [*classes, {"source": source, "class": "none", "labelled": len(plain), "wrong": sum(map(bool, plain))}]


def _figures(source: str, kind: str, pairs: list[tuple[Message, frozenset[str]]]) -> Row:
    right = sum(kind in message.labels and kind in found for message, found in pairs)
    said = sum(kind in found for _, found in pairs)
    labelled = sum(kind in message.labels for message, _ in pairs)
    return {
        "source": source,
        "class": kind,
        "labelled": labelled,
        "found": right,
        "wrong": said - right,
        "precision": round(right / said, 3) if said else None,
        "precision_interval": interval(right, said),
        "recall": round(right / labelled, 3) if labelled else None,
        "recall_interval": interval(right, labelled),
    }


def interval(right: int, of: int) -> list[float] | None:
    """Return between which two shares the true one is in 95 of 100 cases, after Wilson."""
    if not of:
        return None
    share = right / of
    middle = (share + Z**2 / (2 * of)) / (1 + Z**2 / of)
    reach = Z * math.sqrt(share * (1 - share) / of + Z**2 / (4 * of**2)) / (1 + Z**2 / of)
    return [round(middle - reach, 3), round(middle + reach, 3)]


def _lines(report: Row) -> list[str]:
    lines = [f"{report['part']}: {report['messages']} messages, {report['milliseconds']} ms each"]
    if report["left_out"]:
        lines[0] += f"; {report['left_out']} drawn ones left out (--data FOLDER)"
    for row in report["rows"]:
        start = f"  {row['source']:8} {row['class']:13}"
        if row["class"] == "none":
            lines.append(f"{start} {row['wrong']} of {row['labelled']} messages without a label gave something")
        else:
            figures = "  ".join(f"{name} {_shown(row, name)}" for name in ("precision", "recall"))
            lines.append(f"{start} {figures}  found {row['found']} of {row['labelled']}, wrongly {row['wrong']}")
    return lines


def _shown(row: Row, name: str) -> str:
    figure, between = row[name], row[f"{name}_interval"]
    return "   -              " if figure is None else f"{figure:.2f} ({between[0]:.2f} to {between[1]:.2f})"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
