"""The bar: whether a memory has enough to do with a prompt to be handed over unasked.

A mark near 1 says that it has. It is how near the two are in meaning, and a little for the words that they share;
where nothing is known of the meaning, words alone must tell. Among many memories something is always a little near, so
the bar rises with their number. How it was chosen: docs/hooks.md.
"""

from __future__ import annotations

_COVERED, _SEVERAL = 0.15, 0.10
_COVERED_ALONE, _SEVERAL_ALONE = 0.5, 0.5
# The most that shared words can add to meaning.
MAX_BY_WORDS = _COVERED + _SEVERAL
_STEM = 4
_FEW = 50
_RISE = 0.02
_TINY = 1e-7
# Words of which a prompt may consist that goes on, agrees or greets, and asks for nothing.
_REPLIES = frozenset(
    (
        *("a", "again", "ahead", "all", "alright", "and", "bitte", "continue", "danke", "do", "doing", "done"),
        *("fine", "gerne", "go", "going", "good", "great", "hallo", "hello", "hey", "hi", "i", "it", "ja"),
        *("jawohl", "just", "keep", "lets", "looks", "me", "my", "nein", "next", "nice", "no", "nope", "now", "of"),
        *("ok", "okay", "on", "one", "perfect", "please", "proceed", "right", "so", "sounds", "sure", "thank"),
        *("thanks", "that", "the", "then", "there", "this", "to", "try", "weiter", "well", "works", "yeah", "yep"),
        *("yes", "you"),
    )
)


def mark(asked: tuple[str, ...], known: float, found: tuple[str, ...], cosine: float | None) -> float:
    """Return the mark of a memory: `asked` are the telling words of the prompt, `found` those that the memory has.

    `known` is the share of the prompt's words that any memory has; `cosine` is None where there is no vector.
    """
    # Endings differ between a prompt and a memory, so that a few letters stand for a word.
    shared = min(len({word[:_STEM] for word in found}), len(asked))
    total = len(asked) / known if known > 0 else 1.0
    covered = min(1.0, shared / max(total, 1.0))
    several = min(1.0, max(0, shared - 1) / 2)
    if cosine is None:
        return covered * _COVERED_ALONE + several * _SEVERAL_ALONE
    return max(0.0, cosine) + covered * _COVERED + several * _SEVERAL


def bar_among(bar: float, memories: int) -> float:
    """Return the bar for a collection of that size: it is that of the setting for a few dozen, and rises from there."""
    return bar + _RISE * _logarithm(memories / _FEW) if memories > _FEW else bar


def _logarithm(number: float) -> float:
    """Return the natural logarithm to six digits: `math` would be one more library that every prompt waits for."""
    return float((number**_TINY - 1) / _TINY)


def asks_something(prompt: str) -> bool:
    """Whether the prompt has any word that more is meant by than to go on, to agree or to greet."""
    beginning = prompt[:400].replace("'", "")
    words = "".join([letter if letter.isalnum() else " " for letter in beginning]).lower().split()
    return any(word not in _REPLIES for word in words)


def why(mark: float, found: tuple[str, ...]) -> str:
    """Return in words why a memory is given."""
    words = f", words {', '.join(found[:6])}" if found else ""
    return f"relevance {mark:.2f}{words}"
