"""The archive of sessions: names, links, digests, pins, forgetting, and the list by `stat` alone."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import BadInput, BrokenFile, Forgotten, HoldfastError, NotFound, Refused
from holdfast.records import Problem, SessionEvent
from holdfast.sessions import names
from holdfast.sessions.archive import Archive
from holdfast.sessions.digest import digest

from .making import answer
from .storing import EVENTS, SESSION, raw_path, stored

HOSTILE = [
    *("", ".", "..", "../../x", "/etc/passwd", ".hidden", "a/b", "a\\b", "x" * 10_000, "é" * 300, "NUL\0inside"),
    *("CON", "con", "nul.txt", "LPT1", "two\nlines", "tab\t", "ses_0aBc", "ses_0abc", "SES_0ABC", "% 41", "%41"),
    *("x.earlier", "x", "\ud800", "日本語", "x.jsonl.zst", "-rf", "~", "a" * 200, "a" * 201, "A" * 70, "\u0130"),
]


@pytest.fixture
def archive(home: Path) -> Archive:
    """An archive in a home that does not exist yet."""
    return Archive(str(home))


def entry_of(archive: Archive, name: str = "some-agent/s-1"):
    """Return what the archive lists of a session."""
    return next(entry for entry in archive.entries() if entry.name == name)


def test_everything_is_private(archive, home) -> None:
    """Folders have mode 0700 and files 0600."""
    name = stored(archive)
    archive.pin(name)
    stored(archive, id="s-2")
    archive.forget("some-agent/s-2")
    paths = [*(home / "archive").rglob("*"), home / "archive"]
    assert {path.stat().st_mode & 0o777 for path in paths if path.is_dir()} == {0o700}
    assert {path.stat().st_mode & 0o777 for path in paths if path.is_file()} == {0o600}


@pytest.mark.parametrize("id", HOSTILE, ids=lambda id: ascii(id)[:20])
def test_a_hostile_id_stays_in_its_folder(archive, home, id) -> None:
    """Whatever an id is, its files lie in the folders of its agent, and everything is found again by its name."""
    name = stored(archive, id=id)
    assert list(archive.events(name)) == EVENTS
    assert archive.digest(name).session.agent == "some-agent"
    written = [path for path in home.parent.rglob("*") if path.is_file()]
    assert sorted(str(path.parent.relative_to(home)) for path in written) == [
        "archive/digests/some-agent",
        "archive/raw/some-agent",
    ]
    (entry,) = archive.entries()
    assert entry.analysed
    assert entry.id == names.known_id(id)
    assert entry.id == id or len(id) > 60
    archive.pin(name)
    assert archive.pins() == {entry.name}
    archive.forget(name)
    assert archive.entries() == []
    assert archive.is_forgotten(name)


def test_hostile_ids_do_not_overwrite_each_other(archive) -> None:
    """Each id has files of its own, even on a file system that takes A for a."""
    for id in HOSTILE:
        stored(archive, [SessionEvent(0, "human", ascii(id))], id=id)
    assert len(archive.entries()) == len(HOSTILE)
    written = os.listdir(os.path.join(archive.root, "raw", "some-agent"))
    assert len({name.casefold() for name in written}) == len(HOSTILE)
    assert not any(name.startswith(".") for name in written)
    for id in HOSTILE:
        assert next(archive.events(f"some-agent/{id}")).text == ascii(id)


ANY_TEXT = st.text(st.characters(exclude_categories=()))


@given(ANY_TEXT, ANY_TEXT)
def test_names_of_files_are_reversible(one: str, other: str) -> None:
    """The id can be told from the file name, which is short and plain, and no two ids share one."""
    stem = names.stem_of(one)
    assert names.text_of(stem) == names.known_id(one)
    assert 0 < len(stem) <= 200
    assert set(stem) <= set("abcdefghijklmnopqrstuvwxyz0123456789._-%")
    assert not stem.startswith(".")
    assert (stem == names.stem_of(other)) == (names.known_id(one) == names.known_id(other))


def test_foreign_files_are_not_sessions(archive, home) -> None:
    """What a person or another program put into the folders is neither listed nor removed."""
    stored(archive)
    folder = home / "archive" / "raw" / "some-agent"
    for name in ("Notes.jsonl.zst", "%zz.jsonl.zst", "readme.txt", ".jsonl.zst", "%41%.jsonl.zst"):
        (folder / name).write_bytes(b"mine")
    (folder / "folder.jsonl.zst").mkdir()
    (folder / "link.jsonl.zst").symlink_to(raw_path(home))
    assert [entry.name for entry in archive.entries()] == ["some-agent/s-1"]
    assert archive.clear_leftovers() == 0


@pytest.mark.parametrize("place", ["archive", "archive/raw", "archive/raw/some-agent"])
def test_a_linked_folder_is_not_written_through(archive, home, tmp_path, place) -> None:
    """A link in the place of a folder is refused, and where it leads nothing is written or removed."""
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "raw" / "some-agent").mkdir(parents=True)
    (home / place).parent.mkdir(parents=True, exist_ok=True)
    (home / place).symlink_to(elsewhere)
    before = sorted(elsewhere.rglob("*"))
    with pytest.raises(Refused):
        stored(archive)
    with pytest.raises(Refused):
        archive.drop_raw("some-agent/s-1")
    assert sorted(elsewhere.rglob("*")) == before
    assert archive.entries() == []


def test_a_linked_folder_is_refused_where_folders_are_looked_at_once(archive, home, tmp_path) -> None:
    """The one look that a folder gets within the block finds a link; behind the block each file is looked at again."""
    with archive.looking_once():
        name = stored(archive)
        assert archive.has_raw(name)
    folder = raw_path(home).parent
    folder.rename(tmp_path / "elsewhere")
    folder.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Refused):
        archive.has_raw(name)
    with archive.looking_once(), pytest.raises(Refused):
        archive.has_raw(name)


def test_a_linked_file_is_not_written_through(archive, home, tmp_path) -> None:
    """A link in the place of a raw file or of a digest is refused, and its target keeps its bytes."""
    target = tmp_path / "precious"
    target.write_text("mine")
    for path in (raw_path(home), home / "archive" / "digests" / "some-agent" / "s-1.json"):
        path.parent.mkdir(parents=True)
        path.symlink_to(target)
    with pytest.raises(Refused):
        stored(archive)
    with pytest.raises(Refused):
        archive.put_digest(digest(SESSION, EVENTS))
    with pytest.raises(HoldfastError):
        archive.events("some-agent/s-1")
    assert target.read_text() == "mine"


def test_analysed_is_what_has_the_digest_of_its_raw_file(archive) -> None:
    """A session is analysed from its digest on until its raw file changes, and stays so when that is dropped."""
    name = stored(archive, digested=False)
    assert not entry_of(archive).analysed
    archive.put_digest(digest(SESSION, EVENTS))
    assert entry_of(archive).analysed
    stored(archive, [*EVENTS, answer("More.")], digested=False)
    assert not entry_of(archive).analysed
    archive.put_digest(digest(SESSION, EVENTS))
    archive.drop_raw(name)
    assert entry_of(archive).analysed
    assert entry_of(archive).raw_bytes == 0
    with pytest.raises(NotFound):
        archive.events(name)
    assert archive.session(name).title == "Till"


def test_the_time_of_a_session_is_its_end(archive) -> None:
    """Entries are told by when the session ended, oldest first; an end in the future or none at all is now."""
    stored(archive, id="b")
    stored(archive, id="a", ended="2020-01-01T00:00:00.123Z")
    stored(archive, id="c", ended="9999-01-01T00:00:00.000Z", started="nonsense")
    stored(archive, id="d", ended="", started="", digested=False)
    now = time.strftime("%Y-%m-%dT%H", time.gmtime())
    times = {entry.id: entry.at for entry in archive.entries()}
    assert list(times)[:2] == ["a", "b"]
    assert times["a"] == "2020-01-01T00:00:00.123Z"
    assert times["b"] == SESSION.ended
    assert max(times["c"][:13], times["d"][:13]) <= time.strftime("%Y-%m-%dT%H", time.gmtime())
    assert min(times["c"][:13], times["d"][:13]) >= now


def test_a_broken_digest_is_a_problem(archive, home) -> None:
    """One digest that cannot be read does not hide the others, and it is named."""
    for number in range(3):
        stored(archive, id=f"s-{number}")
    (home / "archive" / "digests" / "some-agent" / "s-1.json").write_bytes(b'{"session": 1}')
    problems: list[Problem] = []
    assert [found.session.id for found in archive.digests(problems)] == ["s-0", "s-2"]
    assert [Path(problem.path).name for problem in problems] == ["s-1.json"]
    with pytest.raises(BrokenFile):
        archive.digest("some-agent/s-1")
    with pytest.raises(NotFound):
        archive.digest("some-agent/s-9")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("some-agent/1f00-aa", "some-agent/1f00-aa"),
        ("1f00-aa", "some-agent/1f00-aa"),
        ("1f00", BadInput),
        ("other/1f", "other/1f00-bb"),
        ("bb", "other/1f00-bb"),
        ("aa-more", "some-agent/1f00-aa-more"),
        (" 77 ", "some-agent/77/aa"),
        ("77/aa", "some-agent/77/aa"),
        ("aa", BadInput),
        ("zz", NotFound),
        ("", NotFound),
        ("other/", NotFound),
        ("other/aa", NotFound),
    ],
)
def test_a_person_gives_a_part_of_the_id(archive, text, found) -> None:
    """The whole name, the whole id or a part that only one id has names a session; candidates are told."""
    for agent, id in (("some-agent", "1f00-aa"), ("some-agent", "1f00-aa-more"), ("other", "1f00-bb")):
        stored(archive, agent=agent, id=id)
    stored(archive, id="77/aa")
    if isinstance(found, str):
        assert archive.resolve(text) == found
        return
    with pytest.raises(found) as raised:
        archive.resolve(text)
    if found is BadInput:
        assert "some-agent/1f00-aa" in str(raised.value)


def test_pins_are_a_file_that_people_may_edit(archive, home) -> None:
    """Pins come and go, comments stay, and an odd name takes one line."""
    odd = stored(archive, id="two\nlines 100%")
    name = stored(archive)
    path = home / "archive" / "pins.txt"
    path.write_text("# keep these\nsome-agent/by-hand")
    archive.pin(name)
    archive.pin(name)
    archive.pin(odd)
    assert path.read_text().splitlines() == [
        *("# keep these", "some-agent/by-hand", "some-agent/s-1", "some-agent/two%0Alines 100%25"),
    ]
    assert archive.pins() == {"some-agent/by-hand", name, odd}
    assert entry_of(archive).pinned
    archive.unpin(name)
    archive.unpin(name)
    assert archive.pins() == {"some-agent/by-hand", odd}
    assert path.read_text().startswith("# keep these\n")
    with pytest.raises(NotFound):
        archive.pin("some-agent/nobody")


def test_unpinning_makes_nothing(archive, home) -> None:
    """Taking back a pin that is not there leaves an empty home empty."""
    archive.unpin("some-agent/s-1")
    assert not home.exists()
    assert archive.entries() == []
    assert list(archive.digests()) == []
    assert archive.clear_leftovers() == 0


def test_what_was_forgotten_does_not_come_back(archive, home) -> None:
    """After `forget` nothing of the session is on the disk, not even its name, and storing it again is refused."""
    name = stored(archive)
    stored(archive, EVENTS[:1])
    other = stored(archive, id="s-2")
    reader = Archive(str(home))
    assert not reader.is_forgotten(name)
    archive.pin(name)
    archive.forget(name)
    archive.forget(name)
    assert [entry.name for entry in archive.entries()] == [other]
    left = b"".join(path.read_bytes() for path in (home / "archive").glob("*.txt"))
    assert b"s-1" not in left
    assert (home / "archive" / "forgotten.txt").read_text().count("\n") == 1
    assert reader.is_forgotten(name)
    for again in (lambda: stored(archive, digested=False), lambda: archive.put_digest(digest(SESSION, EVENTS))):
        with pytest.raises(Forgotten):
            again()
    assert [entry.name for entry in archive.entries()] == [other]
    assert archive.clear_leftovers() == 0
    archive.forget(other)
    assert reader.is_forgotten(other)


def test_what_is_half_forgotten_goes(archive, home) -> None:
    """Files of a forgotten session that a kill or a running sweep left behind go with the other leftovers."""
    name, other = stored(archive), stored(archive, id="s-2")
    kept = {path: path.read_bytes() for path in (home / "archive").rglob("s-1.*")}
    archive.forget(name)
    for path, data in kept.items():
        path.write_bytes(data)
    assert len(archive.entries()) == 2
    assert archive.clear_leftovers() == 2
    assert [entry.name for entry in archive.entries()] == [other]


def test_leftovers_of_killed_sweeps_go(archive, home) -> None:
    """Temporary files in the folders of raw files and digests are removed, and nothing else."""
    name = stored(archive)
    for kind in ("raw", "digests"):
        (home / "archive" / kind / "some-agent" / ".holdfast-tmp-1-abcd").write_bytes(b"half")
    assert [entry.name for entry in archive.entries()] == [name]
    assert archive.clear_leftovers() == 2
    assert archive.clear_leftovers() == 0
    assert list(archive.events(name)) == EVENTS


def test_sessions_are_listed_by_stat_alone(archive, home, monkeypatch) -> None:
    """The list of a thousand sessions opens none of their files."""
    for kind, ending in (("raw", ".jsonl.zst"), ("digests", ".json")):
        folder = home / "archive" / kind / "some-agent"
        folder.mkdir(parents=True)
        for number in range(1_000):
            os.close(os.open(folder / f"{number:08}-ffff-4444{ending}", os.O_CREAT | os.O_WRONLY, 0o000))
    opened: list[object] = []

    def noted(call):
        return lambda path, *more, **named: opened.append(path) or call(path, *more, **named)

    monkeypatch.setattr("builtins.open", noted(open))
    monkeypatch.setattr(os, "open", noted(os.open))
    assert len(archive.entries()) == 1_000
    assert [path for path in opened if str(path).endswith((".zst", ".json"))] == []
