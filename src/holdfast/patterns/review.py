"""Decide about patterns: approve one into the catalogue, merge it into another, reject it for good, or snooze it.

A decision is made under one lock, after a look whether somebody else made one meanwhile.
"""

from __future__ import annotations

from holdfast.base import clock, files
from holdfast.base.clock import now
from holdfast.base.light_records import dataclass, replace
from holdfast.errors import BadInput, Conflict, HoldfastError, NotFound, Refused, StoreUnavailable, SwitchedOff
from holdfast.memory import edit as editing
from holdfast.patterns import report as patterns
from holdfast.patterns.catalogue import Catalogue, Entry, chosen, lock, speaks_for
from holdfast.patterns.catalogue_file import MAX_QUOTES, line
from holdfast.patterns.clusters import Pattern, Quote
from holdfast.patterns.decided import Decided, Row, signatures_of
from holdfast.patterns.signals import KINDS
from holdfast.patterns.signatures import frame, words
from holdfast.privacy import redact
from holdfast.workspace import Workspace, check_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MAX_DAYS = 3_650
DAYS = 30
_ALIKE = 0.3
_SHOWN = 3
_LONGEST_QUOTE = 160


@dataclass(frozen=True, slots=True)
class Candidate:
    """A pattern that waits, and the words under which it would enter the catalogue."""

    pattern: Pattern
    title: str
    statement: str


@dataclass(frozen=True, slots=True)
class Decision:
    """What became of a pattern: `act` is approved, merged, rejected, snoozed, left or decided (by somebody else).

    `leads` is the id that it was merged into, or the end of the snooze; `why` the reason.
    """

    act: str
    id: str
    title: str
    leads: str = ""
    why: str = ""


def catalogue(workspace: Workspace) -> Catalogue:
    """Return the catalogue of the workspace; whatever is written to it is redacted first."""
    return Catalogue(workspace.home, _clean)


def decided(workspace: Workspace) -> Decided:
    """Return the decisions of the workspace; whatever is written to them is redacted first."""
    return Decided(workspace.home, _clean)


def _clean(text: str) -> str:
    return redact.redact(text)[0]


def waiting(workspace: Workspace, *, min_frequency: int = 0, since: str = "", project: str = "") -> list[Pattern]:
    """Return the patterns that nobody decided about yet, ranked."""
    if not workspace.enabled:
        return []
    found = patterns.find(workspace, min_frequency=min_frequency, since=since, project=project)
    entries = catalogue(workspace).all()[0]
    return [one for one in not_rejected(workspace, found) if entry_of(one, entries) is None]


def not_rejected(workspace: Workspace, found: list[Pattern]) -> list[Pattern]:
    """Return the patterns without those that were rejected or are snoozed; merged ones are a part of theirs.

    What cannot be read of the decisions is told, since it decides nothing.
    """
    tell_broken(workspace)
    return _left(workspace, found)


def _left(workspace: Workspace, found: list[Pattern]) -> list[Pattern]:
    return decided(workspace).left(found, now(), catalogue(workspace).ids())


def tell_broken(workspace: Workspace) -> None:
    """Say which lines and files of decisions cannot be read, and the way out."""
    for one in [*catalogue(workspace).all()[1], *decided(workspace).problems()] if workspace.enabled else ():
        where = f"{one.path}:{one.line}" if one.line else one.path
        workspace.say(f"{where}: {one.text}. {one.hint}")


def entry_of(pattern: Pattern, entries: list[Entry]) -> Entry | None:
    """Return the entry that a pattern belongs to: its own, or one that is about nearly the same signals."""
    own = next((one for one in entries if one.id == pattern.id), None)
    if own is not None:
        return own
    signatures = signatures_of(pattern)
    return next(
        (one for one in entries if any(speaks_for(one, pattern.kind, each, pattern.projects) for each in signatures)),
        None,
    )


def candidate(pattern: Pattern) -> Candidate:
    """Return the pattern with words for the catalogue that quote it: no model writes them."""
    title = line(pattern.title, 120) or f"{pattern.kind}: {pattern.signature}"
    last = max(pattern.evidence, key=lambda one: one.at, default=None)
    heading = KINDS[pattern.kind].heading if pattern.kind in KINDS else pattern.kind
    said = f"{title.rstrip('.')}." if title.startswith(heading) else f"{heading}: {title.rstrip('.')}."
    quote = line(last.text, _LONGEST_QUOTE).lstrip("#>`- ") if last is not None else ""
    return Candidate(pattern, title, f'{said} For example: "{quote}"' if quote and quote not in said else said)


def get(workspace: Workspace, name: str) -> Pattern:
    """Return the pattern whose id begins so, however seldom it occurs; of one that does not occur, what is known."""
    workspace.need_enabled()
    gathered = patterns.gather(workspace)
    for least in (0, 1):
        found = patterns.found_in(workspace, gathered, min_frequency=least)
        # One that others were merged into comes with their evidence; what was decided about is found as well.
        known = {one.id: one for one in (*found, *_left(workspace, found))}
        try:
            return known[chosen(name, known, "", "")]
        except NotFound:
            continue
    try:
        return pattern_of(catalogue(workspace).get(name))
    except NotFound:
        raise NotFound(f"no pattern {name}", "`holdfast patterns` lists those that recur.") from None


def pattern_of(entry: Entry) -> Pattern:
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
    own = _words(signatures_of(pattern))
    known = [
        (one.id, one.title, _words(tuple(text for _, text in one.signals))) for one in catalogue(workspace).all()[0]
    ]
    known += [(one.id, one.title, _words(signatures_of(one))) for one in others if one.id != pattern.id]
    scored = [(len(own & each) / (len(own | each) or 1), name, title) for name, title, each in known]
    best = sorted((one for one in scored if one[0] >= _ALIKE), key=lambda one: (-one[0], one[1]))
    return [(name, title) for _, name, title in best[:_SHOWN]]


def _words(signatures: tuple[str, ...]) -> frozenset[str]:
    return frozenset(word for each in signatures for word in (*words(each), *frame(each)[1]))


def approve(workspace: Workspace, name: str, *, statement: str = "", title: str = "", owner: str = "") -> Entry:
    """Enter a pattern into the catalogue, in these words or in its own."""
    return _approve(workspace, worded(get(workspace, name), statement, title), owner)


def worded(pattern: Pattern, statement: str = "", title: str = "") -> Candidate:
    """Return the pattern with these words, where they are given."""
    own = candidate(pattern)
    for text in (statement, title):
        check_text(text)
    return replace(own, title=title.strip() or own.title, statement=statement.strip() or own.statement)


def _approve(workspace: Workspace, given: Candidate, owner: str = "") -> Entry:
    pattern, at, room = given.pattern, now(), catalogue(workspace)
    with decision(workspace):
        refuse_decided(workspace, pattern, at)
        entry = entry_of(pattern, room.all()[0])
        if entry is None:
            return room.put(_entry(workspace, given, owner), "approved", at)
        if entry.id != pattern.id:
            hint = f"holdfast patterns merge {pattern.id} {entry.id}"
            raise Conflict(f"the catalogue has {entry.id} about the same: {entry.title}", hint)
        if entry.status == "approved":
            raise Conflict(f"{entry.id} is in the catalogue already", f"holdfast patterns edit {entry.id}")
        return room.change(entry, "approved again", at, status="approved")


def _entry(workspace: Workspace, given: Candidate, owner: str) -> Entry:
    pattern = given.pattern
    merged = [row for row in decided(workspace).rows() if row.act == "merged" and row.leads == pattern.id]
    others = [(row.kind, row.signature) for row in merged] + [(pattern.kind, each) for each in signatures_of(pattern)]
    return Entry(
        id=pattern.id,
        kind=pattern.kind,
        signature=pattern.signature,
        title=given.title,
        statement=given.statement,
        owner=owner.strip() or owner_here(workspace),
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


def owner_here(workspace: Workspace) -> str:
    """Return who decides here, as the system calls them."""
    return workspace.environment.get("USER") or workspace.environment.get("LOGNAME") or ""


def reject(workspace: Workspace, name: str, *, reason: str = "") -> Decision:
    """Say no to a pattern for good; it does not come back, nor does one that says nearly the same."""
    return _reject(workspace, get(workspace, name), reason)


def _reject(workspace: Workspace, pattern: Pattern, reason: str = "") -> Decision:
    check_text(reason)
    at, room = now(), catalogue(workspace)
    with decision(workspace):
        row = decided(workspace).verdict(pattern, at)
        if row is not None and row.act == "rejected":
            return Decision("rejected", pattern.id, pattern.title, why=row.why)
        entry = next((one for one in room.all()[0] if one.id == pattern.id), None)
        if entry is not None:
            retired(room, entry, "rejected", at)
        decided(workspace).add("rejected", pattern, at, why=reason)
    return Decision("rejected", pattern.id, pattern.title, why=reason)


def retired(room: Catalogue, entry: Entry, change: str, at: str) -> Entry:
    """Retire an entry; one that agents still read is refused."""
    if entry.live:
        raise Refused(f"{entry.id} is distributed", f"First: holdfast patterns withdraw {entry.id}")
    return room.change(entry, change, at, status="retired")


def snooze(workspace: Workspace, name: str, *, days: int = DAYS) -> Decision:
    """Ask nothing about a pattern for so many days."""
    return _snooze(workspace, get(workspace, name), days)


def _snooze(workspace: Workspace, pattern: Pattern, days: int = DAYS) -> Decision:
    if not 1 <= days <= MAX_DAYS:
        raise BadInput(f"{days} days cannot be used", f"Give a number from 1 to {MAX_DAYS:,}.")
    at = now()
    until = clock.iso(clock.seconds(at) + days * clock.DAY_SECONDS)
    with decision(workspace):
        refuse_decided(workspace, pattern, at)
        _refuse_catalogued(workspace, pattern)
        decided(workspace).add("snoozed", pattern, at, leads=until)
    return Decision("snoozed", pattern.id, pattern.title, leads=until)


def merge(workspace: Workspace, name: str, into: str) -> Decision:
    """Make a pattern a part of another one, which may be in the catalogue or wait."""
    workspace.need_enabled()
    return _merge(workspace, get(workspace, name), into)


def _merge(workspace: Workspace, pattern: Pattern, into: str) -> Decision:
    at, room = now(), catalogue(workspace)
    target = _target(workspace, room, into)
    with decision(workspace):
        refuse_decided(workspace, pattern, at)
        if pattern.id in _chain(workspace, target):
            raise BadInput(f"{pattern.id} and {target} are one already", "Give two that differ.")
        entries = {one.id: one for one in room.all()[0]}
        if pattern.id in entries:
            retired(room, entries[pattern.id], f"merged into {target}", at)
        if target in entries:
            _add_to(room, entries[target], pattern, entries.get(pattern.id), at)
        decided(workspace).add("merged", pattern, at, leads=target)
    return Decision("merged", pattern.id, pattern.title, leads=target)


def _target(workspace: Workspace, room: Catalogue, into: str) -> str:
    """Return the id of what is merged into: an entry of the catalogue that counts, or a pattern nobody rejected."""
    try:
        entry = room.get(into)
    except NotFound:
        pattern = get(workspace, into)
    else:
        if entry.status == "retired":
            raise Refused(f"{entry.id} is retired", f"First: holdfast patterns approve {entry.id}")
        return entry.id
    refuse_decided(workspace, pattern, now())
    return pattern.id


def _chain(workspace: Workspace, name: str) -> list[str]:
    """Return the id, and what it was merged into, on to the end."""
    into = {row.id: row.leads for row in decided(workspace).rows() if row.act == "merged"}
    chain = [name]
    while chain[-1] in into and into[chain[-1]] not in chain:
        chain.append(into[chain[-1]])
    return chain


def _add_to(room: Catalogue, entry: Entry, pattern: Pattern, other: Entry | None, at: str) -> None:
    own = [f"{pattern.kind}: {each}" for each in signatures_of(pattern)]
    also = tuple(dict.fromkeys((*entry.also, *own, *(other.also if other is not None else ()))))
    room.change(
        entry,
        f"merged {pattern.id} into it",
        at,
        also=also,
        evidence=tuple(dict.fromkeys((*entry.evidence, *newest(pattern)))),
        projects=tuple(dict.fromkeys((*entry.projects, *pattern.projects))),
        fingerprints=tuple(dict.fromkeys((*entry.fingerprints, *pattern.fingerprints))),
    )


def refuse_decided(workspace: Workspace, pattern: Pattern, at: str) -> None:
    """Refuse a decision about what was rejected or is a part of another; a snooze is only put off."""
    room = decided(workspace)
    row = room.verdict(pattern, at)
    if row is None or row.act == "snoozed":
        return
    lines = ", ".join(str(one.line) for one in room.rows() if (one.act, one.id) == (row.act, row.id))
    hint = f"To decide anew, delete its lines in {room.path}: {lines}."
    raise Refused(f"{pattern.id} was {_said(row)}", hint)


def _refuse_catalogued(workspace: Workspace, pattern: Pattern) -> None:
    entry = entry_of(pattern, catalogue(workspace).all()[0])
    if entry is not None:
        raise Conflict(f"{entry.id} is in the catalogue", f"holdfast patterns show {entry.id}")


def _said(row: Row) -> str:
    leads = {"merged": " into ", "snoozed": " until "}.get(row.act, "")
    return f"{row.act}{leads}{row.leads if leads else ''} on {row.at[:10]}"


def decision(workspace: Workspace) -> files.Lock:
    """Return the lock under which a decision is made, so that two people do not decide about one pattern at once."""
    workspace.need_enabled()
    return lock(workspace.home, "pattern-decisions")


def review(workspace: Workspace, found: list[Pattern], ask: Callable[[Candidate], str]) -> Iterator[Decision]:
    """Walk through patterns that wait; each decision holds when it is yielded, and an edited one is asked for again.

    `ask` answers with a (approve), e (edit), m ID (merge), r (reject), s DAYS (snooze), n (next) or q (quit).
    """
    for pattern in found:
        made = taken_meanwhile(workspace, pattern) or _asked(workspace, candidate(pattern), ask)
        if made is None:
            return
        yield made


def _asked(workspace: Workspace, given: Candidate, ask: Callable[[Candidate], str]) -> Decision | None:
    """Ask until an answer can be carried out; None is the end of the review."""
    while True:
        act, _, detail = ask(given).strip().partition(" ")
        if act == "q":
            return None
        if act == "e":
            given = _edited(workspace, given)
            continue
        try:
            return _carried_out(workspace, given, act, detail.strip())
        except (StoreUnavailable, SwitchedOff):
            raise
        except HoldfastError as problem:
            taken = taken_meanwhile(workspace, given.pattern)
            if taken is not None:
                return taken
            workspace.say(f"{problem}. {problem.hint}")


def _carried_out(workspace: Workspace, given: Candidate, act: str, detail: str) -> Decision:
    pattern = given.pattern
    if act == "a":
        return Decision("approved", pattern.id, _approve(workspace, given).title)
    if act == "m":
        return _merge(workspace, pattern, detail)
    if act == "r":
        return _reject(workspace, pattern, detail)
    if act == "s":
        return _snooze(workspace, pattern, int(detail) if detail.isascii() and detail.isdecimal() else DAYS)
    if act == "n":
        return Decision("left", pattern.id, given.title)
    raise BadInput(f"{act!a} is no answer", "Use a, e, m ID, r, s DAYS, n or q.")


def taken_meanwhile(workspace: Workspace, pattern: Pattern) -> Decision | None:
    """Return what somebody else decided about a pattern since it was listed."""
    row = decided(workspace).verdict(pattern, now())
    if row is not None:
        return Decision("decided", pattern.id, pattern.title, why=f"it was {_said(row)}")
    entry = entry_of(pattern, catalogue(workspace).all()[0])
    if entry is None:
        return None
    return Decision("decided", pattern.id, pattern.title, leads=entry.id, why=f"{entry.id} is in the catalogue")


def _edited(workspace: Workspace, given: Candidate) -> Candidate:
    """Return what the editor made of the words; an edit that fails is said, and does not end the review."""
    try:
        return edited(workspace, given)
    except (BadInput, Conflict) as problem:
        workspace.say(f"{problem}. {problem.hint}")
        return given


def edited(workspace: Workspace, given: Candidate) -> Candidate:
    """Return the candidate in the words that the person's editor leaves: a title, and below it the statement."""
    text = editing.edited(f"# {given.title}\n\n{given.statement}\n", given.pattern.id, editing.editor(workspace))
    check_text(text)
    head, _, rest = text.strip().partition("\n")
    title, statement = (head[2:].strip(), rest.strip()) if head.startswith("# ") else (given.title, text.strip())
    if not statement:
        raise BadInput("no text is left, so nothing was changed", "To be rid of it, reject it.")
    return replace(given, title=title or given.title, statement=statement)
