"""Writes the generated parts of docs/cli.md and docs/settings.md; a test says when they are out of date.

    python docs/generate.py

A generated part stands between `<!-- options: remember -->` or `<!-- setting: recall.limit -->` and `<!-- end -->`.
"""

from __future__ import annotations

import os
import re
import sys

import click

from holdfast.settings import BY_NAME, variable_of
from holdfast.surfaces.cli.main import cli

DOCS = os.path.dirname(os.path.abspath(__file__))
WHERE = ("project", "session", "profile")
_PART = re.compile(r"(<!-- (options|setting): ([^\n]+?) -->\n).*?(<!-- end -->)", re.DOTALL)


def find(name: str) -> click.Command:
    """Return the command of that name; `project alias` is a sub-command, and `holdfast` the program itself."""
    command: click.Command = cli
    for word in name.split() if name != "holdfast" else ():
        found = command.get_command(click.Context(command), word) if isinstance(command, click.Group) else None
        if found is None:
            raise LookupError(f"there is no command {name}")
        command = found
    return command


def options_of(command: click.Command) -> list[click.Option]:
    """Return the options of a command, as its help shows them."""
    return [option for option in command.params if isinstance(option, click.Option) and not option.hidden]


def options_part(name: str) -> str:
    """Return the list of options of a command; those of where we are share one line."""
    options = options_of(find(name))
    lines = [_line(option) for option in options if option.name not in WHERE]
    if any(option.name in WHERE for option in options):
        names = ", ".join(_spelled(option) for option in options if option.name in WHERE)
        lines.append(f"- {names}: see [where we are](#where-we-are).")
    return "\n".join(lines or ["It has no options of its own."])


def setting_part(name: str) -> str:
    """Return what the table of settings says about one of them."""
    setting = BY_NAME[name]
    default = str(setting.default).lower() if isinstance(setting.default, bool) else str(setting.default)
    return f"{setting.help}\n\nDefault: `{default or '(empty)'}`. Environment: `{variable_of(name)}`."


def generated(text: str) -> str:
    """Return the page with each generated part made anew."""

    def part(match: re.Match[str]) -> str:
        body = options_part(match[3]) if match[2] == "options" else setting_part(match[3])
        return f"{match[1]}{body}\n{match[4]}"

    return _PART.sub(part, text)


def _line(option: click.Option) -> str:
    text = " ".join((option.help or "").split())
    choices = option.type.choices if isinstance(option.type, click.Choice) else ()
    values = f" One of {', '.join(f'`{choice}`' for choice in choices)}." if choices else ""
    return f"- {_spelled(option)}: {text}{values}{' Required.' if option.required else ''}"


def _spelled(option: click.Option) -> str:
    names = sorted([*option.opts, *option.secondary_opts], key=len, reverse=True)
    value = "" if option.is_flag else f" {option.metavar or (option.name or '').upper()}"
    if isinstance(option.type, click.Choice):
        value = " " + names[0].lstrip("-").upper()
    elif not option.is_flag and not option.metavar:
        value = " N" if isinstance(option.type, click.IntRange) else " TEXT"
    return ", ".join([f"`{names[0]}{value}`", *(f"`{name}`" for name in names[1:])])


def main() -> None:
    """Write the pages."""
    for name in ("cli.md", "settings.md"):
        path = os.path.join(DOCS, name)
        with open(path, encoding="utf-8") as file:
            before = file.read()
        after = generated(before)
        if after != before:
            with open(path, "w", encoding="utf-8") as file:
                file.write(after)
            sys.stdout.write(f"wrote {name}\n")


if __name__ == "__main__":
    main()
