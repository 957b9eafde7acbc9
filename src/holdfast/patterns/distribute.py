"""Hand an approved pattern to agents, and take it back: the plan with a diff first, then what carries it out.

A pattern becomes what fits: a memory, a lesson, a rule in the files that agents read, a skill, or a warning when its
failure occurs. Where it went stands in its entry of the catalogue, written before a file of an agent changes. When it
is withdrawn, every byte of ours goes out of these files, and every foreign one stays.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, replace

from holdfast import agents
from holdfast.agents.base import Agent, ConfigChange, ManagedFile, Place
from holdfast.agents.editing.plan import apply as carry_out
from holdfast.agents.editing.plan import clear_leftovers, remove_empty
from holdfast.base.clock import now
from holdfast.errors import BadInput, BrokenFile, Conflict, NotFound, Refused
from holdfast.memory import audit
from holdfast.patterns import catalogue_file, targets
from holdfast.patterns import distribute_forms as forms
from holdfast.patterns.catalogue import Catalogue
from holdfast.patterns.catalogue_file import CatalogueEntry, Target
from holdfast.patterns.review import decision
from holdfast.patterns.targets import FileEdits
from holdfast.records import Step
from holdfast.workspace import Workspace

TARGETS = (*forms.FORMS, *targets.FILES)
SCOPES = ("project", "global")


@dataclass(frozen=True, slots=True)
class DistributionPlan:
    """What would change of which entry: files of agents by their place, other forms, and its targets afterwards.

    `notes` is what a person should know before.
    """

    entry: CatalogueEntry
    act: str
    files: tuple[tuple[Place, tuple[ConfigChange, ...]], ...] = ()
    forms: tuple[Target, ...] = ()
    targets: tuple[Target, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def changes(self) -> tuple[ConfigChange, ...]:
        """All changes of files."""
        return tuple(change for _, changes in self.files for change in changes)

    @property
    def steps(self) -> tuple[Step, ...]:
        """What happens besides to memories, lessons and warnings."""
        said = forms.line_of(forms.text_of(self.entry)) if self.act == "distribute" else self.entry.title
        reason = f"{self.entry.id}  {said}"
        return tuple(Step(self.act, f"{one.to} {one.scope} {one.where}".rstrip(), reason) for one in self.forms)

    @property
    def is_empty(self) -> bool:
        """Whether nothing would change."""
        return not (self.changes or self.forms) and self.targets == self.entry.targets


def plan(
    workspace: Workspace,
    name: str,
    *,
    to: str = "",
    names: tuple[str, ...] = (),
    scope: str = "project",
    force: bool = False,
) -> DistributionPlan:
    """Return what hands the pattern to these agents, or to all that are here; without `to`, what brings it up to date.

    Several agents that read one file get it once. Where one file cannot be used, nothing is changed anywhere.
    """
    workspace.need_enabled()
    entry = Catalogue(workspace.home).get(name)
    if entry.status == "retired":
        raise Refused(f"{entry.id} is retired", f"First: holdfast patterns approve {entry.id}")
    if not to:
        return renewal(workspace, entry, force=force)
    if to not in TARGETS or scope not in SCOPES:
        raise BadInput(f"{to!a} in {scope!a} is not a target", f"Use one of {', '.join(TARGETS)}, project or global.")
    if to in targets.FILES:
        return _into_files(workspace, entry, to, names, scope, force=force)
    if names:
        raise BadInput(f"a {to} is for every agent", "Leave --agent out, or use --to rules or --to skill.")
    return _into_form(workspace, entry, to, scope, force=force)


def renewal(workspace: Workspace, entry: CatalogueEntry, *, force: bool = False) -> DistributionPlan:
    """Return what makes every place of the pattern say what it says now; what somebody took out is not put again."""
    if not entry.live:
        raise BadInput(f"{entry.id} is not distributed yet", f"Say where to: --to {'|'.join(TARGETS)}")
    by_place: dict[str, FileEdits] = {}
    stale, gone = [], []
    for one in entry.live:
        if one.to in targets.FILES:
            head, body = text_for(entry, one.to)
            edits = edits_of(workspace, one, by_place)
            gone += [] if targets.renew(edits, one.where, entry.id, body, head=head, force=force) else [one]
        elif (state := forms.state_of(workspace, entry, one)) == "missing":
            gone.append(one)
        elif state == "old":
            forms.check(workspace, entry, one, earlier_texts(workspace, entry), force=force)
            stale.append(one)
    files = _changes_of(by_place)
    paths = {change.path for _, changes in files for change in changes}
    new = {one: replace(one, version=entry.version) for one in entry.live if one in stale or one.where in paths}
    after = tuple(new.get(one, one) for one in entry.targets)
    notes = tuple(f"somebody took it out of {one.where}; withdraw it, or distribute it there again" for one in gone)
    return DistributionPlan(entry, "distribute", files, tuple(new[one] for one in stale), after, notes)


def edits_of(workspace: Workspace, target: Target, by_place: dict[str, FileEdits]) -> FileEdits:
    """Return the edits of the files at the place of a target: one for each scope and folder."""
    scope = "user" if target.scope == "global" else "project"
    folder = os.path.dirname(target.where)
    where = f"{scope} {folder if scope == 'project' else ''}"
    if where not in by_place:
        by_place[where] = FileEdits(Place(workspace.place("user").home, folder, scope, workspace.environment))
    return by_place[where]


def _changes_of(by_place: dict[str, FileEdits]) -> tuple[tuple[Place, tuple[ConfigChange, ...]], ...]:
    return tuple((edits.place, changes) for edits in by_place.values() if (changes := edits.changes()))


def _into_files(
    workspace: Workspace, entry: CatalogueEntry, to: str, names: tuple[str, ...], scope: str, *, force: bool
) -> DistributionPlan:
    place = workspace.place("user" if scope == "global" else "project")
    where = str(workspace.scope(scope)).replace(":", "/", 1)
    options = _options(workspace, entry, to, names, place)
    live = [one for one in entry.live if one.to == to and one.scope == where]
    edits, new = FileEdits(place), []
    head, body = text_for(entry, to)
    for path, (file, readers) in targets.fewest_files(options, [one.where for one in live]).items():
        targets.put_into(edits, file, entry.id, body, head=head, force=force)
        new.append(Target(to, path, readers, where, entry.version, now()))
    changes = edits.changes()
    files = ((place, changes),) if changes else ()
    paths = {change.path for change in changes}
    # A file that does not change says what an earlier version said, too.
    new = [one if one.where in paths else replace(one, version=0) for one in new]
    return DistributionPlan(entry, "distribute", files, (), _merged(entry, new), tuple(_notes(changes)))


def text_for(entry: CatalogueEntry, to: str) -> tuple[str | None, str]:
    """Return what a file of the pattern's own begins with, None where its place says that, and the text."""
    text = forms.text_of(entry)
    if to == "rules":
        return None, targets.rule_text(text)
    head = targets.skill_head(entry.id, forms.line_of(entry.title), text)
    return head, targets.rule_text(text, targets.MAX_SKILL)


def _options(
    workspace: Workspace, entry: CatalogueEntry, to: str, names: tuple[str, ...], place: Place
) -> dict[str, list[ManagedFile]]:
    """Return for each agent the files by which it can be told: for those that were asked for, or all that are here."""
    found = {}
    asked = [agents.get(name) for name in dict.fromkeys(names)]
    if not names:
        user = workspace.place("user")
        asked = [one for one in loadable_agents() if one.detect(user) is not None or one.detect(place) is not None]
    for agent in asked:
        if to == "rules":
            several = agent.instruction_files(place, targets.name_of(entry.id))
        else:
            folders = agent.skill_folders(place)
            several = [ManagedFile(os.path.join(one, targets.name_of(entry.id), targets.SKILL)) for one in folders]
        if several:
            found[agent.name] = _usable(several, place)
        elif names:
            where = "for everywhere" if place.scope == "user" else "in a project"
            raise BadInput(f"{agent.title} reads no {to} {where}", "Use another --scope, or --to memory.")
    if not found:
        raise NotFound("no agent was found here", "Name them: --agent NAME. `holdfast install` lists them.")
    return found


def _usable(several: list[ManagedFile], place: Place) -> list[ManagedFile]:
    """Return the files that the paths lead to; the best must be usable, of the others those that are."""
    found: list[ManagedFile] = []
    for one in several:
        try:
            found.append(ManagedFile(targets.real_path(one.path, place), one.head, block=one.block))
        except Refused:
            if not found:
                raise
    return found


def loadable_agents() -> list[Agent]:
    """Return every agent that can be loaded; of a package that is broken an install tells."""
    found = []
    for name in agents.names():
        try:
            found.append(agents.get(name))
        except NotFound:
            continue
    return found


def _notes(changes: Iterable[ConfigChange]) -> Iterable[str]:
    """Say which agents read a new file instead of another one from now on."""
    choosing = [agent for agent in loadable_agents() if agent.reads_first]
    for change in changes:
        folder, name = os.path.split(change.path)
        for agent in choosing if change.before is None else ():
            later = agent.reads_first[agent.reads_first.index(name) + 1 :] if name in agent.reads_first else ()
            other = next((one for one in later if os.path.exists(os.path.join(folder, one))), "")
            if other:
                yield f"{change.path} is new: from now on {agent.title} reads it instead of {other}"


def _into_form(workspace: Workspace, entry: CatalogueEntry, to: str, scope: str, *, force: bool) -> DistributionPlan:
    where = str(workspace.scope(scope)).replace(":", "/", 1)
    live = [one for one in entry.live if (one.to, one.scope) == (to, where)]
    target = live[0] if live else Target(to, forms.where_of(entry, to), (), where, entry.version, now())
    if live and forms.state_of(workspace, entry, target) == "there":
        return DistributionPlan(entry, "distribute", targets=entry.targets)
    forms.check(workspace, entry, target, earlier_texts(workspace, entry), force=force)
    target = replace(target, version=entry.version)
    return DistributionPlan(entry, "distribute", (), (target,), _merged(entry, [target]))


def earlier_texts(workspace: Workspace, entry: CatalogueEntry) -> set[str]:
    """Return everything that an entry ever told agents."""
    versions = [entry]
    for one in Catalogue(workspace.home).versions(entry.id):
        try:
            versions.append(catalogue_file.read(one.text, entry.id))
        except BrokenFile:
            continue
    return {forms.text_of(one) for one in versions}


def _merged(entry: CatalogueEntry, new: list[Target]) -> tuple[Target, ...]:
    """Return the targets with new ones; one that is there gets more agents and the newer version."""
    found = list(entry.targets)
    for one in new:
        where = (one.to, one.scope, one.where)
        same = [i for i, each in enumerate(found) if each.holds and (each.to, each.scope, each.where) == where]
        if same:
            there = found[same[0]]
            readers = tuple(sorted({*there.agents, *one.agents}))
            found[same[0]] = replace(there, agents=readers, version=one.version or there.version)
        else:
            found.append(replace(one, agents=tuple(sorted(one.agents)), version=one.version or entry.version))
    return tuple(found)


def apply(workspace: Workspace, planned: DistributionPlan) -> CatalogueEntry:
    """Carry a plan of distribution out and return the entry; where a file cannot be written, its targets stay.

    What is about to be made is noted before, so that after a kill it is known, finished by the next run, or withdrawn.
    """
    with decision(workspace):
        catalogue = _unchanged(workspace, planned)
        # Only of a lesson it is not known before what it will be called.
        lessons = {one: forms.store(workspace, planned.entry, one) for one in planned.forms if one.to == "lesson"}
        after = tuple(lessons.get(one, one) for one in planned.targets)
        kinds = dict.fromkeys(one.to for one in planned.targets if one.holds and one not in planned.entry.targets)
        change = f"distributed: {', '.join(kinds)}" if kinds else "distributed anew"
        entry = catalogue.change(planned.entry, change, now(), targets=after, status="approved")
        try:
            _make(workspace, planned)
        except BaseException:
            before = {"targets": planned.entry.targets, "status": planned.entry.status}
            catalogue.change(entry, "could not be distributed", now(), **before)
            targets.note_gone(workspace.home)
            raise
    _note(workspace, planned)
    return entry


def _unchanged(workspace: Workspace, planned: DistributionPlan) -> Catalogue:
    """Return the catalogue; Conflict where it does not have the entry any more as it was when the plan was made."""
    catalogue = Catalogue(workspace.home)
    if catalogue.get(planned.entry.id) != planned.entry:
        raise Conflict(f"{planned.entry.id} changed meanwhile; nothing was changed", "Look at it, and try again.")
    return catalogue


def _make(workspace: Workspace, planned: DistributionPlan) -> None:
    """Store the memories and warnings of a plan, and write its files."""
    for one in planned.forms:
        if one.to != "lesson":
            forms.store(workspace, planned.entry, one)
    _clear_up(planned.targets)
    new = [change.path for change in planned.changes if change.before is None]
    folders = set()
    for path in new:
        while not os.path.lexists(path := os.path.dirname(path)):
            folders.add(path)
    targets.note_made(workspace.home, new, folders)
    for place, changes in planned.files:
        carry_out(list(changes), place)


def _clear_up(several: Iterable[Target]) -> None:
    """Remove what a killed run left half-written beside the files of these targets."""
    for folder in {os.path.dirname(one.where) for one in several if one.to in targets.FILES}:
        clear_leftovers(folder)


def _note(workspace: Workspace, planned: DistributionPlan) -> None:
    """Write down which files of agents changed; memories have a record of their own."""
    if planned.changes:
        with audit.Act(workspace, planned.act, keep=False) as act:
            for change in planned.changes:
                act.done(change.path, f"pattern {planned.entry.id}")


def plan_withdrawal(
    workspace: Workspace, name: str, *, to: str = "", names: tuple[str, ...] = (), scope: str = "", force: bool = False
) -> DistributionPlan:
    """Return what takes the pattern back: from everywhere, or only of that form, those agents or that scope.

    A file that other agents read, too, keeps it. What somebody edited is a Conflict, unless with `force`.
    """
    workspace.need_enabled()
    if to not in ("", *TARGETS):
        raise BadInput(f"{to!a} is not a target", f"Use one of {', '.join(TARGETS)}.")
    entry = Catalogue(workspace.home).get(name)
    wanted = [one for one in entry.live if to in ("", one.to) and scope in ("", one.scope.partition("/")[0])]
    if names:
        wanted = [one for one in wanted if set(names) & set(one.agents)]
    by_place: dict[str, FileEdits] = {}
    after: dict[Target, Target] = {}
    for one in wanted:
        left = tuple(each for each in one.agents if each not in names) if names else ()
        after[one] = replace(one, agents=left) if left else replace(one, withdrawn=now())
        if left:
            continue
        if one.to in targets.FILES:
            made = targets.placed(workspace.home).files
            targets.take_out(edits_of(workspace, one, by_place), one.where, entry.id, made, force=force)
        else:
            forms.check(workspace, entry, one, earlier_texts(workspace, entry), force=force)
    files = _changes_of(by_place)
    taken = tuple(new for new in after.values() if new.withdrawn and new.to not in targets.FILES)
    return DistributionPlan(entry, "withdraw", files, taken, tuple(after.get(one, one) for one in entry.targets))


def withdraw(workspace: Workspace, planned: DistributionPlan) -> CatalogueEntry:
    """Carry a plan of withdrawal out and return the entry; what is out of the files is then noted."""
    with decision(workspace):
        catalogue = _unchanged(workspace, planned)
        for place, changes in planned.files:
            carry_out(list(changes), place)
        for one in planned.forms:
            forms.take_out(workspace, planned.entry, one)
        ended = [one for one in planned.targets if not one.holds and one not in planned.entry.targets]
        _clear_up(ended)
        # A file may be gone already: somebody removed it, or a run before this one was killed.
        tidy(workspace, [one.where for one in ended if one.to in targets.FILES])
        status = planned.entry.status if any(one.holds for one in planned.targets) else "withdrawn"
        kinds = ", ".join(dict.fromkeys(one.to for one in ended)) or "from some agents"
        entry = catalogue.change(planned.entry, f"withdrawn: {kinds}", now(), targets=planned.targets, status=status)
    _note(workspace, planned)
    return entry


def tidy(workspace: Workspace, paths: Iterable[str]) -> None:
    """Remove the folders that we made for these files, as far as they are empty."""
    paths = list(paths)
    made = targets.placed(workspace.home).folders
    remove_empty([one for one in made if any(path.startswith(one.rstrip("/") + "/") for path in paths)])
    targets.note_gone(workspace.home)
