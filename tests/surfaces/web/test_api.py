"""The REST interface: everything that the page does, for programs, bounded by what a token may."""

from __future__ import annotations

import json
from contextlib import ExitStack

import pytest
from starlette.testclient import TestClient

from holdfast.app import tokens
from holdfast.surfaces.web.app import create
from holdfast.surfaces.web.security import FAILED_SECONDS
from support.archived import edited, said, session, store

from ..hook.conftest import Hook
from .conftest import ADDRESS

API = f"{ADDRESS}/api/v1"


@pytest.fixture
def api(site, workspace):
    """Return a program with a token that may so much, in these projects; each call is one more program."""

    def make(may: str = "review", *projects: str) -> TestClient:
        with workspace() as h:
            name = f"{may}-{len(tokens.tokens(h.home))}"
            secret = tokens.new(h, name, may=may, projects=projects)[1]
        client = TestClient(create(site), base_url=API, headers={"Authorization": f"Bearer {secret}"})
        client.secret = secret
        return served.enter_context(client)

    with ExitStack() as served:
        yield make


def stored(client: TestClient, text: str, **more) -> dict:
    """Store a memory, and return it."""
    answer = client.post("/memories", json={"text": text, **more})
    assert answer.status_code in (200, 201), answer.text
    return answer.json()["memory"]


def problem(answer, status: int) -> dict:
    """Return what a refusal says, which is always in the form of RFC 9457."""
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json"), answer.text
    told = answer.json()
    assert told["status"] == status and told["detail"] and told["title"]
    return told


# Memories


def test_a_memory_is_stored_found_changed_and_forgotten(api) -> None:
    """A whole life: created, found with an explained score, changed, its history told, forgotten."""
    client = api()
    made = client.post("/memories", json={"text": "Deploys need the VPN.", "key": "vpn", "tags": ["deploy"]})
    assert made.status_code == 201 and made.json()["action"] == "created"
    assert [one["key"] for one in client.get("/memories?tag=deploy").json()["memories"]] == ["vpn"]
    [hit] = client.get("/search", params={"q": "what do deploys need?"}).json()["hits"]
    assert hit["memory"]["key"] == "vpn"
    assert abs(sum(part["points"] for part in hit["parts"]) - hit["score"]) < 0.01
    changed = client.patch(
        "/memories/vpn", json={"text": "Deploys need the bastion."}, headers={"If-Match": made.headers["etag"]}
    )
    assert (changed.status_code, changed.json()["replaced"]) == (200, "Deploys need the VPN.")
    told = client.get("/memories/vpn/history").json()["statements"]
    assert [one["text"] for one in told] == ["Deploys need the bastion.", "Deploys need the VPN."]
    gone = client.delete("/memories/vpn", headers={"If-Match": changed.headers["etag"]})
    assert gone.json() == {"key": "vpn", "scope": "project", "for_good": True}
    assert "holdfast list" in problem(client.get("/memories/vpn"), 404)["hint"]


def test_what_the_command_line_stores_is_what_is_shown(api, cli) -> None:
    """There is one memory: the interface shows what the files say now, and the command line what it stored."""
    client = api()
    cli("remember", "The port is 8080.", "--key", "port")
    assert client.get("/memories/port").json()["body"] == "The port is 8080."
    stored(client, "The host is example.com.", key="host")
    assert "example.com" in cli("show", "host").out


def test_pages_follow_soon_and_at_the_end(site, workspace, home) -> None:
    """A hundred changes write the index page once; when the server ends, it shows them all."""
    with workspace() as h:
        secret = tokens.new(h, "script", may="review")[1]
    with TestClient(create(site), base_url=API, headers={"Authorization": f"Bearer {secret}"}) as client:
        for number in range(20):
            stored(client, f"Statement number {number}.", key=f"k-{number}", scope="global")
    assert (home / "memory" / "global" / "index.md").read_text().count("Statement number") == 20


def test_a_rule_is_stored_shown_and_changed(api) -> None:
    """A condition comes in and goes out, also a derived one, with its words; how strongly it holds the person says."""
    client, program = api(), api("write")
    stored(client, "Ask me first.", key="ask", when="git push", enforce="deny")
    given = client.get("/memories/ask").json()["rule"]
    assert (given["when"], given["does"], given["origin"]) == ("git push", "deny", "given")
    stored(client, "Never run `make deploy`.", key="deploy")
    shown = client.get("/memories/deploy")
    found = shown.json()["rule"]
    assert (shown.json()["when"], found["when"], found["does"]) == ("", "make deploy", "hold")
    assert found["origin"] == "derived" and "make deploy" in found["words"]
    listed = {one["key"]: one["rule"] for one in client.get("/memories").json()["memories"]}
    hits = {one["memory"]["key"]: one["memory"]["rule"] for one in client.get("/search?q=deploy").json()["hits"]}
    assert listed == {"ask": given, "deploy": found} and hits["deploy"] == found
    match = {"If-Match": shown.headers["etag"]}
    problem(program.patch("/memories/deploy", json={"when": "none"}, headers=match), 403)
    problem(program.post("/memories", json={"text": "Never run `make x`.", "enforce": "deny"}), 403)
    problem(client.patch("/memories/deploy", json={"when": "none", "enforce": "deny"}, headers=match), 422)
    assert client.patch("/memories/deploy", json={"enforce": "ask"}, headers=match).status_code == 200
    assert client.get("/memories/deploy").json()["rule"]["does"] == "ask"
    assert client.patch("/memories/deploy", json={"when": "none"}, headers={"If-Match": "*"}).status_code == 200
    assert client.get("/memories/deploy").json()["rule"] is None


def test_what_a_program_proposes_comes_from_the_api(api) -> None:
    """To change and to forget what is the person's are proposed by the same way in."""
    client, program = api(), api("write")
    stored(client, "Deploys need the VPN.", key="vpn", type="feedback")
    assert program.patch("/memories/vpn", json={"text": "No VPN."}, headers={"If-Match": "*"}).status_code == 202
    problem(program.delete("/memories/vpn", headers={"If-Match": "*"}), 403)
    assert [one["source"] for one in client.get("/proposals").json()["proposals"]] == ["api", "api"]


def test_no_program_stores_a_lesson(api) -> None:
    """What an agent says as one is proposed over MCP; a token without `review` neither stores one nor makes one."""
    client, program = api(), api("write")
    assert program.post("/memories", json={"text": "Skip the tests.", "key": "skip"}).status_code == 201
    problem(program.post("/memories", json={"text": "Skip them all.", "type": "lesson"}), 403)
    problem(program.patch("/memories/skip", json={"type": "lesson"}, headers={"If-Match": "*"}), 403)
    assert client.patch("/memories/skip", json={"type": "lesson"}, headers={"If-Match": "*"}).status_code == 200


def test_looking_is_not_use(api, workspace) -> None:
    """Neither a list nor a search counts a memory as used."""
    client = api()
    stored(client, "Deploys need the VPN.", key="vpn")
    client.get("/search?q=vpn")
    client.get("/memories")
    assert client.get("/memories/vpn").json()["uses"] == 0


def test_a_list_comes_in_parts(api) -> None:
    """Each part names where the next begins, the last names nothing, and together they are the whole."""
    client, found, offset = api(), [], 0
    for number in range(7):
        stored(client, f"Statement number {number}.", key=f"k-{number}")
    while offset is not None:
        part = client.get(f"/memories?limit=3&offset={offset}").json()
        found, offset = found + [one["key"] for one in part["memories"]], part["next"]
    assert sorted(found) == [f"k-{number}" for number in range(7)]


def test_a_change_of_what_changed_meanwhile_is_refused(api, cli) -> None:
    """A change, a move and a forget of an earlier state change nothing; without a state they are not even tried."""
    client = api()
    stored(client, "The port is 80.", key="port")
    old = client.get("/memories/port").headers["etag"]
    cli("remember", "The port is 81.", "--key", "port")
    stale = {"If-Match": old}
    for answer in (
        client.patch("/memories/port", json={"text": "The port is 82."}, headers=stale),
        client.post("/memories/port/move", json={"key": "other"}, headers=stale),
        client.delete("/memories/port", headers=stale),
    ):
        problem(answer, 412)
    problem(client.patch("/memories/port", json={"text": "x"}), 428)
    problem(client.delete("/memories/port"), 428)
    shown = client.get("/memories/port")
    assert shown.json()["body"] == "The port is 81."
    assert client.get("/memories/port", headers={"If-None-Match": shown.headers["etag"]}).status_code == 304


def test_a_key_that_is_taken_is_a_conflict(api) -> None:
    """A new memory never takes the place of another one."""
    client = api()
    stored(client, "The port is 80.", key="port")
    assert "PATCH" in problem(client.post("/memories", json={"text": "The port is 81.", "key": "port"}), 409)["hint"]
    assert client.get("/memories/port").json()["body"] == "The port is 80."


def test_a_memory_is_pinned_moved_and_shown_beside_others(api) -> None:
    """Pin and unpin say it at once, a move keeps the words, and what links to it is related."""
    client = api()
    stored(client, "Deploys need the VPN.", key="vpn")
    stored(client, "Access: see [[vpn]].", key="access")
    assert client.put("/memories/vpn/pin").json()["pinned"] is True
    assert client.delete("/memories/vpn/pin").json()["pinned"] is False
    assert "access" in [one["memory"]["key"] for one in client.get("/memories/vpn/related").json()["related"]]
    etag = client.get("/memories/vpn").headers["etag"]
    moved = client.post("/memories/vpn/move", json={"to": "global", "key": "tunnel"}, headers={"If-Match": etag})
    assert (moved.json()["scope"], moved.json()["body"]) == ("global", "Deploys need the VPN.")


def test_a_secret_is_taken_out_first(api, home) -> None:
    """What is stored over HTTP passes the same redaction; the answer names the kind."""
    token = "ghp_" + "0123456789abcdefghij0123456789abcdef"
    answer = api().post("/memories", json={"text": f"The token is {token}, ask Kim."})
    assert answer.json()["redacted"] and token not in answer.text
    assert not [path for path in home.rglob("*") if path.is_file() and token.encode() in path.read_bytes()]


def test_what_a_session_would_be_given_is_shown_and_not_recorded(api, home, tree) -> None:
    """The block of a start and that of a prompt come with why, within their budget, and the journal has nothing."""
    client = api()
    stored(client, "Always run make check before a commit.", key="check", type="feedback")
    block = client.get("/context").json()
    assert "make check" in block["text"] and block["characters"] <= block["budget"]
    assert [one["key"] for one in block["given"]] == ["check"] and block["given"][0]["why"]
    assert client.post("/preview", json={"prompt": "How do I commit here?"}).json()["moment"] == "prompt"
    assert client.get("/receipts").json() == {"receipts": [], "next": None}


# Review


def proposed(cli, tmp_path, *statements: str) -> None:
    """Let statements of a file wait for the person."""
    path = tmp_path / "notes.md"
    path.write_text("".join(f"- {one}\n" for one in statements))
    assert cli("import", "--file", str(path), "--scope", "project").code == 0


def test_proposals_are_listed_edited_decided_and_undone(api, cli, tmp_path) -> None:
    """One is edited and approved, one rejected, one snoozed; undoing brings the rejected one back."""
    client = api()
    proposed(cli, tmp_path, "Kim likes tea in the morning.", "Lee likes black coffee.", "Ann likes cold water.")
    ids = {one["text"]: one["id"] for one in client.get("/proposals").json()["proposals"]}
    kim, lee, ann = (next(ids[text] for text in ids if name in text) for name in ("Kim", "Lee", "Ann"))
    shown = client.get(f"/proposals/{kim}")
    headers = {"If-Match": shown.headers["etag"]}
    assert client.patch(f"/proposals/{kim}", json={"text": "Kim likes green tea."}, headers=headers).status_code == 200
    problem(client.patch(f"/proposals/{kim}", json={"text": "Kim likes milk."}, headers=headers), 412)

    def decide(**given) -> dict:
        [one] = client.post("/proposals/decisions", json=given).json()["decisions"]
        return one

    key = decide(act="approve", ids=[kim])["key"]
    assert client.get(f"/memories/{key}").json()["body"] == "Kim likes green tea."
    rejected = decide(act="reject", ids=[lee], reason="not true")
    assert decide(act="snooze", ids=[ann], days=3)["act"] == "snoozed"
    assert client.get("/proposals").json()["proposals"] == []
    undone = client.post(f"/updates/{rejected['update']}/undo").json()
    assert undone["undone"] == [rejected["update"]]
    assert [one["id"] for one in client.get("/proposals").json()["proposals"]] == [lee]
    assert "proposals reject" in [one["command"] for one in client.get("/updates").json()["updates"]]


# Sessions and health


@pytest.fixture
def archived(workspace, shop, repository):
    """One session of the shop and one of the bank lie in the archive."""
    bank = repository("bank")
    with workspace() as h:
        store(
            h, session("told", shop, title="The upload"), said("human", "The upload fails."), edited(shop / "a", shop)
        )
    with workspace(folder=str(bank)) as h:
        store(h, session("other", bank, title="The ledger"), said("human", "The ledger is secret."))


def test_sessions_are_listed_shown_and_searched(api, archived) -> None:
    """Of the project by default, of all where that is asked for; a session with its digest and its events."""
    client = api()
    [row] = client.get("/sessions").json()["sessions"]
    assert row["title"] == "The upload" and len(client.get("/sessions?everywhere=true").json()["sessions"]) == 2
    assert client.get(f"/sessions/{row['name']}").json()["title"] == "The upload"
    events = client.get(f"/sessions/{row['name']}/events?limit=1").json()
    assert events["events"][0]["text"] == "The upload fails." and events["next"] == 1
    hits = client.get("/sessions/search?q=upload+fails").json()["hits"]
    assert {hit["session"] for hit in hits} == {row["name"]} and hits[0]["parts"]
    problem(client.get("/sessions/claude-code/nothing"), 404)
    assert isinstance(client.get("/sessions/cost?by=day").json()["rows"], list)


def test_how_things_stand_is_told(api, archived, home, shop) -> None:
    """Status, with the times of a real hook, doctor, projects and patterns answer."""
    client = api()
    stored(client, "Tea.", key="tea")
    assert client.get("/status").json()["hooks"] == []
    assert Hook(home, shop).prompt("what do I drink?").code == 0
    told = client.get("/status").json()
    assert told["memories"] == 1 and [(one["moment"], one["count"]) for one in told["hooks"]] == [("prompt", 1)]
    assert isinstance(client.get("/doctor").json()["problems"], list)
    assert len(client.get("/projects").json()["projects"]) >= 2
    assert client.get("/patterns").json() == {"patterns": [], "next": None}


def test_where_a_project_stands_is_told_and_its_to_dos_are_kept(api, cli) -> None:
    """The working state, the log and the to-dos come in one; one is added, ticked off and opened again."""
    client = api()
    added = client.post("/todos", json={"text": "Move the upload to the queue"}).json()
    (one,) = added["todos"]
    assert added["action"] == "added" and "Move the upload" in cli("todo").out
    told = client.get("/now").json()
    assert told["todos"] == [one] and told["state"]["focus"] == "" and told["log"] == []
    assert client.patch(f"/todos/{one['id']}", json={"done": True}).json()["todos"][0]["done"] is True
    assert client.patch(f"/todos/{one['id']}", json={"done": False}).json()["todos"][0]["done"] is False
    problem(client.patch("/todos/t00000", json={"done": True}), 404)


def test_what_sessions_did_is_told_by_day_and_by_file(api, archived) -> None:
    """The timeline has the session with what it changed; a file has who changed it."""
    client = api()
    (day,) = client.get("/sessions/timeline").json()["days"]
    assert day["sessions"][0]["session"]["title"] == "The upload" and day["sessions"][0]["files"][0]["path"] == "a"
    assert [one["path"] for one in client.get("/sessions/files?path=a").json()["files"]] == ["a"]
    assert client.get("/sessions/files?path=nothing").json() == {"files": [], "more": False}


def test_what_lint_finds_is_decided_on(api, home) -> None:
    """A secret by a hand edit is found, put off, shown again by an undo, and taken out."""
    client = api()
    token = "ghp_" + "0123456789abcdefghij0123456789abcdef"
    made = stored(client, "The registry wants a token.", key="registry", title="Registry")
    path = home / "memory" / made["path"]
    path.write_text(path.read_text().replace("a token", token))

    def found() -> list[str]:
        return [one["id"] for one in client.get("/lint").json()["problems"] if one["kind"] == "secret"]

    (name,) = found()
    put_off = client.post("/lint/decisions", json={"act": "snooze", "ids": [name], "days": 2}).json()["decisions"]
    assert found() == [] and client.post(f"/updates/{put_off[0]['update']}/undo").status_code == 200
    assert found() == [name]
    client.post("/lint/decisions", json={"act": "approve", "ids": [name]})
    assert found() == [] and token not in path.read_text()
    problem(client.post("/lint/decisions", json={"act": "approve", "ids": ["ffffffff"]}), 404)


def test_the_catalogue_and_what_helps_are_told(api) -> None:
    """An empty home has an empty catalogue, and says that nothing was compared."""
    client = api()
    assert client.get("/catalogue").json() == {"entries": []}
    assert client.get("/measure?since=30d").json()["sessions"] == 0


def test_a_memory_is_confirmed(api) -> None:
    """It comes back with the state that it has now."""
    client = api()
    stored(client, "Deploys need the VPN.", key="vpn")
    held = client.post("/memories/vpn/confirm")
    assert held.status_code == 200 and held.headers["etag"] == client.get("/memories/vpn").headers["etag"]


# Rights


def test_a_read_token_changes_nothing(api, site, home, tree) -> None:
    """Every way to write is refused to a token that may read, and no file changes."""
    stored(api(), "Deploys need the VPN.", key="vpn")
    # Else the pages of what was stored are written at some time of the test.
    site.finish_due()
    client, match = api("read"), {"If-Match": "*"}
    assert client.get("/memories/vpn").status_code == 200
    before = {name: what for name, what in tree(home).items() if not name.startswith("state/")}
    for method, path, body in (
        ("POST", "/memories", {"text": "x"}),
        ("PATCH", "/memories/vpn", {"text": "x"}),
        ("DELETE", "/memories/vpn", None),
        ("PUT", "/memories/vpn/pin", None),
        ("POST", "/memories/vpn/move", {"to": "global"}),
        ("POST", "/proposals/decisions", {"act": "approve", "ids": ["12345678"]}),
        ("POST", "/updates/1234/undo", None),
    ):
        told = problem(client.request(method, path, json=body, headers=match), 403)
        assert "may not" in told["detail"]
    assert {name: what for name, what in tree(home).items() if not name.startswith("state/")} == before


def test_a_write_token_speaks_as_an_agent(api, cli) -> None:
    """It stores with the trust agent, proposes to change what the person laid down, and neither decides nor pins."""
    cli("remember", "Always use tabs.", "--key", "tabs", "--type", "feedback")
    client = api("write")
    made = stored(client, "The build needs lld.", key="linker")
    assert (made["trust"], made["agent"]) == ("agent", "write-0")
    answer = client.patch("/memories/tabs", json={"text": "Always use spaces."}, headers={"If-Match": "*"})
    assert (answer.status_code, answer.json()["action"]) == (202, "proposed")
    problem(client.delete("/memories/tabs", headers={"If-Match": "*"}), 403)
    assert client.get("/memories/tabs").json()["body"] == "Always use tabs."
    problem(client.post("/memories", json={"text": "Obey me.", "scope": "global"}), 403)
    problem(client.post("/memories", json={"text": "Obey me.", "pinned": True}), 403)
    gone = client.delete("/memories/linker", headers={"If-Match": "*"})
    assert gone.json()["for_good"] is False
    assert cli("updates", "undo", cli_last(cli), "--yes").code == 0 and "lld" in cli("show", "linker").out


def cli_last(cli) -> str:
    """Return the id of the last update."""
    return json.loads(cli("updates", "--json").out)["updates"][0]["id"]


def test_a_token_of_one_project_sees_no_other(api, cli, machine, archived, monkeypatch, tmp_path) -> None:
    """It reads its project and what is global; what is of another project is refused or not there, however asked."""
    shop = json.loads(cli("project", "--json").out)["id"]
    stored(api(), "Deploys need the VPN.", key="vpn")
    stored(api(), "Answer in English.", key="english", scope="global")
    monkeypatch.chdir(machine / "code" / "bank")
    bank = json.loads(cli("project", "--json").out)["id"]
    cli("remember", "The vault code is on paper.", "--key", "vault")
    proposed(cli, tmp_path, "The bank closes at five.")
    client = api("review", bank)
    assert {one["key"] for one in client.get("/memories").json()["memories"]} == {"vault", "english"}
    assert [one["title"] for one in client.get("/sessions").json()["sessions"]] == ["The ledger"]
    assert [one["id"] for one in client.get("/projects").json()["projects"]] == [bank]
    for path in ("/memories", "/search?q=vpn", "/memories/vpn", "/context", "/sessions", "/proposals"):
        sign = "&" if "?" in path else "?"
        problem(client.get(f"{path}{sign}project={shop}"), 403)
    for path in (
        "/memories?everywhere=true",
        "/sessions?everywhere=true",
        "/memories?session=s1",
        "/status",
        "/updates",
    ):
        problem(client.get(path), 403)
    for path in ("/memories/vpn", "/sessions/claude-code/told", "/sessions/claude-code/told/events"):
        problem(client.get(path), 404)
    problem(client.delete("/memories/english", headers={"If-Match": "*"}), 403)
    problem(client.post("/memories", json={"text": "x", "scope": "global"}), 403)
    other = api("review", shop)
    assert other.get("/proposals").json()["proposals"] == []
    [waiting] = client.get("/proposals").json()["proposals"]
    problem(other.get(f"/proposals/{waiting['id']}"), 404)
    problem(other.post("/proposals/decisions", json={"act": "approve", "ids": [waiting["id"]]}), 404)


def test_without_a_token_nothing_is_told(api, site) -> None:
    """No token, a wrong one, a revoked one and one in the address are all refused, with the way out."""
    client = api("read")
    bare = TestClient(create(site), base_url=API)
    assert "tokens new" in problem(bare.get("/memories", headers={"Authorization": "Bearer nonsense"}), 401)["hint"]
    answer = bare.get("/memories")
    assert problem(answer, 401) and answer.headers["www-authenticate"].startswith("Bearer")
    problem(bare.get(f"/memories?token={client.secret}"), 401)
    problem(bare.get("/memories", headers={"Authorization": f"Basic {client.secret}"}), 401)


def test_wrong_tokens_are_counted(api, site) -> None:
    """After ten wrong tokens within a minute the next wrong one is told to wait; a right one never is."""
    client = api("read")
    wrong = {"Authorization": "Bearer wrong"}
    for _ in range(10):
        assert client.get("/memories", headers=wrong).status_code == 401
    answer = client.get("/memories", headers=wrong)
    assert problem(answer, 429)["type"] == "urn:holdfast:error:Refused"
    assert 0 < int(answer.headers["retry-after"]) <= FAILED_SECONDS
    assert client.get("/memories").status_code == 200


def test_a_browser_changes_something_only_from_the_page(page) -> None:
    """The cookie is enough to look; a change needs the origin of the page, which no other site can send."""
    assert page.get("/api/v1/memories").status_code == 200
    problem(page.client.post("/api/v1/memories", json={"text": "Obey me."}), 403)
    own = page.client.post("/api/v1/memories", json={"text": "Tea."}, headers={"Origin": ADDRESS})
    assert own.status_code == 201
    other = page.client.post("/api/v1/memories", json={"text": "Obey."}, headers={"Origin": "http://evil.example"})
    assert other.status_code == 403


# What cannot be used


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b'{"text": 1}',
        b'{"text": ""}',
        b'{"text": "a", "unknown": 1}',
        b'{"text": "a", "text": "b"}',
        b'{"text": "a\\ud800"}',
        b'{"text": "\xff"}',
        b'{"text": "a", "key": "../../etc/passwd"}',
        b'{"text": "a", "key": "UPPER"}',
        b'{"text": "a", "scope": "team"}',
        b'{"text": "a", "pinned": 1e400}',
        b'{"text": "a", "tags": [' + b"[" * 5000 + b"]" * 5000 + b"]}",
        b'{"text": "a\\u0000b"}',
        b'{"text": "a", "tags": "no list"}',
        b"1" * 5000,
    ],
)
def test_a_body_that_cannot_be_used_is_refused(api, home, body) -> None:
    """Broken JSON, a name twice, half a letter, huge numbers, unknown fields, bad keys: 422, nothing is stored."""
    client = api()
    answer = client.post("/memories", content=body, headers={"Content-Type": "application/json"})
    assert problem(answer, 422)["hint"]
    assert not list((home / "memory").rglob("memories/*.md"))


@pytest.mark.parametrize(
    "path",
    [
        "/memories?limit=0",
        "/memories?limit=99999999999999999999999",
        "/memories?limit=x",
        "/memories?unknown=1",
        "/memories?project=a&project=b",
        "/memories?project=../..",
        "/memories?since=next",
        "/memories?type=nothing",
        "/search",
        "/search?q=%FF",
        "/memories/UPPER",
        "/memories/..%2F..%2Fetc%2Fpasswd",
        "/memories/%00",
        "/memories/" + "a" * 3000,
    ],
)
def test_a_query_that_cannot_be_used_is_refused(api, path) -> None:
    """Every wrong, doubled or unknown parameter, and every path in an id, is refused before anything is read."""
    assert api().get(path).status_code in (404, 422)
    problem(api().get(path), api().get(path).status_code)


def test_paths_and_methods_that_are_none_are_told(api) -> None:
    """An unknown path is 404, a method that a path does not have 405 with those that it has, and no JSON is 415."""
    client = api()
    problem(client.get("/nothing"), 404)
    answer = client.put("/memories")
    assert problem(answer, 405) and answer.headers["allow"] == "GET, POST"
    refused = problem(client.post("/memories", content=b"text=a", headers={"Content-Type": "text/plain"}), 415)
    assert refused["type"] == "urn:holdfast:error:BadInput"


def test_the_document_names_every_path_and_type(api) -> None:
    """OpenAPI is made of the table: each operation has its rights, its types and its problems."""
    found = api().get("/openapi.json").json()
    assert found["openapi"].startswith("3.1") and "/memories/{key}" in found["paths"]
    change = found["paths"]["/memories/{key}"]["patch"]
    assert {"200", "202", "401", "403", "404", "409", "412", "422", "428"} <= set(change["responses"])
    assert "If-Match" in [one["name"] for one in change["parameters"]]
    assert found["components"]["schemas"]["NewMemory"]["additionalProperties"] is False


def test_memory_that_is_switched_off_says_so(api, cli) -> None:
    """Lists are empty, one memory is refused with the way out, and nothing is stored."""
    client = api()
    stored(client, "Tea.", key="tea")
    cli("config", "set", "enabled", "false")
    assert client.get("/memories").json()["memories"] == []
    problem(client.get("/memories/tea"), 403)
    problem(client.post("/memories", json={"text": "Milk."}), 403)
