"""What the tools of coding agents do, whatever an agent calls them, and what a call of one says (`tables/tools.txt`).

Arguments come as an agent wrote them: a command line as it is, a JSON object, a list of words, or JSON that was cut in
the middle. Hooks ask, so this is light.
"""

from __future__ import annotations

from holdfast.base.light_records import dataclass
from holdfast.base.minijson import loads
from holdfast.base.text import DOTS, cut
from holdfast.language import shell
from holdfast.language.word_lists import TABLES, among, listed, lists

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Literal

    Kind = Literal["shell", "edit", "read", "search", "web", "agent", "plan", "memory", "pr", "other"]

TABLE = "tools"
KINDS: tuple[Kind, ...] = ("shell", "edit", "read", "search", "web", "agent", "plan", "memory", "pr", "other")
PATCH = "*** Begin Patch"
_PATCHED = ("*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: ")
# A list of words with one of these is a shell and the line that it is given to run.
_CARRIES = ("-c", "-lc", "-ic", "/c")
_MAX_FILES = 50
MAX_PLANNED, MAX_ENTRY = 24, 200
BULLETS = ("- ", "* ", "• ", "+ ", "– ")
BOXES = ("[ ]", "[x]", "[X]")
_ENTRY_NUMBERS = ("taskId", "task_id")
_MAX_PATH = 4_096
_MAX_KNOWN = 4_096
_SIGNS = str.maketrans("", "", "_- ")
_roles: dict[str, str] = {}
_known: dict[str, str] = {}


def kind_of(tool: str) -> Kind:
    """Return what a tool does, one of KINDS, by its name or the last part of its name."""
    return _role_of(tool).partition(" ")[0]  # type: ignore[return-value]


def spawns(tool: str) -> bool:
    """Whether a tool sets another agent to work."""
    return _role_of(tool) == "agent spawns"


def writes_plan(tool: str) -> bool:
    """Whether a tool writes a plan down."""
    return _role_of(tool) == "plan writes"


def _role_of(tool: str) -> str:
    if tool not in _known:
        if len(_known) >= _MAX_KNOWN:
            _known.clear()
        _known[tool] = _looked_up(tool)
    return _known[tool]


def _looked_up(tool: str) -> str:
    if not _roles:
        for role, names in lists(f"{TABLES}/{TABLE}.txt").items():
            if role.partition(" ")[0] in KINDS:
                _roles.update({_plain(name): role for name in names})
    last = tool.replace(".", "__").replace("/", "__").rpartition("__")[2]
    return _roles.get(_plain(tool)) or _roles.get(_plain(last)) or "other"


def _plain(name: str) -> str:
    return name.casefold().translate(_SIGNS)


def line_of(given: str) -> str:
    """Return the command line out of what a shell was given; nothing where it does not say."""
    return given if given[:1] not in "{[" else Arguments(given).line()


def paths_in(given: str) -> list[str]:
    """Return the files that a call names, each once: by a field of its arguments, or by the patch among them."""
    return Arguments(given).paths()


def changed_files(tool: str, given: object) -> list[str]:
    """Return the files that a call changes; of a tool that does not edit, those of a patch that it is given."""
    if kind_of(tool) == "edit":
        arguments = Arguments(given)
        return [] if arguments.only_looks() else arguments.paths()
    return Arguments(given).patched() if PATCH in str(given) else []


@dataclass(frozen=True, slots=True)
class Planned:
    """One entry of a plan, and whether the agent ticked it."""

    text: str
    ticked: bool


def plan_of(tool: str, given: str) -> tuple[Planned, ...]:
    """Return the entries of the plan that a call of a tool writes down; nothing where it is no such tool."""
    if not writes_plan(tool):
        return ()
    value = _as_far_as_told(given)
    return _boxes(value) if isinstance(value, str) else _entries(value)[:MAX_PLANNED]


def plan_entry(given: str) -> tuple[int, bool] | None:
    """Return which entry of a plan a call is about, 0 for a new one, and whether it ticks that; None for all."""
    value = _as_far_as_told(given)
    if not isinstance(value, dict) or any(value.get(key) for key in listed(TABLE, "plan-entries")):
        return None
    number = next((str(value[key]) for key in _ENTRY_NUMBERS if value.get(key)), "0")
    return int(number) if number.isdigit() else 0, _is_ticked(value)


def _as_far_as_told(given: str) -> object:
    """Return the arguments of a call; of those that were cut, what stands before the cut."""
    for text in (given, given[: given.rfind("}") + 1] + "]}", given[: given.rfind("}") + 1] + "]"):
        try:
            return loads(text)
        except ValueError:
            continue
    return given


def _entries(value: object) -> tuple[Planned, ...]:
    if isinstance(value, dict):
        entries = next((value[key] for key in listed(TABLE, "plan-entries") if value.get(key)), None)
        if isinstance(entries, str):
            return _boxes(entries)
        if isinstance(entries, list):
            return _entries(entries)
        one = _entry(value)
        return (one,) if one else ()
    found = [_entry(each) for each in value] if isinstance(value, list) else []
    return tuple([one for one in found if one])


def _entry(value: object) -> Planned | None:
    if isinstance(value, str):
        return Planned(without_marks(value), False) if value.strip() else None
    if not isinstance(value, dict):
        return None
    keys = listed(TABLE, "plan-says")
    text = next((value[key] for key in keys if isinstance(value.get(key), str) and value[key].strip()), "")
    return Planned(without_marks(text), _is_ticked(value)) if text else None


def _is_ticked(entry: Mapping[str, object]) -> bool:
    states = [str(entry[key]).casefold() for key in listed(TABLE, "plan-state") if key in entry]
    return any(one in listed(TABLE, "plan-ticked") for one in states)


def _boxes(text: str) -> tuple[Planned, ...]:
    """Return the check boxes of a plan in Markdown."""
    found = []
    for line in text.split("\n"):
        item = line.strip()
        item = item[2:].strip() if item.startswith(BULLETS) else item
        if item.startswith(BOXES) and item[3:].strip():
            found.append(Planned(without_marks(item[3:]), item[1] != " "))
    return tuple(found[:MAX_PLANNED])


def without_marks(text: str) -> str:
    """Return an entry of a list on one line, without marks around it, cut to its bound."""
    return cut(" ".join(text.split()).strip("*_ ").rstrip(".;,:! "), MAX_ENTRY, DOTS)


def spawned(tool: str, given: str) -> str:
    """Return which agent a call sets to work, nothing where it sets none."""
    if not spawns(tool):
        return ""
    return Arguments(given).first(listed(TABLE, "agent-key")) or tool


class Arguments:
    """What a call of a tool was given: as a text, or as the value that it says."""

    def __init__(self, given: object) -> None:
        self.given = given if isinstance(given, str) else ""
        # None where it is no JSON, or JSON that was cut.
        self.fields: Mapping[str, object] | None = None
        if self.given[:1] in ("{", "["):
            try:
                given = loads(self.given)
            except (ValueError, RecursionError):
                return
        if not isinstance(given, str):
            self.fields = given if isinstance(given, dict) else {"command": given}

    def first(self, names: Iterable[str], *, cut: bool = False) -> str:
        """Return the first field of these names that says something; with `cut`, also the beginning of one."""
        if self.fields is None and self.given[:1] != "{":
            return ""
        for name in names:
            text = _as_line(self.fields.get(name)) if self.fields is not None else _searched(self.given, name, cut)
            if text:
                return text
        return ""

    def line(self) -> str:
        """Return the command line; what is no JSON after all is the line itself."""
        line = self.first((*listed(TABLE, "command-key"), *listed(TABLE, "code-key")), cut=True)
        return line or (self.given if self.fields is None else "")

    def only_looks(self) -> bool:
        """Whether an editing tool is asked to show a file, and not to change it."""
        return self.first(("command",)) in among(TABLE, "editor-looks")

    def paths(self) -> list[str]:
        """Return the files that are named, each once."""
        path = self.first(listed(TABLE, "path-key")).strip().removeprefix("file://")
        return [path[:_MAX_PATH]] if path else self.patched()

    def patched(self) -> list[str]:
        """Return the files that a patch changes, each once."""
        texts = [self.given.replace("\\n", "\n") if self.given[:1] == "{" else self.given]
        if self.fields is not None:
            values = [value if isinstance(value, list) else [value] for value in self.fields.values()]
            texts = [text for value in values for text in value if isinstance(text, str)]
        lines = [line for text in texts if "*** " in text for line in text.split("\n")]
        found = [line[len(mark) :].strip() for line in lines for mark in _PATCHED if line.startswith(mark)]
        return list(dict.fromkeys(path[:_MAX_PATH] for path in found if path))[:_MAX_FILES]


def _searched(given: str, name: str, cut: bool) -> str:
    """Return a field out of JSON that was cut and cannot be read any more."""
    _, found, rest = given.partition(f'"{name}"')
    text = rest.lstrip(" :\n")
    if not found or text[:1] != '"':
        return ""
    end = 1
    while end < len(text) and text[end] != '"':
        end += 2 if text[end] == "\\" else 1
    if end >= len(text) and not cut:
        return ""
    try:
        value = loads(text[:end].removesuffix("\\") + '"')
    except ValueError:
        return ""
    return value if isinstance(value, str) else ""


def _as_line(value: object) -> str:
    """Return a text as it is, and a list of words as a line, without the shell that only carries it."""
    if isinstance(value, str):
        return value
    if not (isinstance(value, list) and all(isinstance(word, str) for word in value)):
        return ""
    return value[2] if len(value) == 3 and value[1] in _CARRIES else shell.quoted(value)
