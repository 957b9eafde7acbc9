"""What every feature is told about a command line, a tool and an error text: one verdict each, kept as data.

A change of a table that changes one of these is decided on purpose, here and in decision 0033. Fingerprints are the
exception: they stand in people's homes and do not change.
"""

from __future__ import annotations

import json
import os

import pytest

from holdfast.language import commands, failures, tools
from holdfast.language.error_classes import class_of
from holdfast.learning.security.judge import judge

SHOP = "/home/ann/shop"
with open(os.path.join(os.path.dirname(__file__), "verdicts.jsonl"), encoding="utf-8") as file:
    ROWS = [json.loads(line) for line in file]


def of_line(line: str) -> dict[str, object]:
    """Return what is said of a command line; what does not hold is left out."""
    main = commands.main_of(line)
    return {
        "line": line,
        "kinds": " ".join(one.kind for one in commands.parse(line)),
        "main": main.name if main else "",
        "hidden": main is not None and main.is_hidden,
        "looks": commands.only_looks(line),
        "removes": commands.removes(line),
        "audit": [sight.rule for sight in judge("Bash", line, SHOP, folder=SHOP)],
    }


def of_tool(tool: str) -> dict[str, object]:
    """Return what is said of a tool."""
    kind, spawns, plans = tools.kind_of(tool), tools.spawns(tool), tools.writes_plan(tool)
    return {"tool": tool, "kind": kind, "spawns": spawns, "plans": plans}


def of_error(error: str, line: str) -> dict[str, object]:
    """Return what is said of an error text."""
    said = failures.error_line(error)
    known = class_of(said)
    return {
        **{"error": error, "of": line, "says": said, "normalised": failures.normalised(said)},
        "class": known.name if known else "",
        "refused": failures.is_refused(error),
        "fingerprint": failures.fingerprint(line, said),
    }


@pytest.mark.parametrize("row", ROWS, ids=lambda row: ascii(next(iter(row.values())))[:40])
def test_the_verdict(row: dict[str, str]) -> None:
    """Each row holds for every feature, and says all that holds."""
    if "line" in row:
        found = of_line(row["line"])
    else:
        found = of_tool(row["tool"]) if "tool" in row else of_error(row["error"], row["of"])
    assert {name: value for name, value in found.items() if value or name in row} == row
