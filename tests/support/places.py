"""Places that tests stand in."""

from __future__ import annotations

from pathlib import Path

# The id of the project that most tests stand in.
SHOP = "example.com--acme--shop"
# Where agents may keep their config and transcripts instead; a test has none of the developer's.
FOLDERS = (
    *("CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "OPENCODE_CONFIG_DIR"),
    *("GROK_HOME", "COPILOT_HOME", "QWEN_HOME", "QWEN_RUNTIME_DIR", "PI_CODING_AGENT_DIR", "OPENCODE_DB"),
)
# Sessions of tests are of the days that stand in them: on whatever day tests run, the archive drops none for its age.
AGELESS = {"HOLDFAST_ARCHIVE_RAW_MAX_AGE_DAYS": "0"}


def make_repository(parent: Path, name: str) -> Path:
    """Make a git repository with a remote, without git: only its files count."""
    folder = parent / name
    for part in ("objects", "refs"):
        (folder / ".git" / part).mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    config = f'[remote "origin"]\n\turl = https://example.com/acme/{name}.git\n'
    (folder / ".git" / "config").write_text(config, encoding="utf-8")
    return folder
