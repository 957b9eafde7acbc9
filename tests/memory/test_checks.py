"""The checks of lint, each from memories to problems."""

from __future__ import annotations

from holdfast.memory.lint import contradictions, dead_links, duplicates, orphans, stale_claims
from holdfast.records import Memory, Scope


def memory(key: str, body: str, scope: Scope | None = None, **more) -> Memory:
    """Return a memory; its path tells its scope."""
    scope = scope or Scope("global")
    folder = f"projects/{scope.owner}" if scope.owner else "global"
    return Memory(key=key, scope=scope, title=key, body=body, **{"path": f"{folder}/memories/{key}.md", **more})


A, B = Scope("project", "a"), Scope("project", "b")


def test_two_projects_may_say_different_things() -> None:
    """The same key in two projects is no contradiction: no reader sees both."""
    assert list(contradictions([memory("k", "yes", A), memory("k", "no", B)])) == []


def test_global_is_compared_with_every_project() -> None:
    """What global says is compared with each project, whichever is newest."""
    found = list(contradictions([memory("k", "yes", A), memory("k", "no", B), memory("k", "maybe")]))
    assert sorted(problem.path for problem in found) == ["projects/a/memories/k.md", "projects/b/memories/k.md"]
    assert {problem.severity for problem in found} == {"warning"}


def test_two_files_of_one_scope_are_an_error() -> None:
    """Two files with one key that say different things are an error; saying the same they are not."""
    other = memory("k", "no", path="global/memories/sub/k.md")
    assert [p.severity for p in contradictions([memory("k", "yes"), other])] == ["error"]
    same = memory("k", "YES", path="global/memories/sub/k.md")
    assert list(contradictions([memory("k", "yes"), same])) == []


def test_equal_and_nearly_equal() -> None:
    """Within a scope equal statements are duplicates, very similar ones near-duplicates, short ones neither."""
    text = "we deploy the shop every friday after lunch from the main branch"
    found = duplicates(
        [
            memory("a", text),
            memory("b", text.upper()),
            memory("c", text + " only"),
            memory("d", text, A),
            memory("e", "yes it is"),
            memory("f", "yes it is"),
            memory("g", "nothing of this kind stands anywhere else here"),
        ]
    )
    kinds = {(problem.path.rsplit("/", 1)[1], problem.kind) for problem in found}
    assert kinds == {("b.md", "duplicate"), ("c.md", "near-duplicate")}


def test_links_that_lead_nowhere(tmp_path) -> None:
    """A key that no reader could follow, a file that is gone and a replaced memory that is not there are dead links."""
    (tmp_path / "projects" / "a" / "memories").mkdir(parents=True)
    (tmp_path / "projects" / "a" / "memories" / "there.md").write_text("x")
    text = "[[tone]] [[other]] [[gone]] [x](there.md) [y](gone.md)"
    memories = [memory("k", text, A, supersedes=("old",)), memory("tone", "x"), memory("other", "x", B)]
    found = list(dead_links(memories, {memories[0].path: text}, str(tmp_path)))
    said = " | ".join(problem.text for problem in found)
    assert len(found) == 4
    assert "[[other]]" in said and "[[gone]]" in said and "(gone.md)" in said and "supersedes old" in said


def test_what_was_forgotten_may_still_be_named_as_replaced(tmp_path) -> None:
    """A memory that replaces one that was forgotten has no dead link; one that replaces another has."""
    memories = [memory("k", "x", A, supersedes=("old", "typo"))]
    found = dead_links(memories, {}, str(tmp_path), lambda each, key: (each.key, key) == ("k", "old"))
    assert [problem.text for problem in found] == ["supersedes typo, which is not there"]


def test_claims_about_files(tmp_path) -> None:
    """A file that is named and gone is a stale claim; one that is there, an address or another project is none."""
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "app.py").write_text("")
    body = "See src/app.py and `app.py`.\nNot https://x.org/src/no.py, but src/gone.py:12 and `lost.toml`.\n"
    body += "`retry.max` and `db.url` are set, `os.path` and `self.app` are code."
    found = list(
        stale_claims([memory("k", body, A), memory("k", body, B), memory("k", body)], {}, {"a": str(tmp_path)})
    )
    assert [problem.text.split()[1].rstrip(",") for problem in found] == ["src/gone.py", "lost.toml"]
    assert all(problem.path.startswith("projects/a/") for problem in found)


def test_files_that_no_recall_reaches(tmp_path) -> None:
    """Markdown outside the folders of memories, links and leftovers of a crash are named; the rest is in its place."""
    for path in (
        "index.md",
        "system/definition.md",
        "global/index.md",
        "global/loose.md",
        "global/memories/a.md",
        "global/memories/deploy/b.md",
        "global/data/c.md",
        "projects/a/log/2026-11-15.md",
        ".obsidian/x.md",
        "stray.md",
        "projects/stray.md",
        "global/other/d.md",
        "projects/.bad/memories/e.md",
        "global/memories/.holdfast-tmp-1-abc",
    ):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("x")
    (tmp_path / "global" / "memories" / "link.md").symlink_to("a.md")
    (tmp_path / "agents").symlink_to("global")
    found = {(problem.kind, problem.path) for problem in orphans(str(tmp_path))}
    assert found == {
        ("orphan", "stray.md"),
        ("orphan", "projects/stray.md"),
        ("orphan", "global/other/d.md"),
        ("orphan", "projects/.bad/memories/e.md"),
        ("leftover", "global/memories/.holdfast-tmp-1-abc"),
        ("link", "global/memories/link.md"),
        ("link", "agents"),
    }
