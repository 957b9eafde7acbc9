"""Signing in to a hub with a real OpenID provider, npm's oidc-provider on loopback: its pages, its keys, its tokens."""

from __future__ import annotations

import re
import secrets
import socket
import subprocess
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import httpx2
import pytest

from outside import programs
from support.hub_world import ADDRESS, Browser, World
from support.openid import StillClock

SCRIPT = Path(__file__).with_name("openid_provider.mjs")
KEYS = (
    "import { generateKeyPairSync as make } from 'node:crypto';"
    "const key = make('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });"
    "console.log(JSON.stringify({ keys: [{ ...key, kid: process.argv[1], use: 'sig', alg: 'RS256' }] }));"
)


class RealProvider:
    """One process of oidc-provider, which is started again with other keys."""

    def __init__(self, folder: Path, installed: Path) -> None:
        self.folder, self.installed = folder, installed
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.issuer = f"http://127.0.0.1:{self.port}"
        self.process: subprocess.Popen[str] | None = None

    def start(self, key: str) -> None:
        """Start it with a key of that name."""
        made = subprocess.run(
            ["node", "--input-type=module", "-e", KEYS, key], capture_output=True, text=True, check=True
        )
        keys = self.folder / f"{key}.json"
        keys.write_text(made.stdout)
        words = ["node", str(SCRIPT), str(self.port), str(self.installed), str(keys), f"{ADDRESS}/signed-in"]
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert self.process.stdout is not None
        assert any(line.strip() == "ready" for line in self.process.stdout), "it ended before it answered"

    def end(self) -> None:
        """End it."""
        if self.process is not None:
            self.process.terminate()
            self.process.wait(600)
            self.process.stdout.close()

    def signs_in(self, address: str, name: str) -> str:
        """Go through its pages as somebody of that name, and return the address to which it sends them back."""
        with httpx2.Client(follow_redirects=False, timeout=600) as client:
            answer = client.get(address)
            for _ in range(12):
                if answer.status_code in (302, 303):
                    where = urljoin(str(answer.url), answer.headers["location"])
                    if urlsplit(where).netloc == urlsplit(ADDRESS).netloc:
                        return where
                    answer = client.get(where)
                    continue
                form = re.search(r'action="([^"]+)"', answer.text)
                assert answer.status_code == 200 and form, answer.text[:500]
                prompt = re.search(r'name="prompt" value="([^"]+)"', answer.text)[1]
                answer = client.post(form[1], data={"prompt": prompt, "login": name, "password": "x"})
        raise AssertionError("the provider goes round in circles")


@pytest.fixture(scope="module")
def provider(tmp_path_factory):
    try:
        installed = programs.openid()
    except programs.NotHere as problem:
        pytest.skip(f"oidc-provider cannot be installed: {problem}")
    made = RealProvider(tmp_path_factory.mktemp("openid"), installed)
    made.start("one")
    yield made
    made.end()


@pytest.fixture
def hub_of(provider):
    """Return a world whose hub has the provider, and its application."""
    world = World(f"openid-{secrets.token_hex(4)}").add("kim", "writer").add("sam", "reader")
    world.hub.operator.set_group(world.organisation, "shop-leads", "shop", "reviewer")
    world.hub.operator.set_group(world.organisation, "shop-devs", "shop", "writer")
    settings = {"ISSUER": provider.issuer, "CLIENT_ID": "hub", "ORGANISATION": world.organisation}
    more = {f"HOLDFAST_OIDC_{name}": value for name, value in settings.items()}
    return world, world.process(**more, HOLDFAST_OIDC_SECRET="a-secret-of-the-client")


def came_back(provider, browser: Browser, name: str):
    """Sign in as somebody, and return how the hub answers them."""
    begun = browser.get("/sign-in/start?next=/account")
    back = provider.signs_in(begun.headers["location"], name)
    return back, browser.get(back.removeprefix(ADDRESS))


def test_people_sign_in_with_a_real_provider(provider, hub_of):
    """Code, PKCE, ID token and userinfo as it makes them; roles by its groups, and a code holds once."""
    _, app = hub_of
    for name, role in (("kim", "writer"), ("sam", "reviewer"), ("lee", "writer")):
        browser = Browser(app)
        back, answer = came_back(provider, browser, name)
        assert answer.status_code == 303 and answer.headers["location"] == "/account", answer.text
        page = browser.get("/account").text
        assert name in page and role in page
        assert browser.get(back.removeprefix(ADDRESS)).headers["location"].startswith("/sign-in"), "once more"
    browser = Browser(app)
    _, answer = came_back(provider, browser, "eve")
    assert answer.status_code == 403 and "in no team" in answer.text


def test_the_provider_changes_its_keys(provider, hub_of, monkeypatch):
    """After a restart with other keys, people sign in as before."""
    (_, app), clock = hub_of, StillClock(monkeypatch)
    assert came_back(provider, Browser(app), "kim")[1].status_code == 303
    provider.end()
    provider.start("two")
    clock.now += 5.1
    _, answer = came_back(provider, Browser(app), "kim")
    assert answer.status_code == 303 and answer.headers["location"] == "/account", answer.text
