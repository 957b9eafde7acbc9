"""A home that the code of November 2026 made is read whole: every answer that it gave then is still given."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import tarfile
from pathlib import Path

import pytest

from fixtures.old_home import reading
from surfaces.hook.conftest import Hook

HERE = Path(reading.__file__).parent
SAID: dict[str, dict[str, object]] = json.loads((HERE / "said.json").read_text(encoding="utf-8"))
# Where the home was made; its sessions and installs name files there.
MADE_IN = "/tmp/fixture"
SHOP = "example.com--acme--shop"
LISTED = "sessions --subagents --everywhere --json"
JUDGED = (".document.rules", ".document.outcome", ".document.commands")
OF_A_DIGEST = re.compile(r"\.document\.hits: \{(?:(?! is not among ).)*'speaker': 'digest'")
# Passages beyond two of a session stand behind those of others now: one that was the tenth is the eleventh.
MORE = {"sessions search 'rounding of prices' --json": ["--limit", "11"]}
# What is derived from the files, and may be asked again when the index is gone.
DERIVED = ("list", "recall", "sessions", "timeline", "activity", "status", "patterns", "work", "lesson", "measure")


def unpack(folder: Path) -> Path:
    """Lay the home, with the person's files and the code, below a folder."""
    with tarfile.open(HERE / "home.tar.gz") as archive:
        archive.extractall(folder, filter="tar")
    # The records of what was written outside the home name the place: it stands here now.
    for record in (folder / "home" / "installs.json", *(folder / "home" / "patterns").rglob("*.*")):
        record.write_text(record.read_text().replace(MADE_IN, str(folder)))
    return folder


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory) -> Path:
    """The home as it was made, for tests that only read."""
    return unpack(tmp_path_factory.mktemp("old"))


@pytest.fixture
def settle(monkeypatch):
    """Live on the machine below a folder: its person, its home, in its shop."""

    def make(root: Path) -> Path:
        monkeypatch.setenv("HOME", str(root / "person"))
        monkeypatch.setenv("HOLDFAST_HOME", str(root / "home"))
        monkeypatch.chdir(root / "code" / "shop")
        return root

    return make


@pytest.fixture
def old(tmp_path, settle) -> Path:
    """The home as it was made, for a test that changes it."""
    return settle(unpack(tmp_path / "old"))


@pytest.fixture
def lost(cli):
    """Run a command of the list; return what it said once and does not say now."""

    def ask(root: Path, command: str) -> list[str]:
        words = shlex.split(command) + MORE.get(command, [])
        ended = cli(*words)
        assert ended.code == SAID[command]["code"], ended
        out = ended.out.replace(str(root), reading.ROOT).replace(MADE_IN, reading.ROOT)
        return reading.lost(SAID[command], reading.answer(words, ended.code, out))

    return ask


@pytest.mark.parametrize("command", SAID)
def test_a_reading_command_says_what_it_said(unpacked, settle, lost, command):
    """Whatever the old code told of this home is told now; more may be."""
    assert lost(settle(unpacked), command) == []


def test_without_index_and_state_the_files_say_the_same(old, lost):
    """The index and the state are made anew from the files of the old home."""
    (old / "home" / "index.db").unlink()
    shutil.rmtree(old / "home" / "state")
    asked = [command for command in SAID if command.replace("--set recall.count_use=no ", "").startswith(DERIVED)]
    assert len(asked) > 50
    assert {command: told for command in asked if (told := lost(old, command))} == {}


def test_reindexing_loses_nothing(old, cli, lost):
    """After a reindex, also of vectors, memories and sessions are found as before."""
    assert cli("reindex").code == 0 and cli("reindex", "--meaning").code == 0
    asked = [command for command in SAID if "recall" in command or command.startswith(("list", "sessions"))]
    assert {command: told for command in asked if (told := lost(old, command))} == {}


def test_sweeping_and_harvesting_again_add_nothing(old, cli, lost, tree):
    """Transcripts that were swept before are known, also without cursors, and what was forgotten stays so.

    Only the judge, which the old code had not, proposes what was said of late; a second time not even it.
    """
    (old / "home" / "state" / "transcripts.db").unlink()
    (old / "home" / "state" / "harvested").unlink()
    learned = ("learning/system", "learning/algorithm", "learning/failures", "learning/signals")
    parts = (*learned, "research", "security", "patterns", "proposals", "archive/pins.txt", "archive/forgotten.txt")
    before = {part: tree(old / "home" / part) for part in parts}
    assert cli("sweep", "--json").code == 0 and cli("harvest", "--all", "--json").code == 0
    after = {part: tree(old / "home" / part) for part in parts}
    judged = {name: file for name, file in after["proposals"].items() if b"\nsource: judge\n" in file[1]}
    assert after == {**before, "proposals": before["proposals"] | judged}
    assert set(judged) <= {"9c666a48.md", "b3f43f9b.md", "f802520b.md"} and judged.keys().isdisjoint(
        before["proposals"]
    )
    assert cli("sweep", "--json").code == 0 and cli("harvest", "--all", "--json").code == 0
    assert {part: tree(old / "home" / part) for part in parts} == after
    asked = [command for command in SAID if command.startswith(("sessions", "rate", "lesson", "work", "proposals"))]
    # A digest is made anew by newer rules, which may judge otherwise how a session ended, and tell a command by its
    # error or its commit alone: the passage that a search finds of the digest has other words then.
    listed = [row["id"] for row in json.loads(cli("sessions", "--subagents", "--everywhere", "--json").out)["sessions"]]
    assert listed == [row["id"] for row in SAID[LISTED]["document"]["sessions"]]
    asked.remove(LISTED)
    gone = {command: [one for one in lost(old, command) if not one.startswith(JUDGED)] for command in asked}
    reworded = {command for command, told in gone.items() if told and all(map(OF_A_DIGEST.match, told))}
    assert {command: told for command, told in gone.items() if told and command not in reworded} == {}
    for command in reworded:
        found = {(hit["session"], hit["event"]) for hit in cli(*shlex.split(command)).json["hits"]}
        assert found >= {(hit["session"], hit["event"]) for hit in SAID[command]["document"]["hits"]}
    for command in asked:
        if command.startswith("sessions show") and "--raw" not in command:
            now = cli(*shlex.split(command)).json
            texts = {one["text"] for one in now["commands"]} | {one["about"] for one in now["troubles"]}
            places = {one["place"] for one in now["commits"]}
            was = SAID[command]["document"]["commands"]
            assert [one for one in was if one["text"] not in texts and one["place"] not in places] == []


def test_doctor_and_lint_find_the_home_sound(old, cli):
    """The files need no repair. Settings that no longer exist and hooks that nobody trusted may be mentioned."""
    assert {one["kind"] for one in cli("doctor", "--json").json["problems"]} <= {"setting", "bytecode", "git", "agent"}
    assert {one["severity"] for one in cli("lint", "--json").json["problems"]} == {"warning"}


def test_writing_goes_on_where_the_old_code_stopped(old, cli):
    """History, pages, numbers and decisions of the old home are carried on."""
    cli("remember", "Deploys need two people.", "--key", "deploys")
    assert len(cli("history", "deploys", "--json").json["statements"]) == 3
    assert cli("todo", "add", "Sweep the floor", "--json").json["todos"][0]["number"] == 6
    assert cli("decide", "Close at noon", "--json").json["decision"]["id"] == "D4"
    assert cli("remember", "The old printer jams on Mondays.", "--key", "old-printer", "--trust", "import").code == 6
    assert cli("proposals", "approve", "--all").code == 0
    assert cli("sessions", "forget", "b0000000", "--yes").code == 0


def test_agents_are_still_installed(old, cli):
    """The record of the old installs is known: nothing is left to do, and what was put in can be taken out."""
    for agent in ("claude-code", "codex"):
        assert cli("uninstall", agent, "--verify", "--yes").code == 0
    assert not [
        path for path in (old / "person").rglob("*.*") if path.is_file() and b"holdfast-hook" in path.read_bytes()
    ]


def test_hooks_hand_over_what_the_old_home_knows(old):
    """A start closes what was left open and gives memories, lessons and pages; a prompt gives what fits."""
    hook = Hook(old / "home", old / "code" / "shop")
    start = hook.start("cc000000-0000-4000-8000-000000000001").text
    for words in ("Answer in British English.", "bastion host in Cork", "you deleted my price migration again"):
        assert words in start
    state = (old / "home" / "memory" / "projects" / SHOP / "buffer.md").read_text()
    assert "(cut off; log/2026-11-13.md)" in state and "(cut off; log/2026-11-14.md)" in state
    assert all(
        words in state for words in ("one table for all baskets", "Write the migration", "Who owns the reports?")
    )
    prompt = hook.prompt("Which firmware does the card reader need?", "cc000000-0000-4000-8000-000000000002").text
    assert "firmware 4.2" in prompt
    assert [line for line in hook.log() if "there is no setting" not in line] == []


def test_the_lessons_of_the_old_page_are_its_memories(old, cli, lost, tree):
    """A sweep ties each row to the memory that says it and marks the table; done again, it changes nothing."""
    page = old / "home" / "memory" / "projects" / SHOP / "lessons.md"
    before = page.read_bytes()
    assert "Run the migration" in cli("heal", "--dry-run", "--json").out and page.read_bytes() == before
    assert cli("sweep").code == 0 and lost(old, "lesson --all --json") == []
    assert "<!-- holdfast:begin lessons -->\n| Id |" in page.read_text()
    listed = {one["id"]: one["key"] for one in cli("lesson", "--json").json["lessons"]}
    assert listed["L1"] == "run-the-migration-before-the-deploy-46fc7599" and len(listed) == 3
    assert cli("show", listed["L1"], "--json").json["body"].endswith("deploy\n\nWhy: the deploy of May broke")
    memories = tree(old / "home" / "memory")
    (old / "home" / "state" / "retention").unlink(missing_ok=True)
    assert cli("heal", "--yes").code == 0 and tree(old / "home" / "memory") == memories
    assert cli("lesson", "Close the till at noon", "--json").json["lesson"]["id"] == "L3"
    assert cli("lesson", "withdraw", "L3").code == 0 and cli("forget", "l3-close-the-till-at-noon", "--yes").code == 0


def test_the_way_back_leaves_the_old_page_alone(old, cli):
    """What adopted the page is one act; undone, the page and the memories are as they were, and stay so."""
    page = old / "home" / "memory" / "projects" / SHOP / "lessons.md"
    memory = page.parent / "memories" / "run-the-migration-before-the-deploy-46fc7599.md"
    before = page.read_bytes(), memory.read_bytes()
    assert cli("heal", "--yes").code == 0 and page.read_bytes() != before[0]
    acts = cli("updates", "--json").json["updates"]
    (adopted,) = [one["id"] for one in acts if one["command"] == "adopt" and "lessons.md" in str(one["files"])]
    assert cli("updates", "undo", adopted, "--yes").code == 0
    assert (page.read_bytes(), memory.read_bytes()) == before
    assert cli("heal", "--yes").code == 0 and page.read_bytes() == before[0]
