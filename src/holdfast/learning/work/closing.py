"""Finishing work items: what sessions left behind that are over.

An item is completed only when its criteria are met by evidence, or by the person's word; else it stays open for the
next session. What ended a moment ago is left alone: what can be learned from it is taken first, by the harvest.
"""

from __future__ import annotations

import os
import time

from holdfast.base import files
from holdfast.errors import HoldfastError
from holdfast.learning.work import model as work
from holdfast.learning.work import session_log
from holdfast.learning.work import turns as work_turns
from holdfast.learning.work.model import Work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.learning.work.session_log import Noted

_MAX_FINISHED = 5
_MAX_LEARNED = 20
# Where the turn is, beside the files of the sessions; what begins with a dot is none of them.
_TURN = ".turn"


def finish_left(home: str, projects: tuple[str, ...], at: str, *, own: str) -> int:
    """Bring in what sessions left that are over, and close those of their items that are met; return how many.

    A start has time for a few. The next one goes on behind them, so that what cannot be finished keeps nobody waiting.
    """
    now = time.time()
    left: list[Noted] = []
    for noted in session_log.sessions(home):
        if noted.project not in projects or noted.path == own or not work_turns.is_over(home, noted):
            continue
        if now - noted.changed > session_log.KEPT_SECONDS and not noted.rows:
            files.remove(noted.path)
        left += [noted] if now - noted.changed > session_log.LEFT_SECONDS else []
    closed, problems = 0, []
    for noted in _turn_of(home, left):
        try:
            closed += _finish(home, noted, at)
        except HoldfastError as problem:
            problems.append(problem)
    if problems:
        # The others are done; now whoever keeps the log may know of the first one.
        raise problems[0]
    return closed


def _turn_of(home: str, left: list[Noted]) -> list[Noted]:
    """Return those whose turn it is, and note where the next start goes on."""
    if len(left) <= _MAX_FINISHED:
        return left
    path = os.path.join(session_log.folder_of(home), _TURN)
    last = files.read_if_there(path).decode("ascii", "replace")
    in_turn = sorted(left, key=lambda noted: (os.path.basename(noted.path) <= last, noted.path))[:_MAX_FINISHED]
    # It is noted before: one that ends this process must not have its turn again and again.
    files.write(path, os.path.basename(in_turn[-1].path).encode("ascii", "replace"), durable=False)
    return in_turn


def finish_learned(home: str, is_learned: Callable[[str], bool], at: str) -> int:
    """Close what is met of sessions that ended after something was learned from them; return how many.

    Some agents tell of a session's end when their transcript is harvested already, and never tell of it again.
    """
    over = [noted for noted in session_log.sessions(home) if noted.work and work_turns.is_over(home, noted)]
    latest = sorted(over, key=lambda noted: -noted.changed)[:_MAX_LEARNED]
    return sum([_finish(home, noted, at) for noted in latest if is_learned(f"{noted.agent}/{noted.session}")])


def _finish(home: str, noted: Noted, at: str) -> bool:
    """Bring in what a session left, and close its item if it is met."""
    if noted.rows:
        work_turns.take_in(home, noted.path, at, tells_tools=True)
        noted = session_log.read(noted.path) or noted
    if not noted.work:
        return False
    with work.lock(home, noted.project):
        try:
            one = work.find(home, noted.project, noted.work)
        except HoldfastError:
            return False
        return close_if_met(one, f"{noted.agent}/{noted.session}", at)


def close_if_met(one: Work, session: str, at: str) -> bool:
    """Close an open item whose criteria are met, if that session was the last to work on it. Call it under the lock."""
    isc = work_turns.known_criteria(one)
    if not one.is_open or one.sessions[-1:] != (session,) or isc is None or not isc.is_met():
        return False
    work_turns.closed(one, isc, isc, at)
    return True
