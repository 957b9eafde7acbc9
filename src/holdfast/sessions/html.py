"""A session as one web page that stands alone: no script, nothing from the network, every text escaped."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator
from html import escape

from holdfast.base.terminal import harmless
from holdfast.records import ROLES, SessionEvent
from holdfast.sessions.facts import Digest
from holdfast.sessions.transcript import heading

_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a;"
    "background:#fff}h1{font-size:1.5rem}h2{font-size:1.1rem;margin-top:2rem}h3{font-size:.9rem;color:#555}"
    "dl{display:grid;grid-template-columns:9rem 1fr;gap:.2rem 1rem}dt{color:#555}dd{margin:0;overflow-wrap:anywhere}"
    "li{overflow-wrap:anywhere}pre{white-space:pre-wrap;overflow-wrap:anywhere;background:#f5f5f5;padding:.6rem;"
    "border-left:3px solid #bbb}.human pre,.task pre{border-color:#2563eb}.assistant pre{border-color:#15803d}"
    ".failed pre{border-color:#b91c1c}@media(prefers-color-scheme:dark){body{color:#e5e5e5;background:#161616}"
    "pre{background:#242424}h3,dt{color:#aaa}}"
)
_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
_POLICY = f"default-src 'none'; style-src 'sha256-{_HASH}'; base-uri 'none'; form-action 'none'"
_TOKENS = ("input", "output", "cache_read", "cache_write", "reasoning")


def page(digest: Digest, events: Iterable[SessionEvent] | None = None) -> Iterator[str]:
    """Yield the page piece by piece: the digest, and the events where they are given."""
    title = _text(digest.title) or "A session without a title"
    yield (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="referrer" content="no-referrer"><meta name="viewport" content="width=device-width">\n'
        f"<title>{title}</title><style>{_STYLE}</style></head>\n<body><h1>{title}</h1>\n"
    )
    yield _facts(digest)
    for name, entries in _sections(digest):
        listed = "".join(f"<li>{_text(entry)}</li>\n" for entry in entries if entry)
        if listed:
            yield f"<h2>{name}</h2>\n<ul>\n{listed}</ul>\n"
    if events is not None:
        yield "<h2>Events</h2>\n"
        yield from map(_event, events)
    yield "</body></html>\n"


def _text(text: str) -> str:
    return escape(harmless(text))


def _facts(digest: Digest) -> str:
    session = digest.session
    tokens = [(name.replace("_", " "), getattr(session.cost, name)) for name in _TOKENS]
    estimate = " (an estimate)" if digest.dollars_from == "prices" else ""
    facts = {
        "Outcome": f"{digest.outcome.kind} ({digest.outcome.confidence:.0%} sure)",
        "Session": session.name,
        "Project": session.project,
        "Folders": ", ".join(digest.folders or ((session.folder,) if session.folder else ())),
        "Branches": ", ".join(digest.branches or ((session.branch,) if session.branch else ())),
        "Time": f"{session.started} to {session.ended}",
        "Models": ", ".join(session.models),
        "Tools": f"{digest.calls} calls, {digest.failed_calls} failed" if digest.calls else "",
        "Tokens": ", ".join(f"{count:,} {name}" for name, count in tokens if count),
        "Cost": f"${digest.dollars:,.2f}{estimate}" if digest.dollars_from else "",
    }
    rows = "".join(f"<dt>{name}</dt><dd>{_text(value)}</dd>\n" for name, value in facts.items() if value)
    return f"<dl>\n{rows}</dl>\n"


def _sections(digest: Digest) -> Iterator[tuple[str, list[str]]]:
    yield "Asked", [one.text for one in (digest.first_ask, digest.last_ask) if one]
    yield "Files changed", [f"{one.path} ({one.changes})" for one in digest.files]
    yield "Checks", [f"{one.kind}, {one.result}: {one.text}" for one in digest.checks]
    yield "Commands", [f"{one.kind}, {one.result}: {one.text}" for one in digest.commands]
    yield "Commits", [f"{one.id} {one.text}".strip() for one in digest.commits]
    yield "Pull requests", [one.text for one in digest.pull_requests]
    yield "Said", [f"{one.kind}: {one.text}" for one in digest.said]
    yield "Errors", [f"{one.about}: {one.text} ({one.ended})" for one in digest.troubles]
    yield "Evidence", [f"{one.name} speaks for {one.speaks_for} {one.text}".strip() for one in digest.outcome.evidence]


def _event(event: SessionEvent) -> str:
    said = "".join(f"<pre>{_text(text)}</pre>\n" for text in (event.text, event.input, event.output) if text.strip())
    kind = (event.role if event.role in ROLES else "other") + (" failed" if event.failed else "")
    return f'<section class="{kind}" id="event-{event.place}"><h3>{escape(heading(event))}</h3>\n{said}</section>\n'
