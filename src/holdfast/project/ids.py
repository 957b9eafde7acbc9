"""Ids: what may be one, and how one is made of a remote's url or of a path.

An id made here says by its shape where it comes from, so that two rules never make the same one:
a plain remote address never ends in a hash, a hashed one ends in 8 hex digits, all others end in 12.

The url of a remote may hold a user, a password or a token. Only what is left of it after normalising leaves this file,
and a url that cannot be taken apart for certain is given up rather than guessed at.
"""

from __future__ import annotations

from holdfast.base.digests import sha256
from holdfast.base.light_records import dataclass
from holdfast.errors import BadId

LIMIT = 128
_ALPHABET = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"
_HEX = "0123456789abcdef"
_SHOWN = 60
_SSH_PORT = "22"
_PORTS = {
    **dict.fromkeys(("ssh", "git+ssh", "ssh+git"), _SSH_PORT),
    **{"http": "80", "https": "443", "git": "9418", "ftp": "21", "ftps": "990"},
}


def is_id(text: str) -> bool:
    """Tell whether the text can be an id, and so the name of a folder."""
    return 0 < len(text) <= LIMIT and not text.strip(_ALPHABET) and not text.startswith(".")


def check_id(text: str, what: str = "the project id") -> str:
    """Return the text if it can be an id; raise BadId, which names `what`, if not. Nothing is repaired."""
    if is_id(text):
        return text
    fault = "it has a character that an id cannot have"
    if not text:
        fault = "it is empty"
    elif len(text) > LIMIT:
        fault = f"it has {len(text)} characters, and {LIMIT} is the most"
    elif text.startswith("."):
        fault = "it begins with a dot"
    hint = f"use 1 to {LIMIT} of A-Z, a-z, 0-9, dot, underscore and hyphen, and no dot at the beginning"
    raise BadId(f"{what} cannot be '{shown(text)}': {fault}", hint=hint)


def shown(text: str) -> str:
    """Return text that is safe to print: one line, control characters escaped, cut when it is long."""
    safe = printable(text[: _SHOWN + 1])
    return safe if len(text) <= _SHOWN else f"{safe[:_SHOWN]}..."


def printable(text: str) -> str:
    """Return a path as it can be printed, whole."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def is_hex(text: str, length: int) -> bool:
    """Tell whether the text is exactly so many lower-case hex digits."""
    return len(text) == length and not text.strip(_HEX)


def digest(text: str, length: int) -> str:
    """Return the first hex digits of the sha256 of the text."""
    return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:length]


def slug(name: str, room: int = LIMIT) -> str:
    """Return the name in the alphabet of ids, at most `room` long; `project` where nothing of it is left."""
    kept = "".join(c if c in _ALPHABET else "-" for c in name)
    while "--" in kept:
        kept = kept.replace("--", "-")
    return kept.strip("-.")[:room].rstrip("-.") or "project"


def hashed_id(name: str, of: str) -> str:
    """Return `name-<12 hex>`, where the hash is that of the text `of`."""
    return f"{slug(name, LIMIT - 13)}-{digest(of, 12)}"


def local_id(path: str) -> str:
    """Return the id for a remote that is a path on this machine where nothing is."""
    # What stands before an @ may be a user and a password that somebody put into a broken address.
    name = path.rstrip("/").rpartition("/")[2].rpartition("@")[2].removesuffix(".git")
    return f"local--{slug(name, LIMIT - 20)}-{digest(path, 12)}"


def remote_id(address: str) -> str:
    """Return the id of a normalised `host/path`; two different addresses never share one."""
    parts = address.split("/")
    plain = "--".join(parts)
    is_plain = all(part and "--" not in part and part == part.strip("-") for part in parts)
    _, hyphen, tail = plain.rpartition("-")
    ends_in_hash = hyphen and (is_hex(tail, 8) or is_hex(tail, 12))
    if is_plain and is_id(plain) and not ends_in_hash:
        return plain
    body = "--".join(slug(part) for part in parts)[: LIMIT - 9].rstrip("-.")
    return f"{body}-{digest(address, 8)}"


@dataclass(frozen=True, slots=True)
class Remote:
    """Where a remote is: an address, or else a local path that may be relative."""

    address: str = ""
    path: str = ""


def locate(url: str) -> Remote | None:
    """Return where the url leads, without scheme, user, password and default port; None if it is unclear."""
    helper, mark, rest = url.partition("::")
    if mark and _is_scheme(helper):
        url = rest if "://" in rest else ""
    scheme, mark, rest = url.partition("://")
    if mark and _is_scheme(scheme):
        return _of_url(scheme.lower(), rest)
    head, colon, _ = url.partition(":")
    if colon and "/" not in head:
        return _of_scp(url)
    return Remote(path=url) if url else None


def _of_url(scheme: str, rest: str) -> Remote | None:
    if scheme == "file":
        local = _decoded(rest if rest.startswith("/") else f"//{rest}")
        return None if "\0" in local else Remote(path=local)
    authority, _, path = rest.partition("/")
    host = _before_query(authority.rpartition("@")[2])
    if _hides_user(path):
        return None
    return _address(host, _decoded(_before_query(path)), _PORTS.get(scheme, ""))


def _of_scp(url: str) -> Remote | None:
    end = url.find("]:") if "[" in url.partition(":")[0] else -1
    cut = end + 1 if end >= 0 else url.index(":")
    host, path = url[:cut], url[cut + 1 :]
    if host.startswith("[") and ("@" in host or host.count(":") == 1):
        host = host[1:-1]  # git's form for a port: [user@host:port]:path
    if _hides_user(path):
        return None
    return _address(host.rpartition("@")[2], path, _SSH_PORT)


def _hides_user(path: str) -> bool:
    # A password with a slash in it, or a forgotten scheme, puts the secret where the path should be.
    return any("@" in part[1:] for part in path.split("/"))


def _address(host: str, path: str, default_port: str) -> Remote | None:
    host = host.lower()
    if host.startswith("["):
        name, _, port = host[1:].partition("]")
        port = port.removeprefix(":")
    else:
        name, _, port = host.partition(":")
        name = name.rstrip(".")
    if not name or (port and not (port.isascii() and port.isdigit())):
        return None
    port = port.lstrip("0")
    where = f"[{name}]" if ":" in name else name
    where = f"{where}:{port}" if port and port != default_port else where
    parts = [part for part in path.lower().split("/") if part not in ("", ".")]
    parts[-1:] = [part.removesuffix(".git") for part in parts[-1:]]
    return Remote(address="/".join([where, *filter(None, parts)]))


def _before_query(text: str) -> str:
    return text.partition("?")[0].partition("#")[0]


def _is_scheme(text: str) -> bool:
    return text.isascii() and text[:1].isalnum() and all(c.isalnum() or c in "+-." for c in text)


def _decoded(text: str) -> str:
    data = text.encode("utf-8", "surrogateescape")
    head, *rest = data.split(b"%")
    return b"".join([head, *map(_unescaped, rest)]).decode("utf-8", "surrogateescape")


def _unescaped(piece: bytes) -> bytes:
    digits = piece[:2]
    if len(digits) == 2 and not digits.strip(b"0123456789abcdefABCDEF"):
        return bytes([int(digits, 16)]) + piece[2:]
    return b"%" + piece
