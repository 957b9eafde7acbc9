"""Lessons: what was learned from sessions, with the evidence for it, one Markdown file each.

Identity. `learning/<category>/YYYY-MM/<time>-<words>-<id>.md`; the time is that of the first occurrence. The id stands
for the project, the family of the evidence and the words of the first quote, so that the same complaint is the same
lesson wherever and whenever it is found.

Form. Front matter, what it says, and below `## Evidence` each occurrence. A person may edit the file: what is not a
line of ours stays as it is, because a change only sets names of the front matter and adds to the end.

Merging. Near-equal complaints of one project and one family are one lesson; the first quote is what others are compared
with, so that a chain of small differences does not lead anywhere else. Only distinct sessions count.

Writing. A file is written whole and durably under a lock. Adding the same occurrence again changes nothing.

Checking. A file that cannot be read as a lesson is a problem, and stays as it is.

May be lost: nothing. A file that a person removed is made again by a harvest; reject the lesson instead.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

from holdfast.base import files
from holdfast.base.clock import days_between, stamp_of
from holdfast.base.text import by_prefix, hash_of
from holdfast.errors import BrokenFile, HoldfastError
from holdfast.language.likeness import alike, words_of
from holdfast.learning.lessons.categories import CATEGORIES
from holdfast.project.ids import is_id
from holdfast.records import Problem, replace
from holdfast.store import front_matter
from holdfast.store.front_matter import Value
from holdfast.store.keys import slug
from holdfast.store.layout import is_text
from holdfast.store.memory_file import first_words

FOLDER = "learning"
RECURS = 2
MAX_EVIDENCE = 100
MAX_MARKS = 100
HALF_LIFE_DAYS = 90.0
HARM = 4.0
_MAX_READ = 1_048_576
_LONGEST_SLUG = 50
_rooms: dict[str, Lessons] = {}
STATUSES = ("proposed", "standing", "warning", "rejected")
# What a person said about the work is one family, whoever noticed it; a failure and a note of an agent are others.
# What may be a correction counts only beside one that surely is.
UNSURE = "perhaps-correction"
FAMILIES = {
    "fixed": "failure",
    **dict.fromkeys(("rating", "correction", UNSURE, "stated", "passed-on", "import"), "said"),
}
# What lets a lesson stand when it recurs: what a person said, and what happened. What an agent says, and what it passes
# on as said without anybody having heard it, is proposed and no more, however often it comes up.
RECURRING = ("rating", "correction", "stated", "fixed")
ID_LENGTH = 8
EVIDENCE = "## Evidence"
MAX_QUOTE = 500
_APART = " · "
_FIELDS = ("id", "status", "category", "project", "key", "created", "updated", "helpful", "harmful")


class Lessons:
    """The lessons of one home. Nothing is made where there are none; files are read once while they stay the same."""

    def __init__(self, home: str) -> None:
        self.home = home
        self._read: dict[str, tuple[tuple[int, int], Lesson]] = {}
        self._words: dict[str, frozenset[str]] = {}

    def all(self, problems: list[Problem] | None = None) -> list[Lesson]:
        """Return every lesson, the oldest first; a file that cannot be read is added to the problems."""
        found = []
        for path, stamp in self._paths():
            known = self._read.get(path)
            if known is None or known[0] != stamp:
                try:
                    known = self._read[path] = (stamp, self._lesson(path))
                except HoldfastError as problem:
                    if problems is not None:
                        problems.append(Problem("lesson", path, str(problem), problem.hint))
                    continue
            found.append(known[1])
        return sorted(found, key=lambda one: (one.created, one.id))

    def get(self, name: str) -> Lesson:
        """Return the lesson whose id, or the key of its memory, begins with this."""
        every = self.all()
        known = {**{one.key: one for one in every if one.key}, **{one.id: one for one in every}}
        return by_prefix(name, known, "no learned lesson", "`holdfast lesson` lists them.")

    def like(self, project: str, evidence: Evidence) -> Lesson | None:
        """Return the lesson that an occurrence in a project speaks for, if there is one."""
        wanted, name = words_of(evidence.quote), id_of(project, evidence)
        for one in self.all():
            if one.id == name:
                return one
            for first in one.evidence[:1] if one.project == project else ():
                if first.quote not in self._words:
                    # Every new occurrence is compared with all of them.
                    self._words[first.quote] = words_of(first.quote)
                if first.family == evidence.family and alike(self._words[first.quote], wanted):
                    return one
        return None

    def add_evidence(self, statement: str, category: str, project: str, evidence: Evidence) -> tuple[Lesson, bool]:
        """Add an occurrence to the lesson that it speaks for, or make that; return it, and whether it was new."""
        with self._lock():
            there = self.like(project, evidence)
            if there is None:
                return self._put_new(statement, category, project, evidence), True
            known = {(one.agent, one.session, one.family, _same(one.quote)) for one in there.evidence}
            is_known = (evidence.agent, evidence.session, evidence.family, _same(evidence.quote)) in known
            if is_known or len(there.evidence) >= MAX_EVIDENCE:
                return there, False
            after = replace(there, evidence=(*there.evidence, evidence), updated=max(there.updated, evidence.at))
            return self._write(there, after), True

    def change(self, lesson: Lesson, **fields: object) -> Lesson:
        """Set fields of a lesson and return it; what else its file says stays."""
        with self._lock():
            there = self._lesson(lesson.path)
            after: Lesson = replace(there, **fields)  # type: ignore[arg-type]
            return there if after == there else self._write(there, after)

    def mark(self, lesson: Lesson, rating: str, at: str) -> Lesson:
        """Note that the lesson was helpful or harmful at a time."""
        with self._lock():
            there = self._lesson(lesson.path)
            if rating == "helpful":
                return self._write(there, replace(there, helpful=(*there.helpful, at)[-MAX_MARKS:]))
            return self._write(there, replace(there, harmful=(*there.harmful, at)[-MAX_MARKS:]))

    def forget(self, agent: str, session: str) -> list[Lesson]:
        """Take what a session said out of the evidence; return the lessons that nothing speaks for any more.

        Their files are removed, unless they stand: then what they say is a memory, which is forgotten by itself.
        """
        left = []
        with self._lock():
            for one in self.all():
                own = [each for each in one.evidence if (each.agent, each.session) == (agent, session)]
                if own and len(own) == len(one.evidence) and one.status in ("proposed", "rejected"):
                    files.remove(one.path)
                    left.append(one)
                elif own:
                    text = files.read(one.path, _MAX_READ).decode("utf-8", "replace")
                    for each in own:
                        text = text.replace(evidence_text(each), "")
                    files.write(one.path, text.encode("utf-8", "replace"))
        return left

    def _put_new(self, statement: str, category: str, project: str, evidence: Evidence) -> Lesson:
        name = id_of(project, evidence)
        stem = slug(" ".join(evidence.quote.split()[:6]))[:_LONGEST_SLUG].rstrip("-") or "lesson"
        month, when = stamp_of(evidence.at)
        path = os.path.join(self.home, FOLDER, category, month, f"{when}-{stem}-{name}.md")
        lesson = Lesson(
            *(name, statement, category),
            project=project,
            evidence=(evidence,),
            created=evidence.at,
            updated=evidence.at,
            key=f"{stem}-{name}",
            path=path,
        )
        self._refuse_link(category, month)
        files.make_folder(os.path.dirname(path))
        files.clear_leftovers(os.path.dirname(path))
        files.write(path, created(lesson).encode("utf-8", "replace"))
        return lesson

    def _write(self, before: Lesson, after: Lesson) -> Lesson:
        text = files.read(before.path, _MAX_READ).decode("utf-8", "replace")
        self._refuse_link(*os.path.relpath(os.path.dirname(before.path), os.path.join(self.home, FOLDER)).split(os.sep))
        files.clear_leftovers(os.path.dirname(before.path))
        files.write(before.path, changed(text, before, after).encode("utf-8", "replace"))
        return after

    def _lesson(self, path: str) -> Lesson:
        return parsed(files.read(path, _MAX_READ).decode("utf-8", "replace"), path)

    def _paths(self) -> list[tuple[str, tuple[int, int]]]:
        """Return every file of a lesson, each with what tells whether it changed. No link is followed."""
        found = []
        for category in CATEGORIES:
            base = os.path.join(self.home, FOLDER, category)
            for month in files.names_in(base) if files.is_plain_folder(base) else ():
                folder = os.path.join(base, month)
                if files.is_plain_folder(folder):
                    found += _files_of(folder)
        return found

    def _refuse_link(self, *parts: str) -> None:
        files.refuse_links(self.home, "/".join((FOLDER, *parts)))

    def _lock(self) -> files.Lock:
        return files.lock_of(self.home, "lessons")


def room(home: str) -> Lessons:
    """Return the lessons of a home; what was read of their files stays read for as long as they do not change."""
    if home not in _rooms:
        _rooms.clear()
        _rooms[home] = Lessons(home)
    return _rooms[home]


def add_evidence(home: str, statement: str, category: str, project: str, evidence: Evidence) -> tuple[Lesson, bool]:
    """Add an occurrence to the lesson of a home that it speaks for, or make that; texts are clean already."""
    return room(home).add_evidence(statement, category, project, evidence)


def weight(lesson: Lesson, now: str) -> float:
    """Return what a lesson weighs: marks, harmful ones four times, which fade; and the sessions that it came up in."""
    helpful = sum(_faded(at, now) for at in lesson.helpful)
    harmful = sum(_faded(at, now) for at in lesson.harmful)
    return helpful - HARM * harmful + lesson.sessions


def _faded(at: str, now: str) -> float:
    try:
        return float(0.5 ** (days_between(at, now) / HALF_LIFE_DAYS))
    except ValueError:
        return 1.0


def _same(quote: str) -> str:
    return " ".join(quote.casefold().split())


def _files_of(folder: str) -> list[tuple[str, tuple[int, int]]]:
    found = []
    with os.scandir(folder) as entries:
        for one in entries:
            if one.name.endswith(".md") and one.name[0] != "." and is_text(one.name):
                status = one.stat(follow_symlinks=False)
                found.append((one.path, (status.st_mtime_ns, status.st_size)))
    return sorted(found)


@dataclass(frozen=True, slots=True)
class Evidence:
    """One occurrence: when, in which session, of which kind, the words, the place in the session, what came before."""

    at: str
    agent: str
    session: str
    kind: str
    quote: str
    place: int = 0
    before: str = ""

    @property
    def family(self) -> str:
        """The family of its kind: only evidence of one family makes one lesson."""
        return FAMILIES.get(self.kind, self.kind)


@dataclass(frozen=True, slots=True)
class Lesson:
    """What was learned, what speaks for it, and the times of the marks that it got; `key` names its memory."""

    id: str
    statement: str
    category: str
    status: str = "proposed"
    project: str = ""
    evidence: tuple[Evidence, ...] = ()
    helpful: tuple[str, ...] = ()
    harmful: tuple[str, ...] = ()
    created: str = ""
    updated: str = ""
    key: str = ""
    path: str = ""

    @property
    def sessions(self) -> int:
        """In how many distinct sessions it occurred; neither a copy of one nor what was imported is one."""
        return _sessions([one for one in self.evidence if one.kind != "import"])

    @property
    def recurs(self) -> bool:
        """Whether a person said it, or it happened, in so many sessions that it may stand without approval."""
        if not any(one.kind in RECURRING for one in self.evidence):
            return False
        return _sessions([one for one in self.evidence if one.kind in (*RECURRING, UNSURE)]) >= RECURS


def _sessions(evidence: list[Evidence]) -> int:
    copies = {(one.at, one.quote): (one.agent, one.session) for one in reversed(evidence)}
    return len(set(copies.values()))


def id_of(project: str, evidence: Evidence) -> str:
    """Return the id of the lesson that an occurrence in a project makes."""
    return hash_of(project, evidence.family, *sorted(words_of(evidence.quote)), length=ID_LENGTH)


def created(lesson: Lesson) -> str:
    """Return the text of the file of a new lesson."""
    said = f"\n# {first_words(lesson.statement)}\n\n{lesson.statement}\n\n{EVIDENCE}\n\n"
    return front_matter.written(_values(lesson), said + "".join(map(evidence_text, lesson.evidence)))


def changed(text: str, before: Lesson, after: Lesson) -> str:
    """Return the text of a file with what changed: names of the front matter, the statement, evidence at its end."""
    values = _values(after)
    document = front_matter.change(front_matter.parse(text), {name: values[name] or None for name in _FIELDS})
    text = str(document)
    if after.statement != before.statement:
        text = text.replace(f"\n{before.statement}\n", f"\n{after.statement}\n", 1)
    new = after.evidence[len(before.evidence) :]
    return (text if text.endswith("\n") or not new else text + "\n") + "".join(map(evidence_text, new))


def evidence_text(one: Evidence) -> str:
    """Return the lines of one occurrence."""
    head = _APART.join((one.at, one.kind, _plain(one.agent), _plain(one.session), f"place {one.place}"))
    before = f"  before: {_line(one.before)}\n" if one.before else ""
    return f"- {head}\n  > {_line(one.quote)}\n{before}"


def parsed(text: str, path: str) -> Lesson:
    """Return the lesson that the text of a file holds; BrokenFile says what cannot be used of it."""
    document = front_matter.parse(text)
    given, broken = front_matter.values(document)
    if broken:
        raise BrokenFile(f"{path}:{broken[0][0]}: {broken[0][1]}", "Mend the front matter in an editor.")
    told = {name: value for name, value in given.items() if isinstance(value, str)}
    head, _, rest = f"\n{document.body}".partition(f"\n{EVIDENCE}")
    statement = "\n".join(line for line in head.split("\n") if not line.startswith("# ")).strip()
    # Files and folders are named after its id and its project.
    if not all(is_id(told[name]) for name in ("id", "project") if told.get(name)):
        raise BrokenFile(f"{path} has an id or a project that cannot be one", "Write back what Holdfast wrote there.")
    if not (told.get("id") and statement and told.get("status") in STATUSES):
        raise BrokenFile(f"{path} is not a lesson", f"It needs an id, a text, and a status: {', '.join(STATUSES)}.")
    return Lesson(
        **{name: told.get(name, "") for name in ("id", "status", "project", "key", "created", "updated")},
        statement=statement,
        category="system" if told.get("category") == "system" else "algorithm",
        evidence=tuple(_evidence(rest.split("\n"))),
        helpful=_several(given.get("helpful", ())),
        harmful=_several(given.get("harmful", ())),
        path=path,
    )


def _evidence(lines: list[str]) -> Iterator[Evidence]:
    head: list[str] = []
    for number, line in enumerate(lines):
        if line.startswith("- "):
            head = line[2:].split(_APART)
        elif line.startswith("  > ") and len(head) == 5:
            after = lines[number + 1] if number + 1 < len(lines) else ""
            before = after.removeprefix("  before: ") if after.startswith("  before: ") else ""
            place = head[4].removeprefix("place ")
            yield Evidence(
                *(head[0], head[2], head[3], head[1], line[4:]),
                place=int(place) if place.isdecimal() and len(place) < 10 else 0,
                before=before,
            )
            head = []


def _values(lesson: Lesson) -> dict[str, Value]:
    return {name: getattr(lesson, name) for name in _FIELDS}


def _several(value: Value) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) and value else tuple(value)


def _plain(text: str) -> str:
    return _line(text).replace(_APART.strip(), "-")


def _line(text: str) -> str:
    return " ".join(text.split())[:MAX_QUOTE]
