"""What an agent's answer says about the work: what it did, what comes next, and what it ticked."""

from __future__ import annotations

from holdfast.continuity.region import entries, one_line
from holdfast.language import word_lists

MAX_SUMMARY = 240
# A sentence as short as "Done." says nothing yet.
_MIN_SENTENCE = 12
_MAX_STEPS = 10
_MAX_STEP = 300
_FOLDER = __file__.rpartition("/")[0]
_HEADINGS = f"{_FOLDER}/next_steps.txt"
_OPENERS = f"{_FOLDER}/openers.txt"
_MAX_LINE = 4_000
_ENDS = (". ", "! ", "? ")
_BULLETS = ("- ", "* ", "• ")


def summary(answer: str) -> str:
    """Return the first sentence of an answer that says something, as one line without Markdown's signs around it."""
    openers = tuple(word_lists.lines(_OPENERS))
    passed_over = [""]
    for line in answer.splitlines():
        if line.lstrip().startswith(("```", "|", "<")):
            continue
        for text in _sentences(one_line(line[:_MAX_LINE]).strip("#*_`>- "), openers):
            if not text.casefold().replace("’", "'").startswith(openers):
                return one_line(text, MAX_SUMMARY)
            passed_over.append(text)
    return one_line(max(passed_over, key=len), MAX_SUMMARY)


def _sentences(text: str, openers: tuple[str, ...]) -> list[str]:
    """Return the sentences of a line; one that is very short goes with the next, unless it is an opener."""
    found: list[str] = []
    while len(text) > 1:
        least = 0 if text[:_MIN_SENTENCE].casefold().replace("’", "'").startswith(openers) else _MIN_SENTENCE
        ends = [place for place in (text.find(end, least) for end in _ENDS) if place > 0]
        end = min(ends) + 1 if ends else len(text)
        found.append(text[:end])
        text = text[end:].strip()
    return found


def next_steps(answer: str) -> tuple[str, ...]:
    """Return the list under the last heading that announces what comes next; nothing where there is none."""
    lines = answer.splitlines()
    names = frozenset(word_lists.lines(_HEADINGS))
    starts = [place for place, line in enumerate(lines) if _bare(line) in names or _bare(_last(line)) in names]
    if not starts:
        return ()
    found: list[str] = []
    for line in lines[starts[-1] + 1 :]:
        if _is_item(line):
            found.append(line)
        elif line.strip() and (found or not line.startswith(" ")):
            break
    steps = [one_line(item, _MAX_STEP) for item in entries(found)[:_MAX_STEPS]]
    return tuple(step.removeprefix("[ ] ") for step in steps if step and not step.lower().startswith("[x]"))


def ticked(answer: str) -> tuple[str, ...]:
    """Return the items of an answer that it shows as done, with a tick in their box."""
    items = [line.strip()[2:].strip() for line in answer.splitlines() if line.lstrip().startswith(_BULLETS)]
    return tuple(one_line(item[3:], _MAX_STEP) for item in items if item.lower().startswith("[x]"))


def _last(line: str) -> str:
    """Return the last sentence of a line that announces something, as in "It works. Next steps:"."""
    text = line.strip()
    return text[max(text.rfind(end) + 1 for end in _ENDS) :] if text.rstrip("*_ ").endswith(":") else ""


def _bare(line: str) -> str:
    text = line.strip()
    return text.strip("#*_:? ").casefold().replace("’", "'") if len(text) < 60 else ""


def _is_item(line: str) -> bool:
    text = line.strip()
    number, dot, _ = text.partition(". ")
    return text.startswith(_BULLETS) or (bool(dot) and number.isdigit())
