"""Prompts and resources: what a person picks by hand. What memory holds comes fenced as data.

Resources are memories, their index and the working state, under `memory://`. Reading one is not use, but the session
has been shown it. Only what is visible from here can be named at all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from holdfast.errors import BadInput, NotFound
from holdfast.inject import hand_over
from holdfast.memory.show import list_memories, show
from holdfast.records import SCOPES, Hit
from holdfast.surfaces.mcp import answers, protocol
from holdfast.surfaces.mcp.arguments import RecallArguments
from holdfast.surfaces.mcp.caller import Request

MARKDOWN = "text/markdown"
_INDEX, _STATE = "memory://index", "memory://state"
_PAGE = 100
_MAX_INDEX = 200
_NEWEST = 15
_REVIEWED = 40
PAGES = [
    {"description": about, "mimeType": MARKDOWN, "name": name, "title": title, "uri": uri}
    for name, title, uri, about in (
        ("index", "What is known here", _INDEX, "Keys and titles."),
        ("state", "Working state", _STATE, "What is being worked on in this project."),
    )
]


def resources(request: Request, cursor: str | None, pages: Sequence[Any]) -> dict[str, Any]:
    """Return one page of what can be read here: index and state, then the memories, newest first."""
    if cursor and not (cursor.isascii() and cursor.isdigit() and len(cursor) < 9):
        raise BadInput("that place in the list is not known", "Begin again at its start.")
    start = int(cursor or 0)
    memories = list_memories(request.workspace, limit=start + _PAGE + 1)[start:] if request.workspace.enabled else []
    found = [
        {
            "description": f"A memory of the scope {memory.scope.kind}, updated {memory.updated[:10]}.",
            "mimeType": MARKDOWN,
            "name": memory.key,
            "title": hand_over.title(memory),
            "uri": f"memory://{memory.scope.kind}/{memory.key}",
        }
        for memory in memories[:_PAGE]
    ]
    more = {"nextCursor": str(start + _PAGE)} if len(memories) > _PAGE else {}
    return {**more, "resources": [*([] if start else pages), *found]}


def resource(request: Request, uri: str) -> str:
    """Return the text of a resource, fenced as data; NotFound where there is none of that name."""
    if uri == _INDEX:
        return answers.recall(request, RecallArguments.of({"titles": True, "limit": _MAX_INDEX}))[1]
    if uri == _STATE:
        return _read_state(request)
    kind, _, key = uri.removeprefix("memory://").partition("/")
    if not uri.startswith("memory://") or kind not in SCOPES or not key:
        raise NotFound("there is no such resource", "memory://index lists what there is.")
    memory = show(request.workspace, key, scope=kind)
    hand_over.note_given(request.workspace, request.session, [Hit(memory, 0.0)], agent=request.agent, moment="resource")
    return hand_over.fenced_by_trust([(answers.whose(request, memory), hand_over.line(hand_over.shares([memory])[0]))])


def _read_state(request: Request) -> str:
    # It loads what all tools about the work need.
    from holdfast.surfaces.mcp import project_tools

    return project_tools.read_state(request)[1]


def _review(request: Request, given: Mapping[str, str]) -> list[str]:
    scope = given.get("scope") or None
    if scope is not None and scope not in SCOPES:
        raise BadInput("that is not a scope", f"Use one of {', '.join(SCOPES)}, or leave it out.")
    asked = RecallArguments.of({"limit": _REVIEWED, **({"scope": scope} if scope else {})})
    return [answers.recall(request, asked)[1]]


def _state(request: Request, given: Mapping[str, str]) -> list[str]:
    if not any(scope.kind == "project" for scope in request.workspace.visible()):
        return ["There is no project here, so no working state."]
    return [_read_state(request)]


def _state_and_newest(request: Request, given: Mapping[str, str]) -> list[str]:
    return [*_state(request, given), answers.recall(request, RecallArguments.of({"limit": _NEWEST}))[1]]


class Prompt(NamedTuple):
    """One prompt: what people are told of it, what it brings along, and whether they may name a scope."""

    title: str
    about: str
    collect: Callable[[Request, Mapping[str, str]], list[str]]
    takes_scope: bool = False


PROMPTS = {
    "catch_up": Prompt(
        "Catch up", "What was being done here, what was decided and what comes next.", _state_and_newest
    ),
    "hand_off": Prompt("Hand off", "Write down the state of the work for the next session or another agent.", _state),
    "review": Prompt(
        "Review memories", "Go through what is remembered: what is wrong, outdated or twice there?", _review, True
    ),
}


def prompt(request: Request, name: str, given: Mapping[str, str]) -> dict[str, Any]:
    """Return the messages of a prompt."""
    found = PROMPTS.get(name)
    if found is None:
        raise NotFound("there is no prompt of that name", f"There is {', '.join(PROMPTS)}.")
    parts = found.collect(request, given) if request.workspace.enabled else [f"{request.workspace.why_off}."]
    text = "\n\n".join([protocol.read(f"prompt_texts/{name}.md"), *parts])
    message = {"content": {"text": text, "type": "text"}, "role": "user"}
    return {"description": found.about, "messages": [message]}
