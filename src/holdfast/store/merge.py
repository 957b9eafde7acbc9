"""What a draft makes of a memory: a new one, or what was there before with the draft put in."""

from __future__ import annotations

from holdfast.base.light_records import replace
from holdfast.errors import BadInput
from holdfast.records import TRUSTS, TYPES, Draft, Memory, Statement
from holdfast.store import layout, memory_file


def check(draft: Draft) -> None:
    """Refuse a draft that no file could hold; nothing was changed yet."""
    for text in (draft.text, draft.title or "", draft.source, draft.agent, draft.session, *(draft.tags or ())):
        if "\0" in text:
            raise BadInput("the text has a NUL byte", "Remove it; a memory is text.")
        if not layout.is_text(text):
            raise BadInput("the text is not UTF-8", "Convert it first.")
    if not draft.text.strip():
        raise BadInput("there is no text to remember", "Give the statement that should be kept.")
    if draft.type not in (None, *TYPES):
        raise BadInput(f"{draft.type!a} is not a type", f"Use one of {', '.join(TYPES)}.")
    if draft.trust not in TRUSTS:
        raise BadInput(f"{draft.trust!a} is not a trust", f"Use one of {', '.join(TRUSTS)}.")


def _tags(draft: Draft) -> tuple[str, ...] | None:
    """Return the tags as a file keeps them: each on one line, none empty."""
    return None if draft.tags is None else tuple(filter(None, (" ".join(tag.split()) for tag in draft.tags)))


def merged(draft: Draft, key: str, content: memory_file.Content, before: Memory | None) -> Memory:
    """Return the memory that the draft makes of what was there before."""
    at = memory_file.now()
    if before is None:
        return _new(draft, key, content, at)
    said_anew = content.statement != before.body
    had_own_title = before.title != memory_file.first_words(before.body)
    given = {"type": draft.type, "tags": _tags(draft), "pinned": draft.pinned}
    return replace(
        before,
        title=draft.title or (before.title if had_own_title and not _has_heading(draft.text) else content.title),
        body=content.statement,
        history=(Statement(before.body, before.updated), *before.history) if said_anew else before.history,
        trust=draft.trust if said_anew else before.trust,
        source=(draft.source if said_anew else "") or before.source,
        agent=(draft.agent if said_anew else "") or before.agent,
        session=(draft.session if said_anew else "") or before.session,
        supersedes=tuple(dict.fromkeys((*before.supersedes, *draft.supersedes))),
        updated=at,
        **{name: value for name, value in given.items() if value is not None},  # type: ignore[arg-type]
    )


def _new(draft: Draft, key: str, content: memory_file.Content, at: str) -> Memory:
    return Memory(
        key=key,
        scope=draft.scope,
        title=content.title,
        body=content.statement,
        type=draft.type or "project",
        tags=_tags(draft) or (),
        trust=draft.trust,
        created=at,
        updated=at,
        source=draft.source,
        agent=draft.agent,
        session=draft.session,
        supersedes=draft.supersedes,
        pinned=bool(draft.pinned),
        path=f"{layout.folder_of(draft.scope)}/{layout.MEMORIES}/{key}.md",
    )


def with_history(memory: Memory, before: Memory) -> Memory:
    """Return an edited memory, dated now, with the statement that the edit replaced."""
    if memory.body == before.body:
        return memory
    history = (Statement(before.body, before.updated), *memory.history)
    return replace(memory, updated=memory_file.now(), history=history)


def joined(newer: Memory, older: Memory) -> tuple[Statement, ...]:
    """Return every earlier statement of both, newest first, each text once, without the one that holds."""
    statements = [*newer.history, Statement(older.body, older.updated), *older.history]
    statements.sort(key=lambda statement: statement.at, reverse=True)
    by_text = {statement.text: statement for statement in reversed(statements) if statement.text != newer.body}
    return tuple(sorted(by_text.values(), key=lambda statement: statement.at, reverse=True))


def _has_heading(text: str) -> bool:
    return text.lstrip().startswith("# ")
