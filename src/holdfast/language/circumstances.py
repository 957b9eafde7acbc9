"""What a rule leaves open: circumstances that no call shows, and commands that its statement itself asks for.

A rule "on Fridays" or "if the tests fail" is only said, since nobody here knows the day that is meant or how the tests
went; what waits for the person ("unless I say so") holds. Nothing of this is asked in a hook.
"""

from __future__ import annotations

import re

from holdfast.base.regexes import kept
from holdfast.language import commands
from holdfast.language.conditions import Call, Condition, matched
from holdfast.language.mentions import MENTION, TABLE, RuleSentence
from holdfast.language.rule_forms import BUT_NOT, EXCEPT, NOT, OPENS
from holdfast.language.word_lists import listed

# To wait for the person is what a call is held for.
PERSON = (
    r"(?:(?:then|first|being|an?|the|my|your|his|her|their|our|prior|having|getting|clear|written)\s+)*"
    r"(?:i|i['’]\w+|me|my|mine|you(?:['’]re| are| were| have been)? (?:ask|told)\w*|ask\w*|explicit\w*|told"
    r"|permission|approv\w*|confirm\w*|consent|review\w*|sign-?off|user|person|human|operator|owner|maintainer\w*|instruct\w*|request\w*|ok|okay"
    r"|go-ahead|say-so|ich|mich|meine?|rückfrage|nachfrage|zu fragen|erlaubnis)\b"
)
# What is done at the call anyway is no circumstance of it.
_AT_IT = r"(?:you (?:are )?)?(?:commit|push|work(?:ing)? (?:in|on|with) (?:this|the|our)|us(?:e|ing)|run|call)\w*"
_CLAUSE = kept(
    rf"\b(?:unless|until|till|if|when|whenever|while|once|during|except|provided|as long as|in case|wenn|während|falls"
    rf"|sofern|solange|sobald)\s+(?!{PERSON}|{_AT_IT})\S"
    rf"|\bwithout\s+(?!{PERSON}|\w+ing\b|(?:the\s+|an?\s+)?(?:{MENTION}|-))"
    rf"|\b{NOT}\b[^,;]*\bbefore\s+(?!{PERSON}|{MENTION}(?!\s+(?:is|are|has|have|[a-z]+s)\b)|\w+ing\b|(?:you|we|i)\b)\S"
    r"|\bafter\s+(?!changing|editing|that|this)\w+"
)
_TIME = kept(
    r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|weekends?|holidays?|release days?|today|tonight|tomorrow|yet"
    r"|for now|at night|overnight|twice|more than once|at once|at the same time"
    r"|in parallel|every time|each time|right now|at the moment|(?:after|working|business) hours"
    r"|this (?:week|month|morning|afternoon|evening|sprint|quarter)|freitags?|montags?|wochenende|heute|nachts"
    r"|(?:after|before|until|from|between|past|at|nach|vor)\s+\d+\w*|noon|midnight|lunch)\b"
)
_PLACE = kept(
    r"\b(?:in|on|at|against|inside|auf|gegen)\s+(?:(?:the|our|any|a|an|your|live)\s+)*"
    r"(?:prod|production|prd|staging|live|qa|uat|demo|shared|protected|public|remote|customer\w*|(?<!only in )ci)\b"
    r"|\b(?:from|at|in) (?:the )?(?:\w+ )?(?:root|top|parent|outside)\b"
    r"|\bfor (?:an?|this|that|these|those)\s+(?!reasons?\b)\w"
    r"|\bto\s+(?:an?|any|the|our)?\s*(?:shared|protected|public|open)\b"
)
# Of files only some are meant: "that are applied already", "existing migrations in".
_SOME = kept(
    rf"{MENTION}\s+(?:files?\s+|folder\s+)?(?:(?:that|which|whose|die)\s|by [\w-]+ing\b|versions?\b)"
    r"|\b(?:existing|applied|merged|released|published|old|older|previous|past|deployed)\s"
)
_REASON = kept(
    r"\b(?:because|since|otherwise|so that|or else|as it|weil|sonst)\b|[,:(]\s*(?:it|this|that|they|we|das)\b"
)
_IN_IT = kept(rf"\w+ {MENTION}")
_WANTED = kept(r"[,;:]\s*(?:always |please |only |just |instead )*(?:use|run|prefer|call)\s+$")
_STANDS_FOR = kept(r"[<\[{][^<>\[\]{}]*[>\]}]|…|\.\.\.")
_DIRECTLY = kept(r"\b(?:directly|bare|plain|raw|naked|standalone|globally)\b")
_REFUSED = kept(
    r"\b(?:not|never|no|nor|even|instead of|rather than|over|statt|don['’]?t|avoid|without|including|like|such as|e\.g"
    r"|also|and|or|nicht|nie)\b"
)


def leaves_open(sentence: RuleSentence, *, of_files: bool) -> bool:
    """Whether a sentence forbids something only in circumstances that a call does not show, or of some files alone."""
    said = EXCEPT.sub("", BUT_NOT.split(_REASON.split(sentence.spoken)[0])[-1])
    if OPENS.match(said) and not (of_files and _IN_IT.match(said)):
        return True
    return bool(_CLAUSE.search(said) or _TIME.search(said) or _PLACE.search(said) or (of_files and _SOME.search(said)))


def asked_for(sentences: list[RuleSentence], condition: Condition, worse: list[str]) -> tuple[str, ...]:
    """Return, as exceptions, the commands that a statement names and is not against, where the condition is true."""
    found: list[str] = []
    # "Never call python, use uv" is not about `uv run python`, and "never call pytest directly, use uv" not about that.
    is_direct = any(_DIRECTLY.search(sentence.spoken) for sentence in sentences)
    direct = [one for one in worse if is_direct and not commands.is_a(one.split()[0], "wrapper")]
    for sentence in sentences:
        for number, one in enumerate(sentence.mentions):
            if one.kind == "command" and one.text not in worse and not _is_refused(sentence, number):
                found += [f"!{one.text}"] if _is_meant(condition, one.text, one.said) else []
                run = [other for other in worse if f"{one.text} {other}" in listed(TABLE, "same-language")]
                inside = [(wrap, f"{wrap} {other}") for wrap in _wraps(one.text) for other in (*run, *direct)]
                found += [f"!{wrap}" for wrap, line in inside if _is_meant(condition, line)]
            elif one.said[:2] == "--" and _is_wished(sentence, number):
                # "Never force-push; use --force-with-lease".
                options = [other.rpartition(" ") for other in worse]
                found += [f"!{named} {one.said}" for named, _, some in options if one.said in some.split("|")]
    return tuple([one for one in dict.fromkeys(found) if one not in condition.commands])


def _is_meant(condition: Condition, *texts: str) -> bool:
    branch = condition.branches[0] if condition.branches else ""
    # What stands for something else is a word like any.
    return any(matched(condition, Call("Bash", _STANDS_FOR.sub("x", text), branch=branch)) for text in texts)


def _wraps(command: str) -> list[str]:
    """Return how a program that is named runs another one: `uv run`."""
    program = command.partition(" ")[0]
    of_two = [wrap for wrap in listed(commands.TABLE, "wrapper-of-two") if wrap.partition(" ")[0] == program]
    return [*of_two, *([program] if commands.is_a(program, "wrapper") else [])]


def _is_wished(sentence: RuleSentence, number: int) -> bool:
    """Whether an option is what a statement asks for: "use --force-with-lease", "never without --force-with-lease"."""
    before = sentence.spoken.partition(chr(0xE000 + number))[0]
    return before.endswith("without ") or (
        before.endswith(("use ", "prefer ", "pass ")) and not _is_refused(sentence, number)
    )


def _is_refused(sentence: RuleSentence, number: int) -> bool:
    """Whether what stands before a mention, behind the one before it, is against it."""
    letters = [at for at, one in enumerate(sentence.spoken) if re.match(MENTION, one)]
    at = [place for place in letters if ord(sentence.spoken[place]) - 0xE000 == number]
    if not at:
        return True
    before = [place for place in letters if place < at[0]]
    said = sentence.spoken[before[-1] if before else 0 : at[0]]
    # "..., or any such commands, use X" is for X.
    return bool(_REFUSED.search(said)) and not _WANTED.search(said)
