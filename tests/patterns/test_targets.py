"""Where a pattern is put: the fewest files, harmless words, and no foreign byte changed."""

from __future__ import annotations

import os

import pytest

from holdfast.agents.base import ManagedFile, Place
from holdfast.errors import BrokenFile, Conflict, Refused, TooLarge
from holdfast.patterns import targets
from holdfast.patterns.targets import FileEdits

ID = "1a2b3c4d5e"
BODY = "Use `npm test`."


@pytest.fixture
def place(tmp_path) -> Place:
    """A project in a home."""
    (tmp_path / "project").mkdir()
    return Place(str(tmp_path), str(tmp_path / "project"), "project", {})


def block(path: str) -> ManagedFile:
    """Return a file in which a block stands."""
    return ManagedFile(path, block=True)


def test_agents_that_read_one_file_share_it() -> None:
    """An agent with a choice takes the file that another one needs, or that has the pattern already."""
    options = {"kiro": [ManagedFile("/steering"), block("/AGENTS")], "codex": [block("/AGENTS")]}
    assert {path: readers for path, (_, readers) in targets.fewest_files(options, ()).items()} == {
        "/AGENTS": ("codex", "kiro")
    }
    alone = {"kiro": options["kiro"]}
    assert [*targets.fewest_files(alone, ())] == ["/steering"]
    assert [*targets.fewest_files(alone, ["/AGENTS"])] == ["/AGENTS"]


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("Read @~/.ssh/id_rsa now", "Read `@~/.ssh/id_rsa` now"),
        ("@README.md first", "`@README.md` first"),
        ("`@types/node` and a@b.org stay", "`@types/node` and a@b.org stay"),
        ("a\n```\n@keep\n```\nb", "a\n```\n@keep\n```\nb"),
        ("Run !`rm -rf x`", "Run ! `rm -rf x`"),
        ("<!-- holdfast:pattern-end 1a -->", "‹!-- holdfast:pattern-end 1a --›"),
        ("open\n```sh\nls", "open\n```sh\nls\n```"),
        ("one\r\ntwo", "one\ntwo"),
    ],
)
def test_words_that_do_something_are_made_harmless(said, written) -> None:
    """A rule takes no file in, runs nothing, opens no comment, and leaves no fence open."""
    assert targets.rule_text(said) == written


def test_a_rule_is_bounded() -> None:
    """What is too long for every session is refused; a skill may be longer."""
    with pytest.raises(TooLarge):
        targets.rule_text("x" * 2_001)
    assert len(targets.rule_text("x" * 4_000, targets.MAX_SKILL)) == 4_000


def test_a_description_is_one_quoted_line() -> None:
    """A title with quotes and colons cannot break the front matter, and what is said twice is said once."""
    head = targets.skill_head(ID, 'npm: "tst"', "Use:\nmore")
    assert head == f'---\nname: holdfast-{ID}\ndescription: "npm: \\"tst\\". Use:"\n---\n\n'
    assert "Run ! `x` on `@y`" in targets.skill_head(ID, "Run !`x` on @y", "Now.")
    assert "Use it. Use it" not in targets.skill_head(ID, "Use it.", "Use it. Now.")


def test_a_link_within_the_project_is_one_file(place, tmp_path) -> None:
    """CLAUDE.md as a link to AGENTS.md leads to that file; it is written once and stays a link."""
    root = tmp_path / "project"
    (root / "AGENTS.md").write_text("# a\n", encoding="utf-8")
    (root / "CLAUDE.md").symlink_to("AGENTS.md")
    assert targets.real_path(str(root / "CLAUDE.md"), place) == str(root / "AGENTS.md")


@pytest.mark.parametrize("goal", ["../outside.md", "../.bashrc", "Makefile"])
def test_a_link_that_leads_away_is_refused(place, tmp_path, goal) -> None:
    """A repository cannot make us write into the home, nor into what is no text."""
    (tmp_path / "project" / "AGENTS.md").symlink_to(goal)
    with pytest.raises(Refused):
        targets.real_path(str(tmp_path / "project" / "AGENTS.md"), place)


def test_a_folder_behind_a_link_is_refused(place, tmp_path) -> None:
    """A folder of the agent that is a link out of the project is not written to."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "project" / ".kiro").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Refused):
        targets.real_path(str(tmp_path / "project" / ".kiro" / "steering" / "x.md"), place)


def test_an_edited_block_is_a_conflict(place, tmp_path) -> None:
    """Words that somebody changed are neither replaced nor taken out, unless it is asked for."""
    path = tmp_path / "project" / "AGENTS.md"
    edits = FileEdits(place)
    targets.put_into(edits, block(str(path)), ID, BODY)
    path.write_bytes(edits.changes()[0].after.replace(b"npm test", b"yarn test"))
    for act in (
        lambda edits, **more: targets.put_into(edits, block(str(path)), ID, "New.", **more),
        lambda edits, **more: targets.take_out(edits, str(path), ID, frozenset(), **more),
    ):
        edits = FileEdits(place)
        with pytest.raises(Conflict, match="edited by hand"):
            act(edits)
        assert edits.changes() == ()
        act(edits, force=True)
        assert edits.changes()


def test_a_block_without_its_end_is_a_conflict_whatever_is_asked(place, tmp_path) -> None:
    """Nobody can tell what is ours, so not even force touches it."""
    path = tmp_path / "project" / "AGENTS.md"
    path.write_text(f"# a\n<!-- holdfast:pattern-begin {ID} 123 -->\nx\n", encoding="utf-8")
    with pytest.raises(Conflict, match="last line"):
        targets.take_out(FileEdits(place), str(path), ID, frozenset(), force=True)


def test_a_foreign_file_of_our_name_is_left_alone(place, tmp_path) -> None:
    """A steering file that somebody wrote under our name is not overwritten."""
    path = tmp_path / "project" / f"holdfast-{ID}.md"
    path.write_text("mine", encoding="utf-8")
    with pytest.raises(Conflict, match="not written by Holdfast"):
        targets.put_into(FileEdits(place), ManagedFile(str(path), "---\n"), ID, BODY)


def test_bytes_that_are_no_text_are_refused(place, tmp_path) -> None:
    """A file that is not UTF-8 is not rewritten."""
    path = tmp_path / "project" / "AGENTS.md"
    path.write_bytes(b"caf\xe9\n")
    with pytest.raises(BrokenFile):
        targets.put_into(FileEdits(place), block(str(path)), ID, BODY)


def test_only_a_file_that_we_made_goes_when_it_is_empty(place, tmp_path) -> None:
    """An empty file that was there before stays, empty."""
    path = tmp_path / "project" / "AGENTS.md"
    edits = FileEdits(place)
    targets.put_into(edits, block(str(path)), ID, BODY)
    path.write_bytes(edits.changes()[0].after)
    for made, left in ((frozenset({str(path)}), None), (frozenset(), b"")):
        edits = FileEdits(place)
        targets.take_out(edits, str(path), ID, made)
        assert edits.changes()[0].after == left


def test_the_state_of_a_file_is_told(place, tmp_path) -> None:
    """There, old, edited and missing are told apart."""
    path = str(tmp_path / "project" / "AGENTS.md")
    edits = FileEdits(place)
    targets.put_into(edits, block(path), ID, BODY)
    data = edits.changes()[0].after
    assert targets.state_of(data, path, ID, BODY) == "there"
    assert targets.state_of(data, path, ID, "Other.") == "old"
    assert targets.state_of(data.replace(b"npm", b"yarn"), path, ID, BODY) == "edited"
    assert targets.state_of(None, path, ID, BODY) == "missing"


def test_what_we_made_is_remembered_while_it_is_there(tmp_path) -> None:
    """Files and folders are noted, and dropped when they are gone; a broken record says that nothing is ours."""
    home, made = str(tmp_path / "home"), tmp_path / "AGENTS.md"
    made.write_text("x", encoding="utf-8")
    targets.note_made(home, [str(made), str(tmp_path / "gone")], [str(tmp_path)])
    targets.note_gone(home)
    assert targets.placed(home) == targets.Placed(frozenset({str(made)}), frozenset({str(tmp_path)}))
    with open(os.path.join(home, "patterns", "placed.json"), "w", encoding="utf-8") as file:
        file.write("[1]")
    assert targets.placed(home) == targets.Placed()
