"""Digests without the import of `hashlib`, which loads all of OpenSSL and costs half a bare start of Python."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hashlib import sha256
else:
    try:
        from _sha256 import sha256
    except ImportError:
        try:
            # Its place since Python 3.12.
            from _sha2 import sha256
        except ImportError:
            from hashlib import sha256

__all__ = ["file_digest", "sha256", "short"]


def file_digest(data: bytes) -> bytes:
    """Return what tells whether the bytes of a file are those that the index has read."""
    try:
        from _blake2 import blake2b
    except ImportError:
        from hashlib import blake2b

    return blake2b(data, digest_size=8).digest()


def short(*texts: str, length: int = 32) -> str:
    """Return the first hex digits of the digest of these texts; it matters where one ends and the next begins."""
    whole = "\0".join(texts)
    return sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()[:length]
