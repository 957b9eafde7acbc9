"""Names of sessions, and the files that they are kept under.

A session is named `agent/id`. An id is hostile input: whatever is not a small letter, a digit, a dot, a hyphen or an
underscore is written as `%xx`, so no id leads out of its folder, no two ids share a file, not even where the file
system takes A for a, and the id can be told from the file name alone. An id that would be too long for a file name is
replaced by its beginning and a hash of its first 400 characters, which is all that a digest keeps of it.
"""

from __future__ import annotations

import posixpath
import re
from urllib.parse import unquote_to_bytes

from holdfast.base.text import hash_of
from holdfast.errors import BadInput

_LONGEST_STEM = 200
_LONGEST_ID = 400
_EMPTY = "%"
_EARLIER = ".earlier"
_ODD_BYTE = re.compile(rb"[^a-z0-9._-]")
_BEGINNING = re.compile(r"[A-Za-z0-9_-]+")
# Names that some systems take for a device, with any ending.
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|\Z)")
_PLAIN = re.compile(rf"(?!{_DEVICE.pattern})[a-z0-9_-][a-z0-9._-]{{0,{_LONGEST_STEM - 1}}}(?<!\.earlier)")


def split(name: str) -> tuple[str, str]:
    """Return agent and id of a name, the id as the archive knows it; BadInput where it is no name."""
    agent, slash, id = name.partition("/")
    if not agent or not slash:
        raise BadInput(
            f"{name[:80]!a} names no session", "A session is named AGENT/ID; `holdfast sessions` lists them."
        )
    return agent, known_id(id)


def known_id(id: str) -> str:
    """Return the id by which the archive knows a session: the id itself, unless it is far too long."""
    if len(id) <= _LONGEST_STEM and len(_escaped(id)) <= _LONGEST_STEM:
        return id
    beginning = "".join(_BEGINNING.findall(id[:_LONGEST_ID]))[:40]
    return f"{beginning}-{hash_of(id[:_LONGEST_ID])}"


def path_of(path: str, folder: str = "") -> str:
    """Return a path of a session as this machine spells paths: one of Windows, or in a folder there, with slashes."""
    if not (_of_windows(path) or _of_windows(folder)):
        return path
    return (path[:1].upper() + path[1:] if _of_windows(path) else path).replace("\\", "/")


def whole_path(folder: str, path: str) -> str:
    """Return a path in a folder from the root of the machine or the drive."""
    path, folder = path_of(path, folder), path_of(folder)
    return posixpath.normpath(path if _of_windows(path) else posixpath.join(folder, path))


def _of_windows(path: str) -> bool:
    return path[1:3] in (":\\", ":/") or path[:2] == "\\\\"


def stem_of(text: str) -> str:
    """Return the file name, without its ending, of an id or of an agent."""
    return _escaped(known_id(text))


def text_of(stem: str) -> str | None:
    """Return the id or agent whose file has this name; None for a file that is not ours."""
    if _PLAIN.fullmatch(stem):
        return stem
    if stem == _EMPTY:
        return ""
    try:
        text = unquote_to_bytes(stem).decode("utf-8", "surrogatepass")
    except UnicodeError:
        return None
    return text if stem_of(text) == stem else None


def _escaped(text: str) -> str:
    if _PLAIN.fullmatch(text):
        return text
    raw = _ODD_BYTE.sub(lambda odd: b"%%%02x" % odd[0][0], text.encode("utf-8", "surrogatepass")).decode("ascii")
    if raw.endswith(_EARLIER):
        raw = f"{raw[: -len(_EARLIER)]}%2e{_EARLIER[1:]}"
    if raw[:1] == "." or _DEVICE.match(raw):
        raw = f"%{ord(raw[0]):02x}{raw[1:]}"
    return raw or _EMPTY
