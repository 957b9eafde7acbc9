"""The memories that a repository brings: those of its team in `.holdfast/memory/`, and what a scaffold has in
`memory/memories/` and `memory/data/`.

They are a stranger's words until the person allows them, and then the repository's: memories of the project with the
trust `import`, told as data, and files of its `data/`, which recall searches. A set is allowed by its content, as
direnv does it: what was allowed is copied into the home, so a later change of the files says nothing to any agent until
it is allowed again. What the repository no longer has is given no longer, at once; the very same file that comes back,
as on another branch, was allowed before and is given again. Links are not followed, secrets are taken out, nothing that
is there is run.

`allowed.json` in the home has for each folder the digest of the set that was decided on, whether it was allowed, which
memory was made of which file, and the digest of each file as it was allowed; never a word of it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from difflib import SequenceMatcher
from hashlib import sha256

from holdfast.base import files
from holdfast.base.clock import now
from holdfast.base.text import count
from holdfast.continuity.documents import DATA_ENDINGS, MAX_DATA
from holdfast.errors import BrokenFile, Forgotten, NotFound, Refused, TooLarge
from holdfast.exchange import trusted
from holdfast.journal import notices
from holdfast.memory import lint
from holdfast.memory.remember import put, redacted
from holdfast.privacy import fence
from holdfast.privacy.redact import redact
from holdfast.records import TYPES, Draft, Filter, Memory, Scope, Step, replace
from holdfast.store import layout, memory_file
from holdfast.store.keys import key_of_file
from holdfast.store.merge import content_of, restates
from holdfast.workspace import ALLOWED, Workspace

FOLDER = os.path.join("memory", layout.MEMORIES)
DATA = os.path.join("memory", layout.DATA)
TEAM = os.path.join(".holdfast", "memory")
HINT = "`holdfast allow --dry-run` shows it; `holdfast allow` or `holdfast deny` decides."
TRUST = "import"
MAX_FILES = 500
MAX_FILE, MAX_SET = 65_536, 4_000_000
# A clone may have folders in folders to any depth.
_MAX_DEPTH = 6
_SHOWN = 300
# How many unchanged words stand beside a change.
_AROUND = 8


@dataclass(frozen=True, slots=True)
class SetDecision:
    """What the person decided about the set of a folder: its digest then, when, and what was made of each file."""

    digest: str
    at: str
    allowed: bool
    keys: dict[str, str] = field(default_factory=dict)
    data: dict[str, str] = field(default_factory=dict)
    # Of each file the digests of all that was ever allowed of it.
    texts: dict[str, list[str]] = field(default_factory=dict)
    # Branches and signers whose changes of the team's files need no second word (`trusted.py`).
    trusts: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class SetChange:
    """One memory or file of data that allowing would add, change or remove; `made` is None where it goes."""

    step: Step
    name: str
    key: str
    made: Draft | bytes | None
    is_data: bool = False


class RepositorySet:
    """The set of the project that a workspace stands in: its files as they are now, and what was decided of it."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.root = os.path.realpath(workspace.project().root)
        self.scope = workspace.scope("project")
        # A file of the team is named by its whole path.
        team = {f"{TEAM}/{name}": text for name, text in _texts(self.root, TEAM)}
        self.texts = {**dict(_texts(self.root, FOLDER)), **team}
        self.data = dict(_texts(self.root, DATA))
        every = [*sorted(self.texts.items()), *sorted((f"{DATA}/{name}", text) for name, text in self.data.items())]
        whole = "\0".join(f"{name}\0{text}" for name, text in every)
        self.digest = f"sha256:{sha256(whole.encode('utf-8', 'surrogatepass')).hexdigest()}" if every else ""
        self.decided = _decided(workspace.home).get(self.root)

    @property
    def is_open(self) -> bool:
        """Whether there is something that nobody decided on: a set that is new, or another one than it was."""
        if (self.decided.digest if self.decided else "") == self.digest:
            return False
        # A branch may have fewer files, or other versions; what was allowed of each is allowed there, too.
        return self.data != {} or self.decided is None or not all(map(self._is_allowed, self.texts))

    def _is_allowed(self, name: str) -> bool:
        return self.decided is not None and _digest(self.texts[name]) in self.decided.texts.get(name, ())

    @property
    def open_folder(self) -> str:
        """The folder in which the first file lies that nobody decided on."""
        names = [name for name in sorted(self.texts) if not self._is_allowed(name)]
        return os.path.dirname(_path(names[0])) if names else DATA

    def waits(self) -> str:
        """Return what waits for the person's decision here, in words of ours; nothing where all is decided."""
        files_there = len(self.texts) + len(self.data)
        if not files_there or not self.is_open:
            return ""
        return "changed since you decided on it" if self.decided else f"brings {count(files_there, 'file')}"

    def plan(self) -> list[SetChange]:
        """Return what allowing the set as it is now would change."""
        self.workspace.need_enabled()
        self.workspace.refresh((self.scope,))
        before = self.decided.keys if self.decided else {}
        taken = set(before.values())
        made = [change for name in sorted(self.texts) if (change := self._change(name, before, taken)) is not None]
        gone = [
            SetChange(
                Step("remove", _path(name), f"the repository no longer has it: {shown_line(there.body)}"),
                name,
                key,
                None,
            )
            for name, key in sorted(before.items())
            if name not in self.texts and (there := self._there(key)) is not None
        ]
        return [*self._held_against_known(made), *gone, *self._data_changes()]

    def _held_against_known(self, changes: list[SetChange]) -> list[SetChange]:
        """Return the changes, each with what it says otherwise than among the memories that agents are given here."""
        made = {change.name: change for change in changes}
        ours = [
            Memory(one.key, self.scope, one.name, one.made.text, trust=TRUST, path=one.name)
            for one in changes
            if isinstance(one.made, Draft)
        ]
        keys = {(self.scope, one.key) for one in ours}
        every = self.workspace.store.find(Filter((self.scope, self.workspace.scope("global")))) if ours else ()
        known = {one.path: one for one in every if (one.scope, one.key) not in keys}
        against: dict[str, str] = {}
        for problem in lint.outdated([*known.values(), *ours]):
            for name, path in ((problem.path, problem.other), (problem.other, problem.path)):
                if name in made and path in known:
                    against[name] = known[path].key
        for name, key in against.items():
            step = made[name].step
            made[name] = replace(made[name], step=replace(step, reason=f"{step.reason} ({key} says otherwise)"))
        return list(made.values())

    def allow(self, plan: list[SetChange]) -> list[str]:
        """Carry out the plan and remember the set; return the names of files that the person had forgotten."""
        self.workspace.need_person("decides on what a repository brings")
        keys = dict(self.decided.keys) if self.decided else {}
        data = dict(self.decided.data) if self.decided else {}
        refused: list[str] = []
        for change in plan:
            try:
                if isinstance(change.made, bytes):
                    files.put(self._data_path(change.name), change.made)
                    data[change.name] = sha256(change.made).hexdigest()
                elif change.made is not None:
                    keys[change.name] = put(self.workspace, change.made).memory.key
                elif change.is_data:
                    self._remove_data(change.name, data.pop(change.name))
                else:
                    self._remove(keys.pop(change.name))
            except Forgotten:
                refused.append(change.name)
        before = self.decided.texts if self.decided else {}
        texts = {
            name: list(
                dict.fromkeys((*before.get(name, ()), *([_digest(self.texts[name])] if name in self.texts else ())))
            )
            for name in {*before, *self.texts}
        }
        trusts = self.decided.trusts if self.decided else []
        self._decide(SetDecision(self.digest, now(), True, keys, data, texts, trusts))
        notices.end(self.workspace.home, "repository", self.root)
        return refused

    def trust(self, trusts: list[str]) -> None:
        """Let changes of the team's files that these branches and signers vouch for be told without another word."""
        self.workspace.need_person("decides on what a repository brings")
        if self.decided is None or not self.decided.allowed:
            raise Refused("this repository's memories are not allowed yet", "First: holdfast allow")
        self._decide(replace(self.decided, trusts=trusts))
        # What waits already may be theirs; it is looked at again only when a file changes.
        self.follow_trusted()

    def follow_trusted(self) -> list[str]:
        """Allow each new or changed file of the team that the person's trust covers; return those files."""
        if self.decided is None or not self.decided.allowed or not self.decided.trusts:
            return []
        waiting = {
            name: text for name, text in self.texts.items() if name.startswith(TEAM) and not self._is_allowed(name)
        }
        names = trusted.among(self.root, waiting, self.decided.trusts) if waiting else set()
        if not names:
            return []
        keys = dict(self.decided.keys)
        for change in [change for change in self.plan() if change.name in names]:
            with suppress(Forgotten):
                if isinstance(change.made, Draft):
                    keys[change.name] = put(self.workspace, change.made).memory.key
        known = self.decided.texts
        texts = {**known, **{name: [*known.get(name, ()), _digest(self.texts[name])] for name in names}}
        self._decide(replace(self.decided, keys=keys, texts=texts))
        return sorted(names)

    def follow(self) -> list[str]:
        """Stop giving what the repository no longer has, give again what came back as it was; return the files."""
        if self.decided is None or not self.decided.allowed:
            return []
        changed = []
        for name, key in self.decided.keys.items():
            there = self._there(key)
            if there is not None and there.trust != TRUST:
                continue
            if name not in self.texts and there is not None:
                self._remove(key)
                changed.append(name)
            elif name in self.texts and self._is_allowed(name):
                draft = self._draft(name, key)
                if there is None or there.body != draft.text:
                    # An earlier version would count as corrected.
                    self._remove(key)
                    with suppress(Forgotten):
                        put(self.workspace, draft)
                        changed.append(name)
        return changed

    def deny(self) -> list[str]:
        """Take out what was made of the set, and say nothing of it until it changes; return what went."""
        gone = [key for key in (self.decided.keys.values() if self.decided else ()) if self._remove(key)]
        data = self.decided.data if self.decided else {}
        for name, digest in data.items():
            self._remove_data(name, digest)
        self._decide(SetDecision(self.digest, now(), False))
        notices.end(self.workspace.home, "repository", self.root)
        return [*gone, *(f"{layout.DATA}/{_data_name(name)}" for name in data)]

    def _change(self, name: str, before: dict[str, str], taken: set[str]) -> SetChange | None:
        memory = _read(name, self.texts[name], self.scope)
        if not memory.body.strip():
            return None
        there = self._there(before[name]) if name in before else None
        if there is not None and there.trust != TRUST:
            # The person made it theirs, and it stays as they have it.
            return None
        own = self._there(memory.key) if there is None else None
        if own is not None and own.trust != TRUST and restates(memory.body, own):
            # Whoever promoted it to the team has it already.
            return None
        had = before.get(name, "")
        key = (
            had if had and (there is not None or self._there(had) is None) else self._free_key(name, memory.key, taken)
        )
        taken.add(key)
        draft = self._draft(name, key)
        if there is not None and there.body == draft.text:
            return None
        statement, store = content_of(draft).statement, self.workspace.store
        # What the person forgot, or made a memory of theirs of that says something else now, stays out.
        if store.forgot(self.scope, key, statement) or store.was_corrected(self.scope, statement):
            return None
        reason = shown_line(draft.text) if there is None else shown_difference(there.body, draft.text)
        return SetChange(Step("write" if there is None else "rewrite", _path(name), reason), name, key, draft)

    def _draft(self, name: str, key: str) -> Draft:
        """Return a file as the memory that is made of it."""
        memory = _read(name, self.texts[name], self.scope)
        type = memory.type if memory.type in TYPES else "project"
        source, when = f"repository:{_path(name)}", memory.when
        return redacted(
            Draft(memory.body, self.scope, key, memory.title, type, memory.tags, TRUST, source, session="", when=when)
        )[0]

    def _data_changes(self) -> list[SetChange]:
        """Return what allowing would copy into the project's `data/`, and what it would take out there."""
        before = self.decided.data if self.decided else {}
        found: list[SetChange] = []
        for name, text in sorted(self.data.items()):
            wanted = redact(text)[0].encode("utf-8", "replace")
            there = files.read_if_there(self._data_path(name))
            # A file that is not as it was copied is the person's.
            if there != wanted and (not there or sha256(there).hexdigest() == before.get(name)):
                step = Step("rewrite" if there else "write", f"{DATA}/{name}", shown_line(wanted.decode()))
                found.append(SetChange(step, name, _data_name(name), wanted, is_data=True))
        for name in sorted(set(before) - set(self.data)):
            step = Step("remove", f"{DATA}/{name}", "the repository no longer has it")
            found.append(SetChange(step, name, _data_name(name), None, is_data=True))
        return found

    def _data_path(self, name: str) -> str:
        folder = os.path.join(layout.folder_of(self.scope), layout.DATA, _data_name(name))
        return layout.contained(self.workspace.store.tree.root, folder)

    def _remove_data(self, name: str, digest: str) -> None:
        path = self._data_path(name)
        if sha256(files.read_if_there(path)).hexdigest() == digest:
            files.remove(path)

    def _free_key(self, name: str, key: str, taken: set[str]) -> str:
        """Return the key of the file, or another where that is some other memory's: a set replaces nothing."""
        tries = (key, f"repo-{key}"[:60], f"repo-{sha256(f'{self.root}/{name}'.encode()).hexdigest()[:12]}")
        return next(one for one in tries if one == tries[-1] or (one not in taken and self._there(one) is None))

    def _there(self, key: str) -> Memory | None:
        try:
            return self.workspace.store.get(self.scope, key)
        except NotFound:
            return None

    def _remove(self, key: str) -> bool:
        """Remove a memory of the set, and return whether it was there: what the person made theirs since stays."""
        there = self._there(key)
        if there is None or there.trust != TRUST:
            return False
        self.workspace.store.remove(self.scope, key, forget=False)
        return True

    def _decide(self, decided: SetDecision) -> None:
        with files.lock_of(self.workspace.home, "allowed"):
            every = {**_decided(self.workspace.home), self.root: decided}
            data = json.dumps({root: asdict(one) for root, one in sorted(every.items())}, indent=1)
            files.write(os.path.join(self.workspace.home, ALLOWED), data.encode("utf-8", "surrogateescape") + b"\n")
        self.decided = decided


def _texts(root: str, folder: str) -> Iterator[tuple[str, str]]:
    """Yield the name and text of each file of the set; Refused where it is larger than a memory ever is."""
    top = os.path.join(root, folder)
    if files.link_on_the_way(root, folder) or not files.is_plain_folder(top):
        return
    number = size = 0
    for here, folders, names in os.walk(top):
        depth = here.removeprefix(top).count(os.sep)
        # Files of data lie side by side; memories may be in folders.
        folders[:] = sorted(folders) if folder != DATA and depth < _MAX_DEPTH else []
        for name in sorted(names):
            path = os.path.join(here, name)
            is_meant = layout.is_memory_file(name) if folder != DATA else name.lower().endswith(DATA_ENDINGS)
            # A name with a line end or a hidden sign in it could forge lines of what the person is shown.
            if not is_meant or not os.path.relpath(path, top).isprintable() or os.path.islink(path):
                continue
            data = files.read(path, MAX_FILE + 1)
            number, size = number + 1, size + len(data)
            if len(data) > MAX_FILE:
                raise TooLarge(f"{path} has more than {MAX_FILE:,} bytes", "Make it shorter, or move it away.")
            if b"\0" in data:
                # Found out later, a part of the set would be taken in.
                raise BrokenFile(f"{path} has a NUL byte, so it is no text", "Mend it, or move it away.")
            most = MAX_FILES if folder != DATA else MAX_DATA
            if number > most or size > MAX_SET:
                raise TooLarge(f"{top} has more than {most} files or {MAX_SET:,} bytes", "Move some of it away.")
            yield os.path.relpath(path, top), data.decode("utf-8", "replace")


def texts_of_team(root: str) -> Iterator[tuple[str, str]]:
    """Yield the name and text of each memory of a team; TooLarge where there is more than a set may have."""
    return _texts(root, TEAM)


def _path(name: str) -> str:
    """Return where in the repository a memory of the set stands."""
    return name if name.startswith(f"{TEAM}/") else f"{FOLDER}/{name}"


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _data_name(name: str) -> str:
    """Return how a file of data is called in the home; one whose name is not plain gets its digest into it."""
    plain = "".join(letter if letter.isalnum() or letter in "._-" else "-" for letter in name.casefold())[-80:]
    return f"repository-{plain}" if plain == name else f"repository-{sha256(name.encode()).hexdigest()[:8]}-{plain}"


def _read(name: str, text: str, scope: Scope) -> Memory:
    place = memory_file.FilePlace(name, scope, key_of_file(os.path.basename(name)), now())
    return memory_file.read(text, place)[0]


def shown_line(text: str) -> str:
    """Return a text in one line as the person is shown it, without secrets; a long one is cut and says so."""
    line = " ".join(fence.safe(text, fence.without_secrets).split())
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]} [...] ({len(line):,} characters: read the file)"


def shown_difference(before: str, after: str) -> str:
    """Return a change with what went as `[-...-]` and what came as `{+...+}`, and every word of it is shown."""
    was, now_said = (fence.safe(text, fence.without_secrets).split() for text in (before, after))
    shown: list[str] = []
    for kind, start, end, first, last in SequenceMatcher(None, was, now_said, autojunk=False).get_opcodes():
        same = was[start:end]
        if kind == "equal":
            near = len(same) <= 2 * _AROUND
            shown += same if near else [*(same[:_AROUND] if shown else []), "[...]", *same[-_AROUND:]]
            continue
        shown += [f"[-{' '.join(same)}-]"] if same else []
        shown += [f"{{+{' '.join(now_said[first:last])}+}}"] if last > first else []
    return " ".join(shown)


def _decided(home: str) -> dict[str, SetDecision]:
    path = os.path.join(home, ALLOWED)
    data = files.read_if_there(path)
    try:
        found = json.loads(data) if data else {}
        return {root: SetDecision(**one) for root, one in found.items()}
    except (ValueError, TypeError, AttributeError) as problem:
        raise BrokenFile(f"{path} cannot be read: {problem}", "Move it away; sets are then asked for again.") from None


def waiting(workspace: Workspace) -> tuple[str, tuple[str]] | None:
    """Return what the person is told of a set that waits, and of which one; not a word of it. None where none does.

    A set that nobody decided on is not read for this, however large it is.
    """
    root = os.path.realpath(workspace.project().root)
    decided = _decided(workspace.home).get(root)
    if decided is None:
        names = [name for folder in (FOLDER, DATA, TEAM) for name in files.names_in(os.path.join(root, folder))]
        there = any(name != layout.INDEX for name in names)
        return ("a repository brings memories that you neither allowed nor denied", (root,)) if there else None
    try:
        found = RepositorySet(workspace)
        found.follow_trusted()
        is_same = not found.waits()
        found.follow()
    except (TooLarge, BrokenFile):
        is_same = False
    # Another decision is another thing to be told of.
    named = (f"{root}, decided on {decided.at}",)
    return None if is_same else ("a repository's memories changed since you decided on them", named)


def of(workspace: Workspace) -> RepositorySet:
    """Return the set of the project; Refused where the repository brings none and none was decided on."""
    found = RepositorySet(workspace)
    if not found.digest and found.decided is None:
        raise Refused(f"{found.root} brings no memories", "There is nothing to decide on here.")
    return found
