"""A finding of lint is mended, left as it is or put off by the person, on the page and on the command line."""

from __future__ import annotations

import json
import re
import time

import pytest

from holdfast.memory.remember import remember
from holdfast.records import Filter
from holdfast.surfaces.web.site import Site
from surfaces.web.conftest import Visitor

TOKEN = "ghp_" + "0123456789abcdefghij0123456789abcdef"


@pytest.fixture
def found(cli):
    """Return what lint finds, by kind."""

    def look() -> dict[str, dict]:
        return {one["kind"]: one for one in json.loads(cli("lint", "--json").out)["problems"]}

    return look


@pytest.fixture
def secret(workspace, home):
    """A secret that slipped in by a hand edit; returns its file."""
    with workspace() as h:
        path = (
            home / "memory" / remember(h, "The registry wants a token.", key="registry", title="Registry").memory.path
        )
    path.write_text(path.read_text().replace("wants a token", f"wants {TOKEN}"))
    return path


@pytest.fixture
def contrary(home):
    """Two memories of which the newer says otherwise."""
    folder = home / "memory" / "global" / "memories"
    folder.mkdir(parents=True)
    for name, month, host in (("old", "01", "db-stg-2"), ("new", "02", "db-stg-3")):
        head = f"---\ntrust: user\nupdated: 2026-{month}-01T00:00:00Z\n---\n"
        (folder / f"{name}.md").write_text(f"{head}Staging database runs on {host}.\n")


def test_a_secret_is_taken_out_by_its_id(cli, found, secret):
    """The file no longer has it, the finding is gone, and no record has what it was."""
    ended = cli("lint", "settle", found()["secret"]["id"])
    assert ended.code == 0 and "approved" in ended.out
    assert TOKEN not in secret.read_text() and "secret" not in found()
    assert not [one for one in secret.parents[3].rglob("*") if one.is_file() and TOKEN.encode() in one.read_bytes()]


def test_what_is_dismissed_stays_so_until_its_file_changes(cli, found, secret):
    """Neither lint names it nor heal mends it; an edit of the file has it named again."""
    name = found()["secret"]["id"]
    assert cli("lint", "dismiss", name[:5], "--reason", "an example of the manual").code == 0
    assert "secret" not in found() and "1 dismissed" in cli("lint").err and cli("lint").code == 0
    cli("heal", "--yes")
    assert TOKEN in secret.read_text()
    secret.write_text(secret.read_text() + "\nAsk Kim.\n")
    assert "secret" in found()


def test_what_is_put_off_comes_back_and_is_undone(cli, found, secret):
    """A snooze hides it for its days, and undoing the update shows it again."""
    name = found()["secret"]["id"]
    done = json.loads(cli("lint", "snooze", name, "--days", "3", "--json").out)["decisions"]
    assert [(one["id"], one["act"]) for one in done] == [(name, "snoozed")] and "secret" not in found()
    assert cli("updates", "undo", done[0]["update"], "--yes").code == 0
    assert "secret" in found()


def test_of_two_that_contradict_each_other_the_newer_holds(cli, found, contrary, workspace):
    """Settling it has the newer one replace the older; undoing it puts both back."""
    done = json.loads(cli("lint", "settle", found()["outdated"]["id"], "--json").out)["decisions"]
    with workspace() as h:
        assert {one.key: one.supersedes for one in h.store.find(Filter(None))} == {"old": (), "new": ("old",)}
    assert "outdated" not in found()
    assert cli("updates", "undo", done[0]["update"], "--yes").code == 0
    assert "outdated" in found()


def test_what_has_no_plain_repair_is_refused(cli, found, workspace):
    """A conflict of two scopes is for the person to edit; an id that is none says where ids are."""
    with workspace() as h:
        remember(h, "The cache is warm.", key="cache")
        remember(h, "The cache is cold.", key="cache", scope="global")
    refused = cli("lint", "settle", found()["contradiction"]["id"])
    assert refused.code == 2 and "holdfast edit" in refused.err
    assert "holdfast lint" in cli("lint", "dismiss", "ffffffff").err
    assert cli("lint", "snooze", found()["contradiction"]["id"], "--days", "0").code == 2


def test_an_agent_does_not_settle(cli, found, secret, monkeypatch):
    """Who decides is a person."""
    name = found()["secret"]["id"]
    monkeypatch.setenv("CLAUDECODE", "1")
    assert cli("lint", "dismiss", name).code == 6 and "secret" in found()


@pytest.mark.parametrize("act", ["approve", "reject", "snooze"])
def test_the_page_decides_on_findings_as_on_all_else(home, shop, contrary, act):
    """The same keys decide, the decision is told with a way to undo it, and undoing shows the finding again."""
    page = Visitor(Site(str(home), 7433, folder=str(shop), say=[].append, looks_itself=False)).let_in()
    page.post("/review/look")
    shown = page.get("/review?kind=conflict").text
    assert "The newer one holds" in shown and "db-stg-2" in shown and "db-stg-3" in shown
    name = re.search(r'data-item="(finding:\w+)"', shown)[1]
    answer = page.post("/review/decide", act=act, shown=name)
    assert name not in answer.text
    undo = re.search(r'name="updates" value="(\w+)"', answer.text)[1]
    assert name in page.post("/undo", updates=undo, back="/review").text


def test_a_secret_in_the_inbox_is_taken_out(home, shop, secret):
    """It is one of what waits, and approving it mends the file."""
    page = Visitor(Site(str(home), 7433, folder=str(shop), say=[].append, looks_itself=False)).let_in()
    page.post("/review/look")
    name = re.search(r'data-item="(finding:\w+)"', page.get("/review?kind=secret").text)[1]
    assert "Approved: a secret" in page.post("/review/decide", act="approve", shown=name).text
    assert TOKEN not in secret.read_text() and name not in page.get("/review").text


def test_findings_are_looked_for_without_being_asked(home, shop, secret):
    """In a home that is not large the inbox has them soon after somebody reviews."""
    page = Visitor(Site(str(home), 7433, folder=str(shop), say=[].append)).let_in()
    ends = time.monotonic() + 600
    while 'value="secret"' not in page.get("/review").text:
        assert time.monotonic() < ends
        time.sleep(0.05)
