"""Generated regions in a person's page: what stands between two marker lines is ours, every other byte is theirs.

A marker is a line of its own outside of fenced code; anywhere else it is something that the person tells of. Atomic: a
page is replaced whole, under a lock of its project. A page that a person saved in another encoding keeps its bytes; one
in UTF-16 cannot hold a region and is refused. A page longer than MAX_PAGE is left alone.
"""

from __future__ import annotations

import os
from itertools import pairwise

from holdfast.base import files
from holdfast.base.marker_lines import in_code, lines_of, markers
from holdfast.errors import BrokenFile, TooLarge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# The page of a project that lasts, and the region of it which `page.py` writes.
PAGE, ENTRIES = "MEMORY.md", "page"
MAX_PAGE = 2_000_000
# Regions whose tables show memories (`views.py`), which are found and told as such.
SHOWN = ("decisions", "lessons", "rules", "values")
# How long a hook may wait for another one that writes the same page.
WAIT_SECONDS = 3.0
# How pages in UTF-16 and UTF-32 begin, as they are carried through.
_WIDE = ("\udcff\udcfe", "\udcfe\udcff", "\0\0\udcfe\udcff")
_FENCES = ("```", "~~~")
_ESCAPE = "\\"
_BULLETS = ("- ", "* ", "+ ")
# A line that is moved in by more is code.
_INDENTS = ("", " ", "  ", "   ")


def begin(name: str) -> str:
    """Return the line that opens a region."""
    return f"<!-- holdfast:begin {name} -->"


def end(name: str) -> str:
    """Return the line that closes a region."""
    return f"<!-- holdfast:end {name} -->"


def parts(text: str, name: str) -> tuple[str, str | None, str]:
    """Return what stands before, between and behind the markers; None between them where there are none."""
    marks = _marks(text, name)
    pair = _pair([mark for mark in marks if not mark[2]]) or _torn(text, name, marks)
    if pair is None:
        return text, None, ""
    start, close = pair
    return text[:start], text[start + len(begin(name)) : close], text[close + len(end(name)) :]


def _torn(text: str, name: str, marks: list[tuple[int, bool, bool]]) -> tuple[int, int] | None:
    """Return the markers of which one only seems to be code, because a fence that is not closed reaches over it."""
    pair = _pair(marks)
    if pair is None:
        return None
    start, close = pair[0], pair[0] + len(begin(name)) + 1
    # They are ours where they would be found with nothing between them.
    emptied = f"{text[:start]}{begin(name)}\n{text[pair[1] :]}"
    return pair if _pair([mark for mark in _marks(emptied, name) if not mark[2]]) == (start, close) else None


def quoted(text: str, name: str) -> str:
    """Return what stands between two markers in fenced code, where versions before this one wrote; else nothing."""
    pair = _pair(_marks(text, name), both_in_code=True)
    return text[pair[0] + len(begin(name)) : pair[1]] if pair else ""


def _pair(marks: list[tuple[int, bool, bool]], *, both_in_code: bool = False) -> tuple[int, int] | None:
    """Return the first opening marker with the closing one next to it; whether both stand in code tells them apart."""
    # Another marker may have strayed before ours; only what stands between the nearest two is generated.
    for (start, opens, one), (close, still_opens, other) in pairwise(marks):
        if opens and not still_opens and (one and other) == both_in_code:
            return start, close
    return None


def _marks(text: str, name: str) -> list[tuple[int, bool, bool]]:
    """Return where each marker stands, whether it opens, and whether it is within fenced code."""
    opening, closing = begin(name), end(name)
    if opening not in text or closing not in text:
        return []
    found = [mark for mark in markers(text) if mark[1] in (opening, closing)]
    indents = [text[:place].replace("\r", "\n").rpartition("\n")[2].lstrip("\ufeff") for place, _, _ in found]
    return [
        (place, said == opening, is_code)
        for (place, said, is_code), indent in zip(found, indents, strict=True)
        if indent in _INDENTS
    ]


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


def split(inside: str, level: str = "## ") -> list[list[str]]:
    """Return the lines from each heading of that level to the next, as they stand; those before the first come first.

    What looks like a heading in fenced code is none.
    """
    lines = lines_of(inside)
    found: list[list[str]] = [[]]
    for line, is_code in zip(lines, in_code(lines), strict=True):
        if line.startswith(level) and not is_code:
            found.append([])
        found[-1].append(line.rstrip("\r\n"))
    return found


def sections(inside: str, level: str = "## ") -> list[tuple[str, list[str]]]:
    """Return the lines under each heading of that level; those before the first one under none."""
    first, *rest = split(inside, level)
    return [("", first), *[(heading_of(lines[0], level), lines[1:]) for lines in rest]]


def heading_of(line: str, level: str = "## ") -> str:
    """Return what a heading says."""
    return _told(line[len(level) :].strip())


def entries(lines: list[str]) -> tuple[str, ...]:
    """Return what the lines of a list say, whatever their bullets."""
    return tuple(item for item in map(_item, lines) if item)


def is_item(line: str) -> bool:
    """Whether a line is an item of a list that is nested in none."""
    number, dot, _ = line.partition(". ")
    return line[:2] in _BULLETS or bool(dot and number.isdigit())


def _item(line: str) -> str:
    text = line.strip()
    if not is_item(text):
        return _told(text)
    return _told(text[2:].strip() if text[:2] in _BULLETS else text.partition(". ")[2].strip())


def item(text: str) -> str:
    """Return a text as a line of a list, which `entries` reads as the same text."""
    # Only code begins behind a bullet; a backslash of the text's own is kept from being taken for one of ours.
    return f"- {paragraph(text) if text.startswith(_FENCES) or _told(text) != text else text}"


def paragraph(text: str) -> str:
    """Return a text as a line without a bullet, which is no heading, list, quote, table or code, whatever it says."""
    place = _sign(text)
    return text if place < 0 else f"{text[:place]}{_ESCAPE}{text[place:]}"


def _told(line: str) -> str:
    """Return the text that was made such a line."""
    place = _sign(line)
    return line if place < 1 or line[place - 1] != _ESCAPE else line[: place - 1] + line[place:]


def _sign(text: str) -> int:
    """Return where the sign stands that makes more than text of a line, behind backslashes; -1 where there is none."""
    word = text.partition(" ")[0]
    bare = word.lstrip(_ESCAPE)
    if bare.startswith((">", "|", *_FENCES)) or bare in ("-", "*", "+") or (bare and not bare.strip("#")):
        return len(word) - len(bare)
    is_number = word.endswith((".", ")")) and word[:-1].rstrip(_ESCAPE).isdigit()
    return len(word) - 1 if is_number else -1


def plain(text: str) -> str:
    """Return the words of a text between spaces, however they are written."""
    kept = "".join([letter if letter.isalnum() else " " for letter in text.casefold()])
    return f" {' '.join(kept.split())} "


def read_page(path: str) -> str:
    """Return the text of a page, nothing where there is none; bytes that are no UTF-8 are carried through."""
    data = files.read_if_there(path, MAX_PAGE + 1)
    if len(data) > MAX_PAGE:
        raise TooLarge(f"{path} has more than {MAX_PAGE:,} bytes", "Move what is old into another file.")
    return data.decode("utf-8", "surrogateescape")


def find_page(name: str, folders: Sequence[str]) -> tuple[str, str]:
    """Return the path and the text of a page in the first of the folders that has one; else where it would stand."""
    for each in folders:
        path = os.path.join(each, name)
        if os.path.lexists(path):
            return path, read_page(path)
    return (os.path.join(folders[0], name) if folders else ""), ""


def writable_page(name: str, folders: Sequence[str]) -> tuple[str, str]:
    """Return what `find_page` does, and refuse a page that would be in two encodings at once."""
    path, text = find_page(name, folders)
    check_writable(path, text)
    return path, text


def is_wide(text: str) -> bool:
    """Whether a page is in UTF-16 or UTF-32, of which we read nothing."""
    return text.startswith(_WIDE)


def check_writable(path: str, text: str) -> None:
    """Refuse a page that would be in two encodings at once."""
    if is_wide(text):
        raise BrokenFile(f"{path} is UTF-16", "Save it as UTF-8.")


def write_page(path: str, text: str) -> None:
    """Replace a page whole and make its folder where it is missing."""
    files.put(path, text.encode("utf-8", "surrogateescape"))


def lock_of(folder: str, name: str, seconds: float = WAIT_SECONDS) -> files.Lock:
    """Return the lock of that name for the pages of a project's folder."""
    home = os.path.dirname(os.path.dirname(os.path.dirname(folder)))
    return files.lock_of(home, f"{name}-{os.path.basename(folder)}", seconds)
