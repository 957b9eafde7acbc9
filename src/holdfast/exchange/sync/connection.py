"""Connecting a home with its remote, asking how they stand, and parting them."""

from __future__ import annotations

import os
import shlex
import shutil
from dataclasses import dataclass

from holdfast.base import files
from holdfast.errors import BadInput, Conflict, HoldfastError, NotFound, Refused
from holdfast.exchange.sync import payload
from holdfast.exchange.sync.depot import Depot, has_remote
from holdfast.exchange.sync.merge_base import Agreed
from holdfast.privacy.redact import redact
from holdfast.store import layout
from holdfast.workspace import Workspace

_WAYS = "Give a git remote of your own, or a folder: holdfast sync init git@host:me/memory.git"


def init(workspace: Workspace, url: str) -> str:
    """Connect the home with a remote, which is only looked at; return its address."""
    workspace.need_enabled()
    workspace.need_person("connects a home with a remote")
    depot = Depot(workspace.home)
    if has_remote(workspace.home):
        raise Conflict(f"this home syncs with {depot.url}", "First: holdfast sync leave")
    url = url or _known_remote(workspace.home)
    if not url:
        raise BadInput("there is no remote to sync with", _WAYS)
    if url.startswith("-") or "::" in url or not url.isprintable():
        raise BadInput(f"{url!a} is not an address to sync with", _WAYS)
    if redact(url)[1]:
        raise Refused("the address has a password in it", "Let git's credential helper keep it.")
    folder = workspace.folder or os.getcwd()
    is_home = os.path.realpath(folder).startswith(os.path.realpath(workspace.home))
    if not is_home and url == depot.origin_of(folder):
        hint = "Give a remote of your own; `holdfast team promote` shares one memory with whoever reads this one."
        raise Refused("that is the remote of the project in this folder, whose readers are not you alone", hint)
    if os.path.isdir(url):
        url = _folder(workspace, os.path.abspath(url))
    elif ":" not in url and not os.path.lexists(url):
        # A typing error or a stick that is not in: a folder that nobody meant is not made.
        raise NotFound(f"there is no folder {url}", f"Where it is the right one: mkdir -p {shlex.quote(url)}")
    files.make_folder(workspace.home)
    try:
        depot.create(url)
        depot.look()
    except HoldfastError:
        leave(workspace)
        raise
    _hide_from_git(workspace.home)
    # A new home gets its index while there is nothing in it: none has to be rebuilt when memories come.
    workspace.refresh(None)
    return url


def _hide_from_git(home: str) -> None:
    """Let a repository in which somebody keeps the home leave out what of it is of one machine, or is a second copy."""
    folder = os.path.join(home, ".git")
    if not files.is_plain_folder(folder):
        return
    path = layout.contained(home, ".git/info/exclude")
    there = files.read_if_there(path).decode("utf-8", "surrogateescape")
    if new := [line for line in _OF_THIS_MACHINE if line not in there.splitlines()]:
        text = f"{there}{'' if there.endswith(chr(10)) or not there else chr(10)}" + "".join(f"{one}\n" for one in new)
        files.put(path, text.encode("utf-8", "surrogateescape"))


def _folder(workspace: Workspace, url: str) -> str:
    """Return the repository in a folder of this machine: itself, or one that is made in it."""
    if os.path.isfile(os.path.join(url, "HEAD")) or os.path.exists(os.path.join(url, ".git")):
        return url
    if os.path.realpath(url).startswith(os.path.realpath(workspace.home)):
        raise BadInput(f"{url} lies in the home itself", _WAYS)
    inner = os.path.join(url, "holdfast.git")
    if not os.path.isdir(inner):
        Depot(workspace.home).create_remote(inner)
    return inner


def _known_remote(home: str) -> str:
    """Return the remote of a home that somebody put under git by hand."""
    for folder in (home, os.path.join(home, "memory")):
        if os.path.exists(os.path.join(folder, ".git")):
            return Depot(home).origin_of(folder)
    return ""


# The index and what a sync keeps, as git is told to leave them out.
_OF_THIS_MACHINE = ("/sync/", "/state/", "/index.db*")


@dataclass(frozen=True, slots=True)
class SyncStatus:
    """Where a home syncs to, which generation it has, how many files changed since, and when it was last reached."""

    url: str = ""
    generation: int = 0
    waiting: int = 0
    reached: str = ""


def status(workspace: Workspace) -> SyncStatus:
    """Return how the home stands; nothing is asked of the remote."""
    depot = Depot(workspace.home)
    if not has_remote(workspace.home):
        return SyncStatus()
    agreed, here = Agreed(workspace.home), payload.Home(workspace).files
    waiting = [path for path in {*here, *agreed.files} if here.get(path) != agreed.files.get(path)]
    return SyncStatus(depot.url, agreed.generation, len(waiting), depot.reached)


def leave(workspace: Workspace) -> None:
    """Take the connection out; the home and the remote stay as they are."""
    workspace.need_person("ends a sync")
    shutil.rmtree(os.path.join(workspace.home, "sync"), ignore_errors=True)
