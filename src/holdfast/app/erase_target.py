"""What is to be erased: a text, memories, sessions, a project or a time; and every file that holds some of it."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import pairwise

from holdfast.app import forget
from holdfast.app.scrub_home import HomeScrub, paths_in, session_at
from holdfast.base import files, rows
from holdfast.base.text import count
from holdfast.errors import BadInput, HoldfastError, NotFound
from holdfast.exchange.sync.merge_base import FOLDER as AGREED
from holdfast.privacy.erased import FILE as ERASED_FILE
from holdfast.privacy.scrub import MIN_CUT, MIN_LETTERS, Scrubber, View, is_telling, needle, sentences_of, words_of
from holdfast.records import Filter, Memory, Scope, Step
from holdfast.sessions.archive import Archive
from holdfast.store import layout
from holdfast.workspace import Workspace

MAX_TEXT = 200_000
_MIN_NUMBERLESS = 15
# A shorter request is something that anybody might say.
_MIN_ASKED = 6
# What a person wrote: text is taken out there only when they ask for exactly that text.
_PERSONS = ("memory/", "config.toml", "prices.toml")
# Where a session's shown keys are noted, until it ends.
_SHOWN = "state/shown/"
# A lesson that was rejected keeps its words: by them it is known again in any other wording, and not offered.
_LESSONS = "learning/"
# Folders in which each file is one record that names its project at the top.
_RECORDS = ("learning/", "research/", "proposals/", "state/")
# The line at the top of a record that says when it was made; a log page has its day in its name.
_MADE = re.compile(r'^(?:created|created_at|at|[ \t]*"(?:created|at)"): ?"?(\d{4}-\d\d-\d\dT[\d:]{8})', re.MULTILINE)
_LOGGED = re.compile(r"^memory/projects/[^/]+/log/(\d{4}-\d\d-\d\d)\.md$")
_OWNER = re.compile(r'^(?:project|owner|[ \t]*"project"): ?"?([^"\s,]+)"?,?$', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class EraseTarget:
    """What is to be erased. `everywhere`: the texts go from memories and pages of the person, too."""

    texts: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    memories: tuple[tuple[str, str, str], ...] = ()
    sessions: tuple[str, ...] = ()
    project: str = ""
    span: tuple[str, ...] = ()
    everywhere: bool = False
    plainly: bool = False
    # The project that it was forgotten in: what another project has of it stays.
    within: str = ""
    # When it was asked for, where an earlier run did not come to its end; what came afterwards is not meant.
    at: str = ""

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


@dataclass(slots=True)
class ErasePlan:
    """What would be touched; `kept` is what stays, and why."""

    target: EraseTarget
    steps: list[Step]
    kept: list[Step] = field(default_factory=list)


def of_texts(workspace: Workspace, texts: Iterable[str]) -> EraseTarget:
    """Return the target that texts are; one that is too short or too long to be looked for is refused."""
    workspace.need_enabled()
    wanted = tuple(dict.fromkeys(text.strip() for text in texts if text.strip()))
    if not wanted or not all(map(is_telling, wanted)):
        hint = f"Give at least {MIN_LETTERS} letters or digits."
        raise BadInput("the text is too short: other texts would be erased along with it", hint)
    if sum(map(len, wanted)) > MAX_TEXT:
        raise BadInput("the text is too long", f"Give at most {MAX_TEXT:,} characters, or erase the session.")
    scrubber = Scrubber(map(needle, wanted))
    workspace.refresh(None)
    said = tuple(
        (one.scope.kind, one.scope.owner, one.key)
        for one in workspace.store.find(Filter(None))
        if not _rest(one.body.encode("utf-8", "replace"), scrubber)
    )
    return EraseTarget(wanted, memories=said, everywhere=True)


def _rest(body: bytes, scrubber: Scrubber) -> str:
    """Return what is left of a statement, signs aside, when a text is taken out of it; all where it is not in it."""
    spans = [(start, end) for start, end, _ in scrubber.spans(body)]
    kept = [body[before[1] : after[0]] for before, after in pairwise([(0, 0), *spans, (len(body), len(body))])]
    left = "".join(words_of(b" ".join(kept).decode("utf-8", "replace")))
    return "".join(filter(str.isalnum, left)) if spans else "all"


def of_memories(workspace: Workspace, memories: Iterable[Memory], *, plainly: bool = False) -> EraseTarget:
    """Return the target that memories are: their statements, titles and keys."""
    found = list(memories)
    whole = [workspace.store.get(one.scope, one.key) for one in found]
    said = [text for one in whole for text in (one.body, one.title, *(each.text for each in one.history))]
    scopes = {one.scope for one in found} if plainly else set()
    within = "".join([one.owner for one in scopes if one.kind == "project"]) if len(scopes) == 1 else ""
    gone = {(one.scope, one.key) for one in found}
    others = [
        one
        for one in workspace.store.find(Filter(None))
        if (one.scope, one.key) not in gone and (not within or one.scope.kind != "project" or one.scope.owner == within)
    ]
    # A statement that another memory makes as well is not gone.
    known = {" ".join(words_of(one.body)).casefold() for one in others}
    texts = [text for text in said if not any(" ".join(words_of(text)).casefold() in one for one in known)]
    keys = {one.key for one in found} - {one.key for one in others}
    names = tuple((one.scope.kind, one.scope.owner, one.key) for one in found)
    telling = dict.fromkeys(text for text in texts if len(words_of(text)) >= MIN_CUT and is_telling(text))
    return EraseTarget(tuple(telling), tuple(sorted(keys)), names, plainly=plainly, within=within)


def of_sessions(workspace: Workspace, names: tuple[str, ...]) -> EraseTarget:
    """Return the target for sessions and their sub-agents' sessions, with the texts that only these asked for."""
    every = forget.plan(workspace, names)[0]
    return EraseTarget(_asked_in(workspace.home, every), sessions=tuple(every), plainly=True)


def _asked_in(home: str, names: list[str]) -> tuple[str, ...]:
    """Return what the person said at length in these sessions and in no other one."""
    archive = Archive(home)
    said: dict[str, None] = {}
    others = [entry.name for entry in archive.entries() if entry.raw_bytes and entry.name not in names]
    for name in names:
        with suppress(HoldfastError):
            said.update((one.text, None) for one in archive.events(name) if one.role in ("human", "choice"))
    wanted = {one: needle(one, plainly=True) for one in said if len(words_of(one)) >= _MIN_ASKED}
    for name in others if wanted else ():
        with suppress(HoldfastError):
            view = View("\n".join([one.text for one in archive.events(name)]).encode("utf-8", "replace"))
            wanted = {text: one for text, one in wanted.items() if not any(True for _ in one.spans(view))}
    return tuple(wanted)


def of_project(workspace: Workspace, id: str) -> EraseTarget:
    """Return the target that a project is: its memories, pages, sessions, work and rows."""
    known = {one.scope.owner for one in workspace.store.groups() if one.scope.kind == "project"}
    names = [row.name for row in forget.sessions_of(workspace) if row.project == id]
    if id not in known and not names and not os.path.isdir(os.path.join(workspace.home, "memory", "projects", id)):
        raise NotFound(f"no project {id}", "`holdfast project list` shows them.")
    layout.check_scope(Scope("project", id))
    own = list(workspace.store.find(Filter((Scope("project", id),))))
    target = of_memories(workspace, own)
    return replace(target, sessions=tuple(names), project=id)


def of_span(workspace: Workspace, since: str, until: str) -> EraseTarget:
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


def plan(workspace: Workspace, target: EraseTarget) -> ErasePlan:
    """Return every file that would go or change; nothing is changed."""
    steps = [
        Step("forget", f"{kind}/{owner}/{key}".replace("//", "/"), "it says that")
        for kind, owner, key in target.memories
    ]
    kept: list[Step] = []
    for name in target.sessions:
        steps.append(Step("forget", name, "its events, its digest and everything that only it left behind"))
        for change in forget.changes(workspace, name):
            (steps if change.do is not None else kept).append(change.step)
    why = "of the project" if target.project else "made in that time"
    steps += [Step("remove", path, why) for path in record_paths(workspace.home, target)]
    steps += [Step("redact", path, count(many, "row")) for path, many in rows_of(workspace.home, target).items()]
    scrub = scrub_of(workspace, target)
    looked = scrub.look()
    gone = {step.target for step in steps}
    for one in looked.places:
        reason = count(one.count, "place") if one.count else "its name"
        if one.path not in gone:
            around = scrub.around(one) if one.count else ""
            steps.append(Step("redact", one.path, f"{reason}: {around}" if around else reason))
    kept += [Step("keep", path, why) for path, why in looked.not_known]
    if target.everywhere:
        # Agents may hold it in transcripts that no sweep has read yet.
        steps.append(Step("note", ERASED_FILE, "a digest of it, so that no sweep or import brings it back"))
    return ErasePlan(target, list(dict.fromkeys(steps)), list(dict.fromkeys(kept)))


def record_paths(home: str, target: EraseTarget) -> list[str]:
    """Return the folders of a project and the records that say that they are its, or those that a time made."""
    project = target.project
    if not project:
        return [path for path in paths_in(home) if target.span and _was_made_in(home, path, *target.span)]
    found = [
        path for path in (f"memory/projects/{project}", f"work/{project}") if os.path.lexists(os.path.join(home, path))
    ]
    for path in paths_in(home):
        is_record = path.endswith((".md", ".json", ".yaml")) and path.startswith(_RECORDS)
        is_session = path.startswith(("state/open/", "state/work/"))
        if (is_record and _names_project(os.path.join(home, path), project)) or (
            is_session and project in (rows.whose(files.read_if_there(os.path.join(home, path))) or ())
        ):
            found.append(path)
    return found


def _was_made_in(home: str, path: str, since: str, until: str) -> bool:
    """Whether a lesson, a report, an item of work, a proposal or a day of a log was made in a time, all of it."""
    if day := _LOGGED.match(path):
        return since[:19] <= f"{day[1]}T00:00:00" and f"{day[1]}T23:59:59" < until[:19]
    if not path.endswith((".md", ".json", ".yaml")) or not path.startswith(("work/", *_RECORDS[:-1])):
        return False
    made = _MADE.search(files.read_if_there(os.path.join(home, path), 4_096).decode("utf-8", "replace"))
    return made is not None and _within(made[1], since, until)


def _names_project(path: str, project: str) -> bool:
    head = files.read_if_there(path, 4_096).decode("utf-8", "replace")
    quoted = json.dumps(project)
    ways = (f"\nproject: {project}\n", f"\nproject: {quoted}\n", f"\nowner: {project}\n", f'"project": {quoted}')
    return any(way in head for way in ways)


def _project_of(home: str, path: str) -> str:
    """Return the project that a file of the home says that it is of, or nothing."""
    first, _, rest = path.removeprefix("memory/projects/").partition("/")
    if path.startswith("memory/projects/"):
        return first
    if path.startswith("work/"):
        return rest.partition("/")[0]
    head = files.read_if_there(os.path.join(home, path), 4_096)
    if path.startswith(("state/open/", "state/work/")):
        return (rows.whose(head) or ("", "", ""))[2]
    found = _OWNER.search(head.decode("utf-8", "replace")) if path.startswith(_RECORDS) else None
    return found[1] if found else ""


def rows_of(home: str, target: EraseTarget) -> dict[str, int]:
    """Return the files of rows that have some of a project or of a time, each with how many."""
    if not (target.project or target.span):
        return {}
    instead, found = blanked(target), {}
    for path in paths_in(home):
        full = os.path.join(home, path)
        is_rows = path.endswith((".jsonl", ".tsv", ".log")) or path.startswith(
            ("state/open/", "state/work/", "updates/")
        )
        if is_rows and os.path.isfile(full) and not path.endswith(".json") and not os.path.islink(full):
            many = len(rows.instead_of(files.read_if_there(full), instead))
            found.update({path: many} if many else {})
    return found


def blanked(target: EraseTarget) -> rows.Instead:
    """Return what blanks the rows of a project or of a time."""
    project = target.project.encode()
    quoted = json.dumps(target.project).encode()

    def instead(line: bytes) -> bytes | None:
        told = rows.object_in(line, len(line))
        if told is not None:
            at = str(told.get("at", ""))
            is_then = bool(target.span) and _within(at, target.span[0], target.span[1])
            return b"" if is_then or (project and told.get("project") == target.project) else None
        row = rows.triple_in(line)
        if row is not None and target.span and row[0] != rows.HEAD and _within(row[2], *target.span):
            return b""
        fields = line.split(b"\t")
        is_its = project and (project in fields or quoted in line or b"/" + project + b"/" in line)
        return b"" if is_its else None

    return instead


def scrub_of(workspace: Workspace, target: EraseTarget) -> HomeScrub:
    """Return what looks for the texts of a target, and in which files it may change them."""
    parts = [part for text in target.texts for part in sentences_of(text)]
    # The fingerprints of failures leave numbers out.
    without = [instead.join(re.split(r"\d+", text)) for text in target.texts for instead in ("", " ")]
    parts += [text for text in without if len(words_of(text)) >= MIN_CUT and len(text) >= _MIN_NUMBERLESS]
    exact = [needle(text, target.plainly) for text in dict.fromkeys(target.texts)]
    needles = [*exact, *(needle(text, target.plainly) for text in dict.fromkeys(parts) if text not in target.texts)]
    keys = [*target.keys, *([target.project] if target.project else [])]
    # A key of one or two words is something that anybody might say.
    telling = [key for key in keys if key.count("-") + 1 >= MIN_CUT or key == target.project]
    projects = {row.name: row.project for row in forget.sessions_of(workspace)} if target.within else {}

    def is_of_another(path: str) -> bool:
        whose = projects.get(session_at(path), "") if path.startswith("archive/") else _project_of(workspace.home, path)
        return whose not in ("", target.within)

    def is_ours(path: str) -> bool:
        if target.within and is_of_another(path):
            return False
        if path.startswith(f"{AGREED}/"):
            # What was agreed on is as the file of the home is, or a sync takes the one for a change of the other.
            inner = path.removeprefix(f"{AGREED}/")
            here, agreed = (files.read_if_there(os.path.join(workspace.home, one)) for one in (inner, path))
            return here != agreed or is_ours(inner)
        if target.sessions and target.plainly:
            # Each feature knows what else a session left.
            return path.startswith(("updates/", "state/")) and not path.startswith(_SHOWN)
        if target.everywhere or "/" not in path:
            return target.everywhere or path not in _PERSONS
        if target.plainly and path.startswith((_SHOWN, _LESSONS)):
            return False
        if not path.startswith(_PERSONS):
            return True
        # On these pages Holdfast writes itself, between its markers or all of it.
        return any(part in path for part in ("/log/", "/buffer")) or path.endswith(("/index.md", "/.forgotten"))

    return HomeScrub(
        workspace,
        Scrubber(exact, telling),
        Scrubber(needles, keys),
        is_ours,
        until=target.at,
        within=target.within,
    )
