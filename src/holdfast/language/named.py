"""At which calls a rule is said whatever its words are, by what it names and what that is there for.

The last resort of `derived.py`: a sentence that wants or forbids something, in a form that nobody foresaw, is still
about the command or file that it denies, begins with, or names as the moment. What is to be used, and where something
is to be put, is not what it is about; what is run all day is never told on this basis alone. In a language that is not
known, the one thing that a short rule names is meant. It never holds a call. Nothing of this is asked in a hook.
"""

from __future__ import annotations

import functools
import re

from holdfast.base.regexes import kept
from holdfast.language import rule_forms as forms
from holdfast.language.conditions import MAX_ITEMS, Condition
from holdfast.language.derived_parts import Derived, as_command, branches_in, run_with, with_option
from holdfast.language.disowned import is_disowned, is_of_others
from holdfast.language.mentions import MENTION, TABLE, Mention, RuleSentence, harmless, sentence_of
from holdfast.language.roles import wanted_at
from holdfast.language.rule_tongues import in_english, is_english, is_known_tongue
from holdfast.language.word_lists import among, listed

_CLAUSE = kept(r"[;:.!?(]\s+|\(|,\s+(?!(?:or|and|nor)\b)|\s[–—-]\s")
_DENIES = kept(
    rf"\b(?:{forms.NOT}|no|nobody|no one|nothing|none"
    r"|only (?!i\b|use\b|run\b)(?:[\w-]+ ){1,3}(?:runs|edits|uses|may))\b"
)
_MOMENT = kept(
    r"\b(?:before|prior to|after|when|whenever|once|if|upon|each time|every time|ask\w*|approval for"
    r"|(?:anything|everything|whatever|whoever|anyone|anybody|changes?)\s+(?:that\s+|which\s+|who\s+)?"
    r"(?:touch|edit|chang|hit|modif|run|us|call)\w*)\b|\b(?:each|every|any)\s*$"
)
# Behind these stands what a clause is about, or that with which it begins.
_LEADS = (
    r"(?:(?:the|a|an|any|all|our|your|my|every|each|please|and|or|but|plain|bare|also|leave|files?|folder|running"
    r"|using)\s+)*"
)
_HEAD = kept(
    rf"\s*(?:{_LEADS}(?:(?!only|always|just|solely|exclusively)[\w-]+\s+){{1,2}}(?:in|under|inside|to|of|with"
    rf"|on)\s+)?{_LEADS}(?:{MENTION}[\s,/]*(?:(?:and|or)\s+)?)*"
)
_WANTED = kept(
    r"(?P<led>[\w'’]*)\s*\b(?:use|uses|run|runs|prefer|via|through|with|by|call|start|instead|try|follow|see"
    r"|read|per|like|called|named|installed?|only)(?:\s+(?:the|a|an|our|your|my|its|just|it))*\s*$"
)
# "Tests: `make x`, never ..." says how to do it, and "`rm -rf build` is fine" what may be done.
_LABEL = kept(r"(?:^|[;.!]\s+)(?P<label>[^:;.!]{1,40}):\s+$")
_MAY = kept(r"\s+(?:is|are) (?:\w+ly |all |always )?(?:fine|ok|okay|allowed|permitted|safe|good)\b")
_EXPLAINS = kept(r"\s*\((?:(?:e\.g\.|i\.e\.|such as|like|for example|namely|via|with|using),?\s+)?$")
_USES_IT = kept(r"(?:(?:please|always|just|so)\s+)*(?:use|prefer|run|call)\s+(?:it|them|that|this)\b")
# Behind these a verb is no wish of its own: "before you run".
_GOES_ON = ("", "you", "we", "i", "to", "ever", "and", "or", "please", "directly", "just", "agents", "anyone", "again")
# What is put there, or done to another thing there, is not about the place.
_PLACE = kept(r"\b(?:in|into|to|at|from|on|onto|within|under)\s+(?:the\s+|our\s+)?$")
_ASIDE = kept(r"\b(?:for|of|with|by|against|like|than)\s+(?:the\s+|our\s+)?$")
_TURNED = kept(rf"\b{forms.NOT}\b.*\b(?:forget|skip|hesitate|fail|neglect|miss|stop|leave out|be afraid|worry)\w*")
_OF_BOTH = kept(rf"{MENTION}.*{MENTION}.*\b(?:edit|touch|change|run|use|call)\s+it\b")
# "Fastlane release is my job".
_PREPOSITION = r"(?:on|in|at|for|with|from|to|into|against|by|as|of|via|or|and|inside|under)\b"
_SUB_COMMAND = kept(
    rf"\s+(?!{_PREPOSITION}|commands?\b|itself\b|only\b|must\b|never\b|always\b|calls\b|runs\b)([a-z][\w:-]+)\s+"
    r"(?:is|are|must|needs?|requires?|belongs?|only|never|always|wipes|drops|deletes|breaks|costs|kills)\b"
)
_READS = kept(rf"\b(?:(?!read[- ]?only){forms.READ}|reads|opens|prints|shows|looks? at)\b")
_ON_PATH = kept(rf"(?:\s+\w+)?\s+(?:on|in|under|inside|over|against)\s+(?:the\s+)?({MENTION})")
# "Never run psql against prod-db": of a whole program only that is meant.
_CODE_LIKE = kept(r"\s+(?:against|on|at|to|with|for|in|from)\s+(?:the\s+)?(?P<name>(?:[^\W_]+[-_.])+[^\W_]+)(?![\w/])")
_CHANGED = kept(rf"\b(?:{forms.EDIT}|chang\w+|edit\w*|touch\w*|modif\w+|bump\w*|add\w*|written|files?|migrations?)\b")
_RUNS = kept(r"\b(?:run|running|launch\w*|call\w*|execut\w*|invok\w*|start\w*|fire|trigger\w*)\b")
_MUST_BE = kept(
    r"\s+(?:must|should|has to|have to|needs? to)\s+(?:(?:pass|succeed|be (?:green|clean))\b|(?:be )?run\b.*\bbefore\b)"
)
_WISHES = kept(
    rf"\b(?:{forms.NOT}|no|nobody|no one|nothing|none|must|needs?|requires?|always|ask|avoid|leave|forbidden"
    r"|banned|only|frozen|read[- ]?only|untouched|careful|hands|fingers|off[- ]limits|mine|my|approval|permission"
    r"|ok|okay|before|after|whenever|when|first|instead|keep|remember|please|by hand|hand[- ]edits?|lost|without"
    r"|review\w*|through|bitten)\b"
)
_OPTION_WANTED = kept(
    r"\b(?:always|only|with|pass|use|add|give|must|needs?|requires?|include|prefer|have|has)\s+(?:the\s+)?$"
)
# A machine by its name: whatever is run with that is meant.
_HOST = kept(
    r"(?<![\w@/.-])(?P<name>(?:[a-z0-9-]+\.)+(?:com|org|net|io|dev|de|eu|local|internal|cloud|app|ai|example|lan))(?![\w/])"
)
_WITHOUT = kept(rf"\bwithout\s+(?:{MENTION}\s*(?:,|/|\bor\b)\s*)*$")
_ANY_WITH = kept(r"\b(?:any\w*|every\w*|calls?|commands?)\s+with\s+$")
# What is longer has more than one thing to say, and who knows which.
_MAX_WORDS = 16


def by_names(pieces: list[str]) -> Derived | None:
    """Return at which calls the sentences of a rule are said, by what they name; None where that is nothing sure."""
    found: list[tuple[Mention, tuple[str, ...]]] = []
    words: list[str] = []
    spoken = ""
    for number, piece in enumerate(pieces):
        sentence, told = sentence_of(_quoted(in_english(piece))), sentence_of(piece)
        if not (sentence.mentions or told.mentions or _HOST.search(sentence.spoken)):
            # Most sentences name nothing that a call could have.
            continue
        if sentence.text.endswith("?") or _norms("norm-turned").search(piece.casefold()):
            continue
        if is_disowned(told) or (sentence is not told and is_disowned(sentence)):
            continue
        if is_known_tongue(piece) or sentence.text != piece or _owns_any(sentence):
            behind = "".join(pieces[number + 1 : number + 2])
            some = _about(sentence) if _is_wish(sentence, behind) else []
        else:
            some = []
        if not some and not is_known_tongue(piece):
            # Of the languages that are known a command is named in the forms that are.
            is_sure = is_english(piece) or bool(re.match(MENTION, told.spoken))
            some = [each for each in _foreign(told) if is_sure or each[0].kind == "path"]
        if some:
            found += some
            spoken = spoken or sentence.spoken
            words.append(piece.rstrip(".! "))
    commands = tuple(dict.fromkeys([one.text for one, _ in found if one.kind == "command"]))
    paths = tuple(dict.fromkeys([one.text for one, _ in found if one.kind == "path"]))
    but = tuple([one for _, some in found for one in some if one not in commands])
    if not found or len(commands) + len(paths) + len(but) > MAX_ITEMS:
        return None
    branches = branches_in(spoken) if any(one.startswith("git ") for one in commands) else ()
    # Where alone it is allowed it is not told.
    branches = tuple([f"!{one}" for one in branches]) if re.search(r"\bonly (?:from|on|in)\b", spoken) else branches
    tools = ("read", "edit") if paths and _READS.search(spoken) else ()
    condition = Condition(
        (*commands, *harmless(commands), *but), paths, tools if not commands else (), branches=branches
    )
    return Derived(condition, "; ".join(words), forbids=False, literal=False)


def _quoted(said: str) -> str:
    """Return a sentence with a program at its head in backquotes, with the words of the call that is meant."""
    found = _headed().match(said)
    return f"`{found[1]}`{said[found.end(1) :]}" if found and "`" not in found[1] else said


@functools.cache
def _headed() -> re.Pattern[str]:
    named = [one for one in listed(TABLE, "program") if one not in among(TABLE, "everyday")]
    programs = "|".join(sorted(map(re.escape, named), key=len, reverse=True))
    behind = (
        r"(?=:\s|\s+(?:goes|is|are|must|needs?|requires?|belongs?|has|wipes|drops|deletes|breaks|costs|kills|hangs)\b)"
    )
    return kept(
        rf"(?:(?:.*[:;,]\s)?)((?:{programs})(?:\s+(?!commands?\b|itself\b|{_PREPOSITION})[a-z][a-z-]*){{1,3}}){behind}"
    )


def _is_wish(sentence: RuleSentence, behind: str) -> bool:
    """Whether a sentence, or the next one if that names nothing, wants something of who reads it."""
    spoken = sentence.spoken
    if forms.REPORTS.search(spoken) or forms.WAS_DONE.match(spoken) or forms.TURNED.search(spoken):
        return False
    if forms.TELLS.search(spoken):
        return False
    denial = _DENIES.search(spoken)
    if denial and (is_of_others(spoken, denial.start()) or _DENIES.search(_CLAUSE.split(spoken[denial.end() :])[0])):
        return False
    if denial and re.search(r"\bbranch(?:es)?\b", spoken[: denial.start()]):
        return False
    if _TURNED.search(spoken) or _OF_BOTH.search(spoken):
        return False
    if _owns_any(sentence):
        return True
    next_one = sentence_of(in_english(behind)) if behind and not _USES_IT.match(behind.casefold()) else None
    if next_one and (denies := _DENIES.search(next_one.spoken)) and is_of_others(next_one.spoken, denies.start()):
        # "The generator never touches them."
        next_one = None
    return bool(_WISHES.search(spoken) or (next_one and not next_one.mentions and _WISHES.search(next_one.spoken)))


def _owns_any(sentence: RuleSentence) -> bool:
    return any(_is_owned(sentence, place.start()) for place in re.finditer(MENTION, sentence.spoken))


def _is_owned(sentence: RuleSentence, at: int) -> bool:
    """Whether what stands there is said to be somebody's to do or to decide: a person's, a team's or a bot's."""
    behind, before = forms.OWNED.match(sentence.spoken, at + 1), forms.OWNS.search(sentence.spoken[:at])
    who = (behind["by"] or behind["whose"] if behind else None) or (before["who"] if before else None)
    if who is None or forms.PEOPLE.search(who):
        return bool(behind or before)
    # Names are written with a capital.
    named = re.search(re.escape(who), sentence.text, re.IGNORECASE)
    return bool(named and any(word[0].isupper() for word in named[0].split() if word.casefold() not in ("the", "our")))


def _about(sentence: RuleSentence) -> list[tuple[Mention, tuple[str, ...]]]:
    """Return what a sentence is about, each with what is excepted of it."""
    found: list[tuple[Mention, tuple[str, ...]]] = []
    spoken, wished = sentence.spoken, wanted_at(sentence)
    programs = [one for one in sentence.mentions if one.kind == "command"]
    for place in re.finditer(MENTION, spoken):
        one, at = sentence.named(place[0])[0], place.start()
        if at in wished and one.said[:1] != "-" and not _DENIES.search(_clause(spoken[:at])):
            continue
        if one.said[:1] == "-":
            found += _optional(sentence, one, at, programs)
        elif _is_meant(spoken, at) or _is_owned(sentence, at):
            meant = _as_call(sentence, one, at)
            found += [(meant, ())] if meant and not _is_everyday(meant) else []
    if _DENIES.search(spoken) and _WISHES.search(spoken):
        hosts = [Mention("command", f"* *{host['name']}*", host["name"]) for host in _HOST.finditer(spoken)]
        found += [(host, ()) for host in hosts]
    has_option = [one.text.split(" -")[0] for one, _ in found if " -" in one.text]
    # "Never pass -u to jest" is about the option.
    return [each for each in found if each[0].text not in has_option or each[1]]


def _clause(led: str) -> str:
    """Return the last clause of what stands before a mention; what is in brackets belongs to what they explain."""
    led = _EXPLAINS.sub(" ", led)
    ends = [found.end() for found in _CLAUSE.finditer(led)]
    return led[ends[-1] if ends else 0 :]


def _is_meant(spoken: str, at: int) -> bool:
    """Whether what stands there is what its clause denies, begins with, or has as its moment."""
    clause = _clause(spoken[:at])
    if _MUST_BE.match(spoken, at + 1) or forms.WILL_DO.match(spoken, at + 2):
        return False
    label = _LABEL.search(spoken[:at])
    if _MAY.match(spoken, at + 1) or (label and not _WISHES.search(label["label"])):
        return False
    denial, moment = _DENIES.search(clause), _MOMENT.search(clause)
    if moment and forms.ENDS.search(clause[: moment.start()]):
        return False
    if _HEAD.fullmatch(clause) or _EXPLAINS.search(spoken[:at]):
        return True
    if not (denial or moment) or forms.DONE_BEFORE.search(clause):
        return False
    wish = _WANTED.search(clause[max(found.end() for found in (denial, moment) if found) :])
    return wish is None or wish["led"] in _GOES_ON


def _as_call(sentence: RuleSentence, one: Mention, at: int) -> Mention | None:
    """Return the command or the file that a mention stands for, if something is done to it there."""
    spoken = sentence.spoken
    clause = _clause(spoken[:at])
    is_headed = bool(_HEAD.fullmatch(clause))
    if one.kind == "path":
        is_behind = any(other.kind == "command" for other in sentence.named(clause))
        is_place = is_behind or _ASIDE.search(clause) or (_PLACE.search(clause) and not _CHANGED.search(clause))
        return None if is_place and not (is_headed or _is_owned(sentence, at)) else Mention("path", one.text, one.said)
    run = as_command(one, is_run=bool(" " in one.said or _RUNS.search(clause)) and " = " not in one.said)
    if run.kind != "command" or forms.WORDING.search(spoken):
        return None
    if (
        behind := _SUB_COMMAND.match(spoken, at + 1)
        if run.text == one.said and f"`{one.said}`" not in sentence.text
        else None
    ):
        return Mention("command", f"{run.text} {behind[1]}", one.said)
    if under := _ON_PATH.match(spoken, at + 1):
        path = sentence.named(under[1])[0]
        return Mention("command", f"{run.text} {path.text}", one.said) if path.kind == "path" else None
    if " " in run.text:
        return run
    if narrow := _CODE_LIKE.match(spoken, at + 1):
        return Mention("command", f"{run.text} {narrow['name']}", one.said)
    limits = any(one.match(spoken, at + 1) for one in (forms.LIMITED, forms.ONLY_OF, forms.LISTS_MORE))
    return None if one.goes_on or limits or spoken[at + 1 : at + 2] == ":" else run


def _is_everyday(one: Mention) -> bool:
    return one.kind == "command" and (one.text in among(TABLE, "everyday") or one.text in among(TABLE, "language"))


def _optional(
    sentence: RuleSentence, option: Mention, at: int, programs: list[Mention]
) -> list[tuple[Mention, tuple[str, ...]]]:
    """Return the one program of a sentence with an option that it shuns, or without one that it wants."""
    is_led = [one.kind for one in sentence.named(sentence.spoken[at + 1 : at + 3].strip())] == ["command"]
    if len({one.text for one in programs}) != 1 or is_led:
        return []
    program = programs[0]
    led = sentence.spoken[:at]
    if _WITHOUT.search(led):
        but = run_with(option.said, [program], or_like=True)
        return [(program, but)] if but else []
    if _OPTION_WANTED.search(led) and not (_DENIES.search(led) or _ANY_WITH.search(led)):
        but = run_with(option.said, [program])
        return [(program, but)] if but and not _is_everyday(program) else []
    return [(Mention("command", with_option(program.text, option.said), option.said), ())]


@functools.cache
def _norms(kind: str) -> re.Pattern[str]:
    """Return the words of a list; those of a script without spaces stand anywhere."""
    joined = [word for word in listed(TABLE, kind) if "\u3040" <= word[-1] <= "\ud7af"]
    plain = [re.escape(word) for word in listed(TABLE, kind) if word not in joined]
    return kept(rf"(?<!\w)(?:{'|'.join(plain)})(?!\w)|{'|'.join(joined)}")


def sounds_foreign(piece: str) -> bool:
    """Whether a sentence of a language that is not read has a word for a ban or a wish, and names something."""
    is_norm = not is_known_tongue(piece) and _norms("norm").search(piece.casefold())
    return bool(is_norm and sentence_of(piece).mentions and not _norms("norm-turned").search(piece.casefold()))


def _foreign(sentence: RuleSentence) -> list[tuple[Mention, tuple[str, ...]]]:
    """Return the one thing that a short sentence of another language names, where it has a word for a ban or a wish."""
    named = [one if one.kind == "path" else as_command(one, is_run=True) for one in sentence.mentions]
    named = [one for one in named if one.kind]
    is_short = len(sentence.spoken.split()) <= _MAX_WORDS
    if len(named) != 1 or not is_short or not _norms("norm").search(sentence.spoken):
        return []
    return [] if _is_everyday(named[0]) and " " not in named[0].text else [(named[0], ())]
