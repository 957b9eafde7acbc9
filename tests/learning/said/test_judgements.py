"""What the judge said of messages is kept: it reads each of them once, however often its session is taken in."""

from __future__ import annotations

import os
import time

import pytest

from holdfast.app import forget
from holdfast.app.erase import erase, forget_sessions
from holdfast.app.erase_target import of_texts
from holdfast.app.harvest import harvest
from holdfast.base import clock
from holdfast.language import judge
from holdfast.language.judge import judge_all
from holdfast.learning.said import judgements
from holdfast.learning.said.judgements import MAX_DAYS, Judgements

MESSAGES = [
    ("From now on never use console.log, use the logger", ""),
    ("go for option 1", "1. Redis\n2. SQLite\nWhich one?"),
    ("No, usa siempre pnpm — nie npm; danke!", "Ran npm."),
    ("perfect, exactly what I wanted", "Done."),
    ("continue", ""),
    ("", ""),
]


@pytest.fixture
def read(monkeypatch) -> list[str]:
    """The messages that were given to the readers."""
    found: list[str] = []

    def told(messages):
        found.extend(text for text, _ in messages)
        return judge_all(messages)

    monkeypatch.setattr(judgements, "judge_all", told)
    return found


def kept(home: str) -> str:
    """Return what is kept of the judgements."""
    with open(os.path.join(home, "state", "judgements"), encoding="utf-8") as file:
        return file.read()


def test_what_was_judged_is_said_again_without_reading(tmp_path, read) -> None:
    """A later process says the same of each message, and of what else was said before one it knows nothing."""
    home = str(tmp_path)
    first = Judgements(home)
    said = first.of("a/s-1", MESSAGES)
    assert said == judge_all(MESSAGES) and first.of("a/s-1", MESSAGES[:2]) == said[:2]
    first.keep()
    read.clear()
    again = Judgements(home)
    assert again.of("a/s-1", MESSAGES[::-1]) == said[::-1] and read == []
    again.of("a/s-1", [("go for option 1", "1. Mongo\n2. MySQL\nWhich one?")])
    assert read == ["go for option 1"]


def test_no_word_of_a_message_is_kept(tmp_path) -> None:
    """Whoever forgets a session need not look for it there."""
    one = Judgements(str(tmp_path))
    one.of("a/s-1", MESSAGES)
    one.keep()
    text = kept(str(tmp_path))
    assert not any(word in text for word in ("console", "logger", "option", "pnpm", "Redis"))


def test_another_judge_reads_again_and_so_does_one_that_finds_torn_rows(tmp_path, read, monkeypatch) -> None:
    """A row holds for the rules and the weights that said so, and only whole."""
    home = str(tmp_path)
    one = Judgements(home)
    said = one.of("a/s-1", MESSAGES[:1])
    one.keep()
    whole = kept(home)
    for torn in (whole[: len(whole) // 2], whole.replace('"0 ', '"x '), '["a"]\n[]\n{}\n', "\0"):
        (tmp_path / "state" / "judgements").write_text(torn)
        read.clear()
        assert Judgements(home).of("a/s-1", MESSAGES[:1]) == said and read
    (tmp_path / "state" / "judgements").write_text(whole)
    monkeypatch.setattr(judge, "RULES", judge.RULES + 1)
    read.clear()
    assert Judgements(home).of("a/s-1", MESSAGES[:1]) == said and read


def test_a_row_goes_when_sessions_of_its_age_are_judged_no_more(tmp_path, monkeypatch) -> None:
    """The file ends by itself, and takes no more than its bound."""
    home = str(tmp_path)
    old = Judgements(home)
    with monkeypatch.context() as then:
        then.setattr(clock, "now", lambda: clock.iso(time.time() - (MAX_DAYS + 1) * clock.DAY_SECONDS))
        old.of("a/s-1", MESSAGES[:2])
        old.keep()
    assert len(kept(home).splitlines()) == 2
    began = clock.now()[:10]
    new = Judgements(home)
    new.of("a/s-1", MESSAGES[2:4])
    new.keep()
    rows = kept(home).splitlines()
    # Midnight may come between the two.
    assert len(rows) == 2 and all(began in row or clock.now()[:10] in row for row in rows)
    monkeypatch.setattr(judgements, "_MOST", 10)
    new.of("a/s-1", MESSAGES[:2])
    new.keep()
    assert kept(home).splitlines() == rows


def test_of_a_session_that_goes_on_only_what_is_new_is_read(workspace, shop, read) -> None:
    """A sweep that takes a session in again reads its new messages; a dry run keeps nothing."""
    from tests.learning.said.test_harvest import RULE, WRONG, logged, talked, waiting

    with workspace() as h:
        talked(h, shop, RULE)
        harvest(h, dry_run=True)
        assert not os.path.exists(os.path.join(h.home, "state", "judgements"))
        harvest(h)
        talked(h, shop, RULE, WRONG)
        read.clear()
        harvest(h)
        assert read == [WRONG]
        assert any("/etc/app" in line for line in logged(h)) and any("console.log" in one for one in waiting(h))


@pytest.mark.parametrize("way", ["sessions forget", "erase a text"])
def test_what_is_forgotten_leaves_no_hash(workspace, shop, way) -> None:
    """With the words at hand a hash tells that they were said; what was judged of other sessions stays."""
    from tests.learning.said.test_harvest import RULE, WRONG, talked

    with workspace() as h:
        name = talked(h, shop, RULE)
        talked(h, shop, WRONG, id="s-2")
        harvest(h)
        assert len(kept(h.home).splitlines()) == 2
        if way == "erase a text":
            erase(h, of_texts(h, [RULE]))
            assert not os.path.exists(judgements.path_of(h.home))
        else:
            assert any(step.target == "state/judgements" for step in forget.plan(h, (name,))[1])
            forget_sessions(h, (name,))
            (row,) = kept(h.home).splitlines()
            assert "s-2" in row and "s-1" not in row
