"""MCP over HTTP: the same tools as over standard input, for whoever has a token, and no more than it may."""

from __future__ import annotations

import json

import pytest
from starlette.testclient import TestClient

from holdfast.app import tokens
from holdfast.surfaces.web.app import create

from .conftest import ADDRESS

OLD, NEW = "2025-11-25", "2026-07-28"
META = "io.modelcontextprotocol/"


class Agent:
    """An agent that speaks MCP over HTTP, in one of the two eras of the protocol."""

    def __init__(self, client: TestClient, secret: str, era: str, query: str) -> None:
        self.client, self.era, self.path = client, era, f"/mcp{query}"
        self.headers = {"Authorization": f"Bearer {secret}", "Accept": "application/json, text/event-stream"}
        if era == OLD:
            info = {"name": "tester", "version": "1"}
            begun = self.send("initialize", {"protocolVersion": OLD, "capabilities": {}, "clientInfo": info})
            assert begun.status_code == 200, begun.text
            self.headers |= {"Mcp-Session-Id": begun.headers["mcp-session-id"], "Mcp-Protocol-Version": OLD}
        else:
            self.headers |= {"Mcp-Protocol-Version": NEW}

    def send(self, method: str, params: dict):
        """Send one request, and return the answer as HTTP has it."""
        more = dict(self.headers)
        if self.era == NEW:
            meta = {f"{META}protocolVersion": NEW, f"{META}clientInfo": {"name": "tester", "version": "1"}}
            params = {**params, "_meta": {**meta, f"{META}clientCapabilities": {}}}
            more |= {"Mcp-Method": method, **({"Mcp-Name": params["name"]} if "name" in params else {})}
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        return self.client.post(self.path, json=message, headers=more)

    def ask(self, method: str, **params) -> dict:
        """Return the result of a request."""
        answer = self.send(method, params)
        assert answer.status_code == 200, answer.text
        text = answer.text
        if answer.headers["content-type"].startswith("text/event-stream"):
            text = next(line[6:] for line in text.splitlines() if line.startswith("data: {"))
        return json.loads(text)["result"]

    def call(self, tool: str, **arguments) -> dict:
        """Return what a tool answers, or the words of its refusal."""
        result = self.ask("tools/call", name=tool, arguments=arguments)
        return {"refused": result["content"][0]["text"]} if result.get("isError") else result["structuredContent"]


@pytest.fixture
def agent(site, workspace):
    """Return an agent with a token of its own; all of them talk to one server."""
    with TestClient(create(site), base_url=ADDRESS) as client:

        def make(may: str = "write", *projects: str, era: str = OLD, query: str = "") -> Agent:
            with workspace() as h:
                secret = tokens.new(h, f"{may}-{len(tokens.tokens(h.home))}", may=may, projects=projects)[1]
            return Agent(client, secret, era, query)

        yield make


@pytest.mark.parametrize("era", [OLD, NEW])
def test_the_tools_are_those_of_standard_input(agent, era) -> None:
    """Eight tools, and a memory is stored, found and removed by them, in both eras of the protocol."""
    one = agent(era=era)
    assert len(one.ask("tools/list")["tools"]) == 8
    assert one.call("memory_store", content="The build needs lld.", key="linker")["action"] == "created"
    assert [each["key"] for each in one.call("memory_recall", query="linker")["memories"]] == ["linker"]
    assert one.call("memory_forget", key="linker")["deleted"] is True


@pytest.mark.parametrize("era", [OLD, NEW])
def test_a_read_token_calls_no_tool_that_writes(agent, cli, era) -> None:
    """It recalls, reads the working state and lists notes; whatever would write is refused in words."""
    cli("remember", "The build needs lld.", "--key", "linker")
    one = agent("read", era=era)
    assert [each["key"] for each in one.call("memory_recall", query="linker")["memories"]] == ["linker"]
    assert "refused" not in one.call("working_state") and "refused" not in one.call("project_notes", action="list")
    for tool, arguments in (
        ("memory_store", {"content": "Obey me."}),
        ("memory_forget", {"key": "linker"}),
        ("memory_rate", {"key": "linker", "rating": "harmful"}),
        ("working_state", {"focus": "Mine"}),
        ("project_notes", {"action": "todo", "text": "Mine"}),
        ("work_item", {"action": "criterion", "text": "Mine"}),
    ):
        assert "may not write" in one.call(tool, **arguments)["refused"]
    assert "lld" in cli("show", "linker").out


def test_who_speaks_over_mcp_is_an_agent_whatever_its_token_may(agent, cli) -> None:
    """Even a token that may review only proposes to change what the person laid down."""
    cli("remember", "Always use tabs.", "--key", "tabs", "--type", "feedback")
    one = agent("review")
    assert one.call("memory_store", content="Always use spaces.", key="tabs")["action"] == "proposed"
    assert "person's own" in one.call("memory_forget", key="tabs")["refused"]
    assert "tabs" in cli("show", "tabs").out and "mcp" in cli("proposals", "--json").out


def test_a_token_of_one_project_has_no_other(agent, cli, shop, repository, monkeypatch) -> None:
    """It sees its own and what is global, writes to its own alone, and another project in the address is refused."""
    here = json.loads(cli("project", "--json").out)["id"]
    cli("remember", "Deploys need the VPN.", "--key", "vpn")
    monkeypatch.chdir(repository("bank"))
    bank = json.loads(cli("project", "--json").out)["id"]
    cli("remember", "The vault code is on paper.", "--key", "vault")
    one = agent("write", bank)
    assert [each["key"] for each in one.call("memory_recall", query="vault VPN")["memories"]] == ["vault"]
    assert "does not write" in one.call("memory_store", content="Everywhere.", scope="global")["refused"]
    assert "not for that project" in agent("write", bank, query=f"?project={here}").call("memory_recall")["refused"]
    assert one.call("memory_store", content="The bank closes at five.")["scope_id"] == bank


def test_a_session_belongs_to_the_token_that_began_it(agent) -> None:
    """Another token that knows the id of a session does not get into it."""
    one, other = agent("write"), agent("read")
    other.headers["Mcp-Session-Id"] = one.headers["Mcp-Session-Id"]
    assert other.send("tools/list", {}).status_code == 404
    assert one.send("tools/list", {}).status_code == 200


def test_without_a_token_nothing_is_told(agent, page) -> None:
    """No token, a wrong one and the cookie of a browser are refused before anything is read."""
    one = agent()
    for headers in ({}, {"Authorization": "Bearer wrong"}):
        answer = one.client.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, headers=headers)
        assert answer.status_code == 401 and answer.headers["www-authenticate"].startswith("Bearer")
    assert page.client.post("/mcp", json={}, headers={"Origin": ADDRESS}).status_code == 401


def test_another_host_and_another_site_are_turned_away(agent) -> None:
    """A rebound name and a page of another site get nothing, though they have a token."""
    one = agent()
    for headers, status in (({"Host": "evil.example"}, 421), ({"Origin": "http://evil.example"}, 403)):
        assert one.client.post("/mcp", json={}, headers={**one.headers, **headers}).status_code == status
