"""What the readers of all agents share.

**A reader** is one module for one agent. `find(place)` yields the paths that may hold its sessions. `sniff(path)` says
by the content, not by the path, whether a path does. `read(path)` yields one `Reading` for each session in it.

**A reading** is walked once: its events in order, each call joined with its result; then `session()` is complete. No
line is fatal: what cannot be understood is counted in `malformed`. Memory does not grow with the text of a file; only
digests of ids and what each message cost are kept.

**Text** in an event is bounded, has no base64 in it, and can be written as UTF-8.

**A call** waits for its result on its way out of a reading, and what comes after it waits behind it.
"""

from __future__ import annotations

import io
import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, zip_longest
from operator import itemgetter
from typing import Any, Self

from holdfast.agents.reading.lines import HEAD, decode, lines, open_plain
from holdfast.agents.reading.values import (
    MAX_OUTPUT,
    MAX_TEXT,
    blocks,
    cut,
    input_text,
    is_result,
    is_typed,
    milliseconds,
    text_of,
    when,
    whole,
)
from holdfast.base.structs import complete
from holdfast.language.choices import answered
from holdfast.privacy.speech import REFERENCED, separated, within
from holdfast.records import Cost, Session, SessionEvent, Spend, replace

# Beyond this many days and models, usage is counted without them.
_MAX_SPENDS = 200
_LONGEST_MODEL = 160
_WORKSPACE = re.compile(r"^Workspace Path: (\S.*)$", re.M)
# How many events, and characters, wait for the result of a call before the call is given up as unanswered.
MAX_HELD = 1_000
MAX_HELD_TEXT = 8_000_000
# Stands for the end of a turn of which the transcript has no text.
NO_TEXT = "[turn ended without a text]"


class _Slot:
    """The place of an event in the row: the event, None when it was dropped, and the key that it waits by."""

    __slots__ = ("event", "key")

    def __init__(self, event: SessionEvent, key: str) -> None:
        self.event: SessionEvent | None = event
        self.key = key


class PendingCalls:
    """A row of events in order. Those whose ids are in `skip` go without being given out."""

    def __init__(self) -> None:
        self.given = 0
        self.beginning = ""
        self.skip: frozenset[str] = frozenset()
        self._queue: deque[_Slot] = deque()
        self._open: dict[str, _Slot] = {}
        self._characters = 0

    @property
    def place(self) -> int:
        """The place that the next event gets, if none of those that wait is dropped."""
        return self.given + len(self._queue)

    def add(self, event: SessionEvent, key: str = "") -> None:
        """Put an event at the end; with a key it waits there until it is answered or dropped."""
        slot = _Slot(event, "" if key in self._open else key)
        self._queue.append(slot)
        self._characters += _size(event)
        if slot.key:
            self._open[key] = slot

    def answer(self, key: str, output: str | None = None, failed: bool = False, took: int = 0, until: str = "") -> bool:
        """Join a result, and how long it took or until when, with its call; False where none waits.

        Without an output nothing came, and the call only waits no longer.
        """
        slot = self._open.pop(key, None)
        if slot is None:
            return False
        slot.key = ""
        call = slot.event
        if call is not None and output is not None:
            self._characters += len(output) - len(call.output)
            complete(call, "output", output)
            complete(call, "failed", failed)
            complete(call, "answered", True)
            complete(call, "milliseconds", took or (milliseconds(call.at, until) if until else 0))
        return True

    def waiting(self, key: str) -> SessionEvent | None:
        """Return the event that waits by this key; None where none does."""
        slot = self._open.get(key)
        return slot.event if slot is not None else None

    def speak(self, key: str, role: str) -> None:
        """Say in whose role a waiting event is; then it waits no longer."""
        slot = self._open.pop(key)
        slot.key = ""
        if slot.event is not None:
            complete(slot.event, "role", role)

    def drop(self, key: str) -> bool:
        """Take a waiting event out unseen; False where none waits."""
        slot = self._open.pop(key, None)
        if slot is None:
            return False
        dropped, slot.event, slot.key = slot.event, None, ""
        self._characters -= _size(dropped) if dropped else 0
        return True

    def take(self) -> Sequence[SessionEvent]:
        """Return what waits for nothing, from the front; what waits too long comes out as it is."""
        queue = self._queue
        found: list[SessionEvent] = []
        while queue and (not queue[0].key or len(queue) > MAX_HELD or self._characters > MAX_HELD_TEXT):
            self._move_first(found)
        return found

    def rest(self) -> list[SessionEvent]:
        """Return everything that is left."""
        found: list[SessionEvent] = []
        while self._queue:
            self._move_first(found)
        return found

    def _move_first(self, found: list[SessionEvent]) -> None:
        slot = self._queue.popleft()
        if slot.key:
            del self._open[slot.key]
        event = slot.event
        if event is None:
            return
        self._characters -= _size(event)
        if event.id and (event.id in self.skip):
            return
        if event.place != self.given:
            complete(event, "place", self.given)
        self.given += 1
        self.beginning = self.beginning or event.id
        found.append(event)


def _size(event: SessionEvent) -> int:
    return len(event.text) + len(event.input) + len(event.output)


class Costs:
    """What messages cost: of several reports on one message the largest of each kind counts, once.

    `at` and `model` are those of the messages that come, where a report does not tell its own. Messages whose ids are
    in `skip` are not counted.
    """

    def __init__(self) -> None:
        self.at = ""
        self.model = ""
        self.skip: frozenset[str] = frozenset()
        self._by_message: dict[int, tuple[int, tuple[int, ...]]] = {}
        self._spends: dict[tuple[str, str], int] = {}
        self._sums: list[list[int]] = []
        self._dollars: list[float] = []

    def add(self, message: str, *kinds: object, at: str = "", model: str = "", dollars: float = 0.0) -> None:
        """Take a report: input without cache, output, cache read, cache write, reasoning. No id: it stands alone."""
        if message in self.skip:
            return
        counts = tuple(map(whole, kinds))
        key = hash(message)
        before = self._by_message.get(key) if message else None
        if before is None:
            spend, added = self._spend((at or self.at)[:10], (model or self.model)[:_LONGEST_MODEL]), counts
        elif before[1] == counts:
            return
        else:
            spend, told_before = before
            counts = tuple(map(max, zip_longest(counts, told_before, fillvalue=0)))
            added = tuple(map(int.__sub__, counts, (*told_before, 0, 0, 0, 0, 0)))
        sums = self._sums[spend]
        for kind, count in enumerate(added):
            sums[kind] += count
        self._dollars[spend] += dollars
        if message:
            self._by_message[key] = (spend, counts)

    def _spend(self, day: str, model: str) -> int:
        key = (day, model)
        if key not in self._spends and len(self._spends) >= _MAX_SPENDS:
            key = ("", "")
        if key not in self._spends:
            self._spends[key] = len(self._sums)
            self._sums.append([0] * 5)
            self._dollars.append(0.0)
        return self._spends[key]

    def spends(self) -> tuple[Spend, ...]:
        """Return what was paid for each model on each day, in order; what cost nothing is not told."""
        found = [Spend(*key, _cost(self._sums[at], self._dollars[at])) for key, at in sorted(self._spends.items())]
        return tuple(one for one in found if one.cost != Cost())

    def total(self) -> Cost:
        """Return the sum over all messages."""
        return _cost([sum(column) for column in zip([0] * 5, *self._sums, strict=True)], sum(self._dollars))


def _cost(kinds: list[int], dollars: float) -> Cost:
    cost = Cost(kinds[0], kinds[1], kinds[2], kinds[3], kinds[4])
    return replace(cost, dollars=dollars) if dollars else cost


class Reading:
    """One session being read: iterate the events in order, once; then ask for the session.

    Every event has the time, folder, branch, model and line at which the session stands. A reader overrides `take`, and
    `begin`, `finish`, `records` or `session` where its files need it. Events whose ids are put into `skip` before are
    passed over, with what they cost: another session has told them.
    """

    agent = ""
    skip: frozenset[str] = frozenset()
    # The tag in which the agent writes what the person typed; empty where it uses none.
    request_tag = ""
    # The tools of the agent's own with which it asks the person something; a server's tool has another name.
    dialogs: tuple[str, ...] = ()
    # The fields of a record in which its time may stand.
    times: tuple[str, ...] = ("timestamp",)

    def __init__(self, path: str) -> None:
        self.path = path
        self.malformed = 0
        self.offset = 0
        self.held = PendingCalls()
        self.facts: dict[str, str] = {}
        self.models: dict[str, None] = {}
        self.cost = Costs()
        self.started = self.ended = ""
        self.at = self.folder = self.branch = self.model = ""
        self.line = 0
        # The last call with each id; 0 where only its result is known.
        self._called: dict[int, int] = {}
        self._waiting: dict[str, None] = {}

    @classmethod
    def read(cls, path: str) -> Iterator[Self]:
        """Yield the one session of a file: the `read` of most readers."""
        yield cls(path)

    def __iter__(self) -> Iterator[SessionEvent]:
        self.held.skip = self.cost.skip = self.skip
        for _ in self._walk():
            yield from self.held.take()
        yield from self.held.rest()

    def opened(self) -> io.BufferedReader:
        """Open the transcript, to be read line by line."""
        return open_plain(self.path)

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield number and bytes of each line, and keep `offset` up to date."""
        with self.opened() as file:
            for number, self.offset, raw in lines(file):
                yield number, raw

    def records(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield line number and object of each line; count what is none."""
        return self.decoded(self.lines())

    def decoded(self, found: Iterable[tuple[int, bytes]]) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield number and object of each of these lines; count what is none."""
        for number, raw in found:
            record = decode(raw)
            if record is None:
                self.malformed += 1
            else:
                yield number, record

    def numbered(self, messages: Iterable[Any]) -> Iterator[tuple[int, Any]]:
        """Yield each message with its number; count those that are None."""
        for number, message in enumerate(messages, 1):
            if message is None:
                self.malformed += 1
            else:
                yield number, message

    def seen_at(self, *times: str) -> None:
        """Take note of times for the start and the end of the session."""
        for time in times:
            if time > self.ended:
                self.ended = time
            if time and (time < self.started or not self.started):
                self.started = time

    def know(self, **facts: str) -> None:
        """Take note of facts about the session: those that are told replace what was known before."""
        for name, value in facts.items():
            if value:
                self.facts[name] = value

    def session(self) -> Session:
        """Return the session as far as it was read."""
        return Session(
            agent=self.agent,
            id=self.facts.get("id", ""),
            title=cut(self.facts.get("title", ""), 500),
            folder=self.facts.get("folder", ""),
            branch=self.facts.get("branch", ""),
            started=self.started,
            ended=self.ended,
            models=tuple(self.models),
            parent=self.facts.get("parent", ""),
            is_subagent=bool(self.facts.get("is_subagent")),
            version=self.facts.get("version", ""),
            cost=self.cost.total(),
            events=self.held.given,
            malformed=self.malformed,
            source=self.path,
            spends=self.cost.spends(),
            beginning=self.held.beginning,
        )

    def _walk(self) -> Iterator[None]:
        """Feed `self.held`, and yield whenever some of it may be taken out."""
        self.begin()
        for number, record in self.records():
            self.stand(self.time_of(record), number)
            self.take(record)
            yield
        self.finish()

    def time_of(self, record: dict[str, Any]) -> str:
        """Return the time at which the session stands with this record."""
        return next((when(record[name]) for name in self.times if record.get(name)), "")

    def begin(self) -> None:
        """Take what the path and the files beside it say, before the first record."""

    def take(self, record: dict[str, Any]) -> None:
        """Take one record; time and line are known."""

    def finish(self) -> None:
        """Take what is left, after the last record."""

    def stand(self, at: str = "", line: int = 0, model: str = "") -> None:
        """Take note of where the session stands now; what is not told stays, but for the time and the line."""
        self.at, self.line = at, line
        self.cost.at = at or self.cost.at
        if at:
            self.seen_at(at)
        self.circumstances(model=model)

    def circumstances(self, folder: str = "", branch: str = "", model: str = "") -> None:
        """Take note of folder, branch and model; what is not told stays."""
        if folder:
            self.folder = folder
            self.facts.setdefault("folder", folder)
        if branch:
            self.branch = branch
            self.facts.setdefault("branch", branch)
        if model:
            self.model = self.cost.model = model
            self.models[model] = None

    def usual(self) -> str:
        """Return the role of what stands where a person speaks: to a sub-agent an agent speaks there."""
        return "task" if "is_subagent" in self.facts else "human"

    def person(self, content: Any, id: str = "", usual: str = "human") -> None:
        """Add what stands where a person speaks: what programs put there has a role of its own.

        Of a message in blocks each is judged by itself, for programs add theirs as blocks of their own. Nothing is a
        person's beside what a tool answered, nor in the blocks behind the one with which referenced files begin.
        """
        given = blocks(content)
        usual = "injected" if any(map(is_result, given)) else usual
        parts: list[tuple[str, str]] = []
        for place, block in enumerate(given):
            text = text_of(block)
            role = usual if is_typed(block) else "injected"
            parts += separated(text, role) if place else self.parts_of(text, role)
            usual = "injected" if REFERENCED in text else usual
        self.say_all(parts, id)

    def parts_of(self, text: str, usual: str) -> list[tuple[str, str]]:
        """Return the parts of a text that stands where a person speaks, with their roles."""
        return within(text, self.request_tag, usual) if self.request_tag else separated(text, usual)

    def say_all(self, parts: Iterable[tuple[str, str]], id: str = "") -> None:
        """Add the parts of one message; what is of one role and stands together is one text."""
        for role, same in groupby(parts, itemgetter(0)):
            self.say(role, "\n".join(part for _, part in same), id)

    def say(self, role: str, text: str, id: str = "", failed: bool = False) -> None:
        """Add a text of this role, if it says anything."""
        if text.strip():
            self.held.add(self.event(role, cut(text.strip(), MAX_TEXT), id, failed))

    def answer(self, text: str, id: str, calls: bool) -> None:
        """Add what the agent said; a mark where it neither said nor called anything, for its turn ended so."""
        self.say(*(("assistant", text) if text.strip() or calls else ("injected", NO_TEXT)), id)

    def call(self, key: str, tool: str, given: Any, id: str = "") -> None:
        """Add a call that waits for its result. One that was there before is passed over.

        Models use an id again. A call of an id that has its result, with other arguments, is another call.
        """
        if isinstance(given, str) and given[:1] == "{":
            # JSON within a text becomes the same as JSON that is not.
            found = decode(given.encode("utf-8", "replace"))
            given = given if found is None else found
        text = input_text(given)
        mark, known = hash((tool, text)), self._called.get(hash(key)) if key else None
        if known is not None and (known in (0, mark) or key in self._waiting):
            return
        self._called[hash(key)] = mark
        self._waiting[key] = None
        self.held.add(self.event("tool", "", id, False, tool, key, text), key)

    def result(
        self, key: str, output: Any, failed: bool = False, tool: str = "", took: int = 0, answers: Any = None
    ) -> None:
        """Join a result with its call; one whose call is not there stands alone, one that came before is no news.

        `answers` are those to a dialog, where they do not stand as JSON in its output.
        """
        text = cut(text_of(output), MAX_OUTPUT)
        self._waiting.pop(key, None)
        call = self.held.waiting(key)
        if self.held.answer(key, output=text, failed=failed, took=took, until=self.at):
            self.choose(call, answers)
            return
        if not key or hash(key) not in self._called:
            self._called[hash(key)] = 0
            self.held.add(self.event("tool", "", "", failed, tool, key, "", text, answered=True))

    def choose(self, call: SessionEvent | None, answers: Any = None) -> None:
        """Add what the person chose or typed in a dialog: the adapter names its tool, and where the answers stand."""
        if call is None or call.failed or call.tool not in self.dialogs:
            return
        if answers is None:
            answers = (decode(call.output.encode("utf-8", "replace")) or {}).get("answers")
        given = decode(call.input.encode("utf-8", "replace"))
        for role, text in answered(given, answers):
            if role == "human":
                self.person(text, usual=self.usual())
            else:
                self.say(role, text)

    def awaited(self, key: str, start: str) -> str:
        """Return the key of the call that a result belongs to: its own or, of those that begin so, the oldest."""
        if key in self._waiting:
            return key
        return next((one for one in self._waiting if one.startswith(start)), key)

    def release(self) -> None:
        """Let go of the calls that wait: their turn is over."""
        for key in self._waiting:
            self.held.answer(key)
        self._waiting.clear()

    def look_for_workspace(self, text: str) -> None:
        """Take the folder from the text that some agents give to the model about the workspace."""
        found = _WORKSPACE.search(text[:HEAD])
        if found and "folder" not in self.facts:
            self.folder = self.facts["folder"] = found[1].strip()

    def event(
        self,
        role: str,
        text: str = "",
        id: str = "",
        failed: bool = False,
        tool: str = "",
        call: str = "",
        given: str = "",
        output: str = "",
        answered: bool = False,
    ) -> SessionEvent:
        """Return an event in these circumstances, with the place that is next."""
        by_model = role in ("assistant", "tool") and bool(self.model)
        if by_model:
            self.models[self.model] = None
        # Every field in its place: this is done for each event, and names would take twice the time.
        circumstances = (self.folder, self.branch, self.model if by_model else "", id, self.line, answered)
        return SessionEvent(self.held.place, role, text, self.at, tool, call, given, output, failed, 0, *circumstances)
