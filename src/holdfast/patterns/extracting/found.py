"""What an extractor found: the act, and what it is about."""

from __future__ import annotations

from holdfast.base.structs import dataclass
from holdfast.patterns.acts import Act


@dataclass(frozen=True, slots=True)
class Found:
    """One finding. `bound`: the signature means something within one project, or one domain, only."""

    act: Act
    signature: str
    text: str
    bound: bool = False
    fingerprint: str = ""
    severity: int = 0


__all__ = ["Found"]
