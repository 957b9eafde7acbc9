from __future__ import annotations

import os
import stat

import pytest

from holdfast.errors import BadInput, BrokenFile, Conflict, NotFound, TooLarge
from holdfast.store.local import LocalStore
from store.contract import StoreContract
from store.making import (
    EVERYTHING,
    GLOBAL,
    OTHER,
    PROJECT,
    SESSION,
    draft,
    found,
    listed,
    path_of,
    read,
    snapshot,
    write,
)


class TestLocal(StoreContract):
    def open(self, place):
        return LocalStore(str(place))


def test_every_folder_and_file_is_private(store, home):
    """Folders are 0700 and files 0600, whatever the person's umask."""
    before = os.umask(0)
    try:
        store.put(draft("Deploys need the VPN.", PROJECT))
        store.put(draft("Gone.", PROJECT, key="gone"))
        store.remove(PROJECT, "gone", forget=True)
    finally:
        os.umask(before)
    for folder, names, files in os.walk(home):
        for name in names:
            assert stat.S_IMODE(os.lstat(os.path.join(folder, name)).st_mode) == 0o700, name
        for name in files:
            assert stat.S_IMODE(os.lstat(os.path.join(folder, name)).st_mode) == 0o600, name


def test_a_home_that_is_not_there_is_not_made_by_reading(home):
    """Opening with create=False, reading, and failing to change or remove make nothing."""
    store = LocalStore(home, create=False)
    assert found(store, "anything") == []
    assert store.problems() == []
    for act in (
        lambda: store.get(GLOBAL, "k"),
        lambda: store.change(GLOBAL, "k", pinned=True),
        lambda: store.move(GLOBAL, "k", PROJECT, "k"),
        lambda: store.remove(GLOBAL, "k", forget=True),
    ):
        with pytest.raises(NotFound):
            act()
    store.close()
    assert not os.path.exists(home)


def test_a_home_is_made_by_the_first_store(home):
    """A store that was opened before its home existed can be written, and keeps its index in a file from then on."""
    store = LocalStore(home, create=False)
    store.refresh()
    store.put(draft("Deploys need the VPN.", key="k"))
    assert found(store, "vpn") == ["k"]
    assert os.path.exists(os.path.join(home, "index.db"))
    store.close()


def test_a_reader_notices_that_the_home_was_made(home):
    """A store that found no home sees, at its next look, what another process stored since."""
    early = LocalStore(home, create=False)
    assert found(early, "vpn") == []
    late = LocalStore(home)
    late.refresh()
    late.put(draft("Deploys need the VPN.", key="k"))
    assert found(early, "vpn") == ["k"]
    assert not early.tree.index.in_memory
    early.close()
    late.close()


def test_the_same_text_changes_not_a_byte(store, home):
    """Storing the same again leaves every file of the home as it was, times included."""
    memory = store.put(draft("Deploys need the VPN.", key="k", tags=("a-b", "two words"))).memory
    before, status = snapshot(home), os.stat(path_of(store, memory))
    assert store.put(draft("Deploys need the VPN.", key="k", tags=("a-b", "two words"))).action == "unchanged"
    assert snapshot(home) == before
    assert os.stat(path_of(store, memory)).st_mtime_ns == status.st_mtime_ns


def test_tags_keep_hyphens_and_inner_spaces(store):
    """A tag is kept as it was given, but for the white space around it."""
    store.put(draft("Text.", key="k", tags=("pre-release", " on  call ", "C#", "a, b", "")))
    assert store.get(GLOBAL, "k").tags == ("pre-release", "on call", "C#", "a, b")
    store.rebuild()
    assert next(store.find(EVERYTHING)).tags == ("pre-release", "on call", "C#", "a, b")


def test_a_title_that_a_person_wrote_stays(store):
    """A heading that somebody wrote into the file survives an update of the statement."""
    memory = store.put(draft("The port is 80.", key="k")).memory
    text = read(path_of(store, memory)).decode().replace("# The port is 80", "# My own heading")
    write(path_of(store, memory), text)
    assert store.put(draft("The port is 8080.", key="k")).memory.title == "My own heading"


def test_what_a_person_wrote_around_stays(store):
    """An update keeps unknown keys, their order, comments, blank lines and values that say the same in other words."""
    path = os.path.join(store.tree.root, "global/memories/k.md")
    write(
        path,
        "---\naliases: [x]   # mine\n\ncreated: 2026-01-02\ntags: ops, on call\ntype: nonsense\npinned: no\n# note\n"
        "cssclass: wide\n---\n# My title\n\nThe port is 80.\n",
    )
    store.refresh()
    store.put(draft("The port is 8080.", key="k"))
    lines = read(path).decode().split("\n")
    for kept in ("aliases: [x]   # mine", "created: 2026-01-02", "tags: ops, on call", "type: nonsense", "pinned: no"):
        assert kept in lines
    assert lines.index("aliases: [x]   # mine") < lines.index("created: 2026-01-02") < lines.index("cssclass: wide")
    assert lines[lines.index("# note") + 1] == "cssclass: wide"
    assert store.get(GLOBAL, "k").history[0].text == "The port is 80."


def test_the_forgotten_file_never_holds_the_words(store):
    """Of a forgotten memory no word is left anywhere below the tree."""
    store.put(draft("Xylophone secret.", key="k"))
    store.put(draft("Zeppelin secret.", key="k"))
    store.remove(GLOBAL, "k", forget=True)
    whole = b"".join(snapshot(store.tree.root).values()).lower()
    assert b"\tk\t" not in whole
    for word in (b"xylophone", b"zeppelin", b"secret"):
        assert word not in whole


def test_a_tombstone_survives_a_line_cut_short(store):
    """A line of `.forgotten` that a crash left without its end does not swallow the next one."""
    store.put(draft("One.", key="one"))
    store.put(draft("Two.", key="two"))
    store.remove(GLOBAL, "one", forget=True)
    path = os.path.join(store.tree.root, "global", ".forgotten")
    write(path, read(path) + b"2026-01-01T00:00:00Z\thalf\tabc")
    store.remove(GLOBAL, "two", forget=True)
    for text in ("One.", "Two."):
        with pytest.raises(Exception, match="was forgotten"):
            store.put(draft(text, key="new", trust="import"))


def test_forgetting_buries_every_file_of_the_key(store):
    """Where two files claim one key, both go, and the words of both stay forgotten."""
    store.put(draft("From the tool.", key="k"))
    write(os.path.join(store.tree.root, "global/memories/sub/K.md"), "By hand.\n")
    store.refresh()
    store.remove(GLOBAL, "k", forget=True)
    assert listed(store) == []
    for text in ("From the tool.", "By hand."):
        with pytest.raises(Exception, match="was forgotten"):
            store.put(draft(text, key="new", trust="import"))


def test_storing_what_came_back_by_hand_lifts_the_tombstone(store):
    """A memory put back by hand and then stored again, unchanged, is forgotten no longer."""
    memory = store.put(draft("Text.", key="k")).memory
    text = read(path_of(store, memory))
    store.remove(GLOBAL, "k", forget=True)
    write(path_of(store, memory), text)
    store.refresh()
    assert store.forgot(GLOBAL, "k", store.get(GLOBAL, "k").body)
    assert store.put(draft("Text.", key="k")).action == "unchanged"
    assert not store.forgot(GLOBAL, "k", store.get(GLOBAL, "k").body)


def test_a_scope_inherits_what_another_forgot(store):
    """After a merge, what the old scope had forgotten is forgotten in the new one."""
    store.put(draft("Text.", PROJECT, key="k"))
    store.remove(PROJECT, "k", forget=True)
    store.inherit_forgotten(PROJECT, OTHER)
    with pytest.raises(Exception, match="was forgotten"):
        store.put(draft("Text.", OTHER, key="new", trust="import"))


def test_a_memory_in_a_sub_folder_is_updated_there(store):
    """A file that a person moved into a sub-folder keeps its key and is updated where it lies."""
    memory = store.put(draft("One.", key="k")).memory
    write(os.path.join(store.tree.root, "global/memories/ops/k.md"), read(path_of(store, memory)))
    os.unlink(path_of(store, memory))
    store.refresh()
    assert store.put(draft("Two.", key="k")).memory.path == "global/memories/ops/k.md"
    assert not os.path.exists(path_of(store, memory))


@pytest.mark.parametrize("key", ["todo", "buffer", "decisions", "lessons", "memory"])
def test_the_names_of_other_pages_are_good_keys(store, key):
    """A key that is also the name of a page of a scope is a memory like any other, after a rebuild too."""
    store.put(draft("Deploys need the VPN.", key=key))
    store.rebuild()
    assert found(store, "vpn") == [key]


def test_pages_of_a_scope_are_no_memories(store):
    """MEMORY.md, buffer.md and their like in a scope's own folder, and every index.md, are not memories."""
    for name in ("index.md", "MEMORY.md", "buffer.md", "decisions.md", "lessons.md", "todo.md", "memories/index.md"):
        write(os.path.join(store.tree.root, "projects/shop", name), "Deploys need the VPN.\n")
    assert listed(store) == []


def test_a_text_called_index_gets_another_key(store):
    """An automatic key is never `index`, since that file is the page of its folder."""
    assert store.put(draft("Index")).memory.key != "index"
    write(os.path.join(store.tree.root, "global/memories/INDEX!.md"), "By hand.\n")
    assert len(listed(store)) == 2
    assert "index" not in listed(store)


def test_a_body_over_the_limit_is_refused(home):
    """A text of more bytes than allowed is refused, and one of exactly as many is stored."""
    store = LocalStore(home, largest=100)
    with pytest.raises(TooLarge):
        store.put(draft("é" * 51, key="k"))
    assert store.put(draft("é" * 50, key="k")).action == "created"
    store.close()


@pytest.mark.parametrize("given", [{"type": "nonsense"}, {"trust": "nobody"}])
def test_an_unknown_type_or_trust_is_refused(store, home, given):
    """A draft with a type or a trust that does not exist is refused and nothing is written."""
    before = snapshot(home)
    with pytest.raises(BadInput):
        store.put(draft("Text.", **given))
    assert snapshot(home) == before


def test_an_edit_keeps_what_it_replaced(store):
    """Rewriting the whole text dates the memory anew and keeps the earlier statement."""
    memory = store.put(draft("One.", key="k")).memory
    text = store.text(memory).replace("One.\n", "Two.\n")
    after = store.rewrite(GLOBAL, "k", text)
    assert after.body == "Two."
    assert [earlier.text for earlier in after.history] == ["One."]


def test_a_broken_edit_changes_nothing(store):
    """Front matter that cannot be read is refused as an edit, with its line."""
    memory = store.put(draft("One.", key="k")).memory
    before = read(path_of(store, memory))
    with pytest.raises(BrokenFile, match=":2:"):
        store.rewrite(GLOBAL, "k", "---\nthis is no yaml\n---\nTwo.\n")
    assert read(path_of(store, memory)) == before


def test_replacing_links_never_loses_a_statement(store, home):
    """A text made of what a memory said is not written over what another process stored meanwhile."""
    memory = store.put(draft("See [[old]].", key="k")).memory
    text = store.text(memory).replace("[[old]]", "[[new]]")
    other = LocalStore(home)
    other.put(draft("Something else.", key="k"))
    other.close()
    with pytest.raises(Conflict):
        store.relink(memory, text)
    assert store.get(GLOBAL, "k").body == "Something else."


def test_absorbing_keeps_every_statement(store):
    """Combining two memories of a key keeps the newer statement and the other one as history."""
    store.put(draft("Old words.", PROJECT, key="k", tags=("a",)))
    store.put(draft("New words.", OTHER, key="k", tags=("b",)))
    after = store.absorb(store.get(PROJECT, "k"), OTHER)
    assert {after.body, *(earlier.text for earlier in after.history)} == {"Old words.", "New words."}
    assert set(after.tags) == {"a", "b"}
    assert [(m.scope, m.key) for m in store.find(EVERYTHING)] == [(OTHER, "k")]
    assert store.get(OTHER, "k") == after


def test_a_memory_can_be_placed_in_a_folder(store):
    """Tidying moves the file and nothing else."""
    before = store.put(draft("Deploys need the VPN.", SESSION, key="k")).memory
    after = store.tree.place_in(before, "sessions/s-1/memories/ops")
    assert (after.key, after.body, after.path) == ("k", before.body, "sessions/s-1/memories/ops/k.md")
    assert found(store, "vpn") == ["k"]
    assert store.get(SESSION, "k").path == after.path


def test_what_is_wrong_in_a_file_stays_named_after_an_update(store):
    """A warning about a value is still there when Holdfast itself rewrote another part of the file."""
    write(os.path.join(store.tree.root, "global/memories/k.md"), "---\ntype: nonsense\n---\nText.\n")
    store.refresh()
    assert [problem.kind for problem in store.problems()] == ["front-matter"]
    store.change(GLOBAL, "k", pinned=True)
    assert [problem.kind for problem in store.problems()] == ["front-matter"]


def test_stores_leave_few_pieces_in_the_full_text_index(store):
    """A search looks for each word in every piece of the index, so stores join them, and a full look makes it one."""
    for number in range(40):
        store.put(draft(f"Target {number} needs the VPN of site {number * 7}."))
    pieces = "SELECT count(DISTINCT segid) FROM words_idx"
    assert store.ask(lambda tables: tables.memories.db.execute(pieces).fetchone()[0]) <= 7
    store.rebuild()
    assert store.ask(lambda tables: tables.memories.db.execute(pieces).fetchone()[0]) == 1
    assert len(found(store, "VPN")) == 40
