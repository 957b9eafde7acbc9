"""Which options, calls and files of programs and devices take a password that no name tells.

The rows are those of `PHRASES`, and are tried among them: kind, what it may start with, pattern.
"""

from __future__ import annotations

PROGRAMS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    (
        "user-option",
        ("htpasswd",),
        r"htpasswd\s+-[a-zA-Z]*b[a-zA-Z]*(?:\s+-[a-zA-Z]+)*\s+\S{1,200}\s+\S{1,80}\s+[\"']?([^\s\"']{6,120})",
    ),
    (
        "user-option",
        (
            *("rabbitmqctl", "mc alias set", "rclone obscure", "wpa_passphrase", "http-basic.", "isql "),
            *("user:password ", "Input Password ", "-oauth.", "gitlab-token."),
        ),
        r"(?:http-basic\.\S{1,60}\s+\S{1,60}|(?:-oauth|gitlab-token)\.\S{1,60}|\bisql(?: -[a-z]+){0,4}(?: \S{1,60}){2}"
        r"|(?:user:p|Input P)assword\s+\S{1,60}|rabbitmqctl\s(?:add_user|change_password)\s+\S{1,80}"
        r"|mc alias set(?:\s+\S{1,200}){3}|rclone obscure|wpa_passphrase\s+\S{1,40})"
        r"\s+[\"']?([^\s\"']{6,120})",
    ),
    (
        "user-option",
        (
            *("requirepass", "masterauth", "psk=", "/user:", "oracle:thin:", "sessionid=", "sqlplus "),
            *("expdp ", "impdp ", "SecureString "),
        ),
        r"(?:(?:requirepass|masterauth|/user:\S{1,60}|SecureString(?: -String)?)\s+|psk="
        r"|(?:oracle:thin:|sqlplus |(?:ex|im)pdp )[^\s/]{1,60}/|sessionid=)[\"']?"
        # The last of several such signs ends it.
        r"((?:[^\s\"'@;]|@(?=[^\s\"'@;]{1,80}@)){6,120})",
    ),
    ("user-option", (" /p:",), r" /p:[\"']?([^\s\"']{6,120})"),
    ("user-option", ("net user ", "signtool"), r"(?:net user \S{1,40}|signtool [^\n]{1,120} /p) ([^\s/*]\S{5,80})"),
    # What devices of a network, consoles of databases and other programs take without a flag, or print once.
    (
        "user-option",
        ("snmp-server ", "enable secret ", "enable password ", "radius-server ", "tacacs-server ", "isakmp key "),
        r"(?:snmp-server community |enable (?:secret|password) (?:level \d{1,2} )?(?:\d )?|isakmp key (?:\d )?"
        r"|(?:radius|tacacs)-server [^\n]{0,80}? key (?:\d )?)[\"']?([^\s\"']{6,120})",
    ),
    (
        "user-option",
        (
            *("-v2c ", "-v 2c ", " -u:", "provider :", "-object secret,", "kv put ", "wifi connect "),
            "temporary password is ",
        ),
        r"(?:-v ?2c [^\n]{0,60}?-c ?| -u:\S{1,60} -p:|provider :\w{2,30}, ?[\"'][^\"'\s]{4,100}[\"'], ?"
        r"|-object secret,[^\s\"']{0,80}?data=|consul kv put \S{0,80}(?:pass|secret|token)\S{0,20} "
        r"|wifi connect \S{1,60} (?:\S{1,30} ){0,4}?password |temporary password is generated for \S{1,80}: )"
        r"[\"']?([^\s\"',]{6,120})",
    ),
    # Which option of which program, or which place in its file, takes a password.
    (
        "user-option",
        (
            *("pk12util", "wbinfo -a", "prosodyctl register", "ejabberdctl register", "MONITOR "),
            *("register =>", "swaks ", "bindpwd=", "base32:"),
            *("insecure-password ", "client_send", "check_snmp", "saslpasswd2", "smbpasswd", "transmission-remote"),
            *("DefaultPassword", "IPSec secret ", "Xauth password ", "{PLAIN}", "-extpass", "PASSCOMMAND"),
            *("htpasswd -nb ", "d-i passwd/"),
        ),
        r"(?:pk12util [^\n]{1,160}? -[WKw] |wbinfo -a \S{1,60}%|(?:prosody|ejabberd)ctl register \S{1,60} \S{1,60} "
        r"|MONITOR \S{1,80} \d{1,2} \S{1,60} |register => ?\S{1,60}?:|swaks [^\n]{1,160}? -{1,2}(?:ap|auth-password) "
        r"|insecure-password |client_send = \^\S{0,60}\^|check_snmp [^\n]{1,80}? -C "
        r"|(?:saslpasswd2|smbpasswd) [^\n]{0,80}<<< ?\$?"
        r"|transmission-remote [^\n]{0,80}? -n \S{1,40}:|DefaultPassword[^\n]{0,40} /d "
        r"|(?:IPSec secret|Xauth password) |\{PLAIN\}"
        r"|(?:-extpass|PASSCOMMAND)[ =][\"']?echo |htpasswd -nb \S{1,60} "
        r"|d-i passwd/\S{1,40} password |bindpwd=|base32:)"
        r"[\"']?([^\s\"':]{6,120}?)(?=[\s\"':]|@[\w.-]{1,60}/|$)",
    ),
    ("pin", ("-pin ", "-pin=", "pin0 ", "securitycode PIN"), r"(?:-pin[ =]|pin0 |securitycode PIN )(\d{4,8})(?!\w)"),
    ("user-option", ("connect to ",), r"(?i)connect to \S{1,40} user \S{1,60} using [\"']?([^\s\"';]{6,120})"),
    ("user-option", ("--encrypt ",), r"--encrypt [\"']?([^\s\"'-][^\s\"']{5,120})[\"']? \S{1,120} (?:40|128|256)\b"),
    ("user-option", ("--encrypt ",), r"--encrypt \S{1,120} [\"']?([^\s\"']{6,120})[\"']? (?:40|128|256)\b"),
    ("token", ("following password",), r"following password[^\n]{0,60}:\s{1,12}([0-9a-f]{32})(?!\w)"),
    (
        "pin",
        ("pin is ", "pin ist ", "pin lautet "),
        r"(?i)(?<=(?:my|ur|ne|rd|nk) )pin (?:is|ist|lautet) (\d{4,8})(?![\w%.])",
    ),
    ("pin", ("unlock code", "unlock-code"), r"(?i)unlock.code[^\n:\d]{0,40}?(?::| is) ((?=(?:\D?\d){6})[\w-]{6,40})"),
)
