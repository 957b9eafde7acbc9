"""The digest of a session: what stays when its transcript is gone. No model, no input or output.

Events are taken once and in order, so a sweep can store each and hand it on. Memory is bounded whatever the length of
the session, and so is the digest: MAX_BYTES of JSON beside the facts of the session itself.

**Redaction** is the caller's, before an event comes here. `clean` is called once more on every text that is kept,
because what was read out of JSON may have been hidden there by escapes. No two texts are joined into one here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any

from holdfast.base.text import one_line
from holdfast.language.commands import CHECKS
from holdfast.records import Session, SessionEvent, replace
from holdfast.sessions.answer_summary import flat
from holdfast.sessions.conversation import (
    LONGEST_ASK,
    LONGEST_CONCLUSION,
    LONGEST_QUOTE,
    MAX_BETWEEN,
    MAX_CONCLUSIONS,
    MAX_SAID,
    Conversation,
)
from holdfast.sessions.facts import CommandRun, Digest, Said, Trouble, encode
from holdfast.sessions.prices import Prices, dollars
from holdfast.sessions.quotes import headline, names_something
from holdfast.sessions.work import ToolWork, changes_by, outcome_of, weight_of

__all__ = ["MAX_BYTES", "RULES", "Digest", "Digesting", "digest"]

MAX_BYTES = 12_288
RULES = 13
_TITLE = 120
_TEXT = 160
_LONGEST_FACT = 400
_LONGEST_PATH = 4_096
_MAX = {
    **{"files": 30, "checks": 10, "commands": 15, "commits": 15, "pull_requests": 5, "said": MAX_SAID, "troubles": 10},
    **{"folders": 8, "branches": 8, "left": 8, "between": MAX_BETWEEN, "conclusions": MAX_CONCLUSIONS},
}
_MAX_PLACES = 50
# Of commands that change little so many are kept, the last.
_CHANGES_MUCH, _MAX_PLAIN = 2.0, 6
# What goes first where a digest is too long, a quarter at a time.
_SHRINKS = (
    *("commands", "files", "troubles", "said", "checks", "commits", "folders", "branches", "pull_requests"),
    *("left", "between", "conclusions"),
)
# What is said is told in fewer words, down to these letters, before any of it is left out.
_SHORTENED = ("between", "conclusions")
_SHORTEST = 60
# What was said is dearer than what was run, most of all where it cannot be told in fewer words.
_PRICES = {(name, is_long): 0.5 if is_long else 0.25 for name in _SHORTENED for is_long in (True, False)}
_DELIVERED = 1.5
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
        self._talk = Conversation()
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
        if not evidence and not any(one.ended in ("left", "repeated") for one in found["troubles"]):
            evidence = talk.answered(work)
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
            first_ask=self._quote(talk.first, LONGEST_ASK),
            last_ask=self._quote(talk.last, LONGEST_ASK) if talk.last is not talk.first else None,
            conclusion=self._quote(ending["conclusion"], LONGEST_CONCLUSION),
            question=self._quote(ending["question"], LONGEST_QUOTE),
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
        checks, others = self._told_runs()
        plain = [run for run in others if changes_by(run) < _CHANGES_MUCH]
        others = [run for run in others if run not in plain[:-_MAX_PLAIN]]
        return {
            "files": _best(self._work.changed_from(session.folder), "files", lambda one: one.changes),
            "checks": _best(checks, "checks", weight_of),
            "commands": _best(others, "commands", changes_by),
            "commits": list(self._work.commits)[-_MAX["commits"] :],
            "pull_requests": list(self._work.pull_requests.values())[-_MAX["pull_requests"] :],
            "said": self._talk.kept()[: _MAX["said"]],
            "troubles": self._told_troubles()[: _MAX["troubles"]],
            "folders": list(self._places["folders"])[: _MAX["folders"]],
            "branches": list(self._places["branches"])[: _MAX["branches"]],
            "left": self._left()[: _MAX["left"]],
            "between": self._talk.between(),
            "conclusions": self._talk.conclusions,
        }

    def _told_runs(self) -> tuple[list[CommandRun], list[CommandRun]]:
        """Return the checks and the other commands that say something beside what else is told."""
        runs = list(self._work.runs.values())
        known = {run.kind for run in runs if run.result != "unknown"}
        # A check that could not be run says nothing beside one that was.
        checks = [
            run
            for run in runs
            if run.kind in CHECKS and (run.result != "unknown" or run.failed or run.kind not in known)
        ]
        # The error tells more of a failure, and the commit of what was committed.
        told_elsewhere = {("other", "failed")} | ({("commit", "passed")} if self._work.commits else set())
        others = [run for run in runs if run.kind not in CHECKS and (run.kind, run.result) not in told_elsewhere]
        return checks, others

    def _told_troubles(self) -> list[Trouble]:
        """Return the errors that somebody should know of: not that a check was called as there is none."""
        checked = {run.kind for run in self._work.runs.values() if run.result != "unknown"}
        changed = {one.path for one in self._work.files.values()}
        return self._work.troubles.all(changed, checked)

    def _left(self) -> list[str]:
        """Return what its plan still had to do, and what the agent names at the end."""
        return list(dict.fromkeys((*self._work.left(), *self._talk.left())))

    def _counts_left_out(self) -> dict[str, int]:
        checks, others = self._told_runs()
        return {
            "files": len(self._work.files) + self._work.left_out.get("files", 0),
            "checks": len(checks),
            "commands": len(others) + self._work.left_out.get("commands", 0),
            "commits": self._work.commits_made,
            "pull_requests": len(self._work.pull_requests),
            "said": self._talk.said,
            "troubles": len(self._told_troubles()) + self._work.troubles.left_out,
            "left": len(self._left()),
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
        if said and said.kind == "ask":
            said = replace(said, text=flat(said.text))
        return self._cleaned(said, most) if said else None

    def _shown(self, found: Any) -> Any:
        """Return a fact with its texts cleaned once more and cut to what is shown."""
        if isinstance(found, str):
            return one_line(self._clean(found), _LONGEST_FACT)
        if isinstance(found, Said):
            return self._quote(found, LONGEST_CONCLUSION if found.kind == "conclusion" else LONGEST_QUOTE)
        return self._cleaned(found, _TEXT)

    def _cleaned(self, found: Any, most: int) -> Any:
        texts = {name: getattr(found, name) for name in _TEXTS if hasattr(found, name)}
        cleaned = {name: one_line(self._clean(text), most) for name, text in texts.items()}
        return found if cleaned == texts else replace(found, **cleaned)


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
        name = max(_SHRINKS, key=lambda one: sizes[one] * _PRICES.get((one, longests.get(one, 0) > _SHORTEST), 1.0))
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
