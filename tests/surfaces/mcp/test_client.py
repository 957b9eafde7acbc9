"""The client of the SDK, which nobody here wrote, against the real server: in both eras of the protocol."""

from __future__ import annotations

import os
import sys

import anyio
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters

from holdfast.memory.remember import remember

# Each test starts a server.
pytestmark = pytest.mark.slow
ERAS = {"legacy": "2025-11-25", "auto": "2026-07-28"}


def play(shop, mode: str, story) -> None:
    """Connect in an era, and play the story with the client."""
    command = StdioServerParameters(
        command=sys.executable,
        args=["-m", "holdfast", "mcp", "--agent", "codex"],
        env={name: os.environ[name] for name in ("HOME", "HOLDFAST_HOME", "PATH")},
        cwd=shop,
    )

    async def run() -> None:
        with anyio.fail_after(60):
            async with Client(command, mode=mode, cache=None) as client:
                assert client.protocol_version == ERAS[mode]
                await story(client)

    anyio.run(run)


@pytest.mark.parametrize("mode", ERAS)
def test_the_client_of_the_sdk(shop, home, mode) -> None:
    """It lists and calls every tool, and gets a typed result from each."""

    async def story(client: Client) -> None:
        names = [tool.name for tool in (await client.list_tools()).tools]
        given = {
            "memory_store": {"content": "Deploys need the VPN.", "key": "vpn"},
            "memory_recall": {"query": "deploy", "include_related": True},
            "session_search": {"query": "deploy"},
            "memory_rate": {"key": "vpn", "rating": "helpful"},
            "working_state": {"focus": "The doors", "decisions": ["Use stdio"]},
            "project_notes": {"action": "todo", "text": "Test the doors"},
            "work_item": {"action": "show"},
            "memory_forget": {"key": "vpn"},
        }
        assert sorted(names) == sorted(given)
        for name, arguments in given.items():
            result = await client.call_tool(name, arguments)
            assert not result.is_error and result.structured_content["success"] is True, name
        wrong = await client.call_tool("memory_recall", {"search_mode": "fuzzy"})
        assert wrong.is_error and "hybrid" in wrong.content[0].text

    play(shop, mode, story)


@pytest.mark.parametrize("mode", ERAS)
def test_resources_and_prompts(shop, home, mode) -> None:
    """Index, state and memories are listed and read, by template too; each prompt brings what memory holds, fenced."""

    async def story(client: Client) -> None:
        await client.call_tool(
            "memory_store", {"content": "Answer in British English.", "key": "tone", "scope": "global"}
        )
        await client.call_tool("memory_store", {"content": "Deploys need the VPN.", "key": "vpn"})
        await client.call_tool("working_state", {"focus": "The doors"})
        uris = [resource.uri for resource in (await client.list_resources()).resources]
        assert uris[:2] == ["memory://index", "memory://state"]
        assert set(uris[2:]) == {"memory://project/vpn", "memory://global/tone"}
        templates = [one.uri_template for one in (await client.list_resource_templates()).resource_templates]
        assert {"memory://global/{key}", "memory://project/{key}"} <= set(templates)
        for uri, wanted in {
            "memory://index": "- vpn: Deploys need the VPN",
            "memory://state": "The doors",
            "memory://global/tone": "British English",
        }.items():
            (content,) = (await client.read_resource(uri)).contents
            assert wanted in content.text and content.mime_type == "text/markdown"
            assert content.text.startswith("<holdfast-memory>")
        prompts = {prompt.name for prompt in (await client.list_prompts()).prompts}
        assert prompts == {"catch_up", "hand_off", "review"}
        for name, wanted in {"catch_up": "Deploys", "hand_off": "The doors", "review": "British"}.items():
            (message,) = (await client.get_prompt(name)).messages
            assert wanted in message.content.text and "<holdfast-memory>" in message.content.text
        (message,) = (await client.get_prompt("review", {"scope": "project"})).messages
        assert "Deploys" in message.content.text and "British" not in message.content.text

    play(shop, mode, story)


def test_many_resources_come_in_pages(shop, home, workspace) -> None:
    """More memories than a page holds are listed page by page, each once."""
    with workspace() as opened:
        for number in range(130):
            remember(opened, f"Fact number {number}.", key=f"fact-{number}")

    async def story(client: Client) -> None:
        first = await client.list_resources()
        second = await client.list_resources(cursor=first.next_cursor)
        assert second.next_cursor is None
        uris = [
            one.uri for page in (first, second) for one in page.resources if one.uri.startswith("memory://project/")
        ]
        assert len(uris) == len(set(uris)) == 130

    play(shop, "legacy", story)
