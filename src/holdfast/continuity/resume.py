"""What an agent is told of a project's pages: at a session's start, after a compaction, and where a person goes on.

A start goes from what seldom changes to what often does, so that an agent's prompt cache holds as far as it can. A
recovery goes the other way, the freshest first. What was forgotten is left out, and secrets are taken out once more.
A page that cannot be read is passed over: the rest is better than nothing.
"""

from __future__ import annotations

import os

from holdfast.base import files
from holdfast.base.clock import now
from holdfast.continuity import buffer, closing, log, messages, pages, region
from holdfast.continuity.check_boxes import unattributed
from holdfast.errors import HoldfastError
from holdfast.inject import sources
from holdfast.inject.sources import Source
from holdfast.privacy.fence import without_secrets
from holdfast.records import Scope
from holdfast.store import layout
from holdfast.store.tombstones import Tombstones
from holdfast.store.words import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from holdfast.continuity.buffer import WorkingState
    from holdfast.continuity.check_boxes import Todo
    from holdfast.continuity.note_tables import Note
    from holdfast.inject.block import Block
    from holdfast.inject.shown import Shown
    from holdfast.workspace import Workspace

# The parts of a block's room, in the order in which the pages stand; what is left is for memories.
START = {"MEMORY.md": 0.15, "lessons.md": 0.1, "todo.md": 0.1, "buffer.md": 0.2}
RECOVERY = {"buffer.md": 0.25, "MEMORY.md": 0.15, "log": 0.15, "todo.md": 0.1, "lessons.md": 0.1}
_MAX_SAID = 8
_MAX_DAYS = 3
_BULLETS = ("- ", "* ")
_LAST_ASKED = "before the conversation was compacted, the person last asked: "
# Agents alone write these fields of the working state; what the person said stands by itself.
_AGENTS = ", says the agent"
_LEADS = (": ", " that ", " dass ")


def block(at: Workspace, found: Sequence[Source], room: int, *, after_compaction: bool) -> Block:
    """Return these sources within the room, without a fence."""
    why = "recovery" if after_compaction else "start"
    # A recovery has the most room that there is, so what is cut in it is not told again; what a start cut may be.
    return sources.fill(found, room, without_secrets, owner=owner_of(at), why=why, cut_is_told=after_compaction)


def unseen(at: Workspace, found: Iterable[Source], shown: Shown) -> list[Source]:
    """Return the sources with what the session was not told before, by its start or by a recovery."""
    owner = owner_of(at)
    return [rest for source in found if (rest := sources.unseen(source, owner, shown)).entries]


def owner_of(at: Workspace) -> str:
    """Return the id of the project, or nothing where there is none."""
    return next(iter(_owners(at)), "")


class ToldPages:
    """The pages of the project of a workspace or a hook, as they are told. `folders` begins with its present one."""

    def __init__(self, at: Workspace) -> None:
        root = os.path.join(at.home, "memory")
        owners = _owners(at)
        self._worktree = buffer.worktree_of(at.project().root) if owners else ""
        self._are_kept = at.settings.flag("continuity.enabled")
        folders = [layout.folder_of(Scope("project", owner)) for owner in owners]
        plain = [folder for folder in folders if not files.link_on_the_way(root, folder)]
        self.folders = tuple([os.path.join(root, folder) for folder in plain])
        # The digests of what was forgotten.
        self._forgotten: set[str] = set()
        try:
            for folder in (*self.folders, os.path.join(root, layout.folder_of(Scope("global")))):
                self._forgotten |= Tombstones(os.path.join(folder, layout.FORGOTTEN)).statements()
        except HoldfastError:
            # Where nobody can tell what was forgotten, no page is told.
            self.folders = ()

    def found(self, *, after_compaction: bool, asked: str = "") -> list[Source]:
        """Return the pages that say anything, in their order; `asked` is what the person asked last.

        None where the keeping of pages is switched off.
        """
        if not self._are_kept:
            return []
        parts = RECOVERY if after_compaction else START
        made = [self._source(name, part, asked) for name, part in parts.items()]
        return [source for source in made if source is not None]

    def _source(self, name: str, part: float, asked: str) -> Source | None:
        tell: dict[str, Callable[[], tuple[str, list[str]]]] = {
            "MEMORY.md": self._page,
            "lessons.md": self._lessons,
            "todo.md": lambda: ("Open todos (todo.md)", [f"{one.id}: {one.text}" for one in self.todos()]),
            "buffer.md": lambda: self._buffer(asked),
            "log": self._log,
        }
        try:
            head, entries = tell[name]()
        except (HoldfastError, OSError):
            head, entries = "", []
        if not entries and asked and name == "buffer.md":
            entries = [_LAST_ASKED + asked]
        return Source(name, head or "Working state", tuple(entries), part) if entries else None

    def _read(self, name: str) -> str:
        text = region.find_page(name, self.folders)[1]
        # A page in another encoding would be told as garbage.
        return "" if region.is_wide(text) else text

    def _page(self) -> tuple[str, list[str]]:
        first, *rest = self._read("MEMORY.md").lstrip("\ufeff").split("<!--")
        text = first + "".join([part.partition("-->")[2] for part in rest])
        entries = []
        for heading, lines in region.sections(text):
            said = self.kept(_said(line for line in lines if not _holds_no_longer(line)))
            # New rows go to the end, and of decisions the newest count.
            entries.append(_joined(heading, reversed(said) if heading.casefold().startswith("decision") else said))
        # What is struck out on the page may hold again in the list.
        told = "\n".join([line for line in text.split("\n") if not _holds_no_longer(line)])
        standing = [one.text for one in reversed(self.decisions()) if one.text not in told]
        entries.append(_joined("decisions.md", standing[:_MAX_SAID]))
        return "The project's page (MEMORY.md)", [entry for entry in entries if entry]

    def todos(self) -> list[Todo]:
        """Return the open check boxes of the project's list."""
        return [one for one in pages.todos(self.folders) if not one.done and self.kept([one.text])]

    def decisions(self) -> list[Note]:
        """Return the decisions of the project's page that still hold."""
        return [one for one in self._notes(pages.DECISION) if self.kept([one.text])]

    def _notes(self, kind: str) -> list[Note]:
        return [one for one in pages.notes(self.folders, kind) if not one.done]

    def state(self) -> WorkingState:
        """Return the working state of the project."""
        if self._worktree:
            return (
                buffer.read(buffer.page_of(self.folders[0], self._worktree)) if self.folders else buffer.WorkingState()
            )
        paths = [os.path.join(folder, buffer.PAGE) for folder in self.folders]
        return buffer.read(paths[0], tuple(paths[1:])) if paths else buffer.WorkingState()

    def _lessons(self) -> tuple[str, list[str]]:
        rows = [one.text for one in self._notes(pages.LESSON)]
        own = self._read("lessons.md").split("\n")
        # A person may write them as a list, too, and strike out what holds no longer.
        listed = [line for line in own if line.startswith(_BULLETS) and "~~" not in line]
        told = self.kept([*reversed(rows), *reversed(region.entries(listed))])
        return "Lessons, the newest first (lessons.md)", told

    def _buffer(self, asked: str) -> tuple[str, list[str]]:
        state = self.state()
        stamp = ", ".join(part for part in ("buffer.md", state.updated, state.by) if part)
        said: dict[str, list[str]] = {}
        for one in reversed(state.said):
            # One sentence may be a decision and a priority at once.
            said.setdefault(one.text, []).append(one.kind or "said")
        # What was asked last is the focus, mostly, and need not be told twice.
        focus = "" if state.focus in asked else state.focus
        apart = [text for text in said if text not in focus and not self._is_memory(text)]
        kinds = [kind for text in said if text in focus for kind in said[text]]
        told = [
            _last_asked(asked, said),
            _joined(", ".join(dict.fromkeys(["focus", *kinds])), self.kept([focus])),
            *(_joined(", ".join(said[text]), self.kept([text])) for text in apart[:_MAX_SAID]),
            _joined(f"decided{_AGENTS}", self.kept(text for text in reversed(state.decisions) if text not in said)),
            _joined(f"next{_AGENTS}", self.kept(self.next_steps())),
            _joined(f"open{_AGENTS}", self.kept(state.open_threads)),
            _joined("happened", self.kept(reversed(state.happened))),
            _joined("files", reversed(state.files)),
            _joined("the person's own note", self.kept(_said(state.own_words.split("\n")))),
        ]
        return f"Working state ({stamp})", [entry for entry in told if entry]

    def next_steps(self) -> list[str]:
        """Return the next steps of the working state that are no open todo, which is told by itself."""
        try:
            listed = frozenset(region.plain(unattributed(one.text)) for one in self.todos())
        except (HoldfastError, OSError):
            listed = frozenset()
        return [step for step in self.state().next_steps if region.plain(step) not in listed]

    def _is_memory(self, text: str) -> bool:
        """Whether a sentence became a memory of the project, which is told by itself."""
        if not messages.asks_to_remember(text):
            return False
        from holdfast.store.keys import automatic_key

        name = f"{automatic_key(messages.statement(text))}.md"
        return any(os.path.isfile(os.path.join(folder, "memories", name)) for folder in self.folders)

    def _log(self) -> tuple[str, list[str]]:
        """Return the last day whose log says something, today or before: its sessions, the last one first."""
        folder = next((one for one in self.folders if os.path.lexists(os.path.join(one, log.FOLDER))), "")
        days = [day for day in log.days(folder) if day <= now()[:10]] if folder else []
        state = self.state()
        told = frozenset((*map(closing.line_of, state.said), *state.next_steps))
        for day in days[:_MAX_DAYS]:
            sessions = region.sections(log.read(folder, day))
            found = [(heading, self.kept(_said(_without(lines, told)))) for heading, lines in sessions]
            entries = [_joined(log.shown_heading(heading), said) for heading, said in reversed(found) if said]
            if entries:
                return f"What was done on {day} (log/{day}.md), the last first", entries
        return "", []

    def kept(self, texts: Iterable[str]) -> list[str]:
        """Return those of the texts that say something and were not forgotten."""
        every = [text for text in texts if text]
        if not self._forgotten:
            return every
        return [text for text in every if self._forgotten.isdisjoint(map(digest, _statements(text)))]


def _last_asked(asked: str, said: Iterable[str]) -> str:
    """Return what was asked last before a compaction, where it is more than the sentences that are told anyway."""
    rest = asked
    for text in said:
        rest = rest.replace(text, " ")
    return _LAST_ASKED + asked if region.plain(rest).strip() else ""


def _owners(at: Workspace) -> tuple[str, ...]:
    try:
        project = at.project()
    except (HoldfastError, OSError):
        return ()
    return (project.id, *project.aliases)


def _statements(text: str) -> list[str]:
    """Return the statements that a line may be: all of it, what stands behind its lead, and each of its sentences."""
    text = unattributed(text)
    found = [text, *(text.partition(lead)[2] for lead in _LEADS if lead in text)]
    parts = text.split(". ")
    return [*found, *(f"{part.rstrip('.')}." for part in parts), *parts] if len(parts) > 1 else found


def _joined(name: str, texts: Iterable[str]) -> str:
    """Return the texts as one entry behind a name, or nothing where there are none."""
    said = "; ".join(texts).replace(":; ", ": ")
    return f"{name.rstrip(':')}: {said}" if said and name else said


def _said(lines: Iterable[str]) -> list[str]:
    """Return what lines of Markdown say, without bullets, rules and the heads of tables."""
    found: list[str] = []
    for line in lines:
        if line.strip() and not line.strip(" \t|-:="):
            # Above the rule of a table stand the names of its columns.
            found = found[:-1] if "|" in line and found else found
        elif line.strip() and not line.startswith("# ") and not log.names_session(line):
            found.append(line)
    said: list[str] = []
    for text in region.entries(found):
        if text.startswith("|"):
            said.append(", ".join(cell for cell in map(str.strip, text.strip("|").split("|")) if cell))
        else:
            said.append(text.lstrip("#").strip() + ":" if text.startswith("#") else text)
    return said


def _without(lines: list[str], told: frozenset[str]) -> list[str]:
    """Return the lines of a session's entry without what is told already, and without a heading of nothing."""
    kept: list[str] = []
    for heading, below in region.sections("\n".join(lines), "### "):
        rest = [line for line in below if told.isdisjoint(region.entries([line]))]
        if any(map(str.strip, rest)):
            kept += [f"### {heading}", *rest] if heading else rest
    return kept


def _holds_no_longer(line: str) -> bool:
    """Whether a line is struck out, or the row of a gap that is closed."""
    return "~~" in line or (line.startswith("|") and "| closed |" in line)
