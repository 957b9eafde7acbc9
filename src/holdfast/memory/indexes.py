"""Indexes: the `index.md` of every folder of durable memory.

The lines between the two markers are generated; every other byte is the person's. A page whose generated lines are
right already is not written at all. Where the markers are gone they are set again at the end; a marker without its
partner is taken out and no text with it. Nothing that a memory says can pass for a marker.
"""

from __future__ import annotations

import os

from holdfast.base import files
from holdfast.base.light_records import dataclass
from holdfast.base.text import one_line
from holdfast.memory.groups import group
from holdfast.records import Memory
from holdfast.store import links

BEGIN = "<!-- holdfast:begin index -->"
END = "<!-- holdfast:end index -->"
_SUMMARY_LENGTH = 100
_NOT_IN_LINKS = frozenset("%#?()<> \t\r\n")


@dataclass(frozen=True, slots=True)
class Page:
    """What one index.md lists: memories, sub-folders and data files, with links relative to it."""

    title: str
    memories: list[Memory]
    total: int
    folder: str
    subfolders: tuple[tuple[str, int], ...] = ()
    data: tuple[str, ...] = ()
    nested: str = ""


def page_lines(page: Page, group_at: int) -> list[str]:
    """Return the generated lines of a scope's or a sub-folder's index."""
    lines: list[str] = []
    memories = sorted(page.memories, key=lambda memory: (not memory.pinned, memory.key))
    groups = group(memories) if len(memories) > group_at else [("", memories)]
    for label, members in groups:
        if len(groups) > 1:
            lines += ["", f"## {label or 'other'}", ""]
        lines += [_entry(memory, page.folder) for memory in members]
    if page.total > len(memories):
        lines += ["", f"These are the newest {len(memories)} of {page.total}; `holdfast list` shows all."]
    if page.subfolders:
        lines += ["", "## Folders", ""]
        lines += [f"- [{name}]({_escaped(page.nested + name)}/index.md) ({count})" for name, count in page.subfolders]
    if page.data:
        lines += ["", "## Data", "", *data_lines(page.data)]
    return [_harmless(line) for line in lines] or ["Nothing yet."]


def data_lines(names: tuple[str, ...]) -> list[str]:
    """Return the generated lines that list data files."""
    return [_harmless(f"- [{name}](data/{_escaped(name)})") for name in names]


def put_region(text: str, lines: list[str]) -> str:
    """Return the text with these generated lines, everything else as it was."""
    newline = "\r\n" if "\r\n" in text else "\n"
    region = newline.join([BEGIN, "", *_trimmed(lines), "", END])
    start, end = _place(text)
    if end:
        return _without_markers(text[:start]) + region + _without_markers(text[end:])
    rest = _without_markers(text)
    return rest + _gap(rest, newline) + region + newline


def generated(text: str) -> str:
    """Return the generated lines of the page, with their markers."""
    start, end = _place(text)
    return text[start:end]


def own_words(text: str) -> str:
    """Return what the person wrote, each line at its place: empty lines stand for the generated ones."""
    start, end = _place(text)
    return text[:start] + "\n" * text.count("\n", start, end) + text[end:]


def write_page(path: str, new_text: str, lines: list[str]) -> bool:
    """Bring the index at the path up to date, from `new_text` where there is none yet; return whether it changed."""
    before = files.read(path) if os.path.lexists(path) else None
    # The person may have saved the page in another encoding; their bytes are carried through unchanged.
    text = new_text if before is None else before.decode("utf-8", "surrogateescape")
    after = put_region(text, lines).encode("utf-8", "surrogateescape")
    if after == before:
        return False
    files.write(path, after, durable=False)
    return True


def _place(text: str) -> tuple[int, int]:
    """Return where the generated lines stand, markers included; nothing at the start where they do not."""
    first = text.find(BEGIN)
    end = text.find(END, first) if first >= 0 else -1
    # Only what stands between a marker and its nearest partner is ours; another marker may have strayed before it.
    return (text.rfind(BEGIN, 0, end), end + len(END)) if end >= 0 else (0, 0)


def _entry(memory: Memory, folder: str) -> str:
    link = links.relative(memory.path, folder)
    tags = "".join(f" `{tag}`" for tag in memory.tags)
    pinned = " 📌" if memory.pinned else ""
    return f"- [{memory.key}]({_escaped(link)}): {one_line(memory.title, _SUMMARY_LENGTH)}{tags}{pinned}"


def _harmless(line: str) -> str:
    """Return the line as one line without the beginning of a comment, so that it cannot pass for a marker."""
    return " ".join(line.splitlines()).replace("<!--", "<! --") if line else line


def _escaped(link: str) -> str:
    return "".join(f"%{ord(letter):02X}" if letter in _NOT_IN_LINKS else letter for letter in link)


def _gap(text: str, newline: str) -> str:
    """Return what is missing for an empty line after the text."""
    if not text or text.endswith(newline * 2):
        return ""
    return newline if text.endswith(newline) else newline * 2


def _trimmed(lines: list[str]) -> list[str]:
    return lines[1:] if lines and not lines[0] else lines


def _without_markers(text: str) -> str:
    return text.replace(BEGIN, "").replace(END, "")
