"""A new agent, a new store, a new feature: one file or folder, one line in one table, and nothing else.

Each test copies the package, adds something to the copy, and uses it there as a person or the contract's tests would.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support.dummy_agent import DUMMY_AGENT
from support.source import ROOT, SOURCE
from support.swept import talk, transcript, write

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

FEATURE = {
    "__init__.py": '''"""Dummy: a feature that counts what a person says in a session."""
''',
    "hook.py": '''"""What hooks do for dummy: each prompt is a line."""

from __future__ import annotations

import os

from holdfast.parts import Effect


def at_prompt(run):
    """Add a line to the file of the session."""
    return [Effect(lambda: _add(run.home, f"{run.call.agent}-{run.session_id}", run.words()))]


def _add(home, name, words):
    os.makedirs(os.path.join(home, "dummy"), 0o700, exist_ok=True)
    with open(os.path.join(home, "dummy", name), "a") as file:
        file.write(words + "\\n")
''',
    "harvest.py": '''"""What dummy finds in a session: how often a person spoke."""

from __future__ import annotations

from holdfast.sessions.parts import Finding


def harvest(workspace, digest, events):
    """Yield one finding a session."""
    count = sum(event.role == "human" for event in events)
    yield Finding("dummy", f"spoke {count} times", digest.session.ended, digest.session.name, lambda: True)
''',
    "forget.py": '''"""Forgetting a session takes its file of dummy."""

from __future__ import annotations

import os
from functools import partial

from holdfast.records import Step
from holdfast.sessions.parts import Change


def forget(target):
    """Yield the file, where there is one."""
    path = os.path.join(target.home, "dummy", f"{target.agent}-{target.session}")
    if os.path.exists(path):
        yield Change(Step("remove", path, "what dummy counted"), partial(os.unlink, path))
''',
}
FEATURE_LINE = '    Feature("learning.dummy", ("prompt",), harvests=True, forgets=True),'


class Copy:
    """A copy of the package, to which something is added."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.source = folder / "src" / "holdfast"
        # With what is compiled, which each process of the copy would do again.
        shutil.copytree(SOURCE, self.source, ignore=shutil.ignore_patterns("bundle.[A-Z]*"))
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

    def python(self, *words: str, stdin: str = "", **environment: str) -> str:
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
                **{"HOLDFAST_HOOK_BUDGET_MS": "60000", **environment},
            },
            check=False,
        )
        assert ended.returncode == 0, ended.stdout[-4000:] + ended.stderr[-4000:]
        return ended.stdout

    def holdfast(self, *words: str) -> str:
        """Run a command of the copy."""
        return self.python("-m", "holdfast", *words)

    def hook(self, event: str, agent: str, told: str) -> str:
        """Run a hook of the copy, as an install writes it."""
        run = str(self.source / "surfaces" / "hook" / "run.py")
        return self.python("-I", "-S", "-E", run, event, "--agent", agent, stdin=told, CLAUDECODE="1")

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
    assert "Deploys need the VPN." in copy.hook("begin", "dummy", '{"session_id": "s1"}')
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


def test_a_new_feature_is_one_folder_and_one_line(copy) -> None:
    """Its part of a hook, of a harvest and of forgetting are called by the hook, the sweep and the commands."""
    for name, text in FEATURE.items():
        copy.add(f"learning/dummy/{name}", text)
    copy.add_line("app/features.py", "FEATURES = (", FEATURE_LINE)
    copy.home.mkdir(mode=0o700)
    told = json.dumps({"session_id": "one", "cwd": str(copy.person), "prompt": "Please mend the till"})
    copy.hook("UserPromptSubmit", "claude-code", told)
    noted = copy.home / "dummy" / "claude-code-one"
    assert noted.read_text() == "Please mend the till\n"
    write(transcript(copy.person, "one"), talk("one", 2))
    assert json.loads(copy.holdfast("sweep", "--json"))["ingested"] == 1
    found = json.loads(copy.holdfast("harvest", "--session", "claude-code/one", "--json"))["found"]
    assert [one["text"] for one in found if one["kind"] == "dummy"] == ["spoke 2 times"]
    copy.holdfast("sessions", "forget", "claude-code/one", "--yes")
    assert not noted.exists()
    new = {f"learning/dummy/{name}": [] for name in FEATURE}
    assert copy.changes() == {"app/features.py": [FEATURE_LINE.strip()], **new}
