"""Demo: a short story, played with the real commands in a home that is thrown away."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass

_FAKE_TOKEN = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"


@dataclass(frozen=True, slots=True)
class Scene:
    """One scene: its heading, the command as a person types it, and what it printed."""

    heading: str
    shown: str
    output: str
    code: int


# Folder, heading and command.
STORY = (
    ("shop", "Monday. In the shop's repository you learn something the hard way, and store it.",
     ["remember", "Deploys need the VPN. Ask Kim for access.", "--tag", "deploy"]),
    ("shop", "Some things hold everywhere.",
     ["remember", "--scope", "global", "--type", "user", "Answer in British English."]),
    ("shop/api", "Tuesday, in a sub-folder, with another agent: ask in your own words.",
     ["recall", "how do we deploy?"]),
    ("shop", "The rule changes. The old statement is kept as history.",
     ["remember", "--key", "deploys-need-the-vpn-ask-kim", "Deploys go through the bastion host. No VPN any more."]),
    ("shop", "What did it say before?", ["history", "deploys-need-the-vpn-ask-kim"]),
    ("shop", "A rule comes to the agent at the command that it is about.",
     ["remember", "Never push to main without asking me first."]),
    ("shop", "What would happen there? The first such call of a session is stopped, with the rule as the reason.",
     ["when", "cd api && git push origin main"]),
    ("shop", "A secret slips into a note. It is gone before the first byte is written.",
     ["remember", f"The CI uses {_FAKE_TOKEN} to push."]),
    ("shop", "You drop a plain Markdown file into the folder. The next recall sees it.",
     ["recall", "staging database"]),
    ("blog", "Another project sees none of the shop's memories, only what is global.", ["recall", "deploys english"]),
    ("shop", "What nobody needs is forgotten, for good.", ["forget", "staging", "--yes"]),
    ("shop", "This is what an agent is given when its next session starts.", ["preview"]),
    ("shop", "That is all there is.", ["status"]),
)  # fmt: skip


def demo(keep: str | None = None) -> Iterator[Scene]:
    """Play the story scene by scene; the home is thrown away, or left in the folder `keep`."""
    with tempfile.TemporaryDirectory(prefix="holdfast-demo-") as folder:
        base = os.path.abspath(keep) if keep else folder
        _prepare(base)
        for place, heading, command in STORY:
            if command[:2] == ["recall", "staging database"]:
                _drop_file(base)
            yield _play(base, place, heading, command)


def _prepare(base: str) -> None:
    for place in ("shop/api", "blog"):
        os.makedirs(os.path.join(base, place), exist_ok=True)
    for place in ("shop", "blog"):
        git = os.path.join(base, place, ".git")
        for folder in ("objects", "refs"):
            os.makedirs(os.path.join(git, folder), exist_ok=True)
        _write(os.path.join(git, "HEAD"), "ref: refs/heads/main\n")
        _write(os.path.join(git, "config"), f'[remote "origin"]\n\turl = https://example.com/acme/{place}.git\n')


def _drop_file(base: str) -> None:
    folder = os.path.join(base, "home", "memory", "projects", "example.com--acme--shop", "memories")
    os.makedirs(folder, exist_ok=True)
    _write(os.path.join(folder, "staging.md"), "The staging database is reset every night at three.\n")


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def _play(base: str, place: str, heading: str, command: list[str]) -> Scene:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("HOLDFAST_", "_HOLDFAST"))}
    environment = {**inherited, "HOLDFAST_HOME": os.path.join(base, "home"), "NO_COLOR": "1", "PYTHONUTF8": "1"}
    ended = subprocess.run(
        [sys.executable, "-m", "holdfast", *command],
        cwd=os.path.join(base, place),
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    words = [f'"{word}"' if " " in word else word for word in command]
    return Scene(heading, f"{place} $ holdfast {' '.join(words)}", ended.stdout, ended.returncode)
