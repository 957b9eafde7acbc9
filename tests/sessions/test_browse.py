"""Reading sessions back: list, cost, show, search, pin and forget, by hand and by program."""

from __future__ import annotations

import json
import shlex
import stat

import pytest

from holdfast.app.reindex import reindex
from holdfast.errors import BadInput
from holdfast.records import Cost, Spend, replace
from holdfast.sessions.archive import Archive
from holdfast.sessions.browse import cost, list_sessions, total
from holdfast.sessions.search import search
from support.archived import OPUS, edited, said, session, store

SHOP = "example.com--acme--shop"


@pytest.fixture
def told(workspace, shop, repository):
    """A home with four sessions: two agents, two projects, a sub-agent."""
    bakery = repository("bakery")
    with workspace() as h:
        store(
            *(h, session("aaa111", shop, title="Fix the upload", branch="main")),
            *(said("human", "The upload fails behind the proxy."), edited(shop / "src" / "upload.py", shop)),
            said("assistant", "The timeout was too short; it is 30 seconds now."),
        )
        store(
            *(h, session("bbb222", shop, "other-agent", "2026-05-06", title="Colours", branch="colours")),
            said("human", "Make the button green.", "2026-05-06T10:00:00Z"),
        )
        store(h, replace(session("sub333", shop), is_subagent=True, parent="aaa111"), said("task", "Look for proxies."))
        store(h, session("ccc444", bakery, title="Bread"), said("human", "The oven is cold."))
    return workspace


def ids(listed) -> list[str]:
    """Return the ids of listed sessions."""
    return [row.id for row in listed.sessions]


def test_the_sessions_of_this_project_are_listed_newest_first(told) -> None:
    """Without options the list has this project's sessions, without sub-agents, and names the project."""
    with told() as h:
        found = list_sessions(h)
        assert ids(found) == ["bbb222", "aaa111"]
        assert found.project == SHOP
        assert (found.sessions[1].files, found.sessions[1].title) == (1, "Fix the upload")


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"agents": ("other-agent",)}, ["bbb222"]),
        ({"since": "2026-05-05"}, ["bbb222"]),
        ({"until": "2026-05-05"}, ["aaa111"]),
        ({"branch": "main"}, ["aaa111"]),
        ({"branch": "mai"}, []),
        ({"file": "upload.py"}, ["aaa111"]),
        ({"file": "src"}, ["aaa111"]),
        ({"file": "load.py"}, []),
        ({"subagents": True}, ["bbb222", "aaa111", "sub333"]),
        ({"everywhere": True}, ["bbb222", "aaa111", "ccc444"]),
        ({"limit": 1}, ["bbb222"]),
        ({"outcomes": ("success",)}, ["aaa111"]),
        ({"outcomes": ("failure",)}, []),
    ],
)
def test_the_list_can_be_narrowed(told, shop, asked, expected) -> None:
    """Each option keeps what it says and nothing else."""
    (shop / "src").mkdir()
    with told() as h:
        assert sorted(ids(list_sessions(h, **asked))) == sorted(expected)


def test_a_short_id_is_enough_to_name_a_session(workspace, shop) -> None:
    """What the list shows of an id is long enough that no other session is meant, whatever their project."""
    ids = ["0198aaaa-1111", "0198aaaa-2222", "0198aaaa-2222-3", "f"]
    with workspace() as h:
        for id in ids:
            store(h, session(id, shop if id != "0198aaaa-1111" else "/nowhere"), said("human", id))
        short = list_sessions(h).short
        assert short == dict(zip(ids, ["0198aaaa-1", "0198aaaa-2222", "0198aaaa-2222-", "f"], strict=True))
        archive = Archive(h.home)
        assert [archive.resolve(short[id]) for id in ids] == [f"some-agent/{id}" for id in ids]


def test_an_outcome_that_is_none_is_refused(told) -> None:
    """A wrong outcome names those that there are."""
    with told() as h, pytest.raises(BadInput, match="splendid"):
        list_sessions(h, outcomes=("splendid",))


def test_cost_by_project_agent_day_and_model(told) -> None:
    """Tokens and estimated dollars are summed by each of the four, and every sum is the same."""
    with told() as h:
        sums = {by: cost(h, by=by) for by in ("project", "agent", "day", "model")}
        assert {by: len(rows) for by, rows in sums.items()} == {"project": 2, "agent": 2, "day": 2, "model": 1}
        assert {total(rows).cost.input for rows in sums.values()} == {40_000_000}
        assert total(sums["day"]).estimated == pytest.approx(total(sums["model"]).estimated)
        assert total(sums["day"]).estimated > 0 and total(sums["day"]).told == 0
        assert [row.group for row in sums["day"]] == ["2026-05-06", "2026-05-04"]
        assert [row.sessions for row in cost(h, by="day", since="2026-05-05")] == [1]
        assert {total(rows).sessions for rows in sums.values()} == {4}


def test_what_an_agent_tells_is_not_estimated_again(workspace, shop) -> None:
    """Dollars that the agent told count as told, other spends are estimated, and a model without a price is neither."""
    spends = (
        Spend("2026-05-04", OPUS, Cost(input=1_000_000, dollars=7.0)),
        Spend("2026-05-05", "a-model-of-nobody", Cost(output=500)),
    )
    with workspace() as h:
        store(h, session("one", shop, spends=spends), said("human", "Hello."))
        (row,) = cost(h, by="agent")
        assert (row.told, row.estimated, row.unpriced) == (7.0, 0.0, 500)


def test_a_session_is_named_by_a_part_of_its_id(told, cli) -> None:
    """A part that one id has is enough; one that several have is refused with the candidates."""
    assert "# Fix the upload" in cli("sessions", "show", "aaa").out
    assert cli("sessions", "show", "nothing").code == 3
    with told() as h:
        store(h, session("aaa999", "/nowhere"), said("human", "Hello."))
    ended = cli("sessions", "show", "aaa")
    assert ended.code == 2 and "some-agent/aaa111" in ended.err and "some-agent/aaa999" in ended.err


def test_show_as_markdown_json_and_html(told, cli) -> None:
    """The digest comes in three forms, and so do the events, from one place to another."""
    assert json.loads(cli("sessions", "show", "aaa", "--as", "json").out)["title"] == "Fix the upload"
    raw = cli("sessions", "show", "aaa", "--raw", "--from", "1", "--to", "1").out
    assert "upload.py" in raw and "proxy" not in raw
    events = json.loads(cli("sessions", "show", "aaa", "--raw", "--as", "json").out)["events"]
    assert [event["role"] for event in events] == ["human", "tool", "assistant"]
    page = cli("sessions", "show", "aaa", "--as", "html").out
    assert page.startswith("<!doctype html>") and "default-src 'none'" in page and "behind the proxy" in page
    assert cli("sessions", "show", "aaa", "--from", "1").code == 2


def test_damaged_events_are_told_and_not_passed_over(told, cli, home) -> None:
    """Of a raw file that is cut short show and reindex say that something is missing, and which file it is."""
    raw = home / "archive" / "raw" / "some-agent" / "aaa111.jsonl.zst"
    raw.write_bytes(raw.read_bytes()[:40])
    ended = cli("sessions", "show", "aaa", "--raw")
    assert ended.code == 0 and str(raw) in ended.err
    assert "aaa111 is only in part in the index" in cli("reindex").err


def test_a_session_that_cannot_be_indexed_is_not_counted(told, cli, home) -> None:
    """A digest that is broken is named, and what reindex says it did leaves it out."""
    (home / "archive" / "digests" / "some-agent" / "aaa111.json").write_text('{"session": ')
    ended = cli("reindex", "--json")
    assert "some-agent/aaa111 is not in the index" in ended.err
    assert json.loads(ended.out)["sessions"] == 3


def test_show_writes_a_private_file(told, cli, tmp_path) -> None:
    """With -o the page goes to a file that only the person can read; a link in its place is refused."""
    out = tmp_path / "page.html"
    assert cli("sessions", "show", "aaa", "--as", "html", "-o", str(out)).code == 0
    assert out.read_text().startswith("<!doctype html>")
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    link = tmp_path / "link.html"
    link.symlink_to(out)
    assert cli("sessions", "show", "aaa", "-o", str(link)).code != 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.html", "page.html"]


def test_search_finds_words_with_their_place(told, cli) -> None:
    """A hit says session, speaker and time, and how to open the very event."""
    ended = cli("sessions", "search", "timeout", "seconds")
    assert "some-agent/aaa111" in ended.out and "assistant" in ended.out
    assert "holdfast sessions show some-agent/aaa111 --raw --from 2" in ended.out
    (hit, *_) = cli("sessions", "search", "timeout", "--json", "--explain").json["hits"]
    assert hit["event"] == 2 and hit["parts"] and hit["open"].endswith("--from 2")


def test_a_search_for_nothing_finds_nothing(told, cli) -> None:
    """Without a word there is nothing to be like, so no passage is listed."""
    for query in ("", "  "):
        assert cli("sessions", "search", query, "--json").json["hits"] == []


def test_search_never_shows_another_project(told, cli, repository, monkeypatch) -> None:
    """What was said in another project is found only with --everywhere."""
    assert cli("sessions", "search", "oven", "--json").json["hits"] == []
    found = cli("sessions", "search", "oven", "--everywhere", "--json").json["hits"]
    assert {hit["session"] for hit in found} == {"some-agent/ccc444"}
    assert cli("sessions", "search", "oven", "--project", "example.com--acme--bakery", "--json").json["hits"]


def test_search_by_agent_and_time(told) -> None:
    """Options of agent and time leave out; a time in the query only ranks."""
    with told() as h:
        assert {hit.agent for hit in search(h, "upload button proxy", agents=("other-agent",)).hits} == {"other-agent"}
        assert {hit.at[:10] for hit in search(h, "upload button", since="2026-05-05").hits} == {"2026-05-06"}
        spoken = search(h, "upload or button on 6 May 2026", explain=True).hits
        assert spoken[0].session == "other-agent/bbb222"
        assert any(part.name == "time" and part.value == 1.0 for part in spoken[0].parts)
        assert {hit.session for hit in spoken} > {"other-agent/bbb222"}
        bare = search(h, "what happened on 6 May 2026").hits
        assert bare and {hit.at[:10] for hit in bare} == {"2026-05-06"}


def test_search_by_meaning(told) -> None:
    """A passage is found that has none of the words."""
    with told() as h:
        assert search(h, "paint").hits[0].session == "other-agent/bbb222"


def test_search_weighs_what_a_session_is_about(workspace, shop) -> None:
    """Of two sessions that say the same sentence, the one whose title is about what was asked comes first."""
    aside = said("assistant", "The pictures of the products are too large for phones.")
    with workspace() as h:
        store(h, session("login", shop, title="Sign in with a passkey"), said("human", "go on"), aside)
        store(h, session("photos", shop, day="2026-05-03", title="Shrink photographs"), said("human", "go on"), aside)
        found = search(h, "make the images smaller", explain=True).hits
        assert found[0].session == "some-agent/photos"
        assert any(part.name == "title" and part.value > 0 for part in found[0].parts)


def test_stored_text_cannot_steer_a_terminal(workspace, shop, cli) -> None:
    """Escape sequences and direction marks in titles, texts and paths come out written out, in every command."""
    evil = "\x1b]0;owned\x07 \x9b31m \u202egnihtemos"
    with workspace() as h:
        path = f"{shop}/a\x1bb.py"
        event = edited("x", shop)
        event = replace(event, input=json.dumps({"file_path": path, "new_string": "x"}))
        store(h, session("one", shop, title=f"T {evil}"), said("human", f"quokka {evil}"), event)
    for words in ("sessions", "sessions show one", "sessions show one --raw", "sessions search quokka", "timeline"):
        ended = cli(*words.split())
        assert ended.code == 0 and ended.out
        assert not set("\x1b\x07\x9b\u202e") & set(ended.out), words
    assert "\x1b" not in cli("activity").out
    page = cli("sessions", "show", "one", "--raw", "--as", "html").out
    assert not set("\x1b\x07\x9b\u202e") & set(page)


def test_ids_are_completed(told, home) -> None:
    """The shell completes ids that begin so, and gets nothing where there is no home."""
    from holdfast.surfaces.cli.commands.sessions import _complete
    from holdfast.surfaces.cli.main import cli as program

    with program.make_context("holdfast", ["sessions", "show", "x"], resilient_parsing=True) as ctx:
        assert _complete(ctx, program.params[0], "b") == ["bbb222"]
        ctx.params["home"] = str(home / "nowhere")
        assert _complete(ctx, program.params[0], "") == []


def test_an_id_that_is_hostile(workspace, shop, cli) -> None:
    """An id with shell signs and control characters is listed, found and forgotten, and what is shown can be pasted."""
    id = "a; rm -rf $HOME \x1b[31m\n'x"
    with workspace() as h:
        store(h, session(id, shop), said("human", "The quokka sleeps."))
    (hit,) = cli("sessions", "search", "quokka", "--json", "-n", "1").json["hits"]
    assert shlex.split(hit["open"])[:3] == ["holdfast", "sessions", "show"] and len(shlex.split(hit["open"])) == 7
    assert "\x1b" not in cli("sessions").out + cli("timeline").out + cli("sessions", "search", "quokka").out
    assert cli("sessions", "forget", "rm -rf", "--yes").code == 0
    assert cli("sessions", "--json").json["sessions"] == []


def test_pin_and_unpin(told, cli, home) -> None:
    """A pinned session is marked in the list and kept by the archive, until it is unpinned."""
    assert cli("sessions", "pin", "aaa", "--json").json == {"session": "some-agent/aaa111", "pinned": True}
    assert Archive(str(home)).pins() == {"some-agent/aaa111"}
    listed = {row["id"]: row["pinned"] for row in cli("sessions", "--json").json["sessions"]}
    assert listed == {"aaa111": True, "bbb222": False}
    assert cli("sessions", "unpin", "aaa").code == 0
    assert Archive(str(home)).pins() == frozenset()


def test_forget_leaves_no_word(told, cli, home) -> None:
    """A forgotten session is gone from archive, list, search and the bytes of the home; others stay."""
    ended = cli("sessions", "forget", "aaa", "--dry-run", "--json")
    assert ended.json["applied"] is False and ended.json["plan"][0]["target"] == "some-agent/aaa111"
    assert cli("sessions", "forget", "aaa").code != 0
    assert cli("sessions", "forget", "aaa", "--yes").code == 0
    archive = Archive(str(home))
    assert archive.is_forgotten("some-agent/aaa111") and not archive.has("some-agent/aaa111")
    assert [row["id"] for row in cli("sessions", "--json").json["sessions"]] == ["bbb222"]
    assert cli("sessions", "search", "timeout", "--json").json["hits"] == []
    left = b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())
    assert b"timeout was too short" not in left and b"behind the proxy" not in left


def answers(workspace) -> dict[str, object]:
    """Return what list, cost, search and activity say."""
    from holdfast.sessions.browse import activity, timeline

    with workspace() as h:
        hits = search(h, "the upload timeout", everywhere=True).hits
        return {
            "list": list_sessions(h, everywhere=True, subagents=True),
            "cost": [
                [(row.group, row.sessions, row.cost, row.told, row.estimated) for row in cost(h, by=by)]
                for by in ("project", "agent", "day", "model")
            ],
            "search": [(hit.session, hit.event, hit.speaker, hit.text) for hit in hits],
            "activity": activity(h, everywhere=True),
            "timeline": timeline(h, everywhere=True),
        }


def test_reindex_gives_the_same_answers(told, home) -> None:
    """After index.db is deleted, reindex brings back every list, sum, hit and change as it was."""
    before = answers(told)
    assert before["search"] and before["activity"].changes
    (home / "index.db").unlink()
    with told() as h:
        assert reindex(h).sessions == 4
    assert answers(told) == before


def test_without_sessions_nothing_is_there(cli, shop, home) -> None:
    """In a fresh account every command answers, finds nothing, and makes nothing."""
    for words in ("sessions", "sessions cost", "sessions search x", "timeline", "activity", "activity --recent"):
        ended = cli(*words.split())
        assert ended.code == 0 and ended.out == "", words
        assert cli(*words.split(), "--json").code == 0
    assert not home.exists()
