"""A text is found in bytes however it is written there, goes without a trace, and takes nothing else along."""

from __future__ import annotations

import base64
import gzip
import html
import json
import quopri
import textwrap
import unicodedata
import zlib
from urllib.parse import quote, quote_plus

import pytest

from holdfast.privacy.erased import Erased
from holdfast.privacy.scrub import Scrubber, needle

TEXT = "Die Größe des Zebra-Ports ist 4711, don't tell Kim's café"
WRITTEN = {
    "UTF-8": TEXT.encode(),
    "upper case": TEXT.upper().encode(),
    "NFD": unicodedata.normalize("NFD", TEXT).encode(),
    "UTF-16 LE": f"a {TEXT} b".encode("utf-16-le"),
    "UTF-16 BE": f"a {TEXT} b".encode("utf-16-be"),
    "JSON": json.dumps({"a": f"\n{TEXT}"}).encode(),
    "JSON in JSON": json.dumps(json.dumps({"a": f"\n{TEXT}"})).encode(),
    "all of it JSON escapes": "".join(f"\\u{ord(sign):04x}" for sign in TEXT).encode(),
    "HTML": html.escape(TEXT).encode(),
    "HTML numbers": "".join(f"&#{ord(sign)};" for sign in TEXT).encode(),
    "percent-encoding": quote(TEXT).encode(),
    "percent-encoding of forms": quote_plus(TEXT).encode(),
    "quoted-printable": quopri.encodestring(TEXT.encode()),
    "hexadecimal": TEXT.encode().hex().encode(),
    "base64": base64.b64encode(TEXT.encode()),
    "base64, one off": base64.b64encode(b"x" + TEXT.encode() + b"yz"),
    "base64, two off": base64.urlsafe_b64encode(b"xy" + TEXT.encode() + b"z"),
    "base64, wrapped": base64.encodebytes(b"some prefix before it " + TEXT.encode() * 2),
    "base64 of UTF-16": base64.b64encode(f"x{TEXT}".encode("utf-16-le")),
    "base64 behind a path": b"abc/def/" + base64.b64encode(f"??>>{TEXT}??>>".encode()).replace(b"/", b"\\/"),
    "base64, in another case": base64.b64encode(TEXT.title().encode()),
    "base64 of UTF-16 BE": base64.b64encode(TEXT.encode("utf-16-be")),
    "base64 of wrapped lines": base64.b64encode(textwrap.fill(TEXT, 20).encode()),
    "hexadecimal with signs": TEXT.encode().hex(":").encode(),
    "hexadecimal, wrapped": "\n".join(textwrap.wrap(TEXT.encode().hex(), 32)).encode(),
    "hexadecimal behind a digit": b"a" + TEXT.encode().hex().encode(),
    "escapes of C": "".join(f"\\x{sign:02x}" for sign in TEXT.encode()).encode(),
    "hexadecimal of UTF-16": TEXT.encode("utf-16-le").hex().encode(),
    "wrapped and quoted": ("> " + "\n> ".join(textwrap.wrap(TEXT, 20))).encode(),
    "a cut": b"Die Gr\xc3\xb6\xc3\x9fe des Zebra-Po...",
    "a cut of base64": base64.b64encode(b"x" + TEXT.encode())[:40] + "\u2026".encode(),
    "a cut of hexadecimal": TEXT.encode().hex()[:40].encode() + "\u2026".encode(),
    "a cut of hexadecimal with signs": TEXT.encode().hex(":")[:62].encode() + b"...",
    "a cut of quoted-printable": "".join(f"={sign:02X}" for sign in TEXT.encode())[:61].encode() + b"...",
    "a name": b"memories/die-grosse-des-zebra-ports-ist.md",
    "base32": base64.b32encode(TEXT.encode()),
    "base32 in small letters": base64.b32encode(TEXT.encode()).lower().rstrip(b"="),
    "base64 of base64": base64.b64encode(base64.b64encode(TEXT.encode())),
    "base64 in a text in base64": base64.b64encode(b"name: " + base64.b64encode(TEXT.encode()) + b" and more"),
    "base64 of gzip": base64.b64encode(gzip.compress(TEXT.encode())),
    "base64 of zlib": base64.urlsafe_b64encode(zlib.compress(TEXT.encode())),
    "percent-encoding, twice": quote(quote(TEXT)).encode(),
    "HTML, twice": html.escape("".join(f"&#{ord(sign)};" for sign in TEXT)).encode(),
    "HTML in a URL": quote("".join(f"&#x{ord(sign):x};" for sign in TEXT)).encode(),
    "names as git prints them": "".join(
        f"\\{sign:03o}" if sign > 126 else chr(sign) for sign in TEXT.encode()
    ).encode(),
    "letters of JavaScript": "".join(f"\\u{{{ord(sign):x}}}" for sign in TEXT).encode(),
    "letters of Python": "".join(f"\\U{ord(sign):08x}" for sign in TEXT).encode(),
    "soft hyphens": TEXT.replace("e", "e\u00ad").encode(),
    "joiners that nobody sees": TEXT.replace("a", "\u200ba").replace("s", "s\u2060").encode(),
    "wide letters": "".join(chr(ord(sign) + 0xFEE0) if "!" <= sign <= "~" else sign for sign in TEXT).encode(),
    "marked letters": TEXT.replace("ebra", "**ebra**").replace("afé", "`afé`").encode(),
    "parted at the ends of lines": TEXT.replace("Ports", "Po-\nrts").replace("ebra", "eb-\\nra").encode(),
    "colours of a terminal": TEXT.replace("Zebra", "\x1b[1mZebra\x1b[0m")
    .replace("tell", "te\\u001b[01;31mll")
    .encode(),
}


ACCENTED = "The kéy of Zoë Müller's dåça hângs in the porch"
ACCENTS = {
    "composed": ACCENTED.encode(),
    "behind their letters": unicodedata.normalize("NFD", ACCENTED).encode(),
    "JSON": json.dumps({"a": f"\n{ACCENTED}"}).encode(),
    "a cut": "The kéy of Zoë Mü...".encode(),
}


@pytest.mark.parametrize("data", ACCENTS.values(), ids=ACCENTS)
def test_accents_that_a_text_was_asked_for_without_do_not_hide_it(data) -> None:
    """Who asks for the plain letters finds those with accents; a letter with one beside the text is another word."""
    scrubber = Scrubber([needle("the key of Zoe Muller's daca hangs in the porch")])
    assert scrubber.holds(data) and not scrubber.holds(scrubber.scrubbed(data))
    assert not scrubber.holds(f"é{ACCENTED}é".encode())


@pytest.mark.parametrize("data", WRITTEN.values(), ids=WRITTEN)
def test_a_text_is_found_and_goes(data) -> None:
    """In each way of writing it is found, and not once more when it was taken out; what is no longer is not longer."""
    scrubber = Scrubber([needle(TEXT)])
    after = scrubber.scrubbed(data)
    assert scrubber.holds(data) and not scrubber.holds(after) and len(after) <= len(data)


@pytest.mark.parametrize(
    "text",
    [
        "Die Größe des Zebra-Ports ist 4712",
        "Die Größe des Zeb*ra-Ports ist 4711, %E2%80%8B &amp; \\101 \\u{41}",
        "Zebra-Ports",
        "die grosse des",
        "dont tell Kims cafe",
        '{"a": "\\nano text"}',
    ],
)
def test_other_texts_stay_as_they_are(text) -> None:
    """Some words of it, another number and an escape that looks like a letter are no place."""
    assert Scrubber([needle(TEXT), needle("nano text")]).scrubbed(text.encode(), is_json=True) == text.encode()


@pytest.mark.parametrize("sign", [b"\\", b"\\\\n", b"%25", b"&amp;", b"\xc2\xad", b"H4sIAAAA"])
def test_a_file_of_one_sign_is_looked_through_in_its_length(sign) -> None:
    """A megabyte of backslashes, which took hours, keeps nobody from erasing."""
    assert not Scrubber([needle(TEXT)]).holds(sign * (1_000_000 // len(sign)))


def test_a_short_text_is_only_found_as_a_word() -> None:
    """Four letters within a longer word are not what a person means."""
    assert Scrubber([needle("kimo")]).scrubbed(b"kimono, Kimo. x-kimo-y") == b"kimono, eras. x-eras-y"


def test_json_stays_json() -> None:
    """What stood in a text of JSON is a text again, with every other sign of it."""
    data = json.dumps({"a": f'x "{TEXT}"\n', TEXT: [1, TEXT]}).encode()
    assert json.loads(Scrubber([needle(TEXT)]).scrubbed(data, is_json=True)) == {
        "a": 'x "erased"\n',
        "erased": [1, "erased"],
    }


def test_what_was_erased_is_known_without_its_words(tmp_path) -> None:
    """A later look knows the text in the encodings of transcripts; no word is kept, and what is said anew counts."""
    Erased(str(tmp_path)).add("2026-11-16T10:00:00Z", [TEXT])
    known = Erased(str(tmp_path))
    # A cut has no digest, and digits with other letters glued to the text say another one.
    unknown = {
        *(way for way in WRITTEN if way.startswith("a cut")),
        "a name",
        "base64, one off",
        "base64, two off",
        "base64, wrapped",
    }
    for way in set(WRITTEN) - unknown - {"UTF-16 LE", "UTF-16 BE", "base64 of UTF-16"}:
        assert "erased" in known.without(f"a {WRITTEN[way].decode()} b"), way
    wrapped = base64.encodebytes(f"some prefix before it {TEXT} and more".encode()).decode()
    assert "erased" in known.without(wrapped) and known.holds(json.dumps(wrapped))
    assert known.without("Zebra-Ports sind gross", "") == "Zebra-Ports sind gross"
    assert (
        known.without(TEXT, "2026-11-16T09:59:59Z") == "erased" and known.without(TEXT, "2026-11-16T10:00:01Z") == TEXT
    )
    written = (tmp_path / "erased.jsonl").read_text().lower()
    assert not any(word in written for word in ("zebra", "4711", "kim"))


def test_a_name_that_was_made_of_it_without_signs_is_known_as_well(tmp_path) -> None:
    """An erase takes `KimDoeHarborKey` for the text, and so does a later look; a short one stays a word of its own."""
    Erased(str(tmp_path)).add("2026-11-16T10:00:00Z", ["Kim Doe harbor key", "a cat"])
    known = Erased(str(tmp_path))
    assert known.without("the class KimDoeHarborKey says it") == "the class erased says it"
    assert known.without("acat and KimDoe stay") == "acat and KimDoe stay"


def test_a_short_key_blanks_no_name_of_a_field() -> None:
    """A memory that is called by a word is known by it as a value, and leaves fields alone that have the same name."""
    row = b'{"port": 5432, "key": "port", "text": "{\\"port\\": 1}"}'
    assert Scrubber((), ["port"]).scrubbed(row).count(b"port") == 2
