"""Patterns of values and of the names before them: what is a stand-in, a reference or a choice, and what is given.

The modules that judge secrets share them; each says how it uses them.
"""

from __future__ import annotations

from holdfast.base import regexes

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

_compiled: dict[str, re.Pattern[str]] = {}

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
NO_VALUE = (
    r"\[(?:redacted|private)|://|^[/~.]|^-{1,2}\w|^[\d.,:;%+*/xX-]+$|^[A-Za-z]:\\|^\d[\d.]*[a-z]{1,3}$|^\$[{(]|\{\{"
    r"|^[v^~<>=]{0,2}\d+(?:\.\d+)+|[xX]{4}|^\w*:.*:.*:|^[A-Za-z_][\w.-]*=[^=]"
    r"|/[0-9a-f]{8}-[0-9a-f]{4}-|^\#[0-9a-fA-F]{3,8}$|^\#[a-z-]+$|^%[0-9A-F]{2}"
    r"|^(?:localhost|[a-z0-9-]{1,40}(?:\.[a-z0-9-]{1,40}){1,4}):\d{2,5}$|^0x[0-9a-fA-F]{1,8}$|^\d+e\d+$"
    r"|^@[A-Za-z][\w-]*/[\w.-]+$|^ttys?\d+$|^[0-9a-f]{7,40}\.{2,3}[0-9a-f]{7,40}$|^CVE-\d{4}-\d+$|\.\*"
    # Ids of requests, pods and events, keys that are public, times of a log, versions, letters of a pattern, addresses.
    r"|^\d-[0-9a-f]{8}-[0-9a-f]{24}$|^[a-z][a-z-]*-[0-9a-f]{8,10}-[a-z0-9]{5}$|^[0-9a-f]{16}-[A-Z]{3}$|^AAAA[A-Z]3Nza"
    r"|^\d{1,2}/[A-Z][a-z]{2}/\d{4}|^[\w./-]+@\d+\.\d+|[aA]-[zZ]|0-9|%3A%2F%2F|^[A-Za-z]+\d+[A-Z][A-Za-z]+Key$|^[A-Za-z0-9+/]{27}=$"
    r"|^\$\w+[/{\[]|^\d{2,5}/[\w-]+$|^(?i:base64(?:url)?|utf-?8|ascii|latin-?1|sha-?\d{1,3}|md5)$"
)
OF_FILE = (
    r"(?i)\.(?:json|ya?ml|py|m?js|tsx?|jsx|txt|pem|crt|key|env|toml|md|html?|css|go|rs|java|sh|ini|cfg|conf|log|sql|db"
    r"|gpg|lock|svg|png|dll|so|rb|c|h|cpp|pyi|xml|csv|zip|gz|rst|php|po|whl|com|org|net|io|de|test|local|internal"
    r"|jpe?g|gif|webp|ico|pdf|docx?|xlsx?|pptx?|mp[34]|m4a|wav|mkv|webm|mov|cjs|mts|vue|svelte|scss|less|swift|kt|dart"
    r"|proto|tf|lua|ipynb|bin|dat|bak|tmp|tar|tgz|bz2|xz|jar|deb|rpm|exe|dmg|iso|apk|gguf|onnx|pt|woff2?|ttf|map)"
    r"(?:(?::\d+)*|\?\w*)$"
)
LIKE_STAND_IN = (
    r"(?i)example|change[_-]?(?:me|this|it)|your|here$|placeholder|dummy|redacted|xxx|\*\*\*|\.\.\.|…|sample|fake|mock"
    r"|replace|insert|todo|12345|abcdef|foobar|undefined|null|none|true|false"
)
# How values are built that a pattern knows.
BUILT = (
    ("uuid", r"(?i)^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$"),
    ("hex", r"^(?=.{7})(?=\D*\d)(?=.*[a-fA-F])(?:0x)?(?:[0-9a-f]+|[0-9A-F]+)$"),
    ("num", r"^[\d.,:/xX%TZ+-]+[a-zA-Z]{0,3}$"),
    ("tmpl", r"\$\{|\$\(|\{\{|%\(|^\$\w+$|^%\w+%$|^<|\\x|\\u|%s|%d"),
    ("mail", r"@[\w-]+\.[\w.-]+$"),
    ("file", OF_FILE),
)
NOT_MADE = (
    # Keys that are pressed together.
    r"^(?i:ctrl|control|cmd|command|alt|opt|option|shift|meta|super|win)[+-]|"
    r"^0x|^[A-Za-z]+\#\w+$|%[0-9A-F]{2}|^[a-z]\w*@(?:npm|v?\d)|^\w+@v?\d{1,3}(?!\d)|^[A-Z]{2,5}-\d{4}-\d+|^[\w+-]+@[\w-]+\.\w|^&|\$\{|^\#|^-|\.\w+\#"
    r"|^(?:[A-Za-z]+-)+\d[\d.]*$|^\d+[a-z]+$|^(?i:[a-z]*\d?(?:bit|byte|px|rem|ms|kb|mb|gb))$|^[A-Z]+-[A-Za-z]*\d"
    r"|^@[A-Za-z][\w-]*$|^[A-Z]+(?:_[A-Z0-9]+){2,}$|^[a-z][a-z-]*-[0-9a-f]{8,10}-[a-z0-9]{5}$|^[0-9a-f]{16}-[A-Z]{3}$"
    # A part's number, as of a chip or a board.
    r"|^[A-Z]{1,4}\d{2,4}[A-Z]*$"
    # A name and the hash that a program put behind it, as ids of projects have.
    r"|^[A-Za-z][\w.-]*-(?:[0-9a-f]{8}|[0-9a-f]{12})$"
)
# A licence or a recovery code, in groups as it is printed.
PRINTED = r"(?=.*[A-Z])(?=.*\d)(?:[A-Z0-9]{4,6}-){3,7}[A-Z0-9]{4,6}$"
# Values that stand for a secret but are none.
PLACEHOLDER = r"""(?xi)
    example | change[_-]?me | change[_-]?this | your[_-] | [_-]here\b | placeholder | dummy | redacted
    | xxxx | \*\*\* | \.\.\. | … | ^<.*>?$ | \$\{ | \$\( | \{\{ | ^%\( | %s(?![a-z0-9]) | ^\$[a-z_]\w*$ | ^%\w+%$
    | ^(?:fake|mock|sample|test|my|some|insert|replace)[_-]
    | ^(?:null|none|undefined|nil|true|false)\b | \(\?[:=!<] | [a-z]a-z | a-z[a-z0] | 0-9a
    | \[[a-z0]-[z9] | \\[dws] | \\x[0-9a-f]{2}
"""
# Words that stand where a password would, and say that one is to be put there or what became of it.
STAND_IN = (
    r"(?i)(?:your|my|some|the|new|old|db|root|admin|user|test)?[_-]?(?:pass(?:word|wd|phrase)?|pwd|secret|token|string|value)"
    r"(?:[_-]?here)?$|(?:your|change|example|replace|enter|insert|put|todo|generate|random|strong|secure|required|optional"
    r"|default|unset|empty|prompt|hidden|masked|missing|present|none|null|false|true|undefined)"
)
# What people make passwords of: a sign between letters and digits, or words with a capital and a number behind them.
CHOSEN = (
    r"[A-Za-z]{3}.*[!#%*?^~@$+&]\d|^(?:[A-Z][a-z]{2,}){1,3}\d{2,6}[!?#$*]?$|^[a-z]{3,}(?:[A-Z][a-z]{2,}){1,3}\d{2,6}[!?#$*]?$"
    r"|^[A-Za-z]{3,9}(?:[-.][A-Za-z]{3,9}){2,6}[-.]?\d{1,6}[!?#$*]?$|^[a-z]{3,12}(?:[_.-][a-z]{3,12}){1,4}[_.-]?\d{3,6}[!?#$*]?$"
    r"|^(?=.*\d)[\w.-]*[A-Za-z]{2}[!#%*?^~@$+&][A-Za-z]{2}|^[A-Za-z]{4,}\d{2,6}[^\w\s]\w{1,3}$|^[A-Z][a-z]{2,}[._-][A-Za-z][a-z]{2,}\d{2,4}$"
    r"|[A-Za-z]{2}\w*\d[!#%*?^~$+&][A-Za-z]{2}|^[A-Z][a-z]{3,}\d{2,6}[^\w\s]{2,3}$"
    r"|^(?=.*\d)(?=.*[a-z])[a-z0-9]{3,6}(?:-[a-z0-9]{3,6}){2,7}$|^[a-z]{3,9}[._-][A-Z]{3,9}[._-]\d{1,4}[!?]?$"
)
# A reference to where the secret is kept, an address, a hash or a file: none of them is the secret.
REFERENCE = r"""(?xi)
    ^(?:[a-z][a-z0-9+.-]{1,20}://|arn:|sha\d{1,3}[-:]|env[:.]|file:|vault:|ssm:|secretref:|data:|urn:|//)
    | ^!(?:ref|sub|secret|vault|getatt|env)\b
    | ^\#[0-9a-f]{3,8}$ | ^[~.]{0,2}/[\w.-]+(?:/[\w.@-]+)*/?$ | ^[a-z]:\\
    | \.(?:json|ya?ml|py|js|tsx?|jsx|txt|pem|crt|key|env|toml|md|html?|css|go|rs|java|sh|ini|cfg|conf|log|sql
        |db|gpg|lock|svg|png|dll|so)(?::\d{1,6}){0,2}$
    | ^(?:localhost|[a-z0-9-]{1,40}(?:\.[a-z0-9-]{1,40}){1,4}):\d{2,5}$
    | ^[0-9a-f]{7,40}\.{2,3}[0-9a-f]{7,40}$ | ^CVE-\d{4}-\d+$ | ^[a-z][\w.+-]{1,40}@[a-z0-9-]{2,}(?:\.[a-z]{2,9}){1,3}$
"""
# Names of methods and formats that have a digit in them.
TECHNICAL = r"""(?xi)
    sha-?\d{1,3} | md5 | base-?\d\d | utf-?\d{1,2} | oauth-?\d | x509 | \bv\d{1,2}\b | \b[rhep]s\d{3}
    | aes-?\d{3} | ed25519 | pbkdf2 | argon2\w? | pkcs\d{1,2} | http-?\d | \bs3\b | ec2 | k8s | i18n | ipv[46]
    | u?int\d{1,2} | float\d\d | p256 | \d{1,5}[ -]?(?:bit|byte|char|day|hour|minute|second|token)s?
    | (?:ed|x)(?:25519|448) | sig-?v\d | open-?id\w* | a\d{3}(?:gcm|cbc|kw)\w* | vci
    | python\d | web3 | varchar\d* | \bh[1-6]\b | \b\d{1,3}%
"""
PROSE = (
    r"\b(?:the|your|please|enter|must|for|and|not|with|this|that|use|used|from|when|are|was|you|can|will|into|should|has"
    r"|have|been|only|than|all|any|its|which|stored|set|kept|never|always|needs|via|before|after|but|does|who|how)\b"
)
# Words and endings that speak of a password and are none.
ENDINGS = r"(?:ed|ing|ly|ion|ions|able|ible|ment|less|ness|ive|ized|ised)\b"
SPOKEN = (
    rf"{PROSE}"
    r"|\b(?:an?|as|at|be|by|if|in|is|it|no|of|on|or|to|so|too|same|again|wrong|weak|strong|long|short|empty|null|none"
    r"|invalid|safe|old|new|first|last|case|read|write|base|well|plain|clear|text|hash|salt|field|form|user|name|file"
    r"|value|string|length|characters?|letters?|digits?|length|default|empty|admin|change|reset|login|manager|per|over"
    r"|still|just|also|very|there|their|them|they|what|where|why|because|while|until|under|between|through|about|more"
    r"|less|most|least|nothing|something|everyone|somebody|nobody|anyone|people|please|cannot|would|could|may|might|sent"
    r"|found|known|shown|given|taken|kept|hidden|out|off|up|down|env|config|here|der|die|das|und|mit|nicht|für|von|auf"
    r"|im|zu|zum|ein|eine|noch|auch|schon|les|des|une|pas|pour|dans|avec|sur|los|las|una|con|para|por|het|een|niet|voor"
    r"|met|foi|não|uma|com|sono|non|per|della|falsch|bekannt|leer|oublié)\b"
)
SPEAKS = rf"{ENDINGS}|{SPOKEN}"
# Words that name things of code, of forms and of settings, where those of a password could stand.
OF_CODE = (
    r"\b(?:get|sets?|my|inputs?|requests?|responses?|body|data|params?|args?|props|states?|stores?|labels?|errors?"
    r"|messages?|buttons?|components?|handlers?|context|process|modules?|objects?|functions?|class(?:es)?|clients?"
    r"|servers?|sessions?|services?|providers?|factory|utils?|helpers?|models?|views?|controllers?|schemas?|quer(?:y|ies)"
    r"|columns?|tables?|index|elements?|events?|nodes?|items?|lists?|arrays?|dicts?|maps?|numbers?|bool(?:ean)?|floats?"
    r"|bytes?|json|ya?ml|xml|html|https?|ur[il]s?|paths?|dirs?|folders?|db|databases?|resources?|only|side|time|factor"
    r"|group|staff|box|page|link|check|rule|policy|mode|format|method|source|target|generator|vault|store|prompt|mask"
    r"|bcrypt|argon|scrypt|digest|cipher|encoder|plaintext|base|expired?|match|missing|required|optional|present|unset"
    r"|wort|kennwort|contrasena|senha|wachtwoord|heslo|parola|haslo|lozinka|salasana|adgangskode|mot|clave|code|codes|passord|contrasenya|parole|palavra|passe|pasahitza|kodeord|parool|jelszo|slaptazodis|wifi|wlan|wpa"
    r"|attribute|account|email|phone|address|callback|property|reader|writer|stream|buffer|test|tests|demo|dev|prod"
    r"|com|org|net|io|py|js|txt|md|conf|cfg|log|init|main|root|system|local|remote|global|public|private|protected"
    r"|sha|hmac|totp|sso|ldap|saml|oidc|jwt|kerberos|pam|unix|linux|windows|github|google|amazon|azure|aws)\b"
)
# A code is in groups of four to six, or eight digits.
CODE_GROUPS = (
    r"(?<![\w-])(?:[a-z0-9]{4,6}(?:-[a-z0-9]{4,6}){1,7}|[A-Z0-9]{4,6}(?:-[A-Z0-9]{4,6}){1,7}|\d{4} ?\d{4})(?![\w-])"
)
# What may follow the word: the rest of the name, the sign between name and value, and a quote.
ASSIGNED = r"""(?x)
    (?P<rest>(?=[WwPpCcOo])(?i:word|wd|phrase|code|wort|ord(?:et)?(?![a-z]))|(?<=[sS])[eE](?![A-Za-z])
        |(?<=kode)n(?![a-z])|(?<=[cC][rR][eE][dD])(?i:entials?|s))?
    (?:(?=[\w-])(?i:[_-]?(?:access|key|token|value|str|string|b64|base64|data|pem|hex
        |prod|dev|staging|live|test|old|new|main|confirm(?:ation)?|\d{1,3}))|[ ]\d(?=:)){0,3}
    (?:[_-](?i:salt|base|seed|raw|secret|plain|enc|hash))?
    (?P<closed>\\{0,3}["'`])?\]?\)?
    (?:
        [ \t]{0,8}(?:\??:[ ]{0,2}[A-Za-z&'][\w\[\]&'.| <>]{0,30}?[ ]{0,2})?
        (?:=>|:=|={1,3}+|!==?|:-(?=[\w$])|:|->|→)\*{0,2}[ \t]{0,8}(?=\S)
        (?:!!str[ ]|&\w{1,24}[ ](?=["'])|\\\r?\n[ \t]{0,24})?
        (?:[|>][+-]?\d?[ \t]{0,3}(?:\r?\n|\\n)[ \t]{1,24}(?=\S))?
      | (?P<pair>,?(?:\s|\\n){1,40}(?:\{(?:\s|\\n){0,40}(?:[a-z]{3,12}\s*=[^\n=]{0,80}\n\s{0,40}){0,3})?
            \\{0,3}["']?(?i:value|default)\\{0,3}["']?[ ]{0,8}[:=][ ]{0,2}
            | [ ](?:--type[ =]\w{1,20}[ ])?--(?:body|value|data)[= ])
      | (?P<call>(?<=[dDsS])\((?=["']))
      | (?P<comma>,[ \t]{0,12})
      | (?P<tag></key>\s{0,40}<string>|>\s{0,40}<(?i:value|string)>|[ ][a-z]{2,12}="[^"<>\n]{0,20}">|>)
      | (?P<cell>[ \t]{0,40}\|[ \t]{0,8}|\\t|\t{1,4})
      | (?P<told>['’]s[ ](?=[^\n]{0,40}\d)|[ ](?:["']?[^\W\d_][\w'@.-]{0,15}["']?[ ]){0,8}?
            (?:is|reads|ist|hei(?:ß|ss)t|lautet|est|es|é|è|jest|är|er|was|war|be|to|as|auf|from|von|[-–—]|[^\W\d_]{1,20}:)
            (?:[ ](?:now|changed|set|reset|updated|by|default|standardmäßig|also|jetzt|nun|still)){0,2}
            (?:[ ](?:to|as))?[ ]?[:=]?[ ])
      | (?P<space>[ \t]{1,4})
    )
    (?:(?:[bfruBFRU@N]{1,2})?(?P<quote>\\{0,3}["'`]))?
"""
# The rest of a name whose value stands further on: what tells a property of the secret is not the secret's name.
NAME_REST = (
    r"(?!(?i:[_-]?(?:ids?|counts?|names?|types?|files?|paths?|ur[il]s?|len|length|size|limits?|expir\w*|hash\w*|reset|field"
    r"|input|dir|arn|ref|policy|version|min|max|ttl|usage|ring|board|less|able|ful|stroke|word_)(?![a-z])))"
    r"(?:(?i:word|wd|phrase|code|wort|orization|entials?)|(?<=[cC][rR][eE][dD])[sS])?(?:[_A-Z-][\w-]{0,30}|(?<=[^\x00-\x7f])\w{0,12})?"
    r"(?![a-z])"
)
# A name that ends so is that of an id, a place or a choice.
NO_NAME_END = r"(?:[a-z]|_)(?:I[Dd]s?|ids?|A[Rr][Nn]|arn|Name|name|Type|type|Strategy|Prefix|PREFIX|Certificate)$"
# What says that a `key` is a secret one.
KEY_OF = (
    r"(?i)(?:api|ai|app|access|secret|private|auth|account|admin|encrypt(?:ion)?|signing|master|shared|storage|service"
    r"|license|subscription|session|client|deploy|write|server|sdk|ingest|webhook|ssh|tls|ssl|rsa|jwt|hmac|cookie|wallet"
    r"|project|integration|ecdsa|role|fernet|recovery|backup|unlock|activation|vapid|cipher|crypt|aes|bot"
    r"|wifi|wlan|unseal)[_. -]?$"
)
# The key of a cache: names, and the digest of what is in it.
WITH_DIGEST = r"(?:[A-Za-z][A-Za-z.]{0,20}-){2,6}[0-9a-f]{32,64}$"
# Keys that open nothing, and what stands before an id or a digest.
OTHER_KEY = (
    r"(?i)(?:cache|primary|foreign|sort|partition|object|public|pub|routing|idempotency|row|index|map|dedup\w*|storage"
    r"|registry|group|hash|lookup|merge|unique|translation|react|item|node|page|query|config|issue|project)_?$"
)
NEVER_KEY = r"(?i)(?:cache|primary|foreign|sort|partition|public|routing|idempotency|lookup|translation)[_ -]?$"
_LINE = r"(?:{})(?:\s[^\n]{{0,160}})?$"
_GLUED = r"mysql[a-z]{0,8}|mariadb[a-z-]{0,8}|7z[ar]?|rar"
_SPACED = (
    r"sshpass| login|redis-cli|mongo[a-z]{0,8}|twine|cqlsh|sqlcmd|bcp|osql|isql|mosquitto_[a-z]{2,4}|ipmitool"
    r"|\b(?:un)?zip|ldap[a-z]{2,12}|snmp[a-z]{2,12}|openssl|rabbitmqadmin|psexec|rdesktop|keychain"
    r"|signtool|swaks|hydra|steghide|winrm|influx|wmic|smbclient|rpcclient|codecov|nuget|fastlane|user(?:mod|add)|beeline|ssh-keygen|certutil|pihole"
    r"|bdemount|cmsutil|crlutil|irssi|\bfab|outguess|knife|kadmin|check_[a-z]{2,20}"
    r"|security [a-z-]{3,30}|\s--?[uU](?:ser(?:name)?)?[ =]?[\w.@-]{1,60}"
)
# What must stand before the place that is looked for: kind, pattern, and whether it belongs to the secret.
BEFORE: dict[str, tuple[str, bool]] = {
    "database-url": (r"(?i)(?<![a-z0-9+.-])(?!https?$|wss?$|git$)[a-z][a-z0-9+.-]{1,30}$", False),
    "azure-signed-key": (r"(?:[A-Za-z0-9]{52}|\b)$", True),
    "authress-key": (r"[a-z]{2,8}_[a-z0-9]{5,30}\.[a-z0-9]{4,6}$", True),
    "command-line": (_LINE.format(f"{_GLUED}|{_SPACED}"), False),
    "flag": (_LINE.format(_SPACED), False),
    "login": (
        r"(?:vault|heroku|snyk|nomad|consul|doppler|infisical|tailscale|supabase|wandb|cli|ctl|cargo|hub)$",
        False,
    ),
    "piped": (
        r"(?:echo|printf)\s+(?:-[neE]{1,3}\s+)?(?:[\"']%s(?:\\{1,2}n)?[\"']\s+)?[\"']?(?:[\w.-]{1,40}:)?([^\s\"'|:]{6,400})[\"']?\s{0,3}(?:\||>{1,2})[^\n|]{0,80}$",
        False,
    ),
    "data-source": (r"(?:^|[\"'`=\s])[\w.-]{1,60}:(?!//)([^\s\"'`@]{4,120})$", False),
    "aws-secret": (r"(?<![\w+/])(?![\da-f]{40})([\w/+]{40})(?![\w+/])(?s:.{1,80})$", False),
    "user-at-host": (
        r"(?<![^\s\"'`/=(,>])(?!npm|file|workspace|mailto)[A-Za-z][\w.+-]{1,60}:([^\s\"'`@:/]{6,80})$",
        False,
    ),
    "kept-secret": (
        r"(?i)\b(?:put|stor|sav|mov|past|add)[a-z]{0,3}\s([^\s\"'`]{12,200})\s(?:in|into|to)(?:\s(?:the|our|my))?$",
        False,
    ),
    "login-pair": (
        r"(?:[\w.+-]{1,60}@[\w-]{1,60}\.[\w.]{2,40}|(?<![\w/.-])(?i:admin(?:istrator)?|root|user|demo|test|guest)"
        r"|(?i:wi-?fi|wlan|ssid):? [\w-]{2,32})$",
        False,
    ),
    "seed-phrase": (r"(?i)(?:seed|recovery|secret|backup|wallet|herstellungs) ?$", False),
    "login-file": (r"(?:cat|less|head|more|bat|type|\#) [^\n]{0,120}$", False),
    "sent": (r"send (?:-- )?\"([^\s\"\\]{6,80})$", False),
    "option": (r"(?:keyvault secret set|ssm put-parameter|secretsmanager [a-z]{3,8}-secret)[^\n]{1,160}$", False),
    "rapidapi-key": (r"[a-z0-9]{10}$", True),
    "net-use": (r"net use\s+\S{1,40}\s+\S{1,200}\s+([^\s/]\S{5,80})\s+$", False),
    "maxmind-key": (r"[A-Za-z0-9]{6}_[A-Za-z0-9]{29}$", True),
    "azure-client-secret": (r"[\w~.]{3}\d$", True),
    "telegram-token": (r"\d{8,10}$", True),
    "mailchimp-key": (r"[a-f0-9]{32}$", True),
    "terraform-token": (r"[A-Za-z0-9]{14}$", True),
}
# Names of code, as they stand in or before another name.
CODE_WORD = (
    r"(?:(?<![A-Za-z])|(?<=[a-z])(?=[A-Z]))(?i:pass|pw|psk|tok|key|secret|cred|user|self|conf|auth|type|hash|name"
    r"|(?:this|str|int|var|arg|val|opt|env)s?(?![a-z]))"
)
# Signs of East Asian scripts and those of ASCII that mean the same; words that say what something is, and any other
# letter that stands directly beside a value.
_WIDE_SIGNS = str.maketrans("：＝，；（）「」『』【】、。　", ":=,;()''''[],. ")
_BOOK_QUOTES = str.maketrans("„“”‟«»‚‘’", '""""""\'\'\'')
_LINKING = r"[是为為は는은](?= ?[!-~])"
_JOINED = r"[\u2e80-\ud7a3](?=[!-~])|(?<=[!-~])[\u2e80-\ud7a3]"


def with_plain_quotes(text: str) -> str:
    """Return a text of the same length with the quotes of books as those of ASCII."""
    return text if text.isascii() else text.translate(_BOOK_QUOTES)


def spaced(text: str) -> str:
    """Return a text of the same length in which what East Asian scripts join to a value stands apart from it.

    `密码是X` reads as `密码:X`, and the signs of those scripts as those of ASCII.
    """
    text = pattern(_LINKING).sub(":", text.translate(_WIDE_SIGNS))
    return pattern(_JOINED).sub(" ", text)


def pattern(source: str) -> re.Pattern[str]:
    """Make a pattern on first use: most texts need few of them."""
    if source not in _compiled:
        _compiled[source] = regexes.kept(source)
    return _compiled[source]
