"""Switched off: nothing is written anywhere, reads are empty, writes are refused."""

from __future__ import annotations

import pytest

READS = {
    "recall apples": '"hits": []',
    "related apples": '"related": []',
    "list": '"memories": []',
    "show apples": "{}",
    "history apples": "{}",
    "lint": '"problems": []',
    "status": '"enabled": false',
    "project": '"id"',
    "config": '"settings"',
    "doctor": '"problems"',
    "config get enabled": '"value": false',
    "sessions": '"sessions": []',
    "sessions cost": '"rows": []',
    "sessions search apples": '"hits": []',
    "timeline": '"days": []',
    "activity": '"changes": []',
    "todo --all": '"todos": []',
    "decide": '"decisions": []',
    "lesson": '"lessons": []',
    "measure": '"sessions": 0',
}
WRITES = [
    "up",
    "init",
    "init .",
    "remember Pears.",
    "edit apples",
    "forget apples --yes",
    "clear --scope global --yes",
    "pin apples",
    "unpin apples",
    "move apples --to global",
    "project alias old",
    "project merge old --yes",
    "project mark",
    "reindex",
    "tidy --yes",
    "heal --yes",
    "prune --yes",
    "doctor --fix",
    "config set recall.limit 3",
    "config unset recall.limit",
    "sessions pin x",
    "sessions unpin x",
    "sessions forget x --yes",
    "todo x",
    "todo done x",
    "todo reopen x",
    "todo remove x --yes",
    "decide x",
    "decide withdraw D1",
    "lesson x",
    "lesson withdraw L1",
]


@pytest.fixture(params=["file, a home", "variable, a home", "variable, no home"])
def off(request, cli, shop, home, monkeypatch, write):
    """Memory switched off, by file or by variable, with a home or without."""
    if request.param.endswith(" a home"):
        cli("remember", "Apples are crimson.", "--key", "apples")
        write("global/memories/new.md", "Seen by nobody yet.\n")
    if request.param.startswith("file"):
        cli("config", "set", "enabled", "false")
        write("global/memories/newer.md", "Seen by nobody yet.\n")
    else:
        monkeypatch.setenv("HOLDFAST_ENABLED", "false")
    return home


def test_reads_are_empty(off, cli, tree) -> None:
    """Every reading command ends with 0 and gives nothing, and not a byte of the home changes."""
    before = tree(off, index=True)
    for words, answer in READS.items():
        ended = cli(*words.split(), "--json")
        assert ended.code == 0 and answer in ended.out and "crimson" not in ended.out, words
        plain = cli(*words.split())
        assert plain.code == 0 and "Apples" not in plain.out
    assert "switched off" in cli("recall", "apples").err
    assert tree(off, index=True) == before


def test_writes_are_refused(off, cli, tree, shop, editor) -> None:
    """Every writing command ends with 6, says that memory is off and who says so, and changes nothing."""
    editor('echo more >> "$1"')
    before, project = tree(off, index=True), tree(shop)
    for words in WRITES:
        ended = cli(*words.split())
        assert ended.code == 6 and "switched off" in ended.err and ended.out == "", words
    assert tree(off, index=True) == before and tree(shop) == project


def test_a_read_says_whether_memory_is_off_or_the_session_sealed(cli, shop, monkeypatch) -> None:
    """Every command that finds nothing for that reason names it with the setting, and a preview shows nothing."""
    cli("remember", "Apples are crimson.", "--key", "apples")
    for name, said in (("HOLDFAST_SEALED", "session is sealed"), ("HOLDFAST_ENABLED", "emory is switched off")):
        with monkeypatch.context() as patched:
            patched.setenv(name, "1" if name == "HOLDFAST_SEALED" else "0")
            for words in ("recall apples", "status", "preview", "preview --prompt apples", "list"):
                ended = cli(*words.split())
                assert f"{said} ({name})" in ended.err and "crimson" not in ended.out, words
            assert f"{said} ({name})" in cli("doctor").out


def test_completion_writes_nothing_either(off, cli, tree, monkeypatch) -> None:
    """Completing a key while memory is off offers nothing and leaves the home alone."""
    from holdfast.surfaces.cli.main import cli as program
    from holdfast.surfaces.cli.options import complete_key

    before = tree(off, index=True)
    with program.make_context("holdfast", ["show", "x"], resilient_parsing=True) as ctx:
        assert complete_key(ctx, program.params[0], "") == []
    assert tree(off, index=True) == before


def test_it_can_be_switched_on_again(cli, shop) -> None:
    """The switch itself can always be set."""
    cli("config", "set", "enabled", "false")
    assert cli("remember", "Pears.").code == 6
    assert cli("config", "set", "enabled", "true").code == 0
    assert cli("remember", "Pears.").code == 0
