"""Which agents there are, how one is added, and that nobody else names one."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import holdfast
from holdfast import agents
from holdfast.agents.base import Agent, ConfigPart
from holdfast.agents.editing.plan import plan_install, plan_uninstall
from holdfast.agents.launcher import Launcher, is_hook_of, shell_line
from holdfast.errors import NotFound
from support.dummy_agent import DUMMY_AGENT

SOURCE = Path(holdfast.__file__).parent


@pytest.fixture
def added(tmp_path, monkeypatch):
    """A real package on the path that adds an agent by an entry point, as one from an index would."""
    site = tmp_path / "site"
    info = site / "holdfast_dummy-1.0.dist-info"
    info.mkdir(parents=True)
    (site / "holdfast_dummy.py").write_text(DUMMY_AGENT)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: holdfast-dummy\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[holdfast.agents]\ndummy = holdfast_dummy:Dummy\n")
    monkeypatch.syspath_prepend(str(site))
    yield site
    sys.modules.pop("holdfast_dummy", None)


def test_an_unknown_agent_is_refused_with_those_that_are_known() -> None:
    """The error names every agent."""
    with pytest.raises(NotFound) as told:
        agents.get("nobody")
    assert all(name in told.value.hint for name in agents.BUILT_IN)


def test_another_package_adds_an_agent(added, cli, machine, tmp_path, tree) -> None:
    """With a package on the path its agent is known, installed and uninstalled, and no file of ours changed."""
    before = tree(SOURCE)
    assert agents.get("dummy").title == "Dummy" and agents.names()[-1] == "dummy"
    (machine / ".dummy").mkdir()
    listed = cli("install", "--json").json["agents"]
    assert next(one for one in listed if one["name"] == "dummy")["found"]
    assert cli("install", "dummy", "--yes").code == 0
    assert "--agent dummy" in (machine / ".dummy" / "settings.json").read_text()
    assert cli("uninstall", "dummy", "--yes", "--verify").code == 0
    assert list((machine / ".dummy").iterdir()) == []
    assert {path: what for path, what in tree(SOURCE).items() if "__pycache__" not in path} == {
        path: what for path, what in before.items() if "__pycache__" not in path
    }


def test_the_installed_packages_are_looked_through_once(added) -> None:
    """A harvest asks for the agent of every session; what is installed is read the first time alone."""
    assert agents.names()[-1] == "dummy"
    (added / "holdfast_dummy-1.0.dist-info" / "entry_points.txt").unlink()
    assert agents.names()[-1] == "dummy" and agents.get("dummy").title == "Dummy"


def test_the_hook_finds_an_added_agent(added, home, machine) -> None:
    """With site packages at hand, as `holdfast-hook` has them, an event of an added agent is recorded."""
    home.mkdir(mode=0o700)
    program = "import sys; from holdfast.surfaces.hook.main import main; main(sys.argv[1:])"
    ended = subprocess.run(
        [sys.executable, "-c", program, "begin", "--agent", "dummy"],
        input='{"session_id": "s1", "cwd": "/"}',
        env={**os.environ, "PYTHONPATH": f"{added}{os.pathsep}{SOURCE.parent}", "HOLDFAST_HOME": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    written = "".join(path.read_text() for path in (home / "journal").glob("*.jsonl"))
    assert '"dummy"' in written


def test_an_agent_that_says_nothing_is_harmless(tmp_path) -> None:
    """The defaults write nothing, inject nothing, find nothing and lay nothing."""
    from holdfast.agents.base import Place

    agent, place = Agent(), Place(str(tmp_path), str(tmp_path), "user", {})
    assert plan_install(agent, place, Launcher("p", "r", ("h",))) == [] == plan_uninstall(agent, place)
    assert agent.detect(place) is None and agent.rules_file(place) is None and agent.memory_files(place) == []
    assert agent.keeps_memory and not agent.injects and agent.moment("x") == "other"
    call = agent.read_hook_input("x", {}, {})
    assert agent.injection_output(call, "text") == "" and agent.session_of({}, {}) == ""
    assert agent.plugin(Launcher("p", "r", ("h",)), "1", "s") == {}


def test_nobody_else_names_an_agent() -> None:
    """Outside of agents/ no code has the name of an agent, but for examples in help and the tags of programs.

    claude-mem is a memory tool and not an agent.
    """
    listed = (
        r"claude(?![-_]mem)|codex|gemini|opencode|grok|kiro|copilot|qwen|droid|kimi|antigravity|\.cursor/|== ?.cursor"
    )
    names = re.compile(listed, re.IGNORECASE)
    found = [
        f"{path.relative_to(SOURCE)}:{number}: {line.strip()}"
        for path in sorted(SOURCE.rglob("*.py"))
        if "agents" not in path.relative_to(SOURCE).parts[:1] and path.name not in ("fence.py", "speech.py")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if names.search(line) and not line.lstrip().startswith(("@command(", "@_", '"holdfast '))
    ]
    assert found == []


def test_our_own_lines_are_told_from_others() -> None:
    """A hook line is ours for one agent only; neither a longer name nor another program's line is."""
    plain = Launcher("/usr/bin/python3", "/x y/holdfast/surfaces/hook/run.py", ("/b/holdfast",))
    shared = Launcher("p", "r", ("h",), portable=True)
    for line in (plain.hook_line("codex", "Stop"), shared.hook_line("codex", "Stop")):
        assert is_hook_of("codex", line)
        assert not is_hook_of("code", line) and not is_hook_of("claude-code", line)
    assert not is_hook_of("codex", "other --agent codex") and not is_hook_of("codex", None)
    assert not is_hook_of("codex", plain.hook_line("codex-two", "Stop"))


def test_commands_are_spelled_as_promised() -> None:
    """The hook starts Python without its site; the home stands in both commands where it is not the usual one."""
    command = Launcher("/py", "/r/holdfast/surfaces/hook/run.py", ("/b/holdfast",), "/my home")
    assert command.hook("x", "Stop") == [
        *("/py", "-I", "-S", "-E", "/r/holdfast/surfaces/hook/run.py", "Stop", "--agent", "x", "--home", "/my home")
    ]
    assert command.mcp("x") == ["/b/holdfast", "--home", "/my home", "mcp", "--agent", "x"]
    portable = Launcher("/py", "/r", ("/b/holdfast",), portable=True)
    assert portable.hook_line("x", "Stop") == "holdfast-hook Stop --agent x"
    assert portable.mcp("x") == ["holdfast", "mcp", "--agent", "x"]


@pytest.mark.parametrize("words", [["a b", "it's", '"q"', "$HOME", "`x`", "", "a\nb", "é", "*", "\\"]])
def test_a_shell_reads_back_what_was_written(words) -> None:
    """Each word comes out of a shell as it went in."""
    program = "import sys; print(repr(sys.argv[1:]))"
    line = shell_line([sys.executable, "-c", program, *words])
    assert subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=True).stdout == f"{words!r}\n"


def test_parts_are_plain_values() -> None:
    """Two parts with the same fields are equal, so that plans can be compared."""
    assert ConfigPart("/a", "member", ("b",), {"c": 1}) == ConfigPart("/a", "member", ("b",), {"c": 1})


def test_a_broken_package_takes_only_its_own_agent_away(added, cli, shop) -> None:
    """An added agent that cannot be loaded any more stops neither the list, nor a store, nor another agent."""
    assert cli("install", "dummy", "--yes").code == 0
    sys.modules.pop("holdfast_dummy", None)
    (added / "holdfast_dummy.py").write_text("import no_such_module\n")
    listed = cli("install", "--json")
    assert [one["name"] for one in listed.json["agents"]] == [*agents.BUILT_IN]
    assert "dummy cannot be loaded" in listed.err
    told = cli("install", "dummy", "--yes")
    assert told.code == 3 and "Update or remove the package" in told.err
    assert cli("remember", "Deploys need the VPN.").code == 0
    assert "With plugins: claude-code, codex." in cli("plugin", "grok", "--out", "p").err
