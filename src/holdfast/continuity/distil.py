"""Distil the daily logs and digests of a project into proposals for its page, MEMORY.md. No model unless asked for.

What the page says already, what waits and what was rejected or forgotten is only counted. What waits is taken back when
its decision or to-do came to an end. Nothing is written but proposals and, in `state/`, since when each to-do is known.
"""

from __future__ import annotations

import os
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, replace

from holdfast.base import files, rows
from holdfast.base.clock import iso, now
from holdfast.base.text import count, hash_of
from holdfast.continuity import distil_ask, distil_rules, log, page, page_proposals, pages, region
from holdfast.continuity.check_boxes import Todo
from holdfast.continuity.distil_ask import Help
from holdfast.continuity.distil_rules import FoundDecision, KnownTodo, Material, SessionWork, Suggestion
from holdfast.continuity.log import LogEntry
from holdfast.continuity.notes import folders, path_of
from holdfast.errors import BrokenFile, HoldfastError, NotFound
from holdfast.language import commands, when
from holdfast.memory import audit
from holdfast.memory.audit import Act
from holdfast.memory.proposal_files import FOLDER, Proposals
from holdfast.memory.proposals import Decision, Judge
from holdfast.records import Proposal, Scope
from holdfast.sessions import browse as sessions
from holdfast.sessions.archive import Archive
from holdfast.sessions.facts import Digest, FileChange
from holdfast.store.kinds import tidied
from holdfast.store.memory_file import first_words
from holdfast.store.session_table import Wanted
from holdfast.workspace import Workspace

MAX_NEW = 40
SOURCE = "distil"
# What a sentence of the person would be as a memory. Corrections are lessons, and what comes first is working state.
SAID_TYPES = {"preference": "feedback", "value": "reference"}
TAKEN_BACK = "taken back"
MAX_SESSIONS = 500
MAX_DAYS = 400
_MAX_TROUBLES = 3
_ENDS_NAMES = ("-m", "--message", "-F", "-s", "-X", "--into-name")


@dataclass(frozen=True, slots=True)
class Distilled:
    """What distilling came to: the new proposals, and how many suggestions were known, waiting, rejected, refused.

    `left_out` are new ones beyond MAX_NEW, which the next run brings. `sessions` is how many were looked at.
    `taken_back` are proposals that waited and are true no longer.
    """

    project: str
    path: str
    since: str
    sessions: int
    proposals: tuple[Proposal, ...]
    known: int = 0
    waiting: int = 0
    rejected: int = 0
    refused: int = 0
    left_out: int = 0
    taken_back: tuple[Decision, ...] = ()
    help: Help | None = None


def distil(workspace: Workspace, *, since: str = "", dry_run: bool = False, wish: str = "") -> Distilled:
    """Propose what the project's page should have and does not. `wish` names whose help is asked for, if anybody's."""
    workspace.need_enabled()
    asked = distil_ask.whom(workspace, wish) if wish else None
    start = when.moment(since or f"{workspace.settings.number('distil.days')}d", now())
    material = gather(workspace, start, remember=not dry_run)
    help = distil_ask.help_with(workspace, material, asked, dry_run=dry_run) if asked else None
    with audit.Act(workspace, "distil") as act:
        run = _Distilling(workspace, material, None if dry_run else act)
        run.take_back()
        for suggestion in (*distil_rules.suggest(material), *(help.suggestions if help else ())):
            run.take(suggestion)
        for (kind, text), sources in _said(material).items():
            run.take_said(kind, text, sources)
    if not dry_run:
        audit.trim(workspace)
    return Distilled(
        project=workspace.project().id,
        path=os.path.join(folders(workspace)[0], region.PAGE),
        since=start,
        sessions=len(material.works),
        proposals=tuple(run.proposals),
        **{verdict: run.counts[verdict] for verdict in ("known", "waiting", "rejected", "refused", "left_out")},
        taken_back=tuple(run.taken_back),
        help=help,
    )


class _Distilling:
    """One run: takes one suggestion after the other and knows what waits."""

    def __init__(self, workspace: Workspace, material: Material, act: Act | None) -> None:
        project = workspace.project()
        self.scope = Scope("project", project.id)
        self.scopes = [self.scope, *(Scope("project", alias) for alias in project.aliases)]
        self.material = material
        self.act = act
        self.room = Proposals(workspace.home)
        self.judge = Judge(workspace)
        self.rejected = self.room.rejected()
        self.waiting = [one for one in self.room.all()[0] if one.kind == page_proposals.KIND]
        self.at = now()
        self.proposals: list[Proposal] = []
        self.taken_back: list[Decision] = []
        self.counts: Counter[str] = Counter()

    def take_back(self) -> None:
        """Take back what waits for this project and is true no longer."""
        for one in [one for one in self.waiting if one.scope in self.scopes]:
            why = page_proposals.why_outdated(one, self.material)
            if not why:
                continue
            if self.act is not None:
                self.act.look_at(f"{FOLDER}/{one.id}.md")
                self.room.drop(one)
                self.act.done(f"{FOLDER}/{one.id}.md", f"{TAKEN_BACK}: {why}")
            self.waiting.remove(one)
            self.taken_back.append(Decision(one, TAKEN_BACK, why=why))

    def take(self, suggestion: Suggestion) -> None:
        """Propose what is suggested, if it is new."""
        entry = page_proposals.without_secrets(suggestion.entry)
        if not entry.words.strip():
            return
        suggestion = replace(suggestion, entry=entry)
        verdict = self._verdict(suggestion)
        if verdict == "new" and len(self.proposals) >= MAX_NEW:
            verdict = "left_out"
        self.counts[verdict] += 1
        if verdict == "new":
            self._propose(suggestion)

    def take_said(self, kind: str, text: str, sources: list[str]) -> None:
        """Propose as a memory what the person said, if it is new; that it was said in several sessions is evidence."""
        verdict, name = self.judge.verdict(self.scope, text)
        if verdict == "new" and len(self.proposals) >= MAX_NEW:
            verdict = "left_out"
        self.counts[verdict] += 1
        if verdict != "new":
            return
        proposal = Proposal(
            id=name,
            text=text,
            scope=self.scope,
            title=first_words(text),
            type=SAID_TYPES[kind],
            source=SOURCE,
            evidence=f"said in {count(len(sources), 'session')}: {', '.join(sources[-3:])}",
            created=self.at,
        )
        self.judge.add(proposal)
        if self.act is not None:
            self.act.look_at(f"{FOLDER}/{name}.md")
            self.room.put(proposal)
            self.act.done(f"{FOLDER}/{name}.md", "proposed as a memory")
        self.proposals.append(proposal)

    def _verdict(self, suggestion: Suggestion) -> str:
        entry = suggestion.entry
        is_decision = entry.section == distil_rules.DECISIONS
        standing = "new" if is_decision else page.standing(self.material.page, entry)
        if standing == "known" or (is_decision and distil_rules.is_decided(entry, self.material)):
            return "known"
        if distil_rules.outdated(entry, suggestion.evidence, self.material):
            return "refused"
        ids = {page_proposals.id_for(scope, entry) for scope in self.scopes}
        base = {page_proposals.base_id(scope, entry) for scope in self.scopes}
        if not self.rejected.isdisjoint(ids | base if standing == "new" else ids):
            return "rejected"
        if any(ids & {one.id, page_proposals.id_now(one)} for one in self.waiting):
            return "waiting"
        # The same entry waits with another value that a person or this run wrote.
        same = [one for one in self.waiting if self._base_of(one) in base]
        if any(one in self.proposals or page_proposals.id_now(one) != one.id for one in same):
            return "waiting"
        return "refused" if self.judge.is_forgotten(self.scope, entry.name) else "new"

    def _base_of(self, waiting: Proposal) -> str:
        try:
            return page_proposals.base_id(waiting.scope, page_proposals.entry_of(waiting))
        except BrokenFile:
            return ""

    def _propose(self, suggestion: Suggestion) -> None:
        """Write the proposal, in the place of one that waits with an older value."""
        entry = suggestion.entry
        proposal = Proposal(
            id=page_proposals.id_for(self.scope, entry),
            text=page.text_of(entry),
            scope=self.scope,
            kind=page_proposals.KIND,
            title=f"{entry.section}: {first_words(entry.name)}",
            type="decision" if entry.section == distil_rules.DECISIONS else "project",
            source=f"{SOURCE} {suggestion.agent}".strip(),
            agent=suggestion.agent,
            evidence=suggestion.evidence,
            created=self.at,
        )
        older = [one for one in self.waiting if self._base_of(one) == page_proposals.base_id(self.scope, entry)]
        if self.act is not None:
            for one in (proposal, *older):
                self.act.look_at(f"{FOLDER}/{one.id}.md")
            self.room.put(proposal)
            for one in older:
                self.room.drop(one)
            where = "decisions.md" if entry.section == distil_rules.DECISIONS else region.PAGE
            self.act.done(f"{FOLDER}/{proposal.id}.md", f"proposed for {where}")
        self.waiting = [*(one for one in self.waiting if one not in older), proposal]
        self.proposals.append(proposal)


def _said(material: Material) -> dict[tuple[str, str], list[str]]:
    """Return the preferences and values that the person stated, as they stand alone, with the sessions of each."""
    found: dict[tuple[str, str], list[str]] = {}
    words: dict[str, tuple[str, str]] = {}
    for work in material.works:
        for kind, sentence in work.said:
            text = tidied(page_proposals.clean(sentence))
            if text:
                found.setdefault(words.setdefault(region.plain(text), (kind, text)), []).append(work.source)
    return {name: list(dict.fromkeys(sources)) for name, sources in found.items()}


def gather(workspace: Workspace, since: str, *, remember: bool) -> Material:
    """Return what the sources say from a time on; with `remember` it is noted since when each todo is known."""
    where = folders(workspace)
    at = now()
    works, loose = _works(workspace, where[0], since)
    decided, ended = page_proposals.decided(workspace, workspace.visible("project"))
    text = page.read(where)
    return Material(
        today=at[:10],
        works=tuple(works),
        decided=tuple(decided),
        ended=tuple(ended),
        loose=tuple(loose),
        tasks=tuple(_tasks(workspace, pages.todos(where), text, at[:10], remember=remember)),
        page=text,
    )


def _works(workspace: Workspace, folder: str, since: str) -> tuple[list[SessionWork], list[FoundDecision]]:
    """Return one record for each session: by its digest, and by the log where there is no digest of it."""
    root = workspace.project().root
    found = {work.source: work for work in _digested(workspace, root, since)}
    loose: list[FoundDecision] = []
    for day in [day for day in log.days(folder)[:MAX_DAYS] if day >= since[:10]]:
        try:
            told, said = log.entries(folder, day)
        except HoldfastError as problem:
            workspace.say(f"log/{day}.md is passed over: {problem}")
            continue
        loose += [FoundDecision(day, text, source=f"log/{day}.md") for text in said]
        for entry in told:
            name = f"{entry.agent}/{entry.session}"
            there = found.get(name) or _logged(entry, root, day)
            decided = tuple(dict.fromkeys((*there.decided, *log.decided(entry))))
            said_too = [(kind, text) for kind, text in log.said(entry) if kind in SAID_TYPES and text]
            found[name] = replace(there, decided=decided, said=tuple(dict.fromkeys((*there.said, *said_too))))
    return list(found.values()), loose


def _digested(workspace: Workspace, root: str, since: str) -> list[SessionWork]:
    project, archive = workspace.project(), Archive(workspace.home)
    wanted = Wanted(project.ids, since=since, subagents=False)
    found = []
    for row in sessions.ask(workspace, lambda table: table.find(wanted, MAX_SESSIONS)):
        try:
            found.append(_of_digest(archive.digest(row.name), root))
        except NotFound:
            continue
        except HoldfastError as problem:
            workspace.say(f"{row.name} is passed over: {problem}")
    return found


def _of_digest(digest: Digest, root: str) -> SessionWork:
    session, outcome = digest.session, digest.outcome
    # That a question was answered ends no work.
    is_answer = [one.name for one in outcome.evidence] == ["answered"]
    paths = [_path(change, session.folder, root) for change in digest.files]
    return SessionWork(
        source=session.name,
        agent=session.agent,
        ended=session.ended or session.started,
        title=digest.title,
        outcome="unknown" if is_answer else outcome.kind,
        branches=digest.branches or ((session.branch,) if session.branch else ()),
        files=tuple(dict.fromkeys(path for path in paths if path)),
        merged=tuple(_merged(digest)),
        failed=tuple(_failed(digest)),
        decided=tuple(one.text for one in digest.said if one.kind == "decision"),
        said=tuple((one.kind, one.text) for one in digest.said if one.kind in SAID_TYPES),
    )


def _failed(digest: Digest) -> list[str]:
    """Return what still failed at the end: checks, or where none did the last errors that nobody put right."""
    checks = [run.text.removesuffix("2>&1").strip() for run in digest.checks if run.result == "failed"]
    # The same check behind a wrapper is no second gap.
    checks = [one for one in dict.fromkeys(checks) if not any(one != other and one.endswith(other) for other in checks)]
    left = [trouble.text for trouble in digest.troubles if trouble.ended == "left"]
    return checks or list(dict.fromkeys(left))[-_MAX_TROUBLES:]


def _merged(digest: Digest) -> list[str]:
    """Return the branches that a session merged: those that it named, or with a pull request its own."""
    found: list[str] = []
    passed = [one for run in digest.commands if run.result == "passed" for one in commands.parse(run.text)]
    for words in [one.words for one in passed if one.kind == "merge" and "merge" in one.words]:
        at = words.index("merge")
        found += digest.branches if words[at - 1] in ("pr", "mr") else ()
        # Behind these options stands no name of a branch.
        end = next((place for place in range(at, len(words)) if words[place] in _ENDS_NAMES), len(words))
        found += [word.removeprefix("origin/") for word in words[at + 1 : end] if word[:1] != "-"]
    return found


def _path(change: FileChange, folder: str, root: str) -> str:
    """Return a changed file as seen from the project's root, nothing for one outside of it."""
    whole = os.path.normpath(os.path.join(change.folder or folder, change.path))
    # A session may have worked in another clone or worktree of the same project.
    for base in (root, folder):
        if base and whole.startswith(base.rstrip("/") + "/"):
            return whole[len(base.rstrip("/")) + 1 :]
    return ""


def _logged(entry: LogEntry, root: str, day: str) -> SessionWork:
    paths = [path.removeprefix(root.rstrip("/") + "/") if root else path for path in entry.files]
    return SessionWork(
        source=f"{entry.agent}/{entry.session}",
        agent=entry.agent,
        ended=entry.ended or entry.began or day,
        title=entry.title,
        outcome=entry.outcome,
        files=tuple(path for path in paths if path and not os.path.isabs(path)),
        failed=entry.failed,
    )


def _tasks(workspace: Workspace, todos: tuple[Todo, ...], text: str, today: str, *, remember: bool) -> list[KnownTodo]:
    """Return the todos, each with the day since when it is known to stand there; one that was taken out as done."""
    path = os.path.join(workspace.home, "state", "distil", f"{workspace.project().id}.tsv")
    noted = [line.decode("utf-8", "replace").split("\t") for line in rows.read(path)]
    seen = {row[0]: row[1] for row in noted if len(row) == 2}
    unchanged = today
    # What stands on a page stands there at least since it was last written.
    with suppress(OSError):
        unchanged = iso(os.stat(path_of(workspace, distil_rules.TODO_PAGE), follow_symlinks=False).st_mtime)[:10]
    found, known = [], {}
    for todo in todos:
        name = hash_of(todo.text, length=16)
        known[name] = min(seen.get(name, today), unchanged)
        found.append(KnownTodo(page_proposals.clean(todo.text), todo.done, known[name]))
    # To-dos that the page has as gaps which are open, and that its own page has no longer.
    gaps = [row.name for row in page.entries(text) if row.section == "Known gaps" and row.value != page.CLOSED]
    for gone in [name[len(distil_rules.TODO_GAP) :] for name in gaps if name.startswith(distil_rules.TODO_GAP)]:
        name = hash_of(gone, length=16)
        if name in seen and name not in known:
            # It is remembered as long as the page has it as an open gap.
            known[name] = seen[name]
            found.append(KnownTodo(gone, True, known[name]))
    if remember and known != seen:
        files.put(path, "".join(f"{name}\t{day}\n" for name, day in known.items()).encode())
    return found
