"""Which project is this folder? One resolver for everything; docs/projects.md has its rules.

Override, remote, repository, marker, path: the first that applies wins. `resolve` only reads. What it learned (a move,
an id that is proven to be the same project) is written by `record`, which the caller uses when it stores something, so
that looking around leaves no trace.

It is on the path of every prompt hook, and git is read from its files, never spawned: `git_program` has what only
commands ask git for. `anchors` checks what memories name in the project's code.
"""

from __future__ import annotations

import os

from holdfast.base.light_records import dataclass
from holdfast.errors import ScopeUnknown
from holdfast.project import git
from holdfast.project.git import within
from holdfast.project.ids import Remote, check_id, hashed_id, is_hex, is_id, local_id, locate, printable, remote_id
from holdfast.records import Project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.project.git import Repository
    from holdfast.project.marker import Marker
    from holdfast.project.registry import Known, Registry, Row

MAX_HOPS = 5
MAX_OFFERED = 3
_SEEN = {
    "copy": "this repository is a copy of one that is still there, known",
    "unsure": "this repository may be one that was known",
}
_WAYS_OUT = "cd into a project, or use --scope global, or name one with --project ID"


@dataclass(frozen=True, slots=True)
class Ruling:
    """What a rule says: `same` are ids proven to be the same project, `rows` what the registry may learn."""

    id: str
    rule: str
    reason: str
    root: str
    same: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()


def resolve(folder: str, registry: Registry, *, override: str = "", override_from: str = "HOLDFAST_PROJECT") -> Project:
    """Return which project a folder is, by the first rule that applies; an empty override is none.

    Raises BadId for a bad override, and ScopeUnknown where there is no project.
    """
    known = registry.known()
    if override:
        name = check_id(override, override_from)
        return _project(Ruling(name, "override", f"{override_from} names it", _real(folder)), known)
    search = Search(folder, known)
    return _project(search.found(), known, search)


def record(project: Project, registry: Registry) -> None:
    """Write down what `resolve` learned about this project, if it still holds; nothing for an override."""
    if project.rule == "override":
        return
    known = registry.known()
    try:
        found = Search(project.root, known).found()
    except ScopeUnknown:
        return
    if known.canonical(found.id) == project.id:
        registry.append(*found.rows, ("path", found.id, found.root))


def home_folder() -> str:
    """Return the real path of the person's home folder, empty if there is none."""
    return _real(os.path.expanduser("~"))


def free_id(
    name: str, path: str, known: Known, *, fresh: bool = False, is_others: Callable[[str], bool] = lambda made: False
) -> str:
    """Return the id that a path gives; another if that belongs elsewhere or, if `fresh`, to anything."""
    # A project that moved away took its id along, so the next one at the same path must not get it.
    for count in range(1000):
        made = hashed_id(name, f"{path}\n{count}" if count else path)
        if not known.belongs_elsewhere(made, "" if fresh else path) and not is_others(made):
            return made
    raise ScopeUnknown(f"no free project id for {printable(path)}", hint=_WAYS_OUT)


class Search:
    """One look at one folder. `notes` gathers what a person should know, whichever rule wins, `offers` what it was."""

    __slots__ = ("home", "known", "notes", "offers", "place")

    def __init__(self, folder: str, known: Known) -> None:
        self.known = known
        self.notes: list[str] = []
        self.offers: list[str] = []
        self.home = home_folder()
        self.place = _real(folder)
        if not self.place:
            raise ScopeUnknown("the working directory is gone, so there is no project here", hint=_WAYS_OUT)

    def found(self) -> Ruling:
        """Return what the first rule says that applies."""
        if self.place in (self.home, "/"):
            which = "/" if self.place == "/" else "the home folder"
            raise ScopeUnknown(f"{which} is not a project", hint=_WAYS_OUT)
        if found := self.by_git() or self._by_marker():
            return found
        made = free_id(os.path.basename(self.place), self.place, self.known, is_others=self._is_of_marked)
        self._offer_vanished(made, self.place, self.place)
        rows = inode_row(made, self.place)
        return Ruling(
            made, "path", "no repository and no marker, so the path of the folder names it", self.place, (), rows
        )

    def by_git(self) -> Ruling | None:
        """Return what the remote or the repository says; None if the folder is in none that counts."""
        try:
            repository = git.find(self.place, self._counts)
        except git.Unusable as unusable:
            self.notes.append(str(unusable))
            return None
        if repository is None:
            return None
        if found := self._by_remote(repository):
            return found
        made, reason, rows = self._repository_id(repository.common)
        if rows[:1] == inode_row(made, repository.common):  # it has no log to be known by
            self._offer_vanished(made, repository.root, repository.common)
        return Ruling(made, "repository", reason, repository.root, rows=rows)

    def _offer_vanished(self, made: str, root: str, named: str) -> None:
        """Note which folders that are gone this one may have been; `named` is what gave it the id."""
        known, inode = self.known, _inode(named)
        # The number of a folder that was deleted may be given again, so that it is no proof.
        near = [each for each, stamp in known.inodes.items() if stamp[0] == inode]
        if not near and not known.ids_at(root):
            numbered, (above, name) = {id for id, _ in known.inodes}, os.path.split(root)
            for id, path in known.paths():
                if os.path.basename(path) == name or (id not in numbered and os.path.dirname(path) == above):
                    near.append((id, path))
        gone = [
            (id, path)
            for id, path in near
            if known.canonical(id) != known.canonical(made)
            and known.stands_alone(id)
            and is_hex(id[-12:], 12)
            and not os.path.lexists(path)
        ]
        for id, path in dict(gone[-MAX_OFFERED:]).items():
            self.offers.append(_merge_note(f"{printable(path)} is gone, which was known", id))

    def _counts(self, root: str) -> bool:
        # Dotfiles kept in git: every folder below the home would become that one project.
        wide = root == "/" or (within(self.home, root) and within(self.place, self.home))
        if wide:
            self.notes.append(f"the git repository at {printable(root)} holds the home folder, so it does not count")
        return not wide

    def _by_remote(self, repository: Repository) -> Ruling | None:
        chain, via = [repository], ""
        while remote_of := self._remote(chain[-1]):
            name, place = remote_of
            if place.address:
                made = remote_id(place.address)
                return self._remote_found(made, f"{via}{name} names it", chain)
            path = os.path.realpath(os.path.join(chain[-1].base, place.path))
            after = git.of_remote(path)
            via += f"{name} is a repository on this machine, and "
            if after is None:
                return self._remote_found(self._missing(path), f"{via}it is not there now", chain)
            commons = [step.common for step in chain]
            if after.common in commons:  # all members of a loop agree on one
                return self._by_source(chain, min(commons[commons.index(after.common) :]), via)
            if len(chain) > MAX_HOPS:
                return self._by_source(chain, commons[-1], via)
            chain.append(after)
        return self._by_source(chain, chain[-1].common, via)

    def _by_source(self, chain: list[Repository], common: str, via: str) -> Ruling | None:
        if len(chain) == 1:
            return None
        made, _, rows = self._repository_id(common)
        return self._remote_found(made, f"{via}its git directory names it", chain, rows)

    def _remote_found(self, made: str, reason: str, chain: list[Repository], rows: tuple[Row, ...] = ()) -> Ruling:
        same = tuple(dict.fromkeys(old for step in chain for old in self._same(made, step.common)))
        rows += tuple(("alias", old, made) for old in same)
        return Ruling(made, "remote", reason, chain[0].root, same, rows)

    def _same(self, made: str, common: str) -> list[str]:
        old, how = _recorded(self.known, common)
        if how not in ("here", "moved") or self.known.canonical(made) == self.known.canonical(old):
            return []
        if self.known.stands_alone(old):
            return [old]
        self.notes.append(_merge_note("this repository was known", old))
        return []

    def _missing(self, path: str) -> str:
        # The repository may have moved; its clones stay with the id that the registry has for the old place.
        places = git.common_dirs_of_remote(path)
        ids = [name for name, (_, where) in self.known.repositories.items() if where in places]
        return ids[-1] if ids else local_id(path)

    def _remote(self, repository: Repository) -> tuple[str, Remote] | None:
        try:
            urls = git.remotes(repository)
        except git.Unusable as unusable:
            self.notes.append(str(unusable))
            return None
        if not urls:
            return None
        # Also on the way of a local remote: what anybody's files can say names nothing.
        is_content = git.is_content(repository.common, self._counts)
        if is_content or repository.is_claim or repository.is_others:
            why = (
                "lies among the files of a work tree"
                if is_content
                else "is a bare repository that no work tree points to"
            )
            why = "belongs to another user" if repository.is_others else why
            self.notes.append(f"{printable(repository.common)} {why}, so its remotes are not used")
            return None
        name = "origin" if "origin" in urls else min(urls)
        # The name of a remote can itself be a url, so a strange one is not repeated.
        label = f"the git remote {name}" if is_id(name) else "a git remote"
        place = locate(urls[name])
        if place is None:
            self.notes.append(f"{label} has an address that cannot be read, so it is not used")
        return (label, place) if place else None

    def _repository_id(self, common: str) -> tuple[str, str, tuple[Row, ...]]:
        made, how = _recorded(self.known, common)
        reason = f"the git directory {printable(common)} names it, as there is no remote to use"
        if how == "moved":
            before = printable(self.known.repositories[made][1])
            reason = f"the git directory moved here from {before}, so the project keeps its id"
        elif how != "here":
            if how:
                self.notes.append(_merge_note(_SEEN[how], made))
            made = free_id(git.name_of(common), common, self.known, is_others=lambda id: self._was_another(id, common))
        mark = git.fingerprint(common)
        rows = inode_row(made, common)
        return made, reason, ((("repository", made, mark, common), *rows) if mark else rows)

    def _was_another(self, id: str, common: str) -> bool:
        """Tell whether it was another repository that had this id at the same place."""
        mark, _ = self.known.repositories.get(id, ("", ""))
        is_whole = git.has_whole_log(common)
        if mark and is_whole and mark != git.fingerprint(common):
            return True
        # The log may begin later or not be there, so that only the directory itself can be compared.
        if recorded := self.known.inodes.get((id, common)):
            return not _is_same(recorded, common)
        return bool(mark) and not is_whole

    def _by_marker(self) -> Ruling | None:
        # Most projects are repositories.
        from holdfast.project import marker

        root = marker.find(self.place, self.home)
        if root is None:
            return None
        try:
            tag = marker.read(root)
        except marker.BadMarker as bad:
            self.notes.append(f"{bad}; `holdfast project mark --new` writes a new one")
            return None
        return self._by_tag(root, tag) if tag else None

    def _is_of_marked(self, id: str) -> bool:
        """Tell whether an id is that of a marked folder which was here before this one."""
        recorded = self.known.inodes.get((id, self.place), ()) if id in self.known.markers else ()
        return recorded != () and recorded[0] != _inode(self.place)

    def _by_tag(self, root: str, tag: Marker) -> Ruling | None:
        from holdfast.project import marker

        nonce, path = self.known.markers.get(tag.id, ("", ""))
        where = f"the marker in {printable(root)}"
        if nonce != tag.nonce:
            why = "was not made here, so it is not used; `holdfast project mark --adopt` accepts it"
        elif not _has_moved(self.known, tag.id, path, root, is_there=path != root and marker.is_at(path, tag)):
            there = (
                "; if that was this folder, `holdfast project mark --adopt` says so"
                if path == root or not marker.is_at(path, tag)
                else ""
            )
            first = "that was here" if path == root else f"in {printable(path)}"
            why = (
                f"is a copy of the one {first}, so it is not used; "
                f"`holdfast project mark --new` makes this folder a project of its own{there}"
            )
        else:
            moved = "" if path == root else f"; the folder moved here from {printable(path)}"
            rows = (("marker", tag.id, tag.nonce, root), *inode_row(tag.id, root))
            return Ruling(tag.id, "marker", f"{where} names it{moved}", root, rows=rows)
        self.notes.append(f"{where} {why}")
        return None


def _project(found: Ruling, known: Known, search: Search | None = None) -> Project:
    notes, offers = (search.notes + search.offers, tuple(search.offers)) if search else ([], ())
    name = known.canonical(found.id)
    reason = found.reason if name == found.id else f"{found.reason}; {found.id} was merged into {name}"
    names = {name, found.id, *found.same}
    for one in (name, *found.same):
        names |= known.merged_into(one)
    if found.rule != "override":
        before = [old for old in known.ids_at(found.root) if known.canonical(old) not in names]
        notes = notes + [_merge_note("this folder was known", old) for old in before]
    aliases = tuple(sorted(names - {name}))
    return Project(name, found.rule, reason, found.root, aliases, tuple(dict.fromkeys(notes)), offers)


def _merge_note(what: str, old: str) -> str:
    return f"{what} as {old}; if it is the same project, `holdfast project merge {old}` joins them"


def _recorded(known: Known, common: str) -> tuple[str, str]:
    """Return the id a repository is recorded under, and how: here, moved, copy, unsure; or empty texts."""
    mark = git.fingerprint(common)
    rows = [(name, path) for name, (other, path) in known.repositories.items() if mark and other == mark]
    at_place = [name for name, path in rows if path == common]
    here = [name for name in at_place if _is_same(known.inodes.get((name, common), ()), common)]
    if here:
        return here[-1], "here"
    gone = [(name, path) for name, path in rows if git.fingerprint(path) != mark]
    moved = [name for name, path in rows if _has_moved(known, name, path, common, is_there=(name, path) not in gone)]
    if len(moved) == 1:
        return moved[0], "moved"
    if gone or at_place:
        return gone[-1][0] if gone else at_place[-1], "unsure"
    return (rows[-1][0], "copy") if rows else ("", "")


def _has_moved(known: Known, id: str, before: str, place: str, *, is_there: bool) -> bool:
    """Tell whether a folder with the right tag is the one that was at `before`: a rename keeps the inode, a copy not.

    What an older version recorded has no inode; then it moved if it is no longer there.
    """
    recorded = known.inodes.get((id, before))
    return _is_same(recorded, place) if recorded else not is_there


def _is_same(recorded: tuple[str, ...], place: str) -> bool:
    """Tell whether a folder is the one whose stamp was recorded; of one without a stamp nothing speaks against it."""
    if len(recorded) < 2:
        return not recorded or recorded[0] == _inode(place)
    number, modified, changed = _stamp(place)
    # A number is given again after a removal, but not with the old time. A copy can keep that time, but neither the
    # number nor the time of its own making. Some disks number again at each mount, and `chmod` moves the last time.
    return modified == recorded[1] and (number == recorded[0] or changed == recorded[2])


def _inode(path: str) -> str:
    """Return the inode of a folder, empty if nobody can tell."""
    return _stamp(path)[0]


def _stamp(path: str) -> tuple[str, str, str]:
    """Return the inode of a folder, and the times of the file that came into it at its beginning and stays as it is.

    That is the marker, or the `description` of a git directory. Empty texts where nobody can tell.
    """
    try:
        number = str(os.stat(path).st_ino or "")
    except OSError:
        return "", "", ""
    for name in (".holdfast-project", "description"):
        try:
            found = os.lstat(os.path.join(path, name))
            return number, str(found.st_mtime_ns), str(found.st_ctime_ns)
        except OSError:
            continue
    return number, "", ""


def inode_row(id: str, path: str) -> tuple[Row, ...]:
    """Return the row that says which folder it is, for a git directory or a marked folder with its stamp."""
    number, *times = _stamp(path)
    return (("inode", id, path, number, *filter(None, times)),) if number else ()


def _real(folder: str) -> str:
    """Return the real path of a folder, empty if it is not there."""
    try:
        path = os.path.realpath(folder or ".")
    except (OSError, ValueError):
        return ""
    return path if os.path.isdir(path) else ""
