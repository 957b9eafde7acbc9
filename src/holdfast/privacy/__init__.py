"""Redaction, fences around stored text, and which words are the person's.

Here is what secrets look like and what names them, in the one module of the package that every hook loads anyway.

`TOKENS` and `PHRASES` know the secrets that have a shape of their own, and `WORDS` those that only a name gives away
(`password = ...`). A new kind is one new line here, or in `VENDORS` of `secret_patterns.py` where tokens begin with a
name and a sign.
"""

from __future__ import annotations

from holdfast.privacy.secret_programs import PROGRAMS

# A token starts where no letter or digit stands before it, or behind a line end as JSON writes it.
_HERE = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))"
# The same, for those that may hold hyphens: each run of such characters is read once.
_RUN = r"(?:(?<![\w-])|(?<=\\[nrt]))"
# What may stand between a name and its value, quotes and their escapes included.
_GAP = r"[\"'\\ \t:=,>]{1,12}"
# Words as people join them: three or more, with one sign between them.
JOINED_WORDS = "|".join(rf"[a-z]{{3,12}}(?:{sign}[a-z]{{3,12}}){{2,7}}" for sign in ("-", "_", r"\."))
# What a person opens with a number: a pin of anything else is one of a plug or a version.
_PIN_OF = (
    r"safe|vault|alarm|card|d(?:oo|eu)r|gate\b|lock|garage|phone|sim\b|account|tresor|karte|tür|schloss|konto|handy"
    r"|coffre|porte|carte|puerta|tarjeta|caja|cassaforte|porta|carta|kluis|kaart|token|keystore|hsm\b|yubi|meeting"
)

# kind, what it may start with, pattern. A pattern is tried only where one of its beginnings is in the text.
# Group 1 is the secret, or else the whole match. These here are one word of at least 20 characters.
TOKENS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("aws-access-key-id", ("AKIA", "ASIA"), r"A(?:KIA|SIA)[A-Z0-9]{16}(?![A-Za-z0-9+/])"),
    # The secret of an id of AWS has no sign of its own, and stands behind the id or before it. A digest is none.
    ("aws-secret-key", ("AKIA", "ASIA"), r"[A-Z\d]{20}\W(?s:.{,80}?)(?<![\w+/])(?![\da-f]{40})([\w/+]{40})(?![\w+/])"),
    ("aws-secret", ("AKIA", "ASIA"), r"A(?:KIA|SIA)[A-Z0-9]{16}(?![A-Za-z0-9+/])"),
    (
        "vendor-token",
        ("GR1348941", "st.", "endr+", "K10"),
        rf"{_HERE}(?:GR1348941[\w-]{{20,}}+|endr\+[\w-]{{16,}}+|st\.[0-9a-f]{{24}}(?:\.[0-9a-f]{{32}}){{2}}"
        r"|K10[0-9a-f]{64}::[\w:.-]{8,120})",
    ),
    ("aws-bedrock-key", ("ABSK",), rf"{_HERE}ABSK[A-Za-z0-9+/]{{80,}}+={{0,2}}"),
    ("private-key", ("LS0tLS1CRUdJTi",), r"LS0tLS1CRUdJTi(?!BDRVJU|BQVUJM)[A-Za-z0-9+/]{40,}+={0,2}"),
    (
        "webhook",
        (
            *(".office.com/webhook", "webhook.office.com/", "hooks.zapier.com/", "://hook.", "hc-ping.com/"),
            *("anaconda.org/t/", "/with/key/", "/send?key=", "thingsboard.cloud/api/v"),
        ),
        r"(?:\.office\.com/webhook/|webhook\.office\.com/|hooks\.zapier\.com/hooks/catch/|://hook\.[\w.-]{3,60}/"
        r"|hc-ping\.com/|anaconda\.org/t/|/with/key/|/send\?key=|thingsboard\.cloud/api/v\d/)"
        r"([\w@./-]{14,300})",
    ),
    ("slack-webhook", ("hooks.slack.com/",), r"hooks\.slack\.com/[a-z]{4,12}/([A-Za-z0-9+/]{20,120})"),
    ("webhook", ("/bot",), r"/bot\d{8,10}:([\w-]{30,40})"),
    (
        "node-key",
        ("alchemy.com/v", "infura.io/v3/", "quiknode.pro/"),
        r"(?:alchemy\.com/v\d|infura\.io/v3|quiknode\.pro)/([\w-]{30,80})",
    ),
    ("discord-webhook", ("/api/webhooks/",), r"/api/webhooks/(\d{10,25}/[\w-]{40,120})"),
    (
        "discord-token",
        ("MT", "Mj", "Mz", "ND", "NT", "Nj", "Nz", "OD", "OT"),
        r"(?<![A-Za-z0-9])[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,45}",
    ),
    ("google-api-key", ("AIza",), r"AIza[\w-]{35}"),
    ("google-oauth", ("ya29.", "1//0"), rf"{_HERE}(?:ya29\.[\w.-]{{20,}}+|1//0[\w-]{{30,}}+)"),
    ("jwt", ("eyJ",), rf"{_RUN}eyJ[\w-]{{10,8000}}+\.[\w-]{{10,16000}}+\.[\w-]{{10,2000}}+"),
    ("sendgrid-key", ("SG.",), r"SG\.[\w-]{16,32}\.[\w-]{32,64}"),
    ("twilio-key", ("SK",), rf"{_HERE}SK[0-9a-f]{{32}}(?![A-Za-z0-9])"),
    ("telegram-token", (":AA",), r"(?<=\d{8}):AA[\w-]{32,34}(?![\w-])"),
    (
        "twilio-token",
        ("AC",),
        rf"{_HERE}AC[0-9a-f]{{32}}[\"']?[ ,:]{{1,3}}[\"']?([0-9a-f]{{32}})(?![A-Za-z0-9])",
    ),
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
    ("paypal-token", ("access_token$",), r"access_token\$[a-z]+\$[a-z0-9]{16}\$[a-f0-9]{32}"),
    (
        "paseto",
        ("v2.local.", "v3.local.", "v4.local.", "v2.public.", "v4.public."),
        r"v\d\.(?:local|public)\.[\w-]{40,}+",
    ),
    ("data-source", ("@tcp(", "@unix("), r"@(?:tcp|unix)\("),
    ("url-token", ("?code=", "&code="), r"[?&]code=([\w%-]{20,400}={0,2})"),
    ("rapidapi-key", ("msh",), r"(?<=[a-z0-9]{10})msh[a-z0-9]{15}p1[a-z0-9]{6}jsn[a-z0-9]{12}(?![a-z0-9])"),
    ("private-key", ("RWRTY0Iy",), r"RWRTY0Iy[A-Za-z0-9+/]{60,}+={0,2}"),
    ("linkedin-token", ("WPL_AP",), rf"{_HERE}WPL_AP\d?\.[\w.]{{20,}}+={{0,2}}"),
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

# The same, for secrets that are short or have spaces. Where a pattern ignores case, "(?i)", its beginnings are
# looked for in the lowered text.
PHRASES: tuple[tuple[str, tuple[str, ...], str], ...] = (
    (
        "private-key",
        ("-----BEGIN ",),
        r"-----BEGIN (?:[A-Z0-9 ]{0,24}PRIVATE KEY(?: BLOCK)?|OpenVPN Static key V1)-----"
        r"[^-]*(?:-(?!----)[^-]*)*(?:-----END [A-Za-z0-9 ]{0,40}-----)?",
    ),
    ("neon-password", ("npg_",), rf"{_HERE}npg_(?=\w{{0,11}}\d)[A-Za-z0-9]{{12,}}+"),
    ("key-end", ("-----END ",), r"-----END [A-Z0-9 ]{0,24}PRIVATE KEY-----"),
    ("private-key", ("Private-Lines",), r"Private-Lines: \d{1,3}\s+((?:[A-Za-z0-9+/=]{16,100}(?:\s{1,2}|$)){1,200})"),
    ("database-url", ("://",), r"://[^\s:/@\"'<>]{0,100}:([^\s/\"'<>]{1,200})@(?=[\w\[$.-])"),
    ("basic-auth-url", ("://",), r"://[^\s:/@\"'<>?#]{0,100}:([^\s/\"'<>?]{1,200})@(?!sha256)(?=[\w\[$.-])"),
    ("url-token", ("://",), r"://([\w.~%+=-]{20,200})(?::[^\s/@\"'<>]{0,100})?@(?=[\w\[$.-])"),
    (
        "user-at-host",
        tuple("@" + letter for letter in "abcdefghijklmnopqrstuvwxyz123456789"),
        r"@(?!sha\d{3}:)(?=(?:[a-z][\w-]{0,60}(?:\.[\w-]{1,60}){1,6}|(?:\d{1,3}\.){3}\d{1,3}|[a-z][\w-]{1,60}:\d{2,5})(?![\w.-]*@))",
    ),
    ("sent", ('\\r"',), r'\\r"'),
    ("option", ("--value", "--secret-string"), r"--(?:value|secret-string)[ =][\"']?([^\s\"']{6,400})"),
    ("login-pair", (" / ",), r" / ([^\s\"'`/]{8,80})"),
    (
        "user-option",
        ("auth-user-pass>", "auth-user-pass\n"),
        r"auth-user-pass>?\s{1,4}\S{1,80}\n\s{0,4}([^\s<]{6,120})",
    ),
    ("user-option", (": EAP ", ": PSK ", ": XAUTH "), r': (?:EAP|PSK|XAUTH) "([^"\s]{6,120})"'),
    (
        "user-option",
        ("<name>",),
        r"(?i)<name>[\w.-]{0,40}(?:pass|secret|token|key)[\w.-]{0,20}</name>\s{0,20}<(?:value|string)>([^<\s]{6,200})<",
    ),
    ("user-option", ("chpasswd:",), r"chpasswd:[ |>\n\w:-]{1,60}?\s[\w-]{1,40}:([^\s\"']{6,120})"),
    ("user-option", ("WIFI:",), r"WIFI:[^\n]{0,120}?P:([^;\s]{6,80});"),
    (
        "user-option",
        ("--plaintext ", "_AUTH=", "createUser ", "sp_addlinkedsrvlogin", "option key ", " /rp ", "bw unlock "),
        r"(?:--plaintext | /rp |bw unlock |_AUTH=\w{1,30}/|createUser \S{1,60} (?:MD5|SHA[\d-]{0,4}) |option key "
        r"|sp_addlinkedsrvlogin(?:[^'\n]{0,40}'[^'\n]{0,60}'){2,3}[^'\n]{1,20})"
        r"[\"']?([^\s\"'/*-][^\s\"']{5,120})",
    ),
    ("user-option", ("]:587 ", "]:465 ", "]:25 "), r"\]:\d{2,3} \S{1,80}:([^\s:]{6,80})(?=\s|$)"),
    ("user-option", ('" * "', '"  *  "', '"\t*\t"'), r"\"\s+\*\s+\"([^\s\"]{6,80})\""),
    ("kubeadm-token", ("kubeadm",), r"kubeadm[^\n]{0,80}?(?<![a-z0-9.])([a-z0-9]{6}\.[a-z0-9]{16})(?![a-z0-9.])"),
    ("password-hash", ('" "md5',), r"\" \"(md5[0-9a-f]{32})\""),
    ("user-option", ("setuser ", " on >"), r"(?i)(?:setuser \S{1,60} [^\n>]{0,80}| on )>([^\s\"']{6,120})"),
    ("netrc", (" login ",), r" login\s+\S{1,100}\s+password\s+(\S{4,200})"),
    (
        "pgpass",
        (":5432:", ":5433:", ":6432:", ":*:"),
        r"(?<=[\w*.-])(?::\d{2,5}|:\*):[\w*.-]{1,63}:[\w*.-]{1,63}:([^\s:\"']{6,120})(?=[\s\"']|$|\\n)",
    ),
    (
        "authorization",
        ('auth"', "auth'", "_auth", "auth: ", "auth="),
        r"_?auth\\{0,3}[\"']?[ ]{0,2}[:=][ ]{0,3}\\{0,3}[\"']?([A-Za-z0-9+/_-]{20,}+={0,2})",
    ),
    (
        "token",
        ("_PAT", "_AUTH"),
        r"_(?:PAT|AUTH)\\{0,3}[\"']?[)\]]?[ ]{0,2}(?:[:=]{1,2}|,(?=[ ]?[\"'])|\|\||\?\?)[ ]{0,3}\\{0,3}[\"']?"
        r"([^\s\"'\\]{8,400})",
    ),
    ("aws-secret-key", ("secret",), rf"(?i)secret[_-]?(?:access)?[_-]?(?:key)?{_GAP}([A-Z0-9/+]{{40}})(?![A-Z0-9/+=])"),
    ("authorization", ("bearer",), r"(?i)bearer[ \t:]{1,3}([\w.~+/=-]{12,}+)"),
    (
        "authorization",
        ("authorization",),
        r"(?i)(?<!/)authorization[\"'\\]{0,4}[ \t]?[:=,]"
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
        r"\s-[pPawAXktN][ \t=]{1,3}(?:[\"']|(?![\"'-]))([^\s\"'][^\s\"']{5,200})",
    ),
    ("url-token", (" -u ", "appid="), r"(?: -u |appid=)[\"']?([\w.~%-]{20,200})(?::[\"']?(?=\s)|[&\"'\s]|$)"),
    ("user-option", (" -U",), r" -U[ \t=]{0,2}[\"']?[\w\\/.-]{1,60}%([^\s\"']{4,120})"),
    *PROGRAMS,
    ("net-use", ("/user:",), r"/user:"),
    ("kept-secret", (" vault", " keychain", " 1password"), r" [a-z1]{5,9}(?![a-zA-Z])"),
    (
        "insert",
        ("password)", "password`)", "passwd)"),
        r"(?i)passw[a-z]{1,3}`?\)\s{0,4}values\s?\((?:[^()']{0,40}'[^']{0,80}',){0,6}\s?'([^']{6,80})'\s?\)",
    ),
    ("user-option", ("http -a", "https -a"), r"https? -a[ =][\"']?[^\s:\"']{1,60}:([^\s\"']{4,120})"),
    ("cookie", ("sessid=", "sessionid="), r"(?i)sess(?:ion)?id=([\w.%-]{16,4000})"),
    (
        "url-token",
        (
            *("_pat:", "_pat=", '_pat"', "Pat:", "Pat=", "Pat =", 'Pat"'),
            *(" pat=", "(pat=", '"pat"', " pat:", "-pat ", "-pat="),
        ),
        r"(?:[_ (\"-]p|(?<=[a-z])P)at\\{0,3}[\"']?[ ]{0,2}[:=]{1,2}[ ]{0,3}\\{0,3}[\"']?([\w-]{20,400})",
    ),
    ("cookie", ("session=",), r"session=([^\s\"'&;]{16,4000})"),
    (
        "cookie",
        ('sid"', 'sessid"', 'sessionid"', 'session"'),
        r'(?i)s(?:ess?)?(?:ion)?(?:id)?\\?",\s{0,9}\\?"value\\?":\s?\\?"([^\s"\\]{16,4000})',
    ),
    ("cookie", ("cookie:",), r"(?i)cookie:[ ]{0,3}(?:[\w.-]{1,40}=)?([^\n\"'<>]{16,4000})"),
    (
        "secret",
        (
            *("log in as ", "login as ", "log in with ", "login with ", "sign in with ", "sign in as "),
            *("dich mit ", "toi avec ", "logging in as ", "logging in with "),
        ),
        r"(?i)(?:(?:log(?:ging)? ?in|sign(?:ing)? in) (?:as|with)|dich mit|toi avec) [\w.@+-]{2,60}"
        r" (?:with|and|using|und|et) ([^\s\"']{6,80})",
    ),
    ("secret", ("log in", "login"), r"(?i)log ?in(?: with| as| is|:)?:? [\w.@+-]{2,60} ?/ ?([^\s\"']{6,80})"),
    (
        "secret",
        (
            *("credential", "creds ", "creds:", "zugangsdaten", "anmeldedaten", "logindaten", "identifiants"),
            *("credencia", "inloggegevens"),
        ),
        r"(?i)(?:credentials?|creds|(?:zugangs|anmelde|login)daten|identifiants|credenciales|credenciais|inloggegevens)"
        r"(?:[ ][^\W\d_][\w'-]{0,20}){0,5}[: ]{1,3}[\w.@+-]{2,60}[ ]?[/:|,][ ]?([^\s\"':][^\s\"']{5,79})",
    ),
    # Two names and then two values, as people write them in notes: `ID/PW: kim/...`.
    (
        "secret",
        ("/pw", "/pass", ":pw"),
        r"(?i)(?:(?<=id)|(?<=user)|(?<=name)|(?<=login)|(?<=account)|(?<=아이디)|(?<=계정))[/:](?:pass\w{0,4}|pwd?)"
        r"(?:[ ]for[ ]\w{1,20})?[ ]?(?:[-=]>|[-=:(]|is|are)?[ ]?[(]?(?:[\w.-]{1,40}[:=])?[\w.@+-]{2,60}"
        r"[ ]?[/:,|(][/ ]{0,2}([^\s\"'`:(),][^\s\"'`),]{5,79})",
    ),
    (
        "totp-seed",
        ("2fa", "totp", "otp ", "mfa"),
        r"(?i)(?:2fa|t?otp|mfa)(?:[ _-](?!code)[a-z]{2,10}){0,3}"
        r"(?:[ ]?[:=][ ]?|[ ]is[ ])[\"'`]?((?-i:[A-Z2-7]{16,64}))(?![A-Za-z0-9])",
    ),
    # A variable of the environment is given what it says, also a word: names and calls of code have small letters.
    (
        "env-password",
        ("PASSWORD=", "PASSWORD: ", "PASSWD=", "_PASS=", "_PASS: ", "PASSPHRASE=", "_PWD="),
        r"(?:PASS(?:WORD|WD|PHRASE)?|_PWD)(?:=|: )[\"']?([A-Za-z][A-Za-z_-]{5,60})(?=[\"'\s;]|\\n|$)",
    ),
    (
        "piped",
        ("sudo -S", "sudo -kS", "su -", "chpasswd", "-stdin", "--with-token", "kinit", "cryptsetup", "realm join"),
        r"realm join|sudo\s-[a-zA-Z]{0,6}S|su -|chpasswd|-stdin|--with-token|kinit|cryptsetup",
    ),
    (
        "user-option",
        ("chpasswd", "-stdin", "--with-token", "kinit", "cryptsetup", "sudo -S"),
        r"(?:chpasswd|sudo -S|-stdin|--with-token|kinit|cryptsetup)[^\n<]{0,60}<<<\s{0,3}[\"']?(?:[\w.-]{1,40}:)?"
        r"([^\s\"']{6,200})",
    ),
    ("login", (" login ",), r" login\s+(?:-{1,2}[\w-]{1,20}[= ])?([^\s\"'=-][^\s\"'=]{7,200})(?=\s|$)"),
    (
        "password",
        ("identified by", "password by"),
        r"(?i)(?:identified|password)\s+by\s+(?:password\s+)?\\{0,3}[\"']?([^\s\"';]{6,120})",
    ),
    ("user-option", ("pass:",), r"(?<![\w:-])(?<!\w/)pass:(?!:)([^\s\"'/]{6,80})"),
    (
        "call",
        (
            *("auth(", "auth=(", "login(", "connect(", "connection(", "pdo(", "create_user(", "createuser("),
            *("mysqli(", "credential", "wifi.begin(", "authenticate(", "sign_in(", "database(", "superuser("),
            "sequelize(",
        ),
        r"(?i)(?:auth=?|login|connect(?:ion)?|pdo|create_?user|superuser|mysqli|credentials?|wifi\.begin|authenticate|sign_in|database|sequelize)\(",
    ),
    (
        "seed-phrase",
        ("phrase", " words"),
        r"(?i)(?:phrase| words)[^\n]{0,60}?[:= \n\"'`]{1,4}"
        r"((?-i:[a-z]{3,8}(?: [a-z]{3,8}){11}(?:(?: [a-z]{3,8}){3}){0,4}))(?=[\"'`.,;]?(?:\s|$))",
    ),
    (
        "passphrase",
        ("phrase",),
        r"(?i)phrase[^\n:\"'`]{0,40}(?:[:=]|\bis\b:?|\bist\b:?|\bes\b:?)[ ]{0,2}(?:[\"'`]|[|>][+-]?\s{1,20})?"
        r"((?-i:[a-z]{3,12}(?: [a-z]{3,12}){3,9}))(?=[\"'`]|[.,;]?[ ]?(?:\n|$))",
    ),
    # Words alone are a password where they are said to be it, or given in quotes, and speak of nothing.
    (
        "password-words",
        (
            *("password is ", "passwort ist ", "passwort lautet ", "kennwort ist ", "kennwort lautet ", "passe est "),
            *("wachtwoord is ", 'password: "', 'password="', 'password = "', 'psk="', 'psk: "'),
        ),
        r"(?i)(?:passwor[dt]|kennwort|passe|wachtwoord|psk)"
        r"(?:: | = |=| (?:is|ist|lautet|est) )[\"'`]?"
        rf"((?-i:[a-z]{{3,12}}(?: [a-z]{{3,12}}){{3,9}}|{JOINED_WORDS}))"
        r"(?=[\"'`]|[.!,;)](?:\s|$)|[ ]?(?:\n|$))",
    ),
    (
        "joined-words",
        ("phrase", "password", "unlock ", "vault with "),
        r"(?i)(?:(?:phrase|unlock|-password|vault with)[ ]|(?:phrase|password)(?:[ ]is[ ]|[ ]?[:=][ ]?(?=[\"'`])"
        r"|(?<=phrase)[:=][ ]?|(?<=master password):[ ]))[\"'`]?"
        rf"((?-i:{JOINED_WORDS}))(?=[\"'`]|[.!,;)]*(?:\s|$))",
    ),
    (
        "app-password",
        ("app pass", "app-pass", "application pass"),
        r"(?i)app(?:lication)?[- ]pass[a-z]{0,4}\W{1,3}(?:is )?[\"']?"
        r"((?-i:[a-z0-9]{4}(?: [a-z0-9]{4}){3}(?![a-z0-9])|[A-Za-z0-9]{4}(?: [A-Za-z0-9]{4}){5}(?![A-Za-z0-9])))",
    ),
    (
        "recovery-code",
        ("recovery", "backup", "wiederherstellungscode", "scratch code"),
        r"(?i)(?:recovery|backup|wiederherstellungs|scratch)[ _-]?(?:codes?|keys?)",
    ),
    (
        "printed",
        (
            *("op read ", "openssl rand", "pwgen", "pass show ", "auth token", "access-token", "auth:token"),
            *("find-generic-password", "cat /run/secrets/", "get secret", "get-secret", "password.txt", "secret.txt"),
            *("token.txt", "kv get ", "secrets versions access", "with-decryption", "secret show", "config:get "),
            *("get password ", "secrets get ", "base64 -d\n", "base64 --decode\n", "PASSWORD\n", "TOKEN\n", "SECRET\n"),
        ),
        r"(?:op read|openssl rand|pwgen|pass show|auth token|print-access-token|auth:token|find-generic-password|kv get"
        r"|cat /run/secrets/|get[ -]secret|(?:password|secret|token)\.txt|secrets versions access|with-decryption"
        r"|secret show|config:get|get password|secrets get|base64 -(?:d|-decode)|(?:PASSWORD|TOKEN|SECRET)(?=\n))"
        r"[^\n]{0,160}\n([^\s\"'$#>]{8,400})(?=\s{0,4}(?:\n|$))",
    ),
    (
        "url-token",
        ("/hook/", "/hooks/", "/webhook/", "/webhooks/"),
        r"/(?:web)?hooks?/(?:[\w-]{1,20}/){0,3}([\w-]{20,200})",
    ),
    (
        "url-token",
        ("/reset", "/invit", "/verify", "/magic", "/confirm", "/activat"),
        r"/[a-z]{5,8}[a-z_-]{0,20}/(?:[\w-]{1,20}/){0,3}([\w-]{20,200})",
    ),
    ("private-key", ("accounts", "Wallet("), r"(?:accounts[\"']?:\s{0,3}\[\s{0,8}|Wallet\()[\"'](0x[0-9a-f]{64})"),
    ("vendor-token", ("routing_key",), r"routing_key\W{1,4}([0-9a-f]{32})(?!\w)"),
    ("key-bytes", (">{",), r">\{([A-Za-z0-9+/]{40,400}={0,2})\}<"),
    ("key-bytes", ("encrypt",), r"encrypt\\?[\"']?\s{0,4}[:=]\s{0,4}[\"']?([A-Za-z0-9+/]{22}==|[A-Za-z0-9+/]{43}=)"),
    ("secret", ("secret_id",), r"secret_id\\?[\"']?\s?[:=]\s?\\?[\"']?([0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})"),
    ("secret-entry", ("kind: Secret", "stringData:"), r"(?:kind: Secret(?=\s)[^#]{0,400}?\n)?(?:stringD|d)ata:[ ]?\n"),
    (
        "key-bytes",
        ("keypair", "id.json", "solana", "network_key"),
        r"(?:keypair|id\.json|solana|network_key)[^\[\n]{0,60}\s{0,4}(\[(?:\d{1,3},\s?){15,63}\d{1,3}\])",
    ),
    # The parts of a JSON web key that are not public.
    (
        "key-bytes",
        ('"d"', '"p"', '"q"', '"k"', '"dp"', '"dq"', '"qi"', '"d\\"'),
        r'"(?:d[pq]?|p|qi?|k)\\?"\s{0,4}:\s{0,4}\\?"((?=[\w-]{0,60}[A-Z])(?=[\w-]{0,60}\d)[\w-]{40,1400})',
    ),
    ("private-key", ("WIF", "wif=", "wif:"), r"(?i:wif)[\"'\s:=]{1,5}([5KLc9][1-9A-HJ-NP-Za-km-z]{50,51})(?!\w)"),
    (
        "pin",
        ("pin ",),
        rf"(?i)(?<![\w-])pin (?=[^\n.:;\d]{{0,80}}(?:{_PIN_OF}))[^\n.:;\d]{{0,90}}?"
        r"(?:\s(?:is|ist|lautet|est|es|è|é|er|är)\s|\s?[:=]\s?)(\d{4,8})(?![\w%])",
    ),
    (
        "pin",
        (
            *("oor code", "gate code", "passcode", "alarm code", "safe code", "rcode: ", "zugangscode", "code d'acc"),
            *("code du portail", "code de la porte", "digo de ", "digo da ", "codice d'acc"),
        ),
        r"(?i)(?:(?:oor|gate|alarm|safe) code|passcode|(?:(?<=tü)r|zugangs)code"
        r"|code (?:d'acc[eè]s|du portail|de la porte)|codice d'accesso"
        r"|digo d[ea] (?:acceso|entrada|porta|(?:la )?(?:puerta|alarma)))[^\n.;:\d]{0,60}?"
        r"(?:\s(?:is|ist|lautet|est|es|è|é)\s|\s?[:=]\s?)(\d{4,8})(?![\w%])",
    ),
    (
        "pin",
        (*("sim pin", "sim-pin", "bank pin", "card pin", "store_pin", "token_pin", "hsm_pin", "puk ", "puk:"),),
        r"(?i)(?:puk|[a-z]{3,9}[ _-]pin)(?![a-z])(?: code)?(?: (?:is|ist|est|es|è|é) | ?[:=] ?| )(\d{4,8})(?![\w%.])",
    ),
    (
        "login-file",
        ("auth.txt", "auth.conf", "login.txt", "login.conf", "pass.txt", "creds.txt", "credentials.txt"),
        r"(?:auth|login|pass|creds|credentials)\.(?:txt|conf)\n[\w.@+-]{2,60}\n(\S{6,120})(?=\s|$)",
    ),
    (
        "secret",
        ("code wi", "code du wi", "codice wi", "wifi code", "wi-fi code", "wifi-code", "wlan-code"),
        r"(?i)(?:cod(?:e|ice) (?:du )?wi-?fi|(?:wi-?fi|wlan)[ -]code)[^\n:]{0,50}?(?:[ '](?:est|is|ist|è)|:)[ ]"
        r"([^\s\"']{8,63})(?<![.,;:])",
    ),
    (
        "key-call",
        ("hmac", "jwt.", "fernet(", "crypt(", "crypt_bytea(", "cipheriv(", "pbkdf2"),
        r"(?i)(?:hmac(?:\.new)?|jwt\.[a-z]{3,9}|fernet|crypt(?:_bytea)?|cipheriv|pbkdf2(?:_hmac|sync)?)\(",
    ),
)

# Passwords in other scripts, for which a text of ASCII letters alone need not be searched.
FOREIGN = (
    *("contraseñ", "Contraseñ", "CONTRASEÑ", "hasło", "Hasło", "HASŁO", "lösenord", "Lösenord", "LÖSENORD"),
    *("şifre", "Şifre", "парол", "Парол", "ПАРОЛ", "密码", "密碼", "口令", "パスワード", "暗証番号"),
    *("비밀번호", "비번", "암호", "패스워드", "סיסמה", "كلمة المرور", "كلمة السر"),
    *("jelszó", "Jelszó", "parolă", "Parolă", "κωδικ", "Κωδικ", "รหัสผ่าน", "पासवर्ड", "mật khẩu", "Mật khẩu"),
    *("토큰", "トークン", "令牌", "токен", "Токен", "clé ", "Clé ", "chlüssel", "密钥", "APIキー", "ключ", "Ключ"),
)
# The first letter of scripts that set no space between words.
FIRST_UNSPACED = "\u2e80"
# Words that give nothing away by themselves: what stands near them is judged as a whole.
HINTS = (
    *("cookie", "salt", "dsn", "licen", "admin", "root", "signing", "otp", "geheim", "zugang", "hmac", "unseal"),
    *("pepper", "chave", "klucz", "mdp ", "mdp:", "salasana", "lozinka", "geslo", "chiave", "communit"),
)
# A name that holds one of these words gives its value away: word, kind.
WORDS: tuple[tuple[str, str], ...] = (
    *((word, "password") for word in ("pass", "pwd", "pw", "p/w", "kennwort")),
    ("secret", "secret"),
    ("token", "token"),
    *((word, "api-key") for word in ("key", "sleutel", "nyckel")),
    ("cred", "secret"),
    ("psk", "password"),
    ("mnemonic", "password"),
    ("auth", "token"),
    ("login", "login"),
    *((word, "password") for word in ("senha", "clave", "wachtwoord", "adgangskode", "parola", "heslo", "jelszav")),
    *((word, "secret") for word in HINTS),
)

DIGITS = frozenset("0123456789")
