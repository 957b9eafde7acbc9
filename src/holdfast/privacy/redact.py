"""Takes secrets out of text before it is written anywhere, and says which kinds it took.

The tables are in `privacy/__init__.py`. Everything is bounded, so that the time taken grows with the length of the text
alone. Most texts have words like `key` and `pass` in them and no secret, as what stands around them tells; else
`secret_values.py` is loaded, which tries the patterns.
"""

from __future__ import annotations

from itertools import pairwise

from holdfast.privacy import (
    DIGITS,
    FIRST_UNSPACED,
    FOREIGN,
    HINTS,
    PHRASES,
    TOKENS,
    WORDS,
)
from holdfast.privacy.secret_begins import (
    DRAWN,
    MIN_BARE,
    NO_RUN,
    PREFIXED,
    SPOKEN,
    is_joined,
    looks_drawn,
    looks_made,
    may_begin,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# The neighbourhood is wider than any pattern reaches.
_NEAR_BEFORE = 100
_NEAR_BEHIND = 800
# So far behind a name something may be given to it by one of these; letters alone are so many, in no word's order.
_NEAR_GIVEN, _MIN_ODD = 80, 8
_GIVEN_BY = "=:,\"'`"
_GIVING_SIGNS = frozenset(_GIVEN_BY)
_QUOTES = frozenset("\"'`")
# What gives words to a name: these signs, or a word that says so; at the end of a line the next one is given.
_GIVING = {ord(sign): " " for sign in "=:(){}[]<>,;\"'`|\\*"}
_JOINS = {ord(sign): None for sign in "-_."}
_BEGIN_BLOCK = frozenset(":|>-=")
_SAYING = frozenset(
    ("is", "ist", "lautet", "heißt", "est", "es", "é", "è", "är", "er", "jest", "to", "je", "was", "war", "auf", "as")
)
_SIGNS = "!#%*?^~@$+&"
_NO_LETTERS = frozenset(["", *" \t\n\r\f\v\"'`.,;:-/\\()[]{}<>=|"])
# A text of so many secrets and hardly more words than name them says nothing else.
_MIN_SECRETS, _WORDS_A_SECRET = 2, 7

# A token is a name of one letter, a sign and a rest of 16; what is given has so many letters at least.
_MIN_TOKEN, _MIN_VALUE = 18, 6
# A run that may be a password by its looks is so long at most. What is between runs is a space here, a digit a zero.
_MAX_RUN = 64
_MAX_PATH = 1_000
_BETWEEN_RUNS = f"{NO_RUN}\t\n\v\f\r\x1c\x1d\x1e\x1f".encode()
_IN_RUNS = bytes.maketrans(_BETWEEN_RUNS + b"123456789", b" " * len(_BETWEEN_RUNS) + b"0" * 9)
# Secrets of this length are looked for again in a text, so many of them.
_MIN_REPEATED, _MAX_REPEATED = 8, 50
# The digits, the most frequent first.
_DIGITS = "1025346789"

_NAMED_RANK = len(PHRASES) + len(TOKENS)
# What may be several words that are joined, and by what.
_WITH_WORDS, _JOINING = frozenset(("password", "secret")), frozenset("-_.")
_RANDOM_RANK = _NAMED_RANK + len(WORDS) + len(FOREIGN)
_KIND_OF = dict(WORDS)
_Row = tuple[int, str, str]  # rank, kind, pattern


def _rows(table: tuple[tuple[str, tuple[str, ...], str], ...], rank: int, any_case: bool) -> dict[str, list[_Row]]:
    """Return what to try by what it begins with, so that each beginning is searched once."""
    found: dict[str, list[_Row]] = {}
    for number, (kind, beginnings, source) in enumerate(table, start=rank):
        for beginning in beginnings if source.startswith("(?i)") == any_case else ():
            found.setdefault(beginning, []).append((number, kind, source))
    return found


def _by_stem(beginnings: dict[str, list[_Row]]) -> dict[str, list[tuple[str, str]]]:
    """Return the beginnings by what several of them hold, each with the letter behind that where it is another one."""
    found: dict[str, list[tuple[str, str]]] = {}
    for beginning in beginnings:
        stem = next((stem for stem in _STEMS if stem in beginning), beginning)
        found.setdefault(stem, []).append((beginning, beginning.partition(stem)[2][:1].strip(stem[0])))
    return found


def _held(text: str, stems: dict[str, list[tuple[str, str]]]) -> Iterator[str]:
    """Yield the beginnings that are in the text; none is where its stem is not, before its letter."""
    for stem, beginnings in stems.items():
        if stem in text:
            behind = {part[:1] for part in text.split(stem)} if len(beginnings) > 2 else ()
            for beginning, letter in beginnings:
                if (not letter or not behind or letter in behind) and beginning in text:
                    yield beginning


# One letter is found many times as fast as several.
_STEMS = (
    *("@", "log in", "logging in", "sign in", "secret", "register", "PASS", "Pat", "pin ", '"d', "daten", "wort "),
    *("q", "~", "$", "pass", "auth", "login", "connect", "session", " -", "--", "://", "user:", "432:"),
    *("_", "*", "-", ":", "/", ".", "pdp", "EA", "AK", "AT", " code", "crypt", " pin", "code", "puk", "wort "),
)
_TOKEN_ROWS = _rows(TOKENS, len(PHRASES), any_case=False)
_PHRASE_ROWS = _rows(PHRASES, 0, any_case=False)
_LOWERED_ROWS = _rows(PHRASES, 0, any_case=True)
_TOKEN_STEMS, _PHRASE_STEMS, _LOWERED_STEMS = map(_by_stem, (_TOKEN_ROWS, _PHRASE_ROWS, _LOWERED_ROWS))
MADE_ONCE = (
    *("_TOKEN_ROWS", "_PHRASE_ROWS", "_LOWERED_ROWS", "_TOKEN_STEMS", "_PHRASE_STEMS", "_LOWERED_STEMS"),
    *("_NAMED_RANK", "_RANDOM_RANK", "_KIND_OF"),
)

# Loaded where a name may be given a secret, once.
_value_of: list[Callable[[str, int, int, str], tuple[int, int] | None]] = []
# start, end, rank (a lower one names the kind where two overlap), kind
_Span = tuple[int, int, int, str]


def redact(text: str) -> tuple[str, tuple[str, ...]]:
    """Return the text with each secret replaced by `[redacted:KIND]`, and the sorted kinds that were found.

    Only the value goes; what stands around it stays. `<private>...</private>` becomes `[private]`. Doing it
    again changes nothing.
    """
    found: set[str] = set()
    spans = _spans(text)
    # What one pass hid (a name inside another's value) shows in the next, around what was taken out.
    for _ in range(6):
        if not spans:
            break
        found.update(kind for _, _, _, kind in spans)
        around = _around(text, spans)
        text = _replace(text, spans)
        spans = _spans(text) if len(text) < _NEAR_BEHIND or _spans(around) else []
    return text, tuple(sorted(found))


def _around(text: str, spans: list[_Span]) -> str:
    """Return what stands around the spans, with what they cover taken out."""
    parts: list[str] = []
    last = 0
    for number, span in enumerate(spans):
        start, end = span[:2]
        behind = min([end + _NEAR_BEHIND, *(later[0] for later in spans[number + 1 : number + 2])])
        parts += "\n" if start - last > _NEAR_BEHIND else "", text[max(last, start - _NEAR_BEFORE) : start]
        parts += _mark(span[3]), text[end:behind]
        last = behind
    return "".join(parts)


def find(text: str) -> list[tuple[str, int]]:
    """Return the kind and the line, counted from 1, of each secret in the text; never the secret."""
    result: list[tuple[str, int]] = []
    line, seen = 1, 0
    for start, _, _, kind in _spans(text):
        line += text[seen:start].count("\n")
        seen = start
        result.append((kind, line))
    return result


def _replace(text: str, spans: list[_Span]) -> str:
    parts: list[str] = []
    last = 0
    for start, end, _, kind in spans:
        parts += text[last:start], _mark(kind)
        last = end
    return "".join([*parts, text[last:]])


def _mark(kind: str) -> str:
    return "[private]" if kind == "private" else f"[redacted:{kind}]"


def _spans(text: str) -> list[_Span]:
    # This one letter grows when lowered, and would shift every index behind it.
    lowered = text.replace("\u0130", "I").lower()
    words = _long_words(text)
    spans = [*_tokens(text, words), *_phrases(text, lowered), *_prefixed(text, words), *_named(text, lowered)]
    spans += [*_drawn(text, words), *_alone(text)]
    if "<" in text and "private" in lowered:
        from holdfast.privacy import private

        spans += [(start, end, -1, "private") for start, end in private.spans(text)]
    return _merge(sorted([*spans, *_repeated(text, spans)])) if spans else spans


def _repeated(text: str, spans: list[_Span]) -> Iterator[_Span]:
    """Yield where a secret stands again: what told of it the first time need not."""
    values = {text[start:end]: (rank, kind) for start, end, rank, kind in spans if end - start >= _MIN_REPEATED}
    for value, found in list(values.items())[:_MAX_REPEATED]:
        if not DIGITS.isdisjoint(value):
            at = text.find(value)
            while at >= 0:
                end = at + len(value)
                if not (text[at - 1 : at].isalnum() or text[end : end + 1].isalnum()):
                    yield at, end, *found
                at = text.find(value, end)


def _long_words(text: str) -> dict[int, str]:
    """Return the words that a token can stand in by their places: long, and not of lower case and signs alone."""
    found, end = {}, 0
    for word in text.split():
        if len(word) >= _MIN_TOKEN and (word != word.lower() or not DIGITS.isdisjoint(word)):
            at = text.find(word, end)
            end = at + len(word)
            found[at] = word
    return found


def _merge(spans: list[_Span]) -> list[_Span]:
    """Join spans that overlap, under the name of the more exact one: what either saw must go."""
    merged: list[_Span] = []
    for span in spans:
        if merged and span[0] < merged[-1][1]:
            start, end, rank, kind = merged[-1]
            best = min((rank, kind), span[2:])
            merged[-1] = (start, max(end, span[1]), *best)
        else:
            merged.append(span)
    return merged


def _tokens(text: str, words: dict[int, str]) -> Iterator[_Span]:
    # One text of the long words alone: each beginning is looked for once, whatever the number of words.
    joined = " ".join(words.values())
    places = list(words)
    for beginning in _held(joined, _TOKEN_STEMS) if joined else ():
        at, seen, number, word = joined.find(beginning), 0, 0, 0
        while at >= 0:
            # As many words as spaces stand before it.
            passed = joined[seen:at]
            if spaces := passed.count(" "):
                number += spaces
                word = seen + passed.rfind(" ") + 1
            yield from _tried(text, places[number] + at - word, beginning, _TOKEN_ROWS[beginning])
            seen, at = at, joined.find(beginning, at + 1)


def _phrases(text: str, lowered: str) -> Iterator[_Span]:
    for where, table, stems in ((text, _PHRASE_ROWS, _PHRASE_STEMS), (lowered, _LOWERED_ROWS, _LOWERED_STEMS)):
        for beginning in _held(where, stems):
            at = where.find(beginning)
            while at >= 0:
                end = at + 1
                for span in _tried(text, at, beginning, table[beginning]):
                    end = max(end, span[1])
                    yield span
                at = where.find(beginning, end)


def _tried(text: str, at: int, beginning: str, rows: list[_Row]) -> Iterator[_Span]:
    if may_begin(text, at, beginning):
        from holdfast.privacy.secret_patterns import pattern
        from holdfast.privacy.secret_values import checked

        for rank, kind, source in rows:
            if match := pattern(source).match(text, at):
                yield from ((*span, rank, kind) for span in checked(text, match, kind))


def _prefixed(text: str, words: dict[int, str]) -> Iterator[_Span]:
    """Yield what is built as vendors build a token, whoever they are: a short name, a sign and a random rest."""
    for at, word in words.items():
        if may_be_token(word):
            from holdfast.privacy.secret_patterns import pattern
            from holdfast.privacy.secret_values import vendor_token

            for source in PREFIXED:
                last = at
                for match in pattern(source).finditer(text, at, at + len(word)):
                    if match.start() >= last and (span := vendor_token(text, match.start())):
                        start, last, kind = span
                        yield start, last, _NAMED_RANK, kind


def _drawn(text: str, words: dict[int, str]) -> Iterator[_Span]:
    """Yield words that can only have been drawn at random, whatever stands around them."""
    for at, word in words.items():
        if may_be_drawn(word):
            from holdfast.privacy.secret_patterns import pattern
            from holdfast.privacy.secret_values import drawn_word

            for match in pattern(DRAWN).finditer(text, at, at + len(word)):
                if span := drawn_word(text, match.start()):
                    yield *span, _RANDOM_RANK, "random"


def _alone(text: str) -> Iterator[_Span]:
    """Yield what looks made up and is a secret by what stands around it, where no word tells of it."""
    for at, run in made(text):
        # Every hook sees the folder that it runs in, and a person's name may well end in a year.
        if text[at - 1 : at] == "/" and _is_path(text[max(0, at - _MAX_PATH) : at]):
            continue
        from holdfast.privacy.secret_judge import stands_alone

        if span := stands_alone(text, at, run):
            yield *span, _RANDOM_RANK, "password"


def _is_path(before: str) -> bool:
    """Whether what stands before a run is a path from the root, from home or from here on, and no address."""
    path = before.split()[-1]
    for sign in "\"'`(=,:":
        path = path.rpartition(sign)[2]
    return path.startswith(("/", "~/", "./", "../")) and not path.startswith("//")


def made(text: str) -> Iterator[tuple[int, str]]:
    """Yield the runs that look made up, whatever stands around them, each with its place."""
    runs = text.encode("ascii", "replace").translate(_IN_RUNS)
    # From digit to digit: most runs have none.
    digit = runs.find(b"0")
    while digit >= 0:
        start, end = runs.rfind(b" ", 0, digit) + 1, runs.find(b" ", digit)
        end = len(text) if end < 0 else end
        if end - start >= _MIN_VALUE:
            # Only spaces beyond ASCII part a run here.
            for run in text[start:end].split():
                start = text.find(run, start)
                if _MIN_VALUE <= len(run) <= _MAX_RUN and not DIGITS.isdisjoint(run) and looks_made(run):
                    yield start, run
                start += len(run)
        digit = runs.find(b"0", end)


def may_be_drawn(word: str) -> bool:
    """Whether a piece of the word is long and has capitals, small letters and digits."""
    if len(word) < MIN_BARE or word in (word.lower(), word.upper()) or DIGITS.isdisjoint(word):
        return False
    for sign in "/.:=\"'":
        word = word.replace(sign, " ")
    return any(
        len(piece) >= MIN_BARE and piece not in (piece.lower(), piece.upper()) and not DIGITS.isdisjoint(piece)
        for piece in word.split()
    )


def may_be_token(word: str) -> bool:
    """Whether a token of a vendor can stand in the word: it is mixed, or random in one piece."""
    if "_" not in word and "-" not in word:
        return False
    if word not in (word.lower(), word.upper()):
        return True
    if DIGITS.isdisjoint(word):
        return False
    pieces = word.replace("-", "_").replace("/", "_").replace(".", "_").split("_")
    # Some are a UUID behind a name.
    return word.count("-") + word.count("_") > 4 or any(
        len(piece) >= 16 and not DIGITS.isdisjoint(piece) for piece in pieces
    )


def _named(text: str, lowered: str) -> Iterator[_Span]:
    named = [(rank, word, lowered) for rank, (word, _) in enumerate(WORDS, start=_NAMED_RANK) if word in lowered]
    if not text.isascii():
        foreign = enumerate(FOREIGN, start=_NAMED_RANK + len(WORDS))
        named += [(rank, word, text) for rank, word in foreign if word in text]
        if named:
            from holdfast.privacy.secret_patterns import spaced, with_plain_quotes

            text = with_plain_quotes(spaced(text) if max(text) >= FIRST_UNSPACED else text)
    for rank, word, where in named:
        kind = _KIND_OF.get(word, "password")
        at = where.find(word)
        while at >= 0:
            span = None
            if not (word in HINTS and is_of_path(text, at)) and may_be_given(text, at, kind):
                if not _value_of:
                    from holdfast.privacy.secret_names import value_of

                    _value_of.append(value_of)
                span = _value_of[0](text, at, at + len(word), kind)
            if span:
                yield *span, rank, kind
            at = where.find(word, max(at + len(word), span[1] if span else 0))


def is_of_path(text: str, at: int) -> bool:
    """Whether a word is a part of a path or a longer name, as in `/root/app` or `made-by-root`: it is given nothing."""
    before = text[max(0, at - 2) : at]
    return before[-1:] == "/" or (before[-1:] == "-" and before[0].isalnum())


def may_be_given(text: str, at: int, kind: str) -> bool:
    """Whether the name at this place can be given a secret: a word near it has a digit or a sign, or it is a phrase."""
    near = text[max(0, at - _NEAR_BEFORE) : at + _NEAR_BEHIND]
    has_digit = not near.isascii() or any(digit in near for digit in _DIGITS)
    # A closer look costs more than to try, but less than to load the patterns.
    words = near.split() if has_digit and not _value_of else ()
    if (has_digit and _value_of) or any(any(map(str.isdigit, word)) for word in words if len(word) >= _MIN_VALUE):
        return True
    if any(looks_drawn(word) for word in near.split()):
        return True
    # A value without a digit or a sign is given by a sign, or said to be it.
    line = text[at : at + _NEAR_GIVEN].partition("\n")[0]
    is_given = not _GIVING_SIGNS.isdisjoint(line) or " is" in line
    if is_given and any(map(_may_be_given_so, line.split())):
        return True
    if kind in _WITH_WORDS and not _JOINING.isdisjoint(near) and any(map(is_joined, near.split())):
        return True
    words = [] if is_given else line.split(None, 12)
    is_given = is_given or text[at - 1 : at] == "-" or ">" in line or not _SAYING.isdisjoint(words)
    is_given = is_given or (len(words) > 1 and not (words[1].isalpha() and words[1][1:].islower()))
    if is_given and kind in _WITH_WORDS and _are_words_given(text[at : at + 2 * _NEAR_GIVEN], text[at - 1 : at]):
        return True
    if kind != "password":
        return False
    if text[at : at + 10].lower().startswith(("passphrase", "mnemonic")):
        return True
    # A sign stands directly between two letters, as in `hunter!two`.
    has_sign = any(sign in near for sign in _SIGNS)
    return has_sign and any(_is_within(near, at) for at, sign in enumerate(near) if sign in _SIGNS)


def _are_words_given(near: str, before: str) -> bool:
    """Whether letters of two words' length or more stand behind a sign or a word that gives them."""
    line, _, below = near.partition("\n")
    words = line.split() + (below.split()[:1] if line.rstrip()[-1:] in _BEGIN_BLOCK else [])
    before = before or " "
    for word in words:
        pieces = word.translate(_GIVING).split()
        is_given = before[-1] in _GIVEN_BY or before[0] in _BEGIN_BLOCK
        # In a sentence two words meet, or it goes on.
        meets = not word.isalpha() or not word[1:].islower()
        is_given = is_given or (meets and (before in _SAYING or before is words[0]))
        # What stands before the first sign in a word is the name.
        for piece in pieces if is_given or word[0] in _QUOTES else pieces[1:]:
            if len(piece) >= _MIN_ODD and piece.strip("-_.!?").translate(_JOINS).isalpha():
                return True
        before = word
    return False


def _may_be_given_so(word: str) -> bool:
    """Whether three words are joined in a word, or its letters are not those of a word in their order."""
    bare = word.strip("\"'`*(),;.:=!?")
    # Names of code are joined by other signs, but those are in quotes seldom.
    quoted = word.strip("(),;:=")
    is_quoted = quoted[:1] in _QUOTES and quoted[-1:] == quoted[:1]
    if bare.count("-") > 1 or (is_quoted and (bare.count("_") > 1 or bare.count(".") > 1)):
        return True
    word = bare
    for sign in _GIVEN_BY:
        word = word.rpartition(sign)[2]
    if len(word) < _MIN_ODD or not word.isalpha() or not word.isascii():
        return False
    odd = sum([two not in SPOKEN[one] for one, two in pairwise(word.lower())])
    return odd > 1 and odd * 5 > len(word)


def _is_within(text: str, at: int) -> bool:
    before, end = text[at - 1 : at], at
    while text[end : end + 1] and text[end] in _SIGNS:
        end += 1
    return (before.isalnum() or before == "_") and text[end : end + 1] not in _NO_LETTERS


def without_marks(text: str) -> str:
    """Return a text without the marks of what was taken out of it."""
    pieces = text.replace("[private]", "[redacted:]").split("[redacted:")
    return "".join([pieces[0], *[piece.partition("]")[2] if "]" in piece else piece for piece in pieces[1:]]])


def is_mostly_secret(text: str) -> bool:
    """Whether a text from which secrets were taken out handed over several of them, and says hardly more."""
    secrets = text.count("[redacted:")
    return secrets >= _MIN_SECRETS and len(without_marks(text).split()) <= _WORDS_A_SECRET * secrets
