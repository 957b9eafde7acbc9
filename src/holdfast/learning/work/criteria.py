"""The ideal-state criteria of a work item: `ISC.json`, what must be true in the end, how far it is, and since when.

Identity: one file a work item; each criterion has an id (`c1`, anti-criteria `a1`) that never changes. Atomic: the file
is replaced whole. It has less than MAX_BYTES, always: the oldest history goes first. Fields that are not known here
survive, and the shapes of other systems are read. Callers hand in texts without secrets.

Evidence decides criteria: tests that passed after a change, commits, the person's words. A tick of the agent's own plan
says that the agent thinks so: it makes a criterion PARTIAL. It is SATISFIED when something outside of the agent says so
too. What nothing speaks for stays as it is.
"""

from __future__ import annotations

from holdfast.base import files
from holdfast.base.light_records import asdict, dataclass, replace
from holdfast.base.minijson import dumps, loads
from holdfast.base.text import DOTS, one_line
from holdfast.errors import BadInput, BrokenFile, NotFound, TooLarge
from holdfast.learning.work import text as work_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from holdfast.language.tools import Planned

NAME = "ISC.json"
VERSION = "1"
MAX_BYTES = 10_000
MAX_TEXT = 200
MAX_GIVEN = 40
_MAX_EVENTS = 4
_MAX_EVENT = 120
_MAX_READ = 200_000
PENDING, PARTIAL, SATISFIED, FAILED = "PENDING", "PARTIAL", "SATISFIED", "FAILED"
STATUSES = (PENDING, PARTIAL, SATISFIED, FAILED)
# How other systems call a status.
_OTHER_NAMES = {
    **{"COMPLETE": SATISFIED, "COMPLETED": SATISFIED, "DONE": SATISFIED, "VERIFIED": SATISFIED, "PASSED": SATISFIED},
    **{"IN_PROGRESS": PENDING, "ACTIVE": PENDING, "ADJUSTED": PENDING, "BLOCKED": FAILED},
}
# The fields of the file, as it is written here and by other systems; every other one is foreign.
_KNOWN = ("v", "ideal", "criteria", "anti_criteria", "antiCriteria", "current", "history", "updated_at", "updatedAt")
# How much of a criterion's words a commit must name to be about it.
_FITTING = 0.5


@dataclass(frozen=True, slots=True)
class Criterion:
    """One thing that must be true, or must not happen; `source_events` say where it and its status come from."""

    id: str
    text: str
    status: str = PENDING
    source_events: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Criteria:
    """All criteria of a work item. `history` are earlier versions, as JSON says them; `more` are foreign fields."""

    ideal: str = ""
    criteria: tuple[Criterion, ...] = ()
    anti_criteria: tuple[Criterion, ...] = ()
    version: int = 0
    history: tuple[dict[str, object], ...] = ()
    updated_at: str = ""
    more: tuple[tuple[str, object], ...] = ()

    @property
    def every(self) -> tuple[Criterion, ...]:
        """What must be true, and what must not happen."""
        return (*self.criteria, *self.anti_criteria)

    def count(self, status: str) -> int:
        """Return how many criteria have that status."""
        return sum(one.status == status for one in self.criteria)

    def is_met(self) -> bool:
        """Whether every criterion is satisfied and nothing happened that must not."""
        satisfied = self.count(SATISFIED) == len(self.criteria) > 0
        return satisfied and all(one.status != FAILED for one in self.anti_criteria)

    def get(self, name: str) -> Criterion:
        """Return the criterion of that id; NotFound where there is none."""
        by_id = {one.id.casefold(): one for one in reversed(self.every)}
        if name.casefold() not in by_id:
            ids = ", ".join([one.id for one in self.every]) or "none yet"
            raise NotFound(f"there is no criterion {name[:40]!a} in this work item", f"It has: {ids}.")
        return by_id[name.casefold()]

    def changed(self, change: Callable[[Criterion], Criterion]) -> Criteria:
        """Return the criteria with each as `change` makes it."""
        wanted, barred = (tuple(map(change, listed)) for listed in (self.criteria, self.anti_criteria))
        return replace(self, criteria=wanted, anti_criteria=barred)


def added(isc: Criteria, text: str, event: str, *, anti: bool = False, status: str = PENDING) -> Criteria:
    """Return the criteria with one more at the end; the same words stay one criterion."""
    listed = isc.anti_criteria if anti else isc.criteria
    said = " ".join(text.split())
    if not said:
        raise BadInput("there is no text for a criterion", "Say in a sentence what must be true.")
    if any(one.text.casefold() == said.casefold() for one in listed):
        return isc
    if len(isc.every) >= MAX_GIVEN:
        raise TooLarge(f"a work item has at most {MAX_GIVEN} criteria", "Make a work item of its own for the rest.")
    numbers = [int(one.id[1:]) for one in listed if one.id[1:].isdigit()]
    name = f"{'a' if anti else 'c'}{max(numbers, default=0) + 1}"
    one = Criterion(name, one_line(said, MAX_TEXT, DOTS), status, (one_line(event, _MAX_EVENT, DOTS),) if event else ())
    return replace(isc, anti_criteria=(*listed, one)) if anti else replace(isc, criteria=(*listed, one))


def marked(isc: Criteria, name: str, status: str, event: str) -> Criteria:
    """Return the criteria with the status of one changed, and why."""

    def mark(one: Criterion) -> Criterion:
        if one.id != name:
            return one
        events = (*[each for each in one.source_events if each != event], one_line(event, _MAX_EVENT, DOTS))
        return replace(one, status=status, source_events=events[-_MAX_EVENTS:])

    return isc.changed(mark)


def versioned(before: Criteria, after: Criteria, at: str, effort: str, *, closed: bool) -> Criteria:
    """Return the new criteria with what was before among their history, as deep as the effort deserves.

    Until a work item is closed nobody knows how much effort it takes, so that its first version is kept meanwhile.
    """
    version = before.version + 1
    now = replace(after, version=version, updated_at=at)
    kept = [one for one in before.history if isinstance(one.get("version"), int)]
    if before.version and all(one.get("version") != before.version for one in kept):
        kept.append(_snapshot(before))
    first = [one for one in kept if one.get("version") == 1]
    if effort != "deep":
        kept = first if effort == "standard" or not closed else []
    if closed:
        kept = [one for one in kept if one.get("version") != version] + [_snapshot(now)]
    return replace(now, history=tuple(kept))


def _snapshot(isc: Criteria) -> dict[str, object]:
    return {"version": isc.version, "at": isc.updated_at, "status": {one.id: one.status for one in isc.every}}


def read(folder: str) -> Criteria:
    """Return the criteria in the folder of a work item; none where there is no file, BrokenFile where it is no JSON."""
    path = f"{folder}/{NAME}"
    try:
        value = loads(files.read(path, _MAX_READ).decode("utf-8", "replace"))
    except NotFound:
        return Criteria()
    except ValueError as problem:
        raise BrokenFile(f"{path} is not JSON: {problem}", "Correct it in your editor.") from None
    if not isinstance(value, dict):
        raise BrokenFile(f"{path} is not a JSON object", "Correct it in your editor.")
    return parsed(value)


def parsed(value: dict[str, object]) -> Criteria:
    """Return the criteria that a JSON object says, in the shape of any system that has such a file."""
    current, history = value.get("current"), value.get("history")
    told = current if isinstance(current, dict) else {}
    version = told.get("version", 0)
    barred = value.get("anti_criteria", value.get("antiCriteria", told.get("antiCriteria")))
    return Criteria(
        ideal=_text(value, "ideal"),
        criteria=_listed(value.get("criteria", told.get("criteria")), "c"),
        anti_criteria=_listed(barred, "a"),
        version=version if isinstance(version, int) and version >= 0 else 0,
        history=tuple([one for one in history if isinstance(one, dict)]) if isinstance(history, list) else (),
        updated_at=_text(value, "updated_at", "updatedAt"),
        more=tuple([(name, one) for name, one in value.items() if name not in _KNOWN]),
    )


def _listed(value: object, letter: str) -> tuple[Criterion, ...]:
    found: list[Criterion] = []
    for number, one in enumerate(value if isinstance(value, list) else [], 1):
        told: dict[str, object] = one if isinstance(one, dict) else {"text": one}
        text = _text(told, "text", "description")
        status = _text(told, "status").upper().replace(" ", "_").replace("-", "_")
        status = _OTHER_NAMES.get(status, status)
        events = told.get("source_events", told.get("sourceEventIds", ()))
        if text:
            name = _text(told, "id") or f"{letter}{number}"
            listed = tuple([str(event) for event in events]) if isinstance(events, list) else ()
            found.append(Criterion(name, text, status if status in STATUSES else PENDING, listed))
    return tuple(found)


def _text(value: dict[str, object], *names: str) -> str:
    found = [value[name] for name in names if isinstance(value.get(name), (str, int))]
    return str(found[0]) if found else ""


def write(folder: str, isc: Criteria) -> Criteria:
    """Write the criteria into the folder of a work item and return them as they are there now."""
    fitting = fitted(isc)
    files.write(f"{folder}/{NAME}", encoded(fitting))
    return fitting


def encoded(isc: Criteria) -> bytes:
    """Return the criteria as the bytes of their file, for people to read."""
    plain = {
        "v": VERSION,
        "ideal": isc.ideal,
        "criteria": list(map(asdict, isc.criteria)),
        "anti_criteria": list(map(asdict, isc.anti_criteria)),
        "current": {"version": isc.version, **{status.lower(): isc.count(status) for status in STATUSES}},
        "history": list(isc.history),
        "updated_at": isc.updated_at,
        **dict(isc.more),
    }
    lines = [f"  {dumps(name)}: {_lines(value)}" for name, value in plain.items()]
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode("utf-8", "replace")


def _lines(value: object) -> str:
    """Return a value as JSON, a list with one entry a line."""
    if isinstance(value, list) and value:
        return "[\n" + ",\n".join([f"    {dumps(one)}" for one in value]) + "\n  ]"
    return dumps(value)


def fitted(isc: Criteria) -> Criteria:
    """Return the criteria so that they fit into their bytes: the oldest history goes, then long words are cut."""
    while isc.history and len(encoded(isc)) >= MAX_BYTES:
        isc = replace(isc, history=isc.history[1:])
    if len(encoded(isc)) < MAX_BYTES:
        return isc
    for most, events in ((MAX_TEXT, 1), (120, 1), (80, 0), (40, 0), (12, 0)):

        def shorter(one: Criterion, most: int = most, events: int = events) -> Criterion:
            kept = tuple([one_line(event, 80, DOTS) for event in one.source_events[-1:][:events]])
            return replace(one, id=one.id[:20], text=one_line(one.text, most, DOTS), source_events=kept)

        isc = replace(isc.changed(shorter), ideal=one_line(isc.ideal, most, DOTS))
        if len(encoded(isc)) < MAX_BYTES:
            return isc
    # Only foreign fields, or more criteria than anybody can have given by this program, are that long.
    return fitted(replace(isc, more=(), criteria=isc.criteria[:MAX_GIVEN], anti_criteria=isc.anti_criteria[:10]))


@dataclass(frozen=True, slots=True)
class WorkEvidence:
    """What happened for a work item.

    `passed` and `failed` are the run of tests behind the last change that ended so. `commits` are subjects of commits
    behind the first change, `files` what was changed. `said` is the person's verdict, `words` are theirs.
    """

    at: str
    passed: str = ""
    failed: str = ""
    commits: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    said: str = ""
    words: str = ""


def planned(isc: Criteria, entries: Iterable[Planned], at: str) -> Criteria:
    """Return the criteria with the entries of a plan among them; what it ticks is PARTIAL, and never more."""
    for entry in entries:
        wanted = " ".join(entry.text.split()).casefold()
        known = next((one for one in isc.criteria if one.text.casefold() == wanted), None)
        if known is None and len(isc.every) < MAX_GIVEN:
            isc = added(isc, entry.text, f"plan {at}", status=PARTIAL if entry.ticked else PENDING)
        elif known is not None and entry.ticked and known.status == PENDING:
            isc = marked(isc, known.id, PARTIAL, f"ticked in the plan {at}")
    return isc


def applied(isc: Criteria, seen: WorkEvidence) -> Criteria:
    """Return the criteria as the evidence leaves them."""
    if seen.said == "bad":
        for one in [one for one in isc.criteria if one.status in (SATISFIED, PARTIAL)]:
            isc = marked(isc, one.id, PENDING, _said(seen))
        return isc
    for one in isc.criteria:
        status, why = _judged(one, seen, only_one=len(isc.criteria) == 1)
        if status and status != one.status:
            isc = marked(isc, one.id, status, why)
    for one in isc.anti_criteria:
        named = [name.strip("`'\"").removeprefix("./").casefold() for name in work_text.files_named(one.text)]
        ends = tuple([f"/{name}" for name in named])
        touched = next((path for path in seen.files if f"/{path.casefold()}".endswith(ends)), "")
        if touched and one.status != FAILED:
            isc = marked(isc, one.id, FAILED, f"{touched} was changed {seen.at}")
    return isc


def _judged(one: Criterion, seen: WorkEvidence, *, only_one: bool) -> tuple[str, str]:
    """Return the status that the evidence gives to a criterion, and why; nothing where it says nothing about it."""
    if seen.said in ("done", "good"):
        # Their word is about all criteria, unless it names the things that work.
        things = work_text.things_that_work(seen.words) if seen.said == "good" and not only_one else ""
        is_meant = not things or work_text.topic([things]).stems & work_text.topic([one.text]).stems
        return (SATISFIED, _said(seen)) if is_meant else ("", "")
    spoken = frozenset(work_text.plain(one.text))
    about_tests = spoken & work_text.every("tests") and spoken & work_text.every("passing")
    if about_tests and (seen.passed or seen.failed):
        run = seen.failed or seen.passed
        return (FAILED if seen.failed else SATISFIED), f"`{one_line(run, 60, DOTS)}` {_ended(seen)} {seen.at}"
    if one.status == SATISFIED or seen.failed:
        return "", ""
    about = _commit_about(one, seen.commits)
    counts = one.status == PARTIAL or (only_one and seen.passed) or spoken & work_text.every("commits")
    if about or (seen.commits and counts):
        return SATISFIED, f"commit: {one_line(about or seen.commits[-1], 90, DOTS)}"
    if seen.passed and one.status == PARTIAL:
        return SATISFIED, f"`{one_line(seen.passed, 60, DOTS)}` {_ended(seen)} {seen.at}"
    if only_one and one.status == PENDING and (seen.passed or seen.commits):
        return PARTIAL, f"`{one_line(seen.passed or seen.commits[-1], 60, DOTS)}` {seen.at}"
    return "", ""


def _said(seen: WorkEvidence) -> str:
    return f'the person said: "{one_line(seen.words, 80, DOTS)}"'


def _ended(seen: WorkEvidence) -> str:
    return "failed" if seen.failed else "passed"


def _commit_about(one: Criterion, commits: tuple[str, ...]) -> str:
    """Return the subject of the last commit that is about a criterion, by its words."""
    wanted = work_text.topic([one.text])
    for subject in reversed(commits):
        shared = len(work_text.topic([subject]).stems & wanted.stems)
        if shared and shared / max(1, min(len(wanted.stems), 4)) >= _FITTING:
            return subject
    return ""
