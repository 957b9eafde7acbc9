"""Memories of a team: plain files in `.holdfast/memory/` of the project's own repository, reviewed like code.

A file is deterministic: the same memory gives the same bytes on every machine, and nothing of a machine is in it. Who
may change what is the forge's business (CODEOWNERS, reviews). What the repository says reaches an agent only after the
person allowed it (`repository_set.py`), as data and not as the person's rules; a file that is gone is given no longer.

`promote` and `withdraw` change files of the work tree, or make a branch with one commit and leave the work tree alone.
`check` is for a forge's checks: problems are values.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from holdfast.base import files
from holdfast.errors import BadInput, Conflict, NotFound, Refused
from holdfast.exchange import repository_set, trusted
from holdfast.exchange.repository_set import TEAM
from holdfast.language.contradiction import says_otherwise
from holdfast.memory.proposal_files import same
from holdfast.privacy import redact
from holdfast.records import Memory, Problem, Scope
from holdfast.store import front_matter, layout, memory_file
from holdfast.store.keys import is_key, key_of_file
from holdfast.workspace import Workspace

MAX_STATEMENT = 2_000
_SECONDS = 30
# What is a person's own is shared by their word alone.
_PERSONAL = ("session", "agent")
_PERSONAL_TYPES = ("user",)
# What a file may say of itself, and what counts for nothing there.
_NOT_THEIRS = frozenset(("trust", "enforce", "scope", "pinned", "supersedes"))
_NEEDED = ("type", "reason")
_FIELDS = ("key", "type", "tags", "created", "reason", "when")


@dataclass(frozen=True, slots=True)
class TeamChange:
    """What was done to which file of the repository, on which branch if one was made, and words for its review."""

    action: str
    path: str
    text: str
    branch: str = ""
    description: str = ""


def promote(
    workspace: Workspace, key: str, reason: str, *, branch: str = "", scope: str | None = None, dry_run: bool = False
) -> TeamChange:
    """Write a memory as a file of the team, for review; what is personal or holds a secret is refused."""
    workspace.need_enabled()
    workspace.need_person("shares a memory with a team")
    memory = workspace.locate(key, scope)
    if not reason.strip():
        raise BadInput("a promotion needs a reason", 'Give --reason "why the team should know it".')
    refuse_personal(memory)
    if memory.scope.kind == "global" and scope is None:
        hint = "Where the team should know it all the same: --scope global."
        raise Refused(f"{memory.key} is global: what you told for every project of yours", hint)
    text = file_text(memory, reason)
    if kinds := redact.redact(text)[1]:
        raise Refused(f"{memory.key} holds a secret ({', '.join(kinds)})", "Take it out, then try again.")
    path = f"{TEAM}/{memory.key}.md"
    said = f"Promote {memory.key}: {memory.title}\n\n{memory.body}\n\nWhy: {reason.strip()}\n"
    change = TeamChange("would promote" if dry_run else "promoted", path, text, branch, said)
    return change if dry_run else _changed(workspace, change)


def is_personal(memory: Memory) -> bool:
    """Whether a memory is of one session or one agent profile, or about the person."""
    return memory.scope.kind in _PERSONAL or memory.type in _PERSONAL_TYPES


def refuse_personal(memory: Memory) -> None:
    """Refuse to share what is personal."""
    if is_personal(memory):
        hint = "Store what the team should know as a memory of the project, then share that."
        raise Refused(f"{memory.key} is personal ({memory.scope.kind}, {memory.type})", hint)


def withdraw(workspace: Workspace, key: str, reason: str, *, branch: str = "") -> TeamChange:
    """Take a memory out of the team's files; whoever pulls that is told it no longer."""
    workspace.need_enabled()
    workspace.need_person("withdraws a memory of a team")
    if not reason.strip():
        raise BadInput("a withdrawal needs a reason", 'Give --reason "why it no longer holds".')
    path = f"{TEAM}/{key}.md"
    if not os.path.isfile(os.path.join(_root(workspace), path)):
        raise NotFound(f"the team has no memory {key}", f"Its memories are the files in {TEAM}/.")
    return _changed(workspace, TeamChange("withdrawn", path, "", branch, f"Withdraw {key}\n\nWhy: {reason.strip()}\n"))


def trust(workspace: Workspace, branches: tuple[str, ...], signers: tuple[str, ...]) -> list[str]:
    """Trust branches of a remote and signers to change the team's files; return all that are trusted here now."""
    found = repository_set.of(workspace)
    new = [trusted.branch(found.root, name) for name in branches] + [trusted.signer(one) for one in signers]
    known = found.decided.trusts if found.decided else []
    if new:
        found.trust(list(dict.fromkeys([*known, *new])))
    return found.decided.trusts if found.decided else []


def distrust(workspace: Workspace) -> None:
    """Take all such trust back; what was allowed by it stays allowed."""
    repository_set.of(workspace).trust([])


def file_text(memory: Memory, reason: str) -> str:
    """Return the text of the team's file: the same for the same memory, with no session, path or clock in it."""
    values: dict[str, front_matter.Value] = {
        "key": memory.key,
        "type": memory.type,
        "tags": tuple(sorted(memory.tags)),
        "created": memory.created[:10],
        "reason": " ".join(reason.split()),
        "when": memory.when,
    }
    return front_matter.written({name: values[name] for name in _FIELDS}, f"\n# {memory.title}\n\n{memory.body}\n")


def _root(workspace: Workspace) -> str:
    return os.path.realpath(workspace.project().root)


def _changed(workspace: Workspace, change: TeamChange) -> TeamChange:
    root = _root(workspace)
    full = layout.contained(root, change.path)
    if change.branch:
        _commit(root, change)
    elif change.text:
        files.put(full, change.text.encode())
        os.chmod(full, 0o644)
    else:
        files.remove(full)
    return change


def _commit(root: str, change: TeamChange) -> None:
    """Make a branch of HEAD with one commit more; the work tree and the person's index stay as they are."""
    if subprocess.run(
        ["git", "check-ref-format", "--branch", change.branch], capture_output=True, check=False
    ).returncode:
        raise BadInput(f"{change.branch!a} is not the name of a branch", "Give another one.")
    if _git(root, "branch", "--list", change.branch):
        raise Conflict(f"there is a branch {change.branch}", "Give another name.")
    with tempfile.TemporaryDirectory() as folder:
        own = {"GIT_INDEX_FILE": os.path.join(folder, "index")}
        _git(root, "read-tree", "HEAD", **own)
        if change.text:
            blob = _git(root, "hash-object", "-w", "--stdin", given=change.text, **own)
            _git(root, "update-index", "--add", "--cacheinfo", f"100644,{blob},{change.path}", **own)
        else:
            _git(root, "update-index", "--force-remove", change.path, **own)
        tree = _git(root, "write-tree", **own)
    commit = _git(root, "commit-tree", tree, "-p", "HEAD", "-F", "-", given=change.description)
    _git(root, "branch", change.branch, commit)


def _git(root: str, *words: str, given: str = "", **more: str) -> str:
    try:
        done = subprocess.run(
            ["git", "-C", root, "-c", f"core.hooksPath={os.devnull}", *words],
            input=given,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            env={**os.environ, "GIT_TERMINAL_PROMPT": "0", **more},
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise Refused(f"git cannot be run: {problem}", "Install git, then try again.") from None
    if done.returncode:
        raise Refused(f"git {words[0]} failed: {done.stderr.strip()}", "Nothing was changed in the work tree.")
    return done.stdout.strip()


def listed(workspace: Workspace) -> list[tuple[str, Memory]]:
    """Return the memories of the team as the work tree has them now, each with its path."""
    texts = sorted(repository_set.texts_of_team(_root(workspace)))
    return [(f"{TEAM}/{name}", _read(name, text)[0]) for name, text in texts]


def _read(name: str, text: str) -> tuple[Memory, tuple[Problem, ...]]:
    key = key_of_file(os.path.basename(name))
    return memory_file.read(text, memory_file.FilePlace(f"{TEAM}/{name}", Scope("project", "team"), key, ""))


def check(root: str) -> list[Problem]:
    """Return what is wrong with the files of a team: form, secrets, size, duplicates, what contradicts."""
    found: list[Problem] = []
    read: list[tuple[str, Memory]] = []
    for here, folders, names in os.walk(os.path.join(root, TEAM)):
        for name in sorted([*names, *(one for one in folders if os.path.islink(os.path.join(here, one)))]):
            path = os.path.relpath(os.path.join(here, name), root)
            if os.path.islink(os.path.join(root, path)):
                found.append(
                    _error("link", path, "it is a link, and links are not followed", "Put the file itself there.")
                )
            elif not os.path.isfile(os.path.join(root, path)):
                found.append(_error("link", path, "it is not a plain file, and is not read", "Take it out."))
            elif layout.is_memory_file(name):
                data = files.read_head(os.path.join(root, path), repository_set.MAX_FILE + 1)
                text, problems = memory_file.decode(data, path)
                memory, more = _read(os.path.relpath(path, TEAM), text)
                found += [*problems, *more, *_of_file(path, text, memory)]
                read.append((path, memory))
    if len(read) > repository_set.MAX_FILES:
        found.append(_error("size", TEAM, f"there are more than {repository_set.MAX_FILES} files", "Withdraw some."))
    found += _between(read)
    return sorted(found, key=lambda one: (one.path, one.line, one.kind))


def _error(kind: str, path: str, text: str, hint: str) -> Problem:
    return Problem(kind, path, text, hint, severity="error")


def _of_file(path: str, text: str, memory: Memory) -> Iterator[Problem]:
    if not is_key(os.path.basename(path).removesuffix(".md")):
        yield Problem("name", path, "the file's name is not a key", "Use a-z, 0-9 and hyphens.", severity="error")
    if len(text.encode("utf-8", "replace")) > repository_set.MAX_FILE:
        yield _error("size", path, f"it has more than {repository_set.MAX_FILE:,} bytes", "Make it shorter.")
    if hidden := sorted({one for one in set(text) - set("\n\r\t\ufeff") if unicodedata.category(one) in ("Cc", "Cf")}):
        yield _error(
            "hidden",
            path,
            f"it has characters that nobody sees: {', '.join(f'U+{ord(one):04X}' for one in hidden[:5])}",
            "Take them out.",
        )
    yield from _of_front_matter(path, text, memory.key)
    if not memory.body.strip():
        yield Problem("empty", path, "it says nothing", "Write the statement, or remove the file.", severity="error")
    if len(memory.body) > MAX_STATEMENT:
        hint = "Say it in fewer words; agents are given statements, not pages."
        yield Problem("size", path, f"it has {len(memory.body):,} characters, at most {MAX_STATEMENT:,}", hint)
    for kind, line in redact.find(text):
        yield Problem("secret", path, f"a secret of the kind {kind}", "Take it out, and change it.", line, "error")


def _of_front_matter(path: str, text: str, key: str) -> Iterator[Problem]:
    said = front_matter.values(front_matter.parse(text))[0]
    # Without a type it is guessed what a file is, and without a reason nobody knows whether it still holds.
    if missing := [name for name in _NEEDED if not said.get(name)]:
        hint = "`holdfast team promote` writes it; by hand: `type: project`, `reason: why the team should know it`."
        yield _error("form", path, f"its front matter has no {' and no '.join(missing)}", hint)
    if said.get("key", key) != key:
        yield _error("name", path, "its `key:` is not the name of the file", "Let both say the same.")
    if beyond := sorted(_NOT_THEIRS.intersection(said)):
        hint = "What a repository says is given to agents as data, whatever it claims about itself. Take it out."
        yield Problem("claim", path, f"it sets {', '.join(beyond)}, which has no effect", hint)


def _between(read: list[tuple[str, Memory]]) -> Iterator[Problem]:
    seen: dict[str, str] = {}
    for path, memory in read:
        if first := seen.get(same(memory.body)):
            yield Problem("duplicate", path, f"it says what {first} says", "Remove one of them.", severity="error")
        seen.setdefault(same(memory.body), path)
    for place, (path, memory) in enumerate(read):
        for other, older in read[:place]:
            if says_otherwise(memory.body, older.body):
                yield Problem(
                    "contradiction", path, f"it contradicts {other}", "Decide which one holds.", severity="error"
                )
