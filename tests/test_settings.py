"""Settings: one table, and who wins."""

from __future__ import annotations

import pytest

from holdfast.errors import BadSetting, StoreUnavailable
from holdfast.settings import SETTINGS, default_home, load, parse, variable_of


@pytest.fixture
def config(tmp_path):
    """Write config.toml in a home, and load its settings with an environment and flags."""

    def make(text: str, environment=None, flags=None):
        (tmp_path / "config.toml").write_text(text, encoding="utf-8")
        return load(str(tmp_path), environment or {}, flags)

    return make


def test_defaults_hold_without_a_file(tmp_path) -> None:
    """Without a home every setting has its default, and nothing is made."""
    settings = load(str(tmp_path / "none"), {})
    assert {setting.name: setting.default for setting in SETTINGS} == settings.values
    assert set(settings.origin.values()) == {"default"}
    assert not (tmp_path / "none").exists()


def test_who_wins(config, tmp_path) -> None:
    """Defaults < config.toml < environment < flag, and the origin says which."""
    text = "[recall]\nlimit = 2\n"
    variable = {"HOLDFAST_RECALL_LIMIT": "3"}
    for settings, value, origin in (
        (config("", {}), 10, "default"),
        (config(text), 2, str(tmp_path / "config.toml")),
        (config(text, variable), 3, "HOLDFAST_RECALL_LIMIT"),
        (config(text, variable, {"recall.limit": "4"}), 4, "--set"),
    ):
        assert (settings.number("recall.limit"), settings.origin["recall.limit"]) == (value, origin)


@pytest.mark.parametrize("text", ["recall.limit = 7", "recall = {limit = 7}", "[recall]\nlimit = 7"])
def test_every_way_to_write_a_table(config, text) -> None:
    """A dotted name, an inline table and a table are the same setting."""
    assert config(text).number("recall.limit") == 7


@pytest.mark.parametrize(
    ("text", "named", "hint"),
    [
        ("[recall]\nlimit = 'many'", "recall.limit", "whole number"),
        ("[recall]\nlimit = 2.5", "recall.limit", "whole number"),
        ("[recall]\nlimit = true", "recall.limit", "whole number"),
        ("[recall]\nlimit = 0", "recall.limit", "at least 1"),
        ("enabled = 1", "enabled", "true or false"),
        ("[project]\nid = 5", "project.id", "a text"),
        ("[measure]\nholdout = 'some'", "measure.holdout", "a number"),
        ("[measure]\nholdout = true", "measure.holdout", "a number"),
        ("[measure]\nholdout = 1.5", "measure.holdout", "at most 1"),
        ("[measure]\nholdout = -0.1", "measure.holdout", "at least 0"),
        ("[measure]\nholdout = nan", "measure.holdout", "at least 0"),
        ("enabled = ", "not TOML", "editor"),
        ("enabled = true\nenabled = false", "not TOML", "editor"),
    ],
)
def test_a_slip_in_the_file_is_named(config, tmp_path, text, named, hint) -> None:
    """A wrong kind is an error that names file and setting, and the right kind."""
    with pytest.raises(BadSetting) as caught:
        config(text)
    assert named in str(caught.value) and str(tmp_path / "config.toml") in str(caught.value)
    assert hint in caught.value.hint
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("text", "name", "line", "hint"),
    [
        ("[recall]\nlimt = 3", "recall.limt", 2, "recall.limit"),
        ("# mine\n\nzzz = 1", "zzz", 3, "holdfast config"),
        ("recall.limt = 3", "recall.limt", 1, "recall.limit"),
        ("[recall]\n\n[inject]\nlimit = 3", "inject.limit", 4, ""),
        ("recall = {limt = 3}", "recall.limt", 1, "recall.limit"),
        ("[recall.deep]\nx = 1", "recall.deep", 1, ""),
        ('[recall]  # mine\r\n"limt" = 3\r\n', "recall.limt", 2, "recall.limit"),
        ("recall = 3", "recall", 1, ""),
    ],
)
def test_an_unknown_name_takes_nothing_else_away(config, tmp_path, text, name, line, hint) -> None:
    """It is told with file, line and the nearest name, and every other line holds."""
    settings = config(f'{text}\n[distil]\nmodel = "small"\n')
    (one,) = settings.unknown
    assert (one.name, one.line, one.path) == (name, line, str(tmp_path / "config.toml"))
    assert hint in one.hint and one.text.startswith(f"{one.path}:{line}: there is no setting {name!r}")
    assert settings.text("distil.model") == "small" and name not in settings.values


@pytest.mark.parametrize(
    ("text", "nearest"),
    [
        ("enbled = false", "enabled"),
        ("\n[security]\nblok = 'all'", "security.block"),
        ("[project]\nidd = 'shop'", "project.id"),
    ],
)
def test_a_slip_that_may_forbid_something_is_an_error(config, text, nearest) -> None:
    """Who seems to have switched memory off, set a project or refused calls is not passed over: nothing goes on."""
    with pytest.raises(BadSetting) as caught:
        config(text)
    line = text.count("\n") + 1
    assert caught.value.hint == f"Did you mean {nearest}?" and f"config.toml:{line}: " in str(caught.value)


def test_a_file_that_is_named_for_this_run_is_read_strictly(tmp_path) -> None:
    """An unknown name in a file that stands in for config.toml is an error: whoever names it can mend it now."""
    (tmp_path / "other.toml").write_text("[recall]\nlimt = 3\n")
    with pytest.raises(BadSetting, match=r"other\.toml:2"):
        load(str(tmp_path), {}, config=str(tmp_path / "other.toml"))


def test_an_unknown_name_in_a_flag_is_an_error(tmp_path) -> None:
    """What is said on the command line is refused at once."""
    with pytest.raises(BadSetting):
        load(str(tmp_path), {}, {"recall.limt": "3"})


def test_a_file_that_is_not_utf8(tmp_path) -> None:
    """A config.toml in another encoding is named, not crashed on."""
    (tmp_path / "config.toml").write_bytes(b'[project]\nid = "caf\xe9"\n')
    with pytest.raises(BadSetting, match="not TOML"):
        load(str(tmp_path), {})


def test_a_home_that_is_a_file(tmp_path) -> None:
    """A home that is a file is an unreachable store, and the way out names the variable."""
    (tmp_path / "home").write_text("")
    with pytest.raises(StoreUnavailable) as caught:
        load(str(tmp_path / "home"), {})
    assert "HOLDFAST_HOME" in caught.value.hint


@pytest.mark.parametrize(("word", "value"), [("1", True), ("Yes", True), ("on", True), ("0", False), ("OFF", False)])
def test_yes_and_no(word, value) -> None:
    """The usual words for yes and no are understood, in any case."""
    assert parse("enabled", word, "HOLDFAST_ENABLED") is value


@pytest.mark.parametrize(("name", "text"), [("enabled", "maybe"), ("recall.limit", "ten"), ("recall.limit", "1.5")])
def test_a_variable_of_the_wrong_kind(tmp_path, name, text) -> None:
    """A variable that cannot be read is named, with its value."""
    with pytest.raises(BadSetting) as caught:
        load(str(tmp_path), {variable_of(name): text})
    assert variable_of(name) in str(caught.value) and text in str(caught.value)


def test_a_share_may_be_written_as_any_number(config) -> None:
    """A setting that need not be whole takes 0.1, 1 and an exponent; a variable that is no number is named."""
    for text, share in (("0.1", 0.1), ("1", 1.0), ("0", 0.0), ("5e-2", 0.05)):
        assert config(f"[measure]\nholdout = {text}\n").share("measure.holdout") == share
        assert config("", {"HOLDFAST_MEASURE_HOLDOUT": text}).share("measure.holdout") == share
    with pytest.raises(BadSetting, match="not a number"):
        config("", {"HOLDFAST_MEASURE_HOLDOUT": "a tenth"})


def test_an_empty_variable_is_none(tmp_path) -> None:
    """A variable that is set to nothing counts as not set."""
    assert load(str(tmp_path), {"HOLDFAST_ENABLED": ""}).flag("enabled")


def test_the_home(monkeypatch) -> None:
    """The home is HOLDFAST_HOME, with `~` understood, or ~/.holdfast."""
    monkeypatch.setenv("HOME", "/person")
    assert default_home({}) == default_home({"HOLDFAST_HOME": ""}) == "/person/.holdfast"
    assert default_home({"HOLDFAST_HOME": "~/mem"}) == "/person/mem"


def test_domains_are_a_table_of_projects(config) -> None:
    """A line of [domains] is a project and its domain; what is no text is refused with an example."""
    table = config('[domains]\n"example.com--acme--shop" = "store"\nsite-3f2a = "web"\n').domains
    assert table == {"example.com--acme--shop": "store", "site-3f2a": "web"}
    assert config("").domains == {}
    for text in ("[domains]\nshop = 3\n", "[domains]\nexample.com = 'x'\n", '[domains]\nshop = ""\n'):
        with pytest.raises(BadSetting) as problem:
            config(text)
        assert "[domains]" in problem.value.hint
