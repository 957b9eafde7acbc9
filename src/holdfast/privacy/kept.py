"""Texts as Holdfast keeps them: without our own injections, hidden signs and secrets, and within a bound."""

from __future__ import annotations

from holdfast.base.text import CUT, cut
from holdfast.privacy import fence, redact

# More than is kept is looked at, so that a secret is not cut in two where it could be seen.
_MARGIN = 4


def kept(text: str, limit: int) -> str:
    """Return the beginning of a text as it is kept, cut between two words."""
    text = text[: limit * _MARGIN * 4].encode("utf-8", "replace").decode("utf-8")
    text = cut(fence.stripped(fence.without_hidden(text)), limit * _MARGIN, CUT, whole_words=True)
    return cut(without_secrets(text), limit, CUT)


def kept_end(text: str, start: int, limit: int) -> str:
    """Return the last lines of a text behind `start` as they are kept; what was marked private before counts."""
    from holdfast.privacy import private

    text = private.without(fence.stripped(text))[start:]
    if len(text) > limit * _MARGIN:
        text = text[-limit * _MARGIN :].partition("\n")[2]
    text = without_secrets(fence.stripped(fence.without_hidden(text)))
    return text if len(text) <= limit else text[-limit:].partition("\n")[2]


def without_secrets(text: str) -> str:
    """Return the text with each secret taken out."""
    return redact.redact(text)[0]
