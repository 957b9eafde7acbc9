"""Stores of other tools: read as statements, looked through, and offered as proposals."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import pytest

from holdfast.errors import BadInput
from holdfast.exchange import stores
from holdfast.exchange.audit import audit
from holdfast.exchange.import_memories import import_memories
from holdfast.memory.remember import remember

TOKEN = "ghp_" + "x7Kq9LmPz2" * 4


@pytest.fixture
def mcp_memory(tmp_path):
    """The file of the MCP reference memory server, as it writes it."""
    rows = [
        {"type": "entity", "name": "Ada", "entityType": "person", "observations": ["owns the cart", "Ada likes tea"]},
        {"type": "entity", "name": "build", "entityType": "token", "observations": [f"token is {TOKEN}"]},
        {"type": "relation", "from": "Ada", "to": "Shop GmbH", "relationType": "works_at"},
    ]
    path = tmp_path / "memory.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows))
    return path


@pytest.fixture
def claude_mem(tmp_path):
    """A database with the table of observations."""
    path = tmp_path / "claude-mem.db"
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE observations (id INTEGER PRIMARY KEY, title TEXT, narrative TEXT, facts TEXT)")
        rows = [("Retry", "The upload is retried three times.", ""), ("Ports", "", '["Redis listens on 6380."]')]
        db.executemany("INSERT INTO observations (title, narrative, facts) VALUES (?, ?, ?)", rows)
        db.commit()
    return path


def texts(path) -> list[str]:
    """Return every statement of a store."""
    return [one.text for file in stores.read(str(path)).files for one in file.cut.statements]


def test_the_mcp_memory_server_is_read_with_whom_each_statement_is_about(mcp_memory):
    """An observation says its entity, unless it does already; a relation is a sentence."""
    assert texts(mcp_memory) == [
        "Ada: owns the cart",
        "Ada likes tea",
        f"build: token is {TOKEN}",
        "Ada works at Shop GmbH.",
    ]


def test_an_export_of_mem0_is_read(tmp_path):
    """Bare or in `results`."""
    path = tmp_path / "export.json"
    path.write_text(json.dumps({"results": [{"id": "1", "memory": "Prefers dark mode", "score": 1}]}))
    assert texts(path) == ["Prefers dark mode"]


def test_the_database_of_claude_mem_is_read_and_not_changed(claude_mem):
    """Facts are statements, else what the observation tells; the file keeps its bytes."""
    before = claude_mem.read_bytes()
    assert texts(claude_mem) == ["Retry: The upload is retried three times.", "Redis listens on 6380."]
    assert claude_mem.read_bytes() == before


def test_what_was_saved_in_claude_mem_by_hand_is_said_once(tmp_path):
    """Without a title of its own it has its text, or the beginning of it, as its title."""
    path = tmp_path / "claude-mem.db"
    long = "The nightly import of the price list stops when a supplier sends an empty file."
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE observations (id INTEGER PRIMARY KEY, title TEXT, narrative TEXT)")
        rows = [("The cat is called Ada.", "The cat is called Ada."), ("The nightly import of the price\u2026", long)]
        db.executemany("INSERT INTO observations (title, narrative) VALUES (?, ?)", [*rows, ("Ada", "She sleeps.")])
        db.commit()
    assert texts(path) == ["The cat is called Ada.", long, "Ada: She sleeps."]


def test_a_markdown_tree_is_read_without_links_logs_and_work(tmp_path):
    """Notes of basic-memory lose their category; check boxes, daily logs and links are no statements."""
    folder = tmp_path / "notes"
    (folder / "logs").mkdir(parents=True)
    (folder / "shop.md").write_text("# Shop\n\n- [decision] Use PostgreSQL for orders #db\n- [ ] write the tests\n")
    (folder / "logs" / "monday.md").write_text("- did things\n")
    (folder / "link.md").symlink_to("/etc/hostname")
    assert texts(folder) == ["Use PostgreSQL for orders"]


def test_a_topic_of_a_cao_wiki_keeps_its_type_and_tags(workspace, tmp_path):
    """They stand in a comment below its heading, and each entry below the time at which it was stored."""
    head = "<!-- id: 1a2b | scope: global | type: reference | tags: ops,On call -->"
    (tmp_path / "wiki").mkdir()
    (tmp_path / "wiki" / "vpn.md").write_text(f"# vpn\n{head}\n\n## 2026-06-01T10:00:00Z\nDeploys need the VPN.\n")
    with workspace() as opened:
        (found,) = import_memories(opened, paths=(str(tmp_path / "wiki"),), scope="project").proposals
    assert (found.text, found.type, found.tags) == ("Deploys need the VPN.", "reference", ("ops", "on call"))


def test_of_a_topic_that_was_stored_again_the_last_entry_is_taken(tmp_path):
    """A CAO wiki appends an entry and recalls the last one; its time is no part of what it says."""
    head = "# queue\n<!-- id: 1a2b | scope: project | type: project | tags: db -->\n\n"
    entries = "## 2026-04-11T10:22:31Z\nThe queue is MySQL.\n\n## 2026-05-11T10:22:31Z\nThe queue is PostgreSQL.\n"
    (tmp_path / "queue.md").write_text(head + entries)
    assert texts(tmp_path) == ["The queue is PostgreSQL."]


def test_neither_the_index_nor_the_doctrine_of_a_tree_is_a_statement(tmp_path):
    """As NanoClaw lays out a tree: its index only leads to files, its definition says how the tree is used."""
    (tmp_path / "system").mkdir()
    (tmp_path / "index.md").write_text("# Memory\n\n- [Doctrine](system/definition.md)\n- [People](people.md)\n")
    (tmp_path / "system" / "definition.md").write_text("# Memory\n\nStart at the root index.\n")
    (tmp_path / "people.md").write_text("# People\n\n- Ada owns billing and tax.\n")
    assert texts(tmp_path) == ["Ada owns billing and tax."]


def test_each_observation_of_a_note_is_a_statement(tmp_path):
    """As basic-memory 0.16.3 writes a note: its front matter makes no topic of it, and a relation leads elsewhere."""
    head = "---\ntitle: Shop deploys\ntype: note\npermalink: notes/shop-deploys\ntags:\n- ops\n---\n\n# Shop deploys\n"
    seen = (
        "- [decision] Deploys go through the gateway #ops (since May)\n- [preference] Tests run with make\n- [ ] look\n"
    )
    note = f"{head}\n## Observations\n{seen}\n## Relations\n- relates_to [[Pager duty]]\n- depends_on [[Network]]"
    (tmp_path / "Shop deploys.md").write_text(note)
    assert texts(tmp_path) == ["Deploys go through the gateway (since May)", "Tests run with make"]


def test_the_tags_behind_an_observation_are_tags_and_what_is_part_of_it_stays(workspace, tmp_path):
    """Only a run of tags at its end is taken off: a number of an issue and a language are words of the statement."""
    said = "- [fact] Bug #12 was in the C# client #ops #On-call\n- [fact] The channel #ops is read by all\n"
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "shop.md").write_text(f"---\ntitle: Shop\npermalink: shop\ntags:\n- ops\n---\n\n{said}")
    with workspace() as opened:
        done = import_memories(opened, paths=(str(tmp_path / "notes"),), scope="global")
        found = {one.text: one.tags for one in done.proposals}
    assert found == {
        "Bug #12 was in the C# client": ("ops", "on-call"),
        "The channel #ops is read by all": ("ops",),
    }


def test_a_store_becomes_proposals_once_and_without_secrets(workspace, mcp_memory):
    """Nothing is a memory before it is approved; importing again proposes nothing."""
    with workspace() as opened:
        done = import_memories(opened, paths=(str(mcp_memory),), scope="global")
        assert {one.text for one in done.proposals} >= {"Ada: owns the cart", "Ada works at Shop GmbH."}
        assert not [one for one in done.proposals if TOKEN in one.text]
        assert {one.source.split(":")[0] for one in done.proposals} == {"mcp-memory"}
        (last,) = [one.source for one in done.proposals if one.text == "Ada works at Shop GmbH."]
        assert last.endswith("#statement 4")
        assert import_memories(opened, paths=(str(mcp_memory),), scope="global").proposals == ()


def test_of_a_database_for_all_projects_only_this_one_is_imported(workspace, shop, tmp_path):
    """What claude-mem noted of another folder is no memory of this project; for everywhere all of it is offered."""
    path = tmp_path / "claude-mem.db"
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE observations (id INTEGER PRIMARY KEY, project TEXT, title TEXT, facts TEXT)")
        rows = [("shop", "a", '["Redis listens on 6380."]'), ("blog", "b", '["The blog is built with Hugo."]')]
        db.executemany("INSERT INTO observations (project, title, facts) VALUES (?, ?, ?)", rows)
        db.commit()
    with workspace() as opened:
        here = import_memories(opened, paths=(str(path),), scope="project").proposals
        assert [one.text for one in here] == ["Redis listens on 6380."]
        assert len(import_memories(opened, paths=(str(path),), scope="global", dry_run=True).proposals) == 2


def test_an_audit_names_what_is_wrong_and_changes_nothing(workspace, shop, tmp_path, tree):
    """Duplicates, contradictions, dead paths and secrets are named, and what an import would make."""
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.md").write_text("- Deploys need the VPN.\n- The service listens on port 8080.\n")
    (folder / "b.md").write_text("- Deploys need the VPN.\n- The service listens on port 9090.\n")
    (folder / "c.md").write_text(f"- Prices are in src/prices.py, see there.\n- The token is {TOKEN}.\n")
    with workspace() as opened:
        before = tree(folder)
        found = audit(opened, str(folder))
        assert {one.kind for one in found.problems} == {"duplicate", "contradiction", "stale-claim", "secret"}
        assert (found.tool, found.files, found.statements) == ("markdown", 3, 6)
        assert (found.imports["new"], found.imports["refused"]) == (4, 1)
        (twice,) = [one.text for one in found.problems if one.kind == "duplicate"]
        assert twice == '"Deploys need the VPN." stands 2 times: in a.md, b.md'
        (otherwise,) = [one.text for one in found.problems if one.kind == "contradiction"]
        assert otherwise == '"The service listens on port 8080.", but b.md says: "The service listens on port 9090."'
        assert tree(folder) == before
        assert not (shop / "proposals").exists()


def test_an_audit_knows_what_was_taken_over_for_this_project(workspace, tmp_path):
    """What an import into the project found is not new to the next audit there."""
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text("- Deploys need the VPN.\n- Prices are in euros.\n")
    with workspace() as opened:
        remember(opened, "Deploys need the VPN.")
        assert audit(opened, str(tmp_path / "notes")).imports["known"] == 1


def test_an_audit_says_once_what_a_store_is_about_and_reads_tables_and_indexes(workspace, shop, tmp_path):
    """Files of another project are counted, not named; one of ours is named once; an index repeats no file's words."""
    folder = tmp_path / "memory"
    folder.mkdir()
    (folder / "MEMORY.md").write_text("# Index\n\n- [No mocks](tests.md) - a real database\n- ~~Use yarn.~~\n")
    (folder / "tests.md").write_text("---\nname: no mocks\ntype: feedback\n---\n\nTests hit a real database.\n")
    (folder / "ports.md").write_text("| port | of |\n|---|---|\n| 8080 | the shop api |\n| 9090 | the admin api |\n")
    (folder / "work.md").write_text("- See src/a.py and src/b.py.\n- src/c.py has the rest.\n- src/a.py is old.\n")
    with workspace() as opened:
        found = audit(opened, str(folder))
        assert (found.statements, [one.kind for one in found.problems]) == (6, ["elsewhere"])
        assert "names 3 files, none of which" in found.problems[0].text
        (shop / "src").mkdir()
        (shop / "src" / "b.py").write_text("")
        told = [one.text.replace(str(shop), "shop") for one in audit(opened, str(folder)).problems]
    assert told == ["names src/a.py, which is not in shop (2 times)", "names src/c.py, which is not in shop"]


def test_no_secret_is_in_what_an_audit_or_an_import_says(workspace, tmp_path):
    """Neither as a key made of the words, nor in a title that is cut short, a heading or a file's name."""
    folder = tmp_path / "notes"
    folder.mkdir()
    for name in ("a.md", "b.md"):
        long = f"- The person who set this build up many years ago and left used token {TOKEN} for all of it.\n"
        (folder / name).write_text(f"# Notes\n\n## Token {TOKEN}\n\n- The password is hunter2hunter2!\n{long}")
    with workspace() as opened:
        found = audit(opened, str(folder))
        offered = import_memories(opened, paths=(str(folder),), scope="global", dry_run=True)
    assert '"The password is [redacted:password]" stands 2 times: in a.md, b.md' in [one.text for one in found.problems]
    for said in (repr(found), repr(offered)):
        assert "hunter2" not in said and TOKEN[:12] not in said


def test_notes_beside_a_tools_file_are_read_with_it(workspace, mcp_memory):
    """A folder with both is both; each statement says whose it is."""
    (mcp_memory.parent / "notes.md").write_text("- Deploys need the VPN.\n")
    found = stores.read(str(mcp_memory.parent))
    assert [(one.name, one.tool) for one in found.files] == [("memory.jsonl", "mcp-memory"), ("notes.md", "markdown")]
    assert found.tool == "mcp-memory and markdown"
    with workspace() as opened:
        done = import_memories(opened, paths=(str(mcp_memory.parent),), scope="global", dry_run=True)
        assert "Deploys need the VPN." in [one.text for one in done.proposals if one.agent == "markdown"]
        assert audit(opened, str(mcp_memory.parent)).files == 2


def test_a_single_markdown_file_is_audited_as_it_is_imported(workspace, tmp_path):
    """What `import --file` reads, `audit` reads."""
    path = tmp_path / "notes.md"
    path.write_text("- Deploys need the VPN.\n- The cart is Ada's.\n")
    with workspace() as opened:
        found = audit(opened, str(path))
    assert (found.tool, found.files, found.statements, found.imports["new"]) == ("markdown", 1, 2, 2)


def test_what_no_reader_knows_is_refused(tmp_path):
    """The error names what is known."""
    (tmp_path / "x.bin").write_bytes(b"\0\1\2")
    with pytest.raises(BadInput, match="not a store"):
        stores.read(str(tmp_path / "x.bin"))


def test_facts_of_one_template_and_a_stores_own_files_are_no_finding(cli, shop, tmp_path):
    """Other numbers are other facts, and what a store names in its own folder is there."""
    folder = tmp_path / "notes"
    (folder / "summaries").mkdir(parents=True)
    (folder / "summaries" / "2026-11-01.md").write_text("A day of work on the shop's doors.\n")
    (folder / "MEMORY.md").write_text(
        "- The old door of depot 1361 stands in hall 21.\n- The old door of depot 100 stands in hall 21.\n"
        "- What was done that day is in `summaries/2026-11-01.md`.\n"
    )
    said = cli("audit", str(folder)).out
    assert "like" not in said and "stale-claim" not in said, said
