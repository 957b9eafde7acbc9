"""Questions that only the git program answers. Each ends soon, and whatever fails has no answer.

A hook asks none of them, but where it says how long it can wait.
"""

from __future__ import annotations

import os
import subprocess

from holdfast.base.clock import Deadline
from holdfast.project import git

_SECONDS = 3.0
_MAX_OUTPUT = 4_000_000
_MAX_COMMITS = 500
_MAX_VERSIONS = 50
# What a repository's own settings could start.
_ALONE = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "--no-pager", "--no-optional-locks")


def run(root: str, *arguments: str, hook_seconds: float = 0.0) -> str | None:
    """Return what git prints in this work tree; None where it fails, takes long, or somebody waits for this process.

    With `hook_seconds` a hook may ask, too, and waits no longer.
    """
    if (Deadline.is_set() and not hook_seconds) or not os.path.lexists(os.path.join(root, ".git")):
        return None
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        ended = subprocess.run(
            ["git", *_ALONE, *arguments],
            cwd=root,
            env={**kept, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=hook_seconds or _SECONDS,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    if ended.returncode or len(ended.stdout) > _MAX_OUTPUT:
        return None
    return ended.stdout.decode("utf-8", "replace")


def _names(root: str, *arguments: str) -> list[str]:
    return [name for name in (run(root, *arguments) or "").split("\0") if name]


def called(root: str, name: str) -> list[str]:
    """Return the tracked files whose path ends with this name."""
    return _names(root, "ls-files", "-z", "--", f":(top,glob)**/{name}")


def with_word(root: str, word: str) -> list[str]:
    """Return the tracked files in which the word stands."""
    return _names(root, "grep", "-z", "-l", "-I", "-w", "-F", "--untracked", "-e", word)


def blobs(root: str, paths: list[str]) -> dict[str, str]:
    """Return git's id of each of these files that is committed or staged as it is on the disk."""
    rows = _names(root, "ls-files", "-z", "-s", "--", *(f":(top,literal){path}" for path in paths))
    ids = {path: row.split(" ")[1] for row, _, path in (one.partition("\t") for one in rows)}
    changed = _names(root, "diff-files", "-z", "--name-only", "--", *(f":(top,literal){path}" for path in ids))
    return {path: blob for path, blob in ids.items() if path not in changed}


def renames(root: str, since: str) -> dict[str, str]:
    """Return what each file was renamed to since the beginning of a day, as commits and the index tell."""
    found: dict[str, str] = {}
    # The newest come first, so an older rename of a file leads to where it is by now.
    asked = ("-z", "-M", "--name-status", "--diff-filter=R", "--no-ext-diff")
    staged = _names(root, "diff", *asked, "HEAD")
    logged = _names(root, "log", *asked, "--format=", f"--max-count={_MAX_COMMITS}", f"--since={since}T00:00:00Z")
    for words in (staged, logged):
        for place, word in enumerate(words):
            kind = word.strip("\n")
            if kind[:1] == "R" and kind[1:].isdigit() and place + 2 < len(words):
                found.setdefault(words[place + 1], found.get(words[place + 2], words[place + 2]))
    return found


def on_branch(root: str, branch: str, path: str) -> list[str]:
    """Return the contents that a file has and had on a branch, the newest first; of very many the last ones.

    What was merged elsewhere and only fetched counts, too.
    """
    refs = [one for one in (f"refs/heads/{branch}", f"refs/remotes/origin/{branch}") if has(root, one)]
    if not refs:
        return []
    asked = ("rev-list", f"--max-count={_MAX_VERSIONS}", *refs, "--", f":(top,literal){path}")
    commits = (run(root, *asked) or "").split()
    texts = [run(root, "cat-file", "blob", f"{commit}:{path}") for commit in commits]
    return [text for text in texts if text is not None]


def has(root: str, ref: str) -> bool:
    """Whether the repository has this ref."""
    return bool(run(root, "rev-parse", "--verify", "--quiet", ref))


def default_branch(root: str) -> str:
    """Return the branch that the others of this work tree are merged into; nothing where that cannot be told."""
    try:
        repository = git.at(root)
    except git.Unusable:
        return ""
    return git.default_branch(repository.common) if repository else ""
