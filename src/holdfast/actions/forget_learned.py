"""Forgetting a session takes what was learned from it alone along: incidents, proposed lessons, fixes, and its quotes.

So go the words of its ratings, what was noted for its work items, and what its sub-agents handed over. A lesson that
stands is a memory by then; that is forgotten with `holdfast forget`. Work items stay, as they are the person's, and so
does the audit trail, as such a trail must.
"""

from __future__ import annotations

from holdfast.actions import fix_hooks, pattern_review
from holdfast.actions.house import House
from holdfast.learning import fixes, lessons, research, signals, work_log
from holdfast.learning.incidents import Incidents
from holdfast.memory.proposals import Proposals
from holdfast.patterns import signal_files
from holdfast.sessions import names
from holdfast.store import files


def forget_learned(house: House, name: str) -> None:
    """Remove what was learned from the session of that name (`agent/id`) and from no other."""
    agent, _, session = name.partition("/")
    Incidents(house.home).forget(agent, session)
    fixes.forget(house.home, agent, session)
    signals.forget(house.home, agent, session)
    research.forget(house.home, agent, session)
    fix_hooks.drop_notes(house.home)
    for noted in work_log.sessions(house.home):
        if (noted.agent, noted.session) == (agent, session):
            files.remove(noted.path)
    signal_files.forget(house.home, names.stem_of(agent), names.stem_of(session))
    pattern_review.catalogue(house).forget(agent, session)
    waiting = Proposals(house.home)
    for lesson in lessons.room(house.home).forget(agent, session):
        if lesson.id in waiting.ids():
            waiting.drop(waiting.get(lesson.id))
