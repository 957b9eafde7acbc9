"""Ids: what may be one, and how one is made of a remote's url or of a path.

An id made here says by its shape where it comes from, so that two rules never make the same one:
a plain remote address never ends in a hash, a hashed one ends in 8 hex digits, all others end in 12.

The url of a remote may hold a user, a password or a token. Only what is left of it after normalising leaves this file,
and a url that cannot be taken apart for certain is given up rather than guessed at.
"""

from __future__ import annotations

from holdfast.base.light_records import dataclass
from holdfast.base.text import sha256
from holdfast.errors import BadId

LIMIT = 128
_ALPHABET = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"
_HEX = "0123456789abcdef"
_SHOWN = 60
_HOST = "abcdefghijklmnopqrstuvwxyz0123456789._-"
_PARTING = "@/?#\\[]"  # where one reader or another ends a user's name
_WEB = {"http": "80", "https": "443", "ftp": "21", "ftps": "990"}
_PORTS = {**_WEB, **dict.fromkeys(("ssh", "git+ssh", "ssh+git"), "22"), "git": "9418"}


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


def without_hash(id: str) -> str:
    """Return an id without the hash that was put behind its name."""
    name, _, end = id.rpartition("-")
    return name if name and (is_hex(end, 8) or is_hex(end, 12)) else id


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
    if any(ord(c) < ord(" ") or c == "\x7f" for c in url):
        return None
    helper, mark, rest = url.partition("::")
    is_web = bool(mark) and helper.removeprefix("persistent-") in _WEB
    if mark and _is_scheme(helper):
        url = rest if is_web and "://" in rest else ""
    scheme, mark, rest = url.partition("://")
    if mark and _is_scheme(scheme):
        scheme = scheme.lower()
        return _of_url(scheme, rest) if scheme in _WEB or not is_web else None
    head, colon, _ = url.partition(":")
    if colon and "/" not in head:
        return _of_scp(url)
    return Remote(path=url) if url else None


def _of_url(scheme: str, rest: str) -> Remote | None:
    if scheme == "file":
        local = _decoded(rest if rest.startswith("/") else f"//{rest}")
        return None if "\0" in local else Remote(path=local)
    authority, _, path = rest.partition("/")
    if scheme in _WEB:
        path = path.partition("?")[0].partition("#")[0]
    # Git decodes all of an ssh url before it looks for the host; another program's scheme leads wherever that likes.
    elif scheme not in _PORTS or "%" in authority or "?" in path or "#" in path:
        return None
    return None if _hides_user(path) else _address(authority, _decoded(path), _PORTS[scheme])


def _of_scp(url: str) -> Remote | None:
    end = url.find("]:") if "[" in url.partition(":")[0] else -1
    cut = end + 1 if end >= 0 else url.index(":")
    host, path = url[:cut], url[cut + 1 :]
    if host.startswith("[") and ("@" in host or host.count(":") == 1):
        host = host[1:-1]  # git's form for a port: [user@host:port]:path
    return None if _hides_user(path) else _address(host, path, _PORTS["ssh"])


def _hides_user(path: str) -> bool:
    # A password with a slash in it, or a forgotten scheme, puts the secret where the path should be.
    return any("@" in part[1:] for part in path.split("/"))


def _address(authority: str, path: str, default_port: str) -> Remote | None:
    """Return the address, None unless every program that may read the authority finds the same host in it."""
    user, _, host = authority.rpartition("@")
    if not host.isascii() or any(not "!" <= c <= "~" or c in _PARTING for c in user):
        return None
    host = host.lower()
    name, colon, port = host.partition(":")
    if host.startswith("["):
        name, _, rest = host.partition("]")
        _, colon, port = rest.rpartition(":")
        is_host = host == f"{name}]{colon}{port}" and name.count(":") > 1 and not name[1:].strip(f"{_HEX}:.")
        name = f"{name}]"
    else:
        name = name.removesuffix(".")
        is_host = all(name.split(".")) and name[0] not in "-_" and not name.strip(_HOST)
    if not is_host or ((colon or port) and not port.isdigit()):
        return None
    port = port.lstrip("0")
    where = f"{name}:{port}" if port and port != default_port else name
    parts = [part for part in path.lower().split("/") if part not in ("", ".")]
    parts[-1:] = [part.removesuffix(".git") for part in parts[-1:]]
    return Remote(address="/".join([where, *filter(None, parts)]))


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
