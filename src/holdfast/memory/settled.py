"""Which findings of lint a person has decided about, so that they are not asked again.

Identity. A finding has an id of its kind, its place and its words, so the same finding has the same id on every run.

Bytes. `proposals/settled/ID` has one line: a digest of the files that the finding is about, and until when it is put
off, if it is. The decision holds while those files are as they were; who changes one is asked again.

Writing. A decision is written whole and durably. A file that cannot be read decides nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from holdfast.base import files
from holdfast.base.clock import now
from holdfast.base.text import hash_of
from holdfast.records import Problem
from holdfast.workspace import Workspace

FOLDER = "proposals/settled"


def id_of(problem: Problem) -> str:
    """Return the id of a finding."""
    return hash_of(problem.kind, problem.path, str(problem.line), problem.text, length=8)


def path_of(problem: Problem) -> str:
    """Return the file that has the decision about a finding, relative to the home."""
    return f"{FOLDER}/{id_of(problem)}"


def note(home: str, problem: Problem, until: str = "") -> None:
    """Keep that a finding is decided, or put off until then."""
    files.refuse_links(home, FOLDER)
    files.make_folder(os.path.join(home, FOLDER))
    files.write(os.path.join(home, path_of(problem)), f"{_state(home, problem)}\t{until}\n".encode("ascii"))


def standing(workspace: Workspace, problems: Iterable[Problem]) -> list[Problem]:
    """Return the problems on which no decision stands."""
    known = set(files.names_in(os.path.join(workspace.home, FOLDER)))
    return [one for one in problems if id_of(one) not in known or not _holds(workspace.home, one)]


def _holds(home: str, problem: Problem) -> bool:
    """Whether a decision still holds: the files of the finding are as they were, and a snooze is not over."""
    text = files.read_if_there(os.path.join(home, path_of(problem))).decode("ascii", "replace")
    state, _, until = text.strip("\n").partition("\t")
    return state == _state(home, problem) and (not until or until > now())


def _state(home: str, problem: Problem) -> str:
    """Return a digest of the present state of the files that a finding is about."""
    paths = [os.path.join(home, "memory", path) for path in (problem.path, problem.other) if path]
    return hash_of(*(files.read_if_there(path).decode("utf-8", "surrogateescape") for path in paths), length=20)
