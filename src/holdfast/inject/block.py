"""Blocks: memories in their order in, fenced text within a budget out, with what was given and what was left out.

At a session's start each kind of scope has a share of its own. What one kind does not use no other gets, so that the
lines of one scope stay the same, byte for byte, whatever happens in another: an agent's prompt cache lives on that.
A memory takes at most half of the room that is left, unless it is the last; a longer one is cut. So none of them keeps
its whole scope silent.
"""

from __future__ import annotations

from holdfast.base.digests import short
from holdfast.base.light_records import dataclass
from holdfast.base.text import CUT, cut
from holdfast.privacy import fence
from holdfast.records import Given, Hit, Memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

# Of what the fence leaves of the budget, in the order in which they stand.
SHARES = {"session": 0.2, "project": 0.4, "agent": 0.15, "global": 0.25}
START_CHARACTERS = 3_000
_MIN = 60
_NAMED = 20
_SAID_BY = {"agent": ", said by an agent", "derived": ", found by Holdfast", "import": ", imported"}


@dataclass(frozen=True, slots=True)
class Block:
    """Text for an agent: the whole of it with its fence, each memory in it, and what was left out and why."""

    text: str
    given: tuple[Given, ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Entry:
    """One memory that is to be given, and why; `lead` stands before it, as in `changed:`."""

    memory: Memory
    why: str
    lead: str = ""


def start_block(
    by_scope: Mapping[str, Sequence[Hit] | Sequence[Memory]],
    budget: int = START_CHARACTERS,
    *,
    clean: Callable[[str], str],
) -> Block:
    """Return the block of a session's start: memories by kind of scope, each kind best first; empty if there is none.

    `clean` takes secrets out once more.
    """
    return fenced(of_scopes(by_scope, budget - fence.OVERHEAD, clean))


def of_scopes(
    by_scope: Mapping[str, Sequence[Hit] | Sequence[Memory]], room: int, clean: Callable[[str], str]
) -> Block:
    """Return the memories of each kind of scope, each kind within its share of the room, without a fence."""
    lines: list[str] = []
    given: list[Given] = []
    left_out: list[tuple[str, str]] = []
    for kind, share in SHARES.items():
        entries = [_entry(one) for one in by_scope.get(kind, ())]
        filled = fill(entries, int(room * share), clean)
        lines += [filled.text] if filled.text else []
        given += filled.given
        left_out += filled.left_out
    if len(left_out) > _NAMED:
        left_out = [*left_out[:_NAMED], (f"{len(left_out) - _NAMED} more", left_out[-1][1])]
    return Block("\n".join(lines), tuple(given), tuple(left_out))


def fenced(*parts: Block) -> Block:
    """Return the parts as one block within the fence; nothing where none of them says anything."""
    text = fence.fenced([part.text for part in parts if part.text])
    return Block(
        text, tuple(one for part in parts for one in part.given), tuple(one for part in parts for one in part.left_out)
    )


def fill(entries: Sequence[Entry], room: int, clean: Callable[[str], str]) -> Block:
    """Return the entries that the room holds, one or more lines each, without a fence."""
    lines: list[str] = []
    given: list[Given] = []
    left_out: list[tuple[str, str]] = []
    for place, entry in enumerate(entries):
        limit = room if place == len(entries) - 1 else max(room // 2, min(room, _MIN * 2))
        if limit < _MIN:
            left_out.append((name_of(entry.memory), "no room"))
            continue
        line = cut(line_of(entry, clean), limit - 1, CUT)
        lines.append(line)
        room -= len(line) + 1
        given.append(given_of(entry, line))
    return Block("\n".join(lines), tuple(given), tuple(left_out))


def line_of(entry: Entry, clean: Callable[[str], str]) -> str:
    """Return an entry as it stands in a block: where it holds, who says so, its key, its day and its statement."""
    memory = entry.memory
    said_by = _SAID_BY.get(memory.trust, "")
    head = f"- {entry.lead}[{memory.scope.kind}{said_by}] {memory.key} ({memory.updated[:10]}): "
    statement = fence.safe(statement_of(memory), clean)
    return head + "\n  ".join([line.strip() for line in statement.split("\n") if line.strip()])


def statement_of(memory: Memory) -> str:
    """Return what the memory says, with its title where the statement does not begin with it."""
    title, body = memory.title.strip(), memory.body.strip()
    beginning = title.rstrip(".!?… ").casefold()
    if not title or body.lstrip("# ").casefold().startswith(beginning):
        return body
    return f"{title}\n{body}"


def digest_of(memory: Memory) -> str:
    """Return what tells whether the memory still says what it said when it was shown."""
    return short(memory.title, memory.body, length=16)


def name_of(memory: Memory) -> str:
    """Return scope and key as one word."""
    return f"{memory.scope}/{memory.key}"


def given_of(entry: Entry, line: str) -> Given:
    """Return the record of one entry as it was given."""
    memory = entry.memory
    return Given(memory.scope, memory.key, digest_of(memory), entry.why, tokens_of(line))


def tokens_of(text: str) -> int:
    """Return about how many tokens a text costs: four characters each, as English has."""
    return -(-len(text) // 4)


def _entry(one: Hit | Memory) -> Entry:
    if isinstance(one, Memory):
        return Entry(one, "pinned" if one.pinned else "start")
    why = [part.why for part in one.parts if part.name in ("recency", "use", "trust") and part.why]
    return Entry(one.memory, ", ".join([*(["pinned"] if one.memory.pinned else []), *why]) or "start")
