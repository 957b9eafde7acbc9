"""When the files of a scope were last looked at: so that a session's start sees what a person changed by hand.

`state/looked/<digest>` has the times at which the folder of memories and the pages of one scope had last changed. May
be lost: then the next start looks again.

`state/looked/agents/<digest>` names the agent whose tool wrote into a page since it was last read: what it changed
there is its own word, and not the person's.
"""

from __future__ import annotations

import os

from holdfast.base import files
from holdfast.base.digests import short
from holdfast.store import layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.records import Scope

# Pages in which a person may write what becomes a memory.
PAGES = ("decisions.md", "lessons.md", "MEMORY.md")


def is_as_it_was(home: str, scope: Scope) -> bool:
    """Whether the scope got, lost or renamed no file since it was noted, and none of its pages was written."""
    noted, now = files.read_if_there(_place(home, scope)), _times(home, scope)
    return noted == now or not (noted or now.strip(b"0 "))


def note(home: str, scope: Scope) -> None:
    """Note that the files of the scope are known as they are now."""
    now, place = _times(home, scope), _place(home, scope)
    if files.read_if_there(place) != now:
        files.make_folder(os.path.dirname(place))
        files.write(place, now, durable=False)


def _place(home: str, scope: Scope) -> str:
    return os.path.join(home, "state", "looked", short(str(scope)))


def _times(home: str, scope: Scope) -> bytes:
    folder = os.path.join(home, "memory", layout.folder_of(scope))
    return b" ".join([b"%d" % files.written_at(os.path.join(folder, name)) for name in (layout.MEMORIES, *PAGES)])


def note_agent(home: str, path: str, agent: str) -> None:
    """Note that a tool of the agent wrote the file, if it is a page in which a person may write memories."""
    real = os.path.realpath(path)
    if os.path.basename(real) in PAGES and real.startswith(os.path.join(os.path.realpath(home), "memory", "")):
        place = _agents_place(home, real)
        files.make_folder(os.path.dirname(place))
        files.write(place, agent.encode("utf-8", "replace"))


def agent_of(home: str, path: str) -> str:
    """Return the agent whose tool wrote the page since it was last read; nothing where none did."""
    return (files.read_if_there(_agents_place(home, os.path.realpath(path))) or b"").decode("utf-8", "replace")


def forget_agent(home: str, path: str) -> None:
    """Note that the page was read: what is written from now on is the person's again."""
    files.discard(_agents_place(home, os.path.realpath(path)))


def _agents_place(home: str, real: str) -> str:
    return os.path.join(home, "state", "looked", "agents", short(os.path.relpath(real, os.path.realpath(home))))
