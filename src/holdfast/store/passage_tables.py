"""The tables of passages, the records that go in and come out, and who may see what.

`realm` numbers the scopes, so that a passage says in one number who may see it. A session whose words are not in
`session_words` yet waits in `session_unworded`.
"""

from __future__ import annotations

from holdfast.base.light_records import dataclass
from holdfast.records import Scope
from holdfast.store.database import TOKENIZE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.records import Filter

TABLES = f"""
CREATE TABLE IF NOT EXISTS realm(id INTEGER PRIMARY KEY, scope TEXT NOT NULL, owner TEXT NOT NULL,
  passages INTEGER NOT NULL DEFAULT 0, UNIQUE(scope, owner));
CREATE TABLE IF NOT EXISTS session(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE,
  realm INTEGER NOT NULL, agent TEXT NOT NULL, kind TEXT NOT NULL, title TEXT NOT NULL, at TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS passage(id INTEGER PRIMARY KEY AUTOINCREMENT, session INTEGER NOT NULL,
  place INTEGER NOT NULL, realm INTEGER NOT NULL, at TEXT NOT NULL, name TEXT NOT NULL, speaker TEXT NOT NULL);
CREATE UNIQUE INDEX IF NOT EXISTS passage_place ON passage(session, place);
CREATE INDEX IF NOT EXISTS passage_time ON passage(realm, at);
CREATE TABLE IF NOT EXISTS passage_meaning(id INTEGER PRIMARY KEY, model INTEGER NOT NULL, vector BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS session_unworded(id INTEGER PRIMARY KEY);
CREATE TABLE IF NOT EXISTS passage_unmade(id INTEGER PRIMARY KEY);
CREATE TABLE IF NOT EXISTS passage_model(number INTEGER PRIMARY KEY, version TEXT NOT NULL,
  unmade_below INTEGER NOT NULL);
CREATE VIRTUAL TABLE IF NOT EXISTS passage_words USING fts5(text, about, grams, tokenize='{TOKENIZE}');
CREATE VIRTUAL TABLE IF NOT EXISTS session_words USING fts5(text, tokenize='{TOKENIZE}');
CREATE VIRTUAL TABLE IF NOT EXISTS passage_vocabulary USING fts5vocab(passage_words, row);
INSERT OR IGNORE INTO passage_model VALUES (0, '', 0);
"""
# The condition that everything meets.
ALL = "1"
_MONTHS = (
    *("", "January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)


@dataclass(frozen=True, slots=True)
class Passage:
    """One turn. `name` is what the source calls it; `place` counts from nought within the session."""

    place: int
    text: str
    name: str = ""
    speaker: str = ""
    at: str = ""
    session: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """The session that passages belong to: who may see it, which agent it was, and when it began."""

    name: str
    scope: Scope
    agent: str = ""
    kind: str = "session"
    title: str = ""
    at: str = ""


def seen_by(wanted: Filter, of: str = "p") -> tuple[str, list[object]]:
    """Return the condition that keeps what may and should be seen, of passages `p` or sessions `s`, and its values."""
    clauses, values = [ALL], list[object]()
    if wanted.scopes is not None:
        pairs = " OR ".join(["0", *["(scope = ? AND owner = ?)"] * len(wanted.scopes)])
        clauses.append(f"{of}.realm IN (SELECT id FROM realm WHERE {pairs})")
        values += [part for scope in wanted.scopes for part in (scope.kind, scope.owner)]
    if wanted.agents:
        agents = f"SELECT id FROM session WHERE lower(agent) IN ({','.join('?' * len(wanted.agents))})"
        clauses.append(f"{of}.session IN ({agents})" if of == "p" else f"s.id IN ({agents})")
        values += [name.lower() for name in wanted.agents]
    for since, until in ((wanted.since, wanted.until), wanted.between):
        if since:
            clauses.append(f"{of}.at >= ?")
            values.append(since)
        if until:
            clauses.append(f"{of}.at < ?")
            values.append(until)
    return " AND ".join(clauses), values


def spoken_date(at: str) -> str:
    """Return a date as people write it, so that the words of a question find it: `7 May 2023`."""
    try:
        year, month, day = at[:10].split("-")
        return f"{int(day)} {_MONTHS[int(month)]} {year}" if int(month) > 0 else ""
    except (ValueError, IndexError):
        return ""
