"""Forgetting a session on the pages of its project: the daily log, the buffer, and what waits to come onto a page.

Between two markers all that the session left goes; what another session says too stays. What stands outside of them a
person wrote, or approved, or an agent stored there on purpose: it stays, and the plan says where.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import cached_property, partial

from holdfast.base import files
from holdfast.base.files import names_in
from holdfast.base.text import CUT, count, hash_of
from holdfast.continuity import buffer, log, page_proposals, region
from holdfast.continuity.buffer import WorkingState
from holdfast.continuity.open_sessions import every, source
from holdfast.journal.updates import Updates
from holdfast.memory.proposal_files import FOLDER, Proposals
from holdfast.records import Step, replace
from holdfast.sessions.parts import Change, ForgetTarget, folded

_KEPT = "made-room"
_REGION = re.compile(r"<!-- holdfast:begin (\S+) -->.*?<!-- holdfast:end \1 -->", re.DOTALL)
_PLACE = re.compile(r" \([^()]*\)$")
# So many words at least make a line that the session said, too, worth telling.
_TELLING = 3
_NOT_OF_A_SESSION = "; Holdfast removes nothing there"


def noted(home: str, agent: str, session: str) -> Iterator[str]:
    """Return what was noted of a session while it was open."""
    for one in every(home):
        if (one.agent, one.session) == (agent, session):
            yield from (text for kind, text, _ in one.rows if kind not in ("known", "transcript", "read"))


def forget(words: ForgetTarget) -> list[Change]:
    """Return what goes of a session on pages, and what stays."""
    root = os.path.join(words.home, "memory", "projects")
    folders = [os.path.join(root, name) for name in sorted(names_in(root))]
    found = [change for folder in folders if not os.path.islink(folder) for change in _Folder(words, folder).changes()]
    found += [*_proposals(words), *_history(words)]
    for one in every(words.home):
        if words.is_of(one.agent, one.session):
            step = Step("remove", os.path.relpath(one.path, words.home), "what was noted while it was open")
            found.append(Change(step, partial(files.remove, one.path)))
    return found


class _Folder:
    """The pages of one project."""

    def __init__(self, words: ForgetTarget, folder: str) -> None:
        self.words, self.folder = words, folder
        self.own = f"session-{hash_of(words.agent, words.session, length=16)}"

    def changes(self) -> list[Change]:
        """Return what goes and what stays on the pages of the project."""
        found = [change for day in log.days(self.folder) for change in self._log(day)]
        return [*found, *self._buffer(), *self._stays()]

    def _place(self, path: str) -> str:
        return os.path.relpath(path, self.words.home)

    def is_mine(self, line: str) -> bool:
        """Whether a line of ours comes from the session alone."""
        tellings = _tellings(line)
        return any(map(self.words.says, tellings)) and self._said_by_others.isdisjoint(map(folded, tellings))

    @cached_property
    def _said_by_others(self) -> frozenset[str]:
        name = self.words.agent, self.words.session
        told = [each for day in log.days(self.folder) for each in log.entries(self.folder, day)[0]]
        texts = [
            text
            for each in told
            if (each.agent, each.session) != name
            for text in (each.title, *each.done, *each.decisions, *each.failed, *each.files, *each.next_steps)
        ]
        texts += [row[1] for one in every(self.words.home) if (one.agent, one.session) != name for row in one.rows]
        return frozenset(folded(part) for text in texts for part in _tellings(text))

    def _log(self, day: str) -> Iterator[Change]:
        path = log.path_of(self.folder, day)
        before = region.read_page(path)
        if self._without(before) == before:
            return

        def rewrite() -> None:
            with region.lock_of(self.folder, "log"):
                text = self._without(region.read_page(path))
                if text.strip() in ("", f"# {day}"):
                    os.unlink(path)
                else:
                    region.write_page(path, text)

        yield Change(Step("redact", self._place(path), "its entry in the daily log"), rewrite)
        if _REGION.sub("", before).strip().removeprefix(f"# {day}").strip():
            yield Change(Step("keep", self._place(path), "what you wrote on it yourself"))

    def _without(self, text: str) -> str:
        """Return a page of the log without the session's region, and without its lines among what made room."""
        while (parts := region.parts(text, self.own))[1] is not None:
            text = parts[0].rstrip("\r\n") + "\n\n" + parts[2].lstrip("\r\n")
        before, inside, after = region.parts(text, _KEPT)
        if inside is None:
            return text
        lines = inside.split("\n")
        kept = [line for line in lines if not line.startswith("- ") or not self.is_mine(line[2:])]
        if len(kept) == len(lines):
            return text
        if not any(line.startswith("- ") for line in kept):
            return before.rstrip("\r\n") + "\n" + after.lstrip("\r\n")
        return f"{before}{region.begin(_KEPT)}" + "\n".join(kept) + f"{region.end(_KEPT)}{after}"

    def _buffer(self) -> Iterator[Change]:
        for path in buffer.pages_in(self.folder):
            state = buffer.read(path)
            if not state.path or self._stripped(state) == state:
                continue
            reason = "lines of it in the working state"
            yield Change(Step("redact", self._place(path), reason), partial(buffer.change, path, self._stripped))
            if state.own_words:
                yield Change(Step("keep", self._place(path), "what you wrote on it yourself"))

    def _stripped(self, state: WorkingState) -> WorkingState:
        agent, session = source(self.words.agent), source(self.words.session)
        said = [one for one in state.said if (one.agent, one.session) != (agent, session)]
        return replace(
            state,
            focus="" if state.focus and self.is_mine(state.focus) else state.focus,
            said=tuple(said),
            happened=self._not_mine(state.happened),
            decisions=self._not_mine(state.decisions),
            next_steps=self._not_mine(state.next_steps),
            open_threads=self._not_mine(state.open_threads),
            files=self._not_mine(state.files),
        )

    def _not_mine(self, lines: tuple[str, ...]) -> tuple[str, ...]:
        return tuple([line for line in lines if not self.is_mine(line)])

    def _stays(self) -> Iterator[Change]:
        """Yield the pages of the person's own that say something that the session said, too."""
        for name in sorted(names_in(self.folder)):
            path = os.path.join(self.folder, name)
            if not name.endswith(".md") or name in (buffer.PAGE, "index.md") or os.path.islink(path):
                continue
            lines = region.read_page(path).splitlines()
            alike = sum(any(map(self._tells, [line, *line.strip("|").split("|")])) for line in lines)
            if alike:
                said = f"{count(alike, 'line')} that it said, too, and that somebody put there on purpose"
                reason = f"{said}{_NOT_OF_A_SESSION}"
                yield Change(Step("keep", self._place(path), reason))

    def _tells(self, text: str) -> bool:
        item = region.entries([text])
        said = item[0].removeprefix("[ ] ").removeprefix("[x] ") if item else ""
        return len(said.split()) >= _TELLING and self.words.says(_PLACE.sub("", said))


def _tellings(line: str) -> list[str]:
    """Return a line as it may have been said: also without what Holdfast put before and behind it."""
    rest = line.partition(": ")[2]
    # A focus has the ask and what was said to it since, of long ones both ends.
    asked = [part for ask in _PLACE.sub("", line).split(buffer.THEN) for part in ask.split(f"{CUT} ")]
    found = [line, _PLACE.sub("", line), rest, _PLACE.sub("", rest), rest.partition(": ")[2], *asked]
    return [text for text in dict.fromkeys(found) if text]


def _proposals(words: ForgetTarget) -> Iterator[Change]:
    room = Proposals(words.home)
    for one in room.all()[0]:
        if one.kind != page_proposals.KIND or not _is_about(words, one.evidence, one.text):
            continue
        place = f"{FOLDER}/{one.id}.md"
        if page_proposals.id_now(one) == one.id:
            yield Change(Step("remove", place, f"proposed because of it: {one.title}"), partial(room.drop, one))
        else:
            yield Change(Step("keep", place, "a proposal that you edited; `holdfast proposals reject` takes it"))


def _is_about(words: ForgetTarget, evidence: str, text: str) -> bool:
    named = evidence.partition(" and ")[0].split(", ")
    cells = [line.partition(": ")[2] for line in text.splitlines()]
    return words.name in named or any(len(cell.split()) >= _TELLING and words.says(cell) for cell in cells)


def _history(words: ForgetTarget) -> list[Change]:
    """Return the change that takes its words out of what the history keeps for an undo; memories are let alone."""

    def is_gone(path: str, text: str) -> bool:
        if not path.startswith((f"{FOLDER}/", "memory/projects/")) or "/memories/" in path:
            return False
        told = [
            part.strip() for line in text.splitlines() for part in (line.lstrip("-* "), *line.strip("|").split("|"))
        ]
        lines = [part for each in told for part in _tellings(each)]
        return words.name in text or any(len(line.split()) >= _TELLING and words.says(line) for line in lines)

    updates = Updates(words.home)
    kept = [one for update in updates.all()[0] for one in update.files if one.text and is_gone(one.path, one.text)]
    step = Step("redact", "updates", f"{count(len(kept), 'text')} kept for an undo")
    return [Change(step, lambda: updates.drop(is_gone))] if kept else []
