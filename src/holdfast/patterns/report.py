"""Patterns: what recurs over the sessions of every agent, good and bad.

Signals come from the files beside the digests, from digests alone where a session was not harvested or its events are
gone, and from the files of ratings and fixes. Nothing is written.
"""

from __future__ import annotations

import difflib
import os
import time
from contextlib import suppress
from dataclasses import dataclass

from holdfast.base import files
from holdfast.base.clock import now
from holdfast.base.structs import replace
from holdfast.errors import HoldfastError, NotFound
from holdfast.language import when
from holdfast.language.likeness import FEWEST, words_of
from holdfast.language.ratings import Rating
from holdfast.learning.fixes import model as fixes
from holdfast.learning.ratings import model as ratings
from holdfast.learning.synthesis.model import names_of
from holdfast.patterns import session_acts, signal_files
from holdfast.patterns.clusters import Pattern, clusters, domain_of, proposed, signature
from holdfast.patterns.extract import signals_of
from holdfast.patterns.signal_files import ReasonedRating, SeenSession, Signal
from holdfast.project import resolve
from holdfast.records import Scope
from holdfast.sessions import names
from holdfast.sessions.archive import Archive
from holdfast.store import layout
from holdfast.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Gathered:
    """All signals, of how many sessions, and how many of these were not harvested yet, so that less is known."""

    signals: list[Signal]
    sessions: int = 0
    waiting: int = 0


def find(
    workspace: Workspace,
    gathered: Gathered | None = None,
    *,
    min_frequency: int = 0,
    since: str = "",
    project: str = "",
    domain: str = "",
    everything: bool = False,
) -> list[Pattern]:
    """Return what recurs in at least so many sessions (0: as the settings say), ranked; in all signals, or in these.

    It is what a person can act on; with `everything` also the rest.

    `since` is a time (`2026-11-01`, `30d`), `project` an id: then only signals from then on, or of that project and its
    aliases, are counted. A project that nothing is known of is NotFound.
    """
    gathered = gathered or gather(workspace)
    domains = workspace.settings.domains
    wanted = _projects(workspace, project, gathered)
    begin = when.moment(since, now()) if since else ""

    def counts(signal: Signal) -> bool:
        is_there = not wanted or signal.project in wanted
        return is_there and signal.at >= begin and domain in ("", domain_of(signal.project, domains))

    least = min_frequency or workspace.settings.number("patterns.min_frequency")
    found = clusters(gathered.signals, min_frequency=least, domains=domains, counts=counts)
    return found if everything else proposed(found)


# What was gathered last, and the state of the files that it was made of; a process that stays asks again and again.
_last: tuple[object, Gathered] = ("", Gathered([]))
# So long after a change another one may have the same time.
_UNSURE_NS = 1_000_000_000


def gather(workspace: Workspace) -> Gathered:
    """Return the signals of every session that is known."""
    global _last
    if not workspace.enabled:
        return Gathered([])
    state = _state(workspace.home)
    if _last[0] != state:
        newest = max((changed for _, changed, _ in state), default=0)
        found = _gathered(workspace)
        _last = (state if time.time_ns() - newest > _UNSURE_NS else "", found)
    return _last[1]


def _state(home: str) -> tuple[tuple[str, int, int], ...]:
    """Return what changes when a session, a signal, a rating or a fix is added or replaced."""
    found = []
    for place in ("archive/raw", "archive/digests", signal_files.FOLDER, "learning/signals"):
        root = os.path.join(home, place)
        for path in (root, *(os.path.join(root, name) for name in files.names_in(root))):
            with suppress(OSError):
                told = os.lstat(path)
                found.append((path, told.st_mtime_ns, told.st_size))
    return tuple(found)


def _gathered(workspace: Workspace) -> Gathered:
    archive = Archive(workspace.home)
    found: list[Signal] = []
    known = {(names.stem_of(entry.agent), names.stem_of(entry.id)): entry for entry in archive.entries()}
    waiting = 0
    for stems in dict.fromkeys([*signal_files.stems(workspace.home), *known]):
        kept = signal_files.read(workspace.home, *stems)
        if kept is not None:
            found += kept.signals
        elif stems in known:
            waiting += bool(known[stems].raw_bytes)
            # A broken digest is told by `holdfast sessions`; here it says nothing.
            with suppress(HoldfastError):
                found += signals_of(session_acts.seen_in_digest(archive.digest(known[stems].name)))
    for one in ratings.read(workspace.home):
        # What shows in somebody's words is no number that they gave.
        said = one.text if one.source == "implicit" else f"{one.rating}/10: {one.text or one.comment}"
        rated = ReasonedRating(one.rating, said, _reasons(one), one.at)
        found += signals_of(SeenSession(one.agent, one.session, one.project, one.at, ratings=(rated,)))
    found += _fixes(workspace.home, found)
    return Gathered(found, len(known), waiting)


def _reasons(rating: Rating) -> tuple[str, ...]:
    """Return what a rating is about: the groups that it is in, or else its words; nothing where it says no reason."""
    said = rating.comment or (rating.text if rating.source == "implicit" else "")
    words = sorted(word.replace(" ", "-") for word in words_of(said))
    if len(words) < FEWEST:
        words = signature(said).split()
    return tuple(names_of(rating)) or ((" ".join(words),) if len(words) >= FEWEST else ())


def _fixes(home: str, found: list[Signal]) -> list[Signal]:
    """Return the fixes that worked, each with the line where the failure stands that it mended, if that is known."""
    failures = {(one.agent, one.session, one.fingerprint): one for one in found if one.fingerprint}
    signals = []
    for fix in fixes.read(home):
        failure = failures.get((fix.agent, fix.session, fix.fingerprint))
        where = (failure.place, failure.line, failure.whole) if failure else (0, 0, "")
        for one in signals_of(SeenSession(fix.agent, fix.session, fix.project, fix.at, fixes=(fix,))):
            signals.append(replace(one, place=where[0], line=where[1], whole=where[2]))
    return signals


def _projects(workspace: Workspace, project: str, gathered: Gathered) -> frozenset[str]:
    """Return the ids of a project, with those that are its aliases; refuse one that nothing here has ever seen."""
    if not project:
        return frozenset()
    asked = resolve(workspace.home, workspace.registry, override=project, override_from="--project")
    ids = frozenset(asked.ids)
    if not workspace.enabled:
        return ids
    registry = workspace.registry.known()
    told = {one.project for one in gathered.signals}
    known = {*told, *registry.roots(), *registry.markers, *registry.repositories}
    folders = [os.path.join(workspace.store.tree.root, layout.folder_of(Scope("project", one))) for one in ids]
    if ids & known or any(map(os.path.isdir, folders)):
        return ids
    if any(one.session.project in ids for one in Archive(workspace.home).digests()):
        return ids
    near = difflib.get_close_matches(project, filter(None, known), n=1)
    hint = "`holdfast project` says which this folder is, `holdfast status` which have memories."
    raise NotFound(f"no project {project} is known here", f"Did you mean {near[0]}?" if near else hint)
