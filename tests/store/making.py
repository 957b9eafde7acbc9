"""What the tests of the store share: drafts in few words, snapshots of a home, and children that run our code."""

from __future__ import annotations

import os
import subprocess
import sys

from holdfast.records import Draft, Filter, Memory, Scope
from holdfast.store.local import LocalStore

GLOBAL = Scope("global")
PROJECT = Scope("project", "shop")
OTHER = Scope("project", "blog")
SESSION = Scope("session", "s-1")
AGENT = Scope("agent", "reviewer")
EVERYTHING = Filter(None)


def draft(text: str, scope: Scope = GLOBAL, **given: object) -> Draft:
    """Return a draft of that text."""
    return Draft(text, scope, **given)  # type: ignore[arg-type]


def found(store: LocalStore, query: str, wanted: Filter = EVERYTHING, limit: int = 50) -> list[str]:
    """See what changed, then return the keys that a search finds."""
    store.refresh(wanted.scopes)
    return [candidate.memory.key for candidate in store.search(query, wanted, limit)]


def listed(store: LocalStore, wanted: Filter = EVERYTHING) -> list[str]:
    """See what changed, then return the keys in order of the alphabet."""
    store.refresh(wanted.scopes)
    return sorted(memory.key for memory in store.find(wanted))


def snapshot(home: str) -> dict[str, bytes]:
    """Return every file below the home with its bytes; folders and links count too, the index does not."""
    seen: dict[str, bytes] = {}
    for folder, names, files in os.walk(home):
        for name in (*names, *files):
            path = os.path.join(folder, name)
            short = os.path.relpath(path, home)
            if short.startswith(("index.db", "state")):
                continue
            if os.path.islink(path):
                seen[short] = b"-> " + os.fsencode(os.readlink(path))
            elif os.path.isfile(path):
                with open(path, "rb") as file:
                    seen[short] = file.read()
            else:
                seen[short] = b"/"
    return seen


def path_of(store: LocalStore, memory: Memory) -> str:
    """Return where the memory's file stands."""
    return os.path.join(store.tree.root, memory.path)


def write(path: str, text: str | bytes) -> None:
    """Write a file as a person would, with the folders it needs."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(text if isinstance(text, bytes) else text.encode())


def read(path: str) -> bytes:
    """Return the bytes of a file."""
    with open(path, "rb") as file:
        return file.read()


def temporary_files(home: str) -> list[str]:
    """Return what interrupted writes left below the home."""
    return [name for _, _, files in os.walk(home) for name in files if name.startswith(".holdfast-tmp-")]


def child(code: str, *arguments: str, **more: object) -> subprocess.Popen[bytes]:
    """Start a process of its own that runs the code."""
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)  # type: ignore[call-overload,no-any-return]


def together(code: str, *rows: tuple[str, ...]) -> list[subprocess.Popen[bytes]]:
    """Start a process for each row of arguments; the code says `wait()` where all of them wait for the last one."""
    waiting, go = os.pipe()
    wait = "import sys\ndef wait(): print(flush=True); sys.stdin.read()\n"
    processes = [child(wait + code, *row, stdin=waiting) for row in rows]
    os.close(waiting)
    for process in processes:
        assert process.stdout is not None
        process.stdout.readline()
    os.close(go)
    return processes


def finished(*processes: subprocess.Popen[bytes], seconds: float = 600) -> list[str]:
    """Wait for the processes, insist that none failed, and return what each said."""
    said = []
    ended = [process.communicate(timeout=seconds) for process in processes]
    for process, (out, err) in zip(processes, ended, strict=True):
        assert process.returncode == 0, err.decode()
        assert err == b"", err.decode()
        said.append(out.decode())
    return said
