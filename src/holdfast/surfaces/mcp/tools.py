"""The tools, as a table: what each takes, what it answers, and what does the work."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import mcp_types as types

from holdfast.memory import recall_modes
from holdfast.surfaces.mcp import answers, project_tools, results
from holdfast.surfaces.mcp import arguments as given
from holdfast.surfaces.mcp.answers import Answer
from holdfast.surfaces.mcp.caller import Request


@dataclass(frozen=True)
class Tool:
    """One tool. `reads`: it changes no memory; `destroys`: what it takes away is gone; `again`: twice is like once."""

    name: str
    title: str
    arguments: type[given.Arguments]
    result: type[results.Result]
    answer: Callable[..., results.Result | Answer]
    reads: bool = False
    destroys: bool = False
    again: bool = False

    def flags(self, asked: given.Arguments) -> Mapping[str, str]:
        """Return the settings under which the workspace is opened for this call."""
        return recall_modes.FLAGS_OF.get(getattr(asked, "search_mode", ""), {})

    def call(self, request: Request, asked: given.Arguments) -> types.CallToolResult:
        """Return what the tool answers: the typed result, and a text that says the same."""
        off = self.result(success=False, disabled=True)
        answer = self.answer(request, asked) if request.workspace.enabled else off
        result, text = answer if isinstance(answer, tuple) else (answer, answer.model_dump_json())
        content = types.TextContent(text=text)
        return types.CallToolResult(content=[content], structured_content=result.model_dump(mode="json"))


TABLE = (
    Tool("memory_store", "Remember", given.Store, results.Stored, answers.store, again=True),
    Tool("memory_recall", "Recall", given.Recall, results.Recalled, answers.recall, reads=True),
    Tool(
        "session_search", "Search sessions", given.SessionSearch, results.Searched, answers.search_sessions, reads=True
    ),
    Tool("memory_forget", "Forget", given.Forget, results.Forgotten, answers.forget_one, destroys=True, again=True),
    Tool("memory_list", "List memories", given.List, results.Listing, answers.list_all, reads=True),
    Tool("memory_rate", "Rate a memory", given.Rate, results.Rated, answers.rate_one),
    Tool(
        "session_rate",
        "Pass on a rating of the session",
        given.SessionRate,
        results.SessionRated,
        answers.rate_session,
        again=True,
    ),
    Tool("state_read", "Read the working state", given.StateRead, results.State, answers.read_state, reads=True),
    Tool(
        "state_update",
        "Update the working state",
        given.StateUpdate,
        results.StateUpdated,
        answers.update_state,
        destroys=True,
        again=True,
    ),
    Tool("project_notes", "Project notes", given.ProjectNotes, results.Notes, project_tools.notes, again=True),
    Tool("work_item", "Work item", given.WorkItem, results.WorkShown, project_tools.work_item, again=True),
)
TOOLS = {tool.name: tool for tool in TABLE}


def error_of(text: str) -> types.CallToolResult:
    """Return a tool error that the agent can read and act on."""
    return types.CallToolResult(content=[types.TextContent(text=text)], is_error=True)
