"""An OpenID provider on loopback that says whatever a test wants, also what none should: for attacks on signing in."""

from __future__ import annotations

import json
import threading
import time
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

CLIENT, SECRET = "hub", "a-secret-of-the-client"


def rsa_key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


# Making one takes longer than most tests; a key that another test has seen is no worse.
_first_key = cache(rsa_key)


class StillClock:
    """Stands in for `time` where keys of a provider are kept: it goes on only when a test puts it forward."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100_000.0
        monkeypatch.setattr("holdfast.surfaces.web.oidc.time", self)

    def monotonic(self) -> float:
        """Return the time that it shows."""
        return self.now


class LoosenedProvider:
    """Answers as a provider does; `says` are the claims of the next ID token, `makes` the token itself."""

    def __init__(self) -> None:
        self.keys = {"one": _first_key()}
        self.signs_with = "one"
        self.says: dict[str, object] = {}
        self.knows: dict[str, object] = {}
        self.announces: dict[str, object] = {}
        self.makes = self.signed
        self.asked: list[str] = []
        self.sent: dict[str, str] = {}
        owner = self

        class Answer(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                owner.asked.append(self.path)
                self._send(owner.answers()[self.path])

            def do_POST(self) -> None:
                owner.asked.append(self.path)
                body = self.rfile.read(int(self.headers["content-length"])).decode()
                owner.sent = {name: several[0] for name, several in parse_qs(body).items()}
                self._send({"id_token": owner.makes(), "access_token": "at", "token_type": "Bearer"})

            def _send(self, data: object) -> None:
                found = json.dumps(data).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(found)))
                self.end_headers()
                self.wfile.write(found)

            def log_message(self, *told: object) -> None:
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
        self.issuer = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def answers(self) -> dict[str, object]:
        """Return what it answers at each address."""
        algorithm = jwt.algorithms.RSAAlgorithm
        keys = [
            {**json.loads(algorithm.to_jwk(key.public_key())), "kid": kid, "use": "sig"}
            for kid, key in self.keys.items()
        ]
        return {
            "/.well-known/openid-configuration": {
                "issuer": self.issuer,
                "authorization_endpoint": f"{self.issuer}/auth",
                "token_endpoint": f"{self.issuer}/token",
                "jwks_uri": f"{self.issuer}/jwks",
                "userinfo_endpoint": f"{self.issuer}/me",
                **self.announces,
            },
            "/jwks": {"keys": keys},
            "/me": self.knows,
        }

    def claims(self, **more: object) -> dict[str, object]:
        """Return the claims of an ID token that holds, but for what is given."""
        now = int(time.time())
        whole = {"iss": self.issuer, "aud": CLIENT, "sub": "sub-kim", "iat": now, "exp": now + 300}
        return {**whole, "preferred_username": "kim", "groups": [], **self.says, **more}

    def signed(self) -> str:
        """Return an ID token."""
        return jwt.encode(self.claims(), self.keys[self.signs_with], "RS256", {"kid": self.signs_with})

    def environment(self, organisation: str) -> dict[str, str]:
        """Return the settings of a hub of which it is the provider."""
        return {
            "HOLDFAST_OIDC_ISSUER": self.issuer,
            "HOLDFAST_OIDC_CLIENT_ID": CLIENT,
            "HOLDFAST_OIDC_SECRET": SECRET,
            "HOLDFAST_OIDC_ORGANISATION": organisation,
        }

    def close(self) -> None:
        """Answer no more."""
        self.server.shutdown()
        self.server.server_close()
