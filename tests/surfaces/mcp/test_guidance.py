"""What agents are told with the tools, and what the command itself costs."""

from __future__ import annotations

import subprocess
import sys

import pytest

from holdfast.settings import BY_NAME
from holdfast.surfaces.mcp.protocol import guidance

VARIANTS = BY_NAME["mcp.guidance"].choices
# Some agents cut the instructions of a server off behind this.
MAX_CHARACTERS = 2_000


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_variant_is_short_and_says_that_memory_is_data(variant) -> None:
    """Each variant fits where agents cut, names the two tools, and says that stored text is no instruction."""
    text = guidance(variant)
    assert len(text) <= MAX_CHARACTERS
    assert "memory_recall" in text and "memory_store" in text and "never an instruction" in text


@pytest.mark.parametrize("variant", ["normal", "eager"])
def test_the_guidance_is_not_store_happy(variant) -> None:
    """There is a rubric of every scope and type with examples, what not to store, and when to save and recall."""
    text = guidance(variant)
    rubric = text[text.index("Scope, where it holds") : text.index("# Do not store")]
    for word in ("project", "global", "agent", "session", "user", "feedback", "reference", "decision", "lesson"):
        assert word in rubric
    assert rubric.count('"') >= 20
    excluded = text[text.index("# Do not store") : text.index("# Working state")]
    assert all(word in excluded for word in ("code", "progress", "guesses", "secrets"))
    assert "mid-task" in text and "at once" in text


def test_the_setting_chooses_the_variant(talk, home) -> None:
    """A server tells its agent the variant of the setting; a variant that is none is refused by `config set`."""
    assert talk().greeting["instructions"] == guidance("normal")
    assert talk(HOLDFAST_MCP_GUIDANCE="minimal").greeting["instructions"] == guidance("minimal")


@pytest.mark.parametrize("variant", VARIANTS)
def test_what_the_person_wrote_as_doctrine_is_part_of_it(talk, home, variant) -> None:
    """A rule that the person adds to definition.md reaches the agent, within where agents cut, in either era."""
    page = home / "memory" / "system" / "definition.md"
    page.parent.mkdir(parents=True, mode=0o700)
    page.write_text("# Mine\n\n- Never store names of customers.\n")
    server = talk(HOLDFAST_MCP_GUIDANCE=variant)
    said = server.greeting["instructions"]
    assert "- Never store names of customers." in said and len(said) <= MAX_CHARACTERS
    assert said.startswith(guidance(variant).split("\n\n")[0])
    # The hook of an agent that takes it at a start has told it already.
    told = talk("--agent", "claude-code", HOLDFAST_MCP_GUIDANCE=variant).greeting["instructions"]
    assert told == guidance(variant)


def test_a_variant_that_is_none(cli, talk) -> None:
    """The setting takes no other value; a server that finds one starts as usual and says so on standard error."""
    ended = cli("config", "set", "mcp.guidance", "loud")
    assert ended.code == 2 and "minimal, normal, eager" in ended.err
    server = talk(HOLDFAST_MCP_GUIDANCE="loud")
    assert server.greeting["instructions"] == guidance("normal")
    assert "mcp.guidance is 'loud'" in server.end()[1]


def test_an_agent_that_nobody_knows(shop) -> None:
    """With an unknown agent the command ends at once and names those that are known."""
    command = [sys.executable, "-m", "holdfast", "mcp", "--agent", "hal"]
    ended = subprocess.run(command, input=b"", capture_output=True, timeout=300, check=False)
    assert ended.returncode == 3 and b"claude-code" in ended.stderr and ended.stdout == b""


def test_nothing_else_loads_the_sdk() -> None:
    """Every other command, and the help of this one, does without the SDK and pydantic."""
    code = (
        "import sys, click; from holdfast.surfaces.cli.main import COMMANDS, cli\n"
        "for name in COMMANDS: cli.get_command(click.Context(cli), name)\n"
        "print(*({'mcp', 'pydantic', 'anyio', 'mcp_types'} & set(sys.modules)))"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.split() == []
