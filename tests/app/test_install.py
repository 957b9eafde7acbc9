"""Connecting an agent: the plan as a diff, what is written, and the record of it."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import pytest

import holdfast
from holdfast.app import install
from holdfast.errors import BadInput, BrokenFile, Conflict, NotFound

RUNNER = str(Path(holdfast.__file__).parent / "surfaces" / "hook" / "run.py")
SETTINGS = '{\n  "model": "x",\n  "env": {"API_KEY": "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789"}\n}\n'


@pytest.fixture
def settings(machine):
    """A person's settings of one agent, with a key in them."""
    path = machine / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_text(SETTINGS)
    return path


def test_the_plan_is_a_diff_and_changes_nothing(cli, machine, settings, tree) -> None:
    """`--dry-run` prints every file that would change, with our lines added, and no secret of the person's."""
    before = tree(machine)
    ended = cli("install", "claude-code", "--dry-run")
    assert ended.code == 0 and tree(machine) == before
    assert f"--- {settings}" in ended.out and f"+++ {machine / '.claude.json'}" in ended.out
    assert "--- /dev/null" in ended.out and '+  "hooks": {' in ended.out
    assert "sk-ant-api03" not in ended.out
    assert "2 files would change" in ended.err


def test_install_adds_hooks_and_server(cli, machine, settings) -> None:
    """After an install the config calls this installation, for each event, and a second install has nothing to do."""
    ended = cli("install", "claude-code", "--yes")
    assert ended.code == 0 and "installed Claude Code" in ended.out
    said = json.loads(settings.read_text())
    assert said["model"] == "x" and settings.read_text().startswith('{\n  "model": "x",\n  "env"')
    line = said["hooks"]["SessionStart"][0]["hooks"][0]["command"]
    assert line.split() == [*(sys.executable, "-I", "-S", "-E", RUNNER, "SessionStart", "--agent", "claude-code")]
    server = json.loads((machine / ".claude.json").read_text())["mcpServers"]["holdfast"]
    assert server["args"][-3:] == ["mcp", "--agent", "claude-code"] and os.access(server["command"], os.X_OK)
    again = cli("install", "claude-code", "--yes")
    assert again.code == 0 and again.out == "" and "nothing to do" in again.err


def test_the_record_holds_no_copy_of_the_config(cli, home, settings) -> None:
    """What was put where is remembered by places and digests, private to the person, without a key of theirs."""
    cli("install", "claude-code", "--yes")
    path = home / "installs.json"
    text = path.read_text()
    assert "sk-ant-api03" not in text and "API_KEY" not in text
    assert path.stat().st_mode & 0o777 == 0o600
    (record,) = json.loads(text)["installs"]
    assert record["agent"] == "claude-code" and len(record["files"]) == 2


def test_another_home_stands_in_the_commands(cli, machine, tmp_path) -> None:
    """Where the home is not the usual one, both commands name it."""
    other = tmp_path / "my memory"
    assert cli("--home", str(other), "install", "codex", "--yes").code == 0
    assert f"--home '{other}'" in (machine / ".codex" / "hooks.json").read_text()
    assert f'"--home", "{other}"' in (machine / ".codex" / "config.toml").read_text()


def test_portable_names_no_path(cli, machine, shop) -> None:
    """For files that others share, the names of our programs are written."""
    assert cli("install", "claude-code", "--scope", "project", "--portable", "--yes").code == 0
    text = (shop / ".claude" / "settings.json").read_text() + (shop / ".mcp.json").read_text()
    assert "holdfast-hook SessionStart --agent claude-code" in text and '"command": "holdfast"' in text
    assert str(machine) not in text and sys.executable not in text
    assert not (machine / ".claude").exists()


def test_portable_does_not_name_another_home(cli, shop, tmp_path) -> None:
    """A file that others share has no folder of mine in it, even where my home is not the usual one."""
    other = tmp_path / "mine"
    assert cli("--home", str(other), "install", "codex", "--scope", "project", "--portable", "--yes").code == 0
    text = (shop / ".codex" / "hooks.json").read_text() + (shop / ".codex" / "config.toml").read_text()
    assert "holdfast-hook" in text and str(other) not in text


def test_outside_a_project_the_way_out_is_one_that_install_has(cli, machine, monkeypatch) -> None:
    """In the home folder the scope project is refused with a hint that this command can follow."""
    monkeypatch.chdir(machine)
    ended = cli("install", "codex", "--scope", "project", "--yes")
    assert ended.code == 2 and "--scope user" in ended.err and "global" not in ended.err


def test_the_project_scope_goes_to_the_root_of_the_project(cli, shop, monkeypatch) -> None:
    """From a folder within a repository, the files at its root are changed."""
    (shop / "src").mkdir()
    monkeypatch.chdir(shop / "src")
    assert cli("install", "gemini-cli", "--scope", "project", "--yes").code == 0
    assert (shop / ".gemini" / "settings.json").exists() and not (shop / "src" / ".gemini").exists()


def test_a_home_made_anew_takes_up_the_hooks_that_stand_there(cli, machine, home) -> None:
    """Install and its list say the same, and an uninstall takes all of it out."""
    cli("install", "gemini-cli", "--yes")
    shutil.rmtree(home)
    assert cli("install", "gemini-cli", "--yes").code == 0
    told = {one["name"]: one["installed"] for one in cli("install", "--json").json["agents"]}
    assert told["gemini-cli"] == ["user"]
    assert cli("uninstall", "gemini-cli", "--yes").code == 0
    assert "holdfast" not in (machine / ".gemini" / "settings.json").read_text()


def test_nobody_is_asked_without_a_terminal(cli, machine, tree) -> None:
    """Without `--yes` and without a terminal nothing happens, and it is said how to go on."""
    before = tree(machine)
    ended = cli("install", "codex")
    assert ended.code == 6 and "--yes" in ended.err and tree(machine) == before


def test_a_broken_config_stops_everything(cli, machine, settings, tree) -> None:
    """One file that cannot be parsed is named with its line, and no file at all is changed."""
    settings.write_text('{\n  "model": \n}\n')
    before = tree(machine)
    ended = cli("install", "claude-code", "--yes")
    assert ended.code == 4 and f"{settings}, line 3" in ended.err and "editor" in ended.err
    assert tree(machine) == before


def test_a_server_of_the_same_name_is_not_replaced(cli, machine, tree) -> None:
    """A server that somebody else called like ours stays, and the install is refused."""
    (machine / ".claude.json").write_text('{"mcpServers": {"holdfast": {"command": "theirs"}}}')
    before = tree(machine)
    ended = cli("install", "claude-code", "--yes")
    assert ended.code == 4 and "Holdfast did not add" in ended.err and tree(machine) == before


def test_a_file_that_changed_since_the_plan_is_refused(workspace, settings, home) -> None:
    """What the agent wrote between plan and consent is not overwritten, and no install is recorded."""
    with workspace() as h:
        planned = install.plan(h, "claude-code")
        settings.write_text('{"model": "y"}')
        with pytest.raises(Conflict, match="changed meanwhile"):
            install.apply(h, planned)
    assert settings.read_text() == '{"model": "y"}' and not (home / "installs.json").exists()


def test_what_cannot_be_meant_is_refused(workspace) -> None:
    """An unknown agent and an unknown scope are errors that name what is known."""
    with workspace() as h:
        with pytest.raises(NotFound, match="nobody"):
            install.plan(h, "nobody")
        with pytest.raises(BadInput):
            install.plan(h, "codex", scope="everywhere")


def test_a_record_that_cannot_be_read_is_told(workspace, home) -> None:
    """A damaged record is named with the way out, and nothing is guessed."""
    home.mkdir(mode=0o700)
    (home / "installs.json").write_text('{"installs": [{"agent": 1}]}')
    with workspace() as h, pytest.raises(BrokenFile, match=r"installs\.json"):
        install.plan(h, "codex")


def test_the_agents_that_are_here_are_listed(cli, machine, tmp_path, monkeypatch) -> None:
    """`holdfast install` alone shows each agent that is here, by its program or its folder, and what it would get."""
    (machine / ".grok").mkdir()
    (tmp_path / "codex").write_text("#!/bin/sh\n")
    (tmp_path / "codex").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    ended = cli("install")
    lines = {line.split()[0]: line for line in ended.out.splitlines()}
    assert set(lines) == {"codex", "grok"} and "claude-code" in ended.err
    assert "not connected" in lines["codex"] and "every prompt" in lines["codex"]
    assert "a rules file" in lines["grok"] and "every prompt" not in lines["grok"]
    cli("install", "codex", "--yes")
    assert "connected (user)" in cli("install").out
    found = {one["name"]: one for one in cli("install", "--json").json["agents"]}
    assert found["codex"]["program"] == str(tmp_path / "codex") and found["codex"]["installed"] == ["user"]
    assert found["grok"]["folder"] == str(machine / ".grok") and not found["kiro"]["found"]


def test_what_a_person_must_do_is_said(cli) -> None:
    """Where an agent asks for something by hand, the install says so."""
    assert "/hooks" in cli("install", "codex", "--yes").err
    assert cli("install", "codex", "--json").json["advice"]


def test_several_agents_are_connected_at_once(cli, machine) -> None:
    """Each has its own plan, a wrong name changes nothing, and `--json` answers for one."""
    assert cli("install", "codex", "nonsense", "--yes").code == 3
    assert not (machine / ".codex").exists()
    assert cli("install", "codex", "claude-code", "--yes", "--json").code == 2
    said = cli("install", "codex", "claude-code", "--yes")
    assert "installed Codex" in said.out and "installed Claude Code" in said.out


def test_json_has_the_plan(cli, machine) -> None:
    """With `--json` the plan is one document: each file, what happens to it, and its diff."""
    planned = cli("install", "codex", "--dry-run", "--json").json
    assert [change["act"] for change in planned["changes"]] == ["create", "create"] and not planned["applied"]
    assert "mcp_servers.holdfast" in planned["changes"][1]["diff"]
    assert cli("install", "codex", "--yes", "--json").json["applied"]
