"""An entry of the catalogue as one Markdown file: front matter, title, statement, `## Evidence`, `## Distributed`.

A person may edit the file. A change sets names of the front matter, replaces the title or the statement where these
changed, and adds or takes out single lines of evidence and of where it is distributed; every other byte stays. The
statement ends at the first heading of the second level; sections that we do not know are the person's.

Checking. A file that cannot be read as an entry is a problem, and stays as it is.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from holdfast.errors import BrokenFile
from holdfast.patterns.clusters import Quote
from holdfast.patterns.signal_files import KINDS
from holdfast.records import Scope
from holdfast.store import front_matter
from holdfast.store.front_matter import Document, Value

FOLDER = "patterns"
STATUSES = ("approved", "withdrawn", "retired")
EVIDENCE = "## Evidence"
DISTRIBUTED = "## Distributed"
MAX_QUOTES = 20
MAX_QUOTE = 500
_WAY_OUT = "Mend it in an editor, or go back to a version: holdfast patterns history {}"
_APART = " · "
_TEXTS = ("kind", "signature", "status", "owner", "domain", "created", "updated", "change")
_LISTS = ("also", "projects", "fingerprints")
_FLAGS = ("good", "bound")
# All names of the front matter, in the order in which a new file has them.
_FIELDS = (
    *("id", "kind", "signature", "also", "good", "status", "owner", "projects", "bound", "domain", "fingerprints"),
    *("created", "updated", "version", "change"),
)


@dataclass(frozen=True, slots=True)
class Target:
    """Where a pattern was handed to.

    `to` is memory, lesson, rules, skill or warning; `where` the file, folder, key or fingerprint; `agents` those that
    read it; `scope` as it is written (`global`, `project/ID`); `version` that of the entry; `withdrawn` when it ended.
    """

    to: str
    where: str
    agents: tuple[str, ...] = ()
    scope: str = "global"
    version: int = 1
    at: str = ""
    withdrawn: str = ""

    @property
    def holds(self) -> bool:
        """Whether it was not withdrawn."""
        return not self.withdrawn

    @property
    def held_in(self) -> Scope:
        """The scope that it is written with."""
        kind, _, owner = self.scope.replace(":", "/", 1).partition("/")
        return Scope(kind, owner)


@dataclass(frozen=True, slots=True)
class CatalogueEntry:
    """An approved pattern. `also` has what was merged into it, each written as `kind: signature`.

    `bound`: it is about its projects only. `fingerprints` are those of its failures, as fixes have them. `change` says
    what made this version.
    """

    id: str
    kind: str
    signature: str
    title: str
    statement: str
    status: str = "approved"
    owner: str = ""
    created: str = ""
    updated: str = ""
    version: int = 1
    evidence: tuple[Quote, ...] = ()
    targets: tuple[Target, ...] = ()
    also: tuple[str, ...] = ()
    good: bool = False
    projects: tuple[str, ...] = ()
    bound: bool = False
    domain: str = ""
    fingerprints: tuple[str, ...] = ()
    change: str = ""

    @property
    def signals(self) -> tuple[tuple[str, str], ...]:
        """The kind and signature of every signal by which it recurs: its own, and those that were merged.

        A success that was merged into a problem, as a fix into its failure, is evidence, and no recurrence.
        """
        others = [(kind, text) for kind, _, text in (one.partition(": ") for one in self.also) if text]
        is_other_side = {kind for kind, _ in others if kind in KINDS and KINDS[kind].good != self.good} - {self.kind}
        return ((self.kind, self.signature), *(one for one in others if one[0] not in is_other_side))

    @property
    def live(self) -> tuple[Target, ...]:
        """Where it is distributed now."""
        return tuple(one for one in self.targets if one.holds)


def created(entry: CatalogueEntry) -> str:
    """Return the text of the file of a new entry."""
    values = _values(entry)
    body = f"\n# {entry.title}\n\n{entry.statement}\n\n{EVIDENCE}\n\n{''.join(map(quote_text, entry.evidence))}"
    text = front_matter.written({name: values[name] for name in _FIELDS}, body)
    return text + (f"\n{DISTRIBUTED}\n\n" + "".join(map(target_text, entry.targets)) if entry.targets else "")


def changed(text: str, before: CatalogueEntry, after: CatalogueEntry) -> str:
    """Return the text of a file with what differs between the two entries; all else stays as it is."""
    document = front_matter.parse(text)
    values = _values(after)
    document = front_matter.change(document, {name: values[name] or None for name in _FIELDS})
    sections = _sections(document.body)
    if (after.title, after.statement) != (before.title, before.statement):
        sections[0] = _opening(sections[0], after, document.newline)
    _revise(sections, EVIDENCE, map(quote_text, before.evidence), map(quote_text, after.evidence), document.newline)
    _revise(sections, DISTRIBUTED, map(target_text, before.targets), map(target_text, after.targets), document.newline)
    return _joined(document, sections)


def numbered(text: str, version: int, change: str, at: str) -> str:
    """Return the text of a file as that version."""
    values: dict[str, Value | None] = {"updated": at, "version": front_matter.Plain(version), "change": change}
    return str(front_matter.change(front_matter.parse(text), values))


def without(text: str, quotes: tuple[Quote, ...]) -> str:
    """Return the text of a file without these pieces of evidence."""
    document = front_matter.parse(text)
    sections = _sections(document.body)
    _revise(sections, EVIDENCE, map(quote_text, quotes), (), document.newline)
    return _joined(document, sections)


def quote_text(one: Quote) -> str:
    """Return the lines of one piece of evidence."""
    names = (line(name).replace(_APART.strip(), "-") for name in (one.agent, one.session))
    head = _APART.join((one.at, *names, f"line {one.line}"))
    return f"- {head}\n  > {line(one.text)}\n"


def target_text(one: Target) -> str:
    """Return the line of one place where the pattern was handed to."""
    times = f"{one.at} to {one.withdrawn}" if one.withdrawn else one.at
    is_plain = one.where.isprintable() and one.where == one.where.strip() and not one.where.startswith('"')
    where = one.where if is_plain else json.dumps(one.where)
    return f"- {_APART.join((one.to, one.scope, ', '.join(one.agents), f'version {one.version}', times, where))}\n"


def read(text: str, name: str) -> CatalogueEntry:
    """Return the entry that the text of a file holds; BrokenFile says what cannot be used of it, and in which line."""
    flawed = flaw(text)
    if flawed is not None:
        raise BrokenFile(f"{FOLDER}/{name}.md:{flawed[0]}: {flawed[1]}", _WAY_OUT.format(name))
    document = front_matter.parse(text)
    given = front_matter.values(document)[0]
    told = {key: value for key, value in given.items() if isinstance(value, str)}
    sections = _sections(document.body.replace("\r\n", "\n"))
    title, statement = _said(sections[0])
    texts = {field: told.get(field, "") for field in _FIELDS}
    values: dict[str, Any] = {field: texts[field] for field in _TEXTS}
    values |= {field: texts[field].lower() in ("true", "yes") for field in _FLAGS}
    for field in _LISTS:
        several = given.get(field, ())
        values[field] = tuple(filter(None, (several,) if isinstance(several, str) else several))
    return CatalogueEntry(
        id=name,
        title=title or statement.split("\n")[0][:80],
        statement=statement,
        version=number_in(texts["version"]) or 1,
        evidence=tuple(_quotes(_section(sections, EVIDENCE).split("\n"))),
        targets=tuple(_targets(_section(sections, DISTRIBUTED).split("\n"))),
        **values,
    )


def flaw(text: str) -> tuple[int, str] | None:
    """Return the first line for which a text is no entry, and what is wrong there; None where it is one."""
    document = front_matter.parse(text)
    given, broken = front_matter.values(document)
    if broken:
        return broken[0]
    lines = {one.name: one.line for one in document.entries}
    for name in ("kind", "signature", "status"):
        if not isinstance(given.get(name), str) or not given[name]:
            return lines.get(name, 1), f"it has no {name}"
    if given["status"] not in STATUSES:
        return lines["status"], f"{given['status']!a} is not a status; it is one of {', '.join(STATUSES)}"
    if not _said(_sections(document.body.replace("\r\n", "\n"))[0])[1]:
        return text[: len(text) - len(document.body)].count("\n") + 1, "it has no text that agents could be told"
    return None


def line(text: str, most: int = MAX_QUOTE) -> str:
    """Return the text in one line, cut where it is longer than allowed."""
    return " ".join(text.split())[:most]


def _values(entry: CatalogueEntry) -> dict[str, Value]:
    plain: dict[str, Value] = {name: getattr(entry, name) for name in _FIELDS}
    flags = {name: front_matter.Plain("true" if getattr(entry, name) else "") for name in _FLAGS}
    return {**plain, **flags, "version": front_matter.Plain(entry.version)}


def has_heading(statement: str) -> bool:
    """Whether a line of the statement would be read as a heading of the file."""
    is_code = False
    for each in statement.split("\n"):
        is_code ^= each.startswith("```")
        if each.startswith(("# ", "## ")) and not is_code:
            return True
    return is_code


def _sections(body: str) -> list[str]:
    """Cut the body before each heading of the second level; the pieces together are the body."""
    pieces = [""]
    is_code = False
    for each in body.split("\n"):
        is_code ^= each.startswith("```")
        if each.startswith("## ") and not is_code:
            pieces.append("")
        pieces[-1] += each + "\n"
    # The last line has no ending of its own.
    pieces[-1] = pieces[-1][:-1]
    return pieces


def _joined(document: Document, sections: list[str]) -> str:
    whole = str(document)
    return whole[: len(whole) - len(document.body)] + "".join(sections)


def _section(sections: list[str], heading: str) -> str:
    return next((one for one in sections if _is(one, heading)), "")


def _is(section: str, heading: str) -> bool:
    return section.split("\n", 1)[0].rstrip() == heading


def _said(opening: str) -> tuple[str, str]:
    """Return the title and the statement."""
    lines = opening.strip().split("\n")
    has_title = lines[0].startswith("# ")
    return (lines[0][2:].strip(), "\n".join(lines[1:]).strip()) if has_title else ("", opening.strip())


def _opening(text: str, after: CatalogueEntry, newline: str) -> str:
    """Return the first section with the new title and statement; blank lines before and after them stay."""
    said = text.strip()
    head, tail = text.partition(said)[::2] if said else ("\n", "\n\n")
    return head + f"# {after.title}\n\n{after.statement}".replace("\n", newline) + tail


def _revise(sections: list[str], heading: str, before: Iterable[str], after: Iterable[str], newline: str) -> None:
    """Take out of the section of that heading what is no more, and add at its end what is new."""
    old, new = list(before), list(after)
    gone, added = [one for one in old if one not in new], [one for one in new if one not in old]
    if not (gone or added):
        return
    place = next((i for i, one in enumerate(sections) if _is(one, heading)), -1)
    if place < 0:
        sections[-1] = sections[-1].rstrip("\r\n") + newline * 2
        sections.append(f"{heading}{newline}{newline}")
        place = len(sections) - 1
    text = sections[place].replace("\r\n", "\n")
    for one in gone:
        text = text.replace(one, "", 1)
    if added:
        end = "\n" if place + 1 < len(sections) else ""
        is_bare = text.strip() == heading
        text = text.rstrip("\n") + ("\n\n" if is_bare else "\n") + "".join(added) + end
    sections[place] = text.replace("\n", newline)


def _quotes(lines: list[str]) -> Iterator[Quote]:
    head: list[str] = []
    for each in lines:
        if each.startswith("- "):
            head = each[2:].split(_APART)
        elif each.startswith("  > ") and len(head) == 4:
            at, agent, session, place = head
            yield Quote(session=session, agent=agent, line=number_in(place.removeprefix("line ")), text=each[4:], at=at)
            head = []


def _targets(lines: list[str]) -> Iterator[Target]:
    for each in lines:
        parts = each[2:].split(_APART, 5) if each.startswith("- ") else []
        if len(parts) != 6:
            continue
        to, scope, agents, version, times, where = parts
        at, _, withdrawn = times.partition(" to ")
        names = tuple(name.strip() for name in agents.split(",") if name.strip())
        number = number_in(version.removeprefix("version "))
        with suppress(ValueError):
            where = str(json.loads(where)) if where.startswith('"') else where
        yield Target(to, where, names, scope, number, at, withdrawn)


def number_in(text: str) -> int:
    """Return the number that a person may have written; 0 where it is none."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else 0
