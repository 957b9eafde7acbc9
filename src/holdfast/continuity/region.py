"""Generated regions in a person's page: what stands between two marker lines is ours, every other byte is theirs.

Atomic: a page is replaced whole, under a lock of its project. A page that a person saved in another encoding keeps its
bytes. A page longer than MOST_PAGE is left alone.
"""

from __future__ import annotations

import os

from holdfast.errors import NotFound, TooLarge
from holdfast.store import files

MOST_PAGE = 2_000_000
# How long a hook may wait for another one that writes the same page.
WAIT_SECONDS = 3.0
# Direction marks and invisible signs: they hide what a line says. Joiners that scripts and emoji need stay.
_HIDDEN = ((0x200B, 0x200B), (0x200E, 0x200F), (0x2028, 0x202E), (0x2060, 0x206F), (0xFEFF, 0xFEFF), (0xFFF9, 0xFFFB))
_OURS = ("<!--", "<! --"), ("<holdfast", "‹holdfast"), ("</holdfast", "‹/holdfast")


def begin(name: str) -> str:
    """Return the line that opens a region."""
    return f"<!-- holdfast:begin {name} -->"


def end(name: str) -> str:
    """Return the line that closes a region."""
    return f"<!-- holdfast:end {name} -->"


def parts(text: str, name: str) -> tuple[str, str | None, str]:
    """Return what stands before, between and behind the markers; None between them where there are none."""
    opening, closing = begin(name), end(name)
    first = text.find(opening)
    close = text.find(closing, first) if first >= 0 else -1
    if close < 0:
        return text, None, ""
    # Another marker may have strayed before ours; only what stands between the nearest two is generated.
    start = text.rfind(opening, 0, close)
    return text[:start], text[start + len(opening) : close], text[close + len(closing) :]


def put(text: str, name: str, lines: list[str], new_page: str) -> str:
    """Return the page with these lines between the markers, everything else as it was."""
    before, inside, after = parts(text, name)
    newline = "\r\n" if "\r\n" in text else "\n"
    made = newline.join([begin(name), "", *lines, end(name)])
    if inside is not None:
        return before + made + after
    start = text or new_page
    gap = "" if start.endswith(newline * 2) else newline if start.endswith(newline) else newline * 2
    return start + gap + made + newline


def sections(inside: str, level: str = "## ") -> list[tuple[str, list[str]]]:
    """Return the lines under each heading of that level; those before the first one under none."""
    found: list[tuple[str, list[str]]] = [("", [])]
    for line in inside.splitlines():
        if line.startswith(level):
            found.append((line[len(level) :].strip(), []))
        else:
            found[-1][1].append(line)
    return found


def entries(lines: list[str]) -> tuple[str, ...]:
    """Return what the lines of a list say, whatever their bullets."""
    return tuple(item for item in map(_item, lines) if item)


def _item(line: str) -> str:
    text = line.strip()
    number, dot, rest = text.partition(". ")
    if dot and number.isdigit():
        return rest.strip()
    return text[2:].strip() if text[:2] in ("- ", "* ") else text


def shown(text: str) -> str:
    """Return the text without control characters, but for those that part lines and words, and without hidden ones."""
    if text.isascii() and text.isprintable():
        return text
    text = text.encode("utf-8", "replace").decode("utf-8")
    return "".join([letter for letter in text if letter in "\n\r\t" or _is_seen(letter)])


def one_line(text: str, most: int = 0) -> str:
    """Return the text as one line that hides nothing and cannot pass for a marker of ours, cut between two words."""
    text = " ".join(shown(text).split())
    if "<" in text:
        for ours, harmless in _OURS:
            text = text.replace(ours, harmless)
    return cut(text, most) if most else text


def _is_seen(letter: str) -> bool:
    code = ord(letter)
    if code < 0x200B:
        return code >= 32 and not 0x7F <= code <= 0x9F
    return not (0xE0000 <= code <= 0xE007F or any(first <= code <= last for first, last in _HIDDEN))


def cut(text: str, most: int) -> str:
    """Return the beginning of the text, up to the last space before the limit."""
    if len(text) <= most:
        return text
    place = text.rfind(" ", most // 2, most - 3)
    return text[: place if place > 0 else most - 4] + " ..."


def read_page(path: str) -> str:
    """Return the text of a page, nothing where there is none; bytes that are no UTF-8 are carried through."""
    try:
        data = files.read(path, MOST_PAGE + 1)
    except NotFound:
        return ""
    if len(data) > MOST_PAGE:
        raise TooLarge(f"{path} has more than {MOST_PAGE:,} bytes", "Move what is old into another file.")
    return data.decode("utf-8", "surrogateescape")


def write_page(path: str, text: str) -> None:
    """Replace a page whole and make its folder where it is missing."""
    files.make_folder(os.path.dirname(path))
    files.write(path, text.encode("utf-8", "surrogateescape"))


def lock_of(folder: str, name: str, seconds: float = WAIT_SECONDS) -> files.Lock:
    """Return the lock of that name for the pages of a project's folder."""
    home = os.path.dirname(os.path.dirname(os.path.dirname(folder)))
    locks = os.path.join(home, "state", "locks")
    files.make_folder(locks)
    return files.Lock(os.path.join(locks, f"{name}-{os.path.basename(folder)}.lock"), seconds)
