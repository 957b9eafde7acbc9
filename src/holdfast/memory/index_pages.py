"""The `index.md` of every folder of durable memory: which page lists what, and how it is written.

The lines between the two markers are generated; every other byte is the person's. A page whose generated lines are
right already is not written at all. Where the markers are gone they are set again at the end; a marker without its
partner is taken out and no text with it. Nothing that a memory says can pass for a marker.

A crowded page is grouped. A label is a tag or the first word of a key. The label that gathers the most goes first, as
long as it tells something (three memories at least, not nearly all of them); what no label gathers stays ungrouped. The
same memories always give the same groups.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from holdfast.base import files
from holdfast.base.text import one_line
from holdfast.memory import scaffold
from holdfast.records import Scope
from holdfast.store import layout, links

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.records import Memory
    from holdfast.settings import Settings
    from holdfast.store.base import Listed, Store
    from holdfast.workspace import Workspace

One = TypeVar("One", bound="Memory | Listed")
BEGIN = "<!-- holdfast:begin index -->"
END = "<!-- holdfast:end index -->"
_SUMMARY_LENGTH = 100
_NOT_IN_LINKS = frozenset("%#?()<> \t\r\n")
_MAX_DATA = 50
MIN_GROUP = 3
MAX_GROUPS = 20
_MAX_SHARE = 0.7
_EMPTY_WORDS = frozenset(
    (
        *("the", "a", "an", "we", "our", "use", "is", "are", "in", "on", "to", "for", "of", "and", "or", "not", "no"),
        *("it", "this", "that", "do", "does", "when", "all"),
    )
)


class Page(NamedTuple):
    """What one index.md lists: memories, sub-folders and data files, with links relative to it."""

    title: str
    memories: Sequence[Memory | Listed]
    total: int
    folder: str
    subfolders: tuple[tuple[str, int], ...] = ()
    data: tuple[str, ...] = ()
    nested: str = ""


def bring_up_to_date(workspace: Workspace) -> bool:
    """Write the page of each changed folder, of its parents, and the root page; return whether anything changed."""
    store, settings = workspace.store, workspace.settings
    if store.is_temporary or not store.has_tree:
        return False
    if workspace.seen:
        _see_other_files(store, None if None in workspace.seen else [scope for scope in workspace.seen if scope])
    stale = store.tree.stale_folders()
    if not stale:
        return False
    with files.lock_of(store.tree.home, "pages"):
        pages = {page for changed in stale if changed for page in _pages_of(changed)}
        for folder in sorted(pages):
            if files.is_plain_folder(os.path.join(store.tree.root, folder)):
                _write_folder_page(store, settings, folder)
        _write_root_page(store, settings)
        for folder in stale:
            store.tree.freshen(folder)
    return True


def _see_other_files(store: Store, scopes: Sequence[Scope] | None) -> None:
    """Mark the page of a scope whose `data/` changed or whose `index.md` is gone; the store sees only memories."""
    found = layout.scopes_on_disk(store.tree.root) if scopes is None else scopes
    stale = [folder for folder in map(layout.folder_of, found) if _is_behind(store, folder)]
    if not os.path.lexists(os.path.join(store.tree.root, layout.INDEX)) and store.tree.holds():
        stale.append("")
    if stale:
        store.tree.mark_stale(stale)


def _is_behind(store: Store, folder: str) -> bool:
    page = os.path.join(store.tree.root, folder, layout.INDEX)
    try:
        written = os.lstat(page).st_mtime_ns
    except OSError:
        return any(store.tree.holds(held) for held in (folder, f"{folder}/{layout.MEMORIES}"))
    data = os.path.join(store.tree.root, folder, layout.DATA)
    try:
        if os.stat(data).st_mtime_ns < written:
            return False
    except OSError:
        return False
    # The folder is newer than the page: read the page, so that one which is right already is not touched again.
    with open(page, encoding="utf-8", errors="replace") as file:
        listed = [line for line in generated(file.read()).splitlines() if "](data/" in line]
    return listed != data_lines(_data_files(data))


def _pages_of(folder: str) -> list[str]:
    """Return the folders whose pages list this folder or what is in it."""
    scope = layout.scope_of(folder)
    if scope is None:
        return []
    base = layout.folder_of(scope)
    found = [base]
    while folder.startswith(f"{base}/{layout.MEMORIES}/"):
        found.append(folder)
        folder = os.path.dirname(folder)
    return found


def _write_folder_page(store: Store, settings: Settings, folder: str) -> None:
    scope = layout.scope_of(folder)
    if scope is None:
        return
    base = layout.folder_of(scope)
    listed = (base, f"{base}/{layout.MEMORIES}") if folder == base else (folder,)
    memories, total = store.tree.listing(listed, settings.number("index.show"))
    nested = listed[-1]
    page = Page(
        title=title_of(scope) if folder == base else os.path.basename(folder),
        memories=memories,
        total=total,
        folder=folder,
        subfolders=tuple(store.tree.subfolders(nested)),
        data=_data_files(os.path.join(store.tree.root, folder, layout.DATA)) if folder == base else (),
        nested=links.relative(nested, folder) + "/" if nested != folder else "",
    )
    new_page = scaffold.template("scope.md").format(title=page.title) + "\n"
    path = layout.contained(store.tree.root, f"{folder}/{layout.INDEX}")
    write_page(path, new_page, page_lines(page, settings.number("index.group_at")))


def _write_root_page(store: Store, settings: Settings) -> None:
    lines: list[str] = []
    show, sizes = settings.number("index.show"), store.tree.sizes()
    for kind, heading in (("global", ""), ("project", "Projects"), ("agent", "Agents"), ("session", "Sessions")):
        groups = [(scope, count) for scope, count in sizes if scope.kind == kind]
        lines += ["", f"## {heading}", ""] if groups and heading else []
        for scope, count in groups[:show]:
            lines.append(f"- [{scope.owner or 'Global'}]({layout.folder_of(scope)}/{layout.INDEX}) ({count})")
        if len(groups) > show:
            lines.append(f"- and {len(groups) - show} more; `holdfast status` shows all")
    path = layout.contained(store.tree.root, layout.INDEX)
    if not os.path.lexists(path):
        # The map that is laid now speaks of the doctrine, so that is laid with it.
        scaffold.lay(store.tree.root, scaffold.plan(store.tree.root, ("system",)))
    write_page(path, scaffold.template("index.md") + "\n", lines or ["Nothing yet."])


def title_of(scope: Scope) -> str:
    """Return what the page of a scope is called."""
    return "Global memory" if scope.kind == "global" else f"Memory of the {scope.kind} {scope.owner}"


def _data_files(folder: str) -> tuple[str, ...]:
    return tuple([name for name in files.names_in(folder) if name != layout.INDEX][:_MAX_DATA])


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
    region = newline.join([BEGIN, "", *(lines if lines[:1] != [""] else lines[1:]), "", END])
    start, end = _place(text)
    if end:
        return _without_markers(text[:start]) + region + _without_markers(text[end:])
    rest = _without_markers(text)
    gap = "" if not rest or rest.endswith(newline * 2) else newline if rest.endswith(newline) else newline * 2
    return rest + gap + region + newline


def generated(text: str) -> str:
    """Return the generated lines of the page, with their markers."""
    start, end = _place(text)
    return text[start:end]


def own_words(text: str) -> str:
    """Return what the person wrote, each line in its place: generated lines are left empty."""
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


def _entry(memory: Memory | Listed, folder: str) -> str:
    link = links.relative(memory.path, folder)
    tags = "".join([f" `{tag}`" for tag in memory.tags])
    pinned = " 📌" if memory.pinned else ""
    return f"- [{memory.key}]({_escaped(link)}): {one_line(memory.title, _SUMMARY_LENGTH)}{tags}{pinned}"


def _harmless(line: str) -> str:
    """Return the line as one line without the beginning of a comment, so that it cannot pass for a marker."""
    return " ".join(line.splitlines()).replace("<!--", "<! --") if line else line


def _escaped(link: str) -> str:
    if _NOT_IN_LINKS.isdisjoint(link):
        return link
    return "".join(f"%{ord(letter):02X}" if letter in _NOT_IN_LINKS else letter for letter in link)


def _without_markers(text: str) -> str:
    return text.replace(BEGIN, "").replace(END, "")


def group(memories: list[One]) -> list[tuple[str, list[One]]]:
    """Return labelled groups in the order of their labels, and last, under the empty label, the rest."""
    left = {memory.path: memory for memory in memories}
    own = {memory.path: labels(memory) for memory in memories}
    labelled: dict[str, list[One]] = {}
    for memory in memories:
        for label in own[memory.path]:
            labelled.setdefault(label, []).append(memory)
    counts = {label: len(members) for label, members in labelled.items()}
    found: list[tuple[str, list[One]]] = []
    while left and len(found) < MAX_GROUPS:
        usable = [(-n, label) for label, n in counts.items() if MIN_GROUP <= n <= len(memories) * _MAX_SHARE]
        if not usable:
            break
        label = min(usable)[1]
        members = [memory for memory in labelled[label] if memory.path in left]
        found.append((label, members))
        for memory in members:
            del left[memory.path]
            for other in own[memory.path]:
                counts[other] -= 1
    found.sort()
    return [*found, ("", list(left.values()))] if left else found


def labels(memory: Memory | Listed) -> list[str]:
    """Return what a memory may be grouped by."""
    first = memory.key.split("-", 1)[0]
    words = [first] if len(first) > 2 and not first.isdigit() and first not in _EMPTY_WORDS else []
    return list(dict.fromkeys([*[tag.lower() for tag in memory.tags], *words]))
