"""Attacks on the page, REST and MCP of a hub: nobody, somebody of another organisation, other sites, other hosts."""

from __future__ import annotations

import asyncio
import random
import re

import pytest
from starlette.routing import Mount, Route

from holdfast.records import Draft, Filter, Scope
from holdfast.surfaces.web.api.endpoints import PREFIX
from support.hub_world import ADDRESS, World

SHOP = Scope("project", "acme-shop")
# What shows nothing of anybody: ways in, help, the document of the interface, and probes.
OPEN = {"/", "/keys", "/sign-in", "/healthz", "/readyz", "/metrics", f"{PREFIX}/openapi.json"}
PARTS = {"kind": "project", "owner": "acme-shop", "key": "vpn", "rest": "nothing"}


def filled(path: str) -> str:
    return re.sub(r"\{(\w+)(?::path)?\}", lambda name: PARTS.get(name[1], "x"), path)


def routes(world) -> list[Route]:
    found = world.app.routes
    assert {one.path for one in found if isinstance(one, Mount)} == {"/static"}
    return [one for one in found if isinstance(one, Route)]


def said(world, text="Deploys of the shop need the VPN."):
    world.store("kim").put(Draft(text, SHOP, key="vpn", trust="user"))


def test_no_route_of_a_hub_is_without_a_guard(world):
    """Whoever is not known is refused, or sent to sign in, by every route and method but the few that show nothing."""
    said(world)
    walked, nobody = routes(world), world.client()
    assert len(walked) > 40
    for one in walked:
        for method in ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"):
            answer = nobody.request(method, filled(one.path), headers={"Origin": ADDRESS})
            assert "VPN" not in answer.text and "set-cookie" not in answer.headers, (method, one.path)
            if one.path in OPEN:
                assert answer.status_code in (200, 303, 401, 404, 405, 415, 422), (method, one.path)
                continue
            sent_in = answer.status_code == 303 and answer.headers["location"].startswith("/sign-in")
            assert sent_in or answer.status_code in (401, 404, 405, 422), (method, one.path, answer.status_code)


def test_a_token_that_does_not_hold_opens_nothing(world):
    """Wrong, empty, of another scheme, twice, or of a home: 401, and after some of them 429."""
    said(world)
    holds = f"Bearer {world.tokens['kim']}"
    for sent in ("Bearer x", "Bearer ", "Basic eA==", holds + "x", "Bearer hfh_" + "A" * 43, holds.replace("hfh_", "")):
        answer = world.client().get(f"{PREFIX}/memories?everywhere=true", headers={"Authorization": sent})
        assert answer.status_code in (401, 429), sent
    twice = [("Authorization", holds), ("Authorization", holds)]
    assert world.client().get(f"{PREFIX}/memories", headers=twice).status_code in (401, 429)
    assert world.client("kim").get(f"{PREFIX}/memories").status_code == 200


def test_ids_of_another_organisation_are_not_there(world):
    """Team, project and key of others in an address or a form bring nothing and change nothing, on every route."""
    said(world)
    others = World(f"others-{world.organisation[-8:]}").add("eve", "admin", "theirs")
    others.app = world.app
    eve, program = others.browser("eve"), others.client("eve")
    before = [(one.key, one.body, one.pinned) for one in world.store("kim").find(Filter(None))]
    token = eve.csrf()
    for one in routes(world):
        path = filled(one.path)
        for more in (
            "",
            "?project=acme-shop&team=shop",
            f"?organisation={world.organisation}&person=kim",
        ):
            for method in one.methods or ("GET", "POST", "PATCH", "PUT", "DELETE"):
                given = {"csrf": token, "team": "shop", "act": "forget", "memory": "project:acme-shop/vpn", "sure": "1"}
                answers = [
                    eve.client.request(method, path + more, data=given, headers={"Origin": ADDRESS})
                    if "sign-out" not in path
                    else None,
                    program.request(method, path + more, json={"text": "x"}, headers={"If-Match": "*"}),
                ]
                for answer in filter(None, answers):
                    assert "VPN" not in answer.text and answer.status_code != 500, (method, path, more)
    assert [(one.key, one.body, one.pinned) for one in world.store("kim").find(Filter(None))] == before


def test_every_form_of_a_hub_needs_its_token_and_its_site(world):
    """Without the token of the page, with that of another browser, or from another site, no form does anything."""
    said(world)
    kim, sam = world.browser("kim"), world.browser("sam")
    forms = [one.path for one in routes(world) if one.methods == {"POST"} and not one.path.startswith(("/hub", PREFIX))]
    assert len(forms) >= 8
    for path in map(filled, forms):
        for csrf in ("", "wrong", sam.csrf()):
            assert kim.post(path, csrf=csrf, pinned="1").status_code == 403, path
        assert kim.post(path, origin="https://evil.example", pinned="1").status_code == 403, path
        fetched = {"Origin": ADDRESS, "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
        sent = kim.client.post(path, data={"csrf": kim.csrf()}, headers=fetched)
        assert sent.status_code == 403, path
    assert not world.store("kim").get(SHOP, "vpn").pinned
    login = {"token": world.tokens["kim"]}
    other = kim.client.post("/sign-in", data=login, headers={"Origin": "https://evil.example"})
    assert other.status_code == 403 and "set-cookie" not in other.headers


def test_other_sites_may_link_here_and_do_nothing_else(world):
    """A link brings up the page; what a script, a frame or a picture of another site asks for is refused."""
    kim = world.browser("kim")
    link = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    assert kim.get("/memories", headers=link).status_code == 200
    for mode in ("cors", "no-cors", "websocket", ""):
        assert kim.get("/memories", headers={**link, "Sec-Fetch-Mode": mode}).status_code == 403
    answer = kim.get("/memories")
    assert answer.headers["x-frame-options"] == "DENY" and "frame-ancestors 'none'" in str(answer.headers)
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example", ""])
def test_a_host_of_others_is_turned_away(world, host):
    """Page, REST and MCP are answered by the names of the hub alone; probes and clients by any, and by no cookie."""
    kim = world.client("kim")
    for path in ("/memories", f"{PREFIX}/memories", "/mcp", "/sign-in", "/signed-in"):
        assert kim.get(path, headers={"Host": host}).status_code == 421, path
    assert kim.get("/healthz", headers={"Host": host}).status_code == 200
    assert kim.get("/hub/v1/me", headers={"Host": host}).json()["person"] == "kim"
    browser = world.browser("kim")
    assert browser.get("/hub/v1/me").status_code == 401, "a cookie is nobody there"


def test_what_is_logged_and_counted_names_nobody_and_nothing(world, capsys):
    """A line has the route and not the address: no key, no query, no name; metrics neither."""
    said(world)
    kim, program = world.browser("kim"), world.client("kim")
    kim.get("/memory/project/acme-shop/vpn?reveal=1")
    program.get(f"{PREFIX}/search?q=secretquestion&project=acme-shop")
    program.get("/nothing/secretpath")
    told = capsys.readouterr().err + world.client().get("/metrics").text
    assert "/memory/{kind}/{owner}/{key}" in told
    for word in ("vpn", "acme-shop", "secretquestion", "secretpath", "kim", world.organisation):
        assert word not in told, word


@pytest.mark.parametrize("path", ["/hub/v1/share", "/memories", f"{PREFIX}/memories"])
def test_a_body_that_is_too_long_or_has_two_lengths_is_not_read(world, path):
    """Whoever stands in between counts the same bytes as we do, and nobody sends more than is taken."""
    both = {"Content-Length": "5", "Transfer-Encoding": "chunked"}
    for headers, status in ((both, 400), ({"Content-Length": "99999999999"}, 413), ({"Content-Length": "-1"}, 413)):
        assert world.client().post(path, headers=headers).status_code == status, headers


def test_who_goes_away_before_all_was_sent_is_no_failure_of_ours(world):
    """It is counted as 499, so that an alarm on failures stays quiet."""

    async def gone():
        return {"type": "http.disconnect"}

    async def nobody(message):
        raise AssertionError("there is nobody to answer")

    scope = {"type": "http", "method": "POST", "path": "/hub/v1/share", "query_string": b"", "headers": []}
    asyncio.run(world.app(scope | {"app": world.app}, gone, nobody))
    assert 'path="/hub/v1/share",status="499"' in world.client().get("/metrics").text


def test_no_address_breaks_a_view_of_a_hub(world):
    """Whatever an address says, a page answers with a page or with what is wrong, and stays here."""
    said(world)
    kim = world.browser("kim")
    hostile = ("\x00", "'\" OR 1=1 --", "a" * 5_000, "%", "9" * 40, "../../x", "{{ 7 * 7 }}", "\u202e", "<script>")
    views = [filled(one.path) for one in routes(world) if one.methods and "GET" in one.methods]
    for path in [one for one in views if not one.startswith((PREFIX, "/mcp", "/hub", "/metrics"))]:
        for name in random.sample(("q", "scope", "type", "tag", "skip", "path", "team", "next", "project", "age"), 4):
            answer = kim.get(path, params={name: random.choice(hostile)})
            assert answer.status_code < 500, (path, name, answer.text)
            assert answer.headers.get("location", "/").startswith("/")
            assert not answer.headers.get("location", "").startswith(("//", "/\\"))
