"""Commands in running words: what a sentence says is run, or not to be run, has its words up to where others go on.

The tables are `tables/conditions.txt` and those of commands. Nothing of this is asked in a hook.
"""

from __future__ import annotations

import functools
import re

from holdfast.base.regexes import kept
from holdfast.language import commands
from holdfast.language.word_lists import TABLES, among, listed, spoken

TABLE = "conditions"
# What is not to be run is a command, as far as it goes.
_BANNED_RUN = kept(
    r"(?i)(?P<led>\b(?:never|not|don['’]t|nobody|no one|before(?: you)?|only i)\s+"
    r"(?:(?:ever|again|please|just|directly|to)\s+)*"
    r"(?:runs?|running|execut(?:e|es|ing)|calls?|calling|invok(?:e|es|ing)|launch(?:ing)?|(?P<use>use|using))\s+)"
    r"(?P<call>(?!`)\S[^\n;`,()]*)"
)
# What is listed with a command, and begins like it: "`make beta` or make gamma".
_ALSO_RUN = kept(
    r"`(?P<first>[\w./-]+) (?P<rest>[^`\n]+)`(?P<and>\s*(?:,\s*(?:or\s+|nor\s+)?|\b(?:or|nor|oder)\s+))"
    r"(?P<next>(?P=first) [\w:./-]*[\w])(?=[,.;:!)]|\s*$|\s+(?:or|nor|without|unless|until|yourself|ever|here)\b)"
)
_OTHER_SUB = kept(
    r"(?P<led>`(?P<first>[\w./-]+) [\w:-]+`\s+(?:or|nor|oder)\s+)(?P<sub>[a-z][\w-]*)"
    r"(?=\s*(?:$|[,.;:!)])|\s+(?:without|unless|until|yourself|ever|here|only|is|are|needs?|ohne)\b)"
)
# What is to be run with an option, or without it, is a command whatever its name: "turbo only with --filter".
_WITH_OPTION = kept(
    r"(?i)^(?P<led>(?:please\s+)?(?:(?:run|use|call)\s+)?)(?P<call>[a-z][\w-]*(?: [a-z][\w-]*(?::[\w-]+)*){0,2}?)"
    r"(?=\s*[:,]?\s+(?:only|never|nur|nie)\s+(?:ever\s+)?(?:with|without|mit|ohne)\s+`?--?[a-z])"
)
# Behind these stands a sub-command.
_LEADS = ("program", "group")


def marked(text: str) -> str:
    """Return a sentence with what it says is run, or not to be run, in backquotes."""
    text = _BANNED_RUN.sub(_in_backquotes, _WITH_OPTION.sub(r"\g<led>`\g<call>`", text))
    if "`" not in text:
        return text
    before = ""
    while before != text:
        before, text = text, _ALSO_RUN.sub(r"`\g<first> \g<rest>`\g<and>`\g<next>`", text)
    found = _OTHER_SUB.search(text)
    if found is None or not any(found["sub"] in among(TABLE, kind) for kind in ("sub-command", "also-sub-command")):
        return text
    # "`terraform apply` or destroy": the second has the program of the first.
    return f"{text[: found.start('sub')]}`{found['first']} {found['sub']}`{text[found.end('sub') :]}"


def _in_backquotes(found: re.Match[str]) -> str:
    """Return a ban of a run with what it names in backquotes, where that is a command: "never run dbt seed"."""
    words = found["call"].split()
    call: list[str] = []
    for word in words:
        plain = word.rstrip(".!?:") or word
        is_program = not call and (commands.is_known(word) or word in among(TABLE, "word-program"))
        if (plain.casefold() in ends_call() and not is_program) or (call and plain.isalpha() and _is_noun(plain)):
            break
        call.append(plain)
        if plain != word:
            break
    # What is not to be used may be anything, but with an option it is a command.
    is_plain = bool(found["use"]) and not any(word[:1] == "-" for word in call[1:])
    if is_plain or not _is_call(call, words[len(call) : len(call) + 1]):
        return found[0]
    # Behind "before" what is wanted first may follow without a comma: "before running alembic upgrade take a backup".
    said = command_part(" ".join(call)) if found["led"].casefold().startswith("before") else " ".join(call)
    call = said.split()
    if not call:
        return found[0]
    at = found.end("led") + found["call"].index(call[0])
    rest = found.string[at : found.end()]
    return f"{found['led']}`{said}`{rest[_length_of(call, rest) :]}"


def _length_of(call: list[str], text: str) -> int:
    at = 0
    for word in call:
        at = text.index(word, at) + len(word)
    return at


def _is_noun(word: str) -> bool:
    is_sub = any(word in among(TABLE, kind) for kind in ("sub-command", "also-sub-command", "only-sub-command"))
    return not is_sub and (
        word in among(TABLE, "no-sub-command") or (word[-1:] == "s" and word[-2:] not in ("ss", "us"))
    )


def _is_call(call: list[str], behind: list[str]) -> bool:
    """Whether words are a command, and none that a plain word behind them goes on with: "docker containers"."""
    if not call or call[0].casefold() in among(TABLE, "no-program") or (behind and _is_noun(behind[0].rstrip(".!?:"))):
        return False
    if (
        call[0] in among(TABLE, "program")
        or any(sign in call[0] for sign in "./_")
        or call[0] in among(TABLE, "runs-alone")
    ):
        return len(call) > 1 or call[0] in among(TABLE, "runs-alone")
    is_sub = any(
        word in among(TABLE, kind)
        for word in call[1:]
        for kind in ("sub-command", "also-sub-command", "only-sub-command")
    )
    is_word = call[0].isalpha() and call[0][-1:] == "s" and not commands.is_known(call[0])
    is_sign = any(not word.isalpha() for word in call[1:])
    return len(call) > 1 and not is_word and (is_sub or is_sign or commands.is_known(call[0]))


@functools.cache
def ends_call() -> frozenset[str]:
    """Return the words of a sentence that are none of a command: "... on main", "... without asking"."""
    small = [one for one in spoken(f"{TABLES}/../likeness_words", "small") if one not in among(TABLE, "sub-command")]
    words = [*small, *listed(TABLE, "sentence-word"), *listed(TABLE, "goes-on"), *listed(TABLE, "ends-call")]
    kinds = ("sub-command", "also-sub-command")
    return frozenset([one for one in words if len(one) > 1 and not any(one in among(TABLE, kind) for kind in kinds)])


def command_part(text: str) -> str:
    """Return what of a command in running words is meant as it stands; nothing where only its program would be left.

    Of the words behind a program these belong to it: options, what looks like a path, a version or a ref, and its
    sub-commands. All others are words of the sentence: "git push tags", "docker run privileged containers".
    """
    words = text.split()
    kept = words[:1]
    for word in words[1:]:
        # What stands behind the value of an option goes on with what stood before it.
        plain = commands.plain_words(kept)
        before = plain[-1] if commands.takes_value(kept[0], "".join(kept[-2:-1])) else kept[-1]
        # "Python 2" is no command.
        is_number = word.lstrip("v").replace(".", "").isdigit() and len(kept) == 1
        is_number = is_number and (word[0] == "v" or kept[0].casefold() in among(TABLE, "language"))
        is_value = not is_number and (word[0] == "-" or any(sign in "./:@*~=+_" or sign.isdigit() for sign in word))
        is_sub = any(word.casefold() in among(TABLE, kind) for kind in ("sub-command", "also-sub-command"))
        is_there = set(before) & set("/.") or before[0] == "-" or any(before in among(TABLE, kind) for kind in _LEADS)
        is_name = " ".join(plain) in among(TABLE, "takes-name") or before in among(TABLE, "takes-name")
        is_name = (is_name and word != "run") or commands.takes_value(kept[0], before)
        if not (is_value or is_name or word in among(TABLE, "ref") or (is_sub and is_there)):
            break
        kept.append(word)
    at = 0
    for word in kept:
        at = text.index(word, at) + len(word)
    return text[:at] if len(kept) > 1 or len(words) == 1 else ""
