"""The condition that a statement says by itself: "Never run `npm install`", "use pnpm not npm", "before you push ...".

Only forms that people use for a rule are understood, and only where they name a command or a file; silence beats a
guess. What is derived is shown with the words that say it, and a person can switch it off (`when: none`). The tables
are `tables/conditions.txt` and those of commands. Nothing is derived in a hook.
"""

from __future__ import annotations

import itertools
import re
from functools import lru_cache

from holdfast.language import rule_forms as forms
from holdfast.language import triggers
from holdfast.language.circumstances import as_understood, asked_for, leaves_open
from holdfast.language.conditions import MAX_ITEM, MAX_ITEMS, Condition, looks_like_path, read
from holdfast.language.derived_parts import (
    Derived,
    as_command,
    as_file,
    branches_in,
    installing,
    is_file,
    of_mentions,
    run_with,
    wants_asking,
    with_option,
)
from holdfast.language.disowned import is_disowned, is_of_others, is_taken_back
from holdfast.language.given_conditions import not_holding
from holdfast.language.instead import better_ones, instead, is_spelled_so, overlaps, replaced, with_or_without
from holdfast.language.mentions import MENTION, Mention, RuleSentence, is_headed_by_file, sentence_of, spelled_out
from holdfast.language.named import by_names, sounds_foreign
from holdfast.language.places import all_allowed_but, all_but, deleting
from holdfast.language.roles import by_roles, wanted_first
from holdfast.language.rule_tongues import apart, in_english, is_english
from holdfast.language.topics import straight
from holdfast.language.verb_rules import about, meant, only_asked
from holdfast.records import Memory, replace

# What is longer is a page, and no rule.
_MAX_STATEMENT = 700
_MIN_ERROR = 5
_MAX_FIRST = 4
_FENCED = "```"
NOWHERE = "told at no call"


@lru_cache(maxsize=256)
def derive(text: str) -> Derived | None:
    """Return the condition that a statement says, of the sentences that say one most strongly; None where none does."""
    if len(text) > _MAX_STATEMENT or _FENCED in text or text.startswith("~~") or is_taken_back(text):
        return None
    given, text = text, spelled_out(text)
    told: list[Derived] = []
    before: list[Mention] = []
    earlier: list[Mention] = []
    heads_file = is_headed_by_file(text)
    for piece in (pieces := pieces_of(text)):
        english = in_english(piece)
        plain = sentence_of(_with_files(english, before))
        sentence = plain if all_but(plain) else straight(plain)
        is_other = english != piece and is_disowned(sentence_of(piece))
        # "Use pnpm. Not npm." is against npm; alone it may mean anything.
        is_other = is_other or (not earlier and bool(re.fullmatch(rf"not\s+{MENTION}[.!\s]*", sentence.spoken)))
        earlier += [one for one in sentence.mentions if one.kind == "command"]
        if sentence.text.endswith("?") or not sentence.text or is_other:
            continue
        found = _pronoun(sentence, before) or next(filter(None, (form(sentence) for form in _FORMS)), None)
        found = _as_far_as_known(sentence, found) if found and found.condition else None
        found = found and as_understood(sentence, found)
        if not (found and found.literal):
            wide = straight(sentence_of(_with_it(english, before)))
            by_role = by_roles(wide, is_english=is_english(piece))
            found = _wider(found, by_role and as_understood(wide, by_role))
        if (found or before or sentence.mentions) and is_disowned(sentence):
            continue
        if heads_file and found and not found.condition.paths and re.search(r"\bhere\b", sentence.spoken):
            # "`fixtures/`: do not commit changes here" is about that folder.
            continue
        if found:
            # The person reads the words that they wrote.
            words = min(found.words if english == piece else piece.rstrip(".! "), given, key=len)
            told.append(replace(found, words=words, asks=wants_asking(english)))
        # "Always use X. Do not run them directly." is not against X.
        before = sentence.mentions if found or not forms.USES.search(sentence.spoken) else []
    last = None if told else by_names(pieces)
    told += [last] if last else []
    return _as_it_holds(_unless_done(text, _without_wanted(text, _together(told)))) if told else None


def _as_it_holds(told: Derived) -> Derived | None:
    """Return what is derived without what would hold at no call, not even the one that it names."""
    lost = not_holding(told.condition)
    if not lost:
        return told
    some = [tuple([one for one in each if one not in lost]) for each in (told.condition.commands, told.condition.paths)]
    condition = replace(told.condition, commands=some[0], paths=some[1])
    return replace(told, condition=condition) if condition else None


def _with_files(said: str, before: list[Mention]) -> str:
    """Return a sentence with the files in it that it calls "it": "`dist/` is built - never commit it"."""
    found = forms.COMMIT_IT.search(said)
    files = ", ".join([f"`{one.said}`" for one in before if is_file(one)])
    return f"{said[: found.start('it')]}{files}{said[found.end() :]}" if found and files and "`" not in said else said


def _with_it(said: str, before: list[Mention]) -> str:
    """Return a sentence with the file or command in the place of "it" that was named in the sentence before."""
    found = forms.IT.search(said)
    if found is None or ("`" in said and not found["on"]):
        return _with_files(said, before)
    kinds = ("path",) if found["edit"] or found["on"] else ("command",) if found["run"] else ("path", "command")
    named = " or ".join([f"`{one.said}`" for one in before if one.kind in kinds])
    name = next(name for name in ("it", "run", "they", "on") if found[name])
    return f"{said[: found.start(name)]}{named}{said[found.end(name) :]}" if named else said


def _together(told: list[Derived]) -> Derived:
    """Return what the strongest sentences of a statement say, as one: "don't commit. Don't push."."""
    strongest = max((one.forbids, one.literal) for one in told)
    same = [one for one in told if (one.forbids, one.literal) == strongest]
    first = same[0]
    commands, paths = list(first.condition.commands), list(first.condition.paths)
    narrowed = first.condition.tools, first.condition.failures, first.condition.branches
    words = [first.words]
    for one in same[1:]:
        more = one.condition
        if (more.tools, more.failures, more.branches) != narrowed:
            continue
        commands += [item for item in more.commands if item not in commands]
        paths += [item for item in more.paths if item not in paths]
        words.append(one.words)
    few = tuple(commands[:MAX_ITEMS]), tuple(paths[: MAX_ITEMS - len(commands[:MAX_ITEMS])])
    condition, of_all = Condition(*few, *narrowed), all(one.asks for one in same)
    return replace(first, condition=condition, words="; ".join(words), asks=of_all)


def _wider(told: Derived | None, by_role: Derived | None) -> Derived | None:
    """Return what is only said at all calls that are meant: of a command and the same with more words, the second."""
    if not told or not by_role or (by_role.condition.paths and not by_role.forbids):
        return by_role or told
    first, second = told.condition, by_role.condition
    narrow = [one for one in first.commands if not any(other.startswith(f"{one} ") for other in second.commands)]
    commands = tuple(dict.fromkeys((*narrow, *second.commands)))[:MAX_ITEMS]
    paths = tuple(dict.fromkeys((*first.paths, *second.paths)))[:MAX_ITEMS]
    return replace(told, condition=replace(first, commands=commands, paths=paths))


def _as_far_as_known(sentence: RuleSentence, told: Derived) -> Derived:
    """Return what is derived, only to be said where it is meant in circumstances that no call shows."""
    is_open = told.forbids and told.literal and leaves_open(sentence, of_files=bool(told.condition.paths))
    return replace(told, literal=False) if is_open else told


def _without_wanted(text: str, told: Derived) -> Derived:
    """Return what is derived without the commands that the statement itself asks for: it never holds these."""
    if not told.condition.commands:
        return told
    worse = [one for one in told.condition.commands if one[:1] != "!"]
    but = asked_for([sentence_of(in_english(piece)) for piece in pieces_of(text)], told.condition, worse)
    return replace(told, condition=replace(told.condition, commands=(*told.condition.commands, *but)))


def _unless_done(text: str, told: Derived) -> Derived:
    """Return what is derived, free where the line did first what the statement wants done first."""
    first = [one for piece in pieces_of(text) for one in wanted_first(sentence_of(in_english(piece)))]
    unless = tuple(dict.fromkeys([one for one in first if one not in told.condition.commands]))[:_MAX_FIRST]
    is_some = bool(told.condition.commands or told.condition.paths) and not told.condition.failures
    return replace(told, condition=replace(told.condition, unless=unless)) if unless and is_some else told


def pieces_of(text: str) -> list[str]:
    """Return the sentences of a text; what is in backquotes ends none."""
    text = apart(text)
    masked = forms.QUOTED.sub(lambda found: "x" * len(found[0]), text)
    # "Never push, never edit A or run B": each is a ban of its own.
    while ban := forms.NEXT_BAN.search(masked):
        first, end, denies = ban.end("first"), ban.end("and"), ban["not"] if ban["verb"] else ""
        text, masked = [f"{one[:first]}; {denies} {one[end:]}" for one in (text, masked)]
    ends = [(0, 0), *[found.span() for found in forms.SENTENCE.finditer(masked)], (len(text), len(text))]
    pieces = [text[before[1] : after[0]] for before, after in itertools.pairwise(ends)]
    found, head = [], ""
    for piece in pieces:
        said = forms.LIST_ITEM.sub("", piece).strip()
        is_item = said != piece.strip()
        found.append(f"{head} {said}" if is_item and head else said)
        if not is_item:
            plain = in_english(said).rstrip(": ") if said.endswith(":") else ""
            head = plain if forms.HEADS_LIST.match(plain.casefold()) else ""
    return found


def forbids(text: str) -> bool:
    """Whether a statement forbids something or sets a condition, whatever it is about."""
    return any(forms.SETS.search(one.casefold()) for one in (text, in_english(text)))


def reads_as_rule(text: str, *, is_order: bool = False) -> bool:
    """Whether a person may think that this is told at a call: it sounds like a ban, a condition or an order.

    A ban does so whatever it is about; an order and a condition where they name a call, or a thing that agents do by
    calls. What permits something, and what tells how it is or was, is none of these.
    """
    for piece in pieces_of(text[:_MAX_STATEMENT]):
        some = dict.fromkeys((piece, in_english(piece)))
        # Most sentences are neither; to tell what is no rule takes longest.
        sounds_like_rule = any(map(_is_ban, some)) or _is_order(piece, told=is_order) or sounds_foreign(piece)
        if sounds_like_rule and not any(map(_is_no_rule, some)):
            return True
    return False


def _is_ban(piece: str) -> bool:
    signs = (forms.PLAIN_BAN, forms.ASKED_FIRST, forms.WANTS_OPTION, forms.SOUNDS_BANNED, forms.OWNED)
    return any(sign.search(piece.casefold()) for sign in signs)


def _is_order(piece: str, *, told: bool) -> bool:
    """Whether a sentence orders, or sets a condition for, what agents do; `told`: the person said that it orders."""
    said, named = piece.casefold(), named_call(piece)
    # Most sentences are about nothing that a call does, and whether they order something is then all one.
    if not (named or forms.ACTS.search(said)):
        return False
    is_told = named and (told or forms.ORDERS.search(said))
    return bool(is_told or forms.DEMANDED.search(said) or triggers.is_order(piece))


def _is_no_rule(piece: str) -> bool:
    return bool(forms.TELLS.search(piece.casefold())) or is_disowned(sentence_of(piece))


def is_silent(memory: Memory) -> bool:
    """Whether a memory is a rule to the person who stored it, and told at no call; one that is switched off is none."""
    is_rule = memory.holds and not memory.when and reads_as_rule(memory.body, is_order=memory.type == "feedback")
    return is_rule and derive(memory.body) is None


def named_call(text: str) -> str:
    """Return the command or file that a statement names first, or nothing."""
    found = [one for piece in pieces_of(text[:_MAX_STATEMENT]) for one in sentence_of(piece).mentions]
    named = next((one.said for one in found if one.kind), "")
    words = (word.strip("`,;:!()").rstrip(".") for word in text.split() if "." in word or "/" in word)
    return named or next(filter(looks_like_path, words), "")


def at_change(text: str) -> tuple[str, ...]:
    """Return the files that a statement is told at because it says what to do when they change."""
    told = derive(text) if forms.CHANGES.search(text.casefold()) else None
    return told.condition.paths if told else ()


def share_calls(one: str, other: str) -> bool | None:
    """Whether two statements are told at a call of the same kind; None where one of them is told at none."""
    first, second = derive(one), derive(other)
    if first is None or second is None:
        return None
    mine, theirs = first.condition, second.condition
    named = [{item for item in (*each.commands, *each.paths) if item[:1] != "!"} for each in (mine, theirs)]
    narrowed = (mine.tools, mine.failures, mine.branches) == (theirs.tools, theirs.failures, theirs.branches)
    return narrowed and bool(named[0] & named[1])


def is_rule(memory: Memory) -> bool:
    """Whether a memory has a condition, given or derived."""
    if memory.when:
        return bool(read(memory.when))
    return derive(memory.body) is not None


def _failing(sentence: RuleSentence) -> Derived | None:
    found = forms.FAILS.search(sentence.spoken)
    mentions = sentence.named(found["what"]) if found else []
    code = found["code"] if found else None
    # A code is written in capitals.
    if found is None or mentions[0].kind != "command" or (code and code.upper() not in sentence.text):
        found, mentions, code = forms.COMES.search(sentence.spoken), [], None
        if found is None or not (found["seen"] or found["comes"]):
            return None
    quoted = found["named"] if found.re is forms.FAILS else found["what"]
    named = [one.said for one in sentence.named(quoted or "") if not one.kind and len(one.said) >= _MIN_ERROR]
    said = found["error"] or code or " ".join(named)
    error = " ".join(said.replace("...", " ").replace("…", " ").split())[:MAX_ITEM]
    condition = Condition(tuple([one.text for one in mentions]) if error else (), failures=(error,) if error else ())
    return Derived(condition, sentence.shown(*found.span()), forbids=False, literal=True)


def _forbidden(sentence: RuleSentence) -> Derived | None:
    for found in forms.FORBIDS.finditer(sentence.spoken):
        verbs, mentions = found["verbs"], sentence.named(found["what"])
        led = sentence.spoken[: found.start()]
        # Without a verb it may be words that are not to be written, or a branch: "target main, never `next`".
        is_wording = not verbs.strip() and (forms.WORDING.search(led) or re.search(r"\bbranch(?:es)?\b", led))
        reads = bool(forms.READS_FILE.search(verbs))
        # "Never show `npm install`" is about a text.
        if is_wording or is_of_others(sentence.spoken, found.start()) or (reads and not any(map(is_file, mentions))):
            continue
        # "Never add anything to README.md" is about a change.
        edits = bool(forms.CHANGES_FILE.search(verbs)) or (
            verbs.split()[-1:] == ["add"] and all(one.kind == "path" for one in mentions)
        )
        if re.search(rf"\b{forms.RUN}\b", verbs):
            mentions = [as_command(one, is_run=bool(forms.RUNS.search(verbs))) for one in mentions]
        of_files = edits or reads
        mentions = list(map(as_file, mentions)) if of_files else mentions
        if verbs.split()[-1:] == ["install"]:
            mentions = [installing(one) for one in mentions]
        wanted = _against(sentence, found["what"], [one for one in mentions if one.text and is_file(one) == of_files])
        wanted = [Mention("path", one.text, one.said) for one in wanted] if of_files else wanted
        if not wanted or (not verbs.strip() and not any(one.kind == "command" for one in wanted)):
            continue
        option = _option(sentence, found.end())
        if option and not of_files:
            wanted = [Mention(one.kind, with_option(one.text, option), one.said) for one in wanted]
        but = (*_allowed(sentence, found, wanted), *better_ones(sentence, found, wanted))
        told = of_mentions(sentence, found, wanted, forbids=True, but=but)
        if told is not None and reads:
            tools = ("read", "edit") if edits else ("read",)
            is_whole = forms.WHOLE.match(forms.CONTENTS.sub("", sentence.spoken[found.end() :]))
            return replace(
                told, condition=replace(told.condition, tools=tools), literal=told.literal and bool(is_whole)
            )
        if told is not None and edits:
            return _of_files(sentence, found, told)
        return told and (told if option else _of_commands(sentence, found, told, excepts=bool(but)))
    return None


def _of_files(sentence: RuleSentence, found: re.Match[str], told: Derived) -> Derived:
    """Return what is forbidden of files, only to be said where it is for one purpose: "... to add scripts"."""
    told = _of_verbs(told, sentence.spoken[found.start() : found.start("what")])
    return replace(told, literal=False) if forms.LIMITED.match(sentence.spoken, found.end()) else told


def _of_commands(sentence: RuleSentence, found: re.Match[str], told: Derived, *, excepts: bool) -> Derived | None:
    """Return what is forbidden of commands: "stop using python to edit files" does not forbid python."""
    spoken, end = sentence.spoken, found.end()
    is_bare = any(" " not in one for one in told.condition.commands if one[:1] != "!")
    # What a list goes on with, and nobody knows, may be limited as a whole: "sed or perl for edits".
    is_some = forms.LISTS_MORE.match(spoken, end) or forms.LIMITED.match(spoken, end)
    is_limited = is_some or not (excepts or forms.WHOLE.match(spoken, end))
    if is_limited or forms.LED.match(spoken[: found.start()]):
        return None if is_bare else replace(told, literal=False)
    return None if is_bare and forms.ONLY_OF.match(spoken, end) else told


def _against(sentence: RuleSentence, what: str, wanted: list[Mention]) -> list[Mention]:
    """Return what is forbidden of a list; of two that only a comma parts, the second may be what is wanted instead."""
    is_pair = len(wanted) == 2 and re.fullmatch(rf"{MENTION}\s*,\s*{MENTION}", what)
    is_better = is_pair and (overlaps(wanted[1].said, wanted[:1]) or is_spelled_so(wanted[1].said, wanted[:1]))
    return wanted[:1] if is_better else wanted


def _of_verbs(told: Derived, verbs: str) -> Derived:
    """Return what is forbidden of files as the verbs say it: to take away is not to edit, and what is new is told.

    Of generated files in a folder all is meant where the folder's name says so.
    """
    if not forms.CHANGE.search(verbs) and forms.TAKE_AWAY.search(verbs):
        return replace(told, condition=replace(told.condition, tools=("delete",)))
    named = [one.rstrip("/*").rpartition("/")[2] for one in told.condition.paths]
    is_part = bool(forms.MADE.search(verbs)) and not all(forms.MADE_THERE.search(one) for one in named)
    # "Never edit generated files: api/client/" says which these are.
    is_part = is_part and "files:" not in verbs
    # What is added to a file changes it; what is added to a folder is new.
    changes = forms.CHANGE.search(verbs) or ("add" in verbs.split() and all("." in one for one in named))
    return told if changes and not is_part else replace(told, literal=False)


def _option(sentence: RuleSentence, at: int) -> str:
    """Return the option that stands behind a command and "with", as it was written."""
    found = forms.WITH_OPTION.match(sentence.spoken, at)
    said = "".join([one.said for one in sentence.named(found["what"])] or [found["what"]]) if found else ""
    written = [word for word in sentence.text.split() if word.strip("`,.;:!)").casefold() == said]
    return written[0].strip("`,.;:!)") if written and said[:1] == "-" else said if said[:1] == "-" else ""


def _allowed(sentence: RuleSentence, found: re.Match[str], wanted: list[Mention]) -> tuple[str, ...]:
    """Return how a command may be run that must not be run without something: an option, or what stands before it."""
    without = forms.WITHOUT.match(sentence.spoken, found.end())
    if without is None:
        return ()
    needs = sentence.named(without["what"])
    return tuple([one for need in needs for one in run_with(need.said, wanted, or_like=True)])


def _only(sentence: RuleSentence) -> Derived | None:
    """Return what may be run in one place alone: on a branch, which is known, or where nobody can tell."""
    if asked := only_asked(sentence):
        return asked
    if inside := forms.ONLY_IN.match(sentence.spoken):
        command, places = sentence.named(inside["what"])[0], sentence.named(inside["where"])
        is_plain = command.kind == "command" and " " in command.text and all(one.kind == "path" for one in places)
        but = tuple([f"!{command.text} {one.text.rstrip('/')}/" for one in places])
        return of_mentions(sentence, inside, [command], forbids=True, but=but) if is_plain else None
    found = forms.ONLY.match(sentence.spoken)
    what, where = (found["what"] or found["run"], found["where"] or found["from"]) if found else ("", "")
    wanted = [as_command(one) for one in sentence.named(what)]
    wanted = [one for one in wanted if one.kind == "command"]
    if not found or not wanted:
        return None
    told = of_mentions(sentence, found, wanted, forbids=True)
    branches = tuple([f"!{one}" for one in branches_in(where)])
    if told is None or not branches:
        is_bare = any(" " not in one.text for one in wanted)
        return told and (None if is_bare else replace(told, literal=False))
    return replace(told, condition=replace(told.condition, branches=branches))


def _left_alone(sentence: RuleSentence) -> Derived | None:
    found = forms.LEFT_ALONE.search(sentence.spoken)
    files = [one for one in map(as_file, sentence.named(found[0])) if one.kind == "path"] if found else []
    return of_mentions(sentence, found, files, forbids=True) if found and files else None


def _run_with(sentence: RuleSentence) -> Derived | None:
    """Return what a command is told at that is to be run with an option, or through another: all but that."""
    found = forms.RUN_WITH.match(sentence.spoken)
    need = forms.WITH.match(sentence.spoken, found.end()) if found else None
    wanted = [one for one in sentence.named(found["what"]) if one.kind == "command"] if found else []
    option = _option(sentence, found.end()) if found else ""
    through = sentence.named(need["what"])[0].said if need else ""
    but = run_with(option or through, wanted) if option or through else ()
    return of_mentions(sentence, found, wanted, forbids=False, but=but) if found and but else None


def _subject(sentence: RuleSentence) -> Derived | None:
    found = forms.SUBJECT.search(sentence.spoken) or forms.HEADED.match(sentence.spoken)
    if found is None or forms.MUST_PASS.match(sentence.spoken, found.start("says")):
        return about(sentence)
    wanted = sentence.named(found["what"])
    if found[0].startswith("the ") and any(
        one.kind == "command" and f"`{one.said}" not in sentence.text for one in wanted
    ):
        # "The aws login creds should ..." is about a thing that has a name, and no command.
        return None
    if any(one.kind == "command" for one in wanted) and forms.WILL_DO.match(sentence.spoken, found.start("says")):
        # "`tool show` should print the date" and "`make all`: run everything" say what it does.
        return None
    banned = forms.FORBIDDEN.search(sentence.spoken, found.end("what"), found.end() + 20)
    forbids = bool(banned and not forms.DEMANDS.match(sentence.spoken, banned.start()))
    forbids = forbids or bool(forms.NEEDS_PERSON.search(sentence.spoken, found.end("what")))
    need = forms.WITH.match(sentence.spoken, found.end("what"))
    through = sentence.named(need["what"])[0].said if need else _option(sentence, found.end("what"))
    but = run_with(through, wanted) if through and not forbids else ()
    told = of_mentions(sentence, found, wanted, forbids=forbids, but=but)
    is_limited = forms.LIMITED.match(sentence.spoken, found.end()) or forms.ONLY_OF.match(sentence.spoken, found.end())
    if told is None or not forbids or not is_limited:
        return told
    # "git rebase is forbidden on shared branches" does not forbid each.
    return (
        None if any(one.kind == "command" and " " not in one.text for one in wanted) else replace(told, literal=False)
    )


def _pronoun(sentence: RuleSentence, before: list[Mention]) -> Derived | None:
    """Return what is forbidden of that which was named just before: in this sentence, or alone in the one before."""
    alone = forms.BAN_ALONE.fullmatch(sentence.spoken)
    if alone and len({one.kind for one in before}) == 1 and len(before) == 1 and before[0].kind:
        # "X wipes my data. Don't!"
        return of_mentions(sentence, alone, before, forbids=True)
    found = forms.PRONOUN.search(sentence.spoken) or forms.LEAVE.search(sentence.spoken)
    if found is None or forms.TURNED.search(sentence.spoken[: found.start()]):
        return None
    verb, many = (found["verb"], found["many"]) if found.re is forms.PRONOUN else ("edit", " them" in found[0])
    kind = "path" if re.fullmatch(forms.EDIT, verb) else "command"
    near, earlier = sentence.named(sentence.spoken[: found.start()]), before
    if kind == "path":
        near, earlier = list(map(as_file, near)), list(map(as_file, before))
    near = [one for one in near if one.kind == kind]
    wanted = near or [one for one in earlier if one.kind == kind]
    if not wanted or (len(wanted) > 1 and not many):
        return None
    told = of_mentions(sentence, found, wanted, forbids=True)
    return _of_verbs(told, verb) if told and kind == "path" else told


_FORMS = (
    _failing,
    with_or_without,
    all_but,
    deleting,
    all_allowed_but,
    instead,
    replaced,
    _forbidden,
    _only,
    meant,
    _left_alone,
    _run_with,
    _subject,
)
