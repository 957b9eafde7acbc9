"""Rules in a replay: which would have spoken at a call, at what cost, and how often for nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from holdfast import agents
from holdfast.app.replay_records import ReplayMoment, RuleUse
from holdfast.base.text import CUT, cut, one_line
from holdfast.inject.block import tokens_of
from holdfast.language import commands, conditions
from holdfast.language.conditions import Call
from holdfast.language.likeness import alike, words_of
from holdfast.privacy import speech
from holdfast.privacy.fence import fenced
from holdfast.records import STRENGTHS, Memory, Scope, Session, SessionEvent
from holdfast.records import replace as replaced
from holdfast.rules.matching import item_of
from holdfast.rules.rule import Rule, rule_of
from holdfast.rules.table import MAX_TEXT
from holdfast.rules.wording import MAX_SAID, reason, strength
from holdfast.store import kinds

_MAX_TEXT = 160
_MAX_CALL = 100


@dataclass(frozen=True, slots=True)
class RuleCall:
    """A call that fulfils the conditions of these rules, each with what of the call does.

    `matched` has the number of a rule, what fulfils it, and which item of its condition that is. `asked`: the person's
    last message asked for it. With no rule it says that the context was compacted.
    """

    matched: tuple[tuple[int, str, str], ...] = ()
    failed: bool = False
    asked: bool = False


@dataclass(frozen=True, slots=True)
class _Version:
    """A memory as it was said between two times, with the rule that it is; `until` is empty where it still holds."""

    rule: Rule
    since: str
    until: str
    needles: tuple[str, ...]

    def is_known(self, project: str, at: str) -> bool:
        """Whether the rule was there at that time, in sight of that project."""
        in_sight = self.rule.memory.scope in (Scope("global"), Scope("project", project))
        return in_sight and self.since < at and (not self.until or at < self.until)


@dataclass(slots=True)
class _Spoken:
    """One time at which a rule would have spoken; `needed` where something in the session shows that it was."""

    use: RuleUse
    moment: ReplayMoment
    words: frozenset[str]
    needed: bool


class RuleWalk:
    """The memories with a condition, and what each would have done so far."""

    def __init__(self, memories: Sequence[Memory], strongest: str) -> None:
        self._versions = [version for memory in memories for version in _versions(memory)]
        self._strongest = strongest
        self.count = len({(one.rule.memory.scope, one.rule.memory.key) for one in self._versions})
        self._uses: dict[tuple[Scope, str], RuleUse] = {}
        self._spoken: dict[str, list[_Spoken]] = {}
        # What each session was told since its last compaction, and which rules held one of its calls.
        self._told: dict[str, set[_Version]] = {}
        self._held: dict[str, set[tuple[_Version, str]]] = {}

    def calls_in(
        self, session: Session, root: str, events: Sequence[SessionEvent]
    ) -> Iterator[tuple[SessionEvent, RuleCall]]:
        """Yield the calls of a session at which a rule may speak, and where its context was compacted."""
        said: frozenset[str] = frozenset()
        for event in events if self._versions else ():
            if event.role == "human" and (text := speech.typed(event.text)):
                said = words_of(text)
            elif event.role == "summary":
                yield event, RuleCall()
            elif event.role == "tool" and event.tool:
                matched = tuple(self._matched(session, root, event))
                if matched:
                    asked = any(_asks_for(said, what) for _, what, _ in matched)
                    yield event, RuleCall(matched, event.failed, asked)

    def _matched(self, session: Session, root: str, event: SessionEvent) -> Iterator[tuple[int, str, str]]:
        call = None
        # Some agents escape letters; lines that cannot be searched as they are get parsed.
        is_plain = event.input.isascii() and "\\u" not in event.input
        for number, version in enumerate(self._versions):
            if is_plain and version.needles and not any(needle in event.input for needle in version.needles):
                continue
            if call is None:
                error = (event.output or event.text) if event.failed else ""
                folder, branch = event.folder or session.folder, event.branch or session.branch
                call = Call(event.tool, event.input, error, folder, root, branch)
            learned_on = version.rule.memory.branch
            what = conditions.matched(version.rule.condition, call) if learned_on in ("", call.branch) else ""
            if what and call:
                yield number, what, item_of(version.rule.condition, call) if version.rule.does != STRENGTHS[0] else ""

    def take(self, where: tuple[str, int, str], project: str, call: RuleCall, *, counts: bool) -> None:
        """Take a call in the order of time; `where` is session, line and time. What does not count is only told."""
        session, _, at = where
        told, held = self._told.setdefault(session, set()), self._held.setdefault(session, set())
        if not call.matched:
            told.clear()
            return
        agent = session.partition("/")[0]
        adapter = agents.get(agent) if agent in agents.names() else None
        by_strength: dict[str, list[tuple[_Version, str, str]]] = {}
        for number, what, item in call.matched:
            version = self._versions[number]
            if version.is_known(project, at):
                does, _ = strength(version.rule.does, version.rule.memory.trust, self._strongest, adapter)
                # No archive tells whether somebody was there to be asked.
                by_strength.setdefault("hold" if does == "ask" else does, []).append((version, what, item))
        # A rule about several things holds each of them once.
        once = [one for one in by_strength.get("hold", ()) if (one[0], one[2]) not in held]
        stops = by_strength.get("deny") or once
        new = [one for several in by_strength.values() for one in several if one[0] not in told]
        says = sorted(new, key=lambda one: -conditions.weight(one[0].rule.condition))[:MAX_SAID]
        held.update((version, item) for version, _, item in stops)
        told.update(version for version, _, _ in stops or says)
        for version, what, _ in (stops or says) if counts else ():
            self._speaks(version.rule, where, what, call, holds=bool(stops))

    def _speaks(self, rule: Rule, where: tuple[str, int, str], what: str, call: RuleCall, *, holds: bool) -> None:
        memory = rule.memory
        text = one_line(kinds.parts(memory.body)[0], _MAX_TEXT)
        new = RuleUse(memory.key, str(memory.scope), text, str(rule.condition), rule.does)
        use = self._uses.setdefault((memory.scope, memory.key), new)
        said = cut(" ".join(memory.body.split()), MAX_TEXT, CUT)
        stopped = reason("deny" if rule.does == "deny" else "hold", what, said, memory.key, rule.does)
        tokens = tokens_of(stopped if holds else fenced([f"- {said}"]))
        use.held, use.said, use.tokens = use.held + holds, use.said + (not holds), use.tokens + tokens
        did = "held" if holds else "said"
        moment = ReplayMoment(*where, one_line(what, _MAX_CALL), did, memory.key, tokens=tokens)
        needed = not call.asked if holds else call.failed
        self._spoken.setdefault(where[0], []).append(_Spoken(use, moment, words_of(text), needed))

    def corrected(self, session: str, words: frozenset[str]) -> None:
        """Take what the person corrected in a session: what said the same before was needed."""
        for one in self._spoken.get(session, ()):
            one.needed = one.needed or alike(one.words, words)

    def uses(self) -> list[RuleUse]:
        """Return the rules that would have spoken, those that would have done so most often first."""
        for one in (one for several in self._spoken.values() for one in several):
            one.use.in_vain += not one.needed
            one.use.examples.append(replace(one.moment, became="" if one.needed else "in vain"))
        return sorted(self._uses.values(), key=lambda one: -(one.said + one.held))


def _versions(memory: Memory) -> Iterator[_Version]:
    """Yield what a memory said from when to when, where that is a rule. A condition of its own holds for all of it."""
    told = [(one.at, one.text) for one in memory.history]
    told.append((memory.updated if told else memory.created, memory.body))
    for (since, text), (until, _) in zip(told, (*told[1:], ("", "")), strict=True):
        rule = rule_of(replaced(memory, body=text)) if since else None
        if rule is not None:
            yield _Version(rule, since, until, conditions.needles(rule.condition))


def _asks_for(said: frozenset[str], what: str) -> bool:
    """Whether the words of a message ask for a command: they have its sub-command, or its program where it has none."""
    names = [one.name for one in commands.parse(what)] or [what]
    words = [word for word in names[0].split() if word != "run"]
    wanted = words_of(words[-1]) if words else frozenset()
    return bool(wanted) and wanted <= said
