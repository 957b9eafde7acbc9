"""Stored text on a terminal: it shows itself, and does nothing else."""

from __future__ import annotations

import re

# What a terminal obeys, and marks that turn or hide text. Tabs and line ends stay.
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069\ud800-\udfff]")


def harmless(text: str) -> str:
    """Return a text with every control character written out, so that a terminal only shows it."""
    plain = text.replace("\r\n", "\n")
    return _UNSAFE.sub(lambda odd: odd[0].encode("unicode_escape", "surrogatepass").decode("ascii"), plain)
