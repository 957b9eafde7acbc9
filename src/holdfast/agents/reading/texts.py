"""What the readers make of content: text within its bound, without base64, that can be written as UTF-8."""

from __future__ import annotations

import binascii
import hashlib
import re
from typing import Any

import msgspec

MAX_TEXT = 200_000
MAX_OUTPUT = 20_000
# The kinds of blocks in which a person speaks.
TYPED = (None, "text", "input_text", "image", "input_image", "document", "file", "input_file")
_PIECE = 2**20
_DEPTH = 40
_LONG_WORD = 1_024
_DATA_URI = re.compile(r"data:[\w.+-]+/[\w.+-]+(?:;[\w.=+-]+)*;base64,([A-Za-z0-9+/_=-]{64,})")
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{1024,}={0,2}\s*")
_STUB = "[image sha256:"
_URL_SAFE = {ord("-"): "+", ord("_"): "/"}
_SURROGATE = re.compile("[\ud800-\udfff]")
_encode = msgspec.json.Encoder(order="deterministic").encode


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
        return {key: _member(value, key, one, depth) for key, one in value.items()}
    return value


def _member(owner: dict[str, Any], key: str, value: Any, depth: int) -> Any:
    if key == "data" and isinstance(value, str) and ("media_type" in owner or "mimeType" in owner):
        return stub(value)
    return without_bulk(value, depth + 1)


def _without_bulk_text(text: str) -> str:
    if ";base64," in text:
        text = _DATA_URI.sub(lambda found: stub(found[1]), text)
    # A word of this length has no space in its beginning: that is cheap to see, and true of little else.
    return stub(text.strip()) if _BASE64.match(text, 0, 4_096) and _BASE64.fullmatch(text) else text


def stub(data: str) -> str:
    """Return what stands for base64 data: hash and size of the bytes. What stands for it already stays."""
    if data.startswith(_STUB):
        return data
    digest, size = hashlib.sha256(), 0
    try:
        # In pieces: data of the size of the longest line would be held several times over.
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
    for name in ("text", "content", "output", "output_text"):
        if isinstance(content.get(name), (str, list, dict)):
            return text_of(content[name], depth + 1)
    return _image(content)


def is_typed(block: Any) -> bool:
    """Whether a block of a message may be what a person typed or put in; one of an unknown kind is a program's."""
    if not isinstance(block, dict):
        return True
    return block.get("type") in TYPED and "tool_use_id" not in block


def _image(block: dict[str, Any]) -> str:
    source = block.get("source", block.get("image_url", block.get("inlineData")))
    if isinstance(source, dict):
        source = source.get("data", source.get("url"))
    source = block.get("data") if source is None else source
    if not isinstance(source, str):
        return ""
    if len(source) > 100 or source.startswith(_STUB):
        return stub(source.partition(";base64,")[2] or source)
    return f"[image {source}]"


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
