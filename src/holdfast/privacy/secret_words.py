"""Whether words alone, without a digit or a sign, are a password: by the place that they stand in.

`anvil-ladder`, `AnvilLadder` or `anvilladder` may be a name of code or a saying. Where nothing but the value of a
password can stand (a string, a variable of the environment, an option, a line of a file of settings) it is one.
"""

from __future__ import annotations

from holdfast.privacy import secret_patterns as patterns
from holdfast.privacy.secret_patterns import CODE_WORD, pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

# Letters and what joins words, how words meet, and how long two are that nothing parts.
_LETTERS_ALONE = r"(?=.{8,64}$)[A-Za-z]{2,}(?:[-_.][A-Za-z]{2,})*[!?]?$"
_JOINT = r"[-_.]|(?<=[a-z])(?=[A-Z])"
_TWO_WORDS, _LONG_WORD = 9, 18
# Where two words meet, and where a line of settings ends.
_MEETING = r"[a-z][._A-Z-]"
_LINE_END = r"[ \t]*(?:#[^\n]*)?(?:\r?\n|$)"

# A user stands beside the name of a password.
_USER_BEFORE = (
    r"(?i)(?:\b(?:user(?:name)?|login|account|benutzer|usuario|utilisateur)\b[:=]?[ ]{1,2}"
    r"(?!(?:or|and|oder|und|o|y|ou|et|e)\b)[\w.@-]{1,40}|\w@[\w.-]{3,60})"
    r"[,;/]?[ ]{1,2}(?:(?:and|und|y|et|mit|with)[ ])?$"
)
# Where what is said to be a password ends.
_SAID_END = (
    r"[.!,;]?(?:\s*$|\s*\n|\s(?:and|but|for|in|on|so|please|now|geändert|gesetzt|und|aber|et|mais|y|pero|e|en)\s)"
    r"|[.!,;](?=\s)"
)
# `Server=db;Password=`, `host=db user=kim password=`, `-o user=kim,password=` and `--set db.password=`.
_OF_MANY = (
    r"\w=[^\s;,=]{1,60};[ ]?$|[\s\"'](?:host|user|dbname|server|port)=[^\s,;()]{1,60}[ ]$"
    r"|\s(?:\w+=[^\s,()]{1,60},)+$|\s--?[\w-]{1,24}[ =](?:[\w-]{1,24}\.){0,4}$"
)
_AROUND = {'"': '"', "'": "'", "`": "`", ">": "<"}
# A field of code has a word before it that says who may see it.
_FIELD = r"\b(?:private|public|protected|readonly|static|const|let|var|val|def|fn|case)\b"
_SECTION, _PROPERTY = r"(?m)^\[[\w .:/-]{1,60}\]$", r"(?!self|this|cls)[a-z][\w-]*(?:\.[\w-]+)*\.$"
# What gives a value by more than the sign of an assignment.
_OTHER_WAYS = "told", "cell", "call", "comma", "space"


def are_words(value: str, least: int, said: bool = False) -> bool:
    """Say whether a value is at least so many words, however joined, most of which neither speak nor name code.

    Of one that is `said` no word does: in a sentence words go on that are joined by a hyphen.
    """
    if not pattern(_LETTERS_ALONE).match(value) or pattern(patterns.LIKE_STAND_IN).search(value):
        return False
    words = pattern(_JOINT).sub(" ", value.rstrip("!?")).split()
    if len(words) < least and len(value) < _TWO_WORDS:
        return False
    is_one = len(words) == 1 and len(value) < _LONG_WORD
    speaks = rf"{patterns.SPEAKS if said or is_one else patterns.SPOKEN}|{patterns.OF_CODE}"
    others = [word for word in words if pattern(CODE_WORD).match(word) or pattern(speaks).search(word.lower())]
    return len(others) * 2 < len(words) and not (said and others)


def is_password(text: str, begin: int, at: int, match: re.Match[str], value: str, quoted: bool) -> bool:
    """Say whether words are a password, given to the name that begins at `begin` and tells of one from `at` on."""
    meets = quoted or pattern(_MEETING).search(value) is not None
    if meets and pattern(_USER_BEFORE).search(text, max(0, begin - 80), begin):
        return are_words(value, 2, said=not quoted)
    # "Pass it to ..." speaks of anything, and "PASS: ..." is the verdict of a test.
    is_verb = text[begin : match.start()].lower() == "pass" and not match["rest"]
    if is_verb and (match["told"] or match["space"] or match[0] == ": "):
        return False
    if match["told"] or match["cell"] or match["call"]:
        ends = quoted or match["cell"] or pattern(_SAID_END).match(text, match.end() + len(value))
        is_choice = match["cell"] and match["closed"]
        return bool(ends and meets and not is_choice) and are_words(value, 1 if quoted else 2, said=not quoted)
    if match["comma"] or match["space"]:
        return _is_put(text, begin, at, match, value, quoted)
    # What is asked for once more has a label in most languages.
    if "onfirm" in text[at : match.end()] and not pattern(_MEETING).search(value):
        return False
    return are_words(value, 1) if quoted or match["tag"] else _is_bare(text, begin, at, match, value)


def is_secret(text: str, begin: int, at: int, match: re.Match[str], value: str, quoted: bool) -> bool:
    """Say whether words are a secret, given in quotes or in the environment; what others keep has such a name, too."""
    is_assigned = match["pair"] or not any(match[way] for way in _OTHER_WAYS)
    if text[begin] == "-" and (is_assigned or match["space"]):
        return are_words(value, 2)
    is_one = "-" not in value + match[0] if quoted else text[at : match.start()].isupper() and "=" in match[0]
    return bool(is_assigned and is_one and pattern(_MEETING).search(value)) and are_words(value, 2)


def _is_put(text: str, begin: int, at: int, match: re.Match[str], value: str, quoted: bool) -> bool:
    """Say whether words stand behind an option, in quotes behind a name, or alone with it in a line of settings."""
    if text[begin] == "-":
        return are_words(value, 2)
    if quoted and match["space"]:
        return are_words(value, 1)
    if quoted:
        # In a list of names the next one may be that of another value.
        is_key = text[(end := match.end() + len(value)) + 1 : end + 2] in (":", "=")
        is_named = text[begin - 1] == "#" or not text[begin : match.start()].islower()
        return is_named and not is_key and are_words(value, 2)
    is_line = not text[text.rfind("\n", 0, begin) + 1 : begin].strip() and begin > 0 and text[begin].islower()
    ends = is_line and match["space"] and pattern(_LINE_END).match(text, match.end() + len(value))
    return bool(ends) and are_words(value, 2, said=True)


def _is_bare(text: str, begin: int, at: int, match: re.Match[str], value: str) -> bool:
    """Say whether words without quotes are no name of code: code has none with a hyphen, or beside such a name."""
    name = text[at : match.start()]
    is_foreign = not name.isascii() and pattern(_MEETING).search(value)
    is_known = text[begin] == "-" or "-" in value or name.isupper() or is_foreign
    return bool(is_known or _is_setting(text, begin, match, match.end() + len(value))) and are_words(value, 2)


def _is_setting(text: str, begin: int, match: re.Match[str], end: int) -> bool:
    """Say whether a name is one of a file of settings, a note or a connection string, and is given nothing more."""
    before = text[max(0, begin - 200) : begin]
    is_around = text[end : end + 1] == _AROUND.get(text[max(0, begin - 1) : begin], "\0")
    if is_around or pattern(_OF_MANY).search(before):
        return True
    if not pattern(_LINE_END).match(text, end):
        return False
    line = before.rpartition("\n")[2]
    if match[0].strip().endswith((":", "->", "|", "|-", ">-", ">")):
        return not pattern(_FIELD).search(line) and bool(pattern(r"[\w '’-]*$").match(line))
    is_first = not line.strip() and bool(pattern(_SECTION).search(before) or (not line and match[0][-1:] == "="))
    return is_first or pattern(_PROPERTY).match(line) is not None
