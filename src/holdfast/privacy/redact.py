"""Takes secrets out of text before it is written anywhere, and says which kinds it took.

`TOKENS` and `PHRASES` know the secrets that have a shape of their own, `WORDS` those that only a name gives
away (`password = ...`). A new kind is one new line there. Everything is bounded, so that the time taken grows
with the length of the text and nothing else. Most texts have words like `key`, `login` and `pass` in them and no
secret, which a look at what stands around them tells; only then `secret_values.py` is loaded, which tries the patterns.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
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

# The neighbourhood is wider than any pattern reaches.
_NEAR_BEFORE = 100
_NEAR_BEHIND = 800
# What must stand behind a beginning that is an everyday word or a plain address.
_NEEDED = {"://": "@", "mysql": "-p", "sshpass": "-", "redis-cli": "-", " login": "-", " -u": ":"}
# The length of a secret access key, which stands behind the word `secret`.
_SECRET_KEY = 40
_DIGITS = frozenset("0123456789")
_SIGNS = "!#%*?^~@$+&"
_NO_LETTERS = frozenset(["", *" \t\n\r\f\v\"'`.,;:-/\\()[]{}<>=|"])

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
        end = at + 1
        if may_begin(text, at, beginning):
            from holdfast.privacy.secret_values import checked, pattern

            if match := pattern(source).match(text, at):
                end = match.end()
                yield from ((*span, rank, kind) for span in checked(text, match, kind))
        at = where.find(beginning, end)


def _named(text: str, lowered: str) -> Iterator[_Span]:
    for rank, (word, kind) in enumerate(WORDS, start=len(PHRASES) + len(TOKENS)):
        at = lowered.find(word)
        while at >= 0:
            span = None
            if may_be_given(text, at, kind):
                from holdfast.privacy.secret_values import value_before, value_behind

                span = value_behind(text, at, at + len(word), kind) or value_before(text, at, kind)
            if span:
                yield *span, rank, kind
            at = lowered.find(word, max(at + len(word), span[1] if span else 0))


def may_begin(text: str, at: int, beginning: str) -> bool:
    """Whether a secret that has a shape can begin here."""
    behind = text[at : at + _NEAR_BEHIND]
    if beginning == "secret":
        return any(len(word) >= _SECRET_KEY for word in behind.split())
    return _NEEDED.get(beginning, "") in behind


def may_be_given(text: str, at: int, kind: str) -> bool:
    """Whether the name at this place can be given a secret: a digit is near, a sign within a word, or a phrase."""
    near = text[max(0, at - _NEAR_BEFORE) : at + _NEAR_BEHIND]
    if not near.isascii() or not _DIGITS.isdisjoint(near):
        return True
    if kind != "password":
        return False
    if text[at : at + 10].lower().startswith(("passphrase", "mnemonic")):
        return True
    # A sign stands directly between two letters, as in `hunter!two`.
    return any(_is_within(near, at) for sign in _SIGNS for at in _places(near, sign))


def _places(text: str, sign: str) -> list[int]:
    found, at = [], text.find(sign)
    while at >= 0:
        found.append(at)
        at = text.find(sign, at + 1)
    return found


def _is_within(text: str, at: int) -> bool:
    before, end = text[at - 1 : at], at
    while text[end : end + 1] and text[end] in _SIGNS:
        end += 1
    return (before.isalnum() or before == "_") and text[end : end + 1] not in _NO_LETTERS
