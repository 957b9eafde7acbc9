"""What uninstall and doctor know of distributed patterns, and what an import and a hook make of them."""

from __future__ import annotations

import os

import pytest

from holdfast import agents
from holdfast.app.doctor import doctor
from holdfast.language import failures
from holdfast.learning.fixes.session_failures import offers
from holdfast.parts import HookRun
from holdfast.patterns import catalogue_edit, distribute
from support.distributing import ID, approved, entry_of
from support.parts import keep

MISSING = 'npm error Missing script: "tst"'


@pytest.fixture
def hand_out(workspace):
    """Approve the pattern and distribute it."""

    def make(to: str = "rules", *names: str, scope: str = "project", **more) -> None:
        with workspace() as h:
            if ID not in [one.id for one in catalogue_edit.entries(h)[0]]:
                approved(h, **more)
            distribute.apply(h, distribute.plan(h, ID, to=to, names=names, scope=scope))

    return make


def found(workspace) -> list[str]:
    """Return what doctor says about distributed patterns."""
    with workspace() as h:
        return [problem.text for problem in doctor(h) if problem.kind == "distributed"]


def live(workspace) -> list[tuple[str, ...]]:
    """Return the readers of every place of the pattern."""
    with workspace() as h:
        return [one.agents for one in entry_of(h).live]


@pytest.mark.parametrize("name", ["claude-code", "codex", "gemini-cli", "kiro", "grok", "pi", "droid"])
@pytest.mark.parametrize(("to", "scope"), [("rules", "global"), ("skill", "project"), ("rules", "project")])
def test_uninstalling_an_agent_takes_its_share_out(cli, hand_out, workspace, machine, tree, name, to, scope) -> None:
    """Rules and skills that it alone reads go with it, byte for byte, and --verify proves it."""
    before = {path: what for path, what in tree(machine).items() if not path.startswith(".holdfast")}
    hand_out(to, name, scope=scope)
    kind = "user" if scope == "global" else "project"
    ended = cli("uninstall", name, "--scope", kind, "--yes", "--verify")
    assert ended.code == 0, ended
    assert {path: what for path, what in tree(machine).items() if not path.startswith(".holdfast")} == before
    assert live(workspace) == []
    assert found(workspace) == []


@pytest.mark.parametrize("to", ["rules", "skill"])
def test_what_is_erased_is_in_no_agents_file(cli, hand_out, workspace, home, shop, tree, to) -> None:
    """Blocks and skills lose an erased text with the catalogue, and the person's own lines around it stay."""
    (shop / "CLAUDE.md").write_bytes(b"# Ours\n")
    hand_out(to, "claude-code", "kiro")
    assert [path for path, what in tree(shop).items() if b"npm test" in bytes(what[1] or b"")]
    assert cli("erase", "--yes", stdin="npm test").code == 0
    left = [path for folder in (shop, home) for path in folder.rglob("*") if path.is_file()]
    assert [path for path in left if b"npm test" in path.read_bytes()] == []
    assert (shop / "CLAUDE.md").read_bytes().startswith(b"# Ours\n")


def test_a_shared_block_stays_for_the_others(cli, hand_out, workspace, shop) -> None:
    """When one of two readers is uninstalled the block stays, is not its business, and goes with the last one."""
    (shop / "AGENTS.md").write_bytes(b"# Ours\n")
    hand_out("rules", "codex", "grok")
    assert cli("uninstall", "codex", "--scope", "project", "--yes", "--verify").code == 0
    assert (live(workspace), "npm test" in (shop / "AGENTS.md").read_text()) == ([("grok",)], True)
    assert cli("uninstall", "grok", "--scope", "project", "--yes", "--verify").code == 0
    assert (live(workspace), (shop / "AGENTS.md").read_bytes()) == ([], b"# Ours\n")


def test_the_other_scope_is_no_business_of_an_uninstall(cli, hand_out, workspace, shop) -> None:
    """An uninstall for the person leaves what stands in a project."""
    hand_out("rules", "codex")
    assert cli("uninstall", "codex", "--yes", "--verify").code == 0
    assert live(workspace) == [("codex",)]


def test_verify_finds_what_is_left(cli, hand_out, workspace, shop) -> None:
    """A block with words of the person's is kept by an uninstall, named by --verify, and stays in the record."""
    hand_out("rules", "codex")
    text = (shop / "AGENTS.md").read_text()
    (shop / "AGENTS.md").write_text(text.replace("npm test", "yarn test"), encoding="utf-8")
    ended = cli("uninstall", "codex", "--scope", "project", "--yes", "--verify")
    assert (ended.code, f"pattern {ID}" in ended.out) == (1, True)
    assert "yarn test" in (shop / "AGENTS.md").read_text()
    assert live(workspace) == [("codex",)]


def test_an_uninstall_does_not_write_through_a_link(cli, hand_out, workspace, shop, machine) -> None:
    """A file that was replaced by a link to one of the person's is left alone, and stays in the record."""
    hand_out("rules", "codex")
    text = (shop / "AGENTS.md").read_bytes()
    (machine / "mine.md").write_bytes(text)
    (shop / "AGENTS.md").unlink()
    (shop / "AGENTS.md").symlink_to(machine / "mine.md")
    cli("uninstall", "codex", "--scope", "project", "--yes")
    assert ((machine / "mine.md").read_bytes(), live(workspace)) == (text, [("codex",)])


def test_verify_finds_a_block_that_no_entry_knows(cli, hand_out, workspace, home, shop) -> None:
    """A block from another home counts as left, and doctor names it."""
    hand_out("rules", "codex")
    (home / "patterns" / f"{ID}.md").unlink()
    assert cli("uninstall", "codex", "--scope", "project", "--yes", "--verify").code == 1
    assert found(workspace) == [f"a block of pattern {ID} that no entry knows"]


def test_doctor_tells_of_an_entry_that_cannot_be_read(hand_out, workspace, home, shop) -> None:
    """The file is named, and its block is not taken for one that nobody knows."""
    hand_out("rules", "codex")
    (home / "patterns" / f"{ID}.md").write_text("nonsense\n")
    with workspace() as h:
        told = [(one.kind, one.path) for one in doctor(h) if one.severity == "error"]
    assert told == [("pattern", f"patterns/{ID}.md")]
    assert found(workspace) == []


def test_doctor_tells_how_each_place_stands(hand_out, workspace, shop) -> None:
    """As it should be, old, edited and gone are told apart."""
    hand_out("rules", "codex")
    assert found(workspace) == []
    with workspace() as h:
        catalogue_edit.revise(h, ID, statement="Use `make test`.")
    assert found(workspace) == [f"pattern {ID} stands there in earlier words"]
    with workspace() as h:
        distribute.apply(h, distribute.plan(h, ID))
    assert found(workspace) == []
    text = (shop / "AGENTS.md").read_text()
    (shop / "AGENTS.md").write_text(text.replace("make test", "make it"), encoding="utf-8")
    assert found(workspace) == [f"the text of pattern {ID} was edited by hand"]
    (shop / "AGENTS.md").unlink()
    assert found(workspace) == [f"pattern {ID} is no longer there"]


@pytest.mark.parametrize("to", ["memory", "lesson", "warning"])
def test_doctor_looks_after_the_other_forms(hand_out, workspace, to) -> None:
    """A form whose words are old is told, and none that is as it should be."""
    hand_out(to)
    assert found(workspace) == []
    with workspace() as h:
        catalogue_edit.revise(h, ID, statement="Use `make test`.")
    assert found(workspace) == [f"pattern {ID} stands there in earlier words"]


def test_an_import_does_not_take_our_words_for_the_persons(cli, hand_out, shop) -> None:
    """What we wrote into an instruction file does not come back as a memory; what stands around it does."""
    (shop / "AGENTS.md").write_bytes(b"# Ours\n\nDeploy on Fridays only with the pager at hand.\n")
    hand_out("rules", "codex")
    told = cli("import", "codex", "--dry-run", "--json")
    assert (told.code, "Fridays" in told.out, "npm test" in told.out) == (0, True, False)


@pytest.fixture
def prompt(home, shop):
    """Let npm fail in a session of an agent, and return what its next prompt is offered."""

    def make(session: str, folder=shop) -> list[str]:
        adapter = agents.get("claude-code")

        def run(native: str, **fields: object) -> HookRun:
            data = {"session_id": session, "cwd": str(folder), **fields}
            return HookRun(str(home), adapter, adapter.read_hook_input(native, data, {}), dict(os.environ))

        given = {"tool_name": "Bash", "tool_input": {"command": "npm run tst"}, "error": MISSING}
        keep(run("PostToolUseFailure", **given))
        return offers(run("UserPromptSubmit", prompt="go on"))

    return make


def test_a_warning_comes_with_its_failure(hand_out, workspace, prompt, repository) -> None:
    """After the failure the next prompt brings the warning, once a session, in its project, until it is withdrawn."""
    mark = failures.fingerprint("npm run tst", failures.error_line(MISSING))
    hand_out("warning", fingerprints=(mark,))
    (line,) = prompt("s1")
    assert line.startswith("npm tst is no script: Use `npm test`")
    assert prompt("s1") == []
    assert prompt("s2", repository("other")) == []
    with workspace() as h:
        distribute.withdraw(h, distribute.plan_withdrawal(h, ID))
    assert prompt("s3") == []
    hand_out("warning", scope="global")
    assert len(prompt("s4", repository("third"))) == 1
