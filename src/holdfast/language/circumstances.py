"""What a rule leaves open: circumstances that no call shows, which calls are meant, and what its statement asks for.

A rule "on Fridays" or "if the tests fail" is only said, since nobody here knows the day that is meant or how the tests
went; what waits for the person ("unless I say so") holds. "Before you commit Elixir code" is about some commits, and
out of place at nearly all: a word around an everyday command that is not known to leave each of its calls silences the
rule. Nothing of this is asked in a hook.
"""

from __future__ import annotations

import re

from holdfast.base.regexes import kept
from holdfast.language import commands
from holdfast.language import rule_forms as forms
from holdfast.language.conditions import Call, Condition, matched
from holdfast.language.derived_parts import Derived
from holdfast.language.mentions import MENTION, TABLE, RuleSentence, meanings
from holdfast.language.verb_rules import commands_of, verbs_in
from holdfast.language.word_lists import among, listed
from holdfast.records import replace

# What is done at the call anyway is no circumstance of it.
_AT_IT = r"(?:you (?:are )?)?(?:commit|push|work(?:ing)? (?:in|on|with) (?:this|the|our)|us(?:e|ing)|run|call)\w*"
_CASE = kept(
    rf"\b(?:unless|until|till|if|when|whenever|while|once|during|except|provided|as long as|in case|wenn|während|falls"
    rf"|sofern|solange|sobald)\s+(?!{forms.PERSON}|{_AT_IT})\S"
    rf"|\bwithout\s+(?!{forms.PERSON}|\w+ing\b|(?:the\s+|an?\s+)?(?:{MENTION}|-))"
    rf"|\b{forms.NOT}\b[^,;]*\bbefore\s+(?!{forms.PERSON}|{MENTION}(?!\s+(?:is|are|has|have|[a-z]+s)\b)|\w+ing\b|(?:you|we|i)\b)\S"
    r"|\bafter\s+(?!changing|editing|that|this)\w+"
)
# Of a command no call shows it; of files the condition says it.
_OUTSIDE = kept(r"\boutside\s+\S")
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
    r"\b(?:because|since|otherwise|so that|or else|as it|weil|sonst)\b|[,:(]\s*(?:it|this|that|they|we|i|das)\b"
)
_IN_IT = kept(rf"\w+ {MENTION}")
_WANTED = kept(r"[,;:]\s*(?:always |please |only |just |instead )*(?:use|run|prefer|call)\s+$")
_STANDS_FOR = kept(r"[<\[{][^<>\[\]{}]*[>\]}]|…|\.\.\.")
_DIRECTLY = kept(r"\b(?:directly|bare|plain|raw|naked|standalone|globally)\b")
_REFUSED = kept(
    r"\b(?:not|never|no|nor|even|instead of|rather than|over|statt|don['’]?t|avoid|without|including|like|such as|e\.g"
    r"|also|and|or|nicht|nie)\b"
)
# "Swift: lint before you push": all behind it is about that alone.
_HEAD = kept(rf"(?P<head>[^\W\d_][\w-]*|{MENTION}):\s")
# So is what is said for some kind of work: "when you work on the parser, fuzz before you push".
_AT_WORK = kept(
    r"\b(?:when|whenever|if|while|after|once|wenn|nach)\s+(?:(?:you|we|you['’]re|you['’]ve|are|ever|have)\s+)*"
    r"(?:add|build|chang|creat|debug|edit|fix|implement|modif|refactor|renam|touch|updat|work|writ|wrote)\w*\s"
)
_BANNED = kept(rf"\b{forms.NOT}\s+(?:{forms.RUN}\s+)?$")
# Here ends what is said of a command.
_CLAUSE = kept(
    r"^\s+only\b|[,;:.!?(]|\b(?:without|unless|until|because|since|so|before|after|use|run|instead|when|if|while|or|and|but)\b"
)
_AT_EACH = kept(r"\w+\s+(?:(?:each|every|any|all|the|an?|your)\s+)*$")
_CHANGES = kept(r"\b(?:code|changes?|work|everything|anything|diff|branch|commits?|prs?|pull requests?)\b")
_WORD = kept(r"\s+([\w'’-]+)")
_IT = kept(r"\s+(?:it|them|these|those)\b")
# "Never `rm -rf` anything under data/raw": the call names what is there.
_UNDER = kept(
    r"\s+(?:(?:anything|something|everything|files?|stuff|data|code)\s+(?:in|from)|(?:(?!only)\w+\s+)?(?:on|under|below))"
    rf"\s+(?:the\s+)?({MENTION})"
)


def leaves_open(sentence: RuleSentence, *, of_files: bool) -> bool:
    """Whether a sentence forbids something only in circumstances that a call does not show, or of some files alone."""
    said = forms.EXCEPT.sub("", forms.BUT_NOT.split(_REASON.split(sentence.spoken)[0])[-1])
    if forms.OPENS.match(said) and not (of_files and _IN_IT.match(said)):
        return True
    if not of_files and _OUTSIDE.search(said):
        return True
    return bool(_CASE.search(said) or _TIME.search(said) or _PLACE.search(said) or (of_files and _SOME.search(said)))


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
    # "Only without X" is against it.
    return (before.endswith("without ") and not before.endswith("only without ")) or (
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


def as_understood(sentence: RuleSentence, told: Derived) -> Derived | None:
    """Return what is derived without the everyday commands of which a sentence means only some calls.

    Of a command that is seldom run it is said at each of its calls. None where no command and no file is left.
    """
    condition = told.condition
    named = _as_named(sentence, condition.commands)
    left = [one for one in named if one not in among(TABLE, "everyday") or _is_each_meant(sentence, one, condition)]
    if told.forbids and any(one[:1] != "!" for one in left):
        # "Never `git add -A` or `git add .`": what is listed with a command is meant as that is.
        left = [one for one in named if one in left or " " in one]
    has_one = any(one[:1] != "!" for one in (*left, *condition.paths)) or not named
    return replace(told, condition=replace(condition, commands=tuple(left))) if has_one else None


def _as_named(sentence: RuleSentence, commands: tuple[str, ...]) -> tuple[str, ...]:
    """Return the commands with what is said behind them: a folder that they are run on, or "tags" behind a push."""
    found = {one: [one] for one in commands}
    for place in re.finditer(MENTION, sentence.spoken):
        named, end = sentence.named(place[0])[0].text, place.end()
        if named not in found:
            continue
        under = _UNDER.match(sentence.spoken, end)
        path = sentence.named(under[1])[0] if under else None
        if path and path.kind == "path":
            is_folder = not set(path.text.rpartition("/")[2]) & set(".*")
            found[named] = [f"{named} {path.text.rstrip('/') + '/' if is_folder else path.text}"]
        verb = verbs_in(named.split()[-1] + sentence.spoken[end:], at=0)
        meant = commands_of(verb[0][0]) if verb else ()
        if named not in meant and any(one.startswith(named) for one in meant):
            found[named] = list(meant)
    return tuple(dict.fromkeys([one for some in found.values() for one in some]))


def _is_each_meant(sentence: RuleSentence, command: str, condition: Condition) -> bool:
    """Whether a sentence means each call of a command, at one of the places where it names it."""
    spoken = sentence.spoken
    verbs = [one.span() for one in verbs_in(spoken) if command in commands_of(one[0])]
    places = [found.span() for found in re.finditer(MENTION, spoken) if sentence.named(found[0])[0].text == command]
    if not (verbs or places) or (verbs and condition.branches):
        return True
    led, behind = spoken[: min(verbs + places)[0]], max(verbs + places)[1]
    head = _HEAD.match(led) if verbs else None
    is_headed = (head and head["head"] not in among(TABLE, "label")) or _AT_WORK.match(led)
    is_headed = is_headed or (forms.OPENS.match(led) and not _AT_EACH.fullmatch(led)) or _AT_WORK.search(spoken, behind)
    if (is_headed and not condition.branches) or forms.CLOSES.search(spoken, behind):
        return False
    return any(_is_unlimited(sentence, start, end) for start, end in places) or any(
        _leaves_each(spoken, start, end) for start, end in verbs
    )


def _is_unlimited(sentence: RuleSentence, start: int, end: int) -> bool:
    """Whether nothing around a command that is named says which of its calls are meant."""
    spoken = sentence.spoken
    if sentence.named(spoken[start])[0].goes_on or _BANNED.search(spoken[:start]):
        return _leaves_each(spoken, start, end)
    clause = _CLAUSE.split(spoken[end:])[0]
    if forms.SOME_PLACE.search(clause) or forms.SOME_PURPOSE.search(clause) or forms.ELSEWHERE.search(spoken[:start]):
        return False
    is_some = forms.LIMITED.match(spoken, end) or forms.ONLY_OF.match(spoken, end)
    return not is_some or bool(forms.WHOLE.match(spoken, end))


def _leaves_each(spoken: str, start: int, end: int) -> bool:
    """Whether what stands around a verb or a ban says no more of what it is done to than a call shows."""
    about_it = "|".join([name for names in meanings("about ").values() for name in names])
    if any(found.end() >= end for found in re.finditer(about_it, spoken) if found.start() <= end):
        return True
    it, led = _IT.match(spoken, end), "".join(spoken[:start].split()[-1:])
    # "Each iOS commit", and "the yaml files before you commit them".
    is_led = (
        not spoken[start].isascii() or not led.isalpha() or led in among(TABLE, "leads") or led.endswith(("ly", "ing"))
    )
    if not is_led or (it and not _CHANGES.search(spoken[:start])):
        return False
    end = it.end() if it else end
    while (word := _WORD.match(spoken, end)) and (word[1] in among(TABLE, "any-object") or word[1][0].isdigit()):
        end = word.end()
    if word and word[1] in among(TABLE, "goes-on-before"):
        return True
    return bool(re.match(rf"\s+{MENTION}", spoken[end:]) or forms.EACH.match(spoken, end))
