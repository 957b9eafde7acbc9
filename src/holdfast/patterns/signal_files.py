"""Signals, and the files that keep those of each session.

A signal is a single thing in a session that, if it comes again in others, makes a pattern. What each kind means is in
docs/patterns.md. Only the agent's work and the person's own words give a signal; what was injected, our own text,
summaries and the tasks of sub-agents give none.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass as plain_dataclass

import msgspec

from holdfast.base import files
from holdfast.base.structs import dataclass, sparse_dataclass
from holdfast.errors import HoldfastError
from holdfast.learning.fixes.model import Fix
from holdfast.sessions.names import stem_of

FOLDER = "archive/signals"
_ENDING = ".json"
_MAX_BYTES = 4 * 2**20
# By which rules signals were found: kept with them, so that older ones can be told apart. Whoever changes what is found
# raises it, and the number in the harvest too, which makes every session worth another look.
RULES = 2
# How a call ended. A refused one was not run, because a person or a rule of the agent did not let it.
RESULTS = ("passed", "failed", "refused", "unknown")
# Besides the kinds of tools: the person speaks, and the context was summed up because it ran over.
ASK, OVERFLOW = "ask", "overflow"


@plain_dataclass(frozen=True, slots=True)
class SignalKind:
    """A kind of signal: its name, a heading for patterns of it, how severe it is from 1 to 3, and whether it is good.

    For a good kind the severity is how much it is worth. A pattern of it is in at least `least` sessions, however few
    are asked for: more for what is weak evidence, and NEVER for what everybody's sessions have and nobody can act on.
    """

    name: str
    heading: str
    severity: int
    good: bool = False
    least: int = 1


# More sessions than anybody has, and so many that weak evidence counts.
NEVER = 10**9
_WEAK = 4

_KINDS = (
    SignalKind("failed-command", "A command fails", 2),
    SignalKind("retry-loop", "The same call is repeated", 2),
    SignalKind("edit-churn", "A file is changed over and over", 1, least=_WEAK),
    SignalKind("correction", "The person corrects", 3),
    SignalKind("repeated-ask", "The same thing is asked for again and again", 2),
    SignalKind("low-rating", "The person is displeased", 3),
    SignalKind("high-rating", "The person is pleased", 2, good=True),
    SignalKind("permission-denied", "A call is not permitted", 2),
    SignalKind("context-overflow", "The context runs over", 1, least=NEVER),
    SignalKind("red-green", "Tests go from red to green", 2, good=True, least=NEVER),
    SignalKind("long-detour", "The goal is reached by a long detour", 2, least=_WEAK),
    SignalKind("fix-worked", "A fix worked", 2, good=True),
    SignalKind("lookup-anew", "The same thing is looked up again", 1, least=_WEAK),
)
KINDS = {kind.name: kind for kind in _KINDS}


@sparse_dataclass(frozen=True, slots=True)
class Signal:
    """One signal. `signature` says what it is about, without what differs from time to time; `text` is the quote.

    `session` is the agent's own id of it; `place` and `line` are those of the event. `times` is how often it came in
    the session. `bound`: the signature means something within one project only. `fingerprint` is that of a failure,
    as fixes have it. `whole` is the session of which this one is a part or a copy, by its id, if any.
    """

    kind: str
    signature: str
    text: str
    agent: str
    session: str
    project: str = ""
    at: str = ""
    place: int = 0
    line: int = 0
    severity: int = 1
    good: bool = False
    times: int = 1
    bound: bool = False
    fingerprint: str = ""
    whole: str = ""

    @property
    def name(self) -> str:
        """What the session is called: its agent and its id."""
        return f"{self.agent}/{self.session}"

    @property
    def counted_as(self) -> str:
        """The session that it counts for: its own, or the one of which that is a part or a copy."""
        return f"{self.agent}/{self.whole or self.session}"


@dataclass(frozen=True, slots=True)
class SessionAct:
    """One call of a tool, one message of the person, or one overflow.

    `name` is the command that a shell line was run for (`npm test`), else the kind of tool; `text` shows it. `error` is
    the line that says what went wrong, `is_telling` whether it says more than that something did. `check` is `test`,
    `lint`, `build` or nothing. `given` stands for tool and input, `answer` for the output, each a hash. `paths` are the
    files that were changed, `sought` what was looked up: signatures, each with the command that did it.
    """

    kind: str
    place: int = 0
    line: int = 0
    at: str = ""
    name: str = ""
    text: str = ""
    result: str = "unknown"
    error: str = ""
    fingerprint: str = ""
    check: str = ""
    given: str = ""
    answer: str = ""
    paths: tuple[str, ...] = ()
    is_look: bool = False
    is_telling: bool = False
    sought: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class ReasonedRating:
    """A rating of the person, from 1 to 10, with what was said, and each thing that it is about."""

    rating: int
    text: str
    about: tuple[str, ...]
    at: str = ""


@dataclass(frozen=True, slots=True)
class SeenSession:
    """One session as a row of acts, in the same words for every agent and without its output.

    `whole` is the session that it is a part or a copy of, by its id, if any. In `corrections` each name is what one is
    about: its words, each in one form.
    """

    agent: str
    session: str
    project: str = ""
    at: str = ""
    whole: str = ""
    acts: tuple[SessionAct, ...] = ()
    corrections: tuple[SessionAct, ...] = ()
    ratings: tuple[ReasonedRating, ...] = ()
    fixes: tuple[Fix, ...] = ()


@dataclass(frozen=True, slots=True)
class Signals:
    """What is kept of one session: by which rules, and its signals."""

    agent: str
    session: str
    rules: int = RULES
    signals: tuple[Signal, ...] = ()


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Signals).decode


def put(home: str, found: Signals) -> bool:
    """Make the signals of a session durable; False where the file says the same already."""
    files.refuse_links(home, f"{FOLDER}/{stem_of(found.agent)}")
    path = _path(home, stem_of(found.agent), stem_of(found.session))
    data = _encode(found)
    if files.read_if_there(path) == data:
        return False
    files.put(path, data)
    return True


def read(home: str, agent_stem: str, stem: str) -> Signals | None:
    """Return the signals of a session; None where there is no file, or it cannot be read."""
    try:
        return _decode(files.read(_path(home, agent_stem, stem), _MAX_BYTES))
    except (HoldfastError, ValueError, RecursionError):
        return None


def forget(home: str, agent: str, session: str) -> None:
    """Remove the signals of a session."""
    files.remove(_path(home, stem_of(agent), stem_of(session)))


def clear_leftovers(home: str) -> None:
    """Remove what kills left half-written. Only while nobody else harvests."""
    for folder in _folders(home):
        files.clear_leftovers(folder)


def stems(home: str) -> Iterator[tuple[str, str]]:
    """Yield the names of all files of signals: those of the agent and of the session."""
    for folder in _folders(home):
        for name in files.names_in(folder, _ENDING):
            yield os.path.basename(folder), name.removesuffix(_ENDING)


def _folders(home: str) -> list[str]:
    root = os.path.join(home, FOLDER)
    names = [] if files.link_on_the_way(home, FOLDER) else files.names_in(root)
    return [folder for folder in (os.path.join(root, name) for name in names) if files.is_plain_folder(folder)]


def _path(home: str, agent_stem: str, stem: str) -> str:
    return os.path.join(home, FOLDER, agent_stem, stem + _ENDING)
