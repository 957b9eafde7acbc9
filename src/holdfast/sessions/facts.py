"""The records that a digest is made of, and a digest as bytes.

Each fact knows where it comes from: the place and the line of its event. The bytes are JSON; what a newer version of
Holdfast added to it is passed over, and what an older one did not have yet is empty.
"""

from __future__ import annotations

import json

import msgspec

from holdfast.base.structs import dataclass, sparse_dataclass
from holdfast.records import Session

OUTCOMES = ("success", "failure", "partial", "abandoned", "unknown")
# What a person said: the first and the last ask, a decision, a correction, praise; and how the agent ended: what it
# concluded, how far it had come when it went on with the work, or only what it was about to do; what it asked.
SAYINGS = ("ask", "decision", "correction", "praise", "conclusion", "progress", "announced", "question")
# How a command or an error ended.
RESULTS = ("passed", "failed", "unknown")
ENDINGS = {
    "fixed": "fixed",
    "rerun": "passed when run again",
    "otherwise": "passed later in another form",
    "repeated": "came again, not seen to succeed",
    "left": "not seen to succeed",
}


@dataclass(frozen=True, slots=True)
class Said:
    """A quote of the person or, at the end, of the agent, cut to its bound; `kind` is one of SAYINGS."""

    kind: str
    text: str
    at: str = ""
    place: int = 0
    line: int = 0


@sparse_dataclass(frozen=True, slots=True)
class FileChange:
    """A file that was changed, how often, and where last; `folder` is where the path begins, if not the session's."""

    path: str
    changes: int
    place: int = 0
    line: int = 0
    folder: str = ""


@dataclass(frozen=True, slots=True)
class CommandRun:
    """A command line, how often it ran and failed, and how and where it ended last; `result` is one of RESULTS."""

    text: str
    kind: str
    runs: int
    failed: int
    result: str
    place: int = 0
    line: int = 0


@dataclass(frozen=True, slots=True)
class Delivered:
    """Something that left the session: a commit (its id and subject) or a pull request (its address)."""

    id: str
    text: str
    place: int = 0
    line: int = 0


@dataclass(frozen=True, slots=True)
class Trouble:
    """An error, what it was about, how often it came, first and last, and its end, one of ENDINGS."""

    text: str
    about: str
    times: int
    ended: str
    place: int = 0
    line: int = 0
    last_place: int = 0
    last_line: int = 0


@dataclass(frozen=True, slots=True)
class OutcomeEvidence:
    """One thing that speaks for an outcome: its name, for which one, how much, and what it was."""

    name: str
    speaks_for: str
    weight: float
    text: str = ""
    place: int = 0
    line: int = 0


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a session ended: `kind` is one of OUTCOMES, `confidence` between 0 and 1, with all that was weighed."""

    kind: str
    confidence: float
    evidence: tuple[OutcomeEvidence, ...] = ()


@dataclass(frozen=True, slots=True)
class Digest:
    """What stays of a session when its transcript is gone.

    `checks` are runs of tests, builds and linters, `commands` what else did something. `dollars` is what `dollars_from`
    says: `agent` (told by it), `prices` (an estimate by the table of prices) or nothing (unknown). `folders` and
    `branches` are all in which it worked. `conclusion` is how the agent ended the last ask, `conclusions` those before,
    `question` what it asked and nobody answered, `left` what its own plan still had to do. `between` are the asks
    between the first and the last. `left_out` counts what the bounds cut off. `rules` is the number of the rules that
    made it, so that an older digest can be told.
    """

    session: Session
    title: str
    first_ask: Said | None
    last_ask: Said | None
    outcome: Outcome
    asks: int = 0
    answers: int = 0
    calls: int = 0
    failed_calls: int = 0
    refused_calls: int = 0
    compactions: int = 0
    tools: tuple[tuple[str, int], ...] = ()
    files: tuple[FileChange, ...] = ()
    checks: tuple[CommandRun, ...] = ()
    commands: tuple[CommandRun, ...] = ()
    commits: tuple[Delivered, ...] = ()
    pushes: int = 0
    pull_requests: tuple[Delivered, ...] = ()
    said: tuple[Said, ...] = ()
    troubles: tuple[Trouble, ...] = ()
    dollars: float = 0.0
    dollars_from: str = ""
    folders: tuple[str, ...] = ()
    branches: tuple[str, ...] = ()
    left_out: tuple[tuple[str, int], ...] = ()
    rules: int = 1
    conclusion: Said | None = None
    question: Said | None = None
    left: tuple[str, ...] = ()
    between: tuple[Said, ...] = ()
    conclusions: tuple[Said, ...] = ()

    @property
    def concluded(self) -> Said | None:
        """How the agent ended the last ask, where it did, and did not only tell how far it had come."""
        return self.conclusion if self.conclusion and self.conclusion.kind == "conclusion" else None


def encode(facts: Digest | dict[str, object]) -> bytes:
    """Return a digest, or some of its facts, as JSON."""
    try:
        return _encode(facts)
    except UnicodeEncodeError:
        # The name of a file may be no text; what cannot be written is a question mark.
        text = json.dumps(msgspec.to_builtins(facts), ensure_ascii=False, separators=(",", ":"))
        return text.encode("utf-8", "replace")


def decode(raw: bytes) -> Digest:
    """Return the digest that these bytes are; ValueError where they are none."""
    try:
        return _decode(raw)
    except RecursionError as problem:
        raise ValueError("nested too deep") from problem


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Digest).decode
