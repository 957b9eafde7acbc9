"""A file that has a rule is known by whatever name a call has for it, as far as a look at the disk tells."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

PATCH = "--- a/db/migrations/1.sql\n+++ b/db/migrations/1.sql\n@@ -1 +1 @@\n-x\n+y\n"
OTHER = PATCH.replace("db/migrations", "src")


@pytest.fixture
def ruled(store, shop) -> Path:
    """A project with a rule about a folder, and names that lead there."""
    (shop / "db" / "migrations").mkdir(parents=True)
    (shop / "db" / "migrations" / "1.sql").write_text("x\n", encoding="utf-8")
    (shop / "src").mkdir(exist_ok=True)
    (shop / "src" / "a.py").write_text("x\n", encoding="utf-8")
    (shop / "fix.patch").write_text(PATCH, encoding="utf-8")
    (shop / "other.patch").write_text(OTHER, encoding="utf-8")
    (shop / "m").symlink_to("db/migrations")
    (shop / "first").symlink_to("db/migrations/1.sql")
    (shop / "code").symlink_to("src")
    store("Never edit anything in db/migrations/.")
    return shop


@pytest.mark.parametrize(
    ("line", "is_held"),
    [
        ("echo y > first", True),
        ("sed -i s/x/y/ m/1.sql", True),
        ("cd db && rm -f ../first", True),
        ("sed -i s/x/y/ code/a.py", False),
        ("cat first", False),
        ("find db/migrations -name '*.sql' -exec rm {} \\;", True),
        ("find . -name '*.sql' -exec sed -i s/x/y/ {} +", True),
        ("find . -name '*.sql' -delete", True),
        ("find . -name '*.py' -exec rm {} +", False),
        ("find . -name '*.sql' -exec grep x {} +", False),
        ("find . -name '*.sql' -exec cp {} /tmp/ \\;", False),
        ("find . -path ./db -prune -o -name '*.sql' -exec rm {} +", False),
        ("find db -name '*.sql' -print0 | xargs -0 rm", True),
        ("find db -name '*.sql' | xargs -I % mv % old/", True),
        ("find db -name '*.sql' | xargs grep -l x", False),
        ("ls db/migrations/*.sql | xargs rm", True),
        ("git ls-files db | xargs sed -i s/x/y/", True),
        ("git ls-files src | xargs sed -i s/x/y/", False),
        ("grep -rl x db/migrations | xargs sed -i s/x/y/", True),
        ("cat db/migrations/names.txt | xargs rm", False),
        ("git apply fix.patch", True),
        ("git -C . apply --index fix.patch", True),
        ("cd src && git apply ../fix.patch", False),
        ("git apply --check fix.patch", False),
        ("git apply other.patch", False),
        ("git apply gone.patch", False),
        ("patch -p1 < fix.patch", True),
        ("patch -p1 -i fix.patch", True),
        ("patch -p1 --dry-run -i fix.patch", False),
        ("cat fix.patch | git apply", True),
        (f"git apply <<'EOF'\n{PATCH}EOF", True),
        (f"git apply <<'EOF'\n{OTHER}EOF", False),
    ],
)
def test_a_line_is_held_that_changes_a_ruled_file_without_its_name(ruled, call, line: str, is_held: bool) -> None:
    """By a link, by a command that finds it, lists it, or applies a patch to it."""
    assert bool(call(line).held) is is_held


@pytest.mark.parametrize(
    ("name", "is_held"), [("m/1.sql", True), ("first", True), ("m/new.sql", True), ("code/a.py", False)]
)
def test_an_edit_through_a_link_is_held(ruled, call, name: str, is_held: bool) -> None:
    """Whether the link is the file or a folder above it."""
    told = {"file_path": str(ruled / name), "old_string": "x", "new_string": "y"}
    assert bool(call(tool="Edit", told=told).held) is is_held


def test_what_is_taken_away_by_another_command_is_deleted(store, shop, call) -> None:
    """A rule about deleting holds `find -exec rm`, and not what only changes the files that it finds."""
    (shop / "data").mkdir()
    (shop / "data" / "a.csv").write_text("1\n", encoding="utf-8")
    store("Never delete files in data/.")
    assert not call("find data -name '*.csv' -exec sed -i s/1/2/ {} +").held
    assert call("find data -name '*.csv' -exec rm {} +").held


@pytest.mark.parametrize("name", ["../tree", ".worktrees/tree"])
def test_another_work_tree_of_the_project_has_its_rules(store, shop, call, name: str) -> None:
    """From the folder of the project, an edit of the same file in another tree is the same to the rule."""
    (shop / "vendor").mkdir()
    (shop / "vendor" / "a.js").write_text("1\n", encoding="utf-8")
    someone = "-c user.name=Alex -c user.email=alex@example.com"
    for line in ("add -A", f"{someone} commit -qm x", f"worktree add -q {name}"):
        subprocess.run(["git", "-C", str(shop), *line.split()], check=True)
    tree = (shop / name).resolve()
    store("Never edit anything in vendor/.")
    told = {"file_path": str(tree / "vendor" / "a.js"), "old_string": "1", "new_string": "2"}
    assert call(tool="Edit", told=told).held
    assert call(f"cd {name} && echo 2 > vendor/a.js", session="s2").held
    stranger = shop.parent / "stranger"
    subprocess.run(["git", "init", "-q", str(stranger)], check=True)
    told = {"file_path": str(stranger / "vendor" / "a.js"), "content": json.dumps("2")}
    assert not call(tool="Write", told=told, session="s3").held
