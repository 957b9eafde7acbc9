"""Templates: Jinja that escapes always, shows hidden characters, and has a few words of its own.

Whatever a template prints is a text: control and invisible characters are written out, and then markup is
escaped. `markdown` renders stored Markdown without raw HTML and without images.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markdown_it import MarkdownIt
from markupsafe import Markup

from holdfast.base.package import __version__
from holdfast.base.terminal import harmless
from holdfast.base.text import count
from holdfast.records import SCOPES
from holdfast.surfaces.web.charts import share

_UNITS = (("y", 31_557_600), ("mo", 2_629_800), ("d", 86_400), ("h", 3_600), ("min", 60))
_PLACE = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
DiffLines = list[tuple[str, str]]


class Exact(str):
    """A text that a form gives back as it is: it is escaped, and nothing in it is written out."""


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
        finalize=_finalized,
    )
    made.globals.update(version=__version__, scopes_of_memories=SCOPES, count=count, share=share)
    made.filters.update(
        ago=ago,
        exact=Exact,
        markdown=markdown,
        money=lambda dollars: f"${dollars:,.2f}",
        path=lambda text: quote(text, safe=""),
        session=lambda name: "/".join(quote(part, safe="") for part in name.split("/", 1)),
        number=lambda value: f"{value:,}",
    )
    return made


def _finalized(value: Any) -> Any:
    return harmless(value) if isinstance(value, str) and not isinstance(value, (Exact, Markup)) else value


def rendered(name: str, data: Mapping[str, Any]) -> str:
    """Return the text of a template."""
    return environment().get_template(name).render(data)


def markdown(text: str) -> Markup:
    """Return Markdown as markup; HTML in it is shown as text, and no picture is fetched."""
    return Markup(_MARKDOWN.render(harmless(text)))  # noqa: S704


def ago(at: str) -> str:
    """Return how long ago a time of ours was, in the largest unit that tells it."""
    try:
        moment = datetime.fromisoformat(at.replace("Z", "+00:00"))
    except (TypeError, ValueError):
        return at
    seconds = (datetime.now(UTC) - (moment if moment.tzinfo else moment.replace(tzinfo=UTC))).total_seconds()
    found = next(((unit, length) for unit, length in _UNITS if seconds >= length), None)
    return f"{int(seconds // found[1])} {found[0]} ago" if found else "just now"


def differences(before: str, after: str) -> DiffLines:
    """Return what differs between two texts, line by line, each with `+`, `-` or a space before it."""
    lines = difflib.unified_diff(before.split("\n"), after.split("\n"), lineterm="", n=2)
    # Before the first line stand two that name texts without a name, and the place, which is the beginning.
    return signed(lines)[3:]


def signed(lines: Iterable[str]) -> DiffLines:
    """Return the lines of a unified difference with their signs; `@` is what names the files and places."""
    found: DiffLines = []
    old = new = 0
    for line in lines:
        if old > 0 or new > 0:
            sign = line[:1] or " "
            old, new = old - (sign in "- "), new - (sign in "+ ")
            found.append((sign, line[1:]))
            continue
        # A removed line may look like the name of a file, so how long a part is tells where it ends.
        if place := _PLACE.match(line):
            old, new = (int(many or 1) for many in place.groups())
        found.append(("@", line))
    return found
