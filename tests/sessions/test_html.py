"""A session as a web page that stands alone."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser

from holdfast.records import SessionEvent, replace
from holdfast.sessions.transcript import facts_of, sections_of
from holdfast.sessions.transcript import web_page as page
from sessions.making import SESSION, answer, digested, edited, human, ran

EVIL = '</pre><script>alert(1)</script><img src=//evil.example onerror=x> " onload="x\' &amp; \x1b[31m'


class Seen(HTMLParser):
    """The tags of a page with their attributes, and its text."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""

    def handle_starttag(self, tag, attrs) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data) -> None:
        self.text += data


def seen(text: str) -> Seen:
    """Return what a browser would see of a page."""
    parser = Seen()
    parser.feed(text)
    return parser


def evil_page() -> str:
    """Return the page of a session all of whose texts are hostile."""
    session = replace(SESSION, title=EVIL, folder=f"/x/{EVIL}", branch=EVIL, models=(EVIL,))
    made = digested(human(EVIL), edited(f"/home/ann/shop/{EVIL}"), ran(EVIL, EVIL, True), answer(), session=session)
    events = [SessionEvent(0, "human", EVIL), SessionEvent(1, EVIL, EVIL, tool=EVIL, input=EVIL, output=EVIL)]
    return "".join(page(made, events))


def test_no_text_becomes_a_tag() -> None:
    """Whatever a session says, the page has only its own tags, no script, no handler and no address."""
    found = seen(evil_page())
    allowed = {"html", "head", "meta", "title", "style", "body", "h1", "h2", "h3", "dl", "dt", "dd", "ul", "li"}
    assert {tag for tag, _ in found.tags} <= allowed | {"section", "pre"}
    names = {name for _, attributes in found.tags for name in attributes}
    assert names <= {"lang", "charset", "http-equiv", "content", "name", "class", "id"}
    assert "\x1b" not in evil_page()


def test_the_policy_forbids_everything_but_its_own_style() -> None:
    """The policy of the page allows nothing but the very style that it has."""
    text = evil_page()
    policy = next(a["content"] for _, a in seen(text).tags if a.get("http-equiv") == "Content-Security-Policy")
    style = re.search(r"<style>(.*?)</style>", text)[1]
    hashed = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert policy.startswith("default-src 'none'; ") and f"style-src 'sha256-{hashed}'" in policy
    assert "http" not in text.replace("http-equiv", "") and "url(" not in text and "@import" not in text


def test_digest_and_events_are_on_the_page() -> None:
    """The page says outcome, files and commands, and every event with its place."""
    made = digested(human("Fix the upload"), edited("/home/ann/shop/up.py"), answer())
    text = seen("".join(page(made, [SessionEvent(7, "assistant", "All done.", "2026-05-04T10:00:00Z")]))).text
    assert "Fix the upload" in text and "up.py" in text and "All done." in text and "7 · assistant" in text
    assert "Events" not in seen("".join(page(made))).text


def test_the_page_says_what_the_markdown_says() -> None:
    """Every fact and every entry of the digest in Markdown is on the web page too."""
    made = digested(human("Fix it"), edited("/home/ann/shop/up.py"), ran("pytest", "1 failed", True), answer())
    text = seen("".join(page(made))).text
    for name, value in facts_of(made, str, str):
        assert name in text and value in text
    for title, entries in sections_of(made, str, str):
        assert title in text and all(entry in text for entry in entries)
