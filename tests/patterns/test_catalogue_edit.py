"""Looking after the catalogue: words change by versions, and every version can be compared and come back to."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from holdfast.app.forget import forget as forget_session
from holdfast.errors import BadInput, BrokenFile, Conflict, NotFound, Refused, SwitchedOff
from holdfast.patterns import catalogue_edit
from holdfast.patterns import review as pattern_review
from holdfast.patterns.catalogue import Catalogue
from holdfast.patterns.catalogue_file import Target
from support.signalled import MAKE, NPM, PYTEST, three

AT = "2026-11-01T10:00:00Z"


@pytest.fixture
def entry(workspace, home):
    """An approved pattern beside two that wait."""
    three(home, NPM, PYTEST, MAKE)
    with workspace() as h:
        name = next(one.id for one in pattern_review.waiting(h) if one.signature == NPM)
        return pattern_review.approve(h, name, statement="Use `npm test`.", owner="kim")


@pytest.fixture
def editor(monkeypatch, tmp_path):
    """Let the editor replace one text by another."""

    def make(old: str, new: str, *, also: str = "") -> None:
        script = tmp_path / "editor.py"
        script.write_text(
            f"import sys; p = sys.argv[1]; t = open(p).read(); open(p, 'w').write(t.replace({old!r}, {new!r}))\n{also}"
        )
        monkeypatch.setenv("EDITOR", f"{sys.executable} {script}")

    return make


def test_show_tells_all_that_is_known(workspace, entry) -> None:
    """Of an approved one pattern and entry, of a rejected one the decision, of an unknown one nothing."""
    with workspace() as h:
        shown = catalogue_edit.show(h, entry.id[:5])
        assert (shown.entry, len(shown.pattern.sessions), shown.decision) == (entry, 3, None)
        other = next(one.id for one in pattern_review.waiting(h) if one.signature == MAKE)
        pattern_review.reject(h, other, reason="it is so")
        shown = catalogue_edit.show(h, other)
        assert (shown.entry, shown.decision.act, shown.decision.why) == (None, "rejected", "it is so")
        with pytest.raises(NotFound):
            catalogue_edit.show(h, "zzzz")


def test_words_and_owner_can_be_set(workspace, entry) -> None:
    """The next version has them, and where agents read the old words that is said."""
    with workspace() as h:
        after = catalogue_edit.revise(h, entry.id, statement="Use `npm run test`.", owner="ada")
        assert (after.statement, after.owner, after.version) == ("Use `npm run test`.", "ada", 2)
        assert after.change == "edited: statement, owner"
        assert workspace.said == []
        room = Catalogue(h.home)
        room.change(after, "distributed", AT, targets=(Target("memory", "k", at=AT),))
        catalogue_edit.revise(h, entry.id, title="Other")
        assert any("what it said before" in text for text in workspace.said)


def test_an_edit_becomes_a_version(workspace, entry, editor) -> None:
    """What the editor leaves is the next version; leaving the text alone is none."""
    editor("Use `npm test`.", "Run it with npm test.")
    with workspace() as h:
        after, changed = catalogue_edit.edit(h, entry.id)
        assert (after.statement, after.version, changed) == ("Run it with npm test.", 2, True)
        editor("nothing", "nothing")
        assert catalogue_edit.edit(h, entry.id) == (after, False)


def test_an_edit_that_breaks_the_file_is_refused(workspace, entry, editor) -> None:
    """The entry stays, and what the person wrote is kept aside."""
    editor("status: approved", "status: perhaps")
    with workspace() as h:
        with pytest.raises(BrokenFile) as told:
            catalogue_edit.edit(h, entry.id)
        assert Catalogue(h.home).get(entry.id) == entry
    kept = told.value.hint.removeprefix("What you wrote is in ").rstrip(".")
    assert "status: perhaps" in Path(kept).read_text()
    os.remove(kept)


def test_an_edit_while_somebody_else_changes_the_file_is_refused(workspace, entry, editor, home) -> None:
    """Nothing of the other change is lost."""
    path = home / "patterns" / f"{entry.id}.md"
    editor("Use", "Please use", also=f"open({str(path)!r}, 'a').write('\\n## Notes\\n\\nQuicker.\\n')")
    with workspace() as h, pytest.raises(Conflict) as told:
        catalogue_edit.edit(h, entry.id)
    assert "Quicker." in path.read_text()
    os.remove(told.value.hint.removeprefix("What you wrote is in ").rstrip("."))


def test_an_edit_is_redacted(workspace, entry, editor, home) -> None:
    """A secret that was written in the editor does not reach the catalogue, and its kind is said."""
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    editor("Use `npm test`.", f"Use {secret}.")
    with workspace() as h:
        catalogue_edit.edit(h, entry.id)
    assert not [path for path in (home / "patterns").rglob("*.*") if secret in path.read_text()]
    assert any(text.startswith("redacted") for text in workspace.said)


def test_diff_is_of_the_last_two_unless_told(workspace, entry) -> None:
    """Without numbers the last two, with one that and the last, with two those."""
    with workspace() as h:
        assert catalogue_edit.diff(h, entry.id)[1:] == (1, 1, "")
        for words in ("Second.", "Third."):
            catalogue_edit.revise(h, entry.id, statement=words)
        assert catalogue_edit.diff(h, entry.id)[1:3] == (2, 3)
        name, old, new, text = catalogue_edit.diff(h, entry.id[:4], 1)
        assert (name, old, new) == (entry.id, 1, 3)
        assert "-Use `npm test`." in text.split("\n")
        assert "+Third." not in catalogue_edit.diff(h, entry.id, 1, 2)[3]


def test_rollback_brings_the_words_back(workspace, entry) -> None:
    """They hold as a new version, and the history tells of it."""
    with workspace() as h:
        catalogue_edit.revise(h, entry.id, statement="Wrong.")
        assert catalogue_edit.rollback(h, entry.id, 1).statement == "Use `npm test`."
        changes = [one.change for one in catalogue_edit.history(h, entry.id)[1]]
    assert changes == ["approved", "edited: statement", "rolled back to 1"]


def test_rollback_undoes_retiring_but_not_a_rejection(workspace, entry) -> None:
    """To be approved again what was rejected needs a person who takes that back."""
    with workspace() as h:
        catalogue_edit.retire(h, entry.id)
        assert catalogue_edit.rollback(h, entry.id, 1).status == "approved"
        pattern_review.reject(h, entry.id)
        with pytest.raises(Refused, match="rejected"):
            catalogue_edit.rollback(h, entry.id, 1)
        assert Catalogue(h.home).get(entry.id).status == "retired"


def test_a_retired_one_stays_and_can_be_approved_again(workspace, entry) -> None:
    """Retiring keeps the reason in the history; what agents still read is withdrawn first."""
    with workspace() as h:
        retired = catalogue_edit.retire(h, entry.id, reason="no effect seen")
        assert (retired.status, retired.change) == ("retired", "retired: no effect seen")
        assert entry.id not in [one.id for one in pattern_review.waiting(h)]
        again = pattern_review.approve(h, entry.id)
        assert (again.status, again.statement) == ("approved", "Use `npm test`.")
        Catalogue(h.home).change(again, "distributed", AT, targets=(Target("memory", "k", at=AT),))
        with pytest.raises(Refused):
            catalogue_edit.retire(h, entry.id)


def test_a_broken_file_is_told_and_hides_no_other(workspace, entry, home) -> None:
    """The others are listed, and the problem names the file."""
    (home / "patterns" / "0000000000.md").write_text("no front matter\n")
    with workspace() as h:
        found, problems = catalogue_edit.entries(h)
    assert ([one.id for one in found], [one.path for one in problems]) == ([entry.id], ["patterns/0000000000.md"])


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("status: approved", "status: perhaps", "status: perhaps", "'perhaps' is not a status; it is one of approved"),
        ("\nstatus: approved", "", "---", "it has no status"),
        ("kind: failed-command", "kind: [", "kind: [", "the value of kind is not a plain value"),
    ],
)
def test_a_broken_entry_names_its_line_and_the_way_out(cli, entry, home, old, new, line, said) -> None:
    """Whoever asks is told the file, the line, what is wrong there and how to mend it."""
    path = home / "patterns" / f"{entry.id}.md"
    path.write_text(path.read_text().replace(old, new, 1))
    number = path.read_text().split("\n").index(line) + 1
    for words in (("patterns", "catalogue"), ("patterns",), ("patterns", "show", entry.id)):
        told = cli(*words).err
        assert f"patterns/{entry.id}.md:{number}: {said}" in told, words
        assert f"holdfast patterns history {entry.id}" in told


def test_an_entry_without_words_is_broken(workspace, entry, home) -> None:
    """The line is the first behind the front matter."""
    path = home / "patterns" / f"{entry.id}.md"
    head = path.read_text().partition("\n---\n")[0]
    path.write_text(f"{head}\n---\n\n# A title alone\n")
    with workspace() as h:
        ((problem,),) = catalogue_edit.entries(h)[1:]
    assert (problem.line, problem.text) == (head.count("\n") + 3, "it has no text that agents could be told")


def test_a_line_of_decisions_that_is_broken_is_told(cli, workspace, entry, home) -> None:
    """It decides nothing, so the report, show and doctor name file, line and the way out; the other lines hold."""
    with workspace() as h:
        one, other = (one.id for one in pattern_review.waiting(h))
        pattern_review.reject(h, one, reason="it is so")
        pattern_review.reject(h, other)
    path = home / "patterns" / "decided.tsv"
    path.write_text(path.read_text().replace("rejected", "rejcted", 1) + "\nhalf a line\n")
    for words in (("patterns",), ("patterns", "show", one), ("doctor",)):
        ended = cli(*words)
        told = ended.out + ended.err
        for place, why in (("2", "'rejcted' is not one of rejected, merged, snoozed"), ("5", "it has 1 field")):
            assert f"patterns/decided.tsv:{place}" in told and f"it decides nothing: {why}" in told, words
        assert "holdfast patterns review" in told
    with workspace() as h:
        assert [each.id for each in pattern_review.waiting(h)] == [one]
        with pytest.raises(Refused) as refused:
            pattern_review.approve(h, other)
    assert refused.value.hint == f"To decide again, delete its lines in {path}: 3."


def test_forgetting_a_session_takes_its_quotes(workspace, entry) -> None:
    """After the session is forgotten no version of an entry quotes it."""
    with workspace() as h:
        forget_session(h, "grok/s1")
        room = Catalogue(h.home)
        assert {one.session for one in room.get(entry.id).evidence} == {"s0", "s2"}
        assert "s1" not in room.version(entry.id, 1).text


def test_the_command_line_walks_the_whole_way(cli, workspace, entry, home) -> None:
    """Approve, merge, reject, snooze, edit, look back and roll back, each by its command and as JSON."""
    waiting = {one["signature"]: one["id"] for one in cli("patterns", "review", "--json").json["waiting"]}
    assert sorted(waiting) == [MAKE, PYTEST]
    assert cli("patterns", "merge", waiting[PYTEST], entry.id, "--json").json["decisions"][0]["leads"] == entry.id
    assert cli("patterns", "snooze", waiting[MAKE], "--days", "3").out.startswith("snoozed  ")
    assert cli("patterns", "reject", waiting[MAKE], "--reason", "so", "--json").json["decisions"][0]["why"] == "so"
    assert cli("patterns", "review", "--json").json == {"waiting": []}
    assert cli("patterns", "edit", entry.id, "--statement", "Third.", "--json").json["version"] == 3
    assert [one["number"] for one in cli("patterns", "history", entry.id, "--json").json["versions"]] == [1, 2, 3]
    assert "+Third." in cli("patterns", "diff", entry.id).out
    assert cli("patterns", "rollback", entry.id, "1").out.startswith("rolled back  ")
    shown = cli("patterns", "show", entry.id).out
    assert "codex/s0:7  it said npm" in shown
    (listed,) = cli("patterns", "catalogue", "--json").json["catalogue"]
    assert (listed["statement"], listed["version"], listed["owner"]) == ("Use `npm test`.", 4, "kim")
    assert cli("patterns", "review").code == BadInput.exit_code
    assert cli("patterns", "rollback", entry.id, "9").code == NotFound.exit_code


def test_the_report_leaves_out_what_was_rejected_or_is_snoozed(cli, workspace, entry) -> None:
    """What was approved still recurs and is told; a rejected and a snoozed one are not."""
    waiting = [one["id"] for one in cli("patterns", "review", "--json").json["waiting"]]
    assert {one["id"] for one in cli("patterns", "--json").json["patterns"]} == {entry.id, *waiting}
    cli("patterns", "reject", waiting[0])
    cli("patterns", "snooze", waiting[1])
    assert [one["id"] for one in cli("patterns", "--json").json["patterns"]] == [entry.id]


def test_a_review_of_one_project_asks_about_that(cli, workspace, entry, home) -> None:
    """`--project` leaves out what happened elsewhere."""
    three(home, "cargo: linker cc not found", name="x", project="blog")
    waiting = cli("patterns", "review", "--project", "blog", "--json").json["waiting"]
    assert [one["signature"] for one in waiting] == ["cargo: linker cc not found"]


def test_reads_are_empty_and_writes_are_refused_while_memory_is_off(
    cli, workspace, entry, tree, home, monkeypatch
) -> None:
    """Switched off, nothing of the catalogue is told, and not a byte changes."""
    monkeypatch.setenv("HOLDFAST_ENABLED", "false")
    before = tree(home)
    for words in ("show", "history", "diff"):
        assert cli("patterns", words, entry.id, "--json").json == {}
    assert cli("patterns", "catalogue", "--json").json == {"catalogue": [], "problems": []}
    for words in ("approve", "edit --title x", "reject", "snooze", "retire", "rollback 1", "merge 1a"):
        command, *more = words.split()
        assert cli("patterns", command, entry.id, *more).code == SwitchedOff.exit_code, words
    assert tree(home) == before


@pytest.mark.parametrize("words", ["show", "approve", "edit", "reject", "snooze", "retire", "history", "diff"])
def test_where_there_is_no_home_none_is_made(cli, home, words) -> None:
    """A pattern that nobody knows is not found, and looking for it leaves nothing behind."""
    assert cli("patterns", words, "1a2b").code == NotFound.exit_code
    assert cli("patterns", "catalogue").code == 0
    assert not home.exists()


def test_what_is_printed_cannot_steer_the_terminal(cli, workspace, home) -> None:
    """Control characters of a quote are not printed as such."""
    three(home, NPM, text="\x1b[2J\x07evil")
    with workspace() as h:
        name = pattern_review.waiting(h)[0].id
    out = cli("patterns", "show", name).out + cli("patterns", "approve", name).out + cli("patterns", "show", name).out
    assert "evil" in out
    assert "\x1b[2J" not in out
    assert "\x07" not in out
