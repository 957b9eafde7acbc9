"""Settings: one table, and where each value comes from.

Defaults < config.toml < environment < flag. A name has at most one dot; in config.toml the part before it is the
table. The environment says the same in capitals: `recall.limit` is HOLDFAST_RECALL_LIMIT. A value of the wrong kind is
an error. An unknown name in config.toml counts for nothing and is told, so that a slip of the pen is never silently
ignored and takes no memory away; where it may have been meant to forbid something, it is an error (decision 0032).
"""

from __future__ import annotations

import os

from holdfast.base.light_records import dataclass
from holdfast.errors import BadSetting, StoreUnavailable
from holdfast.records import SCOPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

Value = bool | int | float | str


@dataclass(frozen=True, slots=True)
class Setting:
    """One row of the table; `least` and `most` bound the numbers that make sense, `choices` are all texts that do."""

    name: str
    default: Value
    help: str
    least: float = 0
    choices: tuple[str, ...] = ()
    most: float | None = None
    # A text that is a list: all words that it may have, between spaces.
    words: tuple[str, ...] = ()


def variable_of(name: str) -> str:
    """Return the environment variable of a setting."""
    return "HOLDFAST_" + name.replace(".", "_").upper()


SETTINGS = (
    Setting("enabled", True, "Memory is on. When off, nothing is written anywhere and every read is empty."),
    Setting("sealed", False, "HOLDFAST_SEALED=1 before an agent: that session is given nothing, and nothing is kept."),
    Setting("project.id", "", "The project of every folder, whatever git says. Empty: found by its rules."),
    Setting("reach.agent", "global project session agent", "Where an agent may write.", words=SCOPES),
    Setting("reach.subagent", "project session agent", "Where a sub-agent may write.", words=SCOPES),
    Setting(
        "reach.unknown", "project session agent", "Where a program may write that is not a known agent.", words=SCOPES
    ),
    Setting("memory.largest", 262_144, "The longest that one memory may be, in bytes.", 1),
    Setting("index.group_at", 20, "An index.md with more entries than this groups related ones under headings.", 1),
    Setting("index.show", 500, "An index.md lists at most this many entries, the newest, and says how many more.", 1),
    Setting("recall.limit", 10, "How many hits `recall` returns.", 1),
    Setting("recall.meaning", True, "Recall searches by meaning too, not by words alone."),
    Setting("recall.count_use", True, "What `recall` returns counts as used, and ranks a little higher."),
    Setting("hook.notices", True, "The agent shows you in a line what was stored, withdrawn or needs you, if it can."),
    Setting("inject.start_characters", 3_000, "The most that a session is given when it starts, in characters.", 400),
    Setting("inject.prompt_items", 3, "How many memories a prompt brings at most."),
    Setting("inject.prompt_characters", 1_200, "The most that a prompt brings, in characters.", 400),
    Setting("inject.relevance", 45, "How sure it must be, out of 100, that a prompt needs a memory to give it."),
    Setting("hook.budget_ms", 1_000, "How long a hook may take, half of it waiting. Then it gives what it has.", 50),
    Setting("hook.scaffold", True, "An agent without a memory of its own gets the tree of one in its project."),
    Setting("continuity.enabled", True, "Hooks keep the working state and the daily log of a project."),
    Setting("capture.confirm", False, "A prompt asks the agent to store what may be a lasting rule, if it is one."),
    Setting("continuity.open_minutes", 15, "The next start closes a session that was silent for this long.", 1),
    Setting("learning.enabled", True, "Hooks keep ratings, work items, fixes and security records."),
    Setting(
        "learning.incident_bytes", 50_000_000, "Incidents take at most this much; the oldest transcripts go first."
    ),
    Setting("readback.lessons", True, "A session starts with the lessons that stand, the weightiest first."),
    Setting("readback.work", True, "A session starts with the open work of the last 48 hours."),
    Setting("readback.stale", True, "A session starts with open work that nobody touched for 14 days."),
    Setting(
        "security.block",
        "off",
        "Calls of tools that are refused before they run: off, destructive, or all that are security-relevant.",
        choices=("off", "destructive", "all"),
    ),
    Setting("rules.enabled", True, "Memories with a condition are said, or hold a call, at the calls they are about."),
    Setting(
        "rules.strongest",
        "deny",
        "The most that any rule may do at a call: say it, hold it once, ask you, or deny it.",
        choices=("say", "hold", "ask", "deny"),
    ),
    Setting("updates.keep_bytes", 10_000_000, "What the change history keeps of earlier bytes; the oldest go first."),
    Setting("patterns.min_frequency", 3, "In how many sessions something must occur to be a pattern.", 1),
    Setting("measure.holdout", 0.0, "In this share of sessions nothing is injected, to tell help from chance.", most=1),
    Setting("distil.days", 90, "How far back `distil` looks, in days.", 1),
    Setting("distil.daily_tokens", 100_000, "How many tokens help with distilling may take in a day. 0: none."),
    Setting("distil.timeout_seconds", 120, "How long `distil --with` waits for an answer.", 1),
    Setting("distil.model", "default", "The model that an endpoint of `distil --with` is asked for."),
    Setting("distil.key_from", "", "The environment variable with the key for that endpoint. Empty: no key is sent."),
    Setting(
        "mcp.guidance",
        "normal",
        "How much an agent is told about saving and recalling: minimal, normal or eager.",
        choices=("minimal", "normal", "eager"),
    ),
    Setting("mcp.timeout_ms", 30_000, "How long a call to the MCP server may take before it is given up.", 100),
    Setting("sweep.at_session_end", True, "When a session ends, its hook starts a sweep of the agent's transcripts."),
    Setting("sweep.least_minutes", 2, "A hook starts no sweep when the last one was started fewer minutes ago."),
    Setting("sweep.within_seconds", 60, "How long a sweep may take that a hook started.", 1),
    Setting("sync.digests", False, "`sync` takes the digests of sessions along."),
    Setting("sync.with_sweep", True, "A scheduled sweep syncs, too, where the home has a remote or joined a hub."),
    Setting("hub.digests", "", "The team of your hub that is told figures of your sessions, no words. Empty: none."),
    Setting("hub.key_from", "HOLDFAST_HUB_KEY", "The environment variable with the keys that sign a hub's cookies."),
    Setting("hub.session_minutes", 60, "How long a browser stays signed in to a hub.", 1, most=1_440),
    Setting("oidc.issuer", "", "The address of the OpenID provider by which people sign in to a hub. Empty: none."),
    Setting("oidc.client_id", "", "The client id by which the provider knows the hub."),
    Setting("oidc.secret_from", "HOLDFAST_OIDC_SECRET", "The environment variable with the secret of that client."),
    Setting("oidc.organisation", "", "The organisation of those who sign in."),
    Setting("oidc.scopes", "openid profile email", "The scopes that the provider is asked for."),
    Setting(
        "oidc.person_claim", "preferred_username", "The claim that is a person's name; an `email` is a verified one."
    ),
    Setting("oidc.groups_claim", "groups", "The claim that lists a person's groups."),
    Setting("archive.raw_soft_cap_bytes", 2 * 2**30, "Over it, raw sessions with a digest go, oldest first. 0: none."),
    Setting("archive.raw_hard_cap_bytes", 4 * 2**30, "Raw sessions never take more, digest or not. 0: no cap."),
    Setting("archive.raw_max_age_days", 365, "Raw sessions with a digest go this many days after their end. 0: never."),
    Setting("archive.distilled_cap_bytes", 256 * 2**20, "Over it, digests raise an alert; they stay. 0: no cap."),
    Setting("retention.project_days", 90, "A project memory expires this many days after its last update or use.", 1),
    Setting("retention.session_days", 14, "A session memory expires this many days after its last update or use.", 1),
)
DOMAINS = "domains."
# What `sync` takes along: how a person likes it. What a machine can afford, and what guards or deletes, stays there.
TRAVEL = ("capture.", DOMAINS, "index.", "inject.", "mcp.guidance", "patterns.", "readback.", "recall.")
_WANTED = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}
BY_NAME = {setting.name: setting for setting in SETTINGS}
DEFAULTS = {setting.name: setting.default for setting in SETTINGS}
_VARIABLES = {variable_of(name): name for name in DEFAULTS}
# Most hooks need no more of the table than this.
MADE_ONCE = ("DEFAULTS", "_VARIABLES")
# Going on without one of these could do what a person forbade, or write to a project that was not meant.
GUARDS = (
    *("enabled", "sealed", "project.id", "security.block", "reach.agent", "reach.subagent", "reach.unknown"),
    *[name for name in BY_NAME if name.startswith("rules.")],
)
# Settings of earlier versions: what to say where config.toml still has one.
RETIRED = {"recall.model": "The static model is the only one now; remove the line."}


@dataclass(frozen=True, slots=True)
class Unknown:
    """A name in config.toml that is no setting, where it stands, and which one was probably meant."""

    name: str
    path: str
    line: int
    hint: str

    @property
    def where(self) -> str:
        """The file, and its line where that could be told."""
        return f"{self.path}:{self.line}" if self.line else self.path

    @property
    def text(self) -> str:
        """What is wrong, in one line with its place and the way out."""
        return f"{self.where}: there is no setting {self.name!r}, so this line has no effect. {self.hint}"


class Settings:
    """The value of every setting, and in `origin` who set it: default, config.toml, the environment or a flag.

    `domains` is the table `[domains]` of config.toml, whose names are projects: the domain that each is in. `unknown`
    are the names in config.toml that are no settings.
    """

    def __init__(
        self,
        values: dict[str, Value],
        origin: dict[str, str],
        domains: dict[str, str] | None = None,
        unknown: tuple[Unknown, ...] = (),
    ) -> None:
        self.values = values
        self.origin = origin
        self.domains = domains or {}
        self.unknown = unknown

    def __getitem__(self, name: str) -> Value:
        return self.values[name]

    def number(self, name: str) -> int:
        """Return a whole number."""
        return int(self.values[name])

    def share(self, name: str) -> float:
        """Return a number that need not be whole."""
        return float(self.values[name])

    def text(self, name: str) -> str:
        """Return a text."""
        return str(self.values[name])

    def flag(self, name: str) -> bool:
        """Return yes or no."""
        return bool(self.values[name])


def default_home(environment: Mapping[str, str]) -> str:
    """Return the home folder: HOLDFAST_HOME, or ~/.holdfast."""
    return os.path.abspath(os.path.expanduser(environment.get("HOLDFAST_HOME") or "~/.holdfast"))


def load(
    home: str, environment: Mapping[str, str], flags: Mapping[str, str] | None = None, config: str = ""
) -> Settings:
    """Return the settings in force; raise BadSetting for values that cannot be, and for names that nobody knows.

    Only of config.toml unknown names are passed over, into `unknown`. `config` is a file that stands in for it in this
    run; whoever names one is there to mend it, so in that they are errors.
    """
    values: dict[str, Value] = dict(DEFAULTS)
    origin = dict.fromkeys(values, "default")
    domains: dict[str, str] = {}
    unknown: list[Unknown] = []
    path = config or os.path.join(home, "config.toml")
    data = _read(path)
    for name, value in flat(_parsed(data, path)).items():
        if name.startswith(DOMAINS):
            domains[name.removeprefix(DOMAINS)], origin[name] = domain(name, value, path), path
        elif name in DEFAULTS:
            values[name], origin[name] = _checked(name, value, path), path
        else:
            unknown.append(_unknown(name, path, data, strict=bool(config)))
    for variable in environment:
        name = _VARIABLES.get(variable, "")
        if name and environment[variable]:
            values[name], origin[name] = parse(name, environment[variable], variable), variable
    for name, text in (flags or {}).items():
        values[name], origin[name] = parse(name, text, "--set"), "--set"
    return Settings(values, origin, domains, tuple(unknown))


def parse(name: str, text: str, where: str) -> Value:
    """Return the value that a text stands for, of the kind that the setting has."""
    kind = type(known(name, where).default)
    if kind is bool:
        return _yes_or_no(name, text, where)
    if kind is str:
        return _checked(name, text, where)
    try:
        return _checked(name, kind(text), where)
    except ValueError:
        hint = f"Example: {BY_NAME[name].default}"
        raise BadSetting(f"{where}: {name} is {text!r}, not {_WANTED[kind]}", hint) from None


def nearest(name: str) -> str:
    """Return the hint for a name that is not in the table: why it went, or the one that was probably meant."""
    if name in RETIRED:
        return RETIRED[name]
    near = _near(name)
    return f"Did you mean {near}?" if near else "`holdfast config` lists the settings."


def _near(name: str) -> str:
    # Only for a name that is wrong: every hook reads the settings, and `difflib` brings `re` along.
    import difflib

    return next(iter(difflib.get_close_matches(name, BY_NAME, n=1)), "")


def _unknown(name: str, path: str, data: bytes, *, strict: bool) -> Unknown:
    found = Unknown(name, path, _line_of(name, data.decode("utf-8", "replace")), nearest(name))
    if strict or _near(name) in GUARDS:
        raise BadSetting(f"{found.where}: there is no setting {name!r}", found.hint)
    return found


def _line_of(name: str, text: str) -> int:
    """Return the line of config.toml in which a name is set, counted from 1; 0 where that cannot be told."""
    table, last = "", 0
    for number, line in enumerate(text.split("\n"), 1):
        line = line.strip()
        if line.startswith("["):
            table, key = line.partition("]")[0].strip("[ "), ""
        else:
            key = line.partition("=")[0].strip(" \"'")
        whole = ".".join(filter(None, (table, key)))
        if whole == name:
            return number
        if key and name.startswith(f"{whole}."):
            last = number
    return last


def domain(name: str, value: object, where: str) -> str:
    """Return the domain that a line of [domains] names; the name is that of the table and a project."""
    if isinstance(value, str) and value and name != DOMAINS:
        return value
    hint = 'A line of [domains] is a project and its domain: "github.com--acme--shop" = "shop"'
    raise BadSetting(f"{where}: {name} is {value!r}, not the name of a domain", hint)


def _yes_or_no(name: str, text: str, where: str) -> bool:
    if text.lower() in ("1", "true", "yes", "on"):
        return True
    if text.lower() in ("0", "false", "no", "off"):
        return False
    raise BadSetting(f"{where}: {name} is {text!r}, neither true nor false", "Use true or false.")


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return b""
    except NotADirectoryError:
        home = os.path.dirname(path)
        raise StoreUnavailable(f"{home} is not a folder", "Set HOLDFAST_HOME, or --home, to a folder.") from None
    except OSError as problem:
        raise BadSetting(f"{path} cannot be read: {problem.strerror}", "Check its owner and mode.") from problem


def _parsed(data: bytes, path: str) -> dict[str, object]:
    if not data:
        return {}
    # Most homes have no such file.
    from holdfast.base import minitoml

    try:
        text = data.decode("utf-8")
        plain = minitoml.read(text.replace("\r\n", "\n"))
        if plain is not None:
            return plain
        # Only for a file that is not plain: every hook reads the settings, and the parser takes longer than the hook.
        import tomllib

        return tomllib.loads(text)
    except ValueError as problem:
        raise BadSetting(f"{path} is not TOML: {problem}", "Correct it in an editor, or move it away.") from problem


def flat(tree: dict[str, object]) -> dict[str, object]:
    """Return the values of a parsed config.toml by their dotted names."""
    found: dict[str, object] = {}
    for name, value in tree.items():
        if isinstance(value, dict):
            found.update({f"{name}.{inner}": inner_value for inner, inner_value in value.items()})
        else:
            found[name] = value
    return found


def known(name: str, where: str) -> Setting:
    """Return the row of that name, or raise BadSetting with the nearest."""
    if name in BY_NAME:
        return BY_NAME[name]
    raise BadSetting(f"{where}: there is no setting {name!r}", nearest(name))


def _checked(name: str, value: object, where: str) -> Value:
    setting = known(name, where)
    kind = type(setting.default)
    if kind is float and type(value) is int:
        value = float(value)
    if type(value) is not kind:
        raise BadSetting(f"{where}: {name} is {value!r}", f"It must be {_WANTED[kind]}.")
    # What is not a number at all is neither smaller nor larger than anything.
    if isinstance(value, (int, float)) and not value >= setting.least:
        raise BadSetting(f"{where}: {name} is {value}", f"It must be at least {setting.least:g}.")
    if isinstance(value, (int, float)) and setting.most is not None and value > setting.most:
        raise BadSetting(f"{where}: {name} is {value}", f"It must be at most {setting.most:g}.")
    wrong = [word for word in str(value).split() if word not in setting.words] if setting.words else []
    if wrong:
        raise BadSetting(f"{where}: {name} has {wrong[0]!r}", f"Use any of {', '.join(setting.words)}, or none.")
    if setting.choices and value not in setting.choices:
        raise BadSetting(f"{where}: {name} is {value!r}", f"Use one of {', '.join(setting.choices)}.")
    return value
