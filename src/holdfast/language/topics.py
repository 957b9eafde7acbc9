"""A rule that names its thing first, put into the order of a plain ban: "X: never", "X is off limits".

What is said of a thing decides what is forbidden of it. Where the words name no act, a file is not to be changed and
a command not to be run; a script is run, unless the words are those that one says of a file. What stands behind stays,
so that the limits and exceptions of a rule are read in one place. Nothing of this is asked in a hook.
"""

from __future__ import annotations

import re

from holdfast.base.regexes import kept
from holdfast.language import rule_forms as forms
from holdfast.language.derived_parts import as_file, is_file
from holdfast.language.mentions import MENTION, TABLE, RuleSentence
from holdfast.language.word_lists import among

_AND = r"(?:\s*(?:,|/|\bor\b|\band\b|\bnor\b|\bund\b|\boder\b)\s*)+"
_IS = r"(?:is|are)\s+"
# Where a clause begins, and what may stand before its thing: "the files under", "anything in".
_THING = (
    r"(?P<led>^|[;:(]\s+|,\s+(?:(?:but|and|so|yet)\s+)?|\b(?:but|because)\s+)"
    r"(?:(?:please|note|also|running|using|leave|run|call)\s+)*"
    r"(?:(?:the|our|your|this|these|all|any\w*|every\w*|files?|scripts?|folders?)\s+"
    r"(?:(?!us|say|said|run|has|have|is|are|was|will|can|do)[\w'-]+\s+){0,3})?"
    rf"(?P<things>{MENTION}(?:{_AND}{MENTION})*)"
    r"(?:\s+(?:folders?|files?|director(?:y|ies)|commands?|scripts?|migrations?))?"
    r"(?P<without>\s+without (?:\w+ ){0,2}?\w+)?"
)
_STAYS = r"(?:is|are|it is|it['’]s|(?:must |should |has to |have to )?(?:stays?|remains?))\s+"
_ADVERBS = r"(?:(?:strictly|absolutely|completely|totally|also|still|a|an|generally|by default|currently|always)\s+)*"
_ENDS = r"(?=[\s.!)]*$|[,;]\s|\s+(?:without|unless|until|by hand|manually)\b)"
_LIMITED = (
    r"(?=\s*(?:$|[.,;:!()–—])|\s+(?:-\s|on|in|at|against|with|without|unless|from|for|because|since|until|by|to|as|here"
    r"|not|never|no|and|or|but|outside|when|while|if|ever|it|they|we|i)\b)"
)
_FORBIDDEN = (
    r"(?:forbidden|banned|prohibited|disallowed|verboten|tabu|taboo|(?:a )?no-?go|unacceptable|unauthori[sz]ed"
    r"|(?:not|never|nicht) (?:allowed|permitted|ok|okay|acceptable|fine|erlaubt))"
)
# Said of what is not to be changed, whatever else may be done with it.
_UNTOUCHED = (
    r"(?:off[- ]limits|read[- ]only for (?:you|agents|everybody|everyone)|untouchable"
    r"|untouched|unchanged|as (?:it|they) (?:is|are)|sacred|hands off|finger weg"
    r"|frozen(?=[^.;]*\bno (?:changes|edits|modifications?)\b))"
)
_NO = r"(?:never(?:[\s,]+(?:never|ever))*|not|(?:hell )?no(?: way)?|nope|nein|niemals|nie|nicht)"
_PREPOSITION = r"(?:against|in|on|with|without|unless|from|outside|by|for|until|before)\b"
_MODAL = r"(?:must|should|may|can|shall|is|are|to)"
_VERB = rf"(?:{forms.RUN}|{forms.EDIT}|{forms.READ})"
_RUN = r"(?:run|used|called|executed|started|launched|invoked)"
_CHANGED = (
    r"(?:hand-)?(?:edit|touch|chang|modifi|overwritt|alter|rewritt|updat|patch|delet|remov|mov|renam|upgrad|bump"
    r"|reformatt)(?:p?ed|en)"
)
_DONE = rf"(?P<done>{_RUN}|{_CHANGED})\b"
_EDITS = (
    r"no\s+(?:more |further )?(?:edits?|changes?|modifications?|touching)(?:\s+(?:to|of|there|here)(?: it| them)?)?"
)
# What may be said of a thing; the name of a group says what that makes of it.
_COMMENTS = (
    # "X is okay on topic branches but not on main": what is left of it is the ban.
    rf"\s+(?:{_IS})?(?:ok|okay|fine|allowed|permitted)\b[^.;]*?,?\s+but\s+(?:not|never)(?P<but>\s+{_PREPOSITION}.*)",
    rf"(?:\s+(?:{_STAYS})?|\s*(?::|,|\s[–-])\s+(?:{_STAYS})?){_ADVERBS}"
    rf"(?:{_FORBIDDEN}|(?P<untouched>{_UNTOUCHED})){_LIMITED}",
    rf"\s*(?:[:,]|\s[–-]|(?=\s))\s*(?:please\s+)?{_NO}(?=[\s.!)]*$|[,.;!]\s|\s+{_PREPOSITION})",
    rf"\s*,?\s*(?:(?:you|we|agents?|nobody|no one|one)\s+)?{_MODAL}\s+(?:not|never)\s+(?:(?:ever|to|be)\s+)*{_DONE}",
    rf"\s+(?:{_IS})?not something\s+(?:for you to|(?:you|we|agents?)\s+(?:should|may|can|ought to))\s+(?:ever\s+)?"
    rf"(?P<act>{forms.RUN}|{forms.EDIT}|do)\b",
    rf"\s*,?\s*(?:you|we|agents?)\s+(?:{forms.NOT})\s+(?:ever\s+)?"
    rf"(?P<acts>{_VERB}(?:(?:,\s*|\s+)(?:n?or|and|/)?\s*{_VERB})*)(?:\s+(?:it|them|these|those))?{_ENDS}",
    rf"(?:\s+(?:in|at|of|under)\s+(?:the\s+)?[\w-]+)?\s+(?:is|are|belongs?|comes?|stays?)\s[^.;]*?(?:,|:|\s[–-])\s+"
    rf"(?P<edits>{_EDITS}){_ENDS}",
    rf"\s+{_MODAL}\s+(?:(?:only|be|ever)\s+)+{_DONE} (?P<mine>by me)\b",
    rf"\s*:?\s+(?:{_IS})?only,?\s+(?P<waits>(?:by|for)\s+(?:me|us|humans?)\b|i\b(?=\W*$)"
    rf"|(?:if|when|after|once|with|upon|on)\s+{forms.PERSON}[^,;]*)",
    rf"\s+{_IS}(?P<theirs>mine|my (?:job|business|call|task)|up to me)\b(?! to)",
    rf"\s+(?P<left>to me)\b{_ENDS}",
    rf"\s+{_IS}(?P<owned>for\s+me)\b,?\s+(?:and\s+)?not\s+(?:for\s+)?you\b",
)
# A ban whose act stands before its thing, or behind a place: each with the plain ban that it is.
_ACT_FIRST = [
    (kept(form), said)
    for form, said in (
        (r"^(?:and\s+)?(?:nobody|no one)\s+(?:ever\s+)?(?:runs|uses|calls|executes|starts)\b", "never run"),
        (r"^(?:and\s+)?(?:nobody|no one)\s+(?:ever\s+)?(?:edits|touches|changes|modifies)\b", "never edit"),
        (rf"^(?P<ban>{_VERB}\s+{MENTION}[^,;]*?)\s+{_IS}{_ADVERBS}{_FORBIDDEN}(?=[\s.!)]*$)", r"never \g<ban>"),
        (
            rf"^nothing\s+(?:in|under|below|inside)\s+(?P<what>{MENTION}(?:{_AND}{MENTION})*)\s+"
            rf"(?:(?:may|can|must|should|is to|gets?|is)\s+)?(?:(?:be|ever)\s+)*{_CHANGED}\b",
            r"never edit \g<what>",
        ),
        (
            rf"^(?:in|under|below|inside)\s+(?P<what>{MENTION}(?:{_AND}{MENTION})*),?\s+nothing\s+"
            rf"(?:(?:may|can|must|should|is to|gets?|is)\s+)?(?:(?:be|ever)\s+)*{_CHANGED}"
            r"(?:\s+any ?(?:more|longer))?\b",
            r"never edit \g<what>",
        ),
        (
            rf"^(?:you|agents?)\s+need\s+(?:my|our)\s+(?P<leave>[\w-]+)\s+(?:for|before|to)\s+"
            rf"(?:\w+thing\s+that\s+)?(?:touch|chang|edit|modif)\w*\s+(?:(?:the|anything|in)\s+)*(?P<what>{MENTION})",
            r"never edit \g<what> without my \g<leave>",
        ),
        (
            rf"^(?P<what>{MENTION})\s+only\s+(?:ever\s+)?(?:changes?|(?:gets?|is|are) (?:changed|updated)|updates?)\s+"
            r"(?:via|by|through|with|using)\b.*",
            r"never edit \g<what> by hand",
        ),
    )
]
# "X is mine, don't read or change it."
_UNREAD = kept(rf"^\s*[,;:–-]\s*(?:{forms.NOT})\s+(?:\w+ or )?{forms.READ}\b")
_FORMS = [kept(f"{_THING}{comment}") for comment in _COMMENTS]


def straight(sentence: RuleSentence) -> RuleSentence:
    """Return a sentence with its ban in the order of "never run X"; the same where it has no other."""
    # Each of the forms has something that is named.
    if not sentence.mentions:
        return sentence
    for form, said in _ACT_FIRST:
        if form.match(sentence.spoken):
            sentence.spoken = form.sub(said, sentence.spoken)
            return sentence
    found = next(filter(None, (form.search(sentence.spoken) for form in _FORMS)), None)
    if found is not None and not _is_all_work(sentence, found):
        before, behind = sentence.spoken[: found.start()], sentence.spoken[found.end() :]
        ban = _ban(sentence, found)
        if _UNREAD.search(behind) and ban.startswith("never edit "):
            ban = f"never read or {ban.removeprefix('never ')}"
        return sentence.reading(f"{before}{found['led']}{ban}{behind}")
    return sentence


def _is_all_work(sentence: RuleSentence, found: re.Match[str]) -> bool:
    """Whether a program that is run all day is said to be somebody's: that leaves open what of it may be run."""
    whose = {name for name, words in found.groupdict().items() if words is not None} & {"theirs", "left", "owned"}
    return bool(whose) and any(one.text in among(TABLE, "everyday") for one in sentence.named(found["things"]))


def _ban(sentence: RuleSentence, found: re.Match[str]) -> str:
    said = {name: words for name, words in found.groupdict().items() if words is not None}
    first = sentence.named(found["things"])[0]
    is_changed = is_file(as_file(first) if "untouched" in said else first)
    verb = said.get("acts") or said.get("act") or ("edit" if is_changed or "edits" in said else "run")
    if done := said.get("done"):
        verb = "run" if re.fullmatch(_RUN, done) else "delete" if forms.TAKE_AWAY.search(done) else "edit"
    waits = " without asking me" if {"waits", "mine", "owned", "theirs", "left"} & {*said} else ""
    return f"never {verb} {found['things']}{waits or said.get('but') or said.get('without') or ''}"
