"""What a sync asks of git, done in this process: for runs of thousands, in which starting git is most of the cost.

`git()` puts it in place of the program. A repository is a folder of objects, packed and named as git does it, and of
refs; a tree is one flat list. Fetching, pushing and their refusals are git's, as far as `Depot` uses them.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha1
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

from holdfast.exchange.sync import depot

_HAVE_VALUES = ("-c", "-C", "--git-dir")


class _Failure(Exception):
    """What git says on standard error."""


@contextmanager
def git() -> Iterator[None]:
    """Let syncs do without the program."""
    with patch.object(depot, "_done", _done):
        yield


def _done(words: list[str], said: bytes, *_: object) -> SimpleNamespace:
    given, left = {}, words[1:]
    while left[0].startswith("-"):
        if left[0] in _HAVE_VALUES:
            given[left[0]] = left.pop(1)
        left.pop(0)
    name, *rest = left
    repository = Repository(given.get("--git-dir") or rest[-1])
    try:
        told = getattr(repository, name.replace("-", "_"))([word for word in rest if word[:1] != "-"], rest, said)
    except _Failure as problem:
        return SimpleNamespace(returncode=1, stdout=b"", stderr=str(problem).encode())
    return SimpleNamespace(returncode=0, stdout=told or b"", stderr=b"")


class Repository:
    """One bare repository; a method for each command, which takes its plain words, all its words and its input."""

    def __init__(self, path: str) -> None:
        self.path = Path(path.removeprefix("file://"))
        self.objects = self.path / "objects"

    def put(self, kind: bytes, content: bytes) -> str:
        """Keep an object and return its name."""
        whole = b"%s %d\0%s" % (kind, len(content), content)
        name = sha1(whole).hexdigest()
        self.objects.joinpath(name).write_bytes(zlib.compress(whole, 1))
        return name

    def read(self, name: str) -> tuple[str, bytes]:
        """Return the kind and the content of an object."""
        kind, _, content = zlib.decompress(self.objects.joinpath(name).read_bytes()).partition(b"\0")
        return kind.split()[0].decode(), content

    def has(self, name: str) -> bool:
        """Whether an object is here."""
        return self.objects.joinpath(name).is_file()

    def ref(self, name: str) -> str:
        """Return the commit that a ref names, or nothing."""
        path = self.path / name
        return path.read_text() if path.is_file() else ""

    def set_ref(self, name: str, commit: str) -> None:
        """Let a ref name a commit."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(commit)

    def about(self, commit: str) -> tuple[str, str]:
        """Return the tree of a commit, and its parent or nothing."""
        head = self.read(commit)[1].decode().partition("\n\n")[0].split("\n")
        told = dict(line.split(" ", 1) for line in head)
        return told["tree"], told.get("parent", "")

    def files(self, commit: str) -> dict[str, str]:
        """Return the blob of each path of a commit."""
        rows = self.read(self.about(commit)[0])[1].decode("utf-8", "surrogateescape").split("\0")
        return {path: blob for blob, _, path in (row.partition(" ") for row in rows if row)}

    def history(self, commit: str) -> list[str]:
        """Return a commit and those before it, as far as they are here."""
        found = []
        while commit and self.has(commit):
            found.append(commit)
            commit = self.about(commit)[1]
        return found

    def reachable(self, commit: str) -> set[str]:
        """Return the names of all objects of a commit and those before it."""
        return {name for one in self.history(commit) for name in (one, self.about(one)[0], *self.files(one).values())}

    def bring(self, other: Repository, commit: str, *, only_last: bool = False) -> None:
        """Copy a commit and those before it that are not here."""
        for one in other.history(commit)[: 1 if only_last else None]:
            if self.has(one):
                break
            for name in (*other.files(one).values(), other.about(one)[0], one):
                if not self.has(name):
                    self.objects.joinpath(name).write_bytes(other.objects.joinpath(name).read_bytes())

    def init(self, plain: list[str], words: list[str], given: bytes) -> None:
        (self.objects / "info").mkdir(parents=True, exist_ok=True)
        for name in ("HEAD", "config"):
            self.path.joinpath(name).touch()

    def config(self, plain: list[str], words: list[str], given: bytes) -> None:
        # No folder of a run is a work tree with a remote.
        raise _Failure("")

    def fetch(self, plain: list[str], words: list[str], given: bytes) -> None:
        other, (theirs, ours) = Repository(plain[0]), plain[1].split(":")
        if not (other.path / "HEAD").exists():
            raise _Failure(f"fatal: '{other.path}' does not appear to be a git repository")
        self.path.joinpath("FETCH_HEAD").write_text("")
        if not (commit := other.ref(theirs)):
            raise _Failure(f"fatal: couldn't find remote ref {theirs}")
        self.bring(other, commit, only_last="--depth=1" in words)
        self.set_ref(ours, commit)
        self.path.joinpath("FETCH_HEAD").write_text(f"{commit}\t\t{theirs}")

    def push(self, plain: list[str], words: list[str], given: bytes) -> None:
        other, (commit, ref) = Repository(plain[0]), plain[1].split(":")
        lease = [word.rpartition(":")[2] for word in words if word.startswith("--force-with-lease=")]
        if lease and other.ref(ref) != lease[0]:
            raise _Failure("! [rejected] (stale info)")
        if not lease and other.ref(ref) not in self.history(commit):
            raise _Failure("! [rejected] (fetch first)")
        other.bring(self, commit)
        other.set_ref(ref, commit)

    def merge_base(self, plain: list[str], words: list[str], given: bytes) -> bytes:
        one, other = (self.history(name) for name in plain)
        shared = [name for name in one if name in other]
        if not shared:
            raise _Failure("")
        return shared[0].encode()

    def ls_tree(self, plain: list[str], words: list[str], given: bytes) -> bytes:
        rows = []
        for path, blob in self.files(plain[0]).items():
            size = len(self.read(blob)[1])
            rows.append(f"100644 blob {blob} {size}\t{path}\0".encode("utf-8", "surrogateescape"))
        return b"".join(rows)

    def cat_file(self, plain: list[str], words: list[str], given: bytes) -> bytes:
        names = [path.name for path in self.objects.iterdir() if path.is_file()]
        told = []
        for name in names if "--batch-all-objects" in words else given.decode().split():
            kind, content = self.read(name)
            whole = b"" if "--batch-check" in words else content + b"\n"
            told.append(b"%s %s %d\n%s" % (name.encode(), kind.encode(), len(content), whole))
        return b"".join(told)

    def fast_import(self, plain: list[str], words: list[str], given: bytes) -> bytes:
        ref, at, paths, parent, message = "", 0, {}, "", b""

        def line() -> list[bytes]:
            nonlocal at
            end = given.index(b"\n", at)
            found, at = given[at:end].split(b" ", 3), end + 1
            return found

        def data(size: bytes) -> bytes:
            nonlocal at
            start, at = at, at + int(size) + 1
            return given[start : start + int(size)]

        while (said := line())[0] != b"get-mark":
            if said[0] == b"commit":
                ref = said[1].decode()
            elif said[0] == b"data":
                message = data(said[1])
            elif said[0] == b"from":
                parent = said[1].decode()
            elif said[0] == b"M":
                blob = self.put(b"blob", data(line()[1])).encode() if said[2] == b"inline" else said[2]
                paths[said[3]] = blob
        tree = self.put(b"tree", b"".join(b"%s %s\0" % (paths[path], path) for path in sorted(paths)))
        head = f"tree {tree}\n" + (f"parent {parent}\n" if parent else "")
        commit = self.put(b"commit", head.encode() + b"\n" + message)
        self.set_ref(ref, commit)
        return commit.encode()

    def update_ref(self, plain: list[str], words: list[str], given: bytes) -> None:
        for what, ref, *to in (line.split() for line in given.decode().splitlines()):
            if what == "delete":
                self.path.joinpath(ref).unlink(missing_ok=True)
            else:
                self.set_ref(ref, self.ref(to[0]) or to[0])

    def gc(self, plain: list[str], words: list[str], given: bytes) -> None:
        refs = [path.read_text() for path in (self.path / "refs").rglob("*") if path.is_file()]
        needed = {name for commit in refs for name in self.reachable(commit)}
        for path in [path for path in self.objects.iterdir() if path.is_file() and path.name not in needed]:
            path.unlink()
