"""Links between memories."""

from __future__ import annotations

from holdfast.store.links import file_links, moved, renamed, targets, wiki_links


def everything(path: str) -> bool:
    """Every file is there."""
    return True


def test_wiki_links_with_their_lines() -> None:
    """`[[key]]`, with a title or a heading, is a link; in code it is not."""
    text = "See [[a]] and [[b|the b]].\n```\n[[no]]\n```\n`[[no]]` but [[ c#part ]]."
    assert wiki_links(text) == [("a", 1), ("b", 1), ("c", 5)]


def test_the_targets_of_a_text() -> None:
    """Each key that a text links to comes once, in order."""
    assert targets("[[b]] and [[a|the a]], then [[b#part]]; `[[no]]`") == ["b", "a"]


def test_relative_links_to_pages() -> None:
    """A relative link to a Markdown file counts; the web, the root and other files do not."""
    text = (
        '[a](a.md) [b](../b%20c.md#x) [t](t.md "title")\n[w](https://x.org/a.md) [r](/a.md) [m](mailto:a.md) [d](d.csv)'
    )
    assert file_links(text) == [("a.md", 1), ("../b c.md", 1), ("t.md", 1)]


def test_links_follow_a_file_that_moved() -> None:
    """A link in a file that stayed leads to the new place, and a link in a file that moved to the old one."""
    places = {"global/memories/a.md": "global/memories/sub/a.md"}
    assert moved("[a](a.md)", "global/memories", places, "global/memories", everything) == "[a](sub/a.md)"
    assert moved("[b](b.md#x)", "global/memories", places, "global/memories/sub", everything) == "[b](../b.md#x)"
    assert moved("[d](../data/d.csv)", "global/memories", places, "global/memories/sub", everything) == (
        "[d](../../data/d.csv)"
    )


def test_two_that_moved_together_keep_their_link() -> None:
    """A link between two files that went into the same folder is not touched."""
    places = {f"g/{name}.md": f"g/sub/{name}.md" for name in "ab"}
    assert moved("[b](b.md) [c](./b.md)", "g", places, "g/sub", everything) == "[b](b.md) [c](./b.md)"


def test_what_leads_to_no_file_is_left_alone() -> None:
    """A piece of code that looks like a link, an address and an anchor stay as they are."""
    text = "call f[i](x) [w](https://x.org) [h](#part) [r](/abs.md)"
    assert moved(text, "g", {}, "g/sub", lambda path: path == "abs.md") == text


def test_a_new_key_in_links() -> None:
    """Every form of `[[old]]` becomes `[[new]]`, and a longer key stays."""
    assert renamed("[[old]] [[old|T]] [[old#h]] [[ old ]] [[older]] old", "old", "new") == (
        "[[new]] [[new|T]] [[new#h]] [[new]] [[older]] old"
    )
