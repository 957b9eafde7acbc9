"""The workspace, opened for one command: settings, store and journal of one home, seen from one folder.

Every action takes it. It knows which scopes the caller may see, it is the only place that hands a draft to the store
(so that nothing is written unredacted), and when it is closed every `index.md` that became stale is true again.
"""

from __future__ import annotations

import os
import time

from holdfast import project as projects
from holdfast import settings as settings_table
from holdfast.errors import BadInput, HoldfastError, NotFound, ScopeUnknown, StoreUnavailable, SwitchedOff
from holdfast.journal.events import Journal
from holdfast.memory import index_pages
from holdfast.privacy import redact
from holdfast.recall.embed import Model
from holdfast.recall.scan import Scan
from holdfast.records import SCOPES, Draft, Memory, Project, Scope, Stored, replace
from holdfast.store.back_ends import open_store
from holdfast.store.keys import check_key
from holdfast.store.layout import check_text as check_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import TracebackType

    from holdfast.store.base import Progress, SearchTable, Store

# The order in which a key without a scope is looked for: the narrowest first.
NARROWEST_FIRST = ("session", "project", "agent", "global")
# What this process said about config.toml already.
_TOLD: set[str] = set()


class Workspace:
    """One home as seen from one folder. `say` gets what a person should be told besides the answer."""

    def __init__(
        self,
        home: str | None = None,
        *,
        folder: str | None = None,
        environment: Mapping[str, str] | None = None,
        flags: Mapping[str, str] | None = None,
        project: str = "",
        session: str = "",
        profile: str = "",
        say: Callable[[str], None] | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.environment = os.environ if environment is None else environment
        self.home = os.path.abspath(os.path.expanduser(home)) if home else settings_table.default_home(self.environment)
        self.settings = settings_table.load(self.home, self.environment, flags)
        self.folder = folder
        self.asked_project = project
        self.session = session or self.environment.get("HOLDFAST_SESSION", "")
        self.profile = profile or self.environment.get("HOLDFAST_PROFILE", "")
        self.say = say or (lambda text: None)
        if say is not None:
            self._tell_unknown_settings()
        self.progress = progress
        self.journal = Journal(self.home)
        self.registry = projects.Registry(os.path.join(self.home, "projects.tsv"))
        self._store: Store | None = None
        self._project: Project | None = None
        self._model: Model | None = None
        self._model_is_readable = True
        self._scan: Scan | None = None
        self._refreshed: set[Scope] = set()
        self._recorded: set[Scope] = set()
        self._pages_written = 0.0
        self._leaves_pages = False
        self._changed = False

    def __enter__(self) -> Workspace:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Bring the indexes up to date and give back the store."""
        if self._store is None:
            return
        if not self._leaves_pages:
            self.write_pages()
        self._tell_notes()
        self.reopen()
        self._renew_rules_files()

    @property
    def enabled(self) -> bool:
        """Whether memory is switched on."""
        return self.settings.flag("enabled")

    @property
    def store(self) -> Store:
        """The store, opened at its first use. Nothing is made where the home does not exist yet."""
        if self._store is None:
            self._store = open_store(self.home, self.settings.number("memory.largest"))
        return self._store

    def model(self) -> Model | None:
        """Return the model of meaning, or None where it is switched off or cannot be read; the latter is said once."""
        if not self.settings.flag("recall.meaning"):
            return None
        if self._model is None and self._model_is_readable:
            try:
                self._model = Model.open()
            except StoreUnavailable as problem:
                self._model_is_readable = False
                self.say(f"recall goes by words alone: {problem}. {problem.hint}")
        return self._model

    def scan(self, table: SearchTable) -> Scan:
        """Return what finds the nearest by meaning; it keeps the vectors from one recall to the next."""
        if self._scan is None:
            self._scan = Scan(table)
        self._scan.table = table
        return self._scan

    def project(self) -> Project:
        """Return the project of the folder, or raise ScopeUnknown with what is missing."""
        if self._project is None:
            override, told_by = self._override()
            folder = self.folder if self.folder is not None else _working_folder()
            self._project = projects.resolve(folder, self.registry, override=override, override_from=told_by)
        return self._project

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
        return Scope(kind, projects.check_id(owner, "session" if kind == "session" else "profile"))

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
        self._see(scopes)
        self._tell_notes()

    def _see(self, scopes: tuple[Scope, ...] | None) -> None:
        # Uses that are counted already do not count again, so an index of somebody else's making may get them too.
        if self.store.refresh(scopes, self.progress).anew:
            self.store.add_uses(self.journal.uses())
        index_pages.see_other_files(self.store, scopes)

    def refresh_once(self, scope: Scope) -> None:
        """See the files of the scope as they were when this run first wrote to it; later writes are our own."""
        if scope not in self._refreshed:
            self.refresh((scope,))
            self._refreshed.add(scope)

    def leave_pages(self) -> None:
        """Write no index.md at the end of this run: the command promised to change nothing."""
        self._leaves_pages = True

    def reopen(self) -> None:
        """Give back the store; its next use opens it again, as it is then."""
        if self._store is not None:
            self._store.close()
            self._store = None

    def locate(self, key: str, kind: str | None = None) -> Memory:
        """Return the memory of that key in the narrowest scope that has it."""
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
            self.say(f"{key} is in {', '.join(str(memory.scope) for memory in found)} too; --scope chooses")
        return found[0]

    def put(self, draft: Draft) -> Stored:
        """Redact the draft and store it. This is the only way into the store."""
        self.need_enabled()
        kinds: tuple[str, ...] = ()

        def clean(checked: Draft) -> Draft:
            nonlocal kinds
            for key in (checked.key or "", *checked.supersedes):
                refuse_secret(key, "the key")
            refuse_secret(checked.scope.owner, f"the {checked.scope.kind} id")
            cleaned, kinds = redacted(checked)
            return cleaned

        stored = self.store.put(draft, clean)
        self._record_project(draft.scope)
        if kinds:
            self.say(f"redacted before it was stored: {', '.join(kinds)}")
        self._write_pages_in_time()
        return replace(stored, redacted=kinds)

    def _record_project(self, scope: Scope) -> None:
        """On the first write to a project, note what tells it from others, so that a renamed folder is known again."""
        if scope.kind == "project" and scope not in self._recorded:
            self._recorded.add(scope)
            if self._project is not None and self._project.id == scope.owner:
                projects.record(self._project, self.registry)

    def need_enabled(self) -> None:
        """Raise SwitchedOff where memory is switched off."""
        if not self.enabled:
            raise SwitchedOff("memory is switched off", f"Set enabled to true ({self.settings.origin['enabled']}).")

    def write_pages(self) -> None:
        """Write each index.md that is older than what its folder holds."""
        if not self.enabled or self.store.is_temporary:
            return
        try:
            self._changed |= index_pages.write_stale(self.store, self.settings)
        except HoldfastError as problem:
            self.say(f"an index.md is not up to date: {problem}")
        self._pages_written = time.monotonic()

    def _renew_rules_files(self) -> None:
        """After a change, renew the rules files of agents whose hooks cannot hand memories over."""
        if self._changed and os.path.exists(os.path.join(self.home, "installs.json")):
            from holdfast.app import publish

            publish.refresh(self)
            self.reopen()
        self._changed = False

    def _write_pages_in_time(self) -> None:
        """In a long run, keep the indexes at most a second behind; a short one writes them when it closes."""
        if not self._pages_written:
            self._pages_written = time.monotonic()
        elif time.monotonic() - self._pages_written > 1.0:
            self.write_pages()

    def _tell_unknown_settings(self) -> None:
        """Say which lines of config.toml count for nothing; a command with sub-commands opens a workspace twice."""
        for one in self.settings.unknown:
            if one.text not in _TOLD:
                _TOLD.add(one.text)
                self.say(one.text)

    def _tell_notes(self) -> None:
        while self.store.notes:
            self.say(self.store.notes.pop(0))


def redacted(draft: Draft) -> tuple[Draft, tuple[str, ...]]:
    """Return the draft without secrets, and the kinds that were found; refuse it where nothing else is left."""
    cleaned = [redact.redact(text) if text else ("", ()) for text in _texts(draft)]
    kinds = tuple(sorted({kind for _, found in cleaned for kind in found}))
    if not _without_markers(cleaned[0][0]):
        raise BadInput("nothing is left of the text but secrets", "Store what it is about, not the secret itself.")
    if not kinds:
        return draft, ()
    text, title, source, agent, tags = (cleaned_text for cleaned_text, _ in cleaned)
    tags_given = None if draft.tags is None else tuple(tags.split("\n")) if tags else ()
    return replace(draft, text=text, title=title or None, source=source, agent=agent, tags=tags_given), kinds


def _without_markers(text: str) -> str:
    """Return the letters and digits that are left beside the marks of what was taken out."""
    pieces = text.replace("[private]", "[redacted:").split("[redacted:")
    rest = [pieces[0], *(piece.partition("]")[2] if "]" in piece else piece for piece in pieces[1:])]
    return "".join(letter for letter in "".join(rest) if not letter.isspace())


def _texts(draft: Draft) -> list[str]:
    return [draft.text, draft.title or "", draft.source, draft.agent, "\n".join(draft.tags or ())]


def refuse_secret(name: str, what: str) -> None:
    """Refuse a key or an id that is a secret: it would be the name of a file, where nothing can be taken out."""
    kinds = redact.redact(name)[1] if name else ()
    if kinds:
        raise BadInput(f"{what} looks like a secret ({', '.join(kinds)})", "Give it another name.")


def normal_tags(tags: tuple[str, ...]) -> tuple[str, ...]:
    """Return tags cut at commas and trimmed; hyphens and inner spaces stay."""
    several = (tags,) if isinstance(tags, str) else tags
    cut = [tag.strip() for given in several for tag in given.replace("\n", ",").split(",")]
    return tuple(dict.fromkeys(tag for tag in cut if tag))


def _working_folder() -> str:
    try:
        return os.getcwd()
    except OSError:
        return ""
