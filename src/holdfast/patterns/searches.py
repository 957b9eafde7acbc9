"""What a look-up looks for: the help of a command, a word in the files, the names in a folder; as signatures.

Looking at what changes, such as `git status`, is no look-up; nor is the top of a project, where everybody begins.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from holdfast.language.word_lists import lists
from holdfast.patterns.signatures import SMALL_WORDS

MAX_OF_A_CALL = 5
_SHORTEST = 3
_MAX_TERM = 60
_HELP = ("--help", "-h", "help", "-help")
_SEARCHES = ("grep", "egrep", "fgrep", "rg", "ag", "ack", "git grep")
_LISTS = ("ls", "tree")
# Options of search programs that take the next word; the one that stands for the term itself is apart.
_WITH_VALUE = ("-A", "-B", "-C", "-g", "-m", "-t", "-f", "--glob", "--include", "--exclude", "--type", "--max-count")
_TERM = ("-e", "--regexp")
_ALTERNATIVES = re.compile(r"\\?\|")
_SIGNS = re.compile(r"\\[bBswdn]|[\\^$*+?()\[\]{}.]+")
_NAME = re.compile(r"[a-z][A-Z]|[_.:/-]|\d|[A-Z]{3}")
_WORD = re.compile(r"(?:[^\W_]|[-_.:@])+")
_TOP = ("", ".", "./", "..", "/", "~", "*")


def in_words(words: Sequence[str]) -> tuple[str, ...]:
    """Return what a command with these words looks up."""
    if not words:
        return ()
    name = words[0].rpartition("/")[2]
    if name == "man" and len(words) > 1:
        return (f"help: {_plain(words[1])}",)
    if len(words) > 1 and any(word in _HELP for word in words[1:]):
        return _help(name, words[1:])
    if name in _SEARCHES or " ".join(words[:2]) in _SEARCHES:
        if "--files" in words:
            return ()
        return in_pattern(_term(words[2 if name == "git" else 1 :]))
    if name in _LISTS:
        return tuple(found for word in words[1:] if word[:1] != "-" for found in _listed(word))[:MAX_OF_A_CALL]
    return ()


def in_pattern(pattern: str) -> tuple[str, ...]:
    """Return what a search for this pattern looks up.

    Of several alternatives only names count: in a long list of them there is many a word that was only a guess.
    """
    parts = _ALTERNATIVES.split(pattern)
    terms = [" ".join(_SIGNS.sub(" ", part).split()) for part in parts]
    told = [term for term in terms if len(term) >= _SHORTEST and term.casefold() not in lists(SMALL_WORDS)["searched"]]
    if len(parts) > 1:
        told = [term for term in told if _NAME.search(term)]
    return tuple(dict.fromkeys(f"search: '{_plain(term)}'" for term in told))[:MAX_OF_A_CALL]


def in_names(pattern: str) -> tuple[str, ...]:
    """Return what a search for names of files looks up, where it asks for one name: `**/invoice.ts`."""
    name = pattern.rpartition("/")[2]
    stem = name.partition(".")[0]
    # Every agent was told to look for a file whose name is in capitals, such as README.md.
    is_expected = stem.isupper() or stem.casefold() in lists(SMALL_WORDS)["expected"]
    asks = bool(name) and not any(sign in name for sign in "*?[]{}") and not is_expected
    return (f"find: '{_plain(name)}'",) if asks else ()


def _help(name: str, words: Sequence[str]) -> tuple[str, ...]:
    """Return the command whose help is asked for: the program and what stands before the option, options aside."""
    told = [name]
    for word in words:
        if word in _HELP:
            break
        if word[:1] != "-":
            told.append(word.rpartition("/")[2])
    if told == [name] and words[0] == "help":
        told += words[1:2]
    return (f"help: {_plain(' '.join(told[:4]))}",) if all(_WORD.fullmatch(word) for word in told) else ()


def _term(words: Sequence[str]) -> str:
    passing = False
    for number, word in enumerate(words):
        if passing:
            passing = False
        elif word in _TERM:
            return words[number + 1] if number + 1 < len(words) else ""
        elif word[:1] == "-" and len(word) > 1:
            passing = word in _WITH_VALUE
        else:
            return word
    return ""


def _listed(path: str) -> tuple[str, ...]:
    told = path.rstrip("/").removeprefix("./")
    is_elsewhere = told[:1] in ("/", "~", "$") or told.startswith("..")
    is_redirected = any(sign in told for sign in "<>&*?")
    return () if told in _TOP or is_elsewhere or is_redirected else (f"list: '{_plain(told)}'",)


def _plain(text: str) -> str:
    return text.casefold().replace("'", "").replace(": ", ":").replace(" ", "-" if "/" in text else " ")[:_MAX_TERM]
