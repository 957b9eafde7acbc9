"""How right Holdfast is about what people say: measured on labelled messages that real people typed to agents.

    holdfast bench triggers --data FOLDER [--json] [--out FILE]

FOLDER has labelled messages, one JSON object a line, in files that end with `.jsonl`: `id`, `text`, `before` (the end
of what the agent had said), `labels` (what nearly every reader would say of it), `arguable` (what some would), `keep`
(y, m or n) and `what` (what to keep, where keep is y). No such messages are in the repository: they are other people's
words.

Printed are, for each kind, how many of those told as facts are clear, arguable or false, and how many clear ones are
missed; the same for all kinds but `remember` and the moods together, with candidates beside them; which share of the
messages that say nothing gives something; and how often what is kept is the statement and not the prompt around it, of
messages in which something is found, and of all. `--out` writes one JSON line a message: `id`, `kinds` told as facts,
`candidates`, and `keep`, the part that would be kept, also where nothing is told.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from holdfast.continuity.messages import whole
from holdfast.errors import BadInput
from holdfast.language import judge as behind
from holdfast.language.choices import chosen
from holdfast.language.judge import MOODS
from holdfast.language.moods import MIN_CONFIDENCE, mood
from holdfast.language.triggers import KINDS, Trigger, scan

# What is told of a message besides an explicit request and the mood.
TOGETHER = tuple(kind for kind in KINDS if kind != "remember")
# A rating above this praises.
MIDDLE = 5
# Of the words of the statement so many are kept, in at most so many times its words.
MIN_KEPT, MAX_LONGER = 0.8, 1.5


@dataclass(frozen=True)
class Judged:
    """A labelled message and what is said of it."""

    id: str
    labels: frozenset[str]
    arguable: frozenset[str]
    what: str
    kinds: frozenset[str]
    candidates: frozenset[str]
    keep: str


def main(arguments: list[str]) -> int:
    """Judge the messages and print the figures."""
    parser = argparse.ArgumentParser(prog="holdfast bench triggers", description=__doc__)
    parser.add_argument("--data", required=True, help="a folder of labelled messages, *.jsonl")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--out", help="a file for one JSON line a message")
    options = parser.parse_args(arguments)
    messages = load(Path(options.data))
    started = time.perf_counter()
    with ProcessPoolExecutor() as pool:
        later = pool.map(behind.judge, [one["text"] for one in messages], map(before_of, messages), chunksize=20)
        found = [judge(message, one) for message, one in zip(messages, later, strict=True)]
    report = measure(found) | {"milliseconds": round(1000 * (time.perf_counter() - started) / len(found), 3)}
    if options.out:
        Path(options.out).write_text("".join(f"{json.dumps(shown(one))}\n" for one in found), encoding="utf-8")
    print(json.dumps(report, indent=2) if options.json else "\n".join(lines(report)))
    return 0


def load(folder: Path) -> list[dict[str, Any]]:
    """Return the labelled messages of a folder."""
    files = sorted(folder.glob("*.jsonl"))
    if not files:
        raise BadInput(f"{folder} has no labelled messages", hint="Name a folder with files that end with .jsonl.")
    messages = []
    for path in files:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            message = json.loads(line)
            if not {"id", "text", "labels"} <= set(message):
                raise BadInput(f"{path.name}, line {number}, has no id, text or labels")
            messages.append(message)
    return messages


def before_of(message: dict[str, Any]) -> str:
    """Return the end of what the agent had said, where that is known."""
    return str(message.get("before", ""))


def judge(message: dict[str, Any], later: behind.Judgement) -> Judged:
    """Return what is said of a message: at once by a hook, and behind the session by the judge."""
    text, before = message["text"], before_of(message)
    at_once = [one for one in scan(text, before) if one.sure]
    if picked := chosen(text, before):
        # What an option means stands in the agent's message; the sentence that names it says nothing alone.
        at_once = [*[one for one in at_once if one.kind != "decision"], Trigger("decision", picked)]
    felt = mood(text)
    moods = {MOODS[felt.rating <= MIDDLE]} if felt and felt.confidence >= MIN_CONFIDENCE else set()
    kinds = frozenset({*[one.kind for one in at_once], *moods, *later.kinds})
    asked = dict.fromkeys(whole(text, one.text, one.statement) for one in at_once if one.statement)
    kept = (
        [*filter(None, asked)]
        or ([picked] if picked else [])
        or [later.statement or " ".join(one.text for one in at_once)]
    )
    return Judged(
        id=message["id"],
        labels=frozenset(message["labels"]),
        arguable=frozenset(message.get("arguable", ())),
        what=message.get("what", "") if message.get("keep") == "y" else "",
        kinds=kinds,
        candidates=frozenset(later.candidates) - kinds,
        keep=" ".join(kept),
    )


def measure(found: list[Judged]) -> dict[str, Any]:
    """Return the figures."""
    rows = [_row(kind, (kind,), found) for kind in (*KINDS, *MOODS)]
    together = _row("together", TOGETHER, found)
    clear = [(one, kind) for one in found for kind in TOGETHER if kind in one.labels]
    either = sum(kind in one.kinds | one.candidates for one, kind in clear)
    shown_ones = sum(bool((one.kinds | one.candidates) & set(TOGETHER)) for one in found)
    silent = [one for one in found if not one.labels and not one.arguable]
    wanted = [one for one in found if one.what]
    return {
        "messages": len(found),
        "kinds": rows,
        "together": together,
        "with_candidates": {
            "recall": _share(either, len(clear)),
            "share_of_messages": _share(shown_ones, len(found)),
        },
        "silent": {
            "messages": len(silent),
            "give_a_fact": _share(sum(bool(one.kinds) for one in silent), len(silent)),
            "give_a_candidate": _share(sum(bool(one.candidates) for one in silent), len(silent)),
        },
        "kept": {
            "messages": len(wanted),
            "right": _share(
                sum(is_the_statement(one.what, one.keep) for one in wanted if one.kinds | one.candidates), len(wanted)
            ),
            "cut": _share(sum(is_the_statement(one.what, one.keep) for one in wanted), len(wanted)),
        },
    }


def _row(name: str, kinds: tuple[str, ...], found: list[Judged]) -> dict[str, Any]:
    told = [(one, kind) for one in found for kind in kinds if kind in one.kinds]
    clear = sum(kind in one.labels for one, kind in told)
    arguable = sum(kind in one.arguable and kind not in one.labels for one, kind in told)
    every = sum(kind in one.labels for one in found for kind in kinds)
    return {
        "kind": name,
        "clear": clear,
        "arguable": arguable,
        "false": len(told) - clear - arguable,
        "missed": every - clear,
        "precision": _share(clear + arguable, len(told)),
        "strict_precision": _share(clear, len(told)),
        "recall": _share(clear, every),
    }


def is_the_statement(what: str, keep: str) -> bool:
    """Whether what is kept is the statement: most of its words, and few others."""
    wanted, kept = Counter(words(what)), Counter(words(keep))
    enough = (wanted & kept).total() >= MIN_KEPT * wanted.total()
    return enough and kept.total() <= MAX_LONGER * wanted.total()


def words(text: str) -> list[str]:
    """Return the words of a text in small letters; each sign of a script without spaces is one."""
    spaced = "".join(f" {letter} " if ord(letter) > 0x2E80 else letter if letter.isalnum() else " " for letter in text)
    return spaced.lower().split()


def shown(one: Judged) -> dict[str, Any]:
    """Return what is said of a message as a line of `--out`."""
    return {"id": one.id, "kinds": sorted(one.kinds), "candidates": sorted(one.candidates), "keep": one.keep}


def _share(part: int, of: int) -> float | None:
    return round(part / of, 3) if of else None


def lines(report: dict[str, Any]) -> list[str]:
    """Return the figures as a table."""
    found = [f"{report['messages']} messages, {report['milliseconds']} ms each", f"  {'told as facts':15}" + HEAD]
    found += [_line(row) for row in (*report["kinds"], report["together"])]
    candidates, silent, kept = report["with_candidates"], report["silent"], report["kept"]
    found.append(
        f"  with candidates: {_figure(candidates['recall'])} of the clear ones,"
        f" in {_figure(candidates['share_of_messages'])} of all messages"
    )
    found.append(
        f"  of {silent['messages']} messages that say nothing, {_figure(silent['give_a_fact'])} give a fact"
        f" and {_figure(silent['give_a_candidate'])} a candidate"
    )
    found.append(
        f"  of {kept['messages']} statements to keep, {_figure(kept['right'])} are found and kept without"
        f" the prompt; {_figure(kept['cut'])} would be cut out of it rightly, found or not"
    )
    return found


HEAD = "  clear  arguable  false  missed  precision  strict  recall"


def _line(row: dict[str, Any]) -> str:
    counts = f"{row['clear']:7}{row['arguable']:10}{row['false']:7}{row['missed']:8}"
    figures = [_figure(row[name]) for name in ("precision", "strict_precision", "recall")]
    return f"  {row['kind']:15}{counts}{figures[0]:>11}{figures[1]:>8}{figures[2]:>8}"


def _figure(share: float | None) -> str:
    return "-" if share is None else f"{share:.3f}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
