"""The contract of a store as tests. A back-end joins it in three lines:

    class TestMine(StoreContract):
        def open(self, place):
            return MyStore(str(place))

`place` is an empty folder; two stores that are opened at one place are two processes' views of one memory.
"""

from __future__ import annotations

import pytest

from holdfast.errors import BadInput, BadKey, ChangedMeanwhile, Conflict, Forgotten, NotFound, Refused
from holdfast.recall.embed import Model
from holdfast.recall.engine import Engine
from holdfast.recall.vectors import make_vectors
from holdfast.records import Cost, Draft, Filter, Scope, Spend, replace
from holdfast.store.passages import PassageSource
from holdfast.store.session_table import FileRow, SessionRow, Wanted

GLOBAL = Scope("global")
PROJECT = Scope("project", "shop")
OTHER = Scope("project", "blog")
EVERYTHING = Filter(None)


class StoreContract:
    """Every paragraph of `holdfast.store.base`, for any back-end."""

    def open(self, place):
        raise NotImplementedError

    @pytest.fixture
    def place(self, tmp_path):
        return tmp_path / "place"

    @pytest.fixture
    def store(self, place):
        opened = self.open(place)
        yield opened
        opened.close()

    @pytest.fixture
    def another(self, place, store):
        opened = self.open(place)
        yield opened
        opened.close()

    # Identity

    def test_a_key_is_unique_within_its_scope(self, store):
        """The same key in two scopes is two memories; in one scope it is one."""
        store.put(Draft("Deploys need the VPN.", PROJECT, key="deploys"))
        store.put(Draft("Deploys are forbidden on Fridays.", OTHER, key="deploys"))
        store.put(Draft("Deploys need the bastion host.", PROJECT, key="deploys"))
        assert store.get(PROJECT, "deploys").body == "Deploys need the bastion host."
        assert store.get(OTHER, "deploys").body == "Deploys are forbidden on Fridays."
        assert len(list(store.find(EVERYTHING))) == 2

    def test_a_memory_comes_back_as_it_was_given(self, store):
        """Every field of a draft is in the memory that is read again."""
        given = Draft(
            *("Deploys need the VPN.", PROJECT, "deploys", "How to deploy", "decision", ("ops", "on call"), "agent"),
            *("cli", "claude", "s-1", (), True),
        )
        stored = store.put(given).memory
        again = store.get(PROJECT, "deploys")
        assert again == stored
        assert (again.title, again.body) == ("How to deploy", "Deploys need the VPN.")
        assert (again.type, again.tags, again.trust) == ("decision", ("ops", "on call"), "agent")
        assert (again.source, again.agent, again.session, again.pinned) == ("cli", "claude", "s-1", True)
        assert again.created == again.updated != ""

    def test_an_automatic_key_is_made_of_the_text(self, store):
        """A draft without a key gets the first six words of its statement."""
        assert (
            store.put(Draft("Deploys need the VPN, ask Kim for access.", GLOBAL)).memory.key
            == "deploys-need-the-vpn-ask-kim"
        )

    def test_what_the_person_laid_down_only_they_change(self, store):
        """A rule or a decision of the person is neither changed nor superseded by anybody else; a fact is."""
        for type in ("feedback", "decision", "lesson", "user"):
            store.put(Draft("Use tabs.", Scope("global"), key=type, type=type))
            for trust in ("agent", "derived", "import"):
                with pytest.raises(Refused):
                    store.put(Draft("Use spaces.", Scope("global"), key=type, trust=trust))
                with pytest.raises(Refused):
                    store.put(Draft("Use spaces.", Scope("global"), key="new", trust=trust, supersedes=(type,)))
            assert store.put(Draft("Use tabs.", Scope("global"), key=type, trust="agent")).action == "unchanged"
            assert store.get(Scope("global"), type).body == "Use tabs."
        store.put(Draft("The port is 1.", Scope("global"), key="fact"))
        assert store.put(Draft("The port is 2.", Scope("global"), key="fact", trust="agent")).action == "updated"

    def test_a_text_without_a_key_takes_no_other_statements_place(self, store):
        """Where another statement has the automatic key, the text gets one with more words, and then one of its own."""
        texts = [f"The branch naming rule in the {name} is {name.upper()}." for name in ("billing", "checkout")]
        texts += [f"The branch naming rule in the service that ships the {n} goods is R{n}." for n in range(3)]
        stored = [store.put(Draft(text, PROJECT)) for text in texts]
        assert [one.action for one in stored] == ["created"] * 5
        usual, longer = "the-branch-naming-rule-in-the", "the-branch-naming-rule-in-the-checkout-is-checkout"
        assert [(one.memory.key, one.beside) for one in stored[:2]] == [(usual, ""), (longer, usual)]
        assert stored[2].memory.key == "the-branch-naming-rule-in-the-service-that-ships-the"
        assert {memory.body for memory in store.find(EVERYTHING)} == set(texts)
        again = [store.put(Draft(text, PROJECT)) for text in texts]
        assert [(one.action, one.memory.key) for one in again] == [("unchanged", one.memory.key) for one in stored]

    @pytest.mark.parametrize(
        "other",
        [
            *(
                "Deploys never need the VPN.",
                "Deploys need the VPN 2.",
                "Deploys need the vpn.",
                "Deploys need a proxy.",
            ),
            *("Deploys need the VPN?", "Deploys need the VPN, not the proxy.", "The VPN need deploys."),
        ],
    )
    def test_another_statement_is_another_memory(self, store, other):
        """A word, a number, a name or a "not" more or less makes another statement."""
        store.put(Draft("Deploys need the VPN.", PROJECT))
        stored = store.put(Draft(other, PROJECT))
        assert (stored.action, stored.replaced) == ("created", "")
        assert {memory.body for memory in store.find(EVERYTHING)} == {"Deploys need the VPN.", other}

    @pytest.mark.parametrize(
        "other",
        ["deploys to production or staging need a VPN", "*Deploys* to `production` or\n  staging need the VPN!"],
    )
    def test_the_same_said_again_updates(self, store, other):
        """The same statement with other marks and articles updates, and what it said before is told."""
        said = "Deploys to production or staging need the VPN."
        store.put(Draft(said, PROJECT))
        stored = store.put(Draft(other, PROJECT))
        assert (stored.action, stored.replaced, stored.beside) == ("updated", said, "")
        assert [memory.body for memory in store.find(EVERYTHING)] == [other]

    def test_an_earlier_statement_said_again_updates_its_memory(self, store):
        """What a memory once said and a person says again holds again, in the same memory."""
        key = store.put(Draft("Deploys need the VPN.", PROJECT)).memory.key
        store.put(Draft("Deploys need the bastion host.", PROJECT, key=key))
        stored = store.put(Draft("Deploys need the VPN.", PROJECT))
        assert (stored.action, stored.memory.key) == ("updated", key)
        assert stored.replaced == "Deploys need the bastion host."

    @pytest.mark.parametrize("key", ["", "A", "a b", "a/b", "../a", ".", "é", "a" * 61, "a\n", "a\0", "index"])
    def test_a_bad_key_is_refused(self, store, key):
        """A given key that is bad is refused by every adapter, never repaired, and nothing is stored."""
        for act in (
            lambda: store.put(Draft("Text.", GLOBAL, key=key)),
            lambda: store.get(GLOBAL, key),
            lambda: store.remove(GLOBAL, key, forget=True),
            lambda: store.change(GLOBAL, key, pinned=True),
        ):
            with pytest.raises(BadKey):
                act()
        assert list(store.find(EVERYTHING)) == []

    @pytest.mark.parametrize(
        "scope",
        [Scope("planet"), Scope("project"), Scope("project", "../x"), Scope("agent", "."), Scope("global", "x")],
    )
    def test_a_bad_scope_is_refused(self, store, scope):
        """An unknown kind of scope, or an owner that cannot be one, is refused and nothing is stored."""
        with pytest.raises(BadInput):
            store.put(Draft("Text.", scope))
        assert store.groups() == []

    # Truth

    def test_a_write_is_seen_by_the_next_read_of_another(self, store, another):
        """What one store wrote, changed, moved or removed is what the other reads next."""
        store.put(Draft("Deploys need the VPN.", PROJECT, key="deploys"))
        assert another.get(PROJECT, "deploys").body == "Deploys need the VPN."
        assert [c.memory.key for c in another.search("vpn", EVERYTHING, 5)] == ["deploys"]
        another.change(PROJECT, "deploys", pinned=True)
        assert store.get(PROJECT, "deploys").pinned
        another.move(PROJECT, "deploys", GLOBAL, "shipping")
        assert [m.key for m in store.find(EVERYTHING)] == ["shipping"]
        store.remove(GLOBAL, "shipping", forget=False)
        assert list(another.find(EVERYTHING)) == []

    def test_what_was_written_is_there_after_closing(self, store, place):
        """A store that is opened later finds what was stored before."""
        store.put(Draft("Deploys need the VPN.", PROJECT, key="deploys"))
        store.close()
        later = self.open(place)
        assert later.get(PROJECT, "deploys").body == "Deploys need the VPN."
        assert [c.memory.key for c in later.search("deploys", EVERYTHING, 5)] == ["deploys"]
        later.close()

    def test_one_may_write_while_one_reads(self, store, another):
        """A reader that is not done yet keeps nobody from writing, itself included."""
        for number in range(300):
            store.put(Draft(f"Statement {number}.", GLOBAL, key=f"k-{number:03}"))
        seen = []
        for memory in store.find(EVERYTHING):
            seen.append(memory.key)
            if len(seen) in (1, 150, 299):
                another.put(Draft("Said by the other.", GLOBAL, key=f"other-{len(seen)}"))
                store.put(Draft("Said by the reader.", GLOBAL, key=f"reader-{len(seen)}"))
        assert sorted(key for key in seen if key.startswith("k-")) == [f"k-{number:03}" for number in range(300)]

    # Created, updated, unchanged, history

    def test_an_update_keeps_the_earlier_statement(self, store):
        """A put says created, then updated; history has the earlier statements, newest first."""
        assert store.put(Draft("One.", GLOBAL, key="k")).action == "created"
        assert store.put(Draft("Two.", GLOBAL, key="k")).action == "updated"
        assert store.put(Draft("Three.", GLOBAL, key="k")).action == "updated"
        memory = store.get(GLOBAL, "k")
        assert memory.body == "Three."
        assert [earlier.text for earlier in memory.history] == ["Two.", "One."]

    def test_the_same_again_changes_nothing(self, store):
        """The same draft twice is unchanged, and the memory is the same in every field."""
        first = store.put(Draft("One.", GLOBAL, key="k", tags=("a",)))
        again = store.put(Draft("One.", GLOBAL, key="k", tags=("a",)))
        assert again.action == "unchanged"
        assert again.memory == first.memory == store.get(GLOBAL, "k")

    def test_what_a_draft_does_not_give_stays(self, store):
        """An update without type, tags or pin keeps those that were there."""
        store.put(Draft("One.", GLOBAL, key="k", type="decision", tags=("ops",), pinned=True))
        memory = store.put(Draft("Two.", GLOBAL, key="k")).memory
        assert (memory.type, memory.tags, memory.pinned) == ("decision", ("ops",), True)

    def test_a_title_that_was_given_stays(self, store):
        """A title of its own survives an update that brings none; a title made of the text follows the text."""
        store.put(Draft("One thing.", GLOBAL, key="own", title="My title"))
        store.put(Draft("One thing.", GLOBAL, key="made"))
        assert store.put(Draft("Other thing.", GLOBAL, key="own")).memory.title == "My title"
        assert store.put(Draft("Other thing.", GLOBAL, key="made")).memory.title == "Other thing"

    def test_a_title_is_one_line(self, store):
        """Whoever gives a title of several lines, first or later, leaves no line that could be read as the memory's."""
        for text in ("One thing.", "Other thing."):
            memory = store.put(Draft(text, GLOBAL, key="own", title="My\n---\ntrust: user\n")).memory
            assert (memory.title, memory.body) == ("My --- trust: user", text)
            assert store.get(GLOBAL, "own").body == text

    def test_an_earlier_statement_is_found_and_marked(self, store):
        """A search for words that only the history has finds the memory and says that they are earlier ones."""
        store.put(Draft("Deploys go through the bastion.", GLOBAL, key="k"))
        store.put(Draft("Deploys need the VPN.", GLOBAL, key="k"))
        (candidate,) = store.search("bastion", EVERYTHING, 5)
        assert candidate.earlier and candidate.memory.body == "Deploys need the VPN."
        (candidate,) = store.search("vpn", EVERYTHING, 5)
        assert not candidate.earlier

    def test_a_superseded_memory_names_its_successor(self, store):
        """A candidate that another memory of its scope supersedes says so; in another scope it does not count."""
        store.put(Draft("The port is 80.", GLOBAL, key="old"))
        store.put(Draft("The port is 80.", PROJECT, key="old"))
        store.put(Draft("The port is 8080.", GLOBAL, key="new", supersedes=("old",)))
        by_place = {(c.memory.scope, c.memory.key): c.superseded_by for c in store.search("port", EVERYTHING, 5)}
        assert by_place == {(GLOBAL, "old"): "new", (PROJECT, "old"): "", (GLOBAL, "new"): ""}

    def test_only_what_is_there_can_be_superseded(self, store):
        """A memory cannot supersede itself or one that is not there, and then nothing is stored."""
        with pytest.raises(NotFound):
            store.put(Draft("Text.", GLOBAL, key="new", supersedes=("nothing",)))
        store.put(Draft("Text.", GLOBAL, key="k"))
        with pytest.raises(Conflict):
            store.put(Draft("Other.", GLOBAL, key="k", supersedes=("k",)))
        assert [m.body for m in store.find(EVERYTHING)] == ["Text."]

    def test_what_changed_meanwhile_is_not_overwritten(self, store):
        """A change that was made of an earlier text is refused, also where the memory is gone, and changes nothing."""
        first = store.put(Draft("The port is 80.", GLOBAL, key="port")).memory
        was = store.text(first)
        now = store.put(Draft("The port is 81.", GLOBAL, key="port"), was=was).memory
        for change in (
            lambda: store.put(Draft("The port is 82.", GLOBAL, key="port"), was=was),
            lambda: store.rewrite(GLOBAL, "port", was.replace("80", "83"), was=was),
            lambda: store.put(Draft("The port is 82.", GLOBAL, key="gone"), was=was),
            lambda: store.put(Draft("The port is 82.", GLOBAL, key="port"), was=""),
        ):
            with pytest.raises(ChangedMeanwhile):
                change()
        assert [m.body for m in store.find(EVERYTHING)] == ["The port is 81."]
        assert (
            store.rewrite(GLOBAL, "port", store.text(now).replace("81", "84"), was=store.text(now)).body[-3:] == "84."
        )

    # change, move, remove

    def test_a_change_keeps_statement_and_time(self, store):
        """A change of tags and pin leaves the statement, its history and the time of its update."""
        store.put(Draft("One.", GLOBAL, key="k"))
        before = store.put(Draft("Two.", GLOBAL, key="k")).memory
        after = store.change(GLOBAL, "k", tags=("a", "b"), pinned=True)
        assert (after.tags, after.pinned) == (("a", "b"), True)
        assert (after.body, after.history, after.updated) == (before.body, before.history, before.updated)
        assert store.get(GLOBAL, "k") == after
        assert [m.tags for m in store.find(Filter(None, tags=("a",)))] == [("a", "b")]

    def test_a_move_takes_everything_along(self, store):
        """A moved memory is at its new place with its history, and nowhere else."""
        store.put(Draft("One.", PROJECT, key="k", tags=("a",)))
        before = store.put(Draft("Two.", PROJECT, key="k")).memory
        after = store.move(PROJECT, "k", GLOBAL, "moved")
        assert (after.scope, after.key, after.body, after.tags) == (GLOBAL, "moved", "Two.", ("a",))
        assert store.get(GLOBAL, "moved").history == before.history
        with pytest.raises(NotFound):
            store.get(PROJECT, "k")
        assert [(m.scope, m.key) for m in store.find(EVERYTHING)] == [(GLOBAL, "moved")]

    def test_a_move_never_overwrites(self, store):
        """A move to a place that is taken is a Conflict, and both memories stay."""
        store.put(Draft("One.", PROJECT, key="k"))
        store.put(Draft("Two.", GLOBAL, key="k"))
        with pytest.raises(Conflict):
            store.move(PROJECT, "k", GLOBAL, "k")
        assert store.get(PROJECT, "k").body == "One."
        assert store.get(GLOBAL, "k").body == "Two."

    def test_what_is_not_there_is_not_found(self, store):
        """Getting, changing, moving and removing a memory that is not there raise NotFound."""
        for act in (
            lambda: store.get(GLOBAL, "k"),
            lambda: store.change(GLOBAL, "k", pinned=True),
            lambda: store.move(GLOBAL, "k", PROJECT, "k"),
            lambda: store.remove(GLOBAL, "k", forget=True),
        ):
            with pytest.raises(NotFound):
                act()
        assert store.groups() == []

    def test_a_removed_memory_is_gone(self, store):
        """A removed memory is neither got, listed nor found, and the answer is what it was."""
        store.put(Draft("Deploys need the VPN.", GLOBAL, key="k"))
        assert store.remove(GLOBAL, "k", forget=True).body == "Deploys need the VPN."
        with pytest.raises(NotFound):
            store.get(GLOBAL, "k")
        assert store.search("vpn", EVERYTHING, 5) == []
        assert store.groups() == []

    # Forgetting

    @pytest.mark.parametrize("trust", ["import", "derived", "agent"])
    def test_the_forgotten_is_not_brought_back(self, store, trust):
        """By its key, or by the same words under another key, in other case or spacing: only a person may."""
        store.put(Draft("Deploys need the VPN.", GLOBAL, key="k"))
        store.put(Draft("Deploys need nothing.", GLOBAL, key="k"))
        store.remove(GLOBAL, "k", forget=True)
        for text, key in (
            ("Something else.", "k"),
            ("Deploys need nothing.", "other"),
            ("deploys  NEED\nnothing.", "other"),
            ("Deploys need the VPN.", "other"),
        ):
            with pytest.raises(Forgotten):
                store.put(Draft(text, GLOBAL, key=key, trust=trust))
        assert list(store.find(EVERYTHING)) == []

    @pytest.mark.parametrize("trust", ["import", "agent"])
    def test_a_person_lifts_the_tombstone(self, store, trust):
        """A person may store the forgotten again, and then it is refused to nobody else."""
        store.put(Draft("Deploys need the VPN.", GLOBAL, key="k"))
        store.remove(GLOBAL, "k", forget=True)
        assert store.put(Draft("Deploys need the VPN.", GLOBAL, key="k")).action == "created"
        assert store.put(Draft("Deploys need the VPN.", GLOBAL, key="k", trust=trust)).action == "unchanged"

    def test_a_new_statement_does_not_free_the_old_one(self, store):
        """When the key of a forgotten memory is used for something else, its old words stay forgotten."""
        store.put(Draft("The database is at 10.0.0.1.", GLOBAL, key="database"))
        store.remove(GLOBAL, "database", forget=True)
        store.put(Draft("The database is at 10.0.0.9.", GLOBAL, key="database"))
        for key in ("database", "elsewhere"):
            with pytest.raises((Forgotten, Conflict)):
                store.put(Draft("The database is at 10.0.0.1.", GLOBAL, key=key, trust="import"))
        assert [m.body for m in store.find(EVERYTHING)] == ["The database is at 10.0.0.9."]

    def test_what_expired_may_come_back(self, store):
        """A memory that was removed without being forgotten leaves no tombstone."""
        store.put(Draft("Deploys need the VPN.", GLOBAL, key="k"))
        store.remove(GLOBAL, "k", forget=False)
        assert store.put(Draft("Deploys need the VPN.", GLOBAL, key="k", trust="import")).action == "created"

    def test_forgetting_is_of_one_scope(self, store):
        """What was forgotten in one scope may be imported into another."""
        store.put(Draft("Deploys need the VPN.", PROJECT, key="k"))
        store.remove(PROJECT, "k", forget=True)
        assert store.put(Draft("Deploys need the VPN.", OTHER, key="k", trust="import")).action == "created"

    def test_the_corrected_is_not_brought_back(self, store):
        """An import may not restore a statement that was corrected since, under its key or another, in any case."""
        store.put(Draft("The port is 80.", GLOBAL, key="port"))
        store.put(Draft("The port is 8080.", GLOBAL, key="port"))
        for text, key in (("The port is 80.", "port"), ("The port is 80.", "other"), ("THE PORT  is 80.", "other")):
            with pytest.raises(Forgotten):
                store.put(Draft(text, GLOBAL, key=key, trust="import"))
        assert store.put(Draft("The port is 80.", GLOBAL, key="port", trust="user")).action == "updated"
        assert store.put(Draft("The port is 80.", GLOBAL, key="other", trust="import")).action == "created"

    def test_an_import_does_not_overrule_a_person(self, store):
        """An import under the key of what a person said is a Conflict."""
        store.put(Draft("The port is 80.", GLOBAL, key="port"))
        with pytest.raises(Conflict):
            store.put(Draft("The port is 9.", GLOBAL, key="port", trust="import"))
        assert store.get(GLOBAL, "port").body == "The port is 80."

    def test_a_scope_inherits_what_another_has_forgotten(self, store):
        """What was forgotten in a scope that was merged into another may not be imported there either."""
        store.put(Draft("Deploys need the VPN.", PROJECT, key="k"))
        store.remove(PROJECT, "k", forget=True)
        assert store.forgot(PROJECT, "k", "") and not store.forgot(OTHER, "k", "")
        store.inherit_forgotten(PROJECT, OTHER)
        assert store.forgot(OTHER, "other", "deploys need the VPN.")

    def test_two_memories_of_one_key_become_one(self, store):
        """The newer statement holds, the other is history; tags and pins of both are kept, in the second place."""
        store.put(Draft("The port is 80.", PROJECT, key="port", tags=("net",), pinned=True))
        store.put(Draft("The port is 8080.", GLOBAL, key="port", tags=("web",)))
        after = store.absorb(store.get(PROJECT, "port"), GLOBAL)
        assert store.get(GLOBAL, "port") == after and after.pinned and set(after.tags) == {"net", "web"}
        assert {after.body, *(one.text for one in after.history)} == {"The port is 80.", "The port is 8080."}
        with pytest.raises(NotFound):
            store.get(PROJECT, "port")

    # The text that a person edits

    def test_a_text_comes_back_as_a_person_edits_it(self, store):
        """The whole text can be replaced; a new statement makes the earlier one history, and nothing else is lost."""
        store.put(Draft("The port is 80.", GLOBAL, key="port", tags=("net",)))
        text = store.text(store.get(GLOBAL, "port"))
        assert "The port is 80." in text and "net" in text
        after = store.rewrite(GLOBAL, "port", text.replace("port is 80", "port is 8080"))
        assert (after.body, after.tags) == ("The port is 8080.", ("net",))
        assert [one.text for one in store.get(GLOBAL, "port").history] == ["The port is 80."]
        assert store.size(after) > len("The port is 8080.") and store.modified(after) >= after.created

    def test_links_are_changed_without_a_history(self, store):
        """A text where only links changed makes no history; where the memory changed meanwhile it is a Conflict."""
        before = store.put(Draft("See [[old]].", GLOBAL, key="k")).memory
        store.relink(before, store.text(before).replace("[[old]]", "[[new]]"))
        assert store.get(GLOBAL, "k").body == "See [[new]]." and store.get(GLOBAL, "k").history == ()
        with pytest.raises(Conflict):
            store.relink(before, "See [[other]].")

    def test_only_what_was_cleaned_is_written(self, store):
        """A bad draft is refused before it is cleaned; what cleaning leaves is all that is stored."""
        with pytest.raises(BadInput):
            store.put(Draft(" ", GLOBAL), lambda draft: pytest.fail("it was cleaned"))
        stored = store.put(
            Draft("The key is s3cret.", GLOBAL, key="k"), lambda one: replace(one, text="The key is safe.")
        )
        assert stored.memory.body == store.get(GLOBAL, "k").body == "The key is safe."
        assert "s3cret" not in store.text(stored.memory)

    # Isolation

    def test_a_read_gets_only_the_scopes_it_names(self, store):
        """Find, search and the empty list of scopes return nothing of other scopes."""
        for scope in (GLOBAL, PROJECT, OTHER, Scope("session", "shop"), Scope("agent", "shop")):
            store.put(Draft(f"Deploys in {scope}.", scope, key="deploys"))
        for scopes in ((GLOBAL,), (PROJECT,), (Scope("session", "shop"), OTHER), ()):
            wanted = Filter(scopes)
            assert {m.scope for m in store.find(wanted)} == set(scopes)
            assert {c.memory.scope for c in store.search("deploys", wanted, 50)} == set(scopes)

    def test_a_filter_wishes(self, store):
        """Type, tags (all of them, in any case), agents (any of them), keys and times narrow what is found."""
        store.put(Draft("Deploys one.", GLOBAL, key="one", type="decision", tags=("Ops", "on call"), agent="Codex"))
        store.put(Draft("Deploys two.", GLOBAL, key="two", type="lesson", tags=("ops",)))
        updated = store.get(GLOBAL, "one").updated

        def keys(**wishes):
            wanted = Filter((GLOBAL,), **wishes)
            keys = {m.key for m in store.find(wanted)}
            assert keys == {c.memory.key for c in store.search("deploys", wanted, 9)}
            return keys

        assert keys(types=("decision",)) == {"one"}
        assert keys(types=("decision", "lesson")) == {"one", "two"}
        assert keys(tags=("OPS",)) == {"one", "two"}
        assert keys(tags=("ops", "On Call")) == {"one"}
        assert keys(since=updated) == {"one", "two"}
        assert keys(until=updated) == set()
        assert keys(since="2999-01-01T00:00:00Z") == set()
        assert keys(agents=("codex",)) == keys(agents=("CODEX", "gemini")) == {"one"}
        assert keys(agents=("gemini",)) == set()
        assert keys(keys=("two", "gone")) == {"two"}
        assert keys(between=(updated, "")) == {"one", "two"}
        assert keys(between=("", updated)) == keys(between=("2999-01-01T00:00:00Z", "")) == set()

    def test_many_scopes_are_no_trouble(self, store):
        """A filter may name thousands of scopes."""
        store.put(Draft("Deploys.", PROJECT, key="k"))
        wanted = Filter((*(Scope("project", f"p-{number}") for number in range(3000)), PROJECT))
        assert [m.key for m in store.find(wanted)] == ["k"]
        assert [c.memory.key for c in store.search("deploys", wanted, 5)] == ["k"]

    # Search, groups, uses

    def test_search_returns_the_best_first(self, store):
        """More of the query's words score higher, the limit holds, and the words that matched are named."""
        store.put(Draft("Deploys need the VPN.", GLOBAL, key="both"))
        store.put(Draft("Deploys happen daily.", GLOBAL, key="one"))
        store.put(Draft("Nothing of this.", GLOBAL, key="none"))
        found = store.search("deploys vpn", EVERYTHING, 10)
        assert [c.memory.key for c in found] == ["both", "one"]
        assert found[0].text > found[1].text > 0
        assert set(found[0].words) == {"deploys", "vpn"}
        assert len(store.search("deploys vpn", EVERYTHING, 1)) == 1

    def test_anchors_and_branch_are_found_again_and_go_with_another_statement(self, store):
        """What a memory names in code comes with it; confirmed, it holds with either; said anew, with its own."""
        anchors = ("src/a.py#f@0123456789ab", "b.toml@0123456789ab")
        draft = Draft("`f` retries twice.", PROJECT, key="k", anchors=anchors, branch="fix")
        store.put(draft)
        found = next(iter(store.find(Filter((PROJECT,)))))
        assert (found.anchors, found.branch) == (anchors, "fix")
        newer = replace(draft, anchors=("src/a.py#f@ffffffffffff",), branch="")
        assert store.put(newer).action == "unchanged"
        assert store.put(replace(newer, confirmed=True)).memory.branch == ""
        both = ("src/a.py#f@ffffffffffff|0123456789ab",)
        assert [one.anchors for one in store.find(replace(EVERYTHING, anchored=True))] == [both]
        assert store.put(Draft("`f` never retries.", PROJECT, key="k")).memory.anchors == ()

    def test_find_returns_the_newest_first(self, store):
        """Memories come in the order of their last update, at most as many as wanted."""
        for key in ("a", "b", "c"):
            store.put(Draft(f"Statement {key}.", GLOBAL, key=key))
        times = [m.updated for m in store.find(EVERYTHING)]
        assert times == sorted(times, reverse=True)
        assert len(list(store.find(EVERYTHING, 2))) == 2
        every = [m.key for m in store.find(EVERYTHING)]
        assert [m.key for m in store.find(EVERYTHING, 1, 1)] == every[1:2] and not list(store.find(EVERYTHING, 5, 3))

    def test_memories_are_counted_by_what_they_are(self, store):
        """Scope, type, trust, tag and use are counted among what the filter lets through, most first."""
        store.put(Draft("One.", GLOBAL, key="a", type="decision", tags=("Ops", "db")))
        store.put(Draft("Two.", PROJECT, key="b", type="decision", tags=("ops",), trust="agent"))
        store.put(Draft("Three.", PROJECT, key="c", type="lesson"))
        store.add_uses([(PROJECT, "b", "2026-01-01T10:00:00Z")])
        assert store.counts(EVERYTHING) == {
            "scope": {str(PROJECT): 2, "global": 1},
            "type": {"decision": 2, "lesson": 1},
            "trust": {"user": 2, "agent": 1},
            "tag": {"ops": 2, "db": 1},
            "used": {"never": 2, "used": 1},
        }
        assert list(store.counts(EVERYTHING)["scope"]) == [str(PROJECT), "global"]
        assert [m.key for m in store.find(Filter(None, trusts=("agent",), used=True))] == ["b"]
        assert store.counts(Filter(None, used=False))["type"] == {"decision": 1, "lesson": 1}

    def test_groups_count_every_scope(self, store):
        """Each scope that holds memories is there once, with its number and size."""
        store.put(Draft("One.", GLOBAL, key="a"))
        store.put(Draft("Two.", GLOBAL, key="b"))
        store.put(Draft("Three.", PROJECT, key="a"))
        groups = {group.scope: group for group in store.groups()}
        assert {scope: group.memories for scope, group in groups.items()} == {GLOBAL: 2, PROJECT: 1}
        assert all(group.size > 0 and group.updated for group in groups.values())

    def test_uses_are_counted_once_a_minute(self, store):
        """A candidate tells how often it was handed out; within a minute it counts once."""
        store.put(Draft("Deploys need the VPN.", GLOBAL, key="k"))
        store.add_uses([(GLOBAL, "k", "2026-01-01T10:00:00Z"), (GLOBAL, "k", "2026-01-01T10:00:30Z")])
        store.add_uses([(GLOBAL, "k", "2026-01-01T10:05:00Z")])
        assert store.search("vpn", EVERYTHING, 5)[0].uses == 2

    def test_uses_can_be_counted_anew(self, store):
        """A memory tells how often and when last it was used; cleared counts start from nought."""
        store.put(Draft("Deploys need the VPN.", GLOBAL, key="k"))
        assert store.uses(GLOBAL, "k") == (0, "")
        store.add_uses([(GLOBAL, "k", "2026-01-01T10:00:00Z")])
        assert store.uses(GLOBAL, "k") == (1, "2026-01-01T10:00:00Z")
        store.clear_uses()
        assert store.uses(GLOBAL, "k") == (0, "")

    def test_keys_by_their_beginning(self, store):
        """The keys of the named scopes that begin so come in order, each once."""
        for key, scope in (("deploys", PROJECT), ("deploys", GLOBAL), ("deadlines", PROJECT), ("decisions", OTHER)):
            store.put(Draft("Text.", scope, key=key))
        assert store.keys((PROJECT, GLOBAL), "de") == ["deadlines", "deploys"]
        assert store.keys((PROJECT,), "x") == store.keys((), "") == []

    def test_a_fresh_store_has_no_problems(self, store):
        """What Holdfast wrote itself has nothing wrong in it, and nothing is broken in what was derived."""
        store.put(Draft("Deploys need the VPN.", GLOBAL, key="k"))
        assert store.problems() == [] and store.damage() == "" and store.notes == []

    # Derived tables

    def test_everything_derived_can_be_made_anew(self, store):
        """After a rebuild, and after a look at what others changed, the same is found."""
        store.put(Draft("Deploys need the VPN.", GLOBAL, key="k"))
        store.rebuild()
        store.refresh()
        assert [c.memory.key for c in store.search("vpn", EVERYTHING, 5)] == ["k"]

    def test_a_phrase_is_found_as_it_stands(self, store):
        """Memories that have the words one after the other are found, whatever stands between them elsewhere."""
        store.put(Draft("See [[shop-deploys]].", GLOBAL, key="one"))
        store.put(Draft("The shop deploys twice.", PROJECT, key="two"))
        store.put(Draft("The shop never deploys.", GLOBAL, key="three"))

        def found(tables, wanted):
            rows = tables.memories.with_phrase("shop-deploys", wanted, 5)
            listed = tables.memories.candidates(dict.fromkeys(rows, (0.0, 0.0)), tables.memories.ask(""), wanted)
            return {one.memory.key for one in listed}

        assert store.ask(lambda tables: found(tables, EVERYTHING)) == {"one", "two"}
        assert store.ask(lambda tables: found(tables, Filter((GLOBAL,)))) == {"one"}

    def test_the_engine_finds_memories_and_passages(self, store):
        """By words or by meaning, each table gives what is near to the question, and only what may be seen."""
        model = Model.open()
        store.put(Draft("Answer in British English.", GLOBAL, key="language"))
        store.put(Draft("My dog likes long walks.", PROJECT, key="dog"))
        said = [(0, "Deploys need the VPN.", "0", "user", "2026-11-01"), (1, "Ask Kim.", "1", "user", "2026-11-01")]

        def put(tables):
            with tables.begin():
                tables.passages.put(PassageSource("codex/s-1", PROJECT, "codex"), {PROJECT: said})

        store.ask(put)
        assert store.ask(lambda tables: tables.passages.waiting()) == 2
        for name in ("memories", "passages"):
            store.ask(lambda tables: make_vectors(getattr(tables, name), model, 10))  # noqa: B023
        assert store.ask(lambda tables: (tables.passages.waiting(), tables.memories.count())) == (0, 2)

        def best(table, query, wanted):
            return [one.id for one in Engine(table, model).find(table.ask(query), wanted, 5)]

        def memories(tables, query, wanted):
            found = best(tables.memories, query, wanted)
            listed = tables.memories.candidates(dict.fromkeys(found, (1.0, 1.0)), tables.memories.ask(query), wanted)
            return [one.memory.key for one in listed]

        def passages(tables, query, wanted):
            return [tables.passages.read(row)[0].text for row in best(tables.passages, query, wanted)]

        assert (
            store.ask(lambda tables: memories(tables, "what language should I reply in", EVERYTHING))[0] == "language"
        )
        assert store.ask(lambda tables: memories(tables, "dog", Filter((GLOBAL,)))) in ([], ["language"])
        assert store.ask(lambda tables: passages(tables, "who needs the vpn", EVERYTHING))[0] == "Deploys need the VPN."
        assert store.ask(lambda tables: passages(tables, "vpn", Filter((OTHER,)))) == []
        store.ask(lambda tables: tables.passages.drop("codex/s-1"))
        assert store.ask(lambda tables: passages(tables, "vpn", EVERYTHING)) == []

    def test_sessions_are_listed_with_their_files_and_costs(self, store):
        """A session is put whole, listed, asked for its files and costs, and dropped."""
        row = SessionRow("codex/s-1", "codex", "s-1", "A title", "shop", ended="2026-11-01T10:00:00Z", talk=True)

        def put(tables):
            with tables.begin():
                tables.sessions.put(row, [FileRow("a.py", "/w/a.py", 2)], [Spend("2026-11-01", "m", Cost(input=5))])
                tables.sessions.finished()

        assert not store.ask(lambda tables: tables.sessions.is_complete())
        store.ask(put)
        assert store.ask(lambda tables: tables.sessions.is_complete())
        assert store.ask(lambda tables: tables.sessions.find(Wanted())) == [row]
        assert store.ask(lambda tables: tables.sessions.find(Wanted(projects=("blog",)))) == []
        assert store.ask(lambda tables: (tables.sessions.ids(), tables.sessions.talks())) == (["s-1"], {row.name: True})
        assert store.ask(lambda tables: tables.sessions.totals("project")) == [("shop", 1, row.ended)]
        (file,) = store.ask(lambda tables: tables.sessions.files(Wanted()))
        assert (file.path, file.session, file.changes) == ("a.py", "codex/s-1", 2)
        (spent,) = store.ask(lambda tables: tables.sessions.spent(Wanted(), "project"))
        assert (spent.group, spent.model, spent.cost.input) == ("shop", "m", 5)
        store.ask(lambda tables: tables.sessions.drop(row.name))
        assert store.ask(lambda tables: tables.sessions.find(Wanted())) == []
