"""A scope or a home as one file, to keep or to hand on: a gzipped tar of memories, with checksums.

Deterministic: the same memories give the same bytes on every machine and at any time. Within it, `memories/` has each
memory as its file is, below the folder of its scope; `index.md` lists them; `tombstones/` has what was forgotten, as
digests; `SHA256SUMS` has a line for each file, as `sha256sum -c` reads it. A memory has a `type` in its front matter,
and every other Markdown file is an `index.md`, so a bundle is one of the Open Knowledge Format, too.

What comes in is a stranger's: the trust is `import`, secrets are taken out, and what was forgotten here or there stays
out. A bundle that was changed, or has anything in it but such files, is refused as a whole.
"""

from __future__ import annotations

import gzip
import io
import os
import shlex
import tarfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256

from holdfast.base import files
from holdfast.base.text import check_text, count
from holdfast.errors import BadInput, Conflict, NotFound, Refused, TooLarge
from holdfast.exchange import open_knowledge
from holdfast.memory import audit
from holdfast.privacy import redact
from holdfast.privacy.fence import harmless_line
from holdfast.project.ids import is_id
from holdfast.records import Filter, Memory, Scope, Statement, Step, replace
from holdfast.store import layout, memory_file
from holdfast.store.keys import automatic_keys, is_key
from holdfast.store.tombstones import Burials
from holdfast.store.words import digest
from holdfast.workspace import Workspace

MAX_BYTES, MAX_FILES, MAX_FILE = 200_000_000, 200_000, 4_194_304
TRUST = "import"
_MEMORIES, _TOMBSTONES, _SUMS, _INDEX = "memories", "tombstones", "SHA256SUMS", f"{open_knowledge.INDEX}.md"
_KINDS = ("global", "project", "agent")
_NOT_ONE = "Give a file that `holdfast export` made."


@dataclass(frozen=True, slots=True)
class Bundled:
    """A bundle as it was read: the memories of each scope, and what was forgotten there."""

    memories: tuple[Memory, ...]
    forgotten: Mapping[Scope, Burials]


@dataclass(frozen=True, slots=True)
class BundleChange:
    """One memory that an import would add, as it will stand here."""

    step: Step
    memory: Memory


def export(workspace: Workspace, path: str, scope: str = "") -> int:
    """Write the memories of a scope, or of the home, as a bundle; return how many. A file that is there is refused."""
    workspace.need_enabled()
    if os.path.lexists(path):
        raise Conflict(f"{path} is there already", "Give another name.")
    folder = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(folder):
        raise NotFound(f"there is no folder {folder}", f"Where it is the right one: mkdir -p {shlex.quote(folder)}")
    workspace.refresh(None)
    scopes = (workspace.scope(scope),) if scope else None
    found = [one for one in workspace.store.find(Filter(scopes)) if one.scope.kind in _KINDS]
    contents = _contents(workspace, found)
    files.replace(os.path.abspath(path), _archive(contents))
    return len(found)


def _contents(workspace: Workspace, memories: list[Memory]) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for memory in memories:
        text = open_knowledge.concept(memory, workspace.store.text(memory))
        found[_name(memory)] = redact.redact(text)[0].encode()
    for scope in {memory.scope for memory in memories}:
        rows = files.read_if_there(os.path.join(workspace.store.tree.root, layout.folder_of(scope), layout.FORGOTTEN))
        if rows:
            found[f"{_TOMBSTONES}/{layout.folder_of(scope)}.tsv"] = rows
    found[_INDEX] = open_knowledge.index([(one.title, _name(one)) for one in memories]).encode()
    sums = [f"{sha256(found[name]).hexdigest()}  {name}\n" for name in sorted(found)]
    return {**found, _SUMS: "".join(sums).encode()}


def _name(memory: Memory) -> str:
    """Return the file of a memory in a bundle; no key ends with `_`, and two names mean something else there."""
    is_reserved = memory.key in (open_knowledge.INDEX, open_knowledge.LOG)
    return f"{_MEMORIES}/{layout.folder_of(memory.scope)}/{memory.key}{'_' if is_reserved else ''}.md"


def _archive(contents: Mapping[str, bytes]) -> bytes:
    """Return the bytes of the bundle; no name, time or mode of this machine is in it."""
    out = io.BytesIO()
    with gzip.GzipFile(fileobj=out, mode="wb", mtime=0) as zipped, tarfile.open(fileobj=zipped, mode="w") as archive:
        for name in sorted(contents):
            about = tarfile.TarInfo(name)
            about.size, about.mode = len(contents[name]), 0o644
            archive.addfile(about, io.BytesIO(contents[name]))
    return out.getvalue()


def read(path: str) -> Bundled:
    """Read a bundle; Refused where it was changed, or has in it what no bundle has."""
    contents = dict(_files_in(path))
    sums = contents.pop(_SUMS, b"").decode("utf-8", "replace")
    told = {name: digits for digits, _, name in (line.partition("  ") for line in sums.splitlines())}
    if not told or told != {name: sha256(data).hexdigest() for name, data in contents.items()}:
        raise Refused(f"{path} is damaged: its checksums do not match", "Get it again.")
    memories, graves = [], {}
    for name in sorted(contents):
        top, _, inner = name.partition("/")
        if top == _MEMORIES:
            memories.append(_memory(inner, contents[name], path))
        elif top == _TOMBSTONES:
            graves[_scope(inner.removesuffix(".tsv"), path)] = Burials(
                contents[name].decode("utf-8", "replace").splitlines(), ()
            )
        elif name != _INDEX:
            raise Refused(f"{path} has {name!a} in it, which does not belong in a bundle", _NOT_ONE)
    return Bundled(tuple(memories), graves)


def _files_in(path: str) -> Iterator[tuple[str, bytes]]:
    size = number = 0
    if not os.path.isfile(path):
        raise BadInput(f"{path} is not a file", _NOT_ONE)
    try:
        with tarfile.open(path, "r:gz") as archive:
            for about in archive:
                number, size = number + 1, size + about.size
                if number > MAX_FILES or size > MAX_BYTES:
                    raise TooLarge(f"{path} has more than {MAX_FILES:,} files or {MAX_BYTES:,} bytes", _NOT_ONE)
                # The list of checksums and the tombstones of many memories are longer than any memory.
                if about.size > MAX_FILE and about.name.startswith(f"{_MEMORIES}/"):
                    raise TooLarge(f"{path} has a memory of more than {MAX_FILE:,} bytes", _NOT_ONE)
                if not about.isreg():
                    raise Refused(f"{path} has {about.name!a} in it, which is not a plain file", _NOT_ONE)
                found = archive.extractfile(about)
                yield about.name, found.read() if found else b""
    except (tarfile.TarError, EOFError, gzip.BadGzipFile, OSError) as problem:
        raise BadInput(f"{path} cannot be read as a bundle: {problem}", _NOT_ONE) from None


def _scope(folder: str, path: str) -> Scope:
    scope = layout.scope_of(f"{folder}/x")
    is_one = scope is not None and scope.kind in _KINDS and (not scope.owner or is_id(scope.owner))
    if scope is None or not is_one or layout.folder_of(scope) != folder:
        raise Refused(f"{path} has {folder!a} in it, which is not a scope", _NOT_ONE)
    return scope


def _memory(inner: str, data: bytes, path: str) -> Memory:
    folder, _, name = inner.rpartition("/")
    key = name.removesuffix(".md").removesuffix("_")
    if not is_key(key) or not name.endswith(".md"):
        raise Refused(f"{path} has {inner!a} in it, which is not a memory", _NOT_ONE)
    place = memory_file.FilePlace(inner, _scope(folder, path), key, "")
    return memory_file.read(memory_file.decode(data, inner)[0], place)[0]


def plan(workspace: Workspace, bundled: Bundled, into: str = "") -> list[BundleChange]:
    """Return what an import would add; `into` puts everything into one scope of here."""
    workspace.need_enabled()
    target = workspace.scope(into) if into else None
    workspace.refresh(None)
    known: dict[Scope, set[str]] = {}
    taken: dict[Scope, set[str]] = {}
    found = []
    for memory in bundled.memories:
        scope = target or memory.scope
        if scope not in known:
            there = list(workspace.store.find(Filter((scope,))))
            known[scope], taken[scope] = {digest(one.body) for one in there}, {one.key for one in there}
        grave, said = bundled.forgotten.get(memory.scope), (memory.body, *(one.text for one in memory.history))
        # As with two machines: a forget takes what was made of a statement, too.
        if (grave and grave.has_any(said)) or any(workspace.store.forgot(scope, memory.key, text) for text in said):
            continue
        made = _as_strangers(memory, scope, taken[scope])
        if digest(made.body) not in known[scope]:
            known[scope].add(digest(made.body))
            taken[scope].add(made.key)
            found.append(BundleChange(Step("add", f"{scope}/{made.key}", harmless_line(made.body)), made))
    return found


def _as_strangers(memory: Memory, scope: Scope, taken: set[str]) -> Memory:
    """Return the memory as it stands here: its key where that is free, its history and dates; nobody's rule, no pin."""
    keys = (memory.key, *automatic_keys(memory.body))
    key = next((one for one in keys if one not in taken), f"{memory.key[:50]}-{digest(memory.body)[:8]}")
    texts = (memory.title, memory.body, *(one.text for one in memory.history))
    for text in texts:
        check_text(text)
    title, body, *earlier = (redact.redact(text)[0] for text in texts)
    return replace(
        memory,
        key=key,
        scope=scope,
        title=title,
        body=body,
        history=tuple(Statement(text, one.at) for text, one in zip(earlier, memory.history, strict=True)),
        trust=TRUST,
        source=redact.redact(f"bundle:{memory.source}".rstrip(":")[:200])[0],
        pinned=False,
        # A stranger's does not choose the command at which it is told.
        when="",
        enforce="",
        supersedes=(),
        anchors=(),
        path=layout.usual_path(scope, key),
    )


def apply(workspace: Workspace, changes: list[BundleChange]) -> None:
    """Add what was planned, in one act that can be undone."""
    workspace.need_person("imports a bundle")
    # A new home gets its index before its memories, which nobody is then told was missing.
    files.make_folder(workspace.home)
    workspace.refresh(None)
    with audit.Act(workspace, "import") as act:
        for change in changes:
            workspace.store.tree.swap(change.memory.path, None, memory_file.create(change.memory).encode())
        if changes:
            act.done(count(len(changes), "memory"), "imported from a bundle")
    audit.trim(workspace)
