"""Lint over a whole home: one test for each kind of problem."""

from __future__ import annotations

import os

import pytest

from holdfast.app.erase import forget_memory
from holdfast.language.contradiction import Claim
from holdfast.memory.lint import duplicates, lint, outdated
from holdfast.memory.remember import remember
from holdfast.records import Memory, Scope

TOKEN = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
SHOP = "projects/example.com--acme--shop"


@pytest.fixture
def kinds(workspace):
    """Run lint and return each problem as kind, file name and severity."""

    def run() -> list[tuple[str, str, str]]:
        with workspace(finishes=False) as h:
            problems = lint(h)
        assert all(problem.hint and problem.text for problem in problems)
        return [(problem.kind, problem.path, problem.severity) for problem in problems]

    return run


@pytest.fixture(autouse=True)
def clean(workspace, shop):
    """A store with nothing wrong: links that lead somewhere, a file that is there, a key in two projects."""
    (shop / "app.py").write_text("")
    with workspace() as h:
        remember(h, "The entry is `app.py`; see [[tone]].", key="entry")
        remember(h, "Answer in British English.", key="tone", scope="global")
        remember(h, "Red is the colour of the shop.", key="colour")
    with workspace(project="other") as h:
        remember(h, "Blue is the colour of this one.", key="colour")


def test_it_tells_how_far_it_is(workspace, home) -> None:
    """A lint over many files tells of each hundred twice: as they are read, and as they are looked through."""
    folder = home / "memory" / SHOP / "memories"
    for number in range(100):
        (folder / f"fact-{number}.md").write_text(f"The number {number} has a meaning of its own.\n")
    told: list[tuple[int, int]] = []
    with workspace(finishes=False, progress=lambda done, total: told.append((done, total))) as h:
        lint(h)
    assert [one for one in told if one[1] == 208] == [(100, 208), (204, 208), (208, 208)]


def test_a_clean_store_has_no_problems(kinds) -> None:
    """Where nothing is wrong, nothing is found."""
    assert kinds() == []


@pytest.mark.parametrize(
    ("path", "text", "found"),
    [
        ("global/memories/x.md", "---\ntags: [a, b\n---\nText.\n", ("front-matter", "error")),
        ("global/memories/x.md", "---\ntype: opinion\n---\nText.\n", ("front-matter", "warning")),
        ("global/memories/x.md", b"caf\xe9 is not UTF-8\n", ("not-utf-8", "error")),
        ("global/wrong/x.md", "Nobody finds me.\n", ("orphan", "warning")),
        ("global/memories/x.md", "See [[gone]].\n", ("dead-link", "warning")),
        ("global/memories/x.md", "See [it](gone.md).\n", ("dead-link", "warning")),
        ("global/memories/x.md", "---\nsupersedes: [gone]\n---\nText.\n", ("dead-link", "warning")),
        (f"{SHOP}/memories/x.md", "Look at src/gone.py first.\n", ("stale-claim", "warning")),
        ("global/memories/sub/tone.md", "Answer in French.\n", ("contradiction", "error")),
        (f"{SHOP}/memories/tone.md", "Answer in French.\n", ("contradiction", "warning")),
        ("global/memories/x.md", "Answer in  british ENGLISH.\n", ("duplicate", "warning")),
        (f"{SHOP}/memories/x.md", "Red is the colour of the shop.\n\nindeed\n", ("near-duplicate", "warning")),
        ("global/memories/x.md", f"The token is {TOKEN}.\n", ("secret", "error")),
        ("global/memories/.holdfast-tmp-1-ab", "half a wri", ("leftover", "warning")),
    ],
)
def test_each_kind_of_problem(kinds, write, path, text, found) -> None:
    """Each kind is found where it is, and nothing else is said."""
    write(path, text)
    problems = kinds()
    assert [(kind, severity) for kind, _, severity in problems] == [found]
    assert problems[0][1].rsplit("/", 1)[1] in (path.rsplit("/", 1)[1], "colour.md", "tone.md")


def test_what_was_replaced_and_forgotten_leaves_no_dead_link(kinds, workspace) -> None:
    """Forgetting a superseded memory leaves nothing to complain of in the one that replaced it."""
    with workspace() as h:
        remember(h, "Green is the accent.", key="accent", supersedes=("colour",))
        forget_memory(h, "colour")
    assert kinds() == []


def test_a_link_is_named(kinds, home) -> None:
    """A symbolic link below the tree is an error: it is not followed."""
    (home / "memory" / "global" / "memories" / "x.md").symlink_to("/etc/hostname")
    assert kinds() == [("link", "global/memories/x.md", "error")]


def test_what_came_back(kinds, workspace, home) -> None:
    """A file of a memory that was forgotten, put back by hand, is named; another fact under its key is not."""
    path = home / "memory" / "global" / "memories" / "tone.md"
    text = path.read_text()
    with workspace() as h:
        forget_memory(h, "tone")
    path.write_text(text)
    assert kinds() == [("came-back", "global/memories/tone.md", "warning")]
    path.write_text("The hall echoes.\n")
    assert kinds() == []


def test_a_dead_link_on_the_persons_part_of_a_page(kinds, home) -> None:
    """A link that the person wrote on an index page is checked; the generated ones are made true anyway."""
    page = home / "memory" / "global" / "index.md"
    page.write_text("[mine](gone.md)\n" + page.read_text())
    (home / "memory" / "global" / "memories" / "tone.md").unlink()
    assert ("dead-link", "global/index.md", "warning") in kinds()
    assert len([1 for kind, path, _ in kinds() if path == "global/index.md"]) == 1


def test_the_way_to_a_secret(workspace, write) -> None:
    """A secret is named by kind and line, and never repeated."""
    write("global/memories/x.md", f"one\ntwo\n{TOKEN}\n")
    with workspace() as h:
        (problem,) = [problem for problem in lint(h) if problem.kind == "secret"]
    assert problem.line == 3 and "github-token" in problem.text and TOKEN not in repr(problem)


def test_lint_writes_nothing(kinds, home, write, tree) -> None:
    """Whatever is wrong, and whatever was dropped by hand, no file of the home changes, not even an index page."""
    write("global/memories/new.md", f"See [[gone]]. {TOKEN}\n")
    before = tree(home)
    assert kinds()
    assert tree(home) == before


def test_errors_come_first(workspace, write) -> None:
    """Problems are ordered: errors first, then by path."""
    write("global/memories/a.md", "See [[gone]].\n")
    write("global/memories/z.md", f"{TOKEN}\n")
    with workspace() as h:
        assert [problem.severity for problem in lint(h)] == ["error", "warning"]


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_the_line_of_a_stale_claim_is_that_of_the_file(workspace, shop, write, newline) -> None:
    """The number leads to the line in an editor: front matter and heading count."""
    lines = ["---", "title: See src/gone.py", "---", "# Where", "", "It is here.", "See src/gone.py for it.", ""]
    path = write("projects/example.com--acme--shop/memories/x.md", newline.join(lines))
    with workspace() as h:
        (problem,) = [problem for problem in lint(h) if problem.kind == "stale-claim"]
    assert problem.line == 7 and "src/gone.py" in path.read_text().splitlines()[problem.line - 1]


def test_a_file_that_was_renamed_by_hand(workspace, home) -> None:
    """Its old `key:` is named, with the line and both ways out; a file that a command moved has none."""
    with workspace() as h:
        remember(h, "Deploys need the VPN.", key="vpn", scope="global")
        remember(h, "Deploys run at noon.", key="noon", scope="global")
    folder = home / "memory" / "global" / "memories"
    (folder / "vpn.md").rename(folder / "network.md")
    with workspace() as h:
        (problem,) = [problem for problem in lint(h) if problem.kind == "renamed"]
    assert problem.path.endswith("network.md") and "key: network" in problem.hint and "vpn.md" in problem.hint
    assert (folder / "network.md").read_text().splitlines()[problem.line - 1] == "key: vpn"


def test_a_folder_with_the_name_of_a_memory(cli, shop, home) -> None:
    """A folder that is named like a memory file is reported, since nothing in it is the memory that it looks like."""
    cli("remember", "Apples are red.", "--key", "apples", "--scope", "global")
    (home / "memory" / "global" / "memories" / "dir.md").mkdir()
    (found,) = cli("lint", "--json").json["problems"]
    assert (found["kind"], found["path"]) == ("file-name", "global/memories/dir.md") and found["hint"]


def test_a_pipe_with_the_name_of_a_memory(cli, shop, home) -> None:
    """A pipe is opened by nobody, and told."""
    cli("remember", "Apples are red.", "--key", "apples", "--scope", "global")
    os.mkfifo(home / "memory" / "global" / "memories" / "pipe.md")
    (found,) = cli("lint", "--json").json["problems"]
    assert (found["kind"], found["path"]) == ("file-name", "global/memories/pipe.md") and "pipe" in found["text"]


def test_a_memory_of_a_day_to_come_is_named(cli, shop, home) -> None:
    """What was stored while the clock was wrong would be the newest for years."""
    cli("remember", "Apples are red.", "--key", "apples", "--scope", "global")
    page = home / "memory" / "global" / "memories" / "apples.md"
    page.write_text(page.read_text().replace("updated: 20", "updated: 21"))
    (found,) = cli("lint", "--json").json["problems"]
    assert (found["kind"], found["path"]) == ("dated-ahead", "global/memories/apples.md") and "clock" in found["hint"]


def test_what_a_newer_memory_says_otherwise_is_named(kinds, home) -> None:
    """Of two memories that cannot both hold the older is named, until the newer one supersedes it."""
    older = home / "memory" / "global" / "memories" / "db.md"
    text = "---\ntrust: user\nupdated: {}\n---\nStaging database runs on {}.\n"
    older.write_text(text.format("2026-01-01T00:00:00Z", "db-stg-2"))
    (older.parent / "db-now.md").write_text(text.format("2026-02-01T00:00:00Z", "db-stg-3"))
    assert [(kind, path) for kind, path, _ in kinds() if kind == "outdated"] == [("outdated", "global/memories/db.md")]
    (older.parent / "db-now.md").write_text(
        text.format("2026-02-01T00:00:00Z", "db-stg-3").replace("trust:", "supersedes: [db]\ntrust:")
    )
    assert [one for one in kinds() if one[0] == "outdated"] == []


@pytest.mark.parametrize(
    ("place", "trust"), [("global/memories", "import"), (f"{SHOP}/memories", "user"), (f"{SHOP}/memories", "import")]
)
def test_what_is_told_together_and_cannot_both_hold_contradicts(kinds, home, place, trust) -> None:
    """What a team says otherwise than the person, or a project otherwise than a global memory, is named once."""
    for path, text in (("global/memories/never.md", "Never retry"), (f"{place}/retries.md", "Always retry")):
        file = home / "memory" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"---\ntrust: {trust if 'retries' in path else 'user'}\n---\n{text} failed uploads.\n")
    assert [one[:2] for one in kinds() if one[0] in ("contradiction", "outdated")] == [
        ("contradiction", f"{place}/retries.md")
    ]


def test_two_projects_may_say_otherwise(kinds, home) -> None:
    """What no reader is told together contradicts nothing."""
    for path, text in ((f"{SHOP}/memories/never.md", "Never retry"), ("projects/till/memories/a.md", "Always retry")):
        file = home / "memory" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{text} failed uploads.\n")
    assert [one for one in kinds() if one[0] in ("contradiction", "outdated")] == []


def test_of_many_memories_only_those_are_compared_that_may_say_otherwise(monkeypatch):
    """Memories that deny something else share words with all others, and are compared with none of them."""
    things = ("amber", "birch", "cedar", "delta", "ember", "flint", "grove", "hazel", "ivory", "jade")
    memories = [
        Memory(f"{one}-{other}", Scope("global"), one, f"The {one} tram of the harbour has no {other} harbour lamp.")
        for one in things
        for other in things
        if one != other
    ]
    compared: list[str] = []
    differs = Claim.differs
    monkeypatch.setattr(Claim, "differs", lambda self, older: compared.append(older.text) or differs(self, older))
    assert [*outdated(memories)] == []
    assert len(compared) <= 10 * len(memories)


def test_a_file_that_somebody_emptied_is_named(cli, home) -> None:
    """An editor that is killed can leave a memory without a word; nobody would miss it in a list."""
    cli("remember", "Apples are red.", "--key", "apples", "--scope", "global")
    (home / "memory" / "global" / "memories" / "apples.md").write_text("")
    (found,) = [one for one in cli("lint", "--json").json["problems"] if one["kind"] == "empty"]
    assert found["path"] == "global/memories/apples.md" and "backup" in found["hint"]


@pytest.mark.parametrize("shared", range(3, 40))
def test_a_near_duplicate_is_found_at_every_length(shared):
    """Two statements that share four fifths of all words are found, the shorter first or last, at any length."""
    words = [f"word{chr(97 + number % 26)}{chr(97 + number // 26)}" for number in range(shared)]
    more = [f"more{chr(97 + number)}" for number in range(shared // 4)]
    memories = [
        Memory(key, Scope("global"), key, " ".join(said))
        for key, said in (("a", words), ("b", [*words, *more]), ("c", [*words[:-2], "other", "end"]))
    ]
    for some in (memories, memories[::-1]):
        told = [(one.path, one.kind) for one in duplicates(some)]
        assert len(told) == (shared >= 4) + (shared - 2 >= 0.8 * (shared + 2)), told
