"""How well ratings are found in what people say: by a number, and by praise or frustration in their words.

    holdfast bench ratings [--part dev|held|both] [--data FOLDER] [--json]

The messages are in `rating_sets/`; GUIDE.md there says how they were labelled. By a number: how many messages give
exactly the rating and the comment that they should, or none. By words: precision and recall of each mood. The rules
were written with `dev`; what they find in `held`, which nobody looked at meanwhile, is what counts. Of the messages
drawn from real sessions only ids and labels are there: their texts are looked for in the transcripts below FOLDER.
The time is that of one message, in a process that does many.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import sys
import time
from types import ModuleType
from typing import Any

from holdfast.language.moods import mood
from holdfast.learning.ratings.hook import judge
from holdfast.privacy import speech

MOODS = ("praise", "frustration")
SOURCES = ("written", "drawn", "all")
_MIDDLE = 5
Row = dict[str, Any]


def _messages() -> ModuleType:
    """Return the module of the sets, by its path: another benchmark has one of the same name."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "rating_sets", "messages.py")
    spec = importlib.util.spec_from_file_location("rating_sets_messages", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


sets = _messages()


def main(arguments: list[str]) -> int:
    """Look through the messages and print the figures."""
    parser = argparse.ArgumentParser(prog="holdfast bench ratings", description=__doc__)
    parser.add_argument(
        "--part", choices=(*sets.PARTS, "both"), default="both", help="which messages; both, if not said"
    )
    parser.add_argument("--data", default="", help="a folder of transcripts in which the drawn messages are looked for")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args(arguments)
    parts = sets.PARTS if options.part == "both" else (options.part,)
    report = {"explicit": explicit(), "implicit": [implicit(part, options.data) for part in parts]}
    print(json.dumps(report, indent=2, ensure_ascii=False) if options.json else "\n".join(_lines(report)))
    return 0


def explicit() -> Row:
    """Return how many messages give the number that they should, and those that do not."""
    wrong = []
    messages = sets.explicit()
    for message in messages:
        expected = (message.rating, message.comment) if message.rating else None
        found = _number(message.text, message.answer)
        if found != expected:
            wrong.append({"id": message.id, "text": message.text, "expected": expected, "found": found})
    return {
        "messages": len(messages),
        "ratings": sum(message.rating is not None for message in messages),
        "exact": len(messages) - len(wrong),
        "wrong": wrong,
    }


def _number(text: str, answer: str) -> tuple[int, str] | None:
    judged = judge(text, lambda: answer)
    return (judged.rating, judged.comment) if judged is not None and judged.source == "explicit" else None


def implicit(part: str, data: str) -> Row:
    """Return precision and recall of each mood in a part, by source, and the time of a message."""
    messages = sets.load(part, data)
    started = time.process_time()
    found = [_mood(message.text) for message in messages]
    took = time.process_time() - started
    pairs = list(zip(messages, found, strict=True))
    rows = [
        _figures(source, kind, chosen)
        for source in SOURCES
        if (chosen := [pair for pair in pairs if source in ("all", pair[0].source)])
        for kind in MOODS
    ]
    return {
        "part": part,
        "messages": len(messages),
        "left_out": sets.left_out(part, messages),
        "milliseconds": round(1000 * took / max(1, len(messages)), 3),
        "rows": rows,
    }


def _mood(text: str) -> str:
    found = mood(speech.typed(text))
    return "none" if found is None else MOODS[0] if found.rating > _MIDDLE else MOODS[1]


def _figures(source: str, kind: str, pairs: list[tuple[Any, str]]) -> Row:
    right = sum(message.label == kind and found == kind for message, found in pairs)
    said = sum(found == kind for _, found in pairs)
    labelled = sum(message.label == kind for message, _ in pairs)
    return {
        "source": source,
        "mood": kind,
        "labelled": labelled,
        "found": right,
        "wrong": said - right,
        "precision": round(right / said, 3) if said else None,
        "recall": round(right / labelled, 3) if labelled else None,
    }


def _lines(report: Row) -> list[str]:
    numbers = report["explicit"]
    lines = [f"by a number: {numbers['exact']} of {numbers['messages']} messages exact ({numbers['ratings']} ratings)"]
    lines += [f"  {one['text']!r}: {one['found']}, not {one['expected']}" for one in numbers["wrong"]]
    for part in report["implicit"]:
        left = f"; {part['left_out']} drawn ones left out (--data FOLDER)" if part["left_out"] else ""
        lines.append(f"by words, {part['part']}: {part['messages']} messages, {part['milliseconds']} ms each{left}")
        for row in part["rows"]:
            figures = f"precision {_shown(row['precision'])}  recall {_shown(row['recall'])}"
            counts = f"found {row['found']} of {row['labelled']}, wrongly {row['wrong']}"
            lines.append(f"  {row['source']:8} {row['mood']:11} {figures}  {counts}")
    return lines


def _shown(figure: float | None) -> str:
    return "   -" if figure is None else f"{figure:.2f}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
