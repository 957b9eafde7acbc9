"""Commands that are killed at every single step: what they left half-done, the next command finishes or undoes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.archived import said, session, store
from support.canaries import canary
from support.killing import run_script
from support.places import make_repository
from support.sampling import count

# It prepares a machine anew for each step of a command, kills the command there, runs the next command, and prints what
# is on the machine then.
KILLER = """
import json, os, pathlib, random, shutil, sys
from support.canaries import holding
from support.killing import killed_at, load_what, steps_of
from holdfast.surfaces.cli.main import run

prepared, folder, asked = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
null = os.open(os.devnull, os.O_WRONLY)

def fresh():
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(prepared, folder, symlinks=True)
    os.chdir(os.path.join(folder, "code"))

def act(words):
    os.dup2(null, 1), os.dup2(null, 2)
    return run(words)

def then(words):
    child = os.fork()
    if not child:
        os._exit(act(words))
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

def seen():
    found = {}
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in ("locks", "__pycache__")]
        for name in names:
            path = os.path.join(place, name)
            if not name.startswith("index.db"):
                found[os.path.relpath(path, folder)] = open(path, errors="replace").read()
    found["holding"] = "\\n".join(holding(pathlib.Path(folder, ".holdfast")))
    return found

fresh()
before = seen()
for words in (asked["command"], *asked["next"]):
    load_what(lambda: act(words))
fresh()
steps = steps_of(lambda: act(asked["command"]))
chosen = sorted(random.Random(steps).sample(range(1, steps + 1), min(steps, asked["most"])))
runs = []
fresh()
assert then(asked["command"]) == 0
runs.append([0, 0, seen()])
for step in chosen:
    for next in asked["next"]:
        fresh()
        if killed_at(step, lambda: act(asked["command"])):
            runs.append([step, then(next), seen()])
sys.stdout.write(json.dumps([before, runs]))
"""


@pytest.fixture
def killed(machine, tmp_path):
    """Kill a command at every step, on a machine as it is now; return how it was, how it ends, and each run."""

    def play(command: list[str], *after: list[str]) -> tuple[dict, dict, list]:
        folder = machine
        prepared = tmp_path / "prepared"
        folder.rename(prepared)
        (prepared / "code").mkdir(exist_ok=True)
        asked = {"command": command, "next": after or [command], "most": count(400, 6)}
        before, runs = json.loads(run_script(KILLER, str(prepared), str(folder), json.dumps(asked)))
        assert len(runs) > 5, "it was killed at many steps"
        return before, runs[0][2], runs[1:]

    return play


def leftovers(found: dict[str, str]) -> list[str]:
    return [path for path in found if Path(path).name.startswith(".holdfast-tmp-")]


def memories(found: dict[str, str]) -> dict[str, str]:
    is_ours = lambda path: path.startswith(".holdfast/memory/") and "/memories/" in path  # noqa: E731
    return {path: text for path, text in found.items() if is_ours(path) and not path.endswith("index.md")}


@pytest.fixture
def two(machine, cli):
    """Two memories, of which one names the other."""
    (machine / "code").mkdir()
    assert cli("remember", "--scope", "global", "--key", "apple", "Apples are red.").code == 0
    assert cli("remember", "--scope", "global", "--key", "tree", "A tree bears [[apple]].").code == 0


def test_a_move_that_was_killed_is_finished_by_the_same_command(two, killed):
    """Wherever a move is killed, the same command does the rest: one file, and every link follows."""
    _, whole, runs = killed(["move", "apple", "--key", "fruit"])
    done = [step for step, code, _ in runs if code]
    # What was killed after its last word had nothing to do any more.
    assert done == [step for step, _, _ in runs][-len(done) or len(runs) :]
    for step, _, found in runs:
        assert memories(found) == memories(whole), f"killed at step {step}"
        assert leftovers(found) == [] and ".holdfast/state/moving.json" not in found


def test_a_move_that_was_killed_is_finished_or_undone_by_any_command(two, killed):
    """Wherever a move is killed, another command leaves all of it done or nothing."""
    before, whole, runs = killed(["move", "apple", "--key", "fruit"], ["list"], ["status"])
    for step, code, found in runs:
        assert code == 0
        assert memories(found) in (memories(before), memories(whole)), f"killed at step {step}"
        assert leftovers(found) == [] and ".holdfast/state/moving.json" not in found


@pytest.mark.parametrize("after", ["uninstall", "status"])
def test_an_uninstall_that_was_killed_leaves_no_copy_of_settings(machine, cli, killed, after):
    """Wherever an uninstall is killed, no temporary file stays, beside the agent's settings or in the home."""
    (machine / "code").mkdir()
    (machine / ".claude").mkdir()
    (machine / ".claude" / "settings.json").write_text('{"env": {"TOKEN": "mine"}}\n')
    assert cli("install", "claude-code", "--yes").code == 0
    command = ["uninstall", "claude-code", "--yes"]
    _, whole, runs = killed(command, command if after == "uninstall" else [after])
    for step, code, found in runs:
        assert (code, leftovers(found)) == (0, []), f"killed at step {step}"
        if after == "uninstall":
            assert found[".claude/settings.json"] == whole[".claude/settings.json"], f"killed at step {step}"
            assert ".holdfast/installs.json" not in found, f"killed at step {step}"


@pytest.mark.parametrize("command", [["init"], ["config", "set", "recall.limit", "5"], ["forget", "apple", "--yes"]])
def test_what_a_killed_command_had_not_finished_is_gone_after_the_next(two, killed, command):
    """Temporary files in the home, in `updates/` and in the folder of a scope go with the next command."""
    _, _, runs = killed(command, ["status"])
    for step, _, found in runs:
        assert leftovers(found) == [], f"killed at step {step}"


OLD_LESSONS = """# Lessons

- Feed the cat before noon.

| Id | Date | Lesson | What went wrong | Source |
|---|---|---|---|---|
| L1 | 2026-11-01 | Migrate first | the deploy broke | Kim |
| L2 | 2026-11-02 | ~~Sort prices as text~~ (withdrawn 2026-11-03) |  |  |
| L3 | 2026-11-04 | Ask before a release |  |  |
"""


def test_a_conversion_that_was_killed_is_done_by_the_next_one(machine, cli, killed):
    """Wherever the adoption of an old page of lessons is killed, the next one ends with the same lessons, each once."""
    shop = machine / ".holdfast" / "memory" / "projects" / "shop"
    about = ("--type", "lesson", "--key", "a", "--project", "shop")
    cli("remember", "Migrate first. What went wrong: the deploy broke", *about)
    (shop / "lessons.md").write_text(OLD_LESSONS)

    def said(found: dict[str, str]) -> dict[str, list[str]]:
        # The times of a run are its own.
        return {
            path: [line for line in text.split("\n") if not line.startswith(("created:", "updated:", "### "))]
            for path, text in memories(found).items()
        }

    page = ".holdfast/memory/projects/shop/lessons.md"
    _, whole, runs = killed(["heal", "--yes"])
    assert len(said(whole)) == 4 and "| L1 | 2026-11-01 | Migrate first |" in whole[page]
    for step, code, found in runs:
        assert (code, said(found)) == (0, said(whole)), f"killed at step {step}"
        assert found[page] == whole[page], f"killed at step {step}"


@pytest.fixture
def told(machine, cli, workspace, monkeypatch):
    """A home that knows a canary by many ways beside other things, and that synced once."""
    code = make_repository(machine, "code")
    monkeypatch.chdir(code)
    say = canary(7)
    for words in (
        ("remember", "Deploys need the VPN.", "--key", "vpn"),
        ("remember", "Answer in English.", "--scope", "global", "--key", "english"),
        ("remember", f"{say}.", "--key", "all"),
        ("remember", f"Kim says that {say}, and the lamp is new.", "--key", "kim"),
        ("decide", f"Use {say} for queues", "--because", "it was quick"),
        ("lesson", "add", f"Never touch {say} on Fridays", "--because", f"it broke {say}"),
        ("todo", "add", f"Look after {say} tomorrow"),
    ):
        assert cli(*words).code == 0
    with workspace(folder=str(code)) as opened:
        store(opened, session("s1", code), said("human", f"What about {say}?"), said("assistant", f"{say} is there."))
    (machine / "stick").mkdir()
    (machine / "text").write_text(say)
    return say


def held(found: dict[str, str]) -> set[str]:
    return set(found["holding"].splitlines())


def told_memories(found: dict[str, str]) -> dict[str, str]:
    # The times of a run are its own.
    timed = ("created:", "updated:")
    return {
        path: "\n".join([line for line in text.split("\n") if not line.startswith(timed)])
        for path, text in memories(found).items()
    }


REMOVALS = [["erase", "--yes", "--file", "../text"], ["forget", "all", "--yes"], ["sessions", "forget", "s1", "--yes"]]


@pytest.mark.parametrize("command", REMOVALS, ids=lambda command: command[0])
def test_a_removal_that_was_killed_is_done_by_the_same_command(told, killed, command):
    """Wherever it is killed, the same command ends as if nothing had happened: nothing else goes, and nothing stays."""
    _, whole, runs = killed(command)
    assert command[0] != "erase" or not held(whole)
    for step, _, found in runs:
        assert told_memories(found) == told_memories(whole), f"killed at step {step}"
        assert leftovers(found) == [] and ".holdfast/state/erasing.json" not in found, f"killed at step {step}"
        assert held(found) <= held(whole), f"killed at step {step}"


@pytest.mark.parametrize("command", REMOVALS, ids=lambda command: command[0])
def test_a_removal_that_was_killed_is_finished_by_heal(told, killed, command):
    """Wherever it is killed, `heal` leaves all of it done or nothing, and no statement that only lost its words."""
    before, whole, runs = killed(command, ["heal", "--yes"])
    for step, code, found in runs:
        assert code == 0 and leftovers(found) == [] and ".holdfast/state/erasing.json" not in found
        assert told_memories(found) in (told_memories(before), told_memories(whole)), f"killed at step {step}"
        if told_memories(found) == told_memories(whole) != told_memories(before):
            assert held(found) <= held(whole), f"killed at step {step}"


@pytest.mark.parametrize("after", ["undo", "status"])
def test_an_undo_that_was_killed_is_finished_or_was_not_begun(two, cli, killed, after):
    """Wherever it is killed, all files are as before the act or as the act left them, and another undo can undo it."""
    assert cli("move", "apple", "--key", "fruit").code == 0
    id = cli("updates", "--json").json["updates"][0]["id"]
    command = ["updates", "undo", id, "--yes"]
    before, whole, runs = killed(command, command if after == "undo" else [after])
    for step, code, found in runs:
        assert leftovers(found) == [] and ".holdfast/state/undoing.json" not in found, f"killed at step {step}"
        allowed = [memories(whole)] if after == "undo" else [memories(before), memories(whole)]
        assert memories(found) in allowed and (code == 0 or after == "undo"), f"killed at step {step}"
        records = [json.loads(text) for path, text in found.items() if "/updates/" in path and path.endswith(".json")]
        undone = [one for one in records if id in one["undoes"]]
        assert bool(undone) == (memories(found) == memories(whole)), f"killed at step {step}"


def test_a_sync_that_was_killed_is_done_by_the_next_one(told, cli, killed):
    """Wherever it is killed, the next sync succeeds, every memory is there, and nothing of it is left half-written."""
    assert cli("sync", "init", "../stick").code == 0 and cli("sync").code == 0
    assert cli("forget", "all", "--yes").code == 0
    assert cli("remember", "The printer is on floor three.", "--key", "printer").code == 0
    before, whole, runs = killed(["sync"])
    for step, code, found in runs:
        assert (code, leftovers(found)) == (0, []), f"killed at step {step}"
        assert memories(found) == memories(whole), f"killed at step {step}"
        assert not [path for path in found if "/tmp_" in path or path.endswith(".lock")], f"killed at step {step}"
        assert {path for path in held(found) if "memories/all" in path} == set(), f"killed at step {step}"
    assert told_memories(whole) == told_memories(before)
