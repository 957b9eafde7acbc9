"""Whatever is stored and however files are called, what a command prints steers no terminal and hides nothing."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

import holdfast
from holdfast.base import terminal
from holdfast.surfaces.cli.command_line import COMMANDS
from support.command_line import program
from support.swept import line, transcript
from support.swept import write as write_transcript

# A title, a screen that is cleared, a link, a C1 control, turned text, hidden letters, a tag letter and markup.
EVIL = (
    "\x1b]0;owned\x07\x1b[2J\x1b]8;;http://evil.test\x1b\\x\x1b]8;;\x1b\\ \x9b31m\x90q\x9c \u202egnp.exe\u2066 "
    "a\u200bb\u3164c\ue0001\U000e0041 \x08\x08\x7f [red]loud[/red] \r gone"
)
NAME = "evil\x1b[31m\u202e\x9b2J"
# Everything that a terminal obeys or that nobody sees, but for the looks that are ours: bold, dim, red, cyan.
OURS = re.compile(r"\x1b\[(?:0|1|2|31;1|36)m")
OBEYED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\u3164\U000e0000-\U000e0fff]"
)

# One or more lines for every command of the table. HOSTILE is a word that an argument echoes, HUB the address of a hub.
LINES = {
    "up": ["up"],
    "remember": ["remember HOSTILE"],
    "recall": ["recall quokka", "recall quokka --explain", "recall HOSTILE"],
    "list": ["list", "list --json", "list --tag HOSTILE"],
    "show": ["show quokka", "show quokka --json", "show HOSTILE"],
    "edit": ["edit quokka"],
    "forget": ["forget quokka --dry-run", "forget HOSTILE --dry-run"],
    "sessions": [
        "sessions",
        "sessions show aaa",
        "sessions show aaa --raw",
        "sessions search quokka",
        "sessions HOSTILE",
    ],
    "catch-up": ["catch-up"],
    "install": ["install", "install claude-code --dry-run", "install HOSTILE"],
    "status": ["status"],
    "related": ["related quokka"],
    "history": ["history quokka"],
    "merge": ["merge quokka HOSTILE --dry-run", "merge HOSTILE quokka"],
    "pin": ["pin quokka", "pin HOSTILE"],
    "unpin": ["unpin quokka"],
    "move": ["move quokka --to global --dry-run", "move HOSTILE"],
    "clear": ["clear --scope global --dry-run"],
    "import": ["import --dry-run", "import --from HOSTILE"],
    "proposals": ["proposals", "proposals HOSTILE"],
    "confirm": ["confirm", "confirm HOSTILE"],
    "when": ["when", "when HOSTILE"],
    "replay": ["replay --project HOSTILE", "replay"],
    "tokens": ["tokens", "tokens new HOSTILE", "tokens revoke HOSTILE", "tokens"],
    "serve": ["serve --public-url HOSTILE", "serve --host HOSTILE"],
    "receipts": ["receipts"],
    "preview": ["preview", "preview --prompt HOSTILE", "preview --after-compaction --json"],
    "sweep": ["sweep --dry-run", "sweep"],
    "schedule": ["schedule --dry-run", "schedule HOSTILE"],
    "timeline": ["timeline"],
    "activity": ["activity"],
    "project": ["project", "project list"],
    "todo": ["todo", "todo add HOSTILE", "todo"],
    "decide": ["decide HOSTILE --because HOSTILE", "decide"],
    "work": ["work", "work HOSTILE"],
    "distil": ["distil --dry-run"],
    "lesson": ["lesson HOSTILE", "lesson"],
    "fixes": ["fixes", "fixes reject HOSTILE"],
    "rate": ["rate", "rate HOSTILE"],
    "harvest": ["harvest --dry-run"],
    "patterns": ["patterns", "patterns HOSTILE"],
    "measure": ["measure"],
    "synthesis": ["synthesis"],
    "research": ["research"],
    "security": ["security"],
    "doctor": ["doctor"],
    "lint": ["lint"],
    "erase": ["erase --memory quokka --dry-run", "erase --file HOSTILE"],
    "heal": ["heal --dry-run", "heal --yes"],
    "tidy": ["tidy --dry-run"],
    "prune": ["prune --dry-run"],
    "allow": ["allow --dry-run", "allow HOSTILE", "allow --yes"],
    "deny": ["deny HOSTILE", "deny"],
    "audit": ["audit HOSTILE", "audit ."],
    "export": ["export HOSTILE"],
    "native": ["native", "native keep HOSTILE"],
    "team": ["team", "team promote HOSTILE --reason x", "team withdraw HOSTILE --reason x", "team check"],
    "hub": [
        "hub doctor",
        "hub share quokka --team HOSTILE --reason HOSTILE --scope global",
        "hub withdraw HOSTILE --team HOSTILE --reason HOSTILE",
        "hub sync",
        "hub trace HOSTILE --team HOSTILE",
        "hub join HUB --token x",
        "hub leave",
        "hub join HOSTILE --token x",
        "hub doctor HOSTILE",
        "hub migrate HOSTILE",
        "hub HOSTILE",
    ],
    "sync": ["sync init HOSTILE", "sync status", "sync", "sync leave"],
    "reindex": ["reindex"],
    "updates": ["updates", "updates undo HOSTILE"],
    "config": ["config", "config set HOSTILE 1", "--set HOSTILE list"],
    "uninstall": ["uninstall claude-code --dry-run"],
    "plugin": ["plugin HOSTILE"],
    "mcp": ["mcp"],
    "init": ["init"],
    "demo": ["demo HOSTILE"],
    "completion": ["completion bash", "completion HOSTILE"],
    "bench": ["bench HOSTILE"],
}


class HostileHub(BaseHTTPRequestHandler):
    """A hub that answers with hostile text wherever there is text, and refuses what is sent."""

    def do_GET(self) -> None:
        given = {"person": EVIL, "version": 1, "at": EVIL, "kind": EVIL, "owner": EVIL}
        self.answer(200, {"organisation": EVIL, "person": EVIL, "rights": [EVIL], "teams": [EVIL], "given": [given]})

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        if self.path.endswith("changes"):
            self.answer(200, {"teams": {}})
        else:
            self.answer(422, {"detail": EVIL, "hint": EVIL})

    def answer(self, status: int, told: object) -> None:
        data = json.dumps(told).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *told: object) -> None:
        """Print nothing."""


@pytest.fixture(scope="module")
def hostile_hub() -> Iterator[str]:
    """Return the address of a hostile hub."""
    with ThreadingHTTPServer(("127.0.0.1", 0), HostileHub) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def hostile(tmp_path_factory, hostile_hub: str) -> dict[str, str]:
    """A home full of hostile text and file names, and the environment of a person who looks at it."""
    person = tmp_path_factory.mktemp("hostile")
    shop = person / NAME
    git = shop / ".git"
    for folder in ("objects", "refs"):
        (git / folder).mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    (git / "config").write_text('[remote "origin"]\n\turl = https://example.com/acme/shop.git\n')
    home = person / ".holdfast"
    environment = {**os.environ, "HOME": str(person), "HOLDFAST_HOME": str(home), "TERM": "xterm", "EDITOR": "true"}
    environment |= {"PYTHONPATH": os.path.dirname(os.path.dirname(holdfast.__file__)), "WHERE": str(shop)}
    environment |= {"HUB": hostile_hub}
    memories = home / "memory" / "global" / "memories"
    memories.mkdir(parents=True, mode=0o700)
    (memories / "quokka.md").write_text(f'---\ntags: ["{EVIL!r}", "a\u202eb"]\n---\nThe quokka {EVIL}\n\nmore {EVIL}\n')
    (memories / f"{NAME}.md").write_text(f"A name that is hostile: {EVIL}\n")
    with open(os.fsencode(memories) + b"/not-\xff\x9b-utf8.md", "wb") as file:
        file.write(b"\xff\xfe quokka \x1b[2J\n")
    (shop / "memory" / "memories" / NAME).mkdir(parents=True)
    (shop / "memory" / "memories" / NAME / f"{NAME}.md").write_text(f"The wallaby {EVIL}\n")
    with open(os.fsencode(shop / "memory" / "memories") + b"/not-\xff\x9b-utf8.md", "wb") as file:
        file.write(b"\xff\xfe wallaby \x1b[2J\n")
    talk = [
        line("aaa", 1, "user", f"Please mend the quokka {EVIL}", cwd=str(shop), gitBranch=EVIL),
        line("aaa", 2, "assistant", [{"type": "text", "text": f"Lesson: never {EVIL}"}], cwd=str(shop)),
        line("aaa", 3, "user", f"3/10, that was wrong again {EVIL}", cwd=str(shop)),
    ]
    write_transcript(transcript(person, "aaa"), talk)
    for words in (
        ["hub", "join", hostile_hub, "--token", "x"],
        ["sweep"],
        ["harvest"],
        ["todo", "add", EVIL],
        ["decide", EVIL, "--because", EVIL],
    ):
        program(*words, environment=environment, folder=shop)
    return environment


def printed(words: list[str], environment: dict[str, str], *, on_terminal: bool) -> str:
    """Return all that a command printed, on a terminal or into a pipe."""
    where = {"environment": environment, "folder": Path(environment["WHERE"])}
    return program(*words, **where, columns=80 if on_terminal else 0).out


def seen(command: list[str], **more: object) -> str:
    """Return all that a program shows on a terminal."""
    leader, follower = pty.openpty()
    process = subprocess.Popen(command, stdout=follower, stderr=follower, **more)
    os.close(follower)
    data = b""
    try:
        while piece := os.read(leader, 65_536):
            data += piece
    except OSError:
        pass  # The other end is closed and everything was read.
    os.close(leader)
    process.wait()
    return data.decode().replace("\r\n", "\n")


def test_every_command_has_a_line() -> None:
    """A new command is not forgotten here."""
    assert set(LINES) == set(COMMANDS)


@pytest.mark.parametrize("name", LINES)
def test_no_command_lets_stored_text_steer_a_terminal(name: str, hostile: dict[str, str]) -> None:
    """On a terminal and into a pipe, answers, hints, errors and echoed arguments have no byte that a terminal obeys."""
    for place, words in enumerate(LINES[name]):
        given = [{"HOSTILE": EVIL, "HUB": hostile["HUB"]}.get(word, word) for word in words.split()]
        shown = printed(given, hostile, on_terminal=place == 0)
        assert not (found := OBEYED.findall(OURS.sub("", shown))), (words, found, shown)


def test_hidden_text_is_seen(hostile: dict[str, str]) -> None:
    """What would have been obeyed stands there written out, and markup is plain text."""
    shown = printed(["show", "quokka"], hostile, on_terminal=True)
    assert "\\u001b[2J" in shown and "\\u202egnp.exe" in shown and "[red]loud[/red]" in shown


def test_json_means_the_same(hostile: dict[str, str]) -> None:
    """A document of `--json` has no such byte either, and still means what is stored."""
    shown = printed(["show", "quokka", "--json"], hostile, on_terminal=False)
    assert not OBEYED.search(shown)
    assert "\x1b]0;owned\x07" in json.loads(shown)["body"] and "\u202egnp.exe" in json.loads(shown)["body"]


def test_raw_is_the_file_itself_but_not_on_a_terminal(hostile: dict[str, str]) -> None:
    """`show --raw` hands a program every byte; a terminal is not given them."""
    path = Path(hostile["HOLDFAST_HOME"], "memory/global/memories/quokka.md")
    command = [sys.executable, "-m", "holdfast", "show", "quokka", "--raw"]
    ended = subprocess.run(command, env=hostile, cwd=hostile["WHERE"], capture_output=True, check=True)
    assert ended.stdout == path.read_bytes()
    assert not OBEYED.search(OURS.sub("", printed(["show", "quokka", "--raw"], hostile, on_terminal=True)))


def test_a_traceback_is_harmless(tmp_path: Path) -> None:
    """An error that nobody foresaw is told through the same stream."""
    code = f"from holdfast.base import terminal; terminal.protect(); raise RuntimeError({EVIL!r})"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "RuntimeError" in ended.stderr and not OBEYED.search(ended.stderr)


def test_the_bar_says_stored_names_harmlessly() -> None:
    """What a bar on a terminal says of a file has no escape of the file's own, and no markup."""
    code = (
        "from holdfast.base import terminal; terminal.protect()\n"
        "from holdfast.surfaces.cli.output import Bar\n"
        f"bar = Bar('reading'); bar.show(1, 2, {EVIL!r}); bar.say({EVIL!r}); bar.stop()"
    )
    text = seen([sys.executable, "-c", code], env={**os.environ, "TERM": "xterm", "COLUMNS": "300"})
    assert "owned" in text and "\x1b]" not in text and "\x9b" not in text and "\u202e" not in text
    assert "[red]loud" in text


@pytest.mark.parametrize(
    "text",
    ["Grüße, 你好, привет, שלום, مرحبا, नमस्ते, สวัสดี", "👨‍👩‍👧 می‌خواهم क्‍ष 1️⃣ ❤️ ⚠️", "a\tb\nc", "± × → “ ” … U+00A0:\xa0."],
)
def test_text_in_any_script_stays_as_it_is(text: str) -> None:
    """Letters, joiners that a script needs, emoji and their looks, tabs and line ends are shown as they are."""
    assert terminal.harmless(text) == text


def test_no_command_prints_around_the_stream() -> None:
    """Nobody styles by escapes, writes to the bytes below a stream or to a descriptor; two programs speak a protocol.

    The stream itself takes the place of the process's first ones.
    """
    source = Path(holdfast.__file__).parent
    around = re.compile(r"click\.(?:style|secho)\b|std(?:out|err)\.buffer|__std(?:out|err)__|os\.write\([12],")
    allowed = {"surfaces/hook/main.py", "sessions/read_ahead.py", "base/terminal.py"}
    found = {str(path.relative_to(source)) for path in source.rglob("*.py") if around.search(path.read_text())}
    assert found - allowed == set()
