"""What the hook part of a feature takes and returns: a HookRun in, Effects out.

A feature is one package. What it does at a hook is in its `hook.py`: `at_start`, `at_prompt`, `at_tool` and so on. No
part depends on another having run before it: parts look and return, and `app/hook.py` carries out what they return, in
the order of the table in `app/features.py`. What features do with archived sessions is in `sessions/parts.py`.
"""

from __future__ import annotations

import os
import time

from holdfast.base import files, rows
from holdfast.base.clock import now
from holdfast.base.light_records import dataclass
from holdfast.base.text import hash_of
from holdfast.errors import HoldfastError
from holdfast.workspace import NARROWEST_FIRST, PERSON, Workspace, profile_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from holdfast.agents.base import Agent
    from holdfast.agents.transcript_calls import ToolCall
    from holdfast.records import Event, Given, HookCall, Project, Scope

# Where the failures of open sessions stand, below the home.
FAILURES = ("state", "failures")
# A message may have a whole file in it; what a person says of it themselves stands at its beginning or its end.
MAX_WORDS = 32_000
MAX_LAST_WORDS = 8_000
# How much of the id of a session is written down, and of what stands for one where the agent names none.
_MAX_SESSION = 500
_MAX_LABEL = 200
# A session that goes on with its context has in it what it was given when it started; so has a fork of it.
CONTINUES = ("resume", "fork")
TAILS = ("state", "tails")
# So much of a transcript is read in front of a waiting person; mostly a pause read all of it before.
_MAX_AT_PROMPT = 1 << 18
_MAX_CALLS = 400
# How the reason begins for which a call was not made; some agents tell such a call as one that failed.
STOPPED = ("Refused by Holdfast", "Held by Holdfast")
_MAX_REASON = 400
# Of the time that an agent gives a hook, so much is ours: the rest is for starting it, and for a busy machine.
_OF_AGENTS_TIME = 0.6
_USUAL_SECONDS = 5
# A UUID, with each of its digits as the same one.
_UUID = "-".join(["0" * length for length in (8, 4, 4, 4, 12)])
_AS_HEX = "".join(["0" if chr(code) in "123456789abcdef" else chr(code) for code in range(128)])
MADE_ONCE = ("_AS_HEX",)
# So much of its end is read behind each call of a tool, for a failure that no hook was told of.
_MAX_AT_TOOL = 1 << 16


def label(text: str, most: int) -> str:
    """Return what `fence.kept` does, for names and ids; most of them are of a shape that no secret has.

    Those are UUIDs and short words of letters. Hooks around calls mostly keep nothing else, and go without what looks
    for secrets.
    """
    if text.isascii() and ((len(text) < 10 and text.isalpha()) or text.translate(_AS_HEX) == _UUID):
        return text
    from holdfast.privacy.fence import kept

    return kept(text, most)


class TailCursor:
    """How far hooks have read the transcript of a session: `state/tails/<digest>`, a number and marks behind it.

    A mark is a kind of tool of which hooks were told since then. May be lost: then the next prompt begins again, at the
    end of the transcript as it is then.
    """

    def __init__(self, home: str, agent: str, session: str) -> None:
        self.path = os.path.join(home, *TAILS, hash_of(agent, session))
        self._end: int | None = None
        self._told: frozenset[str] = frozenset()

    def note_told(self, tool: str) -> None:
        """Note that a hook was told of a call. Hooks are installed by tool, so it is told of every one of that kind."""
        from holdfast.language.tools import kind_of

        kind, told = kind_of(tool), files.read_if_there(self.path)
        if told and kind.encode() not in told.split(b"\n")[1:]:
            rows.append(self.path, [kind], durable=False)

    def untold(self, calls: tuple[ToolCall, ...]) -> tuple[ToolCall, ...]:
        """Return those of the calls that `read` returned of which no hook was told."""
        if not self._told:
            return calls
        from holdfast.language.tools import kind_of

        return tuple([call for call in calls if kind_of(call.tool) not in self._told])

    def peek(self, call: HookCall) -> tuple[ToolCall, ...]:
        """Return the last calls behind the cursor, which stays where it is."""
        since = files.read_if_there(self.path).partition(b"\n")[0]
        if call.subagent or not call.transcript or not since.isdigit():
            return ()
        from holdfast.agents.transcript_calls import tail, told

        return tuple(told(tail(call.transcript, int(since), _MAX_AT_TOOL)[0]).calls)

    def read(self, call: HookCall) -> tuple[ToolCall, ...]:
        """Return the calls behind the cursor; at the first prompt of a session it is put at the transcript's end."""
        if call.subagent or not call.transcript:
            return ()
        since, _, marks = files.read_if_there(self.path).partition(b"\n")
        if not since.isdigit():
            self._end = files.size_of(call.transcript) if call.moment == "prompt" else None
            return ()
        if files.size_of(call.transcript) == int(since):
            return ()
        from holdfast.agents.transcript_calls import MAX_TAIL, tail, told

        lines, end = tail(call.transcript, int(since), _MAX_AT_PROMPT if call.moment == "prompt" else MAX_TAIL)
        self._end = end
        self._told = frozenset(marks.decode("utf-8", "replace").split())
        # Between a pause and a prompt an agent mostly writes what has no call in it, whatever it calls one.
        if not any(b"ool" in line or b"all" in line for line in lines):
            return ()
        found = told(lines)
        if call.moment == "stop" and found.settled < len(lines):
            # The results of the last calls may not be written yet; such calls are left for the moment behind this.
            self._end = end - len(b"\n".join(lines[found.settled :]))
            found = told(lines[: found.settled])
        return tuple(found.calls[-_MAX_CALLS:])

    def settle(self) -> None:
        """Put the cursor behind what was read."""
        if self._end is not None:
            files.put(self.path, b"%d\n" % self._end, durable=False)


@dataclass(frozen=True, slots=True)
class Effect:
    """What a part of a hook wants done: `do` is called before the agent goes on.

    `beside` does it while the answer is made, which waits for it. `sweep` asks for a sweep of the agent's transcripts
    behind the hook. At a call of a tool `say` is a line for the model, which it reads with the result of that call, or
    with the next prompt where the agent takes none (`agent.injects`); `hold` is a reason that refuses the call, and
    `ask` one for which the person is asked to let it through, each only where the agent can (`agent.guard`,
    `agent.asks`). They are ready to be shown: without secrets, bounded. `theirs`: the person said it. `given` is what
    the receipt says. Of several only the first are told; the `do` of such an effect is called when it is, to note that.
    """

    do: Callable[[], object] | None = None
    beside: bool = False
    sweep: bool = False
    say: str = ""
    hold: str = ""
    ask: str = ""
    theirs: bool = False
    given: Given | None = None

    @property
    def is_told(self) -> bool:
        """Whether it tells the model something, or stops a call."""
        return bool(self.say or self.hold or self.ask)


class HookRun:
    """One call of a hook in one home: what was told and when; what several parts ask for is computed once."""

    def __init__(self, home: str, agent: Agent, call: HookCall, environment: Mapping[str, str]) -> None:
        self.home = home
        self.agent = agent
        self.call = call
        self.environment = environment
        self.at = now()
        # The id of the session as it may be written down.
        self.session_id = label(call.session, _MAX_SESSION)
        # What the person named goes before what the agent calls the profile itself.
        profile = environment.get("HOLDFAST_PROFILE") or profile_id(call.profile)
        caller = "subagent" if call.subagent else PERSON
        self.workspace = Workspace(
            home,
            folder=call.folder or None,
            environment=environment,
            session=self.session_id,
            profile=profile,
            caller=caller,
        )
        self.settings = self.workspace.settings
        self.journal = self.workspace.journal
        # What the processor did for this process so far was to start it and to load us.
        self._loading = time.process_time()
        self._began = began = time.monotonic()
        budget = self.settings.number("hook.budget_ms") / 1000
        # Until when the parts have time. Half of it may go by while others hold a lock.
        self.until = began + budget
        self.waits_until = began + budget / 2
        # An agent kills a hook that takes longer than it was given; before that the answer must be out.
        self.ends = began + max(budget, agent.seconds.get(call.moment, _USUAL_SECONDS) * _OF_AGENTS_TIME)
        # An agent that names no session has one for each folder.
        self.session = call.session or f"{call.agent}:{call.folder}"
        # Why nothing that this hook hears can be kept, where that is so.
        self.cannot_write = ""
        # The event of this hook, and where its line in the journal ends.
        self.recorded: tuple[Event, int] | None = None
        # What the person is told in one line, where the agent can show it.
        self.notices: list[str] = []
        self._words: str | None = None
        self._label = self.session_id
        self._project: Project | None = None
        self._asked_project = False
        self._calls: tuple[ToolCall, ...] | None = None
        self._cursor: TailCursor | None = None

    @property
    def began_ns(self) -> int:
        """When this hook began, by the clock on the wall."""
        return time.time_ns() - int((time.monotonic() - self._began) * 1e9)

    def milliseconds(self) -> float:
        """Return how long this hook has taken, the start of its process included."""
        return round((self._loading + time.monotonic() - self._began) * 1000, 1)

    @property
    def context(self) -> str:
        """What is told something once: the session, or the sub-agent in it, which has read nothing of the session's."""
        return f"{self.session}/{self.call.subagent}" if self.call.subagent else self.session

    def was_stopped(self) -> bool:
        """Whether the call that is told as failed was not made, because we did not let it."""
        return any(words in self.call.error[:_MAX_REASON] for words in STOPPED)

    def is_late(self) -> bool:
        """Whether the time is over for what can be left out."""
        return time.monotonic() > self.until

    def give_time_to_answer(self) -> bool:
        """Whether there is time for an answer; where the parts took theirs, it gets half as much again."""
        moment = time.monotonic()
        self.until = min(max(self.until, moment + (self.until - self.waits_until)), self.ends)
        return moment < self.ends

    @property
    def session_label(self) -> str:
        """The session as rows name it, also where the agent names none."""
        if not self._label:
            self._label = label(self.session, _MAX_LABEL)
        return self._label

    def shows_notices(self) -> bool:
        """Whether the agent shows the person a line of ours at this moment, and they want it."""
        return self.call.moment in self.agent.shows and self.settings.flag("hook.notices") and not self.call.subagent

    def words(self) -> str:
        """Return what the person typed, without secrets; nothing of a sub-agent's.

        Of a message that is longer than MAX_WORDS it is the beginning and the end: the rest is a file that was pasted.
        """
        if self._words is None:
            from holdfast.privacy import fence

            typed = "" if self.call.subagent else self.call.prompt
            shown = fence.shown(typed[: MAX_WORDS * 4])
            self._words = fence.kept(shown, MAX_WORDS)
            if len(typed) > MAX_WORDS and self._words:
                self._words += "\n" + fence.shown(fence.kept_end(typed, MAX_WORDS, MAX_LAST_WORDS))
        return self._words

    def project(self) -> Project | None:
        """Return the project of the agent's folder, or None where there is none."""
        if not self._asked_project:
            self._asked_project = True
            try:
                self._project = self.workspace.project()
            except (HoldfastError, OSError):
                self._project = None
        return self._project

    def failures(self) -> str:
        """Return the file of this session's failures in this project; nothing where there is no project."""
        project = self.project()
        return os.path.join(self.home, *FAILURES, hash_of(self.call.agent, self.session, project.id)) if project else ""

    def scopes(self) -> dict[str, tuple[Scope, ...]]:
        """Return the scopes that this session may see, by kind, narrowest first."""
        return {kind: self._visible(kind) for kind in NARROWEST_FIRST}

    def _visible(self, kind: str) -> tuple[Scope, ...]:
        try:
            return self.workspace.visible(kind)
        except (HoldfastError, OSError):
            return ()

    def calls(self) -> tuple[ToolCall, ...]:
        """Return the calls of tools that the transcript has since the last pause."""
        if self._calls is None:
            self._cursor = TailCursor(self.home, self.call.agent, self.session)
            self._calls = self._cursor.read(self.call)
        return self._calls

    def untold_calls(self) -> tuple[ToolCall, ...]:
        """Return those of these calls of which no hook was told."""
        calls = self.calls()
        return self._cursor.untold(calls) if self._cursor is not None else calls

    def latest_calls(self) -> tuple[ToolCall, ...]:
        """Return the last calls that the transcript has, at a moment that is no pause, which tells them again."""
        return TailCursor(self.home, self.call.agent, self.session).peek(self.call)

    def settle(self) -> None:
        """Note that what `calls` told was taken; the next pause goes on behind it, and behind what hooks are told."""
        if self._cursor is not None:
            self._cursor.settle()
        elif self.call.moment == "tool":
            TailCursor(self.home, self.call.agent, self.session).note_told(self.call.tool)

    def last_prompt(self) -> str:
        """Return what the person asked last in this session."""
        return " ".join((self.latest("prompt", "prompt") or "").split())

    def latest(self, kind: str, field: str) -> str | None:
        """Return what the latest event of a kind in this session says in a field; None where there is no event."""
        for event in self.journal.latest(kind):
            if event.data.get("session") == self.session_id and event.data.get("agent") == self.call.agent:
                return str(event.data.get(field, ""))
        return None

    def log(self, part: str, problem: Exception, *, notice: bool = True) -> None:
        """Add a line about trouble of a part to the hook's log; a person is told unless something else tells them."""
        from holdfast.journal import hook_log

        hook_log.add(self.home, f"{self.call.agent} {self.call.moment}, {part}", problem, notice=notice)
