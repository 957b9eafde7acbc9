"""What a harvest makes ready behind everybody's back, so that the next session need not wait for it.

Work that is met is closed. The table of standing lessons is made, the meaning of new lessons, so that a prompt finds
them, and the synthesis of the week that is over. What could not be made is made later, by whoever needs it.
"""

from __future__ import annotations

from holdfast.base.clock import now
from holdfast.errors import HoldfastError
from holdfast.learning.lessons import lesson_table
from holdfast.learning.synthesis import write as synthesis
from holdfast.learning.work import closing as work_closing
from holdfast.recall.meaning import model_of
from holdfast.recall.vectors import make_vectors
from holdfast.records import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.workspace import Workspace

# One by one by a transformer, as some have chosen, they take a moment.
_MAX_VECTORS = 40


def make_ready(workspace: Workspace, is_harvested: Callable[[str], bool], *, learned: bool) -> list[Problem]:
    """Make it all; the trouble of one part is returned and takes nothing else away. `learned`: a lesson is new."""
    parts: dict[str, Callable[[Workspace], object]] = {
        "work": lambda workspace: work_closing.finish_learned(workspace.home, is_harvested, now()),
        "lessons": lambda workspace: lesson_table.renew(workspace.home),
        "synthesis": synthesis.due,
    }
    if learned:
        parts["meaning"] = _make_vectors
    problems = []
    for name, make in parts.items():
        try:
            make(workspace)
        except HoldfastError as problem:
            problems.append(Problem(name, workspace.home, str(problem), problem.hint))
    return problems


def _make_vectors(workspace: Workspace) -> None:
    """Make the vectors of the newest memories, by the model that the index goes by."""
    model = model_of(workspace)
    if model is not None:
        workspace.store.ask(lambda tables: make_vectors(tables.memories, model, _MAX_VECTORS))
