"""What was erased, without a word of it: so that no sweep and no import brings it back.

`erased.jsonl` of the home has one row for each text, project or span of time that was erased, for each file that lost
its name by that, with digests of both names, and for each report. Of a text there is a digest, made with a random key
that stands in the first row, how many words it has, and a sum of two bytes over its first two words, which most texts
do not have. Whoever has the file can only try texts, as with a tombstone.

Rows with `of` were heard from another machine, made with its key; a row `said` names an erase whose text the person
said again since. Of texts and names everything but the times travels by sync.

What was said after its text was erased was said again, and counts. What has no time counts as said before.
"""

from __future__ import annotations

import html
import json
import os
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from itertools import pairwise
from typing import Any
from urllib.parse import unquote

from holdfast.base import rows
from holdfast.base.text import hash_of
from holdfast.privacy import coded
from holdfast.privacy.scrub import ERASED, MAX_PIECE, MIN_CUT, MIN_CUT_LETTERS
from holdfast.records import Session, SessionEvent, replace

FILE = "erased.jsonl"
_PIECE = re.compile(r"\\{1,32}u[0-9a-fA-F]{4}|\\{1,32}[nrtbfv\"'/]|(?:%[0-9a-fA-F]{2})+|&#?\w{1,8};|[^\W_]+")
_ESCAPED = re.compile(r"\\{1,32}u[0-9a-fA-F]{4}|(?:%[0-9a-fA-F]{2})+|&#?\w{1,8};")
_BLANK = re.compile(r"\\{1,32}[nrtbfv\"'/]")
_MARKS = re.compile("[\u0300-\u036f]+")
_BITS = 0xFFFF
_OF_SESSION = ("title", "folder", "branch", "source")
_MAX_REMEMBERED = 200_000


@dataclass(frozen=True, slots=True)
class ErasedText:
    """A text that was erased: when, how many words it has, and their digest.

    `everywhere`: no import may bring it back anywhere; else its tombstone says where it may not. `within`: a digest of
    the project that alone forgot it.
    """

    at: str
    words: int
    digest: bytes
    everywhere: bool
    within: bytes = b""
    # Of this one erase, also where the same text is erased once more.
    id: str = ""


class Erased:
    """What was erased in one home, or in an organisation of a hub by rows of the same form. It is read once."""

    def __init__(self, home: str, noted: Iterable[bytes] | None = None) -> None:
        self.path = os.path.join(home, FILE)
        self.reports: list[dict[str, object]] = []
        self._key = b""
        self._texts: dict[int, list[ErasedText]] = {}
        self._projects: list[tuple[str, bytes]] = []
        self._spans: list[tuple[str, str, str]] = []
        self._names: dict[bytes, list[bytes]] = {}
        # What other machines erased, by the key of each, and which erases were followed by a new word of the person's.
        self._heard: dict[str, Erased] = {}
        self._said: set[str] = set()
        self._travelling: set[str] = set()
        self._latest = ""
        self._is_any_local = False
        self._codes = _Codes(b"")
        for line in rows.read(self.path) if noted is None else noted:
            if row := rows.object_in(line):
                self._take(row)

    def __bool__(self) -> bool:
        return bool(self._texts or self._projects or self._spans or any(self._heard.values()))

    def _take(self, row: dict[str, object]) -> None:
        kind, at = row.get("kind"), str(row.get("at", ""))
        try:
            if kind == "said":
                self._said.add(str(row["id"]))
                self._travelling.add(json.dumps({"id": row["id"], "kind": kind}))
            elif "of" in row and row["of"] != self._key.hex():
                self._take_heard(str(row["of"]), {name: value for name, value in row.items() if name != "of"})
            elif kind == "key":
                self._key = bytes.fromhex(str(row["value"]))
                self._codes = _Codes(self._key)
            elif kind == "text":
                self._take_text(row, at)
            elif kind == "project":
                self._projects.append((at, bytes.fromhex(str(row["digest"]))))
            elif kind == "name":
                # A row of an earlier version does not tell the old name.
                self._names.setdefault(bytes.fromhex(str(row["was"])), []).append(bytes.fromhex(str(row["digest"])))
                self._travels(row, ("digest", "was"))
            elif kind == "span":
                self._spans.append((at, str(row["since"]), str(row["until"])))
            elif kind == "report":
                self.reports.append(row)
        except (KeyError, ValueError):
            # A row of another version, or one that an editor spoiled, says nothing.
            return

    def _take_text(self, row: dict[str, object], at: str) -> None:
        digest = bytes.fromhex(str(row["digest"]))
        is_everywhere = bool(row.get("everywhere", row.get("id")))
        within = bytes.fromhex(str(row.get("within", "")))
        id = str(row.get("id") or hash_of(digest.hex(), at, length=16))
        one = ErasedText(at, int(str(row["words"])), digest, is_everywhere, within, id)
        self._texts.setdefault(int(str(row["hint"]), 16), []).append(one)
        self._latest = max(self._latest, at)
        self._is_any_local = self._is_any_local or bool(within)
        if is_everywhere and not within:
            self._travels(row, ("digest", "hint", "words"), id=id)

    def _take_heard(self, key: str, row: dict[str, object]) -> None:
        if key not in self._heard:
            self._heard[key] = Erased("", [json.dumps({"kind": "key", "value": key}).encode()])
            self._heard[key]._said = self._said
        self._heard[key]._take(row)

    def _travels(self, row: Mapping[str, object], names: tuple[str, ...], **more: str) -> None:
        told = {"kind": row["kind"], "of": self._key.hex(), **{name: row[name] for name in names}, **more}
        self._travelling.add(json.dumps(told, sort_keys=True))

    def travelling(self) -> str:
        """Return the rows that other machines need, with the key of each and without a time: clocks differ."""
        every = self._travelling.union(*(one._travelling for one in self._heard.values()))
        return "".join(f"{row}\n" for row in sorted(every))

    def hear(self, told: str) -> list[dict[str, object]]:
        """Take what other machines tell, without keeping it; return the rows that are new."""
        known = set(self.travelling().splitlines())
        new = [row for line in told.splitlines() if line not in known and (row := rows.object_in(line.encode()))]
        for row in new:
            self._take(row)
        return new

    def keep(self, told: str, at: str) -> None:
        """Keep what other machines tell, as heard at this time of this machine's."""
        if new := self.hear(told):
            rows.append(self.path, [json.dumps({**row, "at": at}) for row in new])

    @staticmethod
    def said_rows(ids: Iterable[str]) -> str:
        """Return the rows that tell of these erases that what they took out was said again."""
        return "".join(json.dumps({"id": id, "kind": "said"}) + "\n" for id in sorted(ids))

    def is_said(self, id: str) -> bool:
        """Whether the person said again what this erase took out."""
        return id in self._said

    def marks_in(self, text: str) -> set[str]:
        """Return of which erases the text says what they took out everywhere."""
        found: set[str] = set()

        def note(one: ErasedText) -> bool:
            found.update({one.id} if one.everywhere else ())
            return False

        plain = text if text.isascii() else unicodedata.normalize("NFC", text)
        for _ in (*self._spans_in(plain, note), *self._coded(plain, note)):
            pass
        return found.union(*(one.marks_in(text) for one in self._heard.values()))

    def add(
        self,
        at: str,
        texts: Iterable[str] = (),
        *,
        project: str = "",
        span: tuple[str, str] | None = None,
        everywhere: bool = True,
        within: str = "",
    ) -> None:
        """Note durably what is being erased; what is noted already is not noted again."""
        found = self.rows_of(at, texts, everywhere=everywhere, within=within)
        if project:
            found.append({"kind": "project", "at": at, "digest": self._digest([project]).hex()})
        if span:
            found.append({"kind": "span", "at": at, "since": span[0], "until": span[1]})
        known = {_known(row) for row in map(rows.object_in, rows.read(self.path)) if row}
        self._append([row for row in found if _known(row) not in known])

    def rows_of(
        self, at: str, texts: Iterable[str], *, everywhere: bool = True, within: str = ""
    ) -> list[dict[str, object]]:
        """Return the rows that note texts as erased, the first with the key where there is none yet."""
        found = self._key_row()
        for words in [piece for text in texts for piece in _pieces([word for word, _, _ in words_in(text)])]:
            row = {"kind": "text", "at": at, "words": len(words), "hint": f"{self._hint(*words[:2]):04x}"}
            row = {**row, "digest": self._digest(words).hex(), "everywhere": everywhere}
            found.append({**row, "within": self._digest([within]).hex()} if within else row)
        return found

    def _key_row(self) -> list[dict[str, object]]:
        """Return the row with the key of this home where there is none yet."""
        if self._key:
            return []
        self._key = os.urandom(16)
        self._codes = _Codes(self._key)
        return [{"kind": "key", "value": self._key.hex()}]

    def add_names(self, given: Mapping[str, str]) -> None:
        """Note which path files have, by the one from whose name something was erased."""
        key = self._key_row()
        digests = {self._digest([was]): self._digest([path]) for was, path in given.items()}
        new = {was: digest for was, digest in digests.items() if self._names.get(was, [])[-1:] != [digest]}
        names: list[dict[str, object]] = [
            {"kind": "name", "was": was.hex(), "digest": digest.hex()} for was, digest in new.items()
        ]
        self._append([*key, *names])

    def is_renamed(self, path: str) -> bool:
        """Whether a file lost this name when something was erased here."""
        return self._digest([path]) in self._names or any(one.is_renamed(path) for one in self._heard.values())

    def now_at(self, path: str, known: Iterable[str]) -> str:
        """Return which of the paths a file has from whose name something was erased here, or nothing."""
        digests = self._names.get(self._digest([path]))
        found = [one for one in known if self._digest([one]) in digests] if digests else []
        return next((one for one in (*found, *(each.now_at(path, known) for each in self._heard.values())) if one), "")

    def add_report(self, report: dict[str, object]) -> None:
        """Keep a report, which holds no word of what was erased."""
        self._append([{"kind": "report", **report}])

    def _append(self, found: list[dict[str, object]]) -> None:
        if found:
            rows.append(self.path, [json.dumps(row) for row in found])
            for row in found:
                self._take(row)

    def holds(self, text: str, *, live: bool = False) -> bool:
        """Whether the text says, in any encoding, what was erased everywhere; with `live` what was not said again."""
        return bool(self) and self.without(text, everywhere=True, live=live) != text

    def without(
        self,
        text: str,
        at: str = "",
        *,
        everywhere: bool = False,
        project: str = "",
        live: bool = False,
        mark: str = "",
    ) -> str:
        """Return the text, said in a project, without what was erased since; with `everywhere` only what was so.

        With `live` only what was not said again on any machine. A `mark` stands where something was.
        """
        for one in self._heard.values():
            text = one.without(text, at, everywhere=everywhere, project=project, live=live, mark=mark)
        if not self._texts or not text or at[:19] > self._latest[:19]:
            return text
        plain = text if text.isascii() else unicodedata.normalize("NFC", text)
        own = self._digest([project]) if project else b""

        def is_meant(one: ErasedText) -> bool:
            is_before = (not at or at[:19] <= one.at[:19]) and (one.everywhere or not everywhere)
            is_before = is_before and not (live and one.id in self._said)
            return is_before and (not own or one.within in (b"", own))

        spans = [*self._spans_in(plain, is_meant), *self._coded(plain, is_meant)]
        if not spans:
            return text
        pieces, end = [], 0
        for start, stop in sorted(spans):
            if start >= end:
                # As in the files here: never longer than what stood there.
                pieces += [plain[end:start], mark or ERASED[: len(plain[start:stop].encode("utf-8", "replace"))]]
            end = max(end, stop)
        return "".join([*pieces, plain[end:]])

    def events(self, events: Iterable[SessionEvent], project: Callable[[], str] = str) -> Iterator[SessionEvent]:
        """Yield the events of a session without what was erased; its project may be known by its events only."""
        for event in events:
            told: dict[str, Any] = {name: getattr(event, name) for name in ("text", "input", "output")}
            own = project() if self._is_any_local else ""
            clean: dict[str, Any] = {name: self.without(value, event.at, project=own) for name, value in told.items()}
            yield replace(event, **clean) if clean != told else event

    def session(self, session: Session) -> Session:
        """Return the session without what was erased in its title and the names of its places."""
        told: dict[str, Any] = {name: getattr(session, name) for name in _OF_SESSION}
        clean: dict[str, Any] = {
            name: self.without(value, session.started, project=session.project) for name, value in told.items()
        }
        return replace(session, **clean) if clean != told else session

    def leaves_out(self, session: Session) -> bool:
        """Whether the session is of a project, or was at work in a time, that was erased since."""
        began, ended = session.started[:19], (session.ended or session.started)[:19]
        if any(began < until[:19] and ended >= since[:19] for _, since, until in self._spans):
            return True
        own = self._digest([session.project]) if session.project else b""
        return any(digest == own and ended <= at[:19] for at, digest in self._projects)

    def _spans_in(self, text: str, is_meant: Callable[[ErasedText], bool]) -> Iterator[tuple[int, int]]:
        # Most texts are harmless, which the sums of their words tell without a look at where each stands.
        plain = _ESCAPED.sub(lambda match: _meant(match[0]), _BLANK.sub(" ", text))
        heard = [self._codes[word] for word in re.findall(r"[^\W_]+", _folded(plain))]
        sums = {one & _BITS for one in heard}.union([(one + 31 * two) & _BITS for one, two in pairwise(heard)])
        if sums.isdisjoint(self._texts):
            return
        words = list(words_in(text))
        for first, (word, _, _) in enumerate(words):
            hints = (
                [self._hint(word), self._hint(word, words[first + 1][0])]
                if first + 1 < len(words)
                else [self._hint(word)]
            )
            for one in [one for hint in hints for one in self._texts.get(hint, ())]:
                window = words[first : first + one.words]
                if (
                    len(window) == one.words
                    and self._digest([each[0] for each in window]) == one.digest
                    and is_meant(one)
                ):
                    yield window[0][1], window[-1][2]

    def _coded(self, text: str, is_meant: Callable[[ErasedText], bool]) -> Iterator[tuple[int, int]]:
        """Yield the runs of digits and the lines in another encoding that say it."""
        last = 0
        for start, end, said in coded.read(text):
            if end > last and next(self._spans_in(said, is_meant), None):
                last = end
                yield start, end
        data = text.encode("utf-8", "replace")
        for bare in coded.bare(data):
            said = bare.said.decode("utf-8", "replace")
            for first, stop in self._spans_in(said, is_meant):
                span = bare.span(len(said[:first].encode()), len(said[:stop].encode()))
                yield len(data[: span[0]].decode("utf-8", "ignore")), len(data[: span[1]].decode("utf-8", "ignore"))

    def _digest(self, words: list[str]) -> bytes:
        return blake2b(" ".join(words).encode("utf-8", "replace"), key=self._key, digest_size=16).digest()

    def _hint(self, first: str, second: str = "") -> int:
        return (self._codes[first] + (31 * self._codes[second] if second else 0)) & _BITS


class _Codes(dict[str, int]):
    """The number of each word, made when it is first asked for."""

    def __init__(self, key: bytes) -> None:
        super().__init__()
        self._key = key

    def __missing__(self, word: str) -> int:
        if len(self) > _MAX_REMEMBERED:
            self.clear()
        coded = blake2b(word.encode("utf-8", "replace"), key=self._key, digest_size=8).digest()
        found = self[word] = int.from_bytes(coded, "little")
        return found


def _known(row: dict[str, object]) -> tuple[str, ...]:
    return tuple(str(row.get(name, "")) for name in ("kind", "at", "digest", "since", "until", "value", "within"))


def _folded(text: str) -> str:
    if text.isascii():
        return text.lower()
    return _MARKS.sub("", unicodedata.normalize("NFKD", text.casefold()))


def words_in(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield each word, without case and accents, and where it stands; escapes are read as what they mean."""
    word, first, last = "", 0, -1
    for match in _PIECE.finditer(text):
        sign = match[0][:1]
        said = match[0] if sign not in "\\%&" else _meant(match[0])
        for part in re.split(r"[\W_]+", said) if sign in "\\%&" else (said,):
            if word and (match.start() != last or not part):
                yield _folded(word), first, last
                word = ""
            if part:
                first = match.start() if not word else first
                word, last = word + part, match.end()
    if word:
        yield _folded(word), first, last


def _meant(escape: str) -> str:
    if escape[0] == "%":
        return unquote(escape)
    if escape[0] == "&":
        return html.unescape(escape)
    digits = escape.lstrip("\\")
    return chr(int(digits[1:], 16)) if digits[:1] == "u" and len(digits) == 5 else " "


def _pieces(words: list[str]) -> list[list[str]]:
    """Return the words as they are looked for: in one piece, or a long text in several.

    A text that is neither short nor long is also looked for as one word, as a name has it that was made of it.
    """
    if len(words) <= 2 * MAX_PIECE:
        letters = "".join(words)
        is_name = len(words) >= MIN_CUT or (len(words) > 1 and len(letters) >= 2 * MIN_CUT_LETTERS)
        return [words, [letters]] if is_name and len(words) <= MAX_PIECE else [words] if words else []
    found = [words[start : start + MAX_PIECE] for start in range(0, len(words), MAX_PIECE)]
    return [one for one in found if len(one) == MAX_PIECE]
