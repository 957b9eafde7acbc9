"""Forgetting a session takes its quotes, and the names of its incidents, out of the pages that ratings made."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial

from holdfast.base import files
from holdfast.learning.incidents.forget import incidents_of
from holdfast.learning.synthesis.write import FOLDER
from holdfast.records import Step
from holdfast.sessions.parts import Change, ForgetTarget

_ONE_OF_A_FORGOTTEN_SESSION = "of a forgotten session"


def forget(target: ForgetTarget) -> Iterator[Change]:
    """Yield the pages that lose a quote."""
    gone = [one.name for one in incidents_of(target)]
    for here, _, found in sorted(os.walk(os.path.join(target.home, FOLDER))):
        for path in [os.path.join(here, name) for name in sorted(found) if name.endswith(".md")]:
            before = files.read(path).decode("utf-8", "surrogateescape")
            after = "\n".join([_without_quote(line, target, gone) for line in before.split("\n")])
            if after != before:
                place = os.path.relpath(path, target.home)
                yield Change(Step("redact", place, "its quotes"), partial(_write, target.home, place, after))


def _write(home: str, place: str, text: str) -> None:
    files.refuse_links(home, os.path.dirname(place))
    files.write(os.path.join(home, place), text.encode("utf-8", "surrogateescape"))


def _without_quote(line: str, target: ForgetTarget, gone: list[str]) -> str:
    for name in gone:
        line = line.replace(name, _ONE_OF_A_FORGOTTEN_SESSION)
    first, last = line.find('"'), line.rfind('" (rated ')
    if last <= first or not (f", {target.name})" in line or f", {target.name}, " in line):
        return line
    return line[:first] + line[last + 2 :]
