"""How the commands of a session ended, by the exit of their line and what they printed: checks, commits, pushes.

The words are in `words/results.txt`. A wrong guess costs a wrong line in a digest, nothing more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from holdfast.language.commands import Command, parse, subject_of
from holdfast.language.word_lists import lists

_WORDS = __file__.rpartition("/")[0] + "/words/results.txt"
_LONGEST = 6_000
_TAIL = 2_000
_END = 300
_SHORT = 800
# The count of what passed and failed is the last thing that a check prints.
_SUM = 400
_EXIT = re.compile(
    r"""(?:^[\W_]{0,12}(?:process |command |shell )?|["'])exit(?:ed)?[ _-]?(?:with )?"""
    r"""(?:status|code)["']?[ :=]{1,3}(-?\d{1,6})""",
    re.IGNORECASE | re.MULTILINE,
)
_COMMIT = re.compile(r"^\[([^\]\n]{1,120}?) ([0-9a-f]{7,40})\] (.*)$", re.MULTILINE)
_PULL_REQUEST = re.compile(
    r"https?://(?:[^\s/@]*@)?([^\s/@]+/[^\s?#]{1,200}?/(?:pull|merge_requests|pull-requests|pullrequest)/\d+)"
)


def result_of(check: Command, output: str, failed: bool, is_last: bool = True) -> str:
    """Return how a check ended, one of `facts.RESULTS`, by the exit of its line and what the output says.

    Where it is not the last command of its line, the line may have failed for another.
    """
    exit_code = exit_of(output)
    if exit_code == 0 and not failed and not check.is_hidden:
        return "passed"
    told = _told(output[-_TAIL:])
    if told != "passed" and _never_ran(output):
        return "unknown"
    if failed or exit_code:
        return "failed" if is_last and not check.is_hidden else told or "unknown"
    if told:
        return told
    return "unknown" if check.is_hidden or (check.kind == "test" and not output.strip()) else "passed"


def _never_ran(output: str) -> bool:
    """Whether a short output says that there was nothing to run, and counts nothing."""
    lowered = output.casefold() if len(output) <= _SHORT else ""
    has_mark = any(mark in lowered for mark in lists(_WORDS)["never-ran"])
    return has_mark and not _count("failed", _SOME).search(output)


def exit_of(output: str) -> int | None:
    """Return the exit code that an output states at its beginning or end, None where it states none."""
    for end in (output[:_END], output[-_END:] if len(output) > _END else ""):
        # Looking for three letters first spares most outputs the search.
        if ("xit" in end or "XIT" in end) and (found := _EXIT.search(end)):
            return int(found[1])
    return None


def committed(command: str, output: str, failed: bool) -> list[tuple[str, str]]:
    """Return id and subject of the commits that a line with a commit in it made."""
    output = output if len(output) <= _LONGEST + _TAIL else f"{output[:_LONGEST]}\n{output[-_TAIL:]}"
    found = [(match[2], match[3]) for match in _COMMIT.finditer(output)]
    lowered = output.casefold()
    if found or failed or any(mark in lowered for mark in lists(_WORDS)["nothing-committed"]):
        return found
    subjects = [subject_of(one) for one in parse(command) if one.kind == "commit"]
    return [("", subjects[0] if subjects else "")]


def pushed(output: str, failed: bool) -> bool:
    """Whether a line with a push in it pushed something."""
    lowered = output[:_LONGEST].casefold()
    return not failed and not any(mark in lowered for mark in lists(_WORDS)["not-pushed"])


def pull_requests(output: str) -> list[str]:
    """Return the addresses of pull requests in an output, without who asked."""
    ends = output if len(output) <= 2 * _TAIL else f"{output[:_TAIL]}\n{output[-_TAIL:]}"
    return list(dict.fromkeys(f"https://{found}" for found in _PULL_REQUEST.findall(ends)))[:5]


# The letters that a pattern which minds no capitals takes for plain ones, and `lower` does not.
_ODD = "\u0130\u0131\u017f\u212a"
_SOME = r"[1-9]\d{0,6}"


@cache
def _ending(kind: str) -> tuple[re.Pattern[str], tuple[str, ...]]:
    """Return how an output says that a check ended so, and texts of which it must have one to say it."""
    counts, starts = lists(_WORDS)[f"{kind}-count"], lists(_WORDS)[f"{kind}-line"]
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
    counted = "|".join(lists(_WORDS)[f"{kind}-count"])
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
