"""Which statements of a text in SQL take away what cannot be had back."""

from __future__ import annotations

_DROPS = frozenset(("DATABASE", "TABLE", "SCHEMA", "TABLESPACE", "ROLE", "USER", "COLUMN", "KEYSPACE"))
_MAX = 20_000


def found(text: str) -> list[str]:
    """Return the names of the rules that a text fulfils, each once: drop, truncate, delete and update of all rows."""
    rules = {_rule(statement): None for statement in _statements(text[:_MAX])}
    return [rule for rule in rules if rule]


def _statements(text: str) -> list[list[str]]:
    lines = [line.partition("--")[0] for line in text.split("\n")]
    spaced = "".join([letter if letter.isalnum() or letter in "_.;=*" else " " for letter in "\n".join(lines).upper()])
    return [statement.split() for statement in spaced.split(";")]


def _rule(words: list[str]) -> str:
    if not words:
        return ""
    if words[0] == "DROP" and len(words) > 1 and words[1] in _DROPS:
        return "sql-drop"
    if words[0] == "TRUNCATE" and len(words) > 1:
        return "sql-truncate"
    if words[:2] == ["ALTER", "TABLE"] and "DROP" in words and "COLUMN" in words:
        return "sql-drop"
    if words[:2] == ["DELETE", "FROM"] and len(words) > 2 and "WHERE" not in words:
        return "sql-delete-all"
    if words[0] == "UPDATE" and "SET" in words and "WHERE" not in words and "FROM" not in words:
        return "sql-update-all"
    return ""
