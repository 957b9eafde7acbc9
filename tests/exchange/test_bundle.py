"""A scope or a home as one file: deterministic, checked, and a stranger's when it comes in."""

from __future__ import annotations

import io
import subprocess
import tarfile

import pytest

from holdfast.errors import BadInput, Conflict, HoldfastError, NotFound, Refused, TooLarge
from holdfast.exchange import bundle
from holdfast.journal.updates import Updates
from holdfast.memory.forget import apply as forget
from holdfast.memory.forget import plan as plan_forget
from holdfast.memory.remember import remember
from holdfast.recall.recall import recall
from holdfast.workspace import Workspace


@pytest.fixture
def filled(workspace):
    """A home with a memory of the project, a global one with a history, and one that was forgotten."""
    with workspace() as opened:
        remember(opened, "Deploys need the VPN.", key="deploys", tags=("ops",))
        remember(opened, "We indent with tabs.", key="style", scope="global")
        remember(opened, "We indent with spaces.", key="style", scope="global")
        remember(opened, "The code name is bluebird.", key="code-name")
        forget(opened, plan_forget(opened, ("code-name",))[0])
    return workspace


@pytest.fixture
def elsewhere(tmp_path, shop):
    """Another person's home, seen from the same project."""
    return lambda: Workspace(str(tmp_path / "elsewhere"), folder=str(shop))


def exported(workspace, path) -> bytes:
    """Export the home and return the bytes."""
    with workspace() as opened:
        bundle.export(opened, str(path))
    return path.read_bytes()


def test_the_same_memories_give_the_same_bytes(filled, tmp_path):
    """Two exports are byte-identical, and `sha256sum` agrees with what is in them."""
    assert exported(filled, tmp_path / "one.tar.gz") == exported(filled, tmp_path / "two.tar.gz")
    subprocess.run(["tar", "-xzf", str(tmp_path / "one.tar.gz"), "-C", str(tmp_path)], check=True)
    subprocess.run(["sha256sum", "--quiet", "-c", "SHA256SUMS"], cwd=tmp_path, check=True)


def test_a_memory_with_the_key_log_has_another_file_name_in_a_bundle_and_comes_back(filled, elsewhere, tmp_path):
    """`log.md` is a history of changes in the Open Knowledge Format, at every level."""
    with filled() as opened:
        remember(opened, "Logs go to syslog.", key="log")
    exported(filled, tmp_path / "one.tar.gz")
    with tarfile.open(tmp_path / "one.tar.gz") as archive:
        assert not [name for name in archive.getnames() if name.endswith("/log.md")]
    with elsewhere() as opened:
        bundle.apply(opened, bundle.plan(opened, bundle.read(str(tmp_path / "one.tar.gz"))))
        assert opened.locate("log").body == "Logs go to syslog."


def test_what_comes_in_is_a_strangers(filled, elsewhere, tmp_path):
    """It is planned first, then found with the trust of an import; again, nothing is new."""
    exported(filled, tmp_path / "one.tar.gz")
    with elsewhere() as opened:
        changes = bundle.plan(opened, bundle.read(str(tmp_path / "one.tar.gz")))
        assert sorted(change.memory.body for change in changes) == ["Deploys need the VPN.", "We indent with spaces."]
        bundle.apply(opened, changes)
        (hit,) = recall(opened, "deploys", limit=1)
        assert (hit.memory.key, hit.memory.trust, hit.memory.tags) == ("deploys", "import", ("ops",))
        style = opened.store.get(opened.scope("global"), "style")
        assert [one.text for one in style.history] == ["We indent with tabs."]
        assert bundle.plan(opened, bundle.read(str(tmp_path / "one.tar.gz"))) == []


def test_a_key_that_is_taken_here_is_left_to_its_memory(filled, elsewhere, tmp_path):
    """What stands here stays as it is; the newcomer gets a key of its words, and the plan says which."""
    exported(filled, tmp_path / "one.tar.gz")
    with elsewhere() as opened:
        remember(opened, "Deploys go by hand.", key="deploys")
        changes = bundle.plan(opened, bundle.read(str(tmp_path / "one.tar.gz")))
        bundle.apply(opened, changes)
        assert opened.store.get(opened.scope("project"), "deploys").body == "Deploys go by hand."
        assert opened.store.get(opened.scope("project"), "deploys-need-the-vpn").body == "Deploys need the VPN."
        assert "project:" in changes[0].step.target or "project:" in changes[1].step.target
        assert any(change.step.target.endswith("/deploys-need-the-vpn") for change in changes)


def test_an_import_is_one_act_that_can_be_undone(filled, elsewhere, tmp_path):
    """`updates undo` takes all of it back."""
    exported(filled, tmp_path / "one.tar.gz")
    with elsewhere() as opened:
        bundle.apply(opened, bundle.plan(opened, bundle.read(str(tmp_path / "one.tar.gz"))))
        (update,) = Updates(opened.home).all()[0]
        assert (update.command, len(update.files), update.can_be_undone) == ("import", 2, True)


def test_an_import_into_a_new_home_speaks_of_no_lost_index(filled, cli, tmp_path):
    """Its index is made before its memories, so that nothing has to be rebuilt."""
    exported(filled, tmp_path / "one.tar.gz")
    new = ("--home", str(tmp_path / "new"))
    assert cli(*new, "import", "--bundle", str(tmp_path / "one.tar.gz"), "--yes").code == 0
    assert "rebuilt" not in cli(*new, "list", "--everywhere").err


def test_what_was_forgotten_here_stays_out(filled, elsewhere, tmp_path):
    """A statement that this person forgot is not in the plan."""
    exported(filled, tmp_path / "one.tar.gz")
    with elsewhere() as opened:
        remember(opened, "Deploys need the VPN.", key="vpn")
        forget(opened, plan_forget(opened, ("vpn",))[0])
        changes = bundle.plan(opened, bundle.read(str(tmp_path / "one.tar.gz")))
        assert [change.memory.body for change in changes] == ["We indent with spaces."]


def test_what_was_forgotten_here_comes_back_in_no_history(filled, elsewhere, tmp_path):
    """Neither does what was made of it, also under another key: a forget wins over an edit."""
    with elsewhere() as opened:
        remember(opened, "Deploys need the VPN.", key="shipping")
        forget(opened, plan_forget(opened, ("shipping",))[0])
    with filled() as opened:
        remember(opened, "Deploys go through the bastion.", key="deploys")
    exported(filled, tmp_path / "one.tar.gz")
    with elsewhere() as opened:
        planned = bundle.plan(opened, bundle.read(str(tmp_path / "one.tar.gz")))
    assert [one.memory.key for one in planned] == ["style"]


def test_a_file_that_is_there_is_not_written_over(filled, tmp_path):
    """The export is refused, and the file stays."""
    (tmp_path / "mine.tar.gz").write_text("mine")
    with filled() as opened, pytest.raises(Conflict):
        bundle.export(opened, str(tmp_path / "mine.tar.gz"))
    assert (tmp_path / "mine.tar.gz").read_text() == "mine"


def test_a_folder_that_is_missing_is_named_and_not_made(filled, tmp_path):
    """The export says which folder is missing."""
    with filled() as opened, pytest.raises(NotFound, match="there is no folder"):
        bundle.export(opened, str(tmp_path / "away" / "one.tar.gz"))
    assert not (tmp_path / "away").exists()


def test_a_changed_bundle_is_refused_as_a_whole(filled, tmp_path):
    """One byte of one memory makes the checksums disagree."""
    exported(filled, tmp_path / "one.tar.gz")
    with tarfile.open(tmp_path / "one.tar.gz") as archive:
        members = [(one, archive.extractfile(one).read()) for one in archive]
    with tarfile.open(tmp_path / "two.tar.gz", "w:gz") as archive:
        for one, data in members:
            changed = data.replace(b"VPN", b"LAN")
            archive.addfile(one, io.BytesIO(changed))
    with pytest.raises(Refused, match="checksums"):
        bundle.read(str(tmp_path / "two.tar.gz"))


def test_an_archive_without_checksums_is_no_bundle(tmp_path):
    """An empty one would be told as one of which all is known."""
    (tmp_path / "empty.tar.gz").write_bytes(bundle._archive({}))
    with pytest.raises(Refused, match="checksums"):
        bundle.read(str(tmp_path / "empty.tar.gz"))


@pytest.mark.parametrize(
    "name", ["../../evil.md", "/etc/evil", "memories/global/../../evil.md", "memories/sessions/x/a.md"]
)
def test_a_hostile_bundle_is_refused(name, tmp_path):
    """Paths out of it, links, and files that no bundle has are refused, with checksums that agree."""
    contents = {name: b"---\ntype: project\n---\nEvil.\n"}
    contents["SHA256SUMS"] = f"{bundle.sha256(contents[name]).hexdigest()}  {name}\n".encode()
    (tmp_path / "evil.tar.gz").write_bytes(bundle._archive(contents))
    with pytest.raises(HoldfastError):
        bundle.read(str(tmp_path / "evil.tar.gz"))


def test_a_bundle_of_many_memories_is_read_and_one_that_swells_is_not(tmp_path, monkeypatch):
    """The tombstones of many are longer than any memory may be; zeros that unpack to gigabytes are not unpacked."""

    def written(name: str, data: bytes) -> str:
        sums = f"{bundle.sha256(data).hexdigest()}  {name}\n".encode()
        (tmp_path / "one.tar.gz").write_bytes(bundle._archive({name: data, "SHA256SUMS": sums}))
        return str(tmp_path / "one.tar.gz")

    assert bundle.read(written("tombstones/global.tsv", b"a\tb\n" * 1_100_000)).memories == ()
    with pytest.raises(TooLarge, match="a memory of more than"):
        bundle.read(written("memories/global/a.md", bytes(bundle.MAX_FILE + 1)))
    monkeypatch.setattr(bundle, "MAX_BYTES", 1_000_000)
    with pytest.raises(TooLarge, match="1,000,000 bytes"):
        bundle.read(written("tombstones/global.tsv", bytes(1_000_001)))


def test_a_link_in_a_bundle_and_a_file_that_is_none_are_refused(tmp_path):
    """Neither is opened."""
    with tarfile.open(tmp_path / "link.tar.gz", "w:gz") as archive:
        link = tarfile.TarInfo("memories/global/a.md")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    with pytest.raises(Refused, match="plain file"):
        bundle.read(str(tmp_path / "link.tar.gz"))
    (tmp_path / "text.tar.gz").write_text("hello")
    with pytest.raises(BadInput, match="cannot be read as a bundle"):
        bundle.read(str(tmp_path / "text.tar.gz"))
