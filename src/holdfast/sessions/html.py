"""A session as one web page that stands alone: no script, nothing from the network, every text escaped."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator
from html import escape

from holdfast.base.terminal import harmless
from holdfast.records import ROLES, SessionEvent
from holdfast.sessions.facts import Digest
from holdfast.sessions.transcript import facts_of, heading, sections_of

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


def page(digest: Digest, events: Iterable[SessionEvent] | None = None) -> Iterator[str]:
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
        yield from map(_event, events)
    yield "</body></html>\n"


def _text(text: str) -> str:
    return escape(harmless(text))


def _event(event: SessionEvent) -> str:
    said = "".join(f"<pre>{_text(text)}</pre>\n" for text in (event.text, event.input, event.output) if text.strip())
    kind = (event.role if event.role in ROLES else "other") + (" failed" if event.failed else "")
    return f'<section class="{kind}" id="event-{event.place}"><h3>{escape(heading(event))}</h3>\n{said}</section>\n'
