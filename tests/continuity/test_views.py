"""Tables on pages that show memories: what a person writes there is adopted, what memories say is shown."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from holdfast.continuity import decisions, views
from support.places import SHOP

OLD = """# Ours

| Id | Date | Decision | Because | Owner |
|---|---|---|---|---|
| D1 | 2026-01-02 | ~~Use Redis~~ (replaced by D2 2026-01-03) | fast | Kim |
| D2 | 2026-01-03 | Use Postgres | locks | Ann |
| D3 | 2026-01-04 | ~~Print twice~~ (withdrawn 2026-01-05) |  | |

caf\xe9 stays
"""


@pytest.fixture
def page(home):
    """Where the page of decisions lies."""
    return home / "memory" / "projects" / SHOP / "decisions.md"


def keys(cli, *words: str) -> list[str]:
    """Return the keys of the memories of the type decision."""
    return sorted(one["key"] for one in cli("list", "--type", "decision", "--all", "--json", *words).json["memories"])


def test_all_ways_in_are_one(cli, shop, page) -> None:
    """What is decided, what is remembered as a decision, and what stands on the page are the same memories."""
    cli("decide", "Use Postgres", "--because", "we need row locks")
    cli("remember", "Ship on Fridays.", "--type", "decision")
    page.write_text(page.read_text().replace("| D1 |", "| | | Cache in memory | it is small |\n| D1 |"))
    assert [one["text"] for one in cli("decide", "--json").json["decisions"]] == [
        "Use Postgres",
        "Cache in memory",
        "Ship on Fridays.",
    ]
    assert keys(cli) == ["d1-use-postgres", "d2-cache-in-memory", "ship-on-fridays"]
    assert "Why: we need row locks" in cli("show", "d1-use-postgres").out
    assert cli("recall", "postgres row locks", "--json").json["hits"][0]["key"] == "d1-use-postgres"
    assert "| ship-on-fridays | 20" in page.read_text() and "| D2 | " in page.read_text()
    cli("forget", "d1-use-postgres", "--yes")
    assert "Postgres" not in page.read_text() and "Postgres" not in cli("decide", "--all").out


def test_a_row_that_a_person_changed_is_what_its_memory_says(cli, shop, page) -> None:
    """An edit of a row is the memory's statement from then on, and the earlier one its history."""
    cli("decide", "Use Redis", "--because", "fast")
    page.write_text(page.read_text().replace("| Use Redis | fast |", "| Use Valkey | it is free |"))
    assert "Use Valkey" in cli("recall", "valkey").out
    told = [one["text"] for one in cli("history", "d1-use-redis", "--json").json["statements"]]
    assert told == ["Use Valkey\n\nWhy: it is free", "Use Redis\n\nWhy: fast"]
    page.write_text(page.read_text().replace("Use Valkey", "~~Use Valkey~~"))
    assert cli("decide", "--json").json["decisions"] == []
    assert "(withdrawn 20" in page.read_text()


def test_a_list_beside_the_table_is_adopted(cli, shop, page) -> None:
    """What a person writes as a list on the page is found and listed, and stays where it is; records around it not."""
    cli("decide", "Use Redis", "--because", "fast")
    page.write_text(page.read_text() + "\n* Ship on Mondays\n- Status: accepted\n\n## Options\n\n- Ship on Fridays\n")
    page.write_text(page.read_text() + "\nKim may overrule any of them.\n")
    assert "Ship on Mondays" in cli("recall", "mondays").out
    assert cli("recall", "kim overrule", "--json").json["pages"][0]["text"].endswith("any of them.")
    assert [one["text"] for one in cli("decide", "--json").json["decisions"]] == ["Use Redis", "Ship on Mondays"]
    assert "\n* Ship on Mondays\n" in page.read_text() and len(keys(cli)) == 2


def test_a_row_behind_a_blank_line_is_adopted(cli, shop, page) -> None:
    """Where a person leaves a line before a row of theirs it is one all the same; another table's head is none."""
    cli("decide", "Use Redis", "--because", "fast")
    other = "| Who | When | What | Where |\n|---|---|---|---|\n| Ann | now | tea | here |\n"
    end = "<!-- holdfast:end decisions -->"
    row = "| D9 | 2026-11-17 | Flags live in a file | reviewable |\n| | | Cache in memory | small |\n"
    page.write_text(page.read_text().replace(end, f"{row}\n{other}{end}"))
    told = [one["text"] for one in cli("decide", "--json").json["decisions"]]
    assert told == ["Use Redis", "Flags live in a file", "Cache in memory"]
    cli("decide", "Ship on Mondays")
    text = page.read_text()
    assert text.count("Flags live in a file") == 1 and text.count("Cache in memory") == 1 and other in text
    assert len(keys(cli)) == 4


def test_a_list_beside_the_table_of_lessons_is_adopted_once(cli, shop, page) -> None:
    """A lesson that a person writes as an item of a list is found as any other, and stays as they wrote it."""
    cli("lesson", "Test on a copy")
    lessons = page.with_name("lessons.md")
    mine = "\n- Never trust cached rates after midnight.\n- ~~Print twice~~\n"
    lessons.write_text(lessons.read_text() + mine)
    for _ in range(2):
        told = [one["text"] for one in cli("lesson", "--json").json["lessons"]]
        assert told == ["Test on a copy", "Never trust cached rates after midnight."]
    assert lessons.read_text().endswith(mine) and "cached rates" in cli("recall", "cached rates").out
    cli("forget", "never-trust-cached-rates-after-midnight", "--yes")
    assert [one["text"] for one in cli("lesson", "--json").json["lessons"]] == ["Test on a copy"]


def test_a_memory_that_changed_is_shown(cli, shop, page) -> None:
    """A row of ours that is behind its memory is not taken for a person's word, also where the state is gone."""
    cli("decide", "Use Redis")
    before = page.read_bytes()
    cli("remember", "Use Valkey", "--key", "d1-use-redis")
    assert "| Use Valkey |" in page.read_text()
    page.write_bytes(before)
    (page.parents[3] / "state" / "views" / f"{SHOP}.json").unlink()
    cli("recall", "redis")
    assert "| Use Valkey |" in page.read_text()


def test_a_row_that_was_removed_comes_back(cli, shop, page) -> None:
    """A page may lose a row by a slip; what is known is not forgotten by that."""
    cli("decide", "Use Redis")
    cli("decide", "Use tabs")
    page.write_text("".join(line for line in page.read_text().splitlines(True) if "Redis" not in line))
    cli("recall", "redis")
    assert "| Use Redis |" in page.read_text() and len(keys(cli)) == 2


def test_every_other_byte_stays(cli, shop, page) -> None:
    """Columns of the person's own, other tables, another encoding and line ends stay as they are."""
    page.parent.mkdir(parents=True)
    mine = OLD.encode("latin-1").replace(b"\n", b"\r\n")
    page.write_bytes(mine)
    cli("decide", "Close at noon")
    data = page.read_bytes()
    for line in (*mine.splitlines(), b"<!-- holdfast:begin decisions -->"):
        assert line in data.splitlines(), line
    assert data.endswith(b"caf\xe9 stays\r\n") and data.count(b"\n") == data.count(b"\r\n")
    assert b"| D4 | 20" in data and b"| Close at noon |  |  |" in data


def test_an_old_page_is_converted_once_by_a_plan(cli, shop, page) -> None:
    """A dry run tells what would be adopted; it is done once, with its dates; undoing puts all back."""
    page.parent.mkdir(parents=True)
    page.write_text(OLD)
    listed = cli("decide", "--all", "--json").json["decisions"]
    assert page.read_text() == OLD, "reading converts nothing"
    plan = cli("heal", "--dry-run", "--json").json["plan"]
    assert [one["target"].rpartition("/")[2] for one in plan if one["act"] == "adopt"] == ["D1", "D2", "D3"]
    assert cli("heal", "--yes").code == 0
    named = [one | {"key": "", "scope": ""} for one in cli("decide", "--all", "--json").json["decisions"]]
    assert named == listed
    assert "created: 2026-01-03" in cli("show", "d2").out and "(replaced by D2 2026-01-03)" in cli("show", "d1").out
    assert cli("heal", "--dry-run", "--json").json["plan"] == []
    [act] = cli("updates", "--command", "adopt", "--json").json["updates"]
    assert cli("updates", "undo", act["id"], "--yes").code == 0
    assert page.read_text() == OLD and not list(page.parent.rglob("d?-*.md"))
    cli("sweep")
    assert page.read_text() == OLD, "what was undone is left alone"


def test_a_conversion_that_was_killed_is_finished(cli, shop, page, home) -> None:
    """Where the process dies between two rows, the next conversion adopts the rest, and nothing twice."""
    page.parent.mkdir(parents=True)
    page.write_text(OLD)
    code = (
        "import os, signal\n"
        "from holdfast.continuity import views\n"
        "from holdfast.surfaces.cli import main\n"
        "real, done = views._Sync._put, []\n"
        "def put(self, row, memory):\n"
        "    if done: os.kill(os.getpid(), signal.SIGKILL)\n"
        "    done.append(1)\n"
        "    return real(self, row, memory)\n"
        "views._Sync._put = put\n"
        "import sys; sys.argv = ['holdfast', 'heal', '--yes']\n"
        "main.main()\n"
    )
    killed = subprocess.run([sys.executable, "-c", code], env=os.environ, cwd=shop, check=False, capture_output=True)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert page.read_text() == OLD
    cli("decide", "Close at noon")
    assert [one["id"] for one in cli("decide", "--all", "--json").json["decisions"]] == ["D1", "D2", "D3", "D4"]
    assert len(keys(cli)) == 4


def test_rules_and_values_stand_on_the_projects_page(cli, shop, page) -> None:
    """Where the page MEMORY.md is there, it shows the project's rules and values, and adopts what is written there."""
    own = page.parent / "MEMORY.md"
    page.parent.mkdir(parents=True)
    own.write_text("# Mine\n\nHello.\n")
    cli("remember", "Never push on Fridays.", "--type", "feedback", "--key", "no-fridays")
    cli("remember", "The port is 5433.", "--type", "reference", "--key", "port")
    cli("heal", "--yes")
    assert own.read_text() == "# Mine\n\nHello.\n", "nothing is to be adopted, so nothing is asked for"
    cli("sweep")
    text = own.read_text()
    assert text.startswith("# Mine\n\nHello.\n") and "| port | 20" in text and "Never push on Fridays." in text
    own.write_text(text.replace("The port is 5433.", "The port is 5434."))
    assert "5434" in cli("recall", "port").out
    cli("forget", "port", "--yes")
    assert "5434" not in own.read_text()


def test_an_agent_only_proposes_to_end_what_a_person_decided(workspace, shop, cli) -> None:
    """Withdrawing or replacing a person's decision waits for them; an agent's own is changed at once."""
    with workspace() as h:
        decisions.add(h, "Use Postgres")
        decisions.add(h, "Use tabs", agent="codex")
        assert decisions.withdraw(h, "D1", agent="codex").action == "proposed"
        assert decisions.add(h, "Use MySQL", replaces="D1", agent="codex").action == "proposed"
        assert decisions.withdraw(h, "D2", agent="codex").action == "withdrawn"
        assert [one.text for one in decisions.listed(h, everything=False)] == ["Use Postgres"]
    waiting = {one["kind"]: one for one in cli("proposals", "--json").json["proposals"]}
    assert waiting["end"]["replaces"] == waiting["memory"]["replaces"] == "d1-use-postgres"
    assert cli("proposals", "approve", waiting["end"]["id"]).code == 0
    assert cli("decide", "--json").json["decisions"] == []
    assert cli("proposals", "approve", waiting["memory"]["id"]).code == 0
    assert "Use MySQL" in cli("decide").out


def test_what_was_withdrawn_is_given_to_nobody(cli, shop, workspace) -> None:
    """A withdrawn decision sinks in recall, and says that it was withdrawn."""
    cli("decide", "Use Redis for the queue")
    cli("decide", "withdraw", "D1")
    [hit] = cli("recall", "redis queue", "--json").json["hits"]
    assert hit["superseded_by"] == hit["key"] and "(withdrawn 20" in hit["body"]
    with workspace() as h:
        assert views.listed(h, views.DECISIONS, h.visible("project"))[0][0].done
