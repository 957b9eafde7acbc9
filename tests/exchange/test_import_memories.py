"""Importing what agents know themselves: each statement is proposed once, with its source, and nothing else is."""

from __future__ import annotations

import os
import random
import string

import pytest

from holdfast import agents
from holdfast.agents.base import Place
from holdfast.agents.editing import blocks
from holdfast.app import proposals
from holdfast.app.erase import forget_memory as forget
from holdfast.continuity import log
from holdfast.continuity.todo import todos
from holdfast.errors import BadInput, NotFound, ScopeUnknown, SwitchedOff
from holdfast.exchange.import_memories import import_memories
from holdfast.exchange.statements import cut
from holdfast.memory import proposals as offered
from holdfast.memory.edit import edit
from holdfast.memory.remember import remember
from holdfast.memory.scaffold import template
from holdfast.privacy import fence
from holdfast.privacy.redact import redact
from holdfast.recall.recall import recall
from holdfast.records import Scope

SHOP = Scope("project", "example.com--acme--shop")
VPN = "Deploys need the VPN."


def lay(folder, name: str, text: str | bytes):
    """Write a file as a person or an agent does, and return its path."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def counts(imported) -> dict[str, tuple[int, ...]]:
    """Return new, waiting, known, rejected and refused of each file."""
    return {one.path: (one.new, one.waiting, one.known, one.rejected, one.refused) for one in imported.files}


def test_statements_are_proposed_with_their_source(workspace, shop, machine) -> None:
    """What a project's file says is proposed for the project, what the person's own says for everywhere."""
    lay(shop, "AGENTS.md", f"# Shop\n\n## Deploys\n\n- {VPN}\n")
    lay(machine, ".codex/AGENTS.md", "Answer in short sentences.\n")
    with workspace() as h:
        done = import_memories(h, ("codex",))
        found, problems = offered.waiting(h)
    assert counts(done) == {"~/.codex/AGENTS.md": (1, 0, 0, 0, 0), "AGENTS.md": (1, 0, 0, 0, 0)}
    told = {one.text: (one.scope, one.type, one.source, one.evidence, one.title) for one in found}
    assert told == {
        "Answer in short sentences.": (
            *(Scope("global"), "user", "codex:~/.codex/AGENTS.md#L1", "~/.codex/AGENTS.md, line 1"),
            "Answer in short sentences",
        ),
        VPN: (SHOP, "project", "codex:AGENTS.md#Deploys", "AGENTS.md, line 5", "Deploys: Deploys need the VPN"),
    }
    assert problems == [] and sorted(one.id for one in done.proposals) == sorted(one.id for one in found)


def test_nothing_is_remembered_by_an_import(workspace, shop) -> None:
    """Proposals are no memories: recall does not find them until one is approved."""
    lay(shop, "AGENTS.md", f"- {VPN}\n")
    with workspace() as h:
        import_memories(h)
        assert recall(h, "VPN") == []
        import_memories(h, approve=True)
        (hit,) = recall(h, "VPN")
    assert (hit.memory.trust, hit.memory.source, hit.memory.scope) == ("import", "codex:AGENTS.md#L1", SHOP)


def test_importing_again_proposes_nothing(workspace, shop) -> None:
    """A second import finds everything waiting, one after an approval finds it known."""
    lay(shop, "AGENTS.md", f"- {VPN}\n- The staging database is reset on Mondays.\n")
    with workspace() as h:
        assert counts(import_memories(h)) == {"AGENTS.md": (2, 0, 0, 0, 0)}
        again = import_memories(h)
        assert counts(again) == {"AGENTS.md": (0, 2, 0, 0, 0)} and again.proposals == ()
        approved = import_memories(h, approve=True)
        assert [one.act for one in approved.decisions] == ["approved", "approved"]
        assert counts(import_memories(h, approve=True)) == {"AGENTS.md": (0, 0, 2, 0, 0)}


def test_a_dry_run_writes_nothing(workspace, shop, home, tree) -> None:
    """A dry run says what would be proposed and makes no file, not even the home."""
    lay(shop, "AGENTS.md", f"- {VPN}\n")
    with workspace(finishes=False) as h:
        done = import_memories(h, dry_run=True, approve=True)
    assert [one.text for one in done.proposals] == [VPN] and done.decisions == ()
    assert tree(home) == {}


def test_one_statement_in_many_files_is_one_proposal(workspace, shop, machine) -> None:
    """The same words in other files, of other agents, spelled a little otherwise, are not proposed twice."""
    lay(shop, "AGENTS.md", f"- {VPN}\n")
    lay(shop, "GEMINI.md", "* deploys **need**  the `VPN`\n")
    lay(shop, ".kiro/steering/deploy.md", f"{VPN}\n")
    with workspace() as h:
        done = import_memories(h)
    assert len(done.proposals) == 1
    assert sorted(counts(done).values()) == [(0, 1, 0, 0, 0), (0, 1, 0, 0, 0), (1, 0, 0, 0, 0)]


def test_one_file_of_many_agents_is_read_once(workspace, shop) -> None:
    """A file that several agents read, also under another name by a link, is read once."""
    lay(shop, "AGENTS.md", f"- {VPN}\n")
    (shop / "CLAUDE.md").symlink_to("AGENTS.md")
    with workspace() as h:
        assert len(import_memories(h).files) == 1


def test_what_is_remembered_is_not_proposed(workspace, shop) -> None:
    """A statement that a memory of the project or a global one makes already is known."""
    lay(shop, "AGENTS.md", f"- {VPN}\n- Answer in short sentences.\n- Tests use real files.\n")
    with workspace() as h:
        remember(h, "deploys need the VPN")
        remember(h, "Answer in short sentences.", scope="global")
        assert counts(import_memories(h)) == {"AGENTS.md": (1, 0, 2, 0, 0)}


def test_a_rejection_sticks(workspace, shop, repository) -> None:
    """What was rejected is not proposed again, from no other file or agent of the project; another project may."""
    lay(shop, "AGENTS.md", f"- {VPN}\n")
    with workspace() as h:
        (proposal,) = import_memories(h).proposals
        proposals.reject(h, (proposal.id,), reason="we use a bastion")
        lay(shop, "GEMINI.md", f"# G\n\n{VPN.upper()}\n")
        assert counts(import_memories(h)) == {"AGENTS.md": (0, 0, 0, 1, 0), "GEMINI.md": (0, 0, 0, 1, 0)}
    other = repository("till")
    lay(other, "AGENTS.md", f"- {VPN}\n")
    with workspace(folder=str(other)) as h:
        assert counts(import_memories(h)) == {"AGENTS.md": (1, 0, 0, 0, 0)}


def test_a_global_rejection_holds_in_every_project(workspace, shop, machine) -> None:
    """What was rejected for everywhere is not proposed for a project either."""
    lay(machine, ".codex/AGENTS.md", f"- {VPN}\n")
    with workspace() as h:
        (proposal,) = import_memories(h).proposals
        proposals.reject(h, (proposal.id,))
        lay(shop, "AGENTS.md", f"- {VPN}\n")
        assert counts(import_memories(h))["AGENTS.md"] == (0, 0, 0, 1, 0)


def test_what_was_forgotten_does_not_come_back(workspace, shop) -> None:
    """A forgotten statement is refused, and so is one that a person has corrected since."""
    lay(shop, "AGENTS.md", f"- {VPN}\n- Reports go to Kim.\n")
    with workspace() as h:
        remember(h, VPN, key="vpn")
        forget(h, "vpn")
        remember(h, "Reports go to Kim.", key="reports")
        remember(h, "Reports go to Lee.", key="reports")
        assert counts(import_memories(h)) == {"AGENTS.md": (0, 0, 0, 0, 2)}


def test_secrets_are_taken_out_first(workspace, shop, home) -> None:
    """No byte of a secret reaches a proposal, its title or its source, and the kind is told."""
    secret = "ghp_" + "".join(random.Random(7).choices(string.ascii_letters + string.digits, k=36))
    assert redact(secret)[1]
    lay(shop, "AGENTS.md", f"## Key {secret}\n\n- Use {secret} for releases.\n- {secret}\n- token: {secret}\n")
    with workspace() as h:
        done = import_memories(h)
    assert done.files[0].redacted == ("github-token",) and counts(done)["AGENTS.md"] == (1, 0, 0, 0, 2)
    for path in home.rglob("*"):
        assert not path.is_file() or secret.encode() not in path.read_bytes()


def test_what_holdfast_wrote_is_never_proposed(workspace, shop, machine) -> None:
    """Managed blocks, rules files of ours, fenced injections and pages of the scaffold are nobody's statements."""
    block = blocks.put_memories("- A rule of the person.\n", "- Ours in a block.")
    lay(shop, "AGENTS.md", block + "\n- A rule after the block.\n" + fence.fenced(["- Ours in a fence."]) + "\n")
    place = Place(str(machine), str(shop), "project", {})
    rules = [agents.get(name).rules_file(place) for name in agents.names()]
    for one in filter(None, rules):
        lay(shop, os.path.relpath(one.path, shop), one.head + blocks.NOTE + "- Ours in a file.\n")
    lay(shop, "GEMINI.md", template("definition.md"))
    with workspace() as h:
        done = import_memories(h)
    assert any(rules) and cut(template("definition.md")).statements
    assert [(one.text, one.evidence) for one in done.proposals] == [
        ("A rule of the person.", "AGENTS.md, line 1"),
        ("A rule after the block.", "AGENTS.md, line 7"),
    ]


def test_lines_of_an_index_are_left_to_what_they_lead_to(workspace, shop, machine) -> None:
    """The index of an agent's memory is not proposed beside its topics; a line that leads nowhere is."""
    folder = "".join(letter if letter.isalnum() else "-" for letter in str(shop))
    memory = f".claude/projects/{folder}/memory"
    lay(machine, f"{memory}/MEMORY.md", "- [VPN](vpn.md) before deploys\n- [Lost](lost.md) was written down once\n")
    lay(
        machine,
        f"{memory}/vpn.md",
        "---\nname: VPN first\ntype: feedback\n---\nDeploys need it.\n\n**Why:** private.\n",
    )
    with workspace() as h:
        done = import_memories(h, ("claude-code",))
    told = {one.title: (one.type, one.scope) for one in done.proposals}
    assert told == {"[Lost](lost.md) was written down once": ("project", SHOP), "VPN first": ("feedback", SHOP)}


def test_whatever_a_file_says_is_proposed_once(workspace, shop) -> None:
    """Of files made of all that Markdown has, a second import after an approval finds nothing new."""
    pieces = ["- ", "# ", "## History\n", "### 2026-01-01\n", "> said\n", "\n", "```\n", "<!--", "-->", "---\n"]
    pieces += ["name: x\n", "| a |\n", "words of it ", "é", "`", "**", "\t", "  ", "1. ", ":\n", "\u2028", "[a](x.md)"]
    chance = random.Random(14)
    proposed = 0
    for _ in range(25):
        lay(shop, "AGENTS.md", "".join(chance.choices(pieces, k=chance.randrange(120))))
        with workspace() as h:
            first = import_memories(h, ("codex",), approve=True)
            assert {one.act for one in first.decisions} <= {"approved"}
            assert import_memories(h, ("codex",)).proposals == ()
        proposed += len(first.proposals)
    assert proposed > 25


def test_a_topic_that_was_approved_is_known(workspace, shop, machine) -> None:
    """A topic with a heading of its own is known after its approval, whatever became of the heading."""
    folder = "".join(letter if letter.isalnum() else "-" for letter in str(shop))
    text = "---\nname: VPN first\n---\n\n# Deploys\n\nThey need the VPN.\n\n## Why\n\nIt is private.\n"
    lay(machine, f".claude/projects/{folder}/memory/vpn.md", text)
    with workspace() as h:
        assert [one.act for one in import_memories(h, approve=True).decisions] == ["approved"]
        (one,) = import_memories(h).files
    assert (one.new, one.known) == (0, 1)


def test_notes_on_a_repository_count_in_its_worktrees(workspace, shop, machine) -> None:
    """An agent's own memory of a repository is found from a worktree; instructions are those of the worktree."""
    folder = "".join(letter if letter.isalnum() else "-" for letter in str(shop))
    lay(machine, f".claude/projects/{folder}/memory/MEMORY.md", f"- {VPN}\n")
    lay(shop, "CLAUDE.md", "- Only in the main work tree.\n")
    lay(shop, ".git/worktrees/fix/commondir", "../..\n")
    lay(shop, ".git/worktrees/fix/HEAD", "ref: refs/heads/fix\n")
    tree = machine / "code" / "fix"
    lay(tree, ".git", f"gitdir: {shop}/.git/worktrees/fix\n")
    with workspace(folder=str(tree)) as h:
        assert [(one.text, one.scope) for one in import_memories(h).proposals] == [(VPN, SHOP)]


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"- one\0two\n", "binary"),
        (b"\x89PNG\r\n\x1a\n\xff\xd8", "not-utf-8"),
        ("- Größe\n".encode("latin-1"), "not-utf-8"),
        ("- one two three\n".encode("utf-16"), "binary"),
        (b"- " + b"x" * 300_000, "too-large"),
    ],
)
def test_a_file_that_is_no_text_is_a_problem(workspace, shop, data: bytes, kind: str) -> None:
    """A file that cannot be read as text is a problem with its path, and the other files are imported."""
    lay(shop, "GEMINI.md", data)
    lay(shop, "AGENTS.md", f"- {VPN}\n")
    with workspace() as h:
        done = import_memories(h)
    assert [(problem.kind, problem.path) for problem in done.problems] == [(kind, "GEMINI.md")]
    assert VPN in [one.text for one in done.proposals]


def test_of_a_huge_file_only_the_beginning_is_read(workspace, shop) -> None:
    """A file of 100 MB costs no more than its first 262,144 bytes, cut at a line."""
    with open(lay(shop, "AGENTS.md", f"- {VPN}\n"), "ab") as file:
        file.write(b"\n".join([b"- " + b"filler " * 1000] * 60))
        file.truncate(100_000_000)
    lay(shop, "GEMINI.md", "".join(f"- Rule number {number} of a very long list.\n" for number in range(8_000)))
    with workspace() as h:
        done = import_memories(h, dry_run=True)
    told = {problem.path: problem.kind for problem in done.problems}
    assert told == {"AGENTS.md": "too-large", "GEMINI.md": "too-large"}
    last = [one.text for one in done.proposals if one.text.startswith("Rule number")][-1]
    assert last.endswith("of a very long list.") and 5_000 < len(done.proposals) < 8_000


def test_links_out_of_the_project_are_not_followed(workspace, shop, machine, tmp_path) -> None:
    """A project cannot make an import read the person's other files; a link within the project is followed."""
    diary = lay(tmp_path, "diary.md", "- Dear diary, nobody may read this.\n")
    lay(tmp_path, "letters/love.md", "- Dear Kim, nobody may read this.\n")
    lay(shop, "docs/agents.md", f"- {VPN}\n")
    (shop / "AGENTS.md").symlink_to("docs/agents.md")
    (shop / "GEMINI.md").symlink_to(diary)
    (shop / ".kiro").mkdir()
    (shop / ".kiro" / "steering").symlink_to(tmp_path / "letters")
    with workspace() as h:
        done = import_memories(h)
    assert [one.text for one in done.proposals] == [VPN]
    told = sorted((problem.kind, problem.path) for problem in done.problems)
    assert told == [("link", ".kiro/steering/love.md"), ("link", "GEMINI.md")]


def test_a_link_of_the_persons_own_is_followed(workspace, machine) -> None:
    """Who keeps an agent's files elsewhere in the home and links to them gets them imported."""
    lay(machine, "dotfiles/codex.md", f"- {VPN}\n")
    (machine / ".codex").mkdir()
    (machine / ".codex" / "AGENTS.md").symlink_to(machine / "dotfiles" / "codex.md")
    with workspace() as h:
        assert [one.scope for one in import_memories(h).proposals] == [Scope("global")]


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_without_permission_is_a_problem(workspace, shop) -> None:
    """A file that may not be read is a problem, and the others are imported."""
    lay(shop, "GEMINI.md", "- x y z\n").chmod(0)
    lay(shop, "AGENTS.md", f"- {VPN}\n")
    with workspace() as h:
        done = import_memories(h)
    assert [problem.kind for problem in done.problems] == ["unreadable"] and len(done.proposals) == 1


def test_hidden_characters_do_not_reach_a_proposal(workspace, shop) -> None:
    """What nobody sees in a file is left out of what is proposed, and that is said."""
    hidden = "".join(chr(0xE0000 + ord(letter)) for letter in "obey") + "\u202e\x1b[31m"
    lay(shop, "AGENTS.md", f"- Deploys need{hidden} the VPN, \u0646\u0645\u06cc\u200c\u0634\u0648\u062f.\n")
    with workspace() as h:
        done = import_memories(h)
    assert [one.text for one in done.proposals] == [
        "Deploys need[31m the VPN, \u0646\u0645\u06cc\u200c\u0634\u0648\u062f."
    ]
    assert [problem.kind for problem in done.problems] == ["hidden"]


def test_a_file_that_a_person_names(workspace, shop, machine) -> None:
    """A named file is imported alone, where it is asked to hold; one that an agent reads keeps its own scope."""
    lay(shop, "AGENTS.md", f"- {VPN}\n")
    lay(machine, ".codex/AGENTS.md", "- Answer in short sentences.\n")
    notes = lay(machine, "notes.md", "- Kim likes tea.\n")
    with workspace() as h:
        (one,) = import_memories(h, paths=(str(notes),), scope="global").proposals
        assert (one.text, one.scope, one.source) == ("Kim likes tea.", Scope("global"), "file:~/notes.md#L1")
        (one,) = import_memories(h, paths=(str(machine / ".codex/AGENTS.md"),)).proposals
        assert (one.scope, one.agent) == (Scope("global"), "codex")
        (one,) = import_memories(h, paths=("AGENTS.md",)).proposals
        assert one.scope == SHOP
        with pytest.raises(NotFound, match="nowhere"):
            import_memories(h, paths=("nowhere.md",))


def test_what_is_no_file_is_a_problem(workspace, shop) -> None:
    """A pipe that a person names is a problem at once, and keeps nobody waiting; an empty folder says nothing."""
    os.mkfifo(shop / "pipe.md")
    (shop / "docs").mkdir()
    with workspace() as h:
        done = import_memories(h, paths=("docs", "pipe.md"))
    assert [(problem.kind, problem.path) for problem in done.problems] == [("unreadable", "pipe.md")]
    assert done.proposals == ()


def test_files_of_the_home_are_not_imported(workspace, home) -> None:
    """A memory file of Holdfast itself is no source of an import."""
    with workspace() as h:
        path = remember(h, VPN).memory.path
        done = import_memories(h, paths=(str(home / "memory" / path),))
    assert done.proposals == () and [problem.kind for problem in done.problems] == ["ours"]


def test_instructions_on_the_way_are_read(workspace, shop) -> None:
    """From inside a project the files of each folder on the way are imported, those beside it are not."""
    lay(shop, "AGENTS.md", f"- {VPN}\n")
    lay(shop, "web/AGENTS.md", "- The web part uses strict types.\n")
    lay(shop, "web/ui/deep/AGENTS.md", "- Too deep to be read from here.\n")
    lay(shop, "api/AGENTS.md", "- The interface part is elsewhere.\n")
    (shop / "web" / "ui").mkdir(exist_ok=True)
    with workspace(folder=str(shop / "web" / "ui")) as h:
        assert sorted(counts(import_memories(h))) == ["AGENTS.md", "web/AGENTS.md"]


def test_outside_a_project_only_what_holds_everywhere(workspace, machine) -> None:
    """Where there is no project its files are a problem, and never fall into global."""
    lay(machine, ".codex/AGENTS.md", "- Answer in short sentences.\n")
    lay(machine, "AGENTS.md", f"- {VPN}\n")
    with workspace(folder=str(machine)) as h:
        done = import_memories(h, ("codex",))
    assert [(one.scope, one.text) for one in done.proposals] == [(Scope("global"), "Answer in short sentences.")]
    assert [(problem.kind, problem.path) for problem in done.problems] == [("no-project", "AGENTS.md")]


def test_a_named_file_needs_a_project(workspace, machine, home) -> None:
    """A file that a person names for a project that is not there fails, and never falls into global."""
    notes = lay(machine, "notes.md", f"- {VPN}\n")
    with workspace(folder=str(machine)) as h, pytest.raises(ScopeUnknown):
        import_memories(h, paths=(str(notes),))
    assert not home.exists()


def test_bad_input(workspace, shop) -> None:
    """An unknown agent and an unknown scope are refused, and nothing is imported while memory is switched off."""
    lay(shop, "AGENTS.md", f"- {VPN}\n")
    with workspace() as h:
        with pytest.raises(NotFound, match="there is no agent"):
            import_memories(h, ("nobody",))
        with pytest.raises(BadInput, match="scope"):
            import_memories(h, paths=("AGENTS.md",), scope="session")
        with pytest.raises(BadInput, match="named files"):
            import_memories(h, scope="global")
    with workspace(flags={"enabled": "false"}) as h, pytest.raises(SwitchedOff):
        import_memories(h)


def test_an_edited_memory_is_not_proposed_again(workspace, shop, editor) -> None:
    """What a person made of an imported memory holds: the old words are refused, not proposed."""
    lay(shop, "AGENTS.md", f"- {VPN}\n")
    with workspace() as h:
        (decision,) = import_memories(h, approve=True).decisions
    editor("sed -i 's/VPN/bastion/' \"$1\"")
    with workspace() as h:
        edit(h, decision.key)
    with workspace() as h:
        assert counts(import_memories(h)) == {"AGENTS.md": (0, 0, 0, 0, 1)}


def test_notes_of_a_project_are_found_without_being_named(workspace, shop):
    """A page's rows and lessons, open boxes as to-dos, the log of a day; what is ticked or struck through is over."""
    (shop / "tasks").mkdir()
    (shop / "memory").mkdir()
    (shop / "MEMORY.md").write_text(
        "# Memory\n\n## Decisions\n\n| Date | Decision | Rationale |\n|---|---|---|\n"
        "| 2026-02-07 | Use PostgreSQL | one server is enough |\n| 2026-02-01 | ~~Use MySQL~~ | old |\n\n"
        "## Not built\n\n- ~~The importer of orders loses rows~~ fixed\n- The exporter of orders has no tests.\n"
    )
    (shop / "tasks" / "lessons.md").write_text("# Lessons\n\n- Run the migration before the deploy, never after it.\n")
    (shop / "tasks" / "todo.md").write_text(
        "# To do\n\n- [x] write the importer\n- [ ] write the exporter\n- [ ] ~~rename the shop~~\n\n"
        "| Task | State |\n|---|---|\n| print labels | open |\n| ~~send faxes~~ | open |\n| pack parcels | **Done** |\n"
    )
    (shop / "memory" / "2026-02-07.md").write_text(
        "# Session\n\n## Done\n\n- The importer reads orders of last year.\n"
    )
    with workspace() as opened:
        done = import_memories(opened)
        assert {one.path: (one.kind, one.new, one.known) for one in done.files} == {
            "MEMORY.md": ("notes", 2, 0),
            "tasks/lessons.md": ("notes", 1, 0),
            "tasks/todo.md": ("todo", 2, 4),
            "memory/2026-02-07.md": ("log", 1, 0),
        }
        said = {one.text: one.kind for one in done.proposals}
        assert said["Date: 2026-02-07; Decision: Use PostgreSQL; Rationale: one server is enough"] == "memory"
        assert said["write the exporter"] == "todo"
        assert not [text for text in said if "MySQL" in text or "loses rows" in text]
        decided = proposals.approve(opened, tuple(one.id for one in done.proposals))
        assert not [one for one in decided if one.exit_code]
        assert [(one.text, one.done) for one in todos(opened, everything=True)] == [
            ("write the exporter", False),
            ("Task: print labels; State: open", False),
        ]
        folder = opened.home + "/memory/projects/" + opened.project().id
        assert "- The importer reads orders of last year." in log.read(folder, "2026-02-07")
        assert import_memories(opened).proposals == ()


def test_a_line_with_a_label_is_proposed_once_also_when_it_was_forgotten(workspace, shop):
    """A memory is kept without the word that led to it, and the line stays known, and stays forgotten."""
    (shop / "MEMORY.md").write_text("| Decision | Why |\n|---|---|\n| Images live in S3 | it is cheap |\n")
    with workspace() as opened:
        (proposal,) = import_memories(opened).proposals
        (decided,) = offered.approve(opened, (proposal.id,))
        assert import_memories(opened).proposals == ()
        forget(opened, decided.key)
        assert import_memories(opened).proposals == ()


def test_what_gemini_would_add_by_its_inbox_is_proposed(workspace, shop, machine):
    """The lines that its patches add, and no other; those of its person's file hold everywhere."""
    folder = machine / ".gemini" / "tmp" / "shop" / "memory" / ".inbox"
    (folder.parent.parent / ".project_root").parent.mkdir(parents=True)
    (folder.parent.parent / ".project_root").write_text(str(shop))
    for name, line in (("private", "The staging host is s7."), ("global", "Kim prefers short answers.")):
        (folder / name).mkdir(parents=True)
        patch = f"--- a/MEMORY.md\n+++ b/MEMORY.md\n@@ -1,1 +1,2 @@\n - An old line that stays.\n+- {line}\n"
        (folder / name / "extraction.patch").write_text(patch)
    with workspace() as opened:
        found = {one.text: one.scope.kind for one in import_memories(opened, ("gemini-cli",)).proposals}
        assert found == {"The staging host is s7.": "project", "Kim prefers short answers.": "global"}


def test_what_codex_learned_in_another_folder_is_left_there(workspace, shop, machine):
    """In the form that its own instructions ask for: what was learned is proposed, lists of its files are not."""
    block = (
        "# Task Group: {0} releases\n\nscope: Releasing {0}.\napplies_to: cwd={0}; reuse_rule=safe in this checkout\n\n"
        "## Task 1: Mend the script, success\n\n### rollout_summary_files\n\n- rollout_summaries/one.md (cwd={0})\n\n"
        "### keywords\n\n- release, changelog, version\n\n## Reusable knowledge\n\n"
        "- The version of {1} is read from its manifest. [Task 1]\n\n"
    )
    folder = machine / ".codex" / "memories"
    folder.mkdir(parents=True)
    named = (("work flow", "any library"), (str(shop / "web"), "the shop"), ("/elsewhere/bakery", "the bakery"))
    (folder / "MEMORY.md").write_text("".join(block.format(*each) for each in named))
    tips, index = (
        "## General Tips\n\n- Tags of a release are signed.",
        "## What's in Memory\n\n### shop\n\n- releases: one",
    )
    (folder / "memory_summary.md").write_text(f"v1\n\n{tips}\n\n{index}\n")
    with workspace() as opened:
        found = import_memories(opened, paths=(str(folder / "MEMORY.md"),), scope="project", dry_run=True).proposals
        assert [one.scope.kind for one in found] == ["project", "project"]
        said = {(one.text, one.scope.kind) for one in import_memories(opened).proposals}
    assert said == {
        ("The version of any library is read from its manifest.", "global"),
        ("The version of the shop is read from its manifest.", "project"),
        ("Tags of a release are signed.", "global"),
    }


def test_the_team_tier_and_own_memory_of_qwen_are_found(workspace, shop, machine):
    """Its team's files in the repository, and what it noted itself of this project."""
    (shop / ".qwen" / "team-memory").mkdir(parents=True)
    (shop / ".qwen" / "team-memory" / "deploys.md").write_text("- Deploys of the shop need the VPN.\n")
    name = "".join(letter if letter.isalnum() else "-" for letter in str(shop))
    own = machine / ".qwen" / "projects" / name / "memory"
    own.mkdir(parents=True)
    (own / "user.md").write_text("---\nname: editor\ntype: user\n---\nKim edits in vim.\n")
    with workspace() as opened:
        found = {one.text for one in import_memories(opened, ("qwen",)).proposals}
        assert found == {"Deploys of the shop need the VPN.", "Kim edits in vim."}
