"""What a shell command is: a run of tests, a build, a commit, a look around. The lists are in `words/commands.txt`.

A command line is taken apart at `&&`, `||`, `;`, `|` and line ends outside of quotes and here-documents. This is no
shell: what it cannot understand is `other`, and a wrong guess costs a wrong line in a digest, nothing more.
"""

from __future__ import annotations

import re

from holdfast.light import dataclass, replace
from holdfast.sessions.vocabulary import words
from holdfast.sessions.wording import one_line

# The kinds, the first that fits wins; then `other`.
KINDS = ("test", "lint", "format", "install", "commit", "push", "pr", "merge", "deploy", "look", "build")
CHECKS = ("test", "build", "lint")
# Of the commands of one line the one that it was run for, the most telling first.
_TELLING = (*CHECKS, "pr", "push", "commit", "deploy", "merge", "install", "other", "format", "look")
_MOST_PARTS = 24
_MOST_WORDS = 40
_LONGEST = 6_000
_DEEPEST = 3
_SHOWN = 240
_TAIL = 2_000
_END = 300
# After these signs the exit of a line says nothing about the command before.
_HIDING = ("|", "|&", "||", ";", "&", "\n")
_TOKEN = re.compile(
    r"""(?P<here><<-?\s*(?P<q>['"]?)(?P<tag>\w+)(?P=q))"""
    r"""|(?P<end>&&|\|\|?&?|;+|\n|(?<![<>&\d])&(?![>&\d]))|(?P<space>[ \t\r]+|\\\n)|(?P<comment>(?<!\S)\#[^\n]*)"""
    r"""|(?P<single>'[^']*(?:'|\Z))|(?P<double>"(?:[^"\\]|\\.)*(?:"|\Z))|(?P<other>\\.|[^'"\s;&|\\<]+|.)""",
    re.DOTALL,
)
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


def parts(command: str, depth: int = 0) -> list[Part]:
    """Return the commands of a line in order, those that a shell inside it runs in its place."""
    found: list[Part] = []
    for line_words, text, end in _split(command[:_LONGEST]):
        line = _without_wrappers(line_words)
        inner = _carried(line)
        # The text is as it was written: words without their quotes might join what stood apart, a secret for example.
        text, hidden = one_line(text, _SHOWN), end in _HIDING
        if inner and depth < _DEEPEST:
            found += [replace(part, text=text, hidden=part.hidden or hidden) for part in parts(inner, depth + 1)]
        elif line:
            found.append(Part(*_known(line), text, hidden))
    if found and not command.rstrip(" \n;").endswith(("&", "|")):
        # A sign that ends the line hides nothing, for no other command comes after it.
        found[-1] = replace(found[-1], hidden=False) if depth == 0 else found[-1]
    return found[:_MOST_PARTS]


def main_of(found: list[Part]) -> Part | None:
    """Return the command that a line was run for, None where there is none."""
    return min(found, key=lambda part: _TELLING.index(part.kind), default=None)


def result_of(part: Part, output: str, failed: bool, is_last: bool = True) -> str:
    """Return how a check ended, one of `facts.RESULTS`, by the exit of its line and what the output says.

    Where it is not the last command of its line, the line may have failed for another.
    """
    exit_code = exit_of(output)
    if exit_code == 0 and not failed and not part.hidden:
        return "passed"
    told = _told(output[-_TAIL:])
    if failed or exit_code:
        return "failed" if is_last and not part.hidden else told or "unknown"
    if told:
        return told
    return "unknown" if part.hidden or (part.kind == "test" and not output.strip()) else "passed"


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
    found = [(match[2], match[3]) for match in _COMMIT.finditer(output[:_LONGEST])]
    lowered = output[:_LONGEST].casefold()
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


class _Line:
    """A command line being taken apart."""

    def __init__(self, command: str) -> None:
        self.command = command
        self.found: list[tuple[list[str], str, str]] = []
        self.words: list[str] = []
        self.word = ""
        self.start = 0
        self.here = ""

    def end_word(self) -> None:
        """Put the word away that was being read."""
        if self.word:
            self.words.append(self.word)
            self.word = ""

    def end_command(self, at: int, sign: str) -> None:
        """Put the command away that ends here by that sign."""
        self.end_word()
        if self.words:
            self.found.append((self.words[:_MOST_WORDS], self.command[self.start : at], sign))
        self.words = []


def _split(command: str) -> list[tuple[list[str], str, str]]:
    """Return the words of each command of a line, its text, and the sign that ends it."""
    line = _Line(command)
    at = 0
    while at < len(command) and len(line.found) < _MOST_PARTS:
        match = _TOKEN.match(command, at)
        if match is None:
            break
        if match["end"]:
            line.end_command(at, match[0])
            at = match.end()
            if match[0] == "\n" and line.here:
                at, line.here = _behind(command, at, line.here), ""
            line.start = at
            continue
        if match["here"]:
            line.here = match["tag"]
        elif match["space"] or match["comment"]:
            line.end_word()
        else:
            line.word += _unquoted(match[0], match.lastgroup or "")
        at = match.end()
    line.end_command(at, "")
    return line.found


def _behind(command: str, at: int, tag: str) -> int:
    """Return where the here-document ends that begins here and is closed by a line of its tag."""
    close = re.compile(rf"^[ \t]*{re.escape(tag)}[ \t]*$", re.MULTILINE).search(command, at)
    return close.end() if close else len(command)


def _unquoted(text: str, kind: str) -> str:
    if kind in ("single", "double"):
        return text[1:].removesuffix(text[0]) or " "
    return text[1:] if len(text) == 2 and text[0] == "\\" else text.strip("(){}") if text in "(){}" else text


def _without_wrappers(line: list[str]) -> list[str]:
    """Return the words without variables, wrappers and options before the command, and its path taken off."""
    lists = words("commands")
    while line:
        line = [_program(line[0]), *line[1:]]
        length = _wrapper_length(line)
        if _ASSIGNED.match(line[0]) or line[0].startswith("-"):
            line = line[2:] if line[0] in lists["value-option"] else line[1:]
        elif line[0] in lists["wrapper-with-value"]:
            rest = line[1:]
            while rest and rest[0].startswith("-"):
                rest = rest[2:] if rest[0] in lists["value-option"] else rest[1:]
            line = rest[1:]
        elif length:
            line = line[length:]
        else:
            return line
    return []


def _program(word: str) -> str:
    """Return the name of a program without its folder, and of an interpreter without its version."""
    name = word.lstrip("(").rstrip("/").rpartition("/")[2] or word
    return _VERSIONED.sub(r"\1", name)


def _carried(line: list[str]) -> str:
    """Return the command line that a shell is given to run, nothing where this is no shell."""
    if not line or line[0] not in words("commands")["shells"]:
        return ""
    for number, word in enumerate(line[1:4], 1):
        if re.fullmatch(r"-[a-z]*c", word):
            return line[number + 1] if number + 1 < len(line) else ""
    return ""


def _known(line: list[str]) -> tuple[str, str]:
    """Return the kind of a command and the words that it is known by."""
    line = _script(line)
    bare = _without_options(line)
    found = max((_longest(bare), _longest(line)), key=lambda one: len(one[1].split()))
    if found[0]:
        return ("look" if any(word in line for word in words("commands")["only-tells"]) else found[0]), found[1]
    return "other", " ".join(bare[:2])


_exact: dict[tuple[str, ...], str] = {}
_open_ended: dict[str, list[tuple[list[str], str, str]]] = {}
_wrappers: dict[str, list[list[str]]] = {}
_LONGEST_PATTERN = 4


def _longest(line: list[str]) -> tuple[str, str]:
    """Return kind and words of the longest entry that a line begins with, nothing where there is none."""
    if not _exact:
        _index()
    best = ("", "")
    for length in range(min(_LONGEST_PATTERN, len(line)), 0, -1):
        kind = _exact.get(tuple(line[:length]))
        if kind:
            best = (kind, " ".join(line[:length]))
            break
    for wanted, kind, pattern in _open_ended.get(line[0], ()):
        if len(wanted) > len(best[1].split()) and _fits(wanted, line):
            best = (kind, pattern)
    return best


def _index() -> None:
    for kind in reversed(KINDS):
        for pattern in words("commands")[kind]:
            wanted = pattern.split()
            if pattern.endswith("*"):
                _open_ended.setdefault(wanted[0], []).append((wanted, kind, pattern))
            else:
                _exact[tuple(wanted)] = kind


def _wrapper_length(line: list[str]) -> int:
    """Return how many words of a line are a wrapper around the command behind it."""
    if not _wrappers:
        for wrapper in words("commands")["wrapper"]:
            _wrappers.setdefault(wrapper.split()[0], []).append(wrapper.split())
    fitting = [one for one in _wrappers.get(line[0], ()) if line[: len(one)] == one]
    return max((len(one) for one in fitting if len(line) > len(one)), default=0)


def _script(line: list[str]) -> list[str]:
    """Return a line that runs a script of a known name as if that were the command, any other as it is."""
    if len(line) > 1 and "/" in line[1] and line[0] in words("commands")["runs-script"]:
        name = _program(line[1]).removesuffix(".js").removesuffix(".mjs").removesuffix(".py")
        if _longest([name])[0]:
            return [name, *line[2:]]
    return line


def _without_options(line: list[str]) -> list[str]:
    bare: list[str] = []
    passed = False
    for word in line:
        if passed:
            passed = False
        elif word.startswith(("-", "+")) and bare:
            passed = word in words("commands")["value-option"] and len(bare) == 1
        else:
            bare.append(word)
    return bare


def _fits(wanted: list[str], given: list[str]) -> bool:
    """Whether a line begins with these words, of which the last may go on."""
    last = len(wanted) - 1
    return len(given) > last and given[:last] == wanted[:last] and given[last].startswith(wanted[last][:-1])


_told_by: dict[str, re.Pattern[str]] = {}


def _told(tail: str) -> str:
    """Return how a check ended by what it printed last, nothing where that does not say."""
    if not _told_by:
        for ending in ("failed", "passed"):
            counted = "|".join(words("commands")[f"{ending}-count"])
            begins = "|".join(re.escape(line) for line in words("commands")[f"{ending}-line"])
            _told_by[ending] = re.compile(
                rf"(?<![\d.])[1-9]\d{{0,6}} (?:tests? |checks? |suites? )?(?:{counted})\b"
                rf"|(?:\b(?:{counted})[:=] ?|# (?:{counted}) )[1-9]\d{{0,6}}\b|^[ \t]*(?:{begins})(?!\w)",
                re.IGNORECASE | re.MULTILINE,
            )
    return next((ending for ending in ("failed", "passed") if _told_by[ending].search(tail)), "")
