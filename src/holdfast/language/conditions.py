"""The condition of a rule: at which calls of tools it holds. Read from a text, written back, and matched with a call.

    git push, npm *              a command, whatever options stand between its words; `*` stands for anything
    git push --force|-f          with one of these options
    src/**/*.ts, package.json    a file that the call changes
    !uv run pytest               but not this command, or this file
    tool: edit                   of these only calls of such a tool: a kind, or a name that the agent has for it
    tool: read, .env             a call that shows the file: of a tool that reads it, or `cat .env`
    failure: ECONNREFUSED        of these only one that failed so
    branch: main                 of these only on such a branch
    unless: make check           but not behind such a command: it was run before, in the same line

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
from holdfast.language import commands, tools
from holdfast.language.commands import fits
from holdfast.language.runs import (
    Run,
    changes_of,
    fits_path,
    patched,
    patches_of,
    removed_by,
    runs,
    shown_by,
    spelled,
    taken_along,
)
from holdfast.language.word_lists import listed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

NONE = "none"
KINDS = ("command", "path", "tool", "failure", "branch", "unless")
MAX_ITEMS, MAX_ITEM, MAX_TEXT = 20, 200, 1_000
_BUT = "!"
# A word without a folder is known as a file by an ending of at most so many letters.
_MAX_ENDING = 10
# What has one of these is run more often than it is written.
SCRIPTS = (".sh", ".bash", ".zsh")
# The tool of a condition that is not about a change, but about taking a file away.
_REMOVES, _DELETED = "delete", "*** Delete File: "
# The one that is about what a file says: a line of a shell that shows it counts like a tool that reads it.
_READS = "read"
# A call that takes a folder along has one of these, and need not name what is in it.
_TAKES = ("rm -", "mv ", "-delete", "git clean", "git checkout", "git restore", "-exec", "xargs")
# One that applies a patch need not name the files that it changes.
_PATCHES = (" apply", "git am", "patch -", "patch <")
# Programs that are told by an option where to run.
_GOES = {"git": "-C", "make": "-C", "pnpm": "-C", "npm": "--prefix", "yarn": "--cwd"}
_last_call, _last_line = ["", "", ""], [""]
_last_runs: list[Run] = []


@dataclass(frozen=True, slots=True)
class Condition:
    """What a call must be for a rule to hold; empty where it never does. A `!` begins what does not count."""

    commands: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()
    branches: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        triggers = [one for one in (*self.commands, *self.paths) if one[:1] != _BUT]
        return bool(triggers or self.tools or self.failures or self.branches)

    def __str__(self) -> str:
        lists = self.commands, self.paths, self.tools, self.failures, self.branches, self.unless
        items = [_item(kind, one) for kind, some in zip(KINDS, lists, strict=True) for one in some]
        return ", ".join(items) or NONE


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a tool as conditions see it: `given` is its input as the agent wrote it, a text.

    `error` is what it failed with, empty where it did not fail or has not run. `folder` is where it runs, `root` the
    top of its project; `branch` what is checked out there. `branch_in` tells that of another folder, where it is known,
    `files_in` what is in a folder now, all of it or only what git ignores, `text_of` what a file says, `tree_of` the
    top of the work tree of the same project that a file lies in, and `is_elsewhere` whether a folder is another one's.
    """

    tool: str = ""
    given: str = ""
    error: str = ""
    folder: str = ""
    root: str = ""
    branch: str = ""
    branch_in: Callable[[str], str] | None = None
    files_in: Callable[[str, bool], Iterable[str]] | None = None
    text_of: Callable[[str], str] | None = None
    tree_of: Callable[[str], str] | None = None
    is_elsewhere: Callable[[str], bool] | None = None


def parse(text: str) -> Condition:
    """Return the condition that a text says; raise BadInput with the way out where it says none."""
    found: dict[str, list[str]] = {kind: [] for kind in KINDS}
    if len(text) > MAX_TEXT:
        raise BadInput(f"a condition of {len(text):,} characters is too long", f"Use at most {MAX_TEXT:,}.")
    for item in items_of(text):
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
    if condition.unless and not (condition.commands or condition.paths):
        raise BadInput(f"{text!a} does not say before which call", "Name its command or file, too.")
    if any(found.values()) and not condition:
        raise BadInput(f"{text!a} only says what does not count", "Name the command or file that does.")
    return condition


def read(text: str) -> Condition | None:
    """Return the same of what stands in a file; None where it cannot be understood."""
    try:
        return parse(text)
    except BadInput:
        return None


def items_of(text: str) -> list[str]:
    """Return the items of a text that says a condition."""
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
    if text.endswith(SCRIPTS) and "*" not in text:
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
            option = pattern.split()[-1].partition("=")[0]
            if first == "*" and option[:2] == "--":
                # Whatever the program, the option is in the call.
                found.append(option)
                continue
            pieces = [piece for part in first.split("*") for piece in part.split("/") if piece]
            if not pieces:
                return ()
            # The name of a program or file is told even where the folder before it is not.
            if pattern in condition.commands:
                pattern = " ".join(spelled(pattern.split()))
                # Of the words that a command must have, the last is the rarest: far more calls say `git` than `push`.
                literal = [
                    word
                    for word in pattern.split()[1:]
                    if word[0] not in "-+" and not set(word) & set("*?[|~") and not word.isupper()
                ]
                # A word that is written in several ways is none to look for.
                is_one = bool(literal) and not any(entry.startswith(f"{first} {literal[-1]}=") for entry in aliases)
                if "|" in first and not is_one:
                    return ()
                found.append(literal[-1].rstrip("/") if is_one else pieces[-1])
            elif "|" in first:
                return ()
            else:
                found += [max(pieces, key=len), *_TAKES, *_PATCHES]
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
    return _matched_path(condition, call)


def _narrowed(condition: Condition, call: Call) -> bool:
    if condition.tools:
        kind, tool = tools.kind_of(call.tool), call.tool.casefold()
        wanted = [one.casefold() for one in condition.tools]
        is_it = any(kind == one or fits(tool, one) for one in wanted) or (
            (_REMOVES in wanted and kind in ("shell", "edit"))
            or (_READS in wanted and kind == "shell" and bool(condition.commands or condition.paths))
        )
        if not tool or not is_it:
            return False
    if condition.failures:
        error = call.error.casefold()
        if not error or not any(fits(error, f"*{one.casefold()}*") for one in condition.failures):
            return False
    # Of a command it is asked for each that the line runs.
    return bool(condition.commands) or _is_on(condition.branches, [call.branch])


def _is_on(wanted: Sequence[str], branches: Sequence[str]) -> bool:
    """Whether one of the branches is wanted; where it is not known which branch it is, none is."""
    known = [branch for branch in branches if branch]
    but, named = [one[1:].strip() for one in wanted if one[:1] == _BUT], [one for one in wanted if one[:1] != _BUT]
    fitting = [branch for branch in known if not any(fits(branch, one) for one in but)]
    return not wanted or any(not named or any(fits(branch, one) for one in named) for branch in fitting)


def _changes(call: Call) -> bool:
    line = line_of(call)
    return not commands.only_looks(line) if line else bool(tools.changed_files(call.tool, call.given))


def line_of(call: Call) -> str:
    """Return the shell line that a call runs; nothing where it runs none."""
    if _last_call[:2] != [call.tool, call.given]:
        is_line = tools.kind_of(call.tool) == "shell" and tools.PATCH not in call.given
        _last_call[:] = [call.tool, call.given, tools.line_of(call.given) if is_line else ""]
    return _last_call[2]


def _runs_of(line: str) -> list[Run]:
    """Return what a line runs; one call is asked about for many rules, and taken apart once."""
    if _last_line[0] != line:
        _last_line[:] = [line]
        _last_runs[:] = runs(line)
    return _last_runs


def _runs_here(line: str) -> list[Run]:
    """Return what a line runs on this machine: what it does to files elsewhere changes none here."""
    return [run for run in _runs_of(line) if not run.elsewhere]


def _matched_command(condition: Condition, call: Call) -> str:
    line = line_of(call) if condition.commands else ""
    wanted = [one.split() for one in condition.commands if one[:1] != _BUT]
    but = [one[1:].split() for one in condition.commands if one[:1] == _BUT]
    unless, done = [one.split() for one in condition.unless], list[Run]()
    here = {"": call.branch}
    # Who wants one spelling of a command, and not another, means the spelling.
    exact = any([*spelled(one)] == [*spelled(other)] for one in wanted for other in but)
    for run in _runs_of(line) if line else ():
        branches, folder = list[str](), _folder_of(run)
        if call.is_elsewhere and call.is_elsewhere(_whole(folder or ".", call)):
            continue
        if condition.branches:
            branches, here[folder] = _branches(run.words, here[folder] if folder in here else _branch_in(folder, call))
        # In a container or on a host a program alone may be meant to be another than here: "pnpm, not npm".
        meant = [one for one in wanted if len(one) > 1] if run.elsewhere else wanted
        named = run.is_any(meant, as_spelled=exact) and not run.is_any(but, as_spelled=exact)
        if named and _is_on(condition.branches, branches) and not (unless and _was_run(done, unless)):
            return " ".join(run.text.split())
        done.append(run)
    return ""


def _was_run(before: Sequence[Run], wanted: Sequence[Sequence[str]]) -> bool:
    """Whether one of the commands that stand before another one in a line is wanted there, and did not have to fail."""
    # Behind `||` stands what is run when it failed, and before `&` what may still run.
    is_alternative = bool(before) and before[-1].sign == "||"
    return not is_alternative and any(one.is_any(wanted) for one in before if one.sign != "&")


def runs_any(line: str, wanted: Sequence[str]) -> bool:
    """Whether a line runs one of these commands."""
    return _was_run(_runs_of(line), [one.split() for one in wanted])


def _folder_of(run: Run) -> str:
    """Return where a command runs, if that is not where the call does."""
    goes = _GOES.get(run.words[0], "-C") if run.words else ""
    at = run.words.index(goes) if goes in run.words[:-1] and run.words[0] in _GOES else 0
    named = run.words[at + 1] if at else ""
    return named if named[:1] in ("/", "~") or not run.folder else f"{run.folder}/{named}".rstrip("/")


def _branch_in(folder: str, call: Call) -> str:
    """Return the branch that is checked out in another folder than that of the call; nothing where nobody knows it."""
    inside = _within(folder, call)
    if call.branch_in is None:
        return "" if inside[:1] == "/" else call.branch
    return call.branch_in(_whole(folder, call))


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


def _matched_path(condition: Condition, call: Call) -> str:
    patterns, removes = condition.paths, _REMOVES in condition.tools
    if not patterns or (condition.unless and runs_any(line_of(call), condition.unless)):
        return ""
    if _READS in condition.tools and line_of(call):
        shown = [_from(run.folder, path) for run in _runs_here(line_of(call)) for path in shown_by(run.words)]
        changed = touched(call) if len(condition.tools) > 1 else []
        return _first_meant([*shown, *changed], patterns, call)
    found = _removed(call) if removes else touched(call, reads=bool(condition.tools))
    if meant := _first_meant(found, patterns, call):
        return meant
    # Who takes a folder away takes what is in it.
    for folder, names, only_ignored in _taken_along(call, removes=removes) if call.files_in else ():
        whole = _whole(folder.removesuffix("*").rstrip("/") or ".", call)
        below = [path[len(whole) :] for path in (call.files_in(whole, only_ignored) if call.files_in else ())]
        below = [one for one in below if not names or any(fits(one.rpartition("/")[2], name) for name in names)]
        for called in _names_of(whole, call, below):
            if _is_meant(called, patterns, call):
                return f"{folder} with {called[0]}"
    return ""


def _first_meant(paths: Iterable[str], patterns: Sequence[str], call: Call) -> str:
    return next((path for path in paths if any(_is_meant(one, patterns, call) for one in _names_of(path, call))), "")


def _is_meant(names: Iterable[str], patterns: Sequence[str], call: Call) -> bool:
    """Whether a file is meant by patterns under one of its names."""
    fitting: list[str] = []
    for one in dict.fromkeys(names):
        # What lies outside of the project is meant only by a pattern that says where.
        outside = bool(call.root) and one[:1] == "/"
        near = [pattern for pattern in patterns if not outside or pattern.removeprefix(_BUT)[:1] in "/~"]
        fitting += [pattern for pattern in near if fits_path(one, pattern.removeprefix(_BUT), call.root)]
    return bool(fitting) and not any(one[:1] == _BUT for one in fitting)


def _names_of(path: str, call: Call, below: Iterable[str] = ("",)) -> Iterator[list[str]]:
    """Yield the names of a file from the top of its project: as called, behind links, in another tree of the project.

    Those of what lies `below` a folder are asked for at once.
    """
    whole = _whole(path, call)
    places = [(whole, call.root)]
    if call.root:
        real = os.path.realpath(whole)
        places.append((real, os.path.realpath(call.root)))
        places.append((real, (call.tree_of and call.tree_of(real)) or call.root))
    for one in below:
        yield [_from_top(f"{place}{one}", top) for place, top in places]


def _removed(call: Call) -> list[str]:
    """Return the files that a call takes away or moves."""
    line = line_of(call)
    if line:
        return [_from(run.folder, path) for run in _runs_here(line) for path in changes_of(run, removed_by)]
    if "delete" in call.tool.casefold():
        return tools.paths_in(call.given)
    lines = call.given.replace("\\n", "\n").split("\n") if tools.PATCH in call.given else []
    return [one.removeprefix(_DELETED).strip() for one in lines if one.startswith(_DELETED)]


def _taken_along(call: Call, *, removes: bool) -> list[tuple[str, list[str], bool]]:
    """Return the folders that a call takes along, the names of what goes of them, and whether only what git ignores."""
    found: list[tuple[str, list[str], bool]] = []
    for run in _runs_here(line_of(call)):
        folders, names, only_ignored = taken_along(run)
        folders = folders if only_ignored or not removes or removed_by(run.words) else []
        found += [(_from(run.folder, path), names, only_ignored) for path in folders]
    return found


def _from(folder: str, path: str) -> str:
    return path if path[:1] in "/~" or not folder else f"{folder}/{path}"


def touched(call: Call, *, reads: bool = False) -> list[str]:
    """Return the files that a call changes; with `reads` those too that a tool only reads."""
    line = line_of(call)
    if not line:
        changed = tools.changed_files(call.tool, call.given)
        return changed or (tools.paths_in(call.given) if reads else [])
    found: list[str] = []
    for run in _runs_here(line):
        named = [*run.writes, *changes_of(run), *_patched(run, call)]
        found += [_from(run.folder, path) for path in named]
    return [path for path in found if not path.startswith("/dev/")]


def _patched(run: Run, call: Call) -> list[str]:
    """Return the files that the patches name which a command applies, as far as they stand in its line or are there."""
    places, text = patches_of(run)
    texts = [call.text_of(_whole(_from(run.folder, one), call)) for one in places] if call.text_of else []
    return [path for one in (*texts, text) if one for path in patched(one)]


def _whole(path: str, call: Call) -> str:
    inside = _within(path, call)
    return f"{call.root}/{inside}" if call.root and inside[:1] != "/" else inside


def _within(path: str, call: Call) -> str:
    """Return a path from the top of its project; one outside, or of no known project, from the root."""
    whole = path.replace("\\", "/")
    if whole[:1] not in "/~" and call.folder:
        whole = f"{call.folder}/{whole}"
    return _from_top(os.path.normpath(os.path.expanduser(whole)), call.root.rstrip("/"))


def _from_top(whole: str, top: str) -> str:
    return whole[len(top) + 1 :] if top and whole.startswith(f"{top}/") else whole
