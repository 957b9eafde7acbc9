"""A memory as a Markdown file: front matter, a title, the statement, and under `## History` what it said before.

    ---
    key: deploys-need-the-vpn
    scope: project
    ...
    ---

    # Deploys need the VPN

    Deploys need the VPN. Ask Kim for access.

    ## History

    ### 2026-11-02T09:00:00Z

    > Deploys go through the bastion host.

Earlier statements are quoted, newest first, so that nothing in them can be taken for structure. Any Markdown text is a
memory: what front matter does not say is told by the path, the text and the time of the file.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import NamedTuple

from holdfast.base.merge_markers import versions
from holdfast.errors import BrokenFile
from holdfast.language import conditions
from holdfast.records import STRENGTHS, TRUSTS, TYPES, Memory, Problem, Scope, Statement, replace
from holdfast.store import front_matter
from holdfast.store.front_matter import Document, Value
from holdfast.store.keys import is_key

FIELDS = (
    *("key", "scope", "type", "tags", "trust", "created", "updated", "source", "agent", "session", "supersedes"),
    "pinned",
)
# The values that a name can have, and the one that holds where it is not set.
# How a statement begins tells whether it is an order.
_MAX_ORDER = 400
_CHOICES = {"type": (TYPES, "project"), "trust": (TRUSTS, "user")}
HISTORY = "## History"
TITLE_LENGTH = 80
_MARKERS = "a merge of git left its markers in it"
_DECIDE = "Decide for one version in an editor (`holdfast sync` does it in your home); until then it is not rewritten."


class Content(NamedTuple):
    """The part below the front matter."""

    title: str
    statement: str
    history: tuple[Statement, ...] = ()


class FilePlace(NamedTuple):
    """What a path tells about the file at it: its scope, the key that its name gives, and the time of the file."""

    path: str
    scope: Scope
    key: str
    time: str


def decode(data: bytes, path: str) -> tuple[str, tuple[Problem, ...]]:
    """Return the text of the file; bytes that are not UTF-8 are shown as U+FFFD and named as a problem."""
    try:
        return data.decode("utf-8"), ()
    except UnicodeDecodeError as wrong:
        line = data.count(b"\n", 0, wrong.start) + 1
        hint = "Save the file as UTF-8; until then Holdfast reads it and does not rewrite it."
        problem = Problem("not-utf-8", path, "the file is not UTF-8", hint, line, "error")
        return data.decode("utf-8", "replace"), (problem,)


def read(text: str, place: FilePlace) -> tuple[Memory, tuple[Problem, ...]]:
    """Return the memory that the text holds, and as values what is wrong with the text."""
    sides = versions(text)
    # While somebody merges by hand, this machine's version is read, without git's marker lines.
    document = front_matter.parse(sides[1] if sides else text)
    fields, broken = _values(document)
    mend = "Mend the front matter in an editor; until then Holdfast reads the file and does not rewrite it."
    problems = [Problem("front-matter", place.path, why, mend, line, "error") for line, why in broken]
    if sides:
        problems.append(Problem("markers", place.path, _MARKERS, _DECIDE, severity="error"))
    content = read_content(document.body)
    given = _Given(fields, place.path)
    created, updated, trust = given.time("created"), given.time("updated"), given.one_of("trust")
    memory = Memory(
        key=place.key,
        scope=place.scope,
        title=content.title or first_words(content.statement) or place.key,
        body=content.statement,
        type=given.one_of("type") if "type" in fields else _untyped(content.statement, trust),
        tags=given.several("tags"),
        trust=trust,
        created=created or updated or place.time,
        updated=updated or created or place.time,
        source=given.text("source"),
        agent=given.text("agent"),
        session=given.text("session"),
        supersedes=given.several("supersedes"),
        pinned=given.is_true("pinned"),
        history=content.history,
        path=place.path,
        anchors=given.several("anchors"),
        branch=given.text("branch"),
        when=given.condition(),
        enforce=given.strength(),
    )
    given.check_reserved()
    return memory, (*problems, *given.problems)


def create(memory: Memory) -> str:
    """Return the text of a new file that holds the memory."""
    return front_matter.written(_fields_of(memory), _body_of(memory))


def update(text: str, memory: Memory, path: str) -> str:
    """Return the text with the memory's fields and content in it; a content that is the same keeps every byte."""
    if versions(text):
        raise BrokenFile(f"{path}: {_MARKERS}", _DECIDE)
    document = front_matter.parse(text)
    current, broken = _values(document)
    if broken:
        line, why = broken[0]
        raise BrokenFile(f"{path}:{line}: {why}", "Mend the front matter in an editor, then try again.")
    changes = {name: value for name, value in _fields_of(memory).items() if _differs(name, current, value)}
    document = front_matter.change(document, changes) if changes else document
    content = read_content(document.body)
    same_title = content.title in ("", memory.title)
    if not same_title or (content.statement, content.history) != (memory.body, memory.history):
        document = replace(document, body=_body_of(memory).replace("\n", document.newline))
    return str(document)


def read_content(body: str) -> Content:
    """Cut the part below the front matter into title, statement and history."""
    lines = body.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    lines, history = _cut_history(lines)
    title = ""
    first = next((i for i, line in enumerate(lines) if line.strip()), None)
    if first is not None and lines[first].startswith("# ") and lines[first][2:].strip():
        title, lines = lines[first][2:].strip(), lines[first + 1 :]
    return Content(title, tidy_text("\n".join(lines)), history)


def tidy_text(text: str) -> str:
    """Return the text with \\n line endings and without blank lines around it."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").rstrip()
    lines = text.split("\n")
    while lines and not lines[0].strip():
        lines.pop(0)
    return "\n".join(lines)


def split_title(text: str) -> Content:
    """Return title and statement of a text that somebody stores; a leading `# heading` is the title."""
    # An empty history at the end keeps its own lines from being taken for one.
    content = read_content(f"{tidy_text(text)}\n\n{HISTORY}\n")
    statement = content.statement or content.title
    return Content(content.title or first_words(statement), statement)


def first_words(text: str) -> str:
    """Return the first line or sentence as a title of at most 80 characters."""
    line = next((line.strip() for line in text.split("\n") if line.strip()), "")
    line = line.lstrip("#->*• \t") or line
    parts = line.split(". ")
    # Neither "e.g. this" nor "z.B. das" ends a sentence.
    ends = [place for place, part in enumerate(parts, 1) if not _is_abbreviated(part)]
    sentence = ". ".join(parts[: ends[0] if ends else None]).rstrip(".").strip() or line
    if len(sentence) <= TITLE_LENGTH:
        return sentence
    # Always cut in the same way: a title that differs from this one counts as given by a person.
    beginning = sentence[: TITLE_LENGTH - 1]
    return (beginning.rsplit(" ", 1)[0] if " " in beginning[40:] else beginning).rstrip() + "…"


def _is_abbreviated(text: str) -> bool:
    """Whether a text ends with letters that have stops between them, as "e.g" does."""
    letters = text.rpartition(" ")[2].lstrip("(").split(".")
    return len(letters) > 1 and all(len(letter) == 1 and letter.isalpha() for letter in letters)


def _differs(name: str, current: dict[str, Value], wanted: Value | None) -> bool:
    """Whether the field has to be written: not where a person wrote the same in another way, or what we cannot use."""
    if not current.get(name) or name in ("key", "scope"):
        return (current.get(name) or None) != (wanted or None)
    given = _Given(current, "")
    if name in ("created", "updated"):
        return given.time(name) != wanted
    if name in ("tags", "supersedes", "anchors"):
        return given.several(name) != (wanted or ())
    if name == "pinned":
        return given.is_true(name) != bool(wanted)
    if name in _CHOICES:
        return given.one_of(name) != wanted
    return given.text(name) != (wanted or "")


def _fields_of(memory: Memory) -> dict[str, Value | None]:
    return {
        "key": memory.key,
        "scope": memory.scope.kind,
        "type": memory.type,
        "tags": memory.tags or None,
        "trust": memory.trust,
        "created": memory.created,
        "updated": memory.updated,
        "source": memory.source or None,
        "agent": memory.agent or None,
        "session": memory.session or None,
        "supersedes": memory.supersedes or None,
        "pinned": front_matter.Plain("true") if memory.pinned else None,
        "anchors": memory.anchors or None,
        "branch": memory.branch or None,
        "when": memory.when or None,
        "enforce": memory.enforce or None,
    }


def _body_of(memory: Memory) -> str:
    parts = ["", f"# {memory.title}", "", memory.body]
    if memory.history or _cut_history(memory.body.split("\n"))[0] != memory.body.split("\n"):
        parts += ["", HISTORY]
    for earlier in memory.history:
        quoted = [f"> {line}" if line else ">" for line in earlier.text.split("\n")]
        parts += ["", f"### {earlier.at}", "", *quoted]
    return "\n".join(parts) + "\n"


def _cut_history(lines: list[str]) -> tuple[list[str], tuple[Statement, ...]]:
    """Split the lines at the last history heading, if all that follows it is history."""
    places = [i for i, line in enumerate(lines) if line.rstrip() == HISTORY]
    if not places:
        return lines, ()
    history = _read_history(lines[places[-1] + 1 :])
    return (lines, ()) if history is None else (lines[: places[-1]], history)


def _read_history(lines: list[str]) -> tuple[Statement, ...] | None:
    found: list[tuple[str, list[str]]] = []
    for line in lines:
        if line.startswith("### ") and as_time(line[4:].strip()):
            found.append((line[4:].strip(), []))
        elif line.startswith(">") and found:
            found[-1][1].append(line[2:] if line.startswith("> ") else line[1:])
        elif line.strip():
            return None
    return tuple(Statement("\n".join(text), at) for at, text in found)


def as_time(text: str) -> str:
    """Return a date or time that a person wrote as ISO 8601 in UTC, or nothing where it is not one."""
    try:
        moment = datetime.fromisoformat(text)
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return ""
    if len(text) == 20 and text[4] == text[7] == "-" and text[10] == "T" and text[19] == "Z":
        return text
    return moment.replace(tzinfo=None).isoformat(timespec="seconds") + "Z"


def _untyped(statement: str, trust: str) -> str:
    """Return the type of a statement whose file names none: an order of the person's is a rule, as with `remember`."""
    if trust != "user":
        return "project"
    # Files that Holdfast wrote name their type.
    from holdfast.language.triggers import is_order

    return "feedback" if is_order(statement[:_MAX_ORDER]) else "project"


def _values(document: Document) -> tuple[dict[str, Value], list[tuple[int, str]]]:
    """Return what the front matter sets, and what is wrong with it where we need it: people keep other things there."""
    fields, broken = front_matter.values(document)
    named = {entry.line: entry.name for entry in document.entries}
    return fields, [(line, why) for line, why in broken if named.get(line, "") in ("", *FIELDS)]


class _Given:
    """What the front matter gives, with a problem for each value that cannot be used."""

    def __init__(self, fields: dict[str, Value], path: str) -> None:
        self.fields = fields
        self.path = path
        self.problems: list[Problem] = []

    def text(self, name: str) -> str:
        value = self.fields.get(name, "")
        return value if isinstance(value, str) else ", ".join(value)

    def several(self, name: str) -> tuple[str, ...]:
        value = self.fields.get(name, ())
        items = value.split(",") if isinstance(value, str) else value
        return tuple(item.strip() for item in items if item.strip())

    def is_true(self, name: str) -> bool:
        return self.text(name).lower() in ("true", "yes", "on")

    def one_of(self, name: str) -> str:
        value = self.text(name)
        allowed, default = _CHOICES[name]
        if value and value not in allowed:
            self._problem(name, f"{name} is {value!r}, which is not one of {', '.join(allowed)}")
        return value if value in allowed else default

    def time(self, name: str) -> str:
        value = self.text(name)
        time = as_time(value) if value else ""
        if value and not time:
            self._problem(name, f"{name} is {value!r}, which is not a date or a time")
        return time

    def condition(self) -> str:
        """Return `when` as it is written; what cannot be understood is a problem, and no condition."""
        value = self.text("when")
        if value and conditions.read(value) is None:
            self._problem("when", f"when is {value!r}, which names no command, file, tool, failure or branch")
        return value

    def strength(self) -> str:
        """Return `enforce`; what cannot be used is a problem, and then the usual strength holds."""
        value = self.text("enforce")
        if value and value not in STRENGTHS:
            self._problem("enforce", f"enforce is {value!r}, which is not one of {', '.join(STRENGTHS)}")
        return value

    def check_reserved(self) -> None:
        """Note what is reserved and says something that no version will read."""
        parent = self.text("parent")
        if parent and not is_key(parent):
            self._problem("parent", f"parent is {parent!r}, which is not a key")

    def _problem(self, name: str, text: str) -> None:
        self.problems.append(Problem("front-matter", self.path, text, f"Correct {name} in an editor."))
