"""Withdraw a pattern: every byte of ours goes out of the files that agents read, and every foreign one stays."""

from __future__ import annotations

from holdfast.agents.editing.apply import apply as carry_out
from holdfast.agents.editing.apply import remove_empty
from holdfast.base.clock import now
from holdfast.base.light_records import replace
from holdfast.errors import BadInput, Conflict
from holdfast.patterns import distribute, placed, targets
from holdfast.patterns import distribute_forms as forms
from holdfast.patterns import review as pattern_review
from holdfast.patterns.catalogue import Entry, Target
from holdfast.patterns.distribute import Plan
from holdfast.patterns.targets import Desk
from holdfast.workspace import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def plan(
    workspace: Workspace, name: str, *, to: str = "", names: tuple[str, ...] = (), scope: str = "", force: bool = False
) -> Plan:
    """Return what takes the pattern back: from everywhere, or only of that form, those agents or that scope.

    A file that other agents read, too, keeps it. What somebody edited is a Conflict, unless with `force`.
    """
    workspace.need_enabled()
    if to not in ("", *distribute.TARGETS):
        raise BadInput(f"{to!a} is no target", f"Use one of {', '.join(distribute.TARGETS)}.")
    entry = pattern_review.catalogue(workspace).get(name)
    wanted = [one for one in entry.live if to in ("", one.to) and scope in ("", one.scope.partition("/")[0])]
    if names:
        wanted = [one for one in wanted if set(names) & set(one.agents)]
    desks: dict[str, Desk] = {}
    after: dict[Target, Target] = {}
    for one in wanted:
        left = tuple(each for each in one.agents if each not in names) if names else ()
        if left:
            after[one] = replace(one, agents=left)
            continue
        _take_out(workspace, entry, one, desks, force=force)
        after[one] = replace(one, withdrawn=now())
    files = tuple((desk.place, changes) for desk in desks.values() if (changes := desk.changes()))
    taken = tuple(new for new in after.values() if new.withdrawn and new.to not in targets.FILES)
    return Plan(entry, "withdraw", files, taken, tuple(after.get(one, one) for one in entry.targets))


def _take_out(workspace: Workspace, entry: Entry, one: Target, desks: dict[str, Desk], *, force: bool) -> None:
    if one.to in targets.FILES:
        desk = distribute.desk_of(workspace, one, desks)
        targets.take_out(desk, one.where, entry.id, placed.read(workspace.home).files, force=force)
    else:
        forms.check(workspace, entry, one, distribute.told(workspace, entry), force=force)


def apply(workspace: Workspace, planned: Plan) -> Entry:
    """Carry a plan of withdrawal out and return the entry; what is out of the files is then noted."""
    with pattern_review.decision(workspace):
        room = pattern_review.catalogue(workspace)
        if room.get(planned.entry.id) != planned.entry:
            raise Conflict(f"{planned.entry.id} changed meanwhile; nothing was changed", "Look at it, and try again.")
        for place, changes in planned.files:
            carry_out(list(changes), place)
        for one in planned.forms:
            forms.take_out(workspace, planned.entry, one)
        ended = [one for one in planned.targets if not one.holds and one not in planned.entry.targets]
        distribute.clear_up(ended)
        # A file may be gone already: somebody removed it, or a run before this one was killed.
        tidy(workspace, [one.where for one in ended if one.to in targets.FILES])
        status = planned.entry.status if any(one.holds for one in planned.targets) else "withdrawn"
        kinds = ", ".join(dict.fromkeys(one.to for one in ended)) or "from some agents"
        entry = room.change(planned.entry, f"withdrawn: {kinds}", now(), targets=planned.targets, status=status)
    distribute.note(workspace, planned)
    return entry


def tidy(workspace: Workspace, paths: Iterable[str]) -> None:
    """Remove the folders that we made for these files, as far as they are empty."""
    paths = list(paths)
    made = placed.read(workspace.home).folders
    remove_empty([one for one in made if any(path.startswith(one.rstrip("/") + "/") for path in paths)])
    placed.gone(workspace.home)
