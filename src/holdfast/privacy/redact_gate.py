"""Tells which of many texts may hold a secret, at a fraction of what it costs to look for one in each.

Every secret that `redact` finds begins with letters that its tables name. All texts are laid end to end and read two
letters at a time: each pair becomes one character of a wide alphabet, so that a single pattern skips at full speed to
the few pairs that such beginnings hold, and the table of `redact` is asked there alone. A text without any needs no
further look. It never says no to a secret.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cache, partial
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from holdfast import privacy
from holdfast.privacy import secret_names, secret_values

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

# Sets of letters. What is not ASCII is read as "?", and may be a letter, a digit or white space.
_ANY = ""
_DIGIT = "0123456789?"
_HEX = "0123456789abcdef"
_SPACE = " \t\n\r\f\v\x1c\x1d\x1e\x1f?"
_ALL = "".join(map(chr, range(128)))
_NO_WORD = "".join(one for one in _ALL if not one.isalnum())
# What may stand behind a name but a password's. Of those that go on with an `s` only `st` is given anything.
_BEHIND = "".join(letter for letter in secret_names.BEHIND_NAME if letter not in "sSeE(") + "?"

# What a random word is of, as one letter.
_IN_RUN = bytes(97 if chr(code) in _ALL and (chr(code).isalnum() or chr(code) in "_-") else 32 for code in range(256))

_FOREIGN = frozenset(max(word) for word in privacy.FOREIGN)

_Letters = tuple[str, ...]

# What follows beginnings that are short or everyday words, one set of letters a place.
_LONGER: dict[str, tuple[_Letters | str, ...]] = {
    "SK": (("S", "K", _HEX, _HEX, _HEX, _HEX),),
    "hv": (("h", "v", "sbr", "."),),
    "pat": ((*"pat", *[_ANY] * 14, "."),),
    "dapi": ((*"dapi", _HEX, _HEX, _HEX, _HEX),),
    "-us": ((*"-us", _DIGIT),),
    "Q~": ((*"Q~", _ANY),),
    **{two: ((*two, _ANY),) for two in ("MT", "Mj", "Mz", "ND", "NT", "Nj", "Nz", "OD", "OT")},
}
# What must stand directly before a beginning.
_BEFORE = {
    "key": "_. -?" + "ipstehngrdayck" + "IPSTEHNGRDAYCK",
    "private": "</" + _SPACE,
    **dict.fromkeys(("MT", "Mj", "Mz", "ND", "NT", "Nj", "Nz", "OD", "OT"), _NO_WORD),
}

# Pairs of letters that beginnings hold and that stand often in text and code, the most frequent first.
_OFTEN = (
    "inrenteserenteonstattie selengtr setorior its thraheiransirissedtoomcoutooaln lid ronit.cldeifec// a"
    ": ok itucthoarfinsnds.urouloi/Semmo StunptchmdckgscmgoemrnpuacncttprusmampeaCoog ocaasadIDlahapaolab"
    "diodksfaot bg blexaucr01Ery sa20naicsh02giUsFi lnvamnes/dotssce-efEnPanptdcefuReepe.-c26t(daocnosunI"
    'upbetpPreSudHoChNac imidlsryTe-a11n" -baToypmowiIn/aplspnfn(ie10rtLo-sfeD -b25--waubhi_te:cusk Ieeph'
    "44va15nSNotEkir(eCsltI0441ke/w27igwo1913D)luDeTr2345ff1451WoThdd21n.app r.-t89 /0716Ne4886o/pp4236n_"
    "eq8100183112N y.iv56.i6833bo43d)47463:39s:66228535afMo54534924n:bye_97rg17ia32694a64eT57f8037050xp3-"
    "29tHs_4077373b7208305275tR05rc34596373c-8328bf389458a2nDrA1.d7Cta96160yt950.8a84b5TE9ca3_p2:55y-Ha1d"
    "714f:5Labs9d822bds3a1C99b1e498a17678 'h\"90nncb7492bbnl7fpdf9b2Wa9662n-8780a4a71aSTlpn'8bHe91cc B6f88"
    '65nkc61b-pnC1cofweeb7967ob5cd3y"kI934bb8NOc97b5dMaBe0609tleANKSiAlGin)qu4euia5b9CryN4dONn\\b4h(cd7c4c'
    "b7izd9htnEc8bi0ed5b0d4ysfcAn.c2.5ba6o(eNoDe8tW0b5f8eyof3/p6eb3e1c19b9en,3d0cbd9a7adEaDgS5a9f3ee7T.f6"
    "psc2a0u b6:/Sk0a8c2a2e0deD`)cf6afdd2e3bcy)p.3fc02c8foRaa5eLiSSdcf2sT.ea8aeRo6cy_6bsEtm2ftL7deMe2gae6"
    "2df7snb.d6PAASe06dhAc7dff57erdd18da.IC/vRafbAud8e50fc4f1zadbgn3cc51f3.f0pDc31enmpif4EDRURE.sSay:CTkS"
    "AdOneyr:e9IfTitOd0sLEAHEgAm/eUADh:4.9.yOAtl.y,:6ibnPVasSEmiAsWYowd/bACDEknFeIN-wnWrTrNAcE_kdnTtwrERO"
    "v1k.kEdGENn1eu/uswECikPRDoAUc.hE_PEdTI.lNTyDLA-hArhMnOyT_uwTAs"
)
_COSTS = {_OFTEN[at : at + 2]: 20_000 // (at + 20) for at in range(0, len(_OFTEN), 2)}
_MANY = 30
# Pairs that several beginnings share: each pair that is looked for costs, but once.
_SHARED = frozenset(("pa", "ke", "cr", "za", "by", "og", "ki"))


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
    joined = b"\n".join([b"\n", *[text.encode("ascii", "replace") for text in texts], b"\n" * 40])
    starts = list(accumulate([len(text) + 1 for text in texts], initial=2))
    found = {place for place, text in enumerate(texts) if not text.isascii() and _is_foreign(text)}
    for at, holds in _candidates(joined):
        place = bisect_right(starts, at) - 1
        if place not in found and holds(texts[place], at - starts[place]):
            found.add(place)
    return found


def _is_foreign(text: str) -> bool:
    # One letter of each name first: to look for one is quicker than for several.
    return any(letter in text for letter in _FOREIGN) and any(word in text for word in privacy.FOREIGN)


def _candidates(joined: bytes) -> Iterator[tuple[int, Callable[[str, int], object]]]:
    """Yield where a secret may begin, and what tells of a text and a place in it whether one does."""
    for source in privacy.PREFIXED:
        for match in _bytes(source).finditer(joined):
            yield match.start(), secret_values.vendor_token
    for at in _long_runs(joined):
        yield at, secret_values.drawn_word
    ways = _ways()
    for at in _pairs(joined):
        for back, lowered, before, behind, holds in ways[joined[at : at + 2]]:
            start = at - back
            end = start + len(lowered)
            if joined[start - 1] not in before or joined[end] not in behind:
                continue
            if joined[start:end].lower() == lowered or b"?" in joined[start:end]:
                yield start, holds


def _long_runs(joined: bytes) -> Iterator[int]:
    """Yield where long runs of letters and digits stand that have capitals, small letters and digits."""
    runs = joined.translate(_IN_RUN)
    at = runs.find(b"a" * privacy.MIN_BARE)
    while at >= 0:
        end = runs.find(b" ", at)
        run = joined[at:end]
        if not (run.islower() or run.isupper() or run.isalpha()) and joined[at - 1] not in b"+/%":
            yield at
        at = runs.find(b"a" * privacy.MIN_BARE, end)


def _pairs(joined: bytes) -> Iterator[int]:
    """Yield where the pairs of letters stand that beginnings of secrets hold, at even places and then at odd ones."""
    for first in (0, 1):
        wide = joined[first : len(joined) - (len(joined) - first) % 2].decode("utf-16-le")
        for pattern in _patterns():
            for match in pattern.finditer(wide):
                yield match.start() * 2 + first


def _holds(gates: list[_Gate], text: str, at: int) -> bool:
    """Say whether a secret begins at this place, by the table of `redact` itself."""
    for gate in gates:
        if gate.source:
            match = secret_values.pattern(gate.source).match(text, at)
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
    return secret_names.value_of(text, at, end, kind) is not None


@cache
def _bytes(source: str) -> re.Pattern[bytes]:
    return re.compile(source.encode())


@cache
def _gates() -> tuple[_Gate, ...]:
    """Return the gates of every beginning in the tables of `redact`."""
    gates = []
    for kind, beginnings, source in (*privacy.TOKENS, *privacy.PHRASES):
        for beginning in beginnings:
            for letters in _LONGER.get(beginning, (beginning,)):
                both = _any_case(beginning) if source.startswith("(?i)") else tuple(letters)
                gates.append(_Gate(both, _rarest(both), beginning, kind, source))
    for word, kind in (*privacy.WORDS, ("private", "private")):
        letters = _any_case(word)
        pair = _rarest(letters)
        # Where it costs no letter more to look at: the pattern reads two at a time.
        ends = [(_BEHIND,), ("sS?", "tT")] if _has_behind(word, kind) and (len(word) - pair) % 2 else [()]
        gates += [_Gate((*letters, *end), pair, word, kind, "") for end in ends]
    return tuple(gates)


def _has_behind(word: str, kind: str) -> bool:
    """Say whether a name of this kind must be followed by its value; a password may also be told before it."""
    return kind not in ("password", "private", "login") and word != "cred"


def _any_case(word: str) -> _Letters:
    """Return the sets of letters of a word; two letters that are not ASCII become a `k` and an `i` in lower case."""
    return tuple(letter + letter.upper() + ("?" if letter in "ki" else "") for letter in word)


def _rarest(letters: _Letters) -> int:
    """Return where the pair of letters stands that is seldom in text."""
    return min(range(len(letters) - 1), key=lambda at: _cost(letters[at], letters[at + 1]))


def _cost(first: str, second: str) -> int:
    """Return how much it costs to look for a letter of one set and one of the other."""
    if not first or not second:
        return 100 * len(_OFTEN)
    pairs = [one + two for one in first for two in second]
    return 0 if pairs[0] in _SHARED else sum(_COSTS.get(pair, 1) for pair in pairs)


@cache
def _by_pair() -> dict[str, list[_Gate]]:
    """Return the gates by the pair of letters that leads to them."""
    found: dict[str, list[_Gate]] = {}
    for gate in _gates():
        for first in gate.letters[gate.pair]:
            for second in gate.letters[gate.pair + 1]:
                found.setdefault(first + second, []).append(gate)
    return found


@cache
def _ways() -> dict[bytes, list[_Way]]:
    """Return for each pair what it may belong to; gates of one beginning are one way."""
    found: dict[bytes, list[_Way]] = {}
    for pair, gates in _by_pair().items():
        ways: dict[tuple[int, str], list[_Gate]] = {}
        for gate in gates:
            way = ways.setdefault((gate.pair, gate.beginning), [])
            if all(gate[2:] != other[2:] for other in way):
                way.append(gate)
        found[pair.encode()] = [_way(way) for way in ways.values()]
    return found


def _way(gates: list[_Gate]) -> _Way:
    gate = gates[0]
    before = _BEFORE.get(gate.beginning, _ALL)
    behind = _BEHIND + "sS" if not gate.source and _has_behind(gate.beginning, gate.kind) else _ALL
    word = gate.beginning.lower().encode()
    return _Way(gate.pair, word, frozenset(before.encode()), frozenset(behind.encode()), partial(_holds, gates))


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return the patterns of all gates over text in which a character stands for two letters.

    One is of the few pairs that stand often, so that at such a place not every other pair is tried as well.
    """
    ways = []
    for pair, gates in sorted(_by_pair().items(), key=lambda item: -_COSTS.get(item[0], 1)):
        around = dict.fromkeys(_around(gate) for gate in gates)
        ways.append(_wide(*pair) + ("" if "" in around else f"(?:{'|'.join(around)})"))
    often, seldom = ("|".join(some) for some in (ways[:_MANY], ways[_MANY:]))
    return re.compile(often, re.DOTALL), re.compile(seldom, re.DOTALL)


def _around(gate: _Gate) -> str:
    """Return what must stand before and behind the pair of a gate."""
    before = [_ANY, *gate.letters[: gate.pair]][(gate.pair + 1) % 2 :]
    behind = [*gate.letters[gate.pair + 2 :], _ANY][: (len(gate.letters) - gate.pair - 1) // 2 * 2]
    ahead = "".join(_wide(*behind[at : at + 2]) for at in range(0, len(behind), 2))
    back = "".join(_wide(*before[at : at + 2]) for at in range(0, len(before), 2))
    return (f"(?<={back}.)" if back else "") + (f"(?={ahead})" if ahead else "")


def _wide(first: str, second: str) -> str:
    """Return the pattern of the characters that stand for a letter of one set and then a letter of the other."""
    if not first and not second:
        return "."
    wide = [chr(ord(one) | ord(two) << 8) for two in second or _ALL for one in first or _ALL]
    return wide[0] if len(wide) == 1 else f"[{''.join(map(re.escape, wide))}]"
