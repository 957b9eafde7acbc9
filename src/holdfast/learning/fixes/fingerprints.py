"""Fingerprints of failures: what was run and what it said went wrong, without all that differs from time to time.

A hook and a harvest must find the same fingerprint for the same failure, so both ask here, and of a long output only
the beginning counts, which is what a hook is told. Nothing heavy is imported.
"""

from __future__ import annotations

from holdfast.base.digests import short
from holdfast.language.command_lines import main_of
from holdfast.learning.fixes.lists import among, listed

# A hook is told so much of an error.
MAX_ERROR = 4_000
_MAX_LINES = 120
_MAX_LINE = 400
_MAX_NAMES = 6
_LENGTH = 16
_MIN_WORDS = 2
_FEW_LINES = 5
_ERRORS = "errors"
_EDGES = "'\"`()[]{}<>,;:.!?*=|~^´’‘“”…"
_PARTS = "'\"`()[]{}<>,;=|‘’“”"
_ONLY_SIGNS = frozenset("#.:-+,/x%tzms_vkbuh@^~*")


def fingerprint(command: str, error: str) -> str:
    """Return what stands for a failure of a command line, the same everywhere; nothing where that is vague."""
    return of_line(command, error_line(error))


def of_line(command: str, line: str) -> str:
    """Return the same, for the line that says the error."""
    # Some agents write this word before every error.
    main, told = main_of(command), normalised(line).removeprefix("error ")
    if main is None or not _is_telling(told, main.name):
        return ""
    return short(main.name, told, length=_LENGTH)


def is_refused(error: str) -> bool:
    """Whether a call was not run because somebody did not let it."""
    return plain(error[:200]).strip().casefold().startswith(listed(_ERRORS, "refused"))


def error_line(output: str) -> str:
    """Return the line of an output that says the error: one that begins so, one with a word for it, or the first."""
    text = plain(output[:MAX_ERROR])
    folded_text = text.casefold()
    words = [word for word in listed(_ERRORS, "word") if word in folded_text]
    lines = [told for line in text.split("\n")[:_MAX_LINES] if (told := _said(line))]
    good = ""
    for told in lines:
        folded = told.casefold()
        spoken = any(word in folded for word in words)
        begins = folded.startswith(listed(_ERRORS, "start")) or _begins_with_a_class(folded)
        if not (spoken or begins) or "warning" in folded or not _is_telling(normalised(told), ""):
            continue
        if begins:
            return told[:_MAX_LINE]
        good = good or ("" if _is_logged(folded) else told)
    # Among many lines, of which none speaks of an error, the first says nothing about it.
    return (good or (lines[0] if 0 < len(lines) <= _FEW_LINES else ""))[:_MAX_LINE]


def _is_logged(line: str) -> bool:
    """Whether a line is one of a log, with its time before it; a program goes on after most of them."""
    return line[:1] == "[" and line[1:2].isdigit()


def _said(line: str) -> str:
    """Return what a line says, without the label before it; nothing where it says nothing about an error."""
    told = line.strip()
    folded = told.casefold()
    while folded.startswith(listed(_ERRORS, "label")):
        label = next(one for one in listed(_ERRORS, "label") if folded.startswith(one))
        told = told[len(label) :].strip()
        if not told:
            return ""
        folded = told.casefold()
    # Many programs show the lines of the source around an error.
    if "|" in told and told.partition("|")[0].strip(" >").isdigit():
        return ""
    return "" if folded.startswith(listed(_ERRORS, "no-message")) else told


def _begins_with_a_class(line: str) -> bool:
    return line.split(" ", 1)[0].rstrip(":").endswith(listed(_ERRORS, "class"))


def _is_telling(told: str, name: str) -> bool:
    """Whether a normalised error tells more than that something went wrong with this command."""
    known = among(_ERRORS, "generic").union(name.casefold().split())
    return len({word for word in told.replace(":", " ").split() if word not in known and word != "#"}) >= _MIN_WORDS


def plain(text: str) -> str:
    """Return a text without colours and what else steers a terminal."""
    if "\x1b" in text:
        head, *rest = text.split("\x1b")
        text = head + "".join([_behind_escape(piece) for piece in rest])
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _behind_escape(piece: str) -> str:
    if piece[:1] == "]":
        return piece.partition("\x07")[2]
    if piece[:1] != "[":
        return piece[1:]
    end = 1
    while end < len(piece) and not piece[end].isalpha():
        end += 1
    return piece[end + 1 :]


def normalised(text: str) -> str:
    """Return a text in small letters without paths, numbers, hashes, times, versions, ports and ids."""
    found: list[str] = []
    for word in _pieces(plain(text)[:_MAX_LINE]):
        told = _varying(word)
        if told != "#" or found[-1:] != ["#"]:
            found.append(told)
    return " ".join([word for word in found if word])


def names_in(text: str) -> tuple[str, ...]:
    """Return the last parts of the paths in a text and the names of its files, without what varies."""
    found: dict[str, None] = {}
    for word in _pieces(plain(text)[:_MAX_LINE]):
        if _is_path(word) or _is_file(word):
            name = _varying(word.replace("\\", "/").rstrip("/").rpartition("/")[2].split(":", 1)[0], is_name=True)
            if any(letter.isalpha() for letter in name) and "#" not in name:
                found[name] = None
    return tuple(found)[:_MAX_NAMES]


def _pieces(text: str) -> list[str]:
    for sign in _PARTS:
        text = text.replace(sign, " ")
    return [told for word in text.casefold().split() if (told := word.strip(_EDGES))]


def _varying(word: str, *, is_name: bool = False) -> str:
    """Return a word with a sign in place of what differs from time to time."""
    if not is_name and (_is_path(word) or _is_file(word)):
        return "#"
    if not any(letter.isdigit() for letter in word):
        return "#" if _is_letters_of_a_hash(word) else word
    bare = word.replace("-", "").removeprefix("0x")
    if len(bare) >= 7 and not bare.strip("0123456789abcdef"):
        return "#"
    told = _without_digits(word)
    runs = told.count("#")
    if (runs > 1 and len(word) >= 8 and word.isalnum()) or (word.startswith("tmp") and runs):
        return "#"
    return "#" if _ONLY_SIGNS.issuperset(told) else told


def _without_digits(word: str) -> str:
    letters: list[str] = []
    for letter in word:
        if not letter.isdigit():
            letters.append(letter)
        elif letters[-1:] != ["#"]:
            letters.append("#")
    return "".join(letters)


def _is_letters_of_a_hash(word: str) -> bool:
    return len(word) >= 16 and not word.strip("abcdef")


def _is_path(word: str) -> bool:
    return ("/" in word or "\\" in word) and len(word) > 1 and any(letter.isalnum() for letter in word)


def _is_file(word: str) -> bool:
    """Whether a word looks like the name of a file: with a short ending of letters, and perhaps a line behind it."""
    stem, dot, ending = word.split(":", 1)[0].rpartition(".")
    return bool(dot and stem and ending.isalnum() and 0 < len(ending) <= 4 and not ending.isdigit())
