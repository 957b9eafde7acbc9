"""Prompts that a person picks: catch up, hand off, review. Each brings what memory holds along, fenced as data."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import mcp_types as types

from holdfast.errors import BadInput, NotFound
from holdfast.records import SCOPES
from holdfast.surfaces.mcp import answers, arguments, texts
from holdfast.surfaces.mcp.caller import Request
from holdfast.workspace import Workspace

_NEWEST = 15
_REVIEWED = 40


def _catch_up(request: Request, given: Mapping[str, str]) -> list[str]:
    state = _state(request)
    return [state, answers.recall(request, arguments.Recall(limit=_NEWEST))[1]]


def _hand_off(request: Request, given: Mapping[str, str]) -> list[str]:
    return [_state(request)]


def _review(request: Request, given: Mapping[str, str]) -> list[str]:
    scope = given.get("scope") or None
    if scope is not None and scope not in SCOPES:
        raise BadInput("scope is none of ours", f"Use one of {', '.join(SCOPES)}, or leave it out.")
    asked = arguments.Recall.model_validate({"limit": _REVIEWED, **({"scope": scope} if scope else {})})
    return [answers.recall(request, asked)[1]]


def _state(request: Request) -> str:
    if not _has_project(request.workspace):
        return "There is no project here, so no working state."
    return answers.read_state(request, arguments.StateRead())[1]


def _has_project(workspace: Workspace) -> bool:
    return any(scope.kind == "project" for scope in workspace.visible())


_MADE: dict[str, tuple[str, str, Callable[[Request, Mapping[str, str]], list[str]]]] = {
    "catch_up": ("Catch up", "What was being done here, what was decided and what comes next.", _catch_up),
    "hand_off": ("Hand off", "Write down the state of the work for the next session or another agent.", _hand_off),
    "review": ("Review memories", "Go through what is remembered: what is wrong, outdated or twice there?", _review),
}


def listed() -> list[types.Prompt]:
    """Return the prompts as people see them."""
    scope = types.PromptArgument(name="scope", description=f"Only this scope: {', '.join(SCOPES)}.", required=False)
    return [
        types.Prompt(name=name, title=title, description=about, arguments=[scope] if name == "review" else [])
        for name, (title, about, _) in _MADE.items()
    ]


def made(request: Request, name: str, given: Mapping[str, str]) -> types.GetPromptResult:
    """Return the messages of a prompt."""
    if name not in _MADE:
        raise NotFound("there is no prompt of that name", f"There is {', '.join(_MADE)}.")
    _, about, collect = _MADE[name]
    parts = collect(request, given) if request.workspace.enabled else ["Memory is switched off here."]
    text = "\n\n".join([texts.prompt_text(name), *parts])
    message = types.PromptMessage(role="user", content=types.TextContent(text=text))
    return types.GetPromptResult(description=about, messages=[message])
