"""What every form of a rule is made of: the condition of what a sentence names, with its branches and exceptions.

Nothing of this is asked in a hook.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from holdfast.base.regexes import kept
from holdfast.language import commands as programs
from holdfast.language import rule_forms as forms
from holdfast.language.conditions import SCRIPTS, Condition, looks_like_path
from holdfast.language.mentions import BRANCH, TABLE, Mention, RuleSentence, harmless, known_options, same_options
from holdfast.language.word_lists import among

# What is called so has no one name.
_MEANT = {"default": ("main", "master"), "release": ("release*",), "hotfix": ("hotfix*",)}
# A name with colons is no program, but a script or task that one of these runs: `db:reset:all`.
_SCRIPT, _RUNNERS = kept(r"[a-z][\w-]*(?::[\w-]+)+"), "npm|pnpm|yarn|bun|rake|rails|composer|task"
_WORDS = kept(r"[a-z][\w:.-]*(?: [\w:./=-]+)*")


@dataclass(frozen=True, slots=True)
class Derived:
    """A condition and the words that say it; whether these forbid or set one, and whether they name it literally.

    `asks`: they want the person to be asked first.
    """

    condition: Condition
    words: str
    forbids: bool
    literal: bool
    asks: bool = False


def wants_asking(said: str) -> bool:
    """Whether a statement, in English, wants the person to be asked before something is done."""
    return bool(forms.WANTS_ASKING.search(said.casefold()))


def of_mentions(
    sentence: RuleSentence, found: re.Match[str], mentions: list[Mention], *, forbids: bool, but: tuple[str, ...] = ()
) -> Derived | None:
    """Return the condition of these mentions, unless words before or behind them turn it around."""
    some = [one for one in mentions if one.text and one.kind in ("command", "path")]
    excepted = forms.EXCEPT.match(sentence.spoken, found.end())
    others = sentence.named(excepted["but"]) if excepted else []
    is_known = bool(others) and {one.kind for one in others} <= {one.kind for one in some}
    behind = found.end() if is_known else found.end() + 30
    if forms.TURNED.search(sentence.spoken[max(0, found.start() - 1) : behind]) and found.re is not forms.ALL_BUT:
        return None
    named = tuple([one.text for one in some if one.kind == "command"])
    paths = tuple([one.text for one in some if one.kind == "path"])
    is_git = any(one.startswith("git ") for one in named)
    branches = branches_in(sentence.spoken, at=not is_git)
    spared = {kind: [f"!{one.text}" for one in others if is_known and one.kind == kind] for kind in ("command", "path")}
    commands = (*named, *harmless(named), *but, *spared["command"])
    condition = Condition(commands, (*paths, *spared["path"]), branches=branches)
    is_literal = not any(one.goes_on for one in some)
    return Derived(condition, sentence.shown(*found.span()), forbids, is_literal)


def branches_in(spoken: str, *, at: bool = False) -> tuple[str, ...]:
    """Return the branches that a sentence names as those which it is about; with `at` only those to be on."""
    found = forms.BRANCH.search(spoken)
    if found and at and not found[0].startswith(("on ", "auf ")):
        return ()
    other = None if found or at else forms.TO_BRANCH.search(spoken)
    said = (
        re.sub(r"\b(?:or|and|nor|not|on|to|from|oder|und|any|the)\b", " ", found["names"])
        if found
        else other["name"]
        if other
        else ""
    )
    names = [name.removeprefix(BRANCH) for name in re.findall(rf"{BRANCH}[\w./*-]*[\w*]|[\w.-]*\w", said)]
    return tuple(dict.fromkeys([one for name in names for one in _MEANT.get(name, (name,))]))


def run_with(need: str, wanted: list[Mention], *, or_like: bool = False) -> tuple[str, ...]:
    """Return these commands as they are to be run: with an option, or behind a wrapper.

    With `or_like` also with any option that may be the same, where nobody knows its other name.
    """
    named = [one.text for one in wanted if one.kind == "command"]
    if need[:1] == "-":
        like = "" if not or_like or set(need) & set(" =") else "|-?" if need[:2] == "--" else f"|-{need.casefold()}*"
        return tuple([f"!{with_option(one, need)}{'' if known_options(one, need) else like}" for one in named])
    wraps = any(programs.is_a(need, kind) for kind in ("wrapper", "wrapper-of-two"))
    return tuple([f"!{need} {one}" for one in named if wraps])


def with_option(command: str, option: str) -> str:
    name, _, value = option.partition(" ")
    return f"{command} {same_options(command, name)}" + (f"{'=' if name[:2] == '--' else ' '}{value}" if value else "")


def is_file(one: Mention) -> bool:
    """Whether a mention is a file, where the words say that it is changed or committed."""
    return one.kind == "path" or (not one.kind and looks_like_path(one.text))


def as_file(one: Mention) -> Mention:
    """Return a script as the file that it is, where the words say that it is changed, and not run."""
    is_script = one.kind == "command" and " " not in one.text
    is_script = is_script and (
        one.text.endswith(SCRIPTS) or one.text[:2] == "./" or one.text in among(TABLE, "wrapper")
    )
    return Mention("path", one.text.removeprefix("./"), one.said) if is_script else one


def as_command(one: Mention, *, is_run: bool = False) -> Mention:
    """Return a script that is named to be run as a command, and with `is_run` whatever is in backquotes."""
    if is_run and not one.kind and _SCRIPT.fullmatch(one.said):
        return Mention("command", f"{_RUNNERS} {one.said}", one.said)
    if is_run and not one.kind and _WORDS.fullmatch(one.said):
        return Mention("command", one.said, one.said)
    ending = one.text.rpartition(".")[2] if "." in one.text else ""
    is_script = one.kind == "path" and "*" not in one.text and ending in among(TABLE, "script-ending")
    return Mention("command", one.text, one.said) if is_script else one


def installing(one: Mention) -> Mention:
    """Return what is forbidden where a program must not install something: "don't install with pip" lets it list."""
    is_known = one.kind == "command" and programs.is_a(f"{one.text} install", "install")
    return Mention(one.kind, f"{one.text} install", one.said) if is_known else one
