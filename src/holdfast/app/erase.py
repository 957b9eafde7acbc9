"""Erasing, with proof: whole records first, then every file of the home, then a look that finds nothing.

1. What is being erased is noted in `state/erasing.json`, so that a killed run is finished by the next one, and without
   words in `erased.jsonl`, so that no sweep or import brings it back.
2. Sessions go by the features' forget parts, memories with a tombstone, a project with its folders, a time by its rows.
3. `scrub_home` takes the texts out of whatever else holds them. Hooks may write meanwhile, so it looks again until
   nothing is found; then the index is made again, with its free pages and its log.
4. What agents read outside of the home is written again from what is left.
5. The report says what was searched and how, and holds no word. Its digest is made with a key that is told once.

`forget` and `sessions forget` do the same for what they remove, but leave what people wrote.
"""

from __future__ import annotations

import hmac
import json
import os
import shutil
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import Any

from holdfast.agents.editing import blocks
from holdfast.app import finish, forget
from holdfast.app.erase_target import (
    MAX_TEXT,
    EraseTarget,
    blanked,
    of_memories,
    of_sessions,
    record_paths,
    rows_of,
    scrub_of,
)
from holdfast.app.scrub_home import PENDING, HomeLook, HomeScrub
from holdfast.base import files, rows
from holdfast.base.clock import iso, now
from holdfast.base.text import count, sha256
from holdfast.continuity import documents
from holdfast.errors import BadInput, HoldfastError, NotFound, StoreBusy, StoreUnavailable
from holdfast.exchange.sync.depot import Depot, has_remote
from holdfast.exchange.sync.merge_base import Agreed
from holdfast.inject import publish
from holdfast.journal import notices
from holdfast.journal.updates import Updates
from holdfast.learning.said import judgements
from holdfast.memory import audit, index_pages
from holdfast.memory import forget as memory_forget
from holdfast.parts import TAILS
from holdfast.patterns import distribute
from holdfast.patterns.catalogue import Catalogue
from holdfast.privacy.erased import Erased
from holdfast.privacy.scrub import ENCODINGS, words_of
from holdfast.project.ids import is_id
from holdfast.records import Filter, Memory, Scope
from holdfast.sessions import index as session_index
from holdfast.sessions.archive import Archive
from holdfast.store import layout
from holdfast.store.tombstones import Tombstones
from holdfast.workspace import PERSON, Workspace

# Hooks may write the text again while it is taken out; after this many passes somebody keeps saying it.
_MAX_LOOKS = 6
_GIT = (
    "history still has it. Rewrite it with `git filter-repo --replace-text FILE --replace-message FILE` (FILE has the "
    "text, one a line), rename branches, tags and files that have it in their name, drop stashes by `git stash clear`, "
    "then `git reflog expire --expire=now --all && git gc --prune=now`, and push to every remote by force"
)
_REMOTE = (
    "the sync remote has it until the next `holdfast sync`, which replaces the branch without its history; there "
    "`git reflog expire --expire=now --all && git gc --prune=now` takes the old objects out. Erase it on your other "
    "machines too: their sessions and what they noted of these still have it"
)


@dataclass(frozen=True, slots=True)
class EraseReport:
    """What was searched and removed. It holds no word of what was erased."""

    at: str
    what: str
    files: int
    bytes: int
    encodings: tuple[str, ...]
    places: dict[str, int]
    records: int
    left: tuple[tuple[str, str], ...]
    not_looked_into: tuple[tuple[str, str], ...]
    digest: str = ""
    notes: tuple[str, ...] = ()

    @property
    def is_proven(self) -> bool:
        """Whether the last look found nothing."""
        return not self.left

    def lines(self) -> Iterator[str]:
        """Yield the report as people read it."""
        places = ", ".join(f"{name} {many:,}" for name, many in self.places.items()) or "nowhere"
        yield f"erased    {self.what}"
        yield f"searched  {count(self.files, 'file')}, {count(self.bytes, 'byte')}"
        yield f"as        {', '.join(self.encodings)}"
        yield f"places    {sum(self.places.values()):,}: {places}"
        yield f"records   {self.records:,} removed as a whole"
        yield from (f"left      {path}  {why}" for path, why in self.left)
        yield from (f"not seen  {path}  {why}" for path, why in self.not_looked_into)
        yield from (f"note      {note}" for note in self.notes)
        yield f"found now {'nothing' if self.is_proven else count(len(self.left), 'file')}"
        if self.digest:
            yield f"digest    {self.digest}"


def forget_memories(workspace: Workspace, memories: list[Memory], *, command: str = "forget") -> None:
    """Forget memories, and take what they said out of all that Holdfast noted itself."""
    if workspace.has_home and finish_interrupted(workspace):
        # The run that was killed may have been asked to forget the same memories.
        there = workspace.store.find
        memories = [one for one in memories if any(there(Filter((one.scope,), keys=(one.key,)), 1))]
        if not memories:
            return
    if workspace.caller != PERSON:
        # An agent may store any text and forget it again, so what a memory says decides nothing here.
        for memory in memories:
            # What a memory had replaced went with it.
            with suppress(NotFound):
                memory_forget.remove_for(workspace, memory, workspace.speaker, source="cli")
        finish.write_pages(workspace)
        publish.refresh(workspace)
        return
    if not workspace.has_home:
        memory_forget.apply(workspace, memories, command=command)
        return
    target = of_memories(workspace, memories, plainly=True)
    _note(workspace.home, target)
    agreed = Agreed(workspace.home)
    for kind, owner, key in target.memories:
        agreed.bury(workspace.store.get(Scope(kind, owner), key))
    memory_forget.apply(workspace, memories, command=command)
    try:
        for path, _ in _tell_left(workspace, apply(workspace, target)).left:
            workspace.say(f"{path} still has some of it, and could not be changed")
    except StoreBusy:
        workspace.say("a sweep is running; what it holds of this is erased with the next sweep")


def forget_memory(workspace: Workspace, key: str, *, scope: str | None = None) -> Memory:
    """Forget one memory and return what it was."""
    memories, _ = memory_forget.plan(workspace, (key,), scope=scope)
    forget_memories(workspace, memories)
    return memories[0]


def forget_sessions(workspace: Workspace, names: tuple[str, ...]) -> None:
    """Forget sessions for good, and say what stays of them. What fails leaves the archive, to be tried again."""
    if finish_interrupted(workspace):
        names = tuple(filter(Archive(workspace.home).has, names))
    if names:
        apply(workspace, of_sessions(workspace, names))
    for name in names:
        audit.note(
            workspace,
            "sessions forget",
            name,
            "raw events, digest, index rows, and everything that only it left behind",
        )


def apply(workspace: Workspace, target: EraseTarget, *, key: bytes = b"") -> EraseReport:
    """Erase it, and return the proof. Only a run that is killed leaves the note by which the next one finishes it."""
    workspace.need_enabled()
    if not target.at:
        _note(workspace.home, target)
    try:
        report = _applied(workspace, target, key)
    except StoreBusy:
        # A memory is gone already, or another run was killed: the rest waits for the sweep that is at work.
        if not (target.at or (target.plainly and target.memories)):
            _forget_note(workspace.home)
        raise
    except Exception:
        _forget_note(workspace.home)
        raise
    _forget_note(workspace.home)
    return report


def _applied(workspace: Workspace, target: EraseTarget, key: bytes) -> EraseReport:
    at = target.at or now()
    for here, folders, _ in os.walk(workspace.home):
        folders[:] = [name for name in folders if name != ".git"]
        with suppress(OSError):
            files.clear_leftovers(here, of_dead=True)
    with forget.alone(workspace.home):
        _remember(workspace.home, target, at)
        records = _remove_records(workspace, target)
        finish.write_pages(workspace)
        scrub = scrub_of(workspace, target)
        depot = Depot(workspace.home) if has_remote(workspace.home) else None
        # Without git the text is removed all the same; the report says what could not be read.
        with suppress(StoreUnavailable):
            if depot:
                depot.renew()
        places, looked = _take_out(workspace, scrub, quickly=target.plainly)
        if depot:
            # A sync that ran meanwhile published the old words, and took its history for settled.
            files.write(depot.anew, b"")
    places.update(_outside(workspace, scrub))
    left = [(scrub.shown(one.path), count(one.count + one.in_name, "place")) for one in looked.places]
    live = [one.where for entry in Catalogue(workspace.home).all()[0] for one in entry.live]
    left += [(scrub.shown(path), "a block of Holdfast's outside the home") for path in live if _holds(scrub, path)]
    ended = ", ".join(scrub.ended)
    notes = [f"what these state lost words, so they are struck through and told to no agent: {ended}"] if ended else []
    return EraseReport(
        at,
        target.kind,
        looked.files,
        looked.bytes,
        ENCODINGS,
        dict(sorted(places.items())),
        records,
        tuple(left),
        tuple(looked.not_known),
        _keyed(key, target) if key else "",
        (*notes, *_git_notes(workspace.home)),
    )


def erase(workspace: Workspace, target: EraseTarget) -> tuple[EraseReport, str]:
    """Erase the target, keep the report, and return it with the key of its digest, which is not kept.

    Only the digest of a text has a key; for other targets nobody has the words to check it by.
    """
    workspace.need_person("erases what cannot be brought back")
    key = os.urandom(16) if target.everywhere else b""
    report = apply(workspace, target, key=key)
    Erased(workspace.home).add_report(asdict(report))
    audit.note(
        workspace,
        "erase",
        report.what,
        f"{count(sum(report.places.values()), 'place')} in {count(report.files, 'file')} searched",
    )
    return report, key.hex()


def verify(workspace: Workspace, key: str, text: str) -> tuple[dict[str, object], HomeLook]:
    """Return the report of the erasing of this text, which only the key and the text find, and look once more."""
    try:
        lines = dict.fromkeys(line.strip() for line in text.splitlines() if line.strip())
        ways = {_keyed(bytes.fromhex(key), EraseTarget(texts)): texts for texts in ((text.strip(),), tuple(lines))}
    except ValueError:
        raise BadInput("that is not the key of a report", "A key has 32 digits and letters from a to f.") from None
    for row in Erased(workspace.home).reports:
        if texts := ways.get(str(row.get("digest"))):
            return row, scrub_of(workspace, EraseTarget(texts, everywhere=True)).look()
    raise NotFound("no report has this key for this text", "Give the very text that was erased, and its own key.")


def interrupted(home: str) -> EraseTarget | None:
    """Return what an erase was about that did not come to its end."""
    note = files.read_if_there(os.path.join(home, PENDING))
    told = rows.object_in(note, MAX_TEXT * 8)
    if told is None:
        if note and not note.strip():
            # Killed right before its last step, it had only this to do.
            _forget_note(home)
        return None
    names: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in told.items()}
    names["memories"] = tuple(map(tuple, names.get("memories", ())))
    # Earlier versions wrote no time into the note; then the time of its file counts.
    written = iso(os.stat(os.path.join(home, PENDING)).st_mtime)
    return EraseTarget(**{"at": written, **names})


def finish_interrupted(workspace: Workspace) -> EraseReport | None:
    """Finish an erase that was killed, as far as it goes, and say what came of it."""
    target = interrupted(workspace.home)
    if target is None:
        return None
    try:
        report = apply(workspace, target)
    except StoreBusy:
        workspace.say(
            f"an erase of {target.kind} was interrupted; it will be finished once the running sweep has ended"
        )
        return None
    Erased(workspace.home).add_report(asdict(_tell_left(workspace, report)))
    workspace.say("\n".join([f"an erase of {target.kind} was interrupted; it is finished now", *report.lines()]))
    return report


def finish_same(workspace: Workspace, names: Sequence[str]) -> bool:
    """Finish a run that was killed if it was to remove these memories or sessions; return whether all are gone then."""
    target = interrupted(workspace.home)
    if target is None:
        return False
    asked = [*(key for *_, key in target.memories), *(name.rpartition("/")[2] for name in target.sessions)]
    if not all(any(one.startswith(name) for one in asked) for name in names):
        return False
    finish_interrupted(workspace)
    there = (Filter((Scope(kind, owner),), keys=(key,)) for kind, owner, key in target.memories)
    is_known = any(any(workspace.store.find(one, 1)) for one in there)
    return not (is_known or any(map(Archive(workspace.home).has, target.sessions)))


def _tell_left(workspace: Workspace, report: EraseReport) -> EraseReport:
    """Leave a notice of the files that keep some of it: nothing tries them again."""
    if report.left:
        hint = "They are yours to change; then erase it again."
        names = [path for path, _ in report.left]
        notices.report(workspace.home, "erase", "what was erased or forgotten is still there", names, hint=hint)
    return report


def _keyed(key: bytes, target: EraseTarget) -> str:
    said = "\n".join([" ".join(words_of(text)).casefold() for text in target.texts])
    return hmac.new(key, said.encode("utf-8", "replace"), sha256).hexdigest()


def _note(home: str, target: EraseTarget) -> None:
    path = os.path.join(home, PENDING)
    files.make_folder(os.path.dirname(path))
    told = {name: value for name, value in asdict(replace(target, at=now())).items() if value}
    files.write(path, json.dumps(told).encode())


def _forget_note(home: str) -> None:
    """Remove the note of what is erased, written over before."""
    path = os.path.join(home, PENDING)
    with suppress(OSError), open(path, "r+b") as file:
        file.write(b" " * os.fstat(file.fileno()).st_size)
        file.flush()
        os.fsync(file.fileno())
    files.remove(path)


def _remember(home: str, target: EraseTarget, at: str) -> None:
    """Note without words what may not come back."""
    texts = target.texts if target.everywhere or target.memories else ()
    span = (target.span[0], target.span[1]) if target.span else None
    if texts or target.project or span:
        Erased(home).add(
            at,
            texts,
            project=target.project,
            span=span,
            everywhere=target.everywhere,
            within=target.within,
        )


def _remove_records(workspace: Workspace, target: EraseTarget) -> int:
    """Remove what goes as a whole; return how many records went."""
    scrub = scrub_of(workspace, target)
    # An open session still has the text in its transcript; without a cursor, hooks go on reading from its end.
    tails = os.path.join(workspace.home, *TAILS)
    for name in files.names_in(tails):
        files.discard(os.path.join(tails, name))
    if not (target.plainly and target.sessions):
        # No look finds a text in a hash. A session that is forgotten takes its own.
        files.discard(judgements.path_of(workspace.home))
    forget.remove(workspace, target.sessions)
    removed = len(target.sessions)
    gone = []
    agreed = Agreed(workspace.home)
    for kind, owner, key in target.memories:
        with suppress(NotFound):
            memory = workspace.store.get(Scope(kind, owner), key)
            if not scrub.is_newer(f"memory/{memory.path}"):
                agreed.bury(memory)
                gone.append(workspace.store.remove(memory.scope, key, forget=True))
    audit.forgotten(workspace, gone)
    for path in record_paths(workspace.home, target):
        full = os.path.join(workspace.home, path)
        (shutil.rmtree if files.is_plain_folder(full) else files.remove)(full)
        removed += 1
    instead = blanked(target)
    for path in rows_of(workspace.home, target):
        removed += rows.write_over(os.path.join(workspace.home, path), instead)
    if target.project or target.span or target.at:
        # What a killed run removed is on no page that shows memories, either.
        workspace.refresh(None)
    root = workspace.store.tree.root if workspace.store.has_tree else ""
    for scope in layout.scopes_on_disk(root) if root else ():
        Tombstones(os.path.join(root, layout.folder_of(scope), layout.FORGOTTEN)).hide_keys()
    return removed + len(gone)


def _take_out(workspace: Workspace, scrub: HomeScrub, *, quickly: bool) -> tuple[Counter[str], HomeLook]:
    """Take the texts out of every file until a look finds none; return where they stood, and that look."""
    places: Counter[str] = Counter()
    looked = scrub.look()
    for number in range(_MAX_LOOKS):
        Updates(workspace.home).drop(lambda path, text: bool(scrub.scrubber.holds(text.encode("utf-8", "replace"))))
        for one in looked.places:
            places[one.path.split("/")[0]] += one.count + one.in_name
        scrub.scrub(looked.places)
        _renew_index(workspace, scrub, anew=number > 0, quickly=quickly)
        if quickly and not looked.places:
            break
        looked = scrub.look()
        if not looked.places:
            break
        time.sleep(0.05 * number)
    return places, looked


def _renew_index(workspace: Workspace, scrub: HomeScrub, *, anew: bool, quickly: bool) -> None:
    """Bring the index into line with the files, and leave nothing of what it was in its pages and its log."""
    workspace.refresh(None)
    changed = sorted(scrub.changed_sessions)
    scrub.changed_sessions.clear()
    # The documents of projects are put into the index again when they are next searched.
    projects = filter(is_id, files.names_in(os.path.join(workspace.home, "memory", "projects")))
    session_index.drop_all(workspace, [*changed, *map(documents.name_of, projects)])
    if changed:
        session_index.settle(workspace, Archive(workspace.home))
    if anew and not quickly:
        workspace.store.rebuild(workspace.progress)
        session_index.rebuild(workspace, Archive(workspace.home), workspace.progress)
    workspace.store.clear_uses()
    workspace.store.add_uses(workspace.journal.uses())
    index_pages.bring_up_to_date(workspace)
    workspace.store.erase_traces(anew=not quickly)
    if quickly:
        workspace.store.erase_traces(passages=True)


def _outside(workspace: Workspace, scrub: HomeScrub) -> Counter[str]:
    """Write again what agents read outside of the home, from what is left; return what changed."""
    changed: Counter[str] = Counter({"rules files of agents": len(publish.refresh(workspace))})
    for entry in Catalogue(workspace.home).all()[0]:
        with suppress(HoldfastError):
            if any(_holds(scrub, one.where) for one in entry.live):
                distribute.apply(workspace, distribute.renewal(workspace, entry, force=True))
                changed["distributed patterns"] += 1
    return +changed


def _holds(scrub: HomeScrub, path: str) -> bool:
    """Whether one of our blocks in an agent's file, or a file that is all ours, has it."""
    try:
        text = files.read_head(path).decode("utf-8", "replace") if path.startswith("/") else ""
    except OSError:
        return False
    ours = [text[one.start : one.end] for one in blocks.pattern_blocks(text)] or [text]
    return any(scrub.scrubber.holds(one.encode()) for one in ours)


def _git_notes(home: str) -> Iterator[str]:
    """Yield what to do where the home syncs, or where it or the folder of its memories is in a git repository."""
    if has_remote(home):
        yield _REMOTE
    memories = os.path.join(home, "memory")
    place = memories if os.path.lexists(os.path.join(memories, ".git")) else home
    while place != os.path.dirname(place):
        if os.path.lexists(os.path.join(place, ".git")):
            yield f"{place} is a git repository: its {_GIT}"
            return
        place = os.path.dirname(place)
