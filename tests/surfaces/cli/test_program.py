"""The program as a process: pipes, signals, terminals, completion, encodings."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time

import pytest

from holdfast.surfaces.cli.output import Progress
from support.command_line import program
from support.forking import Program

HOLDFAST = [sys.executable, "-m", "holdfast"]


def run(*words: str, **more) -> subprocess.CompletedProcess:
    """Start the program as a process of its own."""
    return subprocess.run([*HOLDFAST, *words], capture_output=True, text=True, check=False, **more)


def forked(words: list[str], stream: int, environment=None) -> Program:
    """Run the program with this stream for everything, where its start is not what is looked at."""
    given = os.environ if environment is None else environment
    return Program(words, env=dict(given), cwd=os.getcwd(), stdin=stream, stdout=stream, stderr=stream)


def on_a_terminal(words: list[str], answer: bytes = b"", environment=None) -> tuple[int, str]:
    """Run the program on a terminal, answer its question, and return its exit code and all that it showed."""
    leader, follower = pty.openpty()
    process = forked(words, follower, environment)
    os.close(follower)
    shown = b""
    os.write(leader, answer)
    while select.select([leader], [], [], 300)[0]:
        try:
            data = os.read(leader, 4096)
        except OSError:
            break
        if not data:
            break
        shown += data
    os.close(leader)
    return process.wait(), shown.decode()


@pytest.fixture
def many(write, shop):
    """So many memories that a list does not fit into a pipe."""
    for number in range(900):
        write(
            f"global/memories/apple-{number}.md", f"Apple number {number} has a title that is long enough to count.\n"
        )


def test_a_reader_that_goes_away(many) -> None:
    """`holdfast list | head -1` is quiet, and no fault."""
    forked(["list"], subprocess.DEVNULL).wait()
    line = f'{" ".join(HOLDFAST)} list --all | head -1; echo "${{PIPESTATUS[0]}}"'
    ended = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False)
    first, code = ended.stdout.splitlines()
    assert first.startswith("apple-") and code == "0" and ended.stderr == ""


def test_interrupted(shop) -> None:
    """Ctrl-C ends with 130 and one line, not with a traceback."""
    # A run in the background inherits that Ctrl-C is ignored; a person's shell does not.
    process = subprocess.Popen(
        [*HOLDFAST, "remember"],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    process.stdin.write("Apples")
    process.stdin.flush()
    # When it has read that, it is at work and waits for the rest.
    while process.poll() is None and any(fcntl.ioctl(process.stdin, termios.FIONREAD, bytes(4))):
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=300)
    assert process.returncode == 130 and "interrupted" in err and "Traceback" not in err


def test_colour_only_on_a_terminal(cli, shop) -> None:
    """On a terminal the key is bold; with NO_COLOR or a dumb terminal it is not."""
    cli("remember", "Apples are red.", "--key", "apples")
    words = ["list"]
    plain = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
    assert "\x1b[1mapples" in on_a_terminal(words, environment={**plain, "TERM": "xterm"})[1]
    assert "\x1b" not in on_a_terminal(words, environment={**plain, "TERM": "xterm", "NO_COLOR": "1"})[1]
    assert "\x1b" not in on_a_terminal(words, environment={**plain, "TERM": "dumb"})[1]


def test_consent_on_a_terminal(cli, shop, home) -> None:
    """On a terminal the plan is shown and asked about: no changes nothing, yes does it."""
    cli("remember", "Apples are red.", "--key", "apples")
    code, shown = on_a_terminal(["forget", "apples"], b"n\n")
    assert code == 0 and "Do this?" in shown and "nothing was changed" in shown and list(home.rglob("apples.md"))
    code, shown = on_a_terminal(["forget", "apples"], b"y\n")
    assert code == 0 and "forgotten: apples" in shown and not list(home.rglob("apples.md"))


def test_up_asks_on_a_terminal_whether_to_connect_an_agent(shop, machine) -> None:
    """Of each agent that is here and not connected it asks; no leaves its files alone, yes connects it."""
    (machine / ".codex").mkdir()
    code, shown = on_a_terminal(["up"], b"n\n")
    assert code == 0 and "Connect Codex?" in shown and "→ Connect Codex: " in shown
    assert list((machine / ".codex").iterdir()) == []
    code, shown = on_a_terminal(["up"], b"y\n")
    assert code == 0 and "installed Codex" in shown and "→ Connect" not in shown
    assert (machine / ".codex" / "hooks.json").exists()
    assert "Connect Codex?" not in on_a_terminal(["up"])[1]


def test_no_text_on_a_terminal(shop) -> None:
    """`holdfast remember` alone does not wait for a person who does not know that it waits."""
    code, shown = on_a_terminal(["remember"])
    assert code == 2 and "Example: holdfast remember" in shown


def test_progress_only_on_a_terminal(monkeypatch, capfd) -> None:
    """A long walk shows a bar on a terminal and nothing elsewhere."""

    def walk() -> None:
        progress = Progress()
        progress(1, 5000)
        progress(5000, 5000)

    walk()
    assert capfd.readouterr() == ("", "")
    leader, follower = pty.openpty()
    monkeypatch.setenv("TERM", "xterm")
    with open(follower, "w") as terminal, monkeypatch.context() as patched:
        patched.setattr(sys, "stderr", terminal)
        walk()
        shown = ""
        # What was written comes in pieces.
        while "reading memories" not in shown and select.select([leader], [], [], 10)[0]:
            shown += os.read(leader, 65_536).decode()
    os.close(leader)
    assert "reading memories" in shown


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_completion_script(cli, shell) -> None:
    """Each shell gets a script that asks the program."""
    ended = cli("completion", shell)
    assert ended.code == 0 and "_HOLDFAST_COMPLETE" in ended.out


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("holdfast rem", {"remember"}),
        ("holdfast show app", {"apples"}),
        ("holdfast show --project other be", {"beans"}),
        ("holdfast forget --scope global ", {"carrots"}),
        ("holdfast config get recall.l", {"recall.limit"}),
        ("holdfast show nothing", set()),
    ],
)
def test_completion(cli, shop, line, offered) -> None:
    """Commands, settings and the keys that can be seen from here are completed."""
    cli("remember", "Apples are red.", "--key", "apples")
    cli("remember", "Beans are green.", "--key", "beans", "--project", "other")
    cli("remember", "Carrots.", "--key", "carrots", "--scope", "global")
    words = line.split(" ")
    asked = {"_HOLDFAST_COMPLETE": "bash_complete", "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
    ended = program(environment={**os.environ, **asked}, folder=shop)
    assert {answer.split(",")[1] for answer in ended.out.split()} == offered


def test_a_terminal_without_unicode(cli, shop) -> None:
    """Where the output cannot show a letter, it is shown as an escape, and the command does its work."""
    cli("remember", "Прежде чем выкладывать: VPN.", "--key", "vpn")
    ended = run("recall", "VPN", env={**os.environ, "PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "0"})
    assert ended.returncode == 0 and "\\u041f" in ended.stdout


def test_a_file_name_that_is_not_utf8(cli, shop, home) -> None:
    """A file whose name is not UTF-8 does not stop any command."""
    cli("remember", "Apples are red.", "--key", "apples", "--scope", "global")
    (home / "memory" / "global" / "wrong").mkdir()
    with open(os.fsencode(home / "memory" / "global" / "wrong") + b"/caf\xe9.md", "w") as file:
        file.write("Nobody finds me.\n")
    ended = run("lint")
    assert "Traceback" not in ended.stderr and "orphan" in ended.stdout
    assert forked(["list"], subprocess.DEVNULL).wait() == 0


def test_as_a_module_and_as_a_command() -> None:
    """`python -m holdfast` and `holdfast` are the same program."""
    command = os.path.join(os.path.dirname(sys.executable), "holdfast")
    ended = subprocess.run([command, "--version"], capture_output=True, text=True, check=True)
    assert ended.stdout == run("--version").stdout


def test_a_recall_starts_without_what_it_does_not_need(cli, write, shop) -> None:
    """What is slow to load and not needed to find and print a memory is not loaded: a recall is mostly its start."""
    write("global/memories/deploys.md", "Deploys need the VPN.\n")
    # The first command sees the file, and writes the page that lists it.
    assert cli("list").code == 0
    slow = ("dataclasses", "difflib", "hashlib", "json", "numpy", "rich", "shlex", "shutil", "textwrap", "urllib.parse")
    code = (
        "import sys; from holdfast.surfaces.cli.main import run; run(['recall', 'how do deploys work?']);"
        f" print(*[name for name in {slow!r} if name in sys.modules])"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    *found, loaded = ended.stdout.splitlines()
    assert "  Deploys need the VPN." in found
    assert loaded == ""
