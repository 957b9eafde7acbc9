"""Tells which of many texts may hold a secret, at a fraction of what it costs to look for one in each.

Every secret that `redact` finds begins with letters that its tables name. All texts are laid end to end and read as
pairs of letters, each a number, so that arrays tell at once where the few pairs stand that such beginnings hold and
what stands beside them, and the table of `redact` is asked there alone. A text without any needs no further look. It
never says no to a secret.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cache, lru_cache, partial
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from holdfast import privacy
from holdfast.privacy import secret_begins, secret_judge, secret_names, secret_patterns, secret_values

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    _Bits = NDArray[np.uint64]

# Sets of letters. What is not ASCII is read as "?", and may be a digit or white space; four letters are, in another
# case, letters of ASCII.
_FOLDED = (("\u0130", "I"), ("\u0131", "i"), ("\u017f", "s"), ("\u212a", "k"))
_ANY = ""
_DIGIT = "0123456789?"
_HEX = "0123456789abcdef"
_SPACE = " \t\n\r\f\v\x1c\x1d\x1e\x1f?"
_ALL = "".join(map(chr, range(128)))
_NO_WORD = "".join(one for one in _ALL if not one.isalnum())
_ALNUM = "".join(one for one in _ALL if one.isalnum())
# What may stand behind a name but a password's. Of those that go on with an `s` only `st` is given anything.
_BEHIND = secret_names.BEHIND_JUDGED + "?"

# What a random word is of, as one letter.
_IN_RUN = bytes(97 if chr(code) in _ALL and (chr(code).isalnum() or chr(code) in "_-") else 32 for code in range(256))

# What a run of letters, digits and signs is of that may look made up, as one letter, and how long it is.
_IN_MADE = bytes(97 if 32 < code < 127 and chr(code) not in secret_begins.NO_RUN else 32 for code in range(256))
_SIZES = 6, 64

_IDS = frozenset(name.encode() for name in secret_values.IDS)
_FOREIGN = frozenset(max(word) for word in privacy.FOREIGN)

_Letters = tuple[str, ...]

# What follows beginnings that are short or everyday words, one set of letters a place.
_LONGER: dict[str, tuple[_Letters | str, ...]] = {
    "SK": (("S", "K", _HEX, _HEX, _HEX, _HEX),),
    "AC": (("A", "C", _HEX, _HEX, _HEX, _HEX),),
    "hv": (("h", "v", "sbr", "."),),
    "pat": ((*"pat", *[_ALNUM] * 14, "."),),
    "dapi": ((*"dapi", _HEX, _HEX, _HEX, _HEX),),
    "-us": ((*"-us", _DIGIT),),
    "Q~": ((*"Q~", _ANY),),
    **{two: ((*two, _ANY),) for two in ("MT", "Mj", "Mz", "ND", "NT", "Nj", "Nz", "OD", "OT")},
}
# What must stand directly before a beginning.
_BEFORE = {
    "key": secret_names.BEFORE_KEY,
    "private": "</" + _SPACE,
    "pat": _NO_WORD + "nrt",
    **dict.fromkeys(("MT", "Mj", "Mz", "ND", "NT", "Nj", "Nz", "OD", "OT"), _NO_WORD),
}

# Pairs of letters by how often they stand in code and prose, counted over Python's own library and our pages.
_OFTEN = (
    '  e , s  ttht  ain iheonreer soresseat od n  "anstteen",itleisnd wmer de ff arnt cashaedtinecoroalel'
    '-- `ng rio net ||  pecto by  da  miltansligesi evehoo tsoffieanoss \'ri lctot= omou: ""fopa =rachce\\"'
    'acurpetrprllrsamwhlfexmamp h. " em# ` utodrtloh naladihig ols.moimpobeefuncancldsoagrnkel opadtuifwi'
    'ryf.ulosowlsaipte,ep__e.s,doic (fauspl- oooccksaidue):tt`,rrdswam cliree uxtpyt.suda #aywo"\\weby - _'
    " Tev g',ni##(s(); ) ig._.piejeumrusht_frabysrg==rd00Noe_n'lyty Ae(Tht,apupvayt 0bublk  Nrclue) kib.\""
    'baci** Ispgse:obsc vokppltiv.mey\\ncrw df [ 1mdgi_spi \\cue"r(s"d,wrrmakov_cmiypaummrk\' nudu"#s:d.`-bo'
    'quA fu Sp t(ips/`` C yErwn:"t`sy P":ki\'sojffmbze 2`sn.feksnl)"n, Wmsd`Coiz),ogvixcs`bjnvs)r.r,e`ewia'
    "nfd_.1_fui11g.')avn`).':y`\"i3.yodd))`:('gueg_dn(skei|-f,-| D'\\puft,\"_ann_i.sgr0 uc *_pgo O.cs( Mgh1."
    "Whdrtc F Ryesws_ubRe_t* t/c ny`.t: %d(_rtltw`h Eoe_n_l>>eqy.r__eixt)n_d) 3x Dee-ONe'hr->y,](\\\\_mxi\")"
    'brwsf)ht"s.a`c {`py:nkt\'> l_u ("rvdlmupsudExawgn +-a<!ug!-oi-suar).._oga/ly"/peE10`rbil.\\u"fsrIn0.xp'
    '2 gl`a20] tp_(r:INg,"p(dt"/r1 \'t01"]xe-1af_b.efl/._ (fh"oa.g`tPr/hIt Ujs >ME.rs\'.7 .SO(cr".fccl`knTr'
    '"_ERh.r\'ENdy(a"l+ % ["eb.dPy Lbs q(o Hufe;"d/scsSTl(TEsl02 <=NNTRESeORn"`dlp3 03eon3o.`m0,.t(ppdID5 '
    'T_1,/`e\\cm Bnp(t"c JFav/N -pDE4 SEk.s;/vtdc_One=e/{"b/`l/3_h"/7/ Gp_},p.Ifd:y_E_1/d]l,StTIc/rl"Tka%s'
    ']}$ m._wd".\\k_ 4 Vyn.iAS-d(`_gikMa`)(n2.Van) jg_t;COsg-rp(ES-t 50x6 An 6Di[0Fi.lLiEn_vjomlrfE UT.*JS'
)
_COSTS = {_OFTEN[at : at + 2]: 20_000 // (at + 20) for at in range(0, len(_OFTEN), 2)}


class _Gate(NamedTuple):
    """One beginning: the letters to look for, where among them the pair is that is searched, and what it begins."""

    letters: _Letters
    pair: int
    beginning: str
    kind: str
    source: str


class _Way(NamedTuple):
    """What a pair of letters may belong to: how far the beginning is, the beginning, what stands around it."""

    back: int
    lowered: bytes
    before: frozenset[int]
    behind: frozenset[int]
    holds: Callable[[str, int], bool]


def suspects(texts: Sequence[str]) -> set[int]:
    """Return the places of the texts that may hold a secret; all others hold none."""
    joined = b"\n".join([b"\n", *map(_in_ascii, texts), b"\n" * 40])
    starts = list(accumulate([len(text) + 1 for text in texts], initial=2))
    found = {place for place, text in enumerate(texts) if not text.isascii() and _is_foreign(text)}
    for at, holds in _candidates(joined):
        place = bisect_right(starts, at) - 1
        if place not in found and holds(texts[place], at - starts[place]):
            found.add(place)
    return found


def _in_ascii(text: str) -> bytes:
    if not text.isascii():
        for letter, folded in _FOLDED:
            text = text.replace(letter, folded)
    return text.encode("ascii", "replace")


def _is_foreign(text: str) -> bool:
    # One letter of each name first: to look for one is quicker than for several.
    return any(letter in text for letter in _FOREIGN) and any(word in text for word in privacy.FOREIGN)


def _candidates(joined: bytes) -> Iterator[tuple[int, Callable[[str, int], object]]]:
    """Yield where a secret may begin, and what tells of a text and a place in it whether one does."""
    for source in secret_begins.PREFIXED:
        for match in _bytes(source).finditer(joined):
            yield match.start(), secret_values.vendor_token
    for at in _long_runs(joined):
        yield at, secret_values.drawn_word
    for at, run in _made_up(joined):
        yield at, partial(_stands_alone, run)
    lower = joined.lower()
    for at, possible in _pairs(joined):
        for back, lowered, before, behind, holds in _ways(joined[at : at + 2], possible):
            start = at - back
            if (
                lower.startswith(lowered, start)
                and joined[start - 1] in before
                and joined[start + len(lowered)] in behind
            ):
                yield start, holds


def _long_runs(joined: bytes) -> Iterator[int]:
    """Yield where long runs stand that have capitals, small letters and digits, and begin with no name of an id."""
    runs = joined.translate(_IN_RUN)
    at = runs.find(b"a" * secret_begins.MIN_BARE)
    while at >= 0:
        end = runs.find(b" ", at)
        run = joined[at:end]
        is_mixed = not (run.islower() or run.isupper()) and _bytes("[0-9]").search(run)
        if is_mixed and joined[at - 1] not in b"+/%" and run.partition(b"_")[0].lower() not in _IDS:
            yield at
        at = runs.find(b"a" * secret_begins.MIN_BARE, end)


def _made_up(joined: bytes) -> Iterator[tuple[int, str]]:
    """Yield the runs that look made up, and where they stand."""
    import numpy as np

    # Four counts in one number: of digits, letters, letters beyond those of a hexadecimal number, and signs but "-".
    counts = np.cumsum(_counts()[np.frombuffer(joined, np.uint8)], dtype=np.uint64)
    ends = np.flatnonzero(np.frombuffer(joined.translate(_IN_MADE), np.uint8) == 32)
    sizes = np.diff(ends) - 1
    kept = np.flatnonzero((sizes >= _SIZES[0]) & (sizes <= _SIZES[1]))
    firsts, lasts = ends[kept], ends[kept + 1]
    held = counts[lasts - 1] - counts[firsts]
    digits, letters, no_hex, signs = (held >> np.uint64(shift) & np.uint64(0xFFFF) for shift in (0, 16, 32, 48))
    may_be = (digits > 0) & (letters > 2) & ((no_hex > 0) | (signs > 0))
    known: dict[bytes, bool] = {}
    for first, last in zip(firsts[may_be].tolist(), lasts[may_be].tolist(), strict=True):
        run = joined[first + 1 : last]
        if (is_made := known.get(run)) is None:
            is_made = known[run] = secret_begins.looks_made(run.decode())
        if is_made:
            yield first + 1, run.decode()


def _stands_alone(run: str, text: str, at: int) -> bool:
    # What is not ASCII was read as "?" here.
    return text.startswith(run, at) and secret_judge.stands_alone(text, at, run) is not None


@cache
def _counts() -> NDArray[np.uint64]:
    """Return for each letter what it adds to the four counts of a run."""
    import numpy as np

    found = np.zeros(256, np.uint64)
    for letter in map(chr, range(33, 127)):
        is_sign = not letter.isalnum() and letter != "-"
        adds = letter.isdigit() | letter.isalpha() << 16 | (letter.isalpha() and letter.lower() not in _HEX) << 32
        found[ord(letter)] = adds | is_sign << 48
    return found


def _pairs(joined: bytes) -> Iterator[tuple[int, int]]:
    """Yield where pairs of letters stand that beginnings of secrets hold, and which of these may be there, as bits."""
    # A sweep that finds nothing new does without.
    import numpy as np

    letters = np.frombuffer(joined, np.uint8)
    looked_for, bits, around = _tables()
    for first in (0, 1):
        pairs = np.frombuffer(joined, "<u2", (len(joined) - first) // 2, first)
        found = np.flatnonzero(looked_for[pairs])
        possible = bits[pairs[found]]
        places = found * 2 + first
        for offset, allowed in around:
            possible &= allowed[letters[places + offset]]
            if offset in (2, 3):
                kept = np.flatnonzero(possible)
                possible, places = possible[kept], places[kept]
        kept = possible != 0
        yield from zip(places[kept].tolist(), possible[kept].tolist(), strict=True)


def _holds(gates: list[_Gate], text: str, at: int) -> bool:
    """Say whether a secret begins at this place, by the table of `redact` itself."""
    for gate in gates:
        if gate.source:
            match = secret_patterns.pattern(gate.source).match(text, at)
            if match and any(True for _ in secret_values.checked(text, match, gate.kind)):
                return True
        elif gate.kind == "private":
            return "<" in text[max(0, at - 6) : at]
        elif _is_named(text, at, gate.beginning, gate.kind):
            return True
    return False


def _is_named(text: str, at: int, word: str, kind: str) -> bool:
    end = at + len(word)
    if text[at:end].replace("\u0130", "I").lower() != word:
        return False
    if not text.isascii():
        text = _spaced(text)
    return secret_names.value_of(text, at, end, kind) is not None


@lru_cache(maxsize=64)
def _spaced(text: str) -> str:
    import numpy as np

    # Pictures, which are two of these each, stand in scripts that set spaces, too.
    units = np.frombuffer(text.encode("utf-16-le", "surrogatepass"), "<u2")
    has_unspaced = (units >= ord(privacy.FIRST_UNSPACED)) & ((units < 0xD800) | (units > 0xDFFF))
    return secret_patterns.with_plain_quotes(secret_patterns.spaced(text) if has_unspaced.any() else text)


@cache
def _bytes(source: str) -> re.Pattern[bytes]:
    return re.compile(source.encode())


@cache
def _gates() -> tuple[_Gate, ...]:
    """Return the gates of every beginning in the tables of `redact`, each led to by a pair that stands seldom.

    What is looked for anyway, because others share it, costs nothing more.
    """
    gates = list(_beginnings())
    shared: dict[str, int] = {}
    for turn in range(3):
        for number, gate in enumerate(gates):
            if turn:
                for pair in _of_pair(gate.letters, gate.pair):
                    shared[pair] -= 1
            best = min(range(len(gate.letters) - 1), key=partial(_cost, gate.letters, shared))
            gates[number] = gate._replace(pair=best)
            for pair in _of_pair(gate.letters, best):
                shared[pair] = shared.get(pair, 0) + 1
    return tuple(gates)


def _beginnings() -> Iterator[_Gate]:
    for kind, beginnings, source in (*privacy.TOKENS, *privacy.PHRASES):
        for beginning in beginnings:
            for letters in _LONGER.get(beginning, (beginning,)):
                both = _any_case(beginning) if source.startswith("(?i)") else tuple(letters)
                yield _Gate(both, 0, beginning, kind, source)
    for word, kind in (*privacy.WORDS, ("private", "private")):
        for end in [(_BEHIND,), ("sS", "tT" + secret_names.BEHIND_PLURAL)] if _has_behind(word, kind) else [()]:
            yield _Gate((*_any_case(word), *end), 0, word, kind, "")


def _has_behind(word: str, kind: str) -> bool:
    """Say whether a name of this kind must be followed by its value; a password may also be told before it."""
    return kind not in ("password", "private", "login") and word not in ("cred", *privacy.HINTS)


def _any_case(word: str) -> _Letters:
    return tuple(letter + letter.upper() for letter in word)


def _of_pair(letters: _Letters, at: int) -> list[str]:
    return [one + two for one in letters[at] for two in letters[at + 1]]


def _cost(letters: _Letters, shared: dict[str, int], at: int) -> int:
    """Return how often the pairs at this place of a beginning stand in text, beyond those that others look for."""
    if not letters[at] or not letters[at + 1]:
        return 100 * len(_OFTEN)
    return sum(_COSTS.get(pair, 10) for pair in _of_pair(letters, at) if not shared.get(pair))


@cache
def _by_pair() -> dict[bytes, list[_Gate]]:
    """Return the gates by the pair of letters that leads to them."""
    found: dict[bytes, list[_Gate]] = {}
    for gate in _gates():
        for pair in _of_pair(gate.letters, gate.pair):
            found.setdefault(pair.encode(), []).append(gate)
    return found


@lru_cache(maxsize=4096)
def _ways(pair: bytes, possible: int) -> list[_Way]:
    """Return what a pair may belong to, of the gates with one of these bits; gates of one beginning are one way."""
    ways: dict[tuple[int, str], list[_Gate]] = {}
    for gate in _by_pair()[pair]:
        if _bits()[gate.letters, gate.beginning] & possible:
            way = ways.setdefault((gate.pair, gate.beginning), [])
            if all(gate[2:] != other[2:] for other in way):
                way.append(gate)
    return [_way(way) for way in ways.values()]


def _way(gates: list[_Gate]) -> _Way:
    gate = gates[0]
    before = _BEFORE.get(gate.beginning, _ALL)
    behind = _BEHIND + "sS" if not gate.source and _has_behind(gate.beginning, gate.kind) else _ALL
    word = gate.beginning.lower().encode()
    return _Way(gate.pair, word, frozenset(before.encode()), frozenset(behind.encode()), partial(_holds, gates))


@cache
def _bits() -> dict[tuple[_Letters, str], int]:
    """Return a bit for each gate. Some share one: those that ask for letters at the same places do."""
    gates = {(gate.letters, gate.beginning): (len(gate.letters) - gate.pair, gate.pair) for gate in _gates()}
    ordered = sorted(gates, key=lambda gate: gates[gate])
    return {gate: 1 << number * 64 // len(ordered) for number, gate in enumerate(ordered)}


@cache
def _tables() -> tuple[NDArray[np.bool_], _Bits, list[tuple[int, _Bits]]]:
    """Return the pairs that are looked for, the gates of each as bits, and the gates that allow a letter beside one."""
    import numpy as np

    bits = np.zeros(1 << 16, np.uint64)
    around = [(offset, np.zeros(256, np.uint64)) for offset in (2, -1, 3, -2, 4, 5, 6, -3)]
    for gate in _gates():
        bit = np.uint64(_bits()[gate.letters, gate.beginning])
        for pair in _of_pair(gate.letters, gate.pair):
            bits[ord(pair[0]) | ord(pair[1]) << 8] |= bit
        for offset, allowed in around:
            at = gate.pair + offset
            letters = gate.letters[at] if 0 <= at < len(gate.letters) else _ANY
            letters = _BEFORE.get(gate.beginning, _ANY) if at == -1 else letters
            allowed[[*letters.encode()] or slice(None)] |= bit
    return bits != 0, bits, around
