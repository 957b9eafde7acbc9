"""Making one memory of several."""

from __future__ import annotations

from holdfast.memory import combine
from holdfast.memory.remember import remember


def test_one_memory_says_what_several_said(cli, shop) -> None:
    """The first says it all with every reason, the others are superseded and keep their history; undoing parts them."""
    cli("remember", "Indent with tabs.\n\nWhy: the linter wants it", "--key", "tabs", "--tag", "style")
    cli("remember", "Never indent with spaces.", "--key", "spaces", "--tag", "rule")
    cli("remember", "Indent with tabs.", "--key", "again")
    dry = cli("merge", "tabs", "spaces", "again", "--dry-run", "--json").json
    assert [step["act"] for step in dry["plan"]] == ["rewrite", "supersede", "supersede"] and not dry["applied"]
    assert cli("merge", "tabs", "spaces", "again").out.startswith("merged  tabs")
    shown = cli("show", "tabs", "--json").json
    assert shown["body"] == "Indent with tabs. Never indent with spaces.\n\nWhy: the linter wants it" == dry["text"]
    assert shown["supersedes"] == ["spaces", "again"] and shown["tags"] == ["style", "rule"]
    assert len(cli("history", "tabs", "--json").json["statements"]) == 2
    assert cli("recall", "indent", "--json").json["hits"][0]["key"] == "tabs"
    [act] = cli("updates", "--command", "merge", "--json").json["updates"]
    assert cli("updates", "undo", act["id"], "--yes").code == 0
    assert cli("show", "tabs", "--json").json["supersedes"] == []


def test_statements_without_a_stop_get_one(cli, shop) -> None:
    """Two statements that end in no stop are two sentences, and the first is the title."""
    cli("remember", "Indent with tabs in Go files", "--key", "a")
    cli("remember", 'Say "tabs" in the linter', "--key", "b")
    cli("remember", "Never use spaces!", "--key", "c")
    cli("merge", "a", "b", "c")
    shown = cli("show", "a", "--json").json
    assert shown["body"] == 'Indent with tabs in Go files. Say "tabs" in the linter. Never use spaces!'
    assert shown["title"] == "Indent with tabs in Go files"


def test_what_one_of_them_says_as_well_is_said_once(cli, shop) -> None:
    """So ends a merge that was killed when only its text was written, and is done again."""
    cli("remember", "Use tabs. Indent makefiles too.", "--key", "tabs")
    cli("remember", "Indent makefiles too.", "--key", "makefiles")
    cli("merge", "tabs", "makefiles")
    assert cli("show", "tabs", "--json").json["body"] == "Use tabs. Indent makefiles too."


def test_into_and_text_say_which_and_what(cli, shop) -> None:
    """Another one may say it, in words of the person's own."""
    cli("remember", "One.", "--key", "a")
    cli("remember", "Two.", "--key", "b")
    cli("merge", "a", "b", "--into", "b", "--text", "One and two.")
    assert cli("show", "b", "--json").json["body"] == "One and two."
    replaced = {one["key"]: one["superseded_by"] for one in cli("list", "--json").json["memories"]}
    assert replaced == {"a": "b", "b": ""}


def test_what_an_agent_merges_is_not_the_persons(workspace) -> None:
    """A text that comes from an agent's shell is the agent's word."""
    with workspace(caller="agent", speaker="codex") as h:
        remember(h, "One.", key="a")
        remember(h, "Two.", key="b")
        assert combine.apply(h, combine.plan(h, ("a", "b"), text="One and two.")[0]).trust == "agent"


def test_what_cannot_be_merged_is_refused(cli, shop) -> None:
    """One memory alone, one that is not there and memories of several scopes change nothing."""
    cli("remember", "One.", "--key", "a")
    cli("remember", "Two.", "--key", "b", "--scope", "global")
    assert [cli("merge", "a").code, cli("merge", "a", "z").code, cli("merge", "a", "b").code] == [2, 3, 4]
    assert cli("show", "a", "--json").json["supersedes"] == []


def test_an_approved_sentence_stands_alone(workspace, cli) -> None:
    """What led from one sentence of a message to the next is left out of what becomes a memory."""
    from holdfast.memory.proposal_files import Proposals, id_of
    from holdfast.records import Proposal, Scope

    text = "Also, never use console.log in the backend."
    with workspace() as h:
        Proposals(h.home).put(Proposal(id_of(Scope("global"), text), text, Scope("global"), title=text))
    cli("proposals", "approve", "--all")
    assert cli("list", "--json").json["memories"][0]["body"] == "Never use console.log in the backend."


def test_merging_makes_nothing_the_persons_that_they_did_not_say(cli, shop) -> None:
    """What others said stays theirs; together with something of the person's it takes the person's own words."""
    cli("remember", "One.", "--key", "a", "--trust", "agent")
    cli("remember", "Two.", "--key", "b", "--trust", "agent")
    cli("remember", "Three.", "--key", "c", "--trust", "import")
    cli("merge", "a", "b")
    assert cli("show", "a", "--json").json["trust"] == "agent"
    assert cli("merge", "a", "c").code == 4 and "--text" in cli("merge", "a", "c").err
    cli("merge", "a", "c", "--text", "One, two and three.")
    assert cli("show", "a", "--json").json["trust"] == "user"
