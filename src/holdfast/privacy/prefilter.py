"""A cheap look that tells where no secret can be, so that no pattern is tried there.

Most prompts have words like `key`, `login` and `pass` in them and no secret. What is told here follows from the
patterns of `redact`: what they find has a sign or a digit in its neighbourhood. It never says no to a secret.
"""

from __future__ import annotations

# The neighbourhood is wider than any pattern reaches.
_BEFORE = 100
_BEHIND = 800
# What must stand behind a beginning that is an everyday word or a plain address.
_NEEDED = {"://": "@", "mysql": "-p", "sshpass": "-", "redis-cli": "-", " login": "-", " -u": ":"}
# The length of a secret access key, which stands behind the word `secret`.
_SECRET_KEY = 40
_DIGITS = frozenset("0123456789")
_SIGNS = "!#%*?^~@$+&"
_NO_LETTERS = frozenset(["", *" \t\n\r\f\v\"'`.,;:-/\\()[]{}<>=|"])


def may_begin(text: str, at: int, beginning: str) -> bool:
    """Whether a secret that has a shape can begin here."""
    behind = text[at : at + _BEHIND]
    if beginning == "secret":
        return any(len(word) >= _SECRET_KEY for word in behind.split())
    return _NEEDED.get(beginning, "") in behind


def may_be_given(text: str, at: int, kind: str) -> bool:
    """Whether the name at this place can be given a secret: a digit is near, a sign within a word, or a phrase."""
    near = text[max(0, at - _BEFORE) : at + _BEHIND]
    if not near.isascii() or not _DIGITS.isdisjoint(near):
        return True
    if kind != "password":
        return False
    if text[at : at + 10].lower().startswith(("passphrase", "mnemonic")):
        return True
    # A sign stands directly between two letters, as in `hunter!two`.
    return any(_is_within(near, at) for sign in _SIGNS for at in _places(near, sign))


def _places(text: str, sign: str) -> list[int]:
    found, at = [], text.find(sign)
    while at >= 0:
        found.append(at)
        at = text.find(sign, at + 1)
    return found


def _is_within(text: str, at: int) -> bool:
    before, end = text[at - 1 : at], at
    while text[end : end + 1] and text[end] in _SIGNS:
        end += 1
    return (before.isalnum() or before == "_") and text[end : end + 1] not in _NO_LETTERS
