"""A lesson as one Markdown file: front matter, what it says, and below `## Evidence` each occurrence.

Identity. The id stands for the project, the family of the evidence and the words of the first quote, so that the same
complaint is the same lesson wherever and whenever it is found. A person may edit the file: what is not a line of ours
stays as it is, because a change only sets names of the front matter and adds to the end.

Checking. A file that cannot be read as a lesson is a problem, and stays as it is.
"""

from __future__ import annotations

from holdfast.base.digests import short
from holdfast.base.light_records import dataclass
from holdfast.errors import BrokenFile
from holdfast.language.likeness import words_of
from holdfast.project.ids import is_id
from holdfast.store import front_matter
from holdfast.store.memory_file import first_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.store.front_matter import Value

STATUSES = ("proposed", "standing", "warning", "rejected")
# What a person said about the work is one family, whoever noticed it; a failure and a note of an agent are others.
FAMILIES = {"rating": "said", "correction": "said", "stated": "said", "import": "said", "fixed": "failure"}
ID_LENGTH = 8
EVIDENCE = "## Evidence"
MAX_QUOTE = 500
_APART = " · "
_FIELDS = ("id", "status", "category", "project", "key", "created", "updated", "helpful", "harmful")


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
        own = [one for one in self.evidence if one.kind != "import"]
        copies = {(one.at, one.quote): (one.agent, one.session) for one in reversed(own)}
        return len(set(copies.values()))


def id_of(project: str, evidence: Evidence) -> str:
    """Return the id of the lesson that an occurrence in a project makes."""
    return short(project, evidence.family, *sorted(words_of(evidence.quote)), length=ID_LENGTH)


def created(lesson: Lesson) -> str:
    """Return the text of the file of a new lesson."""
    values = _values(lesson)
    lines = [front_matter.entry_line(name, values[name]) for name in _FIELDS if values[name]]
    parts = ["---", *lines, "---", "", f"# {first_words(lesson.statement)}", "", lesson.statement, "", EVIDENCE, ""]
    return "\n".join(parts) + "\n" + "".join(map(evidence_text, lesson.evidence))


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


def read(text: str, path: str) -> Lesson:
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
        raise BrokenFile(f"{path} is no lesson", f"It needs an id, a text, and a status: {', '.join(STATUSES)}.")
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
