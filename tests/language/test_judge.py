"""What the judge says of a message behind the session, by the weights that ship."""

from __future__ import annotations

import pytest

from holdfast.errors import StoreUnavailable
from holdfast.language import judge as judging
from holdfast.language.encoder import Encoder
from holdfast.language.judge import Judgement, is_english, judge, judge_all
from holdfast.language.weights import MAGIC, Weights
from holdfast.language.word_pieces import SPECIAL, UNKNOWN, WordPieces


@pytest.mark.parametrize(
    ("text", "before", "kind", "statement"),
    [
        ("go for option 1", "1. Redis\n2. SQLite\nWhich one?", "decision", "go for option 1"),
        (
            "Can you fix the login page? Also we always write commit messages in German.",
            "",
            "preference",
            "we always write commit messages in German.",
        ),
        (
            "we decided to keep everything in Postgres, no Redis. now fix the login bug in auth.py",
            "",
            "architecture",
            "we decided to keep everything in Postgres",
        ),
    ],
)
def test_what_is_stated_is_told_with_the_part_that_states_it(text, before, kind, statement) -> None:
    """A decision, a preference and a choice of technology are told as facts, without the task around them."""
    judged = judge(text, before)
    assert kind in judged.kinds
    assert statement in judged.statement and "login page" not in judged.statement
    assert "auth.py" not in judged.statement


@pytest.mark.parametrize("text", ["fix the failing test", "ok", "continue", "why does the build fail?", "", "???"])
def test_a_task_a_question_and_an_acknowledgement_say_nothing(text) -> None:
    """Most messages are of this sort, and nothing is kept of them."""
    assert judge(text) == Judgement()


def test_a_short_answer_to_a_question_is_read_by_both() -> None:
    """The first reader passes over most short messages; one that answers the agent may decide something."""
    asked = "Switching to the new endpoint is safe here. Shall I make that change now?"
    assert judge("fine, give it a go", asked).statement == "fine, give it a go"
    assert judge("fine, give it a go", "I made the change to the new endpoint.") == Judgement()


def test_what_is_not_said_in_english_is_at_most_a_candidate() -> None:
    """The judge has hardly seen other languages, so it does not tell facts in them."""
    assert is_english("use pnpm not npm") and is_english("ok")
    for text in (
        "no, usa la segunda opción para el proyecto",
        "以后不要用 npm，用 pnpm",
        "nein, nimm nicht das andere",
    ):
        assert not is_english(text)
        assert judge(text).kinds == ()


def test_a_message_is_judged_alike_alone_and_among_others() -> None:
    """Many are read together, which takes less time and says the same of each."""
    messages = [
        ("From now on never use console.log, use the logger", ""),
        ("go for option 1", "1. Redis\n2. SQLite\nWhich one?"),
        *[(f"please look at file {number} of the parser and fix what is wrong", "Done. " * 40) for number in range(12)],
        ("ok", ""),
    ]
    together = judge_all(messages)
    assert [judge(*one) for one in reversed(messages)] == together[::-1]
    assert "preference" in together[0].kinds and together[-1] == Judgement()


def test_the_second_reader_is_opened_when_a_message_is_for_it(monkeypatch) -> None:
    """To open it takes longer than the first one needs to read the few messages that a sweep mostly finds."""
    monkeypatch.setattr(judging, "_opened", {})
    judge_all([("fix the failing test", ""), ("run the linter again", "")])
    assert list(judging._opened) == [judging._FIRST]
    judge("we decided to keep everything in Postgres, no Redis. now fix the login bug in auth.py")
    assert list(judging._opened) == [judging._FIRST, judging._SECOND]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("不对，我要的是按钮在右边，不是左边", "correction"),
        ("我们决定用 PostgreSQL，不用 Redis", "architecture"),
        ("以后不要用 npm，用 pnpm", "preference"),
        ("データベースは SQLite ではなく PostgreSQL を使うことにします", "decision"),
    ],
)
def test_what_is_said_in_chinese_or_japanese_is_a_candidate(text, kind) -> None:
    """One reader knows these languages; what it finds is never told as a fact."""
    judged = judge(text)
    assert kind in judged.candidates and not judged.kinds


def test_each_message_is_read_by_who_knows_its_language(monkeypatch) -> None:
    """The reader of Chinese is opened for Chinese, and the others are not where it finds nothing."""
    monkeypatch.setattr(judging, "_opened", {})
    assert judge_all([("这里报错了，帮我看一下", ""), ("继续", "")]) == [Judgement()] * 2
    assert list(judging._opened) == [judging._CHINESE]
    together = judge_all([("以后不要用 npm，用 pnpm", ""), ("fix the failing test", "")])
    assert together == [judge("以后不要用 npm，用 pnpm"), Judgement()]


@pytest.mark.parametrize(
    ("text", "chinese"),
    [
        ("把 src/holdfast/language/judge.py 里的函数改名", True),
        ("帮我修一下这个页面", True),
        ("テストを実行して", True),
        ("please add 你好 to the greeting of the page", False),
        ("123 !!", False),
        ("", False),
    ],
)
def test_a_text_is_chinese_where_enough_of_its_letters_are(text, chinese) -> None:
    """Names of files and of things are plain letters in every language."""
    assert judging.is_chinese(text) is chinese


def test_what_nobody_asks_for_is_not_reckoned(monkeypatch) -> None:
    """The last layer goes on with the beginning and the person's words alone: of the rest only what they take of it."""
    reader, rows = judging._reader(0)[0], []
    times = Encoder._times

    def counted(self, given, name):
        rows.append((name, len(given)))
        return times(self, given, name)

    monkeypatch.setattr(Encoder, "_times", counted)
    (figures,) = reader.read([(list(range(5, 45)), 30)])
    last = reader.about["layers"] - 1
    assert (f"{last - 1}.up", 40) in rows and (f"{last}.up", 1 + 9) in rows
    assert figures.pieces.shape == (9, 3)


def test_pieces_know_their_place_in_the_text() -> None:
    """Letters are small and without accents, signs stand alone, and a word that is not known is one piece."""
    pieces = WordPieces([*SPECIAL, "use", "caf", "##e", "!", "不"])
    text = "Use Café! 不 xyz"
    found = pieces.of(text)
    assert [text[one.start : one.end] for one in found] == ["Use", "Caf", "é", "!", "不", "xyz"]
    assert [one.number for one in found] == [4, 5, 6, 7, 8, UNKNOWN]


@pytest.mark.parametrize("data", [b"", b"something else", MAGIC + b"{}\nnot packed"])
def test_weights_that_are_not_whole_are_named(tmp_path, data) -> None:
    """Whoever has a broken installation is told what to do."""
    path = tmp_path / "judge.bin"
    path.write_bytes(data)
    with pytest.raises(StoreUnavailable, match="not whole"):
        Weights(str(path))
    with pytest.raises(StoreUnavailable, match="cannot be read"):
        Weights(str(tmp_path / "nothing"))
