"""What hooks do for rules: at a call that a condition names, the rule is said, or it holds the call.

A rule is said once in a context, so again after a compaction, and holds once in a session; `deny` always holds. Which
of these a rule does stands in the table of its scope. Where an agent hears nothing before a call, it hears it after it.
"""

from __future__ import annotations

import os

from holdfast.base.clock import Deadline
from holdfast.errors import HoldfastError
from holdfast.parts import CONTINUES, Effect
from holdfast.rules import table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.parts import HookRun
    from holdfast.records import Project, Scope
    from holdfast.rules.matching import Found
    from holdfast.rules.table import RuleRow
    from holdfast.workspace import Workspace

BEFORE, AFTER = "before-tool", "after-tool"
# So much of a call is looked at for names of links; these signs stand around names.
_MAX_LOOKED, _MAX_WORDS = 1_000, 24
_SIGNS = "".join([" " if chr(code) in "\"'`<>|&;(){}[],=:" else chr(code) for code in range(128)])
MADE_ONCE = ("_SIGNS",)
# Where nobody has a project, and so many others are looked at.
_NOBODYS = ("/dev/null", "/dev/std", "/proc/", "/sys/", "/usr/", "/bin/", "/etc/", "/lib/")
_MAX_OTHERS = 2


def at_before_tool(run: HookRun) -> list[Effect]:
    """Hold a call that a rule forbids; say a rule, where the agent passes on what is said before a call."""
    found = holding_for(run)
    if not found:
        return []
    from holdfast.rules import wording

    says_before = BEFORE in run.agent.injects or AFTER not in run.agent.injects
    return wording.holding(run, found) or (wording.saying(run, found) if says_before else [])


def at_after_tool(run: HookRun) -> list[Effect]:
    """Say the rules that this call fulfils, where that was not possible before it ran, or where it had to fail."""
    was_before = BEFORE in run.agent.injects or (AFTER not in run.agent.injects and BEFORE in run.agent.events.values())
    call, agent = run.call, run.agent
    # Who tells no hook how a command ended is believed by what it printed, for rules about a failure alone.
    tells = agent.tells_exits or "tool-failed" in agent.events.values()
    printed = "" if call.error or tells else call.output
    if not call.error and was_before and not printed:
        return []
    found = holding_for(run, printed=printed)
    if printed and was_before:
        found = [one for one in found if "failure:" in one.row.condition]
    if not found:
        return []
    from holdfast.rules import wording

    return wording.saying(run, found)


at_tool_failed = at_after_tool


def at_compact(run: HookRun) -> list[Effect]:
    """Let what was said be said again: the context that had it is about to go."""
    from holdfast.rules import session_log

    place = session_log.place_of(run.home, run.session)
    return [Effect(lambda: session_log.lose(place))] if os.path.exists(place) else []


def at_start(run: HookRun) -> list[Effect]:
    """The same, where a session begins again without its context."""
    return [] if run.call.source in CONTINUES else at_compact(run)


def holding_for(run: HookRun, line: str = "", printed: str = "") -> list[Found]:
    """Return the rules that hold for this call, or for a command line, the most specific first; nearly always none."""
    given = line or run.call.tool_input
    # Some agents escape letters; lines that cannot be searched as they are get parsed.
    is_plain = given.isascii() and "\\u" not in given
    # What is named from a folder below the top of the project begins there; what is named by a link may be anything.
    project, folder = run.project(), run.call.folder
    if project and folder != project.root:
        is_below = folder.startswith(f"{project.root}/")
        given, is_plain = f"{given} {folder[len(project.root) :]}", is_plain and is_below
    rules: list[tuple[Scope, RuleRow]] = []
    for scopes in run.scopes().values():
        for scope in scopes:
            rules += [(scope, row) for row in table.rows(run.workspace, scope, lambda _, one: _rebuild(run, one))]
    if project and is_plain and any(row.is_of_files for _, row in rules):
        given = f"{given} {_behind_links(given, folder, project.root)}"
    likely = [each for each in rules if not is_plain or each[1].is_likely(given)]
    others = _of_others(run, given, is_plain=is_plain)
    if not likely and not others:
        return []
    from holdfast.rules.matching import matching

    found = matching(run, likely, line, printed) if likely else []
    return found + [one for other, rows in others for one in matching(run, rows, line, printed, other)]


def _of_others(run: HookRun, given: str, *, is_plain: bool) -> list[tuple[Project, list[tuple[Scope, RuleRow]]]]:
    """Return the rules that may hold in other projects into which a call goes, or in which it names something."""
    found = []
    for other in others(run.workspace, given, run.call.folder, run.project()):
        rows = [
            (scope, row)
            for scope in other.visible("project")
            for row in table.rows(other, scope, lambda _, one: _rebuild(run, one))
            if not is_plain or row.is_likely(given)
        ]
        found += [(other.project(), rows)] if rows else []
    return found


def others(workspace: Workspace, given: str, folder: str, own: Project | None) -> list[Workspace]:
    """Return the home as seen from other projects that a call names a folder or file of; nearly always none."""
    found: dict[str, Workspace] = {}
    if "/" not in given and (own is not None or "cd " not in given):
        return []
    for word in given[:_MAX_LOOKED].replace("\\n", " ").translate(_SIGNS).split()[:_MAX_WORDS]:
        # Below its own project nothing is another's, and a name alone leads nowhere else.
        if word[0] not in "/~." and own is not None:
            continue
        path = os.path.normpath(os.path.join(folder, os.path.expanduser(word)))
        if path.startswith(_NOBODYS) or (own is not None and f"{path}/".startswith(f"{own.root}/")):
            continue
        place = path if os.path.isdir(path) else os.path.dirname(path)
        if len(found) < _MAX_OTHERS and place not in ("", "/") and os.path.isdir(place):
            from holdfast.rules.matching import workspace_at

            there = workspace_at(workspace, place)
            project = there.project_if_any()
            if project is not None and project.rule != "path" and (own is None or project.id not in own.ids):
                found.setdefault(project.id, there)
    return [*found.values()]


def _behind_links(given: str, folder: str, root: str) -> str:
    """Return to where the first words of a call lead that go through a link inside of the project."""
    words = [one for one in given[:_MAX_LOOKED].replace("\\n", " ").translate(_SIGNS).split() if one[0] != "-"]
    found = []
    for word in words[:_MAX_WORDS]:
        path = os.path.normpath(os.path.join(folder, word))
        parts = path[len(root) + 1 :].split("/") if path.startswith(f"{root}/") else []
        if any(os.path.islink("/".join([root, *parts[:end]])) for end in range(1, len(parts) + 1)):
            found.append(os.path.realpath(path))
    return " ".join(found)


def _rebuild(run: HookRun, scope: Scope) -> bool:
    """Make the table of a scope again, where the index is there and nobody holds it: a hook never fills one.

    It takes longer than a hook may wait for others, and given up half-way it would be begun anew at every call.
    """
    import sqlite3

    from holdfast.rules.build import build
    from holdfast.store.read_only_index import ReadOnlyIndex

    waits_until = Deadline.until
    try:
        ReadOnlyIndex(run.home, lambda: False).close()
        other = sqlite3.connect(os.path.join(run.home, "index.db"), timeout=0.0, isolation_level=None)
        try:
            # Whoever writes now would be waited for as long as the work may take.
            other.execute("BEGIN IMMEDIATE")
        finally:
            other.close()
        Deadline.until = run.ends
        build(run.workspace, scope)
    except (HoldfastError, OSError, sqlite3.Error) as problem:
        run.log("rules", problem, notice=False)
        return False
    finally:
        Deadline.until = waits_until
    return True
