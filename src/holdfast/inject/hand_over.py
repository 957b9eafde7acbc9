"""What is handed to a session by other ways than a hook: made safe to read, and noted as known to that session."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence

from holdfast.base.clock import now
from holdfast.base.text import CUT, cut
from holdfast.errors import HoldfastError
from holdfast.inject import receipts
from holdfast.inject.block import Block, digest_of, given_of, said_rows, statement_of, text_of
from holdfast.inject.shown import FORGOTTEN, ShownSet, hidden
from holdfast.privacy import fence
from holdfast.privacy.fence import without_secrets
from holdfast.records import Hit, Memory, Scope, replace
from holdfast.workspace import Workspace

# All texts of one answer together; a share that one memory does not need goes to the next.
MAX_CHARACTERS = 20_000
MIN_EACH = 200
_SAID_BY = {"agent": ", said by an agent", "derived": ", found by Holdfast", "import": ", imported"}
_SEEN = 8_000


def safe(text: str) -> str:
    """Return stored text as a model may read it: no secret, no control tag, no control character."""
    return fence.safe(text, without_secrets)


def fenced(lines: Iterable[str]) -> str:
    """Return lines that are safe already within the fence that says they are data."""
    return fence.fenced(lines)


def fenced_by_trust(lines: Iterable[tuple[str, str]]) -> str:
    """Return lines, each behind who said it, with the person's own in a fence that says so."""
    told = [*lines]
    return fence.by_trust(
        [line for trust, line in told if trust == "user"], [line for trust, line in told if trust != "user"]
    )


def line(memory: Memory) -> str:
    """Return one memory as it stands within the fence for who asked: with its key, by which it can be changed."""
    said_by = _SAID_BY.get(memory.trust, "")
    text = text_of(statement_of(memory), without_secrets)
    return f"- [{memory.scope.kind}{said_by}] {memory.key} ({memory.updated[:10]}): {text}"


def shares(memories: Sequence[Memory], room: int = MAX_CHARACTERS) -> list[Memory]:
    """Return the memories, safe to read, with the long ones cut so that all of them find room."""
    found: list[Memory] = []
    for place, memory in enumerate(memories):
        body = _shortened(memory.body, max(MIN_EACH, room // (len(memories) - place)))
        room -= len(body)
        found.append(replace(memory, title=title(memory), body=body))
    return found


def title(memory: Memory) -> str:
    """Return the title of a memory, safe to read and on one line."""
    return " ".join(_shortened(memory.title, MIN_EACH).split())


def _shortened(text: str, most: int) -> str:
    # What lies far behind the cut need not be made safe, but a secret that the cut would halve must be seen whole.
    return cut(safe(text[: max(most * 4, _SEEN)]), most, CUT)


def is_cut(text: str) -> bool:
    """Whether the end of the text was cut off here."""
    return text.endswith(CUT)


def note_given(
    workspace: Workspace,
    session: str,
    hits: Sequence[Hit],
    *,
    agent: str,
    moment: str,
    handed: Sequence[Memory] | None = None,
) -> None:
    """Note that the session was given these: no hook gives them again, and a receipt is left. Trouble is only said.

    `handed` are the memories as they were handed over, where some were cut.
    """
    try:
        mark_shown(workspace, session, hits, agent=agent, moment=moment, handed=handed)
    except HoldfastError as problem:
        workspace.say(f"not noted as shown: {problem}")


def note_known(
    workspace: Workspace, session: str, memories: Sequence[Memory] = (), gone: Sequence[Memory] = ()
) -> None:
    """Note what the session knows because it stored or forgot it itself, so that no hook tells it."""
    rows: list[tuple[Scope, str, str]] = [(one.scope, one.key, digest_of(one)) for one in memories]
    rows += [(one.scope, hidden(one.key), FORGOTTEN) for one in gone]
    if not session or not rows:
        return
    try:
        with ShownSet(workspace.home, session) as shown:
            shown.note([*rows, *said_rows([statement_of(one) for one in memories])])
    except HoldfastError as problem:
        workspace.say(f"not noted as known: {problem}")


def renew_rules_files(workspace: Workspace) -> None:
    """Bring the rules files of agents up to date that read memories from them. Trouble is only said."""
    if not workspace.has_installs:
        return
    # A recall changes nothing, and need not wait for what this loads.
    from holdfast.inject import publish

    try:
        publish.refresh(workspace)
    except (HoldfastError, sqlite3.Error, OSError) as problem:
        workspace.say(f"a rules file is not up to date: {type(problem).__name__}")


def mark_shown(
    workspace: Workspace,
    session: str,
    hits: Iterable[Hit],
    *,
    agent: str = "",
    moment: str = "recall",
    handed: Iterable[Memory] | None = None,
) -> None:
    """Note that a session was shown these hits in another way; no hook gives them again. It leaves a receipt.

    `handed` are the same memories as they were handed over, where long ones were cut: the receipt counts those.
    """
    if not session or not workspace.enabled:
        return
    memories = [hit.memory for hit in hits]
    texts = [statement_of(memory) for memory in (memories if handed is None else handed)]
    given = tuple(given_of(one, "asked for", text) for one, text in zip(memories, texts, strict=True))
    if not given:
        return
    with ShownSet(workspace.home, session) as before:
        before.add(given)
        before.note(said_rows([statement_of(memory) for memory in memories]))
    receipt = receipts.made(now(), agent, session, moment, Block("".join(texts), given))
    workspace.journal.append(receipts.event_of(receipt), durable=False)
