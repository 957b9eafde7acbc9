"""What a remote's url names: an address `host/path`, or a path on this machine.

A url may hold a user, a password or a token. Only what is left after normalising leaves this file, and a url
that cannot be taken apart for certain is given up rather than guessed at.
"""

from __future__ import annotations

from holdfast.base.light_records import dataclass

_SSH_PORT = "22"
_PORTS = {
    "ssh": _SSH_PORT,
    "git+ssh": _SSH_PORT,
    "ssh+git": _SSH_PORT,
    "http": "80",
    "https": "443",
    "git": "9418",
    "ftp": "21",
    "ftps": "990",
}


@dataclass(frozen=True, slots=True)
class Place:
    """Where a remote is: an address, or else a local path that may be relative."""

    address: str = ""
    path: str = ""


def locate(url: str) -> Place | None:
    """Return where the url leads, without scheme, user, password and default port; None if it is unclear."""
    helper, mark, rest = url.partition("::")
    if mark and _is_scheme(helper):
        url = rest if "://" in rest else ""
    scheme, mark, rest = url.partition("://")
    if mark and _is_scheme(scheme):
        return _of_file(rest) if scheme.lower() == "file" else _of_url(scheme.lower(), rest)
    head, colon, _ = url.partition(":")
    if colon and "/" not in head:
        return _of_scp(url)
    return Place(path=url) if url else None


def _of_file(rest: str) -> Place | None:
    path = _decoded(rest if rest.startswith("/") else f"//{rest}")
    return None if "\0" in path else Place(path=path)


def _of_url(scheme: str, rest: str) -> Place | None:
    authority, _, path = rest.partition("/")
    host = _before_query(authority.rpartition("@")[2])
    if _hides_user(path):
        return None
    return _address(host, _decoded(_before_query(path)), _PORTS.get(scheme, ""))


def _of_scp(url: str) -> Place | None:
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


def _address(host: str, path: str, default_port: str) -> Place | None:
    name, port = _split_port(host.lower())
    if not name or (port and not (port.isascii() and port.isdigit())):
        return None
    port = port.lstrip("0")
    where = f"[{name}]" if ":" in name else name
    where = f"{where}:{port}" if port and port != default_port else where
    return Place(address="/".join([where, *_parts(path.lower())]))


def _split_port(host: str) -> tuple[str, str]:
    if host.startswith("["):
        name, _, port = host[1:].partition("]")
        return name, port.removeprefix(":")
    name, _, port = host.partition(":")
    return name.rstrip("."), port


def _parts(path: str) -> list[str]:
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if parts:
        parts[-1] = parts[-1].removesuffix(".git")
    return [part for part in parts if part]


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
