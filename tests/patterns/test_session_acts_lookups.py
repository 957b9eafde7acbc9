"""What a look-up looks for."""

from __future__ import annotations

import pytest

from holdfast.patterns.session_acts import in_names, in_pattern, in_words


@pytest.mark.parametrize(
    ("line", "sought"),
    [
        ("git worktree --help", "help: git worktree"),
        ("git help worktree", "help: git worktree"),
        ("man rsync", "help: rsync"),
        ("grep -rn CACHE_TTL src", "search: 'cache_ttl'"),
        ("rg -g *.ts -n CACHE_TTL", "search: 'cache_ttl'"),
        ("git grep -e CACHE_TTL", "search: 'cache_ttl'"),
        ("ls -la deploy/overlays/", "list: 'deploy/overlays'"),
        ("ls ./deploy/overlays", "list: 'deploy/overlays'"),
    ],
)
def test_the_same_thing_has_one_signature(line: str, sought: str) -> None:
    """Options and the way a thing is asked for make no difference."""
    assert in_words(line.split()) == (sought,)


@pytest.mark.parametrize(
    "line",
    [
        "ls",
        "ls -la .",
        "ls /etc",
        "ls ../other",
        "git status",
        "cat a.txt",
        "rg --files src",
        "grep -rn TODO .",
        "npm test",
    ],
)
def test_what_is_no_look_up(line: str) -> None:
    """The top of a project, places elsewhere, what changes by itself and what everybody looks for are no look-ups."""
    assert in_words(line.split()) == ()


def test_of_alternatives_only_names_count() -> None:
    """In a long list of alternatives a plain word was only a guess."""
    assert in_pattern("retryLimit|limit|MAX_TRIES") == ("search: 'retrylimit'", "search: 'max_tries'")
    assert in_pattern("limit") == ("search: 'limit'",)


def test_names_of_files() -> None:
    """A search for one file counts, unless every agent looks for that file anyway."""
    assert in_names("**/invoice.ts") == ("find: 'invoice.ts'",)
    assert in_names("**/*.ts") == in_names("**/AGENTS.md") == ()
