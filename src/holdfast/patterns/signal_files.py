"""The signals of sessions on the disk: `archive/signals/<agent>/<id>.json`, one file a session.

Identity: the file is named as the digest of its session. Atomic: a file is written whole, or not at all. Loss: a file
stays as long as the digest does; forgetting the session takes it. It is written again where the session, or the rules
by which signals are found, changed. Checked when read: what is no file of signals is passed over, and told.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import msgspec

from holdfast.base import files
from holdfast.base.structs import dataclass
from holdfast.errors import HoldfastError
from holdfast.patterns.signals import RULES, Signal
from holdfast.sessions.names import stem_of

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


def put(home: str, found: Signals) -> bool:
    """Make the signals of a session durable; False where the file says the same already."""
    files.refuse_links(home, f"{FOLDER}/{stem_of(found.agent)}")
    path = _path(home, stem_of(found.agent), stem_of(found.session))
    data = _encode(found)
    if files.read_if_there(path) == data:
        return False
    files.make_folder(os.path.dirname(path))
    files.write(path, data)
    return True


def read(home: str, agent_stem: str, stem: str) -> Signals | None:
    """Return the signals of a session; None where there is no file, or it cannot be read."""
    try:
        return _decode(files.read(_path(home, agent_stem, stem), _MAX_BYTES))
    except (HoldfastError, ValueError, RecursionError):
        return None


def forget(home: str, agent: str, session: str) -> None:
    """Remove the signals of a session."""
    files.remove(_path(home, stem_of(agent), stem_of(session)))


def clear_leftovers(home: str) -> None:
    """Remove what kills left half-written. Only while nobody else harvests."""
    for folder in _folders(home):
        files.clear_leftovers(folder)


def stems(home: str) -> Iterator[tuple[str, str]]:
    """Yield the names of all files of signals: those of the agent and of the session."""
    for folder in _folders(home):
        for name in files.names_in(folder, _ENDING):
            yield os.path.basename(folder), name.removesuffix(_ENDING)


def _folders(home: str) -> list[str]:
    root = os.path.join(home, FOLDER)
    names = [] if files.link_on_the_way(home, FOLDER) else files.names_in(root)
    return [folder for folder in (os.path.join(root, name) for name in names) if files.is_plain_folder(folder)]


def _path(home: str, agent_stem: str, stem: str) -> str:
    return os.path.join(home, FOLDER, agent_stem, stem + _ENDING)
