"""The contract of an agent's adapter as tests. An agent joins it in three lines:

    class TestMine(AgentContract):
        name = "mine"

`host` is what the agent sets in the environment of its hooks, `unit` how many of its time units make a second.
`golden/NAME.json`, where there is one, has calls as the agent really sends or documents them, and what becomes of them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from holdfast import agents
from holdfast.agents.base import ConfigChange, Place
from holdfast.agents.editing.json_text import scan
from holdfast.agents.editing.plan import apply, plan_install, plan_uninstall, remove_empty
from holdfast.agents.editing.record import without
from holdfast.agents.launcher import Launcher
from holdfast.errors import BrokenFile
from holdfast.records import MOMENTS, HookCall, asdict, replace

GOLDEN = Path(__file__).parent / "golden"
COMMAND = Launcher("/opt/py/bin/python3", "/opt/py/holdfast/surfaces/hook/run.py", ("/opt/py/bin/holdfast",))
TEXT = '- a "quoted" thing\n  with C:\\path, \u00e4 \u6f22 \U0001f600 and </tag>\n'
HEAVY = ("re", "typing", "dataclasses", "json", "enum", "importlib.metadata", "tomlkit", "click", "shlex")
TIMEOUTS = ("timeout", "timeoutSec", "timeout_ms")
LIVED_IN_TOML = "# mine\r\nmodel = 'x'  # why\r\n\r\n[mcp_servers.other]\r\ncommand = \"o\"\r\n\r\n# the end"
LIVED_IN_JSON = """\ufeff{
\t// mine
\t"theme": "dark", /* why */
\t"version": 1,
\t"hooks": {
\t\t"SessionStart": [ {"hooks": [{"type": "command", "command": "mine --agent other"}]} ], // keep
\t\t"sessionStart": [{"command": "mine"}],
\t},
\t"mcpServers": {"other": {"command": "o"}},
\t"list": [1, 2,
\t\t3]
}"""


def golden_of(name: str):
    """Return an agent's golden file; one that another package adds has none."""
    path = GOLDEN / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


class AgentContract:
    """Every paragraph of `holdfast.agents.base`, for any agent."""

    name = ""
    host: dict[str, str] = {}  # noqa: RUF012
    unit = 1
    # Events that only earlier plugins call.
    former: tuple[str, ...] = ()

    @pytest.fixture
    def agent(self):
        return agents.get(self.name)

    @pytest.fixture(params=["user", "project"])
    def place(self, request, tmp_path):
        for folder in ("person", "project"):
            (tmp_path / folder).mkdir()
        return Place(str(tmp_path / "person"), str(tmp_path / "project"), request.param, {})

    # Names

    def test_it_says_who_it_is(self, agent) -> None:
        """An agent has the name that it is asked by, and a title for people."""
        assert agent.name == self.name and agent.title
        assert self.name in agents.names()

    # Hooks

    def test_its_events_are_moments(self, agent) -> None:
        """Each of its events is one of MOMENTS, a session starts and a prompt comes, and an unknown event is other."""
        assert {agent.moment(native) for native in agent.events} <= set(MOMENTS)
        assert {"start", "prompt", "stop"} <= set(agent.events.values())
        assert agent.moment("NoSuchEvent") == "other"
        assert agent.injects <= {"start", "prompt", "before-tool", "after-tool", "tool", "tool-failed"}

    @pytest.mark.parametrize(
        "data",
        [
            {},
            {"session_id": 7, "cwd": None, "prompt": ["a"], "tool_input": {"a": {"b": [1, None]}}, "error": {"x": 1}},
            {"session_id": "s", "transcript_path": "\0bad", "source": "startup", "workspace_roots": [3]},
            {"sessionId": "s" * 100_000, "prompt": "p" * 100_000, "toolInput": "t" * 100_000, "timestamp": 1e300},
        ],
        ids=["nothing", "other-kinds", "bad-path", "long"],
    )
    def test_whatever_it_sends_is_read(self, agent, data) -> None:
        """A missing field, or one of another kind, is empty; nothing is raised, and what tools say stays bounded."""
        for native in (*agent.events, "NoSuchEvent"):
            call = agent.read_hook_input(native, data, {})
            assert isinstance(call, HookCall)
            assert (call.agent, call.native, call.moment) == (self.name, native, agent.moment(native))
            assert all(isinstance(value, str) for value in asdict(call).values())
            assert len(call.tool_input) <= 64_000 and len(call.error) <= 4_000

    def test_known_calls_are_understood(self, agent) -> None:
        """Calls as the agent sends or documents them give the fields, and for a text the answer, that are expected."""
        for known in golden_of(self.name).get("calls", []):
            call = agent.read_hook_input(known["event"], known["stdin"], known.get("environment", {}))
            told = {name: value for name, value in asdict(call).items() if name in known["call"]}
            assert told == known["call"], known["event"]
            if "printed" in known:
                assert agent.injection_output(call, "TEXT") == known["printed"]

    def test_text_reaches_the_model_as_it_is(self, agent) -> None:
        """What is printed holds the text exactly, plain or as one JSON document, at every moment that can inject."""
        for native, moment in agent.events.items():
            printed = agent.injection_output(HookCall(self.name, moment, native, folder="/nowhere"), TEXT)
            if moment in agent.injects and native not in self.former:
                assert TEXT in _texts(printed)

    def test_only_its_own_program_is_the_host(self, agent) -> None:
        """Run by its own program it answers; run by an agent that reads other agents' hooks it knows that."""
        assert agent.is_host(self.host)
        if "GROK_HOOK_EVENT" not in self.host:
            reads_others = {"GROK_HOOK_EVENT": "stop", "GROK_SESSION_ID": "s", "CLAUDE_PROJECT_DIR": "/p"}
            assert not agent.is_host(reads_others)

    def test_two_hooks_of_one_event_have_one_tag(self, agent) -> None:
        """The same input gives the same tag, where the agent names a session; another prompt gives another tag."""
        native = next(native for native, moment in agent.events.items() if moment == "prompt")
        first = {"session_id": "s", "prompt": "a", "prompt_id": "1", "transcript_path": "/nowhere"}
        again = agent.read_hook_input(native, first, {}).tag
        assert agent.read_hook_input(native, first, {}).tag == again != ""
        assert agent.read_hook_input(native, {**first, "prompt_id": "2"}, {}).tag != again

    def test_it_is_light(self) -> None:
        """An adapter loads nothing that a waiting person would feel."""
        program = (
            "import sys; sys.path.insert(0, sys.argv[1]); from holdfast import agents\n"
            "agent = agents.get(sys.argv[2])\n"
            "call = agent.read_hook_input('x', {'tool_input': {'a': [1]}}, {})\n"
            "agent.injection_output(call, 'text')\n"
            f"heavy = set({HEAVY!r}) & set(sys.modules)\n"
            "sys.exit(', '.join(sorted(heavy)) or 0)\n"
        )
        source = str(Path(agents.__file__).parent.parent.parent)
        command = [sys.executable, "-I", "-S", "-E", "-c", program, source, self.name]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        assert ended.returncode == 0, ended.stderr

    @pytest.mark.parametrize("moment", ["start", "prompt", "stop"])
    def test_the_workspace_is_only_touched_where_it_says_so(self, agent, moment, shop, home, tree) -> None:
        """An agent that keeps a memory gets no byte in its workspace; one that keeps none gets the scaffold."""
        home.mkdir(mode=0o700)
        before = tree(shop)
        native = next(native for native, found in agent.events.items() if found == moment)
        data = {"session_id": "s1", "cwd": str(shop), "prompt": "hello there", "source": "startup"}
        runner = Path(agents.__file__).parent.parent / "surfaces" / "hook" / "run.py"
        command = [sys.executable, "-I", "-S", "-E", str(runner), native, "--agent", self.name]
        person = {"PATH": os.environ["PATH"], "HOME": str(home.parent), "HOLDFAST_HOME": str(home)}
        environment = {**person, "HOLDFAST_SWEEP_AT_SESSION_END": "no", **self.host}
        ended = subprocess.run(
            command, input=json.dumps(data), env=environment, cwd=shop, capture_output=True, text=True, check=False
        )
        assert ended.returncode == 0, ended.stderr
        if agent.keeps_memory or moment != "start":
            assert tree(shop) == before
        else:
            assert (shop / "memory" / "index.md").exists()

    # Installing

    def test_an_empty_machine_is_left_as_it_was(self, agent, place, tmp_path, tree) -> None:
        """Install makes what it needs, a second install has nothing to do, and uninstall leaves not even a folder."""
        before = tree(tmp_path)
        changes = plan_install(agent, place, COMMAND)
        assert tree(tmp_path) == before, "a plan writes nothing"
        folders = apply(changes, place)
        assert changes and plan_install(agent, place, COMMAND) == []
        removals = plan_uninstall(agent, place)
        assert {change.path for change in removals} == {change.path for change in changes}
        assert all(change.after is None or change.empty for change in removals)
        apply([ConfigChange(change.path, change.before, None) for change in removals], place)
        remove_empty(folders)
        assert tree(tmp_path) == before

    def test_the_files_are_those_of_its_documents(self, agent, place, tmp_path) -> None:
        """Where the golden file has the config files of the agent's documents, install makes exactly those."""
        golden = golden_of(self.name).get("files", {}).get(place.scope)
        apply(plan_install(agent, place, COMMAND), place)
        if golden is not None:
            found = {str(path.relative_to(tmp_path)): path for path in tmp_path.rglob("*") if path.is_file()}
            assert {name: json.loads(path.read_text(encoding="utf-8")) for name, path in found.items()} == golden

    def test_foreign_bytes_stay(self, agent, place) -> None:
        """In lived-in files, with comments, tabs, CRLF and a BOM, only our bytes are added, and found again."""
        originals = lived_in(agent, place)
        for change in plan_install(agent, place, COMMAND):
            if change.path not in originals:
                continue
            before, after = originals[change.path], change.after or b""
            assert without(after, change.spans) == before
            assert change.before == before and len(after) > len(before)
            assert foreign(change.path, after) >= foreign(change.path, before)
        apply(plan_install(agent, place, COMMAND), place)
        assert plan_install(agent, place, COMMAND) == []
        apply(plan_uninstall(agent, place), place)
        for path, data in originals.items():
            assert read_value(path, Path(path).read_bytes()) == read_value(path, data)

    def test_our_entries_are_found_in_a_file_that_was_rewritten(self, agent, place) -> None:
        """When the agent wrote its config anew, in its own style, uninstall takes out ours and nothing else."""
        originals = lived_in(agent, place)
        apply(plan_install(agent, place, COMMAND), place)
        for path in originals:
            if not path.endswith(".toml"):
                value = read_value(path, Path(path).read_bytes())
                Path(path).write_text(json.dumps({**value, "later": [{"command": "theirs"}]}, indent=4))
        apply(plan_uninstall(agent, place), place)
        for path, data in originals.items():
            left = read_value(path, Path(path).read_bytes())
            left.pop("later", None)
            assert without_empty(left) == without_empty(read_value(path, data))

    def test_a_newer_command_replaces_the_old(self, agent, place) -> None:
        """After a move of the program an install changes our entries and leaves no second set of them."""
        originals = lived_in(agent, place)
        apply(plan_install(agent, place, COMMAND), place)
        moved = Launcher("/new/python", "/new/holdfast/surfaces/hook/run.py", ("/new/holdfast",), "/some/home")
        apply(plan_install(agent, place, moved), place)
        for part in agent.parts(place, moved):
            text = Path(part.path).read_text(encoding="utf-8")
            assert "/opt/py" not in text and "/new/" in text
        apply(plan_uninstall(agent, place), place)
        for path, data in originals.items():
            assert read_value(path, Path(path).read_bytes()) == read_value(path, data)

    def test_a_file_that_cannot_be_read_is_refused(self, agent, place, tmp_path, tree) -> None:
        """A broken config is refused with its path and line, and no other file is touched either."""
        edited = [part.path for part in agent.parts(place, COMMAND) if part.form != "file"]
        for path in dict.fromkeys(edited):
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            Path(path).write_text('x = "1"\n[[[broken' if path.endswith(".toml") else '{\n  "a": 1,\n  "b": }\n')
            before = tree(tmp_path)
            with pytest.raises(BrokenFile) as told:
                plan_install(agent, place, COMMAND)
            assert path in str(told.value) and "line" in str(told.value) and told.value.hint
            assert tree(tmp_path) == before
            Path(path).unlink()

    def test_timeouts_are_short_and_in_its_unit(self, agent, place) -> None:
        """Each hook has a timeout of at most ten seconds, written in the unit that the agent counts in."""
        values = [value for part in agent.parts(place, COMMAND) for value in _timeouts(part.value)]
        assert all(self.unit <= value <= 10 * self.unit for value in values)
        if any(part.form == "element" for part in agent.parts(place, COMMAND)):
            assert values

    def test_the_command_line_survives_any_path(self, agent, place, tmp_path) -> None:
        """A shell that runs what stands in the config reaches our program with exactly the words that were meant."""
        runner = tmp_path / 'it\'s a "place" $HOME' / "holdfast" / "surfaces" / "hook" / "run.py"
        runner.parent.mkdir(parents=True)
        runner.write_text("import sys; print(repr(sys.argv[1:]))\n")
        command = Launcher(sys.executable, str(runner), ("/p",), "/some home's")
        for native in list(agent.events)[:2]:
            line = command.hook_line(self.name, native)
            ended = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=True)
            assert ended.stdout == f"{[native, '--agent', self.name, '--home', '/some home' + chr(39) + 's']!r}\n"
        said = json.dumps([part.value for part in agent.parts(place, command)], ensure_ascii=False)
        assert "hook" in said and "run.py" in said

    def test_calls_are_judged_before_they_run_only_where_that_was_asked_for(self, agent, place) -> None:
        """An agent that can refuse a call has its event installed when asked, denies with the reason, and loses it."""
        guarding = replace(COMMAND, guards=True)
        if not agent.guard:
            assert agent.refusal_output(HookCall(self.name, "before-tool", "x"), TEXT) == ""
            assert agent.parts(place, guarding) == agent.parts(place, COMMAND)
            return
        assert agent.moment(agent.guard) == "before-tool"
        printed = agent.refusal_output(HookCall(self.name, "before-tool", agent.guard), TEXT)
        assert TEXT in _texts(printed)
        apply(plan_install(agent, place, COMMAND), place)
        paths = {part.path for part in agent.parts(place, guarding)}
        before = {path: Path(path).read_bytes() for path in paths}
        apply(plan_install(agent, place, guarding), place)
        assert plan_install(agent, place, guarding) == []
        assert sum(Path(path).read_bytes() != before[path] for path in paths) == 1
        apply(plan_install(agent, place, COMMAND), place)
        assert {path: Path(path).read_bytes() for path in paths} == before

    def test_hooks_stand_around_calls_only_where_rules_are_on(self, agent, place) -> None:
        """With rules its events around calls are installed, bound to tools that act, and without them they go again."""
        ruled = replace(COMMAND, rules=True)
        assert all(agent.moment(native) in ("before-tool", "after-tool") for native in agent.around)
        assert bool(agent.asks) <= bool(agent.question_output(HookCall(self.name, "before-tool", agent.guard), TEXT))
        assert bool(agent.acting) == (agent.parts(place, ruled) != agent.parts(place, COMMAND))
        apply(plan_install(agent, place, COMMAND), place)
        paths = {part.path for part in agent.parts(place, ruled)}
        before = {path: Path(path).read_bytes() for path in paths}
        apply(plan_install(agent, place, ruled), place)
        now = {path: Path(path).read_bytes() for path in paths}
        assert plan_install(agent, place, ruled) == []
        changed = [path for path in paths if now[path] != before[path]]
        assert len(changed) == bool(agent.acting)
        for path in changed:
            tools = agent.acting.encode().split(b"|")
            assert all(tool in now[path] for tool in tools) and tools[0] + b"|" not in before[path]
        apply(plan_install(agent, place, COMMAND), place)
        assert {path: Path(path).read_bytes() for path in paths} == before

    def test_what_it_reads_besides_is_not_ours(self, agent, place) -> None:
        """Instruction and memory files are only those that are there, and none of them before the person made one."""
        assert agent.memory_files(place) == []
        rules = agent.rules_file(place)
        assert rules is None or rules.path.startswith((place.home, place.folder))

    def test_where_there_are_no_transcripts_no_session_is_found(self, agent, place) -> None:
        """On a machine without transcripts an agent finds no session, and a path that is not there is none."""
        assert list(agent.find_sessions(place)) == [] and agent.read_session("/nowhere") is None


def lived_in(agent, place: Place) -> dict[str, bytes]:
    """Write a config that a person has worked on in the place of each file that is edited; return their bytes."""
    written = {}
    for part in agent.parts(place, COMMAND):
        if part.form != "file" and part.path not in written:
            text = LIVED_IN_TOML if part.form == "table" else LIVED_IN_JSON
            Path(part.path).parent.mkdir(parents=True, exist_ok=True)
            Path(part.path).write_bytes(text.encode("utf-8"))
            written[part.path] = text.encode("utf-8")
    return written


def read_value(path: str, data: bytes):
    """Return what a config file says."""
    text = data.decode("utf-8")
    return tomllib.loads(text) if path.endswith(".toml") else scan(text).plain()


def foreign(path: str, data: bytes) -> set[str]:
    """Return every value of a config by its place, to see that none of them went."""
    return set(_flat(read_value(path, data), ""))


def _flat(value, place: str):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _flat(inner, f"{place}/{key}")
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _flat(inner, f"{place}/{number}")
    else:
        yield f"{place}={value!r}"


def without_empty(value):
    """Return the value without empty containers."""
    if isinstance(value, dict):
        inner = {key: without_empty(one) for key, one in value.items()}
        return {key: one for key, one in inner.items() if one not in ({}, [])}
    return [without_empty(one) for one in value] if isinstance(value, list) else value


def _texts(printed: str):
    """Return every text in what was printed: as it is, and where it is JSON, each text within."""
    found = [printed]
    if printed.startswith("{"):
        found += _strings(json.loads(printed))
    return found


def _strings(value):
    if isinstance(value, dict):
        return [text for inner in value.values() for text in _strings(inner)]
    return [value] if isinstance(value, str) else []


def _timeouts(value):
    if isinstance(value, dict):
        own = [inner for key, inner in value.items() if key in TIMEOUTS and isinstance(inner, int)]
        return own + [found for inner in value.values() for found in _timeouts(inner)]
    return [found for inner in value for found in _timeouts(inner)] if isinstance(value, list) else []
