"""What the parts of a feature take and return when an archived session is harvested, or forgotten.

`harvest.py` of a feature has `harvest`: the workspace, a digest and its events in, Findings out. `forget.py` has
`forget`: a ForgetTarget in, Changes out; and, where the feature notes what a session says, `noted`, which returns that.
None of them writes: `app/` keeps findings and applies changes, in the order of its table.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain

from holdfast.base import clock, files, rows
from holdfast.errors import HoldfastError
from holdfast.records import Step, asdict
from holdfast.sessions.archive import Archive
from holdfast.workspace import Workspace

# Of each text of an event a feature sees at most so many characters, from both ends, and so many events of a session.
MAX_CHARACTERS = 8_000
MAX_EVENTS = 20_000
# What a hook's event tells in words; its other fields are names of things.
_TOLD = ("prompt", "notice", "answer", "tool_input", "error", "last_prompt", "note")
_MIN_CHARACTERS = 3
# What is written because of an event is dated so much later at most; two sessions that are as near share the time.
_NEAR_SECONDS = 2
_SIGNS = re.compile(r"[\W_]+")
_ESCAPES = re.compile(r"\\[ntr\"/\\]")
_APART = " \n "


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing found in a session: its kind, a line about it, when and in which session (`agent/id`) it was.

    `keep` writes it down and returns whether anything was new. It is idempotent for ever: what identifies a finding
    comes from the session and its text, never from the clock, so that harvesting twice adds nothing.
    """

    kind: str
    text: str
    at: str
    session: str
    keep: Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Change:
    """A step of a plan to forget; `do` carries it out. What stays has nothing to do, and is told."""

    step: Step
    do: Callable[[], object] | None = None


def folded(text: str) -> str:
    """Return the words of a text in small letters, without signs."""
    return _SIGNS.sub(" ", _ESCAPES.sub(" ", text).casefold()).strip()


class ForgetTarget:
    """A session that a person wants forgotten: its name (`agent/id`), what it said, and when it was at work.

    All that is known of its words is gathered from the archive and the journal and from what features noted of it,
    before any of that goes. Compared are words without signs and case, so that a cut or a bullet does not count.
    """

    def __init__(self, workspace: Workspace, name: str, noted: Iterable[str] = ()) -> None:
        self.workspace, self.home, self.name = workspace, workspace.home, name
        self.agent, _, self.session = name.partition("/")
        self._archive = Archive(workspace.home)
        self.times: set[str] = set()
        # When hooks heard of each session.
        self._heard: dict[str, set[str]] = {}
        self._spans: dict[str, tuple[str, str]] = {}
        self._vocabulary: set[str] = set()
        corpus = []
        for text in chain(self._journalled(), self._archived(), noted):
            words = folded(text)
            self._vocabulary.update(words.split(" "))
            corpus.append(words)
        self._corpus = f" {_APART.join(corpus)} "
        self._spans[name] = self.span(name)

    @property
    def is_known(self) -> bool:
        """Whether anything of what was said is known."""
        return bool(self._corpus.strip())

    def is_of(self, agent: object, session: object) -> bool:
        """Whether something that names an agent and a session comes from this one."""
        return (agent, session) == (self.agent, self.session)

    def in_rows(self, place: tuple[str, ...], forget: Callable[[str, str, str], object], what: str) -> list[Change]:
        """Return the change of a file of rows below the home, in a list of one, where the session is named in it."""
        if rows.encoded(self.session) not in files.read_if_there(os.path.join(self.home, *place)):
            return []
        return [Change(Step("redact", "/".join(place), what), partial(forget, self.home, self.agent, self.session))]

    def says(self, text: str) -> bool:
        """Whether the session says these words, one after the other; of a text that was cut the last may go on."""
        key = folded(text)
        if len(key) < _MIN_CHARACTERS:
            return False
        is_cut = text.rstrip(" ]").endswith("...")
        words = key.split(" ")
        # A session may be long, and most lines have a word that it never said.
        if not self._vocabulary.issuperset(words[:-1] if is_cut else words):
            return False
        return f" {key}{'' if is_cut else ' '}" in self._corpus

    def was_at(self, at: str, others: tuple[str, ...]) -> bool:
        """Whether it was at work at a time, and none of the others was, as far as anybody knows."""
        there = clock.seconds(at)
        if any(
            abs(there - clock.seconds(one)) <= _NEAR_SECONDS for name in others for one in self._heard.get(name, ())
        ):
            return False
        if at in self.times:
            return True
        return _is_within(at, self._spans[self.name]) and not any(_is_within(at, self.span(one)) for one in others)

    def span(self, name: str) -> tuple[str, str]:
        """Return when a session began and ended; nothing where nobody knows."""
        first, last = self._spans.get(name, ("", ""))
        try:
            session = self._archive.session(name)
        except HoldfastError:
            return first, last
        times = [one for one in (first, last, session.started[:19] + "Z", session.ended[:19] + "Z") if len(one) > 1]
        return (min(times), max(times)) if times else ("", "")

    def files_of(self, names: tuple[str, ...]) -> frozenset[str]:
        """Return the files that other sessions changed, as their digests name them."""
        found: set[str] = set()
        for name in names:
            try:
                found.update(one.path for one in self._archive.digest(name).files)
            except HoldfastError:
                continue
        return frozenset(found)

    def _journalled(self) -> Iterator[str]:
        for event in self.workspace.journal.events():
            agent, session = event.data.get("agent"), event.data.get("session")
            if not isinstance(session, str) or not session:
                continue
            name = f"{agent}/{session}"
            first, last = self._spans.get(name, (event.at, event.at))
            self._spans[name] = min(first, event.at), max(last, event.at)
            self._heard.setdefault(name, set()).add(event.at)
            if name == self.name:
                self.times.add(event.at)
                yield from (str(event.data[field]) for field in _TOLD if field in event.data)

    def _archived(self) -> Iterator[str]:
        for earlier in (False, True):
            try:
                for event in self._archive.events(self.name, earlier=earlier):
                    yield from (event.text, event.input, event.output)
            except HoldfastError:
                continue
        try:
            digest = asdict(self._archive.digest(self.name))
        except HoldfastError:
            return
        for field in digest.keys() - {"session"}:
            yield from _texts_in(digest[field])


def _is_within(at: str, span: tuple[str, str]) -> bool:
    return bool(span[0]) and span[0] <= at <= span[1]


def _texts_in(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from _texts_in(each)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _texts_in(each)
