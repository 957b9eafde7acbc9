"""Forgetting a session takes what was learned from it alone along: incidents, proposed lessons, fixes, and its quotes.

So go the words of its ratings and what its sub-agents handed over; `forget_lessons` says what becomes of lessons.
"""

from __future__ import annotations

import os
from functools import partial

from holdfast.base import files
from holdfast.base.minijson import dumps
from holdfast.learning.fixes import hook as fix_hooks
from holdfast.learning.fixes import model as fixes
from holdfast.learning.incidents import model as incidents
from holdfast.learning.incidents.model import Incidents
from holdfast.learning.lessons import forget as forget_lessons
from holdfast.learning.ratings import model as signals
from holdfast.learning.research import model as research
from holdfast.learning.synthesis import write as synthesis
from holdfast.parts import Change
from holdfast.patterns import forget as forget_patterns
from holdfast.records import Step

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from holdfast.app.session_words import SessionWords
    from holdfast.workspace import Workspace

_ONE_OF_A_FORGOTTEN_SESSION = "of a forgotten session"


def learned_changes(workspace: Workspace, words: SessionWords) -> Iterator[Change]:
    """Yield what goes of what was learned from a session, and the lessons that stay."""
    yield from _synthesis(workspace, words)
    for one in _incidents(workspace, words):
        step = Step("remove", os.path.relpath(one.path, workspace.home), "an incident of it", one.size)
        yield Change(step, partial(_forget_incident, workspace.home, one, words))
        if own := sorted(set(os.listdir(one.path)) - one.sizes.keys()):
            place = os.path.relpath(_by_hand(one), workspace.home)
            yield Change(Step("keep", place, f"written by hand: {', '.join(own)}"))
    yield from _records(workspace, words)
    yield from forget_lessons.changes(workspace, words)


def _incidents(workspace: Workspace, words: SessionWords) -> list[incidents.Incident]:
    told = [(one, incidents.sentiment(one.path)) for one in Incidents(workspace.home).all()]
    return [one for one, row in told if (row.get("agent"), row.get("session")) == (words.agent, words.session)]


def _forget_incident(home: str, one: incidents.Incident, words: SessionWords) -> None:
    """Remove an incident; where a person put something into its folder, that stays under a name without words."""
    Incidents(home).forget(words.agent, words.session)
    if os.path.isdir(one.path):
        os.rename(one.path, _by_hand(one))


def _by_hand(one: incidents.Incident) -> str:
    return f"{one.path.rpartition('_')[0]}_by-hand-{one.rating[:6]}"


def _records(workspace: Workspace, words: SessionWords) -> Iterator[Change]:
    """Yield what goes of its ratings, fixes and reports, and of signals and patterns, which may quote it."""
    home, agent, session = workspace.home, words.agent, words.session
    for report in research.all_reports(home):
        if report.agent == agent and session in (report.session, report.parent):
            step = Step("remove", report.path, "what a sub-agent handed over")
            yield Change(step, partial(research.forget, home, agent, session))
    rows = {"words of its ratings": (signals.PLACE, signals.forget), "its fixes": (fixes.PLACE, fixes.forget)}
    for what, (place, forget) in rows.items():
        if dumps(session).encode() in files.read_if_there(os.path.join(home, *place)):
            yield Change(Step("redact", "/".join(place), what), partial(forget, home, agent, session))
    what = "its signals, its quotes in patterns, and what failed in open sessions, where there are any"
    yield Change(Step("redact", "patterns", what), lambda: _forget_quotes(workspace, words))


def _forget_quotes(workspace: Workspace, words: SessionWords) -> None:
    fix_hooks.drop_notes(workspace.home)
    forget_patterns.forget(workspace.home, words.agent, words.session)


def _synthesis(workspace: Workspace, words: SessionWords) -> Iterator[Change]:
    """Take its quotes, and the names of its incidents, out of the pages that ratings made."""
    gone = [one.name for one in _incidents(workspace, words)]
    base = os.path.join(workspace.home, synthesis.FOLDER)
    for here, _, found in sorted(os.walk(base)):
        for path in [os.path.join(here, name) for name in sorted(found) if name.endswith(".md")]:
            before = files.read(path).decode("utf-8", "surrogateescape")
            after = "\n".join([_without_quote(line, words, gone) for line in before.split("\n")])
            if after != before:
                place = os.path.relpath(path, workspace.home)
                yield Change(Step("redact", place, "its quotes"), _writing(workspace.home, place, after))


def _writing(home: str, place: str, text: str) -> Callable[[], None]:
    def write() -> None:
        files.refuse_links(home, os.path.dirname(place))
        files.write(os.path.join(home, place), text.encode("utf-8", "surrogateescape"))

    return write


def _without_quote(line: str, words: SessionWords, gone: list[str]) -> str:
    for name in gone:
        line = line.replace(name, _ONE_OF_A_FORGOTTEN_SESSION)
    first, last = line.find('"'), line.rfind('" (rated ')
    if last <= first or not (f", {words.name})" in line or f", {words.name}, " in line):
        return line
    return line[:first] + line[last + 2 :]
