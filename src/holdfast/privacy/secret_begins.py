"""Whether a secret can begin where its beginning stands: a look around it, which costs less than to load the patterns.

Beginnings are everyday words, flags and signs; nearly none of them begins a secret.
"""

from __future__ import annotations

from holdfast.privacy import DIGITS, PHRASES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# What must stand behind a beginning that is an everyday word or a plain address, and how near.
_NEEDED = {
    "log in": ("/", 100),
    "login": ("/", 100),
    " -u": (":,", 80),
    " -U": ("%", 80),
    "htpasswd": ("-", 40),
    "-creds": (":", 80),
    "-user ": (":,", 80),
    "--user": (":,", 80),
    "credential": ("(/:|,", 190),
    "creds ": ("/:|,", 100),
    "/bot": (":", 15),
    "encrypt": ("=", 80),
    "pat": (".", 18),
    **dict.fromkeys(("MT", "Mj", "Mz", "ND", "NT", "Nj", "Nz", "OD", "OT"), (".", 29)),
}
# A password behind a flag has a digit or a sign.
_SHOWING = DIGITS.union("!#%*?^~@$+&")
# Letters alone are a secret where no word has them in that order: so many, and so many consonants in a row.
_MIN_DRAWN, _MANY = 10, 6
_CONSONANTS = bytes.maketrans(b"bcdfghjklmnpqrstvwxzBDFGHJKLMNPQRSTVWXZ", b"C" * 39)
_CASES = b"l" * 65 + b"U" * 26 + b"l" * 165
_DRAWN = b"C" * _MANY
# A secret access key, and other keys in base64, are so long; what stands between them and other texts.
_KEY = 40
_NO_BYTES = frozenset(" }.(\n")
# So near stands a phrase of many words with nothing but a space around them; of few where it is said to be it.
_NEAR_JOINED = 80
_NEAR_WORDS, _WORDS, _SEED, _NEAR_SAID, _SAID = 240, 4, 12, 52, (":", "=", "is", "es")
_IN_SENTENCES = frozenset(
    (
        *("the", "a", "an", "in", "on", "at", "by", "to", "of", "for", "not", "set", "stored", "kept", "and", "or"),
        *("used", "no"),
    )
)
# The random part of a link is so long; what is kept where secrets are is so long; both stand so near.
_LINK = 20
_KEPT, _NEAR = 18, 100

# Which letter follows which in words, from `a` to `z`: of letters that were drawn half of the pairs are others.
_FOLLOWING = (
    "bcdfgiklmnprstuvwxy aceijlorsuy acdehiklmorstuy abcdefgilorstu abcdefghiklmnopqrstvwxy aefilorstuy aeghilnorstu "
    "aeiorstuy abcdefglmnoprstvxz aeou aeilns acdefilnopstuvy abdeilmopsu acdefgiklmnopstuvy abcdfgiklmnoprstuvwy "
    "adefhiloprstuy u abcdefgiklmnoprstuvy acdefhiklmnoprstuwy acdefhilmnoprstuwy abcdefgilmnoprst aeio aehinors ceipt "
    "eilmnopst aei"
)
SPOKEN = dict(zip("abcdefghijklmnopqrstuvwxyz", _FOLLOWING.split(), strict=True))
# What begins with one of these is an id.
_IDS = ("toolu_", "call_", "req_", "msg_", "ws_", "run_", "resp_", "item_", "thread_", "asst_", "chatcmpl-", "agent-")
# A name of code ends in how many bits, colours or bytes there are.
_BITS = ("128", "192", "256", "384", "512", "1024", "2048", "4096", "8192")
_HEX = frozenset("0123456789abcdef") | frozenset("0123456789ABCDEF")
_UUID = frozenset("0123456789abcdefABCDEF-")
_UUID_LENGTH = 36

# Where the random rest of a vendor's token may begin: at a sign, before a run with a digit or of many letters.
_BEHIND_SIGN = r"(?=[A-Za-z0-9_+/-]{16})(?=[A-Za-z_+/-]{0,19}[0-9]|[A-Za-z]{16})(?!(?:[0-9a-f]{4}-){1,3}[0-9a-f]{12})"
# One pattern for each sign: what begins with one certain letter is searched several times as fast.
PREFIXED = (
    rf"_(?<=[A-Za-z0-9].)(?<!toolu_)(?<!msg_)(?<!call_)(?<!req_){_BEHIND_SIGN}",
    rf"-{_BEHIND_SIGN}(?<=[A-Za-z0-9].)",
)
# A word that was drawn at random: so long that no id without a name is, with capitals, small letters and digits.
MIN_BARE = 24
DRAWN = rf"(?<![A-Za-z0-9_+/%-])(?=[A-Za-z0-9_-]{{{MIN_BARE}}})"

# What looks made up stands between these.
NO_RUN = "\"'`=:,()/<>|[]{};\\"


def may_begin(text: str, at: int, beginning: str) -> bool:
    """Whether a secret that has a shape can begin here."""
    if beginning[0] == "@":
        return ":" in text[max(0, at - 2 * _KEY) : at].rpartition(" ")[2]
    if check := _CHECKS.get(beginning):
        return check(text, at, beginning)
    signs, reach = _NEEDED.get(beginning, ("", 0))
    return not signs or any(sign in text[at : at + reach] for sign in signs)


def _is_of_words(text: str, at: int, beginning: str) -> bool:
    """Whether words alone are said to be a password, several of them or joined, and not those of a sentence."""
    line = text[at + len(beginning) : at + _NEAR_WORDS].partition("\n")[0]
    words = line.strip(" \"'`").split(" ", _WORDS)[:_WORDS]
    if is_joined(words[0]):
        return True
    return len(words) == _WORDS and _IN_SENTENCES.isdisjoint(words) and _has_words(line, _WORDS)


def is_joined(word: str) -> bool:
    """Whether three words or more are joined by one sign."""
    word = word.strip("\"'`.,:;=()")
    return word.count("-") > 1 or word.count("_") > 1 or word.count(".") > 1


def _has_joined(text: str, at: int) -> bool:
    """Whether such words stand directly behind a name."""
    return any(map(is_joined, text[at + 6 : at + _NEAR_JOINED].split(None, 3)[:3]))


def _has_words(text: str, least: int) -> bool:
    """Whether so many plain words stand in a row."""
    run = 0
    for word in text.replace("\n", " ").replace("=", " ").split(" "):
        word = word.strip("\"'`.,;:")
        run = run + 1 if 3 <= len(word) <= 12 and word.isascii() and word.isalpha() and word.islower() else 0
        if run == least:
            return True
    return False


def looks_drawn(word: str) -> bool:
    """Whether letters change their case, or consonants follow each other, as in a value that was drawn at random."""
    if len(word) < _MIN_DRAWN:
        return False
    # As bytes, because a word without spaces, as some scripts write them, may be as long as what is looked at.
    letters = word.encode("ascii", "replace")
    if not letters.islower() and not letters.isupper():
        cases = letters.translate(_CASES)
        if cases.count(b"Ul") + cases.count(b"lU") > 4:
            return True
    return _DRAWN in letters.translate(_CONSONANTS)


def looks_made(run: str) -> bool:
    """Say whether a run of letters, digits and signs may be a password by its looks: no number, digest, id or name."""
    if not run.isascii() or run.startswith(_IDS) or "a-z" in run or "A-Z" in run:
        return False
    if len(run) > _UUID_LENGTH and run[8:24:5] == "----" and set(run[:_UUID_LENGTH]) <= _UUID:
        # An id, and what was put behind it.
        return looks_made(run[_UUID_LENGTH:].lstrip("-_."))
    # What ends a sentence is not of the run: "fix build7!"
    run = run.rstrip("!?.")
    if run.isalnum():
        letters = run.rstrip("0123456789")
        if letters.isalpha() and (len(letters) < 4 or len(run) - len(letters) < 3 or run.endswith(_BITS)):
            return False
        # A word in one case and a number behind it is a name: ticket8001.
        if letters.isalpha() and letters in (letters.lower(), letters.upper()):
            return False
        return sum(map(str.isalpha, run)) > 2 and not set(run) <= _HEX
    if "-" in run or "_" in run or "." in run:
        parts = run.replace("_", "-").replace(".", "-").split("-")
        # Names in small letters have words and numbers for their parts, or a word with a number behind it.
        words = [part.rstrip("0123456789") for part in parts]
        odd = [
            word
            for word, part in zip(words, parts, strict=True)
            if word and not (word.isalpha() and (len(word) > 2 or word == part))
        ]
        if run.islower() and len(odd) < 2:
            return any(sign in run for sign in "!#%*?^~@$+&") and "@" not in run
    return sum(map(str.isalpha, run)) > 2 and not set(run) <= _UUID


_OF_WORDS = next(row[1] for row in PHRASES if row[0] == "password-words")
# What stands where a secret may begin, by its beginning.
_CHECKS: dict[str, Callable[[str, int, str], bool]] = {
    **dict.fromkeys(
        (" login ", " -u ", " -p", " -P", " -hp", " -a", " -w", " -A", " -X", " -k", " -t", " -N"),
        lambda text, at, _: any(
            not _SHOWING.isdisjoint(word) or is_joined(word) or len(word) >= _MIN_DRAWN
            for word in text[at : at + 240].split(None, 6)[:6]
        ),
    ),
    **dict.fromkeys(
        (
            *("/reset", "/invit", "/verify", "/magic", "/confirm", "/activat"),
            *("/hook/", "/hooks/", "/webhook/", "/webhooks/"),
        ),
        lambda text, at, _: any(len(part) >= _LINK for part in text[at : at + _NEAR].replace("/", " ").split()),
    ),
    **dict.fromkeys(
        (" vault", " keychain", " 1password"),
        lambda text, at, _: any(
            len(word) >= _KEPT and not DIGITS.isdisjoint(word) for word in text[max(0, at - _NEAR) : at].split()
        ),
    ),
    **dict.fromkeys(("1/", "2/"), lambda text, at, _: text[at + 2 : at + 12].isdigit()),
    "AC": lambda text, at, _: text[at + 2 : at + 12].isalnum(),
    "phrase": lambda text, at, _: (
        _has_joined(text, at)
        or _has_words(
            text[at + 6 : at + _NEAR_WORDS],
            _WORDS if any(sign in text[at : at + _NEAR_SAID].lower() for sign in _SAID) else _SEED,
        )
    ),
    **dict.fromkeys(("password", "unlock ", "vault with "), lambda text, at, _: _has_joined(text, at)),
    " words": lambda text, at, _: _has_words(text[at + 6 : at + _NEAR_WORDS], _SEED),
    **dict.fromkeys(_OF_WORDS, _is_of_words),
    "://": lambda text, at, _: "@" in text[at : at + 400].split(None, 1)[0],
    "secret": lambda text, at, _: any(len(word) >= _KEY for word in text[at : at + 2 * _KEY].split()),
    "pin ": lambda text, at, _: any(word[:4].isdigit() for word in text[at : at + 2 * _NEAR].split()),
    ">{": lambda text, at, _: _NO_BYTES.isdisjoint(text[at + 2 : at + 2 + _KEY]),
}
