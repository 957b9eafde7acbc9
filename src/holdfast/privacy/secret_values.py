"""Whether what stands where a secret could be is one: the patterns of what stands around it, and of what is none.

`redact` loads this where it found the beginning of a secret, or a name that may be given one; most texts have neither.
"""

from __future__ import annotations

from holdfast.privacy import redact

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

_LINE = r"(?:{})(?:\s[^\n]{{0,160}})?$"
_GLUED = r"mysql[a-z]{0,8}|mariadb[a-z-]{0,8}|7z[ar]?|rar"
_SPACED = (
    r"sshpass| login|redis-cli|mongo[a-z]{0,8}|twine|cqlsh|sqlcmd|bcp|osql|isql|mosquitto_[a-z]{2,4}|ipmitool"
    r"|\b(?:un)?zip|ldap[a-z]{2,12}|snmp[a-z]{2,12}|openssl|rabbitmqadmin|psexec|rdesktop|keychain"
    r"|signtool|swaks|hydra|steghide|winrm|influx|wmic|smbclient|rpcclient|codecov|nuget|fastlane|usermod|ssh-keygen"
    r"|security [a-z-]{3,30}|\s--?[uU](?:ser(?:name)?)?[ =]?[\w.@-]{2,60}"
)
# What must stand before the place that is looked for: kind, pattern, and whether it belongs to the secret.
_BEFORE: dict[str, tuple[str, bool]] = {
    "database-url": (
        r"(?i)(?<![a-z0-9+.-])(?!https?$|wss?$|git$)[a-z][a-z0-9+.-]{1,30}$",
        False,
    ),
    "azure-signed-key": (r"(?:[A-Za-z0-9]{52}|\b)$", True),
    "authress-key": (r"[a-z]{2,8}_[a-z0-9]{5,30}\.[a-z0-9]{4,6}$", True),
    "command-line": (_LINE.format(f"{_GLUED}|{_SPACED}"), False),
    "flag": (_LINE.format(_SPACED), False),
    "login": (
        r"(?:vault|heroku|snyk|nomad|consul|doppler|infisical|tailscale|supabase|wandb|cli|ctl|cargo|hub)$",
        False,
    ),
    "piped": (
        r"(?:echo|printf)\s+(?:-[neE]{1,3}\s+)?(?:[\"']%s(?:\\{1,2}n)?[\"']\s+)?[\"']?(?:[\w.-]{1,40}:)?([^\s\"'|:]{6,120})[\"']?\s{0,3}\|[^\n|]{0,80}$",
        False,
    ),
    "net-use": (r"net use\s+\S{1,40}\s+\S{1,200}\s+([^\s/]\S{5,80})\s+$", False),
    "maxmind-key": (r"[A-Za-z0-9]{6}_[A-Za-z0-9]{29}$", True),
    "azure-client-secret": (r"[\w~.]{3}\d$", True),
    "telegram-token": (r"\d{8,10}$", True),
    "mailchimp-key": (r"[a-f0-9]{32}$", True),
    "terraform-token": (r"[A-Za-z0-9]{14}$", True),
}

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
_VENDORS = {name: kind for kind, names in redact.VENDORS.items() for name in names.split()}
_MARKS = frozenset([*_MARK_WORDS.split(), *(name.lower().rpartition("_")[2] for name in _VENDORS)])
# Parts that tell an identifier or a digest.
_ID_WORDS = (
    "call toolu tool tooluse srvtoolu msg message req request ses sess session fc prt part rs resp response agent "
    "ctc chatcmpl cmpl run thread file asst step batch ftjob ws tsc sha sha1 sha224 sha256 sha384 sha512 md5 "
    "blake2b ic prr pr org user usr proj project team cus cust pi ch in inv si price prod_ plan evt event acct seti "
    "pm txn po il snap vol ami eni vpc subnet sg igw rtb arn hash rev ref commit build chunk bundle index main "
    "vendor style css js asset img image font page node pod job task trace span item obj doc row rec blob cache "
    "etag id uid uuid guid nonce conv chat turn block mise integrity checksum digest version ver release tag branch "
)
_IDS = frozenset(_ID_WORDS.split())

# What says that a `key` is a secret one.
_KEY_OF = (
    r"(?i)(?:api|app|access|secret|private|auth|account|admin|encrypt(?:ion)?|signing|master|shared|storage|service"
    r"|license|subscription|session|client|deploy|write|server|sdk|ingest|webhook|ssh|tls|ssl|rsa|jwt|hmac|cookie|wallet"
    r"|project|integration|ecdsa|role|fernet|recovery|backup|unlock|activation|vapid|cipher|crypt|aes|bot)[_. -]?$"
)

# What may stand directly behind a name: the rest of it, a sign, a quote or white space. Behind an `s` only `str` and
# `staging` go on; a plural is given nothing.
BEHIND_NAME = "abcdehklmnopstvwABCDEHKLMNOPSTVW0123456789_-\\\"'`])(?:=!,>| \t\n\r\f\v\x1c\x1d\x1e\x1f"
# What may follow the word: the rest of the name, the sign between name and value, and a quote.
_ASSIGNED = r"""(?x)
    (?P<rest>(?=[WwPpCc])(?i:word|wd|phrase|code|wort)|(?<=[sS])[eE](?![A-Za-z])|(?<=[cC][rR][eE][dD])(?i:entials?|s))?
    (?:(?=[\w-])(?i:[_-]?(?:access|key|token|value|str|string|b64|base64|data|pem|hex|prod|dev|staging|live|test|old|new|main|confirm(?:ation)?|\d{1,3}))){0,3}
    (?:[_-](?i:salt|base|seed|raw|secret|plain|enc|hash))?
    (?P<closed>\\{0,3}["'`])?\]?\)?
    (?:
        [ \t]{0,8}(?:\??:[ ]{0,2}[A-Za-z&'][\w\[\]&'.| <>]{0,30}?[ ]{0,2})?
        (?:=>|:=|={1,3}+|!==?|:|->)[ \t]{0,8}(?=\S)
        (?:[|>][+-]?\d?[ \t]{0,3}(?:\r?\n|\\n)[ \t]{1,24}(?=\S))?
      | (?P<pair>,?(?:\s|\\n){1,40}(?:\{(?:\s|\\n){0,40}(?:[a-z]{3,12}\s*=[^\n=]{0,80}\n\s{0,40}){0,3})?
            \\{0,3}["']?(?i:value|default)\\{0,3}["']?[ ]{0,8}[:=][ ]{0,2}
            | [ ]--(?:body|value|data)[= ])
      | (?P<call>(?<=[dDsS])\((?=["']))
      | (?P<comma>,[ \t]{0,3})
      | (?P<tag>>)
      | (?P<cell>[ \t]{0,40}\|[ \t]{0,8}|\\t|\t{1,4})
      | (?P<told>[ ](?:[A-Za-z]{1,12}[ ]){0,4}?(?:is|ist|lautet|est|es|é|was|be|to|as|[A-Za-z]{1,12}:)
            (?:[ ](?:now|changed|set|reset|updated)){0,2}(?:[ ](?:to|as))?[ ]?[:=]?[ ])
      | (?P<space>[ \t]{1,4})
    )
    (?:(?:[bfruBFRU@]{1,2})?(?P<quote>\\{0,3}["'`]))?
"""

# The rest of a name whose value stands further on: what tells a property of the secret is not the secret's name.
_NAME_REST = (
    r"(?!(?i:[_-]?(?:ids?|counts?|names?|types?|files?|paths?|ur[il]s?|len|length|size|limits?|expir\w*|hash\w*|reset|field"
    r"|input|dir|arn|ref|policy|version|min|max|ttl|usage|ring|board|less|able|ful|stroke|word_)(?![a-z])))"
    r"(?:(?i:word|wd|phrase|code|wort|orization|entials?)|(?<=[cC][rR][eE][dD])[sS])?(?:[_A-Z-][\w-]{0,30}|(?<=[^\x00-\x7f])\w{0,12})?"
    r"(?![a-z])"
)
# The rest of the line, and the next one that is not blank where the name ends its own line.
_LINE_REST = (
    r"""(?x)[\"'*`)\]]{0,3}(?P<blank>[ ]?[:=]?[ ]?[|>]?[+-]?[ \t]*(?:\r?\n[ \t]*){1,2}(?=\S))?(?:(?!\\n)[^\n]){0,90}"""
)
_QUOTES = ("'", '"', "`")
_FOREIGN = frozenset(("senha", "wachtwoord", "adgangskode", "parola", "heslo"))
# Keys that open nothing, and what stands before an id or a digest.
_OTHER_KEY = (
    r"(?i)(?:cache|primary|foreign|sort|partition|object|public|pub|routing|idempotency|row|index|map|dedup\w*|storage"
    r"|registry|group|hash|lookup|merge|unique|translation|react|item|node|page|query|config|issue|project)_?$"
)
# What stands at the end of a gap behind which a value is given, and not only told of.
# Behind it something else is spoken of: another sentence, command, member or parameter, or what was taken out before.
_OTHER = r"""(?x)[.!]\s | && | ;\s(?![^\n]{0,20}=) | ^[?\#/&]\S | ^\.(?!(?:value|text)\b)\S | \[(?:redacted|private)
    | ,\s{0,8}["']?(?!(?i:value|default|secret|data)\b)\w{1,40}["']?\s{0,2}[:=]"""
_SET_GAP = r"(?:\b(?:is|to|was|lautet|est|es)\s|[:=]\s{0,2}|\s--?[a-z-]{1,12}[ =])[\"'`]?$"
_OF_ID = r"(?i)\b(?:commit|sha\d*|hash|digest|id|rev|ref|trace|span|uid|uuid|checksum)\b"
_NEAR = 130
_NEAR_WORD = r"[^\s\"'`,;(){}\[\]<>|=:?&~][^\s\"'`,;(){}\[\]<>|]{5,400}"

# A longer value is judged by this much of it, so that a hostile text costs no more than its length.
_LONG = 400
# One without a digit or a sign is no secret, or letters in an order that no name has: most are told by that at once.
_BARE = (
    rf"(?=[^\s\"'`\\\d!#%*?^~@$+&]{{0,{_LONG}}}[\d!#%*?^~@$+&]|[A-Za-z]{{10,80}}(?![\w.(\[]))"
    rf"[^\s\"'`\\]{{4,{_LONG}}}"
)
# What is given by a space alone, as a setting or a variable is.
_SETTING = r"(?:^|\s)(?:ENV|ARG|setenv|setx|export|set|add|put)[ \t]+(?:[\w.-]{1,40}[ \t]+)?(?:[\w-]{0,20}[./]){0,4}$"
_SAID_BEFORE = r"""(?x)
    (?:^|\s)["'`(]?([^\s"'`]{8,80})["'`)]?,?\sas\s(?:(?:the|my|our|your|its|a|new)\s){0,2}(?:\w{1,12}\s)?$
"""
_MARK = r"\[(?:redacted:[a-z0-9-]+|private)\]"

# Values that stand for a secret but are none.
_PLACEHOLDER = r"""(?xi)
    example | change[_-]?me | change[_-]?this | your[_-] | [_-]here\b | placeholder | dummy | redacted
    | xxxx | \*\*\* | \.\.\. | … | ^<.*>?$ | \$\{ | \$\( | \{\{ | ^%\( | %s(?![a-z]) | ^\$[a-z_]\w*$ | ^%\w+%$
    | ^(?:fake|mock|sample|test|my|some|insert|replace)[_-]
    | ^(?:null|none|undefined|nil|true|false)\b | \(\?[:=!<] | \[[a-z0]-[z9] | \\[dws]
"""
# A reference to where the secret is kept, an address, a hash or a file: none of them is the secret.
_REFERENCE = r"""(?xi)
    ^(?:[a-z][a-z0-9+.-]{1,20}://|arn:|sha\d{1,3}[-:]|env[:.]|file:|vault:|ssm:|secretref:|data:|urn:)
    | ^!(?:ref|sub|secret|vault|getatt|env)\b
    | ^\#[0-9a-f]{3,8}$ | ^[~.]{0,2}/[\w.-]+(?:/[\w.@-]+)*/?$ | ^[a-z]:\\
    | \.(?:json|ya?ml|py|js|tsx?|jsx|txt|pem|crt|key|env|toml|md|html?|css|go|rs|java|sh|ini|cfg|conf|log|sql
        |db|gpg|lock|svg|png)$
"""
# Names of methods and formats that have a digit in them.
_TECHNICAL = r"""(?xi)
    sha-?\d{1,3} | md5 | base-?\d\d | utf-?\d{1,2} | oauth-?\d | x509 | \bv\d{1,2}\b | \b[rhep]s\d{3}
    | aes-?\d{3} | ed25519 | pbkdf2 | argon2\w? | pkcs\d{1,2} | http-?\d | \bs3\b | ec2 | k8s | i18n | ipv[46]
    | u?int\d{1,2} | float\d\d | p256 | \d{1,5}[ -]?(?:bit|byte|char|day|hour|minute|second|token)s?
    | python\d | web3 | varchar\d* | \bh[1-6]\b | \b\d{1,3}%
"""
# Names and chains of names, as code has them where a value could stand.
_CODE = r"^[&*!@]?[A-Za-z_$][\w$]*(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*)*[!?;,.]*$"
_CODE_WORD = r"(?i:pass|pw|tok|key|secret|cred|user|self|this|str|int|var|arg|val|conf|opt|env|auth|type|hash|name)"
# Names that end in a number: `exchanged-1`, `token_v2`.
_NUMBERED = r"^[A-Za-z]+(?:[_.-][A-Za-z]+)*[_.-]?v?\d{1,2}$"
_SEED_PHRASE = r"^[a-z]{3,9}(?:[ -][a-z]{3,9}){3,23}$"
_SENTENCE = r"\b(?:the|your|please|enter|must|for|and|not|with|this|that|use|used)\b"

# What stands before an id, a digest or a public key.
_BEFORE_ID = r"""(?xi)(?:sha\d{0,3}[-:=] | base64, | W/["'] | [/_-]
    | \b(?:id|ids|hash|digest|integrity|checksum|etag|nonce|signature|sig|pub|public|fingerprint|cursor|revision
        |ssh-[a-z0-9]{3,8}|ref|uuid|trace)(?:[_ ]?key)?["'\\]{0,3}[ ]{0,2}[:=\ ][ ]{0,2}["'\\]{0,3})$"""
_MAX_PREFIX = 40
_UUID = r"(?i)^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"
# A token in one case is random in one piece, or a UUID: names with numbers in them are not.
_PIECE = r"(?=[^-_./]{0,400}\d)[^-_./]{16}"
_FILE = (
    r"\.(?:js|mjs|css|map|png|jpe?g|svg|gif|webp|woff2?|ttf|html?|json|txt|md|py|ts|tsx|gz|zip|tgz|whl|log|lock|so)\b"
)

# What stands before a name tells what ends its value: a query, a connection string, a call, a table.
_SEPARATORS = {"/": "@", "?": "&#", "&": "&#", ";": ";", "(": ",)", ",": ",)}", "{": ",}", "<": "<"}

# Names whose secrets are built as a UUID.
_UUID_KEYS = frozenset(
    ("waka", "sdk", "api", "mob", "na1", "na2", "eu1", "sandbox", "production", "hrku", "xaat", "lf")
)
_PASSWORDS = (
    *(
        "command-line",
        "flag",
        "login",
        "piped",
        "net-use",
        "insert",
        "user-option",
        "authorization",
        "password",
        "netrc",
        "pgpass",
        "token",
    ),
)

_MAX_JUDGED = 1_000
_judged: dict[tuple[str, int], bool] = {}
_compiled: dict[str, re.Pattern[str]] = {}


def checked(text: str, match: re.Match[str], kind: str) -> Iterator[tuple[int, int]]:
    """Yield where the secret is that a pattern of its kind found, if it is one."""
    if kind in ("call", "key-call"):
        yield from _strings(text, match.end(), kind)
        return
    start, end = match.span(match.re.groups)
    if kind in _BEFORE:
        source, belongs = _BEFORE[kind]
        # A scheme is short, and a hostile text is full of them.
        reach = 32 if kind == "database-url" else 200
        before = pattern(source).search(text, max(0, match.start() - reach), match.start())
        if not before:
            return
        if before.re.groups:
            start, end = before.span(1)
        start = before.start() if belongs else start
    if _is_shaped(kind, text[start:end]):
        yield start, end


def _strings(text: str, at: int, kind: str) -> Iterator[tuple[int, int]]:
    """Yield the last string of a call that can be a password, or the first that can be a key."""
    found = None
    for string in pattern(r"[\"']([^\s\"']{6,200})[\"']").finditer(text, at, at + 300):
        between = text[at : string.start()]
        if "\n" in between or ";" in between:
            break
        value = string[1]
        if kind == "key-call" and (is_random(value, 16) or pattern(_UUID).match(value)):
            yield string.span(1)
            return
        if (
            kind == "call"
            and ("," in between or is_random(value, 20))
            and _is_shaped("password", value)
            and not pattern(r"[/:]|\.\w+$|@\w+\.").search(value)
        ):
            found = string.span(1)
    if found:
        yield found


def _is_shaped(kind: str, value: str) -> bool:
    """Say whether a value of the right shape is a secret, and not a stand-in or an ordinary name."""
    if kind == "private-key":
        return bool(pattern(r"[A-Za-z0-9+/=]{24}").search(value)) and not pattern(_MARK).search(value)
    if pattern(_PLACEHOLDER).search(value) or pattern(_MARK).search(value):
        return False
    if kind in ("basic-auth-url", "database-url"):
        return value.lower() not in ("password", "pass", "passwd", "pwd", "secret", "token") and not value.isdigit()
    if kind == "authorization" and is_random(value, 12):
        return True
    if kind in _PASSWORDS:
        return _is_value(value, "password") and not pattern(rf"(?:{_CODE_WORD})$").match(value)
    if kind in ("url-token", "cookie"):
        return is_random(value, 20 if kind == "url-token" else 16)
    if kind == "aws-secret-key":
        return _turns(value) > 5
    if kind == "openai-key":
        return any(char.isdigit() for char in value) and _turns(value) > 3
    if kind == "gitlab-token":
        return value != value.lower() or any(char.isdigit() for char in value)
    return len(set(value)) > 7


def vendor_token(text: str, at: int) -> tuple[int, int, str] | None:
    """Return where the token is whose random rest may begin behind the sign at this place, and its kind."""
    run = pattern(rf"[\w.+/=-]{{0,{_LONG}}}+").match(text, at)
    start, end = at, run.end() if run else at
    while start > 0 and at - start < _MAX_PREFIX and (text[start - 1].isalnum() or text[start - 1] in "_.-"):
        start -= 1
    while end > at and text[end - 1] in "._-/":
        end -= 1
    word = text[start:end]
    # The same few names of models, branches and tests stand in a transcript thousands of times.
    judged = _judged.get((word, at - start))
    if judged is None:
        if len(_judged) > _MAX_JUDGED:
            _judged.clear()
        judged = _judged[word, at - start] = _is_token(word, at - start)
    if not judged:
        return None
    more = pattern(r"[\w+/=-]*+").match(text, end) if end - at >= _LONG else None
    return start, more.end() if more else end, _vendor(word)


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
        r"(?=[a-z0-9_-]{0,80}[A-Z])(?=[A-Za-z_-]{0,80}[0-9])[A-Za-z0-9_-]{0,200}+(?![A-Za-z0-9_+/=%-]|\.[a-z]{1,4}[0-9]?\b|\r?\n[A-Za-z0-9+/]{20})"
    ).match(text, at)
    # A line of a certificate is as long, and alone.
    is_line = text[at - 1 : at] in ("", "\n") and text[at + 64 : at + 65] in ("", "\n", "\r")
    if not run or is_line or pattern(_BEFORE_ID).search(text, max(0, at - 24), at):
        return None
    word = run[0].strip("-_")
    if pattern(r"AAAA[A-Z]3Nza|Qm[1-9A-Z]|0x").match(word) or not is_random(word, redact.MIN_BARE - 4):
        return None
    parts = pattern(r"[_-]").split(word.lower())
    turns = len(pattern(r"(?<=[a-z])[^a-z]|(?<=[A-Z])[^A-Z]|(?<=\d)\D").findall(word))
    digits = sum(char.isdigit() for char in word)
    # A name in code changes its case less often, or is of words.
    is_name = turns < 0.42 * len(word) and digits < 0.42 * len(word)
    is_name = is_name or sum(map(len, pattern(r"[A-Z]?[a-z]{3,}").findall(word))) > 0.45 * len(word)
    is_id = _digit_turns(word) < 2 or parts[0] in _IDS or max(map(len, parts)) < 10
    if is_name or is_id or pattern(_PLACEHOLDER).search(word):
        return None
    return at, run.end()


def _is_token(word: str, at: int) -> bool:
    is_one_case = word in (word.lower(), word.upper())
    if is_one_case and len(pattern(r"[_-]").findall(word)) < 5 and not pattern(_PIECE).search(word):
        return False
    if not _IDS.isdisjoint(pattern(r"[_.-]").split(word[:at].lower())):
        return False
    for sign in pattern(r"[_.-]").finditer(word):
        parts = pattern(r"[_.-]").split(word[: sign.start()].lower())
        rest = word[sign.end() :]
        if len(parts) > 4 or len(rest) < 16:
            return False
        if _is_of_vendor(word[: sign.start()], rest):
            return not pattern(_PLACEHOLDER).search(word)
        if _is_rest(parts, rest, word[sign.start()]) and not pattern(_PLACEHOLDER).search(word):
            return not pattern(_FILE).search(word)
    return False


def _is_of_vendor(name: str, rest: str) -> bool:
    """Say whether a vendor whose tokens are known has this name; the rest need not be long."""
    parts = pattern(r"[_.-]").split(name)
    if not any("_".join(parts[-size:]) in _VENDORS for size in (3, 2, 1)) or parts[-1] in ("key", "sk"):
        return False
    run = pattern(r"[\w-]*").match(rest)
    return bool(run) and len(set(rest)) > 7 and pattern(r"\d").search(rest) is not None


def _is_rest(parts: list[str], rest: str, sign: str) -> bool:
    """Say whether what follows such a name is random; of a name that tells nothing more is asked."""
    if not parts[0] or len(parts[-1]) > 16 or pattern(_UUID).match(rest):
        return parts[-1] in _UUID_KEYS
    if parts[-1] in _MARKS or (len(parts) > 1 and parts[-2] in _MARKS):
        return is_random(rest, 16)
    rest = rest.rstrip("=")
    is_word = len(parts) < 3 and all(part.isalpha() or len(part) < 5 for part in parts)
    if not is_word or not set("./+=").isdisjoint(sign + rest):
        return False
    if rest == rest.lower() and pattern(r"[a-z0-9]{36,}$").match(rest) and not pattern(r"[0-9a-f]+$").match(rest):
        return _digit_turns(rest) > 8
    return rest not in (rest.lower(), rest.upper()) and is_random(rest, 24) and _digit_turns(rest) > 3


def is_random(value: str, least: int) -> bool:
    """Say whether a value looks drawn at random: its characters change their kind as words do not."""
    runs = pattern(r"[A-Za-z0-9+/]{5,}").findall(value)
    longest = "".join(runs)
    if len(longest) < least or len(set(longest)) < 8:
        return False
    if pattern(r"^[0-9a-fA-F]+$").match(longest):
        return len(longest) >= 24 and _digit_turns(longest) > 4
    changes = 3 + len(pattern(r"(?<=[a-z])[^a-z]|(?<=[A-Z])[^A-Z]|(?<=\d)\D").findall(longest))
    return changes >= len(longest) * (0.25 if _digit_turns(longest) > 3 else 0.4)


def _digit_turns(value: str) -> int:
    return len(pattern(r"(?<=\d)[A-Za-z]|(?<=[A-Za-z])\d").findall(value))


def value_of(text: str, at: int, end: int, kind: str) -> tuple[int, int] | None:
    """Return where the secret is that belongs to the name from `at` to `end`, if there is one."""
    behind = value_behind(text, at, end, kind) if kind != "login" else None
    return behind or _value_near(text, at, end, kind) or value_before(text, at, kind)


def _value_near(text: str, at: int, end: int, kind: str) -> tuple[int, int] | None:
    """Return where the secret is that stands further on in the line of a name, whatever stands between them."""
    # What is not given by a sign alone has a digit, in this line or in the next one.
    stop = text.find("\n", end, end + _NEAR)
    if text[end : stop if stop >= 0 else end + _NEAR].isspace() or text[stop - 1 : stop] in (":", "|", ">", "-", "="):
        stop = -1
    if redact.DIGITS.isdisjoint(text[end : stop if stop >= 0 else end + _NEAR]):
        return None
    name = pattern(_NAME_REST).match(text, end)
    if not name or not _is_near_name(text, at, end, kind):
        return None
    end = name.end()
    line = pattern(_LINE_REST).match(text, end)
    stop = line.end() if line else end
    for skipped, word in enumerate(
        pattern(_NEAR_WORD).finditer(text, line.end("blank") if line and line["blank"] else end, stop)
    ):
        gap = text[end : word.start()]
        value = text[word.start() : _bare_end(text, at, word.start(), word.end())].rstrip("!?*")
        if pattern(_OTHER).search(gap):
            return None
        if gap[-1:] in _QUOTES and text[word.end() : word.end() + 1] == gap[-1:]:
            gap, value = gap.strip() or gap, word[0]
        is_foreign = not text[at:end].isascii() or text[at:end].lower() in _FOREIGN
        if _is_near(gap, value, kind, text[word.end() : word.end() + 1], is_foreign):
            return word.start(), word.start() + len(value)
        if skipped > 3:
            return None
    return None


def _is_near_name(text: str, at: int, end: int, kind: str) -> bool:
    """Say whether the word ends as a word does, and a key is one of those that open something."""
    before = text[max(0, at - 1) : at]
    if kind == "api-key":
        is_env = (text[at:end] == "KEY" and before == "_") or (text[at] == "K" and before.islower())
        is_env = is_env or text[max(0, at - 2) : at] == "--"
        if is_env and not pattern(_OTHER_KEY).search(text, max(0, at - 16), at):
            return True
        return bool(pattern(_KEY_OF).search(text, max(0, at - 14), at))
    if text[at:end].lower() == "auth":
        return not before.isalpha() or before in "oO"
    begin = _name_start(text, at)
    if (
        text[begin - 1 : begin] in ("+", "/") and text[begin - 2 : begin - 1] not in ("", "\n", " ")
    ) or at - begin > 30:
        return False
    if text[at:end].lower() == "pass" and not text[end : end + 1].isalpha():
        return text[begin:at].endswith("_") or text[end : end + 1] == "_"
    # Short words stand in any run of random letters.
    is_camel = end - at > 2 and text[at].isupper() and before.islower()
    return (
        end - at > 3
        or is_camel
        or not text[at:end].isascii()
        or not (before.isalnum() or text[end : end + 1].isalnum() or before in ("+", "/"))
    )


def _is_near(gap: str, value: str, kind: str, behind: str, is_foreign: bool) -> bool:
    """Say whether a value is the secret of a name that stands so far before it: the farther the more it must show."""
    quoted = gap[-1:] in _QUOTES and behind == gap[-1:]
    if len(value) < 8 or (pattern(r"[/.@-]|\d{4}-\d\d").match(value) and not is_random(value, 20)):
        return False
    words = pattern(r"[^\W\d_]{2,}").findall(gap)
    if not quoted and pattern(r"[A-Za-z_]\w*(?:(?:\.[A-Za-z_]\w*)+$|=[^=])").match(value):
        return False
    is_set = bool(
        "<<<" in gap
        or (quoted and gap[:-1] == "(")
        or (not words and pattern(r"[|=~+>]|\?[? ]|\n").search(gap))
        or pattern(_SET_GAP).search(gap)
    )
    if kind == "login":
        return is_set and is_random(value, 16)
    if pattern(r"^[0-9a-fA-F-]+$").match(value):
        if len(words) > 2 or pattern(_OF_ID).search(gap):
            return False
        return (quoted or is_set or not gap.strip(" :")) and _is_value(value, kind) and len(value) > 15
    if quoted or is_set:
        is_plain = _turns(value) < 2 and pattern(_CODE_WORD).search(value) and not pattern(r"\d{3}").search(value)
        is_named = not is_set and "value" not in words and pattern(_NUMBERED).match(value)
        return (_is_value(value, "password") or is_random(value, 20)) and not is_plain and not is_named
    if is_foreign or (is_set and kind == "password"):
        return _is_value(value, kind)
    return _is_drawn(value)


def _is_drawn(value: str) -> bool:
    """Say whether a value in the open, without quotes or a sign before it, can only be one that was drawn."""
    if len(value) < 10 or not _is_value(value, "password") or pattern(r"[.(){}<>\[\]:@\\]|=[^=]").search(value):
        return False
    if value.count("/") > 1 and _turns(value) < 9:
        return False
    return _turns(value) > 3 and is_random(value, 10)


def value_behind(text: str, at: int, end: int, kind: str) -> tuple[int, int] | None:
    """Return where the secret is that the name around `at` to `end` is given, if it is given one."""
    follows = text[end : end + 1]
    if follows not in BEHIND_NAME and follows.isascii():
        return None
    match = pattern(_ASSIGNED).match(text, end)
    if not match or not _is_name(text, at, match, kind):
        return None
    start = match.end()
    stop = _closing(text, start, match["quote"]) if match["quote"] else 0
    quoted = stop > 0
    if not quoted:
        bare = pattern(_BARE).match(text, start)
        if not bare:
            return None
        stop = _bare_end(text, at, start, bare.end())
    if not _is_given(text, at, match, text[start:stop], kind, quoted):
        return None
    if stop - start >= _LONG:
        run = pattern(r"[^\s\"'`\\]*").match(text, stop)
        stop = run.end() if run else stop
    return start, stop


def _is_given(text: str, at: int, match: re.Match[str], value: str, kind: str, quoted: bool) -> bool:
    begin = _name_start(text, at)
    flag = text[begin] == "-"
    is_sql = (match["space"] or match["comma"]) and quoted and kind == "password" and len(value) > 7
    if (
        match["told"]
        or match["cell"]
        or match["call"]
        or ((match["comma"] or match["space"]) and not flag and not is_sql)
    ):
        is_set = match["space"] and pattern(_SETTING).search(text, max(0, begin - 60), begin)
        if not is_set:
            return _is_strong(value, kind)
    phrase = quoted and text[at : at + 10].lower().startswith(("passphrase", "mnemonic"))
    return _is_secret(value, kind, quoted, phrase)


def value_before(text: str, at: int, kind: str) -> tuple[int, int] | None:
    """Return where the secret is that prose names behind it, as in "use ... as the password"."""
    start = max(0, at - 200)
    if text.find("|", start, at) >= 0 and (piped := pattern(_BEFORE["piped"][0]).search(text, start, at)):
        return piped.span(1) if _is_shaped("password", piped[1]) else None
    start = max(0, at - 100)
    if kind != "password" or text.find(" as ", start, at) < 0:
        return None
    match = pattern(_SAID_BEFORE).search(text, start, at)
    return match.span(1) if match and _is_strong(match[1], kind) else None


def _is_name(text: str, at: int, match: re.Match[str], kind: str) -> bool:
    """Say whether the word is, or ends, the name of a secret: not any key, no `pass` inside another word."""
    if match["call"] and kind != "password":
        return False
    if kind == "api-key":
        return bool(pattern(_KEY_OF).search(text, max(0, at - 14), at)) or _is_any_key(text, at, match)
    if kind == "password" and text[at].islower() and text[max(0, at - 1) : at].islower():
        if match["rest"] or text[at : at + 3] == "pwd" or text[_name_start(text, at)] == "-":
            return True
        return bool(
            pattern(r"(?:root|admin|user|bind|db|sql|ssh|ftp|vpn|sudo)p(?:w|ass)$").search(text, at - 5, match.start())
        )
    if not match["comma"]:
        return True
    begin = _name_start(text, at)
    return bool(match["closed"] and pattern(r"[\"'`](?:[\w-]{1,40}\.){0,3}$").search(text, max(0, begin - 80), begin))


def _is_any_key(text: str, at: int, match: re.Match[str]) -> bool:
    """Say whether a key that may be of anything is given what is random beyond doubt: no digest, no id, no path."""
    # A header with a name of its own is as good as one of the names that tell.
    if text[at - 1 : at] == "-" and pattern(r"(?i)(?<![a-z])x-[a-z]{2,20}-$").search(text, max(0, at - 24), at):
        return True
    is_env = (text[at : at + 3] == "KEY" and text[at - 1 : at] == "_") or text[at - 1 : at] in ("?", "&")
    least = 16 if is_env else 20
    found = pattern(rf"[A-Za-z0-9+=_-]{{{least},100}}").match(text, match.end())
    if not found or match["comma"] or match["told"] or not is_random(found[0], least):
        return False
    begin = _name_start(text, at)
    if match["space"] and not pattern(_SETTING).search(text, max(0, begin - 60), begin):
        return False
    if pattern(r"(?i)(?:public|pub|verif[a-z]{1,8}|host|peer)[_. -]?$").search(text, max(0, at - 16), at):
        return False
    if is_env:
        return True
    return found[0] != found[0].lower() and _digit_turns(found[0]) > 3 and text[found.end() : found.end() + 1] != "/"


def _name_start(text: str, at: int) -> int:
    start = at
    while start > 0 and at - start < 40 and (text[start - 1].isalnum() or text[start - 1] in "_-"):
        start -= 1
    return start


def _closing(text: str, start: int, quote: str) -> int:
    """Return where the quoted value ends, 0 if it does not on this line."""
    end = text.find(quote, start, start + _LONG)
    while len(quote) == 1 and end > start and text[end - 1] == "\\" and text[end - 2] != "\\":
        end = text.find(quote, end + 1, start + _LONG)
    return end if end > start and "\n" not in text[start:end] else 0


def _bare_end(text: str, at: int, start: int, end: int) -> int:
    """Return where a value without quotes ends: at the separator of the list that it stands in."""
    begin = _name_start(text, at)
    before = text[max(0, begin - 24) : begin].rstrip(" ")[-1:]
    for sign in _SEPARATORS.get(before, ""):
        cut = text.find(sign, start, end)
        end = cut if cut >= 0 else end
    while end > start and text[end - 1] in (".,;:)]}>/" if before == "/" else ".,;:)]}>"):
        end -= 1
    return end


def _is_secret(value: str, kind: str, quoted: bool, phrase: bool) -> bool:
    """Say whether what a name is given, by a sign between them, is a secret."""
    if _is_value(value, kind):
        return quoted or not _is_code(value)
    if quoted and kind == "password" and value.isdigit():
        return len(value) >= 6
    return phrase and bool(pattern(_SEED_PHRASE).match(value)) and not pattern(_SENTENCE).search(value)


def _is_strong(value: str, kind: str) -> bool:
    """Say whether what only stands beside a name, as in prose, is a secret: the value itself must show it."""
    if len(value) < 8 or not _is_value(value, kind):
        return False
    return (_turns(value) > 1 or _is_mixed(value)) and not pattern(r"[(){}<>\[\]]|=(?!=?$)|^\w+:").search(value)


def _is_value(value: str, kind: str) -> bool:
    """Say whether this can be a secret at all: long enough, mixed enough, no stand-in, no reference."""
    if len(value) < 6 or not pattern(r"^\S*[\d!#%*?^~@$+&]\S*$").match(value):
        return _is_mixed(value)
    if pattern(_PLACEHOLDER).search(value) or pattern(_MARK).search(value) or pattern(_REFERENCE).search(value):
        return False
    if kind != "password" and pattern(_NUMBERED).match(value):
        return False
    rest = pattern(_TECHNICAL).sub("", value)
    if not any(char.isalpha() for char in rest):
        return False
    if any(char.isdigit() for char in rest):
        return "/" not in value or _turns(value) > 5
    return kind == "password" and bool(pattern(r"\w[!#%*?^~@$+&]+\w").search(rest))


def _is_mixed(value: str) -> bool:
    """Say whether letters change their case as no name does, or follow each other as in no word."""
    if not pattern(r"^[A-Za-z0-9]{10,}$").match(value):
        return False
    if value.islower():
        return bool(pattern(r"[bcdfghjklmnpqrstvwxz]{6}").search(value))
    return len(value) <= 2.4 * len(pattern(r"(?<=[a-z])[A-Z]|(?<=[A-Z])[a-z]").findall(value))


def _is_code(value: str) -> bool:
    """Say whether a value without quotes is rather a name, a call or a type."""
    if pattern(r"^[\w.$:>&*-]*[(\[{<]|[(\[{<]\)?$|\)[;,]?$|[|<>]").search(value):
        return _turns(value) < 8
    if pattern(r"(?:[A-Z][a-z]{2,}){2,}\d{0,2}$").match(value):
        return True
    if not pattern(_CODE).match(value) or _is_mixed(value):
        return False
    return _turns(value) < 2 and (len(value) < 7 or bool(pattern(_CODE_WORD).search(value)))


def _turns(value: str) -> int:
    """Count the changes between letters, digits and signs: a random value has many, a word few."""
    return len(pattern(r"(?<=[A-Za-z])[^A-Za-z\s_.-]|(?<=\d)[^\d\s_.-]|(?<=[a-z])[A-Z](?=[A-Z0-9])").findall(value))


def pattern(source: str) -> re.Pattern[str]:
    """Compile on first use: most texts need few of the patterns, and a hook saves the import of `re`."""
    if source not in _compiled:
        import re

        _compiled[source] = re.compile(source)
    return _compiled[source]
