"""The back-ends of the store: a new one is one file that keeps the contract in `base`, and one line here."""

from __future__ import annotations

from collections.abc import Callable

from holdfast.store.base import Store
from holdfast.store.local import LocalStore


def _postgres(address: str, largest: int) -> Store:
    # psycopg is an extra: whoever keeps files does not need it.
    from holdfast.store.postgres import PostgresStore

    return PostgresStore(address, largest)


# By the scheme of the address. Each takes the address and the longest text of a memory, in bytes.
BACK_ENDS: dict[str, Callable[[str, int], Store]] = {
    "file": lambda address, largest: LocalStore(address, create=False, largest=largest),
    "postgresql": _postgres,
}


def open_store(address: str, largest: int) -> Store:
    """Open the store at an address: a home folder, or a URL whose scheme names a back-end. Nothing is made yet."""
    scheme, is_url, _ = address.partition("://")
    return BACK_ENDS[scheme if is_url else "file"](address, largest)
