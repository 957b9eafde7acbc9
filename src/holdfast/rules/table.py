"""The rules of one scope as hooks ask for them: `state/rules/<digest>`, a file a scope.

Identity: the file is named by a digest of the scope. Its first line has the stamps of the scope's folders, each other
line is one rule with the stamp and the digest of its file. It is derived and may be lost. It is believed as long as
this version of Holdfast wrote it and every stamp agrees: a memory that comes, goes or gets another name changes its
folder, and one that is edited its own stamp; of a rule that is about to be told the bytes are compared, too. Where it
is not believed, the index is brought up to date, which reads what changed, and the file is written again, with the rows
of files that are as they were; where that cannot be done, rules whose file is as it was still count. `state/rules/` has
no more files than there are scopes.

A file of many that had no condition and is given one in place, by an editor that does not replace it, is seen when the
scope is next looked at: by any command, or by a hook, each of which looks at some of the newest files.
"""

from __future__ import annotations

import os
import time

from holdfast.base import files
from holdfast.base.files import file_digest
from holdfast.base.light_records import dataclass
from holdfast.base.package import __version__
from holdfast.base.text import hash_of
from holdfast.errors import HoldfastError
from holdfast.records import Scope
from holdfast.store import layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from holdfast.workspace import Workspace

FOLDER = ("state", "rules")
_VERSION = f"3-{__version__}"
_APART, _NEEDLES = "\t", "\x1f"
_WIDTH = 10
# A needle of every condition that names a file.
_OF_FILES = "-delete"
_MAX_READ = 4_000_000
# Of so many files that are no rules the names are kept: those of the newest.
MAX_NAMES = 2_000
MAX_TEXT = 300
# So many bytes of names, of files that are no rules, are looked at in one hook: all of them in most scopes.
_PIECE, _MAX_LINE = 12_288, 512
# A change and a look within so many nanoseconds cannot be told apart by their times.
_TICK_NS = 50_000_000


@dataclass(frozen=True, slots=True)
class RuleRow:
    """One rule: what it does at a call, whose memory it is, its condition as a text and what it says, on one line.

    `needles` are texts of which a call must have one; `stamp` and `digest` are those of its file.
    """

    needles: tuple[str, ...]
    does: str
    trust: str
    branch: str
    key: str
    path: str
    stamp: str
    digest: str
    condition: str
    text: str

    def is_likely(self, given: str) -> bool:
        """Whether its condition may hold for a call that was given this."""
        return not self.needles or any(one in given for one in self.needles)

    @property
    def is_of_files(self) -> bool:
        """Whether its condition names a file."""
        return _OF_FILES in self.needles


def rows(
    workspace: Workspace, scope: Scope, rebuild: Callable[[Workspace, Scope], bool] | None = None
) -> list[RuleRow]:
    """Return the rules of a scope; what is not current is made again by `rebuild`, where that is given and possible."""
    root, place = os.path.join(workspace.home, "memory"), place_of(workspace.home, scope)
    base = layout.folder_of(scope)
    # Most scopes hold no memory: those of an agent's profile, of a session.
    if not os.path.isdir(f"{root}/{base}/{layout.MEMORIES}") and not _files_beside(root, base):
        return []
    found = _read(place, root)
    if found is None and rebuild is not None:
        found = _read(place, root) if rebuild(workspace, scope) else None
    if found is None:
        body = files.read_if_there(place, _MAX_READ).decode("utf-8", "replace").partition("\n")[2]
        found = [row for row in _rows_in(body) if _stamp(os.path.join(root, row.path)) == row.stamp]
    return found


def written(workspace: Workspace, scope: Scope) -> dict[tuple[str, str], RuleRow]:
    """Return the rules as they were written down last, by the stamp and the digest of their files, current or not."""
    data = files.read_if_there(place_of(workspace.home, scope), _MAX_READ).decode("utf-8", "replace")
    head, _, body = data.partition("\n")
    is_ours = head.partition(_APART)[0] == _VERSION
    return {(row.stamp, row.digest): row for row in _rows_in(body)} if is_ours else {}


def place_of(home: str, scope: Scope) -> str:
    """Return where the rules of a scope stand."""
    return os.path.join(home, *FOLDER, hash_of(str(scope)))


def discard(home: str) -> None:
    """Remove the rules of every scope: they quote memories, and are written again when somebody asks for them."""
    folder = os.path.join(home, *FOLDER)
    for name in files.names_in(folder, ""):
        files.discard(os.path.join(folder, name))


def is_as_read(home: str, row: RuleRow) -> bool:
    """Whether the file of a rule has the very bytes that the rule was read from."""
    try:
        return file_digest(files.read(os.path.join(home, "memory", row.path))).hex() == row.digest
    except HoldfastError:
        return False


def _read(place: str, root: str) -> list[RuleRow] | None:
    """Return the rules of a file; None where it is missing or no longer current."""
    head, _, body = files.read_if_there(place, _MAX_READ).decode("utf-8", "replace").partition("\n")
    parts = head.split(_APART)
    if parts[0] != _VERSION or len(parts) < 4 or not parts[1].isdigit():
        return None
    made, names, folders = int(parts[1]), parts[2], parts[3:]
    if _files_beside(root, folders[0].partition("|")[0]) != names:
        return None
    for one in folders:
        folder, _, stamp = one.partition("|")
        if stamp and _folder_stamp(os.path.join(root, folder)) != stamp:
            return None
    found = _rows_in(body)
    if any(_stamp(os.path.join(root, row.path)) != row.stamp for row in found):
        return None
    return None if _is_any_newer(place, root, made) else found


def _rows_in(body: str) -> list[RuleRow]:
    parted = [line.split(_APART) for line in body.split("\n") if line]
    return [
        RuleRow(tuple([one for one in row[0].split(_NEEDLES) if one]), *row[1:]) for row in parted if len(row) == _WIDTH
    ]


def _is_any_newer(place: str, root: str, made: int) -> bool:
    """Whether one of some files that are no rules was written since; where there are many, others each time."""
    for name in _some_names(f"{place}.names"):
        path, _, stamp = name.partition(_APART)
        try:
            if stamp and _stamp(f"{root}/{path}") != stamp:
                return True
            if not stamp and os.lstat(f"{root}/{path}").st_ctime_ns > made:
                return True
        except OSError:
            return True
    return False


def _some_names(place: str) -> list[str]:
    """Return the lines of a file, or of a long one those of one piece, another one each time."""
    try:
        descriptor = files.open_plain(place)
    except OSError:
        return []
    try:
        pieces = -(-os.fstat(descriptor).st_size // _PIECE)
        start = time.time_ns() // 1_000 % pieces * _PIECE if pieces > 1 else 0
        lines = os.pread(descriptor, _PIECE + _MAX_LINE, start)
    finally:
        os.close(descriptor)
    # A line belongs to the piece that it begins in.
    first = lines.find(b"\n") + 1 if start else 0
    last = lines.find(b"\n", _PIECE) if len(lines) > _PIECE else len(lines)
    found = lines[first : last if last >= 0 else len(lines)].decode("utf-8", "replace")
    return [line for line in found.split("\n") if line]


def _files_beside(root: str, folder: str) -> str:
    """Return the memories that lie directly in the folder of a scope, which others write into all the time."""
    try:
        names = os.listdir(os.path.join(root, folder))
    except OSError:
        return ""
    return "/".join(sorted([name for name in names if layout.is_memory_file(name, in_scope_folder=True)]))


def _stamp(path: str) -> str:
    try:
        status = os.lstat(path)
    except OSError:
        return ""
    return f"{status.st_ctime_ns}.{status.st_size}.{status.st_ino}"


def _folder_stamp(path: str) -> str:
    try:
        status = os.lstat(path)
    except OSError:
        return ""
    return f"{status.st_mtime_ns}.{status.st_ino}"


def head_of(workspace: Workspace, scope: Scope, folders: list[str]) -> str:
    """Return the first line of the file as it would be now; asked for before the rules are, so that it never lies."""
    root = os.path.join(workspace.home, "memory")
    base = layout.folder_of(scope)
    stamped = [f"{one}|{_folder_stamp(os.path.join(root, one))}" for one in folders if one != base]
    made = str(time.time_ns() - _TICK_NS)
    return _APART.join([_VERSION, made, _files_beside(root, base), f"{base}|", *stamped])


def write(
    workspace: Workspace,
    scope: Scope,
    head: str,
    found: Iterable[RuleRow],
    others: Iterable[tuple[str, int, int, int]],
) -> None:
    """Write the rules of a scope; `others` are files of its memories that are no rules: path, change time, size, inode.

    A stamp is kept of those alone that were just written: the others are older than the table.
    """
    made = int(head.split(_APART)[1])
    names = [f"{path}{_APART}{at}.{size}.{inode}" if at > made else path for path, at, size, inode in others]
    place = place_of(workspace.home, scope)
    lines = [head]
    for row in found:
        named = row.does, row.trust, row.branch, row.key, row.path, row.stamp, row.digest, row.condition, row.text
        lines.append(_APART.join([_NEEDLES.join(row.needles), *(" ".join(one.split()) for one in named)]))
    files.make_folder(os.path.dirname(place))
    files.write(f"{place}.names", "\n".join(names).encode("utf-8", "replace"), durable=False)
    files.write(place, "\n".join(lines).encode("utf-8", "replace"), durable=False)
