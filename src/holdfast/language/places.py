"""Rules about all files but some, or about every file that is deleted: "only edit files under src/", "delete no files".

What they forbid is the rest of the project, so that their condition is every file with what they name as an exception.
Nothing of this is asked in a hook.
"""

from __future__ import annotations

import re

from holdfast.base.regexes import kept
from holdfast.language import rule_forms as forms
from holdfast.language.conditions import Condition
from holdfast.language.derived_parts import Derived, as_file, of_mentions
from holdfast.language.mentions import MENTION, RuleSentence
from holdfast.records import replace

EVERY_FILE = "**/*"
_AND = r"(?:\s*(?:,|/|\band\b|\bor\b|\bund\b|\boder\b)\s*)+"
_PLACES = (
    rf"(?:(?:of|the|our|your|my|its|files?|folders?|director(?:y|ies)|in|under|inside)\s+)*"
    rf"(?P<where>{MENTION}(?:{_AND}(?:the\s+|in\s+|under\s+)?{MENTION})*)(?:\s+(?:folders?|director(?:y|ies)|files?))?"
)
_EDIT = rf"(?:{forms.EDIT}|edits|edited|changed|work|working|go|leave|suggest|make)"
_THINGS = (
    r"(?:(?:any|all|other|the|your|files?|anything|everything|something|code|changes?|edits?|to|or|and|make|do)\s+)*"
)
_IN = r"(?:in|under|inside|within|below|on|to)"
_BUT = r"(?:except(?: for| in)?|but|outside|other than|apart from|besides|beyond)"
_ENDS = r"(?=\s*(?:$|[.,;:!()–—])|\s+(?:unless|without|until|please|and|or|because|ever|here|-)\b)"
_ALL = r"(?:everything(?: else)?|anything|all (?:other |the )?files?|all other folders|every (?:other )?file|the rest)"
_BANNED = (
    r"(?:is|are)\s+(?:strictly\s+)?(?:off[- ]limits|forbidden|not to be \w+|read[- ]?only|frozen|not yours|mine|tabu"
    r"|none of your business|not allowed|untouchable)"
)
_FORMS = [
    kept(one)
    for one in (
        rf"\b{forms.NOT}\s+{forms.ADVERBS}(?:{_EDIT}(?:\s+(?:or|and|nor)\s+{_EDIT})*)\s+"
        rf"{_THINGS}outside\s+(?:of\s+)?{_PLACES}{_ENDS}",
        rf"\bonly\s+(?:ever\s+)?{_EDIT}\s+{_THINGS}{_IN}\s+{_PLACES}{_ENDS}",
        rf"\bonly\s+(?:ever\s+)?(?:edit|touch|change|modify)\s+{_PLACES}{_ENDS}",
        rf"\b{_EDIT}\s+{_THINGS}only\s+{_IN}\s+{_PLACES}{_ENDS}",
        rf"\b{_EDIT}\s+(?:only|exclusively|solely)\s+{_THINGS}(?:{_IN}\s+)?{_PLACES}{_ENDS}",
        rf"\b{_EDIT}\s+(?:nothing|no (?:other )?(?:files?|code))\s+{_BUT}\s+{_PLACES}{_ENDS}",
        rf"\b{forms.NOT}\s+{forms.ADVERBS}{_EDIT}\s+"
        rf"(?:anything|any (?:other )?files?|other files)\s+{_BUT}\s+{_PLACES}{_ENDS}",
        rf"(?:^|[;:,]\s+){_ALL}\s+{_BUT}\s+{_PLACES}\s+{_BANNED}",
        rf"\bleave\s+{_ALL}\s+{_BUT}\s+{_PLACES}\s+(?:alone|untouched)",
        rf"^(?:please\s+)?(?:stay|remain|keep)\s+(?:inside|within)\s+(?:of\s+)?{_PLACES}{_ENDS}",
        rf"\b(?:keep|limit|restrict|confine)\s+(?:(?:all|your|any)\s+)*(?:changes|edits|modifications|work|yourself)\s+"
        rf"(?:{_IN}|inside)\s+{_PLACES}{_ENDS}",
        rf"\bnothing\s+outside\s+{_PLACES}\s+(?:is|may|must|should)\b",
    )
]
_DELETES = kept(
    rf"(?P<not>\b{forms.NOT}\s+{forms.ADVERBS}|\bbefore\s+(?:you\s+)?)(?:(?:{forms.EDIT})(?:,\s*(?:or\s+)?|\s+or\s+))*"
    r"(?:delet(?:e|ing)|remov(?:e|ing)|rm)\s+(?:(?:or|and)\s+(?:\w+)\s+)?(?:(?:any|a|the|my|our|existing|other|all|some)\s+)*"
    rf"files?(?:\s+(?:or|and)\s+(?:folders?|director(?:y|ies)))?{_ENDS}"
)


def all_but(sentence: RuleSentence) -> Derived | None:
    """Return the condition of a sentence that forbids to change whatever is not in a place that it names."""
    if not sentence.mentions:
        return None
    found = next(filter(None, (form.search(sentence.spoken) for form in _FORMS)), None)
    places = [as_file(one) for one in sentence.named(found["where"])] if found else []
    if found is None or not places or any(one.kind != "path" for one in places):
        return None
    condition = Condition(paths=(EVERY_FILE, *[f"!{one.text}" for one in places]))
    return Derived(condition, sentence.shown(*found.span()), forbids=True, literal=True)


def deleting(sentence: RuleSentence) -> Derived | None:
    """Return the condition of a sentence that forbids to delete files, whichever: "ask before deleting any file"."""
    found = _DELETES.search(sentence.spoken)
    is_asked = found and (found["not"][:6] != "before" or re.search(r"\bask\b", sentence.spoken[: found.start()]))
    if found is None or not is_asked:
        return None
    condition = Condition(paths=(EVERY_FILE,), tools=("delete",))
    return Derived(condition, sentence.shown(*found.span()), forbids=True, literal=True)


def all_allowed_but(sentence: RuleSentence) -> Derived | None:
    """Return what alone is forbidden where all else is allowed."""
    found = forms.ALL_BUT.search(sentence.spoken)
    told = of_mentions(sentence, found, sentence.named(found["what"]), forbids=True) if found else None
    # "All scripts are fine except ..." may say only how they are.
    is_plain = found is not None and not re.search(r"\b(?:fine|ok|okay)\b", found[0])
    return told and replace(told, literal=told.literal and is_plain)
