"""Every command in a home that is not as Holdfast left it, and under a umask that closes nothing."""

from __future__ import annotations

import os
import sys

import pytest

from support.swept import talk, transcript, write

from ..hook.conftest import Hook

# What a person would try on a home that looks odd, in an order in which each finds something to do.
COMMANDS = (
    *("status", "list --everywhere", "recall --everywhere vpn", "lint --json", "lint", "doctor --json", "doctor"),
    *("heal --dry-run", "heal --yes --json", "heal --yes", "reindex", "sweep", "harvest", "doctor --fix", "updates"),
    *("updates --json", "tidy --dry-run", "prune --yes", "sessions", "sessions search vpn", "lesson", "rate --list"),
    *("todo", "work", "proposals", "patterns", "project", "up", "init", "timeline", "activity", "receipts", "measure"),
    *("distil --dry-run", "synthesis", "research", "security", "import --dry-run", "uninstall claude-code --dry-run"),
    *("uninstall claude-code --verify", "forget deploys-need-the-vpn --yes"),
)
NAMES = (b"bad\xff.md", b"bad\xfe.json", b"bad\xfd.jsonl", b"2026-11-\xff.jsonl", b".holdfast-tmp-\xff")
FOLDERS = ("archive/raw", "archive/digests", "archive/signals", "proposals", "research", "security", "patterns")


@pytest.fixture
def furnished(cli, machine, shop, home):
    """A home with something of each kind in it, told by commands, hooks and a sweep."""
    write(transcript(machine, "s1"), [{**one, "cwd": str(shop)} for one in talk("s1", 2)])
    for words in (
        ("sweep",),
        ("remember", "Deploys need the VPN."),
        ("remember", "--scope", "global", "I like tabs."),
        ("rate", "3", "you deleted my migration"),
        ("lesson", "add", "Always run the tests."),
        ("todo", "add", "Renew the certificate"),
        ("work", "add", "Fix the deploy"),
    ):
        assert cli(*words).code == 0
    hook = Hook(home, shop)
    hook.start()
    hook.prompt("Remember: the till is in the cellar. 2/10, you broke the tests again!")
    hook("PostToolUse", tool_name="Bash", tool_input={"command": "rm -rf /etc/x"}, tool_response="gone")
    hook("PostToolUseFailure", tool_name="Bash", tool_input={"command": "make"}, error="make: *** no rule")
    hook("Stop", last_assistant_message="Done. Next: renew the certificate.")
    hook("PreCompact")
    hook("SessionEnd")
    for folder in FOLDERS:
        (home / folder).mkdir(mode=0o700, parents=True, exist_ok=True)
    return home


def test_names_that_are_not_text_end_no_command_in_a_traceback(cli, furnished):
    """Files and folders of every kind whose names are not UTF-8 are named, passed over or healed by every command."""
    for folder, _, _ in list(os.walk(os.fsencode(furnished))):
        for name in NAMES:
            path = os.path.join(folder, name)
            with open(path, "wb") as file:
                file.write(b"a text, and AKIAIOSFODNN7EXAMPLE\n")
            os.chmod(path, 0o644)
            os.utime(path, (1, 1))
        os.mkdir(os.path.join(folder, b"folder\xff"), 0o755)
    for stream in (sys.stdout, sys.stderr):
        # As the program has them.
        stream.reconfigure(errors="backslashreplace")
    for line in COMMANDS:
        ended = cli(*line.split())
        assert ended.code in (0, 1) and "Traceback" not in ended.err, (line, ended)
    assert "heal protect" in cli("updates", "--limit", "1000").out


def test_no_umask_opens_the_home(cli, shop, home, request):
    """With a umask of 000 every file that commands leave in the home is 0600 and every folder 0700."""
    before = os.umask(0)
    try:
        request.getfixturevalue("furnished")
        for line in COMMANDS:
            cli(*line.split())
    finally:
        os.umask(before)
    modes = {str(path.relative_to(home)): path.lstat().st_mode & 0o777 for path in home.rglob("*")}
    folders = {str(path.relative_to(home)) for path in home.rglob("*") if path.is_dir()}
    assert {name for name, mode in modes.items() if mode != (0o700 if name in folders else 0o600)} == set()
