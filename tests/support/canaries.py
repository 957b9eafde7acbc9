"""Texts to be erased, told in five encodings, and a look at every byte of a folder for what is left of them."""

from __future__ import annotations

import base64
import re
import subprocess
import zlib
from pathlib import Path
from urllib.parse import quote, unquote_to_bytes

import zstandard

# What every canary begins with, and ends with, and nothing else has.
MARK = re.compile(rb"x\d{3}lark|zqkestrel")
ENCODINGS = {
    "plain": lambda text: text,
    "upper case, other spaces": lambda text: text.upper().replace(" ", " \u00a0 "),
    "JSON escapes": lambda text: "".join(f"\\u{ord(sign):04x}" for sign in text),
    "base64": lambda text: base64.b64encode(f"see {text} ok".encode()).decode(),
    "percent-encoding": lambda text: quote(text),
}


def canary(number: int) -> str:
    """Return one of the texts."""
    return f"x{number:03d}lark nimbus vale {number:03d} zqkestrel"


def coded(number: int) -> str:
    """Return a canary as it is told, each time in another encoding."""
    return list(ENCODINGS.values())[number % len(ENCODINGS)](canary(number))


def holding(home: Path) -> list[str]:
    """Return every file and folder of the home, and every git repository in it, that has a mark by bytes or by name."""
    every = {str(path.relative_to(home)): path for path in sorted(home.rglob("*"))}
    found = [
        name
        for name, path in every.items()
        if MARK.search(name.lower().encode()) or (path.is_file() and MARK.search(_read_as_anything(_data_of(path))))
    ]
    depots = [name for name, path in every.items() if path.name == "objects" and (path.parent / "HEAD").is_file()]
    return found + [name for name in depots if MARK.search(_read_as_anything(_objects_of(every[name].parent)))]


def told_in(data: bytes) -> bool:
    """Whether bytes hold a mark, in any of the encodings."""
    return MARK.search(_read_as_anything(data)) is not None


def _data_of(path: Path) -> bytes:
    """Return what a file holds, decompressed where it is a raw session or an object of git."""
    data = path.read_bytes()
    if path.suffix == ".zst":
        return zstandard.ZstdDecompressor().stream_reader(data, read_across_frames=True).read()
    try:
        return zlib.decompress(data)
    except zlib.error:
        return data


def _objects_of(repository: Path) -> bytes:
    """Return all that git has in a repository, packed or not."""
    asked = ["git", "--git-dir", str(repository), "cat-file", "--batch-all-objects", "--batch"]
    return subprocess.run(asked, capture_output=True, check=True).stdout


def _read_as_anything(data: bytes) -> bytes:
    """Return bytes in small letters, and behind them whatever they may mean in any of the encodings."""
    found = [data, data.replace(b"\0", b""), unquote_to_bytes(data)]
    found.append(re.sub(rb"\\+u00([0-9a-fA-F]{2})", lambda match: bytes.fromhex(match[1].decode()), data))
    for run in re.findall(rb"[A-Za-z0-9+/_-]{12,}", data):
        digits = run.replace(b"-", b"+").replace(b"_", b"/")
        found += [base64.b64decode(digits[at : at + (len(digits) - at) // 4 * 4]) for at in range(4)]
    return b"\n".join(found).lower()
