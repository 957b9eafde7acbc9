"""One search over memories, the documents of a project and its sessions."""

from __future__ import annotations

from support.archived import said, session, store
from support.places import SHOP


def test_documents_and_sessions_are_found_beside_memories(cli, workspace, shop, home) -> None:
    """To-dos, the working state, the log and sessions come in groups of their own, and a change is seen at once."""
    cli("remember", "The queue runs on Redis.")
    cli("todo", "Paint the shed green")
    folder = home / "memory" / "projects" / SHOP
    (folder / "buffer.md").write_text("# Mine\n\nThe shed needs a new roof.\n")
    (folder / "log").mkdir()
    (folder / "log" / "2026-11-01.md").write_text("# 2026-11-01\n\n## Afternoon\n\n- bought paint for the shed\n")
    with workspace() as h:
        store(h, session("s-1", shop, title="Sheds"), said("human", "How old is the shed in the garden?"))
    cli("sessions", "search", "shed")
    told = cli("recall", "paint the shed", "--json").json
    assert {one["page"] for one in told["pages"]} == {"todo.md", "buffer.md", "log/2026-11-01.md"}
    assert any(one["text"].endswith("Paint the shed green") for one in told["pages"])
    assert {one["session"] for one in told["sessions"]} == {"some-agent/s-1"} and told["hits"] == []
    out = cli("recall", "paint the shed").out
    assert out.index("In the pages of this project:") < out.index("In sessions:")
    (folder / "todo.md").write_text("- [ ] Sell the boat\n")
    assert "Sell the boat" in cli("recall", "boat").out and "Paint the shed green" not in cli("recall", "shed").out


def test_data_and_the_states_of_worktrees_are_searched(cli, shop, home, tmp_path) -> None:
    """Rows of files in data/ and the pages of other worktrees are found as documents; a link is not followed."""
    cli("remember", "The queue runs on Redis.")
    folder = home / "memory" / "projects" / SHOP
    (folder / "data").mkdir(exist_ok=True)
    (folder / "data" / "people.csv").write_text("name,phone\nWilhelmina,4711\n")
    (tmp_path / "other.csv").write_text("Wilhelmina,0815\n")
    (folder / "data" / "link.csv").symlink_to(tmp_path / "other.csv")
    (folder / "buffer").mkdir()
    (folder / "buffer" / "feature.md").write_text("# Mine\n\nThe gazebo needs paint.\n")
    told = cli("recall", "Wilhelmina", "--json").json["pages"]
    assert (told[0]["page"], told[0]["text"]) == ("data/people.csv", "Wilhelmina, 4711")
    assert {one["page"] for one in told} == {"data/people.csv"}
    assert cli("recall", "gazebo", "--json").json["pages"][0]["page"] == "buffer/feature.md"


def test_a_narrow_question_is_about_memories_alone(cli, shop) -> None:
    """Who asks for a type, a scope or everything gets memories; no project sees the documents of another."""
    cli("todo", "Paint the shed green")
    for words in (("--type", "decision"), ("--scope", "project"), ("--everywhere",), ("--project", "elsewhere")):
        assert cli("recall", "paint the shed", *words, "--json").json["pages"] == [], words
    assert cli("sessions", "search", "paint the shed", "--everywhere", "--json").json["hits"] == []


def test_what_was_erased_is_in_no_document_that_is_searched(cli, shop, home) -> None:
    """Erasing takes the text out of the index of documents, too."""
    cli("todo", "Ask Wilhelmina about the shed")
    assert "Wilhelmina" in cli("recall", "shed").out
    assert cli("erase", "--yes", stdin="Wilhelmina").code == 0
    assert "Wilhelmina" not in cli("recall", "shed").out
    assert b"ilhelmina" not in b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())


def test_global_data_is_searched_everywhere(cli, shop, home, tmp_path, monkeypatch) -> None:
    """Rows of the global data/ are found in a project and where there is none, and say where they stand."""
    cli("remember", "--scope", "global", "Answer in British English.")
    (home / "memory" / "global" / "data").mkdir(exist_ok=True)
    (home / "memory" / "global" / "data" / "birthdays.csv").write_text("Wilhelmina,4 July\n")
    for place in (shop, tmp_path):
        monkeypatch.chdir(place)
        (told,) = cli("recall", "Wilhelmina", "--json").json["pages"]
        assert (told["page"], told["text"]) == ("global/data/birthdays.csv", "Wilhelmina, 4 July")
