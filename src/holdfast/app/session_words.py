"""The words of one session: all that is known of what was said and done in it, to tell what elsewhere comes from it.

They are gathered from the archive, the journal, the session's own files in `state/`, its ratings and its entries in the
daily log, before any of that goes. Compared are words without signs and case, so that a cut or a bullet does not count.
"""

from __future__ import annotations

import re

from holdfast.continuity import open_sessions
from holdfast.errors import HoldfastError
from holdfast.journal.events import Journal
from holdfast.learning.ratings import model as signals
from holdfast.learning.work import session_log
from holdfast.records import asdict
from holdfast.sessions.archive import Archive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.continuity.open_sessions import Opened

# What a hook's event tells in words; its other fields are names of things.
_TOLD = ("prompt", "answer", "tool_input", "error", "last_prompt", "note")
_MIN = 3
_SIGNS = re.compile(r"[\W_]+")
_ESCAPES = re.compile(r"\\[ntr\"/\\]")
_APART = " \n "


def folded(text: str) -> str:
    """Return the words of a text in small letters, without signs."""
    return _SIGNS.sub(" ", _ESCAPES.sub(" ", text).casefold()).strip()


class SessionWords:
    """What the session of that name (`agent/id`) said, and when it was at work."""

    def __init__(self, home: str, name: str) -> None:
        self.home, self.name = home, name
        self.agent, _, self.session = name.partition("/")
        self._archive = Archive(home)
        self.times: set[str] = set()
        self._spans: dict[str, tuple[str, str]] = {}
        self._vocabulary: set[str] = set()
        self._corpus = f" {_APART.join(self._gathered())} "
        self._spans[name] = self.span(name)

    @property
    def is_known(self) -> bool:
        """Whether anything of what was said is known."""
        return bool(self._corpus.strip())

    def says(self, text: str) -> bool:
        """Whether the session says these words, one after the other; of a text that was cut the last may go on."""
        key = folded(text)
        if len(key) < _MIN:
            return False
        is_cut = text.rstrip(" ]").endswith("...")
        words = key.split(" ")
        # A session may be long, and most lines have a word that it never said.
        if not self._vocabulary.issuperset(words[:-1] if is_cut else words):
            return False
        return f" {key}{'' if is_cut else ' '}" in self._corpus

    def was_at(self, at: str, others: tuple[str, ...]) -> bool:
        """Whether it was at work at a time, and none of the others was, as far as anybody knows."""
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

    def open_files(self) -> list[Opened]:
        """Return what the session left in `state/open/`, of every project."""
        return [one for one in open_sessions.every(self.home) if (one.agent, one.session) == (self.agent, self.session)]

    def _gathered(self) -> Iterator[str]:
        for texts in (self._journalled(), self._archived(), self._noted()):
            for text in texts:
                words = folded(text)
                self._vocabulary.update(words.split(" "))
                yield words

    def _journalled(self) -> Iterator[str]:
        for event in Journal(self.home).events():
            agent, session = event.data.get("agent"), event.data.get("session")
            if not isinstance(session, str) or not session:
                continue
            name = f"{agent}/{session}"
            first, last = self._spans.get(name, (event.at, event.at))
            self._spans[name] = min(first, event.at), max(last, event.at)
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

    def _noted(self) -> Iterator[str]:
        for one in self.open_files():
            yield from (text for kind, text, _ in one.rows if kind not in ("known", "transcript", "read"))
        for noted in session_log.sessions(self.home):
            if (noted.agent, noted.session) == (self.agent, self.session):
                yield from (*(text for _, text, _ in noted.rows), noted.pending)
        for rating in signals.read(self.home):
            if (rating.agent, rating.session) == (self.agent, self.session):
                yield from (rating.comment, rating.text)


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
