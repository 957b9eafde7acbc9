"""A condition that somebody gives now: what names nothing that there is, and what holds at no call, is refused.

What is stored, derived or suggested holds at the very line, or the very file, that it names. Nothing of this is asked
in a hook.
"""

from __future__ import annotations

import json

from holdfast.errors import BadInput
from holdfast.language import tools
from holdfast.language.conditions import KINDS, Call, Condition, items_of, matched, parse
from holdfast.language.mentions import TABLE, is_file_ending
from holdfast.language.word_lists import among


def given(text: str) -> Condition:
    """Return the condition that somebody gives now: names that no tool and no kind of item has are refused, too."""
    for item in items_of(text):
        name, colon, _ = item.partition(": ")
        if colon and name.isalpha() and name.casefold() not in KINDS:
            raise BadInput(f"{name!a} is no kind of condition", f"Use one of {', '.join(KINDS)}, or none of them.")
    # A file that has no ending is known by its name.
    named = [f"path: {one}" if one.removeprefix("!") in among(TABLE, "file-name") else one for one in items_of(text)]
    condition = parse(", ".join([f"`{one}`" if "," in one else one for one in named]) if named else text)
    for tool in condition.tools:
        # The tools of a server are called as it likes, and their names have a sign that says so.
        is_known = tool.casefold() in tools.KINDS or tools.kind_of(tool) != "other" or any(one in tool for one in "*_.")
        if not is_known:
            kinds = ", ".join(tools.KINDS[:5])
            raise BadInput(
                f"no tool is called {tool!a}", f"Use a kind ({kinds}), an agent's name for it, or `*{tool}`."
            )
    _need_calls(condition)
    return condition


def _need_calls(condition: Condition) -> None:
    """Refuse what holds at no call, and what would be taken for the name of a file and hardly is one."""
    lost = not_holding(condition)
    if lost:
        raise BadInput(
            f"no call is {lost[0]!a}, so it would never hold",
            "Name one command, without quotes (`psql -c *DROP*`) or signs of the shell, that you do not except.",
        )
    for path in condition.paths:
        ending = path.rpartition(".")[2]
        is_known = is_file_ending(ending.lower()) or path.startswith(".env") or path in among(TABLE, "file-name")
        if is_known or any(sign in path for sign in "/*"):
            continue
        if path[:1] == ".":
            raise BadInput(f"{path!a} alone is no file", f"For files that end so give `*{path}`, for one `**/{path}`.")
        if ending[:1].isupper() and not ending.isupper():
            raise BadInput(f"{path!a} is no file", f"For a file of that name give `**/{path}`; code has no calls.")


def not_holding(condition: Condition) -> list[str]:
    """Return those commands and files of a condition that do not hold at the call which they name themselves."""
    plain = Condition(condition.commands, condition.paths)
    named = [(one, False) for one in condition.commands] + [(one, True) for one in condition.paths]
    return [one for one, is_path in named if one[:1] != "!" and not matched(plain, _named_call(one, is_path=is_path))]


def _named_call(pattern: str, *, is_path: bool) -> Call:
    """Return the call that a pattern names, with any word where that has a star."""
    if is_path:
        path = pattern.replace("**", "x").replace("*", "x")
        return Call("Edit", json.dumps({"file_path": f"{path}x" if path[-1:] == "/" else path}))
    words = [(word.split("|")[0] or word).replace("?", "x").replace("*", "x") for word in pattern.split()]
    return Call("Bash", " ".join(words))
