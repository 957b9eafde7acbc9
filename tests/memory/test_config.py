"""Settings: shown with their origin, and changed in config.toml."""

from __future__ import annotations

import pytest

from holdfast.errors import BadId, BadSetting, NotFound, Refused
from holdfast.memory import config

MINE = """# my settings, in my order

[retention]   # how long
session_days = 7  # a week

[recall]
limit = 5
"""


@pytest.fixture
def file(home):
    """config.toml with comments and an order of its own."""
    home.mkdir(mode=0o700)
    (home / "config.toml").write_text(MINE)
    return home / "config.toml"


def test_every_setting_is_shown(workspace, file) -> None:
    """Each setting has its value, its default, where the value comes from, and a sentence."""
    with workspace() as h:
        shown = {setting.name: setting for setting in config.show_all(h)}
    assert (shown["recall.limit"].value, shown["recall.limit"].default, shown["recall.limit"].origin) == (
        5,
        10,
        str(file),
    )
    assert shown["enabled"].origin == "default" and all(setting.help for setting in shown.values())


def test_comments_and_order_survive(workspace, file) -> None:
    """Setting a value changes that value and no other byte."""
    with workspace() as h:
        assert config.change(h, "retention.session_days", "30").value == 30
    assert file.read_text() == MINE.replace("session_days = 7", "session_days = 30")


def test_new_values_find_their_table(workspace, file) -> None:
    """A setting of a table goes into it, one without before the first table, and all can be read back."""
    with workspace() as h:
        config.change(h, "recall.count_use", "no")
        config.change(h, "enabled", "true")
        config.change(h, "project.id", "mine")
    with workspace() as h:
        assert (h.settings["recall.count_use"], h.settings["enabled"], h.settings["project.id"]) == (
            False,
            True,
            "mine",
        )
    text = file.read_text()
    assert all(line in text for line in MINE.splitlines())


def test_a_project_gets_its_domain(workspace, file) -> None:
    """A line of [domains] is set, shown and taken out, whatever dots are in the name of the project."""
    name = "domains.example.com--acme--shop"
    with workspace() as h:
        assert config.change(h, name, "storefront").value == "storefront"
        assert '[domains]\n"example.com--acme--shop" = "storefront"\n' in file.read_text()
        assert h.settings.domains == {"example.com--acme--shop": "storefront"}
        assert config.show_all(h)[-1] == config.show(h, name)
        assert config.show(h, name).origin == str(file)
        assert config.change(h, name, None).value == ""
    assert all(line in file.read_text() for line in MINE.splitlines())


@pytest.mark.parametrize(("name", "domain"), [("domains.shop", ""), ("domains.", "storefront")])
def test_a_domain_without_a_name_is_refused(workspace, file, name: str, domain: str) -> None:
    """Neither the project nor its domain may be empty."""
    with workspace() as h, pytest.raises(BadSetting):
        config.change(h, name, domain)
    assert file.read_text() == MINE


def test_unset_takes_it_out(workspace, file) -> None:
    """Unsetting gives the default again; what is not there is no error and no change."""
    with workspace() as h:
        assert config.change(h, "recall.limit", None).value == 10
        before = file.read_bytes()
        config.change(h, "recall.limit", None)
        config.change(h, "index.show", None)
    assert file.read_bytes() == before and "limit" not in file.read_text()


@pytest.mark.parametrize(
    "text", ["recall = {limit = 5}\n", "recall.limit = 5\n", "[recall]\nlimit=5\n[memory]\n[index]\n"]
)
def test_every_way_to_write_a_table(workspace, file, text) -> None:
    """Inline tables and dotted names are changed as well as tables."""
    file.write_text(text)
    with workspace() as h:
        assert config.change(h, "recall.limit", "6").value == 6
        assert config.change(h, "recall.count_use", "false").value is False
    with workspace() as h:
        assert (h.settings["recall.limit"], h.settings["recall.count_use"]) == (6, False)


def test_windows_lines_survive(workspace, file) -> None:
    """A file with CRLF lines keeps them."""
    file.write_bytes(MINE.replace("\n", "\r\n").encode())
    with workspace() as h:
        config.change(h, "recall.limit", "6")
    assert b"limit = 6\r\n" in file.read_bytes() and file.read_bytes().count(b"\r\n") == MINE.count("\n")


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("recall.limt", "5", "recall.limit"),
        ("recall.limit", "many", "Example"),
        ("recall.limit", "0", "at least 1"),
        ("enabled", "maybe", "true or false"),
    ],
)
def test_a_bad_value_changes_nothing(workspace, file, name, value, said) -> None:
    """An unknown name, a wrong kind and a number too small are refused with the way out."""
    with workspace() as h, pytest.raises(BadSetting) as caught:
        config.change(h, name, value)
    assert said in caught.value.hint and file.read_text() == MINE


def test_beside_an_unknown_line_others_can_be_set(workspace, file) -> None:
    """A line that counts for nothing stays as it is, and what else is set holds; it is told once in a process."""
    file.write_text("[recall]\nlimt = 3\n")
    for _ in range(2):
        with workspace() as h:
            assert config.change(h, "recall.limit", "6").value == 6
    assert file.read_text() == "[recall]\nlimt = 3\nlimit = 6\n"
    assert [text for text in workspace.said if "recall.limt" in text] == workspace.said and len(workspace.said) == 1


def test_an_unknown_name_is_not_found(workspace) -> None:
    """Asking for a setting that does not exist names the nearest."""
    with workspace() as h, pytest.raises(NotFound) as caught:
        config.show(h, "recall.limits")
    assert caught.value.hint == "Did you mean recall.limit?"


def test_the_first_setting_makes_the_home(workspace, home) -> None:
    """Where there is no home yet, setting a value makes it, private to the person."""
    with workspace() as h:
        config.change(h, "recall.limit", "3")
    assert home.stat().st_mode & 0o077 == 0 and (home / "config.toml").stat().st_mode & 0o077 == 0


def test_switched_off_only_the_switch_can_be_set(workspace, file) -> None:
    """While memory is off nothing is written but the switch itself."""
    with workspace() as h:
        config.change(h, "enabled", "false")
    with workspace() as h:
        with pytest.raises(Refused):
            config.change(h, "recall.limit", "3")
        config.change(h, "enabled", "true")
    with workspace() as h:
        assert h.enabled


def test_a_secret_is_not_kept(cli, home) -> None:
    """A value that looks like a secret is refused, its kind is told and not a byte of it is written."""
    secret = "ghp_" + "a1B2c3D4e5F6" * 3
    ended = cli("config", "set", "distil.with", f"https://x:{secret}@api.acme.test")
    assert ended.code != 0 and secret not in ended.out + ended.err
    assert not (home / "config.toml").exists() or secret not in (home / "config.toml").read_text()


@pytest.mark.parametrize("id", ["bad id", ".hidden", "a/b", "x" * 129])
def test_a_project_that_cannot_be_is_refused(workspace, file, id) -> None:
    """An id that no project can have is not kept, as every later command would end with it; an empty one is none."""
    with workspace() as h:
        with pytest.raises(BadId, match=r"project\.id cannot be"):
            config.change(h, "project.id", id)
        assert file.read_text() == MINE
        assert config.change(h, "project.id", "").value == ""
