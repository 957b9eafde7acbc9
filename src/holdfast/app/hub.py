"""A workspace on a hub: one team's memories as one person sees them, and no home.

What a page, REST and MCP do to memories is the same code as on a laptop; who asks, and of which team, goes into every
transaction. There are no files: settings come from the environment, nothing is written to a journal, and whatever asks
for the home is refused in plain words. A project is whichever the caller names, since there is no folder to tell it by.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from holdfast.errors import Refused, ScopeUnknown
from holdfast.journal import Journal
from holdfast.project.anchors import Freshness
from holdfast.project.ids import check_id
from holdfast.project.registry import Registry
from holdfast.records import Event, Project, Scope
from holdfast.settings import Settings
from holdfast.store.postgres import PostgresStore
from holdfast.store.postgres_connection import Asks
from holdfast.workspace import PERSON, Workspace

# Scopes of one session or one agent are private.
SHARED = ("project", "global")


class NoJournal(Journal):
    """A journal that keeps nothing: the database counts uses and audits changes itself."""

    def __init__(self) -> None:
        self.folder = ""

    def append(self, event: Event, *, durable: bool = True, timed: bool = False) -> int:
        """Keep nothing."""
        return 0

    def days(self) -> list[str]:
        """There are none."""
        return []


class HubWorkspace(Workspace):
    """One team of a hub as seen by one person. `via` says in the audit by which way a change came."""

    has_home = False

    def __init__(
        self,
        address: str,
        asks: Asks,
        settings: Settings,
        *,
        via: str,
        project: str = "",
        caller: str = PERSON,
        environment: Mapping[str, str],
        say: Callable[[str], None] = lambda text: None,
    ) -> None:
        # Without the base class's constructor, which reads a home.
        self.environment, self.settings, self.say = environment, settings, say
        self.asks, self.asked_project, self.caller = asks, project, caller
        self.folder, self.progress, self.journal = None, None, NoJournal()
        self.session = self.profile = self.speaker = ""
        self.is_bound = self._recorded = False
        self.seen: set[Scope | None] = set()
        self._refreshed: set[Scope] = set()
        store = PostgresStore(address, settings.number("memory.largest"), asks)
        store.reason = via
        self._store = self._team_store = store
        # The other teams of a search over all of them.
        self.other_teams: list[HubWorkspace] = []

    @property
    def home(self) -> str:  # type: ignore[override]
        """Refused, because a hub has no home."""
        raise Refused("this is about the files of a home, and a hub has none", "Use it on a machine of your own.")

    @property
    def registry(self) -> Registry:
        """Refused: folders are of a machine."""
        raise Refused("a hub knows no folders", "Name the project by its id.")

    @property
    def has_decided_sets(self) -> bool:
        """Nobody decides here on memories that a repository brings."""
        return False

    @property
    def has_installs(self) -> bool:
        """No agent reads files that are written from here."""
        return False

    @property
    def is_reviewed(self) -> bool:
        """Whether the team is reviewed, so that what somebody says is proposed."""
        with self._team_store.begin():
            return self._team_store.is_reviewed

    def project(self) -> Project:
        """Return the project that is named, or raise ScopeUnknown."""
        if not self.asked_project:
            raise ScopeUnknown("no project is named", "Name one by its id: project=ID.")
        return Project(check_id(self.asked_project, "the project"), "override", "it is named", "")

    def scope(self, kind: str) -> Scope:
        """Return the scope of that kind; Refused where it is not one that is shared."""
        if kind in ("session", "agent"):
            raise ScopeUnknown(f"what is of one {kind} is not shared", f"Use {' or '.join(SHARED)}.")
        return super().scope(kind)

    def fresh(self) -> Freshness:
        """Return what checks no code: there is none here."""
        return Freshness("", "")

    @property
    def teams(self) -> dict[str, Workspace]:
        """This one, and the other teams that are asked about, by name."""
        return {one.asks.team: one for one in (self, *self.other_teams)}

    def record_project(self, scope: Scope) -> None:
        """A hub has no folder by which to recognize a project."""

    def close(self) -> None:
        """The connections are the process's."""
