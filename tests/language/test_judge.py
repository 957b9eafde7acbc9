"""What the judge says of a message behind the session, by the weights that ship."""

from __future__ import annotations

import re

import numpy as np
import pytest

from holdfast.errors import StoreUnavailable
from holdfast.language import judge as judging
from holdfast.language.encoder import Encoder
from holdfast.language.judge import Judgement, is_english, judge, judge_all, stated
from holdfast.language.weights import MAGIC, Weights
from holdfast.language.word_pieces import SPECIAL, UNKNOWN, Piece, WordPieces


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


def test_the_statement_is_the_run_of_clauses_that_speaks_most_for_itself() -> None:
    """Clauses beside the statement stay out, and one that is weak between two strong ones stays in."""
    text = "please run it now, use tabs and not spaces, many thanks beforehand"
    pieces = [Piece(9, text.index(word), text.index(word) + len(word)) for word in text.replace(",", "").split()]
    marks = [*[-9.0] * 4, 9.0, 9.0, -3.0, 9.0, 9.0, *[-9.0] * 3]
    assert stated(text, pieces, _inside(marks)) == "use tabs and not spaces"


@pytest.mark.parametrize(
    ("text", "kept", "statement"),
    [
        ("adjust the guide and the rules to never litter", "the rules to never litter", None),
        ("run it, and use tabs", "use tabs", "use tabs"),
        ("guide them by showing both and asking which to take", "guide them by showing both", None),
        ("use tabs and fix the header", "use tabs", "use tabs"),
        ("the default is Gemma (look it up)", "the default is Gemma", "the default is Gemma"),
    ],
)
def test_a_statement_neither_begins_nor_ends_in_the_middle(text, kept, statement) -> None:
    """Where the run of clauses goes on from a clause without a comma, that belongs to it; no sign is left open."""
    pieces = [Piece(9, found.start(), found.end()) for found in re.finditer(r"\w+", text)]
    marks = [9.0 if text.index(kept) <= one.start < text.index(kept) + len(kept) else -12.0 for one in pieces]
    assert stated(text, pieces, _inside(marks)) == (statement or text)


def test_where_the_statement_begins_and_ends_is_told_by_its_bounds_too() -> None:
    """Of two runs whose pieces are marked alike, the one where the readers see a beginning and an end is kept."""
    text = "use tabs. use spaces. use hyphens."
    pieces = [Piece(9, found.start(), found.end()) for found in re.finditer(r"\w+", text)]
    for at, sentence in enumerate(("use tabs.", "use spaces.", "use hyphens.")):
        marks = np.zeros((len(pieces), 3), np.float32)
        marks[2 * at, 1] = marks[2 * at + 1, 2] = 20.0
        marks[:, 0] = -0.5
        assert stated(text, pieces, marks) == sentence


def _inside(marks: list[float]) -> np.ndarray:
    """Return marks of pieces by readers that see the statement begin and end with its first and last piece."""
    found = np.array([[mark, 0.0, 0.0] for mark in marks], np.float32)
    likely = np.flatnonzero(found[:, 0] > 0)
    found[likely[0], 1] = found[likely[-1], 2] = 6.0
    return found


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
