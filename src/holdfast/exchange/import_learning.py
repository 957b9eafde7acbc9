"""Take over what another system learned: a folder with SYSTEM/, ALGORITHM/, FAILURES/ and SIGNALS/ratings.jsonl in it.

Ratings become ratings, failures become incidents, learnings become proposed lessons. Nothing of it stands by itself:
such systems wrote a lesson for every bad moment, so what comes from there counts for no recurrence. Taking it over
again adds nothing. No link is followed, and secrets are taken out of everything.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from holdfast.base import files
from holdfast.base.text import hash_of, one_line
from holdfast.errors import HoldfastError, NotFound
from holdfast.exchange.import_memories import FileImport, ImportResult
from holdfast.language.likeness import FEWEST, words_of
from holdfast.learning.incidents import model as incidents
from holdfast.learning.lessons import model as lessons
from holdfast.learning.lessons import standing as lesson_standing
from holdfast.learning.lessons.categories import labelled
from holdfast.learning.lessons.model import Evidence
from holdfast.learning.ratings import rate
from holdfast.memory.proposal_files import Proposals
from holdfast.privacy import redact
from holdfast.records import Problem, Proposal
from holdfast.store import front_matter
from holdfast.workspace import Workspace

AGENT = "import"
_PARTS = ("system", "algorithm", "failures", "signals")
_MAX_FILES = 5_000
_MAX_READ = 262_144
_MAX_TRANSCRIPT = 1_000_000
_MAX_STATEMENT = 400
_SHORTEST = 20
_DATE = re.compile(r"(\d{4}-\d{2}-\d{2})(?:[T_-]?(\d{2}):?(\d{2}):?(\d{2})?)?")
# A line that says something about the file, such as `**Rating:** 2/10`, and no sentence.
_FACT = re.compile(r"^[-*\s]*\*{0,2}[\w ]{2,24}:\*{0,2}\s*\S{0,40}$")


def import_learning(workspace: Workspace, folder: str, *, scope: str = "", dry_run: bool = False) -> ImportResult:
    """Take over what the folder holds; with `scope` project it counts for the project that we stand in."""
    workspace.need_enabled()
    path = os.path.abspath(os.path.expanduser(folder))
    # The folder that holds the parts: the one that was named, or the one of learnings in it.
    bases = (path, _named(path, "learning"), _named(_named(path, "memory"), "learning"))
    base = next((one for one in bases if any(files.is_plain_folder(_named(one, part)) for part in _PARTS)), "")
    if not base:
        named = f"{', '.join(_PARTS[:3])} or {_PARTS[3]}"
        raise NotFound(f"{folder} holds no learnings", f"Name a folder with {named} in it.")
    project = workspace.scope("project").owner if scope == "project" else ""
    run = _LearningImport(workspace, base, project, dry_run=dry_run)
    run.ratings()
    run.failures()
    run.learnings()
    return ImportResult(tuple(run.files), tuple(run.proposals), (), tuple(run.problems))


class _LearningImport:
    """One import of one folder."""

    def __init__(self, workspace: Workspace, base: str, project: str, *, dry_run: bool) -> None:
        self.workspace, self.base, self.project, self.dry_run = workspace, base, project, dry_run
        self.files: list[FileImport] = []
        self.proposals: list[Proposal] = []
        self.problems: list[Problem] = []

    def ratings(self) -> None:
        """Take over the rows of ratings.jsonl."""
        path = os.path.join(_named(self.base, "signals"), "ratings.jsonl")
        if os.path.isfile(path) and not os.path.islink(path):
            plan = rate.plan_import(self.workspace, path, self.project)
            new = len(plan.new) if self.dry_run else rate.apply_import(self.workspace, plan)
            self._tell(path, "ratings", new=new, known=plan.known, refused=plan.passed_over)

    def failures(self) -> None:
        """Take over each folder with a CONTEXT.md as an incident."""
        room, known = incidents.Incidents(self.workspace.home), 0
        for path in _walk(_named(self.base, "failures"), incidents.CONTEXT):
            folder = os.path.dirname(path)
            about = os.path.basename(folder).partition("_")[2] or os.path.basename(folder)
            at = _time_of(os.path.basename(folder), "")
            target = room.find(at, about.replace("-", " "), hash_of(folder[len(self.base) :]))
            is_new = not os.path.lexists(os.path.join(target, incidents.CONTEXT))
            known += not is_new
            if is_new and not self.dry_run:
                with self._problems_of(path):
                    room.put(target, self._contents(folder, target))
            if is_new:
                self._tell(folder, "failure", new=1)
        if known:
            self._tell(_named(self.base, "failures"), "failure", known=known)

    def _contents(self, folder: str, target: str) -> dict[str, bytes]:
        """Return the files of a failure without secrets; the rating gets an id, so that it is known again."""
        found = {}
        for name in (incidents.CONTEXT, incidents.TRANSCRIPT, incidents.CALLS):
            path = os.path.join(folder, name)
            if os.path.isfile(path):
                text = files.read(path, _MAX_TRANSCRIPT).decode("utf-8", "replace")
                found[name] = redact.redact(text)[0].encode("utf-8", "replace")
        told = {name: redact.redact(str(value))[0] for name, value in incidents.sentiment(folder).items()}
        name = hash_of(folder[len(self.base) :])
        found[incidents.SENTIMENT] = incidents.as_json(
            {**told, "id": name, "agent": AGENT, "folder": os.path.basename(target)}
        )
        return found

    def learnings(self) -> None:
        """Propose what each learning says."""
        for category in ("system", "algorithm"):
            for path in _walk(_named(self.base, category), ".md"):
                with self._problems_of(path):
                    self._learning(path, category)

    def _learning(self, path: str, category: str) -> None:
        text = files.read(path, _MAX_READ).decode("utf-8", "replace")
        said = one_line(lesson_standing.cleaned(statement_of(text)), _MAX_STATEMENT)
        name = os.path.relpath(path, self.base)
        if len(said) <= _SHORTEST or len(words_of(said)) < FEWEST:
            self._tell(path, "learning", refused=1)
            return
        at = _time_of(os.path.basename(path), text)
        evidence = Evidence(at, AGENT, redact.redact(name)[0], AGENT, said)
        there = lessons.room(self.workspace.home).like(self.project, evidence)
        status = {"": "new", "rejected": "rejected", "proposed": "waiting"}.get(there.status if there else "", "known")
        if not self.dry_run:
            lesson_standing.occurred(
                self.workspace, f'Learned earlier: "{said}"', self.project, evidence, category=category
            )
        if status == "new" and not self.dry_run:
            found = lessons.room(self.workspace.home).like(self.project, evidence)
            waiting = Proposals(self.workspace.home)
            self.proposals += [waiting.get(found.id)] if found and found.id in waiting.ids() else []
        self._tell(path, "learning", **{status: 1})

    @contextmanager
    def _problems_of(self, path: str) -> Iterator[None]:
        """What goes wrong with one file is told, and the others go on."""
        try:
            yield
        except HoldfastError as problem:
            self.problems.append(Problem("unreadable", path, str(problem), problem.hint))

    def _tell(self, path: str, kind: str, **counts: int) -> None:
        scope = "project" if self.project else "global"
        shown = redact.redact(os.path.relpath(path, self.base))[0]
        self.files.append(FileImport.of(AGENT, scope, kind, shown, Counter(counts)))


def statement_of(text: str) -> str:
    """Return what a learning says: its marked lines, or else the first paragraph that is more than facts about it."""
    body = front_matter.parse(text.replace("\r\n", "\n")).body
    marked = [note for line in body.splitlines() if len(note := labelled(line)) > _SHORTEST]
    if marked:
        return marked[0]
    for paragraph in body.split("\n\n"):
        lines = [
            line.replace("**", "").strip().lstrip("->*").strip()
            for line in paragraph.splitlines()
            if not line.startswith(("#", "|"))
        ]
        said = " ".join(line for line in lines if line and not _FACT.match(line))
        if len(said) > _SHORTEST:
            return said
    return next((line.lstrip("# ") for line in body.splitlines() if line.startswith("#")), "")


def _time_of(name: str, text: str) -> str:
    found = _DATE.search(name) or _DATE.search(text[:1_000])
    if found is None:
        return ""
    hour, minute, second = (part or "00" for part in found.groups()[1:])
    return f"{found[1]}T{hour}:{minute}:{second}Z"


def _named(folder: str, name: str) -> str:
    """Return the folder of that name in whatever case; its plain path where there is none."""
    try:
        found = [one for one in sorted(os.listdir(folder)) if one.casefold() == name]
    except OSError:
        found = []
    return os.path.join(folder, found[0] if found else name)


def _walk(folder: str, ending: str) -> Iterator[str]:
    """Yield the files below a folder whose names end so, in order; no link is followed."""
    if not files.is_plain_folder(folder):
        return
    count = 0
    for parent, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(parent, name)
            if name.endswith(ending) and not os.path.islink(path) and count < _MAX_FILES:
                count += 1
                yield path
