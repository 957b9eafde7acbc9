"""Security-relevant calls in the archive, where no hook told of them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from holdfast import agents
from holdfast.errors import HoldfastError, NotFound
from holdfast.language.commands import parse
from holdfast.language.tools import line_of
from holdfast.learning.security import model
from holdfast.learning.security.hook import is_of_project, own_folder
from holdfast.learning.security.judge import Sight, judge
from holdfast.learning.security.model import Record
from holdfast.learning.security.paths import Places, with_slashes, within
from holdfast.privacy import speech
from holdfast.project import resolve
from holdfast.project.registry import Registry
from holdfast.session_records import Session, SessionEvent
from holdfast.sessions.facts import Digest
from holdfast.sessions.parts import Finding
from holdfast.workspace import Workspace

# How a path begins that may lead outside, what stands around one in a sentence, and how deep one lies that says enough.
_BEGINNINGS = ("/", "~/", "../")
_APART = "".join([" " if chr(code) in "\"'`()<>[]{},;|*" else chr(code) for code in range(128)])
_TOP = 2


# Rules whose calls say by name what goes, and what stands in a call that makes something.
_OF_NAMED = ("git-delete-branch", "rm-recursive")
_TAKES_BRANCH = frozenset(("-d", "-D", "--delete", "-df", "-Df"))
_NEW_BRANCH = ("-b", "-B", "-c", "-C", "--create", "--orphan")
_WRITES_TO = ("--output", "--out", "-o", "--out-dir", "--output-dir", "--outdir")
_MAKERS = ("mkdir", " -b ", " -B ", " -c ", " -C ", "--create ", "--orphan", "--out", " -o ")


def harvest(workspace: Workspace, digest: Digest, events: Sequence[SessionEvent]) -> Iterator[Finding]:
    """Yield what a session has for the audit trail."""
    session = digest.session
    places, counts = _Places(workspace, session), Counter[tuple[str, str, str]]()
    for event in events:
        if event.role == "human":
            places.named(speech.typed(event.text))
        if event.role != "tool" or not event.input:
            continue
        at = event.at or session.started
        for sight in places.sights(event):
            whose = session.agent, session.id, session.project
            record = model.record_of(sight, f"{at[:19]}Z" if at else "", whose, event.tool)
            group = (record.at[:7], record.rule, record.text)
            counts[group] += 1
            yield _finding(workspace.home, session.name, record, counts[group])


def _finding(home: str, session: str, record: Record, number: int) -> Finding:
    text = f"{record.kind}, {record.rule}: {record.text}"
    return Finding("security", text, record.at, session, lambda: model.add(home, record, number) is not None)


class _Places:
    """What the folders of a session are: where its project begins, and where the agent keeps its own.

    A file outside is told once in a session, and not where the person named it or its folder, nor where the session
    made another work tree or clone for its work.
    """

    def __init__(self, workspace: Workspace, session: Session) -> None:
        self._registry = Registry(os.path.join(workspace.home, "projects.tsv"))
        self._roots: dict[str, str] = {}
        self._session = session
        self._expected: set[str] = set()
        self._told: set[str] = set()
        # The last parts of the names of branches and folders that the session made itself.
        self._made: set[str] = set()
        self._own = ""
        try:
            self._own = own_folder(agents.get(session.agent), session.folder, workspace.environment)
        except NotFound:
            # It may come from a package that is gone.
            return

    def named(self, text: str) -> None:
        """Take the folders and files that the person speaks of, and with a file its folder."""
        if "/" in text or "\\" in text:
            for word in text.translate(_APART).split():
                if word.startswith(_BEGINNINGS) or word[1:3] == ":\\":
                    self._expect(word.rstrip("/.,:;!?"), self._session.folder)

    def _expect(self, word: str, folder: str) -> None:
        whole = Places((folder,), folder).whole(word)
        has_ending = "." in whole.rpartition("/")[2].lstrip(".")
        for one in (whole, os.path.dirname(whole) if has_ending else ""):
            if one.count("/") > _TOP and not within(with_slashes(folder), one):
                self._expected.add(one)

    def sights(self, event: SessionEvent) -> list[Sight]:
        """Return what a call has for the trail."""
        folder = event.folder or self._session.folder
        root = self._root(folder)
        if "worktree add" in event.input or "git clone" in event.input:
            for command in parse(line_of(event.input)):
                if command.words[:2] == ("git", "clone") or command.words[1:3] == ("worktree", "add"):
                    for word in command.words[2:]:
                        if word.startswith(_BEGINNINGS):
                            self._expect(word, folder)
        also = (self._own, folder, self._root(self._session.folder))
        found = judge(event.tool, event.input, root, folder=folder, also=also)
        is_own = any(one.rule in _OF_NAMED for one in found) and self._is_own(event)
        found = [one for one in found if not (is_own and one.rule in _OF_NAMED)]
        if any(word in event.input for word in _MAKERS):
            self._note_made(event)
        return [one for one in found if not one.path or self._is_news(one)]

    def _note_made(self, event: SessionEvent) -> None:
        """Note what a call makes: a branch, a folder, what a program was told to write to."""
        for command in parse(line_of(event.input)):
            words = command.words
            for before, word in pairwise(words):
                # `git switch -c` and the like make a branch; another program means something else by it.
                is_branch = before in _NEW_BRANCH and words[0] == "git" and words[1:2] not in (("branch",), ("commit",))
                if is_branch or before in _WRITES_TO or (words[0] == "mkdir" and word[:1] != "-"):
                    self._made.add(_last_part(word))
                elif before.startswith(tuple(f"{one}=" for one in _WRITES_TO)):
                    self._made.add(_last_part(before))

    def _is_own(self, event: SessionEvent) -> bool:
        """Whether all that a call removes by name was made in the session."""
        names = []
        for command in parse(line_of(event.input)):
            words = command.words
            is_branch = words[:2] == ("git", "branch") and not _TAKES_BRANCH.isdisjoint(words)
            skipped = 2 if is_branch else 1 if words[:1] == ("rm",) else len(words)
            names += [_last_part(word) for word in words[skipped:] if word[:1] != "-"]
        return bool(names) and self._made.issuperset(names)

    def _is_news(self, sight: Sight) -> bool:
        project = self._session.project
        if sight.path in self._told or any(within(sight.path, one) for one in self._expected):
            return False
        self._told.add(sight.path)
        return not (project and is_of_project(sight, (project,), self._registry))

    def _root(self, folder: str) -> str:
        if folder and folder not in self._roots:
            try:
                found = resolve(folder, self._registry).root if os.path.isdir(folder) else self._named_root(folder)
            except (HoldfastError, OSError, ValueError):
                found = folder
            self._roots[folder] = found
        return self._roots.get(folder, "")

    def _named_root(self, folder: str) -> str:
        """Return the part of a folder that is not here which is called like the project; without one, all of it."""
        name = self._session.project.replace("/", "-").casefold()
        parts = folder.split("/")
        for at in range(len(parts), 1, -1):
            last = parts[at - 1].casefold()
            if last and (name == last or name.endswith(f"-{last}")):
                return "/".join(parts[:at])
        return folder


def _last_part(word: str) -> str:
    return word.rstrip("/").rpartition("=")[2].rpartition("/")[2]
