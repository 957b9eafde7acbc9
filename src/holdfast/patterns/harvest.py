"""The part of patterns in a harvest: what each session shows that may recur in others, kept beside its digest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from holdfast.base.structs import replace
from holdfast.base.text import count
from holdfast.patterns import session_acts, signal_files
from holdfast.patterns.extract import signals_of
from holdfast.patterns.signal_files import Signal, Signals
from holdfast.privacy.redact import redact
from holdfast.records import SessionEvent
from holdfast.sessions.archive import Archive
from holdfast.sessions.facts import Digest
from holdfast.sessions.parts import Finding
from holdfast.workspace import Workspace


def harvest(workspace: Workspace, digest: Digest, events: Sequence[SessionEvent]) -> Iterator[Finding]:
    """Yield the signals of a session, all of them as one finding; one that has none is noted too."""
    session = digest.session
    if not (events or Archive(workspace.home).has(session.name)):
        # Only hooks told of it, and their ratings are kept elsewhere.
        return
    found = tuple(_clean(one) for one in signals_of(session_acts.seen(digest, events)))
    keep = partial(signal_files.put, workspace.home, Signals(session.agent, session.id, signals=found))
    at = session.ended or session.started
    yield Finding("signals", count(len(found), "signal"), at, session.name, keep)


def _clean(signal: Signal) -> Signal:
    """Return a signal without secrets; what was read out of JSON may have been hidden there by escapes."""
    text, signature = redact(signal.text)[0], redact(signal.signature)[0]
    if (text, signature) == (signal.text, signal.signature):
        return signal
    return replace(signal, text=text, signature=signature)
