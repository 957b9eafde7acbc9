"""Receipts: what a session was given, as an event of the journal, and back again; and which sessions are given nothing.

Those can be compared with the others. The draw is by the session's id alone: it is the same at every hook of a session,
for its sub-agents, on every machine, and a larger share keeps those that a smaller one has drawn.
"""

from __future__ import annotations

from holdfast.base.text import hash_of
from holdfast.records import Event, Given, Receipt, Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.inject.block import Block
    from holdfast.parts import HookRun
    from holdfast.workspace import Workspace

KIND = "receipt"
_DIGITS = 13


def withholds(session: str, share: float) -> bool:
    """Whether this session is one of that share from which injections are withheld."""
    return share > 0 and int(hash_of("holdout", session, length=_DIGITS), 16) < share * 16**_DIGITS


def write(run: HookRun, block: Block) -> bool:
    """Write down what a session was given at this moment; False where it is one from which it is withheld."""
    share = run.settings.share("measure.holdout")
    withheld = is_withheld(run)
    receipt = made(run.at, run.call.agent, run.session_id, run.call.moment, block, share, withheld)
    run.journal.append(event_of(receipt), durable=False)
    return not withheld


def is_withheld(run: HookRun) -> bool:
    """Whether the session of this hook is one from which injections are withheld."""
    return withholds(run.agent.main_session(run.call) or run.session, run.settings.share("measure.holdout"))


def event_of(receipt: Receipt) -> Event:
    """Return the event that keeps the receipt."""
    given = [[one.scope.kind, one.scope.owner, one.key, one.digest, one.why, one.tokens] for one in receipt.given]
    data: dict[str, object] = {
        "agent": receipt.agent,
        "session": receipt.session,
        "moment": receipt.moment,
        "given": given,
        "left_out": [list(pair) for pair in receipt.left_out],
        "characters": receipt.characters,
        "tokens": receipt.tokens,
    }
    if receipt.holdout:
        data.update({"holdout": receipt.holdout, "withheld": receipt.withheld})
    return Event(receipt.at, KIND, data)


def receipt_of(event: Event) -> Receipt:
    """Return the receipt that an event keeps; what somebody else wrote into it is passed over."""
    data = event.data
    left_out, share = _rows(data.get("left_out"), 2), data.get("holdout")
    return Receipt(
        at=event.at,
        agent=_text(data.get("agent")),
        session=_text(data.get("session")),
        moment=_text(data.get("moment")),
        given=tuple(
            Given(Scope(str(kind), str(owner)), str(key), str(digest), str(why), _number(tokens))
            for kind, owner, key, digest, why, tokens in _rows(data.get("given"), 6)
        ),
        left_out=tuple((str(name), str(why)) for name, why in left_out),
        characters=_number(data.get("characters")),
        tokens=_number(data.get("tokens")),
        holdout=float(share) if isinstance(share, (int, float)) and 0 <= share <= 1 else 0.0,
        withheld=data.get("withheld") is True,
    )


def _rows(value: object, width: int) -> list[list[object]]:
    return [row for row in value if isinstance(row, list) and len(row) == width] if isinstance(value, list) else []


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def made(
    at: str, agent: str, session: str, moment: str, block: Block, share: float = 0.0, withheld: bool = False
) -> Receipt:
    """Return the receipt of a block that a session was given, or would have been."""
    size = len(block.text)
    facts = at, agent, session, moment, block.given, block.left_out, size, -(-size // 4)
    return Receipt(*facts, holdout=share, withheld=withheld)


def latest(workspace: Workspace) -> Iterator[Receipt]:
    """Yield the receipts of the last days, newest first; older ones are not looked for."""
    if workspace.enabled:
        yield from (receipt_of(event) for event in workspace.journal.latest(KIND))


def receipts(workspace: Workspace, session: str = "", *, limit: int | None = None) -> list[Receipt]:
    """Return the receipts, newest first; of the sessions whose id begins with this, or of all."""
    if not workspace.enabled:
        return []
    found = [receipt_of(event) for event in workspace.journal.events(KIND)]
    return [receipt for receipt in reversed(found) if receipt.session.startswith(session)][:limit]
