"""Is this installation sound, and this home?"""

from __future__ import annotations

import pytest

from holdfast.app.doctor import doctor
from holdfast.memory.remember import remember
from holdfast.recall.recall import recall


@pytest.fixture
def one(workspace):
    """A home with one memory."""
    with workspace() as h:
        remember(h, "Apples are red.", key="a")
    return workspace


def ids(workspace, **how) -> list[str]:
    """Return the ids of the findings."""
    with workspace() as h:
        findings = doctor(h, **how)
    assert all(finding.severity in ("error", "warning", "info") for finding in findings)
    assert all(finding.text and finding.hint for finding in findings)
    return [finding.kind for finding in findings if finding.kind not in ("bytecode", "git")]


def damage(home) -> None:
    """Keep the head of the index and break its body."""
    data = (home / "index.db").read_bytes()
    (home / "index.db").write_bytes(data[:4096] + b"\xff" * (len(data) - 4096))


def test_a_sound_home(one) -> None:
    """Nothing is found where nothing is wrong."""
    assert ids(one) == []


def test_an_unknown_setting_is_a_finding(one, home) -> None:
    """A line of config.toml that counts for nothing is named with its line and the nearest name."""
    (home / "config.toml").write_text("[recall]\nlimt = 3\n")
    (home / "config.toml").chmod(0o600)
    assert ids(one) == ["setting"]
    with one() as h:
        (found,) = (each for each in doctor(h) if each.kind == "setting")
    assert (found.path, found.line, found.hint) == (str(home / "config.toml"), 2, "Did you mean recall.limit?")


def test_no_home_is_no_fault(workspace, home) -> None:
    """A home that is not there yet is sound, and looking or fixing makes nothing."""
    assert ids(workspace) == [] and ids(workspace, fix=True) == []
    assert not home.exists()


def test_a_home_that_others_can_read(one, home) -> None:
    """An open mode is found, and --fix closes it, for files inside too."""
    (home / "memory" / "index.md").chmod(0o644)
    home.chmod(0o755)
    assert ids(one) == ["mode"]
    assert ids(one, fix=True) == []
    assert home.stat().st_mode & 0o077 == 0 and (home / "memory" / "index.md").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("how", ["body", "head", "gone"])
def test_a_damaged_index(one, home, how) -> None:
    """However the index is damaged, --fix makes it anew, and recall is whole again."""
    if how == "body":
        damage(home)
        assert ids(one)[:1] in (["index"], ["index-aside"])
    elif how == "head":
        (home / "index.db").write_bytes(b"no database at all")
    else:
        (home / "index.db").unlink()
    assert ids(one, fix=True) == []
    with one() as h:
        assert [hit.memory.key for hit in recall(h, "apples")] == ["a"]
    assert not list(home.glob("*.damaged*"))


def test_broken_files_are_findings(one, write) -> None:
    """A memory file that cannot be read is a finding with its path and the way out."""
    write("global/memories/x.md", "---\ntags: [a\n---\nText.\n")
    assert ids(one) == ["front-matter"]
