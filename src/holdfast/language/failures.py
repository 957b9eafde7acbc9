"""What an error text says, without all that differs from time to time: the one normaliser for every feature.

Fingerprints of failures, signatures of patterns and the errors of a digest are made of it. A hook and a harvest must
find the same fingerprint for the same failure, so of a long output only the beginning counts, which is what a hook is
given. Words are data (`tables/errors.txt`). Hooks ask, so this is light.
"""

from __future__ import annotations

from holdfast.base.text import hash_of
from holdfast.language.commands import main_of, parse
from holdfast.language.word_lists import among, listed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

TABLE = "errors"
# A hook is given so much of an error.
MAX_ERROR = 4_000
_MAX_LINES = 120
_MAX_LINE = 400
_MAX_NAMES = 6
_MAX_REFUSAL = 200
_LENGTH = 16
_MIN_WORDS = 2
_FEW_LINES = 5
_EDGES = "'\"`()[]{}<>,;:.!?*=|~^´’‘“”…"
_PARTS = "'\"`()[]{}<>,;=|‘’“”"
_ONLY_SIGNS = frozenset("#.:-+,/x%tzms_vkbuh@^~*")


def fingerprint(line: str, error: str) -> str:
    """Return what stands for a failure of a command line with this line of error; nothing where that is vague."""
    main = main_of(line)
    return _fingerprint(main.name, error) if main is not None else ""


def fingerprints(line: str, error: str) -> list[str]:
    """Return the fingerprints of a failure, one for each command of the line that may have failed.

    Earlier versions chose another command of some lines; what they learned is found by these.
    """
    names = dict.fromkeys(name for one in parse(line) if not one.is_look for name in (one.name, one.words[0]))
    return [found for name in names if (found := _fingerprint(name, error))]


def _fingerprint(name: str, error: str) -> str:
    # Some agents write this word before every error.
    words = normalised(error).removeprefix("error ")
    return hash_of(name, words, length=_LENGTH) if _is_telling(words, name) else ""


def is_refused(error: str) -> bool:
    """Whether a call was not run because somebody did not let it."""
    return plain(error[:_MAX_REFUSAL]).strip().casefold().startswith(listed(TABLE, "refused"))


def without_tags(text: str) -> str:
    """Return an error without the tags that agents put around it."""
    for tag in listed(TABLE, "tag") if "error>" in text else ():
        text = text.replace(tag, "")
    return text


def says(error: str, kind: str) -> bool:
    """Whether an error is of a kind: `missing`, what was to be used is not there, or `passing`, it goes by itself."""
    letters = [letter if letter.isalnum() or letter == "_" else " " for letter in error.casefold()]
    words = f" {' '.join(''.join(letters).split())} "
    return any(f" {one} " in words for one in listed(TABLE, kind))


def error_line(output: str) -> str:
    """Return the line of an output that says the error: by how it begins, by a word for it, or the first."""
    text = plain(output[:MAX_ERROR])
    folded_text = text.casefold()
    starts, classes = listed(TABLE, "start"), listed(TABLE, "class")
    others: list[tuple[str, str]] = []
    alone, count = "", 0
    for said, folded in _messages(text, folded_text):
        alone, count = alone or said, count + 1
        first, _, rest = folded.partition(" ")
        # "ImportError while loading a.py" only announces the error that has a colon behind its class.
        is_class = first.rstrip(":").endswith(classes) and "=" not in first and (first[-1] == ":" or not rest)
        if not (folded.startswith(starts) or is_class):
            others.append((said, folded))
        elif _is_error(said, folded):
            return said[:_MAX_LINE]
    words = [word for word in listed(TABLE, "word") if word in folded_text]
    for said, folded in others:
        # A line of a log has its time before it; a program goes on after most of them.
        is_log = folded[:1] == "[" and folded[1:2].isdigit()
        if not is_log and any(word in folded for word in words) and _is_error(said, folded):
            return said[:_MAX_LINE]
    # Among many lines, of which none speaks of an error, the first says nothing about it.
    return alone[:_MAX_LINE] if count <= _FEW_LINES else ""


def _is_error(said: str, folded: str) -> bool:
    if "warning" in folded or any(phrase in folded for phrase in listed(TABLE, "went-on")):
        return False
    return _is_telling(normalised(said), "")


def first_message(output: str) -> str:
    """Return the first line of an output that begins as an error does, or else the first that says anything."""
    text = plain(output[:MAX_ERROR])
    lines = list(_messages(text, text.casefold()))
    starts, went_on = listed(TABLE, "start"), listed(TABLE, "went-on")
    errors = (one for one in lines if one[1].startswith(starts) and not any(phrase in one[1] for phrase in went_on))
    return next(errors, (lines or [("", "")])[0])[0][:_MAX_LINE]


def _messages(text: str, folded_text: str) -> Iterator[tuple[str, str]]:
    """Yield the lines that may say an error, without the labels before them, as they are and in small letters."""
    labels, silent = listed(TABLE, "label"), listed(TABLE, "no-message")
    lines = zip(text.split("\n", _MAX_LINES)[:_MAX_LINES], folded_text.split("\n", _MAX_LINES), strict=False)
    for line, folded in lines:
        said, folded = line.strip(), folded.strip()
        while said and folded.startswith(labels):
            label = next(one for one in labels if folded.startswith(one))
            said = said[len(label) :].strip()
            folded = said.casefold()
        # Many programs show the lines of the source around an error.
        is_source = "|" in said and said.partition("|")[0].strip(" >").isdigit()
        if said and not is_source and not folded.startswith(silent):
            yield said, folded


def _is_telling(words: str, name: str) -> bool:
    """Whether a normalised error tells more than that something went wrong with this command."""
    known = among(TABLE, "generic").union(name.casefold().split())
    return len({word for word in words.replace(":", " ").split() if word not in known and word != "#"}) >= _MIN_WORDS


def plain(text: str) -> str:
    """Return a text without colours and what else steers a terminal."""
    if "\x1b" in text:
        head, *rest = text.split("\x1b")
        text = head + "".join([_behind_escape(piece) for piece in rest])
    if "\b" in text:
        # A program that draws over what it wrote before begins a new line, as far as one can read it.
        text = "\n".join([piece for piece in text.split("\b") if piece.strip()])
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
        kept = _general(word)
        if kept != "#" or found[-1:] != ["#"]:
            found.append(kept)
    return " ".join([word for word in found if word])


def varying_in(text: str) -> frozenset[str]:
    """Return the words of a text that are not in its normal form as they are: targets, versions, ports, paths."""
    return frozenset([word for word in _pieces(plain(text)[:_MAX_LINE]) if _general(word) != word])


def _general(word: str) -> str:
    return "#" if _is_path(word) or _is_file(word) else without_varying(word)


def names_in(text: str) -> tuple[str, ...]:
    """Return the last parts of the paths in a text and the names of its files, without what varies."""
    found: dict[str, None] = {}
    for word in _pieces(plain(text)[:_MAX_LINE]):
        if _is_path(word) or _is_file(word):
            name = without_varying(word.replace("\\", "/").rstrip("/").rpartition("/")[2].split(":", 1)[0])
            if any(letter.isalpha() for letter in name) and "#" not in name:
                found[name] = None
    return tuple(found)[:_MAX_NAMES]


def _pieces(text: str) -> list[str]:
    for sign in _PARTS:
        text = text.replace(sign, " ")
    return [piece for word in text.casefold().split() if (piece := word.strip(_EDGES))]


def without_varying(word: str) -> str:
    """Return a word in small letters with a `#` in place of each number; a `#` alone where all of it varies."""
    if word.isalpha() or not any(letter.isdigit() for letter in word):
        # A hash may have no digit at all.
        return "#" if len(word) >= 16 and not word.strip("abcdef") else word
    bare = word.replace("-", "").removeprefix("0x")
    if len(bare) >= 7 and not bare.strip("0123456789abcdef"):
        return "#"
    kept = _without_digits(word)
    runs = kept.count("#")
    if (runs > 1 and len(word) >= 8 and word.isalnum()) or (word.startswith("tmp") and runs):
        return "#"
    return "#" if _ONLY_SIGNS.issuperset(kept) else kept


def _without_digits(word: str) -> str:
    letters: list[str] = []
    for letter in word:
        if not letter.isdigit():
            letters.append(letter)
        elif letters[-1:] != ["#"]:
            letters.append("#")
    return "".join(letters)


def _is_path(word: str) -> bool:
    return ("/" in word or "\\" in word) and len(word) > 1 and any(letter.isalnum() for letter in word)


def _is_file(word: str) -> bool:
    """Whether a word looks like the name of a file: with a short ending of letters, and perhaps a line behind it."""
    if "." not in word:
        return False
    stem, dot, ending = word.split(":", 1)[0].rpartition(".")
    return bool(dot and stem and ending.isalnum() and 0 < len(ending) <= 4 and not ending.isdigit())
