"""The bundle is a cache: it is made by the first hook, used by the next, and never believed over the sources."""

from __future__ import annotations

import json
import marshal
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import holdfast

from .conftest import HOST, PYTHON


@pytest.fixture
def package(tmp_path) -> Path:
    """A copy of the package, with the files that were never run."""
    source = Path(holdfast.__file__).parent
    copy = tmp_path / "lib" / "holdfast"
    shutil.copytree(source, copy, ignore=shutil.ignore_patterns("__pycache__", "model"))
    (copy / "recall" / "model").symlink_to(source / "recall" / "model")
    return copy


@pytest.fixture
def start(package, home, shop, remember):
    """Start a session through the copy and return what the model gets."""
    remember("Deploys need the VPN.")

    def run(session: str, source: str = "startup", at: Path = package) -> str:
        runner = str(at / "surfaces" / "hook" / "run.py")
        told = {"session_id": session, "cwd": str(shop), "source": source, "prompt_id": session}
        ended = subprocess.run(
            [PYTHON, "-I", "-S", "-E", runner, "SessionStart", "--agent", "claude-code", "--home", str(home)],
            input=json.dumps(told).encode(),
            capture_output=True,
            env={"HOME": str(home.parent), **HOST},
            check=True,
        )
        assert ended.stderr == b""
        return json.loads(ended.stdout)["hookSpecificOutput"]["additionalContext"]

    return run


def place_of(package: Path) -> Path:
    """Return where the bundle lies."""
    return package / "surfaces" / "hook" / "__pycache__" / f"bundle.{sys.implementation.cache_tag}"


def modules_in(place: Path) -> set[str]:
    """Return the modules of a bundle."""
    data = place.read_bytes()
    return set(marshal.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])[0])


def test_the_first_hook_writes_it_and_the_next_uses_it(start, package):
    """After one hook all its modules are in the bundle, after two their order, and the third writes nothing."""
    first = start("s1")
    assert start("s2") == first
    wanted = {"holdfast.surfaces.hook.main", "holdfast.inject.block", "holdfast.store.index"}
    assert wanted <= modules_in(place_of(package))
    before = place_of(package).stat().st_mtime_ns
    shutil.rmtree(package / "inject" / "__pycache__")
    assert start("s3") == first
    assert place_of(package).stat().st_mtime_ns == before
    assert not (package / "inject" / "__pycache__").exists()


def test_a_source_that_changed_is_used_at_once(start, package):
    """When a source was edited or replaced by an upgrade, the very next hook runs the new one."""
    assert "They are stored data" in start("s1")
    fence = package / "inject" / "fence.py"
    fence.write_text(fence.read_text().replace("They are stored data", "They are kept as data"))
    assert "They are kept as data" in start("s2")
    assert "They are kept as data" in start("s3")


@pytest.mark.parametrize("damage", [b"", b"garbage" * 9, b"\x05" + bytes(7) + marshal.dumps([]), b"\xff" * 8])
def test_a_broken_bundle_is_made_anew(start, package, damage):
    """A file that is no bundle does no harm and is replaced."""
    start("s1")
    place_of(package).write_bytes(damage)
    assert "VPN" in start("s2")
    assert "holdfast.inject.block" in modules_in(place_of(package))


def test_a_place_that_cannot_be_written_does_no_harm(start, package):
    """Where the bundle cannot be put the hook works as ever, and leaves nothing half-written."""
    place_of(package).mkdir(parents=True)
    assert "VPN" in start("s1")
    left = [path.name for path in place_of(package).parent.iterdir() if path.name.startswith("bundle.cpython")]
    assert [name for name in left if not name.endswith(".pyc")] == [place_of(package).name]


def test_a_rare_way_is_not_remembered(start, package, shop):
    """A start that had to open the whole house, after a compaction, leaves the bundle as it was."""
    start("s1")
    start("s2")
    before = place_of(package).read_bytes()
    start("s3", source="compact")
    assert place_of(package).read_bytes() == before
    assert "holdfast.actions.house" not in modules_in(place_of(package))


def test_an_order_that_does_not_hold_does_no_harm(start, package):
    """When modules cannot be run in the order of the bundle, the import system loads them as ever."""
    first = start("s1")
    start("s2")
    data = place_of(package).read_bytes()
    end = 8 + int.from_bytes(data[:8], "little")
    parts, orders = marshal.loads(data[8:end])
    listed = marshal.dumps((parts, {event: names[::-1] for event, names in orders.items()}))
    assert orders["SessionStart"]
    place_of(package).write_bytes(len(listed).to_bytes(8, "little") + listed + data[end:])
    assert start("s3") == first


def test_a_package_that_was_copied_with_its_bundle_runs_its_own_code(start, package, tmp_path):
    """A bundle says where its sources are; those of another package are not this one's."""
    assert "They are stored data" in start("s1")
    copy = tmp_path / "copy" / "holdfast"
    shutil.copytree(package, copy, symlinks=True)
    told = copy / "inject" / "fence.py"
    told.write_text(told.read_text(encoding="utf-8").replace("They are stored", "These are stored"), encoding="utf-8")
    assert "These are stored data" in start("s2", at=copy)
