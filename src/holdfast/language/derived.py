"""The condition that a statement says by itself: "Never run `npm install`", "use pnpm not npm", "before you push ...".

Only forms that people use for a rule are understood, and only where they name a command or a file; silence beats a
guess. What is derived is shown with the words that say it, and a person can switch it off (`when: none`). The tables
are `tables/conditions.txt` and those of commands. Nothing is derived in a hook.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass, replace

from holdfast.errors import BadInput
from holdfast.language import commands
from holdfast.language.conditions import MAX_ITEM, Condition, looks_like_path, read, runs
from holdfast.language.word_lists import TABLES, among, listed, lists
from holdfast.records import Memory

TABLE = "conditions"
# What is longer is a page, and no rule.
_MAX_STATEMENT = 700
_MAX_MENTIONS = 12
# A mention stands in the sentence as one of these letters, which nobody writes.
_FIRST = 0xE000
_M = "[\ue000-\ue0ff]"
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+|\s+[–—-]{1,2}\s+")
_QUOTED = re.compile(r"`([^`\n]{1,200})`")
_QUOTED_BRANCH = re.compile(r"`(main|master|develop|trunk|production)`")
# What is about when to end says nothing of the call before which it is to be.
_ENDS = re.compile(r"\b(?:stop|end|finish|quit)\w*\s+$")
_FENCED = "```"
_AND = r"(?:\s*(?:,|/|\bor\b|\band\b|\bnor\b|\boder\b|\bund\b)\s*)+"
_LIST = rf"{_M}(?:{_AND}{_M})*"
_NOT = (
    r"(?:never|do not|don['’]?t|must not|mustn['’]?t|should not|shouldn['’]?t|may not|cannot|can['’]?t|avoid"
    r"|stop(?=\s+\w+ing)|^no|^keine?|nie|niemals|keinesfalls|auf keinen fall|bitte nicht)"
)
# German has the verb at its end: "nie ohne Rückfrage pushen", "nie auf main committen".
_ASKING = r"(?:(?:ohne (?:rückfrage|zu fragen|mich zu fragen|nachfrage)|(?:direkt )?auf (?:main|master|develop))\s+)?"
# A command that a plain word names holds where nothing stands behind the word but how and where.
_HOLDS_WITH = ("", "to", "without", "directly", "unless", "until", "straight", "on", "into", "anything", "yourself")
_ADVERBS = r"(?:(?:ever|again|please|directly|manually|just|simply|blindly|also|even|to|be|by hand)\s+)*"
_RUN = (
    r"(?:run|running|use|using|call|calling|execute|executing|invoke|do|type|start|add|install"
    r"|ausführen|nutze|verwende)"
)
_ASKS = re.compile(r"^(?:always |please )*(?:ask|check with me|frag)\b")
_EDIT = (
    r"(?:edit|editing|touch|touching|change|changing|modify|modifying|delete|deleting|remove|removing|overwrite|rewrite"
    r"|write|writing|move|rename|create|alter|update|updating|hand-edit|regenerate|reformat|replace)"
)
_DETERMINERS = (
    r"(?:(?:the|any|a|an|our|your|my|files?|anything|something|code|in|under|inside|below|within|to|with|of|plain|bare"
    r"|raw|global|file|folder|directory|command|or|and|existing|from|all|every|contents?|via|through)\s+)*"
)
_FORBIDS = re.compile(
    rf"\b{_NOT}\s+{_ADVERBS}(?P<verbs>(?:(?:{_RUN}|{_EDIT})(?:,\s*(?:or|and)?\s*|\s+(?:or|and)\s+|/|\s+))*)"
    rf"{_DETERMINERS}(?P<what>{_LIST})"
)
_INSTEAD = re.compile(
    rf"\b(?:instead of|rather than|over|not|statt|anstatt|anstelle von|nicht)\s+"
    rf"(?:(?:use|using|with|via|the|plain|bare|raw|purely|run|running|just|global|system)\s+)*(?P<what>{_LIST})"
)
_PREFERS = re.compile(r"\b(?:use|used|using|run|prefer|switch|via|with|nutze|verwende|nimm|mit|always|lets|let's)\b|^")
# What is only better is said, and holds nothing.
_PERHAPS = re.compile(r"\b(?:prefer\w*|probably|maybe|perhaps|ideally|usually|lieber|möglichst)\b")
_SETS = re.compile(
    rf"\b(?:{_NOT}|not allowed|forbidden|instead of|statt|without|unless|only|must|before|ask me"
    r"|ask first|muss)\b|, not "
)
_USES = re.compile(r"\b(?:use|run|prefer|nutze|nimm|verwende)\b")
_BEFORE = re.compile(
    rf"\b(?:before|prior to|bevor|vor)\s+"
    rf"(?:(?:you|each|every|any|running|doing|calling|using|a|an|the|we|i|du|jedem)\s+)*"
    rf"(?P<what>{_LIST})"
)
_BEFORE_EDIT = re.compile(rf"\b(?:before|prior to)\s+(?:(?:you|we|i|ever)\s+)*{_EDIT}\s+{_DETERMINERS}{_LIST}")
_GERMAN_EDIT = re.compile(
    rf"\b(?:bearbeite|ändere|lösche|editiere)\s+(?:nie|niemals)\s+(?:(?:die|dateien|datei|in|unter)\s+)*{_LIST}"
    rf"|\bfass\w*\s+(?:(?:die|dateien|datei|in|unter)\s+)*{_LIST}\s+(?:nicht|nie|niemals)\s+an\b"
)
_AFTER = re.compile(
    rf"\b(?:after|when|whenever|once|if|every time|each time|nach|wenn)\s+(?:(?:you|i|we|du|ever)\s+)*"
    rf"(?P<verb>{_EDIT}|changes?|changed|edits?|edited|modif\w+|adding|{_RUN}|runs?)(?:\s+(?:to|in|of))?\s+{_DETERMINERS}"
    rf"(?P<what>{_LIST})"
)
_FAILS = re.compile(rf'\b(?:when|if|wenn)\s+(?P<what>{_M})\s+fails with\s+"(?P<error>[^"]{{4,200}})"')
_SUBJECT = re.compile(
    rf"^(?:the\s+|running\s+|files (?:in|under)\s+|everything (?:in|under)\s+|all files (?:in|under)\s+)?(?P<what>{_M})"
    r"\s+(?:(?:folder|file|files|directory|command|script)\s+)?"
    r"(?P<says>must|needs?|requires?|should|has to|have to|only works?|only runs?|fails?|hangs?|takes|will|can['’]?t"
    r"|cannot|(?:is|are) (?:auto-?generated|generated|read-?only|frozen|vendored|off[- ]limits|forbidden|not allowed"
    r"|dangerous|destructive|deprecated|legacy|never|not to be|slow|broken|flaky)|muss|braucht)\b"
)
_FORBIDDEN = re.compile(r"\b(?:never|must not|not allowed|forbidden|off[- ]limits|should not|not to be)\b")
# Around a mention these turn it into its opposite, or into one case of several.
_TURNED = re.compile(r"\b(?:outside|except|other than|apart from|but not|only in|anything but|besides|außer)\b")
# Behind a command these say for what alone it is meant, which no condition can tell.
_LIMITED = re.compile(
    r"\s+(?:to\s+(?!me\b)\w+|for|on|in|with|inside|as|when|while|during|um|für|auf|bei)\b"
    rf"(?!\s+{_M}|\s+(?:a |an |the |this |our |my |any |every )*(?:repo\w*|project\w*|codebase|machine|workspace"
    r"|monorepo|main|master|develop|trunk|production|default|\w+days?|weekends?|release day|time)\b)"
)
_WITHOUT = re.compile(rf"\s*(?:\S+\s+){{0,2}}?without\s+(?:the\s+)?(?P<what>{_M})")
_BRANCH = re.compile(
    r"\b(?:to|on|onto|into|auf)\s+(?:the\s+)?(?:branch\s+)?(main|master|develop|trunk|production|default)\b"
)


@dataclass(frozen=True, slots=True)
class Derived:
    """A condition and the words that say it; whether these forbid or set one, and whether they name it literally."""

    condition: Condition
    words: str
    forbids: bool
    literal: bool


@dataclass(frozen=True, slots=True)
class _Mention:
    """A command or a file that a sentence names; what is in backquotes and neither has no kind."""

    kind: str
    text: str
    said: str


class _Sentence:
    """One sentence, with a letter in place of each command and file that it names."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.mentions: list[_Mention] = []
        bare = _QUOTED_BRANCH.sub(lambda found: found[1], text)
        spoken = _QUOTED.sub(lambda found: self._put(_mention(found[1]), found[0]), bare)
        self.spoken = _unquoted().sub(self._unquoted_mention, spoken).casefold()

    def _put(self, mention: _Mention, otherwise: str) -> str:
        if len(self.mentions) >= _MAX_MENTIONS:
            return otherwise
        self.mentions.append(mention)
        return chr(_FIRST + len(self.mentions) - 1)

    def _unquoted_mention(self, found: re.Match[str]) -> str:
        # A dot that stands alone is a word of the command: `git add .`
        text = found[0] if found[0].endswith(" .") else found[0].rstrip(".,;:")
        rest = found[0][len(text) :]
        kind = "command" if found["command"] else "path"
        before = found.string[: found.start()].split()[-1:]
        is_folder = (
            "/" in text.strip("/") and looks_like_path(text) and before[:1] in (["under"], ["inside"], ["below"])
        )
        if kind == "path" and not is_folder and not _is_plain_path(text):
            return found[0]
        return self._put(_Mention(kind, _command(text) if kind == "command" else text, text), text) + rest

    def named(self, letters: str) -> list[_Mention]:
        """Return the mentions that stand in a piece of the sentence."""
        return [self.mentions[ord(one) - _FIRST] for one in letters if _FIRST <= ord(one) < _FIRST + _MAX_MENTIONS]

    def shown(self, start: int, end: int) -> str:
        """Return a piece of the sentence as it was written, as nearly as that can be told."""
        piece = self.spoken[start:end]
        for number, mention in enumerate(self.mentions):
            piece = piece.replace(chr(_FIRST + number), mention.said)
        return " ".join(piece.split()).strip(" ,.;:")


def derive(text: str) -> Derived | None:
    """Return the condition that a statement says, of its first sentence that says one; None where none does."""
    if len(text) > _MAX_STATEMENT or _FENCED in text or text.startswith("~~"):
        return None
    for piece in _SENTENCE.split(text):
        sentence = _Sentence(piece.strip().lstrip("-*• "))
        if sentence.text.endswith("?") or not sentence.text:
            continue
        for form in (_failing, _instead, _forbidden, _meant, _before, _after, _subject):
            found = form(sentence)
            if found is not None and found.condition:
                return found
    return None


def forbids(text: str) -> bool:
    """Whether a statement forbids something or sets a condition, whatever it is about."""
    return bool(_SETS.search(text.casefold()))


def need_condition(text: str, when: str, enforce: str | None) -> None:
    """Refuse a strength for what would be told at no call: neither a condition is given, nor does the text say one."""
    is_told = bool(read(when)) if when else derive(text) is not None
    if enforce not in (None, "", "say") and not is_told:
        raise BadInput("no condition found, so it would never hold", 'Give one: --when "git push", or a file.')


def is_rule(memory: Memory) -> bool:
    """Whether a memory has a condition, given or derived."""
    if memory.when:
        return bool(read(memory.when))
    return derive(memory.body) is not None


def _derived(
    sentence: _Sentence, found: re.Match[str], mentions: list[_Mention], *, forbids: bool, but: tuple[str, ...] = ()
) -> Derived | None:
    """Return the condition of these mentions, unless words before or behind them turn it around."""
    if _TURNED.search(sentence.spoken[max(0, found.start() - 1) : found.end() + 30]):
        return None
    some = [one for one in mentions if one.kind in ("command", "path") and one.text]
    named = tuple([one.text for one in some if one.kind == "command"])
    paths = tuple([one.text for one in some if one.kind == "path"])
    branches = _branches(sentence.spoken) if any(one.startswith("git ") for one in named) else ()
    condition = Condition((*named, *_harmless(named), *but), paths, branches=branches)
    return Derived(condition, sentence.shown(*found.span()), forbids, literal=True)


def _harmless(named: tuple[str, ...]) -> tuple[str, ...]:
    """Return what is not meant where a command is named without more: "avoid `git stash`" is not about its list."""
    entries = [entry.partition(": ") for entry in "; ".join(listed(TABLE, "harmless")).split("; ")]
    return tuple([f"!{name} {words}" for name, _, words in entries if name in named])


def _branches(spoken: str) -> tuple[str, ...]:
    """Return the branches that a sentence names as those which it is about."""
    found = _BRANCH.search(spoken)
    return () if found is None else ("main", "master") if found[1] == "default" else (found[1],)


def _failing(sentence: _Sentence) -> Derived | None:
    found = _FAILS.search(sentence.spoken)
    mentions = sentence.named(found["what"]) if found else []
    if found is None or mentions[0].kind != "command":
        return None
    error = " ".join(found["error"].replace("...", " ").replace("…", " ").split())[:MAX_ITEM]
    condition = Condition((mentions[0].text,), failures=(error,))
    return Derived(condition, sentence.shown(*found.span()), forbids=False, literal=True)


def _instead(sentence: _Sentence) -> Derived | None:
    for found in _INSTEAD.finditer(sentence.spoken):
        before = sentence.spoken[: found.start()]
        better = [one.said for one in sentence.named(before)] or _last_program(before)
        behind = sentence.spoken[found.end() :]
        if not better and _USES.search(behind):
            better = [one.said for one in sentence.named(behind)[:1]]
        worse = [one for one in sentence.named(found["what"]) if _is_worse(one, better)]
        if better and worse and _PREFERS.search(before):
            but = tuple([f"!{one}" for one in better if _overlaps(one, worse)])
            told = _derived(sentence, found, worse, forbids=not _PERHAPS.search(sentence.spoken), but=but)
            return told and replace(told, words=sentence.shown(0, found.end() if before.strip() else len(behind) + 99))
    return None


def _last_program(before: str) -> list[str]:
    words = [word.strip(",.") for word in before.split()[-3:]]
    return [word for word in words if word in among(TABLE, "program") or word in among(TABLE, "language")][-1:]


def _is_worse(one: _Mention, better: list[str]) -> bool:
    program = one.text.split()[0] if one.text else ""
    if one.kind != "command" or commands.is_a(program, "shell"):
        return False
    languages = among(TABLE, "language")
    pairs = listed(TABLE, "same-language")
    return not any(
        program in languages and other.casefold() in languages and f"{other.casefold()} {program}" not in pairs
        for other in better
    )


def _overlaps(better: str, worse: list[_Mention]) -> bool:
    """Whether a command that is better would be taken for one that is worse."""
    seen = [run.words for run in runs(better)] + [tuple(better.split())]
    return any(
        words and one.text.split()[0] in (words[0], words[0].rstrip("0123456789.")) for words in seen for one in worse
    )


def _forbidden(sentence: _Sentence) -> Derived | None:
    for found in _FORBIDS.finditer(sentence.spoken):
        verbs, mentions = found["verbs"], sentence.named(found["what"])
        edits = bool(re.search(_EDIT, verbs))
        if not edits:
            mentions = [_as_command(one) for one in mentions]
        wanted = [one for one in mentions if (one.kind == "path") == edits]
        if not wanted or (not verbs.strip() and not any(one.kind == "command" for one in wanted)):
            continue
        told = _derived(sentence, found, wanted, forbids=True, but=_allowed(sentence, found, wanted))
        if told is None or edits or not _LIMITED.match(sentence.spoken, found.end()):
            return told
        # "Stop using python to edit files" does not forbid python.
        return None if any(" " not in one.text for one in wanted) else replace(told, forbids=False)
    return None


def _as_command(one: _Mention) -> _Mention:
    """Return a script that is named to be run as a command."""
    is_script = one.kind == "path" and "*" not in one.text and not one.text.endswith("/") and "." in one.text
    return _Mention("command", one.text, one.said) if is_script else one


def _allowed(sentence: _Sentence, found: re.Match[str], wanted: list[_Mention]) -> tuple[str, ...]:
    """Return how a command may be run that must not be run without something: an option, or what stands before it."""
    without = _WITHOUT.match(sentence.spoken, found.end())
    if without is None:
        return ()
    need = sentence.named(without["what"])[0].said
    if need[:1] == "-":
        return tuple([f"!{one.text} {_same_options(one.text, need)}" for one in wanted if one.kind == "command"])
    wraps = any(commands.is_a(need, kind) for kind in ("wrapper", "wrapper-of-two"))
    return tuple([f"!{need} {one.text}" for one in wanted if wraps and one.kind == "command"])


def _meant(sentence: _Sentence) -> Derived | None:
    """Return what a verb stands for that is forbidden or has something to be done before it: "before committing"."""
    for wanted, verbs in _meanings().items():
        either = "|".join(verbs)
        found = re.search(rf"\b{_NOT}\s+{_ADVERBS}{_ASKING}(?P<verb>{either})\b(?P<rest>.*)", sentence.spoken)
        found = found or re.search(
            rf"\b(?:before|prior to|bevor)\s+(?:(?:you|each|every|any|a|the|we|i)\s+)*(?P<verb>{either})\b(?P<rest>.*)",
            sentence.spoken,
        )
        if found and _ENDS.search(sentence.spoken[: found.start()]):
            return None
        rest = found["rest"].split() if found else []
        following = rest[0].strip(",.;:!()") if rest else ""
        files = [one.text for one in sentence.named(following) if one.kind == "path"]
        if found and files:
            # "Don't commit .env" is about that file, and not about each commit.
            added = tuple([f"git {verb} {file}" for file in files for verb in ("add", "commit")])
            is_commit = wanted == ("git commit",) and not found[0].startswith(("before", "prior", "bevor"))
            said = sentence.shown(found.start(), found.start("rest") + len(found["rest"]))
            return Derived(Condition(added), said, forbids=True, literal=True) if is_commit else None
        if found and (
            not following or following in among(TABLE, "goes-on") or rest[0][0] in ",;:(" or not following.isalpha()
        ):
            condition = Condition(wanted, branches=_branches(sentence.spoken))
            is_plain = following in _HOLDS_WITH and (
                not found[0].startswith(("before", "prior", "bevor")) or bool(_ASKS.search(sentence.spoken))
            )
            end = found.start("rest") + min(len(found["rest"]), 40)
            return Derived(condition, sentence.shown(found.start(), end), forbids=True, literal=is_plain)
    return None


def _before(sentence: _Sentence) -> Derived | None:
    edited = _BEFORE_EDIT.search(sentence.spoken) or _GERMAN_EDIT.search(sentence.spoken)
    files = [one for one in sentence.named(edited[0]) if one.kind == "path"] if edited else []
    if edited and files:
        return _derived(sentence, edited, files, forbids=True)
    found = _BEFORE.search(sentence.spoken)
    mentions = [one for one in sentence.named(found["what"]) if one.kind == "command"] if found else []
    return _derived(sentence, found, mentions, forbids=True) if found and mentions else None


def _after(sentence: _Sentence) -> Derived | None:
    found = _AFTER.search(sentence.spoken)
    if found is None:
        return None
    runs_it = bool(re.match(rf"(?:{_RUN}|runs?)\b", found["verb"]))
    wanted = [one for one in sentence.named(found["what"]) if (one.kind == "command") == runs_it and one.kind]
    return _derived(sentence, found, wanted, forbids=False) if wanted else None


def _subject(sentence: _Sentence) -> Derived | None:
    found = _SUBJECT.match(sentence.spoken)
    if found is None:
        return None
    says = sentence.spoken[found.start("says") : found.end() + 20]
    forbids = bool(_FORBIDDEN.search(says))
    return _derived(sentence, found, sentence.named(found["what"]), forbids=forbids)


@functools.cache
def _meanings() -> dict[tuple[str, ...], tuple[str, ...]]:
    """Return the verbs that stand for a command, the longest first, by the patterns of those commands."""
    found: dict[tuple[str, ...], tuple[str, ...]] = {}
    for kind, verbs in lists(f"{TABLES}/{TABLE}.txt").items():
        if kind.startswith("means "):
            found[tuple(kind.removeprefix("means ").split(", "))] = verbs
    return dict(sorted(found.items(), key=lambda each: -max(map(len, each[1]))))


@functools.cache
def _unquoted() -> re.Pattern[str]:
    programs = "|".join(sorted(map(re.escape, listed(TABLE, "program")), key=len, reverse=True))
    # A word that is none of a sentence belongs to the command, whether it is known or not.
    spoken = [word for kind in ("not", "limit", "small", "reason") for word in listed("contradiction", kind)]
    spoken += [word for kind in ("goes-on", "sentence-word") for word in listed(TABLE, kind)]
    subs = "|".join(listed(TABLE, "sub-command"))
    no_word = rf"(?!(?i:{'|'.join(map(re.escape, spoken))})(?![\w/-]|\.\w))"
    word = r"[\w./@*~+:-]*[\w/*~]|\.(?=\s|$)"
    behind = rf"\s+(?:--?[A-Za-z][\w-]*|(?:{subs})(?![\w/-]|\.\w)|{no_word}(?:{word}))"
    command = rf"(?<![\w./@-])(?:{programs}|(?<=\brun )make(?=\s+[a-z]))(?![\w/@-]|\.\w)(?:{behind}){{0,5}}"
    path = r"(?<![\w/@:.\-])(?:~/|\./|/)?(?:[\w.*{}@-]+/)*[\w.*-]*[\w*/](?=[\s,;:)!?.]|$)"
    return re.compile(rf"(?P<command>{command})|(?P<path>{path})")


def _is_plain_path(text: str) -> bool:
    """Whether a word without backquotes is a file: with a folder and an ending or a star, or a name that says it."""
    if not looks_like_path(text) or text.count("/") > 8 or text[0] == "@" or text.startswith("//"):
        return False
    stem, _, ending = text.rstrip("*").rpartition(".")
    if "/" in text:
        return text.endswith("/") or "*" in text or (bool(stem) and 0 < len(ending) <= 5 and ending.isalnum())
    return (not stem and ending.startswith("env")) or (ending in among(TABLE, "ending") and stem == stem.lower() != "")


def _mention(quoted: str) -> _Mention:
    text = quoted.strip().removeprefix("$ ").strip()
    if text[:1] == "-" or "(" in text or "=>" in text:
        return _Mention("", "", text)
    if looks_like_path(text) and "@" not in text[:1]:
        ending = text.rpartition(".")[2]
        is_file = (
            "/" in text or text[0] in ".*" or any(ending in among(TABLE, one) for one in ("ending", "also-ending"))
        )
        return _Mention("path" if is_file else "", text, text)
    pattern = _command(text)
    return _Mention("command" if pattern else "", pattern, text)


def _command(text: str) -> str:
    """Return the pattern of a command that a statement names; nothing where it is no command."""
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
    return " ".join([_same_options(named, word) if word[:1] == "-" else word for word in words])


def _is_program(words: tuple[str, ...], text: str) -> bool:
    name = words[0]
    known = commands.is_known(name) or name in among(TABLE, "program")
    return (
        known
        or text.startswith("./")
        or text.endswith(".sh")
        or (len(words) > 1 and any(word[:2] == "--" for word in words))
    )


def _same_options(command: str, option: str) -> str:
    for entry in "; ".join(listed(TABLE, "same-option")).split("; "):
        name, _, options = entry.partition(": ")
        if (command == name or command.startswith(f"{name} ")) and option in options.split():
            return "|".join(dict.fromkeys((option, *options.split())))
    return option
