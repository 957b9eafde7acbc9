"""The commands and files that a sentence names, in backquotes or plainly; in its words each is one letter.

A program that is a word of English counts only in backquotes. The tables are `tables/conditions.txt` and those of
commands. Nothing of this is asked in a hook.
"""

from __future__ import annotations

import copy
import functools
import re
from dataclasses import dataclass

from holdfast.base.regexes import kept
from holdfast.language import commands, spoken_commands
from holdfast.language.conditions import MAX_ITEM, SCRIPTS, looks_like_path
from holdfast.language.contradiction import unstressed
from holdfast.language.rule_tongues import is_known_tongue
from holdfast.language.runs import runs
from holdfast.language.spoken_commands import command_part, ends_call, marked
from holdfast.language.word_lists import TABLES, among, listed, lists, spoken

TABLE = spoken_commands.TABLE
_MAX_MENTIONS = 12
# A mention stands in the sentence as one of these letters, which nobody writes.
_FIRST = 0xE000
MENTION = "[\ue000-\ue0ff]"
# What is known to be a branch has this before its name.
BRANCH = "branch:"
_QUOTED = kept(r"`([^`\n]{1,200})`")
# Stress as Markdown has it, and not the stars of a pattern of files: "**NEVER** edit src/**".
# "Dont" without its sign, and branches of which either is meant.
_UNMARKED = kept(r"(?i)\b(don|doesn|mustn|shouldn|isn|aren)t\b")
_SLASHED = kept(
    r"(?i)\b(main|master|develop|dev|staging|production|prod)/(main|master|develop|staging|production)\b(?![/.-])"
)
_STRESSED = kept(
    r"`[^`\n]*`|(?<![\w/*.])\*\*(?=[^\s*])(?P<strong>(?:`[^`\n]*`|[^*`\n])+?)(?<!\s)\*\*(?![\w/*])"
    r"|(?<![\w/*.])\*(?P<weak>[A-Za-z][A-Za-z '’]*)\*(?![\w/*.])"
)
# A branch, and an option that means the same behind every command that has it, are words of the sentence.
_QUOTED_WORD = kept(r"`(?:origin/|upstream/)?(main|master|develop|trunk|production|--no-verify)`")
# So is any other name where a branch is meant: "don't merge into `next`", "the `gh-pages` branch".
_QUOTED_BRANCH = kept(
    r"(?i)((?:\b(?:merg|push|commit|rebas)\w*|\ba pr|\bprs)(?:\s+(?:anything|code|directly|straight|changes))*"
    r"\s+(?:into|to|onto|against)\s+(?:the\s+)?(?:branch\s+)?)`(?!origin|upstream|fork|heroku)([a-z0-9][\w.-]*)`"
    r"|(\bthe\s+)`([a-z0-9][\w.-]*)`(?=\s+branch\b)"
)
# Branches by a pattern or a version: in a list with one that is known, where git does something, or called so.
_SOME_BRANCHES = r"(?<![\w:/.*-])`?(?P<name>(?:[a-z][\w.-]*/)+(?:\*{1,2}|[\w.-]*\.x)|v?\d+(?:\.\d+)*\.x)`?(?![\w/*])"
_NEXT_BRANCH = kept(
    r"(?i)(?P<led>(?:\b(?:main|master|develop|trunk)|branch:\S*[\w*])(?:\s*,\s*|\s+)(?:(?:and|or|nor|not|on|to)\s+)*"
    r"|\b(?:push|merg|commit|rebas|tag)\w*\s+(?:\w+\s+){0,2}?(?:to|into|onto|on|from|origin)\s+(?:the\s+)?)"
    rf"{_SOME_BRANCHES}"
)
_CALLED_BRANCHES = kept(rf"(?i)(?P<led>){_SOME_BRANCHES}(?=(?:,?\s+(?:and|or)\s+\S+)?\s+branch(?:es)?\b)")
# Files that end so, whether the ending is known or not.
_ENDINGS = kept(r"`(\.[A-Za-z][\w.]*)`(?=\s+files?\b)(?<!\.env`)")
_OPTION = kept(
    r"(?<!\S)(?!--no-verify\b)(?P<name>--?[A-Za-z][\w-]*)(?P<given>=(?:[\w./:-]*\w|[\ue000-\ue0ff]))?(?=[\s,;:.!)]|$)"
    r"(?P<value>\s+(?!(?:option|flag|argument|switch|mode|parameter|set|given)s?\b)(?:[\w./:*-]*[\w*]|[\ue000-\ue0ff])(?=[\s,;:.!)]|$))?"
)
_FOLDER = kept(r"\b(?:[tT]he|[oO]ur)\s+(?P<name>[._]?[a-z][\w-]*(?:/[\w-]+)*)/?\s+(?:folder|directory)\b")
# Behind these stands a path like those that were named before.
_EXCEPTS = ("except", "excluding", "besides", "außer")
# What is said so of a path without an ending is said of a folder.
_IS_MADE = kept(
    r"\s+(?:(?:is|are)\s+(?:auto-?)?(?:generated|read[- ]?only|frozen|immutable|vendored|off[- ]limits"
    r"|(?:written|made|built|produced|maintained|owned|managed|created|checked) (?:by|in)|not\b|never\b|mine"
    r"|ours|theirs|untouchable)"
    r"|belongs? to|stays?|only\s+(?:changes?|updates?))\b"
)
# So it is where it is changed, and nothing else behind it.
_CHANGES = ("edit", "touch", "modify", "change", "delete", "editing", "touching", "modifying", "changing", "deleting")
_IS_WHOLE = kept(
    r"\s*(?:$|[,.;:!()])|\s+(?:alone|without|except|unless|until|by hand|directly|manually|or|and|ever|again)\b"
)
# What stands in brackets between two of a list: "`a.cpp` (the default), `b.cpp`".
_AND = r"(?:,|/|\b(?:and|or|nor|und|oder)\b)"
_BETWEEN = kept(
    rf"(?<={MENTION})\s*\((?!(?:except|but|unless|only|not)\b)[^(){MENTION[1:-1]}]*\)(?=\s*{_AND}+\s*{MENTION})"
)
_LISTED = kept(rf"{MENTION}(?:\s*(?:{_AND}\s*)+{MENTION})+")
_DENIES = kept(r"\b(?:never|not|don['’]?t|no|avoid|stop|before|ask|nie|nicht|kein\w*)\b")
_HAS_VERB = (
    r"(?:is|are|was|does|has|can|may|will|works?|handles|you|we|i|it|that|reicht|ist|sind|macht|kann|darf|suffit|est|es"
    r"|basta|[a-z]{3,}s (?:it|them|all|everything|that|this|the|for|what|fine|too|here))\b"
)
_OWN_CLAUSE = kept(
    rf"({MENTION}),(?=\s+{MENTION}\s+{_HAS_VERB}(?!\s+(?:off|forbidden|banned|not|never|also|both|all)\b))"
)
_PLAIN_WORD = kept(r"[\w-]+")
_PROGRAM_LIKE = kept(r"[a-z][\w+-]*[a-z0-9](?: [\w./:=-]+)*")
# `make` is a word of English but where one runs it, or where what it makes needs something.
_MAKE = (
    r"(?:(?<=\brun )|(?<=\bbefore )|(?<=\bskip )|(?<=\bunless )|(?<=\buntil ))make(?=\s+(?:-C\s+)?[a-z])"
    r"|(?:(?<=\bvia )|(?<=\bwith )|(?<=\b[uU]se )|(?<=\b[pP]refer )|(?<=\bof )|(?<=\bover )|(?<=\bfor )|(?<=\b[nN]o )"
    r"|(?<=\b[kK]ein )|(?<=n't ))"
    r"make(?=\s+(?:deploy|test|build|install|lint|check|release|clean|publish|migrate|up|down|dev|run|all)\b)"
    r"|go(?=\s+(?:test|build|run|vet|mod|generate|install|get|fmt|work)\b)"
    r"|make(?=\s+[a-z]+[-_:][a-z])"
    r"|^make(?=\s+[a-z][\w-]*\s+(?:needs|requires|must|should|takes|fails|wipes|deletes|only)\b)"
)


# Of a word alone at the head this can be said of a program only.
_NAMED_WORD = kept(r"(?i)^[a-z]+ (?:is|are) (?:banned|forbidden|prohibited|not allowed|deprecated|off[- ]limits)\b")


@dataclass(frozen=True, slots=True)
class Mention:
    """A command or a file that a sentence names; what is in backquotes and neither has no kind.

    One in running words may go on with what is no part of it: "git push tags".
    """

    kind: str
    text: str
    said: str
    goes_on: bool = False


def spelled_out(text: str) -> str:
    """Return a text without the signs of Markdown that only stress what it says, and with what is short in full.

    "dont push to main/master" is "don't push to main or master".
    """
    plain = _STRESSED.sub(lambda found: found["strong"] or found["weak"] or found[0], text) if "*" in text else text
    return _SLASHED.sub(r"\1 or \2", _UNMARKED.sub(r"\1't", plain))


def is_headed_by_file(text: str) -> bool:
    """Whether a statement is about a file or folder that stands at its head, as in a list of them: "`dist/`: ..."."""
    found = _QUOTED.match(text)
    return found is not None and _mention(found[1]).kind == "path"


class RuleSentence:
    """One sentence, with a letter in place of each command and file that it names."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.mentions: list[Mention] = []
        bare = unstressed(_with_branches(_with_plain_branches(text)))
        if bare.isupper():
            # Who shouts names the same command.
            bare = " ".join([word if word[0] == "-" else word.lower() for word in bare.split()])
        first = bare.partition(" ")[0].lower()
        if first in among(TABLE, "program"):
            # A sentence begins with a capital, and no program does.
            bare = first + bare[len(first) :]
        spoken = marked(_ENDINGS.sub("`*\\1`", bare) if "`" in bare else bare)
        # A sign that a form needs is looked for first: most sentences have none of them.
        if "`" in spoken:
            spoken = _QUOTED.sub(lambda found: self._put(_mention(found[1]), found[0]), spoken)
        if "/" in spoken:
            spoken = _joined_programs().sub(lambda found: found[0].replace("/", ","), spoken)
        if "folder" in spoken or "directory" in spoken:
            spoken = _FOLDER.sub(self._folder, spoken)
        spoken = _unquoted().sub(self._unquoted_mention, spoken)
        named, pair = _words_as_programs()
        if any(one.kind == "command" for one in self.mentions) or _NAMED_WORD.search(spoken) or pair.search(spoken):
            spoken = named.sub(self._word, spoken)
        spoken = _OPTION.sub(self._option, spoken).casefold() if "-" in spoken else spoken.casefold()
        self.spoken = _BETWEEN.sub("", spoken) if "(" in spoken else spoken
        if not self.mentions:
            return
        if _DENIES.search(self.spoken):
            # "Don't use A, B is enough": B has a verb of its own, and is no member of the list.
            self.spoken = _OWN_CLAUSE.sub(r"\1;", self.spoken)
        for found in _LISTED.finditer(self.spoken):
            self._make_alike([ord(one) - _FIRST for one in found[0] if "\ue000" <= one <= "\ue0ff"])

    def reading(self, spoken: str) -> RuleSentence:
        """Return the same sentence, spoken in other words."""
        other = copy.copy(self)
        other.spoken = spoken
        return other

    def _make_alike(self, places: list[int]) -> None:
        """Take what is listed with a command for one, if it can be: "`foo-rebuild` or `nixos-rebuild`"."""
        some = [self.mentions[at] for at in places]
        if not any(one.kind == "command" for one in some) or any(one.kind == "path" for one in some):
            return
        for at, one in zip(places, some, strict=True):
            if not one.kind and _PROGRAM_LIKE.fullmatch(one.said):
                self.mentions[at] = Mention("command", one.said, one.said)

    def _put(self, mention: Mention, otherwise: str) -> str:
        if len(self.mentions) >= _MAX_MENTIONS:
            return otherwise
        self.mentions.append(mention)
        return chr(_FIRST + len(self.mentions) - 1)

    def _option(self, found: re.Match[str]) -> str:
        value = found["value"] or ""
        programs = [one.text.partition(" ")[0] for one in self.mentions if one.kind == "command"] or [""]
        is_last = not value or not re.match(r"\s*\w", found.string[found.end() :])
        # Of an option that nobody knows the word at the end of what is said may be its value: "with --stage prod".
        is_value = is_last and value.strip().casefold() not in ends_call() and value[-2:] != "ly"
        is_value = is_value and not any(one.kind == "command" for one in self.named(value))
        is_given = is_value or any(commands.takes_value(one, found["name"]) for one in programs)
        is_given = is_given and not found["given"]
        if not is_given or value.strip().casefold() in among(TABLE, "sentence-word"):
            value = ""
        text = found[0] if value else found[0].removesuffix(found["value"] or "")
        said = "".join([self.named(one)[0].said if self.named(one) else one for one in text])
        return self._put(Mention("", "", said), text) + found[0][len(text) :]

    def _folder(self, found: re.Match[str]) -> str:
        name = found["name"]
        return found[0] if name in among(TABLE, "no-folder") else self._put(Mention("path", f"{name}/", found[0]), name)

    def _unquoted_mention(self, found: re.Match[str]) -> str:
        # A dot that stands alone is a word of the command: `git add .`
        text = found[0] if found[0].endswith(" .") else found[0].rstrip(".,;:")
        rest = found[0][len(text) :]
        kind = "command" if found["command"] else "path"
        before = found.string[: found.start()].split()[-1:]
        is_folder = (
            "/" in text.strip("/")
            and looks_like_path(text)
            and (
                "".join(before) in among(TABLE, "before-place")
                or ("".join(before) in _EXCEPTS and any(one.kind == "path" for one in self.mentions))
                or found.string[: found.start()].endswith(("inside of ", "outside of "))
                or _IS_MADE.match(found.string, found.end())
                or ("".join(before).casefold() in (*_CHANGES, "leave") and _IS_WHOLE.match(found.string, found.end()))
            )
        )
        if (
            text.startswith("jest")
            and "".join(before).casefold() in among(TABLE, "polish")
            and not is_known_tongue(found.string)
        ):
            return found[0]
        if kind == "command":
            literal = command_part(text)
            behind = text[len(literal) :].split()[:1]
            goes_on = bool(behind) and behind[0].casefold() not in among(TABLE, "sentence-word")
            # "npm scripts" and "cargo cult" are no commands.
            put = self._put(Mention(kind, _command(literal), literal, goes_on), literal) if literal else ""
            return put + found[0][len(literal) :]
        if text.endswith(SCRIPTS):
            return self._put(Mention("command", text, text), text) + rest
        if text[-1:] == "s" and text[:-1] in among(TABLE, "file-name"):
            # "When you edit Dockerfiles".
            return self._put(_path(text[:-1]), text) + rest
        # "Never edit next.config.js"; anywhere else such a name may be that of a program: "Node.js".
        is_changed = (
            "".join(before).casefold() in _CHANGES and text.islower() and is_file_ending(text.rpartition(".")[2])
        )
        is_kind = text[:1] == "." and found.string[found.end() :].lstrip().startswith("file")
        if not (is_folder or is_kind or is_changed or _is_plain_path(text)):
            return found[0]
        # Files that end so are meant, whether the ending is known or not.
        ends = is_kind and "/" not in text and not text.startswith(".env")
        return self._put(_path(f"*{text}" if ends else text), text) + rest

    def _word(self, found: re.Match[str]) -> str:
        name = found["name"].lower()
        # "Not just" is no program.
        if name == "just" and found[0][:1] in "nNdD":
            return found[0]
        return found[0][: -len(name)] + self._put(Mention("command", name, name), name)

    def named(self, letters: str) -> list[Mention]:
        """Return the mentions that stand in a piece of the sentence."""
        return [self.mentions[ord(one) - _FIRST] for one in letters if _FIRST <= ord(one) < _FIRST + _MAX_MENTIONS]

    def shown(self, start: int, end: int) -> str:
        """Return a piece of the sentence as it was written, as nearly as that can be told."""
        piece = self.spoken[start:end]
        for number, mention in enumerate(self.mentions):
            piece = piece.replace(chr(_FIRST + number), mention.said)
        words = " ".join(piece.replace(BRANCH, "").split()).strip(" ,;:")
        return words if words.endswith((" .", "...")) else words.rstrip(".")


@functools.lru_cache(maxsize=64)
def sentence_of(text: str) -> RuleSentence:
    """Return a sentence, which nobody changes: one statement is asked for each of its own several times."""
    return RuleSentence(text)


def _with_plain_branches(text: str) -> str:
    """Return a text with the branches and the option that it has in backquotes as words of the sentence."""
    if "`" not in text:
        return text
    plain = _QUOTED_WORD.sub(lambda found: found[1], text)
    return _QUOTED_BRANCH.sub(lambda found: (found[1] or found[3]) + BRANCH + (found[2] or found[4]), plain)


def _with_branches(text: str) -> str:
    """Return a text in which each name of branches has the sign of one, however many stand in a list."""
    if "*" not in text and ".x" not in text.lower():
        return text
    before, sign = "", rf"\g<led>{BRANCH}\g<name>"
    while before != text:
        before, text = text, _NEXT_BRANCH.sub(sign, _CALLED_BRANCHES.sub(sign, text))
    return text


def _programs() -> str:
    return "|".join(sorted(map(re.escape, listed(TABLE, "program")), key=len, reverse=True))


@functools.cache
def _joined_programs() -> re.Pattern[str]:
    return kept(rf"(?<![\w./@-])(?:{_programs()})(?:/(?:{_programs()}))+(?:/[\w-]+)*(?![\w/-]|\.\w)")


@functools.cache
def _words_as_programs() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return where a word of English is a program, in a sentence that speaks of programs: "ruff rather than black".

    The second value is where two such words can only be programs, whatever else is spoken of: "use just, not make".
    """
    words = "|".join(listed(TABLE, "word-program"))
    uses, over = r"us\w+|benutz\w+|nutz\w+|verwende\w*|prefer", "instead of|rather than|over|statt|not"
    pair = kept(rf"(?i)\b(?:{uses})\s+(?:{words}),?\s+(?:{over})\s+(?:{words})\b")
    named = kept(
        r"(?i:(?:\b(?:instead of|rather than|over|not"
        r"|(?:never|no|avoid|don['’]t|do not)(?:\s+(?:use|using|run|running))?"
        rf"|use|using|with|prefer|statt)\s+|^|,\s+(?=\w+ no\b))(?P<name>{words}))"
        rf"(?=\s*(?:$|[,.;:!?()])|\s+(?:instead|rather|over|no|not|never|is|are)\b|\s+(?:and|or|und|oder)\s+{MENTION})"
    )
    return named, pair


@functools.cache
def _unquoted() -> re.Pattern[str]:
    programs = _programs()
    # A word that is none of a sentence belongs to the command, whether it is known or not.
    said = [word for kind in ("not", "limit", "small", "reason") for word in listed("contradiction", kind)]
    said += [word for kind in ("goes-on", "sentence-word") for word in listed(TABLE, kind)]
    small = spoken(f"{TABLES}/../likeness_words", "small")
    said += [word for word in small if len(word) > 1 and word not in among(TABLE, "sub-command")]
    subs = "|".join(listed(TABLE, "sub-command"))
    no_word = rf"(?!(?i:{'|'.join(map(re.escape, said))}|[a-z]{{3,}}ly)(?![\w/-]|[.:]\w))"
    word = r"[\w./@*~+:-]*[\w/*~]|\.(?=[\s,;]|$)"
    behind = rf"\s+(?:--(?=\s+[\w*-]*[./])|--?[A-Za-z][\w-]*(?:=[\w./:-]*\w)?|(?:{subs})(?![\w/-]|[.:]\w)"
    behind += rf"|{no_word}(?:{word}))"
    # A program of the project is one where it stands before a word: "./gradlew clean".
    # "find -delete": with an option behind it, it is no word of English.
    words = rf"(?:{'|'.join(listed(TABLE, 'word-program'))})(?=\s+--?[A-Za-z])"
    program = rf"(?:\./(?=[\w.-]+ [\w:-]))?(?:{programs})|{_MAKE}|{words}"
    command = rf"(?<![\w./@-])(?:{program})(?![\w/@-]|\.\w)(?:{behind}){{0,5}}"
    # Most words have no sign of a path, and are passed over but for those that name a file all the same.
    plain = [one for kind in ("file-name", "ending", "also-ending") for one in listed(TABLE, kind)]
    names = "|".join(sorted({re.escape(one) for one in plain if _PLAIN_WORD.fullmatch(one)}, key=len, reverse=True))
    signed = r"(?=[\w{}@-]*[./*~])(?:~/|\./|/)?(?:[\w.*{}@-]+/)*[\w.*-]*[\w*/]"
    path = rf"(?<![\w/@:.\-])(?:{signed}|(?:{names})s?)(?=[\s,;:)!?.]|$)"
    return kept(rf"(?P<command>{command})|(?P<path>{path})")


def _is_plain_path(text: str) -> bool:
    """Whether a word without backquotes is a file: with a folder and an ending or a star, or a name that says it."""
    if text in among(TABLE, "file-name"):
        return True
    if not looks_like_path(text) or text.count("/") > 8 or text[0] == "@" or text.startswith("//"):
        return False
    stem, _, ending = text.rstrip("*").rpartition(".")
    if "/" in text:
        return bool(text.strip("/")) and (
            text.endswith("/")
            or "*" in text
            or (bool(stem) and ending.isalnum() and (len(ending) <= 5 or is_file_ending(ending)))
        )
    is_known = ending in among(TABLE, "ending") or (ending == "md" and stem.isupper())
    return text.startswith((".env", "*.")) or (is_known and bool(stem))


def is_file_ending(ending: str) -> bool:
    """Whether files are known to end so."""
    return any(ending in among(TABLE, one) for one in ("ending", "also-ending"))


def _path(text: str) -> Mention:
    # "/vendor" is a folder of the project, and "/etc" none.
    inside = text.lstrip("/") if text[:1] == "/" and text.split("/")[1] not in among(TABLE, "root-folder") else text
    # The ending of files, and no file of that name: `.proto`.
    is_bare = text[:1] == "." and not text.startswith(".env") and "/" not in text
    return Mention("path", f"*{text}" if is_bare and is_file_ending(text.rpartition(".")[2]) else inside or text, text)


def _mention(quoted: str) -> Mention:
    text = quoted.strip().removeprefix("$ ").strip()
    if text[:1] == "-" or "(" in text or "=>" in text:
        return Mention("", "", text)
    if text.rstrip("*") in among(TABLE, "file-name"):
        return Mention("path", text, text)
    if looks_like_path(text) and "@" not in text[:1]:
        ending = text.rpartition(".")[2]
        is_file = "/" in text or text[0] in ".*" or is_file_ending(ending)
        return _path(text) if is_file else Mention("", text, text)
    pattern = _command(text)
    return Mention("command" if pattern else "", pattern, text)


def _command(text: str) -> str:
    """Return the pattern of a command that a statement names; nothing where it is no command."""
    first, _, rest = text.partition(" ")
    if first in among(TABLE, "git-sub") and rest[:2] == "--":
        # "No `reset --hard`".
        text = f"git {text}"
    found = list(runs(text)) if len(text) <= MAX_ITEM else []
    if len(found) != 1 or not found[0].words or not _is_program(found[0].words, text):
        return ""
    words: list[str] = []
    for word in text.split():
        # What stands for something else ends what is literal.
        if not words and (word[:1] in "<[{$" or "=" in word):
            continue
        if word[:1] in "<[{$\"'…" or word in ("...", "…") or "|" in word or ">" in word or "," in word:
            break
        words.append(word)
    named = " ".join(words)
    if len(words) == 1 and len(text.split()) > 1 and text.split()[-1][:1] in "<[{":
        # `bun <file>` is not each call of it.
        return ""
    return " ".join([same_options(named, word) if word[:1] == "-" else word for word in words])


def _is_program(words: tuple[str, ...], text: str) -> bool:
    name = words[0]
    is_sub = words[1:] and any(words[1] in among(TABLE, kind) for kind in ("sub-command", "also-sub-command"))
    known = commands.is_known(name) or name in among(TABLE, "program")
    return (
        known
        or text.startswith("./")
        or text.endswith(".sh")
        or (len(words) > 1 and any(word[:2] == "--" for word in words))
        or bool(is_sub and text.islower() and name.isalnum())
    )


def same_options(command: str, option: str) -> str:
    """Return an option of a command, and those that are the same."""
    return "|".join(dict.fromkeys((option, *known_options(command, option))))


def known_options(command: str, option: str) -> list[str]:
    """Return all names of an option of a command, also where it has one only; nothing where that is not known."""
    for entry in "; ".join(listed(TABLE, "same-option")).split("; "):
        name, _, options = entry.partition(": ")
        if (command == name or command.startswith(f"{name} ")) and option in options.split():
            return options.split()
    return []


@functools.cache
def meanings(lead: str = "means ") -> dict[tuple[str, ...], tuple[str, ...]]:
    """Return the verbs that stand for a command, the longest first, by the patterns of those commands."""
    found: dict[tuple[str, ...], tuple[str, ...]] = {}
    for kind, verbs in lists(f"{TABLES}/{TABLE}.txt").items():
        if kind.startswith(lead):
            found[tuple(kind.removeprefix(lead).split(", "))] = verbs
    return dict(sorted(found.items(), key=lambda each: -max(map(len, each[1]))))


def harmless(named: tuple[str, ...]) -> tuple[str, ...]:
    """Return what is not meant where a command is named without more: "avoid `git stash`" is not about its list."""
    entries = [entry.partition(": ") for entry in "; ".join(listed(TABLE, "harmless")).split("; ")]
    return tuple([f"!{name} {words}" for name, _, words in entries if name in named])
