"""Import what agents know themselves: their memory and instruction files, cut into statements, offered as proposals.

A statement is proposed once. What a memory says already, what waits already, what a person rejected and what was
forgotten or corrected is only counted.
"""

from __future__ import annotations

import os
from collections import Counter

from holdfast.agents.base import Place
from holdfast.app import proposals as decisions
from holdfast.app.proposals import Decision, Judge
from holdfast.base.light_records import dataclass
from holdfast.errors import BadInput, ScopeUnknown
from holdfast.exchange import statements
from holdfast.exchange.import_sources import Source, place_of, sources, text_of
from holdfast.exchange.statements import Cut, Found
from holdfast.memory import scaffold
from holdfast.memory.proposal_files import Proposals, id_of
from holdfast.privacy import redact
from holdfast.records import Draft, Problem, Proposal, Scope
from holdfast.workspace import Workspace, now, redacted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_TEMPLATES = ("definition.md", "index.md", "scope.md")


@dataclass(frozen=True, slots=True)
class FileImport:
    """What an import made of one file: how many of its statements are new, wait, are known, rejected, refused.

    `mentions` are other files that it names by `@path`, which were not opened; `redacted` the kinds of secret.
    """

    agent: str
    scope: str
    kind: str
    path: str
    new: int = 0
    waiting: int = 0
    known: int = 0
    rejected: int = 0
    refused: int = 0
    mentions: tuple[str, ...] = ()
    redacted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Imported:
    """The answer to an import: its files, what is newly proposed, what was decided at once, and what was wrong."""

    files: tuple[FileImport, ...]
    proposals: tuple[Proposal, ...]
    decisions: tuple[Decision, ...] = ()
    problems: tuple[Problem, ...] = ()


def import_memories(
    workspace: Workspace,
    agents: tuple[str, ...] = (),
    *,
    paths: tuple[str, ...] = (),
    scope: str = "",
    dry_run: bool = False,
    approve: bool = False,
) -> Imported:
    """Propose what the files say and nobody knows yet; with `approve` make memories of it at once."""
    workspace.need_enabled()
    if scope not in ("", "global", "project"):
        raise BadInput(f"{scope!a} is no scope of an import", "Use global or project.")
    if scope and not paths:
        raise BadInput("a scope is for named files", "Give --file, or leave --scope out: each file has its own.")
    found = sources(workspace, agents, paths, scope)
    for kind in dict.fromkeys(source.scope for source in found if paths):
        # A file that a person names has to go where it was meant to, or nowhere.
        workspace.scope(kind)
    run = _Run(workspace, dry_run=dry_run)
    for source in found:
        run.take(source)
    decided = decisions.approve(workspace, tuple(run.offered)) if approve and not dry_run and run.offered else []
    return Imported(tuple(run.files), tuple(run.proposals), tuple(decided), tuple(run.problems))


class _Run:
    """One import: takes one file after the other and knows what the earlier ones proposed."""

    def __init__(self, workspace: Workspace, *, dry_run: bool) -> None:
        self.workspace = workspace
        self.dry_run = dry_run
        self.place: Place = place_of(workspace)
        self.room = Proposals(workspace.home)
        self.judge = Judge(workspace)
        self.ours = _of_the_scaffold()
        self.at = now()
        self.files: list[FileImport] = []
        self.proposals: list[Proposal] = []
        # The ids of all that these files say and that wait for a decision, earlier ones among them.
        self.offered: dict[str, None] = {}
        self.problems: list[Problem] = []

    def take(self, source: Source) -> None:
        """Propose what the file says."""
        try:
            scope = self.workspace.scope(source.scope)
        except ScopeUnknown as problem:
            self.problems.append(Problem("no-project", source.shown, str(problem), problem.hint))
            return
        text, problems = text_of(self.workspace, source, self.place)
        self.problems += problems
        if not text.strip():
            return
        text, kinds = redact.redact(text)
        cut = statements.cut(text, topic=source.kind == "memory")
        counts = Counter(self._offer(source, scope, cut, found) for found in self._own(source, cut))
        self.files.append(_told(source, cut, counts, tuple(kinds)))

    def _own(self, source: Source, cut: Cut) -> Iterator[Found]:
        """Yield the statements of the file's own: neither ours, nor a line of an index that leads to another file."""
        folder = os.path.dirname(source.path)
        for found in cut.statements:
            leads_to = statements.pointer(found.text) if source.kind == "memory" else ""
            is_index = leads_to and os.path.isfile(os.path.join(folder, leads_to))
            if not is_index and statements.same(found.text) not in self.ours:
                yield found

    def _offer(self, source: Source, scope: Scope, cut: Cut, found: Found) -> str:
        """Propose the statement where it is new; return what it is."""
        try:
            redacted(Draft(found.text, scope, title=found.title))
        except BadInput:
            return "refused"
        verdict, name = self.judge.verdict(scope, found.text)
        if verdict in ("new", "waiting"):
            self.offered[name] = None
        if verdict == "new":
            proposal = _proposal(source, scope, cut, found, self.at)
            self.judge.add(proposal)
            self.proposals.append(proposal)
            if not self.dry_run:
                self.room.put(proposal)
        return verdict


def _told(source: Source, cut: Cut, counts: Counter[str], kinds: tuple[str, ...]) -> FileImport:
    return FileImport(
        agent=source.agent,
        scope=source.scope,
        kind=source.kind,
        path=source.shown,
        new=counts["new"],
        waiting=counts["waiting"],
        known=counts["known"],
        rejected=counts["rejected"],
        refused=counts["refused"],
        mentions=cut.mentions,
        redacted=kinds,
    )


def _proposal(source: Source, scope: Scope, cut: Cut, found: Found, now: str) -> Proposal:
    at = " ".join(found.heading.split()) or f"L{found.line}"
    shown = redact.redact(source.shown)[0]
    usual = "user" if scope.kind == "global" and source.kind != "memory" else "project"
    return Proposal(
        id=id_of(scope, found.text),
        text=found.text,
        scope=scope,
        title=found.title,
        type=cut.type or usual,
        tags=cut.tags,
        source=f"{source.agent}:{shown}#{at}",
        agent=source.agent,
        evidence=f"{shown}, line {found.line}",
        created=now,
    )


def _of_the_scaffold() -> frozenset[str]:
    """Return what the pages say that Holdfast itself lays; a copy of them in a workspace is nobody's statement."""
    texts = [scaffold.template(name) for name in _TEMPLATES]
    return frozenset(statements.same(found.text) for text in texts for found in statements.cut(text).statements)
