"""Who calls, from which session and which folder; and the workspace as seen from there."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from holdfast import agents
from holdfast.agents.base import Agent
from holdfast.app.open import PooledWorkspace, Stores
from holdfast.base.clock import now
from holdfast.base.files import working_folder
from holdfast.continuity.open_sessions import agent_process
from holdfast.errors import HoldfastError
from holdfast.project.git import within
from holdfast.project.ids import is_id
from holdfast.workspace import Workspace

_LONGEST_NAME = 60
# So much of the journal is looked through for the session; it has its newest events at its end.
_LATEST = 1 << 18


@dataclass(frozen=True, slots=True)
class Request:
    """One call as an answer sees it: the open workspace, the session that asks, and the name of the agent."""

    workspace: Workspace
    session: str
    agent: str


@dataclass(frozen=True, slots=True)
class CallContext:
    """What comes with one call: how the client program calls itself, the `_meta` of the call, and whether it writes."""

    client: str = ""
    meta: Mapping[str, object] = field(default_factory=dict)
    profile: str = ""
    writes: bool = False


class Caller:
    """The agent at the other end. Which session, profile or sub-agent asks is found out for each call.

    A session is what the call names, else what the environment names, else the one that hooks of the same agent
    program heard last in this project. Where hooks heard several and none of them is of this program, none is.
    """

    def __init__(
        self,
        environment: Mapping[str, str],
        *,
        agent: str = "",
        home: str | None = None,
        flags: Mapping[str, str],
        folder: str | None = None,
        project: str = "",
        stores: Stores | None = None,
    ) -> None:
        self.agent = agent
        # A name that is no agent's is refused before anything is served.
        self._adapter = agents.get(agent) if agent else None
        self.home = home
        self.flags = flags
        self.environment = environment
        self.folder = folder
        self.project = project
        self.stores = stores or Stores()
        self._since = now()
        # What each session's profile is, "" where it has none.
        self._profiles: dict[str, str] = {}
        self._process = agent_process()

    def look_at_roots(self, uris: Sequence[str]) -> None:
        """Stand in the folder that the agent works in: the working folder if it lies in a root, else the first root."""
        roots = [folder for folder in map(_folder_of, uris) if folder]
        here = working_folder()
        is_in_one = here and any(within(os.path.realpath(here), os.path.realpath(root)) for root in roots)
        self.folder = None if is_in_one or not roots else roots[0]

    def request(self, told: CallContext, more_flags: Mapping[str, str], say: Callable[[str], None]) -> Request:
        """Return one call with a workspace of its own; settings and project are as they are now."""
        known = self.agent or agents.of_client(told.client)
        adapter = self._adapter or (agents.get(known) if known else Agent())
        session = adapter.session_of(self.environment, told.meta) or self.environment.get("HOLDFAST_SESSION", "")
        caller = "agent" if known else "unknown"
        if told.writes and adapter.is_subagent(self.environment, told.meta):
            caller = "subagent"
        workspace = PooledWorkspace(
            self.stores,
            self.home,
            folder=self.folder,
            environment=self.environment,
            flags={**self.flags, **more_flags},
            project=self.project,
            session=session,
            profile=told.profile,
            caller=caller,
            say=say,
        )
        workspace.profile = workspace.profile or self._profiles.get(session, "")
        if known and session not in self._profiles:
            self._learn(workspace, known)
            self._profiles.update({session: workspace.profile} if session else {})
        session = workspace.session
        if session and not is_id(session) and session != self.environment.get("HOLDFAST_SESSION"):
            # An agent's own id may be one that no folder can have; then there is no scope session, and nothing else
            # fails.
            workspace.session = ""
        return Request(workspace, session, self.name(told.client))

    def _learn(self, workspace: Workspace, agent: str) -> None:
        """Take the session and its profile from what hooks of this agent wrote down of this project."""
        try:
            project = workspace.project().id
        except HoldfastError:
            return
        heard = [
            event
            for kind in ("start", "prompt")
            for event in workspace.journal.latest(kind, _LATEST)
            if event.data.get("agent") == agent
            and event.data.get("project") == project
            and event.data.get("session") == (workspace.session or event.data.get("session"))
            and not event.data.get("subagent")
        ]
        heard.sort(key=lambda event: event.at, reverse=True)
        ours = [event for event in heard if self._process and event.data.get("process") == self._process]
        if not ours and not workspace.session:
            ours = [event for event in heard if event.at >= self._since]
            if len({event.data.get("session") for event in ours}) != 1:
                return
        found = ours or heard
        if found:
            workspace.session = workspace.session or str(found[0].data.get("session", ""))
            workspace.profile = workspace.profile or str(found[0].data.get("profile", ""))

    def name(self, told: str) -> str:
        """Return the name under which memories are stored: that of our own agent, or what the program calls itself."""
        plain = "".join(letter if letter.isalnum() or letter in "-_." else "-" for letter in told[:_LONGEST_NAME])
        # One without a name is still no person.
        return self.agent or plain.strip("-").lower() or "agent"


def _folder_of(uri: str) -> str:
    """Return the folder that a root names, if it is one of this machine."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return ""
    if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
        return ""
    path = unquote(parts.path)
    return path if "\0" not in path and os.path.isdir(path) else ""
