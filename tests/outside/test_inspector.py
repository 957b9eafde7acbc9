"""The MCP Inspector, a client that nobody here wrote, against `holdfast mcp` and `/mcp` in both eras of MCP."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

import pytest

from outside.agents import Person
from support.sampling import LONG, some
from support.serving import Server

WAYS = tuple(product(("legacy", "modern"), ("stdio", "http")))
MAX_TOOLS = 8
SEED = {"memory_store", "memory_recall", "memory_forget"}


@dataclass(frozen=True)
class Inspected:
    """How a run of the Inspector ended and what it printed."""

    code: int
    out: str
    err: str

    @property
    def result(self) -> dict:
        """The answer of the server."""
        assert self.code == 0, f"{self.code}\n{self.out[-2000:]}\n{self.err[-2000:]}"
        return json.loads(self.out)["result"]


def ways(*chosen: int) -> pytest.MarkDecorator:
    """Run a test in each way, or in the short run in those chosen: together the tests take every way."""
    return pytest.mark.parametrize(
        "inspect", WAYS if LONG else [WAYS[one] for one in chosen], ids="-".join, indirect=True
    )


@pytest.fixture
def inspect(request: pytest.FixtureRequest, person: Person, holdfast) -> Iterator[Callable[..., Inspected]]:
    """Let the Inspector call one method of the server: it starts one, or one runs already and takes its token."""
    era, way = request.param
    program = person.programs / "node_modules" / ".bin" / "mcp-inspector"

    def run(method: str, *options: str) -> Inspected:
        words = ["--cli", "--protocol-era", era, "--format", "json", "--method", method, *options]
        done = subprocess.run(
            ["node", str(program), *words, *target],
            env=person.environment(),
            cwd=person.folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
        )
        return Inspected(done.returncode, done.stdout, done.stderr)

    if way == "stdio":
        target = [sys.executable, "-m", "holdfast", "mcp"]
        yield run
        return
    secret = holdfast("tokens", "new", "inspector", "--may", "write").strip()
    with Server(person.folder, environment=person.environment()) as server:
        target = [f"{server.url}/mcp", "--transport", "http", "--header", f"Authorization: Bearer {secret}"]
        yield run


def _call(inspect, tool: str, **arguments: object) -> Inspected:
    return inspect("tools/call", "--tool-name", tool, "--tool-args-json", json.dumps(arguments))


@ways(1, 2)
def test_the_tools_are_few_and_their_schemas_portable(inspect) -> None:
    """The strict check of every tool's schema finds nothing, not even advice."""
    listed = inspect("tools/list", "--strict")
    names = {tool["name"] for tool in listed.result["tools"]}
    assert names >= SEED
    assert len(names) <= MAX_TOOLS
    assert listed.err == ""


@ways(0)
def test_a_memory_is_stored_found_and_forgotten(inspect, holdfast) -> None:
    """Each of the three tools does its work and answers in the form that it promised."""
    stored = _call(inspect, "memory_store", content="The build needs the linker lld.", key="linker").result
    assert stored["structuredContent"]["action"] == "created"
    found = _call(inspect, "memory_recall", query="which linker does the build need?").result
    assert [one["key"] for one in found["structuredContent"]["memories"]] == ["linker"]
    assert "lld" in holdfast("show", "linker")
    forgotten = _call(inspect, "memory_forget", key="linker").result
    assert forgotten["structuredContent"]["deleted"] is True
    assert _call(inspect, "memory_recall", query="linker").result["structuredContent"]["memories"] == []


@ways(3)
def test_resources_and_prompts_are_listed_and_read(inspect, holdfast) -> None:
    """Resources that are listed can be read, and every prompt without arguments can be had."""
    holdfast("remember", "--scope", "global", "--key", "english", "The person likes British English.")
    for resource in some(inspect("resources/list").result["resources"], 1):
        [content] = inspect("resources/read", "--uri", resource["uri"]).result["contents"]
        assert content["text"]
    assert inspect("resources/templates/list").result["resourceTemplates"]
    prompts = inspect("prompts/list").result["prompts"]
    assert 2 <= len(prompts) <= 3
    for prompt in some(prompts, 1):
        assert inspect("prompts/get", "--prompt-name", prompt["name"]).result["messages"]


@ways(2)
def test_a_bad_argument_is_refused(inspect) -> None:
    """A search mode that does not exist is an error, and no other mode is taken instead."""
    refused = _call(inspect, "memory_recall", query="anything", search_mode="telepathy")
    assert refused.code != 0 or json.loads(refused.out)["result"]["isError"] is True
    assert "search_mode" in refused.out + refused.err


@ways(0, 3)
def test_many_calls_at_once_all_end_well(inspect, holdfast) -> None:
    """Forty recalls, eight at a time, end without an error."""
    holdfast("remember", "--scope", "global", "The person likes British English.")
    load = ("--load", "--load-requests", "40", "--load-concurrency", "8")
    done = inspect("tools/call", "--tool-name", "memory_recall", "--tool-arg", "query=english", *load).result
    assert (done["requests"], done["ok"], done["errorRate"]) == (40, 40, 0), done
