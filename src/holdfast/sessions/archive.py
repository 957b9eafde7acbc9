"""The archive of sessions: a raw file and a digest of each, pins, and what was forgotten.

    archive/raw/<agent>/<id>.jsonl.zst          the cleaned events (raw.py has the form), within the byte budget
    archive/raw/<agent>/<id>.earlier.jsonl.zst  what the session told before its transcript was rewritten shorter
    archive/digests/<agent>/<id>.json           the digest; stays when the raw file goes
    archive/pins.txt                            one session a line, whose raw file stays
    archive/forgotten.txt                       hashes of the names of sessions that must not come back

**Identity.** A session is `agent/id`; names.py has the names of the files. Nothing else knows them.

**Atomic** is each single file. The raw file comes first, the digest then takes over its time: a session is *analysed*
when both have the same time, or when there is only a digest. So a kill between the two leaves one to be analysed.

**Loss.** `drop_raw` takes the raw file, `forget` everything. Nothing else removes. No link is written through.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from operator import attrgetter
from urllib.parse import quote, unquote

from holdfast.base import files, rows
from holdfast.base.pending_file import PendingFile
from holdfast.base.structs import dataclass
from holdfast.base.text import hash_of
from holdfast.errors import BadInput, BrokenFile, Forgotten, HoldfastError, NotFound
from holdfast.records import Problem, Session, Step
from holdfast.sessions import facts, names
from holdfast.sessions.facts import Digest
from holdfast.sessions.raw import RawEvents, RawWriter, ended_at, session_in
from holdfast.sessions.sealing import FORGOTTEN

# The pass of the budget that may drop what was never analysed.
LOSES_DATA = "hard-unanalysed"
_RAW, _EARLIER, _DIGEST = ".jsonl.zst", ".earlier.jsonl.zst", ".json"
_NAMED_CANDIDATES = 5
_MAX_DIGEST = 4 * 2**20
_MILLISECOND = 1_000_000


@dataclass(frozen=True, slots=True)
class ArchiveEntry:
    """One session in the archive as its files tell by their names, sizes and times. `at` is the end of the session."""

    name: str
    agent: str
    id: str
    raw_bytes: int = 0
    digest_bytes: int = 0
    analysed: bool = False
    pinned: bool = False
    at: str = ""


@dataclass(frozen=True, slots=True)
class Usage:
    """How many bytes the raw files take, and how many the digests."""

    raw: int = 0
    distilled: int = 0


@dataclass(frozen=True, slots=True)
class Applied:
    """What was really done of a plan; `unreadable` are sessions that were kept as their digest cannot be read."""

    steps: tuple[Step, ...]
    unreadable: dict[str, Problem]


class Archive:
    """The archive in one home. Nothing is made on the disk before something is stored."""

    def __init__(self, home: str) -> None:
        self.home = home
        self.root = os.path.join(home, "archive")
        self._forgotten: tuple[tuple[int, int, int], frozenset[str]] = ((0, 0, 0), frozenset())
        self._looked_at: set[str] | None = None

    @contextmanager
    def looking_once(self) -> Iterator[None]:
        """Look once at each folder, for a link on the way to it, within the block; else it is done for each file."""
        self._looked_at = set()
        try:
            yield
        finally:
            self._looked_at = None

    def writing(self, agent: str) -> RawWriter:
        """Return a writer of one raw file; it is kept under the name that the session has in the end."""
        folder = self._folder("raw", names.stem_of(agent))
        return RawWriter(folder, self._place_to_write)

    def put_digest(self, digest: Digest) -> None:
        """Make the digest of a session durable, as the one of its raw file if there is one."""
        at = 0
        with suppress(OSError):
            at = os.lstat(self._path("raw", digest.session.name, _RAW)).st_mtime_ns
        pending = self.pending_digest(digest, at)
        try:
            pending.sync()
            files.sync_folder(self.settle_digest(digest.session.name, pending))
        finally:
            pending.discard()

    def pending_digest(self, digest: Digest, at: int) -> PendingFile:
        """Write a digest beside its place, with the time of its raw file; it waits to be synced and settled."""
        pending = PendingFile(self._folder("digests", names.stem_of(digest.session.agent)))
        try:
            pending.write(facts.encode(digest))
            pending.close(at or ended_at(digest.session))
        except BaseException:
            pending.discard()
            raise
        return pending

    def settle_digest(self, name: str, pending: PendingFile) -> str:
        """Put the digest of that session in its place; return the folder, whose names are not durable yet."""
        self._refuse_forgotten(name)
        pending.settle(self._path("digests", name, _DIGEST))
        return pending.folder

    def digest(self, name: str) -> Digest:
        """Return the digest of a session, or raise NotFound or BrokenFile."""
        return _decoded(self._path("digests", name, _DIGEST))

    def digests(self, problems: list[Problem] | None = None) -> Iterator[Digest]:
        """Yield every digest, by agent and id; a file that cannot be read is added to the problems."""
        for agent in self._agents("digests"):
            folder = os.path.join(self.root, "digests", names.stem_of(agent))
            for name in sorted(files.names_in(folder, hidden=True)):
                if not name.endswith(_DIGEST) or names.text_of(name.removesuffix(_DIGEST)) is None:
                    continue
                path = os.path.join(folder, name)
                try:
                    yield _decoded(path)
                except NotFound:
                    continue
                except HoldfastError as problem:
                    if problems is not None:
                        problems.append(Problem("digest", path, str(problem), problem.hint))

    def has(self, name: str) -> bool:
        """Whether the archive holds a raw file or a digest of that session."""
        return self.has_raw(name) or os.path.lexists(self._path("digests", name, _DIGEST))

    def has_raw(self, name: str) -> bool:
        """Whether the archive holds the raw file of that session."""
        return os.path.lexists(self._path("raw", name, _RAW))

    def has_earlier(self, name: str) -> bool:
        """Whether the archive holds what the session told before its transcript was rewritten shorter."""
        return os.path.lexists(self._path("raw", name, _EARLIER))

    def events(self, name: str, *, earlier: bool = False) -> RawEvents:
        """Return the events of a session, to be walked once; NotFound where its raw file is gone."""
        try:
            return RawEvents(self._path("raw", name, _EARLIER if earlier else _RAW))
        except NotFound:
            hint = "Its digest stays." if self.has(name) else "`holdfast sessions` lists what there is."
            raise NotFound(f"the archive has no events of {name}", hint) from None

    def session(self, name: str) -> Session:
        """Return the facts of a session, by its raw file or else by its digest."""
        try:
            return session_in(self._path("raw", name, _RAW))
        except (NotFound, BrokenFile) as problem:
            try:
                return self.digest(name).session
            except NotFound:
                raise problem from None

    def entries(self) -> list[ArchiveEntry]:
        """Return every session in the archive, oldest first. No file is opened but the pins."""
        found: dict[tuple[str, str], dict[str, os.stat_result]] = {}
        for kind, endings in (("raw", (_EARLIER, _RAW)), ("digests", (_DIGEST,))):
            for agent in self._agents(kind):
                for name, status in _stats(os.path.join(self.root, kind, names.stem_of(agent))):
                    ending = next((one for one in endings if name.endswith(one)), "")
                    id = names.text_of(name.removesuffix(ending)) if ending else None
                    if id is not None:
                        found.setdefault((agent, id), {})[ending] = status
        pins = self.pins()
        return sorted((_entry(*key, stored, pins) for key, stored in found.items()), key=attrgetter("at", "name"))

    def usage(self) -> Usage:
        """Return how many bytes the archive takes."""
        return Usage(self._bytes("raw", (_EARLIER, _RAW)), self._bytes("digests", (_DIGEST,)))

    def _bytes(self, kind: str, endings: tuple[str, ...]) -> int:
        folders = [os.path.join(self.root, kind, names.stem_of(agent)) for agent in self._agents(kind)]
        return sum(one.st_size for folder in folders for name, one in _stats(folder) if name.endswith(endings))

    def resolve(self, text: str, *, resumed: bool = False) -> str:
        """Return the name of the session that a text means: its name, its id, or a part that only one id has.

        With `resumed` the first id of a session that went on under another one means that one, if nothing else has it.
        """
        if "/" in text and self.has(text):
            return text
        found = _matching(self.entries(), text.strip())
        if not found and resumed:
            # Seldom, so every digest may be read for it.
            told = [one.session for one in self.digests() if one.session.parent and not one.session.is_subagent]
            found = _matching([ArchiveEntry(one.name, one.agent, one.parent) for one in told], text.strip())
        if not found:
            raise NotFound(f"there is no session {text[:80]!r}", "`holdfast sessions` lists what there is.")
        if len(found) > 1:
            shown = ", ".join(found[:_NAMED_CANDIDATES]) + (" ..." if len(found) > _NAMED_CANDIDATES else "")
            raise BadInput(f"{text[:80]!r} means {len(found)} sessions: {shown}", "Give more of the id, or AGENT/ID.")
        return found[0]

    def drop_raw(self, name: str) -> None:
        """Remove the raw file of a session; its digest stays."""
        files.remove(self._path("raw", name, _EARLIER))
        files.remove(self._path("raw", name, _RAW))

    def apply(self, steps: tuple[Step, ...]) -> Applied:
        """Drop the raw files of a plan one by one, each only where its digest can be read, but for the last pass."""
        done: list[Step] = []
        unreadable: dict[str, Problem] = {}
        for step in steps:
            try:
                if step.act != LOSES_DATA:
                    self.digest(step.target)
            except HoldfastError as problem:
                path = self._path("digests", step.target, _DIGEST)
                unreadable[step.target] = Problem("digest", path, f"{problem}; its raw file is kept", problem.hint)
                continue
            self.drop_raw(step.target)
            done.append(step)
        return Applied(tuple(done), unreadable)

    def forget(self, name: str) -> None:
        """Remove everything of a session and take care that no sweep brings it back."""
        with self._lock():
            # The note comes first: a kill half-way leaves something to remove, never something that comes back.
            if not self.is_forgotten(name):
                rows.append(os.path.join(self.home, FORGOTTEN), [name_hash(name)])
        for path in self._paths(name):
            files.remove(path)
        self.unpin(name)

    def is_forgotten(self, name: str) -> bool:
        """Whether a person forgot this session."""
        return name_hash(name) in self._forgotten_hashes()

    def pin(self, name: str) -> None:
        """Keep the raw file of a session whatever the budget says."""
        if not self.has(name):
            raise NotFound(f"the archive has no session {name}", "`holdfast sessions` lists what there is.")
        with self._lock():
            if _known(name) not in self.pins():
                # What would break the line is written as `%xx`.
                line = quote(_known(name), safe="/:;,@+=~!$&'()*[]{}^| ", errors="surrogatepass")
                rows.append(self._pins, [line])

    def unpin(self, name: str) -> None:
        """Let the budget have the raw file of a session again."""
        if os.path.lexists(self._pins):
            with self._lock():
                rows.rewrite(self._pins, lambda line: b"" if _read_name(line) == _known(name) else None)

    def pins(self) -> frozenset[str]:
        """Return the names of the pinned sessions."""
        return frozenset(name for name in map(_read_name, rows.read(self._pins)) if name)

    @property
    def _pins(self) -> str:
        return os.path.join(self.root, "pins.txt")

    def clear_leftovers(self) -> int:
        """Remove what kills left half-written or half-forgotten; return how many files. Only while no sweep runs."""
        left = [
            os.path.join(self.root, kind, names.stem_of(agent), name)
            for kind in ("raw", "digests")
            for agent in self._agents(kind)
            for name in files.names_in(os.path.join(self.root, kind, names.stem_of(agent)), hidden=True)
            if name.startswith(files.TEMPORARY)
        ]
        if self._forgotten_hashes():
            half_forgotten = [entry.name for entry in self.entries() if self.is_forgotten(entry.name)]
            left += [path for name in half_forgotten for path in self._paths(name) if os.path.lexists(path)]
        for path in left:
            files.remove(path)
        return len(left)

    def _paths(self, name: str) -> list[str]:
        """Return every file that a session can have."""
        kinds = (("raw", _EARLIER), ("raw", _RAW), ("digests", _DIGEST))
        return [self._path(kind, name, ending) for kind, ending in kinds]

    def _place_to_write(self, session: Session) -> tuple[str, str]:
        """Return where the raw file of a session goes, and where what it told earlier."""
        self._refuse_forgotten(session.name)
        return self._path("raw", session.name, _RAW), self._path("raw", session.name, _EARLIER)

    def _refuse_forgotten(self, name: str) -> None:
        if self.is_forgotten(name):
            raise Forgotten(f"the session {name} was forgotten", "Delete archive/forgotten.txt to let all come back.")

    def _path(self, kind: str, name: str, ending: str) -> str:
        agent, id = names.split(name)
        return os.path.join(self._folder(kind, names.stem_of(agent)), names.stem_of(id) + ending)

    def _folder(self, kind: str, agent_stem: str) -> str:
        folder = os.path.join(self.root, kind, agent_stem)
        if self._looked_at is not None and folder in self._looked_at:
            return folder
        files.refuse_links(self.home, f"archive/{kind}/{agent_stem}")
        if self._looked_at is not None:
            self._looked_at.add(folder)
        return folder

    def _agents(self, kind: str) -> list[str]:
        """Return the agents that have a folder of that kind."""
        folder = os.path.join(self.root, kind)
        if files.link_on_the_way(self.home, f"archive/{kind}"):
            return []
        stems = [
            name for name in files.names_in(folder, hidden=True) if files.is_plain_folder(os.path.join(folder, name))
        ]
        return sorted(agent for agent in map(names.text_of, stems) if agent)

    def _forgotten_hashes(self) -> frozenset[str]:
        path = os.path.join(self.home, FORGOTTEN)
        try:
            status = os.lstat(path)
        except OSError:
            return frozenset()
        mark = (status.st_ino, status.st_size, status.st_mtime_ns)
        if mark != self._forgotten[0]:
            self._forgotten = (mark, frozenset(files.read_if_there(path).decode("ascii", "replace").split()))
        return self._forgotten[1]

    def _lock(self) -> files.Lock:
        files.refuse_links(self.home, "archive")
        files.make_folder(self.root)
        return files.lock_of(self.home, "archive")


def _decoded(path: str) -> Digest:
    try:
        return facts.decode(files.read(path, _MAX_DIGEST))
    except ValueError as problem:
        hint = "The next sweep makes it again from the raw file, if that is still there."
        raise BrokenFile(f"{path} is not a digest: {problem}", hint) from problem


def _stats(folder: str) -> Iterator[tuple[str, os.stat_result]]:
    """Yield name and stat of each plain file."""
    with suppress(OSError), os.scandir(folder) as found:
        for one in found:
            try:
                if one.is_file(follow_symlinks=False):
                    yield one.name, one.stat(follow_symlinks=False)
            except FileNotFoundError:
                continue


def _entry(agent: str, id: str, stored: dict[str, os.stat_result], pins: frozenset[str]) -> ArchiveEntry:
    """Return what the files of a session tell, by their endings; of the earlier one only the bytes count."""
    name = f"{agent}/{id}"
    raw, digest = stored.get(_RAW), stored.get(_DIGEST)
    size = sum(stored[ending].st_size for ending in (_RAW, _EARLIER) if ending in stored)
    time, digest_time = (one.st_mtime_ns if one else 0 for one in (raw, digest))
    analysed = digest is not None and time in (0, digest_time)
    at, milliseconds = "", (time or digest_time) // _MILLISECOND
    with suppress(ValueError, OverflowError, OSError):
        whole = datetime.fromtimestamp(milliseconds // 1_000, UTC).isoformat()
        at = f"{whole[:19]}.{milliseconds % 1_000:03}Z"
    return ArchiveEntry(name, agent, id, size, digest.st_size if digest else 0, analysed, name in pins, at)


def _matching(entries: list[ArchiveEntry], text: str) -> list[str]:
    """Return the sessions that a text may mean, by the strictest rule that any of them meets."""
    agent, slash, part = text.partition("/")
    told = [entry for entry in entries if entry.agent == agent] if slash else []
    entries, part = (told, part) if told else (entries, text)
    if not part:
        return []
    known = names.known_id(part)
    rules = (
        lambda entry: entry.id == known,
        lambda entry: entry.id.startswith(part),
        lambda entry: part in entry.id,
    )
    for rule in rules:
        found = [entry.name for entry in entries if rule(entry)]
        if found:
            return found
    return []


def _known(name: str) -> str:
    return "/".join(names.split(name))


def name_hash(name: str) -> str:
    """Return what is noted of a session that was forgotten."""
    return hash_of(*names.split(name))


def _read_name(line: bytes) -> str:
    agent, slash, id = line.decode("utf-8", "replace").strip().partition("/")
    if not slash or agent.startswith("#"):
        return ""
    return f"{unquote(agent)}/{unquote(id, errors='surrogatepass')}"
