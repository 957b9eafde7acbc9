"""Signing in by an OpenID provider: the authorization code flow with PKCE, and nothing that a process has to remember.

A sign-in begins with a state that a signed cookie of the same browser has, too; nonce and verifier are made of it with
the key that signs. So no other browser ends it, and whatever process of the hub gets the answer can check it.

An ID token holds if a key of the provider signed it with an algorithm of public keys, for this client, by this issuer,
in this time and for this sign-in. Keys are fetched again when one is not known, which is how providers change them.
What it does not say of a person the provider is asked for. Who that is here, and what they may, the database decides.
"""

from __future__ import annotations

import base64
import hmac
import http.client
import json
import secrets
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode, urlsplit

import jwt

from holdfast.base.straight import straight
from holdfast.base.text import address_parts, sha256
from holdfast.errors import BadSetting, HoldfastError, Refused, StoreUnavailable
from holdfast.surfaces.web.security import NotKnown

if TYPE_CHECKING:
    from holdfast.settings import Settings
    from holdfast.surfaces.web.signing import Claims, Signer

CALLBACK = "/signed-in"
# Only those of which the hub needs to know nothing secret: never `none`, and no HMAC, for which a public key would do.
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
BEGIN_SECONDS = 600
_LEEWAY = 60
_SECONDS, _MAX_ANSWER = 10.0, 1_000_000
# What is known of the provider is looked at again so often; for a key that is not known, not more often than this.
_KNOWN_SECONDS, _KEYS_SECONDS = 3_600.0, 5.0
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_MAX_GROUPS = 1_000


@dataclass(frozen=True)
class SignedIn:
    """Who signed in, as the provider has it: the account, which never changes, a name and groups, which may."""

    account: str
    person: str
    groups: list[str]


@dataclass
class Provider:
    """The provider of one hub. What it keeps is fetched again where it is lost."""

    issuer: str
    client_id: str
    secret: str
    scopes: str
    person_claim: str
    groups_claim: str

    def __post_init__(self) -> None:
        _need_safe(self.issuer, "oidc.issuer")
        self._lock = threading.Lock()
        self._known: tuple[float, Claims] = (0.0, {})
        self._keys: tuple[float, list[Claims]] = (-_KNOWN_SECONDS, [])

    @property
    def host(self) -> str:
        """The name of the provider, as people know it."""
        return urlsplit(self.issuer).netloc

    @property
    def known(self) -> Claims:
        """What the provider says about itself."""
        with self._lock:
            at, found = self._known
            if not found or time.monotonic() - at > _KNOWN_SECONDS:
                found = _asked(f"{self.issuer.rstrip('/')}/.well-known/openid-configuration")
                if found.get("issuer") != self.issuer:
                    hint = "Set oidc.issuer to exactly what the provider calls itself."
                    raise StoreUnavailable(f"the provider calls itself {found.get('issuer')!a}", hint)
                for name in ("authorization_endpoint", "token_endpoint", "jwks_uri"):
                    _need_safe(str(found.get(name, "")), name)
                self._known = time.monotonic(), found
            return found

    def begin(self, signer: Signer, callback: str, after: str) -> tuple[str, str]:
        """Return the address at which somebody signs in, and what their browser keeps meanwhile."""
        state = secrets.token_urlsafe(32)
        challenge = sha256(signer.mark("verifier", state).encode()).digest()
        asked = {
            "response_type": "code",
            "client_id": self.client_id,
            "redirect_uri": callback,
            "scope": self.scopes,
            "state": state,
            "nonce": signer.mark("nonce", state),
            "code_challenge": base64.urlsafe_b64encode(challenge).rstrip(b"=").decode(),
            "code_challenge_method": "S256",
        }
        kept = signer.signed("sign-in", {"state": state, "next": after}, BEGIN_SECONDS)
        return _with_query(self.known["authorization_endpoint"], asked), kept

    def way_out(self, after: str) -> str:
        """Return where somebody signs out of the provider, to come back after; nothing where it announces no such."""
        try:
            address = str(self.known.get("end_session_endpoint", ""))
            if address:
                _need_safe(address, "end_session_endpoint")
        except HoldfastError:
            # Signed out here they are all the same.
            return ""
        sent = {"client_id": self.client_id, "post_logout_redirect_uri": after}
        return _with_query(address, sent) if address else ""

    def end(self, signer: Signer, callback: str, kept: str, given: Mapping[str, str]) -> tuple[SignedIn, str]:
        """Return who signed in, and where they wanted to go; NotKnown where the answer is not to a question of ours."""
        begun = signer.opened("sign-in", kept)
        state = str(begun["state"]) if begun else ""
        if begun is None or not hmac.compare_digest(state.encode(), given.get("state", "").encode()):
            raise NotKnown("this sign-in was not begun here, or took too long", "Sign in once more.")
        if given.get("iss", self.issuer) != self.issuer:
            raise NotKnown("another provider than the hub's answered", "Sign in once more.")
        if "code" not in given:
            raise Refused(
                f"the provider said no: {given.get('error', 'without a reason')[:80]!a}", "Sign in once more."
            )
        sent = {
            "grant_type": "authorization_code",
            "code": given["code"],
            "redirect_uri": callback,
            "code_verifier": signer.mark("verifier", state),
        }
        answered = self._token(sent)
        claims = self.checked(str(answered.get("id_token", "")), signer.mark("nonce", state))
        return self._who(claims, str(answered.get("access_token", ""))), str(begun["next"])

    def _token(self, sent: dict[str, str]) -> Claims:
        """Return what the provider gives for a code."""
        methods = self.known.get("token_endpoint_auth_methods_supported", ["client_secret_basic"])
        headers = {}
        if "client_secret_basic" in methods:
            pair = f"{quote(self.client_id, safe='')}:{quote(self.secret, safe='')}"
            headers["Authorization"] = f"Basic {base64.b64encode(pair.encode()).decode()}"
        else:
            sent |= {"client_id": self.client_id, "client_secret": self.secret}
        return _asked(self.known["token_endpoint"], headers, urlencode(sent).encode())

    def checked(self, token: str, nonce: str) -> Claims:
        """Return what an ID token says, if it holds for this client and this sign-in."""
        try:
            header = jwt.get_unverified_header(token)
            if header.get("alg") not in ALGORITHMS:
                raise jwt.InvalidAlgorithmError("the algorithm is not one of public keys")
            must = {"require": ["exp", "iat", "iss", "aud", "sub"]}
            key = jwt.PyJWK(self._key(header), str(header["alg"]))
            bound = {"audience": self.client_id, "issuer": self.issuer, "leeway": _LEEWAY}
            claims: Claims = jwt.decode(token, key, [str(header["alg"])], must, **bound)  # type: ignore[arg-type]
        except jwt.PyJWTError as problem:
            told = f"what the provider says of the sign-in does not hold ({type(problem).__name__})"
            raise NotKnown(told, "Sign in once more.") from None
        several = isinstance(claims["aud"], list) and len(claims["aud"]) > 1
        if claims.get("azp", self.client_id if not several else "") != self.client_id:
            raise NotKnown("what the provider says is for another client", "Sign in once more.")
        if not hmac.compare_digest(str(claims.get("nonce", "")).encode(), nonce.encode()):
            raise NotKnown("what the provider says is of another sign-in", "Sign in once more.")
        return claims

    def _key(self, header: Mapping[str, Any]) -> Claims:
        """Return the key that a token names; keys are fetched again where it is none of those that are known."""
        address = self.known["jwks_uri"]
        with self._lock:
            for _ in range(2):
                at, keys = self._keys
                fits = [
                    one
                    for one in keys
                    if one.get("use", "sig") == "sig" and one.get("alg", header["alg"]) == header["alg"]
                    if "kid" not in header or one.get("kid") == header["kid"]
                ]
                if len(fits) == 1 and time.monotonic() - at <= _KNOWN_SECONDS:
                    return fits[0]
                if time.monotonic() - at > _KEYS_SECONDS:
                    listed = _asked(address).get("keys")
                    kept = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
                    self._keys = time.monotonic(), kept
        raise jwt.PyJWKSetError("no key of the provider signed this")

    def _who(self, claims: Claims, access: str) -> SignedIn:
        named = {self.person_claim, self.groups_claim}
        endpoint = str(self.known.get("userinfo_endpoint", ""))
        if not named <= set(claims) and endpoint and access:
            _need_safe(endpoint, "userinfo_endpoint")
            more = _asked(endpoint, {"Authorization": f"Bearer {access}"})
            if more.get("sub") == claims["sub"]:
                claims = {**more, **claims}
        person = claims.get(self.person_claim)
        if not isinstance(person, str) or not person.strip():
            raise Refused(f"the provider does not say who you are ({self.person_claim})", "Tell the operator.")
        # Other letters may become those of another name in lower case, as the sign of kelvin does.
        if not person.isascii():
            raise Refused(f"{person[:80]!a} cannot be a name here", "Tell the operator.")
        if self.person_claim == "email" and claims.get("email_verified") is not True:
            raise Refused("the provider has not verified your address", "Verify it there, then sign in.")
        groups = claims.get(self.groups_claim) or []
        listed = [one for one in groups if isinstance(one, str)] if isinstance(groups, list) else []
        return SignedIn(f"{self.issuer} {claims['sub']}", person.strip().lower(), listed[:_MAX_GROUPS])


def provider_of(settings: Settings, environment: Mapping[str, str]) -> Provider | None:
    """Return the provider that the settings name; None where they name none, BadSetting where half of it is missing."""
    if not settings.text("oidc.issuer"):
        return None
    secret = environment.get(settings.text("oidc.secret_from"), "").strip()
    missing = [name for name in ("oidc.client_id", "oidc.organisation") if not settings.text(name)]
    missing += [] if secret else [f"the variable {settings.text('oidc.secret_from')}"]
    if missing:
        raise BadSetting(
            f"oidc.issuer is set, and {' and '.join(missing)} is not", "docs/hub.md says what each is for."
        )
    named = ("issuer", "client_id", "scopes", "person_claim", "groups_claim")
    return Provider(secret=secret, **{name: settings.text(f"oidc.{name}") for name in named})


def check_provider(settings: Settings, environment: Mapping[str, str]) -> list[str]:
    """Return what is wrong with the provider that the settings name, as a process of the hub finds it."""
    try:
        provider = provider_of(settings, environment)
        keys = _asked(provider.known["jwks_uri"]).get("keys") if provider else [{}]
    except HoldfastError as problem:
        return [f"{problem} {problem.hint}".strip()]
    problems = [] if keys else ["the provider lists no keys, so nothing it signs can be checked"]
    named = settings.text("hub.key_from")
    if provider and not environment.get(named, "").strip():
        problems.append(f"people would sign in by {provider.host}, but {named} is not set, so there is no page")
    if provider and "S256" not in provider.known.get("code_challenge_methods_supported", ["S256"]):
        problems.append("the provider does not accept PKCE with S256")
    return problems


def _need_safe(address: str, name: str) -> None:
    """Refuse an address over which others could read along."""
    parts = address_parts(address)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in _LOOPBACK):
        raise BadSetting(f"{name} is {address!a}, which is not an https address", "Only loopback may use http.")


def _with_query(address: str, asked: Mapping[str, str]) -> str:
    return f"{address}{'&' if urlsplit(address).query else '?'}{urlencode(asked)}"


def _asked(address: str, headers: Mapping[str, str] | None = None, body: bytes | None = None) -> Claims:
    """Return what an endpoint of the provider answers."""
    request = urllib.request.Request(address, body, {"Accept": "application/json", **(headers or {})})  # noqa: S310
    try:
        with straight(request, timeout=_SECONDS) as answered:
            found = json.loads(answered.read(_MAX_ANSWER))
    except urllib.error.HTTPError as problem:
        if body is not None and problem.code in (400, 401):
            raise NotKnown(
                "the provider does not accept this sign-in, or has accepted it already", "Sign in once more."
            ) from None
        raise StoreUnavailable(f"the provider answers {problem.code}", "Try again in a while.") from None
    except (OSError, http.client.HTTPException, ValueError) as problem:
        raise StoreUnavailable(f"the provider does not answer ({type(problem).__name__})", "Try again.") from None
    if not isinstance(found, dict):
        raise StoreUnavailable("the provider's answer is not a JSON object", "Try again in a while.")
    return found
