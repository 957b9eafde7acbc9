"""Regions in a person's page: what is a marker and what only tells of one, and how a text becomes a line and back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.continuity import region
from holdfast.errors import BrokenFile
from holdfast.privacy.fence import harmless_line

BEGIN, END = region.begin("state"), region.end("state")
PIECES = (BEGIN, END, f" {BEGIN} ", "```", "````", "~~~", "```sh", "- ```", "words", "", f"`{END}`", "## x", "> ```")
STARTS = ("#", "##", "# ", "## ", "-", "- ", "* ", "+ ", "> ", "|", "```", "~~~", "1. ", "12) ", "\\", "---", " ", "a ")


@pytest.mark.parametrize(
    "own",
    [
        f"The region begins with `{BEGIN}` and ends with `{END}`.\n",
        f"{BEGIN} and {END}\n",
        f"```\n{BEGIN}\nmy line\n{END}\n```\n",
        f"~~~~ text\n{BEGIN}\nmy line\n~~~\n{END}\n~~~~\n",
        f"- ```\n  {BEGIN}\n  my line\n  {END}\n  ```\n",
        f"    {BEGIN}\n    my line\n    {END}\n",
        f"> {BEGIN}\n> my line\n> {END}\n",
        f"It begins:\n```\n{BEGIN}\n```\nIt ends:\n```\n{END}\n```\n",
        f"```\r\n{BEGIN}\r\nmy line\r\n{END}\r\n```\r\n",
    ],
)
def test_what_tells_of_a_marker_is_none(own: str) -> None:
    """A marker in a sentence, a quote or code stays, and the region is made behind it and found there again."""
    assert region.parts(own, "state")[1] is None
    once = region.put(own, "state", ["one", ""], "")
    twice = region.put(once, "state", ["two", ""], "")
    assert once.startswith(own) and twice.startswith(own)
    assert twice == once.replace("one", "two")


@pytest.mark.parametrize(
    "page",
    [
        f"mine\n{BEGIN}\nours\n{END}\nbehind\n",
        f"mine\r\n{BEGIN}\r\nours\r\n{END}\r\n",
        f"mine\r{BEGIN}\rours\r{END}\r",
        f"\ufeff{BEGIN}\nours\n{END}",
        f"  {BEGIN} \t\nours\n   {END}  \nbehind",
        f"{BEGIN}\nnever closed\n{BEGIN}\nours\n{END}\n{END}\n",
        f"```\ncode\n```\n{BEGIN}\nours\n{END}\n```\ncode\n```\n",
        f"```\nnever closed\n{BEGIN}\nours\n{END}\n",
        f"~~~\nnever closed\n```\n{BEGIN}\nquoted\n{END}\n```\n{BEGIN}\nours\n{END}\n",
        f"```\nnever closed\n{BEGIN}\nours\n```\ncode\n```\n{END}\n",
        f"{BEGIN}\nours\n```\nnever closed\n{END}\n\n```\ncode\n```\n",
        f"{BEGIN}\nours\n```\n{BEGIN}\nquoted\n{END}\n```\n{END}\nbehind\n",
    ],
)
def test_markers_that_are_lines_are_found(page: str) -> None:
    """Any line ends, spaces around a marker, strayed markers and fences that nobody closed do not hide a region."""
    before, inside, behind = region.parts(page, "state")
    assert inside is not None and "ours" in inside and "never closed\n" + BEGIN not in inside
    assert before + BEGIN + inside + END + behind == page
    if "quoted" in inside:
        assert inside.endswith("```\n")


@given(st.lists(st.sampled_from(PIECES), max_size=12), st.sampled_from(("\n", "\r\n")))
def test_a_second_write_changes_only_what_the_first_one_wrote(pieces: list[str], newline: str) -> None:
    """Whatever fences and markers a page has, a region that was written is the one that is found and written again."""
    page = newline.join(pieces)
    once = region.put(page, "state", ["one", ""], "new\n\n")
    inside = region.parts(once, "state")[1]
    assert inside is not None and inside.strip() == "one"
    assert region.put(once, "state", ["two", ""], "new\n\n") == once.replace("one", "two")
    if region.parts(page, "state")[1] is None:
        assert once.startswith(page)


def test_headings_in_code_part_nothing() -> None:
    """A section goes on over code that has a heading in it; without a fence the same line begins a section."""
    inside = "\ntop\n## One\n```\n## Two\n```\nafter\n## Three \n"
    assert region.sections(inside) == [
        ("", ["", "top"]),
        ("One", ["```", "## Two", "```", "after"]),
        ("Three", []),
    ]
    assert [heading for heading, _ in region.sections(inside.replace("```", "'''"))] == ["", "One", "Two", "Three"]


@given(st.lists(st.sampled_from(STARTS), min_size=1, max_size=3), st.text(max_size=20))
def test_a_text_is_the_same_after_it_was_a_line(starts: list[str], rest: str) -> None:
    """Whatever a text begins with, as a line of its own, an item and a heading it is read as what it was."""
    text = harmless_line("".join(starts) + rest)
    if not text:
        return
    lone = region.paragraph(text)
    assert region.entries([lone]) == region.entries([region.item(text)]) == (text,)
    assert region.sections(f"## {lone}\n## {lone}") == [("", []), (text, []), (text, [])]
    page = ["## Focus", lone, region.item(text), "```", "## Code", "```", "## Next"]
    assert [lines[0] for lines in region.split("\n".join(page))[1:]] == ["## Focus", "## Next"]


@pytest.mark.parametrize(
    "text", ["#123 is fixed", "-v is the flag", "*all* of it", "3.11 it is", "`code` first", "\\d+"]
)
def test_what_markdown_leaves_alone_is_left_alone(text: str) -> None:
    """A text that only looks like a sign of Markdown gets no backslash."""
    assert region.paragraph(text) == text and region.item(text) == f"- {text}"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-32", "utf-32-be"])
def test_wide_pages_are_refused(tmp_path, encoding: str) -> None:
    """A page in UTF-16 or UTF-32 is told apart by its first bytes and refused with the way out."""
    path = tmp_path / "page.md"
    path.write_bytes(("" if encoding in ("utf-16", "utf-32") else "\ufeff").encode(encoding) + "mine".encode(encoding))
    with pytest.raises(BrokenFile) as refused:
        region.check_writable(str(path), region.read_page(str(path)))
    assert refused.value.hint == "Save it as UTF-8."
    region.check_writable(str(path), "\ufeffmine")
