"""The labelled messages: their files are sound, their parts are apart, and nobody's text is in them."""

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

FOLDER = Path(bench._folder()) / "trigger_sets"
WRITERS = Path(__file__).parents[2] / "training" / "triggers" / "writers"
PARTS = ("dev", "held")
# Two messages that share half of their short runs have a run of this many letters in common.
LONG_RUN = 9
MACHINE_PATHS = re.compile(r"(^|[\s'\"(=])/(home|root|work|Users|tmp|var/folders)/|[A-Z]:\\Users")


def module_at(path: Path):
    """Return the module in a file, loaded from there."""
    spec = importlib.util.spec_from_file_location("trigger_messages", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["trigger_messages"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def messages():
    """The module that reads the sets."""
    return module_at(FOLDER / "messages.py")


@pytest.fixture(scope="module")
def written(messages):
    """The written messages of both parts."""
    return {part: messages.written(part) for part in PARTS}


@pytest.fixture(scope="module")
def writers(messages):
    """The messages of each writer from whom the weights are learned besides dev."""
    return {path.stem: messages.read(str(path)) for path in sorted(WRITERS.glob("*.tsv"))}


def pieces(text: str, length: int = 4) -> set[str]:
    """Return the runs of so many letters in a text, which two tellings of one thing share."""
    plain = " ".join(re.findall(r"\w+", text.lower()))
    return {plain[start : start + length] for start in range(max(1, len(plain) - length + 1))}


def test_ids_are_digests_of_the_texts(messages, written):
    """Every written message has the id that its text gives, so none can be changed unnoticed."""
    for message in itertools.chain(*written.values()):
        assert message.id == messages.id_of(message.text), message.text


@pytest.mark.parametrize("part", PARTS)
def test_every_drawn_message_is_in_the_part_of_its_id(messages, part):
    """The digest of the id says to which part a drawn message belongs."""
    assert {messages.part_of(id) for id in messages.drawn_labels(part)} == {part}


@pytest.mark.parametrize("part", PARTS)
def test_labels_are_known_and_in_one_order(messages, part):
    """Labels are classes of the guide in their usual order, without repetition, or a single hyphen."""
    for name in (*messages.WRITTEN[part], "drawn"):
        for line in (FOLDER / f"{name}_{part}.tsv").read_text("utf-8").splitlines():
            labels = line.split("\t")[1 if name == "drawn" else 2]
            expected = [one for one in messages.CLASSES if one in labels.split(",")]
            assert labels == (",".join(expected) or "-"), line


@pytest.mark.parametrize(("part", "source"), [("dev", "written"), ("held", "written"), ("held", "indirect")])
def test_every_class_is_there_often_enough_to_be_measured(messages, written, part, source):
    """Each file of written messages has enough of every class, and enough of them in each language."""
    for name in messages.CLASSES:
        chosen = [one for one in written[part] if one.source == source and name in one.labels]
        languages = [message.language for message in chosen]
        assert len(languages) >= 100, name
        assert min(languages.count("en"), languages.count("de")) >= 30, name


@pytest.mark.parametrize(("part", "source"), [("dev", "written"), ("held", "written"), ("held", "indirect")])
def test_many_messages_are_worth_nothing(written, part, source):
    """At least four in ten messages of each file have no class."""
    chosen = [message for message in written[part] if message.source == source]
    assert sum(not message.labels for message in chosen) >= 0.4 * len(chosen)


@pytest.mark.parametrize(("part", "written_ones", "drawn_ones"), [("dev", 1_250, 131), ("held", 1_600, 119)])
def test_size_and_languages_are_as_promised(messages, written, part, written_ones, drawn_ones):
    """Each part has its number of messages, about a third of the written ones in German."""
    languages = [message.language for message in written[part]]
    assert len(languages) >= written_ones
    assert set(languages) == {"en", "de"}
    assert 0.30 <= languages.count("de") / len(languages) <= 0.40
    assert len(messages.drawn_labels(part)) == drawn_ones


def test_some_held_messages_are_long(written):
    """At least twenty held messages have 80 words or more, in which one sentence matters or none does."""
    long = [message for message in written["held"] if len(message.text.split()) >= 80]
    assert len(long) >= 20
    assert {bool(message.labels) for message in long} == {True, False}


def test_no_message_is_in_both_parts_or_twice(messages, written):
    """No id comes twice, in whatever file."""
    ids = [message.id for part in PARTS for message in written[part]]
    ids += [id for part in PARTS for id in messages.drawn_labels(part)]
    assert len(ids) == len(set(ids))


def test_no_held_message_has_a_near_twin_that_was_learned_from(written, writers):
    """Held messages and those of dev and of the writers share less than half of their letters in a row."""
    held = [(pieces(message.text), message.text) for message in written["held"]]
    having: dict[str, set[int]] = {}
    for number, (_, text) in enumerate(held):
        for run in pieces(text, LONG_RUN):
            having.setdefault(run, set()).add(number)
    for message in itertools.chain(written["dev"], *writers.values()):
        own = pieces(message.text)
        for number in set().union(*(having.get(run, ()) for run in pieces(message.text, LONG_RUN))):
            other, text = held[number]
            assert 2 * len(own & other) < len(own | other), (message.text, text)


def test_what_the_weights_are_learned_from_is_sound(messages, writers):
    """A writer's messages have ids of their own, known labels and a language, and none is in held or drawn."""
    taken = {id for part in PARTS for id in messages.drawn_labels(part)}
    taken |= {message.id for message in messages.written("held")}
    assert len(writers) >= 26
    for name, every in writers.items():
        assert len({message.id for message in every}) == len(every), name
        for message in every:
            assert message.labels <= set(messages.CLASSES) and message.language in ("en", "de"), (name, message.id)
            assert messages.id_of(message.text) not in taken, (name, message.id)


def test_no_path_of_a_machine_is_in_the_files():
    """Neither guide nor messages name a folder of the machine on which they were made."""
    for path in sorted([*FOLDER.iterdir(), *WRITERS.iterdir()]):
        if path.is_file():
            assert not MACHINE_PATHS.search(path.read_text("utf-8")), path.name


@pytest.mark.parametrize("part", PARTS)
def test_of_drawn_messages_only_ids_and_labels_are_kept(part):
    """A line of a drawn file is an id, a tab and labels, so there is no room for a word of the message."""
    for line in (FOLDER / f"drawn_{part}.tsv").read_text("utf-8").splitlines():
        assert re.fullmatch(r"[0-9a-f]{16}\t(-|[a-z]+(,[a-z]+)*)", line), line


def test_no_drawn_message_is_among_the_written_ones_or_in_the_guide(messages, written):
    """Nothing that is quoted in the guide or was written for the set has the id of a drawn message."""
    guide = (FOLDER / "GUIDE.md").read_text("utf-8")
    ours = [*re.findall(r'"([^"]+)"', guide), *(message.text for part in PARTS for message in written[part])]
    drawn = {id for part in PARTS for id in messages.drawn_labels(part)}
    assert not drawn & {messages.id_of(text) for text in ours}


def test_the_guide_explains_every_class_and_stays_short(messages):
    """The guide has a row and border cases for each class within 125 lines."""
    guide = (FOLDER / "GUIDE.md").read_text("utf-8")
    assert len(guide.splitlines()) <= 125
    for name in messages.CLASSES:
        assert f"\n| `{name}` |" in guide
        assert f"\n### {name}\n" in guide


def test_without_transcripts_the_drawn_ones_are_left_out_and_counted(messages, written):
    """Loading without a folder of transcripts gives the written messages and says how many are missing."""
    loaded = messages.load("held")
    assert loaded == written["held"]
    assert messages.left_out("held", loaded) == len(messages.drawn_labels("held")) > 100


def test_drawn_messages_come_from_the_transcripts_below_a_folder(tmp_path):
    """A message that a person typed is found again by its id; what the agent said with the same id is not."""
    copied = shutil.copytree(FOLDER, tmp_path / "sets", ignore=shutil.ignore_patterns("__pycache__"))
    there = module_at(copied / "messages.py")
    typed, said, missing = (there.id_of(text) for text in ("keep it   in one file", "I keep it", "nobody typed this"))
    (copied / "drawn_dev.tsv").write_text(f"{typed}\tarchitecture\n{said}\t-\n{missing}\tvalue\n", "utf-8")
    lines = [
        {"type": "user", "message": {"role": "user", "content": "keep it in\none file"}},
        {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": "I keep it"}]}},
    ]
    logs = tmp_path / "logs" / "deep"
    logs.mkdir(parents=True)
    session = [{"uuid": f"u{place}", "sessionId": "s1", "cwd": "/x", **line} for place, line in enumerate(lines)]
    (logs / "s1.jsonl").write_text("".join(json.dumps(line) + "\n" for line in session), "utf-8")
    loaded = there.load("dev", str(tmp_path / "logs"))
    drawn = [message for message in loaded if message.source == "drawn"]
    assert [(one.id, one.labels, one.text) for one in drawn] == [(typed, {"architecture"}, "keep it in\none file")]
    assert there.left_out("dev", loaded) == 2


def test_escaped_texts_come_back_as_they_were_typed(messages, written):
    """Line ends, tabs and backslashes survive the one line that a message has in its file."""
    assert messages.unescaped(r"a\nb\tc\\n") == "a\nb\tc\\n"
    assert any("\n\n" in message.text for message in written["dev"])


def test_a_part_that_is_not_there_and_a_broken_line_are_refused(messages, tmp_path):
    """A wrong name of a part is an error that names the parts; a line with missing columns is one, too."""
    with pytest.raises(BadInput, match="no part 'test'"):
        messages.load("test")
    copied = shutil.copytree(FOLDER, tmp_path / "sets")
    (copied / "written_dev.tsv").write_text("0123456789abcdef\ten\t-\n", "utf-8")
    with pytest.raises(BadInput, match="3 columns in '0123456789abcdef', not 4"):
        module_at(copied / "messages.py").load("dev")
