"""How the rules of a scope are found: its files are looked at, and the index says which memories are rules."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from holdfast.base.text import CUT, cut
from holdfast.language import conditions
from holdfast.language.conditions import needles
from holdfast.records import Filter, Scope
from holdfast.rules import table
from holdfast.rules.rule import Rule, rule_of
from holdfast.store.index import Stamp
from holdfast.workspace import Workspace

if TYPE_CHECKING:
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
    rows = [_row(rule, stamp, digest) for memory, stamp, digest in ruled if (rule := rule_of(memory)) is not None]
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
    found = [
        conditions.read(one.when) for one in workspace.store.find(Filter(None, anchored=True)) if "tool:" in one.when
    ]
    return tuple(sorted({name for one in found if one for name in one.tools}))


def _row(rule: Rule, stamp: Stamp, digest: bytes) -> table.RuleRow:
    memory = rule.memory
    said = cut(" ".join(memory.body.split()), table.MAX_TEXT, CUT)
    whose = rule.does, memory.trust, memory.branch, memory.key, memory.path
    stamped = f"{stamp.ctime_ns}.{stamp.size}.{stamp.inode}"
    return table.RuleRow(needles(rule.condition), *whose, stamped, digest.hex(), str(rule.condition), said)
