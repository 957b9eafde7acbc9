"""No way in tells a context the same fact twice: not a start, a prompt, a recovery, a page, nor after asking for it.

A context goes from a start, a clear or a compaction to the next. Sessions are generated, and go through the real hooks.
"""

from __future__ import annotations

import json
import os
import random

import pytest

from holdfast import agents
from holdfast.app.hook import hook
from holdfast.continuity import decisions, working_state
from holdfast.inject import hand_over
from holdfast.memory.remember import remember
from holdfast.recall.recall import recall
from support.sampling import count

SESSIONS = count(200, 20)
THINGS = ("deploys", "billing", "login", "refunds", "search", "uploads", "taxes", "mails", "backups", "reports")
SAYINGS = (
    "The {} run through the bastion called Otto{}.",
    "Never change the {} without test number {}.",
    "The owner of {} is team{} in Graz.",
    "For {} the port is 54{}.",
)
WAYS = ("prompt", "prompt", "prompt", "ask", "continue", "remember", "compact", "clear", "call", "call")


@pytest.fixture
def facts(workspace, write) -> list[str]:
    """Statements about ten things: memories of both scopes, one of them under two names, decisions, and pages."""
    told = [saying.format(thing, number) for number, thing in enumerate(THINGS) for saying in SAYINGS]
    types = ("project", "feedback", "reference", "lesson")
    with workspace() as opened:
        for number, text in enumerate(told):
            scope = "global" if number % 3 == 0 else "project"
            kind = types[number % 4]
            # An agent only proposes a lesson.
            trust = "agent" if number % 2 and kind != "lesson" else "user"
            remember(opened, text, scope=scope, type=kind, trust=trust)
        for number, text in enumerate(told[1::4]):
            remember(opened, text, key=f"rule-{number}", type="feedback", when=f"make check-{number}", enforce="say")
        remember(opened, told[5], key="the-same-again")
        decisions.add(opened, "Use Postgres for the reports", because="we know it")
        working_state.update(opened, focus="Moving the uploads", next_steps=(told[7], "Write the tax test"), by="codex")
    write("projects/example.com--acme--shop/todo.md", f"- [ ] {told[9]}\n- [ ] Call the bank about refunds\n")
    return [
        *told,
        "Use Postgres for the reports",
        "Moving the uploads",
        "Write the tax test",
        "Call the bank about refunds",
    ]


class Context:
    """One session: what its present context was told, and how often."""

    def __init__(self, home, shop, name: str) -> None:
        self.home, self.shop, self.name = str(home), str(shop), name
        self.told = self.at_calls = ""

    def hook(self, native: str, **given: object) -> str:
        """Run a hook and return what reaches the model."""
        agent = agents.get("claude-code")
        data = {"session_id": self.name, "cwd": self.shop, "prompt_id": os.urandom(6).hex(), **given}
        out = hook(self.home, agent, agent.read_hook_input(native, data, {}), {**os.environ, "CLAUDECODE": "1"})
        return json.loads(out).get("hookSpecificOutput", {}).get("additionalContext", "") if out else ""


def test_the_same_fact_is_given_once_in_a_context(home, shop, workspace, facts):
    """Of all sessions with starts, prompts, recoveries, asking and remembering none is told anything twice."""
    chosen = random.Random(18)
    given = at_calls = 0
    for number in range(SESSIONS):
        one = Context(home, shop, f"s-{number}")
        one.told = one.hook("SessionStart", source="startup")
        assert not [fact for fact in facts if one.told.count(fact) > 1], one.told
        for way in chosen.choices(WAYS, k=4):
            thing = chosen.choice(THINGS)
            new = ""
            if way == "prompt":
                new = one.hook("UserPromptSubmit", prompt=f"what do we know about {thing}, its owner, port and tests?")
            elif way == "continue":
                new = one.hook("UserPromptSubmit", prompt="continue")
            elif way == "remember":
                fact = chosen.choice(facts)
                one.told += f"{fact}\n" if fact not in one.told else ""
                new = one.hook("UserPromptSubmit", prompt=f"Remember that {fact[0].lower()}{fact[1:]}")
            elif way == "ask":
                with workspace() as opened:
                    hits = recall(opened, f"{thing} owner")
                    hand_over.note_given(opened, one.name, hits, agent="claude-code", moment="recall")
                one.told += "".join(f"{hit.memory.body}\n" for hit in hits if hit.memory.body not in one.told)
            elif way == "call":
                # A rule at its call is said again by design, though a start told it, but at one call of a context.
                call = {"tool_name": "Bash", "tool_input": {"command": f"make check-{THINGS.index(thing)}"}}
                said = "".join(one.hook(each, **call) for each in 2 * ("PreToolUse", "PostToolUse"))
                twice = [
                    fact for fact in facts if (said + one.at_calls).count(fact) > (fact in said or fact in one.at_calls)
                ]
                assert not twice, (number, twice, said, one.at_calls)
                one.at_calls += said
                one.told += "".join(fact for fact in facts if fact in said and fact not in one.told)
                at_calls += len(said)
            else:
                one.hook("PreCompact", trigger="auto")
                one.told = one.at_calls = ""
                new = one.hook("SessionStart", source=way)
            twice = [fact for fact in facts if fact in new and (new + one.told).count(fact) > 1]
            assert not twice, (number, way, twice, one.told, new)
            one.told += new
            given += len(new)
    assert given > 500 * SESSIONS and at_calls > 10 * SESSIONS
