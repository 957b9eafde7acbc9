"""What a shell command is: a run of tests, a build, a commit, a look around. The lists are in `words/commands.txt`.

What is not in them is `other`. A wrong guess costs a wrong line in a digest, nothing more.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from holdfast.base.light_records import dataclass
from holdfast.sessions.shell_line import MAX_COMMANDS, split
from holdfast.sessions.vocabulary import words
from holdfast.sessions.wording import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# The kinds, the first that fits wins; then `other`.
KINDS = ("test", "lint", "format", "install", "commit", "push", "pr", "merge", "deploy", "look", "build")
CHECKS = ("test", "build", "lint")
# Of the commands of one line the one that it was run for, the most telling first.
_TELLING = (*CHECKS, "pr", "push", "commit", "deploy", "merge", "install", "other", "format", "look")
_RANK = {kind: rank for rank, kind in enumerate(_TELLING)}
_LONGEST = 6_000
# Command lines that come again and again are short, and only those are remembered.
_REMEMBERED = 1_024
_LONGEST_REMEMBERED = 300
_DEEPEST = 3
_SHOWN = 240
_TAIL = 2_000
_END = 300
_SHORT = 800
# The count of what passed and failed is the last thing that a check prints.
_SUM = 400
# After these signs the exit of a line says nothing about the command before.
_HIDING = ("|", "|&", "||", ";", "&", "\n")
_VERSIONED = re.compile(r"^(python|pip)\d[\d.]*$")
_ASSIGNED = re.compile(r"[A-Za-z_]\w*\+?=")
_EXIT = re.compile(
    r"""(?:^[\W_]{0,12}(?:process |command |shell )?|["'])exit(?:ed)?[ _-]?(?:with )?"""
    r"""(?:status|code)["']?[ :=]{1,3}(-?\d{1,6})""",
    re.IGNORECASE | re.MULTILINE,
)
_COMMIT = re.compile(r"^\[([^\]\n]{1,120}?) ([0-9a-f]{7,40})\] (.*)$", re.MULTILINE)
_MESSAGE = re.compile(
    r"""(?:\s-[a-z]*m|--message)[= ]?\s*(?:"\$\(cat <<-?\s*['"]?\w+['"]?\n\s*([^\n]+)|"([^"\n]+)|'([^'\n]+))"""
)
_PULL_REQUEST = re.compile(
    r"https?://(?:[^\s/@]*@)?([^\s/@]+/[^\s?#]{1,200}?/(?:pull|merge_requests|pull-requests|pullrequest)/\d+)"
)


@dataclass(frozen=True, slots=True)
class Part:
    """One command of a line: its kind, the words it was known by, its text, whether the line's exit is not its own."""

    kind: str
    name: str
    text: str
    hidden: bool = False


def parts(command: str) -> list[Part]:
    """Return the commands of a line in order, those that a shell inside it runs in its place."""
    return list(_remembered(command) if len(command) <= _LONGEST_REMEMBERED else _parts(command, 0))


@lru_cache(_REMEMBERED)
def _remembered(command: str) -> tuple[Part, ...]:
    return tuple(_parts(command, 0))


def _parts(command: str, depth: int) -> list[Part]:
    found: list[Part] = []
    for line_words, text, end in split(command[:_LONGEST]):
        line = _without_wrappers(line_words)
        inner = _carried(line)
        # The text is as it was written: words without their quotes might join what stood apart, a secret for example.
        text, hidden = one_line(text, _SHOWN), end in _HIDING
        if inner and depth < _DEEPEST:
            found += [Part(one.kind, one.name, text, one.hidden or hidden) for one in _parts(inner, depth + 1)]
        elif line:
            found.append(Part(*_known(line), text, hidden))
    if depth == 0 and found and found[-1].hidden and not command.rstrip(" \n;").endswith(("&", "|")):
        # A sign that ends the line hides nothing, for no other command comes after it.
        last = found[-1]
        found[-1] = Part(last.kind, last.name, last.text, False)
    return found[:MAX_COMMANDS]


def main_of(found: list[Part]) -> Part | None:
    """Return the command that a line was run for, None where there is none."""
    if len(found) == 1:
        return found[0]
    return min(found, key=lambda part: _RANK[part.kind], default=None)


def result_of(part: Part, output: str, failed: bool, is_last: bool = True) -> str:
    """Return how a check ended, one of `facts.RESULTS`, by the exit of its line and what the output says.

    Where it is not the last command of its line, the line may have failed for another.
    """
    exit_code = exit_of(output)
    if exit_code == 0 and not failed and not part.hidden:
        return "passed"
    told = _told(output[-_TAIL:])
    if told != "passed" and _never_ran(output):
        return "unknown"
    if failed or exit_code:
        return "failed" if is_last and not part.hidden else told or "unknown"
    if told:
        return told
    return "unknown" if part.hidden or (part.kind == "test" and not output.strip()) else "passed"


def _never_ran(output: str) -> bool:
    """Whether a short output says that there was nothing to run, and counts nothing."""
    lowered = output.casefold() if len(output) <= _SHORT else ""
    return any(mark in lowered for mark in words("commands")["never-ran"]) and not _count("failed", _SOME).search(
        output
    )


def exit_of(output: str) -> int | None:
    """Return the exit code that an output states at its beginning or end, None where it states none."""
    for end in (output[:_END], output[-_END:] if len(output) > _END else ""):
        # Looking for three letters first spares most outputs the search.
        if ("xit" in end or "XIT" in end) and (found := _EXIT.search(end)):
            return int(found[1])
    return None


def only_answers(found: list[Part]) -> bool:
    """Whether a failure of these commands is an answer, such as that nothing was found, and no error."""
    doers = [part for part in found if part.name not in ("cd", "echo", "pushd", "export", "set")]
    return bool(doers) and doers[-1].name in words("commands")["answers"]


def committed(command: str, output: str, failed: bool) -> list[tuple[str, str]]:
    """Return id and subject of the commits that a line with a commit in it made."""
    output = output if len(output) <= _LONGEST + _TAIL else f"{output[:_LONGEST]}\n{output[-_TAIL:]}"
    found = [(match[2], match[3]) for match in _COMMIT.finditer(output)]
    lowered = output.casefold()
    if found or failed or any(mark in lowered for mark in words("commands")["nothing-committed"]):
        return found
    subject = _MESSAGE.search(command[:_LONGEST])
    return [("", next((one.strip() for one in subject.groups() if one), "") if subject else "")]


def pushed(output: str, failed: bool) -> bool:
    """Whether a line with a push in it pushed something."""
    lowered = output[:_LONGEST].casefold()
    return not failed and not any(mark in lowered for mark in words("commands")["not-pushed"])


def pull_requests(output: str) -> list[str]:
    """Return the addresses of pull requests in an output, without who asked."""
    ends = output if len(output) <= 2 * _TAIL else f"{output[:_TAIL]}\n{output[-_TAIL:]}"
    return list(dict.fromkeys(f"https://{found}" for found in _PULL_REQUEST.findall(ends)))[:5]


class _Lists:
    """The lists of `words/commands.txt` by what they are asked for."""

    def __init__(self) -> None:
        lists = words("commands")
        self.shells = frozenset(lists["shells"])
        self.only_tells = frozenset(lists["only-tells"])
        self.runs_script = frozenset(lists["runs-script"])
        self.value_options = frozenset(lists["value-option"])
        self.wrappers_with_value = frozenset(lists["wrapper-with-value"])
        self.wrappers: dict[str, list[list[str]]] = {}
        for wrapper in lists["wrapper"]:
            self.wrappers.setdefault(wrapper.split()[0], []).append(wrapper.split())
        self.exact: dict[tuple[str, ...], str] = {}
        self.open_ended: dict[str, list[tuple[list[str], str, str]]] = {}
        for kind in reversed(KINDS):
            for pattern in lists[kind]:
                wanted = pattern.split()
                if pattern.endswith("*"):
                    self.open_ended.setdefault(wanted[0], []).append((wanted, kind, pattern))
                else:
                    self.exact[tuple(wanted)] = kind
        self.firsts = {first for first, *_ in self.exact} | self.open_ended.keys()


_lists = cache(_Lists)


def _without_wrappers(line: list[str]) -> list[str]:
    """Return the words without variables, wrappers and options before the command, and its path taken off."""
    lists, at = _lists(), 0
    while at < len(line):
        name = _program(line[at])
        if name[0] == "-" or ("=" in name and _ASSIGNED.match(name)):
            at += 2 if name in lists.value_options else 1
        elif name in lists.wrappers_with_value:
            at += 1
            while at < len(line) and line[at].startswith("-"):
                at += 2 if line[at] in lists.value_options else 1
            at += 1
        elif length := _wrapper_length(name, line, at):
            at += length
        else:
            return [name, *line[at + 1 :]]
    return []


def _program(word: str) -> str:
    """Return the name of a program without its folder, and of an interpreter without its version."""
    if "/" in word or word[0] == "(":
        word = word.lstrip("(").rstrip("/").rpartition("/")[2] or word
    return _VERSIONED.sub(r"\1", word) if word[0] == "p" else word


def _wrapper_length(name: str, line: list[str], at: int) -> int:
    """Return how many words of a line are a wrapper around the command behind it."""
    fitting = _lists().wrappers.get(name)
    if fitting is None:
        return 0
    fitting = [one for one in fitting if line[at + 1 : at + len(one)] == one[1:]]
    return max((len(one) for one in fitting if len(line) - at > len(one)), default=0)


def _carried(line: list[str]) -> str:
    """Return the command line that a shell is given to run, nothing where this is no shell."""
    if not line or line[0] not in _lists().shells:
        return ""
    for number, word in enumerate(line[1:4], 1):
        if re.fullmatch(r"-[a-z]*c", word):
            return line[number + 1] if number + 1 < len(line) else ""
    return ""


def _known(line: list[str]) -> tuple[str, str]:
    """Return the kind of a command and the words that it is known by."""
    line = _script(line)
    bare = _without_options(line)
    kind, name = _longest(bare)
    if bare != line[:_LONGEST_PATTERN]:
        # With its options, more of a line may be known than without them.
        other_kind, other_name = _longest(line)
        if len(other_name.split()) > len(name.split()):
            kind, name = other_kind, other_name
    if kind:
        return (kind if _lists().only_tells.isdisjoint(line) else "look"), name
    return "other", " ".join(bare[:2])


# No entry of the lists has more words.
_LONGEST_PATTERN = 4


def _longest(line: list[str]) -> tuple[str, str]:
    """Return kind and words of the longest entry that a line begins with, nothing where there is none."""
    lists = _lists()
    if line[0] not in lists.firsts:
        return "", ""
    best = ("", "")
    for length in range(min(_LONGEST_PATTERN, len(line)), 0, -1):
        kind = lists.exact.get(tuple(line[:length]))
        if kind:
            best = (kind, " ".join(line[:length]))
            break
    for wanted, kind, pattern in lists.open_ended.get(line[0], ()):
        if len(wanted) > len(best[1].split()) and _fits(wanted, line):
            best = (kind, pattern)
    return best


def _script(line: list[str]) -> list[str]:
    """Return a line that runs a script of a known name as if that were the command, any other as it is."""
    if len(line) > 1 and "/" in line[1] and line[0] in _lists().runs_script:
        name = _program(line[1]).removesuffix(".js").removesuffix(".mjs").removesuffix(".py")
        if name and _longest([name])[0]:
            return [name, *line[2:]]
    return line


def _without_options(line: list[str]) -> list[str]:
    """Return the first words that are no options, as many as an entry can have."""
    bare: list[str] = []
    passed = False
    for word in line:
        if passed:
            passed = False
        elif word[0] in "-+" and bare:
            passed = len(bare) == 1 and word in _lists().value_options
        else:
            bare.append(word)
            if len(bare) == _LONGEST_PATTERN:
                break
    return bare


def _fits(wanted: list[str], given: list[str]) -> bool:
    """Whether a line begins with these words, of which the last may go on."""
    last = len(wanted) - 1
    return len(given) > last and given[:last] == wanted[:last] and given[last].startswith(wanted[last][:-1])


# The letters that a pattern which minds no capitals takes for plain ones, and `lower` does not.
_ODD = "\u0130\u0131\u017f\u212a"
_SOME = r"[1-9]\d{0,6}"


@cache
def _ending(kind: str) -> tuple[re.Pattern[str], tuple[str, ...]]:
    """Return how an output says that a check ended so, and texts of which it must have one to say it."""
    counts, starts = words("commands")[f"{kind}-count"], words("commands")[f"{kind}-line"]
    counted, begins = _count(kind, _SOME).pattern, "|".join(re.escape(line) for line in starts)
    pattern = re.compile(rf"{counted}|^[ \t]*(?:{begins})(?!\w)", re.IGNORECASE | re.MULTILINE)
    needed = {text.lower() for text in (*counts, *starts)}
    return pattern, tuple(one for one in needed if not any(other in one for other in needed - {one}))


def _told(tail: str) -> str:
    """Return how a check ended by what it printed last, nothing where that does not say."""
    for kind in ("failed", "passed"):
        pattern, needed = _ending(kind)
        looked_at = (tail,) if any(letter in tail for letter in _ODD) else _lines_with(tail, needed)
        if any(pattern.search(line) for line in looked_at):
            return "passed" if kind == "failed" and _sums_up_well(tail) else kind
    return ""


@cache
def _count(kind: str, number: str) -> re.Pattern[str]:
    """Return how an output counts what ended so, with a number like this one."""
    counted = "|".join(words("commands")[f"{kind}-count"])
    return re.compile(
        rf"(?<![\d.])(?:{number}) (?:tests? |checks? |suites? )?(?:{counted})\b"
        rf"|(?:\b(?:{counted})[:=] ?|# (?:{counted}) )(?:{number})\b",
        re.IGNORECASE,
    )


def _sums_up_well(tail: str) -> bool:
    """Whether the count at the end is one of successes only: tests print errors too that they expect.

    Either it says itself that none failed, or no failure is counted anywhere and nothing fails behind it.
    """
    end = tail[-_SUM:]
    passed, some = _count("passed", _SOME), _count("failed", _SOME)
    if not passed.search(end):
        return False
    failed, zero = _ending("failed")[0], list(_count("failed", "0").finditer(end))[-1:]
    if zero:
        before, behind = end[: zero[0].start()], end[zero[0].end() :]
        said = "".join(before.splitlines(keepends=True)[-2:]) + "\n".join(behind.split("\n", 2)[:2])
        return passed.search(said) is not None and not some.search(said) and not failed.search(behind)
    last = list(failed.finditer(tail))[-1:]
    return bool(last) and not some.search(tail) and passed.search(tail, last[0].end()) is not None


def _lines_with(text: str, wanted: tuple[str, ...]) -> Iterator[str]:
    """Yield the lines that have one of these in them, in any case; the pattern is too slow for all of them."""
    lowered = text.lower()
    for one in wanted:
        at = lowered.find(one)
        while at >= 0:
            end = lowered.find("\n", at)
            end = len(text) if end < 0 else end
            yield text[lowered.rfind("\n", 0, at) + 1 : end]
            at = lowered.find(one, end)
