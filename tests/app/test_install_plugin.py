"""Writing a plugin: a folder of its own, and no settings touched."""

from __future__ import annotations

import json
import re

import pytest


@pytest.mark.parametrize(
    ("agent", "manifest", "market"),
    [
        ("claude-code", ".claude-plugin/plugin.json", ".claude-plugin/marketplace.json"),
        ("codex", "plugins/holdfast/.codex-plugin/plugin.json", ".agents/plugins/marketplace.json"),
    ],
)
def test_a_plugin_is_a_marketplace_of_one(agent, manifest, market, cli, machine, tmp_path, tree) -> None:
    """The folder has manifest, marketplace, hooks, server and skill, and nothing of the person's is touched."""
    before = tree(machine)
    out = tmp_path / "plugin"
    ended = cli("plugin", agent, "--out", str(out))
    assert ended.code == 0 and tree(machine) == before
    assert json.loads((out / manifest).read_text())["name"] == "holdfast"
    (listed,) = json.loads((out / market).read_text())["plugins"]
    source = listed["source"] if isinstance(listed["source"], str) else listed["source"]["path"]
    root = (out / source).resolve()
    assert root == (out / manifest).parent.parent
    assert json.loads((root / ".mcp.json").read_text())["mcpServers"]["holdfast"]["args"][-1] == agent
    (hooks,) = root.rglob("hooks.json")
    assert f"SessionStart --agent {agent}" in hooks.read_text()
    skill = (root / "skills" / "holdfast-memory" / "SKILL.md").read_text()
    assert re.match(r"---\nname: holdfast-memory\ndescription: .+\n---\n", skill)
    assert "When to save" in skill and "When to recall" in skill and "What not to save" in skill


def test_writing_it_again_changes_only_what_differs(cli, tmp_path, tree) -> None:
    """A plugin of ours is brought up to date; one that is up to date is left alone."""
    out = tmp_path / "plugin"
    cli("plugin", "claude-code", "--out", str(out))
    before = tree(out)
    assert "nothing to do" in cli("plugin", "claude-code", "--out", str(out)).err and tree(out) == before
    (out / "hooks" / "hooks.json").write_text("{}")
    assert cli("plugin", "claude-code", "--out", str(out)).out.split() == [str(out / "hooks" / "hooks.json")]
    assert tree(out) == before


def test_a_folder_of_somebody_else_is_refused(cli, tmp_path, tree) -> None:
    """A folder with anything else in it, another plugin or a file in its place, is refused as it is."""
    (tmp_path / "used").mkdir()
    (tmp_path / "used" / "notes.txt").write_text("mine")
    (tmp_path / "other" / ".claude-plugin").mkdir(parents=True)
    (tmp_path / "other" / ".claude-plugin" / "plugin.json").write_text('{"name": "other"}')
    (tmp_path / "file").write_text("mine")
    before = tree(tmp_path)
    for name in ("used", "other", "file"):
        ended = cli("plugin", "claude-code", "--out", str(tmp_path / name))
        assert ended.code == 6 and "empty" in ended.err
    assert tree(tmp_path) == before


def test_an_agent_without_plugins_is_told(cli, tmp_path) -> None:
    """Where an agent takes no plugin, the way out is named."""
    ended = cli("plugin", "kiro", "--out", str(tmp_path / "p"))
    assert ended.code == 3 and "holdfast install kiro" in ended.err and "codex" in ended.err


def test_a_portable_plugin_names_no_path(cli, tmp_path) -> None:
    """A plugin that others get calls our programs by their names."""
    said = cli("plugin", "codex", "--out", str(tmp_path / "p"), "--portable", "--json").json
    assert said["applied"] and len(said["changes"]) == 5
    text = "".join(path.read_text() for path in (tmp_path / "p").rglob("*.json"))
    assert "holdfast-hook SessionStart --agent codex" in text and "/bin/" not in text
