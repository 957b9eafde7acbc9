"""Distil the daily logs and digests of a project into proposals for its page, MEMORY.md. No model unless asked for.

What the page says already, what waits and what was rejected or forgotten is only counted. What waits is taken back when
its decision or to-do came to an end. Nothing is written but proposals and, in `state/`, since when each todo is known.
"""

from __future__ import annotations

import os
from collections import Counter

from holdfast.app.proposals import Decision, Judge
from holdfast.base.clock import now
from holdfast.base.light_records import dataclass, replace
from holdfast.continuity import distil_standing, distil_with, page, page_proposals
from holdfast.continuity.distil import Suggestion, is_struck, is_struck_by_now, outdated, suggest
from holdfast.continuity.distil_sources import gather
from holdfast.continuity.distil_with import Help
from holdfast.continuity.notes import folders
from holdfast.errors import BrokenFile
from holdfast.language import when
from holdfast.memory import audit
from holdfast.memory.proposal_files import FOLDER, Proposals
from holdfast.records import Proposal, Scope
from holdfast.store.memory_file import first_words
from holdfast.workspace import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.continuity.distil import Material
    from holdfast.memory.audit import Act

MAX_NEW = 40
SOURCE = "distil"
TAKEN_BACK = "taken back"


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
    project = workspace.project()
    asked = distil_with.whom(workspace, wish) if wish else None
    start = when.moment(since or f"{workspace.settings.number('distil.days')}d", now())
    material = gather(workspace, start, remember=not dry_run)
    help = distil_with.help_with(workspace, material, asked, dry_run=dry_run) if asked else None
    with audit.Act(workspace, "distil") as act:
        run = _Run(workspace, material, None if dry_run else act)
        run.take_back()
        for suggestion in (*suggest(material), *(help.suggestions if help else ())):
            run.take(suggestion)
    if not dry_run:
        audit.trim(workspace)
    return Distilled(
        project=project.id,
        path=os.path.join(folders(workspace)[0], page.PAGE),
        since=start,
        sessions=len(material.works),
        proposals=tuple(run.proposals),
        known=run.counts["known"],
        waiting=run.counts["waiting"],
        rejected=run.counts["rejected"],
        refused=run.counts["refused"],
        left_out=run.counts["left_out"],
        taken_back=tuple(run.taken_back),
        help=help,
    )


class _Run:
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
            why = distil_standing.why_outdated(one, self.material)
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
        if not page.plain(entry.name).strip():
            return
        suggestion = replace(suggestion, entry=entry)
        verdict = self._verdict(suggestion)
        if verdict == "new" and len(self.proposals) >= MAX_NEW:
            verdict = "left_out"
        self.counts[verdict] += 1
        if verdict == "new":
            self._propose(suggestion)

    def _verdict(self, suggestion: Suggestion) -> str:
        entry = suggestion.entry
        standing = page.standing(self.material.page, entry)
        if standing == "known" and not is_struck(entry) and not is_struck_by_now(entry, self.material):
            return "known"
        if outdated(entry, suggestion.evidence, self.material):
            return "refused"
        ids = {distil_standing.id_for(scope, entry) for scope in self.scopes}
        base = {page_proposals.base_id(scope, entry) for scope in self.scopes}
        if not self.rejected.isdisjoint(ids | base if standing == "new" else ids):
            return "rejected"
        if any(ids & {one.id, distil_standing.id_now(one)} or self._is_kept(one, base) for one in self.waiting):
            return "waiting"
        return "refused" if self.judge.is_forgotten(self.scope, entry.name) else "new"

    def _is_kept(self, waiting: Proposal, base: set[str]) -> bool:
        """Whether a proposal waits for the same entry with another value that a person or this run wrote."""
        is_same = self._base_of(waiting) in base
        return is_same and (waiting in self.proposals or distil_standing.id_now(waiting) != waiting.id)

    def _base_of(self, waiting: Proposal) -> str:
        try:
            return page_proposals.base_id(waiting.scope, page_proposals.entry_of(waiting))
        except BrokenFile:
            return ""

    def _propose(self, suggestion: Suggestion) -> None:
        """Write the proposal, in the place of one that waits with an older value."""
        entry = suggestion.entry
        proposal = Proposal(
            id=distil_standing.id_for(self.scope, entry),
            text=page.text_of(entry),
            scope=self.scope,
            kind=page_proposals.KIND,
            title=f"{entry.section}: {first_words(entry.name)}",
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
            self.act.done(f"{FOLDER}/{proposal.id}.md", f"proposed for {page.PAGE}")
        self.waiting = [*(one for one in self.waiting if one not in older), proposal]
        self.proposals.append(proposal)
