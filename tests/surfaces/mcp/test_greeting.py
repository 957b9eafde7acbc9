"""The first answers: kept from one start to the next, the same as the SDK's, and given once."""

from __future__ import annotations

import json

import pytest


@pytest.fixture
def kept(home):
    """Return the folder with the kept answers of a home that is there."""
    home.mkdir(exist_ok=True)
    return home / "state" / "mcp"


def first_words(talk, **variables):
    """Start a server and return its greeting, its tools and its prompts."""
    with talk(**variables) as one:
        return one.greeting, *(one.ask(f"{what}/list")["result"] for what in ("tools", "prompts"))


def test_the_second_start_says_the_same(talk, kept):
    """What is kept after the first start is what the second says, and each question is answered once."""
    first = first_words(talk)
    files = {path.name: path.read_bytes() for path in kept.iterdir()}
    assert len(files) == 3
    assert first_words(talk) == first
    assert {path.name: path.read_bytes() for path in kept.iterdir()} == files


def test_the_kept_answer_is_the_one_that_is_given(talk, kept):
    """A start says what was kept without waiting for the SDK, and what the SDK says then is kept in its place."""
    first_words(talk)
    for path in kept.iterdir():
        if "serverInfo" in path.read_text(encoding="utf-8"):
            text = path.read_text(encoding="utf-8")
            path.write_text(text.replace('"Holdfast memory"', '"An older name"'), encoding="utf-8")
    with talk() as one:
        assert one.greeting["serverInfo"]["title"] == "An older name"
        assert one.call("memory_list")["success"]
    with talk() as one:
        assert one.greeting["serverInfo"]["title"] == "Holdfast memory"


def test_another_setting_is_another_answer(talk, kept):
    """The guidance of another variant is not that of the last start."""
    usual = first_words(talk)[0]["instructions"]
    assert first_words(talk, HOLDFAST_MCP_GUIDANCE="minimal")[0]["instructions"] != usual
    assert first_words(talk)[0]["instructions"] == usual


@pytest.mark.parametrize("damage", [b"", b"{", b"\xff\xfe", b"[" * 100_000], ids=["empty", "cut", "bytes", "deep"])
def test_a_kept_answer_that_is_broken_is_made_anew(talk, kept, damage):
    """What is no JSON is not said."""
    first = first_words(talk)
    for path in kept.iterdir():
        path.write_bytes(damage)
    assert first_words(talk) == first
    assert all(json.loads(path.read_bytes()) for path in kept.iterdir())


def test_a_question_that_should_have_waited_is_the_sdks(talk, kept):
    """Tools that are asked for before the greeting get what the SDK says to that, kept answers or not."""
    with talk(greet=False) as one:
        alone = one.ask("tools/list")
    first_words(talk)
    with talk(greet=False) as one:
        assert one.ask("tools/list") == alone


def test_a_second_greeting_is_the_sdks(talk, kept):
    """Only the first question of a kind is answered from what was kept."""
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "Probe 1", "version": "1"}}
    with talk() as one:
        again = one.ask("initialize", params)
    with talk() as one:
        assert one.ask("initialize", params) == again


def test_without_a_home_nothing_is_kept(talk, home):
    """A server that is started before anything is stored makes no folder."""
    first = first_words(talk)
    assert not home.exists()
    assert first_words(talk) == first
