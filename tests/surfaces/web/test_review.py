"""Review: everything that waits in one list, decided as on the command line, undone, snoozed and edited."""

from __future__ import annotations

import json
import re
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from holdfast.errors import Refused
from holdfast.exchange.import_memories import import_memories
from holdfast.memory import forget
from holdfast.memory.proposal_files import Proposals
from holdfast.memory.remember import remember
from holdfast.records import Filter
from support.signalled import MAKE, NPM, PYTEST, three

VPN = "Deploys need the VPN."
MONDAY = "The staging database is reset on Mondays."


@pytest.fixture
def two(workspace, shop):
    """Two proposals of one file; returns their ids by what they say."""
    (shop / "AGENTS.md").write_text(f"- {VPN}\n- {MONDAY}\n")
    with workspace() as h:
        found = import_memories(h).proposals
    return {one.text: one.id for one in found}


def said(workspace) -> set[str]:
    """Return what the memories of the project say."""
    with workspace() as h:
        h.refresh(None)
        return {memory.body for memory in h.store.find(Filter(None))}


def test_everything_that_waits_is_in_one_list(page, two, home, workspace):
    """Proposals and patterns stand in it with kind and evidence; what lint finds comes when it has looked."""
    three(home, NPM, PYTEST, MAKE)
    with workspace() as h:
        remember(h, "The cache is warm.", key="cache")
        remember(h, "The cache is cold.", key="cache", scope="global")
    shown = page.text("/review")
    assert "5 waiting" in shown and VPN in shown and "AGENTS.md, line 1" in shown and "pattern" in shown
    assert "conflict" not in page.text("/review?kind=conflict")[:400]
    assert page.post("/review/look").status_code == 200
    assert "cache says something else" in page.text("/review?kind=conflict")


def test_an_item_is_shown_against_the_nearest_memory(page, two, workspace):
    """What a memory says that is near is shown as a difference, line by line."""
    with workspace() as h:
        remember(h, "Deploys need the VPN and a token.", key="vpn")
    shown = page.get(f"/review?item=proposal:{two[VPN]}").text
    assert re.search(r'class="del">.*Deploys need the VPN and a token\.', shown)
    assert re.search(r'class="add">.*Deploys need the VPN\.', shown)


@pytest.mark.parametrize("act", ["approve", "reject", "snooze"])
def test_a_decision_is_that_of_the_command_and_can_be_undone(page, two, workspace, act):
    """It is carried out, told with the next item shown, and one click puts the item back."""
    answer = page.post("/review/decide", act=act, shown=f"proposal:{two[VPN]}", next=f"proposal:{two[MONDAY]}")
    assert answer.status_code == 200 and f'data-item="proposal:{two[MONDAY]}"' in answer.text
    assert (VPN in said(workspace)) == (act == "approve")
    update = re.search(r'name="updates" value="(\w+)"', answer.text)[1]
    undone = page.post("/undo", updates=update, back="/review")
    assert "Undone" in undone.text and two[VPN] in undone.text and VPN not in said(workspace)


def test_many_are_decided_by_filter(page, two, workspace):
    """`all` stands for what the filter shows, and one undo takes all of it back."""
    answer = page.post("/review/decide", act="approve", all="1", q="database")
    assert said(workspace) == {MONDAY} and "Approved: The staging" in answer.text
    page.post("/review/decide", act="approve", item=[f"proposal:{two[VPN]}"])
    assert said(workspace) == {VPN, MONDAY}


def test_an_edit_keeps_the_rest_of_the_file(page, two, home):
    """Only the statement changes; front matter and what a person added stay."""
    folder = Proposals(str(home))
    name = two[VPN]
    seen = re.search(r'name="seen" value="(\w+)"', page.get(f"/review?item=proposal:{name}&edit=1").text)[1]
    answer = page.post("/review/edit", shown=f"proposal:{name}", seen=seen, text="Deploys need the VPN and Kim.\r\n")
    assert answer.status_code == 200 and "Deploys need the VPN and Kim." in answer.text
    proposal = folder.get(name)
    assert (proposal.text, proposal.source) == ("Deploys need the VPN and Kim.", "codex:AGENTS.md#L1")


def test_an_edit_of_what_changed_meanwhile_is_refused(page, two, home):
    """Nothing is overwritten, and the page says so."""
    name = two[VPN]
    seen = re.search(r'name="seen" value="(\w+)"', page.get(f"/review?item=proposal:{name}&edit=1").text)[1]
    path = home / "proposals" / f"{name}.md"
    path.write_text(path.read_text().replace(VPN, "Deploys need a token."))
    answer = page.post("/review/edit", shown=f"proposal:{name}", seen=seen, text="Mine.")
    assert answer.status_code == 412 and "changed meanwhile" in answer.text
    assert Proposals(str(home)).get(name).text == "Deploys need a token."


def test_what_a_rule_refuses_stays_with_the_reason(page, two, cli):
    """A forgotten statement is not approved; the page tells why and shows it still."""
    cli("remember", VPN, "--key", "vpn")
    cli("forget", "vpn", "--yes")
    answer = page.post("/review/decide", act="approve", shown="proposal:deadbeef")
    assert answer.status_code == 200 and "Not done" in answer.text


def test_a_form_of_another_site_changes_nothing(page, two, workspace):
    """Without the token of the page, or with a foreign Origin, a form is refused."""
    asked = {"act": "approve", "shown": f"proposal:{two[VPN]}"}
    assert page.post("/review/decide", csrf="", **asked).status_code == 403
    assert page.post("/review/decide", headers={"Origin": "https://evil.example"}, **asked).status_code == 403
    assert page.client.get("/review/decide").status_code == 405
    assert page.client.post("/review/decide", json=asked).status_code == 422
    assert said(workspace) == set()


def test_nothing_waits(page):
    """An empty inbox says so."""
    assert "Nothing waits." in page.text("/review")


def test_what_would_withdraw_a_memory_says_so(page, workspace):
    """It names what it would withdraw and shows it; there are no words to edit, and no difference."""
    with workspace() as h:
        rule = remember(h, "Never deploy on Fridays.", key="fridays", type="feedback").memory
        with pytest.raises(Refused):
            forget.remove_for(h, rule, "codex")
    shown = page.get("/review").text
    assert "Would withdraw: fridays" in shown and "Never deploy on Fridays." in shown
    assert "It says the same" not in shown and 'data-key="e"' not in shown
    name = re.search(r'data-item="(proposal:\w+)"', shown)[1]
    assert page.post("/review/edit", shown=name, seen="", text="Something else.").status_code == 422


def test_a_conflict_shows_both_statements(page, workspace):
    """Who settles it sees what the one says and what the other says."""
    with workspace() as h:
        remember(h, "The cache is warm.", key="cache")
        remember(h, "The cache is cold.", key="cache", scope="global")
    page.post("/review/look")
    shown = page.text("/review?kind=conflict")
    assert "The cache is warm." in shown and "The cache is cold." in shown


def test_a_decision_on_nothing_says_so(page, two):
    """Buttons for many do nothing where nothing is ticked, and say it."""
    assert "Nothing is ticked" in page.post("/review/decide", act="approve").text


def test_a_search_tells_its_counts(page, two):
    """The number of matches stands beside that of all, in what is put in as one types, too."""
    assert "1 of 2 waiting" in page.text("/review?q=database")
    part = page.get("/review?q=database", headers={"HX-Request": "true"}).text
    assert 'id="count">1 of 2 waiting' in part


def test_what_waits_is_counted_alike_everywhere(page, two, home, workspace, cli):
    """Review, Health and `status` count the same things, with what lint found where it looked."""
    three(home, NPM, PYTEST, MAKE)
    with workspace() as h:
        remember(h, "The cache is warm.", key="cache")
        remember(h, "The cache is cold.", key="cache", scope="global")
    told = json.loads(cli("status", "--json").out)
    assert (told["proposals"], told["patterns"]) == (2, 3)
    assert "5 waiting" in page.text("/review") and "5 wait for you" in page.text("/health")
    page.post("/review/look")
    many = re.search(r"(\d+) waiting", page.text("/review"))[1]
    assert int(many) > 5 and f"{many} wait for you" in page.text("/health")


def test_memories_are_looked_through_once_at_a_time(page, site, two):
    """A second look is told that one is running, the button is off, and everything else goes on."""
    begun, go_on = threading.Event(), threading.Event()

    def slow(workspace):
        begun.set()
        go_on.wait(600)
        return []

    site.findings.check = slow
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(page.post, "/review/look")
        assert begun.wait(600)
        answer = page.post("/review/look")
        assert answer.status_code == 409 and "being looked through" in answer.text
        assert "are being looked for" in page.get("/review").text and "Look through" not in page.text("/review")
        assert page.get("/memories").status_code == 200
        go_on.set()
        assert first.result().status_code == 200
    assert "Look through all memories now" in page.text("/review")
