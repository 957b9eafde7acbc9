"""Whether a call of a tool is one for the audit trail: it destroys, reads a secret, or writes outside the project.

It judges by what the call says and looks at no file, so it says that a call was made and what it names, never that it
did what it says. A program that does such a thing by itself is not seen. Hooks ask it, so it is light.
"""

from __future__ import annotations

from holdfast.base.light_records import dataclass
from holdfast.language import commands, shell, tools
from holdfast.language.shell import ShellCommand
from holdfast.language.word_lists import listed
from holdfast.learning.security.paths import Places, among

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

DESTRUCTIVE, SECRET, OUTSIDE = "destructive", "secret", "outside"
KINDS = (DESTRUCTIVE, SECRET, OUTSIDE)
_DEEPEST = 3
_DROPS = frozenset(("DATABASE", "TABLE", "SCHEMA", "TABLESPACE", "ROLE", "USER", "COLUMN", "KEYSPACE"))
_MAX_SQL = 20_000
_RECURSIVE = frozenset("rR")
_SPEAKERS = (("echo",), ("printf",))
_DEVICES = ("/dev/sd", "/dev/nvme", "/dev/disk", "/dev/hd", "/dev/vd", "/dev/mmcblk")
# Options before what runs elsewhere that take the next word: in a container, and by ssh.
_WITH_A_VALUE = (("-e", "-u", "-w", "--user", "--workdir", "--env", "-n", "-c"), ("-p", "-i", "-o", "-l", "-F", "-J"))


@dataclass(frozen=True, slots=True)
class Sight:
    """What was seen in a call: one of KINDS, the rule, and the command or the path that shows it.

    `path` is the whole path that leads outside, of what writes there.
    """

    kind: str
    rule: str
    text: str
    path: str = ""


def judge(tool: str, tool_input: str, root: str, *, folder: str = "", also: Sequence[str] = ()) -> list[Sight]:
    """Return what a call has for the audit trail, each thing once; mostly nothing.

    `root` is the project, `folder` where the call is made, `also` other folders that are the agent's to write in. Where
    no project is known, nothing is outside of it.
    """
    roots = (root, *also) if root else ()
    return list(dict.fromkeys(_Judge(Places(roots, folder)).call(tool, tool_input)))


class _Judge:
    """Looks at one call."""

    def __init__(self, places: Places) -> None:
        self._places = places

    def call(self, tool: str, given: str) -> Iterator[Sight]:
        kind, arguments = tools.kind_of(tool), tools.Arguments(given)
        if tools.PATCH in given:
            for path in arguments.patched():
                yield from self._written(path)
        elif given[:1] not in "{[":
            if kind != "edit":
                yield from self._line(given, 0)
        elif kind in ("edit", "read", "search") and (paths := arguments.paths()):
            if kind == "edit" and not arguments.only_looks():
                yield from self._written(paths[0])
            elif self._places.is_secret(paths[0]):
                yield Sight(SECRET, "read-secret-file", paths[0])
        else:
            fields = listed(tools.TABLE, "command-key")
            yield from self._line(arguments.line() if kind == "shell" else arguments.first(fields, cut=True), 0)
            yield from self._sql(arguments.first(among("sql-fields"), cut=True), "")

    def _written(self, path: str) -> Iterator[Sight]:
        if self._places.is_outside(path):
            yield Sight(OUTSIDE, "write-outside", path, self._places.whole(path))

    def _sql(self, text: str, shown: str) -> Iterator[Sight]:
        lines = [line.partition("--")[0] for line in text[:_MAX_SQL].upper().split("\n")]
        letters = [letter if letter.isalnum() or letter in "_.;=*" else " " for letter in "\n".join(lines)]
        for statement in "".join(letters).split(";"):
            rule = _sql_rule(statement.split())
            if rule:
                yield Sight(DESTRUCTIVE, rule, shown or text)

    def _line(self, line: str, depth: int) -> Iterator[Sight]:
        """Look at each command of a line, and at the lines within it."""
        if not line or depth > _DEEPEST:
            return
        before: ShellCommand | None = None
        parts = shell.split(line)
        for command, after in zip(parts, [*parts[1:], None], strict=False):
            for inner in command.inner:
                # What runs within has its own folder and variables.
                folder = self._places.folder
                yield from self._line(inner, depth + 1)
                self._places.folder = folder
            words = self._bare(command.words)
            if len(words) == 1 < len(command.words) and " " in words[0]:
                # "watch 'git push -f'" takes a whole line as one word.
                yield from self._line(words[0], depth + 1)
            elif words:
                if _tells_environment(words, after if command.sign in shell.PIPES else None):
                    yield Sight(SECRET, "print-environment", command.text)
                yield from self._command(words, command, before, depth)
            else:
                yield from self._first_outside(command.writes, command)
            before = command if command.sign in shell.PIPES else None

    def _bare(self, words: Sequence[str]) -> list[str]:
        """Return a command's words without variables and wrappers before it; variables are noted."""
        bare = commands.unwrapped(words)
        self._note_variables(words[: len(words) - len(bare)])
        return bare

    def _note_variables(self, words: Sequence[str]) -> None:
        for name, _, value in [word.partition("=") for word in words if shell.is_variable(word)]:
            self._places.set(name, value)

    def _command(
        self, words: list[str], command: ShellCommand, before: ShellCommand | None, depth: int
    ) -> Iterator[Sight]:
        program = words[0]
        if program in ("cd", "pushd"):
            self._places.go(words[1] if len(words) > 1 else "")
            return
        if program in ("export", "declare", "local", "readonly"):
            self._note_variables(words[1:])
            return
        seen = list(self._destructive(program, words, command, before))
        yield from seen
        if program == "eval":
            yield from self._line(" ".join(words[1:]), depth + 1)
        elif commands.is_a(program, "shell"):
            spoken = " ".join(before.words[1:]) if before and before.words[:1] in _SPEAKERS else ""
            yield from self._line(commands.carried_line(words) or command.fed or spoken, depth + 1)
        elif program in among("line-carriers"):
            yield from self._line(_carried(words), depth + 1)
        elif (program in among("carriers") and "exec" in words[1:3]) or program == "ssh":
            yield from self._elsewhere(words, command.text, depth)
        if not seen:
            yield from self._secrets(program, words, command)
            yield from self._outside(program, words, command)

    def _destructive(
        self, program: str, words: list[str], command: ShellCommand, before: ShellCommand | None
    ) -> Iterator[Sight]:
        text = command.text
        for kind, rule in commands.rules_of(words):
            if kind in KINDS:
                yield Sight(kind, rule, text)
        if program == "rm" and self._removes(words[1:], before, "xargs" in command.words):
            yield Sight(DESTRUCTIVE, "rm-recursive", text)
        elif program == "find" and self._finds_and_removes(words):
            yield Sight(DESTRUCTIVE, "find-delete", text)
        elif program in among("sql"):
            handed_on = before.words[1:] if before and before.words[:1] in _SPEAKERS else ()
            for one in (command.fed, *words[1:], *handed_on, before.fed if before else ""):
                yield from self._sql(one.removeprefix("-c").removeprefix("-e"), text)
        elif self._is_fetched(words, command, before):
            shown = f"{before.text} | {text}" if before else text
            yield Sight(DESTRUCTIVE, "run-from-network", shown)
        if any(one.startswith(_DEVICES) for one in command.writes):
            yield Sight(DESTRUCTIVE, "overwrite-device", text)

    def _removes(self, words: Sequence[str], before: ShellCommand | None, is_told: bool) -> bool:
        """Whether a removal of whole folders takes something that is neither temporary nor made by a build.

        Where it is told by a pipe what to take, that counts which the command before names, be it folders or files.
        """
        options = [word for word in words if word[:1] == "-"]
        whole = any(not _RECURSIVE.isdisjoint(word) if word[:2] != "--" else word == "--recursive" for word in options)
        targets = [word for word in words if word and word[0] != "-"]
        if (whole or is_told) and not targets and before is not None:
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

    def _is_fetched(self, words: list[str], command: ShellCommand, before: ShellCommand | None) -> bool:
        """Whether a shell, or a program that takes code from its input, runs what comes from the network."""
        fetchers, program = among("fetchers"), words[0]
        if not (commands.is_a(program, "shell") or program in among("interpreters") or program in among("evaluators")):
            return False
        if program in among("interpreters") and len(words) > 1 and words[1] != "-":
            return False
        plain = [word for word in words[1:] if word[:1] != "-" or word == "-"]
        if before is not None and not [word for word in plain if word not in ("-", "/dev/stdin")]:
            bare = self._bare(before.words)
            if bare and bare[0] in fetchers:
                return True
        return any(inner.split()[:1] and inner.split()[0] in fetchers for inner in command.inner)

    def _elsewhere(self, words: list[str], text: str, depth: int) -> Iterator[Sight]:
        """Look at what runs in a container or on another machine. Its files are not those of here."""
        rest = words[words.index("--") + 1 :] if "--" in words else _behind_a_target(words)
        there = _Judge(Places((), ""))
        line = " ".join(rest) if words[0].endswith("ssh") else shell.quoted(rest)
        for seen in there._line(line, depth + 1):
            if seen.kind == DESTRUCTIVE:
                yield Sight(seen.kind, seen.rule, text)

    def _secrets(self, program: str, words: list[str], command: ShellCommand) -> Iterator[Sight]:
        named: list[str] = list(command.reads)
        plain = [word for word in words[1:] if word[:1] != "-"]
        if program in among("readers"):
            named += [word for word in plain if program != "tee"]
        elif program in among("readers-behind-a-word"):
            given = any(word in ("-e", "-f") for word in words)
            named += plain if given else plain[1:]
        elif program in among("copies"):
            named += plain[:-1]
        elif program in among("fetchers"):
            named += [word for word in words[1:] if word[:1] == "@" or "=@" in word]
        is_secret = any(self._places.is_secret(one.rpartition("=@")[2] or one) for one in named)
        if is_secret and not _tells_names_only(program, words):
            yield Sight(SECRET, "read-secret-file", command.text)

    def _outside(self, program: str, words: list[str], command: ShellCommand) -> Iterator[Sight]:
        named: list[str] = list(command.writes)
        plain = [word for word in words[1:] if word[:1] != "-"]
        if program in among("writers"):
            named += plain[1:] if program in ("chmod", "chown") else plain
        elif program in among("copies") and len(plain) > 1 and ":" not in plain[-1].partition("/")[0]:
            named.append(plain[-1])
        elif program == "sed" and any(word.startswith(("-i", "--in-place")) for word in words):
            # Some want the ending of a copy as a word of its own, which is mostly empty.
            named += [word for word in plain if word][1:]
        elif program in among("fetchers"):
            named += [words[at + 1] for at, word in enumerate(words[:-1]) if word in among("output-options")]
        yield from self._first_outside(named, command)

    def _first_outside(self, named: Sequence[str], command: ShellCommand) -> Iterator[Sight]:
        for one in named:
            if one != "-" and self._places.is_outside(one):
                yield Sight(OUTSIDE, "write-outside", command.text, self._places.whole(one))
                return


def _tells_names_only(program: str, words: Sequence[str]) -> bool:
    """Whether a command shows of a file with secrets no more than their names, their count, or that one is there."""
    rest = "".join(words[1:]).replace(" ", "").replace("'", "").replace('"', "")
    if program == "cut":
        return "-d=" in rest and "-f1" in rest
    if program in ("awk", "gawk"):
        return "-F=" in rest and "{print$1}" in rest
    if program == "sed":
        return "&" not in rest and "\\" not in rest and any(f"s{sign}=.*" in rest for sign in "/|#,")
    quiet = {letter for word in words[1:] if word[:1] == "-" and word[1:2] != "-" for letter in word[1:]}
    return program == "wc" or (program in ("grep", "egrep", "rg") and not quiet.isdisjoint("cqlL"))


def _tells_environment(words: Sequence[str], after: ShellCommand | None) -> bool:
    """Whether a command prints all variables, or one that is named like a secret, and nobody picks harmless ones."""
    program, named = words[0], [word for word in words[1:] if word[:1] != "-"]
    is_whole = (program in among("environment") and not named) or " ".join(words) in among("environment")
    if not is_whole:
        return program == "printenv" and any(map(_is_secret_name, named))
    picked = after.words if after is not None else ()
    if not picked or picked[0] not in among("readers-behind-a-word"):
        return not picked or picked[0] not in ("wc", "cut")
    return any(map(_is_secret_name, picked[1:]))


def _is_secret_name(word: str) -> bool:
    return any(one in word.upper() for one in among("secret-names"))


def _carried(words: Sequence[str]) -> str:
    """Return the line that a program such as `su -c`, `watch` or `parallel` is given to run."""
    if words[0] == "su":
        at = next((number for number, word in enumerate(words) if word in ("-c", "--command")), len(words))
        return " ".join(words[at + 1 : at + 2])
    at = 1
    while at < len(words) and words[at][:1] == "-":
        at += 2 if words[at] in among("line-carrier-options") else 1
    rest = [word for word in words[at:] if word not in (":::", "{}")]
    return rest[0] if len(rest) == 1 else shell.quoted(rest)


def _sql_rule(words: list[str]) -> str:
    """Return the rule that a statement in capitals fulfils: it takes away what cannot be had back."""
    if words[:1] == ["DROP"] and words[1:2] and words[1] in _DROPS:
        return "sql-drop"
    if words[:1] == ["TRUNCATE"] and len(words) > 1:
        return "sql-truncate"
    if words[:2] == ["ALTER", "TABLE"] and "DROP" in words and "COLUMN" in words:
        return "sql-drop"
    if words[:2] == ["DELETE", "FROM"] and len(words) > 2 and "WHERE" not in words:
        return "sql-delete-all"
    if words[:1] == ["UPDATE"] and "SET" in words and "WHERE" not in words and "FROM" not in words:
        return "sql-update-all"
    return ""


def _behind_a_target(words: list[str]) -> list[str]:
    """Return what runs in the container, or on the machine, that is named behind `exec` or `ssh` and its options."""
    at = words.index("exec") + 1 if "exec" in words[:3] else 1
    while at < len(words) and words[at][:1] == "-":
        at += 2 if words[at] in _WITH_A_VALUE[words[0].endswith("ssh")] else 1
    return words[at + 1 :]


__all__ = ["DESTRUCTIVE", "KINDS", "OUTSIDE", "SECRET", "Sight", "judge"]
