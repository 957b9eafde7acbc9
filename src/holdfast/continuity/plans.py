"""The plan that an answer lays out in numbered steps, and which of its steps are named by their number later.

A step keeps its number ("step 3: the route that confirms"), so that "steps 1 and 2 are done" and "go on with 3" say
something to an agent that never saw the plan.
"""

from __future__ import annotations

from holdfast.continuity.answers import listed
from holdfast.continuity.messages import WORDS, plain_words
from holdfast.language.word_lists import among, lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_STEP = "step "
# What stands between the numbers of several steps, and what between the first and the last of a row of them.
_AND, _TO = frozenset(("and", "und", "or", "y", "et", "e")), frozenset(("to", "bis", "through", "a", "à"))
_MIN_STEPS, _MAX_NUMBER = 2, 30


def laid_out(answer: str) -> tuple[str, ...]:
    """Return the steps below a heading such as "Plan:", each with its number; none where there are not several."""
    steps = listed(answer, among("answers", "plans"))
    return tuple(f"{_STEP}{number}: {step}" for number, step in enumerate(steps, 1)) if len(steps) >= _MIN_STEPS else ()


def without(steps: Sequence[str], done: Iterable[str]) -> list[str]:
    """Return the steps without those whose numbers these statements of what was done name."""
    named = {number for text in done for number in numbers(text)}
    return [step for step in steps if _number_of(step) not in named]


def only_names(told: Sequence[str], steps: Sequence[str]) -> bool:
    """Whether something that is left or comes next says no more than the numbers of steps of a plan that is known."""
    known = {_number_of(step) for step in steps}
    return all((named := numbers(text)) and known.issuperset(named) and _is_bare(text) for text in told)


def numbers(text: str) -> set[int]:
    """Return the numbers of the steps that a text names: of "steps 1, 2 and 4 to 6" five."""
    names, found = frozenset(lines(f"{WORDS}/steps.txt")), set[int]()
    words = plain_words(text.replace("-", " to ").replace("–", " to "))
    for place, word in enumerate(words):
        last, is_row = 0, False
        for behind in words[place + 1 :] if word in names else ():
            if behind.isdigit() and len(behind) <= 2:
                found |= {*range(last + 1, min(int(behind), _MAX_NUMBER))} if is_row else set()
                last, is_row = int(behind), False
                found.add(last)
            elif behind in _TO and last:
                is_row = True
            elif behind not in _AND:
                break
    return found


def _number_of(step: str) -> int:
    number = step.removeprefix(_STEP).partition(": ")[0] if step.startswith(_STEP) else ""
    return int(number) if number.isdigit() else 0


def _is_bare(text: str) -> bool:
    """Whether a text has hardly a word beside the numbers of steps: "Steps 3 to 5 remain."."""
    from holdfast.inject.prompt import weight

    names = frozenset(lines(f"{WORDS}/steps.txt"))
    return sum([weight(word) for word in plain_words(text) if not word.isdigit() and word not in names]) <= 1
