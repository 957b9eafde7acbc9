"""The byte budget: each pass, its order and reasons, what stays whatever happens; a kill half-way is harmless."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.records import Session, SessionEvent, replace
from holdfast.sessions.archive import Archive, ArchiveEntry, Usage
from holdfast.sessions.budget import PASSES, Caps, Loss, keep_within, plan, sized
from holdfast.sessions.digest import digest

NOW = "2026-06-30T00:00:00Z"


def entry(id: str, day: str = "01", size: int = 100, **facts: object) -> ArchiveEntry:
    """Return an analysed session that ended on a day of June."""
    name = f"some-agent/{id}"
    given = ArchiveEntry(name, "some-agent", id, size, 10, analysed=True, at=f"2026-06-{day}T12:00:00.000Z")
    return replace(given, **facts)


def went(made) -> list[tuple[str, str]]:
    """Return pass and id of each step."""
    return [(step.act, step.target.partition("/")[2]) for step in made.steps]


def test_within_its_caps_nothing_goes() -> None:
    """An archive at its caps to the byte is left alone, and so is an empty one."""
    entries = [entry("a"), entry("b", analysed=False)]
    made = plan(entries, Caps(soft=200, hard=200, days=30, distilled=20), NOW)
    assert made.steps == ()
    assert (made.freed, made.alert, made.data_loss) == (0, "", ())
    assert made.usage_before == made.usage_after == Usage(200, 20)
    assert plan([], Caps(1, 1, 1, 1), NOW).steps == ()


def test_without_caps_nothing_goes() -> None:
    """A cap of 0 is no cap."""
    assert plan([entry("a", size=10**15, at="1999-01-01T00:00:00.000Z")], Caps(), NOW).steps == ()


def test_age_takes_what_is_analysed_and_old() -> None:
    """The first pass takes analysed sessions over the age, however little they take, oldest first."""
    entries = [entry("new", "25"), entry("old", "02"), entry("older", "01"), entry("raw", "01", analysed=False)]
    made = plan(entries, Caps(days=10), NOW)
    assert went(made) == [("age", "older"), ("age", "old")]
    assert made.steps[0].reason == "older than 10 days; ended 2026-06-01"
    assert (made.freed, made.usage_after.raw) == (200, 200)


def test_the_age_is_counted_to_the_moment() -> None:
    """A session goes a moment after its last day, not before."""
    entries = [entry("a", at="2026-06-20T00:00:00.000Z"), entry("b", at="2026-06-19T23:59:59.999Z")]
    assert went(plan(entries, Caps(days=10), NOW)) == [("age", "b")]
    assert went(plan(entries, Caps(days=10), "2026-06-30T02:00:00+02:00")) == [("age", "b")]


def test_the_soft_cap_takes_the_oldest_analysed() -> None:
    """Over the soft cap analysed sessions go, oldest first, until it is met; others stay though they are older."""
    entries = [entry(day, day) for day in ("05", "03", "04")] + [entry("raw", "01", analysed=False)]
    made = plan(entries, Caps(soft=250, hard=1_000), NOW)
    assert went(made) == [("soft", "03"), ("soft", "04")]
    assert made.usage_after == Usage(200, 40)
    assert made.alert == ""


def test_what_cannot_meet_the_soft_cap_stays() -> None:
    """The soft cap never takes what was not analysed, even where it is not met then."""
    made = plan([entry("a", analysed=False, size=900)], Caps(soft=100, hard=1_000), NOW)
    assert made.steps == ()
    assert made.alert == ""


def test_the_hard_cap_takes_analysed_ones_first() -> None:
    """Over the hard cap analysed sessions go before any other; then, oldest first, what is left, as data loss."""
    entries = [
        *(entry("u1", "01", analysed=False), entry("u2", "02", analysed=False), entry("u3", "03", analysed=False)),
        *(entry("a1", "04"), entry("a2", "05")),
    ]
    made = plan(entries, Caps(hard=150), NOW)
    assert went(made) == [
        *(("hard-analysed", "a1"), ("hard-analysed", "a2"), ("hard-unanalysed", "u1"), ("hard-unanalysed", "u2")),
    ]
    assert made.passes == {"age": 0, "soft": 0, "hard-analysed": 2, "hard-unanalysed": 2}
    assert made.data_loss == (
        Loss("some-agent/u1", 100, "2026-06-01T12:00:00.000Z"),
        Loss("some-agent/u2", 100, "2026-06-02T12:00:00.000Z"),
    )
    assert "no digest" in made.steps[-1].reason
    assert made.usage_after.raw == 100


def test_all_passes_come_in_their_order() -> None:
    """Age goes before soft, soft before hard, and a session goes only once."""
    entries = [entry("old", "01"), entry("mid", "20"), entry("new", "28"), entry("raw", "02", 500, analysed=False)]
    made = plan(entries, Caps(soft=610, hard=300, days=15), NOW)
    assert went(made) == [("age", "old"), ("soft", "mid"), ("hard-analysed", "new"), ("hard-unanalysed", "raw")]
    assert made.freed == 800


def test_pinned_sessions_stay_in_every_pass() -> None:
    """Neither age nor any cap takes a pinned session; where the hard cap cannot be met, the plan says why."""
    entries = [entry("a", pinned=True), entry("b", pinned=True, analysed=False), entry("c"), entry("d", analysed=False)]
    made = plan(entries, Caps(soft=1, hard=50, days=1), NOW)
    assert went(made) == [("age", "c"), ("hard-unanalysed", "d")]
    assert made.usage_after.raw == 200
    assert "the 2 that are left are pinned" in made.alert
    assert "archive.raw_hard_cap_bytes" in made.alert


def test_digests_over_their_cap_only_alert() -> None:
    """Digests are never dropped: over their cap there is an alert, and no step."""
    made = plan([entry("a", digest_bytes=3 * 2**20, raw_bytes=0)], Caps(1, 1, 1, 2 * 2**20), NOW)
    assert made.steps == ()
    assert "digests take 3 MiB, over archive.distilled_cap_bytes (2 MiB)" in made.alert


ENTRIES = st.lists(
    st.builds(
        lambda number, day, size, analysed, pinned: entry(
            f"{number}", f"{day:02}", size, analysed=analysed, pinned=pinned
        ),
        *(st.integers(0, 99), st.integers(1, 28), st.integers(0, 500), st.booleans(), st.booleans()),
    ),
    max_size=25,
    unique_by=lambda one: one.name,
)
CAPS = st.builds(Caps, *(st.integers(0, 2_000) for _ in range(2)), st.integers(0, 40), st.integers(0, 200))


@given(ENTRIES, CAPS)
def test_promises_hold_for_any_archive(entries: list[ArchiveEntry], caps: Caps) -> None:
    """No pinned one goes, none unanalysed while an analysed one is left, and the hard cap is met if it can be."""
    made = plan(entries, caps, NOW)
    by_name = {one.name: one for one in entries}
    gone = [by_name[step.target] for step in made.steps]
    left = [one for one in entries if one not in gone and one.raw_bytes]
    assert len({one.name for one in gone}) == len(gone)
    assert not any(one.pinned for one in gone)
    assert made.freed == sum(one.raw_bytes for one in gone) == made.usage_before.raw - made.usage_after.raw
    acts = [step.act for step in made.steps]
    assert acts == sorted(acts, key=PASSES.index)
    if made.data_loss:
        assert [loss.name for loss in made.data_loss] == [one.name for one in gone if not one.analysed]
        assert not any(one.analysed and not one.pinned for one in left)
    else:
        assert all(one.analysed for one in gone)
    if caps.hard and any(not one.pinned for one in left):
        assert made.usage_after.raw <= caps.hard
    assert bool(caps.hard and made.usage_after.raw > caps.hard) == ("hard cap" in made.alert)


@given(ENTRIES, CAPS)
def test_no_step_was_needless(entries: list[ArchiveEntry], caps: Caps) -> None:
    """Before each step of a cap its cap was not met, and within a pass the older go first."""
    made = plan(entries, caps, NOW)
    by_name = {one.name: one for one in entries}
    usage, before = made.usage_before.raw, ("", "", "")
    for step in made.steps:
        one = by_name[step.target]
        assert step.size == one.raw_bytes > 0
        assert usage > {"age": -1, "soft": caps.soft}.get(step.act, caps.hard)
        assert (step.act, one.at, one.name) > before or step.act != before[0]
        usage, before = usage - step.size, (step.act, one.at, one.name)


@given(ENTRIES, CAPS)
def test_a_plan_that_was_carried_out_leaves_nothing_to_do(entries: list[ArchiveEntry], caps: Caps) -> None:
    """What is left after a plan is within the caps: a second plan is empty, whatever the order of the entries."""
    made = plan(entries, caps, NOW)
    gone = {step.target for step in made.steps}
    left = [replace(one, raw_bytes=0 if one.name in gone else one.raw_bytes) for one in entries]
    assert plan(left, caps, NOW).steps == ()
    assert plan(entries[::-1], caps, NOW) == made


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 bytes"),
        (1_023, "1023 bytes"),
        (2_048, "2 KiB"),
        (1_600, "1.6 KiB"),
        (2**32, "4 GiB"),
        (2**52, "4096 TiB"),
    ],
)
def test_bytes_as_people_read_them(count: int, text: str) -> None:
    """A number of bytes is told in the unit that fits."""
    assert sized(count) == text


def fill(archive: Archive, count: int, digests: bool = True) -> None:
    """Store sessions s-00, s-01 ... that ended on one day after the other, each with its digest."""
    for number in range(count):
        session = Session("some-agent", f"s-{number:02}", ended=f"2026-01-{number % 28 + 1:02}T00:00:00.000Z")
        event = SessionEvent(0, "human", "x" * 50)
        with archive.writing("some-agent") as writer:
            writer.add(event)
            writer.keep(session)
        if digests:
            archive.put_digest(digest(session, [event]))


def spoil(path: Path) -> None:
    """Damage a file as a bad disk does: its size and its time stay."""
    status = path.stat()
    path.write_bytes(b"x" * status.st_size)
    os.utime(path, ns=(status.st_mtime_ns, status.st_mtime_ns))


def test_what_is_applied_is_what_was_planned(home: Path) -> None:
    """Raw files go as planned, digests stay, and the usage is the one that was foretold."""
    archive = Archive(str(home))
    fill(archive, 10)
    one = archive.entries()[0].raw_bytes
    archive.pin("some-agent/s-00")
    done, problems = keep_within(archive, Caps(soft=6 * one + 50), NOW)
    assert went(done) == [("soft", f"s-0{number}") for number in range(1, 5)]
    assert problems == ()
    assert archive.usage() == done.usage_after
    assert len(list(archive.digests())) == 10
    assert keep_within(archive, Caps(soft=6 * one + 50), NOW)[0].steps == ()


def test_no_raw_file_goes_before_its_digest_can_be_read(home: Path) -> None:
    """A session whose digest turns out broken keeps its raw file, and the problem is told."""
    archive = Archive(str(home))
    fill(archive, 3)
    spoil(home / "archive" / "digests" / "some-agent" / "s-00.json")
    assert all(one.analysed for one in archive.entries())
    done, problems = keep_within(archive, Caps(soft=1), NOW)
    assert went(done) == [("soft", "s-01"), ("soft", "s-02")]
    assert [Path(problem.path).name for problem in problems] == ["s-00.json"]
    assert archive.has_raw("some-agent/s-00")
    assert done.usage_after == archive.usage()


def test_the_hard_cap_holds_with_broken_digests_too(home: Path) -> None:
    """Where only sessions with broken digests are left over the hard cap, they go in the last pass, as data loss."""
    archive = Archive(str(home))
    fill(archive, 3)
    for path in (home / "archive" / "digests" / "some-agent").iterdir():
        spoil(path)
    one = archive.entries()[0].raw_bytes + 50
    done, problems = keep_within(archive, Caps(hard=one), NOW)
    assert went(done) == [("hard-unanalysed", "s-00"), ("hard-unanalysed", "s-01")]
    assert [loss.name for loss in done.data_loss] == ["some-agent/s-00", "some-agent/s-01"]
    assert len(problems) == 3
    assert archive.usage().raw == done.usage_after.raw <= one


def test_the_hard_cap_without_digests_is_a_reported_loss(home: Path) -> None:
    """Sessions that were never analysed go only over the hard cap, and names, bytes and times are told."""
    archive = Archive(str(home))
    fill(archive, 4, digests=False)
    one = archive.entries()[0].raw_bytes
    assert keep_within(archive, Caps(soft=1, hard=4 * one + 50, days=1), NOW)[0].steps == ()
    done, _ = keep_within(archive, Caps(hard=3 * one + 50), NOW)
    assert done.data_loss == (Loss("some-agent/s-00", one, "2026-01-01T00:00:00.000Z"),)
    assert [one.id for one in archive.entries()] == ["s-01", "s-02", "s-03"]


APPLIER = """
import os, sys
from holdfast.sessions import archive as module
from holdfast.sessions.budget import Caps, keep_within
archive = module.Archive(sys.argv[1])
drop = archive.drop_raw
def slowly(name):
    drop(name)
    os.write(1, b"dropped\\n")
    sys.stdin.readline()
archive.drop_raw = slowly
keep_within(archive, Caps(soft=int(sys.argv[2])), "2026-06-30T00:00:00Z")
"""


@pytest.mark.parametrize("steps", [1, 3])
def test_a_kill_between_two_steps_is_made_up_for(home: Path, steps: int) -> None:
    """A process that is killed in the middle leaves whole files, and the next run does the rest, no more."""
    archive = Archive(str(home))
    fill(archive, 8)
    cap = 2 * archive.entries()[0].raw_bytes + 50
    command = [sys.executable, "-c", APPLIER, str(home), str(cap)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        for turn in range(steps):
            assert child.stdout.readline() == "dropped\n"
            if turn < steps - 1:
                child.stdin.write("\n")
                child.stdin.flush()
        child.kill()
    left = [one for one in archive.entries() if one.raw_bytes]
    assert [one.id for one in left] == [f"s-{number:02}" for number in range(steps, 8)]
    assert all(archive.events(one.name).problem is None for one in left)
    done, problems = keep_within(archive, Caps(soft=cap), NOW)
    assert [id for _, id in went(done)] == [f"s-{number:02}" for number in range(steps, 6)]
    assert problems == ()
    assert len(list(archive.digests())) == 8
