"""Where the value of a name is that tells a secret: behind a sign, further on in its line, or before it in a pipe.

`redact` loads this where a name may be given a secret; whether the value is one is judged by `secret_values.py`.
"""

from __future__ import annotations

from holdfast.privacy import HINTS, secret_words
from holdfast.privacy import secret_patterns as patterns
from holdfast.privacy.secret_judge import judged
from holdfast.privacy.secret_patterns import CODE_WORD, pattern
from holdfast.privacy.secret_values import (
    MAX_JUDGED_VALUE,
    NAMED_ID,
    NUMBERED,
    digit_turns,
    is_mixed,
    is_phrase,
    is_random,
    is_reference,
    is_secret,
    is_shaped,
    is_shown,
    is_strong,
    is_value,
    turns_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re


# What may stand directly behind a name: the rest of it, a sign, a quote or white space. Behind an `s` only `str` and
# `staging` go on; a plural is given nothing.
BEHIND_NAME = "abcdehklmnopstvwABCDEHKLMNOPSTVW0123456789_-\\\"'`])(?:=!,<>| \t\n\r\f\v\x1c\x1d\x1e\x1f"
# The same for what is judged, what may stand before a `key` there, and what may follow a plural.
BEHIND_JUDGED = "".join([letter for letter in BEHIND_NAME if letter not in "sSeE("])
BEFORE_KEY = "_. -?\"'\n\t<&({[,`*" + "ipstehngrdayck" + "IPSTEHNGRDAYCK"
BEHIND_PLURAL = " \"'{[:=_\n"

# The rest of the line, and the next one that is not blank where the name ends its own line.
_LINE_REST = (
    r"""(?x)[\"'*`)\]]{0,3}(?P<blank>[ ]?[:=]?[ ]?[|>]?[+-]?[ \t]*(?:\r?\n[ \t]*){1,2}(?=\S))?(?:(?!\\n)[^\n]){0,90}"""
)
_QUOTES = ("'", '"', "`")
_FOREIGN = frozenset(("senha", "wachtwoord", "adgangskode", "parola", "heslo"))
# What stands at the end of a gap behind which a value is given, and not only told of.
# Behind it something else is spoken of: another sentence, command, member or parameter, or what was taken out before.
_OTHER = r"""(?x)[.!]\s | && | ;\s(?![^\n]{0,20}=) | ^[?\#/&]\S | ^\.(?!(?:value|text)\b)\S | \[(?:redacted|private)
    | ,\s{0,8}["']?(?!(?i:value|default|secret|data)\b)\w{1,40}["']?\s{0,2}[:=]"""
_SET_GAP = r"(?:\b(?:is|to|was|lautet|est|es)\s|[:=]\s{0,2}|\s--?[a-z-]{1,12}[ =])[\"'`]?$"
# A string is given in place of something that may be missing, or to what makes a value of it.
_GIVEN_GAP = r"(?:\|\||\?\?|\bor|_or\()\s?.$|[:=]\s{0,2}(?:new )?[\w:.]{1,30}\(.$"
# What stands before it is spoken of once more: "the current one is ...", "it's ...".
_ONCE_MORE = r"\b(?:(?:one|it|this|that|value|mine|ones)\s(?:is|was)|it['’]s)\s[\"'`]?$"
# A flag of something else, behind a command that has the word in its name.
_OTHER_FLAG = r"\s--?(?:[a-z]+-)*(?:id|name|arn|region|bucket|profile|type|file|host|port|role)[ =]$"
_OF_ID = r"(?i)\b(?:commit|sha\d*|hash|digest|id|rev|ref|trace|span|uid|uuid|checksum)\b"
_NEAR = 130
_IN_NAME = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
_SIGN = r"[\d!#%*?^~@$+&]"
# A digit or a sign in a word of eight: the sign stands first, because what begins with few letters is found fastest.
_WORTH = rf"{_SIGN}(?:{{}})".format(
    "|".join(
        f"(?<={{0}}{{{{{8 - more}}}}})(?={{0}}{{{{{more}}}}})".format(r"[^\s\"'`,;(){}\[\]<>|]") for more in range(8)
    )
)
_NEAR_WORD = r"[^\s\"'`,;(){}\[\]<>|=:?&~][^\s\"'`,;(){}\[\]<>|]{5,400}"

# One without a digit or a sign is no secret, or letters in an order that no name has: most are told by that at once.
_BARE = (
    rf"(?=[^\s\"'`\\\d!#%*?^~@$+&]{{0,{MAX_JUDGED_VALUE}}}[\d!#%*?^~@$+&]|[A-Za-z_.+-]{{8,80}}(?![\w(\[]))"
    rf"[^\s\"'`\\]{{4,{MAX_JUDGED_VALUE}}}"
)
_BYTES = r"(?:[A-Za-z0-9+/]{43}=|[A-Za-z0-9+/]{86}==)"
# The first of a list that is not taken out already.
_LISTED = r"""(?x)(?:word|wd|phrase)?s["']?[ ]?[:=][ ]{0,2}\[?\s{0,40}
    (?:-?[ ]{0,3}["']?\[redacted:[a-z-]{1,20}\]["']?,?\s{1,40}){0,9}
    (?:-[ ]{1,3})?["']?([^\s"',\[\]{}]{8,80})["']?(?=,|\s|\]|$)"""
# What is given by a space alone, as a setting or a variable is.
_SETTING = r"(?:^|\s)(?:ENV|ARG|setenv|setx|export|set|add|put)[ \t]+(?:[\w.-]{1,40}[ \t]+)?(?:[\w-]{0,20}[./]){0,4}$"
_SAID_BEFORE = r"""(?x)
    (?:^|\s)["'`(]?([^\s"'`]{8,80})["'`)]?,?
    \s(?:(?:as|for|is|ist|als|für)\s(?:(?:still|now|again|the|my|our|your|its|a|new|das|mein|unser)\s){0,2}(?:\w{1,12}\s)?
    |(?:when|once|if)\s[^\n.]{0,40})$
"""
_BEFORE_NAME = (" as ", " for ", " is ", " ist ", " als ", " für ", " when ", " once ", " if ")
# What stands before a name tells what ends its value: a query, a connection string, a call, a table.
_SEPARATORS = {">": "<", "/": "@", "?": "&", "&": "&", ";": ";", "(": ",)", ",": ",)}", "{": ",}", "<": "<"}


def value_of(text: str, at: int, end: int, kind: str) -> tuple[int, int] | None:
    """Return where the secret is that belongs to the name from `at` to `end`, if there is one."""
    # A value that is joined to the word takes the place of its last letter.
    end -= text[end - 1 : end] == " " and not text[at:end].isascii()
    if text[at:end].lower() in HINTS:
        return judged(text, at, end)
    if (text[at : end + 1] == "PASS:" and _is_verdict(text, at)) or _is_key_of_memory(text, at):
        return None
    # A program of that name keeps passwords; what is said of it is none.
    if text[max(0, at - 1) : end + 1].lower() == "1password ":
        return None
    span = _value_of(text, at, end, kind)
    if span and kind == "api-key" and (_is_name_of_words(text, at, *span) or _opens_nothing(text, at, end, span[0])):
        return None
    return span


def _opens_nothing(text: str, at: int, end: int, start: int) -> bool:
    """Say whether a key is that of a cache or a table or is public, or what follows is the id of one that signs."""
    before = text[max(0, at - 16) : at]
    is_id = text[end:start].isspace() and pattern(r"(?i)(?:rsa|dsa|gpg|pgp|signing|ed25519) $").search(before)
    # A service has a primary key too, which is bytes; that of a table is not.
    if before.lower().rstrip("_ -").endswith("primary") and pattern(rf"{_BYTES}(?![\w=])").match(text, start):
        return False
    return bool(is_id or pattern(patterns.NEVER_KEY).search(before)) or is_shown(text, start)


def _is_name_of_words(text: str, at: int, start: int, end: int) -> bool:
    """Say whether a key is that of a table, a cache or a translation: words joined by hyphens, as no vendor makes one.

    People do make the key of a network so.
    """
    slug = r"[a-z]{2,20}(?:[-_.][a-z]{2,20}|[-_.][a-z]{0,3}\d{1,4})+$"
    if pattern(patterns.WITH_DIGEST).match(text[start:end]):
        return not pattern(patterns.KEY_OF).search(text, max(0, at - 14), at)
    return bool(pattern(slug).match(text[start:end])) and not pattern(r"(?i)wi-?fi|wlan|wpa|vpn").search(
        text, max(0, at - 40), at
    )


def _value_of(text: str, at: int, end: int, kind: str) -> tuple[int, int] | None:
    # Thai sets no space between the words that say whose password it is.
    endings = r"(?<=[^\W\d_])[a-zа-я]{1,2}(?!\w)|[\u0e00-\u0e7f]{1,60}(?= )"
    if not text[at:end].isascii() and (ending := pattern(endings).match(text, end)):
        end = ending.end()
    behind = value_behind(text, at, end, kind) if kind != "login" else None
    behind = behind or (_bytes_of_key(text, at, end) if kind == "api-key" else None)
    found = behind or _value_near(text, at, end, kind) or _value_below(text, at, end, kind)
    is_segment = _is_segment(text, at, end)
    if found and not is_segment:
        return found
    may_be_judged = not is_segment and _may_be_judged(text, at, end, kind)
    return value_before(text, at, kind) or (judged(text, at, end) if may_be_judged else None)


def _is_verdict(text: str, at: int) -> bool:
    """Say whether `PASS:` is that of a test in a report: words follow its name, or other verdicts stand around it."""
    if text[max(0, at - 1) : at] not in ("", "\n"):
        return False
    near = text[max(0, at - 200) : at] + text[at + 5 : at + 200]
    if pattern(r"(?m)^(?:PASS|X?FAIL|SKIP|UNTESTED|UNSUPPORTED): ").search(near):
        return True
    words = text[at : at + 200].partition("\n")[0].split()
    return len(words) > 2 and not is_strong(words[1], "password")


def _is_key_of_memory(text: str, at: int) -> bool:
    """Say whether `key:` stands in the front matter of a file and names it, in words and numbers joined by hyphens."""
    if text[at : at + 5] != "key: " or not text.startswith("---\n") or text.find("\n---\n", 3, at) >= 0:
        return False
    # A UUID names nothing that a person wrote.
    slug = r"(?![0-9a-f]{8}-[0-9a-f]{4}-)(?:\d{1,4}-)*[a-z][a-z0-9]{0,23}(?:-(?:[a-z]{1,24}|[a-z0-9]{1,16}))*"
    return bool(pattern(rf"(?<=\n)key: {slug}(?:\n|$)").match(text, at))


def _may_be_judged(text: str, at: int, end: int, kind: str) -> bool:
    """Say whether a word ends as one whose value is judged; a password's may be told before it, whatever follows."""
    if kind in ("password", "login") or text[at:end].lower() == "cred":
        return True
    if kind == "api-key" and text[max(0, at - 1) : at] not in BEFORE_KEY:
        return False
    follows = text[end : end + 2]
    return not follows or follows[0] in BEHIND_JUDGED or (follows[0] in "sS" and follows[1:] in BEHIND_PLURAL)


def _is_segment(text: str, at: int, end: int) -> bool:
    """Say whether the name is a part of a path, an address, a module or a resource's name: those are given nothing."""
    begin = _name_start(text, at)
    before = text[max(0, begin - 2) : begin]
    if before == "::" and pattern(r"\w{0,12}:\s").match(text, end):
        return False
    if before == "::" or pattern(r"\w{0,40}::\w").match(text, end):
        return True
    if before[-1:] == ":":
        is_host = pattern(r"\w@[\w.-]{1,80}:$").search(text, max(0, begin - 90), begin)
        return bool(is_host or (before[0].isalnum() and pattern(r"[\w-]{0,40}:[^\s:]").match(text, end)))
    # An option of Windows, a closing tag and a quoted one are no paths.
    if before[-1:] != "/" or before[0].isspace() or before[0] in "<'\"=(":
        return False
    if pattern(r"\w{0,12}(?:\s[^\W\d_]{1,12}){0,3}\s(?:is|ist|lautet|est|es)\s").match(text, end):
        return False
    # A store of settings has paths for names.
    if pattern(r"[\w-]{0,40}(?:\s{0,2}=|:[ ]|[\"'\\]{0,3}[:=,]\s| --(?:value|body|data)[= ])").match(text, end):
        return False
    return not pattern(_SETTING).search(text, max(0, begin - 60), begin)


def _bytes_of_key(text: str, at: int, end: int) -> tuple[int, int] | None:
    """Return where 32 or 64 bytes in base64 are in the line of a key."""
    if text.find("=", end, end + 160) < 0:
        return None
    key = pattern(rf"[^\n]{{0,60}}?[\s\"'(:=]({_BYTES})(?![\w=])").match(text, end)
    return key.span(1) if key else None


def _value_near(text: str, at: int, end: int, kind: str) -> tuple[int, int] | None:
    """Return where the secret is that stands further on in the line of a name, whatever stands between them."""
    # What is not given by a sign alone has a digit, in this line or in the next one: most names have none behind them.
    stop = text.find("\n", end, end + _NEAR)
    if stop < 0 or text[stop - 1] in ":|>-=" or text[end:stop].isspace():
        stop = end + _NEAR
    if not pattern(r"[0-9]").search(text, end, stop) or not pattern(_WORTH).search(text, end, stop):
        return None
    name = pattern(patterns.NAME_REST).match(text, end)
    if (
        not name
        or (name[0] and pattern(patterns.NO_NAME_END).search(name[0]))
        or not _is_near_name(text, at, end, kind)
    ):
        return None
    end = name.end()
    line = pattern(_LINE_REST).match(text, end)
    stop = line.end() if line else end
    start = line.end("blank") if line and line["blank"] else end
    for skipped, word in enumerate(pattern(_NEAR_WORD).finditer(text, start, stop)):
        if skipped > 4 or (word.start() == end and word[0][0] != "."):
            return None
        if len(word[0]) < 8 or (word[0].islower() and not pattern(_SIGN).search(word[0]) and not is_mixed(word[0])):
            continue
        gap = text[end : word.start()]
        if pattern(_OTHER).search(gap) or pattern(NAMED_ID).search(gap[-24:]):
            return None
        value = text[word.start() : _bare_end(text, at, word.start(), word.end())].rstrip("!?*")
        if gap[-1:] in _QUOTES and text[word.end() : word.end() + 1] == gap[-1:]:
            gap, value = gap.strip() or gap, word[0]
        is_foreign = not text[at:end].isascii() or text[at:end].lower() in _FOREIGN
        if _is_near(gap, value, kind, text[word.end() : word.end() + 1], is_foreign):
            return word.start(), word.start() + len(value)
    return None


def _value_below(text: str, at: int, end: int, kind: str) -> tuple[int, int] | None:
    """Return where the first secret is in the list or column that the name heads, of a table or of rows with commas."""
    if kind == "password" and (listed := pattern(_LISTED).match(text, end)):
        return listed.span(1) if is_value(listed[1], "password") or secret_words.are_words(listed[1], 2) else None
    stop = text.find("\n", end, end + 200)
    first = text.rfind("\n", max(0, at - 200), at) + 1
    head = text[first:stop] if stop > 0 else ""
    sign = next((sign for sign in "|,;\t" if head.count(sign) > 1), "")
    if not sign or not pattern(r"[\w \t|:*`-]+$" if sign == "|" else r"[\w \t,;\"'-]+$").match(head):
        return None
    column, start = head.count(sign, 0, at - first), stop + 1
    is_table = kind == "password" and pattern(r"[ \t]{0,8}\|[ ]?:?-").match(text, start)
    for line in text[start : start + 600].split("\n"):
        cells = line.split(sign)
        value = cells[column].strip(" \t`*\"'\r") if len(cells) == head.count(sign) + 1 else ""
        if value and (is_strong(value, "password") or (is_table and secret_words.are_words(value, 2, True))):
            begin = text.index(value, start + sum(map(len, cells[:column])) + column)
            return begin, begin + len(value)
        start += len(line) + 1
    return None


def _is_near_name(text: str, at: int, end: int, kind: str) -> bool:
    """Say whether the word ends as a word does, and a key is one of those that open something."""
    before = text[max(0, at - 1) : at]
    begin = _name_start(text, at)
    # In the midst of encoded data.
    if (
        text[begin - 1 : begin] in ("+", "/") and text[begin - 2 : begin - 1] not in ("", "\n", " ")
    ) or at - begin > 30:
        return False
    if kind == "api-key":
        is_env = (text[at:end] == "KEY" and before == "_") or (text[at] == "K" and before.islower())
        is_env = is_env or text[max(0, at - 2) : at] == "--"
        if is_env and not pattern(patterns.OTHER_KEY).search(text, max(0, at - 16), at):
            return True
        return bool(pattern(patterns.KEY_OF).search(text, max(0, at - 14), at))
    if text[at:end].lower() == "auth":
        return not before.isalpha() or before in "oO"
    if text[at:end].lower() == "pass" and (not text[end : end + 1].isalpha() or text[end].isupper()):
        return text[begin:at].endswith("_") or (text[end : end + 1] == "_" and not before.isalpha())
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
    if len(value) < 8 or _is_other(gap, value, kind, "" if quoted else behind):
        return False
    # What is spoken of once more stands as near as behind its name.
    words = [] if pattern(_ONCE_MORE).search(gap) else pattern(r"[^\W\d_]{2,}").findall(gap)
    if not quoted and pattern(r"[A-Za-z_]\w*(?:(?:\.[A-Za-z_]\w*)+$|=[^=])").match(value):
        return False
    is_set = bool(
        "<<<" in gap
        or (quoted and (gap[:-1] == "(" or pattern(_GIVEN_GAP).search(gap)))
        or (not words and pattern(r"[|=~+>]|\?[? ]|\n").search(gap))
        or pattern(_SET_GAP).search(gap)
    )
    if kind == "login":
        return is_set and is_random(value, 16)
    if pattern(r"^[0-9a-fA-F-]+$").match(value):
        # Put in the place of another: "replace the ... with ...".
        is_said = (
            (is_set or gap.endswith(" with ")) and kind in ("secret", "password") and len(value) > 31 and len(words) < 9
        )
        if (len(words) > 2 and not is_said) or pattern(_OF_ID).search(gap):
            return False
        return (quoted or is_set or not gap.strip(" :")) and is_value(value, kind) and len(value) > 15
    if quoted or is_set:
        is_plain = turns_of(value) < 2 and pattern(CODE_WORD).search(value) and not pattern(r"\d{3}").search(value)
        is_named = not is_set and "value" not in words and pattern(NUMBERED).match(value)
        return (is_value(value, "password") or is_random(value, 20)) and not is_plain and not is_named
    if is_foreign or (is_set and kind == "password"):
        return is_value(value, kind)
    return _is_drawn(value)


def _is_other(gap: str, value: str, kind: str, behind: str) -> bool:
    """Say whether it is a call, an address, or what another flag is given: no name before it makes that a secret."""
    if behind == "(" or pattern(_OTHER_FLAG).search(gap):
        return True
    if kind != "password" and value != value.upper() and pattern(NUMBERED).match(value):
        return True
    if is_reference(value) and value[0] != "/":
        return True
    return bool(pattern(r"[/.@-]|\d{4}-\d\d").match(value)) and not is_random(value, 20)


def _is_drawn(value: str) -> bool:
    """Say whether a value in the open, without quotes or a sign before it, can only be one that was drawn."""
    if len(value) < 10 or not is_value(value, "password") or pattern(r"[.(){}<>\[\]:@\\]|=[^=]").search(value):
        return False
    if value.count("/") > 1 and turns_of(value) < 9:
        return False
    return turns_of(value) > 3 and is_random(value, 10)


def value_behind(text: str, at: int, end: int, kind: str) -> tuple[int, int] | None:
    """Return where the secret is that the name around `at` to `end` is given, if it is given one."""
    follows = text[end : end + 1]
    if follows not in BEHIND_NAME and follows.isascii():
        return None
    match = pattern(patterns.ASSIGNED).match(text, end)
    if not match:
        return None
    start = match.end()
    stop = _closing(text, start, match["quote"]) if match["quote"] else 0
    quoted = stop > 0
    if not quoted:
        bare = pattern(_BARE).match(text, start)
        if not bare:
            return None
        tag = text.find("<", start, bare.end()) if match["tag"] else -1
        stop = _bare_end(text, at, start, tag if tag > 0 else bare.end())
    if not quoted and text[start - 1] == "*":
        stop = start + len(text[start:stop].rstrip("*"))
    if not _is_name(text, at, match, kind) or not _is_given(text, at, match, text[start:stop], kind, quoted):
        return None
    if stop - start >= MAX_JUDGED_VALUE:
        run = pattern(r"[^\s\"'`\\]*").match(text, stop)
        stop = run.end() if run else stop
    return start, stop


def _is_given(text: str, at: int, match: re.Match[str], value: str, kind: str, quoted: bool) -> bool:
    begin = _name_start(text, at)
    of_words = {"password": secret_words.is_password, "secret": secret_words.is_secret}.get(kind)
    if of_words and of_words(text, begin, at, match, value, quoted):
        return True
    flag = text[begin] == "-"
    # Salts are full of signs, and of some spaces.
    if quoted and len(value) > 31 and value.count(" ") < 4 and turns_of(value) > 12 and not is_reference(value):
        return True
    is_sql = (match["space"] or match["comma"]) and quoted and kind == "password" and len(value) > 7
    if (
        match["told"]
        or match["cell"]
        or match["call"]
        or ((match["comma"] or match["space"]) and not flag and not is_sql)
    ):
        is_set = match["space"] and pattern(_SETTING).search(text, max(0, begin - 60), begin)
        if not is_set:
            return is_strong(value, kind) or (kind == "password" and is_phrase(value))
    phrase = quoted and text[at : at + 10].lower().startswith(("passphrase", "mnemonic"))
    return is_secret(value, kind, quoted, phrase)


def value_before(text: str, at: int, kind: str) -> tuple[int, int] | None:
    """Return where the secret is that prose names behind it, as in "use ... as the password"."""
    start = max(0, at - 200)
    has_sign = text.find("|", start, at) >= 0 or text.find("> ", start, at) >= 0
    if has_sign and (piped := pattern(patterns.BEFORE["piped"][0]).search(text, start, at)):
        return piped.span(1) if is_shaped("password", piped[1]) else None
    start = max(0, at - 100)
    if kind != "password" or not any(text.find(word, start, at) >= 0 for word in _BEFORE_NAME):
        return None
    match = pattern(_SAID_BEFORE).search(text, start, at)
    return match.span(1) if match and is_strong(match[1], kind) else None


def _is_name(text: str, at: int, match: re.Match[str], kind: str) -> bool:
    """Say whether the word is, or ends, the name of a secret: not any key, no `pass` inside another word."""
    if match["call"] and kind != "password":
        return False
    if kind == "api-key":
        return bool(pattern(patterns.KEY_OF).search(text, max(0, at - 14), at)) or _is_any_key(text, at, match)
    if match["space"] and text[max(0, at - 1) : match.start("space")] in (" pass", "\npass", "(pass", ",pass"):
        # "Pass `x2` to it" is what prose says of any value; one that was drawn at random is none of these.
        return is_random(text[match.end() : match.end() + 40].split("`")[0], 10)
    if kind == "password" and text[at].islower() and text[max(0, at - 1) : at].islower():
        if match["rest"] or text[at : at + 3] == "pwd" or text[_name_start(text, at)] == "-":
            return True
        return bool(
            pattern(
                r"(?:root|admin|user|bind|db|sql|ssh|ftp|vpn|sudo|smb|mail|smtp|imap|ldap|wifi|rdp|vnc)p(?:w|ass)$"
            ).search(text, at - 5, match.start())
        )
    if not match["comma"]:
        return True
    begin = _name_start(text, at)
    return bool(
        match["closed"] and pattern(r"[\"'`][#.]?(?:[\w-]{1,40}\.){0,3}$").search(text, max(0, begin - 80), begin)
    )


def _is_any_key(text: str, at: int, match: re.Match[str]) -> bool:
    """Say whether a key that may be of anything is given what is random beyond doubt: no digest, no id, no path."""
    # A header with a name of its own is as good as one of the names that tell.
    if text[at - 1 : at] == "-" and pattern(r"(?i)(?<![a-z])x-[a-z]{2,20}-$").search(text, max(0, at - 24), at):
        return True
    is_env = (text[at : at + 3] == "KEY" and text[max(0, at - 1) : at] in ("_", "", "\n")) or text[at - 1 : at] in (
        "?",
        "&",
    )
    least = 16 if is_env else 20
    # Beside a name of a user it is theirs.
    if pattern(r"[0-9a-f]{32}\"").match(text, match.end()) and '"username"' in text[max(0, at - 100) : at]:
        return True
    # What is 32 bytes in base64 is a key.
    if match["quote"] and pattern(r"[A-Za-z0-9+/]{43}=[\"'`\\]").match(text, match.end()):
        return not pattern(patterns.OTHER_KEY).search(text, max(0, at - 16), at)
    found = pattern(rf"[A-Za-z0-9+=_-]{{{least},100}}").match(text, match.end())
    if not found or match["comma"] or match["told"] or not is_random(found[0], least):
        return False
    begin = _name_start(text, at)
    if match["space"] and not pattern(_SETTING).search(text, max(0, begin - 60), begin):
        return False
    if pattern(r"(?i)(?:public|pub|verif[a-z]{1,8}|host|peer)[_. -]?$").search(text, max(0, at - 16), at):
        return False
    if not is_env and pattern(patterns.OTHER_KEY).search(text, max(0, at - 16), at):
        return False
    if is_env:
        return True
    return found[0] != found[0].lower() and digit_turns(found[0]) > 3 and text[found.end() : found.end() + 1] != "/"


def _name_start(text: str, at: int) -> int:
    before = text[max(0, at - 40) : at]
    if before.isascii():
        return at - len(before) + len(before.rstrip(_IN_NAME))
    start = at
    while start > 0 and at - start < 40 and (text[start - 1].isalnum() or text[start - 1] in "_-"):
        start -= 1
    return start


def _closing(text: str, start: int, quote: str) -> int:
    """Return where the quoted value ends, 0 if it does not on this line."""
    end = text.find(quote, start, start + MAX_JUDGED_VALUE)
    while len(quote) == 1 and end > start and text[end - 1] == "\\" and text[end - 2] != "\\":
        end = text.find(quote, end + 1, start + MAX_JUDGED_VALUE)
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
