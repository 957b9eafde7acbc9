"""Where a project stands, for somebody who comes back."""

from __future__ import annotations

import json

import pytest

from holdfast.app.erase import forget_memory as forget
from holdfast.continuity import log, working_state
from holdfast.continuity.catch_up import catch_up, markdown
from holdfast.errors import BadInput, ScopeUnknown
from holdfast.memory.remember import remember
from holdfast.records import SessionEvent
from support.archived import edited, said, session, store

SHOP = "example.com--acme--shop"
FOLDER = f"projects/{SHOP}"


def ran(command: str, output: str, folder, *, failed: bool = False) -> SessionEvent:
    """Return a command that a tool call ran."""
    given = json.dumps({"command": command})
    told = {"output": output, "folder": str(folder), "answered": True, "failed": failed}
    return SessionEvent(0, "tool", tool="Bash", input=given, **told)


@pytest.fixture
def worked(workspace, shop, write):
    """Two agents worked in the shop on two days of one week, and long before; every page says something."""
    write(f"{FOLDER}/todo.md", "- [x] Old thing\n- [ ] Write the refund test\n")
    write(
        f"{FOLDER}/decisions.md",
        "| Id | Date | Decision | Because |\n|---|---|---|---|\n| D1 | 2026-05-06 | Use Postgres | We know it |\n",
    )
    with workspace() as opened:
        store(opened, session("one", shop, day="2026-03-01", title="Long ago"), said("human", "Begin."))
        store(
            *(opened, session("two", shop, day="2026-05-05", title="Cart"), said("human", "Build the cart.")),
            *(edited(shop / "cart.py", shop), edited(shop / "cart.py", shop), edited(shop / "tea.py", shop)),
            ran('git commit -m "Add the cart"', "[main 1234567] Add the cart\n 1 file changed", shop),
            said("assistant", "Done."),
        )
        store(
            *(opened, session("three", shop, agent="another", day="2026-05-07", title="Refunds")),
            said("human", "Let's go with a queue. Run the tests."),
            ran("pytest tests", "E   assert 1 == 2\n1 failed in 0.1s", shop, failed=True),
            said("assistant", "They fail."),
        )
        working_state.update(
            opened, focus="Refunds", next_steps=("repair the test",), open_threads=("who pays?",), by="another"
        )
    return workspace


def test_the_page_tells_what_there_is(worked, cli):
    """Focus, last session, what was done, decided and failed, what is open and next, files and agents are told."""
    out = cli("catch-up").out
    for told in (
        *(f"# {SHOP}", "2 sessions, by another (1), some-agent (1).", "- Focus: Refunds", "- Last session: Refunds ("),
        *("2026-05-05 Cart", "made Add the cart", "2026-05-06 Use Postgres, because We know it", "pytest tests"),
        *("- who pays?", "- repair the test", "- Write the refund test (t", "`cart.py` (2)"),
    ):
        assert told in out, told
    assert "Long ago" not in out and "Old thing" not in out
    assert len(out.splitlines()) <= 60


def test_since_chooses_the_time(worked, cli):
    """Without a time it is the week that ended with the last session; a time chooses another."""
    with worked() as opened:
        assert catch_up(opened).since == "2026-04-30T11:00:00Z"
        assert [row.title for row in catch_up(opened, since="2026-01-01").sessions] == ["Refunds", "Cart", "Long ago"]
        assert catch_up(opened, since="2026-05-06").agents == (("another", 1),)
        with pytest.raises(BadInput):
            catch_up(opened, since="soon")


def test_json_has_the_same(worked, cli):
    """The document has every part, empty or not."""
    found = cli("catch-up", "--json").json
    assert (
        found["project"] == SHOP
        and found["focus"] == "Refunds (said by the agent another)"
        and found["by"] == "another"
    )
    assert found["agents"] == [{"agent": "another", "sessions": 1}, {"agent": "some-agent", "sessions": 1}]
    assert found["decisions"][0] == {"text": "Use Postgres", "at": "2026-05-06", "because": "We know it"}
    assert found["files"][0] == {"path": "cart.py", "changes": 2}
    assert [one["text"] for one in found["todos"]] == ["Write the refund test"]
    assert [row["title"] for row in found["sessions"]] == ["Refunds", "Cart"]


def test_what_is_empty_is_not_mentioned(workspace, shop, cli):
    """A project with one session and no page has no section for what it lacks."""
    with workspace() as opened:
        store(opened, session("one", shop, title="First"), said("human", "Begin."), said("assistant", "Done."))
    out = cli("catch-up").out
    assert [line for line in out.splitlines() if line.startswith("## ")] == ["## Where it stands", "## Done"]


def test_sessions_that_say_nothing_are_counted(workspace, shop, cli):
    """Sessions without a title take one line together, and none of them is told as the last."""
    with workspace() as opened:
        store(opened, session("one", shop, title="First"), said("human", "Begin."), said("assistant", "Done."))
        for name in ("two", "three"):
            store(opened, session(name, shop, title=""))
    out = cli("catch-up").out
    assert "- and 2 sessions without a title\n" in out and "Last session: Begin." in out
    assert "a session without a title" not in out


def test_pages_alone_are_enough(workspace, write, cli):
    """Without a single session the pages are told."""
    write(f"{FOLDER}/todo.md", "- [ ] Write the refund test\n")
    out = cli("catch-up").out
    assert "no session" in out and "Write the refund test" in out and "## Done" not in out


def test_the_log_tells_what_no_sweep_has_read(worked, home, cli):
    """A session that is only in the daily log is told, once; one that is in the archive too is told from there."""
    folder = str(home / "memory" / FOLDER)
    told = {"decisions": ("decision: Ship on Monday",), "failed": ("make: no rule",), "files": ("ship.py",)}
    log.write(folder, log.LogEntry("new", "third", "2026-05-08T08:00:00Z", title="Shipping", outcome="ended", **told))
    log.write(folder, log.LogEntry("two", "some-agent", "2026-05-05T10:00:00Z", title="Cart as the hooks saw it"))
    out = cli("catch-up").out
    assert "- Last session: Shipping (ended, third, 2026-05-08 08:00 UTC)" in out and "3 sessions" in out
    assert "2026-05-08 Ship on Monday" in out and "- make: no rule" in out and "`ship.py` (1)" in out
    assert "unknown" not in out
    assert "2026-05-05 Cart (" in out and "as the hooks saw it" not in out


def test_an_unknown_project_has_nothing(workspace, shop, cli, home, tree):
    """Of a project that nobody worked in nothing is told, and looking leaves no trace."""
    with workspace() as opened:
        store(opened, session("one", shop, title="First"), said("human", "Begin."))
    before = tree(home)
    ended = cli("catch-up", "other")
    assert ended.code == 0 and ended.out == "" and "nothing is known of the project other" in ended.err
    assert tree(home) == before


def test_outside_a_project_it_says_so(workspace, machine):
    """A folder that is no project has no page, and never another project's."""
    with workspace(folder=str(machine)) as opened, pytest.raises(ScopeUnknown):
        catch_up(opened)


def test_forgotten_and_secret_things_do_not_come_back(workspace, write, cli):
    """A forgotten statement and a secret in a page are not told."""
    token = "ghp_" + "a1B2c3D4e5" * 4
    with workspace() as opened:
        forget(opened, remember(opened, "Deploys need the VPN.", key="deploy").memory.key)
    write(f"{FOLDER}/todo.md", f"- [ ] Deploys need the VPN.\n- [ ] Use {token}\n")
    out = cli("catch-up").out
    assert "VPN" not in out and token not in out and "[redacted:github" in out.replace("\\", "")


def test_much_work_stays_about_a_screen_and_a_half(workspace, shop, write):
    """However much there is, the page stays short and says how much more there is; no text opens markup."""
    write(f"{FOLDER}/todo.md", "".join(f"- [ ] Task {n} {'long ' * 100}\n" for n in range(60)))
    with workspace() as opened:
        for n in range(30):
            told = session(f"s{n}", shop, title=f"Basket {n} <b>`x`</b>")
            store(opened, told, said("human", f"Let's go with plan {n}."), edited(shop / f"f{n}.py", shop))
        steps = tuple(f"step {n}" for n in range(15))
        working_state.update(opened, focus="x " * 400, next_steps=steps, open_threads=steps)
        page = markdown(catch_up(opened))
    lines = page.splitlines()
    assert len(lines) <= 66 and max(map(len, lines)) <= 420
    assert "- and 20 more" in lines and "- and 52 more" in lines and "\\<b>" in page


def test_switched_off_it_is_empty(worked, cli, monkeypatch):
    """With memory off nothing is told."""
    monkeypatch.setenv("HOLDFAST_ENABLED", "no")
    ended = cli("catch-up")
    assert ended.out == "" and "switched off" in ended.err
