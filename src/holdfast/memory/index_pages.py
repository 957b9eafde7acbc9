"""The index pages of a home: which page lists what. Used by every action that changes memories."""

from __future__ import annotations

import os

from holdfast.base import files
from holdfast.memory import indexes, scaffold
from holdfast.memory.indexes import Page
from holdfast.records import Scope
from holdfast.store import layout, links

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.settings import Settings
    from holdfast.store.base import Store
    from holdfast.workspace import Workspace

_MAX_DATA = 50


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
    listed = [line for line in indexes.generated(_text(page)).splitlines() if "](data/" in line]
    return listed != indexes.data_lines(_data_files(data))


def _text(path: str) -> str:
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


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
    indexes.write_page(path, new_page, indexes.page_lines(page, settings.number("index.group_at")))


def _write_root_page(store: Store, settings: Settings) -> None:
    lines: list[str] = []
    show = settings.number("index.show")
    for kind, heading in (("global", ""), ("project", "Projects"), ("agent", "Agents"), ("session", "Sessions")):
        groups = [group for group in store.groups() if group.scope.kind == kind]
        lines += ["", f"## {heading}", ""] if groups and heading else []
        for group in groups[:show]:
            link = f"{layout.folder_of(group.scope)}/{layout.INDEX}"
            lines.append(f"- [{group.scope.owner or 'Global'}]({link}) ({group.memories})")
        if len(groups) > show:
            lines.append(f"- and {len(groups) - show} more; `holdfast status` shows all")
    path = layout.contained(store.tree.root, layout.INDEX)
    if not os.path.lexists(path):
        # The map that is laid now speaks of the doctrine, so that is laid with it.
        scaffold.lay(store.tree.root, scaffold.plan(store.tree.root, ("system",)))
    indexes.write_page(path, scaffold.template("index.md") + "\n", lines or ["Nothing yet."])


def title_of(scope: Scope) -> str:
    """Return what the page of a scope is called."""
    return "Global memory" if scope.kind == "global" else f"Memory of the {scope.kind} {scope.owner}"


def _data_files(folder: str) -> tuple[str, ...]:
    return tuple([name for name in files.names_in(folder) if name != layout.INDEX][:_MAX_DATA])
