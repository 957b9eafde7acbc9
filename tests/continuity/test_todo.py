"""The to-dos of a project."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.continuity import todo
from holdfast.errors import BadInput, Conflict, NotFound, ScopeUnknown, SwitchedOff, TooLarge
from holdfast.workspace import Workspace

SHOP = "example.com--acme--shop"
PAGE = f"projects/{SHOP}/todo.md"
TOKEN = "ghp_" + "a1B2" * 9


@pytest.fixture
def page(home) -> Path:
    """Where the page lies."""
    return home / "memory" / PAGE


def test_a_todo_is_added_listed_and_ticked(cli, shop, page) -> None:
    """What is typed is a check box; the list shows number and id, and `done` ticks it with the date."""
    added = cli("todo", "Write", "the docs")
    assert added.code == 0 and added.out.startswith("added  t") and added.out.endswith("  Write the docs\n")
    cli("todo", "Ship it")
    listed = cli("todo").out.splitlines()
    assert [line.split()[0] for line in listed] == ["1", "2"] and listed[0].endswith("Write the docs")
    assert cli("todo", "done", "1").out.startswith("done  ")
    assert "- [x] Write the docs (20" in page.read_text() and "- [ ] Ship it\n" in page.read_text()
    assert "Write" not in cli("todo").out
    assert "  [x] Write the docs  20" in cli("todo", "--all").out
    assert page.stat().st_mode & 0o777 == 0o600


def test_one_is_named_by_number_id_or_words(cli, shop) -> None:
    """Several numbers and ids tick several; words tick the one that says them, and open it again."""
    for text in ("Write the docs", "Ship the docs", "Sleep"):
        cli("todo", text)
    ids = [one["id"] for one in cli("todo", "--json").json["todos"]]
    assert [one["id"] for one in cli("todo", "done", "3", ids[0].upper(), "--json").json["todos"]] == [ids[2], ids[0]]
    assert cli("todo", "reopen", "write", "THE").code == 0
    twice = cli("todo", "done", "the docs")
    assert twice.code == 2 and ids[0] in twice.err and ids[1] in twice.err
    assert cli("todo", "done", "sleep").code == 3
    assert cli("todo", "done", "ship the docs").code == 0
    assert cli("todo", "done", ids[1]).out.startswith("unchanged")
    assert cli("todo", "done", "t00000").code == cli("todo", "done", "9").code == 3
    assert cli("todo", "done", " ").code == 2


def test_words_are_whole_words(cli, shop, page) -> None:
    """A part of a word names nothing: it is refused with what is near, and the page stays as it is."""
    cli("todo", "Write the docs")
    cli("todo", "Latest todo")
    before = page.read_bytes()
    refused = cli("todo", "done", "it")
    assert refused.code == 3 and "Write the docs" in refused.err and "Latest" not in refused.err
    assert cli("todo", "remove", "test", "--dry-run").code == cli("todo", "done", "doc").code == 3
    assert "Latest todo" in cli("todo", "done", "lastest").err, "a slip of the pen is near, too"
    assert "Near" not in cli("todo", "done", "zebra").err
    assert page.read_bytes() == before
    assert cli("todo", "done", "docs", "Write").code == 0, "in any order"
    assert "(done)" in cli("todo", "done", "docs").err


@pytest.mark.parametrize(
    ("text", "words", "hits"),
    [
        ("Straße fegen", "STRASSE", True),
        ("Straße fegen", "strass", False),
        ("Das Menü ändern.", "ändern", True),
        ("Das Menu\u0308 ändern", "menü", True),
        ("Переписать отчёт", "отчёт", True),
        ("Переписать отчёт", "писать", False),
        ("किताब पढ़ो", "किताब", True),
        ("किताब पढ़ो", "ताब", False),
        ("किताब पढ़ो", "क", False),
        ("写完文档", "文档", True),
        ("DBを移行する", "db", True),
        ("アプリのＡＰＩを直す", "api", True),
        ("문서를 쓰기", "문서", True),
        ("Learn C++", "c++", True),
        ("Learn C", "c++", False),
        ("Mend src/log_in.py", "log_in.py", True),
        ("Mend src/log_in.py", "log", False),
        ("Read .env (twice)", "twice, .env", True),
        ("Delete env", ".env", False),
        ("🚀 Launch", "🚀", True),
        ("Don't panic!", '"panic"', True),
    ],
)
def test_whole_words_in_any_script(workspace, text, words, hits) -> None:
    """Case and spelling do not count, a part of a word does not hit; where there are no spaces any part does."""
    with workspace() as opened:
        todo.add(opened, text)
        if hits:
            assert todo.done(opened, (words,)).action == "done"
        else:
            with pytest.raises(NotFound):
                todo.done(opened, (words,))


def test_a_box_with_lines_of_its_own_is_left_to_the_editor(cli, shop, page) -> None:
    """A box with a paragraph behind an empty line, or with text that goes on, is not removed, and nothing changes."""
    page.parent.mkdir(parents=True)
    page.write_text("- [ ] Delta task\n\n  a paragraph of delta\n- [ ] Epsilon task\ngoes on\n\n- [ ] Last\n")
    before = page.read_bytes()
    for name, how in (("delta", "--yes"), ("epsilon", "--yes"), ("delta", "--dry-run")):
        refused = cli("todo", "remove", name, how)
        assert refused.code == 4 and "editor" in refused.err
    assert page.read_bytes() == before
    assert cli("todo", "remove", "last", "--yes").code == 0


def test_a_number_that_means_another_line_now_is_refused(cli, shop, page) -> None:
    """When the page changed since it was listed, a number is refused with the id that it means now."""
    cli("todo", "first")
    cli("todo", "second")
    cli("todo")
    page.write_text(page.read_text().replace("- [ ] first\n", "- [ ] new at the top\n- [ ] first\n"))
    before = page.read_bytes()
    refused = cli("todo", "done", "1")
    new, *_ = cli("todo", "--json").json["todos"]
    assert refused.code == 4 and new["id"] in refused.err and "new at the top" in refused.err
    assert page.read_bytes() == before
    assert cli("todo", "done", "2").code == 0, "after the new list the number is good again"
    assert "- [x] first (" in page.read_text()


def test_what_was_not_on_the_list_has_no_number_yet(cli, shop) -> None:
    """A number beyond the last listing is refused; ticking one by its number leaves the others good."""
    cli("todo", "first")
    cli("todo", "second")
    cli("todo")
    cli("todo", "third")
    assert cli("todo", "done", "3").code == 4
    assert cli("todo", "done", "1").code == cli("todo", "done", "2").code == 0


def test_removing_needs_consent(cli, shop, page) -> None:
    """A plan comes first, consent is needed, and then the one line is gone."""
    page.parent.mkdir(parents=True)
    page.write_bytes(b"mine\r\n- [ ] a\r\n* [x] b\r\nno end")
    before = page.read_bytes()
    assert cli("todo", "remove", "a").code == 6
    assert cli("todo", "remove", "a", "--dry-run", "--json").json["plan"][0]["act"] == "remove"
    assert page.read_bytes() == before
    assert cli("todo", "remove", "a", "--yes").code == 0
    assert page.read_bytes() == b"mine\r\n* [x] b\r\nno end"


def test_secrets_are_taken_out_first(cli, shop, page) -> None:
    """A secret is not written, also not one that invisible characters hide, and its kind is told beside the answer."""
    added = cli("todo", f"Rotate {TOKEN[:9]}\u200b{TOKEN[9:]}", "--json")
    assert added.json["redacted"] == ["github-token"] and "github-token" in added.err
    assert TOKEN not in page.read_text() and "Rotate [redacted:github-token]" in page.read_text()
    assert cli("todo", TOKEN).code == 2
    assert len(cli("todo", "--json").json["todos"]) == 1


def test_it_takes_standard_input_and_words_of_commands(cli, shop) -> None:
    """Text comes from standard input, and `add` adds what is the name of a command."""
    assert cli("todo", "-", stdin="From a pipe\n").code == 0
    assert cli("todo", "add", "done").code == 0
    assert [one["text"] for one in cli("todo", "--json").json["todos"]] == ["From a pipe", "done"]
    assert cli("todo", "add", stdin="").code == 2


def test_a_slip_is_no_todo(cli, shop, home) -> None:
    """A misspelled command before a number or an id is refused; before other words it is the text that was meant."""
    for words in (("dnoe", "3"), ("reopn", "t1a2b3"), ("removed", "1", "2")):
        refused = cli("todo", *words)
        assert refused.code == 2 and "Did you mean" in refused.err
    assert not home.exists()
    assert (
        cli("todo", "redone", "by", "Kim").code
        == cli("todo", "Done.").code
        == cli("todo", "add", "dnoe", "3").code
        == 0
    )


def test_without_a_project_nothing_is_written(workspace, home, machine, cli, monkeypatch) -> None:
    """Where there is no project it fails and says so; --project names one. It never falls into global."""
    with workspace(folder=str(machine)) as opened, pytest.raises(ScopeUnknown):
        todo.add(opened, "x")
    monkeypatch.chdir(machine)
    refused = cli("todo", "x")
    assert refused.code == 2 and "--project ID" in refused.err and "global" not in refused.err
    assert not home.exists()
    assert cli("todo", "x", "--project", "other").code == 0
    assert (home / "memory" / "projects" / "other" / "todo.md").exists()
    assert cli("todo", "--project", "other", "--json").json["todos"][0]["text"] == "x"


def test_switched_off_and_bounds(workspace, home) -> None:
    """While memory is off nothing is written and lists are empty; what is too long is refused before it is searched."""
    with workspace(flags={"enabled": "false"}) as opened:
        assert todo.todos(opened) == todo.show(opened) == ()
        for change in (todo.add, todo.done, todo.reopen):
            with pytest.raises(SwitchedOff):
                change(opened, "x")
    with workspace() as opened:
        for text, error in (("x" * 1_001, TooLarge), ("x" * 10_000_000, TooLarge), ("a\0b", BadInput), (" ", BadInput)):
            with pytest.raises(error):
                todo.add(opened, text)
        with pytest.raises(NotFound):
            todo.done(opened, ("1",))
    assert not (home / "memory").exists()


def test_a_broken_listing_costs_only_the_check(workspace, home) -> None:
    """A file of listings that is garbage refuses numbers but no id, and the next list mends it."""
    with workspace() as opened:
        (added,) = todo.add(opened, "a").todos
        todo.show(opened)
        listings = home / "state" / "listings" / SHOP
        listings.write_bytes(b"\xff\xfe garbage\n")
        with pytest.raises(Conflict):
            todo.done(opened, ("1",))
        assert todo.done(opened, (added.id,)).action == "done"
        todo.show(opened)
        assert todo.reopen(opened, ("1",)).action == "reopened"
        for _ in range(30):
            todo.show(opened)
        assert len(listings.read_text().splitlines()) == 20


def test_a_word_that_looks_like_an_id_names_what_says_it(cli, shop) -> None:
    """A word of the letters that ids have is a word where a to-do says it, and else an id that is not there."""
    cli("todo", "Build the tabbed layout")
    assert cli("todo", "done", "tabbed").out.startswith("done")
    gone = cli("todo", "done", "tfacad")
    assert gone.code == 3 and "there is no to-do 'tfacad'" in gone.err


def test_several_at_once_lose_nothing(workspace, home, shop, at_once) -> None:
    """To-dos that several processes add and tick at once are all kept, each as it should be."""
    at_once(add_and_tick, *[(str(home), str(shop), name) for name in "abc"])
    with workspace() as opened:
        found = {one.text: one.done for one in todo.todos(opened, everything=True)}
    assert found == {f"{name}{number}": number % 2 == 0 for name in "abc" for number in range(6)}


def add_and_tick(home: str, folder: str, name: str) -> None:
    """Add six to-dos, one by one, and tick every second."""
    for number in range(6):
        with Workspace(home, folder=folder, environment={}) as opened:
            (added,) = todo.add(opened, f"{name}{number}").todos
            if number % 2 == 0:
                todo.done(opened, (added.id,))


def test_the_word_list_alone_lists(cli, shop) -> None:
    """`todo list` shows the to-dos, as people expect; more words behind it are a text."""
    cli("todo", "Ship it")
    assert "Ship it" in cli("todo", "list").out and "Ship it" in cli("todo", "list", "--all").out
    assert cli("todo", "list the users").out.startswith("added") and cli("todo", "list", "users").out.startswith(
        "added"
    )
    assert "[ ] list\n" not in cli("todo").out
