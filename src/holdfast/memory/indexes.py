"""Indexes: the `index.md` of every folder of durable memory.

The lines between the two markers are generated; every other byte is the person's. A page whose generated lines are
right already is not written at all. Where the markers are gone they are set again at the end; a marker without its
partner is taken out and no text with it.
"""

from __future__ import annotations

import os

from holdfast.light import dataclass
from holdfast.memory.groups import group
from holdfast.records import Memory
from holdfast.store import files

BEGIN = "<!-- holdfast:begin index -->"
END = "<!-- holdfast:end index -->"
_SUMMARY_LENGTH = 100


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
        lines += [f"- [{name}]({page.nested}{name}/index.md) ({count})" for name, count in page.subfolders]
    if page.data:
        lines += ["", "## Data", "", *(f"- [{name}](data/{_escaped(name)})" for name in page.data)]
    return lines or ["Nothing yet."]


def put_region(text: str, lines: list[str]) -> str:
    """Return the text with these generated lines, everything else as it was."""
    newline = "\r\n" if "\r\n" in text else "\n"
    region = newline.join([BEGIN, "", *_trimmed(lines), "", END])
    start, end = text.find(BEGIN), -1
    if start >= 0:
        end = text.find(END, start)
    if end >= 0:
        return text[:start] + region + _without_markers(text[end + len(END) :])
    rest = _without_markers(text).rstrip()
    return (rest + newline * 2 if rest else "") + region + newline


def write_page(path: str, new_text: str, lines: list[str]) -> bool:
    """Bring the index at the path up to date, from `new_text` where there is none yet; return whether it changed."""
    before = files.read_if_there(path)
    # The person may have saved the page in another encoding; their bytes are carried through unchanged.
    text = before.decode("utf-8", "surrogateescape") if before else new_text
    after = put_region(text, lines).encode("utf-8", "surrogateescape")
    if after == before:
        return False
    files.write(path, after, durable=False)
    return True


def _entry(memory: Memory, folder: str) -> str:
    link = os.path.relpath(memory.path, folder or ".")
    tags = "".join(f" `{tag}`" for tag in memory.tags)
    pinned = " 📌" if memory.pinned else ""
    return f"- [{memory.key}]({_escaped(link)}): {_one_line(memory.title)}{tags}{pinned}"


def _one_line(text: str) -> str:
    flat = " ".join(text.split()).replace("<!--", "").replace("-->", "")
    return flat if len(flat) <= _SUMMARY_LENGTH else flat[: _SUMMARY_LENGTH - 1] + "…"


def _escaped(link: str) -> str:
    return link.replace(" ", "%20").replace("(", "%28").replace(")", "%29")


def _trimmed(lines: list[str]) -> list[str]:
    return lines[1:] if lines and not lines[0] else lines


def _without_markers(text: str) -> str:
    return text.replace(BEGIN, "").replace(END, "")
