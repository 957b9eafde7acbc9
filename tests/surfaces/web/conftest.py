"""The page without a network: the real application, a real home, and a browser that keeps cookies."""

from __future__ import annotations

import re
import secrets
from html import unescape

import pytest
from starlette.testclient import TestClient

from holdfast.surfaces.web.app import create
from holdfast.surfaces.web.site import Site
from support.hub_world import World

PORT = 7433
ADDRESS = f"http://127.0.0.1:{PORT}"


class Visitor:
    """A browser without JavaScript: it follows links and redirects, and sends the forms that pages have."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.client = TestClient(create(site), base_url=ADDRESS)

    def let_in(self) -> Visitor:
        """Open the address that the terminal shows."""
        assert self.get(self.site.address).status_code == 200
        return self

    def get(self, path: str, **more):
        return self.client.get(path, **more)

    def post(self, path: str, *, csrf: str | None = None, headers: dict[str, str] | None = None, **fields):
        """Send a form as a browser does, from a page of ours."""
        token = self.csrf() if csrf is None else csrf
        headers = {"Origin": ADDRESS} if headers is None else headers
        return self.client.post(path, data={"csrf": token, **fields}, headers=headers)

    def csrf(self) -> str:
        """Return the token that forms of this browser have."""
        return next(iter(self.site.keys.browsers.values())).csrf if self.site.keys.browsers else ""

    def text(self, path: str) -> str:
        """Return what a person reads on a page, without markup."""
        answer = self.get(path)
        assert answer.status_code == 200, answer.text
        return read(answer.text)


def read(page: str) -> str:
    """Return the words of a page as a person reads them."""
    plain = re.sub(r"<[^>]*>", " ", re.sub(r"<(title|script|style|datalist).*?</\1>", "", page, flags=re.DOTALL))
    return " ".join(unescape(plain).split())


@pytest.fixture
def site(home, shop) -> Site:
    """The page of the home as seen from the shop; what it says in the terminal lies in `said`."""
    said: list[str] = []
    made = Site(str(home), PORT, folder=str(shop), say=said.append, looks_itself=False)
    made.said = said
    return made


@pytest.fixture
def visitor(site):
    """A browser that nobody let in yet."""
    return Visitor(site)


@pytest.fixture
def page(visitor) -> Visitor:
    """A browser that was let in."""
    return visitor.let_in()


@pytest.fixture
def world(request) -> World:
    """A hub with a writer, a reader and a reviewer in the team shop of an organisation that is this test's own."""
    made = World(f"{re.sub('[^a-z0-9]+', '-', request.node.name.lower())[:40]}-{secrets.token_hex(4)}")
    return made.add("kim", "writer").add("lee", "reader").add("sam", "reviewer")
