"""Make one memory of several: one says it all from then on, the others are superseded by it and keep their history."""

from __future__ import annotations

from holdfast.base.text import count
from holdfast.errors import BadInput, Conflict
from holdfast.memory import audit
from holdfast.memory.remember import put
from holdfast.records import Draft, Memory, Step
from holdfast.store.kinds import body_of, parts
from holdfast.workspace import PERSON, Workspace

COMMAND = "merge"
_STOPS, _CLOSING = (".", "!", "?", ":", ";", "\u2026", "\u3002", "\uff01", "\uff1f"), " \"'`*_)]\u201d\u2019"


def plan(
    workspace: Workspace, keys: tuple[str, ...], *, into: str = "", text: str = "", scope: str | None = None
) -> tuple[Draft, list[Memory], list[Step]]:
    """Return what the one memory would say, those that it would supersede, and the steps.

    It is the memory `into`, or else the first. Without a text it says what all of them say, each statement once.
    """
    found = [workspace.locate(key, scope) for key in dict.fromkeys((*((into,) if into else ()), *keys))]
    for one in found:
        workspace.need_own(one)
    kept, *others = found
    if not others:
        raise BadInput("it takes two memories to make one", "Give their keys.")
    if any(one.scope != kept.scope for one in others):
        raise Conflict("the memories are of several scopes", "Move them into one with `holdfast move` first.")
    trusts = {one.trust for one in found}
    if len(trusts) > 1 and not text.strip():
        raise Conflict("some of them are not yours", "Give the merged text with --text; it is then yours.")
    draft = Draft(
        text=text.strip() or _said_by_all(found),
        scope=kept.scope,
        key=kept.key,
        type=kept.type,
        tags=tuple(dict.fromkeys(tag for one in found for tag in one.tags)) or None,
        trust=("user" if workspace.caller == PERSON else "agent") if text.strip() else kept.trust,
        source="cli",
        supersedes=tuple(one.key for one in others),
        pinned=any(one.pinned for one in found) or None,
    )
    steps = [Step("rewrite", f"{kept.scope}/{kept.key}", f"says what {count(len(found), 'memory', 'memories')} say")]
    steps += [Step("supersede", f"{one.scope}/{one.key}", f"by {kept.key}; its history stays") for one in others]
    return draft, others, steps


def apply(workspace: Workspace, draft: Draft) -> Memory:
    """Store the one memory, in one act that can be undone."""
    workspace.need_enabled()
    with audit.Act(workspace, COMMAND) as act:
        stored = put(workspace, draft).memory
        act.done(f"{stored.scope}/{stored.key}", f"from {', '.join(draft.supersedes)}")
    audit.trim(workspace)
    return stored


def _said_by_all(found: list[Memory]) -> str:
    told = [parts(one.body) for one in found]
    # A statement without a stop gets one, so that another can follow it.
    ended = [text if text.rstrip(_CLOSING).endswith(_STOPS) else f"{text}." for text, _, _ in told]
    reasons = dict.fromkeys(why for _, why, _ in told if why)
    rest = dict.fromkeys(more for _, _, more in told if more)
    # All statements are one paragraph, so that they stay the statement of the one memory.
    # One that another says as well is said once: so is that of a merge that was killed, when it is done again.
    alone = [
        one for one in dict.fromkeys(ended) if not any(one != each and f" {one} " in f" {each} " for each in ended)
    ]
    return body_of(" ".join(alone), " ".join(reasons), "\n\n".join(rest))
