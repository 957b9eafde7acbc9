"""A new agent, a new store, a new feature: one file or folder, one line in one table, and nothing else.

Each test copies the package, adds something to the copy, and uses it there as a person or the contract's tests would.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support.dummy_agent import DUMMY_AGENT
from support.source import ROOT, SOURCE

TESTS = ROOT / "tests"
AGENT_CONTRACT = """
from agents.contract import AgentContract

class TestDummy(AgentContract):
    name = "dummy"
"""
STORE_LINE = '    "dummy": lambda *given: __import__("holdfast.store.dummy", fromlist=["DictStore"]).DictStore(*given),'
STORE_CONTRACT = """
from store.contract import StoreContract
from holdfast.store.back_ends import open_store

class TestDummy(StoreContract):
    def open(self, place):
        return open_store(f"dummy://{place}", 262_144)
"""


class Copy:
    """A copy of the package, to which something is added."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.source = folder / "src" / "holdfast"
        shutil.copytree(SOURCE, self.source, ignore=shutil.ignore_patterns("__pycache__"))
        self.home, self.person = folder / "person" / ".holdfast", folder / "person"
        self.person.mkdir()

    def add(self, path: str, text: str) -> None:
        """Add a file."""
        (self.source / path).parent.mkdir(exist_ok=True)
        (self.source / path).write_text(text, encoding="utf-8")

    def add_line(self, path: str, table: str, line: str) -> None:
        """Add a line at the beginning of a table."""
        text = (self.source / path).read_text(encoding="utf-8")
        [head] = [one for one in text.splitlines() if one.startswith(table)]
        (self.source / path).write_text(text.replace(head, f"{head}\n{line}", 1), encoding="utf-8")

    def python(self, *words: str, stdin: str = "") -> str:
        """Run Python with the copy in place of the package, and return what it printed."""
        ended = subprocess.run(
            [sys.executable, *words],
            input=stdin,
            capture_output=True,
            text=True,
            cwd=self.person,
            env={
                **{name: value for name, value in os.environ.items() if not name.startswith("PYTEST")},
                **{"PYTHONPATH": os.pathsep.join([str(self.source.parent), str(TESTS)]), "HOME": str(self.person)},
                **{"HOLDFAST_HOME": str(self.home), "HOLDFAST_SWEEP_AT_SESSION_END": "no"},
            },
            check=False,
        )
        assert ended.returncode == 0, ended.stdout[-4000:] + ended.stderr[-4000:]
        return ended.stdout

    def holdfast(self, *words: str) -> str:
        """Run a command of the copy."""
        return self.python("-m", "holdfast", *words)

    def contract(self, code: str) -> None:
        """Run the tests of a contract against the copy."""
        path = self.folder / "test_dummy.py"
        path.write_text(code)
        self.python("-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "conftest", "-c", os.devnull, str(path))

    def changes(self) -> dict[str, list[str]]:
        """Return what is different from the package: of a new file nothing, of another the lines that were added."""
        found = {}
        for path in sorted(self.source.rglob("*")):
            original = SOURCE / path.relative_to(self.source)
            if path.is_dir() or "__pycache__" in path.parts:
                continue
            before = original.read_bytes().splitlines() if original.exists() else None
            after = path.read_bytes().splitlines()
            if before != after:
                added = [line.decode().strip() for line in after if line not in before] if before is not None else []
                assert before is None or len(after) == len(before) + len(added), path
                found[str(path.relative_to(self.source))] = added
        return found


@pytest.fixture
def copy(tmp_path) -> Copy:
    """A copy of the package as it is."""
    return Copy(tmp_path)


def test_a_new_agent_is_one_file_and_one_line(copy) -> None:
    """It is installed, its hooks record and inject, it keeps the contract, and it is uninstalled to the last byte."""
    copy.add("agents/dummy.py", DUMMY_AGENT)
    copy.add_line("agents/__init__.py", "BUILT_IN = (", '    "dummy",')
    settings = copy.person / ".dummy" / "settings.json"
    settings.parent.mkdir()
    copy.holdfast("remember", "--scope", "global", "Deploys need the VPN.")
    copy.holdfast("install", "dummy", "--yes")
    assert "--agent dummy" in settings.read_text()
    run = str(copy.source / "surfaces" / "hook" / "run.py")
    printed = copy.python("-I", "-S", "-E", run, "begin", "--agent", "dummy", stdin='{"session_id": "s1"}')
    assert "Deploys need the VPN." in printed
    assert '"dummy"' in "".join(path.read_text() for path in (copy.home / "journal").glob("*.jsonl"))
    copy.holdfast("uninstall", "dummy", "--yes", "--verify")
    assert not settings.exists()
    copy.contract(AGENT_CONTRACT)
    assert copy.changes() == {"agents/__init__.py": ['"dummy",'], "agents/dummy.py": []}


def test_a_new_store_is_one_file_and_one_line(copy) -> None:
    """Found by the scheme of its address, it keeps the whole contract."""
    copy.add("store/dummy.py", (TESTS / "store" / "dict_store.py").read_text(encoding="utf-8"))
    copy.add_line("store/back_ends.py", "BACK_ENDS: ", STORE_LINE)
    copy.contract(STORE_CONTRACT)
    assert copy.changes() == {"store/back_ends.py": [STORE_LINE.strip()], "store/dummy.py": []}
