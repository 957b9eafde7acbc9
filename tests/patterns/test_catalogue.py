"""The catalogue: every change is a version, and what a person writes into a file stays."""

from __future__ import annotations

import multiprocessing
import os
from pathlib import Path

import pytest

from holdfast.base.light_records import replace
from holdfast.errors import BadInput, BrokenFile, Conflict, NotFound, Refused, TooLarge
from holdfast.patterns import catalogue_file
from holdfast.patterns.catalogue import Catalogue, speaks_for
from holdfast.patterns.catalogue_file import CatalogueEntry, Target
from holdfast.patterns.clusters import Quote
from holdfast.privacy import redact

AT = "2026-11-01T10:00:00Z"
LATER = "2026-11-02T10:00:00Z"
QUOTE = Quote("s-1", "codex", 42, "npm ERR! missing script: tst", "2026-10-30T08:00:00Z")
ENTRY = CatalogueEntry(
    "1a2b3c4d5e",
    "failed-command",
    "npm tst: missing script",
    "npm tst is no script",
    "The script is called `test`.",
    owner="kim",
    evidence=(QUOTE,),
)


def plain(text: str) -> str:
    """Take secrets out, as the actions do."""
    return redact.redact(text)[0]


@pytest.fixture
def room(tmp_path) -> Catalogue:
    """An empty catalogue."""
    return Catalogue(str(tmp_path))


def by_hand(room: Catalogue, old: str, new: str) -> None:
    """Change the file of the entry as a person does in an editor."""
    path = Path(room.path(ENTRY.id))
    data = path.read_bytes()
    assert old.encode() in data
    path.write_bytes(data.replace(old.encode(), new.encode()))


def test_what_is_put_is_read_back(room) -> None:
    """Every field of an entry survives the way through its file."""
    target = Target("rules", "/srv/a · b/AGENTS.md", ("codex", "grok"), "project/shop", 1, AT, LATER)
    full = replace(ENTRY, targets=(target,), also=("retry-loop: npm tst:",), good=True, projects=("a", "b"))
    full = replace(full, bound=True, domain="web", fingerprints=("f1",), statement="Say:\n\n```\n# x\n## y\n```")
    kept = room.put(full, "approved", AT)
    assert kept == room.get("1a2b") == replace(full, created=AT, updated=AT, change="approved")


def test_a_file_is_readable_markdown(room) -> None:
    """A person sees title, statement and the quote with its session and line."""
    room.put(ENTRY, "approved", AT)
    text = room.text(ENTRY.id)
    assert "\n# npm tst is no script\n\nThe script is called `test`.\n\n## Evidence\n\n" in text
    assert "- 2026-10-30T08:00:00Z · codex · s-1 · line 42\n  > npm ERR! missing script: tst\n" in text
    assert oct(os.stat(room.path(ENTRY.id)).st_mode & 0o777) == "0o600"


def test_a_second_entry_of_an_id_is_refused(room) -> None:
    """Two who approve the same pattern do not write over each other."""
    room.put(ENTRY, "approved", AT)
    with pytest.raises(Conflict):
        room.put(replace(ENTRY, statement="Other words."), "approved", LATER)
    assert room.get(ENTRY.id).statement == ENTRY.statement


def test_every_change_is_a_version(room) -> None:
    """The versions say what made them, and a diff shows the words that changed."""
    first = room.put(ENTRY, "approved", AT)
    second = room.change(first, "edited", LATER, statement="Use `npm test`.")
    assert (second.version, second.updated, second.created) == (2, LATER, AT)
    assert [(one.number, one.change) for one in room.versions(ENTRY.id)] == [(1, "approved"), (2, "edited")]
    told = room.diff(ENTRY.id, 1, 2).split("\n")
    assert "-The script is called `test`." in told
    assert "+Use `npm test`." in told


def test_a_change_that_changes_nothing_is_no_version(room) -> None:
    """Setting a field to what it is leaves one version."""
    first = room.put(ENTRY, "approved", AT)
    assert room.change(first, "edited", LATER, owner="kim") == first
    assert len(room.versions(ENTRY.id)) == 1


def test_a_change_by_somebody_who_saw_an_older_version_is_refused(room) -> None:
    """The second of two reviewers is told, and the words of the first stay."""
    seen = room.put(ENTRY, "approved", AT)
    room.change(seen, "edited", LATER, statement="The first was quicker.")
    with pytest.raises(Conflict):
        room.change(seen, "edited", LATER, statement="The second was not.")
    assert room.get(ENTRY.id).statement == "The first was quicker."


def test_what_a_person_wrote_survives_changes(room) -> None:
    """Names, comments and sections that are not ours stay byte for byte through every change of ours."""
    room.put(ENTRY, "approved", AT)
    by_hand(room, "owner: kim\n", "# who to ask\nowner: kim\nticket: SHOP-7\n")
    by_hand(room, "## Evidence\n", "## Notes\n\nKim  saw this\ttoo.\n\n## Evidence\n\nWhat we saw:\n")
    entry = room.change(room.get(ENTRY.id), "distributed", LATER, targets=(Target("memory", "npm-test", at=LATER),))
    entry = room.change(entry, "edited", LATER, title="Other title", evidence=(QUOTE, replace(QUOTE, session="s-2")))
    room.change(entry, "edited", LATER, statement="Use `npm test`.")
    text = room.text(ENTRY.id)
    assert "# who to ask\nowner: kim\nticket: SHOP-7\n" in text
    assert (
        "\n# Other title\n\nUse `npm test`.\n\n## Notes\n\nKim  saw this\ttoo.\n\n## Evidence\n\nWhat we saw:\n" in text
    )
    assert [one.session for one in room.get(ENTRY.id).evidence] == ["s-1", "s-2"]


def test_an_edit_by_hand_is_a_version_of_its_own(room) -> None:
    """What a person changed in the file can be seen, compared and come back to, also after the next change."""
    room.put(ENTRY, "approved", AT)
    by_hand(room, "The script is called `test`.", "Kim's own words.")
    assert [one.change for one in room.versions(ENTRY.id)] == ["approved", "edited by hand"]
    assert "+Kim's own words." in room.diff(ENTRY.id, 1, 2)
    entry = room.change(room.get(ENTRY.id), "edited", LATER, statement="Ours again.")
    assert entry.version == 3
    assert room.rollback(ENTRY.id, 2, LATER).statement == "Kim's own words."


def test_line_endings_of_a_person_stay(room) -> None:
    """A file with the line endings of another system keeps them, and is read the same."""
    room.put(ENTRY, "approved", AT)
    path = Path(room.path(ENTRY.id))
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    seen = room.get(ENTRY.id)
    assert (seen.statement, seen.evidence) == (ENTRY.statement, ENTRY.evidence)
    room.change(seen, "edited", LATER, statement="Two\nlines.", targets=(Target("memory", "k", at=LATER),))
    data = path.read_bytes()
    assert data.count(b"\n") == data.count(b"\r\n")
    assert room.get(ENTRY.id).statement == "Two\nlines."


def test_rollback_is_a_new_version_and_leaves_targets(room) -> None:
    """The words of the version hold again; nothing of the history goes, and what is distributed stays recorded."""
    entry = room.put(ENTRY, "approved", AT)
    entry = room.change(entry, "edited", LATER, statement="Wrong.")
    entry = room.change(entry, "distributed", LATER, targets=(Target("memory", "npm-test", at=LATER),))
    back = room.rollback(ENTRY.id, 1, LATER)
    assert (back.statement, back.version, back.targets) == (ENTRY.statement, 4, entry.targets)
    assert [one.change for one in room.versions(ENTRY.id)][-1] == "rolled back to 1"


def test_rollback_mends_a_broken_file(room) -> None:
    """A file that a person broke is a problem; the way back is a version, and the broken text is kept as one."""
    entry = room.put(ENTRY, "approved", AT)
    room.change(entry, "distributed", LATER, targets=(Target("memory", "npm-test", at=LATER),))
    by_hand(room, "status: approved", "status: perhaps")
    assert ([], [f"patterns/{ENTRY.id}.md"]) == (room.all()[0], [one.path for one in room.all()[1]])
    with pytest.raises(BrokenFile):
        room.get(ENTRY.id)
    back = room.rollback(ENTRY.id, 1, LATER)
    assert (back.status, back.version, len(back.targets)) == ("approved", 4, 1)
    assert "status: perhaps" in room.version(ENTRY.id, 3).text


def test_a_write_that_was_cut_short_is_made_whole(room) -> None:
    """Where a crash left the file without its version, the next change writes that, and it is no edit by hand."""
    entry = room.put(ENTRY, "approved", AT)
    entry = room.change(entry, "edited", LATER, statement="Second.")
    os.remove(os.path.join(room.folder, "versions", ENTRY.id, "2.md"))
    assert [one.change for one in room.versions(ENTRY.id)] == ["approved", "edited"]
    room.change(entry, "edited", LATER, statement="Third.")
    assert [one.number for one in room.versions(ENTRY.id)] == [1, 2, 3]
    assert "Second." in room.version(ENTRY.id, 2).text


def test_a_removed_entry_that_comes_again_goes_on_counting(room) -> None:
    """Approving once more what a person deleted does not write over its old versions."""
    room.put(ENTRY, "approved", AT)
    os.remove(room.path(ENTRY.id))
    assert room.put(ENTRY, "approved", LATER).version == 2


def test_secrets_do_not_reach_the_disk(room, tmp_path) -> None:
    """Neither the words, the evidence nor a hand edit that becomes a version carries a secret into a file of ours."""
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    given = replace(ENTRY, statement=f"Use {secret}.", evidence=(replace(QUOTE, text=f"token {secret}"),))
    entry = room.put(given, "approved", AT)
    by_hand(room, "## Evidence", f"## Notes\n\n{secret}\n\n## Evidence")
    room.change(room.get(entry.id), "edited", LATER, title="Other")
    assert not [path for path in tmp_path.rglob("*.md") if secret in path.read_text()]


@pytest.mark.parametrize("statement", ["", "   ", "Do.\n## Evidence\n- x", "# Head\nDo.", "```\nopen fence"])
def test_words_that_would_not_be_read_back_are_refused(room, statement) -> None:
    """A statement cannot forge a section of the file, nor be empty."""
    with pytest.raises(BadInput):
        room.put(replace(ENTRY, statement=statement), "approved", AT)
    assert room.ids() == []


def test_bounds_hold(room) -> None:
    """A statement that is too long is refused, and evidence is cut to what a person can read."""
    with pytest.raises(TooLarge):
        room.put(replace(ENTRY, statement="x" * 5_000), "approved", AT)
    many = tuple(replace(QUOTE, session=f"s-{number}", text="y" * 9_000) for number in range(90))
    kept = room.put(replace(ENTRY, evidence=many), "approved", AT)
    assert len(kept.evidence) == catalogue_file.MAX_QUOTES
    assert {len(one.text) for one in kept.evidence} == {catalogue_file.MAX_QUOTE}


def test_links_are_not_written_through(room, tmp_path) -> None:
    """A link in the place of the folder of versions is refused."""
    (tmp_path / "patterns").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "patterns" / "versions").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Refused):
        room.put(ENTRY, "approved", AT)
    assert not list((tmp_path / "elsewhere").iterdir())


def test_bytes_that_are_no_text_are_kept_as_a_version(room) -> None:
    """A file in another encoding is a problem; going back mends it, and its bytes are still there."""
    room.put(ENTRY, "approved", AT)
    path = Path(room.path(ENTRY.id))
    path.write_bytes(path.read_bytes() + b"\nGr\xfc\xdfe\n")
    with pytest.raises(BrokenFile, match="UTF-8"):
        room.get(ENTRY.id)
    assert room.rollback(ENTRY.id, 1, LATER).version == 3
    kept = Path(room.folder, "versions", ENTRY.id, "2.md").read_bytes()
    assert kept.endswith(b"\nGr\xfc\xdfe\n")


def test_a_file_that_is_too_large_is_left_alone(room) -> None:
    """It is refused, not cut."""
    entry = room.put(ENTRY, "approved", AT)
    by_hand(room, "## Evidence", "## Notes\n\n" + "long " * 300_000 + "\n\n## Evidence")
    size = os.path.getsize(room.path(ENTRY.id))
    with pytest.raises(BrokenFile, match="larger"):
        room.change(entry, "edited", LATER, title="Other")
    assert os.path.getsize(room.path(ENTRY.id)) == size


def test_other_files_in_the_folder_are_the_persons(room) -> None:
    """A README beside the entries is neither an entry nor a problem."""
    room.put(ENTRY, "approved", AT)
    Path(room.folder, "README.md").write_text("Mine.\n")
    assert ([one.id for one in room.all()[0]], room.all()[1]) == ([ENTRY.id], [])


def test_an_unknown_version_is_not_found(room) -> None:
    """The error names the versions that there are."""
    room.put(ENTRY, "approved", AT)
    with pytest.raises(NotFound, match="no version 9"):
        room.rollback(ENTRY.id, 9, LATER)


def test_forgetting_a_session_takes_its_quotes_out_of_every_version(room, tmp_path) -> None:
    """Nothing that the session said is left, the rest of the files stays."""
    entry = room.put(replace(ENTRY, evidence=(QUOTE, replace(QUOTE, session="s-2", text="other"))), "approved", AT)
    room.change(entry, "edited", LATER, statement="Second.")
    assert room.forget("codex", "s-1") == [ENTRY.id]
    texts = [path.read_text() for path in (tmp_path / "patterns").rglob("*.md")]
    assert [("missing script: tst" in text, "s-2" in text) for text in texts] == [(False, True)] * 3
    assert room.forget("codex", "s-1") == []
    assert [one.change for one in room.versions(ENTRY.id)] == ["approved", "edited"]


def test_an_entry_speaks_for_near_signals_of_its_kind_and_projects() -> None:
    """Near signatures count, other kinds and a fix of the problem do not, a bound entry counts in its projects only."""
    entry = replace(ENTRY, signature="npm: missing script tst please run", also=("retry-loop: npm tst:",))
    assert speaks_for(entry, "failed-command", "npm: missing scripts tst please run")
    assert speaks_for(entry, "retry-loop", "npm tst:")
    assert not speaks_for(entry, "edit-churn", "npm tst:")
    mended = replace(entry, also=("fix-worked: npm: ran npm test instead",))
    assert not speaks_for(mended, "fix-worked", "npm: ran npm test instead")
    bound = replace(entry, bound=True, projects=("shop",))
    assert speaks_for(bound, "retry-loop", "npm tst:", ("shop", "other"))
    assert not speaks_for(bound, "retry-loop", "npm tst:", ("other",))


def _add_words(home: str, number: int) -> None:
    """Add one target to the entry, as often as somebody else was quicker."""
    room = Catalogue(home)
    while True:
        entry = room.get(ENTRY.id)
        try:
            room.change(entry, f"by {number}", LATER, targets=(*entry.targets, Target("memory", f"k{number}", at=AT)))
        except Conflict:
            continue
        return


def test_changes_of_several_processes_are_all_kept(room, tmp_path) -> None:
    """Eight processes that change one entry at once make eight versions, and no change is lost."""
    room.put(ENTRY, "approved", AT)
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=_add_words, args=(str(tmp_path), number)) for number in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(300)
    assert sorted(one.where for one in room.get(ENTRY.id).targets) == [f"k{number}" for number in range(8)]
    assert [one.number for one in room.versions(ENTRY.id)] == list(range(1, 10))
