"""Real git in a clean environment, a home folder of its own, and an empty registry."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from holdfast.project.registry import Registry


class Git:
    """Runs the git program, which is the oracle of these tests."""

    def __init__(self, home: Path) -> None:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        clean = {
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_CONFIG_NOSYSTEM": "1",
            "HOME": str(home),
            "LC_ALL": "C",
        }
        self.env = {**kept, **clean}

    def run(self, *words: str, cwd: Path) -> subprocess.CompletedProcess[bytes]:
        options = [
            "-c",
            "user.name=A U Thor",
            "-c",
            "user.email=a@example.com",
            "-c",
            "protocol.file.allow=always",
        ]
        command = ["git", *options, "-c", "init.defaultBranch=main", *words]
        return subprocess.run(command, cwd=cwd, env=self.env, capture_output=True, check=False)

    def __call__(self, *words: str, cwd: Path) -> str:
        done = self.run(*words, cwd=cwd)
        assert done.returncode == 0, done.stderr.decode()
        return os.fsdecode(done.stdout).rstrip("\n")

    def init(self, folder: Path, remote: str = "") -> Path:
        """Make a repository whose first commit is unlike that of every other folder."""
        folder.mkdir(parents=True)
        self("init", "-q", cwd=folder)
        self("commit", "-q", "--allow-empty", "-m", f"begin {folder}", cwd=folder)
        if remote:
            self("remote", "add", "origin", remote, cwd=folder)
        return folder


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    return folder


@pytest.fixture
def git(home: Path) -> Git:
    return Git(home)


@pytest.fixture
def registry(tmp_path: Path, home: Path) -> Registry:
    return Registry(tmp_path / "store" / "projects.tsv")
