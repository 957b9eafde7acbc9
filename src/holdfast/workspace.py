"""The workspace: one home as seen from one folder. Hooks, commands, MCP and the web all work with it.

It knows the settings, the project of the folder and which scopes the caller may see, and it opens the store at its
first use. It is light, because every hook makes one. Closing it only closes; what a command has to bring up to date
at its end, `app/finish.py` does.
"""

from __future__ import annotations

import os

from holdfast import settings as settings_table
from holdfast.agents import INSTALLS, NATIVE
from holdfast.agents.base import Place
from holdfast.base.files import working_folder
from holdfast.errors import BadInput, NotFound, Refused, ScopeUnknown, StoreBusy, SwitchedOff
from holdfast.journal import Journal
from holdfast.records import SCOPES, Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from holdfast.project.anchors import Freshness
    from holdfast.project.registry import Registry
    from holdfast.records import Memory, Project
    from holdfast.store.base import Progress, Store

# The order in which a key without a scope is looked for: the narrowest first.
NARROWEST_FIRST = ("session", "project", "agent", "global")
# Who may ask for a write. What a person types is a person's; all others have a setting `reach.CALLER`.
PERSON = "person"
CALLERS = {"agent": "an agent", "subagent": "a sub-agent", "unknown": "a program that is no known agent"}
# Where files of agents may be.
PLACES = ("user", "project")
# What was decided about the memories that repositories bring.
ALLOWED = "allowed.json"
# Folders of a home that every command writes into.
_FOLDERS = ("journal", "memory", "state", "updates")
_MAX_PROFILE = 60
# What this process said about config.toml already.
_SAID: set[str] = set()


class Workspace:
    """One home as seen from one folder. `say` gets what a person should be told besides the answer.

    `config` is a file of settings in place of the home's own.
    """

    # A hub's has none: whatever is about files of a home is left out there (`app/hub.py`).
    has_home = True

    def __init__(
        self,
        home: str | None = None,
        *,
        folder: str | None = None,
        environment: Mapping[str, str] | None = None,
        flags: Mapping[str, str] | None = None,
        config: str = "",
        project: str = "",
        session: str = "",
        profile: str = "",
        caller: str = PERSON,
        speaker: str = "",
        say: Callable[[str], None] | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.environment = os.environ if environment is None else environment
        self.home = os.path.abspath(os.path.expanduser(home)) if home else settings_table.default_home(self.environment)
        _refuse_linked(self.home)
        self.settings = settings_table.load(self.home, self.environment, flags, config)
        self.folder = folder
        self.asked_project = project
        self.session = session or self.environment.get("HOLDFAST_SESSION", "")
        self.profile = profile or self.environment.get("HOLDFAST_PROFILE", "")
        # Who asks, one of CALLERS; the table of reach says where each may write.
        self.caller = caller
        # Whether whoever asks may write to the project alone, and to nothing that holds elsewhere, too.
        self.is_bound = False
        # The agent in whose shell a command runs: what it states is that agent's word.
        self.speaker = speaker
        self.say = say or (lambda text: None)
        # Which lines of config.toml count for nothing; a command with sub-commands opens a workspace twice.
        for one in self.settings.unknown if say is not None else ():
            if one.text not in _SAID:
                _SAID.add(one.text)
                self.say(one.text)
        self.progress = progress
        self.journal = Journal(self.home)
        # The scopes whose files this workspace has looked at; None among them stands for all.
        self.seen: set[Scope | None] = set()
        self._store: Store | None = None
        self._registry: Registry | None = None
        self._project: Project | None = None
        self._fresh: Freshness | None = None
        self._refreshed: set[Scope] = set()
        self._recorded = False

    def __enter__(self) -> Workspace:
        return self

    def __exit__(self, kind: object, problem: BaseException | None, trace: object) -> None:
        self.close()

    def close(self) -> None:
        """Give back the store; its next use opens it again, as it is then."""
        if self._store is not None:
            self._store.close()
            self._store = None

    @property
    def enabled(self) -> bool:
        """Whether memory is switched on, and not sealed for this session."""
        return not self.why_off

    @property
    def why_off(self) -> str:
        """Why nothing is given or kept here, and which setting says so; nothing where memory is switched on."""
        if self.settings.flag("sealed"):
            return f"this session is sealed ({self.settings.origin['sealed']})"
        return "" if self.settings.flag("enabled") else f"memory is switched off ({self.settings.origin['enabled']})"

    @property
    def has_decided_sets(self) -> bool:
        """Whether a person ever decided on memories that a repository brings; elsewhere none tells anything."""
        return os.path.exists(os.path.join(self.home, ALLOWED))

    @property
    def is_reviewed(self) -> bool:
        """Whether what is said here is proposed to somebody else, as in some teams of a hub."""
        return False

    @property
    def has_installs(self) -> bool:
        """Whether there may be a rules file or a block of ours that an agent reads."""
        return any(os.path.exists(os.path.join(self.home, name)) for name in (INSTALLS, NATIVE))

    def need_enabled(self) -> None:
        """Raise SwitchedOff where memory is switched off."""
        if self.why_off:
            hint = "Take `sealed` out." if self.settings.flag("sealed") else "Set `enabled` to true."
            raise SwitchedOff(self.why_off, hint)

    def need_reach(self, kind: str) -> None:
        """Raise Refused where whoever asks may not write to such scopes; the settings `reach.*` are the table."""
        if self.is_bound and kind != "project":
            raise Refused(f"this token is for a project and does not write to {kind}", "Use one of all projects.")
        if self.caller == PERSON:
            return
        name = f"reach.{self.caller}"
        allowed = self.settings.text(name).split()
        if kind not in allowed:
            instead = f"Use {' or '.join(allowed)}" if allowed else "Tell the person instead"
            raise Refused(
                f"{CALLERS[self.caller]} does not write to the scope {kind} here",
                f'{instead}; the person can allow it: `holdfast config set {name} "{" ".join((*allowed, kind))}"`.',
            )

    def need_person(self, does: str) -> None:
        """Raise Refused where somebody else than the person asks for what only they do."""
        if self.caller != PERSON:
            raise Refused(f"only the person {does}", "Ask them to run it in a terminal of their own.")

    def need_own(self, memory: Memory) -> None:
        """Raise Refused where somebody else than the person would edit, move or merge what they laid down."""
        if self.caller != PERSON:
            from holdfast.store.kinds import is_of_the_person

            if is_of_the_person(memory):
                raise Refused(f"{memory.key} is the person's own", "Ask them to run it in a terminal of their own.")

    @property
    def store(self) -> Store:
        """The store, opened at its first use. Nothing is made where the home does not exist yet."""
        if self._store is None:
            # Most hooks need no store that can be written to.
            from holdfast.store.back_ends import open_store

            self._store = open_store(self.home, self.settings.number("memory.largest"))
        return self._store

    @property
    def is_open(self) -> bool:
        """Whether the store was used."""
        return self._store is not None

    @property
    def registry(self) -> Registry:
        """What is remembered about projects."""
        if self._registry is None:
            from holdfast.project.registry import Registry

            self._registry = Registry(os.path.join(self.home, "projects.tsv"))
        return self._registry

    def place(self, scope: str) -> Place:
        """Return where the files of agents are: those of the person (`user`), or those of the project."""
        if scope not in PLACES:
            raise BadInput(f"{scope!a} is not a scope of an install", f"Use one of {', '.join(PLACES)}.")
        person = os.path.abspath(self.environment.get("HOME") or os.path.expanduser("~"))
        try:
            # Where the working directory was deleted, the person's files are those that are seen from their home.
            root = self.project().root if scope == "project" else self.folder or working_folder() or person
        except ScopeUnknown as problem:
            raise ScopeUnknown(str(problem), "cd into a project; `install` also takes --scope user.") from problem
        return Place(person, os.path.realpath(root), scope, self.environment)

    def project(self) -> Project:
        """Return the project of the folder, or raise ScopeUnknown with what is missing."""
        if self._project is None:
            from holdfast.project import resolve

            override, origin = self._override()
            folder = self.folder if self.folder is not None else working_folder()
            self._project = resolve(folder, self.registry, override=override, override_from=origin)
        return self._project

    def project_if_any(self) -> Project | None:
        """Return the project of the folder, or None where the folder belongs to none."""
        try:
            return self.project()
        except ScopeUnknown:
            return None

    def fresh(self) -> Freshness:
        """Return what knows whether the code that memories name is as it was; few hooks give one that names any."""
        if self._fresh is None:
            from holdfast.project.anchors import freshness_of

            try:
                self._fresh = freshness_of(self.home, self.project())
            except (ScopeUnknown, OSError):
                self._fresh = freshness_of(self.home, None)
        return self._fresh

    def _override(self) -> tuple[str, str]:
        if self.asked_project:
            return self.asked_project, "--project"
        if self.environment.get("HOLDFAST_PROJECT"):
            return self.environment["HOLDFAST_PROJECT"], "HOLDFAST_PROJECT"
        return self.settings.text("project.id"), "the setting project.id"

    def scope(self, kind: str) -> Scope:
        """Return the scope of that kind as seen from here; never another one instead."""
        if kind not in SCOPES:
            raise BadInput(f"{kind!a} is not a scope", f"Use one of {', '.join(SCOPES)}.")
        if kind == "global":
            return Scope("global")
        if kind == "project":
            return Scope("project", self.project().id)
        owner = self.session if kind == "session" else self.profile
        if not owner:
            option = "--session ID or HOLDFAST_SESSION" if kind == "session" else "--profile NAME or HOLDFAST_PROFILE"
            raise ScopeUnknown(f"no {kind} is known here", f"Give {option}, or use --scope global.")
        from holdfast.project.ids import check_id

        return Scope(kind, check_id(owner, "session" if kind == "session" else "profile"))

    @property
    def teams(self) -> dict[str, Workspace]:
        """What is searched beside this one, by team; a home has none, and is all there is."""
        return {"": self}

    def visible(self, kind: str | None = None) -> tuple[Scope, ...]:
        """Return the scopes that a reader here may see, narrowest first; of one kind only, if given."""
        found: list[Scope] = []
        for each in NARROWEST_FIRST:
            if kind not in (None, each):
                continue
            try:
                found.append(self.scope(each))
            except ScopeUnknown:
                if kind is not None:
                    raise
                continue
            if each == "project":
                found += [Scope("project", alias) for alias in self.project().aliases]
        return tuple(found)

    def readable(self, kind: str | None, *, everywhere: bool) -> tuple[Scope, ...] | None:
        """Return the scopes that a read asked for; None is everything."""
        if everywhere and kind is not None:
            raise BadInput("a scope and everywhere do not go together", "Give --scope, or --everywhere, not both.")
        return None if everywhere else self.visible(kind)

    def refresh(self, scopes: tuple[Scope, ...] | None) -> None:
        """See what people changed in the files of these scopes since the last look."""
        # Uses that are counted already do not count again, so an index of somebody else's making may get them too.
        if self.store.refresh(scopes, self.progress).anew:
            self.store.add_uses(self.journal.uses())
        self.seen.update((None,) if scopes is None else scopes)
        self.say_notes()

    def refresh_once(self, scope: Scope) -> None:
        """See the files of the scope as they were when this run first wrote to it; later writes are our own.

        Where another process holds the index for longer than this one may wait, the files alone have to do.
        """
        if scope not in self._refreshed:
            self._refreshed.add(scope)
            try:
                self.refresh((scope,))
            except StoreBusy:
                return

    def locate(self, key: str, kind: str | None = None) -> Memory:
        """Return the memory of that key in the narrowest scope that has it."""
        from holdfast.store.keys import check_key

        self.need_enabled()
        check_key(key)
        scopes = self.visible(kind)
        self.refresh(scopes)
        found = []
        for scope in scopes:
            try:
                found.append(self.store.get(scope, key))
            except NotFound:
                continue
        if not found:
            where = ", ".join(map(str, scopes)) or "any scope that is visible here"
            raise NotFound(
                f"no memory {key} in {where}", "`holdfast list` shows the keys, `holdfast recall` finds text."
            )
        if len(found) > 1:
            others = ", ".join(str(memory.scope) for memory in found[1:])
            self.say(f"{key} of {found[0].scope} was used; it is in {others} too, and --scope chooses")
        return found[0]

    def record_project(self, scope: Scope) -> None:
        """On a write to the project of this folder, note what tells it from others: a renamed folder is known again."""
        if self._project is not None and scope == Scope("project", self._project.id) and not self._recorded:
            from holdfast.project import record

            self._recorded = True
            record(self._project, self.registry)

    def say_notes(self) -> None:
        """Say what the store has to say, each note once."""
        while self.store.notes:
            self.say(self.store.notes.pop(0))


def _refuse_linked(home: str) -> None:
    """Refuse a home one of whose own folders is a link; the home itself may be one, which its person made."""
    for name in _FOLDERS:
        place = os.path.join(home, name)
        if os.path.islink(place):
            raise Refused(
                f"{place} is a symbolic link, and Holdfast does not write through links",
                "Put the folder that it leads to in its place, or make the home itself a link.",
            )


def profile_id(name: str) -> str:
    """Return the id of the profile that an agent calls so, as `plugin:Reviewer`; nothing where nothing is left."""
    plain = "".join(
        [letter if letter.isascii() and letter.isalnum() else "-" for letter in name[:_MAX_PROFILE].lower()]
    )
    return "-".join([part for part in plain.split("-") if part])


def normal_tags(tags: tuple[str, ...]) -> tuple[str, ...]:
    """Return tags cut at commas and trimmed; hyphens and inner spaces stay."""
    several = (tags,) if isinstance(tags, str) else tags
    cut = [tag.strip() for given in several for tag in given.replace("\n", ",").split(",")]
    return tuple(dict.fromkeys(tag for tag in cut if tag))
