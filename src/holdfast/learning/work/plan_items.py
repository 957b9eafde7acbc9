"""Criteria out of what was asked and planned: bullets, sentences that demand something, and the entries of a plan.

Nothing is invented: each criterion is a sentence or an entry as it was told. Words are data (`words/`).
"""

from __future__ import annotations

from holdfast.base.light_records import dataclass
from holdfast.base.minijson import loads
from holdfast.base.text import DOTS, cut
from holdfast.language import tools
from holdfast.language.word_lists import listed
from holdfast.learning.work import text as work_text

MAX_CRITERIA = 24
MAX_CRITERION = 200
_MIN_WORDS = 2
_LABEL_WORDS = 4
_MAX_BULLET_LINES = 60
_BULLETS = ("- ", "* ", "• ", "+ ", "– ")
_BOXES = ("[ ]", "[x]", "[X]")
_TICKED = ("[x]", "[X]")
# A sentence of more words explains something.
_MAX_WORDS = 40


@dataclass(frozen=True, slots=True)
class AskedFor:
    """What a message asks for: the sentence that sums it up, its criteria, and what must not happen."""

    ideal: str
    criteria: tuple[str, ...]
    anti_criteria: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Planned:
    """One entry of a plan, and whether the agent ticked it."""

    text: str
    ticked: bool


def asked(text: str) -> AskedFor:
    """Return what a message demands; one that demands nothing in particular is its own criterion."""
    told = work_text.without_code(text)
    wanted: dict[str, None] = {}
    barred: dict[str, None] = {}
    ideal = _cut(work_text.first_part(text))
    sentences = _sentences(told)
    if ideal and not any(is_item for _, is_item in sentences):
        # What is asked for as a whole must be there too; where there is a list, that says it.
        wanted[ideal] = None
    for sentence, is_item in sentences:
        for part in [sentence] if is_item else work_text.parts_of(sentence):
            kind = _kind(part, is_item)
            if kind:
                (barred if kind == "never" else wanted)[_cut(part)] = None
    if ideal and not wanted:
        wanted[ideal] = None
    return AskedFor(ideal, tuple(wanted)[:MAX_CRITERIA], tuple(barred)[:MAX_CRITERIA])


def _sentences(text: str) -> list[tuple[str, bool]]:
    """Return the sentences of a message, each with whether it is an item of a list."""
    found: list[tuple[str, bool]] = []
    for line in text.split("\n")[: _MAX_BULLET_LINES * 2]:
        item = _item(line)
        if item:
            found.append((item, True))
            continue
        for end in ("! ", "? ", "; ", ". "):
            line = line.replace(end, f"{end.strip()}\n")
        found += [(part.strip(), False) for part in line.split("\n") if part.strip()]
    return found


def _item(line: str) -> str:
    """Return what an item of a list says, nothing where the line is none."""
    text = line.strip()
    number, dot, rest = text.partition(" ")
    if text.startswith(_BULLETS):
        text = text[2:].strip()
    elif dot and number[:-1].isdigit() and number[-1] in ".)" and len(number) <= 4:
        text = rest.strip()
    else:
        return ""
    return text[3:].strip() if text.startswith(_BOXES) else text


def _kind(sentence: str, is_item: bool) -> str:
    """Return `must` or `never`, or nothing where a sentence demands nothing."""
    spoken = work_text.plain(sentence)
    joined = f" {' '.join(spoken)} "
    least = 1 if is_item else _MIN_WORDS
    if is_item and _only_names(sentence):
        return ""
    if sentence.endswith("?") or not least <= len(spoken) <= _MAX_WORDS or work_text.says(joined, "loose"):
        return ""
    if work_text.says(joined, "never") or _forbids(spoken):
        return "never"
    return "must" if is_item or work_text.says(joined, "must") else ""


def _only_names(item: str) -> bool:
    """Whether an item of a list only says what something is called or where it is, as `Branch: main` does."""
    label, colon, rest = item.partition(":")
    value = rest.strip("* `")
    return bool(colon) and len(label.split()) <= _LABEL_WORDS and (len(value.split()) <= 1 or value.startswith("/"))


def _forbids(spoken: list[str]) -> bool:
    """Whether a sentence begins as one that forbids something; "never executes the rest" only tells."""
    begins = work_text.first_words(spoken)
    tells = begins.startswith(" never ") and begins.split()[1:2] != [] and begins.split()[1].endswith("s")
    starts = any(begins.startswith(f" {entry} ") for entry in work_text.every("forbids"))
    return (starts and not tells) or work_text.excludes(spoken)


def _cut(text: str) -> str:
    return cut(" ".join(text.split()).strip("*_ ").rstrip(".;,:! "), MAX_CRITERION, DOTS)


def plan_of(tool: str, given: str) -> tuple[Planned, ...]:
    """Return the entries of the plan that a call of a tool writes down; nothing where it is no such tool."""
    if not tools.writes_plan(tool):
        return ()
    value = _parsed(given)
    if isinstance(value, str):
        return boxes(value)
    return _entries(value)[:MAX_CRITERIA]


def _entries(value: object) -> tuple[Planned, ...]:
    if isinstance(value, dict):
        entries = next((value[key] for key in listed(tools.TABLE, "plan-entries") if value.get(key)), None)
        if isinstance(entries, str):
            return boxes(entries)
        if isinstance(entries, list):
            return _entries(entries)
        one = _entry(value)
        return (one,) if one else ()
    found = [_entry(each) for each in value] if isinstance(value, list) else []
    return tuple(one for one in found if one)


def _entry(value: object) -> Planned | None:
    if isinstance(value, str):
        return Planned(_cut(value), False) if value.strip() else None
    if not isinstance(value, dict):
        return None
    keys = listed(tools.TABLE, "plan-says")
    text = next((value[key] for key in keys if isinstance(value.get(key), str) and value[key].strip()), "")
    states = [str(value[key]).casefold() for key in listed(tools.TABLE, "plan-state") if key in value]
    return Planned(_cut(text), any(one in listed(tools.TABLE, "plan-ticked") for one in states)) if text else None


def boxes(text: str) -> tuple[Planned, ...]:
    """Return the check boxes of a plan in Markdown."""
    found = []
    for line in text.split("\n"):
        item = line.strip()
        item = item[2:].strip() if item.startswith(_BULLETS) else item
        if item.startswith(_BOXES) and item[3:].strip():
            found.append(Planned(_cut(item[3:]), item.startswith(_TICKED)))
    return tuple(found[:MAX_CRITERIA])


def _parsed(given: str) -> object:
    """Return the arguments of a call; of those that were cut, what stands before the cut."""
    for text in (given, given[: given.rfind("}") + 1] + "]}", given[: given.rfind("}") + 1] + "]"):
        try:
            return loads(text)
        except ValueError:
            continue
    return given
