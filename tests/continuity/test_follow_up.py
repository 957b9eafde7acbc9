"""Decisions are followed up after a week."""

from __future__ import annotations

import pytest

from holdfast.base.clock import DAY_SECONDS, iso, now, seconds
from holdfast.continuity import follow_up


def days_ago(days: int) -> str:
    """Return the time so many days ago."""
    return iso(seconds(now()) - days * DAY_SECONDS)


@pytest.fixture(autouse=True)
def since(home) -> None:
    """The home has followed decisions up for a month."""
    (home / "state").mkdir(parents=True, mode=0o700)
    (home / "state" / "follow-up").write_text(days_ago(30))


def test_a_decision_is_asked_about_once_after_a_week(cli, workspace, shop) -> None:
    """The question waits among the proposals; approving keeps the decision, rejecting withdraws it, and that is all."""
    for text, days in (("Use Postgres", 8), ("Use tabs", 8), ("Ship weekly", 2), ("Long ago", 90)):
        key = cli("decide", text, "--json").json["decision"]["id"].lower()
        with workspace() as h:
            memory = h.locate(next(one for one in h.store.keys(h.visible(), f"{key}-")))
            h.store.change(memory.scope, memory.key, created=days_ago(days))
    cli("sweep")
    waiting = {one["text"]: one for one in cli("proposals", "--json").json["proposals"]}
    assert sorted(waiting) == ["Use Postgres", "Use tabs"] and waiting["Use tabs"]["title"] == "Still so? Use tabs"
    assert cli("proposals", "approve", waiting["Use Postgres"]["id"]).code == 0
    assert cli("proposals", "reject", waiting["Use tabs"]["id"]).code == 0
    held = [one["text"] for one in cli("decide", "--json").json["decisions"]]
    assert "Use Postgres" in held and "Use tabs" not in held and len(held) == 3
    cli("sweep")
    assert cli("proposals", "--json").json["proposals"] == []


def test_few_are_asked_at_a_time_and_none_of_an_agents(cli, workspace, shop) -> None:
    """At most three questions wait, and what an agent decided is not asked about."""
    from holdfast.continuity import decisions

    with workspace() as h:
        for number in range(5):
            decisions.add(h, f"Decision number {number}")
        decisions.add(h, "An agent's", agent="codex")
        for key in h.store.keys(h.visible(), "d"):
            memory = h.locate(key)
            h.store.change(memory.scope, memory.key, created=days_ago(10))
        follow_up.ask(h)
        follow_up.ask(h)
    told = [one["text"] for one in cli("proposals", "--json").json["proposals"]]
    assert len(told) == follow_up.MAX_OPEN and not any("agent" in text for text in told)
