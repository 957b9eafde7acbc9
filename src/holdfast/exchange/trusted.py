"""Whose changes of a team's files need no second word: those on a branch of a remote, or signed by a key, that the
person trusts.

A branch is one that git fetched from a remote; a file is trusted as it stands there, so whoever may merge there may say
what agents are told. A signer is an SSH key or the fingerprint of an OpenPGP key; a file is trusted as the last commit
left it that changed it, where that commit is signed so. Git is asked, with no program that the repository names, and
what it cannot answer soon is not trusted.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterable, Mapping
from hashlib import sha1, sha256

from holdfast.errors import BadInput, NotFound
from holdfast.project import git_program

BRANCH, SIGNER = "branch:", "signer:"
_REMOTE_BRANCHES = "refs/remotes/"
_SECONDS = 1.0
# More commits than this are not looked at; their files wait for the person.
_MAX_COMMITS = 20
_SSH_KEY = re.compile(r"(?:ssh-|ecdsa-|sk-)[a-z0-9@.-]+ [A-Za-z0-9+/]{40,}={0,3}")
_FINGERPRINT = re.compile(r"[0-9A-F]{40}|[0-9A-F]{64}")
_ALONE = (
    "log.showSignature=false",
    *("gpg.program=gpg", "gpg.openpgp.program=gpg", "gpg.ssh.program=ssh-keygen", "gpg.minTrustLevel=undefined"),
)


def branch(root: str, name: str) -> str:
    """Return the trust in a branch of a remote, such as origin/main; NotFound where git fetched none of that name."""
    if _git(root, "rev-parse", "--verify", "--quiet", f"{_REMOTE_BRANCHES}{name}") is None:
        hint = "Name a branch of a remote, such as origin/main; anybody on this machine can move a local one."
        raise NotFound(f"{name!a} is not a branch of a remote of this repository", hint)
    return f"{BRANCH}{name}"


def signer(given: str) -> str:
    """Return the trust in a signer: an SSH public key, the file of one, or the fingerprint of an OpenPGP key."""
    path = os.path.expanduser(given)
    if os.path.isfile(path):
        with open(path, encoding="utf-8", errors="replace") as file:
            given = file.read(4_096)
    plain = given.replace(" ", "").upper().removeprefix("0X")
    if _FINGERPRINT.fullmatch(plain):
        return f"{SIGNER}{plain}"
    if found := _SSH_KEY.match(given.strip()):
        return f"{SIGNER}{found[0]}"
    raise BadInput("this is neither an SSH public key nor a fingerprint", "Give a .pub file, or all 40 digits.")


def among(root: str, texts: Mapping[str, str], trusts: Iterable[str]) -> set[str]:
    """Return which of these files of a work tree, by path, are trusted as they are."""
    found: set[str] = set()
    for trust in trusts:
        left = {path: text for path, text in texts.items() if path not in found}
        if trust.startswith(BRANCH):
            found |= _standing(root, left, f"{_REMOTE_BRANCHES}{trust.removeprefix(BRANCH)}")
        elif trust.startswith(SIGNER):
            standing = _standing(root, left, "HEAD")
            found |= _signed(root, sorted(standing), trust.removeprefix(SIGNER))
    return found


def _standing(root: str, texts: Mapping[str, str], ref: str) -> set[str]:
    """Return the files that a commit has just as they are here."""
    listed = _git(root, "ls-tree", "-r", "-z", "--full-tree", ref, "--", *texts) if texts else None
    rows = [row.partition("\t") for row in (listed or "").split("\0") if row]
    there = {path: about.split(" ") for about, _, path in rows}
    return {
        path
        for path, text in texts.items()
        if there.get(path, [""])[0] == "100644" and there[path][2] == _blob(text, len(there[path][2]))
    }


def _blob(text: str, digits: int) -> str:
    data = text.encode("utf-8", "surrogatepass")
    whole = b"blob %d\0%s" % (len(data), data)
    return sha256(whole).hexdigest() if digits == 64 else sha1(whole, usedforsecurity=False).hexdigest()


def _signed(root: str, paths: list[str], key: str) -> set[str]:
    """Return the files that the last commit which changed them left signed by this key."""
    last = {path: (_git(root, "log", "-1", "--format=%H", "--", path) or "").strip() for path in paths}
    commits = list(dict.fromkeys(filter(None, last.values())))[:_MAX_COMMITS]
    with tempfile.TemporaryDirectory() as folder:
        known = os.path.join(folder, "signers")
        with open(known, "w", encoding="utf-8") as file:
            file.write("" if _FINGERPRINT.fullmatch(key) else f"* {key}\n")
        options = ("-c", f"gpg.ssh.allowedSignersFile={known}", "-c", f"gpg.ssh.revocationFile={os.devnull}")
        told = {
            one: (_git(root, *options, "log", "-1", "--format=%G?%n%GF%n%GP", one) or "").split("\n") for one in commits
        }
    good = {one for one, (verdict, *names) in told.items() if _is_of(key, verdict, names)}
    return {path for path, commit in last.items() if commit in good}


def _is_of(key: str, verdict: str, names: list[str]) -> bool:
    """Whether git's verdict says that this key signed: of OpenPGP by its fingerprint, of SSH as the only one known.

    `U` is a signature whose key nobody vouches for. In OpenPGP the fingerprint does; in SSH it is a stranger's.
    """
    if _FINGERPRINT.fullmatch(key):
        return verdict in ("G", "U") and key in names
    return verdict == "G" and names[0].startswith("SHA256:")


def _git(root: str, *words: str) -> str | None:
    """Return what git prints; None where it fails or takes long."""
    options = [word for option in _ALONE for word in ("-c", option)]
    return git_program.run(root, *options, *words, hook_seconds=_SECONDS)
