"""What each agent knows of itself: which files its adapter names, and where each of them holds."""

from __future__ import annotations

from hashlib import sha256

import pytest

from holdfast import agents
from holdfast.agents.base import Place

# Below H is the person's home, below P the project; SLUG and HASH stand for the names that agents make of its path.
KNOWN = {
    "claude-code": {
        "H/.claude/CLAUDE.md": ("global", "instructions"),
        "H/.claude/rules/style.md": ("global", "rules"),
        "H/.claude/projects/SLUG/memory/MEMORY.md": ("project", "memory"),
        "H/.claude/projects/SLUG/memory/topic.md": ("project", "memory"),
        "P/CLAUDE.md": ("project", "instructions"),
        "P/CLAUDE.local.md": ("project", "instructions"),
        "P/.claude/CLAUDE.md": ("project", "instructions"),
        "P/.claude/rules/deep/api.md": ("project", "rules"),
        "P/.claude/agent-memory/reviewer/MEMORY.md": ("project", "memory"),
    },
    "codex": {
        "H/.codex/AGENTS.md": ("global", "instructions"),
        "H/.codex/memories/MEMORY.md": ("global", "memory"),
        "H/.codex/memories/memory_summary.md": ("global", "memory"),
        "P/AGENTS.md": ("project", "instructions"),
        "P/AGENTS.override.md": ("project", "instructions"),
    },
    "gemini-cli": {
        "H/.gemini/GEMINI.md": ("global", "instructions"),
        "H/.gemini/tmp/HASH/memory/notes.md": ("project", "memory"),
        "P/GEMINI.md": ("project", "instructions"),
    },
    "opencode": {
        "H/.config/opencode/AGENTS.md": ("global", "instructions"),
        "P/AGENTS.md": ("project", "instructions"),
    },
    "grok": {
        "H/.grok/memory/MEMORY.md": ("global", "memory"),
        "H/.grok/rules/mine.md": ("global", "rules"),
        "P/.grok/rules/ours.md": ("project", "rules"),
        "P/AGENTS.md": ("project", "instructions"),
    },
    "kiro": {
        "H/.kiro/steering/product.md": ("global", "rules"),
        "P/.kiro/steering/tech.md": ("project", "rules"),
        "P/AGENTS.md": ("project", "instructions"),
    },
    "copilot": {
        "H/.copilot/copilot-instructions.md": ("global", "instructions"),
        "H/.copilot/instructions/mine.instructions.md": ("global", "rules"),
        "P/.github/copilot-instructions.md": ("project", "instructions"),
        "P/.github/instructions/web/ui.instructions.md": ("project", "rules"),
        "P/AGENTS.md": ("project", "instructions"),
    },
    "cursor": {
        "P/.cursor/rules/web/ui.mdc": ("project", "rules"),
        "P/.cursorrules": ("project", "instructions"),
        "P/AGENTS.md": ("project", "instructions"),
    },
    "pi": {
        "H/.pi/agent/AGENTS.md": ("global", "instructions"),
        "P/AGENTS.md": ("project", "instructions"),
    },
    "kimi": {"P/AGENTS.md": ("project", "instructions")},
    "qwen": {
        "H/.qwen/QWEN.md": ("global", "instructions"),
        "P/QWEN.md": ("project", "instructions"),
        "P/AGENTS.md": ("project", "instructions"),
    },
}
# Beside them, what no agent may take for its own: transcripts, other endings, the memory of another project.
OTHERS = (
    "H/.claude/projects/other/memory/MEMORY.md",
    "H/.claude/projects/SLUG/session.jsonl",
    "H/.codex/memories/raw_memories.md",
    "H/.gemini/tmp/other/memory/notes.md",
    "H/.grok/memory/shop-12345678/MEMORY.md",
    "P/README.md",
    "P/.cursor/rules/notes.txt",
    "P/.github/README.md",
)


@pytest.fixture
def place(tmp_path) -> Place:
    """A person's home and a project, both empty."""
    for name in ("home", "shop"):
        (tmp_path / name).mkdir()
    return Place(str(tmp_path / "home"), str(tmp_path / "shop"), "user", {})


def full(name: str, place: Place) -> str:
    """Return the path that a name of the table stands for."""
    slug = "".join(letter if letter.isalnum() else "-" for letter in place.folder)
    name = name.replace("SLUG", slug).replace("HASH", sha256(place.folder.encode()).hexdigest())
    return (
        name.replace("H/", f"{place.home}/", 1) if name.startswith("H/") else name.replace("P/", f"{place.folder}/", 1)
    )


@pytest.mark.parametrize("scope", ["user", "project"])
@pytest.mark.parametrize("name", KNOWN)
def test_each_adapter_names_its_files(name: str, scope: str, place: Place, tmp_path) -> None:
    """An adapter names exactly the files that its agent reads, with scope and kind, wherever it is installed."""
    for path in [*OTHERS, *(path for known in KNOWN.values() for path in known)]:
        target = tmp_path / full(path, place)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("Text.\n")
    found = agents.get(name).memory_files(Place(place.home, place.folder, scope, {}))
    wanted = {full(path, place): what for path, what in KNOWN[name].items()}
    assert {one.path: (one.scope, one.kind) for one in found} == wanted


@pytest.mark.parametrize(
    ("name", "variable", "path"),
    [
        ("claude-code", "CLAUDE_CONFIG_DIR", "CLAUDE.md"),
        ("codex", "CODEX_HOME", "AGENTS.md"),
        ("gemini-cli", "GEMINI_CLI_HOME", ".gemini/GEMINI.md"),
        ("grok", "GROK_HOME", "memory/MEMORY.md"),
        ("copilot", "COPILOT_HOME", "copilot-instructions.md"),
        ("qwen", "QWEN_HOME", "QWEN.md"),
        ("opencode", "XDG_CONFIG_HOME", "opencode/AGENTS.md"),
    ],
)
def test_an_agent_that_was_moved_is_found(name: str, variable: str, path: str, place: Place, tmp_path) -> None:
    """Where the person moved an agent's folder by its variable, its files are looked for there."""
    target = tmp_path / "moved" / path
    target.parent.mkdir(parents=True)
    target.write_text("Text.\n")
    moved = Place(place.home, place.folder, "project", {variable: str(tmp_path / "moved")})
    assert [(one.path, one.scope) for one in agents.get(name).memory_files(moved)] == [(str(target), "global")]


def test_the_first_of_several_is_read(place: Place, tmp_path) -> None:
    """An agent that reads only the first of several names is given only that one."""
    (tmp_path / "shop" / "CONTEXT.md").write_text("Text.\n")
    (tmp_path / "shop" / "CLAUDE.md").write_text("Text.\n")
    assert [one.path for one in agents.get("opencode").memory_files(place)] == [f"{place.folder}/CLAUDE.md"]


def test_a_memory_that_names_its_project(place: Place, tmp_path) -> None:
    """A folder with a name of its own belongs to the project that a file in it names, and to no other."""
    for name, root in (("shop", place.folder), ("shop-1", f"{place.folder}-old")):
        folder = tmp_path / "home" / ".gemini" / "tmp" / name
        (folder / "memory").mkdir(parents=True)
        (folder / ".project_root").write_text(f"{root}\n")
        (folder / "memory" / "notes.md").write_text("Text.\n")
    found = agents.get("gemini-cli").memory_files(place)
    assert [one.path for one in found] == [f"{place.home}/.gemini/tmp/shop/memory/notes.md"]


@pytest.mark.parametrize("name", agents.names())
def test_a_folder_in_the_place_of_a_file_is_none(name: str, place: Place, tmp_path) -> None:
    """Folders that have the name of a memory file are no files, and do no harm."""
    for path in KNOWN.get(name, {"P/AGENTS.md": ()}):
        (tmp_path / full(path, place)).mkdir(parents=True, exist_ok=True)
    assert agents.get(name).memory_files(place) == []
