"""What the fields of a transcript say, whatever stands in them: texts, times, counts, tables and lists.

A field of another kind than expected is empty, never an error. A text is within its bound, without base64, and can be
written as UTF-8. A time is ISO 8601 in UTC with milliseconds and `Z`, such that times sort as texts.
"""

from __future__ import annotations

import binascii
import hashlib
import os
import re
from datetime import UTC, datetime
from typing import Any

import msgspec

MAX_TEXT = 200_000
MAX_OUTPUT = 20_000
# The kinds of blocks in which a person speaks; the text of an attached file is not theirs.
IMAGES = ("image", "input_image", "image_url")
TYPED = (None, "text", "input_text", *IMAGES)
_PIECE = 2**20
_MAX_COUNT = 10**15
_DEPTH = 40
_LONG_WORD = 1_024
_DATA_URI = re.compile(r"data:[\w.+-]+/[\w.+-]+(?:;[\w.=+-]+)*;base64,([A-Za-z0-9+/_=-]{64,})")
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{1024,}={0,2}\s*")
_STUB = "[image sha256:"
_URL_SAFE = {ord("-"): "+", ord("_"): "/"}
_SURROGATE = re.compile("[\ud800-\udfff]")
_encode = msgspec.json.Encoder(order="deterministic").encode


def field(record: Any, *names: str) -> str:
    """Return the first of these fields that is a text and not empty."""
    if isinstance(record, dict):
        for name in names:
            value = record.get(name)
            if isinstance(value, str) and value:
                return value
    return ""


def as_dict(value: Any) -> dict[str, Any]:
    """Return the value where it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    """Return the value where it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def blocks(content: Any) -> list[Any]:
    """Return the blocks of a message; what is no list is one block."""
    return content if isinstance(content, list) else [content]


def whole(value: Any) -> int:
    """Return a count; 0 for what is none."""
    if value.__class__ is int:
        return int(value) if 0 < value < _MAX_COUNT else 0
    return (
        int(value) if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < _MAX_COUNT else 0
    )


def counts(usage: Any, *names: str) -> list[int]:
    """Return the counts of these names; of names with a `|` between them that of the first that is there."""
    known = as_dict(usage)
    return [whole(next((known[name] for name in each.split("|") if name in known), 0)) for each in names]


def apart(given: int, output: int, cached: int, made: int, reasoning: int) -> tuple[int, int, int, int, int]:
    """Return counts as `Costs.add` takes them, where the cache is part of the input and reasoning of the output."""
    reasoning = min(reasoning, output)
    return max(0, given - cached - made), output - reasoning, cached, made, reasoning


def dollars(value: Any) -> float:
    """Return a price; 0 for what is none."""
    return value if isinstance(value, (int, float)) and 0 < value < 1e9 else 0.0


def stem(path: str) -> str:
    """Return the name of a file without folder and ending."""
    return os.path.basename(path).partition(".")[0]


def writable(value: Any) -> Any:
    """Return the value without lone surrogates, which no UTF-8 has."""
    if isinstance(value, str):
        return _SURROGATE.sub("�", value)
    if isinstance(value, list):
        return [writable(one) for one in value]
    if isinstance(value, dict):
        return {writable(key): writable(one) for key, one in value.items()}
    return value


def without_bulk(value: Any, depth: int = 0) -> Any:
    """Return the value with base64 and data URIs replaced by hash and size."""
    if isinstance(value, str):
        return _without_bulk_text(value) if len(value) >= _LONG_WORD else value
    if depth > _DEPTH:
        return "[nested too deep]" if isinstance(value, (dict, list)) else value
    if isinstance(value, list):
        return [without_bulk(one, depth + 1) for one in value]
    if isinstance(value, dict):
        has_kind = "media_type" in value or "mimeType" in value
        return {
            key: stub(one) if has_kind and key == "data" and isinstance(one, str) else without_bulk(one, depth + 1)
            for key, one in value.items()
        }
    return value


def _without_bulk_text(text: str) -> str:
    if ";base64," in text:
        text = _DATA_URI.sub(lambda found: stub(found[1]), text)
    # Data has no space at its beginning: a cheap test that little else passes.
    return stub(text.strip()) if _BASE64.match(text, 0, 4_096) and _BASE64.fullmatch(text) else text


def stub(data: str) -> str:
    """Return what stands for base64 data: hash and size of the bytes. What stands for it already stays."""
    if data.startswith(_STUB):
        return data
    digest, size = hashlib.sha256(), 0
    try:
        # In pieces, because data as large as the longest line would be held several times over.
        for start in range(0, len(data), _PIECE):
            piece = binascii.a2b_base64(data[start : start + _PIECE].translate(_URL_SAFE))
            digest.update(piece)
            size += len(piece)
    except ValueError:
        digest, size = hashlib.sha256(data.encode("utf-8", "replace")), len(data)
    return f"{_STUB}{digest.hexdigest()[:12]} {size} bytes]"


def text_of(content: Any, depth: int = 0) -> str:
    """Return the text of a message: a text, a block, or a list of them; an image is its hash and size."""
    if isinstance(content, str):
        return _without_bulk_text(content) if len(content) >= _LONG_WORD else content
    if isinstance(content, list):
        return "\n".join(text for text in (text_of(one, depth + 1) for one in content) if text)
    if not isinstance(content, dict) or depth > _DEPTH:
        return "" if content is None else str(content)[:MAX_TEXT]
    for name in ("text", "content", "output", "output_text") if content.get("type") not in IMAGES else ():
        if isinstance(content.get(name), (str, list, dict)):
            return text_of(content[name], depth + 1)
    return _image(content)


def is_typed(block: Any) -> bool:
    """Whether a block of a message may be what a person typed or put in; one of an unknown kind is a program's."""
    if not isinstance(block, dict):
        return True
    return block.get("type") in TYPED and not is_result(block)


def is_result(block: Any) -> bool:
    """Whether a block of a message is what a tool answered: what stands beside it may be the tool's, too."""
    known = as_dict(block)
    return (
        "tool_use_id" in known or "functionResponse" in known or "tool_result" in field(known, "type").replace("-", "_")
    )


def _image(block: dict[str, Any]) -> str:
    source = block.get("source", block.get("image_url", block.get("inlineData")))
    if isinstance(source, dict):
        source = source.get("data", source.get("url"))
    source = block.get("data") if source is None else source
    # Of an address, too, only the hash is kept: it may spell words.
    return stub(source.partition(";base64,")[2] or source) if isinstance(source, str) else ""


def cut(text: str, most: int) -> str:
    """Return the text within its bound: the beginning and, where much is cut, the end, with a mark between."""
    if len(text) <= most:
        return text
    tail = most * 2 // 5
    return f"{text[: most - tail]}\n[... {len(text) - most} characters cut ...]\n{text[-tail:]}"


def input_text(value: Any) -> str:
    """Return what a tool was given as bounded text: a text as it is, all else as JSON that stays JSON when cut."""
    if value is None:
        return ""
    if isinstance(value, str):
        return cut(text_of(value), MAX_OUTPUT)
    try:
        found = _encode(value if _is_small(value) else without_bulk(value)).decode("utf-8")
        if len(found) > MAX_OUTPUT:
            found = _encode(_shortened(value)).decode("utf-8")
    except (TypeError, ValueError, RecursionError):
        return ""
    return cut(found, MAX_OUTPUT)


def _is_small(value: Any) -> bool:
    """Whether this is an object of a few short texts and numbers, as most calls are given: no bulk can be in it."""
    if not isinstance(value, dict) or "data" in value:
        return False
    for one in value.values():
        if isinstance(one, str):
            if len(one) >= _LONG_WORD:
                return False
        elif not isinstance(one, int):
            return False
    return True


def _shortened(value: Any, depth: int = 0) -> Any:
    if isinstance(value, str):
        return cut(text_of(value), 4_000)
    if depth > 8:
        return None
    if isinstance(value, list):
        return [_shortened(one, depth + 1) for one in value[:40]]
    if isinstance(value, dict):
        return {key[:200]: _shortened(one, depth + 1) for key, one in list(value.items())[:40]}
    return value


def when(value: Any) -> str:
    """Return a time as text; nothing where it is none. Numbers are seconds or milliseconds since 1970."""
    try:
        if isinstance(value, str):
            moment = datetime.fromisoformat(value)
            # It may be in that form already; a week may stand in the month's place.
            ends = len(value) == 24 and value[10] + value[19] + value[23] == "T.Z" and value[5] != "W"
            return value if ends else _utc(moment)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0:
            return _utc(datetime.fromtimestamp(value / 1_000 if value > 1e11 else value, UTC))
    except (ValueError, OverflowError, OSError):
        pass
    return ""


def _utc(moment: datetime) -> str:
    moment = moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    return moment.replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"


def milliseconds(start: str, end: str) -> int:
    """Return the time between two times, 0 where either is missing or they run backwards."""
    try:
        gap = datetime.fromisoformat(end) - datetime.fromisoformat(start)
    except (ValueError, TypeError):
        return 0
    return max(0, round(gap.total_seconds() * 1_000))
