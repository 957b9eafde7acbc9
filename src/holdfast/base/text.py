"""Shortening texts, their hashes, numbers with what they count, finding things by their beginnings, addresses.

A text that may hold a secret is redacted before it is cut: half a secret is not recognised. Whoever cuts first, to
bound the work of redacting, leaves out the last word where it is not whole (`whole_words`).
"""

from __future__ import annotations

from holdfast.errors import BadInput, NotFound

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from hashlib import sha256 as sha256
    from typing import TypeVar
    from urllib.parse import SplitResult

    Named = TypeVar("Named")
else:
    # `hashlib` loads all of OpenSSL, which costs half a bare start of Python.
    try:
        from _sha256 import sha256
    except ImportError:
        try:
            # Its place since Python 3.12.
            from _sha2 import sha256
        except ImportError:
            from hashlib import sha256 as sha256

# The end of a text that was cut: in lists for people, in pages, and where a program looks for it.
ELLIPSIS = "…"
DOTS = " ..."
CUT = " [...]"
# Invisible characters: those that Unicode lets programs ignore, marks that change the direction of text, and
# annotations between lines.
HIDDEN = (
    *((0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F)),
    *((0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF)),
    *((0xFFA0, 0xFFA0), (0xFFF0, 0xFFFB), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF)),
)
# From here on scripts may join their letters; Latin, Greek, Cyrillic and Hebrew, below, do not.
_JOINING = "\u0600"
JOINERS = "\u200c\u200d"
# Variation selectors: the first shows a sign as plain text, the second as an emoji.
_LOOKS = "\ufe0e\ufe0f"
_KEYCAP = "\u20e3"
# How much of a long text is put on one line before it is cut, as a multiple of its bound.
_LOOK = 8


_TO_SPACE = "".join([chr(code) if chr(code).isalnum() else " " for code in range(128)])
MADE_ONCE = ("_TO_SPACE",)


def hash_of(*texts: str, length: int = 32) -> str:
    """Return the first hex digits of the SHA-256 of these texts; it matters where one ends and the next begins."""
    whole = "\0".join(texts)
    return sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()[:length]


def small_words(text: str, within: str = "'’") -> list[str]:
    """Return the words of a text in small letters; no other sign is left, and those that may stand `within` one go."""
    for sign in within:
        text = text.replace(sign, "")
    small = text.lower()
    if small.isascii():
        # Sign by sign takes ten times as long.
        return small.translate(_TO_SPACE).split()
    return "".join([sign if sign.isalnum() else " " for sign in small]).split()


def check_text(text: str) -> None:
    """Refuse a text with NUL bytes or with bytes that were not UTF-8."""
    if "\0" in text:
        raise BadInput("the text has a NUL byte", "Remove it; a memory is text.")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as problem:
        raise BadInput("the text is not UTF-8", f"Convert it first (position {problem.start}).") from None


def cut(text: str, most: int, mark: str = ELLIPSIS, *, whole_words: bool = False) -> str:
    """Return the text, or its beginning and the mark; together they have at most `most` characters.

    It is cut between two words where one ends in the second half of that, else within a word. With `whole_words` it is
    cut between two words wherever they are; a single word is halved.
    """
    if len(text) <= most:
        return text
    end = max(0, most - len(mark))
    for place in range(end, 0 if whole_words else end // 2 - 1, -1):
        if text[place].isspace():
            return text[:place].rstrip() + mark
    return text[: end // 2 if whole_words else end].rstrip() + mark


def ends_of(text: str, most: int) -> str:
    """Return the text, of a long one so many characters of its beginning and of its end, on lines of their own."""
    return text if len(text) <= 2 * most else f"{text[:most]}\n{text[-most:]}"


def one_line(text: str, most: int = 0, mark: str = ELLIPSIS) -> str:
    """Return the text on one line, within `most` characters where that is given, cut as `cut` does.

    A control character becomes a space and is not dropped: two halves of a secret must not become one.
    """
    if (not most or len(text) <= most) and text.isprintable() and "  " not in text:
        return text.strip()
    line = " ".join((text[: most * _LOOK] if most else text).split())
    if not line.isprintable():
        line = " ".join("".join([" " if _is_control(letter) else letter for letter in line]).split())
    return cut(line, most, mark) if most else line


def _is_control(letter: str) -> bool:
    code = ord(letter)
    return code < 32 or 0x7F <= code <= 0x9F or code in (0x2028, 0x2029) or 0xD800 <= code <= 0xDFFF


def is_hidden(text: str, at: int) -> bool:
    """Whether the character at this place is invisible, and its neighbours do not need it.

    A joiner is needed between two letters of a script that joins, and between emoji; one variation selector after
    the sign whose look it chooses; a Mongolian one after a Mongolian letter.
    """
    letter = text[at]
    code = ord(letter)
    if code < HIDDEN[0][0] or not any(first <= code <= last for first, last in HIDDEN):
        return False
    before, behind = text[at - 1 : at] if at else "", text[at + 1 : at + 2]
    if not before:
        return True
    if letter in JOINERS:
        return not ((_joins(before) or before in _LOOKS) and _joins(behind))
    if letter in _LOOKS:
        # After a sign that may be an emoji, not after a letter.
        is_sign = before >= "\xa9" and not before.isalnum() and before.isprintable() and not is_hidden(before, 0)
        return not (is_sign or (behind == _KEYCAP and before in "0123456789#*"))
    return not ("\u180b" <= letter <= "\u180f" and "\u1820" <= before <= "\u18aa")


def _joins(letter: str) -> bool:
    return letter >= _JOINING and not is_hidden(letter, 0)


def with_capital(text: str) -> str:
    """Return a sentence with a capital at its head, where that is a word: a name of code (`uv.lock`) stays as it is."""
    first = text.split(maxsplit=1)[0].rstrip(".,;:!?") if text.strip() else ""
    is_word = first[:1].islower() and first.replace("'", "").replace("’", "").isalpha() and first[1:].islower()
    return text[:1].upper() + text[1:] if is_word or len(first) == 1 else text


def count(number: int, thing: str, plural: str = "") -> str:
    """Return the number and what it counts, in the plural where it is not one: `1 session`, `1,200 memories`."""
    if number == 1:
        return f"1 {thing}"
    if not plural:
        ends_in_y = thing.endswith("y") and thing[-2:-1] not in "aeiou"
        plural = f"{thing[:-1]}ies" if ends_in_y else f"{thing}es" if thing.endswith(("s", "x", "ch")) else f"{thing}s"
    return f"{number:,} {plural}"


def by_prefix(text: str, known: Mapping[str, Named], missing: str, hint: str) -> Named:
    """Return the thing of this name, or the only one whose name begins with it; NotFound says what is `missing`."""
    names = [text] if text in known else [name for name in known if text and name.startswith(text)]
    if not names:
        raise NotFound(f"{missing} {text or repr(text)}", hint)
    if len({known[name] for name in names}) > 1:
        raise BadInput(f"{text} begins several ids: {', '.join(names[:5])}", "Give more of it.")
    return known[names[0]]


def address_parts(address: str) -> SplitResult:
    """Return the parts of an address that somebody gave; BadInput where it is none."""
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(address)
        int(parts.port or 0)
    except ValueError:
        # It is not repeated, as a password may be in it.
        raise BadInput("what was given is not an address", "Example: https://holdfast.example.org") from None
    return parts
