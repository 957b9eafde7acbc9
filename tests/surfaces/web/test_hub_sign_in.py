"""Signing in to a hub by a provider, and what attacks on it come to."""

from __future__ import annotations

import time
from functools import partial
from urllib.parse import parse_qs, urlsplit

import jwt
import pytest

from support.hub_world import ADDRESS, Browser
from support.openid import CLIENT, LoosenedProvider, StillClock, rsa_key


@pytest.fixture
def provider():
    made = LoosenedProvider()
    yield made
    made.close()


class Signing:
    """What begins a sign-in with a browser, and ends it as the provider would: of a new process of the hub each."""

    def __init__(self, world, provider) -> None:
        self.world, self.provider = world, provider
        self.app = world.process(**provider.environment(world.organisation))
        self.browser = Browser(self.app)
        provider.says = {}

    def begin(self, after: str = "/memories") -> dict[str, str]:
        """Go to the provider, and return what it is asked."""
        answer = self.browser.get("/sign-in/start", params={"next": after})
        assert answer.status_code == 303, answer.text
        assert answer.headers["location"].startswith(f"{self.provider.issuer}/auth?")
        asked = parse_qs(urlsplit(answer.headers["location"]).query)
        found = {name: values[0] for name, values in asked.items()}
        self.provider.says.setdefault("nonce", found["nonce"])
        return found

    def end(self, asked: dict[str, str], **given: str):
        """Come back with what the provider gave."""
        return self.browser.get("/signed-in", params={"code": "c", "state": asked["state"], **given})


@pytest.fixture
def signing(world, provider) -> Signing:
    return Signing(world, provider)


def test_who_signs_in_is_that_person_with_their_roles(signing):
    """The whole way: state, nonce and PKCE are sent, the cookie is the person's, and they go where they wanted."""
    asked = signing.begin("/account")
    assert asked["response_type"] == "code" and asked["code_challenge_method"] == "S256"
    assert asked["redirect_uri"] == f"{ADDRESS}/signed-in" and asked["client_id"] == CLIENT
    answer = signing.end(asked)
    assert answer.status_code == 303 and answer.headers["location"] == "/account", answer.text
    assert len(signing.provider.sent["code_verifier"]) == 64
    page = signing.browser.get("/account").text
    assert "kim" in page and "writer" in page and "Make a token" in page


def test_groups_of_the_provider_give_and_take_roles(signing):
    """A group with a role adds who is not known yet; who is in it no longer is out of the team at the next sign-in."""
    operator, organisation = signing.world.hub.operator, signing.world.organisation
    operator.set_group(organisation, "shop-leads", "shop", "reviewer")
    operator.set_group(organisation, "shop-devs", "shop", "writer")
    signing.provider.says = {"sub": "s-9", "preferred_username": "Noa", "groups": ["shop-devs", "shop-leads", "x"]}
    assert signing.end(signing.begin()).status_code == 303
    assert "reviewer" in signing.browser.get("/account").text
    signing.provider.says = {"sub": "s-9", "preferred_username": "renamed", "groups": ["shop-devs"]}
    assert signing.end(signing.begin()).status_code == 303
    page = signing.browser.get("/account").text
    assert "noa" in page and "writer" in page and "reviewer" not in page
    signing.provider.says = {"sub": "s-9", "preferred_username": "noa", "groups": []}
    answer = signing.end(signing.begin())
    assert answer.status_code == 403 and "in no team" in answer.text, "and not the way in again, without a word"
    assert signing.browser.get("/memories").status_code in (303, 401, 403)
    with signing.world.store("sam").begin() as db:
        sql = "SELECT key FROM holdfast.audit WHERE act = 'member' AND person NOT LIKE 'operator:%' ORDER BY at"
        told = db.execute(sql).fetchall()
    assert [key for (key,) in told] == ["noa:reviewer", "noa:writer", "noa:"]


def test_a_name_is_of_the_account_that_first_had_it(signing):
    """Who takes another's name at the provider is not them here; the operator may say otherwise."""
    signing.provider.says = {"sub": "the-real-kim"}
    assert signing.end(signing.begin()).status_code == 303
    signing.provider.says = {"sub": "somebody-else"}
    answer = signing.end(signing.begin())
    assert answer.status_code == 403 and "another account" in answer.text
    signing.world.hub.operator.forget_account(signing.world.organisation, "kim")
    assert signing.end(signing.begin()).status_code == 303


def test_a_look_alike_of_a_name_is_not_that_name(signing):
    """A letter that is another one in lower case, as the sign of kelvin, makes nobody somebody else."""
    signing.provider.says = {"sub": "a-look-alike", "preferred_username": "\N{KELVIN SIGN}im"}
    answer = signing.end(signing.begin())
    assert answer.status_code == 403 and "cannot be a name" in answer.text


def test_who_signs_out_signs_out_of_the_provider_too_where_it_can_be(signing):
    """The browser goes on to the address that the provider announces; not where it has none, or who came by a token."""
    assert signing.end(signing.begin()).status_code == 303
    assert signing.browser.post("/sign-out").headers["location"] == "/signed-out"
    assert signing.browser.get("/memories").status_code == 303
    page = signing.browser.get("/signed-out")
    assert page.status_code == 200 and "refresh" not in page.headers
    address = f"{signing.provider.issuer}/leave"
    signing.provider.announces = {"end_session_endpoint": address}
    app = signing.world.process(**signing.provider.environment(signing.world.organisation))
    page = Browser(app).get("/signed-out")
    to, _, query = page.headers["refresh"].removeprefix("0;url=").partition("?")
    assert to == address and address in page.text
    assert parse_qs(query) == {"client_id": [CLIENT], "post_logout_redirect_uri": [f"{ADDRESS}/sign-in"]}
    by_token = signing.world.browser("kim", app)
    assert by_token.post("/sign-out").headers["location"] == "/sign-in"


def test_a_token_that_does_not_hold_is_asked_for_again(world):
    """The page of signing in comes again and says why, with the status of somebody who is not known."""
    browser = Browser(world.app)
    assert 'name="token"' in browser.get("/sign-in").text and "is not valid" not in browser.get("/sign-in").text
    answer = browser.client.post("/sign-in", data={"token": "no"}, headers={"Origin": ADDRESS})
    assert answer.status_code == 401 and "is not valid" in answer.text and 'name="token"' in answer.text


def test_nobody_comes_in_who_is_in_no_team(signing):
    """An account that the hub does not know, and that has no group with a role, is refused in plain words."""
    signing.provider.says = {"sub": "s-1", "preferred_username": "stranger"}
    answer = signing.end(signing.begin())
    assert answer.status_code == 403 and "in no team" in answer.text
    assert signing.browser.get("/memories").status_code == 303


def test_what_the_token_does_not_say_the_provider_is_asked_for(signing):
    """Name and groups may stand in the userinfo; that of another account is not taken."""
    signing.provider.says = {"preferred_username": None}
    signing.provider.claims = lambda **more: {
        name: value for name, value in LoosenedProvider.claims(signing.provider, **more).items() if value is not None
    }
    signing.provider.knows = {"sub": "sub-kim", "preferred_username": "kim"}
    assert signing.end(signing.begin()).status_code == 303
    signing.provider.says = {"preferred_username": None}
    signing.provider.knows = {"sub": "another", "preferred_username": "sam"}
    assert signing.end(signing.begin()).status_code == 403


def unsigned(provider):
    return jwt.encode(provider.claims(), "", "none", {"kid": "one"})


def with_public_key(provider):
    """Sign with HMAC and the public key, which everybody knows."""
    from cryptography.hazmat.primitives import serialization as s

    pem = provider.keys["one"].public_key().public_bytes(s.Encoding.PEM, s.PublicFormat.SubjectPublicKeyInfo)
    header = {"alg": "HS256", "kid": "one"}
    import base64
    import hmac
    import json

    def part(data):
        return base64.urlsafe_b64encode(data).rstrip(b"=")

    body = part(json.dumps(header).encode()) + b"." + part(json.dumps(provider.claims()).encode())
    return (body + b"." + part(hmac.new(pem, body, "sha256").digest())).decode()


def with_other_key(provider):
    return jwt.encode(provider.claims(), rsa_key(), "RS256", {"kid": "one"})


def with_unknown_key(provider):
    return jwt.encode(provider.claims(), rsa_key(), "RS256", {"kid": "two"})


def with_claims(**claims):
    def made(provider):
        return jwt.encode(provider.claims(**claims), provider.keys["one"], "RS256", {"kid": "one"})

    return made


def changed(provider):
    """Take a token that holds, and say another thing in it."""
    head, _, tail = provider.signed().split(".")
    other = jwt.encode(provider.claims(preferred_username="sam"), rsa_key(), "RS256").split(".")[1]
    return f"{head}.{other}.{tail}"


def test_a_forged_id_token_lets_nobody_in(world, provider):
    """No signature, a wrong key, audience, issuer, time or nonce: 401, and no cookie that lets in."""
    forged = {
        "unsigned": unsigned,
        "with public key": with_public_key,
        "with other key": with_other_key,
        "with unknown key": with_unknown_key,
        "changed": changed,
        "other audience": with_claims(aud="other"),
        "two audiences": with_claims(aud=["hub", "other"]),
        "two audiences, for the other": with_claims(aud=["hub", "other"], azp="other"),
        "for another": with_claims(azp="other"),
        "other issuer": with_claims(iss="http://127.0.0.1:1"),
        "past its time": with_claims(exp=int(time.time()) - 3_600),
        "before its time": with_claims(iat=int(time.time()) + 3_600),
        "of another sign-in": with_claims(nonce="of another sign-in"),
        "of no sign-in": with_claims(nonce=""),
        "nothing": lambda provider: "",
        "no token": lambda provider: "not.a.token",
    }
    for name, forge in forged.items():
        signing = Signing(world, provider)
        provider.makes = provider.signed
        asked = signing.begin()
        provider.makes = partial(forge, provider)
        answer = signing.end(asked)
        where = answer.headers.get("location", "/sign-in")
        assert answer.status_code in (401, 303) and where.startswith("/sign-in"), name
        assert signing.browser.get("/memories").headers["location"].startswith("/sign-in"), name


def test_an_answer_fits_one_sign_in_of_one_browser(signing):
    """A state of nobody's, of another browser, sent again, or of another provider ends no sign-in."""
    asked = signing.begin()
    for given in ({"state": "forged"}, {"state": ""}, {"iss": "http://evil.example"}):
        assert signing.end(asked, **given).headers["location"].startswith("/sign-in")
    other = Browser(signing.app)
    assert other.get("/signed-in", params={"code": "c", "state": asked["state"]}).headers["location"][:8] == "/sign-in"
    assert signing.end(asked).headers["location"] == "/memories"
    assert signing.end(asked).headers["location"].startswith("/sign-in"), "the same answer, once more"
    refused = signing.begin()
    answer = signing.browser.get("/signed-in", params={"error": "access_denied", "state": refused["state"]})
    assert answer.status_code == 403 and "access_denied" in answer.text


def test_keys_that_the_provider_changes_are_found(signing, monkeypatch):
    """A token with a key that is not known has the keys fetched again, not more often than every few seconds."""
    clock = StillClock(monkeypatch)
    assert signing.end(signing.begin()).status_code == 303
    signing.provider.keys["two"] = rsa_key()
    del signing.provider.keys["one"]
    signing.provider.signs_with, signing.provider.says = "two", {}
    early = signing.end(signing.begin())
    assert early.headers["location"].startswith("/sign-in") and signing.provider.asked.count("/jwks") == 1
    clock.now += 5.1
    signing.provider.says = {}
    assert signing.end(signing.begin()).headers["location"] == "/memories"
    assert signing.provider.asked.count("/jwks") == 2


def test_nobody_is_sent_elsewhere_by_signing_in(world, provider):
    """Wherever a link wants to go on to, it is a page of ours; by the provider and by a token."""
    elsewhere = ("https://evil.example", "//evil.example", "/\\evil.example", "/memories\r\nSet-Cookie: x=1")
    for after in (*elsewhere, "javascript:x"):
        signing = Signing(world, provider)
        ended = signing.end(signing.begin(after))
        assert ended.headers.get("location", ended.text) == "/memories", after
        given = {"token": world.tokens["lee"], "next": after}
        sent = signing.browser.client.post("/sign-in", data=given, headers={"Origin": ADDRESS})
        assert sent.status_code == 303 and sent.headers["location"].startswith("/memories"), after


def test_a_forged_cookie_lets_nobody_in(world):
    """Signed by nobody, by another key, of another kind or past its time: it opens nothing, nor does one for a form."""
    from holdfast.surfaces.web.signing import Signer
    from support.hub_world import KEY

    claims = {"org": world.organisation, "sub": "kim", "sid": "s", "aud": "session", "exp": int(time.time()) + 60}
    real = Signer(KEY)
    for forged in (
        jwt.encode(claims, "", "none"),
        jwt.encode(claims, "x" * 48, "HS256"),
        jwt.encode({**claims, "exp": 1}, KEY, "HS256"),
        jwt.encode({name: value for name, value in claims.items() if name != "exp"}, KEY, "HS256"),
        real.signed("told", claims, 60),
        real.signed("sign-in", {"state": "x", "next": "/"}, 60),
        "x",
    ):
        browser = Browser(world.app)
        browser.client.cookies.set("holdfast-hub", forged)
        assert browser.get("/memories").headers["location"].startswith("/sign-in"), forged
    browser = Browser(world.app)
    browser.client.cookies.set("holdfast-hub", real.signed("session", claims, 60))
    assert browser.get("/memories").status_code == 200
    for gone in ({"sub": "nobody"}, {"org": "elsewhere"}):
        browser.client.cookies.set("holdfast-hub", real.signed("session", {**claims, **gone}, 60))
        assert browser.get("/memories").headers["location"].startswith("/sign-in")


def test_keys_change_without_signing_anybody_out(world):
    """Behind a new first key the old one still holds; once it is taken away, what it signed does not."""
    from support.hub_world import KEY

    kim = world.browser("kim")
    for keys, holds in ((f"{'n' * 40} {KEY}", True), ("n" * 40, False)):
        browser = Browser(world.process(HOLDFAST_HUB_KEY=keys))
        browser.client.cookies = kim.client.cookies
        assert (browser.get("/memories").status_code == 200) == holds


def test_behind_https_cookies_are_of_that_host_alone(world):
    """The prefix __Host-, Secure and HttpOnly; another host is turned away."""
    app = world.process("https://hub.example.com")
    client = world.client(app=app, address="https://hub.example.com")
    answer = client.post("/sign-in", data={"token": world.tokens["kim"]}, headers={"Origin": "https://hub.example.com"})
    told = answer.headers["set-cookie"]
    assert told.startswith("__Host-holdfast=") and "Secure" in told and "HttpOnly" in told and "Path=/" in told
    assert "samesite=lax" in told.lower() and "domain" not in told.lower()
    assert client.get("/memories", headers={"Host": "evil.example"}).status_code == 421


def test_a_token_that_ends_ends_what_was_signed_in_by_it(world):
    """Who came by a token is out when it is revoked, and makes no other that lasts longer."""
    kim = world.browser("kim")
    assert kim.post("/account/token", name="mine", may="write", days="90").status_code == 403
    world.hub.operator.end_tokens(world.organisation, "kim")
    assert kim.get("/memories").headers["location"].startswith("/sign-in")


def test_a_person_makes_tokens_of_their_own(signing):
    """It is shown once, may no more than its person, is listed and ended by them, and is in the audit."""
    assert signing.end(signing.begin()).status_code == 303
    made = signing.browser.post("/account/token", name="laptop", may="admin", days="30")
    token = made.text.split('<p class="mono">')[1].split("<")[0]
    assert token.startswith("hfh_") and token not in signing.browser.get("/account").text
    signing.world.tokens["kim"] = token
    program = signing.world.client("kim")
    assert program.post("/api/v1/memories?project=p", json={"text": "The build needs lld."}).status_code == 201
    assert program.put("/api/v1/memories/the-build-needs-lld/pin?project=p").status_code == 403
    assert signing.browser.post("/account/end-token", name="laptop").status_code == 303
    assert program.get("/api/v1/memories").status_code == 401
    for wrong in ({"days": "91"}, {"days": "0"}, {"may": "everything"}, {"days": "9" * 40}, {"name": ""}):
        given = {"name": "x", "may": "read", "days": "1", **wrong}
        assert signing.browser.post("/account/token", **given).status_code == 422, wrong


def test_settings_that_are_half_there_are_refused_at_the_start(world, provider):
    """A provider without a client, a secret or an organisation, or by an address that is read along, is no start."""
    from holdfast.errors import BadInput, BadSetting

    whole = provider.environment(world.organisation)
    for name in ("HOLDFAST_OIDC_CLIENT_ID", "HOLDFAST_OIDC_SECRET", "HOLDFAST_OIDC_ORGANISATION"):
        with pytest.raises(BadSetting, match="is not"):
            world.process(**{**whole, name: ""})
    with pytest.raises(BadSetting, match="https"):
        world.process(**{**whole, "HOLDFAST_OIDC_ISSUER": "http://login.example.com"})
    with pytest.raises(BadInput, match="32 characters"):
        world.process(HOLDFAST_HUB_KEY="short")
