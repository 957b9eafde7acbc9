"""Taking out what install put in: to the byte where nobody touched it, by its tags elsewhere."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from holdfast import agents
from holdfast.app import install

LIVED_IN = {
    ".claude/settings.json": '{\n\t"model": "x", // mine\n\t"hooks": {"Stop": [{"hooks": [{"command": "theirs"}]}]}\n}',
    ".claude.json": '{"numStartups": 3, "mcpServers": {}, "key": "k"}',
    ".codex/config.toml": 'model = "x"\r\n# the end',
    ".gemini/settings.json": "{}\n",
    ".grok/config.toml": "",
    ".config/opencode/opencode.jsonc": '{\n  // mine\n  "mcp": {},\n}\n',
    ".cursor/hooks.json": '{"version": 1, "hooks": {}}',
}


@pytest.fixture
def lived_in(machine):
    """Config files of several agents that a person has worked on."""
    for name, text in LIVED_IN.items():
        path = machine / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return machine


@pytest.mark.parametrize("name", [name for name in agents.BUILT_IN if agents.get(name).events])
@pytest.mark.parametrize("scope", ["user", "project"])
def test_the_machine_is_as_it_was(name, scope, cli, lived_in, home, shop, tree) -> None:
    """Install and uninstall leave every file, mode and folder as before, byte for byte, and that is proven."""
    cli("remember", "--scope", "global", "Answer in English.")
    before = {path: what for path, what in tree(lived_in).items() if not path.startswith(".holdfast")}
    assert cli("install", name, "--scope", scope, "--yes").code == 0
    assert (home / "installs.json").exists()
    ended = cli("uninstall", name, "--scope", scope, "--yes", "--verify")
    assert ended.code == 0, ended
    assert "nothing of Holdfast's is left" in ended.err and "entries removed" not in ended.out
    assert {path: what for path, what in tree(lived_in).items() if not path.startswith(".holdfast")} == before
    assert not (home / "installs.json").exists()


def test_all_at_once_and_out_in_another_order(cli, lived_in, shop, tree) -> None:
    """Agents that are installed together do not disturb each other."""
    before = {path: what for path, what in tree(lived_in).items() if not path.startswith(".holdfast")}
    for name in agents.BUILT_IN:
        assert cli("install", name, "--yes").code == 0
    for name in sorted(agents.BUILT_IN):
        assert cli("uninstall", name, "--yes", "--verify").code == 0
    assert {path: what for path, what in tree(lived_in).items() if not path.startswith(".holdfast")} == before


def test_a_second_install_forgets_no_folder_of_the_first(cli, machine, tree) -> None:
    """What the first install made, the uninstall removes, although a second one changed a file since."""
    before = tree(machine)
    cli("install", "gemini-cli", "--yes")
    (machine / ".gemini" / "settings.json").write_text("{}\n", encoding="utf-8")
    assert "installed" in cli("install", "gemini-cli", "--yes").out
    (machine / ".gemini" / "settings.json").unlink()
    cli("uninstall", "gemini-cli", "--yes")
    assert {path for path in tree(machine) if ".gemini" in path} == {path for path in before if ".gemini" in path}


def test_a_copy_of_a_killed_install_goes_with_the_uninstall(cli, lived_in) -> None:
    """An install that was killed before its first file left a copy of the settings: the uninstall takes it away."""
    before = {name: (lived_in / name).read_bytes() for name in (".claude/settings.json", ".claude.json")}
    assert cli("install", "claude-code", "--yes").code == 0
    for name, data in before.items():
        (lived_in / name).write_bytes(data)
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    left = lived_in / ".claude" / f".holdfast-tmp-{ended.pid}-a170f08b"
    left.write_bytes(before[".claude/settings.json"])
    cli("uninstall", "claude-code", "--yes")
    assert not left.exists()


def test_what_the_agent_wrote_since_stays(cli, lived_in) -> None:
    """When the agent wrote its file anew, our entries go and everything else stays, what is new as well."""
    path = lived_in / ".claude.json"
    cli("install", "claude-code", "--yes")
    said = json.loads(path.read_text())
    path.write_text(json.dumps({**said, "numStartups": 4, "projects": {"/p": {"history": ["holdfast"]}}}, indent=2))
    ended = cli("uninstall", "claude-code", "--yes", "--verify")
    assert ended.code == 0 and f"{path}: entries removed" in ended.out
    left = json.loads(path.read_text())
    assert left == {"numStartups": 4, "mcpServers": {}, "key": "k", "projects": {"/p": {"history": ["holdfast"]}}}


def test_a_file_that_install_made_stays_where_others_use_it(cli, machine) -> None:
    """What somebody added to a file of ours keeps it alive; what is left without it goes with its folder."""
    cli("install", "codex", "--yes")
    hooks = machine / ".codex" / "hooks.json"
    said = json.loads(hooks.read_text())
    said["hooks"]["Stop"].append({"hooks": [{"type": "command", "command": "theirs"}]})
    hooks.write_text(json.dumps(said))
    cli("uninstall", "codex", "--yes")
    assert json.loads(hooks.read_text()) == {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "theirs"}]}]}}
    assert not (machine / ".codex" / "config.toml").exists()


def test_without_a_record_ours_is_found_by_its_tags(cli, lived_in, home) -> None:
    """When the record is lost, uninstall still finds every entry of ours."""
    cli("install", "claude-code", "--yes")
    (home / "installs.json").unlink()
    assert cli("uninstall", "claude-code", "--yes", "--verify").code == 0
    text = (lived_in / ".claude" / "settings.json").read_text()
    assert "holdfast" not in text and "theirs" in text and "// mine" in text


def test_another_agents_entries_in_the_same_file_stay(cli, machine) -> None:
    """Only the hooks of the agent that is named go."""
    cli("install", "gemini-cli", "--yes")
    path = machine / ".gemini" / "settings.json"
    text = path.read_text().replace(
        '"hooks": {\n', '"hooks": {\n    "X": [{"command": "holdfast-hook X --agent qwen"}],\n', 1
    )
    path.write_text(text)
    ended = cli("uninstall", "gemini-cli", "--yes", "--verify")
    assert ended.code == 0
    assert json.loads(path.read_text()) == {"hooks": {"X": [{"command": "holdfast-hook X --agent qwen"}]}}


def test_verify_finds_what_is_left(cli, machine, workspace) -> None:
    """A line of ours that somebody copied into another file of the agent is found, and the exit code says so."""
    cli("install", "claude-code", "--yes")
    copied = machine / ".claude" / "settings.local.json"
    copied.write_text((machine / ".claude" / "settings.json").read_text())
    ended = cli("uninstall", "claude-code", "--yes", "--verify")
    assert ended.code == 1 and f"{copied}:" in ended.out and "is left" in ended.out
    with workspace() as h:
        searched, left = install.verify(h, "claude-code")
    assert str(copied) in searched and left[0].line > 0


def test_dry_run_shows_the_diff_and_changes_nothing(cli, machine, tree) -> None:
    """The plan of an uninstall is a diff as well."""
    cli("install", "codex", "--yes")
    before = tree(machine)
    ended = cli("uninstall", "codex", "--dry-run")
    assert ended.code == 0 and "-[mcp_servers.holdfast]" in ended.out and tree(machine) == before


def test_nothing_to_take_out(cli) -> None:
    """Where nothing of ours is, that is said, and verified on request."""
    assert "nothing of Holdfast" in cli("uninstall", "codex", "--yes").err
    assert "nothing of Holdfast's is left" in cli("uninstall", "codex", "--verify").err
    assert cli("uninstall", "codex", "--verify", "--json").json["left"] == []


def test_json_tells_what_became_of_each_file(cli, lived_in) -> None:
    """With `--json` each file says whether it was removed and whether it is as it was."""
    cli("install", "claude-code", "--yes")
    said = cli("uninstall", "claude-code", "--yes", "--verify", "--json").json
    assert [one["identical"] for one in said["files"]] == [True, True] and said["applied"] and not said["left"]


def test_memories_stay(cli, home) -> None:
    """An uninstall takes the adapter away, not the memory."""
    cli("remember", "--scope", "global", "Answer in English.")
    cli("install", "codex", "--yes")
    cli("uninstall", "codex", "--yes")
    assert "Answer in English" in cli("show", "answer-in-english").out
    assert not (home / "installs.json").exists()


def test_a_config_behind_a_link_is_given_back(cli, machine, tmp_path) -> None:
    """A config that is a link within the home stays one, and its target becomes what it was."""
    kept = machine / "dotfiles" / "settings.json"
    kept.parent.mkdir()
    kept.write_text('{"a": 1}')
    (machine / ".gemini").mkdir()
    link = machine / ".gemini" / "settings.json"
    link.symlink_to(kept)
    assert cli("install", "gemini-cli", "--yes").code == 0
    assert link.is_symlink() and "holdfast" in kept.read_text()
    assert cli("uninstall", "gemini-cli", "--yes").code == 0
    assert link.is_symlink() and kept.read_text() == '{"a": 1}'


def test_a_link_that_leads_away_is_refused(cli, machine, tmp_path) -> None:
    """A config that is a link out of the home is refused, and its target is not touched."""
    (tmp_path / "shared.json").write_text("{}")
    (machine / ".gemini").mkdir()
    (machine / ".gemini" / "settings.json").symlink_to(tmp_path / "shared.json")
    ended = cli("install", "gemini-cli", "--yes")
    assert ended.code == 6 and "link" in ended.err and (tmp_path / "shared.json").read_text() == "{}"


def test_an_upgrade_keeps_the_way_back(workspace, lived_in, cli, monkeypatch) -> None:
    """After an install by a program that moved, uninstall still gives every file back."""
    path = lived_in / ".claude" / "settings.json"
    before = path.read_bytes()
    cli("install", "claude-code", "--yes")
    with workspace() as h:
        moved = install.plan(h, "claude-code", portable=True)
        assert len(moved.changes) == 2
        install.apply(h, moved)
    assert b"holdfast-hook" in path.read_bytes()
    assert cli("uninstall", "claude-code", "--yes", "--verify").code == 0
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("name", "scope", "path"),
    [("grok", "user", ".grok/rules/holdfast.md"), ("kiro", "project", "code/shop/.kiro/steering/holdfast.md")],
)
def test_a_rules_file_of_somebody_elses_stays(name, scope, path, cli, machine, shop) -> None:
    """A file that a person wrote where our rules file would stand is neither written over nor removed."""
    theirs = machine / path
    assert theirs.is_relative_to(shop) or scope == "user"
    theirs.parent.mkdir(parents=True)
    theirs.write_text("My own rule.\n")
    cli("remember", "--scope", "global", "Answer in English.")
    assert "was not written by Holdfast" in cli("install", name, "--scope", scope, "--yes").err
    assert cli("uninstall", name, "--scope", scope, "--yes", "--verify").code == 0
    assert theirs.read_text() == "My own rule.\n"


@pytest.mark.parametrize(
    ("name", "path", "text"),
    [
        ("claude-code", ".claude/settings.json", '{"hooks": {"Stop": [],\n "SessionStart" : [ ] }, "a": 1}'),
        ("claude-code", ".claude/settings.json", ""),
        ("codex", ".codex/config.toml", "a = 1\n\n\n# the end"),
        ("opencode", ".config/opencode/opencode.json", '{\n "mcp": {}, "a": [\n]}'),
    ],
)
def test_an_install_that_was_renewed_goes_to_the_byte_as_well(name, path, text, cli, machine, shop) -> None:
    """After a second install with other commands, as after an upgrade, a file becomes what it was before the first."""
    theirs = machine / path
    theirs.parent.mkdir(parents=True)
    theirs.write_text(text)
    assert cli("install", name, "--yes").code == 0
    first = theirs.read_text()
    assert cli("install", name, "--portable", "--yes").code == 0
    assert theirs.read_text() != first
    ended = cli("uninstall", name, "--yes", "--verify")
    assert ended.code == 0 and f"{theirs}: as it was, byte for byte" in ended.out
    assert theirs.read_text() == text


def test_what_stays_elsewhere_is_named(machine, cli, shop, home) -> None:
    """`--verify` names installs of other places and trees that were laid, with the way out."""
    (machine / ".codex").mkdir()
    assert cli("install", "codex", "--scope", "project", "--yes").code == 0
    assert cli("install", "codex", "--yes").code == 0
    ended = cli("uninstall", "codex", "--yes", "--verify")
    assert ended.code == 0
    assert (
        f"elsewhere: codex is connected for {shop}: cd {shop} && holdfast uninstall codex --scope project" in ended.out
    )
    assert cli("uninstall", "codex", "--scope", "project", "--yes").code == 0
    assert "elsewhere" not in cli("uninstall", "codex", "--verify").out
    assert cli("init", str(shop)).code == 0
    for name in ("opencode", "codex"):
        assert f"elsewhere: {shop}/memory was laid by Holdfast" in cli("uninstall", name, "--verify").out
