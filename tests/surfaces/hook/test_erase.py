"""What is erased is in no file of the home any more, in no encoding, however it came there; all else is untouched."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from holdfast.patterns import distribute
from support.canaries import MARK, canary, coded, holding
from support.distributing import approved
from support.sampling import count
from surfaces.hook.test_forget_session import Agent
from surfaces.mcp.talking import Talk

IGNORED = (
    *("index.db", "state/locks/", "state/transcripts.db", "updates/", "erased.jsonl", "state/bundles/"),
    # What the judge said of messages, by their hashes: what looks for a text cannot find it there, so all of it goes.
    "state/judgements",
    # The times at which files changed, which erasing in them changes.
    *("state/looked/", "state/rules/"),
)
# Where hooks read on in a transcript, which has the text still: erasing takes all of it away.
CURSORS = "state/tails/"


def by_command(say, one) -> None:
    """Store canaries by commands."""
    for _ in range(count(15, 5)):
        say("remember", f"The gate {one()} is behind the bastion.")
    for place in range(count(5, 2)):
        say("remember", f"The hill {one()} is steep.", "--key", f"hill-{place}")
        say("remember", f"The hill {one()} is not steep.", "--key", f"hill-{place}", "--scope", "project")
    for _ in range(count(10, 3)):
        say("lesson", "add", f"Never touch {one()} on Fridays", "--because", f"it broke {one()}")
        say("decide", f"Use {one()} for queues", "--because", f"it was quicker than {one()}")
        say("todo", "add", f"Look after {one()} tomorrow")
    for _ in range(count(5, 2)):
        say("work", "add", f"Make {one()} faster")


def by_later_ways(say, one, machine: Path) -> None:
    """Store canaries in rules, in what a team shares and in what git keeps for a sync."""
    for place in range(count(5, 2)):
        say("remember", f"Never run make release{place} without asking about {one()}.", "--key", f"rule-{place}")
        say("remember", f"The tower {one()} is tall.", "--key", f"tower-{place}", "--scope", "project")
        say("team", "promote", f"tower-{place}", "--reason", f"everybody asks about {one()}")
    say("allow", "--yes")
    remote = machine / "stick"
    remote.mkdir()
    say("sync", "init", str(remote))
    say("sync")


def stored_everywhere(hook, cli, home: Path, machine: Path, workspace) -> int:
    """Store canaries by every way that there is, 200 of them in the long run; return how many."""
    numbers = iter(range(1_000))
    one = lambda: coded(next(numbers))  # noqa: E731
    say = lambda *words: check(cli(*words))  # noqa: E731
    by_command(say, one)
    with Talk(folder=hook.folder) as talk:
        for _ in range(count(5, 2)):
            talk.call("memory_store", content=f"The lake {one()} is deep.")
    session = Agent(hook, machine, "0f5c3a52-7a35-4d5e-9a0e-3d1f6f1f0001", 0)
    session.tell("SessionStart", source="startup")
    for _ in range(count(6, 2)):
        session.says(f"Remember that the port {one()} is closed.")
        session.says(f"Let's go with {one()} as the queue, not Redis.")
        session.calls("Bash", {"command": f"pytest -q {one()}"}, f"Exit code 1\n{one()} failed")
        session.answers(f"The switch {one()} is there.\n\nNext steps:\n- [ ] document {one()}\n")
    session.says(f"2 - you deleted my {one()} migration again, never do that")
    session.tell("SubagentStop", agent_id="a1", last_assistant_message=f"I looked: the {one()} view is here.")
    session.tell("SessionEnd", reason="exit")
    swept = Agent(hook, machine, "0f5c3a52-7a35-4d5e-9a0e-3d1f6f1f0002", 20)
    for _ in range(count(28, 3)):
        swept.line("user", f"What about {one()} in the shop?")
        swept.line("assistant", [{"type": "text", "text": f"The shop has {one()} there."}])
    for words in (["sweep"], ["harvest", "--all"], ["distil"], ["synthesis"], ["patterns"]):
        say(*words)
    for _ in range(count(5, 2)):
        say("rate", "3", f"you broke {one()} again")
    notes = hook.folder / "CLAUDE.md"
    notes.write_text(
        "# Notes\n\n" + "".join(f"- Always ask about {canary(next(numbers))} first.\n" for _ in range(count(10, 3)))
    )
    say("import")
    with workspace() as opened:
        for id in ("1a2b3c4d5e", "2a2b3c4d5e"):
            approved(
                opened, id=id, statement=f"Use {canary(next(numbers))} here.", title=f"about {canary(next(numbers))}"
            )
            distribute.apply(opened, distribute.plan(opened, id, to="rules", names=("claude-code",)))
    (folder,) = (home / "memory" / "projects").iterdir()
    (folder / "MEMORY.md").write_text(
        f"# The shop\n\n> Kim said {canary(next(numbers)).replace(' ', chr(10) + '> ')} once.\n"
    )
    by_later_ways(say, one, machine)
    data = folder / "data"
    data.mkdir(mode=0o700, exist_ok=True)
    (data / "wide.txt").write_bytes(f"a table with {canary(next(numbers))} in it\n".encode("utf-16"))
    return next(numbers)


def check(ended):
    """Return how a command ended, which must be well."""
    assert ended.code == 0, ended
    return ended


def recall(cli, asked: str) -> tuple[str, str]:
    """Return what recall finds first."""
    first = check(cli("recall", asked, "--json")).json["hits"][0]
    return first["key"], first["body"]


@pytest.fixture
def full(hook, cli, home, machine, workspace):
    """A home with memories of other things, and canaries everywhere; returns how many."""
    home.mkdir(mode=0o700)
    check(cli("remember", "Deploys need the VPN. Ask Kim for access."))
    check(cli("remember", "Answer in English.", "--scope", "global"))
    check(cli("todo", "add", "Buy a new lamp"))
    return stored_everywhere(hook, cli, home, machine, workspace)


def test_canaries_go_and_nothing_else_does(full, cli, home, hook, machine):
    """After erasing no canary is in any file or name in any encoding; other files are as they were, byte for byte."""
    before = holding(home)
    assert full >= count(200, 55) and len({name.split("/")[0] for name in before}) >= 9, (full, before)
    others = {
        path: path.read_bytes()
        for path in home.rglob("*")
        if path.is_file() and str(path.relative_to(home)) not in before
    }
    recalled = [recall(cli, asked) for asked in ("who gives access to deploys", "which language")]
    texts = "\n".join(canary(number) for number in range(full))
    ended = cli("erase", "--lines", "--yes", "--json", stdin=texts)
    report = ended.json["report"]
    assert (report["left"], holding(home)) == ([], []), (report["not_looked_into"], report["places"])
    assert ended.code == 0
    assert not MARK.search(json.dumps(report).lower().encode())
    changed = [
        str(path.relative_to(home)) for path, data in others.items() if not path.exists() or path.read_bytes() != data
    ]
    # What git keeps is made again.
    ignored = (*IGNORED, CURSORS, "sync/")
    assert [name for name in changed if not name.startswith(ignored) and not name.endswith("index.md")] == []
    assert list((home / CURSORS).iterdir()) == []
    assert [recall(cli, asked) for asked in ("who gives access to deploys", "which language")] == recalled
    # Agents' own transcripts and notes still have it.
    with (machine / ".claude/projects/-shop/0f5c3a52-7a35-4d5e-9a0e-3d1f6f1f0001.jsonl").open("a") as file:
        file.write("\n")
    for words in (["sweep"], ["harvest", "--all"], ["import"], ["sync"], ["reindex"]):
        check(cli(*words))
    assert holding(home) == []
