"""Prompts that a person picks: catch up, hand off, review. Each brings what memory holds along, fenced as data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import mcp_types as types

from holdfast.errors import BadInput, NotFound
from holdfast.records import SCOPES
from holdfast.surfaces.mcp import answers, arguments, first_answers
from holdfast.surfaces.mcp.caller import Request

_NEWEST = 15
_REVIEWED = 40


def _review(request: Request, given: Mapping[str, str]) -> list[str]:
    scope = given.get("scope") or None
    if scope is not None and scope not in SCOPES:
        raise BadInput("scope is none of ours", f"Use one of {', '.join(SCOPES)}, or leave it out.")
    asked = arguments.Recall.model_validate({"limit": _REVIEWED, **({"scope": scope} if scope else {})})
    return [answers.recall(request, asked)[1]]


def _state(request: Request, given: Mapping[str, str]) -> list[str]:
    if not any(scope.kind == "project" for scope in request.workspace.visible()):
        return ["There is no project here, so no working state."]
    return [answers.read_state(request, arguments.StateRead())[1]]


def _state_and_newest(request: Request, given: Mapping[str, str]) -> list[str]:
    return [*_state(request, given), answers.recall(request, arguments.Recall(limit=_NEWEST))[1]]


class Prompt(NamedTuple):
    """One prompt: what people are told of it, what it brings along, and whether they may name a scope."""

    title: str
    about: str
    collect: Callable[[Request, Mapping[str, str]], list[str]]
    takes_scope: bool = False


TABLE = {
    "catch_up": Prompt(
        "Catch up", "What was being done here, what was decided and what comes next.", _state_and_newest
    ),
    "hand_off": Prompt("Hand off", "Write down the state of the work for the next session or another agent.", _state),
    "review": Prompt(
        "Review memories", "Go through what is remembered: what is wrong, outdated or twice there?", _review, True
    ),
}


def made(request: Request, name: str, given: Mapping[str, str]) -> types.GetPromptResult:
    """Return the messages of a prompt."""
    prompt = TABLE.get(name)
    if prompt is None:
        raise NotFound("there is no prompt of that name", f"There is {', '.join(TABLE)}.")
    parts = prompt.collect(request, given) if request.workspace.enabled else ["Memory is switched off here."]
    text = "\n\n".join([first_answers.read(f"prompt_texts/{name}.md"), *parts])
    message = types.PromptMessage(role="user", content=types.TextContent(text=text))
    return types.GetPromptResult(description=prompt.about, messages=[message])
