"""Worktrees of one project: each has its own working state, and the page of the project shows all of them."""

from __future__ import annotations

import json
import os
import subprocess

import pytest

from holdfast import agents
from holdfast.app import erase, erase_target
from holdfast.app.hook import hook
from holdfast.continuity import buffer, resume, working_state
from holdfast.workspace import Workspace


@pytest.fixture
def feature(shop, tmp_path):
    """A second worktree of the shop, on a branch of its own."""
    path = tmp_path / "feature"
    git = ["git", "-C", str(shop), "-c", "user.name=A", "-c", "user.email=a@example.com"]
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "Begin"], check=True)
    subprocess.run([*git, "worktree", "add", "-q", "-b", "feature", str(path)], check=True)
    return path


def opened(home, folder) -> Workspace:
    """Return the home as seen from a folder."""
    return Workspace(str(home), folder=str(folder), environment={})


def test_two_worktrees_do_not_share_a_focus(home, shop, feature) -> None:
    """What is done in one worktree is not told as the focus of another; the page of the project shows both."""
    with opened(home, shop) as main, opened(home, feature) as beside:
        assert main.project().id == beside.project().id
        working_state.update(main, focus="Mend the cart", by="codex")
        working_state.update(beside, focus="Paint the doors", next_steps=("Sand them",), by="codex")
        assert working_state.read(main).focus.startswith("Mend the cart")
        assert working_state.read(beside).focus.startswith("Paint the doors")
        assert resume.ToldPages(beside).state().focus.startswith("Paint the doors")
        assert resume.ToldPages(main).state().focus.startswith("Mend the cart")
        folder = home / "memory" / "projects" / main.project().id
    assert (folder / "buffer" / "feature.md").is_file()
    merged = (folder / "buffer.md").read_text()
    assert "Mend the cart" in merged and "Paint the doors" in merged and "Next: Sand them" in merged


def test_what_others_do_is_not_what_the_person_wrote(home, shop, feature) -> None:
    """The merged view is ours: it counts as nobody's words, survives a change, and what the person wrote stays."""
    with opened(home, shop) as main, opened(home, feature) as beside:
        working_state.update(main, focus="Mend the cart")
        page = home / "memory" / "projects" / main.project().id / "buffer.md"
        page.write_text(page.read_text() + "\nMy own line.\n")
        working_state.update(beside, focus="Paint the doors")
        assert working_state.read(main).own_words == "My own line."
        working_state.update(main, focus="Mend the lamp")
        text = page.read_text()
        assert "My own line." in text and "Paint the doors" in text and "Mend the lamp" in text
        assert "Mend the cart" not in text
        working_state.update(beside, focus="Paint the floor")
        assert page.read_text().count("### feature") == 1 and "Paint the doors" not in page.read_text()


def test_a_home_with_one_page_stays_as_it_is(home, shop, feature) -> None:
    """The page of an older home is that of the main worktree, byte for byte; another worktree begins with nothing."""
    with opened(home, shop) as main, opened(home, feature) as beside:
        working_state.update(main, focus="Mend the cart", next_steps=("Ship",))
        page = home / "memory" / "projects" / main.project().id / "buffer.md"
        before = page.read_bytes()
        assert working_state.read(beside).focus == ""
        assert working_state.read(main).next_steps == ("Ship",) and page.read_bytes() == before


def test_what_was_erased_is_in_no_worktree(home, shop, feature) -> None:
    """Erasing a text takes it from the page of its worktree and from the merged view."""
    with opened(home, feature) as beside:
        working_state.update(beside, focus="Paint the narwhal doors")
        erase.apply(beside, erase_target.of_texts(beside, ("Paint the narwhal doors",)))
        folder = home / "memory" / "projects" / beside.project().id
        assert all("narwhal" not in path.read_text() for path in folder.rglob("*.md"))


def test_what_is_no_worktree_is_the_main_one(tmp_path) -> None:
    """A clone, a submodule and a folder without git have the page of the project; a link is not followed."""
    (tmp_path / "clone" / ".git").mkdir(parents=True)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / ".git").write_text("gitdir: ../.git/modules/sub\n")
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / ".git").write_text("gitdir: /x/.git/worktrees/ünd so\n")
    (tmp_path / "link").mkdir()
    (tmp_path / "link" / ".git").symlink_to(tmp_path / "odd" / ".git")
    for name in ("clone", "sub", "link", "nothing"):
        assert buffer.worktree_of(str(tmp_path / name)) == ""
    assert buffer.worktree_of(str(tmp_path / "odd")).startswith("nd-so-")


def test_each_worktree_is_told_what_was_done_in_it(home, shop, feature) -> None:
    """A start tells what the last session of this worktree did; a recovery names the other worktree beside it.

    What the person laid down in the main one holds here, too.
    """
    agent = agents.get("claude-code")
    home.mkdir(exist_ok=True)

    def tell(native: str, folder: object, session: str, **fields: str) -> str:
        call = agent.read_hook_input(native, {"session_id": session, "cwd": str(folder), **fields}, {})
        out = hook(str(home), agent, call, {**os.environ, "CLAUDECODE": "1", "HOLDFAST_SWEEP_AT_SESSION_END": "no"})
        return json.loads(out).get("hookSpecificOutput", {}).get("additionalContext", "") if out else ""

    for folder, session, done in (
        (feature, "f1", "I created the migration of the gift cards."),
        (shop, "m1", "I wrote RELEASE.md with two paragraphs."),
    ):
        tell("SessionStart", folder, session, source="startup")
        tell("UserPromptSubmit", folder, session, prompt="Please do what was planned for this branch")
        if folder is shop:
            tell("UserPromptSubmit", folder, session, prompt="We decided to go with Stripe for refunds, not Adyen.")
        tell("Stop", folder, session, last_assistant_message=done)
        tell("SessionEnd", folder, session, reason="exit")
    here, there = (tell("SessionStart", folder, "n", source="startup") for folder in (feature, shop))
    assert "- done: I created the migration of the gift cards." in here and "RELEASE.md" not in here
    assert "- done: I wrote RELEASE.md" in there and "gift cards" not in there
    assert all("lately:\n- We decided to go with Stripe for refunds, not Adyen.\n" in text for text in (here, there))
    after = tell("SessionStart", feature, "n", source="compact")
    assert "Done in another worktree (the main one):\n- I wrote RELEASE.md with two paragraphs.\n" in after
