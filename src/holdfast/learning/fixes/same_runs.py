"""When a success of one line says that another works now: it runs the same, or is the other said otherwise."""

from __future__ import annotations

from holdfast.language import failures, shell
from holdfast.language.commands import Command, is_a, main_of, parse

# So many words two forms of a line have in common, of what follows another program so many; and this part of them.
_MANY, _SOME, _MOSTLY = 2, 1, 0.7
# A line that is longer than so many of the other is another one.
_LONGER = 3
# Options that change what is printed, and not what is run.
_OF_OUTPUT = (
    *("-v", "-vv", "-q", "-s", "-x", "-ra", "-rA", "--verbose", "--quiet", "--silent", "--color", "--no-color", "--tb"),
    *("--bail", "--maxfail", "--reporter", "-count", "--nocapture", "--no-header", "--progress", "--colour", "--json"),
)
# Commands that only wait, and wrappers that only measure or bound how long another one runs.
WAITS = ("sleep", "wait", "true", ":")
_BOUNDS = ("time", "timeout", "gtimeout", "nohup", "stdbuf")


def covers(succeeded_line: str, failed_line: str) -> bool:
    """Whether a success says that all of a line that failed works now, where nobody knows which part of it failed."""
    parts = [
        one for one in parse(failed_line) if not one.is_look and one.kind != "format" and not is_a(one.name, "aside")
    ]
    main = main_of(failed_line)
    doers = [one for one in parts if one.is_check] or parts[-1:] or ([main] if main is not None else [])
    runs = parse(succeeded_line)
    return bool(doers) and all(
        any(is_same_run(one, failed_line, other, succeeded_line) for other in runs) for one in doers
    )


def is_same_run(failed: Command, failed_line: str, succeeded: Command, succeeded_line: str) -> bool:
    """Whether a success of one command says that what failed works now: the same run, or a check that contains it."""
    if failed.name != succeeded.name or not _is_same_folder(failed.folder, succeeded.folder):
        return False
    if failed.is_inline or succeeded.is_inline:
        return failed_line.strip() == succeeded_line.strip()
    before, after = _targets(failed), _targets(succeeded)
    if _options(failed) != _options(succeeded) or before == after or not before or not failed.is_check:
        # One test that passes does not say that all do; all do say that one does.
        return before == after and _options(failed) == _options(succeeded)
    folders = tuple([folder and f"{folder}/" for folder in [one.removesuffix("...").rstrip("/") for one in after]])
    return not after or all(one in after or one.startswith(folders) for one in before)


def _options(command: Command) -> frozenset[str]:
    """Return the options of a command that say what is run."""
    words = [word for word in command.words[1:] if word[0] in "-+" and word.strip("-")]
    return frozenset(word for word in words if word.partition("=")[0] not in _OF_OUTPUT)


def _is_same_folder(one: str, other: str) -> bool:
    """Whether two lines are run in the same folder; whoever names a whole path mostly names where they are already."""
    if one and other:
        return one.rstrip("/") == other.rstrip("/")
    return (one or other or "/")[0] in "/~$" or (one or other).rstrip("/") == "."


def _targets(command: Command) -> list[str]:
    """Return what a command is about: its words that are neither its name, nor options, nor messages."""
    names = command.name.split()[1:]
    found = set()
    for word in command.words[1:]:
        if names and word.rpartition("/")[2] == names[0]:
            names.pop(0)
        elif word[0] not in "-+" and (command.is_check or not (" " in word or "\n" in word)):
            found.add(word.removeprefix("./"))
    return sorted(found)


def is_other_form(failed: Command, failed_line: str, succeeded: Command, succeeded_line: str, *, loose: bool) -> bool:
    """Whether one line is the other said otherwise; by another program or elsewhere only if `loose`."""
    before, after = (_essence(line, failed.name) for line in (failed_line, succeeded_line))
    if failed.is_inline or succeeded.is_inline or before == after or len(before) > len(after):
        return False
    if not loose and not _is_same_folder(failed.folder, succeeded.folder):
        return False
    if failed.words == succeeded.words:
        return True
    if failed.words[0] == succeeded.words[0]:
        return _are_alike(failed.words, succeeded.words, _MANY)
    return loose and _are_alike(failed.words[1:], succeeded.words[1:], _SOME)


def _essence(line: str, name: str) -> list[list[str]]:
    """Return the words of each command of a line that does something, without what waits, cuts or keeps.

    The command of that name always does.
    """
    found = []
    for part in shell.split(line):
        words = [word for word in part.words if word]
        while words and words[0] in _BOUNDS:
            words = words[2:] if words[0].endswith("timeout") else words[1:]
        known = parse(part.text)
        is_aside = all(
            one.is_look or is_a(one.name, "aside") or (is_a(one.name, "idle") and one.name != name) for one in known
        )
        if words and words[0] not in WAITS and (words[0] in ("cd", "mkdir") or not is_aside):
            found.append(words)
    return found


def is_explained(error: str, failed: Command, succeeded: Command) -> bool:
    """Whether the words in which two forms of a line differ are what the error is about.

    Another path is another file. Of a check with other options nobody knows whether it ran the same.
    """
    removed = [word for word in failed.words if word not in succeeded.words]
    added = [word for word in succeeded.words if word not in failed.words]
    if not removed and not added:
        return True
    said = frozenset(failures.normalised(error).replace("-", " ").split()) - {"#"}

    def is_said(word: str) -> bool:
        return not said.isdisjoint(failures.normalised(word).replace("-", " ").split())

    if removed and all(map(is_said, removed)):
        return not all("/" in word or "." in word for word in removed)
    if any(map(is_said, added)):
        return True
    return not failed.is_check and all(word[0] in "-+" for word in (*removed, *added))


def _are_alike(words: tuple[str, ...], others: tuple[str, ...], many: int) -> bool:
    one, other = set(words), set(others)
    common, shorter, longer = len(one & other), *sorted((len(one), len(other)))
    return common >= many and common >= shorter * _MOSTLY and common * _LONGER >= longer
