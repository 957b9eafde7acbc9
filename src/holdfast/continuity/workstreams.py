"""Workstreams: sessions that belong together, by their branch, or else by the files that they change together."""

from __future__ import annotations

from collections import Counter

from holdfast.base.light_records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# Branches on which everything happens, so that they tell nothing.
_COMMON = frozenset(("main", "master", "develop", "dev", "trunk", "head", "default", ""))
# So many common files make one workstream of two sessions, or so great a part of the smaller one's.
_SHARED_FILES = 2
_SHARED_PART = 0.5
_MIN_SESSIONS = 2
_DEEPEST = 3


@dataclass(frozen=True, slots=True)
class Work:
    """What one session did, from its digest or from the daily log. Paths begin at the project's root.

    `merged` are the branches that it merged, `failed` what still failed when it ended.
    """

    source: str
    agent: str
    ended: str
    title: str = ""
    outcome: str = ""
    branches: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    merged: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    decided: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Stream:
    """Sessions that belong together, oldest first, and what names them: a branch, or a folder."""

    name: str
    works: tuple[Work, ...]
    branch: str = ""

    @property
    def last(self) -> Work:
        """The session that ended last."""
        return self.works[-1]

    @property
    def files(self) -> frozenset[str]:
        """All files that were changed."""
        return frozenset(path for work in self.works for path in work.files)


def streams(works: Iterable[Work]) -> list[Stream]:
    """Return the workstreams, the one that was touched last first."""
    by_branch: dict[str, list[Work]] = {}
    others: list[Work] = []
    for work in sorted(works, key=_ended):
        own = [branch for branch in work.branches if branch.casefold() not in _COMMON]
        for branch in own:
            by_branch.setdefault(branch, []).append(work)
        if not own and work.files:
            others.append(work)
    found = [Stream(branch, tuple(group), branch) for branch, group in by_branch.items()]
    found += [_by_folder(group) for group in _together(others) if len(group) >= _MIN_SESSIONS]
    return sorted(_named_once(found), key=lambda one: one.last.ended, reverse=True)


def _ended(work: Work) -> tuple[str, str]:
    return work.ended, work.source


def _together(works: Sequence[Work]) -> list[list[Work]]:
    """Return groups of sessions of which each shares files with another one of its group."""
    groups: list[tuple[set[str], list[Work]]] = []
    for work in works:
        files = set(work.files)
        near = [group for group in groups if _shares(files, group[1])]
        groups = [group for group in groups if not any(group is one for one in near)]
        merged = sorted([work, *(one for group in near for one in group[1])], key=_ended)
        groups.append((files.union(*(group[0] for group in near)), merged))
    return [group[1] for group in groups]


def _shares(files: set[str], group: Iterable[Work]) -> bool:
    for work in group:
        common = len(files.intersection(work.files))
        if common >= _SHARED_FILES or (common and common >= _SHARED_PART * min(len(files), len(set(work.files)))):
            return True
    return False


def _by_folder(group: list[Work]) -> Stream:
    """Name a group by the folder in which most of its sessions changed something; the deepest of several."""
    counted = Counter(folder for work in group for folder in {one for path in work.files for one in _folders(path)})
    name = max(counted, key=lambda folder: (counted[folder], folder.count("/"), folder)) if counted else ""
    return Stream(name or "(top folder)", tuple(group))


def _folders(path: str) -> list[str]:
    parts = path.split("/")[:-1][:_DEEPEST]
    return ["/".join(parts[:length]) for length in range(1, len(parts) + 1)]


def _named_once(found: list[Stream]) -> list[Stream]:
    """Return the streams with those of one name joined, so that a row of the page is one workstream."""
    joined: dict[str, Stream] = {}
    for one in found:
        there = joined.get(one.name)
        works = {work.source: work for work in (*(there.works if there else ()), *one.works)}
        joined[one.name] = Stream(one.name, tuple(sorted(works.values(), key=_ended)), one.branch)
    return list(joined.values())
