"""What was erased on one machine, taken out of what the others have and send.

The branch has `erased.jsonl`: digests of the texts that were erased on any machine, and of the names that files had
before, made with the key of the home that erased them. So a machine takes a text out of its own files when it first
hears of it, before anything leaves, and puts the new names in place of the old ones.

Cause decides what was said again, and no clock. What a machine says before it heard of an erase goes with it, struck
through, and is told. What it says afterwards counts as said again: a row then says so of that erase, on every machine.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count

from holdfast.base.clock import now
from holdfast.exchange.sync import payload
from holdfast.exchange.sync.memories import statements
from holdfast.privacy.erased import Erased
from holdfast.privacy.scrub import ERASED
from holdfast.records import replace
from holdfast.store import kinds, memory_file
from holdfast.store.keys import key_of_file

Tree = Mapping[str, bytes]
# What stands where words were erased; it is never longer than these were, but in a statement.
_MARK = re.compile(rb"\beras(?:e|ed)?\b")
_WORD = re.compile(r"\[?\beras(?:e|ed)?\b\]?")


@dataclass(slots=True)
class Heard:
    """What a machine makes of the erases that the branch tells it of.

    `base` and `ours` are without what is new to it, `erased` has all that holds now, `touched` the files of the home
    that lose something by it, and `struck` the names of memories that were changed here since and lose words.
    """

    base: dict[str, bytes]
    ours: dict[str, bytes]
    erased: Erased
    touched: set[str] = field(default_factory=set)
    struck: list[str] = field(default_factory=list)


def hear(home: str, base: Tree, ours: Tree, theirs: Tree) -> Heard:
    """Take what other machines erased out of what this one has, and note what was said again here."""
    erased, known = Erased(home), Erased(home)
    new = erased.hear(payload.text_of(theirs.get(payload.ERASED, b"")))
    found = Heard(dict(base), dict(ours), erased)
    again: set[str] = set()
    for path, data in ours.items() if known else ():
        if path != payload.ERASED and base.get(path) != data:
            again |= known.marks_in(payload.text_of(data)) | known.marks_in(os.path.basename(path))
    if again := {mark for mark in again if not erased.is_said(mark)}:
        erased.hear(rows := Erased.said_rows(again))
        every = {*payload.text_of(ours.get(payload.ERASED, b"")).splitlines(), *rows.splitlines()}
        found.ours[payload.ERASED] = "".join(f"{row}\n" for row in sorted(every)).encode()
    if new:
        for path in sorted({*base, *ours} - {payload.ERASED}):
            _take_out(found, path, theirs)
    return found


def _take_out(found: Heard, path: str, theirs: Tree) -> None:
    """Take what was erased out of one file here, and out of what was agreed on of it."""
    was, here = found.base.get(path), found.ours.get(path)
    to = found.erased.now_at(path, theirs)
    cleaned = [None if data is None else _cleaned(found.erased, path, data, to or path) for data in (was, here)]
    if not to and cleaned == [was, here] and not found.erased.holds(os.path.basename(path), live=True):
        return
    to = to or path
    if found.erased.holds(os.path.basename(path), live=True) and to == path:
        data = here if here is not None else was or b""
        to = renamed(path, payload.text_of(data), {**found.ours, **theirs})[0]
        cleaned = [None if data is None else _cleaned(found.erased, path, data, to) for data in (was, here)]
    agreed, kept = cleaned
    there = theirs.get(to)
    if agreed is not None and there is not None and _says_the_same(to, agreed, there):
        agreed = there
    if here is not None:
        found.touched |= {path, to}
    found.base.pop(path, None)
    found.ours.pop(path, None)
    if agreed is not None:
        found.base[to] = agreed
    if kept is None:
        return
    if here == was and agreed is not None:
        found.ours[to] = agreed
        return
    found.ours[to] = _cleaned(found.erased, path, here or b"", to, strike=True)
    if payload.kind_of(to) == "memory" and found.ours[to] != here:
        memory = payload.version(to, found.ours[to]).memory
        found.struck.append(f"{memory.scope}/{memory.key}")


def _cleaned(erased: Erased, path: str, data: bytes, to: str, *, strike: bool = False) -> bytes:
    """Return a file without what was erased, as it stands at its new place."""
    text = payload.text_of(data)
    clean = ended(path, text, erased, strike=strike)
    return (at(to, clean) if to != path else clean).encode("utf-8", "surrogateescape")


def _says_the_same(path: str, agreed: bytes, there: bytes) -> bool:
    """Whether theirs is what was agreed on without what was erased, and nothing else."""

    def plain(data: bytes) -> str:
        if payload.kind_of(path) != "memory":
            return _WORD.sub(ERASED, payload.text_of(data))
        statement = kinds.parts(payload.version(path, data).memory.body)[0]
        return _WORD.sub(ERASED, kinds.unstruck(statement)[0])

    return plain(agreed) == plain(there)


def without_erased(erased: Erased, tree: Tree, agreed: Tree, here: Tree, *, is_same: bool) -> dict[str, bytes]:
    """Return a tree without the texts and the names that were erased, which another machine may have still.

    Where the remote `is_same` as agreed on, a file that has them is as the erase left it there: nobody changed it.
    """
    if not erased:
        return dict(tree)
    found: dict[str, bytes] = {}
    for path, data in tree.items():
        if path == payload.ERASED:
            found[path] = data
            continue
        text = payload.text_of(data)
        clean = erased.without(text, everywhere=True, live=True)
        # A project's folder is named by what it is, and keeps its name.
        says_it = erased.holds(os.path.basename(path), live=True)
        is_named = says_it or erased.is_renamed(path)
        now_at = erased.now_at(path, agreed) or _is_now_at(erased, path, clean, here) if is_named else path
        if is_same and now_at in agreed and (is_named or clean != text):
            found[now_at] = agreed[now_at]
            continue
        is_new = clean != text
        clean = ended(path, text, erased)
        there = at(now_at, clean) if now_at and now_at != path else clean
        if is_new and there.encode("utf-8", "surrogateescape") != agreed.get(now_at):
            # It is new here, so no erase ended it.
            clean = ended(path, text, erased, strike=True)
        if is_named and now_at and now_at not in tree:
            path, clean = now_at, at(now_at, clean)
        elif says_it:
            # The same name may be that of another statement, which gets another one.
            path, clean = renamed(path, clean, {**here, **tree, **found})
        found[path] = clean.encode("utf-8", "surrogateescape")
    return found


def _is_now_at(erased: Erased, path: str, clean: str, here: Tree) -> str:
    """Return where a memory stands here since its name was erased, where that was never agreed on or is forgotten.

    The other machine may have made another one under the old name: that was made at another time.
    """
    found = erased.now_at(path, here)
    if payload.kind_of(found) != "memory":
        return ""
    there = payload.version(path, clean.encode("utf-8", "surrogateescape")).memory
    return found if payload.version(found, here[found]).memory.created == there.created else ""


def renamed(path: str, clean: str, taken: Tree) -> tuple[str, str]:
    """Return another path for a file whose name was erased, and its text there; one that has it already keeps it."""
    folder, _, name = path.rpartition("/")
    ending = "".join(name.rpartition(".")[1:]) if "." in name else ""
    for number in count(1):
        free = f"{folder}/{ERASED}{f'-{number}' if number > 1 else ''}{ending}"
        text = at(free, clean)
        if taken.get(free, text.encode("utf-8", "surrogateescape")) == text.encode("utf-8", "surrogateescape"):
            return free, text
    raise AssertionError("numbers have no end")


def at(path: str, text: str) -> str:
    """Return the text of a file as it is at another path: a memory's has its key."""
    if payload.kind_of(path) != "memory":
        return text
    place = payload.version(path, text.encode("utf-8", "surrogateescape")).place
    return memory_file.update(
        text, replace(memory_file.read(text, place)[0], key=key_of_file(path.split("/")[-1])), path
    )


def ended(path: str, text: str, erased: Erased, *, strike: bool = False) -> str:
    """Return a file without what was erased; the title of a memory is made of what is left where its statement made it.

    With `strike` a statement that lost some words, and so may be false, is struck through.
    """
    clean = erased.without(text, everywhere=True, live=True)
    if text == clean or payload.kind_of(path) != "memory":
        return clean
    was, left = (payload.version(path, one.encode("utf-8", "surrogateescape")).memory for one in (text, clean))
    body = erased.without(was.body, everywhere=True, live=True, mark=f"[{ERASED}]")
    if strike and was.holds and kinds.parts(was.body)[0] != kinds.parts(body)[0]:
        body = kinds.withdrawn(body, now()[:10])
    title = memory_file.first_words(body) if was.title == memory_file.first_words(was.body) else left.title
    return memory_file.update(clean, replace(left, title=title, body=body), path)


def struck_by(path: str, data: bytes, before: bytes | None) -> str:
    """Return the name of a memory that an erase has just struck through, or nothing."""
    if payload.kind_of(path) != "memory":
        return ""
    memory = payload.version(path, data).memory
    marks = [len(_WORD.findall(one.body)) for one in (memory, payload.version(path, before or b"").memory)]
    return f"{memory.scope}/{memory.key}" if not memory.holds and marks[0] > marks[1] else ""


def _is_another(path: str, was: bytes, now: bytes) -> bool:
    """Whether a file has a memory that was not made of the one that it had."""
    if payload.kind_of(path) != "memory":
        return False
    before, after = (payload.version(path, data).memory for data in (was, now))
    return before.body not in statements(after)


def erased_by_theirs(here: Tree, tree: Tree, changes: list[str], gone: list[str]) -> tuple[set[str], set[str]]:
    """Return the files from which another machine erased words, and what tells the earlier texts of these elsewhere.

    The mark stands in the words' place, or in a new name. A file that goes may have told them in its name, or was
    erased and then forgotten; so may one under whose name something else stands now. What tells a text are its lines
    that are gone, and when it was made where it is not here.
    """

    def marks(path: str, data: bytes) -> int:
        return len(_MARK.findall(data)) + len(_MARK.findall(path.rpartition("/")[2].encode()))

    found = {path for path in changes if marks(path, tree[path]) > (marks(path, here[path]) if path in here else 0)}
    new = [path for path in found if path not in here]
    if new:
        # It had another name here, under which something else may stand now.
        found = set(changes)
    found |= {*gone, *(path for path in changes if path in here and _is_another(path, here[path], tree[path]))}
    memories_of_new = [payload.version(path, tree[path]).memory for path in new if payload.kind_of(path) == "memory"]
    births = {f"created: {memory.created}" for memory in memories_of_new}
    said = [
        {
            plain
            for path in found
            for line in (payload.text_of(one.get(path, b""))).splitlines()
            if len((plain := line.strip(">#~ ")).split()) > 2
        }
        for one in (here, tree)
    ]
    return found, (said[0] - said[1]) | births
