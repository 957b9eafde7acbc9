"""Finding memories."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.app.erase import forget_memory
from holdfast.app.project import apply_alias
from holdfast.errors import BadId, BadInput, ScopeUnknown
from holdfast.memory.remember import remember
from holdfast.memory.show import list_memories, show
from holdfast.recall.fusion import WEIGHTS
from holdfast.recall.recall import recall
from holdfast.records import Scope
from holdfast.workspace import Workspace

SHOP = Scope("project", "example.com--acme--shop")


def keys(hits) -> list[str]:
    """Return the keys in the order of the hits."""
    return [hit.memory.key for hit in hits]


@pytest.fixture
def fruit(workspace, write):
    """A shop that knows of apples, some of it written by hand and long ago."""
    with workspace(session="s1", profile="buyer") as h:
        remember(h, "Apples are red.", key="red", type="lesson", tags=("fruit", "on call"))
        remember(h, "Apples are bought in autumn.", key="autumn", scope="global", type="user")
        remember(h, "Apples are counted now.", key="count", scope="session")
        remember(h, "Apples are checked for worms.", key="worms", scope="agent")
    write(f"projects/{SHOP.owner}/memories/old.md", "---\nupdated: 2020-05-01\ntags: fruit\n---\nApples were green.\n")
    return workspace


def test_only_what_is_visible_here(fruit) -> None:
    """Without a session and a profile, their memories are not seen; with them they are."""
    with fruit() as h:
        assert set(keys(recall(h, "apples"))) == {"red", "autumn", "old"}
    with fruit(session="s1", profile="buyer") as h:
        assert set(keys(recall(h, "apples"))) == {"red", "autumn", "old", "count", "worms"}
    with fruit(session="s2", profile="seller") as h:
        assert set(keys(recall(h, "apples"))) == {"red", "autumn", "old"}


def test_another_project_sees_only_global(fruit, repository) -> None:
    """From another repository none of the shop's memories shows up; everywhere they all do."""
    with fruit(folder=str(repository("blog"))) as h:
        assert keys(recall(h, "apples")) == ["autumn"]
        assert set(keys(recall(h, "apples", everywhere=True))) == {"red", "autumn", "old", "count", "worms"}


@pytest.mark.parametrize(
    ("wish", "found"),
    [
        ({"scope": "project"}, {"red", "old"}),
        ({"scope": "session"}, {"count"}),
        ({"types": ("lesson",)}, {"red"}),
        ({"types": ("lesson", "user")}, {"red", "autumn"}),
        ({"tags": ("fruit",)}, {"red", "old"}),
        ({"tags": ("fruit", "on call")}, {"red"}),
        ({"tags": ("fruit, on call",)}, {"red"}),
        ({"since": "1d"}, {"red", "autumn", "count", "worms"}),
        ({"until": "1d"}, {"old"}),
        ({"since": "2020-01-01", "until": "2021-01-01"}, {"old"}),
        ({"tags": ("none",)}, set()),
    ],
)
def test_wishes(fruit, wish, found) -> None:
    """Scope, types, tags and times narrow what is found, with a query and without."""
    with fruit(session="s1", profile="buyer") as h:
        assert set(keys(recall(h, "apples", **wish))) == found
        assert set(keys(recall(h, "", **wish))) == found


def test_the_limit(fruit) -> None:
    """At most so many hits come back: those asked for, or those of the setting."""
    with fruit(flags={"recall.limit": "2"}) as h:
        assert len(recall(h, "apples")) == 2
        assert len(recall(h, "apples", limit=1)) == 1


def test_a_scope_and_everywhere_do_not_go_together(fruit) -> None:
    """Asking for one scope and for everything at once is refused, in recall and in list."""
    with fruit() as h:
        for read in (
            lambda: recall(h, "x", scope="global", everywhere=True),
            lambda: list_memories(h, scope="global", everywhere=True),
        ):
            with pytest.raises(BadInput, match="do not go together"):
                read()


def test_a_scope_that_is_not_known_here(workspace) -> None:
    """Asking for session memories without a session says what is missing; a bad id is refused."""
    with workspace() as h, pytest.raises(ScopeUnknown):
        recall(h, "x", scope="session")
    with workspace(session="../x") as h, pytest.raises(BadId):
        recall(h, "x")


def test_the_parts_explain_the_score(fruit) -> None:
    """Each hit has its parts, and they sum to the score."""
    with fruit() as h:
        for hit in recall(h, "apples red"):
            assert sum(part.points for part in hit.parts) == pytest.approx(hit.score, abs=1e-6)
            assert {part.name for part in hit.parts} == set(WEIGHTS)


def test_a_match_in_an_earlier_statement_is_said(workspace) -> None:
    """When only what a memory said before has the words, it is found, and the hit says so."""
    with workspace() as h:
        remember(h, "Deploys use the bastion.", key="deploy")
        remember(h, "Everything goes through GitHub Actions.", key="deploy")
        (hit,) = recall(h, "bastion")
        assert (hit.memory.body, hit.earlier) == ("Everything goes through GitHub Actions.", True)
        assert not recall(h, "actions")[0].earlier


def test_those_that_say_the_same_are_one_hit(workspace) -> None:
    """The same statement in the project and in global is one hit."""
    with workspace() as h:
        remember(h, "Apples are red.", key="a")
        remember(h, "Apples are  RED.", key="b", scope="global")
        assert keys(recall(h, "apples")) == ["a"]


def test_a_file_dropped_by_hand_is_found_at_once(workspace, write) -> None:
    """The next recall sees a plain Markdown file, its edit and its end."""
    with workspace() as h:
        path = write("global/memories/pears.md", "Pears are yellow.\n")
        assert keys(recall(h, "pears")) == ["pears"]
        path.write_text("Plums are blue.\n")
        assert keys(recall(h, "plums")) == ["pears"] and recall(h, "yellow") == []
        path.unlink()
        assert recall(h, "plums") == []


def test_recall_counts_as_use_once_a_minute(fruit, home) -> None:
    """What recall hands out is used, at most once a minute; a recall without words is looking."""
    with fruit() as h:
        recall(h, "")
        assert h.store.uses(SHOP, "red") == (0, "")
        recall(h, "red")
        recall(h, "red")
        count, last = h.store.uses(SHOP, "red")
        assert count == 1 and last
    assert len(list(h.journal.events("use"))) == 2


def test_looking_is_not_use(fruit) -> None:
    """List and show change no count and write no event."""
    with fruit() as h:
        list_memories(h)
        show(h, "red")
        assert h.store.uses(SHOP, "red") == (0, "")
        assert list(h.journal.events()) == []


def test_counting_can_be_switched_off(fruit) -> None:
    """With recall.count_use off, a recall leaves no trace."""
    with fruit(flags={"recall.count_use": "false"}) as h:
        recall(h, "red")
        assert list(h.journal.events()) == []


def test_uses_outlive_the_index(fruit, home) -> None:
    """Delete index.db, and every recall returns the same order and scores, with every use counted from the journal."""
    lines = "".join(
        f'{{"at": "2026-01-01T0{hour}:00:00Z", "kind": "use", "memories": [["project", "{SHOP.owner}", "old"]]}}\n'
        for hour in range(5)
    )
    (home / "journal").mkdir()
    (home / "journal" / "2026-01-01.jsonl").write_text(lines)
    seen = []
    for _ in range(2):
        for path in home.glob("index.db*"):
            path.unlink()
        with fruit(flags={"recall.count_use": "false"}) as h:
            assert keys(recall(h, "apples"))
            assert h.store.uses(SHOP, "old") == (5, "2026-01-01T04:00:00Z")
            seen.append([(hit.memory.key, round(hit.score, 4)) for hit in recall(h, "apples")])
    assert seen[0] == seen[1]


def test_an_index_that_is_damaged_inside_is_made_anew(fruit, home) -> None:
    """An index with a good head and a broken body does not stop a recall; it is made anew, and that is said."""
    with fruit() as h:
        h.store.tree.index.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    data = (home / "index.db").read_bytes()
    (home / "index.db").write_bytes(data[:4096] + b"\xff" * (len(data) - 4096))
    with fruit() as h:
        assert "red" in keys(recall(h, "apples"))
    assert any("index.db" in text for text in fruit.said)


@pytest.mark.parametrize(
    "query", ["", "   ", '"', "a AND", "NEAR(", "*", "\0", "\udcff", "'; DROP TABLE memory; --", "🎉", "x" * 50_000]
)
def test_any_query_is_answered(fruit, query) -> None:
    """Whatever is typed, recall answers, and only with memories that are there."""
    with fruit() as h:
        assert {hit.memory.key for hit in recall(h, query)} <= {memory.key for memory in list_memories(h)}


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("部署之前要先连接公司的虚拟专用网络。", "虚拟专用网络"),
        ("デプロイの前にVPNへ接続してください。", "接続"),
        ("النشر يحتاج إلى الشبكة الخاصة.", "الشبكة"),
        ("Перед выкладкой нужен VPN.", "выкладкой"),
        ("배포하기 전에 VPN에 연결하세요.", "연결하세요"),
        ("We celebrate releases with 🎉 always.", "🎉"),
    ],
)
def test_any_script_is_found(workspace, text, query) -> None:
    """A memory in any script is stored whole, gets a good key, and is found by its own words."""
    with workspace() as h:
        remember(h, "Something in plain English.", key="other")
        stored = remember(h, text)
        assert keys(recall(h, query)) == [stored.memory.key]
        assert recall(h, query)[0].memory.body == text


PLACES = st.tuples(st.sampled_from(["p1", "p2"]), st.sampled_from(["", "s1", "s2"]), st.sampled_from(["", "a1", "a2"]))


@settings(max_examples=15)
@given(
    writes=st.lists(st.tuples(PLACES, st.sampled_from(["global", "project", "session", "agent"])), max_size=6),
    reader=PLACES,
)
def test_recall_is_isolated(tmp_path_factory, writes, reader) -> None:
    """Whoever writes where, a reader finds exactly the memories of its own project, session, profile and global."""
    home = str(tmp_path_factory.mktemp("isolated") / "home")
    expected = set()
    for number, ((project, session, profile), scope) in enumerate(writes):
        owner = {"global": "", "project": project, "session": session, "agent": profile}[scope]
        with Workspace(home, folder="/", project=project, session=session, profile=profile, environment={}) as h:
            if scope != "global" and not owner:
                with pytest.raises(ScopeUnknown):
                    remember(h, f"Apples number {number}.", key=f"k{number}", scope=scope)
                continue
            remember(h, f"Apples number {number}.", key=f"k{number}", scope=scope)
        seen = {"global": "", "project": reader[0], "session": reader[1], "agent": reader[2]}[scope]
        if owner == seen:
            expected.add(f"k{number}")
    with Workspace(home, folder="/", project=reader[0], session=reader[1], profile=reader[2], environment={}) as h:
        assert set(keys(recall(h, "apples"))) == expected
        assert {memory.key for memory in list_memories(h)} == expected


def test_what_was_forgotten_is_not_found(fruit) -> None:
    """After forget neither the statement nor its history is found."""
    with fruit() as h:
        remember(h, "Apples are yellow.", key="red")
        forget_memory(h, "red")
        assert "red" not in keys(recall(h, "apples yellow red"))


def dated(write, key: str, text: str, created: str, updated: str = "", scope: str = "global") -> None:
    """Write a memory as it would stand there since a day."""
    write(f"{scope}/memories/{key}.md", f"---\ncreated: {created}\nupdated: {updated or created}\n---\n{text}\n")


@pytest.fixture
def seasons(workspace, write):
    """Deploys changed over the year; there is a memory for each time, and one that changed twice."""
    dated(write, "spring", "Deploys went by ftp.", "2026-03-10")
    dated(write, "summer", "Deploys went by rsync.", "2026-07-10")
    dated(write, "migration", "The migration to the new cluster was done.", "2026-05-01")
    dated(write, "autumn", "Deploys go by pipeline, and deploys are watched.", "2026-10-01")
    return workspace


def test_a_spoken_time_puts_what_lies_inside_first(seasons) -> None:
    """In March 2026: the memory of that month comes first; the others are still there."""
    with seasons() as h:
        hits = recall(h, "how did deploys go in March 2026?")
        assert keys(hits)[0] == "spring" and {"summer", "autumn"} <= set(keys(hits))
        assert next(part.value for part in hits[0].parts if part.name == "time") == 1.0


def test_a_spoken_time_never_empties_the_answer(seasons) -> None:
    """When nothing lies inside, what lies outside is shown; since and until stay hard."""
    with seasons() as h:
        assert set(keys(recall(h, "deploys in March 2021"))) >= {"spring", "summer", "autumn"}
        assert keys(recall(h, "deploys in March 2026", since="2026-06-01")) != []
        assert "spring" not in keys(recall(h, "deploys in March 2026", since="2026-06-01"))


def test_a_time_alone_asks_for_all_of_it(seasons, write) -> None:
    """A question that names nothing but a time gets what was stored or changed then."""
    dated(write, "long", "A long story.", "2026-01-20", "2026-11-01")
    with seasons() as h:
        assert keys(recall(h, "what was new in January 2026?")) == ["long"]
        assert keys(recall(h, "what happened in July 2026?")) == ["summer"]
        assert keys(recall(h, "between April and June 2026")) == ["migration"]


def test_what_lies_inside_is_found_among_many(seasons, write) -> None:
    """Where a hundred others have more of the words, the one of the spoken time still comes first."""
    for number in range(150):
        dated(write, f"many-{number}", f"Deploys, deploys and deploys, number {number}.", "2026-09-09")
    dated(write, "needle", "In a long sentence about this and that somebody spoke of deploys too.", "2025-02-02")
    with seasons() as h:
        assert keys(recall(h, "deploys in February 2025"))[0] == "needle"


def test_a_statement_of_that_time_is_enough(workspace, write) -> None:
    """A memory that was stored before and changed after March, but said something in March, is of March."""
    history = "\n## History\n\n### 2026-03-05T00:00:00Z\n\n> Deploys use ftp.\n"
    dated(write, "k", f"Deploys use the pipeline.\n{history}", "2025-01-01", "2026-09-01")

    def inside(month: str) -> float:
        with workspace() as h:
            (hit,) = recall(h, f"deploys in {month} 2026")
            return next(part.value for part in hit.parts if part.name == "time")

    assert (inside("March"), inside("April"), inside("September")) == (1.0, 0.0, 1.0)


def test_before_and_after_an_event(seasons) -> None:
    """Before the migration leans to what is older than the memory of it, after it to what is newer; or not at all."""

    def times(query: str) -> dict[str, float]:
        with seasons() as h:
            hits = recall(h, query)
            return {hit.memory.key: part.value for hit in hits for part in hit.parts if part.name == "time"}

    before, after = times("how did deploys go before the migration"), times("how did deploys go after the migration")
    assert (before["spring"], before["autumn"]) == (1.0, 0.0)
    assert (after["spring"], after["autumn"]) == (0.0, 1.0)
    assert times("how did deploys go before the apocalypse") == {}


def test_an_event_of_another_project_has_no_time(seasons, repository) -> None:
    """The event is looked for only where the reader may look."""
    with seasons() as h:
        remember(h, "The rewrite was finished.", key="rewrite")
        assert any(part.name == "time" for part in recall(h, "deploys since the rewrite")[0].parts)
    with seasons(folder=str(repository("blog"))) as h:
        assert all(part.name != "time" for part in recall(h, "deploys since the rewrite")[0].parts)


def test_only_what_an_agent_stored(workspace) -> None:
    """Agents narrow what is found, in any case; several are or; a bad name is refused."""
    with workspace() as h:
        for agent in ("claude", "Codex", ""):
            remember(h, f"Apples of {agent or 'nobody'}.", key=f"by-{agent.lower() or 'nobody'}", agent=agent)
        assert keys(recall(h, "apples", agents=("codex",))) == ["by-codex"]
        assert set(keys(recall(h, "", agents=("CLAUDE", "codex")))) == {"by-claude", "by-codex"}
        assert recall(h, "apples", agents=("gemini",)) == []
        for bad in ("", "a\nb"):
            with pytest.raises(BadInput, match="not the name of an agent"):
                recall(h, "apples", agents=(bad,))


def test_another_project_on_purpose(fruit, repository) -> None:
    """A named project is searched in place of the folder's, with its aliases; global stays; bad ids are refused."""
    with fruit(project="old-shop") as h:
        remember(h, "Apples were sour.", key="sour")
    with fruit(folder=str(repository("blog"))) as h:
        remember(h, "Apples on the blog.", key="blog")
        assert set(keys(recall(h, "apples", project=SHOP.owner))) == {"red", "old", "autumn"}
        assert set(keys(recall(h, "apples", project=SHOP.owner, scope="project"))) == {"red", "old"}
        assert keys(recall(h, "apples", project=SHOP.owner, scope="global")) == ["autumn"]
        apply_alias(h, "old-shop", SHOP.owner)
        assert "sour" in keys(recall(h, "apples", project=SHOP.owner))
        assert keys(recall(h, "apples", project="nobody", scope="project")) == []
        with pytest.raises(BadId):
            recall(h, "apples", project="../x")
        with pytest.raises(BadInput, match="do not go together"):
            recall(h, "apples", project=SHOP.owner, everywhere=True)


def test_what_replaced_a_hit_comes_before_it(workspace) -> None:
    """A superseded memory matches and its replacement does not: the replacement stands before it and says why."""
    with workspace() as h:
        remember(h, "Uploads go by ftp to the old server.", key="ftp")
        remember(h, "Everything is a pipeline now.", key="pipeline", supersedes=("ftp",))
        remember(h, "The ftp client is installed by hand.", key="client")
        hits = recall(h, "uploads by ftp server")
        assert keys(hits)[0] == "pipeline" and keys(hits)[-1] == "ftp"
        assert any("replaces ftp" in part.why for part in hits[0].parts)


def test_the_end_of_a_chain_of_replacements(workspace) -> None:
    """The last of a chain comes first, even where memories replace each other in a circle."""
    with workspace() as h:
        remember(h, "Uploads go by ftp.", key="one")
        remember(h, "Everything is rsync.", key="two", supersedes=("one",))
        remember(h, "A pipeline does it.", key="three", supersedes=("two",))
        found = keys(recall(h, "uploads ftp"))
        assert found[0] == "three" and sorted(found[1:]) == ["one", "two"]
        remember(h, "Uploads go by ftp.", key="one", supersedes=("three",))
        assert set(keys(recall(h, "uploads ftp"))) == {"one", "two", "three"}


def test_a_replacement_keeps_to_the_wishes(workspace) -> None:
    """What replaced a hit is not pulled in where it does not have the tag that was asked for."""
    with workspace() as h:
        remember(h, "Uploads go by ftp.", key="ftp", tags=("ops",))
        remember(h, "A pipeline does it.", key="pipeline", supersedes=("ftp",))
        assert keys(recall(h, "uploads ftp", tags=("ops",))) == ["ftp"]


def test_the_newer_of_two_statements_on_the_same_thing(workspace, write) -> None:
    """Two memories that differ in a value: the newer comes first, whichever has more of the words."""
    dated(write, "first", "The port of the shop, the shop, is 8080.", "2026-01-01")
    dated(write, "second", "The port of the shop is 9090.", "2026-06-01")
    with workspace() as h:
        assert keys(recall(h, "shop port")) == ["second", "first"]
