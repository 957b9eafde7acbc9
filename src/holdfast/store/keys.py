"""Keys: the name of a memory within its scope, and of its file."""

from __future__ import annotations

import unicodedata

from holdfast.base.text import sha256
from holdfast.errors import BadKey

MAX_LENGTH = 60
# The file `index.md` of a folder is its page, so no memory can have its name.
TAKEN = "index"
# How many words of a text make its usual key, and how many where another text has that key already.
_WORDS, _MORE_WORDS = 6, 10
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")
# Letters of Latin alphabets that are not a plain letter with a mark: each as its language writes it without them.
_SPELLED_OUT = str.maketrans(
    {"ß": "ss", "æ": "ae", "œ": "oe", "þ": "th", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h", "ı": "i"}
)


def is_key(text: str) -> bool:
    """Whether the text is 1 to 60 of a-z, 0-9 and hyphen."""
    return 0 < len(text) <= MAX_LENGTH and _LETTERS.issuperset(text)


def check_key(text: str) -> str:
    """Return the key that somebody gave; a bad one is refused, never repaired."""
    if is_key(text) and text != TAKEN:
        return text
    if text == TAKEN:
        raise BadKey(f"{TAKEN} is the name of a folder's page", "Choose another key, for example the-index.")
    shown = ascii(text if len(text) <= MAX_LENGTH else text[:MAX_LENGTH] + "...")
    suggestion = slug(text)
    way_out = f"Use 1 to {MAX_LENGTH} of a-z, 0-9 and hyphen" + (f", for example {suggestion}." if suggestion else ".")
    raise BadKey(f"{shown} is not a key", way_out)


def automatic_key(text: str) -> str:
    """Return a key for the text: its first six words, or a hash where the script leaves none of them."""
    key = slug(" ".join(text.split()[:_WORDS]))
    return key if key not in ("", TAKEN) else hashed(text)


def automatic_keys(text: str) -> tuple[str, ...]:
    """Return the keys to try for a text that was given none, in order.

    The usual one, the same with more words, and one that no other text has. They depend on the text alone, so that what
    is stored again is found where it is, and trying them costs the same however many texts begin alike.
    """
    usual, longer, own = automatic_key(text), slug(" ".join(text.split()[:_MORE_WORDS])), hashed(text)[2:]
    numbered = f"{usual[: MAX_LENGTH - len(own) - 1].rstrip('-')}-{own}"
    return tuple(key for key in dict.fromkeys((usual, longer, numbered)) if key not in ("", TAKEN))


def keys_beside(key: str, *texts: str) -> tuple[str, ...]:
    """Return the keys that a text is given in order, where this one is made of its words; nothing where it is not.

    It may be made of any of these texts, and a number may stand before it, as before a decision's.
    """
    number = key.partition("-")[0]
    starts = ("", f"{number}-") if number[1:].isdecimal() else ("",)
    ways = (
        tuple(f"{start}{made}"[:MAX_LENGTH].rstrip("-") for made in automatic_keys(text))
        for text in texts
        for start in starts
    )
    return next((made for made in ways if key in made), ())


def slug(text: str) -> str:
    """Return the Latin letters and digits of the text, in lower case, joined by single hyphens; it may be empty."""
    plain = (
        unicodedata.normalize("NFKD", text.lower().translate(_SPELLED_OUT)).encode("ascii", "ignore").decode().lower()
    )
    words = (
        "".join(letter if letter in _LETTERS else " " for letter in plain.replace("'", "")).replace("-", " ").split()
    )
    # A text that is only partly Latin keeps little of its meaning in such a key, so it gets a hash instead.
    kept = sum(map(len, words)) >= sum(letter.isalnum() for letter in text) / 2
    return "-".join(words)[:MAX_LENGTH].rstrip("-") if kept else ""


def hashed(text: str) -> str:
    """Return the key of a text without Latin letters: a hash."""
    return "m-" + sha256(text.encode("utf-8", "replace")).hexdigest()[:12]


def key_of_file(name: str) -> str:
    """Return the key of a file that a person named."""
    stem = name[:-3] if name.lower().endswith(".md") else name
    key = stem if is_key(stem) else slug(stem)
    return key if key not in ("", TAKEN) else hashed(stem)
