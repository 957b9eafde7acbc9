"""Digests are those of `hashlib`, without its import."""

from __future__ import annotations

import hashlib

from hypothesis import given
from hypothesis import strategies as st

from holdfast.base import digests


@given(st.binary(max_size=200))
def test_digests_are_the_real_ones(data):
    """SHA-256 is SHA-256, and the digest of a file is eight bytes of BLAKE2."""
    assert digests.sha256(data).hexdigest() == hashlib.sha256(data).hexdigest()
    assert digests.file_digest(data) == hashlib.blake2b(data, digest_size=8).digest()


def test_where_a_text_ends_counts():
    """Two lists of texts with the same letters have different digests."""
    assert digests.short("ab", "c") != digests.short("a", "bc")
    assert digests.short("s1") == hashlib.sha256(b"s1").hexdigest()[:32]
