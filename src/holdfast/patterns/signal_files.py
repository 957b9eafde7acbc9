"""The signals of sessions on the disk: `archive/signals/<agent>/<id>.json`, one file a session.

Identity: the file is named as the digest of its session. Atomic: a file is written whole, or not at all. Loss: a file
stays as long as the digest does; forgetting the session takes it. It is written again where the session, or the rules
by which signals are found, changed. Checked when read: what is no file of signals is passed over, and told.
"""

from __future__ import annotations

import os

import msgspec

from holdfast.base import files
from holdfast.base.structs import dataclass
from holdfast.errors import HoldfastError, NotFound, Refused
from holdfast.patterns.signals import RULES, Signal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = "archive/signals"
_ENDING = ".json"
_MAX_BYTES = 4 * 2**20


@dataclass(frozen=True, slots=True)
class Signals:
    """What is kept of one session: by which rules, and its signals."""

    agent: str
    session: str
    rules: int = RULES
    signals: tuple[Signal, ...] = ()


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Signals).decode


def put(home: str, agent_stem: str, stem: str, found: Signals) -> bool:
    """Make the signals of a session durable; False where the file says the same already."""
    folder = os.path.join(home, FOLDER, agent_stem)
    link = files.link_on_the_way(home, f"{FOLDER}/{agent_stem}")
    if link:
        raise Refused(f"{link} is a symbolic link", "Replace the link by a folder; Holdfast does not follow it.")
    path = os.path.join(folder, stem + _ENDING)
    data = _encode(found)
    if files.read_if_there(path) == data:
        return False
    files.make_folder(folder)
    files.write(path, data)
    return True


def read(home: str, agent_stem: str, stem: str) -> Signals | None:
    """Return the signals of a session; None where there is no file, or it cannot be read."""
    return _read(os.path.join(home, FOLDER, agent_stem, stem + _ENDING))


def forget(home: str, agent_stem: str, stem: str) -> None:
    """Remove the signals of a session."""
    files.remove(os.path.join(home, FOLDER, agent_stem, stem + _ENDING))


def clear_leftovers(home: str) -> None:
    """Remove what kills left half-written. Only while nobody else harvests."""
    for agent_stem, name in _names(home):
        if name.startswith(files.TEMPORARY):
            files.remove(os.path.join(home, FOLDER, agent_stem, name))


def stems(home: str) -> Iterator[tuple[str, str]]:
    """Yield the names of all files of signals: those of the agent and of the session."""
    for agent_stem, name in _names(home):
        if name.endswith(_ENDING) and not name.startswith(files.TEMPORARY):
            yield agent_stem, name.removesuffix(_ENDING)


def _names(home: str) -> Iterator[tuple[str, str]]:
    root = os.path.join(home, FOLDER)
    if files.link_on_the_way(home, FOLDER) or not os.path.isdir(root):
        return
    for agent_stem in sorted(os.listdir(root)):
        folder = os.path.join(root, agent_stem)
        if files.is_plain_folder(folder):
            yield from ((agent_stem, name) for name in sorted(os.listdir(folder)))


def _read(path: str) -> Signals | None:
    try:
        return _decode(files.read(path, _MAX_BYTES))
    except (NotFound, HoldfastError, ValueError, RecursionError):
        return None
