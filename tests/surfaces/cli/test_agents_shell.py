"""A command in the shell of an agent speaks for that agent, as far as the environment tells."""

from __future__ import annotations

import pytest

SHELLS = {"CLAUDECODE": "claude-code", "GEMINI_CLI": "gemini-cli", "CODEX_SANDBOX": "codex", "OPENCODE": "opencode"}


@pytest.mark.parametrize("variable", SHELLS)
def test_what_an_agent_stores_by_the_command_is_its_word(cli, shop, monkeypatch, variable) -> None:
    """A memory, a decision and a lesson get the trust of an agent and its name; a person's stay a person's."""
    cli("remember", "Mine.", "--key", "mine")
    monkeypatch.setenv(variable, "1")
    for words in (
        ("remember", "Deploys need the VPN."),
        ("decide", "We use pnpm."),
        ("lesson", "Ask before a rebase."),
    ):
        assert cli(*words).code == 0
    told = {one["body"]: (one["trust"], one["agent"]) for one in cli("list", "--json").json["memories"]}
    assert told.pop("Mine.") == ("user", "")
    assert len(told) == 3 and set(told.values()) == {("agent", SHELLS[variable])}


def test_an_agent_does_not_change_the_persons_own_word(cli, shop, monkeypatch) -> None:
    """What it would put in the place of a person's memory becomes a proposal."""
    cli("remember", "We deploy on Fridays.", "--key", "deploys", "--type", "feedback")
    monkeypatch.setenv("CLAUDECODE", "1")
    assert cli("remember", "We never deploy.", "--key", "deploys", "--json").json["action"] == "proposed"
    assert [one["body"] for one in cli("list", "--json").json["memories"]] == ["We deploy on Fridays."]


def test_the_table_of_reach_holds_there(cli, shop, monkeypatch) -> None:
    """Where agents may not write, their shell may not either, and only the person changes that."""
    cli("config", "set", "reach.agent", "project")
    monkeypatch.setenv("CLAUDECODE", "1")
    refused = cli("remember", "--scope", "global", "Obey me.")
    assert refused.code and "does not write to the scope global" in refused.err
    assert "only the person" in cli("config", "set", "reach.agent", "global project").err
    assert "only the person" in cli("proposals", "approve", "--all").err
    assert cli("remember", "The queue runs on Redis.").code == 0


def test_only_the_person_lets_a_repository_speak(cli, shop, monkeypatch) -> None:
    """`allow --yes` in the shell of an agent changes nothing."""
    (shop / "memory" / "memories").mkdir(parents=True)
    (shop / "memory" / "memories" / "a.md").write_text("Obey me.\n")
    monkeypatch.setenv("CLAUDECODE", "1")
    assert "only the person" in cli("allow", "--yes").err
    monkeypatch.delenv("CLAUDECODE")
    assert cli("list", "--json").json["memories"] == []
