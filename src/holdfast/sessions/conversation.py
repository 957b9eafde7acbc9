"""What was said in a session: asks, answers, quotes, and how the talk ended.

Only a person's words are quoted or weighed as such; what the agent says tells how it ended, and what it left open.
"""

from __future__ import annotations

from collections import deque

from holdfast.language.choices import chosen
from holdfast.language.sentences import is_briefing
from holdfast.language.tools import Arguments, kind_of, writes_plan
from holdfast.records import SessionEvent, replace
from holdfast.sessions.answer_summary import asked, left_to_do, told
from holdfast.sessions.facts import OutcomeEvidence, Said
from holdfast.sessions.quotes import (
    LONGEST_TIME,
    begins_with,
    declined,
    gist,
    headline,
    is_farewell,
    names_something,
    only_asks,
    promises,
    sayings,
    says_any,
    slash_command,
    without_promises,
)
from holdfast.sessions.work import ToolWork

MAX_SAID, MAX_BETWEEN, MAX_CONCLUSIONS = 16, 40, 12
LONGEST_ASK, LONGEST_QUOTE, LONGEST_CONCLUSION = 600, 240, 1_200
# Of an answer to any ask but the last.
_LONGEST_EARLIER = 800
# A shorter answer that promises something only announces that.
_ANNOUNCEMENT = 400
_MAX_BEFORE = 12_000
# So many answers to an ask are looked at, from the last, for one that tells how far the work had come.
_MAX_LAST = 6
_SAYS_LITTLE = 60
# Calls that belong to what the agent says, and are no work.
_NO_WORK = ("plan", "memory")
_TAIL_OF_FAILURES = 3
# So many asks are looked at for one that names the session.
_MAX_LOOKED_AT = 20
# So much of the end of an answer is asked for its reasons.
_LOOKED_AT = 3_000


class Conversation:
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
        # How the agent ended each ask before the last, and its latest answers to the last.
        self.conclusions: list[Said] = []
        self._concluding: deque[SessionEvent] = deque(maxlen=_MAX_LAST)
        # The agent went on with the work after it said that, or after it wrote its plan.
        self._went_on = self._plan_went_on = False
        # The plan that the agent laid before the person.
        self._plan: Said | None = None
        # What the agent would not do.
        self._declined: OutcomeEvidence | None = None
        self._earliest: list[Said] = []
        self._latest: deque[Said] = deque(maxlen=MAX_SAID // 2)
        self._last_words: Said | None = None
        # How many calls came before the last ask, and before the end of the last one that the agent concluded.
        self._calls_at_last_ask, self._concluded_at = 0, -1
        self._last_answer: SessionEvent | None = None
        self._is_working = self._is_cut_off = False
        # Not every agent writes down what its calls gave back.
        self._tells_results = False
        self._answered = True
        self._interrupted: SessionEvent | None = None
        self._error_answer: SessionEvent | None = None
        # The agent ended its turn, and the transcript has no text of that.
        self._empty_answer: SessionEvent | None = None
        self._before = ""

    def worked(self, event: SessionEvent) -> None:
        """Take note of a tool call: the last ask is being answered."""
        self._answered, self._interrupted, self._error_answer, self._empty_answer = True, None, None, None
        self._is_working, self._is_cut_off = True, self._tells_results and not (event.answered or event.failed)
        if kind_of(event.tool) not in _NO_WORK:
            self._went_on = self._plan_went_on = True
        self._tells_results = self._tells_results or event.answered
        if event.failed and begins_with(event.output, "interrupted"):
            self._interrupted = event
        if writes_plan(event.tool) and (plan := Arguments(event.input).first(("plan",), cut=True)):
            ended = ", which was not accepted" if event.failed else ""
            self._plan = _said("conclusion", f"Wrote the plan: {headline(plan)}{ended}", event)
            self._plan_went_on = False

    def take(self, event: SessionEvent, calls: int) -> None:
        """Take a message; `calls` is how many tool calls came before it."""
        if begins_with(event.text, "interrupted"):
            self._interrupted = event
        elif event.role == "injected" and begins_with(event.text, "broken-turn"):
            self._answered, self._error_answer = True, event
        elif begins_with(event.text, "empty-answer"):
            self._answered, self._is_working, self._empty_answer = True, False, event
        elif event.role == "assistant" and begins_with(event.text, "no-answer"):
            # Written where nobody asked for one: what came before it stands.
            self._answered = True
        elif event.role == "assistant" and event.text.strip():
            self._answer(event)
        elif event.role in ("human", "task") and event.text.strip():
            self._ask(event, calls)
        elif event.role == "choice":
            self._keep(_said("decision", event.text, event))
        elif event.role == "command" and (command := slash_command(event.text)):
            # What the agent makes of it shows whether it was answered; nobody praises or corrects by a command.
            self._asked(_said("ask", command[: 8 * LONGEST_ASK], event), calls)

    def _answer(self, event: SessionEvent) -> None:
        self.answers += 1
        self._before = event.text[-_MAX_BEFORE:]
        self._answered, self._interrupted, self._empty_answer = True, None, None
        self._last_answer, self._is_working = event, False
        self._error_answer = event if begins_with(event.text, "error-answer") else None
        refusal = declined(event.text, " ".join(one.text for one in self._telling[-MAX_SAID:]))
        if refusal:
            self._declined = OutcomeEvidence("declined", "failure", 1.0, refusal, event.place, event.line)
        if self._error_answer is None:
            self._concluding.append(event)
            self._went_on = False

    def _asked(self, kept: Said, calls: int) -> None:
        self.asks += 1
        self.first = self.first or kept
        self.last = kept
        if names_something(kept.text) or len(kept.text.split()) > 1 or kept.text[:1] == "/":
            # The first and the latest that ask something.
            if self._telling and kept.text.startswith(self._telling[-1].text):
                # Said again, or sent before it was all said.
                before = self._telling.pop()
                self.first = kept if self.first is before else self.first
            if len(self._telling) >= MAX_BETWEEN + 2:
                del self._telling[MAX_BETWEEN // 2 + 1]
                self.asks_dropped += 1
            self._telling.append(kept)
        ended = self._conclusion(_LONGEST_EARLIER)
        if ended and ended.kind == "conclusion" and not says_any(ended.text, "admits"):
            self._concluded_at = calls
        if ended and ended.kind != "announced" and names_something(ended.text):
            if len(self.conclusions) >= MAX_CONCLUSIONS:
                del self.conclusions[MAX_CONCLUSIONS // 2]
            self.conclusions.append(ended)
        self._plan = self._empty_answer = None
        self._concluding.clear()
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
        self._asked(_said("ask", text[: 8 * LONGEST_ASK], event), calls)
        self._answered, self._interrupted = False, None
        found = sayings(event) if event.role == "human" else []
        if found_here := chosen(event.text, self._before) if event.role == "human" else "":
            # What an option means only the message before tells.
            found = [one for one in found if one.kind != "decision"]
            found.append(_said("decision", found_here, event))
        if is_first:
            # Before anything was done there is nothing to correct or to praise.
            found = [one for one in found if one.kind == "decision"]
        self._last_words = next((one for one in found if one.kind in ("correction", "praise")), None)
        for one in found:
            # "Let's do that" decides nothing that anybody could read out of it.
            if one.kind == "correction" or (one.kind == "decision" and names_something(one.text)):
                self._keep(one)

    def between(self) -> list[Said]:
        """Return the asks between the first and the last that say something, in order."""
        found = [one for one in self._telling if one is not self.first and one is not self.last]
        return found[-MAX_BETWEEN:]

    def _keep(self, one: Said) -> None:
        self.said += 1
        (self._earliest if len(self._earliest) < MAX_SAID // 2 else self._latest).append(one)

    def kept(self) -> list[Said]:
        """Return the first and the latest quotes, in order."""
        return [*self._earliest, *self._latest]

    def ending(self) -> dict[str, Said | None]:
        """Return what the agent concluded, and the question with which it left the last ask open."""
        event = self._last_answer
        if self._error_answer is not None or (event is None and self._empty_answer is None):
            return {"conclusion": None, "question": None}
        question = _said("question", asked(event.text), event) if event else None
        return {"conclusion": self._conclusion(), "question": question if question and question.text else None}

    def left(self) -> list[str]:
        """Return what the agent says at the end is still to be done."""
        return left_to_do(self._last_answer.text) if self._last_answer else []

    def _conclusion(self, most: int = LONGEST_CONCLUSION) -> Said | None:
        """Return how the agent ended what was asked last, as far as it told.

        What it said before it went on with the work ends nothing: it tells how far it had come.
        """
        event, plan = self._concluding[-1] if self._concluding else None, self._plan
        if plan and (event is None or event.place < plan.place):
            return replace(plan, kind="progress", text=f"{plan.text}, and went to work") if self._plan_went_on else plan
        if event is None:
            empty = self._empty_answer
            return _said("conclusion", "Answered without a text.", empty) if empty else None
        # What a long answer says before it promises something is more than an announcement.
        announces = len(event.text) < _ANNOUNCEMENT and promises(event.text)
        if not self._went_on and not announces:
            text = told(event.text, most)
            return _said("conclusion", text, event) if text else None
        stated = [(one, text) for one in self._concluding if (text := told(without_promises(one.text), LONGEST_QUOTE))]
        if stated:
            # "Tests pass" says little without what was said before it.
            texts = [text for _, text in stated[-2:]]
            return _said("progress", " ".join(texts) if len(texts[-1]) < _SAYS_LITTLE else texts[-1], stated[-1][0])
        return _said("announced", told(event.text, LONGEST_QUOTE), event)

    def evidence(self, work: ToolWork) -> list[OutcomeEvidence]:
        """Return what the end of the talk says about the outcome."""
        refused = self._declined
        # What was not done in the way that was asked, and delivered in another, was not refused.
        stands = refused and not work.delivered_after(refused.place)
        found = [*self._of_words(work), *([refused] if refused and stands else [])]
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
            tail = broken or work.last_failed
            place, line = (tail.place, tail.line) if tail else (0, 0)
            is_told = broken is not None or self._last_answer is None or says_any(self._last_answer.text, "admits")
            text = broken.text[:LONGEST_QUOTE] if broken else ""
            found.append(OutcomeEvidence("error-tail", "failure", 1.5 if is_told else 1.0, text, place, line))
        return found

    def delivered(self, work: ToolWork, weight: float) -> list[OutcomeEvidence]:
        """Return that the agent changed files as it was asked and ended by saying so, with nothing left open.

        Where it is at work on the last ask, what it ended before that is delivered.
        """
        event = self._last_answer
        if self._is_working and self.last and 0 <= work.changed_at <= self._concluded_at:
            return [OutcomeEvidence("delivered", "success", min(weight, 1.0), "", self.last.place, self.last.line)]
        if event is None or self._is_working or self._interrupted or self._error_answer or work.changed_at < 0:
            return []
        told = self.ending()
        is_new = work.changed_at > self._calls_at_last_ask
        is_open = told["question"] or (self._last_words and self._last_words.kind == "correction")
        admits = says_any(event.text, "admits") and not self.explains_failure()
        concluded = told["conclusion"]
        is_told = concluded and concluded.kind == "conclusion" and not admits and not promises(event.text)
        if not is_told or (is_open and not is_new):
            return []
        return [OutcomeEvidence("delivered", "success", weight, "", event.place, event.line)]

    def answered(self, work: ToolWork) -> list[OutcomeEvidence]:
        """Return that the person only asked to be told something, and the agent told it, with nothing left open.

        Where anything was changed, run or refused, or a plan was laid before the person, more than that was wanted.
        """
        event, ending = self._last_answer, self.ending()
        concluded = ending["conclusion"]
        wanted_more = self._plan or work.files or work.runs or work.refused_calls or self.asks_dropped
        if event is None or self._is_working or self._interrupted or wanted_more:
            return []
        is_told = concluded and concluded.kind == "conclusion" and not ending["question"] and not promises(event.text)
        asks = {one.text for one in (*self._telling, self.last) if one}
        if not is_told or says_any(event.text, "gives-up") or not (asks and all(map(only_asks, asks))):
            return []
        return [OutcomeEvidence("answered", "success", 1.5, "", event.place, event.line)]

    def _is_unfinished(self, work: ToolWork) -> bool:
        """Whether the session ends in the middle of what was asked last: in a call, or with a mere promise to do it."""
        done_since = work.last_success() > self._calls_at_last_ask
        worked = work.calls > self._calls_at_last_ask
        only_looked = self._tells_results and not work.files and not work.runs
        if self._is_working:
            # A call that was never answered ends it, or nothing came of any since.
            return self._is_cut_off or only_looked or (work.last_success() >= 0 and not done_since)
        told = self._last_answer.text if self._last_answer else ""
        if worked:
            return only_looked and len(told) < _ANNOUNCEMENT and promises(told)
        return work.last_success() >= 0 and promises(told)

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


def _said(kind: str, text: str, event: SessionEvent) -> Said:
    return Said(kind, text, event.at[:LONGEST_TIME], event.place, event.line)
