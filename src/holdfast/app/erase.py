"""Erasing, with proof: whole records first, then every file of the home, then a look that finds nothing.

1. What is being erased is noted in `state/erasing.json`, so that a killed run is finished by the next one, and without
   words in `erased.jsonl`, so that no sweep or import brings it back.
2. Sessions go by the features' forget parts, memories with a tombstone, a project with its folders, a time by its rows.
3. `scrub_home` takes the texts out of whatever else holds them. Hooks may write meanwhile, so it looks again until
   nothing is found; then the index is made anew, with its free pages and its log.
4. What agents read outside of the home is written again from what is left.
5. The report says what was searched and how, and holds no word. Its digest is made with a key that is told once.

`forget` and `sessions forget` do the same for what they remove, but leave what people wrote.
"""

from __future__ import annotations

import hmac
import json
import os
import re
import shutil
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from itertools import pairwise

from holdfast.agents.editing import blocks
from holdfast.app import forget
from holdfast.app.scrub_home import PENDING, HomeScrub, Looked, paths_in
from holdfast.base import files, rows
from holdfast.base.clock import now
from holdfast.base.digests import sha256
from holdfast.base.text import count
from holdfast.errors import BadInput, HoldfastError, NotFound, StoreBusy
from holdfast.inject import publish
from holdfast.journal.updates import Updates
from holdfast.memory import audit, index_pages
from holdfast.memory import forget as memory_forget
from holdfast.patterns import distribute
from holdfast.patterns.catalogue import Catalogue
from holdfast.privacy.erased import Erased
from holdfast.privacy.scrub import (
    ENCODINGS,
    MIN_CUT,
    MIN_LETTERS,
    Scrubber,
    View,
    is_telling,
    needle,
    sentences_of,
    words_of,
)
from holdfast.records import Filter, Memory, Scope, Step
from holdfast.sessions import index as session_index
from holdfast.sessions.archive import Archive
from holdfast.store import layout
from holdfast.store.tombstones import Tombstones
from holdfast.workspace import Workspace

# Hooks may write the text again while it is taken out; after so many looks somebody says it all the time.
_MAX_LOOKS = 6
MAX_TEXT = 200_000
_GIT = (
    "history still has it. Rewrite it with `git filter-repo --replace-text FILE` (FILE has the text, one a line), "
    "then `git reflog expire --expire=now --all && git gc --prune=now`, and push to every remote by force"
)
_MIN_NUMBERLESS = 15
# A shorter ask says what anybody may say.
_MIN_ASKED = 6
# What a person wrote: only a text that they ask for by itself is taken out there.
_PERSONS = ("memory/", "config.toml", "prices.toml")
# Where keys are told to a session that was shown a memory; it goes when the session ends.
_SHOWN = "state/shown/"
# A lesson that was rejected keeps its words: by them it is known again in any other wording, and not offered.
_LESSONS = "learning/"


@dataclass(frozen=True, slots=True)
class Target:
    """What is to be erased. `everywhere`: the texts go from memories and pages of the person, too."""

    texts: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    memories: tuple[tuple[str, str, str], ...] = ()
    sessions: tuple[str, ...] = ()
    project: str = ""
    span: tuple[str, ...] = ()
    everywhere: bool = False
    plainly: bool = False

    @property
    def kind(self) -> str:
        """What was asked for, without a word of it."""
        told = {
            "a project": bool(self.project),
            "a span of time": bool(self.span),
            count(len(self.sessions), "session"): bool(self.sessions),
            count(len(self.memories), "memory"): bool(self.memories),
        }
        return "a text" if self.everywhere else next((name for name, is_it in told.items() if is_it), "nothing")


@dataclass(frozen=True, slots=True)
class Report:
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


@dataclass(slots=True)
class ErasePlan:
    """What would be touched; `kept` is what stays, and why."""

    target: Target
    steps: list[Step]
    kept: list[Step] = field(default_factory=list)


def of_texts(workspace: Workspace, texts: Iterable[str]) -> Target:
    """Return the target that texts are; one that is too short or too long to be looked for is refused."""
    workspace.need_enabled()
    wanted = tuple(dict.fromkeys(text.strip() for text in texts if text.strip()))
    if not wanted or not all(map(is_telling, wanted)):
        hint = f"Give at least {MIN_LETTERS} letters or digits."
        raise BadInput("the text is too short to be found without taking others along", hint)
    if sum(map(len, wanted)) > MAX_TEXT:
        raise BadInput("the text is too long", f"Give at most {MAX_TEXT:,} characters, or erase the session.")
    scrubber = Scrubber(map(needle, wanted))
    workspace.refresh(None)
    said = tuple(
        (one.scope.kind, one.scope.owner, one.key)
        for one in workspace.store.find(Filter(None))
        if not _rest(one.body.encode("utf-8", "replace"), scrubber)
    )
    return Target(wanted, memories=said, everywhere=True)


def _rest(body: bytes, scrubber: Scrubber) -> str:
    """Return what is left of a statement, signs aside, when a text is taken out of it; all where it is not in it."""
    spans = [(start, end) for start, end, _ in scrubber.spans(body)]
    kept = [body[before[1] : after[0]] for before, after in pairwise([(0, 0), *spans, (len(body), len(body))])]
    left = "".join(words_of(b" ".join(kept).decode("utf-8", "replace")))
    return "".join(filter(str.isalnum, left)) if spans else "all"


def of_memories(workspace: Workspace, memories: Iterable[Memory], *, plainly: bool = False) -> Target:
    """Return the target that memories are: their statements, titles and keys."""
    found = list(memories)
    whole = [workspace.store.get(one.scope, one.key) for one in found]
    said = [text for one in whole for text in (one.body, one.title, *(each.text for each in one.history))]
    gone = {(one.scope, one.key) for one in found}
    others = [one for one in workspace.store.find(Filter(None)) if (one.scope, one.key) not in gone]
    # What another memory says, too, is not gone.
    known = {" ".join(words_of(one.body)).casefold() for one in others}
    texts = [text for text in said if not any(" ".join(words_of(text)).casefold() in one for one in known)]
    keys = {one.key for one in found} - {one.key for one in others}
    names = tuple((one.scope.kind, one.scope.owner, one.key) for one in found)
    return Target(_telling(texts), tuple(sorted(keys)), names, plainly=plainly)


def _telling(said: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for text in said if len(words_of(text)) >= MIN_CUT and is_telling(text)))


def of_sessions(workspace: Workspace, names: tuple[str, ...]) -> Target:
    """Return the target that sessions are, with those of their sub-agents, and what only they asked for."""
    every = forget.plan(workspace, names)[0]
    return Target(_asked_in(workspace.home, every), sessions=tuple(every), plainly=True)


def _asked_in(home: str, names: list[str]) -> tuple[str, ...]:
    """Return what the person said at length in these sessions and in no other one."""
    archive = Archive(home)
    said: dict[str, None] = {}
    others = [entry.name for entry in archive.entries() if entry.raw_bytes and entry.name not in names]
    for name in names:
        with suppress(HoldfastError):
            said.update((one.text, None) for one in archive.events(name) if one.role == "human")
    wanted = {one: needle(one, plainly=True) for one in said if len(words_of(one)) >= _MIN_ASKED}
    for name in others if wanted else ():
        with suppress(HoldfastError):
            view = View("\n".join([one.text for one in archive.events(name)]).encode("utf-8", "replace"))
            wanted = {text: one for text, one in wanted.items() if not any(True for _ in one.spans(view))}
    return tuple(wanted)


def of_project(workspace: Workspace, id: str) -> Target:
    """Return the target that a project is: its memories, pages, sessions, work and rows."""
    known = {one.scope.owner for one in workspace.store.groups() if one.scope.kind == "project"}
    names = [row.name for row in forget.sessions_of(workspace) if row.project == id]
    if id not in known and not names and not os.path.isdir(os.path.join(workspace.home, "memory", "projects", id)):
        raise NotFound(f"no project {id}", "`holdfast project list` shows them.")
    layout.check_scope(Scope("project", id))
    own = list(workspace.store.find(Filter((Scope("project", id),))))
    target = of_memories(workspace, own)
    return replace(target, sessions=tuple(names), project=id)


def of_span(workspace: Workspace, since: str, until: str) -> Target:
    """Return the target that a time is: sessions that were at work in it, and what was stored and told in it."""
    if not since < until:
        raise BadInput("the time ends before it begins", "Give --since and --until, the earlier one first.")
    names = [
        row.name
        for row in forget.sessions_of(workspace)
        if row.started[:19] < until[:19] and row.ended[:19] >= since[:19]
    ]
    own = [one for one in workspace.store.find(Filter(None)) if _within(one.created, since, until)]
    own += [one for one in workspace.store.find(Filter(None)) if _within(one.updated, since, until) and one not in own]
    return replace(of_memories(workspace, own), sessions=tuple(names), span=(since, until))


def _within(at: str, since: str, until: str) -> bool:
    return since[:19] <= at[:19] < until[:19]


def plan(workspace: Workspace, target: Target) -> ErasePlan:
    """Return every file that would go or change; nothing is changed."""
    steps = [
        Step("forget", f"{kind}/{owner}/{key}".replace("//", "/"), "it says that")
        for kind, owner, key in target.memories
    ]
    kept: list[Step] = []
    for name in target.sessions:
        steps.append(Step("forget", name, "its events, digest and all that only it left"))
        for change in forget.changes(workspace, name):
            (steps if change.do is not None else kept).append(change.step)
    steps += [Step("remove", path, "of the project") for path in _project_paths(workspace.home, target.project)]
    steps += [Step("redact", path, count(many, "row")) for path, many in _rows_of(workspace.home, target).items()]
    looked = _scrub_of(workspace, target).look()
    gone = {step.target for step in steps}
    for one in looked.places:
        reason = count(one.count, "place") if one.count else "its name"
        if one.path not in gone:
            steps.append(Step("redact", one.path, reason))
    kept += [Step("keep", path, why) for path, why in _not_looked_into(looked)]
    return ErasePlan(target, list(dict.fromkeys(steps)), list(dict.fromkeys(kept)))


def forget_memories(workspace: Workspace, memories: list[Memory], *, command: str = "forget") -> None:
    """Forget memories, and take what they said out of all that Holdfast noted itself."""
    target = of_memories(workspace, memories, plainly=True)
    _note(workspace.home, target)
    memory_forget.apply(workspace, memories, command=command)
    _finish(workspace, target)


def forget_memory(workspace: Workspace, key: str, *, scope: str | None = None) -> Memory:
    """Forget one memory and return what it was."""
    memories, _ = memory_forget.plan(workspace, (key,), scope=scope)
    forget_memories(workspace, memories)
    return memories[0]


def forget_sessions(workspace: Workspace, names: tuple[str, ...]) -> None:
    """Forget sessions for good, and say what stays of them. What fails leaves the archive, to be tried again."""
    apply(workspace, of_sessions(workspace, names))
    for name in names:
        audit.note(workspace, "sessions forget", name, "raw events, digest, index rows, and all that it alone left")


def _finish(workspace: Workspace, target: Target) -> None:
    try:
        left = apply(workspace, target).left
    except StoreBusy:
        workspace.say("a sweep is at work; what it has of that goes with the next sweep")
        return
    for path, _ in left:
        workspace.say(f"{path} still has some of it, and could not be changed")


def apply(workspace: Workspace, target: Target, *, key: bytes = b"") -> Report:
    """Erase it, and return the proof. What fails leaves the note by which the next run finishes it."""
    workspace.need_enabled()
    at = now()
    _note(workspace.home, target)
    _remember(workspace.home, target, at)
    _clear_leftovers(workspace.home)
    with forget.alone(workspace.home):
        records = _remove_records(workspace, target)
        index_pages.bring_up_to_date(workspace)
        scrub = _scrub_of(workspace, target)
        places, looked = _take_out(workspace, scrub, quickly=target.plainly)
    outside = _outside(workspace, scrub)
    places.update(outside)
    left = [(scrub.shown(one.path), count(one.count + one.in_name, "place")) for one in looked.places]
    left += [(path, "it is outside of the home, and not ours") for path in _left_outside(workspace, scrub)]
    not_known = _not_looked_into(looked)
    report = Report(
        at,
        target.kind,
        looked.files,
        looked.bytes,
        ENCODINGS,
        dict(sorted(places.items())),
        records,
        tuple(left),
        tuple(not_known),
        _keyed(key, target) if key else "",
        tuple(_git_notes(workspace.home)),
    )
    if not left:
        _forget_note(workspace.home)
    return report


def erase(workspace: Workspace, target: Target) -> tuple[Report, str]:
    """Erase it, keep the report, and return it with the key of its digest, which is kept nowhere."""
    key = os.urandom(16)
    report = apply(workspace, target, key=key)
    Erased(workspace.home).add_report(asdict(report))
    audit.note(
        workspace,
        "erase",
        report.what,
        f"{count(sum(report.places.values()), 'place')} in {count(report.files, 'file')} searched",
    )
    return report, key.hex()


def verify(workspace: Workspace, key: str, text: str) -> tuple[dict[str, object], Looked]:
    """Return the report of the erasing of this text, which only the key and the text find, and look once more."""
    try:
        wanted = {_keyed(bytes.fromhex(key), Target(texts)) for texts in ((text.strip(),), _lines(text))}
    except ValueError:
        raise BadInput("that is no key of a report", "A key has 32 digits and letters from a to f.") from None
    for row in Erased(workspace.home).reports:
        if row.get("digest") in wanted:
            texts = (text,) if row["digest"] == _keyed(bytes.fromhex(key), Target((text.strip(),))) else _lines(text)
            return row, _scrub_of(workspace, Target(texts, everywhere=True)).look()
    raise NotFound("no report has this key for this text", "Give the very text that was erased, and its own key.")


def _lines(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(line.strip() for line in text.splitlines() if line.strip()))


def interrupted(home: str) -> Target | None:
    """Return what an erase was about that did not come to its end."""
    told = rows.object_in(files.read_if_there(os.path.join(home, PENDING)), MAX_TEXT * 8)
    if told is None:
        return None
    names = {name: tuple(map(_tuple, value)) if isinstance(value, list) else value for name, value in told.items()}
    with suppress(TypeError):
        return Target(**names)  # type: ignore[arg-type]
    return None


def finish_interrupted(workspace: Workspace) -> Report | None:
    """Finish an erase that was killed, and say so."""
    target = interrupted(workspace.home)
    if target is None:
        return None
    workspace.say(f"an erase of {target.kind} was interrupted; it is finished now")
    return apply(workspace, target)


def _tuple(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


def _keyed(key: bytes, target: Target) -> str:
    said = "\n".join(
        [" ".join(words_of(text)).casefold() for text in target.texts]
        or [*target.sessions, target.project, *target.span]
    )
    return hmac.new(key, said.encode("utf-8", "replace"), sha256).hexdigest()


def _note(home: str, target: Target) -> None:
    path = os.path.join(home, PENDING)
    files.make_folder(os.path.dirname(path))
    files.write(path, json.dumps(asdict(target)).encode())


def _forget_note(home: str) -> None:
    """Remove the note of what is erased, written over before."""
    path = os.path.join(home, PENDING)
    with suppress(OSError), open(path, "r+b") as file:
        file.write(b" " * os.fstat(file.fileno()).st_size)
        file.flush()
        os.fsync(file.fileno())
    files.remove(path)


def _remember(home: str, target: Target, at: str) -> None:
    """Note without words what may not come back."""
    texts = target.texts if target.everywhere or target.memories else ()
    span = (target.span[0], target.span[1]) if target.span else None
    if texts or target.project or span:
        Erased(home).add(at, texts, project=target.project, span=span, everywhere=target.everywhere)


def _clear_leftovers(home: str) -> None:
    for here, folders, _ in os.walk(home):
        folders[:] = [name for name in folders if name != ".git"]
        with suppress(OSError):
            files.clear_leftovers(here, of_dead=True)


def _remove_records(workspace: Workspace, target: Target) -> int:
    """Remove what goes as a whole; return how many records went."""
    forget.remove(workspace, target.sessions)
    removed = len(target.sessions)
    gone = []
    for kind, owner, key in target.memories:
        with suppress(NotFound):
            gone.append(workspace.store.remove(Scope(kind, owner), key, forget=True))
    audit.forgotten(workspace, gone)
    for path in _project_paths(workspace.home, target.project):
        _remove_tree(os.path.join(workspace.home, path))
        removed += 1
    instead = _blank(target)
    for path in _rows_of(workspace.home, target):
        removed += rows.write_over(os.path.join(workspace.home, path), instead)
    if target.project or target.span:
        workspace.refresh(None)
    root = workspace.store.tree.root if workspace.store.has_tree else ""
    for scope in layout.scopes_on_disk(root) if root else ():
        Tombstones(os.path.join(root, layout.folder_of(scope), layout.FORGOTTEN)).hide_keys()
    return removed + len(gone)


def _remove_tree(path: str) -> None:
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    else:
        files.remove(path)


def _project_paths(home: str, project: str) -> list[str]:
    """Return the folders of a project, and the records in other folders that say that they are its."""
    if not project:
        return []
    found = [
        path for path in (f"memory/projects/{project}", f"work/{project}") if os.path.lexists(os.path.join(home, path))
    ]
    for path in paths_in(home):
        is_record = path.endswith((".md", ".json", ".yaml")) and path.startswith(
            ("learning/", "research/", "proposals/", "state/")
        )
        if is_record and _names_project(os.path.join(home, path), project):
            found.append(path)
    return found


def _names_project(path: str, project: str) -> bool:
    head = files.read_if_there(path, 4_096).decode("utf-8", "replace")
    quoted = json.dumps(project)
    ways = (f"\nproject: {project}\n", f"\nproject: {quoted}\n", f"\nowner: {project}\n", f'"project": {quoted}')
    return any(way in head for way in ways)


def _rows_of(home: str, target: Target) -> dict[str, int]:
    """Return the files of rows that have some of a project or of a time, each with how many."""
    if not (target.project or target.span):
        return {}
    instead, found = _blank(target), {}
    for path in paths_in(home):
        full = os.path.join(home, path)
        is_rows = path.endswith((".jsonl", ".tsv", ".log")) or path.startswith(
            ("state/open/", "state/work/", "updates/")
        )
        if is_rows and os.path.isfile(full) and not path.endswith(".json") and not os.path.islink(full):
            many = len(rows.instead_of(files.read_if_there(full), instead))
            found.update({path: many} if many else {})
    return found


def _blank(target: Target) -> rows.Instead:
    project = target.project.encode()
    quoted = json.dumps(target.project).encode()

    def instead(line: bytes) -> bytes | None:
        told = rows.object_in(line, len(line))
        if told is not None:
            at = str(told.get("at", ""))
            is_then = bool(target.span) and _within(at, target.span[0], target.span[1])
            return b"" if is_then or (project and told.get("project") == target.project) else None
        fields = line.split(b"\t")
        is_its = project and (project in fields or quoted in line or b"/" + project + b"/" in line)
        return b"" if is_its else None

    return instead


def _scrub_of(workspace: Workspace, target: Target) -> HomeScrub:
    """Return what looks for the texts of a target, and in which files it may change them."""
    texts = [*target.texts, *(part for text in target.texts for part in sentences_of(text))]
    # What tells like failures apart from others leaves numbers out.
    without = [instead.join(re.split(r"\d+", text)) for text in target.texts for instead in ("", " ")]
    texts += [text for text in without if len(words_of(text)) >= MIN_CUT and len(text) >= _MIN_NUMBERLESS]
    needles = [needle(text, target.plainly) for text in dict.fromkeys(texts)]
    keys = [*target.keys, *([target.project] if target.project else [])]

    def is_ours(path: str) -> bool:
        if target.sessions and target.plainly:
            # What else a session left, its features know.
            return path.startswith(("updates/", "state/")) and not path.startswith(_SHOWN)
        if target.everywhere or "/" not in path:
            return target.everywhere or path not in _PERSONS
        if target.plainly and path.startswith((_SHOWN, _LESSONS)):
            return False
        if not path.startswith(_PERSONS):
            return True
        # On these pages Holdfast writes itself, between its markers or all of it.
        return any(part in path for part in ("/log/", "/buffer")) or path.endswith(("/index.md", "/.forgotten"))

    return HomeScrub(workspace, Scrubber(needles, keys), is_ours)


def _take_out(workspace: Workspace, scrub: HomeScrub, *, quickly: bool) -> tuple[Counter[str], Looked]:
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
    session_index.drop_all(workspace, changed)
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


def _left_outside(workspace: Workspace, scrub: HomeScrub) -> Iterator[str]:
    for entry in Catalogue(workspace.home).all()[0]:
        yield from (scrub.shown(one.where) for one in entry.live if _holds(scrub, one.where))


def _not_looked_into(looked: Looked) -> list[tuple[str, str]]:
    return sorted(set(looked.not_known))


def _git_notes(home: str) -> Iterator[str]:
    """Yield what to do where the home is in a git repository."""
    place = home
    while place != os.path.dirname(place):
        if os.path.lexists(os.path.join(place, ".git")):
            yield f"{place} is a git repository: its {_GIT}"
            return
        place = os.path.dirname(place)
