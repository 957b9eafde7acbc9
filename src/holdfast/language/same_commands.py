"""When two command lines are runs of the same, and when one is the other said otherwise."""

from __future__ import annotations

from holdfast.language.commands import without_cutting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.language.commands import Command

# So many words two forms of a line have in common, of what follows another program so many; and this part of them.
_MANY, _SOME, _MOSTLY = 2, 1, 0.7
# A line that is longer than so many of the other is another one.
_LONGER = 3


def is_same_run(failed: Command, failed_line: str, succeeded: Command, succeeded_line: str) -> bool:
    """Whether a success of one command says that what failed works now: the same run, or one that contains it."""
    if failed.name != succeeded.name or not _is_same_folder(failed.folder, succeeded.folder):
        return False
    if failed.is_inline or succeeded.is_inline:
        return failed_line.strip() == succeeded_line.strip()
    before, after = _targets(failed), _targets(succeeded)
    if before == after:
        return True
    if not before or not after:
        # One test that passes does not say that all do; all do say that one does.
        return bool(before) and succeeded.is_check
    contained = sum(any(_contains(other, one) for other in after) for one in before)
    # Of a check all must be run again; of anything else one part may be another.
    return contained == len(before) or (not failed.is_check and contained * 2 > len(before))


def _is_same_folder(one: str, other: str) -> bool:
    """Whether two lines are run in the same folder; whoever names a whole path mostly names where they are already."""
    if one and other:
        return one.rstrip("/") == other.rstrip("/")
    return (one or other or "/")[0] in "/~$" or (one or other).rstrip("/") == "."


def _contains(one: str, other: str) -> bool:
    folder = one.removesuffix("...").rstrip("/")
    return one == other or not folder or other.startswith(f"{folder}/")


def _targets(command: Command) -> list[str]:
    """Return what a command is about: its words that are neither its name, nor options, nor messages."""
    names = command.name.split()[1:]
    found = set()
    for word in command.words[1:]:
        if names and word.rpartition("/")[2] == names[0]:
            names.pop(0)
        elif word[0] not in "-+" and " " not in word and "\n" not in word:
            found.add(word.removeprefix("./"))
    return sorted(found)


def is_other_form(failed: Command, failed_line: str, succeeded: Command, succeeded_line: str, *, loose: bool) -> bool:
    """Whether one line is the other said otherwise; by another program or elsewhere only if `loose`."""
    if failed.is_inline or succeeded.is_inline or without_cutting(failed_line) == without_cutting(succeeded_line):
        return False
    if not loose and not _is_same_folder(failed.folder, succeeded.folder):
        return False
    if failed.words == succeeded.words:
        return True
    if failed.words[0] == succeeded.words[0]:
        return _are_alike(failed.words, succeeded.words, _MANY)
    return loose and _are_alike(failed.words[1:], succeeded.words[1:], _SOME)


def _are_alike(words: tuple[str, ...], others: tuple[str, ...], many: int) -> bool:
    one, other = set(words), set(others)
    common, shorter, longer = len(one & other), *sorted((len(one), len(other)))
    return common >= many and common >= shorter * _MOSTLY and common * _LONGER >= longer
