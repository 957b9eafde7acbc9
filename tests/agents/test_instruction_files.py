"""Where each agent reads a standing rule and a skill."""

from __future__ import annotations

import pytest

from holdfast import agents
from holdfast.agents.base import Place

RULES = {
    "claude-code": (["~/.claude/CLAUDE.md"], ["CLAUDE.md"]),
    "codex": (["~/.codex/AGENTS.md"], ["AGENTS.md"]),
    "gemini-cli": (["~/.gemini/GEMINI.md"], ["GEMINI.md"]),
    "opencode": (["~/.config/opencode/AGENTS.md"], ["AGENTS.md"]),
    "grok": (["~/.grok/rules/holdfast-aa.md"], ["AGENTS.md", "CLAUDE.md"]),
    "kiro": (["~/.kiro/steering/holdfast-aa.md"], [".kiro/steering/holdfast-aa.md", "AGENTS.md"]),
    "copilot": (
        ["~/.copilot/copilot-instructions.md"],
        ["AGENTS.md", "CLAUDE.md", ".github/copilot-instructions.md"],
    ),
    "cursor": ([], ["AGENTS.md"]),
    "qwen": (["~/.qwen/QWEN.md"], ["AGENTS.md", "QWEN.md"]),
    "pi": (["~/.pi/agent/AGENTS.md"], ["AGENTS.md"]),
    "droid": (["~/.factory/AGENTS.md"], ["AGENTS.md"]),
    "kimi": ([], ["AGENTS.md"]),
    "antigravity": ([], []),
}
SKILLS = {
    "claude-code": (["~/.claude/skills"], [".claude/skills"]),
    "codex": (["~/.agents/skills"], [".agents/skills"]),
    "gemini-cli": (["~/.gemini/skills", "~/.agents/skills"], [".gemini/skills", ".agents/skills"]),
    "opencode": (
        ["~/.config/opencode/skills", "~/.claude/skills", "~/.agents/skills"],
        [".opencode/skills", ".claude/skills", ".agents/skills"],
    ),
    "grok": (["~/.grok/skills"], [".grok/skills"]),
    "kiro": (["~/.kiro/skills"], [".kiro/skills"]),
    "copilot": (["~/.copilot/skills", "~/.claude/skills"], [".github/skills", ".claude/skills"]),
    "cursor": (["~/.cursor/skills"], [".cursor/skills"]),
    "qwen": (["~/.qwen/skills"], [".qwen/skills"]),
    "pi": (["~/.pi/agent/skills"], [".pi/skills"]),
    "droid": (["~/.factory/skills"], [".factory/skills"]),
    "kimi": ([], [".agents/skills"]),
    "antigravity": ([], []),
}


def at(tmp_path, scope: str, **environment: str) -> Place:
    """Return a place with a home and a project that are there."""
    for name in ("home", "project"):
        (tmp_path / name).mkdir(exist_ok=True)
    return Place(str(tmp_path / "home"), str(tmp_path / "project"), scope, environment)


def shown(paths: list[str], tmp_path) -> list[str]:
    """Return paths as a person writes them."""
    return [one.replace(f"{tmp_path}/home", "~").replace(f"{tmp_path}/project/", "") for one in paths]


@pytest.mark.parametrize("name", agents.BUILT_IN)
def test_each_adapter_names_where_rules_are_read(name, tmp_path) -> None:
    """For everywhere and in a project, the best place first; a folder of rules gets a file of that name."""
    adapter = agents.get(name)
    for scope, expected in zip(("user", "project"), RULES[name], strict=True):
        found = adapter.instruction_files(at(tmp_path, scope), "holdfast-aa")
        assert shown([one.path for one in found], tmp_path) == expected
        assert all(one.block == ("holdfast-aa" not in one.path) for one in found)


@pytest.mark.parametrize("name", agents.BUILT_IN)
def test_each_adapter_names_where_skills_are_read(name, tmp_path) -> None:
    """For everywhere and in a project, its own folder first."""
    adapter = agents.get(name)
    for scope, expected in zip(("user", "project"), SKILLS[name], strict=True):
        assert shown(adapter.skill_folders(at(tmp_path, scope)), tmp_path) == expected


@pytest.mark.parametrize(
    ("name", "variable", "path"),
    [
        ("claude-code", "CLAUDE_CONFIG_DIR", "CLAUDE.md"),
        ("codex", "CODEX_HOME", "AGENTS.md"),
        ("opencode", "OPENCODE_CONFIG_DIR", "AGENTS.md"),
        ("grok", "GROK_HOME", "rules/holdfast-aa.md"),
        ("qwen", "QWEN_HOME", "QWEN.md"),
    ],
)
def test_a_folder_that_was_moved_is_used(name, variable, path, tmp_path) -> None:
    """The person's rules are where the agent's variable says."""
    place = at(tmp_path, "user", **{variable: str(tmp_path / "moved")})
    assert [one.path for one in agents.get(name).instruction_files(place, "holdfast-aa")] == [
        str(tmp_path / "moved" / path)
    ]


@pytest.mark.parametrize(
    ("name", "there", "expected"),
    [
        ("claude-code", {".claude/CLAUDE.md": "x"}, [".claude/CLAUDE.md"]),
        ("claude-code", {"CLAUDE.md": "# x\n@AGENTS.md\n", "AGENTS.md": "y"}, ["AGENTS.md", "CLAUDE.md"]),
        ("claude-code", {".claude/CLAUDE.md": "@../AGENTS.md", "AGENTS.md": "y"}, ["AGENTS.md", ".claude/CLAUDE.md"]),
        ("claude-code", {"CLAUDE.md": "see @AGENTS.md.old", "AGENTS.md": "y"}, ["CLAUDE.md"]),
        ("codex", {"AGENTS.override.md": "x", "AGENTS.md": "y"}, ["AGENTS.override.md"]),
        ("opencode", {"CLAUDE.md": "x"}, ["CLAUDE.md"]),
        ("pi", {"CLAUDE.md": "x"}, ["CLAUDE.md"]),
    ],
)
def test_what_is_there_decides(name, there, expected, tmp_path) -> None:
    """An agent that reads only one of several files, or takes one into another, gets the rule where it reads it."""
    place = at(tmp_path, "project")
    for path, text in there.items():
        (tmp_path / "project" / path).parent.mkdir(exist_ok=True)
        (tmp_path / "project" / path).write_text(text, encoding="utf-8")
    found = agents.get(name).instruction_files(place, "holdfast-aa")
    assert shown([one.path for one in found], tmp_path) == expected
