"""A block of ours between two markers in a text that is otherwise the person's."""

from __future__ import annotations

from holdfast.base.marker_lines import markers

BEGIN = "<!-- holdfast:begin (written by Holdfast; changes in here are lost) -->"
END = "<!-- holdfast:end -->"
# What tells a rules file that is wholly ours from one that somebody wrote under the same name.
NOTE = "<!-- Written by Holdfast. Changes in here are lost. -->\n"
_BEGINS = "<!-- holdfast:begin"


def put(text: str, block: str) -> str:
    """Return the text with the block in it: in its old place, or at the end."""
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = newline.join([BEGIN, *block.rstrip("\n").splitlines(), END])
    found = find(text)
    if found is not None:
        return text[: found[0]] + lines + text[found[1] :]
    # A last line without an end keeps having none, so that the text can be given back as it was.
    end = newline if not text or text.endswith("\n") else ""
    return text + (newline if text else "") + lines + end


def drop(text: str) -> str:
    """Return the text without the block; without one it is returned as it is."""
    found = find(text)
    if found is None:
        return text
    newline = "\r\n" if "\r\n" in text else "\n"
    before, after = text[: found[0]], text[found[1] :].removeprefix(newline)
    return (before if after else before.removesuffix(newline)) + after


def find(text: str) -> tuple[int, int] | None:
    """Return where the block stands. A begin without its end, or an end without its begin, is left alone."""
    start = -1
    for place, marker, _ in markers(text):
        if marker.startswith(_BEGINS):
            start = place
        elif marker == END and start >= 0:
            # A fence within the block must not make it look like an example of the person's.
            emptied = markers(f"{text[:start]}{BEGIN}\n{text[place:]}")
            if (start, BEGIN, False) in emptied:
                return start, place + len(END)
            start = -1
    return None
