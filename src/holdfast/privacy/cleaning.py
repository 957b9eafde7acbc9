"""Takes secrets out of sessions before anything of them is stored, and counts what it took.

Events pass in batches, because `redact_gate` tells at once for many texts which of them need a closer look.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from holdfast.privacy import redact, redact_gate
from holdfast.records import Session, SessionEvent, replace

# The texts of an event that are its own, those that many events share, and those by which it is known.
_OWN = ("text", "input", "output")
_SHARED = ("tool", "folder", "branch", "model")
_IDS = ("id", "call")
_OF_SESSION = ("title", "folder", "project", "branch", "version", "source", "id", "parent", "beginning")
_KEEP_DISTINCT = ("id", "call", "parent", "beginning")

# A batch is this much, and stays in the cache of a processor.
_BATCH_EVENTS = 256
_BATCH_CHARACTERS = 48_000
# A single text that is longer is asked about at the gate first.
_LONG = 2_000
# So many shared texts are remembered; a transcript with more of them is odd, and only slower.
_REMEMBERED = 10_000


class Cleaner:
    """Cleans events, sessions and texts; `found` says how often each kind of secret was taken out."""

    def __init__(self) -> None:
        self.found: dict[str, int] = {}
        self._clean: set[tuple[str, ...]] = set()

    def events(self, events: Iterable[SessionEvent]) -> Iterator[SessionEvent]:
        """Yield the events in order without their secrets; one that has none comes out as the same object.

        A batch is taken from the source before its first event comes out.
        """
        batch: list[SessionEvent] = []
        characters = 0
        for event in events:
            batch.append(event)
            characters += len(event.text) + len(event.input) + len(event.output)
            if characters >= _BATCH_CHARACTERS or len(batch) >= _BATCH_EVENTS:
                yield from self._cleaned(batch)
                batch, characters = [], 0
        yield from self._cleaned(batch)

    def session(self, session: Session) -> Session:
        """Return the session without the secrets in its texts."""
        texts = [*(getattr(session, name) for name in _OF_SESSION), *session.models]
        if len(self.harmless(texts)) == len(set(texts)):
            return session
        changes = self._changes(session, _OF_SESSION)
        models = tuple(self.text(model) for model in session.models)
        if models != session.models:
            changes["models"] = models
            changes["spends"] = tuple(replace(spend, model=self.text(spend.model)) for spend in session.spends)
        return replace(session, **changes) if changes else session

    def count(self, found: dict[str, int]) -> None:
        """Add what another one took out."""
        for kind, times in found.items():
            self.found[kind] = self.found.get(kind, 0) + times

    def harmless(self, texts: Sequence[str]) -> set[str]:
        """Return those of the texts that need no cleaning, at the price of one of them."""
        suspects = redact_gate.suspects(texts)
        return {text for place, text in enumerate(texts) if place not in suspects}

    def text(self, text: str) -> str:
        """Return the text without its secrets."""
        if len(text) > _LONG and not redact_gate.suspects([text]):
            return text
        cleaned, kinds = redact.redact(text)
        if kinds:
            places = [kind for kind, _ in redact.find(text)]
            for kind in kinds:
                # A kind that only shows when another secret is gone has no place in the first look.
                self.found[kind] = self.found.get(kind, 0) + max(1, places.count(kind))
        return cleaned

    def _cleaned(self, batch: list[SessionEvent]) -> list[SessionEvent]:
        own = [text for event in batch for text in (event.text, event.input, event.output)]
        shared = [(event.tool, event.folder, event.branch, event.model) for event in batch]
        ids = "\n".join([f"{event.id} {event.call}" for event in batch])
        new = list(set(shared) - self._clean)
        suspects = redact_gate.suspects([ids, *own, *[text for texts in new for text in texts]])
        suspect_shared = {(place - 1 - len(own)) // len(_SHARED) for place in suspects if place > len(own)}
        if len(self._clean) > _REMEMBERED:
            self._clean.clear()
        self._clean.update(texts for place, texts in enumerate(new) if place not in suspect_shared)
        names = _IDS if 0 in suspects else ()
        suspect_events = {(place - 1) // len(_OWN) for place in suspects if 0 < place <= len(own)}
        for place, event in enumerate(batch):
            is_shared_clean = shared[place] in self._clean
            if names or place in suspect_events or not is_shared_clean:
                changes = self._changes(event, (*names, *_OWN, *(() if is_shared_clean else _SHARED)))
                batch[place] = replace(event, **changes) if changes else event
        return batch

    def _changes(self, record: Session | SessionEvent, names: tuple[str, ...]) -> dict[str, Any]:
        changes: dict[str, Any] = {}
        for name in names:
            value = getattr(record, name, "")
            cleaned = self.text(value) if value else value
            if cleaned != value:
                if name in _KEEP_DISTINCT:
                    # Two ids stay two, and one stays the same wherever it stands, also without what they held.
                    cleaned += f"-{hashlib.sha256(value.encode('utf-8', 'replace')).hexdigest()[:12]}"
                changes[name] = cleaned
        return changes
