"""One sync: look at the remote, merge what it has with what the home has, write that into the home, publish it.

Atomic: each file is replaced whole, and only where it is as it was when it was read. Stop it anywhere: merging what was
merged half-way once more comes to the same, and the home and the remote agree on a state only when the home has all of
it. Two syncs of one home wait for each other; two of different homes are told apart by the remote, and the later one
merges again.

Bounded: a file that holds a secret stays here and is told, and so is a remote that would take out many memories at
once without a forget.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from holdfast.base import files
from holdfast.base.clock import now
from holdfast.base.text import count
from holdfast.errors import Conflict, HoldfastError, NeedsConsent, NotFound, Refused
from holdfast.exchange.sync import erasing, merging, payload
from holdfast.exchange.sync.depot import Behind, BranchState, Damaged, Depot, Unreachable, blob_of, has_remote, telling
from holdfast.exchange.sync.merge_base import Agreed
from holdfast.journal import notices
from holdfast.journal.updates import Updates
from holdfast.memory import audit
from holdfast.memory.proposal_files import Proposals, id_of
from holdfast.privacy.erased import Erased
from holdfast.privacy.redact import redact
from holdfast.records import Memory, Proposal, Step
from holdfast.rules import table
from holdfast.store.memory_file import first_words
from holdfast.workspace import Workspace

Tree = Mapping[str, bytes]
Forget = Callable[[list[Memory], tuple[str, ...]], None]

SOURCE = "sync"
# What to do about a remote that keeps its history.
WAY_OUT = "Let the remote take a forced push of the branch holdfast; every sync tries again"
_ROUNDS = 6
# A remote that takes out more memories than this, and than this share of all, is asked about first.
_MANY, _LARGE_SHARE = 20, 0.3


@dataclass(slots=True)
class Synced:
    """What a sync did: files that came and went out, what was taken out, and what a person should know of."""

    received: list[str] = field(default_factory=list)
    sent: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    conflicts: list[str] = field(default_factory=list)
    forgotten: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    elsewhere: int = 0
    gave_way: list[str] = field(default_factory=list)
    struck: list[str] = field(default_factory=list)
    held_back: list[str] = field(default_factory=list)
    held_out: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    not_put: list[str] = field(default_factory=list)
    kept_history: str = ""
    offline: str = ""
    dry_run: bool = False

    def steps(self) -> list[Step]:
        """Return it as a plan."""
        return [
            *(Step("receive", path, "changed at the remote") for path in self.received),
            *(Step("remove", path, "gone at the remote") for path in self.removed),
            *(Step("send", path, "changed here") for path in self.sent),
            *(Step("keep", path, "has a secret in it, so it stays here") for path in self.held_back),
        ]


def sync(
    workspace: Workspace, forget: Forget, *, seconds: float = 60.0, dry_run: bool = False, yes: bool = False
) -> Synced:
    """Make the home and the remote alike. Without a network it does nothing and says so in `offline`.

    `forget` is given the memories and the sessions that another machine forgot, before they go.
    """
    workspace.need_enabled()
    depot = Depot(workspace.home, seconds=seconds)
    if not has_remote(workspace.home):
        raise NotFound("this home has no remote to sync with", "First: holdfast sync init URL")
    with files.lock_of(workspace.home, "sync", seconds):
        run = _Run(workspace, depot, forget, yes=yes, dry_run=dry_run)
        is_whole = False
        for _ in range(_ROUNDS):
            try:
                done = run.once()
                if not dry_run:
                    notices.over(workspace.home, SOURCE, run.troubles)
                return done
            except Unreachable as problem:
                run.done.offline = str(problem)
                return run.done
            except (Behind, Conflict):
                continue
            except Damaged:
                if is_whole:
                    raise
                depot.make_again()
                is_whole = True
    raise Conflict("the remote or the home changed again and again", "Run `holdfast sync` once more.")


class _Run:
    """One sync of one home."""

    def __init__(self, workspace: Workspace, depot: Depot, forget: Forget, *, yes: bool, dry_run: bool) -> None:
        self.workspace, self.depot, self.forget, self.yes, self.dry_run = workspace, depot, forget, yes, dry_run
        self.done = Synced(dry_run=dry_run)
        # What the branch tells of erases.
        self.heard = erasing.Heard({}, {}, Erased(workspace.home))
        # Stands there while what another machine forgot is forgotten here.
        self.burying = os.path.join(workspace.home, "sync", "burying")
        # What the remote has and this machine takes no part in: it stays there, and is never missed here.
        self.passed: dict[str, bytes] = {}
        # Whether the branch was begun anew by another machine since this one looked at it.
        self.is_history_replaced = False
        # What was reported that lasts until a sync finds it gone.
        self.troubles: set[str] = set()

    def once(self) -> Synced:
        """Do it; Conflict where the home changed meanwhile, Behind where the remote did."""
        agreed, commit = Agreed(self.workspace.home), self.depot.look()
        home = payload.Home(self.workspace)
        is_wanted = agreed.is_partial and home.takes(payload.DIGESTS)
        is_same = commit == agreed.commit and home.files == agreed.files and not is_wanted
        # What was erased here is gone from both, and still stands in the branch.
        if commit and is_same and not os.path.exists(self.depot.anew):
            return self.done
        known = {blob_of(data): data for data in (*agreed.files.values(), *home.files.values())}
        remote, is_older = self._placed(self.depot.state(commit, known), agreed)
        published = remote.tree
        self.heard = heard = erasing.hear(self.workspace.home, agreed.files, home.files, published)
        is_same = remote.commit == agreed.commit
        theirs = erasing.without_erased(heard.erased, published, heard.base, heard.ours, is_same=is_same)
        if theirs != published and not self.dry_run:
            # Another machine published what was erased here: the branch's history has it again.
            files.write(self.depot.anew, b"")
        self.passed = {path: theirs.pop(path) for path in list(theirs) if not home.takes(path)}
        self._hold_in(theirs, published, heard.base, home.files)
        base = {} if is_older else {path: data for path, data in heard.base.items() if home.takes(path)}
        # What cannot travel as it is counts as unchanged.
        ours = {path: heard.base[path] for path in home.left_out if path in heard.base}
        found: list[merging.Disagreement] = []
        for path, data in heard.ours.items():
            ours[path] = merging.without_markers(path, data, found)
        # Somebody may have merged the branch by hand: a home never has its markers.
        theirs = {path: merging.without_markers(path, data, found) for path, data in theirs.items()}
        merged = merging.merged(base, ours, theirs, is_burying=os.path.exists(self.burying))
        merged.conflicts += found
        self._check_many(home.files, merged)
        if self.dry_run:
            return self._told(home, merged, published)
        if agreed.commit:
            self._tell_struck(home.files, merged.files, published)
        self._apply(home, merged)
        if remote.commit:
            agreed.keep(self._had(theirs), remote.commit, remote.generation, is_partial=bool(self.passed))
        self._publish(agreed, remote, published, merged.files | self.passed)
        return self.done

    def _hold_in(self, theirs: dict[str, bytes], published: Tree, agreed: Tree, here: Tree) -> None:
        """Leave a file with a secret on the branch, and count what was agreed on in its place."""
        known = [path for path in theirs if path in published and path != payload.ERASED]
        new = [path for path in known if theirs[path] not in (agreed.get(path), here.get(path))]
        for path in [path for path in new if redact(_text(theirs[path]))[1]]:
            self.passed[path] = published[path]
            if path in agreed:
                theirs[path] = agreed[path]
            else:
                del theirs[path]
            shown = redact(path)[0]
            self.done.held_out += [shown] if shown not in self.done.held_out else []
        if self.done.held_out and not self.dry_run:
            hint = "Take it out of the branch, and change it: it was there to read."
            self._trouble("a file of the branch with a secret in it is not taken over", self.done.held_out, hint)

    def _placed(self, remote: BranchState, agreed: Agreed) -> tuple[BranchState, bool]:
        """Return the remote's state, and whether it was put back: then nothing there counts as taken out.

        What was built upon the state that was agreed on is younger, also where somebody committed it by hand and no
        generation is told; what was built upon an earlier one or upon nothing is not, however many generations it has.
        """
        if remote.commit == agreed.commit:
            return remote, False
        shared = self.depot.shared(agreed.commit, remote.commit)
        if not shared and not self.dry_run:
            # What somebody erased or forgot git may have here still, if only from a look before anything was agreed on.
            self.is_history_replaced |= bool(agreed.commit)
            self.depot.forget_old(published=False)
        if shared and shared == agreed.commit:
            return replace(remote, generation=max(remote.generation, agreed.generation + 1)), False
        return remote, bool(shared) or not remote.may_follow(agreed.commit, agreed.generation)

    def _had(self, tree: Tree) -> dict[str, bytes]:
        """Return what the home has of a tree: what could not be put there counts as never agreed on."""
        return {path: data for path, data in tree.items() if path not in (*self.done.not_put, *self.passed)}

    def _check_many(self, here: Tree, merged: merging.Merged) -> None:
        every = [path for path in here if payload.kind_of(path) == "memory"]
        gone = len([path for path in every if path not in merged.files]) - len(merged.buried)
        if gone > max(_MANY, _LARGE_SHARE * len(every)) and not self.yes and not self.dry_run:
            hint = "Look with `holdfast sync --dry-run`; `holdfast sync --yes` does it."
            raise NeedsConsent(f"the remote would take out {count(gone, 'memory')} of {len(every)}", hint)

    def _apply(self, home: payload.Home, merged: merging.Merged) -> None:
        """Write into the home what differs, what is new before what goes, so that no kill loses anything."""
        changed = {path for path, data in merged.files.items() if home.files.get(path) != data}
        changes = sorted(changed.difference(home.left_out))
        gone = sorted(path for path in home.files if path not in merged.files)
        self.done.left_out = [redact(path)[0] for path in home.left_out]
        if merged.graves:
            # First: what is killed before the tombstones come is done again.
            audit.buried(self.workspace, merged.graves)
        self.done.elsewhere = max(self.done.elsewhere, merged.elsewhere)
        if new := [one for one in merged.gave_way if one not in self.done.gave_way]:
            self.done.gave_way += new
            notices.report(self.workspace.home, SOURCE, "what you did here gave way to another machine", new)
        sessions = tuple(payload.session_of(path) for path in gone if payload.kind_of(path) == "digest")
        if new := [name for name in merged.left if name not in self.done.left]:
            self.done.left += new
            text = "a memory was forgotten on one machine; what another had said under its key by itself stays"
            notices.report(self.workspace.home, SOURCE, text, sorted({name.rpartition("/")[0] for name in new}))
        if merged.buried or merged.parted or sessions:
            self._bury(home, merged, changes, sessions)
        if changes or gone:
            self._write(home, merged.files, changes, gone)
        self._propose(merged)

    def _tell_struck(self, here: Tree, merged: Tree, published: Tree) -> None:
        """Tell which statements an erase has struck through: of those here, and of those that came with its words."""
        known = {path: data for path, data in merged.items() if path in here or published.get(path) != data}
        names = {erasing.struck_by(path, data, here.get(path)) for path, data in known.items()}
        if new := sorted({*self.heard.struck, *names} - {"", *self.done.struck}):
            self.done.struck += new
            text = "a memory lost words that were erased on another machine, and is struck through"
            hint = "If it holds, say it again with `holdfast remember`: then it stays."
            notices.report(self.workspace.home, SOURCE, text, new, hint=hint)

    def _bury(self, home: payload.Home, merged: merging.Merged, changes: list[str], sessions: tuple[str, ...]) -> None:
        """Forget here what was forgotten elsewhere; then the home is another, so it always ends in Conflict."""
        # The tombstones come first: a forget that is killed half-way is then finished, and never undone.
        files.write(self.burying, b"")
        for path in [path for path in changes if payload.kind_of(path) == "tombstones"]:
            home.put(path, merged.files[path])
        asked = {(one.scope, one.replaces) for one in Proposals(self.workspace.home).all()[0] if one.source == SOURCE}
        undecided = [f"{one.scope}/{one.key}" for one in merged.buried if (one.scope, one.key) in asked]
        parts = [home.part(one.path, grave) for one, grave in merged.parted]
        marks = Agreed(self.workspace.home).marks()
        # A part of one that was killed was found by itself, too.
        self.forget(list({(one.scope, one.key): one for one in (*merged.buried, *parts)}.values()), sessions)
        agreed = Agreed(self.workspace.home)
        agreed.take_out(agreed.marks() - marks)
        for one in merged.again:
            self._ask_again(one)
        files.remove(self.burying)
        if lost := list(dict.fromkeys([*merged.forgotten, *undecided])):
            # A forget won over what this machine had changed meanwhile, or was yet to decide on. Until they are told,
            # what is kept has its name: of nothing else would the person know what they lost.
            self.done.forgotten += lost
            text = "you changed a memory here that was forgotten on another machine, and stays forgotten"
            hint = "`holdfast remember` stores it again if it holds."
            notices.report(self.workspace.home, SOURCE, text, lost, hint=hint)
        self.done.removed += [f"{one.scope}/{one.key}" for one in merged.buried] + list(sessions)
        raise Conflict("what was forgotten is gone, and the rest is looked at again")

    def _ask_again(self, one: Memory) -> None:
        """Let the person decide on what they put in place here, and forgot on another machine: neither knew of this."""
        proposal = Proposal(
            id_of(one.scope, one.body),
            one.body,
            one.scope,
            kind="again",
            title=one.title,
            type=one.type,
            tags=one.tags,
            source=SOURCE,
            evidence="you stored or approved it here, and forgot it on another machine",
            created=now(),
            replaces=one.key,
        )
        Proposals(self.workspace.home).put(proposal)
        self.done.asked.append(f"{one.scope}/{one.key}")

    def _write(self, home: payload.Home, tree: Tree, changes: list[str], gone: list[str]) -> None:
        """Put what changed, so that it can be undone; what another machine erased is not to be had back here."""
        erased, told, heard = set(self.heard.touched), set[str](), self.heard.erased
        if self.is_history_replaced:
            by_theirs, told = erasing.erased_by_theirs(home.files, tree, changes, gone)
            erased |= by_theirs
        if erased:
            Updates(self.workspace.home).drop(
                # A table of a page may show what a memory said.
                lambda path, text: path in erased or any(line in text for line in told) or heard.holds(text, live=True),
                names=erased.intersection(gone),
            )
        for path in [path for path in (*changes, *gone) if path in erased]:
            self._put(home, path, tree.get(path))
        with audit.Act(self.workspace, SOURCE) as act:
            # What is put before this machine knows of an erase is without what was erased, or is looked at again.
            for path in sorted((*changes, *gone), key=lambda path: (path == payload.ERASED, path in gone, path)):
                if path in erased:
                    continue
                act.look_at(path if path != payload.SETTINGS else "config.toml")
                self._put(home, path, tree.get(path))
            act.done(count(len(changes) + len(gone), "file"), "changed on another machine")
        audit.trim(self.workspace)
        if erased:
            # Nor is it to be read in the pages of the index and in the rules.
            table.discard(self.workspace.home)
            self.workspace.refresh(None)
            self.workspace.store.erase_traces(passages=True, anew=True)

    def _put(self, home: payload.Home, path: str, data: bytes | None) -> None:
        """Put one file; one that finds no place here, as where a folder has its name, keeps no other from coming."""
        try:
            home.put(path, data)
        except Conflict:
            raise
        except HoldfastError as problem:
            self.done.not_put.append(path)
            self._trouble("a file cannot be put here", [path], str(problem))
            return
        told = self.done.removed if data is None else self.done.received
        told += [path] if path not in told else []

    def _propose(self, merged: merging.Merged) -> None:
        """Offer what gave way to another machine's statement, for the person to decide."""
        waiting = Proposals(self.workspace.home)
        decided = waiting.rejected()
        for one in merged.conflicts:
            name = id_of(one.memory.scope, one.lost)
            self.done.conflicts.append(f"{one.memory.scope}/{one.memory.key}")
            if name in decided or name in waiting.ids():
                continue
            proposal = Proposal(
                name,
                one.lost,
                one.memory.scope,
                title=first_words(one.lost),
                type=one.memory.type,
                tags=one.memory.tags,
                source=SOURCE,
                evidence=f"two machines disagree on {one.memory.key}, which now says: {one.memory.body[:200]}",
                created=now(),
                replaces=one.memory.key,
            )
            waiting.put(proposal)

    def _publish(self, agreed: Agreed, remote: BranchState, theirs: Tree, tree: Tree) -> None:
        """Publish the merged tree where it differs from the remote's; without history where something was forgotten."""
        leaving = self._safe(tree, theirs)
        is_due = os.path.exists(self.depot.anew)
        if leaving == theirs and remote.commit and not is_due:
            return
        anew = is_due or any(
            not set(data.splitlines()) <= set(theirs.get(path, b"").splitlines())
            for path, data in leaving.items()
            if payload.kind_of(path) == "tombstones"
        )
        commit = self.depot.commit(remote, leaving, anew=anew)
        try:
            self.depot.push(commit, remote, anew=anew)
        except Refused as problem:
            if not anew or not remote.commit:
                raise
            # Some remotes let nobody replace a history.
            self.done.kept_history = "the remote keeps its history, in which what was forgotten still stands"
            self._trouble(self.done.kept_history, (), f"{WAY_OUT}. It says: {telling(str(problem))}.")
            files.write(self.depot.anew, b"")
            if leaving == theirs:
                return
            commit, anew = self.depot.commit(remote, leaving, anew=False), False
            self.depot.push(commit, remote, anew=False)
        agreed.keep(self._had(leaving), commit, remote.generation + 1, is_partial=bool(self.passed))
        self.done.sent += sorted(path for path in {*leaving, *theirs} if theirs.get(path) != leaving.get(path))
        if anew:
            self.depot.forget_old(published=True)

    def _safe(self, tree: Tree, theirs: Tree) -> dict[str, bytes]:
        """Return what may leave: a file that holds a secret stays as the remote has it."""
        found = {}
        for path, data in tree.items():
            if path != payload.ERASED and theirs.get(path) != data and (redact(path)[1] or redact(_text(data))[1]):
                shown = redact(path)[0]
                self.done.held_back += [shown] if shown not in self.done.held_back else []
                if path in theirs:
                    found[path] = theirs[path]
            else:
                found[path] = data
        if self.done.held_back:
            self._trouble("a file with a secret in it is not synced", self.done.held_back, "Take the secret out of it.")
        return found

    def _trouble(self, text: str, names: Sequence[str], hint: str) -> None:
        self.troubles.add(text)
        notices.report(self.workspace.home, SOURCE, text, names, hint=hint, lasts=True)

    def _told(self, home: payload.Home, merged: merging.Merged, theirs: Tree) -> Synced:
        done, after = self.done, merged.files
        done.received = sorted(path for path, data in after.items() if home.files.get(path) != data)
        done.removed = sorted(path for path in home.files if path not in after)
        leaving = after | self.passed
        done.sent = sorted({*leaving, *theirs} - {path for path, data in leaving.items() if theirs.get(path) == data})
        done.conflicts = [f"{one.memory.scope}/{one.memory.key}" for one in merged.conflicts]
        done.forgotten, done.left, done.gave_way = merged.forgotten, merged.left, merged.gave_way
        done.asked = [f"{one.scope}/{one.key}" for one in merged.again]
        done.elsewhere, done.struck = merged.elsewhere, self.heard.struck
        return done


def _text(data: bytes) -> str:
    """Return the text of a file; a picture or an archive has none, and in its bytes everything may stand by chance."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return ""
