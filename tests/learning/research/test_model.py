"""Reports of sub-agents: one file each, once, under a name that says what it is about."""

from __future__ import annotations

import os

import pytest

from holdfast.base.light_records import replace
from holdfast.errors import NotFound, Refused
from holdfast.learning.research import harvest as harvest_research
from holdfast.learning.research import model as research
from holdfast.learning.research.model import Report
from holdfast.records import SessionEvent
from holdfast.sessions.archive import Archive
from sessions.making import human
from support.learned import talked

ONE = Report("2026-05-04T10:00:07Z", "codex", "s1.agent-a", "s1", "shop", "## Findings: the *cart*\n\nIt adds twice.")


@pytest.fixture
def there(home):
    """The home as a text."""
    home.mkdir()
    return str(home)


def test_a_report_is_one_file(there, home) -> None:
    """A report has a private file named by time, agent and summary, with front matter and the whole text."""
    path = research.add(there, ONE)
    assert path == f"research/2026-05/2026-05-04-100007_codex_findings-the-cart-{ONE.id}.md"
    full = home / path
    assert full.stat().st_mode & 0o777 == 0o600
    text = full.read_text()
    assert text.startswith("---\n") and text.endswith("It adds twice.\n")
    found = research.read(there, path)
    assert found == replace(ONE, summary="Findings: the *cart*", path=path)


def test_a_report_is_kept_once(there, home) -> None:
    """The same text of the same session is there already, also where its end was cut or it was told a little later."""
    long = replace(ONE, text="The cart adds twice. " * 200)
    assert research.add(there, long)
    assert research.add(there, long) == ""
    assert research.add(there, replace(long, text=long.text[:900] + " [...]", at="2026-06-01T00:00:01Z")) == ""
    assert research.add(there, replace(long, session="s2"))
    assert len(list((home / "research").rglob("*.md"))) == 2


def test_a_forgotten_session_takes_its_reports_along(there, home) -> None:
    """What was found out for a session, or in it, goes; the same of another agent or session stays."""
    research.add(there, ONE)
    others = (replace(ONE, agent="other"), replace(ONE, session="x", parent="y"))
    stays = [research.add(there, one) for one in others]
    assert research.forget(there, ONE.agent, "s1") == 1
    assert sorted(str(path.relative_to(home)) for path in home.rglob("*.md")) == sorted(stays)
    assert research.forget(there, ONE.agent, "x") == 1


def test_two_reports_of_one_second_are_both_kept(there) -> None:
    """Two sub-agents that end in the same second with the same first line have a file each."""
    paths = {research.add(there, replace(ONE, session=name)) for name in ("a", "b")}
    assert len(paths) == 2 and "" not in paths


def test_what_says_nothing_is_no_report(there, home) -> None:
    """Less than ten characters leave no file."""
    assert research.add(there, replace(ONE, text=" done. \n")) == ""
    assert not (home / "research").exists()


@pytest.mark.parametrize(
    ("text", "summary"),
    [
        ("# Title\nmore", "Title"),
        ("\n---\n\n**Found it**: x", "Found it: x"),
        ("x" * 300, "x" * 97 + "..."),
        ("```\n```", ""),
        ("Ergebnis: größer", "Ergebnis: größer"),
    ],
)
def test_the_summary_is_the_first_line(text: str, summary: str) -> None:
    """The first line that says something, without marks before it, at most a hundred characters."""
    assert research.summary_of(text) == summary


def test_front_matter_holds_whatever_is_said(there) -> None:
    """Colons, quotes, hashes and dashes in the first line come back as they were."""
    for text in ('say "hi": a # b\\c', "- x: y", "[a] {b}", "'q'", "@x %y", "name:"):
        path = research.add(there, replace(ONE, text=f"{text}\n\nand so on", session=text))
        found = research.read(there, path)
        assert found is not None and found.session == text


def test_reports_are_listed_and_found(there) -> None:
    """The newest comes first; one is found by its id, its path or its name, and a name of none is told."""
    first = research.add(there, ONE)
    second = research.add(there, replace(ONE, at="2026-06-01T00:00:00Z", text="Another thing entirely."))
    assert [report.path for report in research.all_reports(there)] == [second, first]
    for name in (ONE.id, first, os.path.basename(first)):
        assert research.find(there, name).text == ONE.text
    for name in ("", "nothing", "../../etc/passwd"):
        with pytest.raises(NotFound):
            research.find(there, name)


def test_no_link_is_followed(there, home, tmp_path) -> None:
    """A link in place of a folder is refused, a link among the files is not read."""
    (home / "research").mkdir()
    os.symlink(tmp_path, home / "research" / "2026-05")
    with pytest.raises(Refused):
        research.add(there, ONE)
    (home / "research" / "2026-06").mkdir()
    (tmp_path / "secret.md").write_text("---\nat: x\n---\nsecret")
    os.symlink(tmp_path / "secret.md", home / "research" / "2026-06" / "a.md")
    assert research.all_reports(there) == []


def test_the_result_of_the_call_is_a_report_with_the_type_of_the_sub_agent(workspace, shop, home) -> None:
    """It is kept once, also where the session of the sub-agent tells it again; a notice that one was begun is none."""
    text = "# The cart\n\n" + "It adds every entry twice. " * 30
    given = '{"subagent_type": "Explore", "prompt": "Look at the cart."}'
    call = SessionEvent(0, "tool", tool="Task", input=given, output=f"{text}\nagentId: a1", answered=True)
    begun = SessionEvent(0, "tool", tool="Task", input=given, output="Async agent launched.", answered=True)
    with workspace() as h:
        archive, name = Archive(h.home), talked(h, shop, "s-1", human("Look."), call, begun)
        found = list(harvest_research.harvest(h, archive.digest(name), list(archive.events(name))))
        assert [one.keep() for one in found] == [True]
        (report,) = research.all_reports(h.home)
        assert (report.kind, report.parent, report.summary) == ("Explore", "s-1", "The cart")
        again = replace(report, session="s-1.agent-a1", text=text, kind=research.KIND)
        assert research.add(h.home, again) == ""
