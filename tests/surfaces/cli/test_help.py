"""Help: every command opens with an example."""

from __future__ import annotations

import click
import pytest
from click.testing import CliRunner

from holdfast.surfaces.cli.command_line import COMMANDS
from holdfast.surfaces.cli.main import cli


def every_command() -> list[tuple[str, ...]]:
    """Return every command and sub-command."""
    found: list[tuple[str, ...]] = []
    for name in COMMANDS:
        command = cli.get_command(click.Context(cli), name)
        found.append((name,))
        if isinstance(command, click.Group):
            found += [(name, inner) for inner in command.list_commands(click.Context(command))]
    return found


EVERY = every_command()
READERS = (
    "recall",
    "related",
    "show",
    "list",
    "history",
    "project",
    "lint",
    "doctor",
    "status",
    "config",
    "config get",
    "up",
    "sessions",
    "sessions cost",
    "sessions search",
    "timeline",
    "activity",
)


@pytest.mark.parametrize("words", EVERY, ids=" ".join)
def test_help_opens_with_an_example(cli, words) -> None:
    """The first line after the usage is an example of that very command, and no paragraph is set as code."""
    ended = cli(*words, "--help")
    lines = [line for line in ended.out.splitlines()[1:] if line.strip()]
    assert ended.code == 0 and ended.err == ""
    assert lines[0].strip().startswith(("Example: holdfast " + words[0], 'Example: eval "$(holdfast completion'))
    assert "      " not in ended.out.split("Options:")[0].split("Example:")[1]


def test_the_list_of_commands_says_what_each_does(cli) -> None:
    """The main help and the help of a group list each command with a sentence, not with its example."""
    out = cli("--help").out
    for name, about in COMMANDS.items():
        assert name in out and about.split()[0] in out
    for group in ("project", "config"):
        assert "Example" not in cli(group, "--help").out.split("Commands:")[1]


@pytest.mark.parametrize("name", READERS)
def test_every_reader_has_json(cli, name) -> None:
    """What reads can answer in JSON."""
    assert "--json" in cli(*name.split(), "--help").out


def test_every_plan_can_be_looked_at(cli) -> None:
    """What removes or moves has a dry run."""
    for name in ("forget", "clear", "tidy", "heal", "prune", "move", "init", "project merge", "project alias"):
        assert "--dry-run" in cli(*name.split(), "--help").out


def test_version(cli) -> None:
    """The version is told."""
    assert cli("--version").out.startswith("holdfast, version ")


def test_a_slip_of_the_pen(cli) -> None:
    """A command that is none is a usage error that names the nearest; `holdfast` alone shows the help."""
    ended = cli("recal")
    assert ended.code == 2 and "Did you mean recall?" in ended.err and ended.out == ""
    assert cli("zzzzzz").code == 2
    alone = cli()
    assert "Everyday commands:" in alone.out + alone.err


def offered(*words: str) -> set[str]:
    """Return which of the options that say where we are the help of a command offers."""
    shown = CliRunner().invoke(cli, [*words, "--help"])
    assert shown.exit_code == 0
    return {name for name in ("project", "session", "profile") if f"--{name} " in shown.output}


@pytest.mark.parametrize(
    "words",
    [
        "config",
        "config set",
        "prune",
        "heal",
        "lint",
        "reindex",
        "updates",
        "doctor",
        "install",
        "uninstall",
        "schedule",
        "receipts",
        "sweep",
        "init",
        "sessions show",
        "sessions pin",
        "patterns approve",
        "measure",
    ],
)
def test_a_command_that_goes_by_no_place_offers_none(words) -> None:
    """Where neither project nor session nor profile changes what a command does, it has no such option."""
    assert offered(*words.split()) == set()


@pytest.mark.parametrize(
    "words",
    ["work", "work show", "security", "research", "synthesis", "rate import", "todo", "decide", "timeline", "status"],
)
def test_a_session_that_is_for_nothing_is_not_offered(words) -> None:
    """Commands that go by the project alone speak of no session and no profile."""
    assert offered(*words.split()) == {"project"}


@pytest.mark.parametrize("words", ["remember", "recall", "list", "show", "forget", "pin", "move", "tidy"])
def test_memories_are_in_scopes_of_every_kind(words) -> None:
    """Commands on memories take all three."""
    assert offered(words) == {"project", "session", "profile"}


@pytest.mark.parametrize("words", [["rate"], ["rate", "add"]])
def test_rate_says_that_a_session_is_the_one_to_rate(words) -> None:
    """There it does not name a scope."""
    shown = CliRunner().invoke(cli, [*words, "--help"]).output
    assert "The session to rate" in shown and "for the scope session" not in shown
