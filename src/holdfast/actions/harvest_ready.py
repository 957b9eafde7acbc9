"""What a harvest makes ready behind everybody's back, so that the next session need not wait for it.

Work that is met is closed. The table of standing lessons is made, the meaning of new lessons, so that a prompt finds
them, and the synthesis of the week that is over. What could not be made is made later, by whoever needs it.
"""

from __future__ import annotations

from holdfast.actions import synthesis, work_closing
from holdfast.actions.house import now
from holdfast.actions.recall import make_vectors
from holdfast.errors import HoldfastError
from holdfast.learning import lesson_table
from holdfast.records import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.actions.house import House

# One by one by a transformer, as some have chosen, they take a moment.
_MOST_VECTORS = 40


def make_ready(house: House, is_harvested: Callable[[str], bool], *, learned: bool) -> list[Problem]:
    """Make it all; the trouble of one part is returned and takes nothing else away. `learned`: a lesson is new."""
    parts: dict[str, Callable[[House], object]] = {
        "work": lambda house: work_closing.finish_learned(house.home, is_harvested, now()),
        "lessons": lambda house: lesson_table.renew(house.home),
        "synthesis": synthesis.due,
    }
    if learned:
        parts["meaning"] = _make_vectors
    problems = []
    for name, make in parts.items():
        try:
            make(house)
        except HoldfastError as problem:
            problems.append(Problem(name, house.home, str(problem), problem.hint))
    return problems


def _make_vectors(house: House) -> None:
    """Make the vectors of the newest memories, by the model that the index goes by."""
    model = house.model()
    if model is not None:
        house.store.consult(lambda table: make_vectors(table, model, _MOST_VECTORS))
