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
from holdfast.language.conditions import MAX_ITEM, Condition, fulfils, read, runs
from holdfast.language.mentions import MENTION, TABLE, Mention, RuleSentence, same_options
from holdfast.language.word_lists import TABLES, among, listed, lists
from holdfast.records import Memory

# What is longer is a page, and no rule.
_MAX_STATEMENT = 700
_MIN_ERROR = 5
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+|\s+[–—-]{1,2}\s+")
# What is about when to end says nothing of the call before which it is to be.
_ENDS = re.compile(r"\b(?:stop|end|finish|quit)\w*\s+$")
_FENCED = "```"
_AND = r"(?:\s*(?:,|/|\bor\b|\band\b|\bnor\b|\boder\b|\bund\b|\bno\b|\bnot\b)\s*)+"
_LIST = rf"{MENTION}(?:{_AND}{MENTION})*"
_NOT = (
    rf"(?:^not(?=\s+{_LIST}\W*$)|never|(?:do not|don['’]?t)(?: want you to)?"
    r"|must not|mustn['’]?t|should not|shouldn['’]?t|may not|cannot"
    r"|can['’]?t|avoid|stop(?=\s+\w+ing)|^no|^keine?|nie|niemals|keinesfalls|auf keinen fall|bitte nicht)"
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
    rf"(?:(?:you|each|every|any|running|run|doing|calling|using|a|an|the|we|i|du|jedem|anything|commands?|with)\s+)*"
    rf"(?P<what>{_LIST})"
)
_BEFORE_EDIT = re.compile(rf"\b(?:before|prior to)\s+(?:(?:you|we|i|ever)\s+)*{_EDIT}\s+{_DETERMINERS}{_LIST}")
_GERMAN_EDIT = re.compile(
    rf"\b(?:bearbeite|ändere|lösche|editiere)\s+(?:nie|niemals|nichts)\s+(?:(?:die|dateien|datei|in|unter)\s+)*{_LIST}"
    rf"|\bfass\w*\s+(?:(?:die|dateien|datei|in|unter)\s+)*{_LIST}\s+(?:nicht|nie|niemals)\s+an\b"
)
_AFTER = re.compile(
    rf"\b(?:after|when|whenever|once|if|every time|each time|nach|wenn)\s+(?:(?:you|i|we|du|ever)\s+)*"
    rf"(?P<verb>{_EDIT}|changes?|changed|edits?|edited|modif\w+|adding|{_RUN}|runs?)(?:\s+(?:to|in|of))?\s+{_DETERMINERS}"
    rf"(?P<what>{_LIST})"
)
_CHANGES = re.compile(
    rf"\b(?:after|when|whenever|once|if|every time|each time|on|nach|wenn)\b[^.;]*?"
    rf"\b(?:{_EDIT}|change|edit|modif|änder)"
)
_FAILS = re.compile(rf'\b(?:when|if|wenn)\s+(?P<what>{MENTION})\s+fails with\s+"(?P<error>[^"]{{4,200}})"')
_COMES = re.compile(
    r"\b(?:when|whenever|if)\s+(?:(?:you|we|i|it)\s+)?"
    r"(?P<seen>(?:see|get|hit|run into|encounter)\s+|(?:[\w-]+\s+){1,3}?fails? with\s+)?"
    r"(?:(?:the|an?|error|message)\s+)*"
    rf'(?:"(?P<error>[^"]{{5,200}})"|(?P<what>{MENTION}))(?P<comes>\s+(?:comes up|appears|shows up|occurs|is thrown))?'
)
_SUBJECT = re.compile(
    rf"^(?:the\s+|running\s+|(?:all )?files (?:in|under)\s+|everything (?:in|under)\s+)?(?P<what>{MENTION})"
    r"\s+(?:(?:folder|file|files|directory|command|script)\s+)?"
    r"(?P<says>must|needs?|requires?|should|has to|have to|only works?|only runs?|only happens?|fails?|hangs?|takes"
    r"|will|wipes?|deletes?|destroys?|breaks?|resets?|overwrites?|drops?|can['’]?t"
    r"|cannot|(?:is|are) (?:auto-?generated|generated|read-?only|frozen|vendored|off[- ]limits|forbidden|not allowed"
    r"|dangerous|destructive|deprecated|legacy|never|not to be|slow|broken|flaky)|muss|braucht)\b"
)
_HEADED = re.compile(rf"^(?P<what>{MENTION})\s*:\s+(?:keep|use|do|don['’]?t|never|always|only|no|must|run|put|write)\b")
# What was named before is meant: "dist/ is built, don't edit it", "... wipes the data. Never do it!"
_PRONOUN = re.compile(
    rf"\b{_NOT}\s+{_ADVERBS}(?P<verb>{_RUN}|{_EDIT})(?:\s+(?:it|this|that|(?P<many>them|these|those)))?"
    r"(?=\s*(?:$|[.!,;:(])|\s+(?:by hand|manually|directly|yourself|again|without|unless|ever)\b)"
)
_FORBIDDEN = re.compile(r"\b(?:never|must not|not allowed|forbidden|off[- ]limits|should not|not to be)\b")
# Around a mention these turn it into its opposite, or into one case of several.
_TURNED = re.compile(
    r"\b(?:outside|except|other than|apart from|but not|only in|anything but|besides|außer)\b(?! ci\b)"
)
# Behind a command these say for what alone it is meant, which no condition can tell.
_EVERYWHERE = (
    r"(?:a |an |the |this |our |my |any |every |your )*(?:repo\w*|project\w*|codebase|machine|workspace|monorepo|main"
    r"|master|develop|trunk|production|default|\w+days?|weekends?|release day|time|own|everything|all|scripts|installs?"
    r"|installing|packages?|package management|dependencies|deps)\b"
)
_SERVERS = r"(?:in)?to (?:the |our |any )?(?:servers?|hosts?)\b"
_LIMITED = re.compile(
    rf"\s+(?!{_SERVERS})(?:to\s+(?!me\b)\w+|for|on|in|with|inside|as|when|while|during|after|um|für|auf|bei)\b"
    rf"(?!\s+{MENTION}|\s+{_EVERYWHERE})"
)
# What a program is given is meant, and not each call of it: "never curl the live system", "don't add npm packages".
_ONLY_OF = re.compile(
    rf"\s+(?!{_SERVERS})(?:(?:to|into|against|from|the|a|an|our|your)\s+(?!me\b)\w|packages?\b|dependenc|modules?\b"
    r"|librar|commands?\s+(?:to|after|when|while)\b)"
)
_LED = re.compile(
    rf"^(?:when|while|if|for|in|on|during|wenn|beim?)\s+(?!{_EVERYWHERE})(?!{MENTION})[^,]*?,?\s*"
    r"(?:always |please |use |\W)*$"
)
_WITH = re.compile(
    rf"\s+(?:\w+\s+){{0,3}}?(?:with|through|via|using|needs?|requires?)\s+(?:the\s+|an?\s+)?(?P<what>{MENTION})"
)
_WITHOUT = re.compile(rf"\s*(?:\S+\s+){{0,2}}?without\s+(?:the\s+)?(?P<what>{MENTION})")
_WITH_OPTION = re.compile(rf"\s+with\s+(?:the\s+)?(?P<what>--?[a-z][\w-]*(?:=[\w./:-]*\w)?|{MENTION})")
_RUN_WITH = re.compile(rf"^(?:(?:always|please|we|you)\s+)*(?:run|use|start|call)\s+(?:the\s+)?(?P<what>{MENTION})")
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


def derive(text: str) -> Derived | None:
    """Return the condition that a statement says, of its first sentence that says one; None where none does."""
    if len(text) > _MAX_STATEMENT or _FENCED in text or text.startswith("~~"):
        return None
    told: Derived | None = None
    before: list[Mention] = []
    for piece in _SENTENCE.split(text):
        sentence = RuleSentence(piece.strip().lstrip("-*• "))
        if sentence.text.endswith("?") or not sentence.text:
            continue
        if found := _pronoun(sentence, before):
            return found
        for form in (_failing, _instead, _forbidden, _meant, _before, _after, _run_with, _subject) if not told else ():
            found = form(sentence)
            if found is not None and found.condition:
                told = found
                break
        if told is not None and told.forbids:
            break
        before = sentence.mentions
    return told


def forbids(text: str) -> bool:
    """Whether a statement forbids something or sets a condition, whatever it is about."""
    return bool(_SETS.search(text.casefold()))


def at_change(text: str) -> tuple[str, ...]:
    """Return the files that a statement is told at because it says what to do when they change."""
    told = derive(text) if _CHANGES.search(text.casefold()) else None
    return told.condition.paths if told else ()


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
    sentence: RuleSentence, found: re.Match[str], mentions: list[Mention], *, forbids: bool, but: tuple[str, ...] = ()
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


def _failing(sentence: RuleSentence) -> Derived | None:
    found = _FAILS.search(sentence.spoken)
    mentions = sentence.named(found["what"]) if found else []
    if found is None or mentions[0].kind != "command":
        found, mentions = _COMES.search(sentence.spoken), []
        if found is None or not (found["seen"] or found["comes"]):
            return None
    named = [one.said for one in sentence.named(found["what"] or "") if not one.kind and len(one.said) >= _MIN_ERROR]
    said = found["error"] or " ".join(named)
    error = " ".join(said.replace("...", " ").replace("…", " ").split())[:MAX_ITEM]
    condition = Condition(tuple([one.text for one in mentions]), failures=(error,) if error else ())
    return Derived(condition, sentence.shown(*found.span()), forbids=False, literal=True)


def _instead(sentence: RuleSentence) -> Derived | None:
    for found in _INSTEAD.finditer(sentence.spoken):
        before = sentence.spoken[: found.start()]
        better = [one.said for one in sentence.named(before)] or _last_program(before)
        behind = sentence.spoken[found.end() :]
        if not better and _USES.search(behind):
            better = [one.said for one in sentence.named(behind)[:1]]
        worse = [one for one in sentence.named(found["what"]) if _is_worse(one, better)]
        if better and worse and _PREFERS.search(before):
            if any(" " not in one.text for one in worse) and (_LIMITED.match(behind) or _LED.match(before)):
                return None
            but = tuple([f"!{one}" for one in better if _overlaps(one, worse) or _is_spelled_so(one, worse)])
            but += tuple([f"!{one}" for name in better for one in listed(TABLE, f"beyond {name}")])
            told = _derived(sentence, found, worse, forbids=not _PERHAPS.search(sentence.spoken), but=but)
            return told and replace(told, words=sentence.shown(0, found.end() if before.strip() else len(behind) + 99))
    return None


def _last_program(before: str) -> list[str]:
    words = [word.strip(",.") for word in before.split()[-3:]]
    return [word for word in words if word in among(TABLE, "program") or word in among(TABLE, "language")][-1:]


def _is_worse(one: Mention, better: list[str]) -> bool:
    program = one.text.split()[0] if one.text else ""
    if one.kind != "command" or commands.is_a(program, "shell"):
        return False
    if one.text in better:
        return False
    languages = among(TABLE, "language")
    pairs = listed(TABLE, "same-language")
    return not any(
        program in languages and other.casefold() in languages and f"{other.casefold()} {program}" not in pairs
        for other in better
    )


def _is_spelled_so(better: str, worse: list[Mention]) -> bool:
    """Whether a command that is better is another spelling of one that is worse: docker compose, docker-compose."""
    pairs = [(better.split(), one.text.split()) for one in worse]
    return any(fulfils(one, other) and fulfils(other, one) for one, other in pairs)


def _overlaps(better: str, worse: list[Mention]) -> bool:
    """Whether a command that is better would be taken for one that is worse."""
    seen = [run.words for run in runs(better)] + [tuple(better.split())]
    return any(
        words and one.text.split()[0] in (words[0], words[0].rstrip("0123456789.")) for words in seen for one in worse
    )


def _forbidden(sentence: RuleSentence) -> Derived | None:
    for found in _FORBIDS.finditer(sentence.spoken):
        verbs, mentions = found["verbs"], sentence.named(found["what"])
        edits = bool(re.search(_EDIT, verbs))
        if not edits:
            mentions = [_as_command(one) for one in mentions]
        wanted = [one for one in mentions if (one.kind == "path") == edits]
        if not wanted or (not verbs.strip() and not any(one.kind == "command" for one in wanted)):
            continue
        option = _option(sentence, found.end())
        if option and not edits:
            wanted = [Mention(one.kind, _with_option(one.text, option), one.said) for one in wanted]
        but = (*_allowed(sentence, found, wanted), *_better(sentence, found, wanted))
        told = _derived(sentence, found, wanted, forbids=True, but=but)
        if told is None or edits:
            return told
        # "Stop using python to edit files" does not forbid python.
        is_bare = any(" " not in one.text for one in wanted)
        is_limited = _LIMITED.match(sentence.spoken, found.end()) and not option
        if is_limited or _LED.match(sentence.spoken[: found.start()]):
            return None if is_bare else replace(told, literal=False)
        return None if is_bare and _ONLY_OF.match(sentence.spoken, found.end()) else told
    return None


def _option(sentence: RuleSentence, at: int) -> str:
    """Return the option that stands behind a command and "with", as it was written."""
    found = _WITH_OPTION.match(sentence.spoken, at)
    said = "".join([one.said for one in sentence.named(found["what"])] or [found["what"]]) if found else ""
    written = [word for word in sentence.text.split() if word.strip("`,.;:!)").casefold() == said]
    return written[0].strip("`,.;:!)") if written and said[:1] == "-" else said if said[:1] == "-" else ""


def _as_command(one: Mention) -> Mention:
    """Return a script that is named to be run as a command."""
    is_script = one.kind == "path" and "*" not in one.text and not one.text.endswith("/") and "." in one.text
    return Mention("command", one.text, one.said) if is_script else one


def _allowed(sentence: RuleSentence, found: re.Match[str], wanted: list[Mention]) -> tuple[str, ...]:
    """Return how a command may be run that must not be run without something: an option, or what stands before it."""
    without = _WITHOUT.match(sentence.spoken, found.end())
    if without is None:
        return ()
    return _with(sentence.named(without["what"])[0].said, wanted)


def _better(sentence: RuleSentence, found: re.Match[str], wanted: list[Mention]) -> tuple[str, ...]:
    """Return what is to be run in the place of a command, where it could be taken for that: python3, never python."""
    around = sentence.spoken[: found.start()], sentence.spoken[found.end() :]
    named = [one for part in around if _USES.search(part) for one in sentence.named(part) if one.kind == "command"]
    return tuple([f"!{one.text}" for one in named if _overlaps(one.said, wanted)])


def _with(need: str, wanted: list[Mention]) -> tuple[str, ...]:
    """Return these commands as they are to be run: with an option, or behind a wrapper."""
    named = [one.text for one in wanted if one.kind == "command"]
    if need[:1] == "-":
        return tuple([f"!{_with_option(one, need)}" for one in named])
    wraps = any(commands.is_a(need, kind) for kind in ("wrapper", "wrapper-of-two"))
    return tuple([f"!{need} {one}" for one in named if wraps])


def _with_option(command: str, option: str) -> str:
    name, _, value = option.partition(" ")
    return f"{command} {same_options(command, name)}" + (f"={value}" if value and name[:2] == "--" else "")


def _meant(sentence: RuleSentence) -> Derived | None:
    """Return what a verb stands for that is forbidden or has something to be done before it: "before committing"."""
    for wanted, verbs in _meanings().items():
        either = "|".join(verbs)
        found = re.search(rf"\b{_NOT}\s+{_ADVERBS}{_ASKING}(?P<verb>{either})\b(?P<rest>.*)", sentence.spoken)
        found = found or re.search(
            r"\b(?:before|prior to|bevor|vor)\s+(?:(?:you|each|every|any|a|the|we|i|jedem|dem)\s+)*"
            rf"(?P<verb>{either})\b(?P<rest>.*)",
            sentence.spoken,
        )
        if found and _ENDS.search(sentence.spoken[: found.start()]):
            return None
        rest = found["rest"].split() if found else []
        following = rest[0].strip(",.;:!()") if rest and rest[0][0] != "(" else ""
        is_before = found is not None and found[0].startswith(("before", "prior", "bevor", "vor"))
        meant = sentence.spoken[: found.start()] if found and following in ("it", "them") else following
        files = [one.text for one in sentence.named(meant) if one.kind == "path"]
        if found and files:
            # "Don't commit .env" is about that file, and not about each commit.
            added = tuple([f"git {verb} {file}" for file in files for verb in ("add", "commit")])
            is_commit = wanted == ("git commit",) and not is_before
            said = sentence.shown(found.start(), found.start("rest") + len(found["rest"]))
            return Derived(Condition(added), said, forbids=True, literal=True) if is_commit else None
        if found and (
            not following
            or following in among(TABLE, "goes-on")
            or (is_before and following in among(TABLE, "goes-on-before"))
            or rest[0][0] in ",;:("
            or not following.isalpha()
        ):
            condition = Condition(wanted, branches=_branches(sentence.spoken))
            is_plain = (following in _HOLDS_WITH or "--" in found["verb"]) and (
                not is_before or bool(_ASKS.search(sentence.spoken))
            )
            end = found.start("rest") + min(len(found["rest"]), 40)
            return Derived(condition, sentence.shown(found.start(), end), forbids=True, literal=is_plain)
    return None


def _before(sentence: RuleSentence) -> Derived | None:
    edited = _BEFORE_EDIT.search(sentence.spoken) or _GERMAN_EDIT.search(sentence.spoken)
    files = [one for one in sentence.named(edited[0]) if one.kind == "path"] if edited else []
    if edited and files:
        return _derived(sentence, edited, files, forbids=True)
    found = _BEFORE.search(sentence.spoken)
    mentions = [one for one in sentence.named(found["what"]) if one.kind == "command"] if found else []
    return _derived(sentence, found, mentions, forbids=True) if found and mentions else None


def _after(sentence: RuleSentence) -> Derived | None:
    found = _AFTER.search(sentence.spoken)
    if found is None:
        return None
    runs_it = bool(re.match(rf"(?:{_RUN}|runs?)\b", found["verb"]))
    wanted = [one for one in sentence.named(found["what"]) if (one.kind == "command") == runs_it and one.kind]
    if any(" " not in one.text for one in wanted if runs_it) and (
        _LIMITED.match(sentence.spoken, found.end()) or _ONLY_OF.match(sentence.spoken, found.end())
    ):
        return None
    return _derived(sentence, found, wanted, forbids=False) if wanted else None


def _run_with(sentence: RuleSentence) -> Derived | None:
    """Return what a command is told at that is to be run with an option, or through another: all but that."""
    found = _RUN_WITH.match(sentence.spoken)
    need = _WITH.match(sentence.spoken, found.end()) if found else None
    wanted = [one for one in sentence.named(found["what"]) if one.kind == "command"] if found else []
    option = _option(sentence, found.end()) if found else ""
    through = sentence.named(need["what"])[0].said if need else ""
    but = _with(option or through, wanted) if option or through else ()
    return _derived(sentence, found, wanted, forbids=False, but=but) if found and but else None


def _subject(sentence: RuleSentence) -> Derived | None:
    found = _SUBJECT.match(sentence.spoken) or _HEADED.match(sentence.spoken)
    if found is None:
        return _about(sentence)
    wanted = sentence.named(found["what"])
    forbids = bool(_FORBIDDEN.search(sentence.spoken[found.end("what") : found.end() + 20]))
    need = _WITH.match(sentence.spoken, found.end("what"))
    but = _with(sentence.named(need["what"])[0].said, wanted) if need and not forbids else ()
    told = _derived(sentence, found, wanted, forbids=forbids, but=but)
    # "git rebase is forbidden on shared branches" does not forbid each.
    return replace(told, literal=False) if told and forbids and _LIMITED.match(sentence.spoken, found.end()) else told


def _about(sentence: RuleSentence) -> Derived | None:
    """Return what is told at the command that makes what the sentence begins with: "commit messages are in English"."""
    for wanted, names in _meanings("about ").items():
        found = re.match(
            rf"(?:(?:the|our|your|all|always|please|write|keep|use|every|git)\s+)*(?:{'|'.join(names)})\b",
            sentence.spoken,
        )
        if found:
            return Derived(Condition(wanted), sentence.shown(*found.span()), forbids=False, literal=True)
    return None


def _pronoun(sentence: RuleSentence, before: list[Mention]) -> Derived | None:
    """Return what is forbidden of that which was named just before: in this sentence, or alone in the one before."""
    found = _PRONOUN.search(sentence.spoken)
    if found is None:
        return None
    kind = "path" if re.fullmatch(_EDIT, found["verb"]) else "command"
    near = [one for one in sentence.named(sentence.spoken[: found.start()]) if one.kind == kind]
    wanted = near or [one for one in before if one.kind == kind]
    if not wanted or (len(wanted) > 1 and not found["many"]):
        return None
    return _derived(sentence, found, wanted, forbids=True)


@functools.cache
def _meanings(lead: str = "means ") -> dict[tuple[str, ...], tuple[str, ...]]:
    """Return the verbs that stand for a command, the longest first, by the patterns of those commands."""
    found: dict[tuple[str, ...], tuple[str, ...]] = {}
    for kind, verbs in lists(f"{TABLES}/{TABLE}.txt").items():
        if kind.startswith(lead):
            found[tuple(kind.removeprefix(lead).split(", "))] = verbs
    return dict(sorted(found.items(), key=lambda each: -max(map(len, each[1]))))
