"""Tokens counted a second time, apart from the readers: by the rules of the formats alone, in the plainest way.

Claude Code: a message stands on several lines, and of each kind of token the largest report counts, once for a message
wherever it stands. Codex: totals run on, and one is repeated until it changes; of each new total the step that led to
it counts, cached and written tokens apart from the input and reasoning apart from the output. What a fork copied from
the session that it comes from does not count again: all before the first turn that the other one does not have.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import takewhile
from pathlib import Path
from typing import Any

import zstandard

# Input, output, cache read, cache write, reasoning.
Tokens = tuple[int, int, int, int, int]
KINDS = ("input", "output", "cache read", "cache write", "reasoning")
_NOTHING: Tokens = (0, 0, 0, 0, 0)
_CLAUDE = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
_ZSTD = b"\x28\xb5\x2f\xfd"
# Ids that the provider gave; those that people make up for tests stand in many files and mean another message each.
_REAL_ID = 20


def count_claude(paths: Iterable[str]) -> dict[str, Tokens]:
    """Return the tokens of each file; a message that an earlier one of these files has counts there only."""
    found, told = {}, set[str]()
    for path in paths:
        reports = _claude_reports(path)
        new = [report for name, report in reports.items() if name not in told]
        told |= {name for name in reports if len(name) >= _REAL_ID}
        found[path] = _added([*new])
    return found


def _claude_reports(path: str) -> dict[str, Tokens]:
    reports: dict[str, Tokens] = {}
    seen = set()
    for number, record in enumerate(_records(path)):
        uuid, message = record.get("uuid"), record.get("message")
        if record.get("type") != "assistant" or not isinstance(message, dict) or (uuid and uuid in seen):
            continue
        seen.add(uuid)
        usage = message.get("usage")
        if not isinstance(usage, dict):
            continue
        name = str(message.get("id") or record.get("requestId") or f"#{number}")
        now = (*(_number(usage.get(kind)) for kind in _CLAUDE), 0)
        reports[name] = tuple(map(max, reports.get(name, _NOTHING), now))  # type: ignore[assignment]
    return reports


def count_codex(paths: Iterable[str]) -> dict[str, Tokens]:
    """Return the tokens of each file without what a fork copied."""
    paths = list(paths)
    turns = {}
    for path in paths:
        name, ids = _codex_turns(path)
        turns[name] = ids
    return {path: _codex_tokens(path, turns) for path in paths}


def _codex_turns(path: str) -> tuple[str, set[str]]:
    """Return the id of a session and those of its turns."""
    metas = _metas(path)
    ids = {str(one.get("turn_id")) for _, one in _payloads(path) if one.get("turn_id")}
    return (str(metas[0].get("id")) if metas else path), ids


def _metas(path: str) -> list[dict[str, Any]]:
    """Return what a file says first about itself; a fork repeats there what the other file says about itself."""
    return [one for _, one in takewhile(lambda told: told[0] == "session_meta", _payloads(path))]


def _codex_tokens(path: str, turns: dict[str, set[str]]) -> Tokens:
    metas = _metas(path)
    own = str(metas[0].get("id")) if metas else ""
    parents = {str(one.get("id")) for one in metas[1:]} | {str(metas[0].get("forked_from_id"))} if metas else set()
    copied = bool((parents - {own, "None"}) and any(one.get("turn_id") for _, one in _payloads(path)))
    steps, before = [], None
    for kind, payload in _payloads(path):
        turn = payload.get("turn_id")
        if copied and turn and not _is_copied(str(turn), own, parents, turns):
            copied = False
        info = payload.get("info")
        if kind != "event_msg" or payload.get("type") != "token_count" or not isinstance(info, dict):
            continue
        total, last = info.get("total_token_usage"), info.get("last_token_usage")
        if isinstance(last, dict) and total != before and not copied:
            steps.append(_codex_step(last))
        before = total
    return _added(steps)


def _is_copied(turn: str, own: str, parents: set[str], turns: dict[str, set[str]]) -> bool:
    """Whether a turn was another session's: it has it, or, where that is not here, the turn began before this one."""
    known = [turns[name] for name in parents if name in turns]
    return any(turn in ids for ids in known) if known else turn[:13] < own[:13]


def _codex_step(last: dict[str, Any]) -> Tokens:
    cached, written = _number(last.get("cached_input_tokens")), _number(last.get("cache_write_input_tokens"))
    reasoning = _number(last.get("reasoning_output_tokens"))
    given, output = _number(last.get("input_tokens")), _number(last.get("output_tokens"))
    return given - cached - written, output - reasoning, cached, written, reasoning


def _payloads(path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for record in _records(path):
        payload = record.get("payload")
        if isinstance(payload, dict):
            yield str(record.get("type")), payload


def _records(path: str) -> Iterator[dict[str, Any]]:
    content = Path(path).read_bytes()
    if content[:4] == _ZSTD:
        content = zstandard.ZstdDecompressor().decompressobj().decompress(content)
    for line in content.split(b"\n"):
        try:
            record = json.loads(line.decode("utf-8", "replace").strip("\0\ufeff \r\t"), strict=False)
        except (ValueError, RecursionError):
            continue
        if isinstance(record, dict):
            yield record


def _number(value: object) -> int:
    return value if isinstance(value, int) and value > 0 else 0


def _added(counts: list[Tokens]) -> Tokens:
    sums = [sum(column) for column in zip(_NOTHING, *counts, strict=True)]
    return sums[0], sums[1], sums[2], sums[3], sums[4]


COUNTS = {"claude-code": count_claude, "codex": count_codex}

__all__ = ["COUNTS", "KINDS", "Tokens", "count_claude", "count_codex"]
