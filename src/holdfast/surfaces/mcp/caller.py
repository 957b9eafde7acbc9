"""Who calls, from which session and which folder; and the workspace as seen from there."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from holdfast import agents
from holdfast.app.open import PooledWorkspace, Stores
from holdfast.base.files import working_folder
from holdfast.project.git import within
from holdfast.project.ids import is_id
from holdfast.workspace import Workspace

_LONGEST_NAME = 60


@dataclass(frozen=True, slots=True)
class Request:
    """One call as an answer sees it: the open workspace, the session that asks, and the name of the agent."""

    workspace: Workspace
    session: str
    agent: str


class Caller:
    """The agent at the other end. What it is asked once holds for the life of the server, but for the folder."""

    def __init__(
        self, environment: Mapping[str, str], *, agent: str = "", home: str | None = None, flags: Mapping[str, str]
    ) -> None:
        self.agent = agent
        self.home = home
        self.flags = flags
        self.environment = environment
        told = agents.get(agent).session_of(environment) if agent else ""
        self.session = told or environment.get("HOLDFAST_SESSION", "")
        # An agent's own id may be one that no folder can have; then there is no scope session, and nothing else fails.
        self.scope_session = "" if told and not is_id(told) else self.session
        self.folder: str | None = None
        self.stores = Stores()

    def look_at_roots(self, uris: Sequence[str]) -> None:
        """Stand in the folder that the agent works in: the working folder if it lies in a root, else the first root."""
        roots = [folder for folder in map(_folder_of, uris) if folder]
        here = working_folder()
        is_in_one = here and any(within(os.path.realpath(here), os.path.realpath(root)) for root in roots)
        self.folder = None if is_in_one or not roots else roots[0]

    def workspace(self, more_flags: Mapping[str, str], say: Callable[[str], None], profile: str = "") -> Workspace:
        """Return a workspace for one call; settings and project are as they are now, the profile the one it names."""
        return PooledWorkspace(
            self.stores,
            self.home,
            folder=self.folder,
            environment=self.environment,
            flags={**self.flags, **more_flags},
            session=self.scope_session,
            profile=profile,
            say=say,
        )

    def name(self, told: str) -> str:
        """Return the name under which memories are stored: that of our own agent, or what the program calls itself."""
        plain = "".join(letter if letter.isalnum() or letter in "-_." else "-" for letter in told[:_LONGEST_NAME])
        return self.agent or plain.strip("-").lower()


def _folder_of(uri: str) -> str:
    """Return the folder that a root names, if it is one of this machine."""
    parts = urlsplit(uri)
    if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
        return ""
    path = unquote(parts.path)
    return path if "\0" not in path and os.path.isdir(path) else ""
