"""The readers of agents' transcripts: heavy, and loaded only by what reads sessions.

Here is what all of them ask of a text first: who really speaks where a person should, told by how the text begins and
by the blocks that programs add to it. `base` has the contract of a reader and the rest that they share.
"""

from __future__ import annotations

import re

from holdfast.privacy.speech import ADDED, COMMAND_STARTS, INJECTED_STARTS, MAX_LEADING, PERSONS, SUMMARY_STARTS

OURS = "<holdfast-memory>"
# Blocks that programs add before or behind what a person typed, in one and the same text.
_ADDED = re.compile(f"<({'|'.join(ADDED)})>")
# A block before what a person typed, whatever its name is in this version; a person's own words stand in some, too.
_LEADING = re.compile(r"\s*<([a-z]+(?:[-_][a-z]+)+)>")
# What is left of a block when another was taken out of it.
_TAG = re.compile("</?[a-z_-]{1,60}>")


def class_of(text: str, usual: str = "human") -> str:
    """Return the role of a text that stands where a person speaks; `usual` where nothing tells otherwise."""
    start = text[:120].lstrip()
    if start.startswith(OURS):
        return "ours"
    if start.startswith(SUMMARY_STARTS):
        return "summary"
    if start.startswith(COMMAND_STARTS):
        return "command"
    return "injected" if start.startswith(INJECTED_STARTS) else usual


def separated(text: str, usual: str = "human") -> list[tuple[str, str]]:
    """Return the parts of a text with their roles, in order: what a person typed apart from what was added to it."""
    whole_role = class_of(text, usual)
    if whole_role in ("summary", "command") or ("</" not in text and OURS not in text):
        return [(whole_role, text)] if text.strip() else []
    parts, last, unclosed = [], 0, set()
    for found in _ADDED.finditer(text):
        if found.start() < last or found[1] in unclosed:
            continue
        end = text.find(f"</{found[1]}>", found.end())
        if end < 0:
            # What has no end is not a block, and looking for it again and again would take for ever.
            unclosed.add(found[1])
            continue
        end += len(found[0]) + 1
        parts += [text[last : found.start()], text[found.start() : end]]
        last = end
    return [one for part in [*parts, text[last:]] if part.strip() for one in _typed(part.strip(), usual)]


def _typed(part: str, usual: str) -> list[tuple[str, str]]:
    """Return a part with its role; of what a person typed the blocks before it, of any name, apart from it."""
    role = class_of(part, usual)
    if role != usual or part[0] != "<":
        return [(role, part)]
    found: list[tuple[str, str]] = []
    at = 0
    while len(found) < MAX_LEADING and (start := _LEADING.match(part, at)) and not start[1].startswith(PERSONS):
        end = part.find(f"</{start[1]}>", start.end())
        if end < 0:
            break
        end += len(start[1]) + 3
        found.append(("injected", part[at:end].strip()))
        at = end
    rest = part[at:].strip()
    return [*found, ("injected" if _TAG.fullmatch(rest) else usual, rest)] if rest else found
