"""What a person marked private, `<private>...</private>`, in a text that is whole: the end of one may lack the mark."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

_TAG = r"(?i)<(/?)\s{0,4}private\s{0,4}>"
_compiled: list[re.Pattern[str]] = []


def without(text: str) -> str:
    """Return the text with each part that is marked private replaced."""
    parts: list[str] = []
    last = 0
    for start, end in spans(text):
        parts += text[last:start], "[private]"
        last = end
    return "".join([*parts, text[last:]])


def spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield what is marked private; a mark inside another belongs to it, one never closed runs to the end."""
    if "<" not in text or "private" not in text.lower():
        return
    if not _compiled:
        # Most texts have no such mark, and a hook saves the import.
        import re

        _compiled.append(re.compile(_TAG))
    depth = start = 0
    for tag in _compiled[0].finditer(text):
        if not tag[1]:
            start = start if depth else tag.start()
            depth += 1
        elif depth:
            depth -= 1
            if not depth:
                yield start, tag.end()
    if depth:
        yield start, len(text)
