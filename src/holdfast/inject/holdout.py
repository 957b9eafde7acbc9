"""Which sessions are given nothing, so that those that are given something can be compared with them.

The draw is by the session's id alone: it is the same at every hook of a session, for its sub-agents, on every machine,
and a larger share keeps those that a smaller one has drawn.
"""

from __future__ import annotations

from holdfast.base.digests import short

_DIGITS = 13


def withholds(session: str, share: float) -> bool:
    """Whether this session is one of that share from which injections are withheld."""
    return share > 0 and int(short("holdout", session, length=_DIGITS), 16) < share * 16**_DIGITS


__all__ = ["withholds"]
