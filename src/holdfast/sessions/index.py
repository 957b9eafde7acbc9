"""Sessions on their way into the index: their row, changed files, spends and passages. All of it is derived.

A sweep calls `Indexing.take` with each cleaned event as it passes and `done` with the digest. Several sessions may be
written together, within `Indexing.transaction()`: that takes a third of the time, and the index is locked for a moment
only. A cursor may be written when they are flushed and not before. What a crash leaves out, and
what lost its raw events to the budget, `settle` puts right.

Searched can be what was said in a session, in pieces, and what its digest says. Only what a person, the agent, the
task of a sub-agent or the summary of a compaction said is taken; never what a program put in, nor what Holdfast itself
handed over. What one session may bring is bounded, and what is beyond is counted.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from holdfast import project as projects
from holdfast.base import files
from holdfast.base.structs import dataclass
from holdfast.base.text import count
from holdfast.errors import HoldfastError, StoreBusy
from holdfast.project import free_id, home_folder
from holdfast.project.registry import Known, Registry
from holdfast.recall.embed import Model
from holdfast.recall.meaning import model_of
from holdfast.recall.vectors import in_portions, make_vectors
from holdfast.records import Scope, Session, SessionEvent, Spend, replace
from holdfast.sessions import names
from holdfast.sessions.archive import Archive, ArchiveEntry
from holdfast.sessions.facts import Digest, FileChange
from holdfast.store.passages import PassageSource
from holdfast.store.session_table import FileRow, SessionRow
from holdfast.workspace import Workspace

if TYPE_CHECKING:
    from holdfast.store.base import Progress, Tables
    from holdfast.store.passages import Told

# What waits to be written together is bounded.
_MAX_WAITING = 500
_MAX_WAITING_CHARACTERS = 8_000_000
_TOGETHER = 50
# What was said, by whom, in which event (-1 for the digest), when, and in which folder. A plain tuple, because a
# sweep makes very many of them.
Piece = tuple[str, str, int, str, str]

SPOKEN = frozenset(("human", "assistant", "choice", "task", "summary"))
DIGEST = "digest"
LONGEST = 1_200
MAX_PIECES = 5_000
MAX_CHARACTERS = 8_000_000
# Where a long text is cut, the best first; a cut in the first half of a piece is none.
_ENDS = ("\n\n", "\n", ". ", " ")
# A session that changes its folder at each step must not fill the memory.
_MAX_FOLDERS = 50_000
_BY_CONTENT = ("remote", "repository", "marker")


class ProjectOf:
    """Called with a folder it returns the id of its project, or nothing where it is none; it only looks."""

    def __init__(self, registry: Registry, override: str = "") -> None:
        self._registry = registry
        self._override = override
        self._known: Known | None = None
        self._found: dict[str, str] = {}
        self._above: dict[str, str] = {}

    def __call__(self, folder: str) -> str:
        if self._override:
            return self._override
        if not folder.startswith("/") or "\0" in folder:
            return ""
        found = self._found.get(folder)
        if found is None:
            found = ""
            with suppress(HoldfastError, OSError, ValueError):
                if os.path.isdir(folder):
                    found = projects.resolve(folder, self._registry).id
                else:
                    found = self._gone(os.path.normpath(folder))
            if len(self._found) < _MAX_FOLDERS:
                self._found[folder] = found
        return found

    def _gone(self, folder: str) -> str:
        """Return the project of a folder that is not there: as it was known, or of what it lay in, or by its path."""
        if self._known is None:
            self._known = self._registry.known()
        recorded = self._known.ids_at(folder)
        if recorded:
            return self._known.canonical(recorded[-1])
        above = os.path.dirname(folder)
        while not os.path.isdir(above):
            above = os.path.dirname(above)
        if above not in self._above:
            self._above[above] = self._by_content(above)
        return self._above[above] or self._known.canonical(free_id(os.path.basename(folder), folder, self._known))

    def _by_content(self, folder: str) -> str:
        """Return the project of a folder that git or a marker names, so that it holds for all that lay in it."""
        if folder in ("/", home_folder()):
            return ""
        found = projects.resolve(folder, self._registry)
        return found.id if found.rule in _BY_CONTENT else ""


class Talk:
    """What is said in a session: `take` its events in order. `cut` counts the pieces beyond the bounds."""

    def __init__(self) -> None:
        self.pieces: list[Piece] = []
        self.cut = 0
        self._room = MAX_CHARACTERS

    def take(self, event: SessionEvent) -> None:
        """Take one event, if somebody speaks in it."""
        if event.role not in SPOKEN:
            return
        whole = event.text.strip()
        for text in cut(whole) if len(whole) > LONGEST else (whole,) if whole else ():
            if len(self.pieces) >= MAX_PIECES or len(text) > self._room:
                self.cut += 1
                continue
            self._room -= len(text)
            self.pieces.append((text, event.role, event.place, event.at, event.folder))


def cut(text: str) -> Iterator[str]:
    """Yield a text in pieces of at most LONGEST characters, cut at the end of a paragraph where there is one."""
    text = text.strip()
    start = 0
    while len(text) - start > LONGEST:
        ends = ((text.rfind(sign, start + LONGEST // 2, start + LONGEST), len(sign)) for sign in _ENDS)
        end = next((at + length for at, length in ends if at > 0), start + LONGEST)
        piece = text[start:end].strip()
        if piece:
            yield piece
        start = end
    if piece := text[start:].strip():
        yield piece


def of_digest(digest: Digest, *, talked: bool) -> list[Piece]:
    """Return what a digest says, short facts together; what people said only where their own words are gone."""
    at = digest.session.ended or digest.session.started
    pieces: list[Piece] = []
    text = ""
    for line in _lines(digest, talked):
        if text and len(text) + len(line) + 1 > LONGEST:
            pieces.append((text, DIGEST, -1, at, ""))
            text = ""
        text = f"{text}\n{line}" if text else line[:LONGEST]
    return [*pieces, (text, DIGEST, -1, at, "")] if text else pieces


def _lines(digest: Digest, talked: bool) -> Iterator[str]:
    if digest.title:
        yield digest.title
    if not talked:
        yield from _listed("asked", [one.text for one in (digest.first_ask, *digest.between, digest.last_ask) if one])
        yield from _listed(
            "concluded", [one.text for one in (*digest.conclusions, digest.conclusion, digest.question) if one]
        )
        yield from (f"{one.kind}: {one.text}" for one in digest.said)
    yield from changes_of(digest.files)
    yield from _listed("ran", [one.text for one in (*digest.checks, *digest.commands)])
    yield from _listed("committed", [one.text for one in digest.commits])
    yield from _listed("opened", [one.text for one in digest.pull_requests])
    yield from (f"error in {one.about}, {one.ended}: {one.text}" for one in digest.troubles)


def changes_of(files: Iterable[FileChange]) -> Iterator[str]:
    """Yield what files were changed, as many on a line as a piece has room for."""
    return _listed("changed", [one.path for one in files])


def _listed(name: str, facts: Iterable[str]) -> Iterator[str]:
    """Yield the facts after their name, as many on a line as a piece has room for."""
    line = ""
    for fact in facts:
        if not fact:
            continue
        if line and len(line) + len(fact) + 2 > LONGEST:
            yield line
            line = ""
        line = f"{line}, {fact}" if line else f"{name}: {fact}"
    if line:
        yield line


@dataclass(frozen=True, slots=True)
class _Ready:
    """A session as it is written."""

    row: SessionRow
    files: list[FileRow]
    spends: tuple[Spend, ...]
    source: PassageSource
    characters: int
    passages: dict[Scope, list[Told]]


class Indexing:
    """Takes sessions one after the other: each event, then the digest. `project_of` says which project a folder is.

    Within `transaction` several are written together, when it ends; without, each at once.
    """

    def __init__(self, workspace: Workspace, project_of: Callable[[str], str]) -> None:
        self._workspace = workspace
        self._project_of = project_of
        self._at_once = True
        self._waiting: list[_Ready] = []
        self._talk = Talk()
        self.take = self._talk.take

    def clear(self) -> None:
        """Let go of the events that were taken: their session does not come."""
        self._talk = Talk()
        self.take = self._talk.take

    def done(self, digest: Digest, *, talk: bool = True) -> None:
        """Write the session in place of what the index had of it; `talk` says that its raw events are kept."""
        said = self._talk
        self.clear()
        self._waiting.append(_ready(digest, said, talk, _Places(digest.session, self._project_of)))
        characters = sum([one.characters for one in self._waiting])
        if self._at_once or len(self._waiting) >= _MAX_WAITING or characters >= _MAX_WAITING_CHARACTERS:
            self._flush()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Write what is done within the block together, when it ends; after an error the rest is not written."""
        before, self._at_once = self._at_once, False
        try:
            yield
            self._flush()
        finally:
            self._at_once = before
            self._waiting.clear()

    def _flush(self) -> None:
        def write(tables: Tables) -> None:
            with tables.begin():
                for one in self._waiting:
                    tables.sessions.put(one.row, one.files, one.spends)
                    tables.passages.put(one.source, one.passages)

        if self._waiting:
            # A home that was made a moment ago has no index open yet.
            self._workspace.store.refresh(())
            self._workspace.store.ask(write)
            self._waiting.clear()


class _Places:
    """Which project the folders of one session are."""

    def __init__(self, session: Session, project_of: Callable[[str], str]) -> None:
        self._project_of = project_of
        self._folder = session.folder
        self.own = session.project or (project_of(session.folder) if session.folder else "")
        self._known = {"": self.own, session.folder: self.own}

    def project(self, folder: str) -> str:
        """Return the project of a folder; one that is gone and lay below the session's is of the session's."""
        found = self._known.get(folder)
        if found is None:
            found = self._project_of(folder)
            if not found and self._folder and folder.startswith(self._folder.rstrip("/") + "/"):
                found = self.own
            self._known[folder] = found
        return found

    def scope(self, folder: str) -> Scope:
        """Return who may see what was said in a folder. A project without an id is seen by nobody but everywhere."""
        return Scope("project", self.project(folder))


def drop_all(workspace: Workspace, gone: list[str]) -> None:
    """Take sessions out of the index."""

    def write(tables: Tables) -> None:
        with tables.begin():
            sessions, passages = tables.sessions, tables.passages
            for name in gone:
                sessions.drop(name)
                passages.drop(name)

    if gone:
        workspace.store.ask(write)


def rebuild(workspace: Workspace, archive: Archive, progress: Progress | None = None) -> int:
    """Put every session of the archive into the index again; searching goes on meanwhile. Return how many are in it."""
    return settle(workspace, archive, progress, anew=True)


def complete(workspace: Workspace, archive: Archive) -> None:
    """Fill the index from the archive, where that was not done since the index was made."""
    if not workspace.store.ask(lambda tables: tables.sessions.is_complete()):
        number = settle(workspace, archive, workspace.progress)
        if number:
            workspace.say(f"put {count(number, 'session')} of the archive into index.db")


def settle(workspace: Workspace, archive: Archive, progress: Progress | None = None, *, anew: bool = False) -> int:
    """Bring the index into line with the archive: what is missing, gone or lost its events. Return how many came in."""
    workspace.store.refresh(())
    known = workspace.store.ask(lambda tables: tables.sessions.talks())
    entries = {entry.name: entry for entry in archive.entries() if entry.digest_bytes}
    wanted = [one for one in entries.values() if anew or known.get(one.name) != bool(one.raw_bytes)]
    indexing = Indexing(workspace, ProjectOf(workspace.registry, workspace.settings.text("project.id")))
    done = 0
    for start in range(0, len(wanted), _TOGETHER):
        with indexing.transaction():
            for entry in wanted[start : start + _TOGETHER]:
                done += _index_one(workspace, archive, entry, indexing)
        if progress:
            progress(min(start + _TOGETHER, len(wanted)), len(wanted))
    drop_all(workspace, [name for name in known if name not in entries])
    workspace.store.ask(lambda tables: tables.sessions.finished())
    return done


def _index_one(workspace: Workspace, archive: Archive, entry: ArchiveEntry, indexing: Indexing) -> bool:
    """Index a session as the archive has it. What cannot be read is said, does not stop the others, and is False."""
    try:
        digest = archive.digest(entry.name)
        if entry.raw_bytes:
            try:
                events = archive.events(entry.name)
                for event in events:
                    indexing.take(event)
                broken = f"{events.problem.path}: {events.problem.text}" if events.problem else ""
            except HoldfastError as problem:
                broken = str(problem)
            if broken:
                workspace.say(f"{entry.name} is only in part in the index: {broken}")
        indexing.done(digest, talk=bool(entry.raw_bytes))
    except HoldfastError as problem:
        indexing.clear()
        workspace.say(f"{entry.name} is not in the index: {problem}")
        return False
    return True


def _ready(digest: Digest, said: Talk, talk: bool, places: _Places) -> _Ready:
    session = digest.session
    name = f"{session.agent}/{names.known_id(session.id)}"
    pieces = [*said.pieces, *_facts(digest, bool(said.pieces), places)]
    row = _row(name, digest, places.own, talk, len(pieces), said.cut)
    source = PassageSource(name, places.scope(""), session.agent, "session", row.title, session.started)
    spends = session.spends
    if not spends and session.cost != type(session.cost)():
        # A session that does not tell days spent everything when it began.
        spends = (Spend(session.started[:10], session.models[0] if session.models else "", session.cost),)
    characters = sum([len(piece[0]) for piece in pieces])
    return _Ready(row, _files(digest, places), spends, source, characters, _passages(pieces, places))


def _facts(digest: Digest, talked: bool, places: _Places) -> list[Piece]:
    """Return what the digest says; files of another project are told there and not here."""
    elsewhere: dict[str, list[FileChange]] = {}
    for one in digest.files:
        if one.folder and places.project(one.folder) != places.own:
            elsewhere.setdefault(one.folder, []).append(one)
    if not elsewhere:
        return of_digest(digest, talked=talked)
    here = tuple(one for one in digest.files if one.folder not in elsewhere)
    at = digest.session.ended or digest.session.started
    told = [(line, DIGEST, -1, at, folder) for folder, changed in elsewhere.items() for line in changes_of(changed)]
    return [*of_digest(replace(digest, files=here), talked=talked), *told]


def _passages(pieces: list[Piece], places: _Places) -> dict[Scope, list[Told]]:
    """Return the pieces by who may see them: what was said one beside the other, facts of the digest each alone."""
    found: dict[Scope, list[Told]] = {}
    place = -1
    before: str | None = None
    listed: list[Told] = []
    for text, speaker, event, at, folder in pieces:
        place += 1 if event >= 0 else 2
        if folder != before:
            before, listed = folder, found.setdefault(places.scope(folder), [])
        listed.append((place, text, str(event) if event >= 0 else "", speaker, at))
    return found


def _row(name: str, digest: Digest, project: str, talk: bool, passages: int, cut: int) -> SessionRow:
    session, cost = digest.session, digest.session.cost
    return SessionRow(
        *(name, session.agent, name.partition("/")[2], digest.title, project, session.folder),
        branches=_one_line_each(digest.branches or ((session.branch,) if session.branch else ())),
        started=session.started or session.ended,
        ended=session.ended or session.started,
        outcome=digest.outcome.kind,
        confidence=digest.outcome.confidence,
        parent=session.parent,
        is_subagent=session.is_subagent,
        models=_one_line_each(session.models),
        events=session.events,
        asks=digest.asks,
        calls=digest.calls,
        failed_calls=digest.failed_calls,
        files=len(digest.files) + dict(digest.left_out).get("files", 0),
        commits=_one_line_each(one.text or one.id for one in digest.commits),
        pull_requests=_one_line_each(one.text for one in digest.pull_requests),
        **{kind: getattr(cost, kind) for kind in ("input", "output", "cache_read", "cache_write", "reasoning")},
        dollars=digest.dollars,
        dollars_from=digest.dollars_from,
        talk=talk,
        passages=passages,
        cut=cut,
    )


def _one_line_each(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(" ".join(text.split()) for text in texts if text.strip())


def _files(digest: Digest, places: _Places) -> list[FileRow]:
    session = digest.session
    at = session.ended or session.started
    return [
        FileRow(
            *(one.path, names.whole_path(one.folder or session.folder, one.path), one.changes, at),
            *(one.place, places.project(one.folder or session.folder)),
        )
        for one in digest.files
    ]


def make_passage_vectors(workspace: Workspace, seconds: float, model: Model | None = None) -> int:
    """Make vectors of passages that have none yet, the newest first, for so long at most; return how many were made."""
    model = model or model_of(workspace)
    if model is None:
        return 0
    try:
        with files.lock_of(workspace.home, "passage-meaning", seconds=0.0):
            return in_portions(
                lambda size: workspace.store.ask(lambda tables: make_vectors(tables.passages, model, size)),
                time.monotonic() + seconds,
            )
    except StoreBusy:
        # Another process makes them just now.
        return 0


def waiting_passages(workspace: Workspace) -> int:
    """Return how many passages have no vector yet."""
    return workspace.store.ask(lambda tables: tables.passages.waiting())
