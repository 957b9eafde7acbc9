"""The condition of a rule: at which calls of tools it holds. Read from a text, written back, and matched with a call.

    git push, npm *              a command, whatever options stand between its words; `*` stands for anything
    git push --force|-f          with one of these options
    src/**/*.ts, package.json    a file that the call changes
    !uv run pytest               but not this command, or this file
    tool: edit                   of these only calls of such a tool: a kind, or a name that the agent has for it
    failure: ECONNREFUSED        of these only one that failed so
    branch: main                 of these only on such a branch

Items stand apart by commas. Commands and files are alternatives; tools, failures and branches narrow them down, and
alone hold for every call that they name. What looks like a path is a file, all else a command; `command:` and `path:`
say it outright. `none` is the condition that never holds.

Shell lines are taken apart, never searched: what a command only prints, feeds to another or has in a comment is no
command. Hooks ask, so this is light.
"""

from __future__ import annotations

import os

from holdfast.base.light_records import dataclass
from holdfast.errors import BadInput
from holdfast.language import commands, shell, tools
from holdfast.language.commands import fits
from holdfast.language.word_lists import listed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

NONE = "none"
KINDS = ("command", "path", "tool", "failure", "branch")
MAX_ITEMS, MAX_ITEM, MAX_TEXT = 20, 200, 1_000
_MAX_DEPTH = 4
_BUT = "!"
# A word without a folder is known as a file by an ending of at most so many letters.
_MAX_ENDING = 10
# What has one of these is run more often than it is written.
_SCRIPTS = (".sh", ".bash", ".zsh")


@dataclass(frozen=True, slots=True)
class Condition:
    """What a call must be for a rule to hold; empty where it never does. A `!` begins what does not count."""

    commands: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()
    branches: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        triggers = [one for one in (*self.commands, *self.paths) if one[:1] != _BUT]
        return bool(triggers or self.tools or self.failures or self.branches)

    def __str__(self) -> str:
        lists = self.commands, self.paths, self.tools, self.failures, self.branches
        items = [_item(kind, one) for kind, some in zip(KINDS, lists, strict=True) for one in some]
        return ", ".join(items) or NONE


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a tool as conditions see it: `given` is its input as the agent wrote it, a text.

    `error` is what it failed with, empty where it did not fail or has not run. `folder` is where it runs, `root` the
    top of its project; `branch` what is checked out there. `branch_in` tells that of another folder, where it is known.
    """

    tool: str = ""
    given: str = ""
    error: str = ""
    folder: str = ""
    root: str = ""
    branch: str = ""
    branch_in: Callable[[str], str] | None = None


def parse(text: str) -> Condition:
    """Return the condition that a text says; raise BadInput with the way out where it says none."""
    found: dict[str, list[str]] = {kind: [] for kind in KINDS}
    if len(text) > MAX_TEXT:
        raise BadInput(f"a condition of {len(text):,} characters is too long", f"Use at most {MAX_TEXT:,}.")
    for item in _items(text):
        kind, value = _kind_and_value(item)
        if not value.strip(_BUT + " *"):
            raise BadInput(
                f"{item!a} names nothing", "Name a command such as `git push`, or a file such as `src/*.ts`."
            )
        if value not in found[kind]:
            found[kind].append(value)
    if sum(map(len, found.values())) > MAX_ITEMS:
        raise BadInput(f"a condition has at most {MAX_ITEMS} items", "Make two memories of it.")
    condition = Condition(*(tuple(found[kind]) for kind in KINDS))
    if any(found.values()) and not condition:
        raise BadInput(f"{text!a} only says what does not count", "Name the command or file that does.")
    return condition


def read(text: str) -> Condition | None:
    """Return the same of what stands in a file; None where it cannot be understood."""
    try:
        return parse(text)
    except BadInput:
        return None


def _items(text: str) -> list[str]:
    plain = text.strip()
    if plain.casefold() in ("", NONE):
        return []
    # Backquotes are how people write commands in a sentence; a comma within them parts nothing.
    pieces = plain.split("`")
    for number in range(1, len(pieces), 2):
        pieces[number] = pieces[number].replace(",", "\0")
    parted = "".join(pieces).replace("\n", ",").split(",")
    return [one for item in parted if (one := " ".join(item.replace("\0", ",").split()))]


def _kind_and_value(item: str) -> tuple[str, str]:
    name, colon, rest = item.partition(":")
    if len(item) > MAX_ITEM:
        raise BadInput(f"{item[:40]!a}... is too long for one item", f"Use at most {MAX_ITEM} characters.")
    if colon and name.strip().casefold() in KINDS:
        return name.strip().casefold(), rest.strip()
    bare = item.removeprefix(_BUT).strip()
    value = _BUT + bare if item[:1] == _BUT else item
    return ("path" if looks_like_path(bare) else "command"), value


def looks_like_path(text: str) -> bool:
    """Whether a text is a file or a pattern of files, and no command: `src/**/*.ts`, `package.json`, `*.sql`."""
    if not text or " " in text or "://" in text or text[0] in "-$@|":
        return False
    if text.endswith(_SCRIPTS) and "*" not in text:
        return False
    if "/" in text:
        return not text.startswith("./") or "*" in text or text.endswith("/")
    stem, dot, ending = text.rstrip("*").rpartition(".")
    return bool(dot) and ending.isalnum() and ending[0].isalpha() and len(ending) <= _MAX_ENDING and stem[-1:] != "."


def _item(kind: str, value: str) -> str:
    if kind in ("command", "path"):
        bare = value.removeprefix(_BUT)
        if ("path" if looks_like_path(bare) else "command") == kind and "," not in value:
            return value
    return f"{kind}: `{value}`" if "," in value else f"{kind}: {value}"


def needles(condition: Condition) -> tuple[str, ...]:
    """Return texts of which a call's input has one, if the condition can hold for it; none where any call may do.

    By these a hook passes over nearly every rule without taking the call apart.
    """
    found = []
    aliases = listed(commands.TABLE, "same-word")
    for pattern in (*condition.commands, *condition.paths):
        if pattern[:1] != _BUT:
            first = pattern.split()[0].replace("~", "/")
            pieces = [] if "|" in first else [piece for part in first.split("*") for piece in part.split("/") if piece]
            if not pieces:
                return ()
            # The name of a program or file is told even where the folder before it is not.
            if pattern in condition.commands:
                pattern = " ".join(_spelled(pattern.split()))
                # Of the words that a command must have, the last is the rarest: far more calls say `git` than `push`.
                literal = [word for word in pattern.split()[1:] if word[0] not in "-+" and not set(word) & set("*?[|~")]
                # A word that is written in several ways is none to look for.
                is_one = bool(literal) and not any(entry.startswith(f"{first} {literal[-1]}=") for entry in aliases)
                found.append(literal[-1] if is_one else pieces[-1])
            else:
                found.append(max(pieces, key=len))
    return tuple(dict.fromkeys(found))


def weight(condition: Condition) -> int:
    """Return how much a condition says: the more of a command or a path it names, the more specific it is."""
    patterns = [one for one in (*condition.commands, *condition.paths) if one[:1] != _BUT]
    narrowing = len(condition.tools) + len(condition.failures) + len(condition.branches)
    named = max(
        [len([part for part in one.replace("/", " ").split() if part.strip("*")]) for one in patterns], default=0
    )
    return 2 * named + narrowing


def matched(condition: Condition, call: Call) -> str:
    """Return what of the call fulfils the condition, as words to show; nothing where it does not hold."""
    if not condition or not _narrowed(condition, call):
        return ""
    if not (condition.commands or condition.paths):
        return call.tool if condition.tools or condition.failures or _changes(call) else ""
    found = _matched_command(condition, call)
    if found or not _is_on(condition.branches, [call.branch]):
        return found
    return _matched_path(condition.paths, call, reads=bool(condition.tools))


def _narrowed(condition: Condition, call: Call) -> bool:
    if condition.tools:
        kind, tool = tools.kind_of(call.tool), call.tool.casefold()
        wanted = [one.casefold() for one in condition.tools]
        if not tool or not any(kind == one or fits(tool, one) for one in wanted):
            return False
    if condition.failures:
        error = call.error.casefold()
        if not error or not any(fits(error, f"*{one.casefold()}*") for one in condition.failures):
            return False
    # Of a command it is asked for each that the line runs.
    return bool(condition.commands) or _is_on(condition.branches, [call.branch])


def _is_on(wanted: Sequence[str], branches: Sequence[str]) -> bool:
    return not wanted or any(fits(branch, one) for one in wanted for branch in branches if branch)


def _changes(call: Call) -> bool:
    line = line_of(call)
    return not commands.only_looks(line) if line else bool(tools.changed_files(call.tool, call.given))


def line_of(call: Call) -> str:
    """Return the shell line that a call runs; nothing where it runs none."""
    if tools.kind_of(call.tool) != "shell" or tools.PATCH in call.given:
        return ""
    return tools.line_of(call.given)


@dataclass(frozen=True, slots=True)
class Run:
    """One command that a line runs: its words without wrappers and as they are written, its text.

    `writes` is what it is redirected to, `folder` where the line went before it. `filters`: it only picks from what
    the command before it prints.
    """

    words: tuple[str, ...]
    given: tuple[str, ...]
    text: str
    writes: tuple[str, ...] = ()
    folder: str = ""
    filters: bool = False

    def is_any(self, patterns: Sequence[Sequence[str]], *, as_spelled: bool = False) -> bool:
        """Whether one of the patterns names it: with or without what wraps it, or as the script that it runs."""
        if self.filters:
            return False
        # "uv run python3 -m pytest" is also "python -m pytest".
        wrapped = range(len(self.given) - len(self.words)) if self.words else ()
        forms = [self.words, self.given]
        forms += [(commands.program(self.given[at]), *self.given[at + 1 :]) for at in wrapped]
        if self.words and commands.is_a(self.words[0], "runner"):
            at = next((number for number, word in enumerate(self.words) if number and word[0] != "-"), 0)
            forms += [self.words[at:]] if at and "." in self.words[at] else []
        return any(fulfils(form, one, as_spelled=as_spelled) for form in forms if form for one in patterns)


def runs(line: str, depth: int = 0) -> Iterator[Run]:
    """Yield every command that a line runs, those within `$( )`, `bash -c`, `eval` and `-exec` too."""
    folder, piped = "", False
    for part in shell.split(line) if depth <= _MAX_DEPTH else ():
        for inner in part.inner:
            yield from runs(inner, depth + 1)
        words = commands.unwrapped([word for word in part.words if word])
        filters = piped and bool(words) and commands.is_a(part.words[0], "cutting")
        piped = part.sign in shell.PIPES
        if not words:
            yield Run((), (), part.text, part.writes, folder)
            continue
        carried = _carried(words, part.fed)
        if carried:
            yield from runs(carried, depth + 1)
            continue
        yield Run(tuple(words), _as_written(part.words), part.text, part.writes, folder, filters)
        if words[0] in ("cd", "pushd") and len(words) > 1:
            folder = words[1] if words[1][:1] in "/~" else f"{folder}/{words[1]}".lstrip("/")
        at = next((number for number, word in enumerate(words) if word in ("-exec", "-execdir")), 0)
        if at and words[at + 1 :]:
            yield Run(tuple(commands.unwrapped(words[at + 1 :])), (), part.text, (), folder)


def _carried(words: Sequence[str], fed: str) -> str:
    """Return the line that a command is there to run: a shell's, or that of `eval`."""
    if words[0] == "eval":
        return " ".join(words[1:])
    if not commands.is_a(words[0], "shell"):
        return ""
    only_options = all(word[:1] == "-" for word in words[1:])
    return commands.carried_line(words) or (fed if only_options else "")


def _as_written(words: Sequence[str]) -> tuple[str, ...]:
    """Return the words behind the variables, with every wrapper before the command; programs are as they are called."""
    at = next((number for number, word in enumerate(words) if word and not shell.is_variable(word)), len(words))
    return tuple(words[at:])


def _matched_command(condition: Condition, call: Call) -> str:
    line = line_of(call) if condition.commands else ""
    wanted = [one.split() for one in condition.commands if one[:1] != _BUT]
    but = [one[1:].split() for one in condition.commands if one[:1] == _BUT]
    here = {"": call.branch}
    # Who wants one spelling of a command, and not another, means the spelling.
    exact = any([*_spelled(one)] == [*_spelled(other)] for one in wanted for other in but)
    for run in runs(line) if line else ():
        branches: list[str] = []
        if condition.branches:
            folder = _folder_of(run)
            branches, here[folder] = _branches(run.words, here[folder] if folder in here else _branch_in(folder, call))
        named = run.is_any(wanted, as_spelled=exact) and not run.is_any(but, as_spelled=exact)
        if named and _is_on(condition.branches, branches):
            return " ".join(run.text.split())
    return ""


def _folder_of(run: Run) -> str:
    """Return where a command of git runs, if that is not where the call does."""
    at = run.words.index("-C") if run.words[:1] == ("git",) and "-C" in run.words[:-1] else 0
    named = run.words[at + 1] if at else ""
    return named if named[:1] in ("/", "~") or not run.folder else f"{run.folder}/{named}".rstrip("/")


def _branch_in(folder: str, call: Call) -> str:
    """Return the branch that is checked out in another folder than that of the call; nothing where nobody knows it."""
    inside = _within(folder, call)
    if call.branch_in is None:
        return "" if inside[:1] == "/" else call.branch
    return call.branch_in(inside if inside[:1] == "/" else f"{call.root}/{inside}")


def _branches(words: Sequence[str], here: str) -> tuple[list[str], str]:
    """Return the branches that a command of git is about, and that which is checked out behind it."""
    plain = commands.plain_words(words)
    if plain[:2] == ["git", "push"]:
        # Behind the remote stands what is pushed, and behind a colon to where.
        named = [word for word in words[words.index("push") + 1 :] if word[0] != "-"][1:]
        refs = [word.lstrip("+").rpartition(":")[2].removeprefix("refs/heads/") for word in named]
        return [here if ref == "HEAD" else ref for ref in refs] or [here], here
    if plain[:2] in (["git", "checkout"], ["git", "switch"]) and "--" not in words:
        names = [word for word in words[words.index(plain[1]) + 1 :] if word[0] != "-"]
        here = names[0] if names and "." not in names[0] else here
    return [here], here


def fulfils(words: Sequence[str], pattern: Sequence[str], *, as_spelled: bool = False) -> bool:
    """Whether a command is what a pattern names: its plain words in order, its options anywhere behind the program."""
    if not as_spelled:
        words, pattern = _spelled(words), _spelled(pattern)
    for at, one in enumerate(pattern[:-1]):
        joined = f"{one}={pattern[at + 1]}"
        if one[:2] == "--" and joined in words:
            # What an option is given stands behind it or in the same word.
            words = [part for word in words for part in ((one, pattern[at + 1]) if word == joined else (word,))]
    plain = [*map(_base, words[:1]), *commands.plain_words(words)[1:]]
    # With such an option a program only tells something: nothing is pushed by `git push --dry-run`.
    if any(commands.is_a(word, "tells-option") and word not in pattern for word in words[1:]):
        return False
    for number, one in enumerate(pattern):
        either = [_base(wish) for wish in one.split("|")] if not number else one.split("|")
        if number and one[0] in "-+":
            if not any(_has_option(words, wish) for wish in either):
                return False
        elif one == "*" and number == len(pattern) - 1:
            return True
        elif not plain or not any(
            fits(plain[0], wish) or (number and commands.is_a(f"{words[0]} {wish}={plain[0]}", "same-word"))
            for wish in either
        ):
            return False
        else:
            plain.pop(0)
    return bool(pattern)


def _spelled(words: Sequence[str]) -> Sequence[str]:
    """Return words in the one spelling of a program, or of an option of `rm`, that has two."""
    if words[:1] and words[0].rpartition("/")[2] == "rm":
        return [word.replace("R", "r") if word[:1] == "-" and word[:2] != "--" else word for word in words]
    return ("docker", "compose", *words[1:]) if words[:1] and words[0] == "docker-compose" else words


def _base(program: str) -> str:
    return program.rstrip("/").rpartition("/")[2] or program


def _has_option(words: Sequence[str], wanted: str) -> bool:
    if any(commands.is_option(word, wanted) for word in words[1:]):
        return True
    name, _, value = wanted.partition("=")
    if value and any((name, value) == (word, words[at]) for at, word in enumerate(words[1:-1], 2)):
        return True
    # `-rf` is `-r` and `-f`, in whatever order and however many words.
    letters = wanted[1:] if wanted[:1] == "-" and wanted[1:].isalpha() and len(wanted) in (3, 4) else ""
    return bool(letters) and all(
        any(commands.is_option(word, f"-{one}") or word.startswith(f"--{one}") for word in words[1:]) for one in letters
    )


def _matched_path(patterns: Sequence[str], call: Call, *, reads: bool) -> str:
    for path in touched(call, reads=reads) if patterns else ():
        inside = _within(path, call)
        # What lies outside of the project is meant only by a pattern that says where.
        outside = bool(call.root) and inside[:1] == "/"
        near = [one for one in patterns if not outside or one.removeprefix(_BUT)[:1] in "/~"]
        fitting = [one for one in near if fits_path(inside, one.removeprefix(_BUT))]
        if fitting and not any(one[:1] == _BUT for one in fitting):
            return path
    return ""


def touched(call: Call, *, reads: bool = False) -> list[str]:
    """Return the files that a call changes; with `reads` those too that a tool only reads."""
    line = line_of(call)
    if not line:
        changed = tools.changed_files(call.tool, call.given)
        return changed or (tools.paths_in(call.given) if reads else [])
    found: list[str] = []
    for run in runs(line):
        named = [*run.writes, *_changed_by(run.words)]
        found += [path if path[:1] in "/~" or not run.folder else f"{run.folder}/{path}" for path in named]
    return [path for path in found if not path.startswith("/dev/")]


def _changed_by(words: Sequence[str]) -> list[str]:
    """Return the files that a command changes, as far as its words name them."""
    if not words:
        return []
    plain = [word for word in commands.plain_words(words)[1:] if word]
    if words[0] in ("sed", "perl"):
        in_place = any(word.startswith(("-i", "--in-place", "-pi")) for word in words[1:])
        return plain[1:] if in_place else []
    if words[0] == "find":
        options = [at for at, word in enumerate(words) if word[0] in "-(!"]
        return [*words[1 : options[0]]] if "-delete" in words and options else []
    if tuple(words[:2]) == ("git", "checkout"):
        return [*words[words.index("--") + 1 :]] if "--" in words else []
    if commands.is_a(words[0], "changes-last"):
        return plain[-1:]
    if commands.is_a(" ".join([words[0], *plain[:1]]), "changes"):
        return plain[1:]
    return plain if commands.is_a(words[0], "changes") else []


def _within(path: str, call: Call) -> str:
    """Return a path from the top of its project; one outside, or of no known project, from the root."""
    whole = path.replace("\\", "/")
    if whole[:1] not in "/~" and call.folder:
        whole = f"{call.folder}/{whole}"
    whole = os.path.normpath(os.path.expanduser(whole))
    root = call.root.rstrip("/")
    return whole[len(root) + 1 :] if root and whole.startswith(f"{root}/") else whole


def fits_path(path: str, pattern: str) -> bool:
    """Whether a path fits a pattern: `*` within a name, `**` over folders, a folder for all that is in it.

    A pattern begins at any folder below the top of the project, but one with a `/` or `~` first at the root.
    """
    names, parts = path.strip("/").split("/"), pattern.removeprefix("./").strip("/").split("/")
    if pattern[:1] in ("/", "~"):
        return path[:1] == "/" and _fits_parts(names, os.path.expanduser(pattern).strip("/").split("/"))
    return any(_fits_parts(names[at:], parts) for at in range(len(names)))


def _fits_parts(names: Sequence[str], parts: Sequence[str]) -> bool:
    # How far into the names the parts may have come; a pattern of many `**` costs no more than one.
    reached = [0]
    for part in parts:
        if part == "**":
            reached = list(range(reached[0], len(names) + 1))
        else:
            reached = [at + 1 for at in reached if at < len(names) and fits(names[at], part)]
        if not reached:
            return False
    # What is in a folder that was named is meant with it.
    return True
