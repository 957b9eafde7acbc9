"""Import what agents know themselves: their memory and instruction files, cut into statements, offered as proposals.

The files are those that agents' adapters name, opened with care, without what Holdfast wrote into them. A statement is
proposed once. What a memory says already, what waits already, what a person rejected and what was forgotten or
corrected is only counted.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from holdfast import agents
from holdfast.agents.base import Agent, MemoryFile, Place
from holdfast.agents.editing import blocks
from holdfast.base import files
from holdfast.base.clock import now
from holdfast.continuity import todo as todo_page
from holdfast.errors import BadInput, HoldfastError, NotFound, ScopeUnknown
from holdfast.exchange import import_notes, statements, stores
from holdfast.exchange.statements import Cut, ImportedStatement
from holdfast.memory import proposals as decisions
from holdfast.memory import scaffold
from holdfast.memory.proposal_files import Proposals, id_of, same
from holdfast.memory.proposals import Decision, Judge
from holdfast.memory.remember import names_only_a_secret, redacted
from holdfast.privacy import fence, redact
from holdfast.project import git
from holdfast.records import Draft, Problem, Proposal, Scope, replace
from holdfast.store.memory_file import first_words
from holdfast.workspace import Workspace

MAX_READ = 262_144
# The agent of a file that no adapter names.
NO_AGENT = "file"
_BLOCK = re.compile(r"<!-- holdfast:(?:pattern-)?begin.*?<!-- holdfast:(?:pattern-)?end[^>\n]*-->", re.DOTALL)
# Line ends, and the joiners that scripts and emoji need.
_KEPT = "\n\t\r\u200c\u200d\u00ad"
_FENCED = re.compile(re.escape(fence.OPEN) + ".*?" + re.escape(fence.CLOSE), re.DOTALL)


@dataclass(frozen=True, slots=True)
class ImportFile:
    """A file to import: whose it is, where it holds, its path, and the path as it is shown and remembered."""

    agent: str
    scope: str
    kind: str
    path: str
    shown: str


@dataclass(frozen=True, slots=True)
class FileImport:
    """What an import made of one file: how many of its statements are new, wait, are known, rejected, refused.

    `mentions` are other files that it names by `@path`, which were not opened; `redacted` the kinds of secret.
    """

    agent: str
    scope: str
    kind: str
    path: str
    new: int = 0
    waiting: int = 0
    known: int = 0
    rejected: int = 0
    refused: int = 0
    mentions: tuple[str, ...] = ()
    redacted: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        agent: str,
        scope: str,
        kind: str,
        path: str,
        counts: Counter[str],
        mentions: tuple[str, ...] = (),
        redacted: tuple[str, ...] = (),
    ) -> FileImport:
        """Return what was made of a file, by how many statements there are of each verdict."""
        found = (counts[verdict] for verdict in ("new", "waiting", "known", "rejected", "refused"))
        new, waiting, known, rejected, refused = found
        return cls(agent, scope, kind, path, new, waiting, known, rejected, refused, mentions, redacted)


@dataclass(frozen=True, slots=True)
class ImportResult:
    """The answer to an import: its files, what is newly proposed, what was decided at once, and what was wrong."""

    files: tuple[FileImport, ...]
    proposals: tuple[Proposal, ...]
    decisions: tuple[Decision, ...] = ()
    problems: tuple[Problem, ...] = ()


def import_memories(
    workspace: Workspace,
    agents: tuple[str, ...] = (),
    *,
    paths: tuple[str, ...] = (),
    scope: str = "",
    dry_run: bool = False,
    approve: bool = False,
) -> ImportResult:
    """Propose what the files say and nobody knows yet; with `approve` make memories of it at once."""
    workspace.need_enabled()
    if scope not in ("", "global", "project"):
        raise BadInput(f"nothing can be imported into the scope {scope!a}", "Use global or project.")
    if scope and not paths:
        raise BadInput("a scope is for named files", "Give --file, or leave --scope out: each file has its own.")
    found = sources(workspace, agents, paths, scope)
    for kind in dict.fromkeys(source.scope for source in found if paths):
        # A file that a person names has to go where it was meant to, or nowhere.
        workspace.scope(kind)
    run = _MemoryImport(workspace, dry_run=dry_run)
    for source in found:
        run.take_store(source) if source.kind == "store" else run.take(source)
    kinds = {**decisions.KINDS, **import_notes.KINDS, "memory": _Unread()}
    decided = decisions.approve(workspace, tuple(run.offered), kinds) if approve and not dry_run and run.offered else []
    return ImportResult(tuple(run.files), tuple(run.proposals), tuple(decided), tuple(run.problems))


class _Unread(decisions.Kind):
    """What is approved with its whole file was not read line by line, and stays the file's."""

    trust = "import"


class _MemoryImport:
    """One import: takes one file after the other and knows what the earlier ones proposed."""

    def __init__(self, workspace: Workspace, *, dry_run: bool) -> None:
        self.workspace = workspace
        self.dry_run = dry_run
        self.place: Place = place_of(workspace)
        self.room = Proposals(workspace.home)
        self.judge = Judge(workspace)
        # What the pages say that Holdfast itself lays: a copy of them in a workspace is nobody's statement.
        texts = map(scaffold.template, ("definition.md", "index.md", "scope.md"))
        self.ours = {same(found.text) for text in texts for found in statements.cut(text).statements}
        self.at = now()
        self.files: list[FileImport] = []
        self.proposals: list[Proposal] = []
        # The ids of all that these files say and that wait for a decision, earlier ones among them.
        self.offered: dict[str, None] = {}
        self.problems: list[Problem] = []

    def take(self, source: ImportFile) -> None:
        """Propose what the file says, where its agent says that it holds."""
        try:
            scope = self.workspace.scope(source.scope)
        except ScopeUnknown as problem:
            self.problems.append(Problem("no-project", source.shown, str(problem), problem.hint))
            return
        text, problems = text_of(self.workspace, source, self.place)
        self.problems += problems
        if not text.strip():
            return
        text, kinds = redact.redact(text)
        about = (source.agent, source.scope, source.kind, source.shown)
        if source.kind in import_notes.KINDS:
            self.files.append(FileImport.of(*about, self._noted(source, scope, text), (), tuple(kinds)))
            return
        file = MemoryFile(source.path, source.scope, source.kind)
        parts = [(source.scope, text)]
        if source.agent != NO_AGENT:
            parts = agents.get(source.agent).memory_parts(file, text, self.place)
        for name, part in parts:
            self._take_part(replace(source, scope=name), part, tuple(kinds))

    def _take_part(self, source: ImportFile, text: str, kinds: tuple[str, ...]) -> None:
        """Propose what a file says, or a part of it."""
        is_notes, scope = source.kind == "notes", self.workspace.scope(source.scope)
        said = import_notes.without_what_is_over(text) if is_notes else text
        cut = statements.cut(said, topic=source.kind == "memory", rows=is_notes)
        counts = Counter(self._offer(source, scope, cut, found) for found in self._own(source, cut))
        about = (source.agent, source.scope, source.kind, source.shown)
        self.files.append(FileImport.of(*about, counts, cut.mentions, kinds))

    def _noted(self, source: ImportFile, scope: Scope, text: str) -> Counter[str]:
        """Propose the to-dos of a page, or the log of a day; return how many are what."""
        counts: Counter[str] = Counter()
        if source.kind == import_notes.DAY:
            day = os.path.basename(source.path).removesuffix(".md")
            said = "\n".join(import_notes.day_lines(self.workspace, scope, day, text))
            wanted = [ImportedStatement(said, day, day, 1)] if said else []
        else:
            known = {same(todo.text) for todo in todo_page.todos(self.workspace, everything=True)}
            texts, done = import_notes.boxes(text)
            wanted = [ImportedStatement(one, one[:80], "", 1) for one in texts if same(one) not in known]
            # What is done needs no decision.
            counts["known"] = done + len(texts) - len(wanted)
        for one in wanted:
            counts[self._offer(source, scope, Cut(()), one, source.kind)] += 1
        return counts

    def take_store(self, source: ImportFile) -> None:
        """Propose what the store of another tool says."""
        scope = self.workspace.scope(source.scope)
        found = stores.read(source.path, os.path.basename(self.place.folder) if scope.kind == "project" else "")
        for one in found.files:
            named = f"{source.shown}/{one.name}" if os.path.isdir(source.path) else source.shown
            file = ImportFile(one.tool, source.scope, "memory", source.path, named)
            clean = [(each, redact.redact(visible(each.text))) for each in one.cut.statements]
            kinds = {kind for _, (_, kinds) in clean for kind in kinds}
            # A title that was cut in the middle of a secret shows the half of it that no rule knows.
            texts = [
                replace(
                    each,
                    text=text,
                    title=first_words(text) if found_kinds else redact.redact(each.title)[0],
                    heading=redact.redact(each.heading)[0],
                )
                for each, (text, found_kinds) in clean
            ]
            counts = Counter(
                self._offer(file, scope, one.cut, each) for each in texts if same(each.text) not in self.ours
            )
            self.files.append(
                FileImport.of(one.tool, file.scope, "store", file.shown, counts, (), tuple(sorted(kinds)))
            )

    def _own(self, source: ImportFile, cut: Cut) -> Iterator[ImportedStatement]:
        """Yield the statements of the file's own: neither ours, nor a line of an index that leads to another file."""
        folder = os.path.dirname(source.path)
        for found in cut.statements:
            leads_to = statements.pointer(found.text) if source.kind == "memory" else ""
            is_index = leads_to and os.path.isfile(os.path.join(folder, leads_to))
            if not is_index and same(found.text) not in self.ours:
                yield found

    def _offer(self, source: ImportFile, scope: Scope, cut: Cut, found: ImportedStatement, kind: str = "memory") -> str:
        """Propose the statement where it is new; return what it is."""
        try:
            redacted(Draft(found.text, scope, title=found.title))
        except BadInput:
            return "refused"
        if names_only_a_secret(found.text):
            return "refused"
        verdict, name = self.judge.verdict(scope, found.text)
        if verdict in ("new", "waiting"):
            self.offered[name] = None
        if verdict == "new":
            proposal = replace(_proposal(source, scope, cut, found, self.at), kind=kind)
            self.judge.add(proposal)
            self.proposals.append(proposal)
            if not self.dry_run:
                self.room.put(proposal)
        return verdict


def _proposal(source: ImportFile, scope: Scope, cut: Cut, found: ImportedStatement, now: str) -> Proposal:
    at = " ".join(found.heading.split()) or f"L{found.line}"
    shown = redact.redact(source.shown)[0]
    usual = "user" if scope.kind == "global" and source.kind != "memory" else "project"
    return Proposal(
        id=id_of(scope, found.text),
        text=found.text,
        scope=scope,
        title=found.title,
        type=cut.type or usual,
        tags=tuple(dict.fromkeys((*cut.tags, *found.tags))),
        source=f"{source.agent}:{shown}#{at}",
        agent=source.agent,
        evidence=f"{shown}, line {found.line}",
        created=now,
    )


def place_of(workspace: Workspace) -> Place:
    """Return where we look: at the root of the project, or in this folder where it is none."""
    try:
        return workspace.place("project")
    except ScopeUnknown:
        return workspace.place("user")


def sources(workspace: Workspace, names: tuple[str, ...], paths: tuple[str, ...], scope: str) -> list[ImportFile]:
    """Return the files to import, each once: those of the adapters of that name or of all, or only the given paths."""
    place = place_of(workspace)
    known: dict[str, ImportFile] = {}
    for source in _of_adapters(workspace, names, place):
        # Several agents read one file, by its name or by a link; it is the first one's.
        known.setdefault(os.path.realpath(source.path), source)
    for folder in (place.folder,) if place.scope == "project" and not names else ():
        for path, kind in import_notes.found(folder):
            source = ImportFile(NO_AGENT, "project", kind, path, shown(path, place))
            known.setdefault(os.path.realpath(path), source)
    if not paths:
        return list(known.values())
    given = [_given(workspace, path, known, names, scope, place) for path in paths]
    # What a folder says as notes is read with it; its to-dos and logs become none of its statements.
    inner = [
        ImportFile(NO_AGENT, one.scope, kind, path, shown(path, place))
        for one in given
        if one.kind == "store" and one.scope == "project"
        for path, kind in import_notes.found(one.path)
        if kind in import_notes.KINDS
    ]
    return [*given, *inner]


def _of_adapters(workspace: Workspace, names: tuple[str, ...], place: Place) -> Iterator[ImportFile]:
    shared = _shared_root(place.folder)
    for agent in _adapters(workspace, names):
        for folder in _on_the_way(workspace, place.folder):
            for found in _files_of(workspace, agent, replace(place, folder=folder)):
                if folder == place.folder or _lies_in(found.path, folder):
                    yield ImportFile(agent.name, found.scope, found.kind, found.path, shown(found.path, place))
        for found in _files_of(workspace, agent, replace(place, folder=shared)) if shared else ():
            # Its notes on the project hold in every worktree; the instructions are those that are checked out here.
            if found.kind == "memory" and not _lies_in(found.path, shared):
                yield ImportFile(agent.name, found.scope, found.kind, found.path, shown(found.path, place))


def _shared_root(root: str) -> str:
    """Return the main work tree of a repository, where the root is another worktree of it."""
    try:
        found = git.at(root)
    except git.Unusable:
        return ""
    main, name = os.path.split(found.common) if found is not None else ("", "")
    return main if name == ".git" and main != root else ""


def _adapters(workspace: Workspace, names: tuple[str, ...]) -> Iterator[Agent]:
    if names:
        yield from [agents.get(name) for name in dict.fromkeys(names)]
        return
    for name in agents.names():
        try:
            yield agents.get(name)
        except NotFound as problem:
            workspace.say(str(problem))


def _files_of(workspace: Workspace, agent: Agent, place: Place) -> list[MemoryFile]:
    try:
        return agent.memory_files(place)
    except OSError as problem:
        workspace.say(f"the files of {agent.name} cannot be listed: {problem}")
        return []


def _on_the_way(workspace: Workspace, root: str) -> list[str]:
    """Return the root and each folder from there to where we stand: agents read the instructions of all of them."""
    here = os.path.realpath(workspace.folder or files.working_folder() or root)
    if here == root or not _lies_in(here, root):
        return [root]
    parts = os.path.relpath(here, root).split(os.sep)
    return [root, *(os.path.join(root, *parts[: depth + 1]) for depth in range(len(parts)))]


def _given(
    workspace: Workspace, path: str, known: dict[str, ImportFile], names: tuple[str, ...], scope: str, place: Place
) -> ImportFile:
    full = os.path.join(workspace.folder or files.working_folder(), os.path.expanduser(path))
    if not os.path.lexists(full):
        raise NotFound(f"{path} does not exist", "Name a Markdown or text file.")
    full = os.path.abspath(full)
    found = known.get(os.path.realpath(full))
    if found is not None:
        return replace(found, scope=scope or found.scope)
    # The person named this file, so a link that it may be is the person's word.
    real = os.path.realpath(full)
    if stores.is_store(real):
        return ImportFile(NO_AGENT, scope or "project", "store", real, shown(full, place))
    return ImportFile(names[0] if names else NO_AGENT, scope or "project", "instructions", real, shown(full, place))


def shown(path: str, place: Place) -> str:
    """Return the path as people say it: within the project, from the home, or whole."""
    if _lies_in(path, place.folder):
        return os.path.relpath(path, place.folder)
    return "~/" + os.path.relpath(path, place.home) if _lies_in(path, place.home) else path


def text_of(workspace: Workspace, source: ImportFile, place: Place) -> tuple[str, list[Problem]]:
    """Return what the file says besides what is ours, and what was wrong with it; nothing of it stops an import."""
    real = os.path.realpath(source.path)
    if _lies_in(real, os.path.realpath(workspace.home)):
        return "", [_problem(source, "ours", "this file is Holdfast's own", "There is nothing to import in it.")]
    if not _may_be_read(source.path, real, place):
        hint = "Import the file that it leads to, by --file."
        return "", [_problem(source, "link", f"a link leads out to {real}, and is not followed", hint)]
    if not os.path.isfile(real):
        return "", [_problem(source, "unreadable", "this is not a file", "Name a Markdown or text file.")]
    try:
        data = files.read(real, MAX_READ + 1)
    except HoldfastError as problem:
        return "", [_problem(source, "unreadable", str(problem), problem.hint)]
    text, problems = _decoded(source, data)
    if real.endswith(".patch"):
        # What a patch would add; a line that stays or goes is told by the file itself.
        lines = [line[1:] for line in text.splitlines() if line.startswith("+") and not line.startswith("+++ ")]
        text = "\n".join(lines)
    seen = visible(text)
    if len(seen) < len(text.removeprefix("\ufeff")):
        hint = "Look at the file with a program that shows them."
        problems.append(_problem(source, "hidden", "characters that nobody sees were left out", hint))
    return _without_ours(seen), problems


def visible(text: str) -> str:
    """Return the text without what a person does not see when it is shown: control, direction and tag characters."""
    text = text.removeprefix("\ufeff")
    if text.isascii() and text.replace("\n", "").replace("\t", "").replace("\r", "").isprintable():
        return text
    return "".join(letter for letter in text if letter in _KEPT or unicodedata.category(letter) not in ("Cc", "Cf"))


def _may_be_read(path: str, real: str, place: Place) -> bool:
    """Whether a link, if there is one on the way, stays in the project, or in the person's home."""
    if _lies_in(path, place.folder):
        return _lies_in(real, os.path.realpath(place.folder))
    inside = (os.path.realpath(place.home), os.path.realpath(os.path.dirname(path)))
    return path == real or any(_lies_in(real, folder) for folder in inside)


def _decoded(source: ImportFile, data: bytes) -> tuple[str, list[Problem]]:
    problems = []
    if b"\0" in data:
        return "", [_problem(source, "binary", "the file has NUL bytes, so it is not text", "Save it as UTF-8 text.")]
    if len(data) > MAX_READ:
        text = f"the file has more than {MAX_READ:,} bytes; the rest was not read"
        problems = [_problem(source, "too-large", text, "Cut it into several files.")]
        data = data[: data.rfind(b"\n", 0, MAX_READ) + 1] or data[:MAX_READ]
    try:
        return data.decode("utf-8", "ignore" if problems else "strict"), problems
    except UnicodeDecodeError as wrong:
        line = data.count(b"\n", 0, wrong.start) + 1
        return "", [replace(_problem(source, "not-utf-8", "the file is not UTF-8", "Save it as UTF-8."), line=line)]


def _without_ours(text: str) -> str:
    """Return the text without what Holdfast wrote; the lines after it keep their numbers."""
    if blocks.NOTE.strip() in text:
        return ""
    for pattern in (_BLOCK, _FENCED):
        text = pattern.sub(lambda found: "\n" * found[0].count("\n"), text)
    # A fence that was cut short hands over ours up to the end of the text.
    return fence.stripped(text) if fence.OPEN in text or fence.CLOSE in text else text


def _lies_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _problem(source: ImportFile, kind: str, text: str, hint: str) -> Problem:
    return Problem(kind, source.shown, text, hint)
