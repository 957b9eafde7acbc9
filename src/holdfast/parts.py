"""One step of forgetting a session, and how it is done: what the plan shows is what is applied."""

from __future__ import annotations

from holdfast.base.light_records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.records import Step


@dataclass(frozen=True, slots=True)
class Change:
    """A step of the plan; `do` carries it out. What stays has nothing to do, and is told."""

    step: Step
    do: Callable[[], object] | None = None
