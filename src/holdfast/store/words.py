"""What a query asks for: its telling words, as an expression that SQLite's full-text search takes.

Words that name nothing are left out (`empty_words.txt`), and a long prompt is cut to its rarest words: at 100,000
documents that is many times cheaper, and loses nothing, since a word that stands everywhere tells nothing. The words
are stemmed by SQLite itself, so that what is counted is what is searched.

A query must cost about the same in a large collection. There the count of a word is estimated from its newest
documents, and `held` tells which documents hold which words. Where the words stand in too many documents for that, the
expression is narrowed: only those are weighed that have one of the rarest words or two of the others; all words count
in them. `matches` looks further where a filter leaves too little of that.

Every script. SQLite's tokenizer cuts at spaces and punctuation. Scripts that put no spaces between words, Korean, whose
endings stick to the word, and emoji need more: each run of such letters is told as its single letters and its
overlapping pairs (`grams`), so that any part of the run can be found.
"""

from __future__ import annotations

from holdfast.base.light_records import dataclass
from holdfast.base.text import sha256
from holdfast.language.word_lists import lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

    # Number, session and place of what was found, without and with its text score. A memory has no session: zero.
    Row = tuple[int, int, int]
    Match = tuple[int, int, int, float]

TOKENIZE = "porter unicode61 remove_diacritics 2"
MAX_WORDS = 12
MIN_WORDS = 3
# Up to so many documents in all, words are counted and every document is weighed that has one.
COUNTED = 5_000
# Above, a count is estimated from the newest so many; all chosen words together stand in about so many documents at
# most; and those are weighed that have a rare word, or two of the next few.
_SAMPLE = 200
MAX_DOCUMENTS = 10_000
MAX_BY_RARE = 600
MAX_BY_PAIRS = 400
_PAIRED = 4
# Two words of a query stand in one document more often than chance would have it.
_TOGETHER = 3
# Too few of them may pass a filter.
ENOUGH_FOUND = 20
_NARROWED = ") AND ("
_EMPTY: set[str] = set()
_QUERY_WORDS = 200
_QUERY_LENGTH = 20_000
# Words that stand in more than this share of all documents count less for meaning too.
_COMMON = 0.15
# First and last code point of each block: Thai and Lao, Myanmar, Hangul, Khmer, CJK, kana, Yi, Tai.
_SPACELESS = (
    (0x0E00, 0x0EFF),
    (0x1000, 0x109F),
    (0x1100, 0x11FF),
    (0x1780, 0x17FF),
    (0x2E80, 0x303F),
    (0x3040, 0x31FF),
    (0x3400, 0x9FFF),
    (0xA000, 0xA4CF),
    (0xA960, 0xA97F),
    (0xAA80, 0xAADF),
    (0xAC00, 0xD7FF),
    (0xF900, 0xFAFF),
    (0xFF66, 0xFF9D),
    (0x20000, 0x323AF),
)
_EMOJI = ((0x2190, 0x2BFF), (0x1F000, 0x1FAFF))
_FIRST_SPACELESS = "\u0e00"
_ASCII_SIGNS = "".join([chr(code) if chr(code).isalnum() or chr(code) == "_" else " " for code in range(128)])
MADE_ONCE = ("_ASCII_SIGNS",)


@dataclass(frozen=True, slots=True)
class Asked:
    """A query as it is searched: `expression` is empty where no word of it is known; `damp` weakens common words.

    `counts` says of each of the words in how many of the `total` documents it stands, about.
    """

    text: str
    words: tuple[str, ...]
    expression: str
    known: float
    damp: dict[str, float]
    counts: tuple[int, ...] = ()
    total: int = 0


def ask(db: sqlite3.Connection, vocabulary: str, total: int, query: str, table: str = "") -> Asked:
    """Return what the query asks of `total` documents, which the vocabulary table counts.

    `table` is the full-text table itself; with it, a large collection is asked in bounded time.
    """
    text = query[:_QUERY_LENGTH]
    words, grams = query_words(text)
    # Not with functools, which a hook would have to import.
    if not _EMPTY:
        _EMPTY.update(lines(__file__.rpartition("/")[0] + "/empty_words.txt"))
    asked = ([word for word in words if word not in _EMPTY] + grams or words)[:_QUERY_WORDS]
    large = bool(table) and total > COUNTED
    counts = _estimates(db, table, asked) if large else _document_counts(db, vocabulary, asked)
    chosen = _telling(counts, total)
    known = sum(1 for count in counts.values() if count) / len(asked) if asked else 0.0
    damp = {
        asked[place]: _COMMON * total / count for place, count in counts.items() if count > _COMMON * max(total, 20)
    }
    expression = _expression([(quoted(asked[place]), counts[place]) for place in chosen], total)
    told = tuple(asked[place] for place in chosen), tuple(counts[place] for place in chosen)
    return Asked(text, told[0], expression, known, damp, told[1], total)


def _expression(words: list[tuple[str, int]], total: int) -> str:
    """Return the words, rarest first, as alternatives; narrowed where too many documents have one of them."""
    every = " OR ".join([word for word, _ in words])
    if total <= COUNTED or sum([count for _, count in words]) <= MAX_BY_RARE:
        return every
    rare: list[str] = []
    documents = 0
    for word, count in words:
        documents += count
        if documents > MAX_BY_RARE:
            break
        rare.append(word)
    pairs = _pairs(words[len(rare) :][:_PAIRED], total)
    return f"({' OR '.join(rare + pairs)}{_NARROWED}{every})"


def _pairs(common: list[tuple[str, int]], total: int) -> list[str]:
    """Return what finds documents with two of these words, for as many pairs as there is room for documents."""
    pairs: list[str] = []
    room: float = MAX_BY_PAIRS
    for place, (word, count) in enumerate(common):
        partners: list[str] = []
        for other, its_count in common[place + 1 :]:
            room -= _TOGETHER * count * its_count / total
            if room > 0 or not (pairs or partners):
                partners.append(other)
        if partners:
            pairs.append(f"({word} AND ({' OR '.join(partners)}))")
    return pairs or [f"({common[0][0]} AND {common[0][0]})"]


def is_narrowed(expression: str) -> bool:
    """Whether the expression leaves out documents that have a word of the query."""
    return _NARROWED in expression


def matches(expression: str, limit: int, scored: Callable[[str, bool], list[Match]]) -> list[Match]:
    """Return what `scored` finds, told whether to bound it; where a narrowed expression finds few, of all its words."""
    narrowed = is_narrowed(expression)
    found = scored(expression, narrowed)
    if narrowed and len(found) < min(limit, ENOUGH_FOUND):
        found = scored(expression.rpartition(_NARROWED)[2].removesuffix(")"), True)
    return found


def quoted(word: str) -> str:
    """Return the word as a full-text string, whatever signs are in it."""
    return '"' + word.replace('"', '""') + '"'


def _telling(counts: dict[int, int], total: int) -> list[int]:
    """Return the places of the words that the index has and that tell something, the rarest first.

    At least three, where there are as many; more of them while they do not stand in too many documents together, and
    in less than half of all.
    """
    known = sorted((count, place) for place, count in counts.items() if count)
    chosen: list[int] = []
    documents = 0
    for count, place in known[:MAX_WORDS]:
        documents += count
        if len(chosen) >= MIN_WORDS and (documents > MAX_DOCUMENTS or count * 2 > max(1, total)):
            break
        chosen.append(place)
    return chosen


def _estimates(db: sqlite3.Connection, table: str, words: list[str]) -> dict[int, int]:
    """Return for each word (by its place) in about how many documents it stands, by how far back its newest reach."""
    newest = (db.execute(f"SELECT rowid FROM {table} ORDER BY rowid DESC LIMIT 1").fetchone() or (0,))[0]
    counts: dict[int, int] = {}
    for place, word in enumerate(words):
        found, oldest = db.execute(
            f"SELECT count(*), min(rowid) FROM (SELECT rowid FROM {table} WHERE {table} MATCH ?"
            " ORDER BY rowid DESC LIMIT ?)",
            (quoted(word), _SAMPLE),
        ).fetchone()
        counts[place] = found if found < _SAMPLE else max(found, found * newest // (newest - oldest + 1))
    return counts


def _document_counts(db: sqlite3.Connection, vocabulary: str, words: list[str]) -> dict[int, int]:
    """Return for each word (by its place) in how many documents its rarest part stands."""
    counts: dict[int, int] = {}
    for place, stem in _stems(db, words):
        row = db.execute(f"SELECT doc FROM {vocabulary} WHERE term = ?", (stem,)).fetchone()
        count = int(row[0]) if row else 0
        counts[place] = min(count, counts.get(place, count))
    return counts


def _stems(db: sqlite3.Connection, words: list[str]) -> list[tuple[int, str]]:
    """Return the stems of the words, each with the place of its word."""
    if not words:
        return []
    db.execute(f"CREATE VIRTUAL TABLE IF NOT EXISTS temp.asked USING fts5(word, tokenize='{TOKENIZE}')")
    db.execute("CREATE VIRTUAL TABLE IF NOT EXISTS temp.asked_stems USING fts5vocab(temp, asked, instance)")
    # A savepoint, so that it does not matter whether the caller is within a transaction.
    db.execute("SAVEPOINT asked_words")
    try:
        db.executemany("INSERT INTO asked(rowid, word) VALUES (?, ?)", list(enumerate(words)))
        return [(int(place), str(stem)) for place, stem in db.execute("SELECT doc, term FROM asked_stems")]
    finally:
        db.execute("ROLLBACK TO asked_words")
        db.execute("RELEASE asked_words")


def words_of(text: str) -> list[str]:
    """Return the runs of letters and digits between spaces, punctuation and spaceless scripts, in lower case."""
    if text.isascii():
        # The same in one step, which is faster.
        return text.translate(_ASCII_SIGNS).lower().split()
    return "".join(map(_letter_or_space, _composed(text))).lower().split()


def grams(text: str) -> list[str]:
    """Return what SQLite's tokenizer would not find in the text; nothing for most text.

    That is: single letters and pairs of spaceless scripts, words of other scripts that stand within such a run, words
    without the accents that the tokenizer does not take off, and a code word for each emoji.
    """
    if text.isascii():
        return []
    return [gram for piece in _composed(text).split() if not piece.isascii() for gram in _grams_of_piece(piece)]


def query_words(text: str) -> tuple[list[str], list[str]]:
    """Return the words and the grams to look for: pairs where a run has them, a single letter where it is alone."""
    plain, found = words_of(text), grams(text)
    paired = {letter for gram in found if len(gram) == 2 for letter in gram}
    wanted = [gram for gram in found if len(gram) > 1 or gram not in paired]
    return list(dict.fromkeys(plain)), [gram for gram in dict.fromkeys(wanted) if gram not in plain]


def _grams_of_piece(piece: str) -> list[str]:
    out: list[str] = []
    before = ""
    spaceless = False
    for letter in piece:
        if _is_spaceless(letter):
            out += [letter, before + letter] if before else [letter]
            before, spaceless = letter, True
        else:
            before = ""
            if _within(ord(letter), _EMOJI):
                out.append(f"emoji{ord(letter):x}")
    if spaceless:
        return out + words_of(piece)
    import unicodedata

    letters = unicodedata.normalize("NFD", piece)
    bare = "".join(letter for letter in letters if not unicodedata.combining(letter))
    # Latin letters lose their accents in the tokenizer already.
    return out if bare == piece or bare.isascii() else out + words_of(bare)


def _composed(text: str) -> str:
    """Return the text with each letter and its accents as one character, however it was typed."""
    if text.isascii():
        return text
    # Not at the top: a prompt hook loads this file, and most prompts are ASCII.
    import unicodedata

    return unicodedata.normalize("NFC", text)


def _letter_or_space(letter: str) -> str:
    # Accents that have no composed letter stay with theirs, as in SQLite's tokenizer.
    wanted = letter.isalnum() or letter == "_" or "\u0300" <= letter <= "\u0331"
    return letter if wanted and not _is_spaceless(letter) else " "


def _is_spaceless(letter: str) -> bool:
    return letter >= _FIRST_SPACELESS and _within(ord(letter), _SPACELESS)


def _within(code: int, blocks: tuple[tuple[int, int], ...]) -> bool:
    for first, last in blocks:
        if code <= last:
            return code >= first
    return False


def same_words(text: str) -> str:
    """Return what is the same for texts that differ only in case and white space."""
    return " ".join(text.casefold().split())


def digest(statement: str) -> str:
    """Return the digest of a statement: the same for texts that differ only in case and white space."""
    return sha256(same_words(statement).encode("utf-8", "replace")).hexdigest()[:32]
