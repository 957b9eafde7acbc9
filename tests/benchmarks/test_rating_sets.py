"""The labelled ratings: labels and languages in their shares, and messages with a number."""

from __future__ import annotations

import itertools
import re
import shutil

import pytest

from benchmarks.labelled import BENCHMARKS, PARTS, module_at, pieces
from holdfast.errors import BadInput

FOLDER = BENCHMARKS / "rating_sets"


@pytest.fixture(scope="module")
def messages():
    """The module that reads the sets."""
    return module_at(FOLDER / "messages.py")


@pytest.fixture(scope="module")
def explicit(messages):
    """The messages about ratings by a number."""
    return messages.explicit()


@pytest.fixture(scope="module")
def written(messages):
    """The written messages of both parts."""
    return {part: messages.written(part) for part in PARTS}


@pytest.fixture
def copied(tmp_path):
    """A copy of the sets."""
    shutil.copytree(FOLDER, tmp_path / "rating_sets", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "rating_sets"


def test_ids_are_digests_of_the_texts(messages, explicit):
    """A message with a number has the id that its text gives, with the agent's answer before it."""
    for message in explicit:
        assert message.id == messages.id_of(f"{message.answer}\n{message.text}"), message.text


@pytest.mark.parametrize("part", PARTS)
def test_every_label_is_known(messages, written, part):
    """A written or drawn message has one of the labels of the guide."""
    assert {message.label for message in written[part]} == set(messages.LABELS)
    assert set(messages.drawn_labels(part).values()) <= set(messages.LABELS)


@pytest.mark.parametrize("part", PARTS)
def test_labels_and_languages_are_there_in_the_promised_shares(messages, written, part):
    """A part has 400 messages or more, a fifth praise, a fifth frustration, the rest none, each a third in German."""
    assert len(written[part]) >= 400
    for label, share in (("praise", 0.2), ("frustration", 0.2), ("none", 0.6)):
        languages = [message.language for message in written[part] if message.label == label]
        assert abs(len(languages) / len(written[part]) - share) < 0.03, label
        assert set(languages) == {"en", "de"}
        assert 0.28 <= languages.count("de") / len(languages) <= 0.40, label


def test_about_half_of_the_numbers_are_ratings(explicit):
    """There are 250 messages or more with a number, at least 100 ratings, and no fewer traps than ratings."""
    ratings = [message for message in explicit if message.rating is not None]
    assert len(explicit) >= 250
    assert 100 <= len(ratings) <= len(explicit) / 2
    languages = [message.language for message in explicit]
    assert set(languages) == {"en", "de"}
    assert languages.count("de") / len(languages) >= 0.25


def test_every_rating_from_1_to_10_is_there_alone_over_ten_and_with_a_comment(explicit):
    """Each number is there in every form that is agreed, and no rating is out of range."""
    for rating in range(1, 11):
        texts = {message.text.strip() for message in explicit if message.rating == rating}
        assert {str(rating), f"{rating}/10"} <= texts
        assert any(text.startswith(f"{rating} - ") for text in texts), rating
        assert any(text.startswith(f"{rating}: ") for text in texts), rating
    assert {message.rating for message in explicit} == {None, *range(1, 11)}


def test_a_rating_stands_first_in_its_text_and_its_comment_last(explicit):
    """A rating's text begins with the number and ends with the comment; where there is no rating there is none."""
    for message in explicit:
        if message.rating is None:
            assert message.comment == "", message.text
        else:
            number = re.match(r"\s*(\d+)(?!\d)", message.text)
            assert number and int(number[1]) == message.rating, message.text
            assert message.text.rstrip().endswith(message.comment), message.text
            rest = message.text[number.end() : len(message.text.rstrip()) - len(message.comment)]
            assert re.fullmatch(r"\s*(/\s*10)?\s*([-–—:]\s*)?", rest), message.text


def test_one_number_is_a_rating_after_one_answer_and_none_after_another(explicit):
    """Some texts are a rating or not by what the agent said before, so that a parser must look at it."""
    by_text: dict[str, set[bool]] = {}
    for message in explicit:
        by_text.setdefault(message.text.strip(), set()).add(message.rating is None)
    assert sum(kinds == {True, False} for kinds in by_text.values()) >= 8
    assert sum(bool(message.answer) for message in explicit) >= 50


def test_no_message_with_a_number_is_there_twice(messages, written, explicit):
    """No id comes twice, in whatever file."""
    others = {message.id for part in PARTS for message in written[part]}
    others |= {id for part in PARTS for id in messages.drawn_labels(part)}
    ids = [message.id for message in explicit]
    assert len(ids) == len({*ids} - others)


def test_no_message_has_a_near_twin_in_the_other_part(written):
    """Written messages of the two parts share less than half of their letters in a row."""
    dev, held = ([(pieces(message.text), message.text) for message in written[part]] for part in PARTS)
    for (left, first), (right, second) in itertools.product(dev, held):
        assert 2 * len(left & right) < len(left | right), (first, second)


def test_escaped_answers_come_back_as_they_were(explicit):
    """Line ends survive the one line that a message has in its file, in texts and in answers."""
    assert any("\n1. " in message.answer for message in explicit)
    assert not any("\\n" in message.text + message.answer + message.comment for message in explicit)


def test_a_broken_line_is_refused(copied):
    """A line with missing columns is an error that names it."""
    (copied / "explicit.tsv").write_text("0123456789abcdef\ten\t8\n", "utf-8")
    with pytest.raises(BadInput, match="3 columns in '0123456789abcdef', not 6"):
        module_at(copied / "messages.py").explicit()
