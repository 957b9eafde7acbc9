"""Rules that want one thing in the place of another: "use pnpm not npm", "not X but Y", "X -> Y", "X only with -n".

The condition is what is not wanted. Nothing of this is asked in a hook.
"""

from __future__ import annotations

import re

from holdfast.base.regexes import kept
from holdfast.language import commands
from holdfast.language import rule_forms as forms
from holdfast.language.conditions import Condition
from holdfast.language.derived_parts import Derived, as_command, of_mentions, run_with, with_option
from holdfast.language.mentions import MENTION, TABLE, Mention, RuleSentence
from holdfast.language.runs import fulfils, runs
from holdfast.language.word_lists import among, listed
from holdfast.records import replace

_ONLY, _NEVER = r"only|nur|exclusively", r"never|nie|niemals|not"
_FORM = kept(
    rf"^(?:(?:please|run|use|call|bitte)\s+)*(?P<what>{MENTION})\s*[:,]?\s+"
    rf"(?:(?:is|are|may|must|should|can|be|to|run|used|allowed|bitte)\s+)*(?:(?P<only>{_ONLY})|(?:{_NEVER}))\s+"
    rf"(?:(?:ever|be|run|used|allowed|bitte)\s+)*(?P<how>with|without|mit|ohne)\s+(?:the\s+|an?\s+)?(?P<option>{MENTION})"
    r"(?=\s*(?:$|[,.;:!()–—])|\s+(?:set|given|option|flag|please|bitte|unless|until|because|since|on|in|for|here)\b)"
)


def instead(sentence: RuleSentence) -> Derived | None:
    """Return what is told of commands in whose place others are wanted; of several pairs, of each."""
    told, end = None, 0
    for found in forms.INSTEAD.finditer(sentence.spoken):
        if told and not forms.NEXT_PAIR.fullmatch(sentence.spoken, end, found.start()):
            break
        pair = _pair(sentence, found, end)
        if pair is None:
            continue
        if not pair.condition:
            # What limits one of them may limit all.
            return None
        told = _joined(told, pair) if told else pair
        end = found.end()
    return told


def _joined(told: Derived, pair: Derived) -> Derived:
    commands = tuple(dict.fromkeys((*told.condition.commands, *pair.condition.commands)))
    is_literal = told.literal and pair.literal
    return replace(pair, condition=replace(told.condition, commands=commands), literal=is_literal)


def _pair(sentence: RuleSentence, found: re.Match[str], start: int) -> Derived | None:
    """Return what one pair says, without a condition where it is limited; None where it is none."""
    before = sentence.spoken[: found.start()]
    better = [one.said for one in sentence.named(before[start:])] or _last_program(before)
    behind = sentence.spoken[found.end() :]
    if not better and forms.USES.search(behind):
        better = [one.said for one in sentence.named(behind)[:1]]
    worse = [one for one in sentence.named(found["what"]) if _is_worse(one, better)]
    is_pair = better and worse and (forms.OVER if found[0].startswith("over ") else forms.PREFERS).search(before)
    if not is_pair or forms.WORDING.search(before):
        return None
    words = sentence.shown(0, found.end() if before.strip() else len(behind) + 99)
    is_limited = forms.LIMITED.match(behind) or forms.LED.match(before) or forms.NOUN.match(behind)
    is_bare = any(" " not in one.text for one in worse)
    if forms.WAS_DONE.match(sentence.spoken) or forms.MAY_BE.search(before) or (is_limited and is_bare):
        return Derived(Condition(), words, forbids=False, literal=False)
    but = _excepted(better, worse)
    told = of_mentions(sentence, found, worse, forbids=not forms.PERHAPS.search(sentence.spoken), but=but)
    if told is None:
        return Derived(Condition(), words, forbids=False, literal=False)
    return replace(told, words=words, literal=told.literal and not is_limited and not forms.FOR_SOME.search(before))


def _excepted(better: list[str], worse: list[Mention]) -> tuple[str, ...]:
    """Return, as exceptions, what is wanted where it would be taken for what is not."""
    literal = [one for one in better if not set(one) & set("<>[]{}$…")]
    # A program that is named as a whole excepts none of its commands.
    narrow = [one for one in literal if not any(fulfils(each.text.split(), one.split()) for each in worse)]
    but = [one for one in narrow if overlaps(one, worse)]
    but += [one for one in literal if is_spelled_so(one, worse)]
    but += [one for one in literal if commands.is_a(one, "wrapper-of-two")]
    but += [one for name in better for one in listed(TABLE, f"beyond {name}")]
    return tuple([f"!{one}" for one in but])


def _last_program(before: str) -> list[str]:
    words = [word.strip(",.") for word in before.split()[-3:]]
    return [word for word in words if word in among(TABLE, "program") or word in among(TABLE, "language")][-1:]


def _is_worse(one: Mention, better: list[str]) -> bool:
    program = one.text.split()[0] if one.text else ""
    if one.kind != "command" or commands.is_a(program, "shell"):
        return False
    if one.text in better:
        return False
    languages = among(TABLE, "language")
    pairs = listed(TABLE, "same-language")
    return not any(
        program in languages and other.casefold() in languages and f"{other.casefold()} {program}" not in pairs
        for other in better
    )


def replaced(sentence: RuleSentence) -> Derived | None:
    """Return what is told of a command in whose place is another one: "not X but Y", "X -> Y", "replace X with Y"."""
    found = forms.BUT_RATHER.match(sentence.spoken) or forms.REPLACED.match(sentence.spoken)
    worse, better = (sentence.named(found[name])[0] for name in ("worse", "better")) if found else (None, None)
    if not (found and worse and better and worse.kind == better.kind == "command" and _is_worse(worse, [better.said])):
        return None
    return of_mentions(sentence, found, [worse], forbids="not" in found[0].split()[:1])


def is_spelled_so(better: str, worse: list[Mention]) -> bool:
    """Whether a command that is better is another spelling of one that is worse: docker compose, docker-compose."""
    pairs = [(better.split(), one.text.split()) for one in worse]
    return any(fulfils(one, other) and fulfils(other, one) for one, other in pairs)


def overlaps(better: str, worse: list[Mention]) -> bool:
    """Whether a command that is better would be taken for one that is worse."""
    seen = [run.words for run in runs(better)] + [tuple(better.split())]
    return any(
        words and one.text.split()[0] in (words[0], words[0].rstrip("0123456789.")) for words in seen for one in worse
    )


def better_ones(sentence: RuleSentence, found: re.Match[str], wanted: list[Mention]) -> tuple[str, ...]:
    """Return what is to be run in the place of a command, where it could be taken for that: python3, never python."""
    around = sentence.spoken[: found.start()], sentence.spoken[found.end() :]
    named = [one for part in around if forms.USES.search(part) for one in sentence.named(part) if one.kind == "command"]
    beyond = [f"!{one}" for name in named for one in listed(TABLE, f"beyond {name.said}")]
    narrow = [one for one in named if not any(fulfils(each.text.split(), one.text.split()) for each in wanted)]
    return (*[f"!{one.text}" for one in narrow if overlaps(one.said, wanted)], *beyond)


def with_or_without(sentence: RuleSentence) -> Derived | None:
    """Return all calls of a command but those with an option, or those with it, as the sentence forbids them."""
    found = _FORM.match(sentence.spoken)
    if found is None:
        return None
    command, option = as_command(sentence.named(found["what"])[0], is_run=True), sentence.named(found["option"])[0]
    if command.kind != "command" or option.said[:1] != "-":
        return None
    # "Only with" and "never without" want it; "only without" and "never with" shun it.
    if bool(found["only"]) == (found["how"] in ("with", "mit")):
        but = run_with(option.said, [command], or_like=not found["only"])
        return of_mentions(sentence, found, [command], forbids=True, but=but)
    shunned = Mention("command", with_option(command.text, option.said), command.said)
    return of_mentions(sentence, found, [shunned], forbids=True)
