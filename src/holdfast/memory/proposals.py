"""Proposals: list what waits, and approve, reject, snooze or edit it. Only an approved one is kept.

What an approved one becomes is up to its kind. A memory is the kind that is always there; a feature that proposes
something else brings a `Kind` of its own, and `app/proposals.py` has the table of all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from holdfast.base import clock
from holdfast.base.clock import now
from holdfast.base.text import check_text
from holdfast.errors import (
    BadInput,
    BrokenFile,
    Conflict,
    Forgotten,
    HoldfastError,
    NotFound,
    Refused,
    ScopeUnknown,
    StoreUnavailable,
    SwitchedOff,
)
from holdfast.memory import audit
from holdfast.memory import edit as editing
from holdfast.memory.proposal_files import FOLDER, SNOOZED, Proposals, heard_in, id_of, same
from holdfast.memory.remember import end, put
from holdfast.privacy import redact
from holdfast.recall.embed import plain, words
from holdfast.recall.fusion import ALIKE
from holdfast.records import Draft, Filter, Memory, Problem, Proposal, Scope, replace
from holdfast.store.keys import automatic_key, automatic_keys
from holdfast.store.kinds import tidied
from holdfast.store.memory_file import split_title
from holdfast.workspace import Workspace

SNOOZE_DAYS = 30
MAX_SNOOZE_DAYS = 3_650
EDITED = "edited before it was approved"
APPROVED = "what was heard in that message was approved"
_UNREADABLE = "(cannot be read)"
_LOOKED_AT = 20
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Decision:
    """What became of a proposal: `act` is approved, rejected, snoozed, skipped or refused.

    `key` names the memory that an approved one became, or the page that it stands on; `why` is the reason of a
    rejection or refusal, or the end of a snooze. `update` is what undoes it.
    """

    proposal: Proposal
    act: str
    key: str = ""
    why: str = ""
    exit_code: int = 0
    update: str = ""


class Kind:
    """What proposals of a kind become. This one is the kind `memory`; others override what differs."""

    # Whether the files that approving changes are all that there is to undo.
    can_be_undone = True
    # By approving it the person makes it theirs.
    trust = "user"

    def keep(self, workspace: Workspace, proposal: Proposal) -> str:
        """Store what the proposal says, if it is not there already, and return the key."""
        if proposal.replaces:
            return put(workspace, replace(_draft(proposal, self.trust), key=proposal.replaces)).memory.key
        for key in automatic_keys(split_title(proposal.text).statement):
            try:
                there = workspace.store.get(proposal.scope, key)
            except NotFound:
                break
            # A statement that is stored already keeps its words; only whose it is may change.
            if same(there.body) == same(proposal.text):
                return put(workspace, Draft(there.body, there.scope, key=key, trust=self.trust)).memory.key
        return put(workspace, _draft(proposal, self.trust)).memory.key

    def statement(self, proposal: Proposal) -> str:
        """Return what would be known; where that was forgotten or corrected, the proposal is refused."""
        return proposal.text

    def id_now(self, proposal: Proposal) -> str:
        """Return the id of what the proposal says now, as it may have been edited since."""
        return proposal.id if proposal.replaces else id_of(proposal.scope, proposal.text)

    def check_holds(self, workspace: Workspace, proposal: Proposal) -> None:
        """Raise Refused where what was proposed is true no longer."""

    def files(self, proposal: Proposal) -> tuple[str, ...]:
        """Return the files, below the home, that approving changes beside memories."""
        return ()

    def reject(self, workspace: Workspace, proposal: Proposal) -> list[str]:
        """Note that it was rejected, and return further ids that must not come back."""
        return []

    def noted_in(self, workspace: Workspace, proposal: Proposal) -> tuple[str, ...]:
        """Return the files, below the home, in which `reject` notes it beside memories."""
        return ()


class EndKind(Kind):
    """An approved one withdraws the memory that it names."""

    def keep(self, workspace: Workspace, proposal: Proposal) -> str:
        """Strike the memory through, and return its key."""
        return end(workspace, workspace.store.get(proposal.scope, proposal.replaces)).memory.key

    def statement(self, proposal: Proposal) -> str:
        """Return nothing: what would be withdrawn may have been forgotten meanwhile."""
        return proposal.id

    def id_now(self, proposal: Proposal) -> str:
        """Return its own id, whatever its text says now."""
        return proposal.id

    def check_holds(self, workspace: Workspace, proposal: Proposal) -> None:
        """Refuse where the memory says something else by now."""
        there = workspace.store.get(proposal.scope, proposal.replaces)
        if same(there.body) != same(proposal.text):
            raise Refused(f"{there.key} says something else by now", f"holdfast proposals reject {proposal.id}")


class AgainKind(Kind):
    """An approved one is stored again although another machine forgot it: the person put it in place here meanwhile."""

    def statement(self, proposal: Proposal) -> str:
        """Return nothing: it was forgotten, and the person is asked whether it holds."""
        return proposal.id


MEMORY = Kind()
KINDS: Mapping[str, Kind] = {"memory": MEMORY, "end": EndKind(), "again": AgainKind()}


def waiting(workspace: Workspace) -> tuple[list[Proposal], list[Problem]]:
    """Return all proposals that wait and are not put off, and the files among them that cannot be read."""
    if not workspace.enabled:
        return [], []
    folder = Proposals(workspace.home)
    (found, problems), later = folder.all(), folder.snoozed(now())
    return [one for one in found if one.id not in later], problems


def every_id(workspace: Workspace) -> tuple[str, ...]:
    """Return the ids of all that wait, oldest first, and behind them those whose files cannot be read."""
    found, problems = waiting(workspace)
    return (*(one.id for one in found), *(one.path.rpartition("/")[2].removesuffix(".md") for one in problems))


def show(workspace: Workspace, name: str) -> Proposal:
    """Return the proposal whose id begins with this."""
    workspace.need_enabled()
    return Proposals(workspace.home).get(name)


def alike(workspace: Workspace, proposal: Proposal) -> list[Memory]:
    """Return memories that say nearly the same, best first, so that a person sees a repetition or a contradiction."""
    scopes = readable(workspace, proposal.scope)
    workspace.refresh(scopes)
    said = frozenset(map(plain, words(proposal.text)))

    def is_alike(memory: Memory) -> bool:
        other = frozenset(map(plain, words(memory.body)))
        return len(said & other) >= ALIKE * (len(said | other) or 1)

    found = [one.memory for one in workspace.store.search(proposal.text, Filter(scopes), _LOOKED_AT)]
    return [memory for memory in found if is_alike(memory)][:_SHOWN]


def approve(workspace: Workspace, names: tuple[str, ...], kinds: Mapping[str, Kind] = KINDS) -> list[Decision]:
    """Keep these proposals as their kinds say. One that a rule refuses stays, with the reason."""
    workspace.need_enabled()
    folder = Proposals(workspace.home)
    judge = Judge(workspace)
    return [_approved(workspace, folder, judge, kinds, name) for name in _each(folder, names)]


def _approved(workspace: Workspace, folder: Proposals, judge: Judge, kinds: Mapping[str, Kind], name: str) -> Decision:
    try:
        proposal = folder.get(name)
        kind = kinds.get(proposal.kind)
        if kind is None:
            raise Refused(f"it is of the kind {proposal.kind}", "Decide on it with `holdfast proposals`.")
    except HoldfastError as problem:
        return _refused(_unreadable(name), problem)
    try:
        workspace.refresh_once(proposal.scope)
        # One that names the memory in whose place it comes may say what that one said before: the person decides again.
        if judge.is_forgotten(proposal.scope, kind.statement(proposal), or_corrected=not proposal.replaces):
            hint = "Store it with `holdfast remember` if it holds again."
            raise Forgotten("it was forgotten or corrected", hint)
        kind.check_holds(workspace, proposal)
        key, update = _kept(workspace, folder, kind, proposal)
    except (StoreUnavailable, SwitchedOff):
        raise
    except HoldfastError as problem:
        return _refused(proposal, problem)
    return Decision(replace(proposal, status="approved"), "approved", key=key, update=update)


def _unreadable(name: str) -> Proposal:
    return Proposal(name, "", Scope("global"), title=_UNREADABLE)


def _refused(proposal: Proposal, problem: HoldfastError) -> Decision:
    return Decision(proposal, "refused", why=f"{problem}. {problem.hint}".strip(), exit_code=problem.exit_code)


def _kept(workspace: Workspace, folder: Proposals, kind: Kind, proposal: Proposal) -> tuple[str, str]:
    """Keep what the proposal says and take it from those that wait; return the key or page, and the update."""
    with audit.Act(workspace, "proposals approve", keep=kind.can_be_undone) as act:
        for path in (f"{FOLDER}/{proposal.id}.md", *kind.files(proposal)):
            act.look_at(path)
        key = kind.keep(workspace, proposal)
        if kind.id_now(proposal) != proposal.id:
            # The original must not come back as a new proposal beside the person's edit of it.
            folder.reject([proposal.id], EDITED, now())
        folder.reject(heard_in(proposal), APPROVED, now())
        folder.drop(proposal)
        act.done(f"{FOLDER}/{proposal.id}.md", f"kept as {key}")
    return key, act.id


def _draft(proposal: Proposal, trust: str) -> Draft:
    return Draft(
        text=tidied(proposal.text),
        scope=proposal.scope,
        title=proposal.title,
        type=proposal.type,
        tags=proposal.tags or None,
        trust=trust,
        source=proposal.source,
        agent=proposal.agent,
    )


def reject(
    workspace: Workspace, names: tuple[str, ...], *, reason: str = "", kinds: Mapping[str, Kind] = KINDS
) -> list[Decision]:
    """Say no to these proposals for good. A file that cannot be read can be rejected, too."""
    workspace.need_enabled()
    folder = Proposals(workspace.home)
    cleaned = redact.redact(reason)[0]
    return [_rejected(workspace, folder, kinds, name, cleaned) for name in _each(folder, names)]


def _rejected(workspace: Workspace, folder: Proposals, kinds: Mapping[str, Kind], name: str, reason: str) -> Decision:
    try:
        proposal = folder.get(name)
    except BrokenFile:
        proposal = _unreadable(name)
    except HoldfastError as problem:
        return _refused(_unreadable(name), problem)
    ids = [proposal.id]
    with audit.Act(workspace, "proposals reject") as act:
        act.look_at(f"{FOLDER}/{proposal.id}.md")
        if proposal.text:
            kind = kinds.get(proposal.kind, MEMORY)
            for path in kind.noted_in(workspace, proposal):
                act.look_at(path)
            ids += [kind.id_now(proposal), *kind.reject(workspace, proposal), *heard_in(proposal)]
        folder.reject(ids, reason, now())
        folder.drop(proposal)
        act.done(f"{FOLDER}/{proposal.id}.md", reason or "a person said no to it")
    return Decision(replace(proposal, status="rejected"), "rejected", why=reason, update=act.id)


def snooze(workspace: Workspace, names: tuple[str, ...], *, days: int = SNOOZE_DAYS) -> list[Decision]:
    """Put these proposals off for a number of days."""
    workspace.need_enabled()
    if not 1 <= days <= MAX_SNOOZE_DAYS:
        raise BadInput(f"{days} days cannot be used", f"Give a number from 1 to {MAX_SNOOZE_DAYS:,}.")
    folder = Proposals(workspace.home)
    until = clock.iso(clock.seconds(now()) + days * clock.DAY_SECONDS)
    found = [folder.get(name) for name in _each(folder, names)]
    with audit.Act(workspace, "proposals snooze") as act:
        act.look_at(f"{FOLDER}/{SNOOZED}")
        folder.snooze([one.id for one in found], until)
        for one in found:
            act.done(f"{FOLDER}/{one.id}.md", f"put off until {until[:10]}")
    return [Decision(one, "snoozed", why=until, update=act.id) for one in found]


def edit(workspace: Workspace, name: str) -> tuple[Proposal, bool]:
    """Open the proposal's file in the editor; return the proposal and whether it changed."""
    workspace.need_enabled()
    folder = Proposals(workspace.home)
    proposal = folder.get(name)
    before = folder.text(proposal)
    after = editing.edited(before, proposal.id, editing.editor(workspace))
    try:
        return rewrite(workspace, proposal, before, after), after != before
    except (BrokenFile, Conflict) as problem:
        kept = editing.kept_aside(redact.redact(after)[0], proposal.id)
        raise type(problem)(f"{problem}; nothing was changed", f"What you wrote is in {kept}.") from problem


def rewrite(workspace: Workspace, proposal: Proposal, before: str, after: str) -> Proposal:
    """Return the proposal with the text that a person made of it; Conflict where it changed meanwhile."""
    if after == before:
        return proposal
    check_text(after)
    after, kinds = redact.redact(after)
    if kinds:
        workspace.say(f"redacted before it was stored: {', '.join(kinds)}")
    return Proposals(workspace.home).rewrite(proposal, before, after)


def review(
    workspace: Workspace, ask: Callable[[Proposal, int, int], str], kinds: Mapping[str, Kind] = KINDS
) -> Iterator[Decision]:
    """Walk through all that wait: `ask` answers for each with a (approve), e (edit), r (reject), s (skip) or q (quit).

    An edited one is asked for again. Each decision holds when it is yielded.
    """
    found = waiting(workspace)[0]
    for place, proposal in enumerate(found, 1):
        answer = ask(proposal, place, len(found))
        while answer == "e":
            # A failed edit is reported, and does not end the review.
            try:
                proposal = edit(workspace, proposal.id)[0]
            except (BadInput, Conflict) as problem:
                workspace.say(f"{problem}. {problem.hint}")
            answer = ask(proposal, place, len(found))
        if answer == "q":
            return
        if answer == "s":
            yield Decision(proposal, "skipped")
        elif answer in ("a", "r"):
            yield from (approve if answer == "a" else reject)(workspace, (proposal.id,), kinds=kinds)
        else:
            raise BadInput(f"{answer!a} is not an answer", "Use a, e, r, s or q.")


def _each(folder: Proposals, names: tuple[str, ...]) -> list[str]:
    """Return the ids that are meant; where one is wrong, nothing is done for any."""
    return list(dict.fromkeys(folder.find(name) for name in names))


def readable(workspace: Workspace, scope: Scope) -> tuple[Scope, ...]:
    """Return the scope and those that hold where it does: the other ids of the project, and global."""
    seen: tuple[Scope, ...] = ()
    if scope.kind == "project":
        try:
            seen = workspace.visible("project")
        except ScopeUnknown:
            seen = ()
    return tuple(dict.fromkeys((scope, *(seen if scope in seen else ()), Scope("global"))))


class Judge:
    """Tells of a statement whether it is new, known, waiting, rejected or refused; it reads the memories once."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        folder = Proposals(workspace.home)
        self._rejected = folder.rejected()
        # An edited file counts as its original text and as its present one.
        self._waiting = {name: name for name in folder.ids()}
        self._waiting |= {id_of(one.scope, one.text): one.id for one in folder.all()[0]}
        self._said: dict[Scope, frozenset[str]] = {}

    def add(self, proposal: Proposal) -> None:
        """Note that this one waits now."""
        self._waiting[proposal.id] = proposal.id

    def verdict(self, scope: Scope, text: str) -> tuple[str, str]:
        """Return new, waiting, known, rejected or refused, and the id of what waits or would."""
        scopes = readable(self.workspace, scope)
        ids = [id_of(one, text) for one in scopes]
        for one in scopes:
            if one not in self._said:
                self.workspace.refresh((one,))
                found = self.workspace.store.find(Filter((one,)))
                self._said[one] = frozenset(same(memory.body) for memory in found)
            # A memory is stored without the word that introduces it.
            if not self._said[one].isdisjoint((same(text), same(tidied(text)))):
                return "known", ids[0]
        if not self._rejected.isdisjoint(ids):
            return "rejected", ids[0]
        name = next((self._waiting[each] for each in ids if each in self._waiting), "")
        if name:
            return "waiting", name
        return ("refused" if self.is_forgotten(scope, text) else "new"), ids[0]

    def is_forgotten(self, scope: Scope, text: str, *, or_corrected: bool = True) -> bool:
        """Whether the statement was forgotten, or corrected, here or for everywhere."""
        store = self.workspace.store
        return any(
            store.forgot(one, automatic_key(said), said) or (or_corrected and store.was_corrected(one, said))
            for one in readable(self.workspace, scope)
            for said in {split_title(each).statement for each in (text, tidied(text))}
        )
