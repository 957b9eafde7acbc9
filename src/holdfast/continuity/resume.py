"""What an agent is told of a project's pages: at a session's start, after a compaction, and where a person goes on.

Each entry is a statement of its own, so that none has to be cut to make room for another. What stands in a page is a
note; told as the person's is what they asked last before a compaction, and what they wrote by hand. What was done, what
comes next and what is open tells how things stand; what was asked for is told at a start only where something is open
or nothing is said to be done. What was forgotten is left out, and secrets are taken out once more. A page that cannot
be read is passed over: the rest is better than nothing.
"""

from __future__ import annotations

import os

from holdfast.base import files
from holdfast.base.clock import days_between, is_day, now, seconds
from holdfast.base.light_records import replace
from holdfast.continuity import asks, buffer, log, messages, pages, region
from holdfast.continuity.check_boxes import unattributed
from holdfast.continuity.done_steps import MAX_DONE, telling
from holdfast.errors import HoldfastError
from holdfast.inject.block import (
    ADDED,
    ASKED,
    NOTES,
    OF_RULES,
    RULES,
    STATE,
    Item,
    is_told,
    page_given,
    telling_words,
    text_of,
)
from holdfast.language.contradiction import says_otherwise
from holdfast.privacy.fence import without_secrets
from holdfast.records import Scope
from holdfast.store import last_look, layout
from holdfast.store.tombstones import Tombstones
from holdfast.store.words import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from holdfast.continuity.buffer import SaidSentence, WorkingState
    from holdfast.continuity.check_boxes import Todo
    from holdfast.continuity.log import LogEntry
    from holdfast.continuity.note_tables import Note
    from holdfast.inject.shown import Shown
    from holdfast.workspace import Workspace

_MAX_SAID = 6
_MAX_CHOSEN = 3
# A choice among what was offered belongs to the work of its time.
_CHOSEN_DAYS = 14
_MAX_FAILED = 2
_MAX_SESSIONS = 2
_MAX_FILES = 8
_BEGINNING = 40
_MAX_DAYS = 3
# A day may have very many sessions, and a start tells of a few.
_MAX_READ = 12
_LAST_ASKED = "Before the conversation was compacted they last asked"
# Nobody tells for certain what of several asks is done, and doing it twice may destroy something.
_SEVERAL_ASKED = f"{_LAST_ASKED}, the newest last (of the others some may be done)"
_ASKED_BEFORE = "Asked for last, in a session before this one"
_WORKED_ON = "Asked for last, and answered; what is open of it stands below"
_STANDS = "Where things stand, as agents say"
# What hooks heard and nobody made a memory of yet: the person's own words all the same.
_SAID = "Said by them lately"
_OWN_NOTE = "Noted by them on the working state"
# Headings above which a person writes rules.
_RULE_HEADS = frozenset(
    ("always", "conventions", "guidelines", "never", "preferences", "regeln", "rule", "rules", "style", "vorlieben")
)
# What the entries of a page are worth; those that say how things stand come after the first of them.
_WORTH = {"MEMORY.md": 2.0, "lessons.md": 1.0, "decisions.md": 1.2, "todo.md": 2.0, "buffer.md": 2.5, "log": 1.5}
_FADES = 0.01
# Threads with a lead of their own.
_NOT_OPEN = (buffer.ENDED, *buffer.MIDWAY)
# A session is closed so soon after its last message, unless the next one has to do it.
_CLOSED_WITHIN = 600
_CLAUSES = (". ", "! ", "? ", ": ", "; ", ", ", ") ")


def unseen(found: Iterable[Item], shown: Shown) -> list[Item]:
    """Return what the context was not told before, by its start, by a recovery or by asking."""
    return [item for item in found if not is_told(item, shown)]


def owner_of(at: Workspace) -> str:
    """Return the id of the project, or nothing where there is none."""
    return next(iter(_owners(at)), "")


class ToldPages:
    """The pages of the project of a workspace or a hook, as they are told. `folders` begins with its present one.

    The working state and the log are read once: several parts of what is told ask for them.
    """

    def __init__(self, at: Workspace) -> None:
        root = os.path.join(at.home, "memory")
        self._home = at.home
        owners = _owners(at)
        self._worktree = buffer.worktree_of(at.project().root) if owners else ""
        self._owner = next(iter(owners), "")
        self._are_kept = at.settings.flag("continuity.enabled")
        folders = [layout.folder_of(Scope("project", owner)) for owner in owners]
        plain = [folder for folder in folders if not files.link_on_the_way(root, folder)]
        self.folders = tuple([os.path.join(root, folder) for folder in plain])
        self._state: WorkingState | None = None
        self._logged: dict[str, list[LogEntry]] = {}
        # The digests of what was forgotten.
        self._forgotten: set[str] = set()
        try:
            for folder in (*self.folders, os.path.join(root, layout.folder_of(Scope("global")))):
                self._forgotten |= Tombstones(os.path.join(folder, layout.FORGOTTEN)).statements()
        except HoldfastError:
            # Where nobody can tell what was forgotten, no page is told.
            self.folders = ()

    def items(self, *, after_compaction: bool, asked: Sequence[str] = ()) -> list[Item]:
        """Return what the pages say, in the order in which it is told; `asked` is what the person asked for last.

        None where the keeping of pages is switched off.
        """
        if not self._are_kept:
            return []
        parts = [self._page, self._decided, self._lessons, self._asked_for, self._standing, self._failed, self._todos]
        if after_compaction:
            parts = [self._standing, self._failed, self._todos, self._log, self._decided, self._page, self._lessons]
            # "Carry on with step 3" is nothing without the plan, which may be of another session.
            began = self.state().focus.partition(buffer.THEN)[0][:_BEGINNING]
            is_whole = asked and (not asks.points_back(asked[0]) or began in " ".join(asked))
            parts = parts if is_whole else [lambda: self._asked_for(asked), *parts]
        found = [one for part in parts for one in _tried(part)]
        # A decision of a page brings its reason, so the sentence by which it was made is not told beside it.
        decided = {telling_words(one.said.partition(". ")[0]) for one in found if one.head == "Decided"}
        # A last ask that is a single lasting sentence ("let's go with Postgres") is told as said, not as work.
        stated = {_plain(one.said) for one in found if one.head == _SAID and ". " not in one.said}
        is_single = sum(one.part in (ASKED, ADDED) for one in found) == 1
        found = [one for one in found if not (is_single and one.part == ASKED and _plain(one.said) in stated)]
        echoed = " ".join([*asked, *(one.said for one in found if one.part in (ASKED, ADDED))]).casefold()
        told = [
            one
            for one in found
            if one.head != _SAID or not (telling_words(one.said) in decided or _plain(one.said) in echoed)
        ]
        head = _SEVERAL_ASKED if len(asked) > 1 else _LAST_ASKED
        return [*self._as_asked(asked, head, "what was asked last"), *told]

    def _item(self, page: str, head: str, text: str, lead: str = "", part: str = STATE) -> Item:
        """Return an entry of a page as an item, one safe line of it."""
        said = " ".join(text.split())
        why = f"{(lead or head).removesuffix(f' ({page})')} ({page})"
        line = text_of(" ".join(f"{lead}: {said}".split()) if lead else said, without_secrets)
        return Item(line, page_given(self._owner, page, said, why), part, head, False, _WORTH[page], said)

    def _entries(self, page: str, head: str, texts: Iterable[str], lead: str = "", part: str = STATE) -> Iterator[Item]:
        """Yield the entries that say something and were not forgotten; each is worth a little less than the last."""
        for place, text in enumerate(self.kept(texts)):
            item = self._item(page, head, text, lead, part)
            yield replace(item, worth=item.worth - place * _FADES)

    def _as_asked(self, asked: Sequence[str], head: str, why: str) -> Iterator[Item]:
        """Yield an ask, and what was said to it since; of that the last counts most."""
        for place, text in enumerate(asked):
            given = page_given(self._owner, "asked", text, "said to what was asked" if place else why)
            part, line = ADDED if place else ASKED, text_of(text, without_secrets)
            yield Item(line, given, part, head, theirs=True, worth=9.0 + place * _FADES, said=text)

    def _read(self, name: str) -> str:
        text = region.find_page(name, self.folders)[1]
        # A page in another encoding would be told as garbage.
        return "" if region.is_wide(text) else text

    def _page(self) -> Iterator[Item]:
        """Yield the entries of the project's page, each section under its heading; what the person wrote is theirs."""
        path, page = region.find_page("MEMORY.md", self.folders)
        page = "" if region.is_wide(page) else page.lstrip("\ufeff")
        for view in region.SHOWN:
            # These tables show memories, which are told as such.
            before, inside, after = region.parts(page, view)
            page = page if inside is None else before + after
        before, inside, after = region.parts(page, region.ENTRIES)
        by_person = last_look.theirs(self._home, path)
        yield from self._sections(_uncommented(f"{before}\n{after}"), by_person)
        yield from self._sections(_uncommented(inside or ""), lambda _: False)

    def _sections(self, text: str, by_person: Callable[[str], bool]) -> Iterator[Item]:
        for heading, lines in region.sections(text):
            # What is struck out, or the row of a gap that is closed, holds no longer.
            kept = [line for line in lines if "~~" not in line and not (line[:1] == "|" and "| closed |" in line)]
            decides = heading.casefold().startswith("decision")
            head = "Decided" if decides else f"{heading or 'About the project'} (MEMORY.md)"
            has_rules = not _RULE_HEADS.isdisjoint(region.plain(heading).split())
            for theirs in (True, False):
                said = _said(line for line in kept if line.startswith("#") or by_person(line) == theirs)
                # New rows go to the end, and of decisions the newest count.
                rows = [one.partition(", ") for one in reversed(said)]
                told = [f"{text}. Why: {why}" if why else text for text, _, why in rows] if decides else said
                place = (OF_RULES, told, "", RULES) if theirs and has_rules else (head, told, "", NOTES)
                for item in self._entries("MEMORY.md", *place):
                    yield replace(item, theirs=theirs)

    def _decided(self) -> Iterator[Item]:
        """Yield the decisions of a page that shows no memories yet; otherwise they are memories, and told as such."""
        page = self._read("decisions.md")
        if region.parts(page, "decisions")[1] is not None:
            return
        rows = [f"{one.text}. Why: {one.because}" if one.because else one.text for one in self.decisions()]
        told = [*reversed(rows), *reversed(pages.listed(page, pages.DECISION))]
        yield from self._by_hand("decisions.md", "Decided", told, NOTES)

    def _todos(self) -> Iterator[Item]:
        found = self.todos()
        for todo, item in zip(found, self._entries("todo.md", "Open to-dos", [one.text for one in found]), strict=True):
            yield replace(item, text=f"{item.text} ({todo.id})")

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
        if self._state is None:
            self._state = self._read_state()
        return self._state

    def _read_state(self) -> WorkingState:
        if self._worktree:
            return (
                buffer.read(buffer.page_of(self.folders[0], self._worktree)) if self.folders else buffer.WorkingState()
            )
        paths = [os.path.join(folder, buffer.PAGE) for folder in self.folders]
        return buffer.read(paths[0], tuple(paths[1:])) if paths else buffer.WorkingState()

    def _lessons(self) -> Iterator[Item]:
        """Yield what a person wrote on the page that is no memory yet; the next command or sweep adopts it.

        Every other lesson is told because its memory is.
        """
        page = self._read("lessons.md")
        is_view = region.parts(page, "lessons")[1] is not None
        rows = [one for one in reversed(self._notes(pages.LESSON)) if not (is_view and one.id)]
        own = [one.text for one in rows if not one.source]
        listed = () if is_view else pages.listed(page, pages.LESSON)
        yield from self._by_hand("lessons.md", "Lessons", [*own, *reversed(listed)], NOTES)
        yield from self._entries("lessons.md", "Lessons", [one.text for one in rows if one.source], part=NOTES)

    def _by_hand(self, page: str, head: str, texts: Iterable[str], part: str, path: str = "") -> Iterator[Item]:
        """Yield entries as the person's whose page it is, but for those that name an agent, or where one wrote."""
        by_agent = last_look.agent_of(self._home, path or region.find_page(page, self.folders)[0])
        for item in self._entries(page, head, texts, part=part):
            yield replace(item, theirs=not by_agent and unattributed(item.said) == item.said)

    def _asked_for(self, now: Sequence[str] | None = None) -> Iterator[Item]:
        """Yield what was asked for last, where nobody says that it is done, or the person goes on with it `now`."""
        state = self.state()
        focus, threads = unattributed(state.focus), state.open_threads
        is_cut_off = any(text.startswith(buffer.MIDWAY) for text in threads)
        # What comes next or is open is nothing without what it is for, and its conditions.
        is_open = bool(threads or state.next_steps)
        # As the sweep found that read the session which asked last.
        went_well = any(
            one.outcome == "success" and seconds(state.updated) - seconds(one.ended) < _CLOSED_WITHIN
            for one in self._sessions()[-1:]
        )
        if now is None and not is_open and went_well:
            return
        is_answered = not focus.endswith(buffer.ASKED) and now is None and not is_cut_off
        is_told = not is_answered or (focus.endswith(buffer.PARTLY) and is_open)
        if is_told and focus.endswith(buffer.BY_PROMPT):
            asked = buffer.asks_in(focus, with_answered=now is not None)
            said = self.kept([one for one in asked if one not in (now or ())])
            head = _WORKED_ON if is_answered else _ASKED_BEFORE
            day = f" ({state.updated[:10]})" if state.updated else ""
            several = ", the newest last (of these some may be done)" if said[1:] else ""
            yield from self._as_asked(said, f"{head}{day}{several}", "asked for")

    def _standing(self) -> Iterator[Item]:
        """Yield what was being done, how far it is, what comes next and what is open; no words of a prompt."""
        state = self.state()
        focus = unattributed(state.focus)
        told = {
            "doing": [focus] if not focus.endswith(buffer.BY_PROMPT) else [],
            "done": self._done(state),
            "decided": [*reversed(state.decisions)],
            "chosen by the person": self._chosen(state.said),
            "next": self.next_steps(),
            "open": [buffer.thread(text) for text in state.open_threads if not text.startswith(_NOT_OPEN)],
            "the last answer ended": [buffer.thread(one) for one in state.open_threads if one.startswith(buffer.ENDED)],
            "broken off at": [buffer.thread(text) for text in state.open_threads if text.startswith(buffer.BROKEN_OFF)],
            "failed": [buffer.thread(text) for text in state.open_threads if text.startswith(buffer.FAILED_LAST)],
        }
        for lead, texts in told.items():
            for item in self._entries("buffer.md", _STANDS, texts, lead):
                # What was found, or comes next, may say so itself.
                words = messages.plain_words(item.said) if lead == "next" else []
                says_so = item.said.startswith(buffer.FOUND) or messages.says_phrase(words, "announcing", at_first=True)
                yield replace(item, text=item.text.removeprefix(f"{lead}: ")) if says_so else item
        own = _said(state.own_words.split("\n"))
        yield from self._by_hand("buffer.md", _OWN_NOTE, own, STATE, state.path) if own else ()
        # What the person lays down in one worktree holds in all of them.
        main = buffer.read(os.path.join(self.folders[0], buffer.PAGE)).said if self._worktree and self.folders else ()
        for item in self._entries("buffer.md", _SAID, self._lately((*main, *state.said)), part=NOTES):
            yield replace(item, theirs=True)
        is_open = state.focus.endswith(buffer.ASKED)
        cut_off = [one.files for one in self._sessions()[-1:] if is_open or one.outcome == log.CUT_OFF]
        if touched := state.files or next(iter(cut_off), ()):
            yield from self._entries("buffer.md", _STANDS, [", ".join(touched[-_MAX_FILES:])], "files")

    def _done(self, state: WorkingState) -> list[str]:
        """Return what agents said they did last: since the last session ended, else in the last two of their day."""
        # The line of a session that ended names what it was asked, and the page of the log that has the rest.
        happened = [text for text in reversed(state.happened) if not (text.endswith(".md)") or _is_failure(text))]
        if happened:
            return telling([text.partition(": ")[2] or text for text in happened])
        # A session that did nothing hides nothing.
        return telling(
            [text for one in [one for one in self._sessions() if one.done][:-3:-1] for text in reversed(one.done)]
        )

    def _lately(self, said: Sequence[SaidSentence]) -> list[str]:
        """Return what lasts of what the person said, the newest message first and each message in its own order."""
        newest: list[tuple[str, str]] = []
        heard: list[str] = []
        for one in reversed([one for one in said if not one.at or days_between(one.at, now()) <= _CHOSEN_DAYS]):
            text = messages.lasting(one.kind, one.text)
            is_told = text and text not in [known for _, known in newest]
            # What the person said otherwise since then is not told beside it.
            if is_told and not any(says_otherwise(newer, text) for newer in heard):
                newest.append((one.at, text))
            heard.append(text or one.text)
        kept = self._unrejected(newest)[:_MAX_SAID][::-1]
        return [text for _, text in sorted(kept, key=lambda pair: pair[0], reverse=True)]

    def _chosen(self, said: Sequence[SaidSentence]) -> list[str]:
        """Return what the person chose of late among what agents offered, the newest first."""
        recent = [one for one in reversed(said) if not one.at or days_between(one.at, now()) <= _CHOSEN_DAYS]
        told = [messages.choice(one.kind, one.text) for one in recent]
        return [*dict.fromkeys(filter(None, told))][:_MAX_CHOSEN]

    def _unrejected(self, told: list[tuple[str, str]]) -> list[tuple[str, str]]:
        """Return the statements without those to which the person said no when they were proposed as memories."""
        if not told or not os.path.exists(os.path.join(self._home, "proposals", "rejected.tsv")):
            return told
        from holdfast.memory.proposal_files import Proposals, id_of

        rejected, scope = Proposals(self._home).rejected(), Scope("project", self._owner)
        return [(at, text) for at, text in told if id_of(scope, text) not in rejected]

    def _failed(self) -> Iterator[Item]:
        """Yield the checks that failed since an agent last said what it did; before that it said what came of them."""
        from holdfast.language.commands import main_of

        if any(text.startswith(buffer.FAILED_LAST) for text in self.state().open_threads):
            # It is known what failed last.
            return
        since: list[str] = []
        for text in reversed(self.state().happened):
            if not _is_failure(text):
                break
            since.append(text.partition(": ")[2])
        # Of a session that ended the log has it.
        since = since or [text for one in self._sessions()[-1:] if not one.done for text in reversed(one.failed)]
        # Of one command only the last outcome counts: what failed before it may be fixed.
        last = {text.partition(": ")[0]: text for text in reversed(since)}
        checks = [text for text in since if (command := main_of(text)) and command.is_check and text in last.values()]
        yield from self._entries("buffer.md", _STANDS, checks[:_MAX_FAILED], "failed")

    def _sessions(self, *, of_others: bool = False) -> list[LogEntry]:
        """Return the sessions of this worktree, or of the others, on the last day on which these did something."""
        folder = next((one for one in self.folders if os.path.lexists(os.path.join(one, log.FOLDER))), "")
        days = [day for day in log.days(folder) if day <= now()[:10]] if folder else []
        own = (self._worktree,) if self._worktree else ()
        for day in days[:_MAX_DAYS]:
            if day not in self._logged:
                self._logged[day] = log.entries(folder, day, _MAX_READ)[0]
            here = [one for one in self._logged[day] if (one.worktree != own) == of_others]
            if any(one.done or one.failed or one.decisions or one.files for one in here):
                return here
        return []

    def next_steps(self) -> list[str]:
        """Return the next steps of the working state that are no open todo, which is told by itself."""
        try:
            listed = frozenset(region.plain(unattributed(one.text)) for one in self.todos())
        except (HoldfastError, OSError):
            listed = frozenset()
        return [step for step in self.state().next_steps if region.plain(step) not in listed]

    def _log(self) -> Iterator[Item]:
        """Yield what the last sessions that ended did and what was decided in them, and what other worktrees did."""
        newer = [text for text in self.state().happened if not (text.endswith(".md)") or _is_failure(text))]
        for one in [one for one in reversed(self._sessions()) if one.done][:_MAX_SESSIONS]:
            head = f"Done on {one.began[:10]} (log)"
            # What was done since then tells how things stand, and that a check passed tells nothing a day later.
            done = [] if newer else [text for text in reversed(one.done) if not text.endswith(" passed")]
            yield from self._entries("log", head, done[:MAX_DONE])
            decided = [messages.lasting("decision", text) for text in reversed(log.decided(one))]
            decided = [text for text in decided if text not in self.state().focus]
            yield from self._entries("log", head, decided, "decided")
        for one in reversed(self._sessions(of_others=True)):
            where = "".join(one.worktree) or "the main one"
            for item in self._entries("log", f"Done in another worktree ({where})", [*reversed(one.done)][:MAX_DONE]):
                yield replace(item, worth=item.worth - 1)

    def kept(self, texts: Iterable[str]) -> list[str]:
        """Return those of the texts that say something and were not forgotten."""
        every = [text for text in texts if text]
        if not self._forgotten:
            return every
        return [text for text in every if self._forgotten.isdisjoint(map(digest, _statements(text)))]


def _uncommented(text: str) -> str:
    first, *rest = text.split("<!--")
    return first + "".join([part.partition("-->")[2] for part in rest])


def _tried(part: Callable[[], Iterator[Item]]) -> list[Item]:
    try:
        return [*part()]
    except (HoldfastError, OSError):
        return []


def _owners(at: Workspace) -> tuple[str, ...]:
    try:
        project = at.project()
    except (HoldfastError, OSError):
        return ()
    return project.ids


def _statements(text: str) -> Iterator[str]:
    """Yield the statements that a line may say: all of it, and whatever ends a sentence or a clause of it."""
    text = unattributed(text)
    yield text
    for end in _CLAUSES:
        text = text.replace(end, f"{end[0]}\n")
    for clause in [*text.split("\n"), text.replace("\n", " ")]:
        words = clause.split()
        for start in range(len(words)):
            said = " ".join(words[start:]).rstrip(".:;,()")
            yield said
            yield f"{said}."


def _is_failure(happened: str) -> bool:
    """Whether a line of what just happened tells of a command that failed; it begins with the agent's name."""
    return happened.partition(": ")[0].endswith(", failed")


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
    lead = ""
    for text in region.entries(found):
        if text.startswith("#"):
            lead = text.lstrip("#").strip().rstrip(":") + ": "
            continue
        cells = [cell.strip() for cell in text.strip("|").split("|")] if text.startswith("|") else [text]
        said.append(lead + ", ".join(cell for cell in cells if cell and not is_day(cell)))
    return said


def _plain(said: str) -> str:
    """Return a statement as it is compared: without its full stop and in small letters."""
    return said.rstrip(".").casefold()
