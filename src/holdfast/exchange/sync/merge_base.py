"""What a home and its remote last agreed on: the base of the next merge, as plain files.

`sync/agreed/` in the home has each file as it travels, `sync/agreed.json` the commit and its generation. They are plain
so that what is erased from a home is erased here in the same way. Written only when the home has all of it: a base that
is older, as a whole or in some files, costs nothing but that the same is merged once more. May be lost: then nothing
counts as taken out, on either side.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping

from holdfast.base import files
from holdfast.base.text import hash_of
from holdfast.exchange.sync import memories
from holdfast.exchange.sync.payload import kind_of, version
from holdfast.records import Memory
from holdfast.store import layout

FOLDER, FILE = os.path.join("sync", "agreed"), os.path.join("sync", "agreed.json")


class Agreed:
    """The state of one home: its files, the commit that had them, its generation, and whether it had more."""

    def __init__(self, home: str) -> None:
        self.home = home
        self.root = os.path.join(home, FOLDER)
        self.path = os.path.join(home, FILE)
        try:
            told = json.loads(files.read_if_there(self.path) or b"{}")
            self.commit, self.generation = str(told.get("commit", "")), int(told.get("generation", 0))
            self.is_partial = bool(told.get("partial"))
        except (ValueError, AttributeError, TypeError):
            self.commit, self.generation, self.is_partial = "", 0, False
        self.files: dict[str, bytes] = {}
        for here, _, names in os.walk(self.root):
            inner = os.path.relpath(here, self.root).replace(os.sep, "/")
            for name in names:
                path = name if inner == "." else f"{inner}/{name}"
                if kind_of(path):
                    self.files[path] = files.read_if_there(os.path.join(here, name))

    def keep(self, tree: Mapping[str, bytes], commit: str, generation: int, *, is_partial: bool) -> None:
        """Note that the home has all of this tree: that of the commit, or what this machine takes of it."""
        for path, data in tree.items():
            if self.files.get(path) != data:
                whole = layout.contained(self.root, path) if os.path.isdir(self.root) else os.path.join(self.root, path)
                files.put(whole, data, durable=False)
        for path in set(self.files).difference(tree):
            files.discard(os.path.join(self.root, path))
        files.make_folder(os.path.dirname(self.path))
        state = {"commit": commit, "generation": generation, "partial": is_partial}
        files.write(self.path, json.dumps(state).encode())
        self.files, self.commit, self.generation, self.is_partial = dict(tree), commit, generation, is_partial

    def bury(self, memory: Memory) -> None:
        """Leave nothing of a memory that is being forgotten but a digest of where it was and when it was made.

        By that the next sync knows whatever another machine made of it meanwhile.
        """
        path = f"memory/{memory.path}"
        # Under that name here, or under another one before it was moved; what stands there still is another memory.
        moved = [one for one in self.files if not os.path.lexists(os.path.join(self.home, one))]
        for was in [path] if path in self.files else moved:
            if kind_of(was) == "memory" and memory.created and memory.created.encode() in self.files[was]:
                there = version(was, self.files[was]).memory
                if there.created == memory.created and (was == path or there.body in memories.statements(memory)):
                    self._bury(was, there)

    def marks(self) -> set[str]:
        """Return the files that stand for memories that were forgotten."""
        return {path for path in self.files if os.path.basename(path).startswith(memories.PART)}

    def take_out(self, marks: set[str]) -> None:
        """Take out such files: of what theirs forgot, what they have now in its place is another memory."""
        for path in marks:
            files.remove(os.path.join(self.root, path))
            del self.files[path]

    def _bury(self, was: str, memory: Memory) -> None:
        key = forgotten_name(was, memory)
        now = f"{os.path.dirname(was)}/{key}.md"
        files.write(os.path.join(self.root, now), f"---\nkey: {key}\n---\n\n# {key}\n\n-\n".encode())
        files.remove(os.path.join(self.root, was))
        self.files[now] = self.files.pop(was)


def forgotten_name(path: str, memory: Memory) -> str:
    """Return the key under which what was agreed on has a memory that was forgotten here since."""
    return f"{memories.PART}{hash_of(path, memory.created, length=12)}"
