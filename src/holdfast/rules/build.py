"""How the rules of a scope are found: its files are looked at, and the index says which memories are rules."""

from __future__ import annotations

from holdfast.base.text import CUT, cut
from holdfast.language.conditions import needles
from holdfast.records import Scope
from holdfast.rules import table
from holdfast.rules.rule import Rule, rule_of
from holdfast.store.index import Stamp
from holdfast.workspace import Workspace


def build(workspace: Workspace, scope: Scope) -> None:
    """Bring the index of a scope up to date with its files, and write its rules down for hooks."""
    head = table.head_of(workspace, scope)
    workspace.refresh((scope,))
    ruled, stamps = workspace.store.ask(lambda index: (index.rules(scope), index.stamps_of(scope)))
    rows = [_row(rule, stamp, digest) for memory, stamp, digest in ruled if (rule := rule_of(memory)) is not None]
    known = {row.path for row in rows}
    others = {path: _stamp(stamp) for path, stamp in stamps.items() if path not in known}
    table.write(workspace, scope, head, rows, others)


def rules_of(workspace: Workspace, scopes: tuple[Scope, ...]) -> list[Rule]:
    """Return every rule of these scopes as the files have them now, the narrowest scope first."""
    workspace.refresh(scopes)
    memories = workspace.store.ask(lambda index: [one for scope in scopes for one, _, _ in index.rules(scope)])
    return [rule for memory in memories if (rule := rule_of(memory)) is not None]


def _row(rule: Rule, stamp: Stamp, digest: bytes) -> table.RuleRow:
    memory = rule.memory
    said = cut(" ".join(memory.body.split()), table.MAX_TEXT, CUT)
    whose = rule.does, memory.trust, memory.branch, memory.key, memory.path
    return table.RuleRow(needles(rule.condition), *whose, _stamp(stamp), digest.hex(), str(rule.condition), said)


def _stamp(stamp: Stamp) -> str:
    return f"{stamp.ctime_ns}.{stamp.size}.{stamp.inode}"
