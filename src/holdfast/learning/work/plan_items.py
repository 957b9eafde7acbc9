"""Criteria out of what was asked: bullets and sentences that demand something.

Nothing is invented: each criterion is a sentence or an entry as it was told. Words are data (`words/`).
"""

from __future__ import annotations

from holdfast.base.light_records import dataclass
from holdfast.language import tools
from holdfast.learning.work import text as work_text

MAX_CRITERIA = tools.MAX_PLANNED
_MIN_WORDS = 2
_LABEL_WORDS = 4
_MAX_BULLET_LINES = 60
# A sentence of more words explains something.
_MAX_WORDS = 40


@dataclass(frozen=True, slots=True)
class AskedFor:
    """What a message asks for: the sentence that sums it up, its criteria, and what must not happen."""

    ideal: str
    criteria: tuple[str, ...]
    anti_criteria: tuple[str, ...]


def asked(text: str, *, further: bool = False) -> AskedFor:
    """Return what a message demands; one that demands nothing in particular is its own criterion.

    One that comes `further` on in the work is so only where it orders something: people ask and talk about the work.
    """
    told = work_text.without_code(text)
    wanted: dict[str, None] = {}
    barred: dict[str, None] = {}
    ideal = tools.without_marks(work_text.first_part(text))
    # A document says much that is no demand of its own; what it is for counts.
    sentences = _sentences(told) if len(text) <= work_text.LONG_ASK else []
    has_list = any(is_item for _, is_item in sentences)
    if ideal and not has_list and not further:
        # What is asked for as a whole must be there too; where there is a list, that says it.
        wanted[ideal] = None
    for number, (sentence, is_item) in enumerate(sentences):
        for part in [sentence] if is_item else work_text.parts_of(sentence):
            kind = _kind(part, is_item, may_order=number > 0 or not has_list)
            said = tools.without_marks(part)
            # The same words behind "please" are the same demand.
            said = ideal if not is_item and tools.without_marks(work_text.first_part(part)) == ideal else said
            if kind and said not in wanted:
                (barred if kind == "never" else wanted)[said] = None
    if ideal and not wanted and not further:
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
    if text.startswith(tools.BULLETS):
        text = text[2:].strip()
    elif dot and number[:-1].isdigit() and number[-1] in ".)" and len(number) <= 4:
        text = rest.strip()
    else:
        return ""
    return text[3:].strip() if text.startswith(tools.BOXES) else text


def _kind(sentence: str, is_item: bool, *, may_order: bool) -> str:
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
    begins = work_text.first_words(spoken)
    is_order = (
        may_order
        and len(spoken) > _MIN_WORDS
        and any(begins.startswith(f" {entry} ") for entry in work_text.every("orders"))
    )
    return "must" if is_item or is_order or work_text.says(joined, "must") else ""


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
