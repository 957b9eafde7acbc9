"""What each command and file of a sentence is there for, whatever form the sentence has: shunned, a moment, or wanted.

A sentence is read word by word. A word that denies, one that begins a subordinate clause ("before", "after", "when")
and one that asks for something each open a role; what is named next has it, until the clause ends. This finds at which
calls a statement is to be said, also where none of the forms of a plain rule is found; it never holds a call. Nothing
of this is asked in a hook.
"""

from __future__ import annotations

import re

from holdfast.base.regexes import kept
from holdfast.language import rule_forms as forms
from holdfast.language.commands import TABLE as COMMANDS
from holdfast.language.conditions import MAX_ITEMS, Condition
from holdfast.language.derived_parts import (
    Derived,
    as_command,
    as_file,
    branches_in,
    installing,
    is_file,
    run_with,
    with_option,
)
from holdfast.language.disowned import is_of_others
from holdfast.language.mentions import MENTION, TABLE, Mention, RuleSentence, harmless
from holdfast.language.verb_rules import commands_of, verbs_in
from holdfast.language.word_lists import among, listed

SHUNNED, BEFORE, MOMENT, HURTS, WANTED, ASIDE = "shunned", "before", "moment", "hurts", "wanted", "aside"
_MOMENT_ROLES = (BEFORE, MOMENT)
_DENIES = (
    r"never|not|don['’]?t|cannot|can['’]?t|mustn['’]?t|shouldn['’]?t|avoid|refrain from|instead of|rather than"
    r"|^no(?=(?:\s+[\w-]+){0,2}\s+\(?(?:push|commit|merg|amend|rebas|[\ue000-\ue0ff]))"
    r"|(?<=[(,;:/] )no(?=\s+(?:push|commit|merg|amend|rebas|[\ue000-\ue0ff]))|stop(?=\s\w+ing)"
)
_MOMENTS = "before|prior to|bevor|vor|after|when|whenever|once|if|upon|each time|every time"
_ASIDES = "unless|until|till|without|except|because|since|so that|so|otherwise|while|that|which|via|through"
_BANNED = (
    r"(?:is|are)\s+(?:strictly\s+)?(?:forbidden|banned|prohibited|off[- ]limits|not allowed|disallowed)"
    r"|(?:is|are) only (?:changed|edited|written|updated) by"
    r"|(?:must|should|may) (?:never|not) be (?=edit|touch|chang|modif|overwrit|alter|run|us|call|execut)"
)
# What is bad of a command is told there.
_HURTS = (
    r"silently|hangs|crashes|breaks|wipes|corrupts|no-ops|deploys|triggers|publishes|causes|cuts|picks|misses|skips"
    r"|ignores|leaves|loses|hides|rebuilds|rewrites|overwrites|resets|costs|expects|assumes|takes|also \w+s"
    r"|uses the wrong|(?:will|can|may) (?:cause|break|crash|hang|wipe)"
    r"|(?:is|are) (?:too )?(?:slow|broken|aliased|wrong|useless|outdated|deprecated)"
)
_TOKENS = kept(
    rf"(?P<for_example>\b(?:e\.g|i\.e|etc)\.,?|\bfor (?:example|instance),?)|(?P<end>[;:.!?–—]|\s-\s)"
    rf"|(?P<comma>,)|(?P<joins>\b(?:and|or|nor|but)\b)|(?P<mention>{MENTION})"
    rf"|(?P<banned>\b(?:{_BANNED}))|(?P<hurts>\b(?:{_HURTS})\b)"
    rf"|(?P<forgets>\b(?:{_DENIES})\s+(?:forget|skip|hesitate|fail|neglect|miss)\w*)|(?P<denies>{_DENIES})(?![\w-])"
    rf"|(?P<asks>\b(?:permission|approval|consent|go-ahead|sign-?off|ok|okay) for\b)"
    rf"|(?P<nothing>\bnothing (?:in|under|below|inside)\b)"
    rf"|(?P<moment>\b(?:{_MOMENTS}))\b|(?P<aside>\b(?:{_ASIDES}))\b|(?P<only>\bonly\b)"
    rf"|(?P<always>\b(?:always|must|instead|then|just))\b(?! of)"
    rf"|(?P<edits>\b(?:{forms.EDIT}|changes|edits|edited|changed|hand-edit\w*|bump\w*|add\w*)\b)"
    rf"|(?P<runs>\b(?:{forms.RUN}|uses?|prefer|regenerate)\b)|"
    rf"(?P<reads>\b(?:read|see|consult|check|look at|follow)\b)|(?P<other>[\w'’-]+)"
)
# "Before"; and "after" what is run or changed: these need no verb.
_BEFORE = ("before", "prior to", "bevor", "vor")
_PLAIN_MOMENTS = (*_BEFORE, "after", "upon")
_LISTED = kept(
    rf"(?:(?:and|or|nor|the|etc)\s+)*(?:{MENTION}(?!\s+(?:only|exclusively|instead)\b)|(?!always|must|use|run|then|just|only|it\b)(?:[\w-]+\s+){{0,3}}[\w-]+\s*(?:,|\bor\b|\band\b))"
)
_IF = kept(r"\s*(?:\([^)]*\)\s*)?(?:if|when|whenever|after|once|unless|during)\b")
_VERB_BEHIND = kept(
    rf"(?:\b(?:{_DENIES})|[,/]|\b(?:no|or|and|nor|to|ever|directly|automatically|manually|locally|just|simply|be))\s+$"
)
# "When you push", and not "if a commit", "once they would like to merge".
_ACTING = kept(
    rf"\b(?:{_MOMENTS})\s+(?:(?:you|we|i|ever|are|must|really|absolutely|need|want|have|about|to|actually|finally|(?:creat|mak|do)ing)\s+)*$"
)
# What is not so is told, and forbids nothing.
_TOLD = kept(
    r"(?:\b(?:did|does|is|are|was|were|has|have|had|will|would|could|can|am|need|do i|but)|['’](?:re|m|s|ve))\s+$"
)
_BRANCHES = kept(r"\bbranch(?:es)?\b")
_GOES_ON = kept(
    rf"(?:\b(?:{_MOMENTS}|you|we|i|they|somebody|anyone|ever|or|and|to|also|again|actually|directly|manually|any|the|all"
    r"|each|every|a|an|do|have|want|need|make|making|du|man|ich|wir)|,)$"
)
_ENDS_LIST = kept(r"\b(?:or|nor|and|oder|und)\b")
_OR = kept(r"^(?:(?:or|and|nor)\s+)+")
_RUN = kept(r"run|us|call|execut")
_WITH_IT = kept(r"\s(?:with|using|mit)\s+(?:the\s+)?$")
_IN_CASE = kept(r"^(?:when|while|if|during|wenn|beim?)\b")
_IMPERATIVE = kept(
    r"(?:.*[:,]\s)?(?:(?:please|always|we|you|must|should|only|just|this|project|repo|package|manager|is|and|sure|to|make)\s+)*(?:uses?|prefer|is)\s+(?:only\s+)?(?:the\s+)?$"
)
_FOR_ALL = kept(
    r"\s*(?:$|[.,;!(]|(?:only|exclusively|here|everywhere|throughout|and)\b|as (?:the|our) package"
    r"|to (?:manage|install|run|execute|search)|for (?:all|every|any|package|dependenc|project|repo|environment|code"
    r"|search|running|install|script))"
)
_AND_OTHERS = kept(rf"(?:\s*(?:,|/|\bor\b|\band\b)+\s*{MENTION})*")
_COMMANDS = kept(r"\s+commands?\b")
_ANY = kept(
    r"(?:\b(?:any|all|run|running|use|using|bare|plain|raw|the|direct|standard|call|other|execute)|[,/]|\bor)\s+$"
)
# "No notebooks in git" is about no call of git: a program alone is meant where it is run, or denied itself.
_RUN_BEFORE = kept(
    rf"(?:^|\b(?:{_DENIES}|{_MOMENTS}|no|and|or|nor|any|all|bare|plain|raw|the|your|direct|standard|other|system|global"
    rf"|{forms.RUN}|prefer|uses|with|via|through)|[,/(:{MENTION[1:-1]}])\s*$"
)
# "Always pass -race to go test", "go build always with -trimpath".
_GIVEN = kept(
    rf"(?:always |please )*(?:use|pass|add|give)\s+{MENTION}\s+(?:with|to|for)\s+{MENTION}[.!\s]*$"
    rf"|{MENTION}\s*:?\s+(?:only|always)\s+(?:with\s+)?{MENTION}"
)
_USES_IT = kept(
    rf"(?:(?P<always>when running tests|always|must|make sure to|please|only),?\s+)*"
    rf"(?:use|run|prefer|(?:[\w-]+\s+){{1,4}}with)\s+(?:the\s+)?(?P<what>{MENTION})"
    rf"(?:\s+command)?(?:\s+to (?:ensure|make sure)\b.*|\s+to (?:create|open|install)\b.*"
    r"|,\s+(?!(?:for|when|if|in|on|at|but|except|unless|or|and)\b).*)?[.!\s]*"
)
# "Always open pull requests as drafts (`gh pr create --draft`)".
_EXPLAINED = kept(rf"(?:please\s+)?(?:always|all|every|any)\b[^.;:{MENTION[1:-1]}]*\((?P<what>{MENTION})\)[.!\s]*")
_MY_LEAVE = kept(
    r"\bneeds? (?:my|the user['’]s|explicit) (?:permission|approval|consent|go-ahead|sign-?off|ok|okay) for\b"
)
_GERUND = kept(r"^(?:(?:running|using|calling|executing|starting|plain|bare|raw|the|just|but|because)\s+)+")
_CLAUSE = kept(r"[,;:()]\s+")
# "X eats all memory, use Y".
_BLAMED = kept(
    rf"(?:plain |bare |the )?(?P<what>{MENTION})\s+(?!works\b)[a-z]+s\s[^,;]*[,;]\s+(?:so |please |just |always )*"
    rf"(?:use|run|prefer)\s+(?:the )?{MENTION}"
)
_SUBJECTS = kept(rf"{MENTION}(?:(?:,\s+|\s+(?:and|or|without)\s+){MENTION})*")
# "Never use --force with npm".
_OF_PROGRAM = kept(rf"\s+(?:with|to|on|for|in)\s+(?:the\s+)?{MENTION}")
_LONG_OPTION = kept(r"--[a-z][\w-]{4,}(?: \S+)?")
_TWO_WORDS = kept(r"[a-z][\w-]*(?: [\w:./=-]+)+")


# One thing is to be done before another.
_IN_ORDER = kept(
    r"\b(?:before|prior to|bevor|vor|without|ohne|unless|until|till|first|zuerst|only\b.*\b(?:after|once|when|if)"
    r"|after (?:changing|editing|every change|each change))\b"
)

# Who waits for the person is not content with a command.
_PERSON = kept(rf"\b(?:ask|frag\w*|(?:without|unless|until|before)\s+{forms.PERSON})")


class _Reader:
    """One pass over a sentence: which role is open, by which word and verb, and what has had it."""

    def __init__(self, sentence: RuleSentence, *, is_english: bool) -> None:
        self.is_english = is_english
        self.sentence, self.role, self.opened, self.verb, self.main = sentence, "", "", "", ""
        self.has_one, self.loose = False, list[tuple[Mention, int]]()
        self.found: list[tuple[str, Mention, int]] = []
        verbs = {found.start(): found for found in verbs_in(sentence.spoken)}
        for token in _TOKENS.finditer(sentence.spoken):
            if token.start() in verbs:
                self._verb(verbs[token.start()])
            act = getattr(self, f"_{token.lastgroup}", None)
            if act is not None:
                act(token)

    def _open(self, role: str, word: str = "") -> None:
        self.role, self.opened, self.verb, self.has_one = role, word, "", False

    def _end(self, token: re.Match[str]) -> None:
        if token[0] == ":" and self.role == SHUNNED and not self.has_one:
            # "Never do: rebase ...".
            return
        self._open("")
        self.main, self.loose = "", []

    def _comma(self, token: re.Match[str]) -> None:
        behind = self.sentence.spoken[token.end() :].lstrip()
        begun = self.has_one or (self.role == SHUNNED and self.verb)
        # "Don't push to main, open a PR" wants the second; a list of what is shunned ends with an "or".
        is_list = verbs_in(_OR.sub("", behind), at=0) and _ENDS_LIST.search(behind)
        if not (begun and (_LISTED.match(behind) or is_list)):
            self._open("")
            self.main = ""

    def _joins(self, token: re.Match[str]) -> None:
        if token[0] == "but" or (token[0] == "and" and self.role == ASIDE):
            self._open("")

    def _banned(self, token: re.Match[str]) -> None:
        spoken = self.sentence.spoken
        verb = "edit" if token[0].endswith((" be ", " by")) and not _RUN.match(spoken, token.end()) else ""
        is_some = forms.LIMITED.match(spoken, token.end()) or forms.ONLY_OF.match(spoken, token.end())
        meant = [(_as(one, verb), at) for one, at in self.loose]
        self.found += [(SHUNNED, one, at) for one, at in meant if " " in one.text or one.kind == "path" or not is_some]

    def _hurts(self, token: re.Match[str]) -> None:
        head = self.sentence.spoken[: token.start()].strip()
        if verb := verbs_in(head, at=0):
            # "Pushing to main deploys".
            self.found += [(MOMENT, Mention("command", one, verb[0][0]), 0) for one in commands_of(verb[0][0])]
        # "Use A, plain B picks the wrong one" is told at B.
        head = _GERUND.sub("", _CLAUSE.split(head)[-1])
        named = self.sentence.named(head) if _SUBJECTS.fullmatch(head) else []
        self.found += [(HURTS, _as(one, "run"), token.start()) for one in named if one.said[:1] != "-"]
        self.found += [(WANTED, one, token.start()) for one in named if one.said[:1] == "-"]

    def _forgets(self, _: re.Match[str]) -> None:
        self._open(WANTED)
        self.main = WANTED

    def _denies(self, token: re.Match[str]) -> None:
        prefers = token[0] in ("instead of", "rather than")
        in_case = self.role in (*_MOMENT_ROLES, ASIDE) and not self.has_one
        is_other = in_case or is_of_others(self.sentence.spoken, token.start())
        led = self.sentence.spoken[: token.start()]
        is_wording = forms.WORDING.search(led) or _BRANCHES.search(led)
        is_told = token[0] == "not" and _TOLD.search(led)
        is_plain = self.is_english and not is_wording and not is_told and (prefers or not is_other)
        self._open(SHUNNED if is_plain else ASIDE, token[0])
        self.main = self.role

    def _moment(self, token: re.Match[str]) -> None:
        # "Never push before it is green" has no moment of its own.
        before = self.sentence.spoken[: token.start()]
        is_told = forms.DONE_BEFORE.search(before) or before.endswith("only ")
        role = BEFORE if token[0] in _BEFORE else MOMENT
        denied = self.main == SHUNNED and (role == BEFORE or token[0] in ("after", "once", "upon"))
        self._open(ASIDE if denied or is_told else role, token[0])

    def _asks(self, _: re.Match[str]) -> None:
        # "You need my permission for X."
        self._open(BEFORE, "before")

    def _nothing(self, token: re.Match[str]) -> None:
        self._open(SHUNNED, token[0])
        self.verb = "edit"

    def _aside(self, token: re.Match[str]) -> None:
        self._open(ASIDE, token[0])

    def _always(self, token: re.Match[str]) -> None:
        self._open(WANTED, token[0])
        self.main = WANTED

    def _only(self, token: re.Match[str]) -> None:
        self._open(WANTED, token[0])
        spoken, led = self.sentence.spoken, self.sentence.spoken[: token.start()].strip()
        verb = verbs_in(led, at=0)
        if verb and verb[0][0] == led and _IF.match(spoken, token.end()):
            # "Commit only after X".
            self.found += [(MOMENT, Mention("command", one, led), 0) for one in commands_of(led)]
        # "Only push after X" is not about X.
        self.main = SHUNNED

    def _edits(self, token: re.Match[str]) -> None:
        self._acts("edit", token)

    def _runs(self, token: re.Match[str]) -> None:
        self._acts("install" if token[0].startswith("install") else "run", token)

    def _reads(self, _: re.Match[str]) -> None:
        # "Before editing F read G" wants G.
        if self.has_one and self.role in _MOMENT_ROLES:
            self._open(WANTED)

    def _acts(self, verb: str, token: re.Match[str]) -> None:
        before = self.sentence.spoken[: token.start()].rstrip()
        # "Never edit A or run B" shuns both; "after editing A run B" wants B.
        if self.has_one and not (self.role == SHUNNED and before.endswith((" or", " nor", ","))):
            self._open(ASIDE if self.role == ASIDE else WANTED)
        elif not self.role:
            self._open(WANTED, token[0])
        elif self._begins_clause(token[0], before):
            self._open(WANTED)
        elif self.verb and not before.endswith((" or", " and", ",")):
            return
        self.verb = verb

    def _begins_clause(self, verb: str, before: str) -> bool:
        """Whether a verb is what is wanted, and no part of the moment: "before each release run X"."""
        is_moment = self.role in _MOMENT_ROLES and not self.verb
        return is_moment and not verb.endswith(("ing", "s")) and not _GOES_ON.search(before)

    def _mention(self, token: re.Match[str]) -> None:
        led = self.sentence.spoken[: token.start()]
        if self.has_one and self.role in _MOMENT_ROLES and _WITH_IT.search(led):
            # "Before running A take a backup with B" wants B.
            self._open(WANTED)
        for one in self.sentence.named(token[0]):
            self._give(one, token.start())

    def _verb(self, token: re.Match[str]) -> None:
        """Take a verb that stands for a command: "committing"; no noun: "the commit", "if a commit ..."."""
        before = self.sentence.spoken[: token.start()]
        is_denied = self.role == SHUNNED and self.verb in ("", "verb") and _VERB_BEHIND.search(before)
        if self.opened == "only" and _IF.search(self.sentence.spoken, token.end()):
            # "Only push after running X".
            self.found += [(MOMENT, Mention("command", one, token[0]), token.start()) for one in commands_of(token[0])]
            self.main = SHUNNED
        is_done = self.opened == "after" or (token[0][-2:] != "ed" and _ACTING.search(before))
        is_moment = self.role == BEFORE or (self.role == MOMENT and is_done)
        if is_denied or is_moment:
            self.has_one, self.verb = True, "verb"
            named = [Mention("command", one, token[0]) for one in commands_of(token[0])]
            self.found += [(self.role, one, token.start()) for one in named]

    def _give(self, one: Mention, at: int) -> None:
        is_first, self.has_one = not self.has_one, True
        before = self.sentence.named(self.sentence.spoken[:at].rstrip()[-1:])
        if before and before[0].said[:1] == "-" and one.kind == "command":
            # In "find with -exec rm" the second belongs to the option.
            return
        is_done = self.verb or self.opened in _PLAIN_MOMENTS or self.sentence.spoken[:at].endswith(("you ", "we "))
        wants_verb = self.role == MOMENT and not is_done
        led = self.sentence.spoken[:at].split()[-1:]
        if is_first and self.opened == "never" and not self.verb and led in (["in"], ["into"], ["to"]):
            self.verb = "edit"
        of = _OF_PROGRAM.match(self.sentence.spoken, at + 1) if one.said[:1] == "-" else None
        program = self.sentence.named(of[0])[0] if of else one
        if self.role == SHUNNED and program.kind == "command" and of:
            self.found.append((SHUNNED, Mention("command", with_option(program.text, one.said), one.said), at))
            self._open(ASIDE)
            return
        is_other = one.said[:1] == "-" and self.verb != "run" and led not in ([self.opened], ["a"], ["the"])
        if is_other or (self.verb == "edit" and led == ["for"]):
            return
        if self.role == SHUNNED and self.verb == "verb":
            self._commits(one, at)
        elif self.role in (SHUNNED, *_MOMENT_ROLES) and self.verb != "verb" and not wants_verb:
            self.found.append((self.role, _as(one, self.verb), at))
        elif " " in one.text and self._is_only(at):
            self.found.append((MOMENT, _as(one, "run"), at))
        elif self.role == WANTED:
            self.found.append((WANTED, one, at))
        elif not self.role and (led != ["the"] or f"`{one.said}" in self.sentence.text):
            # "The npm cache" is a thing.
            self.loose.append((one, at))

    def _is_only(self, at: int) -> bool:
        """Whether what stands there is wanted only in some case."""
        spoken = self.sentence.spoken
        in_case = self.opened == "only" and _IF.match(spoken, at + 1)
        return self.role == WANTED and bool(in_case or re.match(r"only (?:if|when|after)\b", spoken))

    def _commits(self, one: Mention, at: int) -> None:
        """Take a file that is not to be committed; then no other commit is meant."""
        plain = [each for each in self.found if each[1].text in ("git commit", "git add")]
        if is_file(one) and (plain or self.opened == "commit"):
            self.found = [each for each in self.found if each not in plain]
            named = [Mention("command", f"git {verb} {one.text}", one.said) for verb in ("add", "commit")]
            self.found += [(SHUNNED, each, at) for each in named]
            self.opened = "commit"


def _as(one: Mention, verb: str) -> Mention:
    """Return what is meant by a mention where something is done with it: a file is changed, a command is run."""
    if verb == "edit":
        one = as_file(one)
        return Mention("path", one.text, one.said) if is_file(one) else Mention("", "", one.said)
    if one.kind == "path":
        as_run = as_command(one, is_run=True) if verb == "run" else one
        return as_run if as_run.kind == "command" else Mention("", "", one.said)
    if verb == "install" and " " not in one.text:
        # "Before you install anything with brew" lets it list; what installs nothing is not meant.
        return installing(one) if installing(one) != one else Mention("", "", one.said)
    if _LONG_OPTION.fullmatch(one.said):
        return Mention("command", f"* {one.said.replace(' ', '=')}", one.said)
    if not one.kind and _TWO_WORDS.fullmatch(one.said):
        return Mention("command", one.said, one.said)
    return one


def by_roles(sentence: RuleSentence, *, is_english: bool = True) -> Derived | None:
    """Return at which calls a sentence is to be said, by what it shuns and by the moments that it names.

    In another language a word that denies may be of a verb that is not known, so that nothing is shunned.
    """
    spoken = sentence.spoken
    if not sentence.mentions and not verbs_in(spoken):
        return None
    if forms.REPORTS.search(spoken) or forms.WAS_DONE.match(spoken) or forms.TURNED.search(spoken):
        return None
    found = [each for each in _Reader(sentence, is_english=is_english).found if each[1].text or each[0] == WANTED]
    if blamed := _BLAMED.match(spoken):
        found += [(HURTS, _as(one, "run"), blamed.end()) for one in sentence.named(blamed["what"])]
    told = [(role, one) for role, one, at in found if role != WANTED and _is_whole(sentence, role, one, at)]
    if not told:
        return _with_option(sentence) or _rivals(sentence, found)
    named = tuple(dict.fromkeys([_with_program(sentence, one.text) for _, one in told if one.kind == "command"]))[
        :MAX_ITEMS
    ]
    paths = tuple(dict.fromkeys([one.text for _, one in told if one.kind == "path"]))[: MAX_ITEMS - len(named)]
    on = [one.text for role, one, at in found if role == WANTED and one.kind == "path" and spoken[:at].endswith(" on ")]
    if on and all(commands_of(one.said) for _, one in told):
        # "Run X on F before committing" is about F, and not about each commit.
        named, paths = (), tuple(dict.fromkeys(on))[:MAX_ITEMS]
    elif any(role in _MOMENT_ROLES and one.kind == "path" for role, one in told):
        # "When you change F, verify before committing" is told at F.
        named = tuple([one.text for _, one in told if one.kind == "command" and not commands_of(one.said)])
    is_git = any(one.startswith("git ") for one in named)
    option = [one.said for role, one, _ in found if role == WANTED and one.said[:1] == "-"]
    but = run_with(option[0], [one for _, one in told]) if option else ()
    condition = Condition((*named, *harmless(named), *but), paths, branches=branches_in(spoken) if is_git else ())
    # What is to be asked before, or is named itself behind "before", waits for that.
    waits = all(role == BEFORE for role, _ in told)
    is_plain = waits and (
        bool(forms.ASKS.search(spoken) or _MY_LEAVE.search(spoken)) or not any(commands_of(one.said) for _, one in told)
    )
    is_plain = is_plain and not any(one.goes_on for _, one in told)
    is_ban = waits or any(role == SHUNNED for role, _ in told)
    return Derived(condition, sentence.shown(0, len(spoken)), is_ban, is_plain or not is_ban) if condition else None


def wanted_at(sentence: RuleSentence) -> set[int]:
    """Return where a sentence names what it asks for."""
    return {at for role, _, at in _Reader(sentence, is_english=True).found if role == WANTED}


def wanted_first(sentence: RuleSentence) -> tuple[str, ...]:
    """Return the commands that a sentence wants to be run before that which it is told at."""
    if not _IN_ORDER.search(sentence.spoken) or _PERSON.search(sentence.spoken):
        return ()
    told = {one.text for role, one, _ in _Reader(sentence, is_english=True).found if role in (SHUNNED, BEFORE)}
    run = [as_command(one, is_run=True) for one in sentence.mentions]
    # A program alone may only be spoken of: "never add npm packages without a ticket".
    sure = [one for one in run if one.kind == "command" and (" " in one.text or f"`{one.said}`" in sentence.text)]
    return tuple(dict.fromkeys([one.text for one in sure if one.text not in told]))


def named_against(sentence: RuleSentence) -> list[Mention]:
    """Return what a sentence is against, wherever that can be told; of pairs ("A, not B") the forms know which."""
    found = [] if forms.INSTEAD.search(sentence.spoken) else _Reader(sentence, is_english=True).found
    return [one for role, one, _ in found if role == SHUNNED and one.text and one.text[0] != "!"]


def _with_program(sentence: RuleSentence, command: str) -> str:
    """Return a command with its program where the sentence has named that before: "git commands (`push --force`)"."""
    bare = [one.text for one in sentence.mentions if one.kind == "command" and one.text.isalpha()]
    is_part = command.split()[0] in among(TABLE, "sub-command") and command not in bare
    return f"{bare[0]} {command}" if bare and is_part and _COMMANDS.search(sentence.spoken) else command


def _with_option(sentence: RuleSentence) -> Derived | None:
    """Return a command that a sentence wants with options, or behind a wrapper, and nothing else: all but that."""
    given = _GIVEN.match(sentence.spoken)
    option, wanted = sorted(sentence.named(given[0]), key=lambda one: one.said[:1] != "-") if given else (None, None)
    if option and wanted and option.said[:1] == "-" and wanted.kind == "command":
        condition = Condition((wanted.text, *run_with(option.said, [wanted])))
        return Derived(condition, sentence.shown(0, len(sentence.spoken)), forbids=False, literal=True)
    found = _USES_IT.fullmatch(sentence.spoken)
    words = sentence.named(found["what"])[0].text.split() if found else []
    at = next((number for number, word in enumerate(words) if word[:1] == "-"), 0)
    base = words[:at] if at and all(word[:1] == "-" for word in words[at:]) else []
    wraps = " ".join(words[:2]) in among(COMMANDS, "wrapper-of-two") and found and found["always"]
    base = base or (words[2:] if wraps else [])
    if explained := _EXPLAINED.fullmatch(sentence.spoken):
        words = sentence.named(explained["what"])[0].text.split()
        at = next((number for number, word in enumerate(words) if word[:1] == "-"), 0)
        base = words[:at]
    if not base or base[0] in among(TABLE, "language"):
        return None
    condition = Condition((" ".join(base), f"!{' '.join(words)}"))
    return Derived(condition, sentence.shown(0, len(sentence.spoken)), forbids=False, literal=True)


def _rivals(sentence: RuleSentence, found: list[tuple[str, Mention, int]]) -> Derived | None:
    """Return what is used in the place of a program that is wanted for everything: "always use pnpm"."""
    named = {one.text.split()[0] for one in sentence.mentions if one.text}
    for role, one, at in found:
        others = listed(TABLE, f"rival {one.text}") if role == WANTED else ()
        is_all = _FOR_ALL.match(sentence.spoken, at + 1) and _IMPERATIVE.match(sentence.spoken[:at])
        is_some = forms.SOME_PLACE.search(sentence.spoken, at)
        if others and is_all and not is_some and not named & {other.split()[0] for other in others if other[0] != "!"}:
            return Derived(Condition(others), sentence.shown(0, len(sentence.spoken)), forbids=False, literal=False)
    return None


def _is_whole(sentence: RuleSentence, role: str, one: Mention, at: int) -> bool:
    """Whether a call of what is named is meant; a whole program is not where only some of its calls are."""
    if one.kind not in ("command", "path"):
        return False
    if one.kind == "path" or " " in one.text or role == HURTS:
        return True
    spoken, listed_with = sentence.spoken, _AND_OTHERS.match(sentence.spoken, at + 1)
    behind = listed_with.end() if listed_with else at + 1
    if _COMMANDS.match(spoken, behind) and not _ANY.search(spoken[:at]):
        # "Destructive git commands" are some of them.
        return False
    is_some = forms.ONLY_OF.match(spoken, behind) or forms.OPENS.match(spoken) or not _RUN_BEFORE.search(spoken[:at])
    is_case = role == SHUNNED and _IN_CASE.match(spoken)
    is_cut = forms.LISTS_MORE.match(spoken, behind)
    return bool(forms.WHOLE.match(spoken, behind)) and not (is_some or is_case or is_cut)
