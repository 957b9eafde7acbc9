"""What there is to know of a project as a page of Markdown, about a screen and a half. What is not there is not said.

What was said in sessions is data: no text of it can open markup of its own.
"""

from __future__ import annotations

from holdfast.base.text import one_line
from holdfast.continuity.catch_up import CatchUp
from holdfast.sessions.transcript import code, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.continuity.catch_up import Decided
    from holdfast.store.session_table import SessionRow

_MAX = {"sessions": 10, "decisions": 6, "failed": 6, "next_steps": 5, "open_threads": 4, "todos": 8, "files": 6}
_MADE = 2
_LONGEST = 160


def markdown(found: CatchUp) -> str:
    """Return the page."""
    sections = [
        f"# {plain(found.project)}\n\n{_opening(found)}",
        _section("Where it stands", _stands(found)),
        _section("Done", _some(found, "sessions", [_session(row) for row in found.sessions])),
        _section("Decided", _some(found, "decisions", [_decided(one) for one in found.decisions])),
        _section("Failed or left unfinished", _some(found, "failed", [_short(text) for text in found.failed])),
        _section("Open", _some(found, "open_threads", [_short(text) for text in found.open_threads])),
        _section("Next", _some(found, "next_steps", [_short(text) for text in found.next_steps])),
        _section("To do", _some(found, "todos", [f"{_short(one.text)} ({one.id})" for one in found.todos])),
        _files(found),
    ]
    return "\n\n".join(section for section in sections if section) + "\n"


def _opening(found: CatchUp) -> str:
    who = ", ".join(f"{plain(agent)} ({count})" for agent, count in found.agents)
    count = len(found.sessions)
    told = f"{'more than ' if found.more else ''}{count} session{'' if count == 1 else 's'}" if count else "no session"
    return f"Since {found.since[:10]}: {told}{f', by {who}' if who else ''}."


def _stands(found: CatchUp) -> list[str]:
    stamp = ", ".join(part for part in (found.updated[:16].replace("T", " "), plain(found.by)) if part)
    lines = [f"Focus: {_short(found.focus)}{f' ({stamp})' if stamp else ''}"] if found.focus else []
    if found.sessions:
        last = found.sessions[0]
        title = _short(last.title) or "a session without a title"
        ended = last.ended[:16].replace("T", " ")
        lines.append(f"Last session: {title} ({_outcome(last)}{plain(last.agent)}, {ended})")
    return lines


def _session(row: SessionRow) -> str:
    made = [*row.commits, *row.pull_requests]
    more = f" and {len(made) - _MADE} more" if len(made) > _MADE else ""
    told = f"; made {', '.join(map(_short, made[:_MADE]))}{more}" if made else ""
    title = _short(row.title) or "a session without a title"
    return f"{row.ended[:10]} {title} ({_outcome(row)}{plain(row.agent)}){told}"


def _outcome(row: SessionRow) -> str:
    """Return how a session ended, with a comma, where somebody can tell."""
    return "" if row.outcome == "unknown" else f"{row.outcome}, "


def _decided(one: Decided) -> str:
    because = f", because {_short(one.because)}" if one.because else ""
    return f"{f'{one.at[:10]} ' if one.at else ''}{_short(one.text)}{because}"


def _files(found: CatchUp) -> str:
    most = _MAX["files"]
    named = [f"{code(file.path)} ({file.changes})" for file in found.files[:most]]
    more = f" and {len(found.files) - most} more" if len(found.files) > most else ""
    return f"## Files most changed\n\n{', '.join(named)}{more}" if named else ""


def _short(text: str) -> str:
    return plain(one_line(text, _LONGEST))


def _some(found: CatchUp, name: str, entries: Sequence[str]) -> list[str]:
    """Return the first entries, and how many there are besides."""
    most = _MAX[name]
    return [*entries[:most], *([f"and {len(entries) - most} more"] if len(entries) > most else [])]


def _section(title: str, entries: Sequence[str]) -> str:
    listed = "\n".join(f"- {entry}" for entry in entries)
    return f"## {title}\n\n{listed}" if listed else ""
