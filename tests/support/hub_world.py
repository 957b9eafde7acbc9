"""A hub with people in it: a real PostgreSQL, the real application, programs with tokens, browsers with cookies."""

from __future__ import annotations

import re

from starlette.testclient import TestClient

from support.postgres import hub

PORT = 7433
ADDRESS = f"http://127.0.0.1:{PORT}"
KEY = "0123456789abcdef" * 3


class World:
    """One organisation of this test's own, its people with tokens, and what asks the hub for them."""

    def __init__(self, organisation: str) -> None:
        from holdfast.surfaces.web.hub import create

        self.hub, self.organisation = hub(), organisation
        self.create = create
        self.app = self.process()
        self.hub.operator.add_organisation(organisation)
        self.tokens: dict[str, str] = {}

    def process(self, public_url: str = "", **environment: str):
        """Return the application of another process of the same hub."""
        return self.create(self.hub.url(), PORT, public_url, environment={"HOLDFAST_HUB_KEY": KEY, **environment})

    def add(self, person: str, role: str, team: str = "shop", rights: tuple[str, ...] = ("read", "write", "review")):
        """Give a person a role, and a token that may all of that."""
        self.hub.operator.add_team(self.organisation, team)
        self.hub.operator.set_member(self.organisation, team, person, role)
        self.tokens[person] = self.hub.operator.new_token(self.organisation, person, "test", rights, 1)
        return self

    def client(self, person: str = "", app=None, address: str = ADDRESS) -> TestClient:
        """Return a program with the token of a person, or with none."""
        made = TestClient(app or self.app, base_url=address, follow_redirects=False)
        if person:
            made.headers["Authorization"] = f"Bearer {self.tokens[person]}"
        return made

    def browser(self, person: str = "", app=None) -> Browser:
        """Return a browser, signed in by the token of a person."""
        made = Browser(app or self.app)
        if person:
            answer = made.client.post("/sign-in", data={"token": self.tokens[person]}, headers={"Origin": ADDRESS})
            assert answer.status_code == 303, answer.text
        return made

    def store(self, person: str, team: str = "shop"):
        """Return the store of a team as a person has it."""
        from holdfast.store.postgres import PostgresStore
        from holdfast.store.postgres_connection import Asks

        return PostgresStore(self.hub.url(), asks=Asks(self.organisation, person, team))


class Browser:
    """A browser without JavaScript."""

    def __init__(self, app) -> None:
        self.client = TestClient(app, base_url=ADDRESS, follow_redirects=False)

    def get(self, path: str, **more):
        return self.client.get(path, **more)

    def csrf(self, path: str = "/account") -> str:
        """Return the token that forms on a page have."""
        return re.search(r'name="csrf" value="([^"]+)"', self.get(path).text)[1]

    def post(self, path: str, *, csrf: str | None = None, origin: str = ADDRESS, **fields):
        """Send a form as a browser does."""
        token = self.csrf() if csrf is None else csrf
        return self.client.post(path, data={"csrf": token, **fields}, headers={"Origin": origin})
