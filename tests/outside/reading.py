"""What the tests read: fences in what reached a model, and what Holdfast wrote down."""

from __future__ import annotations

import json
from pathlib import Path

from outside.loopback import Request

OPEN, CLOSE = "<holdfast-memory>", "</holdfast-memory>"
# One of the agents writes the brackets of what a hook hands over as entities, so that is how its model sees the fence.
ESCAPED = str.maketrans({"<": "&lt;", ">": "&gt;"})
FORMS = ((OPEN, CLOSE), (OPEN.translate(ESCAPED), CLOSE.translate(ESCAPED)))


def fences(request: Request) -> list[str]:
    """Return what stands within each fence of the request, and check that each one is opened once and closed once."""
    found = []
    for text in request.texts:
        for opening, closing in FORMS:
            blocks = text.split(opening)
            assert text.count(closing) == len(blocks) - 1, f"a fence is not closed once:\n{text[-3000:]}"
            found += [block.partition(closing)[0] for block in blocks[1:]]
    return found


def given_once(request: Request, words: str) -> bool:
    """Whether the words stand once in the request, and there within a fence."""
    return request.count(words) == 1 and sum(block.count(words) for block in fences(request)) == 1


def events(home: Path) -> list[dict]:
    """Return every event in the journal of Holdfast, oldest first."""
    journal = sorted((home / ".holdfast" / "journal").glob("*.jsonl"))
    return [json.loads(line) for path in journal for line in path.read_text(encoding="utf-8").splitlines()]


def hook_log(home: Path) -> str:
    """Return what the hooks noted about trouble."""
    path = home / ".holdfast" / "state" / "hook.log"
    return path.read_text(encoding="utf-8") if path.exists() else ""
