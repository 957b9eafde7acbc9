"""Memories that name code: anchored when stored, checked when given, confirmed, followed, and bound to a branch."""

from __future__ import annotations

import json
import os
import subprocess
from contextlib import contextmanager
from pathlib import Path

import pytest

from holdfast.errors import BadInput
from holdfast.memory import anchors
from holdfast.memory.edit import edit
from holdfast.memory.lint import lint
from holdfast.memory.remember import end, put, remember
from holdfast.memory.show import list_memories
from holdfast.recall.recall import recall
from holdfast.records import Draft, Memory
from holdfast.rules.rule import rule_of
from holdfast.workspace import Workspace

AUTH = '''import time

TTL = 900


def login(user):
    """Log in."""
    return {"user": user, "ttl": TTL}


def logout(user):
    return None
'''
DAY = "([0-9]+ [A-Z][a-z]+)"


class Code:
    """A project with a real repository of git."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.git("init", "-q", "-b", "main")
        self.write("src/auth.py", AUTH)
        self.write("pyproject.toml", "[tool.ruff]\nline-length = 120\n")
        self.commit()

    def git(self, *words: str) -> None:
        """Run git here."""
        told = ("-c", "user.name=n", "-c", "user.email=n@example.com")
        subprocess.run(["git", *told, *words], cwd=self.root, check=True, capture_output=True)

    def commit(self) -> None:
        """Commit all that there is."""
        self.git("add", "-A")
        self.git("commit", "-qm", "more")

    def write(self, path: str, text: str) -> None:
        """Write a file."""
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text, encoding="utf-8")

    def change(self, path: str, old: str, new: str) -> None:
        """Put something else in the place of a text."""
        before = (self.root / path).read_text(encoding="utf-8")
        assert old in before
        self.write(path, before.replace(old, new))


@pytest.fixture
def code(machine) -> Code:
    """A project whose code memories name."""
    root = machine / "code" / "auth"
    root.mkdir(parents=True)
    return Code(root)


@pytest.fixture
def opened(code, home):
    """Open the home as seen from the project, anew each time, as commands do."""

    @contextmanager
    def make(**options):
        with Workspace(str(home), folder=str(code.root), **options) as workspace:
            yield workspace

    return make


@pytest.fixture
def stored(opened):
    """Store a statement and return the memory."""

    def make(text: str, **options) -> Memory:
        with opened() as workspace:
            return remember(workspace, text, **options).memory

    return make


@pytest.fixture
def warned(opened):
    """Return the warning that a memory comes with now."""

    def ask(memory: Memory) -> str:
        with opened() as workspace:
            return workspace.fresh().warning(workspace.locate(memory.key))

    return ask


def places(memory: Memory) -> list[str]:
    """Return what a memory is anchored to, without digests."""
    return [one.partition("@")[0] for one in memory.anchors]


@pytest.mark.parametrize(
    ("statement", "where"),
    [
        ("`login` in src/auth.py returns a dict.", ["src/auth.py#login"]),
        ("`logout()` does nothing.", ["src/auth.py#logout"]),
        ("The lifetime is set on line 3 of src/auth.py.", ["src/auth.py:3"]),
        ("src/auth.py:8 returns the lifetime of `login`.", ["src/auth.py#login"]),
        ("`tool.ruff.line-length` in pyproject.toml is 120.", ["pyproject.toml#tool.ruff.line-length"]),
        ("The logout in src/auth.py does nothing.", ["src/auth.py#logout"]),
        ("See src/auth.py L3 for the lifetime.", ["src/auth.py:3"]),
        ("auth.py has no rate limit.", ["src/auth.py"]),
        ("The TTL constant in auth.py is in seconds.", ["src/auth.py#TTL"]),
        ("TTL in src/auth.py is in seconds.", ["src/auth.py#TTL"]),
        ("User.renew in src/auth.py is slow, as Nobody in src/auth.py is.", ["src/auth.py"]),
        ("logout in src/auth.py does nothing.", ["src/auth.py#logout"]),
        ("Tokens of `login` in src/auth.py live 15 minutes (TTL).", ["src/auth.py#login", "src/auth.py#TTL"]),
        ("The tokens that src/auth.py makes live as long as TTL says.", ["src/auth.py#TTL"]),
        ("Deploys need the VPN.", []),
        ("`user` is somebody; see src/missing.py and ../../etc/passwd", []),
    ],
)
def test_a_statement_is_anchored_to_what_it_names(stored, statement: str, where: list[str]) -> None:
    """To the symbol, the lines or the file; what is not plain is not anchored."""
    assert places(stored(statement)) == where


def test_an_anchor_is_short_relative_and_has_the_blob_of_git(stored, code, home) -> None:
    """It stands on one line of the front matter, and means the same on another machine."""
    memory = stored("`login` in src/auth.py returns a dict.")
    blob = subprocess.run(
        ["git", "hash-object", "src/auth.py"], cwd=code.root, capture_output=True, text=True, check=True
    )
    text = (home / "memory" / memory.path).read_text(encoding="utf-8")
    (line,) = [line for line in text.split("\n") if line.startswith("anchors:")]
    assert line == f"anchors: [{memory.anchors[0]}]" and len(line) < 80 and str(code.root) not in text
    assert memory.anchors[0].endswith(f"+{blob.stdout[:12]}")


def test_only_a_change_of_the_named_lines_warns(stored, warned, code) -> None:
    """Another function, white space and lines that moved are no change of it."""
    memory = stored("`login` in src/auth.py returns a dict.")
    line = stored("Line 3 of src/auth.py sets the lifetime.")
    code.change("src/auth.py", "return None", "return user")
    code.change("src/auth.py", "import time", "import os\nimport time")
    code.change("src/auth.py", '{"user": user, "ttl": TTL}', '{\n        "user": user,\n        "ttl": TTL,\n    }')
    assert (warned(memory), warned(line)) == ("", "")
    code.change("src/auth.py", '"ttl": TTL', '"ttl": 2 * TTL')
    code.change("src/auth.py", "TTL = 900", "TTL = 60")
    assert warned(memory).startswith("login in src/auth.py changed since (")
    assert warned(memory).endswith("): verify first")
    assert warned(line).startswith("src/auth.py changed since (")


def test_a_whole_file_and_a_file_that_is_gone(stored, warned, code) -> None:
    """Where only a file is named any change of its words warns, and so does its end."""
    memory = stored("src/auth.py has no rate limit.")
    code.change("src/auth.py", "return None", "return  None")
    assert warned(memory) == ""
    code.change("src/auth.py", "return  None", "return 1")
    assert "src/auth.py changed since" in warned(memory)
    os.unlink(code.root / "src" / "auth.py")
    assert "src/auth.py is gone since" in warned(memory)


def test_a_function_that_went_is_gone(stored, warned, code) -> None:
    """The file is there, and the name is not."""
    memory = stored("`logout` in src/auth.py returns nothing.")
    code.change("src/auth.py", "def logout(user)", "def sign_out(user)")
    assert "logout in src/auth.py is gone since" in warned(memory)


def test_a_rule_of_the_person_warns_only_where_its_file_is_gone(stored, warned, code) -> None:
    """What they want does not depend on what the code says."""
    memory = stored("Never touch `login` in src/auth.py.", type="feedback")
    assert memory.anchors == ("src/auth.py",)
    code.write("src/auth.py", "pass\n")
    assert warned(memory) == ""


@pytest.mark.parametrize(
    ("statement", "given"),
    [
        ("After changing src/auth.py, run the login tests.", {}),
        ("When you edit src/auth.py, run `make gen`.", {"trust": "agent"}),
        ("src/auth.py needs a new token whenever it is changed.", {}),
        ("The sessions end at midnight, see src/auth.py.", {"when": "src/auth.py"}),
    ],
)
def test_what_is_told_at_a_change_is_not_made_stale_by_it(stored, warned, opened, code, statement, given) -> None:
    """A rule for the change of a file says nothing of what stands in it; that it went is told. So after a sweep."""
    memory = stored(statement, **given)
    assert memory.anchors == ("src/auth.py",)
    code.change("src/auth.py", "TTL = 900", "TTL = 60")
    assert warned(memory) == ""
    with opened() as workspace:
        workspace.store.change(memory.scope, memory.key, anchors=("src/auth.py@0123456789ab",))
        assert "changed since" in workspace.fresh().warning(workspace.locate(memory.key))
        assert anchors.settle(workspace) == 1
    assert warned(memory) == ""
    os.unlink(code.root / "src" / "auth.py")
    assert "src/auth.py is gone since" in warned(memory)


@pytest.mark.parametrize(
    ("statement", "given", "told"),
    [
        ("Never edit src/auth.py by hand.", {}, "src/auth.py, src/session.py"),
        (
            "Ask Ines about logins.",
            {"when": "src/auth.py, !src/auth.py.bak"},
            "src/auth.py, !src/auth.py.bak, src/session.py",
        ),
        ("Never run `src/auth.py`.", {"when": "src/auth.py --all"}, "src/auth.py --all, src/session.py --all"),
    ],
)
def test_a_condition_follows_the_file_that_it_names(stored, opened, code, statement, given, told) -> None:
    """After a rename that git knows a rule is told at the new name, too, and at the old one if that comes back."""
    memory = stored(statement, **given)
    code.git("mv", "src/auth.py", "src/session.py")
    code.commit()
    with opened() as workspace:
        anchors.settle(workspace)
        rule = rule_of(workspace.locate(memory.key))
        held = anchors.confirm(workspace, workspace.locate(memory.key))
    assert rule is not None and str(rule.condition) == told
    assert held.anchors == ("src/auth.py>src/session.py",)


@pytest.mark.parametrize(
    ("statement", "given", "told"),
    [
        ("Never edit files in src/gen/ by hand.", {}, "src/gen/, lib/gen/"),
        ("Don't edit `src/gen/**`.", {}, "src/gen/**, lib/gen/**"),
        (
            "Ask Ines first.",
            {"when": "src/**/*.py, !src/gen/x.py"},
            "src/**/*.py, !src/gen/x.py, lib/**/*.py, !lib/gen/x.py",
        ),
    ],
)
def test_a_condition_follows_the_folder_that_it_names(stored, opened, warned, code, statement, given, told) -> None:
    """After `git mv` of that folder, or of one above it, a rule is told at the new name, confirmed or not."""
    code.write("src/gen/a.py", "a = 1\n")
    code.write("src/gen/b.py", "b = 2\n")
    code.commit()
    memory = stored(statement, **given)
    code.git("mv", "src", "lib")
    code.commit()
    with opened() as workspace:
        anchors.settle(workspace)
        rules = [
            rule_of(workspace.locate(memory.key)),
            rule_of(anchors.confirm(workspace, workspace.locate(memory.key))),
        ]
    assert [str(rule.condition) for rule in rules if rule] == [told, told]
    assert "gone" not in warned(memory)


def test_a_folder_that_builds_make_is_not_missed(stored, warned, code) -> None:
    """Nobody committed it, so that it is not there says nothing."""
    code.write("dist/a.js", "1\n")
    memory = stored("Never edit dist/ by hand.")
    (code.root / "dist" / "a.js").unlink()
    (code.root / "dist").rmdir()
    assert (memory.anchors, warned(memory)) == ((), "")


def test_show_offers_no_confirming_of_what_was_confirmed(cli, code, monkeypatch) -> None:
    """A file that was renamed is told as what is to be looked at, by the name that it has, until somebody did."""
    monkeypatch.chdir(code.root)
    cli("remember", "`login` in src/auth.py returns a dict.", "--key", "k", "--type", "project")
    code.git("mv", "src/auth.py", "src/session.py")
    code.commit()
    assert "src/auth.py is now src/session.py; if it still holds: holdfast confirm k" in cli("show", "k").err
    cli("confirm", "k")
    assert "holdfast confirm" not in cli("show", "k").err
    assert "src/auth.py is now src/session.py, which agents are told with it" in cli("show", "k").err


def test_a_file_that_moved_away_and_back_is_only_itself(stored, opened, warned, code) -> None:
    """Nothing is told of a rename that was undone."""
    memory = stored("`login` in src/auth.py returns a dict.")
    for old, new in (("src/auth.py", "src/session.py"), ("src/session.py", "src/auth.py")):
        code.git("mv", old, new)
        code.commit()
        with opened() as workspace:
            assert anchors.settle(workspace) == 1
    assert warned(memory) == ""
    with opened() as workspace:
        assert workspace.locate(memory.key).anchors == memory.anchors
        workspace.store.change(memory.scope, memory.key, anchors=("src/auth.py>src/auth.py",))
    assert warned(memory) == ""


def test_nothing_is_read_through_a_link_outside_or_with_a_secret_in_it(stored, code, tmp_path) -> None:
    """No digest is made of what is not the project's, nor of a line that holds a secret."""
    (tmp_path / "outside.py").write_text("def far(): ...\n", encoding="utf-8")
    (code.root / "near.py").symlink_to(tmp_path / "outside.py")
    assert stored("`far` in near.py is a stub.").anchors == ()
    code.write(".env", "API_TOKEN=ghp_" + "a1B2" * 9 + "\n")
    assert stored("`API_TOKEN` in .env is the one of the bot.").anchors == ()


def test_the_look_is_kept_and_a_quick_edit_is_seen_all_the_same(stored, warned, code, home) -> None:
    """The size and the time of a file are enough, but not of a file that changed just now."""
    memory = stored("src/auth.py has no rate limit.")
    path = code.root / "src" / "auth.py"
    before = path.stat()
    os.utime(path, (before.st_atime - 100, before.st_mtime - 100))
    assert warned(memory) == ""
    (kept,) = (home / "state" / "anchors").iterdir()
    assert kept.read_text(encoding="utf-8").count("\n") == 1 and "auth" not in kept.read_text(encoding="utf-8")
    code.change("src/auth.py", "TTL = 900", "TTL = 901")
    assert "changed since" in warned(memory)
    code.change("src/auth.py", "TTL = 901", "TTL = 900")
    assert warned(memory) == ""


def test_saying_it_again_confirms_it_and_what_is_learned_does_not(stored, opened, warned, code) -> None:
    """An agent that states the same anchors it anew, and it stays whose it was; a harvest of old words does not."""
    memory = stored("`login` in src/auth.py returns a dict.", key="k")
    code.change("src/auth.py", '"ttl": TTL', '"ttl": 1')
    with opened() as workspace:
        put(workspace, Draft(memory.body, memory.scope, key="k", trust="derived"))
    assert warned(memory)
    again = stored(memory.body, key="k", trust="agent", agent="codex")
    assert (warned(again), again.trust, again.history) == ("", "user", ())


def test_confirm_anchors_anew_and_changes_nothing_else(stored, opened, warned, code) -> None:
    """The statement, its trust and its history stay."""
    memory = stored("`login` in src/auth.py returns a dict.", trust="agent")
    code.change("src/auth.py", '"ttl": TTL', '"ttl": 1')
    with opened() as workspace:
        held = anchors.confirm(workspace, memory)
    assert (held.body, held.trust, held.history) == (memory.body, "agent", ())
    assert held.anchors != memory.anchors and warned(memory) == ""


def test_a_new_statement_has_anchors_of_its_own(stored, opened, editor, code) -> None:
    """Another statement under the key, an edit in an editor, and what is withdrawn."""
    memory = stored("`login` in src/auth.py returns a dict.", key="k")
    assert places(stored("`logout` in src/auth.py returns nothing.", key="k")) == ["src/auth.py#logout"]
    editor("sed -i 's/logout/TTL/' \"$1\"")
    with opened() as workspace:
        changed, _ = edit(workspace, "k")
    assert places(changed) == ["src/auth.py#TTL"]
    code.change("src/auth.py", "TTL = 900", "TTL = 1")
    with opened() as workspace:
        end(workspace, changed)
        assert anchors.stale(workspace, list_memories(workspace)) == []
    assert memory.key == "k"


def test_lint_lists_what_changed_and_the_way_out(stored, opened, code) -> None:
    """One problem for each memory, once, and none while the code is as it was."""
    stored("`login` in src/auth.py returns a dict.", key="k")
    stored("src/auth.py is small.", key="gone")
    code.change("src/auth.py", '"ttl": TTL', '"ttl": 1')
    with opened() as workspace:
        found = [one for one in lint(workspace) if one.kind in ("changed-code", "stale-claim")]
    assert {one.path.rpartition("/")[2] for one in found} == {"k.md", "gone.md"} and len(found) == 2
    assert "holdfast confirm k" in "".join(one.hint for one in found)


def test_lint_lists_every_change_however_many_there_are(opened, code) -> None:
    """A hook looks at some anchors before it answers; who asks for all that changed gets all."""
    parts = [f"def part_{number}():\n    return 1\n\n\n" for number in range(45)]
    code.write("src/parts.py", "".join(parts))
    code.commit()
    with opened() as workspace:
        for number in range(45):
            remember(workspace, f"`part_{number}` in src/parts.py is of step {number}.", key=f"part{number}")
        code.write("src/parts.py", "".join(parts).replace("1\n", "2\n"))
        assert sum(one.kind == "changed-code" for one in lint(workspace)) == 45


def test_a_renamed_file_is_followed_where_git_knows_it(stored, opened, warned, code) -> None:
    """The next sweep writes the new name; what it says about the code is held against the file there."""
    memory = stored("`login` in src/auth.py returns a dict.")
    code.git("mv", "src/auth.py", "src/session.py")
    with opened() as workspace:
        assert [one.warning for one in anchors.stale(workspace, [memory])] == ["src/auth.py is now src/session.py"]
        assert anchors.settle(workspace) == 1
        assert anchors.settle(workspace) == 0
    code.commit()
    assert warned(memory) == "src/auth.py is now src/session.py"
    code.git("mv", "src/session.py", "src/users.py")
    code.commit()
    with opened() as workspace:
        anchors.settle(workspace)
    assert warned(memory) == "src/auth.py is now src/users.py"
    code.change("src/users.py", '"ttl": TTL', '"ttl": 1')
    assert warned(memory).startswith("login in src/users.py (was src/auth.py) changed since")
    with opened() as workspace:
        assert places(anchors.confirm(workspace, workspace.locate(memory.key))) == ["src/auth.py>src/users.py#login"]


def test_a_rename_on_one_branch_makes_nothing_stale_on_another(stored, opened, warned, code) -> None:
    """Where the old path is there, it is held against that, and nothing is said of the new one."""
    memory = stored("`login` in src/auth.py returns a dict.")
    code.git("switch", "-qc", "rename")
    code.git("mv", "src/auth.py", "src/session.py")
    code.commit()
    with opened() as workspace:
        assert anchors.settle(workspace) == 1
    code.git("switch", "-q", "main")
    assert warned(memory) == ""
    with opened() as workspace:
        assert anchors.stale(workspace, [workspace.locate(memory.key)]) == []
    code.change("src/auth.py", '"ttl": TTL', '"ttl": 1')
    assert warned(memory).startswith("login in src/auth.py changed since")


def moved(code: Code, body: str = '{"user": user, "ttl": TTL}') -> None:
    """Let `login` stand in another file, and the one where it was only use it."""
    code.change("src/auth.py", AUTH, "from src.session import TTL, login\n\n\ndef logout(user):\n    return login\n")
    session = f'TTL = 900\n\n\ndef login(user):\n    """Log in."""\n    return {body}\n'
    code.write("src/session.py", session)
    code.commit()


def test_a_symbol_that_moved_is_followed_to_the_file_that_defines_it(stored, opened, warned, code) -> None:
    """The next sweep writes where it is, with the same body; on a branch where it did not move, nothing is said."""
    code.write("src/session.py", "TTL = 900\n")
    code.commit()
    memory = stored("`login` in src/auth.py returns a dict.")
    code.git("switch", "-qc", "split")
    moved(code)
    with opened() as workspace:
        told = [one.warning for one in anchors.stale(workspace, [memory])]
        assert told == ["login of src/auth.py is now in src/session.py"]
        assert (anchors.settle(workspace), anchors.settle(workspace)) == (1, 0)
    assert warned(memory) == "login of src/auth.py is now in src/session.py"
    code.change("src/session.py", '"ttl": TTL', '"ttl": 1')
    assert warned(memory).startswith("login in src/session.py (was src/auth.py) changed since")
    code.git("checkout", "-q", "src/session.py")
    code.git("switch", "-q", "main")
    with opened() as workspace:
        assert anchors.stale(workspace, [workspace.locate(memory.key)]) == []


def test_confirm_anchors_a_moved_symbol_to_its_definition(stored, opened, warned, code) -> None:
    """To no line that only imports or calls it, also where its body changed; one that is nowhere, to its file."""
    memory = stored("`login` in src/auth.py returns a dict.")
    moved(code, "{}")
    assert warned(memory).startswith("login in src/auth.py is gone since")
    with opened() as workspace:
        held = anchors.confirm(workspace, memory)
    assert places(held) == ["src/auth.py>src/session.py#login"]
    code.change("src/session.py", "return {}", "return None")
    assert warned(memory).startswith("login in src/session.py (was src/auth.py) changed since")
    gone = stored("`logout` in src/auth.py does nothing.")
    code.change("src/auth.py", "def logout(user):\n    return login\n", "# logout went away\n")
    with opened() as workspace:
        assert places(anchors.confirm(workspace, gone)) == ["src/auth.py"]


def notebook(body: str, printed: str) -> str:
    """Return a notebook with one cell, as Jupyter writes it."""
    source = ["LIMIT = 5\n", "\n", "def train(x):\n", f"    return {body}\n"]
    cell = {"cell_type": "code", "execution_count": len(printed), "outputs": [{"text": [printed]}], "source": source}
    return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4}, indent=1)


def test_a_notebook_is_what_its_cells_say(stored, opened, warned, code) -> None:
    """A function in a cell is anchored by its body; what the cell printed, and how often it ran, changes nothing."""
    code.write("model.ipynb", notebook("x * LIMIT", "1"))
    code.commit()
    memory, whole = stored("`train` in model.ipynb multiplies."), stored("model.ipynb trains the model.")
    assert places(memory) == ["model.ipynb#train"] and places(whole) == ["model.ipynb"]
    code.write("model.ipynb", notebook("x * LIMIT", "22"))
    assert (warned(memory), warned(whole)) == ("", "")
    code.write("model.ipynb", notebook("x + LIMIT", "22"))
    assert warned(memory).startswith("train in model.ipynb changed since") and warned(whole)
    for broken in ("{ no notebook", '["cells"]', '{"cells": 5}', '{"cells": [5, {"source": 5}, {}]}'):
        code.write("model.ipynb", broken)
        assert warned(memory).startswith("train in model.ipynb is gone since")
    code.git("switch", "-qc", "more")
    code.write("model.ipynb", notebook("x - LIMIT", "1"))
    code.commit()
    learned = stored("`train` in model.ipynb subtracts.")
    assert learned.branch == "more"
    code.git("switch", "-q", "main")
    code.git("merge", "-q", "more")
    with opened() as workspace:
        anchors.settle(workspace)
        assert workspace.locate(learned.key).branch == ""


def test_a_name_that_says_in_what_it_stands_is_anchored_without_backticks(stored, code) -> None:
    """The method of the file, not the whole of it."""
    code.write("src/session.py", "class Session:\n    def renew(self):\n        return 1\n\n\nOTHER = 2\n")
    assert places(stored("Session.renew in src/session.py is slow.")) == ["src/session.py#Session.renew"]


def test_confirm_shows_what_a_file_had_that_is_gone(cli, code, monkeypatch) -> None:
    """`git diff` with a file that is not there fails, so the way shown is another one, and it works."""
    monkeypatch.chdir(code.root)
    cli("remember", "`login` in src/auth.py returns a dict.", "--key", "k")
    code.git("rm", "-q", "src/auth.py")
    shown = cli("confirm").out
    assert "git diff" not in shown
    code.git(*shown.partition("what was there: git ")[2].split("\n")[0].split())


def on(opened, text: str) -> list[str]:
    """Return the keys that a recall finds here and now."""
    with opened() as workspace:
        return [hit.memory.key for hit in recall(workspace, text)]


@pytest.mark.parametrize("how", ["merge", "squash", "rebased away"])
def test_a_fact_of_a_branch_holds_there_until_it_is_merged(stored, opened, code, how: str) -> None:
    """By whatever kind of merge, also where the default branch went on since."""
    code.git("switch", "-qc", "fix/logout")
    code.change("src/auth.py", "return None", "return user")
    memory = stored("`logout` in src/auth.py returns the user.", key="k", trust="agent")
    code.commit()
    assert memory.branch == "fix/logout"
    assert on(opened, "what does logout return") == ["k"]
    code.git("switch", "-q", "main")
    with opened() as workspace:
        assert anchors.settle(workspace) == 0
    assert on(opened, "what does logout return") == []
    if how == "merge":
        code.git("merge", "-q", "--no-ff", "-m", "m", "fix/logout")
    else:
        code.git("merge", "-q", "--squash", "fix/logout")
        code.commit()
    if how == "rebased away":
        code.git("branch", "-D", "fix/logout")
        code.change("src/auth.py", "return user", "return [user]")
        code.commit()
    with opened() as workspace:
        assert anchors.settle(workspace) == 1
    assert on(opened, "what does logout return") == ["k"]


@pytest.mark.parametrize("how", ["confirm", "remember", "memory_store"])
def test_a_fact_of_the_project_stays_one_when_a_branch_confirms_it(stored, opened, warned, code, how: str) -> None:
    """It holds of the code of both, so neither is warned of, before the merge and after it; a third state is."""
    memory = stored("`logout` in src/auth.py returns nothing.", key="k", trust="agent")
    code.git("switch", "-qc", "fix/logout")
    code.change("src/auth.py", "return None", "return")
    code.commit()
    assert warned(memory).startswith("logout in src/auth.py changed since")
    with opened() as workspace:
        held = anchors.confirm(workspace, memory) if how == "confirm" else None
    held = held or stored(memory.body, key="k", trust="user" if how == "remember" else "agent")
    assert (held.key, held.branch, warned(memory)) == ("k", "", "")
    code.git("switch", "-q", "main")
    assert (warned(memory), on(opened, "what does logout return")) == ("", ["k"])
    code.git("merge", "-q", "--ff-only", "fix/logout")
    assert (warned(memory), on(opened, "what does logout return")) == ("", ["k"])
    code.change("src/auth.py", "    return\n", "    return 1\n")
    assert warned(memory).startswith("logout in src/auth.py changed since")


@pytest.mark.parametrize("how", ["merged", "picked", "stacked", "renamed", "detached", "worktree"])
def test_a_fact_of_a_branch_is_given_wherever_its_code_is(stored, opened, code, home, how: str) -> None:
    """At once, before any sweep: what it was learned from is what counts, whatever the branch is called."""
    code.git("switch", "-qc", "fix/logout")
    code.change("src/auth.py", "return None", "return user")
    code.commit()
    assert stored("`logout` in src/auth.py returns the user.", key="k", trust="agent").branch == "fix/logout"
    if how == "stacked":
        code.git("switch", "-qc", "more")
    elif how == "renamed":
        code.git("branch", "-m", "other")
    elif how == "detached":
        code.git("checkout", "-q", "--detach")
    elif how == "worktree":
        code.git("worktree", "add", "-q", "-b", "there", str(code.root.parent / "there"))
        with Workspace(str(home), folder=str(code.root.parent / "there")) as workspace:
            assert [hit.memory.key for hit in recall(workspace, "what does logout return")] == ["k"]
    else:
        code.git("switch", "-q", "main")
        assert on(opened, "what does logout return") == []
        code.git(*(("merge", "-q", "--ff-only") if how == "merged" else ("cherry-pick",)), "fix/logout")
    assert on(opened, "what does logout return") == ["k"]


def test_a_fact_of_a_branch_follows_its_new_name(stored, opened, code) -> None:
    """`git branch -m` makes nothing stale, and the next sweep has the name."""
    code.git("switch", "-qc", "fix/logout")
    code.change("src/auth.py", "return None", "return user")
    code.commit()
    stored("`logout` in src/auth.py returns the user.", key="k", trust="agent")
    code.git("branch", "-m", "other")
    with opened() as workspace:
        assert anchors.stale(workspace, [workspace.locate("k")]) == []
        assert (anchors.settle(workspace), workspace.locate("k").branch) == (1, "other")


def test_what_was_merged_elsewhere_and_fetched_is_the_projects(stored, opened, code) -> None:
    """Though the person has not pulled it into their own branch yet."""
    code.git("switch", "-qc", "fix/logout")
    code.change("src/auth.py", "return None", "return user")
    code.commit()
    stored("`logout` in src/auth.py returns the user.", key="k", trust="agent")
    code.git("update-ref", "refs/remotes/origin/main", "HEAD")
    with opened() as workspace:
        assert (anchors.settle(workspace), workspace.locate("k").branch) == (1, "")


def test_a_fact_of_a_branch_that_another_confirms_is_given_on_both(stored, opened, warned, code) -> None:
    """Its own branch has not lost it, and the project has it once one of them is merged."""
    code.git("switch", "-qc", "one")
    code.change("src/auth.py", "return None", "return user")
    code.commit()
    memory = stored("`logout` in src/auth.py returns the user.", key="k", trust="agent")
    code.git("switch", "-qc", "two")
    code.change("src/auth.py", "return user", "return (user)")
    code.commit()
    with opened() as workspace:
        assert anchors.confirm(workspace, memory).branch == "two"
    code.git("switch", "-q", "one")
    assert (on(opened, "what does logout return"), warned(memory)) == (["k"], "")
    code.git("switch", "-q", "main")
    assert on(opened, "what does logout return") == []
    code.git("merge", "-q", "--squash", "one")
    code.commit()
    with opened() as workspace:
        assert anchors.settle(workspace) == 1
        assert workspace.locate("k").branch == ""


@pytest.mark.parametrize("text", ["src/new.py has the retries.", "`fresh` in src/auth.py returns 1."])
def test_a_fact_of_a_branch_is_not_confirmed_where_its_code_is_not(stored, opened, code, text: str) -> None:
    """It would lose its branch and its anchors for good; nor is it listed as gone while its branch lives."""
    code.git("switch", "-qc", "f9")
    (code.root / "src/new.py").write_text("RETRIES = 3\n")
    code.change("src/auth.py", "return None", "return None\n\n\ndef fresh():\n    return 1")
    code.commit()
    memory = stored(text, key="k", trust="agent")
    code.git("switch", "-q", "main")
    with opened() as workspace:
        assert anchors.stale(workspace, [memory]) == []
        with pytest.raises(BadInput, match="k is of the branch f9, and its code is not here"):
            anchors.confirm(workspace, memory)
        kept = workspace.locate("k")
    assert (kept.branch, kept.anchors) == ("f9", memory.anchors) and memory.anchors


def test_what_the_default_branch_has_is_no_fact_of_a_branch(stored, code) -> None:
    """Nor is what a person wants or decided, nor what names no code."""
    code.git("switch", "-qc", "fix/logout")
    assert stored("`login` in src/auth.py returns a dict.").branch == ""
    code.change("src/auth.py", "return None", "return user")
    assert stored("`logout` in src/auth.py must return the user.", type="decision").branch == ""
    assert stored("Never change `logout` in src/auth.py.", type="feedback", key="r").branch == ""
    assert stored("Deploys need the VPN.").branch == ""


def test_a_branch_that_went_unmerged_is_listed(stored, opened, code) -> None:
    """Nobody would ever be told it again, and the person may say that it holds."""
    code.git("switch", "-qc", "try")
    code.change("src/auth.py", "return None", "return user")
    stored("`logout` in src/auth.py returns the user.", key="k", trust="agent")
    code.git("checkout", "-q", "-f", "main")
    code.git("branch", "-D", "try")
    with opened() as workspace:
        (found,) = [one for one in lint(workspace) if one.kind == "changed-code"]
        assert "the branch try, which is gone and not merged" in found.text
        anchors.confirm(workspace, workspace.locate("k"))
    assert on(opened, "what does logout return") == ["k"]


def test_a_folder_without_git_has_anchors_too(home, machine) -> None:
    """Only what git alone knows is missing: blobs, renames, branches, and symbols whose file is not named."""
    root = machine / "plain"
    root.mkdir()
    (root / "a.py").write_text("def run_all():\n    return 1\n", encoding="utf-8")
    with Workspace(str(home), folder=str(root)) as workspace:
        memory = remember(workspace, "`run_all` in a.py returns 1.").memory
        alone = remember(workspace, "`run_all` is slow.").memory
        assert (places(memory), alone.anchors, "+" in memory.anchors[0]) == (["a.py#run_all"], (), False)
        (root / "a.py").write_text("def run_all():\n    return 2\n", encoding="utf-8")
        assert "run_all in a.py changed since" in workspace.fresh().warning(memory)


def test_the_commands_warn_list_and_confirm(cli, code, monkeypatch) -> None:
    """Recall, show and proposals say it; `confirm` lists what to look at, with a way to see the change, or confirms."""
    monkeypatch.chdir(code.root)
    cli("remember", "`login` in src/auth.py returns a dict.", "--key", "k")
    assert "verify" not in cli("recall", "login").out and "as it was" in cli("confirm").err
    code.change("src/auth.py", '"ttl": TTL', '"ttl": 1')
    assert "login in src/auth.py changed since" in cli("recall", "login").out
    assert "holdfast confirm k" in cli("show", "k").err
    assert "1 memory names code that changed since" in cli("proposals").err
    assert json.loads(cli("recall", "login", "--json").out)["hits"][0]["stale"].endswith("verify first")
    assert json.loads(cli("show", "k", "--json").out)["stale"].endswith("verify first")
    listed = cli("confirm")
    assert "git diff " in listed.out and "holdfast edit KEY, or holdfast forget KEY" in listed.err
    assert [one["key"] for one in json.loads(cli("confirm", "--json").out)["stale"]] == ["k"]
    assert cli("confirm", "k").out.startswith("confirmed  k")
    assert "verify" not in cli("recall", "login").out
    assert cli("confirm", "nothing-like-it").code == 3


def test_confirming_what_is_gone_says_that_it_is_no_longer_checked(cli, code, monkeypatch) -> None:
    """A statement about code that is not there any more may still be confirmed; nothing would mark it as stale then."""
    monkeypatch.chdir(code.root)
    cli("remember", "`login` in src/auth.py returns a dict.", "--key", "k")
    (code.root / "src" / "auth.py").write_text("TTL = 5\n", encoding="utf-8")
    said = cli("confirm", "k")
    assert said.out.startswith("confirmed  k") and "login: not in the code any more, so only src/auth.py is" in said.err
    (code.root / "src" / "auth.py").unlink()
    assert "nothing that it names is in the code any more" in cli("confirm", "k").err


def test_memories_of_another_project_are_not_held_against_this_code(stored, opened, code, home, machine) -> None:
    """Who looks from elsewhere is told nothing about files that are not there, nor which branch is checked out."""
    stored("`login` in src/auth.py returns a dict.", key="k")
    (machine / "elsewhere").mkdir()
    with opened() as workspace:
        memory = workspace.store.change(workspace.scope("project"), "k", branch="try")
    with Workspace(str(home), folder=str(machine / "elsewhere")) as workspace:
        (hit,) = recall(workspace, "login", project=memory.scope.owner)
        assert workspace.fresh().warning(hit.memory) == ""
