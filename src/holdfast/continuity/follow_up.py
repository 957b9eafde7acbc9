"""Decisions are followed up: a week after it was made, the person is asked once whether a decision still holds.

The question is a proposal of the kind `still`, so it is seen where proposals are, and no agent is asked. Approving it
keeps the decision, rejecting it withdraws it; either way it is not asked again.
"""

from __future__ import annotations

import os

from holdfast.base import files
from holdfast.base.clock import days_between, now
from holdfast.errors import NotFound, Refused
from holdfast.memory.proposal_files import Proposals, id_of
from holdfast.memory.proposals import Kind
from holdfast.memory.remember import end
from holdfast.records import Filter, Proposal
from holdfast.store.kinds import parts
from holdfast.workspace import Workspace

KIND = "still"
DAYS = 7
MAX_OPEN = 3


class StillKind(Kind):
    """Approving says that the decision still holds; rejecting withdraws it."""

    def keep(self, workspace: Workspace, proposal: Proposal) -> str:
        """Return the key of the decision, which stays as it is."""
        return workspace.store.get(proposal.scope, proposal.replaces).key

    def statement(self, proposal: Proposal) -> str:
        """Return nothing that could have been forgotten: nothing is stored."""
        return proposal.id

    def id_now(self, proposal: Proposal) -> str:
        """Return another id, so that what is answered is not asked again."""
        return f"answered {proposal.id}"

    def check_holds(self, workspace: Workspace, proposal: Proposal) -> None:
        """Refuse where the decision is no more."""
        if not workspace.store.get(proposal.scope, proposal.replaces).holds:
            raise Refused("the decision was withdrawn since", f"holdfast proposals reject {proposal.id}")

    def reject(self, workspace: Workspace, proposal: Proposal) -> list[str]:
        """Withdraw the decision."""
        try:
            memory = workspace.store.get(proposal.scope, proposal.replaces)
        except NotFound:
            return []
        if memory.holds:
            end(workspace, memory)
        return []


def ask(workspace: Workspace) -> None:
    """Ask about the decisions of the person that are a week old, a few at a time.

    Those from before this was first run in the home are not asked about: nobody wants to go through all of them.
    """
    folder, at, mark = Proposals(workspace.home), now(), os.path.join(workspace.home, "state", "follow-up")
    since = files.read_if_there(mark, 40).decode("ascii", "replace")
    if not since:
        files.put(mark, at.encode(), durable=False)
        return
    waiting = [one for one in folder.all()[0] if one.kind == KIND]
    answered, asked = folder.rejected(), {one.id for one in waiting}
    for memory in workspace.store.find(Filter(None, ("decision",))):
        age = days_between(memory.created, at)
        name = id_of(memory.scope, f"{KIND} {memory.key}")
        is_due = age >= DAYS and memory.created >= since and memory.trust == "user" and memory.holds
        is_due = is_due and name not in answered | asked
        if len(asked) >= MAX_OPEN or not is_due or workspace.store.superseded_by(memory.scope, memory.key):
            continue
        asked.add(name)
        statement = parts(memory.body)[0]
        folder.put(
            Proposal(
                id=name,
                text=statement,
                scope=memory.scope,
                kind=KIND,
                title=f"Still so? {memory.title}",
                type=memory.type,
                source="follow-up",
                evidence=f"decided {memory.created[:10]}; approving keeps it, rejecting withdraws it",
                created=at,
                replaces=memory.key,
            )
        )
