"""The commands that a shell line runs, whether a pattern names one of them, and which files each changes.

Shell lines are taken apart, never searched. Hooks ask, so this is light.
"""

from __future__ import annotations

import os

from holdfast.base.light_records import dataclass, replace
from holdfast.language import commands, shell
from holdfast.language.commands import fits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_MAX_DEPTH = 4
_AWAY = "runs-elsewhere"
# Where a command that is run for each of some files names them; and what tells which of a folder's files `find` means
# in ways that only the disk knows.
_EACH = "{}"
_ENDS_EACH = (";", "+")
_ONLY_SOME = (
    *("-path", "-ipath", "-regex", "-iregex", "-empty", "-newer", "-mtime", "-mmin", "-size", "-maxdepth", "-perm"),
    *("-prune", "-user", "!", "-not"),
)
# With these a patch is only looked at.
_ONLY_CHECKS = ("--check", "--stat", "--numstat", "--summary", "--dry-run")
_MAX_PATCHED = 200
# A word in capitals that is no longer may be one of them: `HEAD`, `-A`.
_MAX_SIGN = 4


@dataclass(frozen=True, slots=True)
class Run:
    """One command that a line runs: its words without wrappers and as they are written, its text.

    `writes` is what it is redirected to, `folder` where the line went before it, `sign` what ends it. `filters`: it
    only picks from what the command before it prints. `before` are the words of the command that pipes into it, or of
    the `find` that runs it; `reads` and `fed` what it is redirected from, and a here-document. `elsewhere`: in a
    container or on another machine, where no file of this one is changed.
    """

    words: tuple[str, ...]
    given: tuple[str, ...]
    text: str
    writes: tuple[str, ...] = ()
    folder: str = ""
    filters: bool = False
    before: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    fed: str = ""
    elsewhere: bool = False
    sign: str = ""

    def is_any(self, patterns: Sequence[Sequence[str]], *, as_spelled: bool = False) -> bool:
        """Whether one of the patterns names it: with or without what wraps it, or as the script that it runs."""
        if self.filters:
            return False
        if self.words and self.words[:1] != self.given[:1]:
            # `env A=b node` only runs node, and prints no environment.
            patterns = [
                one for one in patterns if tuple(one) != self.given[:1] or not commands.is_a(one[0], "means-alone")
            ]
        # "uv run python3 -m pytest" is also "python -m pytest".
        wrapped = range(len(self.given) - len(self.words)) if self.words else ()
        forms = [self.words, self.given]
        forms += [(commands.program(self.given[at]), *self.given[at + 1 :]) for at in wrapped]
        forms += [self._script(), _installed(self.words)]
        if self.words[:2] == ("npm", "run") and ":" in "".join(self.words[2:3]):
            # A script that is named alone may be run by any program: `db:reset`.
            forms.append((self.words[0], *self.words[2:]))
        if any(fulfils(form, one, as_spelled=as_spelled) for form in forms if form for one in patterns):
            return True
        bare = _without_first_options(self.words)
        return bool(bare) and any(len(one) > 1 and fulfils(bare, one, as_spelled=as_spelled) for one in patterns)

    def _script(self) -> tuple[str, ...]:
        """Return the script that a shell or another runner is given, with its words; nothing where it runs none."""
        name = self.words[0] if self.words else ""
        is_runner, is_shell = commands.is_a(name, "runner"), commands.is_a(name, "shell")
        if not (is_runner or commands.is_a(name, "sources")) or (is_shell and "-n" in self.words):
            return ()
        at = next((number for number, word in enumerate(self.words) if number and word[0] != "-"), 0)
        if at:
            return self.words[at:] if "." in self.words[at] else ()
        # "bash < x.sh", "cat x.sh | bash".
        given = self.reads or (shown_by(self.before) if self.before else ())
        return tuple(given[:1]) if is_shell else ()


def _without_first_options(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return a command without the options before its sub-command, each with a value, where nobody knows its options.

    `flask --app shop db downgrade` is a `flask db downgrade`. Nothing where there are none.
    """
    at = 1
    while at < len(words) and words[at][:1] == "-":
        at += 1 if "=" in words[at] else 2
    is_read = at == 1 or at >= len(words) or commands.are_options_known(words[0])
    return () if is_read else (words[0], *words[at:])


def _installed(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return a program that is installed with a project without what runs it: `pnpm --filter api exec prisma`."""
    if not words or not commands.is_a(words[0], "runs-installed"):
        return ()
    at, led = 1, ""
    while at < len(words):
        if words[at][:1] == "-":
            at += 2 if commands.takes_value(words[0], words[at]) else 1
        elif led == "workspace" or commands.is_a(words[at], "leads-installed"):
            led = words[at] if led != "workspace" else ""
            at += 1
        else:
            return (commands.program(words[at]), *words[at + 1 :])
    return ()


def runs(line: str, depth: int = 0) -> Iterator[Run]:
    """Yield every command that a line runs, those within `$( )`, `bash -c`, `eval`, `-exec` and `docker exec` too."""
    folder, piped, before, fed_before = "", False, tuple[str, ...](), ""
    for part in shell.split(line) if depth <= _MAX_DEPTH else ():
        for inner in part.inner:
            yield from runs(inner, depth + 1)
        words = commands.unwrapped([word for word in part.words if word])
        filters = piped and bool(words) and commands.is_a(part.words[0], "cutting")
        fed_by, before = before if piped else (), tuple(words)
        # What `cat` and `echo` print, the next command reads.
        printed = " ".join(fed_by[1:]) if fed_by[:1] == ("echo",) else fed_before if fed_by[:1] == ("cat",) else ""
        text_fed, fed_before = part.fed or printed, part.fed
        piped = part.sign in shell.PIPES
        if not words:
            yield Run((), (), part.text, part.writes, folder)
            continue
        carried = _carried(words, text_fed)
        given = _as_written(part.words)
        if carried:
            # "Don't use `bash -c`" is about the shell itself.
            yield Run(tuple(words), given, part.text, (), folder)
            yield from runs(carried, depth + 1)
            continue
        if fed_by and given and commands.program(given[0]) == "xargs":
            words = _with_each(words, given)
        fed = fed_by, part.reads, part.fed
        yield Run(tuple(words), given, part.text, part.writes, folder, filters, *fed, sign=part.sign)
        within, is_elsewhere = _within(words)
        for line_within in within:
            for inner_run in runs(line_within, depth + 1):
                yield replace(inner_run, elsewhere=is_elsewhere or inner_run.elsewhere)
        if words[0] in ("cd", "pushd") and len(words) > 1:
            folder = words[1] if words[1][:1] in "/~" else f"{folder}/{words[1]}".lstrip("/")
        at = next((number for number, word in enumerate(words) if word in ("-exec", "-execdir")), 0)
        if at and words[at + 1 :]:
            each = [word for word in words[at + 1 :] if word not in _ENDS_EACH]
            yield Run(tuple(commands.unwrapped(each)), (), part.text, (), folder, before=tuple(words[:at]))


def _with_each(words: Sequence[str], given: Sequence[str]) -> list[str]:
    """Return what `xargs` runs, with the sign for what it is run for where that is named: at the end, if nowhere."""
    at = next((number for number, word in enumerate(given) if word[:2] == "-I"), 0)
    place = (given[at][2:] or given[min(at + 1, len(given) - 1)]) if at else ""
    return [_EACH if word == place else word for word in words] if place else [*words, _EACH]


def _carried(words: Sequence[str], fed: str) -> str:
    """Return the line that a command is there to run: a shell's, or that of `eval`."""
    if words[0] == "eval":
        return " ".join(words[1:])
    if not commands.is_a(words[0], "shell"):
        return ""
    only_options = all(word[:1] == "-" for word in words[1:])
    return commands.carried_line(words) or (fed if only_options else "")


def _within(words: Sequence[str]) -> tuple[list[str], bool]:
    """Return the lines that a command has another program run, and whether that is in a container or on a host."""
    name = next((one for one in (" ".join(words[:3]), " ".join(words[:2]), words[0]) if commands.is_a(one, _AWAY)), "")
    if "--" in words and (name or commands.is_a(words[0], "runs-behind-dashes")):
        return [_line(words[words.index("--") + 1 :])], bool(name)
    at = len(name.split()) or 2 * commands.is_a(" ".join(words[:2]), "runs-in-folder")
    if at:
        while at < len(words) and words[at][:1] == "-":
            at += 2 if commands.is_a(words[at], "elsewhere-with-value") else 1
        rest = words[at + 1 :]
        return [" ".join(rest) if words[0] == "ssh" else _line(rest)], bool(name)
    return [one for one in words[1:] if " " in one] if commands.is_a(words[0], "runs-lines") else [], False


def _line(words: Sequence[str]) -> str:
    """Return words as a line that a shell reads as them."""
    return " ".join(["'" + word.replace("'", "'\\''") + "'" for word in words])


def _as_written(words: Sequence[str]) -> tuple[str, ...]:
    """Return the words behind the variables, with every wrapper before the command; programs are as they are called."""
    at = next((number for number, word in enumerate(words) if word and not shell.is_variable(word)), len(words))
    return tuple(words[at:])


def fulfils(words: Sequence[str], pattern: Sequence[str], *, as_spelled: bool = False) -> bool:
    """Whether a command is what a pattern names: its plain words in order, its options anywhere behind the program."""
    if not as_spelled:
        words, pattern = spelled(words), spelled(pattern)
    # Nearly always it is another program, which is told without looking further.
    if words and pattern and not _is_program(words[0], pattern[0]):
        return False
    named = pattern
    both = _without_values(words, pattern)
    if both is None:
        return False
    words, pattern = both
    plain = [*map(_base, words[:1]), *commands.plain_words(words)[1:]]
    # With such an option a program only tells something: nothing is pushed by `git push --dry-run`.
    if any(
        word not in named
        and (commands.is_a(word, "tells-option") or commands.is_a(f"{plain[0]} {word}", "tells-option"))
        for word in words[1:]
    ):
        return False
    for number, one in enumerate(pattern):
        if number and (one[0] in "-+" or (one[0] == one[-1] == "*" and one.strip("*"))):
            if not any(_has(words, wish, of_any=named[0] == "*") for wish in one.split("|")):
                return False
        elif one == "*" and number == len(pattern) - 1:
            return True
        else:
            either = one.split("|") if number else [_base(wish) for wish in one.split("|")]
            if not plain or not any(_is_named(plain[0], wish, words[0] if number else "") for wish in either):
                return False
            plain.pop(0)
    return bool(pattern)


def _is_program(word: str, wish: str) -> bool:
    if wish == "*" and commands.is_a(word, "searches"):
        # Who looks for the name of a host in files does not go there.
        return False
    name = _base(word)
    return any(fits(name, _base(one)) for one in wish.split("|"))


def _is_named(word: str, wish: str, program: str = "") -> bool:
    """Whether a word is what a pattern has in its place, also by another name that the program has for it."""
    # A folder is named with its slash.
    is_in = wish[-1:] == "/" and f"/{wish}" in f"/{word.removeprefix('./')}/"
    if program and commands.is_a(program, "names-hosts"):
        # A host is the same for every user.
        word = word.rpartition("@")[2]
    if program and wish.isupper() and len(wish) > _MAX_SIGN:
        # What is shouted may be said: `FLUSHALL`.
        word = word.upper()
    return is_in or fits(word, wish) or (bool(program) and commands.is_a(f"{program} {wish}={word}", "same-word"))


def _without_values(words: Sequence[str], pattern: Sequence[str]) -> tuple[Sequence[str], Sequence[str]] | None:
    """Return both without the options that a pattern gives a value, and that value; None where a command has another.

    An option is given its value behind a space or a `=`, before or behind the sub-command. Where nobody knows whether
    an option takes one, what follows it may as well be a word of its own.
    """
    words, pattern, at = [*words], [*pattern], 1
    while at < len(pattern):
        option, equals, value = pattern[at].partition("=") if pattern[at].count("=") == 1 else (pattern[at], "", "")
        width = 1 if equals else 2
        value = value or "".join(pattern[at + 1 : at + 2])
        if option[:1] != "-" or not value or (not equals and value[0] in "-+"):
            at += 1
            continue
        is_sure = bool(equals) or any(commands.takes_value(words[0], one) for one in option.split("|"))
        place, length = _given_so(words, option.split("|"), value.split("|"))
        if length:
            del words[place : place + length], pattern[at : at + width]
        elif is_sure:
            return None
        else:
            at += 1
    return words, pattern


def _given_so(words: Sequence[str], options: Sequence[str], values: Sequence[str]) -> tuple[int, int]:
    """Return where a command has one of these options with one of these values, and in how many words."""
    for at, word in enumerate(words[1:], 1):
        name, equals, value = word.partition("=")
        if not equals and name[:1] == "-" and name[:2] != "--" and commands.takes_value(words[0], name[:2]):
            name, value = name[:2], name[2:]
        length = 1 if value else 2
        value = value or "".join(words[at + 1 : at + 2])
        if name in options and value and any(_is_named(value, one) for one in values):
            return at, length
    return 0, 0


def spelled(words: Sequence[str]) -> Sequence[str]:
    """Return words in the one spelling of a program, an option of `rm`, or a script (`yarn run x`), that has two."""
    if (
        len(words) > 2
        and words[1] == "run"
        and commands.is_a(f"{words[0]} run", "script-runner")
        and not set(words[2]) & set("/.")
    ):
        return (words[0], *words[2:])
    if words[:1] and words[0].rpartition("/")[2] == "rm":
        return [word.replace("R", "r") if word[:1] == "-" and word[:2] != "--" else word for word in words]
    return ("docker", "compose", *words[1:]) if words[:1] and words[0] == "docker-compose" else words


def _base(program: str) -> str:
    return program.rstrip("/").rpartition("/")[2] or program


def _has(words: Sequence[str], wanted: str, *, of_any: bool) -> bool:
    """Whether a command has an option, or anywhere what a wish has between stars: `psql -c "DROP TABLE x"`, `*DROP*`.

    Of any program that stands in a word; what has spaces may be a message.
    """
    if wanted[0] == "*":
        return any(_is_named(word, wanted, words[0]) for word in words[1:] if not of_any or " " not in word)
    if any(commands.is_option(word, wanted) for word in words[1:]):
        return True
    # `-rf` is `-r` and `-f`, in whatever order and however many words.
    letters = wanted[1:] if wanted[:1] == "-" and wanted[1:].isalpha() and len(wanted) in (3, 4) else ""
    return bool(letters) and all(
        any(commands.is_option(word, f"-{one}") or word.startswith(f"--{one}") for word in words[1:]) for one in letters
    )


def changed_by(words: Sequence[str]) -> list[str]:
    """Return the files that a command changes, as far as its words name them."""
    if not words:
        return []
    plain = [word for word in commands.plain_words(words)[1:] if word]
    behind = [at for at, word in enumerate(words) if at and commands.is_a(f"{words[0]} {word}", "writes-behind")]
    if behind or words[0] == "dd":
        return [*[words[at + 1] for at in behind if words[at + 1 :]], *[one[3:] for one in words if one[:3] == "of="]]
    if any(commands.is_a(f"{words[0]} {word}", "changes-with") for word in words[1:]):
        return plain
    if words[0] in ("sed", "perl"):
        in_place = any(word.startswith(("-i", "--in-place", "-pi")) for word in words[1:])
        return plain[1:] if in_place else []
    if words[0] == "find":
        return _listed_by(words) if "-delete" in words else []
    if tuple(words[:2]) == ("git", "checkout"):
        return [*words[words.index("--") + 1 :]] if "--" in words else []
    if commands.is_a(words[0], "changes-last"):
        return plain[-1:]
    if commands.is_a(" ".join([words[0], *plain[:1]]), "changes"):
        return plain[1:]
    return plain if commands.is_a(words[0], "changes") else []


def shown_by(words: Sequence[str]) -> list[str]:
    """Return the files that a command shows, as far as its words name them."""
    plain = [word for word in commands.plain_words(words)[1:] if word] if words else []
    if words and commands.is_a(words[0], "shows-behind"):
        return plain[1:]
    return plain if words and commands.is_a(words[0], "shows") else []


def changes_of(run: Run, changed: Callable[[Sequence[str]], list[str]] = changed_by) -> list[str]:
    """Return the files that a command changes, those too that another names for it; `changed` says which those are."""
    named = changed(run.words)
    each = _listed_by(run.before) if _EACH in named else []
    return [*[path for path in named if path != _EACH], *each]


def _listed_by(words: Sequence[str]) -> list[str]:
    """Return what a command lists for another to work on, as far as its words name it."""
    plain = commands.plain_words(words)
    if words[0] == "find":
        folders, names, is_all = _found_by(words)
        return [f"{folder}/{name}" for folder in folders for name in names] if names and is_all else folders
    if commands.is_a(words[0], "lists"):
        return plain[1:]
    is_other = commands.is_a(words[0], "lists-behind") or commands.is_a(" ".join(plain[:2]), "lists")
    return plain[2:] if is_other else []


def _found_by(words: Sequence[str]) -> tuple[list[str], list[str], bool]:
    """Return the folders that `find` looks in, the names that it looks for, and whether it means all of these."""
    at = next((number for number, word in enumerate(words) if word[:1] in ("-", "(", "!")), len(words))
    names = [words[number + 1] for number, word in enumerate(words[:-1]) if word in ("-name", "-iname")]
    return [*words[1:at]] or ["."], names, not any(word in _ONLY_SOME for word in words)


def patches_of(run: Run) -> tuple[list[str], str]:
    """Return the files of the patches that a command applies, and the patch that stands in its line."""
    plain = commands.plain_words(run.words)
    is_git = plain[:2] in (["git", "apply"], ["git", "am"])
    if not (is_git or plain[:1] == ["patch"]) or any(word in _ONLY_CHECKS for word in run.words[2:]):
        return [], ""
    behind = [run.words[at + 1] for at, word in enumerate(run.words[:-1]) if word in ("-i", "--input") and not is_git]
    joined = [word.partition("=")[2] for word in run.words if word.startswith("--input=")]
    named = plain[2:] if is_git else [*behind, *joined]
    return [*named, *run.reads, *(shown_by(run.before) if run.before else ())], run.fed


def patched(text: str) -> list[str]:
    """Return the files that a patch names, as they are called from where it is applied."""
    found, lines = list[str](), text.split("\n")
    for line, following in zip(lines, (*lines[1:], ""), strict=True):
        pair = (line, following) if line[:4] == "--- " and following[:4] == "+++ " else ()
        moved = line[line.index(" ", 7) + 1 :] if line.startswith(("rename from ", "rename to ")) else ""
        names = [one[4:].partition("\t")[0].strip() for one in pair]
        found += (
            [moved] if moved else [one[2:] if one[:2] in ("a/", "b/") else one for one in names if one != "/dev/null"]
        )
    return [*dict.fromkeys(found)][:_MAX_PATCHED]


def removed_by(words: Sequence[str]) -> list[str]:
    """Return the files that a command takes away or moves, as far as its words name them."""
    name = " ".join(words[:2])
    if (words[:1] and words[0] in ("rm", "rmdir", "unlink", "shred", "find")) or name == "git rm":
        return changed_by(words)
    return changed_by(words)[:-1] if words[:1] == ("mv",) or name == "git mv" else []


def taken_along(run: Run) -> tuple[list[str], list[str], bool]:
    """Return the folders that a command takes away, moves, changes or puts back with what is in them.

    The second value has the names of what is meant there, if not all; the third says that of what is in them only that
    goes which git ignores.
    """
    words = run.words
    plain, name = [word for word in commands.plain_words(words)[1:] if word] if words else [], " ".join(words[:2])
    letters = "".join([word[1:] for word in words[1:] if word[:1] == "-" and word[:2] != "--"])
    finds = words if "-delete" in words else run.before if _EACH in changed_by(words) else ()
    if finds[:1] == ("find",):
        folders, names, is_all = _found_by(finds)
        return (folders, names, False) if is_all else ([], [], False)
    if _EACH in plain:
        return (_listed_by(finds) or ["."] if finds[:2] == ("git", "ls-files") else []), [], False
    if words[:1] == ("rm",) or name == "git rm":
        is_deep = {"r", "R"} & set(letters) or "--recursive" in words
        return (plain[name == "git rm" :] if is_deep else []), [], False
    if words[:1] == ("mv",) or name == "git mv":
        return plain[name == "git mv" : -1], [], False
    if name == "git clean":
        goes = {"x", "X"} & set(letters) and ("f" in letters or "--force" in words) and "n" not in letters
        return (plain[1:] or ["."] if goes and "--dry-run" not in words else []), [], True
    if name in ("git checkout", "git restore"):
        # To put everything back is to end what was begun, and no change of one folder.
        return [one for one in changed_by(words) if one.strip("./:*")], [], False
    return [], [], False


def fits_path(path: str, pattern: str, root: str = "") -> bool:
    """Whether a path fits a pattern: `*` within a name, `**` over folders, a folder for all that is in it.

    A pattern begins at any folder below the top of the project, but one with a `/` or `~` first at the root, and one
    that names a folder there, where the `root` of the project has it, at that folder alone.
    """
    names, parts = path.strip("/").split("/"), pattern.removeprefix("./").strip("/").split("/")
    if pattern[:1] in ("/", "~"):
        return path[:1] == "/" and _fits_parts(names, os.path.expanduser(pattern).strip("/").split("/"))
    if _fits_parts(names, parts):
        return True
    literal = parts[: [*["*" in part for part in parts], True].index(True)]
    if root and literal and "/" in pattern.removeprefix("./") and os.path.exists(os.path.join(root, *literal)):
        return False
    return any(_fits_parts(names[at:], parts) for at in range(1, len(names)))


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
