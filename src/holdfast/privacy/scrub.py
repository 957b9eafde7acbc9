"""Scrubbing bytes: finding a text in whatever a file holds, however it is written there, and taking it out.

A text is its words, one behind the other; signs, white space, line breaks, case and accents between and in them do not
count. So it is found in prose, wrapped or quoted, in a file name, and behind the escapes of JSON, HTML, URLs and mail.
It stands there only as whole words: a letter or a digit beside it makes it another text, here and in every look for it.

What is found is replaced by `ERASED`, which is a word in every format, and never longer than what stood there. Base64
and hexadecimal digits keep their length.
"""

from __future__ import annotations

import base64
import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from html.entities import codepoint2name
from os.path import commonprefix

from holdfast.privacy import coded

ERASED = "erased"
ENCODINGS = (
    *("UTF-8", "UTF-16 LE", "UTF-16 BE", "JSON escapes", "HTML entities", "Markdown signs", "percent-encoding"),
    *("quoted-printable", "base64", "base64url", "base32", "hexadecimal", "base64 of base64, gzip and zlib"),
    *("escapes of escapes", "NFC, NFD and NFKC", "any case", "any white space or line break", "signs that nobody sees"),
    *("file and folder names", "Zstandard", "SQLite pages"),
)
MIN_LETTERS = 4
# So many words are found as one piece; a longer text is found piece by piece, wherever some of it was cut.
MAX_PIECE = 12
# So many words of a cut text, or of a name that was made of it, tell that it is this one.
MIN_CUT = 3
MIN_CUT_LETTERS = 6
# A cut has a third of the letters, or so many where the text is long.
_ENOUGH_OF_CUT = 24
_DIGITS_OF_CUT = 16
_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")
_ODD_WORD = re.compile(r"\S+")
# What may stand between two words: any sign, with its escapes.
_CODE = rb"(?:[01][0-9a-fA-F]|2[0-9a-fA-F]|3[a-fA-F]|40|5[b-fB-F]|60|7[b-fB-F])"
_SIGN = (
    rb"(?:[-_](?:20|u0020)|[^A-Za-z0-9\x80-\xff\\%&=]|\\+(?:[nrtbfv0]|u00"
    + _CODE
    + rb"|u00[89abAB].|u20[0-9a-fA-F]{2})|\\"
    rb"|%(?:" + _CODE + rb"|[cC]2%[89abAB].|[eE]2%8.%..)?|=(?:" + _CODE + rb"|C2=[89AB].|E2=8.=..)?"
    rb"|&(?:#0*(?:[0-9]|[1-3][0-9]|4[0-7]|5[89]|6[0-4]|9[1-6]|12[3-7]|160|82[0-9]{2});|#x" + _CODE + rb";|[a-z]{2,8};)?"
    rb"|\xc2[\x80-\xbf]|\xe2[\x80-\xbf]{2}|\xe3\x80[\x80-\xbf])"
)
_GAP = _SIGN + rb"{1,80}"
# Where a word begins and ends. An escape of a sign may stand before it, whose last letter is none of a word.
_BEGIN = (
    rb"(?:(?<![A-Za-z0-9])(?<![\xc3-\xdf][\x80-\xbf])|(?<=\\[nrtbfv])|(?<=[%=]"
    + _CODE
    + rb")|(?<=u00"
    + _CODE
    + rb")|(?<=[%=][89abAB][0-9a-fA-F])|(?<=\\u00[89abAB][0-9a-fA-F])|(?<=\\u20[0-9a-fA-F]{2})|(?<=[-_]20))"
)
_END = rb"(?![A-Za-z0-9])(?![\xc3-\xdf][\x80-\xbf])"
# An accent that stands behind its letter.
_ACCENT = rb"(?:\xcc[\x80-\xbf]|\xcd[\x80-\xaf]|\\+u03[0-6][0-9a-fA-F]){0,2}"
_APOSTROPHE = (
    rb"(?:\\*'|\xe2\x80\x99|\\+u(?:2019|0027)|&(?:#0*39|#x27|apos|rsquo|#8217|#x2019);|[%=]27|[%=]E2[%=]80[%=]99)?"
)
# An escape keeps its digits in a name that was made of it.
_IN_NAME = (b"", b"-", b"_", b"-20", b"_20", b"-u0020")
# Before the sign of a cut may stand what was left of an escape.
_AT_CUT = re.compile(
    _SIGN
    + rb"{0,3}?(?:\\+u?[0-9a-fA-F]{0,3}|[%=][0-9a-fA-F]?|&#?[A-Za-z0-9]{0,6})?"
    + _SIGN
    + rb"{0,3}?(?:\[?(?:\.\.\.|\xe2\x80\xa6|\\+u2026)\]?)"
)
_WIDE_SIGN = {
    "utf-16-le": rb"(?:[\x00-\x2f\x3a-\x40\x5b-\x60\x7b-\xbf]\x00|[\x00-\xff]\x20)",
    "utf-16-be": rb"(?:\x00[\x00-\x2f\x3a-\x40\x5b-\x60\x7b-\xbf]|\x20[\x00-\xff])",
}
_WIDE_LETTER = {"utf-16-le": rb"[A-Za-z0-9]\x00", "utf-16-be": rb"\x00[A-Za-z0-9]"}
_BREAK = rb"(?:\\+[rn]|[\r\n])*"
_NEEDLESS = re.compile(
    rb"\\\\{0,8}(?:u00|x)[3-7][0-9a-fA-F]|-u00[3-7][0-9a-f]|%[3-7][0-9a-fA-F]|=[4-7][0-9a-fA-F]"
    rb"|&#(?:0*[1-9][0-9]{1,2}|x0*[3-7][0-9a-fA-F]);"
)
_ACCENTS = re.compile("[\u0300-\u036f]")
_ESCAPED = re.compile(rb"\\{1,32}u(0[01][0-9a-fA-F]{2}|03[0-6][0-9a-fA-F])")
_IN_BASE64 = re.compile(rb"(\\+[rn/])|[A-Za-z0-9+/=_-]")

Span = tuple[int, int, bytes]


def words_of(text: str) -> list[str]:
    """Return the words of a text; where it has none, whatever stands between white space."""
    text = unicodedata.normalize("NFC", text)
    return _WORD.findall(text) or _ODD_WORD.findall(text)


def sentences_of(text: str, least: int = 5) -> list[str]:
    """Return the sentences and lines of a text that have so many words, but not the text itself."""
    found = [part for part in re.split(r"(?<=[.!?:])\s+|\n+", text) if len(words_of(part)) >= least]
    return [part for part in found if len(words_of(part)) < len(words_of(text))]


def is_telling(text: str) -> bool:
    """Whether a text is long enough to be looked for."""
    return sum(map(len, words_of(text))) >= MIN_LETTERS


class View:
    """Some bytes as they can be read: as they are, as base64 or hexadecimal digits, and as UTF-16; each made once."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    @cached_property
    def lowered(self) -> bytes:
        """The bytes in small letters."""
        return self.data.lower()

    @cached_property
    def unescaped(self) -> bytes:
        """The bytes with escapes as the letters that they stand for, in small letters; nothing where none is."""
        if not _NEEDLESS.search(self.data):
            return b""
        return _NEEDLESS.sub(lambda match: bytes([_code_of(match[0])]), self.data).lower()

    @cached_property
    def folded(self) -> bytes:
        """The bytes without accents, in small letters; nothing where none can be."""
        data = _ESCAPED.sub(lambda match: chr(int(match[1], 16)).encode(), self.data)
        if data.isascii():
            return b""
        text = unicodedata.normalize("NFD", data.decode("utf-8", "ignore"))
        return _ACCENTS.sub("", text).lower().encode()

    @cached_property
    def bare(self) -> list[coded.Bare]:
        """The bytes without what wraps their letters; nothing where nothing does."""
        return list(coded.bare(self.data))

    @cached_property
    def narrow(self) -> bytes:
        """The letters of UTF-16, and all else, in small letters; nothing where no byte is zero."""
        return self.lowered.replace(b"\0", b"") if b"\0" in self.data else b""

    @cached_property
    def runs(self) -> list[coded.CodedRun]:
        """What runs of digits may say."""
        return list(coded.runs(self.data))

    @cached_property
    def decoded(self) -> bytes:
        """What runs of digits may say, in small letters."""
        found = [run.said for run in self.runs]
        said = b"\n".join(found).lower()
        return said + said.replace(b"\0", b"")


class Needle:
    """One text that is looked for, with cuts of it and names that were made of it.

    `plainly` leaves out what Holdfast itself never writes: UTF-16, base64 and letters that need no escape.
    """

    def __init__(self, text: str, *, plainly: bool = False) -> None:
        self.text = text.strip()
        self.words = words_of(self.text)
        self._plainly = plainly
        self._enough = max(MIN_CUT_LETTERS, min(sum(map(len, self.words)) // 3, _ENOUGH_OF_CUT))
        size = MAX_PIECE if len(self.words) > 2 * MAX_PIECE else max(1, len(self.words))
        parts = [self.words[start : start + size] for start in range(0, len(self.words), size)]
        self._parts = [part for part in parts if len(part) >= min(MIN_CUT, len(self.words))]
        self._anchors = [_anchor(part) for part in self._parts]

    def spans(self, view: View) -> Iterator[Span]:
        """Yield where the text stands, and what takes its place."""
        for number, anchor in enumerate(self._anchors):
            also = () if self._plainly else (view.unescaped, view.folded)
            if anchor in view.lowered or any(anchor in each for each in also):
                yield from self._found(number, view.data)
        if not self._plainly:
            yield from self._coded(view)

    def _found(self, number: int, data: bytes) -> Iterator[Span]:
        head, whole = self._ways[number]
        for match in head.finditer(data):
            end = one.end() if (one := whole.match(data, match.start())) else 0
            if not end and not number:
                end = self._end_of_cut(data, match.start())
            if end:
                yield match.start(), end, ERASED.encode()[: end - match.start()]

    @cached_property
    def _ways(self) -> list[tuple[re.Pattern[bytes], re.Pattern[bytes]]]:
        """The patterns of each piece in UTF-8: of its first letters, and of all of it."""
        found = []
        for part in self._parts:
            whole = _GAP.join([self._word(word) for word in part])
            head = _GAP.join([self._word(word) for word in _first_letters(part)])
            found.append((re.compile(_BEGIN + head, re.DOTALL), re.compile(whole + _END, re.DOTALL)))
        return found

    @cached_property
    def _steps(self) -> list[tuple[bool, re.Pattern[bytes]]]:
        """A pattern for each letter of the text, with what may stand before it, and whether a word begins with it."""
        words = [word.replace("'", "").replace("\u2019", "") for word in self.words]
        every = [(not place, sign) for word in words for place, sign in enumerate(word)]
        return [
            (begins, _one_letter(sign, self._plainly, b"" if not number else _GAP if begins else _APOSTROPHE))
            for number, (begins, sign) in enumerate(every)
        ]

    def _end_of_cut(self, data: bytes, start: int) -> int:
        """Return where a cut of the text ends, or a name that was made of it, which begins here; 0 for neither."""
        end, whole, letters, words, is_name = start, start, 0, 0, True
        for begins, pattern in self._steps:
            whole = end if begins and letters else whole
            match = pattern.match(data, end)
            if not match:
                break
            is_name = is_name and data[end : match.start(1)] in _IN_NAME
            end, letters, words = match.end(), letters + 1, words + begins
        # Of a text that was escaped and then cut, few letters are left, but they were as long as others.
        if letters >= MIN_CUT_LETTERS and end - start >= self._enough and (cut := _AT_CUT.match(data, end)):
            return cut.end()
        if data[end : end + 1].isalnum():
            end, words = whole, words - 1
        return end if is_name and (words >= MIN_CUT or (words > 1 and letters >= 2 * MIN_CUT_LETTERS)) else 0

    def _word(self, word: str) -> bytes:
        parts = [b"".join([_letter(sign, self._plainly) for sign in part]) for part in re.split("['\u2019]", word)]
        return _APOSTROPHE.join(parts)

    def _coded(self, view: View) -> Iterator[Span]:
        if any(anchor in view.narrow for anchor in self._anchors) if view.narrow else False:
            end = 0
            # Between zeros a text can be read in both ways; either way takes it out.
            wide = [(*one.span(), coding) for pattern, coding in self._wide for one in pattern.finditer(view.data)]
            for start, stop, coding in sorted(wide):
                if start >= end:
                    yield start, stop, ERASED[: (stop - start) // 2].encode(coding)
                    end = stop
        if any(anchor in view.decoded for anchor in self._anchors):
            yield from self._in_digits(view)
        # Behind escapes of any depth, or with something between its letters that nobody sees.
        for bare in view.bare:
            lowered = bare.said.lower()
            for number in [number for number, anchor in enumerate(self._anchors) if anchor in lowered]:
                for first, last, _ in self._found(number, bare.said):
                    start, end = bare.span(first, last)
                    yield start, end, ERASED.encode()[: end - start]

    def _in_digits(self, view: View) -> Iterator[Span]:
        """Yield where base64 or hexadecimal digits say it, base64 also where it was cut."""
        for digits, pattern in self._digits.items():
            for one in pattern.finditer(view.data):
                yield one.start(), one.end(), _blanked(one[0], b"A")
            for start in _starts(view.data, digits[:_DIGITS_OF_CUT]):
                end = _end_alike(view.data, start, digits)
                if end - start < len(digits) and _AT_CUT.match(view.data, end):
                    yield start, end, b"A" * (end - start)
        yield from self._in_runs(view)
        for digits in [one.hex().encode() for one in self._said if len(one) >= MIN_LETTERS]:
            for start in _starts(view.lowered, digits[:_DIGITS_OF_CUT]):
                end = _end_alike(view.lowered, start, digits)
                if end - start == len(digits) or _AT_CUT.match(view.data, end):
                    yield start, end, b"0" * (end - start)

    def _in_runs(self, view: View) -> Iterator[Span]:
        """Yield where a run says it in another case, in UTF-16, or with other signs between its words."""
        for run in view.runs:
            is_wide = run.is_whole or coded.is_wide(run.said)
            said = "\n".join(coded.texts(run.said)).encode() if is_wide else run.said
            lowered = said.lower()
            wanted = [number for number, anchor in enumerate(self._anchors) if anchor in lowered]
            # Where the digits were cut, so is what they say.
            read = said + b"..." if wanted and _AT_CUT.match(view.data, run.end) else said
            for number in wanted:
                for first, last, _ in self._found(number, read):
                    start, end = (run.start, run.end) if is_wide else run.span(first, min(last, len(said)))
                    yield start, end, _blanked(view.data[start:end], b"A" if run.is_base64 else b"0")

    @cached_property
    def _wide(self) -> list[tuple[re.Pattern[bytes], str]]:
        found = []
        for coding, gap in _WIDE_SIGN.items():
            words = []
            for word in self.words:
                signs = [{re.escape(form.encode(coding)) for form in _forms(sign)} for sign in word]
                words.append(b"".join([b"(?:" + b"|".join(sorted(one)) + b")" for one in signs]))
            inner, beside = (gap + rb"{1,80}").join(words), _WIDE_LETTER[coding]
            found.append((re.compile(b"(?<!" + beside + b")" + inner + b"(?!" + beside + b")", re.DOTALL), coding))
        return found

    @cached_property
    def _said(self) -> list[bytes]:
        """The text as it may stand behind base64 or hexadecimal digits."""
        cased = (self.text, self.text.lower(), self.text.upper(), " ".join(self.text.split()))
        texts = {unicodedata.normalize(form, one) for one in cased for form in ("NFC", "NFD")}
        return sorted({one.encode(coding, "replace") for one in texts for coding in ("utf-8", "utf-16-le")})

    @cached_property
    def _digits(self) -> dict[bytes, re.Pattern[bytes]]:
        found = {}
        for said in self._said:
            for before in range(3):
                # The digits at either end that also say something of what stands beside the text are left out.
                whole = base64.b64encode(b"\0" * before + said).rstrip(b"=")
                begin = (0, 2, 3)[before]
                end = len(whole) if (before + len(said)) % 3 == 0 else len(whole) - 1
                digits = whole[begin:end]
                for one in {digits, digits.translate(bytes.maketrans(b"+/", b"-_"))} if len(digits) >= 8 else ():
                    signs = [b"\\\\*/" if sign == 0x2F else re.escape(bytes((sign,))) for sign in one]
                    found[one] = re.compile(_BREAK.join(signs))
        return found


def _blanked(digits: bytes, digit: bytes) -> bytes:
    """Return digits that say nothing, in their lines."""
    return _IN_BASE64.sub(lambda one: one[1] or digit, digits)


def _end_alike(data: bytes, start: int, digits: bytes) -> int:
    return start + len(commonprefix([data[start : start + len(digits)], digits]))  # noqa: RUF071


def _starts(data: bytes, part: bytes) -> Iterator[int]:
    start = data.find(part)
    while start >= 0:
        yield start
        start = data.find(part, start + len(part))


def _code_of(escape: bytes) -> int:
    if escape[:2] == b"&#":
        number = escape[2:-1]
        return int(number[1:], 16) if number[:1] in b"xX" else int(number) % 256
    return int(escape[-2:], 16)


def _first_letters(words: list[str]) -> list[str]:
    """Return the words that have the first letters of a text by which it, or a cut of it, is looked for."""
    found, left = [], MIN_CUT_LETTERS
    for word in words:
        found.append(word[:left])
        left -= len(found[-1])
        if left <= 0:
            break
    return found


def _anchor(words: list[str]) -> bytes:
    """Return the longest part in ASCII of the first letters; empty where there is none."""
    plain = [part for word in _first_letters(words) for part in re.findall("[!-&(-~]+", word)]
    return max(plain, key=len, default="").lower().encode()


@lru_cache(maxsize=4096)
def _letter(sign: str, plainly: bool) -> bytes:
    """Return the pattern of a letter in either case; not `plainly`, also as an escape that it does not need."""
    if sign.isascii():
        plain, codes = {sign.lower(), sign.upper()}, {sign.lower().encode().hex(), sign.upper().encode().hex()}
        either = "".join(sorted(plain)) if sign.isalnum() else re.escape(sign)
        if plainly:
            return f"[{either}]".encode()
        code = "|".join(sorted({each for one in codes for each in (one, one.upper())}))
        numbers = "|".join([str(ord(one)) for one in sorted(plain)])
        # In a name that was made of escapes their signs are hyphens.
        escapes = (
            rf"\\{{1,32}}(?:u00|x)(?:{code})",
            f"-?u00(?:{code})",
            f"[%=](?:{code})",
            f"&#(?:0*(?:{numbers})|x0*(?:{code}));",
        )
        either_way = b"|".join([f"[{either}]|{'|'.join(escapes)}".encode(), *_accented(sign)])
        return b"(?:" + either_way + b")" + (_ACCENT if sign.isalpha() else b"")
    forms = _forms(sign)
    ways = [re.escape(form.encode("utf-8")) for form in forms]
    return b"(?:" + b"|".join(dict.fromkeys([*ways, *(one for form in forms for one in _escapes(form))])) + b")"


@lru_cache(maxsize=64)
def _accented(sign: str) -> list[bytes]:
    """Return the patterns of a letter with an accent, in either case: one for each way in which its bytes begin.

    The last is that of its escapes in JSON.
    """
    ends: dict[bytes, set[str]] = {}
    for each in map(chr, (*range(0xC0, 0x250), *range(0x1E00, 0x1F00))):
        parts = unicodedata.normalize("NFD", each)
        if len(parts) > 1 and parts[0].lower() == sign.lower():
            ends.setdefault(each.encode()[:-1], set()).add(rf"\x{each.encode()[-1]:02x}")
            ends.setdefault(b"", set()).add(f"{ord(each):04x}")
    codes = "|".join(sorted(ends.pop(b"", ())))
    ways = [re.escape(begin) + b"[" + "".join(sorted(last)).encode() + b"]" for begin, last in ends.items()]
    return [*ways, rf"\\{{1,32}}u(?i:{codes})".encode()] if codes else []


@lru_cache(maxsize=4096)
def _one_letter(sign: str, plainly: bool, before: bytes) -> re.Pattern[bytes]:
    return re.compile((b"(?:" + before + b")?" if before else b"") + b"(" + _letter(sign, plainly) + b")", re.DOTALL)


def _forms(sign: str) -> list[str]:
    """Return a letter in each case and normal form, and without its accent."""
    cased = {sign, sign.lower(), sign.upper(), sign.casefold()}
    forms = {unicodedata.normalize(form, one) for one in cased for form in ("NFC", "NFD")}
    bare = {"".join([each for each in one if not unicodedata.combining(each)]) for one in forms}
    return sorted((forms | bare) - {""}, key=len, reverse=True)


def _escapes(form: str) -> Iterator[bytes]:
    """Yield the patterns of a letter as JSON, HTML, a URL and mail may write it."""
    units = form.encode("utf-16-be")
    plain = form.encode("utf-8")
    codes = [f"{units[at]:02x}{units[at + 1]:02x}".encode() for at in range(0, len(units), 2)]
    yield b"".join([rb"\\\\{0,31}u(?i:" + one + b")" for one in codes])
    if form.isascii():
        yield b"".join([rb"\\\\{0,31}x(?i:%02x)" % one for one in plain])
    elif form[:1].isascii():
        # A letter with its accent behind it: only the accent needs an escape.
        yield re.escape(form[:1].encode()) + b"".join([rb"\\\\{0,31}u(?i:" + one + b")" for one in codes[1:]])
    yield b"".join([b"%%(?i:%02x)" % one for one in plain])
    yield b"".join([b"=(?i:%02x)" % one for one in plain])
    yield b"".join([f"&#(?:0*{ord(one)}|(?i:x0*{ord(one):x}));".encode() for one in form])
    if len(form) == 1 and ord(form) in codepoint2name:
        yield f"&{codepoint2name[ord(form)]};".encode()


@lru_cache(maxsize=1024)
def needle(text: str, plainly: bool = False) -> Needle:
    """Return the needle of a text; its patterns are made once."""
    return Needle(text, plainly=plainly)


class Scrubber:
    """Finds texts in bytes and takes them out. `keys` are names that only count where nothing else is glued to them."""

    def __init__(self, needles: Iterable[Needle], keys: Iterable[str] = ()) -> None:
        self.needles = tuple(needles)
        self._keys = {key: _key_pattern(key) for key in keys}

    def add_key(self, key: str) -> None:
        """Look for one more name from here on."""
        self._keys[key] = _key_pattern(key)

    def spans(self, data: bytes, *, is_json: bool = False) -> list[Span]:
        """Return the places in order, none within another; the longer one counts."""
        view = View(data)
        found = [span for needle in self.needles for span in needle.spans(view)]
        for key, pattern in self._keys.items():
            matches = pattern.finditer(data) if key.encode() in data else ()
            found += [(one.start(), one.end(), ERASED.encode()[: len(key)]) for one in matches]
        if is_json:
            found = [one for one in found if not _is_escape(data, one[0])]
        kept: list[Span] = []
        for one in sorted(found, key=lambda span: (span[0], -span[1])):
            if kept and one[0] < kept[-1][1]:
                if one[1] > kept[-1][1]:
                    kept[-1] = kept[-1][0], one[1], kept[-1][2]
            else:
                kept.append(one)
        return kept

    def holds_key(self, data: bytes) -> bool:
        """Whether one of the keys stands in the bytes as a name."""
        return any(key.encode() in data and pattern.search(data) for key, pattern in self._keys.items())

    def holds(self, data: bytes, *, is_json: bool = False) -> int:
        """Return how often the texts stand in the bytes."""
        return len(self.spans(data, is_json=is_json))

    def scrubbed(self, data: bytes, *, is_json: bool = False) -> bytes:
        """Return the bytes without the texts."""
        pieces, end = [], 0
        for start, stop, instead in self.spans(data, is_json=is_json):
            pieces += [data[end:start], instead]
            end = stop
        return b"".join([*pieces, data[end:]])


def _key_pattern(key: str) -> re.Pattern[bytes]:
    """Return the pattern of a key: a word alone is only one where it stands as a name, in quotes, a link or a path."""
    plain = re.escape(key.encode())
    if key.count("-") + 1 >= MIN_CUT:
        return re.compile(rb"(?<![A-Za-z0-9_-])" + plain + rb"(?![A-Za-z0-9_-])")
    # The name of a field is written so, too, and nobody's memory.
    return re.compile(rb'(?<=["/`\[])' + plain + rb'(?=\\{0,7}"(?!\s{0,2}:)|[`\]]|\.md\b)')


def _is_escape(data: bytes, start: int) -> bool:
    """Whether the letter at this place belongs to an escape of JSON."""
    if data[start : start + 1] not in (b"n", b"r", b"t", b"b", b"f", b"u"):
        return False
    before = start
    while before and data[before - 1 : before] == b"\\":
        before -= 1
    return (start - before) % 2 == 1
