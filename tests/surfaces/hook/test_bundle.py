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
from holdfast.surfaces.hook import bundling

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
    name = f"bundle.SessionStart.claude-code.{sys.implementation.cache_tag}"
    return package / "surfaces" / "hook" / "__pycache__" / name


def modules_in(place: Path) -> list[str]:
    """Return the modules of a bundle, in the order in which they are run."""
    return [part[0] for part in marshal.loads(place.read_bytes())[1]]


def test_the_first_hook_writes_it_and_the_next_uses_it(start, package):
    """After one hook all its modules are in the bundle, and the next takes them from there and writes nothing."""
    first = start("s1")
    wanted = {"holdfast.surfaces.hook.main", "holdfast.inject.block", "holdfast.store.index"}
    assert wanted <= set(modules_in(place_of(package)))
    before = place_of(package).stat().st_mtime_ns
    shutil.rmtree(package / "inject" / "__pycache__")
    assert start("s2") == first
    assert place_of(package).stat().st_mtime_ns == before
    assert not (package / "inject" / "__pycache__").exists()


def test_a_source_that_changed_is_used_at_once(start, package):
    """When a source was edited or replaced by an upgrade, the very next hook runs the new one."""
    assert "They are stored data" in start("s1")
    fence = package / "inject" / "fence.py"
    fence.write_text(fence.read_text().replace("They are stored data", "They are kept as data"))
    assert "They are kept as data" in start("s2")
    assert "They are kept as data" in start("s3")


@pytest.mark.parametrize("damage", [b"", b"garbage" * 9, marshal.dumps([]), marshal.dumps((1, [])), b"\xff" * 8])
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
    left = [path.name for path in place_of(package).parent.iterdir() if path.name.startswith("bundle.SessionStart")]
    assert left == [place_of(package).name]


def test_a_rare_way_is_not_remembered(start, package, shop):
    """A start that had to open the whole house, after a compaction, leaves the bundle as it was."""
    start("s1")
    before = place_of(package).read_bytes()
    start("s3", source="compact")
    assert place_of(package).read_bytes() == before
    assert "holdfast.workspace" not in modules_in(place_of(package))


def test_a_prompt_that_decides_or_goes_on_makes_no_bundle_for_the_others(package, home, shop, remember):
    """The pages are written or told at few prompts, so the first prompt without them makes the bundle."""
    remember("Deploys need the VPN.")
    place = place_of(package).with_name(f"bundle.UserPromptSubmit.claude-code.{sys.implementation.cache_tag}")
    runner = str(package / "surfaces" / "hook" / "run.py")
    for number, (prompt, made) in enumerate(
        [("Let's go with Postgres, not Redis.", False), ("where were we?", False), ("How do I deploy this?", True)]
    ):
        told = {"session_id": "s1", "cwd": str(shop), "prompt": prompt, "prompt_id": str(number)}
        command = [PYTHON, "-I", "-S", "-E", runner, "UserPromptSubmit", "--agent", "claude-code", "--home", str(home)]
        environment = {"HOME": str(home.parent), **HOST}
        subprocess.run(command, input=json.dumps(told).encode(), capture_output=True, env=environment, check=True)
        assert place.exists() == made, prompt
    assert "holdfast.continuity.resume" not in modules_in(place)


def test_an_order_that_does_not_hold_does_no_harm(start, package):
    """When modules cannot be run in the order of the bundle, the import system loads them as ever."""
    first = start("s1")
    code, parts = marshal.loads(place_of(package).read_bytes())
    place_of(package).write_bytes(marshal.dumps((code, parts[::-1])))
    assert start("s2") == first


def test_a_bundle_that_was_made_by_a_poor_hook_is_made_anew(start, package):
    """Where a hook needs many more modules than its bundle has, the next has them in order; few change nothing."""
    first = start("s1")
    code, parts = marshal.loads(place_of(package).read_bytes())
    for left_out, renewed in ((3, False), (len(parts) // 2, True)):
        place_of(package).write_bytes(marshal.dumps((code, parts[:-left_out])))
        assert start(f"s{left_out}") == first
        assert (modules_in(place_of(package)) == [part[0] for part in parts]) == renewed


def test_what_is_not_known_gets_no_bundle(start, package, home):
    """An event or an agent that nobody knows leaves no file behind, wherever its name may point."""
    start("s1")
    before = sorted(path.name for path in place_of(package).parent.iterdir())
    runner = str(package / "surfaces" / "hook" / "run.py")
    for event, agent in (("Unheard", "claude-code"), ("SessionStart", "nobody"), ("../x/SessionStart", "claude-code")):
        command = [PYTHON, "-I", "-S", "-E", runner, event, "--agent", agent, "--home", str(home)]
        subprocess.run(command, input=b"{}", env={"HOME": str(home.parent), **HOST}, check=True)
    assert sorted(path.name for path in place_of(package).parent.iterdir()) == before


def test_lean_code_does_what_its_source_says(tmp_path):
    """Compiled without annotations and docstrings, a module still has its records, defaults and lines."""
    source = (
        "from __future__ import annotations\nTYPE_CHECKING = False\nif TYPE_CHECKING:\n    from nowhere import Thing\n"
        "else:\n    Other = 1\n\nclass Row:\n    name: Thing = 'x'\n\n"
        "def told(one: Thing, *more: Thing, by: int = 2) -> Thing:\n    'Says.'\n    raise ValueError(one * by)\n"
    )
    names: dict[str, object] = {}
    exec(bundling.lean(source.encode(), "told.py"), names)
    assert names["Other"] == 1 and names["Row"].__annotations__ == {"name": "Thing"} and "annotations" not in names
    assert names["told"].__annotations__ == {} and names["told"].__doc__ is None
    with pytest.raises(ValueError, match="tt") as raised:
        names["told"]("t")
    assert raised.traceback[-1].lineno == 12


def test_a_package_that_was_copied_with_its_bundle_runs_its_own_code(start, package, tmp_path):
    """A bundle says where its sources are; those of another package are not this one's."""
    assert "They are stored data" in start("s1")
    copy = tmp_path / "copy" / "holdfast"
    shutil.copytree(package, copy, symlinks=True)
    told = copy / "inject" / "fence.py"
    told.write_text(told.read_text(encoding="utf-8").replace("They are stored", "These are stored"), encoding="utf-8")
    assert "These are stored data" in start("s2", at=copy)
