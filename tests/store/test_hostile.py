"""Input and files that are wrong, by accident or on purpose: nothing is changed, nothing outside is touched."""

from __future__ import annotations

import os
import sys

import pytest

from holdfast.errors import BadInput, Conflict, HoldfastError, Refused, TooLarge
from holdfast.records import Filter, Scope
from holdfast.store.local import LocalStore
from store.making import (
    EVERYTHING,
    GLOBAL,
    PROJECT,
    child,
    draft,
    finished,
    found,
    listed,
    path_of,
    read,
    snapshot,
    write,
)

BAD_KEYS = [
    "",
    " ",
    "A",
    "a b",
    "a/b",
    "../a",
    "..",
    ".",
    "a.md",
    "é",
    "日本",
    "a" * 61,
    "a\n",
    "a\0b",
    "\ud800",
    "-\t",
    "index",
]
BAD_OWNERS = ["", ".", "..", "../x", "a/b", "a\\b", ".hidden", "a\0b", "\ud800", "a" * 129, "é", "a b", "/etc"]


@pytest.fixture
def filled(store):
    store.put(draft("Deploys need the VPN.", key="k"))
    store.put(draft("Deploys need the LAN.", PROJECT, key="k"))
    return store


@pytest.fixture
def outside(tmp_path):
    """A folder beyond the home, with a file that nobody may read or write through us."""
    write(str(tmp_path / "outside/secret.md"), "Xylophone.\n")
    write(str(tmp_path / "outside/memories/secret.md"), "Xylophone.\n")
    return str(tmp_path / "outside")


@pytest.mark.parametrize("key", BAD_KEYS, ids=ascii)
def test_a_bad_key_changes_nothing(filled, home, key):
    """Every adapter refuses a bad key, and not a byte of the home changes."""
    before = snapshot(home)
    for act in (
        lambda: filled.put(draft("Text.", key=key)),
        lambda: filled.put(draft("Text.", key="good", supersedes=(key,))),
        lambda: filled.get(GLOBAL, key),
        lambda: filled.change(GLOBAL, key, pinned=True),
        lambda: filled.rewrite(GLOBAL, key, "Text."),
        lambda: filled.move(GLOBAL, key, PROJECT, "new"),
        lambda: filled.move(GLOBAL, "k", PROJECT, key),
        lambda: filled.remove(GLOBAL, key, forget=True),
    ):
        with pytest.raises(BadInput):
            act()
    assert snapshot(home) == before


@pytest.mark.parametrize("owner", BAD_OWNERS, ids=ascii)
def test_a_bad_owner_changes_nothing(filled, home, tmp_path, owner):
    """An id that cannot be a folder is refused for every kind of scope, and nothing is made anywhere."""
    before = snapshot(str(tmp_path))
    for kind in ("project", "session", "agent"):
        scope = Scope(kind, owner)
        for act in (
            lambda scope=scope: filled.put(draft("Text.", scope, key="k")),
            lambda scope=scope: filled.get(scope, "k"),
            lambda scope=scope: filled.change(scope, "k", pinned=True),
            lambda scope=scope: filled.move(GLOBAL, "k", scope, "k"),
            lambda scope=scope: filled.move(scope, "k", GLOBAL, "new"),
            lambda scope=scope: filled.remove(scope, "k", forget=True),
            lambda scope=scope: filled.inherit_forgotten(scope, GLOBAL),
        ):
            with pytest.raises(BadInput):
                act()
    assert snapshot(str(tmp_path)) == before


@pytest.mark.parametrize("kind", ["", "planet", "../global", "projects", "GLOBAL", "\ud800"])
def test_an_unknown_kind_of_scope_changes_nothing(filled, home, kind):
    """A scope that does not exist is refused."""
    before = snapshot(home)
    for act in (lambda: filled.put(draft("Text.", Scope(kind, "x"))), lambda: filled.get(Scope(kind, "x"), "k")):
        with pytest.raises(BadInput):
            act()
    assert snapshot(home) == before


@pytest.mark.parametrize("bad", ["a\0b", "\ud800", "\udcff tail"], ids=ascii)
@pytest.mark.parametrize("field", ["text", "title", "source", "agent", "session", "tags"])
def test_text_that_is_no_text_changes_nothing(filled, home, field, bad):
    """NUL and lone surrogates are refused in every field."""
    before = snapshot(home)
    given = {"text": "Text.", "key": "new", field: (bad,) if field == "tags" else bad}
    with pytest.raises(BadInput):
        filled.put(draft(given.pop("text"), **given))
    assert snapshot(home) == before


@pytest.mark.parametrize("text", ["", " \n\t", "\u2028"])
def test_no_text_changes_nothing(filled, home, text):
    """A text without a letter is refused."""
    before = snapshot(home)
    with pytest.raises(BadInput):
        filled.put(draft(text))
    assert snapshot(home) == before


def test_fifty_megabytes_change_nothing(filled, home):
    """A body of 50 MB is refused."""
    before = snapshot(home)
    with pytest.raises(TooLarge):
        filled.put(draft("word " * 10_000_000, key="new"))
    assert snapshot(home) == before


# Links


def test_a_link_as_a_memory_file_is_never_followed(filled, home, outside):
    """A link in the place of a file is not read, not written through, and names itself when it is asked for."""
    os.symlink(f"{outside}/secret.md", os.path.join(filled.tree.root, "global/memories/trap.md"))
    before = snapshot(home), snapshot(outside)
    assert found(filled, "xylophone") == []
    filled.rebuild()
    assert listed(filled) == ["k", "k"]
    for act in (
        lambda: filled.get(GLOBAL, "trap"),
        lambda: filled.put(draft("Text.", key="trap")),
        lambda: filled.change(GLOBAL, "trap", pinned=True),
        lambda: filled.move(GLOBAL, "k", GLOBAL, "trap"),
        lambda: filled.remove(GLOBAL, "trap", forget=True),
    ):
        with pytest.raises(Refused):
            act()
    assert (snapshot(home), snapshot(outside)) == before


@pytest.mark.parametrize(
    ("place", "target"),
    [
        ("projects/evil/memories", "memories"),
        ("projects/evil", ""),
        ("projects/evil/memories/sub", "memories"),
        ("agents", ""),
    ],
)
def test_a_link_as_a_folder_is_never_followed(filled, home, outside, place, target):
    """Through a link in the place of a folder nothing is read, listed, stored or removed."""
    scope = Scope("agent", "memories") if place == "agents" else Scope("project", "evil")
    full = os.path.join(filled.tree.root, place)
    os.makedirs(os.path.dirname(full), exist_ok=True)
    os.symlink(os.path.join(outside, target), full)
    before = snapshot(home), snapshot(outside)
    for _ in range(2):
        assert found(filled, "xylophone") == found(filled, "xylophone", Filter((scope,))) == []
        filled.rebuild()
    for act in (
        lambda: filled.get(scope, "secret"),
        lambda: filled.remove(scope, "secret", forget=True),
        lambda: filled.change(scope, "secret", pinned=True),
    ):
        with pytest.raises(HoldfastError):
            act()
    if not place.endswith("sub"):
        for act in (
            lambda: filled.put(draft("Text.", scope, key="new")),
            lambda: filled.move(GLOBAL, "k", scope, "new"),
        ):
            with pytest.raises(Refused):
                act()
        assert (snapshot(home), snapshot(outside)) == before
    assert snapshot(outside) == before[1]


@pytest.mark.parametrize("scopes", [None, (PROJECT,)])
def test_a_scope_that_becomes_a_link_is_gone(filled, outside, scopes):
    """When the folder of a scope is replaced by a link, what it held is no longer found."""
    folder = os.path.join(filled.tree.root, "projects/shop")
    os.rename(folder, f"{outside}/shop")
    os.symlink(f"{outside}/shop", folder)
    filled.refresh(scopes)
    assert [c.memory.scope for c in filled.search("deploys", EVERYTHING, 9)] == [GLOBAL]


def test_a_link_as_the_list_of_the_forgotten_is_refused(filled, outside):
    """A planted `.forgotten` is not written through."""
    os.symlink(f"{outside}/secret.md", os.path.join(filled.tree.root, "global/.forgotten"))
    with pytest.raises(HoldfastError):
        filled.remove(GLOBAL, "k", forget=True)
    assert read(f"{outside}/secret.md") == b"Xylophone.\n"
    assert filled.get(GLOBAL, "k").body == "Deploys need the VPN."


def test_a_link_as_a_lock_is_refused(filled, home, outside):
    """A planted lock file is not opened for writing elsewhere."""
    locks = os.path.join(home, "state/locks")
    for name in os.listdir(locks):
        os.unlink(os.path.join(locks, name))
    for number in range(64):
        os.symlink(f"{outside}/new-{number}", os.path.join(locks, f"key-{number:02d}.lock"))
    with pytest.raises(HoldfastError):
        filled.put(draft("Text.", key="new"))
    assert not os.path.exists(f"{outside}/new-0")


def test_a_home_behind_a_link_is_the_persons_choice(tmp_path):
    """A home that is itself reached through a link works as any other."""
    os.mkdir(tmp_path / "real")
    os.symlink(tmp_path / "real", tmp_path / "link")
    store = LocalStore(str(tmp_path / "link"))
    store.put(draft("Deploys need the VPN.", key="k"))
    assert found(store, "vpn") == ["k"]
    assert os.path.exists(tmp_path / "real/memory/global/memories/k.md")
    store.close()


# Files that are no memories, or bad ones


@pytest.mark.parametrize("kind", ["pipe", "folder", "socket"])
def test_what_is_no_plain_file_is_left_alone(filled, kind):
    """A named pipe, a socket or a folder called like a memory stops nobody and is refused when it is asked for."""
    path = os.path.join(filled.tree.root, "global/memories/odd.md")
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        os.mkdir(path)
    else:
        os.mknod(path, 0o140600)
    assert listed(filled) == ["k", "k"]
    for act in (lambda: filled.get(GLOBAL, "odd"), lambda: filled.put(draft("Text.", key="odd"))):
        with pytest.raises(HoldfastError):
            act()


def test_a_file_that_is_not_utf_8_is_read_and_never_rewritten(store):
    """Wrong bytes are shown as U+FFFD, the file is named in problems(), and every rewrite is refused."""
    path = os.path.join(store.tree.root, "global/memories/latin.md")
    write(path, b"# Caf\xe9\n\nDeploys need the VPN, Ren\xe9.\n")
    assert found(store, "vpn") == ["latin"]
    assert store.get(GLOBAL, "latin").title == "Caf\ufffd"
    (problem,) = store.problems()
    assert (problem.kind, problem.path, problem.line) == ("not-utf-8", "global/memories/latin.md", 1)
    for act in (
        lambda: store.put(draft("Text.", key="latin")),
        lambda: store.change(GLOBAL, "latin", pinned=True),
        lambda: store.move(GLOBAL, "latin", PROJECT, "latin"),
    ):
        with pytest.raises(Conflict):
            act()
    assert read(path) == b"# Caf\xe9\n\nDeploys need the VPN, Ren\xe9.\n"
    assert listed(store) == ["latin"]


def test_broken_front_matter_is_read_and_never_rewritten(store):
    """A file with broken front matter is found, named with its line, and refused as the target of a change."""
    path = os.path.join(store.tree.root, "global/memories/broken.md")
    write(path, "---\ntags: [a\n---\nDeploys need the VPN.\n")
    assert found(store, "vpn") == ["broken"]
    (problem,) = store.problems()
    assert (problem.kind, problem.line, problem.severity) == ("front-matter", 2, "error")
    with pytest.raises(Conflict, match=r"broken\.md:2:"):
        store.put(draft("Text.", key="broken"))
    assert read(path) == b"---\ntags: [a\n---\nDeploys need the VPN.\n"
    write(path, "---\ntags: [a]\n---\nDeploys need the VPN.\n")
    store.refresh()
    assert store.problems() == []


def test_a_huge_file_is_read_in_part_and_never_rewritten(home):
    """Of a file far over the limit the beginning is found; it is named, and nothing of it is ever lost."""
    store = LocalStore(home, largest=1000)
    path = os.path.join(store.tree.root, "global/memories/huge.md")
    whole = ("Deploys need the VPN.\n" + "日本語 " * 400_000 + "\nthe very end").encode()
    write(path, whole)
    assert found(store, "vpn") == ["huge"]
    assert "\ufffd" not in store.get(GLOBAL, "huge").body
    assert [problem.kind for problem in store.problems()] == ["too-large"]
    for act in (
        lambda: store.put(draft("Text.", key="huge")),
        lambda: store.change(GLOBAL, "huge", pinned=True),
        lambda: store.move(GLOBAL, "huge", PROJECT, "huge"),
    ):
        with pytest.raises(Conflict):
            act()
    assert read(path) == whole
    store.close()


def test_a_history_that_grows_without_end_is_refused_in_time(home):
    """A memory is not updated any further than it can be read whole, and what it has stays."""
    store = LocalStore(home, largest=1000)
    with pytest.raises(TooLarge):
        for number in range(100):
            store.put(draft(f"{number} " + "x" * 900, key="k"))
    memory = store.get(GLOBAL, "k")
    said = [memory.body, *(earlier.text for earlier in memory.history)]
    assert [int(text.split()[0]) for text in said] == list(reversed(range(len(said))))
    store.close()


def test_a_name_that_is_not_utf_8_stops_nobody(filled):
    """A file or folder whose name is no text is left alone and named, and all others are found."""
    folder = os.fsencode(os.path.join(filled.tree.root, "global/memories"))
    with open(folder + b"/caf\xe9.md", "wb") as file:
        file.write(b"Text.\n")
    os.mkdir(folder + b"/d\xe9p")
    assert listed(filled) == ["k", "k"]
    filled.rebuild()
    (problem,) = filled.problems()
    assert problem.kind == "file-name"
    problem.path.encode()


WITHOUT_POWERS = """
import ctypes, sys
from holdfast.store.local import LocalStore
from holdfast.records import Filter
header, nothing = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
assert ctypes.CDLL(None).capset(header, nothing) == 0
store = LocalStore(sys.argv[1])
store.refresh()
print(sorted(m.key for m in store.find(Filter(None))), [p.kind for p in store.problems()])
store.close()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the powers of root are given up in the way of Linux")
def test_a_file_that_may_not_be_read_stops_nobody(store, home):
    """A file without permission to read is named, and the others are found."""
    store.put(draft("One.", key="one"))
    path = path_of(store, store.put(draft("Two.", key="two")).memory)
    os.chmod(path, 0)
    assert finished(child(WITHOUT_POWERS, home)) == ["['one'] ['unreadable']\n"]
    os.chmod(path, 0o600)
    assert listed(store) == ["one", "two"]
    assert store.problems() == []


def test_a_path_through_dots_is_refused(filled, home, outside):
    """A memory whose path leads out of the tree is not read or written there."""
    memory = filled.get(GLOBAL, "k")
    for path in ("../outside.md", "global/../../x.md", "/etc/passwd", "global//x.md"):
        wrong = type(memory)(**{**{name: getattr(memory, name) for name in memory.__slots__}, "path": path})
        with pytest.raises(HoldfastError):
            filled.text(wrong)
        with pytest.raises(HoldfastError):
            filled.relink(wrong, "Text.")
