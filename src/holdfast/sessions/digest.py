"""The digest of a session: what stays when its transcript is gone. No model, no input or output.

Events are taken once and in order, so a sweep can store each and hand it on. Memory is bounded whatever the length of
the session, and so is the digest: MAX_BYTES of JSON beside the facts of the session itself.

**Redaction** is the caller's, before an event comes here. `clean` is called once more on every text that is kept,
because what was read out of JSON may have been hidden there by escapes. No two texts are joined into one here.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any

from holdfast.base.text import one_line
from holdfast.language.choices import chosen
from holdfast.language.commands import CHECKS
from holdfast.language.sentences import is_briefing
from holdfast.records import Session, SessionEvent, replace
from holdfast.sessions.facts import Digest, OutcomeEvidence, Said, encode
from holdfast.sessions.prices import Prices, dollars
from holdfast.sessions.said import (
    LONGEST_TIME,
    begins_with,
    concluded,
    declined,
    gist,
    headline,
    is_farewell,
    names_something,
    promises,
    sayings,
    says_any,
    slash_command,
)
from holdfast.sessions.work import ToolWork, changes_by, outcome_of, weight_of

__all__ = ["MAX_BYTES", "RULES", "Digest", "Digesting", "digest"]

MAX_BYTES = 8_192
RULES = 8
_TITLE = 120
_ASK = 600
_QUOTE = 240
_CONCLUSION = 400
_TEXT = 160
_LONGEST_FACT = 400
_MAX_BEFORE = 12_000
_LONGEST_PATH = 4_096
_MAX = {
    **{"files": 30, "checks": 10, "commands": 15, "commits": 15, "pull_requests": 5, "said": 16, "troubles": 10},
    **{"folders": 8, "branches": 8, "left": 8, "between": 40, "conclusions": 12},
}
_MAX_PLACES = 50
# What goes first where a digest is too long, a quarter at a time.
_SHRINKS = (
    "commands",
    "files",
    "troubles",
    "said",
    "checks",
    "commits",
    "folders",
    "branches",
    "pull_requests",
    "left",
    "between",
    "conclusions",
)
# What is said is told in fewer words, down to these letters, before any of it is left out.
_SHORTENED = ("between", "conclusions")
_SHORTEST = 60
_TAIL_OF_FAILURES = 3
_DELIVERED = 1.5
# So many asks are looked at for one that names the session.
_MAX_LOOKED_AT = 20
# So much of the end of an answer is asked for its reasons.
_LOOKED_AT = 3_000
_OWN = tuple(name for name in Digest.__match_args__ if name != "session")
# The fields of facts that are somebody's words.
_TEXTS = ("text", "path", "about", "folder")


def digest(
    session: Session,
    events: Iterable[SessionEvent],
    prices: Prices | None = None,
    clean: Callable[[str], str] = str,
) -> Digest:
    """Return the digest of a session out of all its events, in order."""
    digesting = Digesting(clean)
    for event in events:
        digesting.take(event)
    return digesting.done(session, prices)


class Digesting:
    """A digest in the making: `take` each event in order, then `done` with the session."""

    def __init__(
        self, clean: Callable[[str], str] = str, harmless: Callable[[list[str]], set[str]] | None = None
    ) -> None:
        self._clean_one = clean
        self._harmless = harmless
        self._trusted: set[str] = set()
        self._work = ToolWork()
        self._talk = _Talk()
        self._places: dict[str, dict[str, None]] = {"folders": {}, "branches": {}}
        self._last_place = ("", "")
        self._models: dict[str, int] = {}
        self._compactions = 0

    def take(self, event: SessionEvent) -> None:
        """Take one event."""
        if event.folder != self._last_place[0] or event.branch != self._last_place[1]:
            self._last_place = (event.folder, event.branch)
            for name, value in (("folders", event.folder), ("branches", event.branch)):
                if value and len(self._places[name]) < _MAX_PLACES:
                    self._places[name].setdefault(value[:_LONGEST_PATH])
        model = event.model[:_TEXT]
        if model and (model in self._models or len(self._models) < _MAX_PLACES):
            self._models[model] = self._models.get(model, 0) + 1
        role = event.role
        if role == "tool":
            self._work.take(event)
            self._talk.worked(event)
        elif role == "summary":
            self._compactions += 1
        elif role != "ours":
            self._talk.take(event, self._work.calls)

    def done(self, session: Session, prices: Prices | None = None) -> Digest:
        """Return the digest; the session is complete now that all its events were taken."""
        work, talk = self._work, self._talk
        work.finish()
        models = self._models or dict.fromkeys(session.models, 1)
        amount, source = dollars(session.cost, models, prices, session.spends)
        found = self._lists(session)
        ending = talk.ending()
        evidence = [*work.evidence(in_doubt=talk.explains_failure()), *talk.evidence(work)]
        # The agent's word adds what is missing; where a check or a commit tells how it ended, nobody needs it.
        good, bad = (sum(one.weight for one in evidence if one.speaks_for == side) for side in ("success", "failure"))
        if good < _DELIVERED and bad < _DELIVERED:
            evidence += talk.delivered(work, _DELIVERED - good)
        if self._harmless is not None:
            # Tells at once which of the texts that are kept need no cleaning.
            facts = [*evidence, talk.first, talk.last, *ending.values(), *chain.from_iterable(found.values())]
            texts = [one for one in facts if isinstance(one, str)]
            texts += [getattr(one, name) for one in facts for name in _TEXTS if hasattr(one, name)]
            self._trusted = self._harmless([*texts, self._title_text(session), session.title[: 8 * _TITLE]])
        lists: dict[str, Any] = {name: tuple(self._shown(one) for one in listed) for name, listed in found.items()}
        made = Digest(
            session=_bounded(session, self._clean),
            title=one_line(self._clean(self._title_text(session)), _TITLE),
            first_ask=self._quote(talk.first, _ASK),
            last_ask=self._quote(talk.last, _QUOTE) if talk.last is not talk.first else None,
            conclusion=self._quote(ending["conclusion"], _CONCLUSION),
            question=self._quote(ending["question"], _QUOTE),
            outcome=outcome_of([self._cleaned(one, _TEXT) for one in evidence]),
            asks=talk.asks,
            answers=talk.answers,
            compactions=self._compactions,
            calls=work.calls,
            failed_calls=work.failed_calls,
            refused_calls=work.refused_calls,
            tools=tuple(sorted(work.kinds.items(), key=lambda one: (-one[1], one[0]))),
            pushes=work.pushes,
            dollars=amount,
            dollars_from=source,
            rules=RULES,
            **lists,
        )
        return _within(made, self._counts_left_out())

    def _clean(self, text: str) -> str:
        return text if text in self._trusted else self._clean_one(text)

    def _lists(self, session: Session) -> dict[str, Sequence[Any]]:
        """Return every list of the digest within its bound, the most telling first kept, then in order."""
        runs = list(self._work.runs.values())
        checks = [run for run in runs if run.kind in CHECKS]
        others = [run for run in runs if run.kind not in CHECKS]
        return {
            "files": _best(self._work.changed_from(session.folder), "files", lambda one: one.changes),
            "checks": _best(checks, "checks", weight_of),
            "commands": _best(others, "commands", changes_by),
            "commits": list(self._work.commits)[-_MAX["commits"] :],
            "pull_requests": list(self._work.pull_requests.values())[-_MAX["pull_requests"] :],
            "said": self._talk.kept()[: _MAX["said"]],
            "troubles": self._work.troubles.all()[: _MAX["troubles"]],
            "folders": list(self._places["folders"])[: _MAX["folders"]],
            "branches": list(self._places["branches"])[: _MAX["branches"]],
            "left": self._work.left()[: _MAX["left"]],
            "between": self._talk.between(),
            "conclusions": self._talk.conclusions,
        }

    def _counts_left_out(self) -> dict[str, int]:
        runs = [run.kind in CHECKS for run in self._work.runs.values()]
        return {
            "files": len(self._work.files) + self._work.left_out.get("files", 0),
            "checks": sum(runs),
            "commands": len(runs) - sum(runs) + self._work.left_out.get("commands", 0),
            "commits": self._work.commits_made,
            "pull_requests": len(self._work.pull_requests),
            "said": self._talk.said,
            "troubles": len(self._work.troubles.all()) + self._work.troubles.left_out,
            "left": len(self._work.left()),
            "between": len(self._talk.between()) + self._talk.asks_dropped,
            **{name: len(found) for name, found in self._places.items()},
        }

    def _title_text(self, session: Session) -> str:
        """Return what names the session: its own title, the first ask that says something, a commit or a command."""
        talk, work = self._talk, self._work
        asked = headline(talk.named.text) if talk.named else ""
        ran = max(work.runs.values(), key=weight_of).text if work.runs else ""
        titles = [session.title, *[one.text for one in work.commits][:1], ran]
        if talk.is_briefed:
            # What an agent calls it is the same for all that the program has its agent do.
            titles, asked = [*titles[1:-1], asked if talk.has_task else "", session.title, ran], ""
        naming = [one for one in titles if names_something(one, is_title=True)]
        if asked and (session.title not in naming) and (names_something(asked) or not naming):
            return asked[: 8 * _TITLE]
        concluded_by = talk.ending()["conclusion"]
        said = session.title or asked or (headline(concluded_by.text.replace("**", "")) if concluded_by else "")
        return next(iter(naming), said)[: 8 * _TITLE]

    def _quote(self, said: Said | None, most: int) -> Said | None:
        return self._cleaned(said, most) if said else None

    def _shown(self, found: Any) -> Any:
        """Return a fact with its texts cleaned once more and cut to what is shown."""
        if isinstance(found, str):
            return one_line(self._clean(found), _LONGEST_FACT)
        return self._cleaned(found, _QUOTE if isinstance(found, Said) else _TEXT)

    def _cleaned(self, found: Any, most: int) -> Any:
        texts = {name: getattr(found, name) for name in _TEXTS if hasattr(found, name)}
        cleaned = {name: one_line(self._clean(text), most) for name, text in texts.items()}
        return found if cleaned == texts else replace(found, **cleaned)


class _Talk:
    """What was said: asks, answers, quotes, and how the talk ended. Only a person's words are quoted or weighed."""

    def __init__(self) -> None:
        self.asks = 0
        self.answers = 0
        self.said = 0
        self.first: Said | None = None
        # The first ask that says what it is about: it names the session.
        self.named: Said | None = None
        self._is_named = False
        self.last: Said | None = None
        # The first ask was a program's briefing, and named a task.
        self.is_briefed = self.has_task = False
        self._telling: list[Said] = []
        self.asks_dropped = 0
        # How the agent ended each ask before the last, and what of its answers to the last ends that so far.
        self.conclusions: list[Said] = []
        self._concluded: Said | None = None
        # What the agent would not do.
        self._declined: OutcomeEvidence | None = None
        self._earliest: list[Said] = []
        self._latest: deque[Said] = deque(maxlen=_MAX["said"] // 2)
        self._last_words: Said | None = None
        self._calls_at_last_ask = 0
        self._last_answer: SessionEvent | None = None
        self._is_working = self._is_cut_off = False
        # Not every agent writes down what its calls gave back.
        self._tells_results = False
        self._answered = True
        self._interrupted: SessionEvent | None = None
        self._error_answer: SessionEvent | None = None
        self._before = ""

    def worked(self, event: SessionEvent) -> None:
        """Take note of a tool call: the last ask is being answered."""
        self._answered, self._interrupted, self._error_answer = True, None, None
        self._is_working, self._is_cut_off = True, self._tells_results and not (event.answered or event.failed)
        self._tells_results = self._tells_results or event.answered
        if event.failed and begins_with(event.output, "interrupted"):
            self._interrupted = event

    def take(self, event: SessionEvent, calls: int) -> None:
        """Take a message; `calls` is how many tool calls came before it."""
        if begins_with(event.text, "interrupted"):
            self._interrupted = event
        elif event.role == "injected" and begins_with(event.text, "broken-turn"):
            self._answered, self._error_answer = True, event
        elif event.role == "assistant" and event.text.strip():
            self.answers += 1
            self._before = event.text[-_MAX_BEFORE:]
            self._answered, self._interrupted = True, None
            self._last_answer, self._is_working = event, False
            self._error_answer = event if begins_with(event.text, "error-answer") else None
            # What a long answer says before it promises something is more than an announcement.
            announces = len(event.text) < _CONCLUSION and promises(event.text)
            says_nothing = self._error_answer or announces or begins_with(event.text, "no-answer")
            text = "" if says_nothing else concluded(event.text)[0]
            refusal = declined(event.text, " ".join(one.text for one in self._telling[-_MAX["said"] :]))
            if refusal:
                self._declined = OutcomeEvidence("declined", "failure", 1.0, refusal, event.place, event.line)
            if text:
                self._concluded = Said("conclusion", text, event.at[:LONGEST_TIME], event.place, event.line)
        elif event.role in ("human", "task") and event.text.strip():
            self._ask(event, calls)
        elif event.role == "choice":
            self._keep(Said("decision", event.text, event.at[:LONGEST_TIME], event.place, event.line))
        elif event.role == "command" and (command := slash_command(event.text)):
            # What the agent makes of it shows whether it was answered; nobody praises or corrects by a command.
            self._asked(Said("ask", command[: 8 * _ASK], event.at[:LONGEST_TIME], event.place, event.line), calls)

    def _asked(self, kept: Said, calls: int) -> None:
        self.asks += 1
        self.first = self.first or kept
        self.last = kept
        if names_something(kept.text) or len(kept.text.split()) > 1 or kept.text[:1] == "/":
            # The first and the latest that ask something.
            if len(self._telling) >= _MAX["between"] + 2:
                del self._telling[_MAX["between"] // 2 + 1]
                self.asks_dropped += 1
            self._telling.append(kept)
        if self._concluded and names_something(self._concluded.text):
            if len(self.conclusions) >= _MAX["conclusions"]:
                del self.conclusions[_MAX["conclusions"] // 2]
            self.conclusions.append(self._concluded)
        self._concluded = None
        if not self._is_named and self.asks <= _MAX_LOOKED_AT:
            self._is_named = names_something(headline(kept.text))
            self.named = kept if self._is_named else self.named or kept
        self._last_answer, self._is_working, self._last_words = None, False, None
        self._calls_at_last_ask = calls

    def _ask(self, event: SessionEvent, calls: int) -> None:
        is_first = self.first is None
        text = gist(event.text)
        if is_first:
            self.is_briefed = is_briefing(event.text)
            self.has_task = self.is_briefed and text != event.text
        self._asked(Said("ask", text[: 8 * _ASK], event.at[:LONGEST_TIME], event.place, event.line), calls)
        self._answered, self._interrupted = False, None
        found = sayings(event) if event.role == "human" else []
        if found_here := chosen(event.text, self._before) if event.role == "human" else "":
            # What an option means only the message before tells.
            found = [one for one in found if one.kind != "decision"]
            found.append(Said("decision", found_here, event.at[:LONGEST_TIME], event.place, event.line))
        if is_first:
            # Before anything was done there is nothing to correct or to praise.
            found = [one for one in found if one.kind == "decision"]
        self._last_words = next((one for one in found if one.kind in ("correction", "praise")), None)
        for one in found:
            if one.kind != "praise":
                self._keep(one)

    def between(self) -> list[Said]:
        """Return the asks between the first and the last that say something, in order."""
        found = [one for one in self._telling if one is not self.first and one is not self.last]
        return found[-_MAX["between"] :]

    def _keep(self, one: Said) -> None:
        self.said += 1
        (self._earliest if len(self._earliest) < _MAX["said"] // 2 else self._latest).append(one)

    def kept(self) -> list[Said]:
        """Return the first and the latest quotes, in order."""
        return [*self._earliest, *self._latest]

    def ending(self) -> dict[str, Said | None]:
        """Return what the agent concluded, and the question with which it left the last ask open."""
        event = self._last_answer
        if event is None or self._error_answer is not None:
            return {"conclusion": None, "question": None}
        asked = concluded(event.text)[1]
        question = Said("question", asked, event.at[:LONGEST_TIME], event.place, event.line) if asked else None
        return {"conclusion": self._concluded, "question": question}

    def evidence(self, work: ToolWork) -> list[OutcomeEvidence]:
        """Return what the end of the talk says about the outcome."""
        found = [*self._of_words(work), *filter(None, [self._declined])]
        words, last = self._last_words, self.last
        if self._interrupted:
            event = self._interrupted
            found.append(OutcomeEvidence("interrupted", "abandoned", 2.0, "", event.place, event.line))
        elif not self._answered and last and not words and not is_farewell(last.text):
            found.append(OutcomeEvidence("unanswered", "abandoned", 2.0, last.text, last.place, last.line))
        elif last and self._is_unfinished(work):
            # What was done before is done; of what was asked last nobody knows.
            weight = 1.0 if work.last_success() >= 0 or work.files else 2.0
            found.append(OutcomeEvidence("unfinished", "abandoned", weight, last.text, last.place, last.line))
        broken = self._error_answer
        if broken or work.failed_in_a_row >= _TAIL_OF_FAILURES:
            place, line = (broken.place, broken.line) if broken else (0, 0)
            is_told = broken is not None or self._last_answer is None or says_any(self._last_answer.text, "admits")
            text = broken.text[:_QUOTE] if broken else ""
            found.append(OutcomeEvidence("error-tail", "failure", 1.5 if is_told else 1.0, text, place, line))
        return found

    def delivered(self, work: ToolWork, weight: float) -> list[OutcomeEvidence]:
        """Return that the agent changed files as it was asked and ended by saying so, with nothing left open."""
        event = self._last_answer
        if event is None or self._is_working or self._interrupted or self._error_answer or work.changed_at < 0:
            return []
        told = self.ending()
        is_new = work.changed_at > self._calls_at_last_ask
        is_open = told["question"] or (self._last_words and self._last_words.kind == "correction")
        admits = says_any(event.text, "admits") and not self.explains_failure()
        is_told = told["conclusion"] and not admits and not promises(event.text)
        if not is_told or (is_open and not is_new):
            return []
        return [OutcomeEvidence("delivered", "success", weight, "", event.place, event.line)]

    def _is_unfinished(self, work: ToolWork) -> bool:
        """Whether the session ends in the middle of what was asked last: in a call, or with a mere promise to do it."""
        done_since = work.last_success() > self._calls_at_last_ask
        worked = work.calls > self._calls_at_last_ask
        if self._is_working:
            # A call that was never answered ends it, or nothing came of any since.
            only_looked = self._tells_results and not work.files and not work.runs
            return self._is_cut_off or only_looked or (work.last_success() >= 0 and not done_since)
        told = self._last_answer.text if self._last_answer else ""
        return work.last_success() >= 0 and not worked and promises(told)

    def _of_words(self, work: ToolWork) -> list[OutcomeEvidence]:
        """Return what the person's last words say: praise before more work is about what came before it."""
        words, worked = self._last_words, work.calls > self._calls_at_last_ask
        if words is None or (words.kind == "correction" and work.last_success() > self._calls_at_last_ask):
            return []
        if words.kind == "praise":
            return [OutcomeEvidence("praise", "success", 1.0 if worked else 2.0, words.text, words.place, words.line)]
        weight = 2.0 if not self._answered else 1.0
        return [OutcomeEvidence("correction", "failure", weight, words.text, words.place, words.line)]

    def explains_failure(self) -> bool:
        """Whether the agent says at the end that what fails is not of its making: then that is in doubt."""
        return self._last_answer is not None and says_any(self._last_answer.text[-_LOOKED_AT:], "explains")


def _best(found: list[Any], name: str, weight: Callable[[Any], float], most: int = 1_000) -> list[Any]:
    """Return the weightiest, within the bound of their list, in the order in which they came."""
    weights = [weight(one) for one in found]
    kept = sorted(range(len(found)), key=lambda at: (-weights[at], -at))[: min(_MAX[name], most)]
    return [found[at] for at in sorted(kept)]


def _bounded(session: Session, clean: Callable[[str], str]) -> Session:
    """Return the facts of a session, each within its bound; its source stays a path that can be opened."""
    names = ("agent", "id", "folder", "project", "branch", "started", "ended", "parent", "version", "beginning")
    return replace(
        session,
        **{name: getattr(session, name)[:_LONGEST_FACT] for name in names},
        title=one_line(clean(session.title[: 8 * _TITLE]), _TITLE),
        models=tuple(model[:_TEXT] for model in session.models[:8]),
        source=session.source[:_LONGEST_PATH],
    )


def size_of(made: Digest) -> int:
    """Return the bytes of a digest as JSON, without the facts of its session."""
    return len(encode({name: getattr(made, name) for name in _OWN}))


def _within(made: Digest, all_of: dict[str, int]) -> Digest:
    """Return the digest within MAX_BYTES, with how many of each list are not in it."""
    made = _counted(made, all_of)
    while size_of(made) > MAX_BYTES:
        sizes = {one: len(str(getattr(made, one))) for one in _SHRINKS}
        # Asks that cannot be told in fewer words go last.
        longests = {one: max((len(said.text) for said in getattr(made, one)), default=0) for one in _SHORTENED}
        name = max(_SHRINKS, key=lambda one: sizes[one] / (1 if longests.get(one, _ASK) > _SHORTEST else 4))
        listed, longest = getattr(made, name), longests.get(name, 0)
        if longest > _SHORTEST:
            most = max(longest * 3 // 4, _SHORTEST)
            shorter: Any = tuple(replace(one, text=one_line(one.text, most)) for one in listed)
            made = replace(made, **{name: shorter})
        elif listed:
            made = _counted(replace(made, **{name: _fewer(name, listed)}), all_of)
        elif made.outcome.evidence:
            made = replace(made, outcome=replace(made.outcome, evidence=made.outcome.evidence[:-1]))
        else:
            break
    return made


def _fewer(name: str, listed: tuple[Any, ...]) -> Any:
    """Return three quarters of a list: what changed most, the latest of what was made, the first of all else."""
    count = len(listed) * 3 // 4
    weights = {"commands": changes_by, "checks": weight_of, "files": lambda one: one.changes}
    if name in weights:
        return tuple(_best(list(listed), name, weights[name], count))
    return listed[len(listed) - count :] if name in ("commits", "pull_requests") else listed[:count]


def _counted(made: Digest, all_of: dict[str, int]) -> Digest:
    missing = ((name, count - len(getattr(made, name))) for name, count in all_of.items())
    left_out = tuple((name, count) for name, count in missing if count > 0)
    return replace(made, left_out=left_out) if left_out != made.left_out else made
