"""What was done in a session, gathered from its tool calls."""

from __future__ import annotations

import pytest

from holdfast.records import replace
from holdfast.sessions.names import whole_path
from holdfast.sessions.troubles import MAX_TROUBLES
from holdfast.sessions.work import ToolWork

from .making import digested, edited, human, ran


def test_what_is_gathered_is_bounded() -> None:
    """However many files, commands, errors and commits there are, only so many are held, and the rest is counted."""
    work = ToolWork()
    for number in range(1_300):
        letters = "".join(chr(97 + int(digit)) for digit in str(number))
        work.take(edited(f"{number}.py"))
        if number >= 450:
            continue
        work.take(ran(f"tool-{number}", f"error: {letters}", True))
        work.take(ran(f"git commit -m {letters}", f"[main {number:07x}] {letters}"))
        work.take(ran("gh pr create", f"https://git.example/a/b/pull/{number}"))
    assert len(work.files) == 1_000
    assert work.left_out["files"] == 300
    assert len(work.runs) <= 400
    assert len(work.troubles.all()) == MAX_TROUBLES
    assert len(work.commits) == len(work.pull_requests) == 40
    assert work.commits_made == 450


def test_a_file_that_is_changed_again_moves_to_the_end() -> None:
    """Files stand in the order of their last change, with how often each was changed."""
    work = ToolWork()
    for path in ("a.py", "b.py", "a.py"):
        work.take(edited(path))
    assert [(one.path, one.changes) for one in work.files.values()] == [("b.py", 1), ("a.py", 2)]


def test_a_file_is_one_file_from_whichever_folder() -> None:
    """Paths are told from the session's folder where they are below it, from their own folder where that is another."""
    work = ToolWork()
    for folder, path in (
        ("/home/ann/shop", "src/a.py"),
        ("/home/ann/shop/src", "a.py"),
        ("/home/ann/shop/src", "/home/ann/shop/b.py"),
        ("/home/ann/other", "c.py"),
        ("/home/ann/other", "/etc/d"),
    ):
        work.take(replace(edited(path), folder=folder))
    found = [(one.path, one.folder, one.changes) for one in work.changed_from("/home/ann/shop")]
    assert found == [("src/a.py", "", 2), ("b.py", "", 1), ("c.py", "/home/ann/other", 1), ("/etc/d", "", 1)]


def test_a_call_that_was_never_answered_proves_nothing() -> None:
    """A session that ends in the middle of a build, a test or a commit has neither passed nor made anything."""
    work = ToolWork()
    for command in ("make", "pytest", "git commit -m x", "gh pr create"):
        work.take(replace(ran(command), answered=False))
    assert work.evidence() == [] and work.commits_made == 0
    assert {run.result for run in work.runs.values()} == {"unknown"}


def test_a_check_that_does_not_say_how_it_ended_hides_no_other() -> None:
    """The last result that is known counts as evidence."""
    work = ToolWork()
    work.take(ran("pytest", "1 failed", True))
    work.take(ran("pytest | tail -1", ""))
    assert [one.name for one in work.evidence()] == ["tests-failed"]


def test_paths_of_windows_are_read_as_such() -> None:
    """They are told from the session's folder with slashes, however the drive and the separators are written."""
    work = ToolWork()
    for path in ("C:\\Users\\ann\\shop\\src\\a.py", "c:/Users/ann/shop/src/a.py", "src\\a.py", "D:\\other\\b.py"):
        work.take(replace(edited(path), folder="C:\\Users\\ann\\shop"))
    changed = work.changed_from("c:\\Users\\ann\\shop")
    assert [(one.path, one.changes, one.folder) for one in changed] == [("src/a.py", 3, ""), ("D:/other/b.py", 1, "")]
    assert whole_path("C:\\Users\\ann\\shop", "src/a.py") == "C:/Users/ann/shop/src/a.py"
    assert whole_path("C:\\Users\\ann\\shop", "D:/other/b.py") == "D:/other/b.py"


@pytest.mark.parametrize(
    ("line", "files"),
    [
        ("python3 - <<'E'\nwith open('src/a.py', 'w') as f: f.write(text)\nE", ["src/a.py"]),
        ("python3 -c \"from pathlib import Path; Path('b.md').write_text('x')\"", ["b.md"]),
        ("sed -i '' 's/a/b/' src/c.py", ["src/c.py"]),
        ("sed -i '' 's/a/b/' src/*.py", []),
        ("printf '<svg/>' > logo.svg && git add logo.svg", ["logo.svg"]),
        ("cat > notes.md <<'E'\nhello\nE", ["notes.md"]),
        ("python3 - <<'E'\nprint(open('src/a.py', 'r').read())\nE", []),
        ("go test ./... > out.txt 2>&1", []),
        ("echo x > /tmp/x.txt", []),
    ],
)
def test_files_that_a_line_of_the_shell_writes_are_changed(line, files) -> None:
    """As an editor would: by a short script, in place, or out of the line itself; not where an output goes."""
    assert [one.path for one in digested(human("Go on"), ran(line, "ok")).files] == files


@pytest.mark.parametrize(
    "output",
    ["FAILED: old string not found\n'def total'", "Exit code: 0\nOutput:\nPattern not found", "no match for total"],
)
def test_a_script_that_found_nothing_to_replace_changed_nothing(output: str) -> None:
    """It is an edit that was not taken, and told where none was taken after it."""
    script = "python3 - <<'EOF'\ns = open('a.py').read()\nopen('a.py', 'w').write(s.replace('x', 'y'))\nEOF"
    missed, taken = ran(script, output), ran(script, "replaced")
    made = digested(human("Add a cart"), missed)
    assert (made.files, made.commands, made.failed_calls) == ((), (), 1)
    assert [(one.about, one.ended) for one in made.troubles] == [("a.py", "left")]
    made = digested(human("Add a cart"), missed, taken)
    assert [one.changes for one in made.files] == [1] and made.troubles == ()
