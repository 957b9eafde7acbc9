"""JSON schemas of arguments and results in their plainest form: no references, no null, no titles.

Agents hand these schemas to models of many makers, and not all of them read the finer points.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ValidationError


def schema_of(model: type[BaseModel], mode: Literal["validation", "serialization"]) -> dict[str, Any]:
    """Return the schema of what a tool takes or of what it answers; an answer always has all of its fields."""
    full = model.model_json_schema(mode=mode)
    made: dict[str, Any] = _plain(full, full.get("$defs", {}), whole=mode == "serialization")
    made.pop("description", None)
    return {"type": "object", "properties": {}, **made}


def _plain(node: Any, parts: dict[str, Any], *, whole: bool) -> Any:
    if isinstance(node, list):
        return [_plain(one, parts, whole=whole) for one in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return _plain(parts[node["$ref"].rpartition("/")[2]], parts, whole=whole)
    left_out = {"$defs", "title", "properties", *(("default", "required") if whole else ())}
    made = {name: _plain(value, parts, whole=whole) for name, value in node.items() if name not in left_out}
    if "properties" in node:
        made["properties"] = {name: _plain(value, parts, whole=whole) for name, value in node["properties"].items()}
        if whole:
            made["required"] = list(made["properties"])
    return _without_null(made)


def _without_null(node: dict[str, Any]) -> dict[str, Any]:
    """Return an optional value as its one kind; leaving it out says the same as null."""
    kinds = [kind for kind in node.get("anyOf", ()) if kind != {"type": "null"}]
    if len(kinds) != 1:
        return node
    rest = {
        name: value for name, value in node.items() if name != "anyOf" and not (name == "default" and value is None)
    }
    return {**kinds[0], **rest}


def complaint(problem: ValidationError, model: type[BaseModel]) -> str:
    """Return in words which arguments are wrong, and what they should be; never what was given."""
    told: dict[str, str] = {}
    for error in problem.errors(include_url=False, include_input=False, include_context=False):
        name = str(error["loc"][0]) if error["loc"] else "the arguments"
        field = model.model_fields.get(name)
        if field is None:
            told[_shown(name)] = f"there is no such argument; there is {', '.join(model.model_fields) or 'none'}"
        else:
            about = f" ({field.description})" if field.description else ""
            told[name] = f"{error['msg'][:200]}{about}"
    return "; ".join(f"{name}: {text}" for name, text in told.items())


def _shown(name: str) -> str:
    return "".join(letter for letter in name[:60] if letter.isprintable())
