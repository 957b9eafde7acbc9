"""How the rules of a scope are found: its files are looked at, and the index says which memories are rules."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from holdfast.base.text import CUT, cut
from holdfast.language.conditions import needles
from holdfast.language.rule_forms import READS_FILE
from holdfast.records import Filter, Memory, Scope
from holdfast.rules import table
from holdfast.rules.rule import Rule, rule_of
from holdfast.store.index import Stamp
from holdfast.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.store.base import Tables


def build(workspace: Workspace, scope: Scope, *, seen: bool = False) -> None:
    """Write the rules of a scope down for hooks, as its files have them.

    Where this run has `seen` them, they are looked at again only if there are more or fewer of them by now.
    """
    folders, agrees = workspace.store.tree.folders(scope)
    head = table.head_of(workspace, scope, folders)
    if not (seen and agrees):
        workspace.refresh((scope,))
    ruled = workspace.store.ask(lambda index: index.rules(scope))
    before = table.written(workspace, scope)
    rows = [row for one in ruled if (row := _row(before, *one)) is not None]
    known, others = {row.path for row in rows}, list[tuple[str, int, int, int]]()

    def newest(index: Tables) -> None:
        for folder in folders:
            others.extend(index.newest_files(folder, table.MAX_NAMES - len(others)))

    workspace.store.ask(newest)
    table.write(workspace, scope, head, rows, [one for one in others if one[0] not in known])


def rules_of(workspace: Workspace, scopes: tuple[Scope, ...]) -> list[Rule]:
    """Return every rule of these scopes as the files have them now, the narrowest scope first."""
    workspace.refresh(scopes)
    memories = workspace.store.ask(lambda index: [one for scope in scopes for one, _, _ in index.rules(scope)])
    return [rule for memory in memories if (rule := rule_of(memory)) is not None]


def named_tools(workspace: Workspace) -> tuple[str, ...]:
    """Return the tools that a condition of any rule in the home names: kinds, and agents' own names."""
    if not os.path.isdir(os.path.join(workspace.home, "memory")):
        return ()
    given = [one for one in workspace.store.find(Filter(None, anchored=True)) if "tool:" in one.when]
    # Of those that are derived only one about reading names a tool that no hook stands around anyway.
    stored = workspace.store.find(Filter(None, ("feedback",)))
    reading = [one for one in stored if not one.when and READS_FILE.search(one.body.casefold())]
    rules = [rule for one in (*given, *reading) if (rule := rule_of(one)) is not None]
    return tuple(sorted({name for rule in rules for name in rule.condition.tools}))


def _row(
    before: Mapping[tuple[str, str], table.RuleRow], memory: Memory, stamp: Stamp, digest: bytes
) -> table.RuleRow | None:
    """Return the row of a memory, as it was before where its file is as it was; None where it is no rule."""
    stamped = f"{stamp.ctime_ns}.{stamp.size}.{stamp.inode}"
    known = before.get((stamped, digest.hex())) if memory.holds else None
    if known is not None and known.path == memory.path:
        return known
    if (rule := rule_of(memory)) is None:
        return None
    said = cut(" ".join(memory.body.split()), table.MAX_TEXT, CUT)
    whose = rule.does, memory.trust, memory.branch, memory.key, memory.path
    return table.RuleRow(needles(rule.condition), *whose, stamped, digest.hex(), str(rule.condition), said)
