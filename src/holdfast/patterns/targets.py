"""Where a pattern is put for agents to read: a block in their instruction files, a rule or a skill of its own.

Edits hold the files as they would be; what differs at the end are the changes of a plan. A foreign byte is never
changed. What somebody edited of ours is a Conflict, unless it is asked for with `force`.

`patterns/placed.json` has the files and folders of agents that we made: only these are ours to remove. It is written
whole and durably, before a file is made. Where it is lost, a file that we emptied stays, empty.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from holdfast.agents.base import ConfigChange, ManagedFile, Place
from holdfast.agents.editing import blocks
from holdfast.agents.editing.plan import decoded, read
from holdfast.base import files
from holdfast.errors import Conflict, HoldfastError, Refused, TooLarge

FILES = ("rules", "skill")
SKILL = "SKILL.md"
MAX_RULE = 2_000
MAX_SKILL = 8_000
MAX_DESCRIPTION = 1_000
_CODE = re.compile(r"(^```.*?^```|`[^`\n]*`)", re.DOTALL | re.MULTILINE)
_IMPORT = re.compile(r"(?<![\w@])@[\w.~/-]*[\w/]")
_FENCES = ("```", "~~~")
_PLACED = "patterns/placed.json"
_MAX_PLACED = 4 * 1_048_576


class FileEdits:
    """The files of agents at a place as a plan would leave them. Their paths are real ones; a link is refused."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self._before: dict[str, bytes | None] = {}
        self._after: dict[str, bytes | None] = {}

    def read(self, path: str) -> bytes | None:
        """Return the bytes of a file as the plan has them so far."""
        if os.path.realpath(path) != path:
            raise Refused(f"{path} is or lies behind a link now", "Replace the link by the file. Nothing was changed.")
        if path not in self._after:
            self._before[path] = self._after[path] = read(path, self.place)
        return self._after[path]

    def write(self, path: str, data: bytes | None) -> None:
        """Let a file be so; None is no file."""
        self.read(path)
        self._after[path] = data

    def changes(self) -> tuple[ConfigChange, ...]:
        """Return the files that would change."""
        return tuple(
            ConfigChange(path, before, self._after[path])
            for path, before in self._before.items()
            if self._after[path] != before
        )


def name_of(id: str) -> str:
    """Return the name of a file or a skill that is wholly a pattern's."""
    return f"holdfast-{id}"


def is_own(path: str, id: str) -> bool:
    """Whether a file is wholly the pattern's."""
    folder, name = os.path.split(path)
    return name_of(id) in (name.partition(".")[0], os.path.basename(folder))


def real_path(path: str, place: Place) -> str:
    """Return the file that a path leads to. A link is followed only to a text within the project, or the home."""
    path, real = os.path.abspath(path), os.path.realpath(path)
    root = os.path.realpath(place.folder if place.scope == "project" else place.home)
    if real == path:
        return real
    is_link = os.path.islink(path)
    if real.startswith(root.rstrip("/") + "/") and (not is_link or real.endswith((".md", ".mdc"))):
        return real
    where = "the project" if place.scope == "project" else "your home"
    hint = "Replace the link by the file itself. Nothing was changed."
    raise Refused(f"{path} is or lies behind a link to {real}, which is not a text file within {where}", hint)


def fewest_files(
    options: Mapping[str, list[ManagedFile]], taken: Iterable[str]
) -> dict[str, tuple[ManagedFile, tuple[str, ...]]]:
    """Return the fewest files by which all these agents are told, each with the agents that read it.

    Where an agent reads a file that has the pattern already, or that another agent needs, it gets no other one.
    """
    found: dict[str, tuple[ManagedFile, tuple[str, ...]]] = {}
    has = set(taken)
    for agent in sorted(options, key=lambda one: len(options[one])):
        file = next((one for one in options[agent] if one.path in has), options[agent][0])
        has.add(file.path)
        found[file.path] = (file, (*found.get(file.path, (file, ()))[1], agent))
    return found


def rule_text(statement: str, most: int = MAX_RULE) -> str:
    """Return a statement as it may stand in an instruction file: it opens no comment, takes no file in, runs nothing.

    Some agents replace `@path` by that file, and some run what stands behind `!` in a skill; only code is left alone.
    """
    text = statement.replace("<!--", "‹!--").replace("-->", "--›").replace("!`", "! `").replace("\r\n", "\n").strip()
    pieces = _CODE.split(text)
    pieces[::2] = [_IMPORT.sub(lambda found: f"`{found[0]}`", piece) for piece in pieces[::2]]
    text = "".join(pieces)
    for fence in _FENCES:
        # A fence that is not closed would swallow what the person wrote behind it.
        if sum(line.lstrip().startswith(fence) for line in text.split("\n")) % 2:
            text += f"\n{fence}"
    if len(text) > most:
        hint = "Say it shorter: holdfast patterns edit. A skill or a memory may be longer."
        raise TooLarge(f"{len(text):,} characters are too long for this: at most {most:,}", hint)
    return text


def skill_head(id: str, title: str, statement: str) -> str:
    """Return the front matter of a skill; an agent decides by the description whether to read on."""
    first, heading = statement.split("\n", 1)[0], title.rstrip(".")
    told = first if first.startswith(heading) else f"{heading}. {first}"
    description = " ".join(rule_text(told, MAX_SKILL).split())[:MAX_DESCRIPTION]
    return f"---\nname: {name_of(id)}\ndescription: {json.dumps(description, ensure_ascii=False)}\n---\n\n"


def put_into(
    edits: FileEdits, file: ManagedFile, id: str, body: str, *, head: str | None = None, force: bool = False
) -> None:
    """Put a pattern into a file, or bring it up to date there; `head` is what a file of its own begins with."""
    data = edits.read(file.path)
    text = decoded(data or b"", file.path)
    block = blocks.find(text, id)
    if not file.block and data is not None and block is None:
        raise Conflict(
            f"{file.path} is there and was not written by Holdfast", "Move it away, and try again. Nothing was changed."
        )
    if block is not None:
        _refuse_edited(file.path, id, text, block, force=force)
    after = blocks.put(text, id, body) if file.block else blocks.whole(id, file.head if head is None else head, body)
    edits.write(file.path, after.encode("utf-8"))


def renew(edits: FileEdits, path: str, id: str, body: str, *, head: str | None = None, force: bool = False) -> bool:
    """Bring a pattern up to date in a file that was written before; False where somebody took it out since."""
    text = decoded(edits.read(path) or b"", path)
    block = blocks.find(text, id)
    if block is None:
        return False
    own = is_own(path, id)
    kept = text[: block.start] if head is None else head
    put_into(edits, ManagedFile(path, kept if own else "", block=not own), id, body, force=force)
    return True


def take_out(edits: FileEdits, path: str, id: str, made: frozenset[str], *, force: bool = False) -> None:
    """Take a pattern out of a file; a file of ours goes, and one of those that we `made` goes when nothing is left."""
    data = edits.read(path)
    text = decoded(data or b"", path)
    block = blocks.find(text, id)
    if block is None:
        return
    _refuse_edited(path, id, text, block, force=force)
    if is_own(path, id):
        edits.write(path, None)
        return
    after = blocks.drop(text, id)
    edits.write(path, after.encode("utf-8") if after or path not in made else None)


def _refuse_edited(path: str, id: str, text: str, block: blocks.PatternBlock, *, force: bool) -> None:
    if not block.is_whole:
        hint = "Take the rest of it out in an editor, and try again. Nothing was changed."
        raise Conflict(f"{path}: the last line of the block of pattern {id} is missing", hint)
    if not force and not blocks.is_untouched(text, block, own=is_own(path, id)):
        hint = "Keep your words elsewhere, or lose them with --force. Nothing was changed."
        raise Conflict(f"{path}: the text of pattern {id} was edited by hand", hint)


def state_of(data: bytes | None, path: str, id: str, body: str) -> str:
    """Return how a pattern stands in a file: `there`, `missing`, `edited` by hand, or `old` with earlier words."""
    text = (data or b"").decode("utf-8", "replace")
    block = blocks.find(text, id)
    if block is None:
        return "missing"
    if not block.is_whole or not blocks.is_untouched(text, block, own=is_own(path, id)):
        return "edited"
    return "there" if block.inner.replace("\r\n", "\n") == body else "old"


@dataclass(frozen=True, slots=True)
class Placed:
    """Files and folders that were not there before us."""

    files: frozenset[str] = frozenset()
    folders: frozenset[str] = frozenset()


def placed(home: str) -> Placed:
    """Return what we made; a record that cannot be read says that we made nothing."""
    try:
        told = json.loads(files.read(os.path.join(home, _PLACED), _MAX_PLACED))
        return Placed(*(frozenset(map(str, told.get(name, ()))) for name in ("files", "folders")))
    except (HoldfastError, ValueError, TypeError, AttributeError):
        return Placed()


def note_made(home: str, paths: Iterable[str] = (), folders: Iterable[str] = ()) -> None:
    """Note files and folders that we make."""
    there = placed(home)
    _write_placed(home, there, Placed(there.files | set(paths), there.folders | set(folders)))


def note_gone(home: str) -> None:
    """Drop from the record what is not there any more."""
    there = placed(home)
    kept = (frozenset(path for path in several if os.path.lexists(path)) for several in (there.files, there.folders))
    _write_placed(home, there, Placed(*kept))


def _write_placed(home: str, before: Placed, after: Placed) -> None:
    if after == before:
        return
    path = os.path.join(home, _PLACED)
    files.refuse_links(home, os.path.dirname(_PLACED))
    files.make_folder(os.path.dirname(path))
    told = {"version": 1, "files": sorted(after.files), "folders": sorted(after.folders)}
    files.write(path, json.dumps(told, indent=2).encode() + b"\n")
