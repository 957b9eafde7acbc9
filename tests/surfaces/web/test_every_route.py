"""Every route of the application, walked: none is without a guard, none breaks, whatever an address or a body says."""

from __future__ import annotations

import random
import re

import pytest
from starlette.routing import Mount, Route
from starlette.testclient import TestClient

from holdfast.app import tokens
from holdfast.surfaces.web.api.endpoints import PREFIX, TABLE
from holdfast.surfaces.web.app import create
from support.sampling import LONG

from .conftest import ADDRESS

# What shows nothing of a home: the way in, the help, the document of the interface, and what ships.
OPEN = {"/", "/open", "/keys", f"{PREFIX}/openapi.json", "/static"}
PARTS = {"kind": "global", "owner": "-", "name": "codex/x", "rest": "nothing"}
HOSTILE = (
    "",
    "../../tokens.json",
    "..%2f..%2ftokens",
    "\x00",
    "\r\nSet-Cookie: x=1",
    "<script>alert(1)</script>",
    "javascript:alert(1)",
    "'\" OR 1=1 --",
    "９９９９９９",
    "-1",
    "9" * 40,
    "1e308",
    "\u202e\u200b\ufeff",
    "a" * 5_000,
    "%",
    "{{ 7 * 7 }}",
    "*",
    "NEAR(a b)",
    '"',
)
ASKED = (
    "q",
    "item",
    "kind",
    "scope",
    "type",
    "tag",
    "trust",
    "used",
    "age",
    "skip",
    "path",
    "edit",
    "session",
    "prompt",
)
ALSO = ("agent", "project", "view", "since", "by", "outcome", "page", "at", "try")


def filled(path: str) -> str:
    """Return an address of a route, with something in the place of each name."""
    return re.sub(r"\{(\w+)(?::path)?\}", lambda name: PARTS.get(name[1], "x"), path)


def routes(site) -> list[Route]:
    """Return every route but the files that ship."""
    found = create(site).routes
    assert {one.path for one in found if isinstance(one, Mount)} == {"/static"}
    return [one for one in found if isinstance(one, Route)]


def test_no_route_is_without_a_guard(site, visitor) -> None:
    """Whoever is not known gets 401 from every route and method but the few that show nothing of a home."""
    walked = routes(site)
    assert len(walked) > 50
    for one in walked:
        for method in ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"):
            answer = visitor.client.request(method, filled(one.path), follow_redirects=False)
            allowed = {401, 405, 404} if one.path not in OPEN else {200, 303, 401, 405, 404}
            assert answer.status_code in allowed, (method, one.path, answer.status_code)
            if answer.status_code == 404:
                assert one.path in (f"{PREFIX}/{{rest:path}}", f"{PREFIX}/openapi.json")


def test_every_form_is_refused_without_its_token(site, page) -> None:
    """A browser that was let in changes nothing by a form that is not of the page, on any route."""
    forms = [one for one in routes(site) if one.methods and "POST" in one.methods and not one.path.startswith(PREFIX)]
    assert len(forms) >= 10
    for one in forms:
        assert page.post(filled(one.path), csrf="wrong").status_code == 403, one.path
        assert page.post(filled(one.path), csrf="").status_code == 403, one.path


def test_every_endpoint_asks_for_its_right_and_its_project(site, workspace) -> None:
    """A token that lacks the right of an endpoint, or is bound to another project, is refused by it."""
    with workspace() as h:
        made = {may: tokens.new(h, f"t-{may}", may=may)[1] for may in ("read", "write")}
        made["bank"] = tokens.new(h, "t-bank", may="review", projects=("bank",))[1]
        shop = h.project().id
    client = TestClient(create(site), base_url=ADDRESS)
    for one in TABLE:
        path = filled(f"{PREFIX}{one.path}")
        for may, lacks in (("read", one.needs != "read"), ("write", one.needs == "review")):
            told = client.request(one.method, path, headers={"Authorization": f"Bearer {made[may]}"})
            assert (told.status_code == 403) == lacks, (may, one.method, one.path, told.text)
        body = {"json": {}} if one.given else {}
        headers = {"Authorization": f"Bearer {made['bank']}", "If-Match": "*"}
        told = client.request(one.method, f"{path}?project={shop}&q=x", headers=headers, **body)
        assert told.status_code in (403, 422), (one.method, one.path, told.text)


def test_every_answer_carries_the_policy_and_is_kept_by_nobody(site, page) -> None:
    """Whatever a route answers may not be framed, cached, sniffed or read by another site."""
    for one in routes(site):
        answer = page.client.get(filled(one.path), follow_redirects=False) if one.path != "/now/feed" else None
        if answer is not None:
            told = answer.headers
            assert told["cache-control"] == "no-store" and told["x-frame-options"] == "DENY", one.path
            assert told["content-security-policy"].startswith("default-src 'none'"), one.path
            assert told["x-content-type-options"] == "nosniff", one.path
            assert told["referrer-policy"] == "same-origin", one.path


@pytest.mark.parametrize("name", [*ASKED, *ALSO])
def test_no_address_breaks_a_view(page, site, name) -> None:
    """Whatever a parameter of an address says, a view answers with a page or with what is wrong, and stays here."""
    views = [one.path for one in routes(site) if one.methods and "GET" in one.methods]
    for path in (one for one in views if not one.startswith((PREFIX, "/mcp", "/open", "/now/feed"))):
        for value in HOSTILE if LONG else random.sample(HOSTILE, 3):
            answer = page.client.get(filled(path), params={name: value}, follow_redirects=False)
            assert answer.status_code < 500, (path, name, value, read_error(answer.text))
            assert answer.headers.get("location", "/").startswith("/") and "set-cookie" not in answer.headers
            assert not answer.headers.get("location", "").startswith(("//", "/\\"))
    assert site.said[1:] == []


def read_error(text: str) -> str:
    """Return the heading of a page."""
    return (re.findall(r"<h1[^>]*>(.*?)</h1>", text) or [text[:200]])[0]


@pytest.mark.parametrize(
    "back", ["https://evil.example", "//evil.example", "/\\evil.example", "javascript:alert(1)", "/memories\r\nX: y"]
)
def test_nobody_is_sent_away(page, workspace, back) -> None:
    """Where a form says where to go on, it stays here."""
    for path, fields in (("/undo", {"updates": ""}), ("/memories/act", {"act": "pin", "memory": "global/x"})):
        token = page.csrf()
        answer = page.client.post(
            path, data={"csrf": token, "back": back, **fields}, headers={"Origin": ADDRESS}, follow_redirects=False
        )
        where = answer.headers.get("location", "/")
        assert where.startswith("/") and not where.startswith(("//", "/\\")) and "\n" not in where
