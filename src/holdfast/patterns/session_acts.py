"""A session as extractors of signals see it: its events, or only its digest, brought into the words of `patterns`.

What is not the agent's work or the person's own words is left out here, once for all extractors: injected text, our own
text and the calls of a memory, summaries, the tasks of sub-agents, and what a program typed in a person's place.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import chain

from holdfast.base.structs import replace
from holdfast.base.text import hash_of, one_line
from holdfast.language import commands, failures, shell, tools, triggers
from holdfast.language.error_classes import class_in
from holdfast.language.likeness import FEWEST, words_of
from holdfast.language.word_lists import lists
from holdfast.learning.lessons.categories import takes_back, tells_off
from holdfast.patterns.clusters import SMALL_WORDS
from holdfast.patterns.signal_files import ASK, OVERFLOW, SeenSession, SessionAct
from holdfast.privacy import speech
from holdfast.records import Session, SessionEvent
from holdfast.sessions import check_results
from holdfast.sessions.facts import CommandRun, Digest, Trouble
from holdfast.sessions.quotes import sayings

_MAX_TEXT = 160
_MAX_REMARK = 240
# A request that is made again and again is short.
_MAX_ASK = 25
# A short message is about one thing, and says in one sentence what is wrong and in the next what is wanted.
_SHORT_MESSAGE = 240
# Our own program, whose output is no evidence.
_OURS = "holdfast"
_INTERRUPTED = ("[request interrupted", "aborted by user", "interrupted by user")
# So much of the end of an output is searched for the test that failed.
_END = 8_000
_MAX_TEST = 200
_FAILING = re.compile(
    r"^[ \t]*(?:FAILED[ \t]+|--- FAIL: |FAIL:?[ \t]+|[●✗✘×][ \t]+|\(fail\)[ \t]+|not ok \d+ - )(?P<test>\S.*)$"
    r"|^test (?P<rust>\S+) \.\.\. FAILED$",
    re.MULTILINE,
)
# How long it took, and what the test said, differ from time to time.
_BEHIND = re.compile(r" - .*$|[ \t]*[\[(]?\d[\d.]*m?s[\])]?$")
# What a look-up looks for: the help of a command, a word in the files, the names in a folder. Looking at what changes,
# such as `git status`, is no look-up; nor is the top of a project, where everybody begins.
MAX_OF_A_CALL = 5
_SHORTEST = 3
_MAX_TERM = 60
_HELP = ("--help", "-h", "help", "-help")
_SEARCHES = ("grep", "egrep", "fgrep", "rg", "ag", "ack", "git grep")
_LISTS = ("ls", "tree")
# Options of search programs that take the next word; the one that stands for the term itself is apart.
_WITH_VALUE = ("-A", "-B", "-C", "-g", "-m", "-t", "-f", "--glob", "--include", "--exclude", "--type", "--max-count")
_TERM = ("-e", "--regexp")
_ALTERNATIVES = re.compile(r"\\?\|")
_SIGNS = re.compile(r"\\[bBswdn]|[\\^$*+?()\[\]{}.]+")
_NAME = re.compile(r"[a-z][A-Z]|[_.:/-]|\d|[A-Z]{3}")
_WORD = re.compile(r"(?:[^\W_]|[-_.:@])+")
_TOP = ("", ".", "./", "..", "/", "~", "*")
_PATTERN_KEYS = ("pattern", "query", "regex", "search", "search_term")


def seen(digest: Digest, events: Sequence[SessionEvent]) -> SeenSession:
    """Return a session with all its acts."""
    session = digest.session
    acts = [act for event in check_results.as_they_ended(events) if (act := _act(event, session)) is not None]
    said = () if session.is_subagent else tuple(corrections(events))
    return _seen(session, tuple(acts), said)


def seen_in_digest(digest: Digest) -> SeenSession:
    """Return what the digest of a session tells when its events are gone: less, and nothing that it does not say."""
    session = digest.session
    changed = {one.path for one in digest.files}
    troubles = [one for one in digest.troubles if _OURS not in one.about.split()]
    acts = [*(_of_trouble(one, changed, session.ended) for one in troubles), *_of_checks(digest.checks)]
    for file in digest.files:
        act = SessionAct("edit", file.place, file.line, session.ended, result="passed", paths=(file.path,))
        acts += [act] * file.changes
    acts += [SessionAct(OVERFLOW, at=session.ended)] * min(1, digest.compactions)
    said = [one for one in digest.said if one.kind == "correction" and not session.is_subagent]
    remarks = chain.from_iterable(_remark(one.text, one.at, one.place, one.line) for one in said)
    return _seen(session, tuple(acts), tuple(remarks))


def _seen(session: Session, acts: tuple[SessionAct, ...], said: tuple[SessionAct, ...]) -> SeenSession:
    whole = session.parent if session.parent != session.id else ""
    at = session.ended or session.started
    return SeenSession(session.agent, session.id, session.project, at, whole, acts, said)


def _act(event: SessionEvent, session: Session) -> SessionAct | None:
    if event.role == "human" and not session.is_subagent:
        text = speech.typed(event.text)
        return SessionAct(ASK, event.place, event.line, event.at, _asked(text), text[:_MAX_REMARK]) if text else None
    if event.role == "summary":
        return SessionAct(OVERFLOW, event.place, event.line, event.at)
    if event.role != "tool":
        return None
    kind = tools.kind_of(event.tool)
    if kind == "memory" or _OURS in event.tool or not event.tool:
        return None
    return _of_shell(event) if kind == "shell" else _of_tool(event, kind, session.folder)


def _asked(text: str) -> str:
    """Return the words of a short message that asks for something to be done, each in one form; else nothing."""
    words = text.split()
    first = words[0].strip(",.!:").casefold() if words else ""
    is_answer = not words or text[-1] == "?" or any(first in lists(SMALL_WORDS)[name] for name in ("answers", "looks"))
    if is_answer or len(words) > _MAX_ASK or text[:1] in "/<[{@#" or "\n" in text.strip():
        return ""
    told = sorted(word.replace(" ", "-") for word in words_of(text))
    return " ".join(told) if len([word for word in told if not word.isdigit()]) >= FEWEST else ""


def _of_tool(event: SessionEvent, kind: str, folder: str) -> SessionAct | None:
    root = (event.folder or folder).rstrip("/")
    files = tuple(path.removeprefix(f"{root}/") if root else path for path in tools.paths_in(event.input))
    if kind == "read" and not files:
        # It reads what a running process says, which is nobody's failure but that process's.
        return None
    error = _error(event) if event.failed else ""
    shown = files or (one_line(event.input, _MAX_TEXT),)
    return SessionAct(
        kind=kind,
        place=event.place,
        line=event.line,
        at=event.at,
        name=kind if kind != "other" else event.tool[:80],
        text=one_line(f"{event.tool} {shown[0]}", _MAX_TEXT),
        result=_result(event, event.failed),
        error=one_line(error, _MAX_TEXT * 2),
        given=hash_of(event.tool, event.input),
        answer=hash_of(event.output),
        paths=files if kind == "edit" else (),
        is_look=kind in ("read", "search", "web", "plan"),
        sought=_searched(event) if kind == "search" else (),
    )


def _error(event: SessionEvent) -> str:
    """Return the line in which a tool says what went wrong; it may repeat much of what it was given behind that."""
    output = failures.without_tags(event.output or event.text)
    known = class_in(output)
    return known[0] if known else failures.error_line(output)


def _of_shell(event: SessionEvent) -> SessionAct | None:
    call = check_results.ended(event)
    line, main = call.line, call.main
    if main is None:
        return None
    name = (commands.main_of(line) or main).name
    if _OURS in name.split():
        return None
    check, result = _checked(call, main, event)
    # The name is that of the check, not of what stands before it in the line.
    name = main.name if check else name
    output = failures.without_tags(event.output or event.text) if result == "failed" else ""
    said = failures.error_line(output) if output else ""
    fingerprint = failures.fingerprint(line, said) if said else ""
    test = failing_test(output) if check == "test" else ""
    error = test or said
    return SessionAct(
        kind="shell",
        place=event.place,
        line=event.line,
        at=event.at,
        name=name,
        text=one_line(line, _MAX_TEXT),
        result=result,
        error=one_line(error, _MAX_TEXT * 2),
        fingerprint=fingerprint,
        check=check,
        is_telling=bool(test or fingerprint),
        given=hash_of(event.tool, line),
        answer=hash_of(event.output),
        is_look=main.is_look,
        sought=_looked_up(line) if result != "refused" else (),
    )


def _checked(call: check_results.ShellCall, main: commands.Command, event: SessionEvent) -> tuple[str, str]:
    """Return which check a command is, if any, and how it ended; one that never ran failed as any other command."""
    result = _result(event, True) if call.result == "refused" else call.result
    if result == "answer":
        return "", "passed" if event.answered else "unknown"
    if not main.is_check or result not in ("passed", "failed"):
        return "", result
    told = next(told for one, told in call.checks() if one is main)
    return ("", "failed") if result == "failed" and told == "unknown" else (main.kind, told)


def _result(event: SessionEvent, failed: bool) -> str:
    if failed and failures.is_refused(event.output or event.text):
        said = (event.output or event.text)[:200].casefold()
        return "unknown" if any(mark in said for mark in _INTERRUPTED) else "refused"
    if failed:
        return "failed"
    return "passed" if event.answered else "unknown"


def failing_test(output: str) -> str:
    """Return the first test that an output names as failed; nothing where it names none."""
    match = _FAILING.search(output[-_END:])
    if match is None:
        return ""
    name = _BEHIND.sub("", (match["test"] or match["rust"])[: 2 * _MAX_TEST]).strip()
    return f"failed {name}"[:_MAX_TEST] if any(letter.isalpha() for letter in name) else ""


def _looked_up(line: str) -> tuple[tuple[str, str], ...]:
    """Return what a line looks up. A search behind a pipe only picks from what another command says."""
    found: list[tuple[str, str]] = []
    before = ""
    for command in shell.split(line):
        if before not in shell.PIPES:
            text = one_line(command.text, _MAX_TEXT)
            found += [(one, text) for one in in_words([word for word in command.words if word])]
        before = command.sign
    return tuple(dict.fromkeys(found))[:MAX_OF_A_CALL]


def _searched(event: SessionEvent) -> tuple[tuple[str, str], ...]:
    try:
        given = json.loads(event.input, strict=False)
    except (ValueError, RecursionError):
        return ()
    pattern = next((given[key] for key in _PATTERN_KEYS if given.get(key)), "") if isinstance(given, dict) else ""
    if not isinstance(pattern, str) or len(pattern) > _MAX_TEXT:
        return ()
    by_name = "glob" in event.tool.casefold() or "file" in event.tool.casefold().split("_")
    found = in_names(pattern) if by_name else in_pattern(pattern)
    return tuple((one, one_line(f"{event.tool} {pattern}", _MAX_TEXT)) for one in found)


def corrections(events: Sequence[SessionEvent]) -> Iterator[SessionAct]:
    """Yield what the person corrected. Before anything was done there is nothing to correct."""
    spoken = False
    for event in events:
        text = speech.typed(event.text) if event.role == "human" and spoken else ""
        if text and not takes_back(text):
            told_off = _told_off(replace(event, text=text))
            found = dict.fromkeys(told_off if len(text) > _SHORT_MESSAGE else [text] * bool(told_off))
            for one in found:
                yield from _remark(one, event.at, event.place, event.line)
        spoken = spoken or event.role in ("assistant", "tool")


def _told_off(event: SessionEvent) -> list[str]:
    """Return the sentences that tell the agent that it did wrong, or to do otherwise."""
    sentences = [one.text for one in sayings(event) if one.kind == "correction"]
    # What recurs need not be sure the first time.
    sentences += [one.text for one in triggers.scan(event.text) if one.kind in ("correction", "preference")]
    return [one for one in sentences if tells_off(one)]


def _remark(text: str, at: str, place: int, line: int) -> Iterator[SessionAct]:
    """Yield a sentence of the person that says enough."""
    words = sorted(word.replace(" ", "-") for word in words_of(text))
    if len(words) >= FEWEST:
        yield SessionAct(ASK, place, line, at, " ".join(words), one_line(text, _MAX_REMARK))


def _of_trouble(trouble: Trouble, changed: set[str], at: str) -> SessionAct:
    main = commands.most_telling(commands.parse(trouble.about)) if " " in trouble.about else None
    kind = "shell" if main else "edit" if trouble.about in changed else "read"
    fingerprint = failures.fingerprint(trouble.about, trouble.text) if main else ""
    return SessionAct(
        kind=kind,
        place=trouble.place,
        line=trouble.line,
        at=at,
        name=(commands.main_of(trouble.about) or main).name if main else kind,
        text=trouble.about,
        result="failed",
        error=trouble.text if trouble.text != "no message" else "",
        fingerprint=fingerprint,
        is_telling=bool(fingerprint),
        check=main.kind if main and main.is_check else "",
        is_look=main is not None and main.is_look,
    )


def _of_checks(checks: Sequence[CommandRun]) -> Iterator[SessionAct]:
    """Yield checks that failed and in the end passed, with a change in between."""
    for run in checks:
        if run.failed and run.result == "passed":
            command = commands.main_of(run.text)
            name = command.name if command else run.text
            failed = SessionAct("shell", run.place, run.line, name=name, text=run.text, check=run.kind, result="failed")
            yield from (
                failed,
                SessionAct("edit", run.place, run.line, result="passed"),
                replace(failed, result="passed"),
            )


def in_words(words: Sequence[str]) -> tuple[str, ...]:
    """Return what a command with these words looks up."""
    if not words:
        return ()
    name = words[0].rpartition("/")[2]
    if name == "man" and len(words) > 1:
        return (f"help: {_plain(words[1])}",)
    if len(words) > 1 and any(word in _HELP for word in words[1:]):
        return _help(name, words[1:])
    if name in _SEARCHES or " ".join(words[:2]) in _SEARCHES:
        if "--files" in words:
            return ()
        return in_pattern(_term(words[2 if name == "git" else 1 :]))
    if name in _LISTS:
        return tuple(found for word in words[1:] if word[:1] != "-" for found in _listed(word))[:MAX_OF_A_CALL]
    return ()


def in_pattern(pattern: str) -> tuple[str, ...]:
    """Return what a search for this pattern looks up.

    Of several alternatives only names count: in a long list of them there is many a word that was only a guess.
    """
    parts = _ALTERNATIVES.split(pattern)
    terms = [" ".join(_SIGNS.sub(" ", part).split()) for part in parts]
    told = [term for term in terms if len(term) >= _SHORTEST and term.casefold() not in lists(SMALL_WORDS)["searched"]]
    if len(parts) > 1:
        told = [term for term in told if _NAME.search(term)]
    return tuple(dict.fromkeys(f"search: '{_plain(term)}'" for term in told))[:MAX_OF_A_CALL]


def in_names(pattern: str) -> tuple[str, ...]:
    """Return what a search for names of files looks up, where it asks for one name: `**/invoice.ts`."""
    name = pattern.rpartition("/")[2]
    stem = name.partition(".")[0]
    # Every agent was told to look for a file whose name is in capitals, such as README.md.
    is_expected = stem.isupper() or stem.casefold() in lists(SMALL_WORDS)["expected"]
    asks = bool(name) and not any(sign in name for sign in "*?[]{}") and not is_expected
    return (f"find: '{_plain(name)}'",) if asks else ()


def _help(name: str, words: Sequence[str]) -> tuple[str, ...]:
    """Return the command whose help is asked for: the program and what stands before the option, options aside."""
    told = [name]
    for word in words:
        if word in _HELP:
            break
        if word[:1] != "-":
            told.append(word.rpartition("/")[2])
    if told == [name] and words[0] == "help":
        told += words[1:2]
    return (f"help: {_plain(' '.join(told[:4]))}",) if all(_WORD.fullmatch(word) for word in told) else ()


def _term(words: Sequence[str]) -> str:
    passing = False
    for number, word in enumerate(words):
        if passing:
            passing = False
        elif word in _TERM:
            return words[number + 1] if number + 1 < len(words) else ""
        elif word[:1] == "-" and len(word) > 1:
            passing = word in _WITH_VALUE
        else:
            return word
    return ""


def _listed(path: str) -> tuple[str, ...]:
    told = path.rstrip("/").removeprefix("./")
    is_elsewhere = told[:1] in ("/", "~", "$") or told.startswith("..")
    is_redirected = any(sign in told for sign in "<>&*?")
    return () if told in _TOP or is_elsewhere or is_redirected else (f"list: '{_plain(told)}'",)


def _plain(text: str) -> str:
    return text.casefold().replace("'", "").replace(": ", ":").replace(" ", "-" if "/" in text else " ")[:_MAX_TERM]
