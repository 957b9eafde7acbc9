"""Tokens: made once, kept as a digest, bounded in what they may do, where and how long, and taken back at once."""

from __future__ import annotations

import json
import os

import pytest

from holdfast.app import tokens
from holdfast.errors import BadInput, BrokenFile, Conflict, NotFound, Refused
from holdfast.privacy.redact import redact


def test_a_token_is_shown_once_and_kept_as_a_digest(workspace, home) -> None:
    """The secret opens what it may and is nowhere in the home; the file is the person's alone."""
    with workspace() as h:
        made, secret = tokens.new(h, "my script", may="write", projects=("shop",))
    assert tokens.check(str(home), secret).id == made.id and made.rights == ("read", "write")
    assert tokens.check(str(home), secret[:-1]) is None and tokens.check(str(home), "") is None
    assert os.stat(home / "tokens.json").st_mode & 0o777 == 0o600
    assert not [path for path in home.rglob("*") if path.is_file() and secret.encode() in path.read_bytes()]


def test_a_token_is_a_secret_wherever_it_is_written_down(workspace) -> None:
    """Redaction knows our own tokens, in a sentence and in an address."""
    with workspace() as h:
        secret = tokens.new(h, "script")[1]
    for text in (f"I use {secret} now", f"http://localhost/?token={secret}", secret):
        assert secret not in redact(text)[0]


def test_a_revoked_token_opens_nothing(workspace, home) -> None:
    """From the moment it is taken back it is refused; the beginning of its id is enough, and others stay."""
    with workspace() as h:
        (gone, secret), (_, other) = tokens.new(h, "one"), tokens.new(h, "two")
        assert tokens.check(str(home), secret)
        tokens.revoke(h, gone.id[:6])
        assert tokens.check(str(home), secret) is None and tokens.check(str(home), other)
        with pytest.raises(NotFound):
            tokens.revoke(h, gone.id)
        with pytest.raises(Conflict):
            tokens.new(h, "two")
        assert tokens.revoke(h, "two").name == "two" and tokens.check(str(home), other) is None


def test_a_token_whose_time_is_over_opens_nothing(workspace, home) -> None:
    """Behind its last moment it is refused, and the next one that is made takes its place."""
    with workspace() as h:
        old, secret = tokens.new(h, "short", days=1)
        path = home / "tokens.json"
        path.write_text(path.read_text().replace(old.expires, "2020-01-01T00:00:00Z"))
        assert tokens.check(str(home), secret) is None
        tokens.new(h, "next")
    assert [one.name for one in tokens.tokens(str(home))] == ["next"]


def test_when_it_was_last_used_is_told(workspace, home) -> None:
    """A token that nobody used says so; one that was used says when, without its file being written again."""
    with workspace() as h:
        made, secret = tokens.new(h, "script")
    before = (home / "tokens.json").stat()
    assert made.used == "" and tokens.tokens(str(home))[0].used == ""
    tokens.check(str(home), secret)
    assert tokens.tokens(str(home))[0].used >= made.created
    assert (home / "tokens.json").stat() == before


def test_what_cannot_be_a_token_is_refused(workspace, home) -> None:
    """No name, a secret as a name, an unknown right, no time and a bad project: nothing is made."""
    with workspace() as h:
        for name, given in (
            ("  ", {}),
            ("ghp_012345678901234567890123456789abcdef", {}),
            ("x", {"may": "everything"}),
            ("x", {"days": 0}),
            ("x", {"projects": ("../etc",)}),
        ):
            with pytest.raises(BadInput):
                tokens.new(h, name, **given)
    assert not (home / "tokens.json").exists()


def test_an_agent_makes_and_revokes_none(workspace) -> None:
    """Only the person hands out rights."""
    with workspace(caller="agent") as h:
        for act in (lambda: tokens.new(h, "mine", may="review"), lambda: tokens.revoke(h, "1")):
            with pytest.raises(Refused):
                act()


@pytest.mark.parametrize("text", ["{", "[1]", '[{"id": "x"}]', "null", '{"a": 1}'])
def test_a_broken_file_gives_nobody_a_right(workspace, home, text) -> None:
    """What cannot be read as tokens is an error with the way out, never a right."""
    home.mkdir(mode=0o700)
    (home / "tokens.json").write_text(text)
    with pytest.raises(BrokenFile):
        tokens.check(str(home), "anything")


def test_the_command_line_makes_lists_and_revokes(cli, home) -> None:
    """The secret is the answer and nothing else; the list tells all but the secret."""
    made = cli("tokens", "new", "ci", "--may", "review", "--days", "30")
    secret = made.out.strip()
    assert made.code == 0 and tokens.check(str(home), secret).may == "review"
    listed = json.loads(cli("tokens", "--json").out)["tokens"]
    assert [(one["name"], one["may"], one["projects"]) for one in listed] == [("ci", "review", [])]
    assert secret not in cli("tokens").out and listed[0]["id"] in cli("tokens").out
    assert cli("tokens", "revoke", listed[0]["id"]).code == 0
    assert tokens.check(str(home), secret) is None and cli("tokens", "revoke", "nothing").code == 3


def test_a_token_that_does_not_end_is_not_listed_as_revoked(cli) -> None:
    """The last column says until when it holds."""
    cli("tokens", "new", "script")
    assert cli("tokens").out.rstrip("\n").endswith("\tno expiry")
