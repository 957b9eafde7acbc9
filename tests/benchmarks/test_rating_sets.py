"""The labelled ratings: their files are sound, their parts are apart, and nobody's text is in them."""

from __future__ import annotations

import importlib.util
import itertools
import json
import re
import shutil
import sys
from pathlib import Path

import pytest

from holdfast.actions import bench
from holdfast.errors import BadInput

BENCHMARKS = Path(bench._folder())
FOLDER = BENCHMARKS / "rating_sets"
PARTS = ("dev", "held")
MACHINE_PATHS = re.compile(r"(^|[\s'\"(=])/(home|root|work|Users|tmp|var/folders)/|[A-Z]:\\Users")


def module_at(path: Path):
    """Return the module in a file, loaded from there."""
    spec = importlib.util.spec_from_file_location("rating_messages", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["rating_messages"] = module
    spec.loader.exec_module(module)
    return module


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
    """A copy of the sets, beside one of those whose way of finding drawn messages they share."""
    for name in ("trigger_sets", "rating_sets"):
        shutil.copytree(BENCHMARKS / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "rating_sets"


def pieces(text: str) -> set[str]:
    """Return the runs of four letters in a text, which two tellings of one thing share."""
    plain = " ".join(re.findall(r"\w+", text.lower()))
    return {plain[start : start + 4] for start in range(max(1, len(plain) - 3))}


def test_ids_are_digests_of_the_texts(messages, written, explicit):
    """Every message has the id that its text gives, with the agent's answer before it, so none changes unnoticed."""
    for message in itertools.chain(*written.values()):
        assert message.id == messages.id_of(message.text), message.text
    for message in explicit:
        assert message.id == messages.id_of(f"{message.answer}\n{message.text}"), message.text


@pytest.mark.parametrize("part", PARTS)
def test_every_drawn_message_is_in_the_part_of_its_id(messages, part):
    """The digest of the id says to which part a drawn message belongs."""
    assert {messages.part_of(id) for id in messages.drawn_labels(part)} == {part}


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


def test_all_drawn_messages_are_labelled(messages):
    """The drawn parts together have the 250 messages that were found, about half of them in each."""
    sizes = [len(messages.drawn_labels(part)) for part in PARTS]
    assert sum(sizes) == 250
    assert min(sizes) > 100


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


def test_no_message_is_in_both_parts_or_twice(messages, written, explicit):
    """No id comes twice, in whatever file."""
    ids = [message.id for part in PARTS for message in written[part]]
    ids += [id for part in PARTS for id in messages.drawn_labels(part)]
    ids += [message.id for message in explicit]
    assert len(ids) == len(set(ids))


def test_no_message_has_a_near_twin_in_the_other_part(written):
    """Written messages of the two parts share less than half of their letters in a row."""
    dev, held = ([(pieces(message.text), message.text) for message in written[part]] for part in PARTS)
    for (left, first), (right, second) in itertools.product(dev, held):
        assert 2 * len(left & right) < len(left | right), (first, second)


def test_no_path_of_a_machine_is_in_the_files():
    """Neither guide nor messages name a folder of the machine on which they were made."""
    for path in sorted(FOLDER.iterdir()):
        if path.is_file():
            assert not MACHINE_PATHS.search(path.read_text("utf-8")), path.name


@pytest.mark.parametrize("part", PARTS)
def test_of_drawn_messages_only_ids_and_labels_are_kept(part):
    """A line of a drawn file is an id, a tab and a label, so there is no room for a word of the message."""
    for line in (FOLDER / f"drawn_{part}.tsv").read_text("utf-8").splitlines():
        assert re.fullmatch(r"[0-9a-f]{16}\t(praise|frustration|none)", line), line


def test_no_drawn_message_is_among_the_written_ones_or_in_the_guide(messages, written, explicit):
    """Nothing that is quoted in the guide or was written for the set has the id of a drawn message."""
    guide = (FOLDER / "GUIDE.md").read_text("utf-8")
    ours = [*re.findall(r'"([^"]+)"', guide), *(message.text for part in PARTS for message in written[part])]
    ours += [text for message in explicit for text in (message.text, message.answer)]
    drawn = {id for part in PARTS for id in messages.drawn_labels(part)}
    assert not drawn & {messages.id_of(text) for text in ours}


def test_the_guide_quotes_nothing_that_is_held(messages, written):
    """Who writes rules reads the guide, so no held message stands in it."""
    guide = (FOLDER / "GUIDE.md").read_text("utf-8")
    quoted = {messages.id_of(text) for text in re.findall(r'"([^"]+)"', guide)}
    assert not quoted & {message.id for message in written["held"]}


def test_the_guide_explains_every_label_and_stays_short(messages):
    """The guide has a row and border cases for each label within 100 lines."""
    guide = (FOLDER / "GUIDE.md").read_text("utf-8")
    assert len(guide.splitlines()) <= 100
    for name in messages.LABELS:
        assert f"\n| `{name}` |" in guide
        assert f"\n### {name}\n" in guide


def test_without_transcripts_the_drawn_ones_are_left_out_and_counted(messages, written):
    """Loading without a folder of transcripts gives the written messages and says how many are missing."""
    loaded = messages.load("held")
    assert loaded == written["held"]
    assert messages.left_out("held", loaded) == len(messages.drawn_labels("held")) > 100


def test_drawn_messages_come_from_the_transcripts_below_a_folder(copied, tmp_path):
    """A message that a person typed is found again by its id; what the agent said with the same id is not."""
    there = module_at(copied / "messages.py")
    typed, said, missing = (there.id_of(text) for text in ("well   made", "I am done", "nobody typed this"))
    (copied / "drawn_dev.tsv").write_text(f"{typed}\tpraise\n{said}\tnone\n{missing}\tnone\n", "utf-8")
    lines = [
        {"type": "user", "message": {"role": "user", "content": "well\nmade"}},
        {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": "I am done"}]}},
    ]
    logs = tmp_path / "logs" / "deep"
    logs.mkdir(parents=True)
    session = [{"uuid": f"u{place}", "sessionId": "s1", "cwd": "/x", **line} for place, line in enumerate(lines)]
    (logs / "s1.jsonl").write_text("".join(json.dumps(line) + "\n" for line in session), "utf-8")
    loaded = there.load("dev", str(tmp_path / "logs"))
    drawn = [message for message in loaded if message.source == "drawn"]
    assert [(one.id, one.label, one.text) for one in drawn] == [(typed, "praise", "well\nmade")]
    assert there.left_out("dev", loaded) == 2


def test_escaped_texts_come_back_as_they_were_typed(written, explicit):
    """Line ends survive the one line that a message has in its file, in texts and in answers."""
    assert any("\n\n" in message.text for message in written["dev"])
    assert any("\n1. " in message.answer for message in explicit)
    assert not any("\\n" in message.text + message.answer + message.comment for message in explicit)


def test_a_part_that_is_not_there_and_a_broken_line_are_refused(messages, copied):
    """A wrong name of a part is an error that names the parts; a line with missing columns is one, too."""
    with pytest.raises(BadInput, match="no part 'test'"):
        messages.load("test")
    (copied / "written_dev.tsv").write_text("0123456789abcdef\ten\tnone\n", "utf-8")
    (copied / "explicit.tsv").write_text("0123456789abcdef\ten\t8\n", "utf-8")
    there = module_at(copied / "messages.py")
    with pytest.raises(BadInput, match="3 columns in '0123456789abcdef', not 4"):
        there.load("dev")
    with pytest.raises(BadInput, match="3 columns in '0123456789abcdef', not 6"):
        there.explicit()
