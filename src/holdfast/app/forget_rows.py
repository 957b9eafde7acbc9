"""Forgetting a session in files of rows: the journal, the hook's log, the audit trail, and its own files in `state/`.

Hooks add to the journal and to their log at any moment and take no lock, so a row there is written over in its place,
with blanks, and never moved. The audit trail says still that a call was made, when and by which rule, not what it was.
"""

from __future__ import annotations

import os
from functools import partial

from holdfast.base import files, rows
from holdfast.base.minijson import dumps
from holdfast.inject import shown
from holdfast.learning.security import model as security_trail
from holdfast.learning.work import session_log
from holdfast.parts import Change
from holdfast.records import Step

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.app.session_words import SessionWords

_MARK = "mark"
_MARK_STAYS = ("at", "kind", "memory", "rating")
_MAX_LINE = 1 << 24


def changes(words: SessionWords) -> list[Change]:
    """Return what goes of a session in rows, file by file."""
    return [*_journal(words), *_security(words), *_own_files(words)]


def _journal(words: SessionWords) -> list[Change]:
    """Blank its events and receipts; a mark of a memory stays without its note, as it ranks."""
    wanted = dumps(words.session).encode()

    def of_journal(line: bytes) -> bytes | None:
        told = rows.object_in(line, _MAX_LINE) if wanted in line else None
        if told is None or told.get("session") != words.session or told.get("agent") not in ("", None, words.agent):
            return None
        if told.get("kind") != _MARK:
            return b""
        return dumps({name: told[name] for name in _MARK_STAYS if name in told}).encode()

    def of_log(line: bytes) -> bytes | None:
        at, _, rest = line.decode("utf-8", "replace").partition(" ")
        return b"" if at in words.times and rest.partition(" ")[0] == words.agent else None

    folder = os.path.join(words.home, "journal")
    names = files.names_in(folder, ".jsonl")
    found = [_blanked(words, os.path.join(folder, name), of_journal, "events and receipts") for name in names]
    found.append(_blanked(words, os.path.join(words.home, "state", "hook.log"), of_log, "lines about its hooks"))
    return [change for change in found if change is not None]


def _blanked(words: SessionWords, path: str, instead: rows.Instead, what: str) -> Change | None:
    places = rows.instead_of(files.read_if_there(path), instead)
    if not places:
        return None
    step = Step("redact", os.path.relpath(path, words.home), f"{len(places)} {what}")
    return Change(step, partial(rows.write_over, path, instead))


def _security(words: SessionWords) -> list[Change]:
    found = []
    for month in files.names_in(os.path.join(words.home, security_trail.FOLDER)):
        place = f"{security_trail.FOLDER}/{month}/{security_trail.FILE}"
        count = len(rows.instead_of(files.read_if_there(os.path.join(words.home, place)), _without_text(words)))
        if count:
            step = Step("redact", place, f"what {count} calls were; that they were made stays")
            found.append(Change(step, partial(_empty_texts, words, place)))
    return found


def _empty_texts(words: SessionWords, place: str) -> None:
    files.refuse_links(words.home, os.path.dirname(place))
    with security_trail.lock_of(words.home):
        rows.rewrite(os.path.join(words.home, place), _without_text(words))


def _without_text(words: SessionWords) -> rows.Instead:
    whose = (words.agent, words.session)

    def without(line: bytes) -> bytes | None:
        told = rows.object_in(line, _MAX_LINE)
        if told is None or (told.get("agent"), told.get("session")) != whose or not told.get("text"):
            return None
        return dumps({**told, "text": ""}).encode("utf-8", "replace")

    return without


def _own_files(words: SessionWords) -> list[Change]:
    """Return the removal of what is noted of the session alone while it is open."""
    paths = [one.path for one in words.open_files()]
    for noted in session_log.sessions(words.home):
        paths += [noted.path] if (noted.agent, noted.session) == (words.agent, words.session) else []
    paths += [path for path in [shown.ShownSet(words.home, words.session).path] if os.path.lexists(path)]
    steps = [Step("remove", os.path.relpath(path, words.home), "what was noted while it was open") for path in paths]
    return [Change(step, partial(files.remove, path)) for step, path in zip(steps, paths, strict=True)]
