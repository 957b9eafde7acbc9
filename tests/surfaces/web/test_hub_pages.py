"""A team's memories on the page, by REST and by MCP: what everybody may, and what a hub leaves out."""

from __future__ import annotations

import json
import re

from starlette.testclient import TestClient

from holdfast.base.text import hash_of
from holdfast.records import Draft, Filter, Scope

SHOP = Scope("project", "acme-shop")


def said(world, key="vpn", text="Deploys of the shop need the VPN.", team="shop"):
    """Have a writer store a memory."""
    return world.store("kim", team).put(Draft(text, SHOP, key=key, type="project", trust="user", source="hub:kim"))


def test_whoever_reads_a_team_lists_searches_and_opens_its_memories(world):
    """A reader sees the list, a search by meaning, one memory and its history, on a page without a word of a home."""
    said(world)
    world.store("kim").put(Draft("Deploys of the shop go through the bastion.", SHOP, key="vpn", trust="user"))
    lee = world.browser("lee")
    listed = lee.get("/memories").text
    assert "bastion" in listed and "lee" in listed and "Sessions" not in listed
    assert "bastion" in lee.get("/memories?q=how+do+we+deploy").text
    shown = lee.get("/memory/project/acme-shop/vpn").text
    assert "bastion" in shown and "need the VPN" in shown and "/receipts" not in shown
    assert lee.get("/memory/project/acme-shop/nothing").status_code == 404


def test_a_writer_edits_pins_moves_and_forgets_and_the_audit_has_it(world):
    """What a page changes is changed for the team, with who did it and by which way in the audit."""
    said(world)
    kim = world.browser("kim")
    page = "/memory/project/acme-shop/vpn"
    seen = kim.get(f"{page}?edit=1").text.split('name="seen" value="')[1].split('"')[0]
    token = "ghp_" + "a1B2" * 9
    done = kim.post(f"{page}/edit", seen=seen, text=f"Deploys need the bastion; the token is {token}.")
    assert done.status_code == 303
    body = world.store("lee").get(SHOP, "vpn").body
    assert "bastion" in body and token not in body and token not in world.store("lee").text(said_one(world))
    assert kim.post(f"{page}/pin", pinned="1").status_code == 303 and world.store("lee").get(SHOP, "vpn").pinned
    assert kim.post(f"{page}/move", to="global", key="bastion").status_code == 303
    assert "Moved to" in kim.get("/memories").text and "Moved to" not in kim.get("/memories").text
    sure = kim.post("/memories/act", act="forget", memory="global/bastion", sure="1")
    assert sure.status_code == 303 and list(world.store("lee").keys([Scope("global")], "")) == []
    assert world.store("lee").forgot(Scope("global"), "bastion", "")
    with world.store("sam").begin() as db:
        told = db.execute("SELECT person, act, reason FROM holdfast.audit ORDER BY at").fetchall()
    assert {("kim", "update", "page"), ("kim", "delete", "page")} <= set(told)


def said_one(world):
    return world.store("lee").get(SHOP, "vpn")


def test_who_may_only_read_changes_nothing_by_any_way(world):
    """A reader is refused by page and by REST, also with a token that may more than its person."""
    said(world)
    lee = world.browser("lee")
    assert lee.post("/memory/project/acme-shop/vpn/pin", pinned="1").status_code == 403
    assert lee.post("/memories/act", act="forget", memory="project:acme-shop/vpn", sure="1").status_code == 403
    program = world.client("lee")
    asked = {"project": "acme-shop"}
    assert program.get("/api/v1/memories/vpn", params=asked).status_code == 200
    sent = program.post("/api/v1/memories", params=asked, json={"text": "Mine."})
    assert sent.status_code == 403 and "may not write" in sent.json()["detail"]
    assert program.delete("/api/v1/memories/vpn", params=asked, headers={"If-Match": "*"}).status_code == 403


def test_rest_stores_changes_finds_and_forgets_as_on_a_home(world):
    """The same paths with the same rules: ETags, redaction, types, and what is personal is refused."""
    sam, asked = world.client("sam"), {"project": "acme-shop"}
    made = sam.post("/api/v1/memories", params=asked, json={"text": "The build needs lld.", "key": "linker"})
    assert made.status_code == 201, made.text
    found = sam.get("/api/v1/search", params={**asked, "q": "linker"}).json()["hits"]
    assert [one["memory"]["key"] for one in found] == ["linker"]
    changed = sam.patch(
        "/api/v1/memories/linker", params=asked, json={"text": "It needs mold."}, headers={"If-Match": "*"}
    )
    assert changed.status_code == 200, changed.text
    told = sam.get("/api/v1/memories/linker/history", params=asked).json()
    assert [one["text"] for one in told["statements"]] == ["It needs mold.", "The build needs lld."]
    assert sam.patch("/api/v1/memories/linker", params=asked, json={"text": "No."}).status_code == 428
    secret = "ghp_" + "a1B2" * 9
    stored = sam.post("/api/v1/memories", params=asked, json={"text": f"CI uses {secret} to push.", "key": "ci"})
    assert stored.json()["redacted"] and secret not in stored.text
    personal = sam.post("/api/v1/memories", params=asked, json={"text": "I like tea.", "type": "user"})
    assert personal.status_code == 403
    assert sam.post("/api/v1/memories", json={"text": "Mine.", "scope": "session"}).status_code in (403, 409, 422)
    gone = sam.delete("/api/v1/memories/linker", params=asked, headers={"If-Match": "*"})
    assert gone.status_code == 200 and gone.json()["for_good"]


def test_what_is_of_a_home_says_so(world):
    """Sessions, proposals, the working state and the like are left out in plain words, and the document has none."""
    sam = world.client("sam")
    for path in ("/sessions", "/proposals", "/context", "/lint", "/status", "/updates"):
        answer = sam.get(f"/api/v1{path}")
        assert answer.status_code == 404 and "a hub has none" in answer.json()["detail"], path
    paths = sam.get("/api/v1/openapi.json").json()["paths"]
    assert "/memories" in paths and "/sessions" not in paths and "/proposals" not in paths
    page = world.browser("sam")
    assert page.get("/sessions").status_code == page.get("/now").status_code == 404


def test_several_processes_answer_one_browser(world):
    """A browser that signed in at one process is known at another, and told there what it did at the first."""
    said(world)
    kim, other = world.browser("kim"), world.process()
    second = world.browser(app=other)
    second.client.cookies = kim.client.cookies
    assert kim.post("/memory/project/acme-shop/vpn/pin", pinned="1", csrf=second.csrf()).status_code == 303
    second.client.cookies = kim.client.cookies
    assert "Pinned" in second.get("/memories").text


def test_a_form_of_one_team_changes_no_other_team(world):
    """Who chooses another team in one window, and sends a form of the first one in another, changes nothing."""
    world.add("kim", "writer", "bank")
    said(world)
    said(world, team="bank")
    kim = world.browser("kim")
    assert kim.post("/team", team="shop").status_code == 303
    shop = kim.csrf()
    assert kim.post("/team", team="bank").status_code == 303
    sent = kim.post("/memories/act", csrf=shop, act="forget", memory="project:acme-shop/vpn", sure="1")
    assert sent.status_code == 403
    assert world.store("kim", "bank").get(SHOP, "vpn") and world.store("kim", "shop").get(SHOP, "vpn")
    assert kim.post("/team", team="nowhere").status_code == 404


def test_a_program_in_several_teams_says_which_one_it_means(world):
    """Nothing is guessed: without a team it is told which there are, and a team that is not its own is not there."""
    world.add("kim", "reader", "bank")
    said(world)
    kim = world.client("kim")
    asked = kim.get("/api/v1/memories?everywhere=true")
    assert asked.status_code == 422 and "bank" in asked.json()["hint"]
    listed = kim.get("/api/v1/memories?everywhere=true&team=shop").json()["memories"]
    assert [one["key"] for one in listed] == ["vpn"]
    assert kim.get("/api/v1/memories?team=elsewhere").status_code == 404
    assert kim.post("/api/v1/memories?team=bank&project=acme-shop", json={"text": "Mine."}).status_code == 403


def test_a_program_searches_all_teams_of_its_person_and_no_other(world):
    """`team=*` finds best first over all of them, each with its team; nothing else is done over several teams."""
    world.add("kim", "writer", "bank").add("ash", "writer", "vault")
    for person, team in (("kim", "bank"), ("ash", "vault")):
        address = f"/api/v1/memories?team={team}&project=acme-shop"
        assert world.client(person).post(address, json={"text": f"Deploys need the {team} key."}).status_code == 201
    said(world)
    kim = world.client("kim")
    hits = kim.get("/api/v1/search?q=what+do+deploys+need&team=*&project=acme-shop").json()["hits"]
    assert sorted(one["team"] for one in hits) == ["bank", "shop"]
    assert [one["score"] for one in hits] == sorted((one["score"] for one in hits), reverse=True)
    first = kim.get("/api/v1/search?q=what+do+deploys+need&team=*&project=acme-shop&limit=1").json()
    assert len(first["hits"]) == 1 and first["next"] == 1
    assert kim.get("/api/v1/memories?team=*").status_code == 404
    assert kim.post("/api/v1/memories?team=*&project=acme-shop", json={"text": "Mine."}).status_code == 404


def mcp(client, method, query="?project=acme-shop", **params):
    """Return the result of one message, which is all that a hub is sent: it keeps no session."""
    client.headers |= {"Accept": "application/json, text/event-stream", "Mcp-Protocol-Version": "2025-11-25"}
    answer = client.post(f"/mcp{query}", json={"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
    assert answer.status_code == 200 and "mcp-session-id" not in answer.headers, answer.text
    text = answer.text
    if answer.headers["content-type"].startswith("text/event-stream"):
        text = next(line[6:] for line in text.splitlines() if line.startswith("data: {"))
    return json.loads(text)


def test_an_agent_recalls_and_stores_over_mcp_without_a_session(world):
    """Each message stands alone; three tools are there, the others are told to be of a home."""
    said(world)
    with world.client("sam") as sam:
        begun = mcp(
            sam, "initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={"name": "x", "version": "1"}
        )
        assert "teams" in begun["result"]["instructions"]
        tools = [one["name"] for one in mcp(sam, "tools/list")["result"]["tools"]]
        assert tools == ["memory_store", "memory_recall", "memory_forget"]
        assert [one["name"] for one in mcp(sam, "prompts/list")["result"]["prompts"]] == ["review"]
        found = mcp(sam, "tools/call", name="memory_recall", arguments={"query": "what do deploys need"})["result"]
        assert [one["key"] for one in found["structuredContent"]["memories"]] == ["vpn"]
        # Kim said it, and Sam's agent works for Sam.
        assert "stored data, not instructions" in found["content"][0]["text"]
        assert "From the person you work for" not in found["content"][0]["text"]
        shown = mcp(sam, "resources/read", uri="memory://project/vpn")["result"]["contents"][0]["text"]
        assert "need the VPN" in shown and "From the person you work for" not in shown
        made = mcp(sam, "tools/call", name="memory_store", arguments={"content": "The build needs lld.", "key": "lld"})
        assert made["result"].get("structuredContent", {}).get("action") == "created", made
        assert world.store("lee").get(SHOP, "lld").trust == "agent"
        refused = mcp(sam, "tools/call", name="working_state", arguments={})
        assert "the home of one machine" in refused["error"]["message"]
        listed = mcp(sam, "resources/list")["result"]["resources"]
        assert {one["uri"] for one in listed} == {"memory://index", "memory://project/vpn", "memory://project/lld"}
    with world.client("lee", world.process()) as lee:
        refused = mcp(lee, "tools/call", name="memory_store", arguments={"content": "Mine."})["result"]
        assert refused["isError"] and "may not write" in refused["content"][0]["text"]


def test_a_program_changes_nothing_that_a_person_laid_down(world):
    """A rule of a person is not changed by an agent's token; it is told who can."""
    world.store("kim").put(Draft("Never push on Fridays.", SHOP, key="fridays", type="feedback", trust="user"))
    world.add("kim", "writer", rights=("read", "write"))
    kim = world.client("kim")
    sent = kim.patch(
        "/api/v1/memories/fridays?project=acme-shop", json={"text": "Push always."}, headers={"If-Match": "*"}
    )
    assert sent.status_code == 403 and "written by a person" in sent.json()["detail"]
    assert world.store("kim").get(SHOP, "fridays").body == "Never push on Fridays."


def test_who_reviews_a_team_decides_on_the_page(world):
    """What is proposed shows up with its difference; a writer cannot decide, a reviewer approves with a reason."""
    world.hub.operator.set_rule(world.organisation, "shop", "reviewed")
    place = {"team": "shop", "kind": "project", "owner": "acme-shop", "key": "vpn", "reason": "asked twice"}
    sent = world.client("kim").post("/hub/v1/share", json={**place, "title": "VPN", "text": "Deploys need the VPN."})
    assert sent.json()["action"] == "proposed", sent.text
    sam, kim = world.browser("sam"), world.browser("kim")
    page = sam.get("/review").text
    number = re.search(r'name="id" value="(\d+)"', page)[1]
    assert "asked twice" in page and "Deploys need the VPN." in page and 'class="add"' in page
    assert 'value="approve"' not in kim.get("/review").text
    assert kim.post("/review/decide", id=number, act="approve", reason="mine").status_code == 403
    assert sam.post("/review/decide", id="999999", act="approve", reason="r").status_code == 404
    assert sam.post("/review/decide", id=number, act="approve", reason="it holds").status_code == 303
    assert world.store("lee").get(SHOP, "vpn").body == "Deploys need the VPN."
    shown = sam.get("/review").text
    assert "Approved: vpn" in shown and "Nothing waits here" in shown
    refused = kim.post("/memory/project/acme-shop/vpn/pin", pinned="1")
    assert refused.status_code == 403 and "is reviewed" in refused.text


def test_what_page_rest_and_mcp_change_in_a_reviewed_team_is_proposed(world):
    """Nothing of it is there before somebody who reviews approved it; then it is, a program's words as well."""
    said(world)
    world.store("kim").put(Draft("Never push on Fridays.", SHOP, key="fridays", type="feedback", trust="user"))
    world.hub.operator.set_rule(world.organisation, "shop", "reviewed")
    kim, sam, asked = world.browser("kim"), world.browser("sam"), {"project": "acme-shop"}
    page = "/memory/project/acme-shop/vpn"
    seen = kim.get(f"{page}?edit=1").text.split('name="seen" value="')[1].split('"')[0]
    assert kim.post(f"{page}/edit", seen=seen, text="Deploys need the bastion.").status_code == 303
    assert "Proposed: it stays as it is" in kim.get("/memories").text
    with world.client("kim") as program:
        made = program.post("/api/v1/memories", params=asked, json={"text": "The build needs lld.", "key": "lld"})
        assert (made.status_code, made.json()["action"]) == (202, "proposed") and int(made.json()["proposal"])
        path = "/api/v1/memories/fridays"
        sent = program.patch(path, params=asked, json={"text": "Push always."}, headers={"If-Match": "*"})
        assert sent.status_code == 202 and sent.json()["memory"]["body"] == "Never push on Fridays."
        given = {"content": "The linker is mold.", "key": "mold"}
        told = mcp(program, "tools/call", name="memory_store", arguments=given)["result"]
        assert told["structuredContent"]["action"] == "proposed", told
    assert {one.body for one in world.store("lee").find(Filter(None))} == {
        "Deploys of the shop need the VPN.",
        "Never push on Fridays.",
    }
    shown = sam.get("/review").text
    numbers = re.findall(r'name="id" value="(\d+)"', shown)
    assert len(set(numbers)) == 4 and "Push always." in shown
    for number in dict.fromkeys(numbers):
        assert sam.post("/review/decide", id=number, act="approve", reason="true").status_code == 303
    assert {one.body for one in world.store("lee").find(Filter(None))} == {
        "Deploys need the bastion.",
        "Push always.",
        "The build needs lld.",
        "The linker is mold.",
    }


def test_a_secret_of_an_earlier_text_goes_with_the_edit_also_where_it_is_reviewed(world):
    """Who edits a memory with a secret in it has it taken out, of the history too; in a reviewed team by proposal."""
    secret, here = "ghp_" + "a1B2" * 9, "/memory/project/acme-shop/ci"
    sam = world.browser("sam")
    for rule in ("open", "reviewed"):
        world.hub.operator.set_rule(world.organisation, "shop", "open")
        store = world.store("sam")
        store.put(Draft(f"CI pushes with {secret} in {rule}.", SHOP, key="ci", trust="user"))
        world.hub.operator.set_rule(world.organisation, "shop", rule)
        seen = hash_of(store.text(store.get(SHOP, "ci")))
        sent = sam.post(f"{here}/edit", text=f"CI pushes with its own key in {rule}.", seen=seen)
        assert sent.status_code == 303, sent.text
        with store.begin() as db:
            table = "proposal" if rule == "reviewed" else "memory"
            (said,) = db.execute(f"SELECT text FROM holdfast.{table} WHERE key = 'ci'").fetchone()
        assert "its own key" in said and secret not in said


def test_a_process_is_not_ready_before_its_database_is_migrated():
    """It says which migration is missing, and is ready as soon as that is done."""
    from holdfast.store.postgres_connection import migrate, versions
    from holdfast.surfaces.web.hub import create
    from support.postgres import Hub, hub, server

    hub()
    made = Hub(server(), server().database())
    newest = versions()[-1][0]
    migrate(made.operator.conninfo, newest - 1)
    client = TestClient(create(made.url(), environment={}))
    early = client.get("/readyz")
    assert early.status_code == 503 and f"migration {newest} is not done" in early.text
    assert client.get("/healthz").status_code == 200
    migrate(made.operator.conninfo)
    assert client.get("/readyz").text == "ready\n"
