"""Proposals: what was found and waits for a person's word before it becomes standing memory.

Identity. A proposal is one Markdown file `proposals/<id>.md`; its id stands for its scope and what it said when it was
made, so that the same finding is the same proposal. A person may edit the file.

Kinds. What a proposal would become: a `memory`, an entry on the `page` of its project, or a `lesson` that stands. One
of the kind `end` would withdraw the memory that it `replaces`, `still` asks whether that one holds; a `memory` may
replace one, too. One of the kind `again` was stored here and forgotten on another machine, and neither knew of that.

Writing. A file is written whole and durably, or not at all. A decision removes it: what is approved is kept first, what
is rejected has its line in `rejected.tsv` first (id, time, reason), so that a crash in between loses nothing.

Sticking. An id in `rejected.tsv` is never proposed again. The words themselves are nowhere in it. Delete a line to
allow that proposal again. One that waits again, because a person undid the rejection, counts as waiting. What was heard
in a message has a second line for that message once it is decided either way: read otherwise by newer rules, it is the
same proposal.

Later. `snoozed.tsv` has a line for each proposal that a person put off (id, until when); the last one of an id holds.

Checking. A file that cannot be read as a proposal is a problem, and stays as it is.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from holdfast.base import files, rows
from holdfast.base.text import by_prefix, hash_of
from holdfast.errors import BadInput, BrokenFile, Conflict, HoldfastError, NotFound, Refused
from holdfast.records import TYPES, Problem, Proposal, Scope
from holdfast.store import front_matter, layout, memory_file
from holdfast.store.front_matter import Value

FOLDER = "proposals"
REJECTED = "rejected.tsv"
SNOOZED = "snoozed.tsv"
# The source of what was heard in a person's messages behind their session.
JUDGE = "judge"
# How the evidence of something heard in one message begins; its session and its place there follow.
SAID_IN = "said in "
# The separator between messages where it was heard in several, and how many are named.
_TOO, _MAX_HEARD = "; ", 5
KINDS = ("memory", "page", "lesson", "end", "still", "todo", "log", "again")
ID_LENGTH = 8
_REPLACES = b"\nreplaces:"
_ENDING = ("memory", "end")
MAX_READ = 1_048_576
_FIELDS = (
    *("id", "kind", "scope", "owner", "type", "tags", "status", "created", "agent", "source", "evidence"),
    "replaces",
)


def same(text: str) -> str:
    """Return the text as statements are compared: case, white space, emphasis and a last full stop do not count."""
    words = [word.replace("`", "").removeprefix("**") for word in text.casefold().split()]
    return " ".join(word.removesuffix("**").removesuffix("**.") for word in words if word).rstrip(".")


def id_of(scope: Scope, text: str) -> str:
    """Return the id of a statement in a scope, the same however it is spaced or stressed."""
    return hash_of(str(scope), same(text), length=ID_LENGTH)


def messages_of(proposal: Proposal) -> list[str]:
    """Return the messages that it was heard in, each as the evidence names it; none where it was found otherwise."""
    return proposal.evidence.split(_TOO) if proposal.evidence.startswith(SAID_IN) else []


def heard_in(proposal: Proposal) -> tuple[str, ...]:
    """Return the ids of the messages in which it was heard, whatever was made of their words."""
    return tuple(hash_of(each, length=ID_LENGTH) for each in messages_of(proposal))


class Proposals:
    """The proposals of one home. Nothing is made where there are none."""

    def __init__(self, home: str) -> None:
        self.folder = os.path.join(home, FOLDER)

    def ids(self) -> list[str]:
        """Return the ids of all that wait, by the names of their files alone."""
        return [name[:-3] for name in files.names_in(self.folder, ".md") if layout.is_text(name)]

    def all(self) -> tuple[list[Proposal], list[Problem]]:
        """Return all that wait, oldest first, and a problem for each file that is not a proposal."""
        found: list[Proposal] = []
        problems: list[Problem] = []
        for name in self.ids():
            try:
                found.append(self._read(name))
            except NotFound:
                continue
            except HoldfastError as problem:
                path = f"{FOLDER}/{name}.md"
                problems.append(Problem("proposal", path, str(problem), problem.hint, severity="error"))
        return sorted(found, key=_order), problems

    def taking_back(self) -> list[Proposal]:
        """Return those by which the person may have ended a memory; no more is read than it takes to know that.

        What an agent or another machine would have in a memory's place is not among them: it is not the person's word.
        """
        found = []
        for name in self.ids():
            if _REPLACES in files.read_if_there(self.path(name), MAX_READ):
                try:
                    found.append(self._read(name))
                except HoldfastError:
                    continue
        return [one for one in found if one.replaces and one.kind in _ENDING and one.source == JUDGE]

    def get(self, text: str) -> Proposal:
        """Return the proposal whose id begins with this."""
        return self._read(self.find(text))

    def find(self, text: str) -> str:
        """Return the id that begins with this; NotFound where there is none, BadInput where there are several."""
        known = {name: name for name in self.ids()}
        return by_prefix(text, known, "no proposal", "`holdfast proposals` lists those that wait.")

    def put(self, proposal: Proposal) -> None:
        """Write the proposal in place of what its file said."""
        self._make_folder()
        files.write(self.path(proposal.id), written(proposal).encode("utf-8"))

    def text(self, proposal: Proposal) -> str:
        """Return the text of the proposal's file, exactly."""
        return files.read(self.path(proposal.id), MAX_READ).decode("utf-8", "replace")

    def rewrite(self, proposal: Proposal, before: str, text: str) -> Proposal:
        """Write the file as a person edited it; Conflict where it changed meanwhile."""
        after = read(text, proposal.id)
        if self.text(proposal) != before:
            raise Conflict(f"{proposal.id} changed meanwhile; nothing was changed", "Edit it once more.")
        files.write(self.path(proposal.id), text.encode("utf-8"))
        return after

    def set_heard(self, proposal: Proposal, messages: list[str]) -> bool:
        """Write in which messages it was heard, all else stays as it is; return whether that is new."""
        evidence = _TOO.join(dict.fromkeys(messages[:_MAX_HEARD]))
        if evidence == proposal.evidence:
            return False
        document = front_matter.parse(self.text(proposal))
        files.write(self.path(proposal.id), str(front_matter.change(document, {"evidence": evidence})).encode("utf-8"))
        return True

    def drop(self, proposal: Proposal) -> None:
        """Remove the file of what was decided."""
        files.remove(self.path(proposal.id))

    def reject(self, ids: Iterable[str], reason: str, at: str) -> None:
        """Note that these are not to be proposed again."""
        known = self._lines(REJECTED)
        lines = [f"{name}\t{at}\t{' '.join(reason.split())}" for name in dict.fromkeys(ids) if name not in known]
        if lines:
            self._make_folder()
            rows.append(os.path.join(self.folder, REJECTED), lines, errors="strict")

    def rejected(self) -> frozenset[str]:
        """Return the ids that a person said no to, and that do not wait again."""
        return frozenset(self._lines(REJECTED)).difference(self.ids())

    def snooze(self, names: Iterable[str], until: str) -> None:
        """Note the time from which these are shown again."""
        self._make_folder()
        rows.append(os.path.join(self.folder, SNOOZED), [f"{name}\t{until}" for name in names])

    def snoozed(self, at: str) -> frozenset[str]:
        """Return the ids that are put off at that time."""
        return frozenset(name for name, until in self._lines(SNOOZED).items() if until > at)

    def _lines(self, name: str) -> dict[str, str]:
        """Return the rest of the line for each id; the last line of an id counts."""
        lines = [line.decode("utf-8", "replace") for line in rows.read(os.path.join(self.folder, name))]
        told = [line.split("\t") for line in lines if line.strip() and not line.startswith("#")]
        return {parts[0].strip(): parts[1].strip() if len(parts) > 1 else "" for parts in told}

    def path(self, name: str) -> str:
        """Return the file of that id."""
        return os.path.join(self.folder, f"{name}.md")

    def _make_folder(self) -> None:
        files.refuse_links(os.path.dirname(self.folder), FOLDER)
        files.make_folder(self.folder)

    def _read(self, name: str) -> Proposal:
        data = files.read(self.path(name), MAX_READ)
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            raise BrokenFile(f"{self.path(name)} is not UTF-8", "Save it as UTF-8.") from None
        return read(text, name)


def _order(proposal: Proposal) -> tuple[str, str, str, int, str]:
    """Return what puts proposals into the order in which a person read them: by time, then by file and line."""
    place, _, line = proposal.evidence.rpartition(" ")
    number = int(line) if line.isdecimal() and len(line) < 10 else 0
    return proposal.created, str(proposal.scope), place, number, proposal.id


def written(proposal: Proposal) -> str:
    """Return the text of the file of a proposal."""
    values: dict[str, Value] = {
        **{name: str(getattr(proposal, name)) for name in _FIELDS if name not in ("scope", "owner", "tags")},
        "scope": proposal.scope.kind,
        "owner": proposal.scope.owner,
        "tags": proposal.tags,
    }
    ordered = {name: values[name] for name in _FIELDS}
    return front_matter.written(ordered, f"\n# {proposal.title}\n\n{proposal.text}\n")


def read(text: str, name: str) -> Proposal:
    """Return the proposal that the text of a file holds; BrokenFile says what cannot be used of it."""
    document = front_matter.parse(text)
    given, broken = front_matter.values(document)
    if broken:
        raise BrokenFile(f"{name}.md:{broken[0][0]}: {broken[0][1]}", "Mend the front matter in an editor.")
    title, statement = _content(document.body)
    if not statement:
        raise BrokenFile(f"{name}.md says nothing", f"Write its text, or: holdfast proposals reject {name}")
    told = {key: value if isinstance(value, str) else ", ".join(value) for key, value in given.items()}
    tags, kind = given.get("tags", ()), told.get("scope", "")
    try:
        scope = layout.check_scope(Scope(kind, "" if kind == "global" else told.get("owner", "")))
    except (BadInput, Refused) as problem:
        raise BrokenFile(f"{name}.md has a scope that cannot be used: {problem}", problem.hint) from None
    return Proposal(
        id=name,
        text=statement,
        scope=scope,
        kind=_choice(told, "kind", KINDS, name),
        title=title or memory_file.first_words(statement),
        type=_choice({"type": told.get("type") or "project"}, "type", TYPES, name),
        tags=tuple(tag.strip() for tag in (tags.split(",") if isinstance(tags, str) else tags) if tag.strip()),
        source=told.get("source", ""),
        agent=told.get("agent", ""),
        evidence=told.get("evidence", ""),
        created=told.get("created", ""),
        replaces=told.get("replaces", ""),
    )


def _content(body: str) -> tuple[str, str]:
    """Return the title and the statement below the front matter."""
    lines = memory_file.tidy_text(body).split("\n")
    has_title = lines[0].startswith("# ") and lines[0][2:].strip()
    title, rest = (lines[0][2:].strip(), lines[1:]) if has_title else ("", lines)
    return title, memory_file.tidy_text("\n".join(rest))


def _choice(told: dict[str, str], field: str, allowed: tuple[str, ...], name: str) -> str:
    value = told.get(field, "")
    if value not in allowed:
        hint = f"Use one of {', '.join(allowed)}."
        raise BrokenFile(f"{name}.md: {field} is {value!r}", hint)
    return value
