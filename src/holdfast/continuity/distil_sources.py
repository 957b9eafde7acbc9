"""What `holdfast distil` reads of a project: digests, daily logs, decisions and todos, brought into one form."""

from __future__ import annotations

import os

from holdfast.base import files, rows
from holdfast.base.clock import iso, now
from holdfast.base.digests import short
from holdfast.base.light_records import replace
from holdfast.continuity import log, page, pages
from holdfast.continuity.distil import TODO_GAP, Decided, Material, Task
from holdfast.continuity.distil_standing import clean, decisions
from holdfast.continuity.notes import folders, path_of
from holdfast.continuity.workstreams import Work
from holdfast.errors import HoldfastError, NotFound
from holdfast.sessions import browse as sessions
from holdfast.sessions.archive import Archive
from holdfast.store.session_table import Wanted
from holdfast.workspace import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.continuity.check_boxes import Todo
    from holdfast.continuity.log import Entry
    from holdfast.sessions.facts import Digest, FileChange

MAX_SESSIONS = 500
MAX_DAYS = 400
_MAX_TROUBLES = 3
_ENDS_NAMES = ("-m", "--message", "-F", "-s", "-X", "--into-name", "&&", "||", ";", "|", "&", ">")


def gather(workspace: Workspace, since: str, *, remember: bool) -> Material:
    """Return what the sources say from a time on; with `remember` it is noted since when each todo is known."""
    own, older = folders(workspace)
    at = now()
    works, loose = _works(workspace, own, since)
    decided, ended = decisions(own, older)
    text = page.read(own, older)
    return Material(
        today=at[:10],
        works=tuple(works),
        decided=(*decided, *loose),
        ended=tuple(ended),
        tasks=tuple(_tasks(workspace, pages.todos(own, older), text, at[:10], remember=remember)),
        page=text,
    )


def _works(workspace: Workspace, folder: str, since: str) -> tuple[list[Work], list[Decided]]:
    """Return one record for each session: by its digest, and by the log where there is no digest of it."""
    root = workspace.project().root
    found = {work.source: work for work in _digested(workspace, root, since)}
    loose: list[Decided] = []
    for day in [day for day in log.days(folder)[:MAX_DAYS] if day >= since[:10]]:
        try:
            told, said = log.entries(folder, day)
        except HoldfastError as problem:
            workspace.say(f"log/{day}.md is passed over: {problem}")
            continue
        loose += [Decided(day, text, source=f"log/{day}.md") for text in said]
        for entry in told:
            name = f"{entry.agent}/{entry.session}"
            there = found.get(name)
            found[name] = _with_log(there, entry) if there else _logged(entry, root, day)
    return list(found.values()), loose


def _digested(workspace: Workspace, root: str, since: str) -> list[Work]:
    project = workspace.project()
    wanted = Wanted((project.id, *project.aliases), since=since, subagents=False)
    rows = sessions.ask(workspace, lambda table: table.find(wanted, MAX_SESSIONS))
    archive = Archive(workspace.home)
    found = []
    for row in rows:
        try:
            found.append(_of_digest(archive.digest(row.name), root))
        except NotFound:
            continue
        except HoldfastError as problem:
            workspace.say(f"{row.name} is passed over: {problem}")
    return found


def _of_digest(digest: Digest, root: str) -> Work:
    session = digest.session
    paths = [_path(change, session.folder, root) for change in digest.files]
    return Work(
        source=session.name,
        agent=session.agent,
        ended=session.ended or session.started,
        title=digest.title,
        outcome=digest.outcome.kind,
        branches=digest.branches or ((session.branch,) if session.branch else ()),
        files=tuple(dict.fromkeys(path for path in paths if path)),
        merged=tuple(_merged(digest)),
        failed=tuple(_failed(digest)),
        decided=tuple(one.text for one in digest.said if one.kind == "decision"),
    )


def _failed(digest: Digest) -> list[str]:
    """Return what still failed at the end: checks, or where none did the last errors that nobody put right."""
    checks = [run.text.removesuffix("2>&1").strip() for run in digest.checks if run.result == "failed"]
    # The same check behind a wrapper is no second gap.
    checks = [one for one in dict.fromkeys(checks) if not any(one != other and one.endswith(other) for other in checks)]
    left = [trouble.text for trouble in digest.troubles if trouble.ended == "left"]
    return checks or list(dict.fromkeys(left))[-_MAX_TROUBLES:]


def _merged(digest: Digest) -> list[str]:
    """Return the branches that a session merged: those that it named, or with a pull request its own."""
    found: list[str] = []
    for run in digest.commands:
        words = run.text.split()
        if run.result != "passed" or "merge" not in words:
            continue
        at = words.index("merge")
        by_request = words[at - 1] in ("pr", "mr")
        if not by_request and "git" not in words[max(0, at - 3) : at]:
            continue
        found += digest.branches if by_request else ()
        # Behind these stands a message, or another command.
        end = next((place for place in range(at, len(words)) if words[place] in _ENDS_NAMES), len(words))
        found += [word.rstrip(";").removeprefix("origin/") for word in words[at + 1 : end] if word[:1] != "-"]
    return found


def _path(change: FileChange, folder: str, root: str) -> str:
    """Return a changed file as seen from the project's root, nothing for one outside of it."""
    whole = os.path.normpath(os.path.join(change.folder or folder, change.path))
    # A session may have worked in another clone or worktree of the same project.
    for base in (root, folder):
        if base and whole.startswith(base.rstrip("/") + "/"):
            return whole[len(base.rstrip("/")) + 1 :]
    return ""


def _logged(entry: Entry, root: str, day: str) -> Work:
    paths = [path.removeprefix(root.rstrip("/") + "/") if root else path for path in entry.files]
    return Work(
        source=f"{entry.agent}/{entry.session}",
        agent=entry.agent,
        ended=entry.ended or entry.began or day,
        title=entry.title,
        outcome=entry.outcome,
        files=tuple(path for path in paths if path and not os.path.isabs(path)),
        failed=entry.failed,
        decided=tuple(log.decided(entry)),
    )


def _with_log(work: Work, entry: Entry) -> Work:
    return replace(work, decided=tuple(dict.fromkeys((*work.decided, *log.decided(entry)))))


def _tasks(workspace: Workspace, todos: tuple[Todo, ...], text: str, today: str, *, remember: bool) -> list[Task]:
    """Return the todos, each with the day since when it is known to stand there; one that was taken out as done."""
    path = os.path.join(workspace.home, "state", "distil", f"{workspace.project().id}.tsv")
    seen = _seen(path)
    unchanged = _day_of_change(path_of(workspace, pages.TODO), today)
    found, known = [], {}
    for todo in todos:
        name = short(todo.text, length=16)
        known[name] = min(seen.get(name, today), unchanged)
        found.append(Task(clean(todo.text), todo.done, known[name]))
    for gone in _open_gaps(text):
        name = short(gone, length=16)
        if name in seen and name not in known:
            # It is remembered as long as the page has it as an open gap.
            known[name] = seen[name]
            found.append(Task(gone, True, known[name]))
    if remember and known != seen:
        files.make_folder(os.path.dirname(path))
        files.write(path, "".join(f"{name}\t{day}\n" for name, day in known.items()).encode())
    return found


def _open_gaps(text: str) -> list[str]:
    """Return the todos that the page has as gaps which are open."""
    rows = [row for row in page.entries(text) if row.section == "Known gaps" and row.value != page.CLOSED]
    return [row.name[len(TODO_GAP) :] for row in rows if row.name.startswith(TODO_GAP)]


def _seen(path: str) -> dict[str, str]:
    found = [line.decode("utf-8", "replace").split("\t") for line in rows.read(path)]
    return {row[0]: row[1] for row in found if len(row) == 2}


def _day_of_change(path: str, today: str) -> str:
    """Return the day on which a page was last written: what stands in it stands there since then at least."""
    try:
        at = os.stat(path, follow_symlinks=False).st_mtime
    except OSError:
        return today
    return iso(at)[:10]
