"""Takes secrets out of text before it is written anywhere, and says which kinds it took.

`TOKENS` and `PHRASES` know the secrets that have a shape of their own, `WORDS` those that only a name gives
away (`password = ...`). A new kind is one new line there. Everything is bounded, so that the time taken grows
with the length of the text and nothing else.
"""

from __future__ import annotations

from holdfast.privacy import prefilter

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

# A token starts where no letter or digit stands before it, or behind a line end as JSON writes it.
_HERE = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))"
# The same, for those that may hold hyphens: each run of such characters is read once.
_RUN = r"(?:(?<![\w-])|(?<=\\[nrt]))"
# What may stand between a name and its value, quotes and their escapes included.
_GAP = r"[\"'\\ \t:=,>]{1,12}"

# kind, what it may start with, pattern. A pattern is tried only where one of its beginnings is in the text.
# Group 1 is the secret, or else the whole match. These here are one word of at least 20 characters.
TOKENS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("private-key", ("AGE-SECRET-KEY-",), r"AGE-SECRET-KEY-1[A-Z0-9]{58}"),
    ("aws-access-key-id", ("AKIA", "ASIA"), r"A(?:KIA|SIA)[A-Z0-9]{16}(?![A-Za-z0-9+/])"),
    ("github-token", ("gh",), r"gh[pousr]_[A-Za-z0-9]{30,}+"),
    ("github-token", ("github_pat_",), r"github_pat_[A-Za-z0-9_]{40,}+"),
    ("gitlab-token", ("gl",), r"gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|soat|ffct|oas)-[\w.-]{20,}+"),
    ("slack-token", ("xox", "xapp-"), r"(?:xox[a-z](?:\.xox[bp])?-|xapp-\d-)[A-Za-z0-9-]{16,}+"),
    ("slack-webhook", ("hooks.slack.com/",), r"hooks\.slack\.com/[a-z]{4,12}/([A-Za-z0-9+/]{20,120})"),
    ("discord-webhook", ("/api/webhooks/",), r"/api/webhooks/\d{10,25}/([\w-]{40,120})"),
    (
        "discord-token",
        ("MT", "Mj", "Mz", "ND", "NT", "Nj", "Nz", "OD", "OT"),
        r"(?<![A-Za-z0-9])[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,45}",
    ),
    ("stripe-key", ("sk_", "rk_", "whsec_"), r"(?:[sr]k_(?:live|test)_|whsec_)[A-Za-z0-9+/]{16,}+=?"),
    ("anthropic-key", ("sk-ant-",), r"sk-ant-[\w-]{20,}+"),
    ("openai-key", ("sk-",), rf"{_HERE}sk-[\w-]{{20,}}+"),
    ("google-api-key", ("AIza",), r"AIza[\w-]{35}"),
    (
        "google-oauth",
        ("GOCSPX-", "ya29.", "1//0"),
        rf"GOCSPX-[\w-]{{20,60}}|{_HERE}(?:ya29\.[\w.-]{{20,}}+|1//0[\w-]{{30,}}+)",
    ),
    ("jwt", ("eyJ",), rf"{_RUN}eyJ[\w-]{{10,8000}}+\.[\w-]{{10,16000}}+\.[\w-]{{10,2000}}+"),
    ("npm-token", ("npm_",), rf"{_HERE}npm_[A-Za-z0-9]{{30,80}}"),
    ("pypi-token", ("pypi-",), r"pypi-[\w-]{60,}+"),
    ("sendgrid-key", ("SG.",), r"SG\.[\w-]{16,32}\.[\w-]{32,64}"),
    ("twilio-key", ("SK",), rf"{_HERE}SK[0-9a-f]{{32}}(?![A-Za-z0-9])"),
    ("telegram-token", (":AA",), r"(?<=\d{8}):AA[\w-]{32,34}(?![\w-])"),
    ("huggingface-token", ("hf_", "api_org_"), rf"{_HERE}(?:hf_|api_org_)[A-Za-z0-9]{{30,60}}"),
    ("digitalocean-token", ("dop_", "doo_", "dor_"), r"do[opr]_v1_[a-f0-9]{64}"),
    ("shopify-token", ("shp",), r"shp(?:at|ca|pa|ss|tka)_[a-fA-F0-9]{32}"),
    ("vault-token", ("hv",), rf"{_HERE}hv[sbr]\.[\w-]{{20,}}+"),
    ("heroku-key", ("HRKU-",), r"HRKU-[\w-]{30,80}"),
    (
        "azure-key",
        ("AccountKey=", "AccessKey=", "sig="),
        r"(?:Account|Access)?(?:Key|sig)=([A-Za-z0-9+/%]{40,120}={0,2})",
    ),
    ("azure-client-secret", ("Q~",), r"(?<=\d)Q~[\w~.-]{31,34}(?![\w~-])"),
    ("docker-token", ("dckr_",), r"dckr_[a-z]{3}_[\w-]{20,60}"),
    ("linear-key", ("lin_",), r"lin_(?:api|oauth)_[A-Za-z0-9]{30,80}"),
    ("notion-token", ("ntn_",), rf"{_HERE}ntn_[A-Za-z0-9]{{40,60}}"),
    ("atlassian-token", ("ATATT3", "ATBB"), r"ATATT3[\w=-]{60,300}|ATBB[A-Za-z0-9]{32}"),
    ("airtable-token", ("pat",), rf"{_HERE}pat[A-Za-z0-9]{{14}}\.[a-f0-9]{{64}}"),
    ("grafana-token", ("glsa_", "glc_"), r"glsa_[A-Za-z0-9]{32}_[a-f0-9]{8}|glc_[A-Za-z0-9+/]{32,400}={0,2}"),
    ("databricks-token", ("dapi",), rf"{_HERE}dapi[a-f0-9]{{32}}"),
    ("newrelic-key", ("NRAK-",), r"NRAK-[A-Z0-9]{27}"),
    ("sentry-token", ("sntry",), r"sntry[su]_[A-Za-z0-9+/=_]{40,}+"),
    ("postman-key", ("PMAK-",), r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}"),
    ("mailgun-key", ("key-",), rf"{_HERE}key-[a-f0-9]{{32}}(?![A-Za-z0-9])"),
    ("mailchimp-key", ("-us",), r"(?<=[a-f0-9]{32})-us\d{1,2}(?!\w)"),
    ("terraform-token", (".atlasv1.",), r"(?<=[A-Za-z0-9]{14})\.atlasv1\.[\w-]{60,80}"),
    ("rubygems-key", ("rubygems_",), r"rubygems_[a-f0-9]{48}"),
    ("supabase-key", ("sbp_", "sb_secret_"), r"sbp_[a-f0-9]{40}|sb_secret_[\w-]{20,60}"),
    ("tailscale-key", ("tskey-",), r"tskey-[a-z]{2,12}-[\w-]{16,80}"),
    ("square-token", ("sq0",), r"sq0(?:csp|atp|idp)-[\w-]{22,60}"),
    (
        "model-key",
        ("gsk_", "xai-", "pplx-", "r8_", "lsv2_"),
        rf"{_HERE}(?:gsk_|xai-|pplx-|r8_|lsv2_[a-z]{{2}}_)\w{{32,90}}",
    ),
)

# The same, for those that are short or have spaces. Where a pattern ignores case, "(?i)", its beginnings are
# looked for in the lowered text.
PHRASES: tuple[tuple[str, tuple[str, ...], str], ...] = (
    (
        "private-key",
        ("-----BEGIN ",),
        r"-----BEGIN [A-Z0-9 ]{0,24}PRIVATE KEY(?: BLOCK)?-----"
        r"[^-]*(?:-(?!----)[^-]*)*(?:-----END [A-Z0-9 ]{0,40}-----)?",
    ),
    (
        "private-key",
        ("Private-Lines",),
        r"Private-Lines: \d{1,3}\s+((?:[A-Za-z0-9+/=]{16,64}\s{1,2}){1,200})",
    ),
    ("database-url", ("://",), r"://[^\s:/@\"'<>]{0,100}:([^\s/\"'<>]{1,200})@(?=[\w\[$.-])"),
    ("basic-auth-url", ("://",), r"://[^\s:/@\"'<>?#]{0,100}:([^\s/\"'<>?#]{1,200})@(?!sha256)(?=[\w\[$.-])"),
    (
        "aws-secret-key",
        ("secret",),
        rf"(?i)secret[_-]?(?:access)?[_-]?(?:key)?{_GAP}([A-Z0-9/+]{{40}})(?![A-Z0-9/+=])",
    ),
    ("authorization", ("bearer",), r"(?i)bearer[ \t:]{1,3}([\w.~+/=-]{12,}+)"),
    (
        "authorization",
        ("authorization",),
        r"(?i)authorization[\"'\\]{0,4}[ \t]?[:=,]"
        r"[ \t\"'\\]{0,5}(?:basic|token|apikey|bot)?[ \t]{0,2}([\w.~+/=-]{8,}+)",
    ),
    (
        "command-line",
        (" -u", "--user", "-user "),
        r"(?: -u|-{1,2}user)[ \t=]{0,2}[\"']?[^\s:\"'$]{1,60}:([^\s\"']{4,120})",
    ),
    ("command-line", ("mysql",), r"mysql[a-z]{0,6}\s[^\n]{0,120}?\s-p[\"']?([^\s\"']{6,80})"),
    (
        "command-line",
        ("sshpass", "redis-cli", " login"),
        r"(?:sshpass|redis-cli[^\n]{0,60}?| login[^\n]{0,80}?)\s-[pa][ \t]{0,2}[\"']?([^\s\"']{6,200})",
    ),
    ("command-line", ("pass:",), r"(?<![\w-])pass:([^\s\"'/]{6,80})"),
)

# What must stand before the place that is looked for: kind, pattern, and whether it belongs to the secret.
_BEFORE: dict[str, tuple[str, bool]] = {
    "database-url": (
        r"(?i)(?:postgres(?:ql)?|mysql|mariadb|mongodb|rediss?|amqps?|mssql|sqlserver|oracle|clickhouse|cassandra"
        r"|neo4j|ldaps?)(?:\+[a-z0-9]{1,16})?$",
        False,
    ),
    "azure-client-secret": (r"[\w~.]{3}\d$", True),
    "telegram-token": (r"\d{8,10}$", True),
    "mailchimp-key": (r"[a-f0-9]{32}$", True),
    "terraform-token": (r"[A-Za-z0-9]{14}$", True),
}

# A name that holds one of these words gives its value away: word, kind.
WORDS: tuple[tuple[str, str], ...] = (
    ("pass", "password"),
    ("pwd", "password"),
    ("pw", "password"),
    ("secret", "secret"),
    ("token", "token"),
    ("key", "api-key"),
    ("credential", "secret"),
    ("mnemonic", "password"),
)

KINDS: tuple[str, ...] = tuple(
    sorted({"private", *(row[0] for row in (*TOKENS, *PHRASES)), *(row[1] for row in WORDS)})
)

# What says that a `key` is a secret one.
_KEY_OF = (
    r"(?i)(?:api|app|access|secret|private|auth|account|admin|encrypt(?:ion)?|signing|master|shared|storage|service"
    r"|license|subscription|session)[_. -]?$"
)

# What may follow the word: the rest of the name, the sign between name and value, and a quote.
_ASSIGNED = r"""(?x)
    (?P<rest>(?=[WwPpCc])(?i:word|wd|phrase|code|wort))?
    (?:(?=[\w-])(?i:[_-]?(?:access|key|token|value|str|string|b64|base64|prod|dev|staging|live|test|old|new|main|confirm(?:ation)?|\d{1,3}))){0,3}
    (?P<closed>\\{0,3}["'`])?\]?\)?
    (?:
        [ \t]{0,8}(?:\??:[ ]{0,2}[A-Za-z&'][\w\[\]&'.| <>]{0,30}?[ ]{0,2})?
        (?:=>|:=|={1,3}+|!==?|:|->)[ \t]{0,8}(?=\S)
      | (?P<comma>,[ \t]{0,3})
      | (?P<tag>>)
      | (?P<pair>,?\s{1,40}\\{0,3}["'{]?(?i:value)\\{0,3}["']?[ ]{0,2}[:=][ ]{0,2})
      | (?P<told>[ ](?:[A-Za-z]{1,12}[ ]){0,4}?(?:is|ist|est|es|was|be|to|as|[A-Za-z]{1,12}:)
            (?:[ ]now)?[ ]?[:=]?[ ])
      | (?P<space>[ \t]{1,4})
    )
    (?:(?:[bfruBFRU@]{1,2})?(?P<quote>\\{0,3}["'`]))?
"""

# A longer value is judged by this much of it, so that a hostile text costs no more than its length.
_LONG = 400
# One without a digit or a sign is no secret: most are told by that at once.
_BARE = rf"(?=[^\s\"'`\\\d!#%*?^~@$+&]{{0,{_LONG}}}[\d!#%*?^~@$+&])[^\s\"'`\\]{{4,{_LONG}}}"
_SAID_BEFORE = r"""(?x)
    (?:^|\s)["'`(]?([^\s"'`]{8,80})["'`)]?,?\sas\s(?:(?:the|my|our|your|its|a|new)\s){0,2}(?:\w{1,12}\s)?$
"""
_MARK = r"\[(?:redacted:[a-z0-9-]+|private)\]"

# Values that stand for a secret but are none.
_PLACEHOLDER = r"""(?xi)
    example | change[_-]?me | change[_-]?this | your[_-] | [_-]here\b | placeholder | dummy | redacted
    | xxxx | \*\*\* | \.\.\. | … | ^<.*>?$ | \$\{ | \$\( | \{\{ | ^%\( | %s | ^\$[a-z_]\w*$ | ^%\w+%$
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
    | python\d | web3 | varchar\d* | \bh[1-6]\b | \d{1,3}%
"""
# Names and chains of names, as code has them where a value could stand.
_CODE = r"^[&*!@]?[A-Za-z_$][\w$]*(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*)*[!?;,.]*$"
_CODE_WORD = r"(?i)pass|pw|tok|key|secret|cred|user|self|this|str|int|var|arg|val|conf|opt|env|auth|type|hash|name"
# Names that end in a number: `exchanged-1`, `token_v2`.
_NUMBERED = r"^[A-Za-z]+(?:[_.-][A-Za-z]+)*[_.-]?v?\d{1,2}$"
_SEED_PHRASE = r"^[a-z]{3,9}(?:[ -][a-z]{3,9}){3,23}$"
_SENTENCE = r"\b(?:the|your|please|enter|must|for|and|not|with|this|that|use|used)\b"

# What stands before a name tells what ends its value: a query, a connection string, a call, a table.
_SEPARATORS = {"/": "@", "?": "&#", "&": "&#", ";": ";", "(": ",)", ",": ",)}", "{": ",}", "<": "<"}

_compiled: dict[str, re.Pattern[str]] = {}

# start, end, rank (a lower one names the kind where two overlap), kind
_Span = tuple[int, int, int, str]


def redact(text: str) -> tuple[str, tuple[str, ...]]:
    """Return the text with each secret replaced by `[redacted:KIND]`, and the sorted kinds that were found.

    Only the value goes; what stands around it stays. `<private>...</private>` becomes `[private]`. Doing it
    again changes nothing.
    """
    found: set[str] = set()
    # What one pass hid (a name inside another's value) shows in the next; the second finds nothing as a rule.
    for _ in range(6):
        spans = _spans(text)
        if not spans:
            break
        found.update(kind for _, _, _, kind in spans)
        text = _replace(text, spans)
    return text, tuple(sorted(found))


def find(text: str) -> list[tuple[str, int]]:
    """Return the kind and the line, counted from 1, of each secret in the text; never the secret."""
    result: list[tuple[str, int]] = []
    line, seen = 1, 0
    for start, _, _, kind in _spans(text):
        line += text.count("\n", seen, start)
        seen = start
        result.append((kind, line))
    return result


def _replace(text: str, spans: list[_Span]) -> str:
    parts: list[str] = []
    last = 0
    for start, end, _, kind in spans:
        parts += text[last:start], "[private]" if kind == "private" else f"[redacted:{kind}]"
        last = end
    return "".join([*parts, text[last:]])


def _spans(text: str) -> list[_Span]:
    # This one letter grows when lowered, and would shift every index behind it.
    lowered = text.replace("\u0130", "I").lower()
    spans = [*_shaped(text, lowered), *_named(text, lowered)]
    if "<" in text:
        from holdfast.privacy import private

        spans += [(start, end, -1, "private") for start, end in private.spans(text)]
    return _merge(sorted(spans)) if spans else spans


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


def _shaped(text: str, lowered: str) -> Iterator[_Span]:
    # Most words are short, so that it pays to look for the beginnings of tokens among the long ones first.
    long_words = " ".join([word for word in text.split() if len(word) >= 20])
    for rank, (kind, beginnings, source) in enumerate(TOKENS, start=len(PHRASES)):
        for beginning in beginnings:
            if beginning in long_words:
                yield from _tried(text, text, beginning, rank, kind, source)
    for rank, (kind, beginnings, source) in enumerate(PHRASES):
        where = lowered if source.startswith("(?i)") else text
        for beginning in beginnings:
            yield from _tried(text, where, beginning, rank, kind, source)


def _tried(text: str, where: str, beginning: str, rank: int, kind: str, source: str) -> Iterator[_Span]:
    at = where.find(beginning)
    while at >= 0:
        match = pattern(source).match(text, at) if prefilter.may_begin(text, at, beginning) else None
        if match:
            yield from checked(text, match, rank, kind)
        at = where.find(beginning, match.end() if match else at + 1)


def checked(text: str, match: re.Match[str], rank: int, kind: str) -> Iterator[_Span]:
    start, end = match.span(match.re.groups)
    if kind in _BEFORE:
        source, belongs = _BEFORE[kind]
        before = pattern(source).search(text, max(0, match.start() - 40), match.start())
        if not before:
            return
        start = before.start() if belongs else start
    if _is_shaped(kind, text[start:end]):
        yield start, end, rank, kind


def _is_shaped(kind: str, value: str) -> bool:
    """Say whether a value of the right shape is a secret, and not a stand-in or an ordinary name."""
    if kind == "private-key":
        return bool(pattern(r"[A-Za-z0-9+/=]{24}").search(value)) and not pattern(_MARK).search(value)
    if pattern(_PLACEHOLDER).search(value) or pattern(_MARK).search(value):
        return False
    if kind in ("basic-auth-url", "database-url"):
        return value.lower() not in ("password", "pass", "passwd", "pwd", "secret", "token") and not value.isdigit()
    if kind in ("command-line", "authorization"):
        return _is_value(value, "password") and not pattern(_CODE_WORD + r"$").match(value)
    if kind == "aws-secret-key":
        return _turns(value) > 5
    if kind == "openai-key":
        return any(char.isdigit() for char in value) and _turns(value) > 3
    if kind == "gitlab-token":
        return value != value.lower() or any(char.isdigit() for char in value)
    return len(set(value)) > 7


def _named(text: str, lowered: str) -> Iterator[_Span]:
    for rank, (word, kind) in enumerate(WORDS, start=len(PHRASES) + len(TOKENS)):
        at = lowered.find(word)
        while at >= 0:
            may_be = prefilter.may_be_given(text, at, kind)
            span = (value_behind(text, at, at + len(word), kind) or value_before(text, at, kind)) if may_be else None
            if span:
                yield *span, rank, kind
            at = lowered.find(word, max(at + len(word), span[1] if span else 0))


def value_behind(text: str, at: int, end: int, kind: str) -> tuple[int, int] | None:
    """Return where the secret is that the name around `at` to `end` is given, if it is given one."""
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
    flag = text[_name_start(text, at)] == "-"
    if match["comma"] or match["told"] or (match["space"] and not flag):
        return _is_strong(value, kind)
    phrase = quoted and text[at : at + 10].lower().startswith(("passphrase", "mnemonic"))
    return _is_secret(value, kind, quoted, phrase)


def value_before(text: str, at: int, kind: str) -> tuple[int, int] | None:
    """Return where the secret is that prose names behind it, as in "use ... as the password"."""
    start = max(0, at - 100)
    if kind != "password" or text.find(" as ", start, at) < 0:
        return None
    match = pattern(_SAID_BEFORE).search(text, start, at)
    return match.span(1) if match and _is_strong(match[1], kind) else None


def _is_name(text: str, at: int, match: re.Match[str], kind: str) -> bool:
    """Say whether the word is, or ends, the name of a secret: not any key, no `pass` inside another word."""
    if kind == "api-key":
        return bool(pattern(_KEY_OF).search(text, max(0, at - 14), at))
    if kind == "password" and text[at].islower() and text[max(0, at - 1) : at].islower():
        return bool(match["rest"]) or text[at : at + 3] == "pwd"
    return not match["comma"] or (bool(match["closed"]) and text[_name_start(text, at) - 1] in "\"'`")


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
    while end > start and text[end - 1] in ".,;:)]}>":
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
    return _turns(value) > 1 and not pattern(r"[(){}<>\[\]=]|^\w+:").search(value)


def _is_value(value: str, kind: str) -> bool:
    """Say whether this can be a secret at all: long enough, mixed enough, no stand-in, no reference."""
    if len(value) < 6 or not pattern(r"^\S*[\d!#%*?^~@$+&]\S*$").match(value):
        return False
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


def _is_code(value: str) -> bool:
    """Say whether a value without quotes is rather a name, a call or a type."""
    if pattern(r"^[\w.$:>&*-]*[(\[{<]|[(\[{<]\)?$|\)[;,]?$|[|<>]").search(value):
        return _turns(value) < 8
    if not pattern(_CODE).match(value):
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
