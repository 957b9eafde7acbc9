"""Fixes that worked: `learning/signals/fixes.jsonl`, one JSON object a line.

Identity: a fix has an id of agent, session and fingerprint. Atomic: one line is added in one durable write, under a
lock, after it was looked for. A fix after which the same failure came again in its session is withdrawn by another
line; a later line of the same id holds again. A broken line is passed over.

A rejection is a line, too. Its id is `name_of` what a person rejected: the same steps for the same failure of a
project, whichever session they come from. It holds none of their words, and it stands until it is taken back.

Bounded: over `MAX_ROWS` or `MAX_BYTES` the file is written again, whole and durably, under the same lock. What was
withdrawn or is broken goes, then the oldest of those that helped in the fewest sessions; rejections, the newest and
those that helped most stay. `forget` writes it again, too. A reader sees the file before or after that, never a part
of both.
"""

from __future__ import annotations

import os

from holdfast.base import files, rows
from holdfast.base.light_records import dataclass, replace
from holdfast.base.minijson import dumps
from holdfast.base.text import hash_of
from holdfast.errors import HoldfastError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

PLACE = ("learning", "signals", "fixes.jsonl")
# Where earlier versions kept copies of lines, by project.
_COPIES = ("state", "fixes")
MAX_TEXT = 300
MAX_STEPS = 3
_MAX_NAMES = 6
_MAX_LINE = 16_384
MAX_ROWS = 5_000
MAX_BYTES = 4 * 1_048_576
MAX_REJECTED = 500
# What is left when the file was over its bounds, so that not every fix after it writes the file again.
LEFT = 0.75
# How much of that is for the newest, however seldom they helped.
_FOR_NEWEST = 0.25


@dataclass(frozen=True, slots=True)
class Fix:
    """What was done until a failed command worked, most telling first, in which session, and in how many so far.

    `names` are the files that its error speaks of.
    """

    fingerprint: str
    command: str
    error: str
    steps: tuple[str, ...]
    agent: str
    session: str
    project: str
    at: str
    times: int = 1
    names: tuple[str, ...] = ()
    id: str = ""
    withdrawn: bool = False
    rejected: bool = False


def path_of(home: str) -> str:
    """Return the file of fixes of a home."""
    return os.path.join(home, *PLACE)


def id_of(agent: str, session: str, fingerprint: str) -> str:
    """Return the id of what fixed a failure in a session: of one failure the last fix stands."""
    return hash_of(agent, session, fingerprint, length=16)


def name_of(fix: Fix) -> str:
    """Return what the same steps for the same failure of a project are called, in every session that they helped."""
    return hash_of(*_same(fix), length=16)


def add(home: str, fix: Fix) -> bool:
    """Write a fix down for good; False where its id is there and was not withdrawn, or a person rejected it."""
    return _append(home, fix, wanted=False)


def withdraw(home: str, fix: Fix) -> bool:
    """Take a fix back that did not hold; False where there is none of its id."""
    return _append(home, replace(fix, withdrawn=True), wanted=True)


def reject(home: str, fix: Fix, at: str) -> None:
    """Let no agent be told a fix again, wherever it was or will be found."""
    line = replace(fix, id=name_of(fix), at=at, agent="", session="", withdrawn=True, rejected=True)
    with files.lock_of(home, "fixes"):
        rows.append(path_of(home), [dumps(_plain(line))])


def restore(home: str, fix: Fix) -> None:
    """Take the rejection of a fix back."""
    name = name_of(fix)
    with files.lock_of(home, "fixes"):
        rows.rewrite(path_of(home), lambda line: b"" if _rejected_name(line) == name else None)


def forget(home: str, agent: str, session: str) -> int:
    """Remove every line of a session, and return how many there were."""
    path = path_of(home)
    if not os.path.lexists(path):
        return 0
    files.refuse_links(home, "/".join(PLACE[:-1]))

    def without(line: bytes) -> bytes | None:
        fix = of_line(line)
        return b"" if fix is not None and (fix.agent, fix.session) == (agent, session) else None

    with files.lock_of(home, "fixes"):
        _drop_copies(home)
        return rows.rewrite(path, without)


def _drop_copies(home: str) -> None:
    folder = os.path.join(home, *_COPIES)
    for name in files.names_in(folder):
        files.remove(os.path.join(folder, name))


def _append(home: str, fix: Fix, *, wanted: bool) -> bool:
    path = path_of(home)
    files.refuse_links(home, "/".join(PLACE[:-1]))
    files.make_folder(os.path.dirname(path))
    with files.lock_of(home, "fixes"):
        data = files.read_if_there(path)
        if _holds(data, fix.id) is not wanted or (not wanted and _is_rejected(data, name_of(fix))):
            return False
        rows.append(path, [dumps(_plain(fix))])
        _trim(home, fix.id)
    return True


def _trim(home: str, added: str) -> None:
    """Bring a file that is over its bounds well below them; the fix that was just added stays."""
    data = files.read_if_there(path_of(home))
    if len(data) <= MAX_BYTES and data.count(b"\n") <= MAX_ROWS:
        return
    lines = data.split(b"\n")
    kept = [line for line in lines if _rejected_name(line)][-MAX_REJECTED:] + _worth_keeping(_last_lines(lines), added)
    try:
        _drop_copies(home)
        files.write(path_of(home), b"".join([line + b"\n" for line in kept]))
    except HoldfastError:
        # The fix is written, which is what was asked for. The next one tries again.
        return


def _worth_keeping(found: dict[str, tuple[Fix, bytes]], added: str) -> list[bytes]:
    """Return the lines that stay, in their order: the newest, then those that helped in most sessions."""
    times = {one.id: one.times for one in _counted([fix for fix, _ in found.values()])}
    newest = sorted(found, key=lambda id: (id == added, found[id][0].at), reverse=True)
    sizes = {id: len(line) + 1 for id, (_, line) in found.items()}
    count, size = int(MAX_ROWS * LEFT), int(MAX_BYTES * LEFT)
    kept = _fitting(newest, sizes, int(count * _FOR_NEWEST), int(size * _FOR_NEWEST))
    rest = sorted(newest[len(kept) :], key=times.__getitem__, reverse=True)
    kept += _fitting(rest, sizes, count - len(kept), size - sum(map(sizes.__getitem__, kept)))
    stays = frozenset(kept)
    return [line for id, (_, line) in found.items() if id in stays]


def _fitting(ids: list[str], sizes: Mapping[str, int], most: int, size: int) -> list[str]:
    """Return the first of these ids that have room in so many rows and bytes."""
    count = 0
    for id in ids[:most]:
        size -= sizes[id]
        if size < 0:
            break
        count += 1
    return ids[:count]


def _holds(data: bytes, id: str) -> bool:
    """Whether the last line of this id is a fix that was not withdrawn."""
    *_, last = [b"", *rows.having(data, f'"id": "{id}"'.encode())]
    fix = of_line(last)
    return fix is not None and not fix.withdrawn


def _is_rejected(data: bytes, name: str) -> bool:
    return any(_rejected_name(line) == name for line in rows.having(data, f'"id": "{name}"'.encode()))


def _rejected_name(line: bytes) -> str:
    fix = of_line(line) if b'"rejected"' in line else None
    return fix.id if fix is not None and fix.rejected else ""


def read(home: str, *, rejected: bool = False) -> list[Fix]:
    """Return every fix that holds, or that was rejected, as they were written, with the number of sessions in which
    the same helped.
    """
    return _counted(_holding(rows.read(path_of(home)), rejected=rejected))


def lookup(home: str, projects: Iterable[str], fingerprint: str) -> list[Fix]:
    """Return the fixes of failures of one fingerprint in these projects, the best first."""
    lines = rows.having(files.read_if_there(path_of(home)), f'"{fingerprint}"'.encode())
    wanted = frozenset(projects)
    return best_first([one for one in _holding(lines) if one.fingerprint == fingerprint and one.project in wanted])


def best_first(found: list[Fix]) -> list[Fix]:
    """Return fixes of one fingerprint: those that helped in more sessions first, then the latest, each once."""
    best: dict[object, Fix] = {}
    for one in sorted(_counted(found), key=lambda one: one.at):
        best[one.steps, one.error, one.names] = one
    return sorted(best.values(), key=lambda one: (one.times, one.at), reverse=True)


def _holding(lines: Iterable[bytes], *, rejected: bool = False) -> list[Fix]:
    return [fix for fix, _ in _last_lines(lines, rejected=rejected).values()]


def _last_lines(lines: Iterable[bytes], *, rejected: bool = False) -> dict[str, tuple[Fix, bytes]]:
    """Return each fix that holds, or that was rejected, by its id, with the line that says so."""
    found: dict[str, tuple[Fix, bytes]] = {}
    refused = set()
    for line in lines:
        fix = of_line(line)
        if fix is None:
            continue
        found.pop(fix.id, None)
        if fix.rejected:
            refused.add(fix.id)
        elif not fix.withdrawn:
            found[fix.id] = fix, line
    if not refused and not rejected:
        return found
    return {id: one for id, one in found.items() if (name_of(one[0]) in refused) is rejected}


def _counted(fixes: list[Fix]) -> list[Fix]:
    sessions: dict[tuple[str, ...], set[tuple[str, str]]] = {}
    for one in fixes:
        sessions.setdefault(_same(one), set()).add((one.agent, one.session))
    return [replace(one, times=len(sessions[_same(one)])) for one in fixes]


def _same(fix: Fix) -> tuple[str, ...]:
    return (fix.project, fix.fingerprint, *fix.steps)


def of_line(line: bytes) -> Fix | None:
    """Return the fix that a line says; None where it says none."""
    told = rows.object_in(line, _MAX_LINE)
    if told is None:
        return None
    names = ("fingerprint", "command", "error", "agent", "session", "project", "at", "id")
    texts = {name: value[: MAX_TEXT * 2] for name in names if isinstance(value := told.get(name), str)}
    steps = _texts(told.get("steps"))
    withdrawn = told.get("withdrawn") is True
    if not texts.get("id") or not texts.get("fingerprint") or not (steps or withdrawn):
        return None
    command, error, agent, session, project, at = (texts.get(name, "") for name in names[1:-1])
    return Fix(
        *(texts["fingerprint"], command, error, steps[:MAX_STEPS], agent, session, project, at),
        names=_texts(told.get("names"))[:_MAX_NAMES],
        id=texts["id"],
        withdrawn=withdrawn,
        rejected=withdrawn and told.get("rejected") is True,
    )


def _texts(value: object) -> tuple[str, ...]:
    return tuple(one[:MAX_TEXT] for one in value if isinstance(one, str)) if isinstance(value, list) else ()


def _plain(fix: Fix) -> dict[str, object]:
    row: dict[str, object] = {
        "id": fix.id,
        "at": fix.at,
        "fingerprint": fix.fingerprint,
        "agent": fix.agent,
        "session": fix.session,
        "project": fix.project,
    }
    if fix.withdrawn:
        return {**row, "withdrawn": True, **({"rejected": True} if fix.rejected else {})}
    row.update(command=fix.command[:MAX_TEXT], error=fix.error[:MAX_TEXT], steps=[*fix.steps])
    return {**row, "names": [*fix.names]}
