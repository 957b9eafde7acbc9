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
    ("aws-access-key-id", ("AKIA", "ASIA"), r"A(?:KIA|SIA)[A-Z0-9]{16}(?![A-Za-z0-9+/])"),
    ("aws-bedrock-key", ("ABSK",), rf"{_HERE}ABSK[A-Za-z0-9+/]{{80,}}+={{0,2}}"),
    ("private-key", ("LS0tLS1CRUdJTi",), r"LS0tLS1CRUdJTi(?!BDRVJU|BQVUJM)[A-Za-z0-9+/]{40,}+={0,2}"),
    (
        "webhook",
        ("webhook.office.com/", "hooks.zapier.com/"),
        r"(?:webhook\.office\.com/|hooks\.zapier\.com/hooks/catch/)([\w@./-]{14,300})",
    ),
    ("slack-webhook", ("hooks.slack.com/",), r"hooks\.slack\.com/[a-z]{4,12}/([A-Za-z0-9+/]{20,120})"),
    ("webhook", ("/bot",), r"/bot\d{8,10}:([\w-]{30,40})"),
    (
        "node-key",
        ("alchemy.com/v", "infura.io/v3/", "quiknode.pro/"),
        r"(?:alchemy\.com/v\d|infura\.io/v3|quiknode\.pro)/([\w-]{30,80})",
    ),
    ("discord-webhook", ("/api/webhooks/",), r"/api/webhooks/\d{10,25}/([\w-]{40,120})"),
    (
        "discord-token",
        ("MT", "Mj", "Mz", "ND", "NT", "Nj", "Nz", "OD", "OT"),
        r"(?<![A-Za-z0-9])[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,45}",
    ),
    ("google-api-key", ("AIza",), r"AIza[\w-]{35}"),
    (
        "google-oauth",
        ("ya29.", "1//0"),
        rf"{_HERE}(?:ya29\.[\w.-]{{20,}}+|1//0[\w-]{{30,}}+)",
    ),
    ("jwt", ("eyJ",), rf"{_RUN}eyJ[\w-]{{10,8000}}+\.[\w-]{{10,16000}}+\.[\w-]{{10,2000}}+"),
    ("sendgrid-key", ("SG.",), r"SG\.[\w-]{16,32}\.[\w-]{32,64}"),
    ("twilio-key", ("SK",), rf"{_HERE}SK[0-9a-f]{{32}}(?![A-Za-z0-9])"),
    ("telegram-token", (":AA",), r"(?<=\d{8}):AA[\w-]{32,34}(?![\w-])"),
    ("vault-token", ("hv",), rf"{_HERE}hv[sbr]\.[\w-]{{20,}}+"),
    (
        "azure-key",
        ("AccountKey=", "AccessKey=", "sig=", "Signature="),
        r"(?:Account|Access)?(?:Key|sig|Signature)=([A-Za-z0-9+/%_-]{16,800}={0,2})",
    ),
    ("azure-client-secret", ("Q~",), r"(?<=\d)Q~[\w~.-]{31,34}(?![\w~-])"),
    (
        "atlassian-token",
        ("ATATT3", "ATCTT3", "ATBB", "ATTA"),
        r"AT[AC]TT3[\w=-]{60,300}|ATBB[A-Za-z0-9]{32}|ATTA[a-f0-9]{60,}+",
    ),
    ("airtable-token", ("pat",), rf"{_HERE}pat[A-Za-z0-9]{{14}}\.[a-f0-9]{{64}}"),
    ("databricks-token", ("dapi",), rf"{_HERE}dapi[a-f0-9]{{32}}"),
    ("mailchimp-key", ("-us",), r"(?<=[a-f0-9]{32})-us\d{1,2}(?!\w)"),
    ("terraform-token", (".atlasv1.",), r"(?<=[A-Za-z0-9]{14})\.atlasv1\.[\w-]{60,80}"),
    ("square-token", ("EAAA",), rf"{_HERE}EAAA[\w-]{{56,64}}"),
    ("dropbox-token", ("sl.",), rf"{_HERE}sl\.[\w-]{{60,}}+"),
    ("doppler-token", ("dp.",), rf"{_HERE}dp\.(?:[a-z]{{2,6}}\.){{1,2}}(?:[a-z0-9_-]{{2,35}}\.)?[A-Za-z0-9]{{40,44}}"),
    ("mapbox-token", ("k.eyJ",), r"k\.eyJ[\w-]{20,}+\.[\w-]{16,}+"),
    ("dynatrace-token", ("dt0",), rf"{_HERE}dt0[a-z]\d\d\.[A-Z0-9]{{24}}\.[A-Z0-9]{{64}}"),
    ("mailersend-token", ("mlsn.",), rf"{_HERE}mlsn\.[a-f0-9]{{40,}}+"),
    ("harness-token", ("pat.",), rf"{_HERE}pat\.[\w-]{{22}}\.[a-f0-9]{{24}}\.[A-Za-z0-9]{{20}}"),
    ("firecrawl-key", ("fc-",), rf"{_HERE}fc-[a-f0-9]{{32}}(?![a-z0-9])"),
    ("authress-key", (".acc_", ".acc-"), r"\.acc[_-][a-z0-9-]{10,32}\.[\w+/=-]{30,120}"),
    ("azure-signed-key", ("JQQJ99",), r"JQQJ99[A-Za-z0-9]{20,40}"),
    ("facebook-token", ("EAA",), rf"{_HERE}EAA[A-Za-z0-9]{{60,}}+"),
    ("alibaba-key", ("LTAI",), rf"{_HERE}LTAI[A-Za-z0-9]{{16,24}}(?![A-Za-z0-9])"),
    ("tencent-key", ("AKID",), rf"{_HERE}AKID[A-Za-z0-9]{{32}}(?![A-Za-z0-9])"),
    ("easypost-key", ("EZAK", "EZTK"), rf"{_HERE}EZ[AT]K[A-Za-z0-9]{{54}}"),
    ("jfrog-token", ("AKCp", "cmVmd"), rf"{_HERE}(?:AKCp|cmVmd)[A-Za-z0-9]{{50,}}+"),
    ("nuget-key", ("oy2",), rf"{_HERE}oy2[a-z0-9]{{43}}(?![a-z0-9])"),
    ("twitter-token", ("AAAAAAAAAAAAAAAAAAAA",), rf"{_HERE}A{{20,24}}[A-Za-z0-9%]{{40,}}+"),
    ("zoho-token", ("1000.",), rf"{_HERE}1000\.[a-f0-9]{{32}}\.[a-f0-9]{{32}}"),
    ("openshift-token", ("sha256~",), r"sha256~[\w-]{43}"),
    ("1password-key", ("A3-",), rf"{_HERE}A3(?:-[A-Z0-9]{{5,11}}){{5,6}}"),
    ("salesforce-token", ("00D",), rf"{_HERE}00D[A-Za-z0-9]{{12,15}}![\w.]{{80,120}}"),
    ("intercom-token", ("dG9rO",), rf"{_HERE}dG9rO[\w+/-]{{50,}}+={{0,2}}"),
    ("paypal-token", ("access_token$",), r"access_token\$[a-z]+\$[a-z0-9]{16}\$([a-f0-9]{32})"),
    (
        "paseto",
        ("v2.local.", "v3.local.", "v4.local.", "v2.public.", "v4.public."),
        r"v\d\.(?:local|public)\.[\w-]{40,}+",
    ),
    ("maxmind-key", ("_mmk",), r"(?<=[A-Za-z0-9]{29})_mmk(?!\w)"),
    (
        "password-hash",
        ("$1$", "$5$", "$6$", "$y$", "$2a$", "$2b$", "$2y$", "$apr1$", "$argon2", "$scrypt$", "$pbkdf2"),
        r"\$(?:[156y]|2[aby]|apr1|argon2\w{1,2}|scrypt|pbkdf2[\w-]{0,12})\$([\w./$=,+-]{16,200})",
    ),
    ("clickhouse-key", ("4b1d",), rf"{_HERE}4b1d[A-Za-z0-9]{{38}}(?![A-Za-z0-9])"),
    ("asana-token", ("1/", "2/"), r"(?<![\w/])[12]/\d{10,20}(?:/\d{10,20})?:[a-f0-9]{32}"),
    ("scaleway-key", ("SCW",), rf"{_HERE}SCW[A-Z0-9]{{17}}(?![A-Z0-9])"),
    ("yandex-key", ("AQVN",), rf"{_HERE}AQVN[\w-]{{35,38}}"),
    ("razorpay-key", ("rzp_",), r"rzp_(?:live|test)_[A-Za-z0-9]{14}"),
    ("digitalocean-token", ("DO00",), rf"{_HERE}DO00[A-Z0-9]{{16}}(?![A-Za-z0-9])"),
    ("amazon-secret", ("amzn",), rf"{_HERE}amzn(?:1\.oa2-cs\.v1|\.mws)\.[a-f0-9-]{{36,}}+"),
)

# Vendors whose tokens are a name, `_` or `-`, and a random rest: kind, and the names with `_` for each sign in them.
# What begins with none of these names is a "vendor-token" where the rule for unknown vendors finds it to be one.
VENDORS: dict[str, str] = {
    "private-key": "AGE_SECRET_KEY",
    "github-token": "ghp gho ghu ghs ghr github_pat",
    "gitlab-token": "glpat gldt glrt glcbt glptt glft glimt glagent glsoat glffct gloas glrtr",
    "slack-token": "xoxa xoxb xoxc xoxd xoxe xoxo xoxp xoxr xoxs xapp",
    "stripe-key": "sk_live sk_test rk_live rk_test whsec",
    "anthropic-key": "sk_ant",
    "openai-key": "sk sk_proj sk_svcacct sk_admin sk_or sk_or_v1",
    "google-oauth": "GOCSPX",
    "npm-token": "npm",
    "pypi-token": "pypi",
    "huggingface-token": "hf api_org",
    "digitalocean-token": "dop_v1 doo_v1 dor_v1",
    "shopify-token": "shpat shpca shppa shpss shptka",
    "heroku-key": "HRKU",
    "docker-token": "dckr_pat dckr_oat SWMTKN SWMKEY",
    "linear-key": "lin_api lin_oauth",
    "notion-token": "ntn",
    "grafana-token": "glsa glc",
    "newrelic-key": "NRAK NRII NRJS NRRA",
    "sentry-token": "sntrys sntryu sntrya sntryi",
    "postman-key": "PMAK PMAT",
    "mailgun-key": "key",
    "rubygems-key": "rubygems",
    "supabase-key": "sbp sb_secret",
    "tailscale-key": "tskey tskey_auth tskey_api tskey_client tskey_webhook",
    "square-token": "sq0csp sq0atp",
    "model-key": "gsk xai pplx r8 lsv2 lsv2_pt lsv2_sk nvapi fw csk tvly jina pcsk tgp_v1 crsr e2b hyp vck",
    "aiven-password": "AVNS",
}

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
    ("url-token", ("://",), r"://([\w.~%-]{20,200})(?::[^\s/@\"'<>]{0,100})?@(?=[\w\[$.-])"),
    ("netrc", (" login ",), r" login\s+\S{1,100}\s+password\s+(\S{4,200})"),
    (
        "pgpass",
        (":5432:", ":5433:", ":6432:", ":*:"),
        r"(?<=[\w*.-])(?::\d{2,5}|:\*):[\w*.-]{1,63}:[\w*.-]{1,63}:([^\s:\"']{6,120})(?=\s|$|\\n)",
    ),
    (
        "authorization",
        ('auth"', "auth'", "_auth", "auth: ", "auth="),
        r"_?auth\\{0,3}[\"']?[ ]{0,2}[:=][ ]{0,3}\\{0,3}[\"']?([A-Za-z0-9+/_-]{20,}+={0,2})",
    ),
    ("token", ("_PAT", "_AUTH"), r"_(?:PAT|AUTH)\\{0,3}[\"']?[ ]{0,2}[:=][ ]{0,3}\\{0,3}[\"']?([^\s\"'\\]{8,400})"),
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
        r"[ \t\"'`\\]{0,5}(?:[a-z-]{2,20}[ \t]{1,2})?([\w.~+/=-]{8,}+)",
    ),
    (
        "user-option",
        (" -u", "--user", "-user ", "-creds"),
        r"(?: -u|-{1,2}user|-creds)[ \t=]{0,2}[\"']?[^\s:,\"'$]{1,60}[:,]([^\s\"']{4,120})",
    ),
    # A password behind a short flag: what takes one there is told by BEFORE. Some take it without a space alone.
    ("command-line", (" -p", " -P", " '-p", " -hp"), r"\s'?-h?[pP][\"']?([^\s\"'-][^\s\"']{5,200})"),
    (
        "flag",
        (" -p", " -P", " -a", " -w", " -A", " -X", " -k", " -t", " -N"),
        r"\s-[pPawAXktN][ \t=]{1,3}[\"']?([^\s\"'-][^\s\"']{5,200})",
    ),
    ("url-token", (" -u ", "appid="), r"(?: -u |appid=)[\"']?([\w.~%-]{20,200})(?::[\"']?(?=\s)|[&\"'\s]|$)"),
    ("user-option", (" -U",), r" -U[ \t=]{0,2}[\"']?[\w\\/.-]{1,60}%([^\s\"']{4,120})"),
    (
        "user-option",
        ("htpasswd",),
        r"htpasswd\s+-[a-zA-Z]*b[a-zA-Z]*\s+\S{1,200}\s+\S{1,80}\s+[\"']?([^\s\"']{6,120})",
    ),
    (
        "user-option",
        ("rabbitmqctl", "mc alias set", "rclone obscure", "wpa_passphrase"),
        r"(?:rabbitmqctl\s(?:add_user|change_password)\s+\S{1,80}|mc alias set(?:\s+\S{1,200}){3}|rclone obscure"
        r"|wpa_passphrase\s+\S{1,40})"
        r"\s+[\"']?([^\s\"']{6,120})",
    ),
    (
        "user-option",
        (
            "requirepass",
            "psk=",
            "/user:",
            "oracle:thin:",
            "sessionid=",
            " /p:",
            "sqlplus ",
            "expdp ",
            "impdp ",
            "SecureString ",
        ),
        r"(?:(?:requirepass|/user:\S{1,60}|SecureString(?: -String)?)\s+|psk=| /p:"
        r"|(?:oracle:thin:|sqlplus |(?:ex|im)pdp )[^\s/]{1,60}/|sessionid=)[\"']?([^\s\"'@;]{6,120})",
    ),
    ("user-option", ("net user ", "signtool"), r"(?:net user \S{1,40}|signtool [^\n]{1,120} /p) ([^\s/*]\S{5,80})"),
    ("net-use", ("/user:",), r"/user:"),
    (
        "insert",
        ("password)", "password`)", "passwd)"),
        r"(?i)passw[a-z]{1,3}`?\)\s{0,4}values\s?\((?:[^()']{0,40}'[^']{0,80}',){0,6}\s?'([^']{6,80})'\s?\)",
    ),
    ("user-option", ("http -a", "https -a"), r"https? -a[ =][\"']?[^\s:\"']{1,60}:([^\s\"']{4,120})"),
    ("cookie", ("session=",), r"session=([^\s\"'&;]{16,4000})"),
    ("cookie", ("cookie:",), r"(?i)cookie:[ ]{0,3}(?:[\w.-]{1,40}=)?([^\n\"'<>]{16,4000})"),
    (
        "secret",
        ("log in", "login"),
        r"(?i)log ?in(?: with| as|:)?:? [\w.@+-]{2,60} ?/ ?([^\s\"']{6,80})",
    ),
    ("secret", ("credential",), r"(?i)credentials?[: ]{1,3}[\w.@-]{2,60}[ ]?[/:|][ ]?([^\s\"']{6,80})"),
    (
        "piped",
        ("sudo -S", "sudo -kS", "chpasswd", "-stdin", "--with-token", "kinit", "cryptsetup"),
        r"sudo\s-[a-zA-Z]{0,6}S|chpasswd|-stdin|--with-token|kinit|cryptsetup",
    ),
    (
        "user-option",
        ("chpasswd", "-stdin", "--with-token", "kinit", "cryptsetup"),
        r"(?:chpasswd|-stdin|--with-token|kinit|cryptsetup)[^\n<]{0,60}<<<\s{0,3}[\"']?(?:[\w.-]{1,40}:)?([^\s\"']{6,200})",
    ),
    ("login", (" login ",), r" login\s+(?:-{1,2}[\w-]{1,20}[= ])?([^\s\"'=-][^\s\"'=]{7,200})(?=\s|$)"),
    (
        "password",
        ("identified by", "password by"),
        r"(?i)(?:identified|password)\s+by\s+(?:password\s+)?\\{0,3}[\"']?([^\s\"';]{6,120})",
    ),
    ("user-option", ("pass:",), r"(?<![\w-])pass:([^\s\"'/]{6,80})"),
    # A call that takes a password or a key among its strings: which of them is told by the strings.
    (
        "call",
        ("auth(", "auth=(", "login(", "connect(", "connection(", "pdo(", "create_user(", "createuser("),
        r"(?i)(?:auth=?|login|connect(?:ion)?|pdo|create_?user)\(",
    ),
    ("key-call", ("hmac", "jwt."), r"(?i)(?:hmac(?:\.new)?|jwt\.[a-z]{3,9})\("),
)

# Passwords in other scripts, for which a text of ASCII letters alone need not be searched.
FOREIGN = (
    *(
        "contraseñ",
        "Contraseñ",
        "CONTRASEÑ",
        "hasło",
        "Hasło",
        "HASŁO",
        "lösenord",
        "Lösenord",
        "LÖSENORD",
        "şifre",
        "Şifre",
        "парол",
        "Парол",
        "ПАРОЛ",
    ),
    *("密码", "密碼", "口令", "パスワード", "비밀번호", "סיסמה", "كلمة المرور"),
)
# A name that holds one of these words gives its value away: word, kind.
WORDS: tuple[tuple[str, str], ...] = (
    ("pass", "password"),
    ("pwd", "password"),
    ("pw", "password"),
    ("kennwort", "password"),
    ("secret", "secret"),
    ("token", "token"),
    ("key", "api-key"),
    ("cred", "secret"),
    ("psk", "password"),
    ("mnemonic", "password"),
    ("auth", "token"),
    ("login", "login"),
    *((word, "password") for word in ("senha", "wachtwoord", "adgangskode", "parola", "heslo")),
)

KINDS: tuple[str, ...] = tuple(
    sorted(
        {
            "private",
            "vendor-token",
            "random",
            *VENDORS,
            *(row[0] for row in (*TOKENS, *PHRASES)),
            *(row[1] for row in WORDS),
        }
    )
)

# The neighbourhood is wider than any pattern reaches.
_NEAR_BEFORE = 100
_NEAR_BEHIND = 800
# What must stand behind a beginning that is an everyday word or a plain address.
_NEEDED = {
    "://": "@",
    "log in": "/",
    "login": "/",
    " -u": ":,",
    " -U": "%",
    "htpasswd": "-",
    "-creds": ":",
    "-user ": ":,",
    "--user": ":,",
}
# Flags and words that stand before a password, which has a digit or a sign.
_FLAGS = frozenset((" login ", " -u ", " -p", " -P", " -hp", " -a", " -w", " -A", " -X", " -k", " -t", " -N"))
# The length of a secret access key, which stands behind the word `secret`.
_SECRET_KEY = 40
DIGITS = frozenset("0123456789")
# Letters alone are a secret where no word has them in that order: so many, and so many consonants in a row.
_MIN_DRAWN = 10
_MANY = 6
_CONSONANTS = frozenset("bcdfghjklmnpqrstvwxz")
_SIGNS = "!#%*?^~@$+&"
_NO_LETTERS = frozenset(["", *" \t\n\r\f\v\"'`.,;:-/\\()[]{}<>=|"])

# Where the random rest of a vendor's token may begin: at a sign, before a run with a digit or of many letters.
_BEHIND_SIGN = (
    r"(?=[A-Za-z0-9_+/-]{16})(?=[A-Za-z_+/-]{0,19}[0-9]|[A-Za-z]{16})"
    r"(?!(?:[0-9a-f]{4}-){1,3}[0-9a-f]{12})"
)
# One pattern for each sign: what begins with one certain letter is searched several times as fast.
PREFIXED = (
    rf"_(?<=[A-Za-z0-9].)(?<!toolu_)(?<!msg_)(?<!call_)(?<!req_){_BEHIND_SIGN}",
    rf"-{_BEHIND_SIGN}(?<=[A-Za-z0-9].)",
)
# A word that was drawn at random: so long that no id without a name is, with capitals, small letters and digits.
MIN_BARE = 24
DRAWN = rf"(?<![A-Za-z0-9_+/%-])(?=[A-Za-z0-9_-]{{{MIN_BARE}}})"
# A name of one letter, a sign and a rest of 16.
_MIN_TOKEN = 18

_RANDOM_RANK = len(PHRASES) + len(TOKENS) + len(WORDS) + len(FOREIGN)
# rank, kind, pattern
_Row = tuple[int, str, str]


def _rows(table: tuple[tuple[str, tuple[str, ...], str], ...], rank: int, any_case: bool) -> dict[str, list[_Row]]:
    """Return what to try by what it begins with, so that each beginning is searched once."""
    found: dict[str, list[_Row]] = {}
    for number, (kind, beginnings, source) in enumerate(table, start=rank):
        for beginning in beginnings if source.startswith("(?i)") == any_case else ():
            found.setdefault(beginning, []).append((number, kind, source))
    return found


_TOKEN_ROWS = _rows(TOKENS, len(PHRASES), any_case=False)
_PHRASE_ROWS = _rows(PHRASES, 0, any_case=False)
_LOWERED_ROWS = _rows(PHRASES, 0, any_case=True)

# start, end, rank (a lower one names the kind where two overlap), kind
_Span = tuple[int, int, int, str]


def redact(text: str) -> tuple[str, tuple[str, ...]]:
    """Return the text with each secret replaced by `[redacted:KIND]`, and the sorted kinds that were found.

    Only the value goes; what stands around it stays. `<private>...</private>` becomes `[private]`. Doing it
    again changes nothing.
    """
    found: set[str] = set()
    spans = _spans(text)
    # What one pass hid (a name inside another's value) shows in the next, around what was taken out.
    for _ in range(6):
        if not spans:
            break
        found.update(kind for _, _, _, kind in spans)
        around = _around(text, spans)
        text = _replace(text, spans)
        spans = _spans(text) if len(text) < _NEAR_BEHIND or _spans(around) else []
    return text, tuple(sorted(found))


def _around(text: str, spans: list[_Span]) -> str:
    """Return what stands around the spans, with what they cover taken out."""
    parts: list[str] = []
    last = 0
    for number, span in enumerate(spans):
        start, end = span[:2]
        behind = min([end + _NEAR_BEHIND, *(later[0] for later in spans[number + 1 : number + 2])])
        parts += "\n" if start - last > _NEAR_BEHIND else "", text[max(last, start - _NEAR_BEFORE) : start]
        parts += _mark(span[3]), text[end:behind]
        last = behind
    return "".join(parts)


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
        parts += text[last:start], _mark(kind)
        last = end
    return "".join([*parts, text[last:]])


def _mark(kind: str) -> str:
    return "[private]" if kind == "private" else f"[redacted:{kind}]"


def _spans(text: str) -> list[_Span]:
    # This one letter grows when lowered, and would shift every index behind it.
    lowered = text.replace("\u0130", "I").lower()
    words = _long_words(text)
    spans = [*_tokens(text, words), *_phrases(text, lowered), *_prefixed(text, words), *_named(text, lowered)]
    spans += _drawn(text, words)
    if "<" in text:
        from holdfast.privacy import private

        spans += [(start, end, -1, "private") for start, end in private.spans(text)]
    return _merge(sorted(spans)) if spans else spans


def _long_words(text: str) -> dict[int, str]:
    """Return the words that a token can stand in by their places: long, and not of lower case and signs alone."""
    found, end = {}, 0
    for word in text.split():
        if len(word) >= _MIN_TOKEN and (word != word.lower() or not DIGITS.isdisjoint(word)):
            at = text.find(word, end)
            end = at + len(word)
            found[at] = word
    return found


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


def _tokens(text: str, words: dict[int, str]) -> Iterator[_Span]:
    # One text of the long words alone. Most hits are in the few texts that have secrets, or look like it.
    joined = " ".join(words.values())
    starts: list[int] = []
    for beginning, rows in _TOKEN_ROWS.items():
        at = joined.find(beginning)
        while at >= 0:
            if not starts:
                from bisect import bisect_right
                from itertools import accumulate

                places = list(words)
                starts = list(accumulate([len(word) + 1 for word in words.values()], initial=0))
            number = bisect_right(starts, at) - 1
            yield from _tried(text, places[number] + at - starts[number], beginning, rows)
            at = joined.find(beginning, at + 1)


def _phrases(text: str, lowered: str) -> Iterator[_Span]:
    for where, table in ((text, _PHRASE_ROWS), (lowered, _LOWERED_ROWS)):
        for beginning, rows in table.items():
            at = where.find(beginning)
            while at >= 0:
                end = at + 1
                for span in _tried(text, at, beginning, rows):
                    end = max(end, span[1])
                    yield span
                at = where.find(beginning, end)


def _tried(text: str, at: int, beginning: str, rows: list[_Row]) -> Iterator[_Span]:
    if may_begin(text, at, beginning):
        from holdfast.privacy.secret_values import checked, pattern

        for rank, kind, source in rows:
            if match := pattern(source).match(text, at):
                yield from ((*span, rank, kind) for span in checked(text, match, kind))


def _prefixed(text: str, words: dict[int, str]) -> Iterator[_Span]:
    """Yield what is built as vendors build a token, whoever they are: a short name, a sign and a random rest."""
    for at, word in words.items():
        if may_be_token(word):
            from holdfast.privacy.secret_values import pattern, vendor_token

            for source in PREFIXED:
                last = at
                for match in pattern(source).finditer(text, at, at + len(word)):
                    if match.start() >= last and (span := vendor_token(text, match.start())):
                        start, last, kind = span
                        yield start, last, len(PHRASES) + len(TOKENS), kind


def _drawn(text: str, words: dict[int, str]) -> Iterator[_Span]:
    """Yield words that can only have been drawn at random, whatever stands around them."""
    for at, word in words.items():
        if may_be_drawn(word):
            from holdfast.privacy.secret_values import drawn_word, pattern

            for match in pattern(DRAWN).finditer(text, at, at + len(word)):
                if span := drawn_word(text, match.start()):
                    yield *span, _RANDOM_RANK, "random"


def may_be_drawn(word: str) -> bool:
    """Whether a piece of the word is long and has capitals, small letters and digits."""
    if len(word) < MIN_BARE or word in (word.lower(), word.upper()) or DIGITS.isdisjoint(word):
        return False
    for sign in "/.:=\"'":
        word = word.replace(sign, " ")
    return any(len(piece) >= MIN_BARE and not DIGITS.isdisjoint(piece) for piece in word.split())


def may_be_token(word: str) -> bool:
    """Whether a token of a vendor can stand in the word: it is mixed, or random in one piece."""
    if "_" not in word and "-" not in word:
        return False
    if word not in (word.lower(), word.upper()):
        return True
    if DIGITS.isdisjoint(word):
        return False
    pieces = word.replace("-", "_").replace("/", "_").replace(".", "_").split("_")
    # Some are a UUID behind a name.
    return word.count("-") + word.count("_") > 4 or any(
        len(piece) >= 16 and not DIGITS.isdisjoint(piece) for piece in pieces
    )


def _named(text: str, lowered: str) -> Iterator[_Span]:
    foreign = [] if text.isascii() else [(word, "password", text) for word in FOREIGN]
    named = [*((word, kind, lowered) for word, kind in WORDS), *foreign]
    for rank, (word, kind, where) in enumerate(named, start=len(PHRASES) + len(TOKENS)):
        at = where.find(word)
        while at >= 0:
            span = None
            if may_be_given(text, at, kind):
                from holdfast.privacy.secret_values import value_of

                span = value_of(text, at, at + len(word), kind)
            if span:
                yield *span, rank, kind
            at = where.find(word, max(at + len(word), span[1] if span else 0))


def may_begin(text: str, at: int, beginning: str) -> bool:
    """Whether a secret that has a shape can begin here."""
    if beginning in _FLAGS:
        words = text[at : at + 240].split(None, 6)[:6]
        return any(
            not DIGITS.isdisjoint(word) or any(sign in word for sign in _SIGNS) or _may_be_drawn(word) for word in words
        )
    behind = text[at : at + _NEAR_BEHIND]
    if beginning in ("1/", "2/"):
        return behind[2:12].isdigit()
    if beginning == "secret":
        return any(len(word) >= _SECRET_KEY for word in behind.split())
    needed = _NEEDED.get(beginning)
    return not needed or any(sign in behind for sign in needed)


def may_be_given(text: str, at: int, kind: str) -> bool:
    """Whether the name at this place can be given a secret: a digit is near, a sign within a word, or a phrase."""
    near = text[max(0, at - _NEAR_BEFORE) : at + _NEAR_BEHIND]
    if not near.isascii() or not DIGITS.isdisjoint(near):
        return True
    if any(_may_be_drawn(word) for word in near.split()):
        return True
    if kind != "password":
        return False
    if text[at : at + 10].lower().startswith(("passphrase", "mnemonic")):
        return True
    # A sign stands directly between two letters, as in `hunter!two`.
    return any(_is_within(near, at) for sign in _SIGNS for at in _places(near, sign))


def _may_be_drawn(word: str) -> bool:
    """Whether letters change their case, or consonants follow each other, as in a value that was drawn at random."""
    if len(word) < _MIN_DRAWN:
        return False
    if not word.islower() and not word.isupper():
        cases = [letter.isupper() for letter in word]
        if sum(map(bool.__ne__, cases, cases[1:])) > 4:
            return True
    run = 0
    for letter in word:
        run = run + 1 if letter in _CONSONANTS else 0
        if run == _MANY:
            return True
    return False


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
