"""The local store: Markdown files are the truth, `index.db` is derived from them.

Identity. A memory is a file below `memory/<scope>/`; its key is its file name. Where two files claim one key, the
newest answers and `holdfast lint` names both.

Writing. Under a lock of that key: read the file as it is now, put the change in, write it durably, then tell the index.
If the process dies in between, the file is the truth and the next sweep tells the index. If only the index fails, the
write holds and says so in `notes`.

Seeing. What people change in the files is seen by the next read; `tree` says how.

Checking. `holdfast reindex` makes the index again from the files and loses nothing; a test deletes it and compares.
"""

from __future__ import annotations

import os
import sqlite3
import time
from typing import TYPE_CHECKING

from holdfast.base.clock import iso, now
from holdfast.errors import Conflict, NotFound, StoreUnavailable
from holdfast.records import Candidate, Draft, Filter, Group, Memory, Problem, Refreshed, Scope, Stored, replace
from holdfast.store import layout, memory_file, merge
from holdfast.store.keys import automatic_keys, check_key
from holdfast.store.local_tree import LocalTree
from holdfast.store.tombstones import Tombstones

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from holdfast.store.base import Answer, Progress, Tables

MAX_BYTES = 262_144


class LocalStore:
    """The store in one home folder. With `create=False` nothing is made where the home does not exist yet."""

    has_tree = True

    def __init__(self, home: str, *, create: bool = True, largest: int = MAX_BYTES) -> None:
        self.home = os.path.abspath(home)
        self.largest = largest
        self.tree = LocalTree(self.home, largest, create=create)
        self.notes = self.tree.notes

    @property
    def is_temporary(self) -> bool:
        """Whether the index is lost when this process ends, because the home cannot be written or is not there."""
        return self.tree.index.in_memory

    def close(self) -> None:
        """Close what the tree holds open."""
        self.tree.close()

    def refresh(self, scopes: Iterable[Scope] | None = None, progress: Progress | None = None) -> Refreshed:
        """See what people changed in the files of these scopes, or of all."""
        return self.tree.refresh(scopes, progress)

    def rebuild(self, progress: Progress | None = None) -> Refreshed:
        """Read every file again into the index; recall goes on meanwhile."""
        return self.tree.rebuild(progress)

    def put(self, draft: Draft, clean: Callable[[Draft], Draft] | None = None, was: str | None = None) -> Stored:
        """Store the draft; see the contract in `base`."""
        merge.check(draft, self.largest)
        draft = clean(draft) if clean else draft
        content, scope = merge.content_of(draft), draft.scope
        keys = (draft.key,) if draft.key is not None else automatic_keys(content.statement)
        if not os.path.isdir(self.tree.root):
            self.tree.make_root()
            self.tree.reopen()
            self.tree.refresh(())
        for key in keys:
            with self.tree.lock_memories((scope, key)):
                before = self._current(scope, key)
                if was is not None:
                    merge.check_was(key, was, "" if before is None else self.text(before))
                if draft.key is None and before is not None and not merge.restates(content.statement, before):
                    continue
                stored = self._put(draft, key, content, before)
                return stored if key == keys[0] else replace(stored, beside=keys[0])
        raise merge.no_free_key(scope)

    def _put(self, draft: Draft, key: str, content: memory_file.Content, before: Memory | None) -> Stored:
        """Store the draft under the key, which is locked; `before` is what stands there."""
        scope = draft.scope
        superseded = merge.superseded(draft, key, lambda other: self._current(scope, other))
        merge.check_whose(draft, before, superseded)
        merge.check_forgotten(self, draft, key, content.statement, before)
        after = merge.merged(draft, key, content, before)
        same = before is not None and replace(after, updated=before.updated) == before
        if not same:
            self.tree.make_scope(scope)
            self._write(after, before)
        if draft.trust == "user":
            self._tombstones(scope).lift(key, content.statement, now())
        return merge.answer(before, after)

    def get(self, scope: Scope, key: str) -> Memory:
        """Return the memory as its file has it now, with its history."""
        memory = self._current(layout.check_scope(scope), check_key(key))
        if memory is None:
            raise merge.not_there(scope, key)
        return memory

    def change(self, scope: Scope, key: str, **fields: object) -> Memory:
        """Set fields of the memory; the statement and the time of its last update stay."""
        self.get(scope, key)
        with self.tree.lock_memories((scope, key)):
            before = self.get(scope, key)
            after: Memory = replace(before, **fields)  # type: ignore[arg-type]
            if after != before:
                self._write(after, before)
        return after

    def text(self, memory: Memory) -> str:
        """Return the text of the memory's file, exactly."""
        return self.tree.text(memory.path)

    def rewrite(
        self, scope: Scope, key: str, text: str, was: str | None = None, clean: Callable[[str], str] | None = None
    ) -> Memory:
        """Replace the whole text of the file, front matter and all: what a person wrote in an editor."""
        self.get(scope, key)
        with self.tree.lock_memories((scope, key)):
            before = self.get(scope, key)
            if was is not None:
                merge.check_was(key, was, self.text(before))
            memory, problems = memory_file.read(text, self.tree.place(before.path, time.time()))
            if any(problem.severity == "error" for problem in problems):
                memory_file.update(text, memory, before.path)
            after = merge.with_history(memory, before)
            text = memory_file.update(text, after, after.path)
            self.tree.write_text(after.path, clean(text) if clean else text)
        return self.get(scope, key)

    def relink(self, memory: Memory, text: str) -> None:
        """Replace the text of the memory's file where only links changed: no new statement, no history.

        The text was made of what the memory said; if it says something else by now, Conflict, and nothing is lost.
        """
        with self.tree.lock_memories((memory.scope, memory.key)):
            now = self.tree.read(memory.path).memory
            if (now.body, now.updated) != (memory.body, memory.updated):
                raise Conflict(f"{memory.key} changed meanwhile", "Try again.")
            self.tree.write_text(memory.path, text)

    def move(self, scope: Scope, key: str, to: Scope, new_key: str) -> Memory:
        """Move the memory: its file first says what it will be, then gets its new name, so that there is always one."""
        layout.check_scope(to)
        check_key(new_key)
        self.get(scope, key)
        self.tree.make_scope(to)
        with self.tree.lock_memories((scope, key), (to, new_key)):
            before = self.get(scope, key)
            merge.check_free(self._current(to, new_key), to, new_key)
            after, text = replace(before, scope=to, key=new_key, path=layout.usual_path(to, new_key)), self.text(before)
            self.tree.write_text(before.path, memory_file.update(text, after, after.path))
            try:
                self.tree.rename(before, after.path)
            except StoreUnavailable:
                self.tree.write_text(before.path, text)
                raise
        return after

    def absorb(self, memory: Memory, into: Scope) -> Memory:
        """Combine the memory with that of its key in another scope: the newer statement holds, the other is history."""
        with self.tree.lock_memories((memory.scope, memory.key), (into, memory.key)):
            here, there = self.get(memory.scope, memory.key), self.get(into, memory.key)
            after = merge.combined(here, there)
            self._write(after, there)
            self.tree.unlink(here.path, here.key)
        return after

    def remove(self, scope: Scope, key: str, *, forget: bool) -> Memory:
        """Remove every file of the key; the tombstone is written first."""
        memory = self.get(scope, key)
        with self.tree.lock_memories((scope, key)):
            found = self._all(scope, key)
            if forget and found:
                said = [text for each in found for text in (each.body, *(earlier.text for earlier in each.history))]
                self._tombstones(scope).bury(key, list(dict.fromkeys(said)), now())
            for each in found:
                self.tree.unlink(each.path, key)
        return found[0] if found else memory

    def erase_traces(self, *, passages: bool = False, anew: bool = False) -> None:
        """Take the words of removed memories out of the pages of the index, where full-text search keeps them on."""
        try:
            self.tree.index.erase_traces(passages=passages, anew=anew)
        except (StoreUnavailable, sqlite3.Error) as problem:
            self.notes.append(f"words of what was removed may stay in index.db until it is rebuilt ({problem})")

    def find(self, wanted: Filter, limit: int | None = None, skip: int = 0) -> Iterator[Memory]:
        """Return memories of the index, newest first."""
        return self.tree.ask(lambda index: index.find(wanted, limit, skip))

    def counts(self, wanted: Filter) -> dict[str, dict[str, int]]:
        """Return how many of these memories there are by scope, type, trust, tag and use."""
        return self.tree.ask(lambda index: index.counts(wanted))

    def search(self, query: str, wanted: Filter, limit: int) -> list[Candidate]:
        """Return candidates for the words of the query."""
        return self.tree.ask(lambda index: index.memories.search(query, wanted, limit))

    def ask(self, question: Callable[[Tables], Answer]) -> Answer:
        """Return what the tables of the index answer; a damaged index is rebuilt and asked again."""
        return self.tree.ask(question)

    def groups(self) -> list[Group]:
        """Return every scope that holds memories."""
        return self.tree.ask(lambda index: index.groups())

    def keys(self, scopes: Iterable[Scope], start: str) -> list[str]:
        """Return the keys that begin with the text, in order."""
        return self.tree.ask(lambda index: index.keys(scopes, start))

    def superseded_by(self, scope: Scope, key: str) -> str:
        """Return the key of the newest memory of the same scope that replaces this one."""
        return self.tree.ask(lambda index: index.superseded_by(scope, key))

    def uses(self, scope: Scope, key: str) -> tuple[int, str]:
        """Return how often the memory was handed out, and when last."""
        return self.tree.ask(lambda index: index.uses(scope, key))

    def add_uses(self, uses: Iterable[tuple[Scope, str, str]]) -> None:
        """Count uses, each memory at most once a minute."""
        with self.tree.index.begin() as db:
            db.executemany(
                "INSERT INTO uses VALUES (?1, ?2, ?3, 1, ?4) ON CONFLICT DO UPDATE SET count = count + 1, last = ?4"
                " WHERE strftime('%s', ?4) - strftime('%s', last) >= 60",
                [(scope.kind, scope.owner, key, at) for scope, key, at in uses],
            )

    def clear_uses(self) -> None:
        """Forget the counts, before they are counted again."""
        with self.tree.index.begin() as db:
            db.execute("DELETE FROM uses")

    def inherit_forgotten(self, old: Scope, new: Scope) -> None:
        """What was forgotten in the old scope counts as forgotten in the new one."""
        self.tree.make_scope(new)
        self._tombstones(new).take_over(self._tombstones(old))

    def forgot(self, scope: Scope, key: str, statement: str) -> bool:
        """Whether the scope has forgotten the key or the statement, or a text in it was erased everywhere."""
        if self._tombstones(scope).has(key, statement):
            return True
        if not os.path.exists(os.path.join(self.home, "erased.jsonl")):
            return False
        # Few homes have an erased text, and a hook would have to load what reads it.
        from holdfast.privacy.erased import Erased

        return Erased(self.home).holds(statement)

    def was_corrected(self, scope: Scope, statement: str) -> bool:
        """Whether a memory of the scope said these words once and says something else now."""
        return self.tree.ask(lambda index: index.was_corrected(scope, statement))

    def problems(self) -> list[Problem]:
        """Return what was wrong in files when they were read."""
        known = self.tree.ask(lambda index: index.problems())
        return [*(each for each in known if os.path.lexists(self.tree.full(each.path))), *self.tree.nameless()]

    def damage(self) -> str:
        """Return what SQLite finds broken in the index, or nothing."""
        try:
            result = str(self.tree.index.db.execute("PRAGMA quick_check").fetchone()[0])
        except sqlite3.Error as problem:
            result = str(problem)
        return "" if result == "ok" else result

    def size(self, memory: Memory) -> int:
        """Return the size of the memory's file in bytes."""
        return os.lstat(self.tree.full(memory.path)).st_size

    def modified(self, memory: Memory) -> str:
        """Return when the memory's file was last written, whoever wrote it."""
        return iso(os.lstat(self.tree.full(memory.path)).st_mtime)

    def _current(self, scope: Scope, key: str) -> Memory | None:
        """Return the memory as the disk has it now, wherever in its scope the file lies."""
        return next(iter(self._all(scope, key)), None)

    def _all(self, scope: Scope, key: str) -> list[Memory]:
        """Return what every file of the key says now, the newest first."""
        known = self.tree.ask(lambda index: index.paths(scope, key))
        found = []
        for path in dict.fromkeys((layout.usual_path(scope, key), *known)):
            try:
                found.append(self.tree.read(path).memory)
            except NotFound:
                continue
        return sorted(found, key=lambda memory: memory.updated, reverse=True)

    def _tombstones(self, scope: Scope) -> Tombstones:
        return Tombstones(layout.contained(self.tree.root, f"{layout.folder_of(scope)}/{layout.FORGOTTEN}"))

    def _write(self, memory: Memory, before: Memory | None) -> None:
        """Write the memory into its file, keeping what else the text has."""
        if before is None:
            self.tree.write_new(memory)
        else:
            self.tree.write_text(memory.path, memory_file.update(self.text(before), memory, memory.path))
