"""The remote of a home: one branch of a git repository, reached by the git that is installed.

`sync/remote` in the home has the address. `sync/depot.git` is a bare repository of ours, for what git needs to talk to
the other end; it may be lost, and goes when something is erased. What the home and the remote last agreed on lies
beside it as plain files (`merge_base.py`). A commit of the branch has the whole state. Its message counts generations
and names the commits before it, so that a remote which was put back to an older state is known as such. Where something
was forgotten, the new state is published without a parent in place of the branch's history, so that the words are not
in it any more.

Git asks nobody for anything: no prompt, no hook, no transport that runs a program. What it cannot do is `Unreachable`
where nobody is at fault (no network, no such host), and Refused where the person has to know.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha1

from holdfast.base import files
from holdfast.base.clock import DAY_SECONDS, iso
from holdfast.errors import HoldfastError, Refused, StoreUnavailable
from holdfast.exchange.sync.payload import kind_of

BRANCH = "refs/heads/holdfast"
FOLDER, ADDRESS = ("sync", "depot.git"), ("sync", "remote")
# Below the home; git alone reads what is in it.
OBJECTS = "/".join((*FOLDER, "objects"))
SECONDS = 60.0
_REMOTE, _NEXT = "refs/holdfast/remote", "refs/holdfast/next"
_GENERATION = "Generation: "
# So many commits before it a commit names, by the beginnings of their names.
_AFTER, _MAX_BEFORE, _BEGINNING = re.compile(r"^After:((?: [0-9a-f]{8})+)$", re.MULTILINE), 400, 8
_OPTIONS = {
    "core.hooksPath": os.devnull,
    "core.fsmonitor": "false",
    "gc.auto": "0",
    # What was forgotten stays in no log of git's and in no large pack, whatever the person set for their own.
    "core.logAllRefUpdates": "false",
    "gc.reflogExpire": "now",
    "gc.reflogExpireUnreachable": "now",
    "gc.bigPackThreshold": "0",
    "maintenance.auto": "false",
    "protocol.ext.allow": "never",
    "transfer.fsckObjects": "true",
    "credential.interactive": "false",
    # Many a host takes neither.
    "push.gpgSign": "false",
    "push.pushOption": "",
    # Of a repository made in a folder.
    "init.defaultBranch": BRANCH.rpartition("/")[2],
}
_TRY = "Where the address is right and you may read there, try again when it is back."
_MAX_BLOB = 4_194_304
_MAX_FILES = 500_000
# What is read of all objects at a time.
_MAX_AT_ONCE = 16_777_216
# What git says where the other end is not to be had, and where it moved on since we looked.
_AWAY = re.compile(
    "could not resolve|couldn't resolve|unable to access|timed out|connection refused|network is unreachable"
    "|could not read from remote|does not appear to be a git repository|no route to host|connection (?:closed|reset)"
    "|unable to connect|early eof|the remote end hung up|git-http-push failed",
    re.IGNORECASE,
)
# What a host says that was reached and lets this key in for less, or not at all.
_DENIED = re.compile(r"^(?:remote: *)?ERROR: ", re.MULTILINE)
_MOVED = "stale info|cannot lock ref|reference already exists|failed to update ref"
_AHEAD = re.compile(f"{_MOVED}|non-fast-forward|fetch first", re.IGNORECASE)
_AHEAD_OF_LEASE = re.compile(_MOVED, re.IGNORECASE)


class Unreachable(HoldfastError):
    """The remote cannot be had now; nobody need do anything but try again later."""


class Damaged(Refused):
    """What git needs here is broken, as after a power cut; nothing is lost where it is made again."""


class Behind(Exception):
    """The remote moved on since it was looked at."""


@dataclass(frozen=True, slots=True)
class BranchState:
    """One commit of the branch: the blob of each file that travels, what it says, and which generation it is.

    `others` are the entries of git for all that a person keeps on the branch beside these; `after` names the commits
    before it, also those whose history was replaced.
    """

    commit: str = ""
    blobs: Mapping[str, str] = field(default_factory=dict)
    others: Sequence[bytes] = ()
    tree: Mapping[str, bytes] = field(default_factory=dict)
    generation: int = 0
    after: Sequence[str] = ()

    def may_follow(self, commit: str, generation: int) -> bool:
        """Whether it may have come of an earlier state: it is younger, and names that as far back as it names any."""
        reaches = self.generation - len(self.after) <= generation
        return self.generation > generation and (commit[:_BEGINNING] in self.after or not reaches)


def has_remote(home: str) -> bool:
    """Whether a home syncs with a remote."""
    return any(os.path.isfile(os.path.join(home, *path)) for path in (ADDRESS, (*FOLDER, "config")))


class Depot:
    """The repository of ours in one home, and its remote."""

    def __init__(self, home: str, *, seconds: float = SECONDS) -> None:
        self.home = home
        self.path = os.path.join(home, *FOLDER)
        # Stands there while the branch's history has something that was erased here.
        self.anew = os.path.join(home, FOLDER[0], "anew")
        self._seconds = seconds

    def create(self, url: str) -> None:
        """Make the repository, with its remote at the address."""
        files.make_folder(os.path.dirname(self.path))
        files.write(os.path.join(self.home, *ADDRESS), url.encode("utf-8", "surrogateescape"))
        self._run("init", "--quiet", "--bare", "--template=", self.path, in_depot=False)

    def renew(self) -> None:
        """Take every object out, and let the next state be published without a history: something was erased."""
        # First, so that a kill in the middle leaves nothing that would be published with the old history.
        files.write(self.anew, b"")
        url = self.url
        if os.path.isdir(self.path):
            shutil.rmtree(self.path)
        self.create(url)

    def create_remote(self, path: str) -> None:
        """Make an empty bare repository in a folder of this machine, of which a clone by hand has our branch."""
        self._run("init", "--quiet", "--bare", "--template=", path, in_depot=False)

    def origin_of(self, folder: str) -> str:
        """Return the address of the remote of a work tree that somebody made by hand; nothing where it has none."""
        try:
            told = self._run("-C", folder, "config", "--get", "remote.origin.url", in_depot=False)
        except Refused:
            return ""
        return told.decode("utf-8", "replace").strip()

    @cached_property
    def url(self) -> str:
        """Where the remote is."""
        kept = files.read_if_there(os.path.join(self.home, *ADDRESS))
        # Homes that were connected before the address had a file of its own have it in git's.
        return (kept or self._run("config", "--get", "remote.origin.url")).decode("utf-8", "surrogateescape").strip()

    def look(self) -> str:
        """Bring here what the branch has at the remote; return its commit, or nothing where it is not there yet.

        One connection, whether something is new or not.
        """
        if not os.path.isdir(os.path.join(self.path, "objects", "info")):
            self.create(self.url)
        found = os.path.join(self.path, "FETCH_HEAD")
        # No history but what came about since the first time.
        depth = [] if files.read_if_there(found) else ["--depth=1"]
        pack = self._program("upload-pack")
        try:
            self._run("fetch", "--quiet", "--no-tags", *depth, "--force", *pack, self.url, f"{BRANCH}:{_REMOTE}")
        except Refused as problem:
            if "couldn't find remote ref" not in str(problem):
                raise
        with suppress(FileNotFoundError):
            os.utime(os.path.join(self.home, *ADDRESS))
        return files.read_if_there(found).partition(b"\t")[0].decode()

    @property
    def reached(self) -> str:
        """When the remote was last reached; nothing where that is not known."""
        try:
            return iso(os.stat(os.path.join(self.home, *ADDRESS)).st_mtime)
        except FileNotFoundError:
            return ""

    def make_again(self) -> None:
        """Take the repository away and make it again; the next look at the remote brings what belongs in it."""
        shutil.rmtree(self.path, ignore_errors=True)
        self.create(self.url)

    def shared(self, one: str, other: str) -> str:
        """Return the last commit that two have in common; nothing where a history was replaced, or one is not here."""
        if not one or not other:
            return ""
        try:
            return self._run("merge-base", one, other).decode().strip()
        except Refused:
            return ""

    def commit(self, before: BranchState, tree: Mapping[str, bytes], *, anew: bool) -> str:
        """Write a tree as the next state and return its commit; with `anew` it has no parent.

        Files of the branch that never travel are the person's and stay.
        """
        blobs = before.blobs
        changed = {path: data for path, data in tree.items() if blob_of(data) != blobs.get(path)}
        same = [path for path in blobs if path in tree and path not in changed]
        second = DAY_SECONDS * (before.generation + 1)
        # No clock and no name of this machine travels.
        out = [f"commit {_NEXT}\nmark :1\ncommitter Holdfast <holdfast@localhost> {second} +0000\n".encode()]
        after = [*before.after, before.commit[:_BEGINNING]][-_MAX_BEFORE:] if before.commit else []
        names = f"After: {' '.join(after)}\n" if after else ""
        message = f"Memory\n\n{_GENERATION}{before.generation + 1}\n{names}".encode()
        out.append(b"data %d\n%s\n" % (len(message), message))
        out.append(f"from {before.commit}\n".encode() if before.commit and not anew else b"")
        out += [b"deleteall\n", *before.others]
        out += [f"M 100644 {blobs[path]} {path}\n".encode("utf-8", "surrogateescape") for path in same]
        out += [
            b"M 100644 inline %s\ndata %d\n%s\n" % (path.encode(), len(data), data) for path, data in changed.items()
        ]
        return self._run("fast-import", "--quiet", "--force", given=b"".join([*out, b"get-mark :1\n"])).decode().strip()

    def push(self, commit: str, before: BranchState, *, anew: bool) -> None:
        """Publish a commit in place of the state that was fetched; Behind where the remote has moved on."""
        lease = [f"--force-with-lease={BRANCH}:{before.commit}"] if anew or not before.commit else []
        try:
            pack = self._program("receive-pack")
            self._run("push", "--quiet", "--porcelain", *pack, *lease, self.url, f"{commit}:{BRANCH}")
        except HoldfastError as problem:
            if (_AHEAD_OF_LEASE if lease else _AHEAD).search(str(problem)):
                raise Behind from problem
            raise

    def _program(self, name: str) -> list[str]:
        """Return how the other end is run where it is a folder of this machine: with no program of its own."""
        url = self.url.removeprefix("file://")
        if not os.path.isabs(url):
            return []
        none = " ".join(f"-c {option}" for option in (f"core.hooksPath={os.devnull}", "core.alternateRefsCommand=true"))
        return [f"--{name}=git {none} {name}"]

    def forget_old(self, *, published: bool) -> None:
        """Take every object out of our repository that the state which was `published`, or else fetched, needs not."""
        last = f"update {_REMOTE} {_NEXT}\n" if published else ""
        self._run("update-ref", "--stdin", given=f"{last}delete {_NEXT}\n".encode())
        self._run("gc", "--quiet", "--prune=now")
        if published:
            files.remove(self.anew)

    def state(self, name: str, known: Mapping[str, bytes]) -> BranchState:
        """Return the state of a commit that was brought here; an empty one where there is none.

        `known` has what need not be read again, by the name that git gives to it.
        """
        if not name:
            return BranchState()
        rows = self._run("ls-tree", "-r", "-z", "--long", name).split(b"\0")[:-1]
        if len(rows) > _MAX_FILES:
            raise Refused(f"the branch has more than {_MAX_FILES:,} files", "Give a remote of its own.")
        ours: dict[str, str] = {}
        others = []
        for row in rows:
            about, _, name_of_file = row.partition(b"\t")
            mode, kind, blob, size = about.decode().split()
            path = name_of_file.decode("utf-8", "surrogateescape")
            if not kind_of(path):
                quoted = re.sub(rb'([\\"])', rb"\\\1", name_of_file).replace(b"\n", rb"\n")
                others.append(b'M %s %s "%s"\n' % (mode.encode(), blob.encode(), quoted))
            # Links and sub-modules are none of ours.
            elif kind == "blob" and mode in ("100644", "100755") and int(size) <= _MAX_BLOB:
                ours[path] = blob
        (commit, about), *read = self._objects([name, *{blob for blob in ours.values() if blob not in known}])
        every = {**known, **dict(read)}
        message = about.decode("utf-8", "replace")
        number = message.rpartition(_GENERATION)[2].split("\n")[0].strip()
        named = _AFTER.search(message)
        after = named[1].split()[-_MAX_BEFORE:] if named else []
        tree = {path: every[blob] for path, blob in ours.items()}
        # The number makes the time of a commit, and git knows no time without end.
        is_ours = number.isascii() and number.isdecimal() and len(number) < 10
        return BranchState(commit, ours, others, tree, int(number) if is_ours else 0, after)

    def every_object(self) -> Iterator[bytes]:
        """Yield all that our repository has, as git reads it, so much at once as memory is spared for."""
        names: list[str] = []
        size = 0
        for row in self._run("cat-file", "--batch-check", "--batch-all-objects").decode().splitlines():
            names.append(row.partition(" ")[0])
            size += int(row.rpartition(" ")[2])
            if size > _MAX_AT_ONCE:
                yield b"\n".join(data for _, data in self._objects(names))
                names, size = [], 0
        yield b"\n".join(data for _, data in self._objects(names))

    def _objects(self, names: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """Yield what git has under each name: its whole name, and its bytes."""
        told, at = self._run("cat-file", "--batch", given="".join(f"{name}\n" for name in names).encode()), 0
        while at < len(told):
            line = told[at : told.index(b"\n", at)]
            size, start = int(line.rpartition(b" ")[2]), at + len(line) + 1
            yield line.partition(b" ")[0].decode(), told[start : start + size]
            at = start + size + 1

    @cached_property
    def _ssh(self) -> str:
        """The program for ssh that the person uses, which must not ask for anything."""
        ssh = os.environ.get("GIT_SSH_COMMAND")
        if ssh is None and not os.path.isabs(self.url):
            with suppress(HoldfastError):
                ssh = self._run("config", "--get", "core.sshCommand").decode().strip()
        return f"{ssh or 'ssh'} -oBatchMode=yes"

    def _run(self, *words: str, given: bytes = b"", in_depot: bool = True) -> bytes:
        place = ["--git-dir", self.path] if in_depot else []
        # What git pushes into a folder has the modes of that folder's owner; what is ours is for nobody else.
        is_ours = words[0] != "push" and (in_depot or self.path in words)
        options = [word for name, value in _OPTIONS.items() for word in ("-c", f"{name}={value}")]
        try:
            ssh = self._ssh if words[0] in ("fetch", "push") else ""
            done = _done(["git", *place, *options, *words], given, self._seconds, ssh, 0o077 if is_ours else -1)
        except FileNotFoundError:
            raise StoreUnavailable("git is not installed", "Install git, then try again.") from None
        except subprocess.TimeoutExpired:
            raise Unreachable(f"the remote did not answer within {self._seconds:.0f} seconds", "Try again.") from None
        if done.returncode:
            said = (done.stderr + done.stdout).decode("utf-8", "replace").strip()
            if _AWAY.search(said) and not _DENIED.search(said):
                raise Unreachable(f"the remote cannot be reached: {telling(said)}", _TRY)
            # A commit is made again with the same name where the remote lost it; git may have it here without a parent.
            is_ours_alone = words[0] not in ("fetch", "push") or self.path in said or "shallow update" in said
            is_damaged = in_depot and is_ours_alone
            kind = Damaged if is_damaged else Refused
            raise kind(f"git {words[0]} failed: {said or done.returncode}", "Try the same with git itself.")
        return done.stdout


def _done(words: list[str], given: bytes, seconds: float, ssh: str, umask: int) -> subprocess.CompletedProcess[bytes]:
    """Run a program without a terminal; where it takes too long it ends with all that it started."""
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("GIT_") or name in _OWN},
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "true",
        "SSH_ASKPASS": "true",
        "GIT_SSH_COMMAND": ssh,
        # Objects have the names that `blob_of` gives them, whatever the person's new repositories have.
        "GIT_DEFAULT_HASH": "sha1",
        "LC_ALL": "C",
    }
    pipe = subprocess.PIPE
    with subprocess.Popen(
        words, stdin=pipe, stdout=pipe, stderr=pipe, env=environment, umask=umask, start_new_session=True
    ) as process:
        try:
            out, complaints = process.communicate(given, seconds)
        except BaseException:
            # git leaves the helper that talks to the host behind.
            os.killpg(process.pid, signal.SIGKILL)
            raise
    return subprocess.CompletedProcess(words, process.returncode, out, complaints)


def telling(said: str) -> str:
    """Return the line of what git says that tells the cause."""
    lines = said.splitlines()
    # What the host or ssh says stands before what git makes of it.
    telling = ("ERROR:", "ssh:", "Permission denied", "Host key", "fatal:", "error:")
    found = (line.strip() for start in telling for line in lines if line.startswith(start) or f": {start}" in line)
    return next(found, lines[-1])


def blob_of(data: bytes) -> str:
    """Return the name that git gives to these bytes."""
    return sha1(b"blob %d\0%s" % (len(data), data), usedforsecurity=False).hexdigest()


# What a person may have set for their own remotes.
_OWN = (
    *("GIT_SSH_COMMAND", "GIT_SSH_VARIANT", "GIT_SSL_CAINFO", "GIT_SSL_NO_VERIFY", "GIT_CONFIG_GLOBAL"),
    "GIT_PROXY_COMMAND",
)
