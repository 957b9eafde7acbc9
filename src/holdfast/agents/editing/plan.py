"""From the parts that an agent wants to changes of whole files, and back.

Changes are carried out each file whole or not at all, and all of them or none.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
from collections.abc import Callable, Iterator

from holdfast.agents.base import SERVER, Agent, ConfigChange, ConfigPart, Place
from holdfast.agents.editing import blocks, json_text, toml_text
from holdfast.agents.editing.json_text import Node
from holdfast.agents.editing.record import Insertions, Keys
from holdfast.agents.launcher import HOOK_FILE, HOOK_PROGRAM, Launcher, is_hook_of
from holdfast.base import files
from holdfast.errors import BrokenFile, Conflict, Refused

LARGEST = 64 * 1024 * 1024
NOBODY = Launcher("python", HOOK_FILE, ("holdfast",), guards=True)


def plan_install(agent: Agent, place: Place, command: Launcher) -> list[ConfigChange]:
    """Return the changes that bring every part of the agent in; a file that holds them all is left out."""
    planned = [_planned(agent, place, path, parts) for path, parts in _by_path(agent.parts(place, command)).items()]
    return [change for change in planned if change is not None]


def plan_uninstall(agent: Agent, place: Place) -> list[ConfigChange]:
    """Return the changes that take every part out, the rules file included."""
    changes = []
    for path, parts in _by_path(agent.parts(place, NOBODY)).items():
        data = read(path, place)
        if data is None:
            continue
        change = _removal(agent, place, path, data, parts)
        if change is not None:
            changes.append(change)
    rules = agent.rules_file(place)
    data = read(rules.path, place) if rules is not None else None
    if rules is not None and data is not None:
        after: bytes | None = None if blocks.NOTE.encode() in data else data
        if rules.block:
            after = blocks.drop_memories(decoded(data, rules.path)).encode("utf-8")
        if after != data:
            changes.append(ConfigChange(rules.path, data, after, empty=not after))
    return changes


def _by_path(parts: list[ConfigPart]) -> dict[str, list[ConfigPart]]:
    found: dict[str, list[ConfigPart]] = {}
    for part in parts:
        found.setdefault(part.path, []).append(part)
    return found


def _planned(agent: Agent, place: Place, path: str, parts: list[ConfigPart]) -> ConfigChange | None:
    data = read(path, place)
    if parts[0].form == "file":
        return _own_file(path, data, parts[0])
    text = decoded(data or b"", path)
    edit = _toml_with if parts[0].form == "table" else _json_with
    with _named(path, "Change that place in an editor, or move the file away, and try again. Nothing was changed."):
        edited, made = edit(agent, text, parts, place)
    if edited is None:
        return None
    return ConfigChange(path, data, edited.text.encode("utf-8"), edited.spans(), made)


@contextlib.contextmanager
def _named(path: str, hint: str) -> Iterator[None]:
    """Turn what is wrong with a text into an error that names the file; the hint is for a place that is taken."""
    try:
        yield
    except (json_text.NotJson, toml_text.NotToml) as problem:
        kind = "JSON" if isinstance(problem, json_text.NotJson) else "TOML"
        where = f"{path}, line {problem.line}" if problem.line else path
        way_out = "Correct it in an editor, or move it away, and try again. Nothing was changed."
        raise BrokenFile(f"{where}: not {kind}: {problem}", way_out) from problem
    except TypeError as problem:
        raise Conflict(f"{path}: {problem}", hint) from problem


def _own_file(path: str, data: bytes | None, part: ConfigPart) -> ConfigChange | None:
    text = part.value if isinstance(part.value, str) else json.dumps(part.value, ensure_ascii=False, indent=2) + "\n"
    after = text.encode("utf-8")
    if data == after:
        return None
    if data is not None and not _is_ours(data):
        raise Conflict(
            f"{path} is there and was not written by Holdfast", "Move it away, and try again. Nothing was changed."
        )
    return ConfigChange(path, data, after, ((0, len(after)),))


def _is_ours(data: bytes) -> bool:
    return HOOK_FILE.encode() in data or HOOK_PROGRAM.encode() in data


def _is_blank(text: str) -> bool:
    return not text.strip("\ufeff \t\r\n")


def _json_with(
    agent: Agent, text: str, parts: list[ConfigPart], place: Place
) -> tuple[Insertions | None, tuple[Keys, ...]]:
    """Return the text with all the parts, or None where they are there already and nothing else of ours is."""
    if not _is_blank(text):
        for part in parts:
            node = _at(json_text.scan(text), part.keys) if part.form == "member" else None
            if node is not None and not is_server_of(agent.name, node.plain()):
                raise TypeError(f"there is a server {SERVER} that Holdfast did not add")
        if _holds(agent, text, parts):
            return None, ()
        was = _was(place, parts[0].path)
        text = json_text.drop(text, _finder(agent, parts), _made(place, parts[0].path)) if was is None else was
    edited, made = Insertions(text), []
    for part in parts:
        there = part.form == "default" and not _is_blank(edited.text)
        if there and _at(json_text.scan(edited.text), part.keys) is not None:
            continue
        made += json_text.add(edited, part.keys, part.value, element=part.form == "element")
    return edited, tuple(made)


def _at(root: Node, keys: Keys) -> Node | None:
    place: Node | None = root
    for key in keys:
        place = place.get(key) if place is not None else None
    return place


def _holds(agent: Agent, text: str, parts: list[ConfigPart]) -> bool:
    root = json_text.scan(text)
    for part in parts:
        node = _at(root, part.keys)
        if node is None or (part.form == "member" and node.plain() != part.value):
            return False
        if part.form == "element" and part.value not in [inner.plain() for inner in node.inner]:
            return False
    ours = sum(map(_finder(agent, parts), root.walk()))
    return ours == sum(part.form in ("member", "element") for part in parts)


def _finder(agent: Agent, parts: list[ConfigPart]) -> Callable[[Node], bool]:
    """Return what tells a hook or server of ours from anything else in a file."""
    members = [part.keys for part in parts if part.form == "member"]

    def is_ours(node: Node) -> bool:
        if node.key == SERVER and json_text.path_of(node) in members:
            return is_server_of(agent.name, node.plain())
        return node.kind == "object" and any(is_hook_of(agent.name, inner.value) for inner in node.inner)

    return is_ours


def is_server_of(agent: str, value: object) -> bool:
    """Whether a server that is called like ours is ours: it starts `mcp --agent NAME`."""
    if not isinstance(value, dict):
        return False
    words: list[object] = []
    for inner in (value.get("command"), value.get("args", [])):
        words += inner if isinstance(inner, list) else [inner]
    return words[-3:] == ["mcp", "--agent", agent]


def _made(place: Place, path: str) -> tuple[Keys, ...] | None:
    return None if place.made is None else place.made.get(path, ())


def _was(place: Place, path: str) -> str | None:
    """Return the file without ours to the byte, where that is known: what is cut out by its tags may leave a space."""
    return decoded(place.was[path], path) if place.was and path in place.was else None


def _toml_with(
    agent: Agent, text: str, parts: list[ConfigPart], place: Place
) -> tuple[Insertions | None, tuple[Keys, ...]]:
    data = toml_text.parse(text)
    present = [toml_text.find(data, part.keys) for part in parts]
    if present == [part.value for part in parts]:
        return None, ()
    for part, value in zip(parts, present, strict=True):
        if value is not None and not is_server_of(agent.name, value):
            raise TypeError(f"there is a server {SERVER} that Holdfast did not add")
        text = toml_text.drop(text, part.keys)
    was = _was(place, parts[0].path)
    edited = Insertions(text if was is None else was)
    for part in parts:
        toml_text.add(edited, part.keys, part.value if isinstance(part.value, dict) else {})
    return edited, ()


def _removal(agent: Agent, place: Place, path: str, data: bytes, parts: list[ConfigPart]) -> ConfigChange | None:
    if parts[0].form == "file":
        return ConfigChange(path, data, None) if _is_ours(data) else None
    text = after = decoded(data, path)
    with _named(path, "Take it out in an editor. Nothing was changed."):
        if parts[0].form == "table":
            after = _without_toml(agent, text, parts)
        elif not _is_blank(text):
            after = json_text.drop(text, _finder(agent, parts), _made(place, path))
    if after == text:
        return None
    return ConfigChange(path, data, after.encode("utf-8"), empty=_says_nothing(after, parts))


def _without_toml(agent: Agent, text: str, parts: list[ConfigPart]) -> str:
    data = toml_text.parse(text)
    for part in parts:
        if is_server_of(agent.name, toml_text.find(data, part.keys)):
            text = toml_text.drop(text, part.keys)
    return text


def _says_nothing(text: str, parts: list[ConfigPart]) -> bool:
    if parts[0].form == "table":
        return not text.strip()
    rest = {} if _is_blank(text) else json_text.scan(text).plain()
    defaults = {part.keys[0]: part.value for part in parts if part.form == "default"}
    return isinstance(rest, dict) and all(defaults.get(key) == value for key, value in rest.items())


def decoded(data: bytes, path: str) -> str:
    """Return the text of a config file; one that is not UTF-8 is refused."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as problem:
        line = data.count(b"\n", 0, problem.start) + 1
        raise BrokenFile(
            f"{path}, line {line}: not UTF-8", "Convert it to UTF-8, and try again. Nothing was changed."
        ) from problem


def read(path: str, place: Place) -> bytes | None:
    """Return the bytes of a config file, or None; a link that leads away from the person's folders is refused."""
    real = target(path, place)
    try:
        data = files.read_head(real, LARGEST + 1)
    except FileNotFoundError:
        return None
    except OSError as problem:
        raise Refused(f"{path} cannot be read: {problem.strerror}", "Check its owner and mode.") from problem
    if len(data) > LARGEST:
        raise Refused(f"{path} is not a config file", "Move it away, and try again. Nothing was changed.")
    return data


def target(path: str, place: Place) -> str:
    """Return the file that a path leads to. Through a link only the person's home and the project are reached."""
    real = os.path.realpath(path)
    if real == os.path.abspath(path):
        return real
    for folder in (place.home, place.folder):
        root = os.path.realpath(folder)
        if folder and (real == root or real.startswith(root.rstrip("/") + "/")):
            return real
    hint = "Replace the link by the file itself, or put Holdfast's part in by hand. Nothing was changed."
    raise Refused(f"{path} is a link that leads to {real}, outside of your home and the project", hint)


def apply(changes: list[ConfigChange], place: Place) -> list[str]:
    """Carry the changes out and return the folders that were made; where one fails, those before it are undone."""
    for change in changes:
        _refuse_changed(change, place)
        # An install or uninstall that was killed may have left its copy of this file.
        clear_leftovers(os.path.dirname(target(change.path, place)))
    done: list[ConfigChange] = []
    folders: list[str] = []
    try:
        for change in changes:
            _refuse_changed(change, place)
            folders += _carry_out(change, place)
            done.append(change)
    except BaseException:
        for change in reversed(done):
            _carry_out(ConfigChange(change.path, change.after, change.before), place)
        remove_empty(folders)
        raise
    return folders


def remove_empty(folders: list[str]) -> None:
    """Remove those of the folders that are empty, the deepest first."""
    for folder in sorted(folders, key=len, reverse=True):
        with contextlib.suppress(OSError):
            os.rmdir(folder)


def clear_leftovers(folder: str) -> None:
    """Remove what writers that were killed left half-written in a folder. A link is not followed."""
    if os.path.isdir(folder) and os.path.realpath(folder) == folder:
        files.clear_leftovers(folder, of_dead=True)


def _refuse_changed(change: ConfigChange, place: Place) -> None:
    if read(change.path, place) != change.before:
        raise Conflict(f"{change.path} was changed meanwhile", "Look at the plan again. Nothing was changed.")


def _carry_out(change: ConfigChange, place: Place) -> list[str]:
    path = target(change.path, place)
    folder, shared = os.path.dirname(path), place.scope == "project"
    try:
        if change.after is None:
            os.unlink(path)
            files.sync_folder(folder)
            return []
        folders = _make_folders(folder, 0o755 if shared else 0o700)
        mode = 0o644 if shared else 0o600
        with contextlib.suppress(FileNotFoundError):
            mode = stat.S_IMODE(os.stat(path).st_mode)
        files.replace(path, change.after, mode=mode)
        return folders
    except OSError as problem:
        raise files.unavailable(problem, change.path, in_home=False) from problem


def _make_folders(folder: str, mode: int) -> list[str]:
    missing = []
    while not os.path.isdir(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    for each in reversed(missing):
        os.mkdir(each, mode)
    return missing
