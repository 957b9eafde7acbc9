"""The memories that a repository brings: `memory/memories/` of a workspace, as a scaffold has it.

They are a stranger's words until the person allows them, and then the repository's: memories of the project with the
trust `import`, told as data. A set is allowed by its content, as direnv does it: what was allowed is copied into the
home, so a later change of the files says nothing to any agent until it is allowed again. Links are not followed,
secrets are taken out, nothing that is there is run.

`allowed.json` in the home has for each folder the digest of the set that was decided on, whether it was allowed, and
which memory was made of which file; never a word of it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from hashlib import sha256

from holdfast.base import files
from holdfast.base.clock import now
from holdfast.errors import BrokenFile, Forgotten, NotFound, Refused, TooLarge
from holdfast.memory.remember import put, redacted
from holdfast.privacy import fence
from holdfast.records import TYPES, Draft, Memory, Scope, Step
from holdfast.store import layout, memory_file
from holdfast.store.keys import key_of_file
from holdfast.workspace import Workspace

FILE = "allowed.json"
FOLDER = os.path.join("memory", layout.MEMORIES)
TRUST = "import"
MAX_FILES = 500
MAX_FILE, MAX_SET = 65_536, 4_000_000
_SHOWN = 300


@dataclass(frozen=True, slots=True)
class SetDecision:
    """What the person decided about the set of a folder: its digest then, when, and the key made of each file."""

    digest: str
    at: str
    allowed: bool
    keys: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SetChange:
    """One memory that allowing would add, change or remove; `draft` is None where it goes."""

    step: Step
    name: str
    key: str
    draft: Draft | None


class RepositorySet:
    """The set of the project that a workspace stands in: its files as they are now, and what was decided of it."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.root = os.path.realpath(workspace.project().root)
        self.scope = workspace.scope("project")
        self.texts = dict(_texts(self.root))
        whole = "\0".join(f"{name}\0{text}" for name, text in sorted(self.texts.items()))
        self.digest = f"sha256:{sha256(whole.encode('utf-8', 'surrogatepass')).hexdigest()}" if self.texts else ""
        self.decided = _decided(workspace.home).get(self.root)

    @property
    def is_open(self) -> bool:
        """Whether there is something that nobody decided on: a set that is new, or another one than it was."""
        return (self.decided.digest if self.decided else "") != self.digest

    def plan(self) -> list[SetChange]:
        """Return what allowing the set as it is now would change."""
        self.workspace.need_enabled()
        self.workspace.refresh((self.scope,))
        before = self.decided.keys if self.decided else {}
        made = [change for name in sorted(self.texts) if (change := self._change(name, before)) is not None]
        return [*made, *(self._removal(name, before[name]) for name in sorted(before) if name not in self.texts)]

    def allow(self, plan: list[SetChange]) -> list[str]:
        """Carry out the plan and remember the set; return the names of files that the person had forgotten."""
        keys = dict(self.decided.keys) if self.decided else {}
        refused: list[str] = []
        for change in plan:
            try:
                if change.draft is not None:
                    keys[change.name] = put(self.workspace, change.draft).memory.key
                else:
                    self._remove(keys.pop(change.name))
            except Forgotten:
                refused.append(change.name)
        self._decide(SetDecision(self.digest, now(), True, keys))
        return refused

    def deny(self) -> list[str]:
        """Take out what was made of the set, and say nothing of it until it changes; return the keys that went."""
        gone = list(self.decided.keys.values()) if self.decided else []
        for key in gone:
            self._remove(key)
        self._decide(SetDecision(self.digest, now(), False))
        return gone

    def _change(self, name: str, before: dict[str, str]) -> SetChange | None:
        memory = _read(name, self.texts[name], self.scope)
        if not memory.body.strip():
            return None
        there = self._there(before[name]) if name in before else None
        key = before[name] if there is not None else self._free_key(memory.key)
        type = memory.type if memory.type in TYPES else "project"
        source = f"repository:{FOLDER}/{name}"
        draft, _ = redacted(
            Draft(memory.body, self.scope, key, memory.title, type, memory.tags, TRUST, source, session="")
        )
        if there is not None and there.body == draft.text:
            return None
        shown = _line(draft.text)
        reason = shown if there is None else f"{shown}  (it was: {_line(there.body)})"
        return SetChange(Step("write" if there is None else "rewrite", f"{FOLDER}/{name}", reason), name, key, draft)

    def _removal(self, name: str, key: str) -> SetChange:
        there = self._there(key)
        reason = f"the repository has it no more: {_line(there.body) if there else key}"
        return SetChange(Step("remove", f"{FOLDER}/{name}", reason), name, key, None)

    def _free_key(self, key: str) -> str:
        """Return the key of the file, or another where that is somebody else's memory: a set replaces nothing."""
        tries = (key, f"repo-{key}"[:60], f"repo-{sha256(f'{self.root}/{key}'.encode()).hexdigest()[:12]}")
        return next(one for one in tries if self._there(one) is None or one == tries[-1])

    def _there(self, key: str) -> Memory | None:
        try:
            return self.workspace.store.get(self.scope, key)
        except NotFound:
            return None

    def _remove(self, key: str) -> None:
        there = self._there(key)
        # What the person edited or approved since then is theirs.
        if there is not None and there.trust == TRUST:
            self.workspace.store.remove(self.scope, key, forget=False)

    def _decide(self, decided: SetDecision) -> None:
        with files.lock_of(self.workspace.home, "allowed"):
            every = {**_decided(self.workspace.home), self.root: decided}
            data = json.dumps({root: asdict(one) for root, one in sorted(every.items())}, indent=1)
            files.write(os.path.join(self.workspace.home, FILE), data.encode("utf-8", "surrogateescape") + b"\n")


def _texts(root: str) -> Iterator[tuple[str, str]]:
    """Yield the name and text of each memory file of the set; Refused where it is larger than a memory ever is."""
    top = os.path.join(root, FOLDER)
    if files.link_on_the_way(root, FOLDER) or not files.is_plain_folder(top):
        return
    count = size = 0
    for here, folders, names in os.walk(top):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(here, name)
            if not layout.is_memory_file(name) or not layout.is_text(path) or os.path.islink(path):
                continue
            data = files.read(path, MAX_FILE + 1)
            count, size = count + 1, size + len(data)
            if len(data) > MAX_FILE:
                raise TooLarge(f"{path} has more than {MAX_FILE:,} bytes", "Make it shorter, or move it away.")
            if count > MAX_FILES or size > MAX_SET:
                raise TooLarge(f"{top} has more than {MAX_FILES} files or {MAX_SET:,} bytes", "Move some of it away.")
            yield os.path.relpath(path, top), data.decode("utf-8", "replace")


def _read(name: str, text: str, scope: Scope) -> Memory:
    place = memory_file.FilePlace(name, scope, key_of_file(os.path.basename(name)), now())
    return memory_file.read(text, place)[0]


def _line(text: str) -> str:
    line = " ".join(fence.safe(text, fence.without_secrets).split())
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]} [...]"


def _decided(home: str) -> dict[str, SetDecision]:
    path = os.path.join(home, FILE)
    data = files.read_if_there(path)
    try:
        found = json.loads(data) if data else {}
        return {root: SetDecision(**one) for root, one in found.items()}
    except (ValueError, TypeError, AttributeError) as problem:
        raise BrokenFile(f"{path} cannot be read: {problem}", "Move it away; sets are then asked for again.") from None


def of(workspace: Workspace) -> RepositorySet:
    """Return the set of the project; Refused where the repository brings none and none was decided on."""
    found = RepositorySet(workspace)
    if not found.texts and found.decided is None:
        raise Refused(f"{os.path.join(found.root, FOLDER)} has no memories", "There is nothing to decide on here.")
    return found
