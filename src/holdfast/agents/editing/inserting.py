"""A text into which we put pieces, and that remembers where: without them it is what it was, byte for byte."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

Span = tuple[int, int]


class Insertions:
    """A text and the places of our pieces in it, as start and length in characters."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._spans: list[Span] = []

    def insert(self, at: int, piece: str) -> None:
        """Put a piece in; one that lands in or at the end of an earlier piece becomes part of it."""
        self.text = self.text[:at] + piece + self.text[at:]
        spans, taken = [], False
        for start, length in self._spans:
            if not taken and start < at <= start + length:
                spans.append((start, length + len(piece)))
                taken = True
            else:
                spans.append((start + len(piece), length) if at <= start else (start, length))
        if not taken:
            spans.append((at, len(piece)))
        self._spans = sorted(spans)

    def spans(self) -> tuple[Span, ...]:
        """Return the places of our pieces as start and length in bytes of UTF-8."""
        found = []
        for start, length in self._spans:
            before = len(self.text[:start].encode("utf-8"))
            found.append((before, len(self.text[start : start + length].encode("utf-8"))))
        return tuple(found)


def without(data: bytes, spans: Iterable[Span]) -> bytes:
    """Return the bytes without those at the places."""
    for start, length in sorted(spans, reverse=True):
        data = data[:start] + data[start + length :]
    return data
