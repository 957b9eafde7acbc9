"""Notices: what Holdfast removed, skipped, could not read or could not do while nobody was looking.

Whatever drops, skips or fails behind a person's back calls `report`. `doctor` and `status` show what is `unseen`, the
next start of a session says it once, and `status` in a terminal calls `settle`, which ends it.

Identity: a trouble is its kind and its text; the same one again is one notice with a count and a few names. A trouble
that `lasts`, such as a file that no sweep can read, is told again only when it has a new name.

Bounded: MAX_NOTICES, each of MAX_TEXT and MAX_NAMES; the oldest go first, those that were seen before the others. A
trouble that lasts is remembered for _QUIET_DAYS after it was last met.

Atomic: `updates/notices.jsonl` is replaced whole, durably, under a lock. May be lost: what is reported while the home
cannot be written. Reporting never fails and never keeps anybody waiting for long.
"""

from __future__ import annotations

import os

from holdfast.base import files, rows
from holdfast.base.clock import days_between, iso, now
from holdfast.base.light_records import asdict, dataclass, replace
from holdfast.base.minijson import dumps
from holdfast.errors import HoldfastError
from holdfast.journal import NOTICES
from holdfast.privacy.redact import redact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

# What an erase is about, until it has come to its end; one that was killed leaves it.
ERASING = os.path.join("state", "erasing.json")
MAX_NOTICES = 50
MAX_TEXT = 300
MAX_NAMES = 5
_QUIET_DAYS = 30
_LOCK_SECONDS = 2.0
# More than MAX_NOTICES can take; what is longer was written by somebody else.
_MAX_BYTES = 262_144


@dataclass(frozen=True, slots=True)
class Notice:
    """One trouble: what happened how often to what (the last few names), and the way out.

    `said`: a session was told at its start. `seen`: a person was shown it, and it is only kept because it lasts.
    """

    kind: str
    text: str
    hint: str
    severity: str
    names: tuple[str, ...]
    count: int
    first: str
    last: str
    lasts: bool = False
    said: bool = False
    seen: bool = False

    def line(self) -> str:
        """Return it in one line."""
        more = ", ..." if self.names and self.count > len(self.names) else ""
        names = f" ({', '.join(self.names)}{more})" if self.names else ""
        return f"{self.short()}{names}"

    def short(self) -> str:
        """Return it without names."""
        return f"{self.count:,} times: {self.text}" if self.count > 1 else self.text


def path_of(home: str) -> str:
    """Return where the notices of a home are; mostly there are none, and no file."""
    return os.path.join(home, NOTICES)


def report(
    home: str,
    kind: str,
    text: str,
    names: Sequence[str] = (),
    *,
    hint: str = "",
    severity: str = "warning",
    lasts: bool = False,
) -> None:
    """Report that something was removed, skipped, could not be read or could not be done; once for all the names."""
    said, at = _clean(text), now()
    found = tuple(map(_clean, names))

    def add(notices: list[Notice]) -> list[Notice]:
        before = next((one for one in notices if (one.kind, one.text) == (kind, said)), None)
        rest = [one for one in notices if one is not before]
        if before is None:
            new = Notice(kind, said, hint, severity, found[-MAX_NAMES:], max(1, len(found)), at, at, lasts)
            return [*rest, new]
        fresh = tuple(name for name in found if name not in before.names)
        if lasts and not fresh:
            return [*rest, replace(before, hint=hint, last=at)]
        kept = (*before.names, *fresh)[-MAX_NAMES:]
        more = len(fresh) if lasts else max(1, len(found))
        state = replace(before, seen=False, said=before.said and not before.seen)
        return [*rest, replace(state, names=kept, count=before.count + more, last=at)]

    if os.path.isdir(home):
        _change(home, add)


def unseen(home: str) -> list[Notice]:
    """Return what no person was shown yet, the oldest first, and an erase that waits for its end."""
    found = [one for one in _read(home) if not one.seen]
    try:
        at = iso(os.stat(os.path.join(home, ERASING)).st_mtime)
    except OSError:
        return found
    hint = "`holdfast heal` finishes it; so does the next sweep."
    return [*found, Notice("erase", "an erase was interrupted", hint, "warning", (), 1, at, at)]


def settle(home: str, shown: Iterable[Notice]) -> None:
    """End what a person was shown, unless it went on meanwhile; what lasts is kept, so that it is not told again."""
    known = {(one.kind, one.text, one.count) for one in shown}

    def end(notices: list[Notice]) -> list[Notice]:
        found = [(one, (one.kind, one.text, one.count) in known) for one in notices]
        return [replace(one, seen=True) if is_shown else one for one, is_shown in found if one.lasts or not is_shown]

    _change(home, end)


def end(home: str, kind: str, name: str) -> None:
    """Let no notice of the kind tell of this name any more: a person has decided on it since."""
    gone = _clean(name)

    def without(notices: list[Notice]) -> list[Notice]:
        kept = [
            (one, tuple([each for each in one.names if each != gone and not each.startswith(f"{gone}, ")]))
            for one in notices
        ]
        return [
            one if one.kind != kind or names == one.names else replace(one, names=names, count=len(names))
            for one, names in kept
            if one.kind != kind or names or not one.names
        ]

    _change(home, without)


def over(home: str, kind: str, still: Collection[str]) -> None:
    """Let nothing that lasts of a kind be told any more, but what is still so."""

    def is_over(one: Notice) -> bool:
        return one.kind == kind and one.lasts and one.text not in still

    if any(map(is_over, _read(home))):
        _change(home, lambda notices: [one for one in notices if not is_over(one)])


def in_short(found: Sequence[Notice], room: int) -> str:
    """Return notices in one line of about this length, warnings first, and how many more there are."""
    told: list[str] = []
    for one in sorted(found, key=lambda one: one.severity == "info"):
        line = one.line() if len(one.line()) <= room // 2 else one.short()
        if told and sum(map(len, told)) + len(line) > room:
            break
        told.append(line)
    more = f"; and {len(found) - len(told)} more" if len(told) < len(found) else ""
    return f"{'; '.join(told)}{more} (`holdfast status` shows it)"


def note_said(home: str) -> None:
    """Note that a session was told at its start of everything that there is."""
    _change(home, lambda notices: [replace(one, said=True) for one in notices])


def _clean(text: str) -> str:
    plain = " ".join(redact(text)[0].split())[:MAX_TEXT]
    return "".join([sign if sign.isprintable() else "?" for sign in plain])


def _change(home: str, change: Callable[[list[Notice]], list[Notice]]) -> None:
    try:
        files.make_folder(os.path.dirname(path_of(home)))
        with files.lock_of(home, "notices", _LOCK_SECONDS):
            before = _read(home)
            after = change(before)
            after = [one for one in after if not one.seen or days_between(one.last, now()) <= _QUIET_DAYS]
            # Seen ones first, then the oldest: of too many these go.
            kept = sorted(after, key=lambda one: (not one.seen, one.last))[-MAX_NOTICES:]
            if kept:
                lines = [dumps(asdict(one)) for one in kept]
                files.write(path_of(home), ("\n".join(lines) + "\n").encode("utf-8", "replace"))
            elif before:
                files.remove(path_of(home))
    except (HoldfastError, OSError, ValueError):
        return


def _read(home: str) -> list[Notice]:
    found = []
    try:
        lines = rows.read(path_of(home), _MAX_BYTES)
    except HoldfastError:
        # Something else stands in its place, which keeps nobody from working.
        return []
    for line in lines:
        fields = rows.object_in(line)
        try:
            one = Notice(**fields)  # type: ignore[arg-type]
            if all(isinstance(part, str) for part in (one.kind, one.text, one.hint, one.severity, one.last)):
                found.append(replace(one, names=tuple(map(str, one.names)), count=int(one.count)))
        except (TypeError, ValueError):
            # A row of another version or a person's own says nothing.
            continue
    return found
