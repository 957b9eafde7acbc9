"""A store in dictionaries: the whole contract of `holdfast.store.base` in one file, to show that it can be kept.

What two stores at one place share lies in `PLACES`, as a server would have it. It is slow and forgets everything.
"""

from __future__ import annotations

from collections import Counter
from contextlib import nullcontext

from holdfast.errors import ChangedMeanwhile, Conflict, Forgotten, NotFound, Refused
from holdfast.records import Candidate, Filter, Group, Refreshed, Stored, replace
from holdfast.store import layout, memory_file, merge
from holdfast.store.keys import automatic_keys, check_key
from holdfast.store.passages import Passage
from holdfast.store.session_table import Spent
from holdfast.store.sketches import Chunk, code_of
from holdfast.store.words import Asked, digest, query_words, words_of

PLACES: dict[str, Place] = {}
LOW_TRUST = ("import", "derived")


class Place:
    """What one place holds."""

    def __init__(self):
        self.memories, self.forgotten, self.uses, self.numbers = {}, {}, {}, {}
        self.passages, self.sessions = PassageTable(), SessionRows()
        self.vectors, self.version = {}, ""

    def number(self, scope, key):
        """Return the number that stands for a memory."""
        return self.numbers.setdefault((scope, key), len(self.numbers) + 1)


class DictStore:
    """The store. `address` names the place."""

    has_tree = False
    is_temporary = False

    def __init__(self, address, largest=262_144):
        self.notes, self.largest = [], largest
        self.place = PLACES.setdefault(address, Place())

    @property
    def tree(self):
        raise Refused("this store keeps no files", "Use a home folder.")

    def put(self, draft, clean=None, was=None):
        merge.check(draft, self.largest)
        draft = clean(draft) if clean else draft
        content, scope = merge.content_of(draft), draft.scope
        keys = (draft.key,) if draft.key is not None else automatic_keys(content.statement)
        there = [(key, self.place.memories.get((scope, key))) for key in keys]
        key, before = next(
            (key, one) for key, one in there if draft.key or one is None or merge.restates(content.statement, one)
        )
        self._check_was(before, was)
        beside = keys[0] if key != keys[0] else ""
        for other in draft.supersedes:
            if other == key:
                raise Conflict("a memory cannot supersede itself", "")
            self.get(scope, other)
        merge.check_whose(draft, before, [self.get(scope, other) for other in draft.supersedes])
        buried = self.place.forgotten.setdefault(scope, (set(), set()))
        if draft.trust != "user" and self.forgot(scope, key, content.statement):
            raise Forgotten("it was forgotten", "")
        if draft.trust in LOW_TRUST:
            self._refuse(scope, key, content.statement, before)
        after = merge.merged(draft, key, content, before)
        if before is not None and replace(after, updated=before.updated) == before:
            return Stored("unchanged", before, beside=beside)
        self._keep(after)
        if draft.trust == "user":
            buried[0].discard(key)
            buried[1].discard(digest(content.statement))
        replaced = before.body if before is not None and before.body != after.body else ""
        return Stored("updated" if before else "created", after, replaced=replaced, beside=beside)

    def _refuse(self, scope, key, statement, before):
        if before is None or before.body != statement:
            earlier = [digest(one.text) for one in before.history] if before else []
            if digest(statement) in earlier or self.was_corrected(scope, statement):
                raise Forgotten("it was corrected", "")
            if before is not None and before.trust not in LOW_TRUST:
                raise Conflict("somebody said something else", "")

    def _keep(self, memory):
        self.place.memories[memory.scope, memory.key] = memory
        self.place.vectors.pop(self.place.number(memory.scope, memory.key), None)
        return memory

    def get(self, scope, key):
        layout.check_scope(scope)
        check_key(key)
        if (scope, key) not in self.place.memories:
            raise NotFound("no such memory", "")
        return self.place.memories[scope, key]

    def change(self, scope, key, **fields):
        return self._keep(replace(self.get(scope, key), **fields))

    def move(self, scope, key, to, new_key):
        memory = self.get(scope, key)
        if (layout.check_scope(to), check_key(new_key)) in self.place.memories:
            raise Conflict("it is taken", "")
        del self.place.memories[scope, key]
        return self._keep(replace(memory, scope=to, key=new_key, path=layout.usual_path(to, new_key)))

    def absorb(self, memory, into):
        here, there = self.get(memory.scope, memory.key), self.get(into, memory.key)
        del self.place.memories[here.scope, here.key]
        return self._keep(merge.combined(here, there))

    def remove(self, scope, key, *, forget):
        memory = self.get(scope, key)
        if forget:
            keys, digests = self.place.forgotten.setdefault(scope, (set(), set()))
            keys.add(key)
            digests.update(digest(text) for text in (memory.body, *(one.text for one in memory.history)))
        return self.place.memories.pop((scope, key))

    def text(self, memory):
        return memory_file.create(self.get(memory.scope, memory.key))

    def _check_was(self, before, was):
        if was is not None and was != ("" if before is None else self.text(before)):
            raise ChangedMeanwhile("it changed meanwhile", "")

    def rewrite(self, scope, key, text, was=None, clean=None):
        before = self.get(scope, key)
        self._check_was(before, was)
        place = memory_file.FilePlace(before.path, scope, key, before.updated)
        after = merge.with_history(memory_file.read(text, place)[0], before)
        if clean:
            after = memory_file.read(clean(memory_file.update(text, after, after.path)), place)[0]
        return self._keep(after)

    def relink(self, memory, text):
        now = self.get(memory.scope, memory.key)
        if (now.body, now.updated) != (memory.body, memory.updated):
            raise Conflict("it changed meanwhile", "")
        place = memory_file.FilePlace(now.path, now.scope, now.key, now.updated)
        self._keep(memory_file.read(text, place)[0])

    def size(self, memory):
        return len(self.text(memory).encode())

    def modified(self, memory):
        return self.get(memory.scope, memory.key).updated

    def find(self, wanted, limit=None, skip=0):
        found = [one for one in self.place.memories.values() if _passes(one, wanted) and self._used(one, wanted)]
        newest = sorted(found, key=lambda one: one.updated, reverse=True)[
            skip : None if limit is None else skip + limit
        ]
        return (replace(one, history=()) for one in newest)

    def _used(self, one, wanted):
        return wanted.used is None or wanted.used == bool(self.uses(one.scope, one.key)[0])

    def counts(self, wanted):
        found = list(self.find(wanted))
        told = {
            "scope": [str(one.scope) for one in found],
            "type": [one.type for one in found],
            "trust": [one.trust for one in found],
            "tag": [tag.lower() for one in found for tag in one.tags],
            "used": ["used" if self.uses(one.scope, one.key)[0] else "never" for one in found],
        }
        return {
            name: dict(sorted(Counter(values).items(), key=lambda p: (-p[1], p[0]))) for name, values in told.items()
        }

    def search(self, query, wanted, limit):
        table = self._tables().memories
        asked = table.ask(query)
        found = table.matches(asked.expression, wanted, limit)
        return table.candidates({row: (text, 0.0) for row, _, _, text in found}, asked, wanted)

    def keys(self, scopes, start):
        return sorted({key for scope, key in self.place.memories if scope in scopes and key.startswith(start)})

    def groups(self):
        found = {}
        for one in self.place.memories.values():
            found.setdefault(one.scope, []).append(one)
        return [Group(s, len(a), sum(map(self.size, a)), max(one.updated for one in a)) for s, a in found.items()]

    def superseded_by(self, scope, key):
        newer = [m for m in self.place.memories.values() if m.scope == scope and key in m.supersedes]
        return max(newer, key=lambda one: one.updated).key if newer else ""

    def forgot(self, scope, key, statement):
        keys, digests = self.place.forgotten.get(scope, (set(), set()))
        return key in keys or digest(statement) in digests

    def was_corrected(self, scope, statement):
        wanted = digest(statement)
        there = [one for one in self.place.memories.values() if one.scope == scope and digest(one.body) != wanted]
        return any(wanted == digest(earlier.text) for one in there for earlier in one.history)

    def inherit_forgotten(self, old, new):
        theirs, ours = (self.place.forgotten.setdefault(scope, (set(), set())) for scope in (old, new))
        for mine, other in zip(ours, theirs, strict=True):
            mine |= other

    def erase_traces(self, *, passages=False, anew=False):
        pass

    def uses(self, scope, key):
        return self.place.uses.get((scope, key), (0, ""))

    def add_uses(self, uses):
        for scope, key, at in uses:
            count, last = self.uses(scope, key)
            if at[:16] != last[:16]:
                self.place.uses[scope, key] = count + 1, at

    def clear_uses(self):
        self.place.uses.clear()

    def ask(self, question):
        return question(self._tables())

    def _tables(self):
        return _Tables(MemoryTable(self), self.place.passages, self.place.sessions)

    def refresh(self, scopes=None, progress=None):
        return Refreshed()

    def rebuild(self, progress=None):
        return Refreshed()

    def problems(self):
        return []

    def damage(self):
        return ""

    def close(self):
        pass


def _passes(one, wanted):
    within = wanted.between[0] or "", wanted.between[1] or "~"
    return (
        (wanted.scopes is None or one.scope in wanted.scopes)
        and (not wanted.types or one.type in wanted.types)
        and {tag.lower() for tag in wanted.tags} <= {tag.lower() for tag in one.tags}
        and (not wanted.agents or one.agent.lower() in [name.lower() for name in wanted.agents])
        and (not wanted.keys or one.key in wanted.keys)
        and (not wanted.trusts or one.trust in wanted.trusts)
        and wanted.since <= one.updated
        and (not wanted.anchored or bool(one.anchors or one.branch or one.when not in ("", "none")))
        and (not wanted.until or one.updated < wanted.until)
        and (not any(wanted.between) or any(within[0] <= at < within[1] for at in (one.updated, one.created)))
    )


class _Tables:
    def __init__(self, memories, passages, sessions):
        self.memories, self.passages, self.sessions = memories, passages, sessions

    def begin(self):
        return nullcontext()


class SearchTable:
    """What both tables answer from `all_rows`: number -> (session, place, scope, text), and from `vectors_of`."""

    def rows(self, wanted):
        raise NotImplementedError

    @property
    def db(self):
        return self

    def count(self):
        return len(self.rows(Filter(None)))

    def ask(self, query):
        rows = self.rows(Filter(None))
        asked = [word for group in query_words(query) for word in group]
        counts = {word: sum(_has(one[3], word) for one in rows.values()) for word in asked}
        known = tuple(sorted((word for word in asked if counts[word]), key=lambda word: counts[word]))
        share = len(known) / len(asked) if asked else 0.0
        return Asked(query, known, " ".join(known), share, {}, tuple(counts[w] for w in known), len(rows))

    def matches(self, expression, wanted, limit):
        found = [
            (row, session, place, sum(_has(text, word) for word in expression.split()) / (1 + len(text) / 1e6))
            for row, (session, place, _, text) in self.rows(wanted).items()
        ]
        return sorted((one for one in found if one[3]), key=lambda one: -one[3])[:limit]

    def best(self, asked, worth, wanted, limit):
        return self.matches(asked.expression, wanted, limit)

    def held(self, asked, ids):
        rows = self.rows(Filter(None))
        return {
            row: sum(_has(rows[row][3], word) << place for place, word in enumerate(asked.words)) if row in rows else 0
            for row in ids
        }

    def session_scores(self, expression, wanted, limit):
        return {}

    def around_many(self, places, wanted):
        beside = {(session, place + step) for session, place in places for step in (-1, 0, 1)}
        rows = self.rows(wanted).items()
        return sorted((row, one[0], one[1]) for row, one in rows if one[0] and one[:2] in beside)

    def known(self, ids):
        rows, vectors = self.rows(Filter(None)), self.vectors(ids)
        return {row: ("", len(rows[row][3].split()), vectors.get(row, b"")) for row in ids if row in rows}

    def times(self, ids):
        return {}

    def texts(self, ids):
        return {}

    def few(self, wanted, most):
        rows = list(self.rows(wanted))
        return rows if len(rows) <= most else None

    def seen(self, ids, wanted):
        rows, vectors = self.rows(wanted), self.vectors(ids)
        return [((row, *rows[row][:2]), vectors[row]) for row in ids if row in rows and row in vectors]

    def nearest(self, vector, wanted, limit):
        return None

    def vectors(self, ids):
        return {row: self.made[row] for row in ids if row in self.made}

    def chunks(self, scopes, width):
        rows = [row for row in self.rows(Filter(scopes)) if row in self.made]
        self.listed = dict(enumerate(rows))
        return [(number, 1) for number in self.listed]

    def chunk(self, number):
        row = self.listed[number]
        return Chunk(row.to_bytes(8, "little"), code_of(self.made[row]))

    def without_vector(self, limit):
        rows = self.rows(Filter(None)).items()
        return [(row, one[3]) for row, one in rows if row not in self.made][:limit]

    def put_vectors(self, vectors):
        self.made.update(vectors)


def _has(text, word):
    return word in words_of(text)


class MemoryTable(SearchTable):
    """The memories of a store."""

    def __init__(self, store):
        self.store, self.made = store, store.place.vectors

    def rows(self, wanted):
        found = [one for one in self.store.place.memories.values() if _passes(one, wanted)]
        return {self.store.place.number(one.scope, one.key): (0, 0, one.scope, _said(one)) for one in found}

    def model(self):
        return self.store.place.version

    def use_model(self, version):
        if version != self.store.place.version:
            self.store.place.version = version
            self.made.clear()

    def with_phrase(self, phrase, wanted, limit):
        text = f" {' '.join(words_of(phrase))} "
        return [row for row, one in self.rows(wanted).items() if text in f" {' '.join(words_of(one[3]))} "][:limit]

    def holders(self, word, most):
        return [row for row, one in self.rows(Filter(None)).items() if _has(_said(one), word)][:most]

    def candidates(self, marks, asked, wanted):
        memories = {self.store.place.number(*place): one for place, one in self.store.place.memories.items()}
        found = []
        for row, (text, meaning) in marks.items():
            if row in memories and _passes(memories[row], wanted):
                one = memories[row]
                now = f"{one.title} {one.key} {' '.join(one.tags)} {one.body}"
                current = tuple(word for word in asked.words if _has(now, word))
                every = tuple(word for word in asked.words if _has(_said(one), word))
                uses, newer = self.store.uses(one.scope, one.key)[0], self.store.superseded_by(one.scope, one.key)
                earlier = bool(every) and not current
                found.append(Candidate(one, text, current or every, earlier, uses, newer, meaning))
        return found


def _said(one):
    return "\n".join((one.title, one.key, *one.tags, one.body, *(earlier.text for earlier in one.history)))


class PassageTable(SearchTable):
    """Passages by number, and the numbers of sessions by name."""

    def __init__(self):
        self.all, self.names, self.made, self.version, self.given = {}, {}, {}, "", 0

    def rows(self, wanted):
        return {
            row: (self.names[source.name], one.place, scope, one.text)
            for row, (one, source, scope) in self.all.items()
            if (wanted.scopes is None or scope in wanted.scopes)
            and wanted.since <= one.at
            and (not wanted.until or one.at < wanted.until)
        }

    def put(self, source, by_scope):
        self.drop(source.name)
        self.names[source.name] = self.given = self.given + 1
        for scope, told in by_scope.items():
            for place, text, name, speaker, at in told:
                self.given += 1
                self.all[self.given] = (Passage(place, text, name, speaker, at, source.name), source, scope)

    def drop(self, name):
        self.all = {row: one for row, one in self.all.items() if one[1].name != name}

    def newest(self, wanted, limit):
        return sorted(self.rows(wanted), key=lambda row: self.all[row][0].at, reverse=True)[:limit]

    def read(self, row):
        if row not in self.all:
            raise NotFound("it went", "")
        one, source, scope = self.all[row]
        return one, source._replace(scope=scope)

    def waiting(self):
        return len(self.without_vector(1 << 30))

    def model(self):
        return self.version

    def use_model(self, version):
        if version != self.version:
            self.version, self.made = version, {}


class SessionRows:
    """Rows of sessions by name, with files and spends."""

    def __init__(self):
        self.all, self.complete = {}, False

    def put(self, row, files, spends):
        self.all[row.name] = (row, tuple(files), tuple(spends))

    def drop(self, name):
        self.all.pop(name, None)

    def _wanted(self, wanted):
        for row, files, spends in self.all.values():
            if (wanted.projects is None or row.project in wanted.projects) and row.name in (wanted.names or self.all):
                yield row, files, spends

    def find(self, wanted, limit=-1):
        rows = sorted((row for row, _, _ in self._wanted(wanted)), key=lambda row: row.ended, reverse=True)
        return rows if limit < 0 else rows[:limit]

    def ids(self):
        return sorted(row.id for row, _, _ in self.all.values())

    def totals(self, by):
        rows = [row for row, _, _ in self.all.values() if not row.is_subagent]
        groups = {getattr(row, by): [one for one in rows if getattr(one, by) == getattr(row, by)] for row in rows}
        return [(name, len(found), max(one.ended for one in found)) for name, found in groups.items()]

    def talks(self):
        return {name: row.talk for name, (row, _, _) in self.all.items()}

    def files(self, wanted, limit=-1):
        found = [
            replace(file, session=row.name, agent=row.agent, title=row.title)
            for row, files, _ in self._wanted(wanted)
            for file in files
        ]
        return found if limit < 0 else found[:limit]

    def spent(self, wanted, by):
        return [
            Spent(getattr(row, by, one.day), one.model, one.cost, one.cost)
            for row, _, spends in self._wanted(wanted)
            for one in spends
        ]

    def is_complete(self):
        return self.complete

    def finished(self):
        self.complete = True
