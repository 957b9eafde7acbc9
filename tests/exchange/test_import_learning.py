"""Taking over what another system learned."""

from __future__ import annotations

import json

import pytest

from holdfast.errors import NotFound
from holdfast.exchange.import_learning import import_learning, statement_of
from holdfast.learning.incidents.model import CONTEXT, TRANSCRIPT, Incidents
from holdfast.learning.ratings import model as signals
from holdfast.learning.ratings.rate import ratings
from holdfast.memory import proposals as offered
from holdfast.records import Scope
from support.learned import learned_in

TOKEN = "ghp_" + "a1B2" * 9
VPN = "The deploy script needs the VPN before it can reach staging."


@pytest.fixture
def memory(tmp_path):
    """A folder as the other system leaves it."""
    base = tmp_path / "MEMORY" / "LEARNING"
    failure = "FAILURES/2026-01/2026-01-17-101112_wrong-branch-was-deleted"
    rating = {"timestamp": "2026-01-17T10:11:12Z", "score": 2, "comment": "wrong branch"}
    for name, text in {
        "SYSTEM/2026-01/2026-01-15_1430_ERROR_ab12cd34.md": f"---\ntype: ERROR\n---\n# L\n\n**By:** ab12\n\n{VPN}\n",
        "ALGORITHM/2026-01/2026-01-16-090000_LEARN_ask.md": f"# A\n\nInsight: ask before the schema changes {TOKEN}\n",
        "ALGORITHM/2026-01/2026-01-16-090100_LEARNING_empty.md": "# A\n\n**Rating:** 2/10\n",
        f"{failure}/CONTEXT.md": f"# Failure\n\nIt deleted the branch. {TOKEN}\n",
        f"{failure}/transcript.jsonl": '{"type":"user"}\n',
        f"{failure}/sentiment.json": '{"rating": 2}',
        "SIGNALS/ratings.jsonl": json.dumps(rating) + "\n",
    }.items():
        path = base / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return base.parent


def test_what_is_taken_over_for_a_project_is_listed_there(workspace, memory) -> None:
    """With the scope project `rate` lists the ratings of this project, and the lesson is its own."""
    (memory / "LEARNING/ALGORITHM/2026-02").mkdir(parents=True)
    said = "# Learning\n\n**Feedback:** never delete a migration that was applied\n"
    (memory / "LEARNING/ALGORITHM/2026-02/2026-02-03_LEARNING_x.md").write_text(said)
    with workspace() as h:
        done = import_learning(h, str(memory), scope="project")
        assert [row.comment for row in ratings(h)] == ["wrong branch"]
        assert 'Learned earlier: "Feedback: never delete a migration that was applied"' in [
            one.text for one in done.proposals
        ]
        assert sum(each.new for each in import_learning(h, str(memory), scope="project").files) == 0


def test_everything_is_taken_over_and_nothing_stands(workspace, memory, home) -> None:
    """Ratings, incidents, and proposals of lessons; without secrets; a second time nothing is new."""
    with workspace() as h:
        done = import_learning(h, str(memory))
        assert {one.kind: one.new for one in done.files if one.new} == {"ratings": 1, "failure": 1, "learning": 1}
        waiting = offered.waiting(h)[0]
        assert sorted(one.text for one in waiting) == sorted(one.text for one in done.proposals)
        assert 'Learned earlier: "The deploy script needs the VPN before it can reach staging."' in [
            one.text for one in waiting
        ]
        assert {one.scope for one in waiting} == {Scope("global")} and len(waiting) == 2
        (one,) = Incidents(h.home).all()
        assert one.name == "2026-01-17-101112_wrong-branch-was-deleted" and TRANSCRIPT in one.sizes
        assert [row.rating for row in signals.read(h.home)] == [2]
        again = import_learning(h, str(memory))
        assert again.proposals == () and sum(each.new for each in again.files) == 0
    text = "".join(path.read_text() for path in home.rglob("*") if path.suffix in (".md", ".json", ".jsonl"))
    assert TOKEN not in text and "[redacted:github-token]" in text
    assert (home / "learning" / "failures" / "2026-01" / one.name / CONTEXT).exists()


def test_imported_learnings_count_for_no_recurrence(workspace, shop, memory) -> None:
    """Two files that say the same are one proposal of the project, and it does not stand."""
    folder = memory / "LEARNING" / "SYSTEM" / "2026-01"
    (folder / "2026-01-20_1000_ERROR_ffff.md").write_text(
        "# L\n\nThe deploy script needs the VPN before it can reach staging!\n"
    )
    with workspace() as h:
        import_learning(h, str(memory / "LEARNING"), scope="project")
        found = [one for one in learned_in(h) if "VPN" in one.statement]
    assert [(one.status, len(one.evidence), one.sessions) for one in found] == [("proposed", 2, 0)]


def test_a_dry_run_writes_nothing(workspace, memory, home) -> None:
    """What would be taken over is counted, and the home is not made."""
    with workspace() as h:
        assert sum(one.new for one in import_learning(h, str(memory), dry_run=True).files) == 4
    assert not (home / "learning").exists() and not (home / "proposals").exists()


def test_links_are_not_followed_and_other_folders_are_refused(workspace, memory, tmp_path, cli) -> None:
    """A link in the folder is passed over; a folder without any of the parts is an error with a hint."""
    outside = tmp_path / "outside.md"
    outside.write_text("The secret plan of somebody else is in this file.\n")
    (memory / "LEARNING" / "SYSTEM" / "2026-01" / "link.md").symlink_to(outside)
    with workspace() as h:
        import_learning(h, str(memory))
        assert "plan of somebody" not in "".join(one.statement for one in learned_in(h))
        with pytest.raises(NotFound):
            import_learning(h, str(tmp_path / "nowhere"))
    assert cli("import", "codex", "--learning", str(memory)).code == 2
    assert cli("import", "--learning", str(memory), "--json").json["files"]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("# T\n\n- Lesson: run the migration before the deploy\n", "run the migration before the deploy"),
        (
            "---\na: b\n---\n# T\n\n**Date:** today\n\nThe first real sentence is here.\n\nMore.\n",
            "The first real sentence is here.",
        ),
        ("# Only a heading that says it\n", "Only a heading that says it"),
        ("", ""),
    ],
)
def test_what_a_learning_says(text, wanted) -> None:
    """A marked line, or the first paragraph that is no fact about the file, or its heading."""
    assert statement_of(text) == wanted
