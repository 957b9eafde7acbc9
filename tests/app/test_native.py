"""An agent's own memory: kept alike in both directions without an echo, or switched off and on to the byte."""

from __future__ import annotations

import json

import pytest

from holdfast import agents
from holdfast.agents import NATIVE
from holdfast.agents.editing import record
from holdfast.app import install, native
from holdfast.app.erase import forget_memory as forget
from holdfast.errors import Conflict, NotFound, Refused
from holdfast.inject import publish
from holdfast.memory.proposal_files import Proposals
from holdfast.memory.proposals import approve
from holdfast.memory.remember import remember


def own_file(opened, name: str):
    """Return the agent's own memory of the project."""
    return agents.get(name).own_memory(opened.place("project"))


def read(path) -> str:
    """Return the text of a file."""
    with open(path, encoding="utf-8") as file:
        return file.read()


@pytest.mark.parametrize("name", ["claude-code", "gemini-cli", "qwen"])
def test_what_is_known_stands_in_the_agents_memory_and_what_it_adds_comes_back_once(name, workspace, shop):
    """The block follows every change; only what the agent itself added is proposed, once, and nothing of ours."""
    with workspace() as opened:
        remember(opened, "Deploys need the VPN.", key="deploys")
        path = native.keep(opened, name)
        assert path == own_file(opened, name) and "Deploys need the VPN." in read(path)
        with open(path, "a", encoding="utf-8") as file:
            file.write("\n- The staging host of the shop is s7.\n")
        assert native.take_back(opened) == 1
        assert native.take_back(opened) == 0
        (waiting,) = Proposals(opened.home).all()[0]
        assert (waiting.text, waiting.agent) == ("The staging host of the shop is s7.", name)
        approve(opened, (waiting.id,))
        publish.refresh(opened)
        assert read(path).count("The staging host") == 1
        remember(opened, "Deploys need no VPN any more.", key="deploys")
        publish.refresh(opened)
        assert "no VPN any more" in read(path) and "need the VPN" not in read(path)
        forget(opened, "deploys")
        publish.refresh(opened)
        assert "VPN" not in read(path) and "The staging host of the shop is s7." in read(path)
        native.drop(opened, name)
        assert "holdfast" not in read(path) and "The staging host of the shop is s7." in read(path)
        with pytest.raises(NotFound):
            native.drop(opened, name)


def test_an_agent_whose_hooks_hand_memories_over_gets_no_block(workspace, shop):
    """Nothing comes twice; one without a memory of a project gets none either."""
    with workspace() as opened:
        install.apply(opened, install.plan(opened, "claude-code"))
        with pytest.raises(Refused, match="twice"):
            native.keep(opened, "claude-code")
        with pytest.raises(NotFound, match="no memory file"):
            native.keep(opened, "kiro")
        assert record.load(opened.home, NATIVE) == []


@pytest.mark.parametrize(
    ("name", "path", "text", "says"),
    [
        ("claude-code", ".claude/settings.json", '{\n  "model": "x"\n}\n', '"autoMemoryEnabled": false'),
        ("qwen", ".qwen/settings.json", "", '"enableManagedAutoMemory": false'),
        ("gemini-cli", ".gemini/settings.json", '{"ui": {"theme": "dark"}}', '"autoMemory": false'),
        ("codex", ".codex/config.toml", 'model = "x"\n', "generate_memories = false\nuse_memories = false"),
    ],
)
def test_an_agents_memory_is_switched_off_and_on_again_to_the_byte(name, path, text, says, workspace, shop, machine):
    """Its settings get one entry, every other byte stays, and `on` gives the file back as it was."""
    settings = machine / path
    settings.parent.mkdir(exist_ok=True)
    if text:
        settings.write_text(text)
    with workspace() as opened:
        native.apply_switch(opened, native.plan_switch(opened, name, on=False))
        assert says in settings.read_text()
        assert [one.off for one in native.overview(opened) if one.agent == name] == [True]
        assert native.plan_switch(opened, name, on=False) == []
        native.apply_switch(opened, native.plan_switch(opened, name, on=True))
        left = settings.read_text() if settings.exists() else ""
        assert left == text or (not text and json.loads(left or "{}") == {})


def test_what_the_person_set_about_it_is_left_to_them(workspace, shop, machine):
    """A switch that says something else is not changed."""
    (machine / ".claude").mkdir()
    (machine / ".claude" / "settings.json").write_text('{"autoMemoryEnabled": true}')
    with workspace() as opened, pytest.raises(Conflict, match="already says"):
        native.plan_switch(opened, "claude-code", on=False)
