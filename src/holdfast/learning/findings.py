"""What a harvest finds in a session: a record that each kind of finding shares, and how to keep it.

A finder takes the workspace, the digest and the events of one session and yields findings; it writes nothing. Keeping
one is idempotent for ever: what identifies it comes from the session and its text, never from the clock, so that
harvesting twice, or after `state/` was deleted, adds nothing.
"""

from __future__ import annotations

from holdfast.base.light_records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# Of each text of an event a finder sees at most so many characters, from both ends, and so many events of a session.
MAX_CHARACTERS = 8_000
MAX_EVENTS = 20_000


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing found: its kind, a line that tells it, when and in which session (`agent/id`) it was.

    `keep` writes it down and returns whether anything was new.
    """

    kind: str
    text: str
    at: str
    session: str
    keep: Callable[[], bool]
