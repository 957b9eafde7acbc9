"""What a hook hands over at a prompt: the walk from index and recall to a block."""

from __future__ import annotations

import os
import sqlite3

from holdfast.continuity import messages
from holdfast.errors import HoldfastError
from holdfast.inject import block, prompt
from holdfast.language.sentences import sentences
from holdfast.privacy.fence import without_secrets
from holdfast.recall.embed import Model, cosines, plain
from holdfast.records import SCOPES, Filter
from holdfast.store.read_only_index import ReadOnlyIndex, is_empty
from holdfast.store.words import is_narrowed, quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.inject.block import Block, Item
    from holdfast.inject.shown import Shown
    from holdfast.parts import HookRun
    from holdfast.records import Candidate, Memory
    from holdfast.store.memory_table import MemoryTable
    from holdfast.store.words import Asked

# Of what a prompt finds by words and by meaning so many are weighed: a bar needs no more than its best few.
_BY_WORDS = 20
_TELLING = 6
# Of words that stand in more memories together only those with a rare word or with two are weighed, the newest.
_WEIGHED = 2_000
_BY_MEANING = 8
# In a larger collection words find what is relevant, and meaning weighs it: going through all of them costs a hook
# half its time and brought nothing more (docs/hooks.md).
_SCANNED = 500
_READ = 6
# What is found and not sure is never told as a fact; the agent, which has a model, may say that it is one.
_CONFIRM = 'This sounded like a lasting rule; if it is one, store it with memory_store in the person\'s words: "{}"'
_ALL_TOLD = "This session was already told where things stand; nothing has changed since."
_MAX_WORTH = 9.0


def block_after_compaction(run: HookRun) -> Block:
    """Return what a prompt brings after a compaction: what a session starts with, then what the prompt asks for."""
    from holdfast.app import at_start

    start = at_start.start_block(run)
    shown = {(one.scope.kind, one.scope.owner, one.key): one.digest for one in start.given}
    said = block.said_rows([line.said for line in start.lines])
    shown.update({(scope.kind, scope.owner, key): told for scope, key, told in said})
    return block.one_after_the_other(start, _asked_for(run, shown, needed=not start.text, about=_work(run)))


def _recovered(run: HookRun, shown: Shown) -> Block:
    """Return what a prompt brings that wants to resume the work: the pages, as far as they are new to the session."""
    from holdfast.continuity import resume as recovery

    pages = recovery.ToldPages(run.workspace).items(after_compaction=True)
    unseen = recovery.unseen(pages, shown)
    if pages and not unseen and "?" in run.call.prompt:
        # A question gets an answer: otherwise the agent would search elsewhere.
        given = block.page_given(recovery.owner_of(run.workspace), "told", _ALL_TOLD, "it was asked where things stand")
        unseen = recovery.unseen([block.Item(_ALL_TOLD, given, block.STATE)], shown)
    told = block.blocked(unseen, run.settings.number("inject.start_characters"))
    return block.one_after_the_other(told, _asked_for(run, shown, needed=not told.text, about=_work(run)))


def _work(run: HookRun) -> list[str]:
    """Return what the resumed work is about, so that its memories come first."""
    from holdfast.learning import readback

    try:
        return readback.about_work(run)
    except (HoldfastError, OSError) as problem:
        run.log("work", problem)
        return []


def prompt_block(run: HookRun, shown: Shown) -> Block:
    """Return the block of a prompt: what became of memories shown before, and what is relevant and new to the session.

    A prompt that wants to go on where the work stood, or stands for a conversation that was lost, brings the pages
    first.
    """
    if messages.wants_to_go_on(run.call.prompt):
        return _recovered(run, shown)
    if messages.stands_for_a_lost_conversation(run.call.prompt or run.call.notice) and _is_first_prompt(run):
        # Where the agent's start brought the memories, they are behind the summary already.
        return _recovered(run, shown) if shown else block_after_compaction(run)
    return _asked_for(run, shown, needed=True)


def _is_first_prompt(run: HookRun) -> bool:
    """Whether the person asked nothing else in this session so far; this prompt is in the journal already."""
    session = run.session_id, run.call.agent
    asked = [(one.data.get("session"), one.data.get("agent")) for one in run.journal.latest("prompt")]
    return asked.count(session) <= 1


def _asked_for(run: HookRun, shown: Shown, *, needed: bool, about: Sequence[str] = ()) -> Block:
    budget = run.settings.number("inject.prompt_characters")
    first = [*_waiting(run), *_fixes(run), *_to_confirm(run, shown)]
    changes = prompt.Changes((), ())
    found: list[tuple[Memory, str]] = []
    left_out: list[tuple[str, str]] = []
    try:
        with ReadOnlyIndex(run.home, run.is_late) as index:
            changes = _changes(index, {place: seen for place, seen in shown.items() if place[0] in SCOPES})
            found, left_out = _relevant(run, index, shown, about)
    except (HoldfastError, sqlite3.Error):
        # Where the time is over, what was found by then is told.
        if needed and not (first or changes.changed or changes.gone) and not is_empty(run.home):
            raise
    run.notices += [f"this session was told that {key} is forgotten" for _, key in changes.gone]
    made = prompt.prompt_block(changes, found, budget, clean=without_secrets, first=first, fresh=run.workspace.fresh)
    return block.Block(made.text, made.given, (*made.left_out, *left_out), made.lines)


def _waiting(run: HookRun) -> list[Item]:
    """Return what could not be said with the result of a call; most agents leave nothing."""
    if not os.path.isdir(os.path.join(run.home, "state", "waiting")):
        return []
    from holdfast.app.at_call import waiting

    parts = {True: block.RULES, False: block.STATE}
    found = waiting(run)
    return [block.Item(line, given, parts[theirs], theirs=theirs, worth=_MAX_WORTH) for theirs, line, given in found]


def _fixes(run: HookRun) -> list[Item]:
    """Return what worked last time for what failed since the last prompt; in most sessions nothing failed."""
    if not os.path.exists(run.failures()):
        return []
    from holdfast.learning import readback

    return readback.fixes(run)


def _to_confirm(run: HookRun, shown: Shown) -> list[Item]:
    """Return the line that asks the agent about words which may be a lasting rule; one at most, and only if wanted."""
    if not run.settings.flag("capture.confirm") or not run.words():
        return []
    from holdfast.continuity.resume import owner_of
    from holdfast.language import triggers

    found = triggers.scan(run.words())
    told = {one.text for one in found if one.sure}
    for one in found:
        said = messages.clean(one.text, messages.MAX_SAID)
        line = block.text_of(_CONFIRM.format(said), without_secrets)
        given = block.page_given(owner_of(run.workspace), "candidate", said, "it may be a lasting rule")
        item = block.Item(line, given, block.STATE, worth=_MAX_WORTH, least=len(line))
        if one.text not in told and said and not block.is_told(item, shown):
            return [item]
    return []


def _changes(index: ReadOnlyIndex, shown: Shown) -> prompt.Changes:
    known = index.known(shown)
    now = {place: index.as_it_is(memory) for place, memory in known.items()}
    changes = prompt.changes_of(shown, {place: memory for place, memory in now.items() if memory is not None})
    gone = tuple((scope, key) for scope, key in changes.gone if not index.has_file(scope, key))
    return prompt.Changes(changes.changed, gone)


def _relevant(
    run: HookRun, index: ReadOnlyIndex, shown: Shown, about: Sequence[str]
) -> tuple[list[tuple[Memory, str]], list[tuple[str, str]]]:
    """Return what clears the bar and is new to the session, and what was left out of it and why."""
    if not about and not prompt.asks_something(run.call.prompt):
        return [], []
    most = run.settings.number("inject.prompt_items")
    entries: list[tuple[Memory, str]] = []
    left_out: list[tuple[str, str]] = []
    said: dict[frozenset[str], str] = {}
    # Only what denies something or has a name or a number may say otherwise than a memory.
    stated = [one.text for one in sentences(run.words()) if not one.is_question and prompt.is_telling(one.words)]
    disowned: list[str] = []
    for mark, candidate in marked(run, index, run.settings.number("inject.relevance") / 100, about):
        memory, reason = _may_be_given(index, candidate, shown)
        branch = memory.branch if memory is not None else ""
        if memory is not None and branch and not run.workspace.fresh().holds_here(memory):
            memory, reason = None, f"learned on the branch {branch}"
        if why := "" if candidate.superseded_by else _disowned(run, stated, candidate.memory):
            memory, reason = None, why
            disowned += [candidate.memory.key] if candidate.memory.trust == "user" else []
        same = said.setdefault(prompt.same(candidate.memory.body), candidate.memory.key)
        if same != candidate.memory.key:
            left_out.append((block.name_of(candidate.memory), f"says the same as {same}"))
        elif memory is not None and len(entries) < most:
            entries.append((memory, prompt.why(mark, candidate.words)))
        else:
            left_out.append((block.name_of(candidate.memory), reason or f"only {most} at a prompt"))
    if disowned:
        from holdfast.continuity.withdrawn import STAYS

        run.notices.append(STAYS.format(disowned[0]))
    return entries, left_out


def _disowned(run: HookRun, stated: list[str], memory: Memory) -> str:
    """Return why a prompt wants no more of what the person laid down: it asks to forget it, or says otherwise."""
    if stated and _says_otherwise(stated, memory):
        return "the prompt says otherwise"
    lowered = run.words().lower()
    if "forget" not in lowered and "vergiss" not in lowered and "vergesst" not in lowered:
        return ""
    from holdfast.language.triggers import asks_to_forget

    return "the prompt asks to forget it" if any(asks_to_forget(one.words) for one in sentences(run.words())) else ""


def _says_otherwise(stated: list[str], memory: Memory) -> bool:
    """Whether the prompt states the opposite of a memory; most prompts find none to compare with."""
    from holdfast.language.contradiction import says_otherwise

    # "The database runs on db-3, fix the config": the first clause states it, the second asks for something.
    parts = [part for text in stated for part in (text, *text.split(", "))]
    return any(says_otherwise(part, memory.body) for part in parts)


def _may_be_given(index: ReadOnlyIndex, candidate: Candidate, shown: Shown) -> tuple[Memory | None, str]:
    if not prompt.is_new(candidate.memory, shown):
        return None, "shown before"
    if candidate.superseded_by:
        return None, f"replaced by {candidate.superseded_by}"
    if candidate.earlier:
        return None, "only an earlier statement has the words"
    memory = index.as_it_is(candidate.memory)
    return memory, "" if memory else "its file is gone"


def marked(run: HookRun, index: ReadOnlyIndex, bar: float, about: Sequence[str] = ()) -> list[tuple[float, Candidate]]:
    """Return the candidates that clear the bar, best first, each with how likely the prompt wants it.

    `about` is what the resumed work is about.
    """
    wanted = Filter(tuple(scope for scopes in run.scopes().values() for scope in scopes))
    table = index.table()
    found = _Found(table, _model(run, table), wanted, index.size(), run.call.prompt)
    asks = [table.ask(text) for text in (*about, *prompt.asks_of(run.call.prompt))]
    for asked in asks:
        try:
            found.look(asked)
        except sqlite3.Error:
            if not run.is_late() or not found.by_words:
                raise
            # The time is over, and words have found something: what is read of those few rows is soon read.
            index.read_to_the_end()
            found.weigh(asked, found.by_words, {})
            break
    likely = {row: mark for row, mark in found.likely.items() if mark >= bar}
    # Most of them do not clear the bar, and of those nothing more is read. The mark takes the place of the meaning.
    read = {row: (0.0, likely[row]) for row in sorted(likely, key=lambda row: -likely[row])[:_READ]}
    return [(one.meaning, one) for one in table.candidates(read, asks[0], wanted)] if read else []


class _Found:
    """What the asks of a prompt found so far, each memory with the likelihood that the best of them gives it."""

    def __init__(self, table: MemoryTable, model: Model | None, wanted: Filter, size: int, text: str) -> None:
        self.table = table
        self.model = model
        self.wanted = wanted
        self.least = prompt.least_words(text)
        self._told = prompt.told_by(text)
        self.likely: dict[int, float] = {}
        self.by_words: list[int] = []
        self._texts: dict[int, str] = {}
        self._said: dict[int, dict[str, float]] = {}
        everything = table.few(wanted, _SCANNED) if model is not None and size <= _SCANNED else None
        self._stored = None if everything is None else table.vectors(everything)

    def look(self, asked: Asked) -> None:
        """Weigh what has the rarest words of the ask that tell something and, among few memories, what is near."""
        words = [word for word in asked.words if prompt.weight(plain(word)) == 1.0] or list(asked.words)
        self.by_words = self._having(asked, words[:_TELLING]) if words else []
        near: dict[int, float] = {}
        if self.model is not None:
            vector = self.model.encode(asked.text, query=True, damp=prompt.damp(asked))
            stored = self.table.vectors(self.by_words) if self._stored is None else self._stored
            near = dict(zip(stored, cosines(vector, [*stored.values()]), strict=True)) if any(vector) else {}
        nearest = sorted(near, key=lambda row: -near[row])[:_BY_MEANING]
        self.weigh(asked, [*dict.fromkeys((*nearest, *self.by_words))], near)

    def _having(self, asked: Asked, words: list[str]) -> list[int]:
        """Return the memories that the words speak for most; where these stand in very many, not all are weighed."""
        known = dict(zip(asked.words, asked.counts, strict=True))
        expression = " OR ".join(map(quoted, words))
        if sum([known[word] for word in words]) > _WEIGHED and is_narrowed(asked.expression):
            expression = asked.expression
        return [row for row, _, _, _ in self.table.matches(expression, self.wanted, _BY_WORDS, _WEIGHED)]

    def weigh(self, asked: Asked, rows: list[int], near: dict[int, float]) -> None:
        """Weigh these memories."""
        self._texts |= self.table.texts([row for row in rows if row not in self._texts])
        rare, usual = prompt.rarities(asked), prompt.usual(near.values())
        names = prompt.names(asked.text, self.model) if self.least else frozenset()
        for row in rows:
            if self.least and not prompt.may_be_wanted(self._texts.get(row, ""), rare, names, self.least):
                continue
            if row not in self._said:
                self._said[row] = prompt.said(self._texts.get(row, ""))
            said = self._said[row]
            least = 0 if names and not names.isdisjoint(said) else self.least
            mark = prompt.likelihood(rare, said, near.get(row), usual, least)
            if mark > self.likely.get(row, 0.0):
                self.likely[row] = 0.0 if prompt.says_nothing_new(said, self._told) else mark


def _model(run: HookRun, table: MemoryTable) -> Model | None:
    """Return the model of meaning, where it is on and made the vectors that are there."""
    if not run.settings.flag("recall.meaning"):
        return None
    try:
        model = Model.open()
    except HoldfastError:
        return None
    return model if table.model() == model.version else None
