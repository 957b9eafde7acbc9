"""The bundle is a cache: it is made by the first hook, used by the next, and never believed over the sources."""

from __future__ import annotations

import ast
import json
import marshal
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import holdfast
from holdfast import agents
from holdfast.surfaces.hook import bundle, bundling
from support.sampling import some

from .conftest import HOST, PYTHON


@pytest.fixture
def package(tmp_path) -> Path:
    """A copy of the package without a bundle."""
    source = Path(holdfast.__file__).parent
    copy = tmp_path / "lib" / "holdfast"
    shutil.copytree(source, copy, ignore=shutil.ignore_patterns("bundle.[A-Z]*", "model"))
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
    assert "newer words of theirs" in start("s1")
    fence = package / "privacy" / "fence.py"
    fence.write_text(fence.read_text().replace("newer words of theirs", "newer words of these"))
    assert "newer words of these" in start("s2")
    assert "newer words of these" in start("s3")


def test_a_broken_bundle_is_made_anew(start, package):
    """A file that is no bundle does no harm and is replaced."""
    place_of(package).parent.mkdir(exist_ok=True)
    for damage in some((b"", b"garbage" * 9, marshal.dumps([]), marshal.dumps((1, [])), b"\xff" * 8), 2):
        place_of(package).write_bytes(damage)
        assert "VPN" in start(f"after {damage!r}")
        assert "holdfast.inject.block" in modules_in(place_of(package))


def test_a_place_that_cannot_be_written_does_no_harm(start, package):
    """Where the bundle cannot be put the hook works as ever, and leaves nothing half-written."""
    place_of(package).mkdir(parents=True)
    assert "VPN" in start("s1")
    left = [path.name for path in place_of(package).parent.iterdir() if path.name.startswith("bundle.SessionStart")]
    assert left == [place_of(package).name]


def test_the_bundle_is_the_same_whoever_makes_it(start, package, shop):
    """A usual start, one that had to do more, and an install make the same bundle; one that is current stays."""
    start("s1", source="compact")
    (made,) = [place.read_bytes() for place in place_of(package).parent.glob("bundle.[A-Z]*")]
    place_of(package).unlink()
    start("s2")
    assert modules_in(place_of(package)) == [part[0] for part in marshal.loads(made)[1]]
    script = "from holdfast import agents; from holdfast.surfaces.hook import bundling as b"
    install = [sys.executable, "-c", f"{script}; b.write_all(agents.get('claude-code'))"]
    before = place_of(package).stat().st_mtime_ns
    for stale in (False, True):
        if stale:
            table = package / "surfaces" / "hook" / "bundling.py"
            table.write_text(table.read_text(encoding="utf-8") + "\n", encoding="utf-8")
        subprocess.run(install, env={"PYTHONPATH": str(package.parent)}, check=True)
        assert (place_of(package).stat().st_mtime_ns != before) == stale
    assert modules_in(place_of(package)) == [part[0] for part in marshal.loads(made)[1]]
    places = [place.name.split(".")[1] for place in place_of(package).parent.glob("bundle.[A-Z]*")]
    assert sorted(places) == sorted(agents.get("claude-code").events)


# For each moment an event with which a session that has done something meets it.
USUAL = {
    "start": ("SessionStart", {"source": "startup"}),
    "prompt": ("UserPromptSubmit", {"prompt": "how do I deploy through the VPN, please?"}),
    "before-tool": ("PreToolUse", {"tool_name": "Bash", "tool_input": {"command": "ls -l"}}),
    "after-tool": ("PostToolUse", {"tool_name": "Bash", "tool_input": {"command": "ls -l"}, "tool_response": "a.py"}),
    "tool": ("PostToolUse", {"tool_name": "Edit", "tool_input": {"file_path": "a.py"}}),
    "tool-failed": ("PostToolUseFailure", {"tool_name": "Bash", "tool_input": {"command": "ls"}, "error": "no"}),
    "compact": ("PreCompact", {"trigger": "auto"}),
    "compacted": ("PostCompact", {"trigger": "auto"}),
    "subagent-start": ("SubagentStart", {"agent_id": "a1"}),
    "subagent-stop": ("SubagentStop", {"agent_id": "a1", "last_assistant_message": "Done with it."}),
    "stop": ("Stop", {"last_assistant_message": "All tests pass now, the login page works."}),
    "end": ("SessionEnd", {"reason": "other"}),
}


@pytest.mark.parametrize("moment", USUAL)
def test_the_table_has_what_a_hook_of_each_moment_loads(hook, remember, moment):
    """The modules of a bundle are those that a usual hook of its moment loads, no more and no less."""
    remember("Deploys need the VPN. Ask Kim for access.")
    # As in every home in which a sweep has learned something.
    (hook.home / "learning" / "algorithm").mkdir(parents=True)
    hook.start("a session before")
    # As most agents name one.
    session = "0198c1a2-7f3e-4d5b-9a6c-0f1e2d3c4b5a"
    hook.prompt("Let's go with Postgres, not Redis.", session)
    event, told = USUAL[moment]
    agent = "codex" if moment == "after-tool" else "claude-code"
    assert agents.get(agent).events[event] == moment
    modules, _ = hook.loaded_by(event, agent=agent, session_id=session, **told)
    ours = [name for name in modules if name.split(".")[0] == "holdfast"]
    bundled = {part[0] for part in bundling.parts_of(bundling.names_of(moment, agent))}
    assert bundled == set(ours), f"MODULES[{moment!r}] should be {entered(ours, agent)!r}"


def entered(loaded: list[str], agent: str) -> str:
    """Return those of the loaded modules that no other one imports as it is loaded, in their order, as the table."""
    base = [*bundling.ALWAYS, f"holdfast.agents.{agent.replace('-', '_')}"]
    known = {part[0] for part in bundling.parts_of(base)}
    found: list[str] = []
    # A module is behind those that it imports.
    for name in reversed(loaded):
        if name not in known:
            found.insert(0, name)
            known |= {part[0] for part in bundling.parts_of([name])}
    return " ".join(name.removeprefix("holdfast.") for name in found)


@cache
def imported_by(path: str) -> frozenset[str]:
    """Return what a module imports; most modules are in the bundles of several moments."""
    return frozenset(bundling.lean(Path(path).read_bytes(), path)[1][0])


@pytest.mark.parametrize("moment", bundling.MODULES)
def test_each_module_comes_behind_those_that_it_imports(moment):
    """A module that came too late would be loaded by the import system, which a bundle is there to spare."""
    earlier: set[str] = set()
    parts = bundling.parts_of(bundling.names_of(moment, "claude-code"))
    of_bundle = {part[0] for part in parts}
    for name, path, *_ in parts:
        needed = of_bundle & imported_by(path)
        # A package may name its own modules, and is being made while they are loaded.
        assert not {one for one in needed - earlier if not f"{name}.".startswith(f"{one}.")}, name
        earlier.add(name)


@pytest.mark.parametrize("moment", bundling.MODULES)
def test_a_bundle_has_what_its_code_needs_and_of_what_its_hooks_load(moment):
    """A bundle brings no module that a usual hook of its moment does not load, and what it imports stands before it."""
    names = bundling.names_of(moment, "claude-code")
    within, earlier = {part[0] for part in bundling.parts_of(names)}, set()
    ready, waiting = bundling._with_late(names, moment)
    for part, _ in ready:
        called = bundling.used_functions().get((moment, part[0]), frozenset())
        first, _ = bundling._part(part[0], part[1], called)[1]
        assert not {one for one in within & {*first} - earlier if not f"{part[0]}.".startswith(f"{one}.")}, part[0]
        earlier.add(part[0])
    assert earlier | {part[0] for part, _ in waiting} == within and len(earlier) > 20


def test_an_order_that_does_not_hold_does_no_harm(start, package):
    """When modules cannot be run in the order of the bundle, the import system loads them as ever."""
    first = start("s1")
    code, parts = marshal.loads(place_of(package).read_bytes())
    place_of(package).write_bytes(marshal.dumps((code, parts[::-1])))
    assert start("s2") == first


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
    exec(bundling.lean(source.encode(), "told.py")[0], names)
    assert names["Other"] == 1 and names["Row"].__annotations__ == {"name": "Thing"} and "annotations" not in names
    assert names["told"].__annotations__ == {} and names["told"].__doc__ is None
    with pytest.raises(ValueError, match="tt") as raised:
        names["told"]("t")
    assert raised.traceback[-1].lineno == 12


LATE = """
from __future__ import annotations
import errno
from stat import S_ISDIR, S_ISREG
FIRST = 3
TABLE = {str(number): number for number in range(FIRST)}
MADE_ONCE = ("TABLE",)
SIGNS: dict[str, str] = {}
SIGNS |= {"a": "b"}
RARE: tuple[int, ...] = (*range(FIRST), 7)

class Base(Exception):
    pass

class Named(Base):
    pass

class Unnamed(Base):
    @property
    def shown(self) -> str:
        return f"{type(self).__name__} {self.args[0]}"

class Kept:
    def used(self, more: int = FIRST) -> int:
        return more + S_ISDIR(0)

    @staticmethod
    def unused(*values: int, by: int = 2) -> list[int]:
        return [value * by for value in values]

    @property
    def shown(self) -> str:
        raise Named("here")

def called() -> int:
    return Kept().used()

def rare(one: int, more: int = FIRST) -> object:
    yield Unnamed(one + more)

def of_rare() -> list[str]:
    return [one.shown for one in rare(1)]

def most() -> int:
    return max(RARE) + errno.EPERM - 1

MADE = [called()]
"""


def test_what_is_read_late_does_what_its_source_says(tmp_path):
    """Functions and classes that no hook uses are left out, and are there when they are called or asked for."""
    source = tmp_path / "late.py"
    source.write_text(LATE)
    used = frozenset(("called", "Kept", "Kept.used"))
    late: list[bytes] = []
    code, _ = bundling.lean(source.read_bytes(), str(source), used, late)
    left = [one.co_name for one in code.co_consts if hasattr(one, "co_name")]
    assert left == ["Kept", "called"] and len(late) == 7
    memory, places = b"".join([b"before", *late, b"\0"]), [-sum(map(len, late)) - 1]
    places += [places[0] + sum(map(len, late[: number + 1])) for number in range(len(late))]
    names = {"__name__": "late", "TABLE": {"of": "the bundle"}}
    bundle._run_late(("late", "", 0, 0, False, code, tuple(places), {}), names, memory)
    assert names["TABLE"] == {"of": "the bundle"} and names["called"]() == 3
    # What a function makes, and what is changed, is made at once.
    assert names["MADE"] == [3] and names["SIGNS"] == {"a": "b"} and "RARE" not in names
    assert "S_ISDIR" in names and not {"errno", "S_ISREG"} & names.keys()
    assert "Unnamed" not in names and names["Kept"].unused(1, 2, by=3) == [3, 6]
    assert names["of_rare"]() == ["Unnamed 4"] and names["__getattr__"]("Unnamed") is names["Unnamed"]
    assert names["most"]() == 7 and names["__getattr__"]("S_ISREG")(0o100644)
    with pytest.raises(names["Named"], match="here") as raised:
        _ = names["Kept"]().shown
    assert raised.traceback[-1].lineno + 1 == LATE.split("\n").index('        raise Named("here")') + 1
    with pytest.raises(AttributeError, match="nothing"):
        names["__getattr__"]("nothing")


@pytest.mark.parametrize("moment", bundling.MODULES)
def test_every_bundle_runs_to_its_end(moment, tmp_path):
    """No module of a bundle needs the import system: where one did, all of them would come by it, and late."""
    agent = next(one for one in map(agents.get, agents.names()) if moment in one.events.values())
    event = next(event for event, its in agent.events.items() if its == moment)
    bundling.write(str(tmp_path / "bundle"), event, agent.name)
    here = str(Path(bundling.__file__).parent) + "/"
    script = (
        "import sys\nfrom marshal import loads\nsys.path.append(sys.argv[2].removesuffix('/holdfast/surfaces/hook/'))\n"
        "data = open(sys.argv[1], 'rb').read()\ncode, parts = loads(data)\nnames = {}\nexec(code, names)\n"
        "bundle = names['opened'](parts, sys.argv[2], data)\nbundle.run()\n"
        "print(len(bundle.names), *[name for name in bundle.names if name not in sys.modules])"
    )
    ran = subprocess.run(
        [PYTHON, "-I", "-S", "-E", "-c", script, str(tmp_path / "bundle"), here], capture_output=True, check=True
    )
    number, *missing = ran.stdout.decode().split()
    assert int(number) > 20 and missing == []


def test_most_of_what_the_list_names_is_there():
    """A renamed function is read late until the list is written anew: `python training/hook_functions.py` does it."""
    total, gone = 0, []
    root = str(Path(holdfast.__file__).parents[1])
    for (_, name), used in bundling.used_functions().items():
        path = bundling._source_of(root, name)
        tree = ast.parse(Path(path).read_bytes() if path else b"")
        own = [one for one in tree.body if isinstance(one, (ast.FunctionDef, ast.ClassDef))]
        inner = {f"{one.name}.{each.name}" for one in own for each in one.body if isinstance(each, ast.FunctionDef)}
        values = {node.id for one in tree.body for node in ast.walk(one) if isinstance(node, ast.Name)}
        gone += [f"{name}.{one}" for one in used - {one.name for one in own} - inner - values]
        total += len(used)
    assert total > 500 and len(gone) < 0.05 * total, gone


def test_a_bundle_has_at_hand_what_hooks_of_its_own_moment_call():
    """What prompts call and stops do not is read with the bundle of a prompt, and late with that of a stop."""
    at_hand = {}
    for moment in ("prompt", "stop"):
        for part, _ in bundling._with_late(bundling.names_of(moment, "claude-code"), moment)[0]:
            at_hand[moment, part[0]] = {one.co_name for one in part[5].co_consts if hasattr(one, "co_name")}
    name = "holdfast.privacy.redact"
    called = {moment: bundling.used_functions()[moment, name] for moment in ("prompt", "stop")}
    of_prompts = called["prompt"] - called["stop"]
    assert of_prompts and called["prompt"] <= at_hand["prompt", name] and at_hand["stop", name].isdisjoint(of_prompts)


def test_a_record_of_a_bundle_is_the_record_of_its_source(tmp_path):
    """A record that a bundle has laid out has the fields, defaults, methods and bounds that the decorator gives it."""
    source = tmp_path / "record.py"
    source.write_text(
        "from holdfast.base.light_records import dataclass, replace\n\n\n"
        "@dataclass(frozen=True, slots=True)\n"
        "class Place:\n"
        '    """Somewhere."""\n\n'
        "    name: str\n"
        "    tags: tuple[str, ...] = ('a', 'b')\n"
        "    depth: int = 3\n\n"
        "    @property\n"
        "    def shown(self) -> str:\n"
        "        return f'{self.name} {self.depth}'\n\n\n"
        "one = Place('x', depth=1)\n"
        "found = [one, replace(one, name='y'), one.shown, one == Place('x', ('a', 'b'), 1), hash(one) == hash(one)]\n"
        "found += [Place.__slots__, Place.__match_args__, Place._defaults, Place.__name__, hasattr(one, '__dict__')]\n"
        "for wrong in (lambda: Place(), lambda: Place('x', other=1), lambda: setattr(one, 'name', 'z')):\n"
        "    try:\n"
        "        wrong()\n"
        "    except (TypeError, AttributeError) as problem:\n"
        "        found.append(problem)\n"
    )
    plain: dict[str, object] = {}
    exec(compile(source.read_text(), str(source), "exec"), plain)
    bundled: dict[str, object] = {}
    exec(bundling.lean(source.read_bytes(), str(source))[0], bundled)
    assert repr(bundled["found"]) == repr(plain["found"])
    assert len(plain["found"]) == 13


def test_a_package_that_was_copied_with_its_bundle_runs_its_own_code(start, package, tmp_path):
    """A bundle says where its sources are; those of another package are not this one's."""
    assert "newer words of theirs" in start("s1")
    copy = tmp_path / "copy" / "holdfast"
    shutil.copytree(package, copy, symlinks=True)
    told = copy / "privacy" / "fence.py"
    told.write_text(
        told.read_text(encoding="utf-8").replace("newer words of theirs", "newer words of these"), encoding="utf-8"
    )
    assert "newer words of these" in start("s2", at=copy)


def test_a_hook_has_the_environment_without_the_abstract_classes():
    """What a hook asks of it is there at once, and all the rest when somebody asks for it."""
    script = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "names = {'__name__': 'opener'}\n"
        "with open(sys.argv[2]) as file: exec(compile(file.read(), 'bundle', 'exec'), names)\n"
        "light = '_collections_abc' not in sys.modules\n"
        "os = names['os']\n"
        "told = [os is sys.modules['os'], os.environ.get('HERE'), os.environ.get('NOT'), 'HERE' in os.environ]\n"
        "told += ['NOT' in os.environ, {**os.environ} == dict(os.environ) == os.environ.copy()]\n"
        "told += [sorted(os.environ.items())[0][0], os.environ.pop('HERE'), 'HERE' in os.environ]\n"
        "os.environ.update(A='b')\n"
        "told += [os.getenv('A'), isinstance('a', os.PathLike), (os.environ | {'c': 'd'})['c']]\n"
        "print(light, told == [True, 'x', None, True, False, True, 'HERE', 'x', False, 'b', False, 'd'])\n"
    )
    package = Path(holdfast.__file__).parent
    command = [PYTHON, "-I", "-S", "-E", "-c", script, str(package.parent), str(package / "surfaces/hook/bundle.py")]
    ran = subprocess.run(command, capture_output=True, env={"HERE": "x"})
    assert (ran.stdout.split(), ran.stderr) == ([b"True", b"True"], b"")
