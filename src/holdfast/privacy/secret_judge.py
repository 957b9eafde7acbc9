"""Whether a value is a secret by what stands around it: judged by learned weights, where no rule knows the place.

Rules know shapes and places that somebody thought of. Names, signs, commands and values go together in more ways, so
that each of their features has a weight here: the parts of the name before a value, the sign and the words between
them, what stands behind it, and how the value is built (how long, of which letters, whether words are spelled so),
alone and in pairs. Their sum decides. Two kinds of values are looked at: all that stand near a word that tells of
secrets, and those that look made up (`looks_made`) wherever they stand.

`training/secrets/train.py` makes `secret_judge.bin` from made-up secrets and from real text without any:

    magic 8 bytes | what every sum begins with: int32 | the least sum of a secret: int32
    pairs    int8[26 * 26]: how usual it is in words that the second letter follows the first, in sixteenths of a nat
    weights  int8[1 << BITS]: of each feature at the hash of its text
"""

from __future__ import annotations

from itertools import islice, pairwise
from zlib import crc32

from holdfast.privacy import WORDS
from holdfast.privacy import secret_patterns as patterns
from holdfast.privacy.secret_begins import is_joined, looks_made
from holdfast.privacy.secret_patterns import CODE_WORD, pattern
from holdfast.privacy.secret_values import IDS, NAMED_ID, is_reference, is_ticket

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

MAGIC = b"HFJUDGE\x01"
BITS = 15
PAIRS = 26 * 26
HEAD = len(MAGIC) + 8

# How far a value may stand from the word that tells of it, and how many lines below.
_BEHIND, _BEFORE = 170, 90
_MAX_LINES = 3
_MAX_CANDIDATES, _MAX_JOINED = 8, 3
_LEFT = 130
_MAX_KNOWN, _MAX_SCORED = 2_000, 1_000_000

# Words that tell something of what stands beside them, those of secrets first.
_TELLING = (
    *("pass", "pwd", "pw", "secret", "token", "key", "cred", "psk", "auth", "cookie", "salt", "dsn", "licen", "login"),
    *("otp", "mnemonic", "wort", "bearer", "pin", "seed", "hmac", "senha", "parola", "heslo", "adgangskode", "geheim"),
    *("zugang", "communit", "sign", "webhook", "crypt", "unseal", "unlock", "protect", "wifi", "wlan", "psk", "mdp"),
    *("clave", "salasana", "jelsz", "lozinka", "geslo", "chiave", "sandi", "pepper", "logon", "usr", "secur"),
)
_STEMS = (
    *_TELLING,
    *("priv", "tok", "code", "session", "hash", "user", "admin"),
    *("root", "api", "access", "cipher", "cert", "pat", "pub"),
    *("id", "name", "type", "url", "path", "file", "send", "write", "connect", "bind", "basic", "verify", "compare"),
    *("encode", "digest", "sql", "ssh", "ftp", "smb", "ldap", "snmp", "mail", "host", "version", "commit"),
)
_STEM = "|".join(_STEMS)
# Short ones stand within other words.
_NO_KEYS = ("tur", "mon", "don", "hoc", "joc", "whis", "hot")
_SHORT = frozenset(("pw", "psk", "otp", "dsn", "salt", "root", "key", "pwd"))

_OF_VALUE = r"[^\s\"'`<>\\,;(){}\[\]|&]"
_CHUNK = r"[^\s\"'`<>\\]{6,400}"
_ENDS_CHUNK = " \n\t\"'`<>\\"
_PIECE = r"[^,;(){}\[\]|&?]{6,400}"
# The value behind a name or a user that stands before it without a space.
_TAIL = (
    r"(?:-{0,2}[A-Za-z_$.][\w.$\[\]-]{0,40}[=:]{1,2}|[\w.@+-]{1,40}:(?!/)|[a-z][a-z_@.]{1,24}/(?=[^/]+$))"
    r"(?=[^=])(.{6,400})$"
)
# A value has a digit or a sign in a word of six, letters that no word has in that order, or four words. One pattern
# each: what begins with certain letters is searched several times as fast.
_WORTHY = (
    r"[\d!#%*?^~@$+&](?:{})".format(
        "|".join([f"(?<={_OF_VALUE}{{{6 - more}}})(?={_OF_VALUE}{{{more}}})" for more in range(6)])
    ),
    r"[bcdfghjklmnpqrstvwxzBCDFGHJKLMNPQRSTVWXZ]{5}",
    r"[a-z][A-Z]{1,2}[a-z]{1,2}[A-Z]",
    r"[a-z]-[a-z]{3,12}-[a-z]{3,12}-[a-z]",
)
_WORTH = "|".join(_WORTHY)
# What a name is given, by a sign or a verb between them: there a value may also be letters that were drawn, or words.
_GIVEN = (
    r"[\w.\[\]-]{0,24}\\{0,3}[\"'`*)\]]{0,3}[ \t]{0,4}(?:=>|:=|={1,3}|:|->|→|,|(?:is|ist|est|es|to|was|lautet)\b:?)"
    r"[ \t]{0,4}(?P<open>[\"'`*(]{0,3})(?P<value>[A-Za-z-]{8,64}[!?]?)(?=(?P<behind>[\"'`*),;.\s]|$))"
)
# Words as people join them to a password: three by one sign, four by a dot; no name in capitals, of a call or a path.
_JOINED = (
    r"(?<![\w.@/$%&#(\[+~-])(?![A-Z]+_[A-Z_]+(?!\w))[A-Za-z]{3,12}(?P<sign>[-_]|\.(?=(?:[A-Za-z]+\.){2}))"
    r"(?:[A-Za-z]{3,12}(?P=sign)){1,5}[A-Za-z]{3,12}\d{0,4}[!?]?(?![\w(\[/=+~-]|[.:]\w|\\{0,3}[\"'`][ ]?:)"
)
_WITH_PASSWORDS = frozenset(("secret", "cred", *[word for word, kind in WORDS if kind == "password"]))
# An address, a path, a flag, a number, a version, a reference, or what was taken out already.
_NEARNESS = (0, 1, 1, 2, 2, 2, 3, 3, 3, 3, 3)
_PARTS = r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+"
# What is built so is no secret, or too seldom one.
_NONE = frozenset(("path", "file", "dotted", "num", "mail", "tmpl"))
_WORDS_ALONE = r"(?!\w*[^\W_](?:[-_.]\w+){3}|.*[!#%*?^~@$+&])"
_IN_DATA, _DATA_LINE = r"[A-Za-z0-9+/=]{40}", r"(?:[A-Za-z0-9+/=]{40}\s{1,12}|PUBLIC KEY-----\s{1,2})$"

# What looks made up may have the name of a user or a host beside it.
_MIN_MADE, _MAX_PLAIN, _MAX_MADE = 6, 23, 40
# A value goes on behind a sign that ends a name elsewhere, and a name that stands before it is none of it.
_GOES_ON = r"[=:][^\s\"'`,()<>|\[\]{};\\/=:]{1,40}(?![^\s\"'`,;)<|@])"
# Where something is that one logs in to.
_IP = r"(?:\d{1,3}\.){3}\d{1,3}"
_ADDRESS = rf"(?P<a>://)|(?P<b>[\w.-]@[\w-])|(?P<c>\b{_IP}\b)"
_OF_PATH = r"(?:[/\\][^\s/\\\"'`(]*|(?<![^\s\"'`])[~.]+)[/\\]$|(?:[\w-]+:){3}$"
_QUOTES, _LINE_END = ("'", '"', "`"), ("", "\n", "\r")
_POINTERS = frozenset(("w:it", "w0:it", "w1:it", "c0:it", "c1:it"))
_NOT_ALONE = frozenset(("uuid", "hexS", "hexM", "hexL", "digits", "b64", *_NONE))

_table: list[bytes] = []
_shapes, _may = dict[str, str](), dict[str, bool]()
# The text that was looked at last, and the scores of values in it by where they stand.
_scored_in = [""]
_scores: dict[tuple[int, int], int] = {}


def judged(text: str, at: int, end: int) -> tuple[int, int] | None:
    """Return where the likeliest secret is near the word from `at` to `end`, if the weights say that it is one."""
    found, best = None, 0
    for first, last in near(text, at, end):
        if not is_ticket(text, at, end, first, last) and (score := _score(text, first, last)) > best:
            found, best = (first, last), score
    return found


def _score(text: str, first: int, last: int) -> int:
    """Return what the weights say of a value; mostly several words of one text stand beside it."""
    if _scored_in[0] is not text:
        _scored_in[0] = text if len(text) <= _MAX_SCORED else ""
        _scores.clear()
    if (first, last) not in _scores:
        _scores[first, last] = weighed(features(text, first, last))
    return _scores[first, last]


def stands_alone(text: str, at: int, run: str) -> tuple[int, int] | None:
    """Return where the secret is in a run that looks made up, if the weights say that it is one."""
    span = value_in(text, at, run)
    if not span or _score(text, *span) <= 0:
        return None
    return span[0], span[1] + (text[span[1] : at + len(run)] == "!")


def value_in(text: str, at: int, run: str) -> tuple[int, int] | None:
    """Return where the value is in a run, without a user before it or a host behind it."""
    start, end = at, at + len(run)
    # "Fix build7x!": what may end a sentence is no part of a word in it.
    ends = text[end : end + 1] in _LINE_END or (text[end] == " " and text[end + 1 : end + 2].isupper())
    if run[-1] == "!" and ends and text[at - 1 : at].isspace():
        run = run[:-1]
    if text[end : end + 1] in ("/", "\\"):
        return None
    if "&" in run and text[end : end + 1] == "=":
        run = run.rpartition("&")[0]
    if run[:2] in ("-p", "-P") and text[at - 1 : at] in _QUOTES:
        at, run = at + 2, run[2:]
    if "%" in run and text[at - 1 : at].isspace():
        user, _, rest = run.partition("%")
        at, run = (at + len(user) + 1, rest) if user.isalnum() and len(rest) >= _MIN_MADE else (at, run)
    value, _, host = run.rpartition("@")
    if len(value) < _MIN_MADE or not (host.islower() or pattern(rf"{_IP}$").match(host)):
        value = run
        if goes := pattern(_GOES_ON).match(text, at + len(run)) if pattern(r"[!\d#%*?^~@$+&]").search(run) else None:
            value = run + goes[0]
    value = value.rstrip(".,:*?")
    value, at = value.lstrip("*"), at + len(value) - len(value.lstrip("*"))
    if not pattern(patterns.PRINTED).match(value) and not _is_made(value):
        return None
    # A part of a path or of a resource's name, or a piece of encoded data.
    is_part = text.startswith("\n-----END", end) or pattern(_OF_PATH).search(text, max(0, start - 80), start)
    if is_part or pattern(_IN_DATA).search(text, max(0, start - 41), end + 41):
        return None
    return at, at + len(value)


def _is_made(value: str) -> bool:
    """Say whether a value looks made up by itself, whatever stands around it."""
    if not _MIN_MADE <= len(value) <= _MAX_MADE or pattern(patterns.NOT_MADE).search(value) or not looks_made(value):
        return False
    if _is_method(value):
        return False
    # What is longer and drawn at random is known by that alone, or is an id.
    if len(value) > _MAX_PLAIN and not pattern(r"[!\#%*?^~@$+&]").search(value):
        return False
    return shape_of(value) not in _NOT_ALONE


def _is_method(value: str) -> bool:
    """Say whether all that is no letter in a value is of names of methods and formats, as in `Ed25519PrivateKey`."""
    rest = pattern(patterns.TECHNICAL).sub("", value)
    return rest != value and not pattern(r"[\d!#%*?^~@$+&]").search(rest)


def near(text: str, at: int, end: int) -> list[tuple[int, int]]:
    """Return where values are that may belong to the word from `at` to `end`."""
    lines = text[end : end + _BEHIND].split("\n", _MAX_LINES + 1)[: _MAX_LINES + 1]
    stop = end + sum(map(len, lines)) + len(lines) - 1
    start = max(text.rfind("\n", max(0, at - _BEFORE), at) + 1, at - _BEFORE, 0)
    # Most words have nothing near them that could be one.
    given = [*_given(text, at, end), *islice(_joined(text, at, end, (start, stop)), _MAX_JOINED)]
    is_worthy = any(pattern(source).search(text, start, stop) for source in _WORTHY)
    if not (given or is_worthy) or not _tells(text, at, end):
        return []
    return given + (list(islice(_candidates(text, start, stop, at), _MAX_CANDIDATES)) if is_worthy else [])


def _given(text: str, at: int, end: int) -> list[tuple[int, int]]:
    """Return where letters are that the word's name is given and that are no word, but drawn."""
    given = pattern(_GIVEN).match(text, end)
    return [given.span("value")] if given and given["value"].isalpha() and shape_of(given["value"])[0] == "r" else []


def _joined(text: str, at: int, end: int, within: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """Yield where words are that may be joined to a password, near a word that tells of one."""
    is_told = text[at:end].lower() in _WITH_PASSWORDS or not text[at:end].isascii()
    is_there = is_told and any(map(is_joined, text[slice(*within)].split()))
    for found in pattern(_JOINED).finditer(text, *within) if is_there else ():
        if not found.start() <= at < found.end() and not pattern(CODE_WORD).search(found[0].replace("_", " ")):
            yield found.span()


def reread() -> None:
    """Forget the table and what was known by it."""
    _table.clear()
    _shapes.clear()
    _may.clear()
    _scores.clear()


def weighed(told: list[str]) -> int:
    """Return by how much features speak for a secret, more than nothing where it is one."""
    if not _table:
        with open(__file__.rpartition("/")[0] + "/secret_judge.bin", "rb") as file:
            _table.append(file.read())
    table, mask, first = _table[0], (1 << BITS) - 1, HEAD + PAIRS
    base = int.from_bytes(table[8:12], "little", signed=True) - int.from_bytes(table[12:16], "little", signed=True)
    places = {crc32(one.encode("utf-8", "replace")) & mask for one in told}
    weights = [table[first + place] for place in places]
    return base + sum(weights) - 256 * sum([weight > 127 for weight in weights])


def _tells(text: str, at: int, end: int) -> bool:
    """Say whether the word stands in a name or a sentence, and not by chance in encoded data or in another word."""
    run = pattern(r"[\w+/=-]{0,60}").match(text, end)
    behind = run[0] if run else ""
    before = text[max(0, at - 60) : at]
    before = before[len(before.rstrip("+/=_-" + _ALNUM)) :]
    if (
        behind.startswith("-----")
        or len(before) + len(behind) > 70
        or pattern(_IN_DATA).search(before + text[at:end] + behind)
    ):
        return False
    word, last, follows = text[at:end], before[-1:], behind[:1]
    if word == "key" and before.lower().endswith(_NO_KEYS):
        return False
    if word.lower() not in _SHORT:
        return True
    is_plural = follows in ("s", "S") and not behind[1:2].isalpha()
    if (follows.islower() and not is_plural) or (word.isupper() and follows.isupper()) or last.isdigit():
        return False
    return not last.isalpha() or (last.islower() and (word[0].isupper() or len(before) > 1))


def _candidates(text: str, start: int, stop: int, at: int) -> Iterator[tuple[int, int]]:
    """Yield where values may be between two places, but for what the word at `at` stands in."""
    while start > 0 and at - start < _LEFT and not text[start - 1].isspace():
        start -= 1
    found = pattern(_WORTH).search(text, start, stop)
    while found:
        place = found.start()
        before = text[start:place]
        first = start + 1 + max(map(before.rfind, _ENDS_CHUNK))
        chunk = pattern(_CHUNK).match(text, first)
        start = max(chunk.end() if chunk else 0, place + 1)
        # A line of a certificate or of encoded data stands below another one.
        if chunk and not pattern(_DATA_LINE).search(text, max(0, first - 80), first):
            yield from _values(text, chunk, at)
        found = pattern(_WORTH).search(text, start, stop)


def _values(text: str, chunk: re.Match[str], at: int) -> Iterator[tuple[int, int]]:
    """Yield the values in a run of characters, but for what the word at `at` stands in."""
    first, last = chunk.span()
    quote = text[first - 1 : first]
    if quote and quote in "\"'`" and text[last : last + 1] == quote:
        pieces = [(first, chunk[0])]
        if tail := pattern(_TAIL).match(chunk[0]):
            pieces.append((first + tail.start(1), tail[1]))
    else:
        pieces = [_bare(first + piece.start(), piece[0]) for piece in pattern(_PIECE).finditer(chunk[0])]
    for place, value in pieces:
        is_other = text[max(0, place - 7) : place] == "base64," or text.startswith("(", place + len(value))
        if not place <= at < place + len(value) and not is_other and _may_be(value):
            is_id = shape_of(value)[:3] in ("uui", "hex") and pattern(NAMED_ID).search(text, max(0, place - 24), place)
            if not is_id:
                yield place, place + len(value)


def _bare(start: int, piece: str) -> tuple[int, str]:
    tail = pattern(_TAIL).match(piece)
    if tail:
        start, piece = start + tail.start(1), tail[1]
    value = piece.lstrip("*_")
    return start + len(piece) - len(value), value.rstrip(".,:*")


def _may_be(value: str) -> bool:
    """Say whether a value may be a secret; the same few stand beside several words, and again and again."""
    if len(_may) > _MAX_KNOWN:
        _may.clear()
    if value not in _may:
        _may[value] = _may_be_secret(value)
    return _may[value]


def _may_be_secret(value: str) -> bool:
    if len(value) < 6 or not (value.isascii() and value.isprintable()) or not pattern(_WORTH).search(value):
        return False
    if pattern(patterns.NO_VALUE).search(value) or value.partition("_")[0].lower() in IDS:
        return False
    if is_reference(value) or _is_method(value):
        return False
    shape = shape_of(value)
    # A word with a sign at one end is that of a sentence.
    is_plain = value.strip("!?*@#$&+%^~").isalpha() or pattern(_WORDS_ALONE).match(value)
    return shape not in _NONE and not (shape[0] == "w" and shape[-1] == "0" and is_plain)


def features(text: str, start: int, stop: int) -> list[str]:
    """Return what can be told of a value: how it is built, what its name is and what stands around it."""
    value = text[start:stop]
    left = "\n".join(text[max(0, start - _LEFT) : start].split("\n")[-_MAX_LINES - 1 :])
    base = left.rstrip(_NO_WORD) if left.isascii() else pattern(r"[^\w]*$").sub("", left)
    sign = " ".join(left[len(base) :].replace("\n", " \n ").split(" "))
    sign = pattern(r"[ \t]+").sub(" ", sign).replace(" \n ", "\n").replace("\n ", "\n").replace(" \n", "\n")[-8:]
    before = pattern(r"[\w.-]*$").sub("", base)
    name = base[len(before) :]
    right = text[stop : stop + 40].split("\n")[0]
    shape = shape_of(value)
    length, sound, told = _of_value(value, shape)
    quote = sign[-1:]
    given = "q" if quote and quote in "\"'`" and right[:1] == quote else "o"
    told += [f"d{sign}", f"d{sign[-3:]}", f"q{given}", f"r{right[:1]}", f"rr{right[:3]}", f"nl{sign.count(chr(10))}"]
    names, kind = _of_name(name)
    told += names
    words = [part.lower() for part in pattern(_PARTS).findall(before) if len(part) > 1][:-11:-1]
    told += [f"w:{word}" for word in words[:6]] + [f"w{place}:{word}" for place, word in enumerate(words[:2])]
    firsts = [part.lower() for part in pattern(_PARTS).findall(left.rpartition("\n")[2])[:2]]
    told += [f"c{place}:{word}" for place, word in enumerate(firsts)]
    stems = pattern(_STEM).findall
    near = [(_NEARNESS[place], stem) for place, word in enumerate(words) for stem in stems(word)]
    told += [f"ws:{stem}:{place}" for place, stem in near[:5]]
    rights = [part.lower() for part in pattern(_PARTS).findall(right)[:4]]
    ahead = [stem for word in rights for stem in stems(word)]
    told += [f"rw:{word}" for word in rights] + [f"rs:{stem}" for stem in ahead]
    told += [f"a{one.lastgroup}{sign[-1:]}" for one in pattern(_ADDRESS).finditer(left.rpartition("\n")[2])]
    top = _top(name.lower(), near, ahead)
    last = [part.lower() for part in pattern(_PARTS).findall(name)[-1:]]
    told += [f"T{top}", f"Tc{top}{shape}", f"Tl{top}{length}", f"Ts{top}{sound}", f"Tq{top}{given}"]
    told += [f"Td{top}{sign[-3:]}", f"D{sign[-3:]}{shape}", f"K{kind}{shape}", f"Q{given}{shape}{top == '0'}"]
    told += [f"R{right[:1]}{shape}", *[f"P{part}:{shape}" for part in last], *[f"Pl{part}:{sound}" for part in last]]
    told += [f"C{word}:{top == '0'}{shape[:2]}" for word in firsts[:1]]
    told += [f"rsc:{stem}{shape[:2]}" for stem in ahead if stem in _TELLING][:2]
    # "It" points at what was said before; where nothing tells of a secret, at none.
    return [one for one in told if one not in _POINTERS and one[:4] != "Cit:"] if top == "0" else told


def _of_value(value: str, shape: str) -> tuple[int, int, list[str]]:
    """Return the step of its length, how it sounds, and what else can be told of a value."""
    size = len(value)
    length = _step(size, (6, 8, 10, 13, 17, 21, 25, 32, 33, 40, 41, 64, 65, 100))
    letters = "".join([letter for letter in value if letter.isascii() and letter.isalpha()])
    sound = _step(_sound(letters), (-6, -5, -4.4, -3.9, -3.5, -3.1, -2.7)) if len(letters) > 2 else -1
    digits = sum([letter.isdigit() for letter in value])
    turns = len(pattern(r"(?<=[a-z])[^a-z]|(?<=[A-Z])[^A-Z]|(?<=\d)\D").findall(value))
    built = pattern(r"[0-9]+").sub("9", value)
    built = pattern(r"[a-z]+").sub("a", pattern(r"[A-Z]+").sub("A", built))[:10]
    signs = "".join(sorted({letter for letter in value if not letter.isalnum()}))[:6]
    words = [part.lower() for part in pattern(_PARTS).findall(value) if len(part) > 2 and part.isalpha()]
    told = ["b", f"c{shape}", f"l{length}", f"cl{shape}{length}", f"s{sound}", f"sl{sound}{length}"]
    told += [
        f"dg{_step(digits / size, (0.001, 0.1, 0.2, 0.35, 0.5, 0.8))}",
        f"u{_step(len(set(value)) / min(size, 30), (0.3, 0.45, 0.6, 0.75, 0.9))}",
        f"t{_step(turns / size, (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6))}",
        *(f"sh{built}", f"sg{signs}", f"vs:{value[:3].lower()}"),
        "ve9" if value[-1].isdigit() else f"ve:{value[-2:].lower()}",
    ]
    told += [f"sg1{sign}" for sign in signs] + [f"v:{word}" for word in words[:5]]
    return length, sound, told + (["ph"] if pattern(patterns.LIKE_STAND_IN).search(value) else [])


def _of_name(name: str) -> tuple[list[str], str]:
    """Return what can be told of a name, and how it is written."""
    lowered = name.lower()
    parts = [part.lower() for part in pattern(_PARTS).findall(name)[-5:]]
    stems = pattern(_STEM).findall(lowered)
    told = [f"n{place}:{part}" for place, part in enumerate(parts[:-4:-1])]
    told += [f"n:{part}" for part in parts] + [f"N{''.join(parts)}"] + [f"ns:{stem}" for stem in stems]
    told += [f"nt:{stem}:{lowered.rpartition(stem)[2][:8]}" for stem in stems[:4]]
    told += [f"e:{parts[-1][-4:]}", f"b:{parts[0][:4]}"] if parts else []
    case = "U" if name.isupper() else "l" if name.islower() else "m" if name else "0"
    kind = ("-" if name[:1] == "-" else "") + case
    return [*told, f"k{kind}"], kind


def _top(name: str, near: list[tuple[int, str]], ahead: list[str]) -> str:
    """Return the word that tells most, and how far it stands from the value."""
    for stem in _TELLING:
        if stem in name:
            return f"{stem}0"
    for place, stem in near:
        if stem in _TELLING:
            return f"{stem}{place + 1}"
    return next((f"{stem}9" for stem in ahead if stem in _TELLING), "0")


def shape_of(value: str) -> str:
    """Return how a value is built, as a short name; the same few values stand in a transcript thousands of times."""
    if len(_shapes) > _MAX_KNOWN:
        _shapes.clear()
    if value not in _shapes:
        _shapes[value] = _shape_of(value)
    return _shapes[value]


def _shape_of(value: str) -> str:
    known = next((shape for shape, source in patterns.BUILT if pattern(source).search(value)), "")
    if known == "hex":
        return "hexS" if len(value) < 16 else "hexM" if len(value) < 32 else "hexL"
    if known:
        return "digits" if value.isdigit() else known
    share, letters = _spelled(value)
    if share > 0.7 and pattern(r"^[\w.@~-]*/[\w.@~/-]*$").match(value):
        return "path"
    if pattern(r"[()\[\]{};]|->|::|=>|==|&&").search(value):
        return "code"
    if share > 0.6 and pattern(r"[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+$").match(value):
        return "dotted"
    if share < 0.6 and pattern(r"(?=.*[0-9])(?=.*[+/=])[A-Za-z0-9+/_-]{16,}={0,2}$").match(value):
        return "b64"
    is_signed = any(not letter.isalnum() and letter not in "_-./" for letter in value)
    if share >= 0.75 or (share > 0.5 and letters < 8):
        return f"w{'Sg' if is_signed else ''}{_style(value)}{_count(value)}"
    kinds = (("[a-z]", "l"), ("[A-Z]", "u"), ("[0-9]", "d"))
    style = "".join([sign for source, sign in kinds if pattern(source).search(value)])
    return f"r{style}{'s' if is_signed else ''}{'_' if '_' in value or '-' in value else ''}"


def _style(value: str) -> str:
    if "-" in value:
        return "kebab"
    if "_" in value:
        return "snake"
    if value.islower():
        return "low"
    if value.isupper():
        return "UP"
    return "Cap" if value[:1].isupper() and value[1:].islower() else "camel"


def _count(value: str) -> str:
    """Return how many digits a value has, where they stand together."""
    digits = pattern(r"\d+").findall(value)
    return "0" if not digits else str(len(digits[0])) if len(digits) == 1 and len(digits[0]) < 3 else "n"


def _spelled(value: str) -> tuple[float, int]:
    """Return the share of letters that stand in what can be words, and how many letters there are."""
    good = letters = 0
    for run in pattern(_PARTS).findall(value):
        if run.isalpha():
            letters += len(run)
            if len(run) > 2 and _sound(run) > -3.6:
                good += len(run)
            elif len(run) == 2 and _sound(run) > -4:
                good += 1
    return (good / letters if letters else 0), letters


def _sound(letters: str) -> float:
    """Return how usual it is that letters follow each other so: of words more than -3.6, of drawn ones less."""
    if not _table:
        weighed([])
    table = _table[0]
    codes = [code - 97 for code in letters.lower().encode("ascii", "ignore") if 97 <= code < 123]
    values = [table[HEAD + 26 * one + two] for one, two in pairwise(codes)]
    return (sum(values) / len(values) - 256) / 16 if values else -9


def _step(number: float, edges: tuple[float, ...]) -> int:
    return sum([number >= edge for edge in edges])


_ALNUM = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
_NO_WORD = "".join([chr(code) for code in range(128) if not (chr(code).isalnum() or chr(code) == "_")])
