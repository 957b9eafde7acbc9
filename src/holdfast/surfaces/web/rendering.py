"""Templates: Jinja that escapes always, and what templates may call."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from holdfast.base.package import __version__


@cache
def environment() -> Environment:
    """Return the templates of the page."""
    made = Environment(
        loader=PackageLoader("holdfast.surfaces.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.globals["version"] = __version__
    made.filters["ago"] = ago
    return made


def rendered(name: str, data: Mapping[str, Any]) -> str:
    """Return the text of a template."""
    return environment().get_template(name).render(data)


def ago(at: str) -> str:
    """Return how long ago a time of ours was, in the largest unit that tells it."""
    try:
        seconds = (datetime.now(UTC) - datetime.fromisoformat(at.replace("Z", "+00:00"))).total_seconds()
    except (TypeError, ValueError):
        return at
    for unit, length in (("y", 31_557_600), ("mo", 2_629_800), ("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= length:
            return f"{int(seconds // length)} {unit} ago"
    return "just now"
