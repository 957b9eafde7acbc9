"""Ids: what may be one, and how one is made of a remote address or of a path.

An id made here says by its shape where it comes from, so that two rules never make the same one:
a plain remote address never ends in a hash, a hashed one ends in 8 hex digits, all others end in 12.
"""

from __future__ import annotations

from holdfast.base.digests import sha256
from holdfast.errors import BadId

LIMIT = 128
_ALPHABET = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"
_HEX = "0123456789abcdef"
_SHOWN = 60


def is_id(text: str) -> bool:
    """Tell whether the text can be an id, and so the name of a folder."""
    return 0 < len(text) <= LIMIT and not text.strip(_ALPHABET) and not text.startswith(".")


def check_id(text: str, what: str = "the project id") -> str:
    """Return the text if it can be an id; raise BadId, which names `what`, if not. Nothing is repaired."""
    if is_id(text):
        return text
    raise BadId(
        f"{what} cannot be '{shown(text)}': {_fault(text)}",
        hint=f"use 1 to {LIMIT} of A-Z, a-z, 0-9, dot, underscore and hyphen, and no dot at the beginning",
    )


def _fault(text: str) -> str:
    if not text:
        return "it is empty"
    if len(text) > LIMIT:
        return f"it has {len(text)} characters, and {LIMIT} is the most"
    if text.startswith("."):
        return "it begins with a dot"
    return "it has a character that an id cannot have"


def shown(text: str) -> str:
    """Return text that is safe to print: one line, control characters escaped, cut when it is long."""
    safe = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text[: _SHOWN + 1])
    return safe if len(text) <= _SHOWN else f"{safe[:_SHOWN]}..."


def printable(text: str) -> str:
    """Return a path as it can be printed, whole."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def is_hex(text: str, length: int) -> bool:
    """Tell whether the text is exactly so many lower-case hex digits."""
    return len(text) == length and not text.strip(_HEX)


def digest(text: str, length: int) -> str:
    """Return the first hex digits of the sha256 of the text."""
    return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:length]


def slug(name: str, room: int = LIMIT) -> str:
    """Return the name in the alphabet of ids, at most `room` long; `project` where nothing of it is left."""
    kept = "".join(c if c in _ALPHABET else "-" for c in name)
    while "--" in kept:
        kept = kept.replace("--", "-")
    return kept.strip("-.")[:room].rstrip("-.") or "project"


def hashed_id(name: str, of: str) -> str:
    """Return `name-<12 hex>`, where the hash is that of the text `of`."""
    return f"{slug(name, LIMIT - 13)}-{digest(of, 12)}"


def local_id(path: str) -> str:
    """Return the id for a remote that is a path on this machine where nothing is."""
    # What stands before an @ may be a user and a password that somebody put into a broken address.
    name = path.rstrip("/").rpartition("/")[2].rpartition("@")[2].removesuffix(".git")
    return f"local--{slug(name, LIMIT - 20)}-{digest(path, 12)}"


def remote_id(address: str) -> str:
    """Return the id of a normalised `host/path`; two different addresses never share one."""
    parts = address.split("/")
    plain = "--".join(parts)
    if all(_is_plain(part) for part in parts) and is_id(plain) and not _ends_in_hash(plain):
        return plain
    body = "--".join(slug(part) for part in parts)[: LIMIT - 9].rstrip("-.")
    return f"{body}-{digest(address, 8)}"


def _is_plain(part: str) -> bool:
    return bool(part) and "--" not in part and not part.startswith("-") and not part.endswith("-")


def _ends_in_hash(text: str) -> bool:
    tail = text.rpartition("-")[2]
    return tail != text and (is_hex(tail, 8) or is_hex(tail, 12))
