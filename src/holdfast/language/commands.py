"""What the commands of a shell line are: their names, their kinds, and what they take away (`tables/commands.txt`).

A line that a shell is given to run (`bash -c '...'`) is taken apart in its place. A command of which nothing is known
stands for itself and is `other`. Hooks ask, so this is light.
"""

from __future__ import annotations

from holdfast.base.light_records import dataclass, replace
from holdfast.language import shell
from holdfast.language.word_lists import TABLES, among, listed, lists

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Literal

    Kind = Literal[
        "test", "lint", "format", "install", "commit", "push", "pr", "merge", "deploy", "look", "build", "other"
    ]

TABLE = "commands"
CHECKS: tuple[Kind, ...] = ("test", "build", "lint")
# The kinds that the table has entries for; where two have the same entry, the first holds.
KINDS: tuple[Kind, ...] = (
    *("test", "lint", "format", "install", "commit", "push", "pr", "merge", "deploy", "look", "build"),
)
# Of the commands of one line the one that it is shown as, the most telling first.
_TELLING: tuple[Kind, ...] = (
    *("test", "build", "lint", "pr", "push", "commit", "deploy", "merge", "install", "other", "format", "look"),
)
_RANKS = {kind: rank for rank, kind in enumerate(_TELLING)}
_MAX_DEPTH = 3
_MAX_PATTERN = 4
# A longer word behind one dash is one option, and no bundle of letters.
_MAX_BUNDLE = 5
# One of a letter has two signs.
_MIN_LONG = 2
# Lines that come again and again are short, and only those are remembered.
_MAX_REMEMBERED, _MAX_REMEMBERED_LINE = 4_096, 300
# Behind these signs another command gives the line its exit.
_HIDING = ("|", "|&", "||", ";", ";;", "\n")
_remembered: dict[str, list[Command]] = {}
_entries: dict[str, Kind] = {}
# Entries of which the last word may go on, without the star; and what entries begin with.
_open_ended: dict[str, Kind] = {}
_beginnings: list[tuple[str, ...]] = []
_firsts: set[str] = set()
_wrapping: set[str] = set()
_sets: dict[str, frozenset[str]] = {}
_rules: list[tuple[str, str, str]] = []
# The forms of them that are about a program, by its name.
_forms: dict[str, list[tuple[str, str, list[str]]]] = {}
_names: dict[tuple[str, ...], str] = {}


@dataclass(frozen=True, slots=True)
class Command:
    """One command of a line: its kind, its words without wrappers, its text as it was written.

    `is_hidden`: the exit of the line is not its own. `is_inline`: its program stands in the line or behind it. `folder`
    is where the line goes before it.
    """

    kind: Kind
    words: tuple[str, ...]
    text: str
    is_hidden: bool = False
    is_inline: bool = False
    folder: str = ""

    @property
    def name(self) -> str:
        """Its program with its script or its sub-command; of one that stands in the line the program alone."""
        if self.is_inline:
            return self.words[0]
        if len(self.text) > _MAX_REMEMBERED_LINE:
            return _name_of(self.words)
        if self.words not in _names:
            if len(_names) >= _MAX_REMEMBERED:
                _names.clear()
            _names[self.words] = _name_of(self.words)
        return _names[self.words]

    @property
    def about(self) -> str:
        """What two runs of the same have in common: the name, and of a command that is not known its first argument.

        Forms of one check, such as `lint` and `lint:fix`, are the same.
        """
        if self.is_check:
            return self.name.partition(":")[0]
        return self.name if self.kind != "other" or " " in self.name else " ".join(plain_words(self.words)[:2])

    @property
    def is_look(self) -> bool:
        """Whether it changes nothing, and its failure is an answer."""
        return self.kind == "look"

    @property
    def is_check(self) -> bool:
        """Whether it is a run of tests, a build or a linter."""
        return self.kind in CHECKS


def parse(line: str) -> list[Command]:
    """Return the commands of a line in order; what a shell is given to run stands in its place."""
    if len(line) > _MAX_REMEMBERED_LINE:
        return _parsed(line, 0)
    if line not in _remembered:
        if len(_remembered) >= _MAX_REMEMBERED:
            _remembered.clear()
        _remembered[line] = _parsed(line, 0)
    return _remembered[line]


def main_of(line: str) -> Command | None:
    """Return the command that a line stands or falls with: its first check, or the last one that does something."""
    doers = [one for one in parse(line) if not one.is_look]
    return next((one for one in doers if one.is_check), doers[-1] if doers else None)


def most_telling(found: Sequence[Command]) -> Command | None:
    """Return the command that a line is shown as, None where there is none."""
    return min(found, key=lambda one: _RANKS[one.kind], default=None)


def only_looks(line: str) -> bool:
    """Whether a line changes nothing, as far as the names of its commands and its redirections say."""
    if any(path != "/dev/null" for one in shell.split(line) for path in one.writes):
        return False
    return all(one.is_look and one.name != "tee" and not _removes(one) for one in parse(line))


def only_answers(found: Sequence[Command]) -> bool:
    """Whether a failure of these commands is an answer, such as that nothing was found, and no error."""
    doers = [one for one in found if not is_a(one.name, "aside")]
    return bool(doers) and is_a(doers[-1].name, "answers")


def never_fails(command: Command) -> bool:
    """Whether the failure of a line is that of another command: this one has nothing to fail with."""
    forms = [form.partition(" -") for form in listed(TABLE, "never-fails")]
    return any(
        command.name == name and (not option or _fulfils(command.words, [f"-{option}"])) for name, _, option in forms
    )


def includes(wide: Command, narrow: Command) -> bool:
    """Whether a check runs all that another of its kind does: a task of the project without arguments."""
    if not wide.is_check or wide.kind != narrow.kind or not is_a(wide.words[0], "task-runner"):
        return False
    task, _, form = wide.name.partition(":")
    is_whole = " ".join(plain_words(wide.words)) == wide.name and (not form or is_a(form, "whole-form"))
    is_own = is_a(narrow.words[0], "task-runner") and narrow.name.partition(":")[0] != task
    return is_whole and not is_own and not any(word in narrow.text for word in listed(TABLE, "apart"))


def subject_of(commit: Command) -> str:
    """Return the first line of the message that a commit is given; nothing where it is given none."""
    for word, following in zip(commit.words, (*commit.words[1:], ""), strict=True):
        if word.startswith("--message="):
            following = word.partition("=")[2]
        elif word[:2] == "-m" and len(word) > 2:
            following = word[2:]
        elif word != "--message" and not (word[:1] == "-" and word[1:].isalpha() and word.endswith("m")):
            continue
        lines = [line.strip() for line in following.split("\n") if line.strip()]
        if lines and lines[0].startswith("$(cat <<"):
            lines = lines[1:]
        return lines[0] if lines else ""
    return ""


def is_a(word: str, kind: str) -> bool:
    """Whether a word is in one of the lists of the table."""
    known = _sets.get(kind)
    if known is None:
        known = _sets[kind] = among(TABLE, kind)
    return word in known


def _parsed(line: str, depth: int) -> list[Command]:
    found: list[Command] = []
    folder = ""
    parts = [one for one in shell.split(line) if any(one.words)]
    for number, part in enumerate(parts):
        words = unwrapped([word for word in part.words if word])
        if not words:
            continue
        # A sign that ends the line hides nothing, but for one that sends the command to the background.
        hidden = part.sign == "&" or (number < len(parts) - 1 and part.sign in _HIDING)
        carried = carried_line(words) if depth < _MAX_DEPTH else ""
        if carried:
            inner = _parsed(carried, depth + 1)
            found += [replace(one, text=part.text, is_hidden=one.is_hidden or hidden) for one in inner]
            continue
        folder = words[1] if words[0] == "cd" and len(words) > 1 else folder
        inline = bool(part.fed) or (is_a(words[0], "runner") and len(words) > 1 and is_a(words[1], "inline"))
        found.append(Command(_kind_of(words, inline), tuple(words), part.text, hidden, inline, folder))
    return found


def unwrapped(words: Sequence[str]) -> list[str]:
    """Return a command's words without variables and wrappers before it, its program without folder and version."""
    at, wrapper = 0, ""
    if not _wrapping:
        pairs = [pair.partition(" ")[0] for pair in listed(TABLE, "wrapper-of-two")]
        _wrapping.update([*listed(TABLE, "wrapper"), *listed(TABLE, "wrapper-with-value"), *pairs])
    while at < len(words):
        name = program(words[at])
        if name not in _wrapping and "=" not in words[at] and name[:1] != "-":
            return [name, *words[at + 1 :]]
        pair = f"{name} {words[at + 1]}" if at + 1 < len(words) else ""
        if shell.is_variable(words[at]):
            at += 1
        elif wrapper and name[:1] == "-":
            at += 2 if is_a(f"{wrapper} {name}", "wrapper-option") else 1
        elif is_a(pair, "wrapper-of-two") and at + 2 < len(words):
            at, wrapper = at + 2, pair
        elif is_a(name, "wrapper-with-value"):
            at += 1
            while at < len(words) and words[at][:1] == "-":
                at += 2 if is_a(f"{name} {words[at]}", "wrapper-option") else 1
            at, wrapper = at + 1, name
        elif is_a(name, "wrapper") and at + 1 < len(words) and not is_a(pair, "no-wrapper"):
            at, wrapper = at + 1, name
        else:
            return [name, *words[at + 1 :]]
    return []


def program(word: str) -> str:
    """Return the program that a word calls, without its folder and version."""
    name = word.rstrip("/").rpartition("/")[2] or word
    if "@" in name[1:]:
        name = name.partition("@")[0]
    for known in ("python", "pip"):
        if name.startswith(known) and not name[len(known) :].strip("0123456789."):
            return known
    return name


def carried_line(words: Sequence[str]) -> str:
    """Return the command line that a shell is given to run, nothing where this is no shell."""
    if not is_a(words[0], "shell"):
        return ""
    for number, word in enumerate(words[1:5], 1):
        if word[:1] == "-" and word[1:2] != "-" and word.endswith("c") and len(words) > number + 1:
            return words[number + 1]
    return ""


def plain_words(words: Sequence[str]) -> list[str]:
    """Return a program and those of its words that are neither options nor values of options before a sub-command."""
    found = [*words[:1]]
    passing = False
    for word in words[1:]:
        if passing:
            passing = False
        elif word[:1] and word[0] in "-+":
            passing = takes_value(words[0], word)
        elif words[0] != "make" or not shell.is_variable(word):
            found.append(word)
    return found


def are_options_known(name: str) -> bool:
    """Whether it is known which options of a program take a value: those of which one is in the table."""
    if not _sets.get("known-options"):
        _sets["known-options"] = frozenset([one.split()[0] for one in listed(TABLE, "option-with-value")])
    return name in _sets["known-options"]


def takes_value(name: str, option: str) -> bool:
    """Whether an option of a program is given a value behind a space."""
    return is_a(option, "option-with-value") or is_a(f"{name} {option}", "option-with-value")


def _name_of(words: Sequence[str]) -> str:
    """Return a program with its script or its sub-command, where it has one."""
    if is_a(words[0], "runner"):
        at = next((number for number, word in enumerate(words) if number and word[0] != "-"), 0)
        if at and "." in words[at]:
            script = words[at].rpartition("/")[2]
            sub = words[at + 1] if at + 1 < len(words) and is_a(script, "with-sub-command") else ""
            return f"{words[0]} {script} {sub if sub[:1].isalpha() else ''}".rstrip()
    name = [words[0]]
    most = 2 if is_a(words[0], "with-sub-command") else 1
    for word in plain_words(words)[1:]:
        if len(name) == most or word.isdigit() or not all(letter.isalnum() or letter in "-_:" for letter in word):
            break
        name.append(word)
        most += len(name) == 2 and is_a(word, "goes-on")
    return " ".join(name)


def _kind_of(words: list[str], is_inline: bool) -> Kind:
    if not among(TABLE, "tells-option").isdisjoint(words):
        return "look"
    script = words
    if len(words) > 1 and "/" in words[1] and is_a(words[0], "runner"):
        # A script of a known name is taken as if that were the program.
        name = program(words[1]).removesuffix(".js").removesuffix(".mjs").removesuffix(".py")
        script = [name, *words[2:]] if _longest([name])[1] not in (None, "look") else words
    plain = plain_words(script)
    length, kind = _longest(plain)
    if len(plain) < len(script):
        # With its options, more of a line may be known than without them.
        longer, other = _longest(script)
        kind = other if longer > length else kind
    if kind:
        return kind
    second = words[1] if len(words) > 1 and not is_a(words[0], "runner") else ""
    if is_a(second, "tells") or second.startswith(("list-", "show-")) or words[1:] == ["-V"]:
        return "look"
    if words[0] == "sed":
        return "other" if any(word.startswith(("-i", "--in-place")) for word in words) else "look"
    return _by_words(words[0] if is_inline else _name_of(words))


def _by_words(name: str) -> Kind:
    """Return the kind of check that a name speaks of: by how a part of it begins, or its last word: `run-tests.sh`."""
    for part in name.replace(":", " ").split():
        last = part.partition(".")[0].replace("_", "-").rpartition("-")[2]
        for kind in CHECKS:
            for entry in listed(TABLE, f"{kind}-word"):
                for word in (part, last):
                    rest = word.removeprefix(entry)
                    if rest != word and not rest.removeprefix("s")[:1].isalpha():
                        return kind
    return "other"


def _longest(words: Sequence[str]) -> tuple[int, Kind | None]:
    """Return how many words the longest entry has that a command begins with, and the kind of that entry."""
    if not _entries:
        for kind in reversed(KINDS):
            entries = listed(TABLE, kind)
            _entries.update(dict.fromkeys(entries, kind))
            _open_ended.update({entry[:-1]: kind for entry in entries if entry[-1] == "*"})
        _beginnings.append(tuple(_open_ended))
        _firsts.update([entry.partition(" ")[0] for entry in _entries])
    if not words or words[0] not in _firsts:
        return 0, None
    for length in range(min(len(words), _MAX_PATTERN), 0, -1):
        text = " ".join(words[:length])
        if text in _entries:
            return length, _entries[text]
        if text.startswith(_beginnings[0]):
            fitting = [one for one in _open_ended if text.startswith(one) and one.count(" ") == length - 1]
            if fitting:
                return length, _open_ended[max(fitting, key=len)]
    return 0, None


def is_known(program: str) -> bool:
    """Whether the table knows a program, whatever it does."""
    _longest([program])
    lists_of = ("with-sub-command", "runner", "shell", "wrapper", "changes", "changes-last")
    return program in _firsts or any(is_a(program, kind) for kind in lists_of)


def rules_of(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield each rule of the table that a command without wrappers fulfils, once: its group and its name.

    Groups are `destructive` and `secret`, and `removes`, which has no names.
    """
    if not _rules:
        for kind, listing in lists(f"{TABLES}/{TABLE}.txt").items():
            group, _, name = kind.partition(" ")
            if group in ("destructive", "secret", "removes"):
                _rules.extend([(group, name, form) for form in listing])
    program = words[0].rpartition("/")[2]
    forms = _forms.get(program)
    if forms is None:
        begins = program.partition(".")[0]
        # Most forms are about another program, which is told without taking them apart.
        split = [(group, name, form.split()) for group, name, form in _rules if begins in form]
        forms = [one for one in split if any(fits(program, each) for each in one[2][0].split("|"))]
        if len(_forms) < _MAX_REMEMBERED and len(program) <= _MAX_REMEMBERED_LINE:
            _forms[program] = forms
    seen = set()
    for group, name, form in forms:
        if (group, name) not in seen and _fulfils(words, form[1:]):
            seen.add((group, name))
            yield group, name


def removes(line: str) -> bool:
    """Whether a line has a command that takes something away, however little."""
    return any(_removes(one) for one in parse(line))


def _removes(command: Command) -> bool:
    words = [*command.words]
    spoken = f"{command.text}\n{' '.join(words)}".casefold()
    if any(statement in spoken for statement in listed(TABLE, "removes-by-statement")):
        return True
    within = [words[at + 1 :] for at, word in enumerate(words[:-1]) if word in ("-exec", "-execdir")]
    return any(group != "secret" for each in (words, *within) for group, _ in rules_of(each))


def _fulfils(words: Sequence[str], form: list[str]) -> bool:
    """Whether a command has what a form asks for: its sub-commands in order, the rest anywhere."""
    plain = plain_words(words)[1:]
    for wanted in form:
        if wanted[0] == "!":
            if any(is_option(word, wanted[1:]) for word in words[1:]):
                return False
            continue
        either = wanted.split("|")
        if wanted[0] in "-+:" or "=" in wanted or either[0] in (".", "/"):
            if not any(is_option(word, one) for word in words[1:] for one in either):
                return False
        elif not plain or not any(fits(plain[0], one) for one in either):
            # A word of an option and a plain one may be asked for together: `777` behind `-R`.
            if not (wanted[0].isdigit() and any(word in either for word in words[1:])):
                return False
        else:
            plain.pop(0)
    return True


def is_option(word: str, wanted: str) -> bool:
    """Whether a word is an option: as it stands, with a value but `false`, within a bundle, or by a `*` in the wish.

    `-?` is any short option.
    """
    if wanted == "-?":
        return word[:1] == "-" and word[1:2] not in ("", "-")
    if "*" in wanted:
        return fits(word, wanted)
    if wanted[:1] == "-" == word[:1] and len(wanted) > _MAX_BUNDLE and word[:2] != wanted[:2]:
        # Some programs take `-auto-approve` and `--auto-approve`.
        word, wanted = f"--{word.lstrip('-')}", f"--{wanted.lstrip('-')}"
    # Some programs have one dash before a long option: `-target=x`.
    if word == wanted or (len(wanted) > _MIN_LONG and wanted[:1] == "-" and word.startswith(f"{wanted}=")):
        # What is switched off is not given.
        return word != f"{wanted}=false"
    bundled = len(wanted) == 2 and wanted[0] == "-" and word[:1] == "-" and word[1:].isalpha()
    return bundled and wanted[1] in word[1:]


def fits(text: str, pattern: str) -> bool:
    """Whether a text fits a pattern in which `*` stands for anything."""
    if "*" not in pattern:
        return text == pattern
    first, *middle, last = pattern.split("*")
    if len(text) < len(first) + len(last) or not (text.startswith(first) and text.endswith(last)):
        return False
    at = len(first)
    for piece in middle:
        at = text.find(piece, at, len(text) - len(last))
        if at < 0:
            return False
        at += len(piece)
    return True


def shown(line: str) -> str:
    """Return a line on one line, without what only cuts its output short."""
    text = " ".join(line[: shell.MAX_LINE // 2].split())
    while True:
        head, bar, tail = text.rpartition("|")
        is_whole = head.count('"') % 2 == 0 and head.count("'") % 2 == 0 and head[-1:] != "|"
        if not bar or not is_whole or not is_a((tail.split() or [""])[0], "cutting"):
            return text.removesuffix("2>&1").rstrip()
        text = head.rstrip()
