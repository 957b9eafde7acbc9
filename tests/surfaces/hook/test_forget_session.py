"""A session that is forgotten leaves no word anywhere in the home, whatever the real hooks, sweep and harvest kept."""

from __future__ import annotations

import json
import time
from pathlib import Path

import zstandard

# A word that nothing but the session says, and one that the person asked to remember.
RARE, OTHERS, WANTED = "zyxquagga", "xynumbat", "wobbegong"
ID = "0f5c3a52-7a35-4d5e-9a0e-3d1f6f1f0001"
OTHER = "0f5c3a52-7a35-4d5e-9a0e-3d1f6f1f0002"


class Agent:
    """One session as an agent lives it: each thing is told to the hooks and written into a transcript."""

    def __init__(self, hook, person: Path, session: str, minute: int) -> None:
        self.hook, self.session, self.minute = hook, session, minute
        self.path = person / ".claude" / "projects" / "-shop" / f"{session}.jsonl"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.touch()
        self.number = 0

    def line(self, kind: str, content: object, path: Path | None = None, **fields: object) -> None:
        """Add a line to the transcript, of a moment of today."""
        self.number += 1
        message = {"role": kind, "content": content}
        if kind == "assistant":
            message |= {"id": f"m{self.number}", "model": "claude-x-1"}
        at = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(time.time() - 3_000 + self.minute * 60 + self.number))
        told = {
            **{"type": kind, "uuid": f"{self.session}-{self.number}", "sessionId": self.session, "message": message},
            **{"timestamp": f"{at}.000Z", "cwd": str(self.hook.folder), "gitBranch": "main", "version": "2.1.0"},
            **{"isSidechain": False, **fields},
        }
        with (path or self.path).open("a") as file:
            file.write(json.dumps(told) + "\n")

    def tell(self, event: str, **more: object) -> None:
        """Run a hook; it must end well."""
        assert self.hook(event, self.session, transcript_path=str(self.path), **more).code == 0

    def says(self, text: str) -> None:
        """The person says something."""
        self.line("user", text)
        self.tell("UserPromptSubmit", prompt=text)

    def calls(self, tool: str, given: dict[str, str], error: str = "") -> None:
        """The agent calls a tool, which ends well or with an error."""
        use = {"type": "tool_use", "id": f"t{self.number}", "name": tool, "input": given}
        result = {"type": "tool_result", "tool_use_id": use["id"], "content": error or "ok", "is_error": bool(error)}
        self.line("assistant", [use])
        self.line("user", [result])
        event, more = ("PostToolUseFailure", {"error": error}) if error else ("PostToolUse", {})
        self.tell(event, tool_name=tool, tool_input=given, **more)

    def answers(self, text: str) -> None:
        """The agent says something and rests."""
        self.line("assistant", [{"type": "text", "text": text}])
        self.tell("Stop", last_assistant_message=text)


def lived(hook, person: Path, word: str, session: str, minute: int) -> Agent:
    """Live a session that says a word in every way that is kept anywhere."""
    one = Agent(hook, person, session, minute)
    shop = hook.folder
    one.tell("SessionStart", source="startup")
    one.says(f"Let's go with {word} as the queue, not Redis.")
    one.says(f"Add a {word} switch to the settings page, make sure the tests pass and don't touch {word}.toml")
    plan = {"todos": [{"content": f"write the {word} view", "status": "completed"}]}
    one.calls("TodoWrite", plan)
    one.calls("Edit", {"file_path": str(shop / f"{word}.py"), "old_string": "a", "new_string": f"b {word}"})
    failure = f"Exit code 1\nModuleNotFoundError: No module named '{word}'"
    one.calls("Bash", {"command": f"pytest -q {word}"}, failure)
    one.calls("Bash", {"command": f"pip install {word}"})
    one.calls("Bash", {"command": f"pytest -q {word}"})
    one.calls("Bash", {"command": f"rm -rf /var/lib/{word}"})
    one.calls("Bash", {"command": f"git commit -am 'Add the {word} switch'"})
    one.tell("SubagentStop", agent_id="a1", last_assistant_message=f"I looked: the {word} view is in three places.")
    one.tell("PreCompact", trigger="auto")
    steps = f"- [ ] document the {word} switch\n- [ ] run the linter\n"
    one.answers(f"The {word} switch is there and tested.\n\nNext steps:\n{steps}")
    one.says(f"it still fails when I reload the {word} page")
    one.says(f"2 - you deleted my {word} migration again, never do that")
    one.answers(f"Sorry, the {word} migration is back.")
    one.says("done, works now")
    one.answers("Good.")
    one.tell("SessionEnd", reason="exit")
    return one


def words_of(path: Path) -> bytes:
    """Return the bytes of a file, decompressed where it is a raw one; nothing for a folder."""
    data = path.read_bytes() if path.is_file() else b""
    if path.suffix == ".zst":
        data = zstandard.ZstdDecompressor().stream_reader(data, read_across_frames=True).read()
    return data


def saying(home: Path, word: str) -> list[str]:
    """Return every file and folder of the home that says a word, whatever its letters, by bytes or by name."""
    names = {str(path.relative_to(home)): path for path in sorted(home.rglob("*"))}
    return [name for name, path in names.items() if word in name or word.encode() in words_of(path).lower()]


def taken_in(cli) -> None:
    """Do what happens after sessions: sweep, harvest, and what is made of both."""
    for words in (["sweep"], ["harvest", "--all"], ["synthesis"], ["distil"], ["patterns"]):
        ended = cli(*words)
        assert ended.code == 0, (words, ended)


def places(names: list[str]) -> set[str]:
    """Return the stores that these files are of."""
    return {
        "/".join(name.split("/")[:2]) if name.startswith(("learning", "archive")) else name.split("/")[0]
        for name in names
    }


STORES = {
    *("archive/raw", "archive/digests", "archive/signals", "index.db", "journal", "memory", "proposals", "research"),
    *("learning/failures", "learning/system", "learning/signals", "learning/synthesis", "security", "state", "work"),
}


def test_no_word_of_a_forgotten_session_is_left(hook, cli, home, machine):
    """Whatever hooks, sweep and harvest kept of a session goes with it, and a dry run names it and changes nothing."""
    home.mkdir()
    lived(hook, machine, RARE, ID, 0)
    taken_in(cli)
    before = saying(home, RARE)
    assert places(before) >= STORES
    plan = cli("sessions", "forget", ID, "--dry-run", "--json").json["plan"]
    assert saying(home, RARE) == before
    targets = "\n".join(step["target"] for step in plan)
    assert all(f"{one}/" in targets for one in ("work", "journal", "memory", "proposals", "security", "state/open"))
    ended = cli("sessions", "forget", ID, "--yes")
    assert ended.code == 0 and "stays" not in ended.err, ended
    assert saying(home, RARE) == []
    assert cli("sweep").code == 0 and cli("harvest", "--all").code == 0
    assert saying(home, RARE) == []


def test_what_another_session_said_stays(hook, cli, home, machine):
    """Of two sessions that did the like, nothing of the forgotten one is left, and nothing of the other one is lost."""
    home.mkdir()
    lived(hook, machine, RARE, ID, 0)
    taken_in(cli)
    lived(hook, machine, OTHERS, OTHER, 20)
    taken_in(cli)
    before = saying(home, OTHERS)
    # The newer proposal took the place of the older one, which an undo would bring back.
    assert [name for name in saying(home, RARE) if name.startswith("updates/") and name.endswith(".json")]
    (page,) = (home / "memory" / "projects").glob("*/buffer.md")
    assert "run the linter" in page.read_text()
    ended = cli("sessions", "forget", ID, "--yes")
    assert ended.code == 0, ended
    assert saying(home, RARE) == []
    assert places(saying(home, OTHERS)) == places(before) and "run the linter" in page.read_text()


def test_what_a_person_wanted_stays_and_is_told(hook, cli, home, machine):
    """A memory that was asked for and words that a person wrote on a page stay, and the command says where."""
    home.mkdir()
    one = lived(hook, machine, RARE, ID, 0)
    one.says(f"Remember that the {WANTED} port is 4711.")
    taken_in(cli)
    page = sorted((home / "memory" / "projects").glob("*/log/*.md"))[-1]
    page.write_text(page.read_text() + "\nMy own note about the party.\n")
    ended = cli("sessions", "forget", ID, "--yes")
    assert ended.code == 0 and saying(home, RARE) == []
    assert "My own note about the party." in page.read_text()
    assert f"stays: {page.relative_to(home)}" in ended.err
    assert [line for line in ended.err.splitlines() if line.startswith("stays: ") and "a memory" in line]


def test_a_page_of_the_person_that_says_the_same_is_named(hook, cli, home, machine):
    """A to-do in words that the session said, too, is the person's: it alone stays, and plan and end name it."""
    home.mkdir()
    lived(hook, machine, RARE, ID, 0)
    taken_in(cli)
    (folder,) = (home / "memory" / "projects").iterdir()
    (folder / "todo.md").write_text(f"# To do\n\n- [ ] document the {RARE} switch\n")
    place = str((folder / "todo.md").relative_to(home))
    plan = cli("sessions", "forget", ID, "--dry-run", "--json").json["plan"]
    assert [step["target"] for step in plan if step["act"] == "keep"] == [place]
    ended = cli("sessions", "forget", ID, "--yes")
    assert ended.code == 0 and f"stays: {place}" in ended.err and saying(home, RARE) == [place]


def test_lines_that_made_room_in_the_buffer_go(hook, cli, home, machine):
    """What a long session said goes from the log, too, where it stands because the buffer was full; the rest stays."""
    home.mkdir()
    for number in range(24):
        hook.prompt(f"Use {OTHERS} {number} instead of the {number}. queue.", OTHER)
        hook.prompt(f"Use {RARE} {number} instead of the {number}. queue.", ID)
    lived(hook, machine, RARE, ID, 0)
    taken_in(cli)
    pages = [path.read_text() for path in (home / "memory").rglob("log/*.md")]
    assert any("Made room in the buffer" in text and f"{RARE} 1 instead" in text for text in pages)
    assert cli("sessions", "forget", ID, "--yes").code == 0
    assert saying(home, RARE) == []
    assert any(f"{OTHERS} 1 instead" in path.read_text() for path in (home / "memory").rglob("log/*.md"))
