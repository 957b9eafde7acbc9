"""Rules that name a command by a verb or by what it makes: "never push", "before committing", "commit messages ...".

Which words stand for which command is in `tables/conditions.txt`. Nothing of this is asked in a hook.
"""

from __future__ import annotations

import functools
import re

from holdfast.base.regexes import kept
from holdfast.language import rule_forms as forms
from holdfast.language.conditions import Condition
from holdfast.language.derived_parts import Derived, branches_in, is_file, with_option
from holdfast.language.disowned import is_of_others
from holdfast.language.mentions import MENTION, TABLE, RuleSentence, harmless, meanings
from holdfast.language.word_lists import among

_AND = r"(?:\s*(?:,|/|\bor\b|\band\b|\bnor\b|\boder\b|\bund\b)\s*)+"
# Verbs before these in a list that name no command of their own.
_OTHERS = (
    r"(?:(?:edit|modify|create|delete|tag|deploy|publish|release|build|test)(?:\s+(?:any\s+)?files)?\s*,\s+"
    r"(?:or\s+|and\s+)?){0,3}"
)
# What is done to a file beside committing it, before the file is named and behind it.
_ALSO_EDITS = kept(rf"(?:{_AND}(?:{forms.EDIT})\b)+")
_EDITS_IT = kept(rf"{_AND}(?:to\s+)?(?:{forms.EDIT})\s+(?:it|them)\b")
_OR_ELSE = kept(
    r"\s+(?:or|and|nor)\s+(?!(?:run|do|use|any|even|then|otherwise|always|never|ask|please|edit|modify|create"
    r"|delete|tag|deploy|publish|release|build|test)\b)[a-z]"
)
# What begins with one of these wants something of what is written.
_WANTS = rf"(?:(?:please|also|and|we|you|must|should),?\s+)*(?:{forms.NOT}|no|always|put|include|mention|reference)\b"


# "`git push` only when I say so".
_WAITS = kept(rf"(?:please\s+)?({MENTION})\s+only\s+(?:when|if|after|once|with|upon|on)\s+{forms.PERSON}")
# Whatever stands behind these, they are said of git; one may also push back, or merge cells.
_OF_GIT = ("commit", "rebas", "amend", "force")


@functools.cache
def _patterns() -> dict[str, re.Pattern[str]]:
    """Return how a verb that stands for a command, or several of them, is banned, put behind something, or waits."""
    verbs = sorted([verb for some in meanings().values() for verb in some], key=len, reverse=True)
    either = "|".join(verbs)
    # "Never push, commit is ok."
    some = rf"(?P<verbs>(?:{either})(?:{_AND}(?:{either})\b(?!\s+(?:is|are)\b))*)\b"
    # "Do not initialize git, publish anything, or push": what ends with an "or" is one list.
    others = rf"(?:(?:(?!(?:{either})\b)[a-z]+(?:\s+[a-z]+){{0,2}}\s*,\s+){{1,3}}(?:or|nor)\s+|{_OTHERS})"
    return {
        "banned": kept(rf"\b{forms.NOT}\s+{forms.ADVERBS}{forms.ASKING}{others}{some}(?P<rest>.*)"),
        "subject": kept(
            rf"(?:^|\bbut\s+)(?:direct(?:ly)?\s+)?{some}(?P<rest>[^,;:]*?)\s+(?:is|are)\s+(?:strictly\s+"
            rf"|absolutely\s+)?"
            r"(?:forbidden|not allowed|banned|prohibited|off[- ]limits|verboten)\b"
        ),
        "waits": kept(
            rf"(?:(?:please|we|you|should|must|may)\s+)*(?:only\s+(?:ever\s+)?{some}"
            rf"|{some.replace('verbs', 'first')}\s+only\b)"
            rf"(?:\s+\w+){{0,3}}?\s+(?:when|if|after|once|with|upon|on)\s+{forms.PERSON}"
        ),
        # What only the person does: "only I merge", "leave the commits to me", "I'll push myself", "merging is my job".
        "mine": kept(
            rf"\bonly\s+(?:i|me|humans|maintainers|the user|the maintainers?)\s+"
            rf"(?:(?:am|are|may|can|should|do|get to|will|allowed to)\s+)*{some}"
            rf"|\bleave\s+(?:(?:all|the|any|every)\s+)*{some.replace('verbs', 'left')}"
            r"(?:\s+(?:commits?|requests?|prs?|branches|part|step|changes))?\s+(?:up )?to (?:me|us|ci|humans"
            r"|(?:the |our )(?:ci|pipeline|bot|release \w+|maintainers?))\b"
            r"|\bi(?:['’]ll| will| always| want to| prefer to| do (?:all )?(?:the )?)\s*(?:(?:handle|do|all|the)\s+)*"
            rf"{some.replace('verbs', 'own')}(?:\s+\w+){{0,3}}?\s+(?:myself|on my own)\b"
            rf"|(?:^|\bbut\s+|,\s+)(?:all\s+|the\s+)*{some.replace('verbs', 'job')}(?:\s+\w+){{0,2}}?\s+(?:is|are) "
            r"(?:(?:my|a human['’]s|a person['’]s|the maintainers?['’]s?) (?:job|task|business)|up to me|mine)\b"
        ),
        "one": kept(rf"\b(?:{either})\b"),
        "again": kept(rf"[,;:]\s*(?:only |just |always )?(?P<verb>{either})\b"),
    }


def commands_of(verbs: str) -> tuple[str, ...]:
    """Return the commands that these verbs stand for."""
    found: list[str] = []
    for verb in re.split(_AND, verbs):
        wanted = [named for named, some in meanings().items() if any(re.fullmatch(one, verb) for one in some)]
        found += wanted[0] if wanted else ()
    return tuple(dict.fromkeys(found))


def verbs_in(spoken: str, at: int | None = None) -> list[re.Match[str]]:
    """Return the verbs of a sentence that stand for a command, by what follows them; with `at` only one there."""
    one = _patterns()["one"]
    found = list(one.finditer(spoken)) if at is None else [each for each in [one.match(spoken, at)] if each]
    return [each for each in found if each[0].startswith(_OF_GIT) or _is_verb(spoken[each.end() :])]


def _is_verb(rest: str) -> bool:
    other = _OR_ELSE.match(rest)
    if other and not _patterns()["one"].match(rest, other.end() - 1):
        return False
    return bool(re.match(_AND, rest) or forms.WHOLE.match(rest)) or _goes_on(rest, is_before=True)


def only_asked(sentence: RuleSentence) -> Derived | None:
    """Return what a verb stands for that waits for the person: "only commit when I ask you to"."""
    named = _WAITS.match(sentence.spoken)
    found = named or _patterns()["waits"].match(sentence.spoken) or _patterns()["mine"].search(sentence.spoken)
    if found is None or (named and sentence.named(named[1])[0].kind != "command"):
        return None
    wanted = (sentence.named(named[1])[0].text,) if named else commands_of(next(filter(None, found.groups())))
    condition = Condition((*wanted, *harmless(wanted)), branches=branches_in(sentence.spoken))
    return Derived(condition, sentence.shown(*found.span()), forbids=True, literal=True)


def meant(sentence: RuleSentence) -> Derived | None:
    """Return what a verb stands for that is forbidden: "never push"."""
    spoken = sentence.spoken
    patterns = _patterns()
    found = patterns["banned"].search(spoken) or patterns["subject"].search(spoken)
    if found is None or forms.ENDS.search(spoken[: found.start()]):
        return None
    wanted = commands_of(found["verbs"])
    said = sentence.shown(found.start(), found.start("rest") + min(len(found["rest"]), 40))
    if files := _files(sentence, found):
        # "Don't commit .env" is about that file, and not about each commit.
        added = tuple([f"git {verb} {file}" for file in files for verb in ("add", "commit")])
        is_commit = wanted[:1] == ("git commit",)
        # "... must never be committed with debug on" lets it be committed.
        is_any = not re.match(r"\s+(?:(?:it|them)\s+)?with\b", found["rest"])
        edited = tuple(files) if _ALSO_EDITS.match(found["rest"]) or _EDITS_IT.search(found["rest"]) else ()
        return Derived(Condition(added, edited), said, forbids=True, literal=is_any) if is_commit else None
    if is_of_others(spoken, found.start()):
        return None
    if _OR_ELSE.match(found["rest"]) and len(wanted) == 1:
        # What can be pushed or popped is no commit.
        return None
    is_whole = bool(forms.WHOLE.match(found["rest"]))
    if not is_whole and not _goes_on(found["rest"], is_before=False):
        return None
    if option := forms.WITH_OPTION.match(found["rest"]):
        said = "".join([one.said for one in sentence.named(option["what"])]) or option["what"]
        given = [one if said in one else with_option(one, said) for one in wanted if said[:1] == "-"]
        wanted, is_whole = tuple(given), said[:1] == "-"
    # "Don't push to origin, push to my fork": the same is asked for in another way.
    again = patterns["again"].search(found["rest"])
    is_plain = is_whole and not (again and set(commands_of(again["verb"])) & set(wanted))
    condition = Condition((*wanted, *harmless(wanted)), branches=branches_in(spoken))
    return Derived(condition, said, forbids=True, literal=is_plain)


def _files(sentence: RuleSentence, found: re.Match[str]) -> list[str]:
    """Return the files that a verb is about: those behind it, or those before "never commit it"."""
    rest, verbs = found["rest"], _ALSO_EDITS.match(found["rest"])
    at = verbs.end() if verbs else 0
    behind = forms.OBJECT.match(rest, at)
    # "The folder dist/ is the output of webpack, never to commit" is about the folder.
    is_ended = not rest[verbs.end() if verbs else 0 :].strip(" .!") and re.search(
        r"\bto\s", found[0][: -len(rest) or None]
    )
    is_before_it = re.match(r"\s+(?:it|them)\b", rest) or found["verbs"].endswith("ted") or is_ended
    said = sentence.spoken[: found.start()] if is_before_it else behind["what"] if behind else ""
    return [one.text for one in sentence.named(said) if is_file(one)]


def _goes_on(rest: str, *, is_before: bool) -> bool:
    """Whether what stands behind a verb leaves it that command; with another word it may be another ("push back")."""
    words = rest.split()
    following = words[0].strip(",.;:!()") if words and words[0][0] != "(" else ""
    return (
        not following
        or following in among(TABLE, "goes-on")
        or (is_before and following in among(TABLE, "goes-on-before"))
        or words[0][0] in ",;:("
        or not following.isalpha()
    )


def about(sentence: RuleSentence) -> Derived | None:
    """Return what is told at the command that makes what the sentence begins with: "commit messages are in English"."""
    for wanted, names in meanings("about ").items():
        lead = r"(?:(?:the|our|your|my|all|any|always|please|write|keep|use|every|git|los|les)\s+)*"
        named = rf"{lead}(?:{'|'.join(names)})\b"
        # "No emojis in commit messages", "reference the ticket in the commit message".
        found = kept(named).match(sentence.spoken) or kept(rf"{_WANTS}.*\b(?:in|for)\s+{named}").match(sentence.spoken)
        if found:
            return Derived(Condition(wanted), sentence.shown(*found.span()), forbids=False, literal=True)
    return None
