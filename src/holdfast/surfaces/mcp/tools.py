"""The table of tools. What a tool does is loaded when it is called: a recall does not wait for what the others need."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from importlib import import_module
from typing import Any

from holdfast.memory import recall_modes
from holdfast.surfaces.mcp import arguments as given
from holdfast.surfaces.mcp import results
from holdfast.surfaces.mcp.caller import Request


@dataclass(frozen=True)
class Tool:
    """One tool. `reads`: it changes no memory; `destroys`: what it takes away is gone; `again`: twice is like once.

    `answer` names the module here and the function in it that do the work; `looks`: with these arguments it changes
    nothing either.
    """

    name: str
    arguments: type[given.ToolArguments]
    result: type[results.ToolResult]
    answer: str
    reads: bool = False
    destroys: bool = False
    again: bool = False
    looks: Callable[[Any], bool] = lambda asked: False

    def flags(self, asked: given.ToolArguments) -> Mapping[str, str]:
        """Return the settings under which the workspace is opened for this call."""
        return recall_modes.FLAGS_OF.get(getattr(asked, "search_mode", ""), {})

    def call(self, request: Request, asked: given.ToolArguments) -> dict[str, Any]:
        """Return what the tool answers: the typed result, and a text that says the same."""
        enabled = request.workspace.enabled
        answer = self._work()(request, asked) if enabled else self.result()
        result, text = answer if isinstance(answer, tuple) else (answer, "")
        data = {"success": enabled, "disabled": not enabled, **asdict(result)}
        said = text or json.dumps(data, ensure_ascii=False, separators=(",", ":"))
        return {"content": [{"text": said, "type": "text"}], "isError": False, "structuredContent": data}

    def _work(self) -> Callable[[Request, Any], results.ToolResult | results.Answer]:
        module, _, name = self.answer.partition(".")
        work: Callable[[Request, Any], results.ToolResult | results.Answer] = getattr(
            import_module(f"holdfast.surfaces.mcp.{module}"), name
        )
        return work


TABLE = (
    Tool("memory_store", given.StoreArguments, results.StoredResult, "store_tools.store", again=True),
    Tool("memory_recall", given.RecallArguments, results.Recalled, "answers.recall", reads=True),
    Tool("session_search", given.SearchArguments, results.Searched, "project_tools.search_sessions", reads=True),
    Tool(
        *("memory_forget", given.ForgetArguments, results.ForgottenResult, "store_tools.forget_one"),
        destroys=True,
        again=True,
    ),
    Tool("memory_rate", given.RateArguments, results.RatedResult, "project_tools.rate_one"),
    Tool(
        *("working_state", given.StateArguments, results.State, "project_tools.state"),
        destroys=True,
        again=True,
        looks=lambda asked: not asked.given,
    ),
    Tool(
        *("project_notes", given.NotesArguments, results.Notes, "project_tools.notes"),
        again=True,
        looks=lambda asked: asked.action == "list",
    ),
    Tool(
        *("work_item", given.WorkArguments, results.WorkShown, "project_tools.work_item"),
        again=True,
        looks=lambda asked: asked.action == "show",
    ),
)
TOOLS = {tool.name: tool for tool in TABLE}
# Names that agents learned earlier: not listed, but understood. Each has its tool, what is given besides, and how the
# arguments are called there.
OLD_NAMES: dict[str, tuple[str, dict[str, object], dict[str, str]]] = {
    "memory_list": ("memory_recall", {"titles": True}, {}),
    "session_rate": ("memory_rate", {}, {"rating": "session_rating", "words": "note"}),
    "state_read": ("working_state", {}, {}),
    "state_update": ("working_state", {}, {}),
}
