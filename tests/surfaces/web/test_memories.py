"""Memories: listed, narrowed down, searched, read in full, and changed as by hand."""

from __future__ import annotations

import re

import pytest

from holdfast.errors import NotFound
from holdfast.memory.remember import remember
from surfaces.web.conftest import read

SHOP = "example.com--acme--shop"
VPN = f"/memory/project/{SHOP}/vpn"


@pytest.fixture
def some(workspace):
    """A few memories of a project, and one of everywhere."""
    with workspace() as h:
        remember(h, "Deploys need the VPN.", key="vpn", tags=("deploy",), type="feedback")
        remember(h, "Deploys go through the bastion host.", key="vpn")
        remember(h, "Payments are in cents.", key="cents", type="decision", pinned=True)
        remember(h, "Answer in British English.", key="english", scope="global", type="user")


def seen(page, path: str) -> str:
    """Return what stands for the text that a form edits."""
    return re.search(r'name="seen" value="(\w+)"', page.get(path).text)[1]


def test_memories_are_listed_with_facets(page, some):
    """All of them come, newest first, with how many there are of each scope, type, trust and tag."""
    shown = page.text("/memories")
    assert "1 to 3 of 3" in shown and "deploy 1" in shown and "global 1" in shown
    narrowed = page.text("/memories?type=decision")
    assert "Payments are in cents" in narrowed and "British" not in narrowed
    assert "British" in page.text("/memories?scope=global&trust=user&used=never&age=7d")
    assert "Nothing matches" in page.text("/memories?trust=import")


def test_a_search_explains_its_scores_and_counts_no_use(page, some, workspace):
    """Each hit has its score with the parts of it, and looking is not use."""
    shown = page.text("/memories?q=how+do+we+deploy")
    assert "bastion host" in shown and "score 0." in shown and "words" in shown
    with workspace() as h:
        assert h.store.uses(h.scope("project"), "vpn") == (0, "")


def test_pages_come_from_the_server(page, workspace):
    """Fifty a page, with a way on and back."""
    with workspace() as h:
        for number in range(60):
            remember(h, f"Fact number {number}.", key=f"fact-{number}")
    first, second = page.text("/memories"), page.text("/memories?skip=50")
    assert "1 to 50 of 60" in first and "51 to 60 of 60" in second and "Newer" in second


def test_one_memory_in_full(page, some):
    """It shows what it says, its history as differences, where it comes from, and what is related."""
    answer = page.get(VPN)
    shown = read(answer.text)
    assert "Deploys go through the bastion host." in shown and "No session was given it so far." in shown
    assert re.search(r'class="del">.*Deploys need the VPN\.', answer.text)
    assert "key vpn" in shown.lower() and "feedback" in shown


def test_an_edit_is_kept_as_by_hand(page, some, workspace):
    """The statement changes, what it said is history, and front matter stays."""
    answer = page.post(f"{VPN}/edit", seen=seen(page, f"{VPN}?edit=1"), text="Deploys need nothing.")
    assert answer.status_code == 200 and "Saved" in answer.text
    with workspace() as h:
        memory = h.locate("vpn")
    assert (memory.body, memory.tags, len(memory.history)) == ("Deploys need nothing.", ("deploy",), 2)


def test_a_title_that_was_made_of_the_words_follows_an_edit(page, workspace):
    """As with `remember --key`: a title of the person's own stays, a heading is a new one."""
    with workspace() as h:
        remember(h, "The server listens on port 8080.", key="port")
        remember(h, "Deploys need the VPN.", key="own", title="Deploying")
    port, own = f"/memory/project/{SHOP}/port", f"/memory/project/{SHOP}/own"
    page.post(f"{port}/edit", seen=seen(page, f"{port}?edit=1"), text="The server listens on port 9090.")
    page.post(f"{own}/edit", seen=seen(page, f"{own}?edit=1"), text="Deploys need a token.")
    with workspace() as h:
        assert (h.locate("port").title, h.locate("own").title) == ("The server listens on port 9090", "Deploying")
        assert "# The server listens on port 9090\n" in h.store.text(h.locate("port"))
    page.post(f"{own}/edit", seen=seen(page, f"{own}?edit=1"), text="# Shipping\n\nShips need a token.")
    with workspace() as h:
        assert (h.locate("own").title, h.locate("own").body) == ("Shipping", "Ships need a token.")


def test_an_edit_race_shows_both_and_overwrites_nothing(page, some, workspace):
    """Who saves second is shown what came meanwhile, with their own words still in the field."""
    before = seen(page, f"{VPN}?edit=1")
    with workspace() as h:
        remember(h, "Deploys need a token.", key="vpn")
    answer = page.post(f"{VPN}/edit", seen=before, text="Mine alone.")
    assert answer.status_code == 412 and "It changed while you wrote" in answer.text
    assert "Mine alone." in answer.text and "Deploys need a token." in answer.text
    with workspace() as h:
        assert h.locate("vpn").body == "Deploys need a token."


def test_a_secret_in_an_edit_is_taken_out(page, some, workspace):
    """As everywhere, no byte of a secret is written."""
    token = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    page.post(f"{VPN}/edit", seen=seen(page, f"{VPN}?edit=1"), text=f"The CI uses {token}.")
    with workspace() as h:
        assert token not in h.store.text(h.locate("vpn"))


def test_a_secret_that_slipped_in_is_masked_until_it_is_asked_for(page, some, workspace, home):
    """On the page of its memory and in its fields; the page says so, and saving what is shown takes it out."""
    token = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    with workspace() as h:
        path = home / "memory" / h.locate("vpn").path
    path.write_text(path.read_text().replace("bastion host", f"bastion {token}"))
    for way in ("", "?edit=1", "?edit=file"):
        shown = page.get(VPN + way).text
        assert token not in shown and "A secret stands in its file (github-token)" in shown
    assert token in page.get(f"{VPN}?reveal=1").text
    page.post("/review/look")
    assert token not in page.get("/memories").text
    shown = re.search(r"<textarea[^>]*>\s*([^<]*)", page.get(f"{VPN}?edit=1").text)[1]
    page.post(f"{VPN}/edit", seen=seen(page, f"{VPN}?edit=1"), text=shown)
    assert token not in path.read_text() and "A secret" not in page.get(VPN).text


def test_the_rule_of_a_memory_is_set_by_its_form(page, some, workspace):
    """A condition and a strength, none for neither; what cannot hold is refused, and then nothing is kept."""
    form = {"text": "Deploys go through the bastion host.", "when": "make deploy", "enforce": "deny"}
    answer = page.post(f"{VPN}/edit", seen=seen(page, f"{VPN}?edit=1"), **form)
    assert "Saved" in answer.text and "denies at: make deploy" in read(answer.text)
    bad = page.post(f"{VPN}/edit", seen=seen(page, f"{VPN}?edit=1"), text="Other.", when="", enforce="hold")
    assert bad.status_code == 422
    with workspace() as h:
        memory = h.locate("vpn")
        assert (memory.body, memory.when, memory.enforce) == (form["text"], "make deploy", "deny")
    page.post(f"{VPN}/edit", seen=seen(page, f"{VPN}?edit=1"), text=form["text"], when="", enforce="")
    with workspace() as h:
        assert (h.locate("vpn").when, h.locate("vpn").enforce) == ("", "")


def test_pin_move_and_forget(page, some, workspace):
    """Each does what its command does; forgetting is asked once more."""
    assert "Unpin" in page.post(f"{VPN}/pin", pinned="1").text
    moved = page.post(f"{VPN}/move", to="global", key="vpn-rule")
    assert moved.url.path == "/memory/global/-/vpn-rule"
    asked = page.post("/memories/act", act="forget", memory="global/vpn-rule")
    assert "Forget for good?" in asked.text
    with workspace() as h:
        assert h.locate("vpn-rule").pinned
    page.post("/memories/act", act="forget", memory="global/vpn-rule", sure="1")
    with workspace() as h, pytest.raises(NotFound):
        h.locate("vpn-rule")


def test_many_are_pinned_at_once(page, some, workspace):
    """What is ticked is acted on, whatever scopes it is in."""
    page.post("/memories/act", act="pin", memory=["global/english", f"project:{SHOP}/vpn"])
    with workspace() as h:
        assert h.locate("english").pinned and h.locate("vpn").pinned
    assert page.post("/memories/act", act="pin").status_code == 422


@pytest.mark.parametrize(
    "path", ["/memory/project/..%2F..%2Fetc/passwd", "/memory/global/-/..%2Fx", "/memory/nothing/-/x"]
)
def test_a_path_in_an_id_leads_nowhere(page, some, path):
    """A key or an owner that is none is refused."""
    assert page.get(path).status_code in (404, 422)


def test_stored_text_is_never_markup(page, workspace):
    """Script in a title, a body, a tag and hidden characters are shown as text; Markdown has no raw HTML."""
    evil = "<script>alert(1)</script>"
    with workspace() as h:
        remember(
            h, f"Look {evil} <img src=x onerror=alert(1)> [x](javascript:alert(1)) a\u202eb", key="evil", tags=(evil,)
        )
    for path in ("/memories", "/memories?q=look", f"/memory/project/{SHOP}/evil", "/memories?tag=" + evil):
        text = page.get(path).text
        assert evil not in text and "<img" not in text and 'href="javascript' not in text
    assert "\\u202e" in page.get(f"/memory/project/{SHOP}/evil").text


def test_a_page_is_what_the_files_say_now(page, some, write):
    """A file that a person changed is shown as it is at the next look."""
    path = write(f"projects/{SHOP}/memories/by-hand.md", "Written by hand.\n")
    assert "Written by hand." in page.text("/memories")
    path.write_text("Changed by hand.\n")
    assert "Changed by hand." in page.text(f"/memory/project/{SHOP}/by-hand")
    with_query = page.text("/memories?q=changed+by+hand")
    assert "Changed by hand." in with_query


def test_the_rule_of_a_memory_is_on_its_page_and_its_form(page, workspace) -> None:
    """Both say at which calls it holds, from which words that is, and how strongly."""
    with workspace() as h:
        remember(h, "Never run `make deploy` on Fridays.", key="deploy", enforce="deny")
    for asked in ("", "?edit=1"):
        shown = page.get(f"/memory/project/{h.project().id}/deploy{asked}").text
        assert "denies at: make deploy" in shown and "derived from" in shown and "<dd>deny</dd>" in shown
