"""Nobody gets in without the address of the terminal, and no site can make a browser ask."""

from __future__ import annotations

import pytest

from holdfast.app import tokens
from holdfast.surfaces.web.security import MAX_BODY, MAX_FAILED
from surfaces.web.conftest import ADDRESS

PLACES = [
    "/review",
    "/memories",
    "/memory/global/-/x",
    "/receipts",
    "/sessions",
    "/patterns",
    "/health",
    "/now",
    "/now/feed",
]


def test_the_address_of_the_terminal_lets_one_browser_in_once(site, visitor):
    """The token becomes a cookie that scripts cannot read, leaves the address, and holds no longer."""
    address = site.address
    answer = visitor.client.get(address, follow_redirects=False)
    assert answer.headers["location"] == "/review"
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie and "samesite=strict" in cookie
    assert visitor.get("/review").status_code == 200
    visitor.client.cookies.clear()
    assert visitor.get(address).status_code == 401
    assert site.address != address and site.said == [f"a browser was let in; for another one: {site.address}"]


@pytest.mark.parametrize("path", PLACES)
def test_without_a_cookie_every_page_is_locked(visitor, path):
    """A locked page says how to open it, and shows nothing else."""
    answer = visitor.get(path)
    assert answer.status_code == 401 and "address that the terminal shows" in answer.text


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:7433", "127.0.0.1", "127.0.0.1:80", "127.0.0.1:7433.evil"]
)
def test_a_name_that_leads_here_by_rebinding_is_refused(page, host):
    """Only the exact hosts of the page are answered, whatever cookie comes along."""
    assert page.get("/review", headers={"Host": host}).status_code == 421


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1:80", f"{ADDRESS}.evil.example"])
def test_another_site_cannot_ask(page, origin):
    """A request with an Origin that is not ours is refused before anything is looked at."""
    assert page.get("/review", headers={"Origin": origin}).status_code == 403


def test_a_public_address_is_one_more_and_no_other(site, shop):
    """Behind a tunnel the page is reached by the address that was given."""
    from holdfast.surfaces.web.site import Site

    tunnel = Site(site.home, 7433, "https://dev.example:8443/", folder=str(shop))
    assert "dev.example:8443" in tunnel.hosts and "https://dev.example:8443" in tunnel.origins
    assert tunnel.address.startswith("https://dev.example:8443/open?token=")


def test_every_answer_forbids_markup_from_elsewhere(page):
    """Pages, errors and refusals carry the policy: no inline script or style, no frame, no other site."""
    for path in ("/review", "/nothing", "/static/page.css", "/static/"):
        answer = page.get(path)
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'") and "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert not [name for name in answer.headers if name.startswith("access-control")]
    assert page.get("/static/").status_code == 404


def test_wrong_tokens_are_counted(visitor):
    """After ten wrong tokens the next are told to wait; one that holds, and who was let in, goes on."""
    visitor.let_in()
    for _ in range(MAX_FAILED):
        assert visitor.get("/open?token=wrong").status_code == 401
    assert visitor.get("/open?token=wrong").status_code == 429
    assert visitor.get("/review").status_code == 200
    visitor.client.cookies.clear()
    assert visitor.get(visitor.site.address).status_code == 200


def test_wrong_addresses_keep_no_program_out(visitor, workspace):
    """Addresses and bearers are counted apart, and a token that holds is answered after any number of wrong ones."""
    with workspace() as h:
        secret = tokens.new(h, "script")[1]

    def ask(token: str) -> int:
        return visitor.get("/api/v1/memories", headers={"Authorization": f"Bearer {token}"}).status_code

    for _ in range(MAX_FAILED + 1):
        visitor.get("/open?token=wrong")
    assert [ask("wrong") for _ in range(MAX_FAILED + 1)] == [401] * MAX_FAILED + [429]
    assert ask(secret) == 200


@pytest.mark.parametrize("made_by", ["cross-site", "same-site"])
def test_another_site_cannot_make_the_browser_ask(page, made_by):
    """Neither another site nor another port of this machine opens a page with a cookie, or uses up tries."""
    for _ in range(MAX_FAILED + 1):
        assert page.get("/open?token=bad", headers={"Sec-Fetch-Site": made_by}).status_code == 403
    assert page.get("/open?token=bad").status_code == 401
    assert page.get("/review", headers={"Sec-Fetch-Site": made_by}).status_code == 403
    for own in ("same-origin", "none"):
        assert page.get("/review", headers={"Sec-Fetch-Site": own}).status_code == 200


def test_a_body_over_the_limit_is_refused(page):
    """It is refused by its length before it is read, and where none is told, once the limit is passed."""
    assert page.client.post("/review/decide", content=b"x" * (MAX_BODY + 1)).status_code == 413
    chunks = (b"x" * 65_536 for _ in range(MAX_BODY // 65_536 + 2))
    headers = {"Content-Type": "application/x-www-form-urlencoded", "Origin": ADDRESS}
    assert page.client.post("/review/decide", content=chunks, headers=headers).status_code == 413


def test_an_agent_does_not_start_the_page(cli, monkeypatch):
    """Whoever opens the page decides as the person does, so it is not served from an agent's shell."""
    monkeypatch.setenv("CLAUDECODE", "1")
    ended = cli("serve", "--port", "0")
    assert ended.code == 6 and "terminal of their own" in ended.err


def test_an_address_that_nobody_can_use_is_refused(cli):
    """A public address has a scheme, and who listens to others says by which address they come."""
    assert cli("serve", "--public-url", "dev.example").code == 2
    assert cli("serve", "--host", "0.0.0.0").code == 2
