"""What extractors look at: a session as a row of acts, in the same words for every agent and without its output."""

from __future__ import annotations

from holdfast.base.structs import dataclass

# How a call ended. A refused one was not run, because a person or a rule of the agent did not let it.
RESULTS = ("passed", "failed", "refused", "unknown")
# Besides the kinds of tools: the person speaks, and the context was summed up because it ran over.
ASK, OVERFLOW = "ask", "overflow"


@dataclass(frozen=True, slots=True)
class Act:
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
class Remark:
    """A sentence of the person: `words` is what it is about, each word in one form."""

    text: str
    words: tuple[str, ...]
    at: str = ""
    place: int = 0
    line: int = 0


@dataclass(frozen=True, slots=True)
class Rated:
    """A rating of the person, from 1 to 10, with what was said, and each thing that it is about."""

    rating: int
    text: str
    about: tuple[str, ...]
    at: str = ""


@dataclass(frozen=True, slots=True)
class Mended:
    """A failure of a command, and the steps after which it worked."""

    command: str
    error: str
    steps: tuple[str, ...]
    fingerprint: str
    at: str = ""


@dataclass(frozen=True, slots=True)
class Seen:
    """One session as extractors see it. `whole` is the session that it is a part or a copy of, by its id, if any."""

    agent: str
    session: str
    project: str = ""
    at: str = ""
    whole: str = ""
    acts: tuple[Act, ...] = ()
    corrections: tuple[Remark, ...] = ()
    ratings: tuple[Rated, ...] = ()
    mended: tuple[Mended, ...] = ()


__all__ = ["ASK", "OVERFLOW", "RESULTS", "Act", "Mended", "Rated", "Remark", "Seen"]
