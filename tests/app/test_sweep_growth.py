"""Transcripts that grow: read step by step or at once, the archive is the same."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.sampling import count
from support.swept import archive_of, indexed, line, raw, sweep_into, talk, transcript, write

# Read here, because tests run without the settings of the person.
TRANSCRIPTS = os.environ.get("HOLDFAST_TRANSCRIPTS", "")
GROWTH = sorted(path for path in Path(TRANSCRIPTS or "/nowhere").glob("_growth/*") if path.is_dir())
# Where the agent of a set keeps its transcripts.
PLACES = {"claude-code": ".claude/projects/shop/{}.jsonl", "codex": ".codex/sessions/2026/01/01/rollout-{}.jsonl"}


def session_bytes() -> bytes:
    """Return a transcript with much of what one may hold: calls, results, several lines of a message, odd letters."""
    records = talk("one", 3)
    records.append({"type": "summary", "summary": "About the till", "leafUuid": "one-3"})
    records.append(line("one", 40, "user", "Nein, falsch: größer – \u2028 und 𝒳!", cwd="/src/other", gitBranch="fix"))
    records.append(line("one", 41, "user", "token ghp_" + "x7Rk2mQv9Lt4Wd8Zs1Hn6Yb3Cf5Jg0PaUeTi"))
    records.extend(talk("one", 2, start=12))
    return raw(records)


WHOLE = session_bytes()


@settings(max_examples=count(40, 10))
@given(st.lists(st.integers(0, len(WHOLE)), min_size=1, max_size=4).map(sorted))
def test_growth_by_steps_is_the_same_as_at_once(cuts):
    """Wherever a transcript is cut, in the middle of a line too, later readings come to one and the same archive."""
    with tempfile.TemporaryDirectory() as folder:
        person = Path(folder)
        path = transcript(person, "one")
        for cut in [*cuts, len(WHOLE)]:
            write(path, WHOLE[:cut])
            sweep_into(person / "steps", person)
        sweep_into(person / "once", person)
        assert archive_of(person / "steps") == archive_of(person / "once")
        assert indexed(person / "steps") == indexed(person / "once")
        assert sweep_into(person / "steps", person).skipped_unchanged == 1


def test_a_copy_that_grows_is_counted_once(tmp_path):
    """A session that copied another, and grows, has at each step only what is its own."""
    first, own = talk("first", 3), talk("second", 4, start=5)
    copied = [{**record, "sessionId": "second"} for record in first]
    write(transcript(tmp_path, "first"), first, at=1_790_000_000)
    for grown in (0, 4, 8, 16):
        write(transcript(tmp_path, "second"), [*copied, *own[:grown]], at=1_790_000_100 + grown)
        sweep_into(tmp_path / "steps", tmp_path)
    sweep_into(tmp_path / "once", tmp_path)
    assert archive_of(tmp_path / "steps") == archive_of(tmp_path / "once")


@pytest.mark.skipif(not GROWTH, reason="HOLDFAST_TRANSCRIPTS names no folder of transcripts")
@pytest.mark.parametrize("folder", GROWTH, ids=lambda path: path.name[:24])
def test_real_growth_is_the_same_as_the_last_alone(folder, tmp_path):
    """The snapshots of a real session read in turn give the same archive as the last one alone."""
    agent, _, name = folder.name.partition("__")
    path = tmp_path / PLACES[agent].format(name)
    path.parent.mkdir(parents=True)
    snapshots = sorted(folder.iterdir())
    assert len(snapshots) > 1
    for snapshot in snapshots:
        shutil.copyfile(snapshot, path)
        assert sweep_into(tmp_path / "steps", tmp_path).problems == ()
    sweep_into(tmp_path / "once", tmp_path)
    steps, once = archive_of(tmp_path / "steps"), archive_of(tmp_path / "once")
    assert once
    assert {name: data for name, data in steps.items() if ".earlier." not in name} == once
