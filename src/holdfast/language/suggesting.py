"""Which condition a person is advised to give, sure to mean what the statement says; and what a rule leaves out."""

from __future__ import annotations

import re

from holdfast.errors import BadInput
from holdfast.language import rule_forms as forms
from holdfast.language.conditions import Call, Condition, looks_like_path, matched, read
from holdfast.language.derived import derive, named_call, pieces_of
from holdfast.language.disowned import is_disowned
from holdfast.language.mentions import Mention, is_file_ending, sentence_of, spelled_out
from holdfast.language.roles import named_against
from holdfast.language.rule_tongues import in_english
from holdfast.language.runs import fulfils
from holdfast.records import Memory

_FORM = "COMMAND or FILE"


def suggested(text: str) -> str:
    """Return the condition that a statement says once the call which it names is in backquotes; nothing of any other.

    So nothing is advised that the statement wants to be used, or that is wider than its ban with what it excepts.
    """
    named = named_call(text)
    quoted = text if f"`{named}`" in text else text.replace(named, f"`{named}`", 1)
    told = derive(quoted) if _is_plainly_one(named, text) else None
    return str(told.condition) if told and told.forbids and told.literal else ""


def _is_plainly_one(named: str, text: str) -> bool:
    """Whether this is a command, or a file beyond doubt: a word with a dot may be code, an address or an ending."""
    if not looks_like_path(named) or "/" in named.strip("/"):
        return bool(named)
    ending = named.rpartition(".")[2]
    is_called_file = re.search(rf"\bfile `?{re.escape(named)}(?!\.?\w)", text)
    return named[:1] != "." and bool(is_file_ending(ending) or is_called_file)


def give_one(memory: Memory) -> str:
    """Return how to give a condition to a rule that has none."""
    return f'holdfast edit {memory.key} --when "{suggested(memory.body) or _FORM}"'


def need_condition(text: str, when: str, enforce: str | None) -> None:
    """Refuse a strength for what would be told at no call: neither a condition is given, nor does the text say one."""
    is_told = bool(read(when)) if when else derive(text) is not None
    if enforce not in (None, "", "say") and not is_told:
        raise BadInput("no condition found, so it would never hold", f'Give one: --when "{suggested(text) or _FORM}".')


def permitted(text: str) -> str:
    """Return the command that a statement permits; nothing of any other statement."""
    named = named_call(text) if forms.PERMITS.search(text.casefold()) else ""
    return "" if looks_like_path(named) else named


def with_exception(text: str, condition: Condition) -> str:
    """Return a condition without the command that a statement permits, where only that is lost and something is left.

    What is permitted in some place or case alone cannot be excepted: no condition tells these calls from the others.
    """
    named = permitted(text)
    rest = text.partition(named)[2].strip("`").casefold()
    first = [" ".join([word.partition("|")[0] for word in one.split()]) for one in condition.commands if one[:1] != "!"]
    is_left = condition.paths or any(not matched(Condition((named,)), Call("Bash", one)) for one in first)
    return f"{condition}, !{named}" if is_left and forms.PERMITTED_WHOLLY.fullmatch(rest) else ""


def left_out(text: str) -> tuple[str, ...]:
    """Return the commands and files that a rule is plainly against and is not told at: too little else says which."""
    told = derive(text)
    named = [] if told is None else [one for piece in pieces_of(text) for one in _against_what(piece)]
    found = [one for one in dict.fromkeys(named) if told and not _tells(told.condition, one)]
    return tuple([str(Condition(paths=(one.text,)) if one.kind == "path" else Condition((one.text,))) for one in found])


def _against_what(piece: str) -> list[Mention]:
    sentence = sentence_of(in_english(spelled_out(piece)))
    if piece.endswith("?") or is_disowned(sentence) or forms.REPORTS.search(sentence.spoken):
        return []
    return [Mention(one.kind, one.text, "") for one in named_against(sentence) if one.kind in ("command", "path")]


def _tells(condition: Condition, one: Mention) -> bool:
    """Whether a condition names a command or file, or what holds for it, also as an exception."""
    items = [item.removeprefix("!") for item in (*condition.commands, *condition.paths)]
    words = one.text.split()
    return any(
        one.text.rstrip("/") in item or fulfils(words, item.split()) or fulfils(item.split(), words) for item in items
    )
