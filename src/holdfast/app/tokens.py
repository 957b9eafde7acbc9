"""Tokens: what programs may do over `holdfast serve`, who are not the person at the page, and in which projects.

Identity. A token is known by its id and its name; its secret is shown once, when it is made, and only a digest of it is
kept. The secret has 256 random bits, so a plain digest is enough: nobody finds it by trying.

Rights. `may` is read, write or review, and each includes the one before. Whoever may review speaks for the person; who
may write is a program, whose words are at most an agent's. `projects` bounds all of it; none are all of them.

Writing. `tokens.json` is replaced whole and durably, under a lock. When a token was last used is a file of
`state/tokens`, which may be deleted. What is no token in the file gives nobody a right.
"""

from __future__ import annotations

import hmac
import json
import os
import secrets
import time
from dataclasses import asdict, dataclass, fields, replace
from hashlib import sha256

from holdfast.base import files
from holdfast.base.clock import DAY_SECONDS, iso, now
from holdfast.base.text import by_prefix, one_line
from holdfast.errors import BadInput, BrokenFile, Conflict, Refused
from holdfast.memory.remember import refuse_secret
from holdfast.project.ids import check_id
from holdfast.workspace import Workspace

RIGHTS = ("read", "write", "review")
MAX_TOKENS = 200
MAX_DAYS = 3_650
# The prefix by which our tokens are recognized, also when secrets are taken out of a text.
PREFIX = "holdfast_pat_"
_MAX_NAME = 60
# How often the use of a token is noted, in seconds.
_NOTED_EVERY = 60.0


@dataclass(frozen=True, slots=True)
class Token:
    """One token: what it is for, what it may do and where, and until when; `used` is when it last was."""

    id: str
    name: str
    digest: str
    may: str = "read"
    projects: tuple[str, ...] = ()
    created: str = ""
    expires: str = ""
    used: str = ""

    @property
    def rights(self) -> tuple[str, ...]:
        """All that it may do."""
        return RIGHTS[: RIGHTS.index(self.may) + 1]

    @property
    def is_over(self) -> bool:
        """Whether its time is over."""
        return bool(self.expires) and self.expires <= now()


def new(
    workspace: Workspace, name: str, *, may: str = "read", projects: tuple[str, ...] = (), days: int | None = None
) -> tuple[Token, str]:
    """Make a token and return it with its secret, which nothing can show again."""
    workspace.need_person("makes tokens")
    label = one_line(name.strip(), _MAX_NAME)
    if not label:
        raise BadInput("a token needs a name", "Say what it is for: holdfast tokens new my-script")
    refuse_secret(label, "the name of the token")
    if may not in RIGHTS:
        raise BadInput(f"{may!a} is not a right that a token can have", f"Use one of {', '.join(RIGHTS)}.")
    if days is not None and not 1 <= days <= MAX_DAYS:
        raise BadInput(f"a token cannot last {days} days", f"Use 1 to {MAX_DAYS}, or leave it out.")
    names = tuple(dict.fromkeys(workspace.registry.known().canonical(check_id(one, "project")) for one in projects))
    secret = PREFIX + secrets.token_urlsafe(32)
    expires = iso(time.time() + days * DAY_SECONDS) if days else ""
    token = Token(secrets.token_hex(4), label, _digest(secret), may, names, now(), expires)
    files.make_folder(workspace.home)
    with files.lock_of(workspace.home, "tokens"):
        # An expired token grants nothing, so it need not be kept.
        kept = [one for one in tokens(workspace.home) if not one.is_over]
        if len(kept) >= MAX_TOKENS:
            raise Refused(f"there are {MAX_TOKENS} tokens", "Revoke one first: holdfast tokens revoke ID")
        if any(one.name == label for one in kept):
            raise Conflict(f"there is a token {label} already", "Revoke it first, or take another name.")
        _write(workspace.home, [*kept, token])
    return token, secret


def tokens(home: str) -> list[Token]:
    """Return all tokens, oldest first, each with when it was last used."""
    path = _path(home)
    try:
        rows = json.loads(files.read_if_there(path) or b"[]")
        found = [Token(**{**row, "projects": tuple(row["projects"])}) for row in rows]
    except (ValueError, TypeError, KeyError, AttributeError):
        raise BrokenFile(f"{path} cannot be read", "Delete it, and make new tokens.") from None
    used = [(one, files.written_at(_use_path(home, one.id))) for one in found if one.may in RIGHTS]
    return [replace(one, used=iso(at / 1e9) if at else "") for one, at in used]


def revoke(workspace: Workspace, name: str) -> Token:
    """Take a token back, by its name or id or the beginning of it; from then on it opens nothing."""
    workspace.need_person("revokes tokens")
    with files.lock_of(workspace.home, "tokens"):
        found = tokens(workspace.home)
        known = {**{one.name: one for one in found}, **{one.id: one for one in found}}
        gone = by_prefix(name, known, "no token", "`holdfast tokens` lists them.")
        _write(workspace.home, [one for one in found if one.id != gone.id])
    files.remove(_use_path(workspace.home, gone.id))
    return gone


def check(home: str, secret: str) -> Token | None:
    """Return the token of this secret, if there is one and it holds, and note that it was used."""
    wanted = _digest(secret)
    found = next((one for one in tokens(home) if hmac.compare_digest(one.digest, wanted)), None)
    if found is None or found.is_over:
        return None
    path = _use_path(home, found.id)
    if time.time() - files.written_at(path) / 1e9 > _NOTED_EVERY:
        files.put(path, b"", durable=False)
    return found


def _digest(secret: str) -> str:
    return sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def _path(home: str) -> str:
    return os.path.join(home, "tokens.json")


def _use_path(home: str, name: str) -> str:
    return os.path.join(home, "state", "tokens", name)


def _write(home: str, found: list[Token]) -> None:
    kept = [one.name for one in fields(Token) if one.name != "used"]
    rows = [{name: value for name, value in asdict(one).items() if name in kept} for one in found]
    files.write(_path(home), (json.dumps(rows, ensure_ascii=False, indent=1) + "\n").encode())
