"""Every set of labelled messages: its files are sound, its parts are apart, and nobody's text is in them."""

from __future__ import annotations

import itertools
import json
import re
import shutil

import pytest

from benchmarks.labelled import BENCHMARKS, PARTS, module_at
from holdfast.errors import BadInput

SETS = ("rating_sets",)
MACHINE_PATHS = re.compile(r"(^|[\s'\"(=])/(home|root|work|Users|tmp|var/folders)/|[A-Z]:\\Users")
WRITERS = BENCHMARKS.parent / "training" / "triggers" / "writers"


@pytest.fixture(scope="module", params=SETS)
def folder(request):
    """The folder of a set."""
    return BENCHMARKS / request.param


@pytest.fixture(scope="module")
def messages(folder):
    """The module that reads the set."""
    return module_at(folder / "messages.py")


@pytest.fixture(scope="module")
def written(messages):
    """The written messages of both parts."""
    return {part: messages.written(part) for part in PARTS}


@pytest.fixture
def copied(folder, tmp_path):
    """A copy of the set, beside the others, of which it may use something."""
    for name in SETS:
        shutil.copytree(BENCHMARKS / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / folder.name


def labels_of(messages) -> tuple[str, ...]:
    """Return the labels that a message of the set may have."""
    return messages.LABELS


def test_ids_are_digests_of_the_texts(messages, written):
    """Every written message has the id that its text gives, so none can be changed unnoticed."""
    for message in itertools.chain(*written.values()):
        assert message.id == messages.id_of(message.text), message.text


@pytest.mark.parametrize("part", PARTS)
def test_every_drawn_message_is_in_the_part_of_its_id(messages, part):
    """The digest of the id says to which part a drawn message belongs."""
    assert {messages.part_of(id) for id in messages.drawn_labels(part)} == {part}


def test_all_drawn_messages_are_labelled(messages):
    """The drawn parts together have the 250 messages that were found, about half of them in each."""
    sizes = [len(messages.drawn_labels(part)) for part in PARTS]
    assert sum(sizes) == 250 and min(sizes) > 100


def test_no_message_is_in_both_parts_or_twice(messages, written):
    """No id comes twice, in whatever file."""
    ids = [message.id for part in PARTS for message in written[part]]
    ids += [id for part in PARTS for id in messages.drawn_labels(part)]
    assert len(ids) == len(set(ids))


def test_no_path_of_a_machine_is_in_the_files(folder):
    """Neither guide nor messages name a folder of the machine on which they were made."""
    for path in sorted([*folder.iterdir(), *WRITERS.iterdir()]):
        if path.is_file():
            assert not MACHINE_PATHS.search(path.read_text("utf-8")), path.name


@pytest.mark.parametrize("part", PARTS)
def test_of_drawn_messages_only_ids_and_labels_are_kept(folder, messages, part):
    """A line of a drawn file is an id, a tab and labels, so there is no room for a word of the message."""
    one = "|".join(labels_of(messages))
    for line in (folder / f"drawn_{part}.tsv").read_text("utf-8").splitlines():
        assert re.fullmatch(rf"[0-9a-f]{{16}}\t(-|({one})(,({one}))*)", line), line


def test_no_drawn_message_is_among_the_written_ones_or_in_the_guide(folder, messages, written):
    """Nothing that is quoted in the guide or was written for the set has the id of a drawn message."""
    quoted = re.findall(r'"([^"]+)"', (folder / "GUIDE.md").read_text("utf-8"))
    ours = [*quoted, *(message.text for part in PARTS for message in written[part])]
    drawn = {id for part in PARTS for id in messages.drawn_labels(part)}
    assert not drawn & {messages.id_of(text) for text in ours}


def test_the_guide_quotes_nothing_that_is_held(folder, messages, written):
    """Who writes rules reads the guide, so no held message stands in it."""
    quoted = re.findall(r'"([^"]+)"', (folder / "GUIDE.md").read_text("utf-8"))
    assert quoted and not {messages.id_of(text) for text in quoted} & {message.id for message in written["held"]}


def test_the_guide_explains_every_label_and_stays_short(folder, messages):
    """The guide has a row and border cases for each label within 125 lines."""
    guide = (folder / "GUIDE.md").read_text("utf-8")
    assert len(guide.splitlines()) <= 125
    for name in labels_of(messages):
        assert f"\n| `{name}` |" in guide
        assert f"\n### {name}\n" in guide


def test_without_transcripts_the_drawn_ones_are_left_out_and_counted(messages, written):
    """Loading without a folder of transcripts gives the written messages and says how many are missing."""
    loaded = messages.load("held")
    assert loaded == written["held"]
    assert messages.left_out("held", loaded) == len(messages.drawn_labels("held")) > 100


def test_drawn_messages_come_from_the_transcripts_below_a_folder(copied, messages, tmp_path):
    """A message that a person typed is found again by its id; what the agent said with the same id is not."""
    there = module_at(copied / "messages.py")
    label = labels_of(messages)[0]
    typed, said, missing = (there.id_of(text) for text in ("well   made", "I am done", "nobody typed this"))
    (copied / "drawn_dev.tsv").write_text("".join(f"{id}\t{label}\n" for id in (typed, said, missing)), "utf-8")
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
    assert [(one.id, one.text) for one in drawn] == [(typed, "well\nmade")]
    assert there.left_out("dev", loaded) == 2


def test_escaped_texts_come_back_as_they_were_typed(messages, written):
    """Line ends, tabs and backslashes survive the one line that a message has in its file."""
    assert messages.unescaped(r"a\nb\tc\\n") == "a\nb\tc\\n"
    assert any("\n\n" in message.text for message in written["dev"])


def test_a_part_that_is_not_there_and_a_broken_line_are_refused(messages, copied):
    """A wrong name of a part is an error that names the parts; a line with missing columns is one, too."""
    with pytest.raises(BadInput, match="no part 'test'"):
        messages.load("test")
    (copied / "written_dev.tsv").write_text("0123456789abcdef\ten\t-\n", "utf-8")
    with pytest.raises(BadInput, match="3 columns in '0123456789abcdef', not 4"):
        module_at(copied / "messages.py").load("dev")
