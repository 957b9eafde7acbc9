"""What somebody types who has read no page yet: other words, half a key, a slip, a text that looks like an option."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from holdfast.surfaces.cli.command_line import COMMANDS, GROUPS
from holdfast.surfaces.cli.main import ALIASES, suggestions

KEY = "deploys-need-the-vpn"


@pytest.fixture
def vpn(cli, shop):
    """The shop knows that deploys need the VPN."""
    assert cli("remember", "Deploys need the VPN.", "--key", KEY).code == 0
    return KEY


def test_help_shows_the_everyday_commands_first_and_the_rest_in_groups(cli) -> None:
    """About ten commands stand first; named groups have the others, each once."""
    out = cli("--help").out
    places = [out.index(f"{heading}:") for heading in GROUPS]
    assert places == sorted(places) and list(GROUPS)[1:] == [
        *("Memory", "Sharing", "Sessions", "Project", "Learning", "Upkeep")
    ]
    assert 8 <= len(GROUPS["Everyday commands"]) <= 12
    assert sum(map(len, GROUPS.values())) == len(COMMANDS)


def test_other_words_for_the_same(cli, shop) -> None:
    """`add`, `search`, `ls` and `rm` do what people expect of them."""
    assert cli("add", "Deploys need the VPN.").out.startswith("created")
    assert KEY in cli("search", "deploy").out and KEY in cli("ls").out
    assert cli("rm", KEY, "--yes").out == f"forgotten: {KEY}\n"
    assert not set(ALIASES) & set(COMMANDS)


def test_help_is_a_command_too(cli) -> None:
    """`help` is `--help`, of the program, of a command and of a command below it."""
    assert cli("help").out == cli("--help").out
    assert cli("help", "recall").out == cli("recall", "--help").out
    assert cli("help", "search").out == cli("recall", "--help").out
    assert cli("help", "sessions", "cost").out == cli("sessions", "cost", "--help").out
    assert cli("help", "nonsense").code == 2


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        (("remember", "--global", "Answer in British English."), "--scope global"),
        (("remember", "--decision", "We use SQLite."), "--type decision"),
        (("list", "--global"), "--scope global"),
    ],
)
def test_a_value_that_is_typed_as_an_option_names_its_option(cli, shop, typed: tuple[str, ...], meant: str) -> None:
    """Who types `--global` is told that it is `--scope global`, and nothing is stored."""
    refused = cli(*typed)
    assert refused.code == 2 and f"Did you mean {meant}?" in refused.err
    assert cli("list").out == ""


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("delete", "forget"),
        ("find", "recall"),
        ("new", "remember"),
        ("save", "remember"),
        ("connect", "install"),
        ("setup", "up"),
        ("recal", "recall"),
        ("sesions", "sessions"),
        ("rem", "remember"),
        ("delte", "forget"),
        ("Settings", "config"),
        ("undo", "updates undo?"),
        ("tasks", "todo"),
        ("serach", "search (recall)"),
        ("hlep", "help"),
        ("lst", "list?"),
    ],
)
def test_a_mistyped_command_leads_to_what_was_meant(cli, typed, meant) -> None:
    """A slip, a beginning and a synonym all name the command that the person wants."""
    ended = cli(typed)
    assert ended.code == 2 and f"Did you mean {meant}" in ended.err


@pytest.mark.parametrize(
    ("typed", "way"),
    [
        (("edit", "vpn", "Deploys need no VPN."), 'holdfast remember --key KEY "TEXT"'),
        (("move", "vpn", "global"), "holdfast move KEY --to global"),
        (("config", "set", "recall.limit", "-5"), "holdfast config set -- recall.limit -5"),
    ],
)
def test_a_natural_guess_is_answered_with_the_way(cli, typed, way) -> None:
    """A word too many, or a value that looks like an option, is refused with what to type instead."""
    cli("remember", "Deploys need the VPN.", "--key", "vpn")
    ended = cli(*typed)
    assert ended.code == 2 and way in ended.err
    assert "remember --key" not in cli("edit", "--bogus", "vpn").err


def test_a_prompt_and_a_session_are_taken_either_way(cli) -> None:
    """`preview` takes its prompt without an option, and `receipts` its session with one."""
    cli("remember", "Deploys need the VPN.")
    spoken = cli("preview", "how", "do", "deploys", "work?", "--json").json
    assert spoken == cli("preview", "--prompt", "how do deploys work?", "--json").json
    assert spoken["moment"] != cli("preview", "--json").json["moment"]
    assert cli("receipts", "--session", "abc", "--json").json == cli("receipts", "abc", "--json").json


def test_an_edit_that_makes_no_sense_is_told_at_once(cli, shop, monkeypatch) -> None:
    """Where the editor leaves a type that there is not, `edit` says what lint would say, else nothing."""
    cli("remember", "Never use npm.", "--key", "npm")
    monkeypatch.setenv("EDITOR", "sed -i s/npm/yarn/")
    assert "not one of" not in cli("edit", "npm").err
    monkeypatch.setenv("EDITOR", "sed -i 's/^type:.*/type: nonsense/'")
    ended = cli("edit", "npm")
    assert ended.out.startswith("updated") and "type is 'nonsense', which is not one of user, feedback" in ended.err


def test_a_decision_and_a_lesson_say_where_they_are_told(cli, shop) -> None:
    """As `remember` does, where they have a condition."""
    assert "at: yarn (derived from" in cli("decide", "Never use yarn.").err
    assert "at: npm (derived from" in cli("lesson", "Never use npm.").err
    assert "derived" not in cli("decide", "We use Postgres.").err


def test_an_option_before_its_command_is_shown_where_it_goes(cli) -> None:
    """Who writes `holdfast --json list` reads what to type instead."""
    ended = cli("--json", "list")
    assert ended.code == 2 and "go after it: holdfast list --json" in ended.err
    assert "go after it" not in cli("--nonsense").err


def test_a_word_that_is_like_nothing_gets_no_wrong_advice(cli) -> None:
    """Where nothing is near, the list of commands is named instead of a guess."""
    assert suggestions("nope") == [] and "Did you mean" not in cli("help", "nope").err
    ended = cli("zzzzzz")
    assert suggestions("zzzzzz") == [] and "Did you mean" not in ended.err and "--help` lists" in ended.err


def test_every_synonym_leads_to_a_command() -> None:
    """No suggestion names a command that is not there."""
    for word in ("version", "review", "cost", "mv", "rename", "agents", "server"):
        assert suggestions(word) and all(name in COMMANDS or name == "--version" for name in suggestions(word))


@pytest.mark.parametrize(
    "words",
    [
        ("show",),
        ("history",),
        ("related",),
        ("pin",),
        ("unpin",),
        ("edit",),
        ("move", "--to", "global", "--dry-run"),
        ("forget", "--dry-run"),
    ],
)
def test_the_beginning_of_a_key_is_enough(cli, vpn, editor, words) -> None:
    """Every command that takes a key takes the beginning of one."""
    editor("true")
    cli("remember", f"See [[{vpn}]].", "--key", "another")
    name, *options = words
    ended = cli(name, "deploys-n", *options)
    assert ended.code == 0 and (vpn in ended.out or "another" in ended.out)


def test_what_replaces_may_name_the_beginning_of_a_key(cli, vpn) -> None:
    """`--supersedes` takes the beginning of a key, and stores the key."""
    assert cli("remember", "Deploys use GitHub.", "--supersedes", "deploys-n", "--json").code == 0
    found = {memory["key"]: memory["superseded_by"] for memory in cli("list", "--json").json["memories"]}
    assert found[vpn] == "deploys-use-github"


def test_several_keys_that_begin_so_are_listed(cli, vpn) -> None:
    """An ambiguous beginning changes nothing, ends with 2 and lists the keys; the whole key of one is itself."""
    cli("remember", "Deploys.", "--key", "deploys")
    cli("remember", "Deploys run at noon.", "--key", "deploys-at-noon")
    ended = cli("forget", "deploys-", "--yes")
    assert ended.code == 2 and "deploys-at-noon, deploys-need-the-vpn" in ended.err
    assert cli("forget", "deploys", "--yes").out == "forgotten: deploys\n"
    assert cli("show", "deploys-a", "--path").out.strip().endswith("deploys-at-noon.md")


def test_a_key_whose_file_is_broken_does_not_stand_for_another(cli, vpn, write) -> None:
    """A key that has a file means that file, even where it cannot be read as a memory."""
    write("global/memories/deploys.md", b"---\ntags: [\n---\n\x00\n")
    cli("forget", "deploys", "--yes")
    assert cli("show", vpn).code == 0


def test_a_key_of_another_scope_is_not_meant(cli, vpn) -> None:
    """Only keys that are visible here, and in the scope that was named, are looked at."""
    assert cli("show", "deploys-n", "--scope", "global").code == 3
    assert cli("show", "deploys-n", "--project", "other").code == 3


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("recall", "--watch", "mode"), "holdfast recall -- --watch mode"),
        (("remember", "--watch rebuilds."), "holdfast remember -- '--watch rebuilds.'"),
        (("sessions", "search", "--watch"), "holdfast sessions search -- --watch"),
        (("todo", "--watch", "is", "slow"), "holdfast todo -- --watch is slow"),
    ],
)
def test_a_text_that_begins_like_an_option(cli, shop, words, hint) -> None:
    """The error says how to write it, and what it says works."""
    ended = cli(*words)
    assert ended.code == 2 and hint in ended.err
    at = 2 if words[0] == "sessions" else 1
    assert cli(*words[:at], "--", *words[at:]).code == 0


def test_a_mistyped_option_of_another_command_gets_no_such_hint(cli, shop) -> None:
    """Where no text is taken, an unknown option is only that."""
    assert "--" not in cli("config", "--wat").err.partition("No such option")[2].replace("--wat", "")


def test_hints_can_be_typed_where_the_shell_does_not_find_us(shop, tmp_path) -> None:
    """With no `holdfast` on the PATH, hints, examples and usage name what works here."""
    environment = {**os.environ, "PATH": str(tmp_path)}
    module = [sys.executable, "-m", "holdfast"]
    script = [os.path.join(os.path.dirname(sys.executable), "holdfast")]
    for words in (module, script):
        called = " ".join(words)
        for asked in ("list", "show nothing", "recall --help", "recal", "up"):
            ended = subprocess.run(
                [*words, *asked.split()], env=environment, capture_output=True, text=True, check=False
            )
            told = ended.stdout + ended.stderr
            assert called in told, asked
            for line in told.replace(called, "").splitlines():
                assert "holdfast " not in line.replace("--help", "").replace("/.holdfast ", ""), line


@pytest.mark.parametrize(
    ("words", "owner"),
    [
        (("decide", "--because", "It scales."), "`holdfast decide TEXT`"),
        (("decide", "Use Postgres.", "--all"), "`holdfast decide`"),
    ],
)
def test_an_option_of_another_command_of_the_group(cli, shop, words, owner) -> None:
    """An option that the group knows elsewhere is no text: the command it belongs to is named, and no -- is advised."""
    ended = cli(*words)
    assert ended.code == 2 and owner in ended.err.replace("\n", " ") and " -- " not in ended.err


@pytest.mark.parametrize("option", ["--because", "--why", "--reason"])
def test_a_reason_is_given_by_the_word_that_comes_to_mind(cli, shop, option) -> None:
    """Other commands say --reason, and people say why."""
    assert cli("decide", "Use Postgres.", option, "We need row locks.").code == 0
    assert "We need row locks." in cli("decide").out


def test_ls_is_list_in_a_group_that_has_one(cli, shop) -> None:
    """`project ls` lists the projects as `project list` does, and refuses a word more in the same way."""
    cli("remember", "Apples are red.")
    assert cli("project", "ls").out == cli("project", "list").out != cli("project").out
    assert cli("project", "ls", "foo").err == cli("project", "list", "foo").err


@pytest.mark.parametrize(
    "words",
    ["status", "up", "doctor", "install claude-code -n", "import -n", "schedule --status", "activity x.py", "list"],
)
def test_a_working_folder_that_was_deleted(cli, shop, machine, monkeypatch, words) -> None:
    """A command that needs no project works in a folder that is gone."""
    gone = machine / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    ended = cli(*words.split())
    assert ended.code in (0, 1) and "Errno" not in ended.err
    if words in ("status", "up"):
        assert ended.code == 0 and "none: the working directory is gone" in ended.out


@pytest.mark.parametrize(
    ("words", "thing"),
    [
        ("receipts zz", "receipt"),
        ("updates --command nosuch", "update"),
        ("sessions --branch nope", "session"),
        ("sessions --outcome failure", "session"),
        ("sessions --agent nosuch", "session"),
        ("activity nosuch", "changed file"),
        ("timeline --since 7d", "session"),
    ],
)
def test_a_choice_that_nothing_fits(cli, shop, words, thing) -> None:
    """Where the line chose among things, an empty answer is due to the choice; an agent that is not known is named."""
    ended = cli(*words.split())
    assert ended.code == 0 and f"no {thing} fits what was asked for" in ended.err and "yet" not in ended.err
    assert ("there is no agent 'nosuch'" in ended.err) == ("--agent" in words)


@pytest.mark.parametrize(("typed", "meant"), [("claude", "claude-code"), ("gemini", "gemini-cli")])
def test_the_short_name_of_an_agent(cli, shop, typed, meant) -> None:
    """The beginning of an agent's name leads to the whole one."""
    ended = cli("install", typed)
    assert ended.code == 3 and f"Did you mean {meant}?" in ended.err


def test_an_agent_that_is_only_read_gets_no_files(cli, shop) -> None:
    """Where an install has nothing to write, nothing is said to be prepared."""
    ended = cli("install", "pi")
    assert "Pi was not found here" in ended.err and "prepared" not in ended.err


def test_an_empty_id_is_shown_as_one(cli, shop) -> None:
    """The message of an id that is not there shows also an empty one."""
    assert "no update ''" in cli("updates", "show", "").err
