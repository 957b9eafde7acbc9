"""The page in a real Chromium: by keyboard, without JavaScript, on a narrow screen, in both themes."""

from __future__ import annotations

import importlib
import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.labelled import BENCHMARKS, module_at
from outside import programs
from support.sampling import LONG, count
from support.serving import Server

BENCH = module_at(BENCHMARKS / "serve.py")
VIEWS = dict(BENCH.VIEWS) | {
    "search": "/memories?q=how+do+we+deploy",
    "measure": "/measure",
    "files": "/sessions?view=files",
}
# Nobody looks at the pixels, so none are drawn by the processor in place of a graphics card.
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-software-rasterizer"]
# Nothing is asked of axe-core but what it complains of.
AXE = "axe.run({resultTypes: ['violations'], selectors: false}).then(found => JSON.stringify(found.violations))"
EDIT = "/memory/project/shop/m-1?edit=1"
WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 360, "height": 740}
# Both themes and both widths are looked at; the long run looks at each theme in each width.
THEMES = [("light", WIDE), ("dark", NARROW), *([("light", NARROW), ("dark", WIDE)] if LONG else [])]


class Served(Server):
    """The page that is served from a home by a process of its own."""

    def __init__(self, home: Path) -> None:
        own = {"HOLDFAST_HOME": str(home), "HOLDFAST_PROJECT": "shop", "HOME": str(home.parent), "PATH": "/usr/bin"}
        super().__init__(home.parent, environment=own)
        self.home = home

    def waiting(self) -> list[str]:
        """Return what the proposals that wait say."""
        names = sorted((self.home / "proposals").glob("*.md"))
        return [path.read_text().rpartition("\n\n")[2].strip() for path in names]


@pytest.fixture(scope="module")
def parts() -> tuple[str, Path]:
    """The browser and what drives it; where they cannot be had the test is skipped."""
    try:
        return programs.browser()
    except programs.NotHere as problem:
        pytest.skip(f"no browser: {problem}")


@pytest.fixture(scope="module")
def chromium(parts) -> Iterator:
    """A running Chromium."""
    path, folder = parts
    sys.path.insert(0, str(folder / "python"))
    playwright = importlib.import_module("playwright.sync_api")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()
    sys.path.remove(str(folder / "python"))


@pytest.fixture(scope="module")
def large(tmp_path_factory) -> Iterator[Served]:
    """The page of a home with many memories and sessions: 10,000 and 1,000 in the long run."""
    home = tmp_path_factory.mktemp("large") / "home"
    BENCH.lay(str(home), count(10_000, 1_000), count(1_000, 100))
    with Served(home) as served:
        yield served


@pytest.fixture(scope="module")
def let_in(large, chromium):
    """The state of a browser that was let into the large home."""
    context = chromium.new_context()
    context.new_page().goto(large.opens)
    state = context.storage_state()
    context.close()
    return state


@pytest.fixture(scope="module")
def laid(tmp_path_factory) -> Path:
    """A home with a few memories and 20 proposals, for others to copy."""
    home = tmp_path_factory.mktemp("small") / "home"
    BENCH.lay(str(home), 30, 3, 20)
    return home


@pytest.fixture
def small(laid, tmp_path) -> Iterator[Served]:
    """The page of a home with a few memories and 20 proposals."""
    with Served(shutil.copytree(laid, tmp_path / "home")) as served:
        yield served


@pytest.fixture
def page(chromium):
    """Open pages that fail the test for anything that the browser complains about."""
    contexts, complaints = [], []

    def open_one(address: str, **options):
        context = chromium.new_context(**{"viewport": WIDE, **options})
        contexts.append(context)
        made = context.new_page()
        made.on("console", lambda told: complaints.append(told.text) if told.type in ("error", "warning") else None)
        made.on("pageerror", lambda problem: complaints.append(str(problem)))
        made.set_default_timeout(600_000)
        made.goto(address)
        return made

    open_one.complaints = complaints
    yield open_one
    for context in contexts:
        context.close()


def test_each_view_loads_with_a_large_home(page, large, let_in):
    """Each has its heading with many memories and sessions, and the browser complains of nothing."""
    shown = page(f"{large.url}/review", storage_state=let_in)
    for path in VIEWS.values():
        answer = shown.goto(large.url + path)
        assert answer.status == 200 and shown.locator("h1").inner_text()
    assert page.complaints == []


def test_twenty_proposals_are_reviewed_by_keyboard_alone(page, small):
    """Approve, reject, snooze, edit, select, undo, search and help need no pointer; nothing is decided twice."""
    expect = importlib.import_module("playwright.sync_api").expect
    shown = page(small.opens)

    def press(key: str, left: int) -> None:
        # As a person does, once the item is there to be read.
        shown.wait_for_selector("#detail form[data-htmx-powered]")
        shown.keyboard.press(key)
        expect(shown.locator("[data-row]")).to_have_count(left, timeout=600_000)

    assert shown.locator("[data-row]").count() == 20
    shown.keyboard.press("?")
    assert shown.locator("dialog[open]").is_visible()
    shown.keyboard.press("Escape")
    press("a", 19)
    press("u", 20)
    shown.goto(f"{small.url}/review")
    second = shown.locator("[data-row]").nth(1).get_attribute("data-row")
    shown.keyboard.press("j")
    shown.wait_for_selector(f'#detail[data-item="{second}"]')
    shown.keyboard.press("k")
    first = shown.locator("[data-row]").first.get_attribute("data-row")
    shown.wait_for_selector(f'#detail[data-item="{first}"]')
    shown.keyboard.press("e")
    shown.wait_for_selector("#detail textarea:focus")
    shown.keyboard.press("Control+a")
    shown.keyboard.type("In my own words.")
    shown.keyboard.press("Tab")
    shown.keyboard.press("Enter")
    shown.wait_for_selector("text=It waits for your approval")
    assert "In my own words." in small.waiting()
    shown.keyboard.press("x")
    assert shown.locator("[data-row][aria-current]").locator("xpath=..").locator("input").is_checked()
    shown.keyboard.press("/")
    shown.keyboard.type("own words")
    expect(shown.locator("[data-row]")).to_have_count(1)
    shown.keyboard.press("Escape")
    shown.keyboard.press("a")
    shown.wait_for_selector("text=Approved: ")
    shown.goto(f"{small.url}/review")
    for number, key in enumerate("aaaaaaaarrrrrsssss" + "a"):
        press(key, 18 - number)
    assert shown.locator("text=Nothing waits.").is_visible()
    assert len(small.waiting()) == 5 and page.complaints == []


def test_an_edit_race_loses_nothing(page, small):
    """Two tabs edit one memory; who saves second sees both texts, and the first one stands."""
    one = page(small.opens)
    address = f"{small.url}/memory/project/shop/m-1"
    state = one.context.storage_state()
    other = page(f"{address}?edit=1", storage_state=state)
    one.goto(f"{address}?edit=1")
    one.fill("textarea", "The first one stands.")
    one.click("text=Save")
    one.wait_for_selector("text=Saved.")
    other.fill("textarea", "The second one is not lost.")
    other.click("text=Save")
    other.wait_for_selector("text=It changed while you wrote")
    assert other.input_value("textarea") == "The second one is not lost."
    assert "The first one stands." in other.inner_text(".diff")
    assert "The first one stands." in (small.home / "memory/projects/shop/memories/m-1.md").read_text()


def test_all_of_it_works_without_javascript(page, small):
    """Links, forms and buttons do what the keys do."""
    expect = importlib.import_module("playwright.sync_api").expect
    shown = page(small.opens, java_script_enabled=False)
    text = shown.locator("#detail .lead").inner_text()
    shown.click("#detail button:has-text('Approve')")
    expect(shown.locator("[data-row]")).to_have_count(19)
    assert text not in small.waiting()
    shown.click("text=Undo")
    expect(shown.locator("[data-row]")).to_have_count(20)
    shown.fill("input[name=q]", "13)")
    shown.click("button:has-text('Filter')")
    expect(shown.locator("[data-row]")).to_have_count(1)
    shown.check("input[name=all]")
    shown.click(".bulk button:has-text('Reject')")
    shown.wait_for_selector("text=Rejected: ")
    assert len(small.waiting()) == 19
    shown.goto(f"{small.url}/memories")
    shown.fill("input[name=q]", "payment")
    shown.click("button:has-text('Search')")
    shown.wait_for_selector(".list li >> text=payment")
    shown.locator(".list a").first.click()
    shown.click("text=Edit")
    shown.fill("textarea", "Edited without a script.")
    shown.click("text=Save")
    shown.wait_for_selector(".markdown:has-text('Edited without a script.')")


def test_nothing_is_wider_than_a_telephone(page, large, let_in):
    """At 360 pixels no view scrolls sideways."""
    shown = page(f"{large.url}/review", storage_state=let_in, viewport=NARROW)
    for path in (*VIEWS.values(), EDIT):
        shown.goto(large.url + path)
        assert shown.evaluate("document.documentElement.scrollWidth <= innerWidth"), path


@pytest.mark.parametrize(("theme", "viewport"), THEMES)
def test_everybody_can_use_it(page, parts, large, let_in, theme, viewport):
    """axe-core finds no violation in any view, in either theme, wide or narrow."""
    axe = (parts[1] / "node_modules" / "axe-core" / "axe.min.js").read_text()
    found = {}
    shown = page(f"{large.url}/review", storage_state=let_in, color_scheme=theme, viewport=viewport)
    for path in (*VIEWS.values(), EDIT, "/keys", "/review?edit=1"):
        shown.goto(large.url + path)
        shown.evaluate(axe)
        told = json.loads(shown.evaluate(AXE))
        if told:
            found[path] = [(one["id"], one["nodes"][0]["html"][:160]) for one in told]
    assert found == {}


def test_search_as_you_type_and_the_live_feed(page, small):
    """What is typed narrows the list at once; what a hook stores appears by itself."""
    shown = page(small.opens)
    shown.goto(f"{small.url}/memories")
    shown.click("input[type=search]")
    shown.keyboard.type("payment")
    shown.wait_for_selector("text=score")
    shown.goto(f"{small.url}/now?project=shop")
    shown.wait_for_selector("#feed")
    journal = small.home / "journal"
    journal.mkdir(exist_ok=True)
    event = {"at": "2099-01-01T10:00:00Z", "kind": "prompt", "agent": "codex", "prompt": "<b>fix the upload</b>"}
    # Nobody tells when the feed is open, so it happens until it is seen.
    while not shown.locator("text=prompt: <b>fix the upload</b>").count():
        with open(journal / "2099-01-01.jsonl", "a") as file:
            file.write(json.dumps(event) + "\n")
        shown.wait_for_timeout(100)
    assert page.complaints == []


def test_keys_decide_on_what_is_selected(page, small):
    """`x` selects, and then `r` rejects what is selected and not what is shown; one undo is told."""
    shown = page(small.opens)
    names = [one.get_attribute("data-row") for one in shown.locator("[data-row]").all()[:3]]
    for name in names[1:]:
        shown.keyboard.press("j")
        shown.wait_for_selector(f'#detail[data-item="{name}"]')
        shown.keyboard.press("x")
    shown.keyboard.press("r")
    shown.wait_for_selector("text=Rejected 2")
    left = [one.get_attribute("data-row") for one in shown.locator("[data-row]").all()]
    assert names[0] in left and not set(names[1:]) & set(left) and page.complaints == []


def test_a_search_stays_in_the_address(page, small):
    """As one types the count and the address follow, and Back from a memory is back at what was found."""
    shown = page(small.opens)
    shown.goto(f"{small.url}/memories")
    shown.click("input[type=search]")
    shown.keyboard.type("payment")
    shown.wait_for_url("**/memories?q=payment")
    shown.wait_for_selector("#count:has-text('found')")
    shown.locator("#found .list a").first.click()
    shown.wait_for_selector("h2:has-text('Where it comes from')")
    shown.go_back()
    shown.wait_for_selector("#count:has-text('found')")
    assert shown.input_value("input[type=search]") == "payment" and page.complaints == []


def test_what_is_not_saved_is_asked_about(page, small):
    """Another item, a filter or another page is a question while words are not saved; saving is none."""
    asked = []
    shown = page(small.opens)
    shown.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.dismiss()))
    shown.click("[data-key=e]")
    shown.fill("#detail textarea", "Not saved yet.")
    shown.locator("[data-row]").nth(2).click()
    assert asked == ["confirm"] and shown.input_value("#detail textarea") == "Not saved yet."
    with shown.expect_event("dialog"):
        shown.click(".side nav a[href='/health']", no_wait_after=True)
    assert asked == ["confirm", "beforeunload"] and shown.input_value("#detail textarea") == "Not saved yet."
    shown.click("text=Save")
    shown.wait_for_selector("text=It waits for your approval")
    assert len(asked) == 2 and "Not saved yet." in small.waiting()
