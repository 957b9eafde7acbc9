"""Sessions as readable Markdown: their events, and their digests. What was said or run is data.

An event stands in a fence that it cannot close, and no text of a digest can open markup of its own.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator

from holdfast.base.terminal import harmless
from holdfast.base.text import count
from holdfast.records import SessionEvent
from holdfast.sessions.facts import CommandRun, Delivered, Digest, FileChange, OutcomeEvidence

_BACKTICKS = re.compile("`+")
# What opens markup wherever it stands; an underscore or a number sign does so only at the edge of a word or a text.
_MARKUP = str.maketrans({sign: f"\\{sign}" for sign in "\\`*<[]|~"})
_AT_AN_EDGE = re.compile(r"(?<![^\W_])_|_(?![^\W_])|^[#>+=-]|#(?=#*$)|(?<=^\d)[.)](?= )|(?<=^\d\d)[.)](?= )")
_ENDED = {"fixed": "fixed", "repeated": "came again, not fixed", "left": "left as it was"}
_TOKENS = ("input", "cache_read", "cache_write", "output", "reasoning")


def markdown_of(events: Iterable[SessionEvent]) -> Iterator[str]:
    """Yield each event as a heading and what it says."""
    for event in events:
        parts = [f"## {heading(event)}"]
        parts += [fenced(text) for text in (event.text, event.input, event.output) if text.strip()]
        yield "\n\n".join(parts) + "\n\n"


def heading(event: SessionEvent) -> str:
    """Return the line that names an event: its place, who speaks, the tool, the time."""
    facts = [
        *(str(event.place), event.role, event.tool, "failed" if event.failed else "", event.at),
        f"{event.milliseconds / 1000:.1f} s" if event.milliseconds else "",
        f"line {event.line}" if event.line else "",
    ]
    return " · ".join(harmless(" ".join(fact.split())) for fact in facts if fact)


def fenced(text: str) -> str:
    """Return a text as a block of code that no backtick in it can end."""
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{harmless(text).strip(chr(10))}\n{fence}"


def digest_page(digest: Digest) -> str:
    """Return the digest as a page: a title, the facts, and a section for each thing that there is."""
    sections = [
        f"# {plain(digest.title) or 'A session without a title'}",
        _listed(_facts(digest)),
        _section("Asked", [f"{plain(one.text)}{_at(one)}" for one in (digest.first_ask, digest.last_ask) if one]),
        _section("Files changed", map(_changed, digest.files)),
        _section("Checks", map(_run, digest.checks)),
        _section("Commands", map(_run, digest.commands)),
        _section("Commits", map(_made, digest.commits)),
        _section("Pull requests", map(_made, digest.pull_requests)),
        _section("Said", [f"{one.kind}: {plain(one.text)}{_at(one)}" for one in digest.said]),
        _section(
            "Errors",
            [
                f"{code(one.about)}: {plain(one.text)}{_times(one.times)}, {_ENDED[one.ended]}{_at(one)}"
                for one in digest.troubles
            ],
        ),
        _section("OutcomeEvidence", [_speaks(one) for one in digest.outcome.evidence]),
    ]
    return "\n\n".join(section for section in sections if section) + "\n"


def plain(text: str) -> str:
    """Return a text that Markdown shows as it is, on one line."""
    return _AT_AN_EDGE.sub(r"\\\g<0>", " ".join(text.split()).translate(_MARKUP))


def code(text: str) -> str:
    """Return a text as a span of code, whatever backticks it has."""
    text = " ".join(text.split())
    longest = max((len(run) for run in "".join(one if one == "`" else " " for one in text).split()), default=0)
    fence = "`" * (longest + 1)
    return f"{fence} {text} {fence}" if longest else f"{fence}{text or ' '}{fence}"


def _facts(digest: Digest) -> list[str]:
    session = digest.session
    outcome = digest.outcome
    facts = [
        ("Outcome", f"{outcome.kind} ({outcome.confidence:.0%} sure)" if outcome.evidence else outcome.kind),
        ("Agent", plain(f"{session.agent} {session.version}")),
        ("Session", code(session.id) if session.id else ""),
        ("Belongs to", code(session.parent) if session.parent else ""),
        ("Project", plain(session.project)),
        ("Folders", ", ".join(map(code, digest.folders or ((session.folder,) if session.folder else ())))),
        ("Branches", ", ".join(map(code, digest.branches or ((session.branch,) if session.branch else ())))),
        ("Time", plain(f"{session.started} to {session.ended}") if session.started or session.ended else ""),
        ("Models", ", ".join(map(plain, session.models))),
        ("Talk", f"{count(digest.asks, 'ask')}, {count(digest.answers, 'answer')}"),
        ("Tools", _tools(digest)),
        ("Cost", _cost(digest)),
        ("Pushes", str(digest.pushes) if digest.pushes else ""),
        ("Left out here", ", ".join(f"{number} {plain(name)}" for name, number in digest.left_out)),
        ("Transcript", code(session.source) if session.source else ""),
    ]
    return [f"{name}: {value}" for name, value in facts if value]


def _tools(digest: Digest) -> str:
    if not digest.calls:
        return ""
    kinds = ", ".join(f"{number} {kind}" for kind, number in digest.tools)
    return f"{count(digest.calls, 'call')} ({kinds}), {digest.failed_calls} failed, {digest.refused_calls} refused"


def _cost(digest: Digest) -> str:
    counts = [(name.replace("_", " "), getattr(digest.session.cost, name)) for name in _TOKENS]
    tokens = ", ".join(f"{number:,} {name}" for name, number in counts if number)
    amount = f"${digest.dollars:,.2f}" if digest.dollars_from else ""
    amount += " by the table of prices" if digest.dollars_from == "prices" else ""
    return "; ".join(part for part in (amount, tokens and f"tokens: {tokens}") if part)


def _speaks(one: OutcomeEvidence) -> str:
    text = f": {plain(one.text)}" if one.text else ""
    return f"{one.name} speaks for {one.speaks_for} ({one.weight:g}){text}{_at(one)}"


def _changed(one: FileChange) -> str:
    return f"{code(os.path.join(one.folder, one.path))}{_times(one.changes)}{_at(one)}"


def _run(run: CommandRun) -> str:
    failed = f", {run.failed} failed" if run.failed else ""
    return f"{run.kind}, {run.result}: {code(run.text)}{_times(run.runs)}{failed}{_at(run)}"


def _made(made: Delivered) -> str:
    name = code(made.id) if made.id else ""
    return f"{f'{name} {plain(made.text)}'.strip() or 'without a subject'}{_at(made)}"


def _times(number: int) -> str:
    return f", {number} times" if number > 1 else ""


def _at(fact: object) -> str:
    """Return where in the transcript a fact comes from; nothing where the transcript has no lines."""
    line = getattr(fact, "line", 0)
    return f" (line {line})" if line else f" (event {getattr(fact, 'place', 0)})"


def _section(title: str, entries: Iterable[str]) -> str:
    listed = _listed(entries)
    return f"## {title}\n\n{listed}" if listed else ""


def _listed(entries: Iterable[str]) -> str:
    return "\n".join(f"- {entry}" for entry in entries)
