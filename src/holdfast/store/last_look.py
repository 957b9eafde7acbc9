"""When the files of a scope were last looked at: so that a session's start sees what a person changed by hand.

`state/looked/<digest>` has the times at which the folder of memories and the pages of one scope had last changed. May
be lost: then the next start looks again.

`state/looked/agents/<digest>` names the agent whose tool wrote into a page since it was last read: what it changed
there is its own word, and not the person's. `state/looked/lines/<digest>` has the lines of `MEMORY.md` as they were
then, and which of them an agent wrote, because they are told from the page for as long as they stand there.

A file in a folder of memories that an agent's tool wrote says so itself, in its own `trust`.
"""

from __future__ import annotations

import os

from holdfast.base import files
from holdfast.base.text import hash_of
from holdfast.store import layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.records import Scope

# Pages in which a person may write what becomes a memory.
PAGES = ("decisions.md", "lessons.md", "MEMORY.md")
_TOLD, _BUFFER = "MEMORY.md", "buffer"


def is_as_it_was(home: str, scope: Scope) -> bool:
    """Whether no file was added, removed or renamed in the scope since it was noted, and no page of it written."""
    noted, now = files.read_if_there(_place(home, scope)), _times(home, scope)
    return noted == now or not (noted or now.strip(b"0 "))


def note(home: str, scope: Scope) -> None:
    """Note that the files of the scope are known as they are now."""
    now, place = _times(home, scope), _place(home, scope)
    if files.read_if_there(place) != now:
        files.put(place, now, durable=False)


def _place(home: str, scope: Scope) -> str:
    return os.path.join(home, "state", "looked", hash_of(str(scope)))


def _times(home: str, scope: Scope) -> bytes:
    folder = os.path.join(home, "memory", layout.folder_of(scope))
    return b" ".join([b"%d" % files.written_at(os.path.join(folder, name)) for name in (layout.MEMORIES, *PAGES)])


def note_agent(home: str, path: str, agent: str) -> None:
    """Note that a tool of the agent wrote the file, if its words may be told as the person's."""
    real = os.path.realpath(path)
    if not real.startswith(os.path.join(os.path.realpath(home), "memory", "")):
        return
    if _is_memory(real):
        _mark_as_agents(real)
    elif is_told(real):
        place = _place_of(home, "agents", real)
        files.put(place, agent.encode("utf-8", "replace"))


def is_told(path: str) -> bool:
    """Whether a path is that of a page or memory whose words may count as the person's, by its end."""
    folder, name = os.path.split(path)
    is_state = name == f"{_BUFFER}.md" or (name.endswith(".md") and os.path.basename(folder) == _BUFFER)
    return name in PAGES or is_state or _is_memory(path)


def _is_memory(path: str) -> bool:
    return path.endswith(".md") and os.path.basename(os.path.dirname(path)) == layout.MEMORIES


def _mark_as_agents(path: str) -> None:
    """Take the person's trust from a memory file that a tool wrote: that it is theirs can only they say."""
    from holdfast.store import front_matter

    text = files.read_if_there(path).decode("utf-8", "surrogateescape")
    document = front_matter.parse(text)
    trust = front_matter.values(document)[0].get("trust", "user")
    if text and trust == "user":
        marked = str(front_matter.change(document, {"trust": "agent"}))
        files.write(path, marked.encode("utf-8", "surrogateescape"))


def agent_of(home: str, path: str) -> str:
    """Return the agent whose tool wrote the page since it was last read; nothing where none did."""
    return _noted(home, "agents", path)


def note_read(home: str, path: str) -> None:
    """Note that the page was read: what is written from now on is the person's again."""
    if os.path.basename(path) == _TOLD:
        agent, known = agent_of(home, path), _lines(home, path)
        lines = files.read_if_there(path).decode("utf-8", "surrogateescape").split("\n")
        now = {line: known.get(line, agent) for line in map(_digest, lines)}
        if now != known:
            place = _place_of(home, "lines", path)
            files.put(place, "\n".join([f"{line} {by}" for line, by in now.items()]).encode(), durable=False)
    files.discard(_place_of(home, "agents", path))


def theirs(home: str, path: str) -> Callable[[str], bool]:
    """Return what tells of a line of the page whether the person wrote it, as far as is known."""
    agent, known = agent_of(home, path), _lines(home, path)
    return lambda line: not known.get(_digest(line), agent)


def _lines(home: str, path: str) -> dict[str, str]:
    return {line: by for line, _, by in [row.partition(" ") for row in _noted(home, "lines", path).splitlines()]}


def _noted(home: str, kind: str, path: str) -> str:
    # In most homes nothing was ever noted, and to find out where the page really lies takes many looks.
    if not os.path.isdir(os.path.join(home, "state", "looked", kind)):
        return ""
    return files.read_if_there(_place_of(home, kind, path)).decode("utf-8", "replace")


def _digest(line: str) -> str:
    return hash_of(line.strip("\ufeff \t\r"), length=12)


def _place_of(home: str, kind: str, path: str) -> str:
    real, root = os.path.realpath(path), os.path.realpath(home)
    return os.path.join(home, "state", "looked", kind, hash_of(os.path.relpath(real, root)))
