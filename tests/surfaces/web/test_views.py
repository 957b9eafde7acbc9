"""The other views: each shows what its command tells, and works where there is nothing yet."""

from __future__ import annotations

import json

import pytest
from starlette.requests import ClientDisconnect

from holdfast.continuity import todo
from holdfast.memory.remember import remember
from holdfast.surfaces.web.handling import told_of
from support.archived import edited, said, session, store

from ..hook.conftest import Hook

VIEWS = [
    "/review",
    "/receipts",
    "/receipts?try=1",
    "/memories",
    "/sessions",
    "/sessions?view=timeline",
    "/sessions?view=files",
    "/sessions?view=cost",
    "/patterns",
    "/measure",
    "/health",
    "/now",
    "/keys",
]
EVIL = "<script>alert('said')</script>"


@pytest.mark.parametrize("path", VIEWS)
def test_each_view_works_where_there_is_nothing(page, path, home):
    """A home that does not exist yet has every view, and looking makes no memory of it."""
    answer = page.get(path)
    assert answer.status_code == 200 and "</html>" in answer.text
    assert not (home / "memory" / "global").exists()


@pytest.mark.parametrize("path", VIEWS)
def test_no_view_has_inline_script_or_style(page, path):
    """The policy would block it, and then the page would not work."""
    text = page.get(path).text
    assert " style=" not in text and "<style" not in text and " onclick=" not in text
    assert "<script>" not in text


@pytest.mark.parametrize("path", VIEWS)
def test_a_part_of_a_page_is_sent_alone(page, path):
    """What is put into a page that is there comes without its frame."""
    part = page.get(path, headers={"HX-Request": "true"}).text
    assert '<nav aria-label="Views"' not in part and "<html" not in part


def test_a_prompt_can_be_tried(page, workspace, home, tree):
    """It shows what would be given, why, and the share of the budget, and records nothing."""
    with workspace() as h:
        remember(h, "Deploys need the VPN, always use the bastion host.", key="vpn", type="feedback")
    before = tree(home)
    shown = page.text("/receipts?try=1")
    assert "bastion host" in shown and "of 3,000 characters" in shown
    assert tree(home) == before


def test_a_session_is_a_conversation(page, workspace, shop):
    """What was said stands in order, tools are folded, sub-agents are listed, and one finds within it."""
    with workspace() as h:
        told = session("s-1", shop)
        store(
            h, told, said("human", f"Fix the upload {EVIL}"), edited("src/upload.py", shop), said("assistant", "Done.")
        )
        store(h, session("helper", shop, parent="s-1", is_subagent=True), said("assistant", "Looked."))
    listed = page.text("/sessions")
    assert "Fix the upload" in listed
    answer = page.get("/session/some-agent/s-1")
    assert EVIL not in answer.text and "&lt;script&gt;" in answer.text
    assert '<details class="tool">' in answer.text and "Sub-agents" in answer.text
    assert "1 found" in page.text("/session/some-agent/s-1?q=done.")
    assert "src/upload.py" in page.text("/sessions?view=files")
    assert "Fix the upload" in page.text("/sessions?view=timeline")
    assert "in all" in page.text("/sessions?view=cost&since=3650d")
    assert page.get("/session/some-agent/none").status_code == 404


def test_to_dos_are_ticked_and_added(page, workspace):
    """The page changes todo.md as the command does."""
    with workspace() as h:
        todo.add(h, "Write the docs")
        (one,) = todo.todos(h)
    page.post("/now/todo", done=one.id)
    page.post("/now/todo", text="Ship it")
    with workspace() as h:
        assert {each.text: each.done for each in todo.todos(h, everything=True)} == {
            "Write the docs": True,
            "Ship it": False,
        }
    page.post("/now/todo", reopen=one.id)
    with workspace() as h:
        assert len(todo.todos(h)) == 2


def test_health_checks_when_asked(page, workspace):
    """Doctor and lint run when asked, and what they found stays to be read."""
    assert "not looked yet" in page.text("/health")
    page.post("/health/check")
    assert "not looked yet" not in page.text("/health")


def test_hook_times_are_shown_alike_everywhere(page, home, shop, cli):
    """What real hooks took stands on the page, in `status` and in its JSON, by moment."""
    assert "No hook ran." in page.text("/health") and "hooks" not in cli("status").out
    cli("remember", "Deploys need the VPN.")
    hook = Hook(home, shop)
    for text in ("how do we deploy?", "and how do we roll back?"):
        assert hook.prompt(text).code == 0
    assert hook("Stop", last_assistant_message="Done.").code == 0
    took = {kind: sorted(row["ms"] for row in hook.events(kind)) for kind in ("prompt", "stop")}
    (quick, slow), (stop,) = took["prompt"], took["stop"]
    assert json.loads(cli("status", "--json").out)["hooks"] == [
        {"moment": "prompt", "count": 2, "p50": quick, "p95": slow, "longest": slow},
        {"moment": "stop", "count": 1, "p50": stop, "p95": stop, "longest": stop},
    ]
    lines = cli("status").out.splitlines()
    at = lines.index("hooks     3 in the last 7 days")
    assert lines[at + 1].split()[:2] == ["2", "prompt"]
    assert lines[at + 1].endswith(f"(median {quick:,.0f} ms, 95 % within {slow:,.0f} ms, longest {slow:,.0f} ms)")
    assert f"prompt 2 {quick:,.0f} ms {slow:,.0f} ms {slow:,.0f} ms stop 1 {stop:,.0f} ms" in page.text("/health")


def test_an_update_is_shown_as_a_difference_and_undone(page, cli):
    """What a command changed is listed; one click puts it back."""
    cli("remember", "Use tabs.", "--key", "tabs")
    cli("move", "tabs", "--key", "spaces")
    shown = page.get("/health").text
    update = json.loads(cli("updates", "--json").out)["updates"][0]["id"]
    assert f"/update/{update}" in shown and page.get(f"/update/{update}").status_code == 200
    page.post("/undo", updates=update, back="/health")
    assert cli("show", "tabs").code == 0


def test_the_feed_tells_what_hooks_store(site, home, workspace):
    """What the journal gets after the page was opened is sent as one line of JSON each, once."""
    from holdfast.records import Event
    from holdfast.surfaces.web.pages import now

    with workspace() as h:
        h.journal.append(Event("2026-11-16T10:00:00Z", "start", {"agent": "codex"}))
        place = now._end(h.journal)
        h.journal.append(Event("2026-11-16T10:00:01Z", "prompt", {"agent": "codex", "prompt": f"Fix it {EVIL}"}))
        told, place = now._since(h.journal, place)
        assert [json.loads(one)["text"] for one in told] == [f"prompt: Fix it {EVIL}"]
        assert now._since(h.journal, place)[0] == []


@pytest.mark.parametrize("path", ["/nothing", "/memory/global/-/none", "/session/none", "/update/none"])
def test_what_is_not_there_is_a_page_that_says_so(page, path):
    """An address that leads nowhere has the frame of the page, and no fault of ours."""
    answer = page.get(path)
    assert answer.status_code == 404 and "</html>" in answer.text


def test_memory_that_is_switched_off_is_said(page, home):
    """Nothing is shown and nothing fails."""
    home.mkdir(parents=True, exist_ok=True)
    (home / "config.toml").write_text("enabled = false\n")
    for path in ("/review", "/memories", "/sessions", "/patterns", "/health"):
        assert page.get(path).status_code == 200


def test_an_update_names_its_files_beside_its_changes(page, cli):
    """The lines that name the files are no changes; a removed line of dashes is one."""
    cli("remember", "Use tabs.", "--key", "tabs")
    cli("move", "tabs", "--key", "spaces")
    update = json.loads(cli("updates", "--json").out)["updates"][0]["id"]
    shown = page.get(f"/update/{update}").text
    assert '<div class="hunk"><span> </span><span dir="auto">--- memory/' in shown
    assert '<div class="del"><span>-</span><span dir="auto">---</span>' in shown


def test_only_memories_are_links_in_receipts(page, home, shop, cli):
    """What was given of a page, such as a to-do, has no page of its own and is plain text."""
    cli("remember", "Deploys need the VPN.")
    cli("todo", "add", "Write the docs")
    assert Hook(home, shop)("SessionStart", source="startup").code == 0
    shown = page.get("/receipts").text
    assert "todo.md:" in shown and "/memory/page/" not in shown and "/memory/project/" in shown


def test_who_goes_away_is_no_fault(site):
    """A browser that leaves in the middle of a form is not told of in the terminal."""
    assert told_of(ClientDisconnect(), site)[0] == 400 and site.said == []


@pytest.mark.parametrize(
    ("path", "view"), [("/memory/project/example.com--acme--shop/vpn", "/memories"), ("/measure", "/patterns")]
)
def test_the_view_is_marked_on_what_lies_within_it(page, workspace, path, view):
    """One sees where one is on the page of one thing, too."""
    with workspace() as h:
        remember(h, "Deploys need the VPN.", key="vpn")
    assert f'<a href="{view}" aria-current="true">' in page.get(path).text


def test_one_file_is_not_files(page, workspace, shop):
    """Numbers agree with what they count, and stored text has the direction of its own words."""
    with workspace() as h:
        store(h, session("s-1", shop), said("human", "שלום"), edited("src/upload.py", shop))
    shown = page.text("/sessions")
    assert "1 file" in shown and "1 files" not in shown
    assert '<div dir="auto" class="said">שלום' in page.get("/session/some-agent/s-1").text
