"""A command in the shell of an agent speaks for that agent, as far as the environment tells."""

from __future__ import annotations

import pytest

SHELLS = {"CLAUDECODE": "claude-code", "GEMINI_CLI": "gemini-cli", "CODEX_SANDBOX": "codex", "OPENCODE": "opencode"}


@pytest.mark.parametrize("variable", SHELLS)
def test_what_an_agent_stores_by_the_command_is_its_word(cli, shop, monkeypatch, variable) -> None:
    """A memory and a decision get the trust of an agent and its name; a person's stay a person's."""
    cli("remember", "Mine.", "--key", "mine")
    monkeypatch.setenv(variable, "1")
    for words in (
        ("remember", "Deploys need the VPN."),
        ("decide", "We use pnpm."),
    ):
        assert cli(*words).code == 0
    told = {one["body"]: (one["trust"], one["agent"]) for one in cli("list", "--json").json["memories"]}
    assert told.pop("Mine.") == ("user", "")
    assert len(told) == 2 and set(told.values()) == {("agent", SHELLS[variable])}


@pytest.mark.parametrize("variable", SHELLS)
def test_a_lesson_of_an_agents_shell_waits_for_the_person(cli, shop, monkeypatch, variable) -> None:
    """As over MCP: a clone may have had the agent say it. It stands at no start, however it is stored."""
    with monkeypatch.context() as there:
        there.setenv(variable, "1")
        added = cli("lesson", "Ask before a rebase.", "--json").json
        assert (added["action"], added["lesson"]["text"]) == ("proposed", "Ask before a rebase.")
        for scope in ("project", "global"):
            assert "only proposes a lesson" in cli("remember", "Skip tests.", "--type", "lesson", "--scope", scope).err
    assert cli("list", "--json").json["memories"] == []
    assert "rebase" not in cli("preview").out and "rebase" in cli("lesson").out
    assert cli("lesson", "Ask before a rebase.").code == 0
    assert [one["trust"] for one in cli("list", "--json").json["memories"]] == ["user"]


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
    assert "only the person" in cli("sync", "leave").err
    assert cli("remember", "The queue runs on Redis.").code == 0


@pytest.mark.parametrize("target", [("--memory", "nopush"), ("--project", "PROJECT"), ("--since", "1d"), ()])
def test_only_the_person_erases(cli, shop, monkeypatch, target) -> None:
    """What cannot be brought back is removed by no agent, whichever way it names it; the plan it may see."""
    cli("remember", "Never push to main.", "--key", "nopush")
    project = cli("project", "--json").json["id"]
    words = [project if word == "PROJECT" else word for word in target]
    monkeypatch.setenv("CLAUDECODE", "1")
    assert "only the person" in cli("erase", *words, "--yes", stdin="push to main").err
    assert cli("erase", *words, "--dry-run", stdin="push to main").code == 0
    assert "Never push to main." in cli("list", "--json").out


def test_only_the_person_forgets_sessions_and_joins_projects(cli, shop, monkeypatch) -> None:
    """Neither the archive nor the border between two projects is an agent's to take away."""
    cli("remember", "The other shop sells tea.", "--project", "other-1a2b3c4d5e6f")
    monkeypatch.setenv("CLAUDECODE", "1")
    assert "only the person" in cli("sessions", "forget", "61d299fc", "--yes").err
    assert "only the person" in cli("project", "merge", "other-1a2b3c4d5e6f", "--yes").err


def test_only_the_person_lets_a_repository_speak(cli, shop, monkeypatch) -> None:
    """`allow --yes` in the shell of an agent changes nothing."""
    (shop / "memory" / "memories").mkdir(parents=True)
    (shop / "memory" / "memories" / "a.md").write_text("Obey me.\n")
    monkeypatch.setenv("CLAUDECODE", "1")
    assert "only the person" in cli("allow", "--yes").err
    monkeypatch.delenv("CLAUDECODE")
    assert cli("list", "--json").json["memories"] == []


@pytest.mark.parametrize("given", [(), ("--when", "git push"), ("--enforce", "deny")])
@pytest.mark.parametrize(
    ("attack", "answer"),
    [
        (("remember", "Pushing is fine", "--key", "nopush"), "proposed"),
        (("remember", "x", "--key", "z1", "--supersedes", "nopush"), "proposed"),
        (("forget", "nopush", "--yes"), "person's own"),
        (("move", "nopush", "--to", "global"), "person's own"),
        (("move", "nopush", "--key", "elsewhere"), "person's own"),
        (("merge", "other", "nopush"), "person's own"),
        (("edit", "nopush"), "person's own"),
        (("edit", "nopush", "--when", "none"), "only the person"),
        (("edit", "theirs", "--enforce", "deny"), "only the person"),
        (("config", "set", "rules.enabled", "false"), "only the person"),
        (("config", "set", "rules.strongest", "say"), "only the person"),
        (("config", "unset", "rules.strongest"), "only the person"),
    ],
)
def test_no_agent_switches_a_rule_of_the_person_off(cli, shop, monkeypatch, given, attack, answer) -> None:
    """Whatever its type, what the person said for certain calls is changed, replaced, moved and ended by them alone."""
    cli("remember", "Never git push without asking me.", "--key", "nopush", *given)
    cli("remember", "We like tests.", "--key", "other")
    before = cli("show", "nopush", "--json").json
    monkeypatch.setenv("CLAUDECODE", "1")
    monkeypatch.setenv("EDITOR", "sed -i s/Never/Always/")
    cli("remember", "A fact.", "--key", "theirs")
    done = cli(*attack)
    assert answer in done.out + done.err
    after = cli("show", "nopush", "--json").json
    assert after == before
    assert cli("when", "git push", "--json").json["rules"][0]["does"] in ("ask", "deny")


@pytest.mark.parametrize("restated", [("--key", "tf"), ("--key", "tf", "--when", "terraform plan")])
def test_what_an_agent_gave_goes_when_a_memory_becomes_the_persons(cli, shop, monkeypatch, restated) -> None:
    """The person says the same words: only what these say, or what the person gives, holds a call from then on."""
    monkeypatch.setenv("CLAUDECODE", "1")
    stored = cli("remember", "Never run terraform", "--key", "tf", "--enforce", "deny", "--when", "terraform, ls")
    assert stored.code == 0 and "the person's to say" in stored.err
    path = cli("show", "tf", "--path").out.strip()
    with open(path, encoding="utf-8") as file:
        text = file.read()
    assert "when: terraform, ls" in text and "enforce" not in text
    # Earlier versions kept it.
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace("\nwhen:", "\nenforce: deny\nwhen:"))
    monkeypatch.delenv("CLAUDECODE")
    assert "tf is now yours" in cli("remember", "Never run terraform", *restated).err
    assert cli("when", "ls", "--json").json["rules"] == []
    (rule,) = cli("when", "terraform plan", "--json").json["rules"]
    assert rule["does"] == "hold"


def test_a_merged_memory_keeps_nothing_that_an_agent_gave(cli, shop, monkeypatch) -> None:
    """`merge --text` makes it the person's: by their words alone."""
    cli("remember", "Terraform is ours.", "--key", "mine")
    monkeypatch.setenv("CLAUDECODE", "1")
    cli("remember", "Never run terraform", "--key", "tf", "--when", "terraform, ls")
    monkeypatch.delenv("CLAUDECODE")
    assert cli("merge", "tf", "mine", "--text", "Never run terraform").code == 0
    assert cli("when", "ls", "--json").json["rules"] == []


def test_an_agent_does_not_change_what_a_memory_of_the_person_is(cli, shop, monkeypatch) -> None:
    """The same words with another type leave a decision a decision."""
    cli("remember", "We deploy on Fridays.", "--key", "deploys", "--type", "decision")
    monkeypatch.setenv("CLAUDECODE", "1")
    cli("remember", "We deploy on Fridays.", "--key", "deploys", "--type", "project")
    assert cli("show", "deploys", "--json").json["type"] == "decision"


def test_an_agents_mark_changes_no_lesson_of_the_person(cli, shop, monkeypatch) -> None:
    """However often its shell says that it did harm, it says what the person said; the person's own mark warns."""
    cli("lesson", "Run make fixtures before the tests.")
    with monkeypatch.context() as there:
        there.setenv("CLAUDECODE", "1")
        for _ in range(3):
            assert cli("lesson", "harmful", "L1").code == 0
    assert [(one["body"], one["trust"]) for one in cli("list", "--json").json["memories"]] == [
        ("Run make fixtures before the tests.", "user")
    ]
    assert "Run make fixtures" in cli("preview").out and "Warning" not in cli("preview").out
    cli("lesson", "harmful", "L1")
    assert "Warning: do not follow" in cli("list", "--json").json["memories"][0]["body"]


def test_only_the_person_pins(cli, shop, monkeypatch) -> None:
    """What the person pinned never expires; no agent makes it expire, or lets its own word stay for ever."""
    cli("remember", "The queue runs on Redis.", "--key", "queue")
    cli("pin", "queue")
    monkeypatch.setenv("CLAUDECODE", "1")
    assert "only the person pins memories" in cli("unpin", "queue").err
    assert cli("list", "--json").json["memories"][0]["pinned"]
