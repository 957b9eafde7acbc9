"""The program as a process: pipes, signals, terminals, completion, encodings."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys

import pytest

HOLDFAST = [sys.executable, "-m", "holdfast"]


def run(*words: str, **more) -> subprocess.CompletedProcess:
    """Run the program as a process of its own."""
    return subprocess.run([*HOLDFAST, *words], capture_output=True, text=True, check=False, **more)


def on_a_terminal(words: list[str], answer: bytes = b"", environment=None) -> tuple[int, str]:
    """Run a program on a terminal, answer its question, and return its exit code and all that it showed."""
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        words, stdin=follower, stdout=follower, stderr=follower, env=environment, start_new_session=True
    )
    os.close(follower)
    shown = b""
    os.write(leader, answer)
    while select.select([leader], [], [], 20)[0]:
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
    run("list")
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
    try:
        process.wait(1.5)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=300)
    assert process.returncode == 130 and "interrupted" in err and "Traceback" not in err


def test_colour_only_on_a_terminal(shop) -> None:
    """On a terminal the key is bold; with NO_COLOR or a dumb terminal it is not."""
    run("remember", "Apples are red.", "--key", "apples")
    words = [*HOLDFAST, "list"]
    plain = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
    assert "\x1b[1mapples" in on_a_terminal(words, environment={**plain, "TERM": "xterm"})[1]
    assert "\x1b" not in on_a_terminal(words, environment={**plain, "TERM": "xterm", "NO_COLOR": "1"})[1]
    assert "\x1b" not in on_a_terminal(words, environment={**plain, "TERM": "dumb"})[1]


def test_consent_on_a_terminal(shop, home) -> None:
    """On a terminal the plan is shown and asked about: no changes nothing, yes does it."""
    run("remember", "Apples are red.", "--key", "apples")
    code, shown = on_a_terminal([*HOLDFAST, "forget", "apples"], b"n\n")
    assert code == 0 and "Do this?" in shown and "nothing was changed" in shown and list(home.rglob("apples.md"))
    code, shown = on_a_terminal([*HOLDFAST, "forget", "apples"], b"y\n")
    assert code == 0 and "forgotten: apples" in shown and not list(home.rglob("apples.md"))


def test_up_asks_on_a_terminal_whether_to_connect_an_agent(shop, machine) -> None:
    """Of each agent that is here and not connected it asks; no leaves its files alone, yes connects it."""
    (machine / ".codex").mkdir()
    code, shown = on_a_terminal([*HOLDFAST, "up"], b"n\n")
    assert code == 0 and "Connect Codex?" in shown and "→ Connect Codex: " in shown
    assert list((machine / ".codex").iterdir()) == []
    code, shown = on_a_terminal([*HOLDFAST, "up"], b"y\n")
    assert code == 0 and "installed Codex" in shown and "→ Connect" not in shown
    assert (machine / ".codex" / "hooks.json").exists()
    assert "Connect Codex?" not in on_a_terminal([*HOLDFAST, "up"])[1]


def test_no_text_on_a_terminal(shop) -> None:
    """`holdfast remember` alone does not wait for a person who does not know that it waits."""
    code, shown = on_a_terminal([*HOLDFAST, "remember"])
    assert code == 2 and "Example: holdfast remember" in shown


def test_progress_only_on_a_terminal() -> None:
    """A long walk shows a bar on a terminal and nothing elsewhere."""
    code = "from holdfast.surfaces.cli.output import Progress; p = Progress(); p(1, 5000); p(5000, 5000)"
    words = [sys.executable, "-c", code]
    assert "reading memories" in on_a_terminal(words, environment={**os.environ, "TERM": "xterm"})[1]
    ended = subprocess.run(words, capture_output=True, text=True, check=True)
    assert ended.stdout + ended.stderr == ""


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
    ended = subprocess.run(HOLDFAST_SCRIPT, env={**os.environ, **asked}, capture_output=True, text=True, check=False)
    assert {answer.split(",")[1] for answer in ended.stdout.split()} == offered and ended.stderr == ""


HOLDFAST_SCRIPT = [sys.executable, "-c", "from holdfast.surfaces.cli.main import main; main()"]


def test_a_terminal_without_unicode(shop) -> None:
    """Where the output cannot show a letter, it is shown as an escape, and the command does its work."""
    run("remember", "Прежде чем выкладывать: VPN.", "--key", "vpn")
    ended = run("recall", "VPN", env={**os.environ, "PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "0"})
    assert ended.returncode == 0 and "\\u041f" in ended.stdout


def test_a_file_name_that_is_not_utf8(shop, home) -> None:
    """A file whose name is not UTF-8 does not stop any command."""
    run("remember", "Apples are red.", "--key", "apples", "--scope", "global")
    (home / "memory" / "global" / "wrong").mkdir()
    with open(os.fsencode(home / "memory" / "global" / "wrong") + b"/caf\xe9.md", "w") as file:
        file.write("Nobody finds me.\n")
    ended = run("lint")
    assert "Traceback" not in ended.stderr and "orphan" in ended.stdout
    assert run("list").returncode == 0


def test_the_demo_through_the_program(home) -> None:
    """The demo ends with 0 and does not touch the person's home."""
    ended = run("demo")
    assert ended.returncode == 0 and "holdfast recall" in ended.stdout and "is gone" in ended.stderr
    assert not home.exists()


def test_as_a_module_and_as_a_command() -> None:
    """`python -m holdfast` and `holdfast` are the same program."""
    command = os.path.join(os.path.dirname(sys.executable), "holdfast")
    ended = subprocess.run([command, "--version"], capture_output=True, text=True, check=True)
    assert ended.stdout == run("--version").stdout


def test_a_recall_starts_without_what_it_does_not_need(write, shop) -> None:
    """What is slow to load and not needed to find and print a memory is not loaded: a recall is mostly its start."""
    write("global/memories/deploys.md", "Deploys need the VPN.\n")
    # The first command sees the file, and writes the page that lists it.
    run("list")
    slow = ("dataclasses", "difflib", "hashlib", "json", "numpy", "rich", "shlex", "shutil", "textwrap", "urllib.parse")
    code = (
        "import sys; from holdfast.surfaces.cli.main import run; run(['recall', 'how do deploys work?']);"
        f" print(*[name for name in {slow!r} if name in sys.modules])"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    *found, loaded = ended.stdout.splitlines()
    assert "  Deploys need the VPN." in found
    assert loaded == ""
