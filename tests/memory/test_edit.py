"""Editing a memory in the person's own editor."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from holdfast.errors import BadInput, Conflict, HoldfastError
from holdfast.memory.edit import edit
from holdfast.memory.remember import remember

TOKEN = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"


@pytest.fixture
def vpn(workspace, home):
    """A memory to edit, and the path of its file."""
    with workspace() as h:
        memory = remember(h, "Deploys need the VPN.", key="vpn", tags=("deploy",)).memory
    return home / "memory" / memory.path


def test_a_new_statement_keeps_the_old_one(workspace, vpn, editor) -> None:
    """What the editor leaves holds from now on; what it said before is its history."""
    editor("sed -i 's/^Deploys need the VPN\\.$/Deploys need the bastion./' \"$1\"")
    with workspace() as h:
        memory, changed = edit(h, "vpn")
    assert changed and memory.body == "Deploys need the bastion."
    assert [earlier.text for earlier in memory.history] == ["Deploys need the VPN."]


def test_other_fields_are_edited_too(workspace, vpn, editor) -> None:
    """A change of the tags is kept, and makes no history."""
    editor("sed -i 's/^tags: .*/tags: [deploy, ci]/' \"$1\"")
    with workspace() as h:
        memory, changed = edit(h, "vpn")
    assert changed and memory.tags == ("deploy", "ci") and memory.history == ()


def test_leaving_without_a_change(workspace, vpn, editor) -> None:
    """An editor that saves nothing changes nothing."""
    editor("true")
    before = vpn.read_bytes()
    with workspace() as h:
        assert edit(h, "vpn")[1] is False
    assert vpn.read_bytes() == before


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ('echo x >> "$1"; exit 3', "ended with 3"),
        ('rm "$1"', "left no file"),
        (': > "$1"', "no text is left"),
        ("printf -- '---\\nkey: vpn\\n---\\n\\n# Title only\\n' > \"$1\"", "no text is left"),
        ("printf 'a\\0b' > \"$1\"", "NUL"),
        ("printf 'caf\\351' > \"$1\"", "not UTF-8"),
        ("printf -- '---\\ntags: [a, b\\n---\\nNew text.\\n' > \"$1\"", "vpn.md:2"),
    ],
)
def test_a_failed_edit_changes_nothing(workspace, vpn, editor, script, said) -> None:
    """An editor that fails, an empty page, a bad encoding and broken front matter are refused by name."""
    editor(script)
    before = vpn.read_bytes()
    with workspace() as h, pytest.raises(HoldfastError, match=said) as caught:
        edit(h, "vpn")
    assert caught.value.hint and caught.value.exit_code in (2, 4)
    assert vpn.read_bytes() == before


def test_a_secret_typed_in_the_editor_is_redacted(workspace, home, vpn, editor) -> None:
    """A secret goes before the first byte is written, in the statement and in the history alike."""
    editor(f'echo "The token is {TOKEN}" >> "$1"')
    with workspace() as h:
        memory, _ = edit(h, "vpn")
    assert "[redacted" in memory.body.lower() and workspace.said == ["redacted before it was stored: github-token"]
    assert TOKEN not in vpn.read_text()


def test_a_change_meanwhile_is_a_conflict(workspace, vpn, editor, tmp_path, monkeypatch) -> None:
    """When the memory changed while the editor was open, nobody's words are lost: the edit is kept aside by name."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    editor(f"echo 'My own words.' >> \"$1\"; sed -i 's/VPN/bastion/' '{vpn}'")
    with workspace() as h, pytest.raises(Conflict, match="changed meanwhile") as caught:
        edit(h, "vpn")
    kept = caught.value.hint.removeprefix("What you wrote is in ").rstrip(".")
    assert "My own words." in Path(kept).read_text() and "bastion" in vpn.read_text()
    assert os.stat(kept).st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ("", "no editor is set"),
        ("  ", "no editor is set"),
        ("vi 'x", "cannot be read"),
        ("/nowhere/vi", "does not start"),
    ],
)
def test_no_editor(workspace, vpn, monkeypatch, named, said) -> None:
    """Without an editor that starts, the error says so and names the variables."""
    monkeypatch.setenv("EDITOR", named)
    with workspace() as h, pytest.raises(BadInput, match=said) as caught:
        edit(h, "vpn")
    assert "EDITOR" in caught.value.hint


def test_visual_goes_before_editor_and_may_have_options(workspace, vpn, editor, monkeypatch) -> None:
    """VISUAL is asked first, with its options."""
    editor('echo "$1" "$2" >> "$2"')
    monkeypatch.setenv("VISUAL", os.environ["EDITOR"] + " --wait")
    monkeypatch.setenv("EDITOR", "/nowhere/vi")
    with workspace() as h:
        assert "--wait" in edit(h, "vpn")[0].body


def test_the_editor_of_git_is_the_next_best(workspace, vpn, editor, monkeypatch, machine) -> None:
    """Where neither variable is set, the editor that the person set for git is used."""
    editor("echo 'Ask Kim.' >> \"$1\"")
    (machine / ".gitconfig").write_text(f"[core]\n\teditor = {os.environ['EDITOR']}\n")
    monkeypatch.delenv("EDITOR")
    with workspace() as h:
        assert "Ask Kim." in edit(h, "vpn")[0].body


@pytest.mark.parametrize(("there", "used"), [(("nano", "vi"), "nano"), (("vi",), "vi")])
def test_an_editor_that_is_at_hand_is_the_last_resort(vpn, monkeypatch, tmp_path, there, used) -> None:
    """On a terminal, where nothing is set, nano or vi opens the memory."""
    for name in there:
        (tmp_path / name).write_text(f'#!/bin/sh\necho "By {name}." >> "$1"\n')
        (tmp_path / name).chmod(0o755)
    environment = {name: value for name, value in os.environ.items() if name not in ("VISUAL", "EDITOR")}
    leader, follower = os.openpty()
    command = [sys.executable, "-m", "holdfast", "edit", "vpn"]
    ended = subprocess.run(
        command,
        env={**environment, "PATH": str(tmp_path)},
        stdin=follower,
        stdout=follower,
        stderr=follower,
        check=False,
    )
    os.close(follower)
    os.close(leader)
    assert ended.returncode == 0 and f"By {used}." in vpn.read_text()
