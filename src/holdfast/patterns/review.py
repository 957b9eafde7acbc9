"""Decide about patterns: approve one into the catalogue, merge it into another, reject it for good, or snooze it.

A decision is made under one lock, after a look whether somebody else made one meanwhile. What a decision is about is
given as the beginning of an id, or as the pattern itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Literal

from holdfast.base import clock, files
from holdfast.base.clock import now
from holdfast.base.text import by_prefix, check_text, count
from holdfast.errors import BadInput, Conflict, HoldfastError, NotFound, Refused, StoreUnavailable, SwitchedOff
from holdfast.memory import edit as editing
from holdfast.memory.audit import Act
from holdfast.patterns import report
from holdfast.patterns.catalogue import VERSIONS, Catalogue, speaks_for
from holdfast.patterns.catalogue_file import FOLDER, MAX_QUOTES, CatalogueEntry, line
from holdfast.patterns.clusters import Pattern, Quote, frame, words
from holdfast.patterns.signal_files import KINDS
from holdfast.patterns.verdicts import PLACE, Decided, DecidedRow, signatures_of
from holdfast.workspace import Workspace

MAX_DAYS = 3_650
DAYS = 30
_ALIKE = 0.3
_SHOWN = 3
_LONGEST_QUOTE = 160


# What to do about a pattern: by the class of a failure, and by its kind.
_ADVICE = {
    "command not found": "{names} is not installed here: install it, or use what is there ({often}).",
    "sub-command not known": "`{head}` does not know {names}: look at its help before you run it ({often}).",
    "script not found": "`{head}` has no script {names}: look which ones there are before you run one ({often}).",
    "module not found": "The module {names} is missing: install it before you run what needs it ({often}).",
    "unknown option": "`{head}` does not take the option {names}: leave it out, or look at its help ({often}).",
    "file not there": "There is no {names} where it is looked for: make it, or say where it is ({often}).",
    "not formatted": "The check `{head}` fails on the format: run the formatter before you check or commit ({often}).",
    "port in use": "A port is in use: stop what holds it, or take another one, before you start a server ({often}).",
    "host not found": "{names} cannot be reached from here: run what needs it with access to the network ({often}).",
    "out of memory": "A command runs out of memory: give it more, or less to do ({often}).",
    "disk full": "The disk is full: make room before you go on ({often}).",
    "not a repository": "A command of git runs outside of the repository: go to its folder first ({often}).",
    "docker not running": "Docker is not running: start it before you run what needs it ({often}).",
    "no connection": "`{head}` cannot connect: start what it talks to before you run it ({often}).",
    "not logged in": "`{head}` is not logged in: log in before you run it ({often}).",
    "not permitted": "`{head}` is not permitted: ask for the permission before you run it ({often}).",
    "timed out": "`{head}` runs out of time: give it more, or less to do ({often}).",
    "merge conflict": "`{head}` meets conflicts: fetch and look at what others changed before you run it ({often}).",
    "push rejected": "`{head}` is rejected: fetch and rebase before you push ({often}).",
    "locked": "`{head}` finds a lock: wait for whoever holds it, or remove it if nobody does ({often}).",
    "retry-loop": "`{about}` is run again and again in vain: wait, or change something first ({often}).",
    "edit-churn": "{about} is changed over and over: plan all changes of it before the first one ({often}).",
    "correction": 'You were corrected in {often}: "{quote}" Do it so from the start.',
    "repeated-ask": 'This was asked for in {often}: "{quote}" Make it a command, a hook or a standing rule.',
    "low-rating": 'The person was displeased in {often}: "{quote}" Avoid that.',
    "high-rating": 'The person was pleased in {often}: "{quote}" Go on like that.',
    "permission-denied": "`{about}` is not let run: ask before you run it, or do without it ({often}).",
    "fix-worked": 'When `{start}` fails with "{error}": {rest} ({often}).',
    "attempts": "`{about}` works only after several forms failed: begin with the form that works ({often}).",
    "first change": "Work on {about} begins with a long search: go there first ({often}).",
    "help": "The help of `{about}` is looked up again in {often}: note the call that is needed.",
    "search": "{about} is searched for again in {often}: note where it is.",
    "find": "{about} is searched for again in {often}: note where it is.",
    "list": "What is in {about} is looked up again in {often}: note what is there.",
}


@dataclass(frozen=True, slots=True)
class WaitingPattern:
    """A pattern that waits, and the words under which it would enter the catalogue."""

    pattern: Pattern
    title: str
    statement: str


@dataclass(frozen=True, slots=True)
class PatternDecision:
    """What became of a pattern; `decided` is by somebody else.

    `leads` is the id that it was merged into, or the end of the snooze; `why` the reason, `update` what undoes it.
    """

    act: Literal["approved", "merged", "rejected", "snoozed", "left", "decided"]
    id: str
    title: str
    leads: str = ""
    why: str = ""
    update: str = ""


def waiting(workspace: Workspace, *, min_frequency: int = 0, since: str = "", project: str = "") -> list[Pattern]:
    """Return the patterns that nobody decided about yet, ranked."""
    if not workspace.enabled:
        return []
    found = report.find(workspace, min_frequency=min_frequency, since=since, project=project)
    entries = Catalogue(workspace.home).all()[0]
    return [one for one in not_rejected(workspace, found) if entry_of(one, entries) is None]


def not_rejected(workspace: Workspace, found: list[Pattern]) -> list[Pattern]:
    """Return the patterns without those that were rejected or are snoozed; merged ones are a part of theirs.

    What cannot be read of the decisions is told, since it decides nothing.
    """
    tell_broken(workspace)
    return _left(workspace.home, found)


def _left(home: str, found: list[Pattern]) -> list[Pattern]:
    return Decided(home).left(found, now(), Catalogue(home).ids())


def tell_broken(workspace: Workspace) -> None:
    """Say which lines and files of decisions cannot be read, and the way out."""
    home = workspace.home
    for one in [*Catalogue(home).all()[1], *Decided(home).problems()] if workspace.enabled else ():
        where = f"{one.path}:{one.line}" if one.line else one.path
        workspace.say(f"{where}: {one.text}. {one.hint}")


def entry_of(pattern: Pattern, entries: list[CatalogueEntry]) -> CatalogueEntry | None:
    """Return the entry that a pattern belongs to: its own, or one that is about nearly the same signals."""
    own = [one for one in entries if one.id == pattern.id]
    signatures = () if own else signatures_of(pattern)
    near = (one for one in entries if any(speaks_for(one, pattern.kind, each, pattern.projects) for each in signatures))
    return own[0] if own else next(near, None)


def candidate(pattern: Pattern, statement: str = "", title: str = "") -> WaitingPattern:
    """Return the pattern with these words for the catalogue, or with words that quote it: no model writes them."""
    for text in (statement, title):
        check_text(text)
    own = line(pattern.title, 120) or f"{pattern.kind}: {pattern.signature}"
    last = max(pattern.evidence, key=lambda one: one.at, default=None)
    quote = line(last.text, _LONGEST_QUOTE).lstrip("#>`- ") if last is not None else ""
    said = advice(pattern, quote)
    is_said = not quote or quote in said or pattern.kind == "fix-worked"
    said = said if is_said else f'{said} For example: "{quote}"'
    return WaitingPattern(pattern, title.strip() or own, statement.strip() or said)


def advice(pattern: Pattern, quote: str) -> str:
    """Return a sentence that says what to do about a pattern, by its kind and by the class of its failure."""
    head, _, tail = pattern.signature.partition(": ")
    often = count(len(pattern.sessions), "session")
    if pattern.kind != "failed-command":
        failed, _, rest = quote.partition(" -> ")
        start, _, error = failed.partition(": ")
        rest = rest.replace("ran `", "run `").replace("edited ", "edit ").rstrip(".")
        if pattern.kind == "fix-worked" and rest.startswith("run `") and rest.endswith("` instead"):
            # As the lesson of the same thing says it.
            return f'R{rest[1:].removesuffix(" instead")}, not `{start}`: that fails with "{error}" ({often}).'
        about = tail.replace("'", "") or head.replace("'", "")
        form = _ADVICE.get(
            head if pattern.kind in ("lookup-anew", "long-detour") else pattern.kind, "{title}, in {often}."
        )
        return form.format(
            about=about, often=often, quote=quote, start=start, error=error, rest=rest, title=pattern.title.rstrip(".")
        )
    known, _, names = tail.partition(":")
    error = quote.partition(": ")[2].rstrip(".")
    form = '`{head}` fails with "{error}" in {often}, and none shows a cure: find the cause once, and note it.'
    if error.startswith("failed "):
        error, form = error.removeprefix("failed "), "The test {error} fails in {often}: mend it before you rely on it."
    told = names.replace("'", "").strip() or "what it names"
    head = head if head != "shell" else "a command"
    return _ADVICE.get(known, form).format(head=head, names=told, often=often, error=error or "no word")


def get(workspace: Workspace, what: str | Pattern) -> Pattern:
    """Return the pattern whose id begins with this, however rare; of one that does not occur, what is known."""
    workspace.need_enabled()
    if isinstance(what, Pattern):
        return what
    gathered = report.gather(workspace)
    for least in (0, 1):
        found = report.find(workspace, gathered, min_frequency=least, everything=True)
        # One that others were merged into comes with their evidence; what was decided about is found as well.
        known = {one.id: one for one in (*found, *_left(workspace.home, found))}
        try:
            return by_prefix(what, known, "", "")
        except NotFound:
            continue
    try:
        return pattern_of(Catalogue(workspace.home).get(what))
    except NotFound:
        raise NotFound(f"no pattern {what}", "`holdfast patterns` lists those that recur.") from None


def pattern_of(entry: CatalogueEntry) -> Pattern:
    """Return the pattern that an entry was made of, as far as the entry says."""
    times = sorted(one.at for one in entry.evidence if one.at)
    agents = tuple(sorted({one.agent for one in entry.evidence}))
    return Pattern(
        *(entry.id, entry.kind, entry.signature, entry.title, entry.good),
        sessions=tuple(sorted({f"{one.agent}/{one.session}" for one in entry.evidence})),
        agents=agents,
        projects=entry.projects,
        domain=entry.domain,
        cross_agent=len(agents) > 1,
        first=times[0] if times else "",
        last=times[-1] if times else "",
        severity=KINDS[entry.kind].severity if entry.kind in KINDS else 1,
        evidence=entry.evidence,
        signatures=tuple(each for kind, each in entry.signals if kind == entry.kind),
        fingerprints=entry.fingerprints,
        bound=entry.bound,
    )


def alike(workspace: Workspace, pattern: Pattern, others: list[Pattern]) -> list[tuple[str, str]]:
    """Return id and title of what it may be a part of, best first: entries of the catalogue and other patterns."""
    entries = Catalogue(workspace.home).all()[0]
    known = [(one.id, one.title, _words(text for _, text in one.signals)) for one in entries]
    known += [(one.id, one.title, _words(signatures_of(one))) for one in others if one.id != pattern.id]
    own = _words(signatures_of(pattern))
    scored = [(len(own & each) / (len(own | each) or 1), name, title) for name, title, each in known]
    best = sorted((one for one in scored if one[0] >= _ALIKE), key=lambda one: (-one[0], one[1]))
    return [(name, title) for _, name, title in best[:_SHOWN]]


def _words(signatures: Iterable[str]) -> frozenset[str]:
    return frozenset(word for each in signatures for word in (*words(each), *frame(each)[1]))


def approve(
    workspace: Workspace, what: str | Pattern, *, statement: str = "", title: str = "", owner: str = ""
) -> CatalogueEntry:
    """Enter a pattern into the catalogue, in these words or in its own."""
    pattern = get(workspace, what)
    given = candidate(pattern, statement, title)
    at, catalogue = now(), Catalogue(workspace.home)
    with _deciding(workspace, "approve", pattern) as act:
        refuse_decided(workspace.home, pattern, at)
        entry = entry_of(pattern, catalogue.all()[0])
        if entry is None:
            made = catalogue.put(_entry(workspace, given, owner), "approved", at)
            act.done(pattern.id, "it is in the catalogue")
            return made
        if entry.id != pattern.id:
            hint = f"holdfast patterns merge {pattern.id} {entry.id}"
            raise Conflict(f"the catalogue has {entry.id} about the same: {entry.title}", hint)
        if entry.status == "approved":
            raise Conflict(f"{entry.id} is in the catalogue already", f"holdfast patterns edit {entry.id}")
        again = catalogue.change(entry, "approved again", at, status="approved")
        act.done(pattern.id, "it holds again")
        return again


def _entry(workspace: Workspace, given: WaitingPattern, owner: str) -> CatalogueEntry:
    pattern, environment = given.pattern, workspace.environment
    merged = [row for row in Decided(workspace.home).rows() if row.act == "merged" and row.leads == pattern.id]
    others = [(row.kind, row.signature) for row in merged] + [(pattern.kind, each) for each in signatures_of(pattern)]
    return CatalogueEntry(
        id=pattern.id,
        kind=pattern.kind,
        signature=pattern.signature,
        title=given.title,
        statement=given.statement,
        owner=owner.strip() or environment.get("USER") or environment.get("LOGNAME") or "",
        evidence=newest(pattern),
        also=tuple(f"{kind}: {each}" for kind, each in others if (kind, each) != (pattern.kind, pattern.signature)),
        good=pattern.good,
        projects=pattern.projects,
        bound=pattern.bound,
        domain=pattern.domain,
        fingerprints=pattern.fingerprints,
    )


def newest(pattern: Pattern) -> tuple[Quote, ...]:
    """Return the evidence that an entry keeps: at least one quote of each agent, and then the newest."""
    ranked = sorted(pattern.evidence, key=lambda one: one.at, reverse=True)
    first = {one.agent: one for one in reversed(ranked)}
    kept = list(dict.fromkeys((*first.values(), *ranked)))[:MAX_QUOTES]
    return tuple(sorted(kept, key=lambda one: (one.at, one.agent, one.session, one.line)))


def reject(workspace: Workspace, what: str | Pattern, *, reason: str = "") -> PatternDecision:
    """Say no to a pattern for good; it does not come back, nor does one that says nearly the same."""
    pattern = get(workspace, what)
    check_text(reason)
    at, decided, catalogue = now(), Decided(workspace.home), Catalogue(workspace.home)
    with _deciding(workspace, "reject", pattern) as act:
        row = decided.verdict(pattern, at)
        if row is not None and row.act == "rejected":
            return PatternDecision("rejected", pattern.id, pattern.title, why=row.why)
        for entry in catalogue.all()[0]:
            if entry.id == pattern.id:
                retired(catalogue, entry, "rejected", at)
        decided.add("rejected", pattern, at, why=reason)
        act.done(pattern.id, reason or "a person said no to it")
    return PatternDecision("rejected", pattern.id, pattern.title, why=reason, update=act.id)


def retired(catalogue: Catalogue, entry: CatalogueEntry, change: str, at: str) -> CatalogueEntry:
    """Retire an entry; one that agents still read is refused."""
    if entry.live:
        raise Refused(f"{entry.id} is distributed", f"First: holdfast patterns withdraw {entry.id}")
    return catalogue.change(entry, change, at, status="retired")


def snooze(workspace: Workspace, what: str | Pattern, *, days: int = DAYS) -> PatternDecision:
    """Ask nothing about a pattern for so many days."""
    pattern = get(workspace, what)
    if not 1 <= days <= MAX_DAYS:
        raise BadInput(f"{days} days cannot be used", f"Give a number from 1 to {MAX_DAYS:,}.")
    at = now()
    until = clock.iso(clock.seconds(at) + days * clock.DAY_SECONDS)
    with _deciding(workspace, "snooze", pattern) as act:
        refuse_decided(workspace.home, pattern, at)
        entry = entry_of(pattern, Catalogue(workspace.home).all()[0])
        if entry is not None:
            raise Conflict(f"{entry.id} is in the catalogue", f"holdfast patterns show {entry.id}")
        Decided(workspace.home).add("snoozed", pattern, at, leads=until)
        act.done(pattern.id, f"put off until {until[:10]}")
    return PatternDecision("snoozed", pattern.id, pattern.title, leads=until, update=act.id)


def merge(workspace: Workspace, what: str | Pattern, into: str) -> PatternDecision:
    """Make a pattern a part of another one, which may be in the catalogue or wait."""
    pattern = get(workspace, what)
    at, decided, catalogue = now(), Decided(workspace.home), Catalogue(workspace.home)
    target = _target(workspace, catalogue, into)
    with decision(workspace):
        refuse_decided(workspace.home, pattern, at)
        if pattern.id in decided.chain(target):
            raise BadInput(f"{pattern.id} and {target} are one already", "Give two that differ.")
        entries = {one.id: one for one in catalogue.all()[0]}
        if pattern.id in entries:
            retired(catalogue, entries[pattern.id], f"merged into {target}", at)
        if target in entries:
            entry, other = entries[target], entries.get(pattern.id)
            own = [f"{pattern.kind}: {each}" for each in signatures_of(pattern)]
            catalogue.change(
                entry,
                f"merged {pattern.id} into it",
                at,
                also=tuple(dict.fromkeys((*entry.also, *own, *(other.also if other is not None else ())))),
                evidence=tuple(dict.fromkeys((*entry.evidence, *newest(pattern)))),
                projects=tuple(dict.fromkeys((*entry.projects, *pattern.projects))),
                fingerprints=tuple(dict.fromkeys((*entry.fingerprints, *pattern.fingerprints))),
            )
        decided.add("merged", pattern, at, leads=target)
    return PatternDecision("merged", pattern.id, pattern.title, leads=target)


def _target(workspace: Workspace, catalogue: Catalogue, into: str) -> str:
    """Return the id of what is merged into: an entry of the catalogue that counts, or a pattern nobody rejected."""
    try:
        entry = catalogue.get(into)
    except NotFound:
        pattern = get(workspace, into)
        refuse_decided(workspace.home, pattern, now())
        return pattern.id
    if entry.status == "retired":
        raise Refused(f"{entry.id} is retired", f"First: holdfast patterns approve {entry.id}")
    return entry.id


def refuse_decided(home: str, pattern: Pattern, at: str) -> None:
    """Refuse a decision about what was rejected or is a part of another; a snooze is only put off."""
    decided = Decided(home)
    row = decided.verdict(pattern, at)
    if row is None or row.act == "snoozed":
        return
    lines = ", ".join(str(one.line) for one in decided.rows() if (one.act, one.id) == (row.act, row.id))
    raise Refused(f"{pattern.id} was {_said(row)}", f"To decide again, delete its lines in {decided.path}: {lines}.")


def _said(row: DecidedRow) -> str:
    leads = {"merged": " into ", "snoozed": " until "}.get(row.act, "")
    return f"{row.act}{leads}{row.leads if leads else ''} on {row.at[:10]}"


@contextmanager
def _deciding(workspace: Workspace, name: str, pattern: Pattern) -> Iterator[Act]:
    """Decide under the lock, such that `holdfast updates` can undo it; the caller says what was done."""
    with decision(workspace), Act(workspace, f"patterns {name}") as act:
        for path in (PLACE, f"{FOLDER}/{pattern.id}.md", f"{FOLDER}/{VERSIONS}/{pattern.id}/1.md"):
            act.look_at(path)
        yield act


def decision(workspace: Workspace) -> files.Lock:
    """Return the lock under which a decision is made, so that two people do not decide about one pattern at once."""
    workspace.need_enabled()
    return files.lock_of(workspace.home, "pattern-decisions")


def review(
    workspace: Workspace, found: list[Pattern], ask: Callable[[WaitingPattern], str]
) -> Iterator[PatternDecision]:
    """Walk through patterns that wait; each decision holds when it is yielded, and an edited one is asked for again.

    `ask` answers with a (approve), e (edit), m ID (merge), r (reject), s DAYS (snooze), n (next) or q (quit).
    """
    for pattern in found:
        made = taken_meanwhile(workspace.home, pattern) or _asked(workspace, candidate(pattern), ask)
        if made is None:
            return
        yield made


def _asked(workspace: Workspace, given: WaitingPattern, ask: Callable[[WaitingPattern], str]) -> PatternDecision | None:
    """Ask until an answer can be carried out; None is the end of the review."""
    while True:
        act, _, detail = ask(given).strip().partition(" ")
        if act == "q":
            return None
        try:
            if act != "e":
                return _carried_out(workspace, given, act, detail.strip())
            given = edited(workspace, given)
        except (StoreUnavailable, SwitchedOff):
            raise
        except HoldfastError as problem:
            taken = taken_meanwhile(workspace.home, given.pattern)
            if taken is not None:
                return taken
            workspace.say(f"{problem}. {problem.hint}")


def _carried_out(workspace: Workspace, given: WaitingPattern, act: str, detail: str) -> PatternDecision:
    pattern = given.pattern
    if act == "a":
        entry = approve(workspace, pattern, statement=given.statement, title=given.title)
        return PatternDecision("approved", pattern.id, entry.title)
    if act == "m":
        return merge(workspace, pattern, detail)
    if act == "r":
        return reject(workspace, pattern, reason=detail)
    if act == "s":
        return snooze(workspace, pattern, days=int(detail) if detail.isascii() and detail.isdecimal() else DAYS)
    if act == "n":
        return PatternDecision("left", pattern.id, given.title)
    raise BadInput(f"{act!a} is not an answer", "Use a, e, m ID, r, s DAYS, n or q.")


def taken_meanwhile(home: str, pattern: Pattern) -> PatternDecision | None:
    """Return what somebody else decided about a pattern since it was listed."""
    row = Decided(home).verdict(pattern, now())
    if row is not None:
        return PatternDecision("decided", pattern.id, pattern.title, why=f"it was {_said(row)}")
    entry = entry_of(pattern, Catalogue(home).all()[0])
    if entry is None:
        return None
    return PatternDecision("decided", pattern.id, pattern.title, leads=entry.id, why=f"{entry.id} is in the catalogue")


def edited(workspace: Workspace, given: WaitingPattern) -> WaitingPattern:
    """Return the candidate in the words that the person's editor leaves: a title, and below it the statement."""
    text = editing.edited(f"# {given.title}\n\n{given.statement}\n", given.pattern.id, editing.editor(workspace))
    check_text(text)
    head, _, rest = text.strip().partition("\n")
    title, statement = (head[2:].strip(), rest.strip()) if head.startswith("# ") else (given.title, text.strip())
    if not statement:
        raise BadInput("no text is left, so nothing was changed", "To be rid of it, reject it.")
    return replace(given, title=title or given.title, statement=statement)
