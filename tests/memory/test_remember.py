"""Storing a memory."""

from __future__ import annotations

import pytest

from holdfast.errors import BadInput, BadKey, Conflict, Forgotten, NotFound, ScopeUnknown, TooLarge
from holdfast.memory.remember import remember
from holdfast.memory.show import show
from holdfast.recall.recall import recall
from holdfast.records import Filter, Scope

TOKEN = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"


def test_a_new_memory_is_a_markdown_file(workspace, home) -> None:
    """What was stored is a file with front matter, title and text in the folder of its project."""
    with workspace() as h:
        stored = remember(h, "Deploys need the VPN. Ask Kim.", tags=("deploy",), source="cli")
    assert (stored.action, stored.memory.key) == ("created", "deploys-need-the-vpn-ask-kim")
    text = (home / "memory" / stored.memory.path).read_text()
    assert stored.memory.path == "projects/example.com--acme--shop/memories/deploys-need-the-vpn-ask-kim.md"
    assert "tags: [deploy]" in text and text.endswith("# Deploys need the VPN\n\nDeploys need the VPN. Ask Kim.\n")


def test_an_order_of_the_person_is_a_rule_unless_they_say_otherwise(workspace) -> None:
    """What begins as an order is a rule; a type that was given stands, and so does that of what an agent says."""
    with workspace() as h:
        assert remember(h, "Never push to main.").memory.type == "feedback"
        assert remember(h, "Always run the linter.", type="project").memory.type == "project"
        assert remember(h, "Always squash.", trust="agent").memory.type == "project"
        assert remember(h, "Deploys need the VPN.").memory.type == "project"
        remember(h, "Deploys go out on Monday.", key="deploys")
        assert remember(h, "Never deploy on Friday.", key="deploys").memory.type == "project"


def test_the_same_again_changes_not_a_byte(workspace, home, tree) -> None:
    """Storing the same text twice is `unchanged`, and every file of the home stays as it is."""
    for _ in range(2):
        with workspace() as h:
            remember(h, "Deploys need the VPN.")
    before = tree(home)
    with workspace() as h:
        assert remember(h, "Deploys need the VPN.").action == "unchanged"
    assert tree(home) == before


def test_a_key_that_is_there_is_updated(workspace) -> None:
    """A new text under a key holds from now on, and what it said before is its history, newest first."""
    with workspace() as h:
        for text in ("One.", "Two.", "Three."):
            stored = remember(h, text, key="count")
    assert stored.action == "updated"
    assert stored.memory.body == "Three."
    assert [earlier.text for earlier in stored.memory.history] == ["Two.", "One."]


def test_no_fact_is_lost_that_begins_like_another(workspace) -> None:
    """Facts of many services about the same things, stored without keys, are all there, each as it was said."""
    facts = [
        f"The rule for {what} in the {service} service is {what[:3]}-{number}."
        for number, service in enumerate(("billing", "checkout", "search", "mail", "ledger", "fraud", "pricing"))
        for what in ("branch names", "log levels", "alert routing", "release days", "retry limits", "test data")
        for _ in range(2)
    ]
    with workspace() as h:
        stored = [remember(h, fact) for fact in facts]
        assert [one.action for one in stored] == ["created", "unchanged"] * 42
        assert sorted(memory.body for memory in h.store.find(Filter(None))) == sorted(set(facts))
        best = recall(h, "branch names in billing")[0].memory
    assert best.body == "The rule for branch names in the billing service is bra-0."


def test_an_update_keeps_what_was_not_given(workspace) -> None:
    """Tags, type and pin stay where the new statement does not name them."""
    with workspace() as h:
        remember(h, "One.", key="k", tags=("a",), type="lesson", pinned=True)
        stored = remember(h, "Two.", key="k")
    assert (stored.memory.tags, stored.memory.type, stored.memory.pinned) == (("a",), "lesson", True)


def test_a_replacement(workspace) -> None:
    """A memory that supersedes another leaves it there, names it, and sinks it in recall."""
    with workspace() as h:
        remember(h, "Apples come from the north.", key="old")
        remember(h, "Apples come from the south.", key="new", supersedes=("old",))
        hits = recall(h, "apples")
        assert [(hit.memory.key, hit.superseded_by) for hit in hits] == [("new", ""), ("old", "new")]
        assert show(h, "new").supersedes == ("old",)


@pytest.mark.parametrize(("keys", "error"), [(("gone",), NotFound), (("k",), Conflict), (("Not A Key",), BadKey)])
def test_a_replacement_of_nothing(workspace, home, tree, keys, error) -> None:
    """What is not there, or is the memory itself, cannot be superseded, and nothing is stored."""
    with workspace() as h:
        remember(h, "One.", key="other")
    before = tree(home / "memory")
    with workspace() as h, pytest.raises(error):
        remember(h, "Two.", key="k", supersedes=keys)
    assert tree(home / "memory") == before


def test_tags_keep_hyphens_and_spaces(workspace) -> None:
    """Tags are cut at commas, trimmed, and each stands once, as it was written."""
    with workspace() as h:
        remember(h, "One.", key="k", tags=(" on call , two-part", "two-part", "Grün", ""))
    with workspace() as h:
        assert show(h, "k").tags == ("on call", "two-part", "Grün")
        assert [hit.memory.key for hit in recall(h, "", tags=("ON CALL",))] == ["k"]


@pytest.mark.parametrize("field", ["text", "title", "source", "agent", "tags"])
def test_a_secret_never_reaches_the_disk(workspace, home, field) -> None:
    """Whatever field a secret is in, only the name of its kind is told and nothing of it is written anywhere."""
    given = {"text": "One.", field: (f"x {TOKEN}",) if field == "tags" else f"x {TOKEN}"}
    with workspace() as h:
        stored = remember(h, given.pop("text"), key="k", **given)
    assert stored.redacted == ("github-token",)
    assert workspace.said == ["redacted before it was stored: github-token"]
    for path in home.rglob("*"):
        assert not path.is_file() or TOKEN.encode() not in path.read_bytes()


def test_what_is_private_is_not_stored(workspace) -> None:
    """Text between <private> tags is left out before anything is written."""
    with workspace() as h:
        stored = remember(h, "Call Kim <private>at 555 1234</private> first.", key="k")
        assert "555" not in stored.memory.body


@pytest.mark.parametrize("text", ["", " \n\t ", "a\0b", "a\udcffb"])
def test_what_is_no_text_is_refused(workspace, home, text) -> None:
    """No text, a NUL byte and bytes that were not UTF-8 are refused, and no home is made."""
    with workspace() as h, pytest.raises(BadInput):
        remember(h, text)
    assert not home.exists()


def test_a_text_over_the_limit_is_refused(workspace, home) -> None:
    """A text over the setting is refused at once, with its size, the limit and a way out."""
    with (
        workspace(flags={"memory.largest": "10"}) as h,
        pytest.raises(TooLarge, match=r"11 bytes.*at most 10") as caught,
    ):
        remember(h, "x" * 11)
    assert "data/" in caught.value.hint and not home.exists()


@pytest.mark.parametrize("key", ["", "UPPER", "x" * 61, "../x", "a b", "a\0b", "a\nb", "käse"])
def test_a_bad_key_is_refused_never_repaired(workspace, home, key) -> None:
    """A key outside 1 to 60 of a-z, 0-9 and hyphen is refused, and the way out says what would do."""
    with workspace() as h, pytest.raises(BadKey) as caught:
        remember(h, "One.", key=key)
    assert "a-z, 0-9 and hyphen" in caught.value.hint and not home.exists()


@pytest.mark.parametrize(("scope", "missing"), [("session", "--session"), ("agent", "--profile")])
def test_a_scope_without_an_owner_fails(workspace, home, scope, missing) -> None:
    """Without a session or a profile the store says what is missing, and never falls into another scope."""
    with workspace() as h, pytest.raises(ScopeUnknown) as caught:
        remember(h, "One.", scope=scope)
    assert missing in caught.value.hint and not home.exists()


def test_each_scope_has_its_folder(workspace, home) -> None:
    """Session and agent memories lie in folders of their own, and remember the session that stored them."""
    with workspace(session="s1", profile="reviewer") as h:
        for scope, folder in (("session", "sessions/s1"), ("agent", "agents/reviewer"), ("global", "global")):
            stored = remember(h, "One.", key="k", scope=scope)
            assert stored.memory.path == f"{folder}/memories/k.md"
            assert stored.memory.session == "s1"


def test_environment_names_session_and_profile(workspace) -> None:
    """HOLDFAST_SESSION, HOLDFAST_PROFILE and HOLDFAST_PROJECT say where we are, and an option wins over them."""
    told = {"HOLDFAST_SESSION": "s2", "HOLDFAST_PROFILE": "p2", "HOLDFAST_PROJECT": "mine"}
    with workspace(environment=told) as h:
        assert [str(scope) for scope in h.visible()] == ["session:s2", "project:mine", "agent:p2", "global"]
    with workspace(environment=told, session="s3", profile="p3", project="yours") as h:
        assert [str(scope) for scope in h.visible()] == ["session:s3", "project:yours", "agent:p3", "global"]


@pytest.mark.parametrize(("name", "value"), [("type", "opinion"), ("trust", "god"), ("scope", "world")])
def test_a_word_that_is_no_choice(workspace, name, value) -> None:
    """An unknown type, trust or scope is refused with the list of those that there are."""
    with workspace() as h, pytest.raises(BadInput) as caught:
        remember(h, "One.", **{name: value})
    assert value in str(caught.value) and "Use one of" in caught.value.hint


def test_an_import_does_not_bring_back_what_was_forgotten(workspace) -> None:
    """After forget, an import of the same words is refused; a person may store them again."""
    with workspace() as h:
        remember(h, "Apples are red.", key="k")
        h.store.remove(Scope("project", "example.com--acme--shop"), "k", forget=True)
        with pytest.raises(Forgotten):
            remember(h, "apples  are RED.", key="other", trust="import")
        assert remember(h, "Apples are red.", key="k").action == "created"


@pytest.mark.parametrize("trust", ["agent", "derived", "import"])
def test_what_the_person_says_again_is_theirs(workspace, trust) -> None:
    """Said in their own name it rises to their trust, which is told; nobody who says it after them takes it away."""
    with workspace() as h:
        remember(h, "The reports job runs at 04:00 UTC.", trust=trust, agent="codex")
        again = remember(h, "The reports job runs at 04:00 UTC.")
        assert (again.action, again.memory.trust, again.memory.history) == ("updated", "user", ())
        assert any("is now yours" in line for line in workspace.said)
        assert remember(h, "The reports job runs at 04:00 UTC.", trust=trust, agent="codex").action == "unchanged"
        assert h.locate(again.memory.key).trust == "user"
        assert remember(h, "The reports job runs at 04:00 UTC.").action == "unchanged"


def test_a_newer_statement_supersedes_the_older_one_of_the_person(workspace) -> None:
    """The same thing with another value: the older is kept and holds no longer; an agent's word changes nothing."""
    with workspace() as h:
        old = remember(h, "Staging database runs on db-stg-2.").memory
        by_agent = remember(h, "Staging database runs on db-stg-9.", trust="agent", agent="codex")
        stored = remember(h, "Staging database runs on db-stg-3.")
        assert by_agent.against == () and stored.against == (old.key,)
        assert h.store.superseded_by(old.scope, old.key) == stored.memory.key
        assert h.store.get(old.scope, old.key).body == "Staging database runs on db-stg-2."


@pytest.mark.parametrize(
    ("text", "is_hinted"),
    [
        ("We use Bun instead of pnpm these days.", True),
        ("we now use bun, not pnpm.", True),
        ("Kim reviews the bun config.", False),
        ("We use bun for the tests of checkout, not jest.", False),
    ],
)
def test_what_says_much_the_same_is_named(workspace, text, is_hinted) -> None:
    """Both are kept, because no likeness decides for the person; who stores is told of the other one."""
    said: list[str] = []
    with workspace() as h:
        remember(h, "We use bun now, not pnpm", type="feedback")
        h.say = said.append
        assert remember(h, text, type="feedback").action == "created"
    assert any(line.startswith("we-use-bun-now-not-pnpm says much the same") for line in said) == is_hinted
