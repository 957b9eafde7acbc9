"""What a hub gives browsers to keep is signed: every process knows its own words again, and nobody makes others."""

from __future__ import annotations

import hmac
import time
from typing import Any

import jwt

from holdfast.errors import BadInput

MIN_KEY = 32
_ALGORITHM = "HS256"
Claims = dict[str, Any]


class Signer:
    """Signs what a browser keeps. A text of one kind is never taken for another."""

    def __init__(self, keys: str) -> None:
        self.keys = keys.split()
        if any(len(key) < MIN_KEY for key in self.keys):
            hint = "`openssl rand -hex 32` makes one."
            raise BadInput(f"a key that signs cookies has at least {MIN_KEY} characters", hint)

    def signed(self, kind: str, claims: Claims, seconds: float) -> str:
        """Return claims as a text that holds for so long."""
        now = int(time.time())
        return jwt.encode({**claims, "aud": kind, "iat": now, "exp": now + int(seconds)}, self.keys[0], _ALGORITHM)

    def opened(self, kind: str, text: str) -> Claims | None:
        """Return the claims of a text of ours that still holds; None otherwise."""
        for key in self.keys if text else ():
            try:
                return dict(jwt.decode(text, key, [_ALGORITHM], {"require": ["exp", "aud"]}, audience=kind))
            except jwt.InvalidTokenError:
                continue
        return None

    def mark(self, *parts: str) -> str:
        """Return what only we can make of these parts."""
        return hmac.new(self.keys[0].encode(), "\n".join(parts).encode(), "sha256").hexdigest()
