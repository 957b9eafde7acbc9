"""Whether a call of a tool is one for the audit trail: it destroys, reads a secret, or writes outside the project.

It judges by what the call says and looks at no file, so it says that a call was made and what it names, never that it
did what it says. A program that does such a thing by itself is not seen. Hooks ask it, so it is light.
"""

from __future__ import annotations

from holdfast.base.light_records import dataclass
from holdfast.base.minijson import loads
from holdfast.language.shell_lines import Command, commands
from holdfast.learning.security import sql as security_sql
from holdfast.learning.security.paths import Places
from holdfast.learning.security.rules import DESTRUCTIVE, KINDS, OUTSIDE, SECRET, Rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

_DEEPEST = 3
_PATCHED = ("*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: ")
_RECURSIVE = frozenset("rR")
_DEVICES = ("/dev/sd", "/dev/nvme", "/dev/disk", "/dev/hd", "/dev/vd", "/dev/mmcblk")
# Options before what runs elsewhere that take the next word: in a container, and by ssh.
_WITH_A_VALUE = (("-e", "-u", "-w", "--user", "--workdir", "--env", "-n", "-c"), ("-p", "-i", "-o", "-l", "-F", "-J"))
_rules: list[Rules] = []


@dataclass(frozen=True, slots=True)
class Sight:
    """What was seen in a call: one of KINDS, the rule, and the command or the path that shows it."""

    kind: str
    rule: str
    text: str


def judge(tool: str, tool_input: str, root: str, *, folder: str = "", also: Sequence[str] = ()) -> list[Sight]:
    """Return what a call has for the audit trail, each thing once; mostly nothing.

    `root` is the project, `folder` where the call is made, `also` other folders that are the agent's to write in. Where
    no project is known, nothing is outside of it.
    """
    if not _rules:
        _rules.append(Rules())
    rules = _rules[0]
    roots = (root, *also) if root else ()
    return list(dict.fromkeys(_Judge(rules, Places(rules, roots, folder)).call(tool, tool_input)))


class _Judge:
    """Looks at one call."""

    def __init__(self, rules: Rules, places: Places) -> None:
        self._rules = rules
        self._places = places

    def call(self, tool: str, given: str) -> Iterator[Sight]:
        name = tool.replace(".", "__").rpartition("__")[2].lower()
        name = name.replace("_", "").replace("-", "").replace(" ", "")
        if "*** Begin Patch" in given:
            yield from self._patch(given)
            return
        if given[:1] not in "{[":
            if name not in self._rules.lists["writing-tools"]:
                yield from self._line(given, 0)
            return
        told = _Given(given)
        path = told.first(self._rules.lists["path-fields"])
        if path and name in self._rules.lists["writing-tools"]:
            yield from self._written(path)
        elif path and name in self._rules.lists["reading-tools"]:
            yield from self._read(path)
        else:
            yield from self._line(told.first(self._rules.lists["command-fields"]), 0)
            yield from self._sql(told.first(self._rules.lists["sql-fields"]), "")

    def _patch(self, given: str) -> Iterator[Sight]:
        text = given.replace("\\n", "\n") if given[:1] in "{[" else given
        for line in text.split("\n"):
            for mark in _PATCHED:
                if line.startswith(mark):
                    yield from self._written(line[len(mark) :].strip())

    def _written(self, path: str) -> Iterator[Sight]:
        if self._places.is_outside(path):
            yield Sight(OUTSIDE, "write-outside", path)

    def _read(self, path: str) -> Iterator[Sight]:
        if self._places.is_secret(path):
            yield Sight(SECRET, "read-secret-file", path)

    def _sql(self, text: str, shown: str) -> Iterator[Sight]:
        for rule in security_sql.found(text):
            yield Sight(DESTRUCTIVE, rule, shown or text)

    def _line(self, line: str, depth: int) -> Iterator[Sight]:
        """Look at each command of a line, and at the lines within it."""
        if not line or depth > _DEEPEST:
            return
        before: Command | None = None
        for command in commands(line):
            for inner in command.inner:
                # What runs within has its own folder and variables.
                folder = self._places.folder
                yield from self._line(inner, depth + 1)
                self._places.folder = folder
            words = self._bare(command.words)
            if words:
                yield from self._command(words, command, before, depth)
            else:
                yield from self._redirected(command)
            before = command if command.sign in ("|", "|&") else None

    def _bare(self, words: Sequence[str]) -> list[str]:
        """Return a command's words without variables and wrappers before it; variables are noted."""
        at, lists = 0, self._rules.lists
        wrapped = False
        while at < len(words):
            word = words[at]
            name, equals, value = word.partition("=")
            if equals and name.replace("_", "a").isalnum() and not name[0].isdigit():
                self._places.set(name, value)
                at += 1
            elif word in lists["wrappers-with-value"]:
                at, wrapped = at + 1, True
                while at < len(words) and words[at][:1] == "-":
                    at += 1
                at += 1
            elif word.rpartition("/")[2] in lists["wrappers"]:
                at, wrapped = at + 1, True
            elif wrapped and word[:1] == "-":
                at += 2 if word in lists["wrapper-options"] else 1
            else:
                return [word, *words[at + 1 :]]
        return []

    def _command(self, words: list[str], command: Command, before: Command | None, depth: int) -> Iterator[Sight]:
        program = words[0].rpartition("/")[2]
        lists = self._rules.lists
        if program in ("cd", "pushd"):
            self._places.go(words[1] if len(words) > 1 else "")
            return
        if program in ("export", "declare", "local", "readonly"):
            self._bare([word for word in words[1:] if word[:1] != "-"])
            return
        seen = list(self._destructive(program, words, command, before))
        yield from seen
        if program in lists["shells"] or program == "eval":
            yield from self._carried(words, command, depth)
        elif (program in lists["carriers"] and "exec" in words[1:3]) or program == "ssh":
            yield from self._elsewhere(words, command.text, depth)
        if not seen:
            yield from self._secrets(program, words, command)
            yield from self._outside(program, words, command)

    def _destructive(self, program: str, words: list[str], command: Command, before: Command | None) -> Iterator[Sight]:
        lists, text = self._rules.lists, command.text
        for kind, rule in self._rules.found([program, *words[1:]]):
            yield Sight(kind, rule, text)
        if program == "rm" and self._removes(words[1:], before):
            yield Sight(DESTRUCTIVE, "rm-recursive", text)
        elif program == "find" and self._finds_and_removes(words):
            yield Sight(DESTRUCTIVE, "find-delete", text)
        elif program in lists["sql"]:
            said = [command.fed, *words[1:], *(_said(before) if before else ())]
            for one in said:
                yield from self._sql(one.removeprefix("-c").removeprefix("-e"), text)
        elif program in lists["shells"] and self._is_fetched(words, command, before):
            shown = f"{before.text} | {text}" if before else text
            yield Sight(DESTRUCTIVE, "run-from-network", shown)
        if any(one.startswith(_DEVICES) for one in command.writes):
            yield Sight(DESTRUCTIVE, "overwrite-device", text)

    def _removes(self, words: Sequence[str], before: Command | None) -> bool:
        """Whether a removal of whole folders takes something that is neither temporary nor made by a build.

        Where it is told by a pipe what to take, that counts which the command before names.
        """
        options = [word for word in words if word[:1] == "-"]
        whole = any(not _RECURSIVE.isdisjoint(word) if word[:2] != "--" else word == "--recursive" for word in options)
        targets = [word for word in words if word and word[0] != "-"]
        if whole and not targets and before is not None:
            return not any(self._places.may_go(word.strip("*")) for word in before.words[1:])
        return whole and any(not self._places.may_go(target) for target in targets)

    def _finds_and_removes(self, words: list[str]) -> bool:
        removes = "-delete" in words or any(
            words[at : at + 2] in (["-exec", "rm"], ["-execdir", "rm"]) for at in range(len(words))
        )
        if not removes:
            return False
        starts = []
        for word in words[1:]:
            if word[:1] in "-(!":
                break
            starts.append(word)
        named = [words[at + 1] for at, word in enumerate(words[:-1]) if word in ("-name", "-iname", "-path")]
        built = bool(named) and all(self._places.may_go(one.strip("*/")) or self._places.may_go(one) for one in named)
        return not built and not (starts and all(self._places.may_go(start) for start in starts))

    def _is_fetched(self, words: list[str], command: Command, before: Command | None) -> bool:
        """Whether a shell runs what comes from the network."""
        fetchers = self._rules.lists["fetchers"]
        plain = [word for word in words[1:] if word[:1] != "-" or word == "-"]
        if before is not None and not [word for word in plain if word not in ("-", "/dev/stdin")]:
            bare = self._bare(before.words)
            if bare and bare[0].rpartition("/")[2] in fetchers:
                return True
        return any(inner.split()[:1] and inner.split()[0] in fetchers for inner in command.inner)

    def _carried(self, words: list[str], command: Command, depth: int) -> Iterator[Sight]:
        """Look at what a shell is given to run, in an argument or in a document."""
        if words[0] == "eval":
            yield from self._line(" ".join(words[1:]), depth + 1)
            return
        for at, word in enumerate(words[1:5], 1):
            if word[:1] == "-" and word[1:2] != "-" and word.endswith("c") and len(words) > at + 1:
                yield from self._line(words[at + 1], depth + 1)
                return
        if command.fed:
            yield from self._line(command.fed, depth + 1)

    def _elsewhere(self, words: list[str], text: str, depth: int) -> Iterator[Sight]:
        """Look at what runs in a container or on another machine. Its files are not those of here."""
        rest = words[words.index("--") + 1 :] if "--" in words else _behind_a_target(words)
        there = _Judge(self._rules, Places(self._rules, (), ""))
        line = " ".join(rest) if words[0].endswith("ssh") else _quoted(rest)
        for seen in there._line(line, depth + 1):
            if seen.kind == DESTRUCTIVE:
                yield Sight(seen.kind, seen.rule, text)

    def _secrets(self, program: str, words: list[str], command: Command) -> Iterator[Sight]:
        lists = self._rules.lists
        named: list[str] = list(command.reads)
        plain = [word for word in words[1:] if word[:1] != "-"]
        if program in lists["readers"]:
            named += [word for word in plain if program != "tee"]
        elif program in lists["readers-behind-a-word"]:
            given = any(word in ("-e", "-f") for word in words)
            named += plain if given else plain[1:]
        elif program in lists["copies"]:
            named += plain[:-1]
        elif program in lists["fetchers"]:
            named += [word for word in words[1:] if word[:1] == "@" or "=@" in word]
        if any(self._places.is_secret(one.rpartition("=@")[2] or one) for one in named):
            yield Sight(SECRET, "read-secret-file", command.text)

    def _outside(self, program: str, words: list[str], command: Command) -> Iterator[Sight]:
        lists = self._rules.lists
        named: list[str] = list(command.writes)
        plain = [word for word in words[1:] if word[:1] != "-"]
        if program in lists["writers"]:
            named += plain[1:] if program in ("chmod", "chown") else plain
        elif program in lists["copies"] and len(plain) > 1 and not _is_remote(plain[-1]):
            named.append(plain[-1])
        elif program == "sed" and any(word.startswith(("-i", "--in-place")) for word in words):
            # Some want the ending of a copy as a word of its own, which is mostly empty.
            named += [word for word in plain if word][1:]
        elif program in lists["fetchers"]:
            named += [words[at + 1] for at, word in enumerate(words[:-1]) if word in lists["output-options"]]
        if any(self._places.is_outside(one) for one in named if one != "-"):
            yield Sight(OUTSIDE, "write-outside", command.text)

    def _redirected(self, command: Command) -> Iterator[Sight]:
        if any(self._places.is_outside(one) for one in command.writes):
            yield Sight(OUTSIDE, "write-outside", command.text)


class _Given:
    """The fields of what a tool was given, also where its JSON was cut and cannot be read any more."""

    def __init__(self, given: str) -> None:
        self._given = given
        self._fields: Mapping[str, object] | None = None
        try:
            value = loads(given)
        except ValueError:
            return
        self._fields = value if isinstance(value, dict) else {}
        if isinstance(value, list) and all(isinstance(word, str) for word in value):
            self._fields = {"command": value}

    def first(self, names: Iterable[str]) -> str:
        """Return the first field of these names that says something."""
        for name in names:
            text = _as_text(self._fields.get(name)) if self._fields is not None else self._searched(name)
            if text:
                return text
        return ""

    def _searched(self, name: str) -> str:
        _, found, rest = self._given.partition(f'"{name}"')
        text = rest.lstrip(" :\n")
        if not found or text[:1] != '"':
            return ""
        end = 1
        while end < len(text) and text[end] != '"':
            end += 2 if text[end] == "\\" else 1
        try:
            value = loads(f'{text[:end]}"')
        except ValueError:
            return ""
        return value if isinstance(value, str) else ""


def _as_text(value: object) -> str:
    if isinstance(value, str):
        return value
    if not (isinstance(value, list) and value and all(isinstance(word, str) for word in value)):
        return ""
    if len(value) == 3 and value[1] in ("-c", "-lc", "-ic", "/c"):
        return str(value[2])
    return _quoted(value)


def _quoted(words: Sequence[str]) -> str:
    """Return words as a line that is taken apart into the same words."""
    return " ".join(["'" + word.replace("'", "'\\''") + "'" for word in words])


def _said(command: Command) -> Sequence[str]:
    """Return the texts that a command hands on by a pipe, as far as they stand in the line."""
    program = command.words[0] if command.words else ""
    return command.words[1:] if program in ("echo", "printf") else [command.fed]


def _is_remote(word: str) -> bool:
    return ":" in word.partition("/")[0]


def _behind_a_target(words: list[str]) -> list[str]:
    """Return what runs in the container, or on the machine, that is named behind `exec` or `ssh` and its options."""
    at = words.index("exec") + 1 if "exec" in words[:3] else 1
    while at < len(words) and words[at][:1] == "-":
        at += 2 if words[at] in _WITH_A_VALUE[words[0].endswith("ssh")] else 1
    return words[at + 1 :]


__all__ = ["DESTRUCTIVE", "KINDS", "OUTSIDE", "SECRET", "Sight", "judge"]
