"""Work items: `work/<project>/<id>/META.yaml` and what lies beside it.

Identity: a folder a work item, in the folder of its project or in `children/` of another one; its id is
`YYYYMMDD-HHMMSS_<slug>`. `META.yaml` is flat, for people to edit: names that are not known here, comments and order
survive. Atomic: each file is replaced whole, and an item is changed under the lock of its project. A folder is made
together with its `META.yaml` and its criteria, others in it when something goes into them, so that there is no empty
one. Callers hand in texts without secrets. Links are not followed.
"""

from __future__ import annotations

import os
import time

from holdfast.base import files
from holdfast.base.clock import iso
from holdfast.base.light_records import dataclass, replace
from holdfast.errors import BadInput, Conflict, NotFound, Refused
from holdfast.learning.work import criteria
from holdfast.learning.work import text as work_text
from holdfast.learning.work.criteria import Criteria
from holdfast.project.ids import check_id, is_id
from holdfast.store import front_matter, layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.store.front_matter import Value

FOLDER, META, CHILDREN = "work", "META.yaml", "children"
ACTIVE, COMPLETED = "ACTIVE", "COMPLETED"
# Opened by a hook, by hand, or by a harvest out of a transcript that no hook told of.
AUTO, MANUAL, ARCHIVE = SOURCES = "AUTO", "MANUAL", "ARCHIVE"
EFFORTS = ("quick", "standard", "deep")
MAX_FILES = 200
MAX_NAMES = 50
MAX_OUTCOME = 300
# What the agent says of its own work is told as that.
BY_AGENT = "the agent says: "
# What META.yaml says; every other name in it is a person's.
_LISTED, _COUNTED = ("tools_used", "files_changed", "agents_spawned"), ("calls", "seconds")
NAMES = (
    *("id", "title", "status", "source", "effort", "project", "sessions", "parent", "created_at", "updated_at"),
    *("completed_at", "outcome", "learned", *_LISTED, *_COUNTED),
)
_MAX_META = 64_000
_MAX_LOOKED_AT = 100
_BEGINNING = 1_024
_DEEPEST = 5
_WAIT_SECONDS = 3.0
# Up to so many files, calls and minutes of work it is quick; beyond the others it is deep.
_QUICK, _DEEP = (2, 15, 15), (12, 150, 120)


@dataclass(frozen=True, slots=True)
class Lineage:
    """What was used and changed for a work item; `seconds` without the long pauses."""

    tools_used: tuple[str, ...] = ()
    files_changed: tuple[str, ...] = ()
    agents_spawned: tuple[str, ...] = ()
    calls: int = 0
    seconds: int = 0


@dataclass(frozen=True, slots=True)
class Work:
    """One work item. `sessions` are those that worked on it, as `AGENT/ID`, the last one last.

    `outcome` is how somebody says that it ended, `learned` has the ids of the lessons that came of it.
    """

    id: str
    title: str
    project: str
    status: str = ACTIVE
    source: str = AUTO
    effort: str = "quick"
    sessions: tuple[str, ...] = ()
    parent: str = ""
    created_at: str = ""
    updated_at: str = ""
    completed_at: str = ""
    outcome: str = ""
    learned: tuple[str, ...] = ()
    lineage: Lineage = Lineage()
    path: str = ""

    @property
    def is_open(self) -> bool:
        """Whether it is not completed yet."""
        return self.status != COMPLETED


def effort_of(lineage: Lineage) -> str:
    """Return how much effort a work item took: by its files, calls and minutes."""
    counts = len(lineage.files_changed), lineage.calls, lineage.seconds / 60
    if any(count > most for count, most in zip(counts, _DEEP, strict=True)):
        return "deep"
    return "quick" if all(count <= most for count, most in zip(counts, _QUICK, strict=True)) else "standard"


def folder_of(home: str, project: str) -> str:
    """Return where the work items of a project are; refused where a link leads elsewhere."""
    check_id(project)
    files.refuse_links(home, f"{FOLDER}/{project}")
    return os.path.join(home, FOLDER, project)


def lock(home: str, project: str) -> files.Lock:
    """Return the lock under which work items of a project are changed."""
    return files.lock_of(home, f"work-{check_id(project)}", _WAIT_SECONDS)


def is_work_id(text: str) -> bool:
    """Whether the text is `YYYYMMDD-HHMMSS_<slug>`."""
    stamp, _, slug = text.partition("_")
    day, _, clock = stamp.partition("-")
    digits = len(day) == 8 and len(clock) == 6 and day.isdigit() and clock.isdigit()
    return digits and bool(slug) and is_id(text)


def id_of(one: Work) -> str:
    """Return the id that its beginning and its title give to a work item."""
    stamp = one.created_at[:19].replace("-", "").replace(":", "").replace("T", "-")
    return f"{stamp}_{work_text.slug_of(one.title)}"


def make(home: str, one: Work, isc: Criteria) -> Work:
    """Make the folder of a new work item with its META.yaml and criteria, under an id that is free; return it."""
    folder = folder_of(home, one.project)
    stamp, _, slug = id_of(one).partition("_")
    name = _free_id(folder, stamp, slug)
    if not is_work_id(name):
        raise BadInput(f"{one.created_at[:40]!a} is not a time", "Give it as 2026-05-04T10:00:00Z.")
    made = replace(one, id=name, path=os.path.join(folder, name))
    # Whoever looks sees the whole item or none; what a power cut leaves is hidden and holds nothing of worth.
    unfinished = os.path.join(folder, f"{files.TEMPORARY}{name}")
    files.make_folder(unfinished)
    write(replace(made, path=unfinished))
    criteria.write(unfinished, isc)
    _rename(unfinished, made.path)
    return made


def named_after_title(one: Work) -> Work:
    """Return an item with the id, and the place, that its title would have given it; nothing is moved."""
    stamp = one.id.partition("_")[0]
    folder = os.path.dirname(one.path)
    name = _free_id(folder, stamp, work_text.slug_of(one.title), own=one.id)
    return replace(one, id=name, path=os.path.join(folder, name))


def _free_id(folder: str, stamp: str, slug: str, *, own: str = "") -> str:
    """Return an id that no other item in the folder has."""
    name, number = f"{stamp}_{slug}", 1
    while name != own and os.path.lexists(os.path.join(folder, name)):
        number += 1
        name = f"{stamp}_{slug[: work_text.MAX_SLUG - 4]}-{number}"
    return name


def move(one: Work, to: Work) -> None:
    """Give the folder of an item the place of another id of it."""
    if one.path != to.path:
        _rename(one.path, to.path)


def children_of(one: Work) -> list[Work]:
    """Return the items that lie in this one."""
    folder = os.path.join(one.path, CHILDREN)
    return [child for name in files.folders_in(folder) if (child := read(os.path.join(folder, name), one.project))]


def _rename(source: str, target: str) -> None:
    try:
        os.rename(source, target)
        files.sync_folder(os.path.dirname(target))
        files.sync_folder(os.path.dirname(source))
    except OSError as problem:
        raise files.unavailable(problem, target) from problem


def write(one: Work) -> Work:
    """Write the META.yaml of a work item, and leave in it whatever is not ours."""
    path = os.path.join(one.path, META)
    before = files.read_if_there(path).decode("utf-8", "surrogateescape")
    head, document = _document(before)
    known = front_matter.values(document)[0]
    changes = {name: value for name, value in _fields(one).items() if known.get(name) != value}
    line = f"---{document.newline}"
    after = head + str(front_matter.change(document, changes)).removeprefix(line).removesuffix(line)
    if after != before:
        files.write(path, after.encode("utf-8", "surrogateescape"))
    return one


def _document(text: str) -> tuple[str, front_matter.Document]:
    """Return what stands before the entries of a META.yaml, and it as front matter, which has a line around it."""
    head = text[: text.index("\n") + 1] if text.startswith("---") and "\n" in text else ""
    inner = text[len(head) :]
    newline = "\r\n" if "\r\n" in text else "\n"
    inner += newline if inner and not inner.endswith("\n") else ""
    # A person's own line of three hyphens ends what is read as ours, and stays.
    return head, front_matter.parse(f"---{newline}{inner}---{newline}")


def _fields(one: Work) -> dict[str, Value | None]:
    told = {name: getattr(one.lineage if name in (*_LISTED, *_COUNTED) else one, name) for name in NAMES}
    numbers = {name: front_matter.Plain(told[name]) for name in _COUNTED}
    # What there is not is not written.
    optional = {name: told[name] or None for name in ("parent", "completed_at", "outcome", "learned")}
    return {**told, **numbers, **optional}


def read(path: str, project: str) -> Work | None:
    """Return the work item of a folder, or None where its META.yaml is missing or says no status."""
    try:
        text = files.read(os.path.join(path, META), _MAX_META).decode("utf-8", "replace")
    except (NotFound, Refused):
        return None
    return _parsed(text, path, project)


def _parsed(text: str, path: str, project: str) -> Work | None:
    told = front_matter.values(_document(text)[1])[0]
    name = os.path.basename(path)
    if not is_work_id(name) or not told:
        return None
    status, effort, source = _one(told, "status").upper(), _one(told, "effort"), _one(told, "source").upper()
    return Work(
        # The folder's name is the id, whatever somebody wrote into the file.
        id=name,
        title=_one(told, "title") or name.partition("_")[2],
        project=project,
        status=COMPLETED if status == COMPLETED else ACTIVE,
        source=source if source in SOURCES else AUTO,
        effort=effort if effort in EFFORTS else "standard",
        sessions=_several(told, "sessions"),
        updated_at=_one(told, "updated_at") or _one(told, "created_at"),
        learned=_several(told, "learned"),
        **{name: _one(told, name) for name in ("parent", "created_at", "completed_at", "outcome")},
        lineage=Lineage(
            **{name: _several(told, name) for name in _LISTED},
            calls=_number(told, "calls"),
            seconds=_number(told, "seconds"),
        ),
        path=path,
    )


def _one(told: dict[str, Value], name: str) -> str:
    value = told.get(name, "")
    return value if isinstance(value, str) else ", ".join(value)


def _several(told: dict[str, Value], name: str) -> tuple[str, ...]:
    value = told.get(name, ())
    return value if isinstance(value, tuple) else (value,) if value else ()


def _number(told: dict[str, Value], name: str) -> int:
    text = _one(told, name)
    return int(text) if text.isdecimal() and len(text) < 10 else 0


def items(home: str, project: str) -> list[Work]:
    """Return every work item of a project, those in other ones too; open ones first, then the newest first."""
    found = [one for folder in _folders(folder_of(home, project), 0) if (one := read(folder, project))]
    return sorted(sorted(found, key=_when, reverse=True), key=lambda one: not one.is_open)


def folders_directly_in(home: str, project: str) -> list[str]:
    """Return the folders of the work items of a project, without those in other ones."""
    folder = folder_of(home, project)
    return [os.path.join(folder, name) for name in files.folders_in(folder) if is_work_id(name)]


def folders_below(folder: str) -> Iterator[str]:
    """Return the folders of the work items that lie in another one."""
    return _folders(os.path.join(folder, CHILDREN), 1)


def _when(one: Work) -> tuple[str, str]:
    return one.updated_at, one.id


def find(home: str, project: str, name: str) -> Work:
    """Return the work item of that id, or of which that is the unique beginning of the id or of its slug."""
    path = os.path.join(folder_of(home, project), name)
    if is_work_id(name) and not os.path.islink(path) and (one := read(path, project)):
        return one
    every, told = items(home, project), name.casefold()
    found = [one for one in every if one.id == name]
    if not found and name:
        found = [one for one in every if one.id.startswith(told) or one.id.partition("_")[2].startswith(told)]
    if not found:
        raise NotFound(f"there is no work item {name[:80]!a} in {project}", "`holdfast work --all` lists them.")
    if len(found) > 1:
        named = ", ".join([one.id for one in found[:5]])
        raise BadInput(f"{len(found)} work items begin like that: {named}", "Give the whole id.")
    return found[0]


def open_work(home: str, project: str, hours: float) -> list[Work]:
    """Return the open work items that were worked on within so many hours, the newest first."""
    since, folder = time.time() - hours * 3_600, folder_of(home, project)
    # What was written later than that was worked on later at most. A session's start looks at no more than some.
    newest = [name for changed, name in _by_change(folder) if changed >= since][:_MAX_LOOKED_AT]
    paths = [os.path.join(folder, name) for name in newest]
    found = [one for path in paths if not _is_surely_closed(path) and (one := read(path, project)) and one.is_open]
    children = [
        child
        for one in found
        for path in _folders(os.path.join(one.path, CHILDREN), 1)
        if (child := read(path, project)) and child.is_open
    ]
    every = sorted([*found, *children], key=_when, reverse=True)
    return [one for one in every if one.updated_at >= iso(since)]


def _is_surely_closed(path: str) -> bool:
    """Whether the beginning of a META.yaml says so in the way in which it is written here; most items are closed."""
    try:
        return b"\nstatus: COMPLETED\n" in files.read(os.path.join(path, META), _BEGINNING)
    except (NotFound, Refused):
        return True


def _by_change(folder: str) -> list[tuple[float, str]]:
    """Return when the META.yaml of each item in the folder was written, and its name, the last one first."""
    found = []
    for name in files.folders_in(folder):
        try:
            found.append((os.stat(os.path.join(folder, name, META), follow_symlinks=False).st_mtime, name))
        except OSError:
            continue
    return sorted(found, reverse=True)


def _folders(folder: str, depth: int) -> Iterator[str]:
    """Yield the folders of work items below one, those of their children among them."""
    if depth > _DEEPEST or os.path.islink(folder):
        return
    for name in files.folders_in(folder):
        if is_work_id(name):
            yield os.path.join(folder, name)
            yield from _folders(os.path.join(folder, name, CHILDREN), depth + 1)


def nest(child: Work, parent: Work) -> Work:
    """Move a work item into `children/` of another one of its project, and return it as it is there."""
    if child.id == parent.id or f"{parent.path}/".startswith(f"{child.path}/"):
        raise Conflict(f"{child.id} cannot lie in itself", "Give another parent.")
    target = os.path.join(parent.path, CHILDREN, child.id)
    files.refuse_links(parent.path, CHILDREN)
    moved = write(replace(child, parent=parent.id))
    if child.path == target:
        return moved
    files.make_folder(os.path.dirname(target))
    _rename(child.path, target)
    return replace(moved, path=target)


def put(one: Work, part: str, name: str, text: str) -> str:
    """Write a file into a folder of the work item, which is made with it, and return its path.

    A file of that name that is there stays as it is: it says the same.
    """
    path = layout.contained(one.path, f"{part}/{name}")
    if not os.path.lexists(path):
        files.put(path, text.encode("utf-8", "replace"))
    return path


def names_in(one: Work, part: str) -> list[str]:
    """Return the names of the files in a folder of the work item, in order; none where there is no such folder."""
    return files.names_in(os.path.join(one.path, part))


def extended(lineage: Lineage, more: Lineage) -> Lineage:
    """Return a lineage with what came afterwards; of more names than are kept the oldest go."""
    every = {name: dict.fromkeys([*getattr(lineage, name), *getattr(more, name)]) for name in _LISTED}
    most = {"files_changed": MAX_FILES}
    names = {name: tuple(found)[-most.get(name, MAX_NAMES) :] for name, found in every.items()}
    return Lineage(**names, calls=lineage.calls + more.calls, seconds=lineage.seconds + more.seconds)
