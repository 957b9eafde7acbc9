"""Which project is this folder? One resolver for everything; docs/projects.md has the rules in order.

`anchors` checks what memories name in the project's code, and `git_program` has what only commands ask git for.

It is on the path of every prompt hook, so nothing here imports `re`, `json`, `subprocess` and their like, and
git is read from its files, never spawned.
"""

from __future__ import annotations

from holdfast.project.ids import check_id
from holdfast.project.registry import Registry, add_alias, remove_alias
from holdfast.project.rules import record, resolve

__all__ = ["Registry", "add_alias", "check_id", "record", "remove_alias", "resolve"]
