"""What a work item loses when a session is forgotten: all that came of that session, and nothing of anybody else.

What only that session made goes whole. What others share keeps their asks, criteria and evidence. What a person put
there stays: files that Holdfast did not make, criteria and evidence by command, names and comments in META.yaml. The
title names the folder, so an item whose title goes has another id. META.yaml is written or removed last, so that a
change that was cut short is found and done again.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from holdfast.base import files, rows
from holdfast.base.text import DOTS, one_line
from holdfast.learning.work import criteria, plan_items, session_log
from holdfast.learning.work import model as work
from holdfast.learning.work import text as work_text
from holdfast.learning.work.criteria import PENDING, Criteria, Criterion
from holdfast.learning.work.model import Work
from holdfast.records import Step, replace
from holdfast.sessions.parts import Change, ForgetTarget
from holdfast.store import front_matter

UNTITLED = "Work"
_STAMP = r"(\d{8}T\d{6}Z)"
_OURS = {
    "items": re.compile(rf"\d{{3,}}_{_STAMP}_.+\.md"),
    "agents": re.compile(rf"{_STAMP}_.+_[0-9a-f]{{6}}\.md"),
    "verification": re.compile(r".+_[0-9a-f]{8}()\.md"),
}
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
_BY_COMMAND = ("by command ", "(verified ")
# So much of the evidence stands with a criterion that was verified by command.
_MAX_VERIFIED = 80
_MAX_READ = 1 << 20


def noted(home: str, agent: str, session: str) -> Iterator[str]:
    """Return what was noted of a session for its work items."""
    for one in session_log.sessions(home):
        if (one.agent, one.session) == (agent, session):
            yield from (*(text for _, text, _ in one.rows), one.pending)


def forget(target: ForgetTarget) -> Iterator[Change]:
    """Yield the work items that go or change, and what stays of them."""
    removed: set[str] = set()
    for one in items_of(target.home, target.name):
        change = stripped(one, target, removed=frozenset(removed))
        place = os.path.relpath(one.path, target.home)
        do = partial(_strip, target, one)
        if change.after is None:
            removed.add(one.path)
            yield Change(Step("remove", place, "a work item that only it made"), do)
        else:
            yield Change(Step("redact", place, "its asks, criteria, evidence and files in a work item"), do)
        for path in change.by_hand:
            where = os.path.join(os.path.dirname(place), change.after.id if change.after else one.id, path)
            yield Change(Step("keep", where, "written by hand, or by command"))
    for noted in session_log.sessions(target.home):
        if target.is_of(noted.agent, noted.session):
            step = Step("remove", os.path.relpath(noted.path, target.home), "what was noted while it was open")
            yield Change(step, partial(files.remove, noted.path))


def _strip(target: ForgetTarget, one: Work) -> None:
    """Look at the item once more, under its lock, and change it; sessions that work on it learn of its new id."""
    with work.lock(target.home, one.project):
        there = work.find(target.home, one.project, one.id)
        after = apply(target.home, stripped(there, target))
        if after is not None and after.id == one.id:
            return
        # The id is made of the title, so no session may keep the old one.
        for noted in session_log.sessions(target.home):
            if noted.project != one.project:
                continue
            if noted.work == one.id and after is not None:
                session_log.moved(target.home, noted, after.id)
            rows.write_over(noted.path, lambda line: b"" if rows.encoded(one.id) in line else None)


@dataclass(frozen=True, slots=True)
class Stripped:
    """What becomes of an item: `after` is None where all of it goes. Paths are seen from its folder.

    `gone` are files to remove, `rewritten` new names and texts of files in which a person changed something. `by_hand`
    is what stays because a person put it there.
    """

    before: Work
    after: Work | None
    isc: Criteria | None
    gone: tuple[str, ...]
    rewritten: tuple[tuple[str, str, str], ...]
    by_hand: tuple[str, ...]


def items_of(home: str, name: str) -> list[Work]:
    """Return the items that a session worked on, in every project, those in other ones first."""
    projects = files.names_in(os.path.join(home, work.FOLDER))
    every = [one for project in projects for one in work.items(home, project) if name in one.sessions]
    return sorted(every, key=lambda one: -one.path.count("/"))


def stripped(one: Work, words: ForgetTarget, *, removed: frozenset[str] = frozenset()) -> Stripped:
    """Return what the item is without the session. `removed` are the folders of items in it that go whole."""
    return _Item(one, words).stripped(removed)


class _Item:
    """One item, looked at once."""

    def __init__(self, one: Work, words: ForgetTarget) -> None:
        self.one, self.words = one, words
        self.others = tuple(each for each in one.sessions if each != words.name)
        self.by_hand: list[str] = []
        self.gone: list[str] = []
        self.rewritten: list[tuple[str, str, str]] = []
        self.asks: list[str] = []
        self.isc = criteria.read(one.path)
        events = [event for each in (*self.isc.criteria, *self.isc.anti_criteria) for event in each.source_events]
        self._verified = frozenset(event.rpartition(_BY_COMMAND[1])[0].strip() for event in events) - {""}

    def stripped(self, removed: frozenset[str]) -> Stripped:
        for part, name in _files_in(self.one.path):
            self._look_at(part, name)
        isc = self._criteria()
        folder = os.path.join(self.one.path, work.CHILDREN)
        has_children = any(os.path.join(folder, name) not in removed for name in files.names_in(folder, hidden=True))
        is_left = self._has_own_words() or has_children or self.one.source == work.MANUAL
        if not self.others and not self.by_hand and not is_left:
            return Stripped(self.one, None, None, (), (), ())
        after = self._meta(isc)
        return Stripped(self.one, after, isc, tuple(self.gone), tuple(self.rewritten), tuple(self.by_hand))

    def _is_mine(self, text: str, at: str = "") -> bool:
        """Whether the session left that; where no other worked on the item, whatever Holdfast wrote is its."""
        return not self.others or self.words.says(text) or (bool(at) and self.words.was_at(at, self.others))

    def _look_at(self, part: str, name: str) -> None:
        path = os.path.join(part, name)
        ours = _OURS[part].fullmatch(name) if part in _OURS else None
        if not part and (name in (work.META, criteria.NAME) or name.startswith(files.TEMPORARY)):
            return
        if ours is None or os.path.islink(os.path.join(self.one.path, path)):
            self.by_hand.append(path)
            return
        text = files.read(os.path.join(self.one.path, path), _MAX_READ).decode("utf-8", "replace")
        day, _, clock = ours.group(1).rstrip("Z").partition("T")
        at = f"{day[:4]}-{day[4:6]}-{day[6:]}T{clock[:2]}:{clock[2:4]}:{clock[4:]}Z" if day else ""
        if part == "items":
            self._ask(path, text, at)
        elif part == "agents":
            self.gone += [path] if self._is_mine(front_matter.parse(text).body, at) else []
        else:
            self._verification(path, text)

    def _ask(self, path: str, text: str, at: str) -> None:
        """Take an ask out; lines of it that the session did not say were written into it by hand."""
        if not self._is_mine(text, at):
            self.asks.append(text)
            return
        said = [line for line in text.split("\n") if line.strip()]
        own = [line for line in said if not self.words.says(line)] if self.words.is_known else []
        if own and len(own) < len(said):
            number, stamp, _ = os.path.basename(path).split("_", 2)
            kept = f"items/{number}_{stamp}_by-hand.md"
            self.rewritten.append((path, kept, "\n".join(own) + "\n"))
            self.by_hand.append(kept)
        else:
            self.gone.append(path)

    def _verification(self, path: str, text: str) -> None:
        """Take evidence out that the session left; what somebody verified by command stays, without the criterion."""
        head, _, event = text.partition("\n\n")
        is_about_mine = self._is_mine(head.partition(": ")[2])
        if one_line(event, _MAX_VERIFIED, DOTS) in self._verified:
            self.by_hand.append(path)
            if is_about_mine:
                self.rewritten.append((path, path, f"{head.partition(': ')[0]}\n\n{event}"))
        elif is_about_mine or self._is_event_of_mine(event.strip()):
            self.gone.append(path)

    def _is_event_of_mine(self, event: str) -> bool:
        if _is_by_command(event):
            return False
        times = _TIME.findall(event)
        told = event.partition(": ")[2].strip('" ') or event
        return self._is_mine(told, times[-1] if times else "")

    def _criteria(self) -> Criteria:
        isc = self.isc
        ideal = isc.ideal
        if ideal and self.one.source != work.MANUAL and self._is_mine(ideal):
            ideal = plan_items.asked(self.asks[0]).ideal if self.asks else ""
        kept = [_kept for each in isc.criteria if (_kept := self._criterion(each)) is not None]
        anti = [_kept for each in isc.anti_criteria if (_kept := self._criterion(each)) is not None]
        if any(self._is_of_a_person(each) for each in (*kept, *anti)) or isc.more:
            self.by_hand.append(criteria.NAME)
        return replace(isc, ideal=ideal, criteria=tuple(kept), anti_criteria=tuple(anti))

    def _criterion(self, each: Criterion) -> Criterion | None:
        """Return a criterion without what the session left of it; None where it is the session's."""
        first = each.source_events[0] if each.source_events else ""
        if not self._is_of_a_person(each):
            times = _TIME.findall(first) if first.startswith(("ask ", "plan ")) else []
            if self._is_mine(each.text, times[-1] if times else ""):
                return None
        events = tuple(event for event in each.source_events if not self._is_event_of_mine(event))
        is_undecided = self.one.is_open and each.source_events[-1:] != events[-1:]
        return replace(each, source_events=events, status=PENDING if is_undecided else each.status)

    def _is_of_a_person(self, each: Criterion) -> bool:
        """Whether it was added by command or in an editor; what Holdfast adds says where it comes from."""
        if not each.source_events:
            return not self.words.says(each.text)
        return _is_by_command(each.source_events[0])

    def _has_own_words(self) -> bool:
        """Whether a person wrote names or comments of their own into META.yaml."""
        text = files.read(os.path.join(self.one.path, work.META), _MAX_READ).decode("utf-8", "replace")
        names = [line.partition(":")[0] for line in text.splitlines() if line[:1] not in ("", " ", "-")]
        is_own = any(name not in work.NAMES for name in names)
        self.by_hand += [work.META] if is_own or self._has_own_title() else []
        return is_own or self._has_own_title()

    def _has_own_title(self) -> bool:
        return self.words.is_known and self.one.title != UNTITLED and not self.words.says(self.one.title)

    def _meta(self, isc: Criteria) -> Work:
        one, title = self.one, self.one.title
        if one.source != work.MANUAL and not self._has_own_title() and self._is_mine(title):
            told = [work_text.title_of(self.asks[0])] if self.asks else [each.text for each in isc.criteria]
            title = work_text.title_of(told[0]) if told and told[0] else UNTITLED
        shared = [f"/{path}" for path in self.words.files_of(self.others)]
        changed = [
            path
            for path in one.lineage.files_changed
            if any(other.endswith(f"/{path}") for other in shared) or not self._is_mine(path)
        ]
        spawned = [name for name in one.lineage.agents_spawned if not self._is_mine(name)]
        lineage = replace(one.lineage, files_changed=tuple(changed), agents_spawned=tuple(spawned))
        outcome = "" if self._is_mine(one.outcome.removeprefix(work.BY_AGENT)) else one.outcome
        after = replace(one, title=title, sessions=self.others, lineage=lineage, outcome=outcome)
        return after if title == one.title else work.named_after_title(after)


def _is_by_command(text: str) -> bool:
    return text.startswith(_BY_COMMAND[0]) or _BY_COMMAND[1] in text


def _files_in(folder: str) -> list[tuple[str, str]]:
    """Return folder and name of each file of an item, but for the items in it; links are not followed."""
    found = []
    for here, folders, names in os.walk(folder):
        part = os.path.relpath(here, folder) if here != folder else ""
        if not part:
            folders[:] = [name for name in folders if name != work.CHILDREN]
        links = [name for name in folders if os.path.islink(os.path.join(here, name))]
        found += [(part, name) for name in sorted([*names, *links])]
    return found


def apply(home: str, change: Stripped) -> Work | None:
    """Do what `stripped` says, and return the item as it is then. Call it under the lock of its project."""
    if change.after is None or change.isc is None:
        _remove(change.before.path)
        return None
    folder = change.before.path
    for path, kept, text in change.rewritten:
        files.write(os.path.join(folder, kept), text.encode("utf-8", "replace"))
        if kept != path:
            files.remove(os.path.join(folder, path))
    for path in change.gone:
        files.remove(os.path.join(folder, path))
    _remove_empty(folder)
    criteria.write(folder, change.isc)
    work.move(change.before, change.after)
    for child in work.children_of(change.after):
        work.write(replace(child, parent=change.after.id))
    return work.write(change.after)


def _remove(folder: str) -> None:
    """Remove the folder of an item, META.yaml last."""
    for part, name in _files_in(folder):
        if (part, name) != ("", work.META):
            files.remove(os.path.join(folder, part, name))
    files.remove(os.path.join(folder, work.META))
    _remove_empty(folder)
    for path in (os.path.join(folder, work.CHILDREN), folder):
        with suppress(OSError):
            os.rmdir(path)


def _remove_empty(folder: str) -> None:
    """Remove the folders of an item that have nothing in them any more."""
    for here, _, _ in os.walk(folder, topdown=False):
        if here != folder and f"/{work.CHILDREN}/" not in f"{here}/":
            with suppress(OSError):
                os.rmdir(here)
