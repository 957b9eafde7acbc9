"""A bundle holds to the published rules of the Open Knowledge Format 0.2, whatever a person wrote into their files."""

from __future__ import annotations

import re
import tarfile
from pathlib import Path

import pytest
import yaml

from holdfast.exchange import bundle
from holdfast.memory.remember import remember

BY_HAND = {
    "colon": "---\ntype: fact\ntitle: Deploy: the VPN\n---\n\nDeploys go through the VPN.\n",
    "never-closed": "---\ntype: fact\ntitle: Deploy\n\nDeploys go through the bastion.\n",
    "no-front-matter": "Deploys are announced in the channel.\n",
    "list-of-types": "---\ntype: [fact, rule]\n---\n\nDeploys are tagged.\n",
    "empty-type": "---\ntype:\n---\n\nDeploys are signed.\n",
    "number": "---\ntype: 3\n---\n\nDeploys take ten minutes.\n",
    "windows": "\ufeff---\r\ntype: fact\r\n---\r\n\r\nDeploys are built on Windows.\r\n",
    "nested": "---\ntype: fact\nowner: {name: kim}\nsteps:\n  - a: 1\n    b: 2\n---\n\nDeploys have an owner.\n",
    "tab": "---\ntype: fact\nother:\tx\n\ty: z\n---\n\nDeploys have tabs.\n",
    "half-quoted": '---\ntype: fact\nnote: "half\n---\n\nDeploys are quoted.\n',
    "marks": "---\ntype: fact\nnote: *important*\n*who: @kim\n? key\n: value\n---\n\nDeploys have marks.\n",
    "twice": "---\ntype: fact\ntype: rule\n---\n\nDeploys happen twice.\n",
    "own-type": "---\ntype: Recipe\nservings: 4\nmade: 2026-01-02\n---\n\nDeploys are cooked.\n",
}


def problems_of(folder: Path) -> list[str]:
    """Return what breaks the rules of conformance (section 11 of the format), by file.

    Each Markdown file but the reserved ones has YAML with a type that is text. An index has headings and lists of
    links, and no front matter but the version at the top; a log has headings that are dates.
    """
    found = []
    for path in sorted(folder.rglob("*.md")):
        name, text = str(path.relative_to(folder)), path.read_bytes().decode()
        fenced = re.match(r"---\r?\n(.*?)^---\r?(?:\n|\Z)", text, re.DOTALL | re.MULTILINE)
        if path.name == "log.md":
            dates = re.findall(r"^## (.*)$", text, re.MULTILINE)
            found += [f"{name}: {one} is no date" for one in dates if not re.match(r"\d{4}-\d\d-\d\d\b", one)]
        elif path.name == "index.md":
            found += [f"{name}: {why}" for why in _problems_of_index(text, fenced, is_root=path.parent == folder)]
        elif not fenced:
            found.append(f"{name}: no front matter")
        else:
            found += [f"{name}: {why}" for why in _problems_of_fields(fenced[1])]
    return found


def _problems_of_fields(text: str) -> list[str]:
    try:
        fields = yaml.safe_load(text)
    except yaml.YAMLError as problem:
        return [f"no YAML: {problem}"]
    given = fields.get("type") if isinstance(fields, dict) else None
    return [] if isinstance(given, str) and given else [f"the type is {given!r}"]


def _problems_of_index(text: str, fenced: re.Match[str] | None, *, is_root: bool) -> list[str]:
    found = []
    if fenced and (not is_root or set(yaml.safe_load(fenced[1])) != {"okf_version"}):
        found.append("front matter that is not its version")
    lines = [line for line in text[fenced.end() if fenced else 0 :].splitlines() if line.strip()]
    entry = re.compile(r"[*-] \[(?:\\.|[^][\\])+\]\([^()\s]+\)(?: - .*)?$")
    if lines and not lines[0].startswith("# "):
        found.append("no heading above its entries")
    return found + [f"{line} is no entry" for line in lines if not line.startswith("#") and not entry.match(line)]


def unpacked(opened, folder: Path) -> Path:
    """Export the home, and return the folder with what is in the bundle."""
    bundle.export(opened, str(folder / "one.tar.gz"))
    with tarfile.open(folder / "one.tar.gz") as archive:
        archive.extractall(folder / "out", filter="data")
    return folder / "out"


def by_hand(opened, **texts: str) -> Path:
    """Write files into the project's memories as an editor does."""
    folder = Path(opened.store.tree.root, remember(opened, "Ships sail on Fridays.", key="ships").memory.path).parent
    for key, text in texts.items():
        folder.joinpath(f"{key}.md").write_text(text, encoding="utf-8", newline="")
    return folder


def test_the_rules_find_what_breaks_them(tmp_path):
    """Each of the three rules: front matter that is YAML, a type, and the form of the reserved files."""
    wrong = {"a.md": "no", "b.md": "---\nx: [\n---\n", "c.md": "---\ntype: 3\n---\n", "log.md": "## Friday\n"}
    wrong |= {"index.md": "---\ntype: x\n---\n- a\n", "sub/index.md": "---\nokf_version: '0.2'\n---\n"}
    (tmp_path / "sub").mkdir()
    for name, text in wrong.items():
        (tmp_path / name).write_text(text)
    assert {one.partition(":")[0] for one in problems_of(tmp_path)} == set(wrong)


def test_what_a_person_wrote_by_hand_is_a_concept_in_a_bundle(workspace, tmp_path):
    """Also front matter that is no YAML, that is never closed or has no type that is text."""
    with workspace() as opened:
        by_hand(opened, **BY_HAND)
        remember(opened, "The index is in Berlin.", key="indexes", title="An [old] \\ index](x)")
        remember(opened, "Logs go to syslog.", key="log", tags=("a: b", "c, d", "#e"), title="- a: 'b': *&!")
        out = unpacked(opened, tmp_path)
    assert problems_of(out) == []
    texts = [path.read_text(encoding="utf-8") for path in out.rglob("memories/**/*.md")]
    statements = [text.rstrip().splitlines()[-1] for text in BY_HAND.values()]
    assert all(any(said in text for text in texts) for said in statements)
    links = re.findall(r"\]\(([^()]*\.md)\)$", (out / "index.md").read_text(), re.MULTILINE)
    assert sorted(links) == sorted(str(path.relative_to(out)) for path in out.rglob("memories/**/*.md"))


@pytest.mark.parametrize(
    ("line", "is_now"),
    [
        ("type: Recipe", {"type": "Recipe"}),
        ("type: fact\nservings: 4", {"type": "fact", "servings": 4}),
        ("type: fact\npinned: true", {"type": "fact", "pinned": True}),
        ("type: fact\nwhere: a: b", {"type": "fact", "where": "a: b"}),
        ("type: fact\nowner: {name: kim}", {"type": "fact", "owner": "{name: kim}"}),
        ("type: fact\ntags:\n  - a\n  - 'b: c'", {"type": "fact", "tags": ["a", "b: c"]}),
    ],
)
def test_a_field_of_the_persons_own_stays_what_it_is_or_becomes_its_text(line, is_now, workspace, tmp_path):
    """A number stays a number; what may be no YAML is a text."""
    with workspace() as opened:
        by_hand(opened, mine=f"---\n{line}\n---\n\nDeploys need the VPN.\n")
        (path,) = unpacked(opened, tmp_path).rglob("mine.md")
    assert yaml.safe_load(path.read_text().split("---\n")[1]) == is_now


def test_what_was_written_by_hand_comes_in_again_as_it_was_told(workspace, tmp_path, shop):
    """A bundle of such files is read as they are here."""
    with workspace() as opened:
        by_hand(opened, **BY_HAND)
        opened.refresh(None)
        here = {one.key: one.body for one in bundle.read(_exported(opened, tmp_path)).memories}
        assert here == {key: opened.locate(key).body for key in here}
    assert len(here) == len(BY_HAND) + 1


def _exported(opened, folder: Path) -> str:
    bundle.export(opened, str(folder / "one.tar.gz"))
    return str(folder / "one.tar.gz")
