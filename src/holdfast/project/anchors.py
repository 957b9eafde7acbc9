"""Anchors: what a memory names in the code of its project, and whether that is still as it was.

    src/auth.py#login@0123456789ab        a name that is defined in a file
    src/auth.py:12-14@0123456789ab~80     lines, and how many characters they have
    pyproject.toml@0123456789ab           a whole file
    src/old.py>src/new.py#f@0123456789ab  a file that was renamed since, or a name that moved to another file
    CHANGELOG.md                          that the file is there, and no more
    src/auth.py#login@0123456789ab|89ab   the same, which was confirmed with another content: it holds with either

Paths are relative to the top of the project, so that they mean the same on every machine. Behind a `+` may stand the
beginning of the id that git gave the file's content. An anchor holds where the named lines say the same but for white
space, wherever in the file they stand by now. Nothing is looked for through a link or outside of the project. Hooks
check, so size and time of a file are asked first, against what `state/anchors/` has of the last look.
"""

from __future__ import annotations

import os
import stat
import time

from holdfast.base import files, minijson
from holdfast.base.light_records import dataclass, replace
from holdfast.base.text import hash_of
from holdfast.errors import HoldfastError
from holdfast.language import code_spans
from holdfast.project import git

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.records import Memory, Project

MAX_BYTES = 1_000_000
MAX_ANCHORS = 4
HOLDS, CHANGED, GONE = "holds", "changed", "gone"
_MAX_KNOWN = 1_000
MAX_CHECKED = 40
_MAX_NAMED = 2
_MAX_EARLIER = 3
_MAX_PATH = 240
# A file that changed within this time may change again without another time on it.
_SETTLED_NS = 2_000_000_000
_HEX = frozenset("0123456789abcdef")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


@dataclass(frozen=True, slots=True)
class Anchor:
    """One thing that a memory names: a file, and in it a symbol or lines, and the digest of what stood there.

    `was` is the path before a rename, `length` that of the named lines, `blob` the beginning of git's id of the file.
    `earlier` has digest and length of what stood there when it was found to hold before, the newest first.
    """

    path: str
    symbol: str = ""
    first: int = 0
    last: int = 0
    digest: str = ""
    length: int = 0
    blob: str = ""
    was: str = ""
    earlier: tuple[str, ...] = ()

    def __str__(self) -> str:
        lines = f":{self.first}" + (f"-{self.last}" if self.last > self.first else "") if self.first else ""
        place = f"{f'{self.was}>' if self.was else ''}{self.path}{f'#{self.symbol}' if self.symbol else lines}"
        seen = "|".join((f"@{self.seen}", *self.earlier)) if self.digest else ""
        return place + seen + (f"+{self.blob}" if self.blob else "")

    @property
    def seen(self) -> str:
        """What is kept of the content: its digest, and of lines how many characters they have."""
        return self.digest + (f"~{self.length}" if self.length else "")

    @property
    def name(self) -> str:
        """What it is called where the agent or the person is told of it."""
        where = f"{self.path} (was {self.was})" if self.was else self.path
        return f"{self.symbol} in {where}" if self.symbol else where


def parse(text: str) -> Anchor | None:
    """Return the anchor that a text of front matter says; None where it says none, as anybody may write there."""
    if not text.isprintable() or " " in text or len(text) > 2 * _MAX_PATH:
        return None
    place, mark, seen = text.rpartition("@")
    place, seen = (place, seen) if mark and set(seen) <= _HEX | set("~+|") else (text, "")
    seen, _, blob = seen.partition("+")
    seen, *earlier = seen.split("|")
    digest, _, length = seen.partition("~")
    was, _, place = place.rpartition(">")
    path, _, symbol = place.partition("#")
    path, _, lines = path.rpartition(":") if not symbol and ":" in path else (path, "", "")
    first, _, last = lines.partition("-")
    if not all(number.isdigit() or not number for number in (first, last, length)) or not is_inside(path):
        return None
    numbers = int(first or 0), int(last or first or 0)
    known = tuple([one for one in earlier if one.partition("~")[2].isdigit() or "~" not in one])
    return Anchor(path, symbol, *numbers, digest, int(length or 0), blob, was if was != path else "", known)


def is_inside(path: str) -> bool:
    """Whether a path is one within the project."""
    parts = path.split("/")
    return bool(path) and len(path) <= _MAX_PATH and not any(part in ("", ".", "..", ".git") for part in parts)


def read(root: str, path: str) -> str | None:
    """Return the text of a file of the project; None where it is none, lies behind a link, or is too large."""
    full = os.path.join(root, path)
    try:
        if os.path.realpath(full) != os.path.join(os.path.realpath(root), path):
            return None
        data = files.read_head(full, MAX_BYTES + 1, follow=False)
    except (OSError, ValueError):
        return None
    return code_of(path, data.decode("utf-8", "replace")) if len(data) <= MAX_BYTES and b"\0" not in data else None


def code_of(path: str, text: str) -> str:
    """Return what a file says: of a notebook what its cells have, without what they printed and how often they ran."""
    if not path.endswith(".ipynb"):
        return text
    try:
        read = minijson.loads(text)
    except ValueError:
        return text
    cells = read.get("cells") if isinstance(read, dict) else None
    if not isinstance(cells, list):
        return text
    sources = [
        source for cell in cells if isinstance(cell, dict) and isinstance(source := cell.get("source"), (str, list))
    ]
    return "\n\n".join([one if isinstance(one, str) else "".join(map(str, one)) for one in sources])


def named_text(anchor: Anchor, text: str) -> str | None:
    """Return what the anchor names in the text of its file; None where the name is not defined there."""
    if not anchor.symbol and not anchor.first:
        return text
    lines = text.split("\n")
    if anchor.first:
        return "\n".join(lines[anchor.first - 1 : anchor.last]) if anchor.last <= len(lines) else None
    spans = code_spans.defined(lines, anchor.symbol)
    return "\n".join([line for first, last in spans for line in lines[first:last]]) if spans else None


def verdict(anchor: Anchor, text: str) -> str:
    """Return whether what the anchor names is in the text as it was: HOLDS, CHANGED or GONE."""
    said = _verdict_of(anchor, anchor.seen, text)
    return HOLDS if said != HOLDS and any(_verdict_of(anchor, one, text) == HOLDS for one in anchor.earlier) else said


def _verdict_of(anchor: Anchor, seen: str, text: str) -> str:
    digest, _, length = seen.partition("~")
    if not digest:
        return HOLDS
    named = named_text(anchor, text)
    if length:
        is_there = named is not None and code_spans.digest_of_lines(named) == (digest, int(length))
        return HOLDS if is_there or code_spans.found_again(text, digest, int(length)) else CHANGED
    if named is None:
        return GONE
    return HOLDS if code_spans.digest(named) == digest else CHANGED


def confirmed(before: Sequence[str], found: Sequence[str]) -> tuple[str, ...]:
    """Return anchors that were found again; each still holds with what the same place had when it was found before.

    So what a branch confirms is not lost to the others, whose code is another.
    """
    known: dict[tuple[str, str, bool], list[Anchor]] = {}
    for one in parsed(before):
        known.setdefault((one.was or one.path, one.symbol, one.first > 0), []).append(one)
    made = []
    for one in parsed(found):
        # Of several lines in one file it is not known which are which.
        same = known.get((one.was or one.path, one.symbol, one.first > 0), [])
        was = [seen for seen in (same[0].seen, *same[0].earlier) if seen != one.seen] if len(same) == 1 else []
        made.append(replace(one, earlier=tuple(was[:_MAX_EARLIER])) if one.digest and same and same[0].digest else one)
    return tuple(map(str, made))


class Freshness:
    """Whether what memories of a project name is as it was, and which of them hold on the branch that is checked out.

    `owners` are the ids that the project has; others have their code elsewhere. `is_sure` says that the folder is the
    project's own, so that what is not there is gone. With `most` no more files are read than a waiting person has time
    for; what was not read counts as it was.
    """

    def __init__(
        self, home: str, root: str, owners: Sequence[str] = (), *, is_sure: bool = True, most: int = MAX_CHECKED
    ) -> None:
        self.root = root
        self._owners = owners
        self.is_sure = is_sure
        self._place = os.path.join(home, "state", "anchors", hash_of(root))
        self._known: dict[str, str] | None = None
        self._new: dict[str, str] = {}
        self._checked, self._most = 0, most
        self._branch: str | None = None

    def holds_here(self, memory: Memory) -> bool:
        """Whether it is no fact of another branch: it was learned on this one, or the code it was learned from is here.

        The latter counts, whatever branch it came by: one was merged, renamed, or begun where the other stands.
        """
        if not memory.branch or not self._is_of_project(memory):
            return True
        if self._branch is None:
            self._branch = git.branch_at(self.root) if self.root else ""
        if memory.branch == self._branch or not self.root:
            return memory.branch == self._branch
        pinned = [one for one in self._here(memory) if one.digest]
        return bool(pinned) and all(self._verdict(one, unknown=CHANGED) == HOLDS for one in pinned)

    def stale(self, memory: Memory) -> list[tuple[Anchor, str]]:
        """Return the anchors of a memory that do not hold, each with CHANGED or GONE."""
        if not memory.anchors or not self.root or not self._is_of_project(memory):
            return []
        found = [(anchor, self._verdict(anchor)) for anchor in self._here(memory)]
        return [(anchor, said) for anchor, said in found if said != HOLDS and not self._has_stayed(anchor)]

    def _has_stayed(self, anchor: Anchor) -> bool:
        """Whether a symbol that moved elsewhere is where it was, as it was, on the branch that is checked out."""
        return bool(anchor.symbol and anchor.was) and self._verdict(replace(anchor, path=anchor.was, was="")) == HOLDS

    def _here(self, memory: Memory) -> list[Anchor]:
        """Return the anchors of a memory; on a branch that has not renamed a file, with the path that it has there."""
        return [
            replace(one, path=one.was, was="")
            if is_inside(one.was)
            and not os.path.lexists(os.path.join(self.root, one.path))
            and os.path.lexists(os.path.join(self.root, one.was))
            else one
            for one in parsed(memory.anchors[:MAX_ANCHORS])
        ]

    def _is_of_project(self, memory: Memory) -> bool:
        return memory.scope.kind == "project" and memory.scope.owner in self._owners

    def _verdict(self, anchor: Anchor, unknown: str = HOLDS) -> str:
        """Return whether an anchor holds; `unknown` where the file cannot be looked at."""
        full = os.path.join(self.root, anchor.path)
        try:
            status = os.lstat(full)
        except (OSError, ValueError):
            return GONE if self.is_sure else unknown
        if not stat.S_ISREG(status.st_mode) or not anchor.digest:
            return unknown
        state = f"{status.st_size} {status.st_mtime_ns} {status.st_ino}"
        name = hash_of(str(anchor), length=24)
        self._known = self._read() if self._known is None else self._known
        seen, _, said = self._known.get(name, "").rpartition(" ")
        if seen == state:
            return said
        self._checked += 1
        text = read(self.root, anchor.path) if not self._most or self._checked <= self._most else None
        if text is None:
            return unknown
        said = verdict(anchor, text)
        if time.time_ns() - status.st_mtime_ns > _SETTLED_NS:
            self._new[name] = f"{state} {said}"
        return said

    def _read(self) -> dict[str, str]:
        try:
            rows = files.read_if_there(self._place, 200 * _MAX_KNOWN).decode("ascii", "replace").split("\n")
        except HoldfastError:
            return {}
        return {name: rest for name, _, rest in [row.partition(" ") for row in rows] if rest}

    def keep(self) -> None:
        """Write down what was looked at, so that the next look need not read it. It may be lost at any time."""
        if not self._new or self._known is None:
            return
        rows = [*{**self._known, **self._new}.items()][-_MAX_KNOWN:]
        self._new = {}
        try:
            files.put(self._place, "".join([f"{name} {rest}\n" for name, rest in rows]).encode(), durable=False)
        except HoldfastError:
            return

    def warning(self, memory: Memory) -> str:
        """Return what is to be told with a memory whose code is not as it was: "src/a.py changed since (3 Nov): ...".

        A file that was renamed, and is as it was, is only named.
        """
        stale = self.stale(memory)
        self.keep()
        told = [f"{anchor.name} {_SAID[said]}" for anchor, said in stale[:_MAX_NAMED]]
        if told:
            more = f" and {len(stale) - _MAX_NAMED} more" if len(stale) > _MAX_NAMED else ""
            return f"{', '.join(told)}{more} since ({day(memory.updated)}): verify first"
        known = self._here(memory) if self._is_of_project(memory) else []
        moved = [one for one in known if one.was and one.was.rpartition("/")[2] in memory.body]
        return ", ".join([self._moved(one) for one in moved[:_MAX_NAMED]])

    def _moved(self, one: Anchor) -> str:
        """Return where a file is now, or a symbol that left a file which is still there."""
        has_left = one.symbol and os.path.lexists(os.path.join(self.root, one.was))
        return f"{one.symbol} of {one.was} is now in {one.path}" if has_left else f"{one.was} is now {one.path}"

    def lead(self, memory: Memory) -> str:
        """Return the warning as it stands before a memory that is given; nothing where there is none."""
        warning = self.warning(memory)
        return f"[{warning}] " if warning else ""


_SAID = {CHANGED: "changed", GONE: "is gone"}


def freshness_of(home: str, project: Project | None) -> Freshness:
    """Return what checks the memories of a project; without one nothing is checked."""
    if project is None:
        return Freshness(home, "")
    # A folder that was only called so may be another one than where the memory was stored.
    return Freshness(home, project.root, project.ids, is_sure=project.rule != "override")


def day(at: str) -> str:
    """Return a day as people write it: 3 Nov, and with its year where that is not this one."""
    year, month, number = at[:10].split("-")
    this = time.strftime("%Y", time.gmtime())
    return f"{int(number)} {_MONTHS[int(month) - 1]}{'' if year == this else f' {year}'}"


def parsed(anchors: Sequence[str]) -> list[Anchor]:
    """Return the anchors that these texts say."""
    return [one for one in map(parse, anchors) if one is not None]
