"""Bad input: a clear error that names the thing and the way out, the right exit code, and not a byte changed."""

from __future__ import annotations

import os

import pytest


@pytest.fixture
def settled(cli, shop, home):
    """A home with a memory."""
    cli("remember", "Apples are red.", "--key", "apples")
    cli("list")
    return home


CASES = [
    ("remember x --key UPPER", b"", 2, "UPPER", "upper"),
    ("remember x --key " + "x" * 61, b"", 2, "is not a key", "1 to 60"),
    ("remember x --key ../x", b"", 2, "../x", "hyphen"),
    ("remember x --key=", b"", 2, "is not a key", "hyphen"),
    ("remember x --key a\nb", b"", 2, "a\\nb", "hyphen"),
    ("serve --port 0 --public-url http://[x", b"", 2, "is not an address", "https://"),
    ("serve --port 0 --store postgresql://a:b@[x", b"", 2, "is not an address", "https://"),
    ("hub join https://[x", b"", 2, "is not an address", "https://"),
    ("show ../x", b"", 2, "../x", "hyphen"),
    ("show nothing", b"", 3, "nothing", "holdfast list"),
    ("forget nothing --yes", b"", 3, "nothing", "holdfast list"),
    ("remember x --project ../x", b"", 2, "../x", ""),
    ("remember x --scope session --session ../x", b"", 2, "../x", ""),
    ("remember x --scope agent --profile ../x", b"", 2, "../x", ""),
    ("remember x --scope session", b"", 2, "no session", "--session"),
    ("remember x --scope agent", b"", 2, "no agent", "--profile"),
    ("recall x --scope session", b"", 2, "no session", "--session"),
    ("remember x --scope world", b"", 2, "world", "global"),
    ("remember x --type opinion", b"", 2, "opinion", "lesson"),
    ("remember", b"", 2, "no text", "Example"),
    ("remember -", b"  \n", 2, "no text", "Example"),
    ("remember -", b"a\0b", 2, "NUL", "Remove"),
    ("remember -", b"caf\xe9", 2, "not UTF-8", "Convert"),
    ("remember -", b"x" * 5_000_000, 2, "5,000,000 bytes", "data/"),
    ("remember x --supersedes gone", b"", 3, "gone", "holdfast list"),
    ("remember x --nonsense", b"", 2, "--nonsense", "--help"),
    ("recall x --since soon", b"", 2, "soon", "2026-11-01"),
    ("recall x --until soon", b"", 2, "soon", "yesterday"),
    ("list --since soon", b"", 2, "soon", "2026-11-01"),
    ("recall x --limit 0", b"", 2, "0", ""),
    ("recall x --scope global --everywhere", b"", 2, "everywhere", "not both"),
    ("recall x --project ../x", b"", 2, "../x", "hyphen"),
    ("recall x --agent=", b"", 2, "not the name of an agent", "show"),
    ("recall x --agent a\nb", b"", 2, "a\\nb", "show"),
    ("related nothing", b"", 3, "nothing", "holdfast list"),
    ("related ../x", b"", 2, "../x", "hyphen"),
    ("related apples --limit 0", b"", 2, "0", ""),
    ("related apples --scope session", b"", 2, "no session", "--session"),
    ("move apples", b"", 2, "nothing says where apples should go", "--to"),
    ("move apples --to project", b"", 2, "already", "--to"),
    ("init .git/HEAD", b"", 2, "is a file", "Name a folder"),
    (
        "remember x --key sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789",
        b"",
        2,
        "looks like a secret",
        "another name",
    ),
    ("remember <private>x</private>", b"", 2, "nothing is left", "not the secret"),
    ("--set nonsense list", b"", 2, "nonsense", "NAME=VALUE"),
    ("--set recall.limt=3 list", b"", 2, "recall.limt", "recall.limit"),
    ("config set recall.limit many", b"", 2, "many", "Example"),
    ("edit apples", b"", 2, "no editor", "EDITOR"),
    ("clear", b"", 2, "--scope", ""),
    ("bench nonsense", b"", 3, "nonsense", "There are"),
]


@pytest.mark.parametrize(("line", "stdin", "code", "named", "way_out"), CASES, ids=[case[0][:40] for case in CASES])
def test_bad_input(cli, settled, tree, line, stdin, code, named, way_out) -> None:
    """Each is refused with its exit code, by name, with a way out, and the home stays as it was."""
    before = tree(settled)
    ended = cli(*line.split(" "), stdin=stdin)
    assert (ended.code, ended.out) == (code, "")
    assert named in ended.err and way_out in ended.err and "Traceback" not in ended.err
    assert tree(settled) == before


@pytest.mark.parametrize("where", ["~", "/", "gone"])
def test_a_store_where_there_is_no_project(cli, settled, tree, machine, monkeypatch, where) -> None:
    """In the home folder, at the root and in a folder that is gone there is no project; it never falls into global."""
    gone = machine / "gone"
    gone.mkdir()
    monkeypatch.chdir({"~": machine, "/": "/", "gone": gone}[where])
    gone.rmdir()
    before = tree(settled, index=True)
    ended = cli("remember", "Apples are red.")
    assert ended.code == 2 and "--scope global" in ended.err
    assert tree(settled, index=True) == before
    assert cli("remember", "Apples are red.", "--scope", "global").code == 0
    monkeypatch.chdir(machine)


@pytest.mark.parametrize(
    ("text", "named", "way_out"),
    [
        ("not toml at all", "is not TOML", "editor"),
        ("enbled = false\n", "enbled", "Did you mean enabled?"),
        ("[recall]\nlimit = 'five'\n", "recall.limit", "whole number"),
    ],
)
@pytest.mark.parametrize("words", [("list",), ("remember", "x"), ("config",), ("status", "--json")])
def test_a_broken_config(cli, settled, tree, text, named, way_out, words) -> None:
    """A config.toml that cannot be used stops every command with 2, by file and name."""
    (settled / "config.toml").write_text(text)
    before = tree(settled, index=True)
    ended = cli(*words)
    assert (ended.code, ended.out) == (2, "")
    assert named in ended.err and way_out in ended.err and "config.toml" in ended.err
    assert tree(settled, index=True) == before


@pytest.mark.parametrize(
    "words", [("list",), ("remember", "x"), ("config", "get", "distil.days"), ("status", "--json")]
)
def test_an_unknown_setting_takes_nothing_away(cli, settled, words) -> None:
    """A name in config.toml that is none is told once, with its line and the nearest; the command does its work."""
    (settled / "config.toml").write_text("[recall]\nlimt = 5\n[distil]\ndays = 7\n")
    ended = cli(*words)
    assert ended.code == 0 and ended.out
    told = f"{settled / 'config.toml'}:2: there is no setting 'recall.limt'"
    assert ended.err.count(told) == 1 and "Did you mean recall.limit?" in ended.err
    assert words[0] != "config" or ended.out == "7\n"


def test_a_home_that_is_a_file(cli, shop, tmp_path) -> None:
    """A home that is a file is an unreachable store: 5, for reading and writing."""
    (tmp_path / "home").write_text("")
    for words in (("list",), ("remember", "x"), ("doctor",)):
        ended = cli("--home", str(tmp_path / "home"), *words)
        assert ended.code == 5 and "is not a folder" in ended.err and "HOLDFAST_HOME" in ended.err


def test_a_home_that_cannot_be_made(cli, shop) -> None:
    """A home in a place that cannot be written is 5 for a store, and reading is just empty."""
    assert cli("--home", "/proc/nowhere", "list").code == 0
    ended = cli("--home", "/proc/nowhere", "remember", "x")
    assert ended.code == 5 and "/proc/nowhere" in ended.err and os.path.exists("/proc/nowhere") is False


def test_a_bad_id_in_the_environment(cli, shop, monkeypatch) -> None:
    """A bad id in a variable is refused as one in an option, and named with its variable."""
    monkeypatch.setenv("HOLDFAST_PROJECT", "../x")
    ended = cli("list")
    assert ended.code == 2 and "HOLDFAST_PROJECT" in ended.err


@pytest.mark.parametrize(
    ("text", "named"), [("not toml at all", "is not TOML"), ("[recall]\nlimit = 'five'\n", "limit")]
)
def test_the_doctor_reports_a_broken_config(cli, settled, tree, text, named) -> None:
    """A config.toml that cannot be used is a finding among the others, and nothing is written without its settings."""
    (settled / "config.toml").write_text(text)
    (settled / "config.toml").chmod(0o600)
    before = tree(settled)
    ended = cli("doctor", "--json")
    (found,) = [one for one in ended.json["problems"] if one["kind"] == "setting"]
    assert ended.code == 1 and named in found["text"] and found["path"].endswith("config.toml") and found["hint"]
    assert tree(settled) == before and cli("doctor", "--fix").code == 2


@pytest.mark.parametrize("words", ["todo lst", "lesson shw x", "todo dnoe", "decide lst", "rate --list 5"])
def test_a_mistyped_sub_command_is_not_stored(cli, shop, home, tree, words) -> None:
    """One or two words of which the first is nearly a sub-command are an error that names it, and nothing is kept."""
    assert cli("remember", "--scope", "global", "I like tabs.").code == 0
    before = tree(home)
    ended = cli(*words.split())
    assert ended.code == 2 and ("Did you mean" in ended.err or "--list takes no argument" in ended.err)
    assert tree(home) == before


def test_a_text_that_looks_like_a_sub_command_can_be_added(cli, shop) -> None:
    """With `add` any word is a text, and so is a sentence without it."""
    assert cli("todo", "add", "lst").code == 0
    assert cli("todo", "Dome lights of the shop").code == 0
    assert "lst" in cli("todo").out and "Dome lights" in cli("todo").out
