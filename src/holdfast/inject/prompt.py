"""What is handed over at a prompt: what changed of what the session was shown, then what is relevant and new to it.

The bar says whether a memory has enough to do with a prompt to be handed over unasked. A mark near 1 says that it has.
It is how near the two are in meaning, and a little for the words that they share; where nothing is known of the
meaning, words alone must tell. Among many memories something is always a little near, so the bar rises with their
number. How it was chosen: docs/hooks.md.
"""

from __future__ import annotations

from holdfast.base.light_records import dataclass
from holdfast.inject.block import Block, Item, blocked, digest_of, given_of, is_told, statement_of, text_of
from holdfast.inject.shown import FORGOTTEN
from holdfast.records import Given, Memory, Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from holdfast.inject.shown import Shown

_MAX_NOTES = 5
_WORTH_CHANGED = 8.0
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


@dataclass(frozen=True, slots=True)
class Changes:
    """What became of the memories that a session was shown: those that say something else now, and those that went."""

    changed: tuple[Memory, ...] = ()
    gone: tuple[tuple[Scope, str], ...] = ()


def changes_of(shown: Shown, now: Mapping[tuple[str, str, str], Memory]) -> Changes:
    """Return what changed of the shown memories; `now` has those that are still there."""
    changed = [now[place] for place, digest in shown.items() if place in now and digest_of(now[place]) != digest]
    gone = [
        (Scope(place[0], place[1]), place[2])
        for place, digest in shown.items()
        if place not in now and digest != FORGOTTEN
    ]
    return Changes(tuple(changed[:_MAX_NOTES]), tuple(gone[:_MAX_NOTES]))


def prompt_block(
    changes: Changes,
    found: Sequence[tuple[Memory, str]],
    budget: int,
    *,
    clean: Callable[[str], str],
    first: Sequence[Item] = (),
) -> Block:
    """Return the block of a prompt within its budget; empty where there is nothing to say.

    `found` are memories with the reason why each is given, best first; `first` stands before everything else.
    """
    gone = [
        Item(
            f"forgotten: {key} is no longer in memory; do not rely on it.",
            Given(scope, key, FORGOTTEN, "forgotten since it was shown", 0),
            worth=_WORTH_CHANGED,
            said=f"{scope}/{key}",
        )
        for scope, key in changes.gone
    ]
    changed = [
        item_of(memory, "changed since it was shown", _WORTH_CHANGED, clean, f"changed ({memory.key}): ")
        for memory in changes.changed
    ]
    new = [item_of(memory, why, -place, clean) for place, (memory, why) in enumerate(found)]
    return blocked([*first, *gone, *changed, *new], budget)


def item_of(memory: Memory, why: str, worth: float, clean: Callable[[str], str], lead: str = "") -> Item:
    """Return a memory as it stands in the block of a prompt."""
    statement = statement_of(memory)
    text = lead + text_of(statement, clean)
    return Item(text, given_of(memory, why), theirs=memory.trust == "user", worth=worth, said=statement)


def is_new(memory: Memory, shown: Shown) -> bool:
    """Whether the context was never shown this memory nor its words, or was told that it is gone."""
    place = memory.scope.kind, memory.scope.owner, memory.key
    if place in shown:
        return shown[place] == FORGOTTEN
    return not is_told(item_of(memory, "", 0.0, str), shown)


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
    # The natural logarithm to six digits: `math` would be one more library that every prompt waits for.
    logarithm = float(((memories / _FEW) ** _TINY - 1) / _TINY)
    return bar + _RISE * logarithm if memories > _FEW else bar


def asks_something(prompt: str) -> bool:
    """Whether the prompt has any word that more is meant by than to go on, to agree or to greet."""
    beginning = prompt[:400].replace("'", "")
    words = "".join([letter if letter.isalnum() else " " for letter in beginning]).lower().split()
    return any(word not in _REPLIES for word in words)


def why(mark: float, found: tuple[str, ...]) -> str:
    """Return in words why a memory is given."""
    words = f", words {', '.join(found[:6])}" if found else ""
    return f"relevance {mark:.2f}{words}"
