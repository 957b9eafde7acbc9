"""Signals in the archive: what each session shows that may recur in others, kept beside its digest."""

from __future__ import annotations

from functools import partial

from holdfast.base.light_records import replace
from holdfast.base.text import count
from holdfast.learning.findings import Finding
from holdfast.patterns import session_acts, signal_files
from holdfast.patterns.extracting import signals_of
from holdfast.patterns.signal_files import Signals
from holdfast.privacy import redact
from holdfast.sessions import names
from holdfast.sessions.archive import Archive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from holdfast.patterns.signals import Signal
    from holdfast.records import SessionEvent
    from holdfast.sessions.facts import Digest
    from holdfast.workspace import Workspace


def find(workspace: Workspace, digest: Digest, events: Sequence[SessionEvent]) -> Iterator[Finding]:
    """Yield the signals of a session, all of them as one finding; one that has none is noted too."""
    session = digest.session
    if not (events or Archive(workspace.home).has(session.name)):
        # Only hooks told of it, and their ratings are kept elsewhere.
        return
    found = tuple(_clean(one) for one in signals_of(session_acts.seen(digest, events)))
    text = count(len(found), "signal")
    keep = partial(_keep, workspace.home, Signals(session.agent, session.id, signals=found))
    yield Finding("signals", text, session.ended or session.started, session.name, keep)


def _clean(signal: Signal) -> Signal:
    """Return a signal without secrets; what was read out of JSON may have been hidden there by escapes."""
    text, signature = redact.redact(signal.text)[0], redact.redact(signal.signature)[0]
    if (text, signature) == (signal.text, signal.signature):
        return signal
    return replace(signal, text=text, signature=signature)


def _keep(home: str, found: Signals) -> bool:
    return signal_files.put(home, names.stem_of(found.agent), names.stem_of(found.session), found)
