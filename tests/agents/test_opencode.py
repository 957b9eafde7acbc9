"""OpenCode, by the contract of every agent, and its plugin, run by a real JavaScript engine."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys

import pytest

from holdfast import agents
from holdfast.agents.base import Place
from holdfast.agents.launcher import Launcher

from .contract import AgentContract

HOOK = """
import json, os, sys
data = json.load(sys.stdin)
with open(os.environ["SEEN"], "a") as seen:
    seen.write(json.dumps([sys.argv[1], data]) + "\\n")
if sys.argv[1] in ("session.created", "chat.message"):
    print("MEMORY of " + sys.argv[1])
line = str(data.get("tool_input"))
if sys.argv[1] == "tool.execute" and "push" in line:
    print(json.dumps({"refuse": "NO"} if "force" in line else {"say": "LINE"}))
if sys.argv[1] == "message.part.updated" and "push" in line:
    print("FIX")
"""
CALLS = """
const { HoldfastMemory } = await import(process.argv[2])
const plugin = await HoldfastMemory({ client: {}, directory: "/code/shop" })
const results = []
for (const [tool, command, exit] of JSON.parse(process.argv[3])) {
  const input = { tool, sessionID: "s", callID: `${tool} ${command}` }
  try {
    await plugin["tool.execute.before"](input, { args: { command } })
    const output = { title: "t", output: "ran", metadata: { exit } }
    await plugin["tool.execute.after"]({ ...input, args: { command } }, output)
    results.push(output.output)
  } catch (problem) {
    results.push(`refused: ${problem.message}`)
  }
}
console.log(JSON.stringify(results))
"""
DRIVER = """
const { HoldfastMemory } = await import(process.argv[2])
const old = JSON.parse(process.argv[3])
const client = { session: { messages: async () => ({ data: old.map((id) => ({ info: { id } })) }) } }
const plugin = await HoldfastMemory({ client, directory: "/code/shop" })
const say = async (id, text) => {
  const output = { message: { id }, parts: [{ id: "prt_" + id, sessionID: "s", messageID: id, type: "text", text }] }
  await plugin["chat.message"]({ sessionID: "s" }, output)
  return output.parts.slice(1).map((part) => part.text)
}
const first = await say("m1", "hello")
const second = await say("m2", "again")
const state = { status: "error", input: {}, error: "no" }
const part = { type: "tool", sessionID: "s", callID: "c", tool: "read", state }
await plugin.event({ event: { type: "message.part.updated", properties: { part } } })
await plugin.event({ event: { type: "message.part.updated", properties: { part } } })
for (const [callID, exit] of [["good", 0], ["bad", 2], ["bad", 2], ["unknown", undefined]]) {
  const ran = { status: "completed", input: { command: "make" }, output: "no rule", metadata: { exit } }
  const told = { type: "tool", sessionID: "s", callID, tool: "bash", state: ran }
  await plugin.event({ event: { type: "message.part.updated", properties: { part: told } } })
}
await plugin.event({ event: { type: "nothing.known", properties: {} } })
await plugin.event({ event: { type: "session.compacted", properties: { sessionID: "s" } } })
const third = await say("m3", "after")
await plugin.event({ event: { type: "session.idle", properties: { sessionID: "s" } } })
console.log(JSON.stringify([first, second, third]))
"""
START, PROMPT = "MEMORY of session.created", "MEMORY of chat.message"


class TestOpenCode(AgentContract):
    name = "opencode"
    former = ("tool.execute.before",)


def test_it_declares_that_it_keeps_no_memory() -> None:
    """Its workspace gets the scaffold."""
    assert not agents.get("opencode").keeps_memory


@pytest.fixture
def played(tmp_path, monkeypatch):
    """Play a session through the plugin; return what was added to each prompt, and what the hook was told."""
    if shutil.which("node") is None:
        pytest.skip("there is no node here")
    runner = tmp_path / "a place" / "holdfast" / "surfaces" / "hook" / "run.py"
    runner.parent.mkdir(parents=True)
    runner.write_text(HOOK)
    monkeypatch.setenv("SEEN", str(tmp_path / "seen"))

    def play(python: str = sys.executable, old: tuple[object, ...] = (), driver: str = DRIVER, **how: bool):
        (tmp_path / "drive.mjs").write_text(driver)
        command = Launcher(python, str(runner), ("/b/holdfast",), **how)
        part = agents.get("opencode").parts(Place("/h", "/p", "user", {}), command)[0]
        (tmp_path / "plugin.mjs").write_text(str(part.value))
        words = ["node", str(tmp_path / "drive.mjs"), str(tmp_path / "plugin.mjs"), json.dumps(old)]
        ended = subprocess.run(words, capture_output=True, text=True, check=True)
        seen = (tmp_path / "seen").read_text().splitlines() if (tmp_path / "seen").exists() else []
        return json.loads(ended.stdout), [json.loads(line) for line in seen]

    return play


def test_the_plugin_hands_over_what_the_hook_prints(played) -> None:
    """A session starts with its first prompt and after a compaction; a tool that failed is told once."""
    added, seen = played()
    assert added == [[START, PROMPT], [PROMPT], [START, PROMPT]]
    assert [event for event, _ in seen] == [
        *("session.created", "chat.message", "chat.message", "message.part.updated", "message.part.updated"),
        *("session.compacted", "session.created", "chat.message", "session.idle"),
    ]
    assert [data["source"] for event, data in seen if event == "session.created"] == ["startup", "compact"]
    broken, ended_badly = (data for event, data in seen if event == "message.part.updated")
    assert (broken["error"], broken["tool_use_id"]) == ("no", "c")
    assert (ended_badly["error"], ended_badly["tool_use_id"]) == ("no rule", "bad")
    assert ended_badly["tool_input"] == {"command": "make"}
    assert seen[1][1] == {"session_id": "s", "cwd": "/code/shop", "prompt": "hello", "prompt_id": "m1"}


def test_a_session_that_is_continued_says_so(played) -> None:
    """One that has messages already was given its memories before, and the hook is told that it is resumed."""
    _, seen = played(old=("m0", "m1"))
    assert seen[0][1]["source"] == "resume"


def test_a_hook_that_cannot_run_leaves_the_session_alone(played) -> None:
    """Without our program the plugin adds nothing and raises nothing."""
    added, seen = played(python="/nowhere/python")
    assert added == [[], [], []] and seen == []


def test_around_a_call_the_plugin_refuses_or_adds_to_the_result(played) -> None:
    """A call that the hook refuses is not made, a line and a fix come with the result, and other tools are let be."""
    calls = (("bash", "push --force", 0), ("bash", "push", 1), ("bash", "ls", 0), ("read", "push --force", 0))
    results, seen = played(old=calls, driver=CALLS, rules=True)
    assert results == ["refused: NO", "ran\nLINE\nFIX", "ran", "ran"]
    told = [(event, data["tool_use_id"], data.get("error")) for event, data in seen]
    assert told == [
        ("tool.execute", "bash push --force", None),
        ("tool.execute", "bash push", None),
        ("message.part.updated", "bash push", "ran"),
        ("tool.execute", "bash ls", None),
    ]


def test_without_rules_no_call_waits_for_the_hook(played) -> None:
    """Where rules are off and nothing is refused, a call is made without a look; one that failed is told."""
    results, seen = played(old=(("bash", "push --force", 0), ("bash", "ls", 2)), driver=CALLS)
    assert results == ["ran", "ran"]
    assert [event for event, _ in seen] == ["message.part.updated"]
