"""The room of proposals: files that a person can read and edit, and rejections that stick."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import BadInput, BrokenFile, Conflict, NotFound, Refused
from holdfast.memory.proposal_files import Proposals, id_of, read, written
from holdfast.records import Proposal, Scope, replace

NOW = "2026-11-15T09:00:00Z"
SHOP = Scope("project", "shop")


def proposed(text: str = "Deploys need the VPN.", **more) -> Proposal:
    """Return a proposal with something in every field."""
    given = {"title": "VPN", "type": "feedback", "tags": ("deploy",), "source": "x:A.md#One: two", "agent": "x"}
    return Proposal(id_of(SHOP, text), text, SHOP, **{**given, "evidence": "A.md, line 3", "created": NOW, **more})


@pytest.fixture
def room(home) -> Proposals:
    """The proposals of an empty home."""
    return Proposals(str(home))


def test_a_proposal_is_a_private_file_that_reads_back(room) -> None:
    """What is put is a file of mode 0600 in a folder of mode 0700, and comes back as it was."""
    room.put(proposed())
    path = room.path(proposed().id)
    assert room.all() == ([proposed()], [])
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert stat.S_IMODE(os.stat(room.folder).st_mode) == 0o700


@given(
    st.text(st.characters(blacklist_categories=("Cs", "Cc")), min_size=1, max_size=80).filter(
        lambda text: text.strip() and not text.startswith("# ")
    ),
    st.text(st.characters(blacklist_categories=("Cs", "Cc")), max_size=40),
)
def test_any_text_survives_its_file(text: str, source: str) -> None:
    """Whatever a statement and its source are, the file gives them back."""
    wanted = proposed(text.strip(), source=source)
    assert read(written(wanted), wanted.id) == wanted


def test_an_id_stands_for_scope_and_statement() -> None:
    """Case, spaces and emphasis do not change an id; another scope or another word does."""
    assert id_of(SHOP, "Use **tabs**.") == id_of(SHOP, "use  tabs")
    assert len({id_of(SHOP, "Use tabs"), id_of(Scope("global"), "Use tabs"), id_of(SHOP, "Use spaces")}) == 3


def test_an_id_may_be_cut_short(room) -> None:
    """A beginning that only one id has is enough; one that none or several have is refused."""
    ids = [proposed(text).id for text in map(str, range(40))]
    for text in map(str, range(40)):
        room.put(proposed(text))
    shared = next(one[0] for one in ids if sum(other[0] == one[0] for other in ids) > 1)
    assert room.get(ids[0][:7]).id == ids[0]
    with pytest.raises(BadInput, match="begins several"):
        room.get(shared)
    for nothing in ("", "zz"):
        with pytest.raises(NotFound):
            room.get(nothing)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("---\nkind: memory\nscope: project\n---\n\nText.\n", "scope"),
        ("---\nkind: memory\nscope: project\nowner: ../../etc\n---\n\nText.\n", "scope"),
        ("---\nkind: memory\nscope: nowhere\n---\n\nText.\n", "scope"),
        ("---\nkind: spell\nscope: global\n---\n\nText.\n", "kind"),
        ("---\nkind: memory\nscope: global\ntype: rumour\n---\n\nText.\n", "type"),
        ("---\nkind: memory\nscope: global\n---\n\n# Title alone\n", "says nothing"),
        ("---\nkind: memory\nwhat is this\n---\n\nText.\n", "neither"),
    ],
)
def test_a_file_that_is_no_proposal_is_a_problem(room, text: str, says: str) -> None:
    """A broken file is named with what is wrong, stays as it is, and takes no other with it."""
    room.put(proposed())
    path = room.path("broken")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    found, problems = room.all()
    assert [one.id for one in found] == [proposed().id]
    assert [problem.path for problem in problems] == ["proposals/broken.md"] and says in problems[0].text
    with pytest.raises(BrokenFile):
        room.get("broken")


def test_bytes_that_are_no_text_and_links_are_problems(room, tmp_path) -> None:
    """A file that is not UTF-8 and a link in place of a file are problems; the link is not followed."""
    room.put(proposed())
    with open(room.path("bytes"), "wb") as file:
        file.write(b"---\n\xff\xfe")
    (tmp_path / "outside.md").write_text(written(proposed()))
    os.symlink(tmp_path / "outside.md", room.path("link"))
    found, problems = room.all()
    assert len(found) == 1 and [problem.path for problem in problems] == ["proposals/bytes.md", "proposals/link.md"]
    with pytest.raises(Refused):
        room.put(replace(proposed(), id="link"))
    assert (tmp_path / "outside.md").read_text() == written(proposed())


def test_an_edit_is_kept_and_a_race_is_seen(room) -> None:
    """An edited file is read back as it is now; one that changed meanwhile is not overwritten."""
    room.put(proposed())
    before = room.text(proposed())
    after = room.rewrite(proposed(), before, before.replace("need the VPN", "need nothing"))
    assert after.text == "Deploys need nothing." and room.get(proposed().id) == after
    with pytest.raises(Conflict):
        room.rewrite(proposed(), before, before)


def test_rejections_stick_and_say_no_word(room) -> None:
    """A rejected id stays in the list, once, with time and reason on one line, and without the statement."""
    room.reject([proposed().id], "not\ttrue\nany more", NOW)
    room.reject([proposed().id, "other"], "", NOW)
    lines = Path(room.folder, "rejected.tsv").read_text(encoding="utf-8").splitlines()
    assert lines == [f"{proposed().id}\t{NOW}\tnot true any more", f"other\t{NOW}\t"]
    assert room.rejected() == {proposed().id, "other"} and room.ids() == []


def test_a_line_cut_short_swallows_nothing(room) -> None:
    """After a write that broke off in the middle of a line, the next rejection stands on a line of its own."""
    room.reject(["one"], "", NOW)
    with open(f"{room.folder}/rejected.tsv", "ab") as file:
        file.write(b"tw")
    room.reject(["three"], "", NOW)
    assert {"one", "three"} <= room.rejected()


def test_an_empty_home_has_no_proposals(room, home) -> None:
    """Where nothing was ever proposed there is nothing, and looking makes nothing."""
    assert (room.ids(), room.all(), room.rejected()) == ([], ([], []), frozenset())
    assert not home.exists()
