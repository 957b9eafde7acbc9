"""Whether what stands where a secret could be is one: the patterns of what stands around it, and of what is none.

`redact` loads this where it found the beginning of a secret, or a name that may be given one; most texts have neither.
"""

from __future__ import annotations

from holdfast import privacy
from holdfast.privacy import secret_begins
from holdfast.privacy import secret_patterns as patterns
from holdfast.privacy.secret_patterns import CODE_WORD, pattern
from holdfast.privacy.secret_words import are_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

# Parts of the name before a random rest that tell a secret: what it is for, or whose it is.
_MARK_WORDS = (
    "sk rk pk pat key keys apikey api tok token tokens tkn secret sec live test prod prd dev sandbox staging auth "
    "oat svc srv adm admin cred creds access priv private rw bot pw pwd pass oauth refresh rt at sat aat scim sa "
    "server master root signing sig signkey webhook whsec v1 v2 nfp nfc fo1 fm1 fm2 figd figdr figu dp st ct pt "
    "ccipat cciprj bkua bkpat pul pscale ops vcp vca vci vcr vck sl nvapi pcsk pckey napi apify ddp ddo phx phs phc "
    "pnu pnb rdme tk xkeysib xsmtpsib sm shippo squ sqp sqa sgp slk tfp waka duffel flwseck flwpubk fio ico dt0c01 "
    "dt0s01 dnkey cfpat clojars p8e sc ext scauth authress sdk mob sub pub rzp rootly harness unkey rnd csa wandb "
    "pa jina tgp fw csk tvly fc e2b ak as bsa zpka pdl polar cal tr packagist mlsn hcaik hcxik hcbik hcamk xaat "
    "xapt mdb avns essu xau tid tsec hrku lob mmk aio glpat glsa sntrys npm pypi gho ghp shpat lin ntn figma "
    "s4t2ud s4t2af circleci buildkite netlify vercel neon doppler resend re mailgun postmark "
)
_VENDORS = {name: kind for kind, names in patterns.VENDORS.items() for name in names.split()}
_GLUED_VENDORS = frozenset(name for name in _VENDORS if len(name) > 2 and name != "key")
_MARKS = frozenset([*_MARK_WORDS.split(), *(name.lower().rpartition("_")[2] for name in _VENDORS)])
# Parts that tell an identifier or a digest.
_ID_WORDS = (
    "call toolu tool tooluse srvtoolu msg message req request ses sess session fc prt part rs resp response agent "
    "ctc chatcmpl cmpl run thread file asst step batch ftjob ws tsc sha sha1 sha224 sha256 sha384 sha512 md5 "
    "blake2b ic prr pr org user usr proj project team cus cust pi ch in inv si price prod_ plan evt event acct seti "
    "pm txn po il snap vol ami eni vpc subnet sg igw rtb arn hash rev ref commit build chunk bundle index main "
    "vendor style css js asset img image font page node pod job task trace span item obj doc row rec blob cache "
    "etag id uid uuid guid nonce conv chat turn block mise integrity checksum digest version ver release tag branch "
    "prj dpl deployment "
)
IDS = frozenset(_ID_WORDS.split())

# A longer value is judged by this much of it, so that a hostile text costs no more than its length.
MAX_JUDGED_VALUE = 400
_MARK = r"\[(?:redacted:[a-z0-9-]+|private)\]"

# Names and chains of names, as code has them where a value could stand.
_CODE = r"^[&*!@]?[A-Za-z_$][\w$]*(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*)*[!?;,.]*$"
# Names that end in a number: `exchanged-1`, `token_v2`.
NUMBERED = r"^[A-Za-z]+(?:[_.-][A-Za-z]+)*[_.-]?v?\d{1,2}$"
_SEED_PHRASE = r"^[a-z]{3,9}(?:[ -][a-z]{3,9}){3,23}$"
_SENTENCE = r"\b(?:the|your|please|enter|must|for|and|not|with|this|that|use|used)\b"

# What stands before an id, a digest or a public key.
NAMED_ID = r"""(?xi)(?:sha\d{0,3}[-:=] | base64, | W/["']
    | (?:\b|_|(?-i:(?<=[a-z])(?=[A-Z])))(?:id|ids|hash|identifier|arn|digest|integrity|checksum
        |etag|nonce|signature|sig|pub|public|fingerprint|cursor|revision|ssh-[a-z0-9]{3,8}|ref|uuid|trace|kid|x5t
        |encrypted_content|cache|restore|n(?=["']))
        (?:[_ -]?keys?)?["'\\]{0,3}[ ]{0,2}[:=\ ][ ]{0,2}["'\\]{0,3})$"""
# The line before is one of a certificate or of encoded data.
_IN_DATA = r"(?:-----|[A-Za-z0-9+/]{20}[\"']?)(?:[ \t]{0,8}\r?\n\s{0,60}(?:b?[\"'])?|\\)$"
# Keys that are made to be shown.
_SHOWN = r"pk_(?:live|test)_"
# Words in a row and a short digest: the key of a memory, a branch, a preview's address.
_SLUG = r"(?:[a-z]{1,16}-){3,}[0-9a-f]{7,8}$"
_MAX_PREFIX = 40
_OF_WORD = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"
_ANY_UUID = r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"
_UUID = r"(?i)^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"
# A token in one case is random in one piece, or a UUID: names with numbers in them are not.
_PIECE = r"(?=[^-_./]{0,400}\d)[^-_./]{16}"
_FILE = (
    r"\.(?:js|mjs|css|map|png|jpe?g|svg|gif|webp|woff2?|ttf|html?|json|txt|md|py|ts|tsx|gz|zip|tgz|whl|log|lock|so)\b"
)

# What stands between a name and the password that it is given.
_GIVEN = r"[\w\"'`*]{0,8}(?:[ ]{0,2}[:=]|[ ](?:is|was|to)[ ]|[ ])[ \"'`*]{0,4}$"
_PASSWORD_WORDS = frozenset([word for word, kind in privacy.WORDS if kind == "password"])
# Names whose secrets are built as a UUID.
_UUID_KEYS = frozenset(
    ("waka", "sdk", "api", "mob", "na1", "na2", "eu1", "sandbox", "production", "hrku", "xaat", "lf", "rgapi")
)
_GIVEN_WORDS = (
    "command-line flag login piped net-use data-source user-at-host login-pair sent option insert user-option "
    "authorization password netrc pgpass secret token printed login-file"
)
_PASSWORDS = frozenset(_GIVEN_WORDS.split())

# Where a command or a file takes nothing but a password, that may be of words alone.
_WORDS_GIVEN = _PASSWORDS.difference(("login", "user-at-host", "login-pair", "authorization", "secret", "token"))
# What says something, and is no words of a password; a seed has some such words by chance.
_SAYING = {"passphrase": patterns.PROSE}
_SAYING |= dict.fromkeys(("password-words", "joined-words"), rf"{patterns.SPEAKS}|{CODE_WORD}")
_SAYING |= dict.fromkeys(("seed-phrase", "pin"), rf"(?s)(?:{patterns.PROSE}.*?){{3}}")

# A line of a key in encoded data, and how many there are.
_MAX_KEY_LINE, _MAX_KEY_LINES = 120, 80
_MAX_JUDGED = 1_000
_judged: dict[tuple[str, int], bool] = {}


def checked(text: str, match: re.Match[str], kind: str) -> Iterator[tuple[int, int]]:
    """Yield where the secret is that a pattern of its kind found, if it is one."""
    if kind in ("call", "key-call"):
        yield from _strings(text, match.end(), kind)
        return
    if kind == "recovery-code":
        yield from _codes(text, match.end())
        return
    if kind == "key-end":
        yield from _lines_before(text, match.start())
        return
    if kind == "secret-entry":
        yield from _entries(text, match.end())
        return
    start, end = match.span(match.re.groups)
    if kind in patterns.BEFORE:
        source, belongs = patterns.BEFORE[kind]
        # A scheme is short, and a hostile text is full of them.
        reach = 32 if kind == "database-url" else 200
        before = pattern(source).search(text, max(0, match.start() - reach), match.start())
        if not before:
            return
        if before.re.groups:
            start, end = before.span(1)
        start = before.start() if belongs else start
    if is_shaped(kind, text[start:end]):
        yield start, end


def _strings(text: str, at: int, kind: str) -> Iterator[tuple[int, int]]:
    """Yield the last string of a call that can be a password, or the first that can be a key."""
    found = None
    for string in pattern(r"[\"']([^\s\"']{6,200})[\"']").finditer(text, at, at + 300):
        between = text[at : string.start()]
        if "\n" in between or ");" in between:
            break
        value = string[1]
        if kind == "key-call" and (
            is_random(value, 16) or pattern(_UUID).match(value) or ("," in between and _is_argument(value))
        ):
            yield string.span(1)
            return
        if kind == "call" and ("," in between or is_random(value, 20)) and _is_argument(value):
            found = string.span(1)
    if found:
        yield found


def _is_argument(value: str) -> bool:
    """Say whether a string that a call is given is a password, and no address, file or name of a method."""
    return (is_shaped("password", value) or is_phrase(value, quoted=True)) and not pattern(
        r"[/:]|\.[a-z]\w*$|@\w+\.\w"
    ).search(value)


def _codes(text: str, at: int) -> Iterator[tuple[int, int]]:
    """Yield the codes in what stands behind their name: groups of letters and digits, one or a list of them."""
    for code in pattern(patterns.CODE_GROUPS).finditer(text, at, at + 300):
        if sum(map(str.isdigit, code[0])) > 1 and not pattern(r"(?:19|20)\d\d-\d\d").match(code[0]):
            yield code.span()


def _entries(text: str, at: int) -> Iterator[tuple[int, int]]:
    """Yield the values of the lines that are indented below this place: of a secret of Kubernetes all are secret."""
    for line in pattern(r"(?m)(?:(?<=\n)|^)[ ]{1,8}[\w.-]{1,60}:[ ]{1,3}[\"']?([^\s\"'|>]{6,400})|(?<=\n)\S").finditer(
        text, at, at + 2_000
    ):
        if not line[1]:
            break
        if is_value(line[1], "password"):
            yield line.span(1)


def _lines_before(text: str, at: int) -> Iterator[tuple[int, int]]:
    """Yield the lines of encoded data that end here, of a key whose beginning was cut away."""
    start = at
    for _ in range(_MAX_KEY_LINES):
        first = text.rfind("\n", max(0, start - _MAX_KEY_LINE), max(0, start - 1)) + 1
        if first >= start or not pattern(r"[A-Za-z0-9+/=]{8,}\r?\n$").match(text[first:start]):
            break
        start = first
    if start < at:
        yield start, at - 1


def is_shaped(kind: str, value: str) -> bool:
    """Say whether a value of the right shape is a secret, and not a stand-in or an ordinary name."""
    if kind == "private-key":
        return bool(pattern(r"[A-Za-z0-9+/=]{24}").search(value)) and not pattern(_MARK).search(value)
    if pattern(patterns.PLACEHOLDER).search(value) or pattern(_MARK).search(value):
        return False
    if kind in ("basic-auth-url", "database-url"):
        return value.lower() not in ("password", "pass", "passwd", "pwd", "secret", "token") and not value.isdigit()
    if kind == "authorization" and is_random(value, 12):
        return True
    if kind in _PASSWORDS:
        is_named = pattern(rf"(?:{CODE_WORD})$").match(value)
        is_made = is_value(value, "password") and not is_named
        return is_made or is_phrase(value, given=True) or (kind in _WORDS_GIVEN and are_words(value, 2))
    if kind in _SAYING:
        return not pattern(_SAYING[kind]).search(value.replace("_", " "))
    if kind == "env-password":
        return not pattern(patterns.STAND_IN).match(value)
    if kind in ("url-token", "cookie", "kept-secret"):
        is_id = kind != "cookie" and pattern(_UUID).match(value)
        return bool(is_id) or is_random(value, 20 if kind == "url-token" else 16)
    if kind in ("aws-secret", "aws-secret-key"):
        return turns_of(value) > 5
    return len(set(value)) > 7


# A name of C++ as compilers write it.
_MANGLED = r"(?<![A-Za-z0-9])_{1,2}Z(?:N?K?S|[NTG]|\d)\w*"


def vendor_token(text: str, at: int) -> tuple[int, int, str] | None:
    """Return where the token is whose random rest may begin behind the sign at this place, and its kind."""
    run = pattern(rf"[\w.+/=-]{{0,{MAX_JUDGED_VALUE}}}+").match(text, at)
    start, end = at, run.end() if run else at
    before = text[max(0, at - _MAX_PREFIX) : at]
    if before.isascii():
        start = at - len(before) + len(before.rstrip(_OF_WORD))
    else:
        while start > 0 and at - start < _MAX_PREFIX and (text[start - 1].isalnum() or text[start - 1] in "_.-"):
            start -= 1
    # The end of a terminal's code for a colour is no part of the token, and hides none.
    if text[start - 1 : start] in ("[", ";") and (colour := pattern(r"\d{1,3}m").match(text, start, at)):
        start = colour.end()
    while end > at and text[end - 1] in "._-/":
        end -= 1
    if pattern(_MANGLED).search(text, max(0, start - _MAX_PREFIX), at):
        return None
    word = text[start:end]
    # The same few names of models, branches and tests stand in a transcript thousands of times.
    judged = _judged.get((word, at - start))
    if judged is None:
        if len(_judged) > _MAX_JUDGED:
            _judged.clear()
        judged = _judged[word, at - start] = _is_token(word, at - start)
    kind = _vendor(word) if judged else ""
    # A file that is called by an id is none, nor a digest; what is an id by its name is only one with a vendor's sign.
    if not judged or pattern(rf"(?is)sha\d{{3}}=|.{{7}}.*/{_ANY_UUID}").match(text, max(0, start - 7), end):
        return None
    if kind == "vendor-token" and (pattern(NAMED_ID).search(text, max(0, start - 24), start) or is_shown(text, at)):
        return None
    more = pattern(r"[\w+/=-]*+").match(text, end) if end - at >= MAX_JUDGED_VALUE else None
    return start, more.end() if more else end, kind


def _vendor(word: str) -> str:
    """Return the kind of a token by what it begins with; in front of that may stand the rest of a path."""
    parts = pattern(r"[_.-]").split(word)[:5]
    for first in range(len(parts)):
        for last in (3, 2, 1):
            if kind := _VENDORS.get("_".join(parts[first : first + last])):
                return kind
    return "vendor-token"


def drawn_word(text: str, at: int) -> tuple[int, int] | None:
    """Return where the word ends that begins here, if it can only have been drawn at random and is no id or digest."""
    run = pattern(
        r"(?=[a-z0-9_-]{0,80}[A-Z])(?=[A-Za-z_-]{0,80}[0-9])[A-Za-z0-9_-]{0,200}+"
        r"(?![A-Za-z0-9_+/=%-]|\.[a-z]{1,4}[0-9]?\b|\r?\n[ \t]{0,24}[A-Za-z0-9+/]{20})"
    ).match(text, at)
    # A line of a certificate is as long, and alone.
    is_line = text[at - 1 : at] in ("", "\n") and run and len(run[0]) in (64, 76)
    if not run or is_line or text[at - 1 : at] in ("/", "_", "-") or pattern(_MANGLED).match(text, at):
        return None
    word = run[0].strip("-_")
    if pattern(rf"AAAA[A-Z]3Nza|Qm[1-9A-Z]|0x|{_SHOWN}|{patterns.WITH_DIGEST}").match(word) or not is_random(
        word, secret_begins.MIN_BARE - 4
    ):
        return None
    parts = pattern(r"[_-]").split(word.lower())
    turns = len(pattern(r"(?<=[a-z])[^a-z]|(?<=[A-Z])[^A-Z]|(?<=\d)\D").findall(word))
    digits = len(pattern(r"\d").findall(word))
    # A name in code changes its case less often, or is of words.
    is_name = turns < 0.42 * len(word) and digits < 0.42 * len(word)
    is_name = is_name or sum(map(len, pattern(r"[A-Z]?[a-z]{3,}").findall(word))) > 0.45 * len(word)
    is_id = digit_turns(word) < 2 or parts[0] in IDS or max(map(len, parts)) < 10
    if is_name or is_id or pattern(patterns.PLACEHOLDER).search(word) or pattern(_ANY_UUID).search(word):
        return None
    # What stands before it is looked at last: it costs most.
    if (
        is_shown(text, at)
        or pattern(_IN_DATA).search(text, max(0, at - 80), at)
        or pattern(NAMED_ID).search(text, max(0, at - 24), at)
    ):
        return None
    return at, run.end()


def is_shown(text: str, at: int) -> bool:
    """Say whether this stands in a part of a JSON web key that is public."""
    first = text.rfind('"', max(0, at - 800), at)
    name = pattern(r'"(?:n|x|y|x5c)\\?"\s{0,4}:\s{0,4}\[?\\?$').search(text, max(0, first - 24), max(0, first))
    return name is not None and "kty" in text[max(0, first - 1_000) : at + 1_000]


def _is_token(word: str, at: int) -> bool:
    is_one_case = word in (word.lower(), word.upper())
    if is_one_case and word.count("_") + word.count("-") < 5 and not pattern(_PIECE).search(word):
        return False
    if pattern(r"[0-9a-f]{32}(?:-[0-9a-f]{8}){2}$").match(word):
        return True
    # A manual's address has a sign as four digits, `HMAC_002dSHA384`; a name of code begins with one: `lib._test_2`.
    if pattern(rf"(?:{_SHOWN}|{_SLUG}|.*_00[0-9a-f][0-9a-f][A-Z]|\w+\._[a-z])").match(word):
        return False
    names = pattern(r"[_.-]").split(word, 5)
    lowered = [name.lower() for name in names]
    if not word.startswith("api_org_") and not IDS.isdisjoint(pattern(r"[_.-]").split(word[:at].lower())):
        return False
    start = 0
    for count, name in enumerate(names[:-1], start=1):
        start += len(name) + 1
        rest = word[start:]
        if count > 4 or len(rest) < 16:
            return False
        if _is_of_vendor(names[:count], rest):
            return not pattern(patterns.PLACEHOLDER).search(word)
        if _is_rest(lowered[:count], rest, word[start - 1]) and not pattern(patterns.PLACEHOLDER).search(word):
            return not pattern(_FILE).search(word)
    return False


def _is_of_vendor(parts: list[str], rest: str) -> bool:
    """Say whether a vendor whose tokens are known has this name; the rest need be neither long nor random."""
    if not any("_".join(parts[-size:]) in _VENDORS for size in (3, 2, 1)):
        # A letter of what stood before it may be glued to the name, as the `n` of an escaped line end.
        return parts[-1][1:] in _GLUED_VENDORS and is_random(rest, 16)
    if parts[-1] in ("key", "sk"):
        return False
    return len(set(rest)) > 2 and (pattern(r"\d").search(rest) is not None or is_mixed(rest))


def _is_rest(parts: list[str], rest: str, sign: str) -> bool:
    """Say whether what follows such a name is random; of a name that tells nothing more is asked."""
    if not parts[0] or len(parts[-1]) > 16:
        return False
    if pattern(_UUID).match(rest):
        return parts[-1] in _UUID_KEYS
    if parts[-1] in _MARKS or (len(parts) > 1 and parts[-2] in _MARKS):
        # A path through a folder of such a name is a token only where one of its pieces is random, and one of words
        # and numbers in small letters where one of those is: `dev-mipsisa32r6-linux-gnu`.
        signs = r"[/_.-]" if rest.islower() and not pattern(_ANY_UUID).search(rest) else "/"
        return is_random(rest if "+" in rest or "=" in rest else max(pattern(signs).split(rest), key=len), 16)
    rest = rest.rstrip("=")
    is_word = len(parts) < 3 and all(part.isalpha() or len(part) < 5 for part in parts)
    if not is_word or not set("./+=").isdisjoint(sign + rest) or pattern(_ANY_UUID).search(rest):
        return False
    if pattern(r"(?:[a-z0-9]{36,}|[A-Z0-9]{36,})$").match(rest) and not pattern(r"(?i)[0-9a-f]+$").match(rest):
        return digit_turns(rest) > 8
    return rest not in (rest.lower(), rest.upper()) and is_random(rest, 24) and digit_turns(rest) > 3


def is_random(value: str, least: int) -> bool:
    """Say whether a value looks drawn at random: its characters change their kind as words do not."""
    runs = pattern(r"[A-Za-z0-9+/]{5,}").findall(value)
    longest = "".join(runs)
    if len(longest) < least or len(set(longest)) < 8:
        return False
    if pattern(r"^[0-9a-fA-F]+$").match(longest):
        return len(longest) >= 24 and digit_turns(longest) > 4
    # A name in code: words that begin with a capital.
    if not digit_turns(longest) and sum(map(len, pattern(r"[A-Z]?[a-z]{3,}").findall(longest))) > 0.6 * len(longest):
        return False
    changes = 3 + len(pattern(r"(?<=[a-z])[^a-z]|(?<=[A-Z])[^A-Z]|(?<=\d)\D").findall(longest))
    return changes >= len(longest) * (0.25 if digit_turns(longest) > 3 else 0.4)


def digit_turns(value: str) -> int:
    return len(pattern(r"(?<=\d)[A-Za-z]|(?<=[A-Za-z])\d").findall(value))


def is_secret(value: str, kind: str, quoted: bool, phrase: bool) -> bool:
    """Say whether what a name is given, by a sign between them, is a secret."""
    if is_value(value, kind):
        return quoted or not _is_code(value)
    if kind == "password" and value.isdigit():
        return len(value) >= (6 if quoted else 8)
    if phrase:
        return bool(pattern(_SEED_PHRASE).match(value)) and not pattern(_SENTENCE).search(value)
    return is_phrase(value, quoted=quoted) if kind == "password" or (quoted and kind == "secret") else False


def is_phrase(value: str, *, quoted: bool = False, given: bool = False) -> bool:
    """Say whether a value is several words, joined as people join them to a password, and no name of code.

    Four are joined by hyphens; three by any one sign in quotes, where no name stands by itself, and where nothing but a
    password is `given`, there written in any one way.
    """
    if given and pattern(r"(?:[A-Z][a-z]+[-_.])+[A-Z][a-z]+$|[A-Z]+(?:[-_.][A-Z]+)+$").match(value):
        value = value.lower()
    if (quoted or given) and pattern(rf"(?:{privacy.JOINED_WORDS})$").match(value):
        return not pattern(rf"{patterns.SPEAKS}|{CODE_WORD}").search(value.replace("_", " "))
    if value.count("-") < 3 or not pattern(_SEED_PHRASE).match(value):
        return False
    return not pattern(_SENTENCE).search(value) and not pattern(CODE_WORD).search(value)


def is_strong(value: str, kind: str) -> bool:
    """Say whether what only stands beside a name, as in prose, is a secret: the value itself must show it."""
    if len(value) < 8 or not is_value(value, kind):
        return False
    is_chosen = kind == "password" and pattern(patterns.CHOSEN).search(value) and not pattern(CODE_WORD).search(value)
    is_drawn = bool(turns_of(value) > 1 or is_chosen or is_mixed(value))
    return is_drawn and not pattern(
        r"[{}<>\[\]]|^(?![A-Z][a-z]+=\d{3,6}[a-z]{3,}$)(?:[a-z_]+|[A-Z_]+|[A-Z][a-z]+|[a-z]+(?:[A-Z][a-z]+)+)\d*[:=]|\w\(|\)$"
    ).search(value)


def is_value(value: str, kind: str) -> bool:
    """Say whether this can be a secret at all: long enough, mixed enough, no stand-in, no reference."""
    if len(value) < 6 or not pattern(r"^\S*[\d!#%*?^~@$+&]\S*$").match(value):
        return is_mixed(value)
    # A long run of signs has any two of them side by side, also those of a stand-in.
    if (
        pattern(_MARK).search(value)
        or is_reference(value)
        or (turns_of(value) < 12 and pattern(patterns.PLACEHOLDER).search(value))
    ):
        return False
    if kind != "password" and pattern(NUMBERED).match(value) and not is_mixed(value):
        return (
            kind == "secret" and bool(pattern(patterns.CHOSEN).search(value)) and not pattern(CODE_WORD).search(value)
        )
    rest = pattern(patterns.TECHNICAL).sub("", value)
    if not any(char.isalpha() for char in rest):
        return False
    if any(char.isdigit() for char in rest):
        return "/" not in value or turns_of(value) > 5 or bool(pattern(r"[!#%^$&()]").search(rest))
    is_signed = bool(pattern(r"\w[!#%*?^~@$+&]+\w").search(rest)) or is_mixed(rest.strip("!?+$%&"))
    return kind == "password" and is_signed


def is_reference(value: str) -> bool:
    """Say whether a value tells where something is."""
    return bool(pattern(patterns.REFERENCE).search(value))


def is_ticket(text: str, at: int, end: int, first: int, last: int) -> bool:
    """Say whether a value near a word names a ticket (`PROJ-1234`); at most a given password is built so."""
    is_named = bool(pattern(r"[A-Z][A-Z0-9]{1,9}-[1-9]\d{0,5}$").match(text, first, last))
    return is_named and not (text[at:end].lower() in _PASSWORD_WORDS and pattern(_GIVEN).match(text, end, first))


def is_mixed(value: str) -> bool:
    """Say whether letters change their case as no name does, or follow each other as in no word."""
    if not pattern(r"^[A-Za-z0-9][A-Za-z0-9_+-]{9,}$").match(value):
        return False
    if value.islower():
        return bool(pattern(r"(?!(.)\1{3})[bcdfghjklmnpqrstvwxz]{6}").search(value))
    turns = len(pattern(r"(?<=[a-z])[A-Z]|(?<=[A-Z])[a-z]").findall(value))
    is_camel = pattern(r"[a-z]*(?:[A-Z][a-z]+)+$").match(value)
    return (value.isalnum() and len(value) <= 2.4 * turns and not is_camel) or (turns > 2 and _is_unspoken(value))


def _is_unspoken(value: str) -> bool:
    """Say whether letters follow each other that seldom do in a word; where a name has a capital, two words meet."""
    pairs = list(pattern(r"(?=([A-Z]{2}|[A-Za-z][a-z]))").findall(value))
    odd = sum(pair[1].lower() not in secret_begins.SPOKEN[pair[0].lower()] for pair in pairs)
    return odd > 2 and odd >= 0.25 * len(pairs)


def _is_code(value: str) -> bool:
    """Say whether a value without quotes is rather a name, a call or a type."""
    if pattern(r"^[\w.$:>&*-]*[(\[{<]|[(\[{<]\)?$|\)[;,]?$|[|<>]").search(value):
        if pattern(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+\(").match(value):
            return True
        return turns_of(value) < 8 and digit_turns(pattern(r"[(\[{<]").split(value)[0]) < 3
    if pattern(r"(?:[A-Z][a-z]{2,}){2,}\d{0,2}$").match(value):
        words = pattern(r"[A-Z][a-z]+").findall(value)
        return not value[-2:].isdigit() or any(pattern(rf"{CODE_WORD}$").match(word) for word in words)
    if not pattern(_CODE).match(value) or is_mixed(value.rstrip("!?")):
        return False
    # A chain of names: `module.sub.Name2`.
    chain = pattern(r"\.|::|->|\?\.").split(value)
    if len(chain) > 2 and all(chain):
        return not any(turns_of(part) > 5 and is_random(part, 8) for part in chain)
    return turns_of(value) < 2 and (len(value) < 7 or bool(pattern(CODE_WORD).search(value)))


def turns_of(value: str) -> int:
    """Count the changes between letters, digits and signs: a random value has many, a word few."""
    return len(pattern(r"(?<=[A-Za-z])[^A-Za-z\s_.-]|(?<=\d)[^\d\s_.-]|(?<=[a-z])[A-Z](?=[A-Z0-9])").findall(value))
