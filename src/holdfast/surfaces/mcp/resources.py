"""Resources: memories, their index and the working state under `memory://`, for people who pick them by hand.

Reading one is not use, but the session has been shown it. Only what is visible from here can be named at all.
"""

from __future__ import annotations

import mcp_types as types

from holdfast.app import hand_over
from holdfast.errors import BadInput, NotFound
from holdfast.memory.list import list_memories
from holdfast.memory.show import show
from holdfast.records import SCOPES, Hit
from holdfast.surfaces.mcp import answers, arguments
from holdfast.surfaces.mcp.caller import Request

INDEX = "memory://index"
STATE = "memory://state"
_PAGE = 100
_MAX_INDEX = 200
MARKDOWN = "text/markdown"


def listed(request: Request, cursor: str | None) -> types.ListResourcesResult:
    """Return one page of what can be read here: index and state, then the memories, newest first."""
    start = _start_of(cursor)
    memories = list_memories(request.workspace, limit=start + _PAGE + 1)[start:] if request.workspace.enabled else []
    found = [
        types.Resource(
            name=memory.key,
            title=hand_over.title(memory),
            uri=f"memory://{memory.scope.kind}/{memory.key}",
            description=f"A memory of the scope {memory.scope.kind}, updated {memory.updated[:10]}.",
            mime_type=MARKDOWN,
        )
        for memory in memories[:_PAGE]
    ]
    more = str(start + _PAGE) if len(memories) > _PAGE else None
    return types.ListResourcesResult(resources=[*([] if start else pages()), *found], next_cursor=more)


def pages() -> list[types.Resource]:
    return [
        types.Resource(
            name="index", title="What is known here", uri=INDEX, description="Keys and titles.", mime_type=MARKDOWN
        ),
        types.Resource(
            name="state",
            title="Working state",
            uri=STATE,
            description="What is being worked on in this project.",
            mime_type=MARKDOWN,
        ),
    ]


def _start_of(cursor: str | None) -> int:
    if not cursor:
        return 0
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) < 9):
        raise BadInput("that place in the list is not one of ours", "Begin again at its start.")
    return int(cursor)


def read(request: Request, uri: str) -> str:
    """Return the text of a resource, fenced as data; NotFound where there is none of that name."""
    if uri == INDEX:
        return answers.list_all(request, arguments.List(limit=_MAX_INDEX))[1]
    if uri == STATE:
        return answers.read_state(request, arguments.StateRead())[1]
    kind, _, key = uri.removeprefix("memory://").partition("/")
    if not uri.startswith("memory://") or kind not in SCOPES or not key:
        raise NotFound("there is no such resource", "memory://index lists what there is.")
    memory = show(request.workspace, key, scope=kind)
    hand_over.note_given(request.workspace, request.session, [Hit(memory, 0.0)], agent=request.agent, moment="resource")
    return hand_over.fenced([hand_over.line(hand_over.shares([memory])[0])])
