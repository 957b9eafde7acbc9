"""What a draft makes of a memory: a new one, or what was there before with the draft put in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from holdfast.base.clock import now
from holdfast.base.text import check_text
from holdfast.errors import BadInput, ChangedMeanwhile, Conflict, Forgotten, NotFound, Refused, TooLarge
from holdfast.project.anchors import confirmed
from holdfast.records import TRUSTS, TYPES, Draft, Memory, Scope, Statement, Stored, replace
from holdfast.store import layout, memory_file
from holdfast.store.keys import check_key
from holdfast.store.kinds import is_of_the_person
from holdfast.store.words import digest

if TYPE_CHECKING:
    from holdfast.store.base import Store

_LOW_TRUST = ("derived", "import")
_MARKS, _QUOTES = ".,;:!", "\"'`*\u2018\u2019\u201c\u201d"
_ARTICLES = frozenset(("a", "an", "the", "der", "die", "das", "ein", "eine"))


def check(draft: Draft, largest: int) -> None:
    """Refuse a draft that cannot be stored. The size comes first: all else would take its time with megabytes."""
    size = len(draft.text.encode("utf-8", "surrogatepass"))
    if size > largest:
        hint = "Store what matters of it, or keep the file under data/ and store a memory that points to it."
        raise TooLarge(f"the text has {size:,} bytes, and a memory at most {largest:,}", hint)
    for text in (draft.text, draft.title or "", draft.source, draft.agent, draft.session, *(draft.tags or ())):
        check_text(text)
    if not draft.text.strip():
        raise BadInput("there is no text to remember", 'Example: holdfast remember "Deploys need the VPN."')
    for name, value, allowed in (("type", draft.type, TYPES), ("trust", draft.trust, TRUSTS)):
        if value is not None and value not in allowed:
            raise BadInput(f"{value!a} is not a {name}", f"Use one of {', '.join(allowed)}.")
    for key in (*(() if draft.key is None else (draft.key,)), *draft.supersedes):
        check_key(key)
    layout.check_scope(draft.scope)


def superseded(draft: Draft, key: str, read: Callable[[str], Memory | None]) -> list[Memory]:
    """Return what the draft supersedes, each as `read` finds it by its key; all of them must be there."""
    found = []
    for other in draft.supersedes:
        if other == key:
            raise Conflict(f"{key} cannot supersede itself", "Storing it again keeps the earlier statement as history.")
        memory = read(other)
        if memory is None:
            raise NotFound(f"no memory {other} in {draft.scope} to supersede", "`holdfast list` shows the keys.")
        found.append(memory)
    return found


def no_free_key(scope: Scope) -> Conflict:
    """Return the error of a text every key of which is another memory's."""
    return Conflict(f"other memories of {scope} have every key of this text", "Give it a key: --key.")


def not_there(scope: Scope, key: str) -> NotFound:
    """Return the error of a key under which there is nothing."""
    return NotFound(f"no memory {key} in {scope}", "`holdfast list` shows the keys.")


def check_free(there: object, scope: Scope, key: str) -> None:
    """Refuse to put a memory in the place of another; `there` is what was found in that place, or None."""
    if there is not None:
        raise Conflict(f"{scope} has a memory {key} already", "Give another key with --key.")


def check_was(key: str, was: str, text: str) -> None:
    """Refuse to change a memory whose text is no longer the one that the caller saw; "" stands for no memory."""
    if was != text:
        raise ChangedMeanwhile(f"{key} changed meanwhile; nothing was changed", "Look at it, then try again.")


def check_whose(draft: Draft, before: Memory | None, superseded: Sequence[Memory | None]) -> None:
    """Refuse a change to what the person laid down, or a replacement of it, by anybody else."""
    said_anew = before is not None and before.body != content_of(draft).statement
    for one in (*((before,) if said_anew else ()), *superseded) if draft.trust != "user" else ():
        if one is not None and is_of_the_person(one):
            hint = f"Ask them: `holdfast remember --key {one.key}`. What is new goes under another key."
            raise Refused(f"{one.key} is the person's own", hint)


def check_forgotten(store: Store, draft: Draft, key: str, statement: str, before: Memory | None) -> None:
    """Refuse to bring back what was forgotten unless the person does, or to import what was corrected since."""
    if draft.trust == "user":
        return
    if store.forgot(draft.scope, key, statement):
        hint = "Only the person can store it again: `holdfast remember`. What is new goes under another key."
        raise Forgotten(f"{key} was forgotten by the person", hint)
    if draft.trust not in _LOW_TRUST or (before is not None and before.body == statement):
        return
    earlier = before.history if before is not None else ()
    if digest(statement) in [digest(each.text) for each in earlier] or store.was_corrected(draft.scope, statement):
        raise Forgotten(f"{key} was corrected since", "Store it with `holdfast remember` if it holds again.")
    if before is not None and before.trust not in _LOW_TRUST:
        raise Conflict(f"{key} is there already, said by the {before.trust}", "Import it under another key.")


def answer(before: Memory | None, after: Memory) -> Stored:
    """Return what storing made of the memory that was there before; what changed nothing but its time is unchanged."""
    if before is None:
        return Stored("created", after)
    if replace(after, updated=before.updated) == before:
        return Stored("unchanged", before)
    replaced = before.body if before.body != after.body else ""
    return Stored("updated", after, replaced=replaced, was=before.trust if before.trust != after.trust else "")


def content_of(draft: Draft) -> memory_file.Content:
    """Return title and statement of the draft."""
    content = memory_file.split_title(draft.text)
    return content._replace(title=" ".join(draft.title.split())) if draft.title else content


def merged(draft: Draft, key: str, content: memory_file.Content, before: Memory | None) -> Memory:
    """Return the memory that the draft makes of what was there before."""
    at = now()
    # A file keeps each tag on one line.
    tags = None if draft.tags is None else tuple(filter(None, (" ".join(tag.split()) for tag in draft.tags)))
    if before is None:
        return Memory(
            key=key,
            scope=draft.scope,
            title=content.title,
            body=content.statement,
            type=draft.type or "project",
            tags=tags or (),
            trust=draft.trust,
            created=at,
            updated=at,
            source=draft.source,
            agent=draft.agent,
            session=draft.session,
            supersedes=draft.supersedes,
            pinned=bool(draft.pinned),
            path=layout.usual_path(draft.scope, key),
            anchors=draft.anchors or (),
            branch=draft.branch,
            when=draft.when or "",
            enforce=(draft.enforce or "") if draft.trust == "user" else "",
        )
    if _is_vaguer(content.statement, before.body):
        content, draft = content._replace(title=before.title, statement=before.body), replace(draft, confirmed=False)
    said_anew = content.statement != before.body
    # What a person says once more in their own name is theirs from then on; nobody takes it from them by that.
    trust = draft.trust if said_anew or draft.trust == "user" else before.trust
    had_own_title = before.title != memory_file.first_words(before.body)
    has_heading = draft.text.lstrip().startswith("# ")
    given: dict[str, object] = {"tags": tags, "pinned": draft.pinned}
    # What a memory of the person's is and when it holds is theirs to say, and so is how strongly anything holds. What
    # others gave to that end goes when the memory becomes the person's, who may never have seen it.
    if draft.trust == "user" or before.trust != "user":
        given.update(type=draft.type, when=draft.when)
    if draft.trust == "user":
        given.update(enforce=draft.enforce)
        if before.trust != "user":
            given.update(when=draft.when or "", enforce=draft.enforce or "")
    return replace(
        before,
        title=content.title if draft.title else (before.title if had_own_title and not has_heading else content.title),
        body=content.statement,
        history=(Statement(before.body, before.updated), *before.history) if said_anew else before.history,
        trust=trust,
        source=(draft.source if said_anew else "") or before.source,
        agent=(draft.agent if said_anew else "") or before.agent,
        session=(draft.session if said_anew else "") or before.session,
        supersedes=tuple(dict.fromkeys((*before.supersedes, *draft.supersedes))),
        updated=at,
        anchors=(draft.anchors or ()) if said_anew else _confirmed(draft, before),
        branch=draft.branch if said_anew or (draft.confirmed and before.branch) else before.branch,
        **{name: value for name, value in given.items() if value is not None},  # type: ignore[arg-type]
    )


def _confirmed(draft: Draft, before: Memory) -> tuple[str, ...]:
    """Return the anchors of a memory that is said once more, in the same words."""
    if not draft.confirmed or draft.anchors == before.anchors:
        return before.anchors
    return confirmed(before.anchors, draft.anchors or ())


def _is_vaguer(statement: str, before: str) -> bool:
    """Whether the same words are said with fewer of them marked as code, so less exactly: those that stand are kept."""
    return before.count("`") > statement.count("`") and _words_said(statement) == _words_said(before)


def restates(statement: str, before: Memory) -> bool:
    """Whether the statement is one that the memory makes or made, in the same words.

    Only articles, marks at the end of a word, quotes and a capital at its beginning may differ; any other word, be it a
    number, a name or a "not", makes another statement.
    """
    if statement == before.body:
        return True
    said = _words_said(statement)
    return any(said == _words_said(text) for text in (before.body, *(earlier.text for earlier in before.history)))


def _words_said(text: str) -> list[str]:
    bare = [word.rstrip(_MARKS).strip(_QUOTES).rstrip(_MARKS) for word in text.split()]
    said = [word.lower() if word[1:].islower() or len(word) == 1 else word for word in bare]
    return [word for word in said if word and word not in _ARTICLES]


def with_history(memory: Memory, before: Memory) -> Memory:
    """Return an edited memory, dated now, with the statement that the edit replaced."""
    if memory.body == before.body:
        return memory
    history = (Statement(before.body, before.updated), *memory.history)
    return replace(memory, updated=now(), history=history)


def combined(here: Memory, there: Memory) -> Memory:
    """Return two memories of one key as one, in the place of the second: the newer statement holds, but
    for one that the person laid down and somebody else changed.

    History has every earlier statement of both, newest first, each text once, without the one that holds.
    """
    newer, older = (here, there) if here.updated > there.updated else (there, here)
    if is_of_the_person(older) and newer.trust != "user":
        newer, older = older, newer
    statements = [*newer.history, Statement(older.body, older.updated), *older.history]
    statements.sort(key=lambda statement: statement.at, reverse=True)
    by_text = {statement.text: statement for statement in reversed(statements) if statement.text != newer.body}
    return replace(
        newer,
        scope=there.scope,
        path=there.path,
        created=min(here.created, there.created),
        tags=tuple(dict.fromkeys((*there.tags, *here.tags))),
        pinned=here.pinned or there.pinned,
        history=tuple(sorted(by_text.values(), key=lambda statement: statement.at, reverse=True)),
    )
