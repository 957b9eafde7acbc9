"""Sessions as people read them: their events, and their digests. What was said or run is data.

`facts_of` and `sections_of` say what a digest has, for a page of any form. In Markdown an event stands in a fence that
it cannot close, and no text of a digest can open markup of its own. A web page stands alone: no script, nothing from
the network, every text escaped.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
from collections.abc import Callable, Iterable, Iterator
from html import escape

from holdfast.base.terminal import harmless
from holdfast.base.text import count
from holdfast.records import ROLES, SessionEvent
from holdfast.sessions.facts import ENDINGS, CommandRun, Delivered, Digest, OutcomeEvidence

# How a page shows a text: one that somebody said, and one that is code or a name.
Shown = Callable[[str], str]

_BACKTICKS = re.compile("`+")
_SPAN = re.compile("((?<!`)`[^`]+`(?!`))")
# What opens markup wherever it stands; an underscore or a number sign does so only at the edge of a word or a text.
_MARKUP = str.maketrans({sign: f"\\{sign}" for sign in "\\`*<[]|~"})
_AT_AN_EDGE = re.compile(r"(?<![^\W_])_|_(?![^\W_])|^[#>+=-]|#(?=#*$)|(?<=^\d)[.)](?= )|(?<=^\d\d)[.)](?= )")
_LEFT_OUT = {"between": "asks"}
_ABOUT = {"conclusion": "", "progress": "said while still at work: ", "announced": "announced, no more is told: "}
_TOKENS = ("input", "cache_read", "cache_write", "output", "reasoning")
_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a;"
    "background:#fff}h1{font-size:1.5rem}h2{font-size:1.1rem;margin-top:2rem}h3{font-size:.9rem;color:#555}"
    "dl{display:grid;grid-template-columns:9rem 1fr;gap:.2rem 1rem}dt{color:#555}dd{margin:0;overflow-wrap:anywhere}"
    "li{overflow-wrap:anywhere}pre{white-space:pre-wrap;overflow-wrap:anywhere;background:#f5f5f5;padding:.6rem;"
    "border-left:3px solid #bbb}.human pre,.task pre,.choice pre{border-color:#2563eb}"
    ".assistant pre{border-color:#15803d}"
    ".failed pre{border-color:#b91c1c}@media(prefers-color-scheme:dark){body{color:#e5e5e5;background:#161616}"
    "pre{background:#242424}h3,dt{color:#aaa}}"
)
_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
_POLICY = f"default-src 'none'; style-src 'sha256-{_HASH}'; base-uri 'none'; form-action 'none'"


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
    pieces = [f"# {plain(digest.title) or 'A session without a title'}"]
    pieces.append("\n".join(f"- {name}: {value}" for name, value in facts_of(digest, plain, code)))
    for title, entries in sections_of(digest, plain, code):
        pieces.append("\n".join([f"## {title}\n", *(f"- {entry}" for entry in entries)]))
    return "\n\n".join(pieces) + "\n"


def sections_of(digest: Digest, plain: Shown, code: Shown) -> list[tuple[str, list[str]]]:
    """Return the name and the entries of each section of a digest that has any."""

    def run(one: CommandRun) -> str:
        failed = f", {one.failed} failed" if one.failed else ""
        return f"{one.kind}, {one.result}: {code(one.text)}{_times(one.runs)}{failed}{_at(one)}"

    def made(one: Delivered) -> str:
        name = code(one.id) if one.id else ""
        return f"{f'{name} {plain(one.text)}'.strip() or 'without a subject'}{_at(one)}"

    def speaks(one: OutcomeEvidence) -> str:
        text = f": {plain(one.text)}" if one.text else ""
        return f"{one.name} speaks for {one.speaks_for} ({one.weight:g}){text}{_at(one)}"

    asked = [one for one in (digest.first_ask, *digest.between, digest.last_ask) if one]
    concluded = (*digest.conclusions, digest.conclusion)
    paths = [(os.path.join(one.folder, one.path), one) for one in digest.files]
    troubles = [(f"{code(one.about)}: {plain(one.text)}{_times(one.times)}", one) for one in digest.troubles]
    sections = [
        ("Asked", [f"{plain(one.text)}{_at(one)}" for one in asked]),
        ("Concluded by the agent", [f"{_ABOUT[one.kind]}{plain(one.text)}{_at(one)}" for one in concluded if one]),
        ("Open question", [f"{plain(one.text)}{_at(one)}" for one in (digest.question,) if one]),
        ("Left to do", [plain(one) for one in digest.left]),
        ("Files changed", [f"{code(path)}{_times(one.changes)}{_at(one)}" for path, one in paths]),
        ("Checks", list(map(run, digest.checks))),
        ("Commands", list(map(run, digest.commands))),
        ("Commits", list(map(made, digest.commits))),
        ("Pull requests", list(map(made, digest.pull_requests))),
        ("Said", [f"{one.kind}: {plain(one.text)}{_at(one)}" for one in digest.said]),
        ("Errors", [f"{text}, {ENDINGS[one.ended]}{_at(one)}" for text, one in troubles]),
        ("Evidence", list(map(speaks, digest.outcome.evidence))),
    ]
    return [(title, entries) for title, entries in sections if entries]


def plain(text: str) -> str:
    """Return a text that Markdown shows as it is, on one line; what it has in code stays so."""
    pieces = _SPAN.split(" ".join(text.split()))
    pieces[::2] = [_AT_AN_EDGE.sub(r"\\\g<0>", piece.translate(_MARKUP)) for piece in pieces[::2]]
    return "".join(pieces)


def code(text: str) -> str:
    """Return a text as a span of code, whatever backticks it has."""
    text = " ".join(text.split())
    longest = max((len(run) for run in "".join(one if one == "`" else " " for one in text).split()), default=0)
    fence = "`" * (longest + 1)
    return f"{fence} {text} {fence}" if longest else f"{fence}{text or ' '}{fence}"


def facts_of(digest: Digest, plain: Shown, code: Shown) -> list[tuple[str, str]]:
    """Return the name and the value of each fact about a session that is known."""
    session, outcome = digest.session, digest.outcome
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
        (
            "Left out here",
            ", ".join(f"{number} {plain(_LEFT_OUT.get(name, name))}" for name, number in digest.left_out),
        ),
        ("Transcript", code(session.source) if session.source else ""),
    ]
    return [(name, value) for name, value in facts if value]


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


def _times(number: int) -> str:
    return f", {number} times" if number > 1 else ""


def _at(fact: object) -> str:
    """Return where in the transcript a fact comes from; nothing where the transcript has no lines."""
    line = getattr(fact, "line", 0)
    return f" (line {line})" if line else f" (event {getattr(fact, 'place', 0)})"


def web_page(digest: Digest, events: Iterable[SessionEvent] | None = None) -> Iterator[str]:
    """Yield the page piece by piece: the digest, and the events where they are given."""
    title = _text(digest.title) or "A session without a title"
    yield (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="referrer" content="no-referrer"><meta name="viewport" content="width=device-width">\n'
        f"<title>{title}</title><style>{_STYLE}</style></head>\n<body><h1>{title}</h1>\n"
    )
    rows = "".join(f"<dt>{name}</dt><dd>{_text(value)}</dd>\n" for name, value in facts_of(digest, str, str))
    yield f"<dl>\n{rows}</dl>\n"
    for name, entries in sections_of(digest, str, str):
        listed = "".join(f"<li>{_text(entry)}</li>\n" for entry in entries)
        yield f"<h2>{name}</h2>\n<ul>\n{listed}</ul>\n"
    if events is not None:
        yield "<h2>Events</h2>\n"
        yield from map(_web_event, events)
    yield "</body></html>\n"


def _text(text: str) -> str:
    return escape(harmless(text))


def _web_event(event: SessionEvent) -> str:
    said = "".join(f"<pre>{_text(text)}</pre>\n" for text in (event.text, event.input, event.output) if text.strip())
    kind = (event.role if event.role in ROLES else "other") + (" failed" if event.failed else "")
    return f'<section class="{kind}" id="event-{event.place}"><h3>{escape(heading(event))}</h3>\n{said}</section>\n'
