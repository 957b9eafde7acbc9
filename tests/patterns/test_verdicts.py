"""Decisions about patterns stick, also when a pattern comes back in slightly other words."""

from __future__ import annotations

import pytest

from holdfast.base.text import hash_of
from holdfast.errors import Refused
from holdfast.patterns.clusters import Pattern, Quote
from holdfast.patterns.verdicts import Decided

AT = "2026-11-01T10:00:00Z"
UNTIL = "2026-11-15T10:00:00Z"
NPM = "npm: missing script tst please run"


def pattern(signature: str, *, kind: str = "failed-command", project: str = "", sessions: int = 3, **more) -> Pattern:
    """Return a pattern with the id that it gets by its kind, its signature and the project that it is bound to."""
    name = hash_of(kind, signature, project, length=10)
    given = {
        "agents": ("codex",),
        "projects": (project or "a",),
        "signatures": (signature,),
        "bound": bool(project),
        **more,
    }
    names = tuple(f"codex/{name}-{number}" for number in range(sessions))
    quotes = (Quote(name, "codex", 1, signature, AT),)
    return Pattern(
        *(name, kind, signature, f"About {signature}", False, names),
        **{"domain": "", "cross_agent": False, "first": AT, "last": AT, "severity": 2, "evidence": quotes, **given},
    )


@pytest.fixture
def room(tmp_path) -> Decided:
    """No decision yet."""
    return Decided(str(tmp_path))


def test_a_rejected_one_does_not_come_back_in_near_words(room) -> None:
    """The pattern, and one whose signature drifted a little, are gone; another command is not."""
    room.add("rejected", pattern(NPM), AT, why="as it should be")
    drifted, other = pattern("npm: missing scripts tst please run"), pattern("make: no rule tst please run")
    assert drifted.id != pattern(NPM).id
    assert room.left([pattern(NPM), drifted, other], AT) == [other]
    assert room.verdict(drifted, AT).why == "as it should be"


def test_every_signature_of_a_rejected_one_sticks(room) -> None:
    """A signature that was only merged into the rejected pattern brings nothing back when it comes alone."""
    merged = "npm: lifecycle step aborted unexpectedly"
    room.add("rejected", pattern(NPM, signatures=(NPM, merged)), AT)
    assert room.left([pattern(merged)], AT) == []


def test_a_decision_is_of_its_kind(room) -> None:
    """The same words as another kind of signal wait on."""
    room.add("rejected", pattern(NPM), AT)
    other = pattern(NPM, kind="retry-loop")
    assert room.left([other], AT) == [other]


def test_what_is_bound_to_a_project_is_decided_for_that_project(room) -> None:
    """A file that may be changed often in one project may be a problem in another."""
    here, there = (pattern("'main.py'", kind="edit-churn", project=name) for name in ("shop", "blog"))
    room.add("rejected", here, AT)
    assert room.left([here, there], AT) == [there]


def test_a_snooze_ends(room) -> None:
    """Before its end the pattern is gone, from then on it waits again."""
    room.add("snoozed", pattern(NPM), AT, leads=UNTIL)
    assert room.left([pattern(NPM)], "2026-11-15T09:59:59Z") == []
    assert room.left([pattern(NPM)], UNTIL) == [pattern(NPM)]


def test_a_merged_one_is_a_part_of_the_other(room) -> None:
    """Sessions, agents and evidence count together, so that two agents make it cross-agent, and it ranks as such."""
    one, other = pattern(NPM, sessions=4), pattern("yarn: missing command tst", agents=("grok",))
    big = pattern("make: no rule", sessions=9)
    room.add("merged", one, AT, leads=other.id)
    left = room.left([big, one, other], AT)
    assert [each.id for each in left] == [other.id, big.id]
    assert (len(left[0].sessions), left[0].agents, left[0].cross_agent) == (7, ("codex", "grok"), True)
    assert left[0].evidence == (*other.evidence, *one.evidence)


def test_merges_lead_on(room) -> None:
    """What was merged into one that was merged on counts for the last."""
    first, second, third = pattern("aa: bb"), pattern("cc: dd"), pattern("ee: ff")
    room.add("merged", first, AT, leads=second.id)
    room.add("merged", second, AT, leads=third.id)
    assert [len(each.sessions) for each in room.left([first, second, third], AT)] == [9]


def test_nothing_vanishes_in_a_circle(room) -> None:
    """Lines that merge two patterns into each other hide neither."""
    one, other = pattern("aa: bb"), pattern("cc: dd")
    room.add("merged", one, AT, leads=other.id)
    room.add("merged", other, AT, leads=one.id)
    assert room.left([one, other], AT) == [one, other]


def test_what_was_merged_into_one_that_is_gone_stands_for_itself(room) -> None:
    """Unless that is in the catalogue: then it is told there."""
    one = pattern(NPM)
    room.add("merged", one, AT, leads="1a2b3c4d5e")
    assert room.left([one], AT) == [one]
    assert room.left([one], AT, ["1a2b3c4d5e"]) == []


def test_a_deleted_line_takes_the_decision_back(room, tmp_path) -> None:
    """The file is the person's: without its line the pattern waits again, and lines that say nothing do no harm."""
    room.add("rejected", pattern(NPM), AT)
    path = tmp_path / "patterns" / "decided.tsv"
    assert path.read_text().startswith("# act\tid\t")
    path.write_text("# mine\n\nrejected\tonly three\tparts\nperhaps\ta\tb\tc\td\te\tf\tg\n")
    assert room.left([pattern(NPM)], AT) == [pattern(NPM)]


def test_a_line_that_was_cut_short_does_not_swallow_the_next(room, tmp_path) -> None:
    """After a crash in the middle of a line the next decision stands on its own line."""
    room.add("rejected", pattern("aa: bb"), AT)
    path = tmp_path / "patterns" / "decided.tsv"
    path.write_bytes(path.read_bytes()[:-10])
    room.add("rejected", pattern(NPM), AT)
    assert room.left([pattern(NPM)], AT) == []


def test_secrets_and_line_breaks_do_not_reach_the_file(room, tmp_path) -> None:
    """A reason with a secret, tabs and line breaks stays one clean line."""
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    room.add("rejected", pattern(NPM), AT, why=f"see\t{secret}\nrejected\tx")
    text = (tmp_path / "patterns" / "decided.tsv").read_text()
    assert secret not in text
    assert len(text.splitlines()) == 2
    assert len(room.rows()) == 1


def test_a_link_is_not_written_through(room, tmp_path) -> None:
    """Where the folder is a link, nothing is written behind it."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "patterns").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Refused):
        room.add("rejected", pattern(NPM), AT)
    assert not list((tmp_path / "elsewhere").iterdir())
