"""Which command a shell line was run for, and when two lines are runs of the same. Hooks ask this, so it is light.

This is no shell. What it cannot take apart stays one word, and a line of which nothing is known stands for itself.
"""

from __future__ import annotations

from holdfast.base.light_records import dataclass
from holdfast.base.minijson import loads
from holdfast.language import shell_lines
from holdfast.learning.fixes.lists import among, listed

MAX_LINE = 2_000
_MAX_PARTS = 24
_DEEPEST = 2
_WORDS = "commands"
# Behind these signs another command gives the line its exit.
_HIDING = ("|", "|&", "||", ";", ";;", "\n")
PIPES = ("|", "|&")


@dataclass(frozen=True, slots=True)
class Command:
    """One command of a line: its program and sub-command, its words, and how much is known of it.

    `is_hidden`: the exit of the line is not its own. `is_inline`: its program stands in the line or behind it. `folder`
    is where the line goes before it.
    """

    name: str
    words: tuple[str, ...]
    is_look: bool = False
    is_hidden: bool = False
    is_inline: bool = False
    folder: str = ""


def is_a(word: str, kind: str) -> bool:
    """Whether a word is in one of the lists of commands."""
    return word in among(_WORDS, kind)


def is_shell(tool: str) -> bool:
    """Whether a tool of that name runs command lines."""
    return is_a(_plain(tool), "tool") or is_a(_plain(tool.replace(".", "__").rpartition("__")[2]), "tool")


def _plain(name: str) -> str:
    return name.casefold().replace("_", "").replace("-", "").replace(" ", "")


def line_of(given: str) -> str:
    """Return the command line out of what a shell was given: the line itself, or JSON that has it."""
    if given[:1] not in "{[":
        return given
    try:
        value = loads(given)
    except ValueError:
        return _in_a_piece(given)
    if isinstance(value, dict):
        value = next((value[key] for key in listed(_WORDS, "key") if value.get(key)), "")
    return _joined(value)


def _in_a_piece(given: str) -> str:
    """Return the line out of JSON that was cut, as far as it goes; what is no JSON at all is a line of a shell."""
    for key in listed(_WORDS, "key"):
        _, found, rest = given.partition(f'"{key}"')
        text = rest.lstrip(" :")
        if found and text[:1] == '"':
            end = 1
            while end < len(text) and text[end] != '"':
                end += 2 if text[end] == "\\" else 1
            return text[1:end].replace("\\n", "\n").replace('\\"', '"').replace("\\\\", "\\")
    return given


def _joined(value: object) -> str:
    if isinstance(value, str):
        return value
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        return ""
    if len(value) == 3 and value[1] in ("-c", "-lc", "-ic", "/c"):
        return str(value[2])
    return " ".join([word if word and " " not in word else f"'{word}'" for word in value])


def main_of(line: str) -> Command | None:
    """Return the command that a line was run for: a check before all else, then the last one that does something."""
    doers = [one for one in commands(line) if not one.is_look]
    return next((one for one in doers if is_check(one)), doers[-1] if doers else None)


def is_check(command: Command) -> bool:
    """Whether a command is a run of tests, a build or a linter."""
    words = command.name.replace(":", " ").split()
    return is_a(command.words[0], "check") or any(word.startswith(listed(_WORDS, "check-word")) for word in words)


def commands(line: str) -> list[Command]:
    """Return the commands of a line in order; what a shell is given to run stands in its place."""
    return _commands(line[:MAX_LINE], 0)[:_MAX_PARTS]


def pieces(line: str) -> list[tuple[list[str], str, bool]]:
    """Return the words of each command of a line, the sign that ends it, and whether a document stands behind it."""
    found = shell_lines.commands(line[:MAX_LINE])
    return [([word for word in one.words if word], one.sign, bool(one.fed)) for one in found if any(one.words)]


def _commands(line: str, depth: int) -> list[Command]:
    found: list[Command] = []
    folder = ""
    parts = pieces(line)
    for number, (words, sign, has_document) in enumerate(parts):
        bare = _unwrapped(words)
        if not bare:
            continue
        carried = _carried(bare) if depth < _DEEPEST else ""
        if carried:
            found += _commands(carried, depth + 1)
            continue
        folder = bare[1] if bare[0] == "cd" and len(bare) > 1 else folder
        # A sign that ends the line hides nothing, but for one that sends the command to the background.
        is_last = number == len(parts) - 1
        hidden = sign == "&" or (not is_last and sign in _HIDING)
        found.append(_command(bare, hidden, has_document, folder))
    return found


def _command(words: list[str], hidden: bool, has_document: bool, folder: str) -> Command:
    program = words[0]
    runs = is_a(program, "runner")
    inline = has_document or (runs and len(words) > 1 and is_a(words[1], "inline"))
    name = program if inline else (_with_script(words) if runs else "") or _with_sub_command(words)
    look = is_a(program, "look") or _looks(name) or _only_tells(words) or _prints(words)
    return Command(name, tuple(words), look, hidden, inline, folder)


def _with_script(words: list[str]) -> str:
    """Return a runner and the script that it runs, and what that does where it has sub-commands; or nothing."""
    at = next((number for number, word in enumerate(words) if number and word[0] != "-"), 0)
    if not at or "." not in words[at]:
        return ""
    script = words[at].rpartition("/")[2]
    sub = words[at + 1] if at + 1 < len(words) and is_a(script, "with-sub-command") else ""
    return f"{words[0]} {script} {sub if sub[:1].isalpha() else ''}".rstrip()


def _looks(name: str) -> bool:
    return is_a(name, "looking") or is_a(name.rpartition(" ")[0], "looking")


def _only_tells(words: list[str]) -> bool:
    second = words[1] if len(words) > 1 and not is_a(words[0], "runner") else ""
    tells = is_a(second, "tells") or second.startswith(("list-", "show-"))
    return tells or not among(_WORDS, "tells-option").isdisjoint(words)


def _prints(words: list[str]) -> bool:
    """Whether it is a stream editor that changes no file."""
    return words[0] == "sed" and not any(word.startswith(("-i", "--in-place")) for word in words[1:])


def _with_sub_command(words: list[str]) -> str:
    """Return a program and, where it has such, its sub-command."""
    name = words[:1]
    most = 2 if is_a(words[0], "with-sub-command") else 1
    passing = False
    for word in words[1:]:
        if len(name) == most:
            break
        if word[0] in "-+" or passing:
            passing = is_a(word, "option-with-value")
            continue
        if word.isdigit() or not all(letter.isalnum() or letter in "-_:" for letter in word):
            break
        name.append(word)
        most += len(name) == 2 and is_a(word, "goes-on")
    return " ".join(name)


def _unwrapped(words: list[str]) -> list[str]:
    """Return a command's words without variables and wrappers before it, its program without folder and version."""
    at = 0
    while at < len(words):
        name = _program(words[at])
        pair = f"{name} {words[at + 1]}" if at + 1 < len(words) else ""
        if _is_variable(words[at]) or (at and name[:1] == "-"):
            at += 1
        elif is_a(pair, "wrapper-of-two") and at + 2 < len(words):
            at += 2
        elif is_a(name, "wrapper-with-value"):
            at += 1
            while at < len(words) and words[at][0] == "-":
                at += 1
            at += 1
        elif is_a(name, "wrapper") and at + 1 < len(words):
            at += 1
        else:
            return [name, *words[at + 1 :]]
    return []


def _program(word: str) -> str:
    name = word.rstrip("/").rpartition("/")[2] or word
    for known in ("python", "pip"):
        if name.startswith(known) and not name[len(known) :].strip("0123456789."):
            return known
    return name


def _is_variable(word: str) -> bool:
    name, equals, _ = word.partition("=")
    return bool(equals) and name.replace("_", "a").isalnum() and not name[:1].isdigit()


def _carried(words: list[str]) -> str:
    """Return the command line that a shell is given to run, nothing where this is no shell."""
    if not is_a(words[0], "shell"):
        return ""
    for number, word in enumerate(words[1:4], 1):
        if word[:1] == "-" and word.endswith("c") and len(words) > number + 1:
            return words[number + 1]
    return ""
