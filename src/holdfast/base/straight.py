"""Asks the address that was given, and no other: a redirection would take what was sent along, a token or a code."""

from __future__ import annotations

import urllib.request
from typing import Any


class _Straight(urllib.request.HTTPRedirectHandler):
    """Follows nobody; a redirection is the error that it has as a status."""

    def redirect_request(self, *answered: Any) -> None:
        """Follow none."""


straight = urllib.request.build_opener(_Straight).open
